import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats import Status
from bakeoff.stats.core.paired_differences import normality, paired_differences
from bakeoff.stats.folds.anova import sphericity as _sphericity_check
from bakeoff.stats.folds.anova import studentized_range_sf

OMNIBUS = ["anova_repeated_measures", "anova_oneway"]


def draw(shape=(10, 4), seed=0):
    rng = np.random.default_rng(seed)
    folds = rng.normal(0, 0.05, (shape[0], 1))
    return (0.8 + folds + rng.normal(0, 0.02, shape)).round(4)


@given(arrays(np.float64, (6, 2), elements=st.floats(0, 1).map(lambda x: round(x, 3))))
@settings(deadline=None, max_examples=60)
def test_two_models_give_the_t_tests(y):
    blocked, paired = stats.anova_repeated_measures(y), stats.kfold_t(y[:, 0], y[:, 1])
    assert blocked.status is paired.status
    tukey = stats.tukey_hsd(y).pairs[0]
    if paired.status is Status.OK:
        assert blocked.statistic == pytest.approx(paired.statistic**2, rel=1e-6)
        assert blocked.pvalue == pytest.approx(paired.pvalue, rel=1e-6)
        assert blocked.details["epsilon_gg"] == pytest.approx(1)
        assert tukey.pvalue == pytest.approx(paired.pvalue, rel=1e-6)
        assert tukey.pvalue_adjusted == pytest.approx(paired.pvalue, rel=1e-6, abs=1e-10)


def test_corrections_shrink_the_degrees_of_freedom():
    y = draw(seed=3)
    y[:, 0] += np.linspace(-0.1, 0.1, 10)
    found = {
        c: stats.anova_repeated_measures(y, correction=c)
        for c in ("none", "huynh-feldt", "greenhouse-geisser")
    }
    freedoms = [r.df1 for r in found.values()]
    assert freedoms == sorted(freedoms, reverse=True)
    for r in found.values():
        assert r.df1 is not None
        assert r.df2 is not None
        assert r.pvalue == pytest.approx(scipy_stats.f.sf(r.statistic, r.df1, r.df2))
    assert 1 / 3 <= found["none"].details["epsilon_gg"] < 1


def test_fewer_folds_than_models_still_has_a_correction():
    result = stats.anova_repeated_measures(draw((3, 6)))
    assert result.status is Status.OK
    assert result.details["mauchly_w"] == 0
    assert math.isnan(result.details["mauchly_pvalue"])
    assert 0.2 <= result.details["epsilon_gg"] <= 2 / 5 + 1e-12
    two = stats.anova_repeated_measures(draw((2, 3)), correction="huynh-feldt")
    assert two.pvalue == two.details["pvalue_gg"]


def test_welch_without_variance_in_one_model_is_undefined():
    y = draw()
    y[:, 0] = 0.8
    result = stats.anova_oneway(y, equal_var=False)
    assert result.status is Status.UNDEFINED
    assert math.isnan(result.pvalue)


def test_a_model_without_scores_is_named():
    y = draw()
    y[:, 2] = np.nan
    with pytest.raises(ValueError, match="model 2"):
        stats.anova_oneway(y, nan_policy="omit")
    y[:, 2] = 0.8
    y[::2, 0], y[1::2, 1] = np.nan, np.nan
    with pytest.raises(ValueError, match="no fold has a score of every model"):
        stats.tukey_hsd(y, nan_policy="omit")


@pytest.mark.parametrize("k", [3, 10, 40])
@pytest.mark.parametrize("df", [2, 5, 27, 600])
def test_studentized_range_is_that_of_scipy(k, df):
    for q in (0.01, 1, 3.5, 7):
        theirs = scipy_stats.studentized_range.sf(q, k, df)
        assert studentized_range_sf(q, k, df) == pytest.approx(theirs, rel=1e-7, abs=1e-11)


@pytest.mark.parametrize(("p", "holds"), [(0.0499, False), (0.05, True), (math.nan, None)])
def test_sphericity_is_doubted_below_five_percent(p, holds):
    said = _sphericity_check(0.5, p, "greenhouse-geisser")
    assert (said.name, said.holds) == ("sphericity", holds)


def test_normal_differences_are_judged_by_their_skewness_from_eight_folds_on():
    def judged(*values):
        return normality(paired_differences(values, np.zeros(len(values))))

    assert judged(0.1, 0.2).detail == "cannot be judged from 2 folds"
    assert judged(0.1, 0.2, 0.4).detail.startswith("skewness 0.38 ")
    assert judged(*[0.1] * 6, 0.2).holds is None
    assert judged(*[0.1] * 7, 0.2).holds is False  # skewness 2.27, twice its error 1.04
    assert judged(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8).holds is True


def test_tukey_says_whether_folds_are_blocks_and_what_is_degenerate():
    flat = np.tile([0.9, 0.8, 0.8], (4, 1))
    by_blocks, without = (stats.tukey_hsd(flat, blocks=blocks) for blocks in (True, False))
    held = [
        next(a.holds for a in found.assumptions if a.name == "folds as blocks")
        for found in (by_blocks, without)
    ]
    assert held == [True, None]
    apart, _, same = by_blocks.pairs
    assert (apart.statistic, math.isnan(apart.pvalue)) == (math.inf, True)
    assert (same.statistic, same.pvalue) == (0, 1)


@pytest.mark.parametrize("name", [*OMNIBUS, "tukey_hsd"])
def test_order_follows_the_metric(name):
    y = draw() + np.array([0.0, 0.3, 0.2, 0.1])
    assert getattr(stats, name)(y).details["order"].tolist() == [1, 2, 3, 0]
    loss = getattr(stats, name)(y, greater_is_better=False)
    assert loss.details["order"].tolist() == [0, 3, 2, 1]
    assert loss.details["means"] == pytest.approx(y.mean(axis=0))
