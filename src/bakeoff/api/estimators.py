"""Estimators, compared on one table from Python: the workflow's steps without Snakemake."""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import yaml

from bakeoff.api.estimator_entries import entry_of, is_pipeline, with_codes
from bakeoff.api.estimator_table import (
    as_passed,
    class_codes,
    joined_table,
    resampling_of,
    write_table,
)
from bakeoff.api.findings import Findings
from bakeoff.api.settings import asked_tests, one_spelling, without_none
from bakeoff.errors import UserError, named, shown
from bakeoff.execution.in_process import run_in_process
from bakeoff.execution.workers import StepError
from bakeoff.files import whole
from bakeoff.keys import ID
from bakeoff.report.study import Study
from bakeoff.spec import Experiment, Fit
from bakeoff.spec.load import load_experiment

DATA = "data"
"""The id of the one data set."""
_ARGUMENTS = {"run": "tests", "resampling": "plan", "label": "name", "target": "y"} | {
    key: key
    for key in (
        *("metrics", "groups", "time", "positive", "unit", "versus", "alternative"),
        *("correction", "alpha", "options", "seed"),
    )
}
"""The argument that stands for a key of an experiment."""


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


def compare_estimators(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    plan: Any = None,
    metric: str | Sequence[str] = (),
    metrics: str | Sequence[str] = (),
    groups: Any = None,
    time: Any = None,
    positive: Any = None,
    unit: str | None = None,
    preprocessing: Literal["none", "auto"] = "none",
    versus: str | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: str | None = None,
    alpha: float = 0.05,
    tests: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 1,
    n_jobs: int = 1,
    progress: bool | None = None,
    name: str = "the data",
) -> EstimatorFindings:
    """Fit and compare estimators on one table.

    The same divisions, fits, tests and report as in an experiment of the workflow with the same
    plan and seed; nothing is left on disk.

    Parameters
    ----------
    estimators : Mapping of str to estimator
        Classifiers, or regressors, with scikit-learn's interface, by the names to show. Those that
        are passed are not fitted: every fit is one of a copy.
    X : DataFrame, array_like or sparse matrix, shape (n, K), or sequence of str
        The features.
    y : array_like, shape (n,)
        The classes, or the numbers to predict.
    plan : str, Mapping or splitter of scikit-learn, optional
        ``"cv_5x2"``, ``"halves"``, ``"kfold"``, ``"resampled"`` or ``"holdout"``; or the section
        `resampling:` of an experiment, such as ``{"kfold": {"folds": 5}, "holdout": {}}``; or a
        splitter whose folds test every row once in a round, such as ``StratifiedKFold(10)``.
        Default: that of an experiment (5x2cv and a holdout; of regressors ten halvings and a
        holdout), and from 50,000 rows on the holdout alone.
    metric, metrics : str or sequence of str
        Under either name: the metrics; the first ranks the models. Default: accuracy, or RMSE.
    groups, time : array_like, shape (n,), or str, optional
        Which rows belong together, and their times: values, or the name of a column of `X`.
    positive : label, optional
        The positive one of two classes; default: as in `compare`.
    unit : str, optional
        The unit of the numbers that are predicted.
    preprocessing : {"none", "auto"}
        ``"auto"`` encodes, imputes and scales inside each fit as an experiment does; by default the
        estimators get the columns as they are.
    versus, alternative, correction, alpha, tests, options
        As in `compare_folds`.
    seed : int
        Of the divisions, and of every estimator whose `random_state` is None.
    n_jobs : int
        Processes that fit; -1 for all cores.
    progress : bool, optional
        Whether to show a bar on standard error; default: where it is a terminal.
    name : str
        What to call the data.

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
    >>> found = bakeoff.compare_estimators(models, X, y, plan="cv_5x2")
    >>> found.to_frame()[["test", "decision"]]
          test  decision
    0  cv5x2_z  a_better
    """
    task = _task(estimators)
    frame, roles = joined_table(X, y, {"groups": groups, "time": time})
    ids = _ids(estimators)
    plans, folds = resampling_of(plan, len(frame), X, y, groups)
    to_x = as_passed(X, frame.drop(columns=list(roles.values())))
    codes = class_codes(frame[roles["target"]], positive) if task == "classification" else {}
    frame = frame.assign(**folds)
    data = {**roles, "positive": positive, "unit": unit, "label": name}
    config = without_none(
        {
            "experiment": "compare",
            "task": task if task == "regression" else None,
            "seed": seed,
            "datasets": {DATA: without_none(data)},
            "models": {
                key: _model(estimators[label], label, key, preprocessing, to_x, codes)
                for label, key in ids.items()
            },
            "metrics": list(one_spelling(metrics, metric)) or None,
            "resampling": plans,
            "tests": asked_tests(
                ids,
                tests=tests,
                versus=versus,
                what="estimator",
                alternative=None if alternative == "two-sided" else alternative,
                correction=correction,
                alpha=alpha,
                options=dict(options) if options else None,
            ),
        }
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        _said_of({key: label for label, key in ids.items()}),
    ):
        table = Path(folder) / "table.parquet"
        write_table(frame, table)
        experiment = load_experiment(_with_table(config, str(table)))
        workers = _workers(n_jobs)
        if workers > 1:
            _refuse_session_code(experiment, "n_jobs", ", or leave `n_jobs` at 1")
        with _bar(progress) as fitted:
            study = run_in_process(experiment, f"{folder}/results", workers, fitted)
    command = "bakeoff.compare_estimators(estimators, X, y, …)"
    return EstimatorFindings(dataclasses.replace(study, command=command), config, frame)


def _task(estimators: Any) -> str:
    """Tell whether classes or numbers are predicted, from the estimators."""
    from sklearn.base import is_regressor

    if not isinstance(estimators, Mapping) or len(estimators) < 2:
        raise UserError(
            "estimators: expected two at least, each by its name: {'forest': "
            "RandomForestClassifier(), 'logistic': LogisticRegression()}"
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

    if to_x is not None and (is_pipeline(estimator) or preprocessing == "none"):
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
def _said_of(labels: Mapping[str, str]) -> Iterator[None]:
    """Name estimators and arguments in place of the keys of an experiment."""
    names = _ARGUMENTS | {key: _place(label) for key, label in labels.items()}
    try:
        yield
    except StepError as error:
        fit = error.what
        assert isinstance(fit, Fit)
        raise UserError(f"{_place(labels[fit.model])}, {fit.split}: {error.reason}") from None
    except UserError as error:
        raise named(error, names) from None


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
