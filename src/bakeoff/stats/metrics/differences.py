"""Any metric on one test set: the interval of one model and the difference of two.

Everything comes from influence values, one per row: their spread, or that of their sums over
clusters, gives standard errors; Student's t with degrees of freedom from the same values gives
intervals and tests.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core import two_by_two
from bakeoff.stats.core.arguments import Level, PositiveInt, Relation, Seed, Variants, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, paired_counts
from bakeoff.stats.core.distributions import t_pvalue, tail_probability, welch_f
from bakeoff.stats.core.max_t import largest_t, normal_scores
from bakeoff.stats.core.paired_differences import Differences, paired_differences
from bakeoff.stats.core.pairs import pairs_of
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import as_clusters, row_units
from bakeoff.stats.design.groups import (
    SOURCES,
    Leverage,
    Spread,
    mean_in_groups,
    spread,
    symmetric_differences,
)
from bakeoff.stats.metrics.family import (
    compare_models,
    compare_values,
    covariance_of,
)
from bakeoff.stats.metrics.influence import (
    Influence,
    MetricArguments,
    OfRows,
    Setting,
    assumptions,
    decide,
    one,
    pair,
    setting_of,
    setting_of_values,
    too_few,
    worth_of_groups,
)
from bakeoff.stats.metrics.metric import (
    METRICS,
    Codes,
    Form,
    Metric,
    NoValue,
    metric_called,
    rows_of,
    subgroup_rows,
)

_VARIANTS = Variants(("paired",), (*SOURCES, "t_and_flips"))
_RESAMPLES = 9_999  # of the bootstrap
_DRAWS = 99_999  # of the largest t of all pairs of subgroups
_SEED = 0
_NO_INTERVAL = "it has no known standard error"


def test_set_metrics() -> tuple[str, ...]:
    """Return the names of the metrics that `metric_ci` and `metric_difference` know."""
    return tuple(METRICS)


def looks_at(metric: str | Metric) -> str:
    """Return what a metric is computed from.

    Returns
    -------
    {"classes", "ranking", "probabilities"}
        Predicted classes; scores of the positive class, of which only the order counts; or
        probabilities of all classes. ``"classes"`` for a name that is no metric.
    """
    entry: Metric | None
    if isinstance(metric, str):
        entry = METRICS.get(metric)
    else:
        entry = metric
    if entry is None or not entry.by_order:
        return "classes"
    return entry.needs.value


test_set_metrics.__test__ = False  # type: ignore[attr-defined]


def limits_of_one(setting: Setting, model: Influence, tail: float) -> tuple[float, float] | None:
    """Return both limits of a metric on its scale, each missed with the probability of the tail."""
    metric = setting.metric
    spread = model.tested
    value = model.estimate
    if metric.by_pairs and value in (0.0, 1.0):
        # the exact limit of an area of 1
        limit = float(tail ** (1 / min(setting.truth.counts)))
        if value == 1:
            return (limit, 1.0)
        return (0.0, 1 - limit)
    if not spread.se > model.noise:
        return None
    half = -float(special.stdtrit(spread.df, tail)) * spread.se
    return metric.scale.limits(value, half)


def mover_interval(
    setting: Setting,
    a: Influence,
    b: Influence,
    difference: Influence,
    level: float,
    side: Alternative,
) -> tuple[float, float] | None:
    """Join the intervals of two areas with the correlation of their influence values."""
    # d − √((θ_A − l_A)² − 2r(θ_A − l_A)(u_B − θ_B) + (u_B − θ_B)²), mirrored above (Zou 2007),
    # with r = (se_A² + se_B² − se_d²)/(2 se_A se_B)
    tail = tail_probability(level, side)
    limits_a = limits_of_one(setting, a, tail)
    limits_b = limits_of_one(setting, b, tail)
    if limits_a is None or limits_b is None:
        return None
    se_a = a.tested.se
    se_b = b.tested.se
    se = difference.tested.se
    r = 0.0
    if se_a > 0 and se_b > 0:
        r = (se_a**2 + se_b**2 - se**2) / (2 * se_a * se_b)

    def joined(x: float, y: float) -> float:
        return math.sqrt(max(x**2 - 2 * r * x * y + y**2, 0.0))

    d = difference.value
    low = max(d - joined(a.value - limits_a[0], limits_b[1] - b.value), -1.0)
    high = min(d + joined(limits_a[1] - a.value, b.value - limits_b[0]), 1.0)
    if side == "less":
        low = -math.inf
    if side == "greater":
        high = math.inf
    return low, high


def bootstrap(metric: OfRows, n: int, clusters: NDArray[np.intp] | None = None) -> FloatArray:
    """Return a metric of resampled rows, or of whole clusters of them; NaN without a value."""
    rng = np.random.default_rng(_SEED)
    members = None
    units = n
    if clusters is not None:
        order = np.argsort(clusters, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
        units = len(members)
    replicates = np.full(_RESAMPLES, math.nan)
    for i in range(_RESAMPLES):
        rows = rng.integers(0, units, units)
        if members is not None:
            rows = np.concatenate([members[j] for j in rows])
        try:
            replicates[i] = metric(rows)
        except ValueError:
            continue
    return replicates


def bca_interval(
    estimate: float, replicates: FloatArray, psi: FloatArray, level: float
) -> ConfidenceInterval | None:
    """Return the BCa interval (Efron 1987); None if few resamples have a value or none differs."""
    ordered = np.sort(replicates[np.isfinite(replicates)])
    if len(ordered) < 0.9 * len(replicates) or ordered[0] == ordered[-1]:
        return None
    noise = 1e-12 * np.abs(ordered).max(initial=abs(estimate))
    ties = np.isclose(ordered, estimate, rtol=0, atol=noise)
    below = (ordered[~ties] < estimate).sum() + ties.sum() / 2
    # the estimate is beyond all resamples
    if below in (0, len(ordered)):
        return None
    # z₀ from the share of resamples below the estimate, a = Σψ³/(6 (Σψ²)^(3/2)):
    # the quantiles at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), with the bias z₀ and the acceleration a
    z0 = float(special.ndtri(below / len(ordered)))
    second = float((psi**2).sum())
    acceleration = 0.0
    if second > 0:
        acceleration = float((psi**3).sum()) / (6 * second**1.5)
    z = z0 + special.ndtri([(1 - level) / 2, (1 + level) / 2])
    # quantiles are interpolated on the normal scale (Davison & Hinkley)
    scale = special.ndtri(np.arange(1, len(ordered) + 1) / (len(ordered) + 1))
    low, high = np.interp(z0 + z / (1 - acceleration * z), scale, ordered).tolist()
    return ConfidenceInterval(low, high, level, "bca")


@dataclasses.dataclass(frozen=True)
class Answer:
    """What every result about one metric says, of one model or of the difference of two."""

    setting: Setting
    difference: bool = False
    side: Alternative = "two-sided"
    level: float = 0.95
    variant: str = ""  # the form of a test of values per row; others are named by their metric
    textbook: bool = False  # degrees of freedom are one less than there are units

    def of_one(self, influence: Influence) -> Result:
        """Return the result of one model."""
        metric = self.setting.metric
        if too_few(self.setting, influence.tested):
            return self._result(influence, Status.TOO_FEW)
        status = Status.ZERO_VARIANCE
        if influence.tested.se > influence.noise:
            status = Status.OK
        tail = tail_probability(self.level, "two-sided")
        limits = limits_of_one(self.setting, influence, tail)
        if limits is None:
            return self._result(influence, status)
        method = metric.scale.name
        if metric.by_pairs and influence.value in (0.0, 1.0):
            method = "exact"
        low = max(limits[0], metric.range[0])
        high = min(limits[1], metric.range[1])
        ci = ConfidenceInterval(low, high, self.level, method)
        if influence.of_groups is not None:
            ci = influence.of_groups.widened(ci, bounds=metric.range)
        return self._result(influence, status, ci)

    def of_pair(
        self, contrast: Influence, values: tuple[float, float], models: Sequence[Influence]
    ) -> Result:
        """Return the result of a difference, given the value of each model."""
        tested = self._tested(contrast)
        status, t, pvalue = decide(self.setting, contrast, self.side, tested)
        low, high = self.setting.metric.range
        bounds = (low - high, high - low)
        details = {"value_a": values[0], "value_b": values[1]}
        ci = None
        if status in (Status.OK, Status.IDENTICAL_SCORES) and tested.se > 0:
            estimate = tested.around(contrast.estimate)
            ci = estimate.interval(self.level, self.side, "t", bounds)
        if status is not Status.OK or ci is None:
            return self._result(contrast, status, ci, t, pvalue, details, models)

        if self.setting.metric.form is Form.RANKING:
            ci = self._with_mover(ci, contrast, models)
        if not self.textbook and contrast.of_groups is not None:
            details["pvalue_t"] = pvalue
            pvalue, ci = contrast.of_groups.with_flips(
                pvalue, ci, contrast.estimate, self.side, bounds
            )
        return self._result(contrast, status, ci, t, pvalue, details, models)

    def _with_mover(
        self, ci: ConfidenceInterval, contrast: Influence, models: Sequence[Influence]
    ) -> ConfidenceInterval:
        """Return the hull of an interval and of that made of the intervals of two areas."""
        a, b = models
        joined = mover_interval(self.setting, a, b, contrast, self.level, self.side)
        if joined is None:
            return ci
        low = min(ci.low, joined[0])
        high = max(ci.high, joined[1])
        return ConfidenceInterval(low, high, self.level, "hull")

    def bootstrapped(self, influence: Influence, metric: OfRows) -> Result:
        """Return the BCa interval of a metric that jumps when rows are left out; it has no test."""
        drawn = bootstrap(metric, self.setting.truth.n, self.setting.clusters)
        ci = bca_interval(influence.value, drawn, influence.psi, self.level)
        status = Status.ZERO_VARIANCE
        if ci is not None:
            status = Status.OK
        return self._result(influence, status, ci)

    def undefined(self, reason: str, estimate: float = math.nan) -> Result:
        """Return the result where the metric has no value, or no interval is known for it."""
        return Result(
            **self._facts,
            statistic=math.nan,
            pvalue=math.nan,
            estimate=estimate,
            status=Status.UNDEFINED,
            assumptions=(Assumption("a defined metric", False, reason),),
        )

    @property
    def _facts(self) -> dict[str, Any]:
        metric = self.setting.metric
        test = "mean"
        variant = self.variant
        if metric.computed:
            test = "metric"
            variant = metric.name
        method = metric.method
        null = ""
        if self.difference:
            test += "_difference"
            # the null hypothesis of means is in the catalogue
            if metric.computed:
                null = (
                    f"The two fitted models have the same {metric.title} on the population that "
                    "the test rows were drawn from."
                )
            if metric.form is Form.DECISIONS:
                method = "agresti2005"
        else:
            test += "_ci"
            if metric.form is Form.DECISIONS:
                method = "agresti1998"
        return {
            "test": test,
            "variant": variant,
            "alternative": self.side,
            "n": self.setting.truth.n,
            "null_hypothesis": null,
            "method": method,
        }

    def _tested(self, influence: Influence) -> Spread:
        tested = influence.tested
        if self.textbook:
            return Spread(tested.se, tested.units - 1, tested.units)
        return tested

    def _result(
        self,
        influence: Influence,
        status: Status,
        ci: ConfidenceInterval | None = None,
        t: float = math.nan,
        pvalue: float = math.nan,
        details: Mapping[str, float] = MappingProxyType({}),
        models: Sequence[Influence] = (),
    ) -> Result:
        tested = influence.tested
        groups = influence.of_groups
        checks = assumptions(self.setting, tested, models or (influence,))
        if self.difference and groups is not None:
            checks = (*checks, symmetric_differences(groups.shares, groups.sums))
        return Result(
            **self._facts,
            statistic=t,
            df=self._tested(influence).df,
            pvalue=pvalue,
            estimate=influence.value,
            ci=ci,
            status=status,
            assumptions=checks,
            details={
                "se": tested.se,
                "padded": influence.estimate,
                "se_plain": influence.spread.se,
                "df_plain": influence.spread.df,
                "units": tested.units,
                **worth_of_groups(self.setting, influence),
                **details,
            },
        )


@checked
def metric_ci(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[MetricArguments],
) -> Result:
    """Return a metric of one model on test rows with its standard error and interval.

    Metrics of decisions take the t interval of the table with four pseudo-rows spread over its
    cells (for accuracy: Agresti & Coull 1998); areas and average precision the t interval on the
    logit scale; means of a loss the t interval. Degrees of freedom come from the influence values.
    In groups the interval is the hull of that and of the limits from means of random subsets of
    groups (Hartigan 1969), which one dominant group does not mislead.

    Parameters
    ----------
    predicted : array_like, shape (n,) or (n, K)
        As in `influence`.

    Returns
    -------
    Result
        `estimate` is the metric, `pvalue` NaN; ``details`` holds ``se``, ``df``, ``padded`` (the
        centre of the interval). ``undefined``: the metric has no value here; ``too_few``: fewer
        than five rows of a class it is conditional on, or fewer than five groups;
        ``zero_variance``: no row differs from another, so that nothing is known of its spread.

    Examples
    --------
    >>> y, said = [1] * 10 + [0] * 10, [1] * 8 + [0] * 11 + [1]
    >>> result = metric_ci(y, said, metric="f1")
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.842, 0.582, 0.983)
    """
    models = [("predicted", predicted)]
    setting, (rows,) = setting_of(y_true, models, **options)
    answer = Answer(setting, level=confidence_level)
    try:
        if not setting.metric.interval:
            return answer.undefined(_NO_INTERVAL, setting.metric.value(setting.view(rows)))
        influence = one(setting, rows)
    except NoValue as reason:
        return answer.undefined(str(reason))
    if not setting.metric.smooth:
        return answer.bootstrapped(influence, setting.of_rows(rows))
    return answer.of_one(influence)


@register(
    evidence=Evidence.ROWS,
    citation="satterthwaite1946",
    all_pairs=compare_models,
)
def metric_difference(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    **options: Unpack[MetricArguments],
) -> Result:
    """Difference in a metric.

    Is one of these two fitted models better by the chosen metric?

    t = d/se with the standard error of the differences of influence values and Student's t with
    degrees of freedom from the same differences (after Satterthwaite 1946). For metrics of
    decisions, d and se are those of the table with two pseudo-rows spread over its cells (for
    accuracy: Agresti & Min 2005). The interval of a difference of areas is the hull of the t
    interval and of that made of the two logit intervals (Zou 2007).

    Returns
    -------
    Result
        `estimate` is A's advantage (for losses B − A), without pseudo-rows; ``details`` holds
        ``value_a``, ``value_b``, ``se``, ``df`` and the ``padded`` difference. Statuses as in
        `metric_ci`; ``identical_scores``: no row is treated differently, p 1.

    Warnings
    --------
    It refuses fewer than 5 rows of a class that the metric uses; with fewer than 20, or with a log
    loss dominated by few rows, its intervals are inaccurate. Where large errors are so rare that
    few or none are among the rows, its type I error exceeds the level. For all pairs of many models
    it is conservative where classes are rare.

    Examples
    --------
    >>> y, a = [1] * 20 + [0] * 20, [1] * 18 + [0] * 22
    >>> b = [1] * 11 + [0] * 26 + [1] * 3
    >>> result = metric_difference(y, a, b, metric="f1")
    >>> round(result.estimate, 3), round(result.pvalue, 4)
    (0.3, 0.003)

    For many models `all_pairs` adjusts by the largest statistic (Hothorn, Bretz & Westfall 2008),
    with ``correction="max-t"``.
    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    setting, rows = setting_of(y_true, models, **options)
    _, result = difference(setting, rows, alternative, confidence_level)
    return result


