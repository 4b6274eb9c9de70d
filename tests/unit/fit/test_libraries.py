"""LightGBM and CatBoost; a clear word where they are not installed."""

import numpy as np
import pytest

from bakeoff.fit.check_models import check_model
from bakeoff.fit.estimator import assemble, final, make_classifier
from bakeoff.seeds import derive
from bakeoff.spec.models import Model
from tests.unit.fit.test_train import learnt, part

CLASSES = {"lightgbm": "lightgbm.LGBMClassifier", "catboost": "catboost.CatBoostClassifier"}
SMALL = {
    "lightgbm": {"n_estimators": 200, "verbose": -1},
    "catboost": {"iterations": 200, "verbose": False},
}


@pytest.mark.parametrize("package", CLASSES)
def test_library_fits_tunes_and_stops_early(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = {
        "estimator": CLASSES[package],
        "params": SMALL[package],
        "early_stopping": {"rounds": 3},
        "class_weight": "balanced",
        "tune": {"space": {"max_depth": [2, 4]}, "cv": 2},
        "threshold": {"choose": "f1", "cv": 2},
    }
    own = Model.model_validate(keys)
    check_model("m", own)
    data = part(weights=np.linspace(0.5, 2, 200))
    one, again = learnt(own, data), learnt(own, data)
    assert one.chosen == again.chosen
    assert one.chosen["params"]["max_depth"] in (2, 4)
    assert 1 <= one.chosen["iterations"] < 200
    np.testing.assert_array_equal(one.predict(data.X), again.predict(data.X))
    assert not list(tmp_path.iterdir()), "nothing is left where snakemake runs"


@pytest.mark.parametrize("package", CLASSES)
def test_seeds_and_threads_reach_the_library(package):
    own = Model.model_validate({"estimator": CLASSES[package]})
    made = [final(assemble(own, part().X, derive(seed, "fit"))) for seed in (1, 2)]
    first, second = (m.get_params()["random_state"] for m in made)
    assert first != second
    threads = {"lightgbm": "n_jobs", "catboost": "thread_count"}[package]
    assert made[0].get_params()[threads] == 1
    if package == "catboost":
        for params, allowed in (({}, False), ({"allow_writing_files": True}, True)):
            model = Model.model_validate({"estimator": CLASSES[package], "params": params})
            assert make_classifier(model).get_params()["allow_writing_files"] is allowed
