"""Which tests run, on which plan's evidence; refuses what the experiment cannot feed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bakeoff.compare import dependence
from bakeoff.compare.evidence import has_interval, has_test
from bakeoff.compare.options import check_options
from bakeoff.compare.recommend import complete_folds, recommended
from bakeoff.compare.setup import (
    FIXED_METRICS,
    IN_UNIT,
    compares_pairs,
    corrects,
    setup_of,
    takes_control,
)
from bakeoff.data.columns import check_values
from bakeoff.errors import Problem, UserError, shown, unknown
from bakeoff.spec import ChosenTest, Experiment
from bakeoff.stats import Arity, Entry, Evidence, catalogue, test_set_metrics

Place = tuple[str | int, ...]

_LEAST = {Arity.ONE: 1, Arity.PAIR: 2, Arity.OMNIBUS: 3, Arity.ALL_PAIRS: 2}
_FOR_TWO = {
    Evidence.CORRECTNESS: "mcnemar",
    Evidence.FOLD_SCORES: "corrected_kfold_t",
    Evidence.FOLD_CRITERIA: "hotelling_t2",
    Evidence.DATASET_SCORES: "wilcoxon_signed_rank",
}
_ASKED = "asked for in `tests: run:`"


def choose_tests(experiment: Experiment) -> tuple[list[Problem], list[ChosenTest]]:
    """Pair every test of an experiment with a plan and metrics.

    Returns
    -------
    problems : list of Problem
        Unknown tests, tests that the experiment cannot feed, options they do not take.
    tests : list of ChosenTest
        In the order asked for.
    """
    known = catalogue()
    problems: list[Problem] = list(_unknown_names(experiment))
    chosen: list[ChosenTest] = []
    for place, name, why in _wanted(experiment):
        if name not in known:
            continue
        entry = dependence.robust(known[name], experiment)
        if entry is not known[name]:
            why = f"{why}; {dependence.why(known[name], experiment)}"
        if entry.name in {test.name for test in chosen}:
            continue  # asked for by both names
        if refused := dependence.refusal(entry, experiment):
            problems.append(Problem(place, refused))
            continue
        try:
            chosen.append(_feed(entry, experiment, place, why))
        except Problem as problem:
            problems.append(problem)
    problems += dependence.problems_of_options(experiment)
    if not problems:
        problems += _unused(experiment, running(chosen))
        problems += check_options(experiment, chosen)
    return problems, chosen


def check_classes(
    experiment: Experiment, dataset: str, classes: Sequence[str]
) -> Iterator[Problem]:
    """Look for tests and costs that do not fit the classes of a data set.

    Data sets known by given scores alone have no classes.
    """
    known = catalogue()
    for place, name, _ in _wanted(experiment) if len(classes) > 2 else ():
        if name in known and known[name].evidence is Evidence.PROBABILITIES:
            yield Problem(
                place,
                f"{name} is for two classes, {dataset} has {len(classes)}; for more use mcnemar, "
                "or a test on folds with the metric roc_auc_ovr",
            )
    costs = experiment.costs_on(dataset)
    if costs is None or not classes:
        return
    own = experiment.datasets[dataset].costs is not None
    at: Place = ("datasets", dataset, "costs", "classes") if own else ("costs", "classes")
    for i, listed in enumerate(costs.classes):
        try:
            check_values([listed], classes, "class")
        except UserError as error:
            yield Problem((*at, i), f"{dataset}: {error}")
    lacking = [name for name in classes if name not in costs.names]
    if lacking:
        yield Problem(
            at,
            f"the class {lacking[0]!r} of {dataset} has no row and column in the costs",
        )


def running(chosen: Sequence[ChosenTest]) -> list[Entry]:
    """List the tests that run: those chosen, and post hoc tests that come along."""
    known = catalogue()
    names = [*(test.name for test in chosen), *(test.posthoc for test in chosen if test.posthoc)]
    return [known[name] for name in dict.fromkeys(names)]


def _wanted(experiment: Experiment) -> Iterator[tuple[Place, str, str]]:
    if isinstance(experiment.tests.run, str):
        for name, why in recommended(experiment):
            yield ("tests", "run"), name, why
        return
    for i, name in enumerate(experiment.tests.run):
        yield ("tests", "run", i), name, _ASKED


def _unknown_names(experiment: Experiment) -> Iterator[Problem]:
    tests, known = experiment.tests, catalogue()
    if isinstance(tests.run, list):
        for i, name in enumerate(tests.run):
            if name not in known:
                yield Problem(("tests", "run", i), unknown("test", name, known))
            elif name in tests.run[:i]:
                yield Problem(("tests", "run", i), f"{name} appears twice")
    for name, own in tests.options.items():
        if name not in known:
            yield Problem(("tests", "options", name), unknown("test", name, known))
        versus = own.get("versus")
        if versus is not None and not _is_one_of(versus, experiment.models):
            place = ("tests", "options", name, "versus")
            yield Problem(place, unknown("model", versus, experiment.models))
    if tests.versus is not None and tests.versus not in experiment.models:
        yield Problem(("tests", "versus"), unknown("model", tests.versus, experiment.models))


def _feed(entry: Entry, experiment: Experiment, place: Place, why: str) -> ChosenTest:
    """Find the plan and the metrics of one test."""
    plan = _plan(entry, experiment, place)
    _check_kind(entry, experiment, place)
    models = len(experiment.models)
    least = _LEAST[entry.arity]
    if models < least:
        instead = _FOR_TWO.get(entry.evidence) if models == 2 else None
        raise Problem(
            place,
            f"{entry.name} compares {least} models at least, found {models}"
            + (f"; for two use {instead}" if instead else ""),
        )
    if entry.evidence is Evidence.DATASET_SCORES and len(experiment.datasets) < 2:
        raise Problem(
            place,
            f"{entry.name} compares models over several data sets, found one; on one data set use "
            "a test of its folds, like cv5x2_f",
        )
    metrics = _metrics(entry, experiment, place, plan)
    return ChosenTest(entry.name, plan, entry.evidence.value, metrics, why, entry.posthoc)


def _check_kind(entry: Entry, experiment: Experiment, place: Place) -> None:
    """Refuse tests of predictions where models bring numbers per row, and the other way round."""
    wants_numbers = entry.evidence is Evidence.VALUES
    if experiment.by_values and entry.evidence.on_rows and not wants_numbers:
        raise Problem(
            place,
            f"{entry.name} looks at predictions, the models bring a number per row: use "
            "mean_difference or compare_values (where 1 is right and 0 wrong: `metrics: "
            "[accuracy]`)",
        )
    if wants_numbers and not experiment.by_values:
        binary = experiment.with_values
        has = "right and wrong rows" if binary else "predictions"
        instead = "mcnemar" if binary else "metric_difference or compare_models"
        raise Problem(
            place,
            f"{entry.name} looks at a number per row (`values:` of every model), the experiment "
            f"has {has}: use {instead}",
        )


def _plan(entry: Entry, experiment: Experiment, place: Place) -> str:
    plans = experiment.resampling.plans()
    asked = experiment.tests.of(entry.name).get("plan")
    if asked is not None:
        at = ("tests", "options", entry.name, "plan")
        if not _is_one_of(asked, plans):
            raise Problem(at, unknown("plan", asked, plans))
        if asked not in entry.plans:
            wanted = _or(entry.plans)
            raise Problem(at, f"{entry.name} is not valid on `{asked}`, it takes {wanted}")
    usable = [plan for plan in entry.plans if plan in plans and asked in (None, plan)]
    if not usable:
        raise Problem(
            place,
            f"{entry.name} needs the plan {_or(entry.plans)}, the experiment has "
            f"{', '.join(f'`{p}`' for p in plans) or 'none'}; add it under `resampling:` or drop "
            "the test",
        )
    refusals = [_refusal(entry, plan, experiment) for plan in usable]
    fitting = [plan for plan, refusal in zip(usable, refusals, strict=True) if not refusal]
    if not fitting:
        raise Problem(place, refusals[0])
    if entry.evidence is Evidence.DATASET_SCORES:
        # a mean over folds is less noisy than the score of one test set
        fitting.sort(key=lambda plan: plan == "holdout")
    return fitting[0]


def _refusal(entry: Entry, plan: str, experiment: Experiment) -> str:
    """Say why a test is not valid on a plan as it is; empty when it is valid.

    A test that is not told the sizes of the parts takes its folds for one cross-validation.
    """
    on_folds = entry.evidence in (Evidence.FOLD_SCORES, Evidence.FOLD_CRITERIA)
    if plan != "kfold" or not on_folds or "n_train" in entry.options:
        return ""
    kfold = experiment.resampling.kfold
    assert kfold is not None
    if kfold.repeats > 1:
        return (
            f"{entry.name} is for one cross-validation, `kfold` has {kfold.repeats} repeats: use "
            "corrected_repeated_kfold_t, or set `repeats: 1`"
        )
    if not complete_folds(experiment):
        return (
            f"{entry.name} is for a complete cross-validation, with `time:` the training sets "
            "grow: use corrected_resampled_t or corrected_repeated_kfold_t"
        )
    return ""


def _metrics(entry: Entry, experiment: Experiment, place: Place, plan: str) -> tuple[str, ...]:
    own = experiment.tests.of(entry.name).get("metrics")
    fixed = FIXED_METRICS.get(entry.evidence)
    if fixed is not None:
        if entry.evidence is Evidence.LABELS and (lacking := experiment.without_costs):
            where = f" of {lacking[0]}" if len(lacking) < len(experiment.datasets) else ""
            raise Problem(
                place, f"{entry.name} needs `costs:`{where}; if every error costs 1 use mcnemar"
            )
        # a test of one model may be about the error rate instead
        return (setup_of(entry, experiment.tests).options.get("rate", fixed),)
    if own is not None:
        _check_metrics(own, experiment, ("tests", "options", entry.name, "metrics"))
    if entry.evidence is Evidence.FOLD_CRITERIA:
        return _criteria(entry, tuple(own or experiment.metrics), experiment, place, plan)
    if entry.evidence is Evidence.PREDICTIONS:
        return _on_predictions(entry, tuple(own or experiment.metrics), place)
    if own is None and any(name in entry.options for name in IN_UNIT):
        return (experiment.metrics[0],)
    return tuple(own or experiment.metrics)


def _on_predictions(entry: Entry, metrics: tuple[str, ...], place: Place) -> tuple[str, ...]:
    """Take the metrics that have an interval and a test on one test set."""
    fits = has_test if entry.arity is Arity.ALL_PAIRS else has_interval
    known = tuple(metric for metric in metrics if fits(metric))
    if not known:
        raise Problem(
            place,
            f"{entry.name} knows none of the metrics {', '.join(metrics)}; it takes "
            f"{', '.join(test_set_metrics())}",
        )
    return known


def _check_metrics(own: object, experiment: Experiment, place: Place) -> None:
    if not isinstance(own, list) or not own:
        raise Problem(place, f"found {shown(own)}, expected a list of metrics like [accuracy]")
    for i, name in enumerate(own):
        if not _is_one_of(name, experiment.metrics):
            hint = "; list it under `metrics:` to have it computed"
            raise Problem((*place, i), unknown("metric", name, experiment.metrics) + hint)
        if name in own[:i]:
            raise Problem((*place, i), f"{name} appears twice")


def _criteria(
    entry: Entry, metrics: tuple[str, ...], experiment: Experiment, place: Place, plan: str
) -> tuple[str, ...]:
    folds = len(experiment.resampling.plans()[plan].splits())
    if len(metrics) < 2:
        raise Problem(
            place, f"{entry.name} compares several metrics at once, found one; add to `metrics:`"
        )
    if {"accuracy", "error"} <= set(metrics):
        raise Problem(
            place,
            f"{entry.name} cannot take accuracy and error together, one is 1 less the other: "
            f"choose with `options: {{{entry.name}: {{metrics: [...]}}}}`",
        )
    if folds <= len(metrics):
        raise Problem(
            place,
            f"{entry.name} of {len(metrics)} metrics needs {len(metrics) + 1} folds at least, "
            f"`{plan}` has {folds}: choose with `options: {{{entry.name}: {{metrics: [...]}}}}`",
        )
    return metrics


def _unused(experiment: Experiment, entries: Sequence[Entry]) -> Iterator[Problem]:
    """Refuse settings that no test that runs would look at, or that one cannot follow."""
    tests = experiment.tests
    takers = {
        "correction": [e for e in entries if corrects(e)],
        "versus": [e for e in entries if takes_control(e)],
        "alternative": [e for e in entries if "alternative" in e.options],
        "rope": [e for e in entries if "rope" in e.options],
        "margin": [e for e in entries if "margin" in e.options],
        "missing_cells": [e for e in entries if e.evidence is Evidence.DATASET_SCORES],
    }
    neutral = {"alternative": "two-sided"}
    for key, taking in takers.items():
        if getattr(tests, key) != neutral.get(key) and not taking:
            yield Problem(("tests", key), f"none of the tests that run takes it ({_list(entries)})")
    for name in tests.options:
        if name not in {entry.name for entry in entries}:
            place = ("tests", "options", name)
            yield Problem(place, f"{name} does not run (the tests are {_list(entries)})")
    for entry in entries:
        how = setup_of(entry, tests)
        if how.versus is not None and not takes_control(entry):
            own = ("options", entry.name) if "versus" in tests.of(entry.name) else ()
            yield Problem(
                ("tests", *own, "versus"),
                f"{entry.name} compares all pairs; versus one model use friedman_posthoc or "
                f"pairwise_wilcoxon, or set `options: {{{entry.name}: {{versus: null}}}}`",
            )
        one_sided = tests.alternative != "two-sided" and "alternative" not in entry.options
        if one_sided and compares_pairs(entry) and not _has_no_sides(entry):
            yield Problem(
                ("tests", "alternative"),
                f"{entry.name} is two-sided only: set `alternative` for single tests under "
                "`options:`, or drop it",
            )


def _has_no_sides(entry: Entry) -> bool:
    """Tell whether the question of a test has no sides: posteriors and equivalence."""
    return "rope" in entry.options or "margin" in entry.options


def _is_one_of(name: object, known: Iterable[str]) -> bool:
    """Tell whether an option's value, which may be anything, is a known name."""
    return isinstance(name, str) and name in known


def _or(plans: Sequence[str]) -> str:
    return " or ".join(f"`{plan}`" for plan in plans)


def _list(entries: Sequence[Entry]) -> str:
    return ", ".join(entry.name for entry in entries) or "none"
