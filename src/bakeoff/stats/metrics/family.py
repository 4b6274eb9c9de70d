"""Many models on one test set: all pairs, a control with each other, and which may be best."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Default, Level, Resamples, Seed, checked
from bakeoff.stats.core.arithmetic import gram
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_scores
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.max_t import MAX_T, draw, largest_t
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    check_correction,
    pairs_of,
    simultaneous_level,
)
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.groups import (
    GroupSums,
    Leverage,
    Spread,
    agreeing,
    hull,
    max_flip,
    subset_limits,
)
from bakeoff.stats.metrics.influence import (
    OF_ONE_MODEL,
    Influence,
    MetricArguments,
    Setting,
    assumptions,
    decide,
    one,
    pair,
    pair_counts,
    setting_of,
    setting_of_values,
    worth_of_groups,
)
from bakeoff.stats.metrics.metric import (
    LOG,
    LOGIT,
    PLAIN,
    Form,
    Metric,
    Need,
    NoValue,
    Scale,
    metric_called,
)

FEWEST = 20
"""Rows of the rarest class (degrees of freedom of numbers per row) below which no model is left
out."""
ENOUGH = 40
"""Rows of the rarest class below which the set of best models is rough."""
ENOUGH_OF_AREAS = 100
"""The same of average precisions and of areas above `HIGH_AREA`."""
HIGH_AREA = 0.9
_BLOCK = 4096  # rows that stay in the cache


@dataclasses.dataclass(frozen=True)
class MetricFamily:
    """The models of one test set and what a metric says of each."""

    setting: Setting
    rows: list[Any]
    defined: dict[int, Influence]  # of the models whose metric has a value
    reasons: list[str]  # why the metric of a model has none

    @cached_property
    def _counts(self) -> NDArray[np.int64] | None:
        """The rows in the cells of every pair, where no row has to be told from another."""
        if self.setting.clusters is not None:
            return None
        return pair_counts(self.setting.truth, self.rows)

    @property
    def values(self) -> list[float]:
        """The metric of each model, greater is better; NaN where it has no value."""
        values = [math.nan] * len(self.rows)
        for model, influence in self.defined.items():
            values[model] = influence.value
        return values

    def contrast(self, a: int, b: int) -> Influence:
        """Return the influence values of the difference of two models that have values."""
        if self.setting.metric.form is Form.DECISIONS:
            counts = self._counts
            if counts is not None:
                counts = counts[:, a, :, b]
            influence, _ = pair(self.setting, [self.rows[a], self.rows[b]], counts)
            return self.setting.gain(influence)
        return self.defined[a] - self.defined[b]

    @cached_property
    def scale(self) -> Scale | None:
        """The scale on which the best is found: the metric's, else the logit or −log.

        None for metrics of decisions and those whose rows are left out.
        """
        metric = self.setting.metric
        if metric.form in (Form.DECISIONS, Form.LEFT_OUT):
            return None
        if metric.scale is PLAIN and metric.range[0] == 0:
            if metric.range[1] == 1:
                return LOGIT
            return LOG
        return metric.scale

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the metrics of models with values, shape (K, K); NaN of one unit."""
        columns = [single.drawn_from for single in self.defined.values()]
        table = np.empty((len(columns[0]), len(columns)))
        # blocks of rows that stay in the cache
        for start in range(0, len(table), _BLOCK):
            for model, column in enumerate(columns):
                table[start : start + _BLOCK, model] = column[start : start + _BLOCK]
        first = next(iter(self.defined.values()))
        return covariance_of(table, first.groups)


def covariance_of(rows: FloatArray, groups: Leverage | None) -> FloatArray:
    """Return the covariance of means of influence values, shape (n, K); NaN of one unit."""
    n, k = rows.shape
    if groups is None:
        if n < 2:
            return np.full((k, k), np.nan)
        return np.asarray(n / (n - 1) * gram(rows) / n**2)
    if not groups.df > 0:
        return np.full((k, k), np.nan)
    order = np.argsort(groups.codes, kind="stable")
    starts = np.flatnonzero(np.diff(groups.codes[order], prepend=-1))
    # each group's sum with its leverage taken out, as CR2 does
    divided = rows / groups.root[:, None]
    sums = np.asarray(np.add.reduceat(divided[order], starts, axis=0))
    return np.asarray(groups.factor * gram(sums) / n**2)


