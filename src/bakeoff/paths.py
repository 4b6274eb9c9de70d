"""Where the files of an experiment's results are: the only place that says so."""

from __future__ import annotations

import dataclasses
from pathlib import Path

RESULTS = "results"
"""The folder of all results, below the one in which Snakemake runs."""


@dataclasses.dataclass(frozen=True)
class Paths:
    """The files of one experiment's results."""

    root: str

    @classmethod
    def of(cls, experiment: str) -> Paths:
        """Return the paths of an experiment, by its name."""
        return cls(f"{RESULTS}/{experiment}")

    def top(self, name: str) -> str:
        """Return a file of the results' own folder, such as ``scores.csv``."""
        return f"{self.root}/{name}"

    @property
    def owner(self) -> str:
        """The note of which experiment file these results are of."""
        return self.top(".experiment-file")

    @property
    def made(self) -> str:
        """The list of what the last report made."""
        return self.top(".report-files")

    @property
    def sizes(self) -> str:
        """The sizes that the last run left its files with."""
        return self.top(".file-sizes")

    def data(self, dataset: str) -> str:
        """Return the canonical table of a data set."""
        return f"{self.root}/data/{dataset}.parquet"

    def card(self, dataset: str) -> str:
        """Return what is known of a data set."""
        return f"{self.root}/data/{dataset}.json"

    def row_columns(self, dataset: str) -> str:
        """Return the columns of a data set that comparisons look at row by row."""
        return f"{self.root}/data/{dataset}.columns.parquet"

    def splits(self, dataset: str, plan: str) -> str:
        """Return the divisions of a data set by a plan."""
        return f"{self.root}/splits/{dataset}.{plan}.parquet"

    def split_quality(self, dataset: str, plan: str) -> str:
        """Return how good the divisions of a data set by a plan are."""
        return f"{self.root}/splits/{dataset}.{plan}.json"

    def prediction(self, dataset: str, model: str, split: str) -> str:
        """Return the predictions of one fit or of one given model."""
        return f"{self.root}/predictions/{dataset}/{model}/{split}.parquet"

    def failure(self, dataset: str, model: str, split: str) -> str:
        """Return the record of a fit that failed where the rest goes on."""
        return f"{self.root}/failed/{dataset}/{model}/{split}.json"

    def batch(self, dataset: str, model: str) -> str:
        """Return the record of a batch of fits."""
        return f"{self.root}/batches/{dataset}/{model}.txt"

    def scores(self, dataset: str, plan: str) -> str:
        """Return the scores of one data set and plan."""
        return f"{self.root}/collected/{dataset}.{plan}.scores.csv"

    def timings(self, dataset: str, plan: str) -> str:
        """Return the timings of one data set and plan."""
        return f"{self.root}/collected/{dataset}.{plan}.timings.csv"

    def predictions(self, dataset: str, plan: str) -> str:
        """Return the models' predictions of a test set or of all folds of a plan, side by side."""
        return f"{self.root}/collected/{dataset}.{plan}.predictions.parquet"

    def test(self, name: str) -> str:
        """Return the results of one test."""
        return f"{self.root}/tests/{name}.json"

    def figure(self, name: str, kind: str = "svg") -> str:
        """Return a figure of the report, in one of its forms."""
        return f"{self.root}/figures/{name}.{kind}"

    def table(self, name: str, kind: str = "csv") -> str:
        """Return a table of the report, in one of its forms."""
        return f"{self.root}/tables/{name}.{kind}"

    def caption(self, kind: str) -> str:
        """Return what figures or tables of one kind mean, for Snakemake's report."""
        return f"{self.root}/captions/{kind}.rst"

    def log(self, name: str) -> str:
        """Return the log of a job."""
        return f"{self.root}/logs/{name}.log"

    def fit_log(self, dataset: str, model: str, split: str) -> str:
        """Return the log of one fit."""
        return self.log(f"fit/{dataset}/{model}/{split}")

    def folder(self, name: str) -> Path:
        """Return a folder of the results."""
        return Path(self.root, name)
