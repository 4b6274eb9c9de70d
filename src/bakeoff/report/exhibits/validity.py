"""How far to trust the results: tests, assumptions, data, divisions, failed fits."""

from __future__ import annotations

import math
import re
from typing import Any

import pandas as pd

from bakeoff.report import prose, tables
from bakeoff.report.exhibit import Section, table
from bakeoff.report.numbers import NONE, capital, clean, fixed, percent
from bakeoff.report.prose import checked
from bakeoff.report.study import Study
from bakeoff.report.tables import COUNT, DATASET, SIZES, Cell, Column, Kind, Table, numbers
from bakeoff.report.undeclared import notes, remark_on
from bakeoff.stats import TypeOneError, catalogue


@table(Section.VALIDITY, 10, "Tests and why they were chosen")
def tests(study: Study) -> Table:
    """The tests that ran and the reason for each. The type I error rate comes from simulations.
    Corrections are made within one data set and metric.
    """
    reasons = {
        test.posthoc.name: f"follows {catalogue()[test.name].title}"
        for test in study.planned
        if test.posthoc
    }
    reasons |= {test.name: test.why for test in study.planned}
    rows = []
    for entry in study.tests:
        test, families = study.planned.by_name[entry.name], study.of_test(entry.name)
        nulls = (row.result.get("null_hypothesis") for f in families for row in f.rows)
        lenient = study.type1(entry) is TypeOneError.LIBERAL
        alone = not families or families[0].bayesian or len(families[0].rows) < 2
        plans = [test.plan] if test.plan else list(dict.fromkeys(f.plan for f in families))
        metrics = test.metrics or dict.fromkeys(family.metric for family in families)
        settings = [f"level {test.alpha:g}", NONE if alone else prose.correction(families[0])]
        settings += [f"versus {study.label(test.versus)}"] if test.versus else []
        settings += [f"{key} {v}" for key, v in test.options.items() if v != "two-sided"]
        rows.append(
            {
                "test": entry.title,
                "plan": ", ".join(prose.PLANS[plan] for plan in plans),
                "metrics": ", ".join(study.metrics[name].title for name in metrics),
                "null_hypothesis": next(filter(None, nulls), NONE),
                "type1": Cell(study.type1(entry).short, tone="bad" if lenient else ""),
                "settings": "; ".join(part for part in settings if part != NONE),
                "why": capital(clean(re.sub(r"`([^`]*)`", r"“\1”", reasons[entry.name]))),
            }
        )
    columns = (
        Column("test", "Test"),
        Column("plan", "On"),
        Column("metrics", "Metrics"),
        Column("null_hypothesis", "Null hypothesis"),
        Column("type1", "Error rate"),
        Column("settings", "Settings"),
        Column("why", "Reason"),
    )
    return Table(columns, rows)


@table(Section.VALIDITY, 20, "Assumptions of the tests")
def assumptions(study: Study) -> Table:
    """The assumptions of each test and whether the data agree with them. “Cannot be checked” marks
    assumptions that only knowledge of the origin of the data can settle. Where a test made several
    comparisons, the details are those of the first one that violates the assumption, or else of the
    first.
    """
    rows = []
    for entry in study.tests:
        for one in checked(row for family in study.of_test(entry.name) for row in family.rows):
            n, fails, unknown = len(one.holds), one.holds.count(False), one.holds.count(None)
            where = f", where checked ({n - unknown} of {n})" if unknown else ""
            said, tone = f"yes{where}", "good"
            if fails:
                said, tone = "no" if fails == n else f"not in {fails} of {n}", "bad"
            elif unknown == n:
                said, tone = "cannot be checked", "open"
            line = {"test": entry.title, "assumption": one.name, "detail": one.detail}
            rows.append(line | {"holds": Cell(said, tone=tone)})
    columns = (
        Column("test", "Test"),
        Column("assumption", "Assumption"),
        Column("holds", "Holds"),
        Column("detail", "Details"),
    )
    return Table(columns, rows)


@table(Section.DATA, 10, "The data")
def data(study: Study) -> Table:
    """The data sets, with a hash of the canonical table (complete in the CSV file)."""
    rows = []
    for name in study.datasets:
        card, unit = study.cards[name], study.analysis.datasets[name].unit
        licence = clean(card["licence"]) if card.get("licence") else NONE
        row = {**card, "features": len(card["features"]), "licence": licence}
        row["target" if "numbers" in card else "classes"] = prose.of_target(card, unit)
        if "numbers" not in card:
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
    """What each column holds, as it was read: its kind, different and missing values."""
    rows = [
        {"dataset": name, "column": clean(column), **facts, "remark": remark_on(facts)}
        for name in study.datasets
        for column, facts in study.cards[name]["features"].items()
    ]
    kept = DATASET, Column("column", "Column"), Column("kind", "Read as")
    counted = Column("distinct", "Different", COUNT), Column("missing", "Missing", COUNT)
    return Table((*kept, *counted, Column("remark", "Remark")), rows)


@table(Section.DATA, 30, "Undeclared dependence, and columns to look at")
def undeclared(study: Study) -> Table:
    """Signs of dependent rows that the experiment does not declare, and columns that were perhaps
    not read as they were meant. If rows are dependent, tests that assume independent rows have an
    inflated type I error.
    """
    none = {"dataset": Cell("all"), "found": "nothing", "advice": NONE}
    how = (
        "The checks look for columns like group ids, rows that repeat other rows, test rows that "
        "repeat training rows, and models that disagree alike on neighbouring test rows. Repeated "
        "rows that coarse features make likely by chance are not reported. Nothing was changed."
    )
    columns = DATASET, Column("found", "Finding"), Column("advice", "What to do")
    return Table(columns, [note._asdict() for note in notes(study)] or [none], how)


@table(Section.FITS, 10, "The splits")
def splits(study: Study) -> Table:
    """How the rows were divided, and how much the share of a class (the mean of numbers, in
    standard deviations) differs at most between the training part and the test part of a division.
    """
    by_place = {(one["dataset"], one["plan"]): one for one in study.divisions}
    of_numbers = study.analysis.task.numbers
    differs = "max_mean_difference" if of_numbers else "max_class_share_difference"
    rows = []
    parts = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    for (dataset, plan), part in parts.groupby(["dataset", "plan"], sort=False):
        division = by_place.get((str(dataset), str(plan)), {"method": "not known"})
        row: dict[str, Any] = {"dataset": dataset, "plan": plan, "splits": len(part)}
        row |= {"n_train": part["n_train"], "n_test": part["n_test"]}
        row["method"] = division["method"] + ", stratified" * bool(division.get("stratified"))
        row[differs] = Cell("not known")
        if division["method"] not in ("given", "not known"):
            row[differs] = division["max_class_share_difference"]
        if division.get("groups"):
            tested = pd.DataFrame([one["test"] for one in division["parts"]])
            row |= {"groups": division["groups"], "test_groups": tested["groups"]}
        rows.append(row)
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
