"""Results of scikit-learn's `cross_validate` and of searches, compared by their splits' test."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bakeoff.api.estimator_entries import learner_of, task_of
from bakeoff.api.findings import Findings
from bakeoff.api.of_folds import ARGUMENTS, Scores, study_of
from bakeoff.api.plans import Split, is_drawn_anew, plan_of, same_splits
from bakeoff.api.reports import is_of_folds, is_table
from bakeoff.api.settings import place_of, takes
from bakeoff.errors import UserError, listed, named, some, unknown
from bakeoff.report.study_design import clean

if TYPE_CHECKING:
    from sklearn.model_selection._search import BaseSearchCV

_TEST = "test_"


class FoldSettings(TypedDict, total=False):
    """What few need."""

    metric: str | Sequence[str]
    scoring: str | Sequence[str]
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    tests: Sequence[str]
    options: Mapping[str, Mapping[str, object]] | None
    unit: str | None
    name: str


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
    results : Mapping of str to dict, array_like, DataFrame or report
        For each model what scikit-learn's `cross_validate` returned, or `cross_val_score`. Or its
        predictions: what ``cross_validate(…, return_estimator=True, return_indices=True)``
        returned, with `X` and `y`; a `CrossValidationReport` of skore; or a DataFrame with a row
        for each row that a fold tests, and the columns ``fold``, ``y_pred`` or ``p_<class>``, and
        of repeated folds ``repeat``, whose index (or column ``id``) is that of `y`.
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
    of_tests: dict[str, Any] = {**settings, "versus": versus, "alpha": alpha}
    of_tests["options"] = dict(settings["options"] or {})
    of_rows = {"X": X, "groups": groups, "positive": positive, "unit": of_tests.pop("unit")}
    predicted = (is_of_folds(one) or is_table(one) for one in results.values())
    places = {f"model-{i}": place_of(model) for i, model in enumerate(results, 1)}
    try:
        if y is not None or any(predicted):
            from bakeoff.api.fold_predictions import study_of_predictions  # imports all rooms

            return Findings(
                study_of_predictions(results, cv=cv, y=y, metrics=asked, **of_rows, **of_tests)
            )
        for key, given in of_rows.items():
            if given is not None:
                raise UserError(f"{key}: it is for predictions of folds, with y; these are scores")
        scores = _scores(results, asked)
        n_scores = {m: len(next(iter(own.values()))) for m, own in scores.items()}
        if len(set(n_scores.values())) > 1:
            told = ", ".join(f"{model} {count}" for model, count in n_scores.items())
            raise UserError(f"results: models have different numbers of scores ({told})")
        plan = plan_of(cv, n, next(iter(n_scores.values())), _same_splits(results, cv))
        command = "bakeoff.compare_folds(results, cv=cv, …)"
        of_tests["learners"] = {label: learner_of(one) for label, one in results.items()}
        of_tests["task"] = task_of(results.values())
        return Findings(study_of(scores, plan, command, **of_tests))
    except UserError as error:
        raise named(error, ARGUMENTS | places) from None


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
