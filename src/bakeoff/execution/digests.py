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
from bakeoff.fit.fit_task import BASE_PACKAGES, versions, versions_with
from bakeoff.sources.function import FunctionData
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.given_models import LOGS, GivenData
from bakeoff.spec.learners import learners
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.related import dependent, row_columns
from bakeoff.usercode import own_code

ROOT = Path(__file__).parents[1]
"""The folder of the package."""
_TABLE_PACKAGES = ("pandas", "pyarrow", "numpy", "scipy", "scikit-learn")
"""What reads and makes tables."""
_TEST_PACKAGES = ("numpy", "scipy", "pandas")
_NOT_IN_FIT = {
    "label",
    # more seeds are further fits
    "seeds",
    "deterministic",
    # limits end fits or do not
    "resources",
    "timeout",
    "memory",
    # of which of these files are missing, `remake` says
    "keep",
    "importance",
}
"""Keys of a model that may change without another fit."""


# --- the results, in the order in which they are made


def of_data(experiment: Experiment, dataset: str) -> str:
    """Digest what makes a canonical table."""
    spec = experiment.datasets[dataset]
    source_code = code("sources", "data", "keys.py")
    settings = _plain(spec, without={"costs"})
    if isinstance(spec, GivenData):
        models = [_given_models(experiment), _meaning_of_values(experiment)]
        return digest([settings, models, source_code], ordered=True)
    seed = None
    if spec.drawn:
        seed = experiment.seed
    reads: Iterable[str] = []
    if isinstance(spec, FunctionData):
        reads = spec.reads
    parts = [
        settings,
        seed,
        experiment.resampling.given_by,
        _own_code(spec.imports, reads),
        source_code,
        versions_with(_TABLE_PACKAGES, spec.imports),
        row_columns(experiment, dataset).taken,
    ]
    # derived columns stand in the order of their keys
    return digest(parts, ordered=True)


def of_splits(experiment: Experiment, plan: str) -> str:
    """Digest what makes the divisions of a plan."""
    settings = _plain(experiment.resampling.plans()[plan])
    source_code = code("data", "seeds.py")
    return digest([settings, experiment.seed, source_code, versions(("numpy",))])


def of_fits(experiment: Experiment) -> dict[str, dict[str, str]]:
    """Digest what makes the predictions of each fitted model, by data set and model."""
    source_code = code("fit", "data", "seeds.py", "keys.py")
    costs = _costs(experiment, experiment.datasets)
    digests: dict[str, dict[str, str]] = {dataset: {} for dataset in experiment.datasets}
    for model, spec in experiment.fitted.items():
        parts = [
            _plain(spec, without=_NOT_IN_FIT),
            experiment.seed,
            source_code,
            versions_with(BASE_PACKAGES, spec.imports),
            _own_code(spec.imports, spec.reads),
        ]
        on_any_dataset = digest(parts)
        for dataset, digest_by_model in digests.items():
            digest_by_model[model] = on_any_dataset
            if spec.needs_costs:
                digest_by_model[model] = digest([*parts, costs[dataset]])
    return digests


def of_given(experiment: Experiment, model: str) -> str:
    """Digest how the predictions of a given model are taken."""
    source_code = code("data", "scores", "fit/predictions.py", "stats/runs/recipe.py")
    settings = _plain(experiment.given[model], without={"label"})
    return digest([settings, source_code, _meaning_of_values(experiment)])


def of_scores(experiment: Experiment, *datasets: str) -> str:
    """Digest what makes the scores on data sets, all by default, from predictions."""
    if experiment.given:
        source_code = code("scores", "fit/predictions.py", "data")
    else:
        source_code = code("scores", "fit/predictions.py")
    metrics: list[Any] = []
    for metric in experiment.measured:
        if isinstance(metric, GivenMetric):
            metrics.append(_plain(metric))
        else:
            metrics.append(metric)
    if not datasets:
        datasets = tuple(experiment.datasets)
    costs = _costs(experiment, datasets)
    parts = [
        metrics,
        list(experiment.models),
        _given_models(experiment),
        list(costs.items()),
        list(experiment.resampling.plans()),
        source_code,
        _own_metrics(experiment),
    ]
    return digest(parts)


def of_lists(experiment: Experiment) -> str:
    """Digest what makes the lists of what fits chose, measured, or failed by."""
    importance_metrics = {name: experiment.importance(name) for name in experiment.fitted}
    return digest([of_scores(experiment), of_fits(experiment), importance_metrics])


