"""Any metric of many models on one test set: all pairs at once, by the maximum statistic."""

from __future__ import annotations

import math
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, Resamples, Seed, checked
from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.multiplicity import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.pairs import Pair, PairwiseResult, check_control, check_correction, pairs_of
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.flips import GroupSums, agreeing, hull, max_flip, subset_limits
from bakeoff.stats.metrics.answer import assumptions
from bakeoff.stats.metrics.family import Contrast, MetricFamily, family_of_values, read_family
from bakeoff.stats.metrics.max_t import MaxT, draw, max_t
from bakeoff.stats.metrics.setting import MetricArguments

MAX_T = "max-t"


@checked
def compare_models(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    control: int | None = None,
    correction: str = MAX_T,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    simultaneous: bool = True,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
    **asked: Unpack[MetricArguments],
) -> PairwiseResult:
    """Test the differences of a metric between all pairs of models, or from a control."""
    # Each pair is tested as by `metric_difference`. By default p-values are adjusted step by step
    # by the distribution of the largest statistic among those not yet rejected, drawn from the
    # covariance of the influence values (Hothorn, Bretz & Westfall 2008), and the intervals hold
    # together. In groups no p-value is smaller than that by sign flips of whole groups, and the
    # intervals hold 0 where the adjusted p-value does not reject (the raw one if they are not
    # simultaneous).
    family = read_family(y_true, predicted, **asked)
    return compare_all(
        family,
        "metric_difference",
        control,
        correction,
        alternative,
        confidence_level,
        simultaneous,
        n_resamples,
        seed,
    )


@checked
def compare_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    control: int | None = None,
    correction: str = MAX_T,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    simultaneous: bool = True,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
) -> PairwiseResult:
    """Test the mean differences of numbers that many systems have on the same rows."""
    # As `metric_difference` does for all pairs (Hothorn, Bretz & Westfall 2008): in groups that is
    # the form ``t_and_flips`` of `mean_difference`.
    family = family_of_values(values, greater_is_better, groups)
    return compare_all(
        family,
        "mean_difference",
        control,
        correction,
        alternative,
        confidence_level,
        simultaneous,
        n_resamples,
        seed,
    )


