"""What printed numbers allow: against the enumeration of every table."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bakeoff.stats import (
    Rounded,
    accuracy_claim,
    area_claim,
    f1_claim,
    mcnemar_from_counts,
    paired_difference_ci,
)


def printed(share: Fraction, digits: int) -> str:
    return f"{float(round(share, digits)):.{digits}f}"


def all_tables(n: int, a: Rounded, b: Rounded, agree: Rounded | None) -> list[tuple[int, ...]]:
    half = [Fraction(1, 2 * 10**x.digits) if x else Fraction(0) for x in (a, b, agree)]
    found = []
    for both in range(n + 1):
        for only_a in range(n + 1 - both):
            for only_b in range(n + 1 - both - only_a):
                shares = [
                    Fraction(both + only_a, n),
                    Fraction(both + only_b, n),
                    Fraction(n - only_a - only_b, n),
                ]
                wanted = [Fraction(x.value) if x else s for x, s in zip((a, b, agree), shares)]  # noqa: B905
                if all(abs(s - w) <= h for s, w, h in zip(shares, wanted, half, strict=True)):
                    found.append((both, only_a, only_b, n - both - only_a - only_b))
    return found


@pytest.mark.parametrize("variant", ["midp", "exact", "asymptotic", "corrected"])
@pytest.mark.parametrize(
    ("a", "b", "agree"),
    [("0.8", "0.7", None), ("0.85", "0.80", None), ("0.8", "0.8", "0.9"), ("0.6", "0.9", "0.7")],
)
def test_ranges_are_those_of_every_table(variant: str, a: str, b: str, agree: str | None) -> None:
    claim = accuracy_claim(a, b, n=20, agree=agree, variant=variant)
    limits = None if agree is None else Rounded.of(agree)
    tables = all_tables(20, Rounded.of(a), Rounded.of(b), limits)
    assert tables
    names = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
    counts = [dict(zip(names, cells, strict=True)) for cells in tables]
    p = [mcnemar_from_counts(**table, variant=variant).pvalue for table in counts]
    false = [stats.beta.cdf(0.5, t[1] + 1, t[2] + 1) for t in tables]
    ci = [paired_difference_ci(**table, method="tango") for table in counts]
    assert claim.pvalue == pytest.approx((min(p), max(p)), abs=1e-12)
    assert claim.p_false == pytest.approx((min(false), max(false)), abs=1e-12)
    assert claim.ci == pytest.approx((min(i.low for i in ci), max(i.high for i in ci)), abs=1e-9)
    assert claim.tables["best"].p_false == pytest.approx(min(false))
    assert claim.tables["worst"].p_false == pytest.approx(max(false))
    discordant = {(table.only_a_correct, table.only_b_correct) for table in claim.tables.values()}
    assert discordant <= {(t[1], t[2]) for t in tables}


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 2000), st.integers(1, 4), st.data())
def test_counts_are_those_that_are_printed_so(n: int, digits: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    found = Rounded.of(printed(Fraction(k, n), digits)).counts(n)
    assert k in found
    for other in (found[0] - 1, found[-1] + 1):
        if 0 <= other <= n:
            distance = abs(Fraction(other, n) - Fraction(printed(Fraction(k, n), digits)))
            assert distance > Fraction(1, 2 * 10**digits)


@settings(deadline=None, max_examples=50)
@given(st.integers(10, 400), st.data())
def test_a_real_table_is_always_within(n: int, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, n), min_size=3, max_size=3)))
    both, only_a, only_b = cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1]
    a, b = printed(Fraction(both + only_a, n), 2), printed(Fraction(both + only_b, n), 2)
    claim = accuracy_claim(a, b, n=n)
    assert not claim.impossible
    p = mcnemar_from_counts(
        both_correct=both, only_a_correct=only_a, only_b_correct=only_b, both_wrong=n - cuts[2]
    ).pvalue
    assert claim.pvalue[0] - 1e-12 <= p <= claim.pvalue[1] + 1e-12


def test_impossible_numbers() -> None:
    assert accuracy_claim("0.873", "0.85", n=60).impossible == {"a": (52, 53)}
    assert accuracy_claim("0.87", "0.83", n=60, agree="0.9999").impossible == {"agree": (59, 60)}
    assert accuracy_claim("0.90", "0.80", n=100, agree="0.95").impossible == {"agree": (95, 95)}


def test_printed_digits_count() -> None:
    assert list(Rounded.of("0.87").counts(500)) == [433, 434, 435, 436, 437]
    assert list(Rounded.of("0.870").counts(500)) == [435]
    assert Rounded.of("87.0%") == Rounded.of("0.870")
    assert list(Rounded.of("1.0").counts(30)) == [29, 30]  # 29/30 = 0.967
    assert list(Rounded.of("0.5", digits=2).counts(100)) == [50]


@pytest.mark.parametrize("wrong", ["x", "87", "-0.1", "nan", "1.5", None])
def test_a_share_is_a_share(wrong: str) -> None:
    with pytest.raises(ValueError, match="found"):
        Rounded.of(wrong)
    with pytest.raises(ValueError, match="per cent write 87%"):
        Rounded.of("87")
    with pytest.raises(ValueError, match="digits"):
        Rounded.of("0.123", digits=2)


def test_most_discordant_rows_by_hand() -> None:
    # 10 of 10 wins: p = 2/1024 − 1/1024; 17:7 has 24 discordant rows, p .0433; 18:8 has p .0510
    claim = accuracy_claim("0.870", "0.850", n=500)
    assert claim.most_discordant == 24
    assert claim.tables["best"].pvalue == pytest.approx(1 / 1024)
    assert accuracy_claim("0.85", "0.85", n=500).most_discordant is None


def test_rows_needed_is_connors() -> None:
    claim = accuracy_claim("0.870", "0.850", n=500)
    psi, d = 140 / 500, 0.02
    z = stats.norm.ppf([0.975, 0.8])
    rows = ((z[0] * math.sqrt(psi) + z[1] * math.sqrt(psi - d**2)) / d) ** 2
    assert claim.tables["worst"].rows_needed == pytest.approx(rows, abs=21)


def test_hundred_thousand_rows() -> None:
    claim = accuracy_claim("0.87", "0.85", n=100_000)
    assert claim.right_a == (86_500, 87_500)
    assert claim.pvalue[1] == pytest.approx(
        mcnemar_from_counts(
            both_correct=72_000, only_a_correct=14_500, only_b_correct=13_500, both_wrong=0
        ).pvalue
    )


def test_f1_by_every_table() -> None:
    positives, negatives = 12, 15
    for f1 in ("0.55", "0.8", "0.00", "1.0", "0.999"):
        number = Rounded.of(f1)
        half = Fraction(1, 2 * 10**number.digits)
        tables = [
            (tp, fp)
            for tp in range(positives + 1)
            for fp in range(negatives + 1)
            if abs(Fraction(2 * tp, positives + tp + fp) - Fraction(number.value)) <= half
        ]
        found = f1_claim(f1, positives=positives, negatives=negatives)
        assert found.possible == bool(tables)
        if tables:
            sensitivity = [tp / positives for tp, _ in tables]
            precision = [tp / max(tp + fp, 1) for tp, fp in tables]
            accuracy = [(tp + negatives - fp) / 27 for tp, fp in tables]
            assert found.sensitivity == pytest.approx((min(sensitivity), max(sensitivity)))
            assert found.precision == pytest.approx((min(precision), max(precision)))
            assert found.accuracy == pytest.approx((min(accuracy), max(accuracy)))


def test_area_standard_error_is_that_of_exponential_scores() -> None:
    # negatives Exp(1), positives Exp with mean θ: the area is θ/(1 + θ); Q1 = P(both > one)
    area, p, n = 0.8, 30, 50
    theta = area / (1 - area)
    q1 = integrate.quad(lambda x: math.exp(-2 * x / theta - x), 0, np.inf)[0]
    q2 = integrate.quad(lambda y: (1 - math.exp(-y)) ** 2 * math.exp(-y / theta) / theta, 0, 200)[0]
    variance = area * (1 - area) + (p - 1) * (q1 - area**2) + (n - 1) * (q2 - area**2)
    found = area_claim("0.8", "0.7", positives=p, negatives=n)
    assert found.se_a == pytest.approx(math.sqrt(variance / (p * n)), rel=1e-6)


def test_area_correlation_makes_the_difference_just_significant() -> None:
    found = area_claim("0.91", "0.88", positives=60, negatives=140, alpha=0.05)
    r = found.correlation_needed
    spread = math.sqrt(found.se_a**2 + found.se_b**2 - 2 * r * found.se_a * found.se_b)
    assert 2 * stats.norm.sf(0.03 / spread) == pytest.approx(0.05)
    assert area_claim("0.9", "0.5", positives=60, negatives=140).correlation_needed == 0
    assert math.isnan(area_claim("0.9", "0.9", positives=60, negatives=140).correlation_needed)
    assert area_claim("0.91", "0.88", positives=2, negatives=3).impossible == ("a", "b")
