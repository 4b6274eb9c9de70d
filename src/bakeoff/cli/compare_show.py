"""`bakeoff compare`: its answer in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from bakeoff.api.build_study import METRIC, ROWS
from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.data.observations import Observations
from bakeoff.report import prose
from bakeoff.report.baseline import baselines
from bakeoff.report.family import Family
from bakeoff.report.may_be_best import cautions, may_be_best
from bakeoff.report.numbers import (
    capital,
    count,
    fixed,
    interval,
    number,
    p_equals,
    paragraph,
    percent,
    pvalue,
)
from bakeoff.report.prose import advantage, checked
from bakeoff.report.ranking import lines, oriented, ranking, standings
from bakeoff.report.ranking import order as best_first
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict
from bakeoff.report.written import Written, with_unit
from bakeoff.stats.core.result import AGREE

MOST_SHOWN = 30
"""Models in the table of their standings."""
MOST_MODELS = 10
"""With more models the table shows only the comparisons with the best one."""
_MEANING = (
    "“differs?” asks whether the difference is the same in all parts of a column (Welch 1951; "
    "Hothorn et al. 2008 where groups of rows reach into several). Adjusted by Holm's method over "
    "columns and pairs, and over the parts and pairs of a column; intervals hold together likewise."
)


def show(study: Study, verdict: Verdict, *, brief: bool) -> None:
    """Print the verdict, the models and the comparisons."""
    say("", bold(paragraph(verdict.headline)), *(paragraph(s) for s in verdict.sentences), "")
    if study.has_runs:
        _show_recipes(study)
    elif brief:
        _show_right(study)
    _show_standings(study)
    for metric in () if brief else study.experiment.metrics:
        _show_contenders(study, metric)
    for i, family in enumerate(study.families):
        if family.role == "omnibus":
            row = family.rows[0]
            say(f"  {family.entry.title}: {_statistic(row)}{p_equals(row.pvalue)}", "")
        else:
            if i and study.families[i - 1].role != "omnibus":
                say("")
            _show_pairs(study, family)
    show_subgroups(study)


def _show_right(study: Study) -> None:
    rows, shown = study.test_sets[ROWS], study.written(METRIC)
    lines = [
        (
            study.label(line.model),
            shown.score(line.mean),
            shown.interval(*line.ci) if line.ci else "",
            f"{round(line.mean * rows.n):,} of {rows.n:,}",
        )
        for line in ranking(study)
    ]
    lines += [(*baseline, "", "") for baseline in _baselines(study, METRIC)]
    level = percent(1 - study.alpha)
    say(*table(("model", "accuracy", f"{level} CI", "right"), lines, "lrrr"), "")


def _show_recipes(study: Study) -> None:
    """Print the mean score of the training runs of each model, metric by metric."""
    level = percent(1 - study.alpha)
    for metric in study.experiment.metrics:
        shown = study.written(metric)
        lines = [
            (
                study.label(line.model),
                f"{study.experiment.seeds(line.model)}",
                shown.score(line.mean),
                shown.interval(*line.ci) if line.ci else "",
            )
            for line in ranking(study, metric)
        ]
        lines += [(name, "", score, "") for name, score in _baselines(study, metric)]
        say(*table(("model", "runs", shown.label, f"{level} CI"), lines, "lrrr"), "")
    say(dim(paragraph(prose.over_runs(study))), "")


def _show_standings(study: Study) -> None:
    """Print average ranks and win rates of a table of scores."""
    level = percent(1 - study.alpha)
    for metric in study.experiment.metrics if study.several else ():
        found = standings(study, metric)
        if found is None:
            continue
        head = ("model", "average rank", "win rate", f"{level} CI")
        rows = []
        for line in [*lines(study, metric)][:MOST_SHOWN]:
            row = [study.label(line["model"]), fixed(line["average_rank"], 2)]
            row += [fixed(line["win_rate"], 3), interval(*line["win_rate_ci"])]
            rows.append(tuple(row))
        more = len(found.models) - len(rows)
        say(*table(head, rows, "lrrr"))
        if more > 0:
            say(dim(f"… and {count(more, 'more model')}."))
        by = study.metrics[metric].title
        said = f"Average ranks by {by} (1 is best); the win rate is against the other models."
        say(dim(paragraph(said)), "")


def _show_contenders(study: Study, metric: str) -> None:
    """Print the scores by a metric, and of more than two models which may be the best."""
    found = may_be_best(study, metric).get(ROWS)
    if found is None:
        return
    shown = study.written(metric)
    lines: list[tuple[str, ...]] = [
        (
            study.label(line.model),
            shown.score(line.value),
            shown.interval(*line.ci) if line.ci else "",
            "yes" if line.stays else "no",
            pvalue(line.pvalue),
            line.tier,
        )
        for line in found.models
    ]
    lines += [(*baseline, *([""] * 4)) for baseline in _baselines(study, metric)]
    level = percent(1 - study.alpha)
    head = ("model", shown.label, f"{level} CI", "may be the best", "p", "tier")
    kept = len(head) if len(study.models) > 2 else 3
    say(*table(head[:kept], [line[:kept] for line in lines], "lrrlrl"[:kept], [("tier",)]))
    say(*(dim(paragraph(text)) for text in cautions(study, found)), "")


def _baselines(study: Study, metric: str) -> Iterator[tuple[str, str]]:
    """Name the baselines, and write what they score."""
    for one in baselines(study, metric):
        answer = "class shares" if study.metrics[metric].by_order else f"always {one.answer}"
        yield f"(baseline: {answer})", study.written(metric).score(one.score)


def _show_pairs(study: Study, family: Family) -> None:
    # McNemar's test is about accuracies, also where the metric is the error rate
    ranked = [line.model for line in ranking(study, family.metric) or ranking(study)]
    order = ranked if len(ranked) == len(study.models) else best_first(study)
    lines: list[tuple[str, ...]] = []
    brief = len(order) > MOST_MODELS and study.experiment.tests.versus is None
    for i, first in enumerate(order[:1] if brief else order):
        for second in order[i + 1 :]:
            a, b = oriented(study, first, second)
            row = family.between(a, b)
            if row is None:
                continue
            details = row.result.get("details", {})
            only_a, only_b = (details.get(f"only_{m}_correct", "") for m in "ab")
            lines.append(
                (
                    study.label(a),
                    study.label(b),
                    *(f"{only:,}" if only != "" else "" for only in (only_a, only_b)),
                    family.written.score(row.estimate),
                    family.written.interval(row.ci_low, row.ci_high),
                    pvalue(row.pvalue),
                    pvalue(row.pvalue_adjusted),
                    prose.decision(study, row),
                )
            )
    row, measure = family.rows[0], family.measure
    difference = with_unit(prose.advantage([measure]), family.written.unit)
    level = prose.levels_of(family.rows)
    names = ("A", "B", "only A right", "only B right", difference, level, "p")
    head = [*names, "adjusted p", ""]
    adjusted = row.family_size > 1 and row.correction != "none"
    empty = [] if any(line[2] for line in lines) else [2, 3]
    empty += [5] if level == "CI" else []
    shown = [i for i in range(9) if i not in empty and (adjusted or i != 7)]
    least = [*([("p",)] if adjusted else []), (head[2], head[3])]
    cells = [tuple(line[i] for i in shown) for line in lines]
    aligned = "".join("llrrrrrrl"[i] for i in shown)
    say(*table(tuple(head[i] for i in shown), cells, aligned, least), "")
    form = {"midp": "mid-p"}.get(row.variant, row.variant.replace("_", " "))
    named = measure.title if row.metric == row.variant or study.numbers else form
    if brief and not family.leader_only:
        say(dim("Pairs without the best model are not shown; --json gives them."))
    how = f"{family.entry.title} ({named}); {prose.correction(family)}"
    say(dim(paragraph(f"{how}; level {percent(row.alpha)}.")))
    if told := prose.disagreement(family.rows):
        say(paragraph(told.strip()))
    for check in checked(family.rows):
        if check.fails and check.name != AGREE:
            say(paragraph(f"Assumption not met: {check.name} ({check.detail})."))


def _statistic(row: Comparison) -> str:
    df = (row.df,) if row.df is not None else (row.df1, row.df2)
    known = ", ".join(number(one) for one in df if one is not None)
    name = "Q" if row.dataset else "F" if row.df is None else "χ²"
    return f"{name}{f'({known})' if known else ''} = {number(row.statistic)}, "


def notes(given: Observations, read_as: Sequence[str] = ()) -> None:
    """Print what the files were read as, a sentence each, and notes on their content."""
    for said in read_as:
        say(dim(paragraph(f"{said}.")))
    if len(given.left_out):
        say(dim(f"{count(len(given.left_out), 'row')} without a true label left out."))
    say(*(dim(paragraph(said)) for said in given.oddities))


def show_subgroups(study: Study) -> None:
    """Print the interaction of every column and the difference in every subgroup."""
    for metric, found in _by_metric(study):
        shown = study.written(metric)
        lines = [_line(line, study, shown) for line in found.to_dict("records")]
        difference = with_unit(advantage([study.metrics[metric]]), shown.unit)
        level = percent(1 - study.alpha)
        head = ("by", "", "A", "B", "rows", difference, f"{level} CI", "p", "adjusted p", "")
        say(*table(head, lines, "llllrrrrrl", [("p",), ("rows",)]), "")
        title = capital(study.metrics[metric].title)
        say(dim(paragraph(f"{title} by subgroup: {_MEANING}")))


def _by_metric(study: Study) -> list[tuple[str, pd.DataFrame]]:
    if study.subgroups.empty:
        return []
    return [(str(m), found) for m, found in study.subgroups.groupby("metric", sort=False)]


def _line(line: Mapping[Any, Any], study: Study, shown: Written) -> tuple[str, ...]:
    interaction = line["role"] == INTERACTION
    return (
        line["column"] if interaction else "",
        "differs?" if interaction else line["subgroup"],
        study.label(line["model_a"]),
        study.label(line["model_b"]),
        f"{line['n']:,}",
        "" if interaction else shown.score(line["estimate"]),
        "" if interaction else shown.interval(line["ci_low"], line["ci_high"]),
        pvalue(line["pvalue"]),
        pvalue(line["pvalue_adjusted"]),
        _decided(line, study),
    )


def _decided(line: Mapping[Any, Any], study: Study) -> str:
    """Say what a line of subgroups shows."""
    decision = Decision(line["decision"])
    if decision is Decision.UNDECIDED:
        return prose.WHY_UNDECIDED.get(line["status"], str(line["status"]).replace("_", " "))
    if decision in (Decision.A_BETTER, Decision.B_BETTER):
        winner = line["model_a" if decision is Decision.A_BETTER else "model_b"]
        return f"{study.label(winner)} better"
    if line["role"] == INTERACTION and decision is Decision.DIFFERENT:
        return "it differs"
    return prose.DECISIONS[decision]
