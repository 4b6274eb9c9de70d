"""Predictions of mlr3 as a table, ``fwrite(as.data.table(prediction), "x.csv")``.

Columns ``row_ids``, ``truth``, ``response``, ``prob.<class>`` of classes and ``se`` of numbers
(R/PredictionClassif.R, R/PredictionRegr.R). ``iteration``, ``fold`` and others beside are kept.
"""

from __future__ import annotations

import re

import pandas as pd

from bakeoff.data.readers import names_in, table_in

WHAT = "predictions of mlr3"
HEADERS = ("row_ids",)
_CALLED = {"row_ids": "id", "truth": "y_true", "response": "y_pred"}


def recognizes(head: str) -> bool:
    """Tell whether the first line names row ids, truth and response."""
    return _CALLED.keys() <= set(names_in(head))


def read(text: str) -> pd.DataFrame:
    """Return ids, labels or numbers, and probabilities as ``p_<class>``."""
    table = table_in(text)
    return table.rename(columns=lambda name: _CALLED.get(name, re.sub(r"^prob\.", "p_", name)))
