"""`bakeoff compare --subgroups`: what `subgroups:` of an experiment gives, of tables that exist."""

import numpy as np
import pandas as pd
import pytest

from bakeoff.stats import mean_interaction, metric_difference, metric_interaction

N = 300


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    truth, sex = rng.integers(0, 2, N), rng.choice(["f", "m"], N)
    right = rng.random((2, N)) < 0.7
    right[0] |= (sex == "f") & (rng.random(N) < 0.8)
    said = np.where(right, truth, 1 - truth)
    frame = pd.DataFrame({"id": np.arange(N), "y": truth, "a": said[0], "b": said[1], "sex": sex})
    frame["age"], frame["patient"] = rng.integers(20, 80, N), np.arange(N) // 6
    path = tmp_path_factory.mktemp("subgroups") / "p.csv"
    frame.to_csv(path, index=False)
    return path, frame


@pytest.fixture
def found(answered):
    return lambda *options: answered("compare", *options)["subgroups"]


def test_numbers_are_those_of_the_interaction_and_of_each_part(table, found):
    path, frame = table
    lines = found(
        str(path), "--models", "a,b", "--subgroups", "sex,age:40:60", "--groups", "patient",
        "--metric", "f1",
    )  # fmt: skip
    assert [(x["column"], x["role"], x["subgroup"]) for x in lines] == [
        ("sex", "interaction", ""), ("sex", "subgroup", "f"), ("sex", "subgroup", "m"),
        ("age", "interaction", ""), ("age", "subgroup", "below 40"),
        ("age", "subgroup", "40 to below 60"), ("age", "subgroup", "60 or more"),
    ]  # fmt: skip
    how = {"metric": "f1", "groups": frame["patient"].to_numpy()}
    whole = metric_interaction(frame["y"], frame["a"], frame["b"], frame["sex"], **how)
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)
    assert lines[0]["pvalue_adjusted"] == pytest.approx(2 * whole.pvalue)
    men = frame[frame["sex"] == "m"]
    how["groups"] = men["patient"].to_numpy()
    alone = metric_difference(men["y"], men["a"], men["b"], **how)
    part = lines[2]["estimate"], lines[2]["pvalue"]
    assert part == pytest.approx((alone.estimate, alone.pvalue))
    assert {(x["model_a"], x["model_b"]) for x in lines} == {("a", "b")}


def test_tables_of_one_model_each_may_name_the_column_once(table, tmp_path, found):
    path, frame = table
    together = found(str(path), "--models", "a,b", "--subgroups", "sex")
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    frame[["id", "y", "a", "sex"]].rename(columns={"a": "pred"}).to_csv(one, index=False)
    frame[["id", "b"]].rename(columns={"b": "pred"}).iloc[::-1].to_csv(two, index=False)
    assert found(str(one), str(two), "--subgroups", "sex") == together


def test_numbers_per_row_have_subgroups(table, tmp_path, found):
    frame = table[1].assign(a=np.arange(N) % 7 / 7, b=np.arange(N) % 11 / 11)
    path = tmp_path / "v.csv"
    frame[["id", "a", "b", "sex"]].to_csv(path, index=False)
    lines = found(str(path), "--values", "lower", "--subgroups", "sex")
    whole = mean_interaction(frame["a"], frame["b"], frame["sex"], greater_is_better=False)
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)
    part = whole.details["subgroups"]["f"]
    assert lines[1]["estimate"] == pytest.approx(part["estimate"])


def test_terminal_says_whether_the_difference_differs(table, says):
    said = "depends on 'sex' … differs? … Accuracy by subgroup"
    says(f"compare {table[0]} --models a,b --subgroups sex", said)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("sexx", "subgroups[0]: '"),
        ("sex,sex", "subgroups: 'sex' appears twice"),
        ("age", "say where to cut them"),
        ("age:60:40", "expected numbers in ascending order"),
        ("age:old", "subgroups: found 'age:old'"),
        ("sex,", "subgroups[1]: expected at least 1 character"),
        ("sex:1", "subgroups[0].bins: column 'sex' holds no numbers to cut"),
        ("id:500", "subgroups[0]: column 'id' puts all rows into one subgroup"),
    ],
)
def test_mistakes_are_told(table, named, message, refused):
    refused("compare", str(table[0]), "--models", "a,b", "--subgroups", named, said=message)
    counts = "compare", "--counts", "9,3,2,4", "--subgroups", "sex"
    refused(*counts, said="in place of files and their columns")
