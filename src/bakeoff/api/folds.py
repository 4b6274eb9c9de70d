"""Results of scikit-learn's `cross_validate`, of searches, and predictions of folds, compared."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bakeoff.api.build_study import (
    HOLDOUT,
    check_label,
    given_experiment,
    given_study,
    made_by,
    planned_tests,
    section_of_tests,
    tests_asked,
    without_none,
)
from bakeoff.api.entries import learner_of, task_of
from bakeoff.api.estimators import refuse_spellings
from bakeoff.api.findings import Findings
from bakeoff.api.fold_plans import PROVE, FoldPlan, Split, plan_of, same_splits
from bakeoff.api.frames import as_pandas
from bakeoff.api.measured import described_metric, numbers_wanted
from bakeoff.api.signature import FoldSettings, takes
from bakeoff.comparisons.analysis import Analysis, ComparedData, ComparedModel
from bakeoff.comparisons.choose import GROWING
from bakeoff.data.given_predictions import HeldModel
from bakeoff.data.target import looks_like_a_quantity
from bakeoff.errors import UserError, Verbatim, listed, placed, some, unknown
from bakeoff.execution.fits import run_in_process
from bakeoff.report.numbers import clean
from bakeoff.report.study import Study
from bakeoff.scores import METRICS
from bakeoff.scores.given_results import check_ranges
from bakeoff.sources.common.identifiers import names, series_of
from bakeoff.spec import HypothesisTests
from bakeoff.spec.experiment import Task
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import METRICS_OF, GivenMetric
from bakeoff.spec.resampling import Resampling

if TYPE_CHECKING:
    from sklearn.model_selection._search import BaseSearchCV

_TEST = "test_"
_FOLDS = "folds"
"""The id of the one data set of scores."""
_DATA = "data"
"""The id of the one data set of predictions."""
DIRECTIONS = ("higher", "lower")
"""Which scores may be better."""
_WITHOUT = "the fit or the metric gave no number"
_LONGEST = 40
"""Characters of a parameter's value in the name of a candidate."""


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
    values: Literal["higher", "lower"] | None = None,
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
    n : int, optional
        The number of rows, for sizes that do not follow from `cv`; only some splitters need it.
    metrics : str or sequence of str
        Of one metric what ``test_score`` is, such as ``"accuracy"``; of results
        with several, such as ``test_f1``, those to compare (default: all). Of predictions metrics
        of bakeoff; default: accuracy, or RMSE. Also called `metric`, or `scoring`.
    values : {"higher", "lower"}, optional
        Which scores are better. Needed for arrays of a metric that bakeoff and scikit-learn do not
        know by its name: they may be scores, errors or times. What `cross_validate` returned is
        better the higher it is, by the rule of scikit-learn's scorers.

    Returns
    -------
    Findings

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
    results = {str(model): result for model, result in results.items()}
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    if values not in (None, *DIRECTIONS):
        raise UserError(f"values: {unknown('direction', values, DIRECTIONS)}")
    unit = settings["unit"]
    label = settings["name"]
    options = {**settings, "versus": versus, "alpha": alpha}
    if y is None and not any(map(_is_table, results.values())):
        tests = tests_asked(results, options)
        of_rows = {"X": X, "groups": groups, "positive": positive, "unit": unit}
        for argument, value in of_rows.items():
            if value is not None:
                raise UserError(
                    f"{argument}: it is for predictions of folds, with y; these are scores"
                )
        return Findings(_of_scores(results, names, values, cv, n, label, tests))
    ids = {}
    place_by_id = {}
    for i, model in enumerate(results, 1):
        ids[model] = f"model-{i}"
        place_by_id[f"model-{i}"] = _place_of(model)
    try:
        section = section_of_tests(ids, options)
        if values is not None:
            raise UserError("values: it is for scores of folds; these are predictions")
        data = without_none({"label": label, "positive": positive, "unit": unit})
        rows = _Rows(X, y, groups, cv)
        return Findings(_of_predictions(results, ids, rows, names, data, section))
    except UserError as error:
        raise placed(error, place_by_id) from None


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
    control = versus
    # all pairs are tested, and those of the best one are shown
    if versus == "best":
        control = None
    if control is None and settings.get("alternative", "two-sided") != "two-sided":
        raise UserError(
            "alternative: candidates are ordered by these very scores: a one-sided test is for a "
            "candidate that was chosen beforehand, named in `versus`"
        )
    first = "split0_test_"
    metrics = [key.removeprefix(first) for key in table if key.startswith(first)]
    # the metric by which the search chose comes first
    metrics.sort(key=lambda name: name != search.refit)
    single = "score"
    if isinstance(search.scoring, str):
        single = search.scoring
    results: dict[str, dict[str, Any]] = {}
    for place in np.argsort(table[f"rank_test_{metrics[0]}"], kind="stable"):
        result: dict[str, Any] = {}
        for metric in metrics:
            scores = []
            for i in range(search.n_splits_):
                scores.append(table[f"split{i}_test_{metric}"][place])
            name = single if metric == "score" else metric
            result[f"test_{name}"] = scores
        # cautions about learners look at the estimator of a result
        result["estimator"] = [clone(search.estimator).set_params(**table["params"][place])]
        results[names[place]] = result
    settings.setdefault("cv", search.cv)
    study = compare_folds(results, versus=control, **settings)._study
    if versus == "best":
        return Findings(study, first=study.models[0])
    return Findings(study)


