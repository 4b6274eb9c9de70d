"""Training runs as draws of a recipe: the parts of its variance, its tests, and pass@k."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import sub
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray
from bakeoff.stats.core.distributions import tail_probability
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)
from bakeoff.stats.design.groups import Spread
from bakeoff.stats.metrics.influence import (
    Influence,
    MetricArguments,
    Setting,
    assumptions,
    enough_rows,
    one,
    setting_of,
    too_few,
)
from bakeoff.stats.metrics.metric import Metric, NoValue, metric_called, numbers
from bakeoff.stats.planning import root

ENOUGH_RUNS = 5
_VARIANT = "two_t"
_ENOUGH_DEGREES = 4.0
_OWN_QUANTILES = 5
"""With fewer runs of one of two models that have unequal numbers each has a quantile of its own."""
_FARTHEST = 22.0
"""The normal quantile of the smallest p-value, 1.4e-107.

In smaller tails SciPy's quantile of Student's t with few degrees of freedom is wrong or NaN.
"""
_SEEN = 0.95  # confidence of the bound for the share of runs that fail
_FEWEST_APART = 5  # runs of which one is seen to stand apart
_APART = 3.0 * 1.4826  # three median absolute deviations on the scale of a standard deviation
_FEWEST_SKEWED = 10
_SKEWED = 1.0  # the skewness that is reported
SHARED: dict[str, Any] = {
    "citation": "banerjee1960",
    "caution": "It is about one training set. In few runs it is not seen that a model fails in "
    "rare runs, or that the scores of runs are skewed; where the other model has another number of "
    "runs or is deterministic, its type I error is then inflated. Runs must be trained "
    "independently.",
    "null_hypothesis": "Trained again with other seeds on the same rows, and tested on other rows "
    "of the same population, both recipes have the same expected value of the metric.",
}


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
    def read(cls, runs: Any, name: str) -> Runs:
        """Read runs × rows, as arrays or as `Runs`."""
        of_model: Runs = runs
        if not isinstance(runs, cls):
            of_model = cls(runs)
        predicted = of_model.predicted
        is_table = hasattr(predicted, "columns")
        if not _has_rows(predicted) or is_table or not all(map(_has_rows, predicted)):
            raise ArgumentError(name, "expected a list with an array of the test rows for each run")
        if not len(predicted):
            raise ArgumentError(name, "found no run")
        return of_model


SomeRuns = Sequence[ArrayLike] | Runs


def _has_rows(run: Any) -> bool:
    return hasattr(run, "__len__") and not isinstance(run, (str, Mapping))


class _RunSums:
    """Sums over runs that are read one after the other (Welford's updates)."""

    first: Influence
    psi: FloatArray  # the mean influence values of the rows so far

    def __init__(self) -> None:
        self.values: list[float] = []
        self.noise = 0.0
        self.scatter = 0.0  # Σ over runs and units of the squared deviations of influence values
        self.units = 1

    def add(self, run: Influence) -> None:
        """Add a run."""
        self.values.append(run.value)
        self.noise = max(self.noise, run.noise)
        count = len(self.values)
        if count == 1:
            self.first = run
            self.psi = run.drawn_from.copy()
            return
        # Welford: the mean moves by step/S, and (S − 1)/S·step² joins the sum of squares
        step = run.drawn_from - self.psi  # by updates, runs that are alike differ by exactly 0
        self.psi += step / count
        groups = self.first.groups
        if groups is not None:
            if groups.df > 0:
                step = step / groups.root
            step = np.bincount(groups.codes, step).astype(np.float64)
        self.scatter += (count - 1) / count * float(step @ step)
        self.units = len(step)

    def interaction(self) -> float:
        """Return the variance of the mean of all runs from rows that favour single runs."""
        # Σ over runs and units of (ψ_sk − ψ̄_k)²/n²/(S(S − 1)), with G/(G − 1) for G units
        count = len(self.values)
        if count == 1:
            return self.scatter
        if self.first.groups is None:
            factor = self.units / max(self.units - 1, 1)
        else:
            factor = self.first.groups.factor
        return self.scatter * (factor / (len(self.psi) ** 2 * count * (count - 1)))


@dataclasses.dataclass(frozen=True)
class Recipe:
    """A metric of all runs of one model, or of the differences of paired runs."""

    values: FloatArray  # of each run
    mean: Influence  # of all runs
    interaction: float
    deterministic: bool

    @classmethod
    def from_runs(cls, runs: Iterable[Influence], deterministic: bool) -> Recipe:
        """Sum up runs; of their influence values only the mean is kept."""
        sums = _RunSums()
        for run in runs:
            sums.add(run)
        noise = sums.noise
        values = np.array(sums.values)
        if values.max() - values.min() <= noise:
            values = np.full(len(values), values[0])
        first = sums.first
        mean = Influence(float(values.mean()), sums.psi, first.groups, noise=noise, root=first.root)
        return cls(values, mean, sums.interaction(), deterministic)

    @property
    def count(self) -> int:
        """The number of runs, S."""
        return len(self.values)

    @property
    def variance(self) -> float:
        """The variance of a run's value on these rows; 0 of one run."""
        if self.count > 1:
            return float(self.values.var(ddof=1))
        return 0.0

    @property
    def apart(self) -> str:
        """Say which run stands apart from the rest; empty where none does."""
        if self.count < _FEWEST_APART:
            return ""
        ordered = np.sort(self.values)
        typical = float(np.median(np.abs(ordered - np.median(ordered))))
        # what the rows alone do to single runs is no sign
        typical = max(typical, (self.count * self.interaction) ** 0.5)
        # a gap of more than three robust standard deviations at one end
        if ordered[1] - ordered[0] > _APART * typical:
            return "the worst run stands apart"
        if ordered[-1] - ordered[-2] > _APART * typical:
            return "the best run stands apart"
        deviations = ordered - ordered.mean()
        spread = float(np.mean(deviations**2)) ** 1.5
        skewness = 0.0
        if spread:
            skewness = float(np.mean(deviations**3)) / spread
        if self.count >= _FEWEST_SKEWED and abs(skewness) > _SKEWED:
            return f"the runs' skewness is {skewness:.1f}"
        return ""


@dataclasses.dataclass(frozen=True)
class Parts:
    """An estimate and what makes it vary."""

    estimate: float
    seeds: tuple[tuple[float, float], ...]  # between runs of each model: variance, its freedom
    cells: float
    fits: Spread
    separate: bool  # whether each model has a quantile of its own

    @classmethod
    def join(cls, recipes: Sequence[Recipe]) -> Parts:
        """Put one recipe, or two that are compared, together."""
        mean = recipes[0].mean
        if len(recipes) == 2:
            mean = recipes[0].mean - recipes[1].mean
        seeds = [(recipe.variance / recipe.count, recipe.count - 1.0) for recipe in recipes]
        counts = [recipe.count for recipe in recipes]
        fewest = min(counts)
        return cls(
            estimate=mean.value,
            seeds=tuple(seeds),
            cells=math.fsum(recipe.interaction for recipe in recipes),
            fits=mean.spread,
            separate=max(counts) > fewest and 1 < fewest < _OWN_QUANTILES,
        )

    @property
    def of_seeds(self) -> float:
        """The variance between runs."""
        return math.fsum(variance for variance, _ in self.seeds)

    @property
    def df_seeds(self) -> float:
        """Welch's (1947) degrees of freedom of the variance between runs."""
        # (Σ V)²/Σ V²/df
        parts = []
        for variance, df in self.seeds:
            if variance > 0:
                parts.append((variance / self.of_seeds) ** 2 / df)
        denominator = math.fsum(parts)
        if denominator > 0:
            return 1 / denominator
        return math.fsum(df for _, df in self.seeds)

    @property
    def of_rows(self) -> float:
        """The variance over rows alone, which may come out negative."""
        # the rows vary with these fits; what favours single runs is in it once
        return self.fits.se**2 - self.cells

    @property
    def se(self) -> float:
        """The standard error: from runs and from rows."""
        return math.sqrt(self.of_seeds + max(self.of_rows, 0.0))

    def reach(self, tail: float) -> float:
        """Return half the width of the interval that leaves a probability in each tail."""
        # √(Σ t²·V), each variance with its own quantile of Student's t (Banerjee 1960); not less
        # than that of these fits
        variances = [(self.of_seeds, self.df_seeds)]
        if self.separate:
            variances = list(self.seeds)
        variances.append((max(self.of_rows, 0.0), self.fits.df))

        def quantile(df: float) -> float:
            return -float(special.stdtrit(df, tail))

        parts = []
        for variance, df in variances:
            if variance > 0:
                parts.append(quantile(df) * math.sqrt(variance))
        return max(math.hypot(*parts), quantile(self.fits.df) * self.fits.se)

    def pvalue(self, side: Alternative = "two-sided") -> float:
        """Return the level at which an interval ends at 0."""

        def excess(z: float) -> float:
            return self.reach(float(special.ndtr(-z))) - abs(self.estimate)

        z = root(excess, 0.0, _FARTHEST)
        if math.isnan(z):
            z = _FARTHEST
        tail = float(special.ndtr(-z))
        if side == "two-sided":
            return 2 * tail
        if (self.estimate > 0) == (side == "greater"):
            return tail
        return 1 - tail


def lead_of_best(runs: int) -> float:
    """Return the expected largest of some standard normal numbers: what selection alone gains."""
    # E max = ∫ (1 − Φ(z)^S − Φ(−z)^S) dz over z ≥ 0
    z = np.linspace(0, 9, 4001)
    return float(np.trapezoid(1 - special.ndtr(z) ** runs - special.ndtr(-z) ** runs, z))


@dataclasses.dataclass(frozen=True)
class Recipes:
    """The runs of several models on the same rows, and the tests of the models."""

    setting: Setting
    models: dict[str, Runs]  # by the name of the argument that holds them
    rows: dict[str, Any]  # what each run predicts, by its name in messages
    read: dict[str, Recipe] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_runs(
        cls,
        models: Iterable[tuple[str, Any]],
        y_true: ArrayLike,
        metric: str | Metric = "accuracy",
        **options: Any,
    ) -> Recipes:
        """Check the truth and what runs predict of it."""
        metric = metric_called(metric, smooth=True)
        runs = {name: Runs.read(of_model, name) for name, of_model in models}
        predicted = {}
        for name, of_model in runs.items():
            for i, run in enumerate(of_model.predicted):
                predicted[f"{name}[{i}]"] = run
        setting, rows = setting_of(y_true, list(predicted.items()), metric, **options)
        return cls(setting, runs, dict(zip(predicted, rows, strict=True)))

    def recipe(self, name: str) -> Recipe:
        """Sum up the runs of one model."""
        if name not in self.read:
            deterministic = self.models[name].deterministic
            self.read[name] = Recipe.from_runs(self._runs(name), deterministic)
            if deterministic and self.read[name].variance:
                raise ArgumentError(name, "its runs differ, though it is said to be deterministic")
        return self.read[name]

    def _paired(self, a: str, b: str) -> Recipe:
        """Sum up the differences of the runs of two models, run by run."""
        runs_a = self.models[a]
        runs_b = self.models[b]
        n_a = len(runs_a.predicted)
        n_b = len(runs_b.predicted)
        if n_a != n_b:
            raise ArgumentError("paired", f"found {n_a} and {n_b} runs")
        differences = map(sub, self._runs(a), self._runs(b))
        deterministic = runs_a.deterministic and runs_b.deterministic
        return Recipe.from_runs(differences, deterministic)

    def _runs(self, name: str) -> Iterator[Influence]:
        for i in range(len(self.models[name].predicted)):
            run = f"{name}[{i}]"
            try:
                yield self.setting.gain(one(self.setting, self.rows[run]))
            except NoValue as reason:
                raise NoValue(f"{run}: {reason}") from None

    def answer(
        self,
        *members: str,
        confidence_level: float,
        alternative: Alternative = "two-sided",
        paired: bool = False,
    ) -> Result:
        """Test the difference of two models, or return the interval of one."""
        if not members:
            members = tuple(self.models)
        setting = self.setting
        n = setting.truth.n
        try:
            if paired:
                recipes = [self._paired(*members)]
            else:
                recipes = [self.recipe(member) for member in members]
        except NoValue as reason:
            return Result(
                variant=_VARIANT,
                statistic=math.nan,
                pvalue=math.nan,
                alternative=alternative,
                n=n,
                status=Status.UNDEFINED,
                assumptions=(Assumption("a defined metric", False, str(reason)),),
            )
        parts = Parts.join(recipes)
        status = self._status(recipes, parts)
        half = math.nan
        if status is Status.OK:
            half = parts.reach(tail_probability(confidence_level, alternative))

        low, high = setting.metric.range
        estimate = parts.estimate
        statistic = math.nan
        pvalue = math.nan
        if len(members) == 2:
            low, high = low - high, high - low
            if status is Status.OK:
                # that of these fits where nothing is known of others
                statistic = parts.estimate / (parts.se or parts.fits.se)
                pvalue = parts.pvalue(alternative)
            statistic, pvalue = answered(status, statistic, pvalue, parts.estimate)
        elif not setting.metric.greater_is_better:
            estimate = -estimate
        ci = None
        if status is Status.OK:
            limits = _limits(estimate, half, (low, high), alternative)
            ci = ConfidenceInterval(*limits, confidence_level, _VARIANT)
        details = self._details(recipes, parts, half, confidence_level, alternative)
        for letter, member in zip("ab", members, strict=False):
            details |= self._details_of_one(member, letter)
        if setting.clusters is not None:
            details["n_clusters"] = int(parts.fits.units)
        return Result(
            variant=_VARIANT,
            statistic=statistic,
            pvalue=pvalue,
            alternative=alternative,
            n=n,
            estimate=estimate,
            ci=ci,
            status=status,
            assumptions=tuple(self._assumptions(recipes, parts)),
            details=details,
        )

    def _details(
        self,
        recipes: Sequence[Recipe],
        parts: Parts,
        half: float,
        confidence_level: float,
        alternative: Alternative,
    ) -> dict[str, float]:
        """Return the parts of the variance, and what is known about these fits on other rows."""
        n = self.setting.truth.n
        fits = parts.fits
        half_of_fits = math.nan
        p_of_fits = math.nan
        if fits.df >= 1 and fits.se > 0:
            tail = tail_probability(confidence_level, alternative)
            half_of_fits = -float(special.stdtrit(fits.df, tail)) * fits.se
            p_of_fits = fits.around(parts.estimate).pvalue(alternative)
        # of a single run: between seeds without rows, over rows, and what rows make of seeds
        between = [recipe.variance - recipe.count * recipe.interaction for recipe in recipes]
        rest = [n * recipe.count * recipe.interaction for recipe in recipes]
        return {
            "half_width": half,
            "se": parts.se,
            "var_seeds": parts.of_seeds,
            "df_seeds": parts.df_seeds,
            "var_rows": parts.of_rows,
            "var_cells": parts.cells,
            "seeds": math.fsum(between),
            "rows": n * parts.of_rows,
            "rest": math.fsum(rest),
            "se_fits": fits.se,
            "df_fits": fits.df,
            "pvalue_fits": p_of_fits,
            "half_width_fits": half_of_fits,
        }

    def _status(self, recipes: Sequence[Recipe], parts: Parts) -> Status:
        """Name the case of a difference of recipes, or of one recipe."""
        for recipe in recipes:
            if recipe.count < 2 and not recipe.deterministic:
                return Status.TOO_FEW
        fits = parts.fits
        if not fits.df >= 1 or too_few(self.setting, fits):
            return Status.TOO_FEW
        noise = max(recipe.mean.noise for recipe in recipes)
        if parts.se > noise or fits.se > noise:
            return Status.OK
        if abs(parts.estimate) <= noise:
            return Status.IDENTICAL_SCORES
        return Status.ZERO_VARIANCE

    def _details_of_one(self, name: str, letter: str) -> dict[str, float]:
        """Return what the runs of one model say of it alone."""
        recipe = self.recipe(name)
        value = float(recipe.values.mean())
        if not self.setting.metric.greater_is_better:
            value = -value
        details = {f"runs_{letter}": recipe.count, f"value_{letter}": value}
        df = recipe.count - 1
        # limits by χ² of normal values
        if df > 0:
            sd = math.sqrt(recipe.variance)
            details[f"sd_run_{letter}"] = sd
            details[f"sd_run_low_{letter}"] = sd * math.sqrt(df / special.chdtri(df, 0.025))
            details[f"sd_run_high_{letter}"] = sd * math.sqrt(df / special.chdtri(df, 0.975))
        return details

    def _assumptions(self, recipes: Sequence[Recipe], parts: Parts) -> Iterator[Assumption]:
        yield from assumptions(self.setting, parts.fits, ())
        if self.setting.clusters is None:
            yield enough_rows(parts.fits)
        random = [recipe for recipe in recipes if not recipe.deterministic]
        if random:
            yield from _assumptions_of_runs(random, parts.df_seeds)


def _limits(
    estimate: float, half: float, bounds: tuple[float, float], alternative: Alternative
) -> tuple[float, float]:
    """Return estimate ± half within bounds; a one-sided interval has one limit."""
    low = -math.inf
    high = math.inf
    if alternative != "less":
        low = max(estimate - half, bounds[0])
    if alternative != "greater":
        high = min(estimate + half, bounds[1])
    return low, high


def _assumptions_of_runs(recipes: Sequence[Recipe], df_seeds: float) -> Iterator[Assumption]:
    """Say what runs tell of the assumptions, of models whose training has a random part."""
    broken_by = "checkpoints of one training, warm starts or dropout samples would break it"
    yield Assumption("independent runs", None, broken_by)
    fewest = min(recipe.count for recipe in recipes)
    yield Assumption(
        "enough runs",
        fewest >= ENOUGH_RUNS and df_seeds >= _ENOUGH_DEGREES,
        f"{fewest} training runs at least and {df_seeds:.1f} degrees of freedom between "
        f"runs; {ENOUGH_RUNS} runs of each model are recommended, with fewer the interval is "
        "wide",
    )
    apart = [recipe.apart for recipe in recipes if recipe.apart]
    detail = "; ".join(apart) or "no run is far from the others"
    yield Assumption("no run stands apart", not apart, detail)
    # the share q of failing runs with which none of S fails with a probability of 5 %: (1 − q)^S
    most = 1 - (1 - _SEEN) ** (1 / fewest)
    yield Assumption(
        "no rare failures",
        None,
        f"{fewest} runs without a failure are compatible with up to {100 * most:.0f} % of runs "
        f"that fail ({_SEEN:.0%} confidence)",
    )
    for recipe in recipes:
        if recipe.count > 1 and not recipe.variance and not recipe.interaction:
            yield Assumption(
                "seeds change the model",
                False,
                "all runs of a model are the same: the seed does not reach its algorithm, or it "
                "is deterministic",
            )
            return


@checked
def compare_recipes(
    y_true: ArrayLike, runs: Sequence[SomeRuns], *, paired: bool = False, **options: Any
) -> PairwiseResult:
    """Test all pairs of recipes, or each against a control; see `recipe_difference`."""
    of_metric: dict[str, Any] = {}
    of_family: dict[str, Any] = {}
    for name, value in options.items():
        if name in MetricArguments.__annotations__:
            of_metric[name] = value
        else:
            of_family[name] = value
    named = [(f"runs[{i}]", run) for i, run in enumerate(runs)]
    recipes = Recipes.from_runs(named, y_true, **of_metric)
    return by_pairs(recipes.answer, (), list(recipes.models), paired=paired, **of_family)


@checked
def compare_recipe_means(
    runs: Sequence[SomeRuns], *, greater_is_better: bool = True, **options: Any
) -> PairwiseResult:
    """Test all pairs of recipes by the mean of a value per row; see `recipe_mean_difference`."""
    metric = numbers("values", greater_is_better=greater_is_better)
    return compare_recipes((), runs, metric=metric, **options)


@register(evidence=Evidence.RUNS, all_pairs=compare_recipes, **SHARED)
def recipe_difference(
    y_true: ArrayLike,
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    **options: Unpack[MetricArguments],
) -> Result:
    """Difference in a metric over training runs.

    Is one of two models better, trained with other seeds and tested on other rows?

    The variance is that of readers and cases (Obuchowski & Rockette 1995; Gallas 2006): between
    runs, and over rows without what favours single runs. In the interval each part has its own
    quantile of Student's t (Banerjee 1960); it is never narrower than that of these fits.

    Returns
    -------
    Result
        `estimate` is the expected advantage of one run of A over one of B. ``details`` holds the
        parts of the variance and ``pvalue_fits``, the p-value about these fits on other rows.
        ``too_few``: one run of a model that is not deterministic, or too few rows, groups or rows
        of a class; ``undefined``: the metric of a run has no value.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0] * 3
    >>> a = [[1 - v if i % 9 == s else v for i, v in enumerate(y)] for s in range(3)]
    >>> b = [[1 - v if i % 4 == s else v for i, v in enumerate(y)] for s in range(3)]
    >>> result = recipe_difference(y, a, b)
    >>> round(result.estimate, 3), round(result.pvalue, 3)
    (0.122, 0.008)
    """
    recipes = Recipes.from_runs([("runs_a", runs_a), ("runs_b", runs_b)], y_true, **options)
    return recipes.answer(confidence_level=confidence_level, alternative=alternative, paired=paired)


@register(evidence=Evidence.RUNS, all_pairs=compare_recipe_means, **SHARED)
def recipe_mean_difference(
    runs_a: SomeRuns,
    runs_b: SomeRuns,
    *,
    greater_is_better: bool = True,
    groups: ArrayLike | None = None,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Difference in a mean over training runs.

    Does one of two models have the better mean of a value per row, with other seeds and on
    other rows?

    As `recipe_difference` (Banerjee 1960), for losses, marks and other numbers.

    Returns
    -------
    Result
        As of `recipe_difference`.

    Examples
    --------
    >>> a = [[.9, .4, .8, .7, .9, .6], [.8, .5, .9, .7, .8, .7]]
    >>> b = [[.6, .4, .5, .8, .5, .5], [.5, .3, .6, .7, .6, .4]]
    >>> result = recipe_mean_difference(a, b)
    >>> round(result.estimate, 3), round(result.pvalue, 3)
    (0.192, 0.041)
    """
    metric = numbers("values", greater_is_better=greater_is_better)
    models = [("runs_a", runs_a), ("runs_b", runs_b)]
    recipes = Recipes.from_runs(models, (), metric, groups=groups)
    return recipes.answer(confidence_level=confidence_level, alternative=alternative, paired=paired)


@checked
def recipe_ci(
    y_true: ArrayLike,
    runs: SomeRuns,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[MetricArguments],
) -> Result:
    """Return the expected metric of one run of a recipe, with its interval over seeds and rows.

    Parameters
    ----------
    runs : sequence of array_like, or Runs
        What each run predicts for the rows.
    """
    recipes = Recipes.from_runs([("runs", runs)], y_true, **options)
    return recipes.answer(confidence_level=confidence_level)


@checked
def recipe_mean_ci(
    runs: SomeRuns,
    *,
    groups: ArrayLike | None = None,
    confidence_level: Level = 0.95,
) -> Result:
    """Return the expected mean of a value per row of one run, with its interval.

    Parameters
    ----------
    runs : sequence of array_like, or Runs
        What each run has on the rows.
    """
    metric = numbers("values", greater_is_better=True)
    return recipe_ci((), runs, metric=metric, groups=groups, confidence_level=confidence_level)


def pass_at(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that at least one of k runs is right (pass@k).

    Parameters
    ----------
    right, runs : array_like of int, shape (n,)
        How many runs of each item are right, and how many it has, `k` at least.
    k : int
        Runs that are drawn.

    Returns
    -------
    ndarray, shape (n,)
        1 - C(runs - right, k) / C(runs, k): the share of the draws of `k` of its runs, without
        replacement, that hold a right one. It is unbiased; 1 - (1 - right / runs)**k is not.

    Notes
    -----
    Chen et al. (2021), Evaluating large language models trained on code, arXiv:2107.03374.

    Examples
    --------
    >>> pass_at([0, 1, 4], [10, 10, 10], k=5).round(3)
    array([0.   , 0.5  , 0.976])
    """
    successes, attempts = _counts(right, runs, k)
    return 1 - _share(attempts - successes, attempts, k)


def pass_hat(right: ArrayLike, runs: ArrayLike, k: int) -> NDArray[np.float64]:
    """Estimate for each item the probability that all of k runs are right (pass^k).

    Parameters, errors and draws are those of `pass_at`; the estimate is C(right, k) / C(runs, k).

    Notes
    -----
    Yao et al. (2024), tau-bench: a benchmark for tool-agent-user interaction in real-world domains,
    arXiv:2406.12045.

    Examples
    --------
    >>> pass_hat([0, 6, 10], [10, 10, 10], k=2).round(3)
    array([0.   , 0.333, 1.   ])
    """
    successes, attempts = _counts(right, runs, k)
    return _share(successes, attempts, k)


def _counts(right: ArrayLike, runs: ArrayLike, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    successes = np.asarray(right, dtype=np.intp)
    attempts = np.asarray(runs, dtype=np.intp)
    if not isinstance(k, int) or k < 1:
        raise ArgumentError("k", f"found {k}, expected a positive whole number")
    if len(attempts) and attempts.min() < k:
        raise ArgumentError("k", f"found {k}, an item has {attempts.min()} runs")
    return successes, attempts


def _share(some: NDArray[np.intp], of: NDArray[np.intp], k: int) -> NDArray[np.float64]:
    """Return C(some, k) / C(of, k), each ratio of whole numbers rounded once."""
    pairs, pair_of_item = np.unique(np.column_stack([some, of]), axis=0, return_inverse=True)
    ratios = np.array([math.comb(int(a), k) / math.comb(int(b), k) for a, b in pairs])
    return ratios[pair_of_item.ravel()]
