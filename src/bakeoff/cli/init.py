"""`bakeoff init`: a commented experiment from a table and its target, that runs as it is."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from bakeoff.check import check_experiment
from bakeoff.cli.terminal import paragraph, say
from bakeoff.data.columns import names
from bakeoff.data.prediction_table import read_frame, separator_of
from bakeoff.errors import UserError, unknown
from bakeoff.files import write_text
from bakeoff.report.numbers import count, percent
from bakeoff.schema import PATH
from bakeoff.spec import load_experiment

IMBALANCED = 0.2
"""Below this share of the rarest class, accuracy says little."""

_FEWEST = 4  # rows of a class: two in each half of each replication
_FEWEST_TESTED = 7  # rows of a class, for 30% test rows to hold two
_LIKE_AN_ID = re.compile(
    r"(?i:(^|[_\W])(id|ids|key|uuid|guid|index|row|rownum|nr|no|number)$|^unnamed)"
    r"|(?<=[a-z])(Id|ID|IDs|Key|UUID|Number|No|Nr|Index)$"
)
_MOST_SAID = 5
_MODELS = """\
  logistic:
    estimator: sklearn.linear_model.LogisticRegression
    params: {max_iter: 2000}
  forest:
    estimator: sklearn.ensemble.RandomForestClassifier
    params: {n_estimators: 300}
  boosting:
    estimator: sklearn.ensemble.HistGradientBoostingClassifier
  # a model with its parameters tuned inside each training part:
  # svm:
  #   estimator: sklearn.svm.SVC
  #   tune: {search: grid, space: {C: [0.1, 1, 10]}}
  # a model that was trained elsewhere, by its predictions on the test rows:
  # network: {predictions: network.csv}
