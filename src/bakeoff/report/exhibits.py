"""Which tables and figures an experiment's report has: known before anything has run."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.compare import choose_tests, running
from bakeoff.compare.setup import setup_of
from bakeoff.report.names import Exhibit
from bakeoff.spec import Experiment
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError

MODELS, PAIRS, TRUST, MADE = "Models", "Comparisons", "Can this be believed", "How it was made"
COUNTING = ("mcnemar", "pairwise_mcnemar")
"""Tests that are about nothing else than which rows either model has right."""
MOST_DATASETS = 20
"""With more data sets, none has figures of its own."""


def exhibits(experiment: Experiment) -> list[Exhibit]:
    """List the tables and figures of an experiment's report."""
    return [*_of_models(experiment), *_comparisons(experiment), *_trust(experiment)]


def tests_of(experiment: Experiment) -> list[Entry]:
    """List the tests that ran: those asked for, and post hoc tests that came along."""
    return running(choose_tests(experiment)[1])


def _of_models(experiment: Experiment) -> Iterator[Exhibit]:
    several = len(experiment.datasets) > 1
    fitted = experiment.fitted.values()
    folds = any(len(plan.splits()) > 1 for plan in experiment.resampling.plans().values())
    every = "every data set" if several else "every fold" if folds else "on the test rows"
    yield Exhibit("scores", "", "figure", MODELS, f"Scores, {every}")
    yield Exhibit("models", "", "table", MODELS, "Models, ranked")
    if several:
        yield Exhibit("datasets", "", "table", MODELS, "Mean scores by data set")
    if any(model.chooses for model in fitted):
        yield Exhibit("choices", "", "table", MODELS, "What the fits chose")
    if any(model.seeds > 1 for model in fitted):
        yield Exhibit("seeds", "", "table", MODELS, "Noise of the seeds")
    yield Exhibit("times", "", "table", MODELS, "Time and memory")


def _comparisons(experiment: Experiment) -> Iterator[Exhibit]:
    tests = tests_of(experiment)
    if any(entry.arity is Arity.OMNIBUS for entry in tests):
        yield Exhibit("omnibus", "", "table", PAIRS, "All models at once")
    for entry in tests:
        yield from _of_test(entry, experiment)
    if experiment.resampling.holdout is None or not experiment.on_rows("holdout"):
        return
    if experiment.costs is not None:
        yield Exhibit("costs", "", "table", PAIRS, "What the errors cost")
    title = "Where the models disagree"
    if len(experiment.models) > 1 and len(experiment.datasets) == 1:
        yield Exhibit("disagreement", "", "figure", PAIRS, title)
    elif len(experiment.models) > 1 and len(experiment.datasets) <= MOST_DATASETS:
        for name in experiment.datasets:
            yield Exhibit("disagreement", "", "figure", PAIRS, f"{title}: {name}", name)


def _of_test(entry: Entry, experiment: Experiment) -> Iterator[Exhibit]:
    if entry.arity is Arity.ONE:
        yield Exhibit("single", entry.name, "table", PAIRS, entry.title)
        return
    if entry.arity is Arity.OMNIBUS or len(experiment.models) < 2:
        return
    spans = entry.evidence is Evidence.DATASET_SCORES
    yield Exhibit("pairs", entry.name, "table", PAIRS, f"{entry.title}: all pairs")
    if entry.name in COUNTING:
        title = f"{entry.title}: right and wrong rows"
        yield Exhibit("counts", entry.name, "table", PAIRS, title)
    if spans and entry.arity is Arity.ALL_PAIRS:
        yield Exhibit("ranks", entry.name, "figure", PAIRS, f"{entry.title}: average ranks")
    if entry.type1 is TypeOneError.BAYESIAN:
        yield Exhibit("posterior", entry.name, "figure", PAIRS, f"{entry.title}: posterior")
        return
    yield Exhibit("forest", entry.name, "figure", PAIRS, f"{entry.title}: differences")
    if len(experiment.models) > 2 and setup_of(entry, experiment.tests).versus is None:
        yield Exhibit("matrix", entry.name, "figure", PAIRS, f"{entry.title}: matrix")
    if entry.plans == ("cv_5x2",):
        yield Exhibit("ten_t", entry.name, "figure", PAIRS, f"{entry.title}: the ten t values")


def _trust(experiment: Experiment) -> Iterator[Exhibit]:
    yield Exhibit("chosen", "", "table", TRUST, "Which tests ran, and why")
    yield Exhibit("tests", "", "table", TRUST, "What each test says and assumes")
    yield Exhibit("assumptions", "", "table", TRUST, "Assumptions, checked")
    yield Exhibit("data", "", "table", TRUST, "The data")
    yield Exhibit("splits", "", "table", TRUST, "The splits")
    plans = [plan for plan in experiment.resampling.plans() if not experiment.by_scores(plan)]
    if plans:
        yield Exhibit("balance", "", "table", TRUST, "Classes in the parts")
    if "cv_5x2" in plans:
        yield Exhibit("overlap", "", "table", TRUST, "Overlap of the halves")
    if experiment.on_error == "exclude" and experiment.fitted:
        yield Exhibit("excluded", "", "table", TRUST, "Fits that failed")
    yield Exhibit("stages", "", "table", MADE, "Time by stage")
