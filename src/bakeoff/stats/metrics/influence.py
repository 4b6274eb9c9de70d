"""Influence values of any metric on one test set: what its standard error is made of."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Default, checked
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_scores,
    check_same_labels,
)
from bakeoff.stats.core.distributions import t_pvalue
from bakeoff.stats.core.paired_differences import largest, noise_level
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    Status,
    answered,
)
from bakeoff.stats.core.two_by_two import both_correct
from bakeoff.stats.design.clusters import as_clusters
from bakeoff.stats.design.groups import (
    FEWEST_CLUSTERS,
    GroupSums,
    Leverage,
    Spread,
    spread,
)
from bakeoff.stats.metrics.metric import (
    NO_OPTIONS,
    Carried,
    Cells,
    Codes,
    Form,
    Functional,
    Metric,
    Need,
    NoValue,
    Options,
    Truth,
    View,
    check_declared_order,
    coded,
    metric_called,
    numbers,
    read_probabilities,
    read_truth,
)

Models = Sequence[tuple[str, Any]]
"""What each model predicts, with the name of the argument that holds it."""
OfRows = Callable[[NDArray[np.intp]], float]
"""From row numbers (with repetitions) to the metric of those rows."""
NOISE = 1e-12
"""What rounding makes of a metric of classes; relative to the metric's size for numbers."""
_FEWEST_OF_A_CLASS = 5
"""With fewer rows of a class that a metric is conditional on there is no answer."""
_MOST_CELLS = 2**26
"""More would take gigabytes: of two models some 400 classes, of one some 8,000."""
_MOST_CLASSES = 8
"""With more classes counting the rows of a pair by themselves is as quick."""
PLUS_FOUR = 4.0
PLUS_TWO = 2.0
"""Weight of the pseudo-rows of one model and of a pair (Agresti & Coull 1998, Agresti & Min 2005).

For accuracies they give those papers' intervals; for other metrics of decisions they are ours."""
MOST_LEFT_OUT = 5_000
"""With more rows, blocks of them are left out instead of one at a time."""
_BLOCKS = 200
_ENOUGH_OF_A_CLASS = 20
_ENOUGH_CALLED = 10
_RECOMMENDED_GROUPS = 15
_OF_CALLED = "enough rows called positive"
OF_ONE_MODEL = ("enough rows of each class", _OF_CALLED, "the loss not dominated by few rows")
"""Assumptions of intervals of one model or of a pair, not of the best of many."""
CARRIED = "the difference carried by enough rows"
_ENOUGH_OF_ROWS = 10.0
"""Below that many effective degrees of freedom true nulls are rejected too often; see
benchmarks/regression.csv."""
_ENOUGH_ALONE = 5.0
_FEWEST_UNLIKE = 3
"""With fewer degrees of freedom of one model's R² or correlation single rows carry it; with fewer
rows that differ from all others rare values need not have occurred (benchmarks/passes.csv)."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A metric with its options on one test set."""

    metric: Metric
    truth: Truth
    clusters: Codes | None = None
    options: Options = NO_OPTIONS
    rounding: float = NOISE
    """The relative size of rounding errors in numbers that are given."""
    two_rows: bool = False
    """Whether two rows are enough, as of numbers of one or two models."""

    def __post_init__(self) -> None:
        if self.metric.binary and len(self.truth.classes) != 2:
            classes = len(self.truth.classes)
            raise ArgumentError(
                "metric",
                f"{self.metric} is for two classes, found {classes}; use {self.metric.instead}",
            )

    @cached_property
    def leverage(self) -> Leverage | None:
        """The leverage of the clusters: among rows, and for areas among those of each class."""
        if self.clusters is None:
            return None
        if self.metric.by_pairs:
            return Leverage.from_codes(self.clusters, self.truth.values)
        return Leverage.from_codes(self.clusters)

    def view(self, rows: Any) -> View:
        """Return what the metric looks at of what one model predicts."""
        view = View(
            self.truth,
            options=self.options,
            columns=self.metric.columns,
            grouped=self.clusters is not None,
        )
        if self.metric.by_order:
            return dataclasses.replace(view, given=rows)
        return dataclasses.replace(view, predicted=rows)

    def gain(self, influence: Influence) -> Influence:
        """Turn a metric of losses so that greater is better."""
        if self.metric.greater_is_better:
            return influence
        return -influence

    def of_rows(self, rows: Any) -> OfRows:
        """Return the metric of one model as a function of row numbers."""
        view = self.view(rows)

        def value(row_numbers: NDArray[np.intp]) -> float:
            return self.metric.value(view.take(row_numbers))

        return value

    @cached_property
    def _rows_of_classes(self) -> NDArray[np.intp]:
        """The rows of each class that the metric is conditional on, or of those that occur."""
        counts = self.truth.counts
        positive = self.truth.positive
        if self.metric.classes == "positive":
            return counts[positive : positive + 1]
        if self.metric.classes == "negative":
            return np.delete(counts, positive)
        return counts[counts > 0]

    @cached_property
    def lacks_rows_of_a_class(self) -> bool:
        """Whether a class on which the metric is conditional occurs, but in too few rows."""
        if self.metric.classes not in ("positive", "negative", "every"):
            return False
        counts = self._rows_of_classes
        return bool(((counts > 0) & (counts < _FEWEST_OF_A_CLASS)).any())

    @property
    def fewest(self) -> int:
        """The rows of the rarest class that the metric uses; -1 if it uses none."""
        if self.metric.classes:
            return int(self._rows_of_classes.min())
        return -1


