"""Statistics of the same input are the same bytes, whichever processor computes them.

OpenBLAS and NumPy choose their loops by the processor they find; processes of their own are made
to choose those of others. Every x86-64 processor that NumPy runs on has the loops named here; on
other architectures only NumPy's features are taken away.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from bakeoff import stats

KERNELS = ("Prescott", "Nehalem")
SIMD = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"


def singular() -> Iterator[tuple[str, object]]:
    """Yield what draws say of covariances that are singular, or have equal eigenvalues."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    right = rng.random((120, 3)) < 0.8
    said = np.where(right, y[:, None], 1 - y[:, None])
    blocks = np.repeat(1 - 2 * np.eye(3, dtype=int), 40, axis=0)  # uncorrelated, equally good
    tables = {
        "identical": said[:, [0, 1, 1, 2, 2]],
        "opposite": np.column_stack([said, 1 - said]),
        "exchangeable": np.where(blocks > 0, y[:, None], 1 - y[:, None]),
    }
    for name, table in tables.items():
        for metric in ("accuracy", "f1"):
            yield name, _adjusted(stats.compare_models(y, table, metric=metric))
            yield name, _shares(stats.best_models(y, table, metric=metric))
    first, second = rng.random((2, 60))
    collinear = np.column_stack([first, second, first + second, 2 * first - second])
    yield "collinear", _adjusted(stats.compare_values(collinear))
    yield "collinear", _shares(stats.best_by_values(collinear))


def _adjusted(result: stats.PairwiseResult) -> list[float]:
    return [pair.pvalue_adjusted for pair in result.pairs]


def _shares(result: stats.BestResult) -> tuple[object, ...]:
    return result.members, result.pvalues, result.probability_best


def architectures() -> str:
    return " ".join(sorted({str(lib.get("architecture")) for lib in threadpool_info()}))


def computed(**environment: str) -> tuple[str, str]:
    """Return what a process of its own chose, and what it found."""
    done = subprocess.run(
        [sys.executable, __file__],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    chosen, _, found = done.stdout.partition("\n")
    return chosen, found


@pytest.fixture(scope="module")
def here() -> tuple[str, str]:
    return computed()


@pytest.mark.parametrize(
    "environment",
    [
        *({"OPENBLAS_CORETYPE": kernel} for kernel in KERNELS),
        {"OPENBLAS_CORETYPE": "Haswell"},  # an older processor takes the best that it has
        {"NPY_DISABLE_CPU_FEATURES": SIMD},
    ],
    ids=lambda environment: next(iter(environment.values())),
)
def test_statistics_are_the_same_bytes(here, environment):
    assert computed(**environment)[1].splitlines() == here[1].splitlines()


if __name__ == "__main__":
    lines = (f"{case} {result}\n" for case, result in singular())
    sys.stdout.writelines([architectures() + "\n", *lines])
