"""Eight blocks of time, and all pairs of models, on rows that are related.

Rows in the order of time are cut into eight blocks, as an experiment with `time:` cuts them; the
expected difference of two models in a row is the hyperbolic tangent of an AR(1) series, and a flag
is the check that dependence fades within a block. Four models in groups have an accuracy of their
own in each group, and one group may dominate. Rates go to blocks.csv.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from bakeoff import stats
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.held_out import block_checks
from bakeoff.spec import Costs
from bakeoff.stats.core.result import AGREE
from benchmarks.dependent.draw import fading
from benchmarks.dependent.uneven import (
    ALPHA,
    DISCORDANT,
    MARGIN,
    Sample,
    group_effects,
    sizes_of,
    two_models,
)
from benchmarks.harness import fill

CSV = Path(__file__).with_name("blocks.csv")
BLOCKS, MODELS = 8, 4
COST = [[0, 1], [5, 0]]
COUNTS = ("answered", "rejected", "rejected_unflagged")
IN_TIME = "blocks of time"
Outcome = tuple[float, Sequence[stats.Assumption]]


@dataclasses.dataclass(frozen=True)
class Cell:
    """What is asked, how rows lean, and how they are divided."""

    question: str
    effects: str
    sizes: str
    groups: int
    rows: int


def cells() -> list[Cell]:
    """List every cell."""
    series = [f"AR(1) {phi:g}" for phi in (0, 0.6, 0.9, 0.98)]
    sizes = ("equal", "one group 30 %", "one group 50 %")
    shared = itertools.product(("beta", "two values"), sizes, (8, 20, 60))
    groups = [(*how, 10 * how[-1]) for how in shared]
    return [
        *(
            Cell(q, s, IN_TIME, BLOCKS, n)
            for q, s, n in itertools.product(PAIRS, series, (80, 300, 800))
        ),
        *(Cell(q, *how) for q in FAMILIES for how in groups),
    ]


def draw(cell: Cell, rng: np.random.Generator) -> Sample:
    """Draw the rows of one study."""
    if cell.sizes == IN_TIME:
        n = cell.rows
        groups = np.arange(n) * BLOCKS // n
        slow = np.tanh(fading(rng, n, float(cell.effects.split()[1]))[0])
        mean = -MARGIN / DISCORDANT if cell.question in AT_MARGIN else 0.0
        return two_models(rng, groups, mean + (1 - abs(mean)) * slow)
    groups = np.repeat(np.arange(cell.groups), sizes_of(cell.groups, cell.sizes))
    n = len(groups)
    own = np.stack([group_effects(rng, cell.groups, cell.effects, 0.0) for _ in range(MODELS)])
    correct = rng.random((MODELS, n)) < 0.7 + 0.2 * own[:, groups]
    truth = (rng.random(n) < 0.4).astype(int)
    return Sample(groups, truth, correct, correct.astype(float))


def _of(found: stats.Result) -> Outcome:
    return found.pvalue, found.assumptions


def _all_pairs(s: Sample) -> Outcome:
    found = stats.all_pairs(
        "metric_difference", s.truth, s.predicted.T, metric="balanced_accuracy", groups=s.groups
    )
    adjusted = [pair.pvalue_adjusted for pair in found.pairs]
    return (np.nan if np.isnan(adjusted).all() else np.nanmin(adjusted)), found.assumptions


Question = tuple[str, Callable[[Sample], Outcome]]
PAIRS: dict[str, Question] = {
    "costs": (
        "cost_sensitive",
        lambda s: _of(stats.cost_sensitive(s.truth, *s.predicted, cost=COST, groups=s.groups)),
    ),
    "area": ("delong", lambda s: _of(stats.delong(s.truth, *s.scores, groups=s.groups))),
    "balanced accuracy": (
        "metric_difference",
        lambda s: _of(
            stats.metric_difference(
                s.truth, *s.predicted, metric="balanced_accuracy", groups=s.groups
            )
        ),
    ),
    "equivalence": (
        "tost_paired",
        lambda s: _of(stats.tost_paired(*s.correct, groups=s.groups, margin=MARGIN)),
    ),
    "non-inferiority": (
        "noninferiority",
        lambda s: _of(stats.noninferiority(*s.correct, groups=s.groups, margin=MARGIN)),
    ),
}
FAMILIES: dict[str, Question] = {
    "all pairs": ("metric_difference, all pairs", _all_pairs),
}
QUESTIONS = PAIRS | FAMILIES
AT_MARGIN = ("equivalence", "non-inferiority")


def _checks(s: Sample, test: str) -> Sequence[stats.Assumption]:
    """Return what a comparison says of its blocks of time."""
    n, scores = len(s.truth), s.scores.T
    rows = PairedPredictions(
        ("A", "B"), ("0", "1"), s.truth, s.predicted.T, scores, metric="balanced_accuracy"
    )
    rows = dataclasses.replace(rows, times=np.arange(n))
    costs = Costs.model_validate({"classes": ["0", "1"], "matrix": COST})
    return block_checks(rows, stats.catalogue()[test], costs)


def rates(cell: Cell, runs: int, seed: int) -> dict[str, object]:
    """Simulate one cell."""
    rng = np.random.default_rng([seed, *repr(cell).encode()])
    test, ask = QUESTIONS[cell.question]
    counts: Counter[str] = Counter()
    for _ in range(runs):
        sample = draw(cell, rng)
        pvalue, assumptions = ask(sample)
        if cell.sizes == IN_TIME:
            assumptions = _checks(sample, test)
        rejected = bool(pvalue <= ALPHA)
        flagged = any(a.holds is False and a.name != AGREE for a in assumptions)
        counts.update(
            answered=not np.isnan(pvalue),
            rejected=rejected,
            flagged=flagged,
            rejected_unflagged=rejected and not flagged,
        )
    names = (*COUNTS, "flagged") if cell.sizes == IN_TIME else COUNTS
    found = {name: int(counts[name]) for name in names}
    return {"test": test, "runs": runs, **found}


def simulate(runs: int, seed: int = 1) -> Iterator[object]:
    """Simulate every cell that the file does not hold yet."""
    drawn = ((dataclasses.asdict(cell), partial(rates, cell, runs, seed)) for cell in cells())
    yield from fill(CSV, drawn)
