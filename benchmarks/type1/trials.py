"""Tests of the catalogue run on evidence under their nulls, and what is counted of them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bakeoff.stats import Arity, PairwiseResult, all_pairs, catalogue
from benchmarks.harness import Rejections, Row, read

CSV = Path(__file__).with_name("rates.csv")
ALPHA = 0.05
Evidence = Mapping[str, tuple[Any, ...]]
Draw = Callable[[np.random.Generator], Evidence]


@dataclasses.dataclass(frozen=True)
class Trial:
    """One test on one kind of evidence of a setting.

    `share` is the part of the replications that an expensive test gets.
    """

    evidence: str
    test: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    share: float = 1.0

    @property
    def by_default(self) -> bool:
        """Whether this is the variant that the test runs by default."""
        own = catalogue()[self.test].options.get("variant")
        return own is None or self.options.get("variant", own.default) == own.default

    @property
    def label(self) -> str:
        """Name the options that a reader needs to tell the rows apart."""
        shown = {k: v for k, v in self.options.items() if isinstance(v, (str, bool))}
        return ", ".join(f"{k}={v}" for k, v in shown.items())


@dataclasses.dataclass(frozen=True)
class Setting:
    """A way to draw evidence under the null, and the tests that are run on it.

    `family` names what it stands for, where a test is liberal there: a family of learners, or a
    situation.
    """

    title: str
    about: str
    draw: Draw
    trials: tuple[Trial, ...]
    family: str


@dataclasses.dataclass(frozen=True)
class Rate(Rejections):
    """The outcome of one trial."""

    setting: Setting
    trial: Trial
    runs: int
    rejected: int
    undecided: int

    @property
    def facts(self) -> dict[str, object]:
        """Its line of the CSV."""
        return {
            "setting": self.setting.title,
            "family": self.setting.family,
            "test": self.trial.test,
            "on": self.trial.evidence,
            "options": self.trial.label,
            "default": "yes" if self.trial.by_default else "no",
            "runs": self.runs,
            "rejected": self.rejected,
            "undecided": self.undecided,
        }


def run(setting: Setting, replications: int, seed: int) -> Iterator[Rate]:
    """Run the trials of a setting on the same evidence; each draw has its own generator."""
    tests = catalogue()
    runs = [max(1, round(replications * trial.share)) for trial in setting.trials]
    rejected, undecided = [0] * len(runs), [0] * len(runs)
    for replication in range(replications):
        evidence = setting.draw(np.random.default_rng([seed, replication]))
        for i, trial in enumerate(setting.trials):
            if replication < runs[i]:
                entry = tests[trial.test]
                many = trial.evidence == "many" and entry.arity is Arity.PAIR
                function = partial(all_pairs, entry.name) if many else entry.function
                p = _pvalue(function, evidence[trial.evidence], trial.options)
                rejected[i] += p < ALPHA
                undecided[i] += math.isnan(p)
    for trial, *counts in zip(setting.trials, runs, rejected, undecided, strict=True):
        yield Rate(setting, trial, *counts)


def _pvalue(
    function: Callable[..., Any], data: tuple[Any, ...], options: Mapping[str, Any]
) -> float:
    """Return the p-value, of all pairs the smallest: one false rejection is one too many.

    What a test refuses, such as criteria that are one and the same on these folds, is undecided.
    """
    try:
        result = function(*data, **options)
    except ValueError:
        return math.nan
    if isinstance(result, PairwiseResult):
        return min(pair.pvalue_adjusted for pair in result.pairs)
    return float(result.pvalue)


def rates_by_setting() -> dict[str, list[Row]]:
    """Return what is in the file, by the title of the setting."""
    found: dict[str, list[Row]] = {}
    for row in read(CSV):
        found.setdefault(row["setting"], []).append(row)
    return found
