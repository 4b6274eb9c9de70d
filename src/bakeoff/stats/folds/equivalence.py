"""Equivalence of two algorithms by the rows of 5×2 cross-validation."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Alpha, Level
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, EquivalenceResult, Status, conclude
from bakeoff.stats.folds.cv5x2_counts import difference_interval, row_outcomes


@register(
    title="Equivalence over 5×2cv rows (TOST)",
    evidence=Evidence.FOLD_CORRECTNESS,
    arity=Arity.PAIR,
    about="algorithms",
    answers="Are these two algorithms equally good, within the margin?",
    plans=("cv_5x2",),
    citation="schuirmann1987",
    caution="Choose the margin before seeing the data. A small p-value is evidence for "
    "equivalence, not for a difference.",
    better_test="tost_half_samples",
)
def tost_cv5x2(
    fold: ArrayLike,
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: Level,
    alpha: Alpha = 0.05,
) -> EquivalenceResult:
    """Equivalence form of `cv5x2_z`: z = (d̄ ± margin)/√v (Schuirmann 1987).

    Returns
    -------
    EquivalenceResult
        `estimate` is the mean accuracy of A less B's. Without discordant rows the variance is
        unknown and the verdict is never "equivalent".

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> fold = np.array([rng.permutation(np.arange(400) % 2) + 1 for _ in range(5)])
    >>> a = rng.random((5, 400)) < 0.85
    >>> result = tost_cv5x2(fold, a, a ^ (rng.random((5, 400)) < 0.05), margin=0.1)
    >>> result.verdict
    'equivalent'
    """
    found = row_outcomes(fold, correct_a, correct_b)
    se = math.sqrt(found.variance)
    statistics, pvalues = (0.0, 0.0), (1.0, 1.0)
    if found.status is Status.OK:
        statistics = (found.mean + margin) / se, (found.mean - margin) / se
        pvalues = float(special.ndtr(-statistics[0])), float(special.ndtr(statistics[1]))
    elif found.discordant:
        statistics = pvalues = (math.nan, math.nan)
    return conclude(
        statistics=statistics,
        pvalues=pvalues,
        status=found.status,
        margin=margin,
        alpha=alpha,
        estimate=found.mean,
        ci=difference_interval(found, 1 - 2 * alpha, "two-sided")
        if found.status is Status.OK
        else None,
        n=round(found.rows),
        assumptions=(INDEPENDENT_ROWS,),
        what="expected accuracies of the two learning algorithms",
        method="nadeau2003",
        details={"se": se},
    )
