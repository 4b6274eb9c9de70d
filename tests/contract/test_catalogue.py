"""Every test of the catalogue keeps the same promises, whoever wrote it and whatever it is fed."""

import dataclasses
import functools
import inspect
import itertools
import json
import math
import re
from typing import Annotated, Literal, get_args, get_origin

import numpy as np
import pandas as pd
import pytest

import bakeoff.stats
from bakeoff.stats import (
    ArgumentError,
    Arity,
    BayesResult,
    Evidence,
    PairwiseResult,
    Result,
    Status,
    TypeOneError,
    catalogue,
)
from bakeoff.stats.core.citations import BIBTEX
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.metric import METRICS

CATALOGUE = catalogue()
NAMES = sorted(CATALOGUE)
PLANS = {"holdout", "cv_5x2", "kfold", "resampled", "halves", "seeds"}
SECTIONS = ("Parameters", "Returns", "Raises", "Examples")
NO_EVIDENCE = (Status.IDENTICAL_SCORES, Status.NO_DISCORDANT_PAIRS)
UNDECIDED = (Status.ZERO_VARIANCE, Status.TOO_FEW, Status.UNDEFINED)
# by what a test reads: how its arguments are called
STEMS = {
    "correctness": "correct",
    "classes": "pred",
    "ranking": "score",
    "predictions": "predicted",
    "values": "values",
    "scores": "scores",
    "criteria": "scores",
}
# options without a default, by name: what an experiment has to say itself
REQUIRED = {"mu0": 0.8, "n_train": 90, "n_test": 10, "margin": 0.05, "full_repeats": 1}
MODELS = 3


@pytest.fixture
def entry(name):
    return CATALOGUE[name]


def having(**facts):
    return [n for n in NAMES if all(getattr(CATALOGUE[n], k) == v for k, v in facts.items())]


def with_option(option):
    return [name for name in NAMES if option in CATALOGUE[name].options]


def on_rows_of_folds(y_true, fold, predicted_a, predicted_b, **options):
    """Compare two models from arrays: the test itself takes the values of their rows."""
    rows = []
    for name, predicted in (("predicted_a", predicted_a), ("predicted_b", predicted_b)):
        try:
            rows.append(bakeoff.stats.fold_rows(y_true, fold, predicted, labels=[0, 1]))
        except ArgumentError as error:
            argument = name if error.argument == "predicted" else error.argument
            raise ArgumentError(argument, error.message) from None
    return bakeoff.stats.fold_rows_difference(*rows, **options)


def tasks_of(rows):
    """Return two tasks for rows, one after the other."""
    try:
        return np.arange(len(rows)) % 2
    except TypeError:  # no rows: the test says so
        return np.arange(2)


def of_two_tasks(function):
    """Let a test of means over tasks take rows of two tasks."""

    @functools.wraps(function)
    def on_tasks(*arguments, **options):
        return function(*arguments, **{"tasks": tasks_of(arguments[0]), **options})

    return on_tasks


FROM_ARRAYS = {"fold_rows_difference": on_rows_of_folds}
"""What makes of arrays that which a test takes."""
OF_TASKS = ("suite_difference", "suite_mean_difference")
FROM_ARRAYS |= {name: of_two_tasks(CATALOGUE[name].function) for name in OF_TASKS}


def positional(entry):
    function = FROM_ARRAYS.get(entry.name, entry.function)
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in kinds]


def has_margin(entry):
    """Tell whether a test asks for equivalence: no difference is no certainty of it."""
    return "margin" in entry.options


def call(entry, arguments, **options):
    function = FROM_ARRAYS.get(entry.name, entry.function)
    return function(*arguments, **{**needed(entry), **options})


def needed(entry):
    return {
        name: REQUIRED[name]
        for name, option in entry.options.items()
        if option.default is inspect.Parameter.empty
    }


# ------------------------------------------------------------------ evidence of every kind


def correctness_cases():
    """Right/wrong matrices (n, MODELS)."""
    rng = np.random.default_rng(0)
    plain = rng.random((60, 1)) + 0.4 * rng.random((60, MODELS)) < [0.75, 0.85, 1.0]
    first = np.arange(MODELS) == 0
    return {
        "ordinary": plain,
        "identical models": np.repeat([[True], [False], [True], [True], [False]], MODELS, axis=1),
        "all right": np.ones((20, MODELS), dtype=bool),
        "all wrong": np.zeros((20, MODELS), dtype=bool),
        "first always right, others never": np.tile(first, (30, 1)),
        "one row": first[None],
        "one row, all right": np.ones((1, MODELS), dtype=bool),
        "two rows": np.array([first, ~first]),
        "zeros and ones": plain.astype(int),
        "balanced disagreement": np.array([[True, False, True], [False, True, False]] * 10),
    }


