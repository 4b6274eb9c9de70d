"""One experiment as Snakemake runs it: checked, with its files, its tests and its workers."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import yaml

from bakeoff import __version__
from bakeoff.errors import Problem, UserError
from bakeoff.execution import digests, remake, steps
from bakeoff.execution.fits import Fitter, fit_of
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import Workers, result, work
from bakeoff.files import CACHE, DOWNLOADS, remove_parts, write_text
from bakeoff.fit.fit_task import measured
from bakeoff.report.item import Item
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import AnalysisPlan, load_experiment
from bakeoff.spec.load import report_problems
from bakeoff.usercode import make_importable

P = ParamSpec("P")
T = TypeVar("T")


def check_release(rules: str) -> None:
    """Refuse rules of another release than the package."""
    if rules != __version__:
        raise UserError(
            f"these rules are of bakeoff {rules}, the package that is installed is {__version__}: "
            f"pip install bakeoff=={rules}, or take the workflow of v{__version__}"
        )


def with_numbers(config: Any, given: Any) -> None:
    """Read the numbers in nested values of --config, which Snakemake hands over as texts."""
    for key, value in given.items():
        if isinstance(value, Mapping):
            for inner, text in value.items():
                if isinstance(text, Mapping):
                    with_numbers(config[key], {inner: text})
                else:
                    config[key][inner] = _typed(text)


def _typed(value: Any) -> Any:
    if isinstance(value, list):
        return [_typed(one) for one in value]
    return yaml.safe_load(value) if isinstance(value, str) else value


class Run:
    """The interface between the rules and an experiment.

    Parameters
    ----------
    config : Mapping
        Snakemake's config.
    files : sequence of path
        The config file that it came from; with several, Snakemake merges them.
    main : bool
        Whether this is Snakemake's main process. The jobs that it starts do one thing and end:
        they have no workers, and take its check for granted.
    remote : bool
        Whether fits go to a cluster.

    Attributes
    ----------
    needs : RuleInputs
        The input files of the rules.
    tests : AnalysisPlan
        The tests that run, in order.
    made_by : dict of str to dict
        The digest of what makes the predictions of each fitted model, by data set and model.
    """

    def __init__(
        self, config: Mapping[str, Any], files: Sequence[str], *, main: bool, remote: bool
    ) -> None:
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
        self.needs = RuleInputs(self.experiment, remote=remote)
        self._main, self._begun = main, not main
        if main:
            # taking a thousand modules apart at the end of the process takes a third of a second
            atexit.register(gc.freeze)
            self._check_owner()
        self.workers = Workers() if main else None
        self.made_by = digests.of_fits(self.experiment)
        self.fitter = Fitter(self.needs, self.made_by, self.workers)
        try:
            self.tests = self._check()
        except SystemExit:  # interrupted, perhaps while a worker imports for long
            self.stop()
            raise

    def do(
        self,
        what: str | None,
        log: object,
        step: Callable[P, T],
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """Do a step in a worker, or in a job's own process; say what failed, why, and the log."""
        self.begin()
        return self._call(partial(step, *args, **options), what, str(log))

    def fit(self, wildcards: Any, log: str) -> None:
        """Do one fit."""
        self.begin()
        self.fitter.fit(fit_of(wildcards), log)

    def fit_batch(
        self,
        wildcards: Any,
        threads: int,
        record: str,
        log: str,
        forget: Callable[[str], object],
    ) -> None:
        """Do the fits of a model or of all models on a data set; see `Fitter.fit_batch`."""
        self.begin()
        at_a_time = max(1, threads // self.threads(wildcards))
        fits = list(self.experiment.fits(*wildcards))
        self.fitter.fit_batch(fits, record, log, at_a_time, forget)

    def begin(self) -> None:
        """Before the first step, remove what killed runs left half-written; files will change."""
        if not self._begun:
            self._begun = True
            Path(self.needs.paths.sizes).unlink(missing_ok=True)
            if self.file:
                owner = f"{Path(os.path.relpath(self.file)).as_posix()}\n"
                write_text(self.needs.paths.owner, owner)
            for folder in (self.needs.paths.root, CACHE):
                remove_parts(folder)

    def ended(self, outputs: Collection[str] | None) -> None:
        """Print the verdict after a success; `outputs` are those of all jobs of the run."""
        remake.note_sizes(self.needs)
        if outputs is not None:
            sys.stdout.write(self.answer(outputs))
            if self.workers:
                self.workers.close()

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

    def stop(self) -> None:
        """End the workers at once, from a signal's handler."""
        if self.workers:
            self.workers.stop()

    def to_remake(self) -> set[str]:
        """List the files that Snakemake takes for finished and that are not."""
        find = lambda stamps: self._call(partial(steps.find_outdated, stamps))  # noqa: E731
        return remake.to_remake(self.needs, self.made_by, find)

    @cached_property
    def exhibits(self) -> list[Item]:
        """The report's figures and tables."""
        found = digests.cached(
            self.experiment.experiment,
            "exhibits",
            lambda: [self.experiment.resolved(), digests.code(".")],
            lambda: self._call(partial(steps.list_exhibits, self.experiment, self.tests)),
            trusted=not self._main,
        )
        return [Item(*one) for one in found]

    def threads(self, wildcards: Any) -> int:
        """Return the threads of one fit, or of the widest in a batch."""
        return max(self.experiment.fitted[name].threads for name in self._models(wildcards))

    @property
    def resources(self) -> dict[str, Callable[[Any], int | str | None]]:
        """What fits ask an executor for: by its name, the most that a model of a job needs."""

        def needed(name: str, wildcards: Any) -> int | str | None:
            models = map(self.experiment.fitted.__getitem__, self._models(wildcards))
            asked: list[Any] = [m.resources[name] for m in models if name in m.resources]
            return max(asked, default=None)

        models = self.experiment.fitted.values()
        names = dict.fromkeys(name for model in models for name in model.resources)
        return {name: partial(needed, name) for name in names}

    def made_by_of(self, wildcards: Any) -> list[str]:
        """List the digests of a job's models, and of how they measure importance."""
        own = [self.made_by[wildcards.dataset][name] for name in self._models(wildcards)]
        holdout = getattr(wildcards, "split", "holdout").startswith("holdout")
        return [*own, *measured(self.experiment.importance if holdout else None).values()]

    def _models(self, wildcards: Any) -> Sequence[str]:
        own = getattr(wildcards, "model", None)
        return [own] if own else list(self.experiment.fitted)

    def _call(self, step: Callable[[], T], what: str | None = None, log: str | None = None) -> T:
        if self.workers:
            return self.workers.do(what, step, log)
        return result(what, work(step, log), log)

    def _check(self) -> AnalysisPlan:
        """Check the experiment in a worker, once for each state of it and of its data."""
        experiment, planned = self.experiment, list[AnalysisPlan]()
        name, trusted = experiment.experiment, not self._main

        def check_all() -> dict[str, Sequence[str]]:
            problems, tests, classes = self._call(partial(steps.check, experiment))
            planned.append(self._accepted(problems, tests))
            return dict(classes)

        def check() -> list[dict[str, Any]]:
            state = lambda: list(self._state(False))  # noqa: E731
            classes = digests.cached(name, "classes", state, check_all, trusted)
            if not planned:  # other tests of what was found to be right before
                again = self._call(partial(steps.plan_tests, experiment, classes))
                planned.append(self._accepted(*again))
            return planned[0].to_list()

        state = lambda: list(self._state(True))  # noqa: E731
        return AnalysisPlan.from_list(digests.cached(name, "check", state, check, trusted))

    def _accepted(self, problems: list[Problem], tests: AnalysisPlan) -> AnalysisPlan:
        if problems:
            raise report_problems(problems, self.file)
        return tests

    def _state(self, tests: bool) -> Iterator[Any]:
        """Give all that a check, of the tests or not, depends on; the files of the data too."""
        experiment = self.experiment
        plain = experiment.resolved()
        for part in (plain, *plain["models"].values(), *plain["datasets"].values()):
            part.pop("label", None)
        if not (tests or experiment.given):  # what these bring is checked for the tests it feeds
            plain["tests"] = experiment.tests.missing_cells
        yield from (plain, digests.code("."), self.made_by)
        for name in experiment.datasets:
            yield digests.of_data(experiment, name)
            yield digests.of_files([*self.needs.sources(name), *self.needs.given(name)])
        yield sorted(path.name for path in DOWNLOADS.glob("*"))

    def _check_owner(self) -> None:
        """Refuse results of another experiment file of the same name, as long as that is there."""
        note = Path(self.needs.paths.owner)
        if not (self.file and note.is_file() and Path(self.file).is_file()):
            return
        owner = Path(note.read_text(encoding="utf-8").strip())
        own, name = Path(self.file).read_bytes(), self.experiment.experiment
        if owner.is_file() and owner.read_bytes() != own and not owner.samefile(self.file):
            try:
                other = yaml.safe_load(owner.read_bytes())
            except yaml.YAMLError:
                return
            if isinstance(other, dict) and other.get("experiment") == name:
                raise UserError(
                    f"{self.file}: experiment: the results in {self.needs.paths.root}/ are those "
                    f"of {owner}, which is called {name!r} too; give one of the two files another "
                    f"`experiment:` name, or remove {note} to let {self.file} go on with these "
                    "results"
                )
