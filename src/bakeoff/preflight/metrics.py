"""Requirements of an experiment's metrics on its models, data and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from bakeoff.data import Table
from bakeoff.errors import Problem, UserError
from bakeoff.fit.predictions import Predictions
from bakeoff.fit.train import is_for_two_classes, scorer
from bakeoff.scores import METRICS, Need, score
from bakeoff.scores.collect import taken
from bakeoff.scores.metrics import no_metric, of_other_task
from bakeoff.scores.metrics.own import imported
from bakeoff.spec import Experiment


def problems_with_own(experiment: Experiment) -> Iterator[Problem]:
    """Find metrics of the user's own that cannot be called, or are called like another."""
    for name, own in experiment.own_metrics.items():
        if name not in experiment.metrics:
            yield Problem(("own_metrics", name), f"add {name} to `metrics:` to have it computed")
            continue
        place = ("metrics", experiment.metrics.index(name))
        if name in METRICS and not METRICS[name].own:
            message = f"{name} is a metric already: give {own.function} another name"
            yield Problem(place, f"{message}, `own_metrics: {{my_{name}: …}}`")
            continue
        try:
            imported(own)
        except UserError as error:
            yield Problem(place, str(error))


def problems_when_tried(experiment: Experiment, dataset: str, table: Table) -> Iterator[Problem]:
    """Call own metrics on some rows of the data, of which every second is predicted right."""
    if not experiment.own_metrics or not (table.classes or experiment.task.numbers):
        return  # scores or numbers were given, whatever the classes were
    rows = np.linspace(0, len(table.frame) - 1, min(len(table.frame), _TRIED)).astype(int)
    truth = table.answers[rows]
    guessed = np.where(np.arange(len(rows)) % 2, truth, np.roll(truth, 1))
    k = len(table.classes)
    p = (np.eye(k)[guessed] + 1) / (k + 1) if k else None
    columns = taken(table.carried.iloc[rows]) if len(table.carried) else {}
    for i, name in enumerate(experiment.metrics):
        if name not in experiment.own_metrics:
            continue
        tried = Predictions(rows, truth, guessed, table.classes, p, None, {})
        try:
            score(METRICS[name], tried, None, columns)
        except UserError as error:
            yield Problem(("metrics", i), f"tried on {len(rows)} rows of {dataset}: {error}")


_TRIED = 50


def problems_with_metrics(
    experiment: Experiment, classifiers: Mapping[str, Any]
) -> Iterator[Problem]:
    """Find metrics that are unknown, named twice, or lack what models or costs would give."""
    for i, name in enumerate(experiment.metrics):
        if name in experiment.given_metrics:
            yield from _given_metric(experiment, i, name)
        elif name not in METRICS:
            hint = _describe(name) if not _computed(experiment) else ""
            yield Problem(("metrics", i), no_metric(name) + hint)
        if name in experiment.metrics[:i]:
            yield Problem(("metrics", i), f"{name} appears twice")
        if name in experiment.given_metrics or name not in METRICS:
            continue
        if (other := of_other_task(name, experiment.task)) and _computed(experiment):
            yield Problem(("metrics", i), other)
            continue
        silent = [m for m, made in classifiers.items() if not _gives(made, METRICS[name].needs)]
        if silent and experiment.tests.missing_cells is None:
            several = len(experiment.datasets) > 1
            policy = "; for tests over data sets, say `missing_cells: drop_model`"
            yield Problem(
                ("metrics", i),
                f"{name} needs {_NEEDS[METRICS[name].needs]}, which {silent[0]} "
                f"({type(classifiers[silent[0]]).__name__}) does not give; leave one of them out, "
                "or wrap the model in sklearn.calibration.CalibratedClassifierCV"
                f"{policy if several else ''}",
            )
        lacking = _lacking_costs(experiment, METRICS[name].needs)
        if lacking:
            yield Problem(("metrics", i), f"{name} needs {lacking}")


