import math

import numpy as np
import pytest

from bakeoff.stats.core.pairs import (
    adjust_pvalues,
    canonical_method,
    simultaneous_level,
)

FREE = ("none", "bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak", "BH", "BY")


@pytest.mark.parametrize("method", FREE)
def test_missing_pvalue_stays_and_counts_as_one(method):
    p = [0.01, math.nan, 0.03, 0.2]
    adjusted = adjust_pvalues(p, method)
    assert np.isnan(adjusted).tolist() == [False, True, False, False]
    as_one = adjust_pvalues([0.01, 1.0, 0.03, 0.2], method)
    assert adjusted[[0, 2, 3]].tolist() == as_one[[0, 2, 3]].tolist()


def test_tiny_pvalues_are_not_lost():
    assert adjust_pvalues([1e-300, 0.5], "sidak")[0] == pytest.approx(2e-300)


def test_spellings():
    assert canonical_method("holm_sidak") == "holm-sidak"
    assert canonical_method("bh") == "BH"
    assert canonical_method("shaffer_static") == "shaffer"


def test_simultaneous_levels():
    assert simultaneous_level(0.95, 1, "holm") == 0.95
    assert simultaneous_level(0.95, 10, "none") == 0.95
    assert simultaneous_level(0.95, 10, "BH") == pytest.approx(0.995)
    assert simultaneous_level(0.95, 10, "sidak") ** 10 == pytest.approx(0.95)
