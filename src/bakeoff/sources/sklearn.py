"""Data sets that scikit-learn ships."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bakeoff.sources.common.base import DataSet, Loaded


class SklearnData(DataSet):
    """A data set that scikit-learn ships."""

    source: Literal["sklearn"]
    name: Literal["breast_cancer", "digits", "iris", "wine"] = Field(
        description="Which of scikit-learn's built-in classification data sets."
    )

    def inputs(self) -> list[str]:
        """Return nothing: scikit-learn holds the data."""
        return []

    def load(self, seed: int) -> Loaded:
        """Load the data set, with the names of its classes."""
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{self.name}")(as_frame=True)
        frame = bunch.data.copy()
        frame["target"] = [str(bunch.target_names[code]) for code in bunch.target]
        return Loaded(frame, "target")
