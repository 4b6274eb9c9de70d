"""From the arguments of a call to the study of an experiment of them, and to plain data."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from inspect import getdoc, signature
from textwrap import wrap
from typing import Any, Literal, NamedTuple, ParamSpec, TypedDict, TypeVar, cast

import numpy as np
import pandas as pd
import pyarrow as pa

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
from bakeoff.errors import Problem, UserError, Verbatim, joined, named, shown, unknown
from bakeoff.fit.predictions import Predictions
from bakeoff.keys import refuse_same_names
from bakeoff.options import ALIASES, OPTIONS, Interface, InterfaceKind, setting, used_by
from bakeoff.report.baseline import baselines
from bakeoff.report.exhibits.flips import flips_of
from bakeoff.report.read import environment
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict
from bakeoff.report.verdict_data import verdict_data
from bakeoff.scores import METRICS, score
from bakeoff.scores.collect import over_seeds
from bakeoff.scores.metrics import Need, check_metrics
from bakeoff.scores.own_metrics import taken_by_path
from bakeoff.sources.common.base import as_columns, blame
from bakeoff.sources.common.identifiers import to_frame, with_own_types
from bakeoff.spec import AnalysisPlan, Costs, Experiment, HypothesisTests
from bakeoff.spec.experiment import Task, run_name
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import (
    GivenMetric,
    Kind,
    OwnMetric,
    PassingRuns,
    passing_of,
    passing_runs,
    standard_name,
)
from bakeoff.spec.related import Declared
from bakeoff.spec.resampling import Holdout
from bakeoff.stats import ArgumentError, catalogue, plain
from bakeoff.stats.core.arguments import choices_of

P = ParamSpec("P")
R = TypeVar("R")
KINDS: Mapping[str, Kind] = {
    "higher": GivenMetric.model_validate({"name": "value", "greater_is_better": True}),
    "lower": GivenMetric.model_validate({"name": "value", "greater_is_better": False}),
    "right": "accuracy",
    "wrong": "error",
}
"""Kinds of numbers per row: the direction that is better, or the meaning of 1."""
MOST_FLIPS = 1_000
"""Rows on which models differ that JSON has; their table has all."""
_OF_LABELS = ("truth", "predicted", "classes", "positive", "costs", "task", "unit", "variant")


class Measured(NamedTuple):
    """By what models are compared: a kind of numbers per row, or metrics of predictions."""

    kind: Kind | None = None
    metrics: tuple[str, ...] = ()
    own_metrics: Mapping[str, OwnMetric] = {}
    """Which of the metrics are the user's."""
    numbers: bool | None = None
    """Whether numbers are predicted; None where neither the task nor the metrics say so."""

    @property
    def of_items(self) -> bool:
        """Whether of all runs of an item one value is left."""
        return isinstance(self.kind, PassingRuns)

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics, or what the numbers per row are called."""
        return tuple(self.described) or self.metrics

    @property
    def described(self) -> dict[str, GivenMetric]:
        """The metrics of numbers per row, by name."""
        if isinstance(self.kind, PassingRuns):
            return {metric.name: metric for metric in self.kind.metrics}
        if isinstance(self.kind, GivenMetric):
            return {self.kind.name: self.kind}
        return {}


def measured_by(options: Mapping[str, Any]) -> Measured:
    """Tell by what models are compared: numbers per row have no metrics but pass@k and pass^k."""
    values = options["values"]
    kind = KINDS.get(values or "")
    if values is not None and kind is None:
        raise UserError(f"values: {unknown('kind of numbers', values, KINDS)}")
    names = _metrics_named(options["metrics"])
    if values == "right" and names == ("accuracy",):  # which marks of right rows are compared by
        names = ()
    passing = _passing(names)
    if passing is not None:
        if not isinstance(kind, str):
            raise UserError(
                f"metrics: {passing.metrics[0].label} is about runs that are right or wrong; "
                f"{setting('values', 'right')} says that 1 is right"
            )
        kind = passing.marked(kind)
        names = ()
    if values is not None:
        _refuse_options_of_labels(options, names)
    names, own_metrics = taken_by_path(names)
    return Measured(kind, names, own_metrics, numbers_wanted(options.get("task"), names))


def _metrics_named(metrics: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the metrics that are asked for, by bakeoff's names."""
    if metrics is None:
        return ()
    if isinstance(metrics, str):
        return (standard_name(metrics),)
    return tuple(map(standard_name, metrics))


