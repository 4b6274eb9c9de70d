"""Two classifiers, resampled: the Bayesian correlated t test with a rope.

Instead of a p-value it gives three posterior probabilities: A better, practically equivalent
(inside the region of practical equivalence, the rope), B better.
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, Rope
from bakeoff.stats.core.checks import as_array
from bakeoff.stats.core.error_rates import TypeOneError
from bakeoff.stats.core.paired_differences import (
    Differences,
    effect_sizes,
    normality,
    paired_differences,
    t_interval,
)
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Assumption, BayesResult, Status
from bakeoff.stats.folds.corrected import fold_ratio

_NULL = "None is tested: the posterior weighs which of the two learning algorithms is better."


@register(
    title="Bayesian correlated t test",
    evidence=Evidence.FOLD_SCORES,
    arity=Arity.PAIR,
    about="algorithms",
    answers="How probable is it that A is better, that both are practically equivalent, or that "
    "B is better?",
    type1=TypeOneError.BAYESIAN,
    plans=("kfold", "resampled", "cv_5x2"),
    citation="corani2015",
    caution="The region of practical equivalence (rope) is in the unit of the metric; choose it "
    "before looking at the scores.",
    replications=True,
    null_hypothesis=_NULL,
)
def bayes_correlated_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: Rope = 0.01,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> BayesResult:
    """Posterior of the mean difference over correlated folds, in closed form.

    The posterior is Student's t with J − 1 degrees of freedom, location d̄ and scale
    √(s² (1/J + ρ/(1 − ρ))), where ρ = n_test/(n_train + n_test) (Corani & Benavoli 2015).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (J,) or (r, k)
        Scores of A and B on the same folds: the J = k folds of one cross-validation, or rows of
        repetitions and columns of folds.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores; 0 for none.
    n_train, n_test : float or array_like, optional
        Rows in the training and test sets, one number or one per fold; by default those of a
        cross-validation with as many folds as the last axis is long (ρ = 1/k). Give them for
        random splits.
    confidence_level : float
        Probability of the credible interval.

    Returns
    -------
    BayesResult
        `estimate` is the posterior mean of A − B and `ci` its credible interval. Where all
        differences are equal the posterior collapses to a point: the probabilities are its
        limits and `status` warns that they are not evidence.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> result = bayes_correlated_t(a, b, rope=0.01)
    >>> print(f"{result.p_a_better:.3f} {result.p_equivalent:.3f} {result.p_b_better:.3f}")
    0.794 0.190 0.016
    """
    ndim = 2 if as_array(scores_a, "scores_a").ndim == 2 else 1
    d = paired_differences(scores_a, scores_b, ndim=ndim, greater_is_better=greater_is_better)
    ratio, sizes = fold_ratio(n_train, n_test, d.values.shape)
    x = d.values.ravel()
    mean, df = float(x.mean()), x.size - 1
    sd = float(x.std(ddof=1)) if df else math.nan
    scale = sd * math.sqrt(1 / x.size + ratio)
    status = _status(d, sd)
    if status is Status.OK:
        better = float(special.stdtr(df, (mean - rope) / scale))
        worse = float(special.stdtr(df, (-rope - mean) / scale))
        between = _t_mass(df, (-rope - mean) / scale, (rope - mean) / scale)
    else:
        better, between, worse = _point_mass(mean, rope, d.noise, status)
    return BayesResult(
        statistic=math.nan,
        df=df,
        pvalue=math.nan,
        estimate=mean,
        ci=t_interval(mean, scale, df, confidence_level, method="posterior t")
        if status is Status.OK
        else None,
        effect_sizes=effect_sizes(d),
        n=x.size,
        status=status,
        assumptions=(_spread(status), sizes, normality(d)),
        p_a_better=better,
        p_equivalent=between,
        p_b_better=worse,
        rope=rope,
        details={
            "posterior_mean": mean,
            "posterior_scale": scale if status is not Status.IDENTICAL_SCORES else 0.0,
            "rho": ratio / (1 + ratio),
            "sd_difference": sd,
        },
    )


def _status(d: Differences, sd: float) -> Status:
    if d.values.size < 2:
        return Status.TOO_FEW
    if d.identical:
        return Status.IDENTICAL_SCORES
    return Status.ZERO_VARIANCE if sd <= d.noise else Status.OK


def _t_mass(df: float, low: float, high: float) -> float:
    """Return the mass of Student's t between two points, without cancellation in a tail."""
    if low > 0:
        low, high = -high, -low
    return float(special.stdtr(df, high) - special.stdtr(df, low))


def _point_mass(mean: float, rope: Rope, noise: float, status: Status) -> tuple[float, ...]:
    """Return the limits for a posterior without spread; an exact tie without rope splits."""
    if status is Status.TOO_FEW:
        return math.nan, math.nan, math.nan
    if rope == 0 and mean == 0:
        return 0.5, 0.0, 0.5
    better, worse = mean > rope + noise, mean < -rope - noise
    return float(better), float(not (better or worse)), float(worse)


def _spread(status: Status) -> Assumption:
    name = "the differences vary"
    if status is Status.OK:
        return Assumption(name, True, "their variance is positive")
    if status is Status.TOO_FEW:
        return Assumption(name, None, "one fold has no variance; two are needed")
    return Assumption(
        name,
        False,
        "all folds differ by the same amount: the posterior is a point and its probabilities "
        "are limits, not evidence",
    )
