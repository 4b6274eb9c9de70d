"""Judged evaluations: levels of preferences and looks, coverage of strengths, corrections, kappa.

*Preferences*: two equal models; prompts prefer one or the other (logits with a standard deviation
of 1.5), or the judge favours the first place (logit 1), in orders that are uneven, with one to four
votes a prompt. *Strengths*: six models, five votes on one pair a prompt, which is preferred by
prompts in other ways (standard deviation 1), ties 30 %. *Corrections*: 1,000 items, a judge of some
accuracy, and labels drawn at random. *Agreement*: human marks of some prevalence, a judge that is
right on 85 %. *Looks*: two equal models, ten items in a hundred on which they differ.
Rates go to judged.csv: `python -m benchmarks judged`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import special, stats

from bakeoff.stats import (
    agreement,
    battle_strengths,
    corrected_difference,
    corrected_mean,
    e_process,
    looks,
    preference_difference,
    rank_ranges,
)
from benchmarks.harness import HERE, fill

RATES = HERE / "judged.csv"
LEVEL = 0.05
ITEMS = 1000
Array = np.ndarray[Any, np.dtype[Any]]
Counts = dict[str, float]


# --- preferences


def votes(
    rng: np.random.Generator, n: int, each: int, *, ties: float, differ: float, place: float
) -> tuple[Array, Array, Array]:
    """Draw votes on equal models: outcome, prompt, and whether A was shown first."""
    sizes = np.full(n, each) if each else rng.integers(1, 5, n)
    prompt = np.repeat(np.arange(n), sizes)
    lean = differ * rng.normal(size=n)
    often = np.full(n, 0.5) if place == 0 else rng.choice([0.2, 0.8], n, p=[0.25, 0.75])
    first = rng.random(len(prompt)) < often[prompt]
    logit = lean[prompt] + place * np.where(first, 1, -1)
    outcome = np.where(rng.random(len(prompt)) < special.expit(logit), 1, -1)
    return np.where(rng.random(len(prompt)) < ties, 0, outcome), prompt, first


def t_pvalue(values: Array) -> float:
    """Return the p-value of Student's t."""
    if values.std() == 0:
        return 1.0
    return float(stats.ttest_1samp(values, 0).pvalue)


def preferences(n: int, draw: Callable[..., Any], runs: int) -> Counts:
    """Count rejections: of votes as rows, of prompt means, and by the rule."""
    counts = dict.fromkeys(("votes as rows", "prompt means", "rule"), 0.0)
    for run in range(runs):
        outcome, prompt, first = draw(np.random.default_rng([1, n, run]), n)
        means = np.bincount(prompt, outcome) / np.bincount(prompt)
        counts["votes as rows"] += t_pvalue(outcome.astype(float)) <= LEVEL
        counts["prompt means"] += t_pvalue(means) <= LEVEL
        counts["rule"] += preference_difference(outcome, prompt, first=first).pvalue <= LEVEL
    return counts


def rare_losses(n: int, share: float, runs: int) -> Counts:
    """Count the intervals of a large share that hold it, with one vote on a prompt."""
    counts = dict.fromkeys(("t", "rule"), 0.0)
    for run in range(runs):
        rng = np.random.default_rng([2, n, run])
        outcome = np.where(rng.random(n) < share, 1, -1)
        low, high = stats.t.interval(
            0.95, n - 1, outcome.mean(), max(outcome.std(ddof=1), 1e-9) / n**0.5
        )
        counts["t"] += low <= 2 * share - 1 <= high
        found = preference_difference(outcome, np.arange(n)).details
        counts["rule"] += found["share_low"] <= share <= found["share_high"]
    return counts


# --- strengths


