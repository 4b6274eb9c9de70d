"""McNemar's test: two classifiers on one test set, whatever relates its rows."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels
from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.checks import BoolArray, paired_correctness, paired_counts
from bakeoff.stats.core.correctness_matrix import as_matrix, both_correct
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, DifferenceMethod
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.pairwise import pairwise
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Result
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.planning import McNemarPower
from bakeoff.stats.rows import mcnemar_related
from bakeoff.stats.rows.cluster_pair import cluster_pair
from bakeoff.stats.rows.mcnemar_counts import mcnemar_from_counts
from bakeoff.stats.rows.mcnemar_related import GroupedVariant
from bakeoff.stats.rows.paired_intervals import COUNTS

__all__ = ["mcnemar"]

VARIANTS = Variants(mcnemar_kernels.VARIANTS, mcnemar_related.VARIANTS)
INTERVALS = Variants(tuple(DIFFERENCE_METHODS), mcnemar_related.INTERVALS)

_Interval = Literal[DifferenceMethod, "subset_hull", "newcombe_effective", "robust_t"]


def mcnemar_pairs(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    variant: str | None = None,
    correction: str | None = None,
    ci_method: str | None = None,
    **family: Any,
) -> PairwiseResult:
    """Run `mcnemar` on all pairs of columns; the counts and the groups of the rows are shared."""
    matrix, _ = as_matrix(correct, None)
    design = RowDesign.of(len(matrix), groups, time, correct=correct)
    independent = design.relation == "independent"
    together = both_correct(matrix, None) if independent else None

    def compare(
        pairs: list[tuple[int, int]], *, alternative: Alternative, confidence_level: float
    ) -> list[Result]:
        asked = variant, alternative, confidence_level, ci_method
        if together is None:
            return [_in_design(matrix[:, a], matrix[:, b], design, *asked) for a, b in pairs]
        found = []
        for a, b in pairs:
            both, right_a, right_b = map(int, (together[a, b], together[a, a], together[b, b]))
            cells = both, right_a - both, right_b - both, len(matrix) - right_a - right_b + both
            found.append(_of_counts(dict(zip(COUNTS, cells, strict=True)), *asked))
        return found

    correction = correction or ("bonferroni" if independent else "holm")
    return pairwise(compare, matrix.shape[1], correction=correction, **family)


@register(
    title="McNemar's test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models more accurate than the other on new rows?",
    plans=("holdout",),
    citation="fagerland2013",
    caution="Its result is about these two fitted models: it does not account for how much they "
    "would change with other training rows. With few groups its p-value assumes that group "
    "effects are distributed symmetrically about zero, which cannot be tested.",
    uses_only_counts=True,
    planning=partial(McNemarPower, calculation="normal"),
    variants=VARIANTS,
    all_pairs=mcnemar_pairs,
    in_time="diebold_mariano",
)
def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    variant: Literal[mcnemar_kernels.Variant, GroupedVariant] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: _Interval | None = None,
) -> Result:
    """McNemar's test of equal accuracy of two models on the same rows.

    Parameters
    ----------
    time : array_like, shape (n,), optional
        The time of each row, of any kind that sorts. Alone: eight long blocks of neighbouring
        times are the groups, which few strongly dependent times break; `diebold_mariano` is the
        test for them. Not with `groups`.
    variant : str, optional
        Independent rows: ``"midp"`` (default): p(exact) − ½ P(X = b) on each tested side; holds
        its level in practice and wastes little (Fagerland et al. 2013). ``"exact"``: binomial,
        never above its level, conservative. ``"asymptotic"``: χ² = (b − c)²/n_d.
        ``"corrected"``: Edwards' (max(|b − c| − 1, 0))²/n_d, as conservative as the exact test.
        Rows in groups: ``"sign_flip"`` (default): exchanging the models in a whole group changes
        nothing under the null, so the signs of the differences D_k of the groups are coins (Canay,
        Romano & Shaikh 2017); exact at any number of groups, mid-p; ``"sign_flip_exact"`` counts
        the observed sum in full. ``"robust_t"``: CR2 variance with Bell & McCaffrey's (2002)
        degrees of freedom.
    ci_method : str, optional
        Independent rows: a method of `paired_difference_ci`, ``"newcombe"`` by default. Rows in
        groups: ``"newcombe_effective"``: Newcombe's (1998) method 10 on the counts over the
        design effect, with a t quantile. ``"subset_hull"`` (default): the hull of it and of the
        limits from means of random subsets of groups (Hartigan 1969), which one dominant group
        does not mislead; with sign flips and ``robust_t`` it holds 0 where
        p ≥ 1 − `confidence_level`, and only there. ``"robust_t"``: mean ± t·SE.

    Returns
    -------
    McNemarResult or ClusteredResult
        `estimate` is the difference of the accuracies over rows. `statistic` is b for the exact
        and mid-p variants, the sum of all D_k for sign flips, t, or χ² (df 1; its signed root when
        one-sided).

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([True, True, False, False], [329, 22, 17, 63])
    >>> b = np.repeat([True, False, True, False], [329, 22, 17, 63])
    >>> result = mcnemar(a, b)
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.0116, 0.4296)
    >>> a = [1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1]
    >>> b = [0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    >>> result = mcnemar(a, b, groups=[1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7])
    >>> result.variant, round(result.estimate, 3), result.statistic, round(result.pvalue, 4)
    ('sign_flip', 0.375, 6.0, 0.0312)
    """
    a, b = paired_correctness(correct_a, correct_b)
    design = RowDesign.of(len(a), groups, time, correct_a=correct_a)
    asked = variant, alternative, confidence_level, ci_method
    if design.relation == "independent":
        return _of_counts(paired_counts(a, b), *asked)
    return _in_design(a, b, design, *asked)


def _of_counts(
    counts: dict[str, int],
    variant: str | None,
    side: Alternative,
    level: float,
    ci_method: str | None,
) -> Result:
    return mcnemar_from_counts(
        **counts,
        variant=VARIANTS.choose(variant, "independent"),
        alternative=side,
        confidence_level=level,
        ci_method=INTERVALS.choose(ci_method, "independent", "ci_method"),
    )


def _in_design(
    a: BoolArray,
    b: BoolArray,
    design: RowDesign,
    variant: str | None,
    side: Alternative,
    level: float,
    ci_method: str | None,
) -> Result:
    form = VARIANTS.choose(variant, design.relation)
    interval = INTERVALS.choose(ci_method, design.relation, "ci_method")
    return mcnemar_related.in_groups(cluster_pair(a, b, design.units), form, side, level, interval)
