"""What holds of every metric, whoever added it: it says what it needs, and in what unit it is."""

import ast
from pathlib import Path

import numpy as np
import pytest

import bakeoff
from bakeoff.fit.predictions import Predictions
from bakeoff.scores import METRICS, POINTS, Need, score
from bakeoff.spec import Costs
from bakeoff.spec.metrics import RIGHT

TESTS = Path(__file__).parents[1] / "unit/scores"
PACKAGE = Path(bakeoff.__file__).parent
COSTS = Costs(classes=["a", "b"], matrix=[[0.0, 1.0], [2.0, 0.0]], priors=[1.0, 3.0])


TOLD = ("net_benefit@0.2", "fbeta@3", "top_k_accuracy@2")
"""Metrics with an option, which have its value in their names."""
NAMES = (*METRICS, *TOLD)
OF_NUMBERS = {name for name, metric in METRICS.items() if metric.needs is Need.NUMBERS}


def made(y_true, y_pred, classes=(), probabilities=None):
    return Predictions(np.arange(len(y_true)), y_true, y_pred, classes, probabilities, None, {})


def predictions(name, *, probabilities=True):
    rng = np.random.default_rng(0)
    if name in OF_NUMBERS:
        y = rng.uniform(1, 3, 60)
        return made(y, y + rng.uniform(-0.9, 0.9, 60))
    p = rng.dirichlet(np.ones(2), 60)
    shown = p if probabilities else None
    return made(np.resize([0, 1, 1], 60), p.argmax(axis=1), ("a", "b"), shown)


def value(name, predicted):
    """Return the value of a metric, and why there is none."""
    return score(METRICS[name], predicted, COSTS if METRICS[name].priced else None)


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name):
    metric = METRICS[name]
    assert metric.title
    assert metric.unit, "say what a difference of two values is measured in"
    assert metric.unit != POINTS or metric.range == (0.0, 1.0) or name in OF_NUMBERS
    assert bool(metric.instead) == metric.binary
    for other in metric.instead.replace(" or ", ", ").split(", ") if metric.instead else ():
        assert not METRICS[other].binary


@pytest.mark.parametrize("name", [name for name in NAMES if name not in OF_NUMBERS])
def test_metric_looks_at_nothing_but_what_it_says_it_needs(name):
    metric = METRICS[name]
    found, reason = value(name, predictions(name, probabilities=metric.by_order))
    assert reason == ""
    assert metric.range[0] <= found <= metric.range[1]
    if metric.needs is not Need.LABELS:
        assert score(metric, predictions(name, probabilities=False))[1] != ""


@pytest.mark.parametrize("name", METRICS)
def test_metric_has_a_test(name):
    assert any(f'"{name}"' in file.read_text() for file in TESTS.glob("test_*.py"))


def test_reader_of_experiments_knows_which_number_of_a_row_is_right():
    """It declares this itself, so that reading an experiment loads no NumPy."""
    counted = {name: metric.counts for name, metric in METRICS.items() if metric.counts}
    assert {name: int(counts == "right") for name, counts in counted.items()} == RIGHT


@pytest.mark.parametrize("room", [p for p in PACKAGE.iterdir() if p.is_dir()], ids=lambda p: p.name)
def test_nothing_depends_on_the_name_of_a_metric(room):
    """What is particular about a metric is an attribute of its object."""
    for file in room.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Compare):
                parts = list(ast.walk(node))
                said = {one.value for one in parts if isinstance(one, ast.Constant)}
                names = {getattr(one, "id", getattr(one, "attr", "")) for one in parts}
                by_name = any("metric" in name.lower() for name in names) and said & set(METRICS)
                assert not by_name, f"{file}:{node.lineno}: {ast.unparse(node)}"


NEVER_WORST = {"average_precision", "average_precision_macro"}
"""Ranking all rows the wrong way round still leaves a share."""


def certain(y, k, *, right, spread=False):
    """Predict all rows rightly or wrongly, and be certain of it or of nothing but the error."""
    said = y if right else (y + 1) % k
    p = (1 - np.eye(k))[y] / (k - 1) if spread else np.eye(k)[said]
    return made(y, said, tuple("abcd"[:k]), p)


@pytest.mark.parametrize("name", NAMES)
def test_range_is_that_from_all_wrong_to_all_right(name):
    metric = METRICS[name]
    k = 2 if metric.binary or metric.priced or metric.range[0] < 0 else 4
    y = np.arange(40) % k
    worst, best = metric.range if metric.greater_is_better else metric.range[::-1]
    if name in OF_NUMBERS:
        numbers = y + 1.0
        assert value(name, made(numbers, numbers))[0] == pytest.approx(best, abs=1e-12)
        far = value(name, made(numbers, 1e6 / numbers))[0]
        assert abs(far - (worst if np.isfinite(worst) else best)) < 0.4 or abs(far) > 10
        return
    all_right = value(name, certain(y, k, right=True))[0]
    best = y.mean() if name.startswith("net_benefit") else best  # no benefit exceeds the prevalence
    assert all_right == pytest.approx(best, abs=1e-12)
    wrong = [value(name, certain(y, k, right=False, spread=s))[0] for s in (False, True)]
    found = min(wrong) if metric.greater_is_better else max(wrong)
    if np.isfinite(worst) and name not in NEVER_WORST:
        assert found == pytest.approx(worst, abs=1e-12)
    else:
        assert abs(found - best) > 0.4


@pytest.mark.parametrize("name", NAMES)
def test_metric_is_the_mean_of_rows_if_it_says_so(name):
    whole = predictions(name)
    parts = (whole.y_true, whole.y_pred, whole.probabilities)
    rows = [[part if part is None else part[[i]] for part in parts] for i in range(60)]
    rows = [made(y, said, whole.classes, p) for y, said, p in rows]
    mean = np.mean([value(name, row)[0] for row in rows])
    alike = bool(np.isclose(mean, value(name, whole)[0]))
    # of two classes it is always 1
    assert alike == METRICS[name].mean_of_rows or name.startswith("top_")
