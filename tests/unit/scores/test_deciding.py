"""Metrics that decisions are made by: net benefit, calibration, and their names."""

import numpy as np
import pytest
from scipy import special

from bakeoff import compare, gate, stats
from bakeoff.errors import UserError
from bakeoff.report.exhibits import draw, exhibits
from bakeoff.stats.metrics.library import calibration_curve


def rows(n=300, digits=6, seed=0):
    """Return classes and probabilities that rank them, with ties if there are few digits."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, special.expit(rng.normal(size=n) + 1.2 * y - 0.6).round(digits).clip(0.01, 0.99)


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
        ("top_k_accuracy@2.5", "must be a count"),
        ("accuracy@2", "accuracy"),
        ("partial_auc@0.1", "write `roc_auc`"),
        ("partial_auc", "write `roc_auc`"),
    ],
)
def test_a_wrong_option_is_one_sentence_through_every_door(name, why):
    y, p = rows(40)
    with pytest.raises(stats.ArgumentError, match="metric: "):
        stats.metric_difference(y, p, p[::-1], metric=name)
    for door in (
        lambda: compare(y, {"a": p, "b": p[::-1]}, positive=1, metrics=[name]),
        lambda: gate(y, p, p[::-1], positive=1, margin=0.1, metric=name),
    ):
        with pytest.raises(UserError) as caught:
            door()
        assert why in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_metric_told_twice_is_two_metrics_and_a_curve_comes_with_ici():
    y, p = rows()
    names = ["net_benefit@0.2", "net_benefit@0.4", "ici"]
    found = compare(y, {"a": p, "b": p**2, "c": y * 0.4 + 0.3}, positive=1, metrics=names)
    assert {*found._study.scores["metric"]} == {*names}
    by_kind = {item.kind: item for item in exhibits(found._study)}
    assert "Calibration curves of 3 models" in draw(by_kind["calibration"], found._study).alt
    # where all rows are called positive the benefit is that of treating all of them
    expected = y.mean() - (1 - y.mean()) * 0.25
    scores = found._study.scores.set_index(["metric", "model"])["value"]
    assert scores["net_benefit@0.2", "model-3"] == pytest.approx(expected)
