"""Which tests run in a real study over data sets, with costs and a model that lacks a score."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.conftest import TINY


@pytest.fixture
def study():
    """Return six data sets, two models with probabilities and one without."""
    return {
        "experiment": "study",
        "seed": 5,
        "datasets": {
            f"set-{i}": {"source": "generator", "name": "make_moons"}
            | {"params": {"n_samples": 80, "noise": 0.1 * i, "random_state": i}}
            for i in range(1, 7)
        },
        "models": {
            "tree": TINY["models"]["tree"],
            "bayes": TINY["models"]["bayes"],
            "ridge": {"estimator": "sklearn.linear_model.RidgeClassifier"},
        },
        "resampling": {"kfold": {"folds": 3}},
        "metrics": ["cost", "brier"],
        "costs": {"classes": [0, 1], "matrix": [[0, 1], [4, 0]]},
        "execution": {"jobs_per": "dataset"},
    }


def test_a_study_over_data_sets(snakemake, study):
    stopped = snakemake(study)
    told = stopped.stdout + stopped.stderr
    assert stopped.returncode != 0
    assert "brier needs class probabilities, which ridge (RidgeClassifier) does not give" in told
    assert "missing_cells: drop_model" in told
    assert "Traceback" not in told

    study["tests"] = {"missing_cells": "drop_model"}
    done = snakemake(study)
    assert done.returncode == 0, done.stderr
    results = snakemake.results("study")
    (chosen,) = json.loads((results / "tests.json").read_text())
    assert chosen["test"] == "friedman"
    assert "6 data sets" in chosen["why"]

    scores = pd.read_csv(results / "scores.csv", dtype={"dataset": str})
    means = scores.groupby(["metric", "dataset", "model"])["value"].mean().unstack("model")
    matrix = pd.read_csv(results / "score_matrix.csv").set_index(["metric", "dataset"])
    cost = matrix.loc["cost", ["tree", "bayes", "ridge"]]
    np.testing.assert_allclose(cost, means.loc["cost", ["tree", "bayes", "ridge"]])
    assert matrix.loc["brier", "ridge"].isna().all()
    missing = json.loads((results / "missing_scores.json").read_text())
    assert missing["policy"] == "drop_model"
    assert len(missing["missing"]) == 6

    rows = json.loads((results / "comparisons.json").read_text())
    pairs = {(row["metric"], row["model_a"], row["model_b"]) for row in rows if row["follows"]}
    everyone = {("tree", "bayes"), ("tree", "ridge"), ("bayes", "ridge")}
    assert pairs == {("cost", *pair) for pair in everyone} | {("brier", "tree", "bayes")}
    told = {note for row in rows for note in row["result"].get("left_out", [])}
    assert len(told) == 1
    assert next(iter(told)).startswith("model ridge was left out: ridge has no brier on set-1")
    assert "the model ridge was left out" in (results / "verdict.txt").read_text()
