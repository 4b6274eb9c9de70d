"""Confidence intervals for two models on the same rows: accuracy difference and odds ratio.

Counts are named as in `mcnemar_from_counts`; n is their sum, b = only A right, c = only B
right. The `*_bounds` functions take arrays of counts, one entry per pair of models.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats import _binomial
from bakeoff.stats._checks import (
    FloatArray,
    as_counts,
    check_alternative,
    check_choice,
    check_count,
)
from bakeoff.stats._docstrings import fill_docstring
from bakeoff.stats._result import ConfidenceInterval

__all__ = [
    "difference_bounds",
    "odds_ratio_bounds",
    "paired_difference_ci",
    "paired_odds_ratio_ci",
]

Bounds = tuple[FloatArray, FloatArray]


@fill_docstring
def paired_difference_ci(
    *,
    both_correct: int,
    only_a_correct: int,
    only_b_correct: int,
    both_wrong: int,
    method: str = "newcombe",
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for acc_A − acc_B on the same rows.

    Parameters
    ----------
    both_correct, only_a_correct, only_b_correct, both_wrong : int
        The four counts of rows.
    method : str
        ``"newcombe"``: square-and-add of two Wilson intervals with the correlation (Newcombe
        1998, method 10), good at every n, the default. ``"tango"``: inverts the score test
        (Tango 1998); excludes 0 exactly when the asymptotic McNemar test rejects.
        ``"exact_melded"``: excludes 0 exactly when the exact McNemar test rejects (Fay &
        Lumbard 2021). ``"agresti_min"``, ``"bonett_price"``: adjusted Wald. ``"wald"``,
        ``"wald_cc"``: textbook intervals, too short when few rows are discordant.
    confidence_level : float
        Between 0 and 1.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, 1], ``"less"`` gives [−1, high].

    Returns
    -------
    ConfidenceInterval
        Limits in [−1, 1].

    Examples
    --------
    >>> low, high = paired_difference_ci(
    ...     both_correct=329, only_a_correct=22, only_b_correct=17, both_wrong=63)
    >>> round(low, 4), round(high, 4)
    (-0.0174, 0.0408)
    """
    counts = {
        "both_correct": both_correct,
        "only_a_correct": only_a_correct,
        "only_b_correct": only_b_correct,
        "both_wrong": both_wrong,
    }
    checked = [check_count(value, name) for name, value in counts.items()]
    if not sum(checked):
        raise ValueError("all four counts are 0: there are no rows")
    low, high = difference_bounds(
        *checked, method=method, confidence_level=confidence_level, alternative=alternative
    )
    return ConfidenceInterval(float(low), float(high), confidence_level, method)


