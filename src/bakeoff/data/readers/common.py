"""What readers of logs share: records that are checked, ids of questions, and tables of samples."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from bakeoff.errors import joined, shown, some
from bakeoff.files import digest, parse_json
from bakeoff.options import can_set, is_in_experiment, setting

SAMPLE_ID = "sample_id"
"""The column of the ids that a log itself has, which are often the places of its samples."""
SCORES = "scores"
"""What logs say in `attrs`: the metrics of each task, of which the only one is ``score``."""
COST = "cost"
"""The column of what an answer cost, in the currency of the log."""
LATENCY = "latency"
"""The column of how long an answer took, in seconds."""
TOKENS = "total_tokens"
"""The column of how many tokens were read and written for an answer."""
USAGE = ("input_tokens", "output_tokens", TOKENS, COST, LATENCY)
"""Columns that say what an answer took, which are no scores."""
SETTINGS = "settings"
"""What logs say in `attrs`: what a model was asked with, by the names that the tool has for it."""
PROMPTS = "prompts"
"""What logs say in `attrs`: a digest of the prompt of each id."""
ENDED = "ended"
"""What logs say in `attrs`: how many samples each limit ended before the model was done."""
UNFINISHED = "unfinished"
"""What is added to `attrs` of a log that has not all of its rows: why, and which share it lacks."""
OF_MODEL = "model_args."
"""How names of settings begin that are about the model, not about what it was asked."""
QUESTION = r"(?P<beginning>.*) \[(?P<text>[0-9a-f]{6})(?P<facts>[0-9a-f]{10})\]"
"""The id of a question: how it begins, digests of its text and of all that makes it one."""
_DIGITS_OF_TEXT = 6
_SHOWN = 40
_ROLES = {
    "id", "row_id", "row", "y_true", "true", "truth", "label", "target", "y", "y_pred", "seed",
    "predicted", "prediction", "pred", "value", "score", "loss", "model", "task", "run", "epoch",
}  # fmt: skip
"""Names of columns with a meaning, which metadata of samples may have too."""
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


class LeftOut(ValueError):
    """A log that has not all of its rows; `rows` returns those that it has."""

    def __init__(
        self,
        message: str,
        rows: Callable[[], pd.DataFrame] | None = None,
        lacking: float | None = None,
    ) -> None:
        super().__init__(message)
        self.rows = rows
        self.lacking = lacking
        """The share of the rows that it has not, where that is known."""


def without_missing(error: Exception | None = None) -> str:
    """Say what to set where rows are missing, of a log that has some; nothing if nothing can be."""
    if error is not None and (not isinstance(error, LeftOut) or error.rows is None):
        return ""
    if is_in_experiment():
        return (
            "; an experiment takes complete ones: `bakeoff compare --missing common` compares the "
            "rows that all models have, `--missing wrong` counts the others as wrong"
        )
    if not can_set("missing"):
        return ""
    return (
        f"; {setting('missing', 'common')} compares the rows that all models have, "
        f"{setting('missing', 'wrong')} counts the others as wrong"
    )


# --- records of a log


@dataclasses.dataclass(frozen=True)
class Signature:
    """How the files of a tool begin and which fields they have, by which they are recognized."""

    begins: str
    patterns: tuple[str, ...]
    """What has to be found in a file, such as ``"field"\\s*:``."""
    in_first_line: bool = False
    """Whether all of it stands in the first line, as in JSON lines."""

    def __call__(self, head: str) -> bool:
        """Tell whether a file that starts like this is one of the tool."""
        text = head.lstrip()
        if self.in_first_line:
            text = first_line(head)
        return text.startswith(self.begins) and has_all(text, self.patterns)


def has_all(text: str, patterns: Iterable[str]) -> bool:
    """Tell whether every one of some patterns is found in a text."""
    return all(re.search(pattern, text) for pattern in patterns)


def first_line(head: str) -> str:
    """Return the first line of a file that is not empty."""
    return head.lstrip().split("\n", 1)[0]


def json_lines(text: str) -> Iterator[tuple[str, Any]]:
    """Parse a text with a JSON value on each line; with each value its place, for messages."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        yield f"line {number}", record


