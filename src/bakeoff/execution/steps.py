"""The steps of the rules, one function per rule: read files, call the library, write files.

They run in workers, or in a job's own process. Each imports what it needs when it runs, so that
neither Snakemake's process nor a worker loads what it has no use for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bakeoff.errors import Problem, UserError
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import read_json, write_csv, write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import AnalysisPlan, Experiment, Fit, PlannedTest
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenData


def check(experiment: Experiment) -> tuple[list[Problem], AnalysisPlan]:
    """Look for everything in an experiment that would fail later; see `bakeoff.preflight`."""
    from bakeoff.preflight import check_experiment

    return check_experiment(experiment)


def list_exhibits(experiment: Experiment, tests: AnalysisPlan) -> list[tuple[str, ...]]:
    """List the figures and tables of an experiment's report; see `bakeoff.report.exhibits`."""
    from bakeoff.report.exhibits import exhibits
    from bakeoff.report.study_design import StudyDesign

    _enter_own(experiment)
    return [tuple(item) for item in exhibits(StudyDesign(experiment, analysis=tests))]


def load_dataset(
    experiment: Experiment, dataset: str, parquet: str, card: str, carried: str = ""
) -> None:
    """Load a data set into canonical form, and run the checks that need its rows."""
    from bakeoff.data.given_predictions import load
    from bakeoff.preflight import check_table

    table = load(dataset, experiment)
    problems = list(check_table(experiment, dataset, table))
    if problems:
        raise UserError("\n".join(map(str, problems)))
    table.write(parquet, card)
    if carried:
        table.write_carried(carried)


def split_dataset(
    experiment: Experiment, dataset: str, plan: str, parquet: str, output: str, quality: str
) -> None:
    """Make the divisions of one plan, and say how good they are."""
    from bakeoff.data import Table
    from bakeoff.data.given_predictions import divide
    from bakeoff.data.splits import split_quality, write_splits

    spec, table = experiment.resampling.plans()[plan], Table.read(parquet)
    splits = divide(dataset, experiment, table, plan)
    elsewhere = isinstance(experiment.datasets[dataset], GivenData)
    write_json(quality, split_quality(dataset, table, plan, spec, splits, elsewhere=elsewhere))
    write_splits(output, splits)


def fit(task: FitTask) -> None:
    """Fit and predict once, unless this very fit is there already."""
    from bakeoff.fit.predictions import is_made, stamp
    from bakeoff.fit.run_fit import run_fit

    if not is_made(task.output, stamp(task.fingerprint, task.data, task.splits)):
        run_fit(task)


def note_failure(fit: Fit, why: str, fingerprint: str, output: str) -> None:
    """Leave a file without rows for a fit that failed, so that everything else goes on."""
    import numpy as np

    from bakeoff.fit.predictions import Predictions

    none = np.array([], dtype=np.intp)
    facts = {**fit._asdict(), "failure": why, "fingerprint": fingerprint}
    Predictions(none, none, none, (), None, None, facts).write(output)


def take_predictions(experiment: Experiment, fit: Fit, data: str, splits: str, output: str) -> None:
    """Take the predictions of a given model, after the proof that they are for these rows."""
    from bakeoff.data import Table, read_split
    from bakeoff.scores.given_results import given_predictions

    table, split = Table.read(data), read_split(splits, fit.repeat, fit.fold)
    given_predictions(fit, experiment, table, split).write(output)


def collect_scores(needs: RuleInputs, dataset: str, plan: str, scores: str, timings: str) -> None:
    """Score all fits of one data set and plan, or take the scores that its models bring."""
    from bakeoff.scores import score_fits
    from bakeoff.scores.given_results import given_scores

    experiment = needs.experiment
    _enter_own(experiment)
    if experiment.by_scores(plan):
        tables = given_scores(experiment, dataset, plan)
    else:
        columns = {dataset: path} if (path := "".join(needs.row_columns(dataset))) else {}
        how = experiment.metrics, experiment.costs_on(dataset), needs.made_by, columns
        tables = score_fits(needs.predictions(dataset, plan, needs.kept(dataset)), *how)
    for table, path in zip(tables, (scores, timings), strict=True):
        write_csv(path, table)


def collect_predictions(needs: RuleInputs, dataset: str, plan: str, output: str) -> None:
    """Put the models' predictions side by side: of a test set, or of all folds of a plan."""
    from bakeoff.scores.collect import collect_fold_predictions, collect_predictions

    seeds = needs.experiment.seeds
    predictions = {m: needs.predictions(dataset, plan, [m]) for m in needs.kept(dataset)}
    if plan != "holdout":
        first = {m: paths[:: seeds(m)] for m, paths in predictions.items()}
        collect_fold_predictions(first, output, needs.made_by)
        return
    runs = {run_name(m, i): path for m, p in predictions.items() for i, path in enumerate(p, 1)}
    # with what is known of the rows of a test set
    files = (next(iter(f(dataset)), None) for f in (needs.related, needs.row_columns))
    collect_predictions(runs, output, needs.made_by, *files)


