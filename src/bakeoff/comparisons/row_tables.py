"""Tables of held-out rows: intervals of the metrics of each model, and pairs in subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.comparisons.evidence import (
    CrossedRuns,
    PairedPredictions,
    block_checks,
    difference_options,
    has_interval,
    has_test,
)
from bakeoff.comparisons.read_evidence import held_out
from bakeoff.comparisons.run_tests import (
    UNDEFINED_METRIC,
    clipped,
    decide_pair,
)
from bakeoff.comparisons.settings import deterministic, pairs_of
from bakeoff.scores import counted_rows
from bakeoff.scores.metrics import score_view
from bakeoff.spec import Costs, Experiment
from bakeoff.stats import (
    Assumption,
    Result,
    Status,
    adjust_pvalues,
    binomial_test_from_counts,
    catalogue,
    mean_ci,
    mean_interaction,
    metric_ci,
    metric_interaction,
    recipe_ci,
    recipe_mean_ci,
)
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.influence import setting_of
from bakeoff.threads import on_one_thread

INTERVALS = (
    *("dataset", "metric", "model", "estimate", "se", "df", "ci_low", "ci_high"),
    *("confidence", "n", "status", "note"),
)
SUBGROUPS = (
    *("dataset", "metric", "column", "role", "subgroup", "model_a", "model_b", "n", "estimate"),
    *("ci_low", "ci_high", "confidence", "statistic", "df", "df1", "df2", "pvalue"),
    *("pvalue_adjusted", "correction", "family_size", "alpha", "status", "decision"),
)
INTERACTION, SUBGROUP = "interaction", "subgroup"
"""Roles: does the difference differ between subgroups of a column; is there one in a subgroup?"""
_CORRECTION = "holm"


def tabulate(lines: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Make a table of `INTERVALS` or `SUBGROUPS`."""
    return pd.DataFrame(list(lines), columns=list(columns))


# --- intervals of the metrics of each model


