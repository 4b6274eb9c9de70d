"""`bakeoff compare`: existing predictions, or a table of scores, compared at once."""

from __future__ import annotations

import argparse
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.api.build_study import METRIC, ROWS
from bakeoff.api.findings import FORMS
from bakeoff.api.plain_data import as_plain, names_of
from bakeoff.api.rows import study_of_files
from bakeoff.api.signature import in_arguments
from bakeoff.cli import COMMANDS
from bakeoff.cli.judged import (
    command_of,
    compare_battles,
    compare_judged,
    holds_preferences,
    is_judged,
)
from bakeoff.cli.terminal import (
    bold,
    dim,
    outputs,
    say,
    say_json,
    say_notes,
    say_paragraphs,
    say_table,
)
from bakeoff.comparisons.row_tables import INTERACTION
from bakeoff.comparisons.run_tests import Comparison, Decision
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
from bakeoff.report.ranking import cautions, may_be_best, oriented, ranking, standings
from bakeoff.report.ranking import order as best_first
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.report.written import Written, with_unit
from bakeoff.stats import ConfidenceInterval, plain
from bakeoff.stats.core.result import AGREE

MOST_SHOWN = 30
"""Models in the table of their standings."""
MOST_MODELS = 10
"""With more models the table shows only the comparisons with the best one."""
_SCORE = ":score"
"""The key of a score, whose metric may be labelled like another column."""
_COLUMNS_OF_TEXTS = ("model", "may be the best", "tier", "A", "B", "")
_SUBGROUP_COLUMNS = "llllrrrrrl"
_MEANING = (
    "“differs?” asks whether the difference is the same in all parts of a column (Welch 1951; "
    "Hothorn et al. 2008 where groups of rows reach into several). Adjusted by Holm's method over "
    "columns and pairs, and over the parts and pairs of a column; intervals hold together likewise."
)


def compare(args: argparse.Namespace) -> None:
    """Compare, write the requested files, and print."""
    options = vars(args)
    if holds_preferences(options):
        compare_battles(args)
        return
    if is_judged(options):
        compare_judged(args)
        return
    places = outputs(args.output, args.files, list(FORMS))
    with in_arguments(COMMANDS["compare"].keys):
        study, read_as = study_of_files(options, command_of(args))
    is_of_numbers = study.numbers or study.analysis.task.numbers
    is_of_rows = bool(study.test_sets or study.numbers)
    brief = is_of_rows and not (args.datasets or args.metrics or is_of_numbers)
    verdict = answer(study)
    if places:
        _write(study, places)
    if args.json:
        if args.datasets is not None:
            say_json(_scores_as_json(study, verdict))
        elif args.seeds is not None and not is_of_rows:
            say_json(as_plain(study, verdict))
        else:
            say_json(_rows_as_json(study, verdict, brief=brief))
        return
    _show(study, verdict, brief=brief)
    say_notes(read_as)
    for notes in study.notes.values():
        say_notes(notes)


def _write(study: Study, places: Sequence[Path]) -> None:
    """Write the page and its tables, each in the form that the ending of its place says."""
    from bakeoff.report.page import Page  # it draws: slow to import
    from bakeoff.report.tables import to_csv

    page = Page(study, alone=True)
    texts = {}
    for place in places:
        if place.suffix:
            texts[place] = getattr(page, FORMS[place.suffix.lower()])
            continue
        for name, content in page.tables.items():
            texts[place / f"{name}.csv"] = to_csv(content)
    write_texts(texts)


# --- the answer as JSON


