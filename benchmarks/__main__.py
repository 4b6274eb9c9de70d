"""Write the pages of all studies from the figures that are there: `python -m benchmarks`."""

from __future__ import annotations

import importlib

from benchmarks.harness import publish

STUDIES = (
    "levels",
    "crossval.page",
    "dependent.page",
    "any_metric",
    "best_models",
    "few_rows",
    "gate",
    "mutants",
    "recipes",
    "regression",
    "speed",
    "standings",
)
"""Modules of benchmarks with `PAGES`."""

if __name__ == "__main__":
    for name in STUDIES:
        publish(importlib.import_module(f"benchmarks.{name}").PAGES)
