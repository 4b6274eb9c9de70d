"""The variance of a recipe's metric in parts, with a quantile of Student's t for each of them.

The variance is that of Obuchowski & Rockette (1995) and Gallas (2006) for readers and cases. Their
degrees of freedom are too many where a part that has few of them is small by chance; Banerjee's
(1960) interval holds for any ratio of the parts.
"""

from __future__ import annotations

import dataclasses
import math

from scipy import special

from bakeoff.stats.core.binomial import tail_probability
from bakeoff.stats.core.result import Alternative
from bakeoff.stats.design.spread import Spread
from bakeoff.stats.planning import root
from bakeoff.stats.runs.recipe import Recipe

_OWN_QUANTILES = 5
"""With fewer runs of one of two models that have unequal numbers each has a quantile of its own."""
_FARTHEST = 22.0
"""The normal quantile of the smallest p-value, 1.4e-107.

In smaller tails SciPy's quantile of Student's t with few degrees of freedom is wrong or NaN.
"""


@dataclasses.dataclass(frozen=True)
class Parts:
    """An estimate and what makes it vary."""

    estimate: float
    seeds: tuple[tuple[float, float], ...]
    cells: float
    fits: Spread
    own: bool

    @classmethod
    def of(cls, recipes: tuple[Recipe, ...]) -> Parts:
        """Put one recipe, or two that are compared, together."""
        first, *second = recipes
        found = first.mean
        for other in second:
            found -= other.mean
        counts = [recipe.count for recipe in recipes]
        return cls(
            found.value,
            tuple((one.variance / one.count, float(one.count - 1)) for one in recipes),
            math.fsum(recipe.interaction for recipe in recipes),
            found.spread,
            max(counts) > min(counts) and 1 < min(counts) < _OWN_QUANTILES,
        )

    @property
    def of_seeds(self) -> float:
        """The variance between runs."""
        return math.fsum(variance for variance, _ in self.seeds)

    @property
    def df_seeds(self) -> float:
        """Welch's (1947) degrees of freedom of the variance between runs."""
        shares = ((own / self.of_seeds, df) for own, df in self.seeds if own > 0)
        below = math.fsum(share**2 / df for share, df in shares)
        return 1 / below if below > 0 else math.fsum(df for _, df in self.seeds)

    @property
    def of_rows(self) -> float:
        """The variance over rows alone, which may come out negative."""
        return self.fits.se**2 - self.cells

    @property
    def variance(self) -> float:
        """The variance of the estimate."""
        return self.of_seeds + max(self.of_rows, 0.0)

    def half_width(self, level: float, side: Alternative = "two-sided") -> float:
        """Return half the width of an interval, or the distance of a limit."""
        return self._half(tail_probability(level, side))

    def pvalue(self, shift: float = 0.0, side: Alternative = "two-sided") -> float:
        """Return the p-value of an estimate of −shift: at that level an interval ends there."""
        away = self.estimate + shift

        def excess(z: float) -> float:
            return self._half(float(special.ndtr(-z))) - abs(away)

        z = root(excess, 0.0, _FARTHEST)
        tail = float(special.ndtr(-_FARTHEST if math.isnan(z) else -z))
        if side == "two-sided":
            return 2 * tail
        return tail if (away > 0) == (side == "greater") else 1 - tail

    def _half(self, tail: float) -> float:
        """Return half the width of the interval that leaves a probability in each tail."""
        parts = [*(self.seeds if self.own else [(self.of_seeds, self.df_seeds)])]
        parts.append((max(self.of_rows, 0.0), self.fits.df))
        each = (_t(df, tail) * math.sqrt(variance) for variance, df in parts if variance > 0)
        return max(math.hypot(*each), _t(self.fits.df, tail) * self.fits.se)


def _t(df: float, tail: float) -> float:
    return -float(special.stdtrit(df, tail))
