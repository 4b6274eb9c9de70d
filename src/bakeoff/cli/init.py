"""`bakeoff init`: a commented experiment from a table, or a folder with an example; both run."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from bakeoff import __version__
from bakeoff.api.build_study import without_none
from bakeoff.cli.check import show_columns, show_undeclared
from bakeoff.cli.terminal import outputs, say
from bakeoff.data import open_table
from bakeoff.data.describe import (
    LIKE_AN_ID,
    NAMED,
    date_formats,
    is_date,
    is_nested,
    is_running_number,
    numbers_as_texts,
    why_groups,
)
from bakeoff.data.given_predictions import load
from bakeoff.data.target import (
    counted,
    looks_like_a_quantity,
    positive_of,
    spelling_advice,
    unclear_spellings,
)
from bakeoff.errors import UserError, escaped, some, unknown
from bakeoff.files import write_text
from bakeoff.preflight import check_experiment
from bakeoff.report.numbers import count, number, percent
from bakeoff.report.rare_classes import RARE, rare_share
from bakeoff.sources.common.identifiers import names
from bakeoff.spec import load_experiment

FEWEST = 4
"""Rows of a class: two in each half of each replication."""
IMBALANCED = 0.4
"""Below this share of an even class's rows, accuracy says little of the rarest class."""

_MOST_NUMBERED = 10
"""Whole numbers of which more are different may be a quantity."""
_ROUNDING = 1e-9


class Guess(NamedTuple):
    """The guessed contents of a table."""

    counts: Mapping[str, int]
    unlabelled: int
    id: str | None
    groups: str | None
    drop: Mapping[str, str]
    dates: Mapping[str, Sequence[str]]
    """Columns of dates, with the formats in which they may be written where not like 2024-05-31."""
    numbers: str = ""

    @property
    def kept(self) -> list[str]:
        """The classes with enough rows to be divided."""
        return [name for name, n in self.counts.items() if n >= FEWEST]


def look(frame: pd.DataFrame, target: str, task: str | None = None) -> Guess:
    """Guess what the columns are."""
    labels = frame[target].dropna()
    if is_nested(labels):
        raise UserError(f"{target!r} holds lists or mappings, not one class in each row")
    if labels.empty:
        raise UserError(f"every value of {target!r} is missing: nothing to predict")
    counts = names(labels).value_counts()
    numbers = task == "regression" or (task is None and looks_like_a_quantity(labels))
    # before rare classes are left out, some of which may be spellings of others
    spellings = [] if numbers else unclear_spellings(sorted(map(str, counts.index)))
    if spellings:
        raise UserError(f"target: {spelling_advice(target, spellings, counted(labels))}")
    if numbers and not pd.api.types.is_numeric_dtype(labels.dtype):
        raise UserError(f"task: {target!r} holds texts, which are classes and no numbers")
    whole = task is None and not numbers and pd.api.types.is_numeric_dtype(labels.dtype)
    if whole and len(counts) > _MOST_NUMBERED:
        raise UserError(
            f"task: {target!r} has {len(counts)} different whole numbers: are they to be predicted "
            "as a quantity (--task regression), or are they classes (--task classification)?"
        )
    id_column, groups, drop = _columns(frame, target, numbers=numbers)
    kept = [c for c in frame.columns if c not in (target, id_column, groups)]
    dates = {c: date_formats(frame[c]) for c in kept if not is_nested(frame[c])}
    dates = {c: formats for c, formats in dates.items() if formats or is_date(frame[c])}
    guess = Guess(
        {} if numbers else {str(name): int(n) for name, n in counts.items()},
        int(frame[target].isna().sum()),
        id_column,
        groups,
        drop | dict.fromkeys(dates, "a date, which orders the rows: see `time`"),
        dates,
        f"{number(labels.min())} to {number(labels.max())}" if numbers else "",
    )
    if not numbers and len(guess.kept) < 2:
        missing = f", and {count(guess.unlabelled, 'row')} without a label" * bool(guess.unlabelled)
        raise UserError(
            f"{target!r} has {count(len(guess.kept), 'class', 'classes')} with {FEWEST} rows or "
            f"more{missing}; comparing classifiers needs two"
        )
    return guess


def _columns(
    frame: pd.DataFrame, target: str, *, numbers: bool
) -> tuple[str | None, str | None, dict[str, str]]:
    """Find the columns of ids and groups, and columns to exclude from the features."""
    id_column = groups = None
    drop: dict[str, str] = {}
    for column in (c for c in frame.columns if c != target):
        values = frame[column]
        if is_nested(values):
            drop[column] = "lists or mappings, not one value in each row"
            continue
        distinct = values.nunique()
        unique = distinct == len(values)
        like_an_id = bool(LIKE_AN_ID.search(column)) and not pd.api.types.is_float_dtype(values)
        like_any_text = not pd.api.types.is_numeric_dtype(values) and len(values) >= 20
        like_any_text = like_any_text and not numbers_as_texts(values)
        if unique and like_an_id and id_column is None:
            id_column = column
        elif unique and (like_an_id or like_any_text):
            drop[column] = "a different value in every row, like an id"
        elif distinct <= 1:
            drop[column] = "the same value in every row"
        elif like_an_id and is_running_number(values, column):
            drop[column] = "a running number"
        elif why_groups(values, column) == NAMED:
            if groups is None:
                groups = column
            else:
                drop[column] = "an id that repeats, like `groups`"
        elif _says(values, frame[target], numbers=numbers):
            drop[column] = f"says what {target} is"
    return id_column, groups, drop


