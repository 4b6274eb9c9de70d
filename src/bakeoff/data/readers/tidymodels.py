"""Predictions of tidymodels as a table, ``write_csv(collect_predictions(resampled), "x.csv")``.

Columns ``id`` (the fold, of repeats too ``id2``), ``.pred_class`` and ``.pred_<class>``, or
``.pred``, ``.row``, ``.config``, and the outcome under its own name (tune, R/collect.R).
"""

from __future__ import annotations

import re

import pandas as pd

from bakeoff.data.readers import names_in, table_in

WHAT = "predictions of tidymodels"
HEADERS = (".pred", ".pred_class", ".row")


def recognizes(head: str) -> bool:
    """Tell whether the first line names rows and predictions."""
    names = names_in(head)
    return ".row" in names and any(name.startswith(".pred") for name in names)


def read(text: str) -> pd.DataFrame:
    """Return ids, labels or numbers, probabilities as ``p_<class>``; ``repeat`` and ``fold``."""
    table = table_in(text)
    if ".config" in table and table[".config"].nunique() > 1:
        raise ValueError(
            f"it holds {table['.config'].nunique()} candidates of a search: choose one, "
            "`collect_predictions(tuned, parameters = select_best(tuned))`"
        )
    folds = [name for name in ("id", "id2") if name in table]
    names = [str(name) for name in table]
    outcome = [name for name in names if name[0] != "." and name not in folds]
    outcome = ["y_true"] if "y_true" in outcome else outcome
    if len(outcome) != 1:
        raise ValueError(f"which column is the outcome? Call it y_true, of {', '.join(outcome)}")
    called = {".row": "id", ".pred_class": "y_pred", ".pred": "y_pred", outcome[0]: "y_true"}
    called |= dict(zip(folds, ("repeat", "fold") if len(folds) > 1 else ("fold",), strict=True))
    found = table.rename(columns=lambda name: called.get(name, re.sub(r"^\.pred_", "p_", name)))
    none = ["fold"] if "fold" in found and found["fold"].nunique() == 1 else []
    return found.drop(columns=[*none, *(name for name in found if str(name).startswith("."))])
