"""Several classifiers over several data sets: rank tests that compare data sets as well.

Friedman's test ranks within data sets alone. These also use how far scores are apart, and so need
scores whose differences mean the same on every data set.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.ranks import as_dataset_table, quantise, rank, scale_of
from bakeoff.stats.core.registry import register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.datasets.block_ranks import (
    NULL,
    OMNIBUS,
    agreement,
    block_f,
    block_status,
    degenerate_pvalue,
    friedman_assumptions,
    perfect_agreement,
    rank_details,
    two_models,
)
from bakeoff.stats.datasets.friedman_ranks import RankTable

__all__ = ["friedman_aligned_ranks", "quade"]


@register(
    **OMNIBUS,
    title="Quade test",
    answers="Do any of the algorithms differ, with data sets weighted by the range of their "
    "scores?",
    posthoc="wilcoxon_signed_rank",
    citation="quade1979",
    caution="It weights data sets by the range of their scores, so differences must be "
    "comparable between data sets.",
)
def quade(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Quade's test: ranks within data sets, weighted by the rank of the data set's range.

    Returns
    -------
    Result
        When all weighted rankings are the same, F is infinite and undecided
        (``zero_variance``); ``details["p_perfect_agreement"]`` is the exact probability.

    Notes
    -----
    S_ij = Q_i (r_ij − (k+1)/2), Q_i the rank of data set i's range; A = ΣS_ij², B = ΣS_j²/N;
    F = (N−1)B/(A−B), df k − 1 and (N−1)(k−1). For k = 2 it is the signed-rank test's z in
    another form.

    References
    ----------
    Quade (1979); Conover (1999), section 5.8.

    Examples
    --------
    >>> from bakeoff.stats import quade
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = quade(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 6)
    (12.1698, 0.002094)
    """
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better)
    table = RankTable.of(oriented, decimals)
    weight = rank(_ranges(oriented, decimals))[0]
    # four times S_ij, integers: "no variance left" needs no tolerance
    weighted = np.rint(2 * weight)[:, None].astype(object) * (table.doubled - (table.k + 1)).astype(
        object
    )
    sums = weighted.sum(axis=0)
    between = int((sums**2).sum())
    residual = table.n * int((weighted**2).sum()) - between
    status = block_status(table)
    if status is Status.OK and residual == 0:
        status = Status.ZERO_VARIANCE
    statistic, pvalue = block_f(table.n, table.k, between, residual, status)
    return Result(
        variant="f",
        statistic=statistic,
        df1=float(table.k - 1),
        df2=float((table.k - 1) * (table.n - 1)),
        pvalue=pvalue,
        n=table.n,
        null_hypothesis=NULL.format(k=table.k),
        status=status,
        assumptions=(
            two_models(table.k),
            Assumption(
                name="comparable ranges",
                holds=None,
                detail="Score differences must mean the same on every data set; the ranges go "
                f"from {np.ptp(oriented, axis=1).min():.4g} to "
                f"{np.ptp(oriented, axis=1).max():.4g}.",
            ),
            agreement(status is Status.ZERO_VARIANCE),
        ),
        details=rank_details(table)
        | {
            "weighted_sums": [float(s) / 4 for s in sums],
            "dataset_weights": weight.tolist(),
        }
        | perfect_agreement(table, status),
    )


def _ranges(oriented: FloatArray, decimals: Decimals | None) -> FloatArray:
    """Return each data set's range of scores, free of float noise."""
    scale = scale_of(oriented)
    rounded = oriented if decimals is None else np.round(oriented, decimals)
    return quantise(np.ptp(rounded, axis=1), scale, decimals)


@register(
    **OMNIBUS,
    title="Friedman aligned-ranks test",
    answers="Do any of the algorithms differ, if differences are comparable between data sets?",
    posthoc="wilcoxon_signed_rank",
    citation="hodges1962",
    caution="It ranks deviations from each data set's mean across all data sets, so differences "
    "must be comparable between data sets. It is most useful with few models.",
)
def friedman_aligned_ranks(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Friedman's test on aligned ranks (Hodges & Lehmann).

    Returns
    -------
    Result
        ``details["average_aligned_ranks"]``: from 1 (best) to N·k.

    Notes
    -----
    Each data set's mean is subtracted and all N·k values are ranked together.
    T = (k−1)(ΣR_j² − kN²(kN+1)²/4) / (Σr² − ΣR_i²/k) with R_j the models' and R_i the data
    sets' rank sums; χ² with k − 1 degrees of freedom. Without ties Σr² = kN(kN+1)(2kN+1)/6.

    References
    ----------
    Hodges & Lehmann (1962); García et al. (2010).

    Examples
    --------
    >>> from bakeoff.stats import friedman_aligned_ranks
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = friedman_aligned_ranks(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (8.3153, 0.0156)
    """
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better)
    table = RankTable.of(oriented, decimals)
    rounded = oriented if decimals is None else np.round(oriented, decimals)
    aligned = rounded - rounded.mean(axis=1, keepdims=True)
    # means have more decimals than scores have: only float noise is rounded away here
    ranks = rank(-quantise(aligned.ravel(), scale_of(oriented), None))[0].reshape(oriented.shape)
    n, k = oriented.shape
    sums = ranks.sum(axis=0)
    between = float(((sums - n * (n * k + 1) / 2) ** 2).sum())
    within = float(((ranks - ranks.mean(axis=1, keepdims=True)) ** 2).sum())
    status = block_status(table)
    statistic = 0.0 if status is Status.IDENTICAL_SCORES else (k - 1) * between / within
    return Result(
        variant="chi_square",
        statistic=statistic,
        df=float(k - 1),
        pvalue=degenerate_pvalue(status, float(special.chdtrc(k - 1, statistic))),
        n=n,
        null_hypothesis=NULL.format(k=k),
        status=status,
        assumptions=friedman_assumptions(table, asymptotic=True),
        details=rank_details(table) | {"average_aligned_ranks": (sums / n).tolist()},
    )
