"""What the rules of the workflow do: read files, one library call, write files."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from bakeoff.compare import Comparison, list_tests, run_chosen
from bakeoff.compare.evidence import read_scores
from bakeoff.compare.gather import matrices, missing_cells
from bakeoff.compare.matrix import check_holes, score_matrix
from bakeoff.data import Table, read_split
from bakeoff.data.given import divide, load
from bakeoff.data.quality import split_quality
from bakeoff.data.splits import write_splits
from bakeoff.errors import Problem, UserError
from bakeoff.files import read_json, whole, write_json, write_text
from bakeoff.fit.predictions import no_predictions
from bakeoff.fit.reuse import take
from bakeoff.fit.stamp import find_outdated, is_made
from bakeoff.fit.task import FitTask, run_fit
from bakeoff.scores import collect_predictions, score_fits
from bakeoff.scores.choices import choices
from bakeoff.scores.excluded import COLUMNS as EXCLUDED
from bakeoff.scores.excluded import failures
from bakeoff.scores.given import given_predictions, given_scores
from bakeoff.scores.seeds import seed_noise
from bakeoff.spec import ChosenTest, Costs, Experiment, Fit


def load_dataset(name: str, experiment: Experiment, parquet: str, card: str) -> None:
    """Load a data set into canonical form; tell what could not be told before it was loaded."""
    from bakeoff.check import check_table

    table = load(name, experiment)
    problems = list(check_table(experiment, name, table))
    if problems:
        raise UserError("\n".join(map(str, problems)))
    table.write(parquet, card)


def split_dataset(
    dataset: str, name: str, experiment: Experiment, parquet: str, output: str, quality: str
) -> None:
    """Make the divisions of one plan, and say how good they are."""
    plan, table = experiment.resampling.plans()[name], Table.read(parquet)
    splits = divide(dataset, experiment, table, name)
    write_json(quality, split_quality(dataset, table, name, plan, splits))
    write_splits(output, splits)


def fit(task: FitTask, reuse: bool) -> None:
    """Fit and predict once, unless this very fit is there already."""
    if is_made(task.output, task.stamp):
        return
    taken = take(task.output, task.stamp) if reuse else None
    if taken:
        sys.stderr.write(f"taken from {taken}\n")
    else:
        run_fit(task)


def take_predictions(
    dataset: str, model: str, experiment: Experiment, data: str, splits: str, output: str
) -> None:
    """Take the predictions of a given model, after the proof that they are for these rows."""
    table, split = Table.read(data), read_split(splits, 1, 1)
    given_predictions(model, experiment.given[model], dataset, table, split).write(output)


def take_scores(dataset: str, plan: str, experiment: Experiment, scores: str, timings: str) -> None:
    """Take the scores that the models bring for one data set and plan."""
    tables = given_scores(experiment, dataset, plan)
    for table, path in zip(tables, (scores, timings), strict=True):
        _write_csv(table, path)


def fail(fit: Fit, why: str, recipe: str, output: str) -> None:
    """Leave a file without rows for a fit that failed, so that everything else goes on."""
    no_predictions({**fit._asdict(), "failure": why, "recipe": recipe}).write(output)


def outdated(recipes: Mapping[str, str]) -> list[str]:
    """List the files of predictions that another recipe made."""
    return find_outdated(recipes)


def score(
    predictions: Sequence[str],
    metrics: Sequence[str],
    costs: Costs | None,
    recipes: Mapping[str, str],
    scores: str,
    timings: str,
) -> None:
    """Score all fits of one data set and plan."""
    tables = score_fits(predictions, metrics, costs, recipes)
    for table, path in zip(tables, (scores, timings), strict=True):
        _write_csv(table, path)


def collect(predictions: Mapping[str, str], output: str, recipes: Mapping[str, str]) -> None:
    """Put the models' predictions of one test set side by side."""
    collect_predictions(predictions, output, recipes)


