"""One fit or a batch of them: in a worker, under its limits, passed over where it may fail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.execution import steps
from bakeoff.execution.limits import Limits
from bakeoff.execution.pool import Pool, StepError, run_step
from bakeoff.execution.store import Store
from bakeoff.files import write_text
from bakeoff.fit.fit_task import FitTask
from bakeoff.spec import Fit

_SHOWN = 5


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

    def fit(self, fit: Fit, data: str, splits: str, output: str, log: str) -> None:
        """Fit and predict once.

        Raises
        ------
        StepError
            It failed, and nothing is to go on without it.
        """
        # what is to be ended, or may die without ending this process, needs a process of its own
        ends = any(self._experiment.limits(fit.model)) or self._needs.passes_over
        own = self._pool is None and ends
        with closing(Pool()) if own else nullcontext(self._pool) as pool:
            self._fit(fit, data, splits, output, log, pool)

    def fit_batch(
        self,
        fits: Sequence[Fit],
        data: str,
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
        place = self._needs.paths

        def attempt(fit: Fit) -> str | None:
            path, splits = self._needs.prediction(fit), place.splits(fit.dataset, fit.plan)
            before = _written(path)
            try:
                self._fit(fit, data, splits, path, place.fit_log(*fit[:2], fit.split), pool)
            except UserError as error:
                return str(error)
            if _written(path) != before:
                forget(path)
            return None

        with (
            nullcontext(self._pool) if self._pool else closing(Pool()) as pool,
            ThreadPoolExecutor(max(1, at_a_time)) as threads,
        ):
            failed = [message for message in threads.map(attempt, fits) if message]
        write_text(log, "".join(f"{error}\n" for error in failed))
        if failed:
            raise UserError(_summary(failed, len(fits)))
        self._store.note_batch(record, fits)

    def _fit(
        self, fit: Fit, data: str, splits: str, output: str, log: str, pool: Pool | None
    ) -> None:
        model, recipe = self._experiment.fitted[fit.model], self._store.recipe(fit)
        costs = self._experiment.costs_on(fit.dataset) if model.needs_costs else None
        seed, importance = self._experiment.seed, self._experiment.importance_by(fit)
        task = FitTask(fit, model, seed, data, splits, output, recipe, costs, importance)
        step = partial(steps.fit, task, reuse=self._experiment.execution.reuse)
        limits, passes_over = Limits(*self._experiment.limits(fit.model)), self._needs.passes_over
        run = partial(run_step, pool, fit, step, log, limits)
        try:
            try:
                run()
            except StepError as error:
                if not (error.died and passes_over):
                    raise
                run()  # whoever killed it once, the fit is to blame only if it dies again
            self._store.note_success(fit)
        except StepError as error:
            if not passes_over:
                raise
            note = partial(steps.note_failure, fit, error.reason, recipe, output)
            run_step(pool, "noting a failed fit", note)
            self._store.note_failure(fit, error.reason)
            sys.stderr.write(f"{error}\n  on_error: exclude leaves {fit.model} out here\n")


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


def _written(path: str) -> int | None:
    return Path(path).stat().st_mtime_ns if Path(path).is_file() else None
