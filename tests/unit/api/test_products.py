"""Where features meet: combinations of arguments that are right one by one."""

import re

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.report.numbers import percent
from bakeoff.report.ranking import ranking
from bakeoff.stats import Runs, metric_ci, metric_difference
from bakeoff.stats.core.distributions import t_pvalue

N = 60
TRUTH = np.arange(N) % 2


def flipped(rate, runs=0, seed=0):
    rng = np.random.default_rng(seed)
    made = [TRUTH ^ (rng.random(N) < rate) for _ in range(max(runs, 1))]
    return made if runs else made[0]


@pytest.mark.parametrize("groups", [2, 15])
@pytest.mark.parametrize("models", [2, 3])
def test_training_runs_in_groups_have_a_verdict_without_a_difference(groups, models):
    given = {f"m{seed}": flipped(0.3, 3, seed) for seed in range(models)}
    found = bakeoff.compare(TRUTH, given, groups=np.arange(N) % groups)
    limited = "No two models could have differed significantly" in found.verdict
    assert limited == (groups == 2)
    assert ("due to the seeds" in found.verdict) == (groups != 2)
    numbers = {name: list(np.random.default_rng(1).normal(size=(3, N))) for name in given}
    found = bakeoff.compare(None, numbers, values="higher", groups=np.arange(N) % 3)
    assert "at least 5 groups" in found.verdict


def test_findings_show_the_pairs_of_training_runs_that_the_verdict_goes_by():
    found = bakeoff.compare(TRUTH, {"a": flipped(0.1, 3), "b": flipped(0.4, 3, 1)})
    assert set(found.to_frame()["test"]) == {"recipe_difference"}
    assert found.to_markdown() == found.to_markdown("pairs.recipe_difference")


def test_two_deterministic_models_may_lead_a_model_with_training_runs():
    fixed = {
        name: Runs([flipped(rate)], deterministic=True) for name, rate in [("a", 0), ("b", 0.1)]
    }
    found = bakeoff.compare(TRUTH, {**fixed, "c": flipped(0.4, 3, 1)})
    assert found.verdict.startswith("a ")


RNG = np.random.default_rng(5)
NUMBERS = RNG.normal(size=N) + 5
NEAR = {"a": NUMBERS + 0.3 * RNG.normal(size=N), "b": NUMBERS + 0.5 * RNG.normal(size=N)}


@pytest.mark.parametrize("metric", ["rmse", "r2"])
def test_model_that_diverged_hides_no_difference_of_the_others(metric):
    found = bakeoff.compare(NUMBERS, NEAR | {"diverged": NUMBERS * 1e12}, metric=metric)
    two = bakeoff.compare(NUMBERS, NEAR, metric=metric)
    apart = re.compile(r"of a \(\d\.\d{3}\) is \d\.\d{3} ")
    assert apart.search(found.verdict)[0] == apart.search(two.verdict)[0]
    assert [line.rank for line in ranking(found._study)] == [1, 2, 3]


def by_errors(unit):
    return bakeoff.compare(NUMBERS * unit, {m: p * unit for m, p in NEAR.items()}, metric="rmse")


def by_costs(unit):
    costs = {"classes": [0, 1], "matrix": [[0, unit], [2 * unit, 0]]}
    models = {"a": flipped(0.2), "b": flipped(0.4, seed=1)}
    return bakeoff.compare(TRUTH, models, metric="cost", costs=costs)


@pytest.mark.parametrize("unit", [2.0**-44, 2.0**50])
@pytest.mark.parametrize("compared", [by_errors, by_costs])
def test_verdict_and_numbers_do_not_depend_on_the_unit(compared, unit):
    plain, scaled = compared(1.0), compared(unit)
    first, second = (found.comparisons.iloc[0] for found in (plain, scaled))
    assert first.pvalue == second.pvalue
    for key in ("estimate", "ci_low", "ci_high"):
        assert second[key] == first[key] * unit
    headlines = (found.verdict.splitlines()[0] for found in (plain, scaled))
    assert len(set(headlines)) == 1
    assert "is the same" not in scaled.verdict


def test_median_of_tiny_numbers_has_the_interval_of_large_ones_and_no_p_value():
    unit = 2.0**-44
    plain = metric_difference(NUMBERS, *NEAR.values(), metric="median_absolute_error")
    tiny = {model: own * unit for model, own in NEAR.items()}
    found = bakeoff.compare(NUMBERS * unit, tiny, metric="median_absolute_error")
    limits = found.comparisons.loc[0, ["ci_low", "ci_high"]] / unit
    assert limits.tolist() == list(plain.ci)
    assert "there is an interval but no p-value" in found.verdict


