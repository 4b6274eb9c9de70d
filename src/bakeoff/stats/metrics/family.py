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
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    check_control,
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
    answered,
)
from bakeoff.stats.design.flips import GroupSums, agreeing, hull, max_flip, subset_limits
from bakeoff.stats.design.groups import Leverage, Spread
from bakeoff.stats.metrics.answer import (
    OF_ONE_MODEL,
    assumptions,
    better_is_positive,
    decide,
    worth_of_groups,
)
from bakeoff.stats.metrics.influence import (
    Influence,
    MetricArguments,
    Setting,
    mean_value,
    one,
    pair,
    pair_counts,
    setting_of,
    setting_of_values,
)
from bakeoff.stats.metrics.metric import LOG, LOGIT, PLAIN, Form, Metric, Need, Scale, metric_called
from bakeoff.stats.metrics.view import Codes, NoValue


@dataclasses.dataclass(frozen=True)
class Contrasts:
    """Differences of models that are tested together."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    covariance: FloatArray

    @property
    def statistic(self) -> FloatArray:
        """Student's t of each contrast."""
        return self.estimate / self.se

    def size(self, side: Alternative) -> FloatArray:
        """Return normal scores of t in the direction of the alternative."""
        # Through its tail probability, so that few degrees of freedom count.
        t = _sized(self.statistic, side)
        upper = -special.ndtri(special.stdtr(self.df, -np.abs(t)))
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


@dataclasses.dataclass(frozen=True)
class MaxT:
    """What the draws say of a family of contrasts."""

    single_step: FloatArray
    step_down: FloatArray
    critical: float


def max_t(
    contrasts: Contrasts,
    draws: NDArray[np.float32],
    level: float,
    side: Alternative,
    scale: float = 1.0,
) -> MaxT:
    """Adjust p-values by the maximum statistic (Westfall & Young 1993; Hothorn et al. 2008)."""
    z = contrasts.size(side)
    order = np.argsort(z, kind="stable")  # smallest first: the maximum of a step is that so far
    # models that are always right and always wrong are drawn without spread: 0, and not 0/0
    least = np.finfo(np.float32).tiny
    v, i, j = contrasts.covariance, contrasts.first, contrasts.second
    drawn_sd = np.sqrt(np.maximum(v[i, i] + v[j, j] - 2 * v[i, j], 1e-300))
    sd = np.maximum(drawn_sd / scale, least).astype(np.float32)
    sizes = z.astype(np.float32)
    total = len(draws)
    by_model = np.ascontiguousarray(draws.T)
    largest = np.full(total, -np.inf, dtype=np.float32)
    p = np.empty(len(z))
    for place, c in enumerate(order):
        drawn = by_model[contrasts.first[c]] - by_model[contrasts.second[c]]
        np.maximum(largest, _sized(drawn, side) / sd[c], out=largest)
        p[place] = (1 + np.count_nonzero(largest >= sizes[c])) / (total + 1)
    step_down = np.empty(len(z))
    # none smaller than that of a larger z
    step_down[order] = np.maximum.accumulate(p[::-1])[::-1]
    ordered = np.sort(largest)
    above = total - np.searchsorted(ordered, sizes, side="left")
    single = (1 + above) / (total + 1)
    return MaxT(single, step_down, float(np.quantile(ordered, level)))


def _sized(values: NDArray[Any], side: Alternative) -> NDArray[Any]:
    return np.asarray(
        np.abs(values) if side == "two-sided" else values if side == "greater" else -values
    )


def on_scale(scale: Scale, influence: Influence) -> Influence | None:
    """Return a metric on a scale (delta method); None at an end of its range."""
    slope = scale.slope(influence.value)
    if not slope > 0:
        return None
    atoms = dataclasses.replace(influence.atoms, psi=influence.atoms.psi / slope)
    return dataclasses.replace(influence, value=scale.forward(influence.value), atoms=atoms)


def scale_of(setting: Setting) -> Scale | None:
    """Return the scale of the metric, else the logit for shares, −log for losses."""
    metric = setting.metric
    if metric.form in (Form.DECISIONS, Form.LEFT_OUT):
        return None
    scale = metric.scale
    if scale is PLAIN and metric.range[0] == 0:
        scale = LOGIT if metric.range[1] == 1 else LOG
    return scale if metric.greater_is_better else scale.mirrored()


_BLOCK = 4096


@dataclasses.dataclass(frozen=True)
class Contrast:
    """What a difference of two models comes to; the influence of each row is not kept."""

    value: float
    estimate: float
    tested: Spread
    worth: dict[str, float]
    of_groups: GroupSums | None