def strengths(n: int, differ: float, each: int, runs: int) -> Counts:
    """Count the intervals of differences of equal models that hold 0, alone and all at once."""
    k = 6
    counts = dict.fromkeys(
        ("sandwich, alone", "leave one out, alone", "leave one out, all", "ranks"), 0.0
    )
    for run in range(runs):
        rng = np.random.default_rng([3, n, int(differ), run])
        lean = differ * rng.normal(size=(n, k))
        prompt = np.repeat(np.arange(n), each)
        a = np.repeat(rng.integers(0, k, n), each)
        b = (a + np.repeat(rng.integers(1, k, n), each)) % k
        chance = special.expit(lean[prompt, a] - lean[prompt, b])
        outcome = np.where(rng.random(len(prompt)) < chance, 1, -1)
        outcome = np.where(rng.random(len(prompt)) < 0.3, 0, outcome)
        quantile = stats.t.ppf(0.975, n - 1)
        upper = np.triu_indices(k, 1)
        for errors in ("sandwich", "leave_one_out"):
            found = battle_strengths(a, b, outcome, prompt, errors=errors)
            apart = np.abs(np.subtract.outer(found.strength, found.strength))[upper]
            inside = apart <= quantile * found.difference_se[upper]
            counts[f"{errors.replace('_', ' ')}, alone"] += inside.mean()
        ranges = rank_ranges(found, n_resamples=4_999)
        counts["leave one out, all"] += ((ranges.low <= 0) & (ranges.high >= 0)).all()
        counts["ranks"] += (ranges.rank_low == 1).all() and (ranges.rank_high == k).all()
    return counts


# --- corrections


def judged(rng: np.random.Generator, right: Array, accuracy: float) -> Array:
    """Return the marks of a judge of some accuracy."""
    return np.where(rng.random(len(right)) < accuracy, right, 1 - right).astype(float)


def ppi(judge: Array, human: Array) -> tuple[float, float]:
    """Return the usual correction and its standard error (PPI++ with its best λ)."""
    known = ~np.isnan(human)
    n = int(known.sum())
    spread = judge[known] - judge[known].mean()
    squares = float(spread @ spread)
    slope = float(spread @ human[known]) / squares if squares else 0.0
    residual = human[known] - slope * judge[known]
    value = human[known].mean() + slope * (judge.mean() - judge[known].mean())
    variance = residual.var(ddof=1) / n + slope**2 * judge.var() / len(judge)
    return float(value), float(variance**0.5)


def share_right(labels: int, share: float, accuracy: float, runs: int) -> Counts:
    """Count the intervals of one model's share that hold it."""
    counts = dict.fromkeys(("usual", "rule"), 0.0)
    for run in range(runs):
        rng = np.random.default_rng([4, labels, int(100 * share), run])
        right = (rng.random(ITEMS) < share).astype(float)
        judge = judged(rng, right, accuracy)
        human = np.full(ITEMS, np.nan)
        human[:labels] = right[:labels]
        value, se = ppi(judge, human)
        counts["usual"] += abs(value - share) <= 1.96 * se
        ci = corrected_mean(judge, human).ci
        counts["rule"] += ci.low <= share <= ci.high
    return counts


def difference(labels: int, accuracy: float, favour: float, runs: int) -> Counts:
    """Count the intervals of a difference of 0 that hold it, where the judge may favour B."""
    counts = dict.fromkeys(("judge alone", "usual", "rule"), 0.0)
    for run in range(runs):
        rng = np.random.default_rng([5, labels, int(100 * favour), run])
        right_a = (rng.random(ITEMS) < 0.7).astype(float)
        other = (rng.random(ITEMS) < 0.7).astype(float)
        right_b = np.where(rng.random(ITEMS) < 0.3, other, right_a)
        judge_a = judged(rng, right_a, accuracy)
        judge_b = judged(rng, right_b, accuracy)
        judge_b = np.where(rng.random(ITEMS) < favour / 0.3, 1.0, judge_b)
        human_a = np.full(ITEMS, np.nan)
        human_b = human_a.copy()
        human_a[:labels] = right_a[:labels]
        human_b[:labels] = right_b[:labels]
        counts["judge alone"] += t_pvalue(judge_a - judge_b) > LEVEL
        value, se = ppi(judge_a - judge_b, human_a - human_b)
        counts["usual"] += abs(value) <= 1.96 * se
        ci = corrected_difference(judge_a, judge_b, human_a, human_b).ci
        counts["rule"] += ci.low <= 0 <= ci.high
    return counts


# --- agreement and looks


