"""What an estimator says is checked: what is no label and no probability fails the fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from bakeoff.data import ROW_ID, TARGET, Table
from bakeoff.data.splits import write_splits
from bakeoff.errors import UserError
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.task import run_fit
from bakeoff.spec import Fit
from bakeoff.spec.models import Model

FIT = Fit("d", "m", "holdout", 1, 1)
LABELS: dict[str, Any] = {
    "outlier": lambda y: np.full(len(y), -1),
    "between": lambda y: y + 0.5,
    "beyond": lambda y: y + 2,
    "text": lambda y: np.array(["a"] * len(y)),
    "lost": lambda y: y[:-1],
    "floats": lambda y: y.astype(float),
    "column": lambda y: y[:, None],
}
PROBABILITIES: dict[str, Any] = {
    "nan": lambda p: p * np.nan,
    "sum": lambda p: p * 0.9,
    "negative": lambda p: p + np.array([1, -1]),
    "three": lambda p: np.column_stack([p, p[:, 0] * 0]),
    "rounded": lambda p: p.round(2),
}


class Odd(DummyClassifier):  # type: ignore[misc]
    """A classifier that is odd in one way."""

    def __init__(self, way: str = "", strategy: str = "prior") -> None:
        super().__init__(strategy=strategy)
        self.way = way

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(LABELS.get(self.way, np.asarray)(super().predict(X)))

    def predict_proba(self, X: Any) -> NDArray[Any]:
        return np.asarray(PROBABILITIES.get(self.way, np.asarray)(super().predict_proba(X)))


def fit(folder: Path, way: str) -> Predictions:
    """Fit an odd classifier on 20 rows and test it on 10."""
    labels = np.resize(["u", "u", "v"], 30)
    frame = pd.DataFrame({ROW_ID: range(30), TARGET: labels, "x": np.arange(30.0)})
    Table(frame, ("u", "v"), {}).write(folder / "d", folder / "c")
    write_splits(
        folder / "s", pd.DataFrame({ROW_ID: range(30), "repeat-1": [0, 0, 1] * 5 + [1, 0, 0] * 5})
    )
    model = Model.model_validate({"estimator": f"{__name__}.Odd", "params": {"way": way}})
    run_fit(FitTask(FIT, model, 1, folder / "d", folder / "s", folder / "p"))
    return Predictions.read(folder / "p")


WRONG = [
    ("outlier", "it predicts -1 for 10 of 10 rows, the labels that it was trained on are 0 to 1"),
    ("between", "it predicts 0.5 for 10 of 10 rows"),
    ("beyond", "it predicts 2 for 10 of 10 rows"),
    ("text", "it predicts a for 10 of 10 rows"),
    ("lost", "it predicts 9 labels for 10 rows"),
    ("nan", "it diverged: probabilities of 10 of 10 rows are not finite"),
    ("sum", "its probabilities of 10 of 10 rows are none"),
    ("negative", "its probabilities of 10 of 10 rows are none"),
    ("three", r"its probabilities have the shape \(10, 3\), expected \(10, 2\)"),
]


@pytest.mark.parametrize(("way", "message"), WRONG, ids=[w[0] for w in WRONG])
def test_what_is_no_prediction_fails_the_fit(tmp_path: Path, way: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        fit(tmp_path, way)


@pytest.mark.parametrize("way", ["floats", "column", "rounded"])
def test_other_ways_to_write_predictions_are_taken(tmp_path: Path, way: str) -> None:
    found, plain = fit(tmp_path, way), fit(tmp_path, "")
    np.testing.assert_array_equal(found.y_pred, plain.y_pred)
    np.testing.assert_allclose(found.probabilities, plain.probabilities, atol=0.006)
