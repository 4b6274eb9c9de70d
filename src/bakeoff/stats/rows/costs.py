"""Two classifiers on one test set when errors have different costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, PositiveInt, Seed
from bakeoff.stats.core.arithmetic import inner
from bakeoff.stats.core.checks import FloatArray, as_counts
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.registry import Arity, Evidence, form_of, register
from bakeoff.stats.core.result import INDEPENDENT_ROWS, Alternative, Assumption, Result, Status
from bakeoff.stats.core.variants import Variants
from bakeoff.stats.design.group_test import SOURCES, GroupTest
from bakeoff.stats.design.row_design import RowDesign
from bakeoff.stats.rows import cost_likelihood as likelihood
from bakeoff.stats.rows.labels import as_cost, as_label_codes

__all__ = ["cost_sensitive", "cost_sensitive_from_counts"]

_VARIANTS = Variants(
    ("likelihood_ratio", "likelihood_ratio_all_cells", "chi_square"), tuple(SOURCES)
)


@register(
    title="Cost-sensitive test",
    evidence=Evidence.COSTED_LABELS,
    arity=Arity.PAIR,
    about="models",
    answers="Does one of these two fitted models have the lower expected cost of errors?",
    plans=("holdout",),
    citation="mathworks_testcholdout",
    caution="Its p-value is asymptotic: with few rows on which the costs differ, or with rare "
    "costly errors, prefer likelihood_ratio_all_cells. With few groups its p-value assumes that "
    "group effects are distributed symmetrically about zero, which cannot be tested.",
    variants=_VARIANTS,
    null_hypothesis="The errors of the two fitted models cost the same on average on the "
    "population the rows come from.",
)
def cost_sensitive(
    y_true: ArrayLike,
    pred_a: ArrayLike,
    pred_b: ArrayLike,
    *,
    cost: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    groups: ArrayLike | None = None,
    variant: Literal[
        "likelihood_ratio",
        "likelihood_ratio_all_cells",
        "chi_square",
        "sign_flip",
        "sign_flip_exact",
        "influence_t",
        "robust_t",
    ]
    | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    n_resamples: PositiveInt = 9_999,
    seed: Seed = 0,
) -> Result:
    """Test whether two classifiers have the same expected misclassification cost.

    Parameters
    ----------
    y_true, pred_a, pred_b : array_like, shape (n,)
        True labels and the labels that A and B predict, of any one kind.
    cost : array_like, shape (K, K), optional
        ``cost[k, i]`` ≥ 0 is the cost of predicting class i where the truth is class k; the
        diagonal is 0. Without it every error costs 1.
    classes : sequence of length K, optional
        The labels in the order of the rows and columns of `cost`. Without it they are the
        labels found, sorted.
    variant : str, optional
        Independent rows: ``"likelihood_ratio"`` (default): multinomial likelihood ratio over the
        observed combinations of labels. It has no answer when only one model ever errs more costly.
        ``"likelihood_ratio_all_cells"``: the same over all K³ combinations, so that
        costly errors not seen yet may still have a probability; always has an answer.
        ``"chi_square"``: Neyman's modified χ² with one added to every count. Rows in groups:
        ``"sign_flip"`` (default), ``"sign_flip_exact"``, ``"influence_t"`` or ``"robust_t"`` of
        the cost differences, as in `mean_difference` (Canay, Romano & Shaikh 2017; Satterthwaite
        1946; Bell & McCaffrey 2002).
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better, its errors cost less. One-sided p-values come from the
        signed root of the statistic.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is B's mean cost less A's (positive favours A) with a profile-likelihood
        interval in the unit of the costs. `details` has each model's mean cost and
        misclassification rate, the multiplier λ and the classes in use.

    Raises
    ------
    ValueError
        For unequal lengths, missing labels, labels outside `classes`, or a cost matrix that is
        not square, has negative entries or a diagonal that is not 0.

    Notes
    -----
    n_ijk rows of true class k are labelled i by A and j by B; the null is
    δ = Σ (c_ki − c_kj) π_ijk = 0 (the cost-sensitive tests of MATLAB's testcholdout; the
    constrained multinomial likelihood is Owen's 1988 empirical likelihood of a mean). The
    likelihood ratio statistic is 2 Σ n log(1 + λd/n) with
    d = c_ki − c_kj and λ the root of Σ n_ijk d/(n + λd) = 0; the χ² statistic is
    min Σ (n_ijk + 1 − (n + K³)π)²/(n_ijk + 1) under δ = 0, Σπ = 1 and π ≥ 0. Both are χ²(1).
    With unit costs they test McNemar's hypothesis.

    Examples
    --------
    >>> import numpy as np
    >>> truth = np.repeat(["ill", "well"], [40, 60])
    >>> a = np.where(np.arange(100) % 10 == 0, "well", truth)
    >>> b = np.where(np.arange(100) % 8 == 0, "well", truth)
    >>> a[50], b[60] = "ill", "ill"
    >>> result = cost_sensitive(truth, a, b, cost=[[0, 5], [1, 0]], classes=["ill", "well"])
    >>> print(f"{result.estimate:.2f} {result.pvalue:.3f}")
    0.05 0.707
    """
    names, truth, a, b = as_label_codes(y_true, pred_a, pred_b, classes)
    design = RowDesign.of(len(truth), groups)
    form = _VARIANTS.choose(variant, design.relation)
    if design.relation == "groups":
        matrix = as_cost(cost, max(len(names), 2))
        cost_a, cost_b = matrix[truth, a], matrix[truth, b]
        noise = 1e-12 * float(matrix.max())
        d = np.where(np.abs(cost_b - cost_a) <= noise, 0.0, cost_b - cost_a)
        how = form, alternative, confidence_level, n_resamples, seed
        test, mean_b = GroupTest.of_rows(d, noise, design.units, *how), float(cost_b.mean())
        return test.result(
            {
                "cost_a": float(cost_a.mean()),
                "cost_b": mean_b,
                "misclassification_a": float((a != truth).mean()),
                "misclassification_b": float((b != truth).mean()),
                "n_cost_discordant": int(np.count_nonzero(d)),
                "cost": matrix.tolist(),
            },
            effect_sizes={
                "relative_cost_reduction": test.estimate / mean_b if mean_b else math.nan
            },
            null_hypothesis="The errors of the two fitted models cost the same on average on the "
            "population that the groups were drawn from.",
        )
    k = max(len(names), 2)  # a single class in all three arrays: every label is right
    counts = np.bincount((a * k + b) * k + truth, minlength=k**3).reshape(k, k, k)
    result = cost_sensitive_from_counts(
        counts,
        cost=cost,
        variant=form,
        alternative=alternative,
        confidence_level=confidence_level,
    )
    return dataclasses.replace(result, details={**result.details, "classes": names})


@form_of(cost_sensitive)
def cost_sensitive_from_counts(
    counts: ArrayLike,
    *,
    cost: ArrayLike | None = None,
    variant: Literal[
        "likelihood_ratio", "likelihood_ratio_all_cells", "chi_square"
    ] = "likelihood_ratio",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Run the cost-sensitive test on a table of counts; see `cost_sensitive` for the options.

    Parameters
    ----------
    counts : array_like, shape (K, K, K)
        ``counts[i, j, k]``: rows that A labels i, B labels j, and whose true class is k.
    cost : array_like, shape (K, K), optional
        As in `cost_sensitive`.
    variant : {"likelihood_ratio", "likelihood_ratio_all_cells", "chi_square"}
        As in `cost_sensitive`.

    Returns
    -------
    Result
        The same result as from the labels.

    Examples
    --------
    >>> from bakeoff.stats import cost_sensitive_from_counts
    >>> counts = [[[50, 5], [4, 2]], [[5, 2], [3, 40]]]
    >>> result = cost_sensitive_from_counts(counts, cost=[[0, 1], [5, 0]])
    >>> print(f"{result.statistic:.4f} {result.pvalue:.4f}")
    0.0092 0.9237
    """
    table = _as_counts(counts)
    matrix = as_cost(cost, len(table))
    # d[i, j, k] = cost[k, i] - cost[k, j]: what A's label costs more than B's
    d = matrix.T[:, None, :] - matrix.T[None, :, :]
    d = np.where(np.abs(d) <= 1e-12 * matrix.max(), 0.0, d)
    n = float(table.sum())
    cells = likelihood.CostCells.observed(d.ravel(), table.ravel())
    status = _status(cells, variant)
    statistic, multiplier = _statistic(cells, d, table, variant, status)
    costs = _mean_costs(table, matrix)
    advantage = 0.0 - cells.mean
    return Result(
        variant=variant,
        statistic=statistic,
        df=1.0 if alternative == "two-sided" else None,
        pvalue=_pvalue(statistic, advantage, alternative, status),
        alternative=alternative,
        estimate=advantage,
        ci=likelihood.interval(cells, variant, status, alternative, confidence_level),
        effect_sizes=_effect_sizes(cells, costs["cost_b"]),
        n=int(n),
        status=status,
        assumptions=_assumptions(cells, d, multiplier, variant, status),
        details={
            **costs,
            "lambda": multiplier,
            "n_cost_discordant": int(cells.count[cells.value != 0].sum()),
            "cost": matrix.tolist(),
        },
    )


def _as_counts(counts: ArrayLike) -> FloatArray:
    table = as_counts(counts, "counts")
    if table.ndim != 3 or len(set(table.shape)) != 1 or len(table) < 2:
        raise ArgumentError(
            "counts",
            f"found shape {table.shape}, needs (K, K, K) with K >= 2: label by A, "
            "label by B, true class",
        )
    if not table.any():
        raise ArgumentError("counts", "are all 0, there are no rows")
    return table


def _mean_costs(table: FloatArray, cost: FloatArray) -> dict[str, float]:
    n = table.sum()
    by_a, by_b = table.sum(axis=1), table.sum(axis=0)  # [label, true class]
    return {
        "cost_a": float((by_a * cost.T).sum() / n),
        "cost_b": float((by_b * cost.T).sum() / n),
        "misclassification_a": float((n - np.trace(by_a)) / n),
        "misclassification_b": float((n - np.trace(by_b)) / n),
    }


def _status(cells: likelihood.CostCells, variant: str) -> Status:
    if not cells.value.any():
        return Status.IDENTICAL_SCORES
    if variant == "likelihood_ratio" and (cells.value.min() >= 0 or cells.value.max() <= 0):
        return Status.UNDEFINED
    return Status.OK


def _statistic(
    cells: likelihood.CostCells, d: FloatArray, table: FloatArray, variant: str, status: Status
) -> tuple[float, float]:
    if status is Status.IDENTICAL_SCORES:
        return 0.0, 0.0
    if status is Status.UNDEFINED:
        return math.nan, math.nan
    if variant == "chi_square":
        return likelihood.chi_square(d.ravel(), table.ravel()), math.nan
    whole = cells.among(d) if variant == "likelihood_ratio_all_cells" else cells
    return whole.likelihood_ratio(0.0)


def _pvalue(statistic: float, advantage: float, side: Alternative, status: Status) -> float:
    if status is Status.IDENTICAL_SCORES:
        return 1.0
    if side == "two-sided" or math.isnan(statistic):
        return float(special.chdtrc(1, statistic))
    z = math.copysign(math.sqrt(statistic), advantage)
    return float(special.ndtr(-z if side == "greater" else z))


def _effect_sizes(cells: likelihood.CostCells, cost_b: float) -> dict[str, float]:
    variance = inner(cells.count, np.square(cells.value - cells.mean)) / cells.n
    standardised = -cells.mean / math.sqrt(variance) if variance > 0 else math.nan
    return {
        "standardized_difference": standardised,
        "relative_cost_reduction": -cells.mean / cost_b if cost_b else math.nan,
    }


def _assumptions(
    cells: likelihood.CostCells, d: FloatArray, multiplier: float, variant: str, status: Status
) -> tuple[Assumption, ...]:
    differing = int(cells.count[cells.value != 0].sum())
    notes = [
        INDEPENDENT_ROWS,
        Assumption(
            "large sample",
            differing >= 25,
            f"the two labels differ in cost on {differing} of {cells.n:.0f} rows; the χ² "
            "approximation wants 25",
        ),
    ]
    if status is Status.UNDEFINED:
        dearer = "A" if cells.value.max() > 0 else "B"
        notes.append(
            Assumption(
                "cost differences of both signs",
                False,
                f"wherever the costs differ {dearer}'s label costs more: the equation for λ has "
                "no root; likelihood_ratio_all_cells and chi_square have an answer",
            )
        )
    elif variant == "likelihood_ratio" and status is Status.OK:
        slack = cells.n + multiplier * d
        notes.append(
            Assumption(
                "costly errors all observed",
                bool((slack >= 0).all()),
                f"the largest possible cost difference is {np.abs(d).max():.3g}, the largest "
                f"observed {np.abs(cells.value).max():.3g}; if this fails the p is too small and "
                "likelihood_ratio_all_cells is the safer form",
            )
        )
    return tuple(notes)
