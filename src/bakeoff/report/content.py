"""What the tables hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from bakeoff.compare import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.exhibits import tests_of
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import (
    MINUS,
    NONE,
    count,
    degrees,
    fixed,
    interval,
    number,
    percent,
    probability,
    pvalue,
    score,
    seconds,
)
from bakeoff.report.power import detectable
from bakeoff.report.ranking import (
    dataset_means,
    greater_is_better,
    interval_note,
    ranking,
    ranks_of,
    times,
)
from bakeoff.report.selection import families_of, order, tally
from bakeoff.report.study import Family, Study, as_float
from bakeoff.report.tables import Cell, Column, Table, stars, text
from bakeoff.report.verdict import posterior
from bakeoff.scores import METRICS
from bakeoff.stats import Entry

TONES = {Decision.A_BETTER: "good", Decision.B_BETTER: "bad", Decision.EQUIVALENT: "same"}
_MINUS = re.compile(r"(?<![\w.])-(?=\d)")


def build(exhibit: Exhibit, study: Study) -> Table:
    """Build a table."""
    return _BUILDERS[exhibit.kind](exhibit, study)


def _score_cell(value: float, best: bool = False) -> Cell:
    return Cell(score(value), value, best=best)


def _models(exhibit: Exhibit, study: Study) -> Table:
    ranked = ranking(study)
    several = len(study.datasets) > 1
    held = study.plan != "holdout" and any(not math.isnan(line.holdout) for line in ranked)
    pick = max if study.metric.greater_is_better else min
    top = pick((line.mean for line in ranked), default=math.nan)
    top_held = pick((line.holdout for line in ranked), default=math.nan)
    level = percent(1 - study.alpha)
    other = study.experiment.metrics[1:]
    columns = [
        Column("rank", "Average rank" if several else "Rank", True),
        Column("model", "Model"),
        Column("mean", f"{_capital(study.metric.title)}, mean", True),
        Column("sd", "SD over data sets" if several else "SD over folds", True),
        Column("ci_low", f"{level} CI", True),
        Column("n", "Data sets" if several else "Folds", True),
    ]
    columns += [Column("holdout", "On held-out rows", True)] if held else []
    columns += [Column("wins", "Times first", True)] if several else []
    columns += [Column(f"mean_{m}", _capital(METRICS[m].title), True) for m in other]
    means = {m: dataset_means(study, m, study.plan) for m in other}
    rows = []
    for line in ranked:
        rank = fixed(line.rank, 2) if several else number(line.rank)
        ci = interval(*line.ci) if line.ci else NONE
        cells = [
            Cell(rank, line.rank),
            text(study.label(line.model)),
            _score_cell(line.mean, line.mean == top),
            _score_cell(line.sd),
            Cell(ci, line.ci.low if line.ci else math.nan),
            Cell(str(line.n), line.n),
        ]
        cells += [_score_cell(line.holdout, line.holdout == top_held)] if held else []
        cells += [Cell(str(line.wins), line.wins)] if several else []
        for m in other:
            values = means[m].mean()
            best = values.max() if greater_is_better(m) else values.min()
            cells.append(_score_cell(float(values[line.model]), values[line.model] == best))
        rows.append(tuple(cells))
    note = (
        f"Ranked by {study.metric.title}, {prose.PLANS[study.plan]}; {interval_note(study)}. "
        "Intervals of models overlap or not for many reasons: whether two models differ is "
        "answered by the tests, not by this table."
    )
    left_out = "".join(
        f" {study.label(m)} is left out: {why}." for m, why in study.excluded.items()
    )
    return Table(exhibit.title, tuple(columns), tuple(rows), note + left_out)


def _times(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("model", "Model"),
        Column("fits", "Fits", True),
        Column("fit_seconds", "One fit", True),
        Column("predict_seconds", "One prediction", True),
        Column("total_seconds", "All fits", True),
        Column("peak_memory_mb", "Peak memory", True),
    )
    found = times(study)
    rows = tuple(
        (
            text(study.label(str(model))),
            Cell(number(float(line["fits"])), line["fits"]),
            Cell(seconds(line["fit"]), line["fit"]),
            Cell(seconds(line["predict"]), line["predict"]),
            Cell(seconds(line["total"]), line["total"]),
            Cell(f"{fixed(line['memory'], 0)} MB", line["memory"]),
        )
        for model, line in found.iterrows()
    )
    total = float(found["total"].sum() + found["predicting"].sum())
    note = f"Means over all fits; fitting and predicting took {seconds(total)} of computing in all."
    return Table(exhibit.title, columns, rows, note)


def _datasets(exhibit: Exhibit, study: Study) -> Table:
    means = dataset_means(study, study.metric.name, study.plan)
    models = order(study)
    ranks = ranks_of(means[models], study.metric.greater_is_better)
    columns = (
        Column("dataset", "Data set"),
        *(Column(m, study.label(m), True) for m in models),
    )
    rows = []
    for i, dataset in enumerate(means.index):
        places = ranks.iloc[i]
        best = places.min()
        cells = (_score_cell(float(means[m].iloc[i]), bool(places[m] == best)) for m in models)
        rows.append((text(study.dataset_label(str(dataset))), *cells))
    note = (
        f"{_capital(study.metric.title)}, {prose.PLANS[study.plan]}; best of each data set in bold."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _omnibus(exhibit: Exhibit, study: Study) -> Table:
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
        rows.append(
            (
                text(family.entry.title),
                text(study.dataset_label(row.dataset)),
                text(METRICS[row.metric].title),
                Cell(number(row.statistic), row.statistic),
                text(degrees(row.df, row.df1, row.df2)),
                _p_cell(row.pvalue, study.alpha),
                Cell(
                    prose.decision(study, row),
                    tone="good" if row.decision is Decision.DIFFERENT else "open",
                ),
                text(_licence(study, family)),
            )
        )
    note = (
        "The tests of pairs are always computed. Where the test of all models at once is not "
        "significant, a significant pair is tentative."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _licence(study: Study, family: Family) -> str:
    for pairs in study.families:
        same = (pairs.dataset, pairs.plan, pairs.metric) == (
            family.dataset,
            family.plan,
            family.metric,
        )
        if pairs.settles and same and pairs.entry.name == family.entry.posthoc:
            found = sum(
                row.decision in (Decision.A_BETTER, Decision.B_BETTER) for row in pairs.rows
            )
            return f"{pairs.entry.title}: {found} of {count(len(pairs.rows), 'pair')} differ"
    return NONE


def _p_cell(p: float, alpha: float) -> Cell:
    return Cell(pvalue(p), p, mark=stars(p, alpha))


def _pairs(exhibit: Exhibit, study: Study) -> Table:
    families = families_of(study, exhibit.test)
    if not families:
        return Table(exhibit.title, (Column("pair", "Pair"),), (), "There is no result.")
    if len(families) > 1:
        return _tallies(exhibit, study, families)
    family, ranked = families[0], order(study)
    rows = [row for a, b in combinations(ranked, 2) if (row := family.between(a, b)) is not None]
    effects = list(dict.fromkeys(k for row in rows for k in row.result.get("effect_sizes", {})))
    columns = [
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("estimate", "A − B", True),
        Column("ci_low", f"{_level(rows)}", True),
    ]
    if family.bayesian:
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
            Column("decision", "Says"),
        ]
    columns += [Column(f"effect_{k}", _capital(k.replace("_", " ")), True) for k in effects]
    lines = tuple(tuple(_pair(study, family, row, effects)) for row in rows)
    first = rows[0]
    what = f"{METRICS[family.metric].title} on {prose.evidence(study, family)}"
    note = f"{what}." if family.bayesian else f"{what}; {prose.correction(first)}."
    if not family.bayesian:
        one, two, three = (f"{study.alpha / part:g}" for part in (1, 5, 50))
        note += f" Stars: p at most {one} (*), {two} (**), {three} (***)."
    return Table(exhibit.title, tuple(columns), lines, _capital(note))


def _level(rows: list[Comparison]) -> str:
    known = [row for row in rows if not math.isnan(row.confidence)]
    return _capital(prose.level_of(known[0])) if known else "CI"


def _pair(study: Study, family: Family, row: Comparison, effects: list[str]) -> Iterator[Cell]:
    yield text(study.label(row.model_a))
    yield text(study.label(row.model_b))
    yield _score_cell(row.estimate)
    yield Cell(interval(row.ci_low, row.ci_high), row.ci_low)
    if family.bayesian:
        yield from (Cell(probability(p), p) for p in posterior(family, row))
    else:
        yield Cell(number(row.statistic), row.statistic)
        yield text(degrees(row.df, row.df1, row.df2))
        yield Cell(pvalue(row.pvalue), row.pvalue)
        yield _p_cell(row.pvalue_adjusted, study.alpha)
        says = prose.decision(study, row)
        yield Cell(says, tone=TONES.get(row.decision, "open"))
    found = row.result.get("effect_sizes", {})
    for key in effects:
        value = as_float(found.get(key))
        yield Cell(number(value), value)


def _tallies(exhibit: Exhibit, study: Study, families: list[Family]) -> Table:
    columns = (
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("a_better", "A better on", True),
        Column("b_better", "B better on", True),
        Column("cannot_tell", "Cannot tell on", True),
        Column("undecided", "Undecided on", True),
    )
    rows = []
    for a, b in combinations(order(study), 2):
        found = tally(families, a, b)
        rest = found["all"] - found["a"] - found["b"] - found["undecided"]
        numbers = (found["a"], found["b"], rest, found["undecided"])
        if found["all"]:
            rows.append(
                (text(study.label(a)), text(study.label(b)), *(Cell(str(n), n) for n in numbers))
            )
    note = (
        f"Number of the {len(families)} data sets on which the test, at the "
        f"{percent(study.alpha)} level within each data set, calls one model better. All single "
        "results are in comparisons.csv."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _single(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("model", "Model"),
        Column("dataset", "On"),
        Column("metric", "Metric"),
        Column("estimate", "Estimate", True),
        Column("ci_low", "CI", True),
        Column("statistic", "Statistic", True),
        Column("pvalue", "p", True),
    )
    rows = tuple(
        (
            text(study.label(row.model_a)),
            text(study.dataset_label(row.dataset)),
            text(METRICS[row.metric].title),
            _score_cell(row.estimate),
            Cell(interval(row.ci_low, row.ci_high), row.ci_low),
            Cell(number(row.statistic), row.statistic),
            _p_cell(row.pvalue, study.alpha),
        )
        for family in study.families
        if family.role == "single" and family.entry.name == exhibit.test
        for row in family.rows
    )
    return Table(exhibit.title, columns, rows)


def _tests(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("test", "Test"),
        Column("about", "About"),
        Column("null_hypothesis", "Null hypothesis"),
        Column("type1", "Error rate"),
        Column("family", "Hypotheses and correction"),
        Column("detectable", "Would probably miss"),
    )
    rows = []
    for entry in tests_of(study.experiment):
        families = [f for f in study.families if f.entry.name == entry.name]
        if not families:
            continue
        first = families[0].rows[0]
        rows.append(
            (
                text(entry.title),
                text(prose.about(families[0])),
                text(str(first.result.get("null_hypothesis") or NONE)),
                text(
                    prose.TYPE_ONE_SHORT[entry.type1],
                    tone="bad" if entry.type1 == "liberal" else "",
                ),
                text(
                    NONE
                    if families[0].bayesian or len(families[0].rows) < 2
                    else prose.correction(first)
                ),
                text(_would_miss(study, entry)),
            )
        )
    note = (
        "A fitted model is what one training set made; an algorithm is what would be trained "
        "anew. The last column is the largest true difference that a test of a pair finds with a "
        "probability of less than 80%, given the noise of these data: it says how much "
        "'cannot tell' is worth."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _would_miss(study: Study, entry: Entry) -> str:
    families = [f for f in families_of(study, entry.name) if f.settles]
    if len(families) != 1:
        return NONE
    sizes = [detectable(families[0], row) for row in families[0].rows]
    known = [size for size in sizes if math.isfinite(size)]
    return f"less than {prose.gap_of(study, families[0], max(known))}" if known else NONE


def _assumptions(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("test", "Test"),
        Column("assumption", "Assumption"),
        Column("holds", "Holds"),
        Column("detail", "In detail"),
    )
    rows = []
    for entry in tests_of(study.experiment):
        found: dict[str, list[tuple[bool | None, str]]] = {}
        for family in study.families:
            if family.entry.name == entry.name:
                for row in family.rows:
                    for a in row.result.get("assumptions", ()):
                        check = (a["holds"], _MINUS.sub(MINUS, a["detail"]))
                        found.setdefault(a["name"], []).append(check)
        for name, checks in found.items():
            rows.append((text(entry.title), text(name), *_checked(checks)))
    note = "Where a test made several comparisons, the detail is of the one that fits worst."
    return Table(exhibit.title, columns, tuple(rows), note)


def _checked(checks: list[tuple[bool | None, str]]) -> tuple[Cell, Cell]:
    fails = [detail for holds, detail in checks if holds is False]
    unknown = [detail for holds, detail in checks if holds is None]
    n = len(checks)
    if fails:
        said = "no" if len(fails) == n else f"not in {len(fails)} of {n}"
        return Cell(said, tone="bad"), text(fails[0])
    if len(unknown) == n:
        return Cell("cannot be checked", tone="open"), text(unknown[0])
    said = "yes" if not unknown else f"yes, where checked ({n - len(unknown)} of {n})"
    return Cell(said, tone="good"), text(checks[0][1] if not unknown else unknown[0])


def _data(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("dataset", "Data set"),
        Column("rows", "Rows", True),
        Column("features", "Features", True),
        Column("classes", "Classes"),
        Column("rarest", "Rarest class", True),
        Column("missing_cells", "Missing cells", True),
        Column("duplicate_rows", "Duplicate rows", True),
        Column("licence", "Licence"),
        Column("sha256", "SHA-256"),
    )
    rows = []
    for name in study.datasets:
        card = study.cards[name]
        classes = card["classes"]
        shown = [f"{c} {n:,}" for c, n in list(classes.items())[:4]]
        more = f" and {len(classes) - 4} others" if len(classes) > 4 else ""
        rarest = min(classes.values()) / card["rows"] if classes else math.nan
        rows.append(
            (
                text(study.dataset_label(name)),
                Cell(f"{card['rows']:,}", card["rows"]),
                Cell(f"{len(card['features']):,}", len(card["features"])),
                text(", ".join(shown) + more),
                Cell(percent(round(rarest, 3)) if classes else NONE, rarest),
                Cell(f"{card['missing_cells']:,}", card["missing_cells"]),
                Cell(f"{card['duplicate_rows']:,}", card["duplicate_rows"]),
                text(card.get("licence") or NONE),
                Cell(str(card["sha256"])[:12], card["sha256"]),
            )
        )
    return Table(
        exhibit.title,
        columns,
        tuple(rows),
        "The hash is of the canonical table; whole in the CSV file.",
    )


def _splits(exhibit: Exhibit, study: Study) -> Table:
    columns = (
        Column("dataset", "Data set"),
        Column("plan", "Plan"),
        Column("splits", "Divisions", True),
        Column("n_train", "Training rows", True),
        Column("n_test", "Test rows", True),
        Column("stratified", "Stratified"),
    )
    plans = study.experiment.resampling.plans()
    sizes = study.scores.drop_duplicates(["dataset", "plan", "repeat", "fold"])
    rows = []
    for (dataset, plan), part in sizes.groupby(["dataset", "plan"], sort=False):
        rows.append(
            (
                text(study.dataset_label(str(dataset))),
                text(prose.PLANS[str(plan)]),
                Cell(str(len(part)), len(part)),
                _range(part["n_train"]),
                _range(part["n_test"]),
                text(_stratified(study, str(plan))),
            )
        )
    note = (
        "All models are trained and tested on the same rows of every division."
        if not any(map(study.experiment.by_scores, plans))
        else "The scores were given: that they come from the same divisions is the givers' word."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _stratified(study: Study, plan: str) -> str:
    if study.experiment.by_scores(plan):
        return "not known"
    return "yes" if study.experiment.resampling.plans()[plan].stratify else "no"


def _range(values: Any) -> Cell:
    """Show the sizes of the parts; given scores may come without them."""
    if values.isna().any():
        return Cell("not known")
    low, high = int(values.min()), int(values.max())
    return Cell(f"{low:,}" if low == high else f"{low:,} to {high:,}", low)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


_BUILDERS: dict[str, Callable[[Exhibit, Study], Table]] = {
    "models": _models,
    "times": _times,
    "datasets": _datasets,
    "omnibus": _omnibus,
    "pairs": _pairs,
    "single": _single,
    "tests": _tests,
    "assumptions": _assumptions,
    "data": _data,
    "splits": _splits,
}
