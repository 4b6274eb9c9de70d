"""McNemar's test: worked numbers, identities, oracles and corners."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.stats import mcnemar, mcnemar_from_counts, mcnemar_pvalues
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


@given(cells, st.sampled_from(VARIANTS), st.sampled_from(SIDES))
@settings(deadline=None, max_examples=60)
def test_rows_and_counts_agree(table, variant, side):
    from_rows = mcnemar(*rows(*table), variant=variant, alternative=side)
    assert from_rows.to_dict() == run(*table, variant=variant, alternative=side).to_dict()


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
