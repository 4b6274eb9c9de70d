"""Every option of the command line and of Python, each declared once: its type, default and help.

Both doors, and keys of an experiment that are called alike, take their texts from here.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any, NamedTuple

from bakeoff.errors import UserError, shown, unknown


def texts(value: str) -> list[str]:
    """Return the parts of a text between commas."""
    return [part.strip() for part in value.split(",")]


def class_names(value: str) -> list[str]:
    """Return the names between commas; quotes keep the blanks at the ends of a name."""
    names = []
    for name in texts(value):
        is_quoted = len(name) > 1 and name[0] == name[-1] in ("'", '"')
        if is_quoted:
            names.append(name[1:-1])
        else:
            names.append(name)
    return names


def texts_if_any(value: str) -> list[str]:
    """Return the parts of a text between commas; none of the empty text."""
    return [part for part in value.split(",") if part]


def yes_or_no(value: str) -> bool:
    """Return what ``true`` or ``false`` stands for."""
    if value not in ("true", "false"):
        raise ValueError
    return value == "true"


def share(value: str) -> float:
    """Return a share of 0 to 1, which may be written in percent."""
    number = float(value.removesuffix("%"))
    if value.endswith("%"):
        number /= 100
    if not 0 <= number <= 1:
        raise ValueError
    return number


STREAM = "stream"
"""In place of the number of items of a suite: there is no end."""


def whole_or_stream(value: str) -> int | str:
    """Return a whole number, or that there is no end."""
    if value == STREAM:
        return value
    return int(value)


class Option(NamedTuple):
    """An option: what it says, and how the command line reads its value."""

    help: str
    value: str = ""
    """What the command line calls its value; a switch has none, " …" may be given several times."""
    type: Callable[[str], Any] = str
    default: Any = None
    choices: tuple[str, ...] = ()


_WANTED = {
    float: "a number",
    int: "a whole number",
    whole_or_stream: "a whole number, or stream",
    yes_or_no: "true or false",
    share: "a share like 0.05 or 5%",
}

OPTIONS: dict[str, Option] = {
    # what is compared
    "metrics": Option(
        "The metric: a name such as f1, rmse, net_benefit@0.1 or pass@5, or a function of your own "
        "as ./mymetrics.py:profit:higher. The first of several ranks the models. Default: "
        "accuracy, of numbers rmse.",
        "NAME …",
    ),
    "truth": Option(
        "True labels or numbers; default: `y_true`, `true`, `truth`, `label`, `target` or `y`.",
        "COLUMN",
    ),
    "id": Option("Row ids, unique; default: `id`, `row_id` or `row`.", "COLUMN"),
    "predicted": Option(
        "Predicted labels or numbers; default: `y_pred`, `predicted`, `prediction` or `pred`; "
        "without such a column the most probable class.",
        "COLUMN",
    ),
    "value": Option(
        "The number of each row, of `values`; default: `value`, `score` or `loss`.", "COLUMN"
    ),
    "models": Option(
        "In one table, or in logs of several models, those to compare; default: all. Of several "
        "tables what to call their models, in the same order.",
        "A,B,…",
        texts,
    ),
    "values": Option(
        "The predictions are a number for each row: `higher` or `lower` is better, or 0 and 1, "
        "where 1 says that the row is `right` or `wrong`.",
        "KIND",
    ),
    "positive": Option(
        "The positive one of two classes; default: the one whose name says so (yes, sick, "
        "churned, 1), else the larger number, else the rarer one.",
        "CLASS",
    ),
    "classes": Option(
        "All classes, those that no row has too, in the order of the columns of probabilities; the "
        "last one is the positive one of two. Default: those of the rows, sorted.",
        "A,B,…",
        class_names,
        (),
    ),
    "task": Option(
        "Whether classes (`classification`) or numbers (`regression`) are predicted; default: as "
        "the metric says, or else numbers where the truth has a fraction or very many different "
        "numbers.",
        "TASK",
        choices=("classification", "regression"),
    ),
    "tasks": Option(
        "Of logs of several tasks those to compare; MATH=acc names the column of the numbers of "
        "one.",
        "A,B,…",
        texts,
    ),
    "weights": Option(
        "Of rows of several tasks, what each task weighs in the mean over tasks: `tasks` (all "
        "alike, the default), `items` (by its rows), a weight for each as math=2,law=1, or a "
        "column that puts tasks into groups, which weigh alike.",
        "WHAT",
    ),
    "unit": Option("What predicted numbers are measured in.", "TEXT"),
    "datasets": Option(
        "The files are a table of scores: this column names the data sets, each of which is one "
        "observation. It has a column for each model, or a row for each score with the columns "
        "model and value.",
        "COLUMN",
    ),
    "counts": Option(
        "Two models without a file: rows that both, only A, only B and neither is right on.",
        "N,N,N,N",
    ),
    # judged evaluations
    "preferences": Option(
        "The file holds battles of two models each, with who wins; by its columns that is known "
        "without this option in most files."
    ),
    "prompt": Option(
        "What each battle is about; default: `prompt`, `question_id`, `prompt_id`, `question`, "
        "`instruction` or `item`. All votes on a prompt are one observation.",
        "COLUMN",
    ),
    "winner": Option(
        "Who wins: model_a, model_b, tie, or the name of a model; default: `winner`.", "COLUMN"
    ),
    "order": Option(
        "Which answer the judge saw first: a column, `model_a` of every row, or `unknown`, which "
        "goes on without an adjustment. Default: column `first`, else as exports of arenas and of "
        "FastChat have it. With `of` the column of the place of an item in the suite.",
        "COLUMN",
    ),
    "judge": Option(
        "Marks of a judge on every item, which the marks of people (`human`) correct; of battles "
        "who judged, default: `judge`. Of logs the name of a scorer.",
        "COLUMN",
    ),
    "human": Option(
        "Marks of people, empty where there is none: items that they marked were drawn at random.",
        "COLUMN",
    ),
    "of": Option(
        "The evaluation still runs: how many items the whole suite has. The difference is looked "
        "at after every tenth of them, at levels that together keep that of the test. `stream`: "
        "there is no end, and one may look after every item.",
        "N",
        whole_or_stream,
    ),
    # rows that are related
    "groups": Option("Which rows belong together (a patient, a user).", "COLUMN"),
    "time": Option("What orders the rows in time.", "COLUMN"),
    "subgroups": Option(
        "What divides the rows: the models are compared in each part, and whether their difference "
        "is the same in all. A column of numbers is cut where it says, as age:40:65.",
        "COLUMN,… …",
        texts,
    ),
    "bins": Option(
        'Where columns of numbers among `subgroups` are cut: ``{"age": [40, 65]}``.',
    ),
    "independent_rows": Option(
        "Take related rows for independent all the same; the verdict says so.",
        "true",
        yes_or_no,
        False,
    ),
    # several runs
    "runs": Option(
        "Which run of an item a row is, where ids are items that were run several times; the runs "
        "of an item belong together.",
        "COLUMN",
    ),
    "seeds": Option(
        "Which training run of the model a row is from, where every run predicts all rows. Of a "
        "table of scores the column that counts training runs.",
        "COLUMN",
    ),
    "paired": Option(
        "Of scores of training runs: a seed fixes the division of the data for all models, so that "
        "runs with the same seed are pairs.",
        default=False,
    ),
    "deterministic": Option(
        "The models whose training has no random part: one run of them is all there is.",
        "A,B,…",
        texts,
        (),
    ),
    # the test
    "versus": Option(
        "A model: only it is compared, as A, with each other model as B; default: all pairs.",
        "MODEL",
    ),
    "alpha": Option("Significance level of every decision.", "LEVEL", float, 0.05),
    "alternative": Option(
        "`greater`: the tests are one-sided, for A being better. A is the model that comes "
        "first, or that of `versus`.",
        "SIDE",
        default="two-sided",
    ),
    "correction": Option(
        "How the p-values of a family of models or pairs are adjusted. Default: `bonferroni` on "
        "folds and on independent rows; `holm` over data sets, over training runs, on rows with "
        "groups or times, and for `noninferiority` and `metric_equivalence`; `max-t` for "
        "`metric_difference` and `mean_difference`. `shaffer` is for two-sided tests of all "
        "pairs.",
        "NAME",
    ),
    "variant": Option(
        "Of McNemar's test: midp (default), exact, corrected or asymptotic; of Cochran's Q: "
        "permutation (default) or asymptotic.",
        "NAME",
    ),
    "costs": Option(
        "What each kind of error costs: `classes` and `matrix` as in an experiment. Tests the "
        "costs too.",
        "FILE",
    ),
    "tests": Option(
        "Names of tests, in place of the recommended ones; see ``bakeoff tests``.",
        "NAME,…",
        texts,
        (),
    ),
    "options": Option(
        'Options of single tests: ``{"bayes_correlated_t": {"rope": 0.02}}``.',
    ),
    # files
    "format": Option(
        "The format, where the ending of a file does not tell it: csv, tsv, parquet, feather, "
        "jsonl, excel or stata.",
        "NAME",
    ),
    "encoding": Option(
        "Of the text, such as latin-1; default: UTF-8, or as a byte order mark says (UTF-16).",
        "NAME",
    ),
    "missing": Option(
        "What becomes of items that a model lacks: they are `wrong`, or only those in `common` are "
        "compared. Of missing scores: they rank last (`failed`), or their data set is left "
        "out (`drop_dataset`). Default: refuse what is missing.",
        "WHAT",
    ),
    "allow_missing": Option(
        "Which share of its items base or candidate may lack and the candidate still ship, as 0.05 "
        "or 5%; default: 1%.",
        "SHARE",
        share,
    ),
    "missing_target": Option(
        "What to do with rows that have no true label in the first file that names them; `drop` "
        "leaves them out of every file.",
        "drop",
        choices=("error", "drop"),
    ),
    "missing_values": Option(
        "The texts that stand for a missing value beside empty cells; default: NA, N/A, NaN, null, "
        "None and their like; '' for empty cells alone, where a class has such a name.",
        "TEXT,…",
        texts_if_any,
    ),
    "impute": Option(
        "Of scores of folds: the model whose score of the same fold stands in place of a lost one, "
        "such as a constant predictor. Default: the folds of a data set that all models have.",
        "MODEL",
    ),
    "decimals": Option("Round the scores first, so that what differs by less is tied."),
    # what comes out
    "json": Option("Print JSON instead."),
    "output": Option("Write a file.", "FILE …"),
    "name": Option("What to call the data.", default="the data"),
    "progress": Option("Whether to show a bar on standard error; default: where it is a terminal."),
    # the gate
    "margin": Option(
        "The largest loss that does not matter, in the unit of the metric, as 0.01, or in percent "
        "of the base's value, as 2%.",
        "SIZE",
    ),
    "each_task": Option(
        "Of rows of several tasks: ship only if each task by itself is shown not worse by this "
        "much, which takes many rows of each; default: the mean over tasks, and no task shown "
        "worse by the margin.",
        "SIZE",
        float,
    ),
    "junit": Option("Write the rules as test cases too, as JUnit XML.", "FILE"),
    "superior": Option(
        "Ship only what is shown better by more than the margin, and block the rest.",
        default=False,
    ),
    # a plan
    "difference": Option(
        "The true difference to find, in the unit of the metric; default with a margin: 0.",
        "SIZE",
        float,
    ),
    "rows": Option(
        "Report the power with so many rows; without a difference the one that they detect.",
        "N",
        int,
    ),
    "accuracy": Option("Of the better model, about.", "SHARE", float),
    "discordance": Option(
        "Of the rows, on which just one model is right; default: that of independent errors, from "
        "the accuracy.",
        "SHARE",
        float,
    ),
    "equal": Option("Show that the models are equal within the margin.", default=False),
    "power": Option("The wanted probability.", "SHARE", float, 0.8),
    "test": Option(
        "Without a pilot: mcnemar, or cv5x2_f on 5x2cv.",
        "NAME",
        default="mcnemar",
        choices=("mcnemar", "cv5x2_f"),
    ),
    "human_labels": Option(
        "Plan how many items people have to mark beside a judge, instead of rows.", default=False
    ),
    "judge_accuracy": Option(
        "How often the mark of the judge is that of people, where there is no pilot.",
        "SHARE",
        share,
    ),
    "items": Option("How many items the judge marks.", "N", int),
    "half_width": Option("The wanted half-width of the interval, such as 0.05.", "SIZE", float),
    # the other commands
    "target": Option("The column to predict.", "COLUMN"),
    "folder": Option(
        "Instead of a table: a new or empty folder, in which an example is laid out that runs.",
        "FOLDER",
    ),
    "cores": Option("How many to use; default: all, or what a profile says.", "N"),
    "profile": Option(
        "A profile's folder, or slurm for the one that comes with the package.", "NAME …"
    ),
}
"""By name: a key of an experiment, an argument of Python, and with ``--`` an option."""

ALIASES = {"metric": "metrics", "subgroup": "subgroups"}
"""Other names of options, by which people ask for them too."""


def read_value(name: str, text: str) -> Any:
    """Return the value of an option that a command line gives as a text."""
    kind = OPTIONS[name].type
    choices = OPTIONS[name].choices
    if choices and text not in choices:
        raise UserError(f"{name}: {unknown('value', text, choices)}")
    try:
        return kind(text)
    except ValueError:
        raise UserError(f"{name}: found {shown(text)}, expected {_WANTED[kind]}") from None


def metric_and_margin(text: str) -> tuple[str, str | None]:
    """Return the metric, and the margin that may stand behind it, as in ``brier:0.005``."""
    name, _, size = text.rpartition(":")
    try:
        float(size.removesuffix("%"))
    except ValueError:  # the name of a function, or a word behind it
        return text, None
    if not name:
        return text, None
    return name, size


def guardrail(text: str) -> tuple[str, str, bool] | None:
    """Return column, margin and whether greater is better of ``latency:10%:lower``, else None."""
    rest, _, way = text.rpartition(":")
    if way not in ("lower", "higher"):
        return None
    name, margin = metric_and_margin(rest)
    if margin is None:
        return None
    return name, margin, way == "higher"


def flag(name: str) -> str:
    """Write a name as the option that it is on the command line."""
    return f"--{name.replace('_', '-')}"


# --- what a message calls an option, where it says what to do


class InterfaceKind(Enum):
    """Where a user meets a message."""

    EXPERIMENT = "keys of a YAML file"
    PYTHON = "arguments of a function"
    COMMAND = "options of a command"


class Interface(NamedTuple):
    """What a user calls the program by, and the options that it has."""

    kind: InterfaceKind = InterfaceKind.EXPERIMENT
    names: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()
    """Those of a command that ``--set`` sets."""


_NO_KEYS = frozenset(
    ("models", "values", "missing", "missing_values", "encoding", "format", "datasets")
)
"""Options that an experiment with given predictions has no keys for."""
_OF_COLUMNS = frozenset(("id", "truth", "predicted", "value", "runs"))
"""Options that are keys of the section `columns` of an experiment."""
_INTERFACE: ContextVar[Interface] = ContextVar("interface", default=Interface())  # noqa: B039


@contextmanager
def used_by(interface: Interface) -> Iterator[None]:
    """Let messages call options as they are called in an interface."""
    token = _INTERFACE.set(interface)
    try:
        yield
    finally:
        _INTERFACE.reset(token)


def _quoted(word: str) -> str:
    """Quote a word of a command line where a shell would change it."""
    if re.search(r"[^\w@%+=:,./…-]", word):
        return shlex.quote(word)
    return word


def is_called_from_python() -> bool:
    """Tell whether messages are about the arguments of a function."""
    return _INTERFACE.get().kind is InterfaceKind.PYTHON


def is_in_experiment() -> bool:
    """Tell whether messages are about the keys of a YAML file."""
    return _INTERFACE.get().kind is InterfaceKind.EXPERIMENT


def can_set(name: str) -> bool:
    """Tell whether the interface that is used has an option."""
    interface = _INTERFACE.get()
    if interface.kind is InterfaceKind.EXPERIMENT:
        return name not in _NO_KEYS
    return name in interface.names or name in interface.rare


def setting(name: str, value: str | None = None) -> str:
    """Write what sets an option: `--values right`, ``values="right"`` or `values: right`."""
    interface = _INTERFACE.get()
    is_list = OPTIONS[name].type in (texts, class_names)
    if value is None:
        value = OPTIONS[name].value.removesuffix(" …")
    match interface.kind:
        case InterfaceKind.COMMAND if name in interface.rare:
            text = f"--set {_quoted(f'{name}={value}')}"
        case InterfaceKind.COMMAND:
            text = f"{flag(name)} {_quoted(value)}"
        case InterfaceKind.PYTHON:
            parts = [f'"{part}"' for part in texts(value)]
            text = f'{name}="{value}"'
            if is_list:
                text = f"{name}=[{', '.join(parts)}]"
        case _:
            text = f"{name}: {value}"
            if is_list:
                text = f"{name}: [{', '.join(texts(value))}]"
            if name in _OF_COLUMNS:
                text = f"columns: {{{text}}}"
    return f"`{text}`"
