"""Whether a candidate may take the place of a base: one-sided limits, and what follows from them.

A is the candidate, B the base. Each limit holds with probability 1 − alpha by itself, so that each
of the two wrong decisions, to ship what is worse by the margin or more and to block what is not
worse by more than it, has at most this probability.
"""

from __future__ import annotations

import dataclasses
import math
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats._checks import check_count, check_level, check_number, paired_counts
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._result import Result, Status
from bakeoff.stats.clustered_equivalence import clustered_noninferiority
from bakeoff.stats.metric_means import mean_difference
from bakeoff.stats.metrics import metric_difference
from bakeoff.stats.paired_intervals import paired_difference_ci
from bakeoff.stats.planning_interval import rows_factor

__all__ = [
    "Limits",
    "Release",
    "accuracy_limits",
    "check_margin",
    "decide_release",
    "level_of_use",
    "mean_limits",
    "metric_limits",
    "rows_to_decide",
]

_MOST_TIMES = 1000.0
"""Times the rows beyond which more rows are no way to decide."""
_ANY_MARGIN = 0.5


class Release(StrEnum):
    """What to do with a candidate."""

    SHIP = "ship"
    BLOCK = "block"
    UNDECIDED = "undecided"


@dataclasses.dataclass(frozen=True)
class Limits:
    """A candidate's advantage with a lower and an upper limit, each one-sided.

    Attributes
    ----------
    estimate : float
        The candidate's advantage; negative where it is worse, whichever way the metric points.
    low, high : float
        Each by itself is on its side of the truth with probability 1 − alpha; NaN where there
        is no limit.
    alpha : float
        Level of each limit.
    n, groups : int
        Rows, and groups of them; 0 for independent rows.
    status : Status
        ``ok``, or why there are no limits.
    method : str
        How the limits were made.
    """

    estimate: float
    low: float
    high: float
    alpha: float
    n: int
    groups: int
    status: Status
    method: str


def accuracy_limits(
    correct_candidate: ArrayLike,
    correct_base: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
) -> Limits:
    """Return limits for the difference of two accuracies on the same rows.

    Parameters
    ----------
    correct_candidate, correct_base : array_like of bool or 0/1, shape (n,)
        Whether each is right on each row.
    groups : array_like, shape (n,), optional
        Which rows belong together.
    alpha : float
        Level of each limit, below 0.5.

    Returns
    -------
    Limits
        Independent rows: exact melded limits (Fay & Lumbard 2021), which no discordance brings
        beyond the level. Groups: the score limits of `clustered_noninferiority`.

    Raises
    ------
    ValueError
        On class labels instead of right/wrong, missing values or unequal lengths.

    Examples
    --------
    >>> import numpy as np
    >>> candidate = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> base = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> found = accuracy_limits(candidate, base)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.01, -0.001, 0.022)
    """
    level = _check_alpha(alpha)
    if groups is not None:
        found = clustered_noninferiority(
            correct_candidate, correct_base, margin=_ANY_MARGIN, groups=groups, alpha=level
        )
        return _limits(found, found, level, found.n_clusters, "score_effective")
    counts = paired_counts(correct_candidate, correct_base)
    low, high = (
        paired_difference_ci(
            **counts, method="exact_melded", confidence_level=1 - level, alternative=side
        )
        for side in ("greater", "less")
    )
    n = sum(counts.values())
    estimate = (counts["only_a_correct"] - counts["only_b_correct"]) / n
    return Limits(estimate, low.low, high.high, level, n, 0, Status.OK, "exact_melded")


def metric_limits(
    y_true: ArrayLike,
    predicted_candidate: ArrayLike,
    predicted_base: ArrayLike,
    *,
    metric: str,
    positive: object | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
) -> Limits:
    """Return limits for the difference of any metric of a test set; see `metric_difference`.

    Raises
    ------
    ValueError
        As `metric_difference`.

    Examples
    --------
    >>> y, a = [1] * 20 + [0] * 20, [1] * 18 + [0] * 22
    >>> b = [1] * 11 + [0] * 26 + [1] * 3
    >>> found = metric_limits(y, a, b, metric="f1")
    >>> round(found.estimate, 2), round(found.low, 2)
    (0.3, 0.13)
    """
    level = _check_alpha(alpha)
    known: dict[str, Any] = {
        "metric": metric,
        "positive": positive,
        "labels": labels,
        "groups": groups,
        "confidence_level": 1 - level,
    }
    low, high = (
        metric_difference(y_true, predicted_candidate, predicted_base, **known, alternative=side)
        for side in _SIDES
    )
    return _limits(low, high, level, _count(groups), "t_influence")


