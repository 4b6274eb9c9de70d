"""Which classifiers differ over several data sets: procedures on average ranks.

They follow Friedman's test. The verdict on a pair depends on the ranks of the other models in the
table (Benavoli et al. 2016); `wilcoxon_signed_rank` compares each pair by itself.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Level
from bakeoff.stats.core.pairs import PairwiseResult, pairs_of
from bakeoff.stats.core.ranks import as_dataset_table
from bakeoff.stats.core.registry import ANY_PLAN, Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Status
from bakeoff.stats.core.studentized_range import range_isf, range_sf
from bakeoff.stats.datasets.friedman_ranks import RankTable
from bakeoff.stats.datasets.rank_comparison import (
    RankComparison,
    at_least,
    rank_assumptions,
    rank_details,
    rank_status,
    standard_error,
)
from bakeoff.stats.datasets.rank_pairs import (
    SINGLE_STEP,
    PairFamily,
    cd_groups,
    pair_tail,
    with_groups,
)

__all__ = ["cd_groups", "conover_friedman", "friedman_posthoc", "nemenyi"]

_POSTHOC: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.ALL_PAIRS,
    "about": "algorithms",
    "plans": ANY_PLAN,
}
_MEAN_RANKS = (
    "A pair's result depends on the other models in the table (Benavoli et al. 2016); that of "
    "wilcoxon_signed_rank does not."
)
_NULL = "The two algorithms of a pair have the same expected rank among all {k} algorithms."


@register(
    **_POSTHOC,
    title="Nemenyi test",
    answers="Which pairs of algorithms differ by more than the critical difference?",
    citation="nemenyi1963",
    caution=_MEAN_RANKS + " Shaffer's or Bergmann and Hommel's correction of friedman_posthoc "
    "is more powerful.",
    unit="average rank",
)
def nemenyi(
    scores: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> PairwiseResult:
    """Nemenyi's test of all pairs after Friedman's test, with the critical difference.

    Parameters
    ----------
    confidence_level : float
        Of the simultaneous intervals; 1 − it is the level of the critical difference.

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's average rank is better than b's, ± the
        critical difference in ``ci``; ``statistic`` its z; ``pvalue`` the unadjusted one.
        ``details``: ``average_ranks``, ``critical_difference``, ``q_alpha``,
        ``critical_differences`` at the levels .10, .05 and .01, ``cd_groups`` (see `cd_groups`).

    Notes
    -----
    CD = q_α √(k(k+1)/(6N)), q_α the upper quantile of the range of k standard normal variables
    divided by √2; the adjusted p is P(range > |z|√2).

    References
    ----------
    Nemenyi (1963); Demšar (2006), section 3.2.2, table 5a.

    Examples
    --------
    >>> from bakeoff.stats import nemenyi
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = nemenyi(scores)
    >>> [round(pair.pvalue_adjusted, 4) for pair in result.pairs]
    [0.1072, 0.0043, 0.4804]
    >>> round(result.details["critical_difference"], 4), result.details["cd_groups"]
    (1.3531, ((2, 1), (1, 0)))
    """
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better)
    table = RankTable.of(oriented, decimals)
    status = rank_status(table)
    error = standard_error(table)
    q_alpha = range_isf(1 - confidence_level, table.k) / math.sqrt(2)
    comparison = RankComparison(
        table=table,
        status=status,
        alternative="two-sided",
        error=error,
        half=q_alpha * error,
        level=confidence_level,
        method="nemenyi",
    )
    pairs = [comparison.pair(a, b) for a, b in pairs_of(table.k, None)]
    ranges = range_sf([math.sqrt(2) * abs(pair.estimate) / error for pair in pairs], table.k)
    result = PairwiseResult(
        variant="all_pairs",
        correction="studentized-range",
        pairs=tuple(
            dataclasses.replace(pair, pvalue_adjusted=at_least(float(p), pair.pvalue))
            for pair, p in zip(pairs, ranges, strict=True)
        ),
        n=table.n,
        null_hypothesis=_NULL.format(k=table.k),
        status=status,
        assumptions=rank_assumptions(table),
        details=rank_details(table, None)
        | {
            "standard_error": error,
            "q_alpha": q_alpha,
            "critical_difference": q_alpha * error,
            "critical_differences": {
                f"{alpha:.2f}": range_isf(alpha, table.k) / math.sqrt(2) * error
                for alpha in (0.10, 0.05, 0.01)
            },
        },
    )
    return with_groups(result, confidence_level)


@register(
    **_POSTHOC,
    title="z post hoc of Friedman's test",
    answers="Which algorithms differ from each other, or from a control?",
    citation="demsar2006",
    caution=_MEAN_RANKS,
    unit="average rank",
)
def friedman_posthoc(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> PairwiseResult:
    """Compare average ranks by a z test, all pairs or versus a control.

    Parameters
    ----------
    correction : str
        A method of `adjust_pvalues`. ``bonferroni`` versus a control is
        the Bonferroni-Dunn test; ``shaffer`` and ``bergmann-hommel`` are for all pairs.
    confidence_level : float
        Of the simultaneous intervals that single-step corrections have.

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's average rank is better than b's and
        ``statistic`` its z. The single-step corrections (``none``, ``bonferroni``, ``sidak``)
        also give ``ci`` and ``details["critical_difference"]``.

    Notes
    -----
    z = (R_b − R_a) / √(k(k+1)/(6N)) with average ranks R.

    References
    ----------
    Demšar (2006), section 3.2.2; García & Herrera (2008) for Shaffer's and Bergmann and
    Hommel's corrections.

    Examples
    --------
    >>> from bakeoff.stats import friedman_posthoc
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> result = friedman_posthoc(scores, control=0)
    >>> [(pair.b, round(pair.statistic, 3), round(pair.pvalue_adjusted, 4))
    ...  for pair in result.pairs]
    [(1, -2.214, 0.0269), (2, -2.53, 0.0228)]
    """
    family = PairFamily.of(scores, control, correction, alternative, greater_is_better)
    table = RankTable.of(family.scores, decimals)
    return _on_average_ranks(
        family,
        table,
        confidence_level,
        rank_status(table),
        standard_error(table),
        assumptions=rank_assumptions(table),
    )


@register(
    **_POSTHOC,
    title="Conover test after Friedman",
    answers="Which algorithms differ from each other, or from a control?",
    citation="conover1999",
    caution=_MEAN_RANKS
    + " Its error estimate shrinks as the rankings of the data sets agree: with "
    "perfect agreement it is undecided.",
    unit="average rank",
)
def conover_friedman(
    scores: ArrayLike,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> PairwiseResult:
    """Conover's t test on rank sums after Friedman's test.

    Parameters
    ----------
    correction : str
        A method of `adjust_pvalues`; ``none`` is Conover's own
        protected procedure.
    confidence_level : float
        Of the simultaneous intervals that single-step corrections have.

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's average rank is better than b's and
        ``statistic`` its t with ``df`` = (N−1)(k−1). Status ``zero_variance``, p undecided,
        when every data set ranks the models in the same way.

    Notes
    -----
    t = (R_b − R_a) / √(2(NΣr² − ΣR_j²) / ((N−1)(k−1))) with rank sums R; ties are in Σr².

    References
    ----------
    Conover (1999), section 5.8.

    Examples
    --------
    >>> from bakeoff.stats import conover_friedman
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> [round(pair.pvalue_adjusted, 4) for pair in conover_friedman(scores).pairs]
    [0.0075, 0.0051, 0.5796]
    """
    family = PairFamily.of(scores, control, correction, alternative, greater_is_better)
    table = RankTable.of(family.scores, decimals)
    status = rank_status(table)
    if status is Status.OK and table.residual == 0:
        status = Status.ZERO_VARIANCE
    df = float((table.n - 1) * (table.k - 1))
    error = 0.0
    if status is Status.OK:
        error = math.sqrt(table.residual / (2 * df)) / table.n
    return _on_average_ranks(
        family,
        table,
        confidence_level,
        status,
        error,
        df,
        assumptions=(
            *rank_assumptions(table),
            Assumption(
                name="residual variance",
                holds=status is not Status.ZERO_VARIANCE,
                detail="Every data set ranks the models in the same way: no variance is left to "
                "compare with, use friedman_posthoc."
                if status is Status.ZERO_VARIANCE
                else f"The standard error of a rank difference is {error:.4g} (Friedman's z test "
                f"takes {standard_error(table):.4g}).",
            ),
        ),
    )


def _on_average_ranks(
    family: PairFamily,
    table: RankTable,
    confidence_level: Level,
    status: Status,
    error: float,
    df: float | None = None,
    **facts: Any,
) -> PairwiseResult:
    """Compare average ranks by z (df None) or by Student's t with the given standard error."""
    half = None
    # the z intervals do not depend on the ranks, so they exist where all are tied as well
    if family.correction in SINGLE_STEP and (df is None or status is Status.OK):
        tail = pair_tail(confidence_level, len(family.pairs), family.correction, family.alternative)
        quantile = special.ndtri(tail) if df is None else special.stdtrit(df, tail)
        half = -float(quantile) * error
    comparison = RankComparison(
        table=table,
        status=status,
        alternative=family.alternative,
        error=error,
        df=df,
        half=half,
        level=confidence_level,
        method=family.correction,
    )
    return family.result(
        comparison.pair,
        confidence_level,
        null_hypothesis=_NULL.format(k=table.k),
        status=status,
        details=rank_details(table, family.control)
        | {"standard_error": error, "critical_difference": math.nan if half is None else half},
        **facts,
    )
