"""Pairs of classifiers over several data sets, each pair by itself, and unpaired procedures.

`pairwise_wilcoxon` is the one to use. Dunn's test and the pairwise rank-sum test treat the
scores as unpaired; they are here because published comparisons use them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats._checks import (
    FloatArray,
    check_alternative,
    check_choice,
    check_flag,
    check_level,
)
from bakeoff.stats._friedman import RankTable
from bakeoff.stats._rank_pairs import adjusted, check_correction, family, with_groups
from bakeoff.stats._ranks import (
    as_dataset_table,
    check_control,
    check_decimals,
    largest,
    quantise,
    rank,
    split_groups,
    tie_sum,
)
from bakeoff.stats._registry import Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import Alternative, Assumption, Pair, PairwiseResult, Status
from bakeoff.stats._tails import normal_pvalue
from bakeoff.stats.datasets_two import wilcoxon_signed_rank

_AUTO_EXACT = 50
_MAX_EXACT = 100
_PAIRWISE: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.ALL_PAIRS,
    "about": "algorithms",
    "plans": ("holdout", "kfold", "cv_5x2", "resampled"),
}
_UNPAIRED = (
    "Ignores that every model was scored on the same data sets: differences between data sets "
    "drown those between models. Use pairwise_wilcoxon or friedman_posthoc."
)


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
        A method of `bakeoff.stats.multiplicity.adjust_pvalues`.
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
    level = check_level(confidence_level)
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


@register(
    **_PAIRWISE,
    title="Dunn test",
    answers="Which algorithms' scores differ, the data sets they come from ignored?",
    type1=TypeOneError.CONSERVATIVE,
    citation="dunn1964",
    caution=_UNPAIRED,
)
def dunn(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: str = "two-sided",
    missing: str = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Dunn's z test on mean ranks after Kruskal-Wallis: the scores as if unpaired.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    control : int, optional
        Column of a control: only it is compared, as a, with each other model as b.
    correction : str
        A method of `bakeoff.stats.multiplicity.adjust_pvalues`.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: a, or the control, is better.
    missing : {"raise", "omit"}
        ``omit`` leaves NaN cells out, so models may have different numbers of scores.
    greater_is_better : bool
        False for losses and error rates.
    decimals : int, optional
        Round scores to this many decimals first (float noise is removed in any case).

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's mean rank among all scores is better.

    Raises
    ------
    ValueError
        Missing scores under ``raise``, a model without scores, fewer than two models, a control
        that is no column, or a correction that does not fit the family.

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
    side = check_alternative(alternative)
    omit = check_choice(missing, ("raise", "omit"), "missing") == "omit"
    check_decimals(decimals)
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=omit)
    k = oriented.shape[1]
    control = check_control(control, k)
    method = check_correction(correction, control, side, k)
    ranks, sizes, counts = split_groups(oriented, decimals)
    n = float(sizes.sum())
    mean_ranks = np.array([r.mean() for r in ranks])
    variance = n * (n + 1) / 12 - tie_sum(counts) / (12 * (n - 1))
    status = _unpaired_status(len(counts), int(n), k)

    def compare(a: int, b: int) -> Pair:
        estimate = float(mean_ranks[b] - mean_ranks[a])
        if status is Status.IDENTICAL_SCORES:
            z, pvalue = 0.0, 1.0
        elif status is Status.TOO_FEW:
            z = pvalue = math.nan
        else:
            z = estimate / math.sqrt(variance * (1 / sizes[a] + 1 / sizes[b]))
            pvalue = normal_pvalue(z, side)
        return Pair(
            a=a,
            b=b,
            statistic=z,
            pvalue=pvalue,
            pvalue_adjusted=pvalue,
            estimate=estimate,
            status=status,
        )

    result = PairwiseResult(
        test="dunn",
        variant="all_pairs" if control is None else "versus_control",
        correction=method,
        pairs=adjusted((compare(a, b) for a, b in family(k, control)), method),
        n=oriented.shape[0],
        null_hypothesis="The scores of the two algorithms of a pair come from one distribution, "
        "whatever the data set.",
        method="dunn1964",
        alternative=side,
        status=status,
        assumptions=(_independent(oriented, int(n)),),
        details={
            "average_ranks": mean_ranks.tolist(),
            "group_sizes": sizes.tolist(),
            "control": control,
        },
    )
    return with_groups(result, 0.95)


@register(
    **_PAIRWISE,
    title="Pairwise rank-sum tests (Mann-Whitney)",
    answers="Which algorithms' scores differ, pair by pair, the data sets ignored?",
    type1=TypeOneError.CONSERVATIVE,
    citation="mann1947",
    caution=_UNPAIRED,
)
def pairwise_rank_sum(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: str = "two-sided",
    method: str = "auto",
    continuity: bool = True,
    missing: str = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> PairwiseResult:
    """Wilcoxon-Mann-Whitney rank-sum test of each pair: the scores as if unpaired.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    control : int, optional
        Column of a control: only it is compared, as a, with each other model as b.
    correction : str
        A method of `bakeoff.stats.multiplicity.adjust_pvalues`.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: a, or the control, is better.
    method : {"auto", "exact", "asymptotic"}
        ``exact`` is the permutation distribution of these very ranks, ties included; ``auto`` is
        exact for up to 50 scores in a pair.
    continuity : bool
        Continuity correction of ½ for ``asymptotic``.
    missing : {"raise", "omit"}
        ``omit`` leaves NaN cells out, so models may have different numbers of scores.
    greater_is_better : bool
        False for losses and error rates.
    decimals : int, optional
        Round scores to this many decimals first (float noise is removed in any case).

    Returns
    -------
    PairwiseResult
        Each pair's ``statistic`` is U, the number of pairs of scores that a wins (draws half);
        ``estimate`` Cliff's delta 2U/(n_a n_b) − 1.

    Raises
    ------
    ValueError
        Missing scores under ``raise``, a model without scores, fewer than two models, a control
        that is no column, an unknown option, a correction that does not fit the family, or
        ``exact`` on more than 100 scores.

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
    side = check_alternative(alternative)
    omit = check_choice(missing, ("raise", "omit"), "missing") == "omit"
    check_choice(method, ("auto", "exact", "asymptotic"), "method")
    check_flag(continuity, "continuity")
    check_decimals(decimals)
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=omit)
    k = oriented.shape[1]
    control = check_control(control, k)
    corrected = check_correction(correction, control, side, k)
    ranks, sizes, counts = split_groups(oriented, decimals)
    values = quantise(oriented, largest(oriented), decimals)

    def compare(a: int, b: int) -> Pair:
        both = [values[~np.isnan(values[:, j]), j] for j in (a, b)]
        return _rank_sum_pair(a, b, both, side, method, continuity)

    result = PairwiseResult(
        test="pairwise_rank_sum",
        variant="all_pairs" if control is None else "versus_control",
        correction=corrected,
        pairs=adjusted((compare(a, b) for a, b in family(k, control)), corrected),
        n=oriented.shape[0],
        null_hypothesis="The scores of the two algorithms of a pair come from one distribution, "
        "whatever the data set.",
        method="mann1947",
        alternative=side,
        status=_unpaired_status(len(counts), int(sizes.sum()), k),
        assumptions=(_independent(oriented, int(sizes.sum())),),
        details={
            "average_ranks": [float(r.mean()) for r in ranks],
            "group_sizes": sizes.tolist(),
            "control": control,
        },
    )
    return with_groups(result, 0.95)


