"""What the models say of the held-out rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.report.drawing import (
    SIZE,
    WIDTH,
    Colour,
    canvas,
    message,
    name_of,
    name_rows,
    panel,
    text_width,
)
from bakeoff.report.exhibit import Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import count, letters_for
from bakeoff.report.pairs_shown import order
from bakeoff.report.prose import not_independent
from bakeoff.report.study import Study
from bakeoff.report.study_design import clean

MOST_MODELS = 12
_ACROSS, _NUMBERED, _NAMED = 3, 6, 20
_ROOM = 1.5  # inches for the names of the classes below a panel, side by side


def draw_confusion_maps(item: Item, study: Study) -> Drawing:
    """Draw a map of each model, those of the best models where there are many."""
    from matplotlib.colors import LinearSegmentedColormap

    if not study.test_sets:
        return message("there are no held-out rows")
    (tested,) = study.test_sets.values()
    known = [m for m in order(study) if m in tested.models]
    shown = known[:MOST_MODELS]
    names = [name_of(clean(name), 12) for name in tested.classes]
    k, across = len(names), min(_ACROSS, len(shown))
    down = math.ceil(len(shown) / across)
    side = WIDTH / _ACROSS
    figure = canvas(side * across, (side + 0.25) * down)
    colours = LinearSegmentedColormap.from_list("share", [f"{Colour.BLUE}00", Colour.BLUE])
    for place, model in enumerate(shown):
        axes = figure.add_subplot(down, across, place + 1)
        counts = tested.confusion(model)
        shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
        if k <= _NAMED:
            axes.pcolormesh(shares, cmap=colours, vmin=0, vmax=2)
            axes.invert_yaxis()
        else:  # as a picture: a path for each cell would make a huge file
            axes.imshow(shares, cmap=colours, vmin=0, vmax=2, extent=(0, k, k, 0))
        axes.set_aspect("equal")
        axes.set_title(name_of(study.label(model), 24), fontsize=SIZE, color=Colour.INK)
        labels = names if k <= _NAMED else []
        ticks = [i + 0.5 for i in range(len(labels))]
        turned: Any = (
            {"rotation": 45, "ha": "right"} if k * max(map(text_width, names)) > _ROOM else {}
        )
        axes.set_xticks(ticks, labels, fontsize=SIZE - 1.5, **turned)
        axes.set_yticks(ticks, labels if place % across == 0 else [""] * k, fontsize=SIZE - 1.5)
        axes.tick_params(length=0)
        for i, j in ((i, j) for i in range(k) for j in range(k) if k <= _NUMBERED):
            axes.text(
                j + 0.5, i + 0.5, f"{counts[i, j]:,}", ha="center", va="center",
                fontsize=SIZE - 1, color=Colour.INK if i == j else Colour.MUTED,
            )  # fmt: skip
    height = figure.get_figheight()
    edges = {"top": 1 - 0.3 / height, "bottom": 0.4 / height}
    figure.subplots_adjust(left=0.14, right=0.98, hspace=0.5, wspace=0.12, **edges)
    best = tested.confusion(shown[0])
    alt = (
        f"Maps of true against predicted classes of {len(shown)} models on {tested.n:,} rows of "
        f"{k} classes. {study.label(shown[0])} has {int(best.trace()):,} of them right."
    )
    fewer = f"the {len(shown)} best of {len(known)} models" if len(shown) < len(known) else ""
    return Drawing(figure, alt, shows=fewer)


MOST_PATTERNS = 36
MOST_OF_SEVERAL = 20
"""With several data sets, each has its figure: fewer patterns keep the page small."""
_BARS = 2.6  # the height of the bars in lines of names


def draw_disagreement(item: Item, study: Study) -> Drawing:
    """Draw each pattern of right and wrong models as a column, most frequent first."""
    dataset = item.dataset or study.datasets[0]
    if dataset not in study.test_sets:
        return message("there are no held-out rows")
    rows = study.test_sets[dataset]
    known = [m for m in order(study) if m in rows.models]
    correct = rows.correct[:, [rows.models.index(m) for m in known]]
    n_right = int(correct.all(axis=1).sum())
    n_wrong = int((~correct).all(axis=1).sum())
    mixed = correct[correct.any(axis=1) & ~correct.all(axis=1)]
    if not len(mixed):
        text = f"the models are right on the same {n_right} rows and wrong on the same {n_wrong}"
        return message(text)
    patterns, counts = unique_rows(mixed)
    most = MOST_PATTERNS if not study.several else MOST_OF_SEVERAL
    first = np.lexsort((*(~patterns).T[::-1], -counts))[:most]
    n_patterns = len(patterns)
    patterns, counts = patterns[first], counts[first]
    names = list(map(study.label, known))
    labels = [name_of(name, letters_for(names)) for name in names]
    figure, axes = panel(len(known) + _BARS, labels, row=0.26, top=0.05, bottom=0.38)
    x = np.arange(len(counts))
    heights = (_BARS - 0.9) * counts / counts.max()
    axes.bar(x, -heights, bottom=-0.7, width=0.62, color=Colour.MUTED, alpha=0.55)
    for place, height, n in zip(x.tolist(), heights.tolist(), counts, strict=True):
        axes.text(
            place, -0.78 - height, str(n), ha="center", va="bottom", fontsize=SIZE - 1.5,
            color=Colour.MUTED,
        )  # fmt: skip
    right, wrong = np.nonzero(patterns), np.nonzero(~patterns)
    axes.plot(*right, "o", color=Colour.BLUE, markersize=3.2, alpha=0.45)
    axes.plot(*wrong, "X", color=Colour.ORANGE, markersize=6.5, markeredgewidth=0)
    name_rows(axes, labels)
    axes.set_ylim(len(known) - 0.5, -_BARS - 0.5)
    axes.set_xlim(-0.7, max(len(counts), 8) - 0.3)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    shown = int(counts.sum())
    axes.set_xlabel(
        "patterns of right (dot) and wrong (cross) models; number of test rows on top",
        color=Colour.MUTED,
    )
    alt = (
        f"Of {len(correct)} test rows all models are right on {n_right}, all wrong on "
        f"{n_wrong}, and they disagree on {len(mixed)}, in {count(n_patterns, 'pattern')}."
    )
    rarer = count(len(mixed) - shown, "row")
    shows = f"all but the {rarer} of rarer patterns" if shown < len(mixed) else ""
    return Drawing(figure, alt, f"{alt}{not_independent(study, dataset)}", shows)


def unique_rows(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different rows of a table, sorted, and how often each occurs.

    The same as ``numpy.unique(table, axis=0, return_counts=True)``, which compares rows as bytes
    and takes twenty times as long over a million of them.

    Examples
    --------
    >>> rows, counts = unique_rows(np.array([[1, 0], [0, 1], [1, 0]]))
    >>> rows.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [1, 2])
    """
    frame = pd.DataFrame(table)
    counts = frame.groupby(list(frame)).size()
    rows: NDArray[Any] = counts.index.to_frame().to_numpy()
    return rows, np.asarray(counts, dtype=np.int64)


EXHIBITS = {
    "confusion_maps": FigureExhibit(
        section=Section.COMPARISONS,
        place=50,
        title="Confusion matrices",
        caption="The confusion matrix of each model on the held-out rows: rows are true classes, "
        "columns predicted classes. The darker a cell, the larger its share of the true class; "
        "correct predictions are on the diagonal.",
        when=lambda design: design.has_labels and not design.several,
        heading="Confusion matrices",
        draw=draw_confusion_maps,
    ),
    "disagreement": FigureExhibit(
        section=Section.COMPARISONS,
        place=40,
        title="Disagreement between models",
        caption="The held-out rows on which some models are right (dot) and others wrong (cross). "
        "Each column is a pattern of right and wrong models; the bars count its rows. Tests of "
        "correctness on the held-out rows use only these rows.",
        each="dataset",
        when=lambda design: design.has_labels and len(design.models) > 1,
        heading="Disagreement between models",
        fourfolds=True,
        draw=draw_disagreement,
    ),
}
