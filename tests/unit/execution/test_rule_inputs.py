"""Which files feed which test."""

from bakeoff.comparisons import plan_tests
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.spec import load_experiment


def test_each_test_is_fed_what_it_looks_at(tiny):
    data = {name: {"source": "sklearn", "name": "iris"} for name in ("x", "y")}
    run = ["friedman", "cochran_q", "cv5x2_mcnemar", "cv5x2_f"]
    plans = {"cv_5x2": {}, "holdout": {}}
    made = {"datasets": data, "resampling": plans, "tests": {"run": run}}
    needs = RuleInputs(load_experiment(tiny | made))
    _, chosen = plan_tests(needs.experiment)
    fed = {test.name: needs.evidence(test) for test in chosen}
    root = needs.paths.root
    assert fed == {
        "friedman": {
            "matrix": f"{root}/score_matrix.csv",
            "holes": f"{root}/missing_scores.json",
        },
        "cochran_q": {d: f"{root}/collected/{d}.holdout.predictions.parquet" for d in data},
        "cv5x2_mcnemar": {d: f"{root}/collected/{d}.cv_5x2.predictions.parquet" for d in data},
        "cv5x2_f": {d: f"{root}/collected/{d}.cv_5x2.scores.csv" for d in data},
    }


def test_nothing_is_waited_for_where_models_bring_scores_alone(tiny):
    made = {
        "models": {name: {"scores": f"{name}.csv"} for name in "ab"},
        "resampling": {"kfold": {"folds": 5}},
        "metrics": ["accuracy"],
        "tests": {"run": ["kfold_t"]},
    }
    needs = RuleInputs(load_experiment(tiny | made))
    assert needs.fitted("iris", "kfold") == []
    assert needs.given_scores("iris", "kfold") == ["a.csv", "b.csv"]
