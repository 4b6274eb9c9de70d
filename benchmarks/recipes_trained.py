"""200 trained runs of each of some recipes on two data sets, from which studies are drawn.

`python -m benchmarks.recipes_trained` trains them (some minutes) into .recipes_trained/, which is
not kept. A study draws S runs and n rows with replacement: its true difference is that of all runs
on all rows.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.neural_network import MLPClassifier

from bakeoff.threads import on_one_thread

FOLDER = Path(__file__).with_name(".recipes_trained")
RUNS = 200
RECIPES = ("network, digits", "forest, digits", "network, made up", "forest, made up")
PAIRS = ("network or forest, digits", "network or forest, made up")


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
    import warnings

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


@dataclasses.dataclass(frozen=True)
class Pool:
    """The runs of two recipes, which may be the same, on all test rows."""

    y: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @cache  # noqa: B019
    def difference(self, metric: str) -> float:
        """Return the true difference; better is greater."""
        if self.a is self.b:
            return 0.0
        means = []
        for runs in (self.a, self.b):
            each = {
                "accuracy": lambda p: ((p > 0.5) == self.y).mean(),
                "roc_auc": lambda p: roc_auc_score(self.y, p),
                "log_loss": lambda p: -log_loss(self.y, p),
            }[metric]
            means.append(np.mean([each(run) for run in runs]))
        return float(means[0] - means[1])

    def draw(self, rng: np.random.Generator, cell: Any) -> tuple[Any, ...]:
        """Draw runs and rows: truth, runs of A and of B, no groups, and the true difference."""
        rows = rng.integers(0, len(self.y), cell.n)
        a = self.a[rng.integers(0, RUNS, cell.runs_a)][:, rows]
        b = self.b[rng.integers(0, RUNS, cell.runs_b)][:, rows]
        y, difference = self.y[rows], self.difference(cell.metric)
        if cell.metric == "accuracy":
            return None, (a > 0.5) == y, (b > 0.5) == y, None, difference
        return y, a, b, None, difference

    def __hash__(self) -> int:
        return id(self)


@cache
def pool(name: str) -> Pool:
    """Return the runs of a recipe against itself, or of two on the same data."""
    recipes, source = name.split(", ")
    found = []
    for recipe in recipes.split(" or "):
        with np.load(FOLDER / f"{recipe}, {source}.npz") as kept:
            found.append((kept["y"], kept["runs"]))
    return Pool(found[0][0], found[0][1], found[-1][1])


if __name__ == "__main__":
    train()
