"""Which models may be the best on one test set, and what the winner is worth."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level, Resamples, Seed, checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Result, Status
from bakeoff.stats.design.spread import Spread
from bakeoff.stats.metrics.answer import OF_ONE_MODEL, assumptions, decide
from bakeoff.stats.metrics.area_intervals import exact_limit
from bakeoff.stats.metrics.family import MetricFamily, family_of_values, on_scale, read_family
from bakeoff.stats.metrics.influence import Influence
from bakeoff.stats.metrics.max_t import draw
from bakeoff.stats.metrics.metric import Form, Need
from bakeoff.stats.metrics.setting import MetricArguments

FEWEST, ENOUGH, ENOUGH_OF_AREAS, HIGH_AREA = 20, 40, 100, 0.9
"""Rows of the rarest class (degrees of freedom of numbers per row) below which a score has no
bound; below which a bound is rough, and the same of average precisions and of high areas."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BestResult(Result):
    """The models that may be the best, and the score of the winner corrected for its selection.

    `estimate` is the winner's freed score, `ci` its one-sided interval; `pvalue` is NaN.

    Attributes
    ----------
    scores : tuple of float
        Of each model, greater is better: losses with their sign turned; NaN where it has no value.
    members : tuple of int
        The models that are not shown to be worse than another: a best one is among them with
        the confidence of the interval.
    pvalues : tuple of float
        Of each model, against "it is a best one" (Hsu 1984); NaN where its metric has no value.
    probability_best : tuple of float
        How often each would win on other test sets like this one, wins of identical models
        divided among them; a description, not a test.
    winner : int
        The model with the best score here; −1 where there is none.
    naive : float
        The winner's score as it is, flattered by having been chosen.
    """

    scores: tuple[float, ...]
    members: tuple[int, ...]
    pvalues: tuple[float, ...]
    probability_best: tuple[float, ...]
    winner: int
    naive: float

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {
            "members": " ".join(map(str, self.members)),
            "winner": self.winner,
            "naive": self.naive,
        }


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
    """Return the set of models that may be the best, and what the winner is really worth.

    Multiple comparisons with the best (Hsu 1984): a model stays unless the largest of the t
    statistics by which others beat it exceeds the quantile of that maximum. The winner's score is
    freed of the mean advantage that a winner has by chance.

    Parameters
    ----------
    predicted : array_like, shape (n, M) or (n, M, K)
        As in `all_pairs` of `metric_difference`.
    confidence_level : float
        Probability that a best model is in the set, and level of the winner's one-sided interval.

    Returns
    -------
    BestResult

    Examples
    --------
    >>> y = [1] * 20 + [0] * 20
    >>> models = np.transpose(
    ...     [[1] * 19 + [0] * 21, [1] * 17 + [0] * 21 + [1] * 2, [1] * 9 + [0] * 31])
    >>> result = best_models(y, models, metric="f1")
    >>> result.members, result.winner, round(result.naive, 2)
    ((0, 1), 0, 0.97)
    """
    family = read_family(y_true, predicted, **asked)
    return best_of(family, "best_models", confidence_level, n_resamples, seed)


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
    return best_of(family, "best_by_values", confidence_level, n_resamples, seed)


def best_of(family: MetricFamily, test: str, level: float, b: int, seed: int) -> BestResult:
    """Find the best models of a family that has been read; see `best_models`."""
    known, models = family.known, len(family.singles)
    if not known:
        return _nothing(family, test, Status.UNDEFINED)
    covariance = family.covariance
    if family.setting.too_few() or not np.isfinite(covariance).all():
        return _nothing(family, test, Status.TOO_FEW)
    draws, scale = draw(covariance, b, seed)
    estimates = np.array([s.estimate for m in known if (s := family.singles[m]) is not None])
    leads = _leads(family)
    pvalues = np.full(models, math.nan)
    if _known(family)[0] >= FEWEST:
        sides = 1 if family.scale is None else 2
        pvalues[known] = [min(sides * _pvalue(leads, draws, i), 1.0) for i in range(len(known))]
    share = np.zeros(models)
    won = np.argmax(draws + (estimates / scale).astype(np.float32), axis=1)
    share[known] = _shared(np.bincount(won, minlength=len(known)) / b, leads, estimates)
    at = int(np.argmax(estimates))
    single = family.singles[known[at]]
    assert single is not None
    sd = draws.std(axis=0)
    critical = np.quantile((draws / np.where(sd > 0, sd, 1)).max(axis=1), level)
    freed = single.value - scale * float(draws[np.arange(b), won].mean(dtype=np.float64))
    low = _bound(family, single, float(special.ndtr(-critical)))
    return _result(
        family,
        test,
        level,
        (freed, low, single.value),
        winner=known[at],
        members=tuple(m for m in known if not pvalues[m] <= 1 - level),
        pvalues=tuple(pvalues.tolist()),
        probability_best=tuple(share.tolist()),
    )


