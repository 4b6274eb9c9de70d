"""The settings of one test: what an experiment may say of it, its defaults, and what it refuses.

How the rows of the data sets hang together and how often models are trained decide which form of a
test runs: one that takes rows for independent gives way to its form for groups or for time wherever
a data set declares one. `independent_rows: true` among its options keeps it, and every result says
so.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError

from bakeoff.comparisons.evidence import FIXED_METRICS
from bakeoff.errors import Problem, unknown
from bakeoff.scores.metrics import metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, HypothesisTests, PlannedTest
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.models import Model
from bakeoff.spec.related import dependent
from bakeoff.spec.tests import Correction
from bakeoff.stats import RETIRED, ArgumentError, Arity, Entry, Evidence, TypeOneError, catalogue
from bakeoff.stats.core.arguments import Level, check_argument, check_of, choices_of
from bakeoff.stats.core.pairs import check_correction as check_family
from bakeoff.stats.core.pairs import pairs_of as all_pairs
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.core.registry import Relation
from bakeoff.stats.metrics.family import MAX_T

MANAGED = {
    "confidence_level": "it follows from `alpha` and the correction",
    "control": "name the model in `versus`",
    "greater_is_better": "the metric knows",
    "n_train": "the sizes of the splits are handed over",
    "n_test": "the sizes of the splits are handed over",
    "row_counts": "the rows are counted",
    "groups": "name the column in `groups:` of the data set",
    "time": "name the column in `time:` of the data set",
    "allow_two_models": "for two models use mcnemar",
    "cost": "give `costs:` at the top level, or under the data set",
    "classes": "give `costs:` at the top level, or under the data set",
    "priors": "give `priors` in `costs:`",
    "metric": "name the metrics in `metrics`",
    "labels": "the data set has its classes",
    "positive": "give `positive:` of the data set",
    "beta": "name the metric, such as f2",
    "k": "name the metric",
    "criteria": "name the metrics in `metrics`",
    "seed": "it is derived from the experiment's `seed`",
    "full_repeats": "it is that of the plan `halves`",
}
"""Parameters of the tests' functions that no experiment sets, and where their values come from."""
INDEPENDENT = "independent_rows"
"""The option that takes rows with groups or times for independent."""
SHARED = ("alternative", "rope", "margin")
"""Parameters that `tests:` may set for all tests that have them."""
IN_UNIT = ("mu0", "margin", "rope")
"""Parameters in the unit of a metric: what is right for one metric is wrong for another."""

# --- which form of a test runs


def deterministic(experiment: Experiment) -> frozenset[str]:
    """Name the models whose training has no random part: one run is all there is of them."""
    return frozenset(name for name, model in experiment.models.items() if _is_fixed(model))


def _is_fixed(model: Model | GivenModel) -> bool:
    if model.deterministic is not None or isinstance(model, GivenModel) or model.seeds > 1:
        return bool(model.deterministic)
    from bakeoff.fit.estimator import draws_nothing  # estimators: slow to import

    return draws_nothing(model)


def several_runs(experiment: Experiment) -> list[str]:
    """Name the models that are trained with several seeds."""
    return [name for name in experiment.models if experiment.seeds(name) > 1]


def in_time(experiment: Experiment) -> bool:
    """Tell whether the rows of every data set are in the order of time, and in no groups."""
    kinds = [kin.kind for kin in dependent(experiment).values()]
    return len(kinds) == len(experiment.datasets) and {*kinds} == {"time"}


def related(entry: Entry, experiment: Experiment) -> bool:
    """Tell whether a test takes account of what relates the rows of some data set."""
    independent = experiment.tests.of(entry.name).get(INDEPENDENT) is True
    return bool(dependent(experiment)) and not independent


def robust(entry: Entry, experiment: Experiment) -> Entry:
    """Return the test that runs where `entry` is wanted: itself, or one that knows such rows."""
    if not related(entry, experiment):
        return entry
    known = catalogue()
    if entry.evidence.on_rows and entry.knows_no_relation and entry.better_test:
        entry = known[entry.better_test]
    return known[entry.in_time] if entry.in_time and in_time(experiment) else entry


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


