"""The study of dependent rows: its draws, its rates, its page."""

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.stats.design.clusters import Clusters
from bakeoff.stats.rows.ordered import diebold_mariano_pairs
from benchmarks.dependent import draw, page, pairs, rates


def _rows(seed, models):
    rng = np.random.default_rng(seed)
    counts = draw.sizes(12, 4, "one group 30 %")
    codes = np.repeat(np.arange(12), counts)
    right = draw.margins(rng, codes, models, 0.5, 1)[:, :, 0] > -0.5
    return right, codes, Clusters(codes, counts.astype(float))


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_two_models_are_those_of_the_tests(seed):
    # the simulation computes many replications at once; a single one is the test itself
    right, codes, clusters = _rows(seed, 2)
    a, b = right.T
    both, wins, losses = (clusters.sums(v[:, None]) for v in (a & b, a & ~b, b & ~a))
    found = pairs.pair_rejections(wins, losses, clusters)
    for variant in ("sign_flip", "sign_flip_exact", "robust_t"):
        result = stats.mcnemar(a, b, groups=codes, variant=variant)
        assert found[variant] == float(result.pvalue <= pairs.ALPHA)
    ci = stats.mcnemar(a, b, groups=codes, ci_method="newcombe_effective").ci
    for true in (ci.low - 1e-6, ci.low + 1e-6, ci.high - 1e-6, ci.high + 1e-6):
        covered = pairs.pair_coverage(both, wins, losses, clusters, true)["newcombe_effective"]
        assert covered == float(ci.low <= true <= ci.high)


@pytest.mark.parametrize("p0", [0.5, 0.62, 0.8])
def test_rates_of_one_model_are_those_of_the_test(p0):
    right, codes, clusters = _rows(0, 1)
    result = stats.binomial_test(right[:, 0], groups=codes, p0=p0)
    found = pairs.single_from_sums(clusters.sums(right), clusters, p0)
    assert found["binomial_test"] == float(result.pvalue <= pairs.ALPHA)
    assert found["wilson_effective"] == float(result.ci.low <= p0 <= result.ci.high)


@pytest.mark.parametrize("effects", draw.EFFECTS)
def test_rows_have_the_accuracy_and_the_correlation_named(effects):
    own = draw.own_correlation(0.3, 0.8, effects)
    codes = np.repeat(np.arange(2000), 4)
    z = draw.margins(np.random.default_rng(5), codes, 2, own, 4, effects=effects)
    right = z > draw.cut(0.8, own, effects, draw.SHARED)
    assert right.mean() == pytest.approx(0.8, abs=0.01)
    found = [
        stats.row_dependence(right[:, 0, i].astype(float) - right[:, 1, i], codes).icc
        for i in range(4)
    ]
    assert np.mean(found) == pytest.approx(0.3, abs=0.03)


def test_lasting_differences_have_the_autocorrelation_named():
    a, b = draw.lasting(np.random.default_rng(2), 40_000, 0.6)
    d = a.astype(float) - b
    assert np.mean(d != 0) == pytest.approx(draw.DISCORDANT, abs=0.02)
    assert stats.diebold_mariano(a, b).autocorrelation == pytest.approx(0.6, abs=0.03)


def test_a_setting_has_one_answer_whatever_was_made_before(tmp_path):
    setting = next(s for s in rates.settings() if s.kind == "single")
    assert list(rates.make([setting], tmp_path, 20, 1)) == [setting.name]
    assert list(rates.make([setting], tmp_path, 20, 1)) == []  # it is there
    assert rates.load(tmp_path / f"{setting.name}.csv") == rates.rates(setting, 20, 1)
    assert len({s.name for s in rates.settings()}) == len(rates.settings())


def test_recommended_intervals_cover():
    held = page.RECOMMENDED & set(rates.COVERAGE)
    found = [rate for rate in rates.load() if rate.test in held]
    assert {rate.test for rate in found} == held
    assert not [r for r in found if r.rate < page.LEAST_COVERED - page.NOISE * r.error]


def test_corrected_cosines_hold_where_the_dependence_fades_or_the_series_is_long():
    found = [r for r in rates.load() if r.setting.kind in ("time", "pairs in time")]
    held = [
        r
        for r in found
        if r.test in page.IN_TIME - {page.DEFAULT}
        and (r.setting.dependence <= 0.6 or r.setting.groups >= 1000)
        and r.setting.groups >= 100
    ]
    assert len(held) > 20
    assert not [r for r in held if r.rate > 0.06 + page.NOISE * r.error]


@pytest.mark.parametrize("seed", range(3))
def test_rates_in_time_are_those_of_the_test(seed):
    # many series at once; a single one is the test itself
    rng = np.random.default_rng(seed)
    series = np.stack([draw.hidden(rng, 150, 0.9)[0] for _ in range(4)])
    for d, own, flag in zip(series, *pairs.rejections(series), strict=True):
        result = stats.diebold_mariano_means(d, np.zeros(150))
        assert own == pytest.approx(result.pvalue)
        assert flag == any(one.holds is False for one in result.assumptions)
    right = draw.favoured(rng, 150, 0.9, 4)
    both = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    together = diebold_mariano_pairs(right.T, both)
    p = stats.adjust_pvalues([one.pvalue for one in together], "holm")
    found = pairs.any_pair(right)["diebold_mariano ewc_corrected, 4 models"]
    assert found == bool((p <= 0.05).any())
