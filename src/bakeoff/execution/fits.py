"""Fits, one or a batch: within their limits, with a second attempt, and failures that may be.

And all steps of an experiment in their order, from Python and without Snakemake.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.remake import note_batch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.worker import work
from bakeoff.execution.workers import StepError, Workers, result
from bakeoff.files import write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.paths import Paths
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import report_problems

if TYPE_CHECKING:
    from bakeoff.report.study import Study

_MOST_ERRORS = 5
"""Failed fits of a batch that are told one by one."""
_PART = re.compile(r"(?:\.repeat-(\d+)\.fold-(\d+))?(?:\.seed-(\d+))?")


def fit_of(wildcards: Any) -> Fit:
    """Return the fit that a job's wildcards name; see `Fit.split`."""
    part = _PART.fullmatch(wildcards.part)
    assert part is not None
    model = getattr(wildcards, "model", None) or wildcards.given
    # a holdout has one division, and its file's name no number of it
    repeat, fold, seed = (int(number or 1) for number in part.groups())
    return Fit(wildcards.dataset, model, wildcards.plan, repeat, fold, seed)


# --- one fit, or a batch of fits


class Fitter:
    """Does the fits of one experiment, in workers, or without any in this process."""

    def __init__(self, needs: RuleInputs, workers: Workers | None) -> None:
        self._needs = needs
        self._workers = workers
        self._experiment = needs.experiment

    def fit(self, fit: Fit) -> None:
        """Fit and predict once; raise `StepError` if that fails and must not."""
        task = self._task(fit)
        failure = self._needs.paths.failure(fit.dataset, fit.model, fit.split)
        try:
            self._do(task)
        except StepError as error:
            if self._workers is None or not self._needs.passes_over:
                raise
            self._workers.do(fit, partial(steps.note_failure, task, error.reason))
            limits = self._experiment.limits(fit.model)
            write_json(failure, {"fit": list(fit), "limits": list(limits), "why": error.reason})
            sys.stderr.write(f"{error}\n  on_error: exclude leaves {fit.model} out here\n")
        else:
            Path(failure).unlink(missing_ok=True)

    def _task(self, fit: Fit) -> FitTask:
        """Return everything that a fit depends on, and where it writes."""
        experiment = self._experiment
        needs = self._needs
        model = experiment.fitted[fit.model]
        costs = None
        if model.needs_costs:
            costs = experiment.costs_on(fit.dataset)
        return FitTask(
            fit=fit,
            model=model,
            seed=experiment.seed,
            data=needs.paths.data(fit.dataset),
            splits=needs.paths.splits(fit.dataset, fit.plan),
            output=needs.prediction(fit),
            fingerprint=needs.made_by[fit.dataset][fit.model],
            costs=costs,
            keep=experiment.keeps(fit.model),
            importance=experiment.importance(fit.model),
        )

    def _do(self, task: FitTask) -> None:
        """Do a fit within its limits."""
        fit = task.fit
        log = self._needs.paths.fit_log(fit.dataset, fit.model, fit.split)
        step = partial(steps.fit, task)
        if self._workers is None:
            result(fit, work(step, log), log)
            return
        attempts = 1
        if self._needs.passes_over:
            # a process may die by the fault of others: the fit is to blame only if it dies again
            attempts = 2
        limits = self._experiment.limits(fit.model)
        self._workers.do(fit, step, log, limits, attempts=attempts)

    def fit_batch(self, dataset: str, model: str, threads: int, record: str, log: str) -> None:
        """Do the fits of a model on a data set; one that fails does not stop the others.

        A `UserError` says at the end which failed, and why.
        """
        fits = list(self._experiment.fits(dataset, model))
        error_by_fit: dict[Fit, str] = {}

        def do(fit: Fit) -> None:
            try:
                self.fit(fit)
            except StepError as error:
                error_by_fit[fit] = str(error)

        at_a_time = max(1, threads // self._experiment.fitted[model].threads)
        with ThreadPoolExecutor(at_a_time) as pool:
            list(pool.map(do, fits))
        # in the order of the fits, and not in that in which they ended
        errors = [error_by_fit[fit] for fit in fits if fit in error_by_fit]
        write_text(log, "".join(f"{error}\n" for error in errors))
        if errors:
            lines = [f"{len(errors)} of {len(fits)} fits failed:", *errors[:_MOST_ERRORS]]
            if len(errors) > _MOST_ERRORS:
                lines.append(f"and {len(errors) - _MOST_ERRORS} more fits")
            raise UserError("\n".join(lines))
        note_batch(record, list(map(self._needs.prediction, fits)))


# --- all steps of an experiment, without Snakemake


def run_in_process(
    experiment: Experiment, root: str, workers: int, fitted: Callable[[int, int], object]
) -> Study:
    """Run an experiment in a fresh folder and read its results.

    Models are fitted with one seed each and without searches, or bring predictions.
    With one worker this process does all. `fitted` is called after each fit with the number of
    fits that are done and of all.
    """
    from bakeoff.report.read import read_study  # imports all rooms

    problems, tests = steps.check(experiment)
    if problems:
        raise report_problems(problems)
    needs = RuleInputs(experiment, Paths(root))
    for dataset in experiment.datasets:
        steps.load_dataset(needs, dataset)
    # of the other plans the models bring scores alone
    plans_on_rows = [plan for plan in needs.plans if experiment.on_rows(plan)]
    for dataset, plan in product(experiment.datasets, plans_on_rows):
        steps.split_dataset(needs, dataset, plan)
        _take_predictions(needs, dataset, plan)
    _do_fits(needs, workers, fitted)
    for dataset, plan in product(experiment.datasets, needs.plans):
        steps.collect_scores(needs, dataset, plan)
    for dataset, plan in product(experiment.datasets, plans_on_rows):
        steps.collect_predictions(needs, dataset, plan)
    steps.all_scores(needs)
    for test in tests:
        steps.run_test(needs, test)
    steps.compare(needs, tests)
    for table in needs.extras:
        steps.list_rows(needs, table)
    return read_study(**needs.study(None))


def _take_predictions(needs: RuleInputs, dataset: str, plan: str) -> None:
    """Take the predictions of all given models on a data set."""
    for model in needs.experiment.given:
        for fit in needs.experiment.fits(dataset, model, plan):
            steps.take_predictions(needs, fit)


def _do_fits(needs: RuleInputs, workers: int, fitted: Callable[[int, int], object]) -> None:
    """Do all fits, several at a time where there are several workers."""
    fits = list(needs.experiment.fits())
    if workers <= 1:
        fitter = Fitter(needs, None)
        for i, fit in enumerate(fits, 1):
            fitter.fit(fit)
            fitted(i, len(fits))
        return
    with closing(Workers()) as pool:
        fitter = Fitter(needs, pool)
        done = ThreadPoolExecutor(workers).map(fitter.fit, fits)
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))
