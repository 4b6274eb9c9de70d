"""A score over folds and its variance: by plain loops, at the edges, and beside other tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from bakeoff.stats import (
    ArgumentError,
    Status,
    all_pairs,
    corrected_kfold_t,
    corrected_mean_ci,
    cv5x2_z,
    fold_rows,
    fold_rows_difference,
    fold_rows_score,
    metric_ci,
)
from bakeoff.stats.folds.fold_rows import CLASS_SHARES
from bakeoff.stats.metrics.metric import NoValue


def five_by_two(n, seed=1):
    """Draw five divisions of rows into two halves, and the truth."""
    rng = np.random.default_rng(seed)
    fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
    return rng, np.arange(n) % 2, fold


def noisy(rng, y, shape, right):
    """Predict classes that are right with a probability."""
    return np.where(rng.random(shape) < right, y, 1 - y)


def by_loops(values, fold, in_use):
    """Compute the parts of the variance as docs/fold-rows.md writes them, row by row."""
    fits = [
        (r, fold[r] == k, in_use[r] & (fold[r] != k))
        for r in range(len(fold))
        for k in np.unique(fold[r][fold[r] > 0])
    ]
    n = fold.shape[1]
    total = len(fits)
    score = np.mean([values[r][tested].mean() for r, tested, _ in fits])
    residual = np.zeros(n)
    deviations = []
    for r, tested, _ in fits:
        residual[tested] += (values[r][tested] - score) / (total * tested.sum())
        deviations.append(((values[r][tested] - score) ** 2).sum())
    test = n / (n - 1) * (residual**2).sum()
    floor = sum(deviations) / (sum(t.sum() for _, t, _ in fits) * n)
    above = below = overlaps = 0.0
    for f, (r, tested_f, trained_f) in enumerate(fits):
        for g, (s, tested_g, trained_g) in enumerate(fits):
            shared = (trained_f & trained_g).sum() / (trained_f.sum() * trained_g.sum())
            overlaps += shared / total**2
            both = tested_f & tested_g
            if r == s or f < g or both.sum() < 2:
                continue
            d = values[r][both] - values[s][both]
            above += d.mean() ** 2 - d.var(ddof=1) / both.sum()
            below += 1 / trained_f.sum() + 1 / trained_g.sum() - 2 * shared
    return score, test, above / below * overlaps, floor


@pytest.mark.parametrize("plan", ["5x2", "3x4", "random", "some rows out"])
def test_parts_equal_plain_loops(plan):
    rng = np.random.default_rng(5)
    n = 60
    y = np.arange(60) % 2
    if plan == "5x2":
        fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
    elif plan == "3x4":
        fold = np.array([rng.permutation(np.arange(n) % 4) + 1 for _ in range(3)])
    else:
        fold = (rng.random((6, n)) < 0.3).astype(int)
    if plan == "some rows out":
        fold[rng.random(fold.shape) < 0.1] = -1
    predicted = noisy(rng, y, fold.shape, 0.6 + 0.3 * rng.random((len(fold), 1)))
    rows = fold_rows(y, fold, predicted)
    right = (predicted == y).astype(float)
    score, test, training, floor = by_loops(right, fold, fold >= 0)
    parts = rows.parts
    assert parts.score == pytest.approx(score)
    assert parts.variance_test == pytest.approx(test)
    assert parts.variance_training == pytest.approx(max(training, 0), abs=1e-15)
    assert parts.variance_floor == pytest.approx(floor)


def test_accuracy_on_five_by_two_is_cv5x2_z_with_student_t():
    rng, y, fold = five_by_two(200)
    a = noisy(rng, y, fold.shape, 0.85)
    b = noisy(rng, y, fold.shape, 0.78)
    ours = fold_rows_difference(fold_rows(y, fold, a), fold_rows(y, fold, b))
    z = cv5x2_z(fold, a == y, b == y)
    assert ours.estimate == pytest.approx(z.estimate)
    assert ours.details["variance_training"] == pytest.approx(z.details["variance_training"])
    assert ours.details["variance_test"] == pytest.approx(z.details["variance_test"])
    assert ours.statistic == pytest.approx(z.statistic, rel=0.02)  # their floors are centred or not


@pytest.mark.parametrize("greater", [True, False])
def test_one_cross_validation_takes_the_larger_p_and_the_hull(greater):
    rng = np.random.default_rng(2)
    n = 100
    y = np.arange(n) % 2
    fold = rng.permutation(np.arange(n) % 10)[None] + 1
    if greater:
        metric = "accuracy"
    else:
        metric = "error"
    a, b = (fold_rows(y, fold, noisy(rng, y, (1, n), p), metric=metric) for p in (0.9, 0.7))
    result = fold_rows_difference(a, b)
    corrected = corrected_kfold_t(a.scores, b.scores)
    assert np.isnan(result.details["variance_training"])
    assert result.pvalue == pytest.approx(max(result.details["pvalue_rows"], corrected.pvalue))
    assert result.ci.low <= corrected.ci.low + 1e-12
    assert result.ci.high >= corrected.ci.high - 1e-12
    own = fold_rows_score(a)
    if greater:
        scores = a.scores
    else:
        scores = -a.scores
    low, high = corrected_mean_ci(scores, n_train=90, n_test=10)
    assert own.ci.low <= max(low, 0) + 1e-12
    assert own.ci.high >= min(high, 1) - 1e-12
    assert own.ci.low <= own.estimate <= own.ci.high


def test_interval_of_a_loss_has_the_sign_of_the_loss():
    rng, y, fold = five_by_two(80)
    p = np.clip(0.5 + (2 * y - 1) * 0.2 + 0.2 * rng.standard_normal(fold.shape), 0.01, 0.99)
    result = fold_rows_score(fold_rows(y, fold, np.stack([1 - p, p], -1), metric="log_loss"))
    assert 0 < result.ci.low < result.estimate < result.ci.high


def test_an_advantage_by_a_loss_is_that_of_the_smaller_one():
    rng, y, fold = five_by_two(80)
    good = 0.5 + (2 * y - 1) * 0.3 + 0.05 * rng.standard_normal(fold.shape)
    bad = 0.5 + (2 * y - 1) * 0.05 + 0.05 * rng.standard_normal(fold.shape)
    a, b = (fold_rows(y, fold, np.stack([1 - p, p], -1), metric="brier") for p in (good, bad))
    result = fold_rows_difference(a, b)
    assert result.estimate > 0
    assert result.pvalue < 0.001
    assert fold_rows_difference(a, b, alternative="less").pvalue > 0.999


def test_equal_models_are_identical():
    rng, y, fold = five_by_two(60)
    rows = fold_rows(y, fold, noisy(rng, y, fold.shape, 0.8))
    result = fold_rows_difference(rows, rows)
    assert (result.status, result.pvalue) == (Status.IDENTICAL_SCORES, 1.0)


def test_a_constant_difference_has_no_variance():
    _, _, fold = five_by_two(40)
    y = np.arange(40.0)
    a, b = (fold_rows(y, fold, np.tile(y, (5, 1)) + c, metric="mae") for c in (1.0, 2.0))
    result = fold_rows_difference(a, b)
    assert (result.status, result.estimate) == (Status.ZERO_VARIANCE, pytest.approx(1.0))
    assert np.isnan(result.pvalue)


def test_area_of_one_has_the_exact_limit():
    _, y, fold = five_by_two(40)
    p = np.tile(0.2 + 0.6 * y + 0.001 * np.arange(40), (5, 1))
    result = fold_rows_score(fold_rows(y, fold, np.stack([1 - p, p], -1), metric="roc_auc"))
    assert list(result.ci) == [pytest.approx(0.025 ** (1 / 20)), 1.0]


def test_class_shares_give_the_variance_of_the_sample():
    # a model that predicts the class shares: the scores of stratified folds are all equal
    rng = np.random.default_rng(1)
    y = (np.arange(200) % 5 == 0).astype(int)
    fold = np.empty((5, 200), dtype=int)
    for r in range(5):
        for c in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == c))
            fold[r, rows] = np.arange(len(rows)) % 2 + 1
    p = np.full(fold.shape, 0.2)
    rows = fold_rows(y, fold, np.stack([1 - p, p], -1), metric="log_loss")
    assert np.ptp(rows.scores) < 1e-12
    assert rows.parts.variance_test == pytest.approx(0.16 * np.log(4) ** 2 / 199)
    assert rows.parts.variance_training == 0


def test_groups_of_one_row_change_nothing():
    rng, y, fold = five_by_two(60)
    a, b = (noisy(rng, y, fold.shape, p) for p in (0.9, 0.7))
    alone = fold_rows_difference(fold_rows(y, fold, a), fold_rows(y, fold, b))
    groups = rng.permutation(60)
    grouped = fold_rows_difference(
        fold_rows(y, fold, a, groups=groups), fold_rows(y, fold, b, groups=groups)
    )
    assert grouped.pvalue == pytest.approx(alone.pvalue)
    assert grouped.df == pytest.approx(alone.df)


def test_copies_of_rows_in_groups_are_worth_no_more_than_the_rows():
    rng, y, fold = five_by_two(40)
    a, b = (noisy(rng, y, fold.shape, p) for p in (0.9, 0.7))
    few = fold_rows_difference(fold_rows(y, fold, a), fold_rows(y, fold, b))
    many = {
        "y_true": np.tile(y, 4),
        "fold": np.tile(fold, (1, 4)),
        "groups": np.tile(np.arange(40), 4),
    }
    rows = [fold_rows(predicted=np.tile(p, (1, 4)), **many) for p in (a, b)]
    copied = fold_rows_difference(*rows)
    assert copied.estimate == pytest.approx(few.estimate)
    for part in ("variance_test", "variance_training", "variance_floor"):
        assert copied.details[part] == pytest.approx(few.details[part])
    assert copied.df == pytest.approx(few.df)
    assert copied.pvalue == pytest.approx(few.pvalue)


def test_order_of_rows_and_repetitions_does_not_matter():
    rng, y, fold = five_by_two(50)
    a, b = (noisy(rng, y, fold.shape, p) for p in (0.9, 0.7))
    first = fold_rows_difference(fold_rows(y, fold, a), fold_rows(y, fold, b))
    rows = rng.permutation(50)
    repetitions = rng.permutation(5)
    fold, a, b = (table[repetitions][:, rows] for table in (3 - fold, a, b))
    again = fold_rows_difference(fold_rows(y[rows], fold, a), fold_rows(y[rows], fold, b))
    assert again.pvalue == pytest.approx(first.pvalue, rel=1e-12)


def test_one_holdout_is_the_plain_influence_of_its_rows():
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    fold = (np.arange(300) < 100).astype(int)[None]
    p = np.clip(0.5 + (2 * y - 1) * 0.2 + 0.2 * rng.standard_normal((1, 300)), 0.01, 0.99)
    rows = fold_rows(y, fold, np.stack([1 - p, p], -1), metric="brier")
    whole = metric_ci(y[:100], np.stack([1 - p, p], -1)[0, :100], metric="brier")
    assert rows.parts.score == pytest.approx(-whole.estimate)
    assert rows.parts.variance_test == pytest.approx(whole.details["se"] ** 2, rel=0.01)


def class_shares_of(result):
    """Return what is said of the class shares of the training rows."""
    (caution,) = (a for a in result.assumptions if a.name == CLASS_SHARES)
    return caution


def test_a_class_without_predictions_is_cautioned_without_probabilities():
    _, _, fold = five_by_two(60)
    y = np.arange(60) % 3
    predicted = np.where(y == 2, 1, y) + np.zeros((5, 1), dtype=int)
    probabilities = np.eye(3)[predicted]
    options = {"metric": "balanced_accuracy"}
    result = fold_rows_score(fold_rows(y, fold, predicted, **options))
    assert class_shares_of(result).holds is False
    assert "0 of 60 rows are predicted 2" in class_shares_of(result).detail
    assert result.estimate == pytest.approx(2 / 3)
    rows = fold_rows(y, fold, predicted, probabilities=probabilities, **options)
    assert class_shares_of(fold_rows_score(rows)).holds is True


def share_variance_by_loops(y, fold, probabilities, balanced):
    """Compute the part of the class shares as docs/fold-rows.md writes it."""
    classes = range(probabilities.shape[2])
    n = len(y)
    fits = sum(len(np.unique(one)) for one in fold)

    def score(log_odds_shift):
        weights = np.exp(log_odds_shift)
        table = np.full((len(classes), len(classes)), 4 / len(classes) ** 2)
        for r, folds in enumerate(fold):
            for i, k in enumerate(folds):
                called = int(np.argmax(weights * probabilities[r, i]))
                table[y[i], called] += n / (fits * (folds == k).sum())
        right = np.diag(table)
        true = table.sum(axis=1)
        called = table.sum(axis=0)
        return np.mean(right / true if balanced else 2 * right / (true + called))

    variance = 0.0
    for k in classes:
        share = (y == k).mean()
        error = 1 / np.sqrt((n - 1) * share * (1 - share))
        shift = np.eye(len(classes))[k] * error
        value = score(0 * shift)
        changes = [abs(score(step * shift) - value) / abs(step) for step in (-2, -1, 1, 2)]
        variance += (1 - share) * max(changes) ** 2
    return variance


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1_macro"])
@pytest.mark.parametrize("classes", [2, 3])
def test_part_of_the_class_shares_equals_plain_loops(metric, classes):
    rng = np.random.default_rng(classes)
    y = rng.integers(classes, size=45)
    fold = np.array([rng.permutation(np.arange(45) % 3) + 1 for _ in range(4)])
    probabilities = rng.dirichlet(np.full(classes, 30), fold.shape)
    predicted = probabilities.argmax(axis=2)
    options = {"metric": metric, "labels": range(classes)}
    rows = fold_rows(y, fold, predicted, probabilities=probabilities, **options)
    result = fold_rows_score(rows)
    expected = share_variance_by_loops(y, fold, probabilities, metric == "balanced_accuracy")
    assert expected > 0.001
    assert result.details["variance_share"] == pytest.approx(expected)
    alone = fold_rows_score(fold_rows(y, fold, predicted, **options))
    assert result.details["se"] ** 2 == pytest.approx(alone.details["se"] ** 2 + expected)
    assert result.estimate == alone.estimate


def test_a_shift_by_one_error_that_moves_every_row_is_counted_whole():
    _, y, fold = five_by_two(100)
    # log odds of ±.1 and a standard error of 1/√(99 · ¼) = .201: all rows change sides
    p = np.tile(1 / (1 + np.exp(-0.2 * (y - 0.5))), (5, 1))
    predicted = np.tile(y, (5, 1))
    rows = fold_rows(y, fold, predicted, probabilities=p, metric="balanced_accuracy")
    result = fold_rows_score(rows)
    # with a pseudo-row in each cell 51/52 of both classes, or 51/52 of one and 1/52 of the other
    assert result.details["variance_share"] == pytest.approx((51 / 52 - 1 / 2) ** 2)
    far = fold_rows(y, fold, predicted, probabilities=predicted * 1.0, metric="balanced_accuracy")
    assert fold_rows_score(far).details["variance_share"] == 0


def test_without_the_probabilities_that_decide_nothing_is_added():
    rng, y, fold = five_by_two(80)
    p = np.clip(0.5 + (2 * y - 1) * 0.03 + 0.1 * rng.standard_normal(fold.shape), 0.01, 0.99)
    options = {"metric": "f1", "positive": 1}
    labels = fold_rows_score(fold_rows(y, fold, (p > 0.5) * 1, **options))
    moved = fold_rows(y, fold, (p > 0.45) * 1, probabilities=p, **options)
    alone = fold_rows_score(fold_rows(y, fold, (p > 0.45) * 1, **options))
    assert tuple(fold_rows_score(moved).ci) == tuple(alone.ci)
    assert "gives no probabilities" in class_shares_of(labels).detail
    caution = class_shares_of(fold_rows_score(moved))
    assert caution.holds is None
    assert "not predict the most probable class" in caution.detail
    wide = fold_rows_score(fold_rows(y, fold, (p > 0.5) * 1, probabilities=p, **options))
    assert wide.ci.low < labels.ci.low
    assert wide.ci.high > labels.ci.high
    accuracy = (fold_rows(y, fold, (p > 0.5) * 1, probabilities=given) for given in (p, None))
    first, second = map(fold_rows_score, accuracy)
    assert tuple(first.ci) == tuple(second.ci)


def test_class_shares_of_groups_vary_by_groups():
    rng, y, fold = five_by_two(60)
    p = np.clip(0.5 + (2 * y - 1) * 0.03 + 0.05 * rng.standard_normal(fold.shape), 0.01, 0.99)
    options = {"metric": "recall", "positive": 1}
    few = fold_rows(y, fold, (p > 0.5) * 1, probabilities=p, **options)
    many = np.tile(y, 4), np.tile(fold, (1, 4)), np.tile((p > 0.5) * 1, (1, 4))
    options |= {"probabilities": np.tile(p, (1, 4)), "groups": np.tile(np.arange(60), 4)}
    grouped = fold_rows(*many, **options)
    of_rows, of_groups = (fold_rows_score(one).details["variance_share"] for one in (few, grouped))
    # Four copies of a row shift the log odds as the row does; two pseudo-rows beside 30 positive
    # ones damp the change of the recall by 30/32, and beside 120 by 120/122.
    undamped = of_groups * (122 / 120) ** 2
    assert undamped == pytest.approx(of_rows * (32 / 30) ** 2)
    assert undamped > 0


def test_a_difference_has_the_part_by_which_class_shares_move_it():
    rng, y, fold = five_by_two(100)
    options = {"metric": "f1", "positive": 1}
    shrunken = np.clip(0.5 + (2 * y - 1) * 0.03 + 0.05 * rng.standard_normal(fold.shape), 0, 1)
    sure = noisy(rng, y, fold.shape, 0.75) * 1.0
    a, b = (fold_rows(y, fold, (p > 0.5) * 1, probabilities=p, **options) for p in (shrunken, sure))
    result = fold_rows_difference(a, b)
    # no shift moves a probability of 1: the part is that of the shrunken model
    expected = fold_rows_score(a).details["variance_share"]
    assert result.details["variance_share"] == pytest.approx(expected)
    assert class_shares_of(result).holds is True
    labels = (fold_rows(y, fold, (p > 0.5) * 1, **options) for p in (shrunken, sure))
    alone = fold_rows_difference(*labels)
    assert result.details["se"] ** 2 == pytest.approx(alone.details["se"] ** 2 + expected)
    assert class_shares_of(alone).holds is None
    assert result.pvalue > alone.pvalue
    # two models that class shares move alike have no such part
    alike = fold_rows(y, fold, (shrunken > 0.5) * 1, probabilities=shrunken, **options)
    same = fold_rows_difference(a, alike)
    assert (same.status, same.details["variance_share"]) == (Status.IDENTICAL_SCORES, 0)


METRICS_OF_CLASSES = ["balanced_accuracy", "f1", "recall", "precision", "mcc", "kappa", "jaccard"]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(20, 80),
    spread=st.sampled_from([0.001, 0.05, 0.5, 3.0]),
    offset=st.floats(-2, 2),
    metric=st.sampled_from(METRICS_OF_CLASSES),
)
def test_intervals_with_probabilities_hold_what_they_are_of(seed, rows, spread, offset, metric):
    rng, y, fold = five_by_two(rows, seed)
    log_odds = offset * spread + spread * (rng.standard_normal(fold.shape) + y - 0.5)
    p = 1 / (1 + np.exp(-log_odds))
    predicted = (p > 0.5) * 1
    given = {"metric": metric, "labels": [0, 1]}
    if metric not in ("balanced_accuracy", "mcc", "kappa"):
        given["positive"] = 1
    try:
        alone = fold_rows_score(fold_rows(y, fold, predicted, **given))
        wide = fold_rows_score(fold_rows(y, fold, predicted, probabilities=p, **given))
    except NoValue:  # a fold predicts no row positive, and has no precision
        return
    if wide.ci is None:
        return
    if metric in ("mcc", "kappa"):
        least = -1
    else:
        least = 0
    most = 1
    assert least <= wide.ci.low <= wide.details["centre"] <= wide.ci.high <= most
    assert wide.details["variance_share"] >= 0
    assert wide.ci.low <= alone.ci.low + 1e-12
    assert wide.ci.high >= alone.ci.high - 1e-12


@pytest.mark.parametrize("size", [0.05, 0.25])
@pytest.mark.parametrize("n", [60, 120])
def test_few_rows_of_models_that_hardly_tell_them_apart_are_cautioned(size, n):
    rng, y, fold = five_by_two(n)
    rows = []
    for _ in range(2):
        p = np.clip(0.5 + size * rng.standard_normal(fold.shape), 0.01, 0.99)
        rows.append(fold_rows(y, fold, p, metric="brier"))
    checks = {a.name: a.holds for a in fold_rows_difference(*rows).assumptions}
    assert checks["probabilities spread"] is (size > 0.15 or n > 100)


def test_probability_of_zero_is_cautioned():
    rng, y, fold = five_by_two(60)
    p = np.clip(0.5 + (2 * y - 1) * 0.2 + 0.3 * rng.standard_normal(fold.shape), 0, 1)
    result = fold_rows_score(fold_rows(y, fold, np.stack([1 - p, p], -1), metric="log_loss"))
    checks = {a.name: a.holds for a in result.assumptions}
    assert checks["no probability is 0"] is False


@pytest.mark.parametrize("distribution", ["normal", "t"])
def test_heavy_tails_are_seen_in_the_rows(distribution):
    rng, _, fold = five_by_two(100, seed=3)
    y = rng.standard_normal(100)
    if distribution == "t":
        y[7] = 50
    rows = fold_rows(y, fold, np.zeros((5, 100)) + 0.1, metric="rmse")
    checks = {a.name: a.holds for a in fold_rows_score(rows).assumptions}
    assert checks["no heavy tails"] is (distribution == "normal")


def test_degrees_of_freedom_of_normal_values_are_nearly_those_of_the_rows():
    rng, _, fold = five_by_two(2000)
    y = rng.standard_normal(2000)
    kurtosis = scipy_stats.kurtosis(np.abs(y)) + 3
    rows = fold_rows(y, fold, np.zeros((5, 2000)), metric="mae")
    assert rows.parts.df == pytest.approx(2 * 2000 / (kurtosis - 1), rel=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fold": [1, 2, 1, 2]}, "expected shape"),
        ({"fold": [[1, 2, 1, float("nan")]]}, "1 value"),
        ({"fold": [[1, 2, 1, 0.5]]}, "whole numbers"),
        ({"fold": [[0, 0, 0, 0]]}, "tests no row"),
        ({"fold": [[1, 1, 1, 1]]}, "none are left to train on"),
        ({"predicted": [1, 0, 1, 0]}, "expected shape"),
        ({"y_true": [1, 0, 1]}, "expected shape"),
        ({"probabilities": [0.5, 0.5, 0.5, 0.5]}, "probabilities.*expected shape"),
        ({"probabilities": [[0.5, 0.5, 0.5, -0.5]]}, "below 0"),
        ({"probabilities": [[0.5, 0.5, 0.5, float("nan")]]}, "NaN or infinite"),
        ({"probabilities": [[0.5] * 4], "metric": "brier"}, "not for brier"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    call = {"y_true": [1, 0, 1, 0], "fold": [[1, 1, 2, 2]], "predicted": [[1, 0, 0, 0]]}
    with pytest.raises(ArgumentError, match=message):
        fold_rows(**{**call, **change})


def test_models_on_other_folds_or_by_other_metrics_are_refused():
    rng, y, fold = five_by_two(40)
    predicted = noisy(rng, y, fold.shape, 0.8)
    rows = fold_rows(y, fold, predicted)
    with pytest.raises(ArgumentError, match="other folds"):
        fold_rows_difference(rows, fold_rows(y, fold[::-1], predicted[::-1]))
    with pytest.raises(ArgumentError, match="is by error"):
        fold_rows_difference(rows, fold_rows(y, fold, predicted, metric="error"))


def test_too_few_rows_of_a_class_have_no_answer():
    _, _, fold = five_by_two(40)
    y = (np.arange(40) < 4).astype(int)
    fold[:, :4] = [1, 2, 1, 2]
    result = fold_rows_score(fold_rows(y, fold, np.tile(y, (5, 1)), metric="recall"))
    assert (result.status, result.ci) == (Status.TOO_FEW, None)


def test_fits_that_share_one_group_say_nothing_of_the_training_rows():
    rng = np.random.default_rng(3)
    n = 40
    y = np.arange(n) % 2
    fold = np.array([rng.permutation(np.arange(n) % 5) + 1 for _ in range(5)])
    a, b = (noisy(rng, y, fold.shape, p) for p in (0.9, 0.6))
    few = fold_rows_difference(fold_rows(y, fold, a), fold_rows(y, fold, b))
    many = {
        "y_true": np.tile(y, 5),
        "fold": np.tile(fold, (1, 5)),
        "groups": np.tile(np.arange(n), 5),
    }
    rows = [fold_rows(predicted=np.tile(p, (1, 5)), **many) for p in (a, b)]
    copied = fold_rows_difference(*rows)
    expected = few.details["variance_training"]
    assert copied.details["variance_training"] == pytest.approx(expected)
    assert expected > 0


def test_table_of_a_model_in_groups_counts_groups():
    rng, y, fold = five_by_two(60)
    predicted = noisy(rng, y, fold.shape, 0.8)
    many = np.tile(y, 3), np.tile(fold, (1, 3)), np.tile(predicted, (1, 3))
    rows = fold_rows_score(fold_rows(*many, metric="f1", positive=1))
    grouped = fold_rows(*many, metric="f1", positive=1, groups=np.tile(np.arange(60), 3))
    groups = fold_rows_score(grouped)
    # three copies of a row have thrice the variance of three rows, but for the pseudo-rows
    ratio = groups.details["variance_table"] / rows.details["variance_table"]
    assert 2.8 < ratio <= 3
    assert groups.df <= 59


def test_all_pairs_take_the_values_of_each_model():
    rng, y, fold = five_by_two(60)
    rows = [fold_rows(y, fold, noisy(rng, y, fold.shape, p)) for p in (0.9, 0.8, 0.7)]
    result = all_pairs("fold_rows_difference", rows, correction="holm")
    assert result.pairs[1].pvalue == fold_rows_difference(rows[0], rows[2]).pvalue
    with pytest.raises(ArgumentError, match="1 model"):
        all_pairs("fold_rows_difference", rows[:1])


def test_arrays_in_the_place_of_values_are_refused():
    _, y, fold = five_by_two(40)
    rows = fold_rows(y, fold, np.tile(y, (5, 1)))
    with pytest.raises(ArgumentError, match="rows_b: found ndarray, expected what fold_rows"):
        fold_rows_difference(rows, y)
