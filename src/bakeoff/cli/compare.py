"""`bakeoff compare`: existing predictions, or a table of scores, compared at once."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.api.build_study import METRIC, ROWS, as_plain, in_arguments, names_of
from bakeoff.api.findings import FORMS
from bakeoff.api.rows import study_of_files
from bakeoff.cli import COMMANDS
from bakeoff.cli.judged import compare_battles, compare_judged, holds_preferences, is_judged
from bakeoff.cli.terminal import bold, dim, outputs, say, table
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Decision
from bakeoff.files import write_texts
from bakeoff.report import prose, suites
from bakeoff.report.baseline import baselines
from bakeoff.report.family import Family
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
from bakeoff.report.ranking import Contender, cautions, may_be_best, oriented, ranking, standings
from bakeoff.report.ranking import order as best_first
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.report.written import with_unit
from bakeoff.stats import plain
from bakeoff.stats.core.result import AGREE

MOST_SHOWN = 30
"""Models in the table of their standings."""
MOST_MODELS = 10
"""With more models the table shows only the comparisons with the best one."""
_SCORE = ":score"
"""The key of a score, whose metric may be labelled like another column."""
_MEANING = (
    "“differs?” asks whether the difference is the same in all parts of a column (Welch 1951; "
    "Hothorn et al. 2008 where groups of rows reach into several). Adjusted by Holm's method over "
    "columns and pairs, and over the parts and pairs of a column; intervals hold together likewise."
)


def compare(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    if holds_preferences(vars(args)):
        compare_battles(args)
        return
    if is_judged(vars(args)):
        compare_judged(args)
        return
    places = outputs(args.output, args.files, list(FORMS))
    command = shlex.join(["bakeoff", *args.arguments])
    with in_arguments(COMMANDS["compare"].keys):
        study, read_as = study_of_files(vars(args), command)
    numbers = study.numbers or study.analysis.task.numbers
    of_rows = bool(study.test_sets or study.numbers)
    brief = of_rows and not (args.datasets or args.metrics or numbers)
    verdict = answer(study)
    if places:
        from bakeoff.report.page import Page  # it draws: slow to import
        from bakeoff.report.tables import to_csv

        page = Page(study, alone=True)
        texts = {}
        for place in places:
            if place.suffix:
                texts[place] = getattr(page, FORMS[place.suffix.lower()])
            else:
                texts |= {place / f"{n}.csv": to_csv(table) for n, table in page.tables.items()}
        write_texts(texts)
    if not args.json:
        _show(study, verdict, brief=brief)
        lines = [*read_as, *(text for texts in study.notes.values() for text in texts)]
        say(*(dim(paragraph(text)) for text in lines))
        return
    names, metrics = names_of(study), study.analysis.metrics
    if args.datasets is not None:
        data: dict[str, Any] = {"data_sets": len(study.datasets), **as_plain(study, verdict)}
        ranked = {metric: standings(study, metric) for metric in metrics}
        data["standings"] = [
            {
                "metric": metric,
                "models": [plain(s._asdict() | {"model": names[s.model]}) for s in lines],
            }
            for metric, lines in ranked.items()
            if lines
        ]
    elif args.seeds is not None and not (study.test_sets or study.numbers):
        data = as_plain(study, verdict)
    else:
        data = {"rows": (study.test_sets or study.numbers)[ROWS].n, **as_plain(study, verdict)}
        if not brief and not study.has_runs:  # of training runs no set of the best is known
            data["best"] = []
            for metric in metrics:
                contenders = may_be_best(study, metric).get(ROWS)
                best = [one._asdict() for one in contenders.models] if contenders else []
                best = [line | {"model": names[line["model"]]} for line in best]
                if len(best) == 2:  # the test of the pair says all else
                    best = [{key: line[key] for key in ("model", "value", "ci")} for line in best]
                data["best"].append({"metric": metric, "models": plain(best)})
    say(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))


# --- the answer in the terminal


def _show(study: Study, verdict: Verdict, *, brief: bool) -> None:
    """Print the verdict, the models and the comparisons."""
    say("", bold(paragraph(verdict.headline)), *(paragraph(s) for s in verdict.sentences), "")
    for metric in [METRIC] if brief else study.analysis.metrics:
        _show_models(study, metric, brief=brief)
    if study.has_runs:
        say(dim(paragraph(prose.over_runs(study))), "")
    _show_standings(study)
    _show_tasks(study)
    for i, family in enumerate(study.families):
        if family.role == "omnibus":
            row = family.rows[0]
            df = ", ".join(number(n) for n in (row.df, row.df1, row.df2) if n is not None)
            name = "Q" if row.dataset else "F" if row.df is None else "χ²"
            statistic = f"{name}{f'({df})' if df else ''} = {number(row.statistic)}"
            say(f"  {family.entry.title}: {statistic}, {p_equals(row.pvalue)}", "")
        else:
            if i and study.families[i - 1].role != "omnibus":
                say("")
            _show_pairs(study, family)
    _show_subgroups(study)


def _say_rows(
    rows: Sequence[Mapping[str, str]], least: Sequence[tuple[str, ...]] = (), score: str = ""
) -> None:
    """Print a table of rows that are dictionaries; texts stand left, numbers right."""
    keys: tuple[str, ...] = max(map(tuple, rows), key=len, default=())
    texts = ("model", "may be the best", "tier", "A", "B", "")
    sides = "".join("l" if key in texts else "r" for key in keys)
    head = [score if key == _SCORE else key for key in keys]
    say(*table(head, [tuple(row.get(key, "") for key in keys) for row in rows], sides, least))


def _show_models(study: Study, metric: str, *, brief: bool) -> None:
    """Print the scores by a metric, and of more than two models which may be the best."""
    best = None if brief or study.has_runs else may_be_best(study, metric).get(ROWS)
    if best is None and not (brief or study.has_runs):
        return
    shown, level = study.written(metric), f"{percent(1 - study.alpha)} CI"
    rows: list[dict[str, str]] = []
    for line in ranking(study, metric) if best is None else best.models:
        row = {"model": study.label(line.model)}
        if study.has_runs:
            row["runs"] = f"{study.analysis.models[line.model].seeds}"
        value = line.value if isinstance(line, Contender) else line.mean
        row[_SCORE] = shown.score(value)
        row[level] = shown.interval(*line.ci) if line.ci else ""
        if brief and not study.has_runs:
            n = study.test_sets[ROWS].n
            row["right"] = f"{round(value * n):,} of {n:,}"
        if isinstance(line, Contender) and len(study.models) > 2:
            row["may be the best"] = "yes" if line.stays else "no"
            row |= {"p": pvalue(line.pvalue), "tier": line.tier}
        rows.append(row)
    for one in baselines(study, metric):
        rows.append({"model": f"(baseline: {one.label})", _SCORE: shown.score(one.score)})
    _say_rows(rows, [("tier",)], shown.label)
    say(*(dim(paragraph(text)) for text in (cautions(study, best) if best else ())), "")


def _show_tasks(study: Study) -> None:
    """Print the scores in the tasks with the largest differences between the two best models."""
    pair = suites.leading_pair(study)
    if pair is None:
        return
    family, row = pair
    found = suites.in_tasks(study, family.metric, row.model_a, row.model_b)
    if found is None:
        return
    shown = study.written(family.metric)
    lines, left_out = suites.extremes(suites.lines(found))
    a, b = (study.label(model) for model in found.models)
    rows = []
    for line in lines:
        one = line.difference
        values = [shown.score(value) for value in line.values.values()]
        limits = shown.interval(one.low, one.high)
        p = pvalue(one.pvalue_adjusted)
        rows.append((line.task, f"{line.rows:,}", *values, shown.score(one.estimate), limits, p))
    models = [study.label(model) for model in found.scores.models]
    better = "A − B" if study.metrics[family.metric].greater_is_better else "B − A"
    level = f"{percent(1 - study.alpha)} CI"
    head = ("task", "rows", *models, better, level, "adjusted p")
    say(*table(head, rows, "l" + "r" * (len(head) - 1), [("rows",)]), "")
    meaning = f"A is {a}, B is {b}; intervals hold together for all tasks, and p is adjusted."
    if left_out:
        meaning += f" {count(left_out, 'task')} between these are not shown: --output has all."
    say(dim(paragraph(meaning)), "")


def _show_standings(study: Study) -> None:
    """Print average ranks and win rates of a table of scores."""
    for metric in study.analysis.metrics if study.several else ():
        lines = standings(study, metric)
        if not lines:
            continue
        rows = [
            {
                "model": study.label(line.model),
                "average rank": fixed(line.average_rank, 2),
                "win rate": fixed(line.win_rate, 3),
                f"{percent(1 - study.alpha)} CI": interval(*line.win_rate_ci),
            }
            for line in lines[:MOST_SHOWN]
        ]
        _say_rows(rows)
        if more := len(lines) - len(rows):
            say(dim(f"… and {count(more, 'more model')}."))
        by = study.metrics[metric].title
        meaning = f"Average ranks by {by} (1 is best); the win rate is against the other models."
        say(dim(paragraph(meaning)), "")


def _show_pairs(study: Study, family: Family) -> None:
    # McNemar's test is about accuracies, also where the metric is the error rate
    ranked = [line.model for line in ranking(study, family.metric) or ranking(study)]
    order = ranked if len(ranked) == len(study.models) else best_first(study)
    brief = len(order) > MOST_MODELS and study.analysis.tests.versus is None
    row, measure = family.rows[0], family.measure
    unit = family.entry.unit or family.written.unit
    difference = with_unit(prose.advantage_of([family]), unit)
    level = prose.levels_of(family.rows)
    adjusted = prose.p_name(row) == "adjusted p"
    lines: list[dict[str, str]] = []
    for i, first in enumerate(order[:1] if brief else order):
        for second in order[i + 1 :]:
            a, b = oriented(study, first, second)
            pair = family.between(a, b)
            if pair is None:
                continue
            details = pair.result.get("details", {})
            line = {"A": study.label(a), "B": study.label(b)}
            for model in "ab":
                if f"only_{model}_correct" in details:
                    line[f"only {model.upper()} right"] = f"{details[f'only_{model}_correct']:,}"
            line[difference] = family.written.score(pair.estimate)
            if level != "CI":  # no pair has an interval
                line[level] = family.written.interval(pair.ci_low, pair.ci_high)
            line["p"] = pvalue(pair.pvalue)
            if adjusted:
                line["adjusted p"] = pvalue(pair.pvalue_adjusted)
            line[""] = prose.decision(study, pair)
            lines.append(line)
    _say_rows(lines, [*([("p",)] if adjusted else []), ("only A right", "only B right")])
    say("")
    form = {"midp": "mid-p"}.get(row.variant, row.variant.replace("_", " "))
    has_no_form = row.variant in (row.metric, row.test)
    named = measure.title if has_no_form or study.numbers else form
    if brief and not family.leader_only:
        say(dim("Pairs without the best model are not shown; --json gives them."))
    how = f"{family.entry.title} ({named}); {prose.correction(family)}"
    say(dim(paragraph(f"{how}; level {percent(row.alpha)}.")))
    if disagreement := prose.disagreement(family.rows):
        say(paragraph(disagreement.strip()))
    for check in prose.checked(family.rows):
        if False in check.holds and check.name != AGREE:
            say(paragraph(f"Assumption not met: {check.name} ({check.detail})."))


def _show_subgroups(study: Study) -> None:
    """Print the interaction of every column and the difference in every subgroup."""
    if study.subgroups.empty:
        return
    for metric, part in study.subgroups.groupby("metric", sort=False):
        shown, measure = study.written(str(metric)), study.metrics[str(metric)]
        lines = []
        for line in part.to_dict("records"):
            decision, a, b = Decision(line["decision"]), line["model_a"], line["model_b"]
            text = prose.DECISIONS[decision]
            if decision is Decision.UNDECIDED:
                text = str(line["status"]).replace("_", " ")
                text = prose.WHY_UNDECIDED.get(line["status"], text)
            elif decision in (Decision.A_BETTER, Decision.B_BETTER):
                text = f"{study.label(a if decision is Decision.A_BETTER else b)} better"
            by = ["", line["subgroup"]]
            size = [shown.score(line["estimate"]), shown.interval(line["ci_low"], line["ci_high"])]
            if line["role"] == INTERACTION:
                by, size = [line["column"], "differs?"], ["", ""]
                text = "it differs" if decision is Decision.DIFFERENT else text
            pvalues = map(pvalue, (line["pvalue"], line["pvalue_adjusted"]))
            models = study.label(a), study.label(b)
            lines.append((*by, *models, f"{line['n']:,}", *size, *pvalues, text))
        difference = with_unit(prose.advantage([measure]), shown.unit)
        level = f"{percent(1 - study.alpha)} CI"
        head = ("by", "", "A", "B", "rows", difference, level, "p", "adjusted p", "")
        say(*table(head, lines, "llllrrrrrl", [("p",), ("rows",)]), "")
        say(dim(paragraph(f"{capital(measure.title)} by subgroup: {_MEANING}")))
