"""Several classifiers on folds: Tukey's comparison of all pairs."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Pair, PairwiseResult, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.folds.score_table import (
    ScoreTable,
    block_sums,
    equal_variances,
    independence,
    score_table,
)
from bakeoff.stats.folds.tukey_range import studentized_range_isf, studentized_range_sf


@register(
    evidence=Evidence.FOLD_SCORES,
    about="algorithms",
    title="Tukey's honestly significant difference",
    arity=Arity.ALL_PAIRS,
    answers="Which pairs of algorithms differ, at one error rate for the whole family?",
    plans=("kfold",),
    citation="tukey1949",
    caution="Takes the folds for independent though their training sets overlap.",
    instead="half_sample_t",
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
