"""Fits, one or a batch: within their limits, with a second attempt, and failures that may be."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.remake import note_batch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import StepError, Workers, result, work
from bakeoff.files import write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import Fit

_SHOWN = 5
_SPLIT = re.compile(r"(.+?)(?:\.repeat-(\d+)\.fold-(\d+))?(?:\.seed-(\d+))?")


def fit_of(wildcards: Any) -> Fit:
    """Return the fit that a job's wildcards name; see `Fit.split`."""
    split = _SPLIT.fullmatch(wildcards.split)
    assert split is not None
    model = getattr(wildcards, "model", None) or wildcards.given
    return Fit(wildcards.dataset, model, split[1], *(int(n or 1) for n in split.groups()[1:]))


class Fitter:
    """Does the fits of one experiment, in workers, or without any in this process."""

    def __init__(self, needs: RuleInputs, workers: Workers | None) -> None:
        self._needs, self._workers, self._experiment = needs, workers, needs.experiment

    def fit(self, fit: Fit) -> None:
        """Fit and predict once; raise `StepError` if that fails and must not."""
        where = fit.dataset, fit.model, fit.split
        record, log = self._needs.paths.failure(*where), self._needs.paths.fit_log(*where)
        task, limits = self._task(fit), self._experiment.limits(fit.model)
        step, passes_over = partial(steps.fit, task), self._needs.passes_over
        try:
            if self._workers is None:
                result(fit, work(step, log), log)
            else:
                # whoever killed its process once, a fit is to blame only if it dies again
                self._workers.do(fit, step, log, limits, attempts=2 if passes_over else 1)
        except StepError as error:
            if not (passes_over and self._workers):
                raise
            failed = fit, error.reason, task.fingerprint, str(task.output)
            self._workers.do(fit, partial(steps.note_failure, *failed))
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

    def _task(self, fit: Fit) -> FitTask:
        experiment, paths = self._experiment, self._needs.paths
        model = experiment.fitted_model(fit.model)
        return FitTask(
            fit,
            model,
            experiment.seed,
            paths.data(fit.dataset),
            paths.splits(fit.dataset, fit.plan),
            self._needs.prediction(fit),
            self._needs.made_by[fit.dataset][fit.model],
            experiment.costs_on(fit.dataset) if model.needs_costs else None,
        )
