"""Fits, one or a batch: within their limits, with a second attempt, and failures that may be."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
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

    def __init__(
        self, needs: RuleInputs, made_by: Mapping[str, Mapping[str, str]], workers: Workers | None
    ) -> None:
        self._needs, self._made_by, self._workers = needs, made_by, workers
        self._experiment = needs.experiment

    def fit(self, fit: Fit, log: str) -> None:
        """Fit and predict once; raise `StepError` if that fails and must not."""
        self._note(fit, self._alone(fit, log))

    def fit_batch(self, fits: Sequence[Fit], record: str, log: str, at_a_time: int) -> None:
        """Do the fits that are not there yet; one that fails does not stop the others.

        A `UserError` says at the end which failed, and why.
        """
        failed: dict[Fit, str] = {}

        def do(fit: Fit) -> None:
            try:
                self.fit(fit, self._needs.log_of(fit))
            except StepError as error:
                failed[fit] = str(error)

        with ThreadPoolExecutor(at_a_time) as threads:
            list(threads.map(do, fits))
        errors = [failed[fit] for fit in fits if fit in failed]
        write_text(log, "".join(f"{error}\n" for error in errors))
        if errors:
            more = [f"and {len(errors) - _SHOWN} more fits"] if len(errors) > _SHOWN else []
            head = f"{len(errors)} of {len(fits)} fits failed:"
            raise UserError("\n".join([head, *errors[:_SHOWN], *more]))
        note_batch(record, list(map(self._needs.prediction, fits)))

    def _alone(self, fit: Fit, log: str) -> bool | StepError:
        """Do a fit; return whether it was not there yet, or how it failed."""
        step, limits = self._step(fit), self._experiment.limits(fit.model)
        try:
            if self._workers is None:
                return result(fit, work(step, log), log)
            try:
                return self._workers.do(fit, step, log, limits)
            except StepError as error:
                if not (error.died and self._needs.passes_over):
                    raise
                # whoever killed it once, it is to blame only if it dies again
                return self._workers.do(fit, step, log, limits)
        except StepError as error:
            return error

    def _note(self, fit: Fit, outcome: bool | StepError) -> None:
        """Record the outcome of a fit; raise its error unless failures are allowed."""
        record = self._needs.paths.failure(fit.dataset, fit.model, fit.split)
        if not isinstance(outcome, StepError):
            Path(record).unlink(missing_ok=True)
            return
        if not (self._needs.passes_over and self._workers):
            raise outcome
        made_by, output = self._made_by[fit.dataset][fit.model], self._needs.prediction(fit)
        self._workers.do(fit, partial(steps.note_failure, fit, outcome.reason, made_by, output))
        limits = list(self._experiment.limits(fit.model))
        write_json(record, {"fit": list(fit), "limits": limits, "why": outcome.reason})
        sys.stderr.write(f"{outcome}\n  on_error: exclude leaves {fit.model} out here\n")

    def _step(self, fit: Fit) -> partial[bool]:
        experiment, place = self._experiment, self._needs.paths
        model = experiment.fitted_model(fit.model)
        task = FitTask(
            fit,
            model,
            experiment.seed,
            place.data(fit.dataset),
            place.splits(fit.dataset, fit.plan),
            self._needs.prediction(fit),
            self._made_by[fit.dataset][fit.model],
            experiment.costs_on(fit.dataset) if model.needs_costs else None,
        )
        return partial(steps.fit, task)
