"""Power, sample size and detectable difference agree with each other and with simulation."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.stats.power import TTestPower

from bakeoff import stats
from bakeoff.stats import FiveByTwoPower, McNemarPower, MetricPower
from bakeoff.stats.core.citations import BIBTEX

VARIANTS = ("midp", "exact", "asymptotic", "corrected")
SIDES = ("two-sided", "greater", "less")


SITUATIONS = [
    (McNemarPower(discordance=0.12), 500, SIDES),
    (McNemarPower(discordance=0.12, calculation="normal"), 500, SIDES),
    (MetricPower(sd=0.4), 300, SIDES),
    (FiveByTwoPower(discordance=0.1), 2000, SIDES[:1]),
]


@pytest.mark.parametrize(
    ("test", "n", "side"), [(test, n, side) for test, n, sides in SITUATIONS for side in sides]
)
def test_one_solver_finds_whichever_is_missing(test, n, side):
    seen = test.solve(n=n, power=0.8, alternative=side)
    assert (seen.difference < 0, seen.method in BIBTEX) == (side == "less", True)
    assert seen.power == pytest.approx(0.8, abs=1e-3)
    again = test.solve(n=n, difference=seen.difference, alternative=side)
    assert again.power == pytest.approx(seen.power)
    needed = test.solve(difference=seen.difference * (1 + 1e-6), power=0.8, alternative=side)
    assert needed.n == pytest.approx(n, rel=0.06)
    assert needed.power >= 0.8 - 1e-9


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", SIDES)
def test_exact_power_enumerates_every_table(variant, side):
    n = 25
    p10 = 0.35
    p01 = 0.1
    b, c = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    rejected = stats.mcnemar_pvalues(b, c, variant=variant, alternative=side) <= 0.05
    chances = scipy_stats.multinomial.pmf(
        np.stack([b, c, n - b - c], 1), n, [p10, p01, 1 - p10 - p01]
    )
    test = McNemarPower(discordance=p10 + p01, variant=variant)
    plan = test.solve(n=n, difference=p10 - p01, alternative=side)
    assert plan.power == pytest.approx(chances[rejected].sum(), rel=1e-9)


def test_normal_power_is_connors_formula():
    delta = 0.03
    psi = 0.1
    n = 1000
    z = scipy_stats.norm.isf(0.025)
    sd = math.sqrt(psi - delta**2)
    test = McNemarPower(discordance=psi, calculation="normal")
    plan = test.solve(n=n, difference=delta)
    shift = math.sqrt(n) * delta - z * math.sqrt(psi)
    assert plan.power == pytest.approx(scipy_stats.norm.cdf(shift / sd))
    rows = (z * math.sqrt(psi) + scipy_stats.norm.isf(0.2) * sd) ** 2 / delta**2
    assert test.solve(difference=delta, power=0.8).n == math.ceil(rows)
    exact = McNemarPower(discordance=psi).solve(n=n, difference=delta)
    assert exact.power == pytest.approx(plan.power, abs=0.02)
    few = McNemarPower(discordance=0.5).solve(n=4, power=0.8)
    assert (math.isnan(few.difference), few.power < 0.8) == (True, True)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.1), (-0.2, 0.3), (0.6, 0.6)])
def test_sample_size_is_the_first_that_suffices(variant, difference, discordance):
    test = McNemarPower(discordance=discordance, variant=variant)
    plan = test.solve(difference=difference, power=0.8)
    powers = {i: test.solve(n=plan.n + i, difference=difference).power for i in range(-1, 20)}
    assert plan.power == powers[0]
    assert powers.pop(-1) < 0.8
    assert min(powers.values()) >= 0.8


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("alpha", [0.05, 0.001, 1e-12])
def test_smallest_discordant_count(variant, side, alpha):
    n_d = stats.smallest_discordant_count(alpha=alpha, variant=variant, alternative=side)
    won = np.array([n_d - 1, n_d])
    b, c = (0 * won, won) if side == "less" else (won, 0 * won)
    short, enough = stats.mcnemar_pvalues(b, c, variant=variant, alternative=side)
    assert short > alpha >= enough


def test_simulated_power_is_seeded_and_that_of_an_independent_route():
    """F from the definition, fold by fold, with another generator."""
    one, again, other = (
        FiveByTwoPower(sd=0.01, seed=seed).solve(n=1, difference=0.02) for seed in (1, 1, 2)
    )
    assert one == again != other
    error = math.sqrt(one.power * (1 - one.power) / 20_000)
    assert one.monte_carlo_error == pytest.approx(error)
    d = 0.02 + 0.01 * np.random.default_rng(99).normal(size=(20_000, 5, 2))
    s2 = ((d - d.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
    f = (d**2).sum(axis=(1, 2)) / (2 * s2.sum(axis=1))
    rejected = (f >= scipy_stats.f.isf(0.05, 10, 5)).mean()
    assert [one.power, other.power] == pytest.approx([rejected] * 2, abs=7.5 * error)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_what_an_interval_finds_is_what_its_noise_finds(power):
    z = scipy_stats.norm.isf(0.025)
    found = stats.detectable_difference(0.02, level=0.975, power=power)
    assert scipy_stats.norm.sf(z - found / (0.02 / z)) == pytest.approx(power)
    few = stats.detectable_difference(0.02, level=0.975, power=power, df=5)
    t = scipy_stats.t(5)
    assert few / 0.02 == pytest.approx(1 + t.ppf(power) / t.isf(0.025))


@pytest.mark.parametrize("n", [6, 40])
def test_power_of_a_metric_is_that_of_students_t(n):
    found = MetricPower(sd=0.5).solve(n=n, difference=0.4).power
    assert found == pytest.approx(TTestPower().power(0.8, n, 0.05, df=n - 1), abs=1e-6)
