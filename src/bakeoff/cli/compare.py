"""`bakeoff compare`: predictions that are there already, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from bakeoff.cli.terminal import bold, dim, say, table
from bakeoff.compare import Comparison, Context, check_classes, choose_tests, run_test
from bakeoff.compare.dependence import OPTION, robust
from bakeoff.compare.evidence import PairedPredictions
from bakeoff.data.predicted import Predicted, contradiction
from bakeoff.data.side_by_side import SideBySide, read_each, read_wide
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, fixed, interval, number, percent, pvalue, score
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.report.wrapping import paragraph
from bakeoff.spec import Experiment, load_experiment
from bakeoff.spec.given_models import GivenColumns
from bakeoff.stats import Evidence, catalogue

METRIC = "accuracy"
MOST_COUNTED = 10_000_000
"""Rows that --counts may stand for."""
MOST_MODELS = 10
"""With more models the table shows the comparisons of the best one alone."""

_OPTIONS = {
    "true": "--truth",
    "id": "--id",
    "predicted": "--predicted",
    "models": "--models",
    "group": "--groups",
    "time": "--time",
    "run": "--runs",
}
"""The option that a part of a problem's path stands for."""


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    try:
        given = read(args)
    except Problem as problem:
        option = _OPTIONS.get(str(problem.path[-1]))
        raise UserError(f"{option}: {problem.message}" if option else problem.message) from None
    study = make_study(given, args)
    verdict = answer(study)
    if args.json:
        say(json.dumps(as_json(study, verdict), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(study, verdict)
        notes(given)


def read(args: argparse.Namespace) -> SideBySide:
    """Read what the options name: one table of all models, or one of each."""
    keys = {"true": args.truth, "id": args.id, "predicted": args.predicted}
    columns = GivenColumns.model_validate({**keys, **_related(args)})
    if columns.group is not None and columns.time is not None:
        raise UserError("--groups and --time cannot be combined: keep one of them")
    if args.assume_independent and not any(_related(args).values()):
        raise UserError("--assume-independent: neither --groups, --time nor --runs names a column")
    how: dict[str, Any] = {
        "classes": _listed(args.classes) or (),
        "drop_unlabelled": args.missing_target == "drop",
    }
    if args.counts is not None:
        if args.files:
            raise UserError("--counts stands in place of files")
        return _renamed(_from_counts(args.counts), _listed(args.names))
    if not args.files:
        raise UserError("expected a file, or --counts; see `bakeoff compare --help`")
    if len(args.files) == 1:
        if args.predicted is not None:
            raise UserError("--predicted is for one table per model; --models chooses columns")
        found = read_wide(args.files[0], columns, models=_listed(args.models), **how)
    else:
        if args.models is not None:
            raise UserError(
                "--models names columns of one table; of several tables each is a model"
            )
        found = read_each(args.files, columns, **how)
    return _renamed(found, _listed(args.names))


def _related(args: argparse.Namespace) -> dict[str, str | None]:
    """Return the columns that say which rows belong together."""
    return {"group": args.groups, "time": args.time, "run": args.runs}


def _renamed(given: SideBySide, labels: Sequence[str] | None) -> SideBySide:
    if labels is None:
        return given
    if len(labels) != len(given.models) or len(set(labels)) < len(labels):
        raise UserError(
            f"--names: expected {len(given.models)} different names, for "
            f"{', '.join(given.models)}; found {', '.join(labels)}"
        )
    models = dict(zip(labels, given.models.values(), strict=True))
    return dataclasses.replace(given, models=models)


def _from_counts(text: str) -> SideBySide:
    """Make rows of two models from how many both, one or neither is right on."""
    found = text.split(",")
    if len(found) != 4 or not all(number.strip().isdecimal() for number in found):
        raise UserError(
            f"--counts: found {text!r}, expected four whole numbers: both right, only A right, "
            "only B right, both wrong; e.g. 329,22,17,63"
        )
    numbers = [int(number) for number in found]
    if not 0 < sum(numbers) <= MOST_COUNTED:
        raise UserError(f"--counts: expected 1 to {MOST_COUNTED:,} rows, found {sum(numbers):,}")
    a, b = (np.repeat(wrong, numbers) for wrong in ([0, 0, 1, 1], [0, 1, 0, 1]))
    models = {name: Predicted(codes, None) for name, codes in (("A", a), ("B", b))}
    truth = np.zeros(len(a), dtype=np.intp)
    return SideBySide("the counts", ("right", "wrong"), truth, models)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def notes(given: SideBySide) -> None:
    """Print what is odd about the predictions, though no mistake."""
    if given.left_out:
        say(dim(f"{count(given.left_out, 'row')} without a true label left out."))
    for model, found in given.models.items():
        if said := contradiction(model, found):
            say(dim(paragraph(said)))


def make_study(given: SideBySide, args: argparse.Namespace) -> Study:
    """Test what the experiment of these models would, and gather what a report needs."""
    ids = _ids(list(given.models))
    tests: dict[str, Any] = {
        "alpha": args.alpha,
        "correction": args.correction,
        "alternative": args.alternative,
        "run": ["mcnemar"] if len(ids) == 2 else ["cochran_q", "mcnemar"],
    }
    if args.variant is not None:
        tests["options"] = {"mcnemar": {"variant": args.variant}}
    costs = _costs(args.costs)
    if costs is not None:
        tests["run"].append("cost_sensitive")
    if args.versus is not None:
        if args.versus not in ids:
            raise UserError(unknown("model in --versus:", args.versus, ids))
        tests["versus"] = ids[args.versus]
    if args.assume_independent:
        for name in tests["run"]:
            tests.setdefault("options", {}).setdefault(name, {})[OPTION] = True
    columns = {key: name for key, name in _related(args).items() if name is not None}
    experiment = _experiment(given, ids, tests, costs, columns)
    codes = np.column_stack([found.codes for found in given.models.values()])
    rows = PairedPredictions(
        tuple(ids.values()),
        given.classes,
        given.truth,
        codes,
        groups=given.related.get("group"),
        times=given.related.get("time"),
    )
    context = Context("rows", "holdout", METRIC, True, experiment.tests)
    of_costs = dataclasses.replace(
        context, metric="cost", greater_is_better=False, costs=experiment.costs
    )
    known = catalogue()
    entries = [robust(known[test], experiment) for test in tests["run"]]
    comparisons = [
        comparison
        for entry in entries
        for comparison in run_test(
            entry, rows, of_costs if entry.evidence is Evidence.LABELS else context
        )
    ]
    scores = pd.DataFrame(
        {
            "dataset": "rows",
            "model": model,
            "plan": "holdout",
            "repeat": 1,
            "fold": 1,
            "n_train": np.nan,
            "n_test": rows.n,
            "metric": METRIC,
            "value": float(right),
            "undefined": "",
        }
        for model, right in zip(rows.models, rows.correct.mean(axis=0), strict=True)
    )
    return Study(experiment, tuple(comparisons), scores, pd.DataFrame(), {}, {"rows": rows})


def _experiment(
    given: SideBySide,
    ids: Mapping[str, str],
    tests: Mapping[str, Any],
    costs: Any,
    columns: Mapping[str, str],
) -> Experiment:
    own = {"predictions": given.name, "columns": dict(columns)}
    config = {
        "experiment": "compare",
        "datasets": {"rows": {"source": "given", "label": given.name}},
        "models": {i: {**own, "label": m} for m, i in ids.items()},
        "metrics": [METRIC, *(["cost"] if costs is not None else [])],
        "tests": dict(tests),
        **({"costs": costs} if costs is not None else {}),
    }
    try:
        experiment = load_experiment(config)
    except UserError as error:
        raise UserError(_as_options(str(error))) from None
    problems, _ = choose_tests(experiment)
    problems = [*problems, *check_classes(experiment, "rows", given.classes)]
    if problems:
        raise UserError("\n".join(_as_options(str(problem)) for problem in problems))
    return experiment


def _as_options(message: str) -> str:
    """Name the options, which are keys of the experiment here."""
    message = re.sub(r"^tests\.(?:options\.mcnemar\.)?(\w+)", r"--\1", message, flags=re.MULTILINE)
    return re.sub(r"^costs(\.\S+)?:", r"--costs:", message, flags=re.MULTILINE)


def _costs(path: str | None) -> Any:
    """Read what errors cost: `classes` and `matrix`, as in an experiment."""
    if path is None:
        return None
    try:
        found = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"--costs: {path!r} cannot be read: {reason}") from None
    return found.get("costs", found) if isinstance(found, Mapping) else found


def _ids(labels: Sequence[str]) -> dict[str, str]:
    """Map the names of columns or files, which may be any text, to ids."""
    return {label: f"model-{i}" for i, label in enumerate(labels, 1)}


def show(study: Study, verdict: Verdict) -> None:
    """Print the verdict, the models and the comparisons."""
    rows = study.test_sets["rows"]
    say("", bold(paragraph(verdict.headline)), *(paragraph(s) for s in verdict.sentences), "")
    lines = [
        (
            study.label(line.model),
            score(line.mean),
            interval(*line.ci) if line.ci else "",
            f"{round(line.mean * rows.n):,} of {rows.n:,}",
        )
        for line in ranking(study)
    ]
    level = percent(1 - study.alpha)
    say(*table(("model", "accuracy", f"{level} CI", "right"), lines, "lrrr"), "")
    for family in study.families:
        if family.role == "omnibus":
            row = family.rows[0]
            text = f"{family.entry.title}: {_statistic(row)}p = {pvalue(row.pvalue)}"
            say(f"  {text.replace('= <', '<').replace('= >', '>')}", "")
        elif not family.follows:
            _show_pairs(study, family)


def _show_pairs(study: Study, family: Family) -> None:
    order = [line.model for line in ranking(study)]
    lines: list[tuple[str, ...]] = []
    brief = len(order) > MOST_MODELS and study.experiment.tests.versus is None
    for i, a in enumerate(order[:1] if brief else order):
        for b in order[i + 1 :]:
            row = family.between(a, b)
            if row is None:
                continue
            details = row.result.get("details", {})
            only = details.get("only_a_correct", ""), details.get("only_b_correct", "")
            only_a, only_b = reversed(only) if family.turned(a, b) else only
            lines.append(
                (
                    study.label(a),
                    study.label(b),
                    *(f"{only:,}" if only != "" else "" for only in (only_a, only_b)),
                    fixed(row.estimate, 3),
                    interval(row.ci_low, row.ci_high),
                    pvalue(row.pvalue),
                    pvalue(row.pvalue_adjusted),
                    prose.decision(study, row),
                )
            )
    first = family.rows[0]
    difference = "B − A" if first.metric == "cost" else "A − B"
    names = ("A", "B", "only A right", "only B right", difference, prose.level_of(first), "p")
    head = [*names, "adjusted p", ""]
    adjusted = first.family_size > 1 and first.correction != "none"
    empty = [2, 3] if first.metric == "cost" else []
    shown = [i for i in range(9) if i not in empty and (adjusted or i != 7)]
    least = [*([("p",)] if adjusted else []), (head[2], head[3])]
    cells = [tuple(line[i] for i in shown) for line in lines]
    aligned = "".join("llrrrrrrl"[i] for i in shown)
    say(*table(tuple(head[i] for i in shown), cells, aligned, least), "")
    variant = {"midp": "mid-p"}.get(first.variant, first.variant)
    if brief:
        say(dim("Pairs without the best model are not shown; --json gives them."))
    how = f"{family.entry.title} ({variant}); {prose.correction(first)}"
    say(dim(paragraph(f"{how}; level {percent(first.alpha)}.")))


def _statistic(row: Comparison) -> str:
    if row.df is None:
        return f"Q = {number(row.statistic)}, "
    return f"Q({number(row.df)}) = {number(row.statistic)}, "


def as_json(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return everything as plain data, models by their own names."""
    own = {"": "", **{model: str(study.experiment.models[model].label) for model in study.models}}
    rows = study.test_sets["rows"]
    return {
        "rows": rows.n,
        "verdict": {
            "kind": verdict.kind.value,
            "headline": verdict.headline,
            "sentences": list(verdict.sentences),
        },
        "models": [
            {"model": own[model], "accuracy": float(right)}
            for model, right in zip(rows.models, rows.correct.mean(axis=0), strict=True)
        ],
        "comparisons": [
            {**row.to_dict(), "model_a": own[row.model_a], "model_b": own[row.model_b]}
            for row in study.comparisons
        ],
    }
