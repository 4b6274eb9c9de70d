"""`bakeoff gate` by preferences, by marks that people corrected, and at a look."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from bakeoff import __version__
from bakeoff.api.judged import items_of_files, marks_of_options
from bakeoff.api.preferences import check_alpha, columns_named
from bakeoff.api.rows import keys_named
from bakeoff.api.signature import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.judged import LOOKS, MARKS, PREFERENCES, refuse_others
from bakeoff.cli.terminal import bold, outputs, say, say_json, say_notes
from bakeoff.comparisons.judged_gate import (
    JudgedGate,
    gate_at_look,
    gate_of_battles,
    gate_of_marks,
)
from bakeoff.data.battles import holds_battles, read_battles
from bakeoff.errors import UserError, some
from bakeoff.files import write_text
from bakeoff.options import setting
from bakeoff.report.numbers import paragraph
from bakeoff.report.tables import markdown
from bakeoff.stats import Release, plain

CODES = {Release.SHIP: 0, Release.BLOCK: 1, Release.UNDECIDED: 2}
_SIGNS = {Release.SHIP: "✅", Release.BLOCK: "⛔", Release.UNDECIDED: "❔"}
_OF_ROWS = ("truth", "values", "task", "predicted", "value", "metrics")
_OF_GATE = ("base", "candidate", "margin", "superior")


def is_judged_gate(options: Mapping[str, Any]) -> bool:
    """Tell whether a gate is by judged evidence, by its options or the columns of its file."""
    if options["human"] is not None or options["of"] is not None:
        return True
    if options["candidate"] is not None or any(options.get(name) for name in _OF_ROWS):
        return False
    return holds_battles(options["base"], keys_named(options))


def judged_gate(args: argparse.Namespace) -> int:
    """Decide, and return the decision as exit code."""
    files = [path for path in (args.base, args.candidate) if path is not None]
    places = outputs(args.output, files)
    with in_arguments(COMMANDS["gate"].keys):
        check_alpha(args.alpha)
        verdict = _decided({**vars(args), "files": files}, files)
    for place in places:
        write_text(place, _as_markdown(verdict))
    if args.json:
        say_json(_as_json(verdict))
    else:
        say("", bold(paragraph(verdict.headline)), paragraph(" ".join(verdict.reasons)), "")
        say_notes(verdict.notes)
    return CODES[verdict.decision]


def _decided(options: Mapping[str, Any], files: list[str]) -> JudgedGate:
    """Decide by the kind of evidence that options name."""
    margin = _margin(options["margin"], superior=options["superior"])
    alpha = options["alpha"]
    superior = bool(options["superior"])
    if options["human"] is not None:
        refuse_others("gate", options, MARKS + _OF_GATE, "marks of a judge and of people")
        marks = marks_of_options(options)
        base, candidate = _pair(list(marks.judge), options["models"])
        return gate_of_marks(marks, base, candidate, margin, alpha, superior=superior)
    if options["of"] is not None:
        refuse_others("gate", options, LOOKS + _OF_GATE, "a look at a running evaluation")
        items = items_of_files(options)
        if not items.total:
            raise UserError("of: a gate needs the number of items of the suite")
        base, candidate = _pair(list(items.values), options["models"])
        return gate_at_look(items, base, candidate, margin, alpha, superior=superior)
    if len(files) != 1:
        raise UserError(f"preferences: expected one file of battles, found {len(files)}")
    refuse_others("gate", options, PREFERENCES + _OF_GATE, "battles")
    battles = read_battles(files[0], keys_named(options), columns_named(options))
    if options["models"] is None:
        raise UserError(
            f"models: which is the base, and which the candidate? {setting('models')} names both; "
            f"there are {some(battles.models)}"
        )
    base, candidate = _pair(battles.models, options["models"])
    return gate_of_battles(battles, base, candidate, margin, alpha, superior=superior)


def _pair(present: list[str], named: list[str] | None) -> tuple[str, str]:
    """Return base and candidate: the two that are named, or that there are."""
    models = named or present
    if len(models) != 2 or len(set(models)) != 2:
        raise UserError(f"models: expected base and candidate, found {some(models)}")
    return models[0], models[1]


def _margin(text: str | None, *, superior: bool) -> float:
    """Read the margin, which is in the unit of what is decided."""
    if text is None:
        # any gain will do
        if superior:
            return 0.0
        raise UserError("margin: is missing; what is the largest loss that does not matter?")
    try:
        return float(text)
    except ValueError:
        raise UserError(f"margin: found {text!r}, expected a number like 0.05") from None


def _as_json(verdict: JudgedGate) -> dict[str, Any]:
    """Return the decision by the schema of every gate."""
    # the schema has these keys; judged evidence says nothing of most of them
    content: dict[str, Any] = {
        "schema": "bakeoff-gate-1",
        "version": __version__,
        "macro": None,
        "tasks": [],
        "subgroups": [],
        "rows_needed": None,
        "missing": None,
        "against_itself": None,
    }
    content |= plain(verdict.as_plain)
    return content


def _as_markdown(verdict: JudgedGate) -> str:
    """Return a comment for a pull request."""
    title = f"### {_SIGNS[verdict.decision]} {markdown(verdict.headline)}"
    return "\n".join([title, "", markdown(" ".join(verdict.reasons)), ""])
