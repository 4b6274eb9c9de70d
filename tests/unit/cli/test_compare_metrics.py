"""`bakeoff compare --metric` and `--values`: the numbers of the library and of an experiment."""

import re

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.stats.metrics.family import compare_models


@pytest.fixture
def data(in_folder):
    """Write predictions and numbers of three models, all in one table and one table each."""
    rng = np.random.default_rng(1)
    n = 200
    y = rng.random(n) < 0.3
    found = {"y": np.where(y, "sick", "well")}
    wide = {"id": np.arange(n), "truth": found["y"], "site": np.arange(n) // 5}
    values = {"id": np.arange(n), "site": np.arange(n) // 5}
    for model, skill in (("a", 1.8), ("b", 1.0), ("c", 0.4)):
        z = skill * y + rng.normal(size=n)
        p = 1 / (1 + np.exp(0.7 - z))
        said = np.where(p > 0.5, "sick", "well")
        found[model] = {"p": p, "said": said, "loss": np.round((y - p) ** 2, 4)}
        wide |= {model: said, f"{model}:sick": p, f"{model}:well": 1 - p}
        values[model] = found[model]["loss"]
        own = {"id": np.arange(n), "value": found[model]["loss"]}
        pd.DataFrame(own).sample(frac=1, random_state=0).to_csv(f"{model}.csv", index=False)
    pd.DataFrame(wide).to_csv("wide.csv", index=False)
    pd.DataFrame(values).to_csv("values.csv", index=False)
    return found


def columns(data, key):
    return np.column_stack([data[m][key] for m in "abc"])


def test_two_models_by_any_metric(data, answered):
    asked = "wide.csv", "--models", "a,b", "--metric", "f1", "--positive", "sick"
    found = answered("compare", *asked)
    (row,) = found["comparisons"]
    truth, *said = data["y"], data["a"]["said"], data["b"]["said"]
    direct = stats.metric_difference(truth, *said, metric="f1", positive="sick")
    (grouped,) = answered("compare", *asked, "--groups", "site")["comparisons"]
    of_groups = {"metric": "f1", "positive": "sick", "groups": np.arange(200) // 5}
    assert grouped["pvalue"] == pytest.approx(
        stats.metric_difference(truth, *said, **of_groups).pvalue
    )
    assert row["test"] == "metric_difference"
    assert (row["pvalue"], row["estimate"]) == pytest.approx((direct.pvalue, direct.estimate))
    assert found["models"][0]["f1"] == pytest.approx(direct.details["value_a"])


def test_several_models_and_metrics(compare, data, answered):
    options = ("--models", "a,b,c", "--metric", "f1", "--metric", "roc_auc", "--positive", "sick")
    found = answered("compare", "wide.csv", *options)
    for metric, key in (("f1", "said"), ("roc_auc", "p")):
        rows = [row for row in found["comparisons"] if row["metric"] == metric]
        direct = compare_models(data["y"], columns(data, key), metric=metric, positive="sick")
        assert [row["pvalue"] for row in rows] == pytest.approx([p.pvalue for p in direct.pairs])
        best = stats.best_models(data["y"], columns(data, key), metric=metric, positive="sick")
        (told,) = (one for one in found["best"] if one["metric"] == metric)
        stay = {one["model"] for one in told["models"] if one["stays"]}
        assert stay == {"abc"[m] for m in best.members}
    _, out, _ = compare("wide.csv", *options)
    for said in ("may be the best", "ROC AUC", "F1", "max-t"):
        assert said in out
    two = ("--models", "a,b", *options[2:])
    _, out, _ = compare("wide.csv", *two)
    assert not re.search("be the best|tier", out)
    found = answered("compare", "wide.csv", *two)
    assert {key for one in found["best"][0]["models"] for key in one} == {"model", "value", "ci"}


def test_accuracy_among_metrics_is_still_mcnemars(data, answered):
    options = ("--models", "a,b", "--metric", "accuracy", "--metric", "mcc")
    rows = answered("compare", "wide.csv", *options)["comparisons"]
    right = [data[m]["said"] == data["y"] for m in "ab"]
    assert [row["test"] for row in rows] == ["mcnemar", "metric_difference"]
    assert rows[0]["pvalue"] == pytest.approx(stats.mcnemar(*right).pvalue)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("wide.csv --models a,b --metric f11", "metrics: unknown metric 'f11'; did"),
        ("wide.csv --models a,b --positive ill", "positive: unknown class 'ill'"),
        ("a.csv b.csv --values lower --metric f1", "metrics: is for pred"),
        ("labels.csv --metric roc_auc", "metrics: roc_auc needs class probabilities, a "),
        ("a.csv b.csv --values lower --truth y", "truth: is for predictions"),
        ("values.csv --values higher --models a", "has 1 column of numbers"),
        ("wide.csv --values higher --models a,b", "have no number in column 'a'"),
    ],
)
def test_mistakes(refused, data, options, said):
    pd.read_csv("wide.csv")[["truth", "a", "b"]].to_csv("labels.csv", index=False)
    refused("compare", *options.split(), said=said)


@pytest.mark.parametrize("with_ids", [True, False])
def test_wrong_probabilities_of_the_last_row_are_told_with_its_id(refused, data, with_ids):
    table = pd.read_csv("wide.csv")
    last = table["id"].iloc[-1] if with_ids else len(table)
    assert (last != len(table)) == with_ids, "an id that is not the number of its row"
    table = table if with_ids else table.drop(columns="id")
    table.loc[len(table) - 1, "b:sick"] = 1 - table.loc[len(table) - 1, "b:well"] + 0.5
    table.to_csv("wide.csv", index=False)
    said = f"probabilities of 1 of 200 rows do not sum up to 1; the first is id {last} "
    refused("compare", "wide.csv", "--models", "a,b", "--metric", "roc_auc", said=said)


def test_pairs_are_shown_where_the_error_rate_is_asked_for(compare, data):
    code, out, _ = compare("wide.csv", "--models", "a,c", "--metric", "error")
    (line,) = (line for line in out.splitlines() if line.endswith(("better", "cannot tell")))
    assert code == 0
    assert line.split()[:2] == ["a", "c"]
