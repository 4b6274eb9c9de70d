"""Which tests ran, what they say and assume, and tests of single models."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from bakeoff.report import cells, prose
from bakeoff.report.checks import Check, checked
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, capital, count
from bakeoff.report.pairs_shown import families_of, order
from bakeoff.report.power import detectable
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate
from bakeoff.report.undeclared import notes
from bakeoff.report.verdict.sentences import assumed
from bakeoff.spec import PlannedTest
from bakeoff.stats import Arity, Entry, TypeOneError, catalogue

_QUOTED = re.compile(r"`([^`]*)`")
CHOSEN_COLUMNS = (
    Column("test", "Test"),
    cells.PLAN,
    Column("metrics", "Metrics"),
    Column("settings", "Settings"),
    Column("why", "Reason"),
)


def build_chosen(item: Item, study: Study) -> PageTable:
    """Say which tests ran, on what, with which settings, and why."""
    rows = (
        {
            "test": catalogue()[test.name].title,
            "plan": test.plan,
            "metrics": ", ".join(study.metrics[name].title for name in test.metrics),
            "settings": "; ".join(_settings(study, test)),
            "why": capital(clean(_QUOTED.sub(r"“\1”", test.why))),
        }
        for test in study.analysis
    )
    return tabulate(item, study, CHOSEN_COLUMNS, rows)


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
    Column("detectable", "Probably missed"),
)


def build_tests(item: Item, study: Study) -> PageTable:
    """Say what each test is about, how far to trust it, and what it would miss."""
    rows = []
    for entry in study.tests:
        families = study.of_test(entry.name)
        if not families:
            continue
        lenient = study.type1(entry) is TypeOneError.LIBERAL
        alone = families[0].bayesian or len(families[0].rows) < 2
        nulls = (r.result.get("null_hypothesis") for f in families for r in f.rows)
        rows.append(
            {
                "test": entry.title,
                "about": prose.about(families[0]),
                "null_hypothesis": next(filter(None, nulls), NONE),
                "type1": Cell(study.type1(entry).short, tone="bad" if lenient else ""),
                "family": NONE if alone else prose.correction(families[0]),
                "detectable": _would_miss(study, entry),
            }
        )
    note = [said for said in dict.fromkeys(map(assumed, study.families)) if said]
    return tabulate(item, study, TESTS_COLUMNS, rows, " ".join(note))


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
    Column("detail", "Details"),
)


def build_assumptions(item: Item, study: Study) -> PageTable:
    """Show the checks of what tests assume."""
    rows = (
        {
            "test": entry.title,
            "assumption": check.name,
            "holds": _holds(check),
            "detail": check.detail,
        }
        for entry in study.tests
        for check in checked(row for family in study.of_test(entry.name) for row in family.rows)
    )
    return tabulate(item, study, ASSUMPTIONS_COLUMNS, rows)


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
    cells.DATASET,
    Column("found", "Finding"),
    Column("advice", "What to do"),
)
_OF_TABLES = (
    "The checks look for columns like group ids, rows that repeat other rows (or all but one of "
    "their features), test rows that repeat training rows, and models that disagree alike on "
    "neighbouring test rows. Repeated rows that coarse features make likely by chance are not "
    "reported. Nothing was changed."
)
_OF_PREDICTIONS = (
    "Given predictions come without features. The checks look for columns named like group ids in "
    "the same table, and for models that disagree alike on neighbouring rows, both only where no "
    "groups or times are declared."
)


def build_undeclared(item: Item, study: Study) -> PageTable:
    """List the notes, or say that there is none."""
    found = notes(study)
    seen = any(card["features"] for card in study.cards.values())
    nothing = "nothing" if seen else "nothing; there are no features to look at"
    none = {"dataset": Cell("all"), "found": nothing, "advice": NONE}
    rows = [note._asdict() for note in found] or [none]
    note = _OF_TABLES if seen else _OF_PREDICTIONS
    summary = count(len(found), "note") if found else "nothing found"
    return tabulate(item, study, UNDECLARED_COLUMNS, rows, note, summary=summary)


SINGLE_COLUMNS = (
    cells.MODEL,
    Column("dataset", "Data set", cells.DATASET_LABEL),
    cells.METRIC,
    Column("estimate", "Estimate", cells.SCORE),
    Column("ci_low", "CI", cells.INTERVAL),
    Column("null_value", "Tested against", cells.NUMBER),
    cells.STATISTIC,
    cells.PVALUE,
    cells.ADJUSTED,
    cells.DECISION,
)


def build_single(item: Item, study: Study) -> PageTable:
    """Show a test of each model by itself."""
    found = study.of_test(item.test, "single")
    rows = [
        cells.compared(study, row) | {"null_value": prose.tested_value(row)}
        for family in found
        for row in family.rows
    ]
    first = found[0].rows[0]
    level = f"{prose.level_of(first)}; " if not math.isnan(first.confidence) else ""
    asks = {"greater": "above", "less": "below"}.get(first.alternative)
    side = f"; one-sided: is the score {asks} the value?" if asks else "."
    note = capital(f"{level}{prose.correction(found[0])}{side}")
    return tabulate(item, study, SINGLE_COLUMNS, rows, note)


EXHIBITS = {
    "chosen": TableExhibit(
        section=Section.TRUST,
        place=10,
        title="Tests and why they were chosen",
        caption="The tests that ran, with their resampling plan, metrics, level, correction and "
        "options, and the reason for each.",
        build=build_chosen,
    ),
    "tests": TableExhibit(
        section=Section.TRUST,
        place=20,
        title="What each test is about",
        caption="A fitted model is the result of one training set; a learning algorithm would be "
        "trained anew. The type I error rate comes from simulations. “Probably missed” is the "
        "largest true difference that a pairwise test would detect with a power below 80%, given "
        "the noise of these data. Corrections are made within one data set and metric.",
        build=build_tests,
    ),
    "assumptions": TableExhibit(
        section=Section.TRUST,
        place=30,
        title="Assumptions of the tests",
        caption="The assumptions of each test and whether the data agree with them. “Cannot be "
        "checked” marks assumptions that only knowledge of the origin of the data can settle. "
        "Where a test made several comparisons, the details are those of the first one that "
        "violates the assumption, or else of the first.",
        build=build_assumptions,
    ),
    "undeclared": TableExhibit(
        section=Section.TRUST,
        place=55,
        title="Undeclared dependence",
        caption="Signs of dependent rows that the experiment does not declare. If rows are "
        "dependent, tests that assume independent rows have an inflated type I error.",
        of_rows=True,
        build=build_undeclared,
    ),
    "single": TableExhibit(
        section=Section.COMPARISONS,
        place=25,
        title="",
        caption="A test of each model by itself against a fixed value. It does not compare "
        "models; the p-values are adjusted for the number of models.",
        each="test",
        when=lambda design, entry: entry.arity is Arity.ONE,
        folded="All numbers",
        build=build_single,
    ),
}
