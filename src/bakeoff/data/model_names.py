"""What the models of one table, or of one table each, are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bakeoff.errors import Problem, UserError, unknown
from bakeoff.spec.experiment import run_of
from bakeoff.spec.given_models import SEED


def models_of_files(paths: Sequence[str]) -> dict[str, str]:
    """Name the models of several tables after their files."""
    bare = [Path(path.replace(SEED, "")) for path in paths]
    stems = [file.name.split(".")[0].strip("-_ ") or file.parent.name for file in bare]
    models = stems if len(set(stems)) == len(stems) else list(paths)
    if len(set(models)) < len(models):
        raise UserError("the same file is given twice")
    return dict(zip(models, paths, strict=True))


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
