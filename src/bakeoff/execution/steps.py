"""The steps of the rules, one function per rule: read files, call the library, write files.

They run in workers, or in a job's own process. Each imports what it needs when it runs, so that
neither Snakemake's process nor a worker loads what it has no use for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from bakeoff.errors import Problem, UserError
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import read_json, write_csv, write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import AnalysisPlan, Experiment, Fit, PlannedTest
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenData

# --- before the run


def check(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Look for everything in an experiment that would fail later; see `bakeoff.preflight`."""
    from bakeoff.preflight import check_experiment

    return check_experiment(experiment)


def list_exhibits(experiment: Experiment, tests: AnalysisPlan) -> list[tuple[str, ...]]:
    """List the figures and tables of an experiment's report; see `bakeoff.report.exhibits`."""
    from bakeoff.comparisons.analysis import analysis_of
    from bakeoff.report.exhibits import exhibits
    from bakeoff.report.study import Study

    _enter_own_metrics(experiment)
    study = Study(analysis_of(experiment), planned=tests)
    return list(map(tuple, exhibits(study)))


# --- data


def load_dataset(needs: RuleInputs, dataset: str) -> None:
    """Load a data set into canonical form, and run the checks that need its rows."""
    from bakeoff.data.given_predictions import load
    from bakeoff.preflight import check_table

    experiment = needs.experiment
    paths = needs.paths
    table = load(dataset, experiment)
    problems = list(check_table(experiment, dataset, table))
    if problems:
        raise UserError("\n".join(map(str, problems)))
    table.write(paths.data(dataset), paths.card(dataset))
    if any(map(needs.row_columns, experiment.datasets)):
        table.write_carried(paths.row_columns(dataset))


def split_dataset(needs: RuleInputs, dataset: str, plan: str) -> None:
    """Make the divisions of one plan, and say how good they are."""
    from bakeoff.data import Table
    from bakeoff.data.given_predictions import divide
    from bakeoff.data.splits import split_quality, write_splits

    experiment = needs.experiment
    paths = needs.paths
    spec = experiment.resampling.plans()[plan]
    table = Table.read(paths.data(dataset))
    splits = divide(dataset, experiment, table, plan)
    elsewhere = isinstance(experiment.datasets[dataset], GivenData)
    quality = split_quality(dataset, table, plan, spec, splits, elsewhere=elsewhere)
    write_json(paths.split_quality(dataset, plan), quality)
    write_splits(paths.splits(dataset, plan), splits)


# --- fits, or predictions that were made elsewhere


def fit(task: FitTask) -> bool:
    """Fit and predict once, unless this very fit is there already; tell whether it was not."""
    from bakeoff.fit.predictions import is_made, stamp
    from bakeoff.fit.run_fit import run_fit

    if is_made(task.output, stamp(task.fingerprint, task.data, task.splits)):
        return False
    run_fit(task)
    return True


def note_failure(task: FitTask, why: str) -> None:
    """Leave a file without rows for a fit that failed, so that everything else goes on."""
    import numpy as np

    from bakeoff.fit.predictions import Predictions

    no_rows = np.array([], dtype=np.intp)
    facts = {**task.fit._asdict(), "failure": why, "fingerprint": task.fingerprint}
    predictions = Predictions(
        row_id=no_rows,
        y_true=no_rows,
        y_pred=no_rows,
        classes=(),
        probabilities=None,
        decision=None,
        facts=facts,
    )
    predictions.write(task.output)


def take_predictions(needs: RuleInputs, fit: Fit) -> None:
    """Take the predictions of a given model, after the proof that they are for these rows."""
    from bakeoff.data import Table, read_split
    from bakeoff.scores.given_results import given_predictions

    table = Table.read(needs.paths.data(fit.dataset))
    split = read_split(needs.paths.splits(fit.dataset, fit.plan), fit.repeat, fit.fold)
    predictions = given_predictions(fit, needs.experiment, table, split)
    predictions.write(needs.prediction(fit))


# --- scores and predictions of all models