def check_record(record: Any, place: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of a log whose fields are of some types; of ``name?`` they may be missing."""
    if not isinstance(record, dict):
        raise ValueError(f"{place}: expected an object, found {shown(record)}")
    for field, kind in shape.items():
        key = field.removesuffix("?")
        value = record.get(key)
        # tools write null for what is not there, too
        if value is None and field.endswith("?"):
            continue
        if key not in record:
            raise ValueError(f"{place}: expected the field {key!r}, found {some(record) or 'none'}")
        if not isinstance(value, kind):
            kinds = kind
            if not isinstance(kind, tuple):
                kinds = (kind,)
            words = joined([_KINDS[allowed] for allowed in kinds], "or")
            raise ValueError(f"{place}.{key}: expected {words}, found {shown(value)}")
    return record


# --- tables of samples


def question_of(text: str, *facts: Any) -> str:
    """Return what stands for a question: how it begins, and digests, as `QUESTION` has them."""
    words = " ".join(text.split())
    of_text = digest([words])[:_DIGITS_OF_TEXT]
    of_facts = digest([text, *facts])[_DIGITS_OF_TEXT:]
    return f"{words[:_SHOWN]} [{of_text}{of_facts}]"


def table_of_questions(
    rows: pd.DataFrame,
    scores: Sequence[str],
    metadata: Sequence[Mapping[str, Any]] = (),
    settings: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Return the table of a log of the columns ``question``, ``sample_id`` and some scores.

    The only one of several scores is called ``score``.
    """
    # wherever one score is compared, its name is not asked for
    if len(scores) == 1:
        rows = rows.rename(columns={scores[0]: "score"})
    table = ids_of_questions(rows)
    if metadata:
        table = with_metadata(table, metadata)
    table.attrs[SCORES] = {"": list(scores)}
    table.attrs[SETTINGS] = settings or {}
    return table


def table_of_items(rows: Sequence[Mapping[str, Any]], scores: Sequence[str]) -> pd.DataFrame:
    """Return the table of a log whose items have ids of their own, in the column ``id``.

    Rows of one id are runs of it. The only one of several scores is called ``score``.
    """
    if not rows or not scores:
        raise LeftOut("no item has a score")
    table = pd.DataFrame(rows)
    if len(scores) == 1:
        table = table.rename(columns={scores[0]: "score"})
    # items have ids of their own, so that a second row of one is a second run
    if "run" not in table and table["id"].duplicated().any():
        table = table.assign(run=table.groupby("id").cumcount() + 1)
    table.attrs[SCORES] = {"": list(scores)}
    return table


def numbers_in(record: Mapping[str, Any]) -> dict[str, float]:
    """Return the fields of a record that are numbers, or true and false as 1 and 0."""
    numbers = {}
    for name, value in record.items():
        if isinstance(value, int | float):
            numbers[str(name)] = float(value)
    return numbers


def ids_of_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """Put ids that stand for questions before rows, as logs number them in the order they come."""
    questions = rows["question"]
    samples = rows[SAMPLE_ID].astype(str)
    # the same question may be asked in several samples, which are told apart by their own ids
    n_samples = samples.groupby(questions).transform("nunique")
    ids = questions.where(n_samples <= 1, questions + " " + samples)
    rest = rows.drop(columns="question")
    return pd.concat([ids.rename("id"), rest], axis=1)


def with_metadata(table: pd.DataFrame, metadata: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Put what a log knows of each sample, short texts and numbers, into columns of its own."""
    taken = _ROLES | set(table.columns)
    short_facts = [_short_facts(sample, taken) for sample in metadata]
    facts = pd.DataFrame(short_facts, index=table.index)
    for name, values in facts.items():
        if len(facts) > 1 and values.is_unique:  # which names samples, and puts none together
            facts = facts.drop(columns=name)
        elif values.dropna().map(type).nunique() > 1:  # a column has values of one type
            facts[name] = values.map(str, na_action="ignore")
    return pd.concat([table, facts], axis=1)


def _short_facts(sample: Mapping[str, Any], taken: set[Any]) -> dict[str, Any]:
    """Return what fits into a cell, by names that no other column has."""
    facts = {}
    for key, value in sample.items():
        if not isinstance(value, str | int | float) or len(str(value)) > _SHOWN:
            continue
        name = str(key)
        if key in taken:
            name = f"metadata.{key}"
        facts[name] = value
    return facts
