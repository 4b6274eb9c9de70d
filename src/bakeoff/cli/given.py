"""The tables that a command names, read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bakeoff.data.given_tables import GivenTables, tables_of
from bakeoff.errors import UserError, printable


def tables_named(paths: Sequence[str], args: argparse.Namespace) -> GivenTables:
    """Read the tables of paths in the format of ``--format``, and tell what is left out."""
    found = tables_of(paths, args.format)
    for said in found.left_out:
        sys.stderr.write(f"{printable(said)}\n")
    return found


def check_column(args: argparse.Namespace, tables: GivenTables) -> None:
    """Refuse a column of numbers where there are none, or one for each model."""
    if args.column is not None and (args.values is None or tables.wide is not None):
        raise UserError("--column is for numbers (--values) in one table per model")
