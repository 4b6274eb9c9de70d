import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import signal

from bakeoff import stats
from bakeoff.stats import Status
from bakeoff.stats.design import clusters
from bakeoff.stats.rows.ordered import (
    cosine_count,
    cosine_transform,
    diebold_mariano_means_pairs,
    diebold_mariano_pairs,
)


def series(seed, n=120, phi=0.5):
    return signal.lfilter([1], [1, -phi], np.random.default_rng(seed).normal(size=n))


def test_powers_are_not_rounded_down_by_floats():
    assert [cosine_count(n) for n in (31, 32, 1000)] == [3, 4, 40]


def test_order_of_rows_does_not_matter_where_times_are_given():
    d = series(0)
    times = np.arange(120)
    order = np.random.default_rng(1).permutation(120)
    first = stats.diebold_mariano_means(d, np.zeros(120), time=times)
    second = stats.diebold_mariano_means(d[order], np.zeros(120), time=times[order])
    assert first.pvalue == second.pvalue
    shuffled = stats.diebold_mariano_means(d[order], np.zeros(120))
    assert shuffled.pvalue != first.pvalue


def test_times_and_rows_that_swing_back_are_worth_no_more_than_they_are():
    d = np.tile([1.0, -1.0, 0.5, -0.7], 80) + np.random.default_rng(2).normal(size=320) / 3
    for variant in ("ewc_corrected", "hln"):  # they have a small long-run variance
        result = stats.diebold_mariano_means(d, np.zeros(320), variant=variant)
        assert math.isnan(result.n_effective) or result.n_effective <= 320
    right = np.ones((200, 2))
    right[::2, 0] = right[1::2, 1] = 0
    found = stats.order_dependence(right)
    assert (found.autocorrelation < 0, found.n_effective) == (True, 200)


def test_correction_is_the_mean_over_grid_of_persistence_and_share():
    # B = ⌊0.4·60^⅔⌋ cosines are averaged, J = min(6B, T/2) compared
    n = 60
    first = 6
    used = 30
    r = series(15, n, phi=0.6)
    r -= r.mean()
    squares = np.square(cosine_transform(r)[:used])
    frequency = np.pi * np.arange(1, used + 1) / n
    lags = np.arange(1, n)
    grid = product((0.5, 0.3, 0.2, 0.1), (0.05, 0.1, 0.2, 0.4, 0.7, 1.0))
    fading, share = np.array([(1, 0), *grid]).T[:, :, None]
    phi = 1 - fading
    ar = (1 - phi**2) / np.abs(1 - phi * np.exp(1j * frequency)) ** 2
    spectra = share * ar + 1 - share
    scale = (squares / spectra).mean(axis=1, keepdims=True)
    likelihoods = np.prod(spectra * scale, axis=1) ** -0.5
    of_the_sum = 1 + share[:, 0] * 2 * ((1 - lags / n) * phi**lags).sum(axis=1)
    shortfalls = of_the_sum / spectra[:, :first].mean(axis=1)
    priors = np.where(share[:, 0], 0.5 / 24, 0.5)
    expected = np.average(shortfalls, weights=np.multiply(likelihoods, priors))
    found = stats.diebold_mariano_means(r, np.zeros(n)).details["persistence_factor"]
    assert found == pytest.approx(expected)
    assert expected > 1.05


def test_pairs_share_what_they_show_of_persistence():
    rng = np.random.default_rng(13)
    slow = np.stack([series(20 + m, 300, phi=0.9) for m in range(4)], axis=1)
    right = 0.3 * slow + rng.normal(size=(300, 4)) > -0.7
    pairs = list(combinations(range(4), 2))
    together = diebold_mariano_pairs(right, pairs)
    for (a, b), found in zip(pairs, together, strict=True):
        alone = stats.diebold_mariano(right[:, a], right[:, b])
        assert found.estimate == alone.estimate
        factor = found.details["persistence_factor"]
        assert factor >= alone.details["persistence_factor"]
    assert len({one.details["persistence_factor"] for one in together}) < len(pairs)
    (only,) = stats.all_pairs("diebold_mariano", right[:, 2:]).results
    assert only == stats.diebold_mariano(right[:, 2], right[:, 3])
    numbers = diebold_mariano_means_pairs(right.astype(float), pairs)
    assert [one.pvalue for one in numbers] == pytest.approx([one.pvalue for one in together])


def test_a_model_twice_says_nothing_of_the_others():
    rng = np.random.default_rng(14)
    right = rng.random((120, 3)) < 0.7
    right[:, 1] = right[:, 0]
    same, first, second = diebold_mariano_pairs(right, [(0, 1), (0, 2), (1, 2)])
    assert (same.status, same.pvalue) == (Status.IDENTICAL_SCORES, 1.0)
    assert same.details["persistence_factor"] == 1.0
    assert first.pvalue == second.pvalue


@pytest.mark.parametrize("at_once", [1 << 14, 33])
def test_neighbouring_disagreements_are_those_of_every_pair(monkeypatch, at_once):
    monkeypatch.setattr(clusters, "_ROWS_AT_ONCE", at_once)
    rng = np.random.default_rng(4)
    right = rng.random((200, 4)) < 0.7
    right[:, 1] = np.repeat(rng.random(40) < 0.6, 5)  # in runs of five rows
    y = rng.integers(0, 3, 200)
    found = stats.order_dependence(right, y)
    every = {}
    for a, b in combinations(range(4), 2):
        d = right[:, a].astype(float) - right[:, b]
        d -= np.array([d[y == c].mean() for c in range(3)])[y]
        every[a, b] = float(d[1:] @ d[:-1] / (d @ d))
    best = max(every, key=every.__getitem__)
    assert (found.model_a, found.model_b) == best
    assert found.autocorrelation == pytest.approx(every[best], abs=1e-12)
    assert found.pvalue < 1e-6
    assert found.n_effective == pytest.approx(200 * (1 - every[best]) / (1 + every[best]))


def test_rows_sorted_by_class_are_not_taken_for_dependent():
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 300)
    right = rng.random((600, 2)) < np.array([[0.9, 0.3], [0.3, 0.9]])[y]
    assert stats.order_dependence(right).pvalue < 1e-6
    assert stats.order_dependence(right, y).pvalue > 0.01