def read_family(
    y_true: ArrayLike,
    predicted: ArrayLike,
    metric: str | Metric = "accuracy",
    **options: Any,
) -> MetricFamily:
    """Read truth and predictions of all models, and find each model's influence values."""
    metric = metric_called(metric, smooth=True)
    columns = _model_columns(predicted, metric)
    setting, rows = setting_of(
        y_true, [("predicted", column) for column in columns], metric, **options
    )
    return _family(setting, rows)


def _model_columns(predicted: Any, metric: Metric) -> Any:
    """Return what each model predicts, from a list of columns or a table of models."""
    if isinstance(predicted, list) and all(hasattr(c, "categories") for c in predicted):
        return predicted
    table = as_array(predicted, "predicted")
    most_dimensions = 2
    shape = "(n, M)"
    if metric.by_order:
        most_dimensions = 3
        shape = "(n, M) or (n, M, K)"
    if not 2 <= table.ndim <= most_dimensions or table.shape[1] < 2:
        raise ArgumentError(
            "predicted", f"expected shape {shape}, rows by M >= 2 models, found {table.shape}"
        )
    return np.moveaxis(table, 1, 0)


def family_of_values(
    values: ArrayLike, greater_is_better: bool, groups: ArrayLike | None = None
) -> MetricFamily:
    """Take numbers per row and model, shape (n, M), as a family."""
    table = as_scores(values, "values", ndim=2, unit="rows")
    if table.shape[1] < 2:
        raise ArgumentError("values", f"found {table.shape[1]} model(s), at least 2 are compared")
    columns = [("values", column) for column in table.T]
    setting, rows = setting_of_values(columns, greater_is_better, groups)
    return _family(dataclasses.replace(setting, two_rows=False), rows)


def _family(setting: Setting, rows: list[Any]) -> MetricFamily:
    defined = {}
    reasons = [""] * len(rows)
    for model, values in enumerate(rows):
        try:
            defined[model] = setting.gain(one(setting, values))
        except NoValue as reason:
            reasons[model] = str(reason)
    return MetricFamily(setting, rows, defined, reasons)


class FamilyArguments(TypedDict, total=False):
    """The options of a comparison of all pairs, or of a control with each other model."""

    control: int | None
    correction: Annotated[str, Default(MAX_T)]
    alternative: Annotated[Alternative, Default("two-sided")]
    confidence_level: Annotated[Level, Default(0.95)]
    simultaneous: Annotated[bool, Default(True)]
    n_resamples: Annotated[Resamples, Default(99_999)]
    seed: Annotated[Seed, Default(0)]


class _Arguments(FamilyArguments, MetricArguments):
    """The options of a family, and those of its metric."""


@checked
def compare_models(
    y_true: ArrayLike, predicted: ArrayLike, **options: Unpack[_Arguments]
) -> PairwiseResult:
    """Test the differences of a metric between all pairs of models, or from a control."""
    # By default p-values are adjusted step by step by the largest statistic among those not yet
    # rejected, drawn from the covariance of the influence values (Hothorn, Bretz & Westfall 2008).
    # In groups no p-value is smaller than that by sign flips of whole groups, and intervals hold 0
    # where the adjusted p-value does not reject (the raw one if they are not simultaneous).
    of_metric: dict[str, Any] = {}
    of_family: dict[str, Any] = {}
    for name, value in options.items():
        if name in FamilyArguments.__annotations__:
            of_family[name] = value
        else:
            of_metric[name] = value
    return compare_all(read_family(y_true, predicted, **of_metric), **of_family)


