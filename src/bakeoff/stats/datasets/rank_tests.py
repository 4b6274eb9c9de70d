"""Several classifiers over several data sets: rank tests of "all are alike", and what follows them.

Ranks are 1 for the best model of a data set; equal scores share their mean rank. A pair's verdict
by average ranks depends on the other models in the table (Benavoli et al. 2016);
`wilcoxon_signed_rank` compares each pair by itself.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Decimals, Default, Level, Relation, checked
from bakeoff.stats.core.arithmetic import (
    arrangement_count,
    as_dataset_table,
    permutation_pvalue,
    quantise,
    rank,
    rank_rows,
    scale_of,
    tie_sum,
)
from bakeoff.stats.core.checks import ArgumentError, FloatArray
from bakeoff.stats.core.distributions import range_isf, range_sf, tail_probability
from bakeoff.stats.core.paired_differences import Estimate
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    check_correction,
    pairs_of,
    simultaneous_level,
)
from bakeoff.stats.core.registry import Evidence, register
from bakeoff.stats.core.result import (
    Alternative,
    Assumption,
    ConfidenceInterval,
    Result,
    Status,
    answered,
)


class TableOptions(TypedDict, total=False):
    """How scores are read by every rank test."""

    greater_is_better: Annotated[bool, Default(True)]
    decimals: Annotated[Decimals | None, Default(None)]


class PosthocOptions(TableOptions, total=False):
    """The options of a comparison of average ranks."""

    control: Annotated[int | None, Default(None)]
    correction: Annotated[str, Default("holm")]
    alternative: Annotated[Alternative, Default("two-sided")]
    confidence_level: Annotated[Level, Default(0.95)]


_OMNIBUS: dict[str, Any] = {"evidence": Evidence.DATASETS}
_SINGLE_STEP = ("none", "bonferroni", "sidak")
"""Corrections with simultaneous intervals."""
_POSTHOC: dict[str, Any] = _OMNIBUS | {"unit": "average rank"}
EXCHANGEABLE = "exchangeable models"
"""The assumption of every test that compares models by their ranks among all others."""
FEW_DATASETS = 15
MANY_MODELS = 5
"""With fewer data sets, and so many models, data do not show families of models."""
_AUTO_BUDGET = 200_000  # sums that are listed by default
_EXACT_BUDGET = 4_000_000  # and where the exact distribution is asked for
_MAX_ARRANGEMENTS = 5040  # of one data set
EXACT_UP_TO = {3: 57, 4: 14, 5: 5, 6: 3, 7: 2}
"""Up to how many data sets `friedman` lists the permutations of k models, without ties."""
_EXACT_AT_MOST = {3: 158, 4: 31, 5: 10, 6: 5, 7: 2}
"""The same where the exact distribution is asked for."""


class RankTable:
    """The ranks of k models on N data sets and the sums that tests are made of."""

    # The sums are of doubled ranks and so exact integers: "no variance left" is decided without a
    # tolerance. `between` is 4 (ΣR_j² − N²k(k+1)²/4), 0 when all models rank alike; `total`
    # 4 (Σr² − Nk(k+1)²/4), 0 when every data set ties all models; `residual` N·total − between.

    def __init__(
        self, scores: ArrayLike, *, greater_is_better: bool = True, decimals: Decimals | None = None
    ) -> None:
        self.scores = as_dataset_table(scores, greater_is_better=greater_is_better)
        self.decimals = decimals
        self.ranks = rank_rows(self.scores, decimals)
        n, k = self.ranks.shape
        self.n = n
        self.k = k
        self.doubled: NDArray[np.int64] = np.rint(2 * self.ranks).astype(np.int64)
        self.sums: list[int] = self.doubled.sum(axis=0).tolist()
        self.average: FloatArray = self.ranks.mean(axis=0)
        self.between = sum(s * s for s in self.sums) - n**2 * k * (k + 1) ** 2
        self.total = int((self.doubled**2).sum()) - n * k * (k + 1) ** 2
        self.residual = n * self.total - self.between
        self.error = math.sqrt(k * (k + 1) / (6 * n))  # of a difference of average ranks
        # χ² = (k − 1)·between/total, W = between/(N·total)
        chi2 = 0.0
        self.kendall_w = 0.0
        self.status = Status.OK
        if self.total == 0:
            self.status = Status.IDENTICAL_SCORES
        else:
            chi2 = (k - 1) * self.between / self.total
            self.kendall_w = self.between / (n * self.total)
            if n < 2:
                self.status = Status.TOO_FEW
        p_chi2 = float(special.chdtrc(k - 1, chi2))
        self.chi2, self.p_chi2 = answered(self.status, chi2, p_chi2, 1.0)

    @property
    def perfect(self) -> bool:
        """Whether every data set ranks the models in the same way, so that no variance is left."""
        return self.status is Status.OK and self.residual == 0

    def exchangeable(self) -> Assumption:
        """Compare the covariance of the ranks with that of exchangeable models."""
        # Exchangeable models have k − 1 equal eigenvalues, total/(N(k−1)). Families of models rank
        # together, which makes some larger and their sum of squares with them; a specialist's own
        # rank varies more. Both are compared with the null, not with each other: where models
        # differ, their ranks vary less. Limits from `families` of benchmarks/standings.py. On few
        # data sets families rank in the same order on all of them where the test rejects, as
        # models do that differ: that nothing shows them is no evidence (`few` there).
        n = self.n
        k = self.k
        if n < 5 or not self.total:
            detail = f"{n} data sets do not show how ranks vary together"
            return Assumption(EXCHANGEABLE, None, detail)
        centred = (n * self.doubled - np.array(self.sums)).astype(np.float64) / n
        covariance = centred.T @ centred / (n - 1)
        equal = self.total / (n * (k - 1))
        together = float((covariance**2).sum()) / ((k - 1) * equal**2) - (k - 2) / (n - 1)
        alone = float(covariance.diagonal().max()) / (equal * (k - 1) / k)
        most_together = 1.25 + 2.5 / n
        most_alone = 1.3 + 6 / n
        within = together <= most_together and alone <= most_alone
        if within and n < FEW_DATASETS and k >= MANY_MODELS:
            return Assumption(
                EXCHANGEABLE,
                None,
                f"{n} data sets do not show whether some of the {k} models are variants of one "
                "method, which rank together and make tests of all models reject too often (up to "
                ".13 at the .05 level in simulations); wilcoxon_signed_rank compares each pair by "
                "itself",
            )
        return Assumption(
            EXCHANGEABLE,
            within,
            f"the ranks vary together {together:.2f} times (limit {most_together:.2f}), those of "
            f"one model {alone:.2f} times (limit {most_alone:.2f}) as much as among exchangeable "
            "models; beyond the limits, as with several variants of one method or with a "
            "specialist, compare pairs by wilcoxon_signed_rank, which does not depend on the other "
            "models",
        )

    def omnibus(
        self,
        status: Status,
        statistic: float,
        pvalue: float,
        *,
        assumptions: tuple[Assumption, ...],
        details: Mapping[str, Any],
        **facts: Any,
    ) -> Result:
        """Return the result of a test of all models."""
        ranking = {
            "average_ranks": self.average.tolist(),
            "rank_sums": self.ranks.sum(axis=0).tolist(),
            "chi2_uncorrected": 3 * self.between / (self.n * self.k * (self.k + 1)),
        }
        return Result(
            statistic=statistic,
            pvalue=pvalue,
            n=self.n,
            status=status,
            assumptions=(*assumptions, self.exchangeable()),
            null_hypothesis=f"All {self.k} algorithms are exchangeable: on every data set like "
            "these, each order of them is equally likely.",
            details={**ranking, **details},
            **facts,
        )

    def f_test(
        self,
        between: int,
        residual: int,
        *assumptions: Assumption,
        details: dict[str, Any],
        **facts: Any,
    ) -> Result:
        """Return F = (N−1)·between/residual with k − 1 and (k−1)(N−1) degrees of freedom."""
        df1 = float(self.k - 1)
        df2 = float((self.k - 1) * (self.n - 1))
        perfect = self.status is Status.OK and residual == 0
        status = self.status
        f = math.nan
        detail = "The data sets do not all rank the models in the same way."
        if perfect:
            status = Status.ZERO_VARIANCE
            # how likely it is that all rank as the first one does
            log = math.fsum(math.log(arrangement_count(row)) for row in self.doubled[1:])
            details["p_perfect_agreement"] = math.exp(-log)
            detail = (
                "Every data set ranks the models in the same way: F is infinite and its p-value "
                "undecided; details give the exact probability of such agreement, and friedman "
                "decides."
            )
        elif status is Status.OK:
            f = (self.n - 1) * between / residual
        f, pvalue = answered(status, f, float(special.fdtrc(df1, df2, f)), 1.0)
        residual_variance = Assumption("residual variance", not perfect, detail)
        return self.omnibus(
            status,
            f,
            pvalue,
            variant="f",
            df1=df1,
            df2=df2,
            assumptions=(_two_models(self.k), *assumptions, residual_variance),
            details=details,
            **facts,
        )


def _two_models(k: int) -> Assumption:
    """Say that two models have a better test."""
    if k == 2:
        detail = "2 models; for two use wilcoxon_signed_rank."
        return Assumption("more than two models", False, detail)
    return Assumption("more than two models", k > 2, f"{k} models are compared.")


# --- all models at once


def _check_listed(options: Mapping[str, Any], _: Relation, models: int, datasets: int) -> None:
    """Refuse the exact distribution of a table that is too large for it."""
    if options.get("method") == "exact" and datasets > _EXACT_AT_MOST.get(models, 1):
        raise _too_many(datasets, models)


def _too_many(datasets: int, models: int) -> ArgumentError:
    reason = f"'exact' cannot list {datasets} data sets x {models} models"
    return ArgumentError("method", f"{reason}; use 'asymptotic' or 'auto'")


@register(
    **_OMNIBUS, posthoc="friedman_posthoc", citation="friedman1937", check_options=_check_listed
)
def friedman(
    scores: ArrayLike,
    *,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    **options: Unpack[TableOptions],
) -> Result:
    """Friedman test.

    Do any of the algorithms differ over data sets like these?

    χ² = (k−1)(ΣR_j² − N²k(k+1)²/4) / (Σr² − Nk(k+1)²/4) with rank sums R_j, corrected for ties
    (Friedman 1937; Conover 1999, section 5.8; Demšar 2006, section 3.2.2).

    Parameters
    ----------
    method : {"auto", "exact", "asymptotic"}
        ``asymptotic``: χ² with k − 1 degrees of freedom. ``exact``: all permutations of the ranks
        within data sets, ties kept. ``auto``: exact for small tables, else asymptotic.

    Returns
    -------
    Result
        ``effect_sizes``: ``kendall_w``, 0 (no agreement) to 1 (all data sets rank alike).
        ``details``: ``average_ranks``, ``rank_sums``, ``p_asymptotic``, and ``chi2_uncorrected``
        as printed in Demšar (2006).

    Warnings
    --------
    With two models it is equivalent to the sign test: use wilcoxon_signed_rank.

    Examples
    --------
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> result = friedman(scores)
    >>> round(result.statistic, 4), round(result.pvalue, 6), result.variant
    (7.6, 0.02392, 'exact')
    """
    table = RankTable(scores, **options)
    exact = None
    if method != "asymptotic" and table.status is Status.OK:
        budget = _AUTO_BUDGET
        if method == "exact":
            budget = _EXACT_BUDGET
        if max(arrangement_count(row) for row in table.doubled) <= _MAX_ARRANGEMENTS:
            # deviations from the mean rank keep the numbers small
            exact = permutation_pvalue(table.doubled - (table.k + 1), table.between, budget)
        if exact is None and method == "exact":
            raise _too_many(table.n, table.k)
    variant = "exact"
    pvalue = exact
    assumptions = [_two_models(table.k)]
    if pvalue is None:
        variant = "chi_square"
        pvalue = table.p_chi2
        approximation = Assumption(
            "chi-square approximation",
            table.n > 10 and table.k > 5,
            f"{table.n} data sets and {table.k} models; it is good from about 10 data sets and 5 "
            "models on, and conservative below (iman_davenport is less so).",
        )
        assumptions.append(approximation)
    return table.omnibus(
        table.status,
        table.chi2,
        pvalue,
        variant=variant,
        df=float(table.k - 1),
        effect_sizes={"kendall_w": table.kendall_w},
        assumptions=tuple(assumptions),
        details={"p_asymptotic": table.p_chi2},
    )


@register(**_OMNIBUS, posthoc="friedman_posthoc", citation="iman1980")
def iman_davenport(scores: ArrayLike, **options: Unpack[TableOptions]) -> Result:
    """Iman-Davenport test.

    Do any of the algorithms differ over data sets like these?

    The F form of Friedman's test, less conservative than χ²: F = (N−1)χ² / (N(k−1) − χ²), df k − 1
    and (k−1)(N−1), with the tie-corrected χ² (Iman & Davenport 1980; Demšar 2006, section 3.2.2).

    Returns
    -------
    Result
        Where all data sets rank the models in the same way, F is infinite and its p undecided
        (``zero_variance``); ``details["p_perfect_agreement"]`` is the exact probability of that
        under the null, and `friedman` has an ordinary p-value.

    Warnings
    --------
    With two models use wilcoxon_signed_rank.

    Examples
    --------
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> round(iman_davenport(scores).pvalue, 6)
    0.003318
    """
    table = RankTable(scores, **options)
    return table.f_test(
        table.between,
        table.residual,
        effect_sizes={"kendall_w": table.kendall_w},
        details={"chi2": table.chi2},
    )


@register(**_OMNIBUS, posthoc="wilcoxon_signed_rank", citation="quade1979")
def quade(scores: ArrayLike, **options: Unpack[TableOptions]) -> Result:
    """Quade test.

    Do any of the algorithms differ, with data sets weighted by the range of their scores?

    S_ij = Q_i (r_ij − (k+1)/2), Q_i the rank of data set i's range; A = ΣS_ij², B = ΣS_j²/N;
    F = (N−1)B/(A−B), df k − 1 and (N−1)(k−1). For k = 2 it is the signed-rank test's z in
    another form (Quade 1979; Conover 1999, section 5.8).

    Returns
    -------
    Result
        As that of `iman_davenport` where all weighted rankings are the same.

    Warnings
    --------
    It weights data sets by the range of their scores, so differences must be comparable between
    data sets.

    Examples
    --------
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> round(quade(scores).pvalue, 6)
    0.002094
    """
    table = RankTable(scores, **options)
    oriented = table.scores
    rounded = oriented
    if table.decimals is not None:
        rounded = np.round(oriented, table.decimals)
    ranges_of_rounded = np.ptp(rounded, axis=1)
    # Q_i, the ranks of the ranges
    weight, _ = rank(quantise(ranges_of_rounded, scale_of(oriented), table.decimals))
    # four times S_ij, integers: "no variance left" needs no tolerance
    signed = (table.doubled - (table.k + 1)).astype(object)
    weighted = np.rint(2 * weight)[:, None].astype(object) * signed
    sums = weighted.sum(axis=0)
    between = int((sums**2).sum())
    ranges = np.ptp(oriented, axis=1)
    comparable = Assumption(
        "comparable ranges",
        None,
        "Score differences must mean the same on every data set; the ranges go from "
        f"{ranges.min():.4g} to {ranges.max():.4g}.",
    )
    return table.f_test(
        between,
        table.n * int((weighted**2).sum()) - between,
        comparable,
        details={
            "weighted_sums": [float(s) / 4 for s in sums],
            "dataset_weights": weight.tolist(),
        },
    )


@register(**_OMNIBUS, paired=False, posthoc="wilcoxon_signed_rank", citation="kruskal1952")
def kruskal_wallis(
    scores: ArrayLike,
    *,
    missing: Literal["raise", "omit"] = "raise",
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Kruskal-Wallis test.

    Do the scores of the algorithms differ, ignoring which data set each score comes from?

    H = [12/(n(n+1)) ΣR_j²/n_j − 3(n+1)] / [1 − Σ(t³−t)/(n³−n)], χ² with k − 1 degrees of
    freedom (Kruskal & Wallis 1952).

    Returns
    -------
    Result
        ``effect_sizes``: ``epsilon_squared`` = H/(n−1) and ``eta_squared_H`` = (H−k+1)/(n−k), n
        the number of scores. ``details``: ``mean_ranks`` (1 = best of all scores).

    Warnings
    --------
    It ignores that every model was scored on the same data sets: the variation between data sets
    hides differences between models. Use friedman.

    Examples
    --------
    >>> scores = [[.8, .9, .7], [.8, .9, .8], [.9, .8, .9], [.85, .85, .7]]
    >>> round(kruskal_wallis(scores).pvalue, 4)
    0.305
    """
    omit = missing == "omit"
    table = as_dataset_table(scores, greater_is_better=greater_is_better, allow_missing=omit)
    present = ~np.isnan(table)
    sizes = present.sum(axis=0).astype(np.float64)
    if not sizes.all():
        without_scores = int(np.argmin(sizes))
        raise ArgumentError(
            "scores", f"model {without_scores} has no score at all; leave out the model"
        )
    values = table.T[present.T]  # model by model; the ranks are those of all scores together
    ranks, counts = rank(-quantise(values, scale_of(values), decimals))
    n = int(sizes.sum())
    k = len(sizes)
    n_datasets = len(table)
    ranks_of_models = np.split(ranks, np.cumsum(sizes)[:-1].astype(int))
    sums = np.array([ranks_of_model.sum() for ranks_of_model in ranks_of_models])
    status = Status.OK
    if len(counts) == 1:
        status = Status.IDENTICAL_SCORES
    elif n <= k:
        status = Status.TOO_FEW
    h = 0.0
    if status is not Status.IDENTICAL_SCORES:
        # H = 12/(n(n + 1)) Σ n_j (R̄_j − (n + 1)/2)²/(1 − Σ(t³ − t)/(n³ − n)), a
        # sum of squared deviations of the mean ranks: no difference of large numbers
        h = 12 / (n * (n + 1)) * float((sizes * (sums / sizes - (n + 1) / 2) ** 2).sum())
        h = h / (1 - tie_sum(counts) / (float(n) ** 3 - n))
    _, pvalue = answered(status, h, float(special.chdtrc(k - 1, h)), 1.0)
    eta_squared = math.nan
    if n > k:
        eta_squared = (h - k + 1) / (n - k)
    return Result(
        variant="chi_square",
        statistic=h,
        df=float(k - 1),
        pvalue=pvalue,
        n=n_datasets,
        null_hypothesis=f"The scores of all {k} algorithms come from one distribution, whatever "
        "the data set.",
        status=status,
        effect_sizes={"epsilon_squared": h / (n - 1), "eta_squared_H": eta_squared},
        assumptions=(
            Assumption(
                "independent scores",
                False,
                f"{n} scores come from {n_datasets} data sets: scores of one data set go together, "
                "which this test ignores; use friedman.",
            ),
            Assumption(
                "chi-square approximation",
                bool(sizes.min() >= 5),
                f"The smallest group has {int(sizes.min())} scores; 5 are recommended.",
            ),
        ),
        details={
            "mean_ranks": (sums / sizes).tolist(),
            "group_sizes": sizes.tolist(),
            "n_scores": n,
        },
    )


