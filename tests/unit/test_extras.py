"""What is said of a package that an extra of the installation brings and that is not there."""

import sys

import pandas as pd
import pytest

from bakeoff import extras
from bakeoff.errors import UserError
from bakeoff.extras import EXTRAS, require
from tests.conftest import change, hold, messages

IRIS = {"source": "sklearn", "name": "iris"}


@pytest.fixture
def without(monkeypatch):
    def hide(module):
        find = extras.find_spec
        monkeypatch.setattr(
            extras, "find_spec", lambda name: None if name == module else find(name)
        )
        monkeypatch.setitem(sys.modules, module, None)

    return hide


def test_what_an_experiment_wants_is_told_with_its_extra(without, tmp_path):
    excel = str(tmp_path / "t.xlsx")
    pd.DataFrame({"x": range(40), "y": [0, 1] * 20}).to_excel(excel, index=False)
    for module in ("openpyxl", "xgboost"):
        without(module)
    experiment = {
        "experiment": "e",
        "datasets": {"d": {"source": "file", "path": excel, "target": "y"}},
        "models": {"m": {"estimator": "sklearn.dummy.DummyClassifier"}},
    }
    assert messages(experiment).endswith("needs the package openpyxl: pip install 'bakeoff[files]'")
    change(experiment, {"datasets.d": IRIS, "models.m.estimator": "xgboost.XGBClassifier"})
    hold(messages(experiment), "'xgboost' is not installed … pip install 'bakeoff[xgboost]'")


@pytest.mark.parametrize("module", sorted(EXTRAS))
def test_what_is_there_is_not_asked_for(module, without):
    require(module, "this")
    without(module)
    with pytest.raises(UserError, match=rf"this needs the package {module}: pip install"):
        require(module, "this")
