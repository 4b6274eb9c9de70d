"""Input files of each rule, derived from the experiment alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import product, starmap
from pathlib import Path
from typing import TypedDict

from bakeoff.execution import digests
from bakeoff.paths import Paths
from bakeoff.spec import Experiment, Fit, PlannedTest
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.models import Model
from bakeoff.spec.related import declared, has_rows_of_folds, row_columns


class StudyFiles(TypedDict):
    """The files of the results, as `bakeoff.report.read.read_study` wants them."""

    experiment: Experiment
    tests: str
    comparisons: str
    scores: str
    cards: list[str]
    holdouts: dict[str, str]
    divisions: list[str]
    tables: dict[str, str]
    missing: str | None
    file: str


class RuleInputs:
    """The files that the steps of one experiment need; `remote` tells of fits on a cluster."""

    def __init__(
        self, experiment: Experiment, paths: Paths | None = None, *, remote: bool = False
    ) -> None:
        self.experiment = experiment
        self.paths = paths or Paths.of_experiment(experiment.experiment)
        self.plans = list(experiment.resampling.plans())
        jobs_per = experiment.execution.jobs_per
        if jobs_per is None:
            jobs_per = "fold"
            # each job of a cluster costs seconds
            if remote:
                jobs_per = "model"
        self._in_batches = jobs_per == "model"
        # a model whose fit fails is left out, and the rest goes on
        self.passes_over = experiment.on_error == "exclude" and bool(experiment.fitted)

    @cached_property
    def made_by(self) -> dict[str, dict[str, str]]:
        """The digest of what makes the predictions of a model, by data set and model."""
        return digests.of_fits(self.experiment)

    # --- files that the user gives

    def sources(self, dataset: str) -> list[str]:
        """List the files that a data set is read from."""
        spec = self.experiment.datasets[dataset]
        if isinstance(spec, GivenData):
            return self.given_files(dataset)
        return list(spec.inputs())

    def given_files(self, dataset: str) -> list[str]:
        """List what the given models bring for a data set."""
        files: list[str] = []
        for model in self.experiment.given.values():
            files += model.files(dataset)
        return files

    def given_scores(self, dataset: str, plan: str) -> list[str]:
        """List the files of scores that stand in for the predictions of a data set and plan."""
        if not self.experiment.by_scores(plan):
            return []
        return self.given_files(dataset)

    def divisions_in(self, dataset: str) -> list[str]:
        """List the files that say how a data set is divided, where it is divided elsewhere."""
        if not isinstance(self.experiment.datasets[dataset], GivenData):
            return []
        return self.given_files(dataset)

    # --- files of single fits, and what to wait for before they are read

    def prediction(self, fit: Fit) -> str:
        """Return the file that one fit leaves."""
        return self.paths.prediction(fit.dataset, fit.model, fit.split)

    def predictions(self, dataset: str, plan: str, models: Iterable[str]) -> list[str]:
        """List the predictions of some models on one data set, by one plan."""
        files = []
        for model in models:
            for fit in self.experiment.fits(dataset, model, plan):
                files.append(self.prediction(fit))
        return files

    def batches(self, dataset: str) -> list[str]:
        """List the records of a data set's batches of fits; none where rules name each fit."""
        if not self._in_batches:
            return []
        return [self.paths.batch(dataset, model) for model in self.experiment.fitted]

    def finished_fits(self, dataset: str, plan: str) -> list[str]:
        """List what to wait for before reading the predictions of a data set and plan."""
        files = self.batches(dataset)
        models: Iterable[str] = self.experiment.models
        if files:
            models = self.experiment.given
        plans = [plan]
        # a model that failed by one plan is left out by all
        if self.passes_over:
            plans = self.plans
        for name in plans:
            if not self.experiment.by_scores(name):
                files += self.predictions(dataset, name, models)
        return files

    def failed_fits(self, dataset: str) -> list[str]:
        """List the files that failed fits left, once all are done and where that is no error."""
        if not self.passes_over:
            return []
        folder = Path(self.paths.top("failed"), dataset)
        noted = {(record.parent.name, record.stem) for record in folder.glob("*/*.json")}
        if not noted:
            return []
        files = []
        for plan in self.plans:
            for file in self.predictions(dataset, plan, self.experiment.fitted):
                if (Path(file).parent.name, Path(file).stem) in noted:
                    files.append(file)
        return files

    def kept_models(self, dataset: str) -> list[str]:
        """List the models that no fit of which failed on a data set."""
        failed = {Path(file).parent.name for file in self.failed_fits(dataset)}
        return [model for model in self.experiment.models if model not in failed]

    def choosing_fits(self, dataset: str) -> list[str]:
        """List the predictions of the models that choose something and are kept."""
        return self._kept_predictions(dataset, lambda model: model.chooses)

    def measured_fits(self, dataset: str) -> list[str]:
        """List the predictions of the models whose importances are measured and that are kept."""
        return self._kept_predictions(dataset, lambda model: model.importance)

    def _kept_predictions(self, dataset: str, is_wanted: Callable[[Model], bool]) -> list[str]:
        kept = self.kept_models(dataset)
        models = []
        for name, model in self.experiment.fitted.items():
            if name in kept and is_wanted(model):
                models.append(name)
        files: list[str] = []
        for plan in self.plans:
            files += self.predictions(dataset, plan, models)
        return files

    # --- files that stand beside predictions

    def related(self, dataset: str) -> list[str]:
        """Name the table of a data set whose rows come in groups or in the order of time."""
        if declared(self.experiment, dataset) is None:
            return []
        return [self.paths.data(dataset)]

    def row_columns(self, dataset: str) -> list[str]:
        """Name the file of what comparisons look at row by row, where there is any."""
        if not any(row_columns(self.experiment, dataset)):
            return []
        return [self.paths.row_columns(dataset)]

    # --- files that tests and tables read

    def by_plan(self, path: Callable[[str, str], str]) -> list[str]:
        """List a file of each data set and plan, such as `paths.scores`."""
        return list(starmap(path, product(self.experiment.datasets, self.plans)))

    def evidence(self, test: PlannedTest) -> dict[str, str]:
        """Map each data set to the file that a test reads; or name the score matrix."""
        if test.on_datasets:
            return dict(zip(("matrix", "holes"), self.matrix, strict=True))
        if test.on_predictions:
            return self._by_dataset(self.paths.predictions, test.plan)
        return self._by_dataset(self.paths.scores, test.plan)

    @property
    def matrix(self) -> list[str]:
        """The score matrix and its missing cells, where there are several data sets."""
        if len(self.experiment.datasets) <= 1:
            return []
        return [self.paths.top("score_matrix.csv"), self.paths.top("missing_scores.json")]

    @property
    def holdouts(self) -> dict[str, str]:
        """The collected predictions of each data set's test rows, where there is a holdout."""
        if "holdout" not in self.plans or not self.experiment.on_rows("holdout"):
            return {}
        return self._by_dataset(self.paths.predictions, "holdout")

    def _by_dataset(self, path: Callable[[str, str], str], plan: str) -> dict[str, str]:
        return {dataset: path(dataset, plan) for dataset in self.experiment.datasets}

    @property
    def fold_predictions(self) -> dict[tuple[str, str], str]:
        """The collected predictions of each data set and plan of folds whose rows are known."""
        files = {}
        for dataset, plan in product(self.experiment.datasets, self.plans):
            if has_rows_of_folds(self.experiment, plan):
                files[dataset, plan] = self.paths.predictions(dataset, plan)
        return files

    def rows_of(self, table: str) -> list[str]:
        """List the collected predictions that a table of intervals or subgroups is made of."""
        if table == "fold_intervals":
            return list(self.fold_predictions.values())
        return list(self.holdouts.values())

    # --- files that the report reads

    @property
    def extras(self) -> dict[str, str]:
        """The tables that only some experiments have, by name."""
        experiment = self.experiment
        models = experiment.fitted.values()
        names = []
        if any(model.chooses for model in models):
            names.append("choices")
        if any(model.importance for model in models):
            names.append("importance")
        if self.passes_over:
            names.append("excluded")
        if self.holdouts:
            names.append("intervals")
        if self.fold_predictions:
            names.append("fold_intervals")
        has_subgroups = any(row_columns(experiment, name).subgroups for name in experiment.datasets)
        if self.holdouts and has_subgroups:
            names.append("subgroups")
        return {name: self.paths.top(f"{name}.csv") for name in names}

    @property
    def divisions(self) -> list[str]:
        """What is known of how good the divisions are, per data set and plan that has any."""
        files = []
        for dataset, plan in product(self.experiment.datasets, self.plans):
            if not self.experiment.by_scores(plan):
                files.append(self.paths.split_quality(dataset, plan))
        return files

    def study(self, file: str | None) -> StudyFiles:
        """Name the files of the results; `file` is that of the experiment."""
        top = self.paths.top
        missing = None
        if self.matrix:
            missing = top("missing_scores.json")
        return StudyFiles(
            experiment=self.experiment,
            tests=top("tests.json"),
            comparisons=top("comparisons.json"),
            scores=top("scores.csv"),
            cards=list(map(self.paths.card, self.experiment.datasets)),
            holdouts=self.holdouts,
            divisions=self.divisions,
            tables=self.extras,
            missing=missing,
            file=file or "",
        )