class MetricArguments(TypedDict, total=False):
    """What every function of a metric on test rows takes."""

    metric: Annotated[str | Metric, Default("accuracy")]
    positive: object | None
    labels: ArrayLike | None
    groups: ArrayLike | None
    cost: ArrayLike | None
    priors: ArrayLike | None


def setting_of(
    y_true: ArrayLike,
    models: Models,
    metric: str | Metric = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> tuple[Setting, list[Any]]:
    """Check a metric, its truth, and what each model predicts: codes, probabilities or numbers."""
    metric = metric_called(metric)
    check_same_labels(y_true=y_true, **dict(models))
    if metric.needs is Need.NUMBERS:
        truth, rows = _read_numbers(y_true, models, metric, positive, labels)
    elif metric.by_order:
        truth = read_truth(coded(y_true, "y_true"), labels, positive)
        if labels is None and any(np.ndim(values) == 2 for _, values in models):
            check_declared_order(y_true, truth)
        rows = [read_probabilities(truth, values, name) for name, values in models]
    else:
        true = coded(y_true, "y_true")
        predicted = [(name, coded(values, name)) for name, values in models]
        truth = read_truth(true, labels, positive, predicted)
        classes = list(truth.classes)
        rows = [coded_labels.among(classes) for _, coded_labels in predicted]
    for (name, _), values in zip(models, rows, strict=True):
        if len(values) != truth.n:
            message = f"has {len(values)} rows, y_true has {truth.n}; pair them by id"
            raise ArgumentError(name, message)
    clusters = None
    if groups is not None:
        clusters = as_clusters(groups, truth.n).codes
    return Setting(metric, truth, clusters, Options(**options)), rows


def _read_numbers(
    y_true: ArrayLike, models: Models, metric: Metric, positive: Any, labels: ArrayLike | None
) -> tuple[Truth, list[NDArray[Any]]]:
    """Check numbers that are predicted, or given for each row."""
    for name, value in (("positive", positive), ("labels", labels)):
        if value is not None:
            raise ArgumentError(name, f"{metric} compares numbers, which have no classes")
    observed = None
    if metric.computed:
        observed = as_scores(y_true, "y_true", unit="rows")
    rows: list[NDArray[Any]] = [as_scores(values, name, unit="rows") for name, values in models]
    # the numbers are values, not predictions
    if observed is None:
        observed = np.full(len(rows[0]), math.nan)
    return Truth(observed), rows


def setting_of_values(
    models: Models, greater_is_better: bool, groups: ArrayLike | None
) -> tuple[Setting, list[FloatArray]]:
    """Check a number per row of each model, whose mean is the metric."""
    metric = numbers("values", greater_is_better=greater_is_better)
    setting, rows = setting_of((), models, metric, groups=groups)
    rounding = noise_level(*(values for _, values in models))
    return dataclasses.replace(setting, rounding=rounding, two_rows=len(rows) <= 2), rows


@dataclasses.dataclass(frozen=True)
class Table:
    """The table of true classes and those that one or two models predict."""

    codes: tuple[Codes, ...]
    classes: tuple[Codes, ...]  # along each axis those that can occur
    shares: FloatArray  # of the pseudo-rows in each cell
    of_all_classes: NDArray[np.int64] | None

    @classmethod
    def count(
        cls, setting: Setting, models: Sequence[Codes], counts: NDArray[np.int64] | None = None
    ) -> Table:
        """Count the rows in the cells; of accuracy in those where each model is right or wrong."""
        occurring = _occurring_classes(setting.truth, models, counts)
        if setting.metric.mean_of_rows and len(setting.truth.classes) > _MOST_CLASSES:
            return cls._right_and_wrong(setting.truth, models, counts, len(occurring))
        # the pseudo-rows are spread evenly over all cells that can occur
        true = np.flatnonzero(setting.truth.counts)
        classes = (true, *[occurring] * len(models))
        sizes = [len(axis) for axis in classes]
        n_cells = math.prod(sizes)
        if n_cells > _MOST_CELLS:
            most = round(_MOST_CELLS ** (1 / len(sizes)))
            raise ArgumentError(
                "metric",
                "it is computed from a table of true and predicted classes, which takes up to "
                f"about {most:,} classes for {len(models)} model(s), found "
                f"{len(occurring):,}; use accuracy or log_loss",
            )
        shares = np.full(sizes, 1 / n_cells)
        return cls((setting.truth.values, *models), classes, shares, counts)

    @classmethod
    def _right_and_wrong(
        cls,
        truth: Truth,
        models: Sequence[Codes],
        counts: NDArray[np.int64] | None,
        n_classes: int,
    ) -> Table:
        """Count in the cells where each model is right (0) or wrong (1)."""
        # of pseudo-rows that are spread evenly over the classes one in `n_classes` is right
        of_one_model = np.array([1, n_classes - 1]) / n_classes
        shares = np.ones(1)
        for _ in models:
            shares = np.multiply.outer(shares, of_one_model)
        codes = [np.zeros_like(truth.values)]
        classes = [np.arange(1)]
        for predicted in models:
            codes.append((predicted != truth.values).astype(np.intp))
            classes.append(np.arange(2))
        return cls(tuple(codes), tuple(classes), shares, counts)

    @cached_property
    def counts(self) -> FloatArray:
        """The rows in each cell, of the shape of the table."""
        if self.of_all_classes is not None:
            return self.of_all_classes[np.ix_(*self.classes)].astype(np.float64)
        counts = np.bincount(self.index, minlength=self.shares.size)
        return counts.reshape(self.shares.shape).astype(np.float64)

    @cached_property
    def index(self) -> Codes:
        """The cell of each row."""
        index = np.zeros(1, dtype=np.intp)
        for codes, classes in zip(self.codes, self.classes, strict=True):
            # some classes in between do not occur
            if len(classes) <= classes[-1]:
                position = np.zeros(int(classes[-1]) + 1, dtype=np.intp)
                position[classes] = np.arange(len(classes))
                codes = position[codes]
            index = index * len(classes) + codes
        return index

    def metric(self, setting: Setting, model: int, pseudo: float) -> Functional:
        """Return the metric of one model with so many pseudo-rows, by cells."""
        two_models = len(self.classes) == 3
        axis_of_other = 2 - model
        # the metric of one model needs the margin over the other one's predictions
        counts = self.counts + pseudo * self.shares
        if two_models:
            counts = counts.sum(axis=axis_of_other)
        true = self.classes[0]
        predicted = self.classes[model + 1]
        cells = Cells(
            np.repeat(true, len(predicted)),
            np.tile(predicted, len(true)),
            counts.ravel(),
            setting.truth.classes,
            setting.truth.positive,
            setting.options,
        )
        assert setting.metric.formula is not None
        try:
            functional = setting.metric.formula(cells)
        except NoValue as reason:
            if two_models:
                raise NoValue(f"model {'AB'[model]}: {reason}") from None
            raise
        psi = functional.psi.reshape(counts.shape)
        if two_models:
            psi = np.broadcast_to(np.expand_dims(psi, axis_of_other), self.counts.shape)
        return Functional(functional.value, psi.ravel())


def _occurring_classes(
    truth: Truth, models: Sequence[Codes], counts: NDArray[np.int64] | None
) -> Codes:
    """Return the classes that are true or predicted in some row."""
    if counts is None:
        k = len(truth.classes)
        rows = truth.counts
        for predicted in models:
            rows = rows + np.bincount(predicted, minlength=k)
        return np.flatnonzero(rows)
    rows = np.zeros(len(counts), dtype=np.intp)
    for axis in range(counts.ndim):
        others = tuple(other for other in range(counts.ndim) if other != axis)
        rows = rows + counts.sum(axis=others)
    return np.flatnonzero(rows)


def pair_counts(truth: Truth, models: Sequence[Codes]) -> NDArray[np.int64] | None:
    """Count the rows of each true class and each two predicted ones, for all pairs of models."""
    k = len(truth.classes)
    m = len(models)
    if k > _MOST_CLASSES:
        return None
    counts = np.empty((k, m * k, m * k), dtype=np.int64)
    for true in range(k):
        rows = np.flatnonzero(truth.values == true)
        if len(rows) == 0:
            counts[true] = 0
            continue
        is_predicted = np.empty((m * k, len(rows)), dtype=np.bool_)
        for model, codes in enumerate(models):
            columns = slice(model * k, model * k + k)
            np.equal(codes[rows], np.arange(k)[:, None], out=is_predicted[columns])
        counts[true] = both_correct(is_predicted.T, None)
    return counts.reshape(k, m, k, m, k)


@dataclasses.dataclass(frozen=True)
class Influence:
    """A metric on test rows with the influence of each row.

    Attributes
    ----------
    value : float
        The metric, as it is always computed.
    values : ndarray, shape (n,) or (c,)
        The influence values of the rows, or of the cells of the table that they fall into.
    """

    value: float
    values: FloatArray
    groups: Leverage | None = None  # of the rows, with what their sums are divided by
    table: Table | None = None  # of a metric of decisions
    padded: Functional | None = None  # its value and influence with pseudo-rows, which is tested
    pseudo: float = 0.0  # how many pseudo-rows there are
    noise: float = NOISE  # the largest value and standard error that rounding alone makes
    root: bool = False  # whether the metric is the root of a mean

    @property
    def psi(self) -> FloatArray:
        """Influence values of the rows, shape (n,).

        Their mean is 0; the value plus their mean over other rows is what the metric would be
        there, to first order.
        """
        return self._of_rows(self.values)

    @property
    def drawn_from(self) -> FloatArray:
        """Influence values of the rows, with pseudo-rows where there are none without."""
        if self.padded is not None and not np.isfinite(self.values).all():
            return self._of_rows(self.padded.psi)
        return self.psi

    @cached_property
    def spread(self) -> Spread:
        """Standard error and degrees of freedom of the plain value."""
        return self._spread(self.values, 0.0)

    @property
    def estimate(self) -> float:
        """What intervals and tests are about: the plain value, or that with pseudo-rows."""
        if self.padded is None:
            return self.value
        return self.padded.value

    @cached_property
    def tested(self) -> Spread:
        """Standard error and degrees of freedom that intervals and tests are made of."""
        if self.padded is None:
            return self.spread
        return self._spread(self.padded.psi, self.pseudo)

    @cached_property
    def of_groups(self) -> GroupSums | None:
        """The value to first order as a mean over groups; None where rows stand alone."""
        if self.groups is None or not self.groups.df > 0:
            return None
        # θ + Σψ/n to first order: group k adds p_k·θ and its sum of influence values
        shares = self.groups.shares
        psi = self.drawn_from
        sums = np.bincount(self.groups.codes, psi - psi.mean(), len(shares)) / len(psi)
        return GroupSums(sums + shares * self.value, shares)

    @property
    def design_effect(self) -> float:
        """Variance over that of independent rows, at least 1; NaN where neither is known."""
        se = dataclasses.replace(self, groups=None).spread.se
        if se > 0:
            return max(1.0, (self.spread.se / se) ** 2)
        return math.nan

    def __neg__(self) -> Influence:
        padded = self.padded
        if padded is not None:
            padded = -padded
        return dataclasses.replace(self, value=-self.value, values=-self.values, padded=padded)

    def __sub__(self, other: Influence) -> Influence:
        """Return the difference of two models row by row, without pseudo-rows."""
        first, second = self._weights(other)
        psi = first * self.psi - second * other.psi
        noise = max(self.noise, other.noise)
        return Influence(self.value - other.value, psi, self.groups, noise=noise)

    def _weights(self, other: Influence) -> tuple[float, float]:
        """Weigh the influence values of roots so that their difference is that of the squares."""
        # √a − √b = (a − b)/(√a + √b). Where few units carry a root its own influence values give a
        # row that both models miss by far too little weight, the less the larger the root is.
        carried = min(self.spread.df, other.spread.df) < self.spread.units / 3
        if not (self.root and self.value and other.value and carried):
            return 1.0, 1.0
        both = (self.value + other.value) / 2
        return self.value / both, other.value / both

    def _of_rows(self, values: FloatArray) -> FloatArray:
        if self.table is None:
            return values
        return values[self.table.index]

    def _spread(self, values: FloatArray, pseudo: float) -> Spread:
        """Return the spread of influence values of these rows or cells, with pseudo-rows."""
        pseudo_rows = None
        if self.table is not None and pseudo:
            pseudo_rows = (values, pseudo * self.table.shares.ravel())
        if self.table is not None and self.groups is None:
            return spread(values, weights=self.table.counts.ravel(), pseudo=pseudo_rows)
        return spread(self._of_rows(values), pseudo=pseudo_rows, groups=self.groups)


@checked
def influence(
    y_true: ArrayLike, predicted: ArrayLike, **options: Unpack[MetricArguments]
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
    >>> recall = influence([1, 1, 1, 0, 0], [1, 1, 0, 0, 1], metric="recall")
    >>> round(recall.value, 3), recall.psi.round(3).tolist()
    (0.667, [0.556, 0.556, -1.111, 0.0, 0.0])
    """
    setting, (rows,) = setting_of(y_true, [("predicted", predicted)], **options)
    return one(setting, rows)


def one(setting: Setting, rows: Any) -> Influence:
    """Return the influence values of one model."""
    metric = setting.metric
    groups = setting.leverage
    if metric.form is Form.DECISIONS:
        table = Table.count(setting, [rows])
        plain = table.metric(setting, 0, 0.0)
        padded = table.metric(setting, 0, PLUS_FOUR)
        return Influence(plain.value, plain.psi, groups, table, padded, PLUS_FOUR)
    if metric.form is Form.LEFT_OUT:
        functional, blocks = left_out(setting.of_rows(rows), setting.truth.n, setting.clusters)
        groups = None
        if blocks is not None:
            groups = Leverage.from_codes(blocks)
    else:
        assert metric.formula is not None
        functional = metric.formula(setting.view(rows))
    noise = NOISE
    bounded = all(map(math.isfinite, metric.range))
    if not metric.computed:
        noise *= largest(rows)
    elif not setting.truth.classes or not bounded:
        # numbers and costs may have a unit of any size
        noise *= abs(functional.value)
    return Influence(functional.value, functional.psi, groups, noise=noise, root=metric.root)


def pair(
    setting: Setting, models: Sequence[Codes], counts: NDArray[np.int64] | None = None
) -> tuple[Influence, tuple[float, float]]:
    """Return the difference A − B by a metric of decisions, and the value of each."""
    table = Table.count(setting, models, counts)
    a = table.metric(setting, 0, 0.0)
    b = table.metric(setting, 1, 0.0)
    plain = a - b
    padded = table.metric(setting, 0, PLUS_TWO) - table.metric(setting, 1, PLUS_TWO)
    contrast = Influence(plain.value, plain.psi, setting.leverage, table, padded, PLUS_TWO)
    return contrast, (a.value, b.value)


def left_out(metric: OfRows, n: int, clusters: Codes | None) -> tuple[Functional, Codes | None]:
    """Return influence values from leaving out rows, blocks of rows, or clusters, and which."""
    value = _value(metric, np.arange(n), "all rows")
    codes = np.arange(n)
    of_single_rows = False
    if clusters is not None:
        codes = clusters
    elif n > MOST_LEFT_OUT:
        codes = np.arange(n) % _BLOCKS
    else:
        of_single_rows = True
    order = np.argsort(codes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    psi = np.empty(n)
    keep = np.ones(n, dtype=np.bool_)
    for part in parts:
        keep[part] = False
        without = _value(metric, np.flatnonzero(keep), f"the rows without {len(part)} of them")
        # ψ = (n − m)(θ − θ without the m rows)/m
        psi[part] = (n - len(part)) * (value - without) / len(part)
        keep[part] = True
    # leaving out is not quite symmetric: influence values have mean 0
    psi -= psi.mean()
    functional = Functional(value, psi)
    if of_single_rows:
        return functional, None
    return functional, codes


def _value(metric: OfRows, rows: NDArray[np.intp], which: str) -> float:
    try:
        value = float(metric(rows))
    except ValueError as reason:
        raise NoValue(f"on {which}: {reason}") from None
    if not math.isfinite(value):
        raise NoValue(f"on {which} it is {value}")
    return value


def decide(
    setting: Setting, contrast: Influence, side: Alternative, tested: Spread
) -> tuple[Status, float, float]:
    """Return status, t and p of a difference that is known so precisely."""
    noise = contrast.noise
    no_spread = contrast.spread.se <= noise
    # a single row or group has no spread
    if setting.two_rows and not contrast.psi.any():
        no_spread = True
    identical = abs(contrast.value) <= noise and no_spread
    t = math.nan
    pvalue = math.nan
    if too_few(setting, tested) and not (setting.two_rows and identical):
        status = Status.TOO_FEW
    elif identical:
        status = Status.IDENTICAL_SCORES
    elif tested.se <= noise:
        status = Status.ZERO_VARIANCE
    else:
        status = Status.OK
        if tested.se > 0:
            t = contrast.estimate / tested.se
        pvalue = t_pvalue(t, tested.df, side)
    t, pvalue = answered(status, t, pvalue, contrast.value)
    return status, t, pvalue


def too_few(setting: Setting, tested: Spread) -> bool:
    """Whether there are too few rows, of all or of a class, or too few groups for an answer."""
    fewest = FEWEST_CLUSTERS
    if setting.two_rows and setting.clusters is None:
        fewest = 2
    return tested.units < fewest or tested.df < 1 or setting.lacks_rows_of_a_class


def worth_of_groups(setting: Setting, influence: Influence) -> dict[str, float]:
    """Return how many groups the rows are in and what they are worth; empty without groups."""
    if setting.clusters is None:
        return {}
    effect = math.nan
    # a metric whose rows are left out in turn says nothing of single rows
    if setting.metric.form is not Form.LEFT_OUT:
        effect = influence.design_effect
    return {
        "n_clusters": int(influence.spread.units),
        "design_effect": effect,
        "n_effective": setting.truth.n / effect,
    }


def enough_rows(tested: Spread, values: Sequence[FloatArray] = ()) -> Assumption:
    """Say whether enough rows carry a difference, by the values of models if they are losses."""
    enough = tested.df >= min(_ENOUGH_OF_ROWS, tested.units / 3)
    detail = (
        f"{tested.df:.0f} effective degrees of freedom of the rows; below {_ENOUGH_OF_ROWS:.0f}, "
        "as with few errors or few large ones, intervals miss too often"
    )
    if not values:
        return Assumption(CARRIED, enough, detail)
    # a model's values that are nearly all the same do not show its rare ones
    n_unlike = min(_rows_unlike_median(values_of_model) for values_of_model in values)
    rare = max(1, round(tested.units / 10))
    detail += f", and errors on fewer than 1 of {rare:,} rows may be missing from these"
    if n_unlike < _FEWEST_UNLIKE:
        enough = False
        detail = f"a model has the same value on all rows but {n_unlike}; {detail}"
    if enough:
        return Assumption(CARRIED, None, detail)
    return Assumption(CARRIED, False, detail)


def _rows_unlike_median(values: FloatArray) -> int:
    middle = len(values) // 2
    median = np.partition(values, middle)[middle]
    return int(np.count_nonzero(values != median))


def assumptions(
    setting: Setting, tested: Spread, models: Sequence[Influence]
) -> tuple[Assumption, ...]:
    """Say what the rows tell of the assumptions of t intervals for one model or for several."""
    checks = [INDEPENDENT_ROWS]
    if setting.clusters is not None:
        checks = [_enough_groups(tested.units)]
    of_class = _enough_of_class(setting, models)
    if of_class is not None:
        checks.append(of_class)
    metric = setting.metric
    if len(models) > 1 and metric.needs is Need.NUMBERS and metric.form is Form.ROWS:
        if setting.clusters is None:
            checks.append(_enough_rows_of_numbers(metric, tested, models))
    elif metric.carried is not None:
        checks.append(not_carried_by_few(metric.carried, tested.df, tested.units))
    return tuple(checks)


def _enough_groups(units: float) -> Assumption:
    detail = (
        f"{units:.0f} groups; at least {_RECOMMENDED_GROUPS} are recommended and "
        f"{FEWEST_CLUSTERS} are required"
    )
    return Assumption("enough groups", units >= _RECOMMENDED_GROUPS, detail)


def _enough_of_class(setting: Setting, models: Sequence[Influence]) -> Assumption | None:
    """Judge the rows of the class that carries a metric; None where no class does."""
    metric = setting.metric
    fewest = setting.fewest
    name = "enough rows of each class"
    which = "of the rarest class"
    enough = _ENOUGH_OF_A_CLASS
    if metric.classes == "called" and models:
        name = _OF_CALLED
        which = "called positive"
        enough = _ENOUGH_CALLED
        # the net benefit of a row that is not called positive is 0
        net_benefits = [model.psi + model.value for model in models]
        fewest = min(int(np.count_nonzero(np.abs(x) > NOISE)) for x in net_benefits)
    if fewest < 0:
        return None
    detail = (
        f"{fewest} rows {which} that {metric.name} uses; below {enough} intervals are inaccurate"
    )
    return Assumption(name, fewest >= enough, detail)


def _enough_rows_of_numbers(
    metric: Metric, tested: Spread, models: Sequence[Influence]
) -> Assumption:
    """Say whether enough rows carry the difference of metrics of numbers."""
    enough = enough_rows(tested, [model.psi for model in models])
    if metric.mean_of_rows or metric.root or not metric.computed:
        return enough
    # a row that all models miss by far cancels in the difference of shares of variance
    df_of_one_model = min(model.spread.df for model in models)
    if df_of_one_model >= _ENOUGH_ALONE:
        return enough
    detail = f"{enough.detail}; {df_of_one_model:.0f} of one model, {_ENOUGH_ALONE:.0f} are needed"
    return Assumption(CARRIED, False, detail)


def not_carried_by_few(carried: Carried, df: float, units: float) -> Assumption:
    """Judge by the degrees of freedom whether few rows or groups dominate a metric."""
    detail = f"{df:.0f} effective degrees of freedom of {units:.0f} units; {carried.consequence}"
    if df < carried.share * units:
        return Assumption(carried.assumption, False, detail)
    if units < carried.shows_from:
        detail += f"; fewer than {carried.shows_from} do not show it"
        return Assumption(carried.assumption, None, detail)
    return Assumption(carried.assumption, True, detail)
