"""What the answer says of training runs: these fits or the recipe, and what more runs would buy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.report.family import as_float
from bakeoff.report.numbers import count, p_equals
from bakeoff.report.verdict.outcome import Outcome
from bakeoff.stats.runs.recipe import unseen_failures

_MOST = 0.9
"""The share of the variance from which on more of the other buys nothing worth naming."""


def about_runs(o: Outcome) -> Iterator[str]:
    """Say whether these fits differ where the recipes do not, and what limits the comparison."""
    if o.family.entry.about != "recipes":
        return
    row = o.family.between(o.leader, o.runner_up)
    details = {} if row is None else row.result.get("details", {})
    if row is None or "pvalue_fits" not in details:
        return
    p, runs = as_float(details["pvalue_fits"]), [int(details[f"runs_{m}"]) for m in "ab"]
    if row.decision is Decision.NOT_SHOWN and p <= row.alpha and row.family_size == 1:
        fits = f"{runs[0]} fits of each" if runs[0] == runs[1] else "fits"
        yield (
            f"These {fits} do differ on new rows ({p_equals(p)}); the difference may be luck of "
            "the seeds."
        )
    if row.decision is not Decision.UNDECIDED:
        yield from _advice(details)
    fewest = min((number for number in runs if number > 1), default=0)
    if fewest:
        yield (
            "All runs share one set of training rows, so this says nothing about other training "
            f"rows; {count(fewest, 'run')} without a failure are compatible with a failure rate of "
            f"up to {100 * unseen_failures(fewest):.0f}%."
        )


def _advice(details: Mapping[str, Any]) -> Iterator[str]:
    """Say what share of the variance is due to the seeds, and what would reduce it."""
    seeds, rows = (max(as_float(details[f"var_{part}"]), 0.0) for part in ("seeds", "rows"))
    total = seeds + rows
    if not total > 0:
        return
    share = seeds / total
    said = f"Of the variance of the difference {100 * share:.0f}% is due to the seeds"
    if share >= _MOST:
        yield f"{said}: more training runs would help, more rows would not."
    elif share <= 1 - _MOST:
        yield f"{said}: more rows would help, more training runs would not."
    else:
        left = f"{100 * math.sqrt(rows / total):.0f}%"
        yield (
            f"{said}; with these rows no number of training runs brings the standard error below "
            f"{left} of what it is."
        )
