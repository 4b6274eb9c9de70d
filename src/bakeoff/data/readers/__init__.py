"""Readers of logs of evaluations, one module for each tool, which are told by their content.

A module says in `WHAT` what its files are, in `recognizes` whether the first 2²⁰ characters are of
one, and reads in `read` a text to rows, with columns called as in any table of predictions. Ids
are what `ids_of_questions` returns. The rows say in `attrs` their ``model``, their ``task``,
a ``key`` of the evaluation and the ``settings`` that runs of one model share, by name; ``prompts``
may have a digest of each prompt by the ids, and ``ended`` how many samples each limit ended. A log
of several models has a column ``model``, and the settings of each. A module may have `named`, which
tells model and task from the place of a file, `beside`, which returns settings that another file
there holds, `unpacks` and `read_archive`. Other packages enter such a module, or any object like
it, by the entry point ``bakeoff.readers``.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.errors import joined, shown, some
from bakeoff.files import digest
from bakeoff.options import can_set, is_in_experiment, setting
from bakeoff.sources.common.formats import check_archive

SAMPLE_ID = "sample_id"
"""The column of the ids that a log itself has, which are often the places of its samples."""
SCORES = "scores"
"""What logs say in `attrs`: the metrics of each task, of which the only one is ``score``."""
SETTINGS, PROMPTS, ENDED, UNFINISHED = "settings", "prompts", "ended", "unfinished"
"""What logs say in `attrs` of how a model was asked; `read_log` adds why one has not all rows."""
OF_MODEL = "model_args."
"""How names of settings begin that are about the model, not about what it was asked."""
QUESTION = r"(?P<beginning>.*) \[(?P<text>[0-9a-f]{6})(?P<facts>[0-9a-f]{10})\]"
"""The id of a question: how it begins, digests of its text and of all that makes it one."""
_OF_TEXT = 6
_HEAD = 1 << 20
_SHOWN = 40
_ROLES = (
    *("id", "row_id", "row", "y_true", "true", "truth", "label", "target", "y", "y_pred", "seed"),
    *("predicted", "prediction", "pred", "value", "score", "loss", "model", "task", "run", "epoch"),
)
"""Names of columns with a meaning, which metadata of samples may have too."""
_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_KINDS |= {float: "a number", bool: "true or false"}


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


def question_of(text: str, *facts: Any) -> str:
    """Return what stands for a question: how it begins, and digests, as `QUESTION` has them."""
    of_text = digest([" ".join(text.split())])[:_OF_TEXT]
    of_facts = digest([text, *facts])[_OF_TEXT:]
    return f"{' '.join(text.split())[:_SHOWN]} [{of_text}{of_facts}]"


def ids_of_questions(rows: pd.DataFrame) -> pd.DataFrame:
    """Put ids that stand for questions before rows, as logs number them in the order they come."""
    questions, samples = rows["question"], rows[SAMPLE_ID]
    shared = samples.astype(str).groupby(questions).transform("nunique") > 1
    ids = questions.where(~shared, questions + " " + samples.astype(str))
    return rows.drop(columns="question").assign(id=ids)[["id", *rows.columns.drop("question")]]


def with_metadata(table: pd.DataFrame, metadata: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Put what a log knows of each sample, short texts and numbers, into columns of its own."""
    taken = {*table.columns, *_ROLES}
    short = [
        {
            f"metadata.{key}" if key in taken else str(key): value
            for key, value in one.items()
            if isinstance(value, str | int | float) and len(str(value)) <= _SHOWN
        }
        for one in metadata
    ]
    more = pd.DataFrame(short, index=table.index)
    for name, values in more.items():
        if len(more) > 1 and values.is_unique:  # which names samples, and puts none together
            more = more.drop(columns=name)
        elif values.dropna().map(type).nunique() > 1:
            more[name] = values.map(str, na_action="ignore")
    return pd.concat([table, more], axis=1)


def table_of_questions(
    rows: pd.DataFrame,
    scores: Sequence[str],
    metadata: Sequence[Mapping[str, Any]],
    settings: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the table of a log, in which the only one of several `scores` is the score."""
    only = dict.fromkeys(scores, "score") if len(scores) == 1 else {}
    table = with_metadata(ids_of_questions(rows.rename(columns=only)), metadata)
    table.attrs |= {SCORES: {"": list(scores)}, "settings": settings}
    return table


def reader_of(path: str) -> Any:
    """Return the module that recognizes a file; None for a plain table."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                unpacking = (one for one in _readers() if hasattr(one, "unpacks"))
                return next((one for one in unpacking if one.unpacks(archive)), None)
        with Path(path).open(encoding="utf-8") as file:
            head = file.read(_HEAD)
    except (OSError, UnicodeDecodeError, zipfile.BadZipFile, NotImplementedError):
        return None  # of a version that no archive has: whoever reads it as a table names it
    return next((reader for reader in _readers() if reader.recognizes(head)), None)


@cache
def _readers() -> tuple[Any, ...]:
    """Return the modules of this package, and what other packages enter."""
    from bakeoff.data.readers import inspect_logs, lm_eval, promptfoo

    others = metadata.entry_points(group="bakeoff.readers")
    return (inspect_logs, lm_eval, promptfoo, *(one.load() for one in others))


def read_log(reader: Any, path: str, *, partial: bool) -> pd.DataFrame:
    """Read a file by the reader that recognizes it; where it may be `partial`, what there is."""
    rows: pd.DataFrame
    try:
        try:
            if not zipfile.is_zipfile(path):
                rows = reader.read(Path(path).read_text(encoding="utf-8"))
            else:
                with zipfile.ZipFile(path) as archive:
                    check_archive(archive)
                    rows = reader.read_archive(archive)
        except LeftOut as error:
            if not partial or error.rows is None:
                raise
            rows = error.rows()
            rows.attrs[UNFINISHED] = {"why": str(error), "lacking": error.lacking}
    except (LookupError, TypeError, AttributeError, ArithmeticError, AssertionError) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"it is not as {reader.WHAT} is written ({why})") from None
    if hasattr(reader, "beside"):
        rows.attrs[SETTINGS] = {**rows.attrs.get(SETTINGS, {}), **reader.beside(Path(path))}
    return rows


def without_missing(error: Exception | None = None) -> str:
    """Say what to set where rows are missing, of a log that has some; nothing if nothing can be."""
    has_rows = not isinstance(error, LeftOut) or error.rows is not None
    if not has_rows or not isinstance(error, LeftOut | None):
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


def check_record(record: Any, place: str, shape: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of a log whose fields are of some types; of ``name?`` they may be missing."""
    if not isinstance(record, dict):
        raise ValueError(f"{place}: expected an object, found {shown(record)}")
    for name, kind in shape.items():
        key, value = name.removesuffix("?"), record.get(name.removesuffix("?"))
        if value is None and key != name:
            continue
        if key not in record:
            raise ValueError(f"{place}: expected the field {key!r}, found {some(record) or 'none'}")
        if not isinstance(value, kind):
            kinds = kind if isinstance(kind, tuple) else (kind,)
            words = joined([_KINDS[one] for one in kinds], "or")
            raise ValueError(f"{place}.{key}: expected {words}, found {shown(value)}")
    return record


def known() -> str:
    """List what is recognized."""
    return "; ".join(reader.WHAT for reader in _readers())
