"""Whether a candidate may take the place of a base: what follows from one-sided limits.

A is the candidate, B the base. Each limit holds with probability 1 − alpha by itself, so that each
of the two wrong decisions, to ship what is worse by the margin or more and to block what is not
worse by more than it, has at most this probability.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Alpha, Finite, Level, PositiveFloat, check_number, checked
from bakeoff.stats.core.checks import ArgumentError, paired_correctness, paired_counts
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    conclude,
)
from bakeoff.stats.core.two_by_two import difference_limits
from bakeoff.stats.design.groups import GroupSums, Spread
from bakeoff.stats.design.tasks import MacroDifference
from bakeoff.stats.metrics.differences import difference
from bakeoff.stats.metrics.influence import (
    CARRIED,
    Influence,
    MetricArguments,
    Setting,
    setting_of,
    setting_of_values,
)
from bakeoff.stats.metrics.metric import Form, metric_called
from bakeoff.stats.planning import detectable_difference
from bakeoff.stats.rows.mcnemar import noninferiority

_FEWEST_OF_A_CLASS = 20
_FEWEST_DEGREES = 10
"""Rows of a class, and degrees of freedom, that limits of a log loss need."""
_FEWEST_OF_SUMS = 20
"""Degrees of freedom that limits of any numbers and of sums over groups need."""
_ANY_MARGIN = 0.5
_MOST_TIMES = 1000.0
"""Times the rows beyond which more rows are no way to decide."""


@dataclasses.dataclass(frozen=True)
class Limits:
    """A candidate's advantage with a lower and an upper limit, each one-sided.

    Attributes
    ----------
    estimate : float
        The candidate's advantage; negative where it is worse, whichever way the metric points.
    low, high, alpha, method : float, float, float, str
        Each limit by itself is on its side of the truth with probability 1 − alpha; NaN where
        there is none. How they were made.
    n, groups : int
        Rows, and groups of them; 0 for independent rows.
    status, warnings : Status, tuple of str
        ``ok``, or why there are no limits; why they are rough.
    """

    estimate: float
    low: float
    high: float
    alpha: float
    n: int
    groups: int
    status: Status
    method: str
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_results(
        cls, low: Result, high: Result, alpha: float, groups: int, method: str
    ) -> Limits:
        """Take the limits of one result each; equal models are decided on by the rows alone."""
        lower = math.nan
        upper = math.nan
        if low.ci and high.ci:
            lower = low.ci.low
            upper = high.ci.high
        warnings = []
        for assumption in low.assumptions:
            if assumption.holds is False and assumption.name != CARRIED:
                warnings.append(assumption.detail)
        return cls(
            low.estimate,
            lower,
            upper,
            alpha,
            low.n,
            groups,
            low.status,
            method,
            tuple(warnings),
        )


def _limits(
    setting: Setting, rows: Sequence[Any], alpha: float
) -> tuple[Limits, Result, Influence | None, float]:
    """Return the limits of a difference, its lower test, its influence and the skewness of that."""
    contrast, low = difference(setting, rows, "greater", 1 - alpha)
    _, high = difference(setting, rows, "less", 1 - alpha)
    groups = 0
    if setting.clusters is not None:
        groups = int(setting.clusters.max()) + 1
    limits = Limits.from_results(low, high, alpha, groups, "t_influence")
    if setting.metric.form is not Form.ROWS or contrast is None:
        return limits, low, contrast, 0.0
    skew = _skewness(setting, contrast)
    # right and wrong rows: limits of their table
    if low.df is None:
        limits = dataclasses.replace(limits, method="newcombe")
    elif not math.isnan(limits.low):
        limits = _limits_of_means(setting, limits, contrast.tested, skew, alpha)
    return limits, low, contrast, skew


def _skewness(setting: Setting, contrast: Influence) -> float:
    """Return the skewness of the influence values of rows, or of their sums over groups."""
    sums = contrast.psi
    if setting.clusters is not None:
        sums = np.bincount(setting.clusters, contrast.psi).astype(np.float64)
    # E ψ³/(E ψ²)^(3/2), as influence values have mean 0
    second = float(np.mean(sums**2))
    if second == 0:
        return 0.0
    return float(np.mean(sums**3)) / math.pow(second, 1.5)


def _limits_of_means(
    setting: Setting, limits: Limits, tested: Spread, skew: float, alpha: float
) -> Limits:
    """Return the wider limits of t and of Hall's; none where too few rows carry the difference."""
    warnings: tuple[str, ...] = ()
    if not setting.metric.computed:
        warnings = limits.warnings
    fewest_degrees = _FEWEST_OF_SUMS
    if setting.metric.computed and setting.clusters is None:
        fewest_degrees = _FEWEST_DEGREES
    too_few = ""
    if 0 <= setting.fewest < _FEWEST_OF_A_CLASS:
        too_few = f"{setting.fewest} rows of the rarest class, {_FEWEST_OF_A_CLASS} are needed"
    elif tested.df < fewest_degrees:
        too_few = (
            f"few rows dominate the difference: it has {tested.df:.0f} effective degrees of "
            f"freedom, {fewest_degrees} are needed"
        )
    if too_few:
        return dataclasses.replace(
            limits,
            low=math.nan,
            high=math.nan,
            status=Status.TOO_FEW,
            warnings=(*warnings, too_few),
        )
    low, high = skewed_limits(limits.estimate, tested, skew, alpha)
    return dataclasses.replace(limits, low=low, high=high, method="t_and_hall", warnings=warnings)


