"""Several classifiers over several data sets, of which some have not seen every classifier."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from bakeoff.stats.core.arguments import Decimals, PositiveInt, Seed
from bakeoff.stats.core.arithmetic import gram, inner, root, solved
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.ranks import as_dataset_table, rank_rows
from bakeoff.stats.core.registry import register
from bakeoff.stats.core.result import Assumption, Result, Status
from bakeoff.stats.datasets.incomplete import check_connected
from bakeoff.stats.datasets.rank_tests import (
    NULL,
    OMNIBUS,
    arrangement_count,
    arrangements,
    degenerate_pvalue,
    two_models,
)

_ENUMERATED = 100_000
MANY = 30
"""From so many data sets on the χ² distribution holds its level."""


@register(
    **OMNIBUS,
    title="Skillings-Mack test",
    answers="Do any of the algorithms differ over data sets like these, where some scores are "
    "missing?",
    posthoc="wilcoxon_signed_rank",
    citation="@article{skillings1981, author = {Skillings, John H. and Mack, Gregory A.}, "
    "title = {On the use of a {Friedman}-type statistic in balanced and unbalanced block designs}, "
    "journal = {Technometrics}, year = {1981}, volume = {23}, number = {2}, pages = {171--177}, "
    "doi = {10.1080/00401706.1981.10486261}}",
    caution="It assumes that scores are missing at random. Where a model has no score because it "
    "failed, its p-values are too small; see missing_cells: failed.",
)
def skillings_mack(
    scores: ArrayLike,
    *,
    method: Literal["auto", "permutation", "asymptotic"] = "auto",
    missing: Literal["raise", "omit"] = "raise",
    n_resamples: PositiveInt = 9999,
    seed: Seed = 0,
    greater_is_better: bool = True,
    decimals: Decimals | None = None,
) -> Result:
    """Skillings and Mack's test: Friedman's for tables with missing cells, corrected for ties.

    Parameters
    ----------
    method : {"auto", "permutation", "asymptotic"}
        ``permutation``: the scores that are present change places within each data set; all
        arrangements are counted up to 100,000, else `n_resamples` are drawn and p is
        (1 + #)/(1 + n_resamples). ``asymptotic``: χ². ``auto``: permutation below 30 data sets.
    missing : {"raise", "omit"}
        ``omit`` takes NaN for a missing cell; a data set with fewer than two scores is left out.

    Returns
    -------
    Result
        ``statistic`` T with ``df`` k − 1 (less where models differ on tied data sets alone).
        ``effect_sizes``: ``kendall_w`` = T/Σ(n_j − 1), on a full table Kendall's. ``details``:
        ``data_sets_used``, ``mean_rank_present``, ``weighted_rank_sums``, ``p_asymptotic``, and
        ``statistic_published`` with ``pvalue_published``, which know no ties.

    Notes
    -----
    On data set j with n_j scores, centred ranks c_ij and w_j = √(12/(n_j + 1)): A_i = Σ_j w_j c_ij,
    V = Σ_j w_j² Σ_i c_ij²/(n_j − 1) (I − 11'/n_j) on the models present, T = A'V⁻A. Skillings and
    Mack's V has n_j in place of w_j² Σc²/(n_j − 1), which is the same without ties. On a full
    table T is Friedman's statistic, corrected for ties.

    References
    ----------
    Skillings & Mack (1981).

    Examples
    --------
    >>> from bakeoff.stats import skillings_mack
    >>> nan = float("nan")
    >>> minutes = [[3.2, 4.1, 3.8, 4.2], [3.1, 3.9, 3.4, 4.0], [4.3, 3.5, 4.6, 4.8],
    ...            [3.5, 3.6, 3.9, 4.0], [3.6, 4.2, 3.7, 3.9], [4.5, 4.7, 3.7, nan],
    ...            [nan, 4.2, 3.4, nan], [4.3, 4.6, 4.4, 4.9], [3.5, nan, 3.7, 3.9]]
    >>> result = skillings_mack(minutes, missing="omit", greater_is_better=False)
    >>> round(result.statistic, 3), result.df, round(result.details["p_asymptotic"], 5)
    (15.493, 3.0, 0.00144)
    """
    table = as_dataset_table(
        scores, greater_is_better=greater_is_better, allow_missing=missing == "omit"
    )
    used = table[(~np.isnan(table)).sum(axis=1) > 1]
    k = table.shape[1]
    if not len(used):
        raise ArgumentError("scores", "no data set has scores of two models")
    present = ~np.isnan(used)
    check_connected(present)
    ranks = rank_rows(used, decimals)
    sizes = present.sum(axis=1)
    centred = np.where(present, ranks - (sizes[:, None] + 1) / 2, 0.0)
    weighted = centred * np.sqrt(12 / (sizes[:, None] + 1))
    sums = weighted.sum(axis=0)
    spread = np.square(weighted).sum(axis=1) / (sizes - 1)
    lower = _root_of_covariance(present, spread, sizes)
    df = int(np.count_nonzero(lower.diagonal()))
    statistic = _statistic(lower, sums)
    published = _statistic(_root_of_covariance(present, sizes.astype(np.float64), sizes), sums)
    status = Status.OK if spread.any() else Status.IDENTICAL_SCORES
    if status is Status.OK and len(used) < 2:
        status = Status.TOO_FEW
    p_chi2 = float(special.chdtrc(max(df, 1), statistic))
    permuted = method == "permutation" or (method == "auto" and len(used) < MANY)
    form, pvalue = "chi_square", p_chi2
    if permuted and status is Status.OK:
        # the order of the models must not change what is drawn
        order = np.lexsort(np.vstack([present, np.round(weighted, 9)]))
        turned = _root_of_covariance(present[:, order], spread, sizes)
        given = weighted[:, order], present[:, order], turned
        form, pvalue = _permuted(*given, statistic, n_resamples, seed)
    detail = (
        f"{len(used)} data sets have scores of two models or more; the χ² distribution holds its "
        f"level from about {MANY} on"
    )
    return Result(
        variant=form,
        statistic=statistic,
        df=float(df),
        pvalue=degenerate_pvalue(status, pvalue),
        n=len(used),
        null_hypothesis=NULL.format(k=k),
        status=status,
        effect_sizes={"kendall_w": statistic / float((sizes - 1).sum())},
        assumptions=(
            two_models(k),
            Assumption(
                "scores missing at random",
                True if present.all() and len(used) == len(table) else None,
                f"{int(np.isnan(table).sum())} of {table.size} scores are missing; the test "
                "assumes that whether a score is missing has nothing to do with what it would be.",
            ),
            Assumption(
                "chi-square approximation",
                form != "chi_square" or len(used) >= MANY,
                f"{detail}." if form == "chi_square" else f"{detail}; this p-value needs none.",
            ),
        ),
        details={
            "data_sets_used": len(used),
            "permutations": math.prod(math.factorial(int(n)) for n in sizes)
            if len(used) < MANY
            else math.inf,
            "mean_rank_present": np.nanmean(ranks, axis=0).tolist(),
            "weighted_rank_sums": sums.tolist(),
            "p_asymptotic": degenerate_pvalue(status, p_chi2),
            "statistic_published": published,
            "pvalue_published": float(special.chdtrc(k - 1, published)),
        },
    )


def _root_of_covariance(present: np.ndarray, spread: FloatArray, sizes: np.ndarray) -> FloatArray:
    """Return a root of V = Σ_j s_j (I − 11'/n_j) on the models present."""
    shared = gram(present * np.sqrt(spread / sizes)[:, None])
    covariance = np.diag((present * spread[:, None]).sum(axis=0)) - shared
    return root(covariance, least=1e-10 * float(covariance.max(initial=0.0)))


def _statistic(lower: FloatArray, sums: FloatArray) -> float:
    along, _ = solved(lower, sums)
    return inner(along, along)


def _permuted(
    weighted: FloatArray,
    present: np.ndarray,
    lower: FloatArray,
    observed: float,
    n_resamples: int,
    seed: int,
) -> tuple[str, float]:
    """Return how the p-value of T was found, and the p-value."""
    doubled = [
        np.unique(row[own], return_inverse=True) for row, own in zip(weighted, present, strict=True)
    ]
    counts = [arrangement_count(codes) for _, codes in doubled]
    listed = math.prod(counts) <= _ENUMERATED
    rng = np.random.default_rng(seed)
    sums = np.zeros((1 if listed else n_resamples, len(lower)))
    for (values, codes), own in zip(doubled, present, strict=True):
        if listed:
            orders = values[arrangements(codes)]
            sums = np.repeat(sums, len(orders), axis=0)
            sums[:, own] += np.tile(orders, (len(sums) // len(orders), 1))
        else:
            sums[:, own] += rng.permuted(np.tile(values[codes], (n_resamples, 1)), axis=1)
    along, _ = solved(lower, sums.T)
    reached = int((np.square(along).sum(axis=0) >= observed * (1 - 1e-9)).sum())
    if listed:
        return "exact", reached / len(sums)
    return "permutation", (1 + reached) / (1 + n_resamples)
