"""Two classifiers, resampled: t tests whose variance is corrected for overlapping folds.

Differences from splits that share training rows are correlated, so s²/J underestimates the
variance of their mean. Nadeau and Bengio (2003) approximate the correlation by
ρ = n_test / (n_train + n_test), which turns the factor 1/J into 1/J + ρ/(1 − ρ) =
1/J + n_test/n_train.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.checks import FloatArray, as_floats
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.paired_differences import Differences, paired_differences, paired_t_result
from bakeoff.stats.core.registry import Arity, Evidence, register
from bakeoff.stats.core.result import Alternative, Assumption, Result

_FACTS: dict[str, Any] = {
    "evidence": Evidence.FOLD_SCORES,
    "arity": Arity.PAIR,
    "about": "algorithms",
}


@register(
    **_FACTS,
    title="Corrected resampled t test",
    answers="Does one algorithm score higher than the other over random splits?",
    plans=("resampled", "kfold"),
    citation="nadeau2003",
    caution="It assumes a correlation between splits instead of estimating it, and has little "
    "power where test sets are large relative to training sets.",
    better_test="half_sample_t",
)
def corrected_resampled_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Nadeau and Bengio's corrected resampled t test.

    t = d̄ / √(s² (1/J + n_test/n_train)) with J − 1 degrees of freedom (Nadeau & Bengio
    2003).

    Parameters
    ----------
    n_train, n_test : float or array_like, shape (J,)
        Rows in the training and test sets. Unequal sizes enter as the ratio of their totals,
        Σn_test / Σn_train, which for the folds of one cross-validation is exactly 1/(k − 1)
        even where k does not divide the number of rows.

    Returns
    -------
    Result
        `estimate` is the mean difference d̄; ``details`` holds the ratio n_test/n_train used.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> result = corrected_resampled_t(a, b, n_train=800, n_test=200)
    >>> print(f"t({result.df:.0f}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(4) = 2.058, p = 0.1087
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    ratio = _ratio(n_train, n_test, d.values.shape)
    return _corrected(d, *ratio, alternative, confidence_level)


@register(
    **_FACTS,
    title="Corrected k-fold t test",
    answers="Does one algorithm score higher than the other over the folds?",
    plans=("kfold",),
    citation="nadeau2003",
    caution="It assumes a correlation between folds instead of estimating it, and has little "
    "power.",
    better_test="half_sample_t",
)
def corrected_kfold_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Corrected t test over the k folds of one cross-validation.

    The corrected resampled t test with ρ = 1/k, so n_test/n_train = 1/(k − 1):
    t = d̄ / √(s² (1/k + 1/(k − 1))) with k − 1 degrees of freedom (Nadeau & Bengio 2003).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (k,)
        Scores of A and B on all k folds of one cross-validation.

    Returns
    -------
    Result
        `estimate` is the mean difference d̄.

    Examples
    --------
    >>> a, b = [0.80, 0.84, 0.82, 0.85, 0.81], [0.78, 0.83, 0.81, 0.81, 0.80]
    >>> result = corrected_kfold_t(a, b)
    >>> print(f"t({result.df:.0f}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(4) = 2.058, p = 0.1087
    """
    d = paired_differences(scores_a, scores_b, greater_is_better=greater_is_better)
    return _corrected(d, *_kfold_ratio(d.values.size), alternative, confidence_level)


