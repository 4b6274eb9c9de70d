"""The comparison of each pair of models in subgroups of the held-out rows, by every metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.comparisons.comparison import UNDEFINED_METRIC, decide_omnibus, decide_pair
from bakeoff.comparisons.dependence import several_runs
from bakeoff.comparisons.evidence import PairedPredictions, has_test
from bakeoff.comparisons.run_tests import difference_options, held_out
from bakeoff.comparisons.settings import pairs_of
from bakeoff.spec import Experiment
from bakeoff.stats import (
    Result,
    Status,
    adjust_pvalues,
    catalogue,
    mean_interaction,
    metric_interaction,
)
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.threads import on_one_thread

CORRECTION = "holm"
COLUMNS = (
    *("dataset", "metric", "column", "role", "subgroup", "model_a", "model_b", "n", "estimate"),
    *("ci_low", "ci_high", "confidence", "statistic", "df", "df1", "df2", "pvalue"),
    *("pvalue_adjusted", "correction", "family_size", "alpha", "status", "decision"),
)
INTERACTION, SUBGROUP = "interaction", "subgroup"
"""Roles: does the difference differ between subgroups of a column; is there one in a subgroup?"""


def subgroup_table(experiment: Experiment, inputs: Mapping[str, str | Path]) -> pd.DataFrame:
    """Compare each pair of models in each subgroup, and ask whether their difference differs."""
    metrics = [metric for metric in experiment.metrics if has_test(metric)]
    return tabulate(
        line
        for dataset, path in inputs.items()
        for rows in held_out(experiment, dataset, path, metrics)
        for line in of_test_set(dataset, rows, experiment)
    )


def tabulate(lines: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Make the table of subgroups."""
    return pd.DataFrame(list(lines), columns=list(COLUMNS))


@on_one_thread
def of_test_set(
    dataset: str, rows: PairedPredictions, experiment: Experiment
) -> list[dict[str, Any]]:
    """Give the lines of one metric on one test set: those of every column of subgroups."""
    if several_runs(experiment):
        return []
    alpha, versus = experiment.tests.alpha, experiment.tests.versus
    pairs = pairs_of(rows.models, versus) if versus in (None, *rows.models) else []
    lines: list[dict[str, Any]] = [
        {"dataset": dataset, "metric": rows.metric, "column": column, "alpha": alpha} | line
        for column in rows.subgroups
        for line in _of_column(rows, column, pairs, experiment, dataset)
    ]
    _adjust([line for line in lines if line["role"] == INTERACTION])
    for column in rows.subgroups:
        _adjust([x for x in lines if x["column"] == column and x["role"] == SUBGROUP])
    for line in lines:
        p, role = line["pvalue_adjusted"], line["role"]
        interaction = role == INTERACTION
        said = decide_omnibus(p, alpha) if interaction else decide_pair(p, alpha, line["estimate"])
        line["decision"] = said.value
    return lines


def _adjust(family: list[dict[str, Any]]) -> None:
    adjusted = adjust_pvalues([line["pvalue"] for line in family], CORRECTION) if family else ()
    for line, p in zip(family, adjusted, strict=True):
        line |= {
            "pvalue_adjusted": float(p),
            "correction": CORRECTION,
            "family_size": len(family),
        }


def _of_column(
    rows: PairedPredictions,
    column: str,
    pairs: list[tuple[int, int]],
    experiment: Experiment,
    dataset: str,
) -> Iterator[dict[str, Any]]:
    values = rows.subgroups[column].remove_unused_categories()
    level = 1 - experiment.tests.alpha
    level = simultaneous_level(level, max(1, len(pairs) * len(values.categories)), CORRECTION)
    options = difference_options(rows, experiment.costs_on(dataset))
    test: Any = metric_interaction
    if rows.by_values:
        test, options = mean_interaction, options | {"greater_is_better": rows.greater_is_better}
    for a, b in pairs:
        names = {"model_a": rows.models[a], "model_b": rows.models[b]}
        missing = rows.missing([a, b])
        if missing or len(values.categories) < 2:
            status = UNDEFINED_METRIC if missing else Status.TOO_FEW.value
            yield names | _line(INTERACTION, "", rows.n) | {"status": status}
            continue
        two = rows.arguments(catalogue()[rows.difference], [a, b])
        found: Result = test(*two, values.codes, **options, confidence_level=level)
        yield names | _line(INTERACTION, "", found.n) | _numbers(found)
        for code, part in found.details["subgroups"].items():
            own = {key: part[key] for key in ("estimate", "pvalue")}
            own["status"] = part["status"].value
            if part["ci"] is not None:
                own |= {"ci_low": part["ci"].low, "ci_high": part["ci"].high}
            subgroup = str(values.categories[int(code)])
            yield names | _line(SUBGROUP, subgroup, part["n"]) | {"confidence": level} | own


def _line(role: str, subgroup: str, n: int) -> dict[str, Any]:
    nothing = dict.fromkeys(("estimate", "pvalue", "ci_low", "ci_high"), math.nan)
    return {"role": role, "subgroup": subgroup, "n": n, **nothing}


def _numbers(found: Result) -> dict[str, Any]:
    row = found.to_row()
    keys = ("statistic", "df", "df1", "df2", "pvalue", "status")
    return {key: row[key] for key in keys}
