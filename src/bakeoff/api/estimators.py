"""Estimators: compared on one table by the workflow's steps, and as entries of an experiment."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
import math
import operator
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
import yaml
from numpy.typing import ArrayLike

from bakeoff.api.build_study import (
    WORKFLOW,
    FoldSettings,
    as_pandas,
    section_of_tests,
    takes,
    without_none,
)
from bakeoff.api.findings import Findings
from bakeoff.api.rows import rows_of
from bakeoff.data.columns import sorted_names
from bakeoff.data.describe import kind_of
from bakeoff.data.target import (
    counted,
    positive_last,
    said_of_spellings,
    unclear_spellings,
)
from bakeoff.errors import UserError, listed, placed, shown, some, unknown
from bakeoff.execution.fits import run_in_process
from bakeoff.execution.workers import StepError
from bakeoff.files import whole
from bakeoff.fit.estimator import NAMED_PARTS
from bakeoff.keys import ID, name_of
from bakeoff.report.study import Study
from bakeoff.sources.common.identifiers import series_of
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.experiment import Task
from bakeoff.spec.load import load_experiment, validated
from bakeoff.spec.metrics import METRICS_OF
from bakeoff.spec.models import AS_PASSED, Model
from bakeoff.spec.resampling import Resampling

DATA = "data"
"""The id of the one data set."""
_MANY = 50_000
"""Rows from which the default plan is the holdout alone."""
_ROOM = 1 << 30
"""Bytes that a sparse matrix may take as a table."""
_TEXT = "text"
ONE_ROUND = (
    *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"),
    *("LeaveOneOut", "LeaveOneGroupOut"),
)
REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold")
_ALLOWED = (
    "a number, a text, a list, an estimator, a function, a class, or an object whose attributes "
    "are the parameters of its constructor"
)
_NAME_CLASSES = ("class_weight", "pos_label", "constant")
_AUTO_HINT = '; preprocessing="auto" encodes texts and dates, imputes missing values and scales'
_UNREADABLE = "could not convert string|[cC]annot convert|NaN|missing values|dtypes? must be"
"""What libraries say of columns that they do not take."""
_ROUNDS = (*ONE_ROUND, "PredefinedSplit")


class EstimatorSettings(FoldSettings, total=False):
    """What few need."""

    plan: object
    progress: bool | None


class EstimatorFindings(Findings):
    """Findings that also know the experiment that makes them a workflow."""

    def __init__(self, study: Study, config: Mapping[str, Any], frame: pd.DataFrame) -> None:
        super().__init__(study)
        self._config, self._frame = config, frame

    def to_yaml(self, path: str | Path) -> Path:
        """Write the experiment file, and its table beside it, with which a workflow finds the same.

        Parameters
        ----------
        path : path
            A name that ends in ``.yaml`` or ``.yml``; that of the table ends in ``.parquet``.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UserError
            Another ending, a place that cannot be written to, or code of this session alone.
        """
        experiment = self._study.experiment
        assert experiment is not None
        _refuse_session_code(experiment, "to_yaml", "")
        file = Path(path)
        if file.suffix.lower() not in (".yaml", ".yml"):
            raise UserError(f"path: found {shown(str(path))}, expected a name with .yaml or .yml")
        table = file.with_suffix(".parquet")
        config = _with_table(self._config, table.name)
        with whole(file) as part:
            text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
            part.write_text(text, encoding="utf-8", newline="\n")
            _write_table(self._frame, table)
        return file


@takes(EstimatorSettings)
def compare_estimators(
    estimators: object,
    X: object,
    y: object,
    *more: object,
    cv: object = None,
    metrics: str | Sequence[str] = (),
    groups: ArrayLike | str | None = None,
    time: ArrayLike | str | None = None,
    positive: object = None,
    preprocessing: Literal["none", "auto"] = "none",
    versus: str | None = None,
    alpha: float = 0.05,
    seed: int = 1,
    n_jobs: int = 1,
    **settings: Unpack[EstimatorSettings],
) -> EstimatorFindings:
    """Fit and compare estimators on one table.

    The same divisions, fits, tests and report as in an experiment of the workflow with the same
    plan and seed; nothing is left on disk.

    Parameters
    ----------
    estimators : Mapping of str to estimator, or sequence of estimator
        Classifiers, or regressors, with scikit-learn's interface, by the names to show; without
        names they are called like their classes. Also one by one, ``compare_estimators(a, b, X,
        y)``. Those that are passed are not fitted: every fit is one of a copy.
    X : DataFrame, array_like or sparse matrix, shape (n, K), or sequence of str
        The features.
    y : array_like, shape (n,), or str
        The classes, or the numbers to predict: values, or the name of a column of `X`.
    cv : int, str, Mapping or splitter of scikit-learn, optional
        A number of folds; a splitter whose folds test every row once in a round, such as
        ``StratifiedKFold(10)``; or a plan of an experiment: ``"cv_5x2"``, ``"halves"``,
        ``"kfold"``, ``"resampled"``, ``"holdout"``, or its section `resampling:`, such as
        ``{"kfold": {"folds": 5}, "holdout": {}}``. Default: that of an experiment (5x2cv and a
        holdout; of regressors ten halvings and a holdout), and from 50,000 rows on the holdout
        alone. Also called `plan`.
    metrics : str or sequence of str
        The metrics, also by the names of scikit-learn's scorers; the first ranks the models.
        Default: accuracy, or RMSE. Also called `metric`, or `scoring`.
    groups, time : array_like, shape (n,), or str, optional
        Which rows belong together, and their times: values, or the name of a column of `X`.
    preprocessing : {"none", "auto"}
        ``"none"``: every estimator is fitted on the columns as they are, as `cross_val_score` does;
        texts, dates and missing values that scikit-learn's estimators do not take are refused.
        ``"auto"`` encodes, imputes and scales inside each fit, as an experiment does by default. Of
        a pipeline, and of what holds one, the steps are all, whatever is said here.
    seed : int
        Of the divisions, and of every estimator whose `random_state` is None.
    n_jobs : int
        Processes that fit; -1 for all cores.

    Returns
    -------
    EstimatorFindings
        `Findings` with `to_yaml`.

    Examples
    --------
    >>> import bakeoff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    >>> found = bakeoff.compare_estimators(models, X, y, cv="cv_5x2")
    >>> found.to_frame()[["test", "decision"]]
                       test  decision
    0  fold_rows_difference  a_better
    """
    given, X, y = _by_name(estimators, X, y, *more)
    X, y = _target_taken_out(X, y)
    task = _task(given)
    frame, roles = joined_table(X, y, {"groups": groups, "time": time})
    plain = all(re.fullmatch(ID, label) and len(label) <= 60 for label in given)
    plain = plain and len({label.lower() for label in given}) == len(given)
    ids = {label: label if plain else f"model-{i}" for i, label in enumerate(given, 1)}
    plans, folds = _resampling_of(cv, frame, roles)
    to_x = _as_passed(X, frame.drop(columns=list(roles.values())))
    codes: dict[str, int] = {}
    if task == "classification":  # estimators see the places of classes, the positive one last
        target = frame[roles["target"]]
        refuse_spellings(target)
        classes = positive_last(sorted_names(target), positive, (), counted(target))
        codes = {name: code for code, name in enumerate(classes)}
    encoding = "none" if _are_texts(X) else preprocessing  # texts are for a vectorizer
    if preprocessing == "none" and not _are_texts(X):
        _refuse_unreadable(given, frame.drop(columns=list(roles.values())))
    frame = frame.assign(**folds)
    data = {**roles, "positive": positive, "unit": settings["unit"], "label": settings["name"]}
    names = (metrics,) if isinstance(metrics, str) else metrics
    config = without_none(
        {
            "experiment": "compare",
            "task": task if task == "regression" else None,
            "seed": seed,
            "datasets": {DATA: without_none(data)},
            "models": {
                key: _model(given[label], label, key, encoding, to_x, codes)
                for label, key in ids.items()
            },
            "metrics": [METRICS_OF.get(name, name) for name in names] or None,
            "resampling": plans,
            "tests": section_of_tests(
                ids, {**settings, "versus": versus, "alpha": alpha}, what="estimator"
            ),
        }
    )
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise UserError(f"n_jobs: found {shown(n_jobs)}, expected a number of processes, or -1")
    from joblib import effective_n_jobs

    workers = effective_n_jobs(n_jobs)
    labels = {key: label for label, key in ids.items()}
    places = {key: _place(label) for label, key in ids.items()}
    try:
        with tempfile.TemporaryDirectory() as folder, _bar(settings["progress"]) as fitted:
            table = Path(folder) / "table.parquet"
            _write_table(frame, table)
            experiment = load_experiment(_with_table(config, str(table)))
            if workers > 1:
                _refuse_session_code(experiment, "n_jobs", ", or leave `n_jobs` at 1")
            study = run_in_process(experiment, f"{folder}/results", workers, fitted)
    except StepError as error:
        fit = error.what
        assert isinstance(fit, Fit)
        text = f"{places[fit.model]}, {fit.split}: {error.reason}"
        if encoding == "none" and not _has_steps(given[labels[fit.model]]) and not _are_texts(X):
            text += _AUTO_HINT if re.search(_UNREADABLE, error.reason) else ""
        raise UserError(text) from None
    except UserError as error:
        raise placed(error, places) from None
    splitter = type(cv).__name__ if folds else ""
    command = "bakeoff.compare_estimators(estimators, X, y, …)"
    versions = {name: version for name, version in study.environment.items() if name != WORKFLOW}
    made = dataclasses.replace(study, environment=versions, splitter=splitter, command=command)
    return EstimatorFindings(made, config, frame)


def refuse_spellings(y: pd.Series[Any]) -> None:
    """Refuse true labels of which several may be one class."""
    if spellings := unclear_spellings(sorted_names(y)):
        raise UserError(
            f"y: {said_of_spellings('it', spellings, counted(y))}. Write each class in one way, as "
            "by `y.str.strip().str.lower()`; give different classes names that differ in more"
        )


def _by_name(*given: Any) -> tuple[dict[str, Any], Any, Any]:
    """Return estimators by their names, features and truth."""
    estimators: Any = given[:-2]
    if len(estimators) == 1 and isinstance(estimators[0], Mapping | list | tuple):
        (estimators,) = estimators
    if all(isinstance(one, tuple) and len(one) == 2 for one in estimators):
        estimators = dict(estimators)  # names and estimators, as of the steps of a pipeline
    if not isinstance(estimators, Mapping):
        classes = [(one if isinstance(one, type) else type(one)).__name__ for one in estimators]
        counted = [f"{name}-{classes[: i + 1].count(name)}" for i, name in enumerate(classes)]
        names = [c if classes.count(c) == 1 else n for c, n in zip(classes, counted, strict=True)]
        estimators = dict(zip(names, estimators, strict=True))
    return dict(estimators), *given[-2:]


def _task(estimators: Mapping[str, Any]) -> str:
    """Tell whether classes or numbers are predicted, from the estimators."""
    from sklearn.base import is_regressor

    if len(estimators) < 2:
        raise UserError(
            "estimators: expected two at least: compare_estimators(a, b, X, y), or by their names: "
            "{'forest': RandomForestClassifier(), 'logistic': LogisticRegression()}"
        )
    if not all(isinstance(label, str) for label in estimators):
        raise UserError("estimators: expected texts as names")
    for label, one in estimators.items():
        entry_of(one, _place(label))  # what is no estimator is told before all else
    kinds = {
        label: "regressor" if is_regressor(one) else "classifier"
        for label, one in estimators.items()
    }
    if len(set(kinds.values())) > 1:
        each = ", ".join(f"{label} is a {kind}" for label, kind in kinds.items())
        raise UserError(f"estimators: found both kinds ({each}), expected one")
    return "regression" if "regressor" in kinds.values() else "classification"


def _place(label: str) -> str:
    return f"estimators[{label!r}]"


def _model(
    estimator: Any, label: str, key: str, preprocessing: str, to_x: Any, codes: Mapping[str, int]
) -> dict[str, Any]:
    from sklearn.pipeline import Pipeline

    if _has_steps(estimator):
        preprocessing = "none"  # the steps are all
    if to_x is not None and preprocessing == "none":
        steps = estimator.steps if is_pipeline(estimator) else [("model", estimator)]
        estimator = Pipeline([(AS_PASSED, to_x), *steps])
    entry = with_codes(entry_of(estimator, _place(label)), codes)
    if "steps" not in entry:
        entry["preprocessing"] = preprocessing
    return entry if label == key else {**entry, "label": label}


def _has_steps(estimator: Any) -> bool:
    """Tell whether an estimator is, or holds, a pipeline."""
    return any(map(is_pipeline, (estimator, *estimator.get_params().values())))


def _refuse_unreadable(estimators: Mapping[str, Any], features: pd.DataFrame) -> None:
    """Refuse columns that scikit-learn's estimators say they do not take, before any fit."""
    from sklearn.utils import get_tags

    texts = [name for name, values in features.items() if not _are_numbers(values)]
    coded = [name for name in texts if isinstance(features[name].dtype, pd.CategoricalDtype)]
    gaps = [name for name, values in features.items() if values.isna().any()]
    for label, estimator in estimators.items():
        held = [one for one in estimator.get_params().values() if hasattr(one, "get_params")]
        parts = [estimator, *held]
        if _has_steps(estimator) or not all(map(_of_sklearn, parts)):
            continue  # what it takes shows when it is fitted
        takes = [get_tags(one).input_tags for one in parts]
        reads_codes = any(getattr(one, "categorical_features", None) for one in parts)
        refused = [name for name in texts if not (reads_codes and name in coded)]
        if refused and not any(one.string for one in takes):
            found = f"are no numbers in {_named(refused)}"
        elif gaps and not any(one.allow_nan for one in takes):
            found = f"are missing in {_named(gaps)}"
        else:
            continue
        raise UserError(
            f"X: values {found}, which {_place(label)} ({type(estimator).__name__}) does not take"
            f"{_AUTO_HINT}, or make a pipeline of your own"
        )