@register(
    **_FACTS,
    title="Corrected repeated k-fold t test",
    answers="Does one algorithm score higher than the other over repeated cross-validation?",
    plans=("kfold", "cv_5x2"),
    citation="bouckaert2004",
    caution="It assumes a correlation between folds instead of estimating it.",
    replications=True,
    better_test="half_sample_t",
)
def corrected_repeated_kfold_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    greater_is_better: bool = True,
) -> Result:
    """Bouckaert and Frank's corrected t test over r repetitions of k-fold cross-validation.

    t = d̄ / √(s² (1/(rk) + n_test/n_train)) with rk − 1 degrees of freedom; d̄ and s² are over
    all rk differences (Bouckaert & Frank 2004).

    Parameters
    ----------
    scores_a, scores_b : array_like, shape (r, k)
        Scores of A and B: rows are repetitions, columns the folds of each.
    n_train, n_test : float or array_like, shape (r, k), optional
        Rows in the training and test sets; by default their ratio is 1/(k − 1). Unequal sizes
        enter as the ratio of their totals.

    Returns
    -------
    Result
        `estimate` is the mean difference d̄.

    Examples
    --------
    >>> a = [[0.80, 0.84, 0.82], [0.85, 0.81, 0.83]]
    >>> b = [[0.78, 0.83, 0.81], [0.81, 0.80, 0.82]]
    >>> result = corrected_repeated_kfold_t(a, b)
    >>> print(f"t({result.df:.0f}) = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    t(5) = 1.685, p = 0.1527
    """
    d = paired_differences(scores_a, scores_b, ndim=2, greater_is_better=greater_is_better)
    ratio = fold_ratio(n_train, n_test, d.values.shape)
    return _corrected(d, *ratio, alternative, confidence_level)


def fold_ratio(
    n_train: ArrayLike | None, n_test: ArrayLike | None, shape: tuple[int, ...]
) -> tuple[float, Assumption]:
    """Return n_test/n_train of folds of this shape and what is known of it.

    Without sizes the last axis of the shape is taken for the k folds of a cross-validation.
    """
    if n_train is None and n_test is None:
        if len(shape) > 1 and shape[-1] < 2:
            raise ArgumentError(
                "scores_a",
                f"found {shape[-1]} fold per repetition, shape {shape}; rows are "
                "repetitions and columns folds, or give n_train and n_test",
            )
        return _kfold_ratio(shape[-1])
    if n_train is None or n_test is None:
        missing = "n_train" if n_train is None else "n_test"
        raise ArgumentError(missing, "is missing; give both n_train and n_test, or neither")
    return _ratio(n_train, n_test, shape)


def _kfold_ratio(k: int) -> tuple[float, Assumption]:
    detail = f"n_test/n_train = 1/({k} - 1) as in complete {k}-fold cross-validation"
    return 1 / max(k - 1, 1), Assumption("equal test sets", None, detail)


def _ratio(
    n_train: ArrayLike, n_test: ArrayLike, shape: tuple[int, ...]
) -> tuple[float, Assumption]:
    train = _sizes(n_train, "n_train", shape)
    test = _sizes(n_test, "n_test", shape)
    each = test / train
    ratio = float(test.sum() / train.sum())
    # folds of a cross-validation may differ by a row
    alike = bool(np.ptp(test) <= 1 and np.ptp(train) <= 1)
    detail = f"n_test/n_train from {each.min():.4g} to {each.max():.4g}, used {ratio:.4g}"
    return ratio, Assumption("equal test sets", alike, detail)


def _sizes(values: ArrayLike, name: str, shape: tuple[int, ...]) -> FloatArray:
    sizes = as_floats(values, name)
    if sizes.shape not in ((), shape):
        raise ArgumentError(name, f"expected one number or shape {shape}, found {sizes.shape}")
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ArgumentError(
            name, f"numbers of rows must be positive and finite, found {sizes.min():g}"
        )
    filled: FloatArray = np.broadcast_to(sizes, shape)
    return filled


def _corrected(
    d: Differences,
    ratio: float,
    sizes: Assumption,
    alternative: Alternative,
    confidence_level: Level,
) -> Result:
    rho = ratio / (1 + ratio)
    overlap = Assumption(
        "correlation of the folds",
        None,
        f"taken to be n_test/(n_train + n_test) = {rho:.4g}; no data can estimate it without bias",
    )
    return paired_t_result(
        d,
        ratio,
        alternative,
        confidence_level,
        overlap,
        sizes,
        details={"ratio": ratio, "rho": rho, "variance_factor": 1 / d.values.size + ratio},
    )
