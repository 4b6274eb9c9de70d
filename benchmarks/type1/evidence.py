"""Evidence drawn under the null: models on one test set, algorithms on several data sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.type1.trials import Evidence


def paired_correctness(
    n: int, accuracy: float, phi: float
) -> Callable[[np.random.Generator], Evidence]:
    """Two models of one accuracy whose correctness has the correlation phi."""
    both = accuracy**2 + phi * accuracy * (1 - accuracy)
    cells = [both, accuracy - both, accuracy - both, 1 - 2 * accuracy + both]

    def draw(rng: np.random.Generator) -> Evidence:
        counts = rng.multinomial(n, cells)
        return {
            "pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts)),
        }

    return draw


def difference_at_margin(rng: np.random.Generator) -> Evidence:
    """Two models whose accuracies differ by exactly the margin of .05."""
    counts = rng.multinomial(1000, [0.75, 0.05, 0.10, 0.10])
    return {"pair": (np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts))}


def labels_and_scores(rng: np.random.Generator) -> Evidence:
    """Two exchangeable models: class scores with common and own noise."""
    y = rng.permutation(np.repeat([0, 1], 100))
    noise = rng.normal(size=200)
    a, b = (1.5 * y + noise + rng.normal(size=200) for _ in range(2))
    return {"labels": (y, (a > 0.75).astype(int), (b > 0.75).astype(int)), "scores": (y, a, b)}


def one_model(rng: np.random.Generator) -> Evidence:
    """One model with an accuracy of exactly .8."""
    return {"one": (rng.random(200) < 0.8,)}


def several_correctness(
    n: int, models: int, accuracy: float, common: float
) -> Callable[[np.random.Generator], Evidence]:
    """Models of one accuracy; a row's outcome is shared with the probability `common`."""

    def draw(rng: np.random.Generator) -> Evidence:
        own = rng.random((n, models)) < accuracy
        shared = rng.random((n, 1)) < accuracy
        return {"many": (np.where(rng.random((n, 1)) < common, shared, own),)}

    return draw


def datasets(n: int, algorithms: int, decimals: int) -> Callable[[np.random.Generator], Evidence]:
    """Scores of exchangeable algorithms on data sets of unlike difficulty and spread."""

    def draw(rng: np.random.Generator) -> Evidence:
        level = rng.uniform(0.6, 0.95, (n, 1))
        spread = rng.uniform(0.005, 0.03, (n, 1))
        scores = (level + spread * rng.standard_t(4, (n, algorithms))).round(decimals)
        return {"many": (scores,), "pair": (scores[:, 0], scores[:, 1])}

    return draw


def incomplete(
    n: int, algorithms: int, decimals: int, missing: float
) -> Callable[[np.random.Generator], Evidence]:
    """Leave out scores at random; every data set and every algorithm keeps one."""
    whole = datasets(n, algorithms, decimals)

    def draw(rng: np.random.Generator) -> Evidence:
        (scores,) = whole(rng)["many"]
        gaps = rng.random(scores.shape) < missing
        gaps[np.arange(n), rng.integers(algorithms, size=n)] = False
        gaps[np.arange(algorithms) % n, np.arange(algorithms)] = False
        table = np.where(gaps, np.nan, scores)
        return {"many": (table,), "pair": (table[:, 0], table[:, 1])}

    return draw
