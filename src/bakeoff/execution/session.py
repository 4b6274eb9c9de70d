"""One experiment as Snakemake runs it: checked, with its files, its tests and its workers."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ParamSpec

from bakeoff.errors import Problem, UserError, printable
from bakeoff.execution import fingerprints, planning, steps
from bakeoff.execution.cache import cached
from bakeoff.execution.fits import Fitter
from bakeoff.execution.locks import drop_note, note_holder
from bakeoff.execution.order import priorities
from bakeoff.execution.pool import Pool, run_here, run_step
from bakeoff.execution.results_owner import check_folder, check_owner, note_owner
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.store import Store
from bakeoff.files import CACHE, DOWNLOADS, remove_parts, write_in_any_encoding
from bakeoff.fit.fit_task import measured
from bakeoff.report.item import Item
from bakeoff.report.numbers import paragraph
from bakeoff.spec import AnalysisPlan, load_experiment
from bakeoff.spec.load import report_problems
from bakeoff.usercode import make_importable

P = ParamSpec("P")


class Session:
    """The interface between the Snakefile and an experiment.

    Parameters
    ----------
    config : Mapping
        Snakemake's config.
    files : sequence of path
        The config file that it came from; with several, Snakemake merges them.
    workers : int
        Warm workers to start; 0 runs every step in this process, as in the jobs that Snakemake
        itself starts, which do one thing and end.

    Attributes
    ----------
    needs : RuleInputs
        The files that rules name and steps find.
    tests : AnalysisPlan
        The tests that run, in order.
    fingerprints : dict of str to dict
        What makes the predictions of each fitted model, by data set and model.
    """

    def __init__(self, config: Mapping[str, Any], files: Sequence[str], workers: int) -> None:
        write_in_any_encoding()
        if len(files) > 1:
            raise UserError(
                f"--configfile: found {len(files)} files ({', '.join(map(str, files))}), expected "
                "one: a file is an experiment of its own and is never merged with another; run "
                "one after the other"
            )
        self.file = min(str(files[-1]), os.path.relpath(files[-1]), key=len) if files else None
        # the user's own modules lie beside the experiment or where snakemake runs
        make_importable([Path(self.file or ".").parent, "."])
        self.experiment = load_experiment(config, self.file)
        self.needs = RuleInputs(self.experiment)
        if workers:
            # taking a thousand modules apart at the end of the process takes a third of a second
            atexit.register(gc.freeze)
            check_folder(self.needs.paths)
            if self.file:
                check_owner(self.needs.paths, self.experiment.experiment, self.file)
        self.pool = Pool() if workers else None
        self.fingerprints = fingerprints.of_fits(self.experiment)
        self._workers = workers
        try:
            self.tests = self._check()
        except SystemExit:  # interrupted, perhaps while a worker imports for long
            self.stop()
            raise
        self._store = Store(self.needs, self.fingerprints)
        self.fitter = Fitter(self._store, self.pool)

    def do(
        self,
        what: object,
        log: object,
        step: Callable[P, None],
        *args: P.args,
        **options: P.kwargs,
    ) -> None:
        """Do a step in a worker; a failure says what failed, why, and where its log is."""
        if step is steps.collect_scores:  # fits come to an end
            self._expect_report()
        run_step(self.pool, what, partial(step, *args, **options), str(log))

    def to_redo(self) -> set[str]:
        """List the files that Snakemake takes for finished and that are not."""
        return self._store.to_redo(
            lambda wanted: self._call(partial(planning.find_outdated, wanted))
        )

    @cached_property
    def exhibits(self) -> list[Item]:
        """The report's figures and tables."""
        checked = cached(
            self.experiment.experiment,
            "exhibits",
            lambda: [self.experiment.resolved(), fingerprints.code(".")],
            lambda: self._call(partial(planning.list_exhibits, self.experiment, self.tests)),
            in_main=self.pool is not None,
        )
        return [Item(*one) for one in checked]

    @cached_property
    def _priorities(self) -> dict[str, int]:
        return priorities(self.experiment.fitted, self.needs.paths.top("timings.csv"))

    def priority(self, wildcards: Any) -> int:
        """Return the priority of a fit or a batch: that of its model that takes longest."""
        return max(self._priorities[name] for name in self._batched(wildcards))

    def threads(self, wildcards: Any) -> int:
        """Return the threads of one fit, or of the widest in a batch."""
        return max(self.experiment.fitted[name].threads for name in self._batched(wildcards))

    @property
    def resources(self) -> dict[str, Callable[[Any], int | str | None]]:
        """What fits ask an executor for: by its name, what a fit or a batch needs; None by default.

        A batch of several models needs the most of them; texts are then the same.
        """

        def needed(name: str, wildcards: Any) -> int | str | None:
            models = map(self.experiment.fitted.__getitem__, self._batched(wildcards))
            asked: list[Any] = [m.resources[name] for m in models if name in m.resources]
            return max(asked, default=None)

        models = self.experiment.fitted.values()
        names = dict.fromkeys(name for model in models for name in model.resources)
        return {name: partial(needed, name) for name in names}

    def fit_batch(
        self,
        wildcards: Any,
        threads: int,
        record: str,
        log: str,
        forget: Callable[[str], object],
    ) -> None:
        """Do the fits of a batch, the longest first; `forget` is told of files made anew."""
        fits = sorted(
            self.experiment.fits(*wildcards), key=lambda fit: -self._priorities[fit.model]
        )
        self.fitter.fit_batch(fits, record, log, threads // self.threads(wildcards), forget)

    def batch_fingerprints(self, wildcards: Any) -> list[str]:
        """List the fingerprints of a batch's models, and how they measure importance."""
        fingerprints = [
            self.fingerprints[wildcards.dataset][name] for name in self._batched(wildcards)
        ]
        return [*fingerprints, *measured(self.experiment.importance).values()]

    def _batched(self, wildcards: Any) -> Sequence[str]:
        own = hasattr(wildcards, "model")
        return [wildcards.model] if own else list(self.experiment.fitted)

    def started(self, locks: Collection[str]) -> None:
        """Lock the results before the first job starts."""
        if self.file:
            note_owner(self.needs.paths, self.file)
        note_holder(locks)
        self._store.forget_sizes()
        for folder in (self.needs.paths.root, CACHE):
            remove_parts(folder)

    def ended(self, success: bool, outputs: Collection[str]) -> None:
        """Print the verdict and release the locks; `outputs` are those of all jobs of the run."""
        self._store.note_sizes()
        if success:
            sys.stdout.write(printable(self.answer(outputs)))
            self.close()
        drop_note()

    def stop(self) -> None:
        """End the workers at once, from a signal's handler."""
        if self.pool:
            self.pool.stop()

    def close(self) -> None:
        """End the workers at once: left alone, they take a second to unload what they imported."""
        if self.pool:
            self.pool.close()

    def answer(self, outputs: Collection[str]) -> str:
        """Return the verdict and where the report is; empty where there is none yet.

        After a run that the report was no part of (`--until`, other targets) one line says that
        it may be out of date.
        """
        verdict, page = (Path(self.needs.paths.top(f)) for f in ("verdict.txt", "report.html"))
        if not (verdict.is_file() and page.is_file()):
            return ""
        if str(verdict) not in outputs:
            return (
                f"{page} was no part of this run and may be out of date: a run without targets, "
                "--until and --omit-from brings it up to date and prints the verdict\n"
            )
        told = map(paragraph, verdict.read_text(encoding="utf-8").splitlines())
        return "\n".join(("", *told, "", f"Report: {page}", ""))

    def _call(self, task: Callable[[], Any]) -> Any:
        return self.pool.call(task) if self.pool else run_here(task)

    def _check(self) -> AnalysisPlan:
        """Check the experiment in a worker, once for each state of it and of its data."""
        name, in_main = self.experiment.experiment, self.pool is not None

        def check() -> list[dict[str, Any]]:
            self._warm_up()
            planned: list[AnalysisPlan] = []

            def check_all() -> dict[str, Sequence[str]]:
                problems, tests, classes = self._call(partial(planning.check, self.experiment))
                planned.append(self._accepted(problems, tests))
                return dict(classes)

            classes = cached(name, "classes", lambda: list(self._state(False)), check_all, in_main)
            if not planned:  # other tests of what was found to be right before
                again = partial(planning.plan_tests, self.experiment, classes)
                planned.append(self._accepted(*self._call(again)))
            return planned[0].to_list()

        checked = cached(name, "check", lambda: list(self._state(True)), check, in_main)
        return AnalysisPlan.from_list(checked)

    def _accepted(self, problems: list[Problem], tests: AnalysisPlan) -> AnalysisPlan:
        if problems:
            raise report_problems(problems, self.file)
        return tests

    def _warm_up(self) -> None:
        """Start workers, which import what they may need while one of them checks."""
        if self.pool:
            again = Path(self.needs.paths.top("scores.csv")).is_file()
            self.pool.warm(self._workers - 1, os.getpid if again else planning.prepare_fits)
            if again:
                self._expect_report()
            self.pool.warm(1, os.getpid)

    def _expect_report(self) -> None:
        if self.pool:
            self.pool.ahead(planning.prepare_report, steps.report)

    def _state(self, tests: bool) -> Iterator[Any]:
        """Give all that a check, of the tests or not, depends on; the files of the data too."""
        yield fingerprints.of_check(self.experiment, tests)
        yield fingerprints.code(".")
        yield list(self.fingerprints.values())
        yield [
            fingerprints.of_data(self.experiment, dataset) for dataset in self.experiment.datasets
        ]
        for name in self.experiment.datasets:
            yield fingerprints.of_files([*self.needs.sources(name), *self.needs.given(name)])
        yield sorted(path.name for path in DOWNLOADS.glob("*"))
