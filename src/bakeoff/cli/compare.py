"""`bakeoff compare`: predictions that are there already, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.cli.terminal import bold, dim, paragraph, say, table
from bakeoff.compare import Comparison, Context, run_test
from bakeoff.compare.evidence import PairedPredictions
from bakeoff.data.predicted import contradiction
from bakeoff.data.side_by_side import SideBySide, read_each, read_wide
from bakeoff.errors import Problem, UserError, unknown
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import count, fixed, interval, number, percent, pvalue, score
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict, answer
from bakeoff.spec import Experiment, load_experiment
from bakeoff.spec.given import GivenColumns
from bakeoff.stats import catalogue

METRIC = "accuracy"
MOST_MODELS = 10
"""With more models the table shows the comparisons of the best one alone."""

_OPTIONS = {
    "true": "--truth",
    "id": "--id",
    "predicted": "--predicted",
    "models": "--models",
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
    columns = GivenColumns.model_validate(keys)
    how: dict[str, Any] = {
        "classes": _listed(args.classes) or (),
        "drop_unlabelled": args.missing_target == "drop",
    }
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


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def notes(given: SideBySide) -> None:
    """Print what is odd about the predictions, though no mistake."""
    if given.left_out:
        say(dim(f"{count(given.left_out, 'row')} without a true label left out."))
    for model, found in given.models.items():
        if found.contradictions:
            say(dim(paragraph(contradiction(model, found))))


def make_study(given: SideBySide, args: argparse.Namespace) -> Study:
    """Test what the experiment of these models would, and gather what a report needs."""
    ids = _ids(list(given.models))
    tests: dict[str, Any] = {
        "alpha": args.alpha,
        "correction": args.correction,
        "run": ["mcnemar"] if len(ids) == 2 else ["cochran_q", "mcnemar"],
    }
    if args.versus is not None:
        if args.versus not in ids:
            raise UserError(unknown("model in --versus:", args.versus, ids))
        tests["versus"] = ids[args.versus]
    experiment = _experiment(given, ids, tests)
    codes = np.column_stack([found.codes for found in given.models.values()])
    rows = PairedPredictions(tuple(ids.values()), given.classes, given.truth, codes)
    context = Context("rows", "holdout", METRIC, True, experiment.tests)
    known = catalogue()
    comparisons = [c for test in tests["run"] for c in run_test(known[test], rows, context)]
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


def _experiment(given: SideBySide, ids: Mapping[str, str], tests: Mapping[str, Any]) -> Experiment:
    try:
        return load_experiment(
            {
                "experiment": "compare",
                "datasets": {"rows": {"source": "given", "label": given.name}},
                "models": {i: {"predictions": given.name, "label": m} for m, i in ids.items()},
                "metrics": [METRIC],
                "tests": dict(tests),
            }
        )
    except UserError as error:  # the options are keys of `tests:` here
        raise UserError(re.sub(r"^tests\.(\w+)", r"--\1", str(error), flags=re.MULTILINE)) from None


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
                    f"{only_a:,}",
                    f"{only_b:,}",
                    fixed(row.estimate, 3),
                    interval(row.ci_low, row.ci_high),
                    pvalue(row.pvalue),
                    pvalue(row.pvalue_adjusted),
                    prose.decision(study, row),
                )
            )
    first = family.rows[0]
    head = ("A", "B", "only A right", "only B right", "A − B", prose.level_of(first), "p")
    adjusted = first.family_size > 1 and first.correction != "none"
    if not adjusted:
        lines = [(*line[:7], line[8]) for line in lines]
    head = (*head, *(("adjusted p",) if adjusted else ()), "")
    least = (*(["p"] if adjusted else []), "only A right", "only B right")
    say(*table(head, lines, "llrrrrrr" if adjusted else "llrrrrr", least), "")
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