def score_cases(*shape):
    """Scores (MODELS, *shape)."""

    def constant(*values):
        return np.stack([np.full(shape, value) for value in values])

    rng = np.random.default_rng(1)
    difficulty = rng.normal(0.8, 0.03, shape)
    plain = np.stack([difficulty + rng.normal(0.01 * i, 0.02, shape) for i in range(MODELS)])
    shifted = np.stack([plain[0] + 0.1 * i for i in range(MODELS)])
    return {
        "ordinary": plain,
        "identical models": np.stack([plain[0]] * MODELS),
        "constant and equal": constant(0.8, 0.8, 0.8),
        "constant and different": constant(0.7, 0.8, 0.9),
        "a constant difference": shifted,
        "differences of float noise": constant(0.3, 0.1 + 0.2, 0.3),
        "ties everywhere": np.random.default_rng(2).choice([0.5, 0.6], (MODELS, *shape)),
        "all zero": constant(0, 0, 0) * 1.0,
        "all one": constant(1, 1, 1) * 1.0,
        "first of three stands out": shifted[[2, 0, 0]],
        "one fold": plain[:, :1],
        "two folds": plain[:, :2],
        "large numbers": plain * 1e9,
        "small numbers": plain * 1e-9,
        "huge numbers": plain * 1e99,
        "tiny numbers": plain * 1e-99,
        "overflowing numbers": plain * 1e200,
        "negative numbers": -plain,
        "whole numbers": np.rint(plain * 100).astype(int),
    }


def label_cases():
    rng = np.random.default_rng(3)
    truth = rng.choice(["ant", "bee", "cow"], 60)

    def noisy(rate):
        return np.where(rng.random(60) < rate, rng.choice(["ant", "bee", "cow"], 60), truth)

    first, second = noisy(0.3), noisy(0.5)
    kinds, codes = np.unique([truth, first, second], return_inverse=True)
    wrong = np.char.add(truth, "s")
    return {
        "ordinary": (truth, first, second),
        "identical models": (truth, first, first),
        "all right": (truth, truth, truth),
        "all wrong": (truth, wrong, wrong),
        "one row": (truth[:1], first[:1], second[:1]),
        "one class": (np.array(["ant"] * 5),) * 3,
        "numbers": tuple(codes.reshape(len(kinds), 60)),
        "booleans": (truth == "ant", first == "ant", second == "ant"),
        "first always right": (truth, truth, second),
    }


def probability_cases():
    rng = np.random.default_rng(4)
    truth = np.arange(40) % 2
    first, second = (truth + rng.normal(0, s, 40) for s in (0.6, 1.2))
    flat = np.full(40, 0.5)
    return {
        "ordinary": (truth, first, second),
        "identical models": (truth, first, first),
        "constant scores": (truth, flat, flat),
        "one constant": (truth, first, flat),
        "both perfect": (truth, truth * 1.0, truth * 2.0),
        "perfect and reversed": (truth, truth * 1.0, -truth * 1.0),
        "one row": (truth[:1], first[:1], second[:1]),
        "two rows": (truth[:2], first[:2], second[:2]),
        "one class": (truth * 0, first, second),
        "booleans": (truth.astype(bool), first, second),
    }


def prediction_cases(arity):
    """Return the cases of labels, for two models or for a table of three."""
    third = np.random.default_rng(5).choice(["ant", "bee", "cow"], 60)
    made = label_cases()
    del made["all wrong"]  # with classes that do not exist
    if arity is Arity.PAIR:
        return made
    for name, (truth, first, second) in made.items():
        alike = "identical" in name or (len(truth), truth.dtype.kind) != (60, third.dtype.kind)
        made[name] = truth, np.stack([first, second, first if alike else third], axis=1)
    return made


def run_cases(arity):
    """Return labels, four runs of each model: each has an error of its own in rows of its own."""

    def runs(labels):
        found = np.stack([labels] * 4)
        for run, place in enumerate(range(0, len(labels), 7)):
            found[run % 4, place] = labels[0]
        return found

    made = {}
    for name, (truth, first, second) in prediction_cases(Arity.PAIR).items():
        pair = runs(first), runs(second)
        three = np.stack([*pair, pair[0][::-1]])
        made[name] = (truth, *pair) if arity is Arity.PAIR else (truth, three)
    return made