def _passing(names: Sequence[str]) -> PassingRuns | None:
    """Return what is asked of the runs of items; None where nothing is."""
    for name in names:
        if name.startswith(("pass@", "pass^")) and passing_of(name) is None:
            raise UserError(f"metrics: found {shown(name)}, expected a number like pass@5")
    try:
        return passing_runs(names)
    except ValueError as error:
        raise UserError(f"metrics: {error}") from None


def _refuse_options_of_labels(options: Mapping[str, Any], metrics: Sequence[str]) -> None:
    """Refuse options of labels, which numbers per row have not."""
    of_labels = {key: options.get(key) for key in _OF_LABELS}
    if options["values"] not in ("higher", "lower"):
        of_labels.pop("variant")  # right and wrong rows are compared by McNemar's test
    of_labels["metrics"] = metrics
    for key, value in of_labels.items():
        empty = isinstance(value, Sequence) and not len(value)
        if value is not None and not empty:
            raise UserError(f"{key}: is for predictions, not for numbers per row (values)")


def numbers_wanted(task: str | None, metrics: Sequence[str]) -> bool | None:
    """Tell whether numbers are compared; None where neither the task nor the metrics say so."""
    if task is not None:
        if task not in list(Task):
            raise UserError(f"task: {unknown('task', task, Task)}")
        return Task(task).numbers
    needs = {METRICS[name].needs for name in metrics if name in METRICS}
    if not needs:
        return None
    return Need.NUMBERS in needs


_KEYS = ("missing_cells", "resampling", "target")
"""What messages name beside arguments."""
SPELLINGS = {**ALIASES, "scoring": "metrics", "plan": "cv"}
"""Names of arguments by which people ask for others."""
_RAISES = """\
Raises
------
UserError
    On a mistake. The message names the argument, what was found and what is allowed.

"""


class TestSettings(TypedDict, total=False):
    """What few need of the tests of algorithms, on folds and on tables of scores."""

    metric: str | Sequence[str]
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, object]] | None
    name: str


class FoldSettings(TestSettings, total=False):
    """What few need of the tests on folds."""

    scoring: str | Sequence[str]
    unit: str | None


@contextmanager
def in_arguments(names: Collection[str]) -> Iterator[None]:
    """Report a mistake under the argument, or option, that it came from."""
    try:
        yield
    except UserError as error:
        raise named(error, names) from None
    except ArgumentError as error:
        raise UserError(f"{error.argument}: {error.message}") from None


