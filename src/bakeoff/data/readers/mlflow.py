"""Tables of MLflow, local files of `mlflow.log_table` and `mlflow.evaluate`.

``{"columns": […], "data": [[…], …]}``, as `pandas.DataFrame.to_json(orient="split")` writes it
(``eval_results_table.json``). Rows have no ids of their own: name a column that tells them apart.
"""

from __future__ import annotations

import re

import pandas as pd

from bakeoff.files import parse_json
from bakeoff.sources.common.identifiers import frame_of

WHAT = "a table of MLflow"
_CALLED = {"ground_truth": "y_true", "outputs": "y_pred"}


def recognizes(head: str) -> bool:
    """Tell whether a file is an object of columns and data."""
    start = head.lstrip()
    return re.match(r'\{\s*"columns"\s*:\s*\[', start) is not None


def read(text: str) -> pd.DataFrame:
    """Return the table; ``ground_truth`` is the truth and ``outputs`` what was predicted."""
    try:
        found = parse_json(text)
        table = frame_of(found["data"], found["columns"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"expected columns and data that fit: {error}") from None
    nested = [c for c in table.columns if table[c].map(lambda v: isinstance(v, (list, dict))).any()]
    free = {old: new for old, new in _CALLED.items() if new not in table.columns}
    return table.drop(columns=nested).rename(columns=free)
