"""Which tests ran, what they say and assume, and tests of single models."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from bakeoff.comparisons import Decision
from bakeoff.report import prose
from bakeoff.report.cells import capital, ci_cell, p_cell, score_cell
from bakeoff.report.checks import Check, checked
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, number, pvalue
from bakeoff.report.pairs_shown import families_of, order
from bakeoff.report.power import detectable
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.report.undeclared import notes
from bakeoff.report.verdict.sentences import assumed
from bakeoff.spec import PlannedTest
from bakeoff.stats import Arity, Entry, TypeOneError, catalogue

_QUOTED = re.compile(r"`([^`]*)`")
CHOSEN_COLUMNS = (
    Column("test", "Test"),
    Column("plan", "On"),
    Column("metrics", "Metrics"),
    Column("settings", "Settings"),
    Column("why", "Why"),
)


def build_chosen(item: Item, study: Study) -> PageTable:
    """Say which tests ran, on what, with which settings, and why."""
    rows = (
        {
            "test": text(catalogue()[test.name].title),
            "plan": text(prose.PLANS[test.plan]),
            "metrics": text(", ".join(study.metrics[name].title for name in test.metrics)),
            "settings": text("; ".join(_settings(study, test))),
            "why": text(capital(clean(_QUOTED.sub(r"“\1”", test.why)))),
        }
        for test in study.analysis
    )
    return tabulate(item, CHOSEN_COLUMNS, rows, "" if study.command else "As in tests.json.")


def _settings(study: Study, test: PlannedTest) -> Iterator[str]:
    yield f"level {test.alpha:g}"
    yield from _how(study, test)
    if test.posthoc:
        how = ", ".join(_how(study, test.posthoc))
        yield f"then {catalogue()[test.posthoc.name].title}{f' ({how})' if how else ''}"


def _how(study: Study, test: PlannedTest) -> Iterator[str]:
    if test.correction:
        name = prose.CORRECTIONS.get(test.correction, test.correction)
        yield "no correction" if test.correction == "none" else f"{name} correction"
    if test.versus:
        yield f"versus {study.label(test.versus)}"
    for key, value in test.options.items():
        if value != "two-sided":
            yield f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"


TESTS_COLUMNS = (
    Column("test", "Test"),
    Column("about", "About"),
    Column("null_hypothesis", "Null hypothesis"),
    Column("type1", "Error rate"),
    Column("family", "Hypotheses and correction"),
    Column("detectable", "Would probably miss"),
)


def build_tests(item: Item, study: Study) -> PageTable:
    """Say what each test is about, how far to trust it, and what it would miss."""
    rows = []
    for entry in study.tests:
        families = [f for f in study.families if f.entry.name == entry.name]
        if not families:
            continue
        first = families[0].rows[0]
        lenient = study.type1(entry) is TypeOneError.LIBERAL
        alone = families[0].bayesian or len(families[0].rows) < 2
        null = next(
            (n for f in families for r in f.rows if (n := r.result.get("null_hypothesis"))), NONE
        )
        rows.append(
            {
                "test": text(entry.title),
                "about": text(prose.about(families[0])),
                "null_hypothesis": text(str(null)),
                "type1": text(study.type1(entry).short, tone="bad" if lenient else ""),
                "family": text(NONE if alone else prose.correction(first)),
                "detectable": text(_would_miss(study, entry)),
            }
        )
    note = (
        "A fitted model is what one training set made; an algorithm is what would be trained "
        "anew. The last column is the largest true difference that a test of a pair finds with a "
        "probability of less than 80%, given the noise of these data: it says how much "
        "'cannot tell' is worth. Corrections are within one data set and metric."
    )
    for said in dict.fromkeys(assumed(family) for family in study.families):
        note += f" {said}" if said else ""
    return tabulate(item, TESTS_COLUMNS, rows, note)


def _would_miss(study: Study, entry: Entry) -> str:
    families = [f for f in families_of(study, entry.name) if f.settles]
    if len(families) == 1:
        sizes = _sizes(families[0])
        if not sizes:
            return NONE
        largest = max(sizes)
        less = "" if math.isinf(largest) else "less than "
        return f"{less}{_size(families[0], largest)}"
    two = order(study)[:2]
    sizes = [size for f in families for size in _sizes(f, *two)]
    if not sizes:
        return NONE
    low, high = (_size(families[0], size) for size in (min(sizes), max(sizes)))
    if math.isinf(min(sizes)):
        return f"between the two best {low}, on every data set"
    return f"between the two best less than {low} to {high}, by data set"


def _size(family: Family, size: float) -> str:
    return "any that is possible" if math.isinf(size) else prose.gap_of(family, size)


def _sizes(family: Family, *two: str) -> list[float]:
    """Return the detectable differences of all pairs, or of one pair, where they are known."""
    row = family.between(*two) if two else None
    rows = family.rows if not two else (row,) if row else ()
    return [size for row in rows if not math.isnan(size := detectable(family, row))]


ASSUMPTIONS_COLUMNS = (
    Column("test", "Test"),
    Column("assumption", "Assumption"),
    Column("holds", "Holds"),
    Column("detail", "In detail"),
)


def build_assumptions(item: Item, study: Study) -> PageTable:
    """Show the checks of what tests assume."""
    rows = [
        {
            "test": text(entry.title),
            "assumption": text(check.name),
            "holds": _holds(check),
            "detail": text(check.detail),
        }
        for entry in study.tests
        for check in checked(
            row for family in study.families if family.entry is entry for row in family.rows
        )
    ]
    note = (
        "Where a test made several comparisons, the detail is of the first that does not hold, "
        "or else of the first."
    )
    return tabulate(item, ASSUMPTIONS_COLUMNS, rows, note)


def _holds(check: Check) -> Cell:
    """Say whether an assumption holds."""
    if check.fails:
        said = "no" if check.fails == check.of else f"not in {check.fails} of {check.of}"
        return Cell(said, tone="bad")
    if check.unknown == check.of:
        return Cell("cannot be checked", tone="open")
    seen = check.of - check.unknown
    said = "yes" if not check.unknown else f"yes, where checked ({seen} of {check.of})"
    return Cell(said, tone="good")


UNDECLARED_COLUMNS = (
    Column("dataset", "Data set"),
    Column("found", "Found"),
    Column("advice", "What to do"),
)
_OF_TABLES = (
    "Looked for were columns that look like ids of groups, rows that repeat other rows or all but "
    "one of their features, test rows that repeat training rows, and disagreements of the models "
    "that are alike on neighbouring test rows. Repeats that coarse features give by chance are "
    "counted, not noted. Nothing was changed."
)
_OF_PREDICTIONS = (
    "Given predictions come without features. Looked for were columns beside them in one table "
    "that are named like ids of groups, and disagreements of the models that are alike on "
    "neighbouring rows, both where no groups or times are named."
)


def build_undeclared(item: Item, study: Study) -> PageTable:
    """List the notes, or say that there is none."""
    found = notes(study)
    rows = [
        {
            "dataset": text(study.dataset_label(note.dataset)),
            "found": text(note.found),
            "advice": text(note.advice),
        }
        for note in found
    ]
    seen = any(card["features"] for card in study.cards.values())
    nothing = text("nothing" if seen else "nothing, but there are no features to look at")
    none = {"dataset": text("all"), "found": nothing, "advice": text(NONE)}
    note = _OF_TABLES if seen else _OF_PREDICTIONS
    summary = count(len(found), "note") if found else "nothing found"
    return tabulate(item, UNDECLARED_COLUMNS, rows or [none], note, summary=summary)


SINGLE_COLUMNS = (
    Column("model", "Model"),
    Column("dataset", "On"),
    Column("metric", "Metric"),
    Column("estimate", "Estimate", True),
    Column("ci_low", "CI", True),
    Column("null_value", "Tested against", True),
    Column("statistic", "Statistic", True),
    Column("pvalue", "p", True),
    Column("pvalue_adjusted", "Adjusted p", True),
    Column("decision", "Says"),
)


def build_single(item: Item, study: Study) -> PageTable:
    """Show a test of each model by itself."""
    found = [f for f in study.families if f.role == "single" and f.entry.name == item.test]
    rows = [
        {
            "model": text(study.label(row.model_a)),
            "dataset": text(study.dataset_label(row.dataset)),
            "metric": text(study.metrics[row.metric].title),
            "estimate": score_cell(row.estimate),
            "ci_low": ci_cell(row.ci_low, row.ci_high),
            "null_value": Cell(number(value := prose.tested_value(row)), value),
            "statistic": Cell(number(row.statistic), row.statistic),
            "pvalue": Cell(pvalue(row.pvalue), row.pvalue),
            "pvalue_adjusted": p_cell(row.pvalue_adjusted, row.alpha),
            "decision": Cell(
                prose.decision(study, row),
                tone="good" if row.decision is Decision.DIFFERENT else "open",
            ),
        }
        for family in found
        for row in family.rows
    ]
    if not rows:
        return tabulate(item, SINGLE_COLUMNS, rows, "There is no result.")
    first = found[0].rows[0]
    level = f"{prose.level_of(first)}; " if not math.isnan(first.confidence) else ""
    asks = {"greater": "above", "less": "below"}.get(first.alternative)
    side = f"; one-sided: whether it is {asks} the value" if asks else ""
    note = f"{level}{prose.correction(first)}{side}."
    return tabulate(item, SINGLE_COLUMNS, rows, capital(note))


EXHIBITS = {
    "chosen": TableExhibit(
        section=Section.TRUST,
        place=10,
        title="Which tests ran, and why",
        caption="The tests that ran: on which resampling plan and metrics, at which level, with "
        "which correction and options, and why each of them was chosen.",
        build=build_chosen,
    ),
    "tests": TableExhibit(
        section=Section.TRUST,
        place=20,
        title="What each test says and assumes",
        caption="For each test: whether it is about the fitted models or the learning algorithms, "
        "its null hypothesis, how it holds its level, the size of its family of hypotheses with "
        "the correction, and the largest true difference that it would probably have missed.",
        build=build_tests,
    ),
    "assumptions": TableExhibit(
        section=Section.TRUST,
        place=30,
        title="Assumptions, checked",
        caption='What each test assumes and what the data say of it. "Cannot be checked" marks '
        "assumptions that only knowledge of how the data came about can settle.",
        build=build_assumptions,
    ),
    "undeclared": TableExhibit(
        section=Section.TRUST,
        place=55,
        title="Dependence that nobody declared",
        caption="Signs of dependent rows that the experiment does not declare: columns "
        "that look like ids of groups, repeated rows, test rows that repeat training rows, and "
        "models that disagree alike on neighbouring rows. If rows are dependent, tests that "
        "assume independent rows have an inflated type I error.",
        of_rows=True,
        build=build_undeclared,
    ),
    "single": TableExhibit(
        section=Section.COMPARISONS,
        place=25,
        title="",
        caption="A test of each model by itself against a fixed value. It does not compare "
        "models; the adjusted p-values are for the family of all models.",
        each="test",
        when=lambda asked, entry: entry.arity is Arity.ONE,
        folded="All numbers",
        build=build_single,
    ),
}
