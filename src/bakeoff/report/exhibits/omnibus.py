"""The tests of all models at once."""

from __future__ import annotations

from bakeoff.comparisons import Decision
from bakeoff.report import prose
from bakeoff.report.cells import p_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.family import Family
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE, count, degrees, number
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import Arity

COLUMNS = (
    Column("test", "Test"),
    Column("dataset", "On"),
    Column("metric", "Metric"),
    Column("statistic", "Statistic", True),
    Column("df", "df", True),
    Column("pvalue", "p", True),
    Column("decision", "Says"),
    Column("posthoc", "Pairs it goes with"),
)
_DIFFER = (Decision.A_BETTER, Decision.B_BETTER, Decision.DIFFERENT)


def build(item: Item, study: Study) -> PageTable:
    """Show the tests of all models at once, and how many pairs differ with them.

    Those over all data sets come first: they answer the study's question.
    """
    families = [family for family in study.families if family.role == "omnibus"]
    families.sort(key=lambda family: bool(family.dataset))
    single = [family for family in families if family.dataset]
    note = (
        "The tests of pairs are always computed. Where the test of all models at once is not "
        "significant, a significant pair is tentative."
    )
    return tabulate(
        item,
        COLUMNS,
        [_row(study, family) for family in families],
        note,
        summary=_summary(study, single),
        overall=len(families) - len(single),
    )


def _row(study: Study, family: Family) -> dict[str, Cell]:
    row = family.rows[0]
    found = row.decision is Decision.DIFFERENT
    return {
        "test": text(family.entry.title),
        "dataset": text(prose.where(study, family)),
        "metric": text(study.metrics[row.metric].title),
        "statistic": Cell(number(row.statistic), row.statistic),
        "df": text(degrees(row.df, row.df1, row.df2)),
        "pvalue": p_cell(row.pvalue, row.alpha),
        "decision": Cell(prose.decision(study, row), tone="good" if found else "open"),
        "posthoc": text(_pairs_with(study, family)),
    }


def _summary(study: Study, families: list[Family]) -> str:
    """Count by test and metric the data sets on which the models are not all alike."""
    counted: dict[str, list[bool]] = {}
    metrics = {family.metric for family in families}
    for family in families:
        of = f", {family.measure.title}" if len(metrics) > 1 else ""
        said = family.rows[0].decision is Decision.DIFFERENT
        counted.setdefault(f"{family.entry.title}{of}", []).append(said)
    return "; ".join(
        f"{name}: not all alike on {sum(found)} of {count(len(found), 'data set')}"
        for name, found in counted.items()
    )


def _pairs_with(study: Study, family: Family) -> str:
    where = (family.dataset, family.plan, family.metric)
    for pairs in study.families:
        same = (pairs.dataset, pairs.plan, pairs.metric) == where
        if pairs.settles and same and pairs.entry.name == family.entry.posthoc:
            found = sum(row.decision in _DIFFER for row in pairs.rows)
            return f"{pairs.entry.title}: {found} of {count(len(pairs.rows), 'pair')} differ"
    return NONE


def _any_omnibus(asked: Asked) -> bool:
    return any(entry.arity is Arity.OMNIBUS for entry in asked.tests)


EXHIBIT = TableExhibit(
    section=Section.COMPARISONS,
    place=10,
    title="All models at once",
    caption="Tests of the hypothesis that all models are alike. A small p-value says that they are "
    "not all alike, not which of them differ; a large one does not show that they are equal. The "
    "tests of pairs are computed in either case.",
    when=_any_omnibus,
    build=build,
)
