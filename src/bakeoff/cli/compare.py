"""`bakeoff compare`: predictions that are there already, compared at once."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.cli.terminal import bold, dim, paragraph, say, table
from bakeoff.compare import Comparison, Context, run_test
from bakeoff.compare.evidence import PairedPredictions
from bakeoff.data.columns import names
from bakeoff.data.given import check_same, rows_from
from bakeoff.data.given_file import USUAL, read_frame, read_given
from bakeoff.errors import UserError, unknown
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

_PLACE = ("models", "", "predictions")


class Given(NamedTuple):
    """Predictions side by side.

    Attributes
    ----------
    name : str
        What to call the rows.
    y_true : ndarray of str, shape (n,)
        True labels.
    predicted : Mapping of model to ndarray of str
        Predicted labels, in the same order of rows.
    """

    name: str
    y_true: NDArray[np.str_]
    predicted: Mapping[str, NDArray[np.str_]]


def run(args: argparse.Namespace) -> None:
    """Compare and print."""
    given = _one_table(args) if len(args.files) == 1 else _table_each(args)
    check_labels(given)
    study = make_study(given, args)
    verdict = answer(study)
    if args.json:
        say(json.dumps(as_json(study, verdict), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        show(study, verdict)


def _one_table(args: argparse.Namespace) -> Given:
    """Read one table that holds the true label and one column per model."""
    (path,) = args.files
    frame = read_frame(path, _PLACE)
    truth = _role("true", args.truth, "--truth", frame, path)
    if truth is None:
        raise UserError(
            f"{path!r}: which column holds the true labels? Say so with --truth; there are "
            f"{', '.join(map(str, frame.columns))}"
        )
    ids = _role("id", args.id, "--id", frame, path)
    rest = [c for c in frame.columns if c not in (truth, ids)]
    if args.models is not None:
        columns = list(dict.fromkeys(name.strip() for name in args.models.split(",")))
        for column in columns:
            if column not in rest:
                raise UserError(unknown("column in --models:", column, rest))
    else:  # `model:class` are probabilities in the tables that the workflow collects
        columns = [c for c in rest if c.rpartition(":")[0] not in rest]
    if len(columns) < 2:
        raise UserError(
            f"{path!r} has {count(len(columns), 'column')} of predictions beside the true labels "
            f"in {truth!r}; comparing needs two: add a column, or give one table per model"
        )
    if ids is not None and frame[ids].duplicated().any():
        twice = frame.loc[frame[ids].duplicated(), ids].iloc[0]
        raise UserError(f"{path!r}: ids must be unique, {twice} occurs twice or more")
    for column in (truth, *columns):
        missing = np.flatnonzero(frame[column].isna())
        if len(missing):
            raise UserError(
                f"{path!r}: {count(len(missing), 'row')} of {len(frame):,} without a value in "
                f"{column!r}; the first is row {missing[0] + 1}"
            )
    texts = {c: names(frame[c]).to_numpy(dtype=np.str_) for c in (truth, *columns)}
    return Given(Path(path).name, texts.pop(truth), texts)


def _table_each(args: argparse.Namespace) -> Given:
    """Read one table per model, paired by row id."""
    if args.models is not None:
        raise UserError("--models names columns of one table; of several tables each is a model")
    columns = GivenColumns.model_validate({"true": args.truth, "id": args.id})
    stems = [Path(path).name.split(".")[0] for path in args.files]
    labels = stems if len(set(stems)) == len(stems) else list(args.files)
    if len(set(labels)) < len(labels):
        raise UserError("the same file is given twice")
    without_truth = columns.model_copy(update={"true": None})
    files = {}
    for label, path in zip(labels, args.files, strict=True):
        frame = read_frame(path, _PLACE)
        if args.truth is None or args.truth in frame.columns:
            files[label] = read_given(path, columns, _PLACE)
        else:
            file = read_given(path, without_truth, _PLACE)
            files[label] = dataclasses.replace(file, true=None)
        if files[label].predicted is None:
            raise UserError(
                f"{path!r} has no column of predicted labels (looked for "
                f"{', '.join(USUAL['predicted'])})"
            )
    first = next((file for file in files.values() if file.true is not None), None)
    if first is None:
        raise UserError(
            "no table holds the true labels (looked for "
            f"{args.truth or ', '.join(USUAL['true'])}); say which column it is with --truth"
        )
    rows = rows_from(first)
    predicted = {}
    for label, file in files.items():
        position = check_same(rows, file, _PLACE)
        assert file.predicted is not None
        predicted[label] = file.predicted[position]
    return Given(f"{len(files)} files", rows.labels, predicted)


def _role(role: str, wanted: str | None, option: str, frame: pd.DataFrame, path: str) -> str | None:
    if wanted is not None:
        if wanted not in frame.columns:
            raise UserError(f"{path!r}: {unknown(f'column in {option}:', wanted, frame.columns)}")
        return wanted
    found = [usual for usual in USUAL[role] if usual in frame.columns]
    if len(found) > 1:
        raise UserError(f"{path!r} has {' and '.join(found)}: say with {option} which it is")
    return found[0] if found else None


def check_labels(given: Given) -> None:
    """Refuse columns that hold something else than labels: right or wrong, probabilities."""
    known = set(given.y_true.tolist())
    for model, predicted in given.predicted.items():
        found = dict.fromkeys(predicted.tolist())
        if known.isdisjoint(found):
            raise UserError(
                f"{model!r} holds none of the true labels ({_few(known)}), but {_few(found)}: "
                "predicted labels are wanted, not right/wrong or probabilities; with one table "
                "--models chooses the columns"
            )


def make_study(given: Given, args: argparse.Namespace) -> Study:
    """Test what the experiment of these models would, and gather what a report needs."""
    ids = _ids(list(given.predicted))
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
    rows = PairedPredictions.from_labels(
        list(ids.values()), given.y_true, list(given.predicted.values())
    )
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


def _experiment(given: Given, ids: Mapping[str, str], tests: Mapping[str, Any]) -> Experiment:
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


def _few(labels: Any) -> str:
    shown = sorted(labels)
    return ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