# --- pairs of models by their average ranks


@dataclasses.dataclass(frozen=True)
class _Scale:
    """What a difference of average ranks is measured by."""

    status: Status
    error: float  # standard error of a difference
    df: float = math.inf
    half: float = math.nan  # half the width of a simultaneous interval; NaN where there is none
    method: str = ""  # of the interval


def _range_pairs(
    scores: ArrayLike, level: float, **options: Unpack[TableOptions]
) -> PairwiseResult:
    """Compare all pairs by the range of k normal variables."""
    table = RankTable(scores, **options)
    error = table.error
    q_alpha = range_isf(1 - level, table.k) / math.sqrt(2)
    differences = {}
    for alpha in (0.1, 0.05, 0.01):
        differences[f"{alpha:.2f}"] = range_isf(alpha, table.k) / math.sqrt(2) * error
    scale = _Scale(table.status, error, half=q_alpha * error, method="nemenyi")
    pairs = _pairs_of_ranks(table, scale, None, "two-sided", level)
    sizes = [math.sqrt(2) * abs(pair.estimate) / error for pair in pairs]
    pvalues = [pair.pvalue for pair in pairs]
    adjusted = np.maximum(range_sf(sizes, table.k), pvalues)  # NaN stays NaN
    return _rank_result(
        table,
        scale,
        _adjusted(pairs, adjusted),
        correction="studentized-range",
        control=None,
        alternative="two-sided",
        level=level,
        details={"q_alpha": q_alpha, "critical_differences": differences},
    )


