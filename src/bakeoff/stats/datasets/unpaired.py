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

from bakeoff.stats.core.checks import FloatArray, check_choice, check_flag
from bakeoff.stats.core.ranks import (
    as_dataset_table,
    check_decimals,
    largest,
    quantise,
    split_groups,
    tie_sum,
)
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Pair, PairwiseResult, Result, Status
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.datasets.block_ranks import degenerate_pvalue
from bakeoff.stats.datasets.rank_pairs import PairFamily
from bakeoff.stats.datasets.rank_sums import rank_sum_pair

__all__ = ["dunn", "kruskal_wallis", "pairwise_rank_sum"]

_FACTS: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "about": "algorithms",
    "plans": ANY_PLAN,
    "paired": False,
}
_UNPAIRED = (
    "Ignores that every model was scored on the same data sets: differences between data sets "
    "drown those between models. Use pairwise_wilcoxon or friedman_posthoc."
)


@register(
    **_FACTS,
    arity=Arity.OMNIBUS,
    title="Kruskal-Wallis test",
    answers="Do the scores of the algorithms differ, the data sets they come from ignored?",
    posthoc="dunn",
    citation="kruskal1952",
    caution="Ignores that every model was scored on the same data sets: differences between data "
    "sets drown those between models. Use friedman.",
)
def kruskal_wallis(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Kruskal-Wallis test: the models' scores as if they were unpaired.

    Parameters
    ----------
    scores, missing, greater_is_better, decimals : shared

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
    check_choice(missing, ("raise", "omit"), "missing")
    check_decimals(decimals)
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
        test="kruskal_wallis",
        variant="chi_square",
        statistic=statistic,
        df=float(k - 1),
        pvalue=degenerate_pvalue(status, float(special.chdtrc(k - 1, statistic))),
        n=oriented.shape[0],
        null_hypothesis=f"The scores of all {k} algorithms come from one distribution, whatever "
        "the data set.",
        method="kruskal1952",
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
                detail=f"The smallest group has {int(sizes.min())} scores; 5 or more are wanted.",
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
    answers="Which algorithms' scores differ, the data sets they come from ignored?",
    citation="dunn1964",
    caution=_UNPAIRED,
    unit="mean rank among all scores",
)
def dunn(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Dunn's z test on mean ranks after Kruskal-Wallis: the scores as if unpaired.

    Parameters
    ----------
    scores, control, correction, alternative, missing, greater_is_better, decimals : shared

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
    omit = check_choice(missing, ("raise", "omit"), "missing") == "omit"
    family = PairFamily.of(
        scores,
        control,
        correction,
        alternative,
        greater_is_better,
        decimals,
        allow_missing=omit,
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
        test="dunn",
        null_hypothesis="The scores of the two algorithms of a pair come from one distribution, "
        "whatever the data set.",
        method="dunn1964",
        status=status,
        assumptions=(_independent(family.scores, int(n)),),
        details={
            "average_ranks": mean_ranks.tolist(),
            "group_sizes": sizes.tolist(),
            "control": family.control,
        },
    )


@register(
    **_FACTS,
    arity=Arity.ALL_PAIRS,
    title="Pairwise rank-sum tests (Mann-Whitney)",
    answers="Which algorithms' scores differ, pair by pair, the data sets ignored?",
    citation="mann1947",
    caution=_UNPAIRED,
    unit="Cliff's delta",
)
def pairwise_rank_sum(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    continuity: bool = True,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Wilcoxon-Mann-Whitney rank-sum test of each pair: the scores as if unpaired.

    Parameters
    ----------
    scores, control, correction, alternative : shared
    method : {"auto", "exact", "asymptotic"}
        ``exact`` is the permutation distribution of these very ranks, ties included; ``auto`` is
        exact for up to 50 scores in a pair.
    continuity : bool
        Continuity correction of ½ for ``asymptotic``.
    missing, greater_is_better, decimals : shared

    Returns
    -------
    PairwiseResult
        Each pair's ``statistic`` is U, the number of pairs of scores that a wins (draws half);
        ``estimate`` Cliff's delta 2U/(n_a n_b) − 1.

    References
    ----------
    Mann & Whitney (1947).

    Examples
    --------
    >>> from bakeoff.stats import pairwise_rank_sum
    >>> scores = [[.8, .9, .7], [.8, .9, .8], [.9, .8, .9], [.85, .85, .7]]
    >>> result = pairwise_rank_sum(scores, method="asymptotic")
    >>> [round(pair.pvalue_adjusted, 4) for pair in result.pairs]
    [0.7376, 0.7376, 0.6924]
    """
    omit = check_choice(missing, ("raise", "omit"), "missing") == "omit"
    check_choice(method, ("auto", "exact", "asymptotic"), "method")
    check_flag(continuity, "continuity")
    family = PairFamily.of(
        scores,
        control,
        correction,
        alternative,
        greater_is_better,
        decimals,
        allow_missing=omit,
    )
    ranks, sizes, counts = split_groups(family.scores, decimals)
    values = quantise(family.scores, largest(family.scores), decimals)

    def compare(a: int, b: int) -> Pair:
        both = [values[~np.isnan(values[:, j]), j] for j in (a, b)]
        return rank_sum_pair(a, b, both, family.alternative, method, continuity)

    return family.result(
        compare,
        0.95,
        test="pairwise_rank_sum",
        null_hypothesis="The scores of the two algorithms of a pair come from one distribution, "
        "whatever the data set.",
        method="mann1947",
        status=_unpaired_status(len(counts), int(sizes.sum()), len(sizes)),
        assumptions=(_independent(family.scores, int(sizes.sum())),),
        details={
            "average_ranks": [float(r.mean()) for r in ranks],
            "group_sizes": sizes.tolist(),
            "control": family.control,
        },
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
        "together, which this test ignores; use pairwise_wilcoxon or friedman_posthoc.",
    )
