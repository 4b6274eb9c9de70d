"""Write the page on p-values from cross-validation: its tables and its figure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from bakeoff.spec.learners import REGRESSION
from benchmarks.crossval.data import Logit
from benchmarks.crossval.rates import PROCEDURES, Rate
from benchmarks.crossval.regimes import LEVEL, REGIMES, RUNS, UNBALANCED, costs
from benchmarks.pages import renewed, rewritten
from benchmarks.rejections import liberal

DOCS = Path(__file__).parents[2] / "docs"
PAGE, FIGURE = DOCS / "cross-validation.md", DOCS / "cross-validation.svg"
OF_NUMBERS = DOCS / "stats" / "type1-regression.md"
_HOLDS, _INFLATED = "#0072b2", "#d55e00"


def families(found: Iterable[Rate]) -> list[str]:
    """List the kinds of learners and the situations, in the order of the study."""
    return list(dict.fromkeys(rate.family for rate in found if rate.kind == "level"))


def summary(found: Sequence[Rate]) -> str:
    """Return the highest rate and the mean power, one line per procedure."""
    lines = [
        "| test | cost | highest rate, 95 % interval | in | verdict | power |",
        "|---|---:|---|---|---|---:|",
    ]
    for procedure in PROCEDURES:
        own = [r for r in found if r.procedure == procedure.name]
        level = [r for r in own if r.kind == "level"]
        if not level:
            continue
        worst = max(level, key=lambda r: r.rate)
        low, high = worst.interval
        power = [r.rate for r in own if r.kind == "power"]
        cells = [
            procedure.name,
            f"{procedure.cost:g}",
            f"{worst.rate:.3f} [{low:.3f}, {high:.3f}]",
            worst.regime,
            "liberal" if liberal(level) else "holds",
            f"{sum(power) / len(power):.2f}" if power else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def by_family(found: Sequence[Rate]) -> str:
    """Return the highest rates, one line per kind of learner or situation."""
    names = _names(found)
    level = [r for r in found if r.kind == "level"]
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for family in families(found):
        of_family = [r for r in level if r.family == family]
        cells = [_highest([r for r in of_family if r.procedure == name]) for name in names]
        lines.append(f"| {family.removesuffix(REGRESSION)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _names(found: Iterable[Rate]) -> list[str]:
    known = {rate.procedure for rate in found}
    return [procedure.name for procedure in PROCEDURES if procedure.name in known]


def _highest(own: Sequence[Rate]) -> str:
    if not own:
        return "–"
    shown = f"{max(r.rate for r in own):.3f}"
    return f"**{shown}**" if liberal(own) else shown


def sentences(found: Sequence[Rate]) -> str:
    """Say which procedures hold everywhere, and where each of the others does not."""
    lines = []
    for procedure in PROCEDURES:
        level = [r for r in found if r.procedure == procedure.name and r.kind == "level"]
        if not level:
            continue
        highest: dict[str, float] = {}
        for rate in liberal(level):
            highest[rate.family] = max(rate.rate, highest.get(rate.family, 0.0))
        if highest:
            parts = (
                f"{family.removesuffix(REGRESSION)} ({_short(rate)})"
                for family, rate in highest.items()
            )
            text = f"has an inflated type I error with {', '.join(parts)}"
        else:
            rates = max(r.rate for r in level)
            regimes = len({_regime(r) for r in level})
            text = f"held its level in all {regimes} regimes (at most {_short(rates)})"
        lines.append(f"- {procedure.name} (`{procedure.test}`) {text}.")
    return "\n".join(lines)


def _short(rate: float) -> str:
    return f"{rate:.2f}".lstrip("0")


def _regime(rate: Rate) -> str:
    """Return the regime of a rate, without the one of its metrics."""
    return rate.regime.partition(" by ")[0]


def details(found: Sequence[Rate]) -> str:
    """Return every rate, one line per regime: that of its metric, or the highest of several."""
    names = _names(found)
    seconds = costs()
    lines = [
        f"| regime | data sets | CPU s each | {' | '.join(names)} |",
        f"|---|---:|---:|{'---:|' * len(names)}",
    ]
    for regime in dict.fromkeys(map(_regime, found)):
        of_regime = sorted((r for r in found if _regime(r) == regime), key=lambda r: r.rate)
        own = {r.procedure: r for r in of_regime}
        cells = [f"{own[name].rate:.3f}" if name in own else "–" for name in names]
        runs = sorted({rate.runs for rate in own.values()})
        drawn = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        lines.append(f"| {regime} | {drawn} | {seconds[regime]:.3f} | {' | '.join(cells)} |")
    return "\n".join(lines)


_BESIDE = (
    "5×2cv z",
    "5×2cv McNemar",
    "corrected t, 5×2",
    "larger p, McNemar and corrected t",
    "5×2cv F",
    "half-sample t, halves",
)
"""Procedures for the accuracy of classifiers, beside that which is recommended for 5×2cv."""


def beside(found: Sequence[Rate]) -> str:
    """Return the highest rates over the numbers of rows, by learner and share of positive rows."""
    moving = [r for r in LEVEL if isinstance(r.population, Logit) or r.family == UNBALANCED]
    level = [r for r in found if r.kind == "level"]
    lines = _header("learner, positive rows")
    for name in dict.fromkeys(regime.name.rpartition(" ")[0] for regime in moving):
        own = [r for r in level if r.regime.rpartition(" ")[0] == name]
        if own:
            cells = [_highest([r for r in own if r.procedure == one]) for one in _BESIDE]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def power(found: Sequence[Rate]) -> str:
    """Return how often each procedure finds a difference that is there."""
    rates = {(r.regime, r.procedure): r.rate for r in found if r.kind == "power"}
    lines = _header("the better algorithm")
    for regime in dict.fromkeys(regime for regime, _ in rates):
        known = [rates.get((regime, one)) for one in _BESIDE]
        cells = ["–" if rate is None else f"{rate:.2f}" for rate in known]
        lines.append(f"| {regime.removeprefix('better ')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _header(first: str) -> list[str]:
    return [f"| {first} | {' | '.join(_BESIDE)} |", f"|---|{'---:|' * len(_BESIDE)}"]


def budget(found: Sequence[Rate]) -> str:
    """Say how many data sets a regime gets, and which have none yet."""
    *bounds, (_, least) = RUNS
    said = " ".join(f"{runs:,} where one takes up to {most:g} CPU s," for most, runs in bounds)
    drawn, numbers = {_regime(rate) for rate in found}, of_numbers(found[0])
    of_task = [r.name for r in REGIMES if (len(r.metrics) > 1) == numbers]
    none = [name for name in of_task if name not in drawn]
    yet = f" Not drawn yet: {', '.join(none)}." if none else ""
    if numbers:
        return (
            "The table of every regime says how many data sets it has; with 1,000 a rate of .05 is "
            f"within .014 of the truth, with 100 within .044, with 50 within .062.{yet}"
        )
    return (
        f"Data sets wanted of a regime: {said} else {least:,}; the table of every regime says how "
        f"many it has.{yet}"
    )


def draw(found: Sequence[Rate], path: Path = FIGURE) -> None:
    """Draw level against power: one dot per test and kind of learner or situation."""
    mpl.rcParams["svg.hashsalt"] = "bakeoff"
    figure = Figure(figsize=(8, 5.6))
    axes = figure.add_subplot()
    level = [r for r in found if r.kind == "level"]
    powers = {}
    for procedure in PROCEDURES:
        power = [r.rate for r in found if (r.procedure, r.kind) == (procedure.name, "power")]
        own = [rate for rate in level if rate.procedure == procedure.name]
        if not (power and own):
            continue
        y = powers[procedure.name] = sum(power) / len(power)
        inflated = {rate.family for rate in liberal(own)}
        highest: dict[str, float] = {}
        for rate in own:
            highest[rate.family] = max(rate.rate, highest.get(rate.family, 0.0))
        axes.plot([min(highest.values()), 1], [y, y], color="#dddddd", linewidth=1, zorder=1)
        for family, x in highest.items():
            colour = _INFLATED if family in inflated else _HOLDS
            axes.scatter(x, y, color=colour, s=28, zorder=2, alpha=0.7, linewidth=0)
    for name, y in _apart(powers, _GAP).items():
        axes.plot([1, 1.12], [powers[name], y], color="#dddddd", linewidth=1, clip_on=False)
        axes.text(1.15, y, name, fontsize=8, verticalalignment="center")
    for colour, text in ((_INFLATED, "surely above .06"), (_HOLDS, "not surely above .06")):
        axes.scatter([], [], color=colour, s=28, label=text)
    axes.axvline(0.05, color="#888888", linestyle="--", linewidth=1)
    axes.set_xscale("symlog", linthresh=0.1)
    axes.set_xticks([0, 0.05, 0.1, 0.2, 0.4, 0.8], ["0", ".05", ".1", ".2", ".4", ".8"])
    axes.set_xlim(-0.003, 1)
    axes.set_xlabel("highest share of true nulls rejected at .05")
    axes.set_ylabel("power, mean of the alternatives")
    figure.legend(
        *axes.get_legend_handles_labels(), loc="upper center", ncols=4, fontsize=8, frameon=False
    )
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.subplots_adjust(left=0.08, right=0.8, bottom=0.1, top=0.88)
    figure.savefig(path, metadata={"Date": None})


_GAP = 0.028
"""Power that two names beside the figure are apart at least."""


def _apart(heights: Mapping[str, float], gap: float) -> dict[str, float]:
    """Move names up just as far as needed, so that none covers another."""
    placed: dict[str, float] = {}
    last = -math.inf
    for name, y in sorted(heights.items(), key=lambda one: one[1]):
        last = placed[name] = max(y, last + gap)
    return placed


def of_numbers(rate: Rate) -> bool:
    """Tell whether a rate is one of a regression."""
    return rate.family.endswith(REGRESSION)


def tables(found: Sequence[Rate]) -> str:
    """Return all that is said of the rates of one task."""
    every = f"<details><summary>Every regime</summary>\n\n{details(found)}\n\n</details>"
    return "\n\n".join((sentences(found), summary(found), by_family(found), budget(found), every))


def renew(found: Sequence[Rate]) -> str:
    """Return the page of classifiers with its tables renewed."""
    own = [rate for rate in found if not of_numbers(rate)]
    return rewritten(PAGE, {"rates": tables(own), "beside": beside(own), "power": power(own)})


def renew_numbers(found: Sequence[Rate]) -> str:
    """Return the page of regressors with its tables renewed."""
    return renewed(OF_NUMBERS, "folds", tables([rate for rate in found if of_numbers(rate)]))
