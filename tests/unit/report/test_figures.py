"""Figures agree with the numbers they show, whatever the number of models."""

import dataclasses
import itertools

import numpy as np
import pytest
from scipy import special
from studies import experiment, pair, ran, study

from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.exhibits.pairs import joined, rows_of
from bakeoff.report.family import detectable
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


def test_detectable_difference_shrinks_with_more_rows():
    means = {"a": 0.9, "b": 0.88}
    one = ran(experiment(("a", "b"), tests=("mcnemar",)), means, accuracies=means)
    family = one.ranking_families("mcnemar")[0]
    row = family.rows[0]
    counts = {k: 10 * v for k, v in row.result["details"].items() if k.startswith("only")}
    more = dataclasses.replace(row, n=10 * row.n, result={"details": counts})
    assert 0 < detectable(family, more) < detectable(family, row) < 0.3


def test_pairs_are_those_of_the_leader_seen_from_the_better_model_whatever_the_order():
    means = {f"m{i}": 0.82 + 0.01 * i for i in range(9)}
    one = ran(experiment(list(means), tests=("cv5x2_f",)), means)
    rows = rows_of(one, one.ranking_families("cv5x2_f"))
    assert [(row.comparison.model_a, row.turned) for row in rows] == [("m8", True)] * 8
    assert rows[0].comparison.estimate == pytest.approx(0.01)


def test_detectable_difference_of_groups_does_not_count_their_rows():
    spec = experiment(("a", "b"), tests=("mcnemar",))
    details = {"only_a_correct": 12, "only_b_correct": 8}
    found = [
        pair("a", "b", 0.1, 0.02, test="mcnemar", variant=variant, ci_low=-0.2, ci_high=0.24,
             confidence=0.95, result={"details": details})
        for variant in ("midp", "sign_flip")
    ]  # fmt: skip
    (family,) = study(spec, found, dict.fromkeys("ab", 0.9)).families
    by_rows, by_groups = (detectable(family, row) for row in found)
    assert by_rows < 0.1 < 0.22 < by_groups


def test_detectable_difference_is_that_of_the_very_test():
    """The 5×2cv t and F tests share their folds, not their power."""
    means = {"a": 0.9, "b": 0.893}
    one = ran(experiment(("a", "b"), tests=("cv5x2_f", "cv5x2_t")), means)
    sizes = {f.entry.name: detectable(f, f.rows[0]) for f in one.families}
    row = next(f.rows[0] for f in one.families if f.entry.name == "cv5x2_t")
    half = (row.ci_high - row.ci_low) / 2
    level, power = special.stdtrit(5, 0.975), special.stdtrit(5, 0.8)
    assert sizes["cv5x2_t"] == pytest.approx(half * (level + power) / level)
    assert sizes["cv5x2_f"] != pytest.approx(sizes["cv5x2_t"], rel=0.01)
