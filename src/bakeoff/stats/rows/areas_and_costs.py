"""Two classifiers on one test set: their areas under the ROC curve, and what their errors cost.

The influence of a row on an area is that of the metric ``roc_auc``: its placement, the share of
the other class that it is ranked right against, less the mean placement of its class.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Level, PositiveInt, Seed
from bakeoff.stats.core.checks import (
    ArgumentError,
    FloatArray,
    as_array,
    as_correctness,
    as_counts,
    as_floats,
    as_scores,
    check_models,
    check_same_labels,
    check_same_length,
)
from bakeoff.stats.core.distributions import t_pvalue, tail_probability
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.pairs import PairwiseResult, by_pairs
from bakeoff.stats.core.registry import Evidence, Variants, form_of, register
from bakeoff.stats.core.result import (
    INDEPENDENT_ROWS,
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
)
from bakeoff.stats.design.clusters import as_clusters, row_units
from bakeoff.stats.design.groups import (
    ClusteredResult,
    GroupSums,
    Leverage,
    independent_clusters,
    mean_in_groups,
    spread,
    symmetric_differences,
    too_few_for_t,
)
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.metric import Functional, classes_of, coded

# placements are multiples of 1/(2m) or 1/(2n): anything smaller is float noise
_NOISE = 1e-12
_ENOUGH = 15
_LARGE_SAMPLE = 30
_OF_AREAS = Variants(("delong",), ("t_and_flips", "influence_t", "robust_t", "obuchowski"))


class _Rows:
    """The rows of two classes and what relates them."""

    def __init__(
        self,
        y_true: ArrayLike,
        scores: dict[str, ArrayLike],
        groups: ArrayLike | None,
        variant: str | None,
    ):
        instead = "`y == positive_class`, one class against others"
        self.positive = as_correctness(y_true, "y_true", kind="classes", instead=instead)
        if self.positive.all() or not self.positive.any():
            missing = "negative" if self.positive[0] else "positive"
            raise ArgumentError(
                "y_true",
                f"found no {missing} row, the area under the ROC curve is undefined; "
                "compare accuracies instead (mcnemar)",
            )
        check_same_length(y_true=self.positive, **{k: as_array(v, k) for k, v in scores.items()})
        check_same_labels(y_true=y_true, **scores)
        self.n, self.classes = len(self.positive), (self.positive, ~self.positive)
        self.counts = [int(np.count_nonzero(rows)) for rows in self.classes]
        self.groups = None if groups is None else as_clusters(groups, self.n)
        self.dependent = self.covariance
        if self.groups is not None:
            self.dependent, codes = self.obuchowski, self.groups.codes
            self.leverage = Leverage.from_codes(codes, np.where(self.positive, 0, 1))
            # how many groups hold a positive row, and how many a negative one
            self.holding = [len(np.unique(codes[rows])) for rows in self.classes]
        self.form = _OF_AREAS.choose(variant, "independent" if groups is None else "groups")

    def area(self, scores: ArrayLike, name: str) -> Functional:
        """Return the area of one model with the influence of each row."""
        return auc(self.positive, as_scores(scores, name, unit="rows"), unbiased=False)

    def covariance(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas (DeLong et al. 1988, eq. 5); NaN for a single row of a class."""
        if min(self.counts) < 2:
            return math.nan
        parts = zip(self.classes, self.counts, strict=True)
        return sum(float(a.psi[x] @ b.psi[x]) * m / (m - 1) for x, m in parts) / self.n**2

    def sums(self, area: Functional) -> list[FloatArray]:
        """Sum the influence over the rows of each class in each group."""
        codes, count = self.leverage.codes, len(self.leverage.shares)
        return [np.bincount(codes[x], area.psi[x], count) / self.n for x in self.classes]

    def obuchowski(self, a: Functional, b: Functional) -> float:
        """Covariance of two areas in groups (Obuchowski 1997); NaN if one holds a whole class."""
        if min(self.holding) < 2:
            return math.nan
        (x_a, y_a), (x_b, y_b) = self.sums(a), self.sums(b)
        with_x, with_y, k = *self.holding, len(x_a)
        return (
            with_x / (with_x - 1) * float(x_a @ x_b)
            + with_y / (with_y - 1) * float(y_a @ y_b)
            + k / (k - 1) * (float(x_a @ y_b) + float(x_b @ y_a))
        )

    def compare(
        self, a: Functional, b: Functional, *, alternative: Alternative, confidence_level: float
    ) -> Result:
        """Compare two areas."""
        side, level = alternative, confidence_level
        contrast, groups, form, df = a - b, self.groups, self.form, math.inf
        robust = form not in ("delong", "obuchowski")
        if robust:
            precision = spread(contrast.psi, groups=self.leverage)
            variance = precision.se**2
            df = self.leverage.df if form == "robust_t" else precision.df
        else:  # not var_A + var_B - 2 cov, which would lose its digits when the models agree
            variance = self.dependent(contrast, contrast)
        se = math.sqrt(max(variance, 0.0))
        same = abs(contrast.value) <= _NOISE and np.abs(contrast.psi).max() <= _NOISE
        status = Status.OK if se > _NOISE else Status.ZERO_VARIANCE
        if groups is None:
            few = math.isnan(se)
            same = same and not few
        else:
            few = min(self.holding) < 2 or too_few_for_t(form, groups.count, df)
            se = se or math.nan
        if few or same:
            status = Status.IDENTICAL_SCORES if same else Status.TOO_FEW
        estimate = Estimate(value=0.0 if same else contrast.value, se=se, df=df, status=status)
        statistic, pvalue = estimate.test(side)
        method, drawn = ("wald", "test rows") if groups is None else (form, "groups")
        ci = estimate.interval(level, side, method, (-1.0, 1.0)) if status is Status.OK else None
        areas = {"auc_a": a.value, "auc_b": b.value}
        facts: dict[str, Any] = {
            "variant": form,
            "statistic": statistic,
            "alternative": side,
            "estimate": estimate.value,
            "effect_sizes": areas,
            "n": self.n,
            "status": status,
            "null_hypothesis": "The two fitted models have the same area under the ROC curve on "
            f"the population that the {drawn} were drawn from.",
        }
        details: dict[str, Any] = {
            **dict(zip(("n_positive", "n_negative"), self.counts, strict=True)),
            "cov_ab": self.dependent(a, b),
            "se": se,
            "ci_unclipped": estimate.limits(level, side),
            **areas,
        }
        for model, area in (("a", a), ("b", b)):
            of_one = details[f"var_{model}"] = self.dependent(area, area)
            if groups is None:
                alone = Estimate(value=area.value, se=math.sqrt(of_one))
                details[f"auc_{model}_ci"] = alone.interval(level, "two-sided", "wald", (0.0, 1.0))
                details[f"auc_{model}_ci_unclipped"] = alone.limits(level, "two-sided")
        if groups is None:
            positive, negative = self.counts
            detail = (
                f"{positive} positive and {negative} negative row(s); the normal approximation "
                f"wants about {_LARGE_SAMPLE} of each"
            )
            large = Assumption("large sample", min(self.counts) >= _LARGE_SAMPLE, detail)
            facts |= {"pvalue": pvalue, "ci": ci, "assumptions": (INDEPENDENT_ROWS, large)}
            return Result(details=details, **facts)
        # the difference to first order as a mean over groups
        sums = sum(self.sums(contrast)) + self.leverage.shares * estimate.value
        if ci is not None and form == "t_and_flips":
            flipped = GroupSums(sums, self.leverage.shares)
            pvalue, ci = flipped.with_flips(pvalue, ci, estimate.value, side, (-1.0, 1.0))
        independent = self.covariance(contrast, contrast)
        effect = max(1.0, variance / independent) if variance > 0 and independent > 0 else math.nan
        positive, negative = self.holding
        detail = (
            f"positive rows in {positive} groups, negative ones in {negative}; about {_ENOUGH} of "
            "each are wanted"
        )
        details |= {"n_clusters_positive": positive, "n_clusters_negative": negative}
        enough = Assumption("enough groups of each class", min(self.holding) >= _ENOUGH, detail)
        symmetric = symmetric_differences(self.leverage.shares, sums)
        return ClusteredResult(
            pvalue=pvalue,
            ci=ci,
            df=df if robust else None,
            assumptions=(independent_clusters(groups), enough, symmetric),
            method="obuchowski1997",
            details=details | {"variance": variance},
            n_clusters=groups.count,
            n_effective=self.n / effect,
            design_effect=effect,
            icc=math.nan,
            **facts,
        )