@checked
def compare_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    **options: Unpack[FamilyArguments],
) -> PairwiseResult:
    """Test the mean differences of numbers that many systems have on the same rows."""
    # As `metric_difference` does for all pairs (Hothorn, Bretz & Westfall 2008): in groups that is
    # the form ``t_and_flips`` of `mean_difference`.
    return compare_all(family_of_values(values, greater_is_better, groups), **options)


def compare_all(
    family: MetricFamily,
    *,
    control: int | None = None,
    correction: str = MAX_T,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 99_999,
    seed: Seed = 0,
) -> PairwiseResult:
    """Compare all pairs of a family that has been read; see `compare_models`."""
    side = alternative
    level = confidence_level
    metric = family.setting.metric
    members = pairs_of(len(family.rows), control)
    method = check_correction(correction, control, side, MAX_T)
    tests = [_test_pair(family, a, b, side) for a, b in members]
    estimate, se, df, t, raw = np.array([test.numbers for test in tests]).T
    ok = np.array([test.status is Status.OK for test in tests])

    # in groups no p-value is smaller than that by sign flips of whole groups
    groups = _joint_sums(tests)
    flips = None
    if groups is not None:
        flips = max_flip(groups, se[ok], side)
        raw[ok] = np.maximum(raw[ok], flips[0])

    single_step = np.full(len(members), math.nan)
    level_each = level
    tail: Any
    if method == MAX_T:
        adjusted = np.where(np.isnan(raw), math.nan, 1.0)
        tail = tail_probability(level, side)
        if ok.any():
            columns = np.searchsorted(list(family.defined), np.array(members)[ok])
            largest = largest_t(
                t[ok], df[ok], columns, family.covariance, level, side, n_resamples, seed
            )
            single_step[ok] = largest.single_step
            adjusted[ok] = largest.step_down
            if flips is not None:
                adjusted[ok] = np.maximum(adjusted[ok], flips[1])
            if simultaneous:
                tail = special.ndtr(-largest.quantile)
        # no adjusted p below its own p, which the draws may miss by chance
        adjusted = np.fmax(adjusted, raw)
    else:
        adjusted = adjust_pvalues(raw, method)
        if simultaneous:
            level_each = simultaneous_level(level, len(members), method)
        tail = tail_probability(level_each, side)

    # estimate ± t·se, of all together with the quantile of the largest t
    reach = -special.stdtrit(df, tail) * se
    bounds = _bounds(metric)
    intervals = [_interval(estimate[i], reach[i], level, side, bounds) for i in np.flatnonzero(ok)]
    if groups is not None:
        decisive = raw
        level_of_subsets = level
        if simultaneous:
            decisive = adjusted
            level_of_subsets = simultaneous_level(level, len(members), "bonferroni")
        intervals = _with_subsets_of_groups(
            intervals, groups, estimate[ok], decisive[ok], level_of_subsets, level, side, bounds
        )
    ci_of_pair = dict(zip(np.flatnonzero(ok).tolist(), intervals, strict=True))

    pairs = []
    for i, test in enumerate(tests):
        pair_of_models = Pair(
            a=test.a,
            b=test.b,
            statistic=test.t,
            pvalue=float(raw[i]),
            pvalue_adjusted=float(adjusted[i]),
            estimate=test.value,
            ci=ci_of_pair.get(i),
            df=test.df,
            status=test.status,
            details=test.details,
        )
        pairs.append(pair_of_models)
    return _family_result(
        family,
        pairs,
        correction=method,
        alternative=side,
        assumptions=_assumptions(family, tests),
        single_step=single_step,
    )


@dataclasses.dataclass(frozen=True)
class _PairTest:
    """The test of two models; the influence of each row is not kept."""

    a: int
    b: int
    status: Status = Status.UNDEFINED
    value: float = math.nan
    estimate: float = math.nan
    spread: Spread | None = None
    t: float = math.nan
    pvalue: float = math.nan
    of_groups: GroupSums | None = None
    details: dict[str, float] = dataclasses.field(default_factory=dict)

    @property
    def df(self) -> float | None:
        """Degrees of freedom; None where a metric has no value."""
        if self.spread is None:
            return None
        return self.spread.df

    @property
    def numbers(self) -> tuple[float, float, float, float, float]:
        """Estimate, standard error, degrees of freedom, t and p."""
        if self.spread is None:
            return (math.nan,) * 5
        return self.estimate, self.spread.se, self.spread.df, self.t, self.pvalue


