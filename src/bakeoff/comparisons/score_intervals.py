"""Every metric of every model on held-out rows, with its standard error and interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.comparisons.comparison import UNDEFINED_METRIC, clipped
from bakeoff.comparisons.dependence import deterministic
from bakeoff.comparisons.evidence import (
    CrossedRuns,
    PairedPredictions,
    has_interval,
    has_test,
)
from bakeoff.comparisons.run_tests import TimeBlocks, difference_options, held_out
from bakeoff.scores import counted_rows
from bakeoff.scores.metrics.entry import score_view
from bakeoff.spec import Costs, Experiment
from bakeoff.stats import (
    Assumption,
    Result,
    Status,
    binomial_test_from_counts,
    catalogue,
    mean_ci,
    metric_ci,
    recipe_ci,
    recipe_mean_ci,
)
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.influence import setting_of
from bakeoff.threads import on_one_thread

COLUMNS = (
    *("dataset", "metric", "model", "estimate", "se", "df", "ci_low", "ci_high"),
    *("confidence", "n", "status", "note"),
)


def score_intervals(experiment: Experiment, inputs: Mapping[str, str | Path]) -> pd.DataFrame:
    """Find the standard error and the interval of each metric of each model."""
    metrics = [metric for metric in experiment.metrics if has_interval(metric)]
    level, fixed = 1 - experiment.tests.alpha, deterministic(experiment)
    return tabulate(
        line
        for dataset, path in inputs.items()
        for rows in held_out(experiment, dataset, path, metrics)
        for line in of_test_set(dataset, rows, experiment.costs_on(dataset), level, fixed)
    )


def tabulate(lines: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Make the table of intervals."""
    return pd.DataFrame(list(lines), columns=list(COLUMNS))


def of_test_set(
    dataset: str,
    rows: PairedPredictions,
    costs: Costs | None,
    level: float,
    fixed: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Give the lines of one metric on one test set, model by model; training of `fixed` is."""
    runs = CrossedRuns.of(rows, fixed)
    for m, model in enumerate(runs.models):
        names = {"dataset": dataset, "metric": rows.metric, "model": model}
        if missing := runs.missing([m]):
            nothing = {"confidence": level, "n": rows.n, "status": UNDEFINED_METRIC}
            yield names | nothing | {"note": missing}
        elif len(runs.runs[m]) > 1:
            yield names | _plain(_of_recipe(runs, m, costs, level), level)
        else:
            yield names | _plain(alone(rows, runs.runs[m][0], costs, level), level)


def _plain(found: Result, level: float) -> dict[str, Any]:
    low, high = (math.nan, math.nan) if found.ci is None else (found.ci.low, found.ci.high)
    fails = [a.detail for a in found.assumptions if a.holds is False]
    return {
        "estimate": found.estimate,
        "se": found.details.get("se", math.nan),
        "df": found.df,
        "ci_low": low,
        "ci_high": high,
        "confidence": level,
        "n": found.n,
        "status": found.status.value,
        "note": "; ".join(fails),
    }


@on_one_thread
def alone(rows: PairedPredictions, model: int, costs: Costs | None, level: float) -> Result:
    """Return the metric of one model, or its mean number, with an interval."""
    known = catalogue()
    entry = known[rows.difference]
    blocks = TimeBlocks(rows, entry, costs).checks([model])
    options = difference_options(rows, costs) | {"confidence_level": level}
    arguments = rows.arguments(entry, [model])
    if rows.by_values:
        mean, values = mean_ci(*arguments, **options), rows.predicted[:, model]
        if rows.range == (0, 1) and not rows.related and np.isin(values, (0, 1)).all():
            rate = _of_counts(int(values.sum()), rows.n, level)
            mean = dataclasses.replace(mean, ci=rate.ci, status=rate.status)
        checks = *mean.assumptions, *blocks
        return dataclasses.replace(mean, ci=clipped(mean.ci, rows.range), assumptions=checks)
    found = metric_ci(*arguments, **options)
    counts = counted_rows(rows.metric)
    if not counts:
        return dataclasses.replace(found, assumptions=(*found.assumptions, *blocks))
    right = rows.predicted[:, model] == rows.truth
    counted = right if counts == "right" else ~right
    if rows.related:
        entry = known["binomial_test"]
        related = {k: v for k, v in rows.managed(entry).items() if k in entry.options}
        rate = entry.function(counted, confidence_level=level, **related)
    else:
        rate = _of_counts(int(np.count_nonzero(counted)), rows.n, level)
    # of the interval alone, not of the test that comes with it
    checks = tuple(check for check in rate.assumptions if check.name != AGREE)
    return dataclasses.replace(
        found, ci=rate.ci, status=rate.status, assumptions=(*checks, *blocks)
    )


@on_one_thread
def _of_recipe(runs: CrossedRuns, model: int, costs: Costs | None, level: float) -> Result:
    """Return the mean over training runs, with an interval for other seeds and rows."""
    smooth = runs.rows.by_values or has_test(runs.metric)
    if runs.times is not None or not smooth:
        each = [_value(runs.rows, place, costs) for place in runs.runs[model]]
        why = "rows are in the order of time" if smooth else "the metric is not smooth"
        none = Assumption("an interval for other seeds", False, f"{why}: no interval is known")
        return Result(
            statistic=math.nan,
            pvalue=math.nan,
            estimate=math.fsum(each) / len(each),
            n=runs.n,
            status=Status.UNDEFINED,
            assumptions=(none,),
        )
    of_model = runs.arguments(catalogue()[runs.difference], [model])
    options = difference_options(runs, costs) | {"confidence_level": level}
    if runs.rows.by_values:
        mean = recipe_mean_ci(*of_model, **options)
        return dataclasses.replace(mean, ci=clipped(mean.ci, runs.rows.range))
    return recipe_ci(*of_model, **options)


def _value(rows: PairedPredictions, model: int, costs: Costs | None) -> float:
    """Return the metric of one model, or its mean number; without an interval that takes time."""
    if rows.by_values:
        return float(rows.predicted[:, model].mean())
    truth, said = rows.arguments(catalogue()[rows.difference], [model])
    options = difference_options(rows, costs)
    setting, (read,) = setting_of(truth, [(rows.models[model], said)], **options)
    return score_view(setting.metric, setting.view(read))[0]


@lru_cache(maxsize=1024)
def _of_counts(count: int, n: int, level: float) -> Result:
    """Return a share of independent rows; many models of a large study have the same."""
    return binomial_test_from_counts(n_correct=count, n=n, confidence_level=level)
