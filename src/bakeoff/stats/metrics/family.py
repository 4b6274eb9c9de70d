"""Many models on one test set: all pairs, the largest of many t statistics, and which may be best.

Draws D ~ N(0, V) with V the covariance of the models' metrics are the Gaussian multiplier
bootstrap (Chernozhukov, Chetverikov & Kato 2013, 10.1214/13-AOS1161) without its n × B product.
"""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Default, Level, Resamples, Seed, checked
from bakeoff.stats.core.arithmetic import gram, root, times_root
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_scores
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    check_correction,
    pairs_of,
    simultaneous_level,
)
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.groups import (
    GroupSums,
    Leverage,
    Spread,
    agreeing,
    hull,
    max_flip,
    subset_limits,
    towards,
)
from bakeoff.stats.metrics.influence import (
    OF_ONE_MODEL,
    Influence,
    MetricArguments,
    Setting,
    assumptions,
    decide,
    one,
    pair,
    pair_counts,
    setting_of,
    setting_of_values,
    worth_of_groups,
)
from bakeoff.stats.metrics.metric import (
    LOG,
    LOGIT,
    PLAIN,
    Form,
    Metric,
    Need,
    NoValue,
    Scale,
    metric_called,
)


def normal_scores(t: FloatArray, df: FloatArray, side: Alternative) -> FloatArray:
    """Turn t statistics into normal scores in the direction of the alternative."""
    # Through the tail probability, so that few degrees of freedom count.
    t = towards(t, side)
    upper = -special.ndtri(special.stdtr(df, -np.abs(t)))
    return np.asarray(np.where(t < 0, -upper, upper))


_NO_VARIANCE = 1e-24
"""The share of the largest variance that is rounding; the draws of other models are not to hang
on it."""


def draw(covariance: FloatArray, n_resamples: int, seed: Seed) -> tuple[NDArray[np.float32], float]:
    """Draw from N(0, V/s²), shape (B, M), and return the scale s with it."""
    # The scale is the largest standard deviation, so that single precision holds any unit.
    scale = float(np.sqrt(covariance.diagonal().max())) or 1.0
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((len(covariance), n_resamples), dtype=np.float32)
    return times_root(normal, root(covariance / scale**2, _NO_VARIANCE)).T, scale


def max_t(
    z: FloatArray,
    members: tuple[NDArray[np.intp], NDArray[np.intp]],
    v: FloatArray,
    draws: NDArray[np.float32],
    level: float,
    side: Alternative,
    scale: float = 1.0,
) -> tuple[FloatArray, FloatArray, float]:
    """Return single-step and step-down p-values by the largest statistic, and its quantile."""
    # Westfall & Young (1993), Hothorn et al. (2008), of differences of models with covariance V
    i, j = members
    order = np.argsort(z, kind="stable")  # smallest first: the maximum of a step is that so far
    # models that are always right and always wrong are drawn without spread: 0, and not 0/0
    least = np.finfo(np.float32).tiny
    drawn_sd = np.sqrt(np.maximum(v[i, i] + v[j, j] - 2 * v[i, j], 1e-300))
    sd = np.maximum(drawn_sd / scale, least).astype(np.float32)
    sizes = z.astype(np.float32)
    total = len(draws)
    by_model = np.ascontiguousarray(draws.T)
    largest = np.full(total, -np.inf, dtype=np.float32)
    p = np.empty(len(z))
    for place, c in enumerate(order):
        drawn = by_model[i[c]] - by_model[j[c]]
        np.maximum(largest, towards(drawn, side) / sd[c], out=largest)
        p[place] = (1 + np.count_nonzero(largest >= sizes[c])) / (total + 1)
    step_down = np.empty(len(z))
    # none smaller than that of a larger z
    step_down[order] = np.maximum.accumulate(p[::-1])[::-1]
    ordered = np.sort(largest)
    above = total - np.searchsorted(ordered, sizes, side="left")
    single = (1 + above) / (total + 1)
    return single, step_down, float(np.quantile(ordered, level))


_BLOCK = 4096


