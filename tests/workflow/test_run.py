"""The real workflow on a tiny experiment: its values, its files, what reruns and what does not."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mlxtend.evaluate import cochrans_q, mcnemar, mcnemar_table
from sklearn.metrics import accuracy_score

from tests.conftest import TINY


def executed(run):
    """Return the rules that a run executed, going by Snakemake's complete log."""
    logs = sorted((Path(run.args[run.args.index("--directory") + 1]) / ".snakemake/log").iterdir())
    return set(re.findall(r"^(?:local)?rule (\w+):", logs[-1].read_text(), flags=re.MULTILINE))


def comparisons(runner, name="tiny"):
    return pd.read_csv(runner.results(name) / "comparisons.csv").fillna(
        {"follows": "", "variant": ""}
    )


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


def test_mcnemar_and_cochran_agree_with_mlxtend(finished):
    models = list(TINY["models"])
    holdout = {m: predictions(finished, m, "holdout") for m in models}
    truth = holdout["tree"]["y_true"].to_numpy()
    found = comparisons(finished)
    q, p = cochrans_q(truth, *(holdout[m]["y_pred"].to_numpy() for m in models))
    row = found.query("test == 'cochran_q'").iloc[0]
    assert row.statistic == pytest.approx(q)
    listed = json.loads((finished.results() / "comparisons.json").read_text())
    (cochran,) = (one for one in listed if one["test"] == "cochran_q")
    assert cochran["result"]["details"]["pvalue_asymptotic"] == pytest.approx(p)
    for row in found.query("test == 'mcnemar'").itertuples():
        a, b = (holdout[m]["y_pred"].to_numpy() for m in (row.model_a, row.model_b))
        table = mcnemar_table(truth, a, b)
        n01, n10 = int(table[0, 1]), int(table[1, 0])
        assert row.estimate == pytest.approx((a == truth).mean() - (b == truth).mean())
        _, exact_p = mcnemar(np.array([[0, n01], [n10, 0]]), exact=True)
        assert row.pvalue <= min(1, exact_p) + 1e-12  # mid-p never exceeds the exact p
        assert row.pvalue_adjusted == pytest.approx(min(1, 3 * row.pvalue))


def test_two_runs_give_the_same_bytes_in_all_files_but_times(finished, snakemake, tiny):
    """On one core and on two, in two folders; the report and the metadata of predictions too."""
    assert snakemake(tiny, cores=2).returncode == 0
    one, two = (
        {p.relative_to(r): p for p in r.rglob("*")}
        for r in (finished.results(), snakemake.results())
    )
    assert one.keys() == two.keys()
    files = [name for name, path in one.items() if path.is_file() and name.parts[0] != "logs"]
    differ = {name for name in files if one[name].read_bytes() != two[name].read_bytes()}
    timings = (".timing.json", "timings.csv", ".file-sizes")
    assert [name for name in differ if not name.name.endswith(timings)] == []
    assert len(files) > 130


def tables(results):
    """Return the bytes of every CSV and JSON but those of timings."""
    files = [p for p in sorted(results.rglob("*")) if p.suffix in (".csv", ".json", ".yaml")]
    times = ("timings.csv", "timing.json")
    return {
        str(p.relative_to(results)): p.read_bytes() for p in files if not p.name.endswith(times)
    }


def test_edited_model_refits_alone_and_an_added_one_changes_no_other_number(finished_copy, tiny):
    fits = finished_copy.results().rglob("predictions/**/*.parquet")
    before = {p: p.stat().st_mtime_ns for p in fits}
    scores = pd.read_csv(finished_copy.results() / "scores.csv")
    tiny["models"]["tree"]["params"] = {"max_depth": 3}
    tiny["models"]["forest"] = {
        "estimator": "sklearn.ensemble.RandomForestClassifier",
        "params": {"n_estimators": 5},
    }
    run = finished_copy(tiny, "--until", "all_scores")
    assert run.returncode == 0
    (said,) = run.stdout.splitlines()  # in place of the verdict of the models before
    assert said.startswith("results/tiny/report.html was no part of this run")
    changed = {p.parent.name for p, t in before.items() if p.stat().st_mtime_ns != t}
    assert changed == {"tree"}
    after = pd.read_csv(finished_copy.results() / "scores.csv")
    kept = [table.query("model in ['bayes', 'stump']") for table in (scores, after)]
    pd.testing.assert_frame_equal(*(table.reset_index(drop=True) for table in kept))
    assert set(after["model"]) == {"tree", "bayes", "stump", "forest"}


def test_second_run_does_nothing_beside_another_experiment_too(finished_copy, tiny):
    plans = {"holdout": tiny["resampling"]["holdout"]}
    other = tiny | {"experiment": "other", "seed": 8, "resampling": plans}
    other |= {"tests": {"run": ["mcnemar"]}}
    assert finished_copy(other, "--until", "all_scores").returncode == 0
    second = finished_copy(tiny)
    assert second.returncode == 0
    assert "Nothing to be done" in second.stderr
    assert executed(second) == set()
    one, two = (pd.read_csv(finished_copy.results(n) / "scores.csv") for n in ("tiny", "other"))
    assert one.query("plan == 'holdout'")["value"].tolist() != two["value"].tolist()


def test_no_cores_are_named_and_one_model_alone_asks_for_memory(snakemake, tiny):
    tiny["models"]["tree"]["resources"] = {"mem_mb": 900, "disk_mb": 10, "runtime": 5}
    tiny |= {"resampling": {"holdout": {}}, "tests": {"run": ["mcnemar"]}}
    limit = "--resources", "mem_mb=1000"
    run = snakemake(tiny, *limit, "--until", "all_scores", cores=None)
    assert run.returncode == 0, run.stderr
    assert set(pd.read_csv(snakemake.results() / "scores.csv")["model"]) == set(tiny["models"])