def jointly(entry: Entry) -> bool:
    """Tell whether a test adjusts all pairs by the largest statistic, if told nothing else."""
    own = inspect.signature(entry.all_pairs or entry.function).parameters.get("correction")
    return own is not None and own.default == MAX_T


def pairs_of(models: Sequence[str], versus: str | None) -> list[tuple[int, int]]:
    """List all pairs (0, 1), (0, 2), ..., or the control, as A, against each other model."""
    return all_pairs(len(models), None if versus is None else list(models).index(versus))


def level_of_each(test: PlannedTest, models: Sequence[str]) -> float:
    """Return the level at which each pair is tested if all share it equally, for planning."""
    pairs = len(pairs_of(models, test.versus))
    return test.alpha / (1 if test.correction in (None, "none", "BH", "BY") else max(pairs, 1))


# --- its settings


def planned(
    entry: Entry, settings: HypothesisTests, models: int = 3, *, related: bool = False
) -> PlannedTest:
    """Return a test with its settings, every default filled in; its evidence is still open."""
    own = settings.of(entry.name)
    options = {k: v for k, v in own.items() if k in entry.all_options and k != "alpha"}
    for name in SHARED:
        shared = getattr(settings, name)
        if name in entry.options and shared is not None:
            options.setdefault(name, shared)
    options.pop("simultaneous", None)
    correction = None
    independent = own.get(INDEPENDENT) is True
    related = related and not independent
    if corrects(entry):
        options.pop("correction", None)
        asked = own.get("correction") or settings.correction
        joint = jointly(entry) and options.keys() <= entry.family_options
        correction = asked or (MAX_T if joint else _stepwise(entry, related))
    posthoc = None
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
        alpha=own.get("alpha", settings.alpha),
        correction=correction and correction_among(entry, correction, models, related),
        versus=own.get("versus", settings.versus) if compares_pairs(entry) else None,
        simultaneous=own.get("simultaneous", True),
        independent_rows=independent,
        related=related,
        options=options,
        posthoc=posthoc,
    )


def correction_among(entry: Entry, correction: str, models: int, related: bool) -> str:
    """Return how the pairs of so many models are adjusted: of two models there is no maximum."""
    alone = models < 3 and entry.arity is not Arity.ALL_PAIRS
    joint = correction == MAX_T and jointly(entry)
    return _stepwise(entry, related) if joint and alone else correction


def _stepwise(entry: Entry, related: bool) -> str:
    """Return the default correction of p-values that are computed one by one."""
    always = entry.variants is None and not {"groups", "time"}.isdisjoint(entry.options)
    on_related = entry.evidence.on_rows and (related or always)
    return "holm" if entry.evidence is Evidence.DATASETS or on_related else "bonferroni"