def of_tests(experiment: Experiment, *tests: PlannedTest) -> str:
    """Digest what makes the results of tests, and tables of them, from scores or predictions."""
    # tables of rows measure by all metrics, and a test by its own
    measured: list[Any] = list(experiment.metrics)
    if len(tests) == 1:
        measured = []
    parts = [
        [dataclasses.replace(test, why="").to_dict() for test in tests],
        _plain(experiment.tests, without={"run", "options"}),
        {name: metric.greater_is_better for name, metric in experiment.given_metrics.items()},
        experiment.on_error,
        _learners(experiment),
        {name: relation.kind for name, relation in dependent(experiment).items()},
        experiment.seed,
        list(experiment.models),
        list(experiment.datasets),
        _costs(experiment, experiment.datasets),
        measured,
        _own_metrics(experiment),
        [code("stats", "comparisons"), versions(_TEST_PACKAGES)],
    ]
    return digest(parts)


def of_report(experiment: Experiment, tests: AnalysisPlan) -> str:
    """Digest what makes the report from results, and the list of the tests."""
    source_code = code(
        "report", "stats", "comparisons", "scores/metrics.py", "scores/own_metrics.py"
    )
    parts = [
        experiment.resolved(),
        [test.to_dict() for test in tests],
        [source_code, versions(("matplotlib",))],
    ]
    return digest(parts, ordered=True)


# --- files


@cache
def code(*places: str) -> str:
    """Digest files or whole folders of the package."""
    files: list[Path] = []
    for place in places:
        path = ROOT / place
        if path.is_dir():
            files += sorted(path.rglob("*"))
        else:
            # one that is gone is an error
            files.append(path)
    return digest([sha256_of(f) for f in files if not f.is_dir() and f.suffix != ".pyc"])


def of_files(paths: Iterable[str], endings: Collection[str] = LOGS) -> str:
    """Digest what files hold, whatever their dates; folders file by file."""
    contents = []
    for path in paths:
        for file in files_at(path, endings):
            sha256 = ""
            if is_file(file):
                sha256 = sha256_of(file)
            contents.append([file, sha256])
    return digest(contents)


def _own_code(imports: Iterable[str], reads: Iterable[str]) -> list[Any]:
    """Return the user's own code behind import paths, and a digest of what it is said to read."""
    # of a folder it may read any file, and not only logs
    return [own_code(*imports), of_files(reads, endings=())]


# --- parts of an experiment


def _plain(part: Any, without: Collection[str] = ()) -> Any:
    """Return a part of an experiment as JSON has it, without some of its keys."""
    return part.model_dump(mode="json", exclude=set(without))


def _costs(experiment: Experiment, datasets: Iterable[str]) -> dict[str, Any]:
    """Return the costs of errors on each data set, None where there are none."""
    costs_by_dataset: dict[str, Any] = {}
    for dataset in datasets:
        costs = experiment.costs_on(dataset)
        costs_by_dataset[dataset] = None
        if costs is not None:
            costs_by_dataset[dataset] = _plain(costs)
    return costs_by_dataset


def _given_models(experiment: Experiment) -> dict[str, Any]:
    """Return what is said of the models whose results are given."""
    return {name: _plain(model, without={"label"}) for name, model in experiment.given.items()}


def _meaning_of_values(experiment: Experiment) -> list[Any]:
    """List what the numbers of rows stand for, where that decides what is taken of them."""
    if not experiment.with_values:
        return []
    meaning = []
    for metric in experiment.measured:
        if isinstance(metric, str | Passing):
            meaning.append(str(metric))
    return meaning


def _learners(experiment: Experiment) -> list[Any]:
    """List of each model what decides which cautions stand beside its comparisons."""
    kinds = []
    for model in experiment.fitted.values():
        learner = learners(model, numbers=experiment.task.numbers)
        kinds.append([sorted(learner.kinds), learner.simulated])
    return kinds


def _own_metrics(experiment: Experiment) -> list[Any]:
    """List what makes the values of the user's own metrics."""
    settings: list[Any] = []
    functions: list[str] = []
    reads: list[str] = []
    for metric in experiment.own_metrics.values():
        settings.append(_plain(metric))
        functions.append(metric.function)
        reads += metric.reads
    libraries = {}
    if functions:
        libraries = versions_with((), functions)
    return settings + _own_code(functions, reads) + [libraries]
