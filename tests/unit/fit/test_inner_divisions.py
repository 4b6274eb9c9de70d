"""Inner divisions of a training part are as its data set demands."""

import numpy as np
import pytest

from bakeoff.errors import UserError
from bakeoff.fit.inner_divisions import divided


def test_inner_folds_are_stratified_and_keep_groups_together():
    y = np.repeat([0, 1, 2], 20)
    for learnt, tested in divided(y, 4, 0):
        assert (np.bincount(y[tested]) == 5).all()
        assert not set(learnt) & set(tested)
    groups = np.arange(60) // 3
    for learnt, tested in divided(y, 4, 0, groups):
        assert not set(groups[learnt]) & set(groups[tested])


def test_validation_part_is_stratified_keeps_groups_and_is_the_last_in_time():
    y = np.repeat([0, 1], [40, 20])
    ((learnt, held),) = divided(y, 0.25, 3)
    assert np.bincount(y[held]).tolist() == [10, 5]
    assert sorted([*learnt, *held]) == list(range(60))
    groups = np.arange(60) % 12
    ((learnt, held),) = divided(y, 0.25, 3, groups)
    assert not set(groups[learnt]) & set(groups[held])
    times = np.random.default_rng(0).permutation(60)
    ((learnt, held),) = divided(y, 0.25, 3, times=times)
    assert len(held) == 15
    assert times[learnt].max() < times[held].min()


EVEN, SIXTY = np.arange(20) % 2, np.repeat([0, 1, 2], 20)


@pytest.mark.parametrize(
    ("y", "into", "groups", "said"),
    [
        (SIXTY, 21, np.arange(60) // 3, "20 groups in the training part are too few for 21"),
        (SIXTY, 30, None, "60 training rows are too few for 30 inner folds"),
        (EVEN, 0.001, None, "is no part to validate on"),
        (EVEN, 0.999, None, "is no part to validate on"),
        (np.arange(20) // 19, 0.2, None, "cannot be drawn to validate on: The least populated"),
    ],
)
def test_divisions_that_cannot_be_are_told(y, into, groups, said):
    with pytest.raises(UserError, match=said):
        divided(y, into, 0, groups)


def test_rows_of_one_time_are_never_separated():
    times = np.repeat(np.arange(8), 5)
    for into in (3, 0.3):
        for learnt, held in divided(np.zeros(40, dtype=np.intp), into, 0, times=times):
            assert times[learnt].max() < times[held].min()
    with pytest.raises(UserError, match="2 different times cannot be cut into 4 blocks"):
        divided(np.zeros(4, dtype=np.intp), 3, 0, times=np.array([0, 0, 1, 1]))


def test_named_rows_come_after_those_that_are_trained_on():
    y, held = np.arange(10) % 2, np.arange(10) >= 7
    divided(y, held, None, times=np.arange(10))
    with pytest.raises(UserError, match="3 of 3 validation rows come before the last row"):
        divided(y, held, None, times=-np.arange(10))
