"""The real workflow on a tiny experiment: its values, its files, what reruns and what does not."""

import json
import os
import re
import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.metrics import accuracy_score

from bakeoff.stats import all_pairs, cochran_q
from tests.conftest import TINY, Runner


def executed(run):
    """Return the rules that a run executed, going by Snakemake's complete log."""
    logs = sorted((Path(run.args[run.args.index("--directory") + 1]) / ".snakemake/log").iterdir())
    return set(re.findall(r"^(?:local)?rule (\w+):", logs[-1].read_text(), flags=re.MULTILINE))


def succeed(runner, *arguments, **more):
    """Run to the end, without a failure."""
    run = runner(*arguments, **more)
    assert run.returncode == 0, run.stderr
    return run


def predictions(runner, model, split):
    return pd.read_parquet(runner.results() / f"predictions/iris/{model}/{split}.parquet")


def test_fits_are_what_scikit_learn_makes_of_the_same_split(finished):
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.preprocessing import StandardScaler

    data = load_iris()
    folds = pd.read_parquet(finished.results() / "splits/iris.cv_5x2.parquet")
    train, test = (folds["repeat-2"] != 1).to_numpy(), (folds["repeat-2"] == 1).to_numpy()
    scaler = StandardScaler().fit(data.data[train])
    model = GaussianNB().fit(scaler.transform(data.data[train]), data.target[train])
    found = predictions(finished, "bayes", "cv_5x2.repeat-2.fold-1")
    np.testing.assert_array_equal(found["row_id"], np.flatnonzero(test) + 1)
    expected = model.predict_proba(scaler.transform(data.data[test]))
    np.testing.assert_allclose(found.filter(regex="^p:"), expected, atol=1e-12)
    assert list(found["y_pred"]) == [
        data.target_names[i] for i in model.predict(scaler.transform(data.data[test]))
    ]


def test_scores_are_those_of_the_predictions(finished):
    scores = pd.read_csv(finished.results() / "scores.csv")
    assert len(scores) == 3 * 11 * 2
    for row in scores[scores["metric"] == "accuracy"].itertuples():
        split = (
            "holdout" if row.plan == "holdout" else f"cv_5x2.repeat-{row.repeat}.fold-{row.fold}"
        )
        found = predictions(finished, row.model, split)
        assert row.value == pytest.approx(accuracy_score(found["y_true"], found["y_pred"]))
        assert row.n_test == len(found)


def test_comparisons_of_rows_are_those_of_the_predictions(finished):
    holdout = [predictions(finished, model, "holdout") for model in TINY["models"]]
    right = np.transpose([one["y_pred"] == one["y_true"] for one in holdout])
    rows = pd.read_csv(finished.results() / "comparisons.csv")
    omnibus, expected = rows.query("test == 'cochran_q'").iloc[0], cochran_q(right)
    assert omnibus.statistic == pytest.approx(expected.statistic)
    assert omnibus.pvalue == pytest.approx(expected.pvalue)
    pairs = all_pairs("mcnemar", right).pairs
    for name in ("estimate", "pvalue", "pvalue_adjusted"):
        values = rows.query("test == 'mcnemar'")[name].tolist()
        assert values == pytest.approx([getattr(pair, name) for pair in pairs])


def written(results, kinds=(".csv", ".json", ".yaml")):
    """Return the bytes of every file of these kinds, or of all, but those of times."""
    times = ("timings.csv", "timing.json", ".file-sizes")
    return {
        path.relative_to(results).as_posix(): path.read_bytes()
        for path in results.rglob("*")
        if path.is_file()
        and (kinds is None or path.suffix in kinds)
        and not path.name.endswith(times)
        and not {"logs", "batches"} & {*path.parts}
    }


def differing(here, there, **kinds):
    """Return the files of two folders of results that differ, or that only one has."""
    one, two = written(here, **kinds), written(there, **kinds)
    return {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}


