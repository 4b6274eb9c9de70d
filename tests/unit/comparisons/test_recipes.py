"""Models with several seeds: all runs are collected and compared, and what is said of it."""

from collections import defaultdict
from unittest.mock import Mock

import numpy as np
import pytest

from bakeoff import stats
from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.row_tables import score_intervals
from bakeoff.comparisons.run_tests import Decision, run_planned
from bakeoff.fit.predictions import Predictions
from bakeoff.report.answers.pairs import look, of_seeds
from bakeoff.report.family import Family
from bakeoff.report.written import Written
from bakeoff.scores import METRICS, collect_predictions
from bakeoff.spec.experiment import run_name
from tests.unit.comparisons import conftest
from tests.unit.comparisons.test_plans import BAYES, FOREST, NET
from tests.unit.report.studies import pair

N = 80
TRUTH = np.arange(N) % 2
RUNS = (("net", range(1, 5), 0.5), ("forest", range(1, 4), 0.0), ("bayes", [1], 0.0))
MODELS = {"net": NET, "forest": FOREST, "bayes": BAYES}


def analysis(models, **changes):
    cancer = {"d": {"source": "sklearn", "name": "breast_cancer"}}
    usual = {"datasets": cancer, "resampling": {"holdout": {}}, "metrics": ["accuracy", "roc_auc"]}
    return conftest.analysis(models, **(usual | changes))


def predictions(model, seed, better=0.0):
    rng = np.random.default_rng([seed, len(model)])
    common = np.random.default_rng(0).normal(size=N)
    score = TRUTH * 1.2 + better * (2 * TRUTH - 1) + common / 2 + rng.normal(size=N) / 2 - 0.6
    p = 1 / (1 + np.exp(-(score + 0.2 * rng.normal())))
    columns = np.column_stack([1 - p, p])
    facts = {"dataset": "d", "model": model}
    said = (p > 0.5).astype(np.intp)
    return Predictions(np.arange(N), TRUTH, said, ("no", "yes"), columns, None, facts)


@pytest.fixture
def collected(tmp_path):
    paths = {}
    for model, seeds, better in RUNS:
        for seed in seeds:
            paths[run_name(model, seed)] = tmp_path / f"{model}-{seed}.parquet"
            predictions(model, seed, better).write(paths[run_name(model, seed)])
    collect_predictions(paths, tmp_path / "d.parquet")
    return str(tmp_path / "d.parquet")


def test_all_runs_are_compared_and_a_model_without_seed_is_fixed(collected):
    spec = analysis(MODELS)
    (test,) = [t for t in plan_tests(spec)[1] if t.name == "recipe_difference"]
    found = run_planned(test, spec, {"d": collected})
    assert [(row.metric, row.model_a, row.model_b) for row in found[:2]] == [
        ("accuracy", "net", "forest"),
        ("accuracy", "net", "bayes"),
    ]
    own = [[predictions(m, s, b).y_pred for s in seeds] for m, seeds, b in RUNS]
    expected = stats.recipe_difference(TRUTH, own[0], own[1])
    assert found[0].pvalue == pytest.approx(expected.pvalue)
    assert found[0].correction == "holm"
    fixed = stats.recipe_difference(TRUTH, own[0], stats.Runs(own[2], deterministic=True))
    assert found[1].pvalue == pytest.approx(fixed.pvalue)
    assert found[1].result["details"]["runs_b"] == 1


def test_tables_of_a_test_set_are_about_all_runs_of_each_model(collected):
    spec = analysis(MODELS)
    found = score_intervals(spec, {"d": collected}).query("metric == 'accuracy'")
    own = [[predictions(m, s, b).y_pred for s in seeds] for m, seeds, b in RUNS]
    assert found["model"].tolist() == ["net", "forest", "bayes"]
    assert found["estimate"].tolist() == pytest.approx([np.mean(one == TRUTH) for one in own])
    for line, runs in zip(found.to_dict("records"), own[:2], strict=False):
        expected = stats.recipe_ci(TRUTH, runs)
        assert (line["ci_low"], line["ci_high"]) == pytest.approx(tuple(expected.ci))
        assert line["se"] == pytest.approx(expected.details["se"])
    right = int(np.sum(own[2][0] == TRUTH))
    single = stats.binomial_test_from_counts(n_correct=right, n=N).ci
    assert (line_of := found.iloc[2])["ci_low"] == pytest.approx(single.low)
    assert line_of["ci_high"] == pytest.approx(single.high)


def test_cautions_are_about_the_runs_that_there_are():
    def told(*models):
        spec = analysis(dict(zip("abc", models, strict=False)))
        test = next(test for test in plan_tests(spec)[1] if test.name == "recipe_difference")
        return " ".join(cautions(test, spec).sentences(spec.models))

    assert told(NET, {**FOREST, "seeds": 4}) == ""
    assert "numbers unequal" in told(NET, FOREST)
    assert "rare runs fail" in told(NET, BAYES)
    assert "numbers unequal" not in told(NET, BAYES)


@pytest.mark.parametrize(
    ("decision", "var_rows", "share"),
    [("no_difference_shown", 3e-5, "70%"), ("a_better", -1e-5, "100%"), ("undecided", 3e-5, "")],
)
def test_share_of_the_seeds_in_the_variance_is_said_where_there_is_a_result(
    decision, var_rows, share
):
    details = {"var_seeds": 7e-5, "var_rows": var_rows}
    how = {"test": "recipe_difference", "plan": "holdout", "result": {"details": details}}
    row = pair("net", "forest", 0.17, 0.02, decision=Decision(decision), **how)
    entry, metric = stats.catalogue()["recipe_difference"], METRICS["accuracy"]
    family = Family(entry, "d", "holdout", metric, Written(), "", (row,))
    study = Mock(values=defaultdict(dict), metrics=METRICS)  # scores are not known
    sentence = of_seeds(look(study, family))
    assert share in sentence
    assert bool(share) == bool(sentence)
