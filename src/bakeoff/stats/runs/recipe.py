"""The runs of one recipe on the same test rows, read one by one and summed up in one pass."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import FloatArray, check_same_labels
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.design.spread import Leverage
from bakeoff.stats.metrics.answer import better_is_positive
from bakeoff.stats.metrics.functional import Functional, NoValue, mean
from bakeoff.stats.metrics.influence import Atoms, Influence, one
from bakeoff.stats.metrics.metric import Metric, numbers
from bakeoff.stats.metrics.named import metric_called
from bakeoff.stats.metrics.options import Options
from bakeoff.stats.metrics.setting import Setting, read_rows, read_true
from bakeoff.stats.metrics.test_rows import Codes, TrueNumbers, Truth, read_groups, read_numbers

_FEWEST_APART, _FEWEST_SKEWED = 5, 10
_APART, _SKEWED = 3.0 * 1.4826, 1.0
"""Three median absolute deviations on the scale of a standard deviation; the skewness reported."""


@dataclasses.dataclass(frozen=True)
class Runs:
    """What the training runs of one model predict for the same test rows.

    Attributes
    ----------
    predicted : sequence of array_like
        One array per run: classes, numbers or values, shape (n,), or probabilities, shape (n, K).
    deterministic : bool
        Whether training has no random part, so that one run is all there is.
    """

    predicted: Sequence[ArrayLike]
    deterministic: bool = False

    @classmethod
    def of(cls, runs: Any, name: str) -> Runs:
        """Read runs × rows, as arrays or as `Runs`."""
        found = runs if isinstance(runs, cls) else cls(runs)
        each = found.predicted
        known = hasattr(each, "__len__") and not isinstance(each, (str, Mapping))
        if not known or hasattr(each, "columns") or not all(map(_has_rows, each)):
            raise ArgumentError(name, "expected a list with an array of the test rows for each run")
        if not len(each):
            raise ArgumentError(name, "found no run")
        return found

    def named(self, name: str) -> list[tuple[str, ArrayLike]]:
        """Return what each run predicts, with its name in messages."""
        return [(f"{name}[{place}]", run) for place, run in enumerate(self.predicted)]


def _has_rows(run: Any) -> bool:
    return hasattr(run, "__len__") and not isinstance(run, (str, Mapping))


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A metric of all runs of one model, or of the differences of paired runs."""

    values: FloatArray
    psi: FloatArray
    interaction: float
    noise: float
    clusters: Codes | None
    leverage: Leverage | None
    deterministic: bool = False
    root: bool = False

    @classmethod
    def of(cls, runs: Iterable[Influence], deterministic: bool = False) -> Recipe:
        """Sum up runs; of their influence values only the mean is kept."""
        values: list[float] = []
        scatter = noise = 0.0
        for run in runs:
            values.append(run.value)
            noise = max(noise, run.noise)
            if len(values) == 1:
                atoms, psi = run.atoms, run.drawn_from.copy()
                continue
            step = run.drawn_from - psi  # by updates, runs that are alike differ by exactly 0
            psi += step / len(values)
            if atoms.clusters is not None:
                if atoms.leverage is not None and atoms.leverage.df > 0:
                    step /= atoms.leverage.root
                step = np.bincount(atoms.clusters, step).astype(np.float64)
            scatter += (len(values) - 1) / len(values) * inner(step, step)
            units = len(step)
        count = len(values)
        if count > 1:
            factor = units / (units - 1) if atoms.leverage is None else 1.0
            scatter *= factor / (len(psi) ** 2 * count * (count - 1))
        found = np.array(values)
        alike = float(np.ptp(found)) <= noise
        return cls(
            np.full(count, found[0]) if alike else found,
            psi,
            scatter,
            noise,
            atoms.clusters,
            atoms.leverage,
            deterministic,
            run.root,
        )

    @property
    def mean(self) -> Influence:
        """The mean of the runs, with the influence of each row."""
        atoms = Atoms(self.psi, self.clusters, leverage=self.leverage)
        return Influence("", float(self.values.mean()), atoms, noise=self.noise, root=self.root)

    @property
    def count(self) -> int:
        """The number of runs, S."""
        return len(self.values)

    @property
    def variance(self) -> float:
        """The variance of a run's value on these rows; 0 of one run."""
        return float(self.values.var(ddof=1)) if self.count > 1 else 0.0

    @property
    def unknown(self) -> bool:
        """Whether nothing is known of the variance between runs."""
        return self.count < 2 and not self.deterministic

    @property
    def alike(self) -> bool:
        """Whether several runs are the same."""
        return self.count > 1 and not self.variance and not self.interaction

    @property
    def apart(self) -> str:
        """Say which run stands apart from the rest; empty where none does."""
        if self.count < _FEWEST_APART:
            return ""
        ordered = np.sort(self.values)
        typical = float(np.median(np.abs(ordered - np.median(ordered))))
        # what the rows alone do to single runs is no sign
        typical = max(typical, (self.count * self.interaction) ** 0.5)
        gaps = {"worst": ordered[1] - ordered[0], "best": ordered[-1] - ordered[-2]}
        found = [which for which, gap in gaps.items() if gap > _APART * typical]
        if found:
            return f"the {found[0]} run stands apart"
        deviations = ordered - ordered.mean()
        spread = float(np.mean(deviations**2)) ** 1.5
        skewness = float(np.mean(deviations**3)) / spread if spread else 0.0
        if self.count >= _FEWEST_SKEWED and abs(skewness) > _SKEWED:
            return f"the runs' skewness is {skewness:.1f}"
        return ""


