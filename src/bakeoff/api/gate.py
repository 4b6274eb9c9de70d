"""The gate of a release in Python; its arguments are checked as those of `compare` are."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bakeoff.api.rows import side_by_side
from bakeoff.api.settings import takes
from bakeoff.errors import UserError, unknown
from bakeoff.release import GateRows, GateVerdict, decide, read_terms
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import Release


class GateSettings(TypedDict, total=False):
    """What few need."""

    metric: str | Sequence[str]
    subgroup: ArrayLike | Mapping[str, ArrayLike]
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    unit: str | None


@takes(GateSettings)
def gate(
    y: ArrayLike | None,
    base: object,
    candidate: object,
    *,
    margin: float | str,
    metrics: str | Sequence[str] = (),
    groups: ArrayLike | None = None,
    subgroups: ArrayLike | Mapping[str, ArrayLike] | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    positive: object = None,
    superior: bool = False,
    alpha: float = 0.05,
    task: Literal["classification", "regression"] | None = None,
    **settings: Unpack[GateSettings],
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
    metrics : str or sequence of str
        A metric of one test set, or a function of your own, ``"./mymetrics.py:profit"``; default:
        accuracy, of numbers RMSE. By several the candidate must pass each with the same margin,
        and the levels of harm are divided among them. Also called `metric`.
    subgroups : array_like, shape (n,), or Mapping of str to array_like, optional
        Block where the rows of one of its values are shown worse by more than the margin; of
        several columns each by its name.
    alpha : float
        Probability of a false ship, and of a false block.

    Returns
    -------
    GateVerdict
        `decision` is ``"ship"``, ``"block"`` or ``"undecided"``; as a text it gives the reasons.

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
    if subgroups is not None and not isinstance(subgroups, Mapping | pd.DataFrame):
        subgroups = {"subgroup": subgroups}
    of_labels = {key: settings[key] for key in ("classes", "costs", "unit")}
    given, kind, names, _ = side_by_side(
        *(y, {"base": base, "candidate": candidate}, {"groups": groups}),
        {"positive": positive, "task": task, **of_labels},
        values=values,
        metrics=metrics,
        subgroups=subgroups,
        called="{}",
    )
    parts = {name: np.asarray(column.astype(str)) for name, column in given.subgroups.items()}
    better = not isinstance(kind, GivenMetric) or kind.greater_is_better
    rows = GateRows(given, parts, greater_is_better=better)
    rows = rows.measured(settings["unit"], settings["costs"])
    measured = (kind.name,) if isinstance(kind, GivenMetric) else names
    return decide(rows, read_terms(rows, measured, margin, alpha, superior))


def assert_not_worse(
    y: ArrayLike | None,
    base: Any,
    candidate: Any,
    *,
    margin: float | str,
    undecided: Literal["fail", "skip"] = "fail",
    **options: Any,
) -> GateVerdict:
    """Raise unless `gate` ships the candidate."""
    if undecided not in ("fail", "skip"):
        raise UserError(f"undecided: {unknown('answer', undecided, ('fail', 'skip'))}")
    verdict = gate(y, base, candidate, margin=margin, **options)
    if verdict.decision is Release.SHIP:
        cautions = [text for one in verdict.each for text in one.overall.limits.warnings]
        for text in dict.fromkeys(cautions):
            warnings.warn(f"shipped with caution: {text}", stacklevel=2)
        return verdict
    if verdict.decision is Release.UNDECIDED and undecided == "skip":
        import pytest

        pytest.skip(str(verdict))
    raise AssertionError(str(verdict))
