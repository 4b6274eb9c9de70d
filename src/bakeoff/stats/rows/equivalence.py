"""Are two classifiers equally good, within a margin? Two one-sided tests (TOST).

A difference that is not significant is no evidence of equality. Here the null hypotheses are
that the difference is at or beyond the margin, on either side; both must fall.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.checks import check_choice, check_counts, check_level, paired_counts
from bakeoff.stats.core.difference_limits import tango_statistic
from bakeoff.stats.core.docstrings import fill_docstring
from bakeoff.stats.core.margins import check_alpha, conclude, infinite
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Assumption, EquivalenceResult, Status
from bakeoff.stats.rows.paired_intervals import paired_difference_ci

__all__ = ["tost_paired", "tost_paired_from_counts"]


@register(
    title="Equivalence of paired accuracies (TOST)",
    evidence=Evidence.CORRECTNESS,
    arity=Arity.PAIR,
    about="models",
    answers="Are these two fitted models equally accurate, within the margin?",
    plans=("holdout",),
    citation="liu2002",
    caution="Choose the margin before seeing the data. A small p speaks for equivalence, not "
    "for a difference.",
    in_groups="clustered_tost",
    in_time="clustered_tost",
)
def tost_paired(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: float,
    alpha: float = 0.05,
    variant: Literal["score", "wald"] = "score",
) -> EquivalenceResult:
    """Two one-sided tests of the accuracy difference of two models on the same rows.

    Parameters
    ----------
    correct_a, correct_b : shared
    margin : float
        The largest accuracy difference that does not matter, between 0 and 1.
    alpha : float
        Level of the test, below 0.5; the interval has level 1 − 2 alpha.
    variant : {"score", "wald"}
        ``"score"`` (default): Tango's statistic at −margin and at +margin, with the discordance
        estimated under each (Tango 1998; Liu et al. 2002); it works without discordant pairs.
        ``"wald"``: z = (d ± margin)/SE with the observed variance of d; too lenient when few
        rows are discordant.

    Returns
    -------
    EquivalenceResult
        `estimate` is acc_A − acc_B.

    Notes
    -----
    Without discordant pairs the difference test has p 1, while here equality can be shown: n
    rows on which the models agree bound the rate at which they differ.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([True, True, False, False], [900, 21, 19, 60])
    >>> b = np.repeat([True, False, True, False], [900, 21, 19, 60])
    >>> result = tost_paired(a, b, margin=0.02)
    >>> round(result.pvalue, 4), result.verdict
    (0.0043, 'equivalent')
    """
    return tost_paired_from_counts(
        **paired_counts(correct_a, correct_b),
        margin=margin,
        alpha=alpha,
        variant=variant,
    )


@fill_docstring
def tost_paired_from_counts(
    *,
    both_correct: int,
    only_a_correct: int,
    only_b_correct: int,
    both_wrong: int,
    margin: float,
    alpha: float = 0.05,
    variant: str = "score",
) -> EquivalenceResult:
    """Two one-sided tests from the four counts of rows; see `tost_paired` for the options.

    Parameters
    ----------
    both_correct, only_a_correct, only_b_correct, both_wrong : int
        Counts of rows.
    margin, alpha, variant
        As in `tost_paired`.

    Returns
    -------
    EquivalenceResult
        The same result as from the rows.

    Examples
    --------
    >>> result = tost_paired_from_counts(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63, margin=0.02)
    >>> round(result.pvalue_lower, 4), round(result.pvalue_upper, 4), result.verdict
    (0.0171, 0.2824, 'not shown')
    """
    check_choice(variant, ("score", "wald"), "variant")
    alpha, margin = check_alpha(alpha), check_level(margin, "margin")
    counts: dict[str, Any] = check_counts(
        both_correct=both_correct,
        only_a_correct=only_a_correct,
        only_b_correct=only_b_correct,
        both_wrong=both_wrong,
    )
    method = "tango" if variant == "score" else "wald"
    ci = paired_difference_ci(**counts, method=method, confidence_level=1 - 2 * alpha)
    n, b, c = sum(counts.values()), counts["only_a_correct"], counts["only_b_correct"]
    estimate = (b - c) / n
    se = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n
    status = Status.OK
    if variant == "score":
        z_lower, z_upper = tango_statistic(b, c, n, np.array([-margin, margin])).tolist()
    elif se > 0:
        z_lower, z_upper = (estimate + margin) / se, (estimate - margin) / se
    else:
        status = Status.ZERO_VARIANCE
        z_lower, z_upper = infinite(estimate + margin), infinite(estimate - margin)
    decided = status is Status.OK
    return conclude(
        "tost_paired",
        variant=variant,
        statistics=(z_lower, z_upper),
        pvalues=(
            (float(special.ndtr(-z_lower)), float(special.ndtr(z_upper)))
            if decided
            else (math.nan, math.nan)
        ),
        status=status,
        margin=margin,
        alpha=alpha,
        estimate=estimate,
        ci=ci if decided else None,
        n=n,
        assumptions=(
            INDEPENDENT_ROWS,
            Assumption(
                "enough discordant pairs",
                variant == "score" or b + c >= 25,
                f"{b + c} discordant pair(s) of {n} rows; the Wald variance wants 25, the score "
                "variance does not need any",
            ),
        ),
        what="accuracies of the two fitted models",
        method="liu2002",
        details={**counts, "se": se},
    )
