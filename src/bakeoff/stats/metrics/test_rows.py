"""Truth, predictions and clusters of one test set, checked and as codes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_array,
    as_floats,
    as_scores,
    is_missing,
)

Codes = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class TrueClasses:
    """The true classes of the test rows."""

    codes: Codes
    classes: tuple[Any, ...]
    positive: int

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.codes)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each class, shape (K,)."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def take(self, rows: NDArray[np.intp]) -> TrueClasses:
        """Return the truth of some of the rows."""
        return dataclasses.replace(self, codes=self.codes[rows])


@dataclasses.dataclass(frozen=True)
class TrueNumbers:
    """The true numbers of the test rows."""

    values: FloatArray

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.values)

    def take(self, rows: NDArray[np.intp]) -> TrueNumbers:
        """Return the truth of some of the rows."""
        return TrueNumbers(self.values[rows])


Truth = TrueClasses | TrueNumbers
"""The truth of the test rows."""


def read_truth(
    y_true: ArrayLike | CodedLabels,
    labels: ArrayLike | None,
    positive: Any,
    predicted: Sequence[tuple[str, ArrayLike | CodedLabels]] = (),
) -> TrueClasses:
    """Check true classes; classes that are only predicted count as classes too."""
    rows = coded(y_true, "y_true")
    seen = {name: set(coded(values, name).seen) for name, values in predicted}
    kinds = {type(value) for value in rows.seen}
    others = [name for name, values in seen.items() if {type(value) for value in values} - kinds]
    found = _sorted(set(rows.seen).union(*seen.values()), others or [*seen][:1] or ["y_true"])
    classes = found if labels is None else _labels(labels, "labels").tolist()
    unknown = [value for value in found if value not in classes]
    if unknown:
        raise ArgumentError("labels", f"{unknown[0]!r} is in the rows but not among {classes!r}")
    if len(classes) < 2:
        raise ArgumentError(
            "y_true", f"found one class only ({classes[0]!r}); list all in `labels`"
        )
    name = classes[-1] if positive is None else positive
    if name not in classes:
        raise ArgumentError("positive", f"found {positive!r}, the classes are {classes!r}")
    return TrueClasses(rows.among(classes), tuple(classes), classes.index(name))


def _sorted(values: set[Any], names: Sequence[str]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        kinds = ", ".join(sorted({type(value).__name__ for value in values}))
        raise ArgumentError(
            names[0], f"found labels of several kinds ({kinds}), y_true has others"
        ) from None


@dataclasses.dataclass(frozen=True)
class CodedLabels:
    """Labels as codes into the list of those that there are."""

    codes: Codes
    labels: list[Any]

    @cached_property
    def seen(self) -> list[Any]:
        """The labels that occur."""
        counts = np.bincount(self.codes, minlength=len(self.labels))
        return [label for label, count in zip(self.labels, counts, strict=True) if count]

    def among(self, classes: list[Any]) -> Codes:
        """Return codes into a list of classes that holds all labels that occur."""
        seen = set(self.seen)
        own = enumerate(self.labels)
        places = [classes.index(label) if label in seen else place for place, label in own]
        if places == list(range(len(classes))):
            return self.codes
        return np.array(places, dtype=np.intp)[self.codes]


def coded(values: ArrayLike | CodedLabels, name: str) -> CodedLabels:
    """Check labels and turn them into codes; a categorical column has them already."""
    if isinstance(values, CodedLabels):
        return values
    categories = getattr(values, "categories", None)
    if categories is None:
        array = _labels(values, name)
        if array.dtype.kind in "biu" and (few := _few_numbers(array)) is not None:
            return few
        labels, codes = np.unique(array, return_inverse=True)
        return CodedLabels(codes, labels.tolist())
    codes = np.asarray(getattr(values, "codes"), dtype=np.intp)  # noqa: B009
    if len(codes) and codes.min() < 0:
        raise ArgumentError(name, f"missing value(s), first in row {int(np.argmin(codes))}")
    return CodedLabels(codes, list(categories))


_FEW_NUMBERS = 256


def _few_numbers(values: NDArray[Any]) -> CodedLabels | None:
    """Turn whole numbers of a small range into codes without sorting the rows."""
    low, high = int(values.min()), int(values.max())
    if high - low >= _FEW_NUMBERS:
        return None
    places = values.astype(np.intp) - low
    there = np.bincount(places, minlength=high - low + 1) > 0
    labels = (np.flatnonzero(there) + low).astype(values.dtype).tolist()
    return CodedLabels(places if there.all() else (np.cumsum(there) - 1)[places], labels)


def read_classes(truth: TrueClasses, predicted: ArrayLike | CodedLabels, name: str) -> Codes:
    """Check one model's predicted classes against the truth and return their codes."""
    values = coded(predicted, name)
    check_rows(truth, values.codes, name)
    unknown = [value for value in values.seen if value not in truth.classes]
    if unknown:
        raise ArgumentError(name, f"{unknown[0]!r} is no class, the classes are {truth.classes!r}")
    return values.among(list(truth.classes))


