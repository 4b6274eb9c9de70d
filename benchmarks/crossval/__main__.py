"""Make the evidence, the rates and the page of the study.

python -m benchmarks.crossval blurs               # minutes: benchmarks/crossval/blurs.csv
python -m benchmarks.crossval costs               # a minute: benchmarks/crossval/costs.csv
python -m benchmarks.crossval make --folder DIR   # hours; goes on where it stopped
python -m benchmarks.crossval rates --folder DIR  # minutes: benchmarks/crossval/rates.csv
python -m benchmarks.crossval page                # docs/cross-validation.md and its figure, and
                                                  # docs/stats/type1-regression.md

Data sets of another --seed are added to those in rates.csv.
Where fits are dear, `make --plans 5x2` makes the evidence of one plan alone, with another seed.
"""

from __future__ import annotations

import argparse
import csv
import time
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.crossval import blur, evidence, page, rates
from benchmarks.crossval.regimes import COSTS, REGIMES, Regime, costs, wanted


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=["blurs", "costs", "make", "rates", "page"])
    parser.add_argument("--folder", type=Path, help="where the evidence is kept")
    parser.add_argument("--seed", type=int, default=1, help="of the data sets that `make` draws")
    parser.add_argument("--most", type=int, default=2000, help="data sets of a regime")
    parser.add_argument("--regimes", nargs="*", default=["*"], help="names or patterns (*)")
    parser.add_argument("--plans", nargs="*", default=list(evidence.PLANS), choices=evidence.PLANS)
    options = parser.parse_args()
    chosen = [r for r in REGIMES if any(fnmatch(r.name, p) for p in options.regimes)]
    if options.step == "page":
        found = rates.load()
        page.PAGE.write_text(page.renew(found))
        page.OF_NUMBERS.write_text(page.renew_numbers(found))
        page.draw([rate for rate in found if not page.of_numbers(rate)])
    elif options.step == "blurs":
        blur.write(REGIMES, evidence.PLANS, 400)
    elif options.step == "costs":
        _measure(chosen)
    elif options.folder is None:
        parser.error("--folder: say where the evidence is kept")
    elif options.step == "rates":
        known = {(rate.regime, rate.procedure): rate for rate in rates.load()}
        for seed in evidence.seeds(options.folder):
            known = rates.merge(known, rates.rates(chosen, options.folder, seed))
        rates.write(known)
    else:
        seconds = costs()
        share = evidence.share(options.plans)
        runs = {r: min(wanted(share * seconds[r.name]), options.most) for r in chosen}
        start = time.perf_counter()
        for name, block in evidence.make(runs, options.folder, options.seed, options.plans):
            print(f"{time.perf_counter() - start:6.0f} s  {name}, block {block}", flush=True)


def _measure(chosen: list[Regime]) -> None:
    """Renew the costs of the regimes chosen."""
    found = costs() if COSTS.exists() else {}
    found |= {regime.name: evidence.seconds(regime) for regime in chosen}
    with COSTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["regime", "seconds"])
        writer.writerows([r.name, f"{found[r.name]:.3f}"] for r in REGIMES if r.name in found)


if __name__ == "__main__":
    main()
