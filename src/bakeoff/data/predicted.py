"""What models say of known rows: classes, probabilities or numbers, of several side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bakeoff.data.file_columns import USUAL, Answers, Columns, Numbers
from bakeoff.data.prediction_table import PredictionTable
from bakeoff.data.row_columns import SUBGROUP
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.data.target import Target, check_spread, target_of
from bakeoff.errors import Problem, Remedy, listed, some, unknown
from bakeoff.spec.experiment import run_of
from bakeoff.spec.given_models import CLASS, GivenColumns
from bakeoff.spec.task import Task

PATTERNS = (f"p_{CLASS}", f"p:{CLASS}", f"prob_{CLASS}", f"proba_{CLASS}")
_TIMES = 10
_MORE_CLASSES = Remedy("classes", "", "; a class without a true label is named in {}")


def no_model(column: str) -> Remedy:
    """Say which option to set if a column was read as a model but may not be one."""
    related = f"; where rows of one value belong together, `--groups {column}` says so"
    return Remedy("models", "", f"; {{}} chooses the columns of models{related}")


@dataclasses.dataclass(frozen=True)
class Predicted:
    """The predictions of one model for known rows, in their order."""

    answers: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    values: NDArray[np.float64] | None = None

    def says_the_same(self, other: Predicted) -> bool:
        """Tell whether another training run has the same predictions, or numbers."""
        kinds = ("answers", "probabilities", "values")
        both = ((getattr(self, kind), getattr(other, kind)) for kind in kinds)
        return all(a is b or np.array_equal(a, b) for a, b in both)

    @property
    def contradictions(self) -> int:
        """The number of rows whose predicted class has not the largest probability."""
        if self.probabilities is None:
            return 0
        of_predicted = self.probabilities[np.arange(len(self.answers)), self.answers]
        return int((of_predicted < self.probabilities.max(axis=1)).sum())


def oddity(model: str, found: Predicted, truth: NDArray[Any]) -> str:
    """Describe labels that contradict probabilities, or numbers of another magnitude."""
    if found.values is None and truth.dtype.kind == "f":
        return _another_size(model, found.answers, truth)
    if not found.contradictions:
        return ""
    return (
        f"{model}: in {found.contradictions:,} of {len(found.answers):,} rows the predicted label "
        "is not the class of the largest probability; labels are taken as they are."
    )


def _another_size(model: str, numbers: NDArray[Any], truth: NDArray[Any]) -> str:
    size, true = float(np.abs(numbers).mean()), float(np.abs(truth).mean())
    # of a target with both signs a model that knows little predicts numbers near 0
    one_sign = bool((truth >= 0).all() or (truth <= 0).all())
    if size <= _TIMES * true and not (one_sign and size < true / _TIMES):
        return ""
    return (
        f"{model}: the mean size of the predictions is {size:.3g}, that of the true numbers "
        f"{true:.3g}: are they in another unit, or on a logarithmic scale? They are compared as "
        "they are."
    )


def predicted(
    given: PredictionTable,
    position: NDArray[np.intp],
    classes: Sequence[str],
    columns: GivenColumns,
    *,
    sure: bool | None = None,
) -> Predicted:
    """Return the predictions of certain rows of a file.

    A column of predictions may hold the probabilities of the positive class, where `sure` tells
    whether it is known which of two it is.
    """
    file = given.columns
    if given.values is not None and given.predicted is None:
        return Predicted(np.array([], dtype=np.intp), None, given.values[position])
    wanted = columns.probabilities
    if given.model:  # as the workflow collects probabilities
        names = {c: f"{given.model}:{c}" for c in classes}
        wanted = {c: name for c, name in names.items() if name in file.names}
    probabilities = probabilities_in(file, classes, wanted, given.ids)
    said = given.model or file.find("predicted", columns)
    if said and sure is not None and holds_probabilities(file, said, classes):
        if not sure:
            raise Problem(("positive",), f"of which class are the probabilities in {said!r}?")
        probabilities = probabilities_in(file, classes, {classes[-1]: said}, given.ids)
        assert probabilities is not None
        answers = probabilities.argmax(axis=1).astype(np.intp)
    elif given.predicted is not None:
        answers = known_answers(given.predicted, classes, file, given.model)
    elif probabilities is not None:
        answers = probabilities.argmax(axis=1).astype(np.intp)
    else:
        looked = f"(looked for {listed(USUAL['predicted'])})"
        of_classes = [p.replace(CLASS, name) for name in classes[-1:] for p in PATTERNS]
        raise Problem(
            (*file.place[:-1], "columns", "predicted"),
            f"{file.path!r} has "
            + (
                f"neither predicted labels {looked} nor class probabilities (looked for "
                f"{listed(of_classes)})"
                if of_classes
                else f"no predicted numbers {looked}"
            )
            + f"; it has {listed(file.names)}: say which column is which",
        )
    return Predicted(answers[position], None if probabilities is None else probabilities[position])


def known_answers(
    labels: Answers, classes: Sequence[str], file: Columns, column: str = ""
) -> NDArray[Any]:
    """Return predicted numbers, or labels as positions in the classes, shape (n,)."""
    if isinstance(labels, Numbers):
        return labels.values
    codes = labels.among(classes)
    strange = labels.codes[codes < 0]
    if len(strange):
        unknown_labels = [labels.classes[code] for code in dict.fromkeys(strange.tolist())]
        where = f"{file.path!r}" + (f", column {column!r}," if column else "")
        text = (
            f"{where} predicts classes that the data do not have, in {len(strange):,} of "
            f"{len(codes):,} rows: {some(map(repr, unknown_labels))} (classes: "
            f"{some(sorted(classes), 10)})"
        )
        if len(strange) < len(codes):
            if column:
                text += _MORE_CLASSES.text.format("`--classes`")
            raise Problem(file.place, text, remedy=no_model(column) if column else _MORE_CLASSES)
        if is_number(unknown_labels[0]):
            text += "; if numbers are predicted, say `task: regression` (`--task regression`)"
        values = "predicted labels are wanted here; losses, or marks of right rows, are `values`"
        raise Problem(file.place, f"{text}; {values}", remedy=no_model(column) if column else None)
    return codes


def holds_probabilities(file: Columns, column: str, classes: Sequence[str]) -> bool:
    """Tell numbers from 0 to 1 that are no labels of two classes."""
    if len(classes) != 2 or column not in file.names:
        return False
    values = file.table[column]
    if not pa.types.is_floating(getattr(values.type, "value_type", values.type)):
        return False
    ends = pc.min_max(values).as_py()
    within = ends["min"] is not None and ends["min"] >= 0 and ends["max"] <= 1
    return within and not set(file.labels(column, may_lack=True).classes) <= set(classes)


def is_number(label: str) -> bool:
    """Tell whether a label is a number."""
    return bool(np.isfinite(pd.to_numeric(label, errors="coerce")))


def probabilities_in(
    file: Columns,
    classes: Sequence[str],
    wanted: str | Mapping[str, str] | None,
    ids: NDArray[Any],
) -> NDArray[np.float64] | None:
    """Return the class probabilities, shape (n, K); None where the file has none."""
    found = _probability_columns(file, classes, wanted)
    if not found or len(classes) == 1:  # of a single class a probability says nothing
        return None
    values = np.column_stack([_numbers(file, column, ids) for column in found.values()])
    if len(found) == 1:
        (only,) = found
        other = 1.0 - values[:, 0]
        pair = (other, values[:, 0]) if only == classes[1] else (values[:, 0], other)
        return np.column_stack(pair)
    off = np.flatnonzero(np.abs(values.sum(axis=1) - 1.0) > PROBABILITY_SLACK)
    if len(off):
        row = int(off[0])
        raise Problem(
            file.place,
            f"{file.path!r}: the class probabilities of {len(off):,} of {len(values):,} rows do "
            f"not sum up to 1; the first is id {ids[row]} with {values[row].sum():.4g}",
        )
    return values


def _probability_columns(
    file: Columns, classes: Sequence[str], wanted: str | Mapping[str, str] | None
) -> dict[str, str]:
    """Map each class to its column, in the order of the classes."""
    at = (*file.place[:-1], "columns", "probabilities")
    have = set(file.names)
    if isinstance(wanted, Mapping):
        for name, column in wanted.items():
            if name not in classes:
                raise Problem(at, unknown("class", name, classes))
            if column not in have:
                raise Problem(at, f"{file.path!r}: {unknown('column', column, have)}")
        named = {c: wanted[c] for c in classes if c in wanted}
    else:
        tried = (
            {c: name for c in classes if (name := pattern.replace(CLASS, c)) in have}
            for pattern in (PATTERNS if wanted is None else (wanted,))
        )
        named = next(filter(None, tried), {})
        if wanted is not None and not named:
            expected = [wanted.replace(CLASS, c) for c in classes]
            raise Problem(at, f"{file.path!r} has none of the columns {listed(expected)}")
    if named and len(named) < len(classes) and len(classes) > 2:
        lacking = [c for c in classes if c not in named]
        raise Problem(
            at,
            f"{file.path!r} has probabilities of {len(named)} of {len(classes)} classes; there is "
            f"no column for {some(lacking)}",
        )
    return named


def _numbers(file: Columns, column: str, ids: NDArray[Any]) -> NDArray[np.float64]:
    own = file.table[column].to_pandas()
    numbers = pd.to_numeric(own, errors="coerce")
    values: NDArray[np.float64] = numbers.to_numpy(np.float64, na_value=np.nan)
    for what, wrong in (
        ("no number", np.flatnonzero(np.isnan(values))),
        ("a number outside 0 to 1", np.flatnonzero((values < 0) | (values > 1))),
    ):
        if len(wrong):
            row = int(wrong[0])
            raise Problem(
                file.place,
                f"{file.path!r}: {len(wrong):,} of {len(values):,} rows have {what} in "
                f"{column!r}, where probabilities are expected; the first is id {ids[row]} "
                f"with {own.iloc[row]}",
            )
    return values


@dataclasses.dataclass(frozen=True)
class SideBySide:
    """Predictions of several models for the same rows."""

    name: str
    classes: tuple[str, ...]
    truth: NDArray[Any]
    models: Mapping[str, Predicted]
    left_out: int = 0
    related: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    in_order: bool = True
    subgroups: Mapping[str, pd.Categorical] = dataclasses.field(default_factory=dict)
    like_groups: Sequence[Mapping[str, Any]] = ()
    """Columns beside that look like ids of groups, where none is named: see `group_columns`."""
    further: Mapping[str, Sequence[Predicted]] = dataclasses.field(default_factory=dict)
    """Of models that were trained several times: what the runs after the first say."""
    told: tuple[str, ...] = ()
    """What was done with items before they are compared, a sentence each."""

    @property
    def runs(self) -> dict[str, list[Predicted]]:
        """What each training run of each model says."""
        return {name: [one, *self.further.get(name, ())] for name, one in self.models.items()}

    @property
    def oddities(self) -> list[str]:
        """What is odd about the predictions, a sentence for each training run that is."""
        return [
            said
            for name, runs in self.runs.items()
            for run in runs
            if (said := oddity(name, run, self.truth))
        ]

    def by_model(self) -> SideBySide:
        """Sort what is named as training runs (`run_name`) by their models."""
        found: dict[str, list[Predicted]] = {}
        for name, own in self.runs.items():
            found.setdefault(run_of(name)[0], []).extend(own)
        several = any(len(runs) > 1 for runs in found.values())
        further = {name: runs[1:] for name, runs in found.items()} if several else {}
        firsts = {name: runs[0] for name, runs in found.items()}
        return dataclasses.replace(self, models=firsts, further=further)

    @property
    def target(self) -> Target:
        """What is predicted."""
        return target_of(self.classes, self.truth)

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        return Task.REGRESSION if self.truth.dtype.kind == "f" else Task.CLASSIFICATION

    def check_answers(self) -> None:
        """Refuse labels of one class, by which no prediction can be wrong, and one number alone."""
        if self.task.numbers:
            check_spread(self.truth, ("true",))
        if len(self.classes) == 1:
            raise Problem(
                ("classes",),
                f"{self.name} has only one class, {self.classes[0]!r}, so that no prediction can "
                "be wrong: name the other classes, or use rows of several classes",
            )


def as_subgroups(frame: pd.DataFrame) -> dict[str, pd.Categorical]:
    """Return the subgroup of each row by the columns that `carry` made."""
    return {str(c).removeprefix(SUBGROUP): pd.Categorical(frame[c]) for c in frame}
