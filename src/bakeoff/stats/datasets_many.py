"""Several classifiers over several data sets: rank tests of "all are alike".

Ranks are 1 for the best model of a data set; equal scores share their mean rank.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats._checks import FloatArray, check_choice
from bakeoff.stats._friedman import RankTable, exact_friedman_pvalue
from bakeoff.stats._ranks import (
    as_dataset_table,
    check_decimals,
    largest,
    quantise,
    rank,
    split_groups,
    tie_sum,
)
from bakeoff.stats._registry import Arity, Evidence, TypeOneError, register
from bakeoff.stats._result import Assumption, Result, Status

_AUTO_BUDGET = 200_000
_EXACT_BUDGET = 4_000_000
_OMNIBUS: dict[str, Any] = {
    "evidence": Evidence.DATASET_SCORES,
    "arity": Arity.OMNIBUS,
    "about": "algorithms",
    "plans": ("holdout", "kfold", "cv_5x2", "resampled"),
}
_NULL = "On every data set like these, all {k} algorithms are equally likely to take each rank."


@register(
    **_OMNIBUS,
    title="Friedman test",
    answers="Do the algorithms differ at all over data sets like these?",
    type1=TypeOneError.CONSERVATIVE,
    posthoc="friedman_posthoc",
    citation="friedman1937",
    caution="With two models it is the sign test: use wilcoxon_signed_rank.",
)
def friedman(
    scores: ArrayLike,
    *,
    method: str = "auto",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Friedman's test on the ranks within data sets, corrected for ties.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    method : {"auto", "exact", "asymptotic"}
        ``asymptotic``: χ² with k − 1 degrees of freedom. ``exact``: all permutations of the ranks
        within data sets, ties kept. ``auto``: exact for small tables, else asymptotic.
    greater_is_better : bool
        False for losses and error rates; rank 1 is the best either way.
    decimals : int, optional
        Round scores to this many decimals before ranking (float noise is removed in any case).

    Returns
    -------
    Result
        ``effect_sizes``: ``kendall_w``, 0 (no agreement) to 1 (all data sets rank alike).
        ``details``: ``average_ranks``, ``rank_sums``, ``p_asymptotic``, and ``chi2_uncorrected``
        as printed in Demšar (2006).

    Raises
    ------
    ValueError
        Missing scores (the cell is named), fewer than two models, an unknown option, or a table
        too large for ``exact``.

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
    check_choice(method, ("auto", "exact", "asymptotic"), "method")
    check_decimals(decimals)
    table = RankTable.of(as_dataset_table(scores, greater_is_better=greater_is_better), decimals)
    status = _block_status(table)
    p_chi2 = float(special.chdtrc(table.k - 1, table.chi2))
    p_exact = None
    if method != "asymptotic" and status is Status.OK:
        p_exact = exact_friedman_pvalue(table, _EXACT_BUDGET if method == "exact" else _AUTO_BUDGET)
        if p_exact is None and method == "exact":
            raise ValueError(
                f"method: 'exact' cannot list {table.n} data sets x {table.k} models; "
                "use 'asymptotic' or 'auto'"
            )
    return Result(
        test="friedman",
        variant="chi_square" if p_exact is None else "exact",
        statistic=table.chi2,
        df=float(table.k - 1),
        pvalue=_degenerate_pvalue(status, p_chi2 if p_exact is None else p_exact),
        n=table.n,
        null_hypothesis=_NULL.format(k=table.k),
        method="friedman1937",
        status=status,
        effect_sizes={"kendall_w": table.kendall_w},
        assumptions=_friedman_assumptions(table, asymptotic=p_exact is None),
        details=_rank_details(table) | {"p_asymptotic": _degenerate_pvalue(status, p_chi2)},
    )


@register(
    **_OMNIBUS,
    title="Iman-Davenport test",
    answers="Do the algorithms differ at all over data sets like these?",
    type1=TypeOneError.CONTROLLED,
    posthoc="friedman_posthoc",
    citation="iman1980",
    caution="With two models use wilcoxon_signed_rank.",
)
def iman_davenport(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Iman and Davenport's F form of Friedman's test, less conservative than χ².

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    greater_is_better : bool
        False for losses and error rates; rank 1 is the best either way.
    decimals : int, optional
        Round scores to this many decimals before ranking (float noise is removed in any case).

    Returns
    -------
    Result
        When every data set ranks the models in exactly the same way, F is infinite and its
        p-value undecided (``zero_variance``); ``details["p_perfect_agreement"]`` then is the
        exact probability of that under the null, and `friedman` has an ordinary p-value.

    Raises
    ------
    ValueError
        Missing scores (the cell is named) or fewer than two models.

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
    check_decimals(decimals)
    table = RankTable.of(as_dataset_table(scores, greater_is_better=greater_is_better), decimals)
    status = _block_status(table)
    if status is Status.OK and table.residual == 0:
        status = Status.ZERO_VARIANCE
    statistic, pvalue = _block_f(table.n, table.k, table.between, table.residual, status)
    return Result(
        test="iman_davenport",
        variant="f",
        statistic=statistic,
        df1=float(table.k - 1),
        df2=float((table.k - 1) * (table.n - 1)),
        pvalue=pvalue,
        n=table.n,
        null_hypothesis=_NULL.format(k=table.k),
        method="iman1980",
        status=status,
        effect_sizes={"kendall_w": table.kendall_w},
        assumptions=(
            _two_models(table.k),
            _agreement(table.residual == 0 and status is Status.ZERO_VARIANCE),
        ),
        details=_rank_details(table) | {"chi2": table.chi2} | _perfect_agreement(table, status),
    )


@register(
    **_OMNIBUS,
    title="Quade test",
    answers="Do the algorithms differ at all, data sets that tell them apart counting more?",
    type1=TypeOneError.CONTROLLED,
    posthoc="pairwise_wilcoxon",
    citation="quade1979",
    caution="Weighs data sets by the range of their scores: only for scores whose differences "
    "mean the same on every data set.",
)
def quade(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Quade's test: ranks within data sets, weighted by the rank of the data set's range.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    greater_is_better : bool
        False for losses and error rates; rank 1 is the best either way.
    decimals : int, optional
        Round scores to this many decimals before ranking (float noise is removed in any case).

    Returns
    -------
    Result
        When all weighted rankings are the same, F is infinite and undecided
        (``zero_variance``); ``details["p_perfect_agreement"]`` is the exact probability.

    Raises
    ------
    ValueError
        Missing scores (the cell is named) or fewer than two models.

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
    check_decimals(decimals)
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
    status = _block_status(table)
    if status is Status.OK and residual == 0:
        status = Status.ZERO_VARIANCE
    statistic, pvalue = _block_f(table.n, table.k, between, residual, status)
    return Result(
        test="quade",
        variant="f",
        statistic=statistic,
        df1=float(table.k - 1),
        df2=float((table.k - 1) * (table.n - 1)),
        pvalue=pvalue,
        n=table.n,
        null_hypothesis=_NULL.format(k=table.k),
        method="quade1979",
        status=status,
        assumptions=(
            _two_models(table.k),
            Assumption(
                name="comparable ranges",
                holds=None,
                detail="Score differences must mean the same on every data set; the ranges go "
                f"from {np.ptp(oriented, axis=1).min():.4g} to "
                f"{np.ptp(oriented, axis=1).max():.4g}.",
            ),
            _agreement(status is Status.ZERO_VARIANCE),
        ),
        details=_rank_details(table)
        | {
            "weighted_sums": [float(s) / 4 for s in sums],
            "dataset_weights": weight.tolist(),
        }
        | _perfect_agreement(table, status),
    )


def _ranges(oriented: FloatArray, decimals: int | None) -> FloatArray:
    """Return each data set's range of scores, free of float noise."""
    scale = largest(oriented)
    rounded = oriented if decimals is None else np.round(oriented, decimals)
    return quantise(np.ptp(rounded, axis=1), scale, decimals)


