"""What models say of rows: the one frame that files, arrays, folds and experiments become.

The rows of a file are observed in its own order. `paired` brings the files of several models, which
must be about the same rows, into one order; what is compared afterwards is one frame again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bakeoff.data.asked import Asked, cautions
from bakeoff.data.columns import in_order
from bakeoff.data.describe import named_like_groups
from bakeoff.data.readers import QUESTION, SAMPLE_ID, without_missing
from bakeoff.data.records import OURS, USUAL, Records
from bakeoff.data.table import PROBABILITY_SLACK, SUBGROUP, carry
from bakeoff.data.target import Answers, Target, check_spread, spelled_as
from bakeoff.errors import Place, Problem, joined, listed, some, unknown
from bakeoff.keys import plain_class, spelled
from bakeoff.options import can_set, is_in_experiment, setting
from bakeoff.sources.common.base import as_columns
from bakeoff.sources.common.identifiers import to_frame
from bakeoff.spec.experiment import Task, run_of
from bakeoff.spec.given_models import CLASS
from bakeoff.spec.related import RowColumns

_OTHERS = {"0": "1", "1": "0", "False": "True", "True": "False", "no": "yes", "yes": "no"}
PATTERNS = (f"p_{CLASS}", f"p:{CLASS}", f"prob_{CLASS}", f"proba_{CLASS}")
_TIMES = 10
_MOST_CLASSES = 20
"""Labels without a true one that may be classes; a column with more holds something else."""
_SHOWN = 5
NO_ANSWER = "(no answer)"
"""The class of missing predictions, where they count as wrong."""
_FEW_UNCLEAR = 0.1
"""Up to such a share of pairs of questions that may be others is told, and not refused."""
_MOSTLY_SHARED = 0.5
"""From such a share of the ids on, two files are of the same rows, some of which are missing."""
_OWN_IDS = (
    "; where both logs are about the same questions in other words, write them as tables (CSV) "
    "with ids of your own for the questions"
)


@dataclasses.dataclass(frozen=True)
class Predicted:
    """What one training run of a model says of rows: labels or numbers, or a value of each row."""

    said: Answers | None = None
    probabilities: NDArray[np.float64] | None = None
    values: NDArray[np.float64] | None = None
    column: str = ""
    """The column of a table of all models, beside ``<column>:<class>`` for probabilities."""
    of_class: str = ""
    """The class that a single number of each row was taken for the probability of."""
    marks: NDArray[np.float64] | None = None
    """Which runs of an item are right, shape (n, runs), where `values` are shares of them; NaN is a
    run that the item has not."""

    @property
    def answers(self) -> NDArray[Any]:
        """The predicted classes by their places, or numbers, shape (n,)."""
        return np.array([], dtype=np.intp) if self.said is None else self.said.values

    def __getitem__(self, rows: Any) -> Predicted:
        names = ("said", "probabilities", "values", "marks")
        parts = {name: getattr(self, name) for name in names}
        taken = {name: part[rows] for name, part in parts.items() if part is not None}
        return dataclasses.replace(self, **taken)

    def says_the_same(self, other: Predicted) -> bool:
        """Tell whether another training run has the same predictions, or numbers."""
        kinds = ("answers", "probabilities", "values")
        both = ((getattr(self, kind), getattr(other, kind)) for kind in kinds)
        return all(a is b or np.array_equal(a, b) for a, b in both)

    def oddity(self, model: str, truth: NDArray[Any]) -> str:
        """Describe labels that contradict probabilities, or numbers of another magnitude."""
        if self.values is None and truth.dtype.kind == "f":
            size, true = float(np.abs(self.answers).mean()), float(np.abs(truth).mean())
            # of a target with both signs a model that knows little predicts numbers near 0
            one_sign = bool((truth >= 0).all() or (truth <= 0).all())
            if size > _TIMES * true or (one_sign and size < true / _TIMES):
                return (
                    f"{model}: the mean size of the predictions is {size:.3g}, that of the true "
                    f"numbers {true:.3g}: are they in another unit, or on a logarithmic scale? "
                    "They are compared as they are."
                )
        elif self.probabilities is not None:
            of_predicted = self.probabilities[np.arange(len(self.answers)), self.answers]
            unlike = int((of_predicted < self.probabilities.max(axis=1)).sum())
            if unlike:
                return (
                    f"{model}: in {unlike:,} of {len(self.answers):,} rows the predicted label is "
                    "not the class of the largest probability; labels are taken as they are."
                )
        return ""


@dataclasses.dataclass(frozen=True)
class Missing:
    """The items that models lack, where that is allowed."""

    handled: str
    """``wrong``: they count as wrong; ``common``: the items of all models are compared."""
    items: int
    """How many items there are for any model."""
    lacking: Mapping[str, int]
    """How many of them a model lacks; of several training runs in all."""
    shares: Mapping[str, float]
    """Of all its items; larger where a log says that it is not whole."""
    compared: int
    """How many items are compared."""

    def called(self, names: Mapping[str, str]) -> Missing:
        """Give the models other names."""
        lacking = {names[model]: n for model, n in self.lacking.items()}
        shares = {names[model]: share for model, share in self.shares.items()}
        return dataclasses.replace(self, lacking=lacking, shares=shares)

    @property
    def sentence(self) -> str:
        """What is done about them; empty where no item is missing."""
        short = [f"{n:,} of {model}" for model, n in self.lacking.items() if n]
        if not short:
            return ""
        if self.handled == "wrong":
            return f"Missing items are counted as wrong: {', '.join(short)} (of {self.items:,})."
        return (
            f"{self.compared:,} of {self.items:,} items are compared, which all models have; "
            f"missing are {', '.join(short)}."
        )


@dataclasses.dataclass(frozen=True)
class Observations:
    """What the training runs of models say of rows, and what is known of the rows."""

    name: str
    """What messages call the rows."""
    ids: NDArray[Any]
    true: Answers | None
    models: Mapping[str, tuple[Predicted, ...]] = dataclasses.field(default_factory=dict)
    records: Records = dataclasses.field(default_factory=lambda: Records("", pa.table({}), ()))
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    """Groups or times of the rows, by their role."""
    folds: NDArray[np.intp] | None = None
    """Repeats and folds, from 1, shape (n, 2)."""
    items: NDArray[Any] | None = None
    """The item that each row is a run of."""
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    left_out: NDArray[Any] = dataclasses.field(default_factory=lambda: np.array([], np.int64))
    """The ids of rows without truth."""
    like_groups: Sequence[Mapping[str, Any]] = ()
    """Columns beside that look like ids of groups, where none is named: see `group_columns`."""
    in_order: bool = True
    preparation: tuple[str, ...] = ()
    """What was done with items before they are compared, a sentence each."""
    missing: Missing | None = None
    """The items that models lack, where it is said what becomes of them."""
    asked: Mapping[str, Mapping[str, Asked]] = dataclasses.field(default_factory=dict)
    """How each model was asked in the log of each task."""

    @classmethod
    def of_records(
        cls,
        records: Records,
        model: str = "",
        *,
        drop_unlabelled: bool = False,
        numbers: bool = False,
        values: bool = False,
        may_lack: bool = False,  # a number or a prediction
    ) -> Observations:
        """Observe what one training run of a model says, in a file of its own."""
        columns: dict[str, str | None] = {"id": records.require("id")}
        true, said = None, Predicted()
        if values:
            columns["value"] = value = records.require("value")
            numbers_of_rows = records.numbers(value, may_lack=may_lack, advice=without_missing())
            said = Predicted(values=numbers_of_rows, column=value)
        else:
            columns |= {role: records.find(role) for role in ("truth", "predicted")}
            if (truth := columns["truth"]) is not None:
                true = records.answers(truth, "truth", numbers=numbers, may_lack=drop_unlabelled)
            if (predicted := columns["predicted"]) is not None:
                said = Predicted(records.answers(predicted, numbers=numbers, may_lack=may_lack))
        models, folds = {run_of(model)[0]: (said,)}, folds_in(records)
        return cls.of_rows(records, columns["id"], true, models, columns.values(), folds)

    @classmethod
    def of_rows(
        cls,
        records: Records,
        ids: str | None,
        true: Answers | None,
        models: Mapping[str, tuple[Predicted, ...]],
        taken: Iterable[str | None],
        folds: NDArray[np.intp] | None = None,
    ) -> Observations:
        """Take what is known of the rows of a file; without a column of ids they are counted."""
        keys, items, roles = np.arange(1, records.table.num_rows + 1), None, records.roles
        if ids is not None:
            keys = records.ids(ids, records.related("runs"), folds)
            items = None if roles.runs is None else records.row_ids(ids)
        # runs of an item belong together
        group = ids if roles.groups is None and roles.runs is not None else roles.groups
        grouped = records.with_roles(groups=group)
        by_role = {role: grouped.related(role) for role in ("groups", "time")}
        related = {role: values for role, values in by_role.items() if values is not None}
        like = [] if related else named_like_groups(records.table, records.unclaimed(taken))
        facts: Any = {"folds": folds, "items": items, "like_groups": like}
        return cls(repr(records.path), keys, true, models, records, related, **facts)

    def called(self, names: Sequence[str]) -> Observations:
        """Give the models other names, in their order."""
        new = dict(zip(self.models, names, strict=True))
        missing = self.missing and self.missing.called(new)
        models = {new[model]: runs for model, runs in self.models.items()}
        asked = {new.get(model, model): by_task for model, by_task in self.asked.items()}
        return dataclasses.replace(self, models=models, missing=missing, asked=asked)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was done with items before they are compared, the missing ones too."""
        missing = self.missing.sentence if self.missing else ""
        return (missing, *self.preparation) if missing else self.preparation

    @property
    def cautions(self) -> tuple[str, ...]:
        """What was asked differently, and which logs are not whole, a sentence each."""
        return cautions(self.asked)

    @property
    def place(self) -> Place:
        """Where problems with them are."""
        return self.records.place

    @property
    def only(self) -> Predicted:
        """What the only model says."""
        ((run,),) = self.models.values()
        return run

    def only_says(self, run: Predicted, **parts: Any) -> Observations:
        """Let the only model say something else."""
        return dataclasses.replace(self, models=dict.fromkeys(self.models, (run,)), **parts)

    def __getitem__(self, rows: NDArray[np.intp]) -> Observations:
        """Return some of the rows."""
        parts = {name: getattr(self, name) for name in ("true", "folds", "items")}
        return dataclasses.replace(
            self,
            ids=self.ids[rows],
            models={m: tuple(run[rows] for run in runs) for m, runs in self.models.items()},
            records=self.records.with_table(self.records.table.take(rows)),
            related={role: values[rows] for role, values in self.related.items()},
            subgroups={name: values[rows] for name, values in self.subgroups.items()},
            **{name: part[rows] for name, part in parts.items() if part is not None},
        )

    def once(self) -> Observations:
        """Return each row once, however many folds predict it."""
        if self.folds is None:
            return self
        return self[np.flatnonzero(~pd.Series(self.ids).duplicated().to_numpy())]

    def fold(self, repeat: int, fold: int) -> Observations:
        """Return the rows of one fold; all where there are no folds."""
        if self.folds is None:
            return self
        return self[np.flatnonzero((self.folds == (repeat, fold)).all(axis=1))]

    def labelled(self) -> Observations:
        """Return ids and truth of the rows that have one, and note the ids of the others."""
        if self.true is None or not (missing := self.true.missing).any():
            return self
        ids, true = self.ids[~missing], self.true[~missing]
        return Observations(self.name, ids, true, left_out=self.ids[missing])

    def among(
        self, classes: Sequence[str], *, sure: bool | None = None
    ) -> dict[str, tuple[Predicted, ...]]:
        """Return what models say by the places of classes; `sure`: the positive one is known."""
        return {
            model: tuple(_among(self, run, classes, sure) for run in runs)
            for model, runs in self.models.items()
        }

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in order, of two the positive one last; none of numbers."""
        return () if self.true is None else self.true.classes

    @property
    def truth(self) -> NDArray[Any]:
        """The true classes by their places, or numbers, shape (n,)."""
        assert self.true is not None
        return self.true.among(self.classes)

    @property
    def several_runs(self) -> bool:
        """Whether a model was trained several times."""
        return any(len(runs) > 1 for runs in self.models.values())

    @property
    def oddities(self) -> list[str]:
        """What is odd about the predictions, a sentence for each training run that is."""
        return [
            said
            for name, runs in self.models.items()
            for run in runs
            if (said := run.oddity(name, self.truth))
        ]

    @property
    def target(self) -> Target:
        """What is predicted."""
        classes = tuple(name for name in self.classes if name != NO_ANSWER)
        return Target(classes, self.task.numbers)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        numbers = self.true is not None and self.true.numbers
        return Task.REGRESSION if numbers else Task.CLASSIFICATION

    @property
    def _with_another(self) -> str:
        """The only class beside one that there might be."""
        other = _OTHERS.get(self.classes[0], "…")
        return ",".join(in_order([self.classes[0], other]))

    def check_answers(self) -> None:
        """Refuse labels of one class, by which no prediction can be wrong, and one number alone."""
        if self.task.numbers:
            check_spread(self.truth, ("truth",))
        if len(self.classes) == 1:
            raise Problem(
                ("classes",),
                f"{self.name} has only one class, {self.classes[0]!r}, so that no prediction can "
                f"be wrong: name the other classes, like {setting('classes', self._with_another)}, "
                "or use rows of several classes",
            )


def folds_in(records: Records) -> NDArray[np.intp] | None:
    """Return repeats and their folds, numbered in the order of their values; None without any."""
    columns = {role: records.related(role) for role in ("repeat", "fold")}
    if all(column is None for column in columns.values()):
        return None
    one = np.full(records.table.num_rows, "1", dtype=object)
    repeat, fold = (one if column is None else column for column in columns.values())
    numbers = np.ones((len(one), 2), dtype=np.intp)
    for number, name in enumerate(in_order(set(repeat.tolist())), start=1):
        in_repeat = repeat == name
        numbers[in_repeat, 0] = number
        names = in_order(set(fold[in_repeat].tolist()))
        numbers[in_repeat, 1] = pd.Categorical(fold[in_repeat], categories=names).codes + 1
    return numbers


def undeclared(files: Collection[Observations]) -> list[Mapping[str, Any]]:
    """List the columns of several files that look like ids of groups, where no file names one."""
    if any(file.related for file in files):
        return []
    return [*{one["column"]: one for file in files for one in file.like_groups}.values()]


def paired(
    name: str,
    files: Sequence[Observations],
    classes: Sequence[str],
    *,
    sure: bool = False,
) -> Observations:
    """Put the models of several files side by side, in the rows of the first one with a truth."""
    rows = next(file for file in files if file.true is not None).labelled()
    places = [positions(rows, file) for file in files]
    models: dict[str, tuple[Predicted, ...]] = {}
    for file, at in zip(files, places, strict=True):
        for model, runs in file.among(classes, sure=sure).items():
            models[model] = (*models.get(model, ()), *(run[at] for run in runs))
    wanted = RowColumns(as_columns(files[0].records.roles.subgroups))
    subgroups = carried(wanted, ("columns", "subgroups"), files, places)
    single = [model for model, runs in models.items() if runs[0].of_class]
    notes = [
        text for file, at in zip(files, places, strict=True) for text in _doubts(rows, file, at)
    ]
    if single:
        notes.append(f"The probabilities of {joined(single)} are read as those of {classes[-1]!r}.")
    assert rows.true is not None
    return Observations(
        name,
        rows.ids,
        Answers(tuple(classes), rows.true.among(classes)),
        models,
        related=related(files, places),
        subgroups={
            str(column).removeprefix(SUBGROUP): pd.Categorical(values)
            for column, values in subgroups.items()
        },
        left_out=rows.left_out,
        like_groups=undeclared(files),
        preparation=tuple(notes),
    )


def positions(rows: Observations, file: Observations) -> NDArray[np.intp]:
    """Find each row in a file, which must hold all of them and say the same of them."""
    position = _positions(rows, file)
    _check_questions(rows, file, position)
    if file.true is not None and rows.true is not None:
        true = file.true[position]
        what, hint = f"have another true {'number' if true.numbers else 'label'}", ""
        wrong = rows.true.unlike(true) & ~true.missing
        labels = [true.named(row) for row in np.flatnonzero(wrong).tolist()]
        if labels and len(other_spellings(labels, rows.true.classes)) == len(labels):
            hint = ", but for its spelling the same: write each class in one way"
        _refuse_unlike(rows, file, wrong, what, (rows.true.named, true.named), hint)
    return position


def _check_questions(rows: Observations, file: Observations, position: NDArray[np.intp]) -> None:
    """Refuse rows of logs that are paired by other ids, but are about other questions."""
    questions, others = _questions(rows), _questions(file)
    if questions is None or others is None:
        return
    paired_with = others.iloc[position].reset_index(drop=True)
    unlike = questions["id"] != paired_with["id"]
    if not unlike.any():
        return
    other_text = questions["text"] != paired_with["text"]
    wrong = unlike & questions["id"].isin(others["id"])
    wrong |= unlike & other_text & questions["text"].isin(others["text"])
    says = questions["shown"].to_numpy().item, paired_with["shown"].to_numpy().item
    hint = _OWN_IDS
    if questions["id"].isin(others["id"]).all():
        hint = "; leave the column of ids out, and logs pair by their questions"
    _refuse_unlike(rows, file, wrong.to_numpy(), "are another question", says, hint)
    unclear = _unclear(questions, paired_with)
    if unclear.mean() > _FEW_UNCLEAR:
        what = "may be another question, which begins differently, or as others do,"
        _refuse_unlike(rows, file, unclear, what, says, _OWN_IDS)


def _unclear(questions: pd.DataFrame, paired_with: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell of which pairs neither the text nor the beginning, which no other has, is the same."""
    unclear = questions["id"] != paired_with["id"]
    for part in ("text", "beginning"):
        same = questions[part] == paired_with[part]
        alone = questions.groupby(part)["id"].transform("nunique") == 1
        unclear &= ~(same & alone)
    return unclear.to_numpy()


