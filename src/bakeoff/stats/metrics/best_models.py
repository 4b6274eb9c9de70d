"""Which models may be the best on one test set."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level, Resamples, Seed, checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.metrics.answer import OF_ONE_MODEL, assumptions, decide
from bakeoff.stats.metrics.family import MetricFamily, draw, family_of_values, on_scale, read_family
from bakeoff.stats.metrics.influence import Influence, MetricArguments
from bakeoff.stats.metrics.metric import Form, Need

FEWEST, ENOUGH, ENOUGH_OF_AREAS, HIGH_AREA = 20, 40, 100, 0.9
"""Rows of the rarest class (degrees of freedom of numbers per row) below which no model is left
out; below which the set is rough, and the same of average precisions and of high areas."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BestResult(Result):
    """The models that may be the best; `estimate` and `pvalue` are NaN.

    Attributes
    ----------
    scores : tuple of float
        Of each model, greater is better: losses with their sign turned; NaN where it has no value.
    members : tuple of int
        The models that are not shown to be worse than another: a best one is among them with
        the confidence that was asked for.
    pvalues : tuple of float
        Of each model, against "it is a best one" (Hsu 1984); NaN where its metric has no value.
    """

    scores: tuple[float, ...]
    members: tuple[int, ...]
    pvalues: tuple[float, ...]

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {"members": " ".join(map(str, self.members))}


@checked
def best_models(
    y_true: ArrayLike,
    predicted: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
    **asked: Unpack[MetricArguments],
) -> BestResult:
    """Return the set of models that may be the best.

    Multiple comparisons with the best (Hsu 1984): a model stays unless the largest of the t
    statistics by which others beat it exceeds the quantile of that maximum.

    Parameters
    ----------
    predicted : array_like, shape (n, M) or (n, M, K)
        As in `all_pairs` of `metric_difference`.
    confidence_level : float
        Probability that a best model is in the set.

    Returns
    -------
    BestResult

    Examples
    --------
    >>> y = [1] * 20 + [0] * 20
    >>> models = np.transpose(
    ...     [[1] * 19 + [0] * 21, [1] * 17 + [0] * 21 + [1] * 2, [1] * 9 + [0] * 31])
    >>> result = best_models(y, models, metric="f1")
    >>> result.members
    (0, 1)
    """
    family = read_family(y_true, predicted, **asked)
    return best_of(family, confidence_level, n_resamples, seed)


@checked
def best_by_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
    n_resamples: Resamples = 99_999,
    seed: Seed = 0,
) -> BestResult:
    """Return the set of systems that may be the best by numbers given per row.

    Parameters
    ----------
    values : array_like, shape (n, M)
        The value of each row (first axis) by each of M ≥ 2 systems.
    confidence_level : float
        As in `best_models`.

    Returns
    -------
    BestResult
    """
    family = family_of_values(values, greater_is_better, groups)
    return best_of(family, confidence_level, n_resamples, seed)


def best_of(family: MetricFamily, level: float, n_resamples: int, seed: int) -> BestResult:
    """Find the best models of a family that has been read; see `best_models`."""
    known, models = family.known, len(family.singles)
    null = "The model is a best one of those compared."
    scores = [math.nan if s is None else s.value for s in family.singles]
    pvalues = np.full(models, math.nan)
    status, details = Status.OK, {"reasons": family.reasons}
    assumed: tuple[Assumption, ...] = ()
    if not known:
        status = Status.UNDEFINED
    elif family.setting.too_few() or not np.isfinite(family.covariance).all():
        status = Status.TOO_FEW
    if status is not Status.OK:
        scores, known, details = [math.nan] * models, [], {}
    else:
        draws, _ = draw(family.covariance, n_resamples, seed)
        leads = _leads(family)
        if _known(family)[0] >= FEWEST:
            sides = 1 if family.scale is None else 2
            pvalues[known] = [min(sides * _pvalue(leads, draws, i), 1.0) for i in range(len(known))]
        best = max((s for s in family.singles if s is not None), key=lambda s: s.estimate)
        assumed = _assumptions(family, best)
    return BestResult(
        test="best_models" if family.setting.metric.computed else "best_by_values",
        variant=family.setting.metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        n=family.setting.truth.n,
        null_hypothesis=null if status is Status.OK else "",
        method="hsu1984",
        status=status,
        assumptions=assumed,
        scores=tuple(scores),
        members=tuple(m for m in known if not pvalues[m] <= 1 - level),
        pvalues=tuple(pvalues.tolist()),
        details=details,
    )


def _known(family: MetricFamily) -> tuple[int, int]:
    """Return the rows that the set rests on, and how many are enough for it."""
    # those of the rarest class, or the degrees of freedom of numbers per row
    setting, singles = family.setting, [s for s in family.singles if s is not None]
    if family.scale is None:
        return ENOUGH, ENOUGH
    if setting.metric.needs is Need.NUMBERS:
        return int(min(s.tested.df for s in singles)), 3 * FEWEST
    fewest, top = setting.fewest(), max(s.value for s in singles)
    high = setting.metric.form is Form.RANKING and top > HIGH_AREA
    enough = ENOUGH_OF_AREAS if high or setting.metric.by_predicted else ENOUGH
    return enough if fewest < 0 else fewest, enough


def _assumptions(family: MetricFamily, best: Influence) -> tuple[Assumption, ...]:
    """Say whether the rows are enough for the set, not for one model's interval."""
    checks = assumptions(family.setting, best.tested, (best,))
    if family.scale is None:
        return checks
    rows, enough = _known(family)
    what = (
        "degrees of freedom of the numbers per row"
        if family.setting.metric.needs is Need.NUMBERS
        else f"rows of the rarest class that {family.setting.metric.name} uses"
    )
    detail = f"{rows} {what}; below {FEWEST} no model is left out, below {enough} the set is rough"
    kept = [a for a in checks if a.name not in OF_ONE_MODEL]
    return *kept, Assumption("enough rows for the best", rows >= enough, detail)


def _leads(family: MetricFamily) -> FloatArray:
    """Return by how many standard errors, as normal scores, model j (column) beats i (row)."""
    known, scale = family.known, family.scale
    singles = [s for s in family.singles if s is not None]
    scaled = [None if scale is None else on_scale(scale, s) for s in singles]
    z = np.full((len(known), len(known)), -math.inf)
    for i in range(len(known)):
        for j in range(i + 1, len(known)):
            contrast = family.contrast(known[j], known[i])
            status, t, _ = decide(family.setting, contrast, "two-sided")
            if status is Status.OK:
                df = contrast.tested.df
                if scale is not None:
                    df = min(df, singles[i].tested.df, singles[j].tested.df)
                first, second = scaled[j], scaled[i]
                if first is not None and second is not None:
                    other = first - second
                    t = min(t, other.value / other.tested.se, key=abs)
                size = -float(special.ndtri(special.stdtr(df, -abs(t))))
                z[i, j], z[j, i] = math.copysign(size, t), -math.copysign(size, t)
            elif status is Status.ZERO_VARIANCE:
                z[i, j], z[j, i] = t, -t
    return z


def _pvalue(leads: FloatArray, draws: NDArray[np.float32], i: int) -> float:
    """Return P(max_j (D_j − D_i)/sd_ij ≥ max_j z_ij)."""
    others = np.flatnonzero(leads[i] > -math.inf)  # but for those that are treated alike
    if not len(others):
        return 1.0
    differences = draws[:, others] - draws[:, [i]]
    largest = (differences / differences.std(axis=0)).max(axis=1)
    return float((1 + (largest >= leads[i, others].max()).sum()) / (len(draws) + 1))
