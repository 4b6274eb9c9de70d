"""Digests of the inputs of each result, so that a change reruns only the results that use them.

Snakemake sees changed inputs and parameters, but not changed package code or library versions:
rules carry these digests as parameters. Nor does it see another order of the same inputs: where
the order of models, data sets, tests or metrics shows in a file, it is part of the digest; fits and
splits do not depend on it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from bakeoff.files import digest, files_at, is_file, sha256_of
from bakeoff.fit.versions import BASE_PACKAGES, distributions_of, versions
from bakeoff.spec import AnalysisPlan, PlannedTest
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.experiment import Experiment
from bakeoff.spec.given_models import LOGS
from bakeoff.spec.learners import learners
from bakeoff.spec.metrics import GivenMetric, Passing
from bakeoff.spec.related import dependent
from bakeoff.spec.row_columns import row_columns
from bakeoff.usercode import own_code

ROOT = Path(__file__).parents[1]
# what may change without another fit: more seeds are further fits, limits end fits or do not
_NOT_IN_FIT = ("label", "seeds", "deterministic", "resources", "timeout", "memory")

# The exceptions: of a room's modules, those that what is made does not depend on. All others count,
# those to come too, so that none is forgotten.
DIVIDES = tuple(
    f"data/{name}.py"
    for name in ("splits", "split_files", "divide", "given_folds", "quality", "whole_groups")
)
"""Makes no table."""
LOADS = tuple(
    f"data/{name}.py"
    for name in (
        *("columns", "describe_columns", "file_columns", "given_predictions", "given_splits"),
        *("predicted", "prediction_table", "prepare", "read_given", "repeats", "row_columns"),
        "table_files",
    )
)
"""Is behind a fit: the contents of its table are in the fit's stamp."""
ASSESSES = tuple(name for name in DIVIDES if name != "data/split_files.py")
"""Likewise behind a fit, which reads divisions and makes none."""


@cache
def code(*places: str, without: tuple[str, ...] = ()) -> str:
    """Digest files or whole folders of the package, less some of them."""
    left_out = {ROOT / name for name in without}
    found = (
        file
        for place in places
        for file in (sorted((ROOT / place).rglob("*")) or [ROOT / place])
        if file.is_file() and file.suffix != ".pyc"
    )
    return digest([sha256_of(file) for file in found if left_out.isdisjoint((file, *file.parents))])


def of_files(paths: Iterable[str]) -> str:
    """Digest what files hold that an experiment names, whatever their dates; folders file by file.

    Each is read once in a process, before the step that reads it: one that is replaced meanwhile
    has another digest in the next run, which reads it again.
    """
    return digest([[file, _content(file)] for path in paths for file in files_at(path, LOGS)])


@cache
def _content(path: str) -> str:
    return sha256_of(path) if is_file(path) else ""


def of_data(experiment: Experiment, dataset: str) -> str:
    """Digest what makes a canonical table."""
    spec = experiment.datasets[dataset]
    made_by = code("sources", "data", "keys.py", without=DIVIDES)
    if isinstance(spec, GivenData):
        models = {name: _plain(model, "label") for name, model in experiment.given.items()}
        meant = _meaning(experiment)
        return digest(
            [_plain(spec, "costs"), models, made_by, code(*DIVIDES), *meant], ordered=True
        )
    seed = experiment.seed if spec.drawn else None
    validation = (experiment.validation_column or ())[:1]  # not where it is named
    roles = experiment.resampling.given_by, validation
    libraries = versions(("pandas", "pyarrow", "numpy", "scipy", "scikit-learn"))
    own = own_code(*spec.imports)
    taken = row_columns(experiment, dataset).taken
    parts = _plain(spec, "costs"), seed, roles, own, made_by, libraries, taken
    return digest(parts, ordered=True)  # derived columns stand in the order of their keys


def of_splits(experiment: Experiment, plan: str) -> str:
    """Digest what makes the divisions of a plan."""
    spec = experiment.resampling.plans()[plan]
    made_by = code("data", "seeds.py"), versions(("numpy",))
    return digest([_plain(spec), experiment.seed, made_by])


def of_fits(experiment: Experiment) -> dict[str, dict[str, str]]:
    """Digest what makes the predictions of each fitted model, by data set and model."""
    models, (first, *_) = experiment.fitted, experiment.datasets
    of_first = {model: of_fit(experiment, model, first) for model in models}
    priced = [model for model, spec in models.items() if spec.needs_costs]
    return {
        dataset: of_first | {model: of_fit(experiment, model, dataset) for model in priced}
        for dataset in experiment.datasets
    }


def of_fit(experiment: Experiment, model: str, dataset: str) -> str:
    """Digest what makes the predictions of a model on a data set, given data and splits.

    It is that of all data sets, unless the model looks at what errors cost.
    """
    spec = experiment.fitted[model]
    libraries = versions((*BASE_PACKAGES, *distributions_of(*spec.imports)))
    made_by = code("fit", "data", "seeds.py", "keys.py", without=(*LOADS, *ASSESSES))
    own = own_code(*spec.imports)
    costs = [_costs_on(experiment, dataset)] if spec.needs_costs else []
    return digest([_plain(spec, *_NOT_IN_FIT), experiment.seed, made_by, libraries, own, *costs])


