"""Metrics agree with scikit-learn's, say why they have no value, and warn of few rows."""

import dataclasses
import math
import warnings
from functools import partial
from itertools import pairwise, permutations

import numpy as np
import pytest
from scipy import special
from scipy.stats import pearsonr, spearmanr
from sklearn import metrics as sk
from sklearn.dummy import DummyClassifier

from bakeoff import compare, gate, stats
from bakeoff.errors import UserError
from bakeoff.fit.predictions import Predictions
from bakeoff.report.exhibits import draw, exhibits
from bakeoff.scores import METRICS, score
from bakeoff.scores.metrics import constant_answer
from bakeoff.spec import Costs
from bakeoff.stats import Status, metric_ci
from bakeoff.stats.metrics.library import calibration_curve


def predictions(y, predicted, probabilities, k):
    y, predicted = np.asarray(y), np.asarray(predicted)
    classes = tuple("abcdef"[:k])
    return Predictions(np.arange(len(y)), y, predicted, classes, probabilities, None, {})


def drawn(k, seed, n=60):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    p = rng.dirichlet(np.ones(k), n).round(1 if seed % 2 else 6) + 1e-3  # odd seeds: many ties
    p /= p.sum(axis=1, keepdims=True)
    return y, p.argmax(axis=1), p


def top(y, p, k):
    """Return the share of the true class among the first k, over all orders of tied ones."""
    shares = []
    for row, true in zip(p, y, strict=True):
        orders = list(permutations(range(len(row))))
        sorted_ones = [o for o in orders if all(row[a] >= row[b] for a, b in pairwise(o))]
        shares.append(np.mean([true in order[:k] for order in sorted_ones]))
    return float(np.mean(shares))


BINARY = {
    "precision": lambda y, t, p: sk.precision_score(y, t),
    "recall": lambda y, t, p: sk.recall_score(y, t),
    "f1": lambda y, t, p: sk.f1_score(y, t),
    "f2": lambda y, t, p: sk.fbeta_score(y, t, beta=2),
    "f05": lambda y, t, p: sk.fbeta_score(y, t, beta=0.5),
    "jaccard": lambda y, t, p: sk.jaccard_score(y, t),
    "npv": lambda y, t, p: sk.precision_score(y, t, pos_label=0),
    "specificity": lambda y, t, p: sk.recall_score(y, t, pos_label=0),
    "youden": lambda y, t, p: sk.balanced_accuracy_score(y, t, adjusted=True),
    "roc_auc": lambda y, t, p: sk.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, t, p: sk.average_precision_score(y, p[:, 1]),
    "brier": lambda y, t, p: sk.brier_score_loss(y, p[:, 1]),
}
ANY = {
    "accuracy": lambda y, t, p: sk.accuracy_score(y, t),
    "error": lambda y, t, p: sk.zero_one_loss(y, t),
    "balanced_accuracy": lambda y, t, p: sk.balanced_accuracy_score(y, t),
    "f1_macro": lambda y, t, p: sk.f1_score(y, t, average="macro"),
    "f1_weighted": lambda y, t, p: sk.f1_score(y, t, average="weighted"),
    "mcc": lambda y, t, p: sk.matthews_corrcoef(y, t),
    "kappa": lambda y, t, p: sk.cohen_kappa_score(y, t),
    "log_loss": lambda y, t, p: sk.log_loss(y, p),
    "precision_macro": lambda y, t, p: sk.precision_score(y, t, average="macro"),
    "precision_weighted": lambda y, t, p: sk.precision_score(y, t, average="weighted"),
    "recall_macro": lambda y, t, p: sk.recall_score(y, t, average="macro"),
    "gmean": lambda y, t, p: math.prod(sk.recall_score(y, t, average=None)) ** (1 / p.shape[1]),
    "brier_root": lambda y, t, p: math.sqrt(
        (BINARY if p.shape[1] == 2 else MULTI)["brier"](y, t, p)
    ),
    "top_2_accuracy": lambda y, t, p: top(y, p, 2),
    "top_3_accuracy": lambda y, t, p: top(y, p, 3),
    "recall_weighted": lambda y, t, p: sk.recall_score(y, t, average="weighted"),
    "average_precision_macro": lambda y, t, p: sk.average_precision_score(
        np.eye(p.shape[1])[y], p, average="macro"
    ),
}
MULTI = {
    "roc_auc_ovr": lambda y, t, p: sk.roc_auc_score(y, p, multi_class="ovr"),
    "roc_auc_ovo": lambda y, t, p: sk.roc_auc_score(y, p, multi_class="ovo"),
    "brier": lambda y, t, p: float(np.mean(((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1))),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "oracle", "k"),
    [(n, o, 2) for n, o in (BINARY | ANY).items()] + [(n, o, 4) for n, o in (ANY | MULTI).items()],
)
def test_metric_agrees_with_scikit_learn(name, oracle, k, seed):
    y, predicted, p = drawn(k, seed)
    value, reason = score(METRICS[name], predictions(y, predicted, p, k))
    assert value == pytest.approx(oracle(y, predicted, p), abs=1e-12)
    assert reason == ""


