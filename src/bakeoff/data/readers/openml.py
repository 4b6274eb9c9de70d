"""Runs of OpenML: the predictions of every fold of a task, in ARFF.

Attributes ``repeat``, ``fold``, ``sample`` (legacy), ``row_id``, ``prediction``, ``correct``
(``truth`` in other clients) and ``confidence.<class>``, as openml-python writes them
(`OpenMLRun._generate_arff_dict`, openml/runs/run.py).
"""

from __future__ import annotations

import re

import pandas as pd

from bakeoff.sources.common.arff import read_arff

WHAT = "predictions of an OpenML run"
_TRUE = ("correct", "truth")


def recognizes(head: str) -> bool:
    """Tell whether a file is ARFF with row ids, predictions and true labels."""
    found = {name.strip("'\"").lower() for name in re.findall(r"(?im)^@attribute\s+(\S+)", head)}
    return {"row_id", "prediction"} <= found and bool(found & set(_TRUE))


def read(text: str) -> pd.DataFrame:
    """Return ids, labels, confidences as ``p_<class>``; of several repeats and folds both."""
    rows = read_arff(text.splitlines())
    true = next(name for name in _TRUE if name in rows)
    if "sample" in rows and rows["sample"].nunique() > 1:
        raise ValueError("it is a learning curve, of several sizes of samples; one is compared")
    found = pd.DataFrame({"id": _whole(rows["row_id"]), "y_true": rows[true]})
    found["y_pred"] = rows["prediction"]
    for name in rows.columns:
        if name.startswith("confidence."):
            found[f"p_{name.removeprefix('confidence.')}"] = rows[name]
    for name in ("repeat", "fold"):
        if name in rows and rows[name].nunique() > 1:
            found[name] = _whole(rows[name]) + 1  # OpenML counts from 0
    return found


def _whole(values: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(values)
    if numbers.isna().any() or (numbers % 1 != 0).any():
        raise ValueError(f"{values.name}: expected whole numbers")
    return numbers.astype("int64")
