"""Rows in groups, and rows in time: thousands of replications in one array."""

from __future__ import annotations

import itertools

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.core.distributions import wilson
from bakeoff.stats.core.two_by_two import midp_pvalue
from bakeoff.stats.design.clusters import (
    Clusters,
    Moments,
    degrees_of_freedom,
    design_effect,
    equivalent_tail,
    moments,
)
from bakeoff.stats.design.groups import flip_tails
from bakeoff.stats.rows import ordered
from bakeoff.stats.rows.mcnemar import DIFFERENCE_METHODS
from benchmarks.dependent.draw import SHARED, cut, margins, own_correlation, sizes
from benchmarks.harness import Array

ALPHA = 0.05
_NUMBERS = 6_000_000  # at work at a time


def pair_rates(
    rng: np.random.Generator,
    groups: int,
    mean: int,
    shape: str,
    icc: float,
    accuracy: float,
    runs: int,
    *,
    difference: float = 0.0,
    effects: str = "normal",
) -> dict[str, float]:
    """Return rejection rates of two-sided tests at .05 of a true null, coverage of 95 % intervals.

    With a `difference` model A is that much worse, and the rates are of coverage alone.
    """
    counts = sizes(groups, mean, shape)
    codes = np.repeat(np.arange(groups), counts)
    clusters = Clusters(codes, counts.astype(float))
    own = own_correlation(icc, accuracy, effects)
    limits = [cut(p, own, effects, SHARED) for p in (accuracy - difference, accuracy)]
    cells = []
    block = max(1, _NUMBERS // (3 * len(codes)))
    for start in range(0, runs, block):
        z = margins(rng, codes, 2, own, min(block, runs - start), effects=effects)
        a, b = z[:, 0] > limits[0], z[:, 1] > limits[1]
        cells.append(np.stack([clusters.sums(v) for v in (a & b, a & ~b, b & ~a)]))
    both, wins, losses = np.concatenate(cells, axis=2)
    covered = pair_coverage(both, wins, losses, clusters, -difference)
    return covered if difference else pair_rejections(wins, losses, clusters) | covered


def pair_rejections(wins: Array, losses: Array, clusters: Clusters) -> dict[str, float]:
    """Return rejection rates from the rows (K, runs) that only A and only B has right."""
    sums, b, c = wins - losses, wins.sum(axis=0), losses.sum(axis=0)
    groups, found = clusters.count, moments(sums, b + c, clusters)
    tails = [flip_tails(of_run, n_resamples=0, seed=0) for of_run in sums.T]
    df = degrees_of_freedom(clusters.shares)
    with np.errstate(divide="ignore", invalid="ignore"):
        t, t1, t0 = (
            found.mean / np.sqrt(v)
            for v in (found.variance, found.variance_cr1, found.variance_cr0)
        )
    pvalues = {
        "McNemar mid-p (rows)": midp_pvalue(b, c, "two-sided"),
        "sign_flip": np.array([tail.pvalue("two-sided") for tail in tails]),
        "sign_flip_exact": np.array([tail.pvalue("two-sided", exact=True) for tail in tails]),
        "robust_t": 2 * special.stdtr(df, -np.abs(t)),
        "CR1, t(K − 1)": 2 * special.stdtr(groups - 1, -np.abs(t1)),
        "CR0, z (GEE)": 2 * special.ndtr(-np.abs(t0)),
    }
    rates = {name: float((p <= ALPHA).mean()) for name, p in pvalues.items()}
    if 2.0 ** (1 - groups) > ALPHA:
        rates["sign_flip"] = rates["sign_flip_exact"] = 0.0  # too few: undecided
    if df < 4:
        rates["robust_t"] = 0.0
    return rates


def pair_coverage(
    both: Array, wins: Array, losses: Array, clusters: Clusters, true: float
) -> dict[str, float]:
    """Return how often intervals of the difference cover the true one."""
    n, b, c = clusters.n, wins.sum(axis=0), losses.sum(axis=0)
    found = moments(wins - losses, b + c, clusters)
    effect = design_effect(found, np.count_nonzero(wins + losses, axis=0), clusters)
    df = degrees_of_freedom(clusters.shares)
    tail = float(equivalent_tail(df, ALPHA / 2))
    table = [v / effect for v in (both.sum(axis=0), b, c, n - both.sum(axis=0) - b - c)]
    reach = -special.stdtrit(df, ALPHA / 2) * np.sqrt(found.variance)
    plain = DIFFERENCE_METHODS["newcombe"](*(v * effect for v in table), ALPHA / 2)
    return {
        "newcombe_effective": _covered(*DIFFERENCE_METHODS["newcombe"](*table, tail), true),
        "robust_t interval": _covered(found.mean - reach, found.mean + reach, true),
        "Newcombe (rows)": _covered(*plain, true),
    }


def single_rates(
    rng: np.random.Generator,
    groups: int,
    mean: int,
    shape: str,
    icc: float,
    accuracy: float,
    runs: int,
) -> dict[str, float]:
    """Return rejection of the true accuracy of one model, and coverage of its intervals."""
    counts = sizes(groups, mean, shape)
    codes = np.repeat(np.arange(groups), counts)
    clusters = Clusters(codes, counts.astype(float))
    own = own_correlation(icc, accuracy, models=1)
    limit = cut(accuracy, own, "normal", 0.0)
    parts = []
    block = max(1, _NUMBERS // len(codes))
    for start in range(0, runs, block):
        z = margins(rng, codes, 1, own, min(block, runs - start), shared=0.0)
        parts.append(clusters.sums(z[:, 0] > limit))
    return single_from_sums(np.concatenate(parts, axis=1), clusters, accuracy)


def single_from_sums(right: Array, clusters: Clusters, accuracy: float) -> dict[str, float]:
    """Return the rates from the rows (K, runs) that are right."""
    n, total = clusters.n, right.sum(axis=0)
    found: Moments = moments(right, total, clusters)
    wrong = clusters.sizes[:, None] - right
    odd = np.count_nonzero(np.where(2 * total > n, wrong, right), axis=0)
    size = n / design_effect(found, odd, clusters)
    df = degrees_of_freedom(clusters.shares)
    tail = float(equivalent_tail(df, ALPHA / 2))
    t = (found.mean - accuracy) / np.sqrt(accuracy * (1 - accuracy) / size)
    rejected = 2 * special.stdtr(df, -np.abs(t)) <= ALPHA
    return {
        "binomial_test": 0.0 if df < 4 else float(rejected.mean()),
        "wilson_effective": _covered(*wilson(found.mean * size, size, tail), accuracy),
        "Wilson (rows)": _covered(*wilson(total, n, ALPHA / 2), accuracy),
    }


def _covered(low: Array, high: Array, true: float) -> float:
    return float(((low <= true + 1e-12) & (true - 1e-12 <= high)).mean())


# In time ---------------------------------------------------------------------------------------

TEST = "diebold_mariano ewc_corrected"


def rejections(differences: Array, contrasts: int | None = None) -> tuple[Array, Array]:
    """Return p and whether an assumption fails for differences of shape (series, n).

    The series are independent studies of one pair, or all pairs of one study where `contrasts`
    says how many of them are independent of each other.
    """
    n = differences.shape[1]
    mean = differences.mean(axis=1)
    residuals = differences - mean[:, None]
    count = ordered.cosine_count(n)
    plain = np.square(ordered.cosine_transform(residuals.T)[:count]).mean(axis=0)
    if contrasts is None:
        factors = np.concatenate([ordered.persistence([one], 1) for one in residuals])
    else:
        factors = ordered.persistence(list(residuals), contrasts)
    gamma = np.square(residuals).mean(axis=1)
    variance = plain * factors
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / n)
        lag1 = (residuals[:, 1:] * residuals[:, :-1]).sum(axis=1) / n / gamma
        few = n * gamma / variance < ordered.LEAST_EFFECTIVE
    p = 2 * special.stdtr(count, -np.abs(t))
    p[gamma <= 0] = np.where(mean[gamma <= 0] == 0, 1.0, np.nan)
    return p, few | (lag1 > ordered.STRONG)


def any_pair(values: Array) -> dict[str, bool]:
    """Say whether any of all pairs of models (M, n) is rejected, by Holm."""
    models = len(values)
    pairs = np.array(list(itertools.combinations(range(models), 2)))
    differences = values[pairs[:, 0]].astype(float) - values[pairs[:, 1]]
    adjusted = stats.adjust_pvalues(rejections(differences, models - 1)[0], "holm")
    return {f"{TEST}, {models} models": bool((adjusted <= ALPHA).any())}
