"""What each result is made of beside its input files, as one digest: the `params:` of the rules.

Snakemake sees changed inputs and params, but no changed package, library or own code, and no other
order of the same inputs: where that shows in a file, it is part of the digest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from bakeoff.files import digest, files_at, is_file, sha256_of
from bakeoff.fit.fit_task import BASE_PACKAGES, distributions_of, versions
from bakeoff.sources.function import FunctionData
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.given_models import LOGS, GivenData
from bakeoff.spec.learners import learners
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.related import dependent, row_columns
from bakeoff.usercode import own_code

ROOT = Path(__file__).parents[1]
_READERS = ("pandas", "pyarrow", "numpy", "scipy", "scikit-learn")
"""What reads and makes tables."""
# what may change without another fit: more seeds are further fits, limits end fits or do not
_NOT_IN_FIT = (
    *("label", "seeds", "deterministic", "resources", "timeout", "memory"),
    *("keep", "importance"),  # of which files are missing, `remake` says
)


@cache
def code(*places: str) -> str:
    """Digest files or whole folders of the package."""
    files: list[Path] = []
    for path in (ROOT / place for place in places):
        below = sorted(path.rglob("*")) if path.is_dir() else [path]  # one that is gone is an error
        files += [f for f in below if not f.is_dir() and f.suffix != ".pyc"]
    return digest(list(map(sha256_of, files)))


def of_files(paths: Iterable[str], endings: Collection[str] = LOGS) -> str:
    """Digest what files hold, whatever their dates; folders file by file."""
    files = [file for path in paths for file in files_at(path, endings)]
    return digest([[file, sha256_of(file) if is_file(file) else ""] for file in files])


def of_data(experiment: Experiment, dataset: str) -> str:
    """Digest what makes a canonical table."""
    spec, made_by = experiment.datasets[dataset], code("sources", "data", "keys.py")
    if isinstance(spec, GivenData):
        given = _given(experiment), _meaning(experiment)
        return digest([_plain(spec, "costs"), given, made_by], ordered=True)
    seed = experiment.seed if spec.drawn else None
    reads = spec.reads if isinstance(spec, FunctionData) else []
    libraries = versions((*_READERS, *distributions_of(*spec.imports)))
    folds_by = experiment.resampling.given_by
    by_user = own_code(*spec.imports), _contents(reads)
    taken = row_columns(experiment, dataset).taken
    # derived columns stand in the order of their keys
    parts = _plain(spec, "costs"), seed, folds_by, by_user, made_by, libraries, taken
    return digest(parts, ordered=True)


def of_splits(experiment: Experiment, plan: str) -> str:
    """Digest what makes the divisions of a plan."""
    spec = experiment.resampling.plans()[plan]
    return digest([_plain(spec), experiment.seed, code("data", "seeds.py"), versions(("numpy",))])


def of_fits(experiment: Experiment) -> dict[str, dict[str, str]]:
    """Digest what makes the predictions of each fitted model, by data set and model."""
    made_by, costs = code("fit", "data", "seeds.py", "keys.py"), _costs(experiment)
    digests: dict[str, dict[str, str]] = {dataset: {} for dataset in experiment.datasets}
    for model, spec in experiment.fitted.items():
        libraries = versions((*BASE_PACKAGES, *distributions_of(*spec.imports)))
        by_user = own_code(*spec.imports), _contents(spec.reads)
        parts = [_plain(spec, *_NOT_IN_FIT), experiment.seed, made_by, libraries, by_user]
        anywhere = digest(parts)
        for dataset, by_model in digests.items():
            priced = spec.needs_costs
            by_model[model] = digest([*parts, costs[dataset]]) if priced else anywhere
    return digests


def of_given(experiment: Experiment, model: str) -> str:
    """Digest how the predictions of a given model are taken."""
    made_by = code("data", "scores", "fit/predictions.py", "stats/runs/recipe.py")
    return digest([_plain(experiment.given[model], "label"), made_by, _meaning(experiment)])


def of_scores(experiment: Experiment, *datasets: str) -> str:
    """Digest what makes the scores on data sets, all by default, from predictions."""
    made_by = code("scores", "fit/predictions.py", *(["data"] if experiment.given else []))
    metrics = [_plain(m) if isinstance(m, GivenMetric) else m for m in experiment.measured]
    costs = [[name, _costs(experiment)[name]] for name in datasets or experiment.datasets]
    named = list(experiment.models), _given(experiment), costs, list(experiment.resampling.plans())
    return digest([metrics, *named, made_by, _own_metrics(experiment)])


def of_lists(experiment: Experiment) -> str:
    """Digest what makes the lists of what fits chose, measured, or failed by."""
    measured = {name: experiment.importance(name) for name in experiment.fitted}
    return digest([of_scores(experiment), of_fits(experiment), measured])


def of_tests(experiment: Experiment, *tests: PlannedTest) -> str:
    """Digest what makes the results of tests, and tables of them, from scores or predictions."""
    plain = [dataclasses.replace(test, why="").to_dict() for test in tests]
    settings = _plain(experiment.tests, "run", "options")
    better = {name: m.greater_is_better for name, m in experiment.given_metrics.items()}
    cautioned = [  # what decides which cautions stand beside the comparisons
        [sorted(made.kinds), made.simulated]
        for model in experiment.fitted.values()
        for made in [learners(model, numbers=experiment.task.numbers)]
    ]
    related = {name: one.kind for name, one in dependent(experiment).items()}
    how = settings, better, experiment.on_error, cautioned, related, experiment.seed
    made_by = code("stats", "comparisons"), versions(("numpy", "scipy", "pandas"))
    compared = list(experiment.models), list(experiment.datasets), _costs(experiment)
    # tables of rows measure by all metrics, and a test by its own
    measured = [] if len(tests) == 1 else experiment.metrics
    return digest([plain, *how, *compared, measured, _own_metrics(experiment), made_by])


def of_report(experiment: Experiment, tests: AnalysisPlan) -> str:
    """Digest what makes the report from results, and the list of the tests."""
    places = "report", "stats", "comparisons", "scores/metrics.py", "scores/own_metrics.py"
    made_by = code(*places), versions(("matplotlib",))
    plain = [test.to_dict() for test in tests]
    return digest([experiment.resolved(), plain, made_by], ordered=True)


def _costs(experiment: Experiment) -> dict[str, Any]:
    by_dataset = {name: experiment.costs_on(name) for name in experiment.datasets}
    return {name: costs and _plain(costs) for name, costs in by_dataset.items()}


def _given(experiment: Experiment) -> dict[str, Any]:
    return {name: _plain(model, "label") for name, model in experiment.given.items()}


def _meaning(experiment: Experiment) -> list[Any]:
    """List what the numbers of rows stand for, where that decides what is taken of them."""
    metric = experiment.measured[0] if experiment.with_values else None
    return [str(metric)] if isinstance(metric, str | Passing) else []


def _own_metrics(experiment: Experiment) -> list[Any]:
    metrics = list(experiment.own_metrics.values())
    functions = [metric.function for metric in metrics]
    reads = [path for metric in metrics for path in metric.reads]
    libraries = versions(distributions_of(*functions)) if functions else {}
    return [*map(_plain, metrics), own_code(*functions), _contents(reads), libraries]


def _contents(reads: Iterable[str]) -> str:
    """Digest the files that own code is said to read, all files of a folder."""
    return of_files(reads, endings=())


def _plain(part: Any, *without: str) -> Any:
    return part.model_dump(mode="json", exclude=set(without))