def takes(settings: type, **defaults: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the settings of a dictionary's type by name, and explain them."""
    names = [name for name in settings.__annotations__ if name not in SPELLINGS]
    defaults = {name: OPTIONS[name].default for name in names} | defaults

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        takes = _Signature.of(function, names)
        function.__doc__ = _explained(function, settings, takes)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> R:
            named = takes.checked(args, kwargs)
            interface = Interface(InterfaceKind.PYTHON, takes.arguments)
            with used_by(interface), in_arguments({*takes.arguments, *_KEYS}):
                return function(*args, **{**defaults, **named})

        return cast("Callable[P, R]", checked)

    return decorate


class _Signature(NamedTuple):
    """What a function takes."""

    function: str
    defined: Sequence[str]
    """Its own parameters."""
    settings: Sequence[str]
    """What it takes by the names of settings."""
    positional: Sequence[str]
    """The parameters that may be given without a name."""
    any_number: bool
    """Whether further arguments may be given without a name."""

    @classmethod
    def of(cls, function: Callable[..., Any], settings: Sequence[str]) -> _Signature:
        """Read the signature of a function."""
        defined = []
        positional = []
        any_number = False
        for parameter in signature(function).parameters.values():
            if parameter.kind is parameter.VAR_POSITIONAL:
                any_number = True
            elif parameter.kind is not parameter.VAR_KEYWORD:
                defined.append(parameter.name)
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(parameter.name)
        return cls(function.__name__, defined, settings, positional, any_number)

    @property
    def arguments(self) -> frozenset[str]:
        """All names of arguments."""
        return frozenset((*self.defined, *self.settings))

    def checked(self, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
        """Return the named arguments by their own names; refuse what the function does not take."""
        if len(args) > len(self.positional) and not self.any_number:
            raise UserError(
                f"{self.function}: found {len(args)} arguments without a name, expected "
                f"{joined(self.positional)}; several models stand by their names, "
                "{'old': …, 'new': …}"
            )
        arguments = dict(named)
        for name in named:
            own_name = name
            if name not in self.arguments:
                own_name = SPELLINGS.get(name, name)
            if own_name not in self.arguments:
                text = unknown("argument", name, [*self.defined, *self.settings])
                raise UserError(f"{self.function}: {text}")
            if own_name != name and own_name in arguments:
                raise UserError(
                    f"{name}, {own_name}: these are one argument by two names: give one of them"
                )
            arguments[own_name] = arguments.pop(name)
        return arguments


def _explained(function: Callable[..., Any], settings: type, takes: _Signature) -> str:
    """Return the docstring of a function with all arguments and what it raises."""
    before, returns, after = (getdoc(function) or "").partition("Returns\n-------\n")
    # of an argument that a docstring leaves out, the table of options tells
    heads = " ".join(re.findall(r"^(\w.*) : ", before, re.MULTILINE))
    lines = [before.rstrip()]
    for name, kind in function.__annotations__.items():
        if name in takes.defined and not re.search(rf"\b{name}\b", heads):
            lines += _described(name, kind)
    lines += ["", "Other Parameters", "----------------"]
    for name in takes.settings:
        lines += _described(name, settings.__annotations__[name].__forward_arg__)
    after = after.replace("Examples\n---", f"{_RAISES}Examples\n---")
    lines += ["", f"{returns}{after}"]
    return "\n".join(lines)


def _described(name: str, kind: str) -> list[str]:
    """Return the lines of a docstring on an option."""
    optional = ""
    if OPTIONS[name].default is None:
        optional = ", optional"
    text = wrap(OPTIONS[name].help, 92, initial_indent="    ", subsequent_indent="    ")
    return [f"{name} : {kind.removesuffix(' | None')}{optional}", *text]


def place_of(model: str) -> Verbatim:
    """Return what messages call the results of a model."""
    return Verbatim(f"results[{model!r}]")


def by_name(what: str, given: Any, expected: str) -> Mapping[Any, Any] | pd.DataFrame:
    """Return a mapping, or a frame of any library as one of pandas."""
    columns = as_pandas(given)
    if not isinstance(columns, Mapping | pd.DataFrame):
        raise UserError(f"{what}: found {type(columns).__name__}, expected {expected}")
    return columns


def as_pandas(given: Any) -> Any:
    """Return a frame or a column of any library as one of pandas, all else as it is."""
    if isinstance(given, pa.Table):
        given = to_frame(given)
    elif hasattr(given, "to_pandas"):
        given = given.to_pandas()
    if isinstance(given, pd.Series):
        column = with_own_types(given.to_frame("")).iloc[:, 0]
        column.name = given.name
        return column
    if isinstance(given, pd.DataFrame):
        return with_own_types(given)
    return given


# --- the experiment and its study

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
    models: Collection[str], settings: Mapping[str, Any], **more: Any
) -> HypothesisTests:
    """Return the tests that the arguments of a call ask for; models are called by their names."""
    versus = settings["versus"]
    section = section_of_tests({name: name for name in models}, settings, **more)
    section.pop("versus", None)
    tests = validated(HypothesisTests, section, ("tests",))
    # in YAML a model is called by its id, here by any name
    return tests.model_copy(update={"versus": versus})


def section_of_tests(
    ids: Mapping[str, str], settings: Mapping[str, Any], what: str = "model", **more: Any
) -> dict[str, Any]:
    """Return the section `tests:` of an experiment from the arguments of a call."""
    versus = settings["versus"]
    if versus is not None and versus not in ids:
        raise UserError(f"versus: {unknown(what, versus, ids)}")
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
    return without_none(section | more)


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the keys without a value."""
    return {key: value for key, value in values.items() if value is not None}


def given_experiment(tests: Mapping[str, Any], **sections: Any) -> Experiment:
    """Make the experiment of results from elsewhere."""
    settings = validated(HypothesisTests, tests, ("tests",))
    return validated(Experiment, {"experiment": "compare", "tests": settings, **sections})


def described_metric(name: str, greater_is_better: bool, **more: Any) -> GivenMetric:
    """Describe a metric that is none of ours, by a name that an experiment can have."""
    plain = re.sub(r"\W", "_", name)
    if not plain[:1].isalpha() or plain == "model":
        plain = f"metric_{plain}"
    keys = {"name": plain, "greater_is_better": greater_is_better, **more}
    return validated(GivenMetric, keys, ("metrics",))


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
    **more: Any,
) -> Study:
    """Run the planned tests on scores from elsewhere, and make the study for the report."""
    no_truth = np.array([], dtype=np.intp)
    cards = {}
    for name, data in analysis.datasets.items():
        cards[name] = given_card(name, data.label, {}, Target(()), no_truth)
    comparisons = run_all(planned, analysis, evidence)
    study = Study(analysis, comparisons, scores, cards=cards, planned=planned, **more)
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


# --- a study as plain data, for JSON


def names_of(study: Study) -> dict[str, str]:
    """Map the ids of models to their names: the user's, which are the ids in an experiment."""
    names = {"": ""}
    for key, model in study.analysis.models.items():
        names[key] = key
        if study.command and model.label:
            names[key] = model.label
    return names


def as_plain(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return verdict, mean scores and comparisons, models by their names."""
    names = names_of(study)
    content: dict[str, Any] = {
        "verdict": verdict_data(study, verdict),
        "models": _plain_means(study, names),
        "baseline": _plain_baselines(study, names),
        "comparisons": [_by_names(row.to_dict(), names) for row in study.comparisons],
    }
    if not study.subgroups.empty:
        lines = []
        for line in study.subgroups.to_dict("records"):
            plain_line = {str(key): plain(value) for key, value in line.items()}
            lines.append(_by_names(plain_line, names))
        content["subgroups"] = lines
    flips = flips_of(study)
    if flips is not None:
        rows = []
        for row in flips.first(MOST_FLIPS):
            rows.append({key: plain(value) for key, value in row.items()})
        content["flips"] = {"models": list(flips.models), "n": len(flips.whole), "rows": rows}
    return content


def _by_names(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a comparison with the names of its models."""
    return {**row, "model_a": names[row["model_a"]], "model_b": names[row["model_b"]]}


def _plain_means(study: Study, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the mean score of each model by each metric that has a mean."""
    means = study.scores.groupby(["model", "metric"])["value"].mean().to_dict()
    lines = []
    for model in study.models:
        line: dict[str, Any] = {"model": names[model]}
        for metric in study.analysis.metrics:
            if study.averages(metric) and (model, metric) in means:
                line[metric] = plain(means[model, metric])
        lines.append(line)
    return lines


def _plain_baselines(study: Study, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the baselines of all metrics, with how the models compare with them."""
    lines = []
    for metric in study.analysis.metrics:
        for baseline in baselines(study, metric):
            models = []
            for against in baseline.models:
                models.append({**plain(against._asdict()), "model": names[against.model]})
            lines.append({**plain(dataclasses.asdict(baseline)), "models": models})
    return lines