@pytest.mark.parametrize("metric", ["rmse", "rmsle"])
def test_perfect_numbers_have_a_root_mean_square_without_error(metric):
    # by a bootstrap of rows the root of 0 is always 0: only the other model's error varies
    other = NEAR["b"]
    found = metric_difference(NUMBERS, NUMBERS, other, metric=metric)
    errors = other - NUMBERS if metric == "rmse" else np.log1p(other) - np.log1p(NUMBERS)
    rows = np.random.default_rng(1).integers(0, N, (4000, N))
    assert found.details["se"] == pytest.approx(
        np.sqrt((errors[rows] ** 2).mean(axis=1)).std(), rel=0.05
    )
    assert found.pvalue < 1e-6


def test_no_evidence_is_no_p_value_of_1():
    for df in (5.0, np.inf):
        assert np.isnan([t_pvalue(np.nan, df, side) for side in ("two-sided", "greater")]).all()


def test_constant_of_a_deviance_is_the_mean():
    counts = np.arange(N) % 4
    given = {"a": counts + 0.5, "b": np.full(N, counts.mean())}
    found = bakeoff.compare(counts, given, metric="poisson_deviance", task="regression")
    assert "which predicts the mean of the test rows" in found.verdict


@pytest.mark.parametrize("constant", [0.1, 0.3])
def test_constant_numbers_have_no_correlation(constant):
    assert metric_ci(NUMBERS, np.full(N, constant), metric="pearson").status == "undefined"
    assert metric_ci(np.full(N, constant), NUMBERS, metric="r2").status == "undefined"


HUGE = {model: own * 1e150 for model, own in NEAR.items()}
TWO, RUNS = (NUMBERS, *NEAR.values()), (TRUTH, flipped(0.2, 3), flipped(0.2))


@pytest.mark.parametrize(
    ("call", "given", "options", "said"),
    [
        (bakeoff.compare, ([], {"a": [], "b": []}), {}, "found no rows"),
        (bakeoff.compare, (None, {"a": [], "b": []}), {"values": "lower"}, "found no rows"),
        (bakeoff.compare, (NUMBERS, HUGE), {"metrics": "rmse"}, r"predictions.*1e\+100 overflow"),
        (bakeoff.compare, (None, HUGE), {"values": "lower"}, r"predictions.*1e\+100 overflow"),
        (bakeoff.gate, TWO, {"metric": "max_error", "margin": 0.1}, "^metrics: no interval is k"),
        (bakeoff.gate, TWO, {"metric": "rmse", "margin": "-5%"}, r"^margin: found -5\.0, must be"),
        (
            bakeoff.gate,
            RUNS,
            {"margin": 0.1},
            "^candidate has one training run.*: give two at least",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused_by_name(call, given, options, said):
    with pytest.raises(bakeoff.UserError, match=said):
        call(*given, **options)


def test_corrections_have_the_names_of_their_authors():
    models = {name: flipped(0.3, seed=seed) for seed, name in enumerate("abc")}
    found = bakeoff.compare(TRUTH, models, correction="holm-sidak")
    assert "Holm-Šidák correction" in found.verdict


def test_incomplete_data_sets_are_left_out_of_their_groups():
    rows = [f"d{i}" for i in range(10)]
    table = pd.DataFrame(RNG.random((10, 3)), index=rows, columns=list("abc"))
    of = np.array([1, 1, 1, 2, 2, 2, 3, 4, 5, 6])
    table.loc["d0", "a"] = table.loc["d9", "b"] = np.nan
    whole = table.drop(index=["d0", "d9"])
    means = whole.groupby(of[1:9]).mean().set_axis(["g1", "g2", "d6", "d7", "d8"])
    alike = {"values": "higher", "tests": ["wilcoxon_signed_rank"]}
    asked = {**alike, "groups": "of", "missing": "drop_dataset"}
    found = bakeoff.compare_datasets(table.assign(of=of), **asked)
    wanted = bakeoff.compare_datasets(means, **alike)
    assert found.to_frame()["pvalue"].tolist() == wanted.to_frame()["pvalue"].tolist()
    assert found.verdict.count("was left out: ") == 2
    apart = table.assign(a=[0.5] + 9 * [np.nan], b=[np.nan] + 9 * [0.5], of=of)
    nothing = bakeoff.compare_datasets(apart, **asked).verdict
    assert "by the Wilcoxon signed-rank test is undecided." in nothing
    assert nothing.count("was left out: ") == 10


@pytest.mark.parametrize(
    ("level", "text"), [(0.95, "95%"), (1.0, "100%"), (1 - 1e-7, "99.99999%"), (2.5, "250%")]
)
def test_no_level_is_rounded_to_100_percent(level, text):
    assert percent(level) == text
