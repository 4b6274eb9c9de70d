"""What one fit does to its process, the next one does not meet."""

import logging
import os
import random
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.run_fit import isolated, run_fit
from bakeoff.spec import Fit
from bakeoff.spec.models import Model
from tests.unit.fit.test_run_fit import paths  # noqa: F401


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


def test_a_fit_that_litters_leaves_its_process_as_it_was(paths, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setitem(sys.modules, "litterers", sys.modules[__name__])
    own = Model.model_validate({"estimator": "litterers.Litters", "features": ["flag"]})
    task = FitTask(Fit("d", "m", "holdout", 1, 1), own, 1, **paths, output=tmp_path / "p")
    run_fit(task)  # what is read once for all fits, is
    before = state()
    run_fit(task)
    assert state() == before
