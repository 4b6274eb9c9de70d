"""Metrics of rankings and probabilities with the influence of every row.

`probabilities` has shape (n, K); for two classes metrics of rankings look at the positive column.
"""

from __future__ import annotations

import math
from functools import reduce
from itertools import permutations
from operator import add

import numpy as np

from bakeoff.stats.core.arithmetic import inner, log
from bakeoff.stats.core.checks import BoolArray, FloatArray
from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.metrics.decisions import NoValue
from bakeoff.stats.metrics.functional import Functional, mean
from bakeoff.stats.metrics.test_rows import Codes


def auc(positive: BoolArray, scores: FloatArray, *, unbiased: bool = True) -> Functional:
    """Return the area under the ROC curve.

    Parameters
    ----------
    positive : ndarray of bool, shape (n,)
        The truth.
    scores : ndarray, shape (n,)
        Larger for rows that are more likely positive; ties count half.
    unbiased : bool
        Scale the influence values so that their standard error is DeLong's (1988), which divides
        by one less than each class count.
    """
    counts = {True: int(positive.sum()), False: int((~positive).sum())}
    if not all(counts.values()):
        raise NoValue("all rows are of one class")
    everyone = rows_below(positive, scores)
    psi, n = np.empty(len(scores)), len(scores)
    area = 0.0
    for side, count in counts.items():
        rows = positive if side else ~positive
        other = counts[not side]
        below = everyone[rows] / other
        placement = below if side else 1 - below
        area = float(placement.mean())
        factor = n / count
        if unbiased and count > 1:
            factor *= math.sqrt(count * (n - 1) / (n * (count - 1)))
        psi[rows] = factor * (placement - area)
    return Functional(area, psi)


def average_precision(positive: BoolArray, scores: FloatArray) -> Functional:
    """Return the area under the precision-recall curve as a step function, in O(n log n)."""
    found, n = int(positive.sum()), len(scores)
    if not found:
        raise NoValue("no row is positive")
    _, inverse, sizes = np.unique(-scores, return_inverse=True, return_counts=True)
    above = np.cumsum(sizes)  # rows with a score at least as high, by distinct score
    hits = np.bincount(inverse, weights=positive).astype(np.float64)
    precision = np.cumsum(hits) / above
    value = inner(hits, precision) / found
    # what a row changes in the precision at its own score and at all lower ones
    per_hit = hits / above
    all_lower = np.cumsum(per_hit[::-1])[::-1]
    right_lower = np.cumsum((per_hit * precision)[::-1])[::-1]
    own = positive * (precision[inverse] - value)
    psi = n / found * (own + positive * all_lower[inverse] - right_lower[inverse])
    return Functional(value, psi)


def one_against_rest(metric: str, truth: Codes, probabilities: FloatArray) -> Functional:
    """Return the mean over classes of a ranking metric of one class against the rest."""
    columns = range(probabilities.shape[1])
    if metric == "average_precision_macro":
        parts = [average_precision(truth == k, probabilities[:, k]) for k in columns]
    else:
        parts = [auc(truth == k, probabilities[:, k], unbiased=False) for k in columns]
    return reduce(add, parts) / len(parts)


def auc_one_against_one(truth: Codes, probabilities: FloatArray) -> Functional:
    """Return the mean area between each two classes (Hand & Till 2001)."""
    n, k = probabilities.shape
    parts = []
    for i, j in permutations(range(k), 2):
        rows = (truth == i) | (truth == j)
        inner = auc(truth[rows] == i, probabilities[rows, i], unbiased=False)
        psi = np.zeros(n)
        psi[rows] = inner.psi * n / rows.sum()
        parts.append(Functional(inner.value, psi))
    return reduce(add, parts) / len(parts)


def log_loss(truth: Codes, probabilities: FloatArray) -> FloatArray:
    """Return each row's negative log-likelihood; probabilities are kept off 0 by one epsilon."""
    p = probabilities[np.arange(len(truth)), truth] / probabilities.sum(axis=1)
    eps = np.finfo(np.float64).eps
    return -log(np.clip(p, eps, 1 - eps))


def squared_error(truth: Codes, probabilities: FloatArray, positive: int) -> FloatArray:
    """Return each row's squared error: of the positive class, or summed over K > 2."""
    right = np.arange(probabilities.shape[1]) == truth[:, None]
    if probabilities.shape[1] == 2:
        return np.asarray((probabilities[:, positive] - right[:, positive]) ** 2)
    return np.asarray(((probabilities - right) ** 2).sum(axis=1))


def among_the_first(truth: Codes, probabilities: FloatArray, k: int) -> FloatArray:
    """Return 1 where fewer than k classes are more probable than the true one, else 0."""
    own = probabilities[np.arange(len(truth)), truth]
    return np.asarray((probabilities > own[:, None]).sum(axis=1) < k, dtype=np.float64)


def root_mean(values: FloatArray) -> Functional:
    """Return the square root of a mean."""
    return mean(values, np.ones(len(values))) ** 0.5
