"""Scores of folds at hand: to the study that an experiment of them would make."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.api.build_study import made_by
from bakeoff.api.plans import FoldPlan
from bakeoff.comparisons import merged, plan_tests
from bakeoff.comparisons.run_tests import run_on_scores
from bakeoff.data.given_predictions import given_card
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.spec import Experiment, load_experiment
from bakeoff.spec.datasets import GivenData

FOLDS = "folds"
"""The id of the one data set."""
ARGUMENTS = {key: key for key in ("alpha", "alternative", "correction", "versus", "options")}
ARGUMENTS["run"] = "tests"
"""What an argument is called that is a key of an experiment."""
_WITHOUT = "the fit or the metric gave no number"

Scores = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""By model and metric, a score for each split."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AskedOfFolds:
    """How scores of folds are to be compared.

    Attributes
    ----------
    versus : str or None
        The model that is compared with each other, by its name.
    alternative, correction, alpha, options
        As in `tests:` of an experiment.
    tests : sequence of str
        Their names; those that are recommended if empty.
    name : str
        What to call the data.
    """

    versus: str | None
    alternative: str
    correction: str | None
    alpha: float
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, Any]]
    name: str


def study_of(scores: Scores, plan: FoldPlan, asked: AskedOfFolds, command: str) -> Study:
    """Test what the experiment of these scores would, and gather what a report needs.

    Parameters
    ----------
    scores : Mapping of model to Mapping of metric to ndarray, shape (J,)
        In the order of the splits; greater is better, as scikit-learn has it.
    plan : FoldPlan
        What the splits are.
    asked : AskedOfFolds
        How to compare.
    command : str
        What makes the same results.

    Raises
    ------
    UserError
        Scores that a metric cannot have, or a test that does not fit.
    """
    ids = {label: f"model-{i}" for i, label in enumerate(scores, 1)}
    experiment = _experiment(scores, ids, plan, asked)
    problems, tests = plan_tests(experiment)
    if problems:
        raise UserError("\n".join(map(str, problems)))
    frame = _frame(scores, ids, experiment, plan)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    tested = frame.assign(**{name: _tiled(getattr(plan, name), frame) for name in _SIZES})
    comparisons = [row for test in tests for row in run_on_scores(test, experiment, FOLDS, tested)]
    spec = experiment.datasets[FOLDS]
    assert isinstance(spec, GivenData)
    nothing = np.array([], dtype=np.intp)
    study = Study(
        experiment,
        tuple(merged(comparisons)),
        tested if plan.sized else frame,
        pd.DataFrame(),
        {FOLDS: given_card(FOLDS, spec, {}, nothing, ())},
        analysis=tests,
    )
    return made_by(study, command)


_SIZES = ("n_train", "n_test")


def _experiment(
    scores: Scores, ids: Mapping[str, str], plan: FoldPlan, asked: AskedOfFolds
) -> Experiment:
    if asked.versus is not None and asked.versus not in ids:
        raise Problem(("versus",), unknown("model", asked.versus, ids))
    growing = ["corrected_repeated_kfold_t"] if plan.growing else "recommended"
    tests = {
        "alpha": asked.alpha,
        "alternative": asked.alternative,
        "run": list(asked.tests) or growing,
        "options": {name: dict(own) for name, own in asked.options.items()},
        **({} if asked.correction is None else {"correction": asked.correction}),
        **({} if asked.versus is None else {"versus": ids[asked.versus]}),
    }
    first = next(iter(scores.values()))
    return load_experiment(
        {
            "experiment": "compare",
            "datasets": {FOLDS: {"source": "given", "label": asked.name}},
            "models": {i: {"scores": "memory", "label": m} for m, i in ids.items()},
            "metrics": [_metric(name) for name in first],
            "resampling": plan.resampling,
            "tests": tests,
        }
    )


def _metric(name: str) -> Any:
    """Take a metric for ours of that name, or describe it: scikit-learn's are better if greater."""
    if name in METRICS and METRICS[name].greater_is_better:
        return name
    called = re.sub(r"\W", "_", name if name not in METRICS else f"neg_{name}")
    return {"name": called, "greater_is_better": True}


def _frame(
    scores: Scores, ids: Mapping[str, str], experiment: Experiment, plan: FoldPlan
) -> pd.DataFrame:
    """Write the scores as collected ones are."""
    at = [(r, f) for r in range(1, plan.repeats + 1) for f in range(1, plan.folds + 1)]
    parts = []
    for model, own in scores.items():
        for metric, values in zip(experiment.metrics, own.values(), strict=True):
            part = pd.DataFrame(at, columns=["repeat", "fold"])
            part = part.assign(n_train=np.nan, n_test=np.nan, metric=metric, value=values)
            part.insert(0, "plan", plan.name)
            part.insert(0, "model", ids[model])
            part.insert(0, "dataset", FOLDS)
            parts.append(part.assign(undefined=np.where(np.isnan(values), _WITHOUT, "")))
    return pd.concat(parts, ignore_index=True)


def _tiled(sizes: NDArray[Any], frame: pd.DataFrame) -> NDArray[Any]:
    return np.tile(sizes, len(frame) // len(sizes))