def arrange(entry, models):
    """Turn (MODELS, ...) into the arguments that the arity asks for."""
    if entry.arity is Arity.ONE:
        return (models[0],)
    if entry.arity is Arity.PAIR:
        return models[0], models[1]
    return (np.ascontiguousarray(np.moveaxis(models, 0, model_axis(entry))),)


def model_axis(entry):
    """Return the axis of the models in a table of several."""
    if entry.evidence is Evidence.RUNS:
        return 0
    return 2 if entry.evidence is Evidence.FOLD_ROWS else 1


def cases(entry):
    """Return the arguments of a test in every case."""
    match entry.evidence, entry.reads:
        case Evidence.ROWS, "classes":
            return label_cases()
        case Evidence.ROWS, "ranking":
            return probability_cases()
        case Evidence.ROWS, "predictions":
            return prediction_cases(entry.arity)
        case Evidence.RUNS, "predictions":
            return run_cases(entry.arity)
        case Evidence.FOLD_ROWS, reads:
            made = {}
            for case, rows in correctness_cases().items():  # of five replications
                models = np.stack([np.roll(rows, i, axis=0).T for i in range(5)], axis=1)
                rng = np.random.default_rng(0)
                halves = [rng.permutation(np.arange(len(rows)) % 2 + 1) for _ in range(5)]
                truth = np.arange(len(rows)) % 2
                if reads == "predictions":
                    models = np.where(models, truth, 1 - truth)
                leading = [truth] if reads == "predictions" else []
                made[case] = *leading, np.array(halves), *arrange(entry, models)
            return made
        case Evidence.ROWS, "correctness":
            made = {name: matrix.T for name, matrix in correctness_cases().items()}
        case Evidence.FOLD_SCORES, "scores":
            made = score_cases(*((5, 2) if entry.replications else (10,)))
        case Evidence.FOLD_SCORES, "criteria":
            made = score_cases(12, 2)
        case Evidence.RUNS, "values":
            made = score_cases(4, 12)
        case _:
            made = score_cases(12)
    return {name: arrange(entry, models) for name, models in made.items()}


def ordinary(entry):
    return cases(entry)["ordinary"]


CASES = [(name, case) for name in NAMES for case in cases(CATALOGUE[name])]


# ----------------------------------------------------------------------------- the entry


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name, entry):
    assert name == entry.name
    assert name == entry.function.__name__
    assert getattr(bakeoff.stats, name) is entry.function
    assert entry.title
    assert entry.answers.endswith("?")
    assert entry.about in ("models", "recipes", "algorithms")
    assert entry.plans
    assert set(entry.plans) <= PLANS
    assert entry.citation in BIBTEX
    assert entry.caution == "" or entry.caution.endswith(".")
    assert "`" not in entry.caution + entry.answers, "pages show it as it is"
    assert entry.caution or entry.type1 is not TypeOneError.LIBERAL, "say what it ignores"
    # no option is any text: `correction` is what `adjust_pvalues` takes, `metric` what `influence`
    options = {k: o for k, o in entry.options.items() if k not in ("correction", "metric")}
    assert str not in [option.annotation for option in options.values()]
    required = [name for name, o in entry.options.items() if o.default is inspect.Parameter.empty]
    assert set(required) <= set(REQUIRED), "tell this suite a value for the new required option"
    stem = "runs" if entry.evidence is Evidence.RUNS else STEMS[entry.reads]
    truth = ["y_true"] if entry.reads in ("classes", "ranking", "predictions") else []
    fold = ["fold"] if entry.evidence is Evidence.FOLD_ROWS else []
    models = [f"{stem}_a", f"{stem}_b"] if entry.arity is Arity.PAIR else [stem]
    assert positional(entry) == [*truth, *fold, *models]


@pytest.mark.parametrize("name", NAMES)
def test_what_the_entry_registers_is_so(entry):
    if entry.reads == "scores" and entry.evidence is Evidence.FOLD_SCORES:
        scores = [np.linspace(0.5, 0.9, 10).reshape(5, 2)] * (1 if entry.arity is Arity.ONE else 2)
        if entry.arity not in (Arity.ONE, Arity.PAIR):
            assert not entry.replications
        elif entry.replications:
            call(entry, scores)
        else:
            refused(entry, scores, "dimension")
    if entry.planning:  # it takes what is known before a run
        plan = entry.planning(discordance=0.1).solve(n=500, power=0.8)
        assert 0 < plan.difference < 0.1
        assert plan.power == pytest.approx(0.8, abs=0.01)
    # pairs by several metrics are compared metric by metric
    if entry.arity is Arity.OMNIBUS and entry.reads != "criteria":
        follower = CATALOGUE[entry.posthoc]
        assert follower.arity in (Arity.PAIR, Arity.ALL_PAIRS)
        assert follower.evidence is entry.evidence


