"""What `bakeoff compare` writes where it is asked: the page, and its tables."""

from __future__ import annotations

import argparse
import dataclasses
import os
import shlex
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from bakeoff.data.predicted import contradiction
from bakeoff.data.side_by_side import SideBySide
from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.report.exhibits import exhibits, records
from bakeoff.report.make import make_page, make_tables
from bakeoff.report.read import environment
from bakeoff.report.study import Study
from bakeoff.report.tables import PageTable, markdown, to_csv, to_latex, to_markdown
from bakeoff.report.verdict import Verdict

ASKED = ("html", "markdown", "latex", "csv")
_OF_FITS = ("snakemake", "scikit-learn", "skrub")
"""Packages that fit models, and compare none."""


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
    known = environment(study.experiment).items()
    own = dataclasses.replace(
        study,
        environment={name: value for name, value in known if name not in _OF_FITS},
        notes={d: [*filter(None, _notes(given))] for d in study.datasets},
        command=shlex.join(["bakeoff", *args.arguments]),
    )
    found = exhibits(own.experiment, own.tests)
    items = [item for item in found if not records()[item.kind].of_fits]
    tables = make_tables(own, items)
    written: dict[Path, str] = {}
    if "html" in places:
        written[places["html"]] = make_page(own, verdict, items)
    if "markdown" in places:
        written[places["markdown"]] = _in_markdown(verdict, tables)
    if "latex" in places:
        texts = (to_latex(table, name) for name, table in tables.items())
        written[places["latex"]] = "\n".join(texts)
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


def _notes(given: SideBySide) -> Iterator[str]:
    for model, found in given.models.items():
        yield contradiction(model, found)


def _in_markdown(verdict: Verdict, tables: Mapping[str, PageTable]) -> str:
    """Put the answer and all tables into one text."""
    parts = [f"**{markdown(verdict.headline)}**", *map(markdown, verdict.sentences)]
    for table in tables.values():
        parts += [f"**{markdown(table.title)}**", *([to_markdown(table)] if table.rows else [])]
        parts += [markdown(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"
