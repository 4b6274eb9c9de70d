"""`bakeoff init`: a commented experiment from a table, or a folder with an example; both run."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml
from pandas.api.types import is_float_dtype, is_numeric_dtype

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
from bakeoff.sources.common.formats import without_endings
from bakeoff.sources.common.identifiers import names
from bakeoff.spec import load_experiment

FEWEST = 4
"""Rows of a class: two in each half of each replication."""
IMBALANCED = 0.4
"""Below this share of an even class's rows, accuracy says little of the rarest class."""
_MOST_NUMBERED = 10
"""Whole numbers of which more are different may be a quantity."""
_ROUNDING = 1e-9
"""By how much a correlation of 1 may miss it."""
_FEWEST_TEXTS = 20
"""Rows of which different texts are no categories."""
_FEWEST_TESTED = 7
"""Rows of a class, for 30% test rows to hold two."""
_MOST_COLUMNS = 50
"""Columns that a message lists."""
_MOST_CLASSES = 6
"""Classes whose rows the file lists."""
_KEYS_OF_FILES = ("format", "encoding", "missing_values")
_TEST_SIZE = 0.3
_TEST_SIZE_OF_FEW = 0.5
"""The share of test rows where a class has few."""
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
        return list(self.kept_counts)

    @property
    def kept_counts(self) -> dict[str, int]:
        """The rows of these classes."""
        return {name: rows for name, rows in self.counts.items() if rows >= FEWEST}

    @property
    def share_of_rarest(self) -> float:
        """Which share of the rows the rarest of these classes has."""
        rows = self.kept_counts.values()
        return min(rows) / sum(rows)

    @property
    def is_imbalanced(self) -> bool:
        """Whether accuracy says little of the rarest class."""
        return self.share_of_rarest < IMBALANCED / len(self.kept_counts)


# --- what the columns are


def look(frame: pd.DataFrame, target: str, task: str | None = None) -> Guess:
    """Guess what the columns are."""
    labels = frame[target].dropna()
    if is_nested(labels):
        raise UserError(f"{target!r} holds lists or mappings, not one class in each row")
    if labels.empty:
        raise UserError(f"every value of {target!r} is missing: nothing to predict")
    numbers = task == "regression" or (task is None and looks_like_a_quantity(labels))
    if numbers:
        if not is_numeric_dtype(labels.dtype):
            raise UserError(f"task: {target!r} holds texts, which are classes and no numbers")
        counts = {}
        range_of_numbers = f"{number(labels.min())} to {number(labels.max())}"
    else:
        counts = _counted_classes(labels, target, ask=task is None)
        range_of_numbers = ""
    roles = _roles(frame, target, numbers=numbers)
    dates = _dates(frame, [target, roles.id, roles.groups])
    guess = Guess(
        counts=counts,
        unlabelled=int(frame[target].isna().sum()),
        id=roles.id,
        groups=roles.groups,
        drop=roles.drop | dict.fromkeys(dates, "a date, which orders the rows: see `time`"),
        dates=dates,
        numbers=range_of_numbers,
    )
    if not numbers:
        _check_two_classes(guess, target)
    return guess


def _check_two_classes(guess: Guess, target: str) -> None:
    """Refuse a target of which fewer than two classes can be divided."""
    if len(guess.kept) >= 2:
        return
    unlabelled = ""
    if guess.unlabelled:
        unlabelled = f", and {count(guess.unlabelled, 'row')} without a label"
    raise UserError(
        f"{target!r} has {count(len(guess.kept), 'class', 'classes')} with {FEWEST} rows or "
        f"more{unlabelled}; comparing classifiers needs two"
    )


