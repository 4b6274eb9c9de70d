"""Where the time of a quick fit goes: CPU milliseconds of each stage, in one process.

    python -m benchmarks.fit_stages      # seconds; then `python -m benchmarks.pages`

The fits are those of `benchmarks.scale`, of models that learn next to nothing. Results go to
benchmarks/fit_stages.csv.
"""

from __future__ import annotations

import contextlib
import csv
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from bakeoff.execution import fingerprints, steps
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.worker import work_in_turn
from bakeoff.fit import predictions, reuse, run_fit, stamp
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import load_experiment
from benchmarks import tables
from benchmarks.pages import renewed
from benchmarks.scale import study

TABLE = Path(__file__).with_name("fit_stages.csv")
PAGE = Path(__file__).resolve().parents[1] / "docs/performance.md"
FITS, OTHERS = "the fit and its predictions", "all else"
STAGES: dict[str, tuple[tuple[Any, str], ...]] = {
    FITS: ((run_fit, "_fit_and_predict"),),
    "the file of predictions": ((predictions.Predictions, "write"),),
    "memory held": ((run_fit, "reset_peak_memory"), (run_fit, "peak_memory_mb")),
    "is it there": ((stamp, "is_made"), (reuse, "take")),
    "seed and rows": ((run_fit, "read_split"), (run_fit, "derive")),
}
APART = "what keeps fits apart"
REPEATS = 5


class Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add what the block takes."""
        start = time.process_time()
        try:
            yield
        finally:
            self.spent[name] += time.process_time() - start  # type: ignore[assignment]

    def watch(self, owner: ModuleType | type, name: str, stage: str) -> None:
        """Time a function from now on."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **options: Any) -> Any:
            with self.stage(stage):
                return function(*args, **options)

        setattr(owner, name, timed)

    def watch_isolation(self) -> None:
        """Time how a fit is kept apart from others, without the fit."""
        isolated = run_fit.isolated

        @contextlib.contextmanager
        def timed(*args: Any) -> Iterator[None]:
            with contextlib.ExitStack() as stack:
                with self.stage(APART):
                    stack.enter_context(isolated(*args))
                yield
                with self.stage(APART):
                    stack.close()

        run_fit.isolated = timed


def measure() -> list[dict[str, str]]:
    """Fit all models on one data set, several times, and keep the quickest of each stage."""
    experiment = load_experiment(study(10))
    needs, known = RuleInputs(experiment), fingerprints.of_fits(experiment)
    (name, *_), place = experiment.datasets, needs.paths
    steps.load_dataset(experiment, name, place.data(name), place.card(name))
    for plan in needs.plans:
        files = place.data(name), place.splits(name, plan), place.split_quality(name, plan)
        steps.split_dataset(experiment, name, plan, *files)
    jobs = [
        (
            partial(
                steps.fit,
                FitTask(
                    fit,
                    experiment.fitted[fit.model],
                    experiment.seed,
                    place.data(name),
                    place.splits(name, fit.plan),
                    needs.prediction(fit),
                    known[name][fit.model],
                ),
                reuse=True,
            ),
            place.fit_log(name, fit.model, fit.split),
        )
        for fit in experiment.fits(name)
    ]
    clock = Clock()
    for stage, functions in STAGES.items():
        for owner, function in functions:
            clock.watch(owner, function, stage)
    clock.watch_isolation()
    found: list[dict[str, float]] = []
    for _ in range(REPEATS + 1):
        shutil.rmtree(place.folder("predictions"), ignore_errors=True)
        clock.spent.clear()
        start = time.process_time()
        assert set(work_in_turn(jobs, float("inf"))) == {True}
        spent = {stage: seconds / len(jobs) for stage, seconds in clock.spent.items()}
        spent[OTHERS] = (time.process_time() - start) / len(jobs) - sum(spent.values())
        found.append(spent)
    least = {stage: min(one[stage] for one in found[1:]) for stage in found[0]}
    return [
        {"stage": stage, "cpu_ms": f"{1000 * seconds:.2f}"}
        for stage, seconds in sorted(least.items(), key=lambda item: -item[1])
    ]


def page() -> str:
    """Return the page that says where the time beyond a fit goes."""
    with TABLE.open(newline="", encoding="utf-8") as file:
        spent = {row["stage"]: float(row["cpu_ms"]) for row in csv.DictReader(file)}
    fit = spent.pop(FITS)
    beyond = sum(spent.values())
    shares = ", ".join(f"{stage} {ms / beyond:.0%}" for stage, ms in spent.items())
    text = (
        f"In the worker's process such a fit takes {fit:.1f} ms of CPU time with its predictions, "
        f"and {beyond:.1f} ms beyond: {shares} (`benchmarks/fit_stages.csv`)."
    )
    return renewed(PAGE, "fit_stages", text)


def main() -> None:
    """Measure in a folder of its own and write the table."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-stages-") as folder:
        os.chdir(folder)
        rows = measure()
        os.chdir("/")
    tables.write(TABLE, rows)


if __name__ == "__main__":
    main()
