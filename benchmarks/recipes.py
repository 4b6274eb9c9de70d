"""How often two equally good algorithms differ by their runs: `python -m benchmarks recipes`.

Two algorithms are trained S times each, and all runs predict the same rows. The spread between runs
is given as R, its ratio to the variance that the rows give the accuracy of one run. Cells of real
learners draw from 200 trained models of each and all their predictions, with replacement, so that
the truth is known; they are trained (some minutes) into .recipes_trained/, which is not kept.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import warnings
import zlib
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import special
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.neural_network import MLPClassifier

from bakeoff.stats import Result, Runs, Status, recipe_difference, recipe_mean_difference
from bakeoff.threads import on_one_thread
from benchmarks.harness import HERE, fill

RATES = HERE / "recipes.csv"
LEVEL = 0.95
SHARED, ALIKE = 0.3, 0.5
"""The share of a row's noise that both models have in common, and of the rest that all runs of one
model do."""
PREVALENCE = 0.4
FOLDER, RUNS = HERE / ".recipes_trained", 200
RECIPES = ("network, digits", "forest, digits", "network, made up", "forest, made up")
PAIRS = ("network or forest, digits", "network or forest, made up")
METHODS = ("two_t", "fits")
"""The test, and the test about these fits."""


@dataclasses.dataclass(frozen=True)
class Cell:
    """One situation: `runs_a` and `runs_b` runs of each model on n rows.

    `ratio` is R, the skills are the expected accuracies, areas or values, and `shape` is what is
    special about the runs or the rows, or the learner of real ones.
    """

    situation: str
    metric: str
    runs_a: int
    runs_b: int
    n: int
    ratio: float = 1.0
    skill_a: float = 0.8
    skill_b: float = 0.8
    shape: str = ""


def cells() -> Iterator[Cell]:
    """List what is simulated, what decides most first."""
    product = itertools.product
    for s, n, p, r in product((2, 3, 5, 10), (50, 500), (0.8, 0.99), (0, 1, 10)):
        yield Cell("equal numbers of runs", "accuracy", s, s, n, r, p, p)
    for learner, s, n in product(RECIPES, (3, 5, 10), (200, 1000)):
        for metric in ("accuracy", "roc_auc", "log_loss"):
            yield Cell("real runs, the same recipe", metric, s, s, n, shape=learner)
    for (a, b), n, r in product(((2, 5), (3, 10), (5, 30)), (50, 500), (0.1, 1)):
        yield Cell("unequal numbers of runs", "accuracy", a, b, n, r, 0.9, 0.9)
    for metric, s, n, r in product(
        ("roc_auc", "f1", "log_loss"), (2, 3, 5, 10), (100, 500), (0.3, 3)
    ):
        yield Cell("equal numbers of runs", metric, s, s, n, r)
    for count, s, r in product((8, 20, 40), (2, 5, 10), (0.1, 1)):
        yield Cell("groups of rows", "accuracy", s, s, 10 * count, r, shape=f"{count} groups")
    for s, n, r in product((2, 3, 5, 10), (20, 200), (0.1, 1, 10)):
        yield Cell("paired runs", "value", s, s, n, r, 0, 0)
    for s, n, r in product((2, 3, 5, 10), (20, 200), (0.1, 1, 10)):
        yield Cell("a deterministic model", "value", s, 1, n, r, 0, 0)
    for s, n, r in product((3, 5, 10), (50, 500), (0.3, 3)):
        yield Cell("different recipes", "accuracy", s, s, n, r, 0.8, 0.75)
        situation = "few errors" if n == 50 else "different recipes"
        yield Cell(situation, "accuracy", s, s, n, r, 0.99, 0.9)
        yield Cell("different recipes", "roc_auc", s, s, n, r, 0.9, 0.85)
    for s, r in product((3, 5, 10), (1, 10)):
        yield Cell("rare failures, one model deterministic", "accuracy", s, 1, 500, r, shape="fail")
        yield Cell("rare failures of both models", "accuracy", s, s, 500, r, shape="fail")
    for (a, b), r in product(((2, 5), (2, 30), (3, 10), (5, 30)), (3, 10)):
        skewed = "skewed runs, unequal numbers"
        yield Cell(skewed, "accuracy", a, b, 500, r, 0.95, 0.95, "skewed")
    for s, n, p, r in product((30,), (50, 500), (0.5, 0.8, 0.99), (0, 1, 10)):
        yield Cell("equal numbers of runs", "accuracy", s, s, n, r, p, p)
    for s, n, p, r in product((2, 3, 5, 10, 30), (5000,), (0.5, 0.9, 0.99), (1,)):
        yield Cell("equal numbers of runs", "accuracy", s, s, n, r, p, p)
    for learner, s, n in product(PAIRS, (3, 5, 10), (200, 1000)):
        for metric in ("accuracy", "roc_auc"):
            yield Cell("real runs, different recipes", metric, s, s, n, shape=learner)
    for (a, b), n, r in product(((2, 10), (2, 30), (5, 10), (10, 30)), (200,), (0.1, 1)):
        yield Cell("unequal numbers of runs", "accuracy", a, b, n, r, 0.8, 0.8)
        yield Cell("unequal numbers of runs", "roc_auc", a, b, n, r)
    for s, n in product((3, 5, 10), (50, 500)):
        yield Cell("equal numbers of runs", "accuracy", s, s, n, 1, 0.5, 0.5)
        yield Cell("a deterministic model", "accuracy", s, 1, n, 1, 0.9, 0.9)
        yield Cell("different recipes", "value", s, s, n, 1, 0.3, 0)


@dataclasses.dataclass(frozen=True)
class Draw:
    """One study: the truth of the rows, all runs, their groups, and the true difference."""

    y: np.ndarray | None
    a: Any
    b: Any
    groups: np.ndarray | None
    difference: float


def noise(rng: np.random.Generator, cell: Cell, groups: np.ndarray | None) -> list[np.ndarray]:
    """Draw standard normal noise of each run and row, in part shared by models, runs and groups."""

    def rows(count: int) -> np.ndarray:
        own = rng.normal(size=(count, cell.n))
        if groups is None:
            return own
        return (own + rng.normal(size=(count, groups[-1] + 1))[:, groups]) / math.sqrt(2)

    common, rest = math.sqrt(SHARED) * rows(1), math.sqrt(1 - SHARED)
    return [
        common + rest * (math.sqrt(ALIKE) * rows(1) + math.sqrt(1 - ALIKE) * rows(count))
        for count in (cell.runs_a, cell.runs_b)
    ]


def effects(rng: np.random.Generator, cell: Cell, count: int, fixed: bool) -> np.ndarray:
    """Draw the effect of each run, with mean 0 and variance 1, in a column."""
    if fixed:
        return np.zeros((count, 1))
    if cell.shape == "skewed":
        return 1 - rng.exponential(size=(count, 1))
    return rng.normal(size=(count, 1))


def drawn(cell: Cell, rng: np.random.Generator) -> Draw:
    """Draw one study of made-up runs."""
    groups = np.arange(cell.n) // 10 if cell.situation == "groups of rows" else None
    alone = [False, cell.runs_b == 1]
    skills, each = (cell.skill_a, cell.skill_b), noise(rng, cell, groups)
    seeds = [effects(rng, cell, len(e), one) for e, one in zip(each, alone, strict=True)]
    if cell.metric == "value":
        sd = math.sqrt(cell.ratio / cell.n)
        values = [skill + sd * s + e for skill, s, e in zip(skills, seeds, each, strict=True)]
        return Draw(None, *values, groups, cell.skill_a - cell.skill_b)
    if cell.metric == "accuracy":
        pairs = [_accuracy(cell, *one, rng) for one in zip(skills, seeds, each, alone, strict=True)]
        (a, true_a), (b, true_b) = pairs
        return Draw(None, a, b, groups, true_a - true_b)
    y = (rng.random(cell.n) < PREVALENCE).astype(int)
    scores = [_scores(cell, y, *one) for one in zip(skills, seeds, each, strict=True)]
    if cell.metric == "f1":
        scores = [(score > 0.8).astype(int) for score in scores]
    elif cell.metric == "log_loss":
        scores = [special.expit(1.6 * score - 1.2) for score in scores]
    return Draw(y, *scores, groups, cell.skill_a - cell.skill_b)


def _accuracy(
    cell: Cell,
    skill: float,
    seeds: np.ndarray,
    e: np.ndarray,
    alone: bool,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Return right and wrong rows, and the expected accuracy."""
    binomial = skill * (1 - skill) / cell.n
    if cell.shape in ("fail", "skewed"):
        # the expected accuracy of a run, on the scale of accuracies
        own = skill + math.sqrt(cell.ratio * binomial) * seeds
        expected = skill
        if cell.shape == "fail" and not alone:
            bad = rng.random(len(e)) < 0.1
            own = np.where(bad[:, None], skill - 0.3, own)
            expected = skill - 0.03
        elif cell.shape == "fail":
            own, expected = own - 0.03, skill - 0.03
        return special.ndtri(np.clip(own, 1e-6, 1 - 1e-6)) + e > 0, expected
    density = math.exp(-(special.ndtri(skill) ** 2) / 2) / math.sqrt(2 * math.pi)
    sd = math.sqrt(cell.ratio * binomial) / density * (not alone)
    shift = special.ndtri(skill) * math.sqrt(1 + sd**2)
    return shift + sd * seeds + e > 0, skill


