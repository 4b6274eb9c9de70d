"""How the difference of two models varies from fit to fit, and what would make it more certain.

What one repetition of a plan finds differs from what the next finds, because the rows are divided
otherwise and because algorithms draw at random. Neither is the noise of the rows themselves, which
no further fit removes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons import Comparison
from bakeoff.report.family import as_float
from bakeoff.report.study_design import StudyDesign
from bakeoff.spec import Experiment
from bakeoff.spec.resampling import Halves
from bakeoff.stats import VarianceComponents, variance_components_from_means

_MEASURE_ROWS = ("half_sample_t", "cv5x2_z", "cv5x2_mcnemar")
"""Tests whose standard error is that of the rows, whatever the learner, or nearly."""


@dataclasses.dataclass(frozen=True, eq=False)
class FitNoise:
    """How the difference of two models varies over the fits of one plan on one data set.

    Attributes
    ----------
    dataset, plan, model_a, model_b : str
        Where, and whose; the models in the experiment's order.
    advantage : ndarray, shape (splits, folds)
        How much higher A scores on every fold that the plan's estimate is a mean of.
    parts : VarianceComponents
        Of the means of splits: a repetition of the plan, or a halving.
    seeds : int
        How many there are.
    """

    dataset: str
    plan: str
    model_a: str
    model_b: str
    advantage: NDArray[np.float64]
    parts: VarianceComponents
    seeds: int

    @property
    def advice(self) -> str:
        """What would make the mean difference more certain; empty with nothing to weigh."""
        if self.parts.sources == ("splits",) and math.isnan(self.parts.variance_of_rows):
            return ""
        return self.parts.advice(splits=len(self.advantage), seeds=self.seeds)


def repeated(experiment: Experiment) -> list[str]:
    """List the plans that divide the rows more than once."""
    plans = experiment.resampling.plans().items()
    return [name for name, plan in plans if len({repeat for repeat, _ in plan.splits()}) > 1]


def fit_noise(
    design: StudyDesign,
    scores: pd.DataFrame,
    seeds: pd.DataFrame,
    comparisons: Sequence[Comparison],
    pairs: Iterable[tuple[str, str]],
) -> Iterator[FitNoise]:
    """Take the variance of the differences of pairs apart, by the first metric.

    Parameters
    ----------
    design : StudyDesign
        Its models, plans and data sets.
    scores, seeds : DataFrame
        As in scores.csv, and in seeds.csv where models have several seeds.
    comparisons : sequence of Comparison
        Some of which tell what the rows contribute.
    pairs : iterable of (str, str)
        The models to compare.
    """
    among = [tuple(sorted(pair, key=design.models.index)) for pair in pairs]
    metric = design.metric.name
    sign = 1 if design.metric.greater_is_better else -1
    rows = _variances_of_rows(comparisons, metric)
    scores = scores[scores["metric"] == metric]
    for plan in repeated(design.experiment):
        own = _by_split(design, scores[scores["plan"] == plan], plan)
        parts = dict(iter(own.groupby("dataset")))
        for dataset in filter(parts.__contains__, design.datasets):
            noise = _noise_of_seeds(seeds, dataset, plan, metric)
            table = parts[dataset].pivot(
                index=["split", "repeat", "fold"], columns="model", values="value"
            )
            splits = table.index.get_level_values("split").nunique()
            for a, b in among:
                if a in table and b in table and table[[a, b]].notna().all(axis=None):
                    advantage = sign * (table[a] - table[b]).to_numpy().reshape(splits, -1)
                    known = [noise[model] for model in (a, b) if model in noise]
                    of_rows = rows.get((dataset, plan, frozenset((a, b))), math.nan)
                    yield FitNoise(dataset, plan, a, b, *_taken_apart(advantage, known, of_rows))


def _by_split(design: StudyDesign, scores: pd.DataFrame, plan: str) -> pd.DataFrame:
    """Keep the scores that a plan's estimate is a mean of, with the split of each."""
    how = design.experiment.resampling.plans()[plan]
    if not isinstance(how, Halves):
        return scores.assign(split=scores["repeat"])
    full = design.by_full
    own = scores[(scores["repeat"] > 2 * how.repeats) == full]
    return own.assign(split=own["repeat"] if full else (own["repeat"] + 1) // 2)


def _taken_apart(
    advantage: NDArray[np.float64], noise: Sequence[tuple[float, int]], of_rows: float
) -> tuple[NDArray[np.float64], VarianceComponents, int]:
    """Separate splits and seeds; a model with one seed has its noise in that of the splits."""
    seeds = max((number for _, number in noise), default=1)
    # every fold of a split has seeds of its own
    within = seeds * math.fsum(variance / number for variance, number in noise) / advantage.shape[1]
    parts = variance_components_from_means(
        advantage.mean(axis=1),
        within if noise else math.nan,
        seeds=seeds,
        variance_of_rows=of_rows,
    )
    return advantage, parts, seeds


def _noise_of_seeds(
    seeds: pd.DataFrame, dataset: str, plan: str, metric: str
) -> dict[str, tuple[float, int]]:
    """Read the variance of a model's score on one fold between seeds, and how many there are."""
    return {
        line["model"]: (line["sd_between_seeds"] ** 2, int(line["seeds"]))
        for line in seeds.to_dict("records")
        if (line["dataset"], line["plan"], line["metric"]) == (dataset, plan, metric)
        and not math.isnan(line["sd_between_seeds"])
    }


def _variances_of_rows(
    comparisons: Sequence[Comparison], metric: str
) -> dict[tuple[str, str, frozenset[str]], float]:
    """Map data set, plan and pair to what the rows add to the variance of the difference."""
    return {
        (row.dataset, row.plan, frozenset((row.model_a, row.model_b))): se**2
        for row in comparisons
        if row.test in _MEASURE_ROWS
        and row.metric == metric
        and (se := as_float(row.result.get("details", {}).get("se"))) > 0
    }
