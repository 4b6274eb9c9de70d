"""The numbers of tests of pairs of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from bakeoff.comparisons import Comparison
from bakeoff.report import prose
from bakeoff.report.cells import TONES, capital, ci_cell, count_cell, p_cell, score_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.family import Family, as_float, seen_from
from bakeoff.report.item import Item
from bakeoff.report.numbers import degrees, number, percent, probability, pvalue, words
from bakeoff.report.pairs_shown import (
    COUNTED,
    MOST_PAIRS,
    chosen_pairs,
    families_of,
    order,
    oriented,
    tally,
)
from bakeoff.report.prose import not_independent
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.report.verdict.sentences import assumed
from bakeoff.stats import Entry, Evidence, Replicability, TypeOneError, replicability_count

_PROBABILITIES = {
    "p_a_better": "P(A better)",
    "p_equivalent": "P(equivalent)",
    "p_b_better": "P(B better)",
}
_P_VALUES = {
    "statistic": "Statistic",
    "df": "df",
    "pvalue": "p",
    "pvalue_adjusted": "Adjusted p",
}
_EFFECTS = {
    "cohen_dz": "Cohen's dz",
    "hedges_gz": "Hedges' gz",
    "cohens_g": "Cohen's g",
    "cohens_h": "Cohen's h",
    "auc_a": "AUC of A",
    "auc_b": "AUC of B",
    "rank_biserial": "Rank-biserial r",
    "share_a_better": "Share of A better",
    "probability_superiority": "P(A above B)",
}
"""Names of effect sizes that are no plain words."""


def build_pairs(item: Item, study: Study) -> PageTable:
    """Show every number of a test of pairs, or with several data sets count what it says."""
    families = families_of(study, item.test)
    if not families:
        return tabulate(item, (Column("pair", "Pair"),), (), "There is no result.")
    if len(families) > 1:
        return _tallies(item, study, families)
    first = families[0]
    found = [
        f
        for f in study.families
        if f.entry.name == item.test and f.role == "pair" and f.dataset == first.dataset
    ]
    if sum(len(f.rows) for f in found) > MOST_PAIRS:
        found = [first]
    ranked = order(study)
    rows = [
        (family, row)
        for family in (first, *(f for f in found if f is not first))
        for row in sorted(
            family.rows, key=lambda r: sorted((ranked.index(r.model_a), ranked.index(r.model_b)))
        )
    ]
    head = "A − B" if first.entry.unit else prose.advantage(f.measure for f in found)
    effects = list(dict.fromkeys(k for _, r in rows for k in r.result.get("effect_sizes", {})))
    columns = (
        Column("metric", "Metric"),
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("estimate", head, True),
        Column("ci_low", capital(prose.levels_of(rows[0][0].rows)), True),
        *(Column(key, name, True) for key, name in (_PROBABILITIES | _P_VALUES).items()),
        Column("decision", "Says"),
        Column("odds_ratio_low", "Odds ratio, CI", True),
        *(
            Column(f"effect_{k}", _EFFECTS.get(k, capital(k.replace("_", " "))), True)
            for k in effects
        ),
    )
    lines = []
    for family, row in rows:
        metric = {"metric": text(family.measure.title)} if len(found) > 1 else {}
        lines.append(metric | _pair(study, family, row, effects))
    note = _pairs_note(study, first, len(found))
    if not first.entry.unit:
        note += prose.lower_is_better(family.measure for family in found)
    return tabulate(item, columns, lines, note)


def _pairs_note(study: Study, family: Family, metrics: int) -> str:
    row = family.rows[0]
    unit = "" if metrics > 1 else f"{prose.unit(family)} on "
    note = f"{capital(unit + prose.evidence(study, family))}; A as in comparisons.csv"
    if family.entry.unit:
        note += f"; A − B in {prose.unit(family)}"
    if family.bayesian:
        return f"{note}."
    one, two, three = (f"{row.alpha / part:g}" for part in (1, 5, 50))
    each = " for each metric" if metrics > 1 and row.family_size > 1 else ""
    side = "" if row.alternative == "two-sided" else f"; one-sided: {prose.side(row)}"
    return (
        f"{note}; {prose.correction(row)}{each}{side}. Stars: adjusted p at most {one} (*), {two} "
        f"(**), {three} (***).{prose.disagreement(family.rows)} {assumed(family)}"
    ).rstrip()


def _pair(study: Study, family: Family, row: Comparison, effects: list[str]) -> dict[str, Cell]:
    """Show a comparison as it was computed: its statistic and effect sizes belong to this side."""
    cells = {
        "model_a": text(study.label(row.model_a)),
        "model_b": text(study.label(row.model_b)),
        "estimate": score_cell(row.estimate),
        "ci_low": ci_cell(row.ci_low, row.ci_high),
        "decision": Cell(prose.decision(study, row), tone=TONES.get(row.decision, "open")),
    }
    if family.bayesian:
        cells |= {key: Cell(probability(p := getattr(row, key)), p) for key in _PROBABILITIES}
    else:
        cells |= {
            "statistic": Cell(number(row.statistic), row.statistic),
            "df": text(degrees(row.df, row.df1, row.df2)),
            "pvalue": Cell(pvalue(row.pvalue), row.pvalue),
            "pvalue_adjusted": p_cell(row.pvalue_adjusted, row.alpha),
        }
    if ratio := row.result.get("odds_ratio_ci"):
        cells["odds_ratio_low"] = ci_cell(as_float(ratio["low"]), as_float(ratio["high"]))
    found = row.result.get("effect_sizes", {})
    values = {key: as_float(found.get(key)) for key in effects}
    return cells | {f"effect_{key}": Cell(number(v), v) for key, v in values.items()}


def _tallies(item: Item, study: Study, families: list[Family]) -> PageTable:
    first = families[0]
    says = {
        "a_better": "A better on",
        "b_better": "B better on",
        "equivalent": "Equivalent on",
        "cannot_tell": "Cannot tell on",
        "undecided": "Undecided on",
    }
    if first.equivalence:
        del says["a_better"], says["b_better"]
    elif not first.bayesian:
        del says["equivalent"]
    rows = []
    for a, b in (oriented(study, *pair) for pair in combinations(order(study), 2)):
        found = tally(families, a, b)
        if found:
            names = {"model_a": text(study.label(a)), "model_b": text(study.label(b))}
            rows.append(names | {kind: count_cell(found[kind]) for kind in says})
    called = "calls them equivalent" if first.equivalence else "calls one model better"
    level = percent(first.rows[0].alpha)
    note = (
        f"Number of the {len(families)} data sets on which the test of "
        f"{first.measure.title}, at the {level} level within each data set, {called}. All "
        f"single results are in comparisons.csv. {assumed(first)}".rstrip()
    )
    columns = (
        Column("model_a", "A"),
        Column("model_b", "B"),
        *(Column(key, title, True) for key, title in says.items()),
    )
    return tabulate(item, columns, rows, note)


COUNTS_COLUMNS = (
    Column("dataset", "Data set"),
    Column("model_a", "A"),
    Column("model_b", "B"),
    *(Column(key, capital(title), True) for key, title in COUNTED.items()),
    Column("pvalue", "p", True),
    Column("pvalue_adjusted", "Adjusted p", True),
)


def build_counts(item: Item, study: Study) -> PageTable:
    """Count the rows that either, both or none of two models has right."""
    families = families_of(study, item.test)
    chosen, which = chosen_pairs(study, len(families), MOST_PAIRS)
    rows = []
    for family in families:
        where = text(study.dataset_label(family.dataset))
        for a, b in chosen:
            row = family.between(a, b)
            found = row.result.get("details", {}) if row else {}
            if row is None or not set(COUNTED) <= set(found):
                continue
            rows.append(
                {
                    **({"dataset": where} if len(study.datasets) > 1 else {}),
                    "model_a": text(study.label(a)),
                    "model_b": text(study.label(b)),
                    **{key: count_cell(int(found[key])) for key in COUNTED},
                    "pvalue": Cell(pvalue(row.pvalue), row.pvalue),
                    "pvalue_adjusted": p_cell(row.pvalue_adjusted, row.alpha),
                }
            )
    note = (
        f"Test rows, {which}. Only the two counts where exactly one model is right bear on the "
        "question."
    )
    note += "".join(dict.fromkeys(not_independent(study, f.dataset) for f in families))
    return tabulate(item, COUNTS_COLUMNS, rows, note)


TWO_SIDED = "two-sided"


def build_replicability(item: Item, study: Study) -> PageTable:
    """Count for each pair the data sets on which one model is better, and name them."""
    families = families_of(study, item.test)
    if not families:
        return tabulate(item, (Column("pair", "Pair"),), (), "There is no result.")
    first = families[0].rows[0]
    pairs, which = chosen_pairs(study, 1, MOST_PAIRS)
    lines = []
    for a, b in pairs:
        rows = [row for family in families if (row := family.between(a, b)) is not None]
        if rows:
            lines.append(
                {"model_a": text(study.label(a)), "model_b": text(study.label(b))}
                | _side(study, "a", rows)
                | _side(study, "b", [seen_from(row, b) for row in rows])
            )
    columns = (
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("a_better", "A better on", True),
        Column("a_better_on", "namely"),
        Column("b_better", "B better on", True),
        Column("b_better_on", "namely"),
    )
    sides = "" if first.alternative != TWO_SIDED else ", half of it for either side"
    note = (
        f"Of {len(families)} data sets, by {families[0].measure.title}: on how many a model is "
        f"better, and on which; the chance that a pair has a number too high, or a wrong name, is "
        f"{percent(first.alpha)} at most{sides} (Dror et al. 2017, by Holm's procedure), whatever "
        "relates the data sets. No number says that the models are alike on the others. Pairs are "
        f"each for itself, not adjusted for their number; shown: {which}."
    )
    return tabulate(item, columns, lines, note)


def _side(study: Study, side: str, rows: Sequence[Comparison]) -> dict[str, Cell]:
    found = better_on(rows)
    names = [study.dataset_label(name) for name in found.names]
    return {
        f"{side}_better": count_cell(found.count),
        f"{side}_better_on": text(words(names, len(names)) if names else ""),
    }


def better_on(rows: Sequence[Comparison]) -> Replicability:
    """Count the data sets on which A is better, from one comparison on each.

    A test with two sides spends half of its level on either, so that both answers hold together.
    """
    level = rows[0].alpha / (2 if rows[0].alternative == TWO_SIDED else 1)
    return replicability_count(
        [_one_sided(row) for row in rows], [row.dataset for row in rows], alpha=level
    )


def _one_sided(row: Comparison) -> float:
    """Return the p-value for A being better; 1 where the test cannot tell, or does not ask."""
    if math.isnan(row.pvalue) or row.alternative == "less":
        return 1.0
    if row.alternative == "greater":
        return row.pvalue
    return row.pvalue / 2 if row.estimate > 0 else 1 - row.pvalue / 2


def _on_each_dataset(asked: Asked, entry: Entry) -> bool:
    settles = "margin" not in entry.options and entry.type1 is not TypeOneError.BAYESIAN
    alone = entry.evidence not in (Evidence.DATASET_SCORES, Evidence.FOLD_CRITERIA)
    return asked.several and asked.pairs(entry) and settles and alone


EXHIBITS = {
    "pairs": TableExhibit(
        section=Section.COMPARISONS,
        place=26,
        title="all pairs",
        caption="A test of every pair of models. The estimate is the advantage of A over B; "
        "intervals are simultaneous where the correction bounds the chance of any false finding. "
        'The adjusted p-value, not the raw one, decides. "Cannot tell" means that the data do not '
        "decide, not that the models are equal. With several data sets: on how many of them the "
        "test calls one model better.",
        each="test",
        when=Asked.pairs,
        folded="All numbers",
        build=build_pairs,
    ),
    "counts": TableExhibit(
        section=Section.COMPARISONS,
        place=27,
        title="right and wrong rows",
        caption="How many test rows both models have right, exactly one of them, or none. Only "
        "the two counts of rows on which exactly one model is right bear on the question whether "
        "one is right more often; of the other rows there may be any number.",
        each="test",
        when=lambda asked, entry: asked.pairs(entry) and entry.counts,
        folded="Right and wrong rows",
        build=build_counts,
    ),
    "replicability": TableExhibit(
        section=Section.COMPARISONS,
        place=26,
        title="better on which data sets",
        caption="On how many data sets one model is better than another, and on which, so that "
        "the number is too high with at most the level's probability, whatever relates the data "
        "sets (Dror et al. 2017). More data sets tested by themselves would find some differences "
        "by chance.",
        each="test",
        when=_on_each_dataset,
        folded="Better on which data sets",
        citation="dror2017",
        build=build_replicability,
    ),
}