def read_probabilities(truth: TrueClasses, predicted: ArrayLike, name: str) -> FloatArray:
    """Check one model's probabilities, shape (n,) of the positive class or (n, K)."""
    values = as_floats(predicted, name)
    check_rows(truth, values, name)
    if not np.isfinite(values).all():
        row = int(np.argwhere(~np.isfinite(values))[0][0])
        raise ArgumentError(name, f"NaN or infinite in row {row}; drop these rows for every model")
    k = len(truth.classes)
    if values.ndim == 1 and k == 2:
        columns = np.empty((len(values), 2))
        columns[:, truth.positive] = values
        columns[:, 1 - truth.positive] = 1 - values
        return columns
    if values.ndim != 2 or values.shape[1] != k:
        raise ArgumentError(
            name,
            f"expected shape (n, {k}), a column for each of {truth.classes!r}, "
            f"found shape {values.shape}",
        )
    return values


def read_numbers(values: ArrayLike, name: str) -> FloatArray:
    """Check the true or predicted numbers of the rows: finite, shape (n,)."""
    return as_scores(values, name, unit="rows")


def check_rows(truth: Truth, values: NDArray[Any], name: str) -> None:
    """Check that something has a value for each row."""
    if len(values) != truth.n:
        raise ArgumentError(name, f"has {len(values)} rows, y_true has {truth.n}; pair them by id")


def read_groups(groups: ArrayLike | None, n: int, name: str = "groups") -> Codes | None:
    """Check the clusters of the rows and return their codes 0..G−1; None where there are none."""
    if groups is None:
        return None
    values = _labels(groups, name)
    if len(values) != n:
        raise ArgumentError(name, f"has {len(values)} rows, expected {n}")
    return np.unique(values, return_inverse=True)[1]


def _labels(values: ArrayLike, name: str) -> NDArray[Any]:
    array = as_array(values, name)
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError(name, f"expected shape (n,), n >= 1, found shape {array.shape}")
    gaps = is_missing(array)
    if gaps.any():
        row = int(np.flatnonzero(gaps)[0])
        raise ArgumentError(name, f"{int(gaps.sum())} missing value(s), first in row {row}")
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    return array


def subgroup_rows(subgroup: ArrayLike, n: int) -> dict[Any, NDArray[np.intp]]:
    """Return the rows of each subgroup, two at least, in sorted order of their names."""
    values = _labels(subgroup, "subgroup")
    if len(values) != n:
        raise ArgumentError("subgroup", f"has {len(values)} rows, expected {n}")
    names, codes = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise ArgumentError("subgroup", f"found one only ({names[0]!r}), two are compared at least")
    return {name: np.flatnonzero(codes == i) for i, name in enumerate(names.tolist())}
