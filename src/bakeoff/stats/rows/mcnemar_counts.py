"""McNemar's test from counts of rows, in all its variants for independent rows.

b = rows that only A gets right, c = rows that only B gets right, n_d = b + c. Under the null
hypothesis b ~ Bin(n_d, ½) given n_d.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from bakeoff.stats.core import mcnemar_kernels
from bakeoff.stats.core.arguments import Count, Level, checked
from bakeoff.stats.core.checks import FloatArray, as_counts
from bakeoff.stats.core.difference_limits import DifferenceMethod
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.rows import paired_intervals

# b + c from which the χ² approximation is usually trusted
_LARGE_SAMPLE = 25


@dataclasses.dataclass(frozen=True, kw_only=True)
class McNemarResult(Result):
    """A `Result` of McNemar's test; `estimate` is acc_A − acc_B and `ci` its interval.

    Attributes
    ----------
    n_discordant : int
        Rows that exactly one of the models gets right: all the test sees.
    smallest_pvalue : float
        The smallest p that this many discordant pairs could ever give.
    """

    n_discordant: int
    smallest_pvalue: float

    @property
    def odds_ratio_ci(self) -> ConfidenceInterval:
        """Mid-p interval for b/c, ``effect_sizes["odds_ratio"]``, at the level of `ci`."""
        assert self.ci is not None
        return paired_intervals.paired_odds_ratio_ci(
            only_a_correct=self.details["only_a_correct"],
            only_b_correct=self.details["only_b_correct"],
            confidence_level=self.ci.confidence,
            alternative=self.alternative,
        )

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        return super().to_row() | {
            "n_discordant": self.n_discordant,
            "smallest_pvalue": self.smallest_pvalue,
        }


@checked
def mcnemar_from_counts(
    *,
    both_correct: Count,
    only_a_correct: Count,
    only_b_correct: Count,
    both_wrong: Count,
    variant: mcnemar_kernels.Variant = "midp",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    ci_method: DifferenceMethod = "newcombe",
) -> McNemarResult:
    """McNemar's test from the four counts of rows; see `mcnemar` for the options.

    Parameters
    ----------
    variant, ci_method
        As in `mcnemar`.

    Returns
    -------
    McNemarResult
        The same result as from the rows.

    Examples
    --------
    >>> result = mcnemar_from_counts(
    ...     both_correct=9959, only_a_correct=11, only_b_correct=1, both_wrong=29,
    ...     variant="asymptotic")
    >>> round(result.statistic, 4), round(result.pvalue, 6)
    (8.3333, 0.003892)
    """
    counts = {
        "both_correct": both_correct,
        "only_a_correct": only_a_correct,
        "only_b_correct": only_b_correct,
        "both_wrong": both_wrong,
    }
    n, b, c = sum(counts.values()), only_a_correct, only_b_correct
    ci = paired_intervals.paired_difference_ci(
        **counts, method=ci_method, confidence_level=confidence_level, alternative=alternative
    )
    n_d = b + c
    details = accuracies(counts)
    if not n_d and variant in ("midp", "exact"):
        # what the formula gives for an empty binomial; `pvalue` is 1 by convention
        halved = variant == "midp" and alternative != "two-sided"
        details["empty_binomial_pvalue"] = 0.5 if halved else 1.0
    most = (0, n_d) if alternative == "less" else (n_d, 0)
    smallest = float(mcnemar_kernels.pvalue(variant, *most, alternative))
    chi2 = variant not in ("midp", "exact")
    return McNemarResult(
        test="mcnemar",
        variant=variant,
        statistic=float(mcnemar_kernels.statistic(variant, b, c, alternative)),
        df=1.0 if chi2 and alternative == "two-sided" else None,
        pvalue=float(mcnemar_kernels.pvalue(variant, b, c, alternative)),
        alternative=alternative,
        estimate=(b - c) / n,
        ci=ci,
        effect_sizes=effect_sizes(b, c),
        n=n,
        status=Status.OK if n_d else Status.NO_DISCORDANT_PAIRS,
        assumptions=_assumptions(n_d, variant, smallest, 1 - confidence_level),
        null_hypothesis="The two fitted models are equally accurate on the population that the "
        "test rows were drawn from.",
        method=mcnemar_kernels.SOURCES[variant],
        details=details,
        n_discordant=n_d,
        smallest_pvalue=smallest,
    )


@checked
def mcnemar_pvalues(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    variant: mcnemar_kernels.Variant = "midp",
    alternative: Alternative = "two-sided",
) -> FloatArray:
    """P-values of McNemar's test for arrays of discordant counts, one entry per pair.

    Parameters
    ----------
    only_a_correct, only_b_correct : array_like of int, any one shape
        The discordant counts b and c.
    variant : str
        As in `mcnemar`.

    Returns
    -------
    ndarray
        The p-values; 1 where there are no discordant pairs.

    Examples
    --------
    >>> mcnemar_pvalues([22, 11, 0], [17, 1, 0]).round(4)
    array([0.4296, 0.0034, 1.    ])
    """
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    return mcnemar_kernels.pvalue(variant, b, c, alternative)


def effect_sizes(b: float, c: float) -> dict[str, float]:
    """Return Cohen's g, signed so that it favours A when positive, and the odds ratio b/c."""
    if not b + c:
        return {"cohens_g": math.nan, "odds_ratio": math.nan}
    return {"cohens_g": b / (b + c) - 0.5, "odds_ratio": b / c if c else math.inf}


def accuracies(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the four counts, and the accuracies of both models."""
    both, b, c, _ = counts.values()
    n = sum(counts.values())
    return {**counts, "accuracy_a": (both + b) / n, "accuracy_b": (both + c) / n}


def _assumptions(n_d: int, variant: str, smallest: float, alpha: float) -> tuple[Assumption, ...]:
    notes = [
        INDEPENDENT_ROWS,
        Assumption(
            "enough discordant pairs",
            smallest <= alpha,
            f"{n_d} discordant pair(s): the smallest p-value that these can give is {smallest:.3g}",
        ),
    ]
    if variant in ("asymptotic", "corrected"):
        notes.append(
            Assumption(
                "large sample",
                n_d >= _LARGE_SAMPLE,
                f"{n_d} discordant pair(s); the χ² approximation wants {_LARGE_SAMPLE}, "
                "below that use midp",
            )
        )
    return tuple(notes)
