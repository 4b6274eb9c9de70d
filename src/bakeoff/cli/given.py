"""What a command line names: files of predictions, their columns, and places to write to."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bakeoff.api.settings import measured_by
from bakeoff.cli import COMMANDS
from bakeoff.data.given_tables import GivenTables, read_columns, tables_of
from bakeoff.errors import Problem, UserError, named, printable, unknown
from bakeoff.files import check_writable, is_file
from bakeoff.sources.common.base import TableKeys
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import read_yaml, validated
from bakeoff.spec.metrics import Kind, OwnMetric
from bakeoff.stats import ArgumentError

_OF_LABELS = ("truth", "predicted", "classes", "positive", "costs", "task", "unit", "variant")


@contextmanager
def in_options(args: argparse.Namespace) -> Iterator[None]:
    """Report a mistake under the option that it came from."""
    spec = COMMANDS[args.command]
    try:
        yield
    except UserError as error:
        raise named(error, [*spec.names, *spec.rare.split()]) from None
    except ArgumentError as error:
        raise UserError(f"{error.argument}: {error.message}") from None


class Given(NamedTuple):
    """The tables of a command line, and what is to be read from them."""

    tables: GivenTables
    columns: GivenColumns
    kind: Kind | None
    metrics: tuple[str, ...]
    own_metrics: Mapping[str, OwnMetric]


def read_tables(paths: Sequence[str], args: argparse.Namespace, subgroups: Any = ()) -> Given:
    """Read the tables of paths, and tell what is left out."""
    labels = {name: getattr(args, name, None) for name in _OF_LABELS}
    kind, metrics, own_metrics = measured_by(args.values, args.metrics or (), labels)
    missing = getattr(args, "missing", None)
    if missing not in (None, "wrong", "common"):
        raise Problem(("missing",), unknown("value", missing, ("wrong", "common")))
    tables = tables_of(paths, keys_named(args), partial=missing is not None)
    named_by = dict(one.partition("=")[::2] for one in args.tasks or ())
    by_task = {task: column for task, column in named_by.items() if column}
    tables = tables.of_tasks(None if args.tasks is None else list(named_by), by_task)
    value = "value" if by_task else args.value
    if value is not None and (args.values is None or tables.wide is not None):
        raise Problem(("value",), "is for numbers (values) in one table per model")
    truth = args.truth
    if truth is not None and is_file(truth) and truth not in tables.first.names:
        solution = read_columns(truth, ("truth",), keys_named(args))
        tables = tables.beside(solution, GivenColumns.model_validate({"id": args.id}))
        truth = "y_true"
    for text in tables.left_out:
        sys.stderr.write(f"{printable(text)}\n")
    keys = {"truth": truth, "id": args.id, "predicted": args.predicted, "value": value}
    keys |= {name: getattr(args, name, None) for name in RELATING}
    columns = validated(GivenColumns, {**keys, "subgroups": list(subgroups)})
    return Given(tables, columns, kind, metrics, own_metrics)


RELATING = ("groups", "time", "runs", "seeds")
"""The columns that relate rows."""


def keys_named(args: argparse.Namespace) -> TableKeys:
    """Return what options say of how tables are written."""
    keys = {"format": args.format, "missing_values": args.missing_values}
    return validated(TableKeys, keys)


def subgroups_named(parts: Sequence[str]) -> list[str | dict[str, Any]]:
    """Return columns that divide the rows, like ``age:40:65``, as an experiment has them."""
    columns: list[str | dict[str, Any]] = []
    for part in parts:
        name, *cuts = part.split(":")
        try:
            bins = [float(cut) for cut in cuts]
        except ValueError:
            raise Problem(
                ("subgroups",),
                f"found {part!r}, expected a column like sex, or one of numbers with the places to "
                "cut it at, like age:40:65",
            ) from None
        columns.append({"column": name, "bins": bins} if bins else name)
    return columns


def costs_in(path: str | None) -> Any:
    """Read the costs of errors: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        costs = read_yaml(path)
    except UserError as error:
        raise Problem(("costs",), str(error)) from None
    return costs.get("costs", costs) if isinstance(costs, Mapping) else costs


def outputs(
    given: Sequence[str] | None, read: Sequence[str], endings: Sequence[str] = ()
) -> list[Path]:
    """Return where `--output` writes to, checked before anything is computed.

    With `endings` files have one of them, and what has none is a folder.
    """
    places = [Path(one) for one in given or ()]
    inputs = {os.path.realpath(path) for path in read}
    if len({os.path.realpath(place) for place in places}) < len(places):
        raise UserError("output: the same place is named twice")
    for place in places:
        shown, target = repr(str(place)[:60]), Path(os.path.realpath(place))
        is_folder = bool(endings) and not place.suffix
        if str(target) in inputs:
            raise UserError(f"output: {shown} is read from; name another file")
        if endings and not is_folder and place.suffix.lower() not in endings:
            names = ", ".join(endings)
            raise UserError(f"output: found {shown}, expected a name with {names}, or a folder")
        try:
            status = None if is_folder else check_writable(place)
            if status is not None and not stat.S_ISREG(status.st_mode):
                continue  # a device or a pipe is written into, whatever its folder
            end = target if place.is_symlink() else place
            folder = end if is_folder else end.parent
            above = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        except UserError as error:
            raise UserError(f"output: {error}") from None
        except OSError as error:
            raise UserError(f"output: {shown}: {error.strerror}") from None
        if not above.is_dir():
            raise UserError(f"output: {str(above)!r} is a file; name a folder")
        if not os.access(above, os.W_OK):
            raise UserError(f"output: {str(above)!r} may not be written to")
    return places