@pytest.mark.parametrize(
    ("name", "y", "predicted", "word"),
    [
        ("precision", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("recall", [0, 0], [0, 1], "no row is 'b'"),
        ("f1", [0, 0], [0, 0], "no row is or is predicted 'b'"),
        ("roc_auc", [1, 1], [1, 0], "all of one class"),
        ("average_precision", [0, 0], [0, 0], "no row is positive"),
        ("kappa", [1, 1], [1, 1], "one and the same class"),
        ("precision_macro", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("precision_weighted", [0, 1], [0, 0], "no row is predicted 'b'"),
        ("recall_macro", [0, 0], [0, 1], "no row is 'b'"),
        ("average_precision_macro", [0, 0], [0, 0], "no row is positive"),
        ("cost", [0, 1], [0, 1], "the experiment has no `costs:`"),
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
def test_undefined_metric_says_why(name, y, predicted, word):
    k = 2 if len(y) == 2 else 0  # classes, or numbers
    probabilities = np.array([[0.4, 0.6], [0.7, 0.3]]) if k else None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, reason = score(METRICS[name], predictions(y, predicted, probabilities, k))
    assert math.isnan(value)
    assert word in reason


def test_several_criteria_have_a_name_and_no_value():
    joined = METRICS["accuracy+log_loss"]
    assert (joined.title, joined.range) == ("accuracy and log loss", (0, 1))
    assert joined.greater_is_better  # tests of several criteria turn each one so
    value, reason = score(joined, predictions([0, 1], [0, 1], None, 2))
    assert math.isnan(value)
    assert "no single value" in reason
    with pytest.raises(KeyError):
        METRICS["acuracy"]


def test_cost_goes_by_the_names_of_classes_and_expected_cost_by_their_priors():
    y, predicted = [0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 0, 1]
    made = predictions(y, predicted, None, 2)
    costs = Costs(classes=["b", "a"], matrix=[[0.0, 5.0], [1.0, 0.0]], priors=[1.0, 9.0])
    assert score(METRICS["cost"], made, costs)[0] == pytest.approx((1 + 5) / 6)
    # of the rows of a one in four costs 1, of those of b one in two costs 5
    assert score(METRICS["expected_cost"], made, costs)[0] == pytest.approx(0.9 / 4 + 0.1 * 5 / 2)
    as_tested = costs.model_copy(update={"priors": [2.0, 4.0]})
    assert score(METRICS["expected_cost"], made, as_tested)[0] == pytest.approx(
        score(METRICS["cost"], made, costs)[0]
    )
    one_class = predictions([0, 0], [0, 1], None, 2)
    assert "no row is 'b'" in score(METRICS["expected_cost"], one_class, costs)[1]


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo", "average_precision_macro"])
@pytest.mark.parametrize("absent", ["a", "b", "c"])
def test_an_absent_class_of_three_is_named(name, absent):
    y = [one for one in "abc" * 10 if one != absent]
    p = np.random.default_rng(0).dirichlet([1, 1, 1], len(y))
    found = metric_ci(y, p, metric=name, labels=["a", "b", "c"])
    assert found.status is Status.UNDEFINED
    assert found.assumptions[0].detail == f"no tested row is of the class {absent}"
    found = metric_ci(["a"] * 9, p[:9], metric=name, labels=["a", "b", "c"])
    assert "no tested row" not in found.assumptions[0].detail


TRAIN, TEST = (60, 25), (30, 20)
OF_DUMMY = ("accuracy", "balanced_accuracy", "mcc", "roc_auc", "average_precision", "log_loss")


@pytest.mark.parametrize("name", OF_DUMMY)
def test_it_is_what_a_dummy_classifier_scores(name):
    train, test = (np.repeat([0, 1], counts) for counts in (TRAIN, TEST))
    dummy = DummyClassifier(strategy="prior").fit(np.zeros((len(train), 1)), train)
    rows = np.zeros((len(test), 1))
    wanted = (BINARY | ANY)[name](test, dummy.predict(rows), dummy.predict_proba(rows))
    found = constant_answer(METRICS[name], ("no", "yes"), TRAIN, TEST)
    assert found == (0, pytest.approx(wanted, abs=1e-12))
    given = dataclasses.replace(METRICS[name], computed=False)
    assert constant_answer(given, ("no", "yes"), TRAIN, TEST) is None


@pytest.mark.parametrize(
    ("name", "answer", "scored"),
    [
        ("f1", 1, 4 / 7),  # predicting 'no' for every row has an F1 of 0
        ("recall", 1, 1.0),
        ("precision", 1, 0.4),  # predicting 'no' for every row has none
        ("specificity", 0, 1.0),
        ("cost", 1, 30 / 50),
    ],
)
def test_it_is_the_best_constant_by_the_metric(name, answer, scored):
    costs = Costs.model_validate({"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]})
    found = constant_answer(METRICS[name], ("no", "yes"), TRAIN, TEST, costs)
    assert found == (answer, pytest.approx(scored))


def ranked(n=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return y, special.expit(rng.normal(size=n) + 1.2 * y - 0.6).clip(0.01, 0.99)


def test_net_benefit_by_hand_is_a_mean_over_rows():
    y, p = np.array([1, 1, 0, 0, 0]), np.array([0.9, 0.1, 0.2, 0.3, 0.1])
    found = stats.influence(y, p, metric="net_benefit@0.2")
    assert found.value == pytest.approx(1 / 5 - 2 / 5 * 0.25)  # the threshold itself is positive
    assert found.psi + found.value == pytest.approx([1, 0, -0.25, -0.25, 0])


def test_curve_of_right_probabilities_is_the_diagonal_and_its_index_small():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=4000)
    y = rng.random(4000) < p
    curve = calibration_curve(y, p)
    assert np.abs(curve.share - curve.at).max() < 0.05
    assert np.mean((curve.low <= curve.at) & (curve.at <= curve.high)) > 0.9
    right, wrong = (stats.metric_ci(y, q, metric="ici") for q in (p, p**2))
    assert right.estimate < 0.02
    assert wrong.estimate == pytest.approx(1 / 2 - 1 / 3, abs=0.02)  # E|p − p²|
    assert wrong.ci is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("net_benefit", "takes its threshold in its name, like net_benefit@0.1"),
        ("net_benefit@1.5", "must lie strictly between 0 and 1"),
        ("fbeta@all", "found 'all', must be a number"),
        ("top_k_accuracy@2.5", "must be a whole number"),
        ("accuracy@2", "accuracy"),
    ],
)
def test_a_wrong_option_is_one_sentence_through_every_door(name, why):
    y, p = ranked(40)
    with pytest.raises(stats.ArgumentError, match="metric: "):
        stats.metric_difference(y, p, p[::-1], metric=name)
    with pytest.raises(UserError, match=rf"^[^\n]*{why}[^\n]*$"):
        compare(y, {"a": p, "b": p[::-1]}, positive=1, metrics=[name])
    with pytest.raises(UserError, match=rf"^[^\n]*{why}[^\n]*$"):
        gate(y, p, p[::-1], positive=1, margin=0.1, metric=name)


def test_a_metric_told_twice_is_two_metrics_and_a_curve_comes_with_ici():
    y, p = ranked()
    names = ["net_benefit@0.2", "net_benefit@0.4", "ici"]
    found = compare(y, {"a": p, "b": p**2, "c": y * 0.4 + 0.3}, positive=1, metrics=names)
    assert {*found._study.scores["metric"]} == {*names}
    by_kind = {item.kind: item for item in exhibits(found._study)}
    assert "Calibration curves of 3 models" in draw(by_kind["calibration"], found._study).alt
    # where all rows are called positive the benefit is that of treating all of them
    expected = y.mean() - (1 - y.mean()) * 0.25
    scores = found._study.scores.set_index(["metric", "model"])["value"]
    assert scores["net_benefit@0.2", "c"] == pytest.approx(expected)


PINBALL = {"pinball_05": 0.05, "pinball_10": 0.1, "pinball_25": 0.25, "pinball_50": 0.5}
PINBALL |= {"pinball_75": 0.75, "pinball_90": 0.9, "pinball_95": 0.95}
OF_NUMBERS = {
    "mae": sk.mean_absolute_error,
    "mse": sk.mean_squared_error,
    "rmse": sk.root_mean_squared_error,
    "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score,
    "mape": sk.mean_absolute_percentage_error,
    "smape": lambda y, p: np.mean(2 * np.abs(y - p) / (np.abs(y) + np.abs(p))),
    "msle": sk.mean_squared_log_error,
    "rmsle": sk.root_mean_squared_log_error,
    "poisson_deviance": sk.mean_poisson_deviance,
    "gamma_deviance": sk.mean_gamma_deviance,
    "tweedie15_deviance": partial(sk.mean_tweedie_deviance, power=1.5),
    **{name: partial(sk.mean_pinball_loss, alpha=alpha) for name, alpha in PINBALL.items()},
    "pearson": lambda y, p: pearsonr(y, p).statistic,
    "spearman": lambda y, p: spearmanr(y, p).statistic,
    "median_absolute_error": sk.median_absolute_error,
    "max_error": sk.max_error,
}


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_value_is_that_of_scikit_learn(name):
    rng = np.random.default_rng(3)
    y = np.round(rng.gamma(2.0, 3.0, 80), 1) + 0.1  # with ties
    p = y * rng.lognormal(0, 0.3, 80)
    value = score(METRICS[name], predictions(y, p, None, 0))[0]
    assert value == pytest.approx(OF_NUMBERS[name](y, p), rel=1e-12)


@pytest.mark.parametrize(("draw", "holds"), [("normal", True), ("standard_cauchy", False)])
def test_heavy_tails_are_told(draw, holds):
    rng = np.random.default_rng(2)
    y = rng.normal(size=200)
    p = y + getattr(rng, draw)(size=200)
    rmse, mae = (stats.metric_ci(y, p, metric=name).assumptions for name in ("rmse", "mae"))
    (tails,) = (one for one in rmse if one.name == "no heavy tails")
    assert tails.holds is holds
    assert holds or "see the mean absolute error" in tails.detail
    assert all(one.name != "no heavy tails" for one in mae)


def test_intervals_stay_within_the_range_of_the_metric():
    rng = np.random.default_rng(6)
    y = rng.normal(size=40)
    bad, good = y + rng.standard_t(2, size=40) * 5, y + rng.normal(size=40) / 100
    for name in ("mae", "rmse", "r2", "pearson", "spearman", "mape"):
        for p in (bad, good):
            ci = stats.metric_ci(y, p, metric=name).ci
            assert ci is not None
            assert METRICS[name].range[0] <= ci.low <= ci.high <= METRICS[name].range[1]


LOSSES = ("mae", "mape", "pinball_90", "smape", "rmse", "mse", "poisson_deviance")


def carried(found):
    (check,) = (one for one in found.assumptions if one.name.endswith("carried by enough rows"))
    return check


def test_rare_large_values_are_told():
    table = np.random.default_rng(5).normal(size=(100, 2))
    for table[0, 1], holds in ((0, None), (40, False)):
        for found in (stats.mean_difference(*table.T), stats.all_pairs("mean_difference", table)):
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
    both = (stats.metric_difference(y, p, q, metric=m, groups=groups) for m in (name, squared))
    root, square = both
    assert root.pvalue == pytest.approx(square.pvalue)
    scale = root.details["value_a"] + root.details["value_b"]
    assert (*root.ci,) == pytest.approx([limit / scale for limit in square.ci])
    said = np.column_stack([p, q, rng.uniform(0.1, 0.9, 100)])
    pairs = partial(stats.all_pairs, "metric_difference", y, said, correction="holm")
    each = [pairs(metric=one).pairs for one in (name, squared)]
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
