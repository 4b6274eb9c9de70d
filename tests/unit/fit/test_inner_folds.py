"""The inner folds of a training part divide as its data set demands."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UserError
from bakeoff.fit.inner_folds import inner_folds


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