def _bound(family: MetricFamily, winner: Influence, tail: float) -> float:
    """Return the lower bound of the winner's score; NaN where there is none."""
    # On the scale of areas and of the log loss, and in groups, the winner's standard error is too
    # small, for it was chosen among lucky ones: the root mean square of the standard errors of the
    # models near it is taken if that is larger, with the fewest degrees of freedom among them.
    found, scale = winner.tested, family.scale
    if scale is None:
        least = winner.estimate + float(special.stdtrit(found.df, tail)) * found.se
        if family.setting.clusters is None:
            return least
        near = [s.tested for s in family.singles if s is not None and s.estimate >= least]
        return winner.estimate - _reach(found, near, tail) if near else math.nan
    if _known(family)[0] < FEWEST:
        return math.nan
    top = on_scale(scale, winner)
    if top is None:
        return exact_limit(family.setting, tail)
    least = top.value + float(special.stdtrit(found.df, tail)) * top.tested.se
    others = [on_scale(scale, s) for s in family.singles if s is not None]
    near = [s.tested for s in others if s is not None and s.value >= least and s.tested.se > 0]
    return scale.inverse(top.value - _reach(top.tested, near, tail)) if near else math.nan


def _reach(winner: Spread, near: Sequence[Spread], tail: float) -> float:
    """Return how far the bound is below the winner, by the spreads of the models near it."""
    se = max(winner.se, math.sqrt(np.mean([s.se**2 for s in near])))
    return -float(special.stdtrit(min(s.df for s in near), tail)) * se


def _known(family: MetricFamily) -> tuple[int, int]:
    """Return the rows that the bound and the set hang on, and how many are enough for both."""
    setting, singles = family.setting, [s for s in family.singles if s is not None]
    if family.scale is None:
        return ENOUGH, ENOUGH
    if setting.metric.needs is Need.NUMBERS:
        return int(min(s.tested.df for s in singles)), 3 * FEWEST
    fewest, top = setting.fewest(), max(s.value for s in singles)
    high = setting.metric.form is Form.RANKING and top > HIGH_AREA
    enough = ENOUGH_OF_AREAS if high or setting.metric.by_predicted else ENOUGH
    return enough if fewest < 0 else fewest, enough


def _assumptions(family: MetricFamily, winner: Influence) -> tuple[Assumption, ...]:
    """Say whether the rows are enough for the bound and the set, not for one model's interval."""
    found = assumptions(family.setting, winner.tested, (winner,))
    if family.scale is None:
        return found
    known, enough = _known(family)
    what = (
        "degrees of freedom of the numbers per row"
        if family.setting.metric.needs is Need.NUMBERS
        else f"rows of the rarest class that {family.setting.metric.name} uses"
    )
    detail = (
        f"{known} {what}; below {FEWEST} the winner has no bound and no model is left out, below "
        f"{enough} both are rough"
    )
    kept = [a for a in found if a.name not in OF_ONE_MODEL]
    return *kept, Assumption("enough rows for the best", known >= enough, detail)


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


def _shared(wins: FloatArray, leads: FloatArray, estimates: FloatArray) -> FloatArray:
    """Divide the wins of models with identical scores on every row equally among them."""
    noise = 1e-12 * np.abs(estimates).max(initial=0.0)
    same = np.isclose(estimates[:, None], estimates, rtol=0, atol=noise)
    alike = (leads == -math.inf) & same
    return np.array([wins[group].mean() for group in alike])


def _pvalue(leads: FloatArray, draws: NDArray[np.float32], i: int) -> float:
    """Return P(max_j (D_j − D_i)/sd_ij ≥ max_j z_ij)."""
    others = np.flatnonzero(leads[i] > -math.inf)  # but for those that are treated alike
    if not len(others):
        return 1.0
    differences = draws[:, others] - draws[:, [i]]
    largest = (differences / differences.std(axis=0)).max(axis=1)
    return float((1 + (largest >= leads[i, others].max()).sum()) / (len(draws) + 1))


def _nothing(family: MetricFamily, test: str, status: Status) -> BestResult:
    nan = tuple(math.nan for _ in family.singles)
    return BestResult(
        test=test,
        variant=family.setting.metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        n=family.setting.truth.n,
        null_hypothesis="",
        method="hsu1984",
        status=status,
        scores=nan,
        members=(),
        pvalues=nan,
        probability_best=nan,
        winner=-1,
        naive=math.nan,
    )


def _result(
    family: MetricFamily, test: str, level: float, scores: tuple[float, float, float], **found: Any
) -> BestResult:
    """Turn scores back to the side of the metric and make the result."""
    freed, bound, naive = scores
    low, high = family.setting.metric.range
    single = family.singles[found["winner"]]
    assert single is not None
    if family.setting.metric.greater_is_better:
        limits = max(bound, low), high
    else:
        freed, bound, naive = -freed, -bound, -naive
        limits = low, min(bound, high)
    ci = None if math.isnan(bound) else ConfidenceInterval(*limits, level, "winner")
    return BestResult(
        test=test,
        variant=family.setting.metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        estimate=freed,
        ci=ci,
        n=family.setting.truth.n,
        null_hypothesis="The model is a best one of those compared.",
        method="hsu1984",
        assumptions=_assumptions(family, single),
        naive=naive,
        scores=tuple(math.nan if s is None else s.value for s in family.singles),
        details={"reasons": family.reasons},
        **found,
    )
