"""The numbers of tests of pairs of models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from bakeoff.comparisons import Comparison
from bakeoff.report import cells, pairs_shown, prose
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import Family, as_float, seen_from
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, percent, words
from bakeoff.report.pairs_shown import COUNTED
from bakeoff.report.prose import not_independent
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.report.verdict.sentences import assumed
from bakeoff.stats import (
    Entry,
    Evidence,
    Replicability,
    TypeOneError,
    paired_odds_ratio_ci,
    replicability_count,
)

_PROBABILITIES = (
    Column("p_a_better", "P(A better)", cells.PROBABILITY),
    Column("p_equivalent", "P(equivalent)", cells.PROBABILITY),
    Column("p_b_better", "P(B better)", cells.PROBABILITY),
)
_TESTED = cells.STATISTIC, cells.DF, cells.PVALUE, cells.ADJUSTED
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
    families = pairs_shown.families_of(study, item.test)
    if len(families) > 1:
        return _tallies(item, study, families)
    first = families[0]
    found = [f for f in study.of_test(item.test, "pair") if f.dataset == first.dataset]
    if sum(len(f.rows) for f in found) > pairs_shown.MOST_PAIRS:
        found = [first]
    place = {model: i for i, model in enumerate(pairs_shown.order(study))}
    rows = [
        row
        for family in (first, *(f for f in found if f is not first))
        for row in sorted(
            family.rows, key=lambda row: sorted((place[row.model_a], place[row.model_b]))
        )
    ]
    effects = list(dict.fromkeys(k for row in rows for k in row.result.get("effect_sizes", {})))
    columns = (
        *([cells.METRIC] if len(found) > 1 else []),
        cells.A,
        cells.B,
        Column("estimate", _advantage(found), cells.SCORE),
        Column("ci_low", capital(prose.levels_of(first.rows)), cells.INTERVAL),
        *(
            _PROBABILITIES
            if first.bayesian
            else (cells.STATISTIC, cells.DF, cells.PVALUE, cells.ADJUSTED)
        ),
        cells.DECISION,
        Column("odds_ratio_low", "Odds ratio, CI", cells.RATIO),
        *(
            Column(f"effect_{k}", _EFFECTS.get(k, capital(k.replace("_", " "))), cells.NUMBER)
            for k in effects
        ),
    )
    note = _pairs_note(study, first, len(found))
    if not first.entry.unit:
        note += prose.lower_is_better(family.measure for family in found)
    lines = (cells.compared(study, row) | _effects(row, effects) for row in rows)
    return tabulate(item, study, columns, lines, note)


def _advantage(families: Sequence[Family]) -> str:
    if families[0].entry.unit:
        return "A − B"
    return prose.advantage(family.measure for family in families)


def _effects(row: Comparison, effects: list[str]) -> dict[str, Any]:
    """Return the effect sizes of a comparison, and its odds ratio where it has one."""
    found = row.result.get("effect_sizes", {})
    values: dict[str, Any] = {f"effect_{key}": as_float(found.get(key)) for key in effects}
    if "n_discordant" in row.result:  # McNemar's test of independent rows
        asked: dict[str, Any] = {
            "only_a_correct": row.result["details"]["only_a_correct"],
            "only_b_correct": row.result["details"]["only_b_correct"],
            "confidence_level": row.confidence,
            "alternative": row.alternative,
        }
        values["odds_ratio_low"] = tuple(paired_odds_ratio_ci(**asked))
    return values


def _pairs_note(study: Study, family: Family, metrics: int) -> str:
    row = family.rows[0]
    unit = "" if metrics > 1 else f"{prose.unit(family)} on "
    note = f"{capital(unit + prose.evidence(study, family))}."
    if family.entry.unit:
        note += f" A − B is in units of {prose.unit(family)}."
    if family.bayesian:
        return note
    one, two, three = (f"{row.alpha / part:g}" for part in (1, 5, 50))
    each = " for each metric" if metrics > 1 and row.family_size > 1 else ""
    side = "" if row.alternative == "two-sided" else f" One-sided test: {prose.side(row)}"
    return (
        f"{note} {capital(prose.correction(family))}{each}.{side} Stars: adjusted p at most {one} "
        f"(*), {two} (**), {three} (***).{prose.disagreement(family.rows)} {assumed(family)}"
    ).rstrip()


def _tallies(item: Item, study: Study, families: list[Family]) -> PageTable:
    """Count for each pair the data sets on which the test decides in each way."""
    first = families[0]
    says = {
        "a_better": "A better on",
        "b_better": "B better on",
        "equivalent": "A not worse on" if first.noninferiority else "Equivalent on",
        "cannot_tell": "Cannot tell on",
        "undecided": "Undecided on",
    }
    if first.equivalence:
        del says["a_better"], says["b_better"]
    elif not first.bayesian:
        del says["equivalent"]
    rows = [
        {"model_a": a, "model_b": b} | {kind: found[kind] for kind in says}
        for a, b in (
            pair[::-1] if first.noninferiority and first.turned(*pair) else pair
            for pair in (
                pairs_shown.oriented(study, *both)
                for both in combinations(pairs_shown.order(study), 2)
            )
        )
        if (found := pairs_shown.tally(families, a, b))
    ]
    note = (
        f"Numbers of data sets (of {len(families)}), by {first.measure.title} at the "
        f"{percent(first.rows[0].alpha)} level within each data set. comparisons.csv has all "
        f"single results. {assumed(first)}".rstrip()
    )
    columns = (cells.A, cells.B, *(Column(key, title, cells.COUNT) for key, title in says.items()))
    return tabulate(item, study, columns, rows, note)


COUNTS_COLUMNS = (
    cells.DATASET,
    cells.A,
    cells.B,
    *(Column(key, capital(title), cells.COUNT) for key, title in COUNTED.items()),
    cells.PVALUE,
    cells.ADJUSTED,
)


def build_counts(item: Item, study: Study) -> PageTable:
    """Count the rows that either, both or none of two models has right."""
    families = pairs_shown.families_of(study, item.test)
    chosen, which = pairs_shown.chosen_pairs(study, len(families), pairs_shown.MOST_PAIRS)
    rows = []
    for row in (family.between(a, b) for family in families for a, b in chosen):
        found = row.result.get("details", {}) if row else {}
        if row is not None and set(COUNTED) <= set(found):
            rows.append(cells.compared(study, row) | {key: found[key] for key in COUNTED})
    note = f"Test rows, {which}."
    note += "".join(dict.fromkeys(not_independent(study, f.dataset) for f in families))
    return tabulate(item, study, COUNTS_COLUMNS, rows, note)


TWO_SIDED = "two-sided"


def build_replicability(item: Item, study: Study) -> PageTable:
    """Count for each pair the data sets on which one model is better, and name them."""
    families = pairs_shown.families_of(study, item.test)
    first = families[0].rows[0]
    pairs, which = pairs_shown.chosen_pairs(study, 1, pairs_shown.MOST_PAIRS)
    lines = []
    for a, b in pairs:
        rows = [row for family in families if (row := family.between(a, b)) is not None]
        if rows:
            line: dict[str, Any] = {"model_a": a, "model_b": b}
            for side, model in (("a", a), ("b", b)):
                found = better_on([seen_from(row, model) for row in rows])
                line[f"{side}_better"] = found.count
                names = [study.dataset_label(name) for name in found.names]
                line[f"{side}_better_on"] = words(names, len(names)) if names else ""
            lines.append(line)
    columns = (
        cells.A,
        cells.B,
        Column("a_better", "A better on", cells.COUNT),
        Column("a_better_on", "namely"),
        Column("b_better", "B better on", cells.COUNT),
        Column("b_better_on", "namely"),
    )
    sides = "" if first.alternative != TWO_SIDED else ", half of it for either direction"
    note = (
        f"Of {len(families)} data sets, by {families[0].measure.title}; {which}. For each "
        f"pair the probability of a number that is too high, or of a wrong name, is at most "
        f"{percent(first.alpha)}{sides} (Dror et al. 2017, by Holm's procedure)."
    )
    return tabulate(item, study, columns, lines, note)


def better_on(rows: Sequence[Comparison]) -> Replicability:
    """Count the data sets on which A is better, from one comparison on each.

    A test with two sides spends half of its level on either, so that both answers hold together.
    """
    level = rows[0].alpha / (2 if rows[0].alternative == TWO_SIDED else 1)

    def one_sided(row: Comparison) -> float:
        # 1 where the test cannot tell whether A is better, or does not ask
        if math.isnan(row.pvalue) or row.alternative == "less":
            return 1.0
        if row.alternative == "greater":
            return row.pvalue
        return row.pvalue / 2 if row.estimate > 0 else 1 - row.pvalue / 2

    return replicability_count(
        [one_sided(row) for row in rows], [row.dataset for row in rows], alpha=level
    )


def _on_each_dataset(design: StudyDesign, entry: Entry) -> bool:
    settles = "margin" not in entry.options and entry.type1 is not TypeOneError.BAYESIAN
    alone = entry.evidence not in (Evidence.DATASET_SCORES, Evidence.FOLD_CRITERIA)
    return design.several and design.pairs(entry) and settles and alone


EXHIBITS = {
    "pairs": TableExhibit(
        section=Section.COMPARISONS,
        place=26,
        title="all pairs",
        caption="Every pair of models, with A and B as in comparisons.csv. The adjusted p-value "
        "(of Bayesian tests the posterior probability) decides. “Cannot tell” means that the data "
        "do not decide, not that the models are equal.",
        each="test",
        when=StudyDesign.pairs,
        folded="All numbers",
        build=build_pairs,
    ),
    "counts": TableExhibit(
        section=Section.COMPARISONS,
        place=27,
        title="right and wrong rows",
        caption="The number of test rows that both models have right, exactly one of them, or "
        "none. Only the two counts of rows on which exactly one model is right are evidence for a "
        "difference.",
        each="test",
        when=lambda design, entry: design.pairs(entry) and design.counts_rows(entry),
        folded="Right and wrong rows",
        build=build_counts,
    ),
    "replicability": TableExhibit(
        section=Section.COMPARISONS,
        place=26,
        title="better on which data sets",
        caption="The number of data sets on which one model is better than another, and their "
        "names, corrected for the number of data sets. The data sets may depend on each other. A "
        "small number is not evidence that the models are equal on the other data sets. The "
        "results are not corrected for the number of pairs.",
        each="test",
        when=_on_each_dataset,
        folded="Better on which data sets",
        citation="dror2017",
        build=build_replicability,
    ),
}
