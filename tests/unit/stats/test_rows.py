"""Rows of one test set: proportions, McNemar, Cochran, areas, costs, equivalence."""

import math
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats

from bakeoff import stats
from bakeoff.stats.core.arithmetic import rows_below
from bakeoff.stats.core.two_by_two import VARIANTS
from bakeoff.stats.rows.cochran import exact_pvalue, monte_carlo_pvalue
from bakeoff.stats.rows.costs import chi_square

RNG = np.random.default_rng(3)
Y = RNG.random(300) < 0.4
SCORES = np.column_stack([(RNG.random(300) + Y * 0.3).round(d) for d in (1, 2, 9)])


@pytest.mark.parametrize("groups", [None, np.arange(300) % 20], ids=["rows", "groups"])
def test_pairs_together_are_those_of_the_test_alone_to_the_last_bit(groups):
    pairs = list(combinations(range(3), 2))
    alone = [stats.delong(Y, SCORES[:, a], SCORES[:, b], groups=groups).to_dict() for a, b in pairs]
    together = stats.all_pairs("delong", Y, SCORES, groups=groups, simultaneous=False).results
    assert [found.to_dict() for found in together] == alone


def test_each_model_is_ranked_once(monkeypatch):
    ranked = []

    def counted(positive, scores):
        ranked.append(1)
        return rows_below(positive, scores)

    monkeypatch.setattr("bakeoff.stats.metrics.library.rows_below", counted)
    stats.all_pairs("delong", Y, SCORES)
    assert len(ranked) == 3


@pytest.mark.parametrize("seed", range(3))
def test_monte_carlo_agrees_with_exact(seed):
    x = np.random.default_rng(seed).uniform(size=(40, 4)) < [0.8, 0.75, 0.7, 0.6]
    totals = np.bincount(x.sum(axis=1), minlength=5)
    observed = int(4 * (x.sum(axis=0) ** 2).sum() - x.sum() ** 2)
    exact = exact_pvalue(totals, 4, observed)
    drawn, other = (monte_carlo_pvalue(totals, 4, observed, 20_000, s) for s in (seed, seed + 1))
    pvalue, error = drawn
    assert error == pytest.approx(math.sqrt(pvalue * (1 - pvalue) / 20_000))
    assert abs(pvalue - exact) < 5 * error
    assert drawn != other


def test_large_tables_fall_back_to_random_ones():
    x = np.random.default_rng(0).uniform(size=(2000, 12)) < 0.7
    result = stats.cochran_q(x, variant="permutation", n_resamples=500, seed=3)
    assert result.details["permutation_method"] == "monte_carlo"
    assert 0 < result.details["monte_carlo_error"] < 0.03
    assert result.pvalue == pytest.approx(result.details["pvalue_asymptotic"], abs=0.1)


def test_greenhouse_geisser_lowers_the_degrees_of_freedom():
    x = np.random.default_rng(6).uniform(size=(50, 4)) < [0.95, 0.5, 0.6, 0.9]
    plain = stats.looney_f(x)
    corrected = stats.looney_f(x, correction="greenhouse-geisser")
    covariance = np.cov(x.T.astype(float))
    contrasts = np.linalg.qr(np.c_[np.ones(4), np.eye(4)[:, :3]])[0][:, 1:]
    eigenvalues = np.linalg.eigvalsh(contrasts.T @ covariance @ contrasts)
    epsilon = eigenvalues.sum() ** 2 / (3 * (eigenvalues**2).sum())
    assert corrected.details["epsilon"] == pytest.approx(epsilon)
    assert corrected.df1 == pytest.approx(3 * epsilon)
    assert corrected.statistic == plain.statistic
    assert corrected.pvalue > plain.pvalue
    models = plain.statistic * plain.df1
    share = plain.effect_sizes["partial_eta_squared"]
    assert share == pytest.approx(models / (models + plain.df2))


def test_few_informative_rows_are_permuted_by_default_or_come_with_the_exact_pvalue():
    table = np.tile([[1, 0, 0], [0, 1, 1]], (16, 1))
    variants = [stats.cochran_q(table[:n]).variant for n in (30, 31)]
    assert variants == ["permutation", "asymptotic"]
    # 100 rows, but the models disagree on two of them only
    few = [[1] * 10, [1] + [0] * 9]
    result = stats.cochran_q(few, row_counts=[98, 2], variant="asymptotic")
    assert result.pvalue == pytest.approx(scipy_stats.chi2.sf(18, 9))
    assert result.details["pvalue_permutation"] == pytest.approx(0.1)
    assert not result.assumptions[0].holds