def _doubts(rows: Observations, file: Observations, position: NDArray[np.intp]) -> list[str]:
    """Say of how many pairs of two logs the questions do not tell that they are the same."""
    questions, others = _questions(rows), _questions(file)
    if questions is None or others is None:
        return []
    unclear = _unclear(questions, others.iloc[position].reset_index(drop=True))
    if not unclear.any():
        return []
    first = int(unclear.argmax())
    return [
        f"{unclear.sum():,} of {len(unclear):,} questions begin differently in {rows.name} and "
        f"{file.name} (first: id {rows.ids[first]}); they are paired by their ids."
    ]


def _refuse_unlike(
    rows: Observations,
    file: Observations,
    wrong: NDArray[np.bool_],
    what: str,
    says: Sequence[Callable[..., str]],
    hint: str = "",
) -> None:
    """Refuse a file that differs in some rows, and write the first of them below each other."""
    if not wrong.any():
        return
    first = np.flatnonzero(wrong)[:_SHOWN].tolist()
    texts = [("id", rows.name, file.name)]
    texts += [(str(rows.ids[row]), says[0](row), says[1](row)) for row in first]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )
    raise Problem(
        file.place,
        f"{wrong.sum():,} of {len(rows.ids):,} rows {what} than in {rows.name}{hint}; the first:"
        + "".join(f"\n    {line}" for line in lines),
    )


