"""Measure how often each test rejects a null that is true.

Tests of the catalogue are run on evidence drawn under their nulls; the rates at alpha = .05 go to
rates.csv, and from there by `make generate` into the catalogue and docs/stats/type1-error.md:

    python -m benchmarks.type1          # the settings that the file does not hold yet
    python -m benchmarks.type1 --again  # all of them

Fold scores come from real refits of fast classifiers on synthetic data.
"""

from __future__ import annotations

import argparse

from benchmarks.type1.rates import simulate


def main() -> None:
    """Simulate what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=4000)
    parser.add_argument("--again", action="store_true", help="simulate all settings anew")
    options = parser.parse_args()
    simulate(options.replications, options.again)


if __name__ == "__main__":
    main()
