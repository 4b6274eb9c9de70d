"""Data from functions of the user's."""

import re
import sys

import pandas as pd
import pytest

from bakeoff.errors import Problem
from bakeoff.preflight import check_experiment
from tests.unit.sources.helpers import experiment, load


def example(folder):
    params = {"as_frame": True, "return_X_y": True}
    return {
        "source": "function",
        "function": "sklearn.datasets.load_iris",
        "params": params,
    }


CODE = """
import numpy as np
import pandas as pd

def frame(rows=40):
    return pd.DataFrame({"x": np.random.random(rows), "y": ["u", "v"] * (rows // 2)})

def both():
    made = frame()
    return made[["x"]], made["y"]

def arrays():
    return pd.DataFrame({0: range(9)}), ["u", "v", "w"] * 3

def named():
    return frame(), "y"

def three():
    return frame(), "y", 3

def uneven():
    return pd.DataFrame({"x": range(9)}), ["u", "v"]

def nothing():
    return None

def fails():
    raise RuntimeError("no luck today")

number = 3
"""


@pytest.fixture
def code(tmp_path, monkeypatch):
    file = tmp_path / "mydata.py"
    file.write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield file
    sys.modules.pop("mydata", None)


@pytest.mark.parametrize(
    ("keys", "rows"),
    [
        ({"function": "mydata.frame", "target": "y"}, 40),
        ({"function": "mydata.frame", "target": "y", "params": {"rows": 12}}, 12),
        ({"function": "mydata.both"}, 40),
        ({"function": "mydata.arrays"}, 9),
        ({"function": "mydata.named"}, 40),
    ],
    ids=str,
)
def test_function_gives_data(code, tiny, keys, rows):
    made = experiment(tiny, source="function", **keys)
    assert check_experiment(made)[0] == []
    table = load(made)
    assert len(table.frame) == rows
    pd.testing.assert_frame_equal(load(made).frame, table.frame)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"function": "mydatta.frame"}, "function: mydatta.frame: the package 'mydatta' is not in"),
        ({"function": "mydata.fram"}, "unknown function in mydata: 'fram'; did you mean 'frame'?"),
        ({"function": "mydata.number"}, "mydata.number is a int, not a function"),
        ({"function": "os.system", "params": {"command": "x"}}, "os.system is of Python's own lib"),
        ({"function": "subprocess.call", "params": {"args": "x"}}, "subprocess.call is of Python"),
        ({"function": "mydata.frame", "params": {"row": 3}}, "cannot be called with `params`"),
        # and when it is called
        ({"function": "mydata.frame"}, r"say which column is the target"),
        ({"function": "mydata.frame", "target": "z"}, r"target: unknown target column 'z'"),
        ({"function": "mydata.nothing"}, r"returned a NoneType, expected a pandas DataFrame"),
        ({"function": "mydata.three"}, r"returned \(DataFrame, str, int\), expected"),
        ({"function": "mydata.uneven"}, r"returned 9 rows and a target of shape \(2,\)"),
        ({"function": "mydata.fails"}, r"RuntimeError: no luck today \(.*mydata.py, line 28\)"),
    ],
    ids=str,
)
def test_function_that_gives_no_data_is_told(code, tiny, keys, message):
    made = experiment(tiny, source="function", **keys)
    problems, _ = check_experiment(made)
    if not problems:
        with pytest.raises(Problem) as raised:
            load(made)
        problems = [raised.value]
    assert re.search(message, "\n".join(map(str, problems)))


def test_module_that_cannot_be_imported_is_told(code, tiny):
    code.write_text("import nosuchpackage\n")
    made = experiment(tiny, source="function", function="mydata.frame")
    assert "the package 'nosuchpackage' is not installed" in str(check_experiment(made)[0][0])
    code.write_text("1/0\n")
    sys.modules.pop("mydata", None)
    assert "ZeroDivisionError: division by zero" in str(check_experiment(made)[0][0])