def _positions(rows: Observations, file: Observations) -> NDArray[np.intp]:
    if np.array_equal(rows.ids, file.ids):
        return np.arange(len(rows.ids))
    wanted, present, ignored = rows.ids, file.ids, rows.left_out
    if len({ids.dtype for ids in (wanted, present, ignored) if len(ids)}) > 1:
        texts = ([str(one) for one in ids] for ids in (wanted, present, ignored))
        wanted, present, ignored = (np.array(ids, dtype=object) for ids in texts)
    position: NDArray[np.intp] = pd.Index(present).get_indexer(pd.Index(wanted))
    lacking = wanted[position < 0]
    extra = present[~np.isin(present, wanted) & ~np.isin(present, ignored)]
    if not len(lacking) and not len(extra):
        return position
    parts = [f"{file.name} has {len(present):,} rows, {rows.name} {len(wanted):,}"]
    parts += [f"ids that are missing ({len(lacking):,}): {some(lacking)}"] if len(lacking) else []
    parts += [f"ids that do not belong ({len(extra):,}): {some(extra)}"] if len(extra) else []
    logs = _questions(rows) is not None and _questions(file) is not None
    if logs and len(lacking) and len(extra):
        hint = setting("id", SAMPLE_ID)
        parts += [f"only if both logs number the same questions alike, {hint} pairs so"]
    shared = len(wanted) - len(lacking)
    text = "; ".join(parts)
    if _run_unequally(rows, file):
        text += "; items that were run unequally often are compared by `metrics: [pass@1]`"
    elif shared >= _MOSTLY_SHARED * min(len(wanted), len(present)):
        text += without_missing()
    raise Problem(file.place, text)


