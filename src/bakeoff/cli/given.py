"""The tables that a command names, read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bakeoff.data.given_tables import GivenTables, read_columns, tables_of
from bakeoff.errors import UserError, printable
from bakeoff.files import is_file
from bakeoff.sources.common.base import TableKeys
from bakeoff.spec.given_models import GivenColumns


def tables_named(paths: Sequence[str], args: argparse.Namespace) -> GivenTables:
    """Read the tables of paths, and tell what is left out."""
    found = tables_of(paths, keys_named(args), partial=getattr(args, "missing", None) is not None)
    told = dict(one.split("=", 1) for one in args.column or () if "=" in one)
    plain = [one for one in args.column or () if "=" not in one]
    if len(plain) + bool(told) > 1:
        raise UserError("--column: expected one column, or TASK=COLUMN for each task")
    wanted = None if args.tasks is None else [name.strip() for name in args.tasks.split(",")]
    found = found.of_tasks(wanted, told, ("tasks",) if wanted else ("value",))
    args.column = plain[0] if plain else "value" if told else None
    truth = getattr(args, "truth", None)
    if truth is not None and is_file(truth) and truth not in found.first.names:
        solution = read_columns(truth, ("true",), keys_named(args))
        found = found.beside(solution, GivenColumns.model_validate({"id": args.id}))
        args.truth = "y_true"
    for said in found.left_out:
        sys.stderr.write(f"{printable(said)}\n")
    return found


def keys_named(args: argparse.Namespace) -> TableKeys:
    """Return what options say of how tables are written."""
    texts = args.missing_values
    missing = None if texts is None else [text for text in texts.split(",") if text]
    return TableKeys.model_validate({"format": args.format, "missing_values": missing})


def check_column(args: argparse.Namespace, tables: GivenTables) -> None:
    """Refuse a column of numbers where there are none, or one for each model."""
    if args.column is not None and (args.values is None or tables.wide is not None):
        raise UserError("--column is for numbers (--values) in one table per model")
