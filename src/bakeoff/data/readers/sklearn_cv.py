"""Fold scores of scikit-learn as JSON or CSV: `cross_validate`, and `cv_results_` of a search.

`cross_validate` returns ``fit_time``, ``score_time`` and ``test_<metric>`` (``test_score`` of one
scorer), a value for each split, and ``indices`` if asked for (sklearn/model_selection/
_validation.py); `cv_results_` has a row for each candidate: ``params``, ``mean_fit_time``,
``split<i>_test_<metric>`` (_search.py). Both are saved as mappings of lists, as pandas writes them
(of columns, or of records), or as CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from bakeoff.data.readers import names_in, table_in
from bakeoff.files import parse_json
from bakeoff.spec.scorings import NEGATED

WHAT = "fold scores of scikit-learn"
OF_FOLDS = True
HEADERS = ("fit_time", "mean_fit_time")
_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_TEST = re.compile(r"test_(.+)")


def recognizes(head: str) -> bool:
    """Tell whether a file has times of fits and scores of test parts."""
    start = head.lstrip("\ufeff \t\r\n")
    if start[:1] in ("{", "["):
        times = re.search(r'"(?:mean_)?fit_time"\s*:', start)
        return bool(times and re.search(r'"(?:split\d+_)?test_\w+"\s*:', start))
    names = names_in(head)
    scored = any(_TEST.fullmatch(name) or _SPLIT.fullmatch(name) for name in names)
    return scored and not set(HEADERS).isdisjoint(names)


def read(text: str) -> pd.DataFrame:
    """Return ``split`` from 1, ``metric`` and ``value``; sizes of parts where indices are there.

    Of several candidates each is a ``model``: ``candidate_0`` and so on, in their order. Negated
    scores (``neg_log_loss``) are what they are called without ``neg_``, with their sign turned.
    """
    columns = _columns(text)
    searched = [name for name in columns if _SPLIT.fullmatch(name)]
    rows = list(_of_candidates(columns, searched) if searched else _of_splits(columns))
    if not rows:
        raise ValueError(f"no test scores; there are {', '.join(columns)}")
    return pd.DataFrame(rows)


def _columns(text: str) -> dict[str, list[Any]]:
    """Return the values of each column, however it was saved."""
    if text.lstrip()[:1] not in ("{", "["):
        table = table_in(text)
        return {str(name): table[name].tolist() for name in table}
    try:
        found = parse_json(text)
    except ValueError as error:
        raise ValueError(f"it is no JSON: {error}") from None
    if isinstance(found, list):
        names = dict.fromkeys(name for row in found for name in row)
        return {name: [row.get(name) for row in found] for name in names}
    return {
        name: list(values.values()) if isinstance(values, dict) and name != "indices" else values
        for name, values in found.items()
    }


def _of_splits(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    sizes = _sizes(columns.get("indices"))
    for name, values in columns.items():
        if test := _TEST.fullmatch(name):
            for split, value in enumerate(values, 1):
                split_sizes = sizes[split - 1] if split <= len(sizes) else {}
                yield {"split": split, **_scored(test[1], value), **split_sizes}


def _of_candidates(columns: dict[str, list[Any]], names: list[str]) -> Iterator[dict[str, Any]]:
    several = len(columns[names[0]]) > 1
    for name in names:
        split, metric = _SPLIT.fullmatch(name).groups()  # type: ignore[union-attr]
        for i, value in enumerate(columns[name]):
            candidate = {"model": f"candidate_{i}"} if several else {}
            yield {**candidate, "split": int(split) + 1, **_scored(metric, value)}


def _scored(metric: str, value: Any) -> dict[str, Any]:
    try:
        number = float("nan") if value is None else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{metric} is {value!r} in a split, expected a number") from None
    if not metric.startswith("neg_"):
        return {"metric": metric, "value": number}
    return {"metric": NEGATED.get(metric, metric.removeprefix("neg_")), "value": -number}


def _sizes(indices: Any) -> list[dict[str, int]]:
    """Return the sizes of the parts of each split, where their rows are listed."""
    if not isinstance(indices, dict) or not {"train", "test"} <= indices.keys():
        return []
    parts = zip(indices["train"], indices["test"], strict=True)
    return [{"n_train": len(train), "n_test": len(test)} for train, test in parts]
