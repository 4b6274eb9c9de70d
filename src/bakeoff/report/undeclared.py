"""Notes on rows that may belong together though nobody said so, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.numbers import clean, fixed, words
from bakeoff.report.prose import PLANS
from bakeoff.report.study import Study
from bakeoff.spec.experiment import run_of
from bakeoff.stats import order_dependence

CHANCE = 0.1
"""Repeats are worth a note where features independent of each other would give fewer pairs."""
ALIKE = 0.1
"""So is an autocorrelation: from here on a row in five tells nothing new."""
LEVEL = 0.001
_MOST_COLUMNS = 5
_COPIES = "if they are copies or repeated measurements of one case, remove them or name {column}"
_CASES = "a column with the id of the case under 'groups:'"


REMARKS: Mapping[str, tuple[str, str]] = {
    "unique": (
        "columns that differ in every row, like an id, and are learned from",
        "name one that identifies the rows under 'id:', and leave others out by 'drop:' unless "
        "they are measurements",
    ),
    "numbers": (
        "columns of numbers that are read as texts",
        "list texts that stand for a missing value under 'missing_values:', or write plain numbers",
    ),
    "written": (
        "columns of numbers in other notations, which are read as texts",
        "write plain numbers, like 1234.5 or 0.198, without signs of thousands, currencies or "
        "percent",
    ),
    "dates": (
        "columns of dates that are read as categories",
        "say their format, like 'dates: {admitted: \"%d.%m.%Y\"}', or leave them out by 'drop:'",
    ),
    "missing": (
        "columns with a text that may stand for a missing value",
        "list it under 'missing_values:' if it does",
    ),
    "alike": (
        "columns with categories that are nearly equal",
        "write those that mean the same in one way",
    ),
    "nul": ("columns with NUL characters", "save the table again as text"),
}
"""What is odd about columns (`bakeoff.data.describe.describe`), and what to do."""
_IN_PYTHON: Mapping[str, str] = {
    "unique": "leave those that identify the rows out of X unless they are measurements",
    "numbers": "write None in place of texts that stand for a missing value, and convert the "
    "others by `pandas.to_numeric`",
    "written": "convert them to numbers",
    "dates": "convert them by `pandas.to_datetime`, or leave them out of X",
    "missing": "write None in its place if it does",
}
"""What to do about columns of a frame that a call from Python passes."""


class Note(NamedTuple):
    """What was found in a data set, and what to do."""

    dataset: str
    found: str
    advice: str
    """A clause each."""

    @property
    def sentence(self) -> str:
        """Both as one sentence."""
        return f"{self.found}; {self.advice}."


@lru_cache(maxsize=8)
def notes(study: Study) -> list[Note]:
    """Return all notes of a study, data set by data set."""
    every: list[Note] = []
    for dataset in study.datasets:
        if card := study.cards.get(dataset):
            divisions = [one for one in study.divisions if one["dataset"] == dataset]
            every += notes_on(card, divisions, study.command)
        if rows := study.test_sets.get(dataset):
            every += of_order(study, dataset, rows)
    return every


def notes_on(
    card: Mapping[str, Any], divisions: Iterable[Mapping[str, Any]] = (), command: str = ""
) -> Iterator[Note]:
    """Note columns like ids of groups, rows that repeat others, and how columns were read."""
    in_python = command.startswith("bakeoff.")
    dataset, label, rows = card["dataset"], clean(card["label"]), card["rows"]
    columns = {name: one["remark"] for name, one in card["features"].items() if "remark" in one}
    for kind, (heading, advice) in REMARKS.items():
        named = [
            f"{clean(name)!r}{f' ({clean(said)})' if said else ''}"
            for name, (remark, said) in columns.items()
            if remark == kind
        ]
        if in_python:
            advice = _IN_PYTHON.get(kind, advice)
        if named:
            yield Note(dataset, f"{label} has {heading}: {words(named, _MOST_COLUMNS)}", advice)
    for column in card["group_columns"]:
        name = clean(column["column"])
        setting = f"'groups: {name}'"
        if in_python:
            setting = "groups=…, its values"
        elif command:
            setting = f"--groups {name}"
        elif not card["features"]:  # given predictions
            setting = f"'columns: {{groups: {name}}}'"
        yield Note(
            dataset,
            f"{name!r} of {label} looks like an id of groups: {column['why']}, "
            f"{column['groups']:,} values in {rows:,} rows",
            f"if rows of one value belong together, write {setting}",
        )
    if card["pairs_by_chance"] >= CHANCE:
        return
    repeats = []
    if n := card["duplicate_rows"]:
        again = f"{n:,} of {rows:,} in {label}"
        repeats += [f"rows that repeat an earlier row in every feature: {again}"]
    worst = 0.0  # of the plan that has most test rows that repeat training rows
    for part, division in ((part, one) for one in divisions for part in one["parts"]):
        n, repeated = part["test"]["rows"], part["repeated"]
        if repeated / max(n, 1) > worst:
            worst = repeated / max(n, 1)
            several = "in the worst division of " if len(division["parts"]) > 1 else "of "
            where = f"{repeated:,} of {n:,} {several}{PLANS[division['plan']]}"
            memorised = f"{where}, so models may have memorised them"
    if worst:
        repeats += [f"test rows that repeat a training row in every feature: {memorised}"]
    if repeats:
        column = "the id of the case of each row by `groups`" if in_python else _CASES
        yield Note(dataset, "; ".join(repeats), _COPIES.format(column=column))


def remark_on(column: Mapping[str, Any]) -> str:
    """Say in a table what is odd about a column; empty where nothing is."""
    kind, said = column.get("remark", ("", ""))
    heading = REMARKS[kind][0].removeprefix("columns ").removeprefix("of ") if kind else ""
    return f"{heading}{f' ({clean(said)})' if said else ''}"


def of_order(study: Study, dataset: str, rows: PairedPredictions) -> Iterator[Note]:
    """Note disagreements of models that are alike on neighbouring test rows."""
    if rows.related or rows.n < 2 or not rows.in_order:
        return
    alike = order_dependence(rows.correct, rows.truth)
    if alike is None or alike.autocorrelation < ALIKE or alike.pvalue > LEVEL:
        return
    a, b = (study.label(run_of(rows.models[m])[0]) for m in (alike.model_a, alike.model_b))
    between = f"{a} and {b}" if a != b else f"two training runs of {a}"
    time, groups = "under 'time:'", "under 'groups:'"
    if study.command:
        in_python = study.command.startswith("bakeoff.")
        time, groups = ("by `time`", "by `groups`") if in_python else ("by --time", "by --groups")
    yield Note(
        dataset,
        f"the disagreements of {between} on neighbouring test rows of "
        f"{study.dataset_label(dataset)} are correlated (lag-1 autocorrelation "
        f"{fixed(alike.autocorrelation, 2)}: {rows.n:,} rows may be worth about "
        f"{alike.n_effective:,.0f}), but tests on rows assume independent rows",
        f"if the rows are in the order of time, name the column of times {time}; if "
        f"neighbouring rows form groups, name their column {groups}; a file that is only "
        "sorted by a feature needs neither",
    )
