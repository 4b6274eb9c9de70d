"""The steps of an experiment in their order, from Python and without Snakemake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from itertools import product

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
    for dataset in experiment.datasets:
        steps.load_dataset(needs, dataset)
        for name, plan in plans.items():
            steps.split_dataset(needs, dataset, name)
            for model, split in product(experiment.given, plan.splits()):
                steps.take_predictions(needs, Fit(dataset, model, name, *split))
    fits = list(experiment.fits())
    with closing(Workers()) if workers > 1 else nullcontext() as pool:
        do = Fitter(needs, pool).fit
        done: Iterable[None] = ThreadPoolExecutor(workers).map(do, fits) if pool else map(do, fits)
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))
    for dataset, name in product(experiment.datasets, plans):
        steps.collect_scores(needs, dataset, name)
        if name != "holdout" or needs.holdouts:
            steps.collect_predictions(needs, dataset, name)
    steps.all_scores(needs)
    for test in tests:
        steps.run_test(needs, test)
    steps.compare(needs, tests)
    for name in needs.extras:
        steps.list_rows(needs, name)
    return read_study(**needs.study(None))
