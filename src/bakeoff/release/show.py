"""A verdict as one paragraph, as JSON, as a JUnit file and as a comment on a pull request."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any
from xml.etree import ElementTree

from bakeoff import __version__
from bakeoff.release.ledger import Use
from bakeoff.release.verdict import GateVerdict, Part
from bakeoff.report.numbers import MINUS, fixed, percent
from bakeoff.report.tables import markdown
from bakeoff.report.written import decimals, unit_of, varies, with_unit
from bakeoff.scores import METRICS
from bakeoff.scores.metrics.given import in_unit
from bakeoff.stats import Release, Status, plain

SCHEMA = "bakeoff-gate-1"
_SIGNS = {Release.SHIP: "✅", Release.BLOCK: "⛔", Release.UNDECIDED: "❔"}
_OF_ERRORS = 3.3
"""How many standard errors limits at the usual level are apart."""
_WHY_NONE = {
    Status.TOO_FEW: "there are too few groups for limits, or too few rows of a class",
    Status.IDENTICAL_SCORES: "both say the same on every row, which gives this metric no limits",
    Status.ZERO_VARIANCE: "the difference is the same on every row, which gives no limits",
    Status.UNDEFINED: "the metric has no value on these rows",
}


def headline(verdict: GateVerdict) -> str:
    """Return the decision in one sentence."""
    base, candidate = verdict.names
    terms = verdict.terms
    margin = f"{_margin(verdict)}{_unit(verdict)} of {_metric(verdict)}"
    if terms.percent is not None:
        of = f"{terms.percent:g}% of the {_metric(verdict)} of {base}"
        margin = f"{_margin(verdict)}{_unit(verdict)} ({of})"
    if verdict.decision is Release.SHIP:
        if not terms.superior:
            return f"Ship: {candidate} is not worse than {base} by {margin}."
        return f"Ship: {candidate} is better than {base}{_by(terms.margin, margin)}."
    if verdict.decision is Release.UNDECIDED:
        return f"Undecided: {candidate} may be worse than {base} by {margin}, or not."
    if verdict.harmed:
        parts = ", ".join(part.name for part in verdict.harmed)
        return f"Block: {candidate} is worse than {base}{_by(terms.margin, margin)} for {parts}."
    if terms.superior:
        return f"Block: {candidate} is not shown better than {base}{_by(terms.margin, margin)}."
    return f"Block: {candidate} is worse than {base}{_by(terms.margin, margin)}."


def reasons(verdict: GateVerdict, use: Use | None = None) -> list[str]:
    """Return the sentences behind the decision."""
    limits, shown = verdict.overall.limits, writer(verdict)
    runs = f" and {verdict.runs[0]} and {verdict.runs[1]} training runs" if verdict.runs else ""
    on = f"{_rows(verdict.overall)}{runs}"
    moved = _moved(limits.estimate, lambda size: f"{shown(size)}{_unit(verdict)}")
    found = [f"Its {_metric(verdict)} is {moved} on {on}."]
    known = not math.isnan(limits.low)
    if not known:
        why = _WHY_NONE.get(limits.status, limits.status.value)
        if limits.status is Status.TOO_FEW and limits.warnings:
            why = "; ".join(limits.warnings)
        found.append(f"Nothing follows: {why}.")
    else:
        found.append(
            f"The true change is above {shown(limits.low)} and below {shown(limits.high)}"
            f"{_unit(verdict)}, each with a confidence of {percent(1 - limits.alpha)}; the line is "
            f"at {_line(verdict)}."
        )
        found += [f"Caution: {warning}." for warning in limits.warnings]
    if verdict.subgroups and not verdict.harmed:
        found.append(f"In none of {len(verdict.subgroups)} subgroups is it shown to be so.")
    for part in verdict.harmed:
        found.append(
            f"For {part.name} ({_rows(part)}) the change is {shown(part.limits.estimate)}, below "
            f"{shown(part.limits.high)}."
        )
        found += [f"Caution, {part.name}: {warning}." for warning in part.limits.warnings]
    if verdict.rows_needed is not None:
        found.append(
            f"If the change is what it seems, {verdict.rows_needed:,} rows would decide with a "
            "probability of 80%."
        )
    elif verdict.decision is Release.UNDECIDED and known:
        found.append(
            "`bakeoff plan --seeds` tells whether more runs or more rows would decide."
            if verdict.runs
            else "It seems so near the line that more rows would hardly decide."
        )
    if use is not None:
        found.append(spent(use, verdict))
    return found


def spent(use: Use, verdict: GateVerdict) -> str:
    """Report the level of this decision, and whether the test set can still decide."""
    text = (
        f"Decision {use.number} by this test set, at the level {use.level:.2g} of {use.alpha:g} "
        "(alpha/(k(k + 1)))" + (", asked before: nothing is spent" if use.known else "")
    )
    if worn_out(verdict):
        return (
            f"{text}; it is worn out: a candidate as good as the base would not be shipped, take "
            "new rows."
        )
    return f"{text}."


def worn_out(verdict: GateVerdict) -> bool:
    """Tell whether an equally good candidate would more likely be undecided than shipped."""
    limits = verdict.overall.limits
    return not limits.estimate - limits.low < verdict.terms.margin and not verdict.terms.superior


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


def writer(verdict: GateVerdict, usual: int = 3) -> Callable[[float], str]:
    """Return how values are written: with the decimals that the limits of losses deserve."""
    limits, metric = verdict.overall.limits, METRICS.get(verdict.terms.metric)
    if math.isnan(limits.low) or (metric is not None and not varies(metric)):
        return partial(fixed, decimals=usual)
    error = (limits.high - limits.low) / _OF_ERRORS
    return partial(fixed, decimals=decimals([error], [limits.estimate]))


def change(verdict: GateVerdict) -> str:
    """Head a column of changes."""
    return with_unit("change", _unit(verdict).strip())


def _unit(verdict: GateVerdict) -> str:
    """Return the unit of the metric after a space, where one is known."""
    measure = verdict.unit and in_unit(METRICS[verdict.terms.metric], verdict.unit)
    return f" {unit_of(measure)}".rstrip() if measure else ""


def _margin(verdict: GateVerdict) -> str:
    """Write the margin as it was named, one in percent of the base's value as changes are."""
    terms = verdict.terms
    return f"{terms.margin:,.12g}" if terms.percent is None else writer(verdict)(terms.margin)


def _escaped(text: str) -> str:
    """Keep names from being read as Markdown or HTML, on one line."""
    return " ".join(markdown(text).split())


def _metric(verdict: GateVerdict) -> str:
    """Name the metric, and the class that it is about."""
    of = "" if verdict.positive is None else f" (positive class: {verdict.positive})"
    return f"{verdict.terms.metric}{of}"


def _by(margin: float, text: str) -> str:
    return f" by more than {text}" if margin else ""


def _moved(estimate: float, shown: Callable[[float], str]) -> str:
    if estimate == 0:
        return "the same"
    size = shown(abs(estimate))
    return f"{size} {'better' if estimate > 0 else 'worse'}"


def _line(verdict: GateVerdict) -> str:
    margin = f"{_margin(verdict)}{_unit(verdict)}"
    return margin if verdict.terms.superior or not verdict.terms.margin else f"{MINUS}{margin}"


def _rows(part: Part) -> str:
    rows = f"{part.limits.n:,} rows"
    return f"{rows} in {part.limits.groups:,} groups" if part.limits.groups else rows
