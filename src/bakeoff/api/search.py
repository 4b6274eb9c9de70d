"""The candidates of a search by scikit-learn, compared by their scores on its splits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from bakeoff.api.findings import Findings
from bakeoff.api.of_folds import ARGUMENTS, study_of
from bakeoff.api.plans import plan_of
from bakeoff.errors import UserError, named, unknown
from bakeoff.report.study_design import clean

BEST = "best"
MOST = 200
"""Candidates that are compared in all pairs."""
_LONGEST = 40
_SPLIT = re.compile(r"split(\d+)_test_(.+)")


def compare_search(
    search: Any,
    *,
    versus: str | Mapping[str, Any] | None = BEST,
    cv: Any = None,
    n: int | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    correction: str | None = None,
    alpha: float = 0.05,
    tests: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    name: str = "the data",
) -> Findings:
    """Compare the candidates of a search by their scores on its splits, best first.

    Which candidate is the best was seen in these very scores. Therefore ``versus="best"`` adjusts
    its p-values for all pairs, and is two-sided; a candidate that was chosen beforehand is named.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        Fitted.
    versus : "best", str, Mapping or None
        ``"best"``: show the best candidate against each other one. A candidate by its name or its
        parameters, chosen before these scores were known: compare it alone with each other one.
        None: all pairs.
    cv : splitter of scikit-learn, or list of (train, test)
        Default: that of the search.
    n : int, optional
        The number of rows, for sizes that do not follow from `cv`; only some splitters need it.
    alternative, correction, alpha, tests, options, name
        As in `compare_folds`.

    Returns
    -------
    Findings
        Candidates are called by the parameters that differ: ``kernel=rbf``.

    Raises
    ------
    UserError
        No fitted search, candidates with different splits, an unknown candidate.

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
    if table is None:
        raise UserError(
            f"search: found {type(search).__name__} without `cv_results_`, expected a fitted "
            "GridSearchCV or RandomizedSearchCV"
        )
    if "n_resources" in table:
        raise UserError(
            "search: a halving search scores its candidates on different numbers of rows: compare "
            "those that are left by `compare_folds`"
        )
    names = _names(table["params"])
    control = _control(versus, names, table["params"])
    if control is None and len(names) > MOST:
        raise UserError(
            f"versus: {len(names)} candidates are {len(names) * (len(names) - 1) // 2:,} pairs: "
            "name the one, chosen beforehand, that the others are compared with"
        )
    if control is None and alternative != "two-sided":
        raise UserError(
            "alternative: candidates are ordered by these very scores, so that a one-sided test "
            "would halve its p-value for nothing: name a candidate, chosen beforehand, in `versus`"
        )
    metrics, values = _scores(search, table)
    order = np.argsort(table[f"rank_test_{metrics[0]}"], kind="stable")
    scores = {
        names[i]: {_called(m, search): v[i] for m, v in zip(metrics, values, strict=True)}
        for i in order
    }
    try:
        plan = plan_of(search.cv if cv is None else cv, n, values[0].shape[1], None)
        study = study_of(
            scores,
            plan,
            "bakeoff.compare_search(search, …)",
            name=name,
            tests=tests,
            versus=control,
            alternative=alternative,
            correction=correction,
            alpha=alpha,
            options=dict(options or {}),
        )
    except UserError as error:
        raise named(error, ARGUMENTS) from None
    return Findings(study, first=study.models[0] if versus == BEST else "")


def _names(params: Sequence[Mapping[str, Any]]) -> list[str]:
    """Call the candidates by the parameters in which they differ."""
    keys = dict.fromkeys(key for own in params for key in own)
    texts = [{key: _short(value) for key, value in own.items()} for own in params]
    varied = [key for key in keys if len({own.get(key) for own in texts}) > 1] or list(keys)
    called = [", ".join(f"{k}={own[k]}" for k in varied if k in own) for own in texts]
    if len(set(called)) < len(called):
        return [f"{name} (candidate {i})" for i, name in enumerate(called)]
    return called


def _short(value: Any) -> str:
    text = clean(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _control(versus: Any, names: Sequence[str], params: Sequence[Mapping[str, Any]]) -> str | None:
    """Find the candidate that was chosen beforehand."""
    if versus is None or versus == BEST:
        return None
    if isinstance(versus, Mapping):
        own = [i for i, one in enumerate(params) if dict(one) == dict(versus)]
        if not own:
            raise UserError(f"versus: no candidate has the parameters {dict(versus)}")
        return names[own[0]]
    if versus not in names:
        raise UserError(f"versus: {unknown('candidate', versus, [*names, BEST])}")
    return str(versus)


def _scores(search: Any, table: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    """Return the metrics, that of `refit` first, and candidates × splits for each."""
    found: dict[str, dict[int, Any]] = {}
    for key, values in table.items():
        if at := _SPLIT.fullmatch(key):
            found.setdefault(at[2], {})[int(at[1])] = values
    refit = search.refit if isinstance(search.refit, str) else ""
    metrics = sorted(found, key=lambda name: name != refit)
    return metrics, [_columns(found[name]) for name in metrics]


def _columns(splits: Mapping[int, Any]) -> Any:
    return np.column_stack([splits[i] for i in sorted(splits)])


def _called(metric: str, search: Any) -> str:
    """Name the only metric of a search as its scoring does."""
    if metric != "score":
        return metric
    return search.scoring if isinstance(search.scoring, str) else metric
