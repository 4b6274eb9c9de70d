"""Any metric on one test set: values, influence values, intervals, tests."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn import metrics as sk

from bakeoff import stats
from bakeoff.stats import Status
from bakeoff.stats.design.groups import Spread
from bakeoff.stats.gate import skewed_limits, skewed_pvalue
from bakeoff.stats.metrics import influence as engine
from bakeoff.stats.metrics.differences import bca_interval
from bakeoff.stats.metrics.family import compare_models
from bakeoff.stats.metrics.metric import METRICS, Need, Truth, View

NAMES = [
    *(m for m, one in METRICS.items() if not one.option),
    *("net_benefit@0.3", "fbeta@2", "top_k_accuracy@2"),
]
OF_CLASSES = [m for m in NAMES if METRICS[m].needs is not Need.NUMBERS and METRICS[m].interval]
COST = [[0.0, 1, 3], [2, 0, 1], [5, 1, 0]]
PRIORS = [3.0, 1, 2]


def rows(n=90, k=2, seed=0):
    """Return truth, predicted classes and probabilities of one model."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    logits = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[y]
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return y, p.argmax(axis=1), p


def options(metric, k):
    """Return the options that a metric needs in these tests."""
    if metric.endswith("cost"):
        given = {"cost": np.array(COST)[:k, :k]}
    else:
        given = {}
    return given | ({"priors": PRIORS[:k]} if metric == "expected_cost" else {})


CASES = [
    (metric, k) for metric in OF_CLASSES for k in (2, 3) if not (METRICS[metric].binary and k > 2)
]
CASES += [(m, 0) for m in NAMES if METRICS[m].needs is Need.NUMBERS and METRICS[m].smooth]


@pytest.mark.parametrize(("metric", "k"), CASES)
def test_influence_values_are_what_one_more_row_changes(metric, k):
    # many copies of the rows, one of them once more: the infinitesimal jackknife in numbers
    y, said, p = rows(n=40, k=k or 2, seed=3)
    if not METRICS[metric].by_order:
        predicted = said
    else:
        predicted = p
    if not k:  # numbers above 0, with ties
        y = np.round(np.random.default_rng(5).gamma(2, 3, 40), 1) + 0.1
        predicted = np.round(y * np.exp(p[:, 0] - 0.5), 1) + 0.1
    copies = 400
    often_y = np.tile(y, copies)
    often = np.concatenate([predicted] * copies)
    base = stats.influence(y, predicted, metric=metric, groups=np.arange(40), **options(metric, k))
    for i in (0, 7, 21):
        rows_and_one = np.append(often_y, y[i]), np.concatenate([often, predicted[i : i + 1]])
        more = stats.influence(*rows_and_one, metric=metric, **options(metric, k))
        change = (more.value - base.value) * (40 * copies + 1)
        assert change == pytest.approx(base.psi[i], rel=0.02, abs=0.003)
    assert base.psi.mean() == pytest.approx(0, abs=1e-9 * max(1, np.abs(base.psi).max()))


@given(seed=st.integers(0, 10_000), metric=st.sampled_from(sorted(OF_CLASSES)))
@settings(max_examples=60, deadline=None)
def test_order_of_rows_and_names_of_groups_are_irrelevant(seed, metric):
    rng = np.random.default_rng(seed)
    y, said, p = rows(seed=seed)
    _, said_b, p_b = rows(seed=seed + 1)
    a, b = (said, said_b) if not METRICS[metric].by_order else (p, p_b)
    groups = rng.integers(0, 20, len(y))
    order = rng.permutation(len(y))
    how = {"metric": metric, **options(metric, 2)}
    first = stats.metric_difference(y, a, b, groups=groups, **how)
    names = np.array([f"p{g * 7 % 23}" for g in groups])
    second = stats.metric_difference(y[order], a[order], b[order], groups=names[order], **how)
    assert second.pvalue == pytest.approx(first.pvalue, rel=1e-7)
    assert second.estimate == pytest.approx(first.estimate, abs=1e-12)


def test_perfect_area_has_an_exact_limit():
    y = np.array([1] * 12 + [0] * 28)
    result = stats.metric_ci(y, y * 1.0, metric="roc_auc")
    assert (result.status, result.estimate) == (Status.ZERO_VARIANCE, 1.0)
    assert result.ci.low == pytest.approx(0.025 ** (1 / 12))
    turned = stats.metric_ci(y, -y * 1.0, metric="roc_auc")
    assert (turned.estimate, turned.ci.low) == (0.0, 0.0)
    assert turned.ci.high == pytest.approx(1 - result.ci.low)


