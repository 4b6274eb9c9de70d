"""The settings of one test: what an experiment may say of it, its defaults, and what it refuses.

How the rows of the data sets hang together and how often models are trained decide which form of a
test runs: one that takes rows for independent gives way to its form for groups or for time wherever
a data set declares one. `independent_rows: true` among its options keeps it, and every result says
so.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from bakeoff.comparisons.analysis import Analysis
from bakeoff.errors import Place, Problem, listed, unknown
from bakeoff.scores import METRICS, Metric
from bakeoff.spec import AnalysisPlan, HypothesisTests, PlannedTest
from bakeoff.spec.tests import RETIRED_CORRECTIONS, Correction
from bakeoff.stats import RETIRED, ArgumentError, Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats.core.arguments import Level, Relation, check_argument, choices_of, descriptions
from bakeoff.stats.core.max_t import MAX_T
from bakeoff.stats.core.pairs import check_correction as check_family
from bakeoff.stats.core.pairs import pairs_of as all_pairs
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.datasets.sign_flips import MOST_FLIPPED, SIGN_FLIPS, can_be_flipped
from bakeoff.stats.metrics.metric import Form

_MANAGED = {
    "confidence_level": "`alpha` and the correction",
    "control": "`versus`",
    **dict.fromkeys(
        ("groups", "time", "positive"), "`groups:` of the data set, or its `time:` or `positive:`"
    ),
    **dict.fromkeys(("cost", "classes", "priors"), "`costs:`"),
    **dict.fromkeys(("metric", "criteria"), "`metrics`"),
    **dict.fromkeys(("greater_is_better", "labels"), "the metric and its data"),
    **dict.fromkeys(("n_train", "n_test", "row_counts", "allow_two_models"), "the evidence"),
    "seed": "`seed:`",
    "tasks": "`columns: {tasks: …}`",
    "weights": "`task_weights`",
    "full_repeats": "the plan `halves`",
}
"""Parameters of the tests' functions that no experiment sets, and what they follow from."""
INDEPENDENT = "independent_rows"
"""The option that takes rows with groups or times for independent."""
SHARED = ("alternative", "rope", "margin")
"""Parameters that `tests:` may set for all tests that have them."""
BY_FLIPS = ("sign_test", "wilcoxon_log_ratios", "wilcoxon_signed_rank")
"""Tests whose pairs of models can be adjusted by flips of all signs of a data set together."""
IN_UNIT = ("mu0", "margin", "rope")
"""Parameters in the unit of a metric: what is right for one metric is wrong for another."""

# --- metrics, as tests know them

FIXED_METRICS = {metric.reads: metric.name for metric in reversed(METRICS.values()) if metric.reads}
"""The metric that a test is about, by what it reads."""


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those that are computed from these do."""
    measure = _computed(metric)
    return measure is not None and measure.interval


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    measure = _computed(metric)
    return measure is not None and measure.smooth


def has_row_values(metric: str, *, means: bool) -> bool:
    """Tell whether each row of predicted numbers adds a number of its own to a metric."""
    measure = _computed(metric)
    if measure is None or measure.form is not Form.ROWS:
        return False
    return measure.mean_of_rows or not means


def _computed(metric: str) -> Metric | None:
    measure = METRICS.get(metric)
    if measure is None or not measure.computed:
        return None
    return measure


# --- which form of a test runs


def deterministic(analysis: Analysis) -> frozenset[str]:
    """Name the models whose training has no random part: one run is all there is of them."""
    names = set()
    for name, model in analysis.models.items():
        if model.deterministic:
            names.add(name)
    for name, learner in analysis.fitted.items():
        model = analysis.models[name]
        # of a model that is fitted here once, its estimator tells
        if model.deterministic is None and model.seeds == 1:
            from bakeoff.fit.estimator import draws_nothing  # estimators: slow to import

            if draws_nothing(learner):
                names.add(name)
    return frozenset(names)


def form_of(entry: Entry, analysis: Analysis) -> tuple[Entry, str]:
    """Return the test that runs where `entry` is wanted, and in which form for related rows."""
    independent = analysis.tests.options.get(entry.name, {}).get(INDEPENDENT) is True
    if not analysis.related or independent:
        return entry, ""
    runs = entry
    if entry.evidence.on_rows and entry.knows_no_relation and entry.better_test:
        runs = catalogue()[entry.better_test]
    if runs.in_time and analysis.in_time:
        runs = catalogue()[runs.in_time]
    if runs is not entry:
        form = f"in place of {entry.name}, which takes rows for independent"
    elif entry.variants is not None:
        form = "in its form for groups of rows"
    else:
        return entry, ""
    dataset, relation = next(iter(analysis.related.items()))
    rows = "rows that follow each other"
    if relation.kind == "group":
        rows = f"rows of one `{relation.column}`"
    return runs, f"{form}: {rows} of {dataset} may be alike"


# --- what a test is, as far as settings go


def with_keys(values: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return the values under some keys, those of the parameters of a test for instance."""
    return {key: values[key] for key in keys if key in values}


