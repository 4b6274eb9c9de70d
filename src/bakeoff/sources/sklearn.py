"""Data sets that scikit-learn ships, or draws."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from bakeoff.errors import Problem
from bakeoff.sources.common.base import DataSet, Loaded, Params


class SklearnData(DataSet):
    """A data set that scikit-learn ships."""

    source: Literal["sklearn"]
    name: Literal["breast_cancer", "diabetes", "digits", "iris", "wine"]
    """Which of scikit-learn's built-in data sets; diabetes is for a regression."""

    def inputs(self) -> list[str]:
        """Return nothing: scikit-learn holds the data."""
        return []

    def load(self, seed: int) -> Loaded:
        """Load the data set, classes by their names."""
        from sklearn import datasets

        bunch = getattr(datasets, f"load_{self.name}")(as_frame=True)
        frame = bunch.data.copy()
        frame["target"] = bunch.target
        names = getattr(bunch, "target_names", None)  # none of numbers
        if names is not None:
            texts = list(map(str, names))
            # codes are the places of the names
            frame["target"] = [texts[code] for code in bunch.target]
        return Loaded(frame, "target")


class GeneratedData(DataSet):
    """Data from one of scikit-learn's generators."""

    drawn: ClassVar[bool] = True

    source: Literal["generator"]
    name: Literal["make_classification", "make_moons", "make_circles", "make_blobs"]
    """Which generator of sklearn.datasets."""
    params: Params = Field({}, description="The generator's own parameters.")

    def inputs(self) -> list[str]:
        """Return nothing: no file is read."""
        return []

    def load(self, seed: int) -> Loaded:
        """Draw the rows; the seed is the experiment's unless `params` has another."""
        import pandas as pd
        from sklearn import datasets

        make = getattr(datasets, self.name)
        try:
            features, target = make(**{"random_state": seed, **self.params})
        except (TypeError, ValueError) as error:
            raise Problem(("params",), f"{self.name}: {error}") from None
        columns = [f"x{i}" for i in range(1, features.shape[1] + 1)]
        frame = pd.DataFrame(features, columns=columns)
        frame["target"] = target
        return Loaded(frame, "target")
