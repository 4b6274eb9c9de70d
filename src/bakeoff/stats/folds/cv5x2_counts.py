"""What the tests on the rows of 5×2 cross-validation are made of: counts, variance, interval."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_correctness,
    as_counts,
    as_floats,
    check_same_labels,
)
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.result import Alternative, ConfidenceInterval, Status


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
    def status(self) -> Status:
        """What the counts allow to say."""
        if not self.discordant:
            return Status.NO_DISCORDANT_PAIRS
        return Status.TOO_FEW if math.isnan(self.variance) else Status.OK

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


@dataclasses.dataclass(frozen=True)
class RowOutcomes(Outcomes):
    """Counts, and what test rows and training rows each add to the variance of the mean."""

    variance_test: float
    variance_training: float

    @property
    def variance(self) -> float:
        """That of the sum of both parts, and no less than what single rows give; 1.1 as there."""
        both = math.sqrt(self.variance_test) + math.sqrt(self.variance_training)
        return max(1.1 * both**2, self.variance_rows)  # in this order an unknown part stays NaN


def row_outcomes(fold: ArrayLike, correct_a: ArrayLike, correct_b: ArrayLike) -> RowOutcomes:
    """Count the rows that only one model gets right, and take the variance apart."""
    counted = outcomes(fold, correct_a, correct_b)
    ahead = np.asarray(correct_a, dtype=int) - np.asarray(correct_b, dtype=int)
    tested = (np.asarray(fold)[:, None, :] == np.array([1, 2])[:, None]).reshape(10, -1).astype(int)
    by_fit = tested * np.repeat(ahead, 2, axis=0)
    return RowOutcomes(
        counted.b,
        counted.c,
        counted.tested,
        _variance_of_test_rows(ahead),
        _variance_of_training_rows(tested, by_fit),
    )


def _variance_of_test_rows(ahead: NDArray[np.intp]) -> float:
    """Return s²/n of what each row says on average over its five tests."""
    total, n = ahead.sum(axis=0), ahead.shape[1]
    squares = int((total**2).sum()) - int(total.sum()) ** 2 / n
    return float(squares / (25 * n * max(n - 1, 1)))


def _variance_of_training_rows(tested: NDArray[np.intp], by_fit: NDArray[np.intp]) -> float:
    """Return the variance of the mean that comes from which rows the fits were trained on."""
    # Two fits of different replications are compared on the rows that both test, where only their
    # training rows differ. Σ(Δ² − its variance from these rows) over the pairs of fits, divided by
    # what one unit of variance of a training row would give, is the variance of a training row. NaN
    # without rows that two fits of different training rows both test.
    n = tested.shape[1]
    common = tested @ tested.T
    sums, squares = by_fit @ tested.T, (by_fit**2) @ tested.T
    replication = np.arange(10) // 2
    pairs = (replication[:, None] < replication) & (common >= 2)
    k = np.maximum(common, 2)
    delta = (sums - sums.T) / k
    of_rows = ((squares + squares.T - 2 * by_fit @ by_fit.T) / k - delta**2) / (k - 1)
    # a fit is the mean over its training rows: `shared` are the products of these weights
    size = tested.sum(axis=1)
    trained = n - size
    shared = (n - size[:, None] - size + common) / np.multiply.outer(trained, trained)
    spread = np.diag(shared)[:, None] + np.diag(shared) - 2 * shared
    if not spread[pairs].sum():
        return math.nan
    of_one = float((delta**2 - of_rows)[pairs].sum() / spread[pairs].sum())
    share = size / size.sum()
    of_mean = float((np.multiply.outer(share, share) * shared).sum())
    return max(of_one, 0.0) * of_mean


def difference_interval(found: Outcomes, level: float, side: Alternative) -> ConfidenceInterval:
    """Return d̄ ± z √v; a one-sided interval reaches to the end of the scale."""
    reach = -float(special.ndtri(tail_probability(level, side))) * float(np.sqrt(found.variance))
    return ConfidenceInterval(
        -1.0 if side == "less" else found.mean - reach,
        1.0 if side == "greater" else found.mean + reach,
        level,
        "normal",
    )
