"""Several classifiers over several data sets, the scores taken as unpaired.

They ignore that every model was scored on the same data sets, and are here because published
comparisons use them.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.pairs import Pair, PairwiseResult
from bakeoff.stats.core.pairwise import by_pairs
from bakeoff.stats.core.ranks import (
    as_dataset_pair,
    as_dataset_table,
    quantise,
    scale_of,
    split_groups,
    tie_sum,
)
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Result, Status
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.datasets.block_ranks import degenerate_pvalue
from bakeoff.stats.datasets.rank_pairs import PairFamily, with_ranks
from bakeoff.stats.datasets.rank_sums import asymptotic_z, exact_pvalue, sum_ranks

__all__ = ["dunn", "kruskal_wallis", "rank_sum"]

_FACTS: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "about": "algorithms",
    "plans": ANY_PLAN,
    "paired": False,
}
_UNPAIRED = (
    "It ignores that every model was scored on the same data sets: the variation between "
    "data sets hides differences between models. Use wilcoxon_signed_rank or friedman_posthoc."
)


@register(
    **_FACTS,
    arity=Arity.OMNIBUS,
    title="Kruskal-Wallis test",
    answers="Do the scores of the algorithms differ, ignoring which data set each score comes "
    "from?",
    posthoc="dunn",
    citation="kruskal1952",
    caution="It ignores that every model was scored on the same data sets: the variation between "
    "data sets hides differences between models. Use friedman.",
)
def kruskal_wallis(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Kruskal-Wallis test: the models' scores as if they were unpaired.

    Returns
    -------
    Result
        ``effect_sizes``: ``epsilon_squared`` = H/(n−1) and ``eta_squared_H`` = (H−k+1)/(n−k), n
        the number of scores. ``details``: ``mean_ranks`` (1 = best of all scores).

    Notes
    -----
    H = [12/(n(n+1)) ΣR_j²/n_j − 3(n+1)] / [1 − Σ(t³−t)/(n³−n)], χ² with k − 1 degrees of
    freedom.

    References
    ----------
    Kruskal & Wallis (1952).

    Examples
    --------
    >>> from bakeoff.stats import kruskal_wallis
    >>> scores = [[.8, .9, .7], [.8, .9, .8], [.9, .8, .9], [.85, .85, .7]]
    >>> result = kruskal_wallis(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 4)
    (2.375, 0.305)
    """
    oriented = as_dataset_table(
        scores, greater_is_better=greater_is_better, allow_missing=missing == "omit"
    )
    ranks, sizes, counts = split_groups(oriented, decimals)
    n, k = int(sizes.sum()), len(sizes)
    sums = np.array([r.sum() for r in ranks])
    spread = 1 - tie_sum(counts) / (float(n) ** 3 - n)
    status = _unpaired_status(len(counts), n, k)
    # sum of squared deviations of the mean ranks: no difference of large numbers
    raw = 12 / (n * (n + 1)) * float((sizes * (sums / sizes - (n + 1) / 2) ** 2).sum())
    statistic = 0.0 if status is Status.IDENTICAL_SCORES else raw / spread
    return Result(
        variant="chi_square",
        statistic=statistic,
        df=float(k - 1),
        pvalue=degenerate_pvalue(status, float(special.chdtrc(k - 1, statistic))),
        n=oriented.shape[0],
        null_hypothesis=f"The scores of all {k} algorithms come from one distribution, whatever "
        "the data set.",
        status=status,
        effect_sizes={
            "epsilon_squared": statistic / (n - 1),
            "eta_squared_H": (statistic - k + 1) / (n - k) if n > k else math.nan,
        },
        assumptions=(
            Assumption(
                name="independent scores",
                holds=False,
                detail=f"{n} scores come from {oriented.shape[0]} data sets: scores of one data "
                "set go together, which this test ignores; use friedman.",
            ),
            Assumption(
                name="chi-square approximation",
                holds=bool(sizes.min() >= 5),
                detail=f"The smallest group has {int(sizes.min())} scores; 5 are recommended.",
            ),
        ),
        details={
            "mean_ranks": (sums / sizes).tolist(),
            "group_sizes": sizes.tolist(),
            "n_scores": n,
        },
    )


