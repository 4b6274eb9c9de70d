"""A table of scores of training runs: models compared over new seeds, on data sets that stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.build_study import HOLDOUT, check_label, given_study, planned_tests, tests_asked
from bakeoff.api.measured import described_metric
from bakeoff.comparisons.analysis import Analysis, ComparedData, ComparedModel
from bakeoff.errors import UserError, some
from bakeoff.report.numbers import fixed, percent
from bakeoff.report.study import Study
from bakeoff.scores import METRICS
from bakeoff.scores.given_results import check_ranges
from bakeoff.spec.resampling import Seeds
from bakeoff.stats import (
    Result,
    iqm_difference,
    probability_of_improvement,
)
from bakeoff.stats.runs.seeds import (
    FEWEST_SEEDS,
    FEWEST_TASKS_OF_IQM,
    seems_paired,
)

PLAN = "seeds"
_DATA = "runs"
"""The id of the data sets, which are those of the runs."""
_FEWEST_TASKS = 3
_SIZES = 100.0
"""How much more the scores of a task may vary than those of another in one normalised unit."""


def study_of_seeds(
    long: pd.DataFrame,
    models: Sequence[str],
    better: Mapping[str, bool],
    command: str,
    settings: Mapping[str, Any],
) -> Study:
    """Compare models by a row for each score: metric, dataset, model, repeat (the seed), value."""
    _refuse_few(long)
    title = settings["name"] or "the runs"
    # models may have unequal numbers of runs
    options = {"missing": "omit", "paired_seeds": bool(settings["paired"])}
    arguments = dict(settings)
    arguments["options"] = {**(settings["options"] or {}), "seeds_difference": options}
    arguments["correction"] = settings["correction"] or "holm"
    tests = tests_asked(models, arguments)
    tasks = list(dict.fromkeys(long["dataset"]))
    fits = _frame(long, models, tasks)
    named = _metrics(better)
    metrics = {}
    described = {}
    for metric, (name, description) in named.items():
        metrics[metric] = name
        if description is not None:
            described[name] = description
    fits["metric"] = fits["metric"].map(metrics)
    for label in (title, *models):
        check_label(label)
    # as in a plan of folds: a repeat for each seed, and a fold for each task
    analysis = Analysis(
        title="compare",
        models={name: ComparedModel(label=name, brings="scores") for name in models},
        datasets={_DATA: ComparedData(label=_label(title, tasks))},
        metrics=tuple(metrics.values()),
        given_metrics=described,
        tests=tests,
        plans={PLAN: Seeds(repeats=int(fits["repeat"].max()), folds=len(tasks))},
        scores_of_plans=frozenset([PLAN]),
    )
    planned = planned_tests(analysis)
    check_ranges(fits, analysis.measures, "scores", ("scores",))
    shown = fits.dropna(subset=["value"])
    return given_study(
        analysis,
        planned,
        {_DATA: fits},
        shown,
        command,
        preparation=_sentences(fits, analysis, tasks, bool(settings["paired"])),
    )


def _label(title: str, tasks: Sequence[str]) -> str:
    """Name the data sets."""
    if len(tasks) > 1:
        return title
    return tasks[0]


def _metrics(better: Mapping[str, bool]) -> dict[str, tuple[str, Any]]:
    """Return what each metric is called, and how it is described where it is none of ours."""
    named: dict[str, tuple[str, Any]] = {}
    for metric, greater_is_better in better.items():
        if metric in METRICS:
            named[metric] = (metric, None)
            continue
        description = described_metric(metric, greater_is_better, label=metric)
        named[metric] = (description.name, description)
    return named


def _refuse_few(long: pd.DataFrame) -> None:
    """Refuse models with too few runs, of which nothing is known."""
    counts = long.groupby(["model", "dataset"], sort=False)["value"].count()
    few = counts[counts < FEWEST_SEEDS]
    if len(few):
        first = few.reset_index(name="runs").iloc[0]
        n_runs = f"{first['runs']} runs"
        if first["runs"] == 1:
            n_runs = "1 run"
        raise UserError(
            f"seeds: found {n_runs} of {first['model']} on {first['dataset']}; {FEWEST_SEEDS} of "
            "each model would be the least: with fewer next to nothing is known of how runs vary"
        )
    pairs = set(counts.index)
    lacking = []
    for model, task in product(long["model"].unique(), long["dataset"].unique()):
        if (model, task) not in pairs:
            lacking.append(f"{model} on {task}")
    if lacking:
        raise UserError(f"seeds: there is no run of {some(lacking)}: every task needs every model")


def _frame(long: pd.DataFrame, models: Sequence[str], tasks: Sequence[str]) -> pd.DataFrame:
    """Return a row for each metric, model, run and task; without a value where there is no run."""
    # the runs of all models by the number of their seed: pairs, if the seeds are paired
    seeds = _numbered(sorted(long["repeat"].unique()))
    index = pd.MultiIndex.from_product(
        [long["metric"].unique(), models, list(seeds), tasks],
        names=["metric", "model", "repeat", "dataset"],
    )
    values = long.set_index(["metric", "model", "repeat", "dataset"])["value"].reindex(index)
    frame = values.reset_index()
    frame["fold"] = frame["dataset"].map(_numbered(tasks))
    frame["repeat"] = frame["repeat"].map(seeds)
    frame["undefined"] = np.where(frame["value"].isna(), "no run", "")
    frame = frame.assign(dataset=_DATA, plan=PLAN, n_train=np.nan, n_test=np.nan)
    return frame[list(HOLDOUT)]


def _numbered(names: Sequence[Any]) -> dict[Any, int]:
    """Return the numbers of seeds or tasks from 1, as repetitions and folds have them."""
    return {name: number for number, name in enumerate(names, start=1)}


# --- what stands beside the difference of means


def _sentences(
    fits: pd.DataFrame, analysis: Analysis, tasks: Sequence[str], paired: bool
) -> tuple[str, ...]:
    """Say what the comparison is about, whether runs go in pairs, and what papers publish."""
    scope = "on this data set, not about other data sets"
    if len(tasks) > 1:
        scope = "on these data sets, not about other ones"
    texts = [f"This is about new seeds {scope}."]
    metric = analysis.metrics[0]
    rows = fits[fits["metric"] == metric]
    if len(analysis.models) > 2:
        return tuple(texts)
    first, second = analysis.models
    a = _runs_by_task(rows, first)
    b = _runs_by_task(rows, second)
    if not paired:
        texts += _on_pairs(a, b)
    complete = np.isfinite(a).all() and np.isfinite(b).all()
    if complete and len(tasks) >= _FEWEST_TASKS:
        greater = analysis.measures[metric].greater_is_better
        texts += _published(a, b, first, second, greater)
    return tuple(texts)


def _runs_by_task(rows: pd.DataFrame, model: str) -> NDArray[np.float64]:
    """Return the scores of a model: runs × tasks, NaN where there is no run."""
    of_model = rows[rows["model"] == model]
    table = of_model.pivot(index="repeat", columns="fold", values="value")
    return table.to_numpy(dtype=np.float64)


def _on_pairs(a: Any, b: Any) -> list[str]:
    """Ask whether runs with the same seed share their division, where they go together."""
    both = np.isfinite(a) & np.isfinite(b)
    if a.shape != b.shape or both.sum(axis=0).min() < 5:  # too few to show it
        return []
    # the correlation inside tasks: of what is left of each run less the mean of its task
    x = np.where(both, a, np.nan)
    y = np.where(both, b, np.nan)
    x = x - np.nanmean(x, axis=0)
    y = y - np.nanmean(y, axis=0)
    size = float(np.sqrt(np.nansum(x**2) * np.nansum(y**2)))
    if not size > 0 or not seems_paired(float(np.nansum(x * y)) / size):
        return []
    return [
        "Runs with the same seed go together: if a seed fixes the division of the data for both "
        "models, compare them in pairs (`paired`)."
    ]


def _published(a: Any, b: Any, first: str, second: str, greater: bool) -> list[str]:
    """Give the interquartile mean, and how probably a run of one beats one of the other."""
    texts = []
    spreads = np.concatenate([a, b]).std(axis=0)
    # the interquartile mean pools the scores of all tasks, so that they need one scale
    alike = spreads.min() * _SIZES >= spreads.max()
    if a.shape[1] >= FEWEST_TASKS_OF_IQM and alike:
        iqm = iqm_difference(a, b, greater_is_better=greater)
        texts.append(
            f"The interquartile mean of {first} is {_shown(iqm)} better than that of {second}."
        )
    elif a.shape[1] >= FEWEST_TASKS_OF_IQM:
        texts.append(
            "No interquartile mean is given: the scores vary so much more on some data sets that "
            "these alone would decide; normalise them first."
        )
    chance = probability_of_improvement(a, b, greater_is_better=greater)
    texts.append(
        f"A run of {first} beats one of {second} on the same data set with probability "
        f"{_shown(chance)}."
    )
    return texts


def _shown(result: Result) -> str:
    """Write an estimate with its interval."""
    text = fixed(result.estimate, 3)
    if result.ci is None:
        return text
    low, high = result.ci
    level = percent(result.ci.confidence)
    return f"{text} ({level} CI [{fixed(low, 3)}, {fixed(high, 3)}])"
