import numpy as np

from bakeoff import stats


def test_correlated_t_keeps_small_probabilities():
    a = np.linspace(0.90, 0.91, 50)
    b = 2 * a - 0.95
    result = stats.bayes_correlated_t(a, b, rope=0.001)
    assert 0 < result.p_b_better < result.p_equivalent < 1e-12
