import math

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats import Status


def draw(shape, seed=0):
    return np.random.default_rng(seed).normal(0.8, 0.03, shape).round(4)


def compare(blocks, y):
    return stats.manova(y, criteria=("tp", "auc", "fn"), blocks=blocks)


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize(
    ("third", "message"),
    [
        (lambda y: 1 - y[..., 0], "'fn' is a linear combination of 'tp' on"),
        (lambda y: y[..., 0] + 2 * y[..., 1], "'fn' is a linear combination of 'tp', 'auc' on"),
        (lambda y: 1e6 + y[..., 0], "'fn' is a linear combination of 'tp'"),
    ],
)
def test_dependent_criteria_are_named(blocks, third, message):
    y = draw((10, 2, 3))
    y[..., 2] = third(y)
    with pytest.raises(ValueError, match=message):
        compare(blocks, y)


NEARLY, CONSTANT, HARDLY = draw((10, 2, 3)), draw((10, 2, 3)), np.full((8, 2, 3), 0.8)
NEARLY[..., 2] = NEARLY[..., 0] + 1e-4 * draw((10, 2), 3)
CONSTANT[..., 1] = 0.5
HARDLY[2, 0] = [0.9, 0.7, 0.85]
EQUAL = np.full((6, 2, 3), 0.3)
EQUAL[:, 0] = 0.1 + 0.2


@pytest.mark.parametrize("blocks", [True, False])
@pytest.mark.parametrize(
    ("y", "status"),
    [
        (NEARLY, Status.OK),
        (EQUAL, Status.IDENTICAL_SCORES),
        (EQUAL + np.array([[0.0] * 3, [0.1, 0.0, 0.2]]), Status.ZERO_VARIANCE),
        (CONSTANT, Status.UNDEFINED),
        (HARDLY, Status.UNDEFINED),  # folds that hardly differ are no fault of the criteria
        (draw((1, 2, 3)), Status.TOO_FEW),
        (draw((2, 2, 3)), Status.TOO_FEW),
    ],
)
def test_status_of_degenerate_criteria(blocks, y, status):
    result = compare(blocks, y)
    assert result.status is status
    assert math.isnan(result.pvalue) == (status not in (Status.OK, Status.IDENTICAL_SCORES))
    told = any("'auc' has no variance" in x.detail for x in result.assumptions)
    assert told == (y is CONSTANT)


def test_mixed_directions():
    y = np.stack((draw((10, 2)), draw((10, 2), 1)), axis=1)
    both = stats.manova(y)
    turned = stats.manova(y * [1, -1], greater_is_better=[True, False])
    assert turned.details["means"] == pytest.approx(both.details["means"])
    assert turned.pvalue == pytest.approx(both.pvalue)
    assert both.details["means"] == pytest.approx(y.mean(axis=0))


@pytest.mark.parametrize("blocks", [True, False])
def test_manova_leaves_out_missing_folds(blocks):
    y = draw((10, 3, 2))
    holed = y.copy()
    holed[4, 1, 0] = np.nan
    found = stats.manova(holed, blocks=blocks, nan_policy="omit")
    assert found.status is Status.OK
    if blocks:
        rest = stats.manova(np.delete(y, 4, axis=0))
        assert found.pvalue == pytest.approx(rest.pvalue)
    assert found.n == (9 if blocks else 10)
    with pytest.raises(ValueError, match="NaN"):
        stats.manova(holed, blocks=blocks)
    holed[:, 1] = np.nan
    with pytest.raises(ValueError, match="no complete fold"):
        stats.manova(holed, blocks=blocks, nan_policy="omit")


def test_bound_of_roys_root_is_told():
    found = stats.manova(draw((10, 4, 3)), statistic="roy")
    assert any(x.name == "exact reference distribution" for x in found.assumptions)


def test_an_approximation_without_degrees_of_freedom_is_too_few():
    y = draw((2, 3, 2))
    assert stats.manova(y, statistic="pillai").status is Status.OK
    trace = stats.manova(y, statistic="hotelling-lawley")
    assert trace.status is Status.TOO_FEW
    assert math.isnan(trace.pvalue)
