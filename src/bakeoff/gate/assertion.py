"""The gate on arrays, as an assertion."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats import (
    Limits,
    Release,
    accuracy_limits,
    decide_release,
    mean_limits,
    metric_limits,
)


def check_not_worse(
    base: ArrayLike,
    candidate: ArrayLike,
    *,
    margin: float,
    y_true: ArrayLike | None = None,
    metric: str = "accuracy",
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
    undecided: str = "fail",
    **options: Any,
) -> Limits:
    """Raise unless the candidate is shown not to be worse; see `bakeoff.pytest_plugin.NotWorse`.

    Raises
    ------
    AssertionError
        It is worse by more than the margin, or the rows do not tell.
    pytest.skip.Exception
        The rows do not tell, and `undecided` is ``"skip"``.
    ValueError
        A wrong argument.
    """
    if undecided not in ("fail", "skip"):
        raise ValueError(f"undecided: found {undecided!r}, allowed: 'fail', 'skip'")
    known: dict[str, Any] = {"groups": groups, "alpha": alpha}
    if y_true is None and (metric != "accuracy" or options):
        raise ValueError("metric: without y_true there are only right/wrong values or numbers")
    if y_true is None:
        plain = all(np.asarray(values).dtype == np.bool_ for values in (base, candidate))
        limits = (accuracy_limits if plain else mean_limits)(candidate, base, **known)
    elif metric == "accuracy":
        truth = np.asarray(y_true)
        right = (np.asarray(values) == truth for values in (candidate, base))
        limits = accuracy_limits(*right, **known)
    else:
        limits = metric_limits(y_true, candidate, base, metric=metric, **known, **options)
    decision = decide_release(limits, margin)
    if decision is Release.SHIP:
        return limits
    text = (
        f"{decision}: the candidate's change is {limits.estimate:+.4f}, above {limits.low:+.4f} "
        f"and below {limits.high:+.4f} (each {100 * (1 - alpha):g} %) on {limits.n:,} rows; the "
        f"margin is {margin:g}"
    )
    if decision is Release.UNDECIDED and undecided == "skip":
        import pytest

        pytest.skip(text)
    raise AssertionError(text)
