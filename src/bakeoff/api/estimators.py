"""Estimators, compared on one table from Python: the workflow's steps without Snakemake."""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Protocol, Unpack

import pandas as pd
import yaml
from numpy.typing import ArrayLike

from bakeoff.api.estimator_input import (
    are_texts,
    as_passed,
    class_codes,
    entry_of,
    is_pipeline,
    joined_table,
    resampling_of,
    with_codes,
    write_table,
)
from bakeoff.api.findings import Findings
from bakeoff.api.settings import TestSettings, asked_tests, takes, without_none
from bakeoff.errors import UserError, placed, shown
from bakeoff.execution.in_process import run_in_process
from bakeoff.execution.workers import StepError
from bakeoff.files import whole
from bakeoff.keys import ID
from bakeoff.report.study import Study
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import load_experiment
from bakeoff.spec.metrics import METRICS_OF

DATA = "data"
"""The id of the one data set."""


class Estimator(Protocol):
    """What scikit-learn calls so."""

    def fit(self, X: object, y: object, /) -> object:
        """Learn."""

    def predict(self, X: object, /) -> object:
        """Predict."""

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """Return the parameters."""


class EstimatorSettings(TestSettings, total=False):
    """What few need."""

    scoring: str | Sequence[str]
    plan: object
    unit: str | None
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
        _refuse_session_code(self._study.experiment, "to_yaml", "")
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
    estimators: Mapping[str, Estimator] | Sequence[Estimator] | Estimator,
    X: ArrayLike | pd.DataFrame | Estimator,
    y: ArrayLike | pd.DataFrame | Estimator,
    *more: object,
    cv: object = None,
    metrics: str | Sequence[str] = (),
    groups: ArrayLike | str | None = None,
    time: ArrayLike | str | None = None,
    positive: object = None,
    preprocessing: Literal["auto", "none"] = "auto",
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
    y : array_like, shape (n,)
        The classes, or the numbers to predict.
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
    positive : label, optional
        The positive one of two classes; default: as in `compare`.
    preprocessing : {"auto", "none"}
        ``"auto"`` encodes, imputes and scales inside each fit, as an experiment does; ``"none"``
        hands the columns to the estimators as they are. Of a pipeline, and of what holds one, the
        steps are all, and texts go to their vectorizer.
    versus : str, optional
        An estimator: it alone is compared with each other one; default: all pairs.
    alpha : float
        The significance level.
    seed : int
        Of the divisions, and of every estimator whose `random_state` is None.
    n_jobs : int
        Processes that fit; -1 for all cores.

    Returns
    -------
    EstimatorFindings
        `Findings` with `to_yaml`.

    Raises
    ------
    UserError
        No table, no estimators, a fit that failed, a test that does not fit.

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
    0  cv5x2_z  a_better
    """
    given, X, y = _by_name(estimators, X, y, *more)
    task = _task(given)
    frame, roles = joined_table(X, y, {"groups": groups, "time": time})
    ids = _ids(given)
    plans, folds = resampling_of(cv, len(frame), X, y, groups)
    to_x = as_passed(X, frame.drop(columns=list(roles.values())))
    codes = class_codes(frame[roles["target"]], positive) if task == "classification" else {}
    encoding = "none" if are_texts(X) else preprocessing  # texts are for a vectorizer
    frame = frame.assign(**folds)
    data = {**roles, "positive": positive, "unit": settings["unit"], "label": settings["name"]}
    alternative = settings["alternative"]
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
            "tests": asked_tests(
                ids,
                tests=settings["tests"],
                versus=versus,
                what="estimator",
                alternative=None if alternative == "two-sided" else alternative,
                correction=settings["correction"],
                alpha=alpha,
                options=dict(settings["options"] or {}) or None,
            ),
        }
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        _in_arguments({key: label for label, key in ids.items()}),
    ):
        table = Path(folder) / "table.parquet"
        write_table(frame, table)
        experiment = load_experiment(_with_table(config, str(table)))
        workers = _workers(n_jobs)
        if workers > 1:
            _refuse_session_code(experiment, "n_jobs", ", or leave `n_jobs` at 1")
        with _bar(settings["progress"]) as fitted:
            study = run_in_process(experiment, f"{folder}/results", workers, fitted)
    command = "bakeoff.compare_estimators(estimators, X, y, …)"
    return EstimatorFindings(dataclasses.replace(study, command=command), config, frame)


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
    numbers = {label: is_regressor(one) for label, one in estimators.items()}
    if len(set(numbers.values())) > 1:
        told = ", ".join(f"{label} is a {_KINDS[is_]}" for label, is_ in numbers.items())
        raise UserError(f"estimators: found both kinds ({told}), expected one")
    return "regression" if all(numbers.values()) else "classification"


_KINDS = {True: "regressor", False: "classifier"}


def _place(label: str) -> str:
    return f"estimators[{label!r}]"


def _ids(estimators: Mapping[str, Any]) -> dict[str, str]:
    """Map names to ids of models: the name itself where it is one."""
    plain = all(re.fullmatch(ID, label) and len(label) <= 60 for label in estimators)
    plain = plain and len({label.lower() for label in estimators}) == len(estimators)
    return {label: label if plain else f"model-{i}" for i, label in enumerate(estimators, 1)}


def _model(
    estimator: Any, label: str, key: str, preprocessing: str, to_x: Any, codes: Mapping[str, int]
) -> dict[str, Any]:
    from sklearn.pipeline import Pipeline

    if any(map(is_pipeline, (estimator, *estimator.get_params().values()))):
        preprocessing = "none"  # the steps are all
    if to_x is not None and preprocessing == "none":
        steps = estimator.steps if is_pipeline(estimator) else [("model", estimator)]
        estimator = Pipeline([("as_passed", to_x), *steps])
    entry = with_codes(entry_of(estimator, _place(label)), codes)
    if "steps" not in entry:
        entry["preprocessing"] = preprocessing
    return entry if label == key else {**entry, "label": label}


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


def _workers(n_jobs: int) -> int:
    from joblib import effective_n_jobs

    if not isinstance(n_jobs, int) or n_jobs == 0:
        raise UserError(f"n_jobs: found {shown(n_jobs)}, expected a number of processes, or -1")
    return int(effective_n_jobs(n_jobs))


@contextmanager
def _in_arguments(labels: Mapping[str, str]) -> Iterator[None]:
    """Name estimators and arguments in place of the keys of an experiment."""
    try:
        yield
    except StepError as error:
        fit = error.what
        assert isinstance(fit, Fit)
        text = f"{_place(labels[fit.model])}, {fit.split}: {error.reason}"
        if "could not convert string" in error.reason:
            text += '; preprocessing="auto" encodes columns of texts'
        raise UserError(text) from None
    except UserError as error:
        places = {key: _place(label) for key, label in labels.items()}
        raise placed(error, places) from None


@contextmanager
def _bar(wanted: bool | None) -> Iterator[Callable[[int, int], None]]:
    """Show how many fits are done on standard error."""
    shows = sys.stderr.isatty() if wanted is None else wanted

    def show(done: int, total: int) -> None:
        if shows:
            filled = "#" * round(30 * done / total)
            sys.stderr.write(f"\rfits [{filled:<30}] {done}/{total}")
            sys.stderr.flush()

    try:
        yield show
    finally:
        if shows:
            sys.stderr.write("\n")