@pytest.mark.slow
def test_same_bytes_in_batches_on_two_cores_as_in_single_jobs_on_one(finished, snakemake, tiny):
    """In two folders and all files but times: the report and the metadata of predictions too."""
    tiny["execution"] = {"jobs_per": "model"}
    succeed(snakemake, tiny, "--set-threads", "fit_model=2", cores=2)
    assert differing(finished.results(), snakemake.results(), kinds=None) == set()
    assert len(written(finished.results(), kinds=None)) > 100
    assert "Nothing to be done" in snakemake(tiny).stderr


def test_edited_model_refits_alone_and_an_added_one_changes_no_other_number(finished_copy, tiny):
    before = fits(finished_copy)
    scores = pd.read_csv(finished_copy.results() / "scores.csv")
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    forest = {"estimator": "sklearn.ensemble.RandomForestClassifier"}
    tiny["models"]["forest"] = forest | {"params": {"n_estimators": 5}}
    run = succeed(finished_copy, tiny, "--until", "all_scores")
    (said,) = run.stdout.splitlines()  # in place of the verdict of the models before
    assert said.startswith("results/tiny/report.html was no part of this run")
    assert refitted(before, finished_copy) == {"tree"}
    after = pd.read_csv(finished_copy.results() / "scores.csv")
    kept = [table.query("model in ['bayes', 'stump']") for table in (scores, after)]
    pd.testing.assert_frame_equal(*(table.reset_index(drop=True) for table in kept))
    assert set(after["model"]) == {"tree", "bayes", "stump", "forest"}


@pytest.mark.slow
def test_second_run_does_nothing_beside_another_experiment_too(finished_copy, tiny):
    """The other one names no cores, and one of its models alone asks for memory."""
    resources = {"mem_mb": 900, "disk_mb": 10, "runtime": 5}
    models = tiny["models"] | {"tree": tiny["models"]["tree"] | {"resources": resources}}
    other = tiny | {"experiment": "other", "seed": 8, "models": models}
    other |= {"resampling": {"holdout": {"test_size": 0.4}}, "tests": {"run": ["mcnemar"]}}
    limit = "--resources", "mem_mb=1000"
    succeed(finished_copy, other, *limit, "--until", "all_scores", cores=None)
    second = succeed(finished_copy, tiny)
    assert "Nothing to be done" in second.stderr
    assert executed(second) == set()
    one, two = (pd.read_csv(finished_copy.results(n) / "scores.csv") for n in ("tiny", "other"))
    one = one.query("plan == 'holdout'")
    assert one["model"].tolist() == two["model"].tolist()
    assert one["value"].tolist() != two["value"].tolist()


@pytest.mark.slow
def test_edits_of_all_but_fits_give_what_a_fresh_run_gives_and_refit_nothing(
    finished_copy, tiny, tmp_path_factory
):
    """Lists in another order, a label, a metric, a level; the fresh run has more cores.

    Figures for print that were asked for once are made again with the others.
    """
    succeed(finished_copy, tiny, "print_figures")
    figures = finished_copy.results() / "figures"
    asked = max(p.stat().st_mtime for p in figures.glob("*.p*"))
    tiny["models"]["tree"]["label"] = "A tree"
    tiny["metrics"] += ["mcc"]
    tiny["tests"]["alpha"] = 0.01
    tiny["models"] = dict(reversed(tiny["models"].items()))
    tiny["metrics"].reverse()
    tiny["tests"]["run"].remove("cochran_q")  # and what it left goes
    tiny["tests"]["run"].reverse()
    run = succeed(finished_copy, tiny)
    assert not executed(run) & {"load_dataset", "split_dataset", "fit"}
    made = pd.read_csv(finished_copy.results() / "comparisons.csv")
    assert set(made["alpha"]) == {0.01}
    fresh = Runner(tmp_path_factory.mktemp("fresh"))
    succeed(fresh, tiny, cores=2)
    kinds = (".svg", ".html", ".md", ".csv", ".tex", ".txt", ".json", ".yaml", ".parquet")
    assert differing(finished_copy.results(), fresh.results(), kinds=kinds) == set()
    drawn, *prints = ({p.stem for p in figures.glob(f"*.{kind}")} for kind in ("svg", "pdf", "png"))
    assert prints == [drawn, drawn]
    assert min(p.stat().st_mtime for p in figures.glob("*.p*")) > asked
    assert not list((fresh.results() / "figures").glob("*.p*"))