def _candidates(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Call the candidates of a search by the parameters in which they differ."""
    candidates = []
    for parameters in params:
        texts = {key: clean(str(value))[:_LONGEST] for key, value in parameters.items()}
        candidates.append(texts)
    keys = list(dict.fromkeys(chain.from_iterable(candidates)))
    varied = []
    for key in keys:
        # a candidate that lacks a parameter differs in it from one that has it
        values = {texts.get(key) for texts in candidates}
        if len(values) > 1:
            varied.append(key)
    names = []
    for texts in candidates:
        parts = []
        for key in varied or keys:
            if key in texts:
                parts.append(f"{key}={texts[key]}")
        names.append(", ".join(parts))
    if len(set(names)) == len(names):
        return names
    for place, name in enumerate(names):
        names[place] = f"{name} (candidate {place})"
    return names


def _scores_of(model: str, result: Any, metrics: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Take the test scores of a model, by metric."""
    if hasattr(result, "predict"):
        raise UserError(
            f"results[{model!r}]: found the estimator {type(result).__name__}, expected its "
            "scores: pass `cross_validate(model, X, y, cv=cv)`"
        )
    if not isinstance(result, Mapping):
        result = {"test_score": result}
    columns = {}
    for key in result:
        if key.startswith(_TEST):
            columns[key.removeprefix(_TEST)] = _column_of(model, key, result[key])
    if not columns:
        raise UserError(
            f"results[{model!r}]: found {listed(result)}, expected what `cross_validate` returns, "
            "with `test_score`"
        )
    # of a single metric `test_score` is the one that the call names
    if list(columns) == ["score"] and len(metrics) == 1:
        columns = {metrics[0]: columns["score"]}
    if not metrics:
        return columns
    chosen = {}
    for metric in metrics:
        if metric not in columns:
            raise UserError(f"metric: {unknown('metric', metric, columns)}")
        chosen[metric] = columns[metric]
    return chosen


def _column_of(model: str, key: str, values: Any) -> NDArray[np.float64]:
    """Return the scores of all splits by one metric."""
    try:
        scores = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        scores = np.array(np.nan)
    if scores.ndim != 1:
        raise UserError(f"results[{model!r}]: {key} holds no score for each split")
    return scores


class _FoldMetric(NamedTuple):
    """A metric of scores of folds."""

    name: str
    """What it is called in an analysis."""
    described: GivenMetric | None = None
    """How it was described, where it is none of bakeoff's."""
    sign: int = 1
    """-1 where scikit-learn has negated its scores."""


def _of_scores(
    results: Mapping[str, Any],
    names: Sequence[str],
    values: str | None,
    cv: Any,
    n: int | None,
    label: str | None,
    tests: HypothesisTests,
) -> Study:
    """Compare models by their scores of folds."""
    scores = {}
    for model, result in results.items():
        scores[model] = _scores_of(model, result, names)
    n_scores = _check_alike(scores)
    metrics = _metrics_of(scores, results, values)
    plan = plan_of(cv, n, n_scores, _proven_splits(results, cv))
    # the test of one cross-validation is not for folds that train on more and more rows
    if plan.growing and "run" not in tests.model_fields_set:
        tests = tests.model_copy(update={"run": [GROWING]})
    analysis = _analysis(results, list(metrics.values()), plan, label, tests)
    planned = planned_tests(analysis)
    frame = _frame_of(scores, metrics, plan)
    check_ranges(frame, analysis.measures, "scores", ("scores",))
    shown = frame
    # tests need ratios of sizes alone, which are no numbers of rows to be shown
    if not plan.sized:
        shown = frame.assign(n_train=np.nan, n_test=np.nan)
    command = "bakeoff.compare_folds(results, cv=cv, …)"
    return given_study(analysis, planned, {_FOLDS: frame}, shown, command)


def _check_alike(scores: Mapping[str, Mapping[str, NDArray[np.float64]]]) -> int:
    """Return the number of scores, or refuse models that have other metrics or other numbers."""
    first, metrics = next(iter(scores.items()))
    for model, by_metric in scores.items():
        if list(by_metric) != list(metrics):
            raise UserError(
                f"results[{model!r}]: its metrics are {some(by_metric)}, those of {first} "
                f"{some(metrics)}"
            )
    counts = {}
    for model, by_metric in scores.items():
        counts[model] = len(next(iter(by_metric.values())))
    if len(set(counts.values())) > 1:
        each = ", ".join(f"{model} {count}" for model, count in counts.items())
        raise UserError(f"results: models have different numbers of scores ({each})")
    return counts[first]


def _proven_splits(results: Mapping[str, Any], cv: Any) -> list[Split] | None:
    """Return the splits that all results hold; refuse a splitter that may draw others each time."""
    if all(map(_holds_splits, results.values())):
        return same_splits(results)
    # KFold draws only with shuffle=True; ShuffleSplit, without this attribute, always does
    draws = getattr(cv, "shuffle", hasattr(cv, "random_state"))
    if draws and not isinstance(cv.random_state, Integral):
        raise UserError(
            f"cv: {type(cv).__name__} may draw other splits for each model: give it a number as "
            f"`random_state`, or {PROVE}"
        )
    return None


def _holds_splits(result: Any) -> bool:
    """Tell whether `cross_validate` returned the rows of each fold too."""
    return isinstance(result, Mapping) and "indices" in result


def _metrics_of(
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]],
    results: Mapping[str, Any],
    values: str | None,
) -> dict[str, _FoldMetric]:
    """Return the metrics by the names that the results have for them."""
    # `cross_validate` returns scores of scorers, of which greater is always better
    by_scorer = all(isinstance(result, Mapping) for result in results.values())
    metrics: dict[str, _FoldMetric] = {}
    for name in next(iter(scores.values())):
        scores_of_models = [by_metric[name] for by_metric in scores.values()]
        metric = _described(name, scores_of_models, by_scorer, values)
        for other, known in metrics.items():
            if known.name == metric.name:
                raise UserError(f"metric: {other} and {name} are one metric: choose one of them")
        metrics[name] = metric
    return metrics


