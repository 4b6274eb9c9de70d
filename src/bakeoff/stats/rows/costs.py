"""Two classifiers on one test set when errors have different costs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, PositiveInt, Seed, Variants
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    IntArray,
    as_counts,
    as_floats,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.registry import Evidence, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import Clusters, row_units
from bakeoff.stats.design.groups import ClusteredResult, mean_in_groups
from bakeoff.stats.metrics.metric import classes_of, coded

Variant = Literal["likelihood_ratio", "likelihood_ratio_all_cells", "chi_square"]
GroupedVariant = Literal["sign_flip", "sign_flip_exact", "influence_t", "robust_t"]
_VARIANTS = Variants(get_args(Variant), get_args(GroupedVariant))
_NOISE = 1e-12  # differences of costs below this share of the largest cost are rounding
_SMALLEST_COST = 1e-100
_LARGEST_COST = 1e100
_LARGE_SAMPLE = 25  # differing rows from which the χ² approximation is usually trusted
_HALVINGS = 60  # of the interval that holds a limit


@register(
    evidence=Evidence.ROWS,
    citation="mathworks_testcholdout",
    variants=_VARIANTS,
    better_test="metric_difference",
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
    variant: Literal[Variant, GroupedVariant] | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    n_resamples: PositiveInt = 9_999,
    seed: Seed = 0,
) -> Result:
    """Cost-sensitive test.

    Does one of these two fitted models have the lower expected cost of errors?

    Parameters
    ----------
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
        interval in the unit of the costs.

    Warnings
    --------
    Its p-value is asymptotic: with few rows on which the costs differ, or with rare costly errors,
    prefer likelihood_ratio_all_cells. With few groups its p-value assumes that group effects are
    distributed symmetrically about zero, which cannot be tested.

    Notes
    -----
    These are the cost-sensitive tests of MATLAB's testcholdout; the constrained multinomial
    likelihood is Owen's (1988) empirical likelihood of a mean. With n_ijk rows of true class k that
    A labels i and B labels j and d = c_ki − c_kj the likelihood ratio statistic is
    2 Σ n log(1 + λd/n), λ the root of Σ n_ijk d/(n + λd) = 0; it is χ²(1) like the other.

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
    arrays = {"y_true": y_true, "pred_a": pred_a, "pred_b": pred_b}
    labels = {name: coded(values, name) for name, values in arrays.items()}
    check_same_length(**{name: array.codes for name, array in labels.items()})
    check_same_labels(**arrays)
    names = classes_of([*labels.items()], classes, "classes")
    truth = labels["y_true"].among(names)
    a = labels["pred_a"].among(names)
    b = labels["pred_b"].among(names)
    k = max(len(names), 2)  # a single class in all three arrays: every label is right
    relation, units = row_units(len(truth), groups)
    form = _VARIANTS.choose(variant, relation)
    if relation == "groups":
        matrix = as_cost(cost, k)
        return _mean_cost_in_groups(
            truth, a, b, matrix, units, form, alternative, confidence_level, n_resamples, seed
        )
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
    variant: Variant = "likelihood_ratio",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """Run the cost-sensitive test on a table of counts; see `cost_sensitive` for the options.

    Parameters
    ----------
    counts : array_like, shape (K, K, K)
        ``counts[i, j, k]``: rows that A labels i, B labels j, and whose true class is k.
    cost, variant
        As in `cost_sensitive`.

    Examples
    --------
    >>> counts = [[[50, 5], [4, 2]], [[5, 2], [3, 40]]]
    >>> result = cost_sensitive_from_counts(counts, cost=[[0, 1], [5, 0]])
    >>> print(f"{result.statistic:.4f} {result.pvalue:.4f}")
    0.0092 0.9237
    """
    table = _as_table(counts)
    matrix = as_cost(cost, len(table))
    # d[i, j, k] = cost[k, i] - cost[k, j]: what A's label costs more than B's
    d = matrix.T[:, None, :] - matrix.T[None, :, :]
    d = np.where(np.abs(d) <= _NOISE * matrix.max(), 0.0, d)
    cells = CostCells.observed(d.ravel(), table.ravel())
    advantage = 0.0 - cells.mean
    status = Status.OK
    if not cells.value.any():
        status = Status.IDENTICAL_SCORES
    elif variant == "likelihood_ratio" and cells.one_sided:
        status = Status.UNDEFINED
    statistic, multiplier = _statistic(cells, d, table, variant, status)

    # under the null the statistic is χ²(1), and its root with the sign of the advantage normal
    df = None
    if alternative == "two-sided":
        df = 1.0
    pvalue = float(special.chdtrc(1, statistic))
    if status is Status.OK and alternative != "two-sided":
        signed_root = math.copysign(math.sqrt(statistic), advantage)
        pvalue = t_pvalue(signed_root, math.inf, alternative)
    ci = None
    if status is not Status.UNDEFINED:
        all_cells = variant != "likelihood_ratio" or status is not Status.OK
        ci = _profile_interval(cells, alternative, confidence_level, all_cells=all_cells)

    assumptions = [INDEPENDENT_ROWS, _large_sample(cells)]
    if status is Status.UNDEFINED:
        assumptions.append(_both_signs(cells))
    elif variant == "likelihood_ratio" and status is Status.OK:
        assumptions.append(_all_observed(cells, d, multiplier))
    n = table.sum()
    by_a = table.sum(axis=1)  # [label, true class]
    by_b = table.sum(axis=0)
    cost_a = float((by_a * matrix.T).sum() / n)
    cost_b = float((by_b * matrix.T).sum() / n)
    return Result(
        variant=variant,
        statistic=statistic,
        df=df,
        pvalue=pvalue,
        alternative=alternative,
        estimate=advantage,
        ci=ci,
        effect_sizes=_effect_sizes(cells, cost_b),
        n=int(n),
        status=status,
        assumptions=tuple(assumptions),
        details={
            "cost_a": cost_a,
            "cost_b": cost_b,
            "misclassification_a": float((n - np.trace(by_a)) / n),
            "misclassification_b": float((n - np.trace(by_b)) / n),
            "lambda": multiplier,
            "n_cost_discordant": cells.n_differing,
            "cost": matrix.tolist(),
        },
    )


