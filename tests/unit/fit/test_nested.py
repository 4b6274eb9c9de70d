"""Varma & Simon (2006): the score that a search reports flatters; the nested one does not."""

import numpy as np
import pandas as pd

from bakeoff.data import ROW_ID, TARGET, Table, make_splits
from bakeoff.data.splits import write_splits
from bakeoff.data.target import Classes
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.run_fit import run_fit
from bakeoff.spec import Fit
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Cv5x2

TUNED = {
    "estimator": "sklearn.neighbors.KNeighborsClassifier",
    "preprocessing": "none",
    "tune": {"search": "grid", "cv": 3, "space": {"n_neighbors": [1, 3, 5, 9], "p": [1, 2]}},
}
TUNED["tune"]["space"]["weights"] = ["uniform", "distance"]


def test_nested_estimate_is_chance_on_noise_and_the_naive_one_is_not(tmp_path):
    rows, study = 60, 0
    rng = np.random.default_rng(study)
    frame = pd.DataFrame(rng.normal(size=(rows, 8)), columns=list("abcdefgh"))
    frame.insert(0, TARGET, rng.permutation(["no", "yes"] * (rows // 2)))
    frame.insert(0, ROW_ID, range(rows))
    table = Table(frame, Classes(("no", "yes")))
    table.write(tmp_path / "d.parquet", tmp_path / "d.json")
    plan = Cv5x2.model_validate({})
    write_splits(tmp_path / "s", make_splits("d", table, "cv_5x2", plan, study))
    nested, naive = [], []
    for repeat, fold in plan.splits():
        fit = Fit("d", "m", "cv_5x2", repeat, fold)
        paths = tmp_path / "d.parquet", tmp_path / "s", tmp_path / "p"
        run_fit(FitTask(fit, Model.model_validate(TUNED), study, *paths))
        found = Predictions.read(tmp_path / "p")
        nested.append(float(np.mean(found.y_pred == found.y_true)))
        naive.append(found.facts["chosen"]["inner_score"])
    error = np.std(nested) / np.sqrt(len(nested))
    assert abs(np.mean(nested) - 0.5) < 3 * max(error, 0.5 / np.sqrt(rows * 5))
    assert np.mean(naive) > 0.57, "the best of sixteen inner scores flatters"
    assert np.mean(naive) - np.mean(nested) > 0.05
