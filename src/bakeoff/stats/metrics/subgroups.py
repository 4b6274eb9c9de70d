"""Whether the difference of two models differs between subgroups of the rows."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_scores
from bakeoff.stats.core.distributions import t_pvalue
from bakeoff.stats.core.pairs import pairs_of
from bakeoff.stats.core.result import Result, Status
from bakeoff.stats.design.spread import Leverage, spread
from bakeoff.stats.metrics.differences import difference
from bakeoff.stats.metrics.family import cluster_covariance
from bakeoff.stats.metrics.max_t import Contrasts, draw, max_t
from bakeoff.stats.metrics.means import mean_difference
from bakeoff.stats.metrics.setting import MetricArguments, setting_of
from bakeoff.stats.metrics.test_rows import Codes, read_groups, subgroup_rows


@checked
def metric_interaction(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **asked: Unpack[MetricArguments],
) -> Result:
    """Test whether the difference of a metric between two models differs between subgroups.

    Welch's F over the differences inside each subgroup, with their standard errors and degrees of
    freedom from influence values (Welch 1951). Where groups of rows reach into several subgroups
    these are not independent: then the largest t of all pairs of subgroups is tested, drawn from
    the covariance of their influence values.

    Parameters
    ----------
    predicted_a, predicted_b : array_like, shape (n,) or (n, K)
        What A and B predict, in the same rows, as in `influence`.
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

    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    whole, rows = setting_of(y_true, models, **asked)
    metric, parts = whole.metric, {}
    if not metric.smooth:
        raise ArgumentError("metric", f"{metric} is not smooth: no test of it holds its level")
    for name, at in subgroup_rows(subgroup, whole.truth.n).items():
        clusters = None if whole.clusters is None else read_groups(whole.clusters[at], len(at))
        own = dataclasses.replace(
            whole, metric=metric.on(at), truth=whole.truth.take(at), clusters=clusters
        )
        predicted = [values[at] for values in rows]
        found, result = difference(own, predicted, "two-sided", confidence_level)
        parts[name] = _Part(at, result, None if found is None else found.drawn_from)
    return _interaction("metric_interaction", str(metric), parts, whole.clusters)


