"""One experiment as Snakemake runs it: checked, with its files, its tests and its workers."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

import yaml

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.execution import digests, remake, steps
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import Workers
from bakeoff.files import (
    CACHE,
    DOWNLOADS,
    digest,
    is_whole,
    read_json,
    remove_parts,
    write_in_any_encoding,
    write_json,
    write_text,
)
from bakeoff.report.exhibit import Item
from bakeoff.report.numbers import paragraph
from bakeoff.spec import AnalysisPlan, PlannedTest, load_experiment
from bakeoff.spec.load import report_problems
from bakeoff.usercode import make_importable

T = TypeVar("T")


def check_release(rules: str) -> None:
    """Refuse rules of another release than the package."""
    if rules != __version__:
        raise UserError(
            f"these rules are of bakeoff {rules}, the package that is installed is {__version__}: "
            f"pip install bakeoff=={rules}, or take the workflow of v{__version__}"
        )


def typed(value: Any) -> Any:
    """Read the numbers in a nested value of --config, which Snakemake hands over as texts."""
    if isinstance(value, Mapping):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    if isinstance(value, str):
        return yaml.safe_load(value)
    return value


class Run:
    """The interface between the rules and an experiment.

    `main` tells whether this is Snakemake's main process, whose check the jobs that it starts take
    for granted; `remote` whether fits go to a cluster.
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
        self.file: str | None = None
        if files:
            self.file = min(str(files[0]), os.path.relpath(files[0]), key=len)
        # the user's own modules lie beside the experiment or where snakemake runs
        make_importable([Path(self.file or ".").parent, "."])
        self.experiment = load_experiment(config, self.file)
        self.needs = RuleInputs(self.experiment, remote=remote)
        self.paths = self.needs.paths
        self._is_main = main
        self._files_to_remake: set[str] = set()
        self.workers = Workers()
        write_in_any_encoding()
        # taking a thousand modules apart at the end of the process takes a third of a second
        atexit.register(gc.freeze)
        self.fitter = Fitter(self.needs, self.workers)
        try:
            planned = self._cached("check", self._state, self._check)
            self.tests = AnalysisPlan(map(PlannedTest.from_dict, planned))
        except SystemExit:  # interrupted, perhaps while a worker imports for long
            self.workers.stop()
            raise

    def do(self, log: object, step: Callable[..., T], *args: Any) -> T:
        """Do a step in a worker, or in a job's own process; say what failed, why, and the log."""
        return self.workers.do(step.__name__, partial(step, *args), str(log))

    def begin(self) -> None:
        """Before the first job, remove what killed runs left half-written; files will change."""
        Path(self.paths.sizes()).unlink(missing_ok=True)
        if self.file:
            write_text(self.paths.owner(), f"{Path(os.path.relpath(self.file)).as_posix()}\n")
        for folder in (self.paths.root, CACHE):
            remove_parts(folder)
        for path in self._files_to_remake:  # a batch keeps what has the right stamp
            if path.startswith(f"{self.paths.root}/predictions/"):
                Path(path).unlink(missing_ok=True)

    def end(self) -> None:
        """After the last job, note the sizes of all files, whose change means damage."""
        remake.note_sizes(self.needs)
        self.workers.close()

    def answer(self, outputs: Collection[str]) -> str:
        """Return the verdict and where the report is, or that `outputs` of the run lack it."""
        verdict = Path(self.paths.top("verdict.txt"))
        page = Path(self.paths.top("report.html"))
        if not (verdict.is_file() and page.is_file()):
            return ""
        if str(verdict) not in outputs:
            return (
                f"{page} was no part of this run and may be out of date: a run without targets, "
                "--until and --omit-from brings it up to date and prints the verdict\n"
            )
        sentences = verdict.read_text(encoding="utf-8").splitlines()
        broken = "\n".join(map(paragraph, sentences))
        return f"\n{broken}\n\nReport: {page}\n"

    def to_remake(self) -> set[str]:
        """List the files that Snakemake takes for finished and that are not."""
        if self.file is None:  # a module, which is not told when a run ends
            Path(self.paths.sizes()).unlink(missing_ok=True)
        self._files_to_remake = remake.to_remake(self.needs)
        return self._files_to_remake

    @cached_property
    def exhibits(self) -> list[Item]:
        """The report's figures and tables."""

        def state() -> list[Any]:
            return [self.experiment.resolved(), digests.code(".")]

        def find() -> list[tuple[str, ...]]:
            return self._call(steps.list_exhibits, self.experiment, self.tests)

        return [Item(*item) for item in self._cached("exhibits", state, find)]

    def _check(self) -> list[dict[str, Any]]:
        """Check the experiment in a worker, and plan its tests."""
        problems, tests = self._call(steps.check, self.experiment)
        if problems:
            raise report_problems(problems, self.file)
        return [test.to_dict() for test in tests]

    def _state(self) -> Iterator[Any]:
        """Give all that a check depends on, the files of the data too."""
        settings = self.experiment.resolved()
        settings.pop("label", None)
        for section in ("models", "datasets"):
            for entry in settings[section].values():
                entry.pop("label", None)
        yield settings
        yield digests.code(".")
        yield self.needs.made_by
        yield digests.of_scores(self.experiment)
        for name in self.experiment.datasets:
            yield digests.of_data(self.experiment, name)
            yield digests.of_files(self.needs.sources(name) + self.needs.given_files(name))
        yield sorted(path.name for path in DOWNLOADS.glob("*"))

    def _cached(self, what: str, state: Callable[[], Any], find: Callable[[], Any]) -> Any:
        """Return what was found in this state before, else find it, which may take seconds."""
        path = CACHE / f"{self.experiment.experiment}.{what}.json"
        if path.is_file() and is_whole(path):
            state_before, value_before = read_json(path)
            # the jobs that the main process starts take its check for granted
            if not self._is_main or state_before == digest(list(state()), ordered=True):
                return value_before
        value = find()
        # the state after the search, which may download data
        write_json(path, [digest(list(state()), ordered=True), value])
        return value

    def _call(self, step: Callable[..., T], *args: Any) -> T:
        """Do a step in a worker, and raise what it raises."""
        return self.workers.do(None, partial(step, *args))
