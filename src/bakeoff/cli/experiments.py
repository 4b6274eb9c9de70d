"""`bakeoff init` and `bakeoff check`: an experiment from a table, and what it will do."""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from bakeoff import __version__
from bakeoff.cli.terminal import bold, dim, outputs, say, table
from bakeoff.comparisons.advice import RowCounts, cautions, remedies, smallest_pvalue
from bakeoff.comparisons.plan_tests import notes
from bakeoff.comparisons.settings import compares_pairs, pairs_of
from bakeoff.data import Table, records
from bakeoff.data.describe import (
    LIKE_AN_ID,
    NAMED,
    date_formats,
    is_date,
    is_nested,
    is_running_number,
    telling_columns,
    why_groups,
)
from bakeoff.data.given_predictions import divide, load
from bakeoff.data.splits import divisions, effective_groups, split_quality
from bakeoff.data.table import GROUP, TARGET, TIME
from bakeoff.data.target import looks_like_a_quantity, positive_of
from bakeoff.errors import UserError, escaped, unknown
from bakeoff.files import read_csv, reading, write_text
from bakeoff.paths import Paths
from bakeoff.preflight import check_experiment
from bakeoff.report.numbers import count, number, paragraph, percent, words
from bakeoff.report.prose import ABOUT, PLANS, of_target
from bakeoff.report.undeclared import notes_on, remark_on
from bakeoff.sources.common.identifiers import names
from bakeoff.spec import Experiment, PlannedTest, load_experiment, read_experiment
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.load import report_problems
from bakeoff.spec.tests import RECOMMENDED
from bakeoff.stats import catalogue
from bakeoff.usercode import make_importable

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
    if args.data is None or args.target is None:
        raise UserError("give a table and its --target, or for a folder with an example --folder")
    known = {key: getattr(args, key) for key in ("format", "encoding", "missing_values")}
    settings = {key: value for key, value in known.items() if value is not None}
    frame, keys = records.guess(args.data, args.target, settings)
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
        first = "balanced_accuracy" if imbalanced else "accuracy"
        metrics = [first, "f1_macro", "mcc", "log_loss"]
        shares = ", ".join(f"{c} {n:,}" for c, n in list(guess.counts.items())[:6])
        yield f"    # classes: {shares}{', …' if len(guess.counts) > 6 else ''}".replace("\n", " ")
        if len(guess.kept) < len(guess.counts):
            kept = ", ".join(map(_scalar, guess.kept))
            yield f"    classes: [{kept}]  # the others have fewer than {FEWEST} rows"
        if len(guess.kept) == 2:
            metrics = ["accuracy", "balanced_accuracy", "f1", "roc_auc"]
            if imbalanced:
                metrics = ["balanced_accuracy", "average_precision", "roc_auc", "mcc"]
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


# --- check

POWER = 0.8
_SUPPOSED, _MANY = 10, 100
"""Seconds of a fit, and from how many fits on a job for each is a burden."""
_MOST_COLUMNS = 40
"""How many columns are listed; those with a remark are all."""
_UNITS = ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))
DISAGREEMENTS = (0.05, 0.1, 0.2)
"""Shares of rows on which two models disagree: what they will be is not known before the run."""


def check(args: argparse.Namespace) -> None:
    """Check one experiment, and say what it will do."""
    experiment = read_experiment(args.file)
    make_importable([Path(args.file).parent, "."])
    problems, planned = check_experiment(experiment)
    if problems:
        raise report_problems(problems, args.file)
    tests = tuple(planned.by_name.values())
    tables = {
        name: load(name, experiment)
        for name, spec in experiment.datasets.items()
        if isinstance(spec, GivenData) or spec.at_hand()
    }
    say("", bold(f"{args.file}: ready to run"), "")
    rows = []
    for name, spec in experiment.datasets.items():
        if name not in tables:
            rows.append((name, "", "", "looked at when the run loads it"))
            continue
        data = tables[name]
        target = of_target(data.card, spec.unit)
        size = f"{len(data.frame):,}" if target else ""
        features = data.features.shape[1]
        rows.append((name, size, f"{features:,}" if features else "", target or "scores alone"))
    say(*table(("data set", "rows", "features", "target"), rows, "lrrl"), "")
    show_columns(tables)
    show_undeclared(experiment, tables)
    _show_plans(experiment, tables)
    _show_fits(experiment)
    _show_tests(experiment, tests)
    _show_unreachable(experiment, tests, tables)
    _show_detectable(experiment, tests, tables)
    say(paragraph(f"To run it: bakeoff run {args.file}"), "")