def test_what_is_deleted_comes_back_and_what_is_damaged_is_made_again(finished_copy, tiny):
    results = finished_copy.results()
    before, pictures = written(results), set((results / "figures").iterdir())
    shutil.rmtree(results / "figures")
    for name in ("verdict.txt", "timings.csv", "comparisons.json"):
        (results / name).unlink()
    (results / "data/iris.parquet").write_text("garbage")
    flipped = bytearray((results / "scores.csv").read_bytes())
    flipped[50] ^= 1
    (results / "scores.csv").write_bytes(flipped)
    run = succeed(finished_copy, tiny)
    assert "load_dataset" in executed(run)
    assert set((results / "figures").iterdir()) == pictures
    assert (results / "verdict.txt").is_file()
    assert written(results) == before


MODEL = """
from sklearn.dummy import DummyClassifier

class Constant(DummyClassifier):
    def __init__(self):
        super().__init__(strategy="constant", constant=0)
"""


OF_FILES = """
experiment: tiny
seed: 1
datasets: {d: {source: file, path: train.csv, test_path: test.csv, id: id, target: y}}
models:
  given: {predictions: answers.csv}
  constant: {estimator: mymodel.Constant}
  tree: {estimator: sklearn.tree.DecisionTreeClassifier}
resampling: {holdout: {}}
metrics: [accuracy]
tests: {run: [mcnemar]}
"""


def replaced_inputs(folder):
    """Write an experiment that names files by as many keys as one can have."""
    y = ["no", "yes"] * 10
    for name, ids in (("train.csv", range(20)), ("test.csv", range(20, 40))):
        table = pd.DataFrame({"id": ids, "x": ids, "y": y, "z": [1, 2] * 10})
        table.to_csv(folder / name, index=False)
    answers = pd.DataFrame({"id": ids, "y_true": y, "y_pred": "no"})
    answers.to_csv(folder / "answers.csv", index=False)
    (folder / "mymodel.py").write_text(MODEL)
    return yaml.safe_load(OF_FILES)


def replace(file, old, new, seconds):
    """Put another file in the place of one, whose date is as much later, or earlier."""
    text, now = file.read_text(), file.stat()
    other = file.with_name("other")
    other.write_text(text.replace(old, new))
    assert other.read_text() != text
    moment = now.st_mtime_ns + seconds * 10**9
    os.utime(other, ns=(moment, moment))
    other.replace(file)


@pytest.mark.slow
def test_files_count_by_what_they_hold_whatever_their_dates(snakemake):
    experiment, folder = replaced_inputs(snakemake.folder), snakemake.folder

    def scores():
        table = pd.read_csv(snakemake.results() / "scores.csv")
        return dict(zip(table["model"], table["value"], strict=True))

    until = "--until", "all_scores"
    succeed(snakemake, experiment, *until)
    assert scores() == {"given": 0.5, "constant": 0.5, "tree": 1.0}

    for file in ("train.csv", "test.csv"):
        replace(folder / file, "1\n", "3\n", -3600)  # as large, and older
    replace(folder / "mymodel.py", "constant=0", "constant=1", 0)
    replace(folder / "answers.csv", "no,no", "no,yes", 0)
    run = succeed(snakemake, experiment, *until)
    assert {"load_dataset", "fit", "take_predictions"} <= executed(run)
    table = pd.read_parquet(snakemake.results() / "data/d.parquet")
    assert set(table["z"]) == {2, 3}
    assert scores() == {"given": 0.0, "constant": 0.5, "tree": 1.0}
    constant = pd.read_parquet(snakemake.results() / "predictions/d/constant/holdout.parquet")
    assert set(constant["y_pred"]) == {"yes"}

    for file in folder.glob("*.*"):
        file.touch()
    assert executed(snakemake(experiment, *until)) == set()


BROKEN = """
import os, signal
from sklearn.tree import DecisionTreeClassifier

class Raises(DecisionTreeClassifier):
    def fit(self, X, y):
        raise RuntimeError("no luck today")

class Dies(DecisionTreeClassifier):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)
"""


