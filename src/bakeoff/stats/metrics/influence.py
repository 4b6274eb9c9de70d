"""Influence values of any metric on one test set: what its standard error is made of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Default, PositiveFloat, PositiveInt, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.paired_differences import largest, noise_level
from bakeoff.stats.core.two_by_two import both_correct
from bakeoff.stats.design.flips import GroupSums
from bakeoff.stats.design.groups import FEWEST_CLUSTERS, Leverage, Spread, leverage_of, spread
from bakeoff.stats.metrics.metric import Form, Metric, Need, metric_called, numbers
from bakeoff.stats.metrics.view import (
    NO_OPTIONS,
    Cells,
    Codes,
    Functional,
    NoValue,
    NumberView,
    Options,
    TrueClasses,
    TrueNumbers,
    Truth,
    View,
    check_rows,
    coded,
    read_classes,
    read_groups,
    read_numbers,
    read_probabilities,
    read_truth,
)

OwnMetric = Callable[[NDArray[np.intp]], float]
"""From row numbers (with repetitions) to the metric of those rows."""


NOISE = 1e-12
"""What rounding makes of a metric of classes; relative to the metric's size for numbers."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A metric with its options on one test set."""

    metric: Metric
    truth: Truth
    clusters: Codes | None = None
    options: Options = NO_OPTIONS
    rounding: float = NOISE
    """The relative size of rounding errors in numbers that are given."""
    of_two: bool = False
    """Numbers of one or two models: two rows are enough, and no equal ones are too few."""

    def __post_init__(self) -> None:
        if self.metric.binary and len(self.classes.classes) != 2:
            classes = len(self.classes.classes)
            raise ArgumentError(
                "metric",
                f"{self.metric} is for two classes, found {classes}; use {self.metric.instead}",
            )

    @property
    def classes(self) -> TrueClasses:
        """The truth, of a metric of classes."""
        assert isinstance(self.truth, TrueClasses)
        return self.truth

    @cached_property
    def leverage(self) -> Leverage | None:
        """The leverage of the clusters: among rows, and for areas among those of each class."""
        if self.clusters is None:
            return None
        return Leverage.from_codes(
            self.clusters, self.classes.codes if self.metric.by_pairs else None
        )

    def view(self, rows: Any) -> View | NumberView:
        """Return what the metric looks at of what one model predicts."""
        if isinstance(self.truth, TrueNumbers):
            return NumberView(self.truth, rows, self.metric.columns)
        labels = not self.metric.by_order
        return View(
            self.truth,
            predicted=rows if labels else None,
            given=None if labels else rows,
            options=self.options,
            columns=self.metric.columns,
            grouped=self.clusters is not None,
        )

    @property
    def fewest_units(self) -> int:
        """The rows, or groups of them, below which there is no answer."""
        return 2 if self.of_two and self.clusters is None else FEWEST_CLUSTERS

    def too_few(self) -> str:
        """Say which class has too few rows for the metric; empty if none has."""
        if not self.metric.classes:
            return ""
        counts, at = self.classes.counts, self.classes.positive
        needed = {
            "positive": [at],
            "negative": [k for k in range(len(counts)) if k != at],
            "every": list(range(len(counts))),
        }.get(self.metric.classes, [])
        few = [k for k in needed if 0 < counts[k] < FEWEST_OF_A_CLASS]
        return f"{counts[few[0]]} row(s) of class {self.classes.classes[few[0]]!r}" if few else ""

    def fewest(self) -> int:
        """Return the rows of the rarest class that the metric uses; -1 if it uses none."""
        if not self.metric.classes:
            return -1
        counts, at = self.classes.counts, self.classes.positive
        of = {
            "positive": counts[at],
            "negative": counts.sum() - counts[at],
            "every": counts.min(),
        }
        return int(of.get(self.metric.classes, counts[counts > 0].min()))