def collect_scores(needs: RuleInputs, dataset: str, plan: str) -> None:
    """Score all fits of one data set and plan, or take the scores that its models bring."""
    from bakeoff.scores import score_fits
    from bakeoff.scores.given_results import given_scores

    experiment = needs.experiment
    _enter_own_metrics(experiment)
    if experiment.by_scores(plan):
        scores, timings = given_scores(experiment, dataset, plan)
    else:
        models = needs.kept_models(dataset)
        columns = {}
        for path in needs.row_columns(dataset):  # one or none
            columns[dataset] = path
        scores, timings = score_fits(
            needs.predictions(dataset, plan, models),
            experiment.metrics,
            costs=experiment.costs_on(dataset),
            fingerprints=needs.made_by,
            carried=columns,
        )
    write_csv(needs.paths.scores(dataset, plan), scores)
    write_csv(needs.paths.timings(dataset, plan), timings)


def collect_predictions(needs: RuleInputs, dataset: str, plan: str) -> None:
    """Put the models' predictions side by side: of a test set, or of all folds of a plan."""
    from bakeoff.data import Table
    from bakeoff.data.splits import read_splits
    from bakeoff.scores.collect import (
        collect_fold_predictions,
        collect_predictions,
        untested_rows,
    )

    output = needs.paths.predictions(dataset, plan)
    # what is known of the rows beside their predictions
    related = next(iter(needs.related(dataset)), None)
    carried = next(iter(needs.row_columns(dataset)), None)
    files_by_run = _files_by_run(needs, dataset, plan)
    if plan == "holdout":
        file_by_run = {run: files[0] for run, files in files_by_run.items()}
        collect_predictions(file_by_run, output, needs.made_by, related, carried)
        return
    table = Table.read(needs.paths.data(dataset))
    splits = read_splits(needs.paths.splits(dataset, plan))
    collect_fold_predictions(
        files_by_run,
        output,
        needs.made_by,
        related,
        carried,
        untested=untested_rows(table, splits),
    )


def _files_by_run(needs: RuleInputs, dataset: str, plan: str) -> dict[str, list[str]]:
    """Map the training runs of all models that are kept to their predictions on each fold."""
    files_by_run = {}
    for model in needs.kept_models(dataset):
        files = needs.predictions(dataset, plan, [model])
        n_seeds = needs.experiment.seeds(model)
        for i in range(n_seeds):
            # the runs of one fold stand beside each other
            files_by_run[run_name(model, seed=i + 1)] = files[i::n_seeds]
    return files_by_run


def all_scores(needs: RuleInputs) -> None:
    """Put the tables of scores below one another, and those of timings."""
    import pandas as pd

    from bakeoff.comparisons.collected import read_scores

    paths = needs.paths
    for name, path in {"scores.csv": paths.scores, "timings.csv": paths.timings}.items():
        tables = map(read_scores, needs.by_plan(path))
        write_csv(paths.top(name), pd.concat(tables, ignore_index=True))


def list_fits(needs: RuleInputs, what: str) -> None:
    """Write what fits chose, which columns matter to them, or which failed."""
    from bakeoff.scores.collect import choices, failures, importances

    tables = {
        "choices": (choices, needs.choosing_fits),
        "importance": (importances, needs.measured_fits),
        "excluded": (failures, needs.failed_fits),
    }
    make_table, files_of = tables[what]
    files = chain.from_iterable(map(files_of, needs.experiment.datasets))
    write_csv(needs.extras[what], make_table(files))


# --- intervals and tests


def list_rows(needs: RuleInputs, what: str) -> None:
    """Write the intervals of every metric on held-out rows or folds, or the models in subgroups."""
    from bakeoff.comparisons.analysis import analysis_of
    from bakeoff.comparisons.fold_intervals import fold_intervals
    from bakeoff.comparisons.row_tables import score_intervals, subgroup_table

    _enter_own_metrics(needs.experiment)
    analysis = analysis_of(needs.experiment)
    if what == "fold_intervals":
        table = fold_intervals(analysis, needs.fold_predictions)
    elif what == "intervals":
        table = score_intervals(analysis, needs.holdouts)
    else:
        table = subgroup_table(analysis, needs.holdouts)
    write_csv(needs.extras[what], table)