def mean_limits(
    values_candidate: ArrayLike,
    values_base: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
) -> Limits:
    """Return limits for the mean difference of a number per row; see `mean_difference`.

    Raises
    ------
    ValueError
        As `mean_difference`.

    Examples
    --------
    >>> found = mean_limits([.9, .4, .8, .7, .9], [.6, .4, .5, .8, .5])
    >>> round(found.estimate, 2), round(found.low, 2)
    (0.18, -0.03)
    """
    level = _check_alpha(alpha)
    low, high = (
        mean_difference(
            values_candidate,
            values_base,
            greater_is_better=greater_is_better,
            groups=groups,
            alternative=side,
            confidence_level=1 - level,
        )
        for side in _SIDES
    )
    return _limits(low, high, level, _count(groups), "t_influence")


def decide_release(limits: Limits, margin: float, *, superior: bool = False) -> Release:
    """Return what the limits say of a candidate.

    Parameters
    ----------
    limits : Limits
        Of its advantage.
    margin : float
        The largest loss that does not matter, at least 0, in the unit of the metric; with
        `superior` the smallest gain that does.
    superior : bool
        Ship only what is shown to be better than the base by more than the margin.

    Returns
    -------
    Release
        ``ship``: the lower limit is above −margin (`superior`: above +margin). ``block``: the upper
        limit is below −margin (`superior`: whatever is not shipped). Else ``undecided``, as
        without limits.

    Raises
    ------
    ValueError
        A negative or infinite margin.

    Examples
    --------
    >>> str(decide_release(accuracy_limits([1, 0] * 500, [1, 0] * 500), 0.01))
    'ship'
    """
    size = check_margin(margin)
    if math.isnan(limits.low) or math.isnan(limits.high):
        return Release.UNDECIDED
    threshold = size if superior else -size
    if limits.low > threshold:
        return Release.SHIP
    return Release.BLOCK if superior or limits.high < threshold else Release.UNDECIDED


def check_margin(margin: float, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a margin that some loss could exceed.

    Parameters
    ----------
    margin : float
        A difference of two values of a metric.
    low, high : float
        The range of the metric; no difference is larger than its width.

    Raises
    ------
    ValueError
        A negative or infinite margin, or one as wide as the range.

    Examples
    --------
    >>> check_margin(0.01, 0.0, 1.0)
    0.01
    """
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


def rows_to_decide(limits: Limits, margin: float, *, power: float = 0.8) -> int | None:
    """Return with how many rows an undecided candidate would probably be decided on.

    Parameters
    ----------
    limits : Limits
        What is known.
    margin : float
        As in `decide_release`.
    power : float
        Wanted probability of a decision, if the advantage is as it was seen.

    Returns
    -------
    int or None
        Rows in all; None without limits, or where a thousand times the rows would not do.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> rows_to_decide(accuracy_limits(a, b), 0.0)
    2963
    """
    gap = limits.estimate + check_number(margin, "margin")
    half = limits.estimate - limits.low if gap > 0 else limits.high - limits.estimate
    if gap == 0 or not (half > 0 and math.isfinite(half)):
        return None
    least = half / (abs(gap) * math.sqrt(_MOST_TIMES))
    if least > 1:
        return None
    factor = rows_factor(
        difference=abs(gap),
        power=power,
        half=half,
        confidence=1 - limits.alpha,
        alternative="greater",
    )
    return math.ceil(limits.n * factor) if factor <= _MOST_TIMES else None


def level_of_use(use: int, alpha: float) -> float:
    """Return the level of the k-th decision by one test set: alpha/(k(k + 1)).

    However often it decides, the levels sum to less than alpha: the probability that any decision
    is wrong stays below it, whatever the candidates have in common.

    Parameters
    ----------
    use : int
        k, from 1.
    alpha : float
        Level of all decisions together.

    Returns
    -------
    float
        The level of this one.

    Raises
    ------
    ValueError
        A number out of range.

    Examples
    --------
    >>> level_of_use(1, 0.05), round(level_of_use(200, 0.05), 9)
    (0.025, 1.244e-06)
    """
    k = check_count(use, "use", least=1)
    return check_level(alpha, "alpha") / (k * (k + 1))


_SIDES: tuple[Literal["greater", "less"], ...] = ("greater", "less")


def _limits(low: Result, high: Result, alpha: float, groups: int, method: str) -> Limits:
    """Take the limits of one result each; equal models are decided on by the rows alone."""
    bounds = (math.nan, math.nan)
    if low.ci is not None and high.ci is not None:
        bounds = low.ci.low, high.ci.high
    return Limits(low.estimate, *bounds, alpha, low.n, groups, low.status, method)


def _count(groups: ArrayLike | None) -> int:
    return 0 if groups is None else len(np.unique(np.asarray(groups).astype(str)))


def _check_alpha(alpha: float) -> float:
    level = check_level(alpha, "alpha")
    if not level < 0.5:
        raise ArgumentError("alpha", f"found {alpha!r}, must lie strictly between 0 and 0.5")
    return level
