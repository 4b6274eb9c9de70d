"""Two classifiers over several data sets: the sign test."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels
from bakeoff.stats.core.arguments import Decimals, Level
from bakeoff.stats.core.binomial import lower_tail, tail_probability
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.ranks import differences
from bakeoff.stats.core.registry import register
from bakeoff.stats.core.result import Alternative, Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.core.tails import normal_pvalue
from bakeoff.stats.datasets.two_scores import PAIR, never_met, scored_by_both, superiority


@register(
    **PAIR,
    title="Sign test",
    answers="Does one algorithm score higher than the other on most data sets like these?",
    citation="demsar2006",
    caution="It counts wins and ignores the size of the differences; it is much less powerful "
    "than wilcoxon_signed_rank.",
    null_hypothesis="On a data set like these, each of the two algorithms is as likely to "
    "score higher as the other.",
)
def sign_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["drop", "split"] = "drop",
    method: Literal["exact", "asymptotic"] = "exact",
    confidence_level: Level = 0.95,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Sign test on wins and losses over data sets.

    Parameters
    ----------
    zeros : {"drop", "split"}
        Draws are left out, or split evenly between the two; an odd one is then left out (Demšar
        2006, section 3.1.4), which makes the test more conservative.
    method : {"exact", "asymptotic"}
        Binomial distribution, or the normal approximation without continuity correction.

    Returns
    -------
    Result
        ``statistic`` is A's number of wins; ``estimate`` the median difference over all data
        sets, with the interval of order statistics (Thompson 1936); ``effect_sizes``:
        ``win_share`` among decided data sets and ``probability_superiority`` (draws half).

    Notes
    -----
    Wins ~ Bin(n, ½) under the null; two-sided p = min(1, 2·min(P(X ≤ wins), P(X ≥ wins))).

    References
    ----------
    Demšar (2006), section 3.1.4; Hollander, Wolfe & Chicken (2014), sections 3.4-3.6.

    Examples
    --------
    >>> from bakeoff.stats import sign_test
    >>> a = [0.812, 0.756, 0.901, 0.683, 0.774, 0.829, 0.715, 0.866, 0.790, 0.843]
    >>> b = [0.801, 0.760, 0.880, 0.650, 0.769, 0.799, 0.708, 0.823, 0.793, 0.829]
    >>> result = sign_test(a, b)
    >>> result.statistic, round(result.pvalue, 6)
    (8.0, 0.109375)
    """
    a, b = scored_by_both(scores_a, scores_b, missing, greater_is_better)
    if not len(a):
        return never_met(alternative)
    d = differences(a, b, decimals)
    wins, losses = int((d > 0).sum()), int((d < 0).sum())
    share = (len(d) - wins - losses) // 2 if zeros == "split" else 0
    x, n = wins + share, wins + losses + 2 * share
    facts: dict[str, Any] = {
        "variant": method,
        "n": len(d),
        "alternative": alternative,
        "statistic": float(x),
        "details": {"wins": wins, "losses": losses, "n_zero": len(d) - wins - losses, "n_used": n},
    }
    if wins + losses == 0:
        return Result(
            **facts,
            pvalue=1.0,
            estimate=0.0,
            effect_sizes={"win_share": math.nan, "probability_superiority": 0.5},
            status=Status.IDENTICAL_SCORES,
        )
    if method == "exact":
        pvalue = float(mcnemar_kernels.exact_pvalue(x, n - x, alternative))
    else:
        pvalue = normal_pvalue((2 * x - n) / math.sqrt(n), alternative)
    return Result(
        **facts,
        pvalue=pvalue,
        estimate=float(np.median(d)),
        ci=_median_interval(d, confidence_level, alternative),
        effect_sizes={
            "win_share": wins / (wins + losses),
            "probability_superiority": superiority(d),
        },
        assumptions=(
            Assumption(
                name="enough decided data sets",
                holds=2.0 ** (1 - min(n, 1000)) <= 0.05,
                detail=f"{n} data sets count: the smallest two-sided p they could give is "
                f"{min(1.0, 2.0 ** (1 - min(n, 1000))):.3g}.",
            ),
        ),
    )


def _median_interval(d: FloatArray, level: float, alternative: Alternative) -> ConfidenceInterval:
    """Interval of order statistics; infinite limits where N is too small for the level."""
    n = len(d)
    candidates = np.arange(n // 2 + 2)
    # the largest c with P(X < c) <= tail; a level met exactly must not be missed by one bit
    tail = tail_probability(level, alternative) * (1 + 1e-12)
    count = int(candidates[lower_tail(candidates - 1, n, 0.5) <= tail][-1])
    ordered = np.sort(d)
    low = float(ordered[count - 1]) if count and alternative != "less" else -math.inf
    high = float(ordered[n - count]) if count and alternative != "greater" else math.inf
    return ConfidenceInterval(low, high, level, "order-statistics")
