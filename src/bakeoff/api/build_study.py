"""From what a call compares to its study: an analysis is made, its tests are planned and run.

`build_study` is for rows of one test set, `given_study` for scores from elsewhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.measured import Measured
from bakeoff.comparisons.analysis import Analysis, ComparedData, ComparedModel
from bakeoff.comparisons.choose import recommended
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.plan_tests import check_classes, plan_tests
from bakeoff.comparisons.row_tables import score_intervals, subgroup_table
from bakeoff.comparisons.run_tests import Comparison, merged, run_planned
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    INDEPENDENT,
    allowed_options,
    has_interval,
)
from bakeoff.comparisons.suites import means_over_tasks
from bakeoff.data.given_predictions import given_card
from bakeoff.data.observations import Observations
from bakeoff.data.target import Target
from bakeoff.errors import Problem, UserError, joined, unknown
from bakeoff.fit.predictions import Predictions
from bakeoff.keys import refuse_same_names
from bakeoff.report.read import environment
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, score
from bakeoff.scores.collect import over_seeds
from bakeoff.scores.metrics import check_metrics
from bakeoff.sources.common.base import as_columns, blame
from bakeoff.spec import AnalysisPlan, Costs, Experiment, HypothesisTests
from bakeoff.spec.experiment import run_name
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.related import Declared
from bakeoff.spec.resampling import Holdout
from bakeoff.stats import catalogue
from bakeoff.stats.core.arguments import choices_of

METRIC = "accuracy"
ROWS = "rows"
"""The id of the one data set."""
_FIT = {"dataset": ROWS, "model": "", "plan": "holdout", "repeat": 1, "fold": 1}
_SCORE = {"n_train": np.nan, "n_test": np.nan, "metric": "", "value": np.nan, "undefined": ""}
HOLDOUT: dict[str, Any] = _FIT | _SCORE
"""A score of a holdout, by the columns of a table of scores."""
COST = FIXED_METRICS["classes"]
TEST_SET = Holdout.model_validate({})
"""The plan of a test set: all of its rows are tested once."""
WORKFLOW = "snakemake"
"""The package that runs an experiment, and no call from Python."""
_OF_FITS = (WORKFLOW, "scikit-learn", "skrub")
"""Packages that fit models, and compare none."""


def tests_asked(
    models: Collection[str], settings: Mapping[str, Any], **keys: Any
) -> HypothesisTests:
    """Return the tests that the arguments of a call ask for; models are called by their names."""
    versus = settings["versus"]
    section = section_of_tests({name: name for name in models}, settings, **keys)
    section.pop("versus", None)
    tests = validated(HypothesisTests, section, ("tests",))
    # in YAML `versus` is the id of a model; in a call it is any name
    return tests.model_copy(update={"versus": versus})


def section_of_tests(
    ids: Mapping[str, str], settings: Mapping[str, Any], noun: str = "model", **keys: Any
) -> dict[str, Any]:
    """Return the section `tests:` of an experiment from the arguments of a call."""
    versus = settings["versus"]
    if versus is not None and versus not in ids:
        raise UserError(f"versus: {unknown(noun, versus, ids)}")
    section = {
        "run": list(settings["tests"]) or None,
        "correction": settings["correction"],
        "alpha": settings["alpha"],
        "options": dict(settings["options"] or {}) or None,
    }
    if versus is not None:
        section["versus"] = ids[versus]
    if settings["alternative"] != "two-sided":
        section["alternative"] = settings["alternative"]
    return without_none(section | keys)


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the keys without a value."""
    return {key: value for key, value in values.items() if value is not None}


def given_experiment(tests: Mapping[str, Any], **sections: Any) -> Experiment:
    """Make the experiment of results from elsewhere."""
    settings = validated(HypothesisTests, tests, ("tests",))
    return validated(Experiment, {"experiment": "compare", "tests": settings, **sections})


def check_label(label: str, *place: str) -> None:
    """Refuse a name of a model or a data set that is no line of text."""
    try:
        validated(GivenData, {"source": "given", "label": label})
    except UserError as error:
        raise Problem(place, error.problems[0].message) from None


def planned_tests(analysis: Analysis) -> AnalysisPlan:
    """Plan the tests of an analysis, or raise all problems."""
    problems, planned = plan_tests(analysis)
    if problems:
        raise report_problems(problems)
    return planned


def given_study(
    analysis: Analysis,
    planned: AnalysisPlan,
    evidence: Mapping[str, Any],
    scores: pd.DataFrame,
    command: str,
    **facts: Any,
) -> Study:
    """Run the planned tests on scores from elsewhere, and make the study for the report."""
    # a card describes rows, of which given scores have none
    no_truth = np.array([], dtype=np.intp)
    cards = {}
    for name, data in analysis.datasets.items():
        cards[name] = given_card(name, data.label, {}, Target(()), no_truth)
    comparisons = run_all(planned, analysis, evidence)
    study = Study(analysis, comparisons, scores, cards=cards, planned=planned, **facts)
    return made_by(study, command)


