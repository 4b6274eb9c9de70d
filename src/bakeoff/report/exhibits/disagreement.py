"""On which rows the models disagree."""

from __future__ import annotations

import numpy as np

from bakeoff.report.drawing import (
    BLUE,
    MUTED,
    ORANGE,
    SIZE,
    message,
    name_of,
    name_rows,
    panel,
)
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import count
from bakeoff.report.pairs_shown import order
from bakeoff.report.patterns import row_patterns
from bakeoff.report.prose import not_independent
from bakeoff.report.study import Study

MOST_PATTERNS = 36
MOST_OF_SEVERAL = 20
"""With several data sets, each has its figure: fewer patterns keep the page small."""
LEGEND = "Each column is a pattern of models that are right and wrong on the same held-out rows."
_BARS = 2.6  # the height of the bars in lines of names


def draw(item: Item, study: Study) -> Drawing:
    """Draw each pattern of right and wrong models as a column, most frequent first."""
    dataset = item.dataset or study.datasets[0]
    if dataset not in study.test_sets:
        return message("there are no held-out rows", LEGEND)
    rows = study.test_sets[dataset]
    known = [m for m in order(study) if m in rows.models]
    correct = rows.correct[:, [rows.models.index(m) for m in known]]
    n_right = int(correct.all(axis=1).sum())
    n_wrong = int((~correct).all(axis=1).sum())
    mixed = correct[correct.any(axis=1) & ~correct.all(axis=1)]
    if not len(mixed):
        text = f"the models are right on the same {n_right} rows and wrong on the same {n_wrong}"
        return message(text, LEGEND)
    patterns, counts = row_patterns(mixed)
    most = MOST_PATTERNS if len(study.datasets) == 1 else MOST_OF_SEVERAL
    first = np.lexsort((*(~patterns).T[::-1], -counts))[:most]
    n_patterns = len(patterns)
    patterns, counts = patterns[first], counts[first]
    labels = [name_of(study.label(m)) for m in known]
    figure, axes = panel(len(known) + _BARS, labels, row=0.26, top=0.05, bottom=0.38)
    x = np.arange(len(counts))
    heights = (_BARS - 0.9) * counts / counts.max()
    axes.bar(x, -heights, bottom=-0.7, width=0.62, color=MUTED, alpha=0.55)
    for place, height, n in zip(x.tolist(), heights.tolist(), counts, strict=True):
        axes.text(
            place, -0.78 - height, str(n), ha="center", va="bottom", fontsize=SIZE - 1.5,
            color=MUTED,
        )  # fmt: skip
    right, wrong = np.nonzero(patterns), np.nonzero(~patterns)
    axes.plot(*right, "o", color=BLUE, markersize=3.2, alpha=0.45)
    axes.plot(*wrong, "X", color=ORANGE, markersize=6.5, markeredgewidth=0)
    name_rows(axes, labels)
    axes.set_ylim(len(known) - 0.5, -_BARS - 0.5)
    axes.set_xlim(-0.7, max(len(counts), 8) - 0.3)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    shown = int(counts.sum())
    axes.set_xlabel(
        "patterns of right (dot) and wrong (cross); number of test rows on top", color=MUTED
    )
    forms = f"{n_patterns} pattern{'s' if n_patterns > 1 else ''}"
    alt = (
        f"Of {len(correct)} test rows all models are right on {n_right}, all wrong on "
        f"{n_wrong}, and they disagree on {len(mixed)}, in {forms}."
    )
    rarer = count(len(mixed) - shown, "row")
    shows = f"all but the {rarer} of rarer patterns" if shown < len(mixed) else ""
    return Drawing(figure, alt, f"{LEGEND} {alt}{not_independent(study, dataset)}", shows)


def _several_models(asked: Asked) -> bool:
    return asked.rows and len(asked.experiment.models) > 1


EXHIBIT = FigureExhibit(
    section=Section.COMPARISONS,
    place=40,
    title="Where the models disagree",
    caption="The held-out rows on which some models are right (dot) and others wrong (cross), by "
    "pattern; the bars count rows. Tests on the held-out rows learn from these rows alone.",
    each="dataset",
    when=_several_models,
    heading="Where the models disagree",
    fourfolds=True,
    draw=draw,
)
