"""How far to trust the results: tests, assumptions, data, divisions, failed fits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from bakeoff.comparisons.run_tests import Comparison
from bakeoff.report import prose, tables
from bakeoff.report.exhibit import Section, table
from bakeoff.report.family import Family
from bakeoff.report.numbers import NONE, capital, clean, fixed, percent
from bakeoff.report.prose import Check, checked
from bakeoff.report.study import Study
from bakeoff.report.tables import COUNT, DATASET, SIZES, Cell, Column, Kind, Table, numbers
from bakeoff.report.undeclared import notes, remark_on
from bakeoff.spec import PlannedTest
from bakeoff.stats import Entry, TypeOneError, catalogue


@table(Section.VALIDITY, 10, "Tests and why they were chosen")
def tests(study: Study) -> Table:
    """The table lists the tests that ran and the reason for each. The type I error rate comes from
    simulations. Corrections are made within one data set and metric.
    """
    rows = [_row_of_test(study, entry) for entry in study.tests]
    columns = [
        Column("test", "Test"),
        Column("plan", "On"),
        Column("metrics", "Metrics"),
        Column("null_hypothesis", "Null hypothesis"),
        Column("type1", "Error rate"),
        Column("settings", "Settings"),
        Column("why", "Reason"),
    ]
    return Table(columns, rows)


def _row_of_test(study: Study, entry: Entry) -> dict[str, Any]:
    """Say on what a test ran, what it asks, with which settings, and why."""
    test = study.planned.by_name[entry.name]
    families = study.of_test(entry.name)
    plans = [test.plan]
    if not test.plan:
        plans = list(dict.fromkeys(family.plan for family in families))
    metrics = test.metrics or list(dict.fromkeys(family.metric for family in families))
    type1 = study.type1(entry)
    return {
        "test": entry.title,
        "plan": ", ".join(prose.PLANS[plan] for plan in plans),
        "metrics": ", ".join(study.metrics[name].title for name in metrics),
        "null_hypothesis": prose.in_words(study, _null_hypothesis(families)),
        "type1": Cell(type1.short, tone="bad" if type1 is TypeOneError.LIBERAL else ""),
        "settings": "; ".join(_settings(study, test, families)),
        "why": capital(clean(re.sub(r"`([^`]*)`", r"“\1”", _reason(study, entry.name)))),
    }


def _null_hypothesis(families: Sequence[Family]) -> str:
    """Return the first null hypothesis that a result of a test names."""
    for family in families:
        for row in family.rows:
            if row.result.get("null_hypothesis"):
                return str(row.result["null_hypothesis"])
    return NONE


def _settings(study: Study, test: PlannedTest, families: Sequence[Family]) -> list[str]:
    """Name the level of a test, its correction, its control and its options."""
    settings = [f"level {test.alpha:g}"]
    if families and not families[0].bayesian and len(families[0].rows) > 1:
        settings.append(prose.correction(families[0]))
    if test.versus:
        settings.append(f"versus {study.label(test.versus)}")
    for name, value in test.options.items():
        if value != "two-sided":
            settings.append(f"{name} {value}")
    return settings


def _reason(study: Study, name: str) -> str:
    """Say why a test ran: by itself, or after another one."""
    reason = ""
    for test in study.planned:
        if test.name == name:
            return prose.in_words(study, f"{test.why.rstrip('.')}.")
        if test.posthoc and test.posthoc.name == name:
            reason = f"it follows {prose.the(catalogue()[test.name])}."
    return reason


@table(Section.VALIDITY, 20, "Assumptions of the tests")
def assumptions(study: Study) -> Table:
    """The table lists the assumptions of each test and says whether the data agree with them.
    “Cannot be checked” marks assumptions that only knowledge of the origin of the data can settle.
    Where a test made several comparisons, the details are those of the first one that violates the
    assumption, or else of the first.
    """
    rows = []
    for entry in study.tests:
        comparisons = list[Comparison]()
        for family in study.of_test(entry.name):
            comparisons += family.rows
        for check in checked(comparisons):
            row = {
                "test": entry.title,
                "assumption": capital(check.name),
                "holds": _holds(check),
                "detail": _in_words(study, check.detail),
            }
            rows.append(row)
    columns = (
        Column("test", "Test"),
        Column("assumption", "Assumption"),
        Column("holds", "Holds"),
        Column("detail", "Details"),
    )
    return Table(columns, rows)


def _in_words(study: Study, detail: str) -> str:
    """Write what an assumption says of the data with a capital and a full stop."""
    text = prose.in_words(study, detail)
    if not text:
        return NONE
    # a symbol such as n_test keeps its small letter
    if "_" not in text.split()[0]:
        text = capital(text)
    return f"{text.removesuffix('.')}."


def _holds(check: Check) -> Cell:
    """Say in how many comparisons an assumption holds."""
    n = len(check.holds)
    n_failed = check.holds.count(False)
    n_unknown = check.holds.count(None)
    if n_failed == n:
        return Cell("no", tone="bad")
    if n_failed:
        return Cell(f"not in {n_failed} of {n}", tone="bad")
    if n_unknown == n:
        return Cell("cannot be checked", tone="open")
    if n_unknown:
        return Cell(f"yes, where checked ({n - n_unknown} of {n})", tone="good")
    return Cell("yes", tone="good")


@table(Section.DATA, 10, "The data")
def data(study: Study) -> Table:
    """The table lists the data sets, with a hash of the table that was read (complete in the CSV
    file).
    """
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        row = {
            **card,
            "features": len(card["features"]),
            "licence": clean(card["licence"]) if card.get("licence") else NONE,
        }
        target = prose.of_target(card, study.analysis.datasets[name].unit)
        if "numbers" in card:
            row["target"] = target
        else:
            row["classes"] = target
            counts = card["classes"].values()
            row["rarest"] = min(counts) / card["rows"] if counts else math.nan
        rows.append(row)
    rare = numbers(lambda value: NONE if math.isnan(value) else percent(round(value, 3)))
    columns = (
        Column("dataset", "Data set", tables.DATASET_LABEL),
        Column("rows", "Rows", COUNT),
        Column("features", "Features", COUNT),
        Column("classes", "Classes"),
        Column("target", "Target"),
        Column("rarest", "Rarest class", rare),
        Column("missing_cells", "Missing cells", COUNT),
        Column("duplicate_rows", "Duplicate rows", COUNT),
        Column("licence", "Licence"),
        Column("sha256", "SHA-256", Kind(lambda _, v: Cell(str(v)[:12], v), number=False)),
    )
    return Table(columns, rows)


@table(
    Section.DATA,
    20,
    "How columns were read",
    when=lambda design: bool(design.analysis.fitted),
)
def columns(study: Study) -> Table:
    """The table says what each column holds, as it was read: its kind, and how many different and
    how many missing values it has.
    """
    rows = []
    for dataset in study.datasets:
        for name, column in study.cards[dataset]["features"].items():
            row = {"dataset": dataset, "column": clean(name)}
            row |= column
            row["remark"] = remark_on(column)
            rows.append(row)
    columns = [
        DATASET,
        Column("column", "Column"),
        Column("kind", "Read as"),
        Column("distinct", "Different", COUNT),
        Column("missing", "Missing", COUNT),
        Column("remark", "Remark"),
    ]
    return Table(columns, rows)


@table(Section.DATA, 30, "Undeclared dependence, and columns to look at")
def undeclared(study: Study) -> Table:
    """The table lists signs of dependent rows that the experiment does not declare, and columns
    that were perhaps not read as they were meant. If rows are dependent, tests that assume
    independent rows have an inflated type I error.
    """
    rows: list[dict[str, Any]] = []
    for note in notes(study):
        rows.append({"dataset": note.dataset, "found": note.finding, "advice": note.advice})
    if not rows:
        rows.append({"dataset": Cell("all"), "found": "Nothing was found.", "advice": NONE})
    how = (
        "The checks look for columns like group ids, rows that repeat other rows, test rows that "
        "repeat training rows, and models that disagree alike on neighbouring test rows. Repeated "
        "rows that coarse features make likely by chance are not reported. Nothing was changed."
    )
    columns = [DATASET, Column("found", "Finding"), Column("advice", "What to do")]
    return Table(columns, rows, how)


@table(Section.FITS, 10, "The splits")
def splits(study: Study) -> Table:
    """The table says how the rows were divided, and how much the share of a class (the mean of
    numbers, in standard deviations) differs at most between the training part and the test part of
    a division.
    """
    division_by_place = {}
    for division in study.divisions:
        division_by_place[division["dataset"], division["plan"]] = division
    rows = []
    parts = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    for place, part in parts.groupby(["dataset", "plan"], sort=False):
        dataset, plan = map(str, place)
        row = {
            "dataset": dataset,
            "plan": plan,
            "splits": len(part),
            "n_train": part["n_train"],
            "n_test": part["n_test"],
        }
        division = division_by_place.get((dataset, plan), {"method": "not known"})
        rows.append(row | _of_division(division, study.analysis.task.numbers))
    note = "All models are trained and tested on the same rows of every division."
    if study.analysis.scores_of_plans:
        note = "The scores were given; bakeoff cannot check that they come from the same divisions."
    if any("groups" in row for row in rows):
        note += " Groups are never divided."
    points = numbers(lambda value: f"{100 * value:.1f} points")
    in_sd = numbers(lambda value: f"{fixed(value, 2)} SD")
    columns = (
        DATASET,
        tables.PLAN,
        Column("method", "Method"),
        Column("splits", "Divisions", COUNT),
        Column("n_train", "Training rows", SIZES),
        Column("n_test", "Test rows", SIZES),
        Column("groups", "Groups", COUNT),
        Column("test_groups", "In a test part", SIZES),
        Column("max_class_share_difference", "Largest difference of class shares", points),
        Column("max_mean_difference", "Largest difference of means", in_sd),
    )
    return Table(columns, rows, note)


def _of_division(division: Mapping[str, Any], of_numbers: bool) -> dict[str, Any]:
    """Say how rows were divided, and how much the parts differ."""
    method = division["method"]
    differs = "max_class_share_difference"
    if of_numbers:
        differs = "max_mean_difference"
    row: dict[str, Any] = {"method": method, differs: Cell("not known")}
    if division.get("stratified"):
        row["method"] = f"{method}, stratified"
    if method not in ("given", "not known"):
        row[differs] = division["max_class_share_difference"]
    if division.get("groups"):
        tested = pd.DataFrame([part["test"] for part in division["parts"]])
        row["groups"] = division["groups"]
        row["test_groups"] = tested["groups"]
    return row
