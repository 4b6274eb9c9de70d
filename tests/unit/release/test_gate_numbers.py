"""The gate and the plan of predicted numbers: margins in the target's unit and in percent."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff as package
from bakeoff.cli import main
from bakeoff.stats import MetricPower, metric_ci, metric_difference, metric_limits


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    y = rng.normal(300_000, 60_000, 400)
    found = pd.DataFrame({"id": np.arange(400), "y": y, "street": np.arange(400) // 4})
    for model, noise in (("base", 20_000), ("better", 19_000), ("worse", 30_000)):
        found[model] = y + rng.normal(0, noise, 400)
        found[["id", "y", model]].rename(columns={model: "y_pred"}).to_csv(f"{model}.csv")
    found.to_csv("wide.csv", index=False)
    return found


def test_decisions_in_the_unit_of_the_target(run, table):
    code, out, _ = run("gate", "base.csv", "better.csv", "--metric", "rmse", "--margin", "2000")
    assert (code, "Ship: better is not worse than base by 2,000 of rmse." in out) == (0, True)
    code, out, _ = run("gate", "base.csv", "worse.csv", "--margin", "2000")  # fractions: rmse
    assert (code, "Block: worse is worse than base by more than 2,000 of rmse." in out) == (1, True)
    assert ".0" not in out  # prices are told without decimals
    asked = "base.csv", "worse.csv", "--metric", "mse", "--margin", "2%", "--set", "unit=EUR"
    _, out, _ = run("gate", *asked, "--output", "m.md")
    assert "EUR² worse on 400 rows" in " ".join(out.split())
    assert "| change (EUR²) |" in Path("m.md").read_text()
    values = "--values", "lower", "--set", "value=y_pred", "--margin", "1"
    code, _, err = run("gate", *asked[:2], *values, "--set", "unit=EUR")
    assert (code, err) == (3, "--set unit: is for predictions, not for numbers per row (values)\n")
    asked = "gate", "wide.csv", "--models", "base,better", "--groups", "street", "--margin", "1"
    _, out, _ = run(*asked, "--metric", "mae", "--json")
    found = json.loads(out)["overall"]
    wanted = metric_limits(
        table.y, table.better, table.base, metric="mae", groups=table.street.astype(str)
    )
    assert (found["low"], found["high"]) == pytest.approx((wanted.low, wanted.high))
    assert found["groups"] == 100


def test_margin_in_percent_of_the_base(run, table):
    value = metric_ci(table.y, table.base, metric="rmse").estimate
    asked = "base.csv", "better.csv", "--metric", "rmse", "--margin", "10%"
    code, out, _ = run("gate", *asked)
    assert (code, f"by {value / 10:,.0f} (10% of the rmse of base)." in out) == (0, True)
    assert f"by {value / 2000:.3g} (0.05% of" in run("gate", *asked[:-1], "0.05%")[1]
    terms = json.loads(run("gate", *asked, "--json")[1])["terms"]
    assert (terms["percent"], terms["margin"]) == (10, pytest.approx(value / 10))
    arrays = [table[name].to_numpy() for name in ("y", "base", "better")]
    found = package.gate(*arrays, metric="rmse", margin="10%")
    assert found.terms.margin == pytest.approx(value / 10)
    assert found.decision == "ship"


@pytest.mark.parametrize("values", ["lower", None])
def test_percent_of_a_base_of_several_runs_is_that_of_its_mean_run(run, table, values):
    rng = np.random.default_rng(6)
    off = {"base": [20_000, 21_000, 40_000], "better": [15_000, 16_000, 15_500]}
    means = {}
    for model, sizes in off.items():
        runs = [table[["id", "y"]].assign(seed=s) for s in range(3)]
        for one, size in zip(runs, sizes, strict=True):
            error = rng.normal(0, size, 400)
            one["loss" if values else "y_pred"] = np.abs(error) if values else one["y"] + error
        each = [one["loss"] if values else np.abs(one["y_pred"] - one["y"]) for one in runs]
        means[model] = float(np.mean(each))
        whole = pd.concat(runs).drop(columns=["y"] if values else [])
        whole.to_csv(f"{model}.csv", index=False)
    asked = ["--values", values, "--set", "value=loss"] if values else ["--metric", "mae"]
    files = "base.csv", "better.csv", "--seeds", "seed", "--margin", "10%"
    found = json.loads(run("gate", *files, *asked, "--json")[1])
    assert found["terms"]["margin"] == pytest.approx(means["base"] / 10)
    assert found["overall"]["estimate"] == pytest.approx(means["base"] - means["better"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--margin", "some"), "--margin: found 'some', expected a number, or a percentage"),
        (("--margin=-1%",), "--margin: found"),
        (("--margin", "1", "--positive", "3"), "--positive: numbers have no classes"),
        (("--margin", "1", "--metric", "f1", "--task", "regression"), "--metrics: f1 compares"),
        (("--margin", "1", "--values", "lower", "--task", "regression"), "--task"),
    ],
)
def test_refusals(run, table, asked, said):
    code, out, err = run("gate", "base.csv", "better.csv", *asked)
    assert (code, out) == (3, "")
    assert said in err


def test_rows_for_a_difference_from_a_pilot(run, table):
    pilot = metric_difference(table.y, table.base, table.better, metric="rmse")
    test = MetricPower.from_pilot(pilot)
    how = {"alpha": 0.05, "alternative": "two-sided"}
    asked = "plan", "base.csv", "better.csv", "--json"
    found = json.loads(run(*asked, "--difference", "1000")[1])
    assert found["rows"] == int(test.solve(difference=1000, power=0.8, **how).n)
    assert found["what"].endswith("of 1000 in rmse")
    found = json.loads(run(*asked, "--rows", "1000", "--metric", "rmse")[1])
    wanted = test.solve(n=1000, power=0.8, **how).difference
    assert found["difference"] == pytest.approx(wanted, rel=0.005)  # of thousands, not of shares
    found = json.loads(run(*asked, "--margin", "2000", "--metric", "mae")[1])
    assert "to show that A is not worse than B by 2000 in mae" in found["what"]
    _, _, err = run("plan", "--metric", "rmse", "--difference", "1000")
    assert "--metrics: is for the predictions of a pilot" in err
