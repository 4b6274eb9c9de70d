"""What the pairwise rank procedures share: families of pairs, adjustment, groups."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from bakeoff.stats._checks import check_level
from bakeoff.stats._result import Alternative, Pair, PairwiseResult
from bakeoff.stats.multiplicity import adjust_pvalues, canonical_method, simultaneous_level

_ALL_PAIRS_ONLY = ("shaffer", "bergmann-hommel")
SINGLE_STEP = ("none", "bonferroni", "sidak")


def family(k: int, control: int | None) -> list[tuple[int, int]]:
    """Return all pairs (0, 1), (0, 2), ..., or the control against each other model."""
    if control is None:
        return [(i, j) for i in range(k) for j in range(i + 1, k)]
    return [(control, j) for j in range(k) if j != control]


def check_correction(correction: str, control: int | None, alternative: Alternative, k: int) -> str:
    """Check that a correction fits the family of hypotheses; return its canonical name."""
    method = canonical_method(correction, "correction")
    if method in _ALL_PAIRS_ONLY and (control is not None or alternative != "two-sided"):
        raise ValueError(
            f"correction: {method!r} counts which two-sided hypotheses on all pairs can be true "
            "at once; versus a control or one-sided use 'holm' or 'hommel'"
        )
    if method == "bergmann-hommel" and k > 15:
        raise ValueError(
            f"correction: 'bergmann-hommel' takes up to 15 models, found {k}; use 'shaffer'"
        )
    return method


def pair_tail(confidence_level: float, m: int, method: str, alternative: Alternative) -> float:
    """Return the tail probability of each of m single-step intervals."""
    level = simultaneous_level(confidence_level, m, method)
    return (1 - level) / (2 if alternative == "two-sided" else 1)


def adjusted(pairs: Iterable[Pair], method: str) -> tuple[Pair, ...]:
    """Adjust the p-values of a family of pairs."""
    pairs = list(pairs)
    values = adjust_pvalues([pair.pvalue for pair in pairs], method)
    return tuple(
        dataclasses.replace(pair, pvalue_adjusted=float(p))
        for pair, p in zip(pairs, values, strict=True)
    )


def with_groups(result: PairwiseResult, confidence_level: float) -> PairwiseResult:
    """Add the groups of a critical difference diagram to two-sided tests of all pairs."""
    if result.details["control"] is not None or result.alternative != "two-sided":
        return result
    alpha = round(1 - confidence_level, 12)
    groups, hidden = _groups(result, alpha)
    found: dict[str, Any] = {"alpha": alpha, "cd_groups": groups, "cd_pairs_not_shown": hidden}
    return dataclasses.replace(result, details={**result.details, **found})


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

    Raises
    ------
    ValueError
        For a comparison with a control, one-sided tests, or a result without average ranks.

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
    check_level(alpha, "alpha")
    if "average_ranks" not in result.details:
        raise ValueError(f"result: {result.test} has no average ranks; use a rank procedure")
    if result.details.get("control") is not None or result.alternative != "two-sided":
        raise ValueError(
            f"result: {result.test} was versus a control or one-sided; groups need two-sided "
            "tests of all pairs (control=None)"
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
