"""What a training run of a model predicts of rows: labels or numbers, and probabilities."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bakeoff.data.columns import in_order
from bakeoff.data.records import OURS, USUAL, Records
from bakeoff.data.table import PROBABILITY_SLACK
from bakeoff.data.target import Answers, spelled_as
from bakeoff.errors import Place, Problem, listed, some, unknown
from bakeoff.keys import plain_class, spelled
from bakeoff.options import can_set, setting
from bakeoff.spec.given_models import CLASS

PATTERNS = (f"p_{CLASS}", f"p:{CLASS}", f"prob_{CLASS}", f"proba_{CLASS}")
"""What the columns of probabilities are usually called."""
NO_ANSWER = "(no answer)"
"""The class of missing predictions, where they count as wrong."""
_TIMES = 10
"""How much larger or smaller than the true numbers predictions are that may be in other units."""
_MOST_SHOWN = 10
_MOST_CLASSES = 20
"""Labels without a true one that may be classes; a column with more holds something else."""


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
    by_metric: Mapping[str, NDArray[np.float64]] = dataclasses.field(default_factory=dict)
    """The values by each metric, where there are several; `values` are those of the first."""

    @property
    def answers(self) -> NDArray[Any]:
        """The predicted classes by their places, or numbers, shape (n,)."""
        if self.said is None:
            return np.array([], dtype=np.intp)
        return self.said.values

    def values_by(self, metric: str) -> NDArray[np.float64]:
        """Return the values of rows by a metric, shape (n,)."""
        values = self.by_metric.get(metric, self.values)
        assert values is not None
        return values

    def __getitem__(self, rows: Any) -> Predicted:
        parts: dict[str, Any] = {}
        by_metric = {}
        for name, values in self.by_metric.items():
            by_metric[name] = values[rows]
        parts["by_metric"] = by_metric
        for name in ("said", "probabilities", "values", "marks"):
            part = getattr(self, name)
            if part is not None:
                parts[name] = part[rows]
        return dataclasses.replace(self, **parts)

    def says_the_same(self, other: Predicted) -> bool:
        """Tell whether another training run has the same predictions, or numbers."""
        for kind in ("answers", "probabilities", "values"):
            own = getattr(self, kind)
            others = getattr(other, kind)
            if own is not others and not np.array_equal(own, others):
                return False
        return True

    def oddity(self, model: str, truth: NDArray[Any]) -> str:
        """Describe labels that contradict probabilities, or numbers of another magnitude."""
        if self.values is None and truth.dtype.kind == "f":
            return self._other_magnitude(model, truth)
        if self.probabilities is None:
            return ""
        of_predicted = self.probabilities[np.arange(len(self.answers)), self.answers]
        n_unlike = int((of_predicted < self.probabilities.max(axis=1)).sum())
        if not n_unlike:
            return ""
        return (
            f"{model}: in {n_unlike:,} of {len(self.answers):,} rows the predicted label is "
            "not the class of the largest probability; labels are taken as they are."
        )

    def _other_magnitude(self, model: str, truth: NDArray[Any]) -> str:
        """Say that predicted numbers are far larger, or far smaller, than the true ones."""
        size = float(np.abs(self.answers).mean())
        true_size = float(np.abs(truth).mean())
        # a factor of ten is rarely an error of prediction, and often one of units;
        # of a target with both signs a model that knows little predicts numbers near 0
        has_one_sign = bool((truth >= 0).all() or (truth <= 0).all())
        is_larger = size > _TIMES * true_size
        is_smaller = has_one_sign and size < true_size / _TIMES
        if not is_larger and not is_smaller:
            return ""
        return (
            f"{model}: the mean size of the predictions is {size:.3g}, that of the true "
            f"numbers {true_size:.3g}: are they in another unit, or on a logarithmic scale? "
            "They are compared as they are."
        )


def in_classes(
    run: Predicted,
    file: Records,
    ids: NDArray[Any],
    classes: Sequence[str],
    sure: bool | None,
) -> Predicted:
    """Return what a run says by the places of classes; `sure`: the positive one is known."""
    if run.values is not None:
        return run
    probabilities = None
    if not run.column:
        probabilities = probabilities_in(
            file,
            classes,
            file.roles.probabilities,
            ids,
        )
    else:  # as the workflow collects probabilities
        columns = _columns_like(f"{run.column}:{CLASS}", file, classes)
        if columns:
            probabilities = probabilities_in(file, classes, columns, ids)
    column = run.column or file.find("predicted")
    of_class = ""
    if column and sure is not None and holds_probabilities(file, column, classes):
        if not sure:
            raise Problem(
                ("positive",),
                f"of which class are the probabilities in {column!r}? "
                f"{setting('positive', classes[-1])} would say so",
            )
        of_class = classes[-1]
        probabilities = probabilities_in(
            file,
            classes,
            {of_class: column},
            ids,
        )
    elif run.said is not None:
        codes = _codes_of(run.said, classes, file, run.column)
        return Predicted(
            Answers(tuple(classes), codes),
            probabilities,
            None,
            run.column,
        )
    if probabilities is None:
        raise _no_predictions(file, classes)
    codes = probabilities.argmax(axis=1).astype(np.intp)
    return Predicted(
        Answers(tuple(classes), codes),
        probabilities,
        None,
        run.column,
        of_class,
    )


def _no_predictions(file: Records, classes: Sequence[str]) -> Problem:
    """Say which columns were looked for."""
    what = f"no predicted numbers (looked for {listed(USUAL['predicted'])})"
    if classes:
        patterns = [pattern.replace(CLASS, classes[-1]) for pattern in PATTERNS]
        what = (
            f"neither predicted labels (looked for {listed(USUAL['predicted'])}) nor class "
            f"probabilities (looked for {listed(patterns)})"
        )
    return Problem(
        file.at("predicted"),
        f"{file.path!r} has {what}; it has {listed(file.names)}: say which column it is, "
        f"{setting('predicted')}",
    )


# --- labels


def _codes_of(
    labels: Answers,
    classes: Sequence[str],
    file: Records,
    column: str,
) -> NDArray[Any]:
    """Return predicted labels by the places of the classes, which must be among them."""
    codes = labels.among(classes)
    if NO_ANSWER in classes:
        codes = np.where(labels.missing, classes.index(NO_ANSWER), codes)
    if not labels.numbers and (codes < 0).any():
        raise _unknown_labels(labels, codes, classes, file, column)
    return codes


def _unknown_labels(
    labels: Answers,
    codes: NDArray[Any],
    classes: Sequence[str],
    file: Records,
    column: str,
) -> Problem:
    """Say which predicted labels are none of the classes, and what they may be."""
    strange = labels.values[codes < 0]
    # in the order in which they are met
    names = [labels.classes[code] for code in dict.fromkeys(strange.tolist())]
    where = f"{file.path!r}"
    if column:
        where += f", column {column!r},"
    every = setting("classes", ",".join(in_order(set(classes) | set(names))))
    named_by = f"classes without a true label are named by {every}"
    share = f"in {len(strange):,} of {len(codes):,} rows"
    spellings = other_spellings(names, classes)
    if spellings:
        pairs = []
        for pair in spellings:
            pairs.append(" for ".join(spelled(pair)))
        return Problem(
            file.place,
            f"{where} spells classes in another way than the true labels, {share}: {some(pairs)}; "
            f"write each class as the true labels have it; {named_by}",
        )
    text = (
        f"{where} predicts classes that the data do not have, {share}: {some(map(repr, names))} "
        f"(classes: {some(sorted(classes), _MOST_SHOWN)})"
    )
    if len(strange) == len(codes):
        text += _on_other_kinds(names[0])
    elif len(names) <= _MOST_CLASSES:
        text += f"; {named_by}"
    if column:
        text += no_model(column)
    return Problem(file.place, text)


def _on_other_kinds(label: str) -> str:
    """Say how numbers are compared that are no predicted labels."""
    text = ""
    if np.isfinite(pd.to_numeric(label, errors="coerce")):
        text = f"; if numbers are predicted, say {setting('task', 'regression')}"
    values = "`values:`"
    if can_set("values"):
        values = f"for {setting('values', 'lower')} or {setting('values', 'right')}"
    return f"{text}; predicted labels are wanted here; losses, or marks of right rows, are {values}"


def other_spellings(labels: Iterable[str], classes: Sequence[str]) -> list[tuple[str, str]]:
    """List the labels that are another spelling of a class, each with the class."""
    class_of_plain = {plain_class(name): name for name in classes}
    spellings = []
    for label in sorted(labels):
        name = class_of_plain.get(plain_class(label), label)
        if name != label:
            spellings.append((label, name))
    return spellings


def no_model(column: str, models: str | None = None) -> str:
    """Say which option to set if a column was read as a model but may not be one."""
    if not can_set("models"):
        return ""
    return (
        f"; {setting('models', models)} chooses the columns of models; where rows of one value "
        f"belong together, {setting('groups', column)} says so"
    )


# --- probabilities


def holds_probabilities(file: Records, column: str, classes: Sequence[str]) -> bool:
    """Tell numbers from 0 to 1 that are no labels of two classes."""
    if len(classes) != 2 or column not in file.names:
        return False
    values = file.table[column]
    value_type = getattr(values.type, "value_type", values.type)
    if not pa.types.is_floating(value_type):
        return False
    # nothing is within 0 to 1 where a value is not a number
    ends = pc.min_max(values).as_py()
    if ends["min"] is None or ends["min"] < 0 or not ends["max"] <= 1:
        return False
    # classes may be called like numbers, 0.0 and 1.0
    labels = file.answers(column, may_lack=True).classes
    return not all(spelled_as(label, classes) in classes for label in labels)


def probabilities_in(
    file: Records,
    classes: Sequence[str],
    wanted: str | Mapping[str, str] | None,
    ids: NDArray[Any],
) -> NDArray[np.float64] | None:
    """Return the class probabilities, shape (n, K); None where the file has none."""
    columns = _columns_of_probabilities(file, classes, wanted)
    if not columns or len(classes) == 1:  # of a single class a probability says nothing
        return None
    by_column = {column: file.numbers(column) for column in columns.values()}
    # all columns are read before their numbers are looked at
    for column, numbers in by_column.items():
        outside = (numbers < 0) | (numbers > 1)
        if outside.any():
            raise file.problem(outside, "a number outside 0 to 1", column)
    if len(columns) == 1:
        (probability,) = by_column.values()  # of two classes one is enough
        complement = 1.0 - probability
        if classes[1] in columns:
            return np.column_stack([complement, probability])
        return np.column_stack([probability, complement])
    values = np.column_stack(list(by_column.values()))
    wrong_sums = np.flatnonzero(np.abs(values.sum(axis=1) - 1.0) > PROBABILITY_SLACK)
    if len(wrong_sums):
        row = int(wrong_sums[0])
        raise Problem(
            file.place,
            f"{file.path!r}: the class probabilities of {len(wrong_sums):,} of {len(values):,} "
            f"rows do not sum up to 1; the first is id {ids[row]} with {values[row].sum():.4g}",
        )
    return values


def _columns_of_probabilities(
    file: Records,
    classes: Sequence[str],
    wanted: str | Mapping[str, str] | None,
) -> Mapping[str, str]:
    """Map classes to the columns of their probabilities; empty where there are none."""
    at = file.at("probabilities")
    if isinstance(wanted, Mapping):
        columns = _named_columns(file, classes, wanted, at)
    elif wanted is None:
        columns = {}
        for pattern in PATTERNS:
            columns = columns or _columns_like(pattern, file, classes)
    else:
        columns = _columns_like(wanted, file, classes)
        if not columns and not wanted.startswith(OURS):
            expected = [wanted.replace(CLASS, name) for name in classes]
            raise Problem(at, f"{file.path!r} has none of the columns {listed(expected)}")
    if columns and len(columns) < len(classes) and len(classes) > 2:
        lacking = [name for name in classes if name not in columns]
        raise Problem(
            at,
            f"{file.path!r} has probabilities of {len(columns)} of {len(classes)} classes; there "
            f"is no column for {some(lacking)}",
        )
    return columns


def _named_columns(
    file: Records,
    classes: Sequence[str],
    wanted: Mapping[str, str],
    at: Place,
) -> dict[str, str]:
    """Return columns that are named for classes, which must be there, in the order of these."""
    for name, column in wanted.items():
        if name not in classes:
            raise Problem(at, unknown("class", name, classes))
        if column not in file.names:
            raise Problem(at, f"{file.path!r}: {unknown('column', column, set(file.names))}")
    columns = {}
    for name in classes:
        if name in wanted:
            columns[name] = wanted[name]
    return columns


def _columns_like(pattern: str, file: Records, classes: Sequence[str]) -> dict[str, str]:
    """Find the columns that are called after classes."""
    names = set(file.names)
    columns = {}
    for name in classes:
        column = pattern.replace(CLASS, name)
        if column in names:
            columns[name] = column
    return columns