def pairs_of(name):
    """Tell whether ordinary evidence of all models can be given to a test of two."""
    wanted = CATALOGUE[name]
    plain = wanted.reads not in ("classes", "ranking") and not needed(wanted)
    return wanted.arity is Arity.PAIR and plain and name not in FROM_ARRAYS


def of_all(entry):
    """Return the entry that computes all pairs of models in one call."""

    @functools.wraps(bakeoff.stats.all_pairs)
    def function(*evidence, **options):
        return bakeoff.stats.all_pairs(entry.name, *evidence, **options)

    return dataclasses.replace(entry, arity=Arity.ALL_PAIRS, function=function)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in having(arity=Arity.PAIR)
        if CATALOGUE[name].reads not in ("classes", "ranking") and CATALOGUE[name].all_pairs
    ]
    + ["cv5x2_z", "cv5x2_mcnemar"],
)
def test_all_pairs_have_the_numbers_of_each_pair(name, entry):
    # the default of Diebold and Mariano's test looks at all pairs together
    options = {"variant": "hln"} if name.startswith("diebold_mariano") else {}
    *shared, everything = cases(of_all(entry))["ordinary"]
    if name in OF_TASKS:
        options["tasks"] = tasks_of(everything)
    for pair in of_all(entry).function(*shared, everything, **options).pairs:
        one, two = (np.take(everything, m, axis=model_axis(entry)) for m in (pair.a, pair.b))
        alone = call(entry, (*shared, one, two), **options)
        assert (pair.statistic, pair.estimate) == pytest.approx((alone.statistic, alone.estimate))
        assert pair.pvalue == pytest.approx(alone.pvalue, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_docstring_tells_what_a_reader_needs(entry):
    text = inspect.getdoc(entry.function)
    assert all(f"\n{heading}\n{'-' * len(heading)}\n" in text for heading in SECTIONS)
    assert re.search(r"\b(1[89]|20)\d\d\b", text), "name the source of the formula, with its year"
    parameters = text.split("Parameters\n")[1].split("Returns\n")[0]
    for parameter in inspect.signature(entry.function).parameters:
        assert parameter in parameters, f"{parameter} is not documented"


# ------------------------------------------------------------------------ what comes back


def check_interval(ci, estimate):
    assert ci.low <= ci.high
    assert 0 < ci.confidence < 1
    slack = 1e-9 * max(1.0, abs(estimate))
    assert math.isnan(estimate) or ci.low - slack <= estimate <= ci.high + slack


def check_pvalue(pvalue, status):
    if status in UNDECIDED:
        assert math.isnan(pvalue)
    else:
        assert 0 <= pvalue <= 1


def check_result(entry, result):
    assert result.test == entry.name
    assert result.method in BIBTEX
    assert result.n >= 1
    assert result.null_hypothesis.endswith(".")
    assert isinstance(result.status, Status)
    assert all(a.name and a.detail for a in result.assumptions)
    json.dumps(result.to_dict(), allow_nan=False)
    if entry.arity is Arity.ALL_PAIRS:
        check_pairwise(result)
    else:
        check_single(entry, result)


def check_single(entry, result):
    assert isinstance(result, Result)
    row = result.to_row()
    assert all(v is None or isinstance(v, (str, bool, int, float)) for v in row.values())
    if result.ci is not None:
        check_interval(result.ci, result.estimate)
    if entry.type1 is TypeOneError.BAYESIAN:
        assert isinstance(result, BayesResult)
        assert math.isnan(result.pvalue)
        total = result.p_a_better + result.p_equivalent + result.p_b_better
        assert total == pytest.approx(1) or (math.isnan(total) and result.status in UNDECIDED)
        return
    check_pvalue(result.pvalue, result.status)
    if result.status in NO_EVIDENCE and not has_margin(entry):
        assert result.pvalue == 1.0
    if result.status is Status.ZERO_VARIANCE:
        assert math.isinf(result.statistic)


def check_pairwise(result):
    assert isinstance(result, PairwiseResult)
    assert [(p.a, p.b) for p in result.pairs] == [
        (i, j) for i in range(MODELS) for j in range(i + 1, MODELS)
    ]
    for pair in result.pairs:
        check_pvalue(pair.pvalue, pair.status)
        check_pvalue(pair.pvalue_adjusted, pair.status)
        assert not pair.pvalue_adjusted < pair.pvalue
        if pair.ci is not None:
            check_interval(pair.ci, pair.estimate)


def check_outcome(entry, case, **options):
    """Hold a test to a sound result or to a refusal that names an argument."""
    try:
        result = call(entry, cases(entry)[case], **options)
    except ValueError as error:
        refusal = str(error)
    else:
        check_result(entry, result)
        return
    assert case != "ordinary" or options
    names = {*positional(entry), *inspect.signature(entry.function).parameters}
    assert any(name in refusal for name in names), (
        f"which argument is wrong? {options}, {case}: {refusal}"
    )


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: value.replace(" ", "-"))
def test_any_evidence_gives_a_sound_result_or_a_named_refusal(entry, case):
    check_outcome(entry, case)


