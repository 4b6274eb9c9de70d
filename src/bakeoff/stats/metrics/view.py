"""What a metric looks at: truth and predictions of one model, checked, and the table of classes.

The formulas of metrics of decisions are written over the cells of that table: they give a
`Functional`, the value with the influence of every cell.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Level, PositiveFloat, PositiveInt, check_fields
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    as_array,
    as_floats,
    is_missing,
)

Codes = NDArray[np.intp]


@dataclasses.dataclass(frozen=True)
class Truth:
    """The truth of the test rows: codes of their classes, or numbers where there are no classes."""

    values: NDArray[Any]
    classes: tuple[Any, ...] = ()
    positive: int = 0

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.values)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each class, shape (K,)."""
        return np.bincount(self.values, minlength=len(self.classes))

    def take(self, rows: NDArray[np.intp]) -> Truth:
        """Return the truth of some of the rows."""
        return dataclasses.replace(self, values=self.values[rows])


def read_truth(
    y_true: ArrayLike | CodedLabels,
    labels: ArrayLike | None,
    positive: Any,
    predicted: Sequence[tuple[str, ArrayLike | CodedLabels]] = (),
) -> Truth:
    """Check true classes; classes that are only predicted count as classes too."""
    rows = coded(y_true, "y_true")
    seen = {name: set(coded(values, name).seen) for name, values in predicted}
    every = set(rows.seen).union(*seen.values())
    try:
        occurring = sorted(every)
    except TypeError:
        kinds = {type(value) for value in rows.seen}
        others = [name for name, values in seen.items() if {type(v) for v in values} - kinds]
        found = ", ".join(sorted({type(value).__name__ for value in every}))
        message = f"found labels of several kinds ({found}) among the true and predicted ones"
        raise ArgumentError((others or ["y_true"])[0], message) from None
    classes = occurring if labels is None else _labels(labels, "labels").tolist()
    unknown = [value for value in occurring if value not in classes]
    if unknown:
        raise ArgumentError("labels", f"{unknown[0]!r} is in the rows but not among {classes!r}")
    if len(classes) < 2:
        raise ArgumentError(
            "y_true", f"found one class only ({classes[0]!r}); list all in `labels`"
        )
    name = classes[-1] if positive is None else positive
    if name not in classes:
        raise ArgumentError("positive", f"found {positive!r}, the classes are {classes!r}")
    return Truth(rows.among(classes), tuple(classes), classes.index(name))


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
        numbered = enumerate(self.labels)
        places = [classes.index(label) if label in seen else place for place, label in numbered]
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
    occurs = np.bincount(places, minlength=high - low + 1) > 0
    labels = (np.flatnonzero(occurs) + low).astype(values.dtype).tolist()
    return CodedLabels(places if occurs.all() else (np.cumsum(occurs) - 1)[places], labels)


def read_classes(truth: Truth, predicted: ArrayLike | CodedLabels, name: str) -> Codes:
    """Check one model's predicted classes against the truth and return their codes."""
    values = coded(predicted, name)
    unknown = [value for value in values.seen if value not in truth.classes]
    if unknown:
        raise ArgumentError(name, f"{unknown[0]!r} is no class, the classes are {truth.classes!r}")
    return values.among(list(truth.classes))


def read_probabilities(truth: Truth, predicted: ArrayLike, name: str) -> FloatArray:
    """Check one model's probabilities, shape (n,) of the positive class or (n, K)."""
    values = as_floats(predicted, name)
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


def read_groups(groups: ArrayLike | None, n: int) -> Codes | None:
    """Check the clusters of the rows and return their codes 0..G−1; None where there are none."""
    return None if groups is None else _names_and_codes(groups, "groups", n)[1]


def subgroup_rows(subgroup: ArrayLike, n: int) -> dict[Any, NDArray[np.intp]]:
    """Return the rows of each subgroup, two at least, in sorted order of their names."""
    names, codes = _names_and_codes(subgroup, "subgroup", n)
    if len(names) < 2:
        raise ArgumentError("subgroup", f"found one only ({names[0]!r}), two are compared at least")
    return {name: np.flatnonzero(codes == i) for i, name in enumerate(names.tolist())}