@dataclasses.dataclass(frozen=True)
class Reader:
    """The runs of several models on the same rows, each read when it is wanted."""

    setting: Setting
    models: tuple[Runs, ...]
    names: tuple[str, ...]
    known: dict[int, Recipe] = dataclasses.field(default_factory=dict)

    def recipe(self, model: int) -> Recipe:
        """Sum up the runs of one model."""
        if model not in self.known:
            self.known[model] = Recipe.of(self._runs(model), self.models[model].deterministic)
            if self.models[model].deterministic and self.known[model].variance:
                name = self.names[model]
                raise ArgumentError(name, "its runs differ, though it is said to be deterministic")
        return self.known[model]

    def paired(self, a: int, b: int) -> Recipe:
        """Sum up the differences of the runs of two models, run by run."""
        counts = [len(self.models[m].predicted) for m in (a, b)]
        if counts[0] != counts[1]:
            raise ArgumentError("paired", f"found {counts[0]} and {counts[1]} runs")
        pairs = zip(self._runs(a), self._runs(b), strict=True)
        known = self.models[a].deterministic and self.models[b].deterministic
        return Recipe.of((first - second for first, second in pairs), known)

    def _runs(self, model: int) -> Iterator[Influence]:
        for name, run in self.models[model].named(self.names[model]):
            rows = read_rows(self.setting.metric, self.setting.truth, run, name)
            try:
                yield better_is_positive(self.setting, one(self.setting, rows))
            except NoValue as reason:
                raise NoValue(f"{name}: {reason}") from None


def read_runs(
    models: Sequence[tuple[str, Any]],
    y_true: ArrayLike,
    metric: str | Metric = "accuracy",
    positive: Any = None,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **options: Any,
) -> Reader:
    """Check the truth and what runs predict of it, or the numbers that they give each row."""
    how = metric_called(metric)
    if not how.smooth:
        raise ArgumentError("metric", f"{how.name} is not smooth: no test of its runs is known")
    found = [(name, Runs.of(runs, name)) for name, runs in models]
    each = [run for name, runs in found for run in runs.named(name)]
    check_same_labels(y_true=y_true, **dict(each))
    if not how.computed:
        truth: Truth = TrueNumbers(np.full(len(read_numbers(each[0][1], each[0][0])), np.nan))
    else:
        truth = read_true(how, y_true, each, positive, labels)
    setting = Setting(how, truth, read_groups(groups, truth.n), Options(**options))
    names, runs = zip(*found, strict=True)
    return Reader(setting, runs, names)


def mean_of_values(greater_is_better: bool) -> Metric:
    """Return the mean of numbers that are given for each row, as a metric."""

    def formula(view: Any) -> Functional:
        return mean(view.predicted, np.ones(view.truth.n))

    known = numbers("values", greater_is_better=greater_is_better)
    return dataclasses.replace(known, formula=formula)
