"""The positive class: one rule at every door, named wherever a metric is about it."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from bakeoff import UserError, compare, compare_estimators, gate
from bakeoff.data.given_predictions import load
from bakeoff.spec import load_experiment

RARE = ["churned"] * 12 + ["stayed"] * 48
PAIRS = [
    # classes of the truth, which is the positive one, why no other rule would find it
    (RARE, "churned"),
    (["Disease"] * 30 + ["Healthy"] * 30, "Disease"),
    (["No rain", "rain"] * 30, "rain"),
    ([2] * 40 + [10] * 20, "10"),
    (["oak"] * 10 + ["zelkova"] * 50, "oak"),
    (["ash", "oak"] * 30, "oak"),
]


def said(truth, wrong):
    """Return labels that differ from the truth on some rows."""
    one, other = dict.fromkeys(truth)
    return [
        (other if label == one else one) if i % wrong == 0 else label
        for i, label in enumerate(truth)
    ]


def of_experiment(truth, known):
    models = {m: {"predictions": f"{m}.csv"} for m in known}
    experiment = load_experiment({"experiment": "e", "models": models, "metrics": ["f1"]})
    (name,) = experiment.datasets
    return load(name, experiment).classes[-1]


@pytest.mark.parametrize(("truth", "positive"), PAIRS)
def test_every_door_takes_the_same_class(in_folder, answered, bakeoff, truth, positive):
    known = {"a": said(truth, 5), "b": said(truth, 7)}
    pd.DataFrame({"label": truth, **known}).to_csv("both.csv", index=False)
    for model, own in known.items():
        rows = {"id": range(len(truth)), "y_true": truth, "y_pred": own}
        pd.DataFrame(rows).to_csv(f"{model}.csv", index=False)
    found = compare(truth, known, metrics=["f1"])
    assert f"F1 of b for class {positive}" in found.verdict
    of_file = answered("compare", "both.csv", "--metric", "f1")
    assert f"F1 of b for class {positive}" in of_file["verdict"]["sentences"][0]
    of_python = found.to_frame()["estimate"].tolist()
    assert [one["estimate"] for one in of_file["comparisons"]] == of_python
    assert of_experiment(truth, known) == positive
    assert gate(truth, *known.values(), margin=0.9, metric="f1").positive == positive
    _, gated, _ = bakeoff("gate", "a.csv", "b.csv", "--margin", "0.9", "--metric", "f1", "--json")
    assert json.loads(gated)["terms"]["positive"] == positive


def test_estimators_are_scored_on_the_rarer_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    X[:43] += 1.2
    y = np.array(["churned"] * 43 + ["stayed"] * 557)
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    how = {"plan": {"holdout": {}}, "metrics": ["f1"]}
    found = compare_estimators(models, X, y, **how)
    same = compare_estimators(models, X, y, positive="churned", **how)
    assert found.verdict == same.verdict
    assert "F1 of nb for class churned" in found.verdict
    assert "F1 for class churned" in found.methods


DECIDE = ((("Healthy", "Disease"), False), (("ham", "spam"), False), (("cat", "dog"), True))


@pytest.mark.parametrize(("names", "refused"), DECIDE)
def test_one_probability_needs_names_that_decide(names, refused, tmp_path, bakeoff):
    y = np.tile(names, 60)
    rng = np.random.default_rng(1)
    p = np.clip((y == names[1]) * 0.3 + rng.uniform(size=120) * 0.7, 0, 1)
    given = {"p": p, "q": rng.uniform(size=120)}
    if refused:
        with pytest.raises(UserError, match="positive: of which class are the probab"):
            compare(y, given, metrics=["roc_auc"])
        return
    found = compare(y, given, metrics=["roc_auc"])
    assert found.verdict.startswith("p is better than q by ROC AUC")
    told = f"The probabilities of p and q are read as those of {names[1]!r}."
    assert told in found.verdict
    assert told not in compare(y, given, metrics=["roc_auc"], positive=names[1]).verdict
    pd.DataFrame({"label": y, **given}).to_csv(tmp_path / "t.csv", index=False)
    for options, is_told in (((), True), (("--positive", names[1]), False)):
        line = ["compare", str(tmp_path / "t.csv"), "--metric", "roc_auc", "--json", *options]
        assert (told in bakeoff(*line)[1]) == is_told