def words(annotation):
    """Return the words of which an option takes one; none where it takes other values."""
    kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    return get_args(kind) if get_origin(kind) is Literal else ()


def listed(entry, option):
    """Return the values that an option takes, as its refusal lists them and its type does."""
    with pytest.raises(ArgumentError) as refusal:
        call(entry, ordinary(entry), **{option: "nonsense"})
    assert refusal.value.argument == option
    values = re.findall(r"'([^']+)'", refusal.value.message.partition("allowed: ")[2])
    assert entry.options[option].default in values, f"list the allowed values: {refusal.value}"
    assert {*words(entry.options[option].annotation)} in ({*values}, set())
    return values


@pytest.mark.parametrize("name", NAMES)
def test_every_choice_keeps_the_promises_on_any_evidence(entry):
    named = [o for o, p in entry.options.items() if isinstance(p.default, str)]
    for option in named:
        # a metric that jumps where a row is left out has no test
        smooth = [v for v in listed(entry, option) if v not in METRICS or METRICS[v].smooth]
        for choice, case in itertools.product(smooth, cases(entry)):
            check_outcome(entry, case, **{option: choice})


ON_FOLDS = having(evidence=Evidence.FOLD_SCORES)
RANKED = ("nemenyi", "friedman_posthoc", "friedman", "iman_davenport", "quade", "kruskal_wallis")
OF_SEVERAL = [n for n in ON_FOLDS if CATALOGUE[n].arity is not Arity.ONE]
OF_PAIRS = having(evidence=Evidence.FOLD_SCORES, arity=Arity.PAIR)
MATCHED = [n for n in OF_PAIRS if n != "seeds_difference"]
MEANS = ("mean_difference", "recipe_mean_difference")
ONE_FOLD = [*having(evidence=Evidence.FOLD_SCORES, replications=False), *RANKED, *MEANS]
DATASETS = having(evidence=Evidence.DATASETS)
DEGENERATE = [
    (Status.IDENTICAL_SCORES, "constant and equal", [*ON_FOLDS, *DATASETS]),
    (Status.IDENTICAL_SCORES, "differences of float noise", OF_SEVERAL),
    (Status.ZERO_VARIANCE, "constant and different", [*ON_FOLDS, "recipe_mean_difference"]),
    (Status.ZERO_VARIANCE, "a constant difference", [*MATCHED, "mean_difference", "quade"]),
    (Status.ZERO_VARIANCE, "first always right, others never", ["looney_f"]),
    (Status.TOO_FEW, "one fold", ONE_FOLD),
    (Status.IDENTICAL_SCORES, "identical models", ["cost_sensitive", "delong"]),
    (Status.IDENTICAL_SCORES, "constant scores", ["delong"]),
    (Status.IDENTICAL_SCORES, "both perfect", ["delong"]),
    (Status.ZERO_VARIANCE, "perfect and reversed", ["delong"]),
    (Status.TOO_FEW, "two rows", ["delong"]),
    (Status.NO_DISCORDANT_PAIRS, "identical models", ["mcnemar", "cochran_q", "looney_f"]),
    (Status.NO_DISCORDANT_PAIRS, "all wrong", ["mcnemar", "cochran_q", "looney_f"]),
]


@pytest.mark.parametrize(
    ("name", "case", "status"),
    [(name, case, status) for status, case, names in DEGENERATE for name in names],
)
def test_degenerate_evidence_has_a_status(name, case, status):
    result = call(CATALOGUE[name], cases(CATALOGUE[name])[case])
    assert result.status is status
    if type(result) is BayesResult or not isinstance(result, Result):
        return
    if status in NO_EVIDENCE and not needed(CATALOGUE[name]):
        assert result.statistic == 0
        assert result.estimate == 0 or math.isnan(result.estimate)
    if status is Status.ZERO_VARIANCE:
        assert result.ci is None


