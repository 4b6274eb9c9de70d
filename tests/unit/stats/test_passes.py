"""Several tries at an item: at least one of k is right, or all of them."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import bakeoff
from bakeoff.stats import ArgumentError, pass_at, pass_hat


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_shares_of_all_draws(k: int) -> None:
    for c in range(6):
        draws = list(combinations([1] * c + [0] * (5 - c), k))
        assert pass_at([c], [5], k)[0] == pytest.approx(np.mean([max(d) for d in draws]))
        assert pass_hat([c], [5], k)[0] == pytest.approx(np.mean([min(d) for d in draws]))


def test_they_are_unbiased() -> None:
    """Over all outcomes of 6 runs that are right with probability .3."""
    outcomes = np.array(list(product([0, 1], repeat=6)))
    counts = outcomes.sum(axis=1)
    weights = 0.3**counts * 0.7 ** (6 - counts)
    runs = np.full(len(counts), 6)
    assert weights @ pass_at(counts, runs, 4) == pytest.approx(1 - 0.7**4)
    assert weights @ pass_hat(counts, runs, 4) == pytest.approx(0.3**4)


def test_large_numbers_and_mistakes() -> None:
    assert pass_at([1, 3000], [3000, 3000], 1500).tolist() == [0.5, 1.0]
    for k, said in ((0, "found 0, expected a positive"), (4, "found 4, an item has 3 runs")):
        with pytest.raises(ArgumentError, match=said):
            pass_hat([1], [3], k)


def test_compare_takes_one_value_of_each_item() -> None:
    rng = np.random.default_rng(1)
    items = rng.permutation(np.repeat([f"q{i}" for i in range(50)], 4))
    runs = rng.integers(0, 2, (2, 200))
    marks = {"a": runs[0], "b": np.maximum(*runs)}
    half = np.char.endswith(items, "1")
    found = bakeoff.compare(
        None, marks, values="right", groups=items, pass_hat=2, subgroups={"half": half}
    )
    names = np.unique(items)
    means = {m: [own[items == one].sum() for one in names] for m, own in marks.items()}
    values = {m: pass_hat(own, np.full(50, 4), 2) for m, own in means.items()}
    expected = bakeoff.stats.mean_difference(values["a"], values["b"])
    pair = found.to_frame().iloc[0]
    assert (pair["estimate"], pair["pvalue"]) == pytest.approx((expected.estimate, expected.pvalue))
    assert (pair["n"], pair["metric"]) == (50, "pass_hat_2")
    assert set(found.subgroups["n"]) == {50, 5, 45}


def test_gate_takes_one_value_of_each_item() -> None:
    rng = np.random.default_rng(2)
    items, runs = np.tile(np.arange(60), 4), rng.integers(0, 2, (2, 240))
    base, candidate = runs[0], np.maximum(*runs)
    asked = {"values": "right", "groups": items, "margin": 0.02}
    found = bakeoff.gate(None, base, candidate, **asked, pass_at=2)
    counts = [[own[items == one].sum() for one in range(60)] for own in (candidate, base)]
    values = [pass_at(own, np.full(60, 4), 2) for own in counts]
    expected = bakeoff.stats.mean_difference(*values)
    assert found.overall.limits.estimate == pytest.approx(expected.estimate)
    assert (found.overall.limits.n, str(found.decision)) == (60, "ship")
    for option, said in (
        ({"pass_at": 2, "pass_hat": 2}, "pass_at: one of"),
        ({"pass_hat": 0}, "pas"),
    ):
        with pytest.raises(bakeoff.UserError, match=said):
            bakeoff.gate(None, base, candidate, **asked, **option)


GROUPED = {"g": [0, 1, 1, 0] * 2}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pass_at": 2}, "y: found None"),
        ({"values": "higher", "pass_at": 2}, "pass_at: is about runs that are right or wrong"),
        ({"values": "right", "pass_at": 2}, "groups: found None, expected the items"),
        ({"values": "right", "pass_at": 2, "pass_hat": 2}, "one of pass@k and pass"),
        ({"values": "right", "pass_hat": 9, "groups": [0, 1] * 4}, "pass.9 wants 9 runs of each"),
        (
            {
                "values": "right",
                "pass_at": 2,
                "groups": [0, 1] * 4,
                "subgroups": GROUPED,
            },
            "runs of an item are in several subgroups",
        ),
    ],
)
def test_mistakes_are_told(options: dict[str, object], said: str) -> None:
    with pytest.raises(bakeoff.UserError, match=said):
        bakeoff.compare(None, {"a": [0, 1] * 4, "b": [1, 1, 0, 0] * 2}, **options)  # type: ignore[arg-type]
