"""The verdict of a gate for others: test cases, JSON, and a comment for a pull request."""

from __future__ import annotations

import dataclasses
from typing import Any

import pandas as pd

from bakeoff import __version__
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.flipped_rows import flipped_rows
from bakeoff.data.records import TASK
from bakeoff.release.rows import GateRows
from bakeoff.release.verdict import (
    GateVerdict,
    Part,
    change,
    headline,
    reasons,
    too_many_missing,
    writer,
    written_margin,
    written_unit,
)
from bakeoff.report.exhibits.flips import Flips
from bakeoff.report.exhibits.flips import joined as joined_flips
from bakeoff.report.junit import Case
from bakeoff.report.numbers import count
from bakeoff.report.tables import markdown
from bakeoff.stats import Release, plain

MOST_FLIPS = 10
"""Rows on which base and candidate differ that a comment has."""
_SCHEMA = "bakeoff-gate-1"
_SIGNS = {Release.SHIP: "✅", Release.BLOCK: "⛔", Release.UNDECIDED: "❔"}
_DECIMALS_OF_COMMENT = 4


# --- test cases


def rules(verdict: GateVerdict) -> list[Case]:
    """Return a test case for each rule: what it asks, and why it does not hold."""
    cases = []
    for by_metric in verdict.each:
        cases += _rules_by_metric(by_metric)
    for model in verdict.lacking:
        cases.append(Case("items are complete", too_many_missing(verdict, model), "undecided"))
    return cases


def _rules_by_metric(verdict: GateVerdict) -> list[Case]:
    """Return the rules on what decides, and on each part that is asked for or harmed."""
    metric = verdict.label or verdict.terms.metric
    where = "on all rows"
    if verdict.macro is not None:
        where = f"in the mean over {count(len(verdict.tasks), 'task')}"
    limits = verdict.whole.limits
    shown = writer(verdict)
    numbers = (
        f"change {shown(limits.estimate)}, between {shown(limits.low)} and {shown(limits.high)}"
        f"{written_unit(verdict)}; the line is at {written_margin(verdict)}"
    )
    cases = [_case(f"{metric}: not worse {where}", verdict.whole.decision, numbers)]
    # of parts that need not pass by themselves only harm is a failure
    parts = verdict.harmed
    if verdict.terms.each_task is not None:
        parts = verdict.tasks
    for part in parts:
        text = f"change {shown(part.limits.estimate)}, below {shown(part.limits.high)}"
        cases.append(_case(f"{metric}: {part.name} not worse", part.decision, text))
    has_parts = bool(verdict.tasks or verdict.subgroups)
    if has_parts and verdict.terms.each_task is None and not verdict.harmed:
        cases.append(Case(f"{metric}: no part shown to be worse"))
    return cases


def _case(name: str, decision: Release, numbers: str) -> Case:
    """Return the case of a rule that holds where the decision is to ship."""
    if decision is Release.SHIP:
        return Case(name)
    return Case(name, f"{decision.value}: {numbers}", decision.value)


# --- JSON


def as_json(verdict: GateVerdict) -> dict[str, Any]:
    """Return everything as plain data, by the schema that it names."""
    base, candidate = verdict.names
    # options that nobody gave are left out
    terms = {key: value for key, value in plain(verdict.terms).items() if value is not None}
    terms["positive"] = verdict.positive
    macro = None
    if verdict.macro is not None:
        macro = _part_as_json(verdict.macro)
    missing = None
    if verdict.missing is not None:
        missing = {**plain(verdict.missing), "allowed": verdict.allow_missing}
    content: dict[str, Any] = {
        "schema": _SCHEMA,
        "version": __version__,
        "decision": verdict.decision.value,
        "headline": headline(verdict),
        "reasons": reasons(verdict),
        "base": base,
        "candidate": candidate,
        "terms": terms,
        "overall": _part_as_json(verdict.overall),
        "macro": macro,
        "tasks": list(map(_part_as_json, verdict.tasks)),
        "subgroups": list(map(_part_as_json, verdict.subgroups)),
        "rows_needed": verdict.rows_needed,
        "missing": missing,
        "cautions": list(verdict.cautions),
        "against_itself": plain(verdict.against_itself),
    }
    if verdict.by_metric:
        content["by_metric"] = list(map(as_json, verdict.by_metric))
    return content


def _part_as_json(part: Part) -> dict[str, Any]:
    """Return the decision on some rows as plain data."""
    return {"name": part.name, "decision": part.decision.value, **plain(part.limits)}


# --- a comment for a pull request


def flips_of(rows: GateRows, metric: str) -> Flips | None:
    """Find the rows on which base and candidate differ; None where rows have no ids."""
    paired = PairedPredictions.from_observations(rows.given)
    if paired.ids is None:
        return None
    subgroups = {name: pd.Categorical(values) for name, values in rows.subgroups.items()}
    if rows.tasks is not None:
        subgroups[TASK] = pd.Categorical(rows.tasks)
    paired = dataclasses.replace(paired, subgroups=subgroups)
    flips = flipped_rows(paired, *rows.names, metric)
    return joined_flips({"": flips}, rows.names, rows.unit or "")


def as_markdown(verdict: GateVerdict, flips: Flips | None = None) -> str:
    """Return a comment for a pull request, with the first rows on which the two differ."""
    lines = [
        f"### {_SIGNS[verdict.decision]} {markdown(headline(verdict))}",
        "",
        markdown(" ".join(reasons(verdict))),
        "",
        f"| rows of | rows | {change(verdict)} | lower limit | upper limit | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for by_metric in verdict.each:
        for part in by_metric.parts:
            name = part.name or "all"
            if verdict.by_metric:
                name += f", {by_metric.label or by_metric.terms.metric}"
            lines.append(_line_of_part(by_metric, part, name))
    if flips is not None:
        lines += _lines_of_flips(flips)
    return "\n".join(lines) + "\n"


def _line_of_part(verdict: GateVerdict, part: Part, name: str) -> str:
    """Return the limits on some rows as a line of a table."""
    shown = writer(verdict, _DECIMALS_OF_COMMENT)
    limits = part.limits
    cells = [
        markdown(name),
        f"{limits.n:,}",
        shown(limits.estimate),
        shown(limits.low),
        shown(limits.high),
        part.decision.value,
    ]
    return f"| {' | '.join(cells)} |"


def _lines_of_flips(flips: Flips) -> list[str]:
    """Return the first rows on which base and candidate differ, as lines of Markdown."""
    sentence = f"{markdown(flips.sentence)}."
    if flips.whole.empty:
        return ["", sentence]
    if len(flips.whole) > MOST_FLIPS:
        sentence = f"{markdown(flips.sentence)}; the first {MOST_FLIPS}:"
    return ["", sentence, "", flips.as_markdown(MOST_FLIPS)]