def agreeing(n: int, prevalence: float, runs: int) -> Counts:
    """Count the intervals of kappa and AC1 that hold them, where there is one."""
    accuracy = 0.85
    both = prevalence * accuracy + (1 - prevalence) * accuracy
    called = prevalence * accuracy + (1 - prevalence) * (1 - accuracy)
    by_chance = prevalence * called + (1 - prevalence) * (1 - called)
    mean = (prevalence + called) / 2
    truth = {
        "kappa": (both - by_chance) / (1 - by_chance),
        "ac1": (both - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean)),
    }
    counts = {"kappa": 0.0, "ac1": 0.0, "answered": 0.0}
    for run in range(runs):
        rng = np.random.default_rng([6, n, int(100 * prevalence), run])
        human = (rng.random(n) < prevalence).astype(float)
        if human.std() == 0:
            continue
        found = agreement(human, judged(rng, human, accuracy), categories=[0.0, 1.0])
        if np.isnan(found.kappa_ci[0]):
            continue
        counts["answered"] += 1
        for name, value in truth.items():
            low, high = getattr(found, f"{name}_ci")
            counts[name] += low <= value <= high
    return counts


def looked(n: int, number: int, discordant: float, runs: int) -> Counts:
    """Count false decisions at any of so many looks."""
    counts = dict.fromkeys(("uncorrected", "bounds", "e-process"), 0.0)
    sizes = [n * part // number for part in range(1, number + 1)]
    for run in range(runs):
        rng = np.random.default_rng([7, n, number, run])
        values = rng.choice([-1.0, 0.0, 1.0], n, p=[discordant / 2, 1 - discordant, discordant / 2])
        counts["uncorrected"] += any(t_pvalue(values[:size]) <= LEVEL for size in sizes)
        counts["bounds"] += looks(values, n, number=number).decided_at is not None
        counts["e-process"] += any(e_process(values[:size]).pvalue <= LEVEL for size in sizes[::2])
    return counts


# --- the study


def cells() -> Iterator[tuple[str, str, int, Callable[[int], Counts]]]:
    """Yield the part, the case, its size and what counts."""
    alike = {"ties": 0.2, "differ": 0.0, "place": 0.0}
    for n in (20, 100):
        yield "preferences", "1 vote", n, partial(preferences, n, partial(votes, each=1, **alike))
    apart = alike | {"differ": 1.5}
    for each in (2, 5):
        for n in (30, 100):
            draw = partial(votes, each=each, **apart)
            yield "preferences", f"{each} votes, prompts differ", n, partial(preferences, n, draw)
    favoured = alike | {"place": 1.0, "ties": 0.0}
    for n in (30, 100, 400):
        draw = partial(votes, each=0, **favoured)
        case = "uneven orders, first place favoured"
        yield "preferences", case, n, partial(preferences, n, draw)
    for share in (0.9, 0.97):
        for n in (20, 100):
            yield "rare losses", f"share {share}", n, partial(rare_losses, n, share)
    for n in (30, 100):
        for differ in (0.0, 1.0):
            case = "prompts differ" if differ else "prompts alike"
            yield "strengths", case, n, partial(strengths, n, differ, 5)
    for share in (0.8, 0.95):
        for labels in (20, 50):
            case = f"share {share}, judge 0.9"
            yield "one model", case, labels, partial(share_right, labels, share, 0.9)
    for favour in (0.0, 0.05):
        for labels in (20, 50, 100):
            case = "judge 0.95, favours B" if favour else "judge 0.95"
            yield "difference", case, labels, partial(difference, labels, 0.95, favour)
    for prevalence in (0.5, 0.8, 0.95):
        for n in (30, 100):
            yield "agreement", f"prevalence {prevalence}", n, partial(agreeing, n, prevalence)
    for number in (5, 10):
        yield "looks", f"{number} looks", 300, partial(looked, 300, number, 0.3)


def simulate(replicates: int) -> Iterator[object]:
    """Simulate what the file does not hold yet; strengths and looks take longer and are fewer."""

    def counted(count: Callable[[int], Counts], runs: int) -> list[dict[str, Any]]:
        """Return a line for each method."""
        found = count(runs)
        answered = found.pop("answered", runs)
        return [
            {"of": of, "runs": runs, "answered": round(answered), "counted": round(number, 1)}
            for of, number in found.items()
        ]

    lines = []
    for part, case, n, count in cells():
        runs = replicates // 2 if part in ("strengths", "looks") else replicates
        cell = {"part": part, "case": case, "n": n}
        lines.append((cell, partial(counted, count, runs)))
    yield from fill(RATES, lines)
