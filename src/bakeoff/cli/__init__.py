"""The few commands that are not `snakemake`.

This module is imported at every start: what takes time is imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from bakeoff import __version__
from bakeoff.cli.decision_options import add_claim, add_gate, add_plan, add_power, add_publish
from bakeoff.cli.row_options import (
    add_format,
    add_groups,
    add_positive,
    add_seeds,
    add_task,
    add_truth_and_id,
    add_values,
)
from bakeoff.cli.terminal import unread
from bakeoff.errors import UserError

COMMANDS = {
    "init": "write a commented experiment from a table and its target",
    "new": "lay out a folder for a study of one's own",
    "check": "say what an experiment will do, before it does it",
    "split": "write how an experiment divides the rows, before any model is fitted",
    "run": "run an experiment in this folder, by the workflow that comes with the package",
    "compare": "compare predictions that are there already, at once",
    "plan": "tell how many rows a comparison needs, before the data",
    "gate": "decide whether a candidate may take the place of a base",
    "claim": "tell what a published comparison can be worth",
    "power": "tell what the tests of a finished run could have found",
    "publish": "write a finished run as a model card, or into MLflow",
    "tests": "list the statistical tests, or explain one",
}

MISTAKES = {"gate": 3}
"""Exit codes for a mistake that are not 2: there it says "undecided"."""


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns
    -------
    int
        0; 2 when something is wrong with what the user gave, 130 after Ctrl-C. `gate` has codes of
        its own.
    """
    parser = make_parser()
    args, further = parser.parse_known_args(arguments)
    args.arguments = list(sys.argv[1:] if arguments is None else arguments)
    if args.command == "run":
        args.further = further
    elif further:
        command = f"{parser.prog} {args.command}"
        _Parser(command, add_help=False).error(f"unrecognized arguments: {' '.join(further)}")
    code = 0
    try:
        _check_files(args)
        code = import_module(f"bakeoff.cli.{args.command}").run(args) or 0
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return MISTAKES.get(args.command, 2)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except Exception:
        if args.command not in MISTAKES:
            raise
        traceback.print_exc()  # Python would end with 1, which is a decision
        return MISTAKES[args.command]
    with unread():
        sys.stdout.flush()
    return code


def _check_files(args: argparse.Namespace) -> None:
    """Refuse files and folders that are not there, before anything slow is imported.

    A name with a brace may stand for several files.
    """
    known = vars(args)
    for path in (*known.get("files", ()), known.get("base"), known.get("candidate")):
        if path and "{" not in path and not os.path.exists(path):  # noqa: PTH110  (it knows long names)
            raise UserError(f"no file at {path!r}")