def _compare_pairs(
    scores: ArrayLike,
    by: Literal["z", "t"],
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
    **options: Unpack[TableOptions],
) -> PairwiseResult:
    """Compare all pairs, or a control with the others, and adjust their p-values."""
    table = RankTable(scores, **options)
    n_pairs = len(pairs_of(table.k, control))
    correction = check_correction(correction, control, alternative)
    assumptions: tuple[Assumption, ...] = ()
    scale = _Scale(table.status, table.error)
    if by == "t":
        scale = _conover_scale(table)
        assumptions = (_residual_variance(table, scale),)
    # single steps have simultaneous intervals; those of z exist where all ranks are tied as well
    if correction in _SINGLE_STEP and (by == "z" or scale.status is Status.OK):
        level_each = simultaneous_level(confidence_level, n_pairs, correction)
        tail = tail_probability(level_each, alternative)
        half = -float(special.stdtrit(scale.df, tail)) * scale.error
        scale = dataclasses.replace(scale, half=half, method=correction)
    pairs = _pairs_of_ranks(table, scale, control, alternative, confidence_level)
    adjusted = adjust_pvalues([pair.pvalue for pair in pairs], correction)
    return _rank_result(
        table,
        scale,
        _adjusted(pairs, adjusted),
        correction=correction,
        control=control,
        alternative=alternative,
        level=confidence_level,
        assumptions=assumptions,
    )


