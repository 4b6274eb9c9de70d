"""The gate of a release in Python; its arguments are checked as those of `compare` are."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bakeoff.api.arrays import side_by_side
from bakeoff.api.settings import kind_of, numbers_wanted, one_spelling, refuse_contradictions
from bakeoff.errors import Problem, UserError, named, unknown
from bakeoff.release import GateRows, GateVerdict, Terms, decide
from bakeoff.scores.metrics.own import taken_by_path
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import ArgumentError, Release

_ONE_COLUMN = "subgroup"
_OTHERS = ("metric", "margin", "costs", "unit", "values", "pass_at", "pass_hat")
_NAMES = dict(zip(_OTHERS, _OTHERS, strict=True)) | {"seed": "base, candidate"}


def gate(
    y: ArrayLike | None,
    base: Any,
    candidate: Any,
    *,
    margin: float | str,
    metric: str | Sequence[str] = (),
    groups: ArrayLike | None = None,
    subgroup: ArrayLike | Mapping[str, ArrayLike] | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    pass_at: int | None = None,
    pass_hat: int | None = None,
    classes: Any = (),
    positive: Any = None,
    costs: Mapping[str, Any] | None = None,
    superior: bool = False,
    alpha: float = 0.05,
    task: Literal["classification", "regression"] | None = None,
    unit: str | None = None,
) -> GateVerdict:
    """Decide whether a candidate may take the place of a base, as `bakeoff gate` does.

    Parameters
    ----------
    y : array_like, shape (n,), or None
        The true labels or numbers; None with `values`.
    base, candidate : array_like, shape (n,) or (n, K)
        What each predicts of the same rows: labels, probabilities or numbers as in `compare`, or
        with `values` a number for each row; of several training runs a list of arrays.
    margin : float or str
        The largest loss that does not matter, in the unit of the metric and less than the width of
        its range, or ``"2%"`` of the base's value; with `superior` the smallest gain that does.
    metric : str or sequence of str
        A metric of one test set, or a function of your own, ``"./mymetrics.py:profit"``; default:
        accuracy, of numbers RMSE. By several the candidate must pass each with the same margin,
        and the levels of harm are divided among them.
    groups : array_like, shape (n,), optional
        Which rows belong together: a patient, a user.
    subgroup : array_like, shape (n,), or Mapping of str to array_like, optional
        Block where the rows of one of its values are shown worse by more than the margin; of
        several columns each by its name.
    values, pass_at, pass_hat, classes, positive, task, unit
        As in `compare`.
    costs : Mapping, optional
        ``{"classes": [...], "matrix": [[...]]}``, for the metrics ``"cost"`` and
        ``"expected_cost"``.
    superior : bool
        Ship only a candidate that is shown better by more than the margin, and block others.
    alpha : float
        Probability of a false ship, and of a false block.

    Returns
    -------
    GateVerdict
        `decision` is ``"ship"``, ``"block"`` or ``"undecided"``; as a text it gives the reasons.

    Raises
    ------
    UserError
        Rows that do not pair, labels that are no class, a margin or a metric that does not fit.

    Examples
    --------
    >>> import bakeoff
    >>> y = ["cat", "dog"] * 500
    >>> old = ["cat", "dog"] * 450 + ["dog", "cat"] * 50
    >>> new = ["cat", "dog"] * 452 + ["dog", "cat"] * 48
    >>> found = bakeoff.gate(y, old, new, margin=0.01)
    >>> str(found.decision)
    'ship'
    """
    arguments = {"groups": groups, "values": values, "classes": classes, "positive": positive}
    arguments |= {"task": task, "costs": costs}
    refuse_contradictions(y, arguments)
    metrics = one_spelling(metric or (), ())
    if values is not None and metrics:
        raise UserError("metric: it is for predictions, not for numbers per row (values)")
    metrics, _ = taken_by_path(metrics)
    try:
        numbers = kind_of(values, pass_at, pass_hat)
    except Problem as problem:
        raise named(problem, _NAMES) from None
    if subgroup is not None and not isinstance(subgroup, Mapping | pd.DataFrame):
        subgroup = {_ONE_COLUMN: subgroup}
    given = side_by_side(
        y,
        {"base": base, "candidate": candidate},
        {"group": groups},
        numbers,
        classes,
        positive,
        "the test set",
        subgroup,
        numbers=numbers_wanted(task, metrics),
        called="{}",
    )
    try:
        rows = GateRows(
            given,
            {name: np.asarray(column.astype(str)) for name, column in given.subgroups.items()},
            greater_is_better=not isinstance(numbers, GivenMetric) or numbers.greater_is_better,
        ).measured_in(unit)
    except Problem as problem:
        raise named(problem, _NAMES) from None
    metrics = (numbers.name,) if isinstance(numbers, GivenMetric) else metrics
    try:
        rows = rows.with_costs(costs)
        return decide(rows, Terms.of(rows, metrics, margin, alpha, superior))
    except Problem as problem:
        raise named(problem, _NAMES) from None
    except ArgumentError as error:
        raise UserError(f"{error.argument}: {error.message}") from None


def assert_not_worse(
    y: ArrayLike | None,
    base: Any,
    candidate: Any,
    *,
    margin: float | str,
    undecided: Literal["fail", "skip"] = "fail",
    **options: Any,
) -> GateVerdict:
    """Raise unless `gate` ships the candidate; see `bakeoff.pytest_plugin.NotWorse`."""
    if undecided not in ("fail", "skip"):
        raise UserError(f"undecided: {unknown('answer', undecided, ('fail', 'skip'))}")
    verdict = gate(y, base, candidate, margin=margin, **options)
    if verdict.decision is Release.SHIP:
        every = verdict.by_metric or (verdict,)
        for said in dict.fromkeys(s for one in every for s in one.overall.limits.warnings):
            warnings.warn(f"shipped with caution: {said}", stacklevel=2)
        return verdict
    if verdict.decision is Release.UNDECIDED and undecided == "skip":
        import pytest

        pytest.skip(str(verdict))
    raise AssertionError(str(verdict))
