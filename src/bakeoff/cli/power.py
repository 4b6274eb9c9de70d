"""`bakeoff power`: the power of the tests of a finished run, and how to raise it."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from bakeoff.cli.planned_rows import show_rows_needed
from bakeoff.cli.terminal import bold, say, table
from bakeoff.comparisons import Comparison, advisable, read_comparisons, with_halves
from bakeoff.errors import UserError
from bakeoff.paths import Paths
from bakeoff.report.power import largest_difference, reach
from bakeoff.report.wrapping import paragraph
from bakeoff.scores.metrics.given import metrics_of
from bakeoff.spec import Experiment, read_experiment
from bakeoff.stats import Evidence, IntervalPower, catalogue

POWER = 0.8


def run(args: argparse.Namespace) -> None:
    """Read the results of an experiment and report the power of its tests."""
    experiment = read_experiment(args.file)
    path = Path(Paths.of(experiment.experiment).top("comparisons.json"))
    if not path.exists():
        raise UserError(
            f"{path} is not there: run the experiment first (bakeoff run {args.file}); before a "
            f"run `bakeoff check {args.file}` tells what can be planned"
        )
    differences = _differences(args.differences)
    rows = read_comparisons(path)
    entries, metrics = catalogue(), metrics_of(experiment)
    lines = [
        line
        for row in rows
        for line in _line(
            row, differences, largest_difference(entries[row.test], metrics[row.metric])
        )
    ]
    if not lines:
        raise UserError(f"{path}: no comparison of two models has an interval to plan from")
    say("", bold(f"{args.file}: power, from the noise that the run measured"), "")
    head = ("test", "data set", "metric", "A", "B", *(f"{d:g}" for d in differences), "rows × for")
    say(*table(head, lines, least=(("test",),)), "")
    say(paragraph(_explained(differences)))
    for advice in _advice(experiment, rows):
        say(paragraph(advice))
    say("")
    show_rows_needed(experiment, differences)


def _differences(given: str) -> list[float]:
    try:
        found = [float(value) for value in given.split(",")]
    except ValueError:
        raise UserError(f"--differences: found {given!r}, expected numbers like .01,.02") from None
    if not found or not all(0 < value < math.inf for value in found):
        raise UserError(f"--differences: found {given!r}, each must be a number above 0")
    return found


def _line(row: Comparison, differences: list[float], width: float) -> Iterator[tuple[str, ...]]:
    """Report a comparison's power at each difference, and the rows needed for the first."""
    half = reach(row, width)
    planned = row.role == "pair" and math.isnan(row.margin)  # equivalence has another null
    if not planned or not (half > 0 and math.isfinite(half)):
        return
    two_sided = row.alternative == "two-sided"
    sides: Literal[1, 2] = 2 if two_sided else 1
    test = IntervalPower(half=half, confidence=row.confidence, sides=sides, df=row.df)
    how: dict[str, Any] = {
        "alpha": 1 - row.confidence,
        "alternative": "two-sided" if two_sided else "greater",
    }
    factor = test.solve(difference=differences[0], power=POWER, **how).n
    yield (
        row.test,
        row.dataset or "all",
        row.metric,
        row.model_a,
        row.model_b,
        *(
            f"{100 * test.solve(n=1, difference=d, **how).power:.0f} %"
            if d <= width
            else "impossible"
            for d in differences
        ),
        "" if differences[0] > width else f"{factor:.1f}" if factor > 1 else "enough",
    )


def _explained(differences: list[float]) -> str:
    return (
        f"Columns {', '.join(f'{d:g}' for d in differences)}: the chance that the test finds a "
        "true difference of this size, in the unit of the metric, at the level it was run at. Last "
        f"column: times the rows for a chance of {100 * POWER:.0f} % to find {differences[0]:g}; "
        "the noise of a test falls with the root of the rows."
    )


def _advice(experiment: Experiment, rows: list[Comparison]) -> Iterator[str]:
    """Say what would raise the power besides more rows."""
    plans = experiment.resampling.plans()
    folds = any(catalogue()[row.test].evidence is Evidence.FOLD_SCORES for row in rows)
    halved = with_halves(experiment)
    if "halves" not in plans and folds and halved and advisable(["half_sample_t"], halved):
        yield (
            "The plan `halves` with half_sample_t has a variance that is not too small on average, "
            "whatever the learner, and often more power than one corrected cross-validation "
            "(docs/cross-validation.md)."
        )
    halves = experiment.resampling.halves
    if halves is not None and halves.repeats < 10:
        yield (
            f"With {halves.repeats} halvings the t distribution has heavy tails: `repeats: 10` or "
            "20 finds more. Beyond that only more rows do."
        )