"""


class Guess(NamedTuple):
    """What a table seems to hold.

    Attributes
    ----------
    counts : Mapping of class to int
        Rows per class, the most frequent first.
    unlabelled : int
        Rows without a label.
    id : str or None
        The column of row ids.
    drop : Mapping of column to str
        Columns that no model should see, and why.
    """

    counts: Mapping[str, int]
    unlabelled: int
    id: str | None
    drop: Mapping[str, str]

    @property
    def kept(self) -> list[str]:
        """The classes with enough rows to be divided."""
        return [name for name, n in self.counts.items() if n >= _FEWEST]

    @property
    def rarest(self) -> int:
        """Rows of the rarest class that is kept."""
        return min(self.counts[name] for name in self.kept)

    @property
    def imbalanced(self) -> bool:
        """Whether the rarest class is so rare that accuracy says little."""
        return self.rarest < IMBALANCED * sum(self.counts[name] for name in self.kept)


def run(args: argparse.Namespace) -> None:
    """Write an experiment."""
    frame = read_frame(args.data, (args.data,))
    if args.target not in frame.columns:
        raise UserError(
            f"{args.data}: {unknown('column in --target:', args.target, frame.columns)}"
        )
    guess = look(frame, args.target)
    name = _slug(Path(args.data).name.split(".")[0])
    output = Path(
        args.output or (Path("config") if Path("config").is_dir() else Path()) / f"{name}.yaml"
    )
    text = write(args.data, args.target, name, guess, "" if str(output) == "-" else _schema(output))
    _prove(text, args.data)
    if str(output) == "-":
        say(text.rstrip())
        return
    if output.exists() and not args.force:
        raise UserError(f"{output} is there already: choose another --output, or --force")
    write_text(output, text)
    say(f"{output} is written.", *(f"  {line}" for line in _said(guess)))
    say("next:", f"  bakeoff check {output}", f"  snakemake --cores all --configfile {output}")


def look(frame: pd.DataFrame, target: str) -> Guess:
    """Guess what the columns are.

    Raises
    ------
    UserError
        The target is a quantity, or has less than two classes with enough rows.
    """
    labels = frame[target].dropna()
    if labels.empty:
        raise UserError(f"every value of {target!r} is missing: nothing to predict")
    counts = names(labels).value_counts()
    quantity = pd.api.types.is_float_dtype(labels) and not (labels % 1 == 0).all()
    if quantity or len(counts) > max(100, len(labels) // 2):
        raise UserError(
            f"{target!r} has {len(counts):,} different values in {len(labels):,} rows: it looks "
            "like a quantity, not like classes"
        )
    guess = Guess(
        {str(name): int(n) for name, n in counts.items()},
        int(frame[target].isna().sum()),
        *_columns(frame, target),
    )
    if len(guess.kept) < 2:
        raise UserError(
            f"{target!r} has {count(len(guess.kept), 'class', 'classes')} with {_FEWEST} rows or "
            "more; comparing classifiers needs two"
        )
    return guess


def _columns(frame: pd.DataFrame, target: str) -> tuple[str | None, dict[str, str]]:
    """Find the column of ids, and those that no model should see."""
    own = None
    drop: dict[str, str] = {}
    labels = frame[target]
    for column in (c for c in frame.columns if c != target):
        values = frame[column]
        distinct = values.nunique()
        unique = distinct == len(values)
        if unique and _LIKE_AN_ID.search(column) and not pd.api.types.is_float_dtype(values):
            if own is None:
                own = column
            else:
                drop[column] = "a different value in every row, like an id"
        elif unique and not pd.api.types.is_numeric_dtype(values) and len(values) >= 20:
            drop[column] = "a different value in every row, like an id"
        elif distinct <= 1:
            drop[column] = "the same value in every row"
        elif distinct == labels.nunique() and _is_one_to_one(values, labels):
            drop[column] = f"says what {target} is"
    return own, drop


def _is_one_to_one(values: pd.Series[Any], labels: pd.Series[Any]) -> bool:
    known = values.notna() & labels.notna()
    pairs = pd.DataFrame({"value": values[known], "label": labels[known]}).drop_duplicates()
    return len(pairs) == pairs["value"].nunique() == pairs["label"].nunique()


def write(data: str, target: str, name: str, guess: Guess, schema: str) -> str:
    """Compose the experiment."""
    return "".join(f"{line}\n" for line in _lines(data, target, name, guess, schema)).replace(
        "MODELS\n", _MODELS
    )


def _lines(data: str, target: str, name: str, guess: Guess, schema: str) -> Iterator[str]:
    if schema:
        yield f"# yaml-language-server: $schema={schema}"
    yield "# Written by `bakeoff init`; what it guessed is marked."
    yield f"experiment: {name}"
    yield "seed: 1  # every random number comes from it"
    yield "datasets:"
    yield f"  {name}:"
    yield "    source: file"
    yield f"    path: {_scalar(data)}"
    separator = separator_of(data)
    if separator:
        yield f"    sep: {json.dumps(separator)}"
    yield f"    target: {_scalar(target)}"
    yield from _about_rows(guess)
    yield "models:"
    yield "MODELS"
    yield "resampling:"
    yield "  cv_5x2: {}  # five replications of 2-fold cross-validation: about the algorithms"
    yield f"  holdout: {{test_size: {_test_size(guess)}}}  # about the models fitted once"
    yield f"metrics: [{', '.join(_metrics(guess))}]  # the first one ranks the models"
    if guess.imbalanced:
        share = percent(round(guess.rarest / sum(guess.counts[c] for c in guess.kept), 3))
        yield f"# {share} of the rows are of the rarest class: accuracy would say little"
    yield "tests:"
    yield "  alpha: 0.05"
    yield "  correction: holm"
    yield "  # run: [cv5x2_f, mcnemar]  # `bakeoff tests` lists all; default: what is recommended"


def _about_rows(guess: Guess) -> Iterator[str]:
    if guess.id is not None:
        yield f"    id: {_scalar(guess.id)}  # guessed: unique"
    if guess.unlabelled:
        yield f"    missing_target: drop  # {count(guess.unlabelled, 'row')} without a label"
    shares = ", ".join(f"{c} {n:,}" for c, n in list(guess.counts.items())[:6])
    yield f"    # classes: {shares}{', …' if len(guess.counts) > 6 else ''}".replace("\n", " ")
    if len(guess.kept) < len(guess.counts):
        kept = ", ".join(map(_scalar, guess.kept))
        yield f"    classes: [{kept}]  # the others have fewer than {_FEWEST} rows"
    if len(guess.kept) == 2:
        positive = min(guess.kept, key=lambda c: guess.counts[c])
        yield f"    positive: {_scalar(positive)}  # guessed: the rarer class"
    if guess.drop:
        yield "    drop:  # guessed"
    for column, reason in guess.drop.items():
        yield f"      - {_scalar(column)}  # {reason}".replace("\n", " ")


def _test_size(guess: Guess) -> float:
    return 0.3 if guess.rarest >= _FEWEST_TESTED else 0.5


def _metrics(guess: Guess) -> list[str]:
    if len(guess.kept) == 2:
        balanced = ["accuracy", "balanced_accuracy", "f1", "roc_auc"]
        return (
            ["balanced_accuracy", "average_precision", "roc_auc", "mcc"]
            if guess.imbalanced
            else balanced
        )
    first = "balanced_accuracy" if guess.imbalanced else "accuracy"
    return [first, "f1_macro", "mcc", "log_loss"]


def _said(guess: Guess) -> Iterator[str]:
    classes = f"{len(guess.kept)} classes, the rarest with {count(guess.rarest, 'row')}"
    yield paragraph(classes)
    if guess.id is not None:
        yield f"row ids in {guess.id!r} (guessed)"
    for column, reason in list(guess.drop.items())[:_MOST_SAID]:
        yield f"leaves out {column!r}: {reason}"
    if len(guess.drop) > _MOST_SAID:
        yield f"leaves out {len(guess.drop) - _MOST_SAID} more columns, listed in the file"


def _prove(text: str, data: str) -> None:
    """Make sure that the experiment runs as it is."""
    try:
        problems, _ = check_experiment(load_experiment(yaml.safe_load(text)))
    except UserError as error:
        raise UserError(f"{data} needs a look before it can be an experiment:\n{error}") from None
    if problems:
        raise UserError(
            "\n".join([f"{data} needs a look before it can be an experiment:", *map(str, problems)])
        )


def _schema(output: Path) -> str:
    """Return the way from the experiment to the schema, for editors; empty without one."""
    return Path(os.path.relpath(PATH, output.parent)).as_posix() if PATH.is_file() else ""


def _scalar(value: str) -> str:
    """Write a text as YAML, so that it is read as the same text anywhere."""
    dumped: str = yaml.safe_dump([value], default_flow_style=True, width=10**6, allow_unicode=True)
    return dumped.strip()[1:-1]


def _slug(name: str) -> str:
    found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-")
    return found or "experiment"
