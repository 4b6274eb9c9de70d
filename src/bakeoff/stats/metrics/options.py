"""Options of single metrics."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, PositiveFloat, PositiveInt, Share, check_fields
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats

EXAMPLES = {"beta": 3, "k": 5, "threshold": 0.1, "max_fpr": 0.1}
"""Values of the options that stand in the names of metrics, as in ``fbeta@3``."""


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of single metrics, checked whichever is asked for."""

    beta: PositiveFloat = 1.0
    k: PositiveInt = 2
    cost: ArrayLike | None = None
    priors: ArrayLike | None = None
    threshold: Level | None = None
    max_fpr: Share | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.cost is not None and not np.isfinite(as_floats(self.cost, "cost")).all():
            raise ArgumentError("cost", "found NaN or infinite costs")
        if self.priors is not None:
            shares = as_floats(self.priors, "priors")
            if not (np.isfinite(shares).all() and (shares >= 0).all() and shares.any()):
                raise ArgumentError("priors", "expected shares of at least 0, not all of them 0")

    def costs(self, k: int) -> FloatArray:
        """Return what predicting a class (columns) for a true one (rows) costs, shape (k, k)."""
        found = as_floats([] if self.cost is None else self.cost, "cost")
        if found.shape != (k, k):
            raise ArgumentError(
                "cost", f"expected a {k} by {k} matrix of numbers, found {found.shape}"
            )
        return found

    def shares(self, k: int) -> FloatArray:
        """Return how frequent each class is where the models will be used; they sum to 1."""
        found = as_floats([] if self.priors is None else self.priors, "priors")
        if found.shape != (k,):
            raise ArgumentError("priors", f"expected {k} numbers, found shape {found.shape}")
        return np.asarray(found / found.sum())


NO_OPTIONS = Options()
