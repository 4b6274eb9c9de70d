"""From the runs of recipes to results: status, interval, p-value and what is assumed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from bakeoff.stats.core.margins import conclude, infinite
from bakeoff.stats.core.pairs import PairwiseResult
from bakeoff.stats.core.pairwise import pairwise
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    answered,
)
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.spread import FEWEST_CLUSTERS
from bakeoff.stats.metrics.answer import assumptions, enough_rows
from bakeoff.stats.metrics.functional import NoValue
from bakeoff.stats.runs.components import SEEN, described, limits_of_sd, unseen_failures
from bakeoff.stats.runs.parts import Parts
from bakeoff.stats.runs.recipe import Reader, Recipe

_VARIANT = "two_t"
ENOUGH_RUNS, _ENOUGH_DEGREES = 5, 4.0
_INDEPENDENT_RUNS = Assumption(
    "independent runs",
    None,
    "checkpoints of one training, warm starts or dropout samples would break it",
)


def _scale(parts: Parts) -> float:
    """Return the standard error; that of these fits where nothing is known of others."""
    return math.sqrt(parts.variance) or parts.fits.se


@dataclasses.dataclass(frozen=True)
class Question:
    """What is asked about the recipes of some models."""

    reader: Reader
    paired: bool = False

    def interval(self, level: float) -> Result:
        """Return the interval of the only model."""
        return self._result((0,), "two-sided", level)

    def difference(
        self, members: Sequence[int] = (0, 1), side: Alternative = "two-sided", level: float = 0.95
    ) -> Result:
        """Test the difference of two models."""
        return self._result(members, side, level)

    def all_pairs(self, **family: Any) -> PairwiseResult:
        """Test the differences of all pairs, adjusted for their number."""

        def compare(
            pairs: list[tuple[int, int]], *, alternative: Alternative, confidence_level: float
        ) -> list[Result]:
            return [self.difference(pair, alternative, confidence_level) for pair in pairs]

        return pairwise(compare, len(self.reader.models), **family)

    def equivalence(self, margin: float, alpha: float) -> EquivalenceResult:
        """Test whether two models differ by less than a margin."""
        plain = self.difference(level=1 - 2 * alpha)
        statistics = pvalues = (math.nan, math.nan)
        shifts = plain.estimate + margin, plain.estimate - margin
        if plain.status is Status.OK:
            parts = self._parts(self._recipes((0, 1)))
            pvalues = parts.pvalue(margin, "greater"), parts.pvalue(-margin, "less")
            statistics = shifts[0] / _scale(parts), shifts[1] / _scale(parts)
        elif plain.status is Status.IDENTICAL_SCORES:
            statistics, pvalues = (0.0, 0.0), (1.0, 1.0)
        elif plain.status is Status.ZERO_VARIANCE:
            statistics = infinite(shifts[0]), infinite(shifts[1])
        kept = ("estimate", "ci", "n", "status", "assumptions", "variant")
        return conclude(
            statistics=statistics,
            pvalues=pvalues,
            margin=margin,
            alpha=alpha,
            what=f"expected values of {self.reader.setting.metric.name} of the two recipes",
            details=dict(plain.details),
            **{name: getattr(plain, name) for name in kept},
        )

    def _result(self, members: Sequence[int], side: Alternative, level: float) -> Result:
        two = len(members) == 2
        facts: dict[str, Any] = {
            "n": self.reader.setting.truth.n,
            "variant": _VARIANT,
            "alternative": side,
        }
        try:
            recipes = self._recipes(members)
        except NoValue as reason:
            facts["assumptions"] = (Assumption("a defined metric", False, str(reason)),)
            return Result(statistic=math.nan, pvalue=math.nan, status=Status.UNDEFINED, **facts)
        parts = self._parts(recipes)
        status = self._status(recipes, parts)
        statistic = pvalue = math.nan
        ci = None
        if status is Status.OK:
            ci = self._interval(parts, level, side, two)
            if two:
                statistic = parts.estimate / _scale(parts)
                pvalue = parts.pvalue(0.0, side)
        if two:
            statistic, pvalue = answered(status, statistic, pvalue, parts.estimate)
        return Result(
            statistic=statistic,
            pvalue=pvalue,
            estimate=parts.estimate if two else self._sign * parts.estimate,
            ci=ci,
            status=status,
            assumptions=tuple(self._assumptions(recipes, parts)),
            details={
                "half_width": parts.half_width(level, side) if ci else math.nan,
                **described(parts, recipes, len(recipes[0].psi)),
                **self._of_fits(parts, side, level),
                **self._alone(members),
                **({} if recipes[0].clusters is None else {"n_clusters": int(parts.fits.units)}),
            },
            **facts,
        )

    @property
    def _sign(self) -> int:
        return 1 if self.reader.setting.metric.greater_is_better else -1

    def _recipes(self, members: Sequence[int]) -> tuple[Recipe, ...]:
        if self.paired and len(members) == 2:
            return (self.reader.paired(*members),)
        return tuple(self.reader.recipe(member) for member in members)

    def _parts(self, recipes: tuple[Recipe, ...]) -> Parts:
        return Parts.of(recipes)

    def _status(self, recipes: Sequence[Recipe], parts: Parts) -> Status:
        fits, noise = parts.fits, max(recipe.noise for recipe in recipes)
        few = fits.units < FEWEST_CLUSTERS or not fits.df >= 1
        if few or self.reader.setting.too_few() or any(recipe.unknown for recipe in recipes):
            return Status.TOO_FEW
        if math.sqrt(parts.variance) > noise or fits.se > noise:
            return Status.OK
        return Status.IDENTICAL_SCORES if abs(parts.estimate) <= noise else Status.ZERO_VARIANCE

    def _interval(
        self, parts: Parts, level: float, side: Alternative, two: bool
    ) -> ConfidenceInterval:
        half, (low, high) = parts.half_width(level, side), self.reader.setting.metric.range
        centre, limits = parts.estimate, (low - high, high - low)
        if not two:
            centre, limits = self._sign * centre, (low, high)
        return ConfidenceInterval(
            -math.inf if side == "less" else max(centre - half, limits[0]),
            math.inf if side == "greater" else min(centre + half, limits[1]),
            level,
            _VARIANT,
        )

    def _of_fits(self, parts: Parts, side: Alternative, level: float) -> dict[str, float]:
        """Return what is known about these fits on other rows."""
        fits = parts.fits
        known = fits.df >= 1 and fits.se > 0
        half = fits.quantile(level, side) * fits.se if known else math.nan
        return {
            "se_fits": fits.se,
            "df_fits": fits.df,
            "pvalue_fits": t_pvalue(parts.estimate / fits.se, fits.df, side) if known else math.nan,
            "half_width_fits": half,
        }

    def _alone(self, members: Sequence[int]) -> dict[str, float]:
        """Return what the runs of each model say of it alone."""
        found: dict[str, float] = {}
        for letter, member in zip("ab", members, strict=False):
            alone = self.reader.recipe(member)
            found[f"runs_{letter}"] = alone.count
            found[f"value_{letter}"] = self._sign * float(alone.values.mean())
            if alone.count > 1:
                sd = math.sqrt(alone.variance)
                low, high = limits_of_sd(alone.count, sd)
                own = {"sd_run": sd, "sd_run_low": low, "sd_run_high": high}
                found |= {f"{name}_{letter}": value for name, value in own.items()}
        return found

    def _assumptions(self, recipes: Sequence[Recipe], parts: Parts) -> Iterator[Assumption]:
        yield from assumptions(self.reader.setting, parts.fits, ())
        if self.reader.setting.clusters is None:
            yield enough_rows(parts.fits)
        random = [recipe for recipe in recipes if not recipe.deterministic]
        if not random:
            return
        yield _INDEPENDENT_RUNS
        fewest = min(recipe.count for recipe in random)
        yield Assumption(
            "enough runs",
            fewest >= ENOUGH_RUNS and parts.df_seeds >= _ENOUGH_DEGREES,
            f"{fewest} training runs at least and {parts.df_seeds:.1f} degrees of freedom between "
            f"runs; {ENOUGH_RUNS} runs of each model are recommended, with fewer the interval is "
            "wide",
        )
        apart = "; ".join(filter(None, (recipe.apart for recipe in random)))
        yield Assumption("no run stands apart", not apart, apart or "no run is far from the others")
        yield Assumption(
            "no rare failures",
            None,
            f"{fewest} runs without a failure are compatible with up to "
            f"{100 * unseen_failures(fewest):.0f} % of runs that fail ({SEEN:.0%} confidence)",
        )
        if any(recipe.alike for recipe in random):
            yield Assumption(
                "seeds change the model",
                False,
                "all runs of a model are the same: the seed does not reach its algorithm, or it "
                "is deterministic",
            )
