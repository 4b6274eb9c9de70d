"""From influence values to results: status, interval, p-value and what is assumed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.groups import (
    FEWEST_CLUSTERS,
    Spread,
    recommended_groups,
    symmetric_differences,
)
from bakeoff.stats.metrics.influence import NOISE, Influence, OfRows, Setting
from bakeoff.stats.metrics.metric import Form, Need


def limits_of_one(setting: Setting, model: Influence, tail: float) -> tuple[float, float] | None:
    """Return both limits of a metric on its scale, each missed with the probability of the tail."""
    metric, spread, value = setting.metric, model.tested, model.estimate
    if metric.by_pairs and value in (0.0, 1.0):
        far = float(tail ** (1 / min(setting.truth.counts)))  # the exact limit of an area of 1
        return (far, 1.0) if value == 1 else (0.0, 1 - far)
    if not spread.se > model.noise:
        return None
    return metric.scale.limits(value, -float(special.stdtrit(spread.df, tail)) * spread.se)


def mover_interval(
    setting: Setting,
    a: Influence,
    b: Influence,
    difference: Influence,
    level: float,
    side: Alternative,
) -> tuple[float, float] | None:
    """Join the intervals of two areas with the correlation of their influence values."""
    # d − √((θ_A − l_A)² − 2r(θ_A − l_A)(u_B − θ_B) + (u_B − θ_B)²), mirrored above (Zou 2007).
    tail = tail_probability(level, side)
    limits_a, limits_b = (limits_of_one(setting, model, tail) for model in (a, b))
    if limits_a is None or limits_b is None:
        return None
    se_a, se_b, se = a.tested.se, b.tested.se, difference.tested.se
    r = (se_a**2 + se_b**2 - se**2) / (2 * se_a * se_b) if se_a > 0 and se_b > 0 else 0.0

    def joined(x: float, y: float) -> float:
        return math.sqrt(max(x**2 - 2 * r * x * y + y**2, 0.0))

    d = difference.value
    low = max(d - joined(a.value - limits_a[0], limits_b[1] - b.value), -1.0)
    high = min(d + joined(limits_a[1] - a.value, b.value - limits_b[0]), 1.0)
    return -math.inf if side == "less" else low, math.inf if side == "greater" else high


_RESAMPLES, _SEED = 9_999, 0


def bootstrap(metric: OfRows, n: int, clusters: NDArray[np.intp] | None = None) -> FloatArray:
    """Return a metric of resampled rows, or of whole clusters of them; NaN without a value."""
    rng = np.random.default_rng(_SEED)
    members = None
    if clusters is not None:
        order = np.argsort(clusters, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    replicates = np.full(_RESAMPLES, math.nan)
    for i in range(_RESAMPLES):
        if members is None:
            rows = rng.integers(0, n, n)
        else:
            rows = np.concatenate([members[j] for j in rng.integers(0, len(members), len(members))])
        try:
            replicates[i] = metric(rows)
        except ValueError:
            continue
    return replicates


def bca_interval(
    estimate: float, replicates: FloatArray, psi: FloatArray, level: float
) -> ConfidenceInterval | None:
    """Return the bias-corrected and accelerated interval of a bootstrap (Efron 1987).

    None where too few resamples have a value or none differs.
    """
    ordered = np.sort(replicates[np.isfinite(replicates)])
    if len(ordered) < 0.9 * len(replicates) or ordered[0] == ordered[-1]:
        return None
    noise = 1e-12 * np.abs(ordered).max(initial=abs(estimate))
    ties = np.isclose(ordered, estimate, rtol=0, atol=noise)
    below = (ordered[~ties] < estimate).sum() + ties.sum() / 2
    z0 = float(special.ndtri(below / len(ordered)))
    second = float((psi**2).sum())
    acceleration = float((psi**3).sum()) / (6 * second**1.5) if second > 0 else 0.0
    limits = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + float(special.ndtri(tail))
        share = float(special.ndtr(z0 + z / (1 - acceleration * z)))
        limits.append(normal_quantile(ordered, share))
    return ConfidenceInterval(limits[0], limits[1], level, "bca")


def normal_quantile(ordered: FloatArray, tail: float) -> float:
    """Return a quantile of ordered values, interpolated on the normal scale (Davison & Hinkley)."""
    b = len(ordered)
    at = (b + 1) * tail
    k = math.floor(at + 1e-9)
    if k < 1 or k >= b:
        return float(ordered[0 if k < 1 else -1])
    if abs(at - k) < 1e-9:
        return float(ordered[k - 1])
    low, high, z = (float(special.ndtri(p)) for p in (k / (b + 1), (k + 1) / (b + 1), tail))
    share = (z - low) / (high - low)
    return float(ordered[k - 1] + share * (ordered[k] - ordered[k - 1]))


_ENOUGH_OF_A_CLASS, _ENOUGH_CALLED, _OF_CALLED = 20, 10, "enough rows called positive"
OF_ONE_MODEL = ("enough rows of each class", _OF_CALLED, "the loss not dominated by few rows")
"""Assumptions of intervals of one model or of a pair, not of the best of many."""


def better_is_positive(setting: Setting, influence: Influence) -> Influence:
    """Turn a metric of losses so that greater is better."""
    return influence if setting.metric.greater_is_better else -influence


def decide(
    setting: Setting, contrast: Influence, side: Alternative, spread: Spread | None = None
) -> tuple[Status, float, float]:
    """Return status, t and p of a difference, with a spread in place of its own."""
    tested = spread or contrast.tested
    t = contrast.estimate / tested.se if tested.se > 0 else math.nan
    same = setting.two_rows and not contrast.psi.any()  # a single row or group has no spread
    alike = abs(contrast.value) <= contrast.noise and (same or contrast.spread.se <= contrast.noise)
    status = Status.ZERO_VARIANCE if tested.se <= contrast.noise else Status.OK
    if alike:
        status = Status.IDENTICAL_SCORES
    if too_few(setting, tested) and not (setting.two_rows and alike):
        status = Status.TOO_FEW
    pvalue = t_pvalue(t, tested.df, side) if status is Status.OK else math.nan
    t = math.nan if status is Status.TOO_FEW else t
    return status, *answered(status, t, pvalue, contrast.value)


def too_few(setting: Setting, tested: Spread) -> bool:
    """Whether there are too few rows, of all or of a class, or too few groups for an answer."""
    fewest = 2 if setting.two_rows and setting.clusters is None else FEWEST_CLUSTERS
    return tested.units < fewest or tested.df < 1 or setting.lacks_rows_of_a_class


@dataclasses.dataclass(frozen=True)
class Answer:
    """What every result about one metric says, of one model or of the difference of two."""

    setting: Setting
    difference: bool = False
    side: Alternative = "two-sided"
    level: float = 0.95
    variant: str = ""
    """The form of a test of numbers per row; other tests are named by their metric."""

    def of_one(self, influence: Influence) -> Result:
        """Return the result of one model."""
        setting, metric, tested = self.setting, self.setting.metric, influence.tested
        if too_few(setting, tested):
            return self._result(influence, Status.TOO_FEW)
        limits = limits_of_one(setting, influence, tail_probability(self.level, "two-sided"))
        ci = None
        if limits is not None:
            exact = metric.by_pairs and influence.value in (0.0, 1.0)
            low, high = max(limits[0], metric.range[0]), min(limits[1], metric.range[1])
            ci = ConfidenceInterval(low, high, self.level, "exact" if exact else metric.scale.name)
            if influence.of_groups is not None:
                ci = influence.of_groups.widened(ci, bounds=metric.range)
        status = Status.OK if tested.se > influence.noise else Status.ZERO_VARIANCE
        return self._result(influence, status, ci=ci)

    def of_pair(
        self,
        contrast: Influence,
        values: tuple[float, float],
        models: Sequence[Influence],
        spread: Spread | None = None,
    ) -> Result:
        """Return the result of a difference, given the value of each model.

        With a `spread` in place of that of the influence values t stands alone, also in groups.
        """
        setting, side = self.setting, self.side
        status, t, pvalue = decide(setting, contrast, side, spread)
        tested, ci = spread or contrast.tested, None
        low, high = setting.metric.range
        bounds = low - high, high - low
        if status in (Status.OK, Status.IDENTICAL_SCORES) and tested.se > 0:
            ci = tested.around(contrast.estimate).interval(self.level, side, "t", bounds)
        details = dict(zip(("value_a", "value_b"), values, strict=True))
        if status is Status.OK and ci is not None:
            if setting.metric.form is Form.RANKING:
                a, b = models
                joined = mover_interval(setting, a, b, contrast, self.level, side)
                if joined is not None:
                    ends = min(ci.low, joined[0]), max(ci.high, joined[1])
                    ci = ConfidenceInterval(*ends, self.level, "hull")
            if spread is None and contrast.of_groups is not None:
                details["pvalue_t"] = pvalue
                groups, estimate = contrast.of_groups, contrast.estimate
                pvalue, ci = groups.with_flips(pvalue, ci, estimate, side, bounds)
        return self._result(contrast, status, t, pvalue, ci, details, models, spread)

    def bootstrapped(self, influence: Influence, metric: OfRows) -> Result:
        """Return the BCa interval of a metric that jumps when rows are left out; it has no test."""
        drawn = bootstrap(metric, self.setting.truth.n, self.setting.clusters)
        ci = bca_interval(influence.value, drawn, influence.psi, self.level)
        return self._result(influence, Status.OK if ci else Status.ZERO_VARIANCE, ci=ci)

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
        metric, null, method = self.setting.metric, "", self.setting.metric.method
        if self.difference and metric.computed:  # that of means is in the catalogue
            null = (
                f"The two fitted models have the same {metric.name} on the population that the "
                "test rows were drawn from."
            )
        if metric.form is Form.DECISIONS:
            method = "agresti2005" if self.difference else "agresti1998"
        kind = "metric" if metric.computed else "mean"
        return {
            "test": f"{kind}_difference" if self.difference else f"{kind}_ci",
            "variant": metric.name if metric.computed else self.variant,
            "alternative": self.side,
            "n": self.setting.truth.n,
            "null_hypothesis": null,
            "method": method,
        }

    def _result(
        self,
        influence: Influence,
        status: Status,
        t: float = math.nan,
        pvalue: float = math.nan,
        ci: ConfidenceInterval | None = None,
        details: Mapping[str, float] = MappingProxyType({}),
        models: Sequence[Influence] = (),
        spread: Spread | None = None,
    ) -> Result:
        tested, groups = influence.tested, influence.of_groups
        checks = assumptions(self.setting, tested, models or (influence,))
        if self.difference and groups is not None:
            checks = (*checks, symmetric_differences(groups.shares, groups.sums))
        return Result(
            **self._facts,
            statistic=t,
            df=(spread or tested).df,
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


def worth_of_groups(setting: Setting, influence: Influence) -> dict[str, float]:
    """Return how many groups the rows are in and what they are worth; empty without groups."""
    if setting.clusters is None:
        return {}
    # leaving groups out says nothing of single rows
    effect = math.nan if setting.metric.form is Form.LEFT_OUT else influence.design_effect
    return {
        "n_clusters": int(influence.spread.units),
        "design_effect": effect,
        "n_effective": setting.truth.n / effect,
    }


CARRIED, _ENOUGH_OF_ROWS = "the difference carried by enough rows", 10.0
"""Below that many effective degrees of freedom true nulls are rejected too often; see
benchmarks/regression.csv."""
_ENOUGH_ALONE, _FEWEST_UNLIKE = 5.0, 3
"""With fewer degrees of freedom of one model's R² or correlation single rows carry it; with fewer
rows that differ from all others rare values need not have occurred (benchmarks/passes.csv)."""


def enough_rows(tested: Spread, values: Sequence[FloatArray] = ()) -> Assumption:
    """Say whether enough rows carry a difference, by the values of each model if they are losses.

    A model's values that are nearly all the same do not show its rare ones.
    """
    enough = tested.df >= min(_ENOUGH_OF_ROWS, tested.units / 3)
    detail = (
        f"{tested.df:.0f} effective degrees of freedom of the rows; below {_ENOUGH_OF_ROWS:.0f}, "
        "as with few errors or few large ones, intervals miss too often"
    )
    if not values:
        return Assumption(CARRIED, enough, detail)
    other = min(
        int(np.count_nonzero(x != np.partition(x, len(x) // 2)[len(x) // 2])) for x in values
    )
    rare = max(1, round(tested.units / 10))
    detail += f", and errors on fewer than 1 of {rare:,} rows may be missing from these"
    if other < _FEWEST_UNLIKE:
        enough, detail = False, f"a model has the same value on all rows but {other}; {detail}"
    return Assumption(CARRIED, None if enough else False, detail)


def assumptions(
    setting: Setting, tested: Spread, models: Sequence[Influence]
) -> tuple[Assumption, ...]:
    """Say what the rows tell of the assumptions of t intervals for one model or for several."""
    checks = [INDEPENDENT_ROWS]
    if setting.clusters is not None:
        checks = [recommended_groups(tested.units)]
    metric, fewest = setting.metric, setting.fewest
    name, of, enough = "enough rows of each class", "of the rarest class", _ENOUGH_OF_A_CLASS
    if metric.classes == "called" and models:
        name, of, enough = _OF_CALLED, "called positive", _ENOUGH_CALLED
        # the net benefit of a row that is not called positive is 0
        worth = (np.abs(one.psi + one.value) > NOISE for one in models)
        fewest = min(int(np.count_nonzero(values)) for values in worth)
    if fewest >= 0:
        detail = f"{fewest} rows {of} that {metric.name} uses; below {enough} "
        checks.append(Assumption(name, fewest >= enough, f"{detail}intervals are inaccurate"))
    if len(models) > 1 and metric.needs is Need.NUMBERS and metric.form is Form.ROWS:
        if setting.clusters is None:
            enough_of_rows = enough_rows(tested, [one.psi for one in models])
            # a row that all models miss by far cancels in the difference of shares of variance
            of_means = metric.mean_of_rows or metric.root or not metric.computed
            alone = math.inf if of_means else min(one.spread.df for one in models)
            if alone < _ENOUGH_ALONE:
                detail = f"{alone:.0f} of one model, {_ENOUGH_ALONE:.0f} are needed"
                enough_of_rows = Assumption(CARRIED, False, f"{enough_of_rows.detail}; {detail}")
            checks.append(enough_of_rows)
    elif metric.carried is not None:
        carried = metric.carried
        detail = (
            f"{tested.df:.0f} effective degrees of freedom of {tested.units:.0f} units; "
            f"{carried.consequence}"
        )
        holds: bool | None = tested.df >= carried.share * tested.units
        if holds and tested.units < carried.shows_from:
            holds, detail = None, f"{detail}; fewer than {carried.shows_from} do not show it"
        checks.append(Assumption(carried.assumption, holds, detail))
    return tuple(checks)
