"""Tests for comparing classifiers: arrays in, frozen results out.

Pure functions: nothing here reads a file, knows an experiment or imports another room of the
package. `catalogue` lists every test with what it needs and what its null is about.
"""

from bakeoff.stats._registry import Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats._result import (
    Assumption,
    BayesResult,
    ConfidenceInterval,
    Pair,
    PairwiseResult,
    Result,
    Status,
)

__all__ = [
    "Arity",
    "Assumption",
    "BayesResult",
    "ConfidenceInterval",
    "Entry",
    "Evidence",
    "Pair",
    "PairwiseResult",
    "Result",
    "Status",
    "TypeOneError",
    "catalogue",
]


def __getattr__(name: str) -> object:
    """Resolve the public functions of the family modules, imported on first use."""
    entry = catalogue().get(name)
    if entry is None:
        raise AttributeError(f"module 'bakeoff.stats' has no attribute {name!r}")
    return entry.function