def _named(columns: Sequence[Any]) -> str:
    return f"column{'s' if len(columns) > 1 else ''} {some([repr(str(c)) for c in columns], 3)}"


def _of_sklearn(estimator: Any) -> bool:
    return type(estimator).__module__.startswith("sklearn.")


def _are_numbers(values: pd.Series[Any]) -> bool:
    """Tell whether what stands in a column are numbers, or truth values."""
    if kind_of(values) == "category":
        return all(isinstance(value, Real) for value in values.dropna().unique())
    return kind_of(values) == "number"


def _refuse_session_code(experiment: Experiment, argument: str, otherwise: str) -> None:
    """Refuse classes and functions that another process cannot import."""
    for label, model in experiment.fitted.items():
        for path in model.imports:
            if path.startswith("__main__."):
                name = path.partition(".")[2]
                raise UserError(
                    f"{argument}: {_place(model.label or label)} needs {name}, which is defined in "
                    "your script or notebook, where other processes cannot import it: put it into "
                    f"a file beside it and import it from there{otherwise}"
                )


def _with_table(config: Mapping[str, Any], path: str) -> dict[str, Any]:
    """Name the file of the table in an experiment."""
    data = {"source": "file", "path": path, **config["datasets"][DATA]}
    return {**config, "datasets": {DATA: data}}


