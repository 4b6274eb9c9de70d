"""The inner folds of a training part divide as its data set demands."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UserError
from bakeoff.fit.inner_folds import inner_folds, validation_part


def test_inner_folds_are_stratified_and_keep_groups_together() -> None:
    y = np.repeat([0, 1, 2], 20)
    for learnt, tested in inner_folds(y, 4, 0):
        assert (np.bincount(y[tested]) == 5).all()
        assert not set(learnt) & set(tested)
    groups = np.arange(60) // 3
    for learnt, tested in inner_folds(y, 4, 0, groups):
        assert not set(groups[learnt]) & set(groups[tested])
    with pytest.raises(UserError, match="20 groups in the training part are too few for 21"):
        inner_folds(y, 21, 0, groups)
    with pytest.raises(UserError, match="60 training rows are too few for 30 inner folds"):
        inner_folds(y, 30, 0)


def test_inner_folds_in_time_learn_from_the_past() -> None:
    times = np.random.default_rng(0).permutation(50)
    folds = inner_folds(np.zeros(50, dtype=np.intp), 4, 0, times=times)
    assert len(folds) == 4
    for learnt, tested in folds:
        assert times[learnt].max() < times[tested].min()
    assert len(np.concatenate([tested for _, tested in folds])) == 40


def test_validation_part_is_stratified_keeps_groups_and_is_the_last_in_time() -> None:
    y = np.repeat([0, 1], [40, 20])
    ((learnt, held),) = validation_part(y, 0.25, 3)
    assert np.bincount(y[held]).tolist() == [10, 5]
    assert sorted([*learnt, *held]) == list(range(60))
    groups = np.arange(60) % 12
    ((learnt, held),) = validation_part(y, 0.25, 3, groups)
    assert not set(groups[learnt]) & set(groups[held])
    times = np.random.default_rng(0).permutation(60)
    ((learnt, held),) = validation_part(y, 0.25, 3, times=times)
    assert len(held) == 15
    assert times[learnt].max() < times[held].min()


@pytest.mark.parametrize("share", [0.001, 0.999])
def test_validation_part_without_rows_is_told(share: float) -> None:
    with pytest.raises(UserError, match="is no part to validate on"):
        validation_part(np.arange(20) % 2, share, 0)


def test_validation_part_without_a_class_is_told() -> None:
    with pytest.raises(UserError, match=r"`validation: 0.2` cannot be drawn: The least populated"):
        validation_part(np.arange(20) // 19, 0.2, 0)