@register(
    **_FACTS,
    arity=Arity.ALL_PAIRS,
    title="Dunn test",
    answers="Which algorithms' scores differ, ignoring which data set each score comes from?",
    citation="dunn1964",
    caution=_UNPAIRED,
    unit="mean rank among all scores",
    null_hypothesis="The scores of the two algorithms of a pair come from one distribution, "
    "whatever the data set.",
)
def dunn(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> PairwiseResult:
    """Dunn's z test on mean ranks after Kruskal-Wallis: the scores as if unpaired.

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's mean rank among all scores is better.

    Notes
    -----
    z = (R_b − R_a) / √([n(n+1)/12 − Σ(t³−t)/(12(n−1))] (1/n_a + 1/n_b)), mean ranks R of all n
    scores.

    References
    ----------
    Dunn (1964).

    Examples
    --------
    >>> from bakeoff.stats import dunn
    >>> scores = [[.8, .9, .7], [.8, .9, .8], [.9, .8, .9], [.85, .85, .7]]
    >>> [round(pair.pvalue, 4) for pair in dunn(scores).pairs]
    [0.5403, 0.3583, 0.1258]
    """
    family = PairFamily.of(
        scores,
        control,
        correction,
        alternative,
        greater_is_better,
        allow_missing=missing == "omit",
    )
    ranks, sizes, counts = split_groups(family.scores, decimals)
    n = float(sizes.sum())
    mean_ranks = np.array([r.mean() for r in ranks])
    variance = n * (n + 1) / 12 - tie_sum(counts) / (12 * (n - 1))
    status = _unpaired_status(len(counts), int(n), len(sizes))

    def compare(a: int, b: int) -> Pair:
        estimate = float(mean_ranks[b] - mean_ranks[a])
        if status is Status.IDENTICAL_SCORES:
            z, pvalue = 0.0, 1.0
        elif status is Status.TOO_FEW:
            z = pvalue = math.nan
        else:
            z = estimate / math.sqrt(variance * (1 / sizes[a] + 1 / sizes[b]))
            pvalue = normal_pvalue(z, family.alternative)
        return Pair(
            a=a,
            b=b,
            statistic=z,
            pvalue=pvalue,
            pvalue_adjusted=pvalue,
            estimate=estimate,
            status=status,
        )

    return family.result(
        compare,
        0.95,
        status=status,
        assumptions=(_independent(family.scores, int(n)),),
        details={
            "average_ranks": mean_ranks.tolist(),
            "group_sizes": sizes.tolist(),
            "control": family.control,
        },
    )


def _rank_sum_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
    **options: Any,
) -> PairwiseResult:
    """Run `rank_sum` on all pairs of columns, with what a diagram of ranks is made of."""
    table = as_dataset_table(
        scores, greater_is_better=greater_is_better, allow_missing=missing == "omit"
    )
    ranks, _, _ = split_groups(table, decimals)
    whole = by_pairs(rank_sum, (), table.T, missing=missing, decimals=decimals, **options)
    return with_ranks(whole, [float(r.mean()) for r in ranks], 0.95)


@register(
    **_FACTS,
    arity=Arity.PAIR,
    title="Rank-sum test (Mann-Whitney)",
    answers="Do the scores of one algorithm tend to be higher, ignoring which data set each "
    "score comes from?",
    citation="mann1947",
    caution=_UNPAIRED,
    unit="Cliff's delta",
    all_pairs=_rank_sum_pairs,
    null_hypothesis="The scores of the two algorithms come from one distribution, whatever the "
    "data set.",
)
def rank_sum(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    continuity: bool = True,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Wilcoxon-Mann-Whitney rank-sum test of two algorithms: the scores as if unpaired.

    Parameters
    ----------
    method : {"auto", "exact", "asymptotic"}
        ``exact`` is the permutation distribution of these very ranks, ties included; ``auto`` is
        exact for up to 50 scores.
    continuity : bool
        Continuity correction of ½ for ``asymptotic``.

    Returns
    -------
    Result
        ``statistic`` is U, the number of pairs of scores that A wins (draws half); ``estimate``
        Cliff's delta 2U/(n_a n_b) − 1.

    References
    ----------
    Mann & Whitney (1947).

    Examples
    --------
    >>> from bakeoff.stats import rank_sum
    >>> result = rank_sum([.8, .8, .9, .85], [.7, .8, .9, .7], method="asymptotic")
    >>> result.statistic, round(result.pvalue, 4)
    (11.5, 0.3688)
    """
    both = as_dataset_pair(
        scores_a, scores_b, greater_is_better=greater_is_better, allow_missing=missing == "omit"
    )
    table = np.column_stack(both)
    _, sizes, counts = split_groups(table, decimals)
    values = quantise(table, scale_of(table), decimals)
    samples = [column[~np.isnan(column)] for column in values.T]
    n, size_a = int(sizes.sum()), int(sizes[0])
    ranks, exact = sum_ranks(samples, method)
    u = float(ranks[:size_a].sum()) - size_a * (size_a + 1) / 2
    status = _unpaired_status(len(counts), n, 2)
    if status is not Status.OK:
        pvalue = degenerate_pvalue(status, math.nan)
    elif exact:
        pvalue = exact_pvalue(ranks, size_a, alternative)
    else:
        z = asymptotic_z(u, (size_a, n - size_a), counts, alternative, continuity=continuity)
        pvalue = normal_pvalue(z, alternative)
    return Result(
        variant="exact" if exact else "asymptotic",
        statistic=u,
        pvalue=pvalue,
        alternative=alternative,
        estimate=2 * u / (size_a * (n - size_a)) - 1,
        n=len(table),
        status=status,
        assumptions=(_independent(table, n),),
        details={"group_sizes": sizes.tolist()},
    )


def _unpaired_status(distinct: int, n: int, k: int) -> Status:
    if distinct == 1:
        return Status.IDENTICAL_SCORES
    return Status.TOO_FEW if n <= k else Status.OK


def _independent(oriented: FloatArray, n: int) -> Assumption:
    return Assumption(
        name="independent scores",
        holds=False,
        detail=f"{n} scores come from {oriented.shape[0]} data sets: scores of one data set go "
        "together, which this test ignores; use wilcoxon_signed_rank or friedman_posthoc.",
    )