def _scores(
    cell: Cell, y: np.ndarray, skill: float, seeds: np.ndarray, e: np.ndarray
) -> np.ndarray:
    """Return how positive each run takes each row for; the area is `skill` in expectation."""
    # the variance of an area over rows is near that of a share of the rarer class
    density = math.exp(-(special.ndtri(skill) ** 2) / 2) / math.sqrt(2 * math.pi)
    sd = math.sqrt(cell.ratio * skill * (1 - skill) / (2 * PREVALENCE * cell.n)) / density
    centre = special.ndtri(skill) * math.sqrt(2) * math.sqrt(1 + sd**2)
    return (centre + math.sqrt(2) * sd * seeds) * y + e


# Trained runs ----------------------------------------------------------------------------------


def data(name: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Return features, classes and the number of training rows."""
    if name == "digits":
        digits = load_digits()
        order = np.random.default_rng(0).permutation(len(digits.target))
        X, y = digits.data[order] / 16, (digits.target[order] % 2).astype(int)
        return X + np.random.default_rng(1).normal(0, 0.35, X.shape), y, 300
    X, y = make_classification(
        3300, 20, n_informative=6, n_redundant=4, weights=[0.7], flip_y=0.08, random_state=3
    )
    return X, y, 300


def trained(recipe: str, seed: int, X: np.ndarray, y: np.ndarray) -> Any:
    """Train one run."""
    if recipe == "network":
        made: Any = MLPClassifier((16,), max_iter=60, learning_rate_init=0.01, random_state=seed)
    else:
        made = RandomForestClassifier(7, min_samples_leaf=2, random_state=seed)
    return made.fit(X, y)


@on_one_thread
def train() -> None:
    """Train all runs and keep the probabilities of all test rows."""
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    for name in RECIPES:
        recipe, source = name.split(", ")
        X, y, n = data(source)
        runs = [
            trained(recipe, seed, X[:n], y[:n]).predict_proba(X[n:])[:, 1] for seed in range(RUNS)
        ]
        known = np.clip(np.array(runs), 0.005, 0.995)
        np.savez(FOLDER / f"{name}.npz", y=y[n:], runs=known)
        accuracy = ((known > 0.5) == y[n:]).mean(axis=1)
        print(name, accuracy.mean().round(3), accuracy.std().round(4))


@cache
def pool(name: str) -> tuple[np.ndarray, ...]:
    """Return the truth, and the runs of a recipe against itself, or of two on the same data."""
    recipes, source = name.split(", ")
    found = []
    for recipe in recipes.split(" or "):
        with np.load(FOLDER / f"{recipe}, {source}.npz") as kept:
            found.append((kept["y"], kept["runs"]))
    return found[0][0], found[0][1], found[-1][1]


def true_difference(metric: str, truth: np.ndarray, *recipes: np.ndarray) -> float:
    """Return the true difference of two recipes; better is greater."""
    values: dict[str, Any] = {
        "accuracy": lambda p: ((p > 0.5) == truth).mean(),
        "roc_auc": lambda p: roc_auc_score(truth, p),
        "log_loss": lambda p: -log_loss(truth, p),
    }
    a, b = (np.mean([values[metric](run) for run in runs]) for runs in recipes)
    return float(a - b)


def of_trained(cell: Cell, rng: np.random.Generator, replicates: int) -> Iterator[Draw]:
    """Draw runs and rows of trained models."""
    truth, of_a, of_b = pool(cell.shape)
    difference = 0.0 if of_a is of_b else true_difference(cell.metric, truth, of_a, of_b)
    for _ in range(replicates):
        rows = rng.integers(0, len(truth), cell.n)
        a = of_a[rng.integers(0, RUNS, cell.runs_a)][:, rows]
        b = of_b[rng.integers(0, RUNS, cell.runs_b)][:, rows]
        y = truth[rows]
        if cell.metric == "accuracy":
            yield Draw(None, (a > 0.5) == y, (b > 0.5) == y, None, difference)
        else:
            yield Draw(y, a, b, None, difference)


def studies(cell: Cell, replicates: int) -> Iterator[Draw]:
    """Draw the studies of a cell."""
    rng = np.random.default_rng(zlib.crc32("|".join(map(str, dataclasses.astuple(cell))).encode()))
    if cell.situation.startswith("real"):
        yield from of_trained(cell, rng, replicates)
    else:
        for _ in range(replicates):
            yield drawn(cell, rng)


def compared(cell: Cell, one: Draw) -> Result:
    """Run the test on a study; accuracies are means of right and wrong rows."""
    b = Runs(list(one.b), deterministic=True) if cell.runs_b == 1 else list(one.b)
    how = {"groups": one.groups, "paired": cell.situation == "paired runs"}
    if one.y is None:
        return recipe_mean_difference(list(one.a), b, **how)
    return recipe_difference(one.y, list(one.a), b, metric=cell.metric, labels=[0, 1], **how)


def rates(cell: Cell, replicates: int) -> dict[str, object]:
    """Simulate a cell: how often intervals miss the true difference."""
    missed, answered = dict.fromkeys(METHODS, 0), 0
    for one in studies(cell, replicates):
        found = compared(cell, one)
        if found.status in (Status.TOO_FEW, Status.UNDEFINED):
            continue
        answered += 1
        for name, half in zip(METHODS, ("half_width", "half_width_fits"), strict=True):
            missed[name] += abs(found.estimate - one.difference) > found.details[half] > 0
    return {"replicates": replicates, "answered": answered, **missed}


def simulate(replicates: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    if not FOLDER.exists():
        train()
    yield from fill(
        RATES, ((dataclasses.asdict(c), partial(rates, c, replicates)) for c in cells())
    )
