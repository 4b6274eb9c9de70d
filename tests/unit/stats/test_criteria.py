from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.multivariate.manova import MANOVA
from statsmodels.stats.multivariate import test_mvmean as one_sample_t2
from statsmodels.stats.multivariate import test_mvmean_2indep as two_sample_t2

from bakeoff import stats
from bakeoff.stats import Status

NAMES = ("accuracy", "recall", "auc")
STATISTICS = ("wilks", "pillai", "hotelling-lawley", "roy")


def draw(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.8, 0.03, shape).round(4)


def test_paired_against_statsmodels() -> None:
    a, b = draw((12, 3)), draw((12, 3), 1)
    ours, theirs = stats.hotelling_t2(a, b), one_sample_t2(a - b)
    assert ours.details["t2"] == pytest.approx(theirs.t2)
    assert ours.pvalue == pytest.approx(theirs.pvalue)


def test_unpaired_against_statsmodels() -> None:
    a, b = draw((12, 3)), draw((9, 3), 1)
    ours, theirs = stats.hotelling_t2_unpaired(a, b), two_sample_t2(a, b)
    assert ours.details["t2"] == pytest.approx(theirs.t2)
    assert ours.pvalue == pytest.approx(theirs.pvalue)


def test_one_criterion_is_the_paired_t_test() -> None:
    a, b = draw((10, 1)), draw((10, 1), 1)
    joint, single = stats.hotelling_t2(a, b), stats.kfold_t(a[:, 0], b[:, 0])
    assert joint.statistic == pytest.approx(single.statistic**2)
    assert joint.pvalue == pytest.approx(single.pvalue)
    assert single.ci is not None
    assert joint.details["ci_low"][0] == pytest.approx(single.ci.low)


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
    one, two = stats.hotelling_t2(d, zero), stats.hotelling_t2(d @ m, zero)
    assert one.statistic == pytest.approx(two.statistic, rel=1e-6, abs=1e-9)
    swapped = stats.hotelling_t2(zero, d)
    assert swapped.pvalue == pytest.approx(one.pvalue)
    assert swapped.details["mean_difference"] == pytest.approx(-one.details["mean_difference"])
    assert 0 <= one.pvalue <= 1


def test_the_vector_sees_what_no_criterion_shows() -> None:
    rng = np.random.default_rng(2)
    common = rng.normal(0, 0.05, 20)
    d = np.column_stack((common + 0.01, common - 0.01)) + rng.normal(0, 0.005, (20, 2))
    zero = np.zeros(20)
    assert stats.hotelling_t2(d, np.zeros((20, 2))).pvalue < 1e-6
    assert min(stats.kfold_t(c, zero).pvalue for c in d.T) > 0.2


@pytest.mark.parametrize("test", ["hotelling_t2", "hotelling_t2_unpaired", "manova"])
class TestDependence:
    def compare(self, test: str, a: np.ndarray, b: np.ndarray) -> stats.Result:
        names = ("tp", "auc", "fn")
        if test == "manova":
            return stats.manova(np.stack((a, b), axis=1), criteria=names)
        result: stats.Result = getattr(stats, test)(a, b, criteria=names)
        return result

    def test_dependent_criteria_are_named(self, test: str) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = 1 - a[:, 0], 1 - b[:, 0]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp' on"):
            self.compare(test, a, b)
        a[:, 2], b[:, 2] = a[:, 0] + 2 * a[:, 1], b[:, 0] + 2 * b[:, 1]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp', 'auc' on"):
            self.compare(test, a, b)

    def test_a_shift_does_not_hide_dependence(self, test: str) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = 1e6 + a[:, 0], 1e6 + b[:, 0]
        with pytest.raises(ValueError, match="'fn' is a linear combination of 'tp'"):
            self.compare(test, a, b)

    def test_nearly_dependent_criteria_are_not_refused(self, test: str) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 2], b[:, 2] = a[:, 0] + 1e-4 * draw((10,), 3), b[:, 0] + 1e-4 * draw((10,), 4)
        assert self.compare(test, a, b).status is Status.OK

    def test_identical(self, test: str) -> None:
        a = np.full((6, 3), 0.1) + 0.2
        result = self.compare(test, a, np.full((6, 3), 0.3))
        assert (result.status, result.pvalue) == (Status.IDENTICAL_SCORES, 1)

    def test_constant_difference(self, test: str) -> None:
        a = np.full((6, 3), 0.8)
        result = self.compare(test, a, a - [0.1, 0.0, 0.2])
        assert result.status is Status.ZERO_VARIANCE
        assert math.isnan(result.pvalue)

    def test_one_constant_criterion_is_named(self, test: str) -> None:
        a, b = draw((10, 3)), draw((10, 3), 1)
        a[:, 1] = b[:, 1] = 0.5
        result = self.compare(test, a, b)
        assert result.status is Status.UNDEFINED
        assert math.isnan(result.pvalue)
        assert any("'auc' has no variance" in x.detail for x in result.assumptions)

    def test_too_few_folds(self, test: str) -> None:
        for folds in (1, 2):
            result = self.compare(test, draw((folds, 3)), draw((folds, 3), 1))
            assert result.status is Status.TOO_FEW
            assert math.isnan(result.pvalue)

    def test_folds_that_hardly_differ_are_no_fault_of_the_criteria(self, test: str) -> None:
        a = np.full((8, 3), 0.8)
        a[2] = [0.9, 0.7, 0.85]
        result = self.compare(test, a, np.full((8, 3), 0.8))
        assert result.status is Status.UNDEFINED
        assert math.isnan(result.pvalue)

    def test_wrong_names(self, test: str) -> None:
        a, b = draw((10, 2)), draw((10, 2), 1)
        with pytest.raises(ValueError, match="criteria: expected 2"):
            self.compare(test, a, b)


