"""Time 20 models × a million rows whose predictions are there: all tests, and the page.

    python -m benchmarks.many_rows      # minutes; then `python -m benchmarks.pages`

Of each command the seconds, CPU seconds, and the most memory that all its processes held at once,
memory that they share counted once (PSS). Results go to benchmarks/many_rows.csv.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks import tables
from benchmarks.memory import Watched
from benchmarks.overhead import ROOT, cpu_seconds
from benchmarks.pages import renewed

TABLE = Path(__file__).with_name("many_rows.csv")
PAGE = ROOT / "docs/performance.md"
ROWS, CORES = 1_000_000, 2
MODELS = tuple(f"m{place:02d}" for place in range(20))
EXPERIMENT = """
experiment: rows
datasets: {rows: {source: given}}
models: {MODELS}
metrics: [accuracy, log_loss, roc_auc]
"""
STEPS = {
    "compare": "`bakeoff compare` of labels, one CSV table",
    "collect": "`snakemake --until collect_predictions`: check, read, pair and collect",
    "tests": "`snakemake` from there: scores, intervals, all tests and the page",
    "nothing": "`snakemake --version`, which does nothing",
}


def write(folder: Path) -> None:
    """Write one table per model, one with all labels side by side, and an experiment."""
    rng = np.random.default_rng(0)
    names = pa.array(["no", "yes"])
    truth, hard = rng.integers(0, 2, ROWS), rng.normal(size=ROWS)
    wide = {"y_true": names.take(pa.array(truth))}
    for place, model in enumerate(MODELS):
        noise = (0.8 * hard + 0.6 * rng.normal(size=ROWS)) * (1 + 0.02 * place)
        p = 1 / (1 + np.exp(1.2 - 2.4 * truth - 2 * noise))
        wide[model] = names.take(pa.array((p > 0.5).astype(int)))
        own = {"id": np.arange(ROWS), "y_true": wide["y_true"], "y_pred": wide[model], "p_yes": p}
        pq.write_table(pa.table(own), folder / f"{model}.parquet")
    pyarrow.csv.write_csv(pa.table(wide), folder / "wide.csv")
    models = ", ".join(f"{m}: {{predictions: {m}.parquet}}" for m in MODELS)
    text = EXPERIMENT.replace("{MODELS}", f"{{{models}}}")
    (folder / "rows.yaml").write_text(text, encoding="utf-8")


def measure(folder: Path, step: str) -> dict[str, str | float]:
    """Run one of the commands."""
    snakemake = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--workflow-profile", str(ROOT / "profiles/default"), "--cores", str(CORES)),
        *("--configfile", "rows.yaml"),
    ]
    command = {
        "compare": [sys.executable, "-m", "bakeoff", "compare", "wide.csv"],
        "collect": [*snakemake, "--until", "collect_predictions"],
        "tests": snakemake,
        "nothing": [*snakemake, "--version"],
    }[step]
    start, used = time.perf_counter(), cpu_seconds()
    with (folder / "output").open("w") as output:
        process = psutil.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        memory = Watched(process)
        code = process.wait()
    if code:
        sys.exit((folder / "output").read_text()[-3000:])
    return {
        "step": step,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(cpu_seconds() - used, 1),
        "peak_mib": round(memory.all),
    }


def page() -> str:
    """Return the page with what was measured."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    lines = [
        f"{len(MODELS)} models × {ROWS:,} rows, on {CORES} cores "
        "(`python -m benchmarks.many_rows`): Cochran's Q, McNemar's\nand DeLong's test and the "
        "test of the log loss of all 190 pairs, scores, intervals and the report with its\n"
        "figures. The memory is the most that all processes of a command held at once, what they "
        "share counted\nonce.",
        "",
        "| | seconds | CPU seconds | memory |",
        "|---|---|---|---|",
        *(
            f"| {STEPS[row['step']]} | {row['seconds']} | {row['cpu_seconds']} | "
            f"{int(row['peak_mib']):,} MiB |"
            for row in rows
        ),
        "",
        "Each model is ranked once for all its pairs, the classes that two models predict are "
        "counted 64 rows at once,\nand the influence values of a pair are dropped when its "
        "variance is known.",
    ]
    return renewed(PAGE, "many-rows", "\n".join(lines))


def main() -> None:
    """Measure each command and write them down."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-rows-") as name:
        write(Path(name))
        found = [measure(Path(name), step) for step in STEPS]
    tables.write(TABLE, found)


if __name__ == "__main__":
    main()
