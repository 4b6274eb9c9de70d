"""Write the page of the documentation from the rates."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from benchmarks.dependent import blocks, pairs, uneven
from benchmarks.dependent.draw import GROUPS, ICCS, SHAPES
from benchmarks.dependent.rates import (
    COVERAGE,
    KINDS,
    MANY,
    ONE_BY_ONE,
    PHIS,
    PROCESSES,
    QUESTIONS,
    SEVERAL,
    TIMES,
    UNDER_NOISE,
    UNFLAGGED,
    Rate,
    load,
)
from benchmarks.harness import markdown, read, short

DEFAULT = pairs.TEST
IN_TIME = {DEFAULT, DEFAULT + UNFLAGGED, *(f"{DEFAULT}, {models} models" for models in SEVERAL)}
RECOMMENDED = {
    *("sign_flip", "robust_t", "newcombe_effective", "wilson_effective", "binomial_test"),
    *(name for name, (_, good) in QUESTIONS.items() if good),
    *IN_TIME,
}
LEAST_COVERED = 0.937
NOISE = 3.5
"""Standard errors that the worst of many settings may be above its bound."""
TITLES = {"equal": "groups of one size", "one group 30 %": "30 % of the rows in one group"}
DRAWN = {
    "lasting": "the difference itself stays as it was with probability φ, three rows of ten differ",
    "tilt": "the models' tilt is a latent AR(1) series",
    "independent": "the differences are independent",
    "hidden": "a quarter of the variance is an AR(1) series, the rest white noise",
    "spells": "each model has good and bad spells",
    "spells, few errors": "each model has good and bad spells, accuracy .95",
    "skewed losses": "log-normal losses, each model with an AR(1) series under noise",
    "volatility": "the spread of the difference is an AR(1) series, its mean is not",
    "season": "a week of seven days, and an AR(1) series, under noise",
    "one persistent model": "one model has good and bad spells, the others have none",
}
Reduce = Callable[[list[float]], float]
Rates = Mapping[str, list[Rate]]


def sizes(found: Rates) -> str:
    """Say how many data sets a setting has, and how often the default rejects without a flag."""
    runs = {kind: min(r.runs for r in own) for kind, own in found.items()}
    times = found["time"]
    worst = []
    for n in sorted({r.setting.groups for r in times}):
        own = [r for r in times if r.setting.groups == n and r.test == DEFAULT + UNFLAGGED]
        worst.append(f"{short(max(r.rate for r in own))} at {n:,} times")
    return (
        f"A setting has at least {runs['pair']:,} data sets of two models, {runs['single']:,} of "
        f"one, {runs['question']:,} for other questions, {runs['time']:,} in time and "
        f"{runs['pairs in time']:,} of several models in time. The worst rates of rejections "
        f"without a flag in time are {', '.join(worst)}."
    )


def two_models(found: Rates) -> str:
    """Return the worst and the mean rates of the tests of two models."""
    parts = []
    normal = [r for r in _level(found) if r.setting.effects == "normal"]
    for shape in SHAPES:
        mine = [r for r in normal if r.setting.shape == shape]
        parts += [f"## Two models, {TITLES[shape]}: worst setting\n", _by_groups(mine, max)]
    for icc in ICCS:
        mine = [r for r in normal if r.setting.dependence == icc]
        parts.append(f"## Two models, intraclass correlation {icc:g}: mean over the settings\n")
        parts.append(_by_groups(mine, statistics.mean))
    return "\n".join(parts)


def heavy_tails(found: Rates) -> str:
    """Return the worst rates where group effects have heavy tails."""
    return _by_groups([r for r in _level(found) if r.setting.effects != "normal"], max)


def _level(found: Rates) -> list[Rate]:
    return [r for r in found["pair"] if r.test not in COVERAGE]


def other_questions(found: Rates) -> str:
    """Return the worst rates of other questions, and of one model against its true accuracy."""
    parts = []
    for shape in SHAPES:
        mine = [r for r in found["question"] if r.setting.shape == shape]
        parts.append(f"## Other questions, {TITLES[shape]}: worst intraclass correlation\n")
        parts.append(_by_groups(mine, max))
    alone = [r for r in found["single"] if r.test not in COVERAGE]
    parts += ["## One model against its true accuracy: worst setting\n", _by_groups(alone, max)]
    return "\n".join(parts)


def coverage(found: Rates) -> str:
    """Return the least and the mean coverage."""
    parts = []
    covered = [r for r in found["pair"] + found["single"] if r.test in COVERAGE]
    for shape in SHAPES:
        mine = [r for r in covered if r.setting.shape == shape and r.setting.effects == "normal"]
        parts += [f"{TITLES[shape].capitalize()}:\n", _by_groups(mine, min)]
    return "\n".join([*parts, "Mean over all settings:\n", _by_groups(covered, statistics.mean)])


def in_order(found: Rates) -> str:
    """Return the rates of rows in the order of time, by the number of rows."""
    parts = []
    for process, n in itertools.product(ONE_BY_ONE, TIMES):
        mine = [r for r in found["time"] if (r.setting.shape, r.setting.groups) == (process, n)]
        if mine:
            parts.append(f"## {n:,} rows in the order of time; {DRAWN[process]}\n")
            parts.append(_table(mine, "dependence", PHIS, max, "φ ="))
    return "\n".join(parts)


def of_uneven() -> str:
    """Return the rates of groups of very different sizes."""
    rows = read(uneven.CSV)
    return f"{uneven.table(rows)}\n{int(rows[0]['runs']):,} data sets a cell."


def of_blocks(timed: bool) -> str:
    """Return the rates of blocks of time, or of all pairs and of one model."""
    rows = [row for row in read(blocks.CSV) if (row["sizes"] == blocks.IN_TIME) == timed]
    told = f"{int(rows[0]['runs']):,} data sets a cell."
    if timed:
        seen = blocks.seen_and_unseen(rows)
        told += (
            f" The largest share of independent series that are flagged is {seen['false']}; the "
            f"largest rates of rejections without a flag are {seen['quiet']}."
        )
    return f"{blocks.table(rows)}\n{told}"


def under_noise(found: Rates) -> str:
    """Return a line per process, φ and test, a column per number of times."""
    lines = []
    for process, (_, phis) in PROCESSES.items():
        for phi, test in itertools.product(phis, (DEFAULT, DEFAULT + UNFLAGGED)):
            if process not in ONE_BY_ONE:
                cells = _cells(found["time"], process, phi, test)
                lines.append((DRAWN[process], f"{phi:g}", _named(test), *cells))
    return f"{markdown(('difference', 'φ', 'test', *_TIMES), lines, 3)}\n"


def several(found: Rates) -> str:
    """Return the rates of all pairs of several models in time."""
    own = found["pairs in time"]
    lines = []
    settings = dict.fromkeys((r.setting.shape, r.setting.dependence, r.test) for r in own)
    for process, phi, test in sorted(settings, key=lambda s: (list(MANY).index(s[0]), s[1])):
        drawn = DRAWN[process] if phi else DRAWN["independent"]
        lines.append((drawn, f"{phi:g}", _named(test), *_cells(own, process, phi, test)))
    return f"{markdown(('models', 'φ', 'test', *_TIMES), lines, 3)}\n"


_TIMES = [f"{n:,} times" for n in UNDER_NOISE]


def _named(test: str) -> str:
    return f"**{test}**" if test in RECOMMENDED else test


def _cells(found: Sequence[Rate], process: str, phi: float, test: str) -> list[str]:
    """Return the rates of a test in one process, by the number of times."""
    of = process, phi, test
    own = [r for r in found if (r.setting.shape, r.setting.dependence, r.test) == of]
    rates = {r.setting.groups: r.rate for r in own}
    return [short(rates[n]) if n in rates else "–" for n in UNDER_NOISE]


def _by_groups(rates: Sequence[Rate], reduce: Reduce) -> str:
    return _table(rates, "groups", GROUPS, reduce, "K =")


def _table(
    rates: Sequence[Rate], column: str, levels: Sequence[float], reduce: Reduce, prefix: str
) -> str:
    lines = []
    for test in dict.fromkeys(r.test for r in rates):
        cells = []
        for level in levels:
            own = [r.rate for r in rates if r.test == test and getattr(r.setting, column) == level]
            cells.append(short(reduce(own)) if own else "–")
        lines.append((_named(test), *cells))
    heads = "test", *(f"{prefix} {level:g}" for level in levels)
    return f"{markdown(heads, lines, 1)}\n"


def _of(table: Callable[[Rates], str]) -> str:
    rates = load()
    return table({kind: [r for r in rates if r.setting.kind == kind] for kind in KINDS})


PAGES = {
    "stats/type1-dependent.md": {
        "sizes": partial(_of, sizes),
        "two models": partial(_of, two_models),
        "heavy tails": partial(_of, heavy_tails),
        "questions": partial(_of, other_questions),
        "coverage": partial(_of, coverage),
        "in order": partial(_of, in_order),
        "noise": partial(_of, under_noise),
        "several": partial(_of, several),
        "uneven": of_uneven,
        "blocks": partial(of_blocks, True),
        "all pairs": partial(of_blocks, False),
    }
}
