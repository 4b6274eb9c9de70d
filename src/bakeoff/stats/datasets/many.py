"""Several classifiers over several data sets: rank tests of "all are alike".

Ranks are 1 for the best model of a data set; equal scores share their mean rank.
"""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import as_dataset_table
from bakeoff.stats.core.registry import register
from bakeoff.stats.core.result import Result, Status
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
from bakeoff.stats.datasets.friedman_ranks import RankTable, exact_friedman_pvalue

_AUTO_BUDGET = 200_000
_EXACT_BUDGET = 4_000_000


@register(
    **OMNIBUS,
    title="Friedman test",
    answers="Do any of the algorithms differ over data sets like these?",
    posthoc="friedman_posthoc",
    citation="friedman1937",
    caution="With two models it is equivalent to the sign test: use wilcoxon_signed_rank.",
)
def friedman(
    scores: ArrayLike,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Friedman's test on the ranks within data sets, corrected for ties.

    Parameters
    ----------
    method : {"auto", "exact", "asymptotic"}
        ``asymptotic``: χ² with k − 1 degrees of freedom. ``exact``: all permutations of the ranks
        within data sets, ties kept. ``auto``: exact for small tables, else asymptotic.

    Returns
    -------
    Result
        ``effect_sizes``: ``kendall_w``, 0 (no agreement) to 1 (all data sets rank alike).
        ``details``: ``average_ranks``, ``rank_sums``, ``p_asymptotic``, and ``chi2_uncorrected``
        as printed in Demšar (2006).

    Notes
    -----
    χ² = (k−1)(ΣR_j² − N²k(k+1)²/4) / (Σr² − Nk(k+1)²/4) with rank sums R_j (Conover
    1999); without ties Friedman's 12/(Nk(k+1))·ΣR_j² − 3N(k+1).

    References
    ----------
    Friedman (1937); Conover (1999), section 5.8; Demšar (2006), section 3.2.2.

    Examples
    --------
    >>> from bakeoff.stats import friedman
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> result = friedman(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 6), result.variant
    (7.6, 0.02392, 'exact')
    >>> result.details["average_ranks"]
    [3.0, 1.6, 1.4]
    """
    table = RankTable.of(as_dataset_table(scores, greater_is_better=greater_is_better), decimals)
    status = block_status(table)
    p_chi2 = float(special.chdtrc(table.k - 1, table.chi2))
    p_exact = None
    if method != "asymptotic" and status is Status.OK:
        p_exact = exact_friedman_pvalue(table, _EXACT_BUDGET if method == "exact" else _AUTO_BUDGET)
        if p_exact is None and method == "exact":
            raise ArgumentError(
                "method",
                f"'exact' cannot list {table.n} data sets x {table.k} models; "
                "use 'asymptotic' or 'auto'",
            )
    return Result(
        variant="chi_square" if p_exact is None else "exact",
        statistic=table.chi2,
        df=float(table.k - 1),
        pvalue=degenerate_pvalue(status, p_chi2 if p_exact is None else p_exact),
        n=table.n,
        null_hypothesis=NULL.format(k=table.k),
        status=status,
        effect_sizes={"kendall_w": table.kendall_w},
        assumptions=friedman_assumptions(table, asymptotic=p_exact is None),
        details=rank_details(table) | {"p_asymptotic": degenerate_pvalue(status, p_chi2)},
    )


@register(
    **OMNIBUS,
    title="Iman-Davenport test",
    answers="Do any of the algorithms differ over data sets like these?",
    posthoc="friedman_posthoc",
    citation="iman1980",
    caution="With two models use wilcoxon_signed_rank.",
)
def iman_davenport(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Iman and Davenport's F form of Friedman's test, less conservative than χ².

    Returns
    -------
    Result
        When every data set ranks the models in exactly the same way, F is infinite and its
        p-value undecided (``zero_variance``); ``details["p_perfect_agreement"]`` then is the
        exact probability of that under the null, and `friedman` has an ordinary p-value.

    Notes
    -----
    F = (N−1)χ² / (N(k−1) − χ²), df k − 1 and (k−1)(N−1), with the tie-corrected χ².

    References
    ----------
    Iman & Davenport (1980); Demšar (2006), section 3.2.2.

    Examples
    --------
    >>> from bakeoff.stats import iman_davenport
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> result = iman_davenport(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 6)
    (12.6667, 0.003318)
    """
    table = RankTable.of(as_dataset_table(scores, greater_is_better=greater_is_better), decimals)
    status = block_status(table)
    if status is Status.OK and table.residual == 0:
        status = Status.ZERO_VARIANCE
    statistic, pvalue = block_f(table.n, table.k, table.between, table.residual, status)
    return Result(
        variant="f",
        statistic=statistic,
        df1=float(table.k - 1),
        df2=float((table.k - 1) * (table.n - 1)),
        pvalue=pvalue,
        n=table.n,
        null_hypothesis=NULL.format(k=table.k),
        status=status,
        effect_sizes={"kendall_w": table.kendall_w},
        assumptions=(
            two_models(table.k),
            agreement(table.residual == 0 and status is Status.ZERO_VARIANCE),
        ),
        details=rank_details(table) | {"chi2": table.chi2} | perfect_agreement(table, status),
    )