def test_mixed_directions() -> None:
    a, b = draw((10, 2)), draw((10, 2), 1)
    both = stats.hotelling_t2(a, b)
    turned = a * [1, -1], b * [1, -1]
    mixed = stats.hotelling_t2(*turned, greater_is_better=[True, False])
    assert mixed.details["mean_difference"] == pytest.approx(both.details["mean_difference"])
    assert mixed.pvalue == pytest.approx(both.pvalue)
    means = stats.manova(np.stack((a, b), axis=1)).details["means"]
    assert means == pytest.approx(np.array([a.mean(axis=0), b.mean(axis=0)]))
    turned_means = stats.manova(np.stack(turned, axis=1), greater_is_better=[True, False])
    assert turned_means.details["means"] == pytest.approx(means)
    with pytest.raises(ValueError, match="greater_is_better"):
        stats.hotelling_t2(a, b, greater_is_better=[True])
    with pytest.raises(ValueError, match="hotelling_t2_unpaired"):
        stats.hotelling_t2(a, b[:-1])


def test_manova_against_statsmodels() -> None:
    y = draw((10, 3, 2)) + np.linspace(0, 0.02, 3)[:, None]
    rows = y.reshape(-1, 2)
    models = np.tile(np.arange(3), 10)
    design = np.column_stack([models == i for i in range(3)]).astype(float)
    contrast = np.array([[1.0, -1, 0], [0, 1, -1]])
    table = MANOVA(rows, design).mv_test([("m", contrast, None)]).results["m"]["stat"]
    ours = stats.manova(y, blocks=False).details
    for name, theirs in zip(
        STATISTICS,
        ("Wilks' lambda", "Pillai's trace", "Hotelling-Lawley trace", "Roy's greatest root"),
        strict=True,
    ):
        assert ours[name]["statistic"] == pytest.approx(float(table.loc[theirs, "Value"]))
    assert ours["wilks"]["pvalue"] == pytest.approx(float(table.loc["Wilks' lambda", "Pr > F"]))


def test_manova_of_two_models_is_hotelling() -> None:
    a, b = draw((12, 3)), draw((12, 3), 1)
    y = np.stack((a, b), axis=1)
    paired, unpaired = stats.hotelling_t2(a, b), stats.hotelling_t2_unpaired(a, b)
    for name in STATISTICS:
        # with one degree of freedom of the hypothesis all four are exact and agree
        assert stats.manova(y, statistic=name).pvalue == pytest.approx(paired.pvalue)
        one_way = stats.manova(y, statistic=name, blocks=False)
        assert one_way.pvalue == pytest.approx(unpaired.pvalue)


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


def test_manova_is_indifferent_to_order() -> None:
    y = draw((10, 4, 3))
    one = stats.manova(y, statistic="roy")
    two = stats.manova(y[::-1][:, [3, 1, 0, 2]][:, :, [2, 0, 1]], statistic="roy")
    assert one.pvalue == pytest.approx(two.pvalue)
    assert any(x.name == "exact reference distribution" for x in one.assumptions)
    with pytest.raises(ValueError, match="statistic: found 'lambda'"):
        stats.manova(y, statistic="lambda")
    with pytest.raises(ValueError, match="need at least 2"):
        stats.manova(y[:, :1])


def test_an_approximation_without_degrees_of_freedom_is_too_few() -> None:
    y = draw((2, 3, 2))
    assert stats.manova(y, statistic="pillai").status is Status.OK
    trace = stats.manova(y, statistic="hotelling-lawley")
    assert trace.status is Status.TOO_FEW
    assert math.isnan(trace.pvalue)
