"""Input files of each rule, derived from the experiment alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from bakeoff.execution import digests
from bakeoff.paths import Paths
from bakeoff.spec import Experiment, Fit, PlannedTest
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.models import Model
from bakeoff.spec.related import declared, has_rows_of_folds, row_columns


class RuleInputs:
    """The files that the steps of one experiment need; `remote` tells of fits on a cluster."""

    def __init__(
        self, experiment: Experiment, paths: Paths | None = None, *, remote: bool = False
    ) -> None:
        self.experiment = experiment
        self.paths = paths or Paths.of_experiment(experiment.experiment)
        self.plans = list(experiment.resampling.plans())
        # each job of a cluster costs seconds
        self._jobs_per = experiment.execution.jobs_per or ("model" if remote else "fold")
        # a model whose fit fails is left out, and the rest goes on
        self.passes_over = experiment.on_error == "exclude" and bool(experiment.fitted)

    @cached_property
    def made_by(self) -> dict[str, dict[str, str]]:
        """The digest of what makes the predictions of a model, by data set and model."""
        return digests.of_fits(self.experiment)

    # Files that the user gives.

    def sources(self, dataset: str) -> list[str]:
        """List the files that a data set is read from."""
        spec = self.experiment.datasets[dataset]
        return self.given(dataset) if isinstance(spec, GivenData) else list(spec.inputs())

    def given(self, dataset: str) -> list[str]:
        """List what the given models bring for a data set."""
        return [path for m in self.experiment.given.values() for path in m.files(dataset)]

    def given_scores(self, dataset: str, plan: str) -> list[str]:
        """List the files of scores that stand in for the predictions of a data set and plan."""
        return self.given(dataset) if self.experiment.by_scores(plan) else []

    def divisions_in(self, dataset: str) -> list[str]:
        """List the files that say how a data set is divided, where it is divided elsewhere."""
        elsewhere = isinstance(self.experiment.datasets[dataset], GivenData)
        return self.given(dataset) if elsewhere else []

    # Files of single fits, and what to wait for before they are read.

    def prediction(self, fit: Fit) -> str:
        """Return the file that one fit leaves."""
        return self.paths.prediction(fit.dataset, fit.model, fit.split)

    def predictions(self, dataset: str, plan: str, models: Iterable[str]) -> list[str]:
        """List the predictions of some models on one data set, by one plan."""
        fits = (fit for model in models for fit in self.experiment.fits(dataset, model, plan))
        return list(map(self.prediction, fits))

    def batches(self, dataset: str) -> list[str]:
        """List the records of a data set's batches of fits; none where rules name each fit."""
        by_model = self._jobs_per == "model"
        return [self.paths.batch(dataset, model) for model in self.experiment.fitted if by_model]

    def fitted(self, dataset: str, plan: str) -> list[str]:
        """List what to wait for before reading the predictions of a data set and plan."""
        batches = self.batches(dataset)
        single = self.experiment.given if batches else self.experiment.models
        plans = self.plans if self.passes_over else [plan]  # who failed by one is out of all
        return batches + [
            path
            for plan in plans
            if not self.experiment.by_scores(plan)
            for path in self.predictions(dataset, plan, single)
        ]

    def failed(self, dataset: str) -> list[str]:
        """List the files that failed fits left, once all are done and where that is no error."""
        folder = Path(self.paths.top("failed"), dataset)
        noted = {(path.parent.name, path.stem) for path in folder.glob("*/*.json")}
        if not (self.passes_over and noted):
            return []
        fits = [p for n in self.plans for p in self.predictions(dataset, n, self.experiment.fitted)]
        return [path for path in fits if (Path(path).parent.name, Path(path).stem) in noted]

    def kept(self, dataset: str) -> list[str]:
        """List the models that no fit of which failed on a data set."""
        failed = {Path(path).parent.name for path in self.failed(dataset)}
        return [model for model in self.experiment.models if model not in failed]

    def choosing(self, dataset: str) -> list[str]:
        """List the predictions of the models that choose something and are kept."""
        return self._kept_predictions(dataset, lambda model: model.chooses)

    def measuring(self, dataset: str) -> list[str]:
        """List the predictions of the models whose importances are measured and that are kept."""
        return self._kept_predictions(dataset, lambda model: model.importance)

    def _kept_predictions(self, dataset: str, wanted: Callable[[Model], bool]) -> list[str]:
        fitted = self.experiment.fitted
        names = [name for name in self.kept(dataset) if name in fitted and wanted(fitted[name])]
        return [path for plan in self.plans for path in self.predictions(dataset, plan, names)]

    # Files that stand beside predictions, and those that tests and the report read.

    def related(self, dataset: str) -> list[str]:
        """Name the table of a data set whose rows come in groups or in the order of time."""
        is_declared = declared(self.experiment, dataset) is not None
        return [self.paths.data(dataset)] if is_declared else []

    def row_columns(self, dataset: str) -> list[str]:
        """Name the file of what comparisons look at row by row, where there is any."""
        named = any(row_columns(self.experiment, dataset))
        return [self.paths.row_columns(dataset)] if named else []

    def evidence(self, test: PlannedTest) -> dict[str, str]:
        """Map each data set to the file that a test reads; or name the score matrix."""
        if test.on_datasets:
            return dict(zip(("matrix", "holes"), self.matrix, strict=True))
        path = self.paths.predictions if test.on_predictions else self.paths.scores
        return {dataset: path(dataset, test.plan) for dataset in self.experiment.datasets}

    def by_plan(self, path: Callable[..., str]) -> list[str]:
        """List a file of each data set and plan, such as `paths.scores`."""
        return [path(*place) for place in product(self.experiment.datasets, self.plans)]

    @property
    def holdouts(self) -> dict[str, str]:
        """The collected predictions of each data set's test rows, where there is a holdout."""
        if "holdout" not in self.plans or not self.experiment.on_rows("holdout"):
            return {}
        return {name: self.paths.predictions(name, "holdout") for name in self.experiment.datasets}

    @property
    def fold_predictions(self) -> dict[tuple[str, str], str]:
        """The collected predictions of each data set and plan of folds whose rows are known."""
        return {
            (dataset, plan): self.paths.predictions(dataset, plan)
            for dataset, plan in product(self.experiment.datasets, self.plans)
            if has_rows_of_folds(self.experiment, plan)
        }

    def rows_of(self, table: str) -> list[str]:
        """List the collected predictions that a table of intervals or subgroups is made of."""
        files = self.fold_predictions if table == "fold_intervals" else self.holdouts
        return list(files.values())

    @property
    def matrix(self) -> list[str]:
        """The score matrix and its missing cells, where there are several data sets."""
        names = "score_matrix.csv", "missing_scores.json"
        several = len(self.experiment.datasets) > 1
        return [self.paths.top(name) for name in names] if several else []

    @property
    def extras(self) -> dict[str, str]:
        """The tables that only some experiments have, by name."""
        fitted = self.experiment.fitted.values()
        subgroups = any(row_columns(self.experiment, d).subgroups for d in self.experiment.datasets)
        made = {
            "choices": any(model.chooses for model in fitted),
            "importance": any(model.importance for model in fitted),
            "excluded": self.passes_over,
            "intervals": bool(self.holdouts),
            "fold_intervals": bool(self.fold_predictions),
            "subgroups": bool(self.holdouts) and subgroups,
        }
        return {name: self.paths.top(f"{name}.csv") for name, is_made in made.items() if is_made}

    @property
    def divisions(self) -> list[str]:
        """What is known of how good the divisions are, per data set and plan that has any."""
        plans = [plan for plan in self.plans if not self.experiment.by_scores(plan)]
        names = self.experiment.datasets
        return [self.paths.split_quality(name, plan) for name in names for plan in plans]

    def study(self, file: str | None) -> Mapping[str, Any]:
        """Name the files of the results, as `bakeoff.report.read.read_study` wants them."""
        top = self.paths.top
        return {
            "experiment": self.experiment,
            "tests": top("tests.json"),
            "comparisons": top("comparisons.json"),
            "scores": top("scores.csv"),
            "cards": [self.paths.card(name) for name in self.experiment.datasets],
            "holdouts": self.holdouts,
            "divisions": self.divisions,
            "tables": self.extras,
            "missing": self.matrix[-1] if self.matrix else None,
            "file": file or "",
        }
