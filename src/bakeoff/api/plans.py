"""From a splitter of scikit-learn to the plan that its folds are of."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UserError

Split = tuple[NDArray[Any], NDArray[Any]]
"""The places of the rows that are trained on, and of those that are tested."""

_ONE_ROUND = (
    *("KFold", "StratifiedKFold", "GroupKFold", "StratifiedGroupKFold"),
    *("LeaveOneOut", "LeaveOneGroupOut"),
)
_REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold")
_DRAWN = ("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit")
_NEVER_DRAWN = ("LeaveOneOut", "LeaveOneGroupOut", "TimeSeriesSplit")
_PROVE = "pass `return_indices=True` to `cross_validate`, so that the results hold them"


@dataclasses.dataclass(frozen=True)
class FoldPlan:
    """A plan of an experiment, and the sizes of its parts."""

    name: str
    repeats: int
    folds: int
    n_train: NDArray[Any]
    n_test: NDArray[Any]
    sized: bool
    growing: bool = False

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and the fold of each split, from 1."""
        return [(r, f) for r in range(1, self.repeats + 1) for f in range(1, self.folds + 1)]

    @property
    def resampling(self) -> dict[str, Any]:
        """The section `resampling:` of an experiment with this plan."""
        keys: dict[str, Any] = {}
        if self.name == "kfold":
            keys = {"folds": self.folds, "repeats": self.repeats}
        elif self.name == "resampled":
            share = float(self.n_test[0] / (self.n_test[0] + self.n_train[0]))
            keys = {"repeats": self.repeats, "test_size": share}
        return {self.name: keys}


def plan_of(cv: Any, n: int | None, n_scores: int, splits: Sequence[Split] | None) -> FoldPlan:
    """Return the resampling plan of a splitter."""
    if splits is None and isinstance(cv, list | tuple):
        splits = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    kind = "KFold" if cv is None or isinstance(cv, Integral) else type(cv).__name__
    known = (*_ONE_ROUND, *_REPEATED, *_DRAWN, "TimeSeriesSplit")
    if splits is not None:
        found = _from_splits(splits, drawn=kind in _DRAWN)
    elif kind in known:
        found = _from_splitter(cv, kind, n, n_scores)
    elif hasattr(cv, "get_n_splits"):
        raise UserError(f"cv: what splits {kind} makes is not known: {_PROVE}")
    else:
        raise UserError(
            f"cv: found {kind}, expected what `cross_validate` was given: a number of folds, a "
            "splitter, or a list of its splits"
        )
    if len(found.n_test) != n_scores:
        raise UserError(
            f"cv: it makes {len(found.n_test)} splits, the results have {n_scores} scores: pass "
            "the one that they were made with"
        )
    return found


def same_splits(known: Mapping[str, list[Split]]) -> list[Split]:
    """Return the splits of the results of all models."""
    first, *others = known
    for model in others:
        pairs = itertools.zip_longest(known[first], known[model])
        for i, (one, other) in enumerate(pairs):
            there = one is not None and other is not None
            if not there or not all(map(np.array_equal, one, other)):
                raise UserError(
                    f"results[{model!r}]: split {i} has other rows than that of {first}: results "
                    "are paired by split; give `cv` a number as `random_state`, or the list "
                    "`list(cv.split(X, y))` as `cv`"
                )
    return known[first]


def is_drawn_anew(cv: Any) -> bool:
    """Tell whether a splitter may return different splits at each call."""
    kind = type(cv).__name__
    if not hasattr(cv, "get_n_splits") or kind in _NEVER_DRAWN:
        return False
    if kind in _ONE_ROUND and not getattr(cv, "shuffle", False):
        return False
    known = (*_ONE_ROUND, *_REPEATED, *_DRAWN)
    return kind not in known or not isinstance(cv.random_state, Integral)


