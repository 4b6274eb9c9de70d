"""One-sided limits of a candidate's advantage over a base, on the same rows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Alpha, checked
from bakeoff.stats.core.checks import paired_correctness, paired_counts
from bakeoff.stats.core.result import Result, Status
from bakeoff.stats.design.spread import Spread
from bakeoff.stats.metrics.differences import difference
from bakeoff.stats.metrics.influence import Influence
from bakeoff.stats.metrics.means import mean_difference
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.setting import MetricArguments, Setting, setting_of
from bakeoff.stats.metrics.skewed_means import skewed_limits, skewness
from bakeoff.stats.metrics.test_rows import read_groups
from bakeoff.stats.rows.equivalence import noninferiority
from bakeoff.stats.rows.mcnemar import paired_difference_ci

_ANY_MARGIN = 0.5
_FEWEST_OF_A_CLASS, _FEWEST_DEGREES, _FEWEST_OF_SUMS = 20, 10, 20
"""What limits need: rows of a class and degrees of freedom of a log loss; degrees of freedom of any
numbers and of sums over groups."""
_SIDES: tuple[Literal["greater", "less"], ...] = ("greater", "less")


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
    warnings : tuple of str
        Why the limits are rough, or why there are none.
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


@checked
def metric_limits(
    y_true: ArrayLike,
    predicted_candidate: ArrayLike,
    predicted_base: ArrayLike,
    *,
    alpha: Alpha = 0.05,
    **asked: Unpack[MetricArguments],
) -> Limits:
    """Return limits for the difference of any metric of a test set; see `metric_difference`.

    Means of a value per row (log loss, Brier score, cost): each limit is the wider one of Student's
    and of Hall's (1992), which takes the skewness of the values out of t; there are none below 10
    effective degrees of freedom (20 with groups), of a log loss below 20 rows of the rarest class.

    Parameters
    ----------
    predicted_candidate, predicted_base : array_like, shape (n,) or (n, K)
        What each predicts, as in `metric_difference`.

    Examples
    --------
    >>> y, a = [1] * 20 + [0] * 20, [1] * 18 + [0] * 22
    >>> b = [1] * 11 + [0] * 26 + [1] * 3
    >>> found = metric_limits(y, a, b, metric="f1")
    >>> round(found.estimate, 2), round(found.low, 2)
    (0.3, 0.13)
    """
    models = [("predicted_candidate", predicted_candidate), ("predicted_base", predicted_base)]
    setting, rows = setting_of(y_true, models, **asked)
    return limits_of(setting, rows, alpha)[0]


def limits_of(
    setting: Setting, rows: Sequence[Any], alpha: float
) -> tuple[Limits, Influence | None, Result]:
    """Return the limits of a difference, the influence of every row on it, and its test."""
    (found, low), (_, high) = (difference(setting, rows, side, 1 - alpha) for side in _SIDES)
    groups = 0 if setting.clusters is None else int(setting.clusters.max()) + 1
    limits = two_limits(low, high, alpha, groups, "t_influence")
    if setting.metric.form is not Form.ROWS or found is None or math.isnan(limits.low):
        return limits, found, low
    limits = dataclasses.replace(limits, warnings=())
    fewest = setting.fewest()
    if 0 <= fewest < _FEWEST_OF_A_CLASS:
        why = f"{fewest} rows of the rarest class, {_FEWEST_OF_A_CLASS} are needed"
        return _none(limits, why), found, low
    skew = skewness(found.psi, setting.clusters)
    fewest_degrees = _FEWEST_DEGREES if setting.clusters is None else _FEWEST_OF_SUMS
    return _of_mean(limits, found.tested, skew, fewest_degrees), found, low


@checked
def mean_limits(
    values_candidate: ArrayLike,
    values_base: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> Limits:
    """Return limits for the mean difference of a number per row; see `mean_difference`.

    Each is the wider one of Student's and of Hall's (1992) limit; there are none below 20
    effective degrees of freedom.

    Parameters
    ----------
    values_candidate, values_base : array_like, shape (n,)
        The number of each row, in the same row order.

    Examples
    --------
    >>> losses = np.linspace(0, 1, 30)
    >>> found = mean_limits(losses, losses**2, greater_is_better=False)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (-0.161, -0.186, -0.134)
    """
    low, high = (
        mean_difference(
            values_candidate,
            values_base,
            greater_is_better=greater_is_better,
            groups=groups,
            variant=None if groups is None else "t_and_flips",
            alternative=side,
            confidence_level=1 - alpha,
        )
        for side in _SIDES
    )
    limits = two_limits(low, high, alpha, count_groups(groups), "t_influence")
    if math.isnan(limits.low):
        return limits
    differences = np.subtract(values_candidate, values_base, dtype=np.float64)
    clusters = read_groups(groups, len(differences))
    spread = Spread(low.details["se"], low.df or 0.0, low.details["units"])
    skew = skewness(differences - differences.mean(), clusters)
    return _of_mean(limits, spread, skew if greater_is_better else -skew, _FEWEST_OF_SUMS)


def two_limits(low: Result, high: Result, alpha: float, groups: int, method: str) -> Limits:
    """Take the limits of one result each; equal models are decided on by the rows alone."""
    bounds = (math.nan, math.nan)
    if low.ci is not None and high.ci is not None:
        bounds = low.ci.low, high.ci.high
    fails = tuple(a.detail for a in low.assumptions if a.holds is False)
    return Limits(low.estimate, *bounds, alpha, low.n, groups, low.status, method, fails)


def _of_mean(limits: Limits, found: Spread, skew: float, fewest: int) -> Limits:
    """Take the skewness of numbers per row into account, where enough of them carry the mean."""
    if found.df < fewest:
        return _none(
            limits,
            f"few rows dominate the difference: it has {found.df:.0f} effective degrees of "
            f"freedom, {fewest} are needed",
        )
    low, high = skewed_limits(limits.estimate, found, skew, limits.alpha)
    return dataclasses.replace(limits, low=low, high=high, method="t_and_hall")


def _none(limits: Limits, why: str) -> Limits:
    """Return no limits, and why."""
    nan, said = math.nan, (*limits.warnings, why)
    return dataclasses.replace(limits, low=nan, high=nan, status=Status.TOO_FEW, warnings=said)


def count_groups(groups: ArrayLike | None) -> int:
    """Count groups; 0 where there are none."""
    return 0 if groups is None else len(np.unique(np.asarray(groups).astype(str)))
