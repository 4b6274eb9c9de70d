"""Pairs of classifiers over several data sets, each pair judged by its own scores."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from numpy.typing import ArrayLike

from bakeoff.stats.core.checks import FloatArray, check_level
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Pair, PairwiseResult, Status
from bakeoff.stats.datasets.friedman_ranks import RankTable
from bakeoff.stats.datasets.rank_pairs import PairFamily
from bakeoff.stats.datasets.two import wilcoxon_signed_rank

_PAIRWISE: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.ALL_PAIRS,
    "about": "algorithms",
    "plans": ANY_PLAN,
}


@register(
    **_PAIRWISE,
    title="Pairwise Wilcoxon signed-rank tests",
    answers="Which algorithms differ, each pair judged by its own scores alone?",
    citation="benavoli2016",
    caution="With few data sets the exact test cannot reach a level corrected for many pairs.",
)
def pairwise_wilcoxon(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    continuity: bool = True,
    confidence_level: float = 0.95,
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Wilcoxon's signed-rank test of each pair, adjusted for their number.

    Parameters
    ----------
    scores, control, correction, alternative : shared
    zeros, method, continuity
        As in `wilcoxon_signed_rank`.
    confidence_level : float
        Of each pair's own interval (not simultaneous), and 1 − the level of ``cd_groups``.
    greater_is_better, decimals : shared

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is the Hodges-Lehmann pseudo-median of a − b, ``statistic`` W+.

    References
    ----------
    Benavoli, Corani & Mangili (2016), who recommend it over procedures on mean ranks.

    Examples
    --------
    >>> from bakeoff.stats import pairwise_wilcoxon
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> [round(pair.pvalue_adjusted, 5) for pair in pairwise_wilcoxon(scores).pairs]
    [0.09375, 0.09375, 0.15625]
    """
    family = PairFamily.of(scores, control, correction, alternative, greater_is_better, decimals)
    level = check_level(confidence_level, side=family.alternative)
    options: dict[str, Any] = {
        "alternative": family.alternative,
        "zeros": zeros,
        "method": method,
        "continuity": continuity,
        "confidence_level": level,
        "decimals": decimals,
    }
    n, tests = len(family.scores), len(family.pairs)
    reachable = min(1.0, 2.0 ** (1 - min(n, 1000)))
    result = family.result(
        lambda a, b: _wilcoxon_pair(family.scores, a, b, options),
        level,
        test="pairwise_wilcoxon",
        null_hypothesis="The differences between the two algorithms' scores are symmetric about "
        "zero over the data sets these come from.",
        method="benavoli2016",
        assumptions=(
            Assumption(
                name="enough data sets",
                holds=reachable * (1 if family.correction == "none" else tests) <= 0.05,
                detail=f"{n} data sets: the smallest two-sided p of a pair is {reachable:.3g}, "
                f"among {tests} pairs.",
            ),
        ),
        details={
            "average_ranks": RankTable.of(family.scores, decimals).average.tolist(),
            "control": family.control,
        },
    )
    same = all(pair.status is Status.IDENTICAL_SCORES for pair in result.pairs)
    return dataclasses.replace(result, status=Status.IDENTICAL_SCORES) if same else result


def _wilcoxon_pair(oriented: FloatArray, a: int, b: int, options: dict[str, Any]) -> Pair:
    result = wilcoxon_signed_rank(oriented[:, a], oriented[:, b], **options)
    return Pair(
        a=a,
        b=b,
        statistic=result.statistic,
        pvalue=result.pvalue,
        pvalue_adjusted=result.pvalue,
        estimate=result.estimate,
        ci=result.ci,
        status=result.status,
        details={
            "variant": result.variant,
            "rank_biserial": result.effect_sizes["rank_biserial"],
            "wins": result.details["wins"],
            "losses": result.details["losses"],
            "n_zero": result.details["n_zero"],
        },
    )
