"""The steps of an experiment in their order, from Python and without Snakemake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext

from bakeoff.execution import steps
from bakeoff.execution.fits import Fitter
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.workers import Workers
from bakeoff.paths import Paths
from bakeoff.report.read import read_study
from bakeoff.report.study import Study
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import report_problems


def run_in_process(
    experiment: Experiment, root: str, workers: int, fitted: Callable[[int, int], object]
) -> Study:
    """Run an experiment in a fresh folder and read its results.

    Models are fitted with one seed each and without searches, or bring predictions.
    With one worker this process does all. `fitted` is called after each fit with the number of
    fits that are done and of all.
    """
    problems, tests = steps.check(experiment)
    if problems:
        raise report_problems(problems)
    needs, plans = RuleInputs(experiment, Paths(root)), experiment.resampling.plans()
    paths = needs.paths
    for dataset in experiment.datasets:
        table, carried = paths.data(dataset), needs.row_columns(dataset)
        steps.load_dataset(experiment, dataset, table, paths.card(dataset), *carried)
        for plan in plans:
            divided, quality = paths.splits(dataset, plan), paths.split_quality(dataset, plan)
            steps.split_dataset(experiment, dataset, plan, table, divided, quality)
            given = (
                Fit(dataset, m, plan, *s) for m in experiment.given for s in plans[plan].splits()
            )
            for fit in given:
                steps.take_predictions(experiment, fit, table, divided, needs.prediction(fit))
    fits = list(experiment.fits())
    with closing(Workers()) if workers > 1 else nullcontext() as pool:
        do = Fitter(needs, pool).fit
        done: Iterable[None] = ThreadPoolExecutor(workers).map(do, fits) if pool else map(do, fits)
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))
    timings = []
    for dataset in experiment.datasets:
        for plan in plans:
            timings.append(paths.timings(dataset, plan))
            scores = paths.scores(dataset, plan)
            steps.collect_scores(needs, dataset, plan, scores, timings[-1])
            if plan != "holdout" or needs.holdouts:
                predictions = paths.predictions(dataset, plan)
                steps.collect_predictions(needs, dataset, plan, predictions)
    top = paths.top
    steps.all_scores(needs.scores, timings, top("scores.csv"), top("timings.csv"))
    for test in tests:
        steps.run_test(experiment, test, needs.evidence(test), paths.test(test.name))
    results = [paths.test(test.name) for test in tests]
    names = "comparisons.csv", "comparisons.json", "experiment.yaml", "tests.json"
    steps.compare(experiment, tests, results, *map(top, names))
    for name, path in needs.extras.items():
        steps.list_rows(experiment, needs.holdouts, name, path)
    return read_study(**needs.study(None))
