"""`bakeoff plan`: every design answers by the function that plans it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats


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


def test_rows_of_mcnemars_test(planned):
    found = planned("--accuracy 0.85 --difference 0.02 --discordance 0.1")
    assert found["rows"] == stats.McNemarPower(discordance=0.1).solve(difference=0.02, power=0.8).n
    powers = {point["rows"]: point["power"] for point in found["curve"]}
    assert powers[found["rows"]] == pytest.approx(found["power"], abs=1e-9)
    assert [*powers.values()] == sorted(powers.values())


TENTH = stats.McNemarPower(discordance=0.1)
FOLDS = stats.FiveByTwoPower(discordance=0.1)
INDEPENDENT = stats.McNemarPower(discordance=0.85 * 0.2 + 0.8 * 0.15)


@pytest.mark.parametrize(
    ("options", "test", "known"),
    [
        ("--accuracy 0.85", INDEPENDENT, {"power": 0.8}),
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
        ("--margin .02 --discordance .1", "margin: is for a pilot"),
        ("--margin .02 a.csv b.csv", "`bakeoff gate` says of the pilot"),
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
