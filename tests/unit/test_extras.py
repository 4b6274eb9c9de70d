"""What is said of a package that an extra of the installation brings and that is not there."""

import sys

import pandas as pd
import pytest
import yaml

from bakeoff import extras
from bakeoff.errors import UserError
from bakeoff.extras import EXTRAS, require
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment

MODEL = {"estimator": "sklearn.dummy.DummyClassifier"}


@pytest.fixture
def without(monkeypatch):
    def hide(module):
        find = extras.find_spec
        monkeypatch.setattr(
            extras, "find_spec", lambda name: None if name == module else find(name)
        )
        monkeypatch.setitem(sys.modules, module, None)

    return hide


def problems(data, **model):
    experiment = {"experiment": "e", "datasets": {"d": data}, "models": {"m": MODEL | model}}
    found, _ = check_experiment(load_experiment(yaml.safe_load(yaml.safe_dump(experiment))))
    return "\n".join(map(str, found))


def test_what_an_experiment_wants_is_told_with_its_extra(without, tmp_path):
    iris, excel = {"source": "sklearn", "name": "iris"}, str(tmp_path / "t.xlsx")
    pd.DataFrame({"x": range(40), "y": [0, 1] * 20}).to_excel(excel, index=False)
    for module in ("openpyxl", "xgboost"):
        without(module)
    told = problems({"source": "file", "path": excel, "target": "y"})
    assert told.endswith("needs the package openpyxl: pip install 'bakeoff[files]'")
    told = problems(iris, estimator="xgboost.XGBClassifier")
    assert "'xgboost' is not installed" in told
    assert "pip install 'bakeoff[xgboost]'" in told


@pytest.mark.parametrize("module", sorted(EXTRAS))
def test_what_is_there_is_not_asked_for(module, without):
    require(module, "this")
    without(module)
    with pytest.raises(UserError, match=rf"this needs the package {module}: pip install"):
        require(module, "this")