def show_columns(tables: Mapping[str, Table]) -> None:
    """Print how each column of the tables was read."""
    rows = [
        (name, column, kind["kind"], f"{kind['distinct']:,}", f"{kind['missing'] or ''}", remark)
        for name, data in tables.items()
        for column, kind in data.card["features"].items()
        for remark in [remark_on(kind)]
    ]
    kept = [row for i, row in enumerate(rows) if i < _MOST_COLUMNS or row[-1]]
    if not kept:
        return
    head = ("data set", "column", "read as", "different", "missing", "")
    say(*table(head, kept, "lllrrl"))
    if more := len(rows) - len(kept):
        say(dim(f"… and {count(more, 'more column')}; the report lists all."))
    say("")


def _show_plans(experiment: Experiment, tables: dict[str, Table]) -> None:
    rows: list[tuple[str, ...]] = []
    given_by = experiment.resampling.given_by
    by = {plan: f" by {column!r}" for plan, column in given_by.items()}
    for dataset, data in tables.items():
        for name, plan in experiment.resampling.plans().items():
            if experiment.by_scores(name):
                rows.append((dataset, name, PLANS[name], str(len(plan.splits())), "", "", ""))
                continue
            splits = list(divisions(divide(dataset, experiment, data, name), plan))
            sizes = [
                sorted({len(s.train) for *_, s in splits}),
                sorted({len(s.test) for *_, s in splits}),
            ]
            texts = [f"{s[0]:,}" if len(s) == 1 else f"{s[0]:,} to {s[-1]:,}" for s in sizes]
            worth = ""
            if GROUP in data.frame:
                tested = [data.frame[GROUP].iloc[s.test].value_counts() for *_, s in splits]
                least = min((one.to_numpy() for one in tested), key=effective_groups)
                worth = f"{len(least):,} (worth {effective_groups(least):.1f})"
            kind = PLANS[name] + by.get(name, "")
            rows.append((dataset, name, kind, str(len(splits)), *texts, worth))
    if rows:
        head = ("data set", "plan", "", "divisions", "training rows", "test rows", "test groups")
        kept = 7 if any(row[6] for row in rows) else 6
        say(*table(head[:kept], [row[:kept] for row in rows], "lllrrrr"[:kept]), "")


def _show_fits(experiment: Experiment) -> None:
    fits = sum(1 for _ in experiment.fits())
    texts = ["No fits."]
    if fits:
        models = count(len(experiment.fitted), "model")
        sizes = {
            PLANS[name]: len(plan.splits()) for name, plan in experiment.resampling.plans().items()
        }
        each = words([f"{n:,} for {name}" for name, n in sizes.items()])
        times = _times_of_the_last_run(experiment)
        by, seconds = f"At {_SUPPOSED} seconds a fit", float(_SUPPOSED * fits)
        if times.keys() >= experiment.fitted.keys():
            by = "By the times of the last run"
            seconds = sum(times[fit.model] for fit in experiment.fits())
        size, unit = next((one for one in _UNITS if seconds >= 2 * one[0]), (1, "seconds"))
        seeds = " with each seed" if max(map(experiment.seeds, experiment.fitted)) > 1 else ""
        texts = [
            f"{count(fits, 'fit')}: {models} × {count(len(experiment.datasets), 'data set')}, "
            "every plan.",
            f"A model is fitted {sum(sizes.values()):,} times on a data set{seeds}: {each}.",
            f"{by} they take about {seconds / size:.2g} {unit} on one core.",
        ]
        if fits >= _MANY and experiment.execution.jobs_per in (None, "fold"):
            texts.append(
                "If fits are quick, `execution: {jobs_per: model}` runs those of a model as one "
                "job."
            )
    if given := list(experiment.given):
        texts[0] += f" {words(given)} {'is' if len(given) == 1 else 'are'} given and not fitted."
    say(*map(paragraph, texts), "")


def _times_of_the_last_run(experiment: Experiment) -> dict[str, float]:
    """Return the mean seconds of a fit, by model."""
    path = Paths.of(experiment.experiment).top("timings.csv")
    if not Path(path).is_file():
        return {}
    with reading(path):
        fits = read_csv(path, dtype={"model": str}).dropna(subset=["fit_seconds"])
        seconds = fits["fit_seconds"] + fits["predict_seconds"]
        return {str(model): mean for model, mean in seconds.groupby(fits["model"]).mean().items()}


def _show_tests(experiment: Experiment, tests: Sequence[PlannedTest]) -> None:
    entries = catalogue()
    rows = []
    for test in tests:
        entry = entries[test.name]
        pairs = pairs_of(list(experiment.models), test.versus) if compares_pairs(entry) else [()]
        correction = (test.correction or "none") if len(pairs) != 1 else ""
        more = f" and {len(test.metrics) - 2} more" if len(test.metrics) > 3 else ""
        metrics = ", ".join(test.metrics[:2] if more else test.metrics) + more
        about, level = ABOUT[entry.about], percent(test.alpha)
        rows.append((test.name, test.plan, about, str(len(pairs)), correction, level, metrics))
    head = ("test", "plan", "answers for", "hypotheses", "correction", "level", "metrics")
    say(bold("Tests"), *table(head, rows, "lllrlr", [("answers for",), ("correction",)]), "")
    if RECOMMENDED in experiment.tests.run:
        for test in tests:
            say(paragraph(f"{test.name}: {test.why}.", "  "))
        say("")
    for note in notes(experiment):
        say(paragraph(f"Note: {note}"), "")
    for test in tests:
        texts: dict[str, list[str]] = {}
        for metric in test.metrics:
            for text in cautions(test, experiment, metric=metric).of(experiment.models):
                texts.setdefault(text, []).append(metric)
        for text, concerned in texts.items():
            by = f"by {words(concerned)}, " if len(concerned) < len(test.metrics) else ""
            say(paragraph(f"Caution: {by}{text}"), "")


