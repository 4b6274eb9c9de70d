"""What the procedures on pairs of models over data sets share: the family, adjustment, groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.checks import FloatArray
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.pairs import Pair, PairwiseResult, check_control, check_correction, pairs_of
from bakeoff.stats.core.ranks import as_dataset_table
from bakeoff.stats.core.result import Alternative

SINGLE_STEP = ("none", "bonferroni", "sidak")


@dataclasses.dataclass(frozen=True)
class PairFamily:
    """The pairs that a procedure compares, and how it adjusts their p-values.

    Attributes
    ----------
    scores : ndarray, shape (N, k)
        One row per data set, one column per model; greater is better.
    control : int or None
        The model that each other one is compared with; None for all pairs.
    correction : str
        A method of `adjust_pvalues`.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: the first of a pair is better.
    """

    scores: FloatArray
    control: int | None
    correction: str
    alternative: Alternative

    @classmethod
    def of(
        cls,
        scores: ArrayLike,
        control: int | None,
        correction: str,
        alternative: Alternative,
        greater_is_better: bool,
        *,
        allow_missing: bool = False,
    ) -> PairFamily:
        """Check the scores and the correction."""
        table = as_dataset_table(
            scores, greater_is_better=greater_is_better, allow_missing=allow_missing
        )
        control = check_control(control, table.shape[1])
        method = check_correction(correction, control, alternative, table.shape[1])
        return cls(table, control, method, alternative)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs (0, 1), (0, 2), ..., or the control against each other model."""
        return pairs_of(self.scores.shape[1], self.control)

    def result(
        self, compare: Callable[[int, int], Pair], level: float, **facts: Any
    ) -> PairwiseResult:
        """Compare every pair and adjust the p-values; `facts` are the rest of the result."""
        pairs = [compare(a, b) for a, b in self.pairs]
        adjusted = adjust_pvalues([pair.pvalue for pair in pairs], self.correction)
        result = PairwiseResult(
            variant="all_pairs" if self.control is None else "versus_control",
            correction=self.correction,
            pairs=tuple(
                dataclasses.replace(pair, pvalue_adjusted=float(p))
                for pair, p in zip(pairs, adjusted, strict=True)
            ),
            n=len(self.scores),
            alternative=self.alternative,
            **facts,
        )
        return with_groups(result, level)


def pair_tail(confidence_level: Level, m: int, method: str, alternative: Alternative) -> float:
    """Return the tail probability of each of m single-step intervals."""
    level = simultaneous_level(confidence_level, m, method)
    return (1 - level) / (2 if alternative == "two-sided" else 1)


def with_ranks(
    result: PairwiseResult, average_ranks: list[float], confidence_level: Level
) -> PairwiseResult:
    """Add the average ranks of the models, and the groups that a diagram of them joins."""
    details = {**result.details, "average_ranks": average_ranks}
    return with_groups(dataclasses.replace(result, details=details), confidence_level)


def with_groups(result: PairwiseResult, confidence_level: Level) -> PairwiseResult:
    """Add the groups of a critical difference diagram to two-sided tests of all pairs."""
    if result.details["control"] is not None or result.alternative != "two-sided":
        return result
    alpha = round(1 - confidence_level, 12)
    groups, hidden = _groups(result, alpha)
    found: dict[str, Any] = {"alpha": alpha, "cd_groups": groups, "cd_pairs_not_shown": hidden}
    return dataclasses.replace(result, details={**result.details, **found})


@checked
def cd_groups(result: PairwiseResult, *, alpha: float = 0.05) -> tuple[tuple[int, ...], ...]:
    """Group the models that a critical difference diagram joins by a bar.

    Parameters
    ----------
    result : PairwiseResult
        An all-pairs result whose details hold ``average_ranks``.
    alpha : float
        The level; a pair differs when its adjusted p-value is at most alpha.

    Returns
    -------
    tuple of tuple of int
        Column numbers of the models in each group, best first; groups from best to worst. A
        group is a longest run of models, neighbours by average rank, no two of which differ:
        the bars agree with the adjusted p-values by construction. An undecided pair (p NaN) is
        never joined. Some procedures can call two models different that lie between two others
        they do not tell apart; a bar cannot show the outer pair then, and
        ``details["cd_pairs_not_shown"]`` of the result lists it.

    References
    ----------
    Demšar (2006), section 3.2.4 (the diagram).

    Examples
    --------
    >>> from bakeoff.stats import cd_groups, nemenyi
    >>> scores = [[.6681, .7181, .7681], [.6277, .6777, .7277], [.7825, .8325, .8825],
    ...           [.611, .661, .711], [.7845, .8345, .8845], [.6994, .7494, .7994]]
    >>> cd_groups(nemenyi(scores))
    ((2, 1), (1, 0))
    """
    if "average_ranks" not in result.details:
        raise ArgumentError("result", f"{result.test} has no average ranks; use a rank procedure")
    if result.details.get("control") is not None or result.alternative != "two-sided":
        raise ArgumentError(
            "result",
            f"{result.test} was versus a control or one-sided; groups need two-sided "
            "tests of all pairs (control=None)",
        )
    return _groups(result, alpha)[0]


def _groups(
    result: PairwiseResult, alpha: float
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, int], ...]]:
    ranks = np.asarray(result.details["average_ranks"])
    order = [int(i) for i in np.argsort(ranks, kind="stable")]
    place = {model: i for i, model in enumerate(order)}
    joined = np.eye(len(order), dtype=np.bool_)
    for pair in result.pairs:
        i, j = place[pair.a], place[pair.b]
        joined[i, j] = joined[j, i] = pair.pvalue_adjusted > alpha  # False for NaN
    groups: list[tuple[int, ...]] = []
    shown = np.eye(len(order), dtype=np.bool_)
    last_end = 0
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and joined[end, start:end].all():
            end += 1
        if end - start > 1 and end > last_end:
            groups.append(tuple(order[start:end]))
            shown[start:end, start:end] = True
        last_end = max(last_end, end)
    hidden = tuple(
        (pair.a, pair.b)
        for pair in result.pairs
        if joined[place[pair.a], place[pair.b]] and not shown[place[pair.a], place[pair.b]]
    )
    return tuple(groups), hidden
