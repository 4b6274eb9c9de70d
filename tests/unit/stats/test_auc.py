"""Areas under the curve of two models: definition, corners, pairs that are computed together."""

from itertools import combinations

import numpy as np
import pytest

from bakeoff.stats.core.pairs import all_pairs
from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.metrics.influence import joint_cells, pair_counts
from bakeoff.stats.metrics.rankings import auc
from bakeoff.stats.metrics.view import TrueClasses
from bakeoff.stats.rows.auc import delong, delong_pairs


@pytest.mark.parametrize("values", [3, 10**9])
def test_rows_below_are_those_of_the_other_class(values):
    rng = np.random.default_rng(values)
    scores, positive = rng.integers(0, values, 60) / 7, rng.random(60) < 0.4
    assert (len(np.unique(scores)) == 60) == (values > 3)
    found = rows_below(positive, scores)
    for row, score in enumerate(scores):
        other = scores[positive != positive[row]]
        assert found[row] == (other < score).sum() + (other == score).sum() / 2


@pytest.mark.parametrize("positives", [29, 30])
def test_the_normal_approximation_wants_thirty_of_each_class(positives):
    y = np.arange(positives + 30) < positives
    a, b = y + np.random.default_rng(0).normal(size=(2, len(y)))
    (held,) = (x.holds for x in delong(y, a, b).assumptions if x.name == "large sample")
    assert held is (positives >= 30)


@pytest.mark.parametrize("positives", [2, 3, 20])
def test_influence_values_have_delongs_variance_with_two_rows_of_a_class(positives):
    rng = np.random.default_rng(positives)
    y = np.arange(40) < positives
    a, b = y + rng.normal(size=(2, 40))
    psi = auc(y, a).psi - auc(y, b).psi
    expected = delong(y, a, b).details["se"] ** 2
    assert psi @ psi / (40 * 39) == pytest.approx(expected)


RNG = np.random.default_rng(3)
Y = RNG.random(300) < 0.4
SCORES = np.column_stack([(RNG.random(300) + Y * 0.3).round(d) for d in (1, 2, 9)])


def test_pairs_together_are_those_of_the_test_alone_to_the_last_bit():
    pairs = list(combinations(range(3), 2))
    alone = [delong(Y, SCORES[:, a], SCORES[:, b]).to_dict() for a, b in pairs]
    together = all_pairs("delong", Y, SCORES, simultaneous=False).results
    assert [found.to_dict() for found in together] == alone


def test_pairs_together_in_groups_are_those_of_the_test_alone():
    pairs, groups = list(combinations(range(3), 2)), np.arange(300) % 20
    alone = [delong(Y, SCORES[:, a], SCORES[:, b], groups=groups).to_dict() for a, b in pairs]
    together = all_pairs("delong", Y, SCORES, groups=groups, simultaneous=False).results
    assert [found.to_dict() for found in together] == alone


def test_each_model_is_ranked_once(monkeypatch):
    ranked = []

    def counted(positive, scores):
        ranked.append(1)
        return rows_below(positive, scores)

    monkeypatch.setattr("bakeoff.stats.metrics.rankings.rows_below", counted)
    delong_pairs(Y, SCORES, combinations(range(3), 2))
    assert len(ranked) == 3


def test_joint_cells_are_the_same_counted_for_all_pairs_or_row_by_row():
    truth = TrueClasses(RNG.choice([0, 2, 3], 500), ("a", "b", "c", "d"), 3)
    models = [RNG.choice(kinds, 500) for kinds in ([0, 2, 3], [0, 2], [2, 3])]
    counts = pair_counts(truth, models)
    for a, b in combinations(range(3), 2):
        by_rows = joint_cells(truth, [models[a], models[b]])
        known = joint_cells(truth, [models[a], models[b]], counts[:, a, :, b])
        assert known.weights.tolist() == by_rows.weights.tolist()
        assert known.sizes == by_rows.sizes
        assert np.bincount(known.index, minlength=len(known.weights)).tolist() == [*known.weights]


def test_many_classes_are_not_counted_for_all_pairs():
    codes = np.arange(40)
    truth = TrueClasses(codes, tuple(range(40)), 39)
    assert pair_counts(truth, [codes, codes]) is None
