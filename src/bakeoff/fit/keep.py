"""Fitted models on disk: skops files, which hold no code and run none when they are read."""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.errors import UserError
from bakeoff.extras import require
from bakeoff.files import whole
from bakeoff.fit.train import TrainedModel


@dataclasses.dataclass(frozen=True)
class KeptModel:
    """A fitted model, with what its estimator does not know."""

    trained: TrainedModel
    features: list[str]
    classes: list[str]

    def predict(self, rows: pd.DataFrame) -> NDArray[Any]:
        """Predict names of classes or numbers, as the run did; other columns are passed over."""
        predicted = self.trained.predict(rows[self.features])
        return np.array(self.classes)[predicted] if self.classes else predicted


def write_model(path: str | Path, model: KeptModel) -> None:
    """Write a fitted model as a skops file."""
    require("skops", "`keep: true`")
    import skops.io

    content = {"features": model.features, "classes": model.classes, **vars(model.trained)}
    with whole(path) as part:
        try:
            skops.io.dump(content, part, compression=zipfile.ZIP_DEFLATED)
        except Exception as error:  # each type of object fails in its own way
            raise UserError(
                f"`keep: true`: skops cannot write this model ({type(error).__name__}: {error}); "
                "leave `keep` out"
            ) from error


def read_model(path: str | Path, trusted: Sequence[str] = ()) -> KeptModel:
    """Read a fitted model."""
    require("skops", "a kept model")
    import skops.io

    needed = sorted(set(skops.io.get_untrusted_types(file=path)) - set(trusted))
    if needed:
        raise UserError(f"{path} needs types that are not trusted: {', '.join(needed)}")
    content = skops.io.load(path, trusted=list(trusted))
    features, classes = content.pop("features"), content.pop("classes")
    return KeptModel(TrainedModel(**content), features, classes)
