from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from bakeoff.stats import TypeOneError, catalogue

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "type1.py"


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("type1", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["type1"] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


type1 = _load()


@pytest.mark.slow
@pytest.mark.parametrize("setting", type1.SETTINGS, ids=lambda s: s.title)
def test_rejection_rates_are_as_expected(setting: type1.Setting) -> None:
    rows = list(type1.run(setting, replications=160, seed=2024))
    assert rows
    surprises = {
        f"{row.trial.test} {row.trial.label}": (row.rate, row.interval)
        for row in rows
        # a short run: only a rate that its interval puts beyond doubt is a surprise
        if not (row.as_expected or (row.trial.expected == "liberal" and row.interval[1] > 0.06))
    }
    assert not surprises


def test_every_test_with_a_p_value_is_studied() -> None:
    studied = {trial.test for setting in type1.SETTINGS for trial in setting.trials}
    claims = {
        name for name, entry in catalogue().items() if entry.type1 is not TypeOneError.BAYESIAN
    }
    assert claims - studied == set()


def test_controlled_tests_hold_in_some_setting() -> None:
    expected = {
        (trial.test, trial.expected) for setting in type1.SETTINGS for trial in setting.trials
    }
    for name, entry in catalogue().items():
        if entry.type1 is TypeOneError.CONTROLLED:
            assert (name, "holds") in expected


def test_the_same_seed_gives_the_same_rates() -> None:
    setting = next(s for s in type1.SETTINGS if "randomised" in s.title)
    first, again, other = (
        [row.rejected for row in type1.run(setting, 30, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_wilson_interval_of_a_rate() -> None:
    row = type1.Row("s", type1.SETTINGS[0].trials[0], 200, 10, 0)
    # Wilson (1927) for 10 of 200
    assert row.interval == pytest.approx((0.02738, 0.08958), abs=1e-5)
    assert Counter(type1.Row("s", row.trial, 1000, n, 0).verdict for n in (5, 50, 90)) == Counter(
        ("conservative", "holds", "liberal")
    )


def test_algorithms_under_the_null_have_one_accuracy() -> None:
    draw = type1.refits(type1.nearest_centroid, same_features=False)
    means = np.mean(
        [
            [np.mean(scores) for scores in draw(np.random.default_rng([7, i]))["10-fold"]]
            for i in range(150)
        ],
        axis=0,
    )
    assert means[0] == pytest.approx(means[1], abs=0.01)
    assert means == pytest.approx([type1.true_accuracy(180)] * 2, abs=0.01)
