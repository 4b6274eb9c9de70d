"""Measure how often each test rejects a null that is true.

Tests of the catalogue are run on evidence drawn under their nulls; the rates at alpha = .05 go to
rates.csv, and from there by `make generate` into the catalogue and docs/stats/type1-error.md:

    python -m benchmarks.type1          # the settings that the file does not hold yet
    python -m benchmarks.type1 --again  # all of them

Fold scores come from real refits of fast classifiers on synthetic data.
"""

from __future__ import annotations

import argparse
import time

from benchmarks.harness import write
from benchmarks.type1.settings import SETTINGS
from benchmarks.type1.trials import CSV, rates_by_setting, run


def main() -> None:
    """Simulate the settings that the file does not hold yet, or all, and keep their order."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=4000)
    parser.add_argument("--again", action="store_true", help="simulate all settings anew")
    options = parser.parse_args()
    known = {} if options.again else rates_by_setting()
    for setting in SETTINGS:
        if setting.title not in known:
            start = time.perf_counter()
            rates = list(run(setting, options.replications, seed=1))
            known[setting.title] = [{k: str(v) for k, v in rate.facts.items()} for rate in rates]
            print(f"{setting.title} ({time.perf_counter() - start:.0f} s)", flush=True)
            for rate in rates:
                print(f"  {rate.trial.test} {rate.trial.label} {rate.rate:.4f}")
            write(CSV, [row for one in SETTINGS for row in known.get(one.title, [])])


if __name__ == "__main__":
    main()