@pytest.mark.parametrize(
    ("d", "counts"),
    [
        ([0.0, 1.0, -1.0, 3.0, -3.0], [50, 9, 2, 1, 4]),
        # the unbounded minimum would have negative probabilities
        ([0.0, 1.0, -1.0, 20.0, -20.0], [0, 60, 0, 1, 0]),
        ([0.0, -1.0, 1.0, -20.0, 20.0], [0, 60, 0, 1, 0]),
    ],
)
def test_chi_square_is_the_constrained_minimum(d, counts):
    m = np.array(counts) + 1.0
    x = np.array(d)
    best = optimize.minimize(
        lambda p: float((np.square(m - m.sum() * p) / m).sum()),
        np.full(len(x), 1 / len(x)),
        method="SLSQP",
        bounds=[(0, 1)] * len(x),
        constraints=[{"type": "eq", "fun": f} for f in (lambda p: p.sum() - 1, lambda p: p @ x)],
        options={"maxiter": 2000, "ftol": 1e-14},
    ).fun
    assert chi_square(x, np.array(counts, dtype=float)) == pytest.approx(best, rel=1e-6)


def test_labels_and_counts_give_the_same_result():
    rng = np.random.default_rng(0)
    truth, a, b = rng.integers(0, 3, size=(3, 200))
    cost = [[0, 1, 10], [2, 0, 4], [7, 1, 0]]
    counts = np.zeros((3, 3, 3), dtype=int)
    np.add.at(counts, (a, b, truth), 1)
    by_count = stats.cost_sensitive_from_counts(counts, cost=cost)
    names = np.array(["low", "middle", "high"])
    for order in ([0, 1, 2], [2, 0, 1]):
        how = {"cost": np.array(cost)[np.ix_(order, order)], "classes": names[order].tolist()}
        by_label = stats.cost_sensitive(names[truth], names[a], names[b], **how)
        assert by_label.statistic == pytest.approx(by_count.statistic)
        assert [*by_label.ci] == pytest.approx([*by_count.ci])


@pytest.mark.parametrize(("x", "n", "p0"), [(500_500, 10**6, 0.5), (3, 10**6, 1e-5), (7, 20, 0.35)])
def test_exact_pvalue_of_large_counts(x, n, p0):
    found = stats.binomial_test_from_counts(n_correct=x, n=n, p0=p0).pvalue
    assert found == pytest.approx(scipy_stats.binomtest(x, n, p0).pvalue, rel=1e-8)


def test_the_corrected_interval_of_a_mean_is_that_of_differences_from_0():
    values = np.array([0.81, 0.84, 0.80, 0.86, 0.82, 0.83])
    found = list(stats.corrected_mean_ci(values))
    assert found == pytest.approx(list(stats.corrected_kfold_t(values, 0 * values).ci))
    table = values.reshape(2, 3)
    zeros = np.zeros((2, 3))
    repeated = list(stats.corrected_repeated_kfold_t(table, zeros).ci)
    assert list(stats.corrected_mean_ci(table)) == pytest.approx(repeated)
    assert list(stats.corrected_mean_ci(values, n_train=100, n_test=50)) == pytest.approx(repeated)
    assert stats.corrected_mean_ci([0.8, 0.8, 0.8]) is stats.corrected_mean_ci([0.8]) is None


cells = st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 0)


def of_counts(function, a, b, c, d, **options):
    return function(both_correct=a, only_a_correct=b, only_b_correct=c, both_wrong=d, **options)


run = partial(of_counts, stats.mcnemar_from_counts)
difference_ci = partial(of_counts, stats.paired_difference_ci)
equivalence = partial(of_counts, stats.tost_paired_from_counts)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_million_discordant_pairs(variant):
    result = run(10, 500_500, 499_500, 10, variant=variant)
    assert result.pvalue == pytest.approx(0.3176, abs=2e-3)
    extreme = run(0, 600_000, 400_000, 0, variant=variant, alternative="greater")
    assert extreme.pvalue == 0.0
    assert extreme.status == "ok"


def test_smallest_pvalue_is_that_of_a_clean_sweep():
    assert run(50, 2, 2, 0).smallest_pvalue == pytest.approx(0.5**4)
    assert run(50, 2, 2, 0, variant="exact").smallest_pvalue == pytest.approx(0.5**3)
    assert run(50, 1, 3, 0, alternative="less").smallest_pvalue == pytest.approx(0.5**5)