def _run_unequally(rows: Observations, file: Observations) -> bool:
    """Tell whether two models of an experiment have the same items, and other numbers of runs."""
    if not is_in_experiment() or rows.items is None or file.items is None:
        return False
    return set(rows.items.tolist()) == set(file.items.tolist())


def _questions(rows: Observations) -> pd.DataFrame | None:
    """Return the questions of a log and their parts, which ids stand for; None of other rows."""
    if not {"id", SAMPLE_ID} <= set(rows.records.names):
        return None
    shown = rows.records.column("id").astype(str)
    parts = shown.str.extract(QUESTION)
    if parts.isna().any(axis=None):  # a table of somebody's own may have columns of these names
        return None
    return parts.assign(id=parts["text"] + parts["facts"], shown=shown)


def carried(
    wanted: RowColumns,
    place: Place,
    files: Sequence[Observations],
    places: Sequence[NDArray[np.intp]],
) -> pd.DataFrame:
    """Take the columns of subgroups and metrics from the first file that has them."""
    frame = pd.DataFrame()
    names = {one.column for one in wanted.subgroups} | set(wanted.taken)
    for file, at in zip(files, places, strict=True):
        for column in sorted(names & set(file.records.names)):
            whole = to_frame(file.records.table.select([column]))[column]
            values = whole.iloc[at].reset_index(drop=True)
            if column in frame and not frame[column].equals(values):
                text = f"{file.name} has other values of {column!r} than the files before it"
                raise Problem(file.place, text)
            frame[column] = values
    allowed = {column for file in files for column in file.records.names}
    for i, one in enumerate(wanted.subgroups):
        if one.column not in frame:
            where = f"{files[0].name}: " if len({file.name for file in files}) == 1 else ""
            raise Problem((*place, i), where + unknown("column", one.column, allowed))
    return carry(frame, wanted, place)