def difference(
    setting: Setting,
    rows: Sequence[Any],
    side: Alternative,
    level: float,
    variant: str = "",
    *,
    textbook: bool = False,
) -> tuple[Influence | None, Result]:
    """Return the influence of every row on a difference, better is greater, and its test."""
    metric = setting.metric
    a, b = rows
    answer = Answer(setting, True, side, level, variant, textbook)

    def advantage(row_numbers: NDArray[np.intp]) -> float:
        gain = setting.of_rows(a)(row_numbers) - setting.of_rows(b)(row_numbers)
        if metric.greater_is_better:
            return gain
        return -gain

    models: list[Influence] = []
    try:
        if not metric.interval:
            return None, answer.undefined(_NO_INTERVAL, advantage(np.arange(setting.truth.n)))
        if metric.form is Form.DECISIONS:
            contrast, values = pair(setting, rows)
        else:
            models = [one(setting, model) for model in rows]
            values = (models[0].value, models[1].value)
            if metric.computed:
                contrast = models[0] - models[1]
            else:
                contrast = one(setting, Differences.between(a, b, setting.rounding).values)
    except NoValue as reason:
        return None, answer.undefined(str(reason))
    contrast = setting.gain(contrast)
    if not metric.smooth:
        return None, answer.bootstrapped(contrast, advantage)
    of_rows = not metric.computed and setting.clusters is None and not textbook
    if of_rows and _only_marks(a) and _only_marks(b):
        return contrast, _of_marks(contrast, setting, rows, side, level)
    return contrast, answer.of_pair(contrast, values, models)