@pytest.mark.parametrize("name", [n for n in NAMES if CATALOGUE[n].arity is not Arity.ONE])
def test_identical_models_are_never_told_apart(entry):
    result = call(entry, cases(entry)["identical models"])
    if entry.type1 is TypeOneError.BAYESIAN:
        assert result.p_a_better == pytest.approx(result.p_b_better, abs=0.02)
    elif entry.arity is Arity.ALL_PAIRS:
        assert all(pair.pvalue_adjusted == 1.0 for pair in result.pairs)
    elif not has_margin(entry):
        assert result.pvalue == pytest.approx(1.0)


# ------------------------------------------------------------------------------ symmetries


def close(first, second, slack=1e-9):
    return first == pytest.approx(second, rel=max(slack, 1e-7), abs=slack, nan_ok=True)


def turned(entry, arguments):
    """Return the same evidence with the models in the opposite order."""
    if entry.arity is Arity.PAIR:
        return (*arguments[:-2], arguments[-1], arguments[-2])
    return (*arguments[:-1], np.flip(arguments[-1], axis=model_axis(entry)))


def check_swapped(first, second, slack):
    """Compare a test of A and B with that of B and A."""
    assert first.status is second.status
    assert close(first.pvalue, second.pvalue, slack)
    scale = max(slack, 1e-9 * abs(first.estimate))
    assert close(first.estimate, -second.estimate, scale)
    for size in {"cohen_dz", "cohens_g", "cohens_h", "hedges_gz"} & set(first.effect_sizes):
        assert close(first.effect_sizes[size], -second.effect_sizes[size])
    if first.ci is not None:
        assert close(first.ci.low, -second.ci.high, scale)
        assert close(first.ci.high, -second.ci.low, scale)
    if isinstance(first, BayesResult):
        assert close(first.p_a_better, second.p_b_better, slack)
        assert close(first.p_equivalent, second.p_equivalent, slack)


def check_pairs_renumbered(first, second, slack):
    """Compare the pairs of models with those of the models in the opposite order."""
    found = {(MODELS - 1 - p.b, MODELS - 1 - p.a): p for p in second.pairs}
    for pair in first.pairs:
        mirrored = found[pair.a, pair.b]
        assert close(pair.pvalue_adjusted, mirrored.pvalue_adjusted, slack)
        assert close(pair.estimate, -mirrored.estimate, 1e-9 * max(1, abs(pair.estimate)))


# a question that is not the same with A and B exchanged
ONE_WAY = ("noninferiority",)
OF_MODELS = [(n, c) for n, c in CASES if CATALOGUE[n].arity is not Arity.ONE and n not in ONE_WAY]


@pytest.mark.parametrize(("name", "case"), OF_MODELS, ids=lambda value: value.replace(" ", "-"))
def test_order_of_the_models_flips_what_has_a_sign_and_nothing_else(entry, case):
    arguments = cases(entry)[case]
    other = turned(entry, arguments)
    try:
        first = call(entry, arguments)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            call(entry, other)
        return
    second = call(entry, other)
    # what is sampled is only as symmetric as its Monte Carlo error
    slack = 0.02 if "seed" in entry.options else 1e-9
    if entry.arity is Arity.PAIR:
        check_swapped(first, second, slack)
    elif entry.arity is Arity.ALL_PAIRS:
        check_pairs_renumbered(first, second, slack)
    else:
        assert close(first.statistic, second.statistic, 1e-6)
        assert close(first.pvalue, second.pvalue)


@pytest.mark.parametrize(
    "name", [n for n in with_option("alternative") if CATALOGUE[n].arity is Arity.PAIR]
)
def test_greater_and_less_mirror_each_other(entry):
    arguments = ordinary(entry)
    greater = call(entry, arguments, alternative="greater")
    assert close(greater.pvalue, call(entry, turned(entry, arguments), alternative="less").pvalue)
    less = call(entry, arguments, alternative="less")
    better = greater.estimate > 0
    assert (greater.pvalue < less.pvalue) == better
    assert {greater.alternative, less.alternative} == {"greater", "less"}


ABOVE_0 = ("wilcoxon_log_ratios",)
"""Tests of scores above 0: losses are no scores upside down."""


