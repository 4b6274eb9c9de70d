"""Two algorithms compared row by row over five replications of 2-fold cross-validation.

Every row is tested five times, once in each replication, by a fit on the other half. b and c count
the tests that only A and only B gets right, over all ten folds. Ten overlapping tables hold about
as much information as 20/11 independent ones (Yang et al. 2023).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.distributions import normal_pvalue
from bakeoff.stats.core.registry import Arity, Evidence, form_of, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Alternative, Assumption, Result, Status
from bakeoff.stats.folds.cv5x2_counts import (
    Outcomes,
    difference_interval,
    outcomes,
    row_outcomes,
)

__all__ = ["cv5x2_mcnemar", "cv5x2_mcnemar_from_counts", "cv5x2_z"]

_FACTS: dict[str, Any] = {
    "evidence": Evidence.FOLD_CORRECTNESS,
    "better_test": "half_sample_t",
    "about": "algorithms",
    "plans": ("cv_5x2",),
    "arity": Arity.PAIR,
    "answers": "Is one algorithm more accurate than the other when trained on half of the data?",
    "null_hypothesis": "The two learning algorithms are equally accurate in expectation when "
    "trained on half of this data.",
}


@register(
    **_FACTS,
    citation="nadeau2003",
    title="5×2cv z test",
    caution="It compares accuracy only; for other metrics use half_sample_t.",
)
def cv5x2_z(
    fold: ArrayLike,
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Difference in accuracy over the rows of 5×2 cross-validation, from test and training rows.

    z = d̄/√v, standard normal, with d̄ = (b − c)/N over the N = 5n tested rows and v the larger of
    1.1 (b + c)/(N n), the variance of `cv5x2_mcnemar` from single rows, and
    1.1 (√v_test + √v_training)².

    Returns
    -------
    Result
        `estimate` is the mean accuracy of A less B's and `ci` its interval. ``details`` has the
        variances of which the standard error is made.

    Replications that divide the rows alike cannot show what training rows add: `too_few`, p NaN.

    Notes
    -----
    v_test is s²/n of the difference of every row, averaged over its five tests. v_training is what
    the choice of training rows adds (Nadeau & Bengio 2003 on why cross-validation hides it): two
    fits of different replications differ, on the rows that both test, by their training rows
    alone. What the two roles of a row have to do with each other is unknown, so their standard
    errors are added. The form was chosen by simulation (docs/cross-validation.md).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> result = cv5x2_z(fold, rng.random((5, 100)) < 0.85, rng.random((5, 100)) < 0.75)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.096, z = 1.509, p = 0.1313
    """
    found = row_outcomes(fold, correct_a, correct_b)
    parts = {"variance_test": found.variance_test, "variance_training": found.variance_training}
    return _result(found, alternative, confidence_level, details=parts)


