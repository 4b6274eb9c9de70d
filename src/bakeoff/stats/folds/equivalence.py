"""Equivalence of two algorithms: two one-sided tests (TOST) on resampled scores.

As in `equivalence`, a small p speaks for equivalence within the margin.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Alpha, Level, Margin
from bakeoff.stats.core.checks import as_array
from bakeoff.stats.core.margins import conclude, conclude_t
from bakeoff.stats.core.paired_differences import (
    effect_sizes,
    normality,
    paired_differences,
    ratio_status,
)
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Assumption, EquivalenceResult, Status
from bakeoff.stats.folds.corrected import fold_ratio
from bakeoff.stats.folds.cv5x2_counts import difference_interval, row_outcomes
from bakeoff.stats.folds.half_samples import half_sample_t

__all__ = ["tost_cv5x2", "tost_folds", "tost_half_samples"]

_ALGORITHMS = "expected scores of the two learning algorithms"
_FACTS: dict[str, Any] = {
    "arity": Arity.PAIR,
    "about": "algorithms",
    "answers": "Are these two algorithms equally good, within the margin?",
    "citation": "schuirmann1987",
    "caution": "Choose the margin before seeing the data. A small p-value is evidence for "
    "equivalence, not for a difference.",
}


@register(
    **_FACTS,
    title="Equivalence over folds (TOST)",
    evidence=Evidence.FOLD_SCORES,
    plans=("kfold", "resampled", "cv_5x2"),
    replications=True,
)
def tost_folds(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    margin: Margin,
    alpha: Alpha = 0.05,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    greater_is_better: bool = True,
) -> EquivalenceResult:
    """Two one-sided t tests of the mean score difference, with the corrected variance.

    t = (d̄ ± margin)/√(s²(1/J + n_test/n_train)) with J − 1 degrees of freedom (Schuirmann
    1987; the variance by Nadeau & Bengio 2003).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J,) or (r, k)
        Scores of A and B on the same splits; rows are repetitions and columns folds in the
        second form.

    Returns
    -------
    EquivalenceResult
        `estimate` is the mean difference. Constant differences leave the variance unknown:
        the verdict is never "equivalent" then.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.80, 0.83, 0.82, 0.84, 0.82]
    >>> result = tost_folds(a, b, margin=0.02)
    >>> round(result.pvalue, 4), result.verdict
    (0.0163, 'equivalent')
    """
    ndim = 2 if as_array(scores_a, "scores_a").ndim == 2 else 1
    d = paired_differences(scores_a, scores_b, ndim=ndim, greater_is_better=greater_is_better)
    ratio, sizes = fold_ratio(n_train, n_test, d.values.shape)
    x = d.values.ravel()
    n, mean = x.size, float(x.mean())
    sd = float(x.std(ddof=1)) if n > 1 else math.nan
    status = ratio_status(mean, sd, d.noise, d.identical) if n > 1 else Status.TOO_FEW
    se = sd * math.sqrt(1 / n + ratio)
    return conclude_t(
        estimate=mean,
        se=se,
        df=n - 1,
        status=status,
        margin=margin,
        alpha=alpha,
        n=n,
        effect_sizes=effect_sizes(d),
        assumptions=(
            sizes,
            normality(d),
            Assumption(
                "varying differences",
                status is Status.OK,
                f"standard deviation {sd:.3g}; where it is 0 or unknown nothing can be shown",
            ),
        ),
        what=_ALGORITHMS,
        details={"se": se, "ratio": ratio},
    )


@register(
    **_FACTS,
    title="Equivalence over 5×2cv rows (TOST)",
    evidence=Evidence.FOLD_CORRECTNESS,
    plans=("cv_5x2",),
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


@register(
    **_FACTS,
    title="Equivalence by half samples (TOST)",
    evidence=Evidence.FOLD_SCORES,
    plans=("halves",),
    replications=True,
)
def tost_half_samples(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    margin: Margin,
    full_repeats: int,
    alpha: Alpha = 0.05,
    variant: Literal["halves", "full"] = "halves",
    greater_is_better: bool = True,
) -> EquivalenceResult:
    """Equivalence form of `half_sample_t`: t = (estimate ± margin)/√V (Schuirmann 1987).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (2M + R, K)
        Scores of A and B, arranged as in `half_sample_t`.
    variant : {"full", "halves"}
        As in `half_sample_t`.

    Returns
    -------
    EquivalenceResult
        `estimate` is the mean difference.

    Examples
    --------
    >>> a = [[0.80, 0.78], [0.84, 0.85], [0.82, 0.80], [0.83, 0.84], [0.84, 0.86]]
    >>> b = [[0.80, 0.79], [0.83, 0.85], [0.82, 0.81], [0.83, 0.83], [0.84, 0.85]]
    >>> tost_half_samples(a, b, margin=0.05, full_repeats=1).verdict
    'equivalent'
    """
    test = half_sample_t(
        scores_a,
        scores_b,
        full_repeats=full_repeats,
        variant=variant,
        greater_is_better=greater_is_better,
    )
    return conclude_t(
        variant=variant,
        estimate=test.estimate,
        se=test.details["se"],
        df=test.n,
        status=test.status,
        margin=margin,
        alpha=alpha,
        n=test.n,
        effect_sizes=test.effect_sizes,
        assumptions=test.assumptions,
        what=_ALGORITHMS,
        details={"se": test.details["se"]},
    )
