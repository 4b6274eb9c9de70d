"""What the pages of large studies cost: to make, to keep, to open, to filter.

    python -m benchmarks.large_report            # 25 and 100 models × 100 data sets
    python -m benchmarks.large_report --page     # only write the page's table

The studies are made up, as those of the tests are: scores of 5x2cv and a holdout, compared by the
tests named below. A report is made in a process of its own, and its page opened from its file in
headless Chromium, its longest table unfolded, filtered and sorted, each until it shows. Counted is
what keeps the page's thread busy: that does not depend on what else the machine has to do. Figures
go to large_report.csv and from there into docs/performance.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import tables
from benchmarks.pages import renewed

HERE = Path(__file__).parent
TABLE = HERE / "large_report.csv"
PAGE = HERE.parent / "docs" / "performance.md"
sys.path.insert(0, str(HERE.parent / "tests" / "unit" / "report"))
STUDIES = ((25, 100, ("nemenyi", "cv5x2_f", "mcnemar")), (100, 100, ("nemenyi",)))
TABLE_OF = """
const tables = [...document.querySelectorAll("table.sortable")];
const table = tables.sort((a, b) => b.rows.length - a.rows.length)[0];
const select = table.closest(".table").querySelector("select");
"""
UNFOLD = "for (let e = table; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;"
FILTER = "select.selectedIndex = 1; select.dispatchEvent(new Event('change'));"
SORT = "table.querySelector('thead button').click();"
SHOWN = "return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"


def make(models: int, datasets: int, tests: tuple[str, ...], folder: Path) -> dict[str, float]:
    """Make a report and return what it took."""
    from studies import experiment, ran

    from bakeoff.report.make import make_report

    rng = np.random.default_rng(0)
    names, sets = [f"m{i:03}" for i in range(models)], [f"d{i:03}" for i in range(datasets)]
    means = {m: list(0.7 + 0.02 * rng.normal(size=datasets)) for m in names}
    spec = experiment(names, datasets=sets, tests=tests)
    study = ran(spec, means, accuracies=dict.fromkeys(names, 0.7))
    start = time.process_time()
    make_report(study, folder)
    return {
        "cpu_seconds": round(time.process_time() - start, 1),
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def opened(page: Path, profile: str) -> dict[str, int]:
    """Open a page and return what keeps its thread busy, the least of three times, in ms."""
    from browser import browser

    found = []
    with browser(profile) as chromium:

        def busy(act: Callable[[], object]) -> float:
            before = _busy(chromium)
            act()
            return _busy(chromium) - before

        chromium.devtools("Performance.enable", timeDomain="threadTicks")
        for _ in range(3):
            chromium.open("about:blank", 1400)
            acts = [lambda: chromium.open(page, 1400)]
            acts += [
                lambda code=code: chromium.script(TABLE_OF + code + SHOWN)
                for code in (UNFOLD, FILTER, SORT)
            ]
            found.append([busy(act) for act in acts])
    names = "open_ms", "unfold_ms", "filter_ms", "sort_ms"
    return dict(zip(names, (round(min(v)) for v in zip(*found, strict=True)), strict=True))


def _busy(chromium: Any) -> float:
    """Return for how many milliseconds the page's thread has been at work."""
    metrics = chromium.devtools("Performance.getMetrics")["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def measure() -> None:
    """Make and open the page of each study, and write the table."""
    rows = []
    for models, datasets, tests in STUDIES:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as profile:
            words = [str(models), str(datasets), ",".join(tests), folder]
            command = [sys.executable, "-m", "benchmarks.large_report", "--make", *words]
            made = subprocess.run(command, cwd=HERE.parent, check=True, capture_output=True)
            page = Path(folder, "report.html")
            row = {"models": models, "datasets": datasets, "tests": " ".join(tests)}
            row |= json.loads(made.stdout) | {"page_kib": round(page.stat().st_size / 1024)}
            rows.append(row | opened(page, profile))
            print(rows[-1], flush=True)
    tables.write(TABLE, rows)


def page() -> str:
    """Return docs/performance.md with the part that tells it."""
    lines = [
        "## Pages of large studies",
        "",
        "Made-up scores of 5x2cv and a holdout; the whole report (page, figures, tables) in one "
        "process, and its page in headless Chromium, opened from a file: for how long its thread "
        "is busy until it is there and works, and until a choice in a filter, or a click on a "
        "heading, shows in the longest table (`benchmarks/large_report.py`).",
        "",
        "| models × data sets | tests | to make it, CPU seconds | peak memory | page | to open it "
        "| to unfold | to filter | to sort |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines += [
            f"| {r['models']} × {r['datasets']} | {r['tests'].replace(' ', ', ')} | "
            f"{r['cpu_seconds']} | {int(r['peak_mib']):,} MiB | {int(r['page_kib']):,} KiB | "
            f"{r['open_ms']} ms | {r['unfold_ms']} ms | {r['filter_ms']} ms | {r['sort_ms']} ms |"
            for r in csv.DictReader(file)
        ]
    return renewed(PAGE, "large-report", "\n".join(lines))


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", action="store_true", help="only write the page's table")
    parser.add_argument("--make", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        models, datasets, tests, folder = options.make
        took = make(int(models), int(datasets), tuple(tests.split(",")), Path(folder))
        print(json.dumps(took))
        return
    if not options.page:
        measure()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
