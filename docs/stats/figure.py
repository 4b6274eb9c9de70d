"""Draw McNemar's variants over the discordant pairs, and runs that are crossed with rows or nested.

Command: `python docs/stats/figure.py`.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bakeoff.stats import mcnemar_pvalues

FILE = Path(__file__).with_name("mcnemar-variants.svg")
RUNS = Path(__file__).with_name("runs-crossed-nested.svg")
MOST, ALPHA = 40, 0.05
VARIANTS = ("midp", "exact", "asymptotic", "corrected")
TITLES = {
    "midp": "mid-p (the default)",
    "exact": "exact, binomial",
    "asymptotic": "χ², not corrected",
    "corrected": "χ², continuity-corrected",
}


def pvalues(variant: str, most: int = MOST) -> NDArray[np.float64]:
    """Return p for b (down) and c (across) from 0 to `most` rows that one model alone has right."""
    only_a, only_b = np.indices((most + 1, most + 1))
    return mcnemar_pvalues(only_a, only_b, variant=variant)


def draw(path: Path = FILE) -> None:
    """Draw how many times the mid-p p-value each variant's is, with the line of .05."""
    mpl.rcParams["svg.hashsalt"] = "bakeoff"
    figure = Figure(figsize=(8.2, 2.9))
    axes = figure.subplots(1, 3, sharey=True)
    midp = pvalues("midp")
    for place, variant in zip(axes, VARIANTS[1:], strict=True):
        p = pvalues(variant)
        ratio = np.log2(p / midp)
        image = place.imshow(ratio, origin="lower", cmap="RdBu_r", vmin=-1.5, vmax=1.5)
        for values, colour, style in ((midp, "#444444", "--"), (p, "#000000", "-")):
            place.contour(values, [ALPHA], colors=colour, linestyles=style, linewidths=1.1)
        place.set_title(TITLES[variant], fontsize=9)
        place.set_xlabel("c: rows only B has right", fontsize=8)
        place.tick_params(labelsize=7)
    axes[0].set_ylabel("b: rows only A has right", fontsize=8)
    bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.02)
    bar.set_ticks([-1, 0, 1], labels=["half", "the same", "twice"], fontsize=8)
    bar.set_label("p beside that of mid-p", fontsize=8)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


def draw_runs(path: Path = RUNS) -> None:
    """Draw training runs that predict all rows, and answers that are drawn anew for each item."""
    mpl.rcParams["svg.hashsalt"] = "bakeoff"
    figure = Figure(figsize=(8.2, 2.9))
    crossed, nested = figure.subplots(1, 2)
    for row in range(6):
        y = 6 - row
        crossed.text(0.4, y, f"row {row + 1}", ha="right", va="center", fontsize=8)
        nested.text(0.4, y, f"item {row + 1}", ha="right", va="center", fontsize=8)
        nested.plot([0.75, 4.25], [y, y], color="#999999", linewidth=7, alpha=0.35)
        for run in range(1, 5):
            crossed.plot(run, y, "s", color=f"C{run - 1}", markersize=9)
            nested.plot(run, y, "o", color="#444444", markersize=6)
    for run in range(1, 5):
        crossed.plot([run, run], [0.6, 6.4], color=f"C{run - 1}", linewidth=9, alpha=0.25)
        crossed.text(
            run, 0.2, f"seed {run}", ha="center", va="top", fontsize=8, color=f"C{run - 1}"
        )
    nested.text(2.5, 0.2, "four answers to each item", ha="center", va="top", fontsize=8)
    crossed.set_title("crossed: each trained model predicts all rows\n--seeds", fontsize=9)
    nested.set_title("nested: answers are drawn anew for each item\n--runs", fontsize=9)
    for axes in (crossed, nested):
        axes.set_xlim(-0.9, 4.6)
        axes.set_ylim(-0.3, 6.7)
        axes.axis("off")
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    draw()
    draw_runs()
