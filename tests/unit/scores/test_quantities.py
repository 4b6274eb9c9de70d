"""Metrics of predicted numbers: scikit-learn's values, and what they do not say."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn import metrics as sklearn_metrics

from bakeoff import stats
from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, score
from bakeoff.stats.metrics.influence import influence


def smape(y, p):
    return float(np.mean(2 * np.abs(y - p) / (np.abs(y) + np.abs(p))))


THEIRS = {
    "mae": sklearn_metrics.mean_absolute_error,
    "mse": sklearn_metrics.mean_squared_error,
    "rmse": sklearn_metrics.root_mean_squared_error,
    "r2": sklearn_metrics.r2_score,
    "explained_variance": sklearn_metrics.explained_variance_score,
    "mape": sklearn_metrics.mean_absolute_percentage_error,
    "smape": smape,
    "msle": sklearn_metrics.mean_squared_log_error,
    "rmsle": sklearn_metrics.root_mean_squared_log_error,
    "poisson_deviance": sklearn_metrics.mean_poisson_deviance,
    "gamma_deviance": sklearn_metrics.mean_gamma_deviance,
    "tweedie15_deviance": partial(sklearn_metrics.mean_tweedie_deviance, power=1.5),
    "pinball_05": partial(sklearn_metrics.mean_pinball_loss, alpha=0.05),
    "pinball_10": partial(sklearn_metrics.mean_pinball_loss, alpha=0.1),
    "pinball_25": partial(sklearn_metrics.mean_pinball_loss, alpha=0.25),
    "pinball_50": partial(sklearn_metrics.mean_pinball_loss, alpha=0.5),
    "pinball_75": partial(sklearn_metrics.mean_pinball_loss, alpha=0.75),
    "pinball_90": partial(sklearn_metrics.mean_pinball_loss, alpha=0.9),
    "pinball_95": partial(sklearn_metrics.mean_pinball_loss, alpha=0.95),
    "pearson": lambda y, p: pearsonr(y, p).statistic,
    "spearman": lambda y, p: spearmanr(y, p).statistic,
    "median_absolute_error": sklearn_metrics.median_absolute_error,
    "max_error": sklearn_metrics.max_error,
}


def numbers(seed, n=80):
    """Draw observed numbers above 0, with ties, and two predictions."""
    rng = np.random.default_rng(seed)
    y = np.round(rng.gamma(2.0, 3.0, n), 1) + 0.1
    return y, y * rng.lognormal(0, 0.3, n), np.round(y * rng.lognormal(0.1, 0.4, n), 1) + 0.1


@pytest.mark.parametrize("name", THEIRS)
def test_value_is_that_of_scikit_learn(name):
    y, p, _ = numbers(3)
    predictions = Predictions(np.arange(len(y)), y, p, (), None, None, {})
    assert score(METRICS[name], predictions)[0] == pytest.approx(THEIRS[name](y, p), rel=1e-12)


@pytest.mark.parametrize("name", [n for n in THEIRS if METRICS[n].smooth])
def test_influence_is_what_one_more_row_changes(name):
    y, p, q = numbers(5, 300)
    for predicted in (p, q):
        found = influence(y, predicted, metric=name)
        assert found.psi.mean() == pytest.approx(0, abs=1e-9 * max(1, np.abs(found.psi).max()))
        for row in (0, 7, 150):
            twice = influence(
                np.append(y, y[row]), np.append(predicted, predicted[row]), metric=name
            )
            change = (len(y) + 1) * (twice.value - found.value)
            assert change == pytest.approx(found.psi[row], abs=0.05 * np.abs(found.psi).max())


@pytest.mark.parametrize(
    ("name", "y", "p", "reason"),
    [
        ("mape", [0.0, 1, 2], [1.0, 1, 2], "1 true number(s) are 0"),
        ("r2", [2.0, 2, 2], [1.0, 2, 3], "the true numbers are all the same"),
        ("pearson", [1.0, 2, 3], [2.0, 2, 2], "the predicted numbers are all the same"),
        ("spearman", [2.0, 2, 2], [1.0, 2, 3], "the true numbers are all the same"),
        ("msle", [-1.0, 2, 3], [1.0, 2, 3], "1 true number(s) are -1 or less"),
        ("rmsle", [1.0, 2, 3], [-2.0, -1, 3], "2 predicted number(s) are -1 or less"),
        ("poisson_deviance", [-1.0, 2, 3], [1.0, 2, 3], "1 true number(s) are below 0"),
        ("gamma_deviance", [0.0, 2, 3], [1.0, 2, 3], "1 true number(s) are 0 or less"),
        ("tweedie15_deviance", [0.0, 2, 3], [0.0, 2, 3], "1 predicted number(s) are 0 or less"),
    ],
)
def test_metric_without_a_value_says_why(name, y, p, reason):
    result = stats.metric_ci(y, p, metric=name)
    assert np.isnan(result.estimate)
    assert [a.detail for a in result.assumptions] == [reason]


def test_heavy_tails_are_told():
    rng = np.random.default_rng(2)
    y = rng.normal(size=200)
    for errors, holds in ((rng.normal(size=200), True), (rng.standard_t(2, size=200), False)):
        result = stats.metric_ci(y, y + errors, metric="rmse")
        (tails,) = (a for a in result.assumptions if a.name == "no heavy tails")
        assert tails.holds is holds
    assert all(
        a.name != "no heavy tails" for a in stats.metric_ci(y, y + errors, metric="mae").assumptions
    )
    assert "see the mean absolute error" in tails.detail


def test_intervals_stay_within_the_range_of_the_metric():
    rng = np.random.default_rng(6)
    y = rng.normal(size=40)
    bad, good = y + rng.standard_t(2, size=40) * 5, y + rng.normal(size=40) / 100
    for name in ("mae", "rmse", "r2", "pearson", "spearman", "mape"):
        for p in (bad, good):
            ci = stats.metric_ci(y, p, metric=name).ci
            assert ci is not None
            assert METRICS[name].range[0] <= ci.low <= ci.high <= METRICS[name].range[1]


@pytest.mark.parametrize(
    ("y", "p", "options", "said"),
    [
        ([1.0, 2, 3], ["a", "b", "c"], {}, "predicted: expected numbers"),
        ([1.0, np.nan, 3], [1.0, 2, 3], {}, r"y_true: 1 value\(s\) are NaN or infinite"),
        ([1.0, 2, 3], [1.0, 2], {}, "predicted: has 2 rows, y_true has 3"),
        ([1.0, 2, 3], [1.0, 2, 4], {"positive": 1}, "positive: rmse compares numbers, which have"),
    ],
)
def test_what_are_no_numbers_is_refused(y, p, options, said):
    with pytest.raises(ValueError, match=said):
        stats.metric_ci(y, p, metric="rmse", **options)


LOSSES = ("mae", "mape", "pinball_90", "smape", "rmse", "mse", "poisson_deviance")


def carried(found):
    (check,) = (one for one in found.assumptions if one.name.endswith("carried by enough rows"))
    return check


def test_rare_large_values_are_told():
    table = np.random.default_rng(5).normal(size=(100, 3))
    for large, holds in ((0, None), (40, False)):
        table[0, 2] = large
        pair = stats.mean_difference(table[:, 0], table[:, 2])
        for found in (pair, stats.all_pairs("mean_difference", table)):
            assert carried(found).holds is holds


@pytest.mark.parametrize("name", LOSSES)
def test_rare_large_errors_are_told(name):
    rng = np.random.default_rng(5)
    y = rng.uniform(50, 60, 100)
    alike = y + rng.normal(size=(2, 100))
    rare = y + np.where(np.arange(100) < 2, 20, 0.1) * rng.choice([-1, 1], 100)
    for other, holds in ((alike[1], None), (rare, False)):
        found = carried(stats.metric_difference(y, alike[0], other, metric=name))
        assert found.holds is holds
        assert "errors on fewer than 1 of 10 rows" in found.detail


@pytest.mark.parametrize("name", ["rmse", "rmsle"])
@pytest.mark.parametrize("grouped", [False, True])
def test_roots_differ_where_their_squares_do(name, grouped):
    rng = np.random.default_rng(1)
    y, (p, q) = rng.gamma(2, size=100), rng.uniform(0.1, 0.9, (2, 100))
    y[0], squared = 1e4, {"rmse": "mse", "rmsle": "msle"}[name]  # both models miss a row by far
    groups = np.arange(100) % 20 if grouped else None
    root, square = (
        stats.metric_difference(y, p, q, metric=one, groups=groups) for one in (name, squared)
    )
    assert root.pvalue == pytest.approx(square.pvalue)
    scale = root.details["value_a"] + root.details["value_b"]
    assert (*root.ci,) == pytest.approx([limit / scale for limit in square.ci])
    said = np.column_stack([p, q, rng.uniform(0.1, 0.9, 100)])
    each = [
        stats.all_pairs("metric_difference", y, said, metric=one, correction="holm").pairs
        for one in (name, squared)
    ]
    assert [x.pvalue for x in each[0]] == pytest.approx([x.pvalue for x in each[1]])
    runs = [stats.recipe_difference(y, [p], [q], metric=one).details for one in (name, squared)]
    assert runs[0]["pvalue_fits"] == pytest.approx(runs[1]["pvalue_fits"])


@pytest.mark.parametrize("name", ["r2", "explained_variance", "pearson"])
def test_a_row_that_both_models_miss_by_far_is_told(name):
    rng = np.random.default_rng(4)
    f, u, a, b = rng.normal(size=(4, 100))
    for outlier, holds in ((u[0], None), (30, False)):
        u[0] = outlier
        found = stats.metric_difference(f + u, f + a / 2, f + b / 2, metric=name)
        assert carried(found).holds is holds
