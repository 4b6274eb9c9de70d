"""McNemar's test for all pairs of several models, or for each of them against a control."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels as kernels
from bakeoff.stats.core.arguments import Level, check_choice, checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import simultaneous_level
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_decided,
    check_control,
    check_correction,
    pairs_of,
)
from bakeoff.stats.core.pairwise import by_pairs
from bakeoff.stats.core.registry import catalogue
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Alternative, Assumption, Status
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.design.subset_limits import HULL
from bakeoff.stats.rows.mcnemar_pairs_in_groups import VARIANTS, Asked, PairTests, pairs_in_groups
from bakeoff.stats.rows.paired_intervals import COUNTS, difference_bounds

_DISCRETE = ("midp", "exact")  # variants whose p-values have an exact distribution


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
        A method of `adjust_pvalues`, ``"bonferroni"`` by default, in groups ``"holm"``.
        ``"shaffer"`` needs all pairs and two-sided tests.
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
    correction = correction or ("holm" if related else "bonferroni")
    known, interval = (tuple(VARIANTS), HULL) if related else (kernels.VARIANTS, ci_method)
    form = variant or known[0]
    at_once = design.relation != "crossed" and form in known and ci_method in (None, interval)
    if not at_once and counts is None:
        return by_pairs(
            catalogue()["mcnemar"].function,
            (),
            matrix.T,
            control=control,
            correction=correction,
            alternative=alternative,
            confidence_level=confidence_level,
            simultaneous=simultaneous,
            groups=groups,
            time=time,
            variant=variant,
            ci_method=ci_method,
        )
    models, level = matrix.shape[1], confidence_level
    method = check_correction(correction, control, alternative)
    members = pairs_of(models, check_control(control, models))
    first, second = np.array(members).T
    each = simultaneous_level(level, len(first), method) if simultaneous else level
    together = both_correct(matrix, counts)
    right, n = together.diagonal(), float(len(matrix) if counts is None else counts.sum())
    both = together[first, second]
    b, c = right[first] - both, right[second] - both
    asked = Asked(form, alternative, each, 1 - level)
    cells = np.stack([both, b, c, n - both - b - c])
    if related:
        found = pairs_in_groups(matrix, cells, design.units, (first, second), asked)
    else:
        found = _independent(cells, asked, ci_method)
    adjusted = adjust_decided(found.pvalue, method)
    estimates = (b - c) / n
    # where all intervals hold together each agrees with the adjusted p, else with its own
    tested = adjusted if simultaneous else found.pvalue
    return PairwiseResult(
        test="mcnemar",
        variant=form,
        correction=method,
        pairs=tuple(
            Pair(
                a=members[i][0],
                b=members[i][1],
                statistic=statistic,
                pvalue=p,
                pvalue_adjusted=adjusted_p,
                estimate=estimate,
                ci=ci,
                df=found.df,
                status=status,
                details=_counted(*counts_of_pair) | found.details(i),
            )
            for i, (statistic, p, adjusted_p, estimate, ci, status, counts_of_pair) in enumerate(
                zip(
                    found.statistic.tolist(),
                    found.pvalue.tolist(),
                    adjusted.tolist(),
                    estimates.tolist(),
                    found.intervals(estimates, tested, asked),
                    found.status,
                    cells.T.astype(int).tolist(),
                    strict=True,
                )
            )
        ),
        n=int(n),
        alternative=alternative,
        status=Status.OK if Status.OK in found.status else found.status[0],
        assumptions=found.assumptions,
        null_hypothesis=found.null_hypothesis,
        method=found.method,
        details={
            "accuracies": (right / n).tolist(),
            **({"n_clusters": design.units.count} if related else {}),
            "confidence_level": level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": control,
        },
    )


def _counted(both: int, b: int, c: int, neither: int) -> dict[str, float]:
    """Return the counts of a pair, and its effect sizes."""
    return {
        **dict(zip(COUNTS, (both, b, c, neither), strict=True)),
        "odds_ratio": b / c if c else (math.inf if b else math.nan),
        "cohens_g": (b - c) / (2 * (b + c)) if b + c else math.nan,
    }


def _independent(cells: FloatArray, asked: Asked, ci_method: str | None) -> PairTests:
    check_choice(asked.variant, kernels.VARIANTS, "variant")
    interval = check_choice(ci_method or "newcombe", tuple(DIFFERENCE_METHODS), "ci_method")
    _, b, c, _ = cells
    chi_square = asked.variant not in _DISCRETE and asked.side == "two-sided"
    low, high = difference_bounds(
        *cells, method=interval, confidence_level=asked.level, alternative=asked.side
    )
    return PairTests(
        statistic=kernels.statistic(asked.variant, b, c, asked.side),
        pvalue=kernels.pvalue(asked.variant, b, c, asked.side),
        limits=(low, high),
        ci_method=interval,
        df=1.0 if chi_square else None,
        status=[Status.OK if d else Status.NO_DISCORDANT_PAIRS for d in b + c],
        assumptions=_assumptions(asked.variant, b + c, asked.alpha, asked.side),
        null_hypothesis="The two fitted models of a pair are right equally often on the population "
        "the rows come from.",
        method=kernels.SOURCES[asked.variant],
    )


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
