"""Results of scikit-learn's `cross_validate`, of searches, and predictions of folds, compared."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bakeoff.api.arrays import as_pandas
from bakeoff.api.build_study import made_by
from bakeoff.api.estimator_input import learner_of, task_of
from bakeoff.api.findings import Findings
from bakeoff.api.plans import (
    FoldPlan,
    Split,
    is_drawn_anew,
    name_of_rounds,
    plan_of,
    same_splits,
)
from bakeoff.api.settings import (
    TestSettings,
    asked_tests,
    numbers_wanted,
    place_of,
    takes,
    without_none,
)
from bakeoff.comparisons import merged, plan_tests, run_planned
from bakeoff.data.given_predictions import HeldModel, given_card
from bakeoff.data.target import Classes, looks_like_a_quantity
from bakeoff.errors import UserError, listed, placed, some, unknown
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean
from bakeoff.scores import METRICS, Need, metrics_of
from bakeoff.scores.given_results import check_ranges
from bakeoff.sources.common.identifiers import identifiers, names, series_of
from bakeoff.spec import Experiment, HypothesisTests
from bakeoff.spec.given_models import GivenColumns, GivenData, GivenModel
from bakeoff.spec.load import report_problems, validated
from bakeoff.spec.metrics import NEGATED, GivenMetric
from bakeoff.spec.task import Task

if TYPE_CHECKING:
    from sklearn.model_selection._search import BaseSearchCV

_TEST = "test_"
_FOLDS, _DATA = "folds", "data"
"""The id of the one data set, of scores and of predictions."""
_FOLD = ("repeat", "fold")
_SIZES = ("n_train", "n_test")
_WITHOUT = "the fit or the metric gave no number"
Scores = Mapping[str, Mapping[str, NDArray[np.float64]]]
"""By model and metric, a score for each split."""


class FoldSettings(TestSettings, total=False):
    """What few need."""

    scoring: str | Sequence[str]
    unit: str | None


@takes(FoldSettings)
def compare_folds(
    results: Mapping[str, object],
    *,
    cv: object = None,
    X: ArrayLike | pd.DataFrame | None = None,
    y: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    positive: object = None,
    n: int | None = None,
    metrics: str | Sequence[str] = (),
    versus: str | None = None,
    alpha: float = 0.05,
    **settings: Unpack[FoldSettings],
) -> Findings:
    """Compare learning algorithms by their scores, or their predictions, on the same folds.

    The test is the one that the workflow recommends for the plan of `cv`, its correction for the
    rows that folds share from the sizes of their parts. Predictions are compared as by an
    experiment that takes them from files: by any metric, and by tests on rows.

    Parameters
    ----------
    results : Mapping of str to dict, array_like or DataFrame
        For each model what scikit-learn's `cross_validate` returned, or `cross_val_score`. Or its
        predictions: what ``cross_validate(…, return_estimator=True, return_indices=True)``
        returned, with `X` and `y`; or a DataFrame with a row for each row that a fold tests, and
        the columns ``fold``, ``y_pred`` or ``p_<class>``, and of repeated folds ``repeat``, whose
        index (or column ``id``) is that of `y`.
    cv : int, splitter of scikit-learn, or list of (train, test)
        What they were given; predictions tell it themselves. Where it draws other splits at each
        call (a `random_state` that is no number), scores must come with their splits:
        ``cross_validate(..., return_indices=True)``.
    X, y : array_like, shape (n, K) and (n,), optional
        Features and truth, from which the fitted models of all folds predict.
    groups : array_like, shape (n,), optional
        Which rows belong together, of predictions.
    positive : label, optional
        The positive one of two classes, of predictions; default: as in `compare`.
    n : int, optional
        The number of rows, for sizes that do not follow from `cv`; only some splitters need it.
    metrics : str or sequence of str
        Of one metric what ``test_score`` is, such as ``"accuracy"``; of results
        with several, such as ``test_f1``, those to compare (default: all). Of predictions metrics
        of bakeoff; default: accuracy, or RMSE. Also called `metric`, or `scoring`.
    versus : str, optional
        A model: it alone is compared with each other one; default: all pairs.
    alpha : float
        The significance level.

    Returns
    -------
    Findings

    Raises
    ------
    UserError
        Other splits in one of the results, splits of which too little is known, no test for them.

    Examples
    --------
    >>> import bakeoff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import StratifiedKFold, cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> cv = StratifiedKFold(10)
    >>> models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    >>> results = {name: cross_validate(model, X, y, cv=cv) for name, model in models.items()}
    >>> found = bakeoff.compare_folds(results, cv=cv, n=len(y), metric="accuracy")
    >>> found.to_frame()[["test", "statistic", "estimate"]].round(3)
                    test  statistic  estimate
    0  corrected_kfold_t     13.866     0.287
    """
    if not isinstance(results, Mapping) or len(results) < 2:
        raise UserError(
            "results: expected two models at least, each by its name: {'old': cross_validate(…), "
            "'new': cross_validate(…)}"
        )
    results = {str(model): one for model, one in results.items()}
    asked = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    name, unit, tests = settings["name"], settings["unit"], settings["tests"]
    ids = {label: f"model-{i}" for i, label in enumerate(results, 1)}
    tested: dict[str, Any] = {
        "tests": tests,
        "versus": versus,
        "alternative": settings["alternative"],
        "correction": settings["correction"],
        "alpha": alpha,
        "options": dict(settings["options"] or {}),
    }
    try:
        if y is not None or any(map(_is_table, results.values())):
            data = without_none(
                {"source": "given", "label": name, "positive": positive, "unit": unit}
            )
            study = _of_predictions(
                results, ids, _Rows(X, y, groups), cv, data, asked, asked_tests(ids, **tested)
            )
            return Findings(made_by(study, "bakeoff.compare_folds(results, …)"))
        of_rows = {"X": X, "groups": groups, "positive": positive, "unit": unit}
        for key, given in of_rows.items():
            if given is not None:
                raise UserError(f"{key}: it is for predictions of folds, with y; these are scores")
        scores = _scores(results, asked)
        n_scores = {m: len(next(iter(own.values()))) for m, own in scores.items()}
        if len(set(n_scores.values())) > 1:
            told = ", ".join(f"{model} {count}" for model, count in n_scores.items())
            raise UserError(f"results: models have different numbers of scores ({told})")
        plan = plan_of(cv, n, next(iter(n_scores.values())), _same_splits(results, cv))
        if plan.growing:
            tested["tests"] = tests or ["corrected_repeated_kfold_t"]
        study = _of_scores(results, ids, scores, plan, name, asked_tests(ids, **tested))
        return Findings(made_by(study, "bakeoff.compare_folds(results, cv=cv, …)"))
    except UserError as error:
        places = {key: place_of(label) for label, key in ids.items()}
        raise placed(error, places) from None


class SearchSettings(FoldSettings, total=False):
    """What `compare_folds` takes beside the results."""

    cv: object
    n: int | None
    metrics: str | Sequence[str]
    alpha: float


def compare_search(
    search: BaseSearchCV, *, versus: str | None = "best", **settings: Unpack[SearchSettings]
) -> Findings:
    """Compare the candidates of a search by their scores on its splits, best first.

    Which candidate is the best was seen in these very scores. Therefore ``versus="best"`` adjusts
    its p-values for all pairs, and is two-sided; a candidate that was chosen beforehand is named.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        Fitted.
    versus : "best", str or None
        ``"best"``: show the best candidate against each other one. The name of a candidate, chosen
        before these scores were known: compare it alone with each other one. None: all pairs.
    **settings
        As in `compare_folds`; `cv` is that of the search by default.

    Returns
    -------
    Findings
        Candidates are called by the parameters that differ: ``kernel=rbf``.

    Raises
    ------
    UserError
        No fitted search, candidates on different numbers of rows, an unknown candidate.

    Examples
    --------
    >>> import bakeoff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> grid = {"max_depth": [1, 2, 3]}
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=10)
    >>> found = bakeoff.compare_search(search.fit(*load_iris(return_X_y=True)))
    >>> found.to_frame()[["model_a", "model_b", "decision"]]
           model_a      model_b             decision
    0  max_depth=3  max_depth=2  no_difference_shown
    1  max_depth=3  max_depth=1             a_better
    """
    table = getattr(search, "cv_results_", None)
    if table is None or "n_resources" in table:
        raise UserError(
            f"search: found {type(search).__name__}, expected a fitted GridSearchCV or "
            "RandomizedSearchCV (a halving search scores candidates on different numbers of rows)"
        )
    from sklearn.base import clone

    names = _candidates(table["params"])
    control = None if versus == "best" else versus
    if control is None and settings.get("alternative", "two-sided") != "two-sided":
        raise UserError(
            "alternative: candidates are ordered by these very scores, so that a one-sided test "
            "would halve its p-value for nothing: name a candidate, chosen beforehand, in `versus`"
        )
    if control is not None and control not in names:
        raise UserError(f"versus: {unknown('candidate', control, [*names, 'best'])}")
    columns = [key for key in table if key.startswith("split0_test_")]
    metrics = [key.removeprefix("split0_test_") for key in columns]
    metrics.sort(key=lambda name: name != search.refit)
    splits = sum(re.fullmatch(rf"split\d+_test_{metrics[0]}", key) is not None for key in table)
    single = search.scoring if isinstance(search.scoring, str) else "score"
    results: dict[str, dict[str, list[float]]] = {}
    for i in np.argsort(table[f"rank_test_{metrics[0]}"], kind="stable"):
        results[names[i]] = {
            f"test_{single if metric == 'score' else metric}": [
                table[f"split{split}_test_{metric}"][i] for split in range(splits)
            ]
            for metric in metrics
        } | {"estimator": [clone(search.estimator).set_params(**table["params"][i])]}
    settings.setdefault("cv", search.cv)
    study = compare_folds(results, versus=control, **settings)._study
    return Findings(study, first=study.models[0] if versus == "best" else "")


def _candidates(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Call the candidates of a search by the parameters in which they differ."""
    keys = dict.fromkeys(key for own in params for key in own)
    texts = [{key: clean(str(v))[:40] for key, v in own.items()} for own in params]
    varied = [key for key in keys if len({own.get(key) for own in texts}) > 1] or list(keys)
    names = [", ".join(f"{k}={own[k]}" for k in varied if k in own) for own in texts]
    if len(set(names)) == len(names):
        return names
    return [f"{name} (candidate {i})" for i, name in enumerate(names)]


