"""Two classifiers over several data sets: the signed-rank test.

Each data set gives one score per classifier. The data sets are the sample, so the conclusion is
about the two algorithms on data sets like these.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Decimals, Level
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.pairwise import by_pairs
from bakeoff.stats.core.ranks import as_dataset_table, differences
from bakeoff.stats.core.registry import register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.datasets.bradley_terry import bradley_terry
from bakeoff.stats.datasets.rank_tests import RankTable, with_ranks
from bakeoff.stats.datasets.signed_ranks import (
    SignedRanks,
    exact_pvalue,
    hodges_lehmann,
    signed_ranks,
)
from bakeoff.stats.datasets.two_scores import PAIR, never_met, scored_by_both, superiority

_AUTO_EXACT = 500
_MAX_EXACT = 1000
FEWEST = 6
"""Data sets with scores of both models below which no pair of several is decided: the smallest
two-sided p-value of five is .0625."""


def _wilcoxon_pairs(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
    confidence_level: Level = 0.95,
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Run the signed-rank test on all pairs of columns, with what a diagram of ranks is made of.

    With `leader_only` on those of the model with the best average rank.
    """
    omit = missing == "omit"
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=omit)
    gaps = bool(np.isnan(table).any())
    options |= {"decimals": decimals, "confidence_level": confidence_level, "missing": missing}
    if gaps:  # average ranks over different data sets do not compare
        ranks = bradley_terry(table, decimals=decimals).expected_rank
    else:
        ranks = RankTable(table, decimals).average
    if leader_only:
        options |= {"leader_only": True, "control": int(ranks.argmin())}
    whole = by_pairs(_on_enough if gaps else wilcoxon_signed_rank, (), table.T, **options)
    return with_ranks(whole, ranks.tolist(), confidence_level)


def _on_enough(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative,
    confidence_level: float,
    **options: Any,
) -> Result:
    """Compare two models of several if enough data sets have scores of both."""
    options |= {"alternative": alternative, "confidence_level": confidence_level}
    result: Result = wilcoxon_signed_rank(scores_a, scores_b, **options)
    if result.n >= FEWEST:
        return result
    return dataclasses.replace(result, status=Status.TOO_FEW, pvalue=math.nan)


