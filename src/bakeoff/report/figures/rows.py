"""On which rows the models disagree."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from bakeoff.report.figures.style import (
    BLUE,
    MUTED,
    ORANGE,
    SIZE,
    message,
    name_of,
    name_rows,
    panel,
)
from bakeoff.report.study import Study

MOST_PATTERNS = 36


def disagreement(study: Study, dataset: str, order: list[str]) -> tuple[Figure, str]:
    """Draw each pattern of right and wrong models as a column, most frequent first."""
    if dataset not in study.test_sets:
        return message("there are no held-out rows"), "There are no held-out rows."
    rows = study.test_sets[dataset]
    known = [m for m in order if m in rows.models]
    correct = rows.correct[:, [rows.models.index(m) for m in known]]
    n_right = int(correct.all(axis=1).sum())
    n_wrong = int((~correct).all(axis=1).sum())
    mixed = correct[correct.any(axis=1) & ~correct.all(axis=1)]
    if not len(mixed):
        text = f"the models are right on the same {n_right} rows and wrong on the same {n_wrong}"
        return message(text), text.capitalize() + "."
    patterns, counts = np.unique(mixed, axis=0, return_counts=True)
    first = np.lexsort((*(~patterns).T[::-1], -counts))[:MOST_PATTERNS]
    patterns, counts = patterns[first], counts[first]
    labels = [name_of(study.label(m)) for m in known]
    figure, axes = panel(len(known), labels, row=0.26, top=0.62, bottom=0.38)
    for x, (pattern, count) in enumerate(zip(patterns, counts, strict=True)):
        axes.bar(x, -1.2 * count / counts.max(), bottom=-0.75, width=0.62, color=MUTED, alpha=0.55)
        axes.text(x, -0.85 - 1.2 * count / counts.max(), str(count), ha="center", va="bottom",
                  fontsize=SIZE - 1.5, color=MUTED)  # fmt: skip
        right = np.flatnonzero(pattern)
        wrong = np.flatnonzero(~pattern)
        axes.plot([x] * len(right), right, "o", color=BLUE, markersize=3.2, alpha=0.45)
        axes.plot([x] * len(wrong), wrong, "X", color=ORANGE, markersize=6.5, markeredgewidth=0)
    name_rows(axes, labels)
    rest = len(known)
    axes.set_ylim(rest - 0.45, -0.55 - 0.62 / 0.26)
    axes.set_xlim(-0.7, max(len(counts), 8) - 0.3)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    shown = int(counts.sum())
    more = f", {len(mixed) - shown} rows of rarer patterns not drawn" if shown < len(mixed) else ""
    axes.set_xlabel(
        f"patterns of right (dot) and wrong (cross); number of test rows on top{more}", color=MUTED
    )
    return figure, (
        f"Of {len(correct)} test rows all models are right on {n_right}, all wrong on {n_wrong}, "
        f"and they disagree on {len(mixed)}, in {len(patterns)} patterns."
    )
