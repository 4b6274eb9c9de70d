"""The other questions about rows in groups and in time: one call of the package per replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.core.two_by_two import midp_pvalue
from benchmarks.dependent.draw import drawn_rows
from benchmarks.dependent.pairs import ALPHA
from benchmarks.harness import Array

Trial = Callable[[np.random.Generator, int, str, float], Any]
_CUT = special.ndtri(0.2)


def _cochran(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = drawn_rows(rng, groups, shape, icc, 4)
        return stats.cochran_q(z > _CUT, groups=codes, variant=variant, n_resamples=499)

    return run


def _pairwise(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, codes, _ = drawn_rows(rng, groups, shape, icc, 4)
    return stats.all_pairs("mcnemar", z > _CUT, groups=codes)


def _auc(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, y = drawn_rows(rng, groups, shape, icc, 2)
        return stats.delong(y, z[:, 0] + 1.2 * y, z[:, 1] + 1.2 * y, groups=codes, variant=variant)

    return run


def _plain_auc(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, _, y = drawn_rows(rng, groups, shape, icc, 2)
    return stats.delong(y, z[:, 0] + 1.2 * y, z[:, 1] + 1.2 * y)


def _costs(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
    z, codes, y = drawn_rows(rng, groups, shape, icc, 2)
    a, b = (np.where(z[:, j] > _CUT, y, 1 - y) for j in range(2))
    return stats.cost_sensitive(y, a, b, groups=codes, cost=[[0, 1], [3, 0]])


def _losses(variant: str) -> Trial:
    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = drawn_rows(rng, groups, shape, icc, 2)
        return stats.mean_difference(
            z[:, 0], z[:, 1], groups=codes, variant=variant, n_resamples=499
        )

    return run


def _margin(one_sided: bool) -> Trial:
    """Draw a pair whose true difference is the margin: declaring it equal is the error."""
    function = stats.noninferiority if one_sided else stats.tost_paired

    def run(rng: np.random.Generator, groups: int, shape: str, icc: float) -> Any:
        z, codes, _ = drawn_rows(rng, groups, shape, icc, 2)
        worse = special.ndtri(1 - 0.75)
        return function(z[:, 0] > worse, z[:, 1] > _CUT, groups=codes, margin=0.05)

    return run


QUESTIONS: Mapping[str, tuple[Trial, bool]] = {
    "cochran_q sign_flip, 4 models": (_cochran("sign_flip"), True),
    "cochran_q robust_f, 4 models": (_cochran("robust_f"), True),
    "mcnemar of all pairs, 4 models": (_pairwise, True),
    "delong influence_t": (_auc("influence_t"), False),
    "delong robust_t": (_auc("robust_t"), False),
    "delong obuchowski": (_auc("obuchowski"), False),
    "delong (rows)": (_plain_auc, False),
    "cost_sensitive": (_costs, True),
    "mean_difference sign_flip": (_losses("sign_flip"), True),
    "mean_difference sign_flip_exact": (_losses("sign_flip_exact"), True),
    "mean_difference influence_t": (_losses("influence_t"), True),
    "mean_difference robust_t": (_losses("robust_t"), False),
    "tost_paired, at the margin": (_margin(False), True),
    "noninferiority, at the margin": (_margin(True), True),
}
"""Tests run one call at a time, and whether they are the recommended ones."""


SEVERAL = (6, 10)
"""Numbers of models of which all pairs are compared in time."""


def rejects_rows(right: Array) -> bool:
    """Whether McNemar's mid-p test rejects, which takes the rows for independent."""
    a, b = right
    return bool(midp_pvalue(np.sum(a & ~b), np.sum(b & ~a), "two-sided") <= ALPHA)


def rejects(result: Any) -> bool:
    """Whether a result rejects; for all pairs, whether any of them does."""
    if isinstance(result, stats.PairwiseResult):
        return any(pair.pvalue_adjusted <= ALPHA for pair in result.pairs)
    return bool(result.pvalue <= ALPHA)


def _hln(right: Array) -> bool:
    return rejects(stats.diebold_mariano(*right, variant="hln"))


def _in_blocks(right: Array) -> bool:
    blocks = stats.time_blocks(np.arange(right.shape[1]))
    return rejects(stats.mcnemar(*right, groups=blocks))


TIMED: Mapping[str, Callable[[Array], bool]] = {
    "McNemar mid-p (rows)": rejects_rows,
    "diebold_mariano hln": _hln,
    "mcnemar of 8 time_blocks": _in_blocks,
}
"""Tests of rows in the order of time that are run one call at a time: whether they reject."""
