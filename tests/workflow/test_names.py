"""Names of users that are called like columns and files of ours change no number."""

import numpy as np
import pandas as pd
import pytest

from tests.conftest import Runner

MODELS = ("y_true", "row_id", "plan", "metric", "dataset", "repeat", "fold", "group", "written")
DATASETS = ("index", "get", "matrix")
FEATURES = ("scores", "value", "p:y_true", ":y_true", ":group", "fold_1")
ROLES = {"subgroups": "y_true", "groups": "time", "holdout": "holdout", "kfold": "dataset"}
TARGET = "model"
CLASSES = ("y_true", ":row_id")


def table(seed, features, roles, target):
    """Make rows in groups, divided by columns: seeds of divisions depend on ids."""
    rng = np.random.default_rng(seed)
    n = 120
    positive = rng.random(n) < 0.5
    skill = rng.uniform(0.1, 0.6, len(features))
    frame = pd.DataFrame(rng.normal(size=(n, len(features))) + positive[:, None] * skill)
    frame.columns = features
    pairs = np.arange(n) // 2
    frame[roles["subgroups"]] = rng.choice(["u", "v"], n)
    frame[roles["groups"]] = pairs
    frame[roles["holdout"]] = np.where(pairs % 5 < 2, "test", "train")
    frame[roles["kfold"]] = pairs % 4
    frame[target] = np.where(positive, *CLASSES)
    return frame


TABLES = ("scores", "comparisons", "intervals", "subgroups")
TABLES_OF_DATA_SETS = ("score_matrix", "tables/datasets")
FILES = [f"results/names/{name}.csv" for name in (*TABLES, *TABLES_OF_DATA_SETS)]


def ran(folder, models, datasets, features, roles, target, files=()):
    """Run the experiment with these names, as far as some files need, and return its tables."""
    folder.mkdir()
    entries = {}
    for seed, name in enumerate(datasets):
        table(seed, list(features), roles, target).to_parquet(folder / f"{seed}.parquet")
        entries[name] = {"source": "file", "path": f"{seed}.parquet", "target": target}
        entries[name] |= {"groups": roles["groups"], "subgroups": [roles["subgroups"]]}
        entries[name] |= {"drop": [roles["subgroups"]]}
    kinds = [{"estimator": "sklearn.naive_bayes.GaussianNB"}]
    neighbours = "sklearn.neighbors.KNeighborsClassifier"
    for k in range(1, 2 * len(models) - 1, 2):
        kinds.append({"estimator": neighbours, "params": {"n_neighbors": k}})
    plans = {name: {"column": roles[name]} for name in ("holdout", "kfold")}
    plans["kfold"]["folds"] = 4
    config = {
        "experiment": "names",
        "datasets": entries,
        "models": dict(zip(models, kinds, strict=True)),
        "resampling": plans,
        "metrics": ["accuracy", "log_loss"],
        "tests": {"run": ["mcnemar", "friedman", "metric_difference"], "correction": "holm"},
        "execution": {"jobs_per": "model"},
    }
    run = Runner(folder)(config, *files)
    assert run.returncode == 0, run.stderr
    results = Runner(folder).results("names")
    numbered = {name: f"name {i}" for names in (models, datasets) for i, name in enumerate(names)}
    found = {}
    for file in TABLES:
        found[file] = pd.read_csv(results / f"{file}.csv", keep_default_na=False)
        for column in {"dataset", "model", "model_a", "model_b"} & set(found[file]):
            found[file][column] = found[file][column].map(lambda text: numbered.get(text, text))
        found[file] = found[file].replace({"column": {roles["subgroups"]: "subgroups"}})
    for file in TABLES_OF_DATA_SETS:
        found[file] = pd.read_csv(results / f"{file}.csv", header=None, skiprows=1)
        found[file] = found[file].replace(dict(zip(datasets, DATASETS, strict=True)))
    return found


@pytest.mark.slow
def test_names_like_those_of_our_columns_and_files_change_no_number(tmp_path):
    ours = ran(tmp_path / "ours", MODELS, DATASETS, FEATURES, ROLES, TARGET)
    plain = ran(
        tmp_path / "plain",
        [f"m{i}" for i in range(len(MODELS))],
        [f"d{i}" for i in range(len(DATASETS))],
        [f"x{i}" for i in range(len(FEATURES))],
        {"subgroups": "s", "groups": "g", "holdout": "h", "kfold": "k"},
        "t",
        FILES,
    )
    for file, expected in plain.items():
        told = {"note", "caution"} & set(expected)  # sentences with the names in them
        found = ours[file].drop(columns=told)
        pd.testing.assert_frame_equal(found, expected.drop(columns=told), obj=file)