def _rank_sum_pair(
    a: int, b: int, both: list[FloatArray], side: Alternative, method: str, continuity: bool
) -> Pair:
    size_a, size_b = len(both[0]), len(both[1])
    n = size_a + size_b
    if method == "exact" and n > _MAX_EXACT:
        raise ValueError(
            f"method: 'exact' takes up to {_MAX_EXACT} scores in a pair, found {n}; use 'auto'"
        )
    ranks, counts = rank(np.concatenate(both))
    u = float(ranks[:size_a].sum()) - size_a * (size_a + 1) / 2
    exact = method == "exact" or (method == "auto" and n <= _AUTO_EXACT)
    status = Status.OK
    if len(counts) == 1:
        status, pvalue = Status.IDENTICAL_SCORES, 1.0
    elif n < 3:
        status, pvalue = Status.TOO_FEW, math.nan
    elif exact:
        pvalue = _exact_rank_sum(ranks, size_a, side)
    else:
        variance = size_a * size_b / 12 * ((n + 1) - tie_sum(counts) / (n * (n - 1)))
        excess = u - size_a * size_b / 2
        shift = {"two-sided": 0.5 * float(np.sign(excess)), "greater": 0.5, "less": -0.5}[side]
        pvalue = normal_pvalue((excess - continuity * shift) / math.sqrt(variance), side)
    return Pair(
        a=a,
        b=b,
        statistic=u,
        pvalue=pvalue,
        pvalue_adjusted=pvalue,
        estimate=2 * u / (size_a * size_b) - 1,
        status=status,
        details={"variant": "exact" if exact else "asymptotic"},
    )


def _exact_rank_sum(ranks: FloatArray, size: int, alternative: Alternative) -> float:
    """P-value of the sum of the first `size` ranks when every choice is equally likely."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    observed, total = int(doubled[:size].sum()), int(doubled.sum())
    ways = np.zeros((size + 1, total + 1))
    ways[0, 0] = 1.0
    for step in doubled.tolist():
        ways[1:, step:] += ways[:-1, : total + 1 - step].copy()
    share = ways[size] / float(special.comb(len(ranks), size))
    less, greater = float(share[: observed + 1].sum()), float(share[observed:].sum())
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return min(1.0, less if alternative == "less" else greater)


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
