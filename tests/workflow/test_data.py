"""What a real run is given: data of every source, models with results, and mistakes."""

import hashlib
import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from bakeoff.cli import main
from tests.conftest import ROOT, TINY, served
from tests.workflow.test_run import BROKEN, executed, succeed

DATA = ROOT / "config/data"

CODE = f"""
import pandas as pd

def load(rows):
    frame = pd.read_csv({str(DATA / "attrition.csv")!r}).head(rows)
    return frame[["Age", "MonthlyIncome", "JobRole"]], frame["target"]
"""


@pytest.fixture
def address():
    """Serve the shipped data on this machine."""
    with served(DATA) as address:
        yield address


STUDY = """
experiment: study
seed: 3
datasets:
  web: {source: url, target: target, merge: {Other: [Chinstrap, Gentoo]}}
  code: {source: function, function: mydata.load, params: {rows: 300}}
  files:
    source: file
    path: train.csv
    test_path: test.csv
    target: target
    classes: [Adelie, Gentoo]
  jobs:
    source: file
    target: target
    groups: JobRole
    filter: [{column: Age, below: 40}]
    drop: [EmployeeNumber]
  staff: {source: file, target: target, time: EmployeeNumber}
resampling: {kfold: {folds: 3}, holdout: {test_size: 0.3}}
metrics: [accuracy, roc_auc]
tests: {run: [mcnemar]}
"""


def study(address, folder):
    lines = (DATA / "penguins.csv").read_text().splitlines()
    (folder / "train.csv").write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    (folder / "test.csv").write_text("\n".join([lines[0], *lines[2::2]]) + "\n")
    (folder / "mydata.py").write_text(CODE)
    config = yaml.safe_load(STUDY) | {"models": {m: TINY["models"][m] for m in ("tree", "bayes")}}
    sha256 = hashlib.sha256((DATA / "penguins.csv").read_bytes()).hexdigest()
    config["datasets"]["web"] |= {"url": f"{address}/penguins.csv", "sha256": sha256}
    for name in ("jobs", "staff"):
        config["datasets"][name]["path"] = str(DATA / "attrition.csv")
    return config


@pytest.mark.slow
def test_every_source_and_division_in_one_study(snakemake, address):
    config = study(address, snakemake.folder)
    succeed(snakemake, config)
    results = snakemake.results("study")
    methods = {}
    scores = pd.read_csv(results / "scores.csv").query("model == 'tree' and metric == 'accuracy'")
    for (dataset, plan), of_plan in scores.groupby(["dataset", "plan"]):
        quality = json.loads((results / f"splits/{dataset}.{plan}.json").read_text())
        methods[dataset, plan] = quality["method"]
        sizes = {(p["fold"], p["train"]["rows"], p["test"]["rows"]) for p in quality["parts"]}
        found = zip(of_plan["fold"], of_plan["n_train"], of_plan["n_test"], strict=True)
        assert set(found) == sizes
    assert len(methods) == 2 * len(config["datasets"])
    how = {"web": "random", "code": "random", "files": "random", "jobs": "grouped", "staff": "time"}
    expected = {(dataset, plan): how[dataset] for dataset, plan in methods}
    assert methods == expected | {("files", "holdout"): "test file"}
    tested = pd.read_parquet(results / "predictions/staff/tree/holdout.parquet")["row_id"]
    assert tested.min() == 1470 - len(tested) + 1
    # a changed function is called again, and nothing else is done anew
    web = (results / "data/web.parquet").stat().st_mtime_ns
    code = (results / "data/code.parquet").read_bytes()
    file = snakemake.folder / "mydata.py"
    file.write_text(CODE.replace('"MonthlyIncome", ', ""))
    succeed(snakemake, config)
    assert (results / "data/code.parquet").read_bytes() != code
    assert (results / "data/web.parquet").stat().st_mtime_ns == web


def test_mistake_in_data_from_the_web_is_told_before_any_fit(snakemake, address):
    config = study(address, snakemake.folder)
    config["datasets"] = {"files": config["datasets"]["files"], "web": config["datasets"]["web"]}
    config["datasets"]["web"].pop("merge")
    told = "metrics[1]: roc_auc is for two classes, web has 3"
    # with more cores a fit of another data set may begin while this one is still being loaded
    run = snakemake(config)
    assert run.returncode == 1
    assert f"load_dataset failed: {told}" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (snakemake.results("study") / "predictions").exists()
    again = snakemake(config)
    assert told in again.stderr
    assert "load_dataset failed" not in again.stderr, "what is downloaded is checked beforehand"


def test_mistake_ends_the_run_before_it_begins(snakemake, tiny):
    tiny["datasets"]["f"] = {"source": "file", "path": "no.csv", "target": "y"}
    run = snakemake(tiny)
    assert run.returncode == 1
    assert "no file at 'no.csv'" in run.stderr
    assert "experiment.yaml" in run.stderr
    assert "Traceback" not in run.stderr
    assert 'File "' not in run.stderr
    assert not (snakemake.folder / "results").exists()


def test_options_that_only_tell_are_heard(finished_copy, tiny):
    said = {
        option: (run := finished_copy(tiny, *option.split())).stdout + run.stderr
        for option in ("--unlock", "--delete-all-output -n", "--forcerun compare -n")
    }
    assert "Unlocked working directory." in said["--unlock"]
    assert "Would delete results/tiny/scores.csv" in said["--delete-all-output -n"]
    assert "output: results/tiny/comparisons.csv" in said["--forcerun compare -n"]