@dataclasses.dataclass(frozen=True)
class MetricFamily:
    """The models of one test set and what a metric says of each."""

    setting: Setting
    rows: list[Any]
    defined: dict[int, Influence]  # of the models whose metric has a value
    reasons: list[str]  # why the metric of a model has none

    @cached_property
    def _counts(self) -> NDArray[np.int64] | None:
        """The rows in the cells of every pair, where no row has to be told from another."""
        alone = self.setting.clusters is None
        return pair_counts(self.setting.truth, self.rows) if alone else None

    @property
    def values(self) -> list[float]:
        """The metric of each model, greater is better; NaN where it has no value."""
        singles = map(self.defined.get, range(len(self.rows)))
        return [math.nan if single is None else single.value for single in singles]

    def contrast(self, a: int, b: int) -> Influence:
        """Return the influence values of the difference of two models that have values."""
        if self.setting.metric.form is Form.DECISIONS:
            counts = None if self._counts is None else self._counts[:, a, :, b]
            influence, _ = pair(self.setting, [self.rows[a], self.rows[b]], counts)
            return self.setting.gain(influence)
        return self.defined[a] - self.defined[b]

    @cached_property
    def scale(self) -> Scale | None:
        """The scale on which the best is found: the metric's, else the logit or −log.

        None for metrics of decisions and those whose rows are left out.
        """
        metric = self.setting.metric
        if metric.form in (Form.DECISIONS, Form.LEFT_OUT):
            return None
        if metric.scale is PLAIN and metric.range[0] == 0:
            return LOGIT if metric.range[1] == 1 else LOG
        return metric.scale

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the metrics of models with values, shape (K, K); NaN of one unit."""
        columns = [single.drawn_from for single in self.defined.values()]
        table = np.empty((len(columns[0]), len(columns)))
        for start in range(0, len(table), _BLOCK):  # of rows that stay in the cache
            for place, column in enumerate(columns):
                table[start : start + _BLOCK, place] = column[start : start + _BLOCK]
        first = next(iter(self.defined.values()))
        return covariance_of(table, first.groups)


def covariance_of(rows: FloatArray, groups: Leverage | None) -> FloatArray:
    """Return the covariance of means of influence values, shape (n, K); NaN of one unit."""
    n, k = rows.shape
    if not (n > 1 if groups is None else groups.df > 0):
        return np.full((k, k), np.nan)
    if groups is None:
        return np.asarray(n / (n - 1) * gram(rows) / n**2)
    order = np.argsort(groups.codes, kind="stable")
    starts = np.flatnonzero(np.diff(groups.codes[order], prepend=-1))
    divided = rows / groups.root[:, None]
    sums = np.asarray(np.add.reduceat(divided[order], starts, axis=0))
    return np.asarray(groups.factor * gram(sums) / n**2)


def read_family(
    y_true: ArrayLike,
    predicted: ArrayLike,
    metric: str | Metric = "accuracy",
    **options: Any,
) -> MetricFamily:
    """Read truth and predictions of all models, and find each model's influence values."""
    metric = metric_called(metric, smooth=True)
    columns: Any = predicted  # one for each model, or a table of probabilities
    if not isinstance(predicted, list) or not all(hasattr(c, "categories") for c in predicted):
        table = as_array(predicted, "predicted")
        most = 3 if metric.by_order else 2
        if not 2 <= table.ndim <= most or table.shape[1] < 2:
            shape = "(n, M)" if most == 2 else "(n, M) or (n, M, K)"
            raise ArgumentError(
                "predicted", f"expected shape {shape}, rows by M >= 2 models, found {table.shape}"
            )
        columns = np.moveaxis(table, 1, 0)
    named = [("predicted", column) for column in columns]
    return _family(*setting_of(y_true, named, metric, **options))


def family_of_values(
    values: ArrayLike, greater_is_better: bool, groups: ArrayLike | None = None
) -> MetricFamily:
    """Take numbers per row and model, shape (n, M), as a family."""
    table = as_scores(values, "values", ndim=2, unit="rows")
    if table.shape[1] < 2:
        raise ArgumentError("values", f"found {table.shape[1]} model(s), at least 2 are compared")
    columns = [("values", column) for column in table.T]
    setting, rows = setting_of_values(columns, greater_is_better, groups)
    return _family(dataclasses.replace(setting, two_rows=False), rows)


