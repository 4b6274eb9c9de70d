"""The set of models that may be the best, near the end of a range."""

import math

import numpy as np
from scipy import stats

from bakeoff.stats import best_by_values, best_models


def study(seed, positives, n, area=0.95):
    """Draw scores of five models with one area and unlike spreads."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < positives).astype(int)
    sigma = 0.5 * 4 ** np.linspace(0, 1, 5)
    mu = stats.norm.ppf(area) * np.sqrt(1 + sigma**2)
    noise = np.sqrt(0.6) * rng.normal(size=(n, 1)) + np.sqrt(0.4) * rng.normal(size=(n, 5))
    return y, np.where(y[:, None] == 1, mu + sigma * noise, noise)


def test_a_best_model_is_in_the_set_where_the_one_that_leads_is_lucky():
    kept = 0
    for seed in range(150):
        best = best_models(*study(seed, 40, 800), metric="roc_auc", n_resamples=499)
        kept += 0 in best.members
    assert kept >= 138


def test_below_twenty_rows_of_a_class_nobody_leaves():
    y, scores = study(1, 19, 400)
    scores[:, 4] = -scores[:, 4]
    best = best_models(y, scores, metric="roc_auc", n_resamples=999)
    assert best.members == (0, 1, 2, 3, 4)
    assert all(map(math.isnan, best.pvalues))
    (said,) = (a for a in best.assumptions if a.holds is False)
    assert "19 rows of the rarest class" in said.detail
    enough = best_models(*study(1, 120, 400), metric="roc_auc", n_resamples=999)
    assert all(a.holds is not False for a in enough.assumptions)


def test_losses_that_few_rows_carry_leave_nobody_out():
    rng = np.random.default_rng(0)
    losses = np.exp(2.5 * rng.normal(size=(60, 3)))
    best = best_by_values(losses, greater_is_better=False, n_resamples=999)
    assert best.members == (0, 1, 2)
    assert all(map(math.isnan, best.pvalues))
    even = best_by_values(rng.random((200, 3)), greater_is_better=False, n_resamples=999)
    assert not any(map(math.isnan, even.pvalues))