def test_standard_error_in_groups_is_that_of_the_tests_for_groups():
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), rng.integers(1, 15, 12))
    y = np.resize([0, 1, 0], len(groups))
    a, b = y + rng.normal(size=(2, len(y)))
    area = stats.metric_difference(y, a, b, metric="roc_auc", groups=groups)
    direct = stats.delong(y, a, b, groups=groups)
    assert area.details["se"] == pytest.approx(direct.details["se"], rel=1e-12)
    assert (area.df, area.pvalue) == pytest.approx((direct.df, direct.pvalue), rel=1e-9)
    assert area.df <= stats.delong(y, a, b, groups=groups, variant="robust_t").df
    mean, direct, flips, robust = (
        stats.mean_difference(a, b, groups=groups, variant=variant)
        for variant in ("t_and_flips", "influence_t", "sign_flip", "robust_t")
    )
    assert mean.details["se"] == pytest.approx(direct.details["se"], rel=1e-12)
    assert mean.df == pytest.approx(direct.df, rel=1e-9)
    assert mean.df <= robust.df
    assert mean.pvalue == pytest.approx(max(direct.pvalue, flips.pvalue), rel=1e-9)
    assert list(mean.ci) == pytest.approx(list(flips.ci), rel=1e-9)
    assert flips.ci.low <= direct.ci.low <= direct.ci.high <= flips.ci.high


def test_result_in_groups_says_what_the_rows_are_worth():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 8)
    y = rng.integers(0, 2, 240)
    lean = np.repeat(rng.normal(size=30), 8)
    a, b = (((rng.normal(size=240) + s * lean > 0) ^ (y == 1)) * 1 for s in (1, -1))
    details = stats.metric_difference(y, a, b, metric="f1", groups=groups).details
    assert (details["n_clusters"], details["design_effect"] > 2) == (30, True)
    assert details["n_effective"] == pytest.approx(240 / details["design_effect"])
    direct = stats.mcnemar(a == y, b == y, groups=groups)
    same = stats.metric_difference(y, a, b, groups=groups).details
    assert same["design_effect"] == pytest.approx(direct.design_effect, rel=0.01)
    assert "n_effective" not in stats.metric_difference(y, a, b).details
    pairs = compare_models(y, np.column_stack([a, b]), metric="f1", groups=groups)
    assert pairs.pairs[0].details["n_effective"] == pytest.approx(details["n_effective"])


def own_ci(function, n):
    """Return the interval of a function of row numbers."""
    metric = stats.own_metric(
        "own", lambda y, said, row: function(row), columns={"row": np.arange(n)}
    )
    return stats.metric_ci(np.arange(n) % 2, np.arange(n) % 2, metric=metric)


def test_blocks_are_left_out_of_many_rows():
    rng = np.random.default_rng(1)
    values = rng.normal(size=6_000)
    sizes = []

    def metric(r):
        sizes.append(len(r))
        return float(values[r].mean())

    result = own_ci(metric, len(values))
    assert len(sizes) == 201
    assert result.details["se"] == pytest.approx(values.std() / math.sqrt(6_000), rel=0.15)


def test_two_subgroups_with_shared_groups_are_a_paired_test_of_group_means():
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(40), 6)
    part = np.tile(np.repeat(np.arange(2), 3), 40)
    a = rng.normal(size=40)[group] + rng.normal(size=240) + 0.4 * part
    found = stats.mean_interaction(a, np.zeros(240), part, groups=group, df="rows")
    means = a.reshape(40, 2, 3).mean(axis=2)
    expected = scipy_stats.ttest_rel(means[:, 0], means[:, 1])
    assert abs(found.statistic) == pytest.approx(abs(expected.statistic))


def test_standard_error_of_an_own_metric_is_the_jackknife():
    # of a metric with a bias: the values that leave a row out are not around that of all rows
    x = np.random.default_rng(3).exponential(size=12)
    without = np.array([np.delete(x, i).var() for i in range(12)])
    jackknife = math.sqrt(11 / 12 * np.square(without - without.mean()).sum())
    assert own_ci(lambda r: x[r].var(), 12).details["se"] == pytest.approx(jackknife)


def test_a_class_that_nobody_has_or_says_does_not_count_in_macro_means():
    y = [0, 0, 1, 1, 1, 0]
    said = [0, 1, 1, 1, 0, 0]
    three = stats.metric_ci(y, said, metric="f1_macro", labels=[0, 1, 2])
    assert three.estimate == pytest.approx(sk.f1_score(y, said, average="macro"))
    # one that a single model says is a class for all of them
    models = np.column_stack([said, np.where(np.arange(6) == 0, 2, said)])
    for order in (models, models[:, ::-1]):
        (pair,) = stats.all_pairs("metric_difference", y, order, metric="recall_weighted").pairs
        assert abs(pair.estimate) == pytest.approx(1 / 6)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("metric", ["accuracy", "error", "recall_weighted"])
