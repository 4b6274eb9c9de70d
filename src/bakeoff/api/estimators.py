"""Estimators, compared on one table by the steps of the workflow.

The arguments of a call become the experiment that a YAML file would hold, which is run in process.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import pandas as pd
import yaml
from numpy.typing import ArrayLike, NDArray

from bakeoff.api.build_study import WORKFLOW, section_of_tests, without_none
from bakeoff.api.entries import entry_of, is_pipeline, with_codes
from bakeoff.api.findings import Findings
from bakeoff.api.fold_plans import ONE_ROUND, REPEATED
from bakeoff.api.signature import FoldSettings, takes
from bakeoff.api.tables import (
    are_texts,
    as_passed,
    joined_table,
    target_taken_out,
    write_table,
)
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
from bakeoff.keys import ID
from bakeoff.report.study import Study
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import load_experiment
from bakeoff.spec.metrics import METRICS_OF
from bakeoff.spec.models import AS_PASSED
from bakeoff.spec.resampling import Resampling

DATA = "data"
"""The id of the one data set."""
_MANY = 50_000
"""Rows from which the default plan is the holdout alone."""
_LONGEST_ID = 60
_ROUNDS = (*ONE_ROUND, "PredefinedSplit")
_AUTO_HINT = '; preprocessing="auto" encodes texts and dates, imputes missing values and scales'
_UNREADABLE = "could not convert string|[cC]annot convert|NaN|missing values|dtypes? must be"
"""What libraries say of columns that they do not take."""


class EstimatorSettings(FoldSettings, total=False):
    """The rarely needed arguments of `compare_estimators`."""

    plan: object
    progress: bool | None


class EstimatorFindings(Findings):
    """Findings that also know the experiment that makes them a workflow."""

    def __init__(self, study: Study, config: Mapping[str, Any], frame: pd.DataFrame) -> None:
        super().__init__(study)
        self._config = config
        self._frame = frame

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
            write_table(self._frame, table)
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
    estimator_by_name, X, y = _by_name(estimators, X, y, *more)
    arguments = {
        **settings,
        "cv": cv,
        "metrics": [metrics] if isinstance(metrics, str) else list(metrics),
        "positive": positive,
        "preprocessing": preprocessing,
        "versus": versus,
        "alpha": alpha,
        "seed": seed,
    }
    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise UserError(f"n_jobs: found {shown(n_jobs)}, expected a number of processes, or -1")
    columns = {"groups": groups, "time": time}
    call = _experiment(estimator_by_name, X, y, columns, arguments)
    study = _run(call, estimator_by_name, n_jobs, settings["progress"])
    # the workflow has no part in a call from Python
    versions = dict(study.environment)
    versions.pop(WORKFLOW, None)
    splitter = ""
    if call.by_splitter:
        splitter = type(cv).__name__
    study = dataclasses.replace(
        study,
        environment=versions,
        splitter=splitter,
        command="bakeoff.compare_estimators(estimators, X, y, …)",
    )
    return EstimatorFindings(study, call.config, call.frame)


class _Asked(NamedTuple):
    """The experiment of a call: what its YAML file would hold, and the table beside it."""

    config: dict[str, Any]
    frame: pd.DataFrame
    ids: Mapping[str, str]
    """The id of each estimator in the experiment, by name."""
    as_passed: bool
    """Whether columns of numbers are handed to the estimators as they are."""
    by_splitter: bool
    """Whether a splitter divided the rows."""


def _experiment(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    columns: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> _Asked:
    """Write the arguments of a call as an experiment."""
    X, y = target_taken_out(X, y)
    task = _task(estimators)
    frame, roles = joined_table(X, y, columns)
    ids = _ids(estimators)
    plans, folds = _resampling_of(arguments["cv"], frame, roles)
    features = frame.drop(columns=list(roles.values()))
    texts = are_texts(X)
    codes = {}
    if task == "classification":
        codes = _codes_of_classes(frame[roles["target"]], arguments["positive"])
    preprocessing = arguments["preprocessing"]
    if preprocessing == "none" and not texts:
        _refuse_unreadable(estimators, features)
    if texts:
        preprocessing = "none"  # texts are for a vectorizer
    # a first step gives the columns of the table the types, or the form, that X had
    to_x = as_passed(X, features)
    models = {}
    for label, key in ids.items():
        models[key] = _model(estimators[label], label, key, preprocessing, to_x, codes)
    metrics = [METRICS_OF.get(name, name) for name in arguments["metrics"]]
    data = {
        **roles,
        "positive": arguments["positive"],
        "unit": arguments["unit"],
        "label": arguments["name"],
    }
    config = without_none(
        {
            "experiment": "compare",
            "task": task if task == "regression" else None,
            "seed": arguments["seed"],
            "datasets": {DATA: without_none(data)},
            "models": models,
            "metrics": metrics or None,
            "resampling": plans,
            "tests": section_of_tests(ids, arguments, noun="estimator"),
        }
    )
    handed_on = preprocessing == "none" and not texts
    return _Asked(config, frame.assign(**folds), ids, handed_on, bool(folds))


def _run(call: _Asked, estimators: Mapping[str, Any], n_jobs: int, progress: bool | None) -> Study:
    """Run the experiment of a call in a folder that is left to nobody."""
    from joblib import effective_n_jobs

    workers = effective_n_jobs(n_jobs)
    label_by_id = {}
    place_by_id = {}
    for label, key in call.ids.items():
        label_by_id[key] = label
        place_by_id[key] = _place(label)
    try:
        with tempfile.TemporaryDirectory() as folder, _bar(progress) as fitted:
            table = Path(folder) / "table.parquet"
            write_table(call.frame, table)
            experiment = load_experiment(_with_table(call.config, str(table)))
            # other processes import what they run by its path
            if workers > 1:
                _refuse_session_code(experiment, "n_jobs", ", or leave `n_jobs` at 1")
            return run_in_process(experiment, f"{folder}/results", workers, fitted)
    except StepError as error:
        fit = error.what
        assert isinstance(fit, Fit)
        text = f"{place_by_id[fit.model]}, {fit.split}: {error.reason}"
        estimator = estimators[label_by_id[fit.model]]
        cannot_read = re.search(_UNREADABLE, error.reason) is not None
        if cannot_read and call.as_passed and not _has_steps(estimator):
            text += _AUTO_HINT
        raise UserError(text) from None
    except UserError as error:
        raise placed(error, place_by_id) from None


def _ids(estimators: Iterable[str]) -> dict[str, str]:
    """Return the id of each estimator in an experiment: its name, where all names can be ids."""
    names = list(estimators)
    # as ids names become those of files
    can_be_ids = all(re.fullmatch(ID, name) and len(name) <= _LONGEST_ID for name in names)
    if can_be_ids and len(set(map(str.lower, names))) == len(names):
        return dict(zip(names, names, strict=True))
    return {name: f"model-{place}" for place, name in enumerate(names, start=1)}


def _codes_of_classes(target: pd.Series[Any], positive: object) -> dict[str, int]:
    """Return the number of each class: estimators see these, the positive one last."""
    refuse_spellings(target)
    classes = positive_last(sorted_names(target), positive, counted(target))
    return {name: code for code, name in enumerate(classes.names)}


# --- the estimators


def _by_name(*arguments: Any) -> tuple[dict[str, Any], Any, Any]:
    """Return estimators by their names, features and truth."""
    *estimators, X, y = arguments
    if len(estimators) == 1 and isinstance(estimators[0], Mapping | list | tuple):
        (estimators,) = estimators
    if isinstance(estimators, Mapping):
        return dict(estimators), X, y
    if all(isinstance(pair, tuple) and len(pair) == 2 for pair in estimators):
        return dict(estimators), X, y  # names and estimators, as of the steps of a pipeline
    return dict(zip(_names(estimators), estimators, strict=True)), X, y


def _names(estimators: Sequence[Any]) -> list[str]:
    """Call estimators like their classes, those of one class with their number."""
    classes = []
    for estimator in estimators:
        cls = estimator
        if not isinstance(estimator, type):
            cls = type(estimator)
        classes.append(cls.__name__)
    names = []
    for place, name in enumerate(classes):
        if classes.count(name) == 1:
            names.append(name)
        else:
            number = classes[: place + 1].count(name)
            names.append(f"{name}-{number}")
    return names


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
    kinds = {}
    for label, estimator in estimators.items():
        entry_of(estimator, _place(label))  # what is no estimator is told before all else
        kinds[label] = "classifier"
        if is_regressor(estimator):
            kinds[label] = "regressor"
    if len(set(kinds.values())) > 1:
        listing = ", ".join(f"{label} is a {kind}" for label, kind in kinds.items())
        raise UserError(f"estimators: found both kinds ({listing}), expected one")
    if "regressor" in kinds.values():
        return "regression"
    return "classification"


def _place(label: str) -> str:
    """Return what messages call an estimator."""
    return f"estimators[{label!r}]"


def _model(
    estimator: Any, label: str, key: str, preprocessing: str, to_x: Any, codes: Mapping[str, int]
) -> dict[str, Any]:
    """Return the entry of an estimator in an experiment."""
    from sklearn.pipeline import Pipeline

    if _has_steps(estimator):
        preprocessing = "none"  # the steps are all
    if to_x is not None and preprocessing == "none":
        steps = [("model", estimator)]
        if is_pipeline(estimator):
            steps = estimator.steps
        estimator = Pipeline([(AS_PASSED, to_x), *steps])
    entry: dict[str, Any] = with_codes(entry_of(estimator, _place(label)), codes)
    if "steps" not in entry:
        entry["preprocessing"] = preprocessing
    if label != key:
        return {**entry, "label": label}
    return entry


def _has_steps(estimator: Any) -> bool:
    """Tell whether an estimator is, or holds, a pipeline."""
    return any(map(is_pipeline, (estimator, *estimator.get_params().values())))


def refuse_spellings(y: pd.Series[Any]) -> None:
    """Refuse true labels of which several may be one class."""
    spellings = unclear_spellings(sorted_names(y))
    if spellings:
        raise UserError(
            f"y: {said_of_spellings('it', spellings, counted(y))}. Write each class in one way, as "
            "by `y.str.strip().str.lower()`; give different classes names that differ in more"
        )


# --- what estimators cannot read, and processes cannot import


def _refuse_unreadable(estimators: Mapping[str, Any], features: pd.DataFrame) -> None:
    """Refuse columns that scikit-learn's estimators say they do not take, before any fit."""
    texts = []
    gaps = []
    for name, values in features.items():
        if not _are_numbers(values):
            texts.append(name)
        if values.isna().any():
            gaps.append(name)
    if not texts and not gaps:
        return
    for label, estimator in estimators.items():
        unreadable = _unreadable(estimator, features, texts, gaps)
        if unreadable:
            raise UserError(
                f"X: values {unreadable}, which {_place(label)} ({type(estimator).__name__}) does "
                f"not take{_AUTO_HINT}, or make a pipeline of your own"
            )


