"""The power to show non-inferiority and equality: against the sum over every table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multinomial

from bakeoff.stats import (
    Release,
    accuracy_limits,
    decide_release,
    margin_power,
    margin_sample_size,
    tost_paired_from_counts,
)


@pytest.mark.parametrize(
    ("n", "margin", "psi", "difference"),
    [(16, 0.2, 0.3, 0.02), (14, 0.3, 1.0, 0.3), (15, 0.2, 0.1, -0.05)],
)
def test_power_is_that_of_every_table(n: int, margin: float, psi: float, difference: float) -> None:
    cells = [(psi + difference) / 2, (psi - difference) / 2, 1 - psi]
    one = both = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            weight = multinomial.pmf([b, c, n - b - c], n, cells)
            if weight < 1e-12:
                continue
            result = tost_paired_from_counts(
                both_correct=n - b - c,
                only_a_correct=b,
                only_b_correct=c,
                both_wrong=0,
                margin=margin,
            )
            a, base = (np.repeat(right, [n - b - c, b, c]) for right in ([1, 1, 0], [1, 0, 1]))
            gate = decide_release(accuracy_limits(a, base), margin)
            one += weight * (gate is Release.SHIP)
            both += weight * (result.pvalue < 0.05)
    known = {"n": n, "margin": margin, "discordance": psi, "difference": difference}
    assert margin_power(**known).power == pytest.approx(one, abs=1e-9)
    assert margin_power(**known, both_sides=True).power == pytest.approx(both, abs=1e-9)


def test_many_numbers_of_discordant_rows_are_taken_between_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {"n": 600, "margin": 0.04, "discordance": 0.2, "difference": 0.01}
    found = margin_power(**known).power
    monkeypatch.setattr("bakeoff.stats.planning_margin._NODES", 10_000)
    assert margin_power(**known).power == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("both_sides", [False, True])
def test_sample_size_reaches_its_power(both_sides: bool) -> None:
    known = {"margin": 0.03, "discordance": 0.1, "difference": 0.005, "both_sides": both_sides}
    plan = margin_sample_size(**known, power=0.9)
    assert plan.power >= 0.9
    assert margin_power(n=int(plan.n) - 1, **known).power < 0.9


@pytest.mark.parametrize(
    ("wrong", "argument"),
    [
        ({"margin": 0}, "margin"),
        ({"discordance": 0}, "discordance"),
        ({"difference": 0.2}, "difference"),
        ({"difference": -0.03}, "difference"),
        ({"alpha": 0.6}, "alpha"),
        ({"power": 1}, "power"),
        ({"both_sides": "no"}, "both_sides"),
        ({"difference": 0.03, "both_sides": True}, "difference"),
    ],
)
def test_wrong_numbers_are_named(wrong: dict[str, object], argument: str) -> None:
    known = {"margin": 0.03, "discordance": 0.1}
    with pytest.raises(ValueError, match=argument):
        margin_sample_size(**(known | wrong))  # type: ignore[arg-type]