def _test_pair(family: MetricFamily, a: int, b: int, side: Alternative) -> _PairTest:
    """Test the difference of two models by itself."""
    if a not in family.defined or b not in family.defined:
        return _PairTest(a, b)
    contrast = family.contrast(a, b)
    spread = contrast.tested
    status, t, pvalue = decide(family.setting, contrast, side, spread)
    details = {"se": spread.se, **worth_of_groups(family.setting, contrast)}
    return _PairTest(
        a,
        b,
        status,
        contrast.value,
        contrast.estimate,
        spread,
        t,
        pvalue,
        contrast.of_groups,
        details,
    )


def _interval(
    estimate: float,
    reach: float,
    level: float,
    side: Alternative,
    bounds: tuple[float, float],
) -> ConfidenceInterval:
    """Return estimate ± reach within bounds; a one-sided interval has one limit."""
    low = -math.inf
    high = math.inf
    if side != "less":
        low = float(max(estimate - reach, bounds[0]))
    if side != "greater":
        high = float(min(estimate + reach, bounds[1]))
    return ConfidenceInterval(low, high, level, "t")


def _with_subsets_of_groups(
    intervals: list[ConfidenceInterval],
    groups: GroupSums,
    estimates: FloatArray,
    pvalues: FloatArray,
    level_of_subsets: float,
    level: float,
    side: Alternative,
    bounds: tuple[float, float],
) -> list[ConfidenceInterval]:
    """Widen each interval to what subsets of groups allow, and to what its p-value says."""
    tail = tail_probability(level_of_subsets, side)
    lows, highs = subset_limits(groups.sums, groups.shares, tail)
    widened = []
    for i, interval in enumerate(intervals):
        ci = hull(interval, [lows[i], highs[i]], side, bounds)
        widened.append(agreeing(ci, float(pvalues[i]), 1 - level, float(estimates[i]), side))
    return widened


def _joint_sums(tests: list[_PairTest]) -> GroupSums | None:
    """Put the sums of groups of all pairs together; None where sign flips say nothing."""
    sums = []
    shares = None
    for test in tests:
        if test.status is Status.OK and test.of_groups is not None:
            sums.append(test.of_groups.sums)
            if shares is None:
                shares = test.of_groups.shares
    if shares is None:
        return None
    together = GroupSums(np.column_stack(sums), shares)
    if together.many_alike:
        return None
    return together


def _bounds(metric: Metric) -> tuple[float, float]:
    """Return between what a difference of two values lies."""
    low, high = metric.range
    return low - high, high - low


def _assumptions(family: MetricFamily, tests: list[_PairTest]) -> tuple[Assumption, ...]:
    """Judge by the pair with the fewest degrees of freedom."""
    spreads = [test.spread for test in tests if test.spread is not None]
    if not spreads:
        return ()
    fewest = min(spreads, key=lambda spread: spread.df)
    return assumptions(family.setting, fewest, [*family.defined.values()])