def delong_pairs(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: str | None = None,
    **family: Any,
) -> PairwiseResult:
    """Run `delong` on all pairs of columns; each model is ranked once."""
    table = as_array(scores, "scores")
    check_models(table, "scores")
    rows = _Rows(y_true, {"scores": scores}, groups, variant)
    return by_pairs(rows.compare, (), [rows.area(one, "scores") for one in table.T], **family)


@register(
    evidence=Evidence.ROWS,
    citation="delong1988",
    variants=_OF_AREAS,
    all_pairs=delong_pairs,
)
def delong(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    variant: Literal["delong", "t_and_flips", "influence_t", "robust_t", "obuchowski"]
    | None = None,
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
) -> Result:
    """DeLong's test.

    Does one of these two fitted models have the larger area under the ROC curve?

    z = (AUC_A − AUC_B)/√(var_A + var_B − 2 cov) with the variances of the placements of every
    row (DeLong, DeLong & Clarke-Pearson 1988), found from mid-ranks in O(n log n) (Sun & Xu
    2014).

    Parameters
    ----------
    y_true : array_like of bool or 0/1, shape (n,)
        The true classes; 1 is the positive one.
    variant : str, optional
        Independent rows have ``"delong"``. In groups ``"t_and_flips"`` (default), ``"influence_t"``
        and ``"robust_t"``, as in `mean_difference`, of the placements summed inside groups,
        corrected for the share of each class in a group as CR2 does. ``"obuchowski"``:
        Obuchowski's (1997) variance and the normal distribution; too lenient with few groups.

    Returns
    -------
    Result or ClusteredResult
        `estimate` is AUC_A − AUC_B; ``details`` holds each area with its variance and
        interval, and the covariance. Fewer than two rows of a class give ``too_few``, as do
        in groups a class that lies in one of them and fewer than five groups (``robust_t``:
        fewer than four degrees of freedom); equal rankings give p 1.

    Warnings
    --------
    It compares rankings, not decisions at a threshold. It is conservative when one model only adds
    features to the other. With few groups that contain a positive row, its variance is estimated
    from little data.

    Examples
    --------
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> result = delong(y, [.9, .8, .7, .4, .5, .3, .2, .1], [.9, .3, .6, .4, .5, .7, .2, .1])
    >>> round(result.estimate, 4), round(result.statistic, 4), round(result.pvalue, 4)
    (0.25, 1.2247, 0.2207)
    """
    scores = {"score_a": score_a, "score_b": score_b}
    rows = _Rows(y_true, scores, groups, variant)
    a, b = (rows.area(values, name) for name, values in scores.items())
    return rows.compare(a, b, alternative=alternative, confidence_level=confidence_level)


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
    if not 1e-100 <= matrix.max() <= 1e100:
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
        value, place = np.unique(d[counts > 0], return_inverse=True)
        count = np.bincount(place, weights=counts[counts > 0]).astype(np.float64)
        return cls(value, count, np.unique(d))

    @property
    def n(self) -> float:
        """Number of rows."""
        return float(self.count.sum())

    @property
    def mean(self) -> float:
        """Mean cost difference."""
        return float(self.count @ self.value) / self.n

    def likelihood_ratio(self, mean: float, *, all_cells: bool) -> tuple[float, float]:
        """Return twice the log likelihood ratio against a given mean difference, and λ."""
        # The constrained estimate is count/(n + λ(d − mean)); cells that were not observed, where
        # all may have a probability, need n + λ(d − mean) ≥ 0, which limits λ and gives them the
        # rest.
        from scipy.optimize import brentq

        x, n = self.value - mean, self.n
        above, below = x > 0, x < 0
        # no probability exceeds 1: n + λx ≥ count
        lower = float(((self.count[above] - n) / x[above]).max(initial=-math.inf))
        upper = float(((self.count[below] - n) / x[below]).min(initial=math.inf))
        if all_cells:
            least, most = self.possible[0] - mean, self.possible[-1] - mean
            lower = max(lower, -n / most if most > 0 else -math.inf)
            upper = min(upper, -n / least if least < 0 else math.inf)

        def excess(multiplier: float) -> float:
            with np.errstate(divide="ignore"):
                share = x / (n + multiplier * x)
            return float(self.count[x != 0] @ share[x != 0])

        if not (math.isfinite(lower) and math.isfinite(upper)):
            if x.any():
                return math.inf, math.nan
            multiplier = 0.0
        elif not excess(lower) > 0:
            multiplier = lower
        elif not excess(upper) < 0:
            multiplier = upper
        else:
            multiplier = brentq(excess, lower, upper, xtol=1e-13 * (upper - lower), rtol=1e-14)
        with np.errstate(divide="ignore"):
            logs = special.log1p(multiplier * x / n)
        # a rounding error below 0 at most
        return max(0.0, 2 * float(self.count @ logs)), float(multiplier)

    def limit(self, critical: float, *, upper: bool, all_cells: bool) -> float:
        """Return the largest (smallest) mean whose likelihood ratio stays below `critical`."""
        values = self.possible if all_cells else self.value
        inside, outside = self.mean, float(values[-1 if upper else 0])
        for _ in range(60):
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
    weight, values = counts + 1, np.unique(d)
    total = weight.sum()
    for largest in values[::-1]:
        free = d <= largest
        m, x = weight[free], d[free]
        zeroth, first, second = float(m.sum()), float(m @ x), float(m @ np.square(x))
        theta = total * first / (zeroth * second - first**2)
        alpha = (total + theta * first) / zeroth
        if alpha - theta * largest >= 0:
            break
    u = np.where(free, alpha - theta * d, 0.0)
    return float(weight @ np.square(1 - u))