def _counted_classes(labels: pd.Series[Any], target: str, *, ask: bool) -> dict[str, int]:
    """Count the rows of each class; ask of whole numbers whether they are classes."""
    counts = names(labels).value_counts()
    # before rare classes are left out, some of which may be spellings of others
    spellings = unclear_spellings(sorted(map(str, counts.index)))
    if spellings:
        raise UserError(f"target: {spelling_advice(target, spellings, counted(labels))}")
    if ask and is_numeric_dtype(labels.dtype) and len(counts) > _MOST_NUMBERED:
        raise UserError(
            f"task: {target!r} has {len(counts)} different whole numbers: are they to be predicted "
            "as a quantity (--task regression), or are they classes (--task classification)?"
        )
    return {str(name): int(number_of_rows) for name, number_of_rows in counts.items()}


class Roles(NamedTuple):
    """The columns that are no features, as far as one column tells it."""

    id: str | None
    groups: str | None
    drop: dict[str, str]
    """Columns to exclude from the features, each with the reason."""


def _roles(frame: pd.DataFrame, target: str, *, numbers: bool) -> Roles:
    """Find the columns of ids and groups, and columns to exclude from the features."""
    id_column = None
    groups = None
    drop = {}
    for column in frame.columns:
        if column == target:
            continue
        values = frame[column]
        if is_nested(values):
            drop[column] = "lists or mappings, not one value in each row"
            continue
        n_values = values.nunique()
        if id_column is None and n_values == len(values) and _is_like_an_id(values, column):
            id_column = column
            continue
        reason = _reason_to_drop(values, column, n_values)
        if reason:
            drop[column] = reason
        elif why_groups(values, column) == NAMED:
            # one column says what belongs together; ids beside it are no features either
            if groups is None:
                groups = column
            else:
                drop[column] = "an id that repeats, like `groups`"
        elif _says(values, frame[target], numbers=numbers):
            drop[column] = f"says what {target} is"
    return Roles(id_column, groups, drop)


def _reason_to_drop(values: pd.Series[Any], column: str, n_values: int) -> str:
    """Say why a column teaches nothing, by its own values; empty where it may teach something."""
    like_an_id = _is_like_an_id(values, column)
    if n_values == len(values) and (like_an_id or _is_free_text(values)):
        return "a different value in every row, like an id"
    if n_values <= 1:
        return "the same value in every row"
    if like_an_id and is_running_number(values, column):
        return "a running number"
    return ""


def _is_like_an_id(values: pd.Series[Any], column: str) -> bool:
    """Tell whether a column is called like an id, and may be one."""
    return bool(LIKE_AN_ID.search(column)) and not is_float_dtype(values)


def _is_free_text(values: pd.Series[Any]) -> bool:
    """Tell whether a column holds texts, of enough rows to say that they are no categories."""
    if is_numeric_dtype(values) or len(values) < _FEWEST_TEXTS:
        return False
    return not numbers_as_texts(values)


def _dates(frame: pd.DataFrame, other_roles: Sequence[str | None]) -> dict[str, Sequence[str]]:
    """Find the columns of dates, and in which formats each may be written."""
    dates: dict[str, Sequence[str]] = {}
    for column in frame.columns:
        if column in other_roles or is_nested(frame[column]):
            continue
        formats = date_formats(frame[column])
        if formats or is_date(frame[column]):
            dates[column] = formats
    return dates


def _says(values: pd.Series[Any], labels: pd.Series[Any], *, numbers: bool) -> bool:
    """Tell whether a column is the target in another unit, or with other names of the classes."""
    # another unit of a quantity correlates with it by 1 or −1
    if numbers:
        return is_numeric_dtype(values) and abs(values.corr(labels)) > 1 - _ROUNDING
    if values.nunique() != labels.nunique():
        return False
    pairs = pd.DataFrame({"value": values, "label": labels}).dropna().drop_duplicates()
    return len(pairs) == pairs["value"].nunique() == pairs["label"].nunique()


# --- the command


