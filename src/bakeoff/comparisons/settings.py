"""The settings of one test: what an experiment may say of it, its defaults, and what it refuses.

How the rows of the data sets hang together and how often models are trained decide which form of a
test runs: one that takes rows for independent gives way to its form for groups or for time wherever
a data set declares one. `independent_rows: true` among its options keeps it, and every result says
so.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from bakeoff.comparisons.analysis import Analysis
from bakeoff.errors import Problem, unknown
from bakeoff.scores import METRICS, Metric
from bakeoff.spec import AnalysisPlan, HypothesisTests, PlannedTest
from bakeoff.spec.tests import RETIRED_CORRECTIONS, Correction
from bakeoff.stats import RETIRED, ArgumentError, Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats.core.arguments import Level, Relation, check_argument, choices_of, descriptions
from bakeoff.stats.core.pairs import check_correction as check_family
from bakeoff.stats.core.pairs import pairs_of as all_pairs
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.metrics.family import MAX_T
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
    "full_repeats": "the plan `halves`",
}
"""Parameters of the tests' functions that no experiment sets, and what they follow from."""
INDEPENDENT = "independent_rows"
"""The option that takes rows with groups or times for independent."""
SHARED = ("alternative", "rope", "margin")
"""Parameters that `tests:` may set for all tests that have them."""
IN_UNIT = ("mu0", "margin", "rope")
"""Parameters in the unit of a metric: what is right for one metric is wrong for another."""

# --- metrics, as tests know them

FIXED_METRICS = {metric.reads: metric.name for metric in reversed(METRICS.values()) if metric.reads}
"""The metric that a test is about, by what it reads."""


def has_interval(metric: str) -> bool:
    """Tell whether a metric has intervals on rows: those that are computed from these do."""
    return (measure := _computed(metric)) is not None and measure.interval


def has_test(metric: str) -> bool:
    """Tell whether a metric has tests on rows: not those that jump when a row is left out."""
    return (measure := _computed(metric)) is not None and measure.smooth


def has_row_values(metric: str, *, means: bool) -> bool:
    """Tell whether each row of predicted numbers adds a number of its own to a metric."""
    measure = _computed(metric)
    if measure is None or measure.form is not Form.ROWS:
        return False
    return measure.mean_of_rows or not means


def _computed(metric: str) -> Metric | None:
    measure = METRICS.get(metric)
    return measure if measure is not None and measure.computed else None


# --- which form of a test runs


def deterministic(analysis: Analysis) -> frozenset[str]:
    """Name the models whose training has no random part: one run is all there is of them."""
    said = [name for name, model in analysis.models.items() if model.deterministic]
    # of a model that is fitted here once, its estimator tells
    silent = {}
    for name, learner in analysis.fitted.items():
        model = analysis.models[name]
        if model.deterministic is None and model.seeds == 1:
            silent[name] = learner
    if not silent:
        return frozenset(said)
    from bakeoff.fit.estimator import draws_nothing  # estimators: slow to import

    return frozenset([*said, *(name for name, one in silent.items() if draws_nothing(one))])


def form_of(entry: Entry, analysis: Analysis) -> tuple[Entry, str]:
    """Return the test that runs where `entry` is wanted, and in which form for related rows."""
    related, entries, runs = analysis.related, catalogue(), entry
    if not related or analysis.tests.options.get(entry.name, {}).get(INDEPENDENT) is True:
        return entry, ""
    if entry.evidence.on_rows and entry.knows_no_relation and entry.better_test:
        runs = entries[entry.better_test]
    if runs.in_time and analysis.in_time:
        runs = entries[runs.in_time]
    if runs is not entry:
        form = f"in place of {entry.name}, which takes rows for independent"
    elif entry.variants is not None:
        form = "in its form for groups of rows"
    else:
        return entry, ""
    dataset, kin = next(iter(related.items()))
    rows = f"rows of one `{kin.column}`" if kin.kind == "group" else "rows that follow each other"
    return runs, f"{form}: {rows} of {dataset} may be alike"


# --- what a test is, as far as settings go


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
    control = None if versus is None or versus not in models else list(models).index(versus)
    return all_pairs(len(models), control)


# --- its settings