def score_intervals(
    experiment: Experiment,
    inputs: Mapping[str, str | Path | PairedPredictions],
    metrics: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Find the standard error and the interval of each metric of each model."""
    if metrics is None:
        metrics = [metric for metric in experiment.metrics if has_interval(metric)]
    level, fixed = 1 - experiment.tests.alpha, deterministic(experiment)
    lines = (
        line
        for dataset, given in inputs.items()
        for rows in held_out(experiment, dataset, given, metrics)
        for line in intervals_of(dataset, rows, experiment.costs_on(dataset), level, fixed)
    )
    return tabulate(lines, INTERVALS)


def intervals_of(
    dataset: str,
    rows: PairedPredictions,
    costs: Costs | None,
    level: float,
    fixed: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Give the lines of one metric on one test set, model by model; training of `fixed` is."""
    runs = CrossedRuns.of(rows, fixed)
    for m, (model, places) in enumerate(zip(runs.models, runs.runs, strict=True)):
        line = {"dataset": dataset, "metric": rows.metric, "model": model, "confidence": level}
        if missing := runs.missing([m]):
            yield line | {"n": rows.n, "status": UNDEFINED_METRIC, "note": missing}
            continue
        several = len(places) > 1
        result = (
            _of_recipe(runs, m, costs, level) if several else alone(rows, places[0], costs, level)
        )
        low, high = (math.nan, math.nan) if result.ci is None else (result.ci.low, result.ci.high)
        yield line | {
            "estimate": result.estimate,
            "se": result.details.get("se", math.nan),
            "df": result.df,
            "ci_low": low,
            "ci_high": high,
            "n": result.n,
            "status": result.status.value,
            "note": "; ".join(a.detail for a in result.assumptions if a.holds is False),
        }


@on_one_thread
def alone(rows: PairedPredictions, model: int, costs: Costs | None, level: float) -> Result:
    """Return the metric of one model, or its mean number, with an interval."""
    entry, counted = catalogue()[rows.difference], None
    options = difference_options(rows, costs) | {"confidence_level": level}
    interval: Any = mean_ci if rows.by_values else metric_ci
    result: Result = interval(*rows.arguments(entry, [model]), **options)
    values = rows.predicted[:, model]
    if rows.by_values:
        result = dataclasses.replace(result, ci=clipped(result.ci, rows.range))
        if rows.range == (0, 1) and not rows.related and np.isin(values, (0, 1)).all():
            counted = values
    elif counts := counted_rows(rows.metric):
        counted = (values == rows.truth) == (counts == "right")
    checks = result.assumptions
    if counted is not None:
        if rows.related:
            of_one = catalogue()["binomial_test"]
            related = {k: v for k, v in rows.managed(of_one).items() if k in of_one.options}
            rate = of_one.function(counted, confidence_level=level, **related)
        else:
            rate = _of_counts(int(np.count_nonzero(counted)), rows.n, level)
        result = dataclasses.replace(result, ci=rate.ci, status=rate.status)
        if not rows.by_values:  # those of the interval, not of the test that comes with it
            checks = tuple(check for check in rate.assumptions if check.name != AGREE)
    blocks = block_checks(rows, entry, costs, [model])
    return dataclasses.replace(result, assumptions=(*checks, *blocks))


@on_one_thread
def _of_recipe(runs: CrossedRuns, model: int, costs: Costs | None, level: float) -> Result:
    """Return the mean over training runs, with an interval for other seeds and rows."""
    rows, smooth = runs.rows, runs.rows.by_values or has_test(runs.metric)
    if rows.times is None and smooth:
        of_model = runs.arguments(catalogue()[runs.difference], [model])
        options = difference_options(runs, costs) | {"confidence_level": level}
        if not rows.by_values:
            return recipe_ci(*of_model, **options)
        mean = recipe_mean_ci(*of_model, **options)
        return dataclasses.replace(mean, ci=clipped(mean.ci, rows.range))
    each = [_value(rows, place, costs) for place in runs.runs[model]]
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


def _value(rows: PairedPredictions, model: int, costs: Costs | None) -> float:
    """Return the metric of one model, or its mean number; without an interval that takes time."""
    if rows.by_values:
        return float(rows.predicted[:, model].mean())
    truth, answers = rows.arguments(catalogue()[rows.difference], [model])
    options = difference_options(rows, costs)
    setting, (read,) = setting_of(truth, [(rows.models[model], answers)], **options)
    return score_view(setting.metric, setting.view(read))[0]


@lru_cache(maxsize=1024)
def _of_counts(count: int, n: int, level: float) -> Result:
    """Return a share of independent rows; many models of a large study have the same."""
    return binomial_test_from_counts(n_correct=count, n=n, confidence_level=level)


# --- pairs of models in subgroups of the rows


def subgroup_table(
    experiment: Experiment, inputs: Mapping[str, str | Path | PairedPredictions]
) -> pd.DataFrame:
    """Compare each pair of models in each subgroup, and ask whether their difference differs."""
    metrics = [metric for metric in experiment.metrics if has_test(metric)]
    lines = (
        line
        for dataset, given in inputs.items()
        for rows in held_out(experiment, dataset, given, metrics)
        for line in subgroups_of(dataset, rows, experiment)
    )
    return tabulate(lines, SUBGROUPS)


@on_one_thread
def subgroups_of(
    dataset: str, rows: PairedPredictions, experiment: Experiment
) -> list[dict[str, Any]]:
    """Give the lines of one metric on one test set: those of every column of subgroups."""
    if experiment.several_runs:
        return []
    alpha, versus = experiment.tests.alpha, experiment.tests.versus
    pairs = pairs_of(rows.models, versus) if versus in (None, *rows.models) else []
    lines: list[dict[str, Any]] = [
        {"dataset": dataset, "metric": rows.metric, "column": column, "alpha": alpha} | line
        for column in rows.subgroups
        for line in _of_column(rows, column, pairs, experiment, dataset)
    ]
    families = [[x for x in lines if x["role"] == INTERACTION]]
    for column in rows.subgroups:
        families.append([x for x in lines if x["column"] == column and x["role"] == SUBGROUP])
    for family in filter(None, families):
        adjusted = adjust_pvalues([line["pvalue"] for line in family], _CORRECTION)
        for line, p in zip(family, map(float, adjusted), strict=True):
            estimate = math.nan if line["role"] == INTERACTION else line["estimate"]
            line |= {"pvalue_adjusted": p, "correction": _CORRECTION, "family_size": len(family)}
            line["decision"] = decide_pair(p, alpha, estimate).value
    return lines


def _of_column(
    rows: PairedPredictions,
    column: str,
    pairs: list[tuple[int, int]],
    experiment: Experiment,
    dataset: str,
) -> Iterator[dict[str, Any]]:
    values = rows.subgroups[column].remove_unused_categories()
    level = 1 - experiment.tests.alpha
    level = simultaneous_level(level, max(1, len(pairs) * len(values.categories)), _CORRECTION)
    options = difference_options(rows, experiment.costs_on(dataset)) | {"confidence_level": level}
    test: Any = metric_interaction
    if rows.by_values:
        test, options = mean_interaction, options | {"greater_is_better": rows.greater_is_better}
    nothing = dict.fromkeys(("estimate", "pvalue", "ci_low", "ci_high"), math.nan)
    for a, b in pairs:
        pair = {"model_a": rows.models[a], "model_b": rows.models[b], **nothing}
        whole = pair | {"role": INTERACTION, "subgroup": "", "n": rows.n}
        missing = rows.missing([a, b])
        if missing or len(values.categories) < 2:
            yield whole | {"status": UNDEFINED_METRIC if missing else Status.TOO_FEW.value}
            continue
        two = rows.arguments(catalogue()[rows.difference], [a, b])
        result: Result = test(*two, values.codes, **options)
        row = result.to_row()
        keys = ("n", "statistic", "df", "df1", "df2", "pvalue", "status")
        yield whole | {key: row[key] for key in keys}
        for code, part in result.details["subgroups"].items():
            line = pair | {"role": SUBGROUP, "subgroup": str(values.categories[int(code)])}
            line |= {key: part[key] for key in ("n", "estimate", "pvalue")}
            line |= {"status": part["status"].value, "confidence": level}
            if part["ci"] is not None:
                line |= {"ci_low": part["ci"].low, "ci_high": part["ci"].high}
            yield line
