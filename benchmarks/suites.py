"""Levels, coverage and power over few data sets, over tasks and over seeds.

Tables of scores: all pairs of k models over N data sets with equal models (normal, t(2), rounded
and a tenfold spread on 30 % of the data sets), and a ladder whose two best models are 1.5 standard
deviations of their difference apart and the others 2 further down each. Suites: the mean over fixed
tasks of right and wrong answers, sizes equal or from 20 to 2,000. Seeds: two models that are alike.
Rates go to suites.csv: `python -m benchmarks suites`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from bakeoff.stats import (
    all_pairs,
    fold_means,
    iqm_difference,
    joint_sign_flips,
    probability_of_improvement,
    seeds_difference,
    suite_mean_difference,
    wilcoxon_signed_rank,
)
from benchmarks.harness import HERE, write

RATES = HERE / "suites.csv"
ALPHA = 0.05
REGIMES = ("normal", "heavy", "rounded", "tenfold", "mixed units")
Rows = Iterator[dict[str, Any]]


def line(what: str, case: str, size: str, of: str, runs: int, counted: float) -> dict[str, Any]:
    """Return a line of the CSV; `counted` are rejections, or intervals that cover."""
    return {"what": what, "case": case, "size": size, "of": of, "runs": runs, "counted": counted}


def noise(rng: np.random.Generator, regime: str, n: int, models: int) -> np.ndarray:
    """Draw what a model does on a data set beside its strength."""
    draws = rng.normal(size=(n, models))
    if regime == "heavy":
        draws = rng.standard_t(2, size=(n, models))
    if regime == "tenfold":
        draws *= np.where(rng.random(n) < 0.3, 10.0, 1.0)[:, None]
    if regime == "mixed units":
        draws *= 10.0 ** rng.uniform(-3, 3, size=n)[:, None]
    if regime == "rounded":
        draws = np.round(draws, 0)
    return draws


def levels_of_flips(replicates: int) -> Rows:
    """Count tables of equal models in which any pair is called different."""
    cells = itertools.product(REGIMES, (6, 8, 10), (3, 5))
    for regime, n, models in cells:
        order = "signs" if regime == "mixed units" else "signed_ranks"
        found = 0
        for i in range(replicates):
            rng = np.random.default_rng([1, REGIMES.index(regime), n, models, i])
            table = noise(rng, regime, n, models)
            found += bool(joint_sign_flips(table, order=order).pvalue_adjusted.min() <= ALPHA)
        yield line("level", regime, f"{n} x {models}", order, replicates, found)


def power_on_a_ladder(replicates: int) -> Rows:
    """Count tables in which the two best models of a ladder are told apart."""
    for n, models in itertools.product((6, 8, 10), (3, 5)):
        steps = np.concatenate([[0.0, 1.5], 1.5 + 2 * np.arange(1, models - 1)]) * np.sqrt(2)
        counted = dict.fromkeys(("sign-flips", "holm"), 0)
        for i in range(replicates):
            rng = np.random.default_rng([2, n, models, i])
            table = rng.normal(size=(n, models)) - steps
            for correction in counted:
                pairs = all_pairs("wilcoxon_signed_rank", table, correction=correction).pairs
                counted[correction] += bool(pairs[0].pvalue_adjusted <= ALPHA)
        for correction, found in counted.items():
            yield line("power", "ladder", f"{n} x {models}", correction, replicates, found)


def lost_folds(replicates: int) -> Rows:
    """Count differences of two equal models, one of which lost its worst fold somewhere."""
    for share in (0.1, 0.3):
        counted = dict.fromkeys(("own folds", "common folds"), 0)
        for i in range(replicates):
            rng = np.random.default_rng([3, round(100 * share), i])
            level = rng.normal(size=(20, 10, 1))
            table = level + rng.normal(size=(20, 10, 2))
            for dataset in np.flatnonzero(rng.random(20) < share):
                table[dataset, table[dataset, :, 0].argmin(), 0] = np.nan
            means = {
                "own folds": np.nanmean(table, axis=1),
                "common folds": fold_means(table).means,
            }
            for way, values in means.items():
                found = wilcoxon_signed_rank(values[:, 0], values[:, 1])
                counted[way] += bool(found.pvalue <= ALPHA)
        for way, found in counted.items():
            yield line("level", "worst fold lost", f"{share:g}", way, replicates, found)


def coverage_over_tasks(replicates: int) -> Rows:
    """Count intervals that hold the true difference of means over tasks."""
    for tasks, sizes, discordance in itertools.product((3, 10, 57), ("50", "20-2000"), (0.03, 0.2)):
        covered = 0
        for i in range(replicates):
            rng = np.random.default_rng([4, tasks, len(sizes), round(100 * discordance), i])
            rows = np.full(tasks, 50)
            if sizes != "50":
                rows = np.exp(rng.uniform(np.log(20), np.log(2000), tasks)).astype(int)
            lead = rng.uniform(-0.8, 0.8, tasks) * discordance
            task = np.repeat(np.arange(tasks), rows)
            draws = rng.random(len(task))
            only_a = draws < ((discordance + lead) / 2)[task]
            only_b = (draws > 1 - ((discordance - lead) / 2)[task]) & ~only_a
            found = suite_mean_difference(only_a * 1.0, only_b * 1.0, tasks=task)
            covered += bool(found.ci.low <= lead.mean() <= found.ci.high)
        case = f"discordance {discordance:g}"
        yield line(
            "coverage", case, f"{tasks} tasks of {sizes}", "stratified t", replicates, covered
        )


def of_seeds(replicates: int) -> Rows:
    """Count Welch tests that reject, and intervals over tasks that miss, of models alike."""
    for a, b, ratio in ((3, 3, 1.0), (5, 5, 1.0), (10, 10, 1.0), (3, 10, 3.0)):
        found = 0
        for i in range(replicates):
            rng = np.random.default_rng([5, a, b, i])
            first = rng.normal(scale=ratio, size=a)
            found += bool(seeds_difference(first, rng.normal(size=b)).pvalue <= ALPHA)
        yield line("level", f"spread x {ratio:g}", f"{a} v {b} seeds", "welch", replicates, found)
    for seeds, tasks in itertools.product((3, 5), (6, 20)):
        counted = dict.fromkeys(("difference of means", "difference of IQM", "improvement"), 0)
        for i in range(replicates):
            rng = np.random.default_rng([6, seeds, tasks, i])
            level = rng.normal(scale=0.5, size=tasks)
            a, b = rng.normal(size=(2, seeds, tasks)) + level
            intervals = {
                "difference of means": (seeds_difference(a, b).ci, 0.0),
                "difference of IQM": (iqm_difference(a, b).ci, 0.0),
                "improvement": (probability_of_improvement(a, b).ci, 0.5),
            }
            for what, (ci, truth) in intervals.items():
                counted[what] += bool(ci.low <= truth <= ci.high)
        for what, covered in counted.items():
            size = f"{seeds} seeds, {tasks} tasks"
            yield line("coverage", "alike", size, what, replicates, covered)


def simulate(replicates: int) -> Iterator[str]:
    """Simulate all of it, and write the rates; yield what is done."""
    rows: list[dict[str, Any]] = []
    for study in (levels_of_flips, power_on_a_ladder, lost_folds, coverage_over_tasks, of_seeds):
        rows += study(replicates)
        yield study.__name__
    write(RATES, rows)
