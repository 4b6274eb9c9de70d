"""Made-up studies: the report's input without any file."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd

from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.row_tables import score_intervals
from bakeoff.comparisons.run_tests import Comparison, decide_pair, run_planned
from bakeoff.comparisons.score_matrix import HOLES, MATRIX, score_matrix
from bakeoff.report.study import Study
from bakeoff.spec import load_experiment
from bakeoff.stats import Evidence, catalogue

KEYS = ("dataset", "model", "plan", "repeat", "fold")
FOLDS = {"cv_5x2": (5, 2), "kfold": (1, 10), "halves": (8, 3), "holdout": (1, 1)}
FOLDS["resampled"] = (10, 1)
DUMMY = "sklearn.dummy.DummyClassifier"
REGRESSION = {"estimator": "sklearn.dummy.DummyRegressor", "task": "regression"}
REGRESSION |= {"metrics": ["rmse"]}


def experiment(
    models, datasets=("d",), tests=("cv5x2_f", "mcnemar"), subgroups=(), estimator=DUMMY, **more
):
    """Describe an experiment; `models` maps ids to labels or lists ids, `tests` lists names."""
    labels = models if isinstance(models, dict) else dict.fromkeys(models)
    data = {"source": "sklearn", "name": "iris", "subgroups": list(subgroups)}
    if not isinstance(tests, dict):
        tests = {"run": list(tests), "correction": "bonferroni"}
    plain = {
        "experiment": "made-up",
        "seed": 3,
        "datasets": dict.fromkeys(datasets, data),
        "models": {name: {"estimator": estimator, "label": one} for name, one in labels.items()},
        "resampling": {"cv_5x2": {}, "holdout": {}},
        "metrics": ["accuracy"],
        "tests": tests,
    }
    return load_experiment(plain | more)


def table(spec, means, *, metric, noise=0.01, undefined=()):
    rng = np.random.default_rng(1)
    rows = []
    for d, dataset in enumerate(spec.datasets):
        for name in spec.resampling.plans():
            shape = FOLDS[name]
            shared = rng.normal(0, noise, shape)
            for model in spec.models:
                mean = means[model][d] if isinstance(means[model], (list, tuple)) else means[model]
                values = mean + shared + rng.normal(0, noise / 2, shape)
                values = values - values.mean() + mean
                for r, f in itertools.product(range(shape[0]), range(shape[1])):
                    missing = model in undefined
                    rows.append(
                        (dataset, model, name, r + 1, f + 1, 100, 100, metric)
                        + ((math.nan, "no class probabilities") if missing else (values[r, f], ""))
                    )
    names = (*KEYS, "n_train", "n_test", "metric", "value", "undefined")
    return pd.DataFrame(rows, columns=names)


def card(name):
    return {
        "dataset": name, "label": name, "rows": 200, "classes": {"no": 120, "yes": 80},
        "features": {
            name: {"kind": "number", "missing": 0, "distinct": 200} for name in ("x", "y")
        }, "missing_cells": 0, "duplicate_rows": 0,
        "pairs_by_chance": 0.0, "near_copies": 0,
        "group_columns": [],
        "licence": None, "sha256": "ab" * 32,
    }  # fmt: skip


def rows_of(spec, accuracies, n=200):
    """Make a test set on which the models are right in a given number of rows."""
    rng = np.random.default_rng(1)
    y = np.where(rng.random(n) < 0.4, "yes", "no")
    other = np.where(y == "yes", "no", "yes")
    predicted = []
    for model in spec.models:
        right = np.zeros(n, dtype=bool)
        right[rng.permutation(n)[: round(accuracies[model] * n)]] = True
        predicted.append(np.where(right, y, other))
    return labelled(spec.models, y, predicted)


def labelled(models, truth, predicted):
    """Make a test set from labels, one array per model; the classes are sorted."""
    classes, codes = np.unique(np.array([truth, *predicted]), return_inverse=True)
    codes = codes.reshape(len(predicted) + 1, -1)
    ids = np.arange(1, len(truth) + 1)
    answers = codes[0], codes[1:].T
    return PairedPredictions(tuple(models), tuple(map(str, classes)), *answers, ids=ids)


def numbers_of(spec, errors, n=200):
    """Make a test set of numbers, ten times as large as the errors of the models are on average."""
    rng = np.random.default_rng(1)
    size = 10 * max(errors.values())
    truth = rng.uniform(size, 2 * size, n)
    predicted = [truth + rng.normal(0, errors[model], n) for model in spec.models]
    ids = np.arange(1, n + 1)
    return PairedPredictions(tuple(spec.models), (), truth, np.column_stack(predicted), ids=ids)


def study(spec, comparisons, means, *, accuracies=None, **options):
    rows = accuracies or dict.fromkeys(spec.models, 0.9)
    options.setdefault("metric", spec.metrics[0])
    made = numbers_of(spec, means) if spec.task.numbers else rows_of(spec, rows)
    sets = dict.fromkeys(spec.datasets, made)
    computed = [metric for metric in spec.metrics if metric not in spec.given_metrics]
    return Study(
        analysis_of(spec),
        tuple(comparisons),
        table(spec, means, **options),
        {name: card_of(name, numbers=spec.task.numbers) for name in spec.datasets},
        sets,
        {"python": "3.11.0", "platform": "Linux", "machine": "a machine"},
        "config/made-up.yaml",
        planned=plan_tests(spec)[1],
        divisions=[
            division(name, plan, numbers=spec.task.numbers)
            for name in spec.datasets
            for plan in FOLDS
        ],
        intervals=score_intervals(spec, sets, computed),
        experiment=spec,
    )


NUMBERS = {"numbers": {"mean": 35.0, "median": 34.0, "sd": 16.0, "min": 2.3, "max": 82.6}}


def card_of(name, *, numbers):
    described = card(name)
    if numbers:
        del described["classes"]  # a target of numbers has none
        described |= NUMBERS
    return described


def division(dataset, plan, *, numbers=False):
    repeats, folds = FOLDS[plan]
    part = {"rows": 100} | (NUMBERS if numbers else {"classes": {"no": 60, "yes": 40}})
    own = {"train": part, "test": part, "unused": 0, "repeated": 0}
    if numbers:  # other ones than those of the training rows
        own["test"] = {"rows": 100, "numbers": {"mean": 36.0, "median": 33.0, "sd": 15.0}}
    parts = [
        {"repeat": r + 1, "fold": f + 1, **own}
        for r, f in itertools.product(range(repeats), range(folds))
    ]
    return {
        "dataset": dataset, "plan": plan, "method": "random", "stratified": True, "rows": 200,
        "max_class_share_difference": 0.005, "groups": None,
        "parts": parts,
    }  # fmt: skip


def pair(a, b, p, estimate, *, test="cv5x2_f", adjusted=None, family=1, **more):
    on_rows = catalogue()[test].evidence.on_rows
    adjusted = (p if math.isnan(p) else min(1.0, p * family)) if adjusted is None else adjusted
    known = {
        "test": test, "role": "pair", "dataset": "d", "plan": "holdout" if on_rows else "cv_5x2",
        "metric": "accuracy", "model_a": a, "model_b": b, "statistic": 2.0, "pvalue": p,
        "pvalue_adjusted": adjusted, "correction": "bonferroni", "family_size": family,
        "estimate": estimate, "n": 200 if on_rows else 10, "status": "ok", "alpha": 0.05,
        "decision": decide_pair(adjusted, 0.05, estimate), "result": {},
    }  # fmt: skip
    return Comparison(**(known | more))


def omnibus(p, **more):
    known = {"test": "cochran_q", "role": "omnibus", "plan": "holdout", "n": 200}
    known |= {"statistic": 5.0, "df": 2.0, "correction": "none", "decision": decide_pair(p, 0.05)}
    return pair("", "", p, math.nan, **(known | more))


def ran(spec, means, *, accuracies=None, **options):
    """Make a study whose comparisons the real tests computed."""
    bare = study(spec, (), means, accuracies=accuracies, **options)
    rows = [row for test in bare.planned for row in run_planned(test, spec, _inputs(test, bare))]
    return dataclasses.replace(bare, comparisons=tuple(rows))


def raced(means, tests, **more):
    """Make a study of models of such accuracies, with the results of the real tests."""
    return ran(experiment(list(means), tests=tests, **more), means, accuracies=means)


def _inputs(test, bare):
    """Return what a test of a study reads."""
    spec, evidence = bare.experiment, catalogue()[test.name].evidence
    if evidence is Evidence.DATASETS:
        plans = {test.plan: spec.resampling.plans()[test.plan]}
        cells = score_matrix(bare.scores, spec.datasets, spec.models, test.metrics, plans)
        return dict(zip((MATRIX, HOLES), cells, strict=True))
    if evidence.on_rows:
        return bare.test_sets
    return {dataset: bare.scored_on[dataset, test.plan] for dataset in spec.datasets}
