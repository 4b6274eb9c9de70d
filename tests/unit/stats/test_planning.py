"""Power, sample size and detectable difference agree with each other and with simulation."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bakeoff.stats._power import fewest
from bakeoff.stats.citations import BIBTEX
from bakeoff.stats.metric_means import mean_difference
from bakeoff.stats.metric_planning import pilot_sd
from bakeoff.stats.paired import mcnemar_pvalues
from bakeoff.stats.planning import (
    mcnemar_detectable_difference,
    mcnemar_power,
    mcnemar_sample_size,
    smallest_discordant_count,
)
from bakeoff.stats.planning_clustered import expected_design_effect
from bakeoff.stats.planning_resampled import (
    cv5x2_f_detectable_difference,
    cv5x2_f_power,
    cv5x2_f_sample_size,
)

VARIANTS = ("midp", "exact", "asymptotic", "corrected")
SIDES = ("two-sided", "greater", "less")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", SIDES)
def test_exact_power_enumerates_every_table(variant, side):
    n, p10, p01 = 25, 0.35, 0.1
    total = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if float(mcnemar_pvalues(b, c, variant=variant, alternative=side)) <= 0.05:
                total += stats.multinomial.pmf([b, c, n - b - c], n, [p10, p01, 1 - p10 - p01])
    power = mcnemar_power(n=n, p10=p10, p01=p01, variant=variant, alternative=side).power
    assert power == pytest.approx(total, rel=1e-9)


@given(st.integers(1, 400), st.floats(0.01, 1.0), st.floats(0, 1), st.sampled_from(VARIANTS))
@settings(deadline=None, max_examples=60)
def test_power_is_symmetric_and_grows_with_the_level(n, discordance, share, variant):
    p10, p01 = discordance * share, discordance * (1 - share)
    power = mcnemar_power(n=n, p10=p10, p01=p01, variant=variant).power
    assert 0 <= power <= 1
    assert power == pytest.approx(mcnemar_power(n=n, p10=p01, p01=p10, variant=variant).power)
    assert power <= mcnemar_power(n=n, p10=p10, p01=p01, variant=variant, alpha=0.1).power
    sides = [
        mcnemar_power(n=n, p10=p, p01=q, variant=variant, alternative=side).power
        for p, q, side in [(p10, p01, "greater"), (p01, p10, "less")]
    ]
    assert sides[0] == pytest.approx(sides[1])


@pytest.mark.parametrize("variant", ["midp", "exact", "corrected"])
def test_power_under_the_null_is_the_size_of_the_test(variant):
    power = mcnemar_power(n=300, p10=0.1, p01=0.1, variant=variant).power
    assert 0.02 < power <= 0.05


def test_normal_power_is_connors_formula():
    delta, psi, n = 0.03, 0.1, 1000
    z = stats.norm.isf(0.025)
    expected = stats.norm.cdf(
        (math.sqrt(n) * delta - z * math.sqrt(psi)) / math.sqrt(psi - delta**2)
    )
    plan = mcnemar_power(n=n, difference=delta, discordance=psi, calculation="normal")
    assert plan.power == pytest.approx(expected)
    rows = (z * math.sqrt(psi) + stats.norm.isf(0.2) * math.sqrt(psi - delta**2)) ** 2 / delta**2
    size = mcnemar_sample_size(difference=delta, discordance=psi, calculation="normal")
    assert size.n == math.ceil(rows)
    exact = mcnemar_power(n=n, difference=delta, discordance=psi)
    assert exact.power == pytest.approx(plan.power, abs=0.02)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.1), (-0.2, 0.3), (0.6, 0.6)])
def test_sample_size_is_the_first_that_suffices(variant, difference, discordance):
    situation = {"difference": difference, "discordance": discordance, "variant": variant}
    plan = mcnemar_sample_size(power=0.8, **situation)
    assert plan.power >= 0.8
    assert mcnemar_power(n=plan.n - 1, **situation).power < 0.8
    assert all(mcnemar_power(n=plan.n + i, **situation).power >= 0.8 for i in range(1, 20))


@pytest.mark.parametrize("side", SIDES)
def test_detectable_difference_has_the_power(side):
    plan = mcnemar_detectable_difference(n=500, discordance=0.12, alternative=side)
    assert plan.power == pytest.approx(0.8, abs=1e-4)
    assert (plan.difference < 0) == (side == "less")
    again = mcnemar_power(n=500, difference=plan.difference, discordance=0.12, alternative=side)
    assert again.power == pytest.approx(plan.power)
    assert plan.method in BIBTEX


def test_nothing_is_detectable_with_a_handful_of_rows():
    plan = mcnemar_detectable_difference(n=4, discordance=0.5)
    assert math.isnan(plan.difference)
    assert plan.power < 0.8
    assert plan.details["discordance"] == 0.5


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("alpha", [0.05, 0.001, 1e-12])
def test_smallest_discordant_count(variant, side, alpha):
    n_d = smallest_discordant_count(alpha=alpha, variant=variant, alternative=side)
    sweep = [(0, k) if side == "less" else (k, 0) for k in (n_d - 1, n_d)]
    short, enough = (
        float(mcnemar_pvalues(b, c, variant=variant, alternative=side)) for b, c in sweep
    )
    assert short > alpha >= enough


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either"),
        ({"p10": 0.1}, "give either"),
        ({"p10": 0.1, "difference": 0.1}, "give either"),
        ({"p10": 0.1, "p01": 0.1, "difference": 0.0, "discordance": 0.2}, "give either"),
        ({"p10": 0.8, "p01": 0.3}, "p10, p01"),
        ({"p10": -0.1, "p01": 0.3}, "p10, p01"),
        ({"difference": 0.2, "discordance": 0.1}, "difference"),
        ({"difference": 0.0, "discordance": 0.0}, "discordance"),
        ({"p10": 0.2, "p01": 0.1, "alpha": 5}, "alpha"),
        ({"p10": 0.2, "p01": 0.1, "variant": "exact_unconditional"}, "variant"),
        ({"p10": 0.2, "p01": 0.1, "calculation": "asymptotic"}, "calculation"),
    ],
)
def test_impossible_situations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mcnemar_power(n=100, **options)


def test_hopeless_sample_sizes_are_refused():
    with pytest.raises(ValueError, match="no number of rows"):
        mcnemar_sample_size(p10=0.1, p01=0.1)
    with pytest.raises(ValueError, match="no number of rows"):
        mcnemar_sample_size(p10=0.1, p01=0.2, alternative="greater")
    with pytest.raises(ValueError, match="rows are needed"):
        mcnemar_sample_size(difference=1e-6, discordance=0.5, calculation="normal")
    with pytest.raises(ValueError, match="n: found 0"):
        mcnemar_power(n=0, p10=0.1, p01=0.2)


def test_simulated_power_is_seeded_and_states_its_error():
    options = {"difference": 0.02, "sd": 0.01, "n_simulations": 4000}
    one, again, other = (cv5x2_f_power(**options, seed=s) for s in (1, 1, 2))
    assert one == again
    assert one.power != other.power
    expected = math.sqrt(one.power * (1 - one.power) / 4000)
    assert one.monte_carlo_error == pytest.approx(expected)
    assert abs(one.power - other.power) < 5 * math.sqrt(2) * expected


def test_simulated_power_rises_with_the_difference():
    powers = [cv5x2_f_power(difference=d, sd=0.01).power for d in (0, 0.01, 0.02, 0.03, 0.1)]
    assert all(low < high for low, high in pairwise(powers))
    assert powers[0] < 0.05
    assert powers[-1] > 0.99


def test_simulation_by_an_independent_route():
    """F from the definition, fold by fold, with another generator."""
    rng = np.random.default_rng(99)
    d = 0.02 + 0.01 * rng.normal(size=(20_000, 5, 2))
    s2 = ((d - d.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
    f = (d**2).sum(axis=(1, 2)) / (2 * s2.sum(axis=1))
    rejected = (f >= stats.f.isf(0.05, 10, 5)).mean()
    plan = cv5x2_f_power(difference=0.02, sd=0.01)
    assert plan.power == pytest.approx(rejected, abs=5 * 1.5 * plan.monte_carlo_error)


def test_detectable_difference_and_sample_size_invert_the_power():
    by_sd = cv5x2_f_detectable_difference(sd=0.02, power=0.7)
    assert cv5x2_f_power(difference=by_sd.difference, sd=0.02).power == pytest.approx(0.7, abs=1e-3)
    by_rows = cv5x2_f_detectable_difference(n=2000, discordance=0.1)
    again = cv5x2_f_power(difference=by_rows.difference, n=2000, discordance=0.1)
    assert again.power == pytest.approx(0.8, abs=1e-3)
    size = cv5x2_f_sample_size(difference=by_rows.difference, discordance=0.1)
    assert size.n == pytest.approx(2000, abs=2)
    assert 0 < size.monte_carlo_error < 50


def test_monte_carlo_error_of_the_detectable_difference_is_honest():
    found = [
        cv5x2_f_detectable_difference(n=2000, discordance=0.1, n_simulations=2000, seed=s)
        for s in range(25)
    ]
    spread = np.std([p.difference for p in found], ddof=1)
    assert np.mean([p.monte_carlo_error for p in found]) == pytest.approx(spread, rel=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "sd"),
        ({"sd": 0.1, "n": 100, "discordance": 0.1}, "sd"),
        ({"n": 100}, "sd"),
        ({"sd": 0.0}, "sd"),
        ({"sd": 0.1, "correlation": 1.0}, "correlation"),
        ({"sd": 0.1, "n_simulations": 10}, "n_simulations"),
        ({"sd": 0.1, "alpha": 0.0}, "alpha"),
        ({"n": 1, "discordance": 0.1}, "n: found 1"),
        ({"n": 100, "discordance": 0.01}, "difference"),
        ({"n": 100, "discordance": 1.2}, "discordance"),
    ],
)
def test_wrong_simulation_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cv5x2_f_power(difference=0.02, **options)


@pytest.mark.parametrize("wanted", range(1, 30))
def test_the_fewest_with_a_power_are_found_from_any_start(wanted):
    for start in (1, 8, 20):
        found = fewest(lambda n: n / 100, wanted / 100, 0.1, start=start, most=100, unit="rows")
        assert found == wanted


def test_groups_of_one_row_have_no_design_effect():
    assert expected_design_effect(rows_per_group=1, icc=0.3) == 1
    with pytest.raises(ValueError, match=r"rows_per_group: found 0\.9, must be at least 1"):
        expected_design_effect(rows_per_group=0.9, icc=0.3)


@pytest.mark.parametrize("shift", [0, 1])
def test_a_pilot_without_a_spread_plans_nothing(shift):
    values = np.arange(10.0)
    with pytest.raises(ValueError, match=r"pilot: its status is .*, it has no standard error"):
        pilot_sd(mean_difference(values + shift, values))