def _conover_scale(table: RankTable) -> _Scale:
    """√(2(NΣr² − ΣR_j²)/((N−1)(k−1)))/N, on (N−1)(k−1) degrees of freedom."""
    df = float((table.n - 1) * (table.k - 1))
    if table.perfect:
        return _Scale(Status.ZERO_VARIANCE, 0.0, df)
    if table.status is not Status.OK:
        return _Scale(table.status, 0.0, df)
    return _Scale(table.status, math.sqrt(table.residual / (2 * df)) / table.n, df)


def _residual_variance(table: RankTable, scale: _Scale) -> Assumption:
    detail = (
        f"The standard error of a rank difference is {scale.error:.4g} (Friedman's z test takes "
        f"{table.error:.4g})."
    )
    if table.perfect:
        detail = (
            "Every data set ranks the models in the same way: no variance is left to compare "
            "with, use friedman_posthoc."
        )
    return Assumption("residual variance", not table.perfect, detail)


def _pairs_of_ranks(
    table: RankTable, scale: _Scale, control: int | None, side: Alternative, level: float
) -> list[Pair]:
    """Test each difference of average ranks by itself."""
    se = math.nan
    if scale.status is Status.OK:
        se = scale.error
    df = None
    if math.isfinite(scale.df):
        df = scale.df
    pairs = []
    for a, b in pairs_of(table.k, control):
        # from integers, so that equal rank sums give exactly 0
        value = float(table.sums[b] - table.sums[a]) / (2 * table.n)
        status = scale.status
        if status is not Status.TOO_FEW and (table.ranks[:, a] == table.ranks[:, b]).all():
            status = Status.IDENTICAL_SCORES
        estimate = Estimate(value=value, se=se, df=scale.df, status=status)
        statistic, pvalue = estimate.test(side)
        ci = None
        if not math.isnan(scale.half) and status is not Status.TOO_FEW:
            low = value - scale.half
            high = value + scale.half
            if side == "less":
                low = -math.inf
            if side == "greater":
                high = math.inf
            ci = ConfidenceInterval(low, high, level, scale.method)
        pair = Pair(
            a=a,
            b=b,
            statistic=statistic,
            pvalue=pvalue,
            pvalue_adjusted=pvalue,
            estimate=value,
            ci=ci,
            df=df,
            status=status,
        )
        pairs.append(pair)
    return pairs


