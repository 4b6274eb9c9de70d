"""Make the rates of the study, from which `python -m benchmarks` writes its page.

python -m benchmarks.dependent make --folder DIR   # an hour; goes on where it stopped
python -m benchmarks.dependent rates --folder DIR  # into benchmarks/dependent/rates.csv
python -m benchmarks.dependent uneven              # benchmarks/dependent/uneven.csv, goes on
python -m benchmarks.dependent blocks              # benchmarks/dependent/blocks.csv, goes on
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.dependent import blocks, rates, uneven


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["make", "rates", "uneven", "blocks"])
    parser.add_argument("--folder", type=Path, help="where the settings made so far are kept")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="*", default=list(rates.KINDS))
    options = parser.parse_args()
    if options.step in ("uneven", "blocks"):
        study = uneven if options.step == "uneven" else blocks
        for cell in study.simulate(options.runs, options.seed):
            print(cell, flush=True)
        return
    if options.folder is None:
        parser.error("--folder: say where the settings are kept")
    chosen = [s for s in rates.settings() if s.kind in options.kinds]
    if options.step == "rates":
        paths = {setting.name: options.folder / f"{setting.name}.csv" for setting in chosen}
        made = {name: rates.load(path) for name, path in paths.items() if path.exists()}
        known: dict[str, list[rates.Rate]] = {}
        for rate in rates.load():
            known.setdefault(rate.setting.name, []).append(rate)
        rates.save(rate for s in rates.settings() for rate in (known | made).get(s.name, []))
        return
    start = time.perf_counter()
    for name in rates.make(chosen, options.folder, options.runs, options.seed):
        print(f"{time.perf_counter() - start:6.0f} s  {name}", flush=True)


if __name__ == "__main__":
    main()
