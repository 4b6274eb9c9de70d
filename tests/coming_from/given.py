"""The data of the rows of docs/coming-from.md: as names for calls, and as evidence of tests."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy.stats
import statsmodels.stats.api
from mlxtend import evaluate
from sklearn import model_selection
from sklearn.dummy import DummyClassifier
from sklearn.svm import SVC
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multicomp import pairwise_tukeyhsd

import bakeoff
from bakeoff import stats
from bakeoff.comparisons.evidence import DatasetScores, FoldScores, PairedPredictions


def anova_of_folds(scores):
    """Return the row of the table of `AnovaRM` for scores of folds × models."""
    table = pd.DataFrame(scores).rename_axis("fold").reset_index()
    long = table.melt("fold", var_name="model", value_name="score")
    return AnovaRM(long, "score", "fold", ["model"]).fit().anova_table.iloc[0]


MORE = {"anova_of_folds": anova_of_folds, "pairwise_tukeyhsd": pairwise_tukeyhsd}
STATSMODELS = SimpleNamespace(**vars(statsmodels.stats.api), **MORE)
SPLITTERS = {name: one for name, one in vars(model_selection).items() if hasattr(one, "split")}


def names(data):
    """Return the arrays that a row's calls speak of."""
    return MADE[data["kind"]](data)


def ours(given):
    """Return what a Python call of ours may name."""
    return {**vars(stats), **SPLITTERS, "np": np, "bakeoff": bakeoff, **given}


def theirs(program, given):
    """Return what a call of an installed program may name."""
    found = {"np": np, "scipy": scipy, "itertools": itertools, "sm": STATSMODELS, **given}
    if program == "mlxtend":
        found |= {name: getattr(evaluate, name) for name in evaluate.__all__}
    if "a" in given:  # models that have these scores on their folds, in the order of the folds
        rng = np.random.default_rng(0)
        scores = iter(np.column_stack([given["a"].ravel(), given["b"].ravel()]).ravel().tolist())
        found |= {"m1": DummyClassifier(), "m2": DummyClassifier()}
        found |= {"X": rng.normal(size=(40, 1)), "t": np.arange(40) % 2}
        found["replay"] = lambda model, X, y: next(scores)
    return found


def evidence(given):
    """Return what the workflow would feed a test with."""
    if "folds" in given:
        values = given["s"][np.newaxis]
        return FoldScores(tuple("abc"), values, None, None, reasons=("", "", ""))
    if "s" in given:
        scores = given["s"]
        datasets, models = (tuple(map(str, range(n))) for n in scores.shape)
        return DatasetScores(models, datasets, scores)
    if "a" in given:
        values = np.stack([np.atleast_2d(given[m]) for m in "ab"], axis=-1)
        sizes = [np.full(values.shape[:2], given[key]) for key in ("n_train", "n_test")]
        return FoldScores(("a", "b"), values, *sizes, reasons=("", ""))
    classes, truth = np.unique(given["y"], return_inverse=True)
    predicted = [np.searchsorted(classes, labels) for labels in predictions(given).values()]
    return PairedPredictions(
        tuple(predictions(given)), tuple(classes), truth, np.array(predicted).T
    )


def predictions(given):
    """Return the predicted labels of each model."""
    models = zip("abc", ("p1", "p2", "p3"), strict=True)
    return {model: given[name] for model, name in models if name in given}


def _patterns(patterns, counts):
    """Yield the truth and predictions of models that are right as the patterns say."""
    right = np.repeat(np.asarray(patterns, dtype=bool), counts, axis=0)
    truth = np.arange(len(right)) % 2
    for column in (np.ones(len(right), dtype=bool), *right.T):
        yield np.where(column, truth, 1 - truth)


def _of_counts(data):
    cells = [data[k] for k in ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")]
    y, p1, p2 = _patterns([(1, 1), (1, 0), (0, 1), (0, 0)], cells)
    return {"y": y, "p1": p1, "p2": p2, "table": np.reshape(cells, (2, 2))}


def _of_patterns(data):
    labels = _patterns(data["patterns"], data["counts"])
    return dict(zip(("y", "p1", "p2", "p3"), labels, strict=True))


def _of_labels(data):
    rows = np.asarray(data["counts"])
    labels = np.array(data["classes"])[np.repeat(rows[:, :3], rows[:, 3], axis=0) - 1]
    return {"p1": labels[:, 0], "p2": labels[:, 1], "y": labels[:, 2]}


def _of_folds(data):
    scores = {model: np.array(data[model]) for model in "ab"}
    return {**scores, "n_train": data["n_train"], "n_test": data["n_test"]}


def _of_search(data):
    scores = np.array(data["scores"])
    splits = {f"split{i}_test_score": split for i, split in enumerate(scores.T)}
    ranks = np.arange(1, len(scores) + 1)
    results = {"params": data["params"], "rank_test_score": ranks, **splits}
    facts = {"cv_results_": results, "estimator": SVC(), "n_splits_": len(splits)}
    search = SimpleNamespace(**facts, scoring="roc_auc", refit=True, cv=None)
    best, second = scores[:2].reshape(2, 10, 10)
    sizes = {name: data[name] for name in ("n_train", "n_test")}
    return {"search": search, "scores": scores, "a": best, "b": second, **sizes}


MADE = {
    "counts": _of_counts,
    "patterns": _of_patterns,
    "costs": _of_labels,
    "folds": _of_folds,
    "search": _of_search,
    "matrix": lambda data: {"s": np.array(data["s"]), "folds": len(data["s"])},
    "datasets": lambda data: {"s": np.array(data["s"])},
    "pvalues": lambda data: {"p": np.array(data["p"])},
}
"""By kind: how the names are made."""
