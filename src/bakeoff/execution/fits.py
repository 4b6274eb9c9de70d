"""Run one fit or a batch of fits in a worker, within its limits; failures may be allowed."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from typing import Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.limits import Limits
from bakeoff.execution.pool import Pool, StepError, WorkerDied, run_step
from bakeoff.execution.store import Store
from bakeoff.files import write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import Fit

_SHOWN = 5
_TOGETHER, _SECONDS = 64, 0.25
"""How many fits a message to a worker holds at most, and how long it goes on with them."""


class Fitter:
    """Does the fits of one experiment.

    Parameters
    ----------
    store : Store
        Knows the experiment, and is told what became of each fit.
    pool : Pool, optional
        The workers; without any, a fit is done in this process unless it may have to be ended.
    """

    def __init__(self, store: Store, pool: Pool | None) -> None:
        self._store, self._pool = store, pool
        self._needs, self._experiment = store.needs, store.needs.experiment

    def fit(self, fit: Fit, log: str) -> None:
        """Fit and predict once.

        Raises
        ------
        StepError
            It failed, and nothing is to go on without it.
        """
        # what is to be ended, or may die without ending this process, needs a process of its own
        ends = any(self._experiment.limits(fit.model)) or self._needs.passes_over
        in_process = self._pool is None and ends
        with closing(Pool()) if in_process else nullcontext(self._pool) as pool:
            self._note(fit, self._alone(fit, pool, log), pool)

    def fit_batch(
        self,
        fits: Sequence[Fit],
        record: str,
        log: str,
        at_a_time: int,
        forget: Callable[[str], object],
    ) -> None:
        """Do the fits of a batch that are not there yet; one that fails does not stop the others.

        `forget` drops what Snakemake knows of a file that a job of its own wrote before.

        Raises
        ------
        UserError
            Some failed: which, and why.
        """
        failed: dict[Fit, str] = {}
        at_a_time = max(1, at_a_time)
        waiting = _Waiting(fits, at_a_time, lambda fit: any(self._experiment.limits(fit.model)))

        def work(pool: Pool) -> None:
            for portion in waiting:
                left: Sequence[Fit] = ()
                try:
                    found = self._in_turn(portion, pool)
                    left = portion[len(found) :]
                finally:
                    waiting.give_back(left)
                for fit, outcome in zip(portion, found, strict=False):
                    if outcome is not False:
                        forget(self._needs.prediction(fit))
                    try:
                        self._note(fit, outcome, pool)
                    except StepError as error:
                        failed[fit] = str(error)

        with (
            nullcontext(self._pool) if self._pool else closing(Pool()) as pool,
            ThreadPoolExecutor(at_a_time) as threads,
        ):
            list(threads.map(work, [pool] * at_a_time))
        told = [failed[fit] for fit in fits if fit in failed]
        write_text(log, "".join(f"{error}\n" for error in told))
        if told:
            raise UserError(_summary(told, len(fits)))
        self._store.note_batch(record, fits)

    def _in_turn(self, fits: Sequence[Fit], pool: Pool) -> Sequence[bool | StepError]:
        """Do fits one after the other, the first of them at least; see `_alone`."""
        if len(fits) > 1:
            jobs = [(str(fit), self._step(fit), self._log(fit)) for fit in fits]
            try:
                return pool.call_in_turn(jobs, _SECONDS)
            except WorkerDied:
                pass  # the fit that is to blame is found below
        return [self._alone(fit, pool, self._log(fit)) for fit in fits]

    def _alone(self, fit: Fit, pool: Pool | None, log: str) -> bool | StepError:
        """Do a fit; return whether it was not there yet, or how it failed."""
        limits = Limits(*self._experiment.limits(fit.model))
        run = partial(run_step, pool, fit, self._step(fit), log, limits)
        try:
            try:
                return run()
            except StepError as error:
                if not (error.died and self._needs.passes_over):
                    raise
                return run()  # whoever killed it once, it is to blame only if it dies again
        except StepError as error:
            return error

    def _note(self, fit: Fit, outcome: bool | StepError, pool: Pool | None) -> None:
        """Record the outcome of a fit; raise its error unless failures are allowed."""
        if not isinstance(outcome, StepError):
            self._store.note_success(fit)
            return
        if not self._needs.passes_over:
            raise outcome
        fingerprint, output = self._store.fingerprint(fit), self._needs.prediction(fit)
        note = partial(steps.note_failure, fit, outcome.reason, fingerprint, output)
        run_step(pool, "noting a failed fit", note)
        self._store.note_failure(fit, outcome.reason)
        sys.stderr.write(f"{outcome}\n  on_error: exclude leaves {fit.model} out here\n")

    def _step(self, fit: Fit) -> Callable[[], bool]:
        experiment, place = self._experiment, self._needs.paths
        model = experiment.fitted_model(fit.model)
        task = FitTask(
            fit,
            model,
            experiment.seed,
            place.data(fit.dataset),
            place.splits(fit.dataset, fit.plan),
            self._needs.prediction(fit),
            self._store.fingerprint(fit),
            experiment.costs_on(fit.dataset) if model.needs_costs else None,
            experiment.importance_by(fit),
        )
        return partial(steps.fit, task)

    def _log(self, fit: Fit) -> str:
        return self._needs.paths.fit_log(fit.dataset, fit.model, fit.split)


class _Waiting:
    """The fits of a batch that are not begun, for threads that take some at a time.

    Parameters
    ----------
    fits : sequence of Fit
        All of them.
    takers : int
        How many threads there are. Each gives back what it took once, which may be nothing.
    alone : callable
        Whether a fit is a portion of its own.
    """

    def __init__(self, fits: Sequence[Fit], takers: int, alone: Callable[[Fit], bool]) -> None:
        self._fits, self._takers, self._alone = deque(fits), takers, alone
        self._out, self._changed = 0, threading.Condition()

    def __iter__(self) -> Iterator[list[Fit]]:
        """Yield portions until all are done; while others may give some back, wait for them."""
        while portion := self._take():
            yield portion

    def _take(self) -> list[Fit]:
        with self._changed:
            while self._out and not self._fits:
                self._changed.wait()
            share = min(_TOGETHER, -(-len(self._fits) // self._takers))
            portion: list[Fit] = []
            while len(portion) < share:
                if portion and self._alone(self._fits[0]):
                    break
                portion.append(self._fits.popleft())
                if self._alone(portion[0]):
                    break
            self._out += bool(portion)
            return portion

    def give_back(self, fits: Sequence[Fit]) -> None:
        """Say that a portion is over, but for these fits."""
        with self._changed:
            self._fits.extendleft(reversed(fits))
            self._out -= 1
            self._changed.notify_all()


def fit_of(wildcards: Any) -> Fit:
    """Return the fit that a job's wildcards name."""
    plan = getattr(wildcards, "plan", "holdout")
    place = (int(getattr(wildcards, name, 1)) for name in ("repeat", "fold", "seed"))
    model = getattr(wildcards, "model", None) or wildcards.given
    return Fit(wildcards.dataset, model, plan, *place)


def _summary(failed: Sequence[str], count: int) -> str:
    """Say in a few lines which fits of a batch failed."""
    more = [f"and {len(failed) - _SHOWN} more fits"] if len(failed) > _SHOWN else []
    return "\n".join([f"{len(failed)} of {count} fits failed:", *failed[:_SHOWN], *more])