def _family_result(
    family: MetricFamily,
    pairs: list[Pair],
    *,
    correction: str,
    alternative: Alternative,
    assumptions: tuple[Assumption, ...],
    single_step: FloatArray,
) -> PairwiseResult:
    metric = family.setting.metric
    test = "mean_difference"
    if metric.computed:
        test = "metric_difference"
    method = "satterthwaite1946"
    if correction == MAX_T:
        method = "hothorn2008"
    status = pairs[0].status
    if Status.OK in {pair_of_models.status for pair_of_models in pairs}:
        status = Status.OK
    sign = -1
    if metric.greater_is_better:
        sign = 1
    return PairwiseResult(
        test=test,
        variant=metric.name,
        correction=correction,
        pairs=tuple(pairs),
        n=family.setting.truth.n,
        null_hypothesis="The two models of the pair have the same "
        f"{metric.name} on the population that the test rows were drawn from.",
        method=method,
        alternative=alternative,
        status=status,
        assumptions=assumptions,
        details={
            "values": [sign * value for value in family.values],
            "reasons": family.reasons,
            "single_step": single_step,
        },
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class BestResult(Result):
    """The models that may be the best; `estimate` and `pvalue` are NaN.

    Attributes
    ----------
    scores : tuple of float
        Of each model, greater is better: losses with their sign turned; NaN where it has no value.
    members : tuple of int
        The models that are not shown to be worse than another: a best one is among them with
        the confidence that was asked for.
    pvalues : tuple of float
        Of each model, against "it is a best one" (Hsu 1984); NaN where its metric has no value.
    """

    scores: tuple[float, ...]
    members: tuple[int, ...]
    pvalues: tuple[float, ...]

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {"members": " ".join(map(str, self.members))}


@checked
def best_models(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
    **options: Unpack[MetricArguments],
) -> BestResult:
    """Return the set of models that may be the best.

    Multiple comparisons with the best (Hsu 1984): a model stays unless the largest of the t
    statistics by which others beat it exceeds the quantile of that maximum.

    Parameters
    ----------
    predicted : array_like, shape (n, M) or (n, M, K)
        As in `all_pairs` of `metric_difference`.
    confidence_level : float
        Probability that a best model is in the set.

    Examples
    --------
    >>> y = [1] * 20 + [0] * 20
    >>> models = np.transpose(
    ...     [[1] * 19 + [0] * 21, [1] * 17 + [0] * 21 + [1] * 2, [1] * 9 + [0] * 31])
    >>> result = best_models(y, models, metric="f1")
    >>> result.members
    (0, 1)
    """
    family = read_family(y_true, predicted, **options)
    return best_of(family, confidence_level, n_resamples, seed)


@checked
def best_by_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
) -> BestResult:
    """Return the set of systems that may be the best by numbers given per row.

    Parameters
    ----------
    values : array_like, shape (n, M)
        The value of each row (first axis) by each of M ≥ 2 systems.
    confidence_level : float
        As in `best_models`.
    """
    family = family_of_values(values, greater_is_better, groups)
    return best_of(family, confidence_level, n_resamples, seed)


def best_of(family: MetricFamily, level: float, n_resamples: int, seed: int) -> BestResult:
    """Find the best models of a family that has been read; see `best_models`."""
    setting = family.setting
    test = "best_by_values"
    if setting.metric.computed:
        test = "best_models"
    n_models = len(family.rows)
    status = Status.OK
    if not family.defined:
        status = Status.UNDEFINED
    elif setting.lacks_rows_of_a_class or not np.isfinite(family.covariance).all():
        status = Status.TOO_FEW
    if status is not Status.OK:
        unknown = (math.nan,) * n_models
        return BestResult(
            test=test,
            variant=setting.metric.name,
            statistic=math.nan,
            pvalue=math.nan,
            n=setting.truth.n,
            method="hsu1984",
            status=status,
            scores=unknown,
            members=(),
            pvalues=unknown,
        )

    rows, enough = _rows_of_rarest(family)
    leads = _leads(family)
    pvalues = np.full(n_models, math.nan)
    if rows >= FEWEST:
        draws, _ = draw(family.covariance, n_resamples, seed)
        sides = 2
        if family.scale is None:
            sides = 1
        for place, model in enumerate(family.defined):
            pvalues[model] = min(sides * _pvalue(leads, draws, place), 1.0)
    return BestResult(
        test=test,
        variant=setting.metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        n=setting.truth.n,
        null_hypothesis="The model is a best one of those compared.",
        method="hsu1984",
        status=status,
        assumptions=_assumptions_of_best(family, rows, enough),
        scores=tuple(family.values),
        # without a p-value a model stays
        members=tuple(model for model in family.defined if not pvalues[model] <= 1 - level),
        pvalues=tuple(pvalues.tolist()),
        details={"reasons": family.reasons},
    )