def run_all(
    planned: AnalysisPlan, analysis: Analysis, evidence: Mapping[str, Any]
) -> tuple[Comparison, ...]:
    """Run the planned tests."""
    comparisons: list[Comparison] = []
    for test in planned:
        comparisons += run_planned(test, analysis, evidence)
    return tuple(merged(comparisons))


def made_by(study: Study, command: str) -> Study:
    """Add to a study, for its page, the command that made it and the versions."""
    versions = dict(environment(study.analysis))
    for name in _OF_FITS:
        versions.pop(name, None)
    return dataclasses.replace(study, environment=versions, command=command)


def build_study(
    observations: Observations,
    measured: Measured,
    columns: Mapping[str, str],
    settings: Mapping[str, Any],
    command: str,
) -> Study:
    """Run the tests of these predictions of one test set; `columns` relate rows, by role."""
    observations.check_answers()
    analysis = _with_options(_analysis(observations, measured, columns, settings), settings)
    planned = planned_tests(analysis)
    problems = list(check_classes(analysis, ROWS, observations.classes))
    if problems:
        raise report_problems(problems)
    rows = PairedPredictions.from_observations(observations).of_tasks(analysis)
    evidence = {ROWS: rows}
    test_sets: dict[str, PairedPredictions] = {}
    numbers: dict[str, PairedPredictions] = {}
    if rows.by_values:
        numbers = evidence
    else:
        test_sets = evidence
    study = Study(
        analysis,
        run_all(planned, analysis, evidence),
        pd.DataFrame(over_seeds(_scores(observations, analysis, rows))),
        cards={ROWS: _card(observations, measured, settings.get("files", ()))},
        test_sets=test_sets,
        numbers=numbers,
        planned=planned,
        intervals=score_intervals(analysis, evidence, analysis.metrics),
        subgroups=subgroup_table(analysis, evidence),
        notes={ROWS: observations.oddities},
        preparation=observations.remarks,
    )
    return made_by(study, command)


def _analysis(
    observations: Observations,
    measured: Measured,
    columns: Mapping[str, str],
    settings: Mapping[str, Any],
) -> Analysis:
    """Say what is compared: predictions, or numbers, of one test set."""
    costs = settings["costs"]
    if costs is not None:
        costs = validated(Costs, costs, ("costs",))
    metrics, described = _metrics(observations, measured, costs)
    _check_meaning(observations, settings["unit"], costs)
    brings = "values"
    if measured.kind is None:
        brings = "predictions"
    # tasks are compared in a table of their own
    subgroups = [name for name in observations.subgroups if name != columns.get("tasks")]
    models = {}
    for name in observations.models:
        seeds, deterministic = _training(observations, name, name in settings["deterministic"])
        models[name] = ComparedModel(
            label=name,
            seeds=seeds,
            deterministic=deterministic,
            brings=brings,
        )
    rows = ComparedData(
        label=observations.name,
        unit=settings["unit"],
        costs=costs,
        relation=_relation(measured, columns),
        subgroups=as_columns(subgroups),
    )
    # the recommended tests run; `_with_options` hands the options of the call on to them
    return Analysis(
        title="compare",
        task=observations.task,
        models=models,
        datasets={ROWS: rows},
        metrics=metrics,
        given_metrics=described,
        tests=tests_asked(
            observations.models,
            {**settings, "tests": (), "options": None},
            task_weights=settings.get("task_weights"),
        ),
        plans={"holdout": TEST_SET},
        rows_of_plans=frozenset(["holdout"]),
        with_values=measured.kind is not None,
        by_values=bool(described),
        tasks=columns.get("tasks"),
    )


def _metrics(
    observations: Observations, measured: Measured, costs: Costs | None
) -> tuple[tuple[str, ...], dict[str, GivenMetric]]:
    """Return all metrics, and those that describe the numbers per row."""
    described = measured.described
    if described:
        metrics = list(described)
    elif measured.kind is not None:
        # what is right and what is wrong was settled when the numbers were read
        metrics = [METRIC]
    else:
        metrics = list(dict.fromkeys(measured.metrics or (observations.task.metric,)))
        check_metrics(metrics, observations, costs)
        if not any(map(has_interval, metrics)):
            raise Problem(
                ("metrics",),
                f"no test compares models by {joined(metrics)}; add {observations.task.metric}",
            )
    if costs is not None and COST not in metrics:
        metrics.append(COST)
    return tuple(metrics), described


def _check_meaning(observations: Observations, unit: str | None, costs: Costs | None) -> None:
    """Refuse names that cannot be shown, and what means nothing for the task."""
    for name in observations.models:
        check_label(name)
    with blame("models"):
        refuse_same_names(observations.models)
    validated(
        GivenData, {"source": "given", "label": observations.name, "unit": unit}, ("datasets", ROWS)
    )
    if unit is not None and not observations.task.numbers:
        raise Problem(("unit",), "classes have no unit; `task: regression` compares numbers")
    if costs is not None and observations.task.numbers:
        text = "are of errors between classes: leave them out of a regression"
        raise Problem(("costs",), text)