def _check_df(
    options: Mapping[str, Any], relation: Relation, models: int = 2, datasets: int = 1
) -> None:
    """Refuse the degrees of freedom of independent rows for a form that has others."""
    form = _VARIANTS.choose(options.get("variant"), relation)
    if options.get("df") == "rows" and form not in ("paired", "t_and_flips"):
        raise ArgumentError("df", f"'rows' is of paired and t_and_flips, the variant is {form}")


@checked
def mean_ci(
    values: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Return the mean of a number that one system has on each row, with its interval.

    As in `metric_ci`: Student's t interval, in groups its hull with the limits of their subsets.

    Parameters
    ----------
    values : array_like, shape (n,)
        The number of each row.

    Returns
    -------
    Result
        `estimate` is the mean, `pvalue` NaN. ``too_few``: fewer than two rows, or five groups.

    Examples
    --------
    >>> result = mean_ci([0.5, 0.7, 0.9, 0.4])
    >>> round(result.estimate, 3), round(result.ci.low, 3), round(result.ci.high, 3)
    (0.625, 0.272, 0.978)
    """
    setting, (rows,) = setting_of_values([("values", values)], True, groups)
    return Answer(setting, level=confidence_level).of_one(one(setting, rows))


@register(
    evidence=Evidence.ROWS,
    citation="satterthwaite1946",
    variants=_VARIANTS,
    check_options=_check_df,
    all_pairs=compare_values,
    all_pairs_from=100,
    in_time="diebold_mariano_means",
    null_hypothesis="The two systems have the same mean value on the population that the "
    "rows were drawn from.",
)
def mean_difference(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    variant: Literal[
        "paired", "sign_flip", "sign_flip_exact", "t_and_flips", "influence_t", "robust_t"
    ]
    | None = None,
    df: Literal["influence", "rows"] = "influence",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    n_resamples: PositiveInt = 9_999,
    seed: Seed = 0,
) -> Result:
    """Difference of means of a value per row.

    Does one of these two systems have the better mean of a value per row?

    For independent rows t = d̄/se on the differences: Student's paired t test, with fewer degrees
    of freedom where a few rows carry the variance (Satterthwaite 1946).

    Parameters
    ----------
    groups : array_like, shape (n,), optional
        Which rows belong together. Where each item was run several times, rows are runs and
        `groups` the items.
    variant : str, optional
        Independent rows have ``"paired"``. In groups ``"sign_flip"`` (default): mid-p over the
        signs of the group sums (Canay, Romano & Shaikh 2017). ``"sign_flip_exact"`` counts the
        observed sum in full: the one to take with fewer than eight groups. ``"robust_t"``: CR2
        variance with Bell & McCaffrey's (2002) degrees of freedom; with groups of one size the
        paired t test of the group means. ``"influence_t"``: the same with the degrees of freedom
        of the group sums (Satterthwaite 1946) where these are fewer. ``"t_and_flips"``: the
        larger p-value of a t test of the group sums and of exact sign flips, as
        `metric_difference` has it.
    df : {"influence", "rows"}
        Of ``"paired"`` and ``"t_and_flips"``: degrees of freedom from the differences, or one
        less than rows (groups), as in the textbook's paired t test, which then stands alone in
        groups, too.
    confidence_level : float
        Level of the interval: that of t for the t tests; for sign flips the hull of
        ``influence_t`` and of the limits from means of random subsets of groups (Hartigan 1969),
        which holds 0 where p ≥ 1 − `confidence_level`, and only there.
    n_resamples : int
        Draws of the signs where the sums are no whole numbers and more than 20 groups differ.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is A's mean advantage. Independent values that are all 0 or 1 have the p-value
        and the interval of `mcnemar`. ``too_few``: fewer than two rows, or than five groups.

    Warnings
    --------
    Where few rows dominate the difference (heavy-tailed losses), its type I error slightly exceeds
    the level. With few groups its p-value assumes that group effects are distributed symmetrically
    about zero, which cannot be tested.

    Examples
    --------
    >>> result = mean_difference([.9, .4, .8, .7, .9], [.6, .4, .5, .8, .5])
    >>> round(result.estimate, 2), round(result.pvalue, 3)
    (0.18, 0.137)
    """
    relation: Relation = "groups"
    if groups is None:
        relation = "independent"
    form = _VARIANTS.choose(variant, relation)
    _check_df({"variant": form, "df": df}, relation)
    if groups is not None and form != "t_and_flips":
        d = paired_differences(
            values_a, values_b, greater_is_better=greater_is_better, of_rows=True
        )
        _, units = row_units(len(d.values), groups, values_a=values_a)
        return mean_in_groups(
            d.values,
            d.noise,
            units,
            form,
            alternative,
            confidence_level,
            n_resamples,
            seed,
            {},
            null_hypothesis="Exchanging the two systems in a whole group changes nothing: their "
            "mean is the same on the population that the groups were drawn from.",
        )
    models = [("values_a", values_a), ("values_b", values_b)]
    setting, rows = setting_of_values(models, greater_is_better, groups)
    textbook = df == "rows"
    _, result = difference(setting, rows, alternative, confidence_level, form, textbook=textbook)
    return result


def _only_marks(values: FloatArray) -> bool:
    """Whether all values are 0 or 1."""
    return values[0] in (0, 1) and bool(np.isin(values, (0, 1)).all())


def _of_marks(
    contrast: Influence, setting: Setting, rows: Sequence[Any], side: Alternative, level: float
) -> Result:
    """Compare values that are all 0 or 1 as `mcnemar` does: mid-p, Newcombe's interval."""
    right = 0
    if setting.metric.greater_is_better:
        right = 1
    # of 0 and 1 the mean difference is that of two accuracies: McNemar's mid-p, Newcombe's limits
    counts = paired_counts(rows[0] == right, rows[1] == right)
    n = setting.truth.n
    only_a = counts["only_a_correct"]
    only_b = counts["only_b_correct"]
    cells = [float(count) for count in counts.values()]
    tail = tail_probability(level, side)
    low, high = two_by_two.difference_limits("newcombe", cells, tail, side)
    status = Status.IDENTICAL_SCORES
    if only_a + only_b:
        status = Status.OK
    return Result(
        variant="paired",
        statistic=float(only_a),
        pvalue=float(two_by_two.pvalue("midp", only_a, only_b, side)),
        alternative=side,
        estimate=(only_a - only_b) / n,
        ci=ConfidenceInterval(low, high, level, "newcombe"),
        n=n,
        status=status,
        assumptions=(INDEPENDENT_ROWS,),
        method=two_by_two.SOURCES["midp"],
        details={"se": contrast.tested.se, "units": n},
    )


@checked
def metric_interaction(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[MetricArguments],
) -> Result:
    """Test whether the difference in a metric between two models differs between subgroups.

    Welch's F over the differences inside each subgroup, with their standard errors and degrees of
    freedom from influence values (Welch 1951). Where groups of rows reach into several subgroups
    these are not independent: then the largest t of all pairs of subgroups is tested, drawn from
    the covariance of their influence values.

    Parameters
    ----------
    predicted_a, predicted_b : array_like, shape (n,) or (n, K)
        What A and B predict, in the same rows, as in `influence`.
    subgroup : array_like, shape (n,)
        The subgroup of each row; subgroups do not overlap.
    confidence_level : float
        Level of the interval inside each subgroup, by itself.

    Returns
    -------
    Result
        ``details`` holds ``subgroups`` with n, estimate, interval, p-value and status of each.
        `pvalue` is about the interaction: a small one says that the difference is not the same
        in all subgroups, and nothing of any one of them. Subgroups without an answer of their own
        leave the test, and ``too_few`` stands where fewer than two remain.

    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    setting, rows = setting_of(y_true, models, **options)
    metric_called(setting.metric, smooth=True)
    return _interaction("metric_interaction", setting, rows, subgroup, confidence_level)


@checked
def mean_interaction(
    values_a: ArrayLike,
    values_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    df: Literal["influence", "rows"] = "influence",
    confidence_level: Level = 0.95,
) -> Result:
    """Test whether the mean difference of numbers given per row differs between subgroups.

    Parameters
    ----------
    values_a, values_b, greater_is_better, groups, df
        As in `mean_difference`.
    subgroup, confidence_level
        As in `metric_interaction`.
    """
    models = [("values_a", values_a), ("values_b", values_b)]
    setting, rows = setting_of_values(models, greater_is_better, groups)
    textbook = df == "rows"
    return _interaction("mean_interaction", setting, rows, subgroup, confidence_level, textbook)


def _interaction(
    test: str,
    setting: Setting,
    rows: Sequence[Any],
    subgroup: ArrayLike,
    level: float,
    textbook: bool = False,
) -> Result:
    subgroups = {}
    parts = []
    for name, row_numbers in subgroup_rows(subgroup, setting.truth.n).items():
        inside = _inside(setting, row_numbers)
        predicted = [values[row_numbers] for values in rows]
        contrast, result = difference(inside, predicted, "two-sided", level, textbook=textbook)
        subgroups[str(name)] = {
            "n": result.n,
            "estimate": result.estimate,
            "ci": result.ci,
            "pvalue": result.pvalue,
            "status": result.status,
        }
        if result.status is Status.OK and contrast is not None:
            parts.append(_part(row_numbers, contrast, result))
    status = Status.TOO_FEW
    test_of_parts: dict[str, Any] = {"statistic": math.nan, "pvalue": math.nan}
    method = "welch1951"
    if len(parts) > 1:
        status = Status.OK
        estimates = np.array([part.estimate for part in parts])
        ses = np.array([part.se for part in parts])
        # Welch's F for independent subgroups, the largest t of all pairs for dependent ones
        if setting.clusters is not None and _share_groups(parts, setting.clusters):
            test_of_parts = _largest(parts, setting.clusters, estimates, ses)
            method = "hothorn2008"
        else:
            dfs = np.array([part.df for part in parts])
            test_of_parts = welch_f(estimates, ses, dfs)
    return Result(
        test=test,
        variant=setting.metric.name,
        **test_of_parts,
        n=setting.truth.n,
        status=status,
        null_hypothesis="The difference between the two fitted models is the same in all "
        "subgroups.",
        method=method,
        details={"subgroups": subgroups},
    )


@dataclasses.dataclass(frozen=True)
class _Part:
    """The difference of two models in one subgroup."""

    row_numbers: NDArray[np.intp]
    psi: FloatArray
    estimate: float
    se: float
    df: float


def _part(row_numbers: NDArray[np.intp], contrast: Influence, result: Result) -> _Part:
    df = result.df
    # the test of right and wrong has no degrees of freedom
    if df is None:
        df = contrast.tested.df
    return _Part(
        row_numbers,
        contrast.drawn_from,
        estimate=result.details.get("padded", result.estimate),
        se=result.details["se"],
        df=df,
    )


def _inside(setting: Setting, row_numbers: NDArray[np.intp]) -> Setting:
    """Return a setting of some of its rows."""
    columns = rows_of(setting.metric.columns, row_numbers)
    clusters = setting.clusters
    if clusters is not None:
        clusters = as_clusters(clusters[row_numbers], len(row_numbers)).codes
    return dataclasses.replace(
        setting,
        metric=dataclasses.replace(setting.metric, columns=columns),
        truth=setting.truth.take(row_numbers),
        clusters=clusters,
    )


def _share_groups(parts: list[_Part], clusters: Codes) -> bool:
    """Whether a group has rows in several subgroups, which makes these depend on each other."""
    groups = [np.unique(clusters[part.row_numbers]) for part in parts]
    return len(np.unique(np.concatenate(groups))) < sum(map(len, groups))


def _largest(
    parts: list[_Part], clusters: Codes, estimates: FloatArray, ses: FloatArray
) -> dict[str, float]:
    """Test all pairs of subgroups by the largest t, where the same groups are in several."""
    # each subgroup is a column of influence values, 0 outside, scaled to means over all rows
    rows = np.concatenate([part.row_numbers for part in parts])
    inside = np.repeat(np.arange(len(parts)), [len(part.row_numbers) for part in parts])
    columns = np.zeros((len(rows), len(parts)))
    for i, part in enumerate(parts):
        columns[inside == i, i] = len(rows) / len(part.row_numbers) * part.psi
    clusters = clusters[rows]
    covariance = covariance_of(columns, Leverage.from_codes(clusters, inside))
    scale = ses / np.sqrt(covariance.diagonal())  # the pseudo-rows of each subgroup's own test
    covariance = covariance * np.outer(scale, scale)

    pairs = pairs_of(len(parts), None)
    df = np.empty(len(pairs))
    for i, two in enumerate(pairs):
        chosen = np.isin(inside, two)
        _, codes = np.unique(clusters[chosen], return_inverse=True)
        psi = columns[chosen][:, two]
        of_two = Leverage.from_codes(codes, inside[chosen])
        df[i] = spread(psi[:, 0] - psi[:, 1], groups=of_two).df
    # t = (d_i − d_j)/√(V_ii + V_jj − 2V_ij)
    first, second = np.array(pairs).T
    variances = covariance.diagonal()
    se = np.sqrt(variances[first] + variances[second] - 2 * covariance[first, second])
    t = (estimates[first] - estimates[second]) / se
    z = normal_scores(t, df, "two-sided")
    largest = int(np.argmax(z))
    statistic = float(t[largest])
    if len(pairs) == 1:
        pvalue = t_pvalue(statistic, float(df[largest]), "two-sided")
    else:
        members = np.array(pairs)
        drawn = largest_t(t, df, members, covariance, 0.95, "two-sided", _DRAWS, _SEED)
        pvalue = float(drawn.single_step.min())
    return {"statistic": abs(statistic), "df": float(df[largest]), "pvalue": pvalue}
