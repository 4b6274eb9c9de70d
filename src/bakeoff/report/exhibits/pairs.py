"""The tests: of all models at once, of single models, and of pairs, as tables and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report import drawing, prose, tables
from bakeoff.report.drawing import MOST_DRAWN, SAYS, SIZE, Colour, IntervalLine, message, name_of
from bakeoff.report.exhibit import Drawing, Section, figure, table
from bakeoff.report.numbers import (
    capital,
    enumerated,
    fixed,
    letters_for,
    p_equals,
    percent,
    probability,
    short,
    words,
)
from bakeoff.report.ranking import order, oriented
from bakeoff.report.study import Family, Study
from bakeoff.report.tables import COUNT, METRIC, MODEL, SCORE, A, B, Cell, Column, Table
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError, as_float, paired_odds_ratio_ci

MOST_PAIRS = 300
"""With more comparisons a table keeps to the metric that ranks; comparisons.csv has all."""
MOST_ROWS = 15
"""With more pairs a figure of differences has those of the leader, and the table has all."""
MOST_OTHERS = 20
"""Of more models a figure has the differences to those that come next."""
MOST_DATASETS = 40
PAIR_LETTERS = 36
"""So many letters have the names of a pair together, beside a figure."""
EFFECTS = {
    "cohens_g": "Cohen's g",
    "cohens_h": "Cohen's h",
    "auc_a": "AUC of A",
    "auc_b": "AUC of B",
    "rank_biserial": "Rank-biserial r",
    "share_a_better": "Share of A better",
    "probability_superiority": "P(A above B)",
}
"""Names of effect sizes that are no plain words."""


@table(
    Section.PAIRS,
    10,
    "Omnibus tests",
    when=lambda design: any(entry.arity is Arity.OMNIBUS for entry in design.tests),
)
def omnibus(study: Study) -> Table:
    """Tests of the hypothesis that all models are equal. A small p-value means that some models
    differ, but not which; a large one is not evidence that they are equal. Pairwise tests are
    computed in either case; without a significant omnibus test a significant pair is tentative.
    """
    families = [family for family in study.families if family.role == "omnibus"]
    families.sort(key=lambda family: bool(family.dataset))  # those over all data sets first
    rows = []
    for family in families:
        name = study.dataset_label(family.dataset)
        where = name if family.dataset else prose.evidence(study, family)
        named = {"test": family.entry.title, "dataset": Cell(where)}
        rows.append(tables.compared(study, family.rows[0]) | named)
    columns = (
        Column("test", "Test"),
        Column("dataset", "On"),
        METRIC,
        tables.STATISTIC,
        tables.DF,
        Column("pvalue", "p", tables.P),
        tables.DECISION,
    )
    return Table(columns, rows)


@table(Section.PAIRS, 50, "", each="test", when=lambda design, entry: entry.arity is Arity.ONE)
def single(study: Study, test: str) -> Table:
    """A test of each model by itself against a fixed value. It does not compare models; the
    p-values are adjusted for the number of models.
    """
    families = study.of_test(test, "single")
    rows = [
        tables.compared(study, row) | {"null_value": prose.tested_value(row)}
        for family in families
        for row in family.rows
    ]
    first = families[0].rows[0]
    asks = {"greater": "above", "less": "below"}.get(first.alternative)
    side = f"; one-sided: is the score {asks} the value?" if asks else "."
    columns = (
        MODEL,
        Column("dataset", "Data set", tables.DATASET_LABEL),
        METRIC,
        Column("estimate", "Estimate", SCORE),
        Column("ci_low", capital(prose.levels_of([first])), tables.INTERVAL),
        Column("null_value", "Tested against", tables.NUMBER),
        tables.STATISTIC,
        tables.PVALUE,
        tables.ADJUSTED,
        tables.DECISION,
    )
    return Table(columns, rows, capital(f"{prose.correction(families[0])}{side}"))


@table(Section.PAIRS, 60, "all pairs", each="test", when=Study.pairs)
def pairs(study: Study, test: str) -> Table:
    """Every pair of models, with A and B as in comparisons.csv. The adjusted p-value (of Bayesian
    tests the posterior probability) decides. “Cannot tell” means that the data do not decide, not
    that the models are equal.
    """
    families = study.ranking_families(test)
    if len(families) > 1:
        return _tallies(study, families)
    first, place = families[0], {model: i for i, model in enumerate(order(study))}
    by_metric = [f for f in study.of_test(test, "pair") if f.dataset == first.dataset]
    if sum(len(f.rows) for f in by_metric) > MOST_PAIRS:
        by_metric = [first]
    rows = [
        row
        for family in (first, *(f for f in by_metric if f is not first))
        for row in sorted(family.rows, key=lambda r: sorted((place[r.model_a], place[r.model_b])))
    ]
    effects = list(dict.fromkeys(k for row in rows for k in row.result.get("effect_sizes", {})))

    def values(row: Comparison) -> dict[str, Any]:
        sizes, details = row.result.get("effect_sizes", {}), row.result.get("details", {})
        line = {f"effect_{k}": as_float(sizes.get(k)) for k in effects}
        if "n_discordant" in row.result:  # McNemar's test of independent rows
            alone = {key: details[key] for key in ("only_a_correct", "only_b_correct")}
            how: dict[str, Any] = {"alternative": row.alternative}
            ratio = paired_odds_ratio_ci(**alone, confidence_level=row.confidence, **how)
            line |= alone | {"odds_ratio_low": tuple(ratio)}
        return tables.compared(study, row) | line

    titles = {"a_better": "A better", "equivalent": "equivalent", "b_better": "B better"}
    probabilities = [Column(f"p_{k}", f"P({t})", tables.PROBABILITY) for k, t in titles.items()]
    tested = [tables.STATISTIC, tables.DF, tables.PVALUE, tables.ADJUSTED]
    advantage = prose.advantage_of(by_metric)
    columns = (
        *([METRIC] if len(by_metric) > 1 else []),
        A,
        B,
        Column("estimate", advantage, SCORE),
        Column("ci_low", capital(prose.levels_of(first.rows)), tables.INTERVAL),
        Column("only_a_correct", "Only A right", COUNT),
        Column("only_b_correct", "Only B right", COUNT),
        *(probabilities if first.bayesian else tested),
        tables.DECISION,
        Column("odds_ratio_low", "Odds ratio, CI", tables.RATIO),
        *(
            Column(f"effect_{k}", EFFECTS.get(k, capital(k.replace("_", " "))), tables.NUMBER)
            for k in effects
        ),
    )
    row, several = first.rows[0], len(by_metric) > 1
    unit = "" if several else f"{prose.unit(first)} on "
    note = f"{capital(unit + prose.evidence(study, first))}."
    if first.entry.unit:
        note += f" B − A is a difference of {prose.unit(first)}s, above 0 where A is better."
    if not first.bayesian:
        each = " for each metric" if several and row.family_size > 1 else ""
        asks = {"greater": "A", "less": "B"}.get(row.alternative)
        side = f" One-sided test: is {asks} better?" if asks else ""
        note += f" {capital(prose.correction(first))}{each}.{side}{prose.disagreement(first.rows)}"
    return Table(columns, map(values, rows), note)


def _tallies(study: Study, families: list[Family]) -> Table:
    """Count for each pair the data sets on which the test decides in each way."""
    first = families[0]
    says = {
        Decision.A_BETTER: "A better on",
        Decision.B_BETTER: "B better on",
        Decision.EQUIVALENT: "A not worse on" if first.noninferiority else "Equivalent on",
        Decision.NOT_SHOWN: "Cannot tell on",
        Decision.UNDECIDED: "Undecided on",
    }
    keys = {Decision.EQUIVALENT: "equivalent", Decision.NOT_SHOWN: "cannot_tell"}
    if first.equivalence:
        del says[Decision.A_BETTER], says[Decision.B_BETTER]
    elif not first.bayesian:
        del says[Decision.EQUIVALENT]
    columns = {one: Column(keys.get(one, one.value), title, COUNT) for one, title in says.items()}
    rows = []
    for both in combinations(order(study), 2):
        a, b = oriented(study, *both)
        if first.noninferiority and first.turned(a, b):
            a, b = b, a
        compared = [row.decision for f in families if (row := f.between(a, b)) is not None]
        if compared:
            counts = {column.key: compared.count(one) for one, column in columns.items()}
            rows.append({"model_a": a, "model_b": b} | counts)
    note = (
        f"Numbers of data sets (of {len(families)}), by {first.measure.title} at the "
        f"{percent(first.rows[0].alpha)} level within each data set. comparisons.csv has all "
        "single results."
    )
    return Table((A, B, *columns.values()), rows, note)


class Row(NamedTuple):
    """One line of a figure of pairs."""

    label: str
    comparison: Comparison
    family: Family


def chosen(study: Study, families: Sequence[Family]) -> tuple[list[Row], str]:
    """Choose the pairs of a figure and say which: all, or the leader's; of data sets the best."""
    ranked = order(study)
    labels = list(map(study.label, ranked))
    if len(families) > 1:
        rows = [
            Row(short(study.dataset_label(family.dataset)), row, family)
            for family in families
            if (row := family.between(*ranked[:2])) is not None
        ]
        rows.sort(key=lambda r: (math.isnan(r.comparison.estimate), -r.comparison.estimate))
        if len(rows) > MOST_DATASETS:
            rows = [*rows[: MOST_DATASETS // 2], *rows[-MOST_DATASETS // 2 :]]
        extreme = f"; the {len(rows)} most extreme of {len(families)}"
        more = extreme if len(rows) < len(families) else ""
        return rows, f"{labels[0]} against {labels[1]}, the two best, on each data set{more}"
    family = families[0]
    first = family.control or (ranked[0] if len(family.rows) > MOST_ROWS else "")
    others = [m for m in ranked if m != first]
    others = others if family.control else others[:MOST_OTHERS]
    pairs = [(first, m) for m in others] if first else list(combinations(ranked, 2))
    letters = letters_for(labels) if first else letters_for(labels, PAIR_LETTERS // 2)
    rows = []
    for a, b in pairs:
        if (row := family.between(a, b)) is not None:
            left, right = (short(study.label(model), letters) for model in (a, b))
            label = f"vs {right}" if first else f"{left} vs {right}"
            rows.append(Row(label, row, family))
    if family.control:
        return rows, f"{study.label(first)}, the control, against each other model"
    if len(rows) < len(family.rows):
        which = "each other model" if len(rows) == len(ranked) - 1 else f"the next {len(rows)}"
        return rows, f"{labels[0]}, the best, against {which}"
    return rows, "every pair, the better-ranked model first"


@figure(
    Section.PAIRS,
    30,
    "differences",
    each="test",
    # several criteria at once have no single difference
    when=lambda design, entry: (
        design.pairs(entry)
        and entry.type1 is not TypeOneError.BAYESIAN
        and entry.reads != "criteria"
    ),
)
def forest(study: Study, test: str) -> Drawing:
    """Differences between pairs of models, with adjusted p-values. A filled square marks a
    significant difference. The table of all pairs has the numbers.
    """
    families = study.ranking_families(test)
    rows, shows = chosen(study, families)
    compared = [row.comparison for row in rows]
    if not any(math.isfinite(c.estimate) for c in compared):
        return message("no difference could be estimated")
    edges = _edges(compared)
    lines = []
    for row in rows:
        c, p = row.comparison, p_equals(row.comparison.pvalue_adjusted)
        low = edges[0] if c.alternative == "less" and not math.isnan(c.ci_low) else c.ci_low
        high = edges[1] if c.alternative == "greater" else c.ci_high
        lines.append(IntervalLine(row.label, p, c.estimate, (low, high), c.decision))
    unit = prose.unit(families[0])
    if len({family.written.unit for family in families}) > 1:
        unit = families[0].written.title
    axis = f"advantage of the first in {unit}"
    drawn, axes = drawing.interval_plot(lines, axis, band=compared[0].margin)
    ticked = False
    for place, row in enumerate(rows):
        single_folds = row.comparison.result.get("details", {}).get("differences", [])
        values = [as_float(v) for v in np.ravel(np.array(single_folds, dtype=object))]
        if math.isnan(row.comparison.ci_low) and values:
            ticked = True
            colour = SAYS.get(row.comparison.decision, Colour.MUTED)
            if row.family.turned(row.comparison.model_a, row.comparison.model_b):
                values = [-v for v in values]
            axes.plot(values, [place] * len(values), "|", color=colour, markersize=7, alpha=0.7)
    one_sided = any(c.alternative != "two-sided" for c in compared)
    if one_sided:
        axes.set_xlim(*edges)
    parts = {
        f"The line is the {prose.levels_of(compared)}": not all(
            math.isnan(c.ci_low) for c in compared
        ),
        "Ticks are the differences on single folds": ticked,
        "The green band is the equivalence margin": compared[0].margin > 0,
        "The interval of a one-sided test is unbounded on the other side": one_sided,
    }
    differences = enumerated(
        f"{row.label}: {row.family.written.quantity(row.comparison.estimate)}, "
        f"{p_equals(row.comparison.pvalue_adjusted)}"
        for row in rows
    )
    alt = f"{families[0].entry.title}, differences with intervals. {differences}."
    legend = " ".join(f"{part}." for part, shown in parts.items() if shown)
    return Drawing(drawn, alt, legend, shows)


def _edges(compared: Sequence[Comparison]) -> tuple[float, float]:
    """Return where the axis ends that shows everything but the open ends of one-sided intervals."""
    ends = [0.0, *(c.estimate for c in compared)]
    ends += [sign * c.margin for c in compared for sign in (-1, 1)]
    ends += [c.ci_low for c in compared if c.alternative != "less"]
    ends += [c.ci_high for c in compared if c.alternative != "greater"]
    finite = [end for end in ends if math.isfinite(end)]
    room = 0.06 * (max(finite) - min(finite)) or 0.01
    return min(finite) - room, max(finite) + room


@figure(
    Section.PAIRS,
    20,
    "posterior",
    each="test",
    when=lambda design, entry: design.pairs(entry) and entry.type1 is TypeOneError.BAYESIAN,
)
def posterior(study: Study, test: str) -> Drawing:
    """Posterior probabilities that the first model is better, that both are practically equivalent
    (their difference lies in the region of practical equivalence), and that the second model is
    better. They are probabilities of these statements, not p-values.
    """
    families = study.ranking_families(test)
    (rows, shows), family = chosen(study, families), families[0]
    drawn, axes = drawing.panel([row.label for row in rows], row=0.36, top=0.42)
    compared = [row.comparison for row in rows]
    shares = [(c.p_a_better, c.p_equivalent, c.p_b_better) for c in compared]
    colours = Colour.BLUE, Colour.SOFT, Colour.ORANGE
    for place, parts in enumerate(shares):
        start = 0.0
        for share, colour in zip(parts, colours, strict=True):
            if not math.isfinite(share):
                how: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SIZE - 0.5}
                axes.text(0.5, place, "undecided", color=Colour.MUTED, **how)
                break
            pale = 0.5 if colour is Colour.SOFT else 1
            axes.barh(place, share, left=start, height=0.62, color=colour, linewidth=0, alpha=pale)
            if share > 0.17:
                ink = Colour.INK if colour is Colour.SOFT else Colour.PAPER
                axes.text(
                    start + share / 2, place, probability(share), ha="center", va="center",
                    color=ink, fontsize=SIZE - 0.5, fontweight="bold",
                )  # fmt: skip
            start += share
    axes.set_xlim(0, 1)
    axes.set_xlabel("posterior probability")
    rope = max(c.rope for c in compared)
    height, x = drawn.get_figheight(), axes.get_position().x0
    heads = {"first better": Colour.BLUE}
    heads |= {f"within ±{family.written.quantity(rope)}": Colour.MUTED} if rope > 0 else {}
    for text, colour in (heads | {"second better": Colour.ORANGE}).items():
        drawn.text(x, 1 - 0.3 / height, text, va="bottom", color=colour, fontsize=SIZE - 0.5)
        x += (drawing.text_width(text) + 0.15) / drawn.get_figwidth()
    probabilities = enumerated(
        f"{row.label}: {', '.join(map(probability, parts))}"
        for row, parts in zip(rows, shares, strict=True)
    )
    alt = f"{family.entry.title}, probabilities of better, equivalent, worse. {probabilities}."
    return Drawing(drawn, alt, shows=shows)


def _ranks_all(design: Study, entry: Entry) -> bool:
    """Show it for tests of all pairs over data sets."""
    formed = entry.all_pairs is not None and len(design.models) > 2
    ranked = entry.arity is Arity.ALL_PAIRS or formed
    return ranked and entry.evidence is Evidence.DATASETS and design.pairs(entry)


@figure(Section.PAIRS, 15, "average ranks", each="test", when=_ranks_all)
def ranks(study: Study, test: str) -> Drawing:
    """Critical difference diagram of the average ranks that the test compares. Bars join models
    that do not differ significantly by the adjusted p-values of this test. Where one critical
    difference holds for all pairs, it is drawn to scale.
    """
    # ranks, bars and p-values come from one result: the diagram cannot disagree with the table
    family = study.ranking_families(test)[0]
    average = family.ranks
    if not average or not all(map(math.isfinite, average.values())):
        return message("there are no average ranks")
    models = sorted(average, key=lambda model: average[model])[:MOST_DRAWN]
    groups, k = joined(family), len(models)
    first, last = 1, k
    if k < len(average):
        first, last = math.floor(average[models[0]]), math.floor(average[models[-1]]) + 1
    letters = letters_for(map(study.label, models), 26)
    names = {model: name_of(study.label(model), letters) for model in models}
    half = (k + 1) // 2
    margin = max(map(drawing.text_width, names.values())) + drawing.text_width("  99.99") + 0.2
    critical = as_float(family.rows[0].result["ranks"].get("critical_difference"))
    scaled = math.isfinite(critical) and critical <= last - first and bool(groups)
    top = 0.95 if scaled else 0.5
    below = top + 0.22 + 0.13 * len(groups)
    width, height = max(drawing.WIDTH, 2 * margin + drawing.LEAST), below + 0.24 * half + 0.05
    drawn = drawing.canvas(width, height)
    axes = drawn.add_axes((margin / width, 0, 1 - 2 * margin / width, 1))
    axes.set(xlim=(first, last), ylim=(height, 0))
    axes.axis("off")
    inch = (last - first) / (width - 2 * margin)  # in ranks
    line: dict[str, Any] = {"clip_on": False, "solid_capstyle": "butt"}
    small: dict[str, Any] = {"color": Colour.MUTED, "fontsize": SIZE - 0.5, "va": "bottom"}
    if scaled:
        axes.plot([first, first + critical], [0.47] * 2, color=Colour.MUTED, lw=1.6, **line)
        axes.text(first, 0.42, f"critical difference {fixed(critical, 2)}", **small)
    axes.plot([first, last], [top] * 2, color=Colour.INK, lw=0.9, **line)
    for rank in range(first, last + 1, max(1, math.ceil((last - first) / 12))):
        axes.plot([rank] * 2, [top, top - 0.07], color=Colour.INK, lw=0.9, **line)
        axes.text(rank, top - 0.1, str(rank), ha="center", **small)
    axes.text((first + last) / 2, 0.18, "average rank (1 is best)", ha="center", **small)
    for i, group in enumerate(groups):
        ends = average[group[0]] - 0.04 * inch, average[group[-1]] + 0.04 * inch
        axes.plot(ends, [top + 0.12 + 0.13 * i] * 2, color=Colour.BLUE, lw=3.2, **line)
    for i, model in enumerate(models):
        left, value = i < half, fixed(average[model], 2)
        down = below + 0.24 * (i if left else k - 1 - i)
        end = first - 0.1 * inch if left else last + 0.1 * inch
        xs, ys = [average[model], average[model], end], [top, down, down]
        axes.plot(xs, ys, color=Colour.MUTED, lw=0.8, **line)
        text = f"{names[model]}  {value}" if left else f"{value}  {names[model]}"
        place = end - 0.04 * inch if left else end + 0.04 * inch
        axes.text(place, down, text, ha="right" if left else "left", va="center")
    bars = "; ".join(f"{study.label(g[0])} to {study.label(g[-1])}" for g in groups)
    alt = (
        f"Average ranks: {', '.join(f'{study.label(m)} {fixed(average[m], 2)}' for m in models)}. "
        f"No significant difference: {bars or 'no models'}."
    )
    shows = ""
    if k < len(average):
        shows = f"the {k} best of {len(average)} models"
    elif apart := _models(family, "cd_pairs_not_shown"):
        hidden = words([" and ".join(map(study.label, pair)) for pair in apart], 3)
        shows = f"not {hidden}, which do not differ significantly but cannot be joined"
    return Drawing(drawn, alt, shows=shows)


def joined(family: Family) -> list[list[str]]:
    """Return the groups that bars join: none versus a control, which has no such groups."""
    drawn = set(sorted(family.ranks, key=lambda model: family.ranks[model])[:MOST_DRAWN])
    groups = [[m for m in group if m in drawn] for group in _models(family, "cd_groups")]
    return [group for group in groups if len(group) > 1]


def _models(family: Family, key: str) -> list[list[str]]:
    names = list(family.ranks)
    groups = family.rows[0].result["ranks"].get(key, ())
    return [[names[i] for i in group] for group in groups]
