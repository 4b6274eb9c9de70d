"""How often a row is ranked right against those of the other class: areas under ROC curves."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import BoolArray, FloatArray, as_array, is_missing
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import rows_below

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
NOISE = 1e-12


@dataclasses.dataclass(frozen=True)
class Placements:
    """Share of the other class that each row is ranked right against (ties count half)."""

    positives: FloatArray
    negatives: FloatArray

    @cached_property
    def auc(self) -> float:
        """The area."""
        return float(self.positives.mean())

    @cached_property
    def deviations(self) -> tuple[FloatArray, FloatArray]:
        """The placements of positives and of negatives less their means."""
        return self.positives - self.positives.mean(), self.negatives - self.negatives.mean()

    @cached_property
    def variance(self) -> float:
        """The variance of the area."""
        return self.covariance(self)

    def covariance(self, other: Placements) -> float:
        """Covariance of the two areas (DeLong et al. 1988, eq. 5); NaN for a single row."""
        total = 0.0
        for x, y in zip(self.deviations, other.deviations, strict=True):
            if len(x) < 2:
                return math.nan
            total += inner(x, y) / (len(x) - 1) / len(x)
        return total

    def __sub__(self, other: Placements) -> Placements:
        return Placements(self.positives - other.positives, self.negatives - other.negatives)

    @property
    def none(self) -> bool:
        """Whether every placement is 0."""
        values = self.positives, self.negatives
        return all(v.min() >= -NOISE and v.max() <= NOISE for v in values)


def as_classes(y_true: ArrayLike) -> BoolArray:
    """Check the true classes, 0 and 1, of which both must occur."""
    array = as_array(y_true, "y_true")
    if array.ndim != 1 or array.size == 0:
        raise ArgumentError("y_true", f"expected shape (n,), n >= 1, found shape {array.shape}")
    gaps = is_missing(array)
    if gaps.any():
        raise ArgumentError(
            "y_true",
            f"{int(gaps.sum())} missing class(es), first in row "
            f"{int(np.flatnonzero(gaps)[0])}; drop these rows for both models",
        )
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
        found = ", ".join(repr(v) for v in list(dict.fromkeys(array.tolist()))[:4])
        raise ArgumentError(
            "y_true",
            f"expected 0/1 (1 is the positive class), found {found} "
            f"(dtype {array.dtype}); pass `y == positive_class`, one class against the rest",
        )
    if array.min() == array.max():
        missing = "negative" if array[0] else "positive"
        raise ArgumentError(
            "y_true",
            f"found no {missing} row, the area under the ROC curve is undefined; "
            "compare accuracies instead (mcnemar)",
        )
    return array.astype(np.bool_)


def placements(positive: BoolArray, scores: FloatArray) -> Placements:
    """Place each row among those of the other class, from one sort of all."""
    below = rows_below(positive, scores)
    n_positive = int(np.count_nonzero(positive))
    return Placements(
        below[positive] / (len(scores) - n_positive), 1 - below[~positive] / n_positive
    )
