"""McNemar's test of two classifiers on one test set, from rows or counts, and its intervals.

Counts are named as in `mcnemar_from_counts`: n is their sum, b = only A right, c = only B right,
n_d = b + c. Under the null hypothesis b ~ Bin(n_d, ½) given n_d. In groups D_k is the sum of d in
group k, +1 where only A is right, −1 where only B is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core import two_by_two
from bakeoff.stats.core.arguments import Alpha, Count, Level, checked
from bakeoff.stats.core.checks import (
    BoolArray,
    FloatArray,
    as_counts,
    paired_correctness,
    paired_counts,
)
from bakeoff.stats.core.distributions import midp_lower, tail_probability
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs
from bakeoff.stats.core.registry import Evidence, Variants, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    UNDECIDED,
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    conclude,
)
from bakeoff.stats.core.two_by_two import (
    DIFFERENCE_METHODS,
    DifferenceMethod,
    as_matrix,
    difference_limits,
    discordant_sizes,
    tango_statistic,
)
from bakeoff.stats.design.clusters import (
    Clusters,
    dependence_of,
    equivalent_tail,
    moments,
    row_units,
)
from bakeoff.stats.design.groups import (
    HULL,
    ClusteredEquivalenceResult,
    GroupTest,
    enough_degrees,
    independent_clusters,
    too_few_degrees,
)
from bakeoff.stats.planning import McNemarPower

_NO_ROWS = "all four counts are 0: there are no rows"
COUNTS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")


@checked
def paired_difference_ci(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    method: DifferenceMethod = "newcombe",
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for acc_A − acc_B on the same rows.

    Parameters
    ----------
    method : str
        ``"newcombe"``: square-and-add of two Wilson intervals with the correlation (Newcombe
        1998, method 10), good at every n, the default. ``"tango"``: inverts the score test
        (Tango 1998); excludes 0 exactly when the asymptotic McNemar test rejects.
        ``"exact_melded"``: excludes 0 exactly when the exact McNemar test rejects (Fay &
        Lumbard 2021).

    Examples
    --------
    >>> low, high = paired_difference_ci(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63)
    >>> round(low, 4), round(high, 4)
    (-0.0174, 0.0408)
    """
    counts = both_correct, only_a_correct, only_b_correct, both_wrong
    if not sum(counts):
        raise ValueError(_NO_ROWS)
    tail = tail_probability(confidence_level, alternative)
    limits = difference_limits(method, counts, tail, alternative)
    return ConfidenceInterval(*limits, confidence_level, method)


