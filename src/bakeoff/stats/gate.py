"""Whether a candidate may take the place of a base: what follows from one-sided limits.

A is the candidate, B the base. Each limit holds with probability 1 − alpha by itself, so that each
of the two wrong decisions, to ship what is worse by the margin or more and to block what is not
worse by more than it, has at most this probability.
"""

from __future__ import annotations

import math
from enum import StrEnum

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import (
    Alpha,
    Finite,
    Level,
    check_number,
    checked,
)
from bakeoff.stats.core.checks import ArgumentError, paired_correctness, paired_counts
from bakeoff.stats.core.result import Status
from bakeoff.stats.metrics.equivalence import Limits, two_limits
from bakeoff.stats.planning import detectable_difference
from bakeoff.stats.rows.mcnemar import noninferiority, paired_difference_ci

_ANY_MARGIN = 0.5

_MOST_TIMES = 1000.0
"""Times the rows beyond which more rows are no way to decide."""


class Release(StrEnum):
    """What to do with a candidate."""

    SHIP = "ship"
    BLOCK = "block"
    UNDECIDED = "undecided"


@checked
def accuracy_limits(
    correct_candidate: ArrayLike,
    correct_base: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> Limits:
    """Return limits for the difference of two accuracies on the same rows.

    Parameters
    ----------
    correct_candidate, correct_base : array_like of bool or 0/1, shape (n,)
        Whether each is right on each row.
    alpha : float
        Level of each limit, below 0.5.

    Returns
    -------
    Limits
        Independent rows: exact melded limits (Fay & Lumbard 2021), which no discordance brings
        beyond the level. Groups: the score limits of `noninferiority`.

    Examples
    --------
    >>> import numpy as np
    >>> candidate = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> base = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> found = accuracy_limits(candidate, base)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (0.01, -0.001, 0.022)
    """
    if groups is not None:
        found = noninferiority(
            correct_candidate, correct_base, margin=_ANY_MARGIN, groups=groups, alpha=alpha
        )
        return two_limits(found, found, alpha, found.n_clusters, "score_effective")
    counts = paired_counts(*paired_correctness(correct_candidate, correct_base))
    low, high = (
        paired_difference_ci(
            **counts, method="exact_melded", confidence_level=1 - alpha, alternative=side
        )
        for side in ("greater", "less")
    )
    n = sum(counts.values())
    estimate = (counts["only_a_correct"] - counts["only_b_correct"]) / n
    return Limits(estimate, low.low, high.high, alpha, n, 0, Status.OK, "exact_melded")


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
    >>> from bakeoff.stats import accuracy_limits
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


@checked
def rows_to_decide(limits: Limits, margin: Finite, *, power: Level = 0.8) -> int | None:
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
    >>> from bakeoff.stats import accuracy_limits
    >>> a = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> rows_to_decide(accuracy_limits(a, b), 0.0)
    2963
    """
    if power <= limits.alpha:
        raise ArgumentError(
            "power", f"found {power!r}, must be greater than alpha ({limits.alpha!r})"
        )
    gap = limits.estimate + margin
    half = limits.estimate - limits.low if gap > 0 else limits.high - limits.estimate
    if gap == 0 or not (half > 0 and math.isfinite(half)):
        return None
    found = detectable_difference(half, level=1 - limits.alpha, power=power)
    root_of_factor = found / gap
    factor = root_of_factor * root_of_factor  # a power would overflow
    return math.ceil(limits.n * factor) if factor <= _MOST_TIMES else None
