"""Two algorithms compared by any metric, with a variance from disjoint halves of the data.

Cross-validation inside the two disjoint halves of a random halving gives two independent
differences D₁ and D₂ of one variance σ², whatever the learners and the metric (approximately, where
halves are stratified or keep groups whole). So (D₁ − D₂)²/4
has the expectation σ²/2, the variance of their mean, and the mean over several halvings varies no
more than that (Cauchy-Schwarz): the variance estimate is not too small on average. No estimate
from the folds of one cross-validation has this property (Bengio & Grandvalet 2004).
"""

from __future__ import annotations

import math
from typing import Literal

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, check_count
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import (
    Differences,
    effect_sizes,
    normality,
    paired_differences,
    ratio_status,
    t_result,
)
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Result

__all__ = ["half_sample_t"]

_NULL = {
    "full": "The two learning algorithms have the same expected score when trained on samples of "
    "nearly the size of this data set.",
    "halves": "The two learning algorithms have the same expected score when trained on samples of "
    "less than half the size of this data set.",
}
_NO_GROWTH = Assumption(
    "the variance of a score falls with the number of rows",
    None,
    "the variance seen in halves of the data, scaled to all rows, is taken for no smaller than "
    "that of the full cross-validation; the variant halves does not need this",
)


@register(
    title="Half-sample t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.PAIR,
    about="algorithms",
    answers="Does one algorithm have the higher expected score, whatever the metric and the "
    "learner?",
    plans=("halves",),
    citation="mccarthy1969",
    caution="It needs the plan halves, which takes many more fits than one cross-validation.",
    replications=True,
)
def half_sample_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    full_repeats: int,
    variant: Literal["halves", "full"] = "halves",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """T test whose variance comes from disjoint halves of the data.

    With the mean differences D_m1 and D_m2 over cross-validation inside the two halves of M
    random halvings, V = Σ(D_m1 − D_m2)²/(4M) and t = estimate/√V with M degrees of freedom.

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (2M + R, K)
        Scores of A and B. Each row is a cross-validation in K folds: first the two halves of
        each of the M halvings, one after the other, then R of all rows of the data.
    variant : {"halves", "full"}
        What is estimated. ``"halves"`` (default): the mean of all D, so about training on
        (1 − 1/K) n/2 rows; then V is not too small on average, whatever the learner. ``"full"``:
        the mean difference over the folds of all rows, so about training on (1 − 1/K) n rows. It
        assumes that n times the variance does not grow from n/2 to n rows, which strongly
        shrunken models break: it then rejects too often.

    Returns
    -------
    Result
        `n` is the number of halvings. ``details`` has the standard error, the mean differences
        over all rows and over the halves, and the differences D, shape (M, 2).

    Notes
    -----
    The halves are the half-samples of McCarthy (1969), here drawn at random;
    docs/cross-validation.md has the simulated type I error and power. With K = 2 the variant
    ``"full"`` rejects too often as well: use 5 or more.

    Examples
    --------
    >>> a = [[0.80, 0.78], [0.84, 0.85], [0.82, 0.80], [0.83, 0.84], [0.84, 0.86]]
    >>> b = [[0.77, 0.76], [0.80, 0.79], [0.78, 0.79], [0.78, 0.78], [0.81, 0.80]]
    >>> result = half_sample_t(a, b, full_repeats=1)
    >>> print(f"t({result.df}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(2) = 2.807, p = 0.1070
    """
    d = paired_differences(scores_a, scores_b, ndim=2, greater_is_better=greater_is_better)
    return half_sample_result(d, full_repeats, variant, alternative, confidence_level)


def half_sample_result(
    d: Differences,
    full_repeats: int,
    variant: str,
    alternative: Alternative,
    confidence_level: Level,
) -> Result:
    """Test the mean of differences that are arranged as `half_sample_t` takes scores."""
    inside, full = split_halves(d.values, full_repeats, variant)
    halves = Differences(inside, d.noise)
    used = full if variant == "full" else inside
    gap = inside[:, 0] - inside[:, 1]
    estimate, se = float(used.mean()), math.sqrt(float((gap**2).sum()) / (4 * len(gap)))
    status = ratio_status(estimate, se, d.noise, not (inside.any() or used.any()))
    return t_result(
        estimate,
        se,
        len(gap),
        status,
        alternative,
        confidence_level,
        variant=variant,
        effect_sizes=effect_sizes(halves),
        n=len(gap),
        assumptions=(
            Assumption(
                "independent rows",
                None,
                "rows of one group (patient, user, day) would break it, unless divisions keep "
                "groups whole; then groups must be independent",
            ),
            *([_NO_GROWTH] if variant == "full" else []),
            normality(halves),
        ),
        null_hypothesis=_NULL[variant],
        details={
            "se": se,
            "mean_full": float(full.mean()) if full.size else math.nan,
            "mean_halves": float(inside.mean()),
            "half_differences": inside,
        },
    )


def split_halves(
    rows: FloatArray, full_repeats: int, variant: str
) -> tuple[FloatArray, FloatArray]:
    """Part rows of folds into the means of the halves, shape (M, 2), and the full repeats."""
    full = check_count(full_repeats, "full_repeats", least=1 if variant == "full" else 0)
    inside = len(rows) - full
    if inside < 2 or inside % 2:
        raise ArgumentError(
            "full_repeats",
            f"found {full} of {len(rows)} rows of scores; the others must be pairs of halves",
        )
    return rows[:inside].mean(axis=1).reshape(-1, 2), rows[inside:]