class MetricArguments(TypedDict, total=False):
    """What every function of a metric on test rows takes, with the options of single metrics."""

    metric: Annotated[str | Metric, Default("accuracy")]
    positive: object | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    beta: Annotated[PositiveFloat, Default(1.0)]
    k: Annotated[PositiveInt, Default(2)]
    cost: ArrayLike | None
    priors: ArrayLike | None


def setting_of(
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    metric: str | Metric = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> tuple[Setting, list[Any]]:
    """Check a metric, its truth and the predictions it is computed from; see `read`."""
    how = metric_called(metric)
    truth, rows = read(how, y_true, models, positive, labels)
    return Setting(how, truth, read_groups(groups, truth.n), Options(**options)), rows


def setting_of_values(
    models: Sequence[tuple[str, ArrayLike]], greater_is_better: bool, groups: ArrayLike | None
) -> tuple[Setting, list[FloatArray]]:
    """Check a number per row of each model, and take their mean for the metric."""
    rows = [read_numbers(values, name) for name, values in models]
    check_same_length(**{name: column for (name, _), column in zip(models, rows, strict=True)})
    check_same_labels(**dict(models))
    truth = TrueNumbers(np.broadcast_to(np.nan, len(rows[0])))
    metric = numbers("values", greater_is_better=greater_is_better)
    rounding = noise_level(*(values for _, values in models))
    clusters, two = read_groups(groups, truth.n), len(rows) <= 2
    return Setting(metric, truth, clusters, rounding=rounding, of_two=two), rows


FEWEST_OF_A_CLASS = 5
"""With fewer rows of a class that a metric is conditional on there is no answer."""


def read(
    metric: Metric,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> tuple[Truth, list[Any]]:
    """Check truth and predictions: class codes, probabilities of shape (n, K), or numbers."""
    named = {f"{name} {i}": values for i, (name, values) in enumerate(models)}
    check_same_labels(y_true=y_true, **named)
    if not metric.by_order and metric.needs is not Need.NUMBERS:
        true = coded(y_true, "y_true")
        said = [(name, coded(values, name)) for name, values in models]
        classes = read_truth(true, labels, positive, said)
        return classes, [read_classes(classes, values, name) for name, values in said]
    truth = read_true(metric, y_true, models, positive, labels)
    return truth, [read_rows(metric, truth, values, name) for name, values in models]


def read_true(
    metric: Metric,
    y_true: ArrayLike,
    models: Sequence[tuple[str, ArrayLike]],
    positive: Any,
    labels: ArrayLike | None,
) -> Truth:
    """Check the truth; classes that are only predicted count as classes too. See `read`."""
    if metric.needs is not Need.NUMBERS:
        return read_truth(y_true, labels, positive, () if metric.by_order else models)
    for name, value in (("positive", positive), ("labels", labels)):
        if value is not None:
            raise ArgumentError(name, f"{metric} compares numbers, which have no classes")
    return TrueNumbers(read_numbers(y_true, "y_true"))


def read_rows(metric: Metric, truth: Truth, predicted: ArrayLike, name: str) -> Any:
    """Check what one model predicts; see `read`."""
    if isinstance(truth, TrueNumbers):
        numbers = read_numbers(predicted, name)
        check_rows(truth, numbers, name)
        return numbers
    return (read_probabilities if metric.by_order else read_classes)(truth, predicted, name)


_MOST_CELLS = 2**26
"""More would take gigabytes: of two models some 400 classes, of one some 8,000."""
_MOST_CLASSES = 8
"""With more classes counting the rows of a pair by themselves is as quick."""


@dataclasses.dataclass(frozen=True)
class JointCells:
    """The joint cells of truth and the predictions of one or two models that can occur."""

    columns: tuple[Codes, ...]
    occurring: tuple[Codes, ...]
    classes: int
    counts: NDArray[np.int64] | None = None
    shares: FloatArray | None = None

    def pseudo(self, total: float) -> FloatArray:
        """Return the weights of so many pseudo-rows, shape (c,)."""
        if self.shares is not None:
            return total * self.shares
        cells = math.prod(self.sizes)
        return np.full(cells, total / cells)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The cells along each column."""
        return tuple(map(len, self.occurring))

    @cached_property
    def index(self) -> Codes:
        """The cell of each row."""
        small = np.min_scalar_type(math.prod(self.sizes))  # of a pair of many models each has one
        pairs = zip(self.columns, self.occurring, strict=True)
        at = (_positions(codes, classes, self.classes).astype(small) for codes, classes in pairs)
        return reduce(lambda high, low: high * len(self.occurring[-1]) + low, at)

    @cached_property
    def weights(self) -> FloatArray:
        """The rows in each cell."""
        if self.counts is not None:
            return self.counts[np.ix_(*self.occurring)].ravel().astype(np.float64)
        return np.bincount(self.index, minlength=math.prod(self.sizes)).astype(np.float64)

    @cached_property
    def _of_models(self) -> list[tuple[Codes, Codes]]:
        """True and predicted class of each cell of each model alone."""
        true, *models = self.occurring
        return [(np.repeat(true, len(said)), np.tile(said, len(true))) for said in models]

    def of_model(self, weights: FloatArray, model: int) -> tuple[Codes, Codes, FloatArray]:
        """Return true class, predicted class and weight of each cell of one model alone."""
        if len(self.occurring) == 3:
            weights = weights.reshape(self.sizes).sum(axis=2 - model).ravel()
        return *self._of_models[model], weights

    def counts_of(self, model: int) -> NDArray[np.int64] | None:
        """Return the rows of each true class and each that one model predicts, shape (K, K)."""
        if self.shares is not None:
            return None
        counts = np.zeros((self.classes, self.classes), dtype=np.int64)
        *_, weights = self.of_model(self.weights, model)
        counts[np.ix_(*(self.occurring[column] for column in (0, model + 1)))] = weights.reshape(
            len(self.occurring[0]), -1
        )
        return counts

    def of_all(self, values: FloatArray, model: int) -> FloatArray:
        """Return the values of one model's cells as those of the joint cells."""
        if len(self.occurring) == 2:
            return values
        table = values.reshape(len(self.occurring[0]), -1)
        return np.broadcast_to(np.expand_dims(table, 2 - model), self.sizes).ravel()


def joint_cells(
    truth: TrueClasses,
    models: Sequence[Codes],
    counts: NDArray[np.int64] | None = None,
    *,
    right: bool = False,
) -> JointCells:
    """Find the cells that can occur: true classes for the truth, seen ones for the models."""
    k = len(truth.classes)
    if counts is None:
        seen = sum((np.bincount(codes, minlength=k) for codes in models), truth.counts)
    else:
        axes = range(counts.ndim)
        seen = sum(counts.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes)
    occurring = np.flatnonzero(seen)
    if right and k > _MOST_CLASSES:
        return _right_cells(truth, models, len(occurring))
    each = (np.flatnonzero(truth.counts), *(occurring for _ in models))
    if math.prod(map(len, each)) > _MOST_CELLS:
        most = round(_MOST_CELLS ** (1 / len(each)))
        raise ArgumentError(
            "metric",
            f"it is computed from a table of true and predicted classes, which takes up to about "
            f"{most:,} classes for {len(models)} model(s), found {len(occurring):,}; use "
            "accuracy or log_loss",
        )
    return JointCells((truth.codes, *models), each, k, counts)


def _right_cells(truth: TrueClasses, models: Sequence[Codes], occurring: int) -> JointCells:
    """Put the cells together in which each model is right (0) or wrong (1)."""
    columns = (np.zeros_like(truth.codes), *((codes != truth.codes) * 1 for codes in models))
    each = (np.arange(1), *(np.arange(2) for _ in models))
    of_one = np.array([1, occurring - 1]) / occurring
    shares = reduce(np.multiply.outer, [of_one] * len(models)).ravel()
    return JointCells(columns, each, 2, None, shares)


def pair_counts(truth: TrueClasses, models: Sequence[Codes]) -> NDArray[np.int64] | None:
    """Count the rows of each true class and each two predicted ones, for all pairs of models."""
    k, m = len(truth.classes), len(models)
    if k > _MOST_CLASSES:
        return None
    counts = np.empty((k, m * k, m * k), dtype=np.int64)
    for true in range(k):
        rows = np.flatnonzero(truth.codes == true)
        said = np.empty((m * k, len(rows)), dtype=np.bool_)
        for place, codes in enumerate(models):
            np.equal(codes[rows], np.arange(k)[:, None], out=said[place * k : place * k + k])
        counts[true] = both_correct(said.T, None) if len(rows) else 0
    return counts.reshape(k, m, k, m, k)


def _positions(codes: Codes, occurring: Codes, k: int) -> Codes:
    """Return the positions of codes among those that occur."""
    if len(occurring) == k:
        return codes
    place = np.zeros(k, dtype=np.intp)
    place[occurring] = np.arange(len(occurring))
    return place[codes]


PLUS_FOUR, PLUS_TWO = 4.0, 2.0
"""Weight of the pseudo-rows of one model and of a pair (Agresti & Coull 1998, Agresti & Min 2005).

For accuracies they give those papers' intervals; for other metrics of decisions they are ours."""


@dataclasses.dataclass(frozen=True)
class Influence:
    """A metric on test rows with the influence of each row.

    Attributes
    ----------
    metric : str
        Which.
    value : float
        The metric, as it is always computed.
    atoms : Atoms
        The influence values behind it.
    padded : Functional or None
        Value and influence values of the cells with pseudo-rows, from which a metric of decisions
        is tested; None for other metrics.
    pseudo : ndarray, shape (c,), or None
        The weights of the cells' pseudo-rows.
    noise : float
        The largest value and standard error that rounding alone makes.
    root : bool
        Whether the metric is the root of a mean.
    """

    metric: str
    value: float
    atoms: Atoms
    padded: Functional | None = None
    pseudo: FloatArray | None = None
    noise: float = NOISE
    root: bool = False

    @property
    def psi(self) -> FloatArray:
        """Influence values of the rows, shape (n,).

        Their mean is 0; the value plus their mean over other rows is what the metric would be
        there, to first order.
        """
        return self.atoms.of_rows(self.atoms.psi)

    @property
    def drawn_from(self) -> FloatArray:
        """Influence values of the rows, with pseudo-rows where there are none without."""
        if self.padded is not None and not np.isfinite(self.atoms.psi).all():
            return self.atoms.of_rows(self.padded.psi)
        return self.psi

    @cached_property
    def spread(self) -> Spread:
        """Standard error and degrees of freedom of the plain value."""
        return self.atoms.spread(self.atoms.psi)

    @property
    def estimate(self) -> float:
        """What intervals and tests are about: the plain value, or that with pseudo-rows."""
        return self.value if self.padded is None else self.padded.value

    @cached_property
    def tested(self) -> Spread:
        """Standard error and degrees of freedom that intervals and tests are made of."""
        if self.padded is None:
            return self.spread
        return self.atoms.spread(self.padded.psi, self.pseudo)

    @cached_property
    def of_groups(self) -> GroupSums | None:
        """The value to first order as a mean over groups; None where rows stand alone."""
        clusters, leverage = self.atoms.clusters, self.atoms.leverage
        if clusters is None or leverage is None or not leverage.df > 0:
            return None
        shares = leverage.shares
        psi = self.drawn_from
        sums = np.bincount(clusters, psi - psi.mean(), len(shares)) / len(psi)
        return GroupSums(sums + shares * self.value, shares)

    @property
    def design_effect(self) -> float:
        """Variance over that of independent rows, at least 1; NaN where neither is known."""
        alone = dataclasses.replace(self.atoms, clusters=None, leverage=None)
        se = alone.spread(self.atoms.psi).se
        return max(1.0, (self.spread.se / se) ** 2) if se > 0 else math.nan

    def __neg__(self) -> Influence:
        return dataclasses.replace(
            self,
            value=-self.value,
            atoms=dataclasses.replace(self.atoms, psi=-self.atoms.psi),
            padded=None if self.padded is None else -self.padded,
        )

    def __sub__(self, other: Influence) -> Influence:
        """Return the difference of two models row by row, without pseudo-rows."""
        shared = self.atoms
        first, second = self._weights(other)
        psi = first * self.psi - second * other.psi
        atoms = Atoms(psi, shared.clusters, leverage=shared.leverage)
        noise = max(self.noise, other.noise)
        return Influence(self.metric, self.value - other.value, atoms, noise=noise)

    def _weights(self, other: Influence) -> tuple[float, float]:
        """Weigh the influence values of roots so that their difference is that of the squares."""
        # √a − √b = (a − b)/(√a + √b). Where few units carry a root its own influence values give a
        # row that both models miss by far too little weight, the less the larger the root is.
        carried = min(self.spread.df, other.spread.df) < self.spread.units / 3
        if not (self.root and self.value and other.value and carried):
            return 1.0, 1.0
        both = (self.value + other.value) / 2
        return self.value / both, other.value / both


@dataclasses.dataclass(frozen=True)
class Atoms:
    """Influence values of rows, or of the cells of a table that rows fall into."""

    psi: FloatArray
    clusters: Codes | None = None
    cells: JointCells | None = None
    leverage: Leverage | None = None

    def of_rows(self, psi: FloatArray) -> FloatArray:
        """Return the values of the rows, given those of rows or cells."""
        return psi if self.cells is None else psi[self.cells.index]

    def spread(self, psi: FloatArray, pseudo: FloatArray | None = None) -> Spread:
        """Return the spread of influence values of these rows or cells."""
        extra = None if pseudo is None else (psi, pseudo)
        if self.cells is None or self.clusters is not None:
            rows = self.of_rows(psi)
            return spread(rows, clusters=self.clusters, pseudo=extra, leverage=self.leverage)
        return spread(psi, weights=self.cells.weights, pseudo=extra)


@checked
def influence(
    y_true: ArrayLike,
    predicted: ArrayLike,
    **options: Unpack[MetricArguments],
) -> Influence:
    """Return a metric of one model on test rows with the influence of each row.

    Parameters
    ----------
    predicted : array_like, shape (n,) or (n, K)
        Predicted classes, for metrics of decisions; else scores of the positive class or
        probabilities with a column for each class.

    Returns
    -------
    Influence

    Examples
    --------
    >>> found = influence([1, 1, 1, 0, 0], [1, 1, 0, 0, 1], metric="recall")
    >>> round(found.value, 3), found.psi.round(3).tolist()
    (0.667, [0.556, 0.556, -1.111, 0.0, 0.0])
    """
    setting, (rows,) = setting_of(y_true, [("predicted", predicted)], **options)
    return one(setting, rows)


def one(setting: Setting, rows: Any, counts: NDArray[np.int64] | None = None) -> Influence:
    """Return the influence values of one model."""
    metric, clusters, leverage = setting.metric, setting.clusters, setting.leverage
    if metric.form is Form.DECISIONS:
        cells = joint_cells(setting.classes, [rows], counts, right=metric.mean_of_rows)
        plain, padded = (_of_model(cells, setting, 0, more) for more in (0.0, PLUS_FOUR))
        return _of_cells(setting, plain, padded, cells, PLUS_FOUR)
    if metric.form is Form.LEFT_OUT:
        functional, clusters = left_out(by_rows(setting, rows), setting.truth.n, clusters)
        leverage = leverage_of(clusters)
    else:
        functional = _formula(setting, setting.view(rows))
    # numbers and costs may have a unit of any size
    bounded = all(map(math.isfinite, metric.range)) and not isinstance(setting.truth, TrueNumbers)
    noise = NOISE if bounded else NOISE * abs(functional.value)
    atoms = Atoms(functional.psi, clusters, leverage=leverage)
    return Influence(metric.name, functional.value, atoms, noise=noise, root=metric.root)


def pair(
    setting: Setting, rows_a: Any, rows_b: Any, counts: NDArray[np.int64] | None = None
) -> Influence:
    """Return influence values of the difference A − B by a metric of decisions."""
    right = setting.metric.mean_of_rows
    cells = joint_cells(setting.classes, [rows_a, rows_b], counts, right=right)

    def contrast(more: float) -> Functional:
        parts = []
        for model, name in enumerate("AB"):
            try:
                parts.append(_of_model(cells, setting, model, more))
            except NoValue as reason:
                raise NoValue(f"model {name}: {reason}") from None
        return parts[0] - parts[1]

    return _of_cells(setting, contrast(0.0), contrast(PLUS_TWO), cells, PLUS_TWO)


def mean_value(setting: Setting, values: FloatArray) -> Influence:
    """Return the influence values of the mean of a number per row."""
    return dataclasses.replace(one(setting, values), noise=NOISE * largest(values))


def by_rows(setting: Setting, rows: Any) -> OwnMetric:
    """Return a metric of one model as a function of row numbers."""
    view = setting.view(rows)
    return lambda at: setting.metric.value(view.take(at))


def _of_cells(
    setting: Setting, plain: Functional, padded: Functional, cells: JointCells, more: float
) -> Influence:
    atoms = Atoms(plain.psi, setting.clusters, cells, setting.leverage)
    return Influence(setting.metric.name, plain.value, atoms, padded, cells.pseudo(more))


def _formula(setting: Setting, rows: View | NumberView | Cells) -> Functional:
    """Return a metric with influence values."""
    assert setting.metric.formula is not None
    return setting.metric.formula(rows)


def _of_model(joint: JointCells, setting: Setting, model: int, more: float) -> Functional:
    """Return the metric of one model, of cells with some more weight, spread evenly."""
    cells, truth = joint.of_model(joint.weights + joint.pseudo(more), model), setting.classes
    functional = _formula(setting, Cells(*cells, truth.classes, truth.positive, setting.options))
    return Functional(functional.value, joint.of_all(functional.psi, model))


MOST_LEFT_OUT = 5_000
"""With more rows, blocks of them are left out instead of one at a time."""
_BLOCKS = 200


def left_out(metric: OwnMetric, n: int, clusters: Codes | None) -> tuple[Functional, Codes | None]:
    """Return influence values from leaving out rows, blocks of rows, or clusters, and which."""
    value = _value(metric, np.arange(n), "all rows")
    codes = clusters
    if codes is None:
        codes = np.arange(n) if n <= MOST_LEFT_OUT else np.arange(n) % _BLOCKS
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    psi, keep = np.empty(n), np.ones(n, dtype=np.bool_)
    for part in parts:
        keep[part] = False
        without = _value(metric, np.flatnonzero(keep), f"the rows without {len(part)} of them")
        psi[part] = (n - len(part)) * (value - without) / len(part)
        keep[part] = True
    # leaving out is not quite symmetric: influence values have mean 0
    psi -= psi.mean()
    together = codes if clusters is not None or n > MOST_LEFT_OUT else None
    return Functional(value, psi), together


def _value(metric: OwnMetric, rows: NDArray[np.intp], which: str) -> float:
    try:
        value = float(metric(rows))
    except ValueError as reason:
        raise NoValue(f"on {which}: {reason}") from None
    if not math.isfinite(value):
        raise NoValue(f"on {which} it is {value}")
    return value
