"""Many models on one test set: each alone, their contrasts, and the covariance of their metrics."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arithmetic import gram
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_array, as_scores
from bakeoff.stats.core.result import Status
from bakeoff.stats.design.flips import GroupSums
from bakeoff.stats.design.spread import Leverage, Spread
from bakeoff.stats.metrics.answer import better_is_positive, decide, worth_of_groups
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.metrics.influence import Atoms, Influence, one, pair
from bakeoff.stats.metrics.joint_cells import pair_counts
from bakeoff.stats.metrics.max_t import Contrasts
from bakeoff.stats.metrics.metric import Form, Metric, numbers
from bakeoff.stats.metrics.named import metric_called
from bakeoff.stats.metrics.scales import LOG, LOGIT, PLAIN, Scale
from bakeoff.stats.metrics.setting import Setting, setting_of
from bakeoff.stats.metrics.test_rows import Codes, TrueNumbers, read_groups


def on_scale(scale: Scale, found: Influence) -> Influence | None:
    """Return a metric on a scale (delta method); None at an end of its range."""
    slope = scale.slope(found.value)
    if not slope > 0:
        return None
    atoms = dataclasses.replace(found.atoms, psi=found.atoms.psi / slope)
    return dataclasses.replace(found, value=scale.forward(found.value), atoms=atoms)


def scale_of(setting: Setting) -> Scale | None:
    """Return the scale of the metric, else the logit for shares, −log for losses."""
    metric = setting.metric
    if metric.form in (Form.DECISIONS, Form.LEFT_OUT):
        return None
    scale = metric.scale
    if scale is PLAIN and metric.range[0] == 0:
        scale = LOGIT if metric.range[1] == 1 else LOG
    return scale if metric.greater_is_better else scale.mirrored()


_VALUES = "values"
"""The metric of numbers that a system gave each row: their mean."""
_BLOCK = 4096


@dataclasses.dataclass(frozen=True)
class Contrast:
    """What a difference of two models comes to; the influence of each row is not kept."""

    value: float
    estimate: float
    tested: Spread
    worth: dict[str, float]
    of_groups: GroupSums | None

    @classmethod
    def of(cls, setting: Setting, found: Influence) -> Contrast:
        """Take it from the influence of the rows."""
        worth = worth_of_groups(setting, found)
        return cls(found.value, found.estimate, found.tested, worth, found.of_groups)


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
    def known(self) -> list[int]:
        """The models whose metric has a value."""
        return [m for m, single in enumerate(self.singles) if single is not None]

    def contrast(self, a: int, b: int) -> Influence:
        """Return the influence values of one difference of models that are known."""
        if self.setting.metric.form is Form.DECISIONS:
            counts = None if self._counts is None else self._counts[:, a, :, b]
            found = pair(self.setting, self.rows[a], self.rows[b], counts)
            return better_is_positive(self.setting, found)
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
        known = [s for s in self.singles if s is not None]
        rows = _side_by_side([s.drawn_from for s in known])
        return cluster_covariance(rows, known[0].atoms.clusters, known[0].atoms.leverage)

    def contrasts(
        self, first: NDArray[np.intp], second: NDArray[np.intp]
    ) -> tuple[list[Contrast | None], list[Status], Contrasts, list[int]]:
        """Return every contrast, its status, and those that can be tested together."""
        position = {m: i for i, m in enumerate(self.known)}
        found: list[Contrast | None] = []
        statuses: list[Status] = []
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            if a not in position or b not in position:
                found.append(None)
                statuses.append(Status.UNDEFINED)
                continue
            of_rows = self.contrast(a, b)
            found.append(Contrast.of(self.setting, of_rows))
            statuses.append(decide(self.setting, of_rows, "two-sided")[0])
        at = [i for i, status in enumerate(statuses) if status is Status.OK]
        ok = [contrast for i in at if (contrast := found[i]) is not None]
        spreads = [contrast.tested for contrast in ok]
        tested = Contrasts(
            np.array([position[int(first[i])] for i in at], dtype=np.intp),
            np.array([position[int(second[i])] for i in at], dtype=np.intp),
            np.array([contrast.estimate for contrast in ok]),
            np.array([spread.se for spread in spreads]),
            np.array([spread.df for spread in spreads]),
            self.covariance if self.known else np.empty((0, 0)),
        )
        return found, statuses, tested, at


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
    sums = rows if clusters is None else _cluster_algebra(rows, clusters)
    units = len(sums)
    if units == 1:
        return np.full((k, k), np.nan)
    factor = units / (units - 1) if leverage is None else 1.0
    return np.asarray(factor * gram(sums) / n**2)


def _cluster_algebra(rows: FloatArray, clusters: Codes) -> FloatArray:
    """Sum rows by cluster, shape (G, M)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0))


def read_family(
    y_true: ArrayLike,
    predicted: ArrayLike,
    metric: str | Metric = "accuracy",
    **asked: Any,
) -> MetricFamily:
    """Read truth and predictions of all models, and find each model's influence values."""
    how = metric_called(metric)
    setting, rows = setting_of(y_true, _columns(predicted, how), how, **asked)
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
    values: ArrayLike, greater_is_better: bool, groups: ArrayLike | None
) -> MetricFamily:
    """Take numbers per row and model, shape (n, M), as a family."""
    table = as_scores(values, "values", ndim=2, greater_is_better=greater_is_better, unit="rows")
    n, models = table.shape
    if models < 2:
        raise ArgumentError("values", f"found {models} model(s), at least 2 are compared")
    truth = TrueNumbers(np.full(n, np.nan))
    metric = numbers(_VALUES, greater_is_better=greater_is_better)
    setting = Setting(metric, truth, read_groups(groups, n))
    centres = table.mean(axis=0)
    singles: list[Influence | None] = [
        Influence(
            _VALUES,
            float(centre),
            Atoms(column - centre, setting.clusters, leverage=setting.leverage),
        )
        for centre, column in zip(centres, table.T, strict=True)
    ]
    return MetricFamily(setting, [None] * models, singles, [""] * models)
