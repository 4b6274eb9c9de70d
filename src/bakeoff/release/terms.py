"""The terms of a gate: metrics, margins and level, fixed before seeing the data."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from bakeoff.errors import Problem
from bakeoff.options import is_called_from_python, metric_and_margin
from bakeoff.release.rows import GateRows
from bakeoff.scores.metrics import METRICS


@dataclasses.dataclass(frozen=True)
class Terms:
    """The terms of a decision, fixed before seeing the data."""

    metric: str
    margin: float
    alpha: float
    superior: bool = False
    percent: float | None = None
    each_task: float | None = None
    """The margin within which each task has to be shown, where that is asked for."""


def named_margins(texts: Sequence[str]) -> tuple[list[str], list[str | None]]:
    """Return the metrics that a command line names, and the margin that stands behind each."""
    metrics = []
    margins = []
    for text in texts:
        metric, margin = metric_and_margin(text)
        name, colon, _ = text.partition(":")
        if colon and margin is None and name in METRICS:
            raise Problem(
                ("metrics",), f"found {text!r}, expected a margin like {name}:0.01 or {name}:2%"
            )
        metrics.append(metric)
        margins.append(margin)
    return metrics, margins


def check_margins(
    metrics: Sequence[str], margins: Sequence[Any], margin: float | str | None
) -> None:
    """Refuse metrics without a margin, and a margin that no metric is left for."""
    without_margin = [name for name, own in zip(metrics, margins, strict=True) if own is None]
    if margin is None and (without_margin or not metrics):
        raise _missing_margin(without_margin)
    if margin is not None and metrics and not without_margin:
        raise Problem(
            ("margin",),
            f"found {margin}, and every metric has a margin of its own: leave one of them out",
        )


def _missing_margin(metrics: Sequence[str]) -> Problem:
    """Say of the first of these metrics that its margin is missing, and how to give one."""
    of_metric = ""
    if metrics:
        of_metric = f" of {metrics[0]}"
    for_all = "--margin 0.01"
    for_one = "--metric NAME:SIZE"
    if is_called_from_python():
        for_all = "margin=0.01"
        for_one = "metrics={NAME: SIZE}"
    return Problem(
        ("margin",),
        f"is missing: the largest loss{of_metric} that does not matter, as `{for_all}` or 2%; a "
        f"metric has one of its own as `{for_one}`",
    )


def read_terms(
    rows: GateRows,
    metrics: Sequence[str],
    margins: Sequence[float | str | None],
    margin: float | str | None,
    alpha: float,
    superior: bool,
    each_task: float | None = None,
) -> list[Terms]:
    """Read the terms by each metric, whose own margin goes before the one of all others.

    A margin may be in percent.
    """
    if each_task is not None and rows.tasks is None:
        raise Problem(("each_task",), "is for rows of several tasks, such as a folder of logs")
    if each_task is not None and superior:
        raise Problem(("each_task",), "asks that no task is worse: leave out superior")
    margin_by_metric = _margin_by_metric(metrics, margins)
    # the metric that the task is usually compared by
    if not margin_by_metric:
        margin_by_metric[rows.given.task.metric] = None
    rows.check(list(margin_by_metric))
    terms = []
    for metric, own_margin in margin_by_metric.items():
        wanted = own_margin
        if wanted is None:
            wanted = margin
        assert wanted is not None  # as `check_margins` has seen
        size, percent = rows.margin(metric, wanted)
        terms.append(Terms(metric, size, alpha, superior, percent, each_task))
    return terms


def _margin_by_metric(
    metrics: Sequence[str], margins: Sequence[float | str | None]
) -> dict[str, float | str | None]:
    """Return the own margin of each metric, and refuse two of one metric."""
    margin_by_metric: dict[str, float | str | None] = {}
    for metric, margin in zip(metrics, margins or [None] * len(metrics), strict=True):
        first = margin_by_metric.setdefault(metric, margin)
        if first != margin:
            raise Problem(
                ("metrics",),
                f"{metric} is named twice, with the margins {first} and {margin}",
            )
    return margin_by_metric
