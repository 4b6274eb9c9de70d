"""Which models could not be fitted everywhere, and why."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bakeoff.fit.predictions import read_facts
from bakeoff.scores.collect import KEYS

COLUMNS = (*KEYS, "seed", "why")


def failures(predictions: Iterable[str | Path]) -> list[dict[str, Any]]:
    """List the fits that failed, from the files they left instead of predictions."""
    facts = (read_facts(path) for path in predictions)
    return [
        {**{key: one[key] for key in COLUMNS[:-1]}, "why": one["failure"]}
        for one in facts
        if "failure" in one
    ]
