"""Several classifiers on folds: Tukey's comparison of all pairs."""

from __future__ import annotations

import functools
import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.arithmetic import exp, log
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.pairs import Pair, PairwiseResult
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.studentized_range import range_sf
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.folds.score_table import (
    ScoreTable,
    block_sums,
    equal_variances,
    independence,
    score_table,
)


@register(
    evidence=Evidence.FOLD_SCORES,
    about="algorithms",
    title="Tukey's honestly significant difference",
    arity=Arity.ALL_PAIRS,
    answers="Which pairs of algorithms differ, with the family-wise error rate controlled?",
    plans=("kfold",),
    citation="tukey1949",
    caution="It assumes independent folds although their training sets overlap.",
    better_test="half_sample_t",
    null_hypothesis="The two learning algorithms of each pair have the same expected score on "
    "this data set.",
)
def tukey_hsd(
    scores: ArrayLike,
    *,
    blocks: bool = True,
    confidence_level: Level = 0.95,
    nan_policy: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
) -> PairwiseResult:
    """All pairs of means with simultaneous intervals from the studentized range.

    q = |ȳᵢ − ȳⱼ| / √(MSE/2 · (1/nᵢ + 1/nⱼ)) (Tukey 1949; Kramer 1956 for unequal numbers), where
    the error is that of the two-way table of folds and models, or of the one-way layout.

    Parameters
    ----------
    blocks : bool
        Whether all models share the folds, so that differences between folds are not error.
        False gives the one-way form of R's ``TukeyHSD(aov(y ~ g))``.
    confidence_level : float
        Simultaneous level of the intervals.
    nan_policy : {"raise", "omit"}
        ``"omit"``: a NaN is a missing fold; with `blocks` the fold is dropped for every model.

    Returns
    -------
    PairwiseResult
        Each pair's `statistic` is q, `pvalue` that of the t test with the pooled error,
        `pvalue_adjusted` and `ci` hold for the family.

    Examples
    --------
    >>> scores = [[0.80, 0.90, 0.70], [0.80, 0.90, 0.80], [0.90, 0.80, 0.90], [0.85, 0.85, 0.70]]
    >>> result = tukey_hsd(scores, blocks=False)
    >>> [round(pair.pvalue_adjusted, 4) for pair in result.pairs]
    [0.8626, 0.4271, 0.2152]
    """
    table = score_table(scores, nan_policy, greater_is_better)
    if blocks:
        table = table.complete()
        error = block_sums(table.values)[0]["ss_error"]
        df = (table.counts.size - 1) * (int(table.counts[0]) - 1)
    else:
        error, df = table.within(), int(table.counts.sum()) - table.counts.size
    mse = error / df if df > 0 else math.nan
    means = table.advantage
    pairs = tuple(
        _pair(a, b, float(means[a] - means[b]), table, mse, df, confidence_level)
        for a in range(means.size)
        for b in range(a + 1, means.size)
    )
    statuses = {pair.status for pair in pairs}
    return PairwiseResult(
        variant="blocks" if blocks else "one-way",
        correction="studentized-range",
        pairs=pairs,
        n=int(table.counts.max()),
        method="tukey1949" if np.ptp(table.counts) == 0 else "kramer1956",
        status=statuses.pop() if len(statuses) == 1 else Status.ZERO_VARIANCE,
        assumptions=(
            independence(int(table.counts.max())),
            Assumption(
                "folds as blocks",
                True if blocks else None,
                "differences between folds are taken out of the error"
                if blocks
                else "differences between folds count as error, which costs power",
            ),
            equal_variances(table),
        ),
        details={
            "mse": mse,
            "df": df,
            "critical_value": studentized_range_isf(1 - confidence_level, means.size, df)
            if df > 0
            else math.nan,
        }
        | table.ranking(),
    )


def _pair(
    a: int, b: int, difference: float, table: ScoreTable, mse: float, df: float, level: float
) -> Pair:
    k, counts = table.counts.size, table.counts
    same = abs(difference) <= table.noise
    status = Status.OK
    if df < 1:
        status = Status.TOO_FEW
    elif math.sqrt(mse) <= table.noise:
        status = Status.IDENTICAL_SCORES if same else Status.ZERO_VARIANCE
    if status is not Status.OK:
        found = {
            Status.TOO_FEW: (math.nan, math.nan),
            Status.IDENTICAL_SCORES: (0.0, 1.0),
            Status.ZERO_VARIANCE: (math.inf, math.nan),
        }[status]
        return Pair(
            a=a,
            b=b,
            statistic=found[0],
            pvalue=found[1],
            pvalue_adjusted=found[1],
            estimate=difference,
            df=df,
            status=status,
        )
    se = math.sqrt(mse * (1 / counts[a] + 1 / counts[b]))
    q = abs(difference) / se * math.sqrt(2)
    reach = studentized_range_isf(1 - level, k, df) * se / math.sqrt(2)
    return Pair(
        a=a,
        b=b,
        statistic=q,
        pvalue=t_pvalue(difference / se, df, "two-sided"),
        pvalue_adjusted=studentized_range_sf(q, k, df),
        estimate=difference,
        ci=ConfidenceInterval(difference - reach, difference + reach, level, "studentized-range"),
        df=df,
    )


_FAR = 76.0  # the range of normals beyond this has a probability below the smallest double


def studentized_range_sf(q: float, k: int, df: float) -> float:
    """Return P(Q > q) for the range of k means over an independent s with df freedom.

    P(Q > q) = ∫ P(R > q s) g(s) ds, where R is the range of k standard normals and s = χ_df/√df
    (Tukey 1949), by the trapezoidal rule in u = ln s.
    """
    if q <= 0:
        return 1.0
    low = 0.5 * math.log(max(float(special.gammaincinv(df / 2, 1e-300)) * 2 / df, 1e-300))
    high = 0.5 * math.log(float(special.gammainccinv(df / 2, 1e-20)) * 2 / df)
    high = min(high, max(math.log(_FAR / q), low + 1e-3))
    left, right = _where_mass_is(np.linspace(low, high, 160), q, k, df)
    u = np.linspace(left, right, 301)
    tail = range_sf(np.minimum(q * exp(u), _FAR), k) * exp(_log_density(u, df))
    return float(min(np.trapezoid(tail, u), 1.0))


@functools.lru_cache(maxsize=256)
def studentized_range_isf(p: float, k: int, df: float) -> float:
    """Return the q with P(Q > q) = p, by root finding in ln q."""
    from scipy.optimize import brentq

    def excess(log_q: float) -> float:
        return math.log(max(studentized_range_sf(math.exp(log_q), k, df), 1e-300)) - math.log(p)

    return math.exp(brentq(excess, -20.0, 20.0, xtol=1e-12, rtol=1e-14))


def _where_mass_is(u: FloatArray, q: float, k: int, df: float) -> tuple[float, float]:
    """Narrow the range of u = ln s to where the integrand is within e⁻³⁸ of its maximum."""
    tail = np.maximum(range_sf(np.minimum(q * exp(u), _FAR), k), 1e-320)
    mass = _log_density(u, df) + log(tail)
    near = np.flatnonzero(mass > mass.max() - 38)
    return float(u[max(near[0] - 1, 0)]), float(u[min(near[-1] + 1, u.size - 1)])


def _log_density(u: FloatArray, df: float) -> FloatArray:
    """Return the log density of ln(χ_df/√df)."""
    constant = math.log(2) + (df / 2) * math.log(df / 2) - float(special.gammaln(df / 2))
    density: FloatArray = constant + df * u - df / 2 * exp(2 * u)
    return density