def related(
    files: Sequence[Observations], places: Sequence[NDArray[np.intp]]
) -> dict[str, NDArray[Any]]:
    """Take the groups or times that files name."""
    by_role: dict[str, NDArray[Any]] = {}
    for file, at in zip(files, places, strict=True):
        for role, values in file.related.items():
            if not np.array_equal(by_role.setdefault(role, values[at]), values[at]):
                raise Problem(
                    (*file.place[:-1], "columns", role),
                    f"{file.name} differs from the files before it in the {role} of some rows",
                )
    if len(by_role) == 2:
        place = (*files[0].place[:-1], "columns", "time")
        raise Problem(place, "groups and time cannot be combined: keep one of them")
    return by_role


def no_model(column: str, models: str | None = None) -> str:
    """Say which option to set if a column was read as a model but may not be one."""
    if not can_set("models"):
        return ""
    return (
        f"; {setting('models', models)} chooses the columns of models; where rows of one value "
        f"belong together, {setting('groups', column)} says so"
    )


def _among(
    rows: Observations, run: Predicted, classes: Sequence[str], sure: bool | None
) -> Predicted:
    if run.values is not None:
        return run
    file, wanted, of_class = rows.records, rows.records.roles.probabilities, ""
    if run.column:  # as the workflow collects probabilities
        columns = {name: f"{run.column}:{name}" for name in classes}
        wanted = {name: column for name, column in columns.items() if column in file.names}
    probabilities = probabilities_in(file, classes, wanted, rows.ids)
    said = run.column or file.find("predicted")
    if said and sure is not None and holds_probabilities(file, said, classes):
        if not sure:
            raise Problem(
                ("positive",),
                f"of which class are the probabilities in {said!r}? "
                f"{setting('positive', classes[-1])} would say so",
            )
        probabilities = probabilities_in(file, classes, {classes[-1]: said}, rows.ids)
        of_class = classes[-1]
    elif run.said is not None:
        codes = _known_codes(run.said, classes, file, run.column)
        return Predicted(Answers(tuple(classes), codes), probabilities, None, run.column)
    if probabilities is None:
        looked = f"(looked for {listed(USUAL['predicted'])})"
        what = f"no predicted numbers {looked}"
        if classes:
            patterns = [pattern.replace(CLASS, classes[-1]) for pattern in PATTERNS]
            what = (
                f"neither predicted labels {looked} nor class probabilities (looked for "
                f"{listed(patterns)})"
            )
        raise Problem(
            (*file.place[:-1], "columns", "predicted"),
            f"{file.path!r} has {what}; it has {listed(file.names)}: say which column it is, "
            f"{setting('predicted')}",
        )
    codes = probabilities.argmax(axis=1).astype(np.intp)
    return Predicted(Answers(tuple(classes), codes), probabilities, None, run.column, of_class)


