"""Two classifiers on one test set whose rows are ordered in time.

Rows of one time are summed: D_t of n_t rows, r_t = D_t − n_t·d̄. Neighbouring times may depend on
each other; the further apart, the less.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats._checks import (
    FloatArray,
    as_correctness,
    check_count,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats._clusters import as_clusters
from bakeoff.stats._errors import ArgumentError
from bakeoff.stats._paired import paired_differences
from bakeoff.stats._registry import Arity, Evidence, register
from bakeoff.stats._result import Alternative
from bakeoff.stats._serial import SerialResult, serial_result, serial_settings

__all__ = ["SerialResult", "diebold_mariano", "diebold_mariano_means", "time_blocks"]


@register(
    title="Diebold-Mariano test",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Is one of these two fitted models more often right than the other on later rows?",
    plans=("holdout",),
    citation="lazarus2018",
    caution="It needs a difference that does not drift, and dependence that fades: with a lag-1 "
    "autocorrelation above .7, or times worth fewer than 20, it exceeds its level.",
)
def diebold_mariano(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    times: ArrayLike | None = None,
    variant: Literal["ewc", "wpe", "hln", "newey_west_fixed_b"] = "ewc",
    horizon: int = 1,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> SerialResult:
    """Test the accuracies of two models on rows that are ordered in time.

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (N,)
        Whether A and B are right on each row.
    times : array_like, shape (N,), optional
        The time of each row, of any kind that sorts; equal times are one. Without it the rows
        are in the order of time, one each.
    variant : {"ewc", "wpe", "hln", "newey_west_fixed_b"}
        How the long-run variance is estimated. ``"ewc"`` (default): equal-weighted cosines
        (Lazarus et al. 2018). ``"wpe"``: the first ordinates of the periodogram (Coroneo & Iacone
        2020). ``"hln"``: autocovariances below the horizon (Diebold & Mariano 1995 as corrected
        by Harvey, Leybourne & Newbold 1997); takes one-step errors for independent.
        ``"newey_west_fixed_b"``: Bartlett weights and the critical values of Kiefer & Vogelsang
        (2005), whose table ends at p = .02: below it the p is that bound.
    horizon : int
        Steps ahead, for ``hln``: errors fewer steps apart overlap.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is more accurate.
    confidence_level : float
        Level of the interval; none for ``newey_west_fixed_b`` beyond its table.

    Returns
    -------
    SerialResult
        `estimate` is the difference of the accuracies over rows.

    Raises
    ------
    ValueError
        On class labels instead of right/wrong, missing values or times, unequal lengths, or an
        unknown option.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.random(120) < 0.9, rng.random(120) < 0.7
    >>> result = diebold_mariano(a, b)
    >>> result.df, round(result.estimate, 3), result.pvalue < 0.05
    (9.0, 0.175, True)
    """
    a = as_correctness(correct_a, "correct_a")
    b = as_correctness(correct_b, "correct_b")
    check_same_length(correct_a=a, correct_b=b)
    check_same_labels(correct_a=correct_a, correct_b=correct_b)
    result = serial_result(
        "diebold_mariano",
        a.astype(np.float64) - b,
        as_clusters(times, len(a), "times"),
        serial_settings(variant, horizon, alternative, confidence_level),
        what="equally accurate",
    )
    counts = {
        "both_correct": int(np.count_nonzero(a & b)),
        "only_a_correct": int(np.count_nonzero(a & ~b)),
        "only_b_correct": int(np.count_nonzero(b & ~a)),
        "both_wrong": int(np.count_nonzero(~(a | b))),
    }
    return dataclasses.replace(result, details={**counts, **result.details})


def diebold_mariano_means(
    values_a: ArrayLike,
    values_b: ArrayLike,
    *,
    times: ArrayLike | None = None,
    variant: str = "ewc",
    horizon: int = 1,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    greater_is_better: bool = True,
) -> SerialResult:
    """Run `diebold_mariano` on a number per row (a loss, a score) in place of right or wrong.

    Parameters
    ----------
    values_a, values_b : array_like, shape (N,)
        The numbers of A and B on the same rows.
    times, variant, horizon, alternative, confidence_level
        As in `diebold_mariano`.
    greater_is_better : bool
        False for losses and costs.

    Returns
    -------
    SerialResult
        `estimate` is the mean difference over rows, positive where A is better.

    Raises
    ------
    ValueError
        For missing values or times, unequal lengths, or an unknown option.

    Examples
    --------
    >>> import numpy as np
    >>> loss = np.random.default_rng(0).gamma(2, size=(100, 2))
    >>> diebold_mariano_means(*loss.T, greater_is_better=False).df
    8.0
    """
    d = paired_differences(
        values_a, values_b, greater_is_better=greater_is_better, of_rows=True
    ).values
    return serial_result(
        "diebold_mariano_means",
        d,
        as_clusters(times, len(d), "times"),
        serial_settings(variant, horizon, alternative, confidence_level),
        what="equally good on average",
    )


def time_blocks(times: ArrayLike, blocks: int = 8) -> FloatArray:
    """Cut rows into blocks of neighbouring times, to be used as groups.

    Blocks that are long against the dependence between neighbours are nearly independent, so any
    test for groups can take them (Canay, Romano & Shaikh 2017).

    Parameters
    ----------
    times : array_like, shape (N,)
        The time of each row, of any kind that sorts.
    blocks : int
        Number of blocks, of about equally many different times.

    Returns
    -------
    ndarray of int, shape (N,)
        The block of each row.

    Raises
    ------
    ValueError
        If there are fewer different times than blocks, or times are missing.

    Examples
    --------
    >>> time_blocks([3, 1, 2, 4, 1], blocks=2).tolist()
    [1, 0, 0, 1, 0]
    """
    count = check_count(blocks, "blocks", least=2)
    found = as_clusters(times, np.asarray(times).size, "times")
    if found.count < count:
        raise ArgumentError("times", f"found {found.count} different times, needs {count} or more")
    return np.asarray(found.codes * count // found.count)