@dataclasses.dataclass(frozen=True)
class MetricFamily:
    """The models of one test set and what a metric says of each."""

    setting: Setting
    rows: list[Any]
    singles: list[Influence | None]
    reasons: list[str]

    @cached_property
    def _counts(self) -> NDArray[np.int64] | None:
        """The rows in the cells of every pair, where no row has to be told from another."""
        return (
            None
            if self.setting.clusters is not None
            else pair_counts(self.setting.classes, self.rows)
        )

    @property
    def defined(self) -> list[int]:
        """The models whose metric has a value."""
        return [m for m, single in enumerate(self.singles) if single is not None]

    def contrast(self, a: int, b: int) -> Influence:
        """Return the influence values of one difference of models that are known."""
        if self.setting.metric.form is Form.DECISIONS:
            counts = None if self._counts is None else self._counts[:, a, :, b]
            influence = pair(self.setting, self.rows[a], self.rows[b], counts)
            return better_is_positive(self.setting, influence)
        first, second = self.singles[a], self.singles[b]
        assert first is not None
        assert second is not None
        return first - second

    @cached_property
    def scale(self) -> Scale | None:
        """The scale on which the best of the models is found; None for that of the metric."""
        return scale_of(self.setting)

    @cached_property
    def covariance(self) -> FloatArray:
        """The covariance of the known models' metrics, shape (K, K); NaN of one unit."""
        defined = [s for s in self.singles if s is not None]
        rows = _side_by_side([s.drawn_from for s in defined])
        return cluster_covariance(rows, defined[0].atoms.clusters, defined[0].atoms.leverage)

    def contrasts(
        self, first: NDArray[np.intp], second: NDArray[np.intp]
    ) -> tuple[list[Contrast | None], list[Status], Contrasts, list[int]]:
        """Return every contrast, its status, and those that can be tested together."""
        position = {m: i for i, m in enumerate(self.defined)}
        contrasts: list[Contrast | None] = []
        statuses: list[Status] = []
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            if a not in position or b not in position:
                contrasts.append(None)
                statuses.append(Status.UNDEFINED)
                continue
            of_rows = self.contrast(a, b)
            worth, sums = worth_of_groups(self.setting, of_rows), of_rows.of_groups
            contrasts.append(Contrast(of_rows.value, of_rows.estimate, of_rows.tested, worth, sums))
            statuses.append(decide(self.setting, of_rows, "two-sided")[0])
        at = [i for i, status in enumerate(statuses) if status is Status.OK]
        ok = [contrast for i in at if (contrast := contrasts[i]) is not None]
        tested = Contrasts(
            np.array([position[int(first[i])] for i in at], dtype=np.intp),
            np.array([position[int(second[i])] for i in at], dtype=np.intp),
            np.array([contrast.estimate for contrast in ok]),
            np.array([contrast.tested.se for contrast in ok]),
            np.array([contrast.tested.df for contrast in ok]),
            self.covariance if self.defined else np.empty((0, 0)),
        )
        return contrasts, statuses, tested, at


def _side_by_side(columns: list[FloatArray]) -> FloatArray:
    """Make columns a table, shape (n, K), a block of rows at a time: they stay in the cache."""
    table = np.empty((len(columns[0]), len(columns)))
    for start in range(0, len(table), _BLOCK):
        for place, column in enumerate(columns):
            table[start : start + _BLOCK, place] = column[start : start + _BLOCK]
    return table


def cluster_covariance(
    rows: FloatArray, clusters: Codes | None, leverage: Leverage | None = None
) -> FloatArray:
    """Return the covariance of means of influence values, shape (n, K); NaN of one unit."""
    n, k = rows.shape
    if leverage is not None:
        if not leverage.df > 0:
            return np.full((k, k), np.nan)
        rows = rows / leverage.root[:, None]
    sums = rows
    if clusters is not None:
        order = np.argsort(clusters, kind="stable")
        starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
        sums = np.asarray(np.add.reduceat(rows[order], starts, axis=0))
    units = len(sums)
    if units == 1:
        return np.full((k, k), np.nan)
    factor = units / (units - 1) if leverage is None else 1.0
    return np.asarray(factor * gram(sums) / n**2)


