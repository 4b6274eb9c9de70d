from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from bakeoff import stats
from benchmarks import type1

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses look their module up
    spec.loader.exec_module(module)
    return module


dependent = _load("type1_dependent")


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


def test_the_same_seed_gives_the_same_rates() -> None:
    setting = next(s for s in type1.SETTINGS if "randomised" in s.title)
    first, again, other = (
        [row.rejected for row in type1.run(setting, 30, seed)] for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_wilson_interval_of_a_rate() -> None:
    row = type1.Row(type1.SETTINGS[0], type1.SETTINGS[0].trials[0], 200, 10, 0)
    # Wilson (1927) for 10 of 200
    assert row.interval == pytest.approx((0.02738, 0.08958), abs=1e-5)


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


def test_rates_of_dependent_rows_are_those_of_the_tests() -> None:
    # the simulation computes many replications at once; a single one is the test itself
    rng = np.random.default_rng(0)
    counts = dependent.sizes(12, 4, True)
    codes = np.repeat(np.arange(12), counts)
    right = dependent.margins(rng, codes, 12, 2, 0.5, 1)[:, :, 0] > -0.5
    d = right[:, 0].astype(np.int8) - right[:, 1]
    clusters = dependent.Clusters(codes, counts.astype(float))
    wins = (np.array([(d > 0).sum()]), np.array([(d < 0).sum()]))
    rates = dependent._rates(clusters.sums(d[:, None]), *wins, clusters)
    for variant in ("sign_flip", "sign_flip_exact", "robust_t", "obuchowski", "durkalski"):
        result = stats.clustered_mcnemar(*right.T, groups=codes, variant=variant)
        assert rates[variant] == float(result.pvalue <= dependent.ALPHA)


def _rates() -> list[dict[str, str]]:
    with dependent.CSV.open() as file:
        return list(csv.DictReader(file))


def test_page_of_dependent_rows_is_that_of_its_numbers() -> None:
    assert dependent.PAGE.read_text() == dependent.page(_rates())


def test_recommended_tests_of_dependent_rows_hold_their_level() -> None:
    called = {name for name, (_, good) in dependent.CALLED.items() if good}
    rows = [row for row in _rates() if row["test"] in {"sign_flip", "robust_t", *called}]
    assert len(rows) > 300
    for row in rows:
        error = (0.05 * 0.95 / int(row["runs"])) ** 0.5
        assert float(row["rejected"]) < 0.06 + 3.5 * error, row


@pytest.mark.parametrize("rows", type1.NEIGHBOUR_ACCURACY)
def test_accuracy_of_the_nearest_neighbour(rows: int) -> None:
    rng, found = np.random.default_rng(3), []
    for _ in range(200):
        y, tested = np.repeat([0, 1], rows // 2), np.repeat([0, 1], 200)
        sample = np.concatenate([y, tested])
        x = rng.normal(size=(len(sample), 6)) + 0.35 * (2 * sample[:, None] - 1)
        train = np.arange(len(sample))[None, :] < rows
        right = type1.nearest_neighbour(x, sample, train, rng)
        found.append(right[0, rows:].mean())
    assert np.mean(found) == pytest.approx(type1.NEIGHBOUR_ACCURACY[rows], abs=0.007)
