"""Two algorithms compared row by row over five replications of 2-fold cross-validation.

Every row is tested five times, once in each replication, by a fit on the other half. b and c count
the tests that only A and only B gets right, over all ten folds. Ten overlapping tables hold about
as much information as 20/11 independent ones (Yang et al. 2023).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.stats.core.arguments import Level
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_correctness,
    as_counts,
    as_floats,
    check_same_labels,
)
from bakeoff.stats.core.distributions import t_pvalue
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.registry import Evidence, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.core.two_by_two import discordant_sizes


class Outcomes:
    """Counts of the ten folds, shape (5, 2), and what they say of the mean difference."""

    def __init__(self, only_a: FloatArray, only_b: FloatArray, tested: FloatArray) -> None:
        discordant = float((only_a + only_b).sum())
        total = float(tested.sum())
        self.only_a = int(only_a.sum())
        self.only_b = int(only_b.sum())
        self.rows = total / 5
        self.discordant = discordant > 0  # whether exactly one model is right anywhere
        self.mean = float((only_a - only_b).sum()) / total
        self.differences: FloatArray = (only_a - only_b) / tested
        # the discordant counts as if rows were tested once
        self.effective_only_a = 2 * self.only_a / 11
        self.effective_only_b = 2 * self.only_b / 11
        # the variance of the mean from single rows, 1.1 (b + c)/(N n), and from the two folds of
        # each replication, Σs²ᵢ/50
        self.variance_rows = 1.1 * discordant / (total * self.rows)
        within = self.differences - self.differences.mean(axis=1, keepdims=True)
        self.variance_folds = float((within**2).sum()) / 50

    @classmethod
    def from_rows(
        cls, fold: ArrayLike, correct_a: ArrayLike, correct_b: ArrayLike
    ) -> tuple[Outcomes, NDArray[np.bool_], NDArray[np.intp]]:
        """Count the rows that only one model gets right, fold by fold.

        With the counts: which rows each fold tests, shape (5, 2, n), and A − B of each row.
        """
        half = as_floats(fold, "fold")
        a = as_correctness(correct_a, "correct_a", ndim=2)
        b = as_correctness(correct_b, "correct_b", ndim=2)
        if half.ndim != 2 or len(half) != 5 or not half.shape == a.shape == b.shape:
            raise ValueError(
                "fold, correct_a, correct_b: expected one shape (5, n), five replications of the "
                f"same rows, found {half.shape}, {a.shape} and {b.shape}"
            )
        check_same_labels(fold=fold, correct_a=correct_a, correct_b=correct_b)
        if np.isnan(half).any():
            raise ArgumentError("fold", f"{int(np.isnan(half).sum())} value(s) are missing")
        sides = half[:, None, :] == np.array([1, 2])[:, None]
        if not sides.any(axis=1).all() or not sides.any(axis=2).all():
            raise ArgumentError("fold", "must be 1 or 2, and both in every replication")
        only_a = (sides & (a & ~b)[:, None, :]).sum(axis=2).astype(np.float64)
        only_b = (sides & (b & ~a)[:, None, :]).sum(axis=2).astype(np.float64)
        outcomes = cls(only_a, only_b, sides.sum(axis=2).astype(np.float64))
        return outcomes, sides, a.astype(np.intp) - b


def _variance_of_training_rows(tested: NDArray[np.intp], by_fit: NDArray[np.intp]) -> float:
    """Return the variance of the mean that comes from which rows the fits were trained on."""
    # Two fits of different replications are compared on the rows that both test, where only their
    # training rows differ. Σ(Δ² − its variance from these rows) over the pairs of fits, divided by
    # what one unit of variance of a training row would give, is the variance of a training row. NaN
    # without rows that two fits of different training rows both test.
    n = tested.shape[1]
    common = tested @ tested.T
    sums = by_fit @ tested.T
    squares = (by_fit**2) @ tested.T
    replication = np.arange(10) // 2
    pairs = (replication[:, None] < replication) & (common >= 2)
    k = np.maximum(common, 2)
    delta = (sums - sums.T) / k
    of_rows = ((squares + squares.T - 2 * by_fit @ by_fit.T) / k - delta**2) / (k - 1)
    # a fit is the mean over its training rows: `shared` are the products of these weights
    size = tested.sum(axis=1)
    trained = n - size
    shared = (n - size[:, None] - size + common) / np.multiply.outer(trained, trained)
    spread = np.diag(shared)[:, None] + np.diag(shared) - 2 * shared
    if not spread[pairs].sum():
        return math.nan
    of_one = float((delta**2 - of_rows)[pairs].sum() / spread[pairs].sum())
    share = size / size.sum()
    of_mean = float((np.multiply.outer(share, share) * shared).sum())
    return max(of_one, 0.0) * of_mean


_FACTS: dict[str, Any] = {
    "evidence": Evidence.FOLD_ROWS,
    "better_test": "fold_rows_difference",
    "answers": "Is one algorithm more accurate than the other when trained on half of the data?",
    "null_hypothesis": "The two learning algorithms are equally accurate in expectation when "
    "trained on half of this data.",
}


@register(**_FACTS, citation="nadeau2003")
def cv5x2_z(
    fold: ArrayLike,
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """5×2cv z test.

    Difference in accuracy over the rows of 5×2 cross-validation, from test and training rows.

    z = d̄/√v, standard normal, with d̄ = (b − c)/N over the N = 5n tested rows and v the larger of
    1.1 (b + c)/(N n), the variance of `cv5x2_mcnemar` from single rows, and
    1.1 (√v_test + √v_training)².

    Returns
    -------
    Result
        `estimate` is the mean accuracy of A less B's; ``details`` has the variances behind its
        standard error. Replications that divide the rows alike cannot show what training rows add:
        `too_few`, p NaN.

    Warnings
    --------
    It compares accuracy only; for other metrics use fold_rows_difference.

    Notes
    -----
    v_test is s²/n of the difference of every row, averaged over its five tests. v_training is what
    the choice of training rows adds (Nadeau & Bengio 2003 on why cross-validation hides it): two
    fits of different replications differ, on the rows that both test, by their training rows
    alone. What the two roles of a row have to do with each other is unknown, so their standard
    errors are added. The form was chosen by simulation.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> result = cv5x2_z(fold, rng.random((5, 100)) < 0.85, rng.random((5, 100)) < 0.75)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.096, z = 1.509, p = 0.1313
    """
    outcomes, sides, ahead = Outcomes.from_rows(fold, correct_a, correct_b)
    tested = sides.reshape(10, -1).astype(int)
    # s²/n of what each row says on average over its five tests:
    # (ΣT² − (ΣT)²/n)/(25 n (n − 1)), T the sum of a row's five differences
    total = ahead.sum(axis=0)
    n = ahead.shape[1]
    squares = int((total**2).sum()) - int(total.sum()) ** 2 / n
    of_test = float(squares / (25 * n * max(n - 1, 1)))
    of_training = _variance_of_training_rows(tested, tested * np.repeat(ahead, 2, axis=0))
    both = math.sqrt(of_test) + math.sqrt(of_training)
    variance = max(1.1 * both**2, outcomes.variance_rows)  # an unknown part comes first: NaN
    parts = {"variance_test": of_test, "variance_training": of_training}
    return _result(outcomes, variance, alternative, confidence_level, parts)


@register(**_FACTS, citation="yang2023")
def cv5x2_mcnemar(
    fold: ArrayLike,
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    variant: Literal["plain", "corrected"] = "plain",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """5×2cv McNemar test.

    McNemar's test on the rows of all ten folds of 5×2 cross-validation.

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
        `estimate` is the mean accuracy of A less B's. ``details`` has both variances, whether the
        guard was at work, the counts b and c of the ten folds and the effective table 2b/11, 2c/11,
        on which McNemar's χ² is z² without the guard.

    Warnings
    --------
    Its variance takes rows as independent given the fits, which they are not where predictions move
    together with the training rows: with unbalanced classes, class weights, costs or tuned
    thresholds use fold_rows_difference.

    Notes
    -----
    The effective table is that of Yang et al. (2023). The guard and the z form were chosen by
    simulation.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> fold = np.array([rng.permutation(np.arange(100) % 2) + 1 for _ in range(5)])
    >>> result = cv5x2_mcnemar(fold, rng.random((5, 100)) < 0.85, rng.random((5, 100)) < 0.75)
    >>> print(f"{result.estimate:.3f}, z = {result.statistic:.3f}, p = {result.pvalue:.4f}")
    0.096, z = 1.509, p = 0.1313
    """
    outcomes, *_ = Outcomes.from_rows(fold, correct_a, correct_b)
    return _mcnemar(outcomes, variant, alternative, confidence_level)


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

    Examples
    --------
    >>> b = [[1, 5], [4, 4], [2, 4], [3, 3], [3, 1]]
    >>> c = [[3, 0], [1, 0], [3, 0], [2, 1], [1, 1]]
    >>> result = cv5x2_mcnemar_from_counts(b, c, [[30, 30]] * 5)
    >>> round(result.estimate, 3), round(result.pvalue, 4)
    (0.06, 0.2363)
    """
    only_a = as_counts(only_a_correct, "only_a_correct")
    only_b = as_counts(only_b_correct, "only_b_correct")
    tested = as_counts(n_test, "n_test")
    for name, counts in (
        ("only_a_correct", only_a),
        ("only_b_correct", only_b),
        ("n_test", tested),
    ):
        if counts.shape != (5, 2):
            expected = "expected shape (5, 2), five replications of two folds"
            raise ArgumentError(name, f"{expected}, found {counts.shape}")
    if (tested < 1).any() or (only_a + only_b > tested).any():
        raise ArgumentError(
            "n_test", "must be at least 1 and no less than the discordant rows of its fold"
        )
    return _mcnemar(Outcomes(only_a, only_b, tested), variant, alternative, confidence_level)


