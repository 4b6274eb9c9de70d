"""Data from scikit-learn's generators."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from bakeoff.errors import Problem
from bakeoff.sources.common.base import DataSet, Loaded, Params


class GeneratedData(DataSet):
    """Data from one of scikit-learn's generators."""

    drawn: ClassVar[bool] = True

    source: Literal["generator"]
    name: Literal["make_classification", "make_moons", "make_circles", "make_blobs"] = Field(
        description="Which generator of sklearn.datasets."
    )
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
        frame = pd.DataFrame(features, columns=[f"x{i}" for i in range(1, features.shape[1] + 1)])
        frame["target"] = target
        return Loaded(frame, "target")
