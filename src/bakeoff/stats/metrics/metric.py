"""Metrics: what they look at, what they are, and the decorators that enter them by name.

A `View` holds truth and predictions of one model, checked; `Cells` the table of true and predicted
classes. Formulas over them give a `Functional`: the value with the influence of every row or cell.
Each decorator is for one kind of metric. Some names hold the value of an option:
``net_benefit@0.1``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import (
    Level,
    PositiveFloat,
    PositiveInt,
    check_choice,
    check_fields,
)
from bakeoff.stats.core.checks import (
    ArgumentError,
    BoolArray,
    FloatArray,
    as_array,
    as_floats,
    is_missing,
)
from bakeoff.stats.core.registry import Reads

Codes = NDArray[np.intp]
Columns = Mapping[str, NDArray[Any]]
NO_COLUMNS: Columns = MappingProxyType({})

POINTS = "percentage points"
"""The unit of what is a share of something."""
TARGET = "target"
"""The unit of what is measured in that of the numbers that are predicted."""
TARGET_SQUARED = "target squared"
"""The unit of a mean of squared errors of numbers."""
EXAMPLES = {"beta": 3, "k": 5, "threshold": 0.1}
"""Values of the options that stand in the names of metrics, as in ``fbeta@3``."""
_FEW_NUMBERS = 256  # labels of so small a range are counted, not sorted


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
    rows: CodedLabels,
    labels: ArrayLike | None,
    positive: Any,
    predicted: Sequence[tuple[str, CodedLabels]] = (),
) -> Truth:
    """Find the classes of the rows; those that are only predicted count as classes too."""
    classes = classes_of([("y_true", rows), *predicted], labels, "labels")
    if len(classes) < 2:
        raise ArgumentError(
            "y_true", f"found one class only ({classes[0]!r}); list all in `labels`"
        )
    if positive is None:
        positive = classes[-1]
    if positive not in classes:
        raise ArgumentError("positive", f"found {positive!r}, the classes are {classes!r}")
    return Truth(rows.among(classes), tuple(classes), classes.index(positive))


def check_declared_order(y_true: ArrayLike, truth: Truth) -> None:
    """Ask for the order of columns where ordered categories have another one than sorted labels."""
    dtype: Any = getattr(y_true, "dtype", None)
    if not getattr(dtype, "ordered", False):
        return
    declared = [name for name in dtype.categories if name in truth.classes]
    if declared != list(truth.classes):
        raise ArgumentError(
            "labels",
            f"the categories of y_true are in the order {declared!r}, sorted labels are "
            f"{list(truth.classes)!r}: give the order of the columns of probabilities",
        )


def classes_of(
    labels: Sequence[tuple[str, CodedLabels]], listed: ArrayLike | None, name: str
) -> list[Any]:
    """Return the classes that an argument lists, or those that occur among the labels."""
    if listed is not None:
        return _listed_classes(labels, listed, name)
    occurring: set[Any] = set()
    for _, coded_labels in labels:
        occurring.update(coded_labels.seen)
    try:
        return sorted(occurring)
    except TypeError:
        pass
    kinds_of_first = {type(label) for label in labels[0][1].seen}
    culprit = labels[0][0]
    for argument, coded_labels in labels:
        if {type(label) for label in coded_labels.seen} - kinds_of_first:
            culprit = argument
            break
    kinds = ", ".join(sorted({type(label).__name__ for label in occurring}))
    raise ArgumentError(
        culprit, f"found labels of several kinds ({kinds}) among all of them; use one kind"
    )


def _listed_classes(
    labels: Sequence[tuple[str, CodedLabels]], listed: ArrayLike, name: str
) -> list[Any]:
    """Check a list of classes, which holds all labels that occur."""
    if isinstance(listed, str) or not np.iterable(listed):
        raise ArgumentError(name, f"found {listed!r}, needs a sequence of labels")
    classes: list[Any] = _labels(listed, name).tolist()
    if len(classes) < 2 or len(set(classes)) < len(classes):
        raise ArgumentError(name, f"found {classes!r}, needs two or more different labels")
    for argument, coded_labels in labels:
        for label in coded_labels.seen:
            if label not in classes:
                message = f"found label {label!r}, not among the {name} {classes!r}"
                raise ArgumentError(argument, message)
    return classes


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
        code_of_label = list(range(len(self.labels)))
        for place, label in enumerate(self.labels):
            if label in seen:
                code_of_label[place] = classes.index(label)
        if code_of_label == list(range(len(classes))):
            return self.codes
        return np.array(code_of_label, dtype=np.intp)[self.codes]


def coded(values: ArrayLike, name: str) -> CodedLabels:
    """Check labels and turn them into codes; a categorical column has them already."""
    categories = getattr(values, "categories", None)
    if categories is None:
        array = _labels(values, name)
        if array.dtype.kind in "biu" and int(array.max()) - int(array.min()) < _FEW_NUMBERS:
            return _few_numbers(array)
        labels, codes = np.unique(array, return_inverse=True)
        return CodedLabels(codes, labels.tolist())
    codes = np.asarray(getattr(values, "codes"), dtype=np.intp)  # noqa: B009
    if len(codes) and codes.min() < 0:
        raise ArgumentError(name, f"missing value(s), first in row {int(np.argmin(codes))}")
    return CodedLabels(codes, list(categories))


def _few_numbers(values: NDArray[Any]) -> CodedLabels:
    """Turn whole numbers of a small range into codes without sorting the rows."""
    low = int(values.min())
    codes = values.astype(np.intp) - low
    occurs = np.bincount(codes) > 0
    labels = (np.flatnonzero(occurs) + low).astype(values.dtype).tolist()
    if not occurs.all():
        codes = (np.cumsum(occurs) - 1)[codes]
    return CodedLabels(codes, labels)


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


def subgroup_rows(subgroup: ArrayLike, n: int) -> dict[Any, NDArray[np.intp]]:
    """Return the rows of each subgroup, two at least, in sorted order of their names."""
    labels = _labels(subgroup, "subgroup")
    if len(labels) != n:
        raise ArgumentError("subgroup", f"has {len(labels)} rows, expected {n}")
    names, codes = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise ArgumentError("subgroup", f"found one only ({names[0]!r}), two are compared at least")
    return {name: np.flatnonzero(codes == i) for i, name in enumerate(names.tolist())}


def _labels(values: ArrayLike, name: str) -> NDArray[Any]:
    array = as_array(values, name)
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError(name, f"expected shape (n,), n >= 1, found shape {array.shape}")
    gaps = is_missing(array)
    if gaps.any():
        row = int(np.flatnonzero(gaps)[0])
        raise ArgumentError(name, f"{int(gaps.sum())} missing value(s), first in row {row}")
    if array.dtype.kind == "O":
        return np.asarray(array.tolist())
    return array


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
            # the product rule
            psi = self.value * other.psi + other.value * self.psi
            return Functional(self.value * other.value, psi)
        return Functional(self.value * other, self.psi * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Functional | float) -> Functional:
        if not isinstance(other, Functional):
            return self * (1 / other)
        # the quotient rule: (ψ_a − (a/b) ψ_b)/b
        value = self.value / other.value
        return Functional(value, (self.psi - value * other.psi) / other.value)

    def __pow__(self, exponent: float) -> Functional:
        with np.errstate(divide="ignore", invalid="ignore"):
            # the chain rule: d(x^k) = k x^(k − 1) dx
            slope = exponent * np.float64(self.value) ** (exponent - 1)
            # a root of 0 stays 0 whatever weight its rows have, although its slope is infinite
            psi = np.where(self.psi == 0, 0.0, slope * self.psi)
            return Functional(self.value**exponent, psi)


def mean(values: ArrayLike, weights: FloatArray) -> Functional:
    """Return the weighted mean of values given per row, as a functional of the weights."""
    x = np.asarray(values, dtype=np.float64)
    centre = float(weights @ x) / float(weights.sum())
    return Functional(centre, x - centre)


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
        cost: ArrayLike = []
        if self.cost is not None:
            cost = self.cost
        matrix = as_floats(cost, "cost")
        if matrix.shape != (k, k):
            message = f"expected a {k} by {k} matrix of numbers, found {matrix.shape}"
            raise ArgumentError("cost", message)
        return matrix

    def shares(self, k: int) -> FloatArray:
        """Return how frequent each class is where the models will be used; they sum to 1."""
        priors: ArrayLike = []
        if self.priors is not None:
            priors = self.priors
        shares = as_floats(priors, "priors")
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

    @property
    def present(self) -> list[int]:
        """The classes that occur among the truth."""
        return [int(k) for k in np.unique(self.truth[self.weights > 0])]

    @property
    def seen(self) -> list[int]:
        """The classes that occur among truth or predictions."""
        weighted = self.weights > 0
        return [int(k) for k in np.union1d(self.truth[weighted], self.predicted[weighted])]


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
        truth = self.truth
        k = len(self.truth.classes)
        counts = np.bincount(self.cell_of_rows, minlength=k * k)
        occurring = np.flatnonzero(counts)
        weights = counts[occurring].astype(np.float64)
        true, predicted = np.divmod(occurring, k)
        return Cells(true, predicted, weights, truth.classes, truth.positive, self.options)

    @property
    def cell_of_rows(self) -> Codes:
        """The cell of each row, truth · K + prediction, shape (n,)."""
        assert self.predicted is not None
        # codes of 200 classes fit into 16 bits, cells do not
        wide = self.truth.values.astype(np.intp)
        return np.asarray(wide * len(self.truth.classes) + self.predicted)

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
            predicted=_taken(self.predicted, rows),
            given=_taken(self.given, rows),
            decision=_taken(self.decision, rows),
            columns=rows_of(self.columns, rows),
        )


def _taken(values: NDArray[Any] | None, rows: NDArray[np.intp]) -> NDArray[Any] | None:
    if values is None:
        return None
    return values[rows]


class Scale(NamedTuple):
    """A monotone transformation g of a metric θ."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    slope: Callable[[float], float]

    def limits(self, value: float, half: float) -> tuple[float, float] | None:
        """Return g⁻¹(g(θ) ± h·g'(θ)) for a half-width h; None at an end of the range."""
        slope = self.slope(value)
        if not slope > 0:
            return None
        # by the delta method the half-width on the scale is h·g'(θ), 1/slope the derivative of g
        centre = self.forward(value)
        low = self.inverse(centre - half / slope)
        high = self.inverse(centre + half / slope)
        return low, high