def compare_all(
    family: MetricFamily,
    test: str,
    control: int | None,
    correction: str,
    side: Alternative,
    level: float,
    simultaneous: bool,
    n_resamples: int,
    seed: Seed,
) -> PairwiseResult:
    """Compare all pairs of a family that has been read; see `compare_models`."""
    models = len(family.singles)
    at_control = check_control(control, models)
    method = check_correction(correction, at_control, side, MAX_T)
    first, second = np.array(pairs_of(models, at_control)).T
    found, statuses, tested, at = family.contrasts(first, second)
    raw = np.full(len(first), math.nan)
    t = np.full(len(first), math.nan)
    for i, status in enumerate(statuses):
        if status is Status.IDENTICAL_SCORES:
            raw[i], t[i] = 1.0, 0.0
        elif status is Status.ZERO_VARIANCE and (contrast := found[i]) is not None:
            t[i] = math.copysign(math.inf, contrast.value)
    t[at] = tested.statistic
    raw[at] = [t_pvalue(float(x), df, side) for x, df in zip(t[at], tested.df, strict=True)]
    of_groups = _of_groups([found[i] for i in at])
    flips = None
    if of_groups is not None and not of_groups.many_alike:
        flips = max_flip(of_groups, tested.se, side)
        raw[at] = np.maximum(raw[at], flips.alone)
    single = np.full(len(first), math.nan)
    if method == MAX_T:
        adjusted = np.where(np.isnan(raw), math.nan, 1.0)
        largest = None
        if at:
            draws, scale = draw(tested.covariance, n_resamples, seed)
            largest = max_t(tested, draws, level, side, scale)
            adjusted[at], single[at] = largest.step_down, largest.single_step
            if flips is not None:
                adjusted[at] = np.maximum(adjusted[at], flips.step_down)
        # no adjusted p below its own p, which the draws may miss by chance
        adjusted = np.fmax(adjusted, raw)
        quantiles = _quantiles(tested.df, level, side, largest if simultaneous else None)
    else:
        adjusted = adjust_pvalues(raw, method)
        own = simultaneous_level(level, len(first), method) if simultaneous else level
        quantiles = _quantiles(tested.df, own, side, None)
    intervals: list[ConfidenceInterval | None] = [None] * len(first)
    for i, centre, se, quantile in zip(at, tested.estimate, tested.se, quantiles, strict=True):
        intervals[i] = _interval(family, centre, quantile * se, level, side)
    if flips is not None and of_groups is not None:
        each = simultaneous_level(level, len(first), "bonferroni") if simultaneous else level
        limits = subset_limits(of_groups.sums, of_groups.shares, tail_probability(each, side))
        compared = adjusted if simultaneous else raw
        for place, i in enumerate(at):
            if (plain := intervals[i]) is not None:
                wider = hull(plain, [ends[place] for ends in limits], side, _bounds(family))
                centre, p = float(tested.estimate[place]), float(compared[i])
                intervals[i] = agreeing(wider, p, 1 - level, centre, side)
    known = [single for single in family.singles if single is not None]
    compared = [contrast.tested for contrast in found if contrast is not None]
    sign = 1 if family.setting.metric.greater_is_better else -1
    return PairwiseResult(
        test=test,
        variant=family.setting.metric.name,
        correction=method,
        pairs=tuple(
            Pair(
                a=int(first[i]),
                b=int(second[i]),
                statistic=float(t[i]),
                pvalue=float(raw[i]),
                pvalue_adjusted=float(adjusted[i]),
                estimate=_estimate(found[i]),
                ci=intervals[i],
                df=None if (contrast := found[i]) is None else contrast.tested.df,
                status=statuses[i],
                details={} if contrast is None else {"se": contrast.tested.se, **contrast.worth},
            )
            for i in range(len(first))
        ),
        n=family.setting.truth.n,
        null_hypothesis="The two models of the pair have the same "
        f"{family.setting.metric.name} on the population that the test rows were drawn from.",
        method="hothorn2008" if method == MAX_T else "satterthwaite1946",
        alternative=side,
        status=Status.OK if at else statuses[0],
        assumptions=assumptions(family.setting, min(compared, key=lambda tested: tested.df), known)
        if compared
        else (),
        details={
            "values": [math.nan if s is None else sign * s.value for s in family.singles],
            "reasons": family.reasons,
            "single_step": single,
        },
    )


def _of_groups(found: list[Contrast | None]) -> GroupSums | None:
    """Return the differences that are tested as means over groups."""
    known = [c.of_groups for c in found if c is not None and c.of_groups is not None]
    if not known:
        return None
    return GroupSums(np.column_stack([one.sums for one in known]), known[0].shares)


def _estimate(found: Contrast | None) -> float:
    return math.nan if found is None else found.value


def _quantiles(df: FloatArray, level: float, side: Alternative, largest: MaxT | None) -> FloatArray:
    """Return half-widths in standard errors: of one t, or of all t together."""
    if largest is None:
        return np.asarray(-special.stdtrit(df, tail_probability(level, side)))
    return np.asarray(-special.stdtrit(df, special.ndtr(-largest.critical)))


def _interval(
    family: MetricFamily, centre: float, half: float, level: float, side: Alternative
) -> ConfidenceInterval:
    low, high = _bounds(family)
    return ConfidenceInterval(
        -math.inf if side == "less" else max(centre - half, low),
        math.inf if side == "greater" else min(centre + half, high),
        level,
        "t",
    )


def _bounds(family: MetricFamily) -> tuple[float, float]:
    """Return the least and the largest difference there can be."""
    low, high = family.setting.metric.range
    return low - high, high - low
