"""Fits, one or a batch: within their limits, with a second attempt, and failures that may be.

And all steps of an experiment in their order, from Python and without Snakemake.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.remake import note_batch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import StepError, Workers, result, work
from bakeoff.files import write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.paths import Paths
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import report_problems

if TYPE_CHECKING:
    from bakeoff.report.study import Study

_SHOWN = 5
_PART = re.compile(r"(?:\.repeat-(\d+)\.fold-(\d+))?(?:\.seed-(\d+))?")


def fit_of(wildcards: Any) -> Fit:
    """Return the fit that a job's wildcards name; see `Fit.split`."""
    part = _PART.fullmatch(wildcards.part)
    assert part is not None
    model = getattr(wildcards, "model", None) or wildcards.given
    return Fit(wildcards.dataset, model, wildcards.plan, *(int(n or 1) for n in part.groups()))


class Fitter:
    """Does the fits of one experiment, in workers, or without any in this process."""

    def __init__(self, needs: RuleInputs, workers: Workers | None) -> None:
        self._needs, self._workers, self._experiment = needs, workers, needs.experiment

    def fit(self, fit: Fit) -> None:
        """Fit and predict once; raise `StepError` if that fails and must not."""
        experiment, needs, paths = self._experiment, self._needs, self._needs.paths
        where, model = (fit.dataset, fit.model, fit.split), experiment.fitted[fit.model]
        task = FitTask(
            fit,
            model,
            experiment.seed,
            paths.data(fit.dataset),
            paths.splits(fit.dataset, fit.plan),
            needs.prediction(fit),
            needs.made_by[fit.dataset][fit.model],
            experiment.costs_on(fit.dataset) if model.needs_costs else None,
            experiment.keeps(fit.model),
            experiment.importance(fit.model),
        )
        record, log = paths.failure(*where), paths.fit_log(*where)
        limits, passes_over = experiment.limits(fit.model), needs.passes_over
        step = partial(steps.fit, task)
        try:
            if self._workers is None:
                result(fit, work(step, log), log)
            else:
                # whoever killed its process once, a fit is to blame only if it dies again
                self._workers.do(fit, step, log, limits, attempts=2 if passes_over else 1)
        except StepError as error:
            if not (passes_over and self._workers):
                raise
            self._workers.do(fit, partial(steps.note_failure, task, error.reason))
            write_json(record, {"fit": list(fit), "limits": list(limits), "why": error.reason})
            sys.stderr.write(f"{error}\n  on_error: exclude leaves {fit.model} out here\n")
        else:
            Path(record).unlink(missing_ok=True)

    def fit_batch(self, dataset: str, model: str, threads: int, record: str, log: str) -> None:
        """Do the fits of a model on a data set; one that fails does not stop the others.

        A `UserError` says at the end which failed, and why.
        """
        fits, failed = list(self._experiment.fits(dataset, model)), dict[Fit, str]()

        def do(fit: Fit) -> None:
            try:
                self.fit(fit)
            except StepError as error:
                failed[fit] = str(error)

        at_a_time = max(1, threads // self._experiment.fitted[model].threads)
        with ThreadPoolExecutor(at_a_time) as pool:
            list(pool.map(do, fits))
        errors = [failed[fit] for fit in fits if fit in failed]
        write_text(log, "".join(f"{error}\n" for error in errors))
        if errors:
            more = [f"and {len(errors) - _SHOWN} more fits"] if len(errors) > _SHOWN else []
            head = f"{len(errors)} of {len(fits)} fits failed:"
            raise UserError("\n".join([head, *errors[:_SHOWN], *more]))
        note_batch(record, list(map(self._needs.prediction, fits)))


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
    places = list(product(experiment.datasets, needs.plans))
    predicted = [place for place in places if experiment.on_rows(place[1])]
    for dataset, plan in predicted:
        steps.split_dataset(needs, dataset, plan)
        for model in experiment.given:
            for fit in experiment.fits(dataset, model, plan):
                steps.take_predictions(needs, fit)
    fits = list(experiment.fits())
    with closing(Workers()) if workers > 1 else nullcontext() as pool:
        do = Fitter(needs, pool).fit
        done: Iterable[None] = ThreadPoolExecutor(workers).map(do, fits) if pool else map(do, fits)
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))
    for place in places:
        steps.collect_scores(needs, *place)
    for place in predicted:
        steps.collect_predictions(needs, *place)
    steps.all_scores(needs)
    for test in tests:
        steps.run_test(needs, test)
    steps.compare(needs, tests)
    for name in needs.extras:
        steps.list_rows(needs, name)
    return read_study(**needs.study(None))
