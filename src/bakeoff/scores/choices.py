"""What each fit chose on its training part: parameters, thresholds, rounds of training."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.fit.predictions import read_facts
from bakeoff.scores.collect import KEYS

COLUMNS = (*KEYS, "seed", "parameter", "value", "inner_score")


def choices(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate what the fits chose."""
    rows: list[dict[str, Any]] = []
    for path in predictions:
        facts = read_facts(path)
        chosen = dict(facts.get("chosen", {}))
        score = chosen.pop("inner_score", None)
        params = chosen.pop("params", {})
        key = {name: facts[name] for name in (*KEYS, "seed")}
        for name, value in params.items():
            rows.append({**key, "parameter": name, "value": _text(value), "inner_score": score})
        rows += [{**key, "parameter": name, "value": _text(v)} for name, v in chosen.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