def planned(
    entry: Entry, settings: HypothesisTests, models: int = 3, *, related: bool = False
) -> PlannedTest:
    """Return a test with its settings, every default filled in; its evidence is still open."""
    chosen, posthoc, correction = settings.options.get(entry.name, {}), None, None
    shared = {key: getattr(settings, key) for key in SHARED if key in entry.options}
    given = {key: value for key, value in shared.items() if value is not None} | chosen
    of_family = {"alpha", "simultaneous", *(["correction"] if corrects(entry) else [])}
    options = {k: v for k, v in given.items() if k in entry.all_options.keys() - of_family}
    independent = chosen.get(INDEPENDENT) is True
    related = related and not independent
    if corrects(entry):
        joint = _jointly(entry) and options.keys() <= entry.family_options
        wanted = chosen.get("correction") or settings.correction or (MAX_T if joint else "")
        correction = correction_among(entry, wanted, models, related)
    if entry.posthoc:
        posthoc = planned(catalogue()[entry.posthoc], settings, models, related=related)
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
        versus=chosen.get("versus", settings.versus) if compares_pairs(entry) else None,
        simultaneous=chosen.get("simultaneous", True),
        independent_rows=independent,
        related=related,
        options=options,
        posthoc=posthoc,
    )


def _jointly(entry: Entry) -> bool:
    """Tell whether a test adjusts all pairs by the largest statistic, if told nothing else."""
    parameter = inspect.signature(entry.all_pairs or entry.function).parameters.get("correction")
    return parameter is not None and parameter.default == MAX_T


def correction_among(entry: Entry, correction: str, models: int, related: bool) -> str:
    """Return how the pairs of so many models are adjusted: of two models there is no maximum."""
    alone = models < 3 and entry.arity is not Arity.ALL_PAIRS
    if correction and not (alone and correction == MAX_T and _jointly(entry)):
        return correction
    always = entry.variants is None and not {"groups", "time"}.isdisjoint(entry.options)
    on_related = entry.evidence.on_rows and (related or always)
    return "holm" if entry.evidence is Evidence.DATASETS or on_related else "bonferroni"


def check_correction(test: PlannedTest, correction: str) -> None:
    """Refuse a correction that does not hold for a test's family."""
    entry = catalogue()[test.name]
    alone = not _jointly(entry) or test.options.keys() - entry.family_options
    if correction == MAX_T and alone:
        raise ArgumentError(
            "correction",
            "'max-t' is for all pairs of metric_difference and of mean_difference, without "
            f"options of a single pair, {entry.name} tests each pair by itself; use 'holm'",
        )
    if correction != "shaffer":
        return
    if entry.arity is Arity.ONE or "margin" in entry.options:
        raise ArgumentError(
            "correction",
            f"{correction!r} counts which pairs of models can be equal at once, "
            f"{entry.name} tests another hypothesis; use 'holm'",
        )
    control = None if test.versus is None else 0
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
    options = {k: (p.annotation, "") for k, p in entry.all_options.items() if k not in _MANAGED}
    correcting, names = corrects(entry), options.keys() - {"correction"}
    takes = {
        "alpha": True,
        "correction": correcting,
        "independent_rows": entry.can_take_rows_for_independent,
        "metrics": entry.reads not in FIXED_METRICS,
        "plan": len(entry.plans) > 1,
        "simultaneous": correcting and entry.arity is Arity.PAIR,
        "versus": compares_pairs(entry),  # null, where the other tests have a control
    }
    options |= {name: _SHARED[name] for name in _SHARED if takes[name] or name in names}
    return dict(sorted(options.items()))


def option_schemas(entry: Entry) -> dict[str, dict[str, Any]]:
    """Describe what an experiment may say of a test, as JSON schemas by option."""
    described, schemas = descriptions(entry.function), {}
    for name, (kind, shared) in allowed_options(entry).items():
        option = entry.all_options.get(name)
        schema = {"description": shared or described.get(name, "")}
        try:
            schema |= TypeAdapter(kind).json_schema()
        except PydanticSchemaGenerationError:  # an array
            schema |= TypeAdapter(Any).json_schema()
        if option and not shared and option.default not in (inspect.Parameter.empty, None):
            schema["default"] = option.default
        schemas[name] = schema | ({"enum": list(entry.plans)} if name == "plan" else {})
    return schemas


