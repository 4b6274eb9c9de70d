"""The same results get the same deciding test and p-value from a workflow, a command and Python."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from bakeoff.comparisons.choose import CASES, ON_FOLDS, FoldMetric
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.execution.fits import run_in_process
from bakeoff.spec import load_experiment
from bakeoff.stats.datasets.rank_tests import EXACT_UP_TO

N, FOLDS = 240, 5
COSTS = {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}
OF_CLASSES = ("accuracy", "roc_auc", "log_loss", "f1")
OF_NUMBERS = ("rmse", "mae", "r2")
LABELS = ("m1", "m2", "m3")
DECIDES = {
    # metric, and the test of two models and of three on one test set
    "accuracy": ("mcnemar", "mcnemar"),
    "roc_auc": ("delong", "metric_difference"),
    "log_loss": ("metric_difference", "metric_difference"),
    "f1": ("metric_difference", "metric_difference"),
    "cost": ("metric_difference", "metric_difference"),
    "rmse": ("metric_difference", "metric_difference"),
    "mae": ("metric_difference", "metric_difference"),
    "r2": ("metric_difference", "metric_difference"),
}
ASIDE = {"cost_sensitive", "cochran_q"}
"""Tests that are shown with the one that decides."""


@cache
def rows(numbers):
    """Return a table of each model with the truth, what it predicts and the groups of the rows."""
    rng = np.random.default_rng(5)
    truth = rng.random(N) < 0.4
    value = rng.normal(size=N)
    shared = rng.normal(size=N)
    tables = {}
    for label, skill in zip(LABELS, (1.6, 1.1, 0.9), strict=True):
        noise = 0.7 * shared + 0.7 * rng.normal(size=N)
        table = pd.DataFrame({"id": np.arange(N), "group": np.arange(N) // 6})
        if numbers:
            table = table.assign(y_true=value, y_pred=value + noise / skill)
        else:
            p = 1 / (1 + np.exp(-2 * (skill * truth + noise - 0.8)))
            table["y_true"] = np.where(truth, "yes", "no")
            table["y_pred"] = np.where(p > 0.5, "yes", "no")
            table = table.assign(p_no=1 - p, p_yes=p)
        tables[label] = table
    return tables


def in_workflow(tables, metrics, folder, resampling, **columns):
    """Run the workflow's steps on files of predictions."""
    models = {}
    for label, table in tables.items():
        table.to_csv(folder / f"{label}.csv", index=False)
        columns = {"id": "id", "truth": "y_true", "predicted": "y_pred", **columns}
        given = {"predictions": str(folder / f"{label}.csv"), "columns": columns}
        models[f"id_of_{label}"] = {**given, "label": label}
    numbers = metrics[0] in OF_NUMBERS
    config = {
        "experiment": "study",
        "task": "regression" if numbers else "classification",
        "datasets": {"patients": {"source": "given"}},
        "models": models,
        "metrics": metrics,
        "resampling": resampling,
    }
    if not numbers:
        config["datasets"]["patients"]["positive"] = "yes"
        config["costs"] = COSTS if "cost" in metrics else None
    config = {key: value for key, value in config.items() if value is not None}
    study = run_in_process(load_experiment(config), str(folder / "results"), 1, lambda *_: None)
    names = {key: model.label for key, model in study.experiment.models.items()}
    return deciding(study), [found(one.to_dict(), names) for one in study.comparisons]


def deciding(study):
    """Return the test that decides by each metric."""
    metrics = study.analysis.metrics
    dataset = "" if study.several else study.datasets[0]
    families = {name: study.trusted(dataset, name, any_of_rows=True) for name in metrics}
    return {name: trusted[0].entry.name for name, trusted in families.items()}


def found(row, names=None):
    """Return what doors are compared by: the test, what it is about, its p-values and interval."""
    about = ("test", "role", "metric", "model_a", "model_b", "decision")
    numbers = ("estimate", "pvalue", "pvalue_adjusted", "ci_low", "ci_high")
    row = {**row}
    for model in ("model_a", "model_b"):
        row[model] = names.get(row[model], "") if names else row[model]
    values = [np.nan if row[name] is None else float(row[name]) for name in numbers]
    return [str(row[name]) for name in about], values


def by_python(findings):
    """Return the deciding tests, and all comparisons."""
    rows_found = json.loads(findings.to_json())["comparisons"]
    return deciding(findings._study), list(map(found, rows_found))


def agree(first, second):
    """Tell whether two doors found the same."""
    assert [about for about, _ in first] == [about for about, _ in second]
    for (_, one), (about, other) in zip(first, second, strict=True):
        assert one == pytest.approx(other, rel=1e-9, nan_ok=True), about


