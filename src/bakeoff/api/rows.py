"""Predictions in memory, compared as `bakeoff compare` compares files of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bakeoff.api.arrays import side_by_side
from bakeoff.api.build_study import build_study, made_by
from bakeoff.api.findings import Findings
from bakeoff.api.reports import of_reports
from bakeoff.api.settings import (
    Settings,
    kind_of,
    numbers_wanted,
    of_two,
    one_spelling,
    refuse_contradictions,
)
from bakeoff.errors import UserError, named, shown
from bakeoff.scores.metrics.own import taken_by_path
from bakeoff.spec.metrics import Passing
from bakeoff.stats import Runs

_KEYS = (
    *("metrics", "alpha", "alternative", "correction", "costs", "variant", "versus"),
    *("task", "unit", "independent_rows"),
)
_ARGUMENTS = {key: key for key in (*_KEYS, "pass_at", "pass_hat", "values")}
_ARGUMENTS |= {"deterministic": "predictions", "k": "pass_at, pass_hat"}
"""The argument that stands for a key of an experiment."""
_OF_ROWS = ("groups", "runs", "time", "subgroups")
"""The arguments that have a value for each row."""


@of_two
def compare(
    y: ArrayLike | None,
    predictions: Mapping[str, Any] | pd.DataFrame,
    *,
    metrics: str | Sequence[str] = (),
    metric: str | Sequence[str] = (),
    groups: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    time: ArrayLike | None = None,
    subgroups: Mapping[str, Any] | pd.DataFrame | None = None,
    bins: Mapping[str, Sequence[float]] | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    pass_at: int | None = None,
    pass_hat: int | None = None,
    classes: Sequence[Any] = (),
    positive: Any = None,
    costs: Mapping[str, Any] | None = None,
    versus: str | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: str | None = None,
    variant: str | None = None,
    alpha: float = 0.05,
    independent_rows: bool = False,
    task: Literal["classification", "regression"] | None = None,
    unit: str | None = None,
    name: str = "the test set",
) -> Findings:
    """Compare models by their predictions of the same rows.

    Arrays are paired by position; Series and DataFrames of pandas by their index, which must be
    the same. Two models are compared by McNemar's test, more by Cochran's and then McNemar's; by
    other metrics with the tests on their influence functions.

    Parameters
    ----------
    y : array_like, shape (n,), or None
        The true labels or numbers; None with `values`.
    predictions : Mapping of str to array_like, or DataFrame
        For each model its predicted labels or numbers, shape (n,); or probabilities: those of the
        positive one of two classes, shape (n,), or of every class, shape (n, K), in the order of
        `classes`, or a DataFrame with a column for each class. A DataFrame has the labels or
        numbers of each model in a column. A list of arrays holds several training runs of a model,
        each with other seeds, which are then compared by `recipe_difference`; an `EstimatorReport`
        of skore brings its predictions of its test set, and `y` may be None;
        ``bakeoff.stats.Runs([array], deterministic=True)`` is a model without a random part.
    metrics, metric : str or sequence of str
        Names like ``"f1"`` or ``"rmse"``, under either name; default: accuracy, of numbers RMSE.
        ``"./mymetrics.py:profit"`` is a function of your own.
    groups : array_like, shape (n,), optional
        Which rows belong together: a patient, a user.
    runs : array_like, shape (n,), optional
        Which run of its item a row is, where items were run several times and `groups` are the
        items: each has a run once.
    time : array_like, shape (n,), optional
        What orders the rows in time.
    subgroups : Mapping of str to array_like, or DataFrame, optional
        Columns, shape (n,), that divide the rows: the models are compared in each part too, and
        whether the difference is another one there.
    bins : Mapping of str to sequence of float, optional
        Where columns of numbers among `subgroups` are cut: ``{"age": [40, 65]}``.
    values : {"higher", "lower", "right", "wrong"}, optional
        `predictions` holds a number for each row, of which higher or lower is better, or 0 and 1,
        where 1 says that the model is right (or wrong).
    pass_at, pass_hat : int, optional
        With `values` that say what is right and `groups` that are items: compare how often at least
        one of so many runs of an item is right (pass@k), or all of them (pass^k), by the unbiased
        estimate of each item from all of its runs.
    classes : sequence, optional
        All classes, those that no row has too, in the order of the columns of probabilities; the
        last one is the positive one of two. Default: those of `y`, as scikit-learn sorts them.
    positive : label, optional
        The positive one of two classes; default: the one whose name says so (yes, sick, churned,
        1), else the larger number, else the rarer one. Where the names decide nothing, a single
        probability for each row needs it.
    costs : Mapping, optional
        ``{"classes": [...], "matrix": [[...]]}`` as `costs:` of an experiment; tests them too.
    versus : str, optional
        A model: it alone is compared with each other one; default: all pairs.
    alternative : {"two-sided", "greater", "less"}
        Whether the first model of a pair is better.
    correction : str, optional
        How p-values of several pairs are adjusted; default: ``"bonferroni"``, for rows in groups or
        in time ``"holm"``, by `metrics` and `values` ``"max-t"``.
    variant : str, optional
        Of McNemar's test: ``"midp"`` (default), ``"exact"`` and others.
    alpha : float
        The significance level.
    independent_rows : bool
        Take rows that `groups` or `time` relate for independent all the same; the verdict says so.
    task : {"classification", "regression"}, optional
        Whether classes or numbers are predicted; default: as `metrics` say, or else numbers where
        `y` has a fraction or very many different numbers.
    unit : str, optional
        What predicted numbers are measured in.
    name : str
        What to call the rows.

    Returns
    -------
    Findings
        The same numbers as `bakeoff compare` finds in files.

    Raises
    ------
    UserError
        Rows that do not pair, labels that are no class, a test that does not fit.

    Examples
    --------
    >>> import bakeoff
    >>> y = ["cat"] * 30 + ["dog"] * 30
    >>> old = ["cat"] * 20 + ["dog"] * 30 + ["cat"] * 10
    >>> new = ["cat"] * 29 + ["dog"] * 31
    >>> found = bakeoff.compare(y, {"old": old, "new": new})
    >>> print(found.verdict.splitlines()[0])
    new is better than old by accuracy.
    >>> found.comparisons.loc[0, ["model_a", "model_b", "decision"]].tolist()
    ['old', 'new', 'b_better']
    """
    arguments = {key: value for key, value in locals().items() if key not in ("y", "predictions")}
    y, predictions = of_reports(y, predictions)
    related = {"group": groups, "run": runs, "time": time}
    try:
        _check(y, arguments)
        asked, own = taken_by_path(one_spelling(metrics, metric))
        numbers = numbers_wanted(task, asked)
        kind = kind_of(values, pass_at, pass_hat)
        of_rows = related, kind, classes, positive, name, subgroups, bins, numbers
        given = side_by_side(y, predictions, *of_rows)
        how = Settings(
            metrics=asked,
            own_metrics=own,
            unit=unit,
            values=kind,
            columns={
                role: role
                for role, rows in related.items()
                if rows is not None and not isinstance(kind, Passing)
            },
            costs=costs,
            variant=variant,
            versus=versus,
            correction=correction,
            alternative=alternative,
            alpha=alpha,
            independent_rows=independent_rows,
            deterministic=[
                str(model)
                for model, one in (predictions.items() if isinstance(predictions, Mapping) else ())
                if isinstance(one, Runs) and one.deterministic
            ],
        )
        study = build_study(given, how)
    except UserError as error:
        raise named(error, _ARGUMENTS) from None
    return Findings(made_by(study, _call(arguments)))


def _check(y: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that contradict each other."""
    refuse_contradictions(y, arguments)
    given = {key for key, value in arguments.items() if value is not None}
    if {"groups", "time"} <= given:
        raise UserError("groups, time: these cannot be combined: keep one of them")
    if "runs" in given and "groups" not in given:
        raise UserError("runs: found no groups, expected the items that were run several times")
    if "bins" in given and "subgroups" not in given:
        raise UserError("bins: found no subgroups, expected the columns to be cut")
    if arguments["independent_rows"] and not {"groups", "time"} & given:
        raise UserError("independent_rows: neither groups nor time are given")


def _call(arguments: Mapping[str, Any]) -> str:
    """Write the call; arguments with a value for each row stand by their names."""
    defaults = {k: p.default for k, p in signature(compare).parameters.items()}
    rows = [f"{k}={k}" for k in _OF_ROWS if arguments[k] is not None]
    plain = {k: v for k, v in arguments.items() if k not in _OF_ROWS}
    said = [*rows, *(f"{k}={shown(v)}" for k, v in plain.items() if not _default(v, defaults[k]))]
    y = "None" if arguments["values"] else "y"
    return f"bakeoff.compare({', '.join([y, 'predictions', *said])})"


def _default(value: Any, default: Any) -> bool:
    return value is default or (np.ndim(value) == np.ndim(default) == 0 and value == default)