def _analysis(
    results: Mapping[str, Any],
    metrics: Sequence[_FoldMetric],
    plan: FoldPlan,
    label: str | None,
    tests: HypothesisTests,
) -> Analysis:
    """Say what is compared: scores of the folds of one plan."""
    for name in (label or _FOLDS, *results):
        check_label(name)
    models = {}
    for name, result in results.items():
        models[name] = ComparedModel(
            label=name,
            brings="scores",
            learner=learner_of(result),
        )
    described = {}
    for metric in metrics:
        if metric.described is not None:
            described[metric.name] = metric.described
    return Analysis(
        title="compare",
        task=task_of(results.values()),
        models=models,
        datasets={_FOLDS: ComparedData(label=label or _FOLDS)},
        metrics=tuple(metric.name for metric in metrics),
        given_metrics=described,
        tests=tests,
        plans=validated(Resampling, plan.resampling, ("resampling",)).plans(),
        scores_of_plans=frozenset([plan.name]),
    )


def _frame_of(
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]],
    metrics: Mapping[str, _FoldMetric],
    plan: FoldPlan,
) -> pd.DataFrame:
    """Return the scores as a run would have left them: a row for each model, metric and fold."""
    folds = pd.DataFrame(plan.places, columns=["repeat", "fold"])
    folds = folds.assign(n_train=plan.n_train, n_test=plan.n_test)
    parts = []
    for model, by_metric in scores.items():
        for name, metric in metrics.items():
            value = metric.sign * by_metric[name]
            parts.append(folds.assign(model=model, metric=metric.name, value=value))
    frame = pd.concat(parts, ignore_index=True).assign(dataset=_FOLDS, plan=plan.name)
    frame["undefined"] = np.where(frame["value"].isna(), _WITHOUT, "")
    return frame[list(HOLDOUT)]


