"""What marks of a judge show that people corrected, and what a look at a suite shows."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.marks import Marks, SuiteItems, greater_is_better
from bakeoff.errors import Problem, joined
from bakeoff.stats import (
    Agreement,
    ArgumentError,
    EProcess,
    ErrorRates,
    Looks,
    Result,
    adjust_pvalues,
    agreement,
    corrected_difference,
    corrected_mean,
    e_process,
    error_rates_of_judge,
    half_width_with,
    judge_favour,
    looks,
)
from bakeoff.stats.judged.agreement import Weights
from bakeoff.stats.judged.corrected import FEWEST_LABELS

_MOST_GRADES = 12
"""Different marks up to which their table is one of categories."""
_LABELS_ADVISED = 30
_USUAL_CORRELATION = 0.5
"""Of a judge and people, where there are too few labels to know it."""


class OfModel(NamedTuple):
    """What the marks say of one model."""

    model: str
    corrected: Result
    errors: ErrorRates | None
    """How often the judge errs; None of grades."""


class OfTwo(NamedTuple):
    """What the marks say of two models."""

    a: str
    b: str
    corrected: Result
    favour: Result
    """Of the errors of the judge: A less B."""
    judge_alone: float
    """A less B by the judge's marks."""
    pvalue: float
    """Adjusted by Holm's method for all pairs."""


@dataclasses.dataclass(frozen=True)
class JudgedMarks:
    """What the marks of a judge show of models, corrected by people's."""

    marks: Marks
    models: tuple[OfModel, ...]
    pairs: tuple[OfTwo, ...]
    agreement: Agreement | None
    """Of judge and people on all labelled answers; None where they use other scales."""
    alpha: float

    @property
    def labels(self) -> int:
        """The labels of the first pair, or of the only model."""
        result = self.models[0].corrected
        if self.pairs:
            result = self.pairs[0].corrected
        return int(result.details["labels"])

    @property
    def items(self) -> int:
        """The items that the judge marked."""
        return len(self.marks.ids)


def compare_marks(marks: Marks, alpha: float) -> JudgedMarks:
    """Correct the marks of each model, and the difference of each pair."""
    level = 1 - alpha
    models = []
    for model, judge in marks.judge.items():
        human = marks.human[model]
        corrected = corrected_mean(judge, human, groups=marks.groups, confidence_level=level)
        errors = None
        if marks.binary:
            errors = error_rates_of_judge(judge, human)
        models.append(OfModel(model, corrected, errors))
    names = list(marks.judge)
    # of several models each pair counts the labels that both have
    if len(names) == 1:
        _refuse_few(int(models[0].corrected.details["labels"]), marks, names)
    pairs = []
    for a, b in combinations(names, 2):
        pairs.append(_pair(marks, a, b, level))
    if pairs:
        adjusted = adjust_pvalues([pair.corrected.pvalue for pair in pairs], "holm")
        pairs = [pair._replace(pvalue=float(p)) for pair, p in zip(pairs, adjusted, strict=True)]
    return JudgedMarks(marks, tuple(models), tuple(pairs), _agreement(marks, level), alpha)


def _pair(marks: Marks, a: str, b: str, level: float) -> OfTwo:
    """Correct the difference of two models."""
    judge_a = marks.judge[a]
    judge_b = marks.judge[b]
    human_a = marks.human[a]
    human_b = marks.human[b]
    both = ~(np.isnan(human_a) | np.isnan(human_b))
    either = ~(np.isnan(human_a) & np.isnan(human_b))
    labels = int(both.sum())
    # there would be labels enough, were they on the same items
    if labels < FEWEST_LABELS <= int(either.sum()):
        raise Problem(
            ("human",),
            f"human marks of {a} and {b} are on different items: {labels:,} have both; label the "
            "same items for both",
        )
    _refuse_few(labels, marks, [a, b])
    corrected = corrected_difference(
        judge_a, judge_b, human_a, human_b, groups=marks.groups, confidence_level=level
    )
    favour = judge_favour(
        judge_a, judge_b, human_a, human_b, groups=marks.groups, confidence_level=level
    )
    judge_alone = float((judge_a - judge_b).mean())
    return OfTwo(a, b, corrected, favour, judge_alone, pvalue=math.nan)