def _training(observations: Observations, model: str, fixed: bool) -> tuple[int, bool | None]:
    """Return in how many runs a model was trained, and whether that has no random part."""
    runs = observations.models[model]
    problem = ""
    if observations.several_runs and len(runs) == 1 and not fixed:
        problem = (
            f"{model} has one training run and others have several, so nothing is known of its "
            "seeds: give further runs, or say that its training has no random part"
        )
    elif fixed and not all(map(runs[0].says_the_same, runs[1:])):
        problem = f"the {len(runs)} training runs of {model} differ: it has a random part"
    elif fixed and not observations.several_runs:
        problem = f"there are no training runs to compare {model} with"
    if problem:
        raise Problem(("deterministic",), problem)
    if fixed:  # one run of a deterministic model is as good as all
        return 1, True
    return len(runs), None


def _relation(measured: Measured, columns: Mapping[str, str]) -> Declared | None:
    """Return what relates the rows: their groups or items, else their times."""
    # of the runs of an item one value is left, where that is what is measured
    by_item = "runs" in columns and not measured.of_items
    if columns.get("groups"):
        return Declared("group", columns["groups"])
    if by_item:
        return Declared("group", "item")
    if "time" in columns:
        return Declared("time", columns["time"])
    return None


def _with_options(analysis: Analysis, settings: Mapping[str, Any]) -> Analysis:
    """Hand the options of the call on to the recommended tests that have them."""
    running = list(dict.fromkeys(_running(analysis)))
    options: dict[str, dict[str, Any]] = {}
    if settings["independent_rows"]:
        for name in running:
            if catalogue()[name].can_take_rows_for_independent:
                options[name] = {INDEPENDENT: True}
        if not options:
            raise UserError(
                f"{INDEPENDENT}: none of the tests has a form for them ({', '.join(running)})"
            )
    if settings["variant"] is not None:
        if "mcnemar" not in running:
            raise UserError(
                f"variant: it is of McNemar's test, which compares by {METRIC}: leave it out"
            )
        for name, chosen in _variants(settings["variant"], running).items():
            options.setdefault(name, {}).update(chosen)
    tests = analysis.tests.model_copy(update={"options": options})
    return dataclasses.replace(analysis, tests=tests)


def _running(analysis: Analysis) -> Iterator[str]:
    """Name the recommended tests, and those that follow them."""
    for test in recommended(analysis):
        yield test.name
        posthoc = test.posthoc or catalogue()[test.name].posthoc
        if posthoc:
            yield posthoc


def _variants(variant: str, tests: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the options of McNemar's test and of Cochran's that ask for a form of them."""
    options = {}
    for name in tests:
        if name in ("mcnemar", "cochran_q"):
            forms = choices_of(allowed_options(catalogue()[name])["variant"][0])
            if variant in forms:
                options[name] = {"variant": variant}
    if not options:
        # a form that neither has is refused as one of McNemar's test
        options["mcnemar"] = {"variant": variant}
    return options


def _card(observations: Observations, measured: Measured, files: Sequence[str]) -> dict[str, Any]:
    """Describe the rows."""
    target = observations.target
    truth = observations.truth
    # counts and numbers per row have no answers
    if not observations.in_order or measured.kind is not None:
        target = Target(())
        # -1 is the code of no class
        truth = np.full(len(truth), -1)
    card = given_card(
        ROWS, observations.name, {ROWS: files}, target, truth, len(observations.left_out)
    )
    return card | {"group_columns": observations.like_groups, "cautions": observations.cautions}


def _scores(
    observations: Observations, analysis: Analysis, rows: PairedPredictions
) -> Iterator[dict[str, Any]]:
    """Score each training run of each model; of rows of several tasks in the mean over tasks."""
    ids = np.arange(len(observations.truth))
    # a metric without a value in some task is refused here
    over_tasks = means_over_tasks(rows, analysis, analysis.datasets[ROWS].costs, defined=True)
    costs = analysis.datasets[ROWS].costs
    for model, runs in observations.models.items():
        for seed, run in enumerate(runs, start=1):
            predictions = Predictions(
                row_id=ids,
                y_true=observations.truth,
                y_pred=run.answers,
                classes=observations.classes,
                probabilities=run.probabilities,
                decision=None,
                facts={},
            )
            for metric in analysis.metrics:
                if run.values is not None:
                    value = float(run.values_by(metric).mean())
                    reason = ""
                else:
                    value, reason = score(METRICS[metric], predictions, costs)
                value = over_tasks.get((run_name(model, seed), metric), value)
                line = {"model": model, "n_test": len(ids), "metric": metric}
                yield HOLDOUT | line | {"value": value, "undefined": reason}
