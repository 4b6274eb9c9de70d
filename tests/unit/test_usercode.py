"""The user's own modules: whatever they do while they are imported, one message says it."""

import signal
import sys

import pandas as pd
import pytest

from bakeoff import usercode
from bakeoff.errors import UserError
from bakeoff.usercode import import_module, require
from tests.conftest import change, hold, messages

BROKEN = {
    "syntax": ("def f(:\n", r"SyntaxError: .*\(syntax.py, line 1\)"),
    "raises": ("x = 1\nx / 0\n", r"ZeroDivisionError: division by zero \(.*raises.py, line 2\)"),
    "exits": ("import sys\nsys.exit(3)\n", r"SystemExit: 3 \(.*exits.py, line 2\)"),
    "lacks": ("from math import nosuchname\n", r"ImportError: cannot import name 'nosuchname'"),
    "bytes": ("\0", "SyntaxError|ValueError"),
}


@pytest.fixture(autouse=True)
def beside(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name, (code, _) in BROKEN.items():
        (tmp_path / f"{name}.py").write_text(code)


@pytest.mark.parametrize("name", BROKEN)
def test_module_that_fails_is_told_in_one_message(name):
    with pytest.raises(UserError, match=f"^{name}.Mine: {name} cannot be imported: ") as told:
        import_module(name, f"{name}.Mine")
    assert told.match(BROKEN[name][1])


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(60)"])
def test_import_that_never_ends_is_ended(tmp_path, monkeypatch, body):
    (tmp_path / "endless.py").write_text(f"try:\n    {body}\nexcept Exception:\n    pass\n")
    monkeypatch.setattr(usercode, "IMPORT_SECONDS", 0.2)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(UserError, match=r"the import of endless takes more than 0.2 s"):
        import_module("endless", "endless.Mine")
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_an_experiment_wants_is_told_with_its_extra(monkeypatch, tmp_path, tiny):
    excel = str(tmp_path / "t.xlsx")
    pd.DataFrame({"x": range(40), "y": [0, 1] * 20}).to_excel(excel, index=False)
    require("openpyxl", "this")
    for module in ("openpyxl", "xgboost"):
        monkeypatch.setitem(sys.modules, module, None)
    change(tiny, {"models.tree.estimator": "xgboost.XGBClassifier"})
    hold(messages(tiny), "'xgboost' is not installed … pip install 'bakeoff[xgboost]'")
    change(tiny, {"models.tree.estimator": "sklearn.tree.DecisionTreeClassifier"})
    change(tiny, {"datasets.iris": {"source": "file", "path": excel, "target": "y"}})
    assert messages(tiny).endswith("needs the package openpyxl: pip install 'bakeoff[files]'")
