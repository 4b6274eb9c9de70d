"""A verdict as JSON, as a JUnit file and as a comment on a pull request."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from bakeoff import __version__
from bakeoff.release.verdict import (
    GateVerdict,
    Part,
    Use,
    change,
    headline,
    reasons,
    worn_out,
    writer,
)
from bakeoff.report.tables import markdown
from bakeoff.stats import Release, plain

SCHEMA = "bakeoff-gate-1"
_SIGNS = {Release.SHIP: "✅", Release.BLOCK: "⛔", Release.UNDECIDED: "❔"}


def as_json(verdict: GateVerdict, use: Use | None) -> dict[str, Any]:
    """Return everything as plain data, by the schema that it names."""
    base, candidate = verdict.names
    known = plain(verdict.terms).items()
    terms = {key: value for key, value in known if value is not None}  # a percentage or none
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "decision": verdict.decision.value,
        "headline": headline(verdict),
        "reasons": reasons(verdict, use),
        "base": base,
        "candidate": candidate,
        "terms": terms | {"positive": verdict.positive},
        "overall": _part(verdict.overall),
        "subgroups": [_part(part) for part in verdict.subgroups],
        "rows_needed": verdict.rows_needed,
        "ledger": None,
    }
    if use is not None:
        found["ledger"] = {**plain(use), "worn_out": worn_out(verdict)}
    return found


def _part(part: Part) -> dict[str, Any]:
    found: dict[str, Any] = plain(part.limits)
    return {"name": part.name, "decision": part.decision.value, **found}


def as_junit(verdict: GateVerdict, use: Use | None) -> str:
    """Return a JUnit file: one test case for all rows, one for each subgroup."""
    base, candidate = verdict.names
    cases = [("all rows", verdict.overall), *((part.name, part) for part in verdict.subgroups)]
    suite = ElementTree.Element("testsuite", name="bakeoff gate", tests=str(len(cases)))
    failed = skipped = 0
    for name, part in cases:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{base} → {candidate}", name=f"{name}, not worse"
        )
        if part.decision is Release.BLOCK:
            failed += 1
            note = ElementTree.SubElement(case, "failure", message=headline(verdict))
            note.text = "\n".join(reasons(verdict, use))
        elif part is verdict.overall and part.decision is Release.UNDECIDED:
            skipped += 1
            ElementTree.SubElement(case, "skipped", message=headline(verdict))
    suite.set("failures", str(failed))
    suite.set("skipped", str(skipped))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def as_markdown(verdict: GateVerdict, use: Use | None) -> str:
    """Return a comment for a pull request."""
    lines = [f"### {_SIGNS[verdict.decision]} {_escaped(headline(verdict))}", ""]
    lines += [_escaped(" ".join(reasons(verdict, use))), ""]
    lines += [
        f"| rows of | rows | {change(verdict)} | lower limit | upper limit | |",
        "|---|--:|--:|--:|--:|---|",
    ]
    shown = writer(verdict, 4)
    for part in (verdict.overall, *verdict.subgroups):
        found = part.limits
        cells = (
            _escaped(part.name) or "all",
            f"{found.n:,}",
            *map(shown, (found.estimate, found.low, found.high)),
            part.decision.value,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Keep names from being read as Markdown or HTML, on one line."""
    return " ".join(markdown(text).split())
