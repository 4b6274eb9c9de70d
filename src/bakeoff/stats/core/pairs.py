"""The pairs that a family of models has, and which corrections fit it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.logical_pairs import METHODS, MOST_MODELS
from bakeoff.stats.core.multiplicity import adjust_pvalues, canonical_method
from bakeoff.stats.core.result import Alternative


def check_control(control: int | None, k: int) -> int | None:
    """Check the column number of the control model."""
    if control is not None and not 0 <= control < k:
        raise ArgumentError(
            "control", f"found {control!r}, must be a column number from 0 to {k - 1}"
        )
    return control


def all_pairs(models: int, control: int | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the pairs (0, 1), (0, 2), ..., or the control with each other model."""
    if control is None:
        first, second = np.triu_indices(models, 1)
        return first, second
    others = np.array([m for m in range(models) if m != control], dtype=np.intp)
    return np.full(len(others), control, dtype=np.intp), others


def check_correction(
    correction: str,
    control: int | None,
    alternative: Alternative,
    k: int,
    more: tuple[str, ...] = (),
) -> str:
    """Check that a correction fits the family of hypotheses; return its canonical name.

    Those that use which hypotheses can be true at once are for two-sided tests of all pairs. `more`
    are corrections beside those of `adjust_pvalues`.
    """
    method = canonical_method(correction, "correction", more)
    if method in METHODS and (control is not None or alternative != "two-sided"):
        raise ArgumentError(
            "correction",
            f"{method!r} is for two-sided tests of all pairs, found control={control} "
            f"and alternative={alternative!r}; use 'holm' or 'hommel'",
        )
    if method == "bergmann-hommel" and k > MOST_MODELS:
        raise ArgumentError(
            "correction",
            f"'bergmann-hommel' takes up to {MOST_MODELS} models, found {k}; use 'shaffer'",
        )
    return method


def adjust_decided(pvalues: FloatArray, method: str) -> FloatArray:
    """Adjust the p-values; where one is undecided the family is, for what depends on it."""
    known = ~np.isnan(pvalues)
    adjusted = np.full_like(pvalues, math.nan)
    if known.any():
        filled = np.where(known, pvalues, 1.0)  # an undecided pair still counts as one
        adjusted[known] = adjust_pvalues(filled, method)[known]
    return adjusted


def pairs_of(k: int, control: int | None) -> list[tuple[int, int]]:
    """Return all pairs (0, 1), (0, 2), ..., or the control against each other model."""
    if control is None:
        return [(i, j) for i in range(k) for j in range(i + 1, k)]
    return [(control, j) for j in range(k) if j != control]
