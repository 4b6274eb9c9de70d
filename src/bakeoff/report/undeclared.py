"""Notes on rows that may belong together though nobody said so, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.numbers import capital, clean, fixed, words
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
_COPIES = "If they are copies or repeated measurements of one case, remove them or name {column}"
_CASES = "a column with the id of the case under 'groups:'"


class Remark(NamedTuple):
    """What is odd about columns, and what to do."""

    columns: str
    """Names columns that are so."""
    column: str
    """Says it of one column."""
    advice: str


REMARKS: Mapping[str, Remark] = {
    "unique": Remark(
        "columns that differ in every row, like an id, and are learned from",
        "It differs in every row, like an id, and is learned from.",
        "name one that identifies the rows under 'id:', and leave others out by 'drop:' unless "
        "they are measurements",
    ),
    "numbers": Remark(
        "columns of numbers that are read as texts",
        "Numbers are read as texts.",
        "list texts that stand for a missing value under 'missing_values:', or write plain numbers",
    ),
    "written": Remark(
        "columns of numbers in other notations, which are read as texts",
        "Numbers in other notations are read as texts.",
        "write plain numbers, like 1234.5 or 0.198, without signs of thousands, currencies or "
        "percent",
    ),
    "dates": Remark(
        "columns of dates that are read as categories",
        "Dates are read as categories.",
        "say their format, like 'dates: {admitted: \"%d.%m.%Y\"}', or leave them out by 'drop:'",
    ),
    "missing": Remark(
        "columns with a text that may stand for a missing value",
        "A text may stand for a missing value.",
        "list it under 'missing_values:' if it does",
    ),
    "alike": Remark(
        "columns with categories that are nearly equal",
        "Categories are nearly equal.",
        "write those that mean the same in one way",
    ),
    "nul": Remark(
        "columns with NUL characters",
        "It has NUL characters.",
        "save the table again as text",
    ),
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
    finding: str
    advice: str
    """Whole sentences."""

    @property
    def text(self) -> str:
        """Both, one after the other."""
        return f"{self.finding} {self.advice}"


@lru_cache(maxsize=8)
def notes(study: Study) -> list[Note]:
    """Return all notes of a study, data set by data set."""
    every: list[Note] = []
    for dataset in study.datasets:
        if dataset in study.cards:
            divisions = []
            for part in study.divisions:
                if part["dataset"] == dataset:
                    divisions.append(part)
            every += notes_on(study.cards[dataset], divisions, study.command)
        if dataset in study.test_sets:
            every += of_order(study, dataset, study.test_sets[dataset])
    return every


def notes_on(
    card: Mapping[str, Any], divisions: Iterable[Mapping[str, Any]] = (), command: str = ""
) -> Iterator[Note]:
    """Note columns like ids of groups, rows that repeat others, and how columns were read."""
    dataset = card["dataset"]
    label = clean(card["label"])
    in_python = command.startswith("bakeoff.")
    for kind, remark in REMARKS.items():
        columns = _columns_with(card, kind)
        if columns:
            advice = remark.advice
            if in_python:
                advice = _IN_PYTHON.get(kind, advice)
            finding = f"{label} has {remark.columns}: {words(columns, _MOST_COLUMNS)}."
            yield Note(dataset, finding, f"{capital(advice)}.")
    for column in card["group_columns"]:
        name = clean(column["column"])
        finding = (
            f"{name!r} of {label} looks like an id of groups: {column['why']}, and there are "
            f"{column['groups']:,} values in {card['rows']:,} rows."
        )
        setting = _setting_of_groups(card, name, command)
        yield Note(dataset, finding, f"If rows of one value belong together, write {setting}.")
    repeats = list(_repeats(card, divisions))
    if repeats:
        column = _CASES
        if in_python:
            column = "the id of the case of each row by `groups`"
        yield Note(dataset, " ".join(repeats), f"{_COPIES.format(column=column)}.")


def _columns_with(card: Mapping[str, Any], kind: str) -> list[str]:
    """Name the columns of a data set that have a remark of one kind, with what it says."""
    named = []
    for name, column in card["features"].items():
        # a remark is its kind and what was found, such as a text or two categories
        remark, example = column.get("remark", ("", ""))
        if remark == kind:
            named.append(f"{clean(name)!r}{_in_brackets(example)}")
    return named


def _in_brackets(example: str) -> str:
    if example:
        return f" ({clean(example)})"
    return ""


def _setting_of_groups(card: Mapping[str, Any], column: str, command: str) -> str:
    """Say how groups are named: to a call from Python, a command, or in an experiment."""
    if command.startswith("bakeoff."):
        return "groups=…, its values"
    # a command that reads files takes options, an experiment keys
    if command:
        return f"--groups {column}"
    if not card["features"]:  # given predictions
        return f"'columns: {{groups: {column}}}'"
    return f"'groups: {column}'"


def _repeats(card: Mapping[str, Any], divisions: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Say which rows repeat others, exactly or nearly, where that is no chance."""
    of_rows = f"of {card['rows']:,} rows in {clean(card['label'])}"
    near_copies = card["near_copies"]
    if near_copies:
        answer = "class"
        if "numbers" in card:
            answer = "number"
        again = f"nearly {_repeat(near_copies)} another row of the same {answer}"
        yield f"About {near_copies:,} {of_rows} {again}."
    # coarse features repeat each other by chance, and say nothing of copies
    if card["pairs_by_chance"] >= CHANCE:
        return
    copies = card["duplicate_rows"]
    if copies:
        yield f"{copies:,} {of_rows} {_repeat(copies)} an earlier row in every feature."
    worst = 0.0  # of the plan that has most test rows that repeat training rows
    for division in divisions:
        which = "of "
        if len(division["parts"]) > 1:
            which = "in the worst division of "
        for part in division["parts"]:
            n = part["test"]["rows"]
            repeated = part["repeated"]
            if repeated / max(n, 1) > worst:
                worst = repeated / max(n, 1)
                again = f"{_repeat(repeated)} a training row in every feature"
                of_plan = f"{which}{PLANS[division['plan']]}"
                worst_part = f"{repeated:,} of {n:,} test rows {of_plan} {again}"
    if worst:
        yield f"{worst_part}, so models may have memorised them."