@register(
    **PAIR,
    title="Wilcoxon signed-rank test",
    answers="Does one algorithm tend to score higher than the other over data sets like these?",
    citation="wilcoxon1945",
    caution="It takes one score per data set: folds or repeats of one data set are not "
    "independent observations. With few data sets the exact test cannot reach a level corrected "
    "for many pairs.",
    all_pairs=_wilcoxon_pairs,
    null_hypothesis="The differences between the two algorithms' scores are symmetric "
    "about zero over the data sets these come from.",
)
def wilcoxon_signed_rank(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["pratt", "wilcox", "zsplit"] = "pratt",
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    continuity: bool = True,
    confidence_level: Level = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Wilcoxon's signed-rank test on the differences over data sets.

    Parameters
    ----------
    zeros : {"pratt", "wilcox", "zsplit"}
        Data sets on which both score the same: ranked, then left out (``pratt``); left out before
        ranking (``wilcox``); ranked, half of their ranks to each side (``zsplit``, as Demšar
        2006).
    method : {"auto", "exact", "asymptotic"}
        ``exact`` is the permutation distribution of these very ranks, ties included; ``auto`` is
        exact up to 500 non-zero differences.
    continuity : bool
        Continuity correction of ½ for ``asymptotic`` (exact p-values need none).
    decimals : int, optional
        Round scores to this many decimals first. In any case differences are rounded to 12 digits
        below the magnitude of the largest score, so that binary floats keep decimal ties and zeros.

    Returns
    -------
    Result
        ``statistic`` is W+, the rank sum in favour of A; ``estimate`` the Hodges-Lehmann
        pseudo-median of A − B over all data sets, with Tukey's interval (distribution-free,
        conservative under ties; infinite limits where N is too small for the level).
        ``effect_sizes``: ``rank_biserial`` = (W+ − W−)/(W+ + W−) and ``probability_superiority``
        (share of data sets won by A, draws half). ``details``: both rank sums, wins, losses,
        zeros, ``z`` (no continuity correction), ``p_asymptotic``, and Demšar's T and z.

    Notes
    -----
    With ranks r of the differences that have a sign, W+ has mean Σr/2 and variance Σr²/4 under
    the null, which is Demšar's N(N+1)(2N+1)/24 without ties and zeros. The null is that the
    differences are symmetric about 0.

    References
    ----------
    Wilcoxon (1945); Pratt (1959) for zeros; Demšar (2006), section 3.1.3; Hollander, Wolfe &
    Chicken (2014), sections 3.1-3.3, for estimate and interval.

    Examples
    --------
    >>> from bakeoff.stats import wilcoxon_signed_rank
    >>> a = [0.812, 0.756, 0.901, 0.683, 0.774, 0.829, 0.715, 0.866, 0.790, 0.843]
    >>> b = [0.801, 0.760, 0.880, 0.650, 0.769, 0.799, 0.708, 0.823, 0.793, 0.829]
    >>> result = wilcoxon_signed_rank(a, b)
    >>> result.statistic, result.pvalue
    (52.0, 0.009765625)
    >>> round(result.estimate, 4)
    0.0145
    """
    a, b = scored_by_both(scores_a, scores_b, missing, greater_is_better)
    if not len(a):
        return never_met(alternative)
    d = differences(a, b, decimals)
    signed = signed_ranks(d, zeros)
    n_signed = len(signed.ranks)
    if method == "exact" and n_signed > _MAX_EXACT:
        raise ArgumentError(
            "method",
            f"'exact' takes up to {_MAX_EXACT} non-zero differences, found {n_signed}; "
            "use 'auto' or 'asymptotic'",
        )
    exact = method == "exact" or (method == "auto" and n_signed <= _AUTO_EXACT)
    facts: dict[str, Any] = {
        "variant": "exact" if exact else ("asymptotic_cc" if continuity else "asymptotic"),
        "n": len(d),
        "alternative": alternative,
        "assumptions": _assumptions(d, exact),
    }
    if n_signed == 0:
        return Result(
            **facts,
            statistic=signed.w_plus,
            pvalue=1.0,
            estimate=0.0,
            effect_sizes={"rank_biserial": math.nan, "probability_superiority": 0.5},
            status=Status.IDENTICAL_SCORES,
            details=_details(d, signed, zeros, 0.0, 1.0),
        )
    p_normal = normal_pvalue(
        signed.corrected_z(alternative) if continuity else signed.z, alternative
    )
    estimate, low, high = hodges_lehmann(d, confidence_level, alternative)
    return Result(
        **facts,
        statistic=signed.w_plus,
        pvalue=exact_pvalue(signed.ranks, signed.w_plus - signed.from_zeros, alternative)
        if exact
        else p_normal,
        estimate=estimate,
        ci=ConfidenceInterval(low, high, confidence_level, "hodges-lehmann"),
        effect_sizes={
            "rank_biserial": (signed.w_plus - signed.w_minus) / (signed.w_plus + signed.w_minus),
            "probability_superiority": superiority(d),
        },
        details=_details(d, signed, zeros, signed.z, p_normal),
    )


def _details(
    d: FloatArray, signed: SignedRanks, zeros: str, z: float, p_normal: float
) -> dict[str, Any]:
    # Demšar's (2006) T = min(R+, R-), zeros split evenly, and its z (no tie correction)
    n, split = len(d), signed_ranks(d, "zsplit")
    t = min(split.w_plus, split.w_minus)
    demsar_z = (t - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return {
        "zeros": zeros,
        "w_plus": signed.w_plus,
        "w_minus": signed.w_minus,
        "wins": int((d > 0).sum()),
        "losses": int((d < 0).sum()),
        "n_zero": int((d == 0).sum()),
        "n_nonzero": int((d != 0).sum()),
        "z": z,
        "p_asymptotic": p_normal,
        "demsar_t": t,
        "demsar_z": demsar_z,
        "demsar_pvalue": normal_pvalue(demsar_z, "two-sided"),
    }


def _assumptions(d: FloatArray, exact: bool) -> tuple[Assumption, ...]:
    n_signed = int((d != 0).sum())
    smallest = min(1.0, 2.0 ** (1 - n_signed)) if n_signed < 1000 else 0.0
    enough = Assumption(
        name="enough data sets",
        holds=smallest <= 0.05,
        detail=f"{n_signed} of {len(d)} data sets differ: the smallest two-sided p they could "
        f"give is {smallest:.3g}.",
    )
    symmetric = Assumption(
        name="symmetric differences",
        holds=None,
        detail=f"Mean difference {math.fsum(d) / len(d):.4g}, median {np.median(d):.4g}; they are "
        "close when the differences are symmetric. The sign test needs no symmetry.",
    )
    if exact:
        return enough, symmetric
    normal = Assumption(
        name="normal approximation",
        holds=n_signed >= 25,
        detail=f"{n_signed} non-zero differences; below 25 use method='exact'.",
    )
    return enough, symmetric, normal
