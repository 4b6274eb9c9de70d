"""Whether the difference of two models differs between subgroups of the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats._checks import FloatArray, as_scores, check_flag
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._result import Result, Status
from bakeoff.stats._test_rows import subgroup_rows
from bakeoff.stats.metric_means import mean_difference
from bakeoff.stats.metrics import metric_difference


@fill_docstring
def metric_interaction(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    metric: str = "accuracy",
    positive: object | None = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    beta: float = 1.0,
    k: int = 2,
    cost: ArrayLike | None = None,
    priors: ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Result:
    """Test whether the difference of a metric between two models differs between subgroups.

    Welch's F over the differences inside each subgroup, with their standard errors and degrees of
    freedom from influence values (Welch 1951).

    Parameters
    ----------
    y_true : shared
    predicted_a, predicted_b : array_like, shape (n,) or (n, K)
        What A and B predict, in the same rows, as in `influence`.
    metric, positive, labels, groups, beta, k, cost, priors : shared
    subgroup : array_like, shape (n,)
        The subgroup of each row; subgroups do not overlap.
    confidence_level : float
        Level of the interval inside each subgroup, by itself.

    Returns
    -------
    Result
        ``details`` holds ``subgroups`` with n, estimate, interval, p-value and status of each.
        `pvalue` is about the interaction: a small one says that the difference is not the same
        in all subgroups, and nothing of any one of them. Subgroups without an answer of their own
        leave the test, and ``too_few`` stands where fewer than two remain.

    Raises
    ------
    ValueError
        As `metric_difference`; fewer than two subgroups.
    """
    rows = subgroup_rows(subgroup, len(np.asarray(y_true)))
    every = sorted(set(np.asarray(y_true).tolist())) if labels is None else labels
    parts = {
        name: metric_difference(
            np.asarray(y_true)[at],
            np.asarray(predicted_a)[at],
            np.asarray(predicted_b)[at],
            metric=metric,
            positive=positive,
            labels=every,
            groups=None if groups is None else np.asarray(groups)[at],
            beta=beta,
            k=k,
            cost=cost,
            priors=priors,
            confidence_level=confidence_level,
        )
        for name, at in rows.items()
    }
    return _interaction("metric_interaction", metric, parts, len(np.asarray(y_true)))


def mean_interaction(
    values_a: ArrayLike,
    values_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    df: str = "influence",
    confidence_level: float = 0.95,
) -> Result:
    """Test whether the mean difference of numbers given per row differs between subgroups.

    Parameters
    ----------
    values_a, values_b, greater_is_better, groups, df
        As in `mean_difference`.
    subgroup, confidence_level
        As in `metric_interaction`.

    Returns
    -------
    Result
        As of `metric_interaction`.

    Raises
    ------
    ValueError
        As `mean_difference`; fewer than two subgroups.
    """
    check_flag(greater_is_better, "greater_is_better")
    a, b = as_scores(values_a, "values_a", unit="rows"), as_scores(values_b, "values_b")
    parts = {
        name: mean_difference(
            a[at],
            b[at],
            greater_is_better=greater_is_better,
            groups=None if groups is None else np.asarray(groups)[at],
            df=df,
            confidence_level=confidence_level,
        )
        for name, at in subgroup_rows(subgroup, len(a)).items()
    }
    return _interaction("mean_interaction", "values", parts, len(a))


def _interaction(test: str, variant: str, parts: dict[Any, Result], n: int) -> Result:
    answered = [part for part in parts.values() if part.status is Status.OK]
    statistic = pvalue = df1 = df2 = math.nan
    if len(answered) > 1:
        statistic, df1, df2 = welch_f(
            np.array([part.details.get("padded", part.estimate) for part in answered]),
            np.array([part.details["se"] for part in answered]),
            np.array([part.df for part in answered]),
        )
        pvalue = float(special.fdtrc(df1, df2, statistic))
    return Result(
        test=test,
        variant=variant,
        statistic=statistic,
        df1=df1,
        df2=df2,
        pvalue=pvalue,
        n=n,
        status=Status.OK if len(answered) > 1 else Status.TOO_FEW,
        null_hypothesis="The difference between the two fitted models is the same in all "
        "subgroups.",
        method="welch1951",
        details={
            "subgroups": {
                str(name): {
                    "n": part.n,
                    "estimate": part.estimate,
                    "ci": part.ci,
                    "pvalue": part.pvalue,
                    "status": part.status,
                }
                for name, part in parts.items()
            }
        },
    )


def welch_f(estimates: FloatArray, ses: FloatArray, dfs: FloatArray) -> tuple[float, float, float]:
    """Return Welch's F of estimates with unequal precision, and its degrees of freedom.

    w = 1/se², Λ = Σ(1 − w/Σw)²/ν, F = Σw(d − d̃)²/(S − 1)/(1 + 2(S − 2)Λ/(S² − 1)) on
    S − 1 and (S² − 1)/(3Λ) degrees of freedom (Welch 1951).
    """
    s = len(estimates)
    w = 1 / ses**2
    centre = w @ estimates / w.sum()
    uncertainty = float(((1 - w / w.sum()) ** 2 / dfs).sum())
    between = float(w @ (estimates - centre) ** 2) / (s - 1)
    f = between / (1 + 2 * (s - 2) * uncertainty / (s**2 - 1))
    return f, s - 1.0, (s**2 - 1) / (3 * uncertainty)
