"""The settings of the study of dependent rows, and how often tests reject and intervals cover."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from bakeoff import stats
from bakeoff.stats.rows.ordered import diebold_mariano_pairs
from benchmarks.dependent import draw
from benchmarks.harness import fill, flagged, read

CSV = Path(__file__).with_name("rates.csv")
SIZES = (3, 20)
ACCURACIES = (0.6, 0.8, 0.95)
TIMES = (40, 100, 400, 1000)
PHIS = (0.0, 0.3, 0.6, 0.9)
UNDER_NOISE = (100, 200, 300, 1000)
"""Numbers of times of series whose dependence hides under noise."""
PROCESSES: Mapping[str, tuple[Callable[..., draw.Array], tuple[float, ...]]] = {
    "tilt": (draw.tilted, PHIS),
    "lasting": (draw.lasting, PHIS),
    "independent": (draw.hidden, (0.0,)),
    "hidden": (draw.hidden, (0.6, 0.9, 0.98)),
    "spells": (draw.favoured, (0.6, 0.9, 0.98)),
    "spells, few errors": (draw.rarely_wrong, (0.9,)),
    "skewed losses": (draw.skewed, (0.0, 0.6, 0.9)),
    "volatility": (draw.volatile, (0.9,)),
    "season": (draw.seasonal, (0.6, 0.9)),
}
"""How rows in time are drawn, and with what φ."""
ONE_BY_ONE = ("tilt", "lasting")
"""Those on which the other tests are run too, one call at a time."""
MANY = {"spells": draw.favoured, "one persistent model": draw.one_persistent}
MANY_PHIS = (0.0, 0.9)
"""How rows in time are drawn for several models."""
KINDS = ("pair", "single", "time", "pairs in time", "question")
COVERAGE = (
    "newcombe_effective",
    "robust_t interval",
    "Newcombe (rows)",
    "wilson_effective",
    "Wilson (rows)",
)
UNFLAGGED = ", no assumption failed"
NAIVE = "McNemar mid-p (rows)"
IN_TIME = "diebold_mariano ewc_corrected"
ALPHA = 0.05
_NUMBERS = 6_000_000
"""Drawn at a time."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to draw rows, and what is asked of them.

    `shape` says whether groups have one size, or names the process in time; times are groups of one
    row. `dependence` is the intraclass correlation or φ, and A is worse by `difference`.
    """

    kind: str
    shape: str
    effects: str
    groups: int
    mean_size: int
    dependence: float
    accuracy: float
    difference: float = 0.0

    @property
    def name(self) -> str:
        """A name for its generator."""
        return "-".join(str(v) for v in dataclasses.astuple(self)).replace(" ", "").replace("%", "")


@dataclasses.dataclass(frozen=True)
class Rate:
    """How often a test rejected a true null, or an interval covered what is true."""

    setting: Setting
    test: str
    runs: int
    rate: float

    @property
    def error(self) -> float:
        """Standard error of the rate, where it is near .05 or .95."""
        return float((0.05 * 0.95 / self.runs) ** 0.5)


def settings() -> list[Setting]:
    """List every setting, small ones first."""
    two = itertools.product(
        draw.GROUPS, SIZES, draw.SHAPES, draw.EFFECTS, draw.ICCS, ACCURACIES, (0.0, 0.1)
    )
    found = [
        Setting("pair", shape, effects, k, mean, icc, accuracy, difference)
        for k, mean, shape, effects, icc, accuracy, difference in two
        if effects == "normal" or (icc and accuracy == 0.8 and not difference)
    ]
    found += [
        Setting("single", shape, "normal", k, mean, icc, accuracy)
        for k, mean, shape, icc, accuracy in itertools.product(
            draw.GROUPS, SIZES, draw.SHAPES, draw.ICCS, ACCURACIES
        )
    ]
    found += [
        Setting("time", process, "normal", n, 1, phi, 0.7)
        for process, (_, phis) in PROCESSES.items()
        for n in (TIMES if process in ONE_BY_ONE else UNDER_NOISE)
        for phi in phis
    ]
    found += [
        Setting("pairs in time", process, "normal", n, 1, phi, 0.75)
        for n, process, phi in itertools.product(UNDER_NOISE, MANY, MANY_PHIS)
        if phi or process == "spells"
    ]
    found += [
        Setting("question", shape, "normal", k, 8, icc, 0.8)
        for k, shape, icc in itertools.product(draw.GROUPS, draw.SHAPES, draw.ICCS)
    ]
    return found


# What is asked, one call of the package per replication -----------------------------------------

_CUT, _WORSE = special.ndtri([0.2, 0.25])


def _areas(z: draw.Array, y: draw.Array, **options: Any) -> stats.Result:
    return stats.delong(y, z[:, 0] + 1.2 * y, z[:, 1] + 1.2 * y, **options)


def _costs(z: draw.Array, codes: draw.Array, y: draw.Array) -> stats.Result:
    a, b = (np.where(z[:, j] > _CUT, y, 1 - y) for j in range(2))
    return stats.cost_sensitive(y, a, b, groups=codes, cost=[[0, 1], [3, 0]])


def _at_margin(z: draw.Array) -> tuple[draw.Array, draw.Array]:
    """Return a pair whose true difference is the margin: declaring it equal is the error."""
    return z[:, 0] > _WORSE, z[:, 1] > _CUT


Trial = Callable[..., Any]
"""A test of margins, groups and classes of rows."""
QUESTIONS: Mapping[str, tuple[Trial, bool]] = {
    **{
        f"cochran_q {variant}, 4 models": (
            lambda z, codes, y, variant=variant: stats.cochran_q(
                z > _CUT, groups=codes, variant=variant, n_resamples=499
            ),
            True,
        )
        for variant in ("sign_flip", "robust_f")
    },
    "mcnemar of all pairs, 4 models": (
        lambda z, codes, y: stats.all_pairs("mcnemar", z > _CUT, groups=codes),
        True,
    ),
    **{
        f"delong {variant}": (
            lambda z, codes, y, variant=variant: _areas(z, y, groups=codes, variant=variant),
            False,
        )
        for variant in ("influence_t", "robust_t", "obuchowski")
    },
    "delong (rows)": (lambda z, codes, y: _areas(z, y), False),
    "cost_sensitive": (_costs, True),
    **{
        f"mean_difference {variant}": (
            lambda z, codes, y, variant=variant: stats.mean_difference(
                z[:, 0], z[:, 1], groups=codes, variant=variant, n_resamples=499
            ),
            variant != "robust_t",
        )
        for variant in ("sign_flip", "sign_flip_exact", "influence_t", "robust_t")
    },
    "tost_paired, at the margin": (
        lambda z, codes, y: stats.tost_paired(*_at_margin(z), groups=codes, margin=0.05),
        True,
    ),
    "noninferiority, at the margin": (
        lambda z, codes, y: stats.noninferiority(*_at_margin(z), groups=codes, margin=0.05),
        True,
    ),
}
"""Tests of two or of four models, and whether they are the recommended ones."""
SEVERAL = (6, 10)
"""Numbers of models of which all pairs are compared in time."""
RECOMMENDED = {
    *("sign_flip", "robust_t", "newcombe_effective", "wilson_effective", "binomial_test"),
    *(name for name, (_, good) in QUESTIONS.items() if good),
}


def rejects(result: Any) -> bool:
    """Whether a result rejects; for all pairs, whether any of them does."""
    if isinstance(result, stats.PairwiseResult):
        return any(pair.pvalue_adjusted <= ALPHA for pair in result.pairs)
    return bool(result.pvalue <= ALPHA)


def covers(ci: stats.Interval | None, true: float) -> bool:
    """Whether an interval holds the true value."""
    return ci is not None and ci.low <= true + 1e-12 and true - 1e-12 <= ci.high


# Rates -------------------------------------------------------------------------------------------


def rates(s: Setting, runs: int, seed: int) -> list[dict[str, object]]:
    """Simulate one setting."""
    rng = np.random.default_rng([seed, *s.name.encode()])
    counts: Counter[str] = Counter()
    for found in {
        "pair": _pair,
        "single": _single,
        "question": _question,
        "time": _time,
        "pairs in time": _pairs_in_time,
    }[s.kind](s, runs, rng):
        counts.update(found)
    return [
        {"test": test, "runs": runs, "rate": round(count / runs, 5)}
        for test, count in counts.items()
    ]


Outcomes = Iterator[dict[str, bool]]


def _rows(
    s: Setting, runs: int, rng: np.random.Generator, accuracies: Sequence[float]
) -> Iterator[tuple[draw.Array, draw.Array]]:
    """Draw the groups of rows, and which rows each model has right, shape (models, n)."""
    codes = np.repeat(np.arange(s.groups), draw.sizes(s.groups, s.mean_size, s.shape))
    models = len(accuracies)
    shared = draw.SHARED if models == 2 else 0.0
    own = draw.own_correlation(s.dependence, s.accuracy, s.effects, models)
    limits = [draw.cut(p, own, s.effects, shared) for p in accuracies]
    block = max(1, _NUMBERS // ((3 if models == 2 else 1) * len(codes)))
    for start in range(0, runs, block):
        count = min(block, runs - start)
        z = draw.margins(rng, codes, models, own, count, effects=s.effects, shared=shared)
        for i in range(count):
            yield codes, np.array([z[:, m, i] > limit for m, limit in enumerate(limits)])


def _pair(s: Setting, runs: int, rng: np.random.Generator) -> Outcomes:
    """Two models; with a difference A is worse, and only coverage is counted."""
    for codes, (a, b) in _rows(s, runs, rng, (s.accuracy - s.difference, s.accuracy)):
        variants = ("sign_flip", "sign_flip_exact", "robust_t")
        found = {v: stats.mcnemar(a, b, groups=codes, variant=v) for v in variants}
        naive = stats.mcnemar(a, b)
        cis = {
            "newcombe_effective": "newcombe_effective",
            "robust_t interval": "robust_t",
        }
        true = -s.difference
        covered = {
            name: covers(stats.mcnemar(a, b, groups=codes, ci_method=method).ci, true)
            for name, method in cis.items()
        } | {"Newcombe (rows)": covers(naive.ci, true)}
        rejected = {NAIVE: rejects(naive)} | {v: rejects(one) for v, one in found.items()}
        yield covered if s.difference else rejected | covered


def _single(s: Setting, runs: int, rng: np.random.Generator) -> Outcomes:
    for codes, (right,) in _rows(s, runs, rng, (s.accuracy,)):
        found = stats.binomial_test(right, groups=codes, p0=s.accuracy)
        plain = stats.proportion_ci(int(right.sum()), len(right))
        yield {
            "binomial_test": rejects(found),
            "wilson_effective": covers(found.ci, s.accuracy),
            "Wilson (rows)": covers(plain, s.accuracy),
        }


def _question(s: Setting, runs: int, rng: np.random.Generator) -> Outcomes:
    for test, (trial, _) in QUESTIONS.items():
        for _ in range(runs):
            models = 4 if test.endswith("4 models") else 2
            rows = draw.drawn_rows(rng, s.groups, s.shape, s.dependence, models)
            yield {test: rejects(trial(*rows))}


def _time(s: Setting, runs: int, rng: np.random.Generator) -> Outcomes:
    for _ in range(runs):
        a, b = PROCESSES[s.shape][0](rng, s.groups, s.dependence)
        found = stats.diebold_mariano_means(a.astype(float), b.astype(float))
        silent = rejects(found) and not flagged(found)
        outcome = {IN_TIME: rejects(found), IN_TIME + UNFLAGGED: silent}
        if s.shape in ONE_BY_ONE:
            blocks = stats.time_blocks(np.arange(s.groups))
            outcome |= {
                NAIVE: rejects(stats.mcnemar(a, b)),
                "diebold_mariano hln": rejects(stats.diebold_mariano(a, b, variant="hln")),
                "mcnemar of 8 time_blocks": rejects(stats.mcnemar(a, b, groups=blocks)),
            }
        yield outcome


def _pairs_in_time(s: Setting, runs: int, rng: np.random.Generator) -> Outcomes:
    """All pairs of several models, adjusted by Holm."""
    for models, _ in itertools.product(SEVERAL, range(runs)):
        right = MANY[s.shape](rng, s.groups, s.dependence, models)
        pairs = list(itertools.combinations(range(models), 2))
        p = [one.pvalue for one in diebold_mariano_pairs(right.T, pairs)]
        rejected = bool((stats.adjust_pvalues(p, "holm") <= ALPHA).any())
        yield {f"{IN_TIME}, {models} models": rejected}


def load(path: Path = CSV) -> list[Rate]:
    """Read the rates."""
    return [
        Rate(
            Setting(**{k: _NUMERIC.get(k, str)(row[k]) for k in _FIELDS}),
            row["test"],
            int(row["runs"]),
            float(row["rate"]),
        )
        for row in read(path)
    ]


_NUMERIC = {"groups": int, "mean_size": int, "dependence": float, "accuracy": float}
_NUMERIC |= {"difference": float}
_FIELDS = [field.name for field in dataclasses.fields(Setting)]


def simulate(runs: int, seed: int = 1) -> Iterator[object]:
    """Simulate every setting that the file does not hold yet: hours in all."""
    drawn = ((dataclasses.asdict(s), partial(rates, s, runs, seed)) for s in settings())
    yield from fill(CSV, drawn)