def _given_metric(experiment: Experiment, i: int, name: str) -> Iterator[Problem]:
    """Refuse a metric that is described where it would have to be computed."""
    computed = _computed(experiment)
    if name in METRICS and (computed or METRICS[name].needs is not Need.NUMBERS):
        yield Problem(
            ("metrics", i),
            f"{name} is a metric of this package, which knows all about it: write `- {name}`, or "
            "give yours another name",
        )
    elif computed:
        yield Problem(
            ("metrics", i),
            f"{name} is none of the metrics that can be computed from predictions, as {computed} "
            "would need: leave it out, or let every model bring its `scores:` (allowed here: "
            f"{', '.join(METRICS)})",
        )


def _computed(experiment: Experiment) -> str:
    """Name what of an experiment is scored here; empty where all scores are given."""
    if experiment.fitted:
        return f"{next(iter(experiment.fitted))}, which is fitted here,"
    if experiment.by_values:
        return ""
    plans = experiment.resampling.plans()
    return next((f"the plan {plan}" for plan in plans if not experiment.by_scores(plan)), "")


def _describe(name: str) -> str:
    return (
        "; for a metric of your own say which way is better: "
        f"`- {{name: {name}, greater_is_better: false}}`"
    )


def _lacking_costs(experiment: Experiment, need: Need) -> str:
    """Write the `costs:` that a metric needs and a data set has not."""
    if need is Need.PRIORS:
        known = {name: experiment.costs_on(name) for name in experiment.datasets}
        lacking = [name for name, costs in known.items() if costs is None or costs.priors is None]
        keys = "classes: […], matrix: […], priors: […]"
    elif need is Need.COSTS:
        lacking, keys = experiment.without_costs, "classes: […], matrix: […]"
    else:
        return ""
    some = 0 < len(lacking) < len(experiment.datasets)
    where = f", which {lacking[0]} lacks" if some else ""
    return f"`costs: {{{keys}}}`{where}" if lacking else ""


def problems_with_importance(
    experiment: Experiment, classifiers: Mapping[str, Any]
) -> Iterator[Problem]:
    """Refuse importance without test rows or fitted models, and by scores that are not known."""
    wanted = experiment.importance
    if wanted is None:
        return
    if experiment.resampling.holdout is None or not experiment.fitted:
        yield Problem(
            ("importance",),
            "is measured on the test rows of the plan `holdout`, of models that are fitted here: "
            "there is none",
        )
    try:
        scorer(wanted.scoring)
    except UserError as error:
        yield Problem(("importance", "scoring"), str(error))
        return
    need = METRICS[wanted.scoring].needs if wanted.scoring in METRICS else Need.LABELS
    for name, made in classifiers.items():
        if not _gives(made, need):
            yield Problem(
                ("importance", "scoring"),
                f"{wanted.scoring} needs {_NEEDS[need]}, which {name} does not give",
            )


def problems_with_metrics_on(
    experiment: Experiment, dataset: str, table: Table
) -> Iterator[Problem]:
    """Find what is for two classes where the data have more."""
    if len(table.classes) in (0, 2):  # none: scores were given, whatever the rows were
        return
    wanted = experiment.importance
    if wanted is not None and is_for_two_classes(wanted.scoring):
        yield Problem(
            ("importance", "scoring"),
            f"{wanted.scoring} is for two classes, {dataset} has {len(table.classes)}",
        )
    for i, name in enumerate(experiment.metrics):
        if name in METRICS and METRICS[name].binary:
            yield Problem(
                ("metrics", i),
                f"{name} is for two classes, {dataset} has {len(table.classes)}; for more use "
                f"{METRICS[name].instead}",
            )


_NEEDS = {
    Need.PROBABILITIES: "class probabilities",
    Need.RANKING: "class probabilities or decision values",
}
_METHODS = {
    Need.PROBABILITIES: ("predict_proba",),
    Need.RANKING: ("predict_proba", "decision_function"),
}


def _gives(classifier: Any, need: Need) -> bool:
    """Tell whether a classifier has what a metric needs, as far as that is known before a fit."""
    methods = _METHODS.get(need, ())
    values = classifier.get_params(deep=False).values() if methods else ()
    if not methods or any(hasattr(classifier, method) for method in methods):
        return True
    composed = any(hasattr(value, "fit") or isinstance(value, list) for value in values)
    return composed and any(hasattr(type(classifier), method) for method in methods)
