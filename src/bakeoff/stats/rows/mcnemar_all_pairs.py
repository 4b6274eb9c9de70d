"""McNemar's test for all pairs of several models, or for each of them against a control."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core import mcnemar_kernels as kernels
from bakeoff.stats.core.checks import (
    FloatArray,
    as_counts,
    check_alternative,
    check_choice,
    check_flag,
    check_level,
    check_same_length,
)
from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.pairs import all_pairs, check_control, check_correction
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Pair,
    PairwiseResult,
    Status,
)
from bakeoff.stats.planning import McNemarPower
from bakeoff.stats.rows.paired_intervals import difference_bounds

__all__ = ["mcnemar_minp", "pairwise_mcnemar"]

_DISCRETE = ("exact", "midp")


@register(
    title="McNemar's test for all pairs of models",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.ALL_PAIRS,
    about="models",
    answers="Which of these fitted models are right more often than which others?",
    plans=("holdout",),
    citation="westfall2010",
    caution="One test set: it says nothing about what other training sets would have given.",
    counts=True,
    planning=partial(McNemarPower, calculation="normal"),
    in_groups="pairwise_clustered_mcnemar",
    in_time="diebold_mariano",
)
def pairwise_mcnemar(
    correct: ArrayLike,
    *,
    variant: Literal["midp", "exact", "asymptotic", "corrected"] = "midp",
    correction: str = "bonferroni",
    control: int | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    ci_method: Literal[
        "newcombe", "tango", "agresti_min", "bonett_price", "wald", "wald_cc", "exact_melded"
    ] = "newcombe",
    simultaneous: bool = True,
    row_counts: ArrayLike | None = None,
) -> PairwiseResult:
    """McNemar's test for every pair of models on the same rows, adjusted for their number.

    Parameters
    ----------
    correct : shared
    variant : {"midp", "exact", "asymptotic", "corrected"}
        Which form of the test, as in `mcnemar`.
    correction : str
        A method of `adjust_pvalues`, or ``"minp"``: the step-down min-p procedure that uses the
        discreteness of the exact distributions (`mcnemar_minp`), for ``midp`` and ``exact``.
        ``"shaffer"`` and ``"bergmann-hommel"`` need all pairs and two-sided tests.
    control, alternative, confidence_level : shared
    ci_method : str
        An interval of `paired_difference_ci`.
    simultaneous : bool
        True: all intervals hold together at `confidence_level` (`simultaneous_level`).
        False: each by itself does.
    row_counts : shared

    Returns
    -------
    PairwiseResult
        Pairs (0, 1), (0, 2), ..., or (control, j). Each has the adjusted p-value, the difference
        of the accuracies with its interval, and in `details` the four counts, the odds ratio
        b/c and Cohen's g. A pair without discordant rows has p 1.

    Notes
    -----
    All counts come from the 0/1 matrix packed to bits, 64 rows at a time, so the memory stays
    below that of the input. Exact null distributions are
    conditional on the discordant rows of each pair (McNemar 1947; Fagerland et al. 2013).

    Examples
    --------
    >>> from bakeoff.stats import pairwise_mcnemar
    >>> patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    >>> result = pairwise_mcnemar(
    ...     patterns, row_counts=[80, 2, 2, 9, 1, 3, 3], variant="exact", correction="holm")
    >>> for pair in result.pairs:
    ...     print(pair.a, pair.b, f"{pair.pvalue:.4f} {pair.pvalue_adjusted:.4f}")
    0 1 0.0386 0.1157
    0 2 0.0768 0.1536
    1 2 1.0000 1.0000
    """
    check_choice(variant, kernels.VARIANTS, "variant")
    check_choice(ci_method, tuple(DIFFERENCE_METHODS), "ci_method")
    side = check_alternative(alternative)
    level = check_level(confidence_level, side=side)
    check_flag(simultaneous, "simultaneous")
    matrix, counts = as_matrix(correct, row_counts)
    models = matrix.shape[1]
    method = _check_correction(correction, variant, side, control, models)
    first, second = all_pairs(models, check_control(control, models))

    together = both_correct(matrix, counts)
    right = together.diagonal()
    n = float(len(matrix) if counts is None else counts.sum())
    a = together[first, second]
    b, c = right[first] - a, right[second] - a
    d = n - a - b - c

    statistic = kernels.statistic(variant, b, c, side)
    pvalue = kernels.pvalue(variant, b, c, side)
    adjusted = _adjust(pvalue, b, c, method, variant, side)
    each = simultaneous_level(level, len(first), method) if simultaneous else level
    low, high = difference_bounds(
        a, b, c, d, method=ci_method, confidence_level=each, alternative=side
    )
    pairs = _pair_rows(
        (first, second, statistic, pvalue, adjusted, (b - c) / n, low, high),
        (*(v.astype(np.int64) for v in (a, b, c, d)), _odds_ratio(b, c), _cohens_g(b, c)),
        1.0 if variant not in _DISCRETE and side == "two-sided" else None,
        (each, ci_method),
    )
    discordant = b + c
    return PairwiseResult(
        test="pairwise_mcnemar",
        variant=variant,
        correction=method,
        pairs=pairs,
        n=int(n),
        alternative=side,
        status=Status.OK if discordant.any() else Status.NO_DISCORDANT_PAIRS,
        assumptions=_assumptions(variant, discordant, 1 - level, side),
        null_hypothesis=(
            "The two fitted models of a pair are right equally often on the population the rows "
            "come from."
        ),
        method=kernels.SOURCES[variant],
        details={
            "accuracies": (right / n).tolist(),
            "confidence_level": level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": control,
        },
    )


def mcnemar_minp(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    variant: str = "exact",
    alternative: str = "two-sided",
) -> FloatArray:
    """Adjust McNemar p-values by the step-down min-p procedure for discrete tests.

    Holm's procedure bounds the chance that the smallest of the remaining p-values falls to t or
    below by m t. With few discordant pairs most tests cannot come near t: the procedure adds up
    what each can reach, ``sum_j P(P_j <= t)``, from its exact distribution given its number of
    discordant pairs. A test that can never reach t costs nothing. The family-wise error is
    controlled under any dependence between the tests, and no adjusted p-value exceeds
    Holm's on the exact p-values.

    Parameters
    ----------
    only_a_correct, only_b_correct : array_like, shape (m,)
        The discordant counts of the m pairs.
    variant : {"exact", "midp"}
        Which p-values order the tests. The probabilities are exact either way.
    alternative : {"two-sided", "greater", "less"}
        As in `pairwise_mcnemar`.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values.

    Notes
    -----
    Westfall, Troendle & Pennello (2010), Multiple McNemar tests, Biometrics 66, 1185-1191: the
    closed-form method under minimal assumptions (not their bootstrap).

    Examples
    --------
    >>> from bakeoff.stats.rows.mcnemar_all_pairs import mcnemar_minp
    >>> mcnemar_minp([7, 1, 0], [0, 2, 1]).round(4).tolist()  # Holm's first would be 0.0469
    [0.0156, 1.0, 1.0]
    """
    check_choice(variant, _DISCRETE, "variant")
    side = check_alternative(alternative)
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    check_same_length(only_a_correct=b, only_b_correct=c)
    return _minp(kernels.pvalue(variant, b, c, side), b + c, variant, side)


def _minp(p: FloatArray, discordant: FloatArray, variant: str, side: Alternative) -> FloatArray:
    order = np.argsort(p, kind="stable")
    thresholds = p[order]
    # tests left at step h that have n discordant pairs: those ranked h or later
    ordered_n = discordant[order]
    chance = np.zeros(len(p))
    for n in np.unique(discordant):
        left = np.cumsum((ordered_n == n)[::-1])[::-1]
        chance += left * _chance_below(thresholds, float(n), variant, side)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(np.minimum(chance, 1.0))
    return np.maximum(adjusted, p)


def _chance_below(t: FloatArray, n: float, variant: str, side: Alternative) -> FloatArray:
    """P(p-value ≤ t) under the null for ascending t, given n discordant pairs."""
    if n == 0:
        return (t >= 1).astype(np.float64)
    # below k0 every attainable p is under the smallest t, above k1 it is 1 (Hoeffding)
    reach = np.sqrt(n / 2 * math.log(4 / max(float(t[0]), 1e-307)))
    k0 = max(0.0, np.floor(n / 2 - reach) - 1)
    two_sided = side == "two-sided"
    k1 = np.floor(n / 2) if two_sided else min(n, np.ceil(n / 2 + np.sqrt(20 * n)))
    k = np.arange(k0, k1 + 1)
    pmf = kernels.half_pmf(k, n)
    cdf = kernels.exact_pvalue(k0, n - k0, "less") + np.append(0.0, np.cumsum(pmf[1:]))
    mass = np.minimum(2 * cdf, 1.0) if two_sided else np.minimum(cdf, 1.0)
    attainable = mass - (pmf if two_sided else pmf / 2) if variant == "midp" else mass
    if two_sided and n % 2 == 0:
        attainable[-1] = mass[-1] = 1.0
    reached = np.searchsorted(attainable, t * (1 + 1e-9), side="right")
    chance: FloatArray = np.append(0.0, mass)[reached]
    return chance


def _check_correction(
    correction: str, variant: str, side: Alternative, control: int | None, models: int
) -> str:
    method = check_correction(correction, control, side, models, ("minp",))
    if method == "minp" and variant not in _DISCRETE:
        raise ArgumentError(
            "correction",
            f"'minp' uses exact distributions, found variant {variant!r}; "
            "use variant 'exact' or 'midp', or correction 'holm'",
        )
    return method


def _adjust(
    pvalue: FloatArray, b: FloatArray, c: FloatArray, method: str, variant: str, side: Alternative
) -> FloatArray:
    if method == "minp":
        return _minp(pvalue, b + c, variant, side)
    return adjust_pvalues(pvalue, method)


def _pair_rows(
    columns: tuple[NDArray[Any], ...],
    details: tuple[NDArray[Any], ...],
    df: float | None,
    interval: tuple[float, str],
) -> tuple[Pair, ...]:
    """Turn one array per quantity into one `Pair` per pair of models."""
    plain = [column.tolist() for column in (*columns, *details)]
    return tuple(
        Pair(
            a=i,
            b=j,
            statistic=statistic,
            pvalue=p,
            pvalue_adjusted=adjusted,
            estimate=estimate,
            ci=ConfidenceInterval(low, high, *interval),
            df=df,
            status=Status.OK if only_a or only_b else Status.NO_DISCORDANT_PAIRS,
            details={
                "both_correct": both,
                "only_a_correct": only_a,
                "only_b_correct": only_b,
                "both_wrong": neither,
                "odds_ratio": odds_ratio,
                "cohens_g": cohens_g,
            },
        )
        for (
            (i, j, statistic, p, adjusted, estimate, low, high),
            (both, only_a, only_b, neither, odds_ratio, cohens_g),
        ) in zip(
            zip(*plain[: len(columns)], strict=True),
            zip(*plain[len(columns) :], strict=True),
            strict=True,
        )
    )


def _odds_ratio(b: FloatArray, c: FloatArray) -> FloatArray:
    ratio = np.divide(b, c, out=np.full_like(b, np.inf), where=c > 0)
    return np.where(b + c > 0, ratio, np.nan)


def _cohens_g(b: FloatArray, c: FloatArray) -> FloatArray:
    """Cohen's g: the share of discordant rows that A wins, less one half."""
    n = b + c
    return np.divide(b - c, 2 * n, out=np.full_like(b, np.nan), where=n > 0)


def _assumptions(
    variant: str, discordant: FloatArray, alpha: float, side: Alternative
) -> tuple[Assumption, ...]:
    pairs = len(discordant)
    if variant in _DISCRETE:
        smallest = kernels.pvalue(variant, discordant, np.zeros_like(discordant), "greater")
        smallest = np.minimum(1.0, 2 * smallest) if side == "two-sided" else smallest
        hopeless = int((smallest * pairs > alpha).sum())
        detail = (
            f"{hopeless} of {pairs} pairs have so few discordant rows (fewest "
            f"{int(discordant.min())}) that their p could never reach {alpha:.3g}/{pairs}"
        )
        return (Assumption("enough discordant pairs", hopeless == 0, detail), INDEPENDENT_ROWS)
    few = int((discordant < 25).sum())
    detail = f"{few} of {pairs} pairs have fewer than 25 discordant rows; use midp for them"
    return (Assumption("enough discordant pairs for χ²", few == 0, detail), INDEPENDENT_ROWS)