def _as_table(counts: ArrayLike) -> FloatArray:
    """Check counts of rows by A's label, B's label and the true class."""
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


def _statistic(
    cells: CostCells, d: FloatArray, table: FloatArray, variant: str, status: Status
) -> tuple[float, float]:
    """Return the statistic and λ, which χ² has none of."""
    if status is Status.IDENTICAL_SCORES:
        return 0.0, 0.0
    if status is not Status.OK:
        return math.nan, math.nan
    if variant == "chi_square":
        return chi_square(d.ravel(), table.ravel()), math.nan
    return cells.likelihood_ratio(0.0, all_cells=variant == "likelihood_ratio_all_cells")


def _effect_sizes(cells: CostCells, cost_b: float) -> dict[str, float]:
    # A's saving over the standard deviation of the cost differences, and over the cost of B
    standardised = math.nan
    relative_reduction = math.nan
    variance = float(cells.count @ np.square(cells.value - cells.mean)) / cells.n
    if variance > 0:
        standardised = (0.0 - cells.mean) / math.sqrt(variance)
    if cost_b:
        relative_reduction = -cells.mean / cost_b
    return {
        "standardized_difference": standardised,
        "relative_cost_reduction": relative_reduction,
    }


def as_cost(cost: ArrayLike | None, k: int) -> FloatArray:
    """Check a matrix of costs, true classes by predicted ones; 1 for every error without it."""
    if cost is None:
        return 1 - np.eye(k)
    matrix = as_floats(cost, "cost")
    if matrix.shape != (k, k):
        raise ArgumentError(
            "cost",
            f"found shape {matrix.shape}, needs ({k}, {k}): rows are true classes, columns "
            "predicted ones, in the order of classes",
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diag(matrix).any():
        raise ArgumentError("cost", "must be finite and >= 0, with 0 on the diagonal")
    if not _SMALLEST_COST <= matrix.max() <= _LARGEST_COST:
        what = "the largest cost; where it is 0 no error matters, else use a unit near 1"
        raise ArgumentError("cost", f"found {matrix.max():g} as {what}")
    return matrix


@dataclasses.dataclass(frozen=True)
class CostCells:
    """The observed cost differences and how often each occurred."""

    value: FloatArray  # the distinct differences d, A's cost less B's
    count: FloatArray  # their numbers of rows, all ≥ 1
    possible: FloatArray  # every difference the cost matrix allows, ascending

    @classmethod
    def observed(cls, d: FloatArray, counts: FloatArray) -> CostCells:
        """Collect the cells by their cost difference; only those observed count."""
        value, cell = np.unique(d[counts > 0], return_inverse=True)
        count = np.bincount(cell, weights=counts[counts > 0]).astype(np.float64)
        return cls(value, count, np.unique(d))

    @property
    def n(self) -> float:
        """Number of rows."""
        return float(self.count.sum())

    @property
    def n_differing(self) -> int:
        """Number of rows on which the costs differ."""
        return int(self.count[self.value != 0].sum())

    @property
    def mean(self) -> float:
        """Mean cost difference."""
        return float(self.count @ self.value) / self.n

    @property
    def one_sided(self) -> bool:
        """Whether one model alone has the more costly labels."""
        return bool(self.value.min() >= 0 or self.value.max() <= 0)

    def likelihood_ratio(self, mean: float, *, all_cells: bool) -> tuple[float, float]:
        """Return twice the log likelihood ratio against a given mean difference, and λ."""
        # 2 Σ n_d log(1 + λ(d − mean)/n), λ the root of Σ n_d (d − mean)/(n + λ(d − mean)) = 0
        # (Owen 1988): the constrained estimate of a cell's rows is n_d/(n + λ(d − mean))
        x = self.value - mean
        lower, upper = self._bounds(mean, all_cells=all_cells)
        if math.isfinite(lower) and math.isfinite(upper):
            multiplier = self._multiplier(x, lower, upper)
        elif x.any():
            return math.inf, math.nan
        else:
            multiplier = 0.0
        with np.errstate(divide="ignore"):
            logs = special.log1p(multiplier * x / self.n)
        # a rounding error below 0 at most
        return max(0.0, 2 * float(self.count @ logs)), float(multiplier)

    def _bounds(self, mean: float, *, all_cells: bool) -> tuple[float, float]:
        """Return what λ lies between."""
        x = self.value - mean
        above = x > 0
        below = x < 0
        # no probability exceeds 1: n + λx ≥ count
        lower = float(((self.count[above] - self.n) / x[above]).max(initial=-math.inf))
        upper = float(((self.count[below] - self.n) / x[below]).min(initial=math.inf))
        if all_cells:
            # cells that were not observed get the rest: n + λ(d − mean) ≥ 0 for them, too
            smallest = self.possible[0] - mean
            largest = self.possible[-1] - mean
            if largest > 0:
                lower = max(lower, -self.n / largest)
            if smallest < 0:
                upper = min(upper, -self.n / smallest)
        return lower, upper

    def _multiplier(self, x: FloatArray, lower: float, upper: float) -> float:
        """Return λ, at a bound where there is no root between them."""
        from scipy.optimize import brentq

        def excess(multiplier: float) -> float:
            with np.errstate(divide="ignore"):
                share = x / (self.n + multiplier * x)
            return float(self.count[x != 0] @ share[x != 0])

        if not excess(lower) > 0:
            return lower
        if not excess(upper) < 0:
            return upper
        root = brentq(excess, lower, upper, xtol=1e-13 * (upper - lower), rtol=1e-14)
        return float(root)

    def limit(self, critical: float, *, upper: bool, all_cells: bool) -> float:
        """Return the largest (smallest) mean whose likelihood ratio stays below `critical`."""
        # the ratio grows from 0 at the mean that was observed: the interval is halved between a
        # mean that is inside and the outermost one that the cells allow
        values = self.value
        if all_cells:
            values = self.possible
        inside = self.mean
        outside = float(values[0])
        if upper:
            outside = float(values[-1])
        for _ in range(_HALVINGS):
            middle = (inside + outside) / 2
            if self.likelihood_ratio(middle, all_cells=all_cells)[0] < critical:
                inside = middle
            else:
                outside = middle
        return inside


def chi_square(d: FloatArray, counts: FloatArray) -> float:
    """Return min Σ (m − Mπ)²/m under Σdπ = 0, Σπ = 1 and π ≥ 0, with m = count + 1, M = Σm."""
    # In terms of u = Mπ/m the minimum has u = max(0, α − θd): where θ > 0 the cells with the
    # largest d are the ones that reach 0. Without any at 0 it is D₁²/(D₂ − D₁²/M), D_r = Σ m d^r.
    if float(counts @ d) < 0:
        d = -d
    weight = counts + 1
    total = weight.sum()
    for largest in np.unique(d)[::-1]:
        free = d <= largest
        m = weight[free]
        x = d[free]
        zeroth = float(m.sum())
        first = float(m @ x)
        second = float(m @ np.square(x))
        theta = total * first / (zeroth * second - first**2)
        alpha = (total + theta * first) / zeroth
        if alpha - theta * largest >= 0:
            break
    u = np.where(free, alpha - theta * d, 0.0)
    return float(weight @ np.square(1 - u))


def _profile_interval(
    cells: CostCells, alternative: Alternative, confidence_level: float, *, all_cells: bool
) -> ConfidenceInterval:
    """Limits of B's mean cost less A's, within which the likelihood ratio stays below χ²(1)."""
    critical = float(special.ndtri(tail_probability(confidence_level, alternative))) ** 2
    # limits for A's cost less B's, turned round
    low = -cells.limit(critical, upper=True, all_cells=all_cells)
    high = -cells.limit(critical, upper=False, all_cells=all_cells)
    if alternative == "less":
        low = -float(cells.possible.max())
    if alternative == "greater":
        high = -float(cells.possible.min())
    method = "likelihood_ratio"
    if all_cells:
        method = "likelihood_ratio_all_cells"
    return ConfidenceInterval(low, high, confidence_level, method)


def _large_sample(cells: CostCells) -> Assumption:
    detail = (
        f"the two labels differ in cost on {cells.n_differing} of {cells.n:.0f} rows; "
        f"the χ² approximation wants {_LARGE_SAMPLE}"
    )
    return Assumption("large sample", cells.n_differing >= _LARGE_SAMPLE, detail)


def _both_signs(cells: CostCells) -> Assumption:
    costly = "B"
    if cells.value.max() > 0:
        costly = "A"
    detail = (
        f"wherever the costs differ {costly}'s label costs more: the equation for λ has no root; "
        "likelihood_ratio_all_cells and chi_square have an answer"
    )
    return Assumption("cost differences of both signs", False, detail)


def _all_observed(cells: CostCells, d: FloatArray, multiplier: float) -> Assumption:
    """Whether no cell that was not observed would need a negative probability."""
    detail = (
        f"the largest possible cost difference is {np.abs(d).max():.3g}, the largest observed "
        f"{np.abs(cells.value).max():.3g}; if this fails the p is too small and "
        "likelihood_ratio_all_cells is the safer form"
    )
    holds = bool((cells.n + multiplier * d >= 0).all())
    return Assumption("costly errors all observed", holds, detail)


def _mean_cost_in_groups(
    truth: IntArray,
    a: IntArray,
    b: IntArray,
    cost: FloatArray,
    units: Clusters,
    variant: str,
    alternative: Alternative,
    confidence_level: float,
    n_resamples: int,
    seed: int,
) -> ClusteredResult:
    """Test the mean of B's cost less A's over rows in groups."""
    cost_a = cost[truth, a]
    cost_b = cost[truth, b]
    noise = _NOISE * float(cost.max())
    d = np.where(np.abs(cost_b - cost_a) <= noise, 0.0, cost_b - cost_a)
    mean_b = float(cost_b.mean())
    relative_reduction = math.nan
    if mean_b:
        relative_reduction = float(d.mean()) / mean_b
    details = {
        "cost_a": float(cost_a.mean()),
        "cost_b": mean_b,
        "misclassification_a": float((a != truth).mean()),
        "misclassification_b": float((b != truth).mean()),
        "n_cost_discordant": int(np.count_nonzero(d)),
        "cost": cost.tolist(),
    }
    return mean_in_groups(
        d,
        noise,
        units,
        variant,
        alternative,
        confidence_level,
        n_resamples,
        seed,
        details,
        effect_sizes={"relative_cost_reduction": relative_reduction},
        null_hypothesis="The errors of the two fitted models cost the same on average on "
        "the population that the groups were drawn from.",
    )
