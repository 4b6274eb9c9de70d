"""`bakeoff compare` of battles, of marks that people corrected, and of a running evaluation."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bakeoff.api.findings import FORMS
from bakeoff.api.judged import look_at_files, marks_of_files, running_suite
from bakeoff.api.preferences import answer_of_battles, check_alpha, columns_named
from bakeoff.api.rows import keys_named
from bakeoff.api.signature import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.terminal import bold, dim, outputs, say, say_notes, say_paragraphs, say_table
from bakeoff.data.battles import holds_battles, read_battles
from bakeoff.errors import UserError
from bakeoff.files import write_texts
from bakeoff.options import OPTIONS, flag
from bakeoff.report.judged.answer import Answer
from bakeoff.report.judged.looks import answer_of_look
from bakeoff.report.judged.marks import answer_of_marks
from bakeoff.report.numbers import paragraph
from bakeoff.report.tables import PageTable, to_csv

_OF_ROWS = ("truth", "values", "datasets", "counts", "task", "predicted", "value", "metrics")
"""Options that say that a file holds no battles."""
_READ_AND_WRITTEN = ("json", "output", "format", "encoding", "missing_values")
"""Options of how files are read and answers are written."""
PREFERENCES = (
    "preferences",
    "files",
    "prompt",
    "winner",
    "models",
    "order",
    "judge",
    "groups",
    "missing",
    "alpha",
    *_READ_AND_WRITTEN,
)
MARKS = (
    "files",
    "id",
    "models",
    "values",
    "judge",
    "human",
    "groups",
    "missing",
    "alpha",
    *_READ_AND_WRITTEN,
)
LOOKS = (
    "files",
    "id",
    "models",
    "values",
    "value",
    "of",
    "order",
    "alpha",
    *_READ_AND_WRITTEN,
    "missing",
)
_MOST_SHOWN = 30
"""Rows of a table that are printed."""


def holds_preferences(options: Mapping[str, Any]) -> bool:
    """Tell whether the files of `bakeoff compare` are battles, by an option or their columns."""
    if options["preferences"]:
        return True
    files = options["files"]
    if len(files) != 1 or options["human"] is not None or options["of"] is not None:
        return False
    # a table of rows may have columns that are called like those of battles
    if any(options.get(name) for name in _OF_ROWS):
        return False
    return holds_battles(files[0], keys_named(options))


def compare_battles(args: argparse.Namespace) -> None:
    """Compare models by battles, write the requested files, and print."""
    places = outputs(args.output, args.files, list(FORMS))
    options = vars(args)
    with in_arguments(COMMANDS["compare"].keys):
        if len(args.files) != 1:
            raise UserError(f"preferences: expected one file of battles, found {len(args.files)}")
        refuse_others("compare", options, PREFERENCES, "battles")
        check_alpha(args.alpha)
        battles = read_battles(args.files[0], keys_named(options), columns_named(options))
        answer = answer_of_battles(battles, args.models, args.alpha, command_of(args))
    show(answer, places, as_json=args.json)


def is_judged(options: Mapping[str, Any]) -> bool:
    """Tell whether marks of people are named, or that the evaluation still runs."""
    if options["human"] is not None or options["of"] is not None or options["judge"] is not None:
        return True
    return _still_runs(options)


def _still_runs(options: Mapping[str, Any]) -> bool:
    """Tell whether logs of two models say that one of them still runs, of a suite that is known."""
    if options["values"] is None or options["metrics"] or options["runs"] is not None:
        return False
    suite = running_suite(options["files"])
    return suite is not None and suite.running


def compare_judged(args: argparse.Namespace) -> None:
    """Compare models by marks that people corrected, or look at a running evaluation."""
    places = outputs(args.output, args.files, list(FORMS))
    options = vars(args)
    with in_arguments(COMMANDS["compare"].keys):
        if args.human is not None or args.judge is not None:
            refuse_others("compare", options, MARKS, "marks of a judge and of people")
            answer = answer_of_marks(marks_of_files(options), command_of(args))
        else:
            refuse_others("compare", options, LOOKS, "a look at a running evaluation")
            answer = answer_of_look(look_at_files(options), command_of(args))
    show(answer, places, as_json=args.json)


def command_of(args: argparse.Namespace) -> str:
    """Return the command as it was given."""
    return f"bakeoff {shlex.join(args.arguments)}"


def refuse_others(
    command: str, options: Mapping[str, Any], allowed: tuple[str, ...], what: str
) -> None:
    """Refuse options of a command that say nothing about what is compared."""
    for name in COMMANDS[command].keys:
        value = options.get(name)
        # argparse has a value of options that nobody named, too
        is_named = value not in (None, False, OPTIONS[name].default)
        if is_named and name not in allowed:
            raise UserError(f"{name}: {flag(name)} is not for {what}: leave it out")


def show(answer: Answer, places: list[Path], *, as_json: bool) -> None:
    """Write an answer to its files, and print it."""
    texts = {}
    # a place without an ending is a folder of tables
    for place in places:
        if place.suffix:
            texts[place] = getattr(answer, FORMS[place.suffix.lower()])
            continue
        for name, content in answer.tables.items():
            texts[place / f"{name}.csv"] = to_csv(content)
    if texts:
        write_texts(texts)
    if as_json:
        say(answer.json)
        return
    say("", bold(paragraph(answer.headline)))
    say_paragraphs(answer.sentences)
    say("")
    for name in answer.shown:
        _show_table(answer.tables[name])
    say_notes(answer.notes)


def _show_table(content: PageTable) -> None:
    """Print a table, the first rows of a long one."""
    sides = ""
    for column in content.columns:
        # numbers stand right, so that their digits stand below each other
        if column.number:
            sides += "r"
        else:
            sides += "l"
    head = [column.title for column in content.columns]
    rows = [tuple(cell.text for cell in row) for row in content.rows[:_MOST_SHOWN]]
    say_table(head, rows, sides)
    more = len(content.rows) - len(rows)
    if more > 0:
        say(dim(f"… and {more:,} more; --output has all."))
    say("")
    if content.note:
        say(dim(paragraph(content.note)), "")
