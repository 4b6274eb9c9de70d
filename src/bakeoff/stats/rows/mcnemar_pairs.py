"""McNemar's test for all pairs of several models, or for each of them against a control."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core import mcnemar_kernels as kernels
from bakeoff.stats.core.arguments import Level, check_choice, checked
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, DifferenceMethod
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    all_pairs,
    check_control,
    check_correction,
)
from bakeoff.stats.core.pairwise import by_pairs
from bakeoff.stats.core.registry import catalogue
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Status,
)
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.design.subset_limits import HULL
from bakeoff.stats.rows.mcnemar_pairs_in_groups import VARIANTS, pairs_in_groups
from bakeoff.stats.rows.minp import DISCRETE, minp
from bakeoff.stats.rows.paired_intervals import difference_bounds


@checked
def mcnemar_pairs(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    row_counts: ArrayLike | None = None,
    variant: str | None = None,
    correction: str | None = None,
    control: int | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: str | None = None,
    simultaneous: bool = True,
) -> PairwiseResult:
    """Run `mcnemar` for every pair of models on the same rows, adjusted for their number.

    Parameters
    ----------
    time : array_like, shape (n,), optional
        The time of each row.
    variant, ci_method : str, optional
        As in `mcnemar`.
    correction : str, optional
        A method of `adjust_pvalues`, ``"bonferroni"`` by default, in groups ``"holm"``; or
        ``"minp"`` for independent rows: the step-down min-p procedure that uses the discreteness
        of the exact distributions (`mcnemar_minp`), for ``midp`` and ``exact``. ``"shaffer"`` and
        ``"bergmann-hommel"`` need all pairs and two-sided tests.
    simultaneous : bool
        True: all intervals hold together at `confidence_level` (`simultaneous_level`).
        False: each by itself does. In groups an interval holds 0 where its p-value, adjusted if
        they are simultaneous, does not reject.

    Returns
    -------
    PairwiseResult
        Pairs (0, 1), (0, 2), ..., or (control, j). Each has the adjusted p-value, the difference
        of the accuracies with its interval, and in `details` the four counts, the odds ratio
        b/c and Cohen's g. A pair without discordant rows has p 1.

    Notes
    -----
    All counts come from the 0/1 matrix packed to bits, 64 rows at a time, so the memory stays
    below that of the input; in groups all else comes from the groups × models sums. Exact null
    distributions are conditional on the discordant rows of each pair (McNemar 1947; Fagerland et
    al. 2013). Variants and intervals that are not computed for all pairs at once are computed
    pair by pair.
    """
    matrix, counts = as_matrix(correct, row_counts)
    design = RowDesign.of(len(matrix), groups, time, correct=correct)
    related = design.relation != "independent"
    if related and counts is not None:
        raise ArgumentError("row_counts", "counts are of independent rows, found groups or times")
    family: dict[str, Any] = {
        "control": control,
        "correction": correction or ("holm" if related else "bonferroni"),
        "alternative": alternative,
        "confidence_level": confidence_level,
        "simultaneous": simultaneous,
    }
    known, interval = (VARIANTS, HULL) if related else (kernels.VARIANTS, ci_method)
    form = variant or known[0]
    at_once = design.relation != "crossed" and form in known and ci_method in (None, interval)
    if not at_once and counts is None:
        more = {"groups": groups, "time": time, "variant": variant, "ci_method": ci_method}
        return by_pairs(catalogue()["mcnemar"].function, (), matrix.T, **family, **more)
    if related:
        return pairs_in_groups(matrix, design.units, variant=form, **family)
    check_choice(form, kernels.VARIANTS, "variant")
    method = check_choice(ci_method or "newcombe", tuple(DIFFERENCE_METHODS), "ci_method")
    return _of_counts(matrix, counts, variant=form, ci_method=method, **family)


def _of_counts(
    matrix: BoolArray,
    counts: FloatArray | None,
    *,
    variant: str,
    correction: str,
    control: int | None,
    alternative: Alternative,
    confidence_level: float,
    ci_method: DifferenceMethod,
    simultaneous: bool,
) -> PairwiseResult:
    models = matrix.shape[1]
    method = _check_correction(correction, variant, alternative, control, models)
    first, second = all_pairs(models, check_control(control, models))

    together = both_correct(matrix, counts)
    right = together.diagonal()
    n = float(len(matrix) if counts is None else counts.sum())
    a = together[first, second]
    b, c = right[first] - a, right[second] - a
    d = n - a - b - c

    statistic = kernels.statistic(variant, b, c, alternative)
    pvalue = kernels.pvalue(variant, b, c, alternative)
    adjusted = _adjust(pvalue, b, c, method, variant, alternative)
    level = confidence_level
    each = simultaneous_level(level, len(first), method) if simultaneous else level
    low, high = difference_bounds(
        a, b, c, d, method=ci_method, confidence_level=each, alternative=alternative
    )
    pairs = _pair_rows(
        (first, second, statistic, pvalue, adjusted, (b - c) / n, low, high),
        (*(v.astype(np.int64) for v in (a, b, c, d)), _odds_ratio(b, c), _cohens_g(b, c)),
        1.0 if variant not in DISCRETE and alternative == "two-sided" else None,
        (each, ci_method),
    )
    discordant = b + c
    return PairwiseResult(
        test="mcnemar",
        variant=variant,
        correction=method,
        pairs=pairs,
        n=int(n),
        alternative=alternative,
        status=Status.OK if discordant.any() else Status.NO_DISCORDANT_PAIRS,
        assumptions=_assumptions(variant, discordant, 1 - level, alternative),
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


def _check_correction(
    correction: str, variant: str, side: Alternative, control: int | None, models: int
) -> str:
    method = check_correction(correction, control, side, models, ("minp",))
    if method == "minp" and variant not in DISCRETE:
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
        return minp(pvalue, b + c, variant, side)
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
    if variant in DISCRETE:
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