@pytest.mark.parametrize("name", [n for n in with_option("greater_is_better") if n not in ABOVE_0])
def test_losses_are_scores_upside_down(entry):
    arguments = ordinary(entry)
    constant = {"mu0": -REQUIRED["mu0"]} if "mu0" in entry.options else {}
    first = call(entry, arguments)
    second = call(entry, tuple(-a for a in arguments), greater_is_better=False, **constant)
    if entry.arity is Arity.ALL_PAIRS:
        assert [p.pvalue_adjusted for p in first.pairs] == pytest.approx(
            [p.pvalue_adjusted for p in second.pairs]
        )
    elif entry.arity is not Arity.ONE:
        assert close(first.estimate, second.estimate)
        assert close(first.pvalue, second.pvalue)


# --------------------------------------------------------------------------- wrong input


def refused(entry, arguments, argument):
    with pytest.raises(ValueError, match=argument):
        call(entry, arguments)


UNPAIRED = "seeds_difference"
"""The test of two models whose runs are independent samples."""
PAIRED = [n for n in having(arity=Arity.PAIR) if "unpaired" not in n]
"""Tests of two models on the same rows, folds or runs."""
LABELLED = [n for n in PAIRED if n not in ("fold_rows_difference", UNPAIRED)]
"""Those whose arrays have a row for each row, fold or replication."""


def no_evidence(entry, value):
    """Yield what is no evidence in the place of an argument, and what is said of it."""
    infinite = [math.inf, -math.inf] if entry.reads in ("scores", "criteria") else []
    for gap in [None, math.nan, pd.NA, *infinite] if entry.name != "cost_sensitive" else []:
        holed = value.astype(object)
        holed.flat[1] = gap
        yield holed, ".*(missing|NaN)"
    masked = np.ma.array(value, mask=False)
    masked[1] = np.ma.masked
    kinds = [masked, [[0.5], [0.5, 0.6]], {"a": 1}, None, np.float64(0.5), value[..., None, None]]
    if entry.reads not in ("classes", "predictions"):  # any labels of one kind are labels
        kinds += [np.full(value.shape, 1 + 2j), np.full(value.shape, "0.5")]
        kinds.append(np.full(value.shape, "2026-01-01", dtype="datetime64[D]"))
    if entry.evidence is Evidence.ROWS and entry.reads == "correctness":  # codes of labels
        kinds.append(np.arange(value.size).reshape(value.shape))
    yield from ((kind, "") for kind in kinds)


def wrong(entry):
    """Yield evidence that cannot be used, and what is said of it, first the argument."""
    arguments, names = ordinary(entry), positional(entry)
    *others, last = arguments
    yield tuple(a[:0] for a in arguments), "|".join(names)
    for place, name in enumerate(names):
        for value, said in no_evidence(entry, arguments[place]):
            yield (*arguments[:place], value, *arguments[place + 1 :]), name + said
    if entry.reads == "ranking":  # two classes of known order
        truth, *scores = arguments
        yield (truth + 1, *scores), "y_true"
        yield (np.where(truth == 1, "yes", "no"), *scores), "y_true"
    if entry.name in PAIRED and entry.name != UNPAIRED:
        yield (*others, last[:, :-1] if entry.evidence is Evidence.RUNS else last[:-1]), names[-1]
    if entry.arity in (Arity.OMNIBUS, Arity.ALL_PAIRS):  # one model is no comparison
        yield (*others, np.take(last, [0], axis=model_axis(entry))), names[-1]


@pytest.mark.parametrize("name", NAMES)
def test_evidence_that_cannot_be_used_is_refused_by_name(entry):
    for arguments, said in wrong(entry):
        refused(entry, arguments, said)


NONSENSE = [None, "x", math.nan, math.inf, -1, 0, 1.5, [], [1.0, 2.0], object(), True, {}]


def framed(array, index=None):
    """Turn an array into a Series or a DataFrame, where it has no more than two axes."""
    if array.ndim > 2:
        return array
    return (pd.Series if array.ndim == 1 else pd.DataFrame)(array, index=index)


def frames(entry, arguments, index=None):
    """Turn the evidence of a test into tables; runs are a list with one column each."""
    runs = entry.evidence is Evidence.RUNS
    return tuple(
        [framed(run, index) for run in a] if runs and a.ndim == 2 else framed(a, index)
        for a in arguments
    )