def test_accuracy_of_many_classes_is_that_of_all_their_cells(metric, grouped, monkeypatch):
    rng = np.random.default_rng(3)
    y, other_a, other_b = rng.integers(0, 12, (3, 80))
    a = np.where(rng.random(80) < 0.8, y, other_a)
    b = np.where(rng.random(80) < 0.7, y, other_b)
    how = {"metric": metric, "groups": np.arange(80) // 3 if grouped else None}
    by_right = stats.metric_difference(y, a, b, **how), stats.metric_ci(y, a, **how)
    monkeypatch.setattr(engine, "_MOST_CLASSES", 12)
    by_cells = stats.metric_difference(y, a, b, **how), stats.metric_ci(y, a, **how)
    for one, other in zip(by_right, by_cells, strict=True):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-14)
        assert (one.ci.low, one.ci.high) == pytest.approx((other.ci.low, other.ci.high), abs=1e-14)
    assert by_right[0].pvalue == pytest.approx(by_cells[0].pvalue, abs=1e-14)


@pytest.mark.parametrize(("classes", "codes"), [(12, "int8"), (40, "int8"), (200, "int16")])
def test_cells_of_many_classes_are_counted_with_codes_of_a_few_bits(classes, codes):
    y = (np.arange(3 * classes) % classes).astype(codes)
    predicted = np.where(np.arange(len(y)) % 4, y, y[::-1])
    view = View(Truth(y, tuple(range(classes)), 0), predicted=predicted)
    expected = sk.f1_score(y, predicted, average="macro")
    assert METRICS["f1_macro"].value(view) == pytest.approx(expected)


def test_table_that_does_not_fit_into_memory_is_refused_and_accuracy_needs_none(monkeypatch):
    monkeypatch.setattr(engine, "_MOST_CELLS", 1000)
    y = np.arange(30)
    a = np.roll(y, 1)
    b = np.where(y % 2, y, 0)
    with pytest.raises(ValueError, match=r"metric: .* up to about 10 classes .*, found 30; use"):
        stats.metric_difference(y, a, b, metric="f1_macro")
    assert stats.metric_ci(y, b, metric="f1_macro").estimate > 0
    assert stats.metric_difference(y, a, b, metric="accuracy").estimate == pytest.approx(-16 / 30)


def test_an_unknown_argument_is_named_by_the_function_that_was_called():
    with pytest.raises(TypeError, match=r"metric_ci\(\) got an unexpected .*'postive'"):
        stats.metric_ci([1, 0] * 20, [1, 0] * 20, metric="f1", postive=2)


@pytest.mark.parametrize(
    "replicates",
    [[0.5] * 100, [*[math.nan] * 20, *np.linspace(0, 1, 80)], np.linspace(0.6, 1, 100)],
    ids=["alike", "few", "beyond"],
)
def test_a_bootstrap_without_spread_or_values_has_no_interval(replicates):
    psi = np.linspace(-1, 1, 30)
    assert bca_interval(0.5, np.array(replicates), psi, 0.95) is None
    enough = np.append(np.full(10, math.nan), np.linspace(0, 1, 90))
    assert bca_interval(0.5, enough, psi, 0.95) is not None


@pytest.mark.parametrize("skew", [-2.0, 0.0, 3.0])
def test_pvalue_of_a_skewed_mean_is_the_level_at_which_its_limit_ends_at_zero(skew):
    spread = Spread(0.1, 24.0, 25.0)
    for t in (0.5, 2.0, 4.0):
        p = skewed_pvalue(t, spread, skew)
        assert skewed_limits(0.1 * t, spread, skew, p)[0] == pytest.approx(0, abs=1e-9)
    assert skewed_pvalue(2.0, spread, 0.0) == pytest.approx(scipy_stats.t.sf(2, 24))


def test_categorical_labels_have_the_numbers_of_texts_and_no_gaps():
    rng = np.random.default_rng(3)
    y, said = rng.choice(["a", "b", "c"], (2, 60))
    texts = stats.metric_ci(y, said, metric="balanced_accuracy")
    levels = ["c", "unseen", "b", "a"]
    own = [pd.Categorical(one, categories=levels) for one in (y, said)]
    found = stats.metric_ci(*own, metric="balanced_accuracy")
    assert (found.estimate, found.ci) == (pytest.approx(texts.estimate), texts.ci)
    own[1] = pd.Categorical([None if i == 7 else one for i, one in enumerate(said)])
    with pytest.raises(ValueError, match=r"missing value.*first in row 7"):
        stats.metric_ci(*own, metric="balanced_accuracy")


@pytest.mark.parametrize(("called", "holds"), [(6, False), (10, True), (40, True)])
@pytest.mark.parametrize("positives", [8, 60])
def test_net_benefit_wants_rows_that_are_called_positive(called, holds, positives):
    row = np.arange(1000)
    y = row < positives
    few = (row % 25 == 0) & (row < 25 * called)
    many = row < 100
    alone = stats.metric_ci(y, few, metric="net_benefit@0.2")
    pair = stats.metric_difference(y, many, few, metric="net_benefit@0.2")
    every = stats.all_pairs(
        "metric_difference", y, np.column_stack([many, few]), metric="net_benefit@0.2"
    )
    for found in (alone, pair, every):
        checks = {one.name: one for one in found.assumptions}
        assert checks["enough rows called positive"].holds is holds
        assert f"{called} rows called positive" in checks["enough rows called positive"].detail
        assert "enough rows of each class" not in checks
