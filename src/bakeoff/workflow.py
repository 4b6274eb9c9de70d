"""What the Snakefile asks for: the experiment, its paths, and workers for its rules."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from bakeoff import batch, recipes
from bakeoff.errors import UserError
from bakeoff.files import read_json, write_json, write_text
from bakeoff.interruption import end_at_once
from bakeoff.pool import Pool, TaskError, run_task
from bakeoff.report.names import Exhibit
from bakeoff.spec import ChosenTest, Experiment, Fit, load_experiment
from bakeoff.spec.datasets import FileData
from bakeoff.spec.experiment import digest, split_name
from bakeoff.spec.load import report_problems

CACHE = Path(".snakemake/bakeoff")


class Workflow:
    """One experiment as Snakemake runs it.

    Parameters
    ----------
    config : Mapping
        Snakemake's config.
    files : sequence of path
        The config files it came from; errors name the last one.
    workers : int
        Warm workers to start; 0 runs every task in this process, as in the jobs that
        Snakemake itself starts, which do one thing and end.
    """

    def __init__(self, config: Mapping[str, Any], files: Sequence[str], workers: int) -> None:
        self.file = min(str(files[-1]), os.path.relpath(files[-1]), key=len) if files else None
        self.experiment: Experiment = load_experiment(config, self.file)
        self.pool = Pool("bakeoff.tasks") if workers else None
        self.tests = self._check(workers)
        self._exhibits: list[Exhibit] | None = None

    @property
    def results(self) -> str:
        """The folder of this experiment's results."""
        return f"results/{self.experiment.experiment}"

    @property
    def plans(self) -> list[str]:
        """The names of the resampling plans."""
        return list(self.experiment.resampling.plans())

    def predictions(self, dataset: str, plan: str) -> list[str]:
        """List the files of predictions of one data set and plan."""
        splits = self.experiment.resampling.plans()[plan].splits()
        return [
            f"{self.results}/predictions/{dataset}/{model}/{split_name(plan, r, f)}.parquet"
            for model in self.experiment.models
            for r, f in splits
        ]

    @property
    def batch(self) -> str:
        """The wildcards that name a batch of fits."""
        per_model = self.experiment.execution.jobs_per == "model"
        return "{dataset}/{model}" if per_model else "{dataset}"

    def fitted(self, dataset: str, plan: str, force: set[str]) -> list[str]:
        """List what to wait for before reading the predictions of a data set and plan.

        What is there but outdated joins `force`, the files that Snakemake makes in any case: it
        knows nothing of the files that batches wrote, and of a batch's record only its date.
        """
        files = batch.records(self.experiment, [dataset]) or self.predictions(dataset, plan)
        force.update(self._outdated.intersection(files))
        return files

    @cached_property
    def _outdated(self) -> set[str]:
        batches = batch.records(self.experiment, self.experiment.datasets)
        if batches or not self.pool or not Path(f"{self.results}/batches").is_dir():
            return {path for path in batches if Path(path).is_file() and not batch.holds(path)}
        made_by = {m: recipes.of_fit(self.experiment, m) for m in self.experiment.models}
        wanted = {self._prediction(fit): made_by[fit.model] for fit in self.experiment.fits()}
        return set(self._call("outdated", wanted))

    def threads(self, wildcards: Any) -> int:
        """Return the threads of one fit, or of the widest in a batch."""
        models = self.experiment.models
        names = [wildcards.model] if hasattr(wildcards, "model") else models
        return max(models[name].threads for name in names)

    def recipes(self, wildcards: Any) -> list[str]:
        """List the recipes of a batch's models."""
        names = [wildcards.model] if hasattr(wildcards, "model") else self.experiment.models
        return [recipes.of_fit(self.experiment, name) for name in names]

    def evidence(self, test: str) -> dict[str, str]:
        """Map each data set to the file that feeds a test."""
        chosen = self.tests[test]
        kind = "predictions.parquet" if chosen.on_rows else "scores.csv"
        return {
            dataset: f"{self.results}/collected/{dataset}.{chosen.plan}.{kind}"
            for dataset in self.experiment.datasets
        }

    def sources(self, dataset: str) -> list[str]:
        """List the files that a data set is read from."""
        spec = self.experiment.datasets[dataset]
        return [spec.path] if isinstance(spec, FileData) else []

    def load_dataset(self, wildcards: Any, output: Any, log: Any) -> None:
        """Rule body: load one data set."""
        dataset = wildcards.dataset
        args = dataset, self.experiment, output.table, output.card
        self._run("load_dataset", *args, log=log, what=f"loading {dataset}")

    def split_dataset(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: make the divisions of one plan."""
        dataset, plan = wildcards.dataset, wildcards.plan
        args = dataset, plan, self.experiment, input[0], output[0]
        self._run("split_dataset", *args, log=log, what=f"splitting {dataset} by {plan}")

    def fit(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: fit and predict once."""
        plan = getattr(wildcards, "plan", "holdout")
        repeat, fold = (int(getattr(wildcards, name, 1)) for name in ("repeat", "fold"))
        fit = Fit(wildcards.dataset, wildcards.model, plan, repeat, fold)
        self._fit(fit, input.data, input.splits, output[0], log, self.pool)

    def fit_batch(
        self,
        wildcards: Any,
        input: Any,
        output: Any,
        log: Any,
        threads: int,
        forget: Callable[[str], object],
    ) -> None:
        """Rule body: do the fits of a batch that are not there yet.

        `forget` drops what Snakemake knows of a file that a job of its own wrote before.
        """
        pool = self.pool or Pool("bakeoff.tasks")
        splits = {
            plan: f"{self.results}/splits/{wildcards.dataset}.{plan}.parquet" for plan in self.plans
        }
        fits = batch.fits_of(self.experiment, list(wildcards))

        def run(fit: Fit) -> None:
            path, own_log = self._prediction(fit), f"{self.results}/logs/fit/{_place(fit)}.log"
            before = _written(path)
            self._fit(fit, input.data, splits[fit.plan], path, own_log, pool)
            if _written(path) != before:
                forget(path)

        try:
            failed = batch.run_all(fits, run, max(1, threads // self.threads(wildcards)))
        finally:
            if pool is not self.pool:
                pool.close()
        write_text(log[0], "".join(f"{error}\n" for error in failed))
        if failed:
            raise UserError(batch.summary(failed, len(fits)))
        batch.write_record(output[0], [self._prediction(fit) for fit in fits])

    def score(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: score all fits of one data set and plan."""
        paths = self.predictions(wildcards.dataset, wildcards.plan)
        args = paths, self.experiment.metrics, output.scores, output.timings
        self._run("score", *args, log=log, what=f"scoring {wildcards.dataset}, {wildcards.plan}")

    def collect(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: put the predictions of one test set side by side."""
        files = self.predictions(wildcards.dataset, "holdout")
        paths = dict(zip(self.experiment.models, files, strict=True))
        what = f"collecting the predictions on {wildcards.dataset}"
        self._run("collect", paths, output[0], log=log, what=what)

    def concatenate(self, input: Any, output: Any, log: Any) -> None:
        """Rule body: join the tables of scores and of timings."""
        for name, path in output.items():
            self._run("concatenate", list(input[name]), path, log=log, what=f"joining the {name}")

    def test(self, params: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: run one test on all data sets."""
        args = self.tests[params.test], self.experiment, dict(input.items()), output[0]
        self._run("test", *args, log=log, what=f"the test {params.test}")

    def compare(self, input: Any, output: Any, log: Any) -> None:
        """Rule body: join the results of all tests."""
        self._run("compare", list(input), output.csv, output.json, log=log, what="comparing")

    def resolve(self, output: Any, log: Any) -> None:
        """Rule body: write the experiment with its defaults."""
        self._run("resolve", self.experiment, output[0], log=log, what="writing the experiment")

    def report(self, input: Any, log: Any) -> None:
        """Rule body: write the page, its figures and its tables."""
        self._run("report", self._study(input), self.results, log=log, what="the report")

    def print_figures(self, input: Any, log: Any) -> None:
        """Rule body: write the report's figures for print."""
        self._run("print_figures", self._study(input), self.results, log=log, what="the figures")

    def _study(self, input: Any) -> dict[str, Any]:
        """Name the files of the results, as `bakeoff.report.study.read_study` wants them."""
        study = {k: input[k] for k in ("experiment", "comparisons", "scores", "timings")}
        holdouts = zip(self.experiment.datasets, self.holdouts, strict=False)
        cards = [f"{self.results}/data/{dataset}.json" for dataset in self.experiment.datasets]
        return {**study, "cards": cards, "holdouts": dict(holdouts), "file": self.file or ""}

    def exhibits(self, form: str) -> list[Exhibit]:
        """List the report's figures or its tables."""
        if self._exhibits is None:
            found = self._known(
                "exhibits",
                lambda: [self.experiment.resolved(), recipes.code(".")],
                lambda: self._call("exhibits", self.experiment),
            )
            self._exhibits = [Exhibit(*one) for one in found]
        return [exhibit for exhibit in self._exhibits if exhibit.form == form]

    @property
    def holdouts(self) -> list[str]:
        """The collected predictions of each data set's test rows, where there is a holdout."""
        if self.experiment.resampling.holdout is None:
            return []
        names = self.experiment.datasets
        return [f"{self.results}/collected/{name}.holdout.predictions.parquet" for name in names]

    def started(self, scheduler: Any) -> None:
        """Prepare for an interruption, when the first job is about to start."""
        assert self.pool is not None
        end_at_once(self.pool, scheduler._executor)

    def answer(self) -> str:
        """Return the verdict and where the report is; empty where there is none yet."""
        verdict, page = (Path(self.results) / name for name in ("verdict.txt", "report.html"))
        if not (verdict.is_file() and page.is_file()):
            return ""
        return f"\n{verdict.read_text(encoding='utf-8')}\nReport: {page}"

    def _call(self, task: str, *args: Any) -> Any:
        call = self.pool.call if self.pool else run_task
        return call(f"bakeoff.tasks:{task}", *args)

    def _prediction(self, fit: Fit) -> str:
        return f"{self.results}/predictions/{_place(fit)}.parquet"

    def _fit(
        self, fit: Fit, data: str, splits: str, output: str, log: object, pool: Pool | None
    ) -> None:
        model, recipe = (
            self.experiment.models[fit.model],
            recipes.of_fit(self.experiment, fit.model),
        )
        args = fit, model, self.experiment.seed, data, splits, output, recipe
        self._run("fit", *args, log=log, what=fit, pool=pool)

    def _run(self, task: str, *args: Any, log: Any, what: object, pool: Pool | None = None) -> None:
        """Run a task of `bakeoff.tasks`; a failure names what failed and its log."""
        pool = pool or self.pool
        call = pool.call if pool else run_task
        try:
            call(f"bakeoff.tasks:{task}", *args, log=str(log))
        except (UserError, TaskError) as error:
            raise UserError(f"{what} failed: {error}\n  log: {log}") from None

    def _check(self, workers: int) -> dict[str, ChosenTest]:
        """Check the experiment in a worker, once for each state of it and of its data."""

        def check() -> list[dict[str, Any]]:
            if self.pool:
                self.pool.warm(workers)
            problems, chosen = self._call("check", self.experiment)
            if problems:
                raise report_problems(problems, self.file)
            return [test._asdict() for test in chosen]

        found = self._known("check", lambda: list(self._state()), check)
        return {test["name"]: ChosenTest(**test) for test in found}

    def _known(self, what: str, state: Callable[[], Any], find: Callable[[], Any]) -> Any:
        """Return what was found about this state of the experiment before, or find it.

        Jobs that Snakemake starts take what its main process has just found.
        """
        last = CACHE / f"{self.experiment.experiment}.{what}.json"
        if self.pool is None and last.is_file():
            return read_json(last)
        known = CACHE / f"{what}-{digest(state())}.json"
        found = read_json(known) if known.is_file() else find()
        for path in (known, last):
            if not (path.is_file() and read_json(path) == found):
                write_json(path, found)
        return found

    def _state(self) -> Iterator[Any]:
        experiment = self.experiment
        yield experiment.resolved()
        yield recipes.code(".")
        yield [recipes.of_fit(experiment, model) for model in experiment.models]
        for dataset in experiment.datasets:
            for path in map(Path, self.sources(dataset)):
                status = path.stat() if path.is_file() else None
                yield status and (status.st_size, status.st_mtime_ns)


def _place(fit: Fit) -> str:
    return f"{fit.dataset}/{fit.model}/{fit.split}"


def _written(path: str) -> int | None:
    return Path(path).stat().st_mtime_ns if Path(path).is_file() else None
