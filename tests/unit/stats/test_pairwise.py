from __future__ import annotations

import itertools
import math
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pytest

from bakeoff.stats import all_pairs
from bakeoff.stats.core import two_by_two as kernels
from bakeoff.stats.core.pairs import PairwiseResult, adjust_pvalues
from bakeoff.stats.core.result import AGREE, Status
from bakeoff.stats.rows.mcnemar import mcnemar

VARIANTS = ("midp", "exact", "asymptotic", "corrected")
SIDES = ("two-sided", "greater", "less")


def random_matrix(seed: int, n: int = 60, models: int = 4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(n, models)) < rng.uniform(0.3, 1, size=models)


def pvalues(result: PairwiseResult) -> list[float]:
    return [pair.pvalue for pair in result.pairs]


def adjusted(result: PairwiseResult) -> list[float]:
    return [pair.pvalue_adjusted for pair in result.pairs]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_pair_is_mcnemar(variant: str, side: str) -> None:
    x = random_matrix(1)
    x[:, 3] = x[:, 2]  # a pair without discordant rows
    result = all_pairs(
        "mcnemar", x, variant=variant, alternative=side, simultaneous=False, confidence_level=0.9
    )
    assert [(p.a, p.b) for p in result.pairs] == list(itertools.combinations(range(4), 2))
    for pair in result.pairs:
        alone = mcnemar(
            x[:, pair.a], x[:, pair.b], variant=variant, alternative=side, confidence_level=0.9
        )
        assert (pair.statistic, pair.pvalue, pair.estimate, pair.df, pair.status) == (
            alone.statistic,
            alone.pvalue,
            alone.estimate,
            alone.df,
            alone.status,
        )
        assert pair.ci == alone.ci
        for name, size in alone.effect_sizes.items():
            assert pair.details[name] == pytest.approx(size, nan_ok=True)
    assert result.pairs[-1].status is Status.NO_DISCORDANT_PAIRS
    assert result.pairs[-1].pvalue == 1


@pytest.mark.parametrize(
    ("k", "n"), [(0, 0), (0, 1), (3, 7), (16, 33), (400, 1000), (49500, 10**5)]
)
def test_binomial_point_probability_is_exact(k: int, n: int) -> None:
    true = Fraction(math.comb(n, k), 2**n)
    assert abs(float(Fraction(float(kernels.half_pmf(k, n))) / true - 1)) < 1e-12


@pytest.mark.parametrize("correction", ["holm", "hommel", "BH", "shaffer"])
def test_correction_is_applied_to_the_family(correction: str) -> None:
    result = all_pairs("mcnemar", random_matrix(2), correction=correction)
    assert adjusted(result) == adjust_pvalues(pvalues(result), correction).tolist()
    assert result.correction == correction


def test_control_is_compared_with_each_other_model() -> None:
    x = random_matrix(5)
    result = all_pairs("mcnemar", x, control=2, alternative="greater", correction="holm")
    assert [(p.a, p.b) for p in result.pairs] == [(2, 0), (2, 1), (2, 3)]
    for pair in result.pairs:
        assert pair.estimate == pytest.approx(x[:, 2].mean() - x[:, pair.b].mean())
        assert pair.pvalue == mcnemar(x[:, 2], x[:, pair.b], alternative="greater").pvalue


def test_intervals_are_simultaneous_unless_asked_otherwise() -> None:
    x = random_matrix(6)
    together, alone = all_pairs("mcnemar", x), all_pairs("mcnemar", x, simultaneous=False)
    assert together.details["confidence_level_each"] == pytest.approx(1 - 0.05 / 6)
    for wide, narrow in zip(together.pairs, alone.pairs, strict=True):
        assert wide.ci is not None
        assert narrow.ci is not None
        assert wide.ci.low <= narrow.ci.low <= narrow.estimate <= narrow.ci.high <= wide.ci.high


@pytest.mark.parametrize("fill", [True, False])
def test_models_that_are_all_right_or_all_wrong(fill: bool) -> None:
    for variant in VARIANTS:
        result = all_pairs("mcnemar", np.full((10, 3), fill), variant=variant, correction="holm")
        assert result.status is Status.NO_DISCORDANT_PAIRS
        assert adjusted(result) == [1.0, 1.0, 1.0]
        assert all(pair.estimate == 0 for pair in result.pairs)


def test_one_row() -> None:
    result = all_pairs("mcnemar", [[1, 0, 0]], variant="exact")
    assert pvalues(result) == [1.0, 1.0, 1.0]
    assert not any(check.holds for check in result.assumptions)


def test_two_models() -> None:
    x = random_matrix(7, models=2)
    result = all_pairs("mcnemar", x)
    assert adjusted(result) == pvalues(result) == [mcnemar(x[:, 0], x[:, 1]).pvalue]


def test_memory_stays_that_of_the_input() -> None:
    import tracemalloc

    x = random_matrix(8, n=20_000, models=50)
    tracemalloc.start()
    all_pairs("mcnemar", x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000  # rows × models × models would be 50 million values


def test_plain_data_of_a_family_carry_its_own_checks():
    """An interval that excludes 0 does not disagree with a test of equivalence within a margin."""
    chances = np.random.default_rng(0).random((100, 3))
    correct = np.repeat((chances < [0.8, 0.8, 0.81]).astype(int), 20, axis=0)
    result = all_pairs("tost_paired", correct, margin=0.2)
    assert any(pair.ci.excludes(0) for pair in result.pairs)
    assert AGREE not in {check.name for check in result.assumptions}
    assert result.to_dict()["assumptions"] == [asdict(check) for check in result.assumptions]