def score_matrix(needs: RuleInputs, tests: AnalysisPlan) -> None:
    """Write one score per data set and model, and which are missing."""
    from bakeoff.comparisons.analysis import analysis_of
    from bakeoff.comparisons.collected import read_scores
    from bakeoff.comparisons.run_tests import matrices
    from bakeoff.comparisons.score_matrix import check_holes, score_matrix

    experiment = needs.experiment
    table, holes = score_matrix(
        read_scores(needs.paths.top("scores.csv")),
        datasets=list(experiment.datasets),
        models=list(experiment.models),
        metrics=experiment.metrics,
        plans=experiment.resampling.plans(),
    )
    policy = analysis_of(experiment).missing_cells
    check_holes(holes, matrices(tests), policy)
    write_csv(needs.paths.top("score_matrix.csv"), table)
    missing = {"policy": policy, "missing": list(map(vars, holes))}
    write_json(needs.paths.top("missing_scores.json"), missing)


def run_test(needs: RuleInputs, test: PlannedTest) -> None:
    """Run one test on all its evidence; see `bakeoff.comparisons.run_tests`."""
    from bakeoff.comparisons.analysis import analysis_of
    from bakeoff.comparisons.run_tests import run_planned

    _enter_own_metrics(needs.experiment)
    comparisons = run_planned(test, analysis_of(needs.experiment), needs.evidence(test))
    results = [comparison.to_dict() for comparison in comparisons]
    write_json(needs.paths.test(test.name), results)


def compare(needs: RuleInputs, tests: AnalysisPlan) -> None:
    """Put the results of all tests into one table, beside the experiment and why they ran."""
    import pandas as pd
    import yaml

    from bakeoff.comparisons.plan_tests import described
    from bakeoff.comparisons.run_tests import Comparison, once

    experiment = needs.experiment
    paths = needs.paths
    results: list[dict[str, Any]] = []
    for test in tests:
        results += read_json(paths.test(test.name))
    comparisons = list(map(Comparison.from_dict, results))
    rows = []
    entries = []
    for i, follows in once(comparisons).items():
        entries.append({**results[i], "follows": follows})
        rows.append({**comparisons[i].to_row(), "follows": follows})
    write_json(paths.top("comparisons.json"), entries)
    write_csv(paths.top("comparisons.csv"), pd.DataFrame(rows, columns=Comparison.columns()))
    _enter_own_metrics(experiment)
    write_json(paths.top("tests.json"), described(tests))
    spelled_out = yaml.safe_dump(experiment.resolved(), sort_keys=False, allow_unicode=True)
    write_text(paths.top("experiment.yaml"), spelled_out)


# --- the report


def report(needs: RuleInputs, file: str | None, made: Sequence[str]) -> None:
    """Write the report, and remove what an earlier one made and this one does not."""
    from bakeoff.report.page import Page  # only this step and the next import matplotlib
    from bakeoff.report.read import read_study

    study = read_study(**needs.study(file))
    Page(study).write(needs.paths.root)
    manifest = Path(needs.paths.made())
    if manifest.is_file():
        made_before = manifest.read_text(encoding="utf-8").splitlines()
        _remove(set(made_before).difference(made), needs.paths.root)
    write_text(manifest, "".join(f"{path}\n" for path in sorted(made)))


def _remove(files: Iterable[str], root: str) -> None:
    """Remove files that would lie beside the new ones and tell of tests that are gone."""
    for path in map(Path, files):
        # whatever the list says, no file outside of the results is touched
        if path.resolve().is_relative_to(Path(root).resolve()):
            path.unlink(missing_ok=True)


def print_figures(needs: RuleInputs, file: str | None) -> None:
    """Write the report's figures for print."""
    from bakeoff.report.page import Page
    from bakeoff.report.read import read_study

    study = read_study(**needs.study(file))
    Page(study).print_figures(needs.paths.root)


def _enter_own_metrics(experiment: Experiment) -> None:
    """Enter the experiment's own metrics in this process, which may have done another's steps."""
    from bakeoff.scores.own_metrics import enter_own

    enter_own(experiment.own_metrics)