def _adjusted(pairs: list[Pair], pvalues: FloatArray) -> tuple[Pair, ...]:
    adjusted = []
    for pair, pvalue in zip(pairs, pvalues.tolist(), strict=True):
        adjusted.append(dataclasses.replace(pair, pvalue_adjusted=pvalue))
    return tuple(adjusted)


def _rank_result(
    table: RankTable,
    scale: _Scale,
    pairs: tuple[Pair, ...],
    *,
    correction: str,
    control: int | None,
    alternative: Alternative,
    level: float,
    assumptions: tuple[Assumption, ...] = (),
    details: Mapping[str, Any] = MappingProxyType({}),
) -> PairwiseResult:
    variant = "versus_control"
    if control is None:
        variant = "all_pairs"
    friedman_pvalue = math.nan
    if table.n >= 2:
        friedman_pvalue = table.p_chi2
    result = PairwiseResult(
        variant=variant,
        correction=correction,
        pairs=pairs,
        n=table.n,
        alternative=alternative,
        null_hypothesis="The two algorithms of a pair have the same expected rank among "
        f"{table.k} exchangeable algorithms.",
        status=scale.status,
        assumptions=(
            Assumption(
                "enough data sets",
                table.n >= 10,
                f"{table.n} data sets; the normal approximation of average ranks wants 10 or more.",
            ),
            _few_ties(table),
            table.exchangeable(),
            *assumptions,
        ),
        details={
            "control": control,
            "friedman_chi2": table.chi2,
            "friedman_pvalue": friedman_pvalue,
            "standard_error": scale.error,
            "critical_difference": scale.half,
            **details,
        },
    )
    return with_ranks(result, table.average.tolist(), level)


