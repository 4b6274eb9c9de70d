"""Fits, one or a batch: within their limits, with a second attempt, and failures that may be."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.remake import note_batch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import StepError, Workers, result, work, work_in_turn
from bakeoff.files import write_json, write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import Fit

_SHOWN = 5
_TOGETHER = 64
"""How many quick fits a message to a worker holds at most; it takes as long as one of them."""
_SPLIT = re.compile(r"(.+?)(?:\.repeat-(\d+)\.fold-(\d+))?(?:\.seed-(\d+))?")


def fit_of(wildcards: Any) -> Fit:
    """Return the fit that a job's wildcards name; see `Fit.split`."""
    found = _SPLIT.fullmatch(wildcards.split)
    assert found is not None
    model = getattr(wildcards, "model", None) or wildcards.given
    return Fit(wildcards.dataset, model, found[1], *(int(n or 1) for n in found.groups()[1:]))


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

        Raises
        ------
        UserError
            Some failed: which, and why.
        """
        failed: dict[Fit, str] = {}

        def do(portion: Sequence[Fit]) -> None:
            for fit, outcome in zip(portion, self._in_turn(portion), strict=True):
                try:
                    self._note(fit, outcome)
                except StepError as error:
                    failed[fit] = str(error)

        with ThreadPoolExecutor(at_a_time) as threads:
            list(threads.map(do, self._portions(fits, at_a_time)))
        told = [failed[fit] for fit in fits if fit in failed]
        write_text(log, "".join(f"{error}\n" for error in told))
        if told:
            more = [f"and {len(told) - _SHOWN} more fits"] if len(told) > _SHOWN else []
            head = f"{len(told)} of {len(fits)} fits failed:"
            raise UserError("\n".join([head, *told[:_SHOWN], *more]))
        note_batch(record, list(map(self._needs.prediction, fits)))

    def _portions(self, fits: Sequence[Fit], at_a_time: int) -> Iterator[Sequence[Fit]]:
        """Divide fits into messages to workers, some of them for each; some stay alone."""
        most = min(_TOGETHER, max(1, len(fits) // (4 * at_a_time) if at_a_time > 1 else _TOGETHER))
        for alone, group in groupby(fits, lambda fit: self._isolated(fit.model)):
            own, size = list(group), 1 if alone else most
            yield from (own[i : i + size] for i in range(0, len(own), size))

    def _isolated(self, model: str) -> bool:
        """Tell whether a fit may have to be ended, or may die, without ending its process."""
        return self._needs.passes_over or any(self._experiment.limits(model))

    def _in_turn(self, fits: Sequence[Fit]) -> Iterator[bool | StepError]:
        logs = [self._needs.log_of(fit) for fit in fits]
        if len(fits) > 1:
            batch = partial(work_in_turn, list(zip(map(self._step, fits), logs, strict=True)))
            try:
                outcomes = self._workers.do("fits", batch) if self._workers else batch()
            except StepError:
                pass  # the fit that is to blame is found below; those that are there stay
            else:
                for fit, log, outcome in zip(fits, logs, outcomes, strict=True):
                    try:
                        yield result(fit, outcome, log)
                    except StepError as error:
                        yield error
                return
        for fit, log in zip(fits, logs, strict=True):
            yield self._alone(fit, log)

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
            experiment.importance_by(fit),
        )
        return partial(steps.fit, task)
