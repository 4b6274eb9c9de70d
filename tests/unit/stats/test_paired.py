"""McNemar's test and its intervals: identities, oracles and corners."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.stats import mcnemar, mcnemar_from_counts, mcnemar_pvalues
from bakeoff.stats.core.two_by_two import VARIANTS
from bakeoff.stats.rows.mcnemar import (
    paired_difference_ci,
    paired_odds_ratio_ci,
)

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


tables = st.tuples(*[st.integers(0, 80)] * 4).filter(lambda t: sum(t) > 0)


def difference_ci(a, b, c, d, **options):
    return paired_difference_ci(
        both_correct=a, only_a_correct=b, only_b_correct=c, both_wrong=d, **options
    )


def ratio_ci(b, c, **options):
    return paired_odds_ratio_ci(only_a_correct=b, only_b_correct=c, **options)


@given(tables, st.sampled_from([0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=100)
def test_test_and_interval_agree_where_theory_says_so(table, level):
    _, b, c, _ = table
    alpha = 1 - level
    pairs = [
        ("asymptotic", difference_ci(*table, method="tango", confidence_level=level), 0.0),
        ("exact", difference_ci(*table, method="exact_melded", confidence_level=level), 0.0),
        ("midp", ratio_ci(b, c, confidence_level=level), 1.0),
    ]
    for variant, (low, high), null in pairs:
        p = float(mcnemar_pvalues(b, c, variant=variant))
        if abs(p - alpha) > 1e-7:
            assert (p < alpha) == (not low <= null <= high)


@pytest.mark.parametrize("method", ["newcombe", "tango", "exact_melded"])
def test_a_million_rows(method):
    low, high = difference_ci(4_000_000, 500_500, 499_500, 10, method=method)
    assert 0.0002 - 0.0004 < low < 0.0002 < high < 0.0002 + 0.0004


def test_a_difference_of_one_has_the_limit_one():
    assert difference_ci(0, 12, 0, 0, method="tango").high == 1
    assert difference_ci(0, 0, 12, 0, method="tango").low == -1