def read_family(
    y_true: ArrayLike,
    predicted: ArrayLike,
    metric: str | Metric = "accuracy",
    **options: Any,
) -> MetricFamily:
    """Read truth and predictions of all models, and find each model's influence values."""
    how = metric_called(metric)
    setting, rows = setting_of(y_true, _columns(predicted, how), how, **options)
    if not setting.metric.smooth:
        raise ArgumentError(
            "metric",
            f"{how.name} is not smooth, so that no test of it holds its level: take "
            "metric_difference, which gives intervals",
        )
    singles: list[Influence | None] = []
    reasons: list[str] = []
    for values in rows:
        try:
            singles.append(better_is_positive(setting, one(setting, values)))
            reasons.append("")
        except NoValue as reason:
            singles.append(None)
            reasons.append(str(reason))
    return MetricFamily(setting, rows, singles, reasons)


def _columns(predicted: ArrayLike, metric: Metric) -> list[tuple[str, ArrayLike]]:
    """Split rows × models into one column, or table of probabilities, for each model."""
    if isinstance(predicted, list) and all(hasattr(c, "categories") for c in predicted):
        return [("predicted", column) for column in predicted]
    table = as_array(predicted, "predicted")
    most = 3 if metric.by_order else 2
    if not 2 <= table.ndim <= most or table.shape[1] < 2:
        shape = "(n, M)" if most == 2 else "(n, M) or (n, M, K)"
        raise ArgumentError(
            "predicted", f"expected shape {shape}, rows by M >= 2 models, found {table.shape}"
        )
    return [("predicted", table[:, m]) for m in range(table.shape[1])]


def family_of_values(
    values: ArrayLike, greater_is_better: bool, groups: ArrayLike | None = None
) -> MetricFamily:
    """Take numbers per row and model, shape (n, M), as a family."""
    table = as_scores(values, "values", ndim=2, unit="rows")
    if table.shape[1] < 2:
        raise ArgumentError("values", f"found {table.shape[1]} model(s), at least 2 are compared")
    columns = [("values", column) for column in table.T]
    setting, rows = setting_of_values(columns, greater_is_better, groups)
    singles = [better_is_positive(setting, mean_value(setting, column)) for column in rows]
    setting = dataclasses.replace(setting, of_two=False)
    return MetricFamily(setting, rows, [*singles], [""] * len(rows))


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
    # Each pair is tested as by `metric_difference`. By default p-values are adjusted step by step
    # by the distribution of the largest statistic among those not yet rejected, drawn from the
    # covariance of the influence values (Hothorn, Bretz & Westfall 2008), and the intervals hold
    # together. In groups no p-value is smaller than that by sign flips of whole groups, and the
    # intervals hold 0 where the adjusted p-value does not reject (the raw one if they are not
    # simultaneous).
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
    side, level = alternative, confidence_level
    models = len(family.singles)
    at_control = check_control(control, models)
    method = check_correction(correction, at_control, side, MAX_T)
    first, second = np.array(pairs_of(models, at_control)).T
    contrasts, statuses, tested, at = family.contrasts(first, second)
    raw = np.full(len(first), math.nan)
    t = np.full(len(first), math.nan)
    for i, (status, contrast) in enumerate(zip(statuses, contrasts, strict=True)):
        value = math.nan if contrast is None else contrast.value
        t[i], raw[i] = answered(status, math.nan, math.nan, value)
    t[at] = tested.statistic
    raw[at] = [t_pvalue(float(x), df, side) for x, df in zip(t[at], tested.df, strict=True)]
    groups, flips = [c.of_groups for i in at if (c := contrasts[i]) and c.of_groups], None
    if groups:
        together = GroupSums(np.column_stack([one.sums for one in groups]), groups[0].shares)
        if not together.many_alike:
            flips = max_flip(together, tested.se, side)
            raw[at] = np.maximum(raw[at], flips.alone)
    single = np.full(len(first), math.nan)
    if method == MAX_T:
        adjusted = np.where(np.isnan(raw), math.nan, 1.0)
        largest = None
        if at:
            draws, scale = draw(tested.covariance, n_resamples, seed)
            largest = max_t(tested, draws, level, side, scale)
            adjusted[at], single[at] = largest.step_down, largest.single_step
            if flips is not None:
                adjusted[at] = np.maximum(adjusted[at], flips.step_down)
        # no adjusted p below its own p, which the draws may miss by chance
        adjusted = np.fmax(adjusted, raw)
        quantiles = _quantiles(tested.df, level, side, largest if simultaneous else None)
    else:
        adjusted = adjust_pvalues(raw, method)
        each = simultaneous_level(level, len(first), method) if simultaneous else level
        quantiles = _quantiles(tested.df, each, side, None)
    metric, defined = family.setting.metric, [single for single in family.singles if single]
    least, most = metric.range
    bounds = (
        -math.inf if side == "less" else least - most,
        math.inf if side == "greater" else most - least,
    )
    intervals: list[ConfidenceInterval | None] = [None] * len(first)
    for place, i in enumerate(at):
        centre, reach = float(tested.estimate[place]), float(quantiles[place] * tested.se[place])
        low = -math.inf if side == "less" else max(centre - reach, bounds[0])
        high = math.inf if side == "greater" else min(centre + reach, bounds[1])
        intervals[i] = ConfidenceInterval(low, high, level, "t")
    if flips is not None:
        each = simultaneous_level(level, len(first), "bonferroni") if simultaneous else level
        limits = subset_limits(together.sums, together.shares, tail_probability(each, side))
        decisive = adjusted if simultaneous else raw
        for place, i in enumerate(at):
            if (plain := intervals[i]) is not None:
                wider = hull(plain, [ends[place] for ends in limits], side, bounds)
                centre, p = float(tested.estimate[place]), float(decisive[i])
                intervals[i] = agreeing(wider, p, 1 - level, centre, side)
    spreads = [contrast.tested for contrast in contrasts if contrast is not None]
    sign = 1 if metric.greater_is_better else -1
    return PairwiseResult(
        test="metric_difference" if metric.computed else "mean_difference",
        variant=metric.name,
        correction=method,
        pairs=tuple(
            Pair(
                a=int(first[i]),
                b=int(second[i]),
                statistic=float(t[i]),
                pvalue=float(raw[i]),
                pvalue_adjusted=float(adjusted[i]),
                estimate=math.nan if contrast is None else contrast.value,
                ci=intervals[i],
                df=None if contrast is None else contrast.tested.df,
                status=statuses[i],
                details={} if contrast is None else {"se": contrast.tested.se, **contrast.worth},
            )
            for i, contrast in enumerate(contrasts)
        ),
        n=family.setting.truth.n,
        null_hypothesis="The two models of the pair have the same "
        f"{metric.name} on the population that the test rows were drawn from.",
        method="hothorn2008" if method == MAX_T else "satterthwaite1946",
        alternative=side,
        status=Status.OK if at else statuses[0],
        assumptions=assumptions(family.setting, min(spreads, key=lambda s: s.df), defined)
        if spreads
        else (),
        details={
            "values": [math.nan if s is None else sign * s.value for s in family.singles],
            "reasons": family.reasons,
            "single_step": single,
        },
    )


