"""Which resampling plan the splits of scikit-learn follow, and the sizes of their parts."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UserError

Split = tuple[NDArray[Any], NDArray[Any]]
"""The places of the rows that are trained on, and of those that are tested."""
ONE_ROUND = (
    "KFold",
    "StratifiedKFold",
    "GroupKFold",
    "StratifiedGroupKFold",
    "LeaveOneOut",
    "LeaveOneGroupOut",
)
"""Splitters whose folds test every row once."""
REPEATED = ("RepeatedKFold", "RepeatedStratifiedKFold")
"""Splitters whose folds test every row once in each of several rounds."""
_DRAWN = ("ShuffleSplit", "StratifiedShuffleSplit", "GroupShuffleSplit")
"""Splitters that draw each division at random."""
_DEFAULT_FOLDS = 5
_DEFAULT_SHARE = 0.1
"""What scikit-learn takes where nothing is said."""
PROVE = "pass `return_indices=True` to `cross_validate`, so that the results hold them"


class FoldPlan(NamedTuple):
    """A plan of an experiment, and the sizes of its parts."""

    repeats: int
    folds: int
    n_train: NDArray[Any]
    n_test: NDArray[Any]
    sized: bool = True
    """Whether the sizes are numbers of rows, and not shares."""
    growing: bool = False
    """Whether each split trains on more rows than the one before."""

    @property
    def name(self) -> str:
        """The plan, as `resampling:` calls it."""
        if self.folds == 1:
            return "resampled"
        if (self.repeats, self.folds) == (5, 2):
            return "cv_5x2"
        return "kfold"

    @property
    def places(self) -> list[tuple[int, int]]:
        """The repeat and the fold of each split, from 1."""
        repeats = range(1, self.repeats + 1)
        folds = range(1, self.folds + 1)
        return list(itertools.product(repeats, folds))

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
    # scikit-learn takes the splits themselves in place of a splitter
    if splits is None and isinstance(cv, list | tuple):
        splits = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    kind = type(cv).__name__
    if cv is None or isinstance(cv, Integral):
        kind = "KFold"
    if splits is not None:
        plan = _of_splits(splits, drawn=kind in _DRAWN)
    elif kind in _DRAWN:
        plan = _of_drawn(cv, kind, n, n_scores)
    elif kind == "TimeSeriesSplit":
        if n is None:
            raise UserError("n: TimeSeriesSplit trains on more and more rows: pass n=len(y)")
        plan = _of_splits(list(cv.split(np.zeros(n))), drawn=False)
    elif kind in ONE_ROUND + REPEATED:
        plan = _of_rounds(cv, kind, n, n_scores)
    elif hasattr(cv, "get_n_splits"):
        raise UserError(f"cv: what splits {kind} makes is not known: {PROVE}")
    else:
        raise UserError(
            f"cv: found {kind}, expected what `cross_validate` was given: a number of folds, a "
            "splitter, or a list of its splits"
        )
    if len(plan.n_test) != n_scores:
        raise UserError(
            f"cv: it makes {len(plan.n_test)} splits, the results have {n_scores} scores: pass "
            "the one that they were made with"
        )
    return plan


def _of_rounds(cv: Any, kind: str, n: int | None, n_scores: int) -> FoldPlan:
    """Return the plan of a splitter that tests each row once in every round."""
    repeats = 1
    if kind in REPEATED:
        repeats = int(cv.n_repeats)
    if cv is None:
        total = _DEFAULT_FOLDS
    elif isinstance(cv, Integral):
        total = int(cv)
    elif kind.startswith("LeaveOne"):  # which know their number only with the rows
        total = n_scores
    else:
        total = int(cv.get_n_splits())
    folds = total // repeats
    if n is None or "Group" in kind:
        # folds of about the same size: tests need the ratio n_test/n_train alone, here 1 : k − 1
        n_test = np.ones(total, dtype=int)
        return FoldPlan(repeats, folds, folds - n_test, n_test, sized=False)
    # scikit-learn gives the first n mod k folds one row more
    sizes = np.full(folds, n // folds)
    sizes[: n % folds] += 1
    n_test = np.tile(sizes, repeats)
    return FoldPlan(repeats, folds, n - n_test, n_test)


def _of_drawn(cv: Any, kind: str, n: int | None, n_scores: int) -> FoldPlan:
    """Return the plan of a splitter that draws its parts at random."""
    if kind == "GroupShuffleSplit":
        raise UserError(f"cv: how many rows the groups of GroupShuffleSplit have: {PROVE}")
    train, test = _drawn_sizes(cv, n)
    if n_scores < 2:
        raise UserError("cv: one random division has no spread: pass n_splits=2 or more")
    repeats = cv.get_n_splits()
    n_train = np.full(repeats, train)
    n_test = np.full(repeats, test)
    return FoldPlan(repeats, 1, n_train, n_test, sized=n is not None)


def _drawn_sizes(cv: Any, n: int | None) -> tuple[float, float]:
    """Return the sizes of the parts that are drawn: rows, or without their number shares."""
    if n is not None:
        splitter = copy.deepcopy(cv)  # drawing splits would move a shared random state on
        train, test = next(splitter.split(np.zeros(n), np.zeros(n)))
        return len(train), len(test)
    if isinstance(cv.test_size, Integral) or isinstance(cv.train_size, Integral):
        raise UserError("n: the sizes of `cv` are rows, of how many? Pass n=len(y)")
    # scikit-learn tests a tenth where no size is given, and else the rest
    if cv.test_size is not None:
        test_share = cv.test_size
    elif cv.train_size is not None:
        test_share = 1 - cv.train_size
    else:
        test_share = _DEFAULT_SHARE
    if cv.train_size is None:
        return 1 - test_share, test_share
    return cv.train_size, test_share


def _of_splits(splits: Sequence[Split], *, drawn: bool) -> FoldPlan:
    """Find the plan that splits follow, which are all known."""
    sizes = []
    for train, test in splits:
        sizes.append((len(train), len(test)))
        if len(np.intersect1d(train, test)):
            raise UserError("cv: a split tests rows that it trains on")
    n_train, n_test = np.array(sizes).T
    # the rows that some split uses; a splitter may leave out others
    rows = np.unique(np.concatenate(list(map(np.concatenate, splits))))
    if not drawn:
        rounds = _rounds(splits, len(rows))
        if len(set(rounds)) == 1:
            return FoldPlan(len(rounds), rounds[0], n_train, n_test)
        if _go_with_time(splits):
            return FoldPlan(1, len(splits), n_train, n_test, growing=True)
    # random divisions of all rows into parts of the same sizes need not come from a known splitter
    of_all_rows = bool((n_train + n_test == len(rows)).all())
    alike = len(splits) > 1 and len(set(n_test.tolist())) == 1
    if drawn or (of_all_rows and alike):
        return FoldPlan(len(splits), 1, n_train, n_test)
    raise UserError(
        "cv: its splits are no cross-validation, no random divisions of all rows, and do not go "
        "with time: no test fits them"
    )


def _go_with_time(splits: Sequence[Split]) -> bool:
    """Tell whether splits test rows after those they train on, and after those tested before."""
    last_tested = -1
    for train, test in splits:
        # rows are in the order of time: a split must not train on what it tests, or test twice
        if train.max() >= test.min() or last_tested >= test.min():
            return False
        last_tested = test.max()
    return True


def _rounds(splits: Sequence[Split], n: int) -> list[int]:
    """Count the folds of each round of a cross-validation; none where it is no such."""
    rounds: list[int] = []
    tested: list[NDArray[Any]] = []
    for train, test in splits:
        tested.append(test)
        together = np.concatenate(tested)
        if len(train) + len(test) != n or len(np.unique(together)) < len(together):
            return []
        # a round is complete once its test parts hold every row
        if len(together) == n:
            rounds.append(len(tested))
            tested = []
    # rows that no complete round tests, or a round of one fold: no cross-validation
    if tested or 1 in rounds:
        return []
    return rounds


# --- the splits that results hold


def same_splits(results: Mapping[str, Any]) -> list[Split]:
    """Return the splits that all results hold, having proved that they are the same."""
    splits = {model: _splits_in(result) for model, result in results.items()}
    first = next(iter(results))
    for model in results:
        # a result with fewer splits than the first one differs from it too
        pairs = itertools.zip_longest(splits[first], splits[model])
        for i, (split, other) in enumerate(pairs):
            if split is None or other is None or not all(map(np.array_equal, split, other)):
                raise UserError(
                    f"results[{model!r}]: split {i} has other rows than that of {first}: give all "
                    "the same `cv`, with a number as `random_state`"
                )
    return splits[first]


def _splits_in(result: Mapping[str, Any]) -> list[Split]:
    """Return the splits that a result of `cross_validate` holds."""
    train = map(np.asarray, result["indices"]["train"])
    test = map(np.asarray, result["indices"]["test"])
    return list(zip(train, test, strict=True))