def _family(setting: Setting, rows: list[Any]) -> MetricFamily:
    defined, reasons = {}, [""] * len(rows)
    for model, values in enumerate(rows):
        try:
            defined[model] = setting.gain(one(setting, values))
        except NoValue as reason:
            reasons[model] = str(reason)
    return MetricFamily(setting, rows, defined, reasons)


MAX_T = "max-t"


class FamilyArguments(TypedDict, total=False):
    """The options of a comparison of all pairs, or of a control with each other model."""

    control: int | None
    correction: Annotated[str, Default(MAX_T)]
    alternative: Annotated[Alternative, Default("two-sided")]
    confidence_level: Annotated[Level, Default(0.95)]
    simultaneous: Annotated[bool, Default(True)]
    n_resamples: Annotated[Resamples, Default(99_999)]
    seed: Annotated[Seed, Default(0)]


class _Arguments(FamilyArguments, MetricArguments):
    """The options of a family, and those of its metric."""


@checked
def compare_models(
    y_true: ArrayLike, predicted: ArrayLike, **options: Unpack[_Arguments]
) -> PairwiseResult:
    """Test the differences of a metric between all pairs of models, or from a control."""
    # By default p-values are adjusted step by step by the largest statistic among those not yet
    # rejected, drawn from the covariance of the influence values (Hothorn, Bretz & Westfall 2008).
    # In groups no p-value is smaller than that by sign flips of whole groups, and intervals hold 0
    # where the adjusted p-value does not reject (the raw one if they are not simultaneous).
    of_metric: dict[str, Any] = {**options}
    names = FamilyArguments.__annotations__
    of_family = {name: of_metric.pop(name) for name in names if name in of_metric}
    return compare_all(read_family(y_true, predicted, **of_metric), **of_family)


@checked
def compare_values(
    values: ArrayLike,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    **options: Unpack[FamilyArguments],
) -> PairwiseResult:
    """Test the mean differences of numbers that many systems have on the same rows."""
    # As `metric_difference` does for all pairs (Hothorn, Bretz & Westfall 2008): in groups that is
    # the form ``t_and_flips`` of `mean_difference`.
    return compare_all(family_of_values(values, greater_is_better, groups), **options)


