"""Kept models predict as their fit did; no file makes a type that the reader does not trust."""

import zipfile

import numpy as np
import pytest
import skops.io

from bakeoff.errors import UserError
from bakeoff.execution.steps import fit
from bakeoff.fit.fit_task import FitTask
from bakeoff.fit.keep import KeptModel, read_model, write_model
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.run_fit import run_fit
from bakeoff.fit.train import TrainedModel
from bakeoff.spec import Fit
from bakeoff.spec.models import Model
from tests.unit.fit.test_run_fit import mixed_frame, paths  # noqa: F401

LOGISTIC = "sklearn.linear_model.LogisticRegression"


def task(files, output, **keys):
    own = Model.model_validate({"estimator": LOGISTIC, "features": ["size", "flag"], **keys})
    return FitTask(Fit("d", "m", "holdout", 1, 1), own, 1, **files, output=output)


def test_kept_model_predicts_as_its_fit_did(paths, tmp_path):  # noqa: F811
    made = task(paths, tmp_path / "p.parquet", keep=True, threshold={"choose": "f1"})
    run_fit(made)
    assert zipfile.ZipFile(made.kept).testzip() is None
    trusted = skops.io.get_untrusted_types(file=made.kept)
    kept = read_model(made.kept, trusted)
    found = Predictions.read(made.output)
    rows = mixed_frame().set_index("__row_id__").loc[found.row_id]
    np.testing.assert_array_equal(kept.predict(rows), np.array(found.classes)[found.y_pred])
    assert kept.trained.threshold == found.facts["chosen"]["threshold"]
    plain = task(paths, tmp_path / "plain", threshold={"choose": "f1"})
    run_fit(plain)
    assert not plain.kept.is_file()
    np.testing.assert_array_equal(Predictions.read(plain.output).y_pred, found.y_pred)


def test_fit_without_its_kept_model_is_made_again(
    paths,  # noqa: F811
    tmp_path,
):
    made = task(paths, tmp_path / "p.parquet", keep=True)
    fit(made)
    made.kept.unlink()
    fit(made)
    written = made.kept.stat().st_mtime_ns
    fit(made)
    assert made.kept.stat().st_mtime_ns == written
    run_fit(task(paths, tmp_path / "p.parquet"))
    assert not made.kept.exists(), "a model that is not kept any more does not stay"


class Foreign:
    """A type that no reader has reason to trust."""


class Unwritable:
    def __getstate__(self):
        raise TypeError("it holds a lock")


def test_types_that_are_not_trusted_or_cannot_be_written_are_told(tmp_path):
    path = tmp_path / "m.skops"
    foreign, locked = (
        KeptModel(TrainedModel(kind(), None, {}), ["x"], ["a", "b"])
        for kind in (Foreign, Unwritable)
    )
    with pytest.raises(UserError, match=r"`keep: true`: skops cannot write this model"):
        write_model(path, locked)
    assert not list(tmp_path.iterdir())
    write_model(path, foreign)
    with pytest.raises(UserError, match=r"needs types that are not trusted: .*Foreign"):
        read_model(path)
