"""Whether two fitted models are equally good by any metric, within a margin in its unit."""

from __future__ import annotations

import math
from typing import Literal, Unpack

from numpy.typing import ArrayLike

from bakeoff.stats.claims.limits import limits_of
from bakeoff.stats.core.arguments import Alpha, Margin
from bakeoff.stats.core.margins import conclude
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import ConfidenceInterval, EquivalenceResult, Status
from bakeoff.stats.design.flips import GroupSums
from bakeoff.stats.metrics.influence import Influence
from bakeoff.stats.metrics.metric import Form
from bakeoff.stats.metrics.setting import MetricArguments, Setting, setting_of
from bakeoff.stats.metrics.skewed_means import skewed_pvalue, skewness

__all__ = ["metric_equivalence"]


@register(
    title="Equivalence by a metric",
    evidence=Evidence.PREDICTIONS,
    arity=Arity.PAIR,
    about="models",
    answers="Are these two fitted models equally good by the chosen metric, within the margin?",
    plans=("holdout",),
    citation="schuirmann1987",
    caution="Choose the margin before seeing the data. A small p-value is evidence for "
    "equivalence, not for a difference.",
)
def metric_equivalence(
    y_true: ArrayLike,
    predicted_a: ArrayLike,
    predicted_b: ArrayLike,
    *,
    margin: Margin,
    question: Literal["equivalence", "noninferiority"] = "equivalence",
    alpha: Alpha = 0.05,
    **asked: Unpack[MetricArguments],
) -> EquivalenceResult:
    """Two one-sided tests of the difference of a metric between two models on the same rows.

    t = (d ± margin)/se with the standard error and the degrees of freedom of `metric_difference`
    (Schuirmann 1987). For means of a value per row, and functions of such means, each p-value is
    the larger one of Student's t and of Hall's (1992) transformation; in groups of other metrics,
    of t and of sign flips of the groups. The interval has the limits of `metric_limits`.

    Parameters
    ----------
    margin : float
        The largest difference that does not matter, in the unit of the metric (of accuracy: 0.01 is
        one percentage point), above 0. Choose it before seeing the data.
    question : {"equivalence", "noninferiority"}
        Whether the models differ by less than the margin either way, or A is worse by less than
        the margin. The latter is one test, and A may be better by any amount.

    Returns
    -------
    EquivalenceResult
        `estimate` is A's advantage (for losses B − A); ``details`` holds ``value_a``, ``value_b``
        and ``se``. Statuses as in `metric_difference`; ``identical_scores``: the same predictions
        have no variance to judge by, p 1.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> a, b = (y + rng.normal(scale=0.5, size=300) for _ in range(2))
    >>> result = metric_equivalence(y, a, b, metric="rmse", margin=0.1)
    >>> round(result.estimate, 3), round(result.pvalue, 4), result.verdict
    (-0.024, 0.0091, 'equivalent')
    """
    models = [("predicted_a", predicted_a), ("predicted_b", predicted_b)]
    setting, rows = setting_of(y_true, models, **asked)
    limits, found, test = limits_of(setting, rows, alpha)
    sides = 2 if question == "equivalence" else 1
    statistics = pvalues = (math.nan, math.nan)
    ci: ConfidenceInterval | None = None
    if not math.isnan(limits.low):
        assert found is not None
        statistics, pvalues = _one_sided(setting, found, margin)
        ci = ConfidenceInterval(limits.low, limits.high, 1 - 2 * alpha, limits.method)
    elif limits.status is Status.IDENTICAL_SCORES:
        statistics, pvalues = (0.0, 0.0), (1.0, 1.0)
    return conclude(
        variant=setting.metric.name,
        statistics=statistics,
        pvalues=pvalues,
        sides=sides,
        status=limits.status,
        margin=margin,
        alpha=alpha,
        estimate=limits.estimate,
        ci=ci,
        df=test.df,
        n=limits.n,
        assumptions=test.assumptions,
        what=f"values of {setting.metric.name} of the two fitted models",
        details={**test.details},
    )


def _one_sided(
    setting: Setting, found: Influence, margin: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Test that A is worse, and that it is better, by the margin: statistics and p-values."""
    of_rows, groups = setting.metric.form is Form.ROWS, found.of_groups
    skew = skewness(found.psi, setting.clusters) if of_rows else 0.0
    statistics, pvalues = [], []
    for sign in (1, -1):
        t = (sign * found.estimate + margin) / found.tested.se
        pvalue = skewed_pvalue(t, found.tested, sign * skew)
        if not of_rows and groups is not None and not groups.many_alike:
            shifted = GroupSums(sign * groups.sums + margin * groups.shares, groups.shares)
            pvalue = max(pvalue, shifted.pvalue("greater"))
        statistics.append(sign * t)
        pvalues.append(pvalue)
    return (statistics[0], statistics[1]), (pvalues[0], pvalues[1])