@register(
    **_FACTS,
    citation="yang2023",
    title="5×2cv McNemar test",
    caution="Its variance takes rows as independent given the fits, which they are not where "
    "predictions move together with the training rows: with unbalanced classes, class weights, "
    "costs or tuned thresholds use cv5x2_z.",
)
def cv5x2_mcnemar(
    fold: ArrayLike,
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    variant: Literal["plain", "corrected"] = "plain",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """McNemar's test on the rows of all ten folds of 5×2 cross-validation.

    z = d̄/√v, standard normal, with d̄ = (b − c)/N over the N = 5n tested rows and v the larger of
    1.1 (b + c)/(N n), what the rows alone would give, and Σs²ᵢ/50, what the five replications
    show. The second guards against fits that fail now and then.

    Parameters
    ----------
    variant : {"plain", "corrected"}
        ``"corrected"``: with continuity correction, as conservative as Edwards'.

    Returns
    -------
    Result
        `estimate` is the mean accuracy of A less B's and `ci` its interval. ``details`` has both
        variances, whether the guard was at work, the counts b and c of the ten folds and the
        effective table 2b/11, 2c/11, on which McNemar's χ² is z² where the guard is not at work.

    Notes
    -----
    The effective table is that of Yang et al. (2023). The guard and the z form were chosen by
    simulation (docs/cross-validation.md).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> result = cv5x2_mcnemar(fold, rng.random((5, 100)) < 0.85, rng.random((5, 100)) < 0.75)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.096, z = 1.509, p = 0.1313
    """
    return _mcnemar(outcomes(fold, correct_a, correct_b), variant, alternative, confidence_level)


@form_of(cv5x2_mcnemar)
def cv5x2_mcnemar_from_counts(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    n_test: ArrayLike,
    *,
    variant: Literal["plain", "corrected"] = "plain",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """McNemar's test over 5×2 cross-validation from counts; see `cv5x2_mcnemar`.

    Parameters
    ----------
    only_a_correct, only_b_correct, n_test : array_like of int, shape (5, 2)
        Per replication (rows) and fold: the rows that only A and only B gets right, and all that
        were tested.
    variant : {"plain", "corrected"}
        As in `cv5x2_mcnemar`.

    Returns
    -------
    Result
        The same result as from the rows.

    Examples
    --------
    >>> b = [[1, 5], [4, 4], [2, 4], [3, 3], [3, 1]]
    >>> c = [[3, 0], [1, 0], [3, 0], [2, 1], [1, 1]]
    >>> result = cv5x2_mcnemar_from_counts(b, c, [[30, 30]] * 5)
    >>> round(result.estimate, 3), round(result.pvalue, 4)
    (0.06, 0.2363)
    """
    found = Outcomes.of(only_a_correct, only_b_correct, n_test)
    return _mcnemar(found, variant, alternative, confidence_level)


def _mcnemar(
    found: Outcomes, variant: str, alternative: Alternative, confidence_level: Level
) -> Result:
    stable = Assumption(
        "stable fits",
        not found.guarded,
        "the replications differ by more than single rows explain: the variance is theirs"
        if found.guarded
        else "the replications differ no more than single rows explain",
    )
    details = {"variance_folds": found.variance_folds, "guard_active": found.guarded}
    return _result(found, alternative, confidence_level, variant, (stable,), details)


def _result(
    found: Outcomes,
    alternative: Alternative,
    confidence_level: Level,
    variant: str = "",
    assumptions: tuple[Assumption, ...] = (),
    details: Mapping[str, Any] = MappingProxyType({}),
) -> Result:
    b, c = found.effective
    statistic, pvalue = (math.nan, math.nan) if found.discordant else (0.0, 1.0)
    ci = None
    if found.status is Status.OK:
        statistic = found.mean / math.sqrt(found.variance)
        if variant == "corrected":
            # the statistic falls as that of the effective table does
            statistic *= max(abs(b - c) - 1, 0.0) / abs(b - c) if b != c else 1.0
        pvalue = normal_pvalue(statistic, alternative)
        ci = difference_interval(found, confidence_level, alternative)
    return Result(
        variant=variant,
        statistic=statistic,
        pvalue=pvalue,
        alternative=alternative,
        estimate=found.mean,
        ci=ci,
        effect_sizes={
            "cohens_g": b / (b + c) - 0.5 if b + c else math.nan,
            "odds_ratio": (b / c if c else math.inf) if b + c else math.nan,
        },
        n=round(found.rows),
        status=found.status,
        assumptions=(
            INDEPENDENT_ROWS,
            Assumption(
                "enough discordant rows",
                b + c >= 5,
                f"{b + c:.1f} effective discordant pairs; simulated from 5 up",
            ),
            *assumptions,
        ),
        details={
            "only_a_correct": int(found.b.sum()),
            "only_b_correct": int(found.c.sum()),
            "effective_only_a": b,
            "effective_only_b": c,
            "variance_rows": found.variance_rows,
            **details,
            "se": math.sqrt(found.variance),
            "differences": found.differences,
        },
    )
