"""What one fit does to its process, the next one does not meet."""

import logging
import os
import random
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from bakeoff.data import ROW_ID, TARGET, Table
from bakeoff.data.splits import write_splits
from bakeoff.data.target import Classes
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.run_fit import isolated, run_fit
from bakeoff.spec import Fit
from bakeoff.spec.models import Model

FIT = Fit("d", "m", "holdout", 1, 1)


def state():
    return {
        "environment": dict(os.environ),
        "folder": Path.cwd(),
        "path": list(sys.path),
        "filters": list(warnings.filters),
        "errors": np.geterr(),
        "sklearn": sklearn.get_config(),
        "level": logging.root.level,
        "depth": sys.getrecursionlimit(),
        "threads": [(one["filepath"], one["num_threads"]) for one in threadpool_info()],
        "python": random.getstate(),
        "numpy": np.random.get_state()[1].tolist(),  # noqa: NPY002
    }


def litter(folder):
    os.environ["BAKEOFF_LITTER"] = "1"
    del os.environ["PATH"]
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    warnings.simplefilter("ignore")
    np.seterr(all="raise")
    sklearn.set_config(assume_finite=True, transform_output="pandas")
    logging.root.setLevel(logging.CRITICAL)
    sys.setrecursionlimit(5000)
    threadpool_limits(2)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002


@pytest.mark.parametrize("error", [None, RuntimeError])
def test_everything_is_as_before_also_after_a_failure(tmp_path, error):
    before = state()
    with pytest.raises(error) if error else nullcontext(), isolated(5, threads=1):
        assert all(one["num_threads"] == 1 for one in threadpool_info())
        litter(tmp_path)
        assert state() != before
        if error:
            raise error
    assert state() == before


class Litters(DecisionTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        litter(Path("/"))
        return super().fit(X, y)


class Draws(DecisionTreeClassifier):
    """Looks at all that a fit before it may have left."""

    def fit(self, X, y, sample_weight=None):
        leftovers = [os.environ.get("BAKEOFF_LITTER"), sklearn.get_config()["assume_finite"]]
        assert leftovers == [None, False]
        self.random_state = int(np.random.randint(1000))  # noqa: NPY002
        self.max_features = 1
        return super().fit(X, y)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde"))
    frame.insert(0, TARGET, np.where(frame["a"] + rng.normal(size=60) > 0, "yes", "no"))
    frame.insert(0, ROW_ID, range(60))
    Table(frame, Classes(("no", "yes"))).write(tmp_path / "d.parquet", tmp_path / "d.json")
    folds = pd.DataFrame({ROW_ID: range(60), "repeat-1": [0, 1] * 30})
    write_splits(tmp_path / "s.parquet", folds)
    return {"data": tmp_path / "d.parquet", "splits": tmp_path / "s.parquet"}


def test_fits_in_one_process_do_not_meet(files, tmp_path, monkeypatch):
    module = sys.modules[__name__]
    monkeypatch.setitem(sys.modules, "litterers", module)
    found = []
    for names in (["Draws"], ["Litters", "Draws"]):
        for name in names:
            own = Model.model_validate({"estimator": f"litterers.{name}", "preprocessing": "none"})
            run_fit(FitTask(FIT, own, 1, **files, output=tmp_path / name))
        found.append(Predictions.read(tmp_path / "Draws").y_pred)
    np.testing.assert_array_equal(*found)
