"""The records of a file, whose columns are found by their roles: ids, truth, predictions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from bakeoff.data.asked import Asked
from bakeoff.data.columns import LARGEST, beyond, canonical_ids, in_order, ordered
from bakeoff.data.readers.common import without_missing
from bakeoff.data.table import (
    COLLECTED_GROUP,
    COLLECTED_ID,
    COLLECTED_TIME,
    COLLECTED_TRUTH,
    SUBGROUP,
    TAKEN,
)
from bakeoff.data.target import Answers
from bakeoff.errors import Place, Problem, Verbatim, listed, some, unknown
from bakeoff.options import can_set, setting
from bakeoff.sources.common.base import as_columns, blame
from bakeoff.sources.common.identifiers import arrow_column, identifiers
from bakeoff.spec.given_models import SEED, GivenColumns

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "row_id", "row"),
    "truth": ("y_true", "true", "truth", "label", "target", "y"),
    "predicted": ("y_pred", "predicted", "prediction", "pred"),
    "value": ("value", "score", "loss"),
}
"""What the columns of a role are usually called."""
_COLLECTED = {"id": COLLECTED_ID, "truth": COLLECTED_TRUTH}
"""What the columns are called in the collected predictions of a run."""
_LIKELY: Mapping[str, Sequence[str]] = {
    "id": ["sample_id", "item", "item_id", "question_id", "idx", "index", "key"],
    "truth": [
        "actual", "gold", "expected", "diagnosis", "outcome", "class", "species", "answer",
        "reference", "ground_truth", "groundtruth", "true_label", "y_test", "observed",
        "label", "target", "y", "truth", "true", "y_true",
    ],
    "predicted": ["output", "response", "yhat", "y_hat", "guess", "classification"],
}  # fmt: skip
"""Other names that people give such columns, in any case: they are proposed, not taken."""
_WHAT = {
    "id": "row id",
    "truth": "true label",
    "predicted": "prediction",
    "value": "number",
    "groups": "group",
    "runs": "run",
    "seeds": "training run",
}
RUN = "run"
"""The column of a log, or of a folder of logs, that says which run of an item a row is."""
MODEL = "model"
"""The column of a log of several models that says whose a row is."""
TASK = "task"
"""The column of a folder of logs that says which task a row is of."""
OURS = ":"
"""How the columns begin that a call from Python makes: not every model has all of them."""
_RUN = " run "
"""What stands between an item and its run in the id of a row."""
_RELATING = ("groups", "time", "runs")
USUAL_COLUMNS = GivenColumns.model_validate({})


def items_of(ids: NDArray[Any]) -> NDArray[Any]:
    """Return the items whose runs have these ids."""
    items = []
    for row_id in ids:
        item, _, _ = str(row_id).rpartition(_RUN)
        items.append(item)
    return np.array(items, dtype=object)


def as_table(frame: pd.DataFrame) -> pa.Table:
    """Return a table of a frame, whose columns of values of several types become texts."""
    return pa.table({str(name): arrow_column(values) for name, values in frame.items()})


@dataclasses.dataclass(frozen=True)
class Records:
    """The records of a file, whose columns are found by their roles."""

    path: str
    table: pa.Table
    place: Place
    roles: GivenColumns = USUAL_COLUMNS
    """What the column of a role is called."""
    scores: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    """The metrics of each task of a log, of which the only one stands as ``score``."""
    asked: Mapping[str, Asked] = dataclasses.field(default_factory=dict)
    """How the model was asked in the log of each task; empty for any other file."""

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return list(self.table.column_names)

    def with_table(self, table: pa.Table) -> Records:
        """Return other records of the same file."""
        return dataclasses.replace(self, table=table)

    def with_roles(self, **roles: str | None) -> Records:
        """Return the records with other columns for some roles."""
        return dataclasses.replace(self, roles=self.roles.model_copy(update=roles))

    # --- which column has a role

    def find(self, role: str) -> str | None:
        """Find the column of a role, by its name or by the usual ones."""
        name = getattr(self.roles, role)
        if name is not None:
            return self._named(role, name)
        collected = _COLLECTED.get(role)
        if collected in self.names:  # of a run: its models may be called like the others
            return collected
        present = []
        for usual in USUAL.get(role, ()):
            if usual in self.names:
                present.append(usual)
        if len(present) > 1:
            which = f"say which of them it is, like {setting(role, present[0])}"
            raise Problem(self.at(role), f"{self.path!r} has {listed(present)}: {which}")
        if not present:
            return None
        return present[0]

    def _named(self, role: str, name: str) -> str | None:
        """Return the column that is named for a role, which must be there."""
        if role == "value" and self._has_only_metric(name):
            name = "score"  # as the only metric of a log is called
        if name in self.names:
            return name
        if name.startswith(OURS):
            return None
        raise Problem(self.at(role), f"{self.path!r}: {unknown('column', name, self.names)}")

    def _has_only_metric(self, name: str) -> bool:
        """Tell whether every task of a log has one metric, which is called so."""
        metrics = list(map(list, self.scores.values()))
        return bool(metrics) and all(names == [name] for names in metrics)

    def at(self, role: str) -> Place:
        """Return where the column of a role is named."""
        return (*self.place[:-1], "columns", role)

    def require(self, role: str) -> str:
        """Find the column of a role that the table must have."""
        column = self.find(role)
        if column is not None:
            return column
        why = ""
        if role == "id":
            why = "; rows are paired by their ids, never by their order"
        raise Problem(
            self.at(role),
            f"{self.path!r} has no column of {_WHAT[role]}s (looked for "
            f"{listed(USUAL[role])}); it has {listed(self.names)}{why}: say which it is, "
            f"{setting(role, self._likely(role))}{self._no_labels(role)}",
        )

    def _likely(self, role: str) -> str | None:
        """Name the column that is probably of a role, by other names for it; or none."""
        likely = [name for name in self.names if name.casefold() in _LIKELY.get(role, ())]
        if len(likely) == 1:
            return likely[0]
        return None

    def _no_labels(self, role: str) -> str:
        """Say what to set where a table without true labels holds numbers, or marks."""
        if role != "truth" or not can_set("values") or self._likely(role):
            return ""
        frame = self.table.to_pandas().select_dtypes(["number", "bool"])
        if not len(frame.columns):
            return ""
        # the table has no truth, so that its numbers are losses, grades or marks
        n_marks = int(frame.isin([0, 1]).all().sum())
        if n_marks > 1:
            right = setting("values", "right")
            return f"; columns of 1 for right and 0 for wrong rows are compared by {right}"
        either = f"{setting('values', 'higher')} or {setting('values', 'lower')}"
        text = f"; columns of numbers for each row are compared by {either}"
        if "fold" in map(str.casefold, self.names):
            text += ", scores of folds by `bakeoff.compare_folds` in Python"
        return text

    def unclaimed(self, taken: Iterable[str | None]) -> list[str]:
        """Name the columns that have no role yet; those that are `taken` have one."""
        roles = self.roles
        claimed = set(taken)
        claimed |= {roles.repeat, roles.fold, roles.seeds, roles.tasks}
        # of the collected predictions of a run
        claimed |= {COLLECTED_GROUP, COLLECTED_TIME}
        for role in _RELATING:
            if getattr(roles, role) is not None:
                claimed.add(self.find(role))
        for subgroup in as_columns(roles.subgroups):
            claimed.add(subgroup.column)
        unclaimed = []
        for name in self.names:
            if name not in claimed and not name.startswith((SUBGROUP, TAKEN)):
                unclaimed.append(name)
        return unclaimed

    # --- what a column holds

    def column(self, name: str) -> pd.Series[Any]:
        """Return the values of a column."""
        return pd.Series(self.table[name].to_pandas())

    def answers(
        self,
        column: str,
        role: str = "predicted",
        *,
        numbers: bool = False,
        may_lack: bool = False,
    ) -> Answers:
        """Return the labels of a column, or with `numbers` its numbers."""
        if numbers:
            return Answers((), self.numbers(column, role, may_lack=may_lack))
        # as codes, so that many models of many rows fit into memory
        labels = Answers.of_labels(self.table[column])
        if not may_lack and labels.missing.any():
            advice = self._on_missing_labels(role)
            raise self.problem(
                labels.missing,
                f"no {_WHAT[role]}",
                column,
                advice,
            )
        return labels

    def numbers(
        self,
        column: str,
        role: str | None = None,
        *,
        may_lack: bool = False,
    ) -> NDArray[np.float64]:
        """Return the numbers of a column, shape (n,)."""
        values = self.column(column)
        # numbers may be written as texts
        if not is_numeric_dtype(values):
            values = pd.to_numeric(values.astype(str).where(values.notna()), errors="coerce")
        numbers: NDArray[np.float64] = values.to_numpy(np.float64, na_value=np.nan)
        finite = np.isfinite(numbers)
        absent = self.table[column].is_null(nan_is_null=True).to_numpy()
        # infinite numbers, and texts that are no numbers, are wrong in any case
        wrong = ~finite & ~(may_lack & absent)
        if wrong.any():
            advice = ""
            if absent[wrong].all():
                advice = self._on_missing_numbers(role)
            raise self.problem(wrong, "no number", column, advice)
        largest = np.abs(numbers).max(initial=0.0, where=finite)
        if largest > LARGEST:
            name = column.removeprefix(OURS)
            raise Problem(self.place, f"{self.path!r}: column {name!r} has {beyond(largest)}")
        return numbers

    def related(self, role: str) -> NDArray[Any] | None:
        """Return the group or time of each row; None if no column is named."""
        if getattr(self.roles, role) is None:
            return None
        column = self.find(role)
        if column is None:
            return None
        values = self.column(column)
        missing = values.isna().to_numpy()
        if missing.any():
            raise self.problem(missing, f"no {_WHAT.get(role, role)}", column)
        with blame(*self.place, before=f"{self.path!r}: column {column!r} "):
            if role == "time":
                return ordered(values).to_numpy()
            return identifiers(values).to_numpy(dtype=object)

    def row_ids(self, column: str) -> NDArray[Any]:
        """Return the ids of a column, shape (n,): whole numbers, or texts."""
        with blame(*self.place, before=f"{self.path!r}: column {column!r} "):
            return canonical_ids(self.column(column))

    def ids(
        self,
        column: str,
        run: NDArray[Any] | None = None,
        folds: NDArray[np.intp] | None = None,
    ) -> NDArray[Any]:
        """Return the row ids, shape (n,): whole numbers, or texts; unique in each run and fold."""
        missing = self.table[column].is_null().to_numpy()
        if missing.any():
            raise self.problem(missing, "no id", column)
        ids = self.row_ids(column)
        if run is not None:  # the runs of an item have ids of their own
            ids_of_runs = []
            for item, run_of_item in zip(ids, run, strict=True):
                ids_of_runs.append(f"{item}{_RUN}{run_of_item}")
            ids = np.array(ids_of_runs, dtype=object)
        # a row may be tested once in each repeat
        keys = pd.DataFrame({"id": ids})
        if folds is not None:
            keys[["repeat", "fold"]] = folds
        repeated = pd.unique(ids[keys.duplicated()])
        if not len(repeated):
            return ids
        within = ""
        if folds is not None:
            within = " in each fold"
        text = (
            f"{self.path!r}: ids must be unique{within}; repeated ({len(repeated):,}): "
            f"{some(repeated)}"
        )
        if run is None and folds is None:
            text += self._on_repeated_ids()
        raise Problem(self.place, text)

    # --- what is wrong with a column

    def problem(
        self,
        wrong: NDArray[np.bool_],
        what: str,
        column: str,
        advice: str = "",
    ) -> Problem:
        """Say in which rows a column has no value, or a wrong one."""
        row = int(wrong.argmax())
        value = self.table[column][row].as_py()
        first = f"row {row + 1}"
        if value is not None:
            first = f"row {row + 1} with {value}"
        where = f" in column {column.removeprefix(OURS)!r}"
        if self._is_of_call():  # an array has no column
            where = ""
        return Problem(
            self.place,
            f"{self.path!r}: {wrong.sum():,} of {len(wrong):,} rows have {what}{where}; the "
            f"first is {first}{advice}",
        )

    def _is_of_call(self) -> bool:
        """Tell whether the table is made of the arguments of a call."""
        return not self.place or isinstance(self.path, Verbatim)

    def _on_missing_numbers(self, role: str | None) -> str:
        """Say what to do about rows that have no true number, or none of a model."""
        if self._is_of_call():
            return "; leave these rows out of all arguments"
        return _on_missing(role)

    def _on_missing_labels(self, role: str) -> str:
        """Say what to do about missing labels, in the words of the file or call they are from."""
        if self._is_of_call():
            return "; leave these rows out of all arguments"
        advice = _on_missing(role)
        like_missing = "; a class that is called NA, None or the like needs"
        if self.place[0] == "models":
            return f"{like_missing} `missing_values: []` beside `{self.place[-1]}`{advice}"
        if can_set("missing_values"):
            return f"{like_missing} {setting('missing_values', '')}{advice}"
        return advice

    def _on_repeated_ids(self) -> str:
        """Say what to set where rows are there several times."""
        if RUN in self.names:
            return f"; where they are runs of items, {setting('runs', RUN)} says so"
        return (
            "; where rows are predicted in several folds, their columns are `repeat` and `fold` of "
            "an experiment; where all are predicted by every training run, "
            f"{setting('seeds')} names their column; where they are runs of items, "
            f"{setting('runs')}"
        )


def _on_missing(role: str | None) -> str:
    """Say what to set where rows have no true answer, or none of a model; nothing of no role."""
    if role is None:
        return ""
    if role == "truth":
        return f"; {setting('missing_target', 'drop')} leaves them out"
    return without_missing()


# --- training runs


def by_run(file: Records) -> Iterator[Records]:
    """Cut a table at its column of training runs, every run with its rows in one order."""
    at = file.at("seeds")
    seeds = file.roles.seeds
    if SEED in file.names:  # the column of a path with a number for each run
        if seeds is not None:
            raise Problem(at, f"{file.path!r} is a file for each run: leave it out")
        seeds = SEED
    if seeds is None:
        yield file
        return
    runs = file.with_roles(seeds=seeds).related("seeds")
    ids = file.row_ids(file.require("id"))
    if seeds == SEED:
        file = file.with_table(file.table.drop_columns([SEED]))
    frame = pd.DataFrame({"run": runs, "id": ids.astype(str)})
    _refuse_rows_twice(file, frame, at)
    # all runs in the order of the rows of the first one
    names = in_order(set(frame["run"]))
    first = pd.Index(frame["id"][frame["run"] == names[0]])
    for run in names:
        rows = np.flatnonzero(frame["run"] == run)
        ids_of_run = pd.Index(frame["id"].iloc[rows])
        _check_same_rows(file, run, ids_of_run, first, at)
        in_order_of_first = rows[ids_of_run.get_indexer(first)]
        yield file.with_table(file.table.take(pa.array(in_order_of_first)))


def _refuse_rows_twice(file: Records, frame: pd.DataFrame, at: Place) -> None:
    """Refuse rows that a training run predicts more than once."""
    repeated = frame[frame.duplicated()]
    if len(repeated):
        run, row = repeated.iloc[0]
        raise Problem(
            at,
            f"{file.path!r}: {len(repeated):,} row(s) are there twice in a training run; the first "
            f"is id {row} in run {run}. Answers that are drawn anew for each item are no training "
            "runs: they are runs of an item",
        )


def _check_same_rows(
    file: Records,
    run: str,
    ids: pd.Index[Any],
    first: pd.Index[Any],
    at: Place,
) -> None:
    """Refuse a training run that predicts other rows than the first one."""
    lacking = first.difference(ids)
    extra = ids.difference(first)
    if not len(lacking) and not len(extra):
        return
    which = "has other rows"
    if len(lacking):
        which = f"lacks {len(lacking):,} row(s)"
    raise Problem(
        at,
        f"{file.path!r}: the training run {run} {which} ({some(list(lacking) + list(extra))}): "
        "every run predicts the same rows; leave incomplete rows out of all runs",
    )