def _few_ties(table: RankTable) -> Assumption:
    ordered = np.sort(table.ranks, axis=1)
    ties = int((ordered[:, :-1] == ordered[:, 1:]).sum())
    few = None
    if ties == 0:
        few = True
    detail = (
        f"{ties} ties inside data sets; the standard error of the z test assumes none, with ties "
        "it is conservative."
    )
    return Assumption("few ties", few, detail)


@register(**_POSTHOC, citation="nemenyi1963")
def nemenyi(
    scores: ArrayLike,
    *,
    confidence_level: Level = 0.95,
    **options: Unpack[TableOptions],
) -> PairwiseResult:
    """Nemenyi test.

    Which pairs of algorithms differ by more than the critical difference?

    All pairs after Friedman's test: CD = q_α √(k(k+1)/(6N)), q_α the upper quantile of the range of
    k standard normal variables divided by √2; the adjusted p is P(range > |z|√2) (Nemenyi 1963;
    Demšar 2006, section 3.2.2, table 5a).

    Parameters
    ----------
    confidence_level : float
        Of the simultaneous intervals; 1 − it is the level of the critical difference.

    Returns
    -------
    PairwiseResult
        Each pair's ``estimate`` is by how much a's average rank is better than b's, ± the
        critical difference in ``ci``; ``statistic`` its z. ``details``: ``average_ranks``,
        ``critical_difference``, ``q_alpha``, ``critical_differences`` at the levels .10, .05 and
        .01, and ``cd_groups``.

    Warnings
    --------
    A pair's result depends on the other models in the table (Benavoli et al. 2016); that of
    wilcoxon_signed_rank does not. Shaffer's correction of friedman_posthoc is more powerful.

    Examples
    --------
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = nemenyi(scores)
    >>> [round(pair.pvalue_adjusted, 4) for pair in result.pairs]
    [0.1072, 0.0043, 0.4804]
    >>> round(result.details["critical_difference"], 4), result.details["cd_groups"]
    (1.3531, ((2, 1), (1, 0)))
    """
    return _range_pairs(scores, confidence_level, **options)


