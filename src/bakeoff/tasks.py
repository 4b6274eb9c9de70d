"""What the rules of the workflow do: read files, one library call, write files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from bakeoff.compare import Comparison, Context, run_test
from bakeoff.compare.evidence import fold_scores, read_scores, read_test_set
from bakeoff.data import Table, load_table, make_splits
from bakeoff.data.splits import write_splits
from bakeoff.errors import Problem
from bakeoff.files import read_json, whole, write_json, write_text
from bakeoff.fit.one import run_fit
from bakeoff.fit.stamp import find_outdated, is_made, stamp
from bakeoff.scores import METRICS, collect_predictions, score_fits
from bakeoff.spec import ChosenTest, Experiment, Fit
from bakeoff.spec.models import Model
from bakeoff.stats import catalogue


def load_dataset(name: str, experiment: Experiment, parquet: str, card: str) -> None:
    """Load a data set into canonical form."""
    load_table(name, experiment.datasets[name], experiment.seed).write(parquet, card)


def split_dataset(
    dataset: str, name: str, experiment: Experiment, parquet: str, output: str
) -> None:
    """Make the divisions of one plan."""
    plan = experiment.resampling.plans()[name]
    splits = make_splits(dataset, Table.read(parquet), name, plan, experiment.seed)
    write_splits(output, splits)


def fit(
    fit: Fit, model: Model, seed: int, data: str, splits: str, output: str, recipe: str
) -> None:
    """Fit and predict once, unless this very fit is there already."""
    made_by = stamp(recipe, data, splits)
    if not is_made(output, made_by):
        run_fit(fit, model, seed, data, splits, output, made_by)


def outdated(recipes: Mapping[str, str]) -> list[str]:
    """List the files of predictions that another recipe made."""
    return find_outdated(recipes)


def score(predictions: Sequence[str], metrics: Sequence[str], scores: str, timings: str) -> None:
    """Score all fits of one data set and plan."""
    tables = score_fits(predictions, metrics)
    for table, path in zip(tables, (scores, timings), strict=True):
        _write_csv(table, path)


def collect(predictions: Mapping[str, str], output: str) -> None:
    """Put the models' predictions of one test set side by side."""
    collect_predictions(predictions, output)


def concatenate(tables: Sequence[str], output: str) -> None:
    """Put tables of scores below one another."""
    _write_csv(pd.concat([read_scores(path) for path in tables], ignore_index=True), output)


def test(
    chosen: ChosenTest, experiment: Experiment, inputs: Mapping[str, str], output: str
) -> None:
    """Run one test on every data set and metric; `inputs` holds one file per data set."""
    entry = catalogue()[chosen.name]
    models = list(experiment.models)
    comparisons: list[Comparison] = []
    for dataset, path in inputs.items():
        if chosen.on_rows:
            evidence: Any = {"accuracy": read_test_set(path, models)}
        else:
            scores = read_scores(path)
            evidence = {m: fold_scores(scores, models, m) for m in experiment.metrics}
        for metric, one in evidence.items():
            context = Context(
                dataset, chosen.plan, metric, METRICS[metric].greater_is_better, experiment.tests
            )
            comparisons += run_test(entry, one, context)
    write_json(output, [comparison.to_dict() for comparison in comparisons])


test.__test__ = False  # type: ignore[attr-defined]  # no test function, whatever its name


def compare(tests: Sequence[str], csv: str, json: str) -> None:
    """Put the results of all tests into one table."""
    found = [row for path in tests for row in read_json(path)]
    write_json(json, found)
    _write_csv(pd.DataFrame([Comparison.from_dict(row).to_row() for row in found]), csv)


def resolve(experiment: Experiment, output: str) -> None:
    """Write the experiment with every default spelled out."""
    write_text(output, yaml.safe_dump(experiment.resolved(), sort_keys=False, allow_unicode=True))


def exhibits(experiment: Experiment) -> list[tuple[str, ...]]:
    """List the figures and tables of an experiment's report; see `bakeoff.report.exhibits`."""
    from bakeoff.report.exhibits import exhibits

    return [tuple(exhibit) for exhibit in exhibits(experiment)]


def report(study: Mapping[str, Any], folder: str) -> None:
    """Write the report; only this task and the next import matplotlib."""
    from bakeoff.report.make import make_report
    from bakeoff.report.study import read_study

    make_report(read_study(**study), folder)


def print_figures(study: Mapping[str, Any], folder: str) -> None:
    """Write the report's figures for print."""
    from bakeoff.report.make import make_prints
    from bakeoff.report.study import read_study

    make_prints(read_study(**study), folder)


def check(experiment: Experiment) -> tuple[list[Problem], list[ChosenTest]]:
    """Look for everything in an experiment that would fail later; see `bakeoff.check`."""
    from bakeoff.check import check_experiment

    return check_experiment(experiment)


def _write_csv(table: pd.DataFrame, path: str | Path) -> None:
    with whole(path) as part:
        table.to_csv(part, index=False, lineterminator="\n")
