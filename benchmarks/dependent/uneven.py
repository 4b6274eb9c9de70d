"""Groups of very different sizes, with strong group effects.

In a group with the effect u, drawn from [−1, 1], a row on which one model alone is right (three of
ten) is A's with probability (1 + u)/2; scores and numbers are shifted by u. Effects are nearly
two-valued (beta), two-valued, or spread evenly; the largest group has three or five tenths of the
rows, or sizes fall as 1/k. Rates go to uneven.csv: rejections at .05 of a true null, coverage of
95 % intervals, and how often test and interval say different things.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bakeoff import stats
from bakeoff.stats import Status
from benchmarks.harness import Array, fill, flagged

CSV = Path(__file__).with_name("uneven.csv")
GROUPS, ROWS_OF_A_GROUP = (8, 20, 60), 10
SIZES = ("equal", "one group 30 %", "one group 50 %", "as 1/k")
EFFECTS = ("beta", "two values", "even")
DISCORDANT, DIFFERENCE, MARGIN, ALPHA = 0.3, 0.1, 0.1, 0.05
OF_ONE_MODEL = 0.7 * 0.75 + 0.3 * 0.5
"""A alone: in 3 rows of 10 right with (1 + u)/2, else in three of four."""
COUNTS = ("answered", "rejected", "covered", "flagged", "rejected_unflagged")


@dataclasses.dataclass(frozen=True)
class Cell:
    """One way to draw rows, and what is asked of them."""

    question: str
    effects: str
    sizes: str
    groups: int
    difference: float = 0.0


@dataclasses.dataclass(frozen=True)
class Sample:
    """Rows of some models: who is right, what they score, and the group of each row."""

    groups: Array
    truth: Array
    correct: Array
    scores: Array

    @property
    def predicted(self) -> Array:
        """Predicted classes, shape (models, n)."""
        return np.where(self.correct, self.truth, 1 - self.truth)


def cells() -> list[Cell]:
    """List every cell."""
    null = [
        Cell(question, *rest)
        for question, *rest in itertools.product(QUESTIONS, EFFECTS, SIZES, GROUPS)
        if question != "noninferiority"
    ]
    apart = [
        Cell(question, *rest, sign * DIFFERENCE)
        for question, sign in (("accuracy", 1), ("noninferiority", -1))
        for rest in itertools.product(EFFECTS, SIZES, GROUPS)
    ]
    return null + apart


def sizes_of(groups: int, how: str) -> Array:
    """Return how many rows each group has."""
    if how == "equal":
        return np.full(groups, ROWS_OF_A_GROUP)
    shares = 1 / np.arange(1, groups + 1)
    if how != "as 1/k":
        largest = float(how.split()[2]) / 100
        shares = np.array([largest, *[(1 - largest) / (groups - 1)] * (groups - 1)])
    return np.maximum(1, np.rint(groups * ROWS_OF_A_GROUP * shares / shares.sum())).astype(int)


def group_effects(rng: np.random.Generator, groups: int, how: str, mean: float) -> Array:
    """Draw group effects from [−1, 1] with this mean."""
    share = (1 + mean) / 2
    if how == "beta":
        return 2 * rng.beta(0.2 * share, 0.2 * (1 - share), groups) - 1
    if how == "two values":
        return np.where(rng.random(groups) < (1 + mean / 0.7) / 2, 0.7, -0.7)
    return mean + (1 - abs(mean)) * rng.uniform(-1, 1, groups)


def draw(cell: Cell, rng: np.random.Generator) -> Sample:
    """Draw the rows of one study."""
    groups = np.repeat(np.arange(cell.groups), sizes_of(cell.groups, cell.sizes))
    u = group_effects(rng, cell.groups, cell.effects, cell.difference / DISCORDANT)[groups]
    return two_models(rng, groups, u)


def two_models(rng: np.random.Generator, groups: Array, u: Array) -> Sample:
    """Draw rows of two models whose expected difference is proportional to `u`."""
    n = len(groups)
    apart, of_a = rng.random(n) < DISCORDANT, rng.random(n) < (1 + u) / 2
    both = rng.random(n) < 0.75
    correct = np.where(apart, np.stack([of_a, ~of_a]), both)
    truth = (rng.random(n) < 0.4).astype(int)
    better = np.stack([u, -u]) * np.where(truth == 1, 0.6, -0.6)
    scores = 1.2 * truth + rng.normal(size=n) + better + 0.5 * rng.normal(size=(2, n))
    return Sample(groups, truth, correct, scores)


def _accuracy(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    yield "mcnemar", stats.mcnemar(*s.correct, groups=s.groups)


def _balanced(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    how = {"metric": "balanced_accuracy", "groups": s.groups}
    yield "metric_difference", stats.metric_difference(s.truth, *s.predicted, **how)


def _areas(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    yield "delong", stats.delong(s.truth, *s.scores, groups=s.groups)


def _numbers(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    a, b = s.scores * np.where(s.truth == 1, 1, -1)
    for variant in ("t_and_flips", "influence_t"):
        found = stats.mean_difference(a, b, groups=s.groups, variant=variant)
        yield f"mean_difference {variant}", found


def _noninferiority(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    yield "noninferiority", stats.noninferiority(*s.correct, groups=s.groups, margin=MARGIN)


def _one_model(s: Sample) -> Iterator[tuple[str, stats.Result]]:
    yield "binomial_test", stats.binomial_test(s.correct[0], groups=s.groups, p0=OF_ONE_MODEL)


QUESTIONS = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced,
    "area": _areas,
    "numbers": _numbers,
    "noninferiority": _noninferiority,
    "one model": _one_model,
}


def rates(cell: Cell, runs: int, seed: int) -> list[dict[str, object]]:
    """Simulate one cell."""
    rng = np.random.default_rng([seed, *repr(cell).encode()])
    counts: dict[str, Counter[str]] = {}
    null = OF_ONE_MODEL if cell.question == "one model" else 0.0
    for _ in range(runs):
        for test, result in QUESTIONS[cell.question](draw(cell, rng)):
            found = _outcome(result, null + cell.difference)
            counts.setdefault(test, Counter()).update(found)
    return [
        {"test": test, "runs": runs, **{key: int(mine[key]) for key in COUNTS}}
        for test, mine in counts.items()
    ]


def _outcome(result: stats.Result, true: float) -> dict[str, int]:
    rejected = bool(result.pvalue <= ALPHA)
    found = {
        "answered": int(result.status in (Status.OK, Status.IDENTICAL_SCORES)),
        "rejected": int(rejected),
        "flagged": int(flagged(result)),
        "rejected_unflagged": int(rejected and not flagged(result)),
    }
    if result.ci is not None:
        low, high = result.ci
        found["covered"] = int(low <= true + 1e-12 and true - 1e-12 <= high)
    return found


def simulate(runs: int, seed: int = 1) -> Iterator[object]:
    """Simulate every cell that the file does not hold yet."""
    drawn = ((dataclasses.asdict(cell), partial(rates, cell, runs, seed)) for cell in cells())
    yield from fill(CSV, drawn)
