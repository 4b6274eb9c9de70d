"""Halves of the runs of a base, to see how a rule decides where nothing has changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.predicted import Predicted
from bakeoff.data.row_values import shares_passed
from bakeoff.release.rows import GateRows
from bakeoff.spec.metrics import PassingRuns

MOST_PAIRS = 100
"""Pairs of halves of the base's runs that are decided on."""
_FEWEST_SEEDS = 4
"""Training runs of a base that make two halves of two runs each."""
_SEED = 0

Half = tuple[int, ...]


def pairs_of_halves(rows: GateRows) -> tuple[list[GateRows], int]:
    """Pair halves of the base's runs, one in the place of the candidate; and count its runs."""
    if rows.passing is not None:
        return list(_of_passing_runs(rows, rows.passing)), _marks_of_base(rows).shape[1]
    if rows.runs_of_items is not None:
        return list(_of_runs_of_items(rows)), len(np.unique(rows.runs_of_items))
    n_runs = 1
    if rows.runs:
        n_runs = rows.runs[0]
    return list(_of_training_runs(rows)), n_runs


def _of_passing_runs(rows: GateRows, passing: PassingRuns) -> Iterator[GateRows]:
    """Pair halves of the runs of the base, in the items that have enough runs in both halves."""
    base, candidate = rows.names
    marks = _marks_of_base(rows)
    is_run = ~np.isnan(marks)
    for first, second in _halves(marks.shape[1]):
        n_first = is_run[:, list(first)].sum(axis=1)
        n_second = is_run[:, list(second)].sum(axis=1)
        # pass@k of an item is known from k of its runs on
        kept = np.flatnonzero(np.minimum(n_first, n_second) >= passing.most_runs)
        if not len(kept):
            continue
        models = {
            base: (_passed(marks[kept], first, passing),),
            candidate: (_passed(marks[kept], second, passing),),
        }
        pair = rows.of_base(kept, kept)
        yield dataclasses.replace(pair, given=dataclasses.replace(pair.given, models=models))


def _marks_of_base(rows: GateRows) -> NDArray[np.float64]:
    """Return which runs of each item of the base are right, shape (n, runs)."""
    (run,) = rows.given.models[rows.names[0]]
    assert run.marks is not None
    is_empty = np.isnan(run.marks).all(axis=0)
    return run.marks[:, ~is_empty]


def _passed(marks: NDArray[np.float64], half: Half, passing: PassingRuns) -> Predicted:
    """Return which shares of the runs of a half are passed, for each item."""
    return shares_passed(marks[:, list(half)], passing)


def _of_runs_of_items(rows: GateRows) -> Iterator[GateRows]:
    """Pair halves of the runs of every item of the base."""
    runs = rows.runs_of_items
    assert runs is not None
    items = []
    for row, run in zip(rows.given.ids, runs, strict=True):
        items.append(str(row).removesuffix(f" run {run}"))
    places = pd.DataFrame({"item": items, "run": runs, "place": np.arange(len(runs))})
    # where each run of each item stands among the rows
    table = places.pivot(index="item", columns="run", values="place")
    for first, second in _halves(table.shape[1]):
        is_whole = table.iloc[:, [*first, *second]].notna().all(axis=1)
        whole = table[is_whole].to_numpy()
        if len(whole):
            yield rows.of_base(
                whole[:, list(first)].ravel().astype(np.intp),
                whole[:, list(second)].ravel().astype(np.intp),
            )


def _of_training_runs(rows: GateRows) -> Iterator[GateRows]:
    """Pair halves of the training runs of the base, of two runs each at least."""
    base, candidate = rows.names
    runs = rows.given.models[base]
    if len(runs) < _FEWEST_SEEDS:
        return
    for first, second in _halves(len(runs)):
        models = {
            base: tuple(runs[i] for i in first),
            candidate: tuple(runs[i] for i in second),
        }
        yield dataclasses.replace(rows, given=dataclasses.replace(rows.given, models=models))


def _halves(count: int) -> list[tuple[Half, Half]]:
    """Return different pairs of halves of so many runs, drawn by a fixed seed, without order."""
    half = count // 2
    if not half:
        return []
    draws = np.random.default_rng(_SEED)
    pairs = set()
    for _ in range(MOST_PAIRS):
        order = draws.permutation(count).tolist()
        # of an odd number of runs one is left out
        first = tuple(sorted(order[:half]))
        second = tuple(sorted(order[half : 2 * half]))
        pairs.add((first, second))
    return sorted(pairs)