@checked
def paired_odds_ratio_ci(
    *,
    only_a_correct: Count,
    only_b_correct: Count,
    confidence_level: Level = 0.95,
    alternative: Alternative = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for the conditional odds ratio b/c of two models on the same rows.

    Its mid-p limits transform those for π = P(A right | exactly one is right) by π/(1 − π)
    (Fagerland, Lydersen & Laake 2014), so that they exclude 1 exactly when the mid-p McNemar test
    rejects.

    Examples
    --------
    >>> low, high = paired_odds_ratio_ci(only_a_correct=22, only_b_correct=17)
    >>> round(low, 4), round(high, 4)
    (0.6853, 2.4766)
    """
    counts = np.array([only_a_correct, only_b_correct])
    tail = tail_probability(confidence_level, alternative)
    share = midp_lower(counts, counts.sum(), tail)
    low, below = (share / (1 - share)).tolist()  # swapping A and B inverts the ratio
    return ConfidenceInterval(
        0.0 if alternative == "less" else low,
        1 / below if below and alternative != "greater" else math.inf,
        confidence_level,
        "midp",
    )


_LARGE_SAMPLE = 25  # b + c from which the χ² approximation is usually trusted


@dataclasses.dataclass(frozen=True, kw_only=True)
class McNemarResult(Result):
    """A `Result` of McNemar's test; `estimate` is acc_A − acc_B and `ci` its interval.

    Attributes
    ----------
    n_discordant : int
        Rows that exactly one of the models gets right: all the test sees.
    smallest_pvalue : float
        The smallest p that this many discordant pairs could ever give.
    """

    n_discordant: int
    smallest_pvalue: float

    @property
    def odds_ratio_ci(self) -> ConfidenceInterval:
        """Mid-p interval for b/c, ``effect_sizes["odds_ratio"]``, at the level of `ci`."""
        assert self.ci is not None
        return paired_odds_ratio_ci(
            only_a_correct=self.details["only_a_correct"],
            only_b_correct=self.details["only_b_correct"],
            confidence_level=self.ci.confidence,
            alternative=self.alternative,
        )


@checked
def mcnemar_from_counts(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    variant: two_by_two.Variant = "midp",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: DifferenceMethod = "newcombe",
) -> McNemarResult:
    """McNemar's test from the four counts of rows; see `mcnemar` for the options.

    Parameters
    ----------
    variant, ci_method
        As in `mcnemar`.

    Examples
    --------
    >>> result = mcnemar_from_counts(
    ...     both_correct=9959, only_a_correct=11, only_b_correct=1, both_wrong=29,
    ...     variant="asymptotic")
    >>> round(result.statistic, 4), round(result.pvalue, 6)
    (8.3333, 0.003892)
    """
    b, c = only_a_correct, only_b_correct
    counts = dict(zip(COUNTS, (both_correct, b, c, both_wrong), strict=True))
    ci = paired_difference_ci(
        **counts, method=ci_method, confidence_level=confidence_level, alternative=alternative
    )
    n, n_d = sum(counts.values()), b + c
    details = _accuracies(counts)
    if not n_d and variant in ("midp", "exact"):
        # what the formula gives for an empty binomial; `pvalue` is 1 by convention
        halved = variant == "midp" and alternative != "two-sided"
        details["empty_binomial_pvalue"] = 0.5 if halved else 1.0
    most = (0, n_d) if alternative == "less" else (n_d, 0)
    smallest = float(two_by_two.pvalue(variant, *most, alternative))
    chi2 = variant not in ("midp", "exact")
    assumptions = [
        INDEPENDENT_ROWS,
        Assumption(
            "enough discordant pairs",
            smallest <= 1 - confidence_level,
            f"{n_d} discordant pair(s): the smallest p-value that these can give is {smallest:.3g}",
        ),
    ]
    if chi2:
        wants = f"the χ² approximation wants {_LARGE_SAMPLE}, below that use midp"
        detail = f"{n_d} discordant pair(s); {wants}"
        assumptions.append(Assumption("large sample", n_d >= _LARGE_SAMPLE, detail))
    return McNemarResult(
        test="mcnemar",
        variant=variant,
        statistic=float(two_by_two.statistic(variant, b, c, alternative)),
        df=1.0 if chi2 and alternative == "two-sided" else None,
        pvalue=float(two_by_two.pvalue(variant, b, c, alternative)),
        alternative=alternative,
        estimate=(b - c) / n,
        ci=ci,
        effect_sizes=discordant_sizes(b, c),
        n=n,
        status=Status.OK if n_d else Status.NO_DISCORDANT_PAIRS,
        assumptions=tuple(assumptions),
        null_hypothesis="The two fitted models are equally accurate on the population that the "
        "test rows were drawn from.",
        method=two_by_two.SOURCES[variant],
        details=details,
        n_discordant=n_d,
        smallest_pvalue=smallest,
    )


@checked
def mcnemar_pvalues(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    variant: two_by_two.Variant = "midp",
    alternative: Alternative = "two-sided",
) -> FloatArray:
    """P-values of `mcnemar` for arrays of discordant counts, one entry per pair.

    Parameters
    ----------
    only_a_correct, only_b_correct : array_like of int, any one shape
        The discordant counts b and c.
    variant
        As in `mcnemar`.

    Examples
    --------
    >>> mcnemar_pvalues([22, 11, 0], [17, 1, 0]).round(4)
    array([0.4296, 0.0034, 1.    ])
    """
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    return two_by_two.pvalue(variant, b, c, alternative)


def _accuracies(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the four counts, and the accuracies of both models."""
    both, b, c, _ = counts.values()
    n = sum(counts.values())
    return {**counts, "accuracy_a": (both + b) / n, "accuracy_b": (both + c) / n}


class ClusterPair:
    """Counts inside clusters of the rows that each of two models has right."""

    def __init__(self, a: BoolArray, b: BoolArray, clusters: Clusters) -> None:
        place = clusters.codes * 4 + 2 * ~a + ~b
        # (K, 4): rows that both, only A, only B and neither model has right
        self.cells = np.bincount(place, minlength=4 * clusters.count).reshape(-1, 4).astype(float)
        self.clusters = clusters
        self.counts = dict(zip(COUNTS, self.cells.sum(axis=0).astype(int).tolist(), strict=True))
        self.sums: FloatArray = self.cells[:, 1] - self.cells[:, 2]  # D_k
        self.discordant: FloatArray = self.cells[:, 1] + self.cells[:, 2]
        self.moments = moments(self.sums, self.discordant.sum(), clusters)
        informative = int(np.count_nonzero(self.discordant))
        self.dependence = dependence_of(self.moments, informative, clusters)


GroupedVariant = Literal["sign_flip", "sign_flip_exact", "robust_t"]
VARIANTS = Variants(two_by_two.VARIANTS, get_args(GroupedVariant))
INTERVALS = Variants(tuple(DIFFERENCE_METHODS), (HULL, "newcombe_effective", "robust_t"))
_Interval = Literal[DifferenceMethod, "subset_hull", "newcombe_effective", "robust_t"]


def mcnemar_pairs(
    correct: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    correction: str | None = None,
    **options: Any,
) -> PairwiseResult:
    """Run `mcnemar` on all pairs of columns, whose groups are read once."""
    matrix, _ = as_matrix(correct, None)
    relation, units = row_units(len(matrix), groups, time, correct=correct)
    independent = relation == "independent"
    options["groups"] = None if independent else units
    options["correction"] = correction or ("bonferroni" if independent else "holm")
    return by_pairs(mcnemar, (), np.ascontiguousarray(matrix.T), **options)


@register(
    evidence=Evidence.ROWS,
    citation="fagerland2013",
    planning=partial(McNemarPower, calculation="normal"),
    variants=VARIANTS,
    intervals=INTERVALS,
    all_pairs=mcnemar_pairs,
    in_time="diebold_mariano",
)
def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    variant: Literal[two_by_two.Variant, GroupedVariant] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: _Interval | None = None,
) -> Result:
    """McNemar's test.

    Is one of these two fitted models more accurate than the other on new rows?

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
        Rows in groups: ``"sign_flip"`` (default), ``"sign_flip_exact"`` and ``"robust_t"`` as in
        `mean_difference`: under the null exchanging the models in a whole group changes nothing,
        so the signs of the differences of the groups are coins (Canay, Romano & Shaikh 2017).
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

    Warnings
    --------
    Its result is about these two fitted models: it does not account for how much they would change
    with other training rows. With few groups its p-value assumes that group effects are distributed
    symmetrically about zero, which cannot be tested.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([True, True, False, False], [329, 22, 17, 63])
    >>> b = np.repeat([True, False, True, False], [329, 22, 17, 63])
    >>> result = mcnemar(a, b)
    >>> round(result.estimate, 4), round(result.pvalue, 4)
    (0.0116, 0.4296)
    >>> result = mcnemar(a, b, groups=np.arange(431) % 10)  # the group of each row
    >>> result.variant, round(result.pvalue, 4)
    ('sign_flip', 0.125)
    """
    a, b = paired_correctness(correct_a, correct_b)
    relation, units = row_units(len(a), groups, time, correct_a=correct_a)
    form = VARIANTS.choose(variant, relation)
    interval = INTERVALS.choose(ci_method, relation, "ci_method")
    if relation == "independent":
        return mcnemar_from_counts(
            **paired_counts(a, b),
            variant=form,
            alternative=alternative,
            confidence_level=confidence_level,
            ci_method=interval,
        )
    side, level, pair = alternative, confidence_level, ClusterPair(a, b, units)
    dependence, k = pair.dependence, pair.clusters.count
    _, b_only, c_only, _ = pair.counts.values()
    test = GroupTest(pair.clusters, pair.sums, dependence, form, side, level)
    tail, ci = tail_probability(level, side), None
    if k > 1 and interval == "robust_t":
        ci = test.by_t.interval(level, side, interval)
    elif k > 1:  # Newcombe's (1998) on the effective counts, with a t quantile
        cells = [count / dependence.design_effect for count in pair.counts.values()]
        normal_tail = float(equivalent_tail(dependence.df, tail))
        limits = difference_limits("newcombe", cells, normal_tail, side)
        ci = ConfidenceInterval(*limits, level, "newcombe_effective")
    se_log, ratio = math.nan, (0.0, math.inf)
    if b_only and c_only and k > 1:  # log standard error of b/c by linearisation
        parts = pair.cells[:, 1] / b_only - pair.cells[:, 2] / c_only
        se_log = math.sqrt(k / (k - 1) * float(np.square(parts).sum()))
        log_ratio = Estimate(value=math.log(b_only / c_only), se=se_log, df=k - 1.0)
        low, high = special.inv_boxcox(log_ratio.limits(level, side), 0.0).tolist()
        ratio = low, high  # infinite where math.exp fails
    return test.result(
        {
            **_accuracies(pair.counts),
            "pvalue_exact": test.tails.pvalue(side, exact=True),
            "se_cr0": math.sqrt(float(pair.moments.variance_cr0)),
            "se_cr1": math.sqrt(float(pair.moments.variance_cr1)),
            "odds_ratio_se_log": se_log,
            "odds_ratio_ci": ratio,
        },
        ci,
        (-1.0, 1.0) if interval == HULL and not pair.clusters.trivial else None,
        status=test.status if pair.discordant.any() else Status.NO_DISCORDANT_PAIRS,
        effect_sizes=discordant_sizes(b_only, c_only),
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
    )


