"""McNemar's question on rows that come in groups and share times: both ways at once."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.paired_differences import t_interval
from bakeoff.stats.core.result import Alternative, Assumption, Status, answered
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import ClusteredResult, too_few_degrees
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.design.dependence import Dependence, describe
from bakeoff.stats.design.row_design import RowDesign

_NOTICEABLE = 1.2


def crossed(
    a: BoolArray, b: BoolArray, design: RowDesign, side: Alternative, level: float
) -> ClusteredResult:
    """Compare two models on rows whose groups are crossed with times.

    Where the design effects of groups and of times both exceed 1.2 the variance is V_groups +
    V_times − V_cells (Cameron, Gelbach & Miller 2011), the larger of the two where that is not
    positive, with the smaller degrees of freedom; else that of the one with the larger variance.
    Each V is CR2 (Bell & McCaffrey 2002).
    """
    assert design.groups is not None
    assert design.times is not None
    d = a.astype(np.float64) - b
    in_groups, in_times = describe(d, design.groups), describe(d, design.times)
    form, variance, df = _combined(d, design.cells, in_groups, in_times)
    status = _status(d, variance, df)
    se = math.sqrt(variance) if variance > 0 else math.nan
    estimate = float(d.mean())
    statistic = estimate / se
    formula = t_pvalue(statistic, df, side) if status is Status.OK else math.nan
    statistic, pvalue = answered(status, statistic, formula, estimate)
    independent = float(np.square(d).sum() - len(d) * estimate**2) / len(d) / max(len(d) - 1, 1)
    effect = max(1.0, variance / independent) if independent > 0 and variance > 0 else math.nan
    return ClusteredResult(
        variant="crossed",
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
    d: FloatArray, cells: Clusters, groups: Dependence, times: Dependence
) -> tuple[str, float, float]:
    """Which variance, the variance, and its degrees of freedom."""
    v_groups, v_times = groups.se**2, times.se**2
    both = min(groups.design_effect_raw, times.design_effect_raw) > _NOTICEABLE
    if not both:  # also where a variance is unknown
        if not v_times > v_groups:
            return "groups", v_groups, groups.df
        return "times", v_times, times.df
    joined = v_groups + v_times - describe(d, cells).se ** 2
    return "crossed", joined if joined > 0 else max(v_groups, v_times), min(groups.df, times.df)


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