def corrects(entry: Entry) -> bool:
    """Tell whether a test's family is adjusted by a correction that the experiment may choose."""
    if entry.arity in (Arity.PAIR, Arity.ONE):
        return entry.type1 is not TypeOneError.BAYESIAN
    return entry.arity is Arity.ALL_PAIRS and "correction" in entry.options


def compares_pairs(entry: Entry) -> bool:
    """Tell whether a test is about pairs of models."""
    return entry.arity in (Arity.PAIR, Arity.ALL_PAIRS)


def takes_control(entry: Entry) -> bool:
    """Tell whether a test can compare one model with each other instead of all pairs."""
    return entry.arity is Arity.PAIR or "control" in entry.options


def pairs_of(models: Sequence[str], versus: str | None) -> list[tuple[int, int]]:
    """List all pairs (0, 1), (0, 2), ..., or the control, as A, against each other model."""
    control = None
    if versus is not None and versus in models:
        control = list(models).index(versus)
    return all_pairs(len(models), control)


# --- its settings


def planned(
    entry: Entry,
    settings: HypothesisTests,
    models: int = 3,
    *,
    related: bool = False,
    units: int = 0,
) -> PlannedTest:
    """Return a test with its settings, every default filled in; its evidence is still open.

    `units` are the data sets, or groups of them, that tests over data sets count.
    """
    chosen = settings.options.get(entry.name, {})
    options = _options_of_function(entry, settings)
    versus = chosen.get("versus", settings.versus)
    independent = chosen.get(INDEPENDENT) is True
    related = related and not independent
    correction = None
    if corrects(entry):
        wanted = chosen.get("correction") or settings.correction
        if not wanted and _jointly(entry) and options.keys() <= entry.family_options:
            wanted = MAX_T
        if not wanted:
            wanted = _default_correction(entry, models, units, versus)
        correction = correction_among(entry, wanted, models, related)
    if not compares_pairs(entry):
        versus = None
    posthoc = None
    if entry.posthoc:
        posthoc = planned(
            catalogue()[entry.posthoc], settings, models, related=related, units=units
        )
        posthoc = dataclasses.replace(
            posthoc,
            why=f"the post hoc test of {entry.name}",
            independent_rows=independent or posthoc.independent_rows,
        )
    return PlannedTest(
        name=entry.name,
        evidence=entry.evidence.value,
        alpha=chosen.get("alpha", settings.alpha),
        correction=correction,
        versus=versus,
        simultaneous=chosen.get("simultaneous", True),
        independent_rows=independent,
        related=related,
        options=options,
        posthoc=posthoc,
    )


def _options_of_function(entry: Entry, settings: HypothesisTests) -> dict[str, Any]:
    """Return what is set of the parameters of a test's function, for all tests or by its name."""
    options = {}
    for key in SHARED:
        value = getattr(settings, key)
        if key in entry.options and value is not None:
            options[key] = value
    of_family = {"alpha", "simultaneous"}
    if corrects(entry):
        of_family.add("correction")
    for key, value in settings.options.get(entry.name, {}).items():
        if key in entry.all_options and key not in of_family:
            options[key] = value
    return options


