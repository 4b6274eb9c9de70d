"""The numbers of tests of pairs of models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from bakeoff.comparisons import Comparison
from bakeoff.report import cells, pairs_shown, prose
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.family import Family, as_float
from bakeoff.report.item import Item
from bakeoff.report.numbers import capital, percent
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Column, PageTable, tabulate
from bakeoff.report.verdict.sentences import assumed
from bakeoff.stats import paired_odds_ratio_ci

_PROBABILITIES = (
    Column("p_a_better", "P(A better)", cells.PROBABILITY),
    Column("p_equivalent", "P(equivalent)", cells.PROBABILITY),
    Column("p_b_better", "P(B better)", cells.PROBABILITY),
)
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
}