def compare_all(
    family: MetricFamily,
    *,
    control: int | None = None,
    correction: str = MAX_T,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 99_999,
    seed: Seed = 0,
) -> PairwiseResult:
    """Compare all pairs of a family that has been read; see `compare_models`."""
    setting, side, level = family.setting, alternative, confidence_level
    metric, models = setting.metric, len(family.rows)
    members = pairs_of(models, control)
    method = check_correction(correction, control, side, MAX_T)
    statuses = [Status.UNDEFINED] * len(members)
    value, estimate, se, df, t, raw = np.full((6, len(members)), math.nan)
    spreads: list[Spread] = []
    groups: list[GroupSums] = []
    details: dict[int, dict[str, float]] = {}
    for place, (a, b) in enumerate(members):
        if not {a, b} <= family.defined.keys():
            continue
        contrast = family.contrast(a, b)  # the influence of each row is not kept
        spread, value[place], estimate[place] = contrast.tested, contrast.value, contrast.estimate
        se[place], df[place] = spread.se, spread.df
        statuses[place], t[place], raw[place] = decide(setting, contrast, side, spread)
        details[place] = {"se": spread.se, **worth_of_groups(setting, contrast)}
        spreads.append(spread)
        if statuses[place] is Status.OK and contrast.of_groups is not None:
            groups.append(contrast.of_groups)
    ok = np.array([status is Status.OK for status in statuses])
    first, second = np.searchsorted(list(family.defined), np.array(members)[ok]).T
    z = normal_scores(t[ok], df[ok], side)
    flips = None
    if groups:
        together = GroupSums(np.column_stack([one.sums for one in groups]), groups[0].shares)
        if not together.many_alike:
            flips = max_flip(together, se[ok], side)
            raw[ok] = np.maximum(raw[ok], flips[0])
    single = np.full(len(members), math.nan)
    each = level
    largest = None
    if method == MAX_T:
        adjusted = np.where(np.isnan(raw), math.nan, 1.0)
        if ok.any():
            covariance = family.covariance
            draws, scale = draw(covariance, n_resamples, seed)
            of_family = z, (first, second), covariance, draws, level, side, scale
            single[ok], adjusted[ok], largest = max_t(*of_family)
            if flips is not None:
                adjusted[ok] = np.maximum(adjusted[ok], flips[1])
        # no adjusted p below its own p, which the draws may miss by chance
        adjusted = np.fmax(adjusted, raw)
    else:
        adjusted = adjust_pvalues(raw, method)
        each = simultaneous_level(level, len(members), method) if simultaneous else level
    tail: Any = tail_probability(each, side)
    if largest is not None and simultaneous:
        tail = special.ndtr(-largest)
    reach = -special.stdtrit(df, tail) * se
    bounds = metric.range[0] - metric.range[1], metric.range[1] - metric.range[0]
    if flips is not None:
        each = simultaneous_level(level, len(members), "bonferroni") if simultaneous else level
        limits = subset_limits(together.sums, together.shares, tail_probability(each, side))
        decisive = adjusted if simultaneous else raw
    intervals = {}
    for place, member in enumerate(np.flatnonzero(ok).tolist()):
        centre, half = float(estimate[member]), float(reach[member])
        low = -math.inf if side == "less" else max(centre - half, bounds[0])
        high = math.inf if side == "greater" else min(centre + half, bounds[1])
        ci = ConfidenceInterval(low, high, level, "t")
        if flips is not None:
            ci = hull(ci, [ends[place] for ends in limits], side, bounds)
            ci = agreeing(ci, float(decisive[member]), 1 - level, centre, side)
        intervals[member] = ci
    sign = 1 if metric.greater_is_better else -1
    checks: tuple[Assumption, ...] = ()
    if spreads:
        checks = assumptions(
            setting, min(spreads, key=lambda spread: spread.df), [*family.defined.values()]
        )
    return PairwiseResult(
        test="metric_difference" if metric.computed else "mean_difference",
        variant=metric.name,
        correction=method,
        pairs=tuple(
            Pair(
                a=a,
                b=b,
                statistic=float(t[i]),
                pvalue=float(raw[i]),
                pvalue_adjusted=float(adjusted[i]),
                estimate=float(value[i]),
                ci=intervals.get(i),
                df=float(df[i]) if i in details else None,
                status=statuses[i],
                details=details.get(i, {}),
            )
            for i, (a, b) in enumerate(members)
        ),
        n=setting.truth.n,
        null_hypothesis="The two models of the pair have the same "
        f"{metric.name} on the population that the test rows were drawn from.",
        method="hothorn2008" if method == MAX_T else "satterthwaite1946",
        alternative=side,
        status=Status.OK if ok.any() else statuses[0],
        assumptions=checks,
        details={
            "values": [sign * value for value in family.values],
            "reasons": family.reasons,
            "single_step": single,
        },
    )


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
    **options: Unpack[MetricArguments],
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

    Examples
    --------
    >>> y = [1] * 20 + [0] * 20
    >>> models = np.transpose(
    ...     [[1] * 19 + [0] * 21, [1] * 17 + [0] * 21 + [1] * 2, [1] * 9 + [0] * 31])
    >>> result = best_models(y, models, metric="f1")
    >>> result.members
    (0, 1)
    """
    family = read_family(y_true, predicted, **options)
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
    """
    family = family_of_values(values, greater_is_better, groups)
    return best_of(family, confidence_level, n_resamples, seed)