def _exp(x: float) -> float:
    return float(special.inv_boxcox(x, 0.0))  # infinite where math.exp fails


PLAIN = Scale("t", lambda value: value, lambda value: value, lambda value: 1.0)
LOGIT = Scale(
    "logit-t",
    lambda share: float(special.logit(share)),
    lambda value: float(special.expit(value)),
    lambda share: share * (1 - share),
)
LOG = Scale("log-t", math.log, _exp, lambda loss: loss)
LOG_COMPLEMENT = Scale(
    "log-complement-t",
    lambda value: -math.log(1 - value),
    lambda value: 1 - _exp(-value),
    lambda value: 1 - value,
)
FISHER = Scale("fisher-z-t", math.atanh, math.tanh, lambda r: 1 - r**2)


class Need(StrEnum):
    """What a metric looks at besides the true labels."""

    LABELS = "labels"
    RANKING = "ranking"
    """Probabilities or decision values."""
    PROBABILITIES = "probabilities"
    COSTS = "costs"
    """Labels, and what errors cost."""
    PRIORS = "priors"
    """Labels, what errors cost, and how frequent the classes will be."""
    NUMBERS = "numbers"
    """Predicted numbers, where those that are true are numbers too."""


class Form(StrEnum):
    """How the influence of rows on a metric is found."""

    DECISIONS = "decisions"
    """A function of the table of true and predicted classes, with pseudo-rows."""
    RANKING = "ranking"
    """A function of how rows are ranked: an area, whose intervals are on the logit scale."""
    ROWS = "rows"
    """A function of means over rows, by the chain rule."""
    LEFT_OUT = "left out"
    """None is known: rows are left out."""