def _show_unreachable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Note tests whose smallest p-value, on so few rows or groups, is above their level."""
    for test in tests:
        sizes: list[tuple[str, RowCounts | None]] = []
        if test.on_datasets:
            sizes.append((f"over {count(len(experiment.datasets), 'data set')}", None))
        elif test.on_predictions and test.plan == "holdout" and not experiment.by_scores(test.plan):
            for dataset, data in tables.items():
                rows = _tested(experiment, test, dataset, data)
                groups, times = (
                    int(rows[key].nunique()) if key in rows else None for key in (GROUP, TIME)
                )
                of = f" ({count(groups, 'group')})" if groups else ""
                where = f"on the {count(len(rows), 'test row')}{of} of {dataset}"
                sizes.append((where, RowCounts(len(rows), groups, times)))
        for where, size in sizes:
            smallest = smallest_pvalue(test, experiment, size)
            if smallest <= test.alpha:
                continue
            why = "it stays undecided"
            if smallest < 1:
                why = f"its smallest p is {smallest:.2g}, above {test.alpha:g}"
            text = f"Note: {test.name} cannot find a difference {where}: {why}."
            if helping := remedies(test, experiment, size) if size else "":
                text += f" What would change that: {helping}."
            say(paragraph(text), "")


def _show_detectable(
    experiment: Experiment, tests: Sequence[PlannedTest], tables: dict[str, Table]
) -> None:
    """Print the smallest detectable difference on each data set, where it can be planned."""
    lines = []
    for test in tests:
        entry = catalogue()[test.name]
        related = test.related and entry.evidence.on_rows
        numbers = experiment.task.numbers  # of which no share is right
        if entry.planning is None or related or numbers or experiment.by_scores(test.plan):
            continue
        alpha = test.alpha
        if test.correction not in (None, "none", "BH", "BY"):  # all pairs share it equally
            alpha /= max(len(pairs_of(list(experiment.models), test.versus)), 1)
        for dataset, data in tables.items():
            n = len(
                _tested(experiment, test, dataset, data) if entry.evidence.on_rows else data.frame
            )
            how = {"n": n, "power": POWER, "alpha": alpha, "alternative": test.alternative}
            sizes = (
                abs(entry.planning(discordance=share).solve(**how).difference)
                for share in DISAGREEMENTS
            )
            texts = (f"{100 * size:.1f}" if math.isfinite(size) else "none" for size in sizes)
            lines.append((entry.name, dataset, *texts))
    if not lines:
        return
    head = ("test", "data set", *(f"{percent(d)} disagree" for d in DISAGREEMENTS))
    title = "Smallest difference in accuracy, in percentage points, found with a probability of"
    note = "It depends on how often two models disagree about a row, which the run will show."
    say(bold(f"{title} {percent(POWER)}"), *table(head, lines, "llrrr"))
    say(dim(paragraph(note, "  ")), "")


def _tested(experiment: Experiment, test: PlannedTest, dataset: str, data: Table) -> pd.DataFrame:
    """Return the test rows of a holdout."""
    splits = divide(dataset, experiment, data, test.plan)
    ((_, _, split),) = divisions(splits, experiment.resampling.plans()[test.plan])
    return data.frame.iloc[split.test]


def show_undeclared(experiment: Experiment, tables: Mapping[str, Table]) -> None:
    """Note undeclared dependence between rows, and columns that determine the class."""
    for name, data in tables.items():
        is_given = isinstance(experiment.datasets[name], GivenData)
        qualities = [
            split_quality(name, data, plan, spec, divide(name, experiment, data, plan))
            for plan, spec in experiment.resampling.plans().items()
            if not is_given and not experiment.by_scores(plan)
        ]
        for note in notes_on(data.card, qualities):
            say(paragraph(f"Note: {note.sentence}"), "")
        if is_given:
            continue
        telling = telling_columns(data.features, data.frame[TARGET])
        texts = [f"{c!r} ({percent(round(share, 3))} of rows)" for c, share in telling.items()]
        if texts:
            say(
                paragraph(
                    f"Note: of the columns of {name} each of these tells the class by itself: "
                    f"{words(texts)}. Models will look nearly perfect. If the value is known only "
                    "once the answer is, this is leakage: put the column under `drop:`."
                ),
                "",
            )
