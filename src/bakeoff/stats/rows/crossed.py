"""Two classifiers on rows that come in groups and share times: both ways at once."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import (
    FloatArray,
    as_correctness,
    check_alternative,
    check_level,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import ClusteredResult, too_few_degrees
from bakeoff.stats.design.clusters import Clusters, as_clusters
from bakeoff.stats.design.dependence import Dependence, describe

__all__ = ["crossed_mcnemar"]

_NOTICEABLE = 1.2


@register(
    title="Accuracy difference for groups crossed with time",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models more often right than the other on new groups at "
    "new times?",
    plans=("holdout",),
    citation="cameron2011",
    caution="Needs many groups and many times; take it where both matter, else the test of the one "
    "that does.",
)
def crossed_mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    times: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> ClusteredResult:
    """Test the accuracies of two models on rows whose groups are crossed with times.

    Where the design effects of groups and of times both exceed 1.2 the variance is V_groups +
    V_times − V_cells (Cameron, Gelbach & Miller 2011), the larger of the two where that is not
    positive, with the smaller degrees of freedom; else that of the one with the larger variance.
    Each V is CR2 (Bell & McCaffrey 2002).

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (N,)
        Whether A and B are right on each row, in the same row order.
    groups, times : array_like, shape (N,), optional
        The group and the time of each row; without one each row is a group or a time of its own.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is more accurate.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    ClusteredResult
        `estimate` is the difference of the accuracies over rows; `details` has both design
        effects and which variance was taken.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.random((2, 200)) < [[0.9], [0.7]]
    >>> result = crossed_mcnemar(a, b, groups=np.arange(200) // 10, times=np.arange(200) % 10)
    >>> result.details["form"], result.df, result.pvalue < 0.01
    ('times', 8.999999999999998, True)
    """
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    d = a.astype(np.float64) - b
    by_group = as_clusters(groups, len(d))
    by_time = as_clusters(times, len(d), "times")
    in_groups, in_times = describe(d, by_group), describe(d, by_time)
    form, variance, df = _combined(d, by_group, by_time, in_groups, in_times)
    status = _status(d, variance, df)
    se = math.sqrt(variance) if variance > 0 else math.nan
    estimate = float(d.mean())
    statistic = estimate / se
    pvalue = t_pvalue(statistic, df, side) if status is Status.OK else math.nan
    if status in (Status.NO_DISCORDANT_PAIRS, Status.IDENTICAL_SCORES):
        statistic, pvalue = 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.copysign(math.inf, estimate)
    independent = float(np.square(d).sum() - len(d) * estimate**2) / len(d) / max(len(d) - 1, 1)
    effect = max(1.0, variance / independent) if independent > 0 and variance > 0 else math.nan
    return ClusteredResult(
        test="crossed_mcnemar",
        variant=form,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=side,
        estimate=estimate,
        ci=t_interval(estimate, se, df, level, side, "robust_t") if se > 0 and df > 0 else None,
        n=len(d),
        status=status,
        assumptions=_assumptions(in_groups, in_times, df),
        null_hypothesis="The two fitted models are equally accurate on the population of groups "
        "and times that the test rows were drawn from.",
        method="cameron2011",
        details={
            "form": form,
            "se": se,
            "n_times": in_times.n_clusters,
            "design_effect_groups": in_groups.design_effect_raw,
            "design_effect_times": in_times.design_effect_raw,
            "df_groups": in_groups.df,
            "df_times": in_times.df,
            "only_a_correct": int(np.count_nonzero(d > 0)),
            "only_b_correct": int(np.count_nonzero(d < 0)),
        },
        n_clusters=in_groups.n_clusters,
        n_effective=len(d) / effect,
        design_effect=effect,
        icc=in_groups.icc,
    )


def _combined(
    d: FloatArray, by_group: Clusters, by_time: Clusters, groups: Dependence, times: Dependence
) -> tuple[str, float, float]:
    """Which variance, the variance, and its degrees of freedom."""
    v_groups, v_times = groups.se**2, times.se**2
    both = min(groups.design_effect_raw, times.design_effect_raw) > _NOTICEABLE
    if not both:  # also where a variance is unknown
        if not v_times > v_groups:
            return "groups", v_groups, groups.df
        return "times", v_times, times.df
    cells = Clusters(*_numbered(by_group.codes * by_time.count + by_time.codes))
    joined = v_groups + v_times - describe(d, cells).se ** 2
    df = min(groups.df, times.df)
    if joined > 0:
        return "crossed", joined, df
    return "crossed", max(v_groups, v_times), df


def _numbered(codes: np.ndarray) -> tuple[np.ndarray, FloatArray]:
    _, places, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    return places, sizes.astype(np.float64)


def _status(d: FloatArray, variance: float, df: float) -> Status:
    if not d.any():
        return Status.NO_DISCORDANT_PAIRS
    if too_few_degrees(df):
        return Status.TOO_FEW
    if variance > 0:
        return Status.OK
    return Status.ZERO_VARIANCE if d.sum() else Status.IDENTICAL_SCORES


def _assumptions(groups: Dependence, times: Dependence, df: float) -> tuple[Assumption, ...]:
    return (
        Assumption(
            "rows depend through their group or their time alone",
            None,
            f"{groups.n_clusters} groups (design effect {groups.design_effect_raw:.2f}) crossed "
            f"with {times.n_clusters} times ({times.design_effect_raw:.2f})",
        ),
        Assumption(
            "enough groups and times",
            not too_few_degrees(df),
            f"{df:.1f} degrees of freedom; it wants 4, and trusts 20",
        ),
    )