@given(cells, st.sampled_from([0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=40)
def test_test_and_interval_agree_where_theory_says_so(table, level):
    _, b, c, _ = table
    alpha = 1 - level
    pairs = [
        ("asymptotic", difference_ci(*table, method="tango", confidence_level=level), 0.0),
        ("exact", difference_ci(*table, method="exact_melded", confidence_level=level), 0.0),
        ("midp", run(*table, confidence_level=level).odds_ratio_ci, 1.0),
    ]
    for variant, (low, high), null in pairs:
        p = float(stats.mcnemar_pvalues(b, c, variant=variant))
        if abs(p - alpha) > 1e-7:
            assert (p < alpha) == (not low <= null <= high)


@pytest.mark.parametrize("method", ["newcombe", "tango", "exact_melded"])
def test_limits_of_a_million_rows_and_of_a_difference_of_one(method):
    low, high = difference_ci(4_000_000, 500_500, 499_500, 10, method=method)
    assert 0.0002 - 0.0004 < low < 0.0002 < high < 0.0002 + 0.0004
    ends = difference_ci(0, 0, 12, 0, method=method).low, difference_ci(0, 12, 0, 0, method=method)
    assert (ends[0], ends[1].high) == (-1, 1)


@given(cells, st.sampled_from([0.01, 0.05, 0.2]), st.sampled_from([0.01, 0.05, 0.1]))
@settings(deadline=None, max_examples=40)
def test_equivalent_exactly_when_the_interval_lies_inside(table, margin, alpha):
    result = equivalence(*table, margin=margin, alpha=alpha)
    from_rows = stats.tost_paired(
        *(np.repeat(right, table) for right in ([1, 1, 0, 0], [1, 0, 1, 0])),
        margin=margin,
        alpha=alpha,
    )
    assert result.to_dict() == from_rows.to_dict()
    assert result.pvalue == max(result.pvalue_lower, result.pvalue_upper)
    assert result.ci.confidence == pytest.approx(1 - 2 * alpha)
    # a clipped limit of 1 or -1 is never inside a margin below 1
    inside = -margin < result.ci.low and result.ci.high < margin
    if abs(result.pvalue - alpha) > 1e-7:
        assert (result.verdict == "equivalent") == inside


def test_agreement_on_every_row_is_evidence_that_grows_with_the_rows():
    few, many = (equivalence(n, 0, 0, 0, margin=0.02) for n in (50, 500))
    assert few.verdict == "not shown"
    assert many.verdict == "equivalent"
    # the score statistic without discordant pairs: sqrt(n margin / (1 - margin))
    assert many.pvalue == pytest.approx(scipy_stats.norm.sf(math.sqrt(500 * 0.02 / 0.98)))


def predictions(metric, n=150):
    """Draw the truth and two models' predictions, as a metric wants them."""
    rng = np.random.default_rng(11)
    y = rng.normal(size=n)
    said = [y + rng.standard_t(4, n) * size for size in (0.8, 0.6)]
    if metric in ("mae", "rmse", "r2", "spearman"):
        return y, said
    y = (y > 0).astype(int)
    shown = {"f1": lambda p: (p > 0).astype(int), "log_loss": lambda p: 1 / (1 + np.exp(-p))}
    return y, [shown[metric](p) for p in said]


@pytest.mark.parametrize("metric", ["mae", "rmse", "r2", "spearman", "f1", "log_loss"])
def test_metric_equivalence_is_decided_by_the_limits_of_the_metric(metric):
    y, said = predictions(metric)
    alpha = 0.1
    limits = stats.metric_limits(y, *said, metric=metric, alpha=alpha)
    beyond = max(-limits.low, limits.high)
    equivalent = partial(stats.metric_equivalence, y, *said, metric=metric, alpha=alpha)
    for factor, both, lower in (
        (1 + 1e-6, "equivalent", "not inferior"),
        (1 - 1e-6, "not shown", "not shown"),
    ):
        result = equivalent(margin=beyond * factor)
        assert result.verdict == both
        assert result.pvalue == pytest.approx(alpha, rel=1e-3)
        assert [*result.ci] == pytest.approx([limits.low, limits.high])
        one_sided = equivalent(margin=-limits.low * factor, question="noninferiority")
        assert one_sided.verdict == lower


def test_metric_equivalence_in_groups_is_no_surer_than_sign_flips_of_the_groups():
    y, said = predictions("f1", 200)
    groups = np.r_[np.zeros(80, int), np.repeat(np.arange(1, 9), 15)]
    equivalent = partial(stats.metric_equivalence, y, *said, metric="f1", margin=0.4)
    found = equivalent(groups=groups)
    assert found.df == stats.metric_difference(y, *said, metric="f1", groups=groups).df
    assert found.pvalue >= 0.5**9 / 2
    assert found.pvalue > equivalent().pvalue