def per(what):
    """Return the options that set how many fits one job does, up to the scores."""
    return "--until", "all_scores", "--config", f"execution={{jobs_per: {what}}}"


def fits(runner):
    """Return when each file of predictions was written."""
    files = runner.results().glob("predictions/*/*/*.parquet")
    return {f"{p.parent.name}/{p.name}": p.stat().st_mtime_ns for p in files}


def refitted(before, runner):
    """Return the models whose predictions were written since, and were there before."""
    after = fits(runner)
    return {name.partition("/")[0] for name in before if after[name] != before[name]}


@pytest.mark.slow
def test_changes_of_granularity_refit_what_changed_and_nothing_else(finished_copy, tiny):
    for what in ("model", "fold"):
        before = fits(finished_copy)
        succeed(finished_copy, tiny, *per(what))
        assert refitted(before, finished_copy) == set(), what
    # then Snakemake's records of single jobs and those of batches both tell of an older state
    for what, depth in (("model", 3), ("fold", 3), ("fold", 2), ("model", 3)):
        before = fits(finished_copy)
        tiny["models"]["tree"]["params"] = {"max_depth": depth}
        succeed(finished_copy, tiny, *per(what))
        models = refitted(before, finished_copy)
        assert models == {"tree"} or ((what, depth) == ("fold", 3) and models <= {"tree"})


@pytest.mark.slow
def test_failing_fit_does_not_lose_its_siblings(snakemake, tiny):
    (snakemake.folder / "broken.py").write_text(BROKEN)
    broken = {**tiny, "models": {**tiny["models"], "tree": {"estimator": "broken.Raises"}}}
    run = snakemake(broken, *per("model"), "--keep-going")
    assert run.returncode == 1
    assert "11 of 11 fits failed" in run.stderr
    assert "the fit of model tree on data set iris, cv_5x2, repeat 1, fold 1, failed" in run.stderr
    kept = fits(snakemake)
    assert len(kept) == 22
    (snakemake.results() / "predictions/iris/bayes/holdout.parquet").unlink()
    succeed(snakemake, tiny, *per("model"))
    after = fits(snakemake)
    assert len(after) == 33
    assert {name for name in kept if kept[name] != after[name]} == {"bayes/holdout.parquet"}


@pytest.mark.slow
def test_a_study_over_data_sets_with_costs_and_a_model_without_probabilities(snakemake, tiny):
    moons = {"source": "generator", "name": "make_moons"}
    tiny["datasets"] = {
        f"set-{i}": moons | {"params": {"n_samples": 80, "noise": 0.1 * i, "random_state": i}}
        for i in range(1, 7)
    }
    tiny["models"]["stump"] = {"estimator": "sklearn.linear_model.RidgeClassifier"}
    tiny |= {"resampling": {"kfold": {"folds": 3}}, "execution": {"jobs_per": "model"}}
    tiny |= {"metrics": ["cost"], "costs": {"classes": [0, 1], "matrix": [[0, 1], [4, 0]]}}
    del tiny["tests"]
    succeed(snakemake, tiny)
    results, models = snakemake.results(), list(tiny["models"])
    (chosen,) = json.loads((results / "tests.json").read_text())
    assert chosen["test"] == "friedman"
    assert "6 data sets" in chosen["why"]

    scores = pd.read_csv(results / "scores.csv", dtype={"dataset": str})
    means = scores.groupby(["metric", "dataset", "model"])["value"].mean().unstack("model")
    matrix = pd.read_csv(results / "score_matrix.csv").set_index(["metric", "dataset"])
    np.testing.assert_allclose(matrix.loc["cost", models], means.loc["cost", models])
    missing = json.loads((results / "missing_scores.json").read_text())
    assert missing == {"policy": "error", "missing": []}

    rows = json.loads((results / "comparisons.json").read_text())
    pairs = {(row["metric"], row["model_a"], row["model_b"]) for row in rows if row["follows"]}
    assert pairs == {("cost", *pair) for pair in combinations(models, 2)}
