"""Make the evidence and the rates of the study.

python -m benchmarks.crossval blurs               # minutes: benchmarks/crossval/blurs.csv
python -m benchmarks.crossval make --folder DIR   # hours; goes on where it stopped
python -m benchmarks.crossval rates --folder DIR  # minutes: benchmarks/crossval/rates.csv

`python -m benchmarks` then writes docs/cross-validation.md, its figure, and
docs/stats/type1-regression.md. Data sets of another --seed are added to those in rates.csv. Where
fits are dear, `make --plans 5x2` makes the evidence of one plan alone, with another seed.
"""

from __future__ import annotations

import argparse
import time
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.crossval import evidence, rates
from benchmarks.crossval.data import PLANS
from benchmarks.crossval.regimes import REGIMES


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["blurs", "make", "rates"])
    parser.add_argument("--folder", type=Path, help="where the evidence is kept")
    parser.add_argument("--seed", type=int, default=1, help="of the data sets that `make` draws")
    parser.add_argument("--data-sets", type=int, default=1000, help="of a regime")
    parser.add_argument("--regimes", nargs="*", default=["*"], help="names or patterns (*)")
    parser.add_argument("--plans", nargs="*", default=list(PLANS), choices=PLANS)
    options = parser.parse_args()
    chosen = [r for r in REGIMES if any(fnmatch(r.name, p) for p in options.regimes)]
    if options.step == "blurs":
        evidence.blur_all(400)
    elif options.folder is None:
        parser.error("--folder: say where the evidence is kept")
    elif options.step == "rates":
        known = {(rate.regime, rate.procedure): rate for rate in rates.load()}
        for seed in sorted(int(p.name) for p in options.folder.iterdir() if p.name.isdecimal()):
            known = rates.merge(known, rates.rates(chosen, options.folder, seed))
        rates.save(known)
    else:
        start, how = time.perf_counter(), (options.folder, options.seed, options.plans)
        for name, block in evidence.make(chosen, options.data_sets, *how):
            print(f"{time.perf_counter() - start:6.0f} s  {name}, block {block}", flush=True)


if __name__ == "__main__":
    main()
