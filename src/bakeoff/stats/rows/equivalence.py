"""Are two classifiers equally good, within a margin? Two one-sided tests (TOST).

A difference that is not significant is no evidence of equality. Here the null hypotheses are
that the difference is at or beyond the margin, on either side; both must fall.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Alpha, Count, Level, checked
from bakeoff.stats.core.checks import paired_correctness, paired_counts
from bakeoff.stats.core.distributions import t_pvalue
from bakeoff.stats.core.registry import Arity, Evidence, Variants, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    SHOWN,
    ConfidenceInterval,
    EquivalenceResult,
    Status,
    conclude,
)
from bakeoff.stats.core.two_by_two import (
    DIFFERENCE_METHODS,
    tango_statistic,
)
from bakeoff.stats.design.clusters import RowDesign
from bakeoff.stats.design.groups import (
    ClusteredEquivalenceResult,
    enough_degrees,
    independent_clusters,
    too_few_degrees,
)
from bakeoff.stats.rows.mcnemar import ClusterPair, cluster_pair, paired_difference_ci

__all__ = ["noninferiority", "tost_paired", "tost_paired_from_counts"]


@register(
    title="Equivalence of paired accuracies (TOST)",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Are these two fitted models equally accurate, within the margin?",
    plans=("holdout",),
    citation="liu2002",
    caution="Choose the margin before seeing the data. A small p-value is evidence for "
    "equivalence, not for a difference.",
    variants=Variants(("score",), ("score_effective",)),
)
def tost_paired(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: Level,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> EquivalenceResult:
    """Two one-sided tests of the accuracy difference of two models on the same rows.

    Tango's statistic at −margin and at +margin, with the discordance estimated under each (Tango
    1998; Liu et al. 2002); it works without discordant pairs. On rows in groups over the root of
    the design effect, against Student's t with the degrees of freedom of the robust variance.

    Returns
    -------
    EquivalenceResult or ClusteredEquivalenceResult
        `estimate` is acc_A − acc_B. In groups fewer than four degrees of freedom are
        ``too_few``.

    Notes
    -----
    Without discordant pairs the difference test has p 1, while here equality can be shown: n
    rows on which the models agree bound the rate at which they differ.

    In groups the design effect is at least 1 + (Σn_k²/N − 1)·max(icc, 0): the variance
    estimated from few groups may be too small by chance, which would favour equivalence.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([True, True, False, False], [900, 21, 19, 60])
    >>> b = np.repeat([True, False, True, False], [900, 21, 19, 60])
    >>> result = tost_paired(a, b, margin=0.02)
    >>> round(result.pvalue, 4), result.verdict
    (0.0043, 'equivalent')
    """
    a, b = paired_correctness(correct_a, correct_b)
    design = RowDesign.of(len(a), groups, correct_a=correct_a)
    if design.relation == "groups":
        return _in_groups(cluster_pair(a, b, design.units), margin, alpha, sides=2)
    return tost_paired_from_counts(**paired_counts(a, b), margin=margin, alpha=alpha)


@register(
    title="Non-inferiority of accuracies",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    plans=("holdout",),
    citation="tango1998",
    answers="Is A less accurate than B by no more than the margin?",
    caution="Choose the margin before seeing the data. A small p-value is evidence that A is not "
    "worse than B by the margin or more; A may also be better.",
)
def noninferiority(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: Level,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> ClusteredEquivalenceResult:
    """One-sided test that A is less accurate than B by no more than the margin.

    The lower of the two tests of `tost_paired` in groups (Tango 1998; Liu et al. 2002).

    Parameters
    ----------
    margin : float
        The largest loss of accuracy that does not matter, between 0 and 1.

    Returns
    -------
    ClusteredEquivalenceResult
        `pvalue` is `pvalue_lower`; the verdict is "not inferior" or "not shown".

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> result = noninferiority(a, b, margin=0.02, groups=np.arange(1000) % 100)
    >>> result.pvalue < 0.001, result.verdict
    (True, 'not inferior')
    """
    a, b = paired_correctness(correct_a, correct_b)
    design = RowDesign.of(len(a), groups, correct_a=correct_a)
    return _in_groups(cluster_pair(a, b, design.units), margin, alpha, sides=1)


_NULLS = {
    1: "A is less accurate than B by {margin} or more.",
    2: "The accuracies of the two fitted models differ by {margin} or more.",
}


def _in_groups(
    pair: ClusterPair, margin: float, alpha: float, *, sides: int
) -> ClusteredEquivalenceResult:
    """Test both margins or, of one side, the lower one; without groups each row is one."""
    found, df = pair.found, pair.found.df
    # the design effect is no less than the intraclass correlation says
    weighted = float(np.square(pair.clusters.sizes).sum()) / found.n_rows
    expected = 1 + (weighted - 1) * (max(found.icc, 0.0) if not math.isnan(found.icc) else 0.0)
    effect = max(found.design_effect, expected)
    found = dataclasses.replace(found, design_effect=effect, n_effective=found.n_rows / effect)
    both, b, c, neither = (np.asarray(count) for count in pair.counts)
    root = math.sqrt(effect)
    at = tango_statistic(b, c, found.n_rows, np.array([-margin, margin]))
    lower, upper = (float(z) / root for z in at)
    few = too_few_degrees(df)
    formula = (
        (t_pvalue(lower, df, "greater"), t_pvalue(upper, df, "less"))
        if df
        else (math.nan, math.nan)
    )
    last = int(np.argmax(formula[:sides]))
    pvalue = math.nan if few else formula[last]
    ci = None
    if not few:  # inverts the same two tests: Tango's at the quantile t·√(design effect)
        tail = float(special.ndtr(-float(special.stdtrit(df, 1 - alpha)) * root))
        low, high = map(float, DIFFERENCE_METHODS["tango"](both, b, c, neither, max(tail, 1e-300)))
        ci = ConfidenceInterval(max(low, -1.0), min(high, 1.0), 1 - 2 * alpha, "tango_effective")
    return ClusteredEquivalenceResult(
        variant="score_effective" if sides == 2 else "",
        statistic=(lower, upper)[last],
        df=df,
        pvalue=pvalue,
        pvalue_lower=math.nan if few else formula[0],
        pvalue_upper=math.nan if few else formula[1],
        verdict="undecided" if few else (SHOWN[sides] if pvalue < alpha else "not shown"),
        margin=margin,
        alpha=alpha,
        status=Status.TOO_FEW if few else Status.OK,
        estimate=found.mean,
        ci=ci,
        assumptions=(independent_clusters(pair.clusters), enough_degrees(pair.clusters, df)),
        null_hypothesis=_NULLS[sides].format(margin=f"{margin:g}"),
        method="liu2002",
        details={
            **pair.named_counts,
            "statistic_lower": lower,
            "statistic_upper": upper,
            "formula_pvalue_lower": formula[0],
            "formula_pvalue_upper": formula[1],
            "design_effect_raw": found.design_effect_raw,
        },
        **found.worth,
    )


@form_of(tost_paired)
@checked
def tost_paired_from_counts(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    margin: Level,
    alpha: Alpha = 0.05,
) -> EquivalenceResult:
    """Two one-sided tests from the four counts of rows; see `tost_paired`.

    Returns
    -------
    EquivalenceResult
        The same result as from the rows.

    Examples
    --------
    >>> result = tost_paired_from_counts(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63, margin=0.02)
    >>> round(result.pvalue_lower, 4), round(result.pvalue_upper, 4), result.verdict
    (0.0171, 0.2824, 'not shown')
    """
    counts: dict[str, Any] = {
        "both_correct": both_correct,
        "only_a_correct": only_a_correct,
        "only_b_correct": only_b_correct,
        "both_wrong": both_wrong,
    }
    ci = paired_difference_ci(**counts, method="tango", confidence_level=1 - 2 * alpha)
    n, b, c = sum(counts.values()), only_a_correct, only_b_correct
    lower, upper = tango_statistic(b, c, n, np.array([-margin, margin])).tolist()
    return conclude(
        variant="score",
        statistics=(lower, upper),
        pvalues=(float(special.ndtr(-lower)), float(special.ndtr(upper))),
        margin=margin,
        alpha=alpha,
        estimate=(b - c) / n,
        ci=ci,
        n=n,
        assumptions=(INDEPENDENT_ROWS,),
        what="accuracies of the two fitted models",
        details={**counts, "se": math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n},
    )