@pytest.mark.parametrize("name", NAMES)
def test_same_input_in_any_container_gives_the_same_result_and_is_left_alone(entry):
    arguments = ordinary(entry)
    expected = call(entry, arguments).to_dict()
    assert call(entry, frames(entry, arguments)).to_dict() == expected
    objects, unmasked = (lambda a: a.astype(object)), (lambda a: np.ma.array(a, mask=False))
    containers = [np.asarray, np.asfortranarray, np.ndarray.tolist, objects, unmasked]
    if (entry.evidence, entry.reads) == (Evidence.ROWS, "correctness"):
        containers.append(lambda a: framed(a).astype("boolean"))
    for wrap in containers:
        assert call(entry, tuple(wrap(a) for a in arguments)).to_dict() == expected
    assert all(map(np.array_equal, arguments, ordinary(entry)))


@pytest.mark.parametrize("name", LABELLED)
def test_rows_in_another_order_are_refused(entry):
    arguments = ordinary(entry)
    runs = entry.evidence is Evidence.RUNS
    rows = [f"row {i}" for i in range(arguments[0].shape[-1] if runs else len(arguments[0]))]
    same = frames(entry, arguments, rows)
    assert call(entry, same).to_dict() == call(entry, arguments).to_dict()
    last = [run.iloc[::-1] for run in same[-1]] if runs else same[-1].iloc[::-1]
    turned = (*same[:-1], last)
    with pytest.raises(ValueError, match=rf"{positional(entry)[-1]}.*row labels"):
        call(entry, turned)


@pytest.mark.parametrize(("name", "option"), [(n, o) for n in NAMES for o in CATALOGUE[n].options])
def test_options_of_another_kind_are_refused_by_name(entry, option):
    arguments = ordinary(entry)
    for value in NONSENSE:
        try:
            result = call(entry, arguments, **{option: value})
        except ValueError as error:
            refusal = str(error)
        else:
            written = inspect.signature(entry.function).parameters[option].annotation
            kind = f"{written} {entry.options[option].annotation}"  # as written, and evaluated
            assert is_of_kind(value, kind), f"{option}={value!r} was taken"
            assert result.to_dict()
            continue
        assert option in refusal, f"{option}={value!r}: {refusal}"


def is_of_kind(value, kind):
    """Say whether a value is of the type that an option's annotation names."""
    if value is None:
        return "None" in kind
    if isinstance(value, bool):
        return "bool" in kind or "ArrayLike" in kind
    if isinstance(value, (int, float)):
        whole = isinstance(value, int) or math.isfinite(value)
        return whole and any(word in kind for word in ("int", "float", "ArrayLike"))
    return isinstance(value, list) and ("ArrayLike" in kind or "Sequence" in kind)


# ----------------------------------------------------------- intervals beside the test


def disagree(pvalue, ci, alpha, null=0):
    """Tell whether an interval holds what the test rejects, or lacks what it does not."""
    return ci is not None and (pvalue <= alpha) == (ci.low <= null <= ci.high)


LEVELS = [n for n in with_option("confidence_level") if n != "bayes_correlated_t"]
ALONE = [(n, False) for n in LEVELS if CATALOGUE[n].arity is not Arity.ALL_PAIRS]
TOGETHER = [(n, True) for n in LEVELS if (n, False) not in ALONE or pairs_of(n)]


@pytest.mark.parametrize(("name", "pairs"), ALONE + TOGETHER)
def test_an_interval_that_disagrees_with_the_test_is_named(name, pairs):
    entry = of_all(CATALOGUE[name]) if pairs else CATALOGUE[name]
    options = {"n_resamples": 999} if pairs and "n_resamples" in entry.family_options else {}
    null = {"binomial_test": 0.5}.get(name, needed(entry).get("mu0", 0))
    first = call(entry, ordinary(entry), **options)
    pvalue = min(pair.pvalue_adjusted for pair in first.pairs) if pairs else first.pvalue
    if math.isnan(pvalue):
        return
    for factor in (0.5, 0.9, 0.98, 0.995, 1.005, 1.1, 3):
        alpha = min(factor * pvalue, 0.9)
        result = call(entry, ordinary(entry), **options, confidence_level=1 - alpha)
        told = [check.detail for check in result.assumptions if check.name == AGREE]
        if not pairs:
            assert bool(told) == disagree(pvalue, result.ci, alpha, null), factor
            continue
        found = {pair for detail in told for pair in re.findall(r"\(\d, \d\)", detail)}
        of_pairs = {f"({p.a}, {p.b})": (p.pvalue_adjusted, p.ci) for p in result.pairs}
        assert found == {k for k, v in of_pairs.items() if disagree(*v, alpha)}, factor
