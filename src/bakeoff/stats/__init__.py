"""Tests for comparing classifiers: arrays in, frozen results out.

Pure functions: nothing here reads a file, knows an experiment or imports another room of the
package. `catalogue` lists every test with what it needs and what its null is about.
"""

import importlib
import pkgutil

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
    families = [module.name for module in pkgutil.iter_modules(__path__)]
    # `from bakeoff.stats import paired` asks here before it imports: leave modules to it
    if not name.startswith("_") and name not in families:
        entry = catalogue().get(name)
        if entry is not None:
            return entry.function
        # what is no test (planning, intervals, tests from counts) is in its module's __all__
        for family in families:
            module = importlib.import_module(f"{__name__}.{family}")
            if name in getattr(module, "__all__", ()):
                return getattr(module, name)
    raise AttributeError(f"module 'bakeoff.stats' has no attribute {name!r}")
