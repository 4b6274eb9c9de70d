"""Results of ragas, saved by ``result.to_pandas().to_csv(…)``: a CSV with a row for each question.

Columns ``user_input``, ``retrieved_contexts``, ``response``, ``reference`` and one for each metric
(ragas/dataset_schema.py); before version 0.2 ``question``, ``contexts``, ``answer``,
``ground_truth``. A cell is empty where the judge failed.
"""

from __future__ import annotations

import csv
import io

import pandas as pd

from bakeoff.data.readers.common import SCORES, USAGE, first_line, question_of

WHAT = "results of ragas"
_ASKED = {"user_input": "reference", "question": "ground_truth"}
"""The column of the questions, and the one of what is right."""
_ANSWERED = {"user_input": {"response"}, "question": {"answer", "contexts"}}


def recognizes(head: str) -> bool:
    """Tell whether the first line names the columns of questions and answers, and none of ids."""
    return _asked(first_line(head)) is not None


def _asked(line: str) -> str | None:
    """Return the column of the questions; None of another table."""
    columns = set(next(csv.reader([line.strip()]), ()))
    if "id" in columns:
        return None
    for asked, answered in _ANSWERED.items():
        if asked in columns and answered <= columns:
            return asked
    return None


def read(text: str) -> pd.DataFrame:
    """Return the table, with ids that stand for questions and what is right."""
    table = pd.read_csv(io.StringIO(text))
    # the index of a frame is written without a name
    is_index = table.columns.str.startswith("Unnamed:")
    table = table.loc[:, ~is_index]
    asked = _asked(first_line(text))
    assert asked is not None
    questions = table[asked].fillna("").astype(str)
    no_references = pd.Series("", index=table.index)
    references = table.get(_ASKED[asked], no_references).fillna("").astype(str)
    ids = []
    for question, reference in zip(questions, references, strict=True):
        ids.append(question_of(question, reference))
    scores = []
    for name in table.select_dtypes("number"):
        if name not in USAGE:
            scores.append(str(name))
    if len(scores) == 1:
        table = table.rename(columns={scores[0]: "score"})
    table.insert(0, "id", ids)
    table.attrs[SCORES] = {"": scores}
    return table
