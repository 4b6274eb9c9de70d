"""What the tests on the rows of 5×2 cross-validation are made of: counts, variance, interval."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.checks import (
    FloatArray,
    as_correctness,
    as_counts,
    as_floats,
    check_same_labels,
)
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.result import Alternative, ConfidenceInterval


@dataclasses.dataclass(frozen=True)
class Outcomes:
    """Counts of the ten folds, shape (5, 2): only A right (b), only B right (c), and tested."""

    b: FloatArray
    c: FloatArray
    tested: FloatArray

    @classmethod
    def of(
        cls, only_a_correct: ArrayLike, only_b_correct: ArrayLike, n_test: ArrayLike
    ) -> Outcomes:
        """Check counts."""
        counts = {
            "only_a_correct": as_counts(only_a_correct, "only_a_correct"),
            "only_b_correct": as_counts(only_b_correct, "only_b_correct"),
            "n_test": as_counts(n_test, "n_test"),
        }
        for name, array in counts.items():
            if array.shape != (5, 2):
                raise ArgumentError(
                    name,
                    f"expected shape (5, 2), five replications of two folds, found {array.shape}",
                )
        b, c, tested = counts.values()
        if (tested < 1).any() or (b + c > tested).any():
            raise ArgumentError(
                "n_test", "must be at least 1 and no less than the discordant rows of its fold"
            )
        return cls(b, c, tested)

    @property
    def rows(self) -> float:
        """Rows of the data set."""
        return float(self.tested.sum()) / 5

    @property
    def discordant(self) -> bool:
        """Whether exactly one model is right anywhere."""
        return bool((self.b + self.c).any())

    @property
    def mean(self) -> float:
        """Mean accuracy of A less B's, over all tested rows."""
        return float((self.b - self.c).sum() / self.tested.sum())

    @property
    def differences(self) -> FloatArray:
        """Accuracy of A less B's on each fold, shape (5, 2)."""
        found: FloatArray = (self.b - self.c) / self.tested
        return found

    @property
    def effective(self) -> tuple[float, float]:
        """The discordant counts as if rows were tested once: 2b/11 and 2c/11."""
        return 2 * float(self.b.sum()) / 11, 2 * float(self.c.sum()) / 11

    @property
    def variance_rows(self) -> float:
        """Variance of the mean from single rows: 1.1 (b + c)/(N n)."""
        return 1.1 * float((self.b + self.c).sum()) / (float(self.tested.sum()) * self.rows)

    @property
    def variance_folds(self) -> float:
        """Variance of the mean from the two folds of each replication: Σs²ᵢ/50."""
        d = self.differences
        return float(((d - d.mean(axis=1, keepdims=True)) ** 2).sum()) / 50

    @property
    def variance(self) -> float:
        """The larger of both."""
        return max(self.variance_rows, self.variance_folds)

    @property
    def guarded(self) -> bool:
        """Whether the replications vary more than single rows explain."""
        return self.variance_folds > self.variance_rows


def outcomes(fold: ArrayLike, correct_a: ArrayLike, correct_b: ArrayLike) -> Outcomes:
    """Count, fold by fold, the rows that only one model gets right."""
    half = as_floats(fold, "fold")
    a = as_correctness(correct_a, "correct_a", ndim=2)
    b = as_correctness(correct_b, "correct_b", ndim=2)
    if half.ndim != 2 or len(half) != 5 or not half.shape == a.shape == b.shape:
        raise ValueError(
            "fold, correct_a, correct_b: expected one shape (5, n), five replications of the same "
            f"rows, found {half.shape}, {a.shape} and {b.shape}"
        )
    check_same_labels(fold=fold, correct_a=correct_a, correct_b=correct_b)
    if np.isnan(half).any():
        raise ArgumentError("fold", f"{int(np.isnan(half).sum())} value(s) are missing")
    sides = half[:, None, :] == np.array([1, 2])[:, None]  # replication, half, row
    if not sides.any(axis=1).all() or not sides.any(axis=2).all():
        raise ArgumentError("fold", "must be 1 or 2, and both in every replication")
    only_a, only_b = ((sides & rows[:, None, :]).sum(axis=2) for rows in (a & ~b, b & ~a))
    return Outcomes(only_a, only_b, sides.sum(axis=2))


def difference_interval(found: Outcomes, level: float, side: Alternative) -> ConfidenceInterval:
    """Return d̄ ± z √v; a one-sided interval reaches to the end of the scale."""
    reach = -float(special.ndtri(tail_probability(level, side))) * float(np.sqrt(found.variance))
    return ConfidenceInterval(
        -1.0 if side == "less" else found.mean - reach,
        1.0 if side == "greater" else found.mean + reach,
        level,
        "normal",
    )
