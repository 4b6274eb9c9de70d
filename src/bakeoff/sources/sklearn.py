"""Data sets that scikit-learn ships."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bakeoff.sources.common.base import DataSet, Loaded


class SklearnData(DataSet):
    """A data set that scikit-learn ships."""

    source: Literal["sklearn"]
    name: Literal["breast_cancer", "diabetes", "digits", "iris", "wine"] = Field(
        description="Which of scikit-learn's built-in data sets; diabetes is for a regression."
    )

    def inputs(self) -> list[str]:
        """Return nothing: scikit-learn holds the data."""
        return []

    def load(self, seed: int) -> Loaded:
        """Load the data set, classes by their names."""
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{self.name}")(as_frame=True)
        frame = bunch.data.copy()
        names = getattr(bunch, "target_names", None)  # none of numbers
        frame["target"] = bunch.target if names is None else [str(names[i]) for i in bunch.target]
        return Loaded(frame, "target")
