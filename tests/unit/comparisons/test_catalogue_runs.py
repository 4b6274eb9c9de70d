"""Every test of the catalogue can be asked for, and gets its evidence from real fits."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.stats import Arity, Evidence, TypeOneError, catalogue

pytestmark = pytest.mark.xdist_group("study")

CATALOGUE = catalogue()
FITTED = {name: e for name, e in CATALOGUE.items() if e.about != "recipes" and e.reads != "values"}
HERE = [name for name, e in FITTED.items() if "tasks" not in e.options and e.plans != ("seeds",)]
"""Not numbers per row (test_row_values.py), runs (test_recipes.py), tasks (test_suites.py) nor
scores of training runs (test_seeds.py), which these fits lack."""
PAIRS = [("tree", "bayes"), ("tree", "knn"), ("bayes", "knn")]


def settings(name):
    """Return `tests:` with what a test cannot do without."""
    found, options = {"run": [name]}, CATALOGUE[name].options
    if "margin" in options:
        found["margin"] = 0.05
    if "mu0" in options:
        found["options"] = {name: {"mu0": 0.5}}
    return found


@pytest.mark.parametrize("name", HERE)
def test_every_test_runs_on_real_evidence(study, name):
    entry = CATALOGUE[name]
    rows = [row for row in study.run(settings(name)) if not row.follows]
    per_family = {Arity.ONE: 3, Arity.PAIR: 3, Arity.OMNIBUS: 1, Arity.ALL_PAIRS: 3}[entry.arity]
    datasets = 1 if entry.evidence is Evidence.DATASETS else len(study.experiment.datasets)
    assert len(rows) == per_family * datasets * len({row.metric for row in rows})
    assert {row.test for row in rows} == {name}
    assert {row.dataset == "" for row in rows} == {entry.evidence is Evidence.DATASETS}
    if entry.arity in (Arity.PAIR, Arity.ALL_PAIRS):
        assert [(row.model_a, row.model_b) for row in rows[:3]] == PAIRS
    for row in rows:
        check_row(row, entry)


def check_row(row, entry):
    """Check what holds for every comparison."""
    assert "reason" not in row.result, row.result
    if entry.evidence is Evidence.FOLD_SCORES:  # their spread is that of no population
        sizes = set(row.result.get("effect_sizes", {}))
        assert sizes <= {"share_a_better", "difference"}
    assert Comparison.from_dict(json.loads(json.dumps(row.to_dict()))).to_row() == pytest.approx(
        row.to_row(), nan_ok=True
    )
    if entry.type1 is TypeOneError.BAYESIAN:
        assert math.isnan(row.pvalue_adjusted)
        total = row.p_a_better + row.p_equivalent + row.p_b_better
        assert math.isnan(total) or total == pytest.approx(1, abs=1e-9)
        assert row.rope == 0.01
        return
    assert row.margin == 0.05 or "margin" not in entry.options
    if math.isnan(row.pvalue):
        assert row.status in ("zero_variance", "too_few", "undefined")
        assert row.decision is Decision.UNDECIDED
        return
    assert row.pvalue <= row.pvalue_adjusted + 1e-12 <= 1 + 2e-12
    if math.isnan(row.ci_low) or row.decision is Decision.UNDECIDED:
        return
    excludes = not row.ci_low <= row.result["details"].get("mu0", 0) <= row.ci_high
    if "verdict" in row.result:
        excludes = row.ci_low > -row.margin
        excludes &= row.ci_high < row.margin or row.test == "noninferiority"
    if row.test == "binomial_test":
        excludes = not row.ci_low <= 0.5 <= row.ci_high
    # a p-value and an interval that disagree are said to
    told = any(c["name"] == "test and interval agree" for c in row.result["assumptions"])
    assert told == (excludes != (row.decision is not Decision.NOT_SHOWN))


@pytest.mark.parametrize("name", [n for n in CATALOGUE if CATALOGUE[n].posthoc])
def test_an_omnibus_test_brings_its_post_hoc(study, name):
    rows = [row for row in study.run(settings(name)) if row.follows]
    assert {(row.follows, row.test) for row in rows} == {(name, CATALOGUE[name].posthoc)}
    assert [(row.model_a, row.model_b) for row in rows[:3]] == PAIRS


def scores(study, plan, metric, dataset="cancer"):
    table = pd.read_csv(study.paths.scores(dataset, plan))
    own = table[table["metric"] == metric]
    return own.pivot(index=["repeat", "fold"], columns="model", values="value")


def first(study, name, **more):
    """Return the first comparison of a test: tree against bayes, on cancer or over data sets."""
    return study.run(settings(name) | more)[0]


# a test of tree and bayes, its plan, the shape and the sizes that it is told, and the metric
OF_FOLDS = [
    ("cv5x2_f", "cv_5x2", (5, 2), {}, "accuracy"),
    ("corrected_resampled_t", "resampled", -1, {"n_train": 455, "n_test": 114}, "accuracy"),
    ("corrected_kfold_t", "kfold", -1, {"greater_is_better": False}, "brier"),
]


@pytest.mark.parametrize(("name", "plan", "shape", "told", "metric"), OF_FOLDS)
def test_scores_of_folds_are_handed_over(study, name, plan, shape, told, metric):
    wide = scores(study, plan, metric)
    a, b = (wide[model].to_numpy().reshape(shape) for model in ("tree", "bayes"))
    if plan != "cv_5x2":
        told = {**told, "confidence_level": 1 - 0.05 / 3}
    expected = CATALOGUE[name].function(a, b, **told)
    row = next(r for r in study.run(settings(name)) if r.metric == metric)
    assert (row.statistic, row.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert row.estimate == pytest.approx(expected.estimate)
    if plan != "cv_5x2":
        assert (row.ci_low, row.ci_high) == pytest.approx(tuple(expected.ci), rel=1e-12)


def test_delong_is_about_the_positive_class(study):
    table = pd.read_parquet(study.paths.predictions("cancer", "holdout"))
    truth = table[":y_true"] == "malignant"
    areas = [roc_auc_score(truth, table[f"{model}:malignant"]) for model in ("tree", "bayes")]
    assert first(study, "delong").estimate == pytest.approx(areas[0] - areas[1])


def test_costs_are_those_of_the_experiment(study):
    table = pd.read_parquet(study.paths.predictions("cancer", "holdout")).astype(str)
    price = {("benign", "malignant"): 1.0, ("malignant", "benign"): 5.0}
    means = [
        np.mean([price.get(pair, 0.0) for pair in zip(table[":y_true"], table[m], strict=True)])
        for m in ("tree", "bayes")
    ]
    for variant in ("likelihood_ratio", "chi_square"):
        row = first(study, "cost_sensitive", options={"cost_sensitive": {"variant": variant}})
        assert row.estimate == pytest.approx(means[1] - means[0])
        assert row.metric == "cost"
        assert row.variant == variant


def test_data_sets_are_scored_by_the_mean_over_folds(study):
    names = list(study.experiment.datasets)
    means = [scores(study, "kfold", "accuracy", name).mean() for name in names]
    a, b = ([mean[model] for mean in means] for model in ("tree", "bayes"))
    options = {"wilcoxon_signed_rank": {"plan": "kfold"}}
    row = first(study, "wilcoxon_signed_rank", options=options)
    expected = CATALOGUE["wilcoxon_signed_rank"].function(a, b)
    assert (row.plan, row.n) == ("kfold", len(names))
    assert row.pvalue == expected.pvalue
    assert row.correction == "sign-flips"


def test_criteria_are_taken_together(study):
    row = first(study, "manova")
    by_metric = [scores(study, "kfold", metric) for metric in ("accuracy", "brier")]
    y = np.stack([wide[list(study.config["models"])] for wide in by_metric], axis=2)
    expected = CATALOGUE["manova"].function(y, greater_is_better=[True, False])
    assert row.metric == "accuracy+brier"
    assert row.statistic == pytest.approx(expected.statistic)
    assert row.df1 == expected.df1


def test_a_data_set_may_have_its_own_costs(study):
    tests = {"run": ["cost_sensitive"]}
    own = {"classes": ["malignant", "benign"], "matrix": [[0, 9], [2, 0]]}
    two = {"datasets": {n: study.config["datasets"][n] for n in ("made-1", "made-2")}}
    apart = {"datasets": two["datasets"] | {"made-2": {**two["datasets"]["made-2"], "costs": own}}}
    shared, everywhere, found = (
        [row.estimate for row in study.run(tests, **more)]
        for more in (two, two | {"costs": own}, apart)
    )
    assert found == shared[:3] + everywhere[3:]
    assert found[3:] != shared[3:]