Variant = Literal["likelihood_ratio", "likelihood_ratio_all_cells", "chi_square"]
GroupedVariant = Literal["sign_flip", "sign_flip_exact", "influence_t", "robust_t"]
_OF_COSTS = Variants(get_args(Variant), get_args(GroupedVariant))


@register(
    evidence=Evidence.ROWS,
    citation="mathworks_testcholdout",
    variants=_OF_COSTS,
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
    given = {"y_true": y_true, "pred_a": pred_a, "pred_b": pred_b}
    labels = {name: coded(values, name) for name, values in given.items()}
    check_same_length(**{name: one.codes for name, one in labels.items()})
    check_same_labels(**given)
    names = classes_of([*labels.items()], classes, "classes")
    truth, a, b = (one.among(names) for one in labels.values())
    relation, units = row_units(len(truth), groups)
    form = _OF_COSTS.choose(variant, relation)
    if relation == "groups":
        matrix = as_cost(cost, max(len(names), 2))
        cost_a, cost_b = matrix[truth, a], matrix[truth, b]
        noise = 1e-12 * float(matrix.max())
        d = np.where(np.abs(cost_b - cost_a) <= noise, 0.0, cost_b - cost_a)
        mean_b = float(cost_b.mean())
        details = {
            "cost_a": float(cost_a.mean()),
            "cost_b": mean_b,
            "misclassification_a": float((a != truth).mean()),
            "misclassification_b": float((b != truth).mean()),
            "n_cost_discordant": int(np.count_nonzero(d)),
            "cost": matrix.tolist(),
        }
        share = float(d.mean()) / mean_b if mean_b else math.nan
        facts: dict[str, Any] = {
            "effect_sizes": {"relative_cost_reduction": share},
            "null_hypothesis": "The errors of the two fitted models cost the same on average on "
            "the population that the groups were drawn from.",
        }
        how = form, alternative, confidence_level, n_resamples, seed
        return mean_in_groups(d, noise, units, *how, details, **facts)
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
    table = as_counts(counts, "counts")
    if table.ndim != 3 or len(set(table.shape)) != 1 or len(table) < 2:
        raise ArgumentError(
            "counts",
            f"found shape {table.shape}, needs (K, K, K) with K >= 2: label by A, "
            "label by B, true class",
        )
    if not table.any():
        raise ArgumentError("counts", "are all 0, there are no rows")
    matrix = as_cost(cost, len(table))
    # d[i, j, k] = cost[k, i] - cost[k, j]: what A's label costs more than B's
    d = matrix.T[:, None, :] - matrix.T[None, :, :]
    d = np.where(np.abs(d) <= 1e-12 * matrix.max(), 0.0, d)
    cells = CostCells.observed(d.ravel(), table.ravel())
    advantage, n = 0.0 - cells.mean, table.sum()
    status, statistic, multiplier = Status.OK, math.nan, math.nan
    if not cells.value.any():
        status, statistic, multiplier = Status.IDENTICAL_SCORES, 0.0, 0.0
    elif variant == "likelihood_ratio" and (cells.value.min() >= 0 or cells.value.max() <= 0):
        status = Status.UNDEFINED
    elif variant == "chi_square":
        statistic = chi_square(d.ravel(), table.ravel())
    else:
        all_cells = variant == "likelihood_ratio_all_cells"
        statistic, multiplier = cells.likelihood_ratio(0.0, all_cells=all_cells)
    pvalue = float(special.chdtrc(1, statistic))
    if status is Status.OK and alternative != "two-sided":
        pvalue = t_pvalue(math.copysign(math.sqrt(statistic), advantage), math.inf, alternative)
    ci = None
    if status is not Status.UNDEFINED:
        all_cells = variant != "likelihood_ratio" or status is not Status.OK
        critical = float(special.ndtri(tail_probability(confidence_level, alternative))) ** 2
        # limits for A's cost less B's, turned round
        low, high = (
            -cells.limit(critical, upper=upper, all_cells=all_cells) for upper in (True, False)
        )
        low = -float(cells.possible.max()) if alternative == "less" else low
        high = -float(cells.possible.min()) if alternative == "greater" else high
        method = "likelihood_ratio_all_cells" if all_cells else "likelihood_ratio"
        ci = ConfidenceInterval(low, high, confidence_level, method)
    differing = int(cells.count[cells.value != 0].sum())
    detail = f"the two labels differ in cost on {differing} of {cells.n:.0f} rows"
    wanted = f"{detail}; the χ² approximation wants 25"
    checks = [INDEPENDENT_ROWS, Assumption("large sample", differing >= 25, wanted)]
    if status is Status.UNDEFINED:
        detail = (
            f"wherever the costs differ {'A' if cells.value.max() > 0 else 'B'}'s label costs "
            "more: the equation for λ has no root; likelihood_ratio_all_cells and chi_square have "
            "an answer"
        )
        checks.append(Assumption("cost differences of both signs", False, detail))
    elif variant == "likelihood_ratio" and status is Status.OK:
        inside = bool((cells.n + multiplier * d >= 0).all())
        detail = (
            f"the largest possible cost difference is {np.abs(d).max():.3g}, the largest observed "
            f"{np.abs(cells.value).max():.3g}; if this fails the p is too small and "
            "likelihood_ratio_all_cells is the safer form"
        )
        checks.append(Assumption("costly errors all observed", inside, detail))
    by_a, by_b = table.sum(axis=1), table.sum(axis=0)  # [label, true class]
    cost_b = float((by_b * matrix.T).sum() / n)
    variance = float(cells.count @ np.square(cells.value - cells.mean)) / cells.n
    standardised = advantage / math.sqrt(variance) if variance > 0 else math.nan
    return Result(
        variant=variant,
        statistic=statistic,
        df=1.0 if alternative == "two-sided" else None,
        pvalue=pvalue,
        alternative=alternative,
        estimate=advantage,
        ci=ci,
        effect_sizes={
            "standardized_difference": standardised,
            "relative_cost_reduction": -cells.mean / cost_b if cost_b else math.nan,
        },
        n=int(n),
        status=status,
        assumptions=tuple(checks),
        details={
            "cost_a": float((by_a * matrix.T).sum() / n),
            "cost_b": cost_b,
            "misclassification_a": float((n - np.trace(by_a)) / n),
            "misclassification_b": float((n - np.trace(by_b)) / n),
            "lambda": multiplier,
            "n_cost_discordant": differing,
            "cost": matrix.tolist(),
        },
    )
