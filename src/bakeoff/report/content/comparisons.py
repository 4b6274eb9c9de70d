"""Tables of comparisons: all models at once, pairs, single models, counts of rows, costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bakeoff.compare import Comparison, Decision
from bakeoff.compare.evidence import PairedPredictions
from bakeoff.report import prose
from bakeoff.report.content.cells import (
    TONES,
    capital,
    ci_cell,
    count_cell,
    p_cell,
    score_cell,
)
from bakeoff.report.family import Family, as_float
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import NONE, count, degrees, number, percent, probability, pvalue
from bakeoff.report.selection import (
    COUNTED,
    counted_pairs,
    families_of,
    order,
    tally,
)
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, Table, text
from bakeoff.scores import METRICS
from bakeoff.spec import Costs

MOST_PAIRS = 300
"""With more comparisons a table keeps to the metric that ranks; comparisons.csv has all."""

_MOST_ERRORS = 6
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


def omnibus(exhibit: Exhibit, study: Study) -> Table:
    """Show the tests of all models at once, and how many pairs differ with them."""
    columns = (
        Column("test", "Test"),
        Column("dataset", "On"),
        Column("metric", "Metric"),
        Column("statistic", "Statistic", True),
        Column("df", "df", True),
        Column("pvalue", "p", True),
        Column("decision", "Says"),
        Column("posthoc", "Pairs it goes with"),
    )
    rows = []
    for family in study.families:
        if family.role != "omnibus":
            continue
        row = family.rows[0]
        found = row.decision is Decision.DIFFERENT
        rows.append(
            (
                text(family.entry.title),
                text(prose.where(study, family)),
                text(METRICS[row.metric].title),
                Cell(number(row.statistic), row.statistic),
                text(degrees(row.df, row.df1, row.df2)),
                p_cell(row.pvalue, row.alpha),
                Cell(prose.decision(study, row), tone="good" if found else "open"),
                text(_pairs_with(study, family)),
            )
        )
    note = (
        "The tests of pairs are always computed. Where the test of all models at once is not "
        "significant, a significant pair is tentative."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _pairs_with(study: Study, family: Family) -> str:
    where = (family.dataset, family.plan, family.metric)
    for pairs in study.families:
        same = (pairs.dataset, pairs.plan, pairs.metric) == where
        if pairs.settles and same and pairs.entry.name == family.entry.posthoc:
            found = sum(
                row.decision in (Decision.A_BETTER, Decision.B_BETTER, Decision.DIFFERENT)
                for row in pairs.rows
            )
            return f"{pairs.entry.title}: {found} of {count(len(pairs.rows), 'pair')} differ"
    return NONE


def pairs(exhibit: Exhibit, study: Study) -> Table:
    """Show every number of a test of pairs, or with several data sets count what it says."""
    families = families_of(study, exhibit.test)
    if not families:
        return Table(exhibit.title, (Column("pair", "Pair"),), (), "There is no result.")
    if len(families) > 1:
        return _tallies(exhibit, study, families)
    first = families[0]
    found = [
        f
        for f in study.families
        if f.entry.name == exhibit.test and f.role == "pair" and f.dataset == first.dataset
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
    effects = list(dict.fromkeys(k for _, r in rows for k in r.result.get("effect_sizes", {})))
    columns = [
        *([Column("metric", "Metric")] if len(found) > 1 else []),
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("estimate", "A − B", True),
        Column("ci_low", _level(rows[0][0]), True),
    ]
    if first.bayesian:
        columns += [
            Column("p_a_better", "P(A better)", True),
            Column("p_equivalent", "P(equivalent)", True),
            Column("p_b_better", "P(B better)", True),
        ]
    else:
        columns += [
            Column("statistic", "Statistic", True),
            Column("df", "df", True),
            Column("pvalue", "p", True),
            Column("pvalue_adjusted", "Adjusted p", True),
        ]
    columns.append(Column("decision", "Says"))
    columns += [
        Column(f"effect_{k}", _EFFECTS.get(k, capital(k.replace("_", " "))), True) for k in effects
    ]
    lines = []
    for family, row in rows:
        metric = [text(METRICS[family.metric].title)] if len(found) > 1 else []
        lines.append((*metric, *_pair(study, family, row, effects)))
    return Table(exhibit.title, tuple(columns), tuple(lines), _pairs_note(study, first, len(found)))


def _level(family: Family) -> str:
    known = [row for row in family.rows if not math.isnan(row.confidence)]
    return capital(prose.level_of(known[0])) if known else "CI"


def _pairs_note(study: Study, family: Family, metrics: int) -> str:
    row = family.rows[0]
    unit = "" if metrics > 1 else f"{prose.unit(family)} on "
    note = f"{capital(unit + prose.evidence(study, family))}; A as in comparisons.csv"
    if family.entry.name in prose.OWN_UNITS or family.in_ranks:
        note += f"; A − B in {prose.unit(family)}"
    if family.bayesian:
        return f"{note}."
    one, two, three = (f"{row.alpha / part:g}" for part in (1, 5, 50))
    each = " for each metric" if metrics > 1 and row.family_size > 1 else ""
    side = "" if row.alternative == "two-sided" else f"; one-sided: {prose.side(row)}"
    return (
        f"{note}; {prose.correction(row)}{each}{side}. Stars: adjusted p at most {one} (*), {two} "
        f"(**), {three} (***)."
    )


def _pair(study: Study, family: Family, row: Comparison, effects: list[str]) -> Iterator[Cell]:
    """Show a comparison as it was computed: its statistic and effect sizes belong to this side."""
    yield text(study.label(row.model_a))
    yield text(study.label(row.model_b))
    yield score_cell(row.estimate)
    yield ci_cell(row.ci_low, row.ci_high)
    if family.bayesian:
        for p in (row.p_a_better, row.p_equivalent, row.p_b_better):
            yield Cell(probability(p), p)
    else:
        yield Cell(number(row.statistic), row.statistic)
        yield text(degrees(row.df, row.df1, row.df2))
        yield Cell(pvalue(row.pvalue), row.pvalue)
        yield p_cell(row.pvalue_adjusted, row.alpha)
    yield Cell(prose.decision(study, row), tone=TONES.get(row.decision, "open"))
    found = row.result.get("effect_sizes", {})
    for key in effects:
        value = as_float(found.get(key))
        yield Cell(number(value), value)


def _tallies(exhibit: Exhibit, study: Study, families: list[Family]) -> Table:
    first = families[0]
    kinds = {
        "a": Column("a_better", "A better on", True),
        "b": Column("b_better", "B better on", True),
        "equivalent": Column("equivalent", "Equivalent on", True),
        "rest": Column("cannot_tell", "Cannot tell on", True),
        "undecided": Column("undecided", "Undecided on", True),
    }
    if first.equivalence:
        del kinds["a"], kinds["b"]
    elif not first.bayesian:
        del kinds["equivalent"]
    rows = []
    for a, b in combinations(order(study), 2):
        found = tally(families, a, b)
        if found["all"]:
            names = text(study.label(a)), text(study.label(b))
            rows.append((*names, *(count_cell(found[kind]) for kind in kinds)))
    says = "calls them equivalent" if first.equivalence else "calls one model better"
    level = percent(first.rows[0].alpha)
    note = (
        f"Number of the {len(families)} data sets on which the test of "
        f"{METRICS[first.metric].title}, at the {level} level within each data set, {says}. All "
        "single results are in comparisons.csv."
    )
    columns = (Column("model_a", "A"), Column("model_b", "B"), *kinds.values())
    return Table(exhibit.title, columns, tuple(rows), note)


def single(exhibit: Exhibit, study: Study) -> Table:
    """Show a test of each model by itself."""
    columns = (
        Column("model", "Model"),
        Column("dataset", "On"),
        Column("metric", "Metric"),
        Column("estimate", "Estimate", True),
        Column("ci_low", "CI", True),
        Column("statistic", "Statistic", True),
        Column("pvalue", "p", True),
        Column("pvalue_adjusted", "Adjusted p", True),
    )
    found = [f for f in study.families if f.role == "single" and f.entry.name == exhibit.test]
    rows = tuple(
        (
            text(study.label(row.model_a)),
            text(study.dataset_label(row.dataset)),
            text(METRICS[row.metric].title),
            score_cell(row.estimate),
            ci_cell(row.ci_low, row.ci_high),
            Cell(number(row.statistic), row.statistic),
            Cell(pvalue(row.pvalue), row.pvalue),
            p_cell(row.pvalue_adjusted, row.alpha),
        )
        for family in found
        for row in family.rows
    )
    if not rows:
        return Table(exhibit.title, columns, rows, "There is no result.")
    first = found[0].rows[0]
    level = f"{prose.level_of(first)}; " if not math.isnan(first.confidence) else ""
    return Table(exhibit.title, columns, rows, capital(f"{level}{prose.correction(first)}."))


def counts(exhibit: Exhibit, study: Study) -> Table:
    """Count the rows that either, both or none of two models has right."""
    several = len(study.datasets) > 1
    columns = (
        *([Column("dataset", "Data set")] if several else []),
        Column("model_a", "A"),
        Column("model_b", "B"),
        *(Column(key, capital(title), True) for key, title in COUNTED.items()),
        Column("pvalue", "p", True),
        Column("pvalue_adjusted", "Adjusted p", True),
    )
    families = families_of(study, exhibit.test)
    chosen, which = counted_pairs(study, families, MOST_PAIRS)
    rows = []
    for family in families:
        for a, b in chosen:
            row = family.between(a, b)
            found = row.result.get("details", {}) if row else {}
            if row is None or not set(COUNTED) <= set(found):
                continue
            turned = family.turned(a, b)
            first, second = (b, a) if turned else (a, b)
            where = [text(study.dataset_label(family.dataset))] if several else []
            rows.append(
                (
                    *where,
                    text(study.label(first)),
                    text(study.label(second)),
                    *(count_cell(int(found[key])) for key in COUNTED),
                    Cell(pvalue(row.pvalue), row.pvalue),
                    p_cell(row.pvalue_adjusted, row.alpha),
                )
            )
    note = (
        f"Test rows, {which}. Only the two counts where exactly one model is right bear on the "
        "question."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def costs(exhibit: Exhibit, study: Study) -> Table:
    """Say what the errors of each model on the held-out rows cost, and which they are."""
    spec = study.experiment.costs
    assert spec is not None
    several = len(study.datasets) > 1
    errors = _errors(spec)
    columns = (
        *([Column("dataset", "Data set")] if several else []),
        Column("model", "Model"),
        Column("cost", "Mean cost", True),
        Column("error", "Error rate", True),
        *(
            Column(f"error_{i}", f"{true} taken for {taken} (cost {spec.matrix[t][p]:g})", True)
            for i, (t, p, true, taken) in enumerate(errors, 1)
        ),
    )
    rows = []
    for dataset, rows_of in study.test_sets.items():
        known = {m: _counted_errors(spec, rows_of, m) for m in rows_of.models}
        mean = {m: float((np.array(spec.matrix) * c).sum() / c.sum()) for m, c in known.items()}
        best = min(mean.values(), default=math.nan)
        for model in sorted(known, key=lambda m: mean[m]):
            found = known[model]
            where = [text(study.dataset_label(dataset))] if several else []
            wrong = 1 - float(np.trace(found) / found.sum())
            rows.append(
                (
                    *where,
                    text(study.label(model)),
                    score_cell(mean[model], mean[model] == best),
                    score_cell(wrong),
                    *(count_cell(int(found[t][p])) for t, p, _, _ in errors),
                )
            )
    more = "" if len(errors) == _n_errors(spec) else " The costliest kinds of errors are counted."
    note = f"On the held-out rows, in the unit of `costs:`; the cheapest in bold.{more}"
    return Table(exhibit.title, columns, tuple(rows), note)


def _errors(spec: Costs) -> list[tuple[int, int, str, str]]:
    """List the kinds of errors that cost anything, the costliest first."""
    names, k = spec.names, len(spec.names)
    cells = [(t, p) for t in range(k) for p in range(k) if spec.matrix[t][p] > 0]
    cells.sort(key=lambda cell: -spec.matrix[cell[0]][cell[1]])
    return [(t, p, names[t], names[p]) for t, p in cells[:_MOST_ERRORS]]


def _n_errors(spec: Costs) -> int:
    return sum(cost > 0 for row in spec.matrix for cost in row)


def _counted_errors(spec: Costs, rows: PairedPredictions, model: str) -> NDArray[np.int64]:
    """Count true (rows) against predicted classes (columns), in the order of the costs."""
    place = [spec.names.index(name) for name in rows.classes]
    found = np.zeros((len(spec.names), len(spec.names)), dtype=np.int64)
    found[np.ix_(place, place)] = rows.confusion(model)
    return found
