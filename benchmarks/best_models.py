"""Does the set of models that may be the best hold one? `python -m benchmarks best_models`.

Two to ten models of which all have the same true metric, so that each of them is a best one:
*alike* (scores of one kind), *unlike* (other spreads of the scores, other thresholds, overconfident
probabilities), *heavy* (as unlike, with Student's t with 3 degrees of freedom in place of normal
scores) and *in groups* (unlike, in groups of 20 rows that share half of the noise). Values per row
are log-normal losses. Counted is how often a best model is in the set: the one that is in it least
often. Rates go to best_models.csv.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy import optimize, stats

from bakeoff.stats import BestResult, Status, best_by_values, best_models
from benchmarks.any_metric import Model, balanced_threshold, population
from benchmarks.harness import HERE, Cell, fill, named

RATES = HERE / "best_models.csv"
LEVEL, DRAWS, SHARED, GROUP = 0.95, 999, 0.6, 20
COUNTS, FEWER = (2, 5, 10), (2, 5)
POSITIVES = ((20, 400), (20, 40), (30, 600), (40, 800), (120, 1200), (400, 4000))
"""Expected positive rows, and rows."""
THREE = ((20, 400), (40, 800), (120, 1200))
METRICS = (
    *(("roc_auc", size, kind) for size in (0.856, 0.95) for kind in ("alike", "unlike", "heavy")),
    ("roc_auc", 0.856, "in groups"),
    *(
        (metric, 1.6, kind)
        for metric in ("average_precision", "log_loss", "brier", "f1", "balanced_accuracy", "mcc")
        for kind in ("alike", "unlike")
    ),
)
"""Metrics with the area, or else the separation, of the models."""
CELL = ("metric", "size", "kind", "models", "positives", "n")


def models(metric: str, size: float, kind: str, count: int, prevalence: float) -> list[Model]:
    """Return models whose true metric is the same."""
    knobs = np.zeros(count) if kind == "alike" else np.linspace(0, 1, count)
    if metric == "roc_auc":
        spreads = np.ones(count) if kind == "alike" else 0.5 * 4**knobs
        return [Model(_apart(size, s, heavy=kind == "heavy"), sigma=s) for s in spreads]
    threshold = balanced_threshold(prevalence, prevalence)
    first = Model(size, threshold=threshold)
    wanted = population(metric, first, prevalence)

    def other(mu: float, knob: float) -> Model:
        if metric in ("log_loss", "brier"):
            return Model(mu, sharpness=1 + knob)
        if metric == "average_precision":
            return Model(mu, sigma=1 + 0.8 * knob)
        return Model(mu, threshold=threshold - 0.4 * knob)

    found = []
    for knob in knobs:
        mu = optimize.brentq(
            lambda m, k=knob: population(metric, other(m, k), prevalence) - wanted, 0.2, 9
        )
        found.append(other(float(mu), float(knob)))
    return found


def _apart(area: float, spread: float, *, heavy: bool) -> float:
    """Return the separation of the classes that gives an area."""
    if not heavy:
        return float(stats.norm.ppf(area) * math.sqrt(1 + spread**2))
    grid = np.linspace(-100, 100, 20_001)
    t = stats.t(3)
    weights = t.pdf(grid) / t.pdf(grid).sum()
    return float(
        optimize.brentq(lambda mu: weights @ t.cdf(mu + spread * grid) - area, 0, 20, xtol=1e-6)
    )


def studies(
    metric: str, size: float, kind: str, count: int, m: int, n: int, replicates: int
) -> Iterator[BestResult]:
    """Draw test sets, and find the best of the models on each."""
    prevalence = m / n
    rng = np.random.default_rng([sum(map(ord, metric + kind)), round(1e3 * size), count, m, n])
    each = models(metric, size, kind, count, prevalence)
    mu, sigma = (np.array([getattr(one, key) for one in each]) for key in ("mu", "sigma"))
    groups = np.arange(n) // GROUP if kind == "in groups" else None
    for i in range(replicates):
        y = (rng.random(n) < prevalence).astype(int)
        noise = math.sqrt(SHARED) * shared_noise(rng, n, 1, groups)
        noise = noise + math.sqrt(1 - SHARED) * shared_noise(rng, n, count, groups)
        if kind == "heavy":
            noise = noise / np.sqrt(rng.chisquare(3, (n, 1)) / 3)
        scores = np.where(y[:, None] == 1, mu + sigma * noise, noise)
        said = [one.predicted(metric, scores[:, k], prevalence) for k, one in enumerate(each)]
        if y.min() < y.max():
            how = {"metric": metric, "labels": [0, 1], "groups": groups}
            yield best_models(y, np.column_stack(said), **how, n_resamples=DRAWS, seed=i)


def shared_noise(
    rng: np.random.Generator, n: int, count: int, groups: np.ndarray | None
) -> np.ndarray:
    """Draw standard normal noise, half of its variance shared in a group."""
    own = rng.normal(size=(n, count))
    if groups is None:
        return own
    shared = rng.normal(size=(groups[-1] + 1, count))[groups]
    return np.asarray((own + shared) / math.sqrt(2))


def studies_of_values(
    shape: float, kind: str, count: int, n: int, replicates: int
) -> Iterator[BestResult]:
    """Draw log-normal losses with a mean of 1 of the same rows."""
    rng = np.random.default_rng([round(1e3 * shape), count, n])
    shapes = np.linspace(0.5, shape, count) if kind == "unlike" else np.full(count, shape)
    for i in range(replicates):
        common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, count))
        noise = math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * own
        losses = np.exp(shapes * noise - shapes**2 / 2)
        yield best_by_values(losses, greater_is_better=False, n_resamples=DRAWS, seed=i)


def rates(found: Iterator[BestResult]) -> dict[str, object]:
    """Count how often the models are in the set."""
    studies = 0
    inside: list[np.ndarray] = []
    for best in found:
        if best.status is Status.OK:
            studies += 1
            if not np.isnan(best.pvalues).any():
                inside.append(np.isin(np.arange(len(best.scores)), best.members))
    shares = np.mean(inside, axis=0) if inside else None
    return {
        "studies": studies,
        "tested": len(inside),
        "in_set": "" if shares is None else round(float(shares.min()), 4),
        "members": "" if shares is None else round(float(shares.sum()), 2),
    }


def simulate(replicates: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    yield from fill(RATES, cells(replicates))


def cells(replicates: int) -> Iterator[Cell]:
    """List what is simulated."""

    def cell(of: tuple[object, ...], drawn: Callable[[], Iterator[BestResult]]) -> Cell:
        return named(CELL, of), lambda: rates(drawn())

    for metric, size, kind in METRICS:
        plain = metric == "roc_auc" and kind in ("alike", "unlike")
        sizes = POSITIVES if plain else THREE if metric != "roc_auc" else POSITIVES[:-1]
        for count, (m, n) in itertools.product(COUNTS if plain else FEWER, sizes):
            of = metric, size, kind, count, m, n
            yield cell(of, partial(studies, *of, replicates))
    for shape, kind, count, n in itertools.product(
        (1.0, 1.5), ("alike", "unlike"), FEWER, (50, 200, 1000)
    ):
        drawn = partial(studies_of_values, shape, kind, count, n, replicates)
        yield cell(("value", shape, kind, count, "", n), drawn)
