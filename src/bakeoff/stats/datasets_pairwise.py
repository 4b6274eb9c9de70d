"""Pairs of classifiers over several data sets, each pair judged by its own scores."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from bakeoff.stats._checks import (
    FloatArray,
    check_alternative,
    check_level,
)
from bakeoff.stats._friedman import RankTable
from bakeoff.stats._rank_pairs import adjusted, check_correction, family, with_groups
from bakeoff.stats._ranks import (
    as_dataset_table,
    check_control,
    check_decimals,
)
from bakeoff.stats._registry import ANY_PLAN, Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import Assumption, Pair, PairwiseResult, Status
from bakeoff.stats.datasets_two import wilcoxon_signed_rank

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
    type1=TypeOneError.CONTROLLED,
    citation="benavoli2016",
    caution="With few data sets the exact test cannot reach a level corrected for many pairs.",
)
def pairwise_wilcoxon(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: str = "two-sided",
    zeros: str = "pratt",
    method: str = "auto",
    continuity: bool = True,
    confidence_level: float = 0.95,
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Wilcoxon's signed-rank test of each pair, adjusted for their number.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    control : int, optional
        Column of a control: only it is compared, as a, with each other model as b.
    correction : str
        A method of `adjust_pvalues`.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: a, or the control, is better.
    zeros, method, continuity
        As in `wilcoxon_signed_rank`.
    confidence_level : float
        Of each pair's own interval (not simultaneous), and 1 − the level of ``cd_groups``.
    greater_is_better : bool
        False for losses and error rates.
    decimals : int, optional
        Round scores to this many decimals first (float noise is removed in any case).

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is the Hodges-Lehmann pseudo-median of a − b, ``statistic`` W+.

    Raises
    ------
    ValueError
        Missing scores (the cell is named), fewer than two models, a control that is no column,
        an unknown option, or a correction that does not fit the family.

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
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    check_decimals(decimals)
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better)
    n, k = oriented.shape
    control = check_control(control, k)
    corrected = check_correction(correction, control, side, k)
    options: dict[str, Any] = {
        "alternative": side,
        "zeros": zeros,
        "method": method,
        "continuity": continuity,
        "confidence_level": level,
        "decimals": decimals,
    }
    members = family(k, control)
    pairs = [_wilcoxon_pair(oriented, a, b, options) for a, b in members]
    same = all(pair.status is Status.IDENTICAL_SCORES for pair in pairs)
    smallest = min(1.0, 2.0 ** (1 - min(n, 1000))) * (1 if corrected == "none" else len(members))
    result = PairwiseResult(
        test="pairwise_wilcoxon",
        variant="all_pairs" if control is None else "versus_control",
        correction=corrected,
        pairs=adjusted(pairs, corrected),
        n=n,
        null_hypothesis="The differences between the two algorithms' scores are symmetric about "
        "zero over the data sets these come from.",
        method="benavoli2016",
        alternative=side,
        status=Status.IDENTICAL_SCORES if same else Status.OK,
        assumptions=(
            Assumption(
                name="enough data sets",
                holds=smallest <= 0.05,
                detail=f"{n} data sets: the smallest two-sided p of a pair is "
                f"{min(1.0, 2.0 ** (1 - min(n, 1000))):.3g}, among {len(members)} pairs.",
            ),
        ),
        details={
            "average_ranks": RankTable.of(oriented, decimals).average.tolist(),
            "control": control,
        },
    )
    return with_groups(result, level)


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
