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
from bakeoff.stats.core.arguments import Alpha, Count, Level, Variants, checked
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
from bakeoff.stats.core.registry import Evidence, form_of, register
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
    signed_root,
    tango_statistic,
)
from bakeoff.stats.design.clusters import (
    Clusters,
    Dependence,
    dependence_of,
    equivalent_tail,
    moments,
    row_units,
)
from bakeoff.stats.design.groups import (
    HULL,
    ClusteredEquivalenceResult,
    ClusteredResult,
    GroupTest,
    enough_degrees,
    independent_clusters,
    too_few_degrees,
)
from bakeoff.stats.planning import McNemarPower

COUNTS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
GroupedVariant = Literal["sign_flip", "sign_flip_exact", "robust_t"]
VARIANTS = Variants(two_by_two.VARIANTS, get_args(GroupedVariant))
INTERVALS = Variants(tuple(DIFFERENCE_METHODS), (HULL, "newcombe_effective", "robust_t"))

_Interval = Literal[DifferenceMethod, "subset_hull", "newcombe_effective", "robust_t"]
_BINOMIAL = ("midp", "exact")  # the variants that count; the others approximate by χ²
_LARGE_SAMPLE = 25  # b + c from which the χ² approximation is usually trusted
_SMALLEST_TAIL = 1e-300
_NO_ROWS = "all four counts are 0: there are no rows"
_ACCURACIES = "accuracies of the two fitted models"


# McNemar's test


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
    if relation == "independent":
        options["groups"] = None
        options["correction"] = correction or "bonferroni"
    else:
        options["groups"] = units
        options["correction"] = correction or "holm"
    columns = np.ascontiguousarray(matrix.T)
    return by_pairs(mcnemar, (), columns, **options)


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
    if groups is None and time is None:
        variant = VARIANTS.choose(variant, "independent")
        ci_method = INTERVALS.choose(ci_method, "independent", "ci_method")
        return _test_counts(paired_counts(a, b), variant, alternative, confidence_level, ci_method)
    relation, units = row_units(len(a), groups, time, correct_a=correct_a)
    variant = VARIANTS.choose(variant, relation)
    ci_method = INTERVALS.choose(ci_method, relation, "ci_method")
    pair = ClusterPair(a, b, units)
    return _test_in_groups(pair, variant, alternative, confidence_level, ci_method)


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
    counts = _counts_by_name(both_correct, only_a_correct, only_b_correct, both_wrong)
    if sum(counts.values()) == 0:
        raise ValueError(_NO_ROWS)
    return _test_counts(counts, variant, alternative, confidence_level, ci_method)


def _test_counts(
    counts: Mapping[str, int],
    variant: str,
    alternative: Alternative,
    confidence_level: float,
    ci_method: str,
) -> McNemarResult:
    """Test the discordant counts of independent rows, with an interval of acc_A − acc_B."""
    b = counts["only_a_correct"]
    c = counts["only_b_correct"]
    n = sum(counts.values())
    n_discordant = b + c

    # exact       P(X ≥ b), X ~ Bin(n_d, ½); two-sided: twice the tail of the smaller count
    # midp        P(X ≥ b) − P(X = b)/2 (Fagerland et al. 2013, supplement, eq. 2)
    # asymptotic  z = (b − c)/√n_d, χ² = z² (McNemar 1947)
    # corrected   the same with |b − c| − 1 for |b − c|, at least 0 (Edwards 1948)
    pvalue = float(two_by_two.pvalue(variant, b, c, alternative))
    statistic = float(b)
    df = None
    if variant not in _BINOMIAL:
        z = signed_root(b, c, corrected=variant == "corrected")
        statistic = float(z)
        if alternative == "two-sided":
            statistic = float(np.square(z))
            df = 1.0

    status = Status.OK
    details = _accuracies(counts)
    if n_discordant == 0:
        status = Status.NO_DISCORDANT_PAIRS
        if variant in _BINOMIAL:
            details["empty_binomial_pvalue"] = _empty_binomial_pvalue(variant, alternative)

    tail = tail_probability(confidence_level, alternative)
    low, high = difference_limits(ci_method, counts.values(), tail, alternative)
    smallest = _smallest_pvalue(variant, n_discordant, alternative)
    return McNemarResult(
        test="mcnemar",
        variant=variant,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=alternative,
        estimate=(b - c) / n,
        ci=ConfidenceInterval(low, high, confidence_level, ci_method),
        effect_sizes=discordant_sizes(b, c),
        n=n,
        status=status,
        assumptions=_assumptions(variant, n_discordant, smallest, alpha=1 - confidence_level),
        null_hypothesis="The two fitted models are equally accurate on the population that the "
        "test rows were drawn from.",
        method=two_by_two.SOURCES[variant],
        details=details,
        n_discordant=n_discordant,
        smallest_pvalue=smallest,
    )