def _repeat(n_rows: int) -> str:
    """Return the verb of one or several rows."""
    if n_rows == 1:
        return "repeats"
    return "repeat"


def remark_on(column: Mapping[str, Any]) -> str:
    """Say in a table what is odd about a column; empty where nothing is."""
    kind, example = column.get("remark", ("", ""))
    if not kind:
        return ""
    text = REMARKS[kind].column
    if example:
        text = f"{text.removesuffix('.')} ({clean(example)})."
    return text


def of_order(study: Study, dataset: str, rows: PairedPredictions) -> Iterator[Note]:
    """Note disagreements of models that are alike on neighbouring test rows."""
    # what is declared is accounted for, and rows without an order have no neighbours
    if rows.related or rows.n < 2 or not rows.in_order:
        return
    alike = order_dependence(rows.correct, rows.truth)
    if alike is None or alike.autocorrelation < ALIKE or alike.pvalue > LEVEL:
        return
    a = study.label(run_of(rows.models[alike.model_a])[0])
    b = study.label(run_of(rows.models[alike.model_b])[0])
    between = f"{a} and {b}" if a != b else f"two training runs of {a}"
    time = "under 'time:'"
    groups = "under 'groups:'"
    if study.command.startswith("bakeoff."):
        time = "by `time`"
        groups = "by `groups`"
    elif study.command:
        time = "by --time"
        groups = "by --groups"
    yield Note(
        dataset,
        f"The disagreements of {between} on neighbouring test rows of "
        f"{study.dataset_label(dataset)} are correlated (lag-1 autocorrelation "
        f"{fixed(alike.autocorrelation, 2)}: {rows.n:,} rows may be worth about "
        f"{alike.n_effective:,.0f}), but tests on rows assume independent rows.",
        f"If the rows are in the order of time, name the column of times {time}. If "
        f"neighbouring rows form groups, name their column {groups}. A file that is only "
        "sorted by a feature needs neither.",
    )