@checked
def mean_interaction(
    values_a: ArrayLike,
    values_b: ArrayLike,
    subgroup: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    df: Literal["influence", "rows"] = "influence",
    confidence_level: Level = 0.95,
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

    """
    a, b = as_scores(values_a, "values_a", unit="rows"), as_scores(values_b, "values_b")
    sign = 1 if greater_is_better else -1
    parts = {}
    for name, at in subgroup_rows(subgroup, len(a)).items():
        result = mean_difference(
            a[at],
            b[at],
            greater_is_better=greater_is_better,
            groups=None if groups is None else np.asarray(groups)[at],
            variant=None if groups is None else "t_and_flips",
            df=df,
            confidence_level=confidence_level,
        )
        parts[name] = _Part(at, result, sign * (a[at] - b[at]) - result.estimate)
    return _interaction("mean_interaction", "values", parts, read_groups(groups, len(a)))


@dataclasses.dataclass(frozen=True)
class _Part:
    """The difference in one subgroup: its rows, its result, and the influence of each row."""

    rows: NDArray[np.intp]
    result: Result
    psi: FloatArray | None


def _interaction(
    test: str, variant: str, parts: dict[Any, _Part], clusters: Codes | None
) -> Result:
    n = sum(len(part.rows) for part in parts.values())
    answered = [part for part in parts.values() if part.result.status is Status.OK]
    found: dict[str, Any] = {"statistic": math.nan, "pvalue": math.nan}
    method = "welch1951"
    if len(answered) > 1:
        results = [part.result for part in answered]
        estimates = np.array([r.details.get("padded", r.estimate) for r in results])
        ses, dfs = np.array([(r.details["se"], r.df) for r in results], dtype=np.float64).T
        if clusters is not None and _spans(answered, clusters):
            found, method = _largest(answered, clusters, estimates, ses), "hothorn2008"
        else:
            statistic, df1, df2 = welch_f(estimates, ses, dfs)
            found = {"statistic": statistic, "df1": df1, "df2": df2}
            found["pvalue"] = float(special.fdtrc(df1, df2, statistic))
    return Result(
        test=test,
        variant=variant,
        **found,
        n=n,
        status=Status.OK if len(answered) > 1 else Status.TOO_FEW,
        null_hypothesis="The difference between the two fitted models is the same in all "
        "subgroups.",
        method=method,
        details={
            "subgroups": {
                str(name): {
                    "n": part.result.n,
                    "estimate": part.result.estimate,
                    "ci": part.result.ci,
                    "pvalue": part.result.pvalue,
                    "status": part.result.status,
                }
                for name, part in parts.items()
            }
        },
    )


def _spans(parts: list[_Part], clusters: Codes) -> bool:
    """Tell whether a group of rows has rows in several subgroups."""
    seen = np.concatenate([np.unique(clusters[part.rows]) for part in parts])
    return len(np.unique(seen)) < len(seen)


def _largest(
    parts: list[_Part], clusters: Codes, estimates: FloatArray, ses: FloatArray
) -> dict[str, float]:
    """Test all pairs of subgroups by the largest t, where the same groups are in several."""
    rows, inside = _together(parts)
    columns = np.zeros((len(rows), len(parts)))
    for i, part in enumerate(parts):
        columns[inside == i, i] = len(rows) / len(part.rows) * np.asarray(part.psi)
    clusters = clusters[rows]
    covariance = cluster_covariance(columns, clusters, Leverage.of(clusters, inside))
    scale = ses / np.sqrt(covariance.diagonal())  # the pseudo-rows of each subgroup's own test
    covariance = covariance * np.outer(scale, scale)
    first, second = np.array(pairs_of(len(parts), None)).T
    variances = covariance.diagonal()
    se = np.sqrt(variances[first] + variances[second] - 2 * covariance[first, second])
    df = np.array(
        [
            _degrees(columns[:, i] - columns[:, j], clusters, inside, (i, j))
            for i, j in zip(first, second, strict=True)
        ]
    )
    contrasts = Contrasts(first, second, estimates[first] - estimates[second], se, df, covariance)
    largest = int(np.argmax(contrasts.size("two-sided")))
    statistic, own_df = float(contrasts.statistic[largest]), float(df[largest])
    if len(first) == 1:
        pvalue = t_pvalue(statistic, own_df, "two-sided")
    else:
        draws, unit = draw(covariance, _DRAWS, seed=0)
        pvalue = float(max_t(contrasts, draws, 0.95, "two-sided", unit).single_step.min())
    return {"statistic": abs(statistic), "df": own_df, "pvalue": pvalue}


def _together(parts: list[_Part]) -> tuple[Codes, Codes]:
    """Return the rows of the parts, and which part each is in."""
    return (
        np.concatenate([part.rows for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts]),
    )


def _degrees(psi: FloatArray, clusters: Codes, inside: Codes, pair: tuple[int, int]) -> float:
    """Return the degrees of freedom of a difference between two subgroups."""
    own = np.isin(inside, pair)
    codes = np.unique(clusters[own], return_inverse=True)[1]
    return spread(psi[own], clusters=codes, leverage=Leverage.of(codes, inside[own])).df


_DRAWS = 99_999


def welch_f(estimates: FloatArray, ses: FloatArray, dfs: FloatArray) -> tuple[float, float, float]:
    """Return Welch's F of estimates with unequal precision, and its degrees of freedom."""
    # w = 1/se², Λ = Σ(1 − w/Σw)²/ν, F = Σw(d − d̃)²/(S − 1)/(1 + 2(S − 2)Λ/(S² − 1)) on
    # S − 1 and (S² − 1)/(3Λ) degrees of freedom (Welch 1951).
    s = len(estimates)
    w = 1 / ses**2
    centre = inner(w, estimates) / float(w.sum())
    uncertainty = float(((1 - w / w.sum()) ** 2 / dfs).sum())
    between = inner(w, (estimates - centre) ** 2) / (s - 1)
    f = between / (1 + 2 * (s - 2) * uncertainty / (s**2 - 1))
    return f, s - 1.0, (s**2 - 1) / (3 * uncertainty)
