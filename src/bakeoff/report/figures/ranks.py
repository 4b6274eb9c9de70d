"""The critical difference diagram."""

from __future__ import annotations

from matplotlib.figure import Figure

from bakeoff.report.figures.style import BLUE, INK, MUTED, SIZE, WIDTH, message, name_of, text_width
from bakeoff.report.numbers import fixed, words
from bakeoff.report.ranking import dataset_means, greater_is_better, ranks_of
from bakeoff.report.study import Family, Study
from bakeoff.stats import Pair, PairwiseResult


def ranks(study: Study, family: Family) -> tuple[Figure, str, str]:
    """Draw the average ranks; bars join models that the family's own p-values do not tell apart."""
    tested = [m for m in study.models if any(m in (r.model_a, r.model_b) for r in family.rows)]
    means = dataset_means(study, family.metric, family.plan)
    if means.empty or means[tested].isna().to_numpy().any():
        return message("the scores are not complete"), "The scores are not complete.", ""
    ranked = ranks_of(means[tested], greater_is_better(family.metric)).mean()
    average = {model: float(ranked[model]) for model in tested}
    groups = joined(family, tested, average)
    figure, alt = _diagram(study, tested, average, groups), _alt(study, tested, average, groups)
    return figure, alt, _not_drawn(study, family, groups)


def _not_drawn(study: Study, family: Family, groups: list[list[str]]) -> str:
    """Name the pairs that are not told apart, but have between them a model that is."""
    found = [
        f"{study.label(row.model_a)} and {study.label(row.model_b)}"
        for row in family.rows
        if row.pvalue_adjusted > row.alpha
        and not any({row.model_a, row.model_b} <= set(group) for group in groups)
    ]
    return f"not {words(found, 3)}, which are not told apart but no bar can join" if found else ""


def joined(family: Family, models: list[str], average: dict[str, float]) -> list[list[str]]:
    """Return the groups that bars join, from the adjusted p-values of the comparisons."""
    from bakeoff.stats.datasets_posthoc import cd_groups

    place = {model: i for i, model in enumerate(models)}
    pairs = tuple(
        Pair(
            a=place[row.model_a],
            b=place[row.model_b],
            statistic=row.statistic,
            pvalue=row.pvalue,
            pvalue_adjusted=row.pvalue_adjusted,
        )
        for row in family.rows
    )
    first = family.rows[0]
    if len(pairs) < len(models) * (len(models) - 1) // 2:
        return []  # versus a control: bars would claim what was not tested
    result = PairwiseResult(
        test=first.test, correction=first.correction, pairs=pairs, n=first.n,
        null_hypothesis="", method="",
        details={"average_ranks": [average[m] for m in models], "control": None},
    )  # fmt: skip
    return [[models[i] for i in group] for group in cd_groups(result, alpha=first.alpha)]


def _diagram(
    study: Study, models: list[str], average: dict[str, float], groups: list[list[str]]
) -> Figure:
    order = sorted(models, key=lambda m: (average[m], models.index(m)))
    k = len(order)
    labels = {m: f"{name_of(study.label(m), 26)}  {fixed(average[m], 2)}" for m in order}
    left = order[: (k + 1) // 2]
    margin = max(text_width(text) for text in labels.values()) + 0.2
    line, bar, top = 0.24, 0.13, 0.5
    bars_height = 0.12 + bar * len(groups)
    height = top + bars_height + line * len(left) + 0.15
    figure = Figure(figsize=(WIDTH, height))
    span = WIDTH - 2 * margin

    def x(rank: float) -> float:
        return (margin + span * (rank - 1) / (k - 1)) / WIDTH

    def y(down: float) -> float:
        return 1 - down / height

    def stroke(xs: list[float], ys: list[float], colour: str, width: float) -> None:
        from matplotlib.lines import Line2D

        figure.add_artist(Line2D(xs, ys, color=colour, linewidth=width, solid_capstyle="butt"))

    stroke([x(1), x(k)], [y(top)] * 2, INK, 0.9)
    step = 1 if k <= 12 else 2 if k <= 24 else 4
    for rank in range(1, k + 1, step):
        stroke([x(rank)] * 2, [y(top), y(top - 0.07)], INK, 0.9)
        figure.text(
            x(rank),
            y(top - 0.1),
            str(rank),
            ha="center",
            va="bottom",
            color=MUTED,
            fontsize=SIZE - 0.5,
        )
    figure.text(0.5, y(0.05), "average rank (1 is best)", ha="center", va="top", color=MUTED)
    for i, group in enumerate(groups):
        down = top + 0.12 + i * bar
        low, high = (average[group[0]], average[group[-1]])
        stroke([x(low) - 0.006, x(high) + 0.006], [y(down)] * 2, BLUE, 3.2)
    for i, model in enumerate(order):
        is_left = i < len(left)
        depth = i if is_left else k - 1 - i
        down = top + bars_height + line * depth + 0.1
        end = (margin - 0.12) / WIDTH if is_left else 1 - (margin - 0.12) / WIDTH
        stroke([x(average[model])] * 2, [y(top), y(down)], MUTED, 0.8)
        stroke([x(average[model]), end], [y(down)] * 2, MUTED, 0.8)
        name, value = labels[model].rsplit("  ", 1)
        text = f"{name}  {value}" if is_left else f"{value}  {name}"
        figure.text(
            end + (-0.007 if is_left else 0.007), y(down), text,
            ha="right" if is_left else "left", va="center", color=INK,
        )  # fmt: skip
    return figure


def _alt(
    study: Study, models: list[str], average: dict[str, float], groups: list[list[str]]
) -> str:
    order = sorted(models, key=lambda m: average[m])
    listed = ", ".join(f"{study.label(m)} {average[m]:.2f}" for m in order)
    bars = "; ".join(" to ".join((study.label(g[0]), study.label(g[-1]))) for g in groups)
    return f"Average ranks: {listed}. Not told apart: {bars or 'no models'}."
