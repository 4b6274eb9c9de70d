"""What the models of one table are called."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.errors import Problem, unknown
from bakeoff.spec.experiment import run_name, run_of


def models_of_columns(
    path: str, rest: Sequence[str], classes: Sequence[str], wanted: Sequence[str] | None
) -> list[str]:
    """Name the models of a table: its columns, and what has probabilities alone."""
    ends = tuple(f":{name}" for name in classes)
    runs: dict[str, dict[str, None]] = {}
    for column in rest:
        name, seed = run_of(column)
        model = name.rpartition(":")[0] if name.endswith(ends) else name
        runs.setdefault(model, {})[run_name(model, seed)] = None
    for name in wanted or ():
        if name not in runs:
            raise Problem(("models",), unknown("model", name, runs))
    models = runs if wanted is None else dict.fromkeys(wanted)
    return [run for model in models for run in runs[model]]
