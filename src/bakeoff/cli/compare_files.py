"""What `bakeoff compare` writes where it is asked: the page, and its tables."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping, Set
from pathlib import Path

from bakeoff.api.at_hand import made_by
from bakeoff.data.side_by_side import SideBySide
from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.report.make import items_of, make_latex, make_markdown, make_page, make_tables
from bakeoff.report.study import Study
from bakeoff.report.tables import to_csv
from bakeoff.report.verdict import Verdict

ASKED = ("html", "markdown", "latex", "csv")


def write(study: Study, verdict: Verdict, given: SideBySide, args: argparse.Namespace) -> None:
    """Write the page and the tables that the options ask for, all of them or none.

    Raises
    ------
    UserError
        A place that nothing can be written to, or one that is named twice.
    """
    places = {name: Path(place) for name in ASKED if (place := getattr(args, name)) is not None}
    if not places:
        return
    _check(places, {Path(path).absolute() for path in args.files})
    own = made_by(study, given, shlex.join(["bakeoff", *args.arguments]))
    items = items_of(own)
    tables = make_tables(own, items)
    written: dict[Path, str] = {}
    if "html" in places:
        written[places["html"]] = make_page(own, verdict, items)
    if "markdown" in places:
        written[places["markdown"]] = make_markdown(verdict, tables)
    if "latex" in places:
        written[places["latex"]] = make_latex(tables)
    if "csv" in places:
        written |= {places["csv"] / f"{name}.csv": to_csv(one) for name, one in tables.items()}
    for path, text in written.items():
        write_text(path, text)


def _check(places: Mapping[str, Path], read: Set[Path]) -> None:
    """Look at every place before anything is written to one."""
    for name, place in places.items():
        folder = place if name == "csv" else place.parent
        there = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if name != "csv" and place.is_dir():
            raise UserError(f"--{name}: {str(place)!r} is a folder; name a file")
        if place.absolute() in read and name != "csv":
            raise UserError(f"--{name}: {str(place)!r} is read from; name another file")
        if not there.is_dir():
            raise UserError(f"--{name}: {str(there)!r} is a file; name a folder")
        if not os.access(there, os.W_OK):
            raise UserError(f"--{name}: {str(there)!r} may not be written to")
    if len(set(places.values())) < len(places):
        options = ", ".join(f"--{name}" for name in places)
        raise UserError(f"{options}: two of them name the same place")
