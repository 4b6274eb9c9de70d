"""The rates of the study: simulated where they are missing, kept in rates.csv."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks import tables
from benchmarks.type1.settings import SETTINGS
from benchmarks.type1.trials import run

CSV = Path(__file__).with_name("rates.csv")


def simulate(replications: int, again: bool) -> None:
    """Simulate the settings that the file does not hold yet, or all, and keep their order."""
    known = {} if again else rates_by_setting()
    for setting in SETTINGS:
        if setting.title not in known:
            start = time.perf_counter()
            rows = list(run(setting, replications, seed=1))
            known[setting.title] = [{k: str(v) for k, v in row.facts.items()} for row in rows]
            print(f"{setting.title} ({time.perf_counter() - start:.0f} s)", flush=True)
            for row in rows:
                surprise = "" if row.as_expected else "  (not as expected)"
                print(f"  {row.trial.test} {row.trial.label} {row.rate:.4f}{surprise}", flush=True)
            tables.write(CSV, [row for one in SETTINGS for row in known.get(one.title, [])])


def rates_by_setting() -> dict[str, list[dict[str, str]]]:
    """Return what is in the file, by the title of the setting."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in tables.read(CSV):
        found.setdefault(row["setting"], []).append(row)
    return found
