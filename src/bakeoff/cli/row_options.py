"""Shared options of commands: the roles of the columns in a table of predictions."""

from __future__ import annotations

import argparse

VALUES = ("higher", "lower", "right", "wrong")
"""What numbers per row may be: which way is better, or what 1 means."""


FORMATS = ("csv", "tsv", "parquet", "feather", "jsonl", "excel", "stata")
"""Formats of tables, as `format:` of an experiment has them."""


def add_format(parser: argparse.ArgumentParser, what: str = "files") -> None:
    """Add the format of tables."""
    parser.add_argument(
        "--format",
        choices=FORMATS,
        metavar="NAME",
        help=f"of the {what}, where their endings do not tell it: {', '.join(FORMATS)}",
    )
    add_missing_values(parser)


def add_missing_values(parser: argparse.ArgumentParser) -> None:
    """Add the texts that stand for a missing value."""
    parser.add_argument(
        "--missing-values",
        metavar="TEXT,…",
        help="texts that stand for a missing value beside empty cells; default: NA, N/A, NaN, "
        "null, None and their like; '' for empty cells alone, where a class has such a name",
    )


def add_truth_and_id(parser: argparse.ArgumentParser) -> None:
    """Add the columns of true labels and of row ids."""
    parser.add_argument(
        "--truth",
        metavar="COLUMN",
        help="the true labels; default: y_true, true, truth, label, target or y; or a file of row "
        "ids with the truth, beside submissions",
    )
    parser.add_argument("--id", metavar="COLUMN", help="row ids; default: id, row_id or row")


def add_values(parser: argparse.ArgumentParser, what: str, *, of_runs: bool = True) -> None:
    """Add what the columns hold: numbers, or 0 and 1 that are labels."""
    parser.add_argument(
        *("--values", "--scores"),
        type=lambda text: "right" if text == "correct" else text,
        choices=VALUES,
        help=f"the {what} hold a number for each row, and no labels: higher or lower is better; or "
        "1 says that the row is right (correct) or wrong, and 0 that it is not",
    )
    parser.add_argument(
        "--column",
        action="append",
        metavar="NAME",
        help="one table per model: the column of the numbers; default: value, score or loss; of "
        "each task TASK=NAME, given several times",
    )
    parser.add_argument(
        "--tasks", metavar="A,B,…", help="folders of logs of several tasks: those to compare"
    )
    passing = (("--pass-at", "at least one"), ("--pass-hat", "every one")) if of_runs else ()
    for option, what in passing:
        parser.add_argument(
            option,
            type=int,
            metavar="K",
            help=f"with --values right and --runs: compare how often {what} of K runs of an item "
            f"is right, pass{'@' if option == '--pass-at' else '^'}K; an item may have more runs",
        )
    if of_runs:
        parser.add_argument(
            "--labels", action="store_true", help="0 and 1 are labels, and do not say what is right"
        )


def add_task(parser: argparse.ArgumentParser) -> None:
    """Add what is predicted."""
    parser.add_argument(
        "--task",
        choices=("classification", "regression"),
        help="whether classes or numbers are predicted; default: as the metric says, or else "
        "numbers where the truth has a fraction or very many different numbers",
    )


def add_positive(parser: argparse.ArgumentParser) -> None:
    """Add the positive class."""
    parser.add_argument(
        "--positive",
        metavar="CLASS",
        help="the positive one of two; default: by its name (yes, sick, 1), the larger number, or "
        "the rarer one",
    )


def add_seeds(parser: argparse.ArgumentParser, *, deterministic: bool = False) -> None:
    """Add the column of training runs, and which models need no more than one."""
    parser.add_argument(
        "--seeds",
        metavar="COLUMN",
        help="which training run of the models a row is from, where each of several runs predicts "
        "all rows: about recipes, for other seeds and other rows (not --runs)",
    )
    if deterministic:
        parser.add_argument(
            "--deterministic",
            metavar="A,B,…",
            help="with --seeds: the models whose training has no random part; one run of them is "
            "enough",
        )


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add the column of groups."""
    parser.add_argument(
        "--groups", metavar="COLUMN", help="which rows belong together (a patient, a user)"
    )