def _refuse_few(labels: int, marks: Marks, models: list[str]) -> None:
    """Refuse few labels, and say what more of them would give."""
    if labels >= FEWEST_LABELS:
        return
    judge = [marks.judge[model] for model in models]
    # the spread of what is estimated: of one model's marks, or of differences of two
    values = judge[0]
    if len(judge) > 1:
        values = judge[0] - judge[1]
    spread = float(values.std()) or 0.5
    width = half_width_with(
        _LABELS_ADVISED, sd=spread, correlation=_USUAL_CORRELATION, items=len(marks.ids)
    )
    raise Problem(
        ("human",),
        f"the human marks are on {labels:,} items, at least {FEWEST_LABELS} are needed; "
        f"{_LABELS_ADVISED} give an interval of about ±{width:.2g}",
    )


def _agreement(marks: Marks, level: float) -> Agreement | None:
    """Measure how well the judge agrees with people on the answers of all models."""
    if not marks.one_scale:
        return None
    human = np.concatenate([marks.human[model] for model in marks.judge])
    judge = np.concatenate(list(marks.judge.values()))
    labelled = ~np.isnan(human)
    different = np.unique(np.append(human[labelled], judge[labelled]))
    # with one mark alone nobody can disagree, and many marks are no categories
    if not 1 < len(different) <= _MOST_GRADES:
        return None
    weights: Weights = "identity"
    if not marks.binary:
        weights = "quadratic"
    return agreement(human[labelled], judge[labelled], weights=weights, confidence_level=level)


def marks_of_arrays(
    judge: Mapping[str, NDArray[np.float64]],
    human: Mapping[str, NDArray[np.float64]],
    groups: NDArray[Any] | None,
    values: str,
) -> Marks:
    """Return the marks that a call from Python gives."""
    if set(judge) != set(human):
        raise Problem(
            ("human",),
            f"found the models {joined(list(human))}, the predictions are of {joined(list(judge))}",
        )
    all_marks = np.concatenate(list(judge.values()) + list(human.values()))
    binary = bool(np.isin(all_marks[~np.isnan(all_marks)], (0, 1)).all())
    if values in ("right", "wrong") and not binary:
        raise Problem(("values",), f"found {values}, and some marks are neither 0 nor 1")
    first = next(iter(judge.values()))
    ends = []
    for marks in (judge, human):
        together = np.concatenate(list(marks.values()))
        ends.append((float(np.nanmin(together)), float(np.nanmax(together))))
    return Marks(
        name="the marks",
        ids=np.arange(len(first)),
        judge={model: greater_is_better(marks, values) for model, marks in judge.items()},
        human={model: greater_is_better(human[model], values) for model in judge},
        groups=groups,
        binary=binary,
        scales=(ends[0], ends[1]),
    )


# --- looks


@dataclasses.dataclass(frozen=True)
class SuiteLook:
    """What a look at a suite shows of two models."""

    a: str
    b: str
    items: SuiteItems
    looks: Looks | None
    """None for a stream without an end."""
    stream: EProcess
    alpha: float
    scale: float
    """What differences were divided by for the stream, so that they lie between −1 and 1."""


def look_at(items: SuiteItems, alpha: float) -> SuiteLook:
    """Look at the leading items of a suite that two models have finished."""
    a, b = items.values
    differences = items.values[a] - items.values[b]
    if not len(differences):
        raise Problem(
            ("of",), f"{a} and {b} have no item that both have finished from the start on"
        )
    scale = max(1.0, float(np.abs(differences).max()))
    # an e-process is of differences between −1 and 1
    stream = e_process(differences / scale, confidence_level=1 - alpha)
    planned_looks = None
    if items.total:
        try:
            planned_looks = looks(differences, items.total, alpha=alpha)
        except ArgumentError as error:
            raise Problem(("of",), error.message) from None
    return SuiteLook(a, b, items, planned_looks, stream, alpha, scale)