def _jointly(entry: Entry) -> bool:
    """Tell whether a test adjusts all pairs by the largest statistic, if told nothing else."""
    parameter = inspect.signature(entry.all_pairs or entry.function).parameters.get("correction")
    return parameter is not None and parameter.default == MAX_T


def _default_correction(entry: Entry, models: int, units: int, versus: str | None) -> str:
    """Return the correction over few data sets, which needs no more of them for more models."""
    if entry.name not in BY_FLIPS or models < 3:
        return ""
    pairs = models * (models - 1) // 2
    if versus is not None:
        pairs = models - 1
    if can_be_flipped(units, pairs):
        return SIGN_FLIPS
    return ""


def correction_among(entry: Entry, correction: str, models: int, related: bool) -> str:
    """Return how the pairs of so many models are adjusted: of two models there is no maximum."""
    single_pair = models < 3 and entry.arity is not Arity.ALL_PAIRS
    of_maximum = correction == MAX_T and _jointly(entry)
    if correction and not (single_pair and (of_maximum or correction == SIGN_FLIPS)):
        return correction
    if entry.evidence is Evidence.DATASETS:
        return "holm"
    # By Bonferroni's correction an interval excludes 0 exactly where the pair is decided. Holm's
    # decides more pairs, but has no such intervals.
    has_one_form = entry.variants is None and not {"groups", "time"}.isdisjoint(entry.options)
    if entry.evidence.on_rows and (related or has_one_form):
        return "holm"
    return "bonferroni"


def check_correction(test: PlannedTest, correction: str) -> None:
    """Refuse a correction that does not hold for a test's family."""
    entry = catalogue()[test.name]
    pair_by_pair = not _jointly(entry) or test.options.keys() - entry.family_options
    if correction == MAX_T and pair_by_pair:
        raise ArgumentError(
            "correction",
            "'max-t' is for all pairs of metric_difference and of mean_difference, without "
            f"options of a single pair, {entry.name} tests each pair by itself; use 'holm'",
        )
    if correction == SIGN_FLIPS and entry.name not in BY_FLIPS:
        raise ArgumentError(
            "correction",
            f"'sign-flips' is for {listed(BY_FLIPS, 'and')}, found {entry.name}; use 'holm'",
        )
    if correction != "shaffer":
        return
    if entry.arity is Arity.ONE or "margin" in entry.options:
        raise ArgumentError(
            "correction",
            f"{correction!r} counts which pairs of models can be equal at once, "
            f"{entry.name} tests another hypothesis; use 'holm'",
        )
    # which model is the control does not matter: Shaffer's method has none
    control = None
    if test.versus is not None:
        control = 0
    check_family(correction, control, test.alternative)


# --- the options that an experiment may set


_SHARED: dict[str, tuple[Any, str]] = {
    "alpha": (Level, "Its own significance level."),
    "correction": (Correction, "How the p-values of its family are adjusted."),
    "independent_rows": (
        bool,
        "true: take the rows of a data set with `groups:` or `time:` for independent all the same; "
        "without it the form of the test for such rows runs.",
    ),
    "metrics": (
        list[str],
        "Which of the experiment's metrics it is run on; default: all, or the first for tests with "
        "a value in the metric's unit (margin, rope, mu0).",
    ),
    "plan": (str, "The resampling plan that feeds it."),
    "simultaneous": (
        bool,
        "true, the default: the intervals of all pairs hold together; false: each by itself.",
    ),
    "versus": (
        str | None,
        "A model: only it is compared with each other one; null: all pairs.",
    ),
}
"""Options that are no parameters of a test's function, or mean more than these."""


