from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bakeoff import stats
from bakeoff.stats import Status

STATISTICS = ("wilks", "pillai", "hotelling-lawley", "roy")


def draw(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.8, 0.03, shape).round(4)


def hotelling(a: np.ndarray, b: np.ndarray, **options: Any) -> stats.Result:
    return stats.manova(np.stack((a, b), axis=1), statistic="hotelling-lawley", **options)


@given(
    arrays(np.float64, (8, 2), elements=st.floats(0, 1).map(lambda x: round(x, 2))),
    arrays(np.float64, (2, 2), elements=st.floats(-3, 3).map(lambda x: round(x, 1))),
)
@settings(deadline=None, max_examples=60)
def test_invariant_under_linear_maps_of_the_criteria(d: np.ndarray, m: np.ndarray) -> None:
    centred = d - d.mean(axis=0)
    if np.linalg.cond(m) > 50 or np.linalg.cond(centred) > 1e3:
        return
    zero = np.zeros_like(d)
    one, two = hotelling(d, zero), hotelling(d @ m, zero)
    assert one.statistic == pytest.approx(two.statistic, rel=1e-6, abs=1e-9)
    assert hotelling(zero, d).pvalue == pytest.approx(one.pvalue)
    assert 0 <= one.pvalue <= 1


def test_the_vector_sees_what_no_criterion_shows() -> None:
    rng = np.random.default_rng(2)
    common = rng.normal(0, 0.05, 20)
    d = np.column_stack((common + 0.01, common - 0.01)) + rng.normal(0, 0.005, (20, 2))
    zero = np.zeros(20)
    assert hotelling(d, np.zeros((20, 2))).pvalue < 1e-6
    assert min(stats.kfold_t(c, zero).pvalue for c in d.T) > 0.2


@pytest.mark.parametrize("blocks", [True, False])
class TestDependence:
    def compare(self, blocks: bool, a: np.ndarray, b: np.ndarray) -> stats.Result:
        names = ("tp", "auc", "fn")
        return stats.manova(np.stack((a, b), axis=1), criteria=names, blocks=blocks)

    def test_dependent_criteria_are_named(self, blocks: bool) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = 1 - a[:, 0], 1 - b[:, 0]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp' on"):
            self.compare(blocks, a, b)
        a[:, 2], b[:, 2] = a[:, 0] + 2 * a[:, 1], b[:, 0] + 2 * b[:, 1]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp', 'auc' on"):
            self.compare(blocks, a, b)

    def test_a_shift_does_not_hide_dependence(self, blocks: bool) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = 1e6 + a[:, 0], 1e6 + b[:, 0]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp'"):
            self.compare(blocks, a, b)

    def test_nearly_dependent_criteria_are_not_refused(self, blocks: bool) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = a[:, 0] + 1e-4 * draw((10,), 3), b[:, 0] + 1e-4 * draw((10,), 4)
        assert self.compare(blocks, a, b).status is Status.OK

    def test_identical(self, blocks: bool) -> None:
        a = np.full((6, 3), 0.1) + 0.2
        result = self.compare(blocks, a, np.full((6, 3), 0.3))
        assert (result.status, result.pvalue) == (Status.IDENTICAL_SCORES, 1)

    def test_constant_difference(self, blocks: bool) -> None:
        a = np.full((6, 3), 0.8)
        result = self.compare(blocks, a, a - [0.1, 0.0, 0.2])
        assert result.status is Status.ZERO_VARIANCE
        assert math.isnan(result.pvalue)

    def test_one_constant_criterion_is_named(self, blocks: bool) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 1] = b[:, 1] = 0.5
        result = self.compare(blocks, a, b)
        assert result.status is Status.UNDEFINED
        assert math.isnan(result.pvalue)
        assert any("'auc' has no variance" in x.detail for x in result.assumptions)

    def test_too_few_folds(self, blocks: bool) -> None:
        for folds in (1, 2):
            result = self.compare(blocks, draw((folds, 3)), draw((folds, 3), 1))
            assert result.status is Status.TOO_FEW
            assert math.isnan(result.pvalue)

    def test_folds_that_hardly_differ_are_no_fault_of_the_criteria(self, blocks: bool) -> None:
        a = np.full((8, 3), 0.8)
        a[2] = [0.9, 0.7, 0.85]
        result = self.compare(blocks, a, np.full((8, 3), 0.8))
        assert result.status is Status.UNDEFINED
        assert math.isnan(result.pvalue)


def test_mixed_directions() -> None:
    y = np.stack((draw((10, 2)), draw((10, 2), 1)), axis=1)
    both = stats.manova(y)
    turned = stats.manova(y * [1, -1], greater_is_better=[True, False])
    assert turned.details["means"] == pytest.approx(both.details["means"])
    assert turned.pvalue == pytest.approx(both.pvalue)
    assert both.details["means"] == pytest.approx(y.mean(axis=0))


@pytest.mark.parametrize("blocks", [True, False])
def test_all_four_statistics_of_two_models_have_the_same_pvalue(blocks: bool) -> None:
    y = np.stack((draw((12, 3)), draw((12, 3), 1)), axis=1)
    found = {stats.manova(y, statistic=name, blocks=blocks).pvalue for name in STATISTICS}
    assert max(found) - min(found) < 1e-12


@pytest.mark.parametrize("blocks", [True, False])
def test_manova_of_one_criterion_is_anova(blocks: bool) -> None:
    y = draw((10, 4, 1))
    found = stats.manova(y, blocks=blocks)
    if blocks:
        single = stats.anova_repeated_measures(y[:, :, 0], correction="none")
    else:
        single = stats.anova_oneway(y[:, :, 0])
    assert found.details["wilks"]["approx_F"] == pytest.approx(single.statistic)
    assert found.pvalue == pytest.approx(single.pvalue)


@pytest.mark.parametrize("blocks", [True, False])
def test_manova_leaves_out_missing_folds(blocks: bool) -> None:
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


def test_bound_of_roys_root_is_told() -> None:
    found = stats.manova(draw((10, 4, 3)), statistic="roy")
    assert any(x.name == "exact reference distribution" for x in found.assumptions)


def test_an_approximation_without_degrees_of_freedom_is_too_few() -> None:
    y = draw((2, 3, 2))
    assert stats.manova(y, statistic="pillai").status is Status.OK
    trace = stats.manova(y, statistic="hotelling-lawley")
    assert trace.status is Status.TOO_FEW
    assert math.isnan(trace.pvalue)