@pytest.mark.parametrize("grouped", [False, True], ids=["rows", "groups"])
@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("metrics", [OF_CLASSES, ("cost",), OF_NUMBERS], ids=", ".join)
def test_one_test_set(metrics, models, grouped, tmp_path, capsys):
    numbers = metrics[0] in OF_NUMBERS
    tables = dict(list(rows(numbers).items())[:models])
    related = {"groups": "group"} if grouped else {}
    decides, workflow = in_workflow(tables, [*metrics], tmp_path, {"holdout": {}}, **related)

    first = next(iter(tables.values()))
    options = {"metrics": [*metrics], "groups": first["group"] if grouped else None}
    command = ["compare", *(str(tmp_path / f"{label}.csv") for label in tables), "--json"]
    command += [f"--metric={metric}" for metric in metrics]
    command += ["--groups", "group"] if grouped else []
    said = {label: table["y_pred"] for label, table in tables.items()}
    if not numbers:
        options["positive"] = "yes"
        command += ["--positive", "yes"]
        said = {label: table[["p_no", "p_yes"]].to_numpy() for label, table in tables.items()}
    if "cost" in metrics:
        options["costs"] = COSTS
        (tmp_path / "costs.json").write_text(json.dumps(COSTS))
        command += ["--set", f"costs={tmp_path / 'costs.json'}"]
    python_decides, python = by_python(bakeoff.compare(first["y_true"], said, **options))
    main(command)
    printed = json.loads(capsys.readouterr().out)

    expected = {metric: DECIDES[metric][models - 2] for metric in metrics}
    assert python_decides == decides == expected
    agree(python, workflow)
    agree(list(map(found, printed["comparisons"])), workflow)
    tested = {about[0] for about, _ in workflow}
    assert tested - ASIDE == set(expected.values()) - ASIDE


def in_folds(tables, repeats, folds):
    """Let the rows be tested in the folds of a plan, each repeat in another order."""
    rng = np.random.default_rng(1)
    places = [rng.permutation(N) % folds + 1 for _ in range(repeats)]
    return {
        label: pd.concat(
            [table.assign(repeat=r, fold=fold) for r, fold in enumerate(places, 1)],
            ignore_index=True,
        )
        for label, table in tables.items()
    }


FOLD_PLANS = {
    # a plan, its repeats and folds, and the key of its tests
    "kfold": ({"kfold": {"folds": FOLDS, "repeats": 1}}, 1, FOLDS, "kfold"),
    "repeated": ({"kfold": {"folds": FOLDS, "repeats": 2}}, 2, FOLDS, "repeated kfold"),
    "cv_5x2": ({"cv_5x2": {}}, 5, 2, "cv_5x2"),
}


@pytest.mark.parametrize("models", [2, 3])
@pytest.mark.parametrize("plan", FOLD_PLANS)
@pytest.mark.parametrize("metrics", [OF_CLASSES, ("rmse",)], ids=", ".join)
def test_folds(metrics, plan, models, tmp_path):
    numbers = metrics[0] in OF_NUMBERS
    resampling, repeats, folds, key = FOLD_PLANS[plan]
    tables = in_folds(dict(list(rows(numbers).items())[:models]), repeats, folds)
    roles = {"repeat": "repeat", "fold": "fold"}
    decides, workflow = in_workflow(tables, [*metrics], tmp_path, resampling, **roles)

    options = {} if numbers else {"positive": "yes"}
    truth = next(iter(tables.values())).drop_duplicates("id").set_index("id")["y_true"]
    findings = bakeoff.compare_folds(tables, y=truth, metrics=[*metrics], **options)
    python_decides, python = by_python(findings)

    expected = CASES[ON_FOLDS[key][FoldMetric.ROW_VALUES]].two
    assert python_decides == decides == dict.fromkeys(metrics, expected)
    agree(python, workflow)


@pytest.mark.parametrize("models", [2, 4])
@pytest.mark.parametrize("datasets", [5, 6, 8, 20])
def test_data_sets(datasets, models, tmp_path, capsys):
    rng = np.random.default_rng(datasets)
    labels = [f"m{i}" for i in range(models)]
    scores = rng.normal(0.8, 0.05, (datasets, models)).clip(0, 1)
    table = pd.DataFrame(scores, columns=labels)
    table.insert(0, "dataset", [f"d{i:02}" for i in range(datasets)])
    table.to_csv(tmp_path / "table.csv", index=False)
    findings = bakeoff.compare_datasets(table, datasets="dataset", metrics=["accuracy"])
    _, python = by_python(findings)
    command = ["compare", str(tmp_path / "table.csv"), "--datasets", "dataset"]
    main([*command, "--metric", "accuracy", "--json"])
    printed = json.loads(capsys.readouterr().out)
    agree(list(map(found, printed["comparisons"])), python)

    long = table.melt("dataset", var_name="model", value_name="value").assign(metric="accuracy")
    long.to_csv(tmp_path / "long.csv", index=False)
    given = {"scores": str(tmp_path / "long.csv")}
    config = {
        "experiment": "scores",
        "datasets": {name: {"source": "given"} for name in table["dataset"]},
        "models": dict.fromkeys(labels, given),
        "metrics": ["accuracy"],
        "resampling": {"holdout": {}},
    }
    problems, planned = plan_tests(load_experiment(config))
    assert not problems
    expected = "wilcoxon_signed_rank"
    if models == 4:
        expected = "friedman" if datasets <= EXACT_UP_TO[models] else "iman_davenport"
    assert [test.name for test in planned] == [expected]
    assert python[0][0][0] == expected