def find_excluded(predictions: Sequence[str], output: str) -> None:
    """List the fits of one data set that failed."""
    write_json(output, failures(predictions))


def list_excluded(lists: Sequence[str], output: str) -> None:
    """Write the fits that failed on any data set as one table."""
    rows = [row for path in lists for row in read_json(path)]
    _write_csv(pd.DataFrame(rows, columns=list(EXCLUDED)), output)


def list_choices(predictions: Sequence[str], output: str) -> None:
    """Write what the fits chose on their training parts."""
    _write_csv(choices(predictions), output)


def list_seed_noise(
    predictions: Sequence[str], metrics: Sequence[str], costs: Costs | None, output: str
) -> None:
    """Write how much of the scores' variance the seeds make."""
    _write_csv(seed_noise(predictions, metrics, costs), output)


def concatenate(tables: Sequence[str], output: str) -> None:
    """Put tables of scores below one another."""
    _write_csv(pd.concat([read_scores(path) for path in tables], ignore_index=True), output)


def test(
    chosen: ChosenTest, experiment: Experiment, inputs: Mapping[str, str], output: str
) -> None:
    """Run one test on all its evidence; see `bakeoff.compare.run_chosen`."""
    found = run_chosen(chosen, experiment, inputs)
    write_json(output, [comparison.to_dict() for comparison in found])


test.__test__ = False  # type: ignore[attr-defined]  # no test function, whatever its name


def compare(tests: Sequence[str], csv: str, json: str) -> None:
    """Put the results of all tests into one table."""
    found = [row for path in tests for row in read_json(path)]
    write_json(json, found)
    rows = [Comparison.from_dict(row).to_row() for row in found]
    _write_csv(pd.DataFrame(rows, columns=Comparison.columns()), csv)


def tabulate(
    experiment: Experiment, tests: Sequence[ChosenTest], scores: str, matrix: str, missing: str
) -> None:
    """Write one score per data set and model, and which are missing."""
    plans = experiment.resampling.plans()
    fits = {name: len(plan.splits()) for name, plan in plans.items()}
    names = list(experiment.datasets), list(experiment.models), experiment.metrics
    table, holes = score_matrix(read_scores(scores), *names, fits)
    policy = missing_cells(experiment)
    check_holes(holes, matrices(tests, experiment), policy)
    _write_csv(table, matrix)
    write_json(missing, {"policy": policy, "missing": [vars(hole) for hole in holes]})


def resolve(experiment: Experiment, tests: Sequence[ChosenTest], output: str, listing: str) -> None:
    """Write the experiment with every default spelled out, and which tests run and why."""
    write_json(listing, list_tests(experiment, tests))
    write_text(output, yaml.safe_dump(experiment.resolved(), sort_keys=False, allow_unicode=True))


def exhibits(experiment: Experiment) -> list[tuple[str, ...]]:
    """List the figures and tables of an experiment's report; see `bakeoff.report.exhibits`."""
    from bakeoff.report.exhibits import exhibits

    return [tuple(exhibit) for exhibit in exhibits(experiment)]


def report(study: Mapping[str, Any], folder: str) -> None:
    """Write the report; only this task and the next import matplotlib."""
    from bakeoff.report.make import make_report
    from bakeoff.report.read import read_study

    make_report(read_study(**study), folder)


def print_figures(study: Mapping[str, Any], folder: str) -> None:
    """Write the report's figures for print."""
    from bakeoff.report.make import make_prints
    from bakeoff.report.read import read_study

    make_prints(read_study(**study), folder)


def check(experiment: Experiment) -> tuple[list[Problem], list[ChosenTest]]:
    """Look for everything in an experiment that would fail later; see `bakeoff.check`."""
    from bakeoff.check import check_experiment

    return check_experiment(experiment)


def _write_csv(table: pd.DataFrame, path: str | Path) -> None:
    with whole(path) as part:
        table.to_csv(part, index=False, lineterminator="\n")