def _from_splitter(cv: Any, kind: str, n: int | None, n_scores: int) -> FoldPlan:
    if kind in _DRAWN:
        return _of_drawn(cv, kind, n, n_scores)
    if kind == "TimeSeriesSplit":
        if n is None:
            raise UserError("n: TimeSeriesSplit trains on more and more rows: pass n=len(y)")
        sizes = [(len(train), len(test)) for train, test in cv.split(np.zeros(n))]
        n_train, n_test = np.array(sizes).T
        return FoldPlan("kfold", 1, len(sizes), n_train, n_test, sized=True, growing=True)
    repeats = int(cv.n_repeats) if kind in _REPEATED else 1
    total = _count(cv, n_scores)
    folds = total // repeats
    sized = n is not None and "Group" not in kind
    # scikit-learn gives the first n mod k folds one row more
    n_test = np.array([n // folds + (i < n % folds) for i in range(folds)] if sized and n else 1)
    n_test = np.tile(np.broadcast_to(n_test, folds), repeats)
    n_train = (n if sized and n else folds) - n_test
    return FoldPlan(name_of_rounds(repeats, folds), repeats, folds, n_train, n_test, sized)


def _count(cv: Any, n_scores: int) -> int:
    """Return the number of splits; some know it only with the rows."""
    if cv is None:
        return 5
    if isinstance(cv, Integral):
        return int(cv)
    return n_scores if type(cv).__name__.startswith("LeaveOne") else int(cv.get_n_splits())


def _of_drawn(cv: Any, kind: str, n: int | None, n_scores: int) -> FoldPlan:
    test, train = cv.test_size, cv.train_size
    if n is not None and kind != "GroupShuffleSplit":
        own = copy.deepcopy(cv)  # drawing splits would move a shared random state on
        first, second = next(own.split(np.zeros(n), np.zeros(n)))
        sizes: tuple[float, float] = (len(first), len(second))
    elif kind == "GroupShuffleSplit":
        raise UserError(f"cv: how many rows the groups of GroupShuffleSplit have: {_PROVE}")
    elif isinstance(test, Integral) or isinstance(train, Integral):
        raise UserError("n: the sizes of `cv` are rows, of how many? Pass n=len(y)")
    else:
        share = test if test is not None else (0.1 if train is None else 1 - train)
        sizes = (1 - share if train is None else train, share)
    n_train, n_test = (np.full(cv.get_n_splits(), size) for size in sizes)
    if n_scores < 2:
        raise UserError("cv: one random division has no spread: pass n_splits=2 or more")
    return FoldPlan("resampled", len(n_test), 1, n_train, n_test, sized=n is not None)


def _from_splits(splits: Sequence[Split], *, drawn: bool) -> FoldPlan:
    """Find the plan that splits follow, which are all known."""
    n_train, n_test = np.array([(len(train), len(test)) for train, test in splits]).T
    for train, test in splits:
        if len(np.intersect1d(train, test)):
            raise UserError("cv: a split tests rows that it trains on")
    rows = np.unique(np.concatenate([np.concatenate(split) for split in splits]))
    if not drawn:
        rounds = _rounds(splits, len(rows))
        if rounds is not None and len(set(rounds)) == 1:
            repeats, folds = len(rounds), rounds[0]
            return FoldPlan(
                name_of_rounds(repeats, folds), repeats, folds, n_train, n_test, sized=True
            )
        if _grows(splits):
            shape = "kfold", 1, len(splits)
            return FoldPlan(*shape, n_train, n_test, sized=True, growing=True)
    whole = {len(train) + len(test) for train, test in splits} == {len(rows)}
    if drawn or (whole and len(splits) > 1 and len(set(n_test.tolist())) == 1):
        return FoldPlan("resampled", len(splits), 1, n_train, n_test, sized=True)
    raise UserError(
        "cv: its splits are no cross-validation (each row tested once in every round, trained on "
        "otherwise), no random divisions of all rows, and do not go with time: no test fits them"
    )


def _rounds(splits: Sequence[Split], n: int) -> list[int] | None:
    """Count the folds of each round of a cross-validation; None where it is no such."""
    found: list[int] = []
    tested: list[NDArray[Any]] = []
    for train, test in splits:
        tested.append(test)
        together = np.concatenate(tested)
        if len(train) + len(test) != n or len(np.unique(together)) < len(together):
            return None
        if len(together) == n:
            found.append(len(tested))
            tested = []
    return None if tested or 1 in found else found


def _grows(splits: Sequence[Split]) -> bool:
    """Tell whether each split trains on rows before those that it tests."""
    in_order = all(train.max() < test.min() for train, test in splits)
    following = itertools.pairwise(splits)
    return in_order and all(a[1].max() < b[1].min() for a, b in following)


def name_of_rounds(repeats: int, folds: int) -> str:
    """Return the plan of repeated cross-validation, as `resampling:` calls it."""
    return "cv_5x2" if (repeats, folds) == (5, 2) else "kfold"
