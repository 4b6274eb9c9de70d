"""What a gate decides on: the predictions of base and candidate on the same rows."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.file_columns import Codes
from bakeoff.data.predicted import Predicted
from bakeoff.data.prediction_table import read_predictions
from bakeoff.data.side_by_side import SideBySide, read_each, read_each_values
from bakeoff.errors import Problem, UserError
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.metrics import GivenMetric
from bakeoff.stats import Limits, accuracy_limits, looks_at, mean_limits, metric_limits


@dataclasses.dataclass(frozen=True)
class GateRows:
    """Base and candidate on the same rows.

    Attributes
    ----------
    names : tuple of str
        Of base and candidate.
    classes : tuple of str
        In order; of two, the positive one is the last.
    truth : ndarray of int, shape (n,)
        True classes: their places in `classes`.
    base, candidate : Predicted
        What each says of the rows.
    groups, subgroups : ndarray, shape (n,), or None
        Which rows belong together, and which are decided on by themselves.
    test_set : str
        Digest of the ids and true labels.
    greater_is_better : bool
        Of numbers in place of predictions.
    """

    names: tuple[str, str]
    classes: tuple[str, ...]
    truth: Codes
    base: Predicted
    candidate: Predicted
    groups: NDArray[Any] | None = None
    subgroups: NDArray[Any] | None = None
    test_set: str = ""
    greater_is_better: bool = True

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all.

        Raises
        ------
        UserError
            The metric wants probabilities that a file does not have.
        """
        kept = np.ones(len(self.truth), dtype=bool) if rows is None else rows
        groups = None if self.groups is None else self.groups[kept]
        if self.base.values is not None and self.candidate.values is not None:
            return mean_limits(
                self.candidate.values[kept],
                self.base.values[kept],
                greater_is_better=self.greater_is_better,
                groups=groups,
                alpha=alpha,
            )
        if metric == "accuracy":
            right = (model.codes[kept] == self.truth[kept] for model in (self.candidate, self.base))
            return accuracy_limits(*right, groups=groups, alpha=alpha)
        how = self.how(metric) | {"groups": groups}
        return metric_limits(*(a[kept] for a in self.seen(metric)), **how, alpha=alpha)

    def seen(self, metric: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the true labels and what a metric looks at of candidate and base.

        Raises
        ------
        UserError
            The metric wants probabilities that a file does not have.
        """
        truth = np.array(self.classes)[self.truth]
        return truth, self._seen(metric, 1), self._seen(metric, 0)

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        return {
            "metric": metric,
            "positive": self.classes[-1] if len(self.classes) == 2 else None,
            "labels": self.classes,
            "groups": self.groups,
        }

    def digest(self, model: Predicted) -> str:
        """Return a digest of what a model says of the rows."""
        found = hashlib.sha256(model.codes.astype("<i8").tobytes())
        if model.probabilities is not None:
            found.update(model.probabilities.astype("<f8").tobytes())
        if model.values is not None:
            found.update(model.values.astype("<f8").tobytes())
        return found.hexdigest()

    def _seen(self, metric: str, place: int) -> NDArray[Any]:
        model = (self.base, self.candidate)[place]
        if looks_at(metric) == "classes":
            return np.array(self.classes)[model.codes]
        if model.probabilities is None:
            raise UserError(
                f"--metric: {metric} wants probabilities, {self.names[place]!r} has none (columns "
                "like `p_<class>`)"
            )
        return model.probabilities[:, -1] if looks_at(metric) == "ranking" else model.probabilities


def read_rows(
    base: str,
    candidate: str,
    columns: GivenColumns,
    subgroup: str | None = None,
    numbers: GivenMetric | str | None = None,
) -> GateRows:
    """Read a table of predictions of each, or of numbers, paired by row id.

    Parameters
    ----------
    base, candidate : str
        The files.
    columns : GivenColumns
        What their columns are called, where not as usual.
    subgroup : str, optional
        The column whose values are decided on each by itself.
    numbers : GivenMetric or str, optional
        What the numbers of tables without labels are, as in `read_each_values`.

    Raises
    ------
    Problem, UserError
        A file or a column that is not there, other rows, other true labels.
    """

    def read(columns: GivenColumns) -> SideBySide:
        if numbers is None:
            return read_each([base, candidate], columns)
        return read_each_values([base, candidate], columns, numbers)

    given = read(columns)
    (name_base, of_base), (name_candidate, of_candidate) = given.models.items()
    parts = None
    if subgroup is not None:
        try:
            found = read(columns.model_copy(update={"group": subgroup}))
        except Problem as problem:
            if problem.path[-1] != "group":
                raise
            raise Problem(("subgroup",), problem.message) from None
        parts = found.related["group"]
    return GateRows(
        (name_base, name_candidate),
        given.classes,
        given.truth,
        of_base,
        of_candidate,
        given.related.get("group"),
        parts,
        _digest(base, candidate, columns, numbers=numbers is not None),
        numbers.greater_is_better if isinstance(numbers, GivenMetric) else True,
    )


def _digest(base: str, candidate: str, columns: GivenColumns, *, numbers: bool) -> str:
    """Return a digest of ids and true labels that the order of the rows does not change."""
    if numbers:
        table = read_predictions(base, columns, ("predictions",), numbers=True)
        return hashlib.sha256("\n".join(sorted(map(str, table.ids))).encode()).hexdigest()
    for path in (base, candidate):
        try:
            table = read_predictions(path, columns, ("predictions",))
        except Problem:  # the truth may stand in one of the files alone
            continue
        if table.true is not None:
            rows = sorted(f"{i}\t{table.true.named(k)}" for k, i in enumerate(table.ids))
            return hashlib.sha256("\n".join(rows).encode()).hexdigest()
    raise AssertionError("one file has the true labels")
