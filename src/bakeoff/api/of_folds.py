"""From the scores of folds to the study that an experiment of them would make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.build_study import made_by
from bakeoff.api.plans import FoldPlan
from bakeoff.api.settings import asked_tests
from bakeoff.comparisons import merged, plan_tests
from bakeoff.comparisons.run_tests import run_on_scores
from bakeoff.data.given_predictions import given_card
from bakeoff.data.target import Classes
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, Need, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.spec import Experiment, HypothesisTests
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.models import Model
from bakeoff.spec.scorings import NEGATED
from bakeoff.spec.task import Task

FOLDS = "folds"
"""The id of the one data set."""
ARGUMENTS = {key: key for key in ("alpha", "alternative", "correction", "versus", "options")}
ARGUMENTS |= {key: key for key in ("metrics", "positive", "unit")}
ARGUMENTS |= {"run": "tests", "label": "name", "classes": "y", "resampling": "cv"}
"""The argument that stands for a key of an experiment."""
_WITHOUT = "the fit or the metric gave no number"

Scores = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""By model and metric, a score for each split."""


def study_of(
    scores: Scores,
    plan: FoldPlan,
    command: str,
    *,
    name: str,
    tests: Sequence[str],
    versus: str | None,
    learners: Mapping[str, Model | None],
    task: Task,
    **settings: Any,
) -> Study:
    """Run the tests of the experiment of these scores, and make the study for its report."""
    scores = {model: dict(starmap(_turned, own.items())) for model, own in scores.items()}
    ids = {label: f"model-{i}" for i, label in enumerate(scores, 1)}
    run = tests or (["corrected_repeated_kfold_t"] if plan.growing else ())
    asked = asked_tests(ids, tests=run, versus=versus, **settings)
    wanted = validated(HypothesisTests, asked, ("tests",))
    experiment = _experiment(scores, ids, plan, wanted, name, learners, task)
    problems, planned = plan_tests(experiment)
    if problems:
        raise report_problems(problems)
    frame = _frame(scores, ids, experiment, plan)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    tested = frame.assign(**{name: _tiled(getattr(plan, name), frame) for name in _SIZES})
    comparisons = [
        row for test in planned for row in run_on_scores(test, experiment, FOLDS, tested)
    ]
    spec = experiment.datasets[FOLDS]
    assert isinstance(spec, GivenData)
    nothing = np.array([], dtype=np.intp)
    study = Study(
        experiment,
        tuple(merged(comparisons)),
        tested if plan.sized else frame,
        {FOLDS: given_card(FOLDS, spec, {}, Classes(()), nothing)},
        analysis=planned,
    )
    return made_by(study, command)


_SIZES = ("n_train", "n_test")


def _experiment(
    scores: Scores,
    ids: Mapping[str, str],
    plan: FoldPlan,
    tests: HypothesisTests,
    name: str,
    learners: Mapping[str, Model | None],
    task: Task,
) -> Experiment:
    """Make the experiment of models with given scores."""
    given = {"scores": "memory"}
    metrics = next(iter(scores.values()))
    return validated(
        Experiment,
        {
            "experiment": "compare",
            "task": task,
            "datasets": {FOLDS: validated(GivenData, {"source": "given", "label": name})},
            "models": {
                i: validated(GivenModel, {**given, "label": m}).trained_by(learners[m])
                for m, i in ids.items()
            },
            "metrics": [_metric(metric) for metric in metrics],
            "resampling": plan.resampling,
            "tests": tests,
        },
    )


def _turned(name: str, values: NDArray[np.float64]) -> tuple[str, NDArray[np.float64]]:
    """Turn the sign of losses of numbers that scikit-learn has negated."""
    ours = NEGATED.get(name, name)
    if ours not in METRICS or METRICS[ours].needs is not Need.NUMBERS:
        return name, values
    negated = METRICS[ours].range[0] >= 0 and not (values > 0).any()
    return ours, -values if negated else values


def _metric(name: str) -> str | GivenMetric:
    """Return our metric of that name, or describe one of scikit-learn (greater is better)."""
    if name in METRICS and (METRICS[name].greater_is_better or METRICS[name].needs is Need.NUMBERS):
        return name
    called = re.sub(r"\W", "_", name if name not in METRICS else f"neg_{name}")
    return validated(GivenMetric, {"name": called, "greater_is_better": True}, ("metrics",))


def _frame(
    scores: Scores, ids: Mapping[str, str], experiment: Experiment, plan: FoldPlan
) -> pd.DataFrame:
    """Write the scores as collected ones are."""
    parts = []
    for model, own in scores.items():
        for metric, values in zip(experiment.metrics, own.values(), strict=True):
            part = pd.DataFrame(plan.places, columns=["repeat", "fold"])
            part = part.assign(n_train=np.nan, n_test=np.nan, metric=metric, value=values)
            part.insert(0, "plan", plan.name)
            part.insert(0, "model", ids[model])
            part.insert(0, "dataset", FOLDS)
            parts.append(part.assign(undefined=np.where(np.isnan(values), _WITHOUT, "")))
    return pd.concat(parts, ignore_index=True)


def _tiled(sizes: NDArray[Any], frame: pd.DataFrame) -> NDArray[Any]:
    return np.tile(sizes, len(frame) // len(sizes))