class Carried(NamedTuple):
    """How it is seen that few rows dominate a metric."""

    assumption: str
    share: float  # of the units: with fewer degrees of freedom than that it fails
    consequence: str  # what then holds
    shows_from: int = 0  # the units from which on it shows


@dataclasses.dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric, built in or of the user's own.

    Attributes
    ----------
    name, title : str
        Its key and the name people read.
    value : Callable
        From a `View` to a float; raises `NoValue`.
    form : Form
        How the influence of each row is found.
    formula : Callable or None
        From `Cells` (of a metric of decisions) or a view to a `Functional`.
    unit : str
        What a difference of two values is measured in: `POINTS`, or a word for it.
    needs : Need
        What it looks at.
    range : tuple of float
        The least and the greatest value that it can have.
    classes : {"", "positive", "negative", "every", "rarest", "called"}
        The class whose rows it is conditional on, of which fewer than five are too few; or
        ``"rarest"``: it is defined without, but the rarest class carries it; ``"called"``: so do
        the rows that are called positive.
    """

    name: str
    value: Callable[[Any], float]
    form: Form = Form.LEFT_OUT
    formula: Callable[[Any], Functional] | None = None
    title: str = ""
    unit: str = ""
    needs: Need = Need.LABELS
    greater_is_better: bool = True
    range: tuple[float, float] = (0.0, 1.0)
    classes: Literal["", "positive", "negative", "every", "rarest", "called"] = ""
    instead: str = ""  # of a metric for two classes: what to use for more
    root: bool = False  # the root of a mean of a value per row; two are compared by their squares
    mean_of_rows: bool = False  # the mean of a value of each row
    counts: Literal["", "right", "wrong"] = ""  # the rows it is the share of
    reads: Reads | None = None  # as in `Entry`, of tests that are about this metric and no other
    null: str = ""  # what equal models have in common, where other metrics say the same
    constant: Literal["median", "mean"] = "median"  # the best same answer for every row
    studied_by: str = "accuracy"  # the metric whose simulated error rates hold for this one
    by_predicted: bool = False  # divides by the rows predicted as a class: they differ by model
    # a share of the pairs of rows of two classes: groups then have their leverage in each class,
    # and an area of 1 has an exact limit
    by_pairs: bool = False
    scale: Scale = PLAIN  # on which the interval of one model is symmetric
    carried: Carried | None = None  # of a metric that few rows may dominate
    smooth: bool = True  # else it jumps when a row is left out: it has intervals and no test
    interval: bool = True  # whether one is known
    option: str = ""  # that it has to be told, as in ``net_benefit@0.1``
    takes: tuple[str, ...] = ()  # the columns of the rows that it takes
    columns: Columns = dataclasses.field(default_factory=dict)  # their values
    own: bool = False  # a function of the user's
    computed: bool = True  # else its values are given
    method: str = "satterthwaite1946"  # the citation of its interval
    calibration: bool = False  # a report draws calibration curves beside it

    def __str__(self) -> str:
        return self.name

    @property
    def binary(self) -> bool:
        """Whether it is for two classes only."""
        return bool(self.instead)

    @property
    def by_order(self) -> bool:
        """Whether it looks at how rows are ordered or at probabilities, not at labels alone."""
        return self.needs in (Need.RANKING, Need.PROBABILITIES)

    @property
    def of_table(self) -> bool:
        """Whether it is a function of the table of true and predicted classes, and no mean."""
        return self.form is Form.DECISIONS and not self.mean_of_rows

    @property
    def priced(self) -> bool:
        """Whether it looks at what errors cost."""
        return self.needs in (Need.COSTS, Need.PRIORS)


def numbers(
    name: str, *, greater_is_better: bool, undefined: str = "its values are given, not computed"
) -> Metric:
    """Return a mean of numbers that are given, one per row."""

    def value(view: View) -> float:
        raise NoValue(undefined)

    def formula(view: View) -> Functional:
        centre = float(view.numbers.mean())
        return Functional(centre, view.numbers - centre)

    return Metric(
        name=name,
        value=value,
        form=Form.ROWS,
        formula=formula,
        needs=Need.NUMBERS,
        greater_is_better=greater_is_better,
        range=(-math.inf, math.inf),
        computed=False,
    )


class Metrics(dict[str, Metric]):
    """Metrics by name; ``name@value`` is one whose option has that value."""

    def __missing__(self, name: str) -> Metric:
        if "@" not in name:
            raise KeyError(name)
        return self.with_option(name)

    def __contains__(self, name: object) -> bool:
        has_option = isinstance(name, str) and "@" in name
        return super().__contains__(name) or (has_option and not self.lacking(str(name)))

    def get(self, name: str, default: Metric | None = None) -> Metric | None:  # type: ignore[override]
        """Return a metric, or a default where none has that name."""
        if name in self:
            return self[name]
        return default

    def with_option(self, name: str) -> Metric:
        """Return the metric that ``name@value`` stands for."""
        base, at, text = name.partition("@")
        metric = super().get(base)
        if metric is None:
            raise ArgumentError("metric", f"no metric is called {base!r}")
        if not metric.option:
            raise ArgumentError("metric", f"{base} takes no option: found {name!r}")
        if not at:
            example = f"{base}@{EXAMPLES[metric.option]:g}"
            message = f"{base} takes its {metric.option} in its name, like {example}"
            raise ArgumentError("metric", message)
        try:
            option: dict[str, Any] = {metric.option: float(text)}
            dataclasses.replace(NO_OPTIONS, **option)
        except ValueError as error:
            why = f"found {text!r}, must be a number"
            if isinstance(error, ArgumentError):
                why = error.message
            raise ArgumentError("metric", f"{metric.option} in {name!r}: {why}") from None
        formula = metric.formula
        if formula is not None:
            formula = partial(_with_option, option, formula)
        return dataclasses.replace(
            metric,
            name=name,
            title=f"{metric.title} ({metric.option} {option[metric.option]:g})",
            value=partial(_with_option, option, metric.value),
            formula=formula,
            option="",
        )

    def lacking(self, name: str) -> str:
        """Say why a name with an option is none of a metric; empty where it is one."""
        try:
            self.with_option(name)
        except ArgumentError as error:
            return error.message
        return ""


def _with_option(option: dict[str, Any], function: Callable[[Any], Any], rows: Any) -> Any:
    """Call the value or formula of a metric on rows with the value of its option."""
    options = dataclasses.replace(rows.options, **option)
    return function(dataclasses.replace(rows, options=options))


METRICS = Metrics()
"""The metrics that are built in, by name."""
F = TypeVar("F", bound=Callable[..., Any])


def metric_called(name: str | Metric, *, smooth: bool = False) -> Metric:
    """Return the metric of a name, or say which there are; `smooth`: one that has a test."""
    if isinstance(name, Metric):
        metric = name
    elif isinstance(name, str) and name.partition("@")[0] in (*METRICS,):
        metric = METRICS[name]
        if metric.option:
            metric = METRICS.with_option(name)
    else:
        metric = METRICS[check_choice(name, (*METRICS,), "metric")]
    if smooth and not metric.smooth:
        raise ArgumentError(
            "metric",
            f"{metric} is not smooth, so that no test of it holds its level: take "
            "metric_difference, which gives intervals",
        )
    return metric


def enter(function: F, title: str, unit: str, name: str = "", **facts: Any) -> F:
    """Enter the metric that a function makes among the metrics, by its name or another."""
    metric = Metric(name=name or function.__name__, title=title, unit=unit, **facts)
    if metric.name in METRICS:
        raise ValueError(f"two metrics are called {metric.name!r}")
    METRICS[metric.name] = metric
    return function


def of_means(title: str, unit: str, *, form: Form = Form.ROWS, **facts: Any) -> Callable[[F], F]:
    """Enter a function from a view to a `Functional` of means over rows."""

    def decorate(formula: F) -> F:
        def value(view: View) -> float:
            rows: Cells | View = view
            if form is Form.DECISIONS:
                rows = view.cells
            return float(formula(rows).value)

        return enter(formula, title, unit, formula=formula, value=value, form=form, **facts)

    return decorate


decision = partial(of_means, form=Form.DECISIONS)
"""Enter a formula over the table of true and predicted classes; see `Cells`."""


def row_mean(title: str, unit: str, *, root: bool = False, **facts: Any) -> Callable[[F], F]:
    """Enter the mean of what a function of a view gives for each row, or the root of that mean."""

    def decorate(values: F) -> F:
        def plain(view: View) -> float:
            centre = float(np.mean(values(view)))
            if root:
                return math.sqrt(centre)
            return centre

        def functional(view: View) -> Functional:
            centre = mean(values(view), np.ones(view.truth.n))
            if root:
                return centre**0.5
            return centre

        facts.update(form=Form.ROWS, root=root, mean_of_rows=not root)
        return enter(values, title, unit, formula=functional, value=plain, **facts)

    return decorate


def by_value(title: str, unit: str, **facts: Any) -> Callable[[F], F]:
    """Enter a function from a view to a number; rows are left out for their influence."""

    def decorate(value: F) -> F:
        return enter(value, title, unit, value=value, **facts)

    return decorate
