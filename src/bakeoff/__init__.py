"""Tell whether model A is really better than B, or whether it was the split."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bakeoff.api.datasets import compare_datasets as compare_datasets
    from bakeoff.api.estimators import compare_estimators as compare_estimators
    from bakeoff.api.findings import Findings as Findings
    from bakeoff.api.findings import read as read
    from bakeoff.api.findings import run as run
    from bakeoff.api.folds import compare_folds as compare_folds
    from bakeoff.api.folds import compare_search as compare_search
    from bakeoff.api.judged_findings import JudgedFindings as JudgedFindings
    from bakeoff.api.preferences import compare_preferences as compare_preferences
    from bakeoff.api.rows import compare as compare
    from bakeoff.api.rows import gate as gate
    from bakeoff.errors import UserError as UserError

__version__ = "0.1.0"
_HOME = {
    "Findings": "bakeoff.api.findings",
    "JudgedFindings": "bakeoff.api.judged_findings",
    "UserError": "bakeoff.errors",
    "compare": "bakeoff.api.rows",
    "compare_datasets": "bakeoff.api.datasets",
    "compare_estimators": "bakeoff.api.estimators",
    "compare_folds": "bakeoff.api.folds",
    "compare_preferences": "bakeoff.api.preferences",
    "compare_search": "bakeoff.api.folds",
    "gate": "bakeoff.api.rows",
    "read": "bakeoff.api.findings",
    "run": "bakeoff.api.findings",
}
"""Where the public names live; imported when they are first asked for."""
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'bakeoff' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
