"""`bakeoff plan`: every design answers by the function that plans it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from tests.logs import inspect


@pytest.fixture
def planned(answered):
    return lambda text: answered("plan", *text.split())


@pytest.fixture
def pilot(in_folder):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    said = [np.where(rng.random(300) < q, y, 1 - y) for q in (0.9, 0.8)]
    for name, labels in zip("ab", said, strict=True):
        frame = {"id": range(300), "y_true": y, "y_pred": labels, "user": np.arange(300) // 10}
        for seed in ("", 1, 2, 3):
            pd.DataFrame(frame).to_csv(f"{name}{seed}.csv", index=False)
    Path("e.yaml").touch()
    return [y, *said]


TENTH = stats.McNemarPower(discordance=0.1)
FOLDS = stats.FiveByTwoPower(discordance=0.1)
INDEPENDENT = stats.McNemarPower(discordance=0.85 * 0.2 + 0.8 * 0.15)


@pytest.mark.parametrize(
    ("options", "test", "known"),
    [
        ("--accuracy 0.85", INDEPENDENT, {"power": 0.8}),
        ("--accuracy 0.85 --discordance 0.1", TENTH, {"power": 0.8}),
        ("--discordance 0.1 --rows 500", TENTH, {"n": 500}),
        ("--discordance 0.1 --set test=cv5x2_f", FOLDS, {"power": 0.8}),
        ("--discordance 0.1 --alpha 0.01", TENTH, {"power": 0.8, "alpha": 0.01}),
    ],
)
def test_numbers_are_those_of_the_planning_function(planned, options, test, known):
    found = planned(f"--difference 0.05 {options}")
    plan = test.solve(difference=0.05, **known)
    assert (found["rows"], found["alpha"]) == (plan.n, pytest.approx(known.get("alpha", 0.05)))
    assert found["power"] == pytest.approx(plan.power, abs=0.002)
    assert ("independent errors" in found["assumed"][0]) == (test is INDEPENDENT)
    powers = {point["rows"]: point["power"] for point in found["curve"]}
    assert powers[found["rows"]] == pytest.approx(found["power"], abs=1e-9)
    assert [*powers.values()] == sorted(powers.values())


@pytest.mark.parametrize(
    "options",
    [
        "--discordance 0.1",
        "--accuracy 0.85 --power 0.9",
        "--discordance 0.1 --alpha 0.01 --set alternative=greater",
        "--discordance 0.2 --set test=cv5x2_f",
        "a.csv b.csv --metric f1 --groups user",
    ],
)
def test_rows_without_a_difference_tell_which_is_found(planned, pilot, options):
    wanted = 0.9 if "0.9" in options else 0.8
    found = planned(f"--rows 800 {options}")
    assert found["power"] == pytest.approx(wanted, abs=0.01)
    again = planned(f"--rows 800 --difference {found['difference']} {options}")
    assert again["power"] == found["power"]
    less = planned(f"--rows 800 --difference {0.95 * found['difference']} {options}")
    assert less["power"] < wanted


def test_one_table_is_a_pilot_too(planned, pilot):
    columns = dict(zip(("truth", "a", "b"), pilot, strict=True))
    pd.DataFrame(columns).to_csv("wide.csv", index=False)
    two = planned("a.csv b.csv --metric f1 --difference .05")
    one = planned("wide.csv --models a,b --metric f1 --difference .05")
    assert one == two


def test_a_pilot_tells_the_noise(planned, pilot):
    f1 = stats.metric_difference(*pilot, metric="f1", positive=1)
    grouped = stats.metric_difference(*pilot, groups=np.arange(300) // 10)
    for options, noise, how in (
        ("--metric f1 --difference 0.05", f1, {"power": 0.8}),
        ("--metric f1 --margin 0.05", f1, {"power": 0.8, "alternative": "greater"}),
        ("--metric f1 --margin 0.05 --equal", f1, {"power": 0.9, "alternative": "greater"}),
        ("--difference 0.05 --groups user", grouped, {"power": 0.8}),
    ):
        found = planned(f"a.csv b.csv {options}")
        test = stats.MetricPower.from_pilot(noise)
        assert found["rows"] == test.solve(difference=0.05, **how).n
        assert found["power"] == pytest.approx(0.8, abs=0.002)


BOTH = "--difference .02 --discordance .1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("--discordance .1", "difference: is missing"),
        ("--difference .02", "discordance: is missing"),
        ("--difference .2 --discordance .1", "difference: found 0.2"),
        ("--difference .02 --discordance 2", "discordance: found 2.0"),
        ("--difference .02 --discordance .4 --accuracy .95", "discordance: found 0.4"),
        (f"{BOTH} --accuracy 85", "accuracy: found 85"),
        (f"{BOTH} --power 1", "power: found 1.0"),
        (f"{BOTH} --rows x", "rows: found 'x', expected a whole number"),
        (f"{BOTH} --alpha 0", "alpha: found 0.0, must lie"),
        (f"{BOTH} --set alternative=less", "alternative: unknown value 'less'"),
        ("a.csv b.csv --difference .02 --set test=cv5x2_f", "test: cv5x2_f is planned w"),
        ("e.yaml --difference .02", "unknown file ending"),
        ("a.csv b.csv a.csv --difference .02", "expected one or two tables"),
        ("--rows 20 --discordance .02", "rows: 20 rows find no difference"),
        (f"{BOTH} --groups g", "groups: is for a pilot"),
        (f"{BOTH} --rows 0", "rows: found 0"),
        ("--equal --discordance .1", "equal: is for a margin"),
        ("--margin .02 --difference -.03 --discordance .1", "beyond the margin"),
        ("--margin .02 --discordance .1 --set test=cv5x2_f", "cv5x2_f shows no margin"),
        (f"{BOTH} --set test=cv5x2_f --set alternative=greater", "alternative: cv5x2_f is two"),
        ("--difference .02 a.csv", "models: of one table, name the columns of the two"),
        ("--difference .02 a.csv b.csv --discordance .1", "discordance: the pilot tells"),
        ("--difference -.02 a.csv b.csv --set alternative=greater", "difference: found -0.02"),
        ("--difference 0 a.csv b.csv --set alternative=greater", "no number of rows gives power"),
        ("--margin .02 --difference -.03 a.csv b.csv --metric f1", "beyond the margin"),
        ("--difference 1.5 a.csv b.csv --metric f1", "values of f1 lie between 0 and 1"),
        ("a{seed}.csv b{seed}.csv --difference .02", "found several training runs"),
    ],
)
def test_mistakes_are_told(pilot, text, message, refused):
    refused("plan", *text.split(), said=message)


@pytest.fixture
def evaluated(in_folder):
    """Runs of items by two models: the item decides some of the answer, its run the rest."""
    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(120), 3)
    hard = rng.random(120)[item] * 0.5
    for name, right in (("a", 0.9), ("b", 0.8)):
        marks = (rng.random(360) < right - hard).astype(int)
        frame = {"id": item, "run": np.tile([1, 2, 3], 120), "value": marks}
        pd.DataFrame(frame).to_csv(f"{name}.csv", index=False)
    Path("e.yaml").touch()


RUNS = "a.csv b.csv --values right --runs run"


def test_items_are_planned_against_runs(planned, evaluated):
    found = planned(f"{RUNS} --difference 0.05")
    a, b = (pd.read_csv(f"{name}.csv") for name in "ab")
    noise = stats.RunsOfItems.from_pilot(a["value"], b["value"], a["id"])
    needed = {runs: noise.power(runs).solve(difference=0.05, power=0.8).n for runs in (1, 2, 3, 16)}
    assert found["rows"] == needed[3]
    assert f"1: {needed[1]:,} ({needed[1]:,} answers of each model)" in found["assumed"][-1]
    assert f"16: {needed[16]:,} ({16 * needed[16]:,} answers" in found["assumed"][-1]
    assert needed[1] > needed[2] > needed[16]


def test_noise_of_runs_is_that_of_the_simulated_model():
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(5000), 4)
    mean = rng.normal(0, 0.3, 5000)[item]
    a, b = mean + rng.normal(0, 0.5, 20000), rng.normal(0, 0.4, 20000)
    noise = stats.RunsOfItems.from_pilot(a, b, item)
    assert noise.sd_items == pytest.approx(0.3, rel=0.05)
    assert noise.sd_runs == pytest.approx(np.hypot(0.5, 0.4), rel=0.02)
    assert noise.runs == pytest.approx(4)


def test_pass_at_k_is_planned_by_items(planned, evaluated):
    for k in (1, 3):
        found = planned(f"{RUNS} --metric pass@{k} --difference 0.05")
        assert 100 < found["rows"] < 5000


def test_a_margin_of_accuracy_is_planned_by_the_limit_of_the_gate(planned, pilot):
    found = planned("--discordance 0.1 --margin 0.02")
    test = stats.NoninferiorityPower(discordance=0.1, margin=0.02)
    assert found["rows"] == test.solve(difference=0.0, power=0.8, alternative="greater").n
    assert planned("--discordance 0.1 --margin 0.02 --equal")["rows"] > found["rows"]
    assert planned("--discordance 0.1 --margin 0.02 --difference 0.01")["rows"] < found["rows"]
    # the gate decides so as often as planned
    rng = np.random.default_rng(6)
    n = found["rows"]
    shipped = 0
    for only_a, only_b, _ in rng.multinomial(n, [0.05, 0.05, 0.9], size=100):
        a = np.r_[np.ones(only_a), np.zeros(only_b), np.ones(n - only_a - only_b)]
        b = np.r_[np.zeros(only_a), np.ones(only_b), np.ones(n - only_a - only_b)]
        shipped += stats.accuracy_limits(a, b).low > -0.02
    assert 0.68 < shipped / 100 < 0.92
    assert planned("a.csv b.csv --margin 0.05")["rows"] > 20


def test_a_pilot_of_tasks_is_planned_over_their_mean(planned, in_folder):
    rng = np.random.default_rng(7)
    marks = {}
    for model, right in (("a", 0.8), ("b", 0.7)):
        for task, n in (("large", 300), ("small", 40)):
            marks[model, task] = (rng.random(n) < right).astype(int)
            inspect(f"logs/{model}_{task}.json", model, marks[model, task].tolist(), task=task)
    Path("e.yaml").touch()
    found = planned("logs --models a,b --values right --difference 0.05")
    differences = [marks["a", task] - marks["b", task] for task in ("large", "small")]
    se = np.sqrt(sum(np.var(d, ddof=1) / len(d) for d in differences)) / 2
    by_hand = stats.MetricPower(sd=se * np.sqrt(340)).solve(difference=0.05, power=0.8).n
    assert by_hand < found["rows"] < 1.5 * by_hand
    assert "mean over tasks" in found["assumed"][1]


def test_training_runs_are_planned_by_welch(planned, in_folder):
    rng = np.random.default_rng(8)
    rows = [(m, s, e, rng.normal(0.5, 0.02)) for m in "ab" for s in range(5) for e in "xy"]
    table = pd.DataFrame(rows, columns=["model", "seed", "env", "score"])
    table.sample(frac=1, random_state=1).to_csv("runs.csv", index=False)
    Path("e.yaml").touch()
    how = "runs.csv --seeds seed --datasets env --values higher --difference 0.02"
    found = planned(how)
    scores = [[d["score"] for _, d in table[table["model"] == m].groupby("env")] for m in "ab"]
    test = stats.SeedsPower.from_pilot(*scores)
    assert found["rows"] == test.solve(difference=0.02, power=0.8).n


def test_power_of_seeds_is_that_of_welch():
    """Simulated with 4,000 pairs of five and of ten runs, 1.5 standard deviations apart."""
    test = stats.SeedsPower(sds_a=(1.0,), sds_b=(1.0,))
    assert test.solve(n=5, difference=1.5).power == pytest.approx(0.52, abs=0.04)
    assert test.solve(n=10, difference=1.5).power == pytest.approx(0.88, abs=0.02)
