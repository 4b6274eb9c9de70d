"""McNemar's test: worked numbers, identities, oracles and corners."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.evaluate import mcnemar as mlxtend_mcnemar
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from bakeoff.stats import catalogue, mcnemar, mcnemar_from_counts, mcnemar_pvalues
from bakeoff.stats.core.citations import BIBTEX
from bakeoff.stats.core.two_by_two import DIFFERENCE_METHODS, VARIANTS

SIDES = ("two-sided", "greater", "less")
cells = st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 0)


def counts(a, b, c, d):
    return {"both_correct": a, "only_a_correct": b, "only_b_correct": c, "both_wrong": d}


def run(a, b, c, d, **options):
    return mcnemar_from_counts(**counts(a, b, c, d), **options)


def rows(a, b, c, d):
    return (
        np.repeat([True, True, False, False], [a, b, c, d]),
        np.repeat([True, False, True, False], [a, b, c, d]),
    )


@pytest.mark.parametrize(
    ("b", "c", "variant", "statistic", "pvalue"),
    [
        (22, 17, "asymptotic", 0.641026, 0.423340),
        (22, 17, "exact", 22, 0.522397),
        (25, 15, "asymptotic", 2.5, 0.113846),
        (11, 1, "asymptotic", 8.3333333, 0.003892),
        (2, 1, "exact", 2, 1.0),
        (5, 6, "midp", 5, 0.774414),
        (1, 1, "corrected", 0, 1.0),
        (5, 6, "corrected", 0, 1.0),
    ],
)
def test_worked_numbers(b, c, variant, statistic, pvalue):
    result = run(100, b, c, 10, variant=variant)
    assert result.statistic == pytest.approx(statistic, abs=1e-6)
    assert result.pvalue == pytest.approx(pvalue, abs=1e-6)


def test_one_sided_worked_numbers():
    asymptotic = run(116, 35, 1, 23, variant="asymptotic", alternative="greater")
    assert asymptotic.pvalue == pytest.approx(7.2801e-9, rel=1e-4)
    assert asymptotic.df is None
    midp = run(116, 35, 1, 23, alternative="greater")
    assert midp.pvalue == pytest.approx(2.7649e-10, rel=1e-4)


@given(cells, st.sampled_from(VARIANTS), st.sampled_from(SIDES))
@settings(deadline=None, max_examples=60)
def test_rows_and_counts_agree(table, variant, side):
    from_rows = mcnemar(*rows(*table), variant=variant, alternative=side)
    assert from_rows.to_dict() == run(*table, variant=variant, alternative=side).to_dict()


@given(cells, st.sampled_from(VARIANTS))
@settings(deadline=None, max_examples=60)
def test_swapping_the_models_flips_signs_and_keeps_p(table, variant):
    a, b, c, d = table
    options = {"variant": variant, "ci_method": "tango"}
    one, other = run(a, b, c, d, **options), run(a, c, b, d, **options)
    assert one.pvalue == pytest.approx(other.pvalue, abs=1e-14)
    assert one.estimate == -other.estimate
    assert (one.ci.low, one.ci.high) == pytest.approx((-other.ci.high, -other.ci.low))
    if b and c:
        low, high = other.odds_ratio_ci
        assert list(one.odds_ratio_ci) == pytest.approx([1 / high, 1 / low])
    if b + c:
        assert one.effect_sizes["cohens_g"] == pytest.approx(-other.effect_sizes["cohens_g"])
    greater = run(a, b, c, d, variant=variant, alternative="greater")
    less = run(a, c, b, d, variant=variant, alternative="less")
    assert greater.pvalue == pytest.approx(less.pvalue, abs=1e-14)


@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from(SIDES))
@settings(deadline=None, max_examples=100)
def test_pvalues_are_ordered_probabilities(b, c, side):
    p = {v: float(mcnemar_pvalues(b, c, variant=v, alternative=side)) for v in VARIANTS}
    assert all(0 <= v <= 1 for v in p.values())
    assert p["exact"] >= p["midp"] - 1e-15
    if side == "two-sided":
        assert p["corrected"] >= p["asymptotic"]


@given(st.integers(0, 40), st.integers(0, 40))
@settings(deadline=None, max_examples=60)
def test_against_rational_arithmetic(b, c):
    n = b + c
    pmf = [Fraction(math.comb(n, k), 2**n) for k in range(n + 1)]
    expected = {
        ("exact", "greater"): sum(pmf[b:]),
        ("midp", "greater"): sum(pmf[b:]) - pmf[b] / 2,
        ("exact", "less"): sum(pmf[: b + 1]),
        ("exact", "two-sided"): min(Fraction(1), 2 * sum(pmf[: min(b, c) + 1])),
        ("midp", "two-sided"): 2 * sum(pmf[: min(b, c) + 1]) - pmf[min(b, c)],
    }
    if n == 0 or b == c:
        expected["midp", "two-sided"] = Fraction(1)
    if n == 0:
        expected["midp", "greater"] = Fraction(1)  # 1/2 by the formula, 1 by convention
    for (variant, side), value in expected.items():
        found = float(mcnemar_pvalues(b, c, variant=variant, alternative=side))
        assert found == pytest.approx(float(value), rel=1e-12)


@given(cells.filter(lambda t: t[1] + t[2] > 0))
@settings(deadline=None, max_examples=60)
def test_against_statsmodels_and_mlxtend(table):
    a, b, c, d = table
    square = np.array([[a, b], [c, d]])
    exact = run(*table, variant="exact").pvalue
    assert exact == pytest.approx(statsmodels_mcnemar(square, exact=True).pvalue)
    plain = run(*table, variant="asymptotic")
    theirs = statsmodels_mcnemar(square, exact=False, correction=False)
    assert (plain.statistic, plain.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))
    chi2, p = mlxtend_mcnemar(square, corrected=b != c)  # theirs has 1/(b + c) for b = c
    corrected = run(*table, variant="corrected")
    assert (corrected.statistic, corrected.pvalue) == pytest.approx((chi2, p))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_degenerate_tables_give_no_evidence(variant, side, method):
    for a, d in [(20, 0), (0, 20), (13, 7), (1, 0), (0, 1)]:
        result = run(a, 0, 0, d, variant=variant, alternative=side, ci_method=method)
        assert result.status == "no_discordant_pairs"
        assert (result.statistic, result.pvalue, result.estimate) == (0, 1, 0)
        assert result.ci.low <= 0 <= result.ci.high
        assert list(result.odds_ratio_ci) == [0, math.inf]
        assert math.isnan(result.effect_sizes["odds_ratio"])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_single_row(variant):
    result = mcnemar([True], [False], variant=variant)
    assert result.n == result.n_discordant == 1
    assert result.effect_sizes["odds_ratio"] == math.inf
    assert result.pvalue > 0.3
    assert not result.assumptions[1].holds


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_million_discordant_pairs(variant):
    result = run(10, 500_500, 499_500, 10, variant=variant)
    assert result.pvalue == pytest.approx(0.3176, abs=2e-3)
    extreme = run(0, 600_000, 400_000, 0, variant=variant, alternative="greater")
    assert extreme.pvalue == 0.0
    assert extreme.status == "ok"


def test_smallest_pvalue_is_that_of_a_clean_sweep():
    assert run(50, 2, 2, 0).smallest_pvalue == pytest.approx(0.5**4)
    assert run(50, 2, 2, 0, variant="exact").smallest_pvalue == pytest.approx(0.5**3)
    assert run(50, 1, 3, 0, alternative="less").smallest_pvalue == pytest.approx(0.5**5)


def test_counting_every_row_twice_equals_duplicating_it():
    a, b = rows(30, 9, 4, 7)
    twice = mcnemar(np.repeat(a, 2), np.repeat(b, 2))
    assert twice.to_dict() == run(60, 18, 8, 14).to_dict()


def test_row_order_does_not_matter():
    a, b = rows(30, 9, 4, 7)
    order = np.random.default_rng(0).permutation(len(a))
    assert mcnemar(a, b).to_dict() == mcnemar(a[order], b[order]).to_dict()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (["cat", "dog"], ["cat", "cat"], "class labels"),
        ([0, 2], [0, 1], "class labels"),
        ([1.0, math.nan], [1, 0], "missing"),
        ([True, False], [True], "one length"),
        ([], [], "empty"),
        ([[True]], [[True]], "dimension"),
    ],
)
def test_wrong_rows_are_refused(a, b, message):
    with pytest.raises(ValueError, match=message):
        mcnemar(a, b)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ((0, 0, 0, 0), {}, "no rows"),
        ((-1, 2, 3, 4), {}, "both_correct"),
        ((1, 2.5, 3, 4), {}, "only_a_correct"),
        ((1, 2, math.nan, 4), {}, "only_b_correct"),
        ((1, 2, 3, "4"), {}, "both_wrong"),
        ((1, 2, 3, math.inf), {}, "both_wrong"),
        ((True, 2, 3, 4), {}, "both_correct"),
        ((1, 2, 3, 4), {"variant": "mid-p"}, "variant"),
        ((1, 2, 3, 4), {"alternative": "two.sided"}, "alternative"),
        ((1, 2, 3, 4), {"confidence_level": 95}, "confidence_level"),
        ((1, 2, 3, 4), {"ci_method": "wilson"}, "ci_method"),
        ((1, 2, 3, 4), {"alternative": "less", "confidence_level": 0.3}, "one-sided"),
    ],
)
def test_wrong_options_are_refused(table, options, message):
    with pytest.raises(ValueError, match=message):
        run(*table, **options)


def test_result_flattens():
    row = run(329, 22, 17, 63).to_row()
    assert row["n_discordant"] == 39
    assert row["effect_odds_ratio"] == pytest.approx(22 / 17)


def test_registered_with_a_known_source():
    entry = catalogue()["mcnemar"]
    assert entry.function is mcnemar
    assert all(run(5, 3, 2, 1, variant=v).method in BIBTEX for v in VARIANTS)