@register(**_POSTHOC, title="z post hoc of Friedman's test", citation="demsar2006")
def friedman_posthoc(scores: ArrayLike, **options: Unpack[PosthocOptions]) -> PairwiseResult:
    """Compare average ranks by a z test, all pairs or versus a control.

    Which algorithms differ from each other, or from a control?

    z = (R_b − R_a) / √(k(k+1)/(6N)) with average ranks R (Demšar 2006, section 3.2.2; García &
    Herrera 2008 for Shaffer's correction).

    Parameters
    ----------
    correction : str
        A method of `adjust_pvalues`. ``bonferroni`` versus a control is the Bonferroni-Dunn
        test; ``shaffer`` is for all pairs.

    Warnings
    --------
    A pair's result depends on the other models in the table (Benavoli et al. 2016); that of
    wilcoxon_signed_rank does not.

    Examples
    --------
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> [round(pair.pvalue_adjusted, 4) for pair in friedman_posthoc(scores, control=0).pairs]
    [0.0269, 0.0228]
    """
    return _compare_pairs(scores, "z", **options)


@register(**_POSTHOC, citation="conover1999")
def conover_friedman(scores: ArrayLike, **options: Unpack[PosthocOptions]) -> PairwiseResult:
    """Conover test after Friedman.

    Which algorithms differ from each other, or from a control?

    t = (R_b − R_a) / √(2(NΣr² − ΣR_j²) / ((N−1)(k−1))) with rank sums R; ties are in Σr² (Conover
    1999, section 5.8).

    Parameters
    ----------
    correction : str
        A method of `adjust_pvalues`; ``none`` is Conover's own protected procedure.

    Warnings
    --------
    A pair's result depends on the other models in the table (Benavoli et al. 2016); that of
    wilcoxon_signed_rank does not. Its error estimate shrinks as the rankings of the data sets
    agree: with perfect agreement it is undecided.

    Examples
    --------
    >>> scores = [[.934, .963, .952], [.919, .928, .981], [.612, .617, .718],
    ...           [.697, .834, .832], [.678, .715, .744]]
    >>> [round(pair.pvalue_adjusted, 4) for pair in conover_friedman(scores).pairs]
    [0.0075, 0.0051, 0.5796]
    """
    return _compare_pairs(scores, "t", **options)