@register(
    **_OMNIBUS,
    title="Friedman aligned-ranks test",
    answers="Do the algorithms differ at all, comparing scores between data sets as well?",
    type1=TypeOneError.CONTROLLED,
    posthoc="pairwise_wilcoxon",
    citation="hodges1962",
    caution="Ranks differences from the data set's mean over all data sets: only for scores "
    "whose differences mean the same everywhere. Most useful with few models.",
)
def friedman_aligned_ranks(
    scores: ArrayLike,
    *,
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Friedman's test on aligned ranks (Hodges & Lehmann).

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    greater_is_better : bool
        False for losses and error rates; rank 1 is the best either way.
    decimals : int, optional
        Round scores to this many decimals before ranking (float noise is removed in any case).

    Returns
    -------
    Result
        ``details["average_aligned_ranks"]``: from 1 (best) to N·k.

    Raises
    ------
    ValueError
        Missing scores (the cell is named) or fewer than two models.

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
    check_decimals(decimals)
    oriented = as_dataset_table(scores, greater_is_better=greater_is_better)
    table = RankTable.of(oriented, decimals)
    rounded = oriented if decimals is None else np.round(oriented, decimals)
    aligned = rounded - rounded.mean(axis=1, keepdims=True)
    # means have more decimals than scores have: only float noise is rounded away here
    ranks = rank(-quantise(aligned.ravel(), largest(oriented), None))[0].reshape(oriented.shape)
    n, k = oriented.shape
    sums = ranks.sum(axis=0)
    between = float(((sums - n * (n * k + 1) / 2) ** 2).sum())
    within = float(((ranks - ranks.mean(axis=1, keepdims=True)) ** 2).sum())
    status = _block_status(table)
    statistic = 0.0 if status is Status.IDENTICAL_SCORES else (k - 1) * between / within
    return Result(
        test="friedman_aligned_ranks",
        variant="chi_square",
        statistic=statistic,
        df=float(k - 1),
        pvalue=_degenerate_pvalue(status, float(special.chdtrc(k - 1, statistic))),
        n=n,
        null_hypothesis=_NULL.format(k=k),
        method="hodges1962",
        status=status,
        assumptions=_friedman_assumptions(table, asymptotic=True),
        details=_rank_details(table) | {"average_aligned_ranks": (sums / n).tolist()},
    )


@register(
    **_OMNIBUS,
    title="Kruskal-Wallis test",
    answers="Do the scores of the algorithms differ, the data sets they come from ignored?",
    type1=TypeOneError.CONSERVATIVE,
    posthoc="dunn",
    citation="kruskal1952",
    caution="Ignores that every model was scored on the same data sets: differences between data "
    "sets drown those between models. Use friedman.",
)
def kruskal_wallis(
    scores: ArrayLike,
    *,
    missing: str = "raise",
    greater_is_better: bool = True,
    decimals: int | None = None,
) -> Result:
    """Kruskal-Wallis test: the models' scores as if they were unpaired.

    Parameters
    ----------
    scores : array_like, shape (N, k)
        One row per data set, one column per model.
    missing : {"raise", "omit"}
        ``omit`` leaves NaN cells out, so models may have different numbers of scores.
    greater_is_better : bool
        False for losses and error rates; rank 1 is the best either way.
    decimals : int, optional
        Round scores to this many decimals before ranking (float noise is removed in any case).

    Returns
    -------
    Result
        ``effect_sizes``: ``epsilon_squared`` = H/(n−1) and ``eta_squared_H`` = (H−k+1)/(n−k), n
        the number of scores. ``details``: ``mean_ranks`` (1 = best of all scores).

    Raises
    ------
    ValueError
        Missing scores under ``raise`` (the cell is named), a model without scores, fewer than
        two models, or an unknown option.

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
    status = Status.OK
    if len(counts) == 1:
        status = Status.IDENTICAL_SCORES
    elif n <= k:
        status = Status.TOO_FEW
    # sum of squared deviations of the mean ranks: no difference of large numbers
    raw = 12 / (n * (n + 1)) * float((sizes * (sums / sizes - (n + 1) / 2) ** 2).sum())
    statistic = 0.0 if status is Status.IDENTICAL_SCORES else raw / spread
    return Result(
        test="kruskal_wallis",
        variant="chi_square",
        statistic=statistic,
        df=float(k - 1),
        pvalue=_degenerate_pvalue(status, float(special.chdtrc(k - 1, statistic))),
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


def _block_status(table: RankTable) -> Status:
    if table.total == 0:
        return Status.IDENTICAL_SCORES
    return Status.TOO_FEW if table.n < 2 else Status.OK


def _degenerate_pvalue(status: Status, pvalue: float) -> float:
    if status is Status.OK:
        return pvalue
    return 1.0 if status is Status.IDENTICAL_SCORES else math.nan


def _block_f(n: int, k: int, between: int, residual: int, status: Status) -> tuple[float, float]:
    """Return F = (N−1)·between/residual and its p-value under the status conventions."""
    if status is Status.IDENTICAL_SCORES:
        return 0.0, 1.0
    if status is Status.TOO_FEW:
        return math.nan, math.nan
    if status is Status.ZERO_VARIANCE:
        return math.inf, math.nan
    statistic = (n - 1) * between / residual
    return statistic, float(special.fdtrc(k - 1, (k - 1) * (n - 1), statistic))


def _rank_details(table: RankTable) -> dict[str, Any]:
    return {
        "average_ranks": table.average.tolist(),
        "rank_sums": table.ranks.sum(axis=0).tolist(),
        "chi2_uncorrected": 3 * table.between / (table.n * table.k * (table.k + 1)),
    }


def _perfect_agreement(table: RankTable, status: Status) -> dict[str, float]:
    if status is not Status.ZERO_VARIANCE:
        return {}
    return {"p_perfect_agreement": table.agreement_probability()}


def _agreement(perfect: bool) -> Assumption:
    return Assumption(
        name="residual variance",
        holds=not perfect,
        detail="Every data set ranks the models in the same way: F is infinite and its p-value "
        "undecided; details give the exact probability of such agreement, and friedman decides."
        if perfect
        else "The data sets do not all rank the models in the same way.",
    )


def _two_models(k: int) -> Assumption:
    return Assumption(
        name="more than two models",
        holds=k > 2,
        detail=f"{k} models; for two use wilcoxon_signed_rank."
        if k == 2
        else f"{k} models are compared.",
    )


def _friedman_assumptions(table: RankTable, *, asymptotic: bool) -> tuple[Assumption, ...]:
    if not asymptotic:
        return (_two_models(table.k),)
    return (
        _two_models(table.k),
        Assumption(
            name="chi-square approximation",
            holds=table.n > 10 and table.k > 5,
            detail=f"{table.n} data sets and {table.k} models; it is good from about 10 data sets "
            "and 5 models on, and conservative below (iman_davenport is less so).",
        ),
    )
