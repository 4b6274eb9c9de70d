"""Write the page on p-values from cross-validation: its tables and its figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.crossval.rates import PROCEDURES, Rate
from benchmarks.crossval.regimes import RUNS, costs
from benchmarks.pages import renewed

DOCS = Path(__file__).parents[2] / "docs"
PAGE, FIGURE = DOCS / "cross-validation.md", DOCS / "cross-validation.svg"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444")


def families(found: Iterable[Rate]) -> list[str]:
    """List the families of learners, in the order of the study."""
    return list(dict.fromkeys(rate.family for rate in found if rate.kind == "level"))


def summary(found: Sequence[Rate]) -> str:
    """Return the highest rate per family and the mean power, one line per procedure."""
    names = families(found)
    lines = [
        f"| test | cost | {' | '.join(names)} | highest, 95 % interval | verdict | power |",
        f"|---|---:|{'---:|' * len(names)}---|---|---:|",
    ]
    for procedure in PROCEDURES:
        own = [r for r in found if r.procedure == procedure.name]
        level = [r for r in own if r.kind == "level"]
        if not level:
            continue
        worst = max(level, key=lambda r: r.rate)
        low, high = worst.interval
        verdict = "liberal" if any(r.verdict == "liberal" for r in level) else "holds"
        power = [r.rate for r in own if r.kind == "power"]
        cells = [
            procedure.name,
            f"{procedure.cost:g}",
            *(_highest(level, family) for family in names),
            f"{worst.rate:.3f} [{low:.3f}, {high:.3f}]",
            verdict,
            f"{sum(power) / len(power):.2f}" if power else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _highest(level: Iterable[Rate], family: str) -> str:
    own = [r for r in level if r.family == family]
    if not own:
        return "–"
    worst = max(own, key=lambda r: r.rate)
    shown = f"{worst.rate:.3f}"
    return f"**{shown}**" if worst.verdict == "liberal" else shown


def details(found: Sequence[Rate]) -> str:
    """Return every rate, one line per regime."""
    names = [p.name for p in PROCEDURES]
    seconds = costs()
    lines = [
        f"| regime | data sets | CPU s each | {' | '.join(names)} |",
        f"|---|---:|---:|{'---:|' * len(names)}",
    ]
    for regime in dict.fromkeys(rate.regime for rate in found):
        own = {r.procedure: r for r in found if r.regime == regime}
        cells = [f"{own[name].rate:.3f}" if name in own else "–" for name in names]
        runs = next(iter(own.values())).runs
        lines.append(f"| {regime} | {runs} | {seconds[regime]:.3f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def budget() -> str:
    """Say how many data sets a regime gets."""
    *bounds, (_, least) = RUNS
    said = " ".join(f"{runs:,} where one takes up to {most:g} CPU s," for most, runs in bounds)
    return f"Data sets wanted of a regime: {said} else {least:,}; the table says how many it has."


def draw(found: Sequence[Rate], path: Path = FIGURE) -> None:
    """Draw level against power: one dot per test and family of learners."""
    mpl.rcParams["svg.hashsalt"] = "bakeoff"
    figure = Figure(figsize=(8, 5.2))
    axes = figure.add_subplot()
    level = [r for r in found if r.kind == "level"]
    colours = dict(zip(families(found), _COLOURS, strict=False))
    for procedure in PROCEDURES:
        power = [r.rate for r in found if (r.procedure, r.kind) == (procedure.name, "power")]
        if not power:
            continue
        y = sum(power) / len(power)
        highest = {}
        for rate in level:
            if rate.procedure == procedure.name:
                highest[rate.family] = max(rate.rate, highest.get(rate.family, 0.0))
        axes.plot([min(highest.values()), max(highest.values())], [y, y], color="#cccccc", zorder=1)
        for family, x in highest.items():
            axes.scatter(x, y, color=colours[family], s=28, zorder=2)
        axes.annotate(
            procedure.name,
            (max(highest.values()), y),
            xytext=(6, -3),
            textcoords="offset points",
            fontsize=8,
        )
    for family, colour in colours.items():
        axes.scatter([], [], color=colour, s=28, label=family)
    axes.axvline(0.05, color="#888888", linestyle="--", linewidth=1)
    axes.set_xscale("symlog", linthresh=0.1)
    axes.set_xticks([0, 0.05, 0.1, 0.2, 0.4, 0.8], ["0", ".05", ".1", ".2", ".4", ".8"])
    axes.set_xlim(0, 1.6)
    axes.set_xlabel("highest share of true nulls rejected at .05")
    axes.set_ylabel("power, mean of the alternatives")
    axes.legend(title="learners", fontsize=8, title_fontsize=8, loc="lower right", frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def renew(found: Sequence[Rate]) -> str:
    """Return the page with its tables renewed."""
    every = f"<details><summary>Every regime</summary>\n\n{details(found)}\n\n</details>"
    return renewed(PAGE, "rates", f"{summary(found)}\n\n{budget()}\n\n{every}")
