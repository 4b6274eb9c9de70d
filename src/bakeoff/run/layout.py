"""Where the files of an experiment are."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.spec import Experiment, Fit
from bakeoff.spec.datasets import GivenData


class Layout:
    """The paths of one experiment, below the folder in which Snakemake runs.

    Parameters
    ----------
    experiment : Experiment
        What there is to have a path.
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment

    @property
    def results(self) -> str:
        """The folder of this experiment's results."""
        return f"results/{self.experiment.experiment}"

    @property
    def plans(self) -> list[str]:
        """The names of the resampling plans."""
        return list(self.experiment.resampling.plans())

    def predictions(
        self, dataset: str, plan: str, models: Iterable[str] | None = None
    ) -> list[str]:
        """List the files of predictions of one data set and plan, of some models or of all."""
        splits = self.experiment.resampling.plans()[plan].splits()
        return [
            self.prediction(Fit(dataset, model, plan, r, f, seed))
            for model in (self.experiment.models if models is None else models)
            for r, f in splits
            for seed in range(1, self.experiment.seeds(model) + 1)
        ]

    @property
    def batch(self) -> str:
        """The wildcards that name a batch of fits."""
        per_model = self.experiment.execution.jobs_per == "model"
        return "{dataset}/{model}" if per_model else "{dataset}"

    def given_files(self, dataset: str) -> list[str]:
        """List what the given models bring for a data set."""
        return [path for m in self.experiment.given.values() for path in m.files(dataset)]

    @property
    def passes_over(self) -> bool:
        """Whether a model whose fit fails is left out, and the rest goes on."""
        return self.experiment.on_error == "exclude" and bool(self.experiment.fitted)

    def excluded(self, dataset: str) -> list[str]:
        """Name the list of the fits that failed on a data set, where they may."""
        return [f"{self.results}/collected/{dataset}.excluded.json"] if self.passes_over else []

    @property
    def extras(self) -> list[str]:
        """The tables that only some experiments have."""
        fitted = self.experiment.fitted.values()
        wanted = {
            "tuned": any(model.chooses for model in fitted),
            "seeds": any(model.seeds > 1 for model in fitted),
            "excluded": self.passes_over,
        }
        return [f"{self.results}/{name}.csv" for name, there in wanted.items() if there]

    @property
    def matrix(self) -> list[str]:
        """The score matrix and its missing cells, where there are several data sets."""
        files = [f"{self.results}/score_matrix.csv", f"{self.results}/score_matrix.json"]
        return files if len(self.experiment.datasets) > 1 else []

    def sources(self, dataset: str) -> list[str]:
        """List the files that a data set is read from."""
        spec = self.experiment.datasets[dataset]
        return self.given_files(dataset) if isinstance(spec, GivenData) else list(spec.inputs())

    @property
    def divisions(self) -> list[str]:
        """What is known of how good the divisions are, per data set and plan that has any."""
        plans = [plan for plan in self.plans if not self.experiment.by_scores(plan)]
        names = self.experiment.datasets
        return [f"{self.results}/splits/{name}.{plan}.json" for name in names for plan in plans]

    @property
    def holdouts(self) -> list[str]:
        """The collected predictions of each data set's test rows, where there is a holdout."""
        if self.experiment.resampling.holdout is None or not self.experiment.on_rows("holdout"):
            return []
        names = self.experiment.datasets
        return [f"{self.results}/collected/{name}.holdout.predictions.parquet" for name in names]

    def prediction(self, fit: Fit) -> str:
        """Return the file that one fit leaves."""
        return f"{self.results}/predictions/{_place(fit)}.parquet"

    def fit_log(self, fit: Fit) -> str:
        """Return the log of one fit."""
        return f"{self.results}/logs/fit/{_place(fit)}.log"


def _place(fit: Fit) -> str:
    return f"{fit.dataset}/{fit.model}/{fit.split}"