# --- the groups that a critical difference diagram joins


def with_ranks(result: PairwiseResult, average_ranks: list[float], level: float) -> PairwiseResult:
    """Add the average ranks of the models, and of two-sided tests of all pairs the groups."""
    details = {**result.details, "average_ranks": average_ranks}
    if details["control"] is None and result.alternative == "two-sided":
        alpha = round(1 - level, 12)
        groups, hidden = _groups(result.pairs, average_ranks, alpha)
        details |= {"alpha": alpha, "cd_groups": groups, "cd_pairs_not_shown": hidden}
    return dataclasses.replace(result, details=details)


@checked
def cd_groups(result: PairwiseResult, *, alpha: float = 0.05) -> tuple[tuple[int, ...], ...]:
    """Group the models that a critical difference diagram joins by a bar.

    Parameters
    ----------
    result : PairwiseResult
        An all-pairs result whose details hold ``average_ranks``.
    alpha : float
        The level; a pair differs when its adjusted p-value is at most alpha.

    Returns
    -------
    tuple of tuple of int
        Column numbers of the models in each group, best first; groups from best to worst. A
        group is a longest run of models, neighbours by average rank, no two of which differ; an
        undecided pair (p NaN) is never joined. Where two models differ that lie between two others
        which do not, no bar can show the outer pair: ``details["cd_pairs_not_shown"]`` of the
        result lists it (Demšar 2006, section 3.2.4).

    Examples
    --------
    >>> scores = [[.6681, .7181, .7681], [.6277, .6777, .7277], [.7825, .8325, .8825],
    ...           [.611, .661, .711], [.7845, .8345, .8845], [.6994, .7494, .7994]]
    >>> cd_groups(nemenyi(scores))
    ((2, 1), (1, 0))
    """
    if not isinstance(result, PairwiseResult) or "average_ranks" not in result.details:
        raise ArgumentError("result", f"{result.test} has no ranked pairs; use a rank procedure")
    if result.details.get("control") is not None or result.alternative != "two-sided":
        raise ArgumentError(
            "result",
            f"{result.test} was versus a control or one-sided; groups need two-sided "
            "tests of all pairs (control=None)",
        )
    groups, _ = _groups(result.pairs, result.details["average_ranks"], alpha)
    return groups


def _groups(
    pairs: Sequence[Pair], average_ranks: list[float], alpha: float
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]:
    """Return the groups, and the pairs that do not differ and are in none of them."""
    order: list[int] = np.argsort(average_ranks, kind="stable").tolist()
    position = {model: i for i, model in enumerate(order)}
    joined = np.eye(len(order), dtype=np.bool_)
    for pair in pairs:
        i = position[pair.a]
        j = position[pair.b]
        joined[i, j] = pair.pvalue_adjusted > alpha  # False for NaN
        joined[j, i] = joined[i, j]
    shown = np.eye(len(order), dtype=np.bool_)
    groups: list[tuple[int, ...]] = []
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and joined[end, start:end].all():
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(order[start:end]))
            shown[start:end, start:end] = True
        last_end = max(last_end, end)
    hidden = []
    for pair in pairs:
        i = position[pair.a]
        j = position[pair.b]
        if joined[i, j] and not shown[i, j]:
            hidden.append((pair.a, pair.b))
    return tuple(groups), tuple(hidden)