def allowed_options(entry: Entry) -> dict[str, tuple[Any, str]]:
    """Map what an experiment may say of one test to its type, and its description if shared."""
    options = {}
    for key, parameter in entry.all_options.items():
        if key not in _MANAGED:
            options[key] = (parameter.annotation, "")
    own = options.keys() - {"correction"}
    correcting = corrects(entry)
    takes = {
        "alpha": True,
        "correction": correcting,
        "independent_rows": entry.can_take_rows_for_independent,
        "metrics": entry.reads not in FIXED_METRICS,
        "plan": len(entry.plans) > 1,
        "simultaneous": correcting and entry.arity is Arity.PAIR,
        "versus": compares_pairs(entry),  # null, where the other tests have a control
    }
    for key, shared in _SHARED.items():
        if takes[key] or key in own:
            options[key] = shared
    return dict(sorted(options.items()))


def option_schemas(entry: Entry) -> dict[str, dict[str, Any]]:
    """Describe what an experiment may say of a test, as JSON schemas by option."""
    described = descriptions(entry.function)
    schemas = {}
    for name, (kind, shared) in allowed_options(entry).items():
        option = entry.all_options.get(name)
        schema: dict[str, Any] = {"description": shared or described.get(name, "")}
        try:
            schema |= TypeAdapter(kind).json_schema()
        except PydanticSchemaGenerationError:  # an array
            schema |= TypeAdapter(Any).json_schema()
        if option and not shared and option.default not in (inspect.Parameter.empty, None):
            schema["default"] = option.default
        if name == "plan":
            schema["enum"] = list(entry.plans)
        schemas[name] = schema
    return schemas


# --- what is wrong with the options that are set


def check_options(analysis: Analysis, plan: AnalysisPlan) -> Iterator[Problem]:
    """Check the options of all tests that run, post hoc tests included."""
    for test in plan.by_name.values():
        entry = catalogue()[test.name]
        wrong = list(_wrong_options(entry, analysis))
        if wrong:
            yield from wrong
            continue
        try:
            _check_together(entry, test, analysis)
        except ValueError as error:
            yield _placed(error, entry, analysis)


def _placed(error: ValueError, entry: Entry, analysis: Analysis) -> Problem:
    """Name the option that an error is about: of one test, or of all."""
    place = ("tests", "options", entry.name)
    keys = set(entry.options) | {"correction", "alpha", "versus"}
    if not isinstance(error, ArgumentError) or error.argument not in keys:
        return Problem(place, str(error))
    key = error.argument
    # an option that the test does not set itself was set for all tests
    if hasattr(analysis.tests, key) and key not in analysis.tests.options.get(entry.name, {}):
        return Problem(("tests", key), f"{entry.name}: {error.message}")
    return Problem((*place, key), error.message)


def _wrong_options(entry: Entry, analysis: Analysis) -> Iterator[Problem]:
    """Look at each option of a test by itself."""
    place = ("tests", "options", entry.name)
    chosen = analysis.tests.options.get(entry.name, {})
    allowed = allowed_options(entry)
    for key, value in chosen.items():
        wrong = _wrong_option(entry, key, value, allowed)
        if wrong:
            yield Problem((*place, key), wrong)
    for key, option in entry.options.items():
        if option.default is not inspect.Parameter.empty or key in _MANAGED:
            continue
        shared = key in SHARED
        if key in chosen or (shared and getattr(analysis.tests, key) is not None):
            continue
        at: Place = (*place, key)
        if shared:
            at = ("tests", key)
        yield Problem(at, f"{entry.name} needs it, and no value is right for all data")


def _wrong_option(
    entry: Entry, key: str, value: Any, allowed: Mapping[str, tuple[Any, str]]
) -> str:
    """Say what is wrong with one option; empty where nothing is."""
    if key in _MANAGED and key in entry.options:
        return f"is not set here: it follows from {_MANAGED[key]}"
    if key == "metrics" and key not in allowed:
        return f"{entry.name} is about {FIXED_METRICS[entry.reads]} and no other metric"
    if key not in allowed:
        return RETIRED.get(f"{entry.name}.{key}") or unknown("option", key, allowed)
    if key in ("metrics", "plan", "versus"):  # these are checked with the plan
        return ""
    kind, _ = allowed[key]
    try:
        check_argument(value, key, kind)
    except ArgumentError as error:
        return _wrong_value(key, value, choices_of(kind), error.message)
    return ""