def _smallest_pvalue(variant: str, n_discordant: int, alternative: Alternative) -> float:
    """P-value where one model alone is right on all discordant rows."""
    # two-sided and exact this is 2 · 2^−n_d, by the mid-p 2^−n_d
    b = n_discordant
    c = 0
    if alternative == "less":
        b = 0
        c = n_discordant
    return float(two_by_two.pvalue(variant, b, c, alternative))


def _empty_binomial_pvalue(variant: str, alternative: Alternative) -> float:
    """Return what the formula gives for Bin(0, ½); `pvalue` is 1 by convention."""
    if variant == "midp" and alternative != "two-sided":
        return 0.5
    return 1.0


def _assumptions(
    variant: str, n_discordant: int, smallest: float, alpha: float
) -> tuple[Assumption, ...]:
    pairs = f"{n_discordant} discordant pair(s)"
    enough = Assumption(
        "enough discordant pairs",
        smallest <= alpha,
        f"{pairs}: the smallest p-value that these can give is {smallest:.3g}",
    )
    if variant in _BINOMIAL:
        return (INDEPENDENT_ROWS, enough)
    large = Assumption(
        "large sample",
        n_discordant >= _LARGE_SAMPLE,
        f"{pairs}; the χ² approximation wants {_LARGE_SAMPLE}, below that use midp",
    )
    return (INDEPENDENT_ROWS, enough, large)