def check_options(analysis: Analysis, plan: AnalysisPlan) -> Iterator[Problem]:
    """Check the options of all tests that run, post hoc tests included."""
    for test in plan.by_name.values():
        entry = catalogue()[test.name]
        if wrong := list(_wrong_options(entry, analysis)):
            yield from wrong
            continue
        tests, place = analysis.tests, ("tests", "options", entry.name)
        given = tests.options.get(entry.name, {})
        try:
            _check_together(entry, test, analysis)
        except ValueError as error:
            keys = (*entry.options, "correction", "alpha", "versus")
            if not isinstance(error, ArgumentError) or error.argument not in keys:
                yield Problem(place, str(error))
            elif hasattr(tests, key := error.argument) and key not in given:
                yield Problem(("tests", key), f"{entry.name}: {error.message}")
            else:
                yield Problem((*place, key), error.message)


def _wrong_options(entry: Entry, analysis: Analysis) -> Iterator[Problem]:
    """Look at each option of a test by itself."""
    chosen, allowed = analysis.tests.options.get(entry.name, {}), allowed_options(entry)
    for key, value in chosen.items():
        wrong = ""
        if key in _MANAGED and key in entry.options:
            wrong = f"is not set here: it follows from {_MANAGED[key]}"
        elif key == "metrics" and key not in allowed:
            wrong = f"{entry.name} is about {FIXED_METRICS[entry.reads]} and no other metric"
        elif key not in allowed:
            wrong = RETIRED.get(f"{entry.name}.{key}") or unknown("option", key, allowed)
        elif key not in ("metrics", "plan", "versus"):  # these are checked with the plan
            kind, _ = allowed[key]
            try:
                check_argument(value, key, kind)
            except ArgumentError as error:
                wrong = error.message
                if value is not None and (choices := choices_of(kind)):
                    what = "correction" if key == "correction" else "value"
                    wrong = unknown(what, value, choices)
                if key == "correction":
                    wrong = RETIRED_CORRECTIONS.get(str(value), wrong)
        if wrong:
            yield Problem(("tests", "options", entry.name, key), wrong)
    for key, option in entry.options.items():
        given = key in chosen or (key in SHARED and getattr(analysis.tests, key) is not None)
        if option.default is inspect.Parameter.empty and key not in _MANAGED and not given:
            at = ("tests",) if key in SHARED else ("tests", "options", entry.name)
            yield Problem((*at, key), f"{entry.name} needs it, and no value is right for all data")


def _check_together(entry: Entry, test: PlannedTest, analysis: Analysis) -> None:
    """Check that options fit each other, the correction, the metrics and what relates the rows."""
    models, metrics = list(analysis.models), analysis.measures
    for key in ("margin", "rope"):
        for name in test.metrics if isinstance(test.options.get(key), int | float) else ():
            size, (low, high) = test.options[key], metrics[name].range
            if size >= high - low:
                raise ArgumentError(
                    key,
                    f"found {size:g}, must be below {high - low:g}: {name} lies between {low:g} "
                    f"and {high:g}, so that no difference could exceed it",
                )
    correction, level = test.correction or "none", 1 - test.alpha
    check_correction(test, correction)
    of_family = entry.arity in (Arity.PAIR, Arity.ONE) and test.simultaneous
    if of_family and correction != MAX_T and level < 1:
        hypotheses = pairs_of(models, test.versus) if compares_pairs(entry) else models
        level = simultaneous_level(level, len(hypotheses), correction)
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
    of_rows = entry.variants is not None and not test.independent_rows
    kin = analysis.related if of_rows else {}
    relations: list[Relation] = ["groups"] if kin else []
    if len(kin) < len(analysis.datasets):
        relations.insert(0, "independent")
    for relation in relations:
        for option, forms in (("variant", entry.variants), ("ci_method", entry.intervals)):
            if forms is not None:
                forms.choose(test.options.get(option), relation, option)
        if entry.check_options is not None:
            entry.check_options(test.options, relation, len(models), len(analysis.datasets))