def _says(values: pd.Series[Any], labels: pd.Series[Any], *, numbers: bool) -> bool:
    """Tell whether a column is the target in another unit, or with other names of the classes."""
    if numbers:
        return pd.api.types.is_numeric_dtype(values) and abs(values.corr(labels)) > 1 - _ROUNDING
    if values.nunique() != labels.nunique():
        return False
    pairs = pd.DataFrame({"value": values, "label": labels}).dropna().drop_duplicates()
    return len(pairs) == pairs["value"].nunique() == pairs["label"].nunique()


_MOST_COLUMNS = 50  # that a message lists
_FEWEST_TESTED = 7  # rows of a class, for 30% test rows to hold two
_RIDGE = "ridge:\n    estimator: sklearn.linear_model.Ridge"
_LOGISTIC = (
    "logistic:\n    estimator: sklearn.linear_model.LogisticRegression\n"
    "    params: {max_iter: 2000}"
)
_MODELS = """\
  {first}
  forest:
    estimator: sklearn.ensemble.RandomForest{kind}
    params: {{n_estimators: 300}}
  boosting:
    estimator: sklearn.ensemble.HistGradientBoosting{kind}
  # a model with its parameters tuned inside each training part:
  # svm:
  #   estimator: sklearn.svm.{svm}
  #   tune: {{search: grid, space: {{C: [0.1, 1, 10]}}}}
  # a model that was trained elsewhere, by its predictions on the test rows:
  # network: {{predictions: network.csv}}
"""


def init(args: argparse.Namespace) -> None:
    """Write an experiment, or lay out a folder."""
    if args.folder is not None:
        if args.data is not None or args.target or args.task or args.output:
            raise UserError("folder: an example is laid out; leave the table and its options out")
        _lay_out(Path(args.folder))
        return
    if args.data is None:
        raise UserError("give a table and its --target, or for a folder with an example --folder")
    keys_of_files = ("format", "encoding", "missing_values")
    settings = without_none({key: getattr(args, key) for key in keys_of_files})
    if args.target is None:
        frame, _ = open_table.guess(args.data, "", settings)
        columns = some(map(str, frame.columns), _MOST_COLUMNS)
        raise UserError(f"target: which column is to be predicted? {args.data} has {columns}")
    frame, keys = open_table.guess(args.data, args.target, settings)
    if args.target not in frame.columns:
        raise UserError(f"target: {unknown('column', args.target, frame.columns)}")
    guess = look(frame, args.target, args.task)
    folder = "config/" if Path("config").is_dir() else ""
    output = args.output[-1] if args.output else f"{folder}{_slug(args.data)}.yaml"
    if output != "-":
        outputs([output], [args.data])
        if Path(output).exists():
            raise UserError(f"{output} is there already: choose another --output")
    name = _slug(output if args.output and output != "-" else args.data)

    def written(guess: Guess) -> str:
        lines = _lines(args.data, args.target, name, guess, keys)
        return "".join(f"{escaped(line)}\n" for line in lines)

    text = written(guess)
    if guess.groups is not None and _problems(text):  # too few or too uneven to be divided
        drop = {**guess.drop, guess.groups: "an id that repeats: see `groups`"}
        text = written(guess._replace(groups=None, drop=drop))
    if problems := _problems(text):
        look_at = f"{args.data} needs a look before it can be an experiment:"
        raise UserError("\n".join([look_at, *problems]))
    if output == "-":
        say(text.rstrip())
        return
    write_text(output, text)
    say(f"{output} is written; what was guessed is marked in it.", "")
    experiment = load_experiment(yaml.safe_load(text))
    tables = {name: load(name, experiment) for name in experiment.datasets}
    show_columns(tables)
    show_undeclared(experiment, tables)
    say("next:", f"  bakeoff check {output}", f"  bakeoff run {output}")


