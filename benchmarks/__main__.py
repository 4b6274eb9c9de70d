"""Write what the documentation shows of the simulations, or simulate what a file does not hold yet.

    python -m benchmarks             # write the pages from the CSV files that are there
    python -m benchmarks any_metric  # simulate what its CSV files lack, then write the pages
    python -m benchmarks speed       # measure the times of commands

A study that was stopped goes on where it stopped: every cell is written when it is done.
"""

from __future__ import annotations

import argparse
import importlib
import time

from benchmarks import pages

STUDIES = {
    "any_metric": 1000,
    "best_models": 400,
    "crossval.class_shares": 300,
    "crossval.halved_scores": 200,
    "crossval.rates": 1000,
    "crossval.rows": 300,
    "crossval.share_differences": 200,
    "dependent.blocks": 800,
    "dependent.rates": 2000,
    "dependent.uneven": 250,
    "few_rows": 2000,
    "gate": 1000,
    "judged": 1000,
    "recipes": 1000,
    "regression": 2000,
    "speed": 3,
    "standings": 2000,
    "suites": 400,
    "type1": 4000,
}
"""The studies, and how many times each draws or measures by default."""


def main() -> None:
    """Simulate the studies that are named, and write the pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("studies", nargs="*", choices=[*STUDIES, []], metavar="STUDY")
    parser.add_argument("--replicates", type=int, help="data sets of a cell, in place of its own")
    options = parser.parse_args()
    start = time.perf_counter()
    for name in options.studies:
        replicates = options.replicates or STUDIES[name]
        for cell in importlib.import_module(f"benchmarks.{name}").simulate(replicates):
            print(f"{time.perf_counter() - start:6.0f} s  {name}: {cell}", flush=True)
    for file, text in pages.made():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