def _wrong_value(key: str, value: Any, choices: Sequence[Any], message: str) -> str:
    """Say which values an option can have, where these are names."""
    if key == "correction" and str(value) in RETIRED_CORRECTIONS:
        return RETIRED_CORRECTIONS[str(value)]
    if value is None or not choices:
        return message
    noun = "value"
    if key == "correction":
        noun = "correction"
    return unknown(noun, value, choices)


def _check_together(entry: Entry, test: PlannedTest, analysis: Analysis) -> None:
    """Check that options fit each other, the correction, the metrics and what relates the rows."""
    for key in ("margin", "rope"):
        if isinstance(test.options.get(key), int | float):
            _check_width(key, test, analysis)
    check_correction(test, test.correction or "none")
    units = len(analysis.tests.units(analysis.datasets))
    if test.correction == SIGN_FLIPS and units > MOST_FLIPPED:
        raise ArgumentError(
            "correction",
            f"'sign-flips' is for up to {MOST_FLIPPED} data sets, found {units}: use 'holm'",
        )
    _check_level(entry, test, list(analysis.models))
    # Data sets may differ: the options must fit the form of the test for independent rows, that
    # for rows in groups, or both.
    related = analysis.related
    if entry.variants is None or test.independent_rows:
        related = {}
    relations: list[Relation] = []
    if len(related) < len(analysis.datasets):
        relations.append("independent")
    if related:
        relations.append("groups")
    for relation in relations:
        for option, forms in (("variant", entry.variants), ("ci_method", entry.intervals)):
            if forms is not None:
                forms.choose(test.options.get(option), relation, option)
        if entry.check_options is not None:
            entry.check_options(
                test.options, relation, len(analysis.models), len(analysis.datasets)
            )


def _check_width(key: str, test: PlannedTest, analysis: Analysis) -> None:
    """Refuse a margin that no difference of a metric could exceed."""
    size = test.options[key]
    for name in test.metrics:
        low, high = analysis.measures[name].range
        if size >= high - low:
            raise ArgumentError(
                key,
                f"found {size:g}, must be below {high - low:g}: {name} lies between {low:g} "
                f"and {high:g}, so that no difference could exceed it",
            )


def _check_level(entry: Entry, test: PlannedTest, models: Sequence[str]) -> None:
    """Refuse a level at which a test, or its intervals, cannot be computed."""
    level = 1 - test.alpha
    correction = test.correction or "none"
    # The intervals of m hypotheses hold together at a level nearer to 1, by Bonferroni's method
    # 1 − α/m. Those of a largest statistic have a quantile of their own and keep the level.
    of_family = entry.arity in (Arity.PAIR, Arity.ONE) and test.simultaneous
    if of_family and correction not in (MAX_T, SIGN_FLIPS) and level < 1:
        hypotheses = len(models)
        if compares_pairs(entry):
            hypotheses = len(pairs_of(models, test.versus))
        level = simultaneous_level(level, hypotheses, correction)
    if "alpha" in entry.options:
        check_argument(1 - level, "alpha", entry.options["alpha"].annotation)
    if level >= 1:
        raise ArgumentError(
            "alpha",
            f"found {test.alpha:g}: the level of an interval, 1 − alpha after the correction, is 1 "
            "in floating point; use a larger one",
        )
    if "confidence_level" in entry.options and level < 0.5 and test.alternative != "two-sided":
        raise ArgumentError(
            "alpha",
            f"found {test.alpha:g}, must be 0.5 at most: a one-sided interval has the level 1 − "
            f"alpha, here {level:.3g}, and below 0.5 its limit passes the estimate",
        )