def all_scores(scores: Sequence[str], timings: Sequence[str], output: str, times: str) -> None:
    """Put the tables of scores below one another, and those of timings."""
    import pandas as pd

    from bakeoff.comparisons.read_evidence import read_scores

    for tables, path in ((scores, output), (timings, times)):
        write_csv(path, pd.concat([read_scores(table) for table in tables], ignore_index=True))


def list_fits(needs: RuleInputs, what: str, output: str) -> None:
    """Write what fits chose, or which failed."""
    from bakeoff.scores.choices import choices, failures

    datasets = needs.experiment.datasets
    if what == "choices":
        table = choices(path for dataset in datasets for path in needs.choosing(dataset))
    else:
        table = failures(path for dataset in datasets for path in needs.failed(dataset))
    write_csv(output, table)


def list_rows(experiment: Experiment, holdouts: Mapping[str, str], what: str, output: str) -> None:
    """Write intervals of every metric on held-out rows, or the models in subgroups of these."""
    from bakeoff.comparisons.row_tables import score_intervals, subgroup_table

    _enter_own(experiment)
    make = {"intervals": score_intervals, "subgroups": subgroup_table}[what]
    write_csv(output, make(experiment, holdouts))


def score_matrix(
    experiment: Experiment, tests: AnalysisPlan, scores: str, matrix: str, missing: str
) -> None:
    """Write one score per data set and model, and which are missing."""
    from bakeoff.comparisons.read_evidence import (
        check_holes,
        missing_cells,
        read_scores,
        score_matrix,
    )
    from bakeoff.comparisons.run_tests import matrices

    plans = experiment.resampling.plans()
    names = list(experiment.datasets), list(experiment.models), experiment.metrics
    table, holes = score_matrix(read_scores(scores), *names, plans)
    policy = missing_cells(experiment)
    check_holes(holes, matrices(tests), policy)
    write_csv(matrix, table)
    write_json(missing, {"policy": policy, "missing": [vars(hole) for hole in holes]})


def run_test(
    experiment: Experiment, test: PlannedTest, evidence: Mapping[str, str], output: str
) -> None:
    """Run one test on all its evidence; see `bakeoff.comparisons.run_planned`."""
    from bakeoff.comparisons import run_planned

    _enter_own(experiment)
    comparisons = run_planned(test, experiment, evidence)
    write_json(output, [comparison.to_dict() for comparison in comparisons])


def compare(
    experiment: Experiment,
    tests: AnalysisPlan,
    results: Sequence[str],
    csv: str,
    json: str,
    resolved: str,
    listing: str,
) -> None:
    """Put the results of all tests into one table, beside the experiment and why they ran."""
    import pandas as pd
    import yaml

    from bakeoff.comparisons import Comparison, described, once

    listed = [row for path in results for row in read_json(path)]
    comparisons = [Comparison.from_dict(row) for row in listed]
    places = once(comparisons)
    write_json(json, [{**listed[i], "follows": follows} for i, follows in places.items()])
    rows = [{**comparisons[i].to_row(), "follows": follows} for i, follows in places.items()]
    write_csv(csv, pd.DataFrame(rows, columns=Comparison.columns()))
    _enter_own(experiment)
    write_json(listing, described(tests))
    spelled_out = yaml.safe_dump(experiment.resolved(), sort_keys=False, allow_unicode=True)
    write_text(resolved, spelled_out)


def report(study: Mapping[str, Any], folder: str, made: Sequence[str], manifest: str) -> None:
    """Write the report; only this step and the next import matplotlib.

    What an earlier report made and this one does not, by the list in `manifest`, is removed: it
    would lie beside the new files and tell of tests that are gone.
    """
    from bakeoff.report.page import Page
    from bakeoff.report.read import read_study

    Page(read_study(**study)).write(folder)
    before = Path(manifest).read_text(encoding="utf-8") if Path(manifest).is_file() else ""
    root = Path(folder).resolve()
    for path in set(before.splitlines()).difference(made):
        if Path(path).resolve().is_relative_to(root):
            Path(path).unlink(missing_ok=True)
    write_text(manifest, "".join(f"{path}\n" for path in sorted(made)))


def print_figures(study: Mapping[str, Any], folder: str) -> None:
    """Write the report's figures for print."""
    from bakeoff.report.page import Page
    from bakeoff.report.read import read_study

    Page(read_study(**study)).print_figures(folder)


def _enter_own(experiment: Experiment) -> None:
    """Enter the experiment's own metrics in this process, which may have done another's steps."""
    from bakeoff.scores.own_metrics import enter_own

    enter_own(experiment.own_metrics)