def _accuracies(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the four counts, and the accuracies of both models."""
    n = sum(counts.values())
    right_a = counts["both_correct"] + counts["only_a_correct"]
    right_b = counts["both_correct"] + counts["only_b_correct"]
    return {**counts, "accuracy_a": right_a / n, "accuracy_b": right_b / n}


def _counts_by_name(both_correct: int, b: int, c: int, both_wrong: int) -> dict[str, int]:
    return dict(zip(COUNTS, (both_correct, b, c, both_wrong), strict=True))


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
    b = as_counts(only_a_correct, "only_a_correct")
    c = as_counts(only_b_correct, "only_b_correct")
    return two_by_two.pvalue(variant, b, c, alternative)


# Intervals


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
    counts = (both_correct, only_a_correct, only_b_correct, both_wrong)
    if sum(counts) == 0:
        raise ValueError(_NO_ROWS)
    tail = tail_probability(confidence_level, alternative)
    low, high = difference_limits(method, counts, tail, alternative)
    return ConfidenceInterval(low, high, confidence_level, method)


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
    b = only_a_correct
    c = only_b_correct
    tail = tail_probability(confidence_level, alternative)
    # Given that exactly one of the models is right, b ~ Bin(b + c, π), and b/c estimates π/(1 − π):
    # lower limits of π = P(A right | exactly one is right) and of 1 − π
    share = midp_lower([b, c], b + c, tail)
    lowest_a_to_b, lowest_b_to_a = (share / (1 - share)).tolist()
    low = 0.0
    high = math.inf
    if alternative != "less":
        low = lowest_a_to_b
    if alternative != "greater" and lowest_b_to_a > 0:
        high = 1 / lowest_b_to_a
    return ConfidenceInterval(low, high, confidence_level, "midp")


# Rows in groups


class ClusterPair:
    """Counts inside clusters of the rows that each of two models has right."""

    def __init__(self, a: BoolArray, b: BoolArray, clusters: Clusters) -> None:
        k = clusters.count
        cell = 2 * ~a + ~b  # 0: both right, 1: only A, 2: only B, 3: neither
        table = np.bincount(4 * clusters.codes + cell, minlength=4 * k).reshape(k, 4)
        self.clusters = clusters
        self.counts = _counts_by_name(*table.sum(axis=0).tolist())
        self.only_a: FloatArray = table[:, 1].astype(float)  # (K,)
        self.only_b: FloatArray = table[:, 2].astype(float)
        self.sums: FloatArray = self.only_a - self.only_b  # D_k
        self.discordant: FloatArray = self.only_a + self.only_b
        self.moments = moments(self.sums, self.discordant.sum(), clusters)
        informative = int(np.count_nonzero(self.discordant))
        self.dependence = dependence_of(self.moments, informative, clusters)


def _test_in_groups(
    pair: ClusterPair,
    variant: str,
    alternative: Alternative,
    confidence_level: float,
    ci_method: str,
) -> ClusteredResult:
    """Test Σ D_k by sign flips, or the mean difference by t with a robust standard error."""
    clusters = pair.clusters
    test = GroupTest(clusters, pair.sums, pair.dependence, variant, alternative, confidence_level)
    status = test.status
    if not pair.discordant.any():
        status = Status.NO_DISCORDANT_PAIRS

    ci = None
    bounds = None
    if clusters.count > 1 and ci_method == "robust_t":
        ci = test.by_t.interval(confidence_level, alternative, "robust_t")
    elif clusters.count > 1:
        ci = _newcombe_effective(pair, confidence_level, alternative)
    if ci_method == HULL and not clusters.trivial:
        bounds = (-1.0, 1.0)

    log_ratio = _log_odds_ratio(pair)
    ratio_low = 0.0
    ratio_high = math.inf
    if not math.isnan(log_ratio.se):
        log_limits = log_ratio.limits(confidence_level, alternative)
        # e to the limits, infinite where math.exp fails
        ratio_low, ratio_high = special.inv_boxcox(log_limits, 0.0).tolist()
    details = {
        **_accuracies(pair.counts),
        "pvalue_exact": test.tails.pvalue(alternative, exact=True),
        "se_cr0": math.sqrt(float(pair.moments.variance_cr0)),
        "se_cr1": math.sqrt(float(pair.moments.variance_cr1)),
        "odds_ratio_se_log": log_ratio.se,
        "odds_ratio_ci": (ratio_low, ratio_high),
    }
    return test.result(
        details,
        ci,
        bounds,
        status=status,
        effect_sizes=discordant_sizes(pair.counts["only_a_correct"], pair.counts["only_b_correct"]),
        null_hypothesis="Exchanging the two fitted models in a whole group changes nothing: they "
        "are equally accurate on the population that the groups were drawn from.",
    )


def _newcombe_effective(
    pair: ClusterPair, confidence_level: float, alternative: Alternative
) -> ConfidenceInterval:
    """Newcombe's (1998) interval on the counts over the design effect, with a t quantile."""
    # as if N/design effect independent rows had been seen, in the same shares
    effective = [count / pair.dependence.design_effect for count in pair.counts.values()]
    tail = tail_probability(confidence_level, alternative)
    normal_tail = float(equivalent_tail(pair.dependence.df, tail))
    low, high = difference_limits("newcombe", effective, normal_tail, alternative)
    return ConfidenceInterval(low, high, confidence_level, "newcombe_effective")


def _log_odds_ratio(pair: ClusterPair) -> Estimate:
    """Return log(b/c) with its standard error by linearisation over groups; NaN if unknown."""
    b = pair.counts["only_a_correct"]
    c = pair.counts["only_b_correct"]
    k = pair.clusters.count
    if b == 0 or c == 0 or k < 2:
        return Estimate(value=math.nan, se=math.nan)
    # group k adds b_k/b − c_k/c to log b − log c, to first order
    parts = pair.only_a / b - pair.only_b / c
    variance = k / (k - 1) * float(np.square(parts).sum())
    return Estimate(value=math.log(b / c), se=math.sqrt(variance), df=k - 1.0)


# Equivalence and non-inferiority by Tango's score test


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
    if groups is None:
        return _score_tests(paired_counts(a, b), margin, alpha)
    pair = ClusterPair(a, b, units)
    return _score_tests_in_groups(pair, margin, alpha, sides=2)


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
    _, units = row_units(len(a), groups, correct_a=correct_a)
    pair = ClusterPair(a, b, units)
    return _score_tests_in_groups(pair, margin, alpha, sides=1)


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
    counts = _counts_by_name(both_correct, only_a_correct, only_b_correct, both_wrong)
    if sum(counts.values()) == 0:
        raise ValueError(_NO_ROWS)
    return _score_tests(counts, margin, alpha)


def _score_tests(counts: Mapping[str, int], margin: float, alpha: float) -> EquivalenceResult:
    """Test both margins on independent rows."""
    b = counts["only_a_correct"]
    c = counts["only_b_correct"]
    n = sum(counts.values())
    # z(δ) = (b − c − nδ)/√(n(2q + δ(1 − δ))) with q = P(only B right) estimated under acc_A − acc_B
    # = δ; lower: H0 δ ≤ −margin, upper: H0 δ ≥ margin
    z_lower, z_upper = tango_statistic(b, c, n, np.array([-margin, margin])).tolist()
    p_lower = Estimate(value=z_lower, se=1.0).pvalue("greater")
    p_upper = Estimate(value=z_upper, se=1.0).pvalue("less")
    # standard error of (b − c)/n
    se = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n
    return conclude(
        statistics=(z_lower, z_upper),
        pvalues=(p_lower, p_upper),
        margin=margin,
        alpha=alpha,
        what=_ACCURACIES,
        details={**counts, "se": se},
        variant="score",
        estimate=(b - c) / n,
        ci=_tango_interval(counts, alpha, alpha, "tango"),
        n=n,
        assumptions=(INDEPENDENT_ROWS,),
    )


def _score_tests_in_groups(
    pair: ClusterPair, margin: float, alpha: float, sides: int
) -> ClusteredEquivalenceResult:
    """Test both margins or, of one side, the lower one, over √(design effect) (Liu et al. 2002)."""
    b = pair.counts["only_a_correct"]
    c = pair.counts["only_b_correct"]
    n = pair.clusters.n
    df = pair.dependence.df
    effect = _cautious_design_effect(pair.dependence, pair.clusters)
    z = tango_statistic(b, c, n, np.array([-margin, margin]))
    t_lower, t_upper = (z / math.sqrt(effect)).tolist()
    p_lower = Estimate(value=t_lower, se=1.0, df=df).pvalue("greater")
    p_upper = Estimate(value=t_upper, se=1.0, df=df).pvalue("less")

    too_few = too_few_degrees(df)
    status = Status.TOO_FEW
    ci = None
    if not too_few:
        status = Status.OK
        # Tango's limits at the quantile t·√(design effect)
        quantile = float(special.stdtrit(df, alpha)) * math.sqrt(effect)
        ci = _tango_interval(pair.counts, float(special.ndtr(quantile)), alpha, "tango_effective")
    variant = ""
    if sides == 2:
        variant = "score_effective"
    about_groups = {
        **pair.dependence.worth,
        "design_effect": effect,
        "n_effective": n / effect,
    }
    result = conclude(
        statistics=(t_lower, t_upper),
        pvalues=(p_lower, p_upper),
        margin=margin,
        alpha=alpha,
        what=_ACCURACIES,
        details={
            **pair.counts,
            "formula_pvalue_lower": p_lower,
            "formula_pvalue_upper": p_upper,
            "design_effect_raw": pair.dependence.design_effect_raw,
        },
        sides=sides,
        kind=ClusteredEquivalenceResult,
        variant=variant,
        df=df,
        estimate=(b - c) / n,
        ci=ci,
        status=status,
        assumptions=(independent_clusters(pair.clusters), enough_degrees(pair.clusters, df)),
        method="liu2002",
        **about_groups,
    )
    assert isinstance(result, ClusteredEquivalenceResult)
    if too_few:
        return dataclasses.replace(result, **UNDECIDED)
    return result


def _cautious_design_effect(dependence: Dependence, clusters: Clusters) -> float:
    """Return the design effect, no less than 1 + (Σn_k²/N − 1)·max(icc, 0)."""
    # the variance over that of independent rows, where rows of one group correlate by icc
    icc = dependence.icc
    if math.isnan(icc) or icc < 0:
        icc = 0.0
    weighted_size = float(np.square(clusters.sizes).sum()) / clusters.n
    return max(dependence.design_effect, 1 + (weighted_size - 1) * icc)


def _tango_interval(
    counts: Mapping[str, int], tail: float, alpha: float, method: str
) -> ConfidenceInterval:
    low, high = difference_limits("tango", counts.values(), max(tail, _SMALLEST_TAIL))
    return ConfidenceInterval(low, high, 1 - 2 * alpha, method)