def _unreadable(
    estimator: Any, features: pd.DataFrame, texts: Sequence[Any], gaps: Sequence[Any]
) -> str:
    """Say which columns an estimator does not take; empty where it takes all, or it is unknown."""
    from sklearn.utils import get_tags

    parts = _parts(estimator)
    if _has_steps(estimator) or not all(map(_of_sklearn, parts)):
        return ""  # what it takes shows when it is fitted
    # such an estimator takes columns of categories as they are
    if any(getattr(part, "categorical_features", None) for part in parts):
        texts = [name for name in texts if not _is_categorical(features[name])]
    takes_texts = False
    takes_gaps = False
    for part in parts:
        # a part that takes texts or gaps may hand on numbers to the others
        tags = get_tags(part).input_tags
        takes_texts = takes_texts or tags.string
        takes_gaps = takes_gaps or tags.allow_nan
    if texts and not takes_texts:
        return f"are no numbers in {_named(texts)}"
    if gaps and not takes_gaps:
        return f"are missing in {_named(gaps)}"
    return ""


def _parts(estimator: Any) -> list[Any]:
    """List an estimator and the estimators among its parameters."""
    values = [estimator, *estimator.get_params().values()]
    return [value for value in values if hasattr(value, "get_params")]


def _is_categorical(values: pd.Series[Any]) -> bool:
    return isinstance(values.dtype, pd.CategoricalDtype)