def _known_codes(
    labels: Answers, classes: Sequence[str], file: Records, column: str
) -> NDArray[Any]:
    """Return predicted labels by the places of the classes, which must be among them."""
    codes = labels.among(classes)
    if NO_ANSWER in classes:
        codes = np.where(labels.missing, classes.index(NO_ANSWER), codes)
    if labels.numbers or not (codes < 0).any():
        return codes
    strange = labels.values[codes < 0]
    unknown_labels = [labels.classes[code] for code in dict.fromkeys(strange.tolist())]
    where = f"{file.path!r}" + (f", column {column!r}," if column else "")
    if spellings := other_spellings(unknown_labels, classes):
        pairs = [" for ".join(spelled(pair)) for pair in spellings]
        every = setting("classes", ",".join(in_order({*classes, *unknown_labels})))
        raise Problem(
            file.place,
            f"{where} spells classes in another way than the true labels, in {len(strange):,} of "
            f"{len(codes):,} rows: {some(pairs)}; write each class as the true labels have it; "
            f"classes without a true label are named by {every}",
        )
    text = (
        f"{where} predicts classes that the data do not have, in {len(strange):,} of "
        f"{len(codes):,} rows: {some(map(repr, unknown_labels))} (classes: "
        f"{some(sorted(classes), 10)})"
    )
    advice = no_model(column) if column else ""
    if len(strange) < len(codes):
        if len(unknown_labels) <= _MOST_CLASSES:
            every = setting("classes", ",".join(in_order({*classes, *unknown_labels})))
            text += f"; classes without a true label are named by {every}"
        raise Problem(file.place, text + advice)
    if np.isfinite(pd.to_numeric(unknown_labels[0], errors="coerce")):
        text += f"; if numbers are predicted, say {setting('task', 'regression')}"
    values = "`values:`"
    if can_set("values"):
        values = f"for {setting('values', 'lower')} or {setting('values', 'right')}"
    text += f"; predicted labels are wanted here; losses, or marks of right rows, are {values}"
    raise Problem(file.place, f"{text}{advice}")