class _Parser(argparse.ArgumentParser):
    """An argument parser that exits with its command's exit code for errors."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(MISTAKES.get(self.prog.split()[-1], 2), f"{self.prog}: error: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = _Parser(
        prog="bakeoff",
        description="Is model A really better than B, or was it the split? `bakeoff run`, or "
        "`snakemake` in a checkout, runs an experiment; the others stand around it.",
        epilog="`bakeoff COMMAND --help` explains one.",
    )
    parser.add_argument("--version", action="version", version=f"bakeoff {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    adders = {
        "init": _add_init,
        "new": _add_new,
        "check": _add_check,
        "split": _add_split,
        "run": _add_run,
        "compare": _add_compare,
        "plan": add_plan,
        "gate": add_gate,
        "claim": add_claim,
        "power": add_power,
        "publish": add_publish,
        "tests": _add_tests,
    }
    for name, add in adders.items():
        what = COMMANDS[name]
        command = commands.add_parser(
            name,
            help=what,
            description=f"{what[0].upper()}{what[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add(command)
    return parser


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", help="CSV, TSV, Parquet or Feather, also compressed")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="the column to predict")
    parser.add_argument(
        "--task",
        choices=("classification", "regression"),
        help="whether it holds classes or numbers; default: numbers where it has fractions or very "
        "many different values",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="where to write; default: config/<name>.yaml where there is a folder config, else "
        "<name>.yaml; - prints",
    )
    add_format(parser, "file")
    parser.add_argument(
        "--encoding", metavar="NAME", help="of the text, e.g. latin-1; default: UTF-8, or guessed"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.epilog = "example:\n  bakeoff init data/loans.csv --target defaulted"


def _add_new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", help="where to; not there yet, or empty")
    parser.epilog = "example:\n  bakeoff new attrition-study"


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bakeoff run [-h] [-c N] [--profile NAME] [-n] FILE [any option of snakemake]"
    parser.allow_abbrev = False  # a beginning of one of snakemake's options is snakemake's
    parser.add_argument("file", help="the experiment, e.g. attrition.yaml")
    parser.add_argument(
        "-c", "--cores", metavar="N", help="cores to use; default: all, or what a profile says"
    )
    parser.add_argument(
        "--profile",
        action="append",
        default=[],
        metavar="NAME",
        help="a profile's folder, or slurm for the one that comes with the package",
    )
    parser.add_argument(
        "-n", "--dry-run", action="store_true", help="say what would be done, do nothing"
    )
    parser.add_argument("-d", "--directory", metavar="DIR", help="where results go; default: here")
    parser.epilog = (
        "All other options go to snakemake unchanged, whose exit code this is.\n\n"
        "examples:\n"
        "  bakeoff run attrition.yaml --cores 4\n"
        "  bakeoff run attrition.yaml --profile slurm\n"
        "  bakeoff run attrition.yaml -n --forcerun compare"
    )


def _add_split(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the experiment, e.g. attrition.yaml")
    parser.add_argument(
        "-o", "--output", default="splits", metavar="FOLDER", help="where to (splits)"
    )
    parser.epilog = "example:\n  bakeoff split config/attrition.yaml"


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the experiment, e.g. config/config.yaml")
    parser.epilog = (
        "Paths are relative to the folder this is called in, as for `snakemake`.\n\n"
        "example:\n  bakeoff check config/attrition.yaml"
    )


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="one table with the true label and a column of predicted labels per model; or one "
        "table per model, each with ids, predicted and (at least one) true labels; or logs of "
        "evaluations, also folders of them (Inspect, lm-evaluation-harness, promptfoo, DeepEval, "
        "SWE-bench)",
    )
    add_format(parser)
    add_truth_and_id(parser)
    parser.add_argument(
        "--models",
        metavar="A,B,…",
        help="one table: the columns to compare; default: all others",
    )
    parser.add_argument(
        "--predicted",
        metavar="COLUMN",
        help="one table per model: the predicted labels; default: y_pred, predicted, prediction or "
        "pred; without such a column the most probable class",
    )
    parser.add_argument(
        "--names", metavar="A,B,…", help="what to call the models, in their order in the files"
    )
    parser.add_argument(
        "--classes", metavar="A,B,…", help="classes that models may predict and no row has"
    )
    parser.add_argument(
        "--missing-target",
        choices=("error", "drop"),
        default="error",
        help="rows without a true label: refuse them (default), or leave them out",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="compare by this metric, e.g. f1, net_benefit@0.1 or a function of your own as "
        "./mymetrics.py:profit, and tell which models may be the best; may be given several times; "
        "default: accuracy, of numbers rmse; of a table of scores with its direction: rmse:lower",
    )
    add_task(parser)
    parser.add_argument("--unit", metavar="TEXT", help="what predicted numbers are measured in")
    add_positive(parser)
    add_values(parser, "columns")
    parser.add_argument(
        "--counts",
        metavar="N,N,N,N",
        help="two models without a file: rows that both, only A, only B and neither is right on",
    )
    parser.add_argument(
        "--variant",
        metavar="NAME",
        help="McNemar's: midp (default), exact, exact_unconditional, corrected or asymptotic",
    )
    parser.add_argument(
        "--alternative",
        choices=("two-sided", "greater", "less"),
        default="two-sided",
        help="greater: whether the first model of a pair is better",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE",
        help="YAML with `classes` and `matrix` of an experiment's `costs:`; tests the costs too",
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="LEVEL", help="significance level (0.05)"
    )
    parser.add_argument(
        "--correction",
        metavar="NAME",
        help="for more than one pair: bonferroni (default; holm for rows in groups or in "
        "time; max-t with --metric and --values), holm, hochberg, hommel, sidak, holm-sidak, BH, "
        "BY, none and others of `tests: {correction: …}`",
    )
    parser.add_argument(
        "--versus", metavar="MODEL", help="compare this model with each other, not all pairs"
    )
    add_groups(parser)
    parser.add_argument("--time", metavar="COLUMN", help="what orders the rows in time")
    parser.add_argument(
        "--runs",
        metavar="COLUMN",
        help="which run of an item a row is, where ids are items; its runs belong together",
    )
    add_seeds(parser, deterministic=True)
    parser.add_argument(
        "--subgroups",
        metavar="COLUMN,…",
        help="columns that divide the rows: compare the models in each part, and ask whether their "
        "difference is the same in all; a column of numbers is cut where it says, as age:40:65",
    )
    parser.add_argument(
        "--independent-rows",
        action="store_true",
        help="take related rows for independent all the same; the verdict says so",
    )
    scores = parser.add_argument_group("a table of scores, data sets × models")
    scores.add_argument(
        "--datasets",
        metavar="COLUMN",
        help="what names the data sets: each is one observation; a column per model, or a row per "
        "score with columns model and value (results of AMLB, TabArena, WEKA and mlr3 are known)",
    )
    scores.add_argument(
        "--repeats",
        metavar="COLUMN,…",
        help="folds or seeds of one data set: their mean is one score",
    )
    scores.add_argument(
        "--missing",
        choices=("refuse", "at_random", "failed", "drop_dataset", "drop_model"),
        help="what a missing score means: nobody ran it (at_random), or a crash, which ranks last "
        "(failed); default: refuse them",
    )
    scores.add_argument(
        "--elo", action="store_true", help="show Bradley-Terry strengths of a full table too"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    files = parser.add_argument_group("files to write, none by default")
    files.add_argument("--html", metavar="FILE", help="the page: verdict, figures and tables")
    files.add_argument("--markdown", metavar="FILE", help="the verdict and the tables")
    files.add_argument("--latex", metavar="FILE", help="the tables, for a paper")
    files.add_argument("--csv", metavar="FOLDER", help="the tables, a file each")
    parser.epilog = (
        "Two models: McNemar's test (mid-p). More: Cochran's Q, and McNemar's test for the pairs.\n"
        "\nexamples:\n"
        "  bakeoff compare predictions.csv --truth diagnosis\n"
        "  bakeoff compare resnet.csv vit.csv mixer.csv --versus resnet\n"
        "  bakeoff compare predictions.csv --metric f1 --metric mcc --positive sick\n"
        "  bakeoff compare predictions.csv --html report.html --csv tables\n"
        "  bakeoff compare losses.csv --values lower --groups patient\n"
        "  bakeoff compare predictions.csv --subgroups sex,site,age:40:65\n"
        "  bakeoff compare benchmark.csv --datasets dataset --values higher\n"
        "  bakeoff compare resnet.csv vit.csv --seeds seed\n"
        "  bakeoff compare resnet-{seed}.csv vit-{seed}.csv\n"
        "  bakeoff compare results/breast-cancer/collected/*.holdout.predictions.parquet"
    )


def _add_tests(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="explain this one, e.g. cv5x2_f")
    parser.epilog = "example:\n  bakeoff tests cv5x2_f"
