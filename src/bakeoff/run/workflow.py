"""What the Snakefile asks for: the experiment, what its rules need and do, and their workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError
from bakeoff.files import read_json, write_text
from bakeoff.fit.task import FitTask
from bakeoff.report.names import Exhibit
from bakeoff.run import batch, recipes, retry
from bakeoff.run.findings import found_before, state
from bakeoff.run.interruption import end_at_once
from bakeoff.run.layout import Layout
from bakeoff.run.outage import bridge
from bakeoff.run.pool import NO_LIMITS, Limits, Pool, TaskError, WorkerDied, run_task
from bakeoff.spec import ChosenTest, Costs, Fit, load_experiment
from bakeoff.spec.load import report_problems
from bakeoff.spec.models import Model
from bakeoff.usercode import make_importable

_TASKS = "bakeoff.run.tasks"


class Workflow(Layout):
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
        # the user's own modules lie beside the experiment or where snakemake runs
        make_importable([Path(self.file or ".").parent, "."])
        super().__init__(load_experiment(config, self.file))
        self.pool = Pool(_TASKS) if workers else None
        self.tests = self._check(workers)
        self._exhibits: list[Exhibit] | None = None

    def fitted(self, dataset: str, plan: str, force: set[str]) -> list[str]:
        """List what to wait for before reading the predictions of a data set and plan.

        What is there but outdated joins `force`, the files that Snakemake makes in any case: it
        knows nothing of the files that batches wrote, and of a batch's record only its date.
        """
        if self.experiment.by_scores(plan):
            return self.given_files(dataset)
        files = batch.records(self.experiment, [dataset])
        if files:
            own = (f"{self.results}/predictions/{dataset}/{m}/" for m in self.experiment.given)
            given = tuple(own)
            files += [path for path in self.predictions(dataset, plan) if path.startswith(given)]
        else:
            files = self.predictions(dataset, plan)
        force.update((self._outdated | self._to_retry).intersection(files))
        return files

    @cached_property
    def _to_retry(self) -> set[str]:
        """Files of fits that failed under other limits, and the records of their batches."""
        fits = list(retry.to_retry(self.experiment))
        batches = {f"{self.results}/batches/{fit.dataset}" for fit in fits}
        batches |= {f"{self.results}/batches/{fit.dataset}/{fit.model}" for fit in fits}
        return {self.prediction(fit) for fit in fits} | {f"{name}.txt" for name in batches}

    def all_fitted(self, dataset: str, force: set[str]) -> list[str]:
        """List what to wait for before reading any predictions of a data set."""
        plans = [plan for plan in self.plans if not self.experiment.by_scores(plan)]
        found = (path for plan in plans for path in self.fitted(dataset, plan, force))
        return list(dict.fromkeys(found))

    def _kept(self, dataset: str) -> list[str]:
        """List the models that no fit of which failed on a data set."""
        out = {row["model"] for path in self.excluded(dataset) for row in read_json(path)}
        return [model for model in self.experiment.models if model not in out]

    @cached_property
    def _outdated(self) -> set[str]:
        batches = batch.records(self.experiment, self.experiment.datasets)
        if batches or not self.pool or not Path(f"{self.results}/batches").is_dir():
            return {path for path in batches if Path(path).is_file() and not batch.holds(path)}
        wanted = {self.prediction(fit): self._recipes[fit.model] for fit in self.experiment.fits()}
        return set(self._call("outdated", wanted))

    def threads(self, wildcards: Any) -> int:
        """Return the threads of one fit, or of the widest in a batch."""
        models = self.experiment.fitted
        names = [wildcards.model] if hasattr(wildcards, "model") else models
        return max(models[name].threads for name in names)

    def recipes(self, wildcards: Any) -> list[str]:
        """List the recipes of a batch's models."""
        names = [wildcards.model] if hasattr(wildcards, "model") else self.experiment.fitted
        return [recipes.of_fit(self.experiment, name) for name in names]

    def evidence(self, test: str) -> dict[str, str]:
        """Map each data set to the file that feeds a test; or name the score matrix."""
        chosen = self.tests[test]
        if chosen.on_datasets:
            return {"matrix": self.matrix[0], "holes": self.matrix[1]}
        kind = "predictions.parquet" if chosen.on_rows else "scores.csv"
        return {
            dataset: f"{self.results}/collected/{dataset}.{chosen.plan}.{kind}"
            for dataset in self.experiment.datasets
        }

    def load_dataset(self, wildcards: Any, output: Any, log: Any) -> None:
        """Rule body: load one data set."""
        dataset = wildcards.dataset
        args = dataset, self.experiment, output.table, output.card
        self._run("load_dataset", *args, log=log, what=f"loading {dataset}")

    def split_dataset(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: make the divisions of one plan."""
        dataset, plan = wildcards.dataset, wildcards.plan
        args = dataset, plan, self.experiment, input[0], output.splits, output.quality
        self._run("split_dataset", *args, log=log, what=f"splitting {dataset} by {plan}")

    def fit(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: fit and predict once."""
        plan = getattr(wildcards, "plan", "holdout")
        place = (int(getattr(wildcards, name, 1)) for name in ("repeat", "fold", "seed"))
        fit = Fit(wildcards.dataset, wildcards.model, plan, *place)
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
        pool = self.pool or Pool(_TASKS)
        splits = {
            plan: f"{self.results}/splits/{wildcards.dataset}.{plan}.parquet" for plan in self.plans
        }
        fits = batch.fits_of(self.experiment, list(wildcards))

        def run(fit: Fit) -> None:
            path, own_log = self.prediction(fit), self.fit_log(fit)
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
        batch.write_record(output[0], [self.prediction(fit) for fit in fits])

    def take_predictions(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: take the predictions of a given model."""
        dataset, model = wildcards.dataset, wildcards.given
        args = dataset, model, self.experiment, input.data, input.splits, output[0]
        what = f"taking the predictions of {model} on {dataset}"
        self._run("take_predictions", *args, log=log, what=what)

    def score(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: score all fits of one data set and plan, or take the given scores."""
        dataset, plan = wildcards.dataset, wildcards.plan
        if self.experiment.by_scores(plan):
            given = dataset, plan, self.experiment, output.scores, output.timings
            what = f"taking the scores on {dataset}, {plan}"
            self._run("take_scores", *given, log=log, what=what)
            return
        paths = self.predictions(dataset, plan, self._kept(dataset))
        args = paths, *self._scoring, self._recipes, output.scores, output.timings
        self._run("score", *args, log=log, what=f"scoring {wildcards.dataset}, {wildcards.plan}")

    def collect(self, wildcards: Any, input: Any, output: Any, log: Any) -> None:
        """Rule body: put the predictions of one test set side by side."""
        # where a model is fitted with several seeds, row by row the first one counts
        place = wildcards.dataset, "holdout"
        paths = {m: self.predictions(*place, [m])[0] for m in self._kept(wildcards.dataset)}
        what = f"collecting the predictions on {wildcards.dataset}"
        self._run("collect", paths, output[0], self._recipes, log=log, what=what)

    def find_excluded(self, wildcards: Any, output: Any, log: Any) -> None:
        """Rule body: list the fits of one data set that failed."""
        dataset, fitted = wildcards.dataset, self.experiment.fitted
        paths = [path for plan in self.plans for path in self.predictions(dataset, plan, fitted)]
        what = f"looking for failed fits on {dataset}"
        self._run("find_excluded", paths, output[0], log=log, what=what)

    def list_excluded(self, input: Any, output: Any, log: Any) -> None:
        """Rule body: join the lists of the fits that failed."""
        self._run("list_excluded", list(input), output[0], log=log, what="listing failed fits")

    def list_choices(self, output: Any, log: Any) -> None:
        """Rule body: tabulate what the fits chose on their training parts."""
        paths = self._predictions_of(lambda model: model.chooses)
        self._run("list_choices", paths, output[0], log=log, what="listing the fits' choices")

    @cached_property
    def _recipes(self) -> dict[str, str]:
        """What makes the predictions of each fitted model."""
        return {name: recipes.of_fit(self.experiment, name) for name in self.experiment.fitted}

    @property
    def _scoring(self) -> tuple[list[str], Costs | None]:
        return self.experiment.metrics, self.experiment.costs

    def list_seed_noise(self, output: Any, log: Any) -> None:
        """Rule body: set the noise of the seeds against that of the splits."""
        args = self._predictions_of(lambda model: model.seeds > 1), *self._scoring
        self._run("list_seed_noise", *args, output[0], log=log, what="comparing seeds and splits")

    def _predictions_of(self, wanted: Callable[[Model], bool]) -> list[str]:
        """List the predictions of the models wanted, where they are not excluded."""
        names = {name for name, model in self.experiment.fitted.items() if wanted(model)}
        return [
            path
            for dataset in self.experiment.datasets
            for plan in self.plans
            for path in self.predictions(
                dataset, plan, [name for name in self._kept(dataset) if name in names]
            )
        ]

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

    def tabulate(self, input: Any, output: Any, log: Any) -> None:
        """Rule body: write one score per data set and model."""
        args = self.experiment, list(self.tests.values()), input[0], *output
        self._run("tabulate", *args, log=log, what="the score matrix")

    def resolve(self, output: Any, log: Any) -> None:
        """Rule body: write the experiment with its defaults, and its tests."""
        args = self.experiment, list(self.tests.values()), *output
        self._run("resolve", *args, log=log, what="writing the experiment")

    def report(self, input: Any, log: Any) -> None:
        """Rule body: write the page, its figures and its tables."""
        self._run("report", self._study(input), self.results, log=log, what="the report")

    def print_figures(self, input: Any, log: Any) -> None:
        """Rule body: write the report's figures for print."""
        self._run("print_figures", self._study(input), self.results, log=log, what="the figures")

    def _study(self, input: Any) -> dict[str, Any]:
        """Name the files of the results, as `bakeoff.report.read.read_study` wants them."""
        study = {k: input[k] for k in ("experiment", "chosen", "comparisons", "scores", "timings")}
        return {
            **study,
            "cards": [f"{self.results}/data/{name}.json" for name in self.experiment.datasets],
            "holdouts": dict(zip(self.experiment.datasets, self.holdouts, strict=False)),
            "divisions": self.divisions,
            "tables": {Path(path).stem: path for path in self.extras},
            "missing": self.matrix[-1] if self.matrix else None,
            "file": self.file or "",
        }

    def exhibits(self, form: str) -> list[Exhibit]:
        """List the report's figures or its tables."""
        if self._exhibits is None:
            found = found_before(
                self.experiment,
                "exhibits",
                lambda: [self.experiment.resolved(), recipes.code(".")],
                lambda: self._call("exhibits", self.experiment),
                in_main=self.pool is not None,
            )
            self._exhibits = [Exhibit(*one) for one in found]
        return [exhibit for exhibit in self._exhibits if exhibit.form == form]

    def started(self, scheduler: Any) -> None:
        """Prepare for interruptions, when the first job is about to start."""
        assert self.pool is not None
        end_at_once(self.pool, scheduler._executor)
        bridge(scheduler._executor)

    def close(self) -> None:
        """End the workers at once: left alone, they take a second to unload what they imported."""
        if self.pool:
            self.pool.close()

    def answer(self) -> str:
        """Return the verdict and where the report is; empty where there is none yet."""
        verdict, page = (Path(self.results) / name for name in ("verdict.txt", "report.html"))
        if not (verdict.is_file() and page.is_file()):
            return ""
        return f"\n{verdict.read_text(encoding='utf-8')}\nReport: {page}"

    def _call(self, task: str, *args: Any) -> Any:
        call = self.pool.call if self.pool else run_task
        return call(f"{_TASKS}:{task}", *args)

    def _fit(
        self, fit: Fit, data: str, splits: str, output: str, log: object, pool: Pool | None
    ) -> None:
        model, recipe = self.experiment.fitted[fit.model], self._recipes[fit.model]
        costs = self.experiment.costs if model.needs_costs else None
        task = FitTask(fit, model, self.experiment.seed, data, splits, output, recipe, costs)
        args = task, self.experiment.execution.reuse
        limits = Limits(*self.experiment.limits(fit.model))
        pool = pool or self.pool
        # what is to be ended, or may die without ending this process, needs a process of its own
        own = Pool(_TASKS) if pool is None and (any(limits) or self.passes_over) else None
        run = partial(self._run, "fit", *args, log=log, what=fit, pool=pool or own, limits=limits)
        try:
            try:
                run()
            except StepError as error:
                if not (error.died and self.passes_over):
                    raise
                run()  # whoever killed it once, the fit is to blame only if it dies again
            retry.forget(self.experiment, fit)
        except StepError as error:
            if not self.passes_over:
                raise
            self._run("fail", fit, error.reason, recipe, output, what="noting a failed fit")
            retry.remember(self.experiment, fit, error.reason)
            sys.stderr.write(f"{error}\n  on_error: exclude leaves {fit.model} out here\n")
        finally:
            if own:
                own.close()

    def _run(
        self,
        task: str,
        *args: Any,
        what: object,
        log: Any = None,
        pool: Pool | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Run a task of `bakeoff.run.tasks`; a failure names what failed and its log."""
        pool = pool or self.pool
        call = partial(pool.call, limits=limits) if pool else run_task
        try:
            call(f"{_TASKS}:{task}", *args, log=log and str(log))
        except (UserError, TaskError) as error:
            raise StepError(what, str(error), log, isinstance(error, WorkerDied)) from None

    def _check(self, workers: int) -> dict[str, ChosenTest]:
        """Check the experiment in a worker, once for each state of it and of its data."""

        def check() -> list[dict[str, Any]]:
            if self.pool:
                self.pool.warm(workers)
            problems, chosen = self._call("check", self.experiment)
            if problems:
                raise report_problems(problems, self.file)
            return [test._asdict() for test in chosen]

        found = found_before(
            self.experiment,
            "check",
            lambda: list(state(self.experiment, self._files())),
            check,
            in_main=self.pool is not None,
        )
        return {test["name"]: ChosenTest(**test) for test in found}

    def _files(self) -> list[str]:
        names = self.experiment.datasets
        return [path for name in names for path in (*self.sources(name), *self.given_files(name))]


class StepError(UserError):
    """A task failed, for a reason, and left a log."""

    def __init__(self, what: object, reason: str, log: object, died: bool) -> None:
        self.reason, self.died = reason, died
        super().__init__(f"{what} failed: {reason}" + (f"\n  log: {log}" if log else ""))


def _written(path: str) -> int | None:
    return Path(path).stat().st_mtime_ns if Path(path).is_file() else None
