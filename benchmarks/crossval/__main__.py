"""Make the evidence, the rates and the page of the study.

python -m benchmarks.crossval make --folder DIR   # hours; goes on where it stopped
python -m benchmarks.crossval rates --folder DIR  # minutes: benchmarks/crossval/rates.csv
python -m benchmarks.crossval page                # docs/cross-validation.md and its figure
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.crossval import evidence, page, rates
from benchmarks.crossval.regimes import REGIMES


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["make", "rates", "page"])
    parser.add_argument("--folder", type=Path, help="where the evidence is kept")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=2000, help="data sets of a regime")
    parser.add_argument("--regimes", nargs="*", default=["*"], help="names or patterns (*)")
    options = parser.parse_args()
    chosen = [r for r in REGIMES if any(fnmatch(r.name, p) for p in options.regimes)]
    chosen = [dataclasses.replace(r, runs=min(r.runs, options.most)) for r in chosen]
    if options.step == "page":
        found = rates.load()
        page.PAGE.write_text(page.renew(found))
        page.draw(found)
        return
    if options.folder is None:
        parser.error("--folder: say where the evidence is kept")
    if options.step == "rates":
        rates.write(rates.rates(chosen, options.folder))
        return
    start = time.perf_counter()
    for name, block in evidence.make(chosen, options.folder, options.seed):
        print(f"{time.perf_counter() - start:6.0f} s  {name}, block {block}", flush=True)


if __name__ == "__main__":
    main()
