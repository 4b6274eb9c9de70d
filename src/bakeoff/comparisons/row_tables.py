"""Tables of held-out rows: the metrics of each model, and pairs of models in subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.collected import held_out
from bakeoff.comparisons.evidence import CrossedRuns, PairedPredictions
from bakeoff.comparisons.held_out import HeldOut, held_out_by, recipe_interval
from bakeoff.comparisons.run_tests import UNDEFINED_METRIC, decide_pair
from bakeoff.comparisons.settings import deterministic, has_interval, has_test, pairs_of
from bakeoff.spec import Costs, Experiment
from bakeoff.stats import Assumption, Result, Status, adjust_pvalues
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.threads import on_one_thread

OF_INTERVAL = (
    "metric",
    "model",
    "estimate",
    "se",
    "df",
    "ci_low",
    "ci_high",
    "confidence",
    "n",
    "status",
    "note",
)
"""The columns on a score with its interval, of test sets and of folds."""
INTERVALS = ("dataset", *OF_INTERVAL)
SUBGROUPS = (
    "dataset",
    "metric",
    "column",
    "role",
    "subgroup",
    "model_a",
    "model_b",
    "n",
    "estimate",
    "ci_low",
    "ci_high",
    "confidence",
    "statistic",
    "df",
    "df1",
    "df2",
    "pvalue",
    "pvalue_adjusted",
    "correction",
    "family_size",
    "alpha",
    "status",
    "decision",
)
INTERACTION = "interaction"
"""The role of the question: does the difference differ between the subgroups of a column?"""
SUBGROUP = "subgroup"
"""The role of the question: is there a difference in one subgroup?"""
_CORRECTION = "holm"

# --- intervals of the metrics of each model


def score_intervals(
    experiment: Experiment | Analysis,
    inputs: Mapping[str, str | Path | PairedPredictions],
    metrics: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Find the standard error and the interval of each metric of each model."""
    analysis = analysis_of(experiment)
    if metrics is None:
        metrics = list(filter(has_interval, analysis.metrics))
    level = 1 - analysis.tests.alpha
    fixed = deterministic(analysis)
    lines = []
    for dataset, source in inputs.items():
        costs = analysis.datasets[dataset].costs
        for rows in held_out(analysis, dataset, source, metrics):
            runs = CrossedRuns.from_rows(rows, fixed)
            for model, name in enumerate(runs.models):
                line = {
                    "dataset": dataset,
                    "metric": rows.metric,
                    "model": name,
                    "confidence": level,
                    "n": rows.n,
                }
                lines.append(line | _interval(runs, model, costs, level))
    return pd.DataFrame(lines, columns=list(INTERVALS))


def _interval(runs: CrossedRuns, model: int, costs: Costs | None, level: float) -> dict[str, Any]:
    """Return the columns on the interval of one model, or why it has none."""
    missing = runs.missing([model])
    if missing:
        return {"status": UNDEFINED_METRIC, "note": missing}
    places = runs.runs[model]
    if len(places) == 1:
        result = held_out_by(runs.rows, costs).interval(places[0], level)
    else:
        result = recipe_interval(runs, model, costs, level)
    failed = [check for check in result.assumptions if check.holds is False]
    return own_interval(result, failed)


def own_interval(result: Result, noted: Sequence[Assumption]) -> dict[str, Any]:
    """Return the columns of a score with its interval, and what is noted of its assumptions."""
    line = {
        "estimate": result.estimate,
        "se": result.details.get("se", math.nan),
        "df": result.df,
        "status": result.status.value,
        "note": "; ".join([check.detail for check in noted]),
    }
    if result.ci is not None:
        line["ci_low"] = result.ci.low
        line["ci_high"] = result.ci.high
    return line


# --- pairs of models in subgroups of the rows


