"""Models that bring their results, and fits that are taken from another experiment."""

import dataclasses
import re

import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.fit.predictions import Predictions
from tests.workflow.test_run import executed


@pytest.fixture
def beside(finished_copy):
    """Return a copy of the finished run, for a second experiment in its folder."""
    return finished_copy


def rows(runner, name, **wanted):
    """Return comparisons without data sets and cautions, which tell where they come from."""
    texts = dict.fromkeys(("follows", "variant", "model_a", "model_b"), "str")
    file = runner.results(name) / "comparisons.csv"
    found = pd.read_csv(file, dtype=texts).fillna(dict.fromkeys(texts, ""))
    for column, value in wanted.items():
        found = found[found[column] == value]
    return found.drop(columns=["dataset", "caution"]).reset_index(drop=True)


def given_tree(folder):
    """Write the predictions of the fitted tree as a user would have them, in another order."""
    made = pd.read_parquet(folder / "results/tiny/predictions/iris/tree/holdout.parquet")
    made = made.rename(columns={"row_id": "id"}).sample(frac=1, random_state=0)
    made.to_csv(folder / "tree.csv", index=False)
    return made


@pytest.mark.slow
def test_given_model_is_compared_as_if_it_were_fitted(beside, tiny):
    made = given_tree(beside.folder)
    tiny |= {"experiment": "mixed", "resampling": {"holdout": {"test_size": 0.4}}}
    tiny["models"]["tree"] = {"predictions": "tree.csv"}
    tiny["tests"] = {"run": ["mcnemar", "cochran_q"]}
    run = beside(tiny, "--until", "compare")
    assert run.returncode == 0, run.stderr
    assert "take_predictions" in executed(run)
    assert not (beside.results("mixed") / "logs/fit/iris/tree").exists()
    for test in ("mcnemar", "cochran_q"):
        expected = rows(beside, "tiny", test=test)
        pd.testing.assert_frame_equal(rows(beside, "mixed", test=test), expected)
    assert executed(beside(tiny, "--until", "compare")) == set()

    wrong = made.assign(
        y_true=made["y_true"].astype(str).where(made["id"] != made["id"].iloc[0], "rose")
    )
    wrong.to_csv(beside.folder / "tree.csv", index=False)
    run = beside(tiny)
    assert run.returncode == 1
    assert "models.tree.predictions: 1 of 60 rows have another true label" in run.stderr
    assert "rose" in run.stderr
    assert "Traceback" not in run.stderr


def compared(run, monkeypatch):
    """Compare the same files by the command: the same numbers in the same tables."""
    monkeypatch.chdir(run.folder)
    files = ("tree.csv", "bayes.parquet", "stump.parquet")
    assert main(["compare", *files, "--output", "tables"]) == 0
    for name in ("pairs.mcnemar", "omnibus"):
        made, there = (
            pd.read_csv(folder / f"tables/{name}.csv").select_dtypes("number")
            for folder in (run.folder, run.results("brought"))
        )
        pd.testing.assert_frame_equal(made, there)


@pytest.mark.slow
def test_experiment_of_given_models_alone(beside, tiny, monkeypatch):
    given_tree(beside.folder)
    results = beside.folder / "results/tiny/predictions/iris"
    for model in ("bayes", "stump"):
        made = pd.read_parquet(results / model / "holdout.parquet").rename(columns={"row_id": "id"})
        made.to_parquet(beside.folder / f"{model}.parquet")
    config = {
        "experiment": "brought",
        "models": {
            "tree": {"predictions": "tree.csv"},
            "bayes": {"predictions": "bayes.parquet", "label": "Bayes, elsewhere"},
            "stump": {"predictions": "stump.parquet"},
        },
        "metrics": ["accuracy", "log_loss"],
        "tests": {"run": ["mcnemar", "cochran_q"]},
    }
    run = beside(config, "--until", "compare", "all_scores")
    assert run.returncode == 0, run.stderr
    assert not any(rule.startswith("fit") for rule in executed(run))
    expected = rows(beside, "tiny", test="mcnemar")
    pd.testing.assert_frame_equal(rows(beside, "brought", test="mcnemar"), expected)
    scores = pd.read_csv(beside.results("brought") / "scores.csv")
    there = pd.read_csv(beside.results() / "scores.csv").query("plan == 'holdout'")
    merged = scores.merge(there, on=["model", "plan", "repeat", "fold", "metric"])
    assert len(merged) == 6
    assert merged["value_x"].tolist() == pytest.approx(merged["value_y"].tolist())

    made = pd.read_csv(beside.folder / "tree.csv")
    wrong = int((made["y_pred"] != made["y_true"]).sum())
    made["y_pred"] = made["y_true"]
    made.to_csv(beside.folder / "tree.csv", index=False)
    run = beside(config)
    assert run.returncode == 0, run.stderr
    said = f"tree: in {wrong} of 60 rows the predicted label is not the class of the largest"
    for name in ("report.html", "report.md"):
        page = (beside.results("brought") / name).read_text()
        assert "Bayes, elsewhere" in page
        assert said in page
        assert not re.search("(Bayes, elsewhere|stump): in [^.]*not the class of the largest", page)
    compared(beside, monkeypatch)


def test_scores_from_elsewhere_feed_the_same_test(beside, tiny):
    there = beside.folder / "results/tiny/scores.csv"
    there.rename(beside.folder / "scores.csv")
    config = {
        "experiment": "scored",
        "datasets": {"iris": {"source": "given"}},
        "models": {model: {"scores": "scores.csv"} for model in tiny["models"]},
        "resampling": {"cv_5x2": {}},
        "metrics": tiny["metrics"],
        "tests": {"run": ["cv5x2_f"]},
    }
    run = beside(config, "--until", "compare")
    assert run.returncode == 0, run.stderr
    assert not executed(run) & {"fit", "split_dataset", "take_predictions"}
    expected = rows(beside, "tiny", test="cv5x2_f")
    pd.testing.assert_frame_equal(rows(beside, "scored", test="cv5x2_f"), expected)


@pytest.mark.slow
def test_model_of_another_run_is_a_rival_on_folds_too(beside, tiny):
    tiny["experiment"] = "april"
    tiny["models"] = {
        "tree": {"results": "results/tiny", "model": "tree"},
        "bayes": tiny["models"]["bayes"],
        "stump": {"results": "results/tiny", "model": "stump"},
    }
    run = beside(tiny, "--until", "compare", "all_scores")
    assert run.returncode == 0, run.stderr
    assert executed(run) >= {"take_predictions", "fit"}
    for test in ("cv5x2_f", "mcnemar"):
        expected = rows(beside, "tiny", test=test)
        pd.testing.assert_frame_equal(rows(beside, "april", test=test), expected)
    scores = [pd.read_csv(beside.results(name) / "scores.csv") for name in ("tiny", "april")]
    pd.testing.assert_frame_equal(*scores)

    # that run is made again with another tree; its stamp says what from, not by which model
    fold = beside.results() / "predictions/iris/tree/cv_5x2.repeat-2.fold-1.parquet"
    made = Predictions.read(fold)
    dataclasses.replace(made, y_pred=made.y_true).write(fold)
    run = beside(tiny, "--until", "all_scores")
    assert run.returncode == 0, run.stderr
    assert executed(run) == {"take_predictions", "collect_scores", "all_scores"}
    changed = pd.read_csv(beside.results("april") / "scores.csv")
    where = changed.query("model == 'tree' and repeat == 2 and fold == 1 and metric == 'accuracy'")
    assert where["value"].tolist() == [1.0]