def best_of(family: MetricFamily, level: float, n_resamples: int, seed: int) -> BestResult:
    """Find the best models of a family that has been read; see `best_models`."""
    setting, scores, members = family.setting, family.values, list(family.defined)
    pvalues = np.full(len(scores), math.nan)
    status = Status.OK
    checks: tuple[Assumption, ...] = ()
    if not members:
        status = Status.UNDEFINED
    elif setting.lacks_rows_of_a_class or not np.isfinite(family.covariance).all():
        status = Status.TOO_FEW
    if status is not Status.OK:
        scores, members = [math.nan] * len(scores), []
    else:
        draws, _ = draw(family.covariance, n_resamples, seed)
        leads, (rows, enough) = _leads(family), _rows_of_rarest(family)
        if rows >= FEWEST:
            sides = 1 if family.scale is None else 2
            each = [sides * _pvalue(leads, draws, place) for place in range(len(members))]
            pvalues[members] = np.minimum(each, 1.0)
        best = max(family.defined.values(), key=lambda single: single.estimate)
        checks = assumptions(setting, best.tested, (best,))
        if family.scale is not None:  # are the rows enough for the set, not for an interval?
            what = f"rows of the rarest class that {setting.metric.name} uses"
            if setting.metric.needs is Need.NUMBERS:
                what = "degrees of freedom of the numbers per row"
            detail = (
                f"{rows} {what}; below {FEWEST} no model is left out, below {enough} the set is "
                "rough"
            )
            kept = (check for check in checks if check.name not in OF_ONE_MODEL)
            checks = (*kept, Assumption("enough rows for the best", rows >= enough, detail))
    return BestResult(
        test="best_models" if setting.metric.computed else "best_by_values",
        variant=setting.metric.name,
        statistic=math.nan,
        pvalue=math.nan,
        n=setting.truth.n,
        null_hypothesis="The model is a best one of those compared." if members else "",
        method="hsu1984",
        status=status,
        assumptions=checks,
        scores=tuple(scores),
        members=tuple(m for m in members if not pvalues[m] <= 1 - level),
        pvalues=tuple(pvalues.tolist()),
        details={"reasons": family.reasons} if members else {},
    )


def _rows_of_rarest(family: MetricFamily) -> tuple[int, int]:
    """Return the rows that the set rests on, and how many are enough for it."""
    # those of the rarest class, or the degrees of freedom of numbers per row
    metric, singles = family.setting.metric, family.defined.values()
    if family.scale is None:
        return ENOUGH, ENOUGH
    if metric.needs is Need.NUMBERS:
        return int(min(s.tested.df for s in singles)), 3 * FEWEST
    fewest, top = family.setting.fewest, max(s.value for s in singles)
    high = metric.form is Form.RANKING and top > HIGH_AREA
    enough = ENOUGH_OF_AREAS if high or metric.by_predicted else ENOUGH
    return enough if fewest < 0 else fewest, enough


def _leads(family: MetricFamily) -> FloatArray:
    """Return by how many standard errors, as normal scores, model j (column) beats i (row)."""
    members, scale = list(family.defined), family.scale
    sign = 1 if family.setting.metric.greater_is_better else -1
    scaled = {  # by the delta method; not at an end of the range
        m: dataclasses.replace(
            s, value=sign * scale.forward(sign * s.value), values=s.values / slope
        )
        for m, s in family.defined.items()
        if scale is not None and (slope := scale.slope(sign * s.value)) > 0
    }
    z = np.full((len(members), len(members)), -math.inf)
    for i, j in pairs_of(len(members), None):
        a, b = members[j], members[i]
        contrast = family.contrast(a, b)
        status, t, _ = decide(family.setting, contrast, "two-sided", contrast.tested)
        if status is Status.OK:
            df = contrast.tested.df
            if scale is not None:
                df = min(df, family.defined[a].tested.df, family.defined[b].tested.df)
            if a in scaled and b in scaled:
                other = scaled[a] - scaled[b]
                t = min(t, other.value / other.tested.se, key=abs)
            t = math.copysign(float(special.ndtri(special.stdtr(df, -abs(t)))), t)
        if status in (Status.OK, Status.ZERO_VARIANCE):
            z[i, j], z[j, i] = t, -t
    return z


def _pvalue(leads: FloatArray, draws: NDArray[np.float32], i: int) -> float:
    """Return P(max_j (D_j − D_i)/sd_ij ≥ max_j z_ij)."""
    lead = float(leads[i].max())
    if math.isinf(lead):  # all are alike, or one is better by the same on every row
        return 1.0 if lead < 0 else 1 / (len(draws) + 1)
    differences = draws[:, leads[i] > -math.inf] - draws[:, [i]]  # without those treated alike
    largest = (differences / differences.std(axis=0)).max(axis=1)
    return float((1 + (largest >= lead).sum()) / (len(draws) + 1))
