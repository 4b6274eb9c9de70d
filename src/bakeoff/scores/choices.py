"""What each fit chose on its training part, and which fits failed and why."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.fit.predictions import read_facts
from bakeoff.scores.collect import KEYS

_FIT = [*KEYS, "seed"]


def choices(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the parameters and thresholds that the fits chose."""
    rows: list[dict[str, Any]] = []
    for facts in map(read_facts, predictions):
        chosen = dict(facts.get("chosen", {}))
        score = chosen.pop("inner_score", None)
        found = [(name, value, score) for name, value in chosen.pop("params", {}).items()]
        found += [(name, value, None) for name, value in chosen.items()]
        for name, value, inner in found:
            text = value if isinstance(value, str) else json.dumps(value)
            row = {"parameter": name, "value": text, "inner_score": inner}
            rows.append({key: facts[key] for key in _FIT} | row)
    return pd.DataFrame(rows, columns=[*_FIT, "parameter", "value", "inner_score"])


def failures(predictions: Iterable[str | Path]) -> pd.DataFrame:
    """Tabulate the fits that failed, from the files they left instead of predictions."""
    failed = (facts for facts in map(read_facts, predictions) if "failure" in facts)
    rows = [{key: facts[key] for key in _FIT} | {"why": facts["failure"]} for facts in failed]
    return pd.DataFrame(rows, columns=[*_FIT, "why"])