def other_spellings(labels: Iterable[str], classes: Sequence[str]) -> list[tuple[str, str]]:
    """List the labels that are another spelling of a class, each with the class."""
    by_plain_name = {plain_class(name): name for name in classes}
    pairs = ((label, by_plain_name.get(plain_class(label), label)) for label in sorted(labels))
    return [(label, name) for label, name in pairs if label != name]


def holds_probabilities(file: Records, column: str, classes: Sequence[str]) -> bool:
    """Tell numbers from 0 to 1 that are no labels of two classes."""
    if len(classes) != 2 or column not in file.names:
        return False
    values = file.table[column]
    if not pa.types.is_floating(getattr(values.type, "value_type", values.type)):
        return False
    ends = pc.min_max(values).as_py()
    within = ends["min"] is not None and ends["min"] >= 0 and ends["max"] <= 1
    labels = file.answers(column, may_lack=True).classes
    return within and not all(spelled_as(label, classes) in classes for label in labels)


def probabilities_in(
    file: Records, classes: Sequence[str], wanted: str | Mapping[str, str] | None, ids: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Return the class probabilities, shape (n, K); None where the file has none."""
    at, have = (*file.place[:-1], "columns", "probabilities"), set(file.names)
    if isinstance(wanted, Mapping):
        for name, column in wanted.items():
            if name not in classes:
                raise Problem(at, unknown("class", name, classes))
            if column not in have:
                raise Problem(at, f"{file.path!r}: {unknown('column', column, have)}")
        columns = {c: wanted[c] for c in classes if c in wanted}
    else:
        tried = (
            {c: name for c in classes if (name := pattern.replace(CLASS, c)) in have}
            for pattern in (PATTERNS if wanted is None else (wanted,))
        )
        columns = next(filter(None, tried), {})
        if wanted is not None and not columns and not wanted.startswith(OURS):
            expected = [wanted.replace(CLASS, c) for c in classes]
            raise Problem(at, f"{file.path!r} has none of the columns {listed(expected)}")
    if columns and len(columns) < len(classes) and len(classes) > 2:
        lacking = [c for c in classes if c not in columns]
        raise Problem(
            at,
            f"{file.path!r} has probabilities of {len(columns)} of {len(classes)} classes; there "
            f"is no column for {some(lacking)}",
        )
    if not columns or len(classes) == 1:  # of a single class a probability says nothing
        return None
    values = np.column_stack([file.numbers(column) for column in columns.values()])
    for k, column in enumerate(columns.values()):
        file.refuse((values[:, k] < 0) | (values[:, k] > 1), "a number outside 0 to 1", column)
    if len(columns) == 1:
        both = np.column_stack([1.0 - values[:, 0], values[:, 0]])
        return both if classes[1] in columns else both[:, ::-1]
    off = np.flatnonzero(np.abs(values.sum(axis=1) - 1.0) > PROBABILITY_SLACK)
    if len(off):
        row = int(off[0])
        raise Problem(
            file.place,
            f"{file.path!r}: the class probabilities of {len(off):,} of {len(values):,} rows do "
            f"not sum up to 1; the first is id {ids[row]} with {values[row].sum():.4g}",
        )
    return values