def init(args: argparse.Namespace) -> None:
    """Write an experiment, or lay out a folder."""
    if args.folder is not None:
        if args.data is not None or args.target or args.task or args.output:
            raise UserError("folder: an example is laid out; leave the table and its options out")
        _lay_out(Path(args.folder))
        return
    if args.data is None:
        raise UserError("give a table and its --target, or for a folder with an example --folder")
    settings = without_none({key: getattr(args, key) for key in _KEYS_OF_FILES})
    frame, keys = open_table.guess(args.data, args.target or "", settings)
    if args.target is None:
        columns = some(map(str, frame.columns), _MOST_COLUMNS)
        raise UserError(f"target: which column is to be predicted? {args.data} has {columns}")
    if args.target not in frame.columns:
        raise UserError(f"target: {unknown('column', args.target, frame.columns)}")
    guess = look(frame, args.target, args.task)
    output = _output(args)
    name = _slug(args.data)
    if args.output and output != "-":
        name = _slug(output)
    text = _experiment(args.data, args.target, name, guess, keys)
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


def _output(args: argparse.Namespace) -> str:
    """Return where the experiment is written to; - prints it."""
    if args.output:
        output: str = args.output[-1]
    else:
        folder = ""
        if Path("config").is_dir():
            folder = "config/"
        output = f"{folder}{_slug(args.data)}.yaml"
    if output != "-":
        outputs([output], [args.data])
        if Path(output).exists():
            raise UserError(f"{output} is there already: choose another --output")
    return output


def _experiment(data: str, target: str, name: str, guess: Guess, keys: Mapping[str, Any]) -> str:
    """Write the experiment, without groups that are too few or too uneven to be divided."""
    text = _text(_lines(data, target, name, guess, keys))
    problems = _problems(text)
    if problems and guess.groups is not None:
        drop = {**guess.drop, guess.groups: "an id that repeats: see `groups`"}
        guess = guess._replace(groups=None, drop=drop)
        text = _text(_lines(data, target, name, guess, keys))
        problems = _problems(text)
    if problems:
        needs = f"{data} needs a look before it can be an experiment:"
        raise UserError("\n".join([needs, *problems]))
    return text


def _text(lines: Iterable[str]) -> str:
    """Join lines, without what a terminal would obey."""
    return "".join(f"{escaped(line)}\n" for line in lines)


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
            name = file.name
            if name == "gitignore":
                name = ".gitignore"
            write_text(folder / name, text)
    except OSError as error:
        raise UserError(f"folder: {folder} cannot be made: {error.strerror}") from None
    say(f"{folder}/ is ready: cd {folder} && bakeoff run experiment.yaml")


# --- the experiment file


def _lines(
    data: str, target: str, name: str, guess: Guess, keys: Mapping[str, Any]
) -> Iterator[str]:
    """Compose the lines of the experiment file."""
    design = _design(guess)
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
        mark = "  # guessed"
        if key == "format":
            mark = ""
        yield f"    {key}: {json.dumps(value, ensure_ascii=False)}{mark}"
    yield f"    target: {_scalar(target)}"
    yield from _lines_of_columns(guess)
    if guess.unlabelled:
        yield f"    missing_target: drop  # {count(guess.unlabelled, 'row')} without a label"
    if guess.numbers:
        yield f"    # numbers: {guess.numbers}"
        yield "    # unit: kg  # what they are measured in"
    else:
        yield from _lines_of_classes(guess)
    if guess.drop:
        yield "    drop:  # guessed"
    for column, reason in guess.drop.items():
        yield f"      - {_scalar(column)}  # {reason}".replace("\n", " ")
    yield "models:"
    yield from design.models.splitlines()
    yield "resampling:"
    yield f"  {design.plan}"
    yield f"  holdout: {{test_size: {design.test_size}}}  # about the models fitted once"
    yield f"metrics: [{', '.join(design.metrics)}]  # the first one ranks the models"
    if not guess.numbers and guess.is_imbalanced:
        share = f"{percent(round(guess.share_of_rarest, 3))} of the rows are of the rarest class"
        yield f"# {share}: accuracy would say little of it"
    yield "tests:"
    yield "  alpha: 0.05"
    yield "  run: [recommended]  # `bakeoff tests` lists what can be named beside it"