def _described(
    name: str, scores: Sequence[NDArray[np.float64]], by_scorer: bool, values: str | None
) -> _FoldMetric:
    """Return a metric of scores, which scikit-learn may have negated."""
    ours = METRICS_OF.get(name, name)
    if ours not in METRICS:
        described = described_metric(name, _higher_is_better(name, by_scorer, values))
        return _FoldMetric(described.name, described)
    sign = 1
    higher = METRICS[ours].greater_is_better
    if not higher:  # no loss of bakeoff is below 0: the sign tells a loss from a negated one
        all_scores = np.concatenate(scores)
        if (all_scores < 0).any() and (all_scores > 0).any():
            raise UserError(
                f"metric: {name} has scores above and below 0, and {METRICS[ours].title} has one "
                "sign: pass the losses of all models, or the scores of scikit-learn's scorer of all"
            )
        if (all_scores < 0).any():
            sign = -1
            higher = True
    if values is not None and (values == "higher") != higher:
        right = "lower"
        if higher:
            right = "higher"
        raise UserError(
            f"values: found {values}, but of these scores of {name} the {right} is better"
        )
    return _FoldMetric(ours, sign=sign)


def _higher_is_better(name: str, by_scorer: bool, values: str | None) -> bool:
    """Tell which scores are better by a metric that is none of ours; ask where nothing says it."""
    from sklearn.metrics import get_scorer_names

    if values is not None:
        return values == "higher"
    if by_scorer or name in get_scorer_names():
        return True
    raise UserError(
        f"values: is a higher or a lower {name} better? Arrays do not tell: pass 'higher' (scores "
        "of `cross_val_score`) or 'lower' (errors, costs, times), or say what they are, as "
        "metric='rmse'"
    )


# --- predictions of folds


def _is_table(result: Any) -> bool:
    """Tell whether a result is a table of predictions with labels of folds."""
    return hasattr(result, "columns") and "fold" in result.columns


class _Rows(NamedTuple):
    """The arguments that hold something of each row."""

    X: Any
    y: Any
    groups: Any
    cv: Any


def _of_predictions(
    results: Mapping[str, Any],
    ids: Mapping[str, str],
    rows: _Rows,
    metrics: Sequence[str],
    data: Mapping[str, Any],
    tests: Mapping[str, Any],
) -> Study:
    """Run the experiment of models that bring their predictions of folds."""
    groups = rows.groups
    if all(map(_is_table, results.values())):
        tables = {}
        for label, result in results.items():
            tables[label] = _table(label, result, rows.y)
        plan = _plan_of_table(next(iter(tables.values())))
    else:
        tables, plan = _predicted_by_all(results, rows.X, rows.y, rows.cv)
        if groups is not None:
            groups = np.asarray(groups)  # rows are counted here
    roles = ["repeat", "fold"]
    if groups is not None:
        roles.append("groups")
        for table in tables.values():
            table["groups"] = _looked_up("groups", groups, table["id"])
    task = _task_of(tables, metrics)
    if not task.numbers:
        refuse_spellings(next(iter(tables.values()))["y_true"])
    # each role has the column of its name
    columns = validated(GivenColumns, dict(zip(roles, roles, strict=True)))
    models = {}
    for label, key in ids.items():
        model = HeldModel.from_frame(
            tables[label],
            columns,
            ("models", key),
            numbers=task.numbers,
            predictions=_place_of(label),
            label=label,
        )
        models[key] = model.trained_by(learner_of(results[label]))
    experiment = given_experiment(
        tests,
        task=task,
        datasets={_DATA: {"source": "given", **data}},
        models=models,
        metrics=list(metrics) or [task.metric],
        resampling=plan.resampling,
    )
    with tempfile.TemporaryDirectory() as folder:
        study = run_in_process(experiment, folder, 1, lambda done, total: None)
    return made_by(study, "bakeoff.compare_folds(results, …)")


def _place_of(model: str) -> Verbatim:
    """Return what messages call the results of a model."""
    return Verbatim(f"results[{model!r}]")


def _plan_of_table(table: pd.DataFrame) -> FoldPlan:
    """Return the plan of a table of predictions with the fold of each row."""
    repeats = table["repeat"].nunique()
    folds = len(table[["repeat", "fold"]].drop_duplicates()) // repeats
    if repeats * folds == 1:
        raise UserError(
            "results: all rows are of one fold: `bakeoff.compare` compares predictions of one fold"
        )
    # the mean size of a test part; all other rows are trained on
    n_test = np.array([len(table) / (repeats * folds)])
    return FoldPlan(repeats, folds, table["id"].nunique() - n_test, n_test)