def _mcnemar(outcomes: Outcomes, variant: str, side: Alternative, level: float) -> Result:
    guarded = outcomes.variance_folds > outcomes.variance_rows
    detail = "the replications differ no more than single rows explain"
    if guarded:
        detail = "the replications differ by more than single rows explain: the variance is theirs"
    stable = Assumption("stable fits", not guarded, detail)
    details = {"variance_folds": outcomes.variance_folds, "guard_active": guarded}
    variance = max(outcomes.variance_rows, outcomes.variance_folds)
    return _result(outcomes, variance, side, level, details, variant, (stable,))


def _result(
    outcomes: Outcomes,
    variance: float,
    side: Alternative,
    level: float,
    details: Mapping[str, Any],
    variant: str = "",
    assumptions: tuple[Assumption, ...] = (),
) -> Result:
    b = outcomes.effective_only_a
    c = outcomes.effective_only_b
    status = Status.OK
    if not outcomes.discordant:
        status = Status.NO_DISCORDANT_PAIRS
    elif math.isnan(variance):
        status = Status.TOO_FEW
    estimate = Estimate(value=outcomes.mean, se=math.sqrt(variance), status=status)
    statistic, pvalue = estimate.test(side)
    if status is Status.OK and variant == "corrected":
        # the statistic falls as that of the effective table does
        if b != c:
            statistic *= max(abs(b - c) - 1, 0.0) / abs(b - c)
        pvalue = t_pvalue(statistic, math.inf, side)
    ci = None
    if status is Status.OK:
        low, high = estimate.limits(level, side)
        # a one-sided interval reaches to the end of the scale
        if side == "less":
            low = -1.0
        if side == "greater":
            high = 1.0
        ci = ConfidenceInterval(low, high, level, "normal")
    return Result(
        variant=variant,
        statistic=statistic,
        pvalue=pvalue,
        alternative=side,
        estimate=outcomes.mean,
        ci=ci,
        effect_sizes=discordant_sizes(b, c),
        n=round(outcomes.rows),
        status=status,
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
            "only_a_correct": outcomes.only_a,
            "only_b_correct": outcomes.only_b,
            "effective_only_a": b,
            "effective_only_b": c,
            "variance_rows": outcomes.variance_rows,
            **details,
            "se": math.sqrt(variance),
            "differences": outcomes.differences,
        },
    )