def check_correction(test: PlannedTest, correction: str) -> None:
    """Refuse a correction that does not hold for a test's family."""
    entry = catalogue()[test.name]
    if correction == MAX_T and not jointly(entry):
        raise ArgumentError(
            "correction",
            "'max-t' is for all pairs of metric_difference and of mean_difference, "
            f"{entry.name} tests each pair by itself; use 'holm'",
        )
    if correction == MAX_T and (alone := test.options.keys() - entry.family_options):
        raise ArgumentError(
            min(alone), f"'max-t' has one form for all pairs, without {min(alone)}; use 'holm'"
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


def allowed_options(entry: Entry) -> list[str]:
    """List what an experiment may say of one test."""
    options = {"alpha", *(name for name in entry.all_options if name not in MANAGED)}
    if entry.reads not in FIXED_METRICS:
        options.add("metrics")
    if len(entry.plans) > 1:
        options.add("plan")
    if entry.can_take_rows_for_independent:
        options.add(INDEPENDENT)
    if corrects(entry):
        options.add("correction")
    if corrects(entry) and entry.arity is Arity.PAIR:
        options.add("simultaneous")
    if compares_pairs(entry):
        options.add("versus")  # null, for tests of all pairs where the others have a control
    return sorted(options)


_SHARED: dict[str, Any] = {
    "alpha": Annotated[Level, Field(description="Its own significance level.")],
    "correction": Annotated[
        Correction, Field(description="How the p-values of its family are adjusted.")
    ],
    "independent_rows": Annotated[
        bool,
        Field(
            description="true: take the rows of a data set with `groups:` or `time:` for "
            "independent all the same; without it the form of the test for such rows runs."
        ),
    ],
    "metrics": Annotated[
        list[str],
        Field(
            description="Which of the experiment's metrics it is run on; default: all, or the "
            "first for tests with a value in the metric's unit (margin, rope, mu0)."
        ),
    ],
    "plan": Annotated[str, Field(description="The resampling plan that feeds it.")],
    "simultaneous": Annotated[
        bool,
        Field(
            description="true, the default: the intervals of all pairs hold together; false: each "
            "by itself."
        ),
    ],
    "versus": Annotated[
        str | None,
        Field(description="A model: only it is compared with each other one; null: all pairs."),
    ],
}
"""Options that are no parameters of a test's function, or mean more than these."""
_CHECKED_ELSEWHERE = ("independent_rows", "metrics", "plan", "versus")


def option_schemas(entry: Entry) -> dict[str, dict[str, Any]]:
    """Describe what an experiment may say of a test, as JSON schemas by option."""
    told = dict(_descriptions(inspect.getdoc(entry.function) or ""))
    schemas = {}
    for name in allowed_options(entry):
        schema = {"description": told.get(name, "")}
        schema |= _adapter(_type_of(entry, name)).json_schema()
        option = entry.all_options.get(name)
        if option and not _is_shared(entry, name):
            known = option.default not in (inspect.Parameter.empty, None)
            schema |= {"default": option.default} if known else {}
        schemas[name] = schema | ({"enum": list(entry.plans)} if name == "plan" else {})
    return schemas


def _is_shared(entry: Entry, option: str) -> bool:
    return option in _SHARED and (option != "correction" or corrects(entry))


def _type_of(entry: Entry, option: str) -> Any:
    return _SHARED[option] if _is_shared(entry, option) else entry.all_options[option].annotation


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(kind)
    except PydanticSchemaGenerationError:  # an array
        return TypeAdapter(Any)


def _descriptions(doc: str) -> Iterator[tuple[str, str]]:
    """Read what a docstring says of each parameter."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", doc, re.DOTALL | re.MULTILINE
    )
    for names, text in re.findall(
        r"^(\w[\w, ]*?)(?: : [^\n]*)?\n((?:^    [^\n]*\n|^\n)*)",
        section.group(1) if section else "",
        re.MULTILINE,
    ):
        description = re.sub(r"\s+", " ", text).strip().replace("``", "`")
        yield from ((name, description) for name in names.split(", "))


def check_options(experiment: Experiment, tests: AnalysisPlan) -> list[Problem]:
    """Check the options of all tests that run, post hoc tests included."""
    problems: list[Problem] = []
    for test in tests.with_posthoc:
        entry = catalogue()[test.name]
        wrong = list(_names_and_types(entry, experiment))
        wrong = wrong or list(_too_wide(test, experiment))
        problems += wrong or _fitting(entry, test, experiment)
    return problems


def _names_and_types(entry: Entry, experiment: Experiment) -> Iterator[Problem]:
    own, allowed = experiment.tests.of(entry.name), allowed_options(entry)
    for key, value in own.items():
        place = ("tests", "options", entry.name, key)
        if key in MANAGED and key in entry.options:
            yield Problem(place, f"is not set here: {MANAGED[key]}")
        elif key in ("metrics",) and key not in allowed:
            yield Problem(
                place, f"{entry.name} is about {FIXED_METRICS[entry.reads]} and no other metric"
            )
        elif key not in allowed:
            gone = RETIRED.get(f"{entry.name}.{key}")
            yield Problem(place, gone or unknown("option", key, allowed))
        else:
            wrong = wrong_value(entry, key, value)
            if wrong:
                yield Problem(place, wrong)
    for key, option in entry.options.items():
        given = key in own or (key in SHARED and getattr(experiment.tests, key) is not None)
        if option.default is inspect.Parameter.empty and key not in MANAGED and not given:
            at = ("tests",) if key in SHARED else ("tests", "options", entry.name)
            yield Problem((*at, key), f"{entry.name} needs it, and no value is right for all data")


def wrong_value(entry: Entry, option: str, value: Any) -> str:
    """Say what is wrong with the value of an option; empty when nothing is."""
    if option in _CHECKED_ELSEWHERE:
        return ""
    kind = _type_of(entry, option)
    choices, check = choices_of(kind), check_of(kind)
    if choices and value not in choices and value is not None:
        return unknown("correction" if option == "correction" else "value", value, choices)
    try:
        if check:
            check(value, option)
    except ArgumentError as error:
        return error.message
    return ""


def _too_wide(test: PlannedTest, experiment: Experiment) -> Iterator[Problem]:
    """Refuse margins and regions that no difference of the metric could leave."""
    metrics = metrics_of(experiment)
    for key in ("margin", "rope"):
        size = test.options.get(key)
        if not isinstance(size, int | float):
            continue
        own = key in experiment.tests.of(test.name)
        place = ("tests", "options", test.name, key) if own else ("tests", key)
        for name in test.metrics:
            low, high = metrics[name].range
            if size >= high - low:
                yield Problem(
                    place,
                    f"found {size:g}, must be below {high - low:g}: {name} lies between {low:g} "
                    f"and {high:g}, so that no difference could exceed it",
                )
                break


def _fitting(entry: Entry, test: PlannedTest, experiment: Experiment) -> list[Problem]:
    """Look for options that do not fit each other, the correction or how the rows are related."""
    try:
        models, correction = list(experiment.models), test.correction or "none"
        check_correction(test, correction)
        level = 1 - test.alpha
        if entry.arity in (Arity.PAIR, Arity.ONE) and test.simultaneous and correction != MAX_T:
            hypotheses = pairs_of(models, test.versus) if compares_pairs(entry) else models
            level = simultaneous_level(level, len(hypotheses), correction)
        if "alpha" in entry.options:
            check_argument(1 - level, "alpha", entry.options["alpha"].annotation)
        if "confidence_level" in entry.options and level < 0.5 and test.alternative != "two-sided":
            raise ArgumentError(
                "confidence_level",
                f"found {level!r}; a one-sided interval needs at least 0.5, below it the limit "
                "passes the estimate",
            )
        for relation in _relations(entry, test, experiment):
            for option, forms in (("variant", entry.variants), ("ci_method", entry.intervals)):
                if forms is not None:
                    forms.choose(test.options.get(option), relation, option)
            if entry.check_options is not None:
                entry.check_options(test.options, relation, len(models), len(experiment.datasets))
    except ValueError as error:
        return [_blame(entry, experiment, error)]
    return []


def _relations(entry: Entry, test: PlannedTest, experiment: Experiment) -> Iterator[Relation]:
    """Yield how the rows of some data set hang together, as far as a test has a form for it."""
    related = {} if test.independent_rows else dependent(experiment)
    if len(related) < len(experiment.datasets) or entry.variants is None:
        yield "independent"
    if related and entry.variants is not None:
        yield "groups"


def _blame(entry: Entry, experiment: Experiment, error: ValueError) -> Problem:
    """Find the key that a test's complaint is about."""
    tests, place = experiment.tests, ("tests", "options", entry.name)
    known = (*entry.options, "correction", "alpha", "versus")
    if not isinstance(error, ArgumentError) or error.argument not in known:
        return Problem(place, str(error))
    key = error.argument
    if key not in tests.of(entry.name) and hasattr(tests, key):
        return Problem(("tests", key), f"{entry.name}: {error.message}")
    return Problem((*place, key), error.message)
