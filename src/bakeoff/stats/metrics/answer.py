"""From influence values to results: status, interval, p-value and what is assumed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.stats.core.arguments import Seed
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
from bakeoff.stats.design.groups import Spread, recommended_groups, symmetric_differences
from bakeoff.stats.metrics.influence import NOISE, Influence, OwnMetric, Setting
from bakeoff.stats.metrics.metric import PLAIN, Form, Need


def logit_interval(
    setting: Setting, influence: Influence, level: float
) -> ConfidenceInterval | None:
    """Return the t interval on the logit scale, or for an area of 0 or 1 its exact limit."""
    limits = _logit_limits(setting, influence, tail_probability(level, "two-sided"))
    if limits is None:
        return None
    return ConfidenceInterval(
        *limits, level, "exact" if influence.value in (0.0, 1.0) else "logit-t"
    )


def _logit_limits(
    setting: Setting, influence: Influence, tail: float
) -> tuple[float, float] | None:
    """Return both limits of an area, each missed with the probability of the tail."""
    spread, value = influence.tested, influence.value
    if spread.se > influence.noise and 0 < value < 1:
        return setting.metric.scale.limits(
            value, -float(special.stdtrit(spread.df, tail)) * spread.se
        )
    if setting.metric.by_pairs and value in (0.0, 1.0):
        far = float(tail ** (1 / min(setting.classes.counts)))  # the exact limit of an area of 1
        return (far, 1.0) if value == 1 else (0.0, 1 - far)
    return None


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
    limits_a, limits_b = (_logit_limits(setting, model, tail) for model in (a, b))
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


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """The metric of resampled rows."""

    estimate: float
    replicates: FloatArray

    @property
    def known(self) -> FloatArray:
        """The replicates with a value, sorted."""
        return np.sort(self.replicates[np.isfinite(self.replicates)])

    @property
    def bias_correction(self) -> float:
        """z₀ of BCa: the normal score of the share of replicates below the estimate."""
        ties = self.ties(self.known)
        below = (self.known[~ties] < self.estimate).sum() + ties.sum() / 2
        return float(special.ndtri(below / len(self.known)))

    def ties(self, values: FloatArray) -> NDArray[np.bool_]:
        """Mark what equals the estimate but for float noise."""
        noise = 1e-12 * np.abs(self.known).max(initial=abs(self.estimate))
        return np.isclose(values, self.estimate, rtol=0, atol=noise)

    def bca(self, level: float, acceleration: float) -> tuple[float, float]:
        """Return the bias-corrected and accelerated quantiles (Efron 1987)."""
        z0 = self.bias_correction
        limits = []
        for tail in ((1 - level) / 2, (1 + level) / 2):
            z = z0 + float(special.ndtri(tail))
            share = float(special.ndtr(z0 + z / (1 - acceleration * z)))
            limits.append(normal_quantile(self.known, share))
        return limits[0], limits[1]


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


def acceleration_of(psi: FloatArray) -> float:
    """Return a of BCa from influence values: Σψ³/(6 (Σψ²)^1.5)."""
    second = float((psi**2).sum())
    return float((psi**3).sum()) / (6 * second**1.5) if second > 0 else 0.0


def bootstrap(
    metric: OwnMetric,
    n: int,
    *,
    clusters: NDArray[np.intp] | None = None,
    n_resamples: int = 9_999,
    seed: Seed = 0,
) -> Bootstrap:
    """Return a metric of resampled rows, or of whole clusters of them."""
    rng = np.random.default_rng(seed)
    members = None
    if clusters is not None:
        order = np.argsort(clusters, kind="stable")
        members = np.split(order, np.flatnonzero(np.diff(clusters[order])) + 1)
    replicates = np.empty(n_resamples)
    for i in range(n_resamples):
        if members is None:
            rows = rng.integers(0, n, n)
        else:
            rows = np.concatenate([members[j] for j in rng.integers(0, len(members), len(members))])
        replicates[i] = _value(metric, rows)
    return Bootstrap(_value(metric, np.arange(n)), replicates)


def _value(metric: OwnMetric, rows: NDArray[np.intp]) -> float:
    try:
        return float(metric(rows))
    except ValueError:
        return math.nan


def bca_interval(drawn: Bootstrap, psi: FloatArray, level: float) -> ConfidenceInterval | None:
    """Return the BCa interval; None where too few resamples have a value or none differs."""
    values = drawn.known
    if len(values) < 0.9 * len(drawn.replicates) or values[0] == values[-1]:
        return None
    low, high = drawn.bca(level, acceleration_of(psi))
    return ConfidenceInterval(low, high, level, "bca")


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
    same = setting.of_two and not contrast.psi.any()  # a single row or group has no spread
    alike = abs(contrast.value) <= contrast.noise and (same or contrast.spread.se <= contrast.noise)
    status = Status.ZERO_VARIANCE if tested.se <= contrast.noise else Status.OK
    if alike:
        status = Status.IDENTICAL_SCORES
    if too_few(setting, tested) and not (setting.of_two and alike):
        status = Status.TOO_FEW
    pvalue = t_pvalue(t, tested.df, side) if status is Status.OK else math.nan
    t = math.nan if status is Status.TOO_FEW else t
    return status, *answered(status, t, pvalue, contrast.value)


def too_few(setting: Setting, tested: Spread) -> bool:
    """Whether there are too few rows, of all or of a class, or too few groups for an answer."""
    return tested.units < setting.fewest_units or tested.df < 1 or bool(setting.too_few())


@dataclasses.dataclass(frozen=True)
class Answer:
    """What every result about one metric says."""

    test: str
    setting: Setting
    side: Alternative = "two-sided"
    level: float = 0.95
    variant: str = ""
    """The form of a test of numbers per row; other tests are named by their metric."""

    @property
    def of_one_model(self) -> bool:
        """Whether it is about one model, so that nothing is tested."""
        return self.test in ("metric_ci", "mean_ci")

    @property
    def null(self) -> str:
        """The null hypothesis; an interval has none, and the catalogue that of means."""
        if self.of_one_model or not self.setting.metric.computed:
            return ""
        return (
            f"The two fitted models have the same {self.setting.metric.name} on the population "
            "that the test rows were drawn from."
        )

    @property
    def method(self) -> str:
        """The citation of the form that is computed."""
        if self.setting.metric.form is Form.DECISIONS:
            return "agresti2005" if self.test == "metric_difference" else "agresti1998"
        return self.setting.metric.method

    def of_one(self, influence: Influence) -> Result:
        """Return the result of one model."""
        setting = self.setting
        if too_few(setting, influence.tested):
            return self._result(influence, Status.TOO_FEW, math.nan, math.nan, None)
        scale, tested, ci = setting.metric.scale, influence.tested, None
        if setting.metric.form is Form.RANKING:
            ci = logit_interval(setting, influence, self.level)
        elif tested.se > influence.noise and scale is PLAIN:
            limits = setting.metric.range
            around = tested.around(influence.estimate)
            ci = around.interval(self.level, "two-sided", "t", limits)
        elif tested.se > influence.noise:
            half = tested.quantile(self.level, "two-sided") * tested.se
            ends = scale.limits(influence.value, half)
            ci = None if ends is None else ConfidenceInterval(*ends, self.level, scale.name)
        if ci is not None and influence.of_groups is not None:
            ci = influence.of_groups.widened(ci, bounds=setting.metric.range)
        status = Status.OK if tested.se > influence.noise else Status.ZERO_VARIANCE
        return self._result(influence, status, math.nan, math.nan, ci)

    def of_pair(
        self, contrast: Influence, a: Influence, b: Influence, spread: Spread | None = None
    ) -> Result:
        """Return the result of a difference, given each model alone too.

        With a `spread` in place of that of the influence values t stands alone, also in groups.
        """
        status, t, pvalue = decide(self.setting, contrast, self.side, spread)
        tested, ci = spread or contrast.tested, None
        if status in (Status.OK, Status.IDENTICAL_SCORES) and tested.se > 0:
            low, high = self.setting.metric.range
            limits = low - high, high - low
            ci = tested.around(contrast.estimate).interval(self.level, self.side, "t", limits)
            if self.setting.metric.form is Form.RANKING and status is Status.OK:
                how = contrast, self.level, self.side
                if (
                    ci
                    and (limits_of_logits := mover_interval(self.setting, a, b, *how)) is not None
                ):
                    ends = min(ci.low, limits_of_logits[0]), max(ci.high, limits_of_logits[1])
                    ci = ConfidenceInterval(*ends, self.level, "hull")
        details = {"value_a": a.value, "value_b": b.value}
        groups = contrast.of_groups if spread is None else None
        if status is Status.OK and ci is not None and groups is not None:
            details["pvalue_t"] = pvalue
            pvalue, ci = groups.with_flips(pvalue, ci, contrast.estimate, self.side, limits)
        return self._result(contrast, status, t, pvalue, ci, details, (a, b), spread)

    def bootstrapped(self, influence: Influence, metric: OwnMetric) -> Result:
        """Return the BCa interval of a metric that jumps when rows are left out; it has no test."""
        drawn = bootstrap(metric, self.setting.truth.n, clusters=self.setting.clusters)
        ci = bca_interval(drawn, influence.psi, self.level)
        status = Status.OK if ci else Status.ZERO_VARIANCE
        return self._result(influence, status, math.nan, math.nan, ci)

    def undefined(self, reason: str, estimate: float = math.nan) -> Result:
        """Return the result where the metric has no value, or no interval is known for it."""
        return Result(
            test=self.test,
            variant=self.setting.metric.name,
            statistic=math.nan,
            pvalue=math.nan,
            alternative=self.side,
            estimate=estimate,
            n=self.setting.truth.n,
            status=Status.UNDEFINED,
            assumptions=(Assumption("a defined metric", False, reason),),
            null_hypothesis=self.null,
            method=self.method,
        )

    def _result(
        self,
        influence: Influence,
        status: Status,
        t: float,
        pvalue: float,
        ci: ConfidenceInterval | None,
        values: dict[str, float] | None = None,
        models: Sequence[Influence] = (),
        spread: Spread | None = None,
    ) -> Result:
        metric, tested = self.setting.metric, influence.tested
        checks, groups = assumptions(self.setting, tested, models or (influence,)), None
        if not self.of_one_model:
            groups = influence.of_groups
        return Result(
            test=self.test,
            variant=metric.name if metric.computed else self.variant,
            statistic=t,
            df=(spread or tested).df,
            pvalue=pvalue,
            alternative=self.side,
            estimate=influence.value,
            ci=ci,
            n=self.setting.truth.n,
            status=status,
            assumptions=(*checks, symmetric_differences(groups.shares, groups.sums))
            if groups
            else checks,
            null_hypothesis=self.null,
            method=self.method,
            details={
                "se": tested.se,
                "padded": influence.estimate,
                "se_plain": influence.spread.se,
                "df_plain": influence.spread.df,
                "units": tested.units,
                **worth_of_groups(self.setting, influence),
                **(values or {}),
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
    metric, fewest = setting.metric, setting.fewest()
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
