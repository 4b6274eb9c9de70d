"""Where the files of an experiment's results are: the only place that says so."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

RESULTS = "results"
"""The folder of all results, below the one in which Snakemake runs."""


def _file(pattern: str, *defaults: str) -> Callable[..., str]:
    def path(self: Paths, *names: str) -> str:
        return f"{self.root}/{pattern.format(*names, *defaults)}"

    return path


@dataclasses.dataclass(frozen=True)
class Paths:
    """The files of one experiment's results, by the names of data set, model, plan, …."""

    root: str

    @classmethod
    def of_experiment(cls, experiment: str) -> Paths:
        """Return the paths of an experiment, by its name."""
        return cls(f"{RESULTS}/{experiment}")

    # what lies in the results' own folder, such as scores.csv, and notes there: which experiment
    # file these results are of, what the last report made, the sizes that the last run left
    top = _file("{}")
    owner, made, sizes = map(_file, (".experiment-file", ".report-files", ".file-sizes"))
    # the canonical table of a data set, its card, and what comparisons look at row by row
    data = _file("data/{}.parquet")
    card = _file("data/{}.json")
    row_columns = _file("data/{}.columns.parquet")
    splits = _file("splits/{}.{}.parquet")
    split_quality = _file("splits/{}.{}.json")
    # of one fit or of one given model: predictions, or the record of a failure that may be
    prediction = _file("predictions/{}/{}/{}.parquet")
    failure = _file("failed/{}/{}/{}.json")
    batch = _file("batches/{}/{}.txt")
    # of one data set and plan; the predictions of all models are side by side
    scores = _file("collected/{}.{}.scores.csv")
    timings = _file("collected/{}.{}.timings.csv")
    predictions = _file("collected/{}.{}.predictions.parquet")
    test = _file("tests/{}.json")
    # of the report, in one of their forms, and what those of one kind mean
    figure = _file("figures/{}.{}", "svg")
    table = _file("tables/{}.{}", "csv")
    caption = _file("captions/{}.rst")
    log = _file("logs/{}.log")
    fit_log = _file("logs/fit/{}/{}/{}.log")
