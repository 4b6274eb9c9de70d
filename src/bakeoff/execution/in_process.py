"""The steps of an experiment in their order, from Python and without Snakemake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext

from bakeoff.execution import digests, steps
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

    Models are fitted with one seed each and without searches or importance, or bring predictions.
    With one worker this process does all. `fitted` is called after each fit with the number of
    fits that are done and of all.
    """
    problems, tests = steps.check(experiment)
    if problems:
        raise report_problems(problems)
    needs, made_by = RuleInputs(experiment, Paths(root)), digests.of_fits(experiment)
    paths, plans = needs.paths, experiment.resampling.plans()
    for dataset in experiment.datasets:
        table = paths.data(dataset)
        carried = needs.row_columns(dataset)
        steps.load_dataset(experiment, dataset, table, paths.card(dataset), *carried)
        for plan in plans:
            written = paths.splits(dataset, plan), paths.split_quality(dataset, plan)
            steps.split_dataset(experiment, dataset, plan, table, *written)
            for one in (
                Fit(dataset, m, plan, *s) for m in experiment.given for s in plans[plan].splits()
            ):
                steps.take_predictions(experiment, one, table, written[0], needs.prediction(one))
    fits = list(experiment.fits())
    with closing(Workers()) if workers > 1 else nullcontext() as pool:
        fitter = Fitter(needs, made_by, pool)

        def fit(one: Fit) -> None:
            fitter.fit(one, needs.log_of(one))

        done: Iterable[None] = (
            ThreadPoolExecutor(workers).map(fit, fits) if pool else map(fit, fits)
        )
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))
    pairs = [(dataset, plan) for dataset in experiment.datasets for plan in plans]
    collected = [(paths.scores(*pair), paths.timings(*pair)) for pair in pairs]
    for (dataset, plan), written in zip(pairs, collected, strict=True):
        found = *needs.scored(dataset, plan), made_by
        steps.collect_scores(experiment, dataset, plan, *found, *written)
        if plan != "holdout":
            folds = needs.fold_predictions(dataset, plan)
            steps.collect_fold_predictions(folds, made_by, paths.predictions(dataset, plan))
    for dataset, path in needs.holdouts.items():
        steps.collect_predictions(*needs.held_out(dataset), made_by, path)
    top, (scores, timings) = paths.top, zip(*collected, strict=True)
    steps.all_scores(scores, timings, top("scores.csv"), top("timings.csv"))
    for test in tests:
        steps.run_test(experiment, test, needs.evidence(test), paths.test(test.name))
    results = [paths.test(test.name) for test in tests]
    steps.compare(results, top("comparisons.csv"), top("comparisons.json"))
    steps.resolve_experiment(experiment, tests, top("experiment.yaml"), top("tests.json"))
    for name, path in needs.extras.items():
        steps.list_rows(experiment, needs.holdouts, name, path)
    return read_study(**needs.study(None))