@checked
def metric_limits(
    y_true: ArrayLike,
    predicted_candidate: ArrayLike,
    predicted_base: ArrayLike,
    *,
    alpha: Alpha = 0.05,
    **options: Unpack[MetricArguments],
) -> Limits:
    """Return limits for the difference of any metric of a test set; see `metric_difference`.

    Means of a value per row (log loss, Brier score, cost): each limit is the wider one of Student's
    and of Hall's (1992), which takes the skewness of the values out of t; there are none below 10
    effective degrees of freedom (20 with groups), of a log loss below 20 rows of the rarest class.

    Parameters
    ----------
    predicted_candidate, predicted_base : array_like, shape (n,) or (n, K)
        What each predicts, as in `metric_difference`.
    """
    models = [("predicted_candidate", predicted_candidate), ("predicted_base", predicted_base)]
    setting, rows = setting_of(y_true, models, **options)
    limits, *_ = _limits(setting, rows, alpha)
    return limits


@checked
def mean_limits(
    values_candidate: ArrayLike,
    values_base: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> Limits:
    """Return the limits of `metric_limits` for the mean difference of a number per row.

    There are none below 20 effective degrees of freedom.

    Parameters
    ----------
    values_candidate, values_base : array_like, shape (n,)
        The number of each row, in the same row order.
    """
    models = [("values_candidate", values_candidate), ("values_base", values_base)]
    setting, rows = setting_of_values(models, greater_is_better, groups)
    limits, *_ = _limits(setting, rows, alpha)
    return limits


@register(evidence=Evidence.ROWS, citation="schuirmann1987")
def metric_equivalence(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    margin: PositiveFloat,
    question: Literal["equivalence", "noninferiority"] = "equivalence",
    alpha: Alpha = 0.05,
    **options: Unpack[MetricArguments],
) -> EquivalenceResult:
    """Equivalence by a metric.

    Are these two fitted models equally good by the chosen metric, within the margin?

    t = (d ± margin)/se with the standard error and the degrees of freedom of `metric_difference`
    (Schuirmann 1987). For means of a value per row, and functions of such means, each p-value is
    the larger one of Student's t and of Hall's (1992) transformation; in groups of other metrics,
    of t and of sign flips of the groups. The interval has the limits of `metric_limits`.

    Parameters
    ----------
    question : {"equivalence", "noninferiority"}
        Whether the models differ by less than the margin either way, or A is worse by less than
        the margin, which is one test: A may be better by any amount.

    Returns
    -------
    EquivalenceResult
        `estimate` is A's advantage (for losses B − A); ``details`` holds ``value_a``, ``value_b``
        and ``se``. The same predictions have no variance to judge by: p is 1.

    Warnings
    --------
    Choose the margin before seeing the data. A small p-value is evidence for equivalence, not for a
    difference.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> a, b = (y + rng.normal(scale=0.5, size=300) for _ in range(2))
    >>> result = metric_equivalence(y, a, b, metric="rmse", margin=0.1)
    >>> round(result.estimate, 3), round(result.pvalue, 4), result.verdict
    (-0.024, 0.0102, 'equivalent')
    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    setting, rows = setting_of(y_true, models, **options)
    metric_called(setting.metric, smooth=True)
    limits, test, contrast, skew = _limits(setting, rows, alpha)
    sides = 1
    if question == "equivalence":
        sides = 2
    t_lower = math.nan
    t_upper = math.nan
    p_lower = math.nan
    p_upper = math.nan
    ci: ConfidenceInterval | None = None
    if contrast is not None and not math.isnan(limits.low):
        # A is worse by the margin, and A is better by it
        t_lower, p_lower = _against_margin(setting, contrast, margin, skew, 1)
        t_better, p_upper = _against_margin(setting, contrast, margin, skew, -1)
        t_upper = -t_better
        ci = ConfidenceInterval(limits.low, limits.high, 1 - 2 * alpha, limits.method)
    elif limits.status is Status.IDENTICAL_SCORES:
        t_lower = 0.0
        t_upper = 0.0
        p_lower = 1.0
        p_upper = 1.0
    return conclude(
        variant=setting.metric.name,
        statistics=(t_lower, t_upper),
        pvalues=(p_lower, p_upper),
        sides=sides,
        status=limits.status,
        margin=margin,
        alpha=alpha,
        estimate=limits.estimate,
        ci=ci,
        df=test.df,
        n=limits.n,
        assumptions=test.assumptions,
        what=f"values of {setting.metric.name} of the two fitted models",
        details={**test.details},
    )


def _against_margin(
    setting: Setting, contrast: Influence, margin: float, skew: float, sign: int
) -> tuple[float, float]:
    """Return t = (±d + margin)/se and its p-value."""
    tested = contrast.tested
    groups = contrast.of_groups
    # H0: ±δ ≤ −margin (Schuirmann 1987)
    t = (sign * contrast.estimate + margin) / tested.se
    pvalue = skewed_pvalue(t, tested, sign * skew)
    of_rows = setting.metric.form is Form.ROWS
    # under the null the sums of groups are symmetric about −margin times their shares
    if not of_rows and groups is not None and not groups.many_alike:
        shifted = GroupSums(sign * groups.sums + margin * groups.shares, groups.shares)
        pvalue = max(pvalue, shifted.pvalue("greater"))
    return t, pvalue


def skewed_limits(centre: float, spread: Spread, skew: float, tail: float) -> tuple[float, float]:
    """Return a lower and an upper limit, each of them missed with the probability `tail`."""
    # Each is the wider one of Student's t limit and Hall's (1992, JRSS B 54, 221-228), whose cubic
    # transformation takes the skewness out of the t statistic; both with the same quantile of t.
    quantile = -float(special.stdtrit(spread.df, tail))
    root = math.sqrt(spread.units)

    def hall(skew: float) -> float:
        """Return Hall's lower limit in standard errors."""
        if abs(skew) < 1e-9:
            return -quantile
        # the inverse of g(t) = t + γt²/(3√n) + γ²t³/(27n) + γ/(6√n), γ the skewness
        inner = 1 + skew * (quantile / root - skew / (6 * spread.units))
        return -root * 3 / skew * (math.cbrt(inner) - 1)

    low = min(-quantile, hall(skew))
    high = -min(-quantile, hall(-skew))
    return centre + low * spread.se, centre + high * spread.se


def skewed_pvalue(t: float, spread: Spread, skew: float) -> float:
    """Return the probability below which a lower limit that is t standard errors down lies."""
    root = math.sqrt(spread.units)
    # g(t) for t standard errors, in the direction of the lower limit
    third = skew / 3
    halls = t
    if abs(skew) >= 1e-9:
        halls = root * ((1 + third * t / root) ** 3 - 1) / skew + skew / (6 * root)
    return float(special.stdtr(spread.df, -min(t, halls)))


@checked
def accuracy_limits(
    correct_candidate: ArrayLike,
    correct_base: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> Limits:
    """Return limits for the difference of two accuracies on the same rows.

    Independent rows have exact melded limits (Fay & Lumbard 2021), which no discordance brings
    beyond the level; groups the score limits of `noninferiority`.

    Parameters
    ----------
    correct_candidate, correct_base : array_like of bool or 0/1, shape (n,)
        Whether each is right on each row.

    Examples
    --------
    >>> import numpy as np
    >>> candidate = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> base = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> limits = accuracy_limits(candidate, base)
    >>> round(limits.estimate, 3), round(limits.low, 3), round(limits.high, 3)
    (0.01, -0.001, 0.022)
    """
    if groups is not None:
        test = noninferiority(
            correct_candidate, correct_base, margin=_ANY_MARGIN, groups=groups, alpha=alpha
        )
        return Limits.from_results(test, test, alpha, test.n_clusters, "score_effective")
    candidate, base = paired_correctness(correct_candidate, correct_base)
    counts = paired_counts(candidate, base)
    low, high = difference_limits("exact_melded", counts.values(), alpha)
    n = sum(counts.values())
    estimate = (counts["only_a_correct"] - counts["only_b_correct"]) / n
    return Limits(estimate, low, high, alpha, n, 0, Status.OK, "exact_melded")


@checked
def macro_limits(difference: MacroDifference, *, alpha: Alpha = 0.05) -> Limits:
    """Return limits for the difference in the mean over tasks.

    Each is the wider one of Student's and of Hall's (1992), as in `metric_limits`.

    Parameters
    ----------
    difference : MacroDifference
        Of `macro_difference`, with the candidate as A.
    """
    low = math.nan
    high = math.nan
    if difference.status is Status.OK:
        units = float(difference.groups or difference.n)
        spread = Spread(difference.se, difference.df, units)
        low, high = skewed_limits(difference.estimate, spread, difference.skewness, alpha)
    return Limits(
        estimate=difference.estimate,
        low=low,
        high=high,
        alpha=alpha,
        n=difference.n,
        groups=difference.groups,
        status=difference.status,
        method="t_over_tasks",
    )


class Release(StrEnum):
    """What to do with a candidate."""

    SHIP = "ship"
    BLOCK = "block"
    UNDECIDED = "undecided"


def decide_release(limits: Limits, margin: float, *, superior: bool = False) -> Release:
    """Return what the limits of a candidate's advantage say of it.

    ``ship``: the lower limit is above −margin. ``block``: the upper limit is below −margin. Else
    ``undecided``, as without limits.

    Parameters
    ----------
    limits : Limits
        Of its advantage.
    margin : float
        The largest loss that does not matter, at least 0, in the unit of the metric; with
        `superior` the smallest gain that does.
    superior : bool
        Ship only what is shown to be better than the base by more than the margin, block the rest.

    Examples
    --------
    >>> str(decide_release(accuracy_limits([1, 0] * 500, [1, 0] * 500), 0.01))
    'ship'
    """
    size = check_margin(margin)
    if math.isnan(limits.low) or math.isnan(limits.high):
        return Release.UNDECIDED
    threshold = -size
    if superior:
        threshold = size
    if limits.low > threshold:
        return Release.SHIP
    if superior or limits.high < threshold:
        return Release.BLOCK
    return Release.UNDECIDED


def check_margin(margin: float, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a margin that some loss could exceed, of a metric with values from low to high."""
    size = check_number(margin, "margin")
    if not (size >= 0 and math.isfinite(size)):
        raise ArgumentError("margin", f"found {margin!r}, must be at least 0 and finite")
    if size >= high - low:
        raise ArgumentError(
            "margin",
            f"found {margin:g}, must be below {high - low:g}: values lie between {low:g} and "
            f"{high:g}, so that no difference could exceed it",
        )
    return size


@checked
def rows_to_decide(limits: Limits, margin: Finite, *, power: Level = 0.8) -> int | None:
    """Return with how many rows in all an undecided candidate would probably be decided on.

    None without limits, or where a thousand times the rows would not do.

    Parameters
    ----------
    limits, margin : Limits, float
        As in `decide_release`.
    power : float
        Wanted probability of a decision, if the advantage is as it was seen.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> rows_to_decide(accuracy_limits(a, b), 0.0)
    2963
    """
    if power <= limits.alpha:
        raise ArgumentError(
            "power", f"found {power!r}, must be greater than alpha ({limits.alpha!r})"
        )
    # a limit moves towards the estimate with the root of the rows
    gap = limits.estimate + margin
    half = limits.high - limits.estimate
    if gap > 0:
        half = limits.estimate - limits.low
    if gap == 0 or not (half > 0 and math.isfinite(half)):
        return None
    detectable = detectable_difference(half, level=1 - limits.alpha, power=power)
    root_of_factor = detectable / gap
    # limits shrink with the root of the rows; a power would overflow
    factor = root_of_factor * root_of_factor
    if factor <= _MOST_TIMES:
        return math.ceil(limits.n * factor)
    return None