def _quantiles(df: FloatArray, level: float, side: Alternative, largest: MaxT | None) -> FloatArray:
    """Return half-widths in standard errors: of one t, or of all t together."""
    if largest is None:
        return np.asarray(-special.stdtrit(df, tail_probability(level, side)))
    return np.asarray(-special.stdtrit(df, special.ndtr(-largest.critical)))


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
    defined, models = family.defined, len(family.singles)
    null = "The model is a best one of those compared."
    scores = [math.nan if s is None else s.value for s in family.singles]
    pvalues = np.full(models, math.nan)
    status, details = Status.OK, {"reasons": family.reasons}
    assumed: tuple[Assumption, ...] = ()
    if not defined:
        status = Status.UNDEFINED
    elif family.setting.too_few() or not np.isfinite(family.covariance).all():
        status = Status.TOO_FEW
    if status is not Status.OK:
        scores, defined, details = [math.nan] * models, [], {}
    else:
        draws, _ = draw(family.covariance, n_resamples, seed)
        leads = _leads(family)
        if _rows_of_rarest(family)[0] >= FEWEST:
            sides = 1 if family.scale is None else 2
            pvalues[defined] = [
                min(sides * _pvalue(leads, draws, i), 1.0) for i in range(len(defined))
            ]
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
        members=tuple(m for m in defined if not pvalues[m] <= 1 - level),
        pvalues=tuple(pvalues.tolist()),
        details=details,
    )


def _rows_of_rarest(family: MetricFamily) -> tuple[int, int]:
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
    rows, enough = _rows_of_rarest(family)
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
    defined, scale = family.defined, family.scale
    singles = [s for s in family.singles if s is not None]
    scaled = [None if scale is None else on_scale(scale, s) for s in singles]
    z = np.full((len(defined), len(defined)), -math.inf)
    for i in range(len(defined)):
        for j in range(i + 1, len(defined)):
            contrast = family.contrast(defined[j], defined[i])
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
