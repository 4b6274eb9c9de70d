"""Whether the differences over folds look normal, as tests on folds assume."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bakeoff.report.drawing import BLUE, MUTED, SOFT, canvas, message
from bakeoff.report.exhibit import Asked, Drawing, FigureExhibit, Section
from bakeoff.report.item import Item
from bakeoff.report.numbers import fixed
from bakeoff.report.pairs_shown import Row, families_of, rows_of, what_is_shown
from bakeoff.report.study import Study
from bakeoff.stats import Entry, Evidence

Points = NDArray[np.float64]
LEGEND = (
    "Differences of the two best models (blue) and of other pairs (grey), less their mean, in "
    "units of their standard deviation: on the line if they are normal. Few folds scatter around "
    "it."
)


def draw(item: Item, study: Study) -> Drawing:
    """Draw the ordered differences of every pair against the quantiles of a normal distribution."""
    families = families_of(study, item.test)
    rows = rows_of(study, families)
    found = [(row, points) for row in rows if len(points := standardised(study, row))]
    if not found:
        return message("the differences do not vary, so their shape cannot be told", LEGEND)
    figure = canvas(3.6, 3.4)
    axes = figure.add_axes((0.16, 0.15, 0.8, 0.81))
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    reach = max(2.0, *(float(np.abs(points).max()) for _, points in found)) * 1.08
    axes.plot([-reach, reach], [-reach, reach], color=SOFT, linewidth=1, zorder=0)
    for place, (_, points) in reversed(list(enumerate(found))):
        colour, size, alpha = (MUTED, 2.5, 0.35) if place else (BLUE, 4.5, 0.9)
        x = normal_quantiles(len(points))
        axes.plot(x, points, "o", color=colour, markersize=size, alpha=alpha)
    axes.set_xlim(-2.6, 2.6)
    axes.set_ylim(-reach, reach)
    axes.set_xlabel("quantiles of a normal distribution")
    axes.set_ylabel("differences over folds, standardised")
    first, points = found[0]
    worst = min(straightness(points) for _, points in found)
    alt = (
        f"{first.label}: {len(points)} differences over folds, correlation with normal quantiles "
        f"{fixed(straightness(points), 3)}; the lowest of {len(found)} shown is {fixed(worst, 3)}."
    )
    return Drawing(figure, alt, f"{LEGEND} {alt}", what_is_shown(study, families, rows))


def standardised(study: Study, row: Row) -> Points:
    """Return the ordered differences of a pair over the folds; none where they do not vary."""
    family, c = row.family, row.comparison
    own = study.scores.query("dataset == @family.dataset and plan == @family.plan")
    wide = own[own["metric"] == family.metric].pivot_table(
        index=["repeat", "fold"], columns="model", values="value", dropna=False
    )
    if not {c.model_a, c.model_b} <= set(wide.columns):
        return np.empty(0)
    a, b = (c.model_b, c.model_a) if row.turned else (c.model_a, c.model_b)
    differences: Points = (wide[a] - wide[b]).dropna().to_numpy(np.float64)
    if len(differences) < 3 or np.ptp(differences) <= 1e-12:
        return np.empty(0)
    return np.sort((differences - differences.mean()) / differences.std(ddof=1))


def normal_quantiles(n: int) -> Points:
    """Return what n ordered normal values are expected to be near (Blom 1958)."""
    found: Points = special.ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    return found


def straightness(points: Points) -> float:
    """Return the correlation with normal quantiles: 1 on a straight line."""
    wanted = normal_quantiles(len(points))  # their mean is 0
    both = (wanted * (points - points.mean())).sum()
    return float(both / (np.sqrt(np.square(wanted).sum() * len(points)) * points.std()))


def _assumes_normal(asked: Asked, entry: Entry) -> bool:
    # the halves of `halves` have a mean each, which the test compares; its folds say nothing of it
    of_folds = entry.evidence is Evidence.FOLD_SCORES and "halves" not in entry.plans
    return asked.pairs(entry) and of_folds


EXHIBIT = FigureExhibit(
    section=Section.TRUST,
    place=32,
    title="are the differences normal?",
    caption="Tests on folds assume that the differences of two models over the folds are normal. "
    "Ordered and standardised, they are drawn against the quantiles of a normal distribution (a "
    "Q-Q plot): a bend or a far point is a reason to look at the single folds. With several data "
    "sets: the two best models on each of them.",
    each="test",
    when=_assumes_normal,
    folded="Q-Q plot",
    draw=draw,
)
