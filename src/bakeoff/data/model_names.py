"""What the models of one table are called."""

from __future__ import annotations

from collections.abc import Sequence

from bakeoff.errors import Problem, unknown
from bakeoff.spec.experiment import run_of


def models_of_columns(
    path: str, rest: Sequence[str], classes: Sequence[str], wanted: Sequence[str] | None
) -> list[str]:
    """Name the models of a table: its columns, and what has probabilities alone.

    Of the training runs that a workflow collected the first has the name of its model.
    """
    ends = tuple(f":{name}" for name in classes)
    named = (
        name.rpartition(":")[0] if name.endswith(ends) else name
        for name in rest
        if run_of(name)[1] == 1
    )
    models = list(dict.fromkeys(named))
    for name in wanted or ():
        if name not in models:
            raise Problem(("models",), unknown("model", name, models))
    return models if wanted is None else list(dict.fromkeys(wanted))
