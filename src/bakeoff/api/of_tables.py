"""From a table of scores to the study that an experiment over its data sets would make."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.api.build_study import made_by
from bakeoff.api.settings import asked_tests
from bakeoff.api.tables import MIXED, ScoreTable
from bakeoff.comparisons import merged, plan_tests
from bakeoff.comparisons.matrix import Hole, score_matrix
from bakeoff.comparisons.run_tests import matrices, run_on_matrix
from bakeoff.data.given_predictions import given_card
from bakeoff.data.target import Classes
from bakeoff.errors import Problem
from bakeoff.report.study import Study
from bakeoff.scores import METRICS, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.spec import Experiment, HypothesisTests
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.given_models import GivenModel
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import GivenMetric

PLAN = "holdout"
"""The plan of one score per data set and model."""
ARGUMENTS = {key: key for key in ("alpha", "alternative", "correction", "versus", "options")}
ARGUMENTS |= {key: key for key in ("datasets", "groups", "metric", "models", "repeats", "values")}
ARGUMENTS |= {
    "table": "table",
    "run": "tests",
    "label": "name",
    "missing_cells": "missing",
    "scores": "table",
}
"""The argument that stands for a key of an experiment."""
_SHOWN = 3


def study_of(
    table: ScoreTable,
    command: str,
    *,
    name: str,
    tests: Sequence[str],
    versus: str | None,
    missing: str,
    **settings: Any,
) -> Study:
    """Run the tests of the experiment of these scores, and make the study for its report."""
    ids = _ids(table.models, "model")
    data = _ids(table.datasets, "data")
    wanted = validated(
        HypothesisTests,
        {
            **asked_tests(ids, tests=tests, versus=versus, **settings),
            "missing_cells": "error" if missing == "refuse" else missing,
            "dataset_groups": {g: [data[one] for one in own] for g, own in table.groups.items()},
        },
        ("tests",),
    )
    if len(wanted.units(data.values())) < 2:
        raise Problem(
            ("datasets",),
            "found one data set, expected two at least; with one, compare the predictions of its "
            "rows (`bakeoff compare`) or the scores of its folds (`compare_folds`)",
        )
    experiment = _experiment(table, ids, data, wanted, name)
    problems, planned = plan_tests(experiment)
    if problems:
        raise report_problems(problems)
    frame = _frame(table, ids, data, experiment)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    plans = experiment.resampling.plans()
    matrix, holes = score_matrix(
        frame, list(data.values()), list(ids.values()), experiment.metrics, plans
    )
    used = {metric for _, metric in matrices(planned)}
    _check_missing(table, [h for h in holes if h.metric in used or not used], missing, ids, data)
    comparisons = [
        row for test in planned for row in run_on_matrix(test, experiment, matrix, holes)
    ]
    nothing = np.array([], dtype=np.intp)
    specs = {one: spec for one, spec in experiment.datasets.items() if isinstance(spec, GivenData)}
    study = Study(
        experiment,
        tuple(merged(comparisons)),
        frame,
        {one: given_card(one, spec, {}, Classes(()), nothing) for one, spec in specs.items()},
        notes={next(iter(data.values())): [*table.notes, *_units(table)]},
        missing={"policy": wanted.missing_cells, "missing": [vars(hole) for hole in holes]},
        analysis=planned,
    )
    return made_by(study, command)


def _units(table: ScoreTable) -> list[str]:
    """Say of which metrics values are ranked on each data set alone, and why."""
    return [
        f"{name} has other units on other data sets ({why}): scores are ranked, and have no mean."
        for name, why in table.mixed.items()
    ]


def _ids(labels: Sequence[str], what: str) -> dict[str, str]:
    """Return an id for each name, as like it as an id can be: notes and messages show it."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for i, label in enumerate(labels, 1):
        plain = re.sub(r"[^A-Za-z0-9_]+", "-", label).strip("-_")[:50]
        found[label] = plain if plain and plain not in taken else f"{plain or what}-{i}"
        taken.add(found[label])
    return found


def _experiment(
    table: ScoreTable,
    ids: Mapping[str, str],
    data: Mapping[str, str],
    tests: HypothesisTests,
    name: str,
) -> Experiment:
    """Make the experiment of data sets and models with given scores."""
    given = {"scores": "memory"}
    of_data = {"source": "given"}
    return validated(
        Experiment,
        {
            "experiment": "compare",
            "label": name,
            "datasets": {i: validated(GivenData, {**of_data, "label": d}) for d, i in data.items()},
            "models": {i: validated(GivenModel, {**given, "label": m}) for m, i in ids.items()},
            "metrics": [_metric(table, name) for name in table.better],
            "resampling": {PLAN: {}},
            "tests": tests,
        },
    )


def _metric(table: ScoreTable, name: str) -> str | GivenMetric:
    """Return our metric of that name, or describe it."""
    if name in METRICS:
        return name
    called = re.sub(r"\W", "_", name)
    called = called if called[:1].isalpha() else f"metric_{called}"
    label = "error of each data set's metric" if name == MIXED else name
    own = {"name": called, "label": label, "greater_is_better": table.better[name]}
    own |= {"mixed_units": name in table.mixed}
    return validated(GivenMetric, own, ("metrics",))


def _frame(
    table: ScoreTable, ids: Mapping[str, str], data: Mapping[str, str], experiment: Experiment
) -> pd.DataFrame:
    """Write the scores as collected ones are."""
    parts = []
    for metric, (name, values) in zip(experiment.metrics, table.values.items(), strict=True):
        part = pd.DataFrame(
            {
                "dataset": np.repeat([*data.values()], len(ids)),
                "model": np.tile([*ids.values()], len(data)),
                "plan": PLAN,
                "repeat": 1,
                "fold": 1,
                "n_train": np.nan,
                "n_test": np.nan,
                "metric": metric,
                "value": values.ravel(),
            }
        )
        gaps = np.isnan(values)
        said = np.full(values.shape, "", dtype=object)
        for row, column in np.argwhere(gaps):
            cell = name, table.datasets[row], table.models[column]
            said[row, column] = table.reasons.get(cell, "no score")
        parts.append(part.assign(undefined=said.ravel()))
    return pd.concat(parts, ignore_index=True)


def _check_missing(
    table: ScoreTable,
    holes: Sequence[Hole],
    missing: str,
    ids: Mapping[str, str],
    data: Mapping[str, str],
) -> None:
    """Refuse missing scores of which nobody says what they mean."""
    models, datasets = ({i: label for label, i in own.items()} for own in (ids, data))
    named = [
        dataclasses.replace(h, model=models[h.model], dataset=datasets[h.dataset]) for h in holes
    ]
    if missing == "refuse" and named:
        shown = "; ".join(f"{h.model} on {h.dataset} ({h.reason})" for h in named[:_SHOWN])
        more = f"; and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        cells = "1 score is" if len(named) == 1 else f"{len(named)} scores are"
        raise Problem(
            ("missing_cells",),
            f"{cells} missing: {shown}{more}. Say what becomes of them: `failed` (a crash or a "
            "limit: they rank last), `drop_dataset` or `drop_model` (what is not complete is left "
            "out)",
        )