def _scores(results: Mapping[str, Any], metrics: Sequence[str]) -> Scores:
    """Take the test scores of each model, by metric."""
    scores = {model: _of_model(model, one, metrics) for model, one in results.items()}
    first = next(iter(scores))
    for model, own in scores.items():
        if list(own) != list(scores[first]):
            raise UserError(
                f"results[{model!r}]: its metrics are {some(own)}, those of {first} "
                f"{some(scores[first])}"
            )
    return scores


def _of_model(model: str, result: Any, metrics: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    if hasattr(result, "predict"):
        raise UserError(
            f"results[{model!r}]: found the estimator {type(result).__name__}, expected its "
            "scores: pass `cross_validate(model, X, y, cv=cv)`"
        )
    if not isinstance(result, Mapping):
        result = {"test_score": result}
    keys = [key for key in result if key.startswith(_TEST)]
    if not keys:
        raise UserError(
            f"results[{model!r}]: found {listed(result)}, expected what `cross_validate` returns, "
            "with `test_score`"
        )
    columns = {}
    for key in keys:
        try:
            values = np.asarray(result[key], dtype=np.float64)
        except (TypeError, ValueError):
            values = np.array(np.nan)
        if values.ndim != 1:
            raise UserError(f"results[{model!r}]: {key} holds no score for each split")
        columns[key.removeprefix(_TEST)] = values
    if [*columns] == ["score"] and len(metrics) < 2:
        return {(*metrics, "score")[0]: columns["score"]}
    for name in metrics:
        if name not in columns:
            raise UserError(f"metric: {unknown('metric', name, columns)}")
    return {name: columns[name] for name in metrics or columns}


def _same_splits(results: Mapping[str, Any], cv: Any) -> list[Split] | None:
    """Return the splits where the results hold them, having proved that they are the same."""
    known = {m: one["indices"] for m, one in results.items() if "indices" in _keys(one)}
    if len(known) < len(results):
        if is_drawn_anew(cv):
            raise UserError(
                f"cv: {type(cv).__name__} may draw other splits for each model: were they the "
                "same? Give it a number as `random_state`, or pass `return_indices=True` to "
                "`cross_validate`"
            )
        return None
    splits = {
        model: [
            (np.asarray(a), np.asarray(b)) for a, b in zip(one["train"], one["test"], strict=True)
        ]
        for model, one in known.items()
    }
    return same_splits(splits)


def _keys(result: Any) -> Sequence[str]:
    return list(result) if isinstance(result, Mapping) else []


def _of_scores(
    results: Mapping[str, Any],
    ids: Mapping[str, str],
    scores: Scores,
    plan: FoldPlan,
    name: str,
    asked: Mapping[str, Any],
) -> Study:
    """Run the tests of the experiment of these scores, and make the study for its report."""
    scores = {model: dict(starmap(_turned, own.items())) for model, own in scores.items()}
    experiment = validated(
        Experiment,
        {
            "experiment": "compare",
            "task": task_of(results.values()),
            "datasets": {_FOLDS: validated(GivenData, {"source": "given", "label": name})},
            "models": {
                key: validated(GivenModel, {"scores": "memory", "label": label}).trained_by(
                    learner_of(results[label])
                )
                for label, key in ids.items()
            },
            "metrics": [_metric(metric) for metric in next(iter(scores.values()))],
            "resampling": plan.resampling,
            "tests": validated(HypothesisTests, asked, ("tests",)),
        },
    )
    problems, planned = plan_tests(experiment)
    if problems:
        raise report_problems(problems)
    parts = []
    for model, own in scores.items():
        for metric, values in zip(experiment.metrics, own.values(), strict=True):
            part = pd.DataFrame(plan.places, columns=list(_FOLD))
            part = part.assign(n_train=np.nan, n_test=np.nan, metric=metric, value=values)
            for place, value in enumerate((_FOLDS, ids[model], plan.name)):
                part.insert(place, ("dataset", "model", "plan")[place], value)
            parts.append(part.assign(undefined=np.where(np.isnan(values), _WITHOUT, "")))
    frame = pd.concat(parts, ignore_index=True)
    check_ranges(frame, metrics_of(experiment), "scores", ("scores",))
    sizes = {size: np.tile(getattr(plan, size), len(parts)) for size in _SIZES}
    tested = frame.assign(**sizes)
    comparisons = [
        row for test in planned for row in run_planned(test, experiment, {_FOLDS: tested})
    ]
    spec = experiment.datasets[_FOLDS]
    assert isinstance(spec, GivenData)
    nothing = np.array([], dtype=np.intp)
    return Study(
        experiment,
        tuple(merged(comparisons)),
        tested if plan.sized else frame,
        {_FOLDS: given_card(_FOLDS, spec, {}, Classes(()), nothing)},
        analysis=planned,
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


def _is_table(result: Any) -> bool:
    """Tell whether a result is a table of predictions with labels of folds."""
    return hasattr(result, "columns") and "fold" in result.columns


class _Rows(NamedTuple):
    """What is known of the rows that folds test."""

    X: Any
    y: Any
    groups: Any


class _Fold(NamedTuple):
    """What one model says of the rows that a fold tests."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    predicted: Any
    probabilities: NDArray[np.float64] | None


def _of_predictions(
    results: Mapping[str, Any],
    ids: Mapping[str, str],
    rows: _Rows,
    cv: Any,
    data: Mapping[str, Any],
    metrics: Sequence[str],
    asked: Mapping[str, Any],
) -> Study:
    """Run the experiment of models that bring their predictions of folds."""
    from bakeoff.execution.in_process import run_in_process  # imports all rooms

    groups = rows.groups
    if all(map(_is_table, results.values())):
        tables = {label: _table(label, one, rows.y) for label, one in results.items()}
        plan = _plan_of_labels(next(iter(tables.values())))
    else:
        folds = {label: _folds(label, one, rows) for label, one in results.items()}
        truth = pd.Series(np.asarray(rows.y).ravel())
        splits = _whole_splits(folds, len(truth))
        plan = plan_of(cv, len(truth), len(splits), splits)
        tables = {label: _frame(label, own, truth, plan.places) for label, own in folds.items()}
        groups = None if groups is None else np.asarray(groups)  # rows are counted here
    if groups is not None:
        for table in tables.values():
            table["groups"] = _looked_up("groups", groups, table["id"])
    numbers = numbers_wanted(None, metrics)
    if numbers is None:
        roles = ("y_true", "y_pred")
        answers = [one[role] for one in tables.values() for role in roles if role in one]
        numbers = any(map(looks_like_a_quantity, answers))
    task = Task.REGRESSION if numbers else Task.CLASSIFICATION
    named_alike = [*_FOLD, *(["groups"] if groups is not None else [])]
    columns = validated(GivenColumns, {role: role for role in named_alike})
    experiment = validated(
        Experiment,
        {
            "experiment": "compare",
            "task": task,
            "datasets": {_DATA: validated(GivenData, data, ("datasets", _DATA))},
            "models": {
                key: HeldModel.of(
                    *(tables[label], columns, ("models", key)),
                    numbers=task.numbers,
                    predictions=place_of(label),
                    label=label,
                ).trained_by(learner_of(results[label]))
                for label, key in ids.items()
            },
            "metrics": list(metrics) or [task.metric],
            "resampling": plan.resampling,
            "tests": validated(HypothesisTests, asked, ("tests",)),
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        return run_in_process(experiment, folder, 1, lambda done, total: None)


def _looked_up(what: str, given: Any, ids: pd.Series[Any]) -> NDArray[Any]:
    """Return the values of rows: by the index of a Series, else by their places."""
    rows = given if isinstance(given, pd.Series) else series_of(np.asarray(given), given)
    lacking = ids[~ids.isin(rows.index)]
    if len(lacking):
        raise UserError(
            f"{what}: {len(lacking):,} rows have no value, the first is {lacking.iloc[0]}"
        )
    return rows.loc[ids].to_numpy()


def _folds(label: str, result: Any, rows: _Rows) -> list[_Fold]:
    """Let a model of each fold predict the rows that it did not see."""
    found = dict(result) if isinstance(result, Mapping) else {}
    X = rows.X
    if X is None or not {"estimator", "indices"} <= set(found):
        raise UserError(
            f"results[{label!r}]: found {listed(found) or type(result).__name__}, expected with y "
            "a table with the column `fold`, or with X and y "
            "`cross_validate(…, return_estimator=True, return_indices=True)`"
        )
    indices = found["indices"]
    folds = []
    for fitted, train, test in zip(
        found["estimator"], indices["train"], indices["test"], strict=True
    ):
        seen = X.iloc[test] if hasattr(X, "iloc") else X[test]
        sure = fitted.predict_proba(seen) if hasattr(fitted, "predict_proba") else None
        folds.append(_Fold(np.asarray(train), np.asarray(test), fitted.predict(seen), sure))
    return folds


def _whole_splits(folds: Mapping[str, Sequence[_Fold]], n: int) -> list[Split]:
    """Return the splits, which are the same of all models and divide all rows."""
    splits = same_splits({m: [(one.train, one.test) for one in own] for m, own in folds.items()})
    for i, (train, test) in enumerate(splits):
        if len(train) + len(test) != n:
            raise UserError(
                f"cv: split {i} trains on {len(train):,} and tests {len(test):,} of {n:,} rows; "
                "predictions are compared on folds whose other rows are all trained on: leave out "
                "X and y to compare the scores"
            )
    return splits


def _frame(
    label: str, folds: Sequence[_Fold], truth: pd.Series[Any], places: Sequence[tuple[int, int]]
) -> pd.DataFrame:
    """Write predictions as a table of them has them."""
    parts = []
    for one, (repeat, fold) in zip(folds, places, strict=True):
        part = pd.DataFrame({"id": one.test, "repeat": repeat, "fold": fold})
        part["y_true"] = truth.iloc[one.test].to_numpy()
        part["y_pred"] = np.asarray(one.predicted)
        if one.probabilities is not None:
            classes = names(pd.Series(np.unique(truth.iloc[one.train])))
            if np.shape(one.probabilities) != (len(part), len(classes)):
                raise UserError(
                    f"results[{label!r}]: its probabilities have shape "
                    f"{np.shape(one.probabilities)}, expected {(len(part), len(classes))}"
                )
            part[[f"p_{name}" for name in classes]] = np.asarray(one.probabilities)
        parts.append(part)
    found = pd.concat(parts, ignore_index=True)
    sure = [column for column in found if str(column).startswith("p_")]
    return found.fillna(dict.fromkeys(sure, 0.0))  # of classes that a fold did not know


def _table(label: str, given: Any, y: Any) -> pd.DataFrame:
    """Complete a table of predictions: its index is the id, and the truth may stand in `y`."""
    table = pd.DataFrame(as_pandas(given)).copy()
    if "id" not in table:
        table.insert(0, "id", table.index)
    if "repeat" not in table:
        table.insert(1, "repeat", 1)
    try:
        identifiers(table["id"])
    except UserError as error:
        raise UserError(f"results[{label!r}]: column 'id' {error}") from None
    if "y_true" not in table:
        if y is None:
            raise UserError(f"results[{label!r}]: found no column y_true, and no y")
        table["y_true"] = _looked_up("y", y, table["id"])
    return table.reset_index(drop=True)


def _plan_of_labels(table: pd.DataFrame) -> FoldPlan:
    """Return the plan that labels of repeats and folds are of."""
    repeats = table["repeat"].nunique()
    folds = len(table[list(_FOLD)].drop_duplicates()) // repeats
    if repeats * folds == 1:
        raise UserError(
            "results: all rows are of one fold, expected several: `bakeoff.compare` compares "
            "predictions of one test set"
        )
    tested = np.array([len(table) / (repeats * folds)])
    kind = "resampled" if folds == 1 else name_of_rounds(repeats, folds)
    return FoldPlan(kind, repeats, folds, table["id"].nunique() - tested, tested, sized=False)
