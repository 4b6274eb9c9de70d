"""What holds of every metric, whoever added it: it says what it needs, and in what unit it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, POINTS, Need
from bakeoff.spec import Costs

TESTS = Path(__file__).parents[1] / "unit/scores"
COSTS = Costs(classes=["a", "b"], matrix=[[0.0, 1.0], [2.0, 0.0]], priors=[1.0, 3.0])


def predictions(probabilities: bool) -> Predictions:
    rng = np.random.default_rng(0)
    y, p = np.resize([0, 1, 1], 60), rng.dirichlet(np.ones(2), 60)
    shown = p if probabilities else None
    return Predictions(np.arange(60), y, p.argmax(axis=1), ("a", "b"), shown, None, {})


@pytest.mark.parametrize("name", METRICS)
def test_entry_is_complete(name: str) -> None:
    metric = METRICS[name]
    assert metric.title
    assert metric.unit, "say what a difference of two values is measured in"
    assert metric.unit != POINTS or metric.range == (0.0, 1.0)
    assert bool(metric.instead) == metric.binary
    for other in metric.instead.replace(" or ", ", ").split(", ") if metric.instead else ():
        assert not METRICS[other].binary


@pytest.mark.parametrize("name", METRICS)
def test_metric_looks_at_nothing_but_what_it_says_it_needs(name: str) -> None:
    metric = METRICS[name]
    ranked = metric.needs in (Need.RANKING, Need.PROBABILITIES)
    priced = metric.needs in (Need.COSTS, Need.PRIORS)
    value, reason = metric(predictions(ranked), COSTS if priced else None)
    assert reason == ""
    assert metric.range[0] <= value <= metric.range[1]
    if metric.needs is not Need.LABELS:
        assert metric(predictions(False))[1] != ""


@pytest.mark.parametrize("name", METRICS)
def test_metric_has_a_test(name: str) -> None:
    assert any(f'"{name}"' in file.read_text() for file in TESTS.glob("test_*.py"))
