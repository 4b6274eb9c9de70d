"""Test rows needed for a difference of any metric, from the noise that the last run measured."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons import Comparison, read_comparisons
from bakeoff.paths import Paths
from bakeoff.report.family import as_float
from bakeoff.report.numbers import number, percent
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import Experiment
from bakeoff.stats import Evidence, MetricPower, catalogue

POWER = 0.8
_KINDS = (Evidence.PREDICTIONS, Evidence.VALUES)


def show_rows_needed(experiment: Experiment, differences: Sequence[float] = ()) -> None:
    """Say what difference the test rows of the last run can show, and how many more need.

    Parameters
    ----------
    experiment : Experiment
        Whose results are read; without results nothing is said.
    differences : sequence of float
        True differences to tell the rows for.
    """
    path = Path(Paths.of(experiment.experiment).top("comparisons.json"))
    rows = read_comparisons(path) if path.exists() else []
    lines = [line for row in rows for line in _planned(row, differences)]
    if not lines:
        return
    wanted = tuple(f"rows for {number(size)}" for size in differences)
    head = ("test", "data set", "metric", "A", "B", "rows", "detectable", *wanted)
    say(
        bold("Test rows, by the noise of the last run"),
        *table(head, lines, "lllll" + "r" * (2 + len(differences)), [("test",), ("data set",)]),
        dim(
            paragraph(
                "Detectable: the smallest true difference, in the unit of the metric, that so many "
                f"rows find with a probability of {percent(POWER)}. The noise is taken at its 80% "
                "upper confidence limit, because a pilot may underestimate it; the correlation "
                "within groups is included.",
                "  ",
            )
        ),
        "",
    )


def _planned(row: Comparison, differences: Sequence[float]) -> Iterator[tuple[str, ...]]:
    details = row.result.get("details", {})
    se, df = as_float(details.get("se")), as_float(details.get("df", row.df))
    of_rows = row.role == "pair" and catalogue()[row.test].evidence in _KINDS
    # equivalence has another null
    if not (of_rows and math.isnan(row.margin) and se > 0 and df > 0):
        return
    test = MetricPower.from_error(se, df, row.n)
    hypotheses = 1 if row.correction in ("none", "BH", "BY") else row.family_size
    side = "two-sided" if row.alternative == "two-sided" else "greater"
    how: dict[str, Any] = {
        "power": POWER,
        "alpha": row.alpha / hypotheses,
        "alternative": side,
    }
    needed = (test.solve(difference=size, **how).n for size in differences)
    yield (
        row.test,
        row.dataset,
        row.metric,
        row.model_a,
        row.model_b,
        f"{row.n:,}",
        number(test.solve(n=row.n, **how).difference),
        *(f"{rows:,.0f}" if math.isfinite(rows) else "none" for rows in needed),
    )