@on_one_thread
def subgroup_table(
    experiment: Experiment | Analysis, inputs: Mapping[str, str | Path | PairedPredictions]
) -> pd.DataFrame:
    """Compare each pair of models in each subgroup, and ask whether their difference differs."""
    analysis = analysis_of(experiment)
    lines: list[dict[str, Any]] = []
    if analysis.several_runs:
        return pd.DataFrame(lines, columns=list(SUBGROUPS))
    metrics = list(filter(has_test, analysis.metrics))
    for dataset, source in inputs.items():
        costs = analysis.datasets[dataset].costs
        for rows in held_out(analysis, dataset, source, metrics):
            lines += _of_rows(held_out_by(rows, costs), dataset, analysis)
    return pd.DataFrame(lines, columns=list(SUBGROUPS))


def _of_rows(of_metric: HeldOut, dataset: str, analysis: Analysis) -> list[dict[str, Any]]:
    """Return the lines on one data set and metric, p-values adjusted."""
    rows = of_metric.rows
    versus = analysis.tests.versus
    pairs = []
    if versus is None or versus in rows.models:
        pairs = pairs_of(rows.models, versus)
    alpha = analysis.tests.alpha
    lines = []
    # the interactions of all columns are one family, the subgroups of each column are another
    families: dict[str | None, list[dict[str, Any]]] = {}
    wanted = [subgroup.column for subgroup in analysis.datasets[dataset].subgroups]
    # in each part of the rows, one of the tasks for instance, all rows weigh alike
    if rows.tasks is not None:
        of_metric = held_out_by(dataclasses.replace(rows, tasks=None), of_metric.costs)
    for column in rows.subgroups:
        if column == analysis.tasks and column not in wanted:
            continue  # the table of tasks has them
        for part in _of_column(of_metric, column, pairs, alpha):
            line = {"dataset": dataset, "metric": rows.metric, "column": column, **part}
            lines.append(line)
            key: str | None = column
            if part["role"] == INTERACTION:
                key = None
            families.setdefault(key, []).append(line)
    for family in families.values():
        adjusted = adjust_pvalues([line["pvalue"] for line in family], _CORRECTION)
        for line, pvalue in zip(family, map(float, adjusted), strict=True):
            estimate = line["estimate"]
            if line["role"] == INTERACTION:
                estimate = math.nan  # that differences differ has no direction
            line["pvalue_adjusted"] = pvalue
            line["correction"] = _CORRECTION
            line["alpha"] = alpha
            line["decision"] = decide_pair(pvalue, alpha, estimate).value
            line["family_size"] = len(family)
    return lines


def _of_column(
    of_metric: HeldOut, column: str, pairs: Sequence[tuple[int, int]], alpha: float
) -> Iterator[dict[str, Any]]:
    """Yield the interaction of each pair with one column, and its differences in the subgroups."""
    rows = of_metric.rows
    subgroups = rows.subgroups[column].remove_unused_categories()
    names = subgroups.categories
    # the intervals of all pairs in all subgroups of the column hold together
    level = simultaneous_level(1 - alpha, max(1, len(pairs) * len(names)), _CORRECTION)
    nothing = dict.fromkeys(("estimate", "pvalue", "ci_low", "ci_high"), math.nan)
    for a, b in pairs:
        pair = {"model_a": rows.models[a], "model_b": rows.models[b], **nothing}
        interaction = {**pair, "role": INTERACTION, "subgroup": "", "n": rows.n}
        if rows.missing([a, b]):
            yield interaction | {"status": UNDEFINED_METRIC}
            continue
        if len(names) < 2:
            yield interaction | {"status": Status.TOO_FEW.value}
            continue
        result = of_metric.interaction([a, b], subgroups.codes, level)
        row = result.to_row()
        for key in ("n", "statistic", "df", "df1", "df2", "pvalue", "status"):
            interaction[key] = row[key]
        yield interaction
        for code, inside in result.details["subgroups"].items():
            yield pair | _subgroup(str(names[int(code)]), inside, level)


def _subgroup(name: str, inside: Mapping[str, Any], level: float) -> dict[str, Any]:
    """Return the columns on the difference of two models in one subgroup."""
    line = {
        "role": SUBGROUP,
        "subgroup": name,
        "n": inside["n"],
        "estimate": inside["estimate"],
        "pvalue": inside["pvalue"],
        "status": inside["status"].value,
        "confidence": level,
    }
    if inside["ci"] is not None:
        line["ci_low"] = inside["ci"].low
        line["ci_high"] = inside["ci"].high
    return line
