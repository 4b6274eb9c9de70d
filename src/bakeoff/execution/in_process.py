"""All steps of an experiment from Python, without Snakemake: the rules of the workflow in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext

from bakeoff.execution import fingerprints, planning, steps
from bakeoff.execution.fits import Fitter
from bakeoff.execution.pool import Pool
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.execution.store import Store
from bakeoff.paths import Paths
from bakeoff.report.read import read_study
from bakeoff.report.study import Study
from bakeoff.spec import AnalysisPlan, Experiment, Fit
from bakeoff.spec.load import report_problems


def run_in_process(
    experiment: Experiment, root: str, workers: int, fitted: Callable[[int, int], object]
) -> Study:
    """Run an experiment and read its results.

    Parameters
    ----------
    experiment : Experiment
        Whose models are fitted, with one seed each and without searches or importance, or bring
        predictions.
    root : str
        A folder for its results; a fresh one, because nothing in it is taken for done.
    workers : int
        Processes that fit; with 1 this process does all.
    fitted : callable
        Called after each fit with the number of fits that are done and of all.

    Raises
    ------
    UserError
        Something is wrong with the experiment, or a fit failed.
    """
    problems, tests, _ = planning.check(experiment)
    if problems:
        raise report_problems(problems)
    needs, made_by = RuleInputs(experiment, Paths(root)), fingerprints.of_fits(experiment)
    _divide(needs)
    _take(needs)
    _fit(needs, Store(needs, made_by), workers, fitted)
    _collect(needs, made_by)
    _compare(needs, tests)
    return read_study(**needs.study(None))


def _divide(needs: RuleInputs) -> None:
    experiment, paths = needs.experiment, needs.paths
    for dataset in experiment.datasets:
        table = paths.data(dataset)
        steps.load_dataset(
            experiment, dataset, table, paths.card(dataset), *needs.row_columns(dataset)
        )
        for plan in needs.plans:
            written = paths.splits(dataset, plan), paths.split_quality(dataset, plan)
            steps.split_dataset(experiment, dataset, plan, table, *written)


def _take(needs: RuleInputs) -> None:
    """Take the predictions that models bring."""
    experiment, paths = needs.experiment, needs.paths
    for model in experiment.given:
        for dataset in experiment.datasets:
            for name, plan in experiment.resampling.plans().items():
                for split in plan.splits():
                    one = Fit(dataset, model, name, *split)
                    place = paths.data(dataset), paths.splits(dataset, name), needs.prediction(one)
                    steps.take_predictions(experiment, one, *place)


def _fit(
    needs: RuleInputs, store: Store, workers: int, fitted: Callable[[int, int], object]
) -> None:
    fits = list(needs.experiment.fits())
    with closing(Pool()) if workers > 1 else nullcontext() as pool:
        fitter = Fitter(store, pool)

        def fit(one: Fit) -> None:
            fitter.fit(one, needs.paths.fit_log(one.dataset, one.model, one.split))

        if pool is None:
            done: Iterable[None] = map(fit, fits)
        else:
            threads = ThreadPoolExecutor(workers)
            done = threads.map(fit, fits)
        for i, _ in enumerate(done, 1):
            fitted(i, len(fits))


def _collect(needs: RuleInputs, made_by: Mapping[str, Mapping[str, str]]) -> None:
    experiment, paths = needs.experiment, needs.paths
    written = []
    for dataset in experiment.datasets:
        for plan in needs.plans:
            written.append((paths.scores(dataset, plan), paths.timings(dataset, plan)))
            found = *needs.scored(dataset, plan), made_by
            steps.collect_scores(experiment, dataset, plan, *found, *written[-1])
            if plan != "holdout":
                steps.collect_fold_predictions(
                    needs.fold_predictions(dataset, plan),
                    made_by,
                    paths.predictions(dataset, plan),
                )
    for dataset, path in needs.holdouts.items():
        runs = needs.test_predictions(dataset)
        steps.collect_predictions(runs, *needs.beside(dataset), made_by, path)
    scores, timings = zip(*written, strict=True)
    steps.all_scores(scores, timings, paths.top("scores.csv"), paths.top("timings.csv"))


def _compare(needs: RuleInputs, tests: AnalysisPlan) -> None:
    experiment, top = needs.experiment, needs.paths.top
    for test in tests:
        steps.run_test(experiment, test, needs.evidence(test), needs.paths.test(test.name))
    results = [needs.paths.test(test.name) for test in tests]
    steps.compare(results, top("comparisons.csv"), top("comparisons.json"))
    steps.resolve_experiment(experiment, tests, top("experiment.yaml"), top("tests.json"))
    for name, path in needs.extras.items():
        {"intervals": steps.list_intervals, "subgroups": steps.list_subgroups}[name](
            experiment, needs.holdouts, path
        )