def _named(columns: Sequence[Any]) -> str:
    """Name some columns."""
    names = some([repr(str(column)) for column in columns], 3)
    if len(columns) > 1:
        return f"columns {names}"
    return f"column {names}"


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
    shows = wanted
    if shows is None:
        shows = sys.stderr.isatty()
    begun = False

    def show(done: int, total: int) -> None:
        nonlocal begun
        if shows:
            begun = True
            sys.stderr.write(f"\rfits [{'#' * round(30 * done / total):<30}] {done}/{total}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if begun:
            sys.stderr.write("\n")


# --- the divisions of the table


def _resampling_of(
    cv: Any, frame: pd.DataFrame, roles: Mapping[str, str]
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return the section `resampling:`, and the columns of folds that it names."""
    if cv is None:
        # without a plan the experiment has the default one
        if len(frame) < _MANY:
            return None, {}
        return {"holdout": {}}, {}
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        return {"kfold": {"folds": int(cv)}}, {}
    if isinstance(cv, str):
        if cv not in Resampling.model_fields:
            raise UserError(f"cv: {unknown('plan', cv, Resampling.model_fields)}")
        return {cv: {}}, {}
    if isinstance(cv, Mapping):
        return dict(cv), {}
    folds = _folds_of(cv, frame, roles)
    # a feature may be called like it
    place = 1
    while f"fold_{place}" in frame:
        place += 1
    column = f"fold_{place}"
    return {"kfold": {"folds": int(folds.max()), "column": column}}, {column: folds}


def _folds_of(cv: Any, frame: pd.DataFrame, roles: Mapping[str, str]) -> NDArray[np.int64]:
    """Return the fold in which a splitter tests each row, from 1."""
    splitter = type(cv).__name__
    if splitter in REPEATED:
        rounds = int(cv.n_repeats)
        plan = {"kfold": {"folds": cv.get_n_splits() // rounds, "repeats": rounds}}
        raise UserError(
            f"cv: found {splitter}, whose folds are {rounds} divisions where one is expected; "
            f"{plan} draws as many"
        )
    if not hasattr(cv, "split") or splitter not in _ROUNDS:
        raise UserError(
            f"cv: found {splitter}, expected a number of folds, the name of a plan "
            f"({listed(Resampling.model_fields)}), the section `resampling:` of an experiment, or "
            f"a splitter whose folds test every row once in a round ({listed(_ROUNDS)})"
        )
    groups = None
    if "groups" in roles:
        groups = frame[roles["groups"]]
    try:
        splits = list(cv.split(frame, frame[roles["target"]], groups))
    except (TypeError, ValueError) as error:
        raise UserError(f"cv: {splitter} cannot split these rows: {error}") from None
    folds = np.zeros(len(frame), dtype=np.int64)
    # the folds become a column of the table, which an experiment in YAML can name
    for fold, (_, test) in enumerate(splits, start=1):
        folds[test] = fold
    if not folds.all():
        untested = int((folds == 0).sum())
        raise UserError(f"cv: {splitter} tests {untested:,} rows in no fold")
    return folds