def test_failing_fits_are_named_with_their_logs(snakemake, tiny):
    (snakemake.folder / "broken.py").write_text(BROKEN)
    tiny["models"] |= {
        "tree": {"estimator": "broken.Raises"},
        "stump": {"estimator": "broken.Dies"},
    }
    tiny |= {"resampling": {"kfold": {"folds": 2}}, "tests": {"run": ["corrected_kfold_t"]}}
    run = snakemake(tiny, "--keep-going", cores=2)
    assert run.returncode == 1
    for model, reason, in_log in (
        ("tree", "RuntimeError: no luck today", "Traceback"),
        ("stump", "the worker process was killed by signal 9, SIGKILL", "SIGKILL"),
    ):
        log = f"results/tiny/logs/fit/iris/{model}/kfold.repeat-1.fold-2.log"
        assert (
            f"the fit of model {model} on data set iris, kfold, repeat 1, fold 2, failed: {reason}"
            in (run.stderr)
        )
        assert f"log: {log}" in run.stderr
        assert in_log in (snakemake.folder / log).read_text()
    predictions = snakemake.results() / "predictions/iris"
    assert len(list((predictions / "bayes").glob("*.parquet"))) == 2, "the others must not suffer"
    assert not list(Path(predictions).rglob("*.part"))
    for model in ("tree", "stump"):
        assert not (predictions / model).exists() or not list((predictions / model).iterdir())


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


@pytest.mark.slow
def test_given_model_is_compared_as_if_it_were_fitted(finished_copy, tiny):
    given_tree(finished_copy.folder)
    tiny |= {"experiment": "mixed", "resampling": {"holdout": {"test_size": 0.4}}}
    tiny["models"]["tree"] = {"predictions": "tree.csv"}
    tiny["tests"] = {"run": ["mcnemar", "cochran_q"]}
    run = succeed(finished_copy, tiny, "--until", "compare")
    assert "take_predictions" in executed(run)
    assert not (finished_copy.results("mixed") / "logs/fit/iris/tree").exists()
    for test in ("mcnemar", "cochran_q"):
        expected = rows(finished_copy, "tiny", test=test)
        pd.testing.assert_frame_equal(rows(finished_copy, "mixed", test=test), expected)
    assert executed(finished_copy(tiny, "--until", "compare")) == set()


@pytest.mark.slow
def test_experiment_of_given_models_alone(finished_copy, tiny, monkeypatch):
    given_tree(finished_copy.folder)
    results = finished_copy.folder / "results/tiny/predictions/iris"
    for model in ("bayes", "stump"):
        made = pd.read_parquet(results / model / "holdout.parquet").rename(columns={"row_id": "id"})
        made.to_parquet(finished_copy.folder / f"{model}.parquet")
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
    run = succeed(finished_copy, config, "--until", "compare", "all_scores")
    assert not any(rule.startswith("fit") for rule in executed(run))
    expected = rows(finished_copy, "tiny", test="mcnemar")
    pd.testing.assert_frame_equal(rows(finished_copy, "brought", test="mcnemar"), expected)
    scores = pd.read_csv(finished_copy.results("brought") / "scores.csv")
    there = pd.read_csv(finished_copy.results() / "scores.csv").query("plan == 'holdout'")
    merged = scores.merge(there, on=["model", "plan", "repeat", "fold", "metric"])
    assert len(merged) == 6
    assert merged["value_x"].tolist() == pytest.approx(merged["value_y"].tolist())

    made = pd.read_csv(finished_copy.folder / "tree.csv")
    wrong = int((made["y_pred"] != made["y_true"]).sum())
    made["y_pred"] = made["y_true"]
    made.to_csv(finished_copy.folder / "tree.csv", index=False)
    succeed(finished_copy, config)
    said = f"tree: in {wrong} of 60 rows the predicted label is not the class of the largest"
    for name in ("report.html", "report.md"):
        page = (finished_copy.results("brought") / name).read_text()
        assert "Bayes, elsewhere" in page
        assert said in page
        assert not re.search("(Bayes, elsewhere|stump): in [^.]*not the class of the largest", page)
    # the command makes the same numbers of the same files
    monkeypatch.chdir(finished_copy.folder)
    files = ("tree.csv", "bayes.parquet", "stump.parquet")
    assert main(["compare", *files, "--output", "tables"]) == 0
    for name in ("pairs.mcnemar", "omnibus"):
        by_command, by_run = (
            pd.read_csv(folder / f"tables/{name}.csv").select_dtypes("number")
            for folder in (finished_copy.folder, finished_copy.results("brought"))
        )
        pd.testing.assert_frame_equal(by_command, by_run)


def test_scores_from_elsewhere_feed_the_same_test(finished_copy, tiny):
    there = finished_copy.folder / "results/tiny/scores.csv"
    there.rename(finished_copy.folder / "scores.csv")
    config = {
        "experiment": "scored",
        "datasets": {"iris": {"source": "given"}},
        "models": {model: {"scores": "scores.csv"} for model in tiny["models"]},
        "resampling": {"cv_5x2": {}},
        "metrics": tiny["metrics"],
        "tests": {"run": ["cv5x2_f"]},
    }
    run = succeed(finished_copy, config, "--until", "compare")
    assert not executed(run) & {"fit", "split_dataset", "take_predictions"}
    expected = rows(finished_copy, "tiny", test="cv5x2_f")
    pd.testing.assert_frame_equal(rows(finished_copy, "scored", test="cv5x2_f"), expected)