def _scores_as_json(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return the answer of a table of scores."""
    content = {"data_sets": len(study.datasets), **as_plain(study, verdict)}
    content["standings"] = _standings_as_json(study)
    return content


def _rows_as_json(study: Study, verdict: Verdict, *, brief: bool) -> dict[str, Any]:
    """Return the answer of predictions, and which models may be the best."""
    data_sets = study.test_sets or study.numbers
    content = {"rows": data_sets[ROWS].n, **as_plain(study, verdict)}
    if not brief and not study.has_runs:  # of training runs no set of the best is known
        content["best"] = [
            {"metric": metric, "models": _best_as_json(study, metric)}
            for metric in study.analysis.metrics
        ]
    return content


def _standings_as_json(study: Study) -> list[dict[str, Any]]:
    """Return average ranks and win rates by each metric."""
    names = names_of(study)
    content = []
    for metric in study.analysis.metrics:
        models = []
        for line in standings(study, metric):
            models.append(plain({**line._asdict(), "model": names[line.model]}))
        if models:
            content.append({"metric": metric, "models": models})
    return content


def _best_as_json(study: Study, metric: str) -> Any:
    """Return the models by a metric, best first, and whether each may be the best."""
    contenders = may_be_best(study, metric).get(ROWS)
    if contenders is None:
        return []
    names = names_of(study)
    models = []
    for line in contenders.models:
        model: dict[str, Any] = {"model": names[line.model], "value": line.value, "ci": line.ci}
        if len(contenders.models) != 2:  # else the test of the pair says all else
            model |= {"pvalue": line.pvalue, "stays": line.stays, "tier": line.tier}
        models.append(model)
    return plain(models)


# --- the answer in the terminal


def _show(study: Study, verdict: Verdict, *, brief: bool) -> None:
    """Print the verdict, the models and the comparisons."""
    say("", bold(paragraph(verdict.headline)))
    say_paragraphs(verdict.sentences)
    say("")
    _show_models(study, brief=brief)
    if study.several:
        for metric in study.analysis.metrics:
            _show_standings(study, metric)
    _show_tasks(study)
    _show_families(study)
    if not study.subgroups.empty:
        for name, lines in study.subgroups.groupby("metric", sort=False):
            _show_subgroups(study, str(name), lines)


def _show_models(study: Study, *, brief: bool) -> None:
    """Print the models and their scores by each metric."""
    metrics: Sequence[str] = study.analysis.metrics
    if brief:
        metrics = [METRIC]
    for metric in metrics:
        if study.has_runs:
            _show_models_with_runs(study, metric)
        elif brief:
            _show_right_rows(study, metric)
        else:
            _show_contenders(study, metric)
    if study.has_runs:
        say(dim(paragraph(prose.over_runs(study))), "")


def _show_families(study: Study) -> None:
    """Print the comparisons, family by family."""
    before = None
    for family in study.families:
        if family.role == "omnibus":
            _show_omnibus(family)
        else:
            if before is not None and before.role != "omnibus":
                say("")
            _show_pairs(study, family)
        before = family


def _say_rows(
    rows: Sequence[Mapping[str, str]], least: Sequence[tuple[str, ...]] = (), score: str = ""
) -> None:
    """Print a table of rows that are dictionaries; texts stand left, numbers right."""
    keys: list[str] = []
    for row in rows:
        if len(row) > len(keys):
            keys = list(row)
    sides = ""
    for key in keys:
        sides += "l" if key in _COLUMNS_OF_TEXTS else "r"
    head = [score if key == _SCORE else key for key in keys]
    cells = [[row.get(key, "") for key in keys] for row in rows]
    say_table(head, cells, sides, least)


# --- the models


def _show_models_with_runs(study: Study, metric: str) -> None:
    """Print the mean scores over training runs."""
    written = study.written(metric)
    rows: list[dict[str, str]] = []
    for line in ranking(study, metric):
        rows.append(
            {
                "model": study.label(line.model),
                "runs": str(study.analysis.models[line.model].seeds),
                _SCORE: written.score(line.mean),
                _level(study): _interval(written, line.ci),
            }
        )
    _say_models(study, metric, rows)
    say("")


def _show_right_rows(study: Study, metric: str) -> None:
    """Print the accuracy of each model, and how many rows it is right on."""
    written = study.written(metric)
    n = study.test_sets[ROWS].n
    rows: list[dict[str, str]] = []
    for line in ranking(study, metric):
        rows.append(
            {
                "model": study.label(line.model),
                _SCORE: written.score(line.mean),
                _level(study): _interval(written, line.ci),
                "right": f"{round(line.mean * n):,} of {n:,}",
            }
        )
    _say_models(study, metric, rows)
    say("")


def _show_contenders(study: Study, metric: str) -> None:
    """Print the scores by a metric, and of more than two models which may be the best."""
    best = may_be_best(study, metric).get(ROWS)
    if best is None:
        return
    written = study.written(metric)
    rows: list[dict[str, str]] = []
    for line in best.models:
        row = {
            "model": study.label(line.model),
            _SCORE: written.score(line.value),
            _level(study): _interval(written, line.ci),
        }
        if len(study.models) > 2:
            row["may be the best"] = "no"
            if line.stays:
                row["may be the best"] = "yes"
            row["p"] = pvalue(line.pvalue)
            row["tier"] = line.tier
        rows.append(row)
    _say_models(study, metric, rows)
    say_notes(cautions(study, best))
    say("")


def _say_models(study: Study, metric: str, rows: list[dict[str, str]]) -> None:
    """Print the models' rows by a metric, the constant prediction below them."""
    written = study.written(metric)
    for constant in baselines(study, metric):
        name = f"(baseline: {constant.label})"
        rows.append({"model": name, _SCORE: written.score(constant.score)})
    _say_rows(rows, [("tier",)], written.label)


def _interval(written: Written, limits: ConfidenceInterval | None) -> str:
    """Write an interval; nothing where none is known."""
    if limits is None:
        return ""
    low, high = limits
    return written.interval(low, high)


def _level(study: Study) -> str:
    """Head a column of intervals."""
    return f"{percent(1 - study.alpha)} CI"


def _show_standings(study: Study, metric: str) -> None:
    """Print average ranks and win rates of a table of scores."""
    lines = standings(study, metric)
    if not lines:
        return
    rows = [
        {
            "model": study.label(line.model),
            "average rank": fixed(line.average_rank, 2),
            "win rate": fixed(line.win_rate, 3),
            _level(study): interval(*line.win_rate_ci),
        }
        for line in lines[:MOST_SHOWN]
    ]
    _say_rows(rows)
    if len(lines) > MOST_SHOWN:
        say(dim(f"… and {count(len(lines) - MOST_SHOWN, 'more model')}."))
    by = study.metrics[metric].title
    meaning = f"Average ranks by {by} (1 is best); the win rate is against the other models."
    say(dim(paragraph(meaning)), "")


# --- tasks


def _show_tasks(study: Study) -> None:
    """Print the scores in the tasks with the largest differences between the two best models."""
    pair = suites.leading_pair(study)
    if pair is None:
        return
    family, comparison = pair
    metric = family.metric
    in_tasks = suites.in_tasks(study, metric, comparison.model_a, comparison.model_b)
    if in_tasks is None:
        return
    written = study.written(metric)
    lines, left_out = suites.extremes(suites.lines(in_tasks))
    rows = []
    for line in lines:
        difference = line.difference
        row = [line.task, f"{line.rows:,}"]
        for value in line.values.values():
            row.append(written.score(value))
        row.append(written.score(difference.estimate))
        row.append(written.interval(difference.low, difference.high))
        row.append(pvalue(difference.pvalue_adjusted))
        rows.append(row)
    head = ["task", "rows"]
    for model in in_tasks.scores.models:
        head.append(study.label(model))
    advantage = "B − A"
    if study.metrics[metric].greater_is_better:
        advantage = "A − B"
    head += [advantage, _level(study), "adjusted p"]
    sides = "l" + "r" * (len(head) - 1)
    say_table(head, rows, sides, [("rows",)])
    a, b = (study.label(model) for model in in_tasks.models)
    meaning = f"A is {a}, B is {b}; intervals hold together for all tasks, and p is adjusted."
    if left_out:
        meaning += f" {count(left_out, 'task')} between these are left out: --output has all."
    say("", dim(paragraph(meaning)), "")


# --- the comparisons


def _show_omnibus(family: Family) -> None:
    """Print the test of all models at once."""
    row = family.rows[0]
    df = ", ".join(number(value) for value in (row.df, row.df1, row.df2) if value is not None)
    name = "χ²"
    if row.dataset:
        name = "Q"
    elif row.df is None:
        name = "F"
    if df:
        name += f"({df})"
    say(f"  {family.entry.title}: {name} = {number(row.statistic)}, {p_equals(row.pvalue)}", "")


def _show_pairs(study: Study, family: Family) -> None:
    """Print the comparisons of a family, and by which test they are."""
    models = _models_best_first(study, family)
    only_best = len(models) > MOST_MODELS and study.analysis.tests.versus is None
    rows: list[dict[str, str]] = []
    for first, second in combinations(models, 2):
        if only_best and first != models[0]:
            break
        model_a, model_b = oriented(study, first, second)
        pair = family.between(model_a, model_b)
        if pair is not None:
            rows.append(_row_of_pair(study, family, pair))
    least: list[tuple[str, ...]] = [("only A right", "only B right")]
    if _is_adjusted(family):
        least.insert(0, ("p",))
    _say_rows(rows, least)
    say("")
    if only_best and not family.leader_only:
        say(dim("Pairs without the best model are left out; --json gives them."))
    _say_test(study, family)
    _say_cautions(study, family)


def _models_best_first(study: Study, family: Family) -> Sequence[str]:
    """Return the models in the order of their scores, of their wins where scores are missing."""
    # McNemar's test is about accuracies, also where the metric is the error rate
    ranked = [line.model for line in ranking(study, family.metric) or ranking(study)]
    if len(ranked) == len(study.models):
        return ranked
    return best_first(study)


def _say_cautions(study: Study, family: Family) -> None:
    """Say which tests disagree with the scores, and which assumptions are not met."""
    disagreement = prose.disagreement(study, family.rows)
    if disagreement:
        say(paragraph(disagreement.strip()))
    for check in prose.checked(family.rows):
        if False in check.holds and check.name != AGREE:
            say(paragraph(f"Assumption not met: {check.name} ({check.detail})."))


def _row_of_pair(study: Study, family: Family, pair: Comparison) -> dict[str, str]:
    """Write the comparison of two models."""
    unit = family.entry.unit or family.written.unit
    row = {"A": study.label(pair.model_a), "B": study.label(pair.model_b)}
    details = pair.result.get("details", {})
    for model in "ab":
        if f"only_{model}_correct" in details:
            row[f"only {model.upper()} right"] = f"{details[f'only_{model}_correct']:,}"
    row[with_unit(prose.advantage_of([family]), unit)] = family.written.score(pair.estimate)
    level = prose.levels_of(family.rows)
    if level != "CI":  # no pair has an interval
        row[level] = family.written.interval(pair.ci_low, pair.ci_high)
    row["p"] = pvalue(pair.pvalue)
    if _is_adjusted(family):
        row["adjusted p"] = pvalue(pair.pvalue_adjusted)
    row[""] = prose.decision(study, pair)
    return row


def _is_adjusted(family: Family) -> bool:
    """Tell whether the p-values of a family are adjusted."""
    return prose.p_name(family.rows[0]) == "adjusted p"


def _say_test(study: Study, family: Family) -> None:
    """Say by which test, in which form, the pairs of a family are compared, and at which level."""
    row = family.rows[0]
    form = row.variant.replace("_", " ")
    if row.variant == "midp":
        form = "mid-p"
    if study.numbers or row.variant in (row.metric, row.test):  # the test has one form
        form = family.measure.title
    test = f"{family.entry.title} ({form}); {prose.correction(family)}"
    say(dim(paragraph(f"{test}; level {percent(row.alpha)}.")))


# --- subgroups


def _show_subgroups(study: Study, metric: str, subgroups: pd.DataFrame) -> None:
    """Print the interaction of every column and the difference in every subgroup."""
    written = study.written(metric)
    measure = study.metrics[metric]
    rows = []
    for line in subgroups.to_dict("records"):
        if line["role"] == INTERACTION:
            by = line["column"]
            subgroup = "differs?"
            estimate = ""
            ci = ""
        else:
            by = ""
            subgroup = line["subgroup"]
            estimate = written.score(line["estimate"])
            ci = written.interval(line["ci_low"], line["ci_high"])
        rows.append(
            (
                by,
                subgroup,
                study.label(line["model_a"]),
                study.label(line["model_b"]),
                f"{line['n']:,}",
                estimate,
                ci,
                pvalue(line["pvalue"]),
                pvalue(line["pvalue_adjusted"]),
                _decision_in_subgroup(study, line),
            )
        )
    difference = with_unit(prose.advantage([measure]), written.unit)
    head = ("by", "", "A", "B", "rows", difference, _level(study), "p", "adjusted p", "")
    say_table(head, rows, _SUBGROUP_COLUMNS, [("p",), ("rows",)])
    say("", dim(paragraph(f"{capital(measure.title)} by subgroup: {_MEANING}")))


def _decision_in_subgroup(study: Study, line: Mapping[Hashable, Any]) -> str:
    """Say what is decided in a subgroup, or of an interaction."""
    decision = Decision(line["decision"])
    if decision is Decision.UNDECIDED:
        status = str(line["status"])
        return prose.WHY_UNDECIDED.get(status, status.replace("_", " "))
    if decision is Decision.A_BETTER:
        return f"{study.label(line['model_a'])} better"
    if decision is Decision.B_BETTER:
        return f"{study.label(line['model_b'])} better"
    if decision is Decision.DIFFERENT and line["role"] == INTERACTION:
        return "it differs"
    return prose.DECISIONS[decision]
