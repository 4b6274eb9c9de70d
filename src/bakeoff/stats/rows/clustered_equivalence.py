"""Equivalence and non-inferiority of two accuracies on rows that come in groups."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.checks import check_level
from bakeoff.stats.core.difference_limits import DIFFERENCE_METHODS, tango_statistic
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, ConfidenceInterval, Status
from bakeoff.stats.core.tails import t_pvalue
from bakeoff.stats.design.cluster_result import (
    ClusteredEquivalenceResult,
    independent_clusters,
    too_few_degrees,
)
from bakeoff.stats.rows.cluster_pair import ClusterPair, as_pair

__all__ = ["clustered_noninferiority", "clustered_tost"]

_FACTS: dict[str, Any] = {
    "evidence": Evidence.CORRECTNESS,
    "arity": Arity.PAIR,
    "about": "models",
    "plans": ("holdout",),
    "citation": "tango1998",
}


@register(
    **_FACTS,
    title="Equivalence of accuracies for groups of rows (TOST)",
    answers="Are these two fitted models equally accurate on new groups, within the margin?",
    caution="Choose the margin before seeing the data. A small p speaks for equivalence, not "
    "for a difference.",
)
def clustered_tost(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: float,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
) -> ClusteredEquivalenceResult:
    """Two one-sided tests of the accuracy difference of two models on rows in groups.

    Tango's (1998) score statistics at −margin and at +margin over the root of the design
    effect, against Student's t with the degrees of freedom of the robust variance.

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (N,)
        Whether A and B are right on each row, in the same row order.
    margin : float
        The largest accuracy difference that does not matter, between 0 and 1.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    alpha : float
        Level of the test, below 0.5; the interval has level 1 − 2 alpha.

    Returns
    -------
    ClusteredEquivalenceResult
        `estimate` is acc_A − acc_B. Fewer than four degrees of freedom are ``too_few``.

    Notes
    -----
    The design effect is at least 1 + (Σn_k²/N − 1)·max(icc, 0): the variance of few groups may
    look smaller than it is by chance, which a test for equivalence would reward.

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 1, 0, 0], [900, 21, 19, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 21, 19, 60])
    >>> result = clustered_tost(a, b, margin=0.02, groups=np.arange(1000) % 100)
    >>> round(result.pvalue, 4), result.verdict
    (0.0051, 'equivalent')
    """
    alpha, margin = _check_alpha(alpha), check_level(margin, "margin")
    pair = as_pair(correct_a, correct_b, groups)
    return _result("clustered_tost", pair, margin, alpha, sides=2)


@register(
    **_FACTS,
    title="Non-inferiority of accuracies for groups of rows",
    answers="Is A at most the margin less accurate than B on new groups?",
    caution="Choose the margin before seeing the data. A small p says that A is not worse than B "
    "by the margin or more; it may be better.",
)
def clustered_noninferiority(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    margin: float,
    groups: ArrayLike | None = None,
    alpha: float = 0.05,
) -> ClusteredEquivalenceResult:
    """One-sided test that A is less accurate than B by no more than the margin.

    The lower of the two tests of `clustered_tost` (Tango 1998; Liu et al. 2002).

    Parameters
    ----------
    correct_a, correct_b : array_like of bool or 0/1, shape (N,)
        Whether A and B are right on each row, in the same row order.
    margin : float
        The largest loss of accuracy that does not matter, between 0 and 1.
    groups : array_like, shape (N,), optional
        The group of each row; without it each row is a group of its own.
    alpha : float
        Level of the test, below 0.5; the interval has level 1 − 2 alpha.

    Returns
    -------
    ClusteredEquivalenceResult
        `pvalue` is `pvalue_lower`; the verdict is "not inferior" or "not shown".

    Examples
    --------
    >>> import numpy as np
    >>> a = np.repeat([1, 1, 0, 0], [900, 25, 15, 60])
    >>> b = np.repeat([1, 0, 1, 0], [900, 25, 15, 60])
    >>> result = clustered_noninferiority(a, b, margin=0.02, groups=np.arange(1000) % 100)
    >>> result.pvalue < 0.001, result.verdict
    (True, 'not inferior')
    """
    alpha, margin = _check_alpha(alpha), check_level(margin, "margin")
    pair = as_pair(correct_a, correct_b, groups)
    return _result("clustered_noninferiority", pair, margin, alpha, sides=1)


def _result(
    test: str, pair: ClusterPair, margin: float, alpha: float, *, sides: int
) -> ClusteredEquivalenceResult:
    effect = _design_effect(pair)
    n, (_, b, c, _) = pair.clusters.n, pair.counts
    lower, upper = (
        float(z) / math.sqrt(effect) for z in tango_statistic(b, c, n, np.array([-margin, margin]))
    )
    few = too_few_degrees(pair.df)
    formula = (
        (t_pvalue(lower, pair.df, "greater"), t_pvalue(upper, pair.df, "less"))
        if pair.df
        else (math.nan, math.nan)
    )
    last = int(np.argmax(formula[:sides]))
    pvalue = math.nan if few else formula[last]
    names = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
    return ClusteredEquivalenceResult(
        test=test,
        statistic=(lower, upper)[last],
        df=pair.df,
        pvalue=pvalue,
        pvalue_lower=math.nan if few else formula[0],
        pvalue_upper=math.nan if few else formula[1],
        verdict="undecided" if few else (_SHOWN[sides] if pvalue < alpha else "not shown"),
        margin=margin,
        alpha=alpha,
        status=Status.TOO_FEW if few else Status.OK,
        estimate=pair.estimate,
        ci=None if few else _interval(pair, effect, alpha),
        n=n,
        assumptions=(
            independent_clusters(pair.clusters),
            Assumption(
                "enough groups",
                not few,
                f"{pair.clusters.count} groups of these sizes give {pair.df:.1f} degrees of "
                "freedom; it wants 4",
            ),
        ),
        null_hypothesis=_NULLS[sides].format(margin=f"{margin:g}"),
        method="liu2002",
        details={
            **{name: int(value) for name, value in zip(names, pair.counts, strict=True)},
            "statistic_lower": lower,
            "statistic_upper": upper,
            "formula_pvalue_lower": formula[0],
            "formula_pvalue_upper": formula[1],
            "design_effect_raw": pair.design_effect_raw,
        },
        n_clusters=pair.clusters.count,
        n_effective=n / effect,
        design_effect=effect,
        icc=pair.icc,
    )


_SHOWN = {1: "not inferior", 2: "equivalent"}
_NULLS = {
    1: "A is less accurate than B by {margin} or more.",
    2: "The accuracies of the two fitted models differ by {margin} or more.",
}


def _check_alpha(alpha: float) -> float:
    level = check_level(alpha, "alpha")
    if not level < 0.5:
        raise ArgumentError("alpha", f"found {alpha!r}, must lie strictly between 0 and 0.5")
    return level


def _design_effect(pair: ClusterPair) -> float:
    sizes, icc = pair.clusters.sizes, pair.icc
    weighted = float(np.square(sizes).sum()) / pair.clusters.n
    expected = 1 + (weighted - 1) * (max(icc, 0.0) if not math.isnan(icc) else 0.0)
    return max(pair.design_effect, expected)


def _interval(pair: ClusterPair, effect: float, alpha: float) -> ConfidenceInterval:
    """Invert the same two tests: Tango's interval at the quantile t·√(design effect)."""
    quantile = float(special.stdtrit(pair.df, 1 - alpha)) * math.sqrt(effect)
    tail = max(float(special.ndtr(-quantile)), 1e-300)
    both, b, c, neither = (np.asarray(value) for value in pair.counts)
    low, high = map(float, DIFFERENCE_METHODS["tango"](both, b, c, neither, tail))
    return ConfidenceInterval(max(low, -1.0), min(high, 1.0), 1 - 2 * alpha, "tango_effective")
