"""How rows are divided into training and test parts."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from bakeoff.spec.base import Part

Split = tuple[int, int]
"""Repeat and fold, both counted from 1."""


class Plan(Part):
    """What every plan shares."""

    stratify: bool = Field(True, description="Keep the class shares the same in every part.")
    repeats: int = 1
    folds: int = 1

    def splits(self) -> list[Split]:
        """List (repeat, fold), both from 1."""
        return [(r, f) for r in range(1, self.repeats + 1) for f in range(1, self.folds + 1)]


class Cv5x2(Plan):
    """Five replications of 2-fold cross-validation (Dietterich 1998)."""

    repeats: Literal[5] = Field(5, description="Always 5; for another number use `kfold`.")
    folds: Literal[2] = Field(2, description="Always 2; for another number use `kfold`.")


class KFold(Plan):
    """k-fold cross-validation, once or repeated."""

    folds: int = Field(10, ge=2, le=1000, description="Number of folds, k.")
    repeats: int = Field(1, ge=1, le=1000, description="How often, each with a new division.")


class Resampled(Plan):
    """Repeated random train/test divisions."""

    repeats: int = Field(30, ge=2, le=10000, description="Number of divisions.")
    test_size: float = Field(0.2, gt=0, lt=1, description="Share of the rows that is tested on.")
    folds: Literal[1] = 1


class Holdout(Plan):
    """One training set and one test set."""

    test_size: float = Field(0.3, gt=0, lt=1, description="Share of the rows that is tested on.")
    repeats: Literal[1] = 1
    folds: Literal[1] = 1


class Resampling(Part):
    """The plans of an experiment, any number of them."""

    cv_5x2: Cv5x2 | None = Field(None, description="Five replications of 2-fold cross-validation.")
    kfold: KFold | None = Field(None, description="k-fold cross-validation, once or repeated.")
    resampled: Resampled | None = Field(None, description="Repeated random divisions.")
    holdout: Holdout | None = Field(None, description="One training set and one test set.")

    DEFAULT: ClassVar[dict[str, dict[str, object]]] = {"cv_5x2": {}, "holdout": {}}

    def plans(self) -> dict[str, Plan]:
        """Return the plans asked for, by name."""
        found = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: plan for name, plan in found if plan is not None}
