"""Tests of predicted numbers on one test set: `python -m benchmarks regression`.

y = f + u; two models predict f + a and f + b. *Alike*: a and b have one distribution. *Unlike*: the
metric is the same, but B is exact on four rows of five and far off on the fifth. *Rare*: B is off
by 10 standard deviations on 2 % of the rows, or by 5 on 10 %. *Outlier*: alike, but a row that both
models miss by 30 standard deviations. *Margin*: A is
worse by exactly the margin. u is normal, t with three degrees of freedom, or log-normal. *In time*
f, u, a and b are autoregressions. Rates go to regression.csv.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import optimize, signal

from bakeoff.stats import (
    Result,
    catalogue,
    influence,
    metric_ci,
    metric_difference,
    metric_equivalence,
    time_blocks,
)
from benchmarks import any_metric
from benchmarks.harness import HERE, Array, fill, flagged, named

RATES = HERE / "regression.csv"

METRICS = ("mse", "rmse", "mae", "r2", "spearman")
NOISES, SIZES = ("normal", "t3", "lognormal"), (50, 200, 1000)
NULLS = ("alike", "unlike")
RARE_ERRORS = {"rare, 2 %": (0.02, 10.0), "rare, 10 %": (0.1, 5.0)}
SMALL = 0.2
"""What B's other predictions are off by."""
LOSSES = ("mse", "rmse", "mae", "pinball_90", "r2")
IN_TIME = ("mse", "rmse", "mae", "r2")
VARIANTS = ("ewc_corrected", "blocks", "independent")
ALPHA, SPREAD, WORSE, RARE = 0.05, 0.5, 1.5, 0.2
CLASSES = (("f1", 100, 200), ("roc_auc", 40, 400), ("log_loss", 120, 400), ("brier", 60, 400))
"""Metrics of classes at the margin, expected positive rows, and rows."""
COLUMNS = ("kind", "test", "metric", "null", "noise", "n", "sets", "answered", "counted", "silent")
"""`counted`: rejections, or intervals that miss; `silent`: those that no assumption warns of."""


