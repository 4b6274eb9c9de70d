"""Arrays of marks of a judge, and of people, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.judged_findings import JudgedFindings
from bakeoff.api.preferences import check_alpha
from bakeoff.comparisons.judged import JudgedMarks, compare_marks, marks_of_arrays
from bakeoff.errors import UserError, unknown
from bakeoff.report.judged.marks import answer_of_marks

KINDS = ("higher", "lower", "right", "wrong")


def marks_of_call(
    predictions: Mapping[str, Any],
    human: Mapping[str, Any],
    *,
    groups: Any,
    values: str | None,
    alpha: float,
) -> JudgedMarks:
    """Compare models by arrays of the marks of a judge and of people."""
    check_alpha(alpha)
    if not isinstance(predictions, Mapping) or not isinstance(human, Mapping):
        raise UserError("human: expected the marks of each model by its name: {'A': …, 'B': …}")
    if values not in KINDS:
        raise UserError(f"values: {unknown('value', str(values), KINDS)}")
    judged = {}
    for model, marks in predictions.items():
        judged[str(model)] = _marks(f"predictions[{model!r}]", marks)
    people = {}
    for model, marks in human.items():
        people[str(model)] = _marks(f"human[{model!r}]", marks)
    length = len(next(iter(judged.values())))
    for name, marks in chain(judged.items(), people.items()):
        if len(marks) != length:
            raise UserError(f"{name}: found {len(marks):,} marks, others have {length:,}")
    for name, marks in judged.items():
        if np.isnan(marks).any():
            raise UserError(f"predictions[{name!r}]: the judge marks every item; leave others out")
    related = None
    if groups is not None:
        related = np.asarray(groups)
    return compare_marks(marks_of_arrays(judged, people, related, values), alpha)


def findings_of_call(
    predictions: Any, human: Any, *, groups: Any, values: str | None, alpha: float
) -> JudgedFindings:
    """Compare models by arrays of marks, and return what was found."""
    judged_marks = marks_of_call(predictions, human, groups=groups, values=values, alpha=alpha)
    return JudgedFindings(answer_of_marks(judged_marks, "bakeoff.compare(None, …, human=…)"))


def _marks(argument: str, passed: Any) -> Any:
    """Return marks as numbers, NaN where there is none."""
    marks = pd.Series(passed)
    numbers = pd.to_numeric(marks, errors="coerce")
    strange = numbers.isna() & marks.notna()
    if strange.any():
        raise UserError(
            f"{argument}: found {marks[strange].iloc[0]!r}, expected a number or nothing"
        )
    return numbers.to_numpy(dtype=float, na_value=np.nan)