def _lines_of_columns(guess: Guess) -> Iterator[str]:
    """Compose the lines on ids, groups and dates."""
    if guess.id is not None:
        yield f"    id: {_scalar(guess.id)}  # guessed: unique"
    if guess.groups is not None:
        yield f"    groups: {_scalar(guess.groups)}  # guessed: an id that repeats"
    if any(guess.dates.values()):
        yield "    dates:  # guessed"
    for column, formats in guess.dates.items():
        if formats:
            others = ""
            if len(formats) > 1:
                others = f"  # or {' or '.join(formats[1:])}"
            yield f"      {_scalar(column)}: {json.dumps(formats[0])}{others}"
    for column in guess.dates:
        yield f"    # time: {_scalar(column)}  # to train on the past, test on what follows"


def _lines_of_classes(guess: Guess) -> Iterator[str]:
    """Compose the lines on the classes: how many rows each has, and which one is positive."""
    shown = []
    for name, rows in islice(guess.counts.items(), _MOST_CLASSES):
        shown.append(f"{name} {rows:,}")
    if len(guess.counts) > _MOST_CLASSES:
        shown.append("…")
    yield f"    # classes: {', '.join(shown)}".replace("\n", " ")
    if len(guess.kept) < len(guess.counts):
        kept = ", ".join(map(_scalar, guess.kept))
        yield f"    classes: [{kept}]  # the others have fewer than {FEWEST} rows"
    if len(guess.kept) == 2:
        positive, why = positive_of(guess.kept_counts)
        yield f"    positive: {_scalar(positive)}  # guessed: {why}"


class Design(NamedTuple):
    """What an experiment does with its data."""

    models: str
    plan: str
    test_size: float
    metrics: list[str]


def _design(guess: Guess) -> Design:
    """Return the design for a target of numbers, or of classes."""
    if guess.numbers:
        return Design(
            models=_MODELS.format(first=_RIDGE, kind="Regressor", svm="SVR"),
            plan="halves: {repeats: 10}  # cross-validation in random halves: about the algorithms",
            test_size=_TEST_SIZE,
            metrics=["rmse", "mae", "r2"],
        )
    test_size = _TEST_SIZE
    if min(guess.kept_counts.values()) < _FEWEST_TESTED:
        test_size = _TEST_SIZE_OF_FEW
    return Design(
        models=_MODELS.format(first=_LOGISTIC, kind="Classifier", svm="SVC"),
        plan="cv_5x2: {}  # five replications of 2-fold cross-validation: about the algorithms",
        test_size=test_size,
        metrics=_metrics(guess),
    )


def _metrics(guess: Guess) -> list[str]:
    """Choose metrics by the number of classes, and by how even they are."""
    nearly_all_in_one = rare_share(guess.kept_counts) <= RARE
    if len(guess.kept) == 2:
        if nearly_all_in_one:
            return ["roc_auc", "average_precision", "balanced_accuracy", "mcc"]
        if guess.is_imbalanced:
            return ["balanced_accuracy", "average_precision", "roc_auc", "mcc"]
        return ["accuracy", "balanced_accuracy", "f1", "roc_auc"]
    # of rows in groups the test on folds is too lenient by log loss
    of_probabilities = "roc_auc_ovr"
    if guess.groups is None:
        of_probabilities = "log_loss"
    if nearly_all_in_one:
        return [of_probabilities, "balanced_accuracy", "f1_macro", "mcc"]
    first = "accuracy"
    if guess.is_imbalanced:
        first = "balanced_accuracy"
    return [first, "f1_macro", "mcc", of_probabilities]


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
    """Make an id of the name of a file."""
    name = Path(file).name
    stem = without_endings(name)
    if stem == name:  # of a format that is not known by its ending
        stem = Path(name).stem
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower())
    return slug.strip("-")[:60].strip("-") or "experiment"