def of_given(experiment: Experiment, model: str) -> str:
    """Digest how the predictions of a given model are taken."""
    modules = "scores/given_results.py", "scores/rival.py", "fit/predictions.py", "fit/stamp.py"
    made_by = code("data", "keys.py", "stats/runs/passes.py", *modules)
    return digest([_plain(experiment.given[model], "label"), made_by, *_meaning(experiment)])


def _meaning(experiment: Experiment) -> list[Any]:
    """List what the numbers of rows stand for, where that decides what is taken of them."""
    metric = experiment.measured[0] if experiment.with_values else None
    return [str(metric)] if isinstance(metric, str | Passing) else []


def of_scores(experiment: Experiment, dataset: str) -> str:
    """Digest what makes the scores on a data set from predictions."""
    given = [{name: _plain(model, "label") for name, model in experiment.given.items()}]
    made_by = code("scores", "fit/predictions.py", *(["data"] if given[0] else []))
    models, own = list(experiment.models), of_own_metrics(experiment)
    costs = _costs_on(experiment, dataset)
    metrics = [_plain(m) if isinstance(m, GivenMetric) else m for m in experiment.measured]
    return digest([metrics, models, made_by, *given, costs, *own])


def of_own_metrics(experiment: Experiment) -> list[Any]:
    """List what own metrics are made of: what the experiment says of them, and their code."""
    found = experiment.own_metrics
    return [_plain(m) for m in found.values()] + [own_code(*(m.module for m in found.values()))]


def of_joined_scores(experiment: Experiment) -> str:
    """Digest what puts the scores of all data sets into one table."""
    plans = list(experiment.resampling.plans())
    scores = [of_scores(experiment, dataset) for dataset in experiment.datasets]
    return digest([scores, list(experiment.datasets), plans, code("execution/steps.py")])


def of_test(experiment: Experiment, test: PlannedTest) -> str:
    """Digest what makes the results of one test from scores or predictions."""
    settings = _plain(experiment.tests, "run", "options")
    costs = _costs(experiment)
    made_by = code("stats", "comparisons", "execution/steps.py"), versions(("numpy", "scipy"))
    names = list(experiment.models), list(experiment.datasets)
    plain = dataclasses.replace(test, why="").to_dict()
    own = plain, settings, costs, experiment.seed, names, of_own_metrics(experiment)
    better = {name: m.greater_is_better for name, m in experiment.given_metrics.items()}
    return digest([*own, better, experiment.on_error, _cautioned(experiment), made_by])


def _cautioned(experiment: Experiment) -> list[Any]:
    """List what decides which cautions stand beside the comparisons."""
    learners_of = {
        name: learners(model, numbers=experiment.task.numbers)
        for name, model in experiment.fitted.items()
    }
    made_of = {name: [sorted(one.kinds), one.simulated] for name, one in learners_of.items()}
    return [made_of, {name: kin.kind for name, kin in dependent(experiment).items()}]


def of_intervals(experiment: Experiment) -> str:
    """Digest what makes intervals of scores from the predictions on held-out rows."""
    costs = _costs(experiment)
    names = list(experiment.models), list(experiment.datasets), experiment.metrics
    made_by = code("stats", "comparisons", "execution/steps.py"), versions(("numpy", "scipy"))
    return digest([names, costs, experiment.tests.alpha, made_by, of_own_metrics(experiment)])


def of_subgroups(experiment: Experiment) -> str:
    """Digest what makes the comparison in subgroups from the predictions on held-out rows."""
    return digest([of_intervals(experiment), experiment.tests.versus, experiment.seed])


def of_comparisons(tests: AnalysisPlan) -> str:
    """Digest what puts the results of all tests into one table."""
    return digest([[test.name for test in tests], code("comparisons", "execution/steps.py")])


def of_matrix(experiment: Experiment, tests: AnalysisPlan) -> str:
    """Digest what makes the score matrix from scores, and when its missing cells stop the run."""
    used = sorted((test.plan, test.metrics) for test in tests if test.on_datasets)
    settings = _plain(experiment.tests, "run"), experiment.on_error
    names = list(experiment.models), list(experiment.datasets), experiment.metrics
    return digest(
        [used, settings, names, code("comparisons", "execution/steps.py"), versions(("pandas",))]
    )


def of_listing(experiment: Experiment, tests: AnalysisPlan) -> str:
    """Digest what makes the resolved experiment and the list of its tests."""
    parts = experiment.resolved(), tests.to_list(), code("comparisons", "stats")
    return digest(parts, ordered=True)


def of_report(experiment: Experiment) -> str:
    """Digest what makes the report from results."""
    made_by = code("report", "stats", "scores/metrics"), versions(("matplotlib", "jinja2"))
    return digest([experiment.resolved(), made_by], ordered=True)


def of_check(experiment: Experiment, tests: bool) -> str:
    """Digest what of an experiment a check looks at, of its tests or not; labels are for people.

    What given models bring is checked for the tests that it is to feed.
    """
    plain = experiment.resolved()
    for part in (plain, *plain["models"].values(), *plain["datasets"].values()):
        part.pop("label", None)
    if not (tests or experiment.given):
        plain["tests"] = experiment.tests.missing_cells
    return digest(plain, ordered=True)


def _costs(experiment: Experiment) -> Any:
    """Return what errors cost on each data set."""
    return {name: _costs_on(experiment, name) for name in experiment.datasets}


def _costs_on(experiment: Experiment, dataset: str) -> Any:
    costs = experiment.costs_on(dataset)
    return costs and _plain(costs)


def _plain(part: Any, *without: str) -> Any:
    return part.model_dump(mode="json", exclude=set(without))
