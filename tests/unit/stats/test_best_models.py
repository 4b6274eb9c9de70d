"""The winner's lower bound and the set of models that may be the best, near the end of a range."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from bakeoff.stats import best_by_values, best_models, influence


def study(seed: int, positives: int, n: int, area: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of five models with one area and unlike spreads."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    sigma = 0.5 * 4 ** np.linspace(0, 1, 5)
    mu = stats.norm.ppf(area) * np.sqrt(1 + sigma**2)
    noise = np.sqrt(0.6) * rng.normal(size=(n, 1)) + np.sqrt(0.4) * rng.normal(size=(n, 5))
    return y, np.where(y[:, None] == 1, mu + sigma * noise, noise)


def bound(
    value: np.ndarray, se: np.ndarray, df: np.ndarray, covariance: np.ndarray
) -> tuple[float, float]:
    """Return the rule's lower bound of the winner, and the standard error that it pools."""
    w = int(value.argmax())
    draws = np.random.default_rng(0).multivariate_normal(0 * value, covariance, 200_000)
    tail = special.ndtr(-np.quantile((draws / draws.std(axis=0)).max(axis=1), 0.95))
    close = value >= value[w] + stats.t.ppf(tail, df[w]) * se[w]
    pooled = max(se[w], math.sqrt(np.mean(se[close] ** 2)))
    return value[w] + stats.t.ppf(tail, df[close].min()) * pooled, pooled


def test_bound_is_that_of_the_rule():
    y, scores = study(3, 60, 400, area=0.8)
    best = best_models(y, scores, metric="roc_auc")
    singles = [influence(y, column, metric="roc_auc") for column in scores.T]
    value = np.array([one.value for one in singles])
    se = np.array([one.tested.se for one in singles]) / (value * (1 - value))
    df = np.array([one.tested.df for one in singles])
    covariance = np.cov(np.array([one.psi for one in singles]))
    low, _ = bound(special.logit(value), se, df, covariance)
    assert best.ci.low == pytest.approx(special.expit(low), abs=1e-3)


def test_bound_in_groups_pools_standard_errors_of_decisions_too():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(20), 12)
    y = rng.integers(0, 2, len(groups))
    right = rng.random((len(y), 4)) < (0.7 + 0.25 * rng.choice([-1, 1], (20, 4)))[groups]
    said = np.where(right, y[:, None], 1 - y[:, None])
    how = {"metric": "balanced_accuracy", "groups": groups}
    singles = [influence(y, column, **how) for column in said.T]
    value = np.array([one.estimate for one in singles])
    se = np.array([one.tested.se for one in singles])
    df = np.array([one.tested.df for one in singles])
    covariance = np.cov([np.bincount(groups, one.psi) for one in singles])
    low, pooled = bound(value, se, df, covariance)
    assert pooled > se[value.argmax()]
    assert best_models(y, said, **how).ci.low == pytest.approx(low, abs=1e-3)


def test_below_twenty_rows_of_a_class_there_is_no_bound_and_nobody_leaves():
    y, scores = study(1, 19, 400)
    scores[:, 4] = -scores[:, 4]
    best = best_models(y, scores, metric="roc_auc", n_resamples=999)
    assert best.ci is None
    assert best.members == (0, 1, 2, 3, 4)
    assert all(map(math.isnan, best.pvalues))
    assert best.estimate < best.naive
    (said,) = (a for a in best.assumptions if a.holds is False)
    assert "19 rows of the rarest class" in said.detail
    enough = best_models(*study(1, 120, 400), metric="roc_auc", n_resamples=999)
    assert all(a.holds is not False for a in enough.assumptions)


def test_a_perfect_winner_has_the_exact_limit():
    y = np.repeat([1, 0], [30, 50])
    scores = np.column_stack([y, y + 0.1 * np.sin(np.arange(80)), np.cos(np.arange(80))])
    best = best_models(y, scores, metric="roc_auc", n_resamples=999)
    assert best.naive == 1.0
    assert 0.8 < best.ci.low < 0.05 ** (1 / 30)


def test_losses_that_few_rows_carry_have_no_bound():
    rng = np.random.default_rng(0)
    losses = np.exp(2.5 * rng.normal(size=(60, 3)))
    best = best_by_values(losses, greater_is_better=False, n_resamples=999)
    assert best.ci is None
    assert best.members == (0, 1, 2)
    even = best_by_values(rng.random((200, 3)), greater_is_better=False, n_resamples=999)
    assert even.ci is not None