@fill_docstring
def paired_odds_ratio_ci(
    *,
    only_a_correct: int,
    only_b_correct: int,
    method: str = "midp",
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Confidence interval for the conditional odds ratio b/c of two models on the same rows.

    Each but the last transforms an interval for π = P(A right | exactly one is right) by
    π/(1 − π) (Fagerland, Lydersen & Laake 2014).

    Parameters
    ----------
    only_a_correct, only_b_correct : int
        The discordant counts b and c.
    method : str
        ``"midp"`` (default) and ``"exact"`` (Clopper-Pearson) exclude 1 exactly when the
        mid-p or exact McNemar test rejects; ``"wilson"`` goes with the asymptotic test;
        ``"wald_log"``: log(b/c) ± z √(1/b + 1/c), (0, ∞) when b or c is 0.
    confidence_level : float
        Between 0 and 1.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"`` gives [low, ∞], ``"less"`` gives [0, high].

    Returns
    -------
    ConfidenceInterval
        Limits in [0, ∞]; (0, ∞) without discordant pairs.

    Examples
    --------
    >>> low, high = paired_odds_ratio_ci(only_a_correct=22, only_b_correct=17)
    >>> round(low, 4), round(high, 4)
    (0.6853, 2.4766)
    """
    low, high = odds_ratio_bounds(
        check_count(only_a_correct, "only_a_correct"),
        check_count(only_b_correct, "only_b_correct"),
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
    )
    return ConfidenceInterval(float(low), float(high), confidence_level, method)


def difference_bounds(
    both_correct: ArrayLike,
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    both_wrong: ArrayLike,
    *,
    method: str = "newcombe",
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Bounds:
    """Limits of `paired_difference_ci` for arrays of counts of one shape.

    Examples
    --------
    >>> low, high = difference_bounds([4, 44], [2, 6], [1, 3], [3, 7], method="tango")
    >>> low.round(3), high.round(3)
    (array([-0.28 , -0.056]), array([0.454, 0.162]))
    """
    check_choice(method, tuple(DIFFERENCE_METHODS), "method")
    side = check_alternative(alternative)
    tail = _binomial.tail_probability(confidence_level, side)
    a, b, c, d = (
        as_counts(both_correct, "both_correct"),
        as_counts(only_a_correct, "only_a_correct"),
        as_counts(only_b_correct, "only_b_correct"),
        as_counts(both_wrong, "both_wrong"),
    )
    low, high = DIFFERENCE_METHODS[method](a, b, c, d, tail)
    low = np.full_like(low, -1.0) if side == "less" else np.clip(low, -1.0, 1.0)
    high = np.full_like(high, 1.0) if side == "greater" else np.clip(high, -1.0, 1.0)
    return low, high


def odds_ratio_bounds(
    only_a_correct: ArrayLike,
    only_b_correct: ArrayLike,
    *,
    method: str = "midp",
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> Bounds:
    """Limits of `paired_odds_ratio_ci` for arrays of counts of one shape.

    Examples
    --------
    >>> low, high = odds_ratio_bounds([2, 25], [1, 15], method="exact")
    >>> low.round(3), high.round(3)
    (array([0.104, 0.845]), array([117.994,   3.4  ]))
    """
    check_choice(method, tuple(ODDS_RATIO_METHODS), "method")
    side = check_alternative(alternative)
    tail = _binomial.tail_probability(confidence_level, side)
    b, c = as_counts(only_a_correct, "only_a_correct"), as_counts(only_b_correct, "only_b_correct")
    lower = ODDS_RATIO_METHODS[method]
    with np.errstate(divide="ignore"):  # 1/0: an odds ratio without upper limit
        low, high = lower(b, c, tail), 1 / lower(c, b, tail)  # swapping A and B inverts the ratio
    low = np.zeros_like(low) if side == "less" else low
    high = np.full_like(high, np.inf) if side == "greater" else high
    return low, high


def tango_statistic(
    only_a_correct: ArrayLike, only_b_correct: ArrayLike, n: ArrayLike, difference: ArrayLike
) -> FloatArray:
    """Score statistic of H0: acc_A − acc_B = `difference` (Tango 1998, eq. 6 and 7).

    The discordance is estimated by maximum likelihood under that difference; at 0 the
    square is McNemar's asymptotic χ².
    """
    b, c, n, delta = (
        np.asarray(v, dtype=np.float64) for v in (only_a_correct, only_b_correct, n, difference)
    )
    linear = (2 * n - b + c) * delta - b - c
    constant = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # the second form avoids cancellation when linear > 0
        only_b = np.where(linear > 0, -2 * constant / (linear + root), (root - linear) / (4 * n))
        variance = n * (2 * only_b + delta * (1 - delta))
        surplus = b - c - n * delta
        z: FloatArray = np.where(surplus == 0, 0.0, surplus / np.sqrt(np.maximum(variance, 0.0)))
    return z


def _wald(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    half = -special.ndtri(tail) * np.sqrt(np.maximum(b + c - (b - c) ** 2 / n, 0.0)) / n
    return (b - c) / n - half, (b - c) / n + half


def _wald_cc(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    spread = b + c - (np.abs(b - c) - 1) ** 2 / n
    half = -special.ndtri(tail) * np.sqrt(np.maximum(spread, 0.0)) / n
    return (b - c) / n - half, (b - c) / n + half


def _agresti_min(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    return _wald(a + 0.5, b + 0.5, c + 0.5, d + 0.5, tail)


def _bonett_price(
    a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float
) -> Bounds:
    return _wald(a, b + 1, c + 1, d, tail)


def _newcombe(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    acc_a, acc_b = (a + b) / n, (a + c) / n
    low_a, high_a = _binomial.wilson(a + b, n, tail)
    low_b, high_b = _binomial.wilson(a + c, n, tail)
    phi = _newcombe_phi(a, b, c, d)

    def joined(first: FloatArray, second: FloatArray) -> FloatArray:
        square = first**2 - 2 * phi * first * second + second**2
        root: FloatArray = np.sqrt(np.maximum(square, 0.0))
        return root

    difference = (b - c) / n
    low = difference - joined(acc_a - low_a, high_b - acc_b)
    high = difference + joined(high_a - acc_a, acc_b - low_b)
    return low, high


def _newcombe_phi(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> FloatArray:
    """Correlation of the two correctness columns, shrunk when positive (Newcombe 1998)."""
    n = a + b + c + d
    cross = a * d - b * c
    cross = np.where(cross > 0, np.maximum(cross - n / 2, 0.0), cross)
    spread = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
    phi: FloatArray = np.where(spread > 0, cross / np.where(spread > 0, spread, 1.0), 0.0)
    return phi


def _tango(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    n = a + b + c + d
    z = -special.ndtri(tail)

    def low(b: FloatArray, c: FloatArray) -> FloatArray:
        at_most = (b - c) / n
        root = _binomial.bisect(
            lambda delta: z - tango_statistic(b, c, n, delta), np.full_like(at_most, -1.0), at_most
        )
        return np.where(c == n, -1.0, root)

    return low(b, c), -low(c, b)


def _melded(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray, tail: float) -> Bounds:
    """Exact melded limits, from the confidence distributions of discordance and its split."""
    shape = np.broadcast_shapes(a.shape, b.shape, c.shape, d.shape)
    cells = np.stack([np.broadcast_to(v, shape).ravel() for v in (b, c, a + b + c + d)], axis=1)
    low = [_melded_lower(b, c, n, tail) for b, c, n in cells]
    high = [-_melded_lower(c, b, n, tail) for b, c, n in cells]
    return np.reshape(low, shape), np.reshape(high, shape)


def _melded_lower(b: float, c: float, n: float, tail: float) -> float:
    """Value that the melded variable T (2B − 1) stays below with probability `tail`.

    B ~ Beta(b, c + 1) is the lower confidence distribution of the split, T the lower one of
    the discordance, Beta(m, n − m + 1), for positive values and the upper one,
    Beta(m + 1, n − m), for negative values (Fay & Lumbard 2021, section 3).
    """
    if c == n:
        return -1.0
    m = b + c
    if b == 0:  # B is 0: minus the upper limit of the discordance
        return -float(special.betainccinv(m + 1, n - m, tail))
    positive = special.betainc(b, c + 1, 0.5) <= tail  # the exact one-sided test rejects
    alpha, beta = (m, n - m + 1) if positive else (m + 1, n - m)

    def excess(delta: FloatArray) -> FloatArray:
        return np.asarray(_melded_cdf(float(delta), b, c, alpha, beta) - tail)

    low, high = (0.0, 1.0) if positive else (-1.0, 0.0)
    return float(_binomial.bisect(excess, np.asarray(low), np.asarray(high)))


def _melded_cdf(delta: float, b: float, c: float, alpha: float, beta: float) -> float:
    """P(T (2B − 1) ≤ delta), T ~ Beta(alpha, beta), by Gauss-Legendre quadrature over T."""
    size = abs(delta)
    if beta == 0:  # every row is discordant: T is 1
        return float(special.betainc(b, c + 1, (1 + delta) / 2))
    below = float(special.betainc(alpha, beta, size)) if delta > 0 else 0.0
    start = max(float(special.betaincinv(alpha, beta, 1e-17)), size)
    stop = float(special.betainccinv(alpha, beta, 1e-17))
    if start >= stop:
        return below
    t = start + (stop - start) * (_NODES + 1) / 2
    log_density = special.xlogy(alpha - 1, t) + special.xlog1py(beta - 1, -t)
    density = np.exp(log_density - special.betaln(alpha, beta))
    split = special.betainc(b, c + 1, (1 + delta / t) / 2)
    return below + float((_WEIGHTS * density * split).sum()) * (stop - start) / 2


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)

DifferenceMethod = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, float], Bounds]

DIFFERENCE_METHODS: dict[str, DifferenceMethod] = {
    "newcombe": _newcombe,
    "tango": _tango,
    "agresti_min": _agresti_min,
    "bonett_price": _bonett_price,
    "wald": _wald,
    "wald_cc": _wald_cc,
    "exact_melded": _melded,
}


def _exact_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right = special.betaincinv(np.maximum(b, 1), c + 1, tail)
    wrong = special.betainccinv(c + 1, np.maximum(b, 1), tail)
    return np.where(b > 0, right / wrong, 0.0)


def _midp_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right = _binomial.midp_lower(b, b + c, tail)
    odds: FloatArray = right / (1 - right)
    return odds


def _wilson_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    right, _ = _binomial.wilson(b, b + c, tail)
    odds: FloatArray = right / (1 - right)
    return odds


def _wald_log_lower(b: FloatArray, c: FloatArray, tail: float) -> FloatArray:
    known = (b > 0) & (c > 0)
    b, c = np.where(known, b, 1.0), np.where(known, c, 1.0)
    low = b / c * np.exp(special.ndtri(tail) * np.sqrt(1 / b + 1 / c))
    return np.where(known, low, 0.0)


ODDS_RATIO_METHODS: dict[str, Callable[[FloatArray, FloatArray, float], FloatArray]] = {
    "midp": _midp_lower,
    "exact": _exact_lower,
    "wilson": _wilson_lower,
    "wald_log": _wald_log_lower,
}