@contextmanager
def _bar(wanted: bool | None) -> Iterator[Callable[[int, int], None]]:
    """Show how many fits are done on standard error."""
    shows = sys.stderr.isatty() if wanted is None else wanted
    begun = False

    def show(done: int, total: int) -> None:
        nonlocal begun
        if begun := shows:
            sys.stderr.write(f"\rfits [{'#' * round(30 * done / total):<30}] {done}/{total}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\n" if begun else "")


# --- the table and its divisions


def _target_taken_out(X: Any, y: Any) -> tuple[Any, Any]:
    """Return features and target, where it is one of their columns and is given by its name."""
    if not isinstance(y, str | Integral) or isinstance(y, bool):
        return X, y
    frame = as_pandas(X)
    column = y if isinstance(y, str) else int(y)
    if not isinstance(frame, pd.DataFrame):
        raise UserError(
            f"y: found {shown(y)}, expected a value for each row; the name of a column is for a "
            f"DataFrame, and X is of the type {type(X).__name__}"
        )
    if column not in frame:
        raise UserError(f"y: {unknown('column of X', str(y), map(str, frame.columns))}")
    return frame.drop(columns=column), frame[column]


def joined_table(X: Any, y: Any, columns: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Join features, target and what is known of the rows."""
    frame = _features(X)
    y, columns = as_pandas(y), {role: as_pandas(given) for role, given in columns.items()}
    roles: dict[str, str] = {}
    for role, given in {"target": y, **columns}.items():
        if given is None and role != "target":
            continue
        if isinstance(given, str) and role != "target":
            if given not in frame:
                raise UserError(f"{role}: {unknown('column of X', given, map(str, frame.columns))}")
            roles[role] = given
        else:
            free = (role, *(f"{role}_{i}" for i in range(1, len(frame.columns) + 2)))
            roles[role] = next(name for name in free if name not in frame)
            frame[roles[role]] = _column(given, frame, "y" if role == "target" else role)
    return frame, roles


def _features(X: Any) -> pd.DataFrame:
    X = as_pandas(X)
    if _are_texts(X):
        return pd.DataFrame({_TEXT: list(X)})
    if hasattr(X, "toarray"):
        if 8 * math.prod(X.shape) > _ROOM:
            raise UserError(
                f"X: a sparse matrix of shape {X.shape} would take "
                f"{8e-9 * math.prod(X.shape):.0f} GB as a table: keep fewer columns; of texts, "
                "pass the texts, and make their vectorizer a step of the estimators"
            )
        X = X.toarray()
    frame = rows_of("X", X)
    if isinstance(frame, pd.Series) or frame.empty:
        raise UserError(
            f"X: found {type(X).__name__} of shape {np.shape(X)}, expected a table with a row for "
            "each row of y and a column for each feature, or a list of texts"
        )
    if all(isinstance(column, int) for column in frame.columns):  # scikit-learn counts them itself
        return frame.set_axis([f"x{i}" for i in range(1, frame.shape[1] + 1)], axis=1)
    odd = [column for column in frame.columns if not isinstance(column, str)]
    if odd or not frame.columns.is_unique:
        wrong = f"the column {odd[0]!r}" if odd else "a column twice"
        raise UserError(f"X: found {wrong}, expected texts as names, each once")
    return frame.copy(deep=False)  # which gets more columns


def _are_texts(X: Any) -> bool:
    """Tell texts, one for each row, from a table."""
    is_list = isinstance(X, list | tuple | np.ndarray | pd.Series) and len(X) > 0
    return is_list and all(isinstance(one, str) for one in X)


def _as_passed(X: Any, features: pd.DataFrame) -> Any:
    """Return the transformer that makes `X` of a table's columns, None where they are the same."""
    from sklearn.preprocessing import FunctionTransformer

    if _are_texts(X):
        return FunctionTransformer(operator.itemgetter(_TEXT))
    types: dict[Any, Any] = {}
    for name, dtype in features.dtypes.items():
        if isinstance(dtype, pd.CategoricalDtype):
            types[name] = dtype
        elif pd.api.types.is_bool_dtype(dtype):
            types[name] = str(dtype)
    return FunctionTransformer(operator.methodcaller("astype", types)) if types else None


def _column(given: Any, frame: pd.DataFrame, argument: str) -> Any:
    """Return values for the rows of a table, paired by position."""
    if getattr(given, "ndim", 1) == 2 and given.shape[1] == 1:
        given = given.squeeze(axis=1)
    values = given if isinstance(given, pd.Series) else series_of(np.asarray(given).tolist(), given)
    if getattr(given, "ndim", 1) != 1:
        raise UserError(f"{argument}: found shape {given.shape}, expected one value for each row")
    if len(values) != len(frame):
        raise UserError(
            f"{argument}: found {len(values):,} values for the {len(frame):,} rows of X"
        )
    if argument == "y" and (missing := int(values.isna().sum())):
        raise UserError(f"y: {missing:,} of its {len(values):,} values are missing: leave them out")
    if isinstance(given, pd.Series) and not given.index.equals(frame.index):
        raise UserError(
            f"{argument}: its index is not that of X; align them, or pass {argument}.to_numpy() to "
            "pair rows by position"
        )
    return values.to_numpy() if isinstance(values.dtype, np.dtype) else values.array


def _resampling_of(
    cv: Any, frame: pd.DataFrame, roles: Mapping[str, str]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the section `resampling:`, and the columns of folds that it names."""
    n = len(frame)
    if cv is None:
        return ({"holdout": {}} if n >= _MANY else None), {}
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        return {"kfold": {"folds": int(cv)}}, {}
    if isinstance(cv, str):
        if cv not in Resampling.model_fields:
            raise UserError(f"cv: {unknown('plan', cv, Resampling.model_fields)}")
        return {cv: {}}, {}
    if isinstance(cv, Mapping):
        return dict(cv), {}
    kind = type(cv).__name__
    if kind in REPEATED:
        rounds = int(cv.n_repeats)
        plan = {"kfold": {"folds": cv.get_n_splits() // rounds, "repeats": rounds}}
        raise UserError(
            f"cv: found {kind}, whose folds are {rounds} divisions where one is expected; "
            f"{plan} draws as many"
        )
    if not hasattr(cv, "split") or kind not in _ROUNDS:
        raise UserError(
            f"cv: found {kind}, expected a number of folds, the name of a plan "
            f"({listed(Resampling.model_fields)}), the section `resampling:` of an experiment, or "
            f"a splitter whose folds test every row once in a round ({listed(_ROUNDS)})"
        )
    groups = frame[roles["groups"]] if "groups" in roles else None
    try:
        splits = list(cv.split(frame, frame[roles["target"]], groups))
    except (TypeError, ValueError) as error:
        raise UserError(f"cv: {kind} cannot split these rows: {error}") from None
    folds = np.zeros(n, dtype=np.int64)
    for k, (_, test) in enumerate(splits, 1):
        folds[test] = k
    if not folds.all():
        raise UserError(f"cv: {kind} tests {int((folds == 0).sum()):,} rows in no fold")
    # a feature may be called like it
    column = next(name for i in itertools.count(1) if (name := f"fold_{i}") not in frame)
    return {"kfold": {"folds": len(splits), "column": column}}, {column: folds}


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as a Parquet file, without its index."""
    try:
        with whole(path) as part:
            frame.reset_index(drop=True).to_parquet(part, index=False)
    except (TypeError, ValueError, NotImplementedError) as error:
        # pyarrow's: columns of mixed types, or of a type of pandas alone
        why = " ".join(str(error).split())
        raise UserError(f"X: a column cannot be written to a table: {why}") from None


# --- entries of an experiment


def entry_of(estimator: Any, place: str) -> dict[str, Any]:
    """Return the entry of an estimator, or of the steps of a pipeline, without its defaults."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        is_class = isinstance(estimator, type)
        kind = f"the class {estimator.__name__}" if is_class else type(estimator).__name__
        raise UserError(
            f"{place}: found {kind}, expected an estimator with scikit-learn's interface, such as "
            "LogisticRegression()"
        )
    if is_pipeline(estimator):
        steps = [
            {"name": name, **_described(part, f"{place}, step {name}")}
            for name, part in estimator.steps
            if part is not None and not isinstance(part, str)
        ]
        return {"steps": steps} if len(steps) > 1 else _described(estimator.steps[-1][1], place)
    return _described(estimator, place)


def learner_of(result: Any) -> Model | None:
    """Return the learner of what `cross_validate` returned, where it is known."""
    try:
        return validated(Model, entry_of(_estimator(result), "results"))
    except UserError:  # none, or one that no experiment file can hold
        return None


def task_of(results: Iterable[Any]) -> Task:
    """Tell from the estimators of results, where all are known, what is predicted."""
    from sklearn.base import is_regressor

    estimators = map(_estimator, results)
    numbers = all(one is not None and is_regressor(one) for one in estimators)
    return Task.REGRESSION if numbers else Task.CLASSIFICATION


def _estimator(result: Any) -> Any:
    fitted = result.get("estimator") if isinstance(result, Mapping) else None
    return fitted[0] if isinstance(fitted, Sequence) and fitted else fitted


def is_pipeline(estimator: Any) -> bool:
    """Tell a pipeline of scikit-learn from one that derives from it and may do otherwise."""
    from sklearn.pipeline import Pipeline

    return type(estimator) is Pipeline


def _described(estimator: Any, place: str) -> dict[str, Any]:
    path = import_path(type(estimator), place)
    defaults = _defaults(type(estimator))
    params = {}
    for name, value in estimator.get_params(deep=False).items():
        default = defaults.get(name, inspect.Parameter.empty)
        if _same(value, default):
            continue
        # tuples that are made of lists again are written as lists
        if isinstance(value, Sequence) and name in NAMED_PARTS:
            value = [[*part] if isinstance(part, tuple) else part for part in value]
        elif isinstance(value, tuple) and isinstance(default, tuple):
            value = [*value]
        params[name] = _plain(value, f"{place}: its parameter {name}")
    if getattr(estimator, "_sklearn_output_config", {}).get("transform"):
        raise UserError(f"{place}: {path} has a `set_output`, which is not taken: leave it out")
    return {"estimator": path} | without_none({"params": params or None})


def import_path(named: Any, place: str) -> str:
    """Return the shortest public import path of a class, a function or a distribution of SciPy."""
    name = str(getattr(named, "__name__", getattr(named, "name", "")))
    module = getattr(named, "__module__", None) or ""
    parts = module.split(".")
    homes = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
    # ufuncs do not say where they live
    for home in (*homes, "numpy", "scipy.special"):
        if getattr(sys.modules.get(home), name, None) is named:
            return f"{home}.{name}"
    if name == "<lambda>":
        why = "a lambda has no name to be found by: define it with `def`"
    elif "<locals>" in getattr(named, "__qualname__", ""):
        why = f"{name} is defined inside a function: define it"
    elif module == "__main__":
        raise UserError(
            f"{place}: your session has another {name} by now, or none: make the estimator again "
            "with the one that is defined last"
        )
    else:
        why = f"{name or named!r} cannot be imported from a module: define it"
    raise UserError(f"{place}: {why} at the top level of your script, notebook or a file beside it")


def with_codes(entry: Any, codes: Mapping[str, int], of_classes: bool = False) -> Any:
    """Replace classes in parameters by their numbers, on which estimators are fitted."""
    if isinstance(entry, list):
        return [with_codes(one, codes, of_classes) for one in entry]
    if isinstance(entry, Mapping) and of_classes:
        return {codes.get(name_of(key), key): weight for key, weight in entry.items()}
    if isinstance(entry, Mapping):
        return {
            key: with_codes(value, codes, str(key).rpartition("__")[2] in _NAME_CLASSES)
            for key, value in entry.items()
        }
    return codes.get(name_of(entry), entry) if of_classes else entry


def _defaults(kind: type) -> dict[str, Any]:
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:  # a compiled class that does not tell what it takes
        return {}
    return {one.name: one.default for one in parameters}


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    plain = isinstance(value, (str, Real, tuple)) and type(value) is type(default)
    return plain and bool(value == default)


def _plain(value: Any, place: str) -> Any:
    """Return a parameter's value as YAML has it."""
    if isinstance(value, np.dtype) and value == value.type:
        value = value.type
    if isinstance(value, type | np.ufunc) or inspect.isroutine(value):
        return {"function": import_path(value, place)}
    if hasattr(value, "tolist"):  # of NumPy or pandas
        return _plain(value.tolist(), place)
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Mapping):
        return {_plain(key, place): _plain(one, place) for key, one in value.items()}
    if isinstance(value, tuple):
        return {"object": "builtins.tuple", "args": [[_plain(one, place) for one in value]]}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(one, place) for one in value]
    if hasattr(value, "get_params"):
        return _described(value, place)
    if isinstance(value, np.random.RandomState):
        raise UserError(
            f"{place} is a RandomState, and what it draws depends on the fits before: pass a whole "
            "number, or leave it out"
        )
    if (call := _call_of(value)) is not None:
        import joblib

        maker, args, params = call
        entry = {
            "object": import_path(maker, place),
            "args": [_plain(one, place) for one in args] or None,
            "params": {name: _plain(one, place) for name, one in params.items()} or None,
        }
        if args or maker is not type(value):
            return without_none(entry)
        with suppress(Exception):  # where a class makes an equal object of these, nothing is lost
            if joblib.hash(type(value)(**params)) == joblib.hash(value):
                return without_none(entry)
    raise UserError(f"{place} is a {type(value).__name__}, expected {_ALLOWED}")


def _call_of(value: Any) -> tuple[Any, Sequence[Any], Mapping[str, Any]] | None:
    """Return what may make an object, and its arguments, as far as the object keeps them."""
    from scipy import stats

    if isinstance(value, functools.partial):
        return functools.partial, (value.func, *value.args), value.keywords
    made_of = getattr(value, "dist", None)  # of a distribution of SciPy with its parameters
    if isinstance(made_of, stats.rv_continuous | stats.rv_discrete):
        return getattr(stats, made_of.name, made_of), value.args, value.kwds
    with suppress(Exception):  # whatever a user's class does
        maker, args, *state = value.__reduce_ex__(2)
        if maker.__module__ != "copyreg" and not any(state):
            return maker, args, {}
        defaults, kept = _defaults(type(value)), dict(state[0])
        for one in state[0].values():
            kept = {**one, **kept} if isinstance(one, Mapping) else kept
        kept |= {key.removeprefix("_"): one for key, one in state[0].items() if key not in defaults}
        named = {name: kept[name] for name in defaults if name in kept}
        return type(value), (), {k: v for k, v in named.items() if not _same(v, defaults[k])}
    return None
