"""Which tables and figures an experiment's report has: known before anything has run."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.compare import choose_tests, running
from bakeoff.report.names import Exhibit
from bakeoff.spec import Experiment
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError

MODELS, PAIRS, TRUST = "Models", "Comparisons", "Can this be believed"


def exhibits(experiment: Experiment) -> list[Exhibit]:
    """List the tables and figures of an experiment's report."""
    many_models = len(experiment.models) > 1
    each = "data set" if len(experiment.datasets) > 1 else "fold"
    found = [
        Exhibit("scores", "", "figure", MODELS, f"Scores, every {each}"),
        Exhibit("models", "", "table", MODELS, "Models, ranked"),
        Exhibit("times", "", "table", MODELS, "Time and memory"),
    ]
    if len(experiment.datasets) > 1:
        found.append(Exhibit("datasets", "", "table", MODELS, "Mean scores by data set"))
    tests = tests_of(experiment)
    if any(entry.arity is Arity.OMNIBUS for entry in tests):
        found.append(Exhibit("omnibus", "", "table", PAIRS, "All models at once"))
    for entry in tests:
        found += _of_test(entry, experiment)
    rows = experiment.resampling.holdout is not None and experiment.on_rows("holdout")
    if many_models and rows and len(experiment.datasets) == 1:
        found.append(Exhibit("disagreement", "", "figure", PAIRS, "Where the models disagree"))
    found += [
        Exhibit("tests", "", "table", TRUST, "What each test says and assumes"),
        Exhibit("assumptions", "", "table", TRUST, "Assumptions, checked"),
        Exhibit("data", "", "table", TRUST, "The data"),
        Exhibit("splits", "", "table", TRUST, "The splits"),
    ]
    return found


def tests_of(experiment: Experiment) -> list[Entry]:
    """List the tests that ran: those asked for, and post hoc tests that came along."""
    return running(choose_tests(experiment)[1])


def _of_test(entry: Entry, experiment: Experiment) -> Iterator[Exhibit]:
    if entry.arity is Arity.ONE:
        yield Exhibit("single", entry.name, "table", PAIRS, entry.title)
        return
    if entry.arity is Arity.OMNIBUS or len(experiment.models) < 2:
        return
    spans = entry.evidence is Evidence.DATASET_SCORES
    yield Exhibit("pairs", entry.name, "table", PAIRS, f"{entry.title}: all pairs")
    if spans and entry.arity is Arity.ALL_PAIRS:
        yield Exhibit("ranks", entry.name, "figure", PAIRS, f"{entry.title}: average ranks")
    if entry.type1 is TypeOneError.BAYESIAN:
        yield Exhibit("posterior", entry.name, "figure", PAIRS, f"{entry.title}: posterior")
        return
    yield Exhibit("forest", entry.name, "figure", PAIRS, f"{entry.title}: differences")
    if len(experiment.models) > 2:
        yield Exhibit("matrix", entry.name, "figure", PAIRS, f"{entry.title}: matrix")
    if entry.plans == ("cv_5x2",) and len(experiment.datasets) == 1:
        yield Exhibit("ten_t", entry.name, "figure", PAIRS, f"{entry.title}: the ten t values")