@register(
    evidence=Evidence.ROWS,
    citation="liu2002",
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
    """Equivalence of paired accuracies (TOST).

    Are these two fitted models equally accurate, within the margin?

    Tango's statistic at −margin and at +margin, with the discordance estimated under each (Tango
    1998; Liu et al. 2002); it works without discordant pairs. On rows in groups over the root of
    the design effect, against Student's t with the degrees of freedom of the robust variance.

    Returns
    -------
    EquivalenceResult or ClusteredEquivalenceResult
        `estimate` is acc_A − acc_B. In groups fewer than four degrees of freedom are
        ``too_few``.

    Warnings
    --------
    Choose the margin before seeing the data. A small p-value is evidence for equivalence, not for a
    difference.

    Notes
    -----
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
    _, units = row_units(len(a), groups, correct_a=correct_a)
    pair = None if groups is None else ClusterPair(a, b, units)
    return _score_tests(paired_counts(a, b), margin, alpha, pair=pair)


@register(evidence=Evidence.ROWS, citation="tango1998")
def noninferiority(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: Level,
    groups: ArrayLike | None = None,
    alpha: Alpha = 0.05,
) -> ClusteredEquivalenceResult:
    """Non-inferiority of accuracies.

    Is A less accurate than B by no more than the margin?

    The lower of the two tests of `tost_paired` in groups (Tango 1998; Liu et al. 2002).

    Parameters
    ----------
    margin : float
        The largest loss of accuracy that does not matter, between 0 and 1.

    Returns
    -------
    ClusteredEquivalenceResult
        `pvalue` is `pvalue_lower`; the verdict is "not inferior" or "not shown".

    Warnings
    --------
    Choose the margin before seeing the data. A small p-value is evidence that A is not worse than B
    by the margin or more; A may also be better.

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
    pair = ClusterPair(a, b, row_units(len(a), groups, correct_a=correct_a)[1])
    result = _score_tests(pair.counts, margin, alpha, sides=1, pair=pair)
    assert isinstance(result, ClusteredEquivalenceResult)
    return result


def _score_tests(
    counts: Mapping[str, int],
    margin: float,
    alpha: float,
    sides: int = 2,
    pair: ClusterPair | None = None,
) -> EquivalenceResult:
    """Test both margins or, of one side, the lower one; in groups over √(design effect)."""
    n, (_, b, c, _) = sum(counts.values()), counts.values()
    effect, df, few, tail = 1.0, math.inf, False, alpha
    facts: dict[str, Any] = {"variant": "score", "n": n, "assumptions": (INDEPENDENT_ROWS,)}
    if pair is not None:
        dependence, df = pair.dependence, pair.dependence.df
        few = too_few_degrees(df)
        # the design effect is no less than the intraclass correlation says
        weighted = float(np.square(pair.clusters.sizes).sum()) / n
        correlation = 0.0 if math.isnan(dependence.icc) else max(dependence.icc, 0.0)
        effect = max(dependence.design_effect, 1 + (weighted - 1) * correlation)
        if not few:  # Tango's limits at the quantile t·√(design effect)
            tail = float(special.ndtr(float(special.stdtrit(df, alpha)) * math.sqrt(effect)))
        facts = dependence.worth | {
            "kind": ClusteredEquivalenceResult,
            "variant": "score_effective" if sides == 2 else "",
            "df": df,
            "status": Status.TOO_FEW if few else Status.OK,
            "design_effect": effect,
            "n_effective": n / effect,
            "assumptions": (independent_clusters(pair.clusters), enough_degrees(pair.clusters, df)),
            "method": "liu2002",
        }
    ends = tango_statistic(b, c, n, np.array([-margin, margin])) / math.sqrt(effect)
    lower, upper = (Estimate(value=float(z), se=1.0, df=df) for z in ends)
    pvalues = lower.pvalue("greater"), upper.pvalue("less")
    details: dict[str, Any] = dict(counts)
    if pair is None:
        details["se"] = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n
    else:
        details |= dict(zip(("formula_pvalue_lower", "formula_pvalue_upper"), pvalues, strict=True))
        details["design_effect_raw"] = pair.dependence.design_effect_raw
    ci = None
    if not few:
        limits = difference_limits("tango", counts.values(), max(tail, 1e-300))
        method = "tango" if pair is None else "tango_effective"
        ci = ConfidenceInterval(*limits, 1 - 2 * alpha, method)
    result = conclude(
        statistics=(lower.value, upper.value),
        pvalues=pvalues,
        margin=margin,
        alpha=alpha,
        sides=sides,
        estimate=(b - c) / n,
        ci=ci,
        what="accuracies of the two fitted models",
        details=details,
        **facts,
    )
    return result if not few else dataclasses.replace(result, **UNDECIDED)


@form_of(tost_paired)
def tost_paired_from_counts(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    margin: Level,
    alpha: Alpha = 0.05,
) -> EquivalenceResult:
    """Two one-sided tests from the four counts of rows; see `tost_paired`."""
    each = both_correct, only_a_correct, only_b_correct, both_wrong
    if not sum(each):
        raise ValueError(_NO_ROWS)
    return _score_tests(dict(zip(COUNTS, each, strict=True)), margin, alpha)