def _predicted_by_all(
    results: Mapping[str, Any], X: Any, y: Any, cv: Any
) -> tuple[dict[str, pd.DataFrame], FoldPlan]:
    """Let the fitted models of all folds predict the rows that they did not see."""
    for label, result in results.items():
        keys = list(result) if isinstance(result, Mapping) else []
        if X is None or not {"estimator", "indices"} <= set(keys):
            keys_found = listed(keys) or type(result).__name__
            raise UserError(
                f"results[{label!r}]: found {keys_found}, expected with y a table with the column "
                "`fold`, or with X and y "
                "`cross_validate(…, return_estimator=True, return_indices=True)`"
            )
    truth = pd.Series(np.asarray(y).ravel())
    splits = same_splits(results)
    for i, (train, test) in enumerate(splits):
        if len(train) + len(test) != len(truth):
            raise UserError(
                f"cv: split {i} trains on {len(train):,} and tests {len(test):,} of "
                f"{len(truth):,} rows, expected all others to be trained on: leave out X and y "
                "to compare the scores"
            )
    plan = plan_of(cv, len(truth), len(splits), splits)
    tables = {}
    for label, result in results.items():
        tables[label] = _predicted(result["estimator"], X, truth, splits, plan.places)
    return tables, plan


def _task_of(tables: Mapping[str, pd.DataFrame], metrics: Sequence[str]) -> Task:
    """Tell whether numbers are predicted, by the metrics or else by what stands in the tables."""
    numbers = numbers_wanted(None, metrics)
    if numbers is None:
        numbers = any(map(_holds_quantities, tables.values()))
    if numbers:
        return Task.REGRESSION
    return Task.CLASSIFICATION


def _holds_quantities(table: pd.DataFrame) -> bool:
    """Tell whether the truth or the predictions of a table look like quantities."""
    for name in ("y_true", "y_pred"):
        if name in table and looks_like_a_quantity(table[name]):
            return True
    return False


def _looked_up(argument: str, values: Any, ids: pd.Series[Any]) -> NDArray[Any]:
    """Return the values of rows: by the index of a Series, else by their places."""
    rows = values
    if not isinstance(values, pd.Series):
        rows = series_of(np.asarray(values), values)
    lacking = ids[~ids.isin(rows.index)]
    if len(lacking):
        raise UserError(
            f"{argument}: {len(lacking):,} rows have no value, the first is {lacking.iloc[0]}"
        )
    looked_up: NDArray[Any] = rows.loc[ids].to_numpy()
    return looked_up


def _predicted(
    estimators: Sequence[Any],
    X: Any,
    truth: pd.Series[Any],
    splits: Sequence[Split],
    places: Sequence[tuple[int, int]],
) -> pd.DataFrame:
    """Let the model of each fold predict the rows that it did not see, as a table has them."""
    parts = []
    for fitted, (_, test), (repeat, fold) in zip(estimators, splits, places, strict=True):
        rows = X.iloc[test] if hasattr(X, "iloc") else X[test]
        part = pd.DataFrame({"id": test, "repeat": repeat, "fold": fold})
        part["y_true"] = truth.iloc[test].to_numpy()
        part["y_pred"] = np.asarray(fitted.predict(rows))
        if hasattr(fitted, "predict_proba"):
            classes = names(pd.Series(fitted.classes_))
            part[[f"p_{name}" for name in classes]] = np.asarray(fitted.predict_proba(rows))
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)
    probabilities = [column for column in table if str(column).startswith("p_")]
    # of classes that a fold did not know
    return table.fillna(dict.fromkeys(probabilities, 0.0))


def _table(label: str, result: Any, y: Any) -> pd.DataFrame:
    """Complete a table of predictions: its index is the id, and the truth may stand in `y`."""
    table = pd.DataFrame(as_pandas(result)).copy()
    if "id" not in table:
        table.insert(0, "id", table.index)
    if "repeat" not in table:
        table.insert(1, "repeat", 1)
    if "y_true" not in table:
        if y is None:
            raise UserError(f"results[{label!r}]: found no column y_true, and no y")
        table["y_true"] = _looked_up("y", y, table["id"])
    return table.reset_index(drop=True)