def _lay_out(folder: Path) -> None:
    """Fill a folder: an experiment that runs, a place for data, how to rerun."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"folder: {folder} is not empty; give one that is not there yet")
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "data/.gitkeep").touch()
        for file in files("bakeoff.cli").joinpath("new_study").iterdir():
            text = file.read_text(encoding="utf-8").replace("{version}", __version__)
            # the package's own file must not be one to git
            name = ".gitignore" if file.name == "gitignore" else file.name
            write_text(folder / name, text)
    except OSError as error:
        raise UserError(f"folder: {folder} cannot be made: {error.strerror}") from None
    say(f"{folder}/ is ready: cd {folder} && bakeoff run experiment.yaml")


def _lines(
    data: str, target: str, name: str, guess: Guess, keys: Mapping[str, Any]
) -> Iterator[str]:
    """Compose the lines of the experiment file."""
    yield "# Written by `bakeoff init`; what it guessed is marked."
    yield f"experiment: {_scalar(name)}"
    if guess.numbers:
        yield "task: regression  # numbers are predicted"
    yield "seed: 1  # every random number comes from it"
    yield "datasets:"
    yield f"  {_scalar(_slug(data))}:"
    yield "    source: file"
    yield f"    path: {_scalar(data)}"
    for key, value in keys.items():
        mark = "" if key == "format" else "  # guessed"
        yield f"    {key}: {json.dumps(value, ensure_ascii=False)}{mark}"
    yield f"    target: {_scalar(target)}"
    if guess.id is not None:
        yield f"    id: {_scalar(guess.id)}  # guessed: unique"
    if guess.groups is not None:
        yield f"    groups: {_scalar(guess.groups)}  # guessed: an id that repeats"
    if any(guess.dates.values()):
        yield "    dates:  # guessed"
    for column, formats in guess.dates.items():
        if formats:
            other = f"  # or {' or '.join(formats[1:])}" if formats[1:] else ""
            yield f"      {_scalar(column)}: {json.dumps(formats[0])}{other}"
    for column in guess.dates:
        yield f"    # time: {_scalar(column)}  # to train on the past, test on what follows"
    if guess.unlabelled:
        yield f"    missing_target: drop  # {count(guess.unlabelled, 'row')} without a label"
    models = {"first": _LOGISTIC, "kind": "Classifier", "svm": "SVC"}
    if guess.numbers:
        models = {"first": _RIDGE, "kind": "Regressor", "svm": "SVR"}
        size, metrics = 0.3, ["rmse", "mae", "r2"]
        plan = "halves: {repeats: 10}  # cross-validation in random halves: about the algorithms"
        yield f"    # numbers: {guess.numbers}"
        yield "    # unit: kg  # what they are measured in"
    else:
        kept_counts = {name: guess.counts[name] for name in guess.kept}
        rarest = min(kept_counts.values())
        share = rarest / sum(kept_counts.values())
        imbalanced = share < IMBALANCED / len(kept_counts)
        size = 0.3 if rarest >= _FEWEST_TESTED else 0.5
        plan = "cv_5x2: {}  # five replications of 2-fold cross-validation: about the algorithms"
        nearly_all = rare_share(kept_counts) <= RARE  # of the rows are of one class
        first = "balanced_accuracy" if imbalanced else "accuracy"
        # of rows in groups the test on folds is too lenient by log loss
        of_probabilities = "log_loss" if guess.groups is None else "roc_auc_ovr"
        metrics = [first, "f1_macro", "mcc", of_probabilities]
        if nearly_all:
            metrics = [of_probabilities, "balanced_accuracy", "f1_macro", "mcc"]
        shares = ", ".join(f"{c} {n:,}" for c, n in list(guess.counts.items())[:6])
        yield f"    # classes: {shares}{', …' if len(guess.counts) > 6 else ''}".replace("\n", " ")
        if len(guess.kept) < len(guess.counts):
            kept = ", ".join(map(_scalar, guess.kept))
            yield f"    classes: [{kept}]  # the others have fewer than {FEWEST} rows"
        if len(guess.kept) == 2:
            metrics = ["accuracy", "balanced_accuracy", "f1", "roc_auc"]
            if imbalanced:
                metrics = ["balanced_accuracy", "average_precision", "roc_auc", "mcc"]
            if nearly_all:
                metrics = ["roc_auc", "average_precision", "balanced_accuracy", "mcc"]
            positive, why = positive_of(kept_counts)
            yield f"    positive: {_scalar(positive)}  # guessed: {why}"
    if guess.drop:
        yield "    drop:  # guessed"
    for column, reason in guess.drop.items():
        yield f"      - {_scalar(column)}  # {reason}".replace("\n", " ")
    yield "models:"
    yield from _MODELS.format_map(models).splitlines()
    yield "resampling:"
    yield f"  {plan}"
    yield f"  holdout: {{test_size: {size}}}  # about the models fitted once"
    yield f"metrics: [{', '.join(metrics)}]  # the first one ranks the models"
    if not guess.numbers and imbalanced:
        rare = f"# {percent(round(share, 3))} of the rows are of the rarest class"
        yield f"{rare}: accuracy would say little of it"
    yield "tests:"
    yield "  alpha: 0.05"
    yield "  run: [recommended]  # `bakeoff tests` lists what can be named beside it"


def _problems(text: str) -> list[str]:
    """Say why the experiment would not run as it is."""
    try:
        problems, _ = check_experiment(load_experiment(yaml.safe_load(text)))
    except UserError as error:
        return [str(error)]
    return [str(problem) for problem in problems]


def _scalar(value: str) -> str:
    """Write a text as YAML, so that it is read as the same text anywhere."""
    dumped: str = yaml.safe_dump([value], default_flow_style=True, width=10**6, allow_unicode=True)
    return dumped.strip()[1:-1]


def _slug(file: str) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", Path(file).name.split(".")[0].lower())
    return stem.strip("-")[:60].strip("-") or "experiment"