def _names_and_codes(values: ArrayLike, name: str, n: int) -> tuple[NDArray[Any], Codes]:
    labels = _labels(values, name)
    if len(labels) != n:
        raise ArgumentError(name, f"has {len(labels)} rows, expected {n}")
    return np.unique(labels, return_inverse=True)


def _labels(values: ArrayLike, name: str) -> NDArray[Any]:
    array = as_array(values, name)
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError(name, f"expected shape (n,), n >= 1, found shape {array.shape}")
    gaps = is_missing(array)
    if gaps.any():
        row = int(np.flatnonzero(gaps)[0])
        raise ArgumentError(name, f"{int(gaps.sum())} missing value(s), first in row {row}")
    return np.asarray(array.tolist()) if array.dtype.kind == "O" else array


class NoValue(ValueError):
    """A metric has no value on these rows; the text says why."""


@dataclasses.dataclass(frozen=True)
class Functional:
    """The value of a metric and its influence values."""

    value: float
    psi: FloatArray

    def __add__(self, other: Functional | float) -> Functional:
        if isinstance(other, Functional):
            return Functional(self.value + other.value, self.psi + other.psi)
        return Functional(self.value + other, self.psi)

    __radd__ = __add__

    def __neg__(self) -> Functional:
        return Functional(-self.value, -self.psi)

    def __sub__(self, other: Functional | float) -> Functional:
        return self + -other

    def __rsub__(self, other: float) -> Functional:
        return -self + other

    def __mul__(self, other: Functional | float) -> Functional:
        if isinstance(other, Functional):
            psi = self.value * other.psi + other.value * self.psi
            return Functional(self.value * other.value, psi)
        return Functional(self.value * other, self.psi * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Functional | float) -> Functional:
        if not isinstance(other, Functional):
            return self * (1 / other)
        value = self.value / other.value
        return Functional(value, (self.psi - value * other.psi) / other.value)

    def __pow__(self, exponent: float) -> Functional:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = exponent * np.float64(self.value) ** (exponent - 1)
            # a root of 0 stays 0 whatever weight its rows have, although its slope is infinite
            psi = np.where(self.psi == 0, 0.0, slope * self.psi)
            return Functional(self.value**exponent, psi)


def mean(values: ArrayLike, weights: FloatArray) -> Functional:
    """Return the weighted mean of values given per row, as a functional of the weights."""
    x = np.asarray(values, dtype=np.float64)
    centre = float(weights @ x) / float(weights.sum())
    return Functional(centre, x - centre)


