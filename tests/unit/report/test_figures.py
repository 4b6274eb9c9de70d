"""Figures agree with the numbers they show, whatever the number of models."""

import dataclasses
import itertools

import numpy as np
import pytest
from studies import experiment, ran

from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.exhibits.pairs import joined
from bakeoff.report.ranking import dataset_means, ranks_of

RANK_TESTS = ("nemenyi", "friedman_posthoc", "wilcoxon_signed_rank")


def over(k, n=12, tests=RANK_TESTS):
    rng = np.random.default_rng(4)
    names = [f"model_{i}" for i in range(k)]
    means = {m: list(0.9 - 0.012 * i + rng.normal(0, 0.02, n)) for i, m in enumerate(names)}
    spec = experiment(names, datasets=[f"data_{i}" for i in range(n)], tests=tests)
    return ran(spec, means)


@pytest.mark.parametrize("test", RANK_TESTS)
@pytest.mark.parametrize("k", [3, 8])
def test_bars_join_exactly_what_the_p_values_do_not_tell_apart(test, k):
    one = over(k)
    family = next(f for f in one.families if f.entry.name == test and f.role == "pair")
    means = dataset_means(one, "accuracy", "cv_5x2")
    average = {m: float(r) for m, r in ranks_of(means, one.metric).mean().items()}
    assert family.ranks == pytest.approx(average)
    groups = joined(family)
    for row in family.rows:
        together = any({row.model_a, row.model_b} <= set(group) for group in groups)
        if together:
            assert row.pvalue_adjusted > one.alpha
    best = sorted(one.models, key=average.get)
    for a, b in itertools.pairwise(best):
        differs = family.between(a, b).pvalue_adjusted <= one.alpha
        assert differs != any({a, b} <= set(group) for group in groups)


def test_a_figure_says_why_there_is_none():
    spec = experiment(("a", "b"), tests=("cv5x2_f",))
    one = dataclasses.replace(ran(spec, {"a": 0.9, "b": 0.8}), comparisons=())
    forest = next(e for e in exhibits(one) if e.kind == "forest")
    assert "no result" in draw(forest, one).alt
