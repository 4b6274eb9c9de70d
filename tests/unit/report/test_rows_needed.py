"""How many rows would show a difference that is not shown."""

import re

import numpy as np
import pytest
from scipy import stats

import bakeoff
from bakeoff.stats import McNemarPower

NEEDED = re.compile(r"the true one, about ([\d,]+) (.+?) in place of ([\d,]+) would show it")


def needed(found):
    """Return how many rows are needed, what is counted, and how many there are."""
    (match,) = NEEDED.findall(" ".join(found.verdict.split()))
    most, noun, n = match
    return int(most.replace(",", "")), noun, int(n.replace(",", ""))


def power(se, difference, df):
    return stats.nct.sf(stats.t.isf(0.025, df), df, difference / se)


def test_so_many_rows_show_it_with_a_probability_of_four_fifths():
    rng = np.random.default_rng(1)
    a, b = rng.normal([[0.1], [0.0]], 1, (2, 150))
    rows, noun, n = needed(bakeoff.compare(None, {"a": a, "b": b}, values="higher"))
    assert (noun, n) == ("rows", 150)
    difference = (a - b).mean()
    sd = (a - b).std(ddof=1)
    assert power(sd / rows**0.5, difference, rows - 1) == pytest.approx(0.8, abs=0.02)


def test_of_tasks_with_runs_of_items_the_items_are_counted():
    rng = np.random.default_rng(5)
    items = np.repeat(np.arange(90), 4)
    tasks = np.where(items < 30, "small", "big")
    marks = {name: rng.random(360) < 0.5 + shift for name, shift in (("a", 0.03), ("b", 0.0))}
    for metrics in ("accuracy", "pass@2"):
        found = bakeoff.compare(
            None,
            {name: marked.astype(int) for name, marked in marks.items()},
            values="right",
            groups=items,
            tasks=tasks,
            metrics=metrics,
            **({} if metrics == "pass@2" else {"runs": np.tile(np.arange(4), 90)}),
        )
        rows, noun, n = needed(found)
        assert n == 90
        assert noun.endswith(" in the same shares of the tasks")
        line = found.comparisons.iloc[0]
        se = (line["ci_high"] - line["ci_low"]) / 2 / stats.t.ppf(0.975, line["df"])
        at_rows = power(se * (90 / rows) ** 0.5, abs(line["estimate"]), line["df"] * rows / 90)
        assert at_rows == pytest.approx(0.8, abs=0.03)


def test_nothing_is_said_where_no_number_of_rows_would_do_or_none_is_needed():
    same = np.tile([0, 1], 100)
    other = np.where(np.arange(200) % 20 < 4, 1 - same, same)
    alike = bakeoff.compare(same, {"a": other, "b": np.roll(other, 20)})
    assert "in place of" not in alike.verdict
    worse = bakeoff.compare(same, {"a": same, "b": other})
    assert "in place of" not in worse.verdict


def test_mcnemar_has_the_rows_that_a_plan_has():
    counts = {"both": 162, "a": 5, "b": 1, "none": 3}
    truth = np.ones(171, dtype=int)
    a = np.repeat([1, 1, 0, 0], list(counts.values()))
    b = np.repeat([1, 0, 1, 0], list(counts.values()))
    truth[-2:] = a[-2:] = b[-2:] = 0
    rows, noun, n = needed(bakeoff.compare(truth, {"a": a, "b": b}))
    planned = McNemarPower(discordance=6 / 171, calculation="normal")
    assert (noun, n) == ("rows", 171)
    assert 0 <= rows - planned.solve(difference=4 / 171, power=0.8).n < 10
