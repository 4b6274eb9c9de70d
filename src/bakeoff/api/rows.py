"""Predictions in memory, compared as `bakeoff compare` compares files of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, Unpack

import pandas as pd
from numpy.typing import ArrayLike

from bakeoff.api.arrays import side_by_side
from bakeoff.api.build_study import build_study, made_by
from bakeoff.api.findings import Findings
from bakeoff.api.settings import takes
from bakeoff.errors import UserError
from bakeoff.spec.metrics import Passing
from bakeoff.stats import Runs


class CompareSettings(TypedDict, total=False):
    """What few need."""

    metric: str | Sequence[str]
    bins: Mapping[str, Sequence[float]] | None
    classes: Sequence[object]
    costs: Mapping[str, object] | None
    alternative: Literal["two-sided", "greater", "less"]
    correction: str | None
    variant: str | None
    independent_rows: bool
    unit: str | None
    name: str


@takes(CompareSettings, name="the test set")
def compare(
    y: ArrayLike | None,
    predictions: Mapping[str, object] | pd.DataFrame,
    *,
    metrics: str | Sequence[str] = (),
    groups: ArrayLike | None = None,
    runs: ArrayLike | None = None,
    time: ArrayLike | None = None,
    subgroups: Mapping[str, ArrayLike] | pd.DataFrame | None = None,
    values: Literal["higher", "lower", "right", "wrong"] | None = None,
    positive: object = None,
    task: Literal["classification", "regression"] | None = None,
    versus: str | None = None,
    alpha: float = 0.05,
    **settings: Unpack[CompareSettings],
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
        each with other seeds, which are then compared by `recipe_difference`;
        ``bakeoff.stats.Runs([array], deterministic=True)`` is a model without a random part.
    metrics : str or sequence of str
        Names like ``"f1"`` or ``"rmse"``; default: accuracy, of numbers RMSE. Also called `metric`.
        ``"./mymetrics.py:profit"`` is a function of your own. With `values` that say what is right
        and `groups` that are items ``"pass@5"``: how often at least one of 5 runs of an item is
        right (``"pass^5"``: all of them), by the unbiased estimate from all runs of an item.
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
    values : {"higher", "lower", "right", "wrong"}, optional
        `predictions` holds a number for each row, of which higher or lower is better, or 0 and 1,
        where 1 says that the model is right (or wrong).
    positive : label, optional
        The positive one of two classes; default: the one whose name says so (yes, sick, churned,
        1), else the larger number, else the rarer one. Where the names decide nothing, a single
        probability for each row needs it.
    task : {"classification", "regression"}, optional
        Whether classes or numbers are predicted; default: as `metrics` say, or else numbers where
        `y` has a fraction or very many different numbers.
    versus : str, optional
        A model: it alone is compared with each other one; default: all pairs.
    alpha : float
        The significance level.

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
    related = {"groups": groups, "runs": runs, "time": time}
    if groups is not None and time is not None:
        raise UserError("groups: cannot be combined with time: keep one of them")
    if runs is not None and groups is None:
        raise UserError("runs: found no groups, expected the items that were run several times")
    if settings["bins"] is not None and subgroups is None:
        raise UserError("bins: found no subgroups, expected the columns to be cut")
    of_labels = {key: settings[key] for key in ("costs", "unit", "variant", "classes")}
    given, kind, names, own_metrics = side_by_side(
        *(y, predictions, related, {**of_labels, "positive": positive, "task": task}),
        values=values,
        metrics=metrics,
        subgroups=subgroups,
        bins=settings["bins"],
        name=settings["name"],
    )
    of_items = isinstance(kind, Passing)
    columns = {role: role for role in related if related[role] is not None and not of_items}
    models = predictions.items() if isinstance(predictions, Mapping) else ()
    fixed = [str(m) for m, one in models if isinstance(one, Runs) and one.deterministic]
    how: dict[str, object] = {**settings, "versus": versus, "alpha": alpha, "files": ()}
    how |= {"metrics": names, "kind": kind, "own_metrics": own_metrics, "columns": columns}
    study = build_study(given, {**how, "deterministic": fixed})
    return Findings(made_by(study, "bakeoff.compare(y, predictions, …)"))