def noise(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw errors of variance 1."""
    if kind == "normal":
        return rng.normal(size=shape)
    if kind == "t3":
        return rng.standard_t(3, shape) / math.sqrt(3)
    return np.asarray(
        (rng.lognormal(size=shape) - math.exp(0.5)) / math.sqrt(math.e * (math.e - 1))
    )


def errors(null: str, metric: str, kind: str, z: Array, rng: np.random.Generator) -> Array:
    """Turn normal numbers into what B's predictions are off by; A's are off by `SPREAD`."""
    if null == "unlike":
        return np.asarray(far_off(metric, kind) * z * (rng.random(z.shape) < RARE))
    return SPREAD * z


@cache
def many(kind: str, rows: int = 1_000_000) -> tuple[Array, Array, Array, Array]:
    """Draw f, u, a normal number and a rare event on a great many rows."""
    rng = np.random.default_rng(7)
    f, z = rng.normal(size=(2, rows))
    return f, noise(kind, (rows,), rng), z, (rng.random(rows) < RARE).astype(float)


def population(metric: str, kind: str, off: Callable[[Array, Array], Array]) -> float:
    """Return a metric where predictions are off by a function of the numbers of `many`."""
    f, u, z, rare = many(kind)
    return float(influence(f + u, f + off(z, rare), metric=metric).value)


@cache
def far_off(metric: str, kind: str) -> float:
    """Return how far B is off on one row of five, so that it is as good as A."""
    if metric in ("mse", "rmse", "r2"):
        return SPREAD / math.sqrt(RARE)
    wanted = population(metric, kind, lambda z, rare: SPREAD * z)

    def gap(size: float) -> float:
        return population(metric, kind, lambda z, rare: size * z * rare) - wanted

    return float(optimize.brentq(gap, 0.3, 12, xtol=1e-3))


@cache
def true_value(metric: str, kind: str, spread: float) -> float:
    """Return a metric on the population of a model that is off by a normal number."""
    mse = 1 + spread**2
    known = {"mse": mse, "rmse": math.sqrt(mse), "r2": 1 - mse / 2}
    if metric in known:
        return known[metric]
    return population(metric, kind, lambda z, rare: spread * z)


# What is counted -------------------------------------------------------------------------------


def one_set(null: str, kind: str, n: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Run every test on one test set; yield what was counted by kind, test and metric."""
    f, z, w = rng.normal(size=(3, n))
    y = f + noise(kind, (n,), rng)
    a = f + SPREAD * z
    for metric in METRICS:
        if null == "margin":
            worse = f + WORSE * SPREAD * w
            gap = abs(true_value(metric, kind, WORSE * SPREAD) - true_value(metric, kind, SPREAD))
            found = metric_equivalence(y, worse, a, metric=metric, margin=gap)
            yield "margin", "metric_equivalence", metric, *told(found, found.pvalue < ALPHA)
            continue
        b = f + errors(null, metric, kind, w, rng)
        found = metric_difference(y, a, b, metric=metric)
        yield "level", "metric_difference", metric, *told(found, found.pvalue < ALPHA)
        if null == "alike":
            alone, truth = metric_ci(y, a, metric=metric), true_value(metric, kind, SPREAD)
            missed = alone.ci is None or not alone.ci.low <= truth <= alone.ci.high
            yield "interval", "metric_ci", metric, *told(alone, missed)


def one_rare(null: str, n: int, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Compare equal models of which one errs much on a few rows, or both miss one row by far."""
    z, w, u = rng.normal(size=(3, n))
    f = rng.normal(size=n)
    for metric in LOSSES:
        if null == "outlier":
            y = f + np.where(np.arange(n) == 0, 30, u)
            a, b = f + SPREAD * z, f + SPREAD * w
        else:
            share, size = RARE_ERRORS[null]
            power = 1 if metric in ("mae", "pinball_90") else 2
            even = (share * size**power + (1 - share) * SMALL**power) ** (1 / power)
            y, a = f, f + even * z
            b = f + np.where(rng.random(n) < share, size, SMALL) * w
        found = metric_difference(y, a, b, metric=metric)
        yield "rare", "metric_difference", metric, *told(found, found.pvalue < ALPHA)


def told(found: Result, counts: bool) -> tuple[str, ...]:
    """Return what is counted of a result: an answer, a rejection, one without a warning."""
    words = ["answered"] if found.ci is not None else []
    words += ["counted"] if counts else []
    return (*words, "silent") if counts and not flagged(found) else tuple(words)


def autoregressions(phi: float, shape: tuple[int, int], rng: np.random.Generator) -> Array:
    """Draw autoregressions of variance 1, one a row."""
    shocks = rng.normal(size=shape) * math.sqrt(1 - phi**2)
    shocks[:, 0] /= math.sqrt(1 - phi**2)
    return np.asarray(signal.lfilter([1], [1, -phi], shocks, axis=1))


def one_series(
    null: str, phi: float, n: int, rng: np.random.Generator
) -> Iterator[tuple[str, ...]]:
    """Run the tests in time on one series."""
    f, u, z, w = autoregressions(phi, (4, n), rng)
    y, a = f + u, f + SPREAD * z
    for metric in IN_TIME:
        b = f + errors(null, metric, "normal", w, rng)
        values = [i.value + i.psi for i in (influence(y, p, metric=metric) for p in (a, b))]
        better = metric == "r2"
        means = catalogue()["diebold_mariano_means"].function
        for variant in VARIANTS:
            if variant == "ewc_corrected":
                found = means(*values, greater_is_better=better)
            else:
                blocks = time_blocks(np.arange(n), 8) if variant == "blocks" else None
                found = metric_difference(y, a, b, metric=metric, groups=blocks)
            yield "time", variant, metric, *told(found, found.pvalue < ALPHA)


_models = cache(any_metric.worse_by_the_margin)


def one_of_classes(
    metric: str, positives: int, n: int, rng: np.random.Generator
) -> Iterator[tuple[str, ...]]:
    """Run the test of equivalence by a metric of classes, the candidate worse by the margin."""
    prevalence = positives / n
    both = _models(metric, "skill", prevalence)
    y = (rng.random(n) < prevalence).astype(int)
    common, *own = rng.normal(size=(3, n))
    shared = any_metric.SHARED
    said = []
    for model, alone in zip(both, own, strict=True):
        z = math.sqrt(shared) * common + math.sqrt(1 - shared) * alone
        said.append(model.predicted(metric, np.where(y == 1, model.mu + z, z), prevalence))
    how: dict[str, Any] = {
        "metric": metric,
        "labels": [0, 1],
        "margin": any_metric.margin(metric),
    }
    # so few rows hardly ever show equivalence: the one of its two tests that may be wrong
    found = metric_equivalence(y, said[1], said[0], question="noninferiority", **how)
    yield "margin", "metric_equivalence", metric, *told(found, found.pvalue < ALPHA)


def cells(sets: int) -> Iterator[tuple[tuple[str, str, int], int, Callable[..., Any]]]:
    """List what is drawn: the null, the noise and the rows, how often, and what is run on it."""
    for null, kind, n in itertools.product((*NULLS, "margin"), NOISES, SIZES):
        yield (null, kind, n), sets, lambda rng, at=(null, kind, n): one_set(*at, rng)
    for null, n in itertools.product((*RARE_ERRORS, "outlier"), (30, 100, 1000)):
        yield (null, "", n), sets, lambda rng, at=(null, n): one_rare(*at, rng)
    for metric, positives, n in CLASSES:
        at = "margin", f"{positives} of {n} rows positive", n
        yield at, sets, lambda rng, of=(metric, positives, n): one_of_classes(*of, rng)
    for null, phi, n in itertools.product(NULLS, (0.5, 0.9), SIZES):
        at = null, f"autoregression {phi:g}", n
        yield at, sets // 2, lambda rng, at=(null, phi, n): one_series(*at, rng)


def simulate(sets: int) -> Iterator[object]:
    """Simulate the cells that the file does not hold yet."""
    for at, times, run in cells(sets):
        of = named(("null", "noise", "n"), at)
        yield from fill(RATES, [(of, partial(counted, at, times, run))], COLUMNS)


def counted(
    at: tuple[str, str, int], times: int, run: Callable[..., Any]
) -> list[dict[str, object]]:
    """Draw a cell many times and count what is told of each test and metric."""
    rng = np.random.default_rng([*at[0].encode(), *at[1].encode(), at[2]])
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for _ in range(times):
        for about, test, metric, *words in run(rng):
            counts.setdefault((about, test, metric), Counter()).update(words)
    return [
        named(("kind", "test", "metric"), of)
        | {"sets": times, **{word: found[word] for word in ("answered", "counted", "silent")}}
        for of, found in counts.items()
    ]
