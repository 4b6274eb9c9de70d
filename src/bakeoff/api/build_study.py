"""From the predictions of several models to the study that an experiment of them would make."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.settings import Settings
from bakeoff.comparisons import check_classes, merged, plan_tests, run_planned
from bakeoff.comparisons.advice import on_given_rows
from bakeoff.comparisons.evidence import FIXED_METRICS, PairedPredictions, has_test
from bakeoff.comparisons.read_evidence import by_metric
from bakeoff.comparisons.row_tables import (
    INTERVALS,
    SUBGROUPS,
    intervals_of,
    subgroups_of,
    tabulate,
)
from bakeoff.comparisons.settings import INDEPENDENT, deterministic
from bakeoff.data.given_predictions import given_card
from bakeoff.data.observations import Observations, Predicted
from bakeoff.data.target import Classes
from bakeoff.errors import Problem, unknown
from bakeoff.fit.predictions import Predictions
from bakeoff.report.read import environment
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, score
from bakeoff.scores.collect import over_seeds
from bakeoff.scores.metrics import Metric, Need, no_metric, of_other_task
from bakeoff.spec import AnalysisPlan, Costs, Experiment, HypothesisTests
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenColumns, GivenData, GivenModel
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.problems import problems_with_task
from bakeoff.spec.task import Task
from bakeoff.stats import catalogue


def evidence_of(given: Observations, ids: Mapping[str, str]) -> PairedPredictions:
    """Put what all training runs say, or numbers, side by side, each as if it was a model."""
    kin: dict[str, Any] = {
        "groups": given.related.get("group"),
        "times": given.related.get("time"),
        "subgroups": given.subgroups,
    }
    runs = {
        run_name(ids[model], seed): one
        for model, own in given.models.items()
        for seed, one in enumerate(own, start=1)
    }
    models, found = tuple(runs), list(runs.values())
    numbers = [one.values for one in found if one.values is not None]
    if numbers:
        return PairedPredictions.from_values(models, np.column_stack(numbers), **kin)
    probabilities = _probabilities(found, (len(given.truth), len(given.classes)))
    return PairedPredictions(
        models,
        given.classes,
        given.truth,
        np.array([one.answers for one in found]).T,  # what one model says lies together
        None if probabilities is None else probabilities[..., -1],
        probabilities=probabilities,
        in_order=given.in_order,
        **kin,
    )


def _probabilities(
    found: Sequence[Predicted], shape: tuple[int, int]
) -> NDArray[np.float64] | None:
    """Return rows × models × classes, NaN for models without probabilities."""
    known = [one.probabilities for one in found]
    if all(one is None for one in known):
        return None
    nothing = np.full(shape, np.nan)
    return np.stack([nothing if one is None else one for one in known], axis=1)


def said_of(
    given: Observations, model: str, settings: Settings, columns: GivenColumns
) -> dict[str, Any]:
    """Return what is known of one model beside its predictions."""
    seeds, fixed = len(given.models[model]), model in settings.deterministic
    if given.several_runs and seeds == 1 and not fixed:
        raise Problem(
            ("deterministic",),
            f"{model} has one training run and others have several, so nothing is known of its "
            "seeds: give further runs, or say that its training has no random part",
        )
    if fixed and not all(map(given.models[model][0].says_the_same, given.models[model][1:])):
        raise Problem(
            ("deterministic",), f"the {seeds} training runs of {model} differ: it has a random part"
        )
    if fixed and not given.several_runs:
        raise Problem(("deterministic",), f"there are no training runs to compare {model} with")
    if fixed or seeds == 1:  # one of a deterministic model is as good as all
        return {"label": model, "deterministic": True if fixed else None}
    return {"label": model, "seeds": seeds, "columns": columns.model_copy(update={"seed": "seed"})}


def given_experiment(tests: Mapping[str, Any], **sections: Any) -> Experiment:
    """Make the experiment of results from elsewhere."""
    settings = validated(HypothesisTests, tests, ("tests",))
    return validated(Experiment, {"experiment": "compare", "tests": settings, **sections})


def described_metric(name: str, greater_is_better: bool) -> dict[str, Any]:
    """Describe a metric that is none of ours, by a name that an experiment can have."""
    plain = re.sub(r"\W", "_", name)
    plain = plain if plain[:1].isalpha() else f"metric_{plain}"
    return {"name": plain, "greater_is_better": greater_is_better}


def planned_tests(experiment: Experiment) -> AnalysisPlan:
    """Plan the tests of an experiment, or raise all problems."""
    problems, tests = plan_tests(experiment)
    if problems:
        raise report_problems(problems)
    return tests


def given_study(
    experiment: Experiment,
    tests: AnalysisPlan,
    evidence: Mapping[str, Any],
    scores: pd.DataFrame,
    **more: Any,
) -> Study:
    """Run the planned tests, and make the study for the report."""
    results = [row for test in tests for row in run_planned(test, experiment, evidence)]
    nothing = Classes(()), np.array([], dtype=np.intp)
    cards = {
        name: given_card(name, spec, {}, *nothing)
        for name, spec in experiment.datasets.items()
        if isinstance(spec, GivenData)
    }
    parts: dict[str, Any] = {"cards": cards, "analysis": tests, **more}
    return Study(experiment, tuple(merged(results)), scores, **parts)


METRIC = "accuracy"
ROWS = "rows"
"""The id of the one data set."""
WHY = "what `bakeoff compare` runs for so many models and these metrics"
_OF_FITS = ("snakemake", "scikit-learn", "skrub")
"""Packages that fit models, and compare none."""


def build_study(given: Observations, settings: Settings) -> Study:
    """Run the tests of the experiment of these models, and make the study for its report."""
    ids = {label: f"model-{i}" for i, label in enumerate(given.models, 1)}
    metrics = _metrics(given, settings)
    experiment = _experiment(given, settings, ids, metrics)
    tests = _plan(given, experiment)
    rows = evidence_of(given, ids)
    results = (row for test in tests for row in run_planned(test, experiment, {ROWS: rows}))
    comparisons = tuple(merged(results))
    found = list(by_metric(rows, experiment, experiment.metrics))
    scores = pd.DataFrame(over_seeds(_scores(given, experiment))).drop(columns="seed")
    numbers = {ROWS: rows} if rows.by_values else {}
    labelled = {} if rows.by_values else {ROWS: rows}
    spec = experiment.datasets[ROWS]
    assert isinstance(spec, GivenData)
    files = {ROWS: settings.files}
    # of counts no classes are known
    target, truth = given.target, given.truth
    if not given.in_order:
        target, truth = Classes(()), np.full(len(truth), -1)
    card = given_card(ROWS, spec, files, target, truth, len(given.left_out))
    odd = given.oddities
    card["group_columns"] = given.like_groups
    how = 1 - experiment.tests.alpha, deterministic(experiment)
    intervals = [
        line for one in found for line in intervals_of(ROWS, one, experiment.costs_on(ROWS), *how)
    ]
    in_subgroups = [
        line
        for one in found
        if one.by_values or has_test(one.metric)
        for line in subgroups_of(ROWS, one, experiment)
    ]
    return Study(
        experiment,
        comparisons,
        scores,
        {ROWS: card},
        labelled,
        numbers=numbers,
        notes={ROWS: odd},
        told=given.told,
        analysis=tests,
        intervals=tabulate(intervals, INTERVALS),
        subgroups=tabulate(in_subgroups, SUBGROUPS),
    )


def made_by(study: Study, command: str) -> Study:
    """Add to a study, for its page, the command that made it and the versions."""
    known = environment(study.experiment).items()
    own = {name: value for name, value in known if name not in _OF_FITS}
    return dataclasses.replace(study, environment=own, command=command)


def _metrics(given: Observations, settings: Settings) -> list[str | GivenMetric]:
    """List the metrics, as an experiment has them."""
    place = ("metrics",)
    given.check_answers()
    if settings.values is not None:
        kind = settings.values
        if settings.metrics:
            raise Problem(place, "these are for predictions, not for numbers per row")
        # what is right and what is wrong was settled when the numbers were read
        return [METRIC if isinstance(kind, str) else kind]
    for name in settings.metrics:
        if name not in METRICS:
            raise Problem(place, no_metric(name))
        if other := of_other_task(name, given.task):
            raise Problem(place, other)
        if METRICS[name].binary and len(given.classes) != 2:
            raise Problem(
                place,
                f"{name} is for two classes, {given.name} has {len(given.classes)}; use "
                f"{METRICS[name].instead}",
            )
        _check_costs(METRICS[name], settings.costs)
        silent = [
            model
            for model, runs in given.models.items()
            if any(run.probabilities is None for run in runs)
        ]
        if METRICS[name].by_order and silent:
            how = (
                "add a column for each class (p_<class>; in one table of all models model:class)"
                if settings.files
                else "pass its probabilities, shape (n, K)"
            )
            raise Problem(
                place, f"{name} needs class probabilities, {silent[0]} brings labels alone: {how}"
            )
    return list(dict.fromkeys(settings.metrics or (given.task.metric,)))


def _check_costs(metric: Metric, costs: Any) -> None:
    """Refuse a metric of costs without a matrix of costs, or without priors."""
    if metric.priced and costs is None:
        raise Problem(
            ("costs",),
            f"the metric {metric.name} needs `classes` and a `matrix` of what errors cost",
        )
    if metric.needs is Need.PRIORS and not (isinstance(costs, Mapping) and costs.get("priors")):
        raise Problem(
            ("costs",),
            f"the metric {metric.name} needs `priors` too: how frequent each class is, in the "
            "order of `classes`",
        )


def _tests(
    settings: Settings,
    ids: Mapping[str, str],
    metrics: Sequence[str | GivenMetric],
    task: Task,
    *,
    runs: bool,
) -> HypothesisTests:
    """Make the `tests:` of the experiment."""
    named = [metric for metric in metrics if isinstance(metric, str)]
    ordered = "time" in settings.columns and "group" not in settings.columns
    serial = task.numbers and ordered and not settings.independent_rows
    run = on_given_rows(len(ids), named, settings.costs is not None, serial, runs=runs)
    options: dict[str, dict[str, Any]] = {
        test: {"metrics": list(own)} for test, own in run.items() if own
    }
    if settings.variant is not None:
        if "mcnemar" not in run:
            raise Problem(
                ("variant",),
                "it is of McNemar's test, which compares accuracies: leave it out"
                + ("" if task.numbers else f", or add the metric {METRIC}"),
            )
        if not settings.independent_rows and settings.columns:
            related = " and ".join(map(repr, settings.columns.values()))
            raise Problem(
                ("variant",),
                f"variants are of McNemar's test for independent rows, and {related} relates them: "
                "leave it out, or take the rows for independent",
            )
        options["mcnemar"] = {"variant": settings.variant}
    if settings.independent_rows and not settings.columns:
        raise Problem((INDEPENDENT,), "no column relates the rows: leave it out")
    if settings.independent_rows:
        taking = [name for name in run if catalogue()[name].can_take_rows_for_independent]
        if not taking:
            raise Problem(
                (INDEPENDENT,),
                f"none of the tests that run has a form for independent rows ({', '.join(run)}): "
                "leave it out, or the column that relates the rows",
            )
        for name in taking:
            options.setdefault(name, {})[INDEPENDENT] = True
    if settings.versus is not None and settings.versus not in ids:
        raise Problem(("versus",), unknown("model", settings.versus, ids))
    keys = {
        "alpha": settings.alpha,
        "correction": settings.correction,
        "alternative": settings.alternative,
        "versus": None if settings.versus is None else ids[settings.versus],
        "run": list(run),
        "options": options,
    }
    return validated(HypothesisTests, keys, ("tests",))


def _experiment(
    given: Observations,
    settings: Settings,
    ids: Mapping[str, str],
    metrics: Sequence[str | GivenMetric],
) -> Experiment:
    """Make the experiment of given models."""
    cost = FIXED_METRICS["classes"]
    costs = settings.costs
    if costs is not None:
        costs = validated(Costs, costs, ("costs",))
    subgroups = list(given.subgroups)  # cut already
    columns = validated(GivenColumns, {**settings.columns, "subgroups": subgroups})
    brings = "predictions" if settings.values is None else "values"
    own = {brings: given.name, "columns": columns}
    data = {"source": "given", "label": given.name, "unit": settings.unit}
    return validated(
        Experiment,
        {
            "experiment": "compare",
            "task": given.task,
            "datasets": {ROWS: validated(GivenData, data)},
            "models": {
                i: validated(GivenModel, own | said_of(given, m, settings, columns))
                for m, i in ids.items()
            },
            "metrics": [*metrics, *([cost] if costs is not None and cost not in metrics else [])],
            "resampling": {"holdout": {}},
            "tests": _tests(settings, ids, metrics, given.task, runs=given.several_runs),
            "costs": costs,
            "own_metrics": dict(settings.own_metrics),
        },
    )


def _plan(given: Observations, experiment: Experiment) -> AnalysisPlan:
    """Plan the tests, which are those that any such comparison runs."""
    if task_problems := [*problems_with_task(experiment)]:
        raise report_problems(task_problems)
    problems, tests = plan_tests(experiment)
    problems += check_classes(experiment, ROWS, given.classes)
    if problems:
        raise report_problems(problems)
    return AnalysisPlan(tuple(dataclasses.replace(test, why=WHY) for test in tests))


def _scores(given: Observations, experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Score each training run of each model."""
    ids = np.arange(len(given.truth))
    for runs, model in zip(given.models.values(), experiment.models, strict=True):
        for seed, found in enumerate(runs, start=1):
            made = Predictions(
                ids, given.truth, found.answers, given.classes, found.probabilities, None, {}
            )
            for metric in experiment.metrics:
                if found.values is not None:
                    value, reason = float(found.values.mean()), ""
                else:
                    value, reason = score(METRICS[metric], made, experiment.costs_on(ROWS))
                yield {
                    "dataset": ROWS,
                    "model": model,
                    "plan": "holdout",
                    "repeat": 1,
                    "fold": 1,
                    "n_train": np.nan,
                    "n_test": len(ids),
                    "metric": metric,
                    "value": value,
                    "undefined": reason,
                    "seed": seed,
                }
