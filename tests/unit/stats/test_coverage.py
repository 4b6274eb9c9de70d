"""How often the intervals hold the truth: by enumeration where there are tables, else simulated."""

import numpy as np
import pytest
from scipy import stats

from bakeoff.stats import (
    proportion_ci,
)
from bakeoff.stats.rows.mcnemar import difference_bounds, paired_odds_ratio_ci

N = 20
# every table of N rows: both right, only A, only B, both wrong
TABLES = np.array(
    [
        (a, b, c, N - a - b - c)
        for a in range(N + 1)
        for b in range(N + 1 - a)
        for c in range(N + 1 - a - b)
    ]
)
WORLDS = [
    (0.60, 0.10, 0.10, 0.20),
    (0.80, 0.05, 0.05, 0.10),
    (0.30, 0.30, 0.10, 0.30),
    (0.70, 0.20, 0.02, 0.08),
    (0.50, 0.25, 0.25, 0.00),
    (0.20, 0.50, 0.10, 0.20),
]


def coverage(low, high, truth):
    """Probability in each world that the interval of the table holds the truth there."""
    held = []
    for world in WORLDS:
        value = truth(*world)
        inside = (low <= value + 1e-12) & (value <= high + 1e-12)
        held.append(stats.multinomial.pmf(TABLES, N, world)[inside].sum())
    return np.array(held)


def of_difference(method):
    if method != "exact_melded":
        low, high = difference_bounds(*TABLES.T, method=method)
    else:  # made one at a time, from b, c and n alone
        found, place = np.unique(TABLES[:, 1:3], axis=0, return_inverse=True)
        rest = N - found.sum(axis=1)
        bounds = difference_bounds(rest, *found.T, np.zeros_like(rest), method=method)
        low, high = (limit[place] for limit in bounds)
    return coverage(low, high, lambda a, b, c, d: b - c)


@pytest.mark.parametrize("method", ["newcombe", "tango"])
def test_intervals_of_the_difference_hold_their_level_about(method):
    held = of_difference(method)
    assert held.min() >= 0.92
    assert held.mean() >= 0.945


def test_exact_melded_interval_never_falls_below_its_level():
    assert of_difference("exact_melded").min() >= 0.95


def test_interval_of_the_odds_ratio():
    found, place = np.unique(TABLES[:, 1:3], axis=0, return_inverse=True)
    limits = [tuple(paired_odds_ratio_ci(only_a_correct=b, only_b_correct=c)) for b, c in found]
    low, high = np.array(limits)[place].T
    assert coverage(low, high, lambda a, b, c, d: b / c).min() >= 0.94


@pytest.mark.parametrize(
    ("method", "least", "mean"),
    [
        ("clopper_pearson", 0.95, 0.95),
        ("wilson_cc", 0.95, 0.95),
        ("wilson", 0.83, 0.945),
        ("agresti_coull", 0.93, 0.945),
        ("jeffreys", 0.86, 0.945),
    ],
)
def test_intervals_of_a_proportion(method, least, mean):
    low, high = np.transpose([tuple(proportion_ci(x, 30, method=method)) for x in range(31)])
    rates = np.linspace(0.005, 0.995, 199)[:, None]
    held = (stats.binom.pmf(np.arange(31), 30, rates) * ((low <= rates) & (rates <= high))).sum(1)
    assert held.min() >= least
    assert held.mean() >= mean
