"""The tests as tables: all models at once, single models, and pairs."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import cells, pairs_shown, prose
from bakeoff.report.cells import COUNT, METRIC, MODEL, SCORE, A, B
from bakeoff.report.exhibit import Section, table
from bakeoff.report.family import Family, as_float
from bakeoff.report.numbers import NONE, capital, count, percent
from bakeoff.report.pairs_shown import MOST_PAIRS, families_of, order
from bakeoff.report.study import Study
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import Cell, Column, Table
from bakeoff.stats import Arity, paired_odds_ratio_ci

EFFECTS = {
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


@table(
    Section.COMPARISONS,
    10,
    "Omnibus tests",
    heading="All models at once",
    when=lambda design: any(entry.arity is Arity.OMNIBUS for entry in design.tests),
)
def omnibus(study: Study) -> Table:
    """Tests of the hypothesis that all models are equal. A small p-value means that some models
    differ, but not which; a large one is not evidence that they are equal. Pairwise tests are
    computed in either case; without a significant omnibus test a significant pair is tentative.
    """
    families = [family for family in study.families if family.role == "omnibus"]
    families.sort(key=lambda family: bool(family.dataset))  # those over all data sets first
    single_sets = [family for family in families if family.dataset]
    differ = Decision.A_BETTER, Decision.B_BETTER, Decision.DIFFERENT
    rows = []
    for family in families:
        posthoc = study.of_test(family.entry.posthoc or "")
        same = (f for f in posthoc if f.settles and f.evidence == family.evidence)
        told = NONE
        if found := next(same, None):
            n = sum(row.decision in differ for row in found.rows)
            told = f"{found.entry.title}: {n} of {count(len(found.rows), 'pair')} differ"
        named = {"test": family.entry.title, "dataset": Cell(prose.where(study, family))}
        rows.append(cells.compared(study, family.rows[0]) | named | {"posthoc": told})
    counted: dict[str, list[bool]] = {}
    several = len({family.metric for family in single_sets}) > 1
    for family in single_sets:
        name = f"{family.entry.title}{f', {family.measure.title}' if several else ''}"
        said = family.rows[0].decision is Decision.DIFFERENT
        counted.setdefault(name, []).append(said)
    summary = "; ".join(
        f"{name}: not all equal on {sum(said)} of {count(len(said), 'data set')}"
        for name, said in counted.items()
    )
    columns = (
        Column("test", "Test"),
        Column("dataset", "On"),
        METRIC,
        cells.STATISTIC,
        cells.DF,
        Column("pvalue", "p", cells.STARRED),
        cells.DECISION,
        Column("posthoc", "Pairwise tests"),
    )
    return Table(columns, rows, "", summary, len(families) - len(single_sets))


@table(
    Section.COMPARISONS,
    25,
    "",
    each="test",
    when=lambda design, entry: entry.arity is Arity.ONE,
    folded="All numbers",
)
def single(study: Study, test: str) -> Table:
    """A test of each model by itself against a fixed value. It does not compare models; the
    p-values are adjusted for the number of models.
    """
    found = study.of_test(test, "single")
    rows = [
        cells.compared(study, row) | {"null_value": prose.tested_value(row)}
        for family in found
        for row in family.rows
    ]
    first = found[0].rows[0]
    level = f"{prose.level_of(first)}; " if not math.isnan(first.confidence) else ""
    asks = {"greater": "above", "less": "below"}.get(first.alternative)
    side = f"; one-sided: is the score {asks} the value?" if asks else "."
    columns = (
        MODEL,
        Column("dataset", "Data set", cells.DATASET_LABEL),
        METRIC,
        Column("estimate", "Estimate", SCORE),
        Column("ci_low", "CI", cells.INTERVAL),
        Column("null_value", "Tested against", cells.NUMBER),
        cells.STATISTIC,
        cells.PVALUE,
        cells.ADJUSTED,
        cells.DECISION,
    )
    return Table(columns, rows, capital(f"{level}{prose.correction(found[0])}{side}"))


@table(
    Section.COMPARISONS,
    26,
    "all pairs",
    each="test",
    when=StudyDesign.pairs,
    folded="All numbers",
)
def pairs(study: Study, test: str) -> Table:
    """Every pair of models, with A and B as in comparisons.csv. The adjusted p-value (of Bayesian
    tests the posterior probability) decides. “Cannot tell” means that the data do not decide, not
    that the models are equal.
    """
    families = families_of(study, test)
    if len(families) > 1:
        return _tallies(study, families)
    first, place = families[0], {model: i for i, model in enumerate(order(study))}
    found = [f for f in study.of_test(test, "pair") if f.dataset == first.dataset]
    if sum(len(f.rows) for f in found) > MOST_PAIRS:
        found = [first]
    rows = [
        row
        for family in (first, *(f for f in found if f is not first))
        for row in sorted(family.rows, key=lambda r: sorted((place[r.model_a], place[r.model_b])))
    ]
    effects = list(dict.fromkeys(k for row in rows for k in row.result.get("effect_sizes", {})))

    def values(row: Comparison) -> dict[str, Any]:
        own = row.result.get("effect_sizes", {})
        told = cells.compared(study, row) | {f"effect_{k}": as_float(own.get(k)) for k in effects}
        if "n_discordant" in row.result:  # McNemar's test of independent rows
            asked: dict[str, Any] = {
                "only_a_correct": row.result["details"]["only_a_correct"],
                "only_b_correct": row.result["details"]["only_b_correct"],
                "confidence_level": row.confidence,
                "alternative": row.alternative,
            }
            told["odds_ratio_low"] = tuple(paired_odds_ratio_ci(**asked))
        return told

    probabilities = (
        Column("p_a_better", "P(A better)", cells.PROBABILITY),
        Column("p_equivalent", "P(equivalent)", cells.PROBABILITY),
        Column("p_b_better", "P(B better)", cells.PROBABILITY),
    )
    tested = cells.STATISTIC, cells.DF, cells.PVALUE, cells.ADJUSTED
    advantage = "A − B" if first.entry.unit else prose.advantage(f.measure for f in found)
    columns = (
        *([METRIC] if len(found) > 1 else []),
        A,
        B,
        Column("estimate", advantage, SCORE),
        Column("ci_low", capital(prose.levels_of(first.rows)), cells.INTERVAL),
        *(probabilities if first.bayesian else tested),
        cells.DECISION,
        Column("odds_ratio_low", "Odds ratio, CI", cells.RATIO),
        *(
            Column(f"effect_{k}", EFFECTS.get(k, capital(k.replace("_", " "))), cells.NUMBER)
            for k in effects
        ),
    )
    row, several = first.rows[0], len(found) > 1
    unit = "" if several else f"{prose.unit(first)} on "
    note = f"{capital(unit + prose.evidence(study, first))}."
    if first.entry.unit:
        note += f" A − B is in units of {prose.unit(first)}."
    if not first.bayesian:
        one, two, three = (f"{row.alpha / part:g}" for part in (1, 5, 50))
        each = " for each metric" if several and row.family_size > 1 else ""
        side = "" if row.alternative == "two-sided" else f" One-sided test: {prose.side(row)}"
        note += (
            f" {capital(prose.correction(first))}{each}.{side} Stars: adjusted p at most {one} "
            f"(*), {two} (**), {three} (***).{prose.disagreement(first.rows)} "
            f"{prose.assumed(first)}"
        )
    lower = "" if first.entry.unit else prose.lower_is_better(f.measure for f in found)
    return Table(columns, map(values, rows), note.rstrip() + lower)


def _tallies(study: Study, families: list[Family]) -> Table:
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
    rows = []
    for both in combinations(order(study), 2):
        a, b = pairs_shown.oriented(study, *both)
        if first.noninferiority and first.turned(a, b):
            a, b = b, a
        if found := pairs_shown.tally(families, a, b):
            rows.append({"model_a": a, "model_b": b} | {kind: found[kind] for kind in says})
    note = (
        f"Numbers of data sets (of {len(families)}), by {first.measure.title} at the "
        f"{percent(first.rows[0].alpha)} level within each data set. comparisons.csv has all "
        f"single results. {prose.assumed(first)}".rstrip()
    )
    return Table((A, B, *(Column(key, title, COUNT) for key, title in says.items())), rows, note)
