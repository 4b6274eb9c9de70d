"""`bakeoff compare`: the options that say how to compare what was read."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from bakeoff.api.asked import Asked
from bakeoff.errors import Problem, UserError
from bakeoff.spec.load import read_yaml

OPTIONS = {
    "metrics": "--metric",
    "classes": "--classes",
    **{key: f"--{key}" for key in ("alpha", "alternative", "correction", "costs")},
    **{key: f"--{key}" for key in ("variant", "versus")},
}
"""The option that a key of the experiment stands for."""


def asked(args: argparse.Namespace) -> Asked:
    """Gather the options that say how to compare."""
    return Asked(
        metrics=args.metric or (),
        values=args.values,
        columns={role: column for role, column in related(args).items() if column is not None},
        costs=_costs(args.costs),
        variant=args.variant,
        versus=args.versus,
        correction=args.correction,
        alternative=args.alternative,
        alpha=args.alpha,
        assume_independent=args.assume_independent,
        files=args.files,
    )


def related(args: argparse.Namespace) -> dict[str, str | None]:
    """Return the columns that say which rows belong together."""
    return {"group": args.groups, "time": args.time, "run": args.runs}


def _costs(path: str | None) -> Any:
    """Read what errors cost: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        found = read_yaml(path)
    except UserError as error:
        raise Problem(("costs",), str(error)) from None
    return found.get("costs", found) if isinstance(found, Mapping) else found
