"""Where the differences between two algorithms vary: splits, tuning runs, seeds.

Analysis-of-variance estimators. What more splits and seeds remove is the noise of the simulation
alone; the noise that the rows carry stays (`half_sample_t` measures that).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import PositiveInt, check_number, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_scores

__all__ = ["VarianceComponents", "variance_components", "variance_components_from_means"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class VarianceComponents:
    """The variance of a difference by source.

    Attributes
    ----------
    sources : tuple of str
        Outermost first, e.g. ``("splits", "seeds")``.
    raw, variances : tuple of float
        Per source: the estimate, which may be negative, and the same truncated at 0.
    sizes : tuple of float
        Per source: how many levels the mean of its level is over, so that the variance of the
        mean is the sum of variances/sizes.
    mean, variance_of_mean : float
        The mean difference, and how far it would vary with other splits and seeds of these rows.
    variance_of_rows : float
        The variance that the rows give the mean; NaN where it was not given.
    method : str
        Citation key (see `bakeoff.stats.core.citations`).
    """

    sources: tuple[str, ...]
    raw: tuple[float, ...]
    variances: tuple[float, ...]
    sizes: tuple[float, ...]
    mean: float
    variance_of_mean: float
    variance_of_rows: float = math.nan
    method: str = "searle1971"

    def variance_with(self, splits: int, seeds: int, tunings: int = 1) -> float:
        """Return the variance of the mean with S splits, T tuning runs in each, and K seeds.

        σ²_split/S + σ²_tune/(S T) + σ²_seed/(S T K) where seeds belong to their split; crossed,
        σ²_split/S + σ²_seed/K + σ²_rest/(S K). For splits alone what seeds add is part of theirs.
        """
        if min(splits, seeds, tunings) < 1:
            found = f"{splits}, {seeds} and {tunings}"
            raise ValueError(f"splits, seeds, tunings: found {found}, must be 1 or more")
        split, *inner = self.variances
        if self.sources[-1] == "rest":
            seed, rest = inner
            return split / splits + seed / seeds + rest / (splits * seeds)
        *_, tune, seed = (0.0, 0.0, *inner)
        return (split + (tune + seed / seeds) / tunings) / splits

    def best_seeds(self, *, split_cost: float = 0.0, fit_cost: float = 1.0) -> int:
        """Return the number of seeds per split that buys the least variance for the time.

        √(c₀ σ²_seed/(c σ²_split)) with the cost c₀ of a split and c of a fit, at least 1.
        """
        split, seed = self.variances[0], self.variances[-1]
        if check_number(split_cost, "split_cost") < 0 or check_number(fit_cost, "fit_cost") <= 0:
            raise ValueError("split_cost, fit_cost: must be at least 0, and above 0")
        if split == 0:
            return 1
        return max(1, round(math.sqrt(split_cost * seed / (fit_cost * split))))

    def advice(
        self,
        *,
        splits: int,
        seeds: int,
        tunings: int = 1,
        more_splits: int = 3,
        more_seeds: int = 10,
    ) -> str:
        """Say in a sentence what would make the mean more certain.

        Parameters
        ----------
        splits, seeds, tunings : int
            What the study has: seeds of each tuning run, tuning runs of each split.
        more_splits, more_seeds : int
            What could be added: splits, or seeds to every split.
        """
        if self.variance_with(splits, seeds, tunings) < self.variance_of_rows / 10:
            return "More fits will not help, more rows will."
        if self.sources == ("splits",):
            return "More splits will help."
        by_splits = self.variance_with(splits + more_splits, seeds, tunings)
        by_seeds = self.variance_with(splits, seeds + more_seeds, tunings)
        if by_splits <= by_seeds:
            return f"{more_splits} more splits beat {more_seeds} more seeds for every split."
        return f"{more_seeds} more seeds for every split beat {more_splits} more splits."


@checked
def variance_components(
    differences: Any,
    *,
    layout: Literal["nested", "crossed"] = "nested",
    variance_of_rows: float = math.nan,
) -> VarianceComponents:
    """Estimate how much of the variance of differences is due to splits, tuning and seeds.

    Parameters
    ----------
    differences : nested sequences of float
        Score of A less B's. ``"nested"``: one sequence of seeds for each split, or for each
        tuning run of each split; they may have unequal lengths. ``"crossed"``: an array (S, K) of
        splits and the same seeds on all of them.
    layout : {"nested", "crossed"}
        Whether seeds belong to their split or are the same on all.
    variance_of_rows : float
        The squared standard error of `half_sample_t`, where known: what no further fit removes.

    Returns
    -------
    VarianceComponents
        Sources ``("splits", "seeds")``, ``("splits", "tuning", "seeds")``, or for
        ``"crossed"`` ``("splits", "seeds", "rest")``.

    Notes
    -----
    The type I estimators of Searle (1971): with unequal numbers nᵢ in S splits of N values,
    σ²_split = (MS_b − MS_w)/n₀ with n₀ = (N − Σnᵢ²/N)/(S − 1).

    Examples
    --------
    >>> parts = variance_components([[0.04, 0.05], [0.00, 0.01], [0.02, 0.03]])
    >>> [round(v, 6) for v in parts.variances]
    [0.000375, 5e-05]
    >>> parts.advice(splits=3, seeds=2)
    '3 more splits beat 10 more seeds for every split.'
    """
    if layout == "crossed":
        return _crossed(as_scores(differences, "differences", ndim=2), variance_of_rows)
    rows = list(differences)
    if rows and all(np.ndim(first) > 0 for row in rows for first in list(row)[:1]):
        return _three_levels([[_values(run) for run in split] for split in rows], variance_of_rows)
    return _two_levels([_values(row) for row in rows], variance_of_rows)


@checked
def variance_components_from_means(
    means: ArrayLike,
    within: float = math.nan,
    *,
    seeds: PositiveInt = 1,
    variance_of_rows: float = math.nan,
) -> VarianceComponents:
    """Estimate the same from each split's mean over its seeds; see `variance_components`.

    Parameters
    ----------
    means : array_like of float, shape (S,)
        The mean difference of each split, over as many seeds.
    within : float
        The variance of a difference between seeds of one split; NaN where there is one seed, so
        that it is part of the variance of the splits.
    seeds : int
        How many seeds each mean is over.
    variance_of_rows : float
        As in `variance_components`.

    Returns
    -------
    VarianceComponents
        Sources ``("splits", "seeds")``, or ``("splits",)`` with one seed.

    Examples
    --------
    >>> parts = variance_components_from_means([0.045, 0.005, 0.025], 5e-05, seeds=2)
    >>> [round(v, 6) for v in parts.variances]
    [0.000375, 5e-05]
    """
    values = as_scores(means, "means")
    if len(values) < 2:
        raise ArgumentError("means", f"found {len(values)} split(s), needs two")
    between, grand = float(values.var(ddof=1)), float(values.mean())
    if math.isnan(within):
        return _found({"splits": between}, (len(values),), grand, variance_of_rows)
    raw = {"splits": between - within / seeds, "seeds": within}
    return _found(raw, (len(values), len(values) * seeds), grand, variance_of_rows)


def _values(run: ArrayLike) -> FloatArray:
    return as_scores(run, "differences")


def _check_freedom(splits: int, freedom: int) -> None:
    if splits < 2 or freedom < 1:
        raise ArgumentError(
            "differences",
            f"found {splits} split(s) and {freedom} repeated value(s); needs two "
            "splits and two values in one of them",
        )


def _two_levels(groups: Sequence[FloatArray], rows: float) -> VarianceComponents:
    sizes = np.array([len(group) for group in groups], dtype=float)
    total, splits = float(sizes.sum()), len(groups)
    _check_freedom(splits, int(total) - splits)
    means = np.array([group.mean() for group in groups])
    grand = float(np.concatenate(groups).mean())
    within = math.fsum(float(((g - g.mean()) ** 2).sum()) for g in groups) / (total - splits)
    between = float((sizes * (means - grand) ** 2).sum()) / (splits - 1)
    per_split = (total - float((sizes**2).sum()) / total) / (splits - 1)
    weight = float((sizes**2).sum()) / total**2
    return _found(
        {"splits": (between - within) / per_split, "seeds": within},
        (1 / weight, total),
        grand,
        rows,
    )


def _crossed(table: FloatArray, rows: float) -> VarianceComponents:
    splits, seeds = table.shape
    _check_freedom(splits, min(seeds, table.size - splits))
    if seeds < 2:
        raise ArgumentError(
            "differences", "found 1 seed, crossed splits and seeds need two of each"
        )
    grand = float(table.mean())
    by_split, by_seed = table.mean(axis=1), table.mean(axis=0)
    ms_split = seeds * float(((by_split - grand) ** 2).sum()) / (splits - 1)
    ms_seed = splits * float(((by_seed - grand) ** 2).sum()) / (seeds - 1)
    rest = table - by_split[:, None] - by_seed + grand
    ms_rest = float((rest**2).sum()) / ((splits - 1) * (seeds - 1))
    return _found(
        {
            "splits": (ms_split - ms_rest) / seeds,
            "seeds": (ms_seed - ms_rest) / splits,
            "rest": ms_rest,
        },
        (splits, seeds, table.size),
        grand,
        rows,
    )


def _three_levels(groups: Sequence[Sequence[FloatArray]], rows: float) -> VarianceComponents:
    runs = [run for split in groups for run in split]
    sizes = [np.array([len(run) for run in split], dtype=float) for split in groups]
    per_split = np.array([s.sum() for s in sizes])
    total, splits, tuned = float(per_split.sum()), len(groups), len(runs)
    _check_freedom(splits, min(int(total) - tuned, tuned - splits))
    grand = float(np.concatenate(runs).mean())
    seed = math.fsum(float(((run - run.mean()) ** 2).sum()) for run in runs) / (total - tuned)
    means = [np.concatenate(list(split)).mean() for split in groups]
    ss_tune = math.fsum(
        float(len(run) * (run.mean() - mean) ** 2)
        for split, mean in zip(groups, means, strict=True)
        for run in split
    )
    ss_split = float((per_split * (np.array(means) - grand) ** 2).sum())
    k12 = math.fsum(float((s**2).sum() / s.sum()) for s in sizes)
    k13 = math.fsum(float((s**2).sum()) for s in sizes) / total
    k23 = float((per_split**2).sum()) / total
    tune = (ss_tune - (tuned - splits) * seed) / (total - k12)
    split = (ss_split - (k12 - k13) * tune - (splits - 1) * seed) / (total - k23)
    return _found(
        {"splits": split, "tuning": tune, "seeds": seed},
        (total / k23, total / k13, total),
        grand,
        rows,
    )


def _found(
    raw: Mapping[str, float], sizes: tuple[float, ...], mean: float, rows: float
) -> VarianceComponents:
    truncated = tuple(max(value, 0.0) for value in raw.values())
    return VarianceComponents(
        sources=tuple(raw),
        raw=tuple(raw.values()),
        variances=truncated,
        sizes=tuple(float(size) for size in sizes),
        mean=mean,
        variance_of_mean=math.fsum(v / size for v, size in zip(truncated, sizes, strict=True)),
        variance_of_rows=rows,
    )
