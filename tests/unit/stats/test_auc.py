"""Areas under the curve of two models: sizes, pairs that are computed together."""

from itertools import combinations

import numpy as np
import pytest

from bakeoff.stats.core.pairs import all_pairs
from bakeoff.stats.core.ranks import rows_below
from bakeoff.stats.rows.auc import delong, delong_pairs


@pytest.mark.parametrize("positives", [29, 30])
def test_the_normal_approximation_wants_thirty_of_each_class(positives):
    y = np.arange(positives + 30) < positives
    a, b = y + np.random.default_rng(0).normal(size=(2, len(y)))
    (held,) = (x.holds for x in delong(y, a, b).assumptions if x.name == "large sample")
    assert held is (positives >= 30)


RNG = np.random.default_rng(3)
Y = RNG.random(300) < 0.4
SCORES = np.column_stack([(RNG.random(300) + Y * 0.3).round(d) for d in (1, 2, 9)])


@pytest.mark.parametrize("groups", [None, np.arange(300) % 20], ids=["rows", "groups"])
def test_pairs_together_are_those_of_the_test_alone_to_the_last_bit(groups):
    pairs = list(combinations(range(3), 2))
    alone = [delong(Y, SCORES[:, a], SCORES[:, b], groups=groups).to_dict() for a, b in pairs]
    together = all_pairs("delong", Y, SCORES, groups=groups, simultaneous=False).results
    assert [found.to_dict() for found in together] == alone


def test_each_model_is_ranked_once(monkeypatch):
    ranked = []

    def counted(positive, scores):
        ranked.append(1)
        return rows_below(positive, scores)

    monkeypatch.setattr("bakeoff.stats.metrics.library.rows_below", counted)
    delong_pairs(Y, SCORES, combinations(range(3), 2))
    assert len(ranked) == 3