EXAMPLES = {"beta": 3, "k": 5, "threshold": 0.1}
"""Values of the options that stand in the names of metrics, as in ``fbeta@3``."""


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of single metrics."""

    beta: PositiveFloat | None = None
    k: PositiveInt | None = None
    cost: ArrayLike | None = None
    priors: ArrayLike | None = None
    threshold: Level | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.cost is not None and not np.isfinite(as_floats(self.cost, "cost")).all():
            raise ArgumentError("cost", "found NaN or infinite costs")
        if self.priors is not None:
            shares = as_floats(self.priors, "priors")
            if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.any()):
                raise ArgumentError("priors", "expected shares of at least 0, not all of them 0")

    def costs(self, k: int) -> FloatArray:
        """Return what predicting a class (columns) for a true one (rows) costs, shape (k, k)."""
        matrix = as_floats([] if self.cost is None else self.cost, "cost")
        if matrix.shape != (k, k):
            found = f"expected a {k} by {k} matrix of numbers, found {matrix.shape}"
            raise ArgumentError("cost", found)
        return matrix

    def shares(self, k: int) -> FloatArray:
        """Return how frequent each class is where the models will be used; they sum to 1."""
        shares = as_floats([] if self.priors is None else self.priors, "priors")
        if shares.shape != (k,):
            raise ArgumentError("priors", f"expected {k} numbers, found shape {shares.shape}")
        return np.asarray(shares / shares.sum())


NO_OPTIONS = Options()


@dataclasses.dataclass(frozen=True)
class Cells:
    """The table of true and predicted classes: its cells with their weights."""

    truth: Codes
    predicted: Codes
    weights: FloatArray
    classes: tuple[object, ...]
    positive: int
    options: Options = NO_OPTIONS

    @property
    def agreed(self) -> Functional:
        """The share of rows predicted right."""
        return mean(self.truth == self.predicted, self.weights)

    def right(self, k: int) -> Functional:
        """Return the share of rows that are of class k and predicted so."""
        return mean((self.truth == k) & (self.predicted == k), self.weights)

    def true(self, k: int) -> Functional:
        """Return the share of rows of class k."""
        return mean(self.truth == k, self.weights)

    def predicted_as(self, k: int) -> Functional:
        """Return the share of rows predicted as class k."""
        return mean(self.predicted == k, self.weights)

    def cost_of(self, k: int, cost: FloatArray) -> Functional:
        """Return the mean over all rows of the costs of those of class k."""
        return mean(np.where(self.truth == k, cost[k, self.predicted], 0.0), self.weights)

    @property
    def present(self) -> list[int]:
        """The classes that occur among the truth."""
        return [int(k) for k in np.unique(self.truth[self.weights > 0])]

    @property
    def seen(self) -> list[int]:
        """The classes that occur among truth or predictions."""
        weighted = self.weights > 0
        return [int(k) for k in np.union1d(self.truth[weighted], self.predicted[weighted])]


Columns = Mapping[str, NDArray[Any]]
NO_COLUMNS: Columns = MappingProxyType({})


def rows_of(columns: Columns, rows: NDArray[np.intp]) -> Columns:
    """Return the columns of some rows."""
    return {name: np.asarray(values)[rows] for name, values in columns.items()}


@dataclasses.dataclass(frozen=True)
class View:
    """Truth and predictions of one model, each piece that metrics share computed once."""

    truth: Truth
    predicted: NDArray[Any] | None = None
    """Codes of classes, or numbers."""
    given: FloatArray | None = None
    decision: FloatArray | None = None
    options: Options = NO_OPTIONS
    columns: Columns = dataclasses.field(default_factory=dict)
    grouped: bool = False
    lacking: str = ""

    @cached_property
    def cells(self) -> Cells:
        """The table of true and predicted classes, weighted by the numbers of rows."""
        assert self.predicted is not None
        truth, k = self.truth, len(self.truth.classes)
        wide = truth.values.astype(np.intp)  # codes of 200 classes fit into 16 bits, cells do not
        counts = np.bincount(wide * k + self.predicted, minlength=k * k)
        occurring = np.flatnonzero(counts)
        weights = counts[occurring].astype(np.float64)
        codes = np.divmod(occurring, k)
        return Cells(*codes, weights, truth.classes, truth.positive, self.options)

    @property
    def probabilities(self) -> FloatArray:
        """Class probabilities, shape (n, K)."""
        if self.given is None:
            raise NoValue(self.lacking or "the model gives no class probabilities")
        return self.given

    @property
    def scores(self) -> FloatArray:
        """What ranks rows by how positive they are, shape (n,)."""
        if self.given is not None:
            return self.given[:, self.truth.positive]
        if self.decision is None:
            nothing = "the model gives neither probabilities nor decision values"
            raise NoValue(self.lacking or nothing)
        return self.decision

    @cached_property
    def is_positive(self) -> BoolArray:
        """Whether a row is of the positive class, shape (n,)."""
        return np.asarray(self.truth.values == self.truth.positive)

    @property
    def numbers(self) -> FloatArray:
        """The predicted numbers, shape (n,)."""
        assert self.predicted is not None
        return self.predicted

    @property
    def observed(self) -> FloatArray:
        """The true numbers, shape (n,)."""
        return self.truth.values

    @cached_property
    def error(self) -> FloatArray:
        """By how much predictions are too high, shape (n,)."""
        return self.numbers - self.observed

    def take(self, rows: NDArray[np.intp]) -> View:
        """Return the view of some of the rows."""
        return dataclasses.replace(
            self,
            truth=self.truth.take(rows),
            predicted=None if self.predicted is None else self.predicted[rows],
            given=None if self.given is None else self.given[rows],
            decision=None if self.decision is None else self.decision[rows],
            columns=rows_of(self.columns, rows),
        )
