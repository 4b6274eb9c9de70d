"""What models that were trained elsewhere bring, and what the tests need of it."""

from __future__ import annotations

from collections.abc import Iterator

from bakeoff.data import Split, Table
from bakeoff.data.given_predictions import divide, load, predictions_of
from bakeoff.data.splits import divisions
from bakeoff.errors import Problem
from bakeoff.scores.given_results import given_scores
from bakeoff.spec import AnalysisPlan, Experiment, Fit
from bakeoff.spec.given_models import GivenData
from bakeoff.stats import catalogue


def problems_with_evidence(experiment: Experiment, tests: AnalysisPlan) -> Iterator[Problem]:
    """Refuse tests for which the results of given models do not suffice, and say what would."""
    known = catalogue()
    for i, test in enumerate(tests if experiment.given else ()):
        entry, first = known[test.name], next(iter(experiment.given))
        at = ("tests", "run", i)
        if experiment.by_scores(test.plan):
            if test.on_rows or test.on_fold_rows:
                yield Problem(
                    at,
                    f"{test.name} looks at predictions row by row, {first} brings scores alone: "
                    "give its `predictions:` on the test rows too",
                )
            elif "n_train" in entry.options and (where := _without_sizes(experiment, test.plan)):
                yield Problem(
                    at,
                    f"{test.name} needs the sizes of the training and the test parts: add the "
                    f"columns `n_train` and `n_test` to {where!r}",
                )
        elif entry.reads == "ranking":
            for model in _without_probabilities(experiment):
                yield Problem(
                    at,
                    f"{test.name} needs class probabilities, {model} brings predicted labels "
                    "alone: add a column `p_{class}` for each class to its file",
                )


def _without_sizes(experiment: Experiment, plan: str) -> str:
    """Return a file whose scores come without the sizes of the parts."""
    for dataset in experiment.datasets:
        scores, _ = given_scores(experiment, dataset, plan)
        lacking = scores[scores[["n_train", "n_test"]].isna().any(axis=1)]
        if len(lacking):
            return experiment.given[lacking["model"].iloc[0]].scores_on(dataset)
    return ""


def _without_probabilities(experiment: Experiment) -> list[str]:
    """List the given models whose files hold labels alone."""
    silent: dict[str, None] = {}
    for dataset, spec in experiment.datasets.items():
        if isinstance(spec, GivenData) or spec.at_hand():
            table, split = _test_set(experiment, dataset)
            for model in experiment.given:
                fit = Fit(dataset, model, "holdout", 1, 1)
                found = predictions_of(fit, experiment, table, split)
                silent |= {model: None} if found.probabilities is None else {}
    return list(silent)


def _test_set(experiment: Experiment, dataset: str) -> tuple[Table, Split]:
    table = load(dataset, experiment)
    splits = divide(dataset, experiment, table, "holdout")
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()["holdout"])
    return table, split


def problems_with_predictions(
    experiment: Experiment, dataset: str, table: Table
) -> Iterator[Problem]:
    """Prove that the given predictions are those of every division; tell one fold of each."""
    for name, plan in experiment.resampling.plans().items():
        if not experiment.on_rows(name):
            continue
        try:
            splits = divide(dataset, experiment, table, name)
        except Problem as problem:
            # of data that are divided here it is told with the divisions
            yield from [problem] if isinstance(experiment.datasets[dataset], GivenData) else []
            continue
        for model in experiment.given:
            try:
                for repeat, fold, split in divisions(splits, plan):
                    for seed in range(1, experiment.seeds(model) + 1):
                        fit = Fit(dataset, model, name, repeat, fold, seed)
                        predictions_of(fit, experiment, table, split)
            except Problem as problem:
                yield problem