def _assumptions_of_best(family: MetricFamily, rows: int, enough: int) -> tuple[Assumption, ...]:
    """Judge whether the rows are enough for the set of the best, not for an interval."""
    best = max(family.defined.values(), key=lambda influence: influence.estimate)
    of_interval = assumptions(family.setting, best.tested, (best,))
    if family.scale is None:
        return of_interval
    counted = f"rows of the rarest class that {family.setting.metric.name} uses"
    if family.setting.metric.needs is Need.NUMBERS:
        counted = "degrees of freedom of the numbers per row"
    detail = (
        f"{rows} {counted}; below {FEWEST} no model is left out, below {enough} the set is rough"
    )
    of_several = [assumption for assumption in of_interval if assumption.name not in OF_ONE_MODEL]
    return (*of_several, Assumption("enough rows for the best", rows >= enough, detail))


def _rows_of_rarest(family: MetricFamily) -> tuple[int, int]:
    """Return the rows that the set rests on, and how many are enough for it."""
    # those of the rarest class, or the degrees of freedom of numbers per row
    metric = family.setting.metric
    if family.scale is None:
        return ENOUGH, ENOUGH
    if metric.needs is Need.NUMBERS:
        fewest_df = min(influence.tested.df for influence in family.defined.values())
        return int(fewest_df), 3 * FEWEST
    top = max(influence.value for influence in family.defined.values())
    enough = ENOUGH
    if metric.by_predicted or (metric.form is Form.RANKING and top > HIGH_AREA):
        enough = ENOUGH_OF_AREAS
    rows = family.setting.fewest
    if rows < 0:
        rows = enough
    return rows, enough


def _leads(family: MetricFamily) -> FloatArray:
    """Return by how many standard errors, as normal scores, model j (column) beats i (row)."""
    members = list(family.defined)
    scaled = _on_scale(family)
    z = np.full((len(members), len(members)), -math.inf)
    for i, j in pairs_of(len(members), None):
        a = members[j]
        b = members[i]
        contrast = family.contrast(a, b)
        status, t, _ = decide(family.setting, contrast, "two-sided", contrast.tested)
        if status is Status.OK:
            df = contrast.tested.df
            if family.scale is not None:
                df = min(df, family.defined[a].tested.df, family.defined[b].tested.df)
            if a in scaled and b in scaled:
                on_scale = scaled[a] - scaled[b]
                t = min(t, on_scale.value / on_scale.tested.se, key=abs)
            t = math.copysign(float(special.ndtri(special.stdtr(df, -abs(t)))), t)
        if status in (Status.OK, Status.ZERO_VARIANCE):
            z[i, j] = t
            z[j, i] = -t
    return z


def _on_scale(family: MetricFamily) -> dict[int, Influence]:
    """Return the models on the scale of the best, by the delta method; not at an end of it."""
    scale = family.scale
    if scale is None:
        return {}
    sign = -1
    if family.setting.metric.greater_is_better:
        sign = 1
    scaled = {}
    for model, influence in family.defined.items():
        slope = scale.slope(sign * influence.value)
        if slope > 0:
            value = sign * scale.forward(sign * influence.value)
            values = influence.values / slope
            scaled[model] = dataclasses.replace(influence, value=value, values=values)
    return scaled


def _pvalue(leads: FloatArray, draws: NDArray[np.float32], i: int) -> float:
    """Return P(max_j (D_j − D_i)/sd_ij ≥ max_j z_ij)."""
    lead = float(leads[i].max())
    # all are alike, or one is better by the same on every row
    if math.isinf(lead):
        if lead < 0:
            return 1.0
        return 1 / (len(draws) + 1)
    # D_j − D_i in standard deviations, D ~ N(0, V)
    differences = draws[:, leads[i] > -math.inf] - draws[:, [i]]  # without those treated alike
    largest = (differences / differences.std(axis=0)).max(axis=1)
    return float((1 + (largest >= lead).sum()) / (len(draws) + 1))
