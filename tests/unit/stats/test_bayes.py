import math

import numpy as np

from bakeoff import stats
from bakeoff.stats import Status


def probabilities(result):
    return [result.p_a_better, result.p_equivalent, result.p_b_better]


def test_correlated_t_keeps_small_probabilities():
    a = np.linspace(0.90, 0.91, 50)
    b = 2 * a - 0.95
    result = stats.bayes_correlated_t(a, b, rope=0.001)
    assert 0 < result.p_b_better < result.p_equivalent < 1e-12


def test_points_are_limits_and_say_so():
    same = stats.bayes_correlated_t([0.8, 0.7, 0.9], [0.8, 0.7, 0.9])
    assert (same.status, *probabilities(same)) == (Status.IDENTICAL_SCORES, 0, 1, 0)
    shifted = stats.bayes_correlated_t([0.8, 0.7, 0.9], [0.7, 0.6, 0.8])
    assert (shifted.status, *probabilities(shifted)) == (Status.ZERO_VARIANCE, 1, 0, 0)
    assert shifted.assumptions[0].holds is False
    single = stats.bayes_correlated_t([0.8], [0.7], n_train=80, n_test=20)
    assert single.status is Status.TOO_FEW
    assert all(map(math.isnan, probabilities(single)))
