"""The few commands that are not `snakemake`.

This module is imported at every start: what takes time is imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from bakeoff import __version__
from bakeoff.cli.comparison_options import add_compare
from bakeoff.cli.decision_options import add_gate, add_plan, add_publish
from bakeoff.cli.row_options import add_format
from bakeoff.cli.terminal import unread
from bakeoff.errors import UserError, printable
from bakeoff.files import write_in_any_encoding

COMMANDS = {
    "init": "write a commented experiment from a table and its target, or lay out a folder",
    "check": "say what an experiment will do, before it does it",
    "run": "run an experiment in this folder, by the workflow that comes with the package",
    "compare": "compare existing predictions",
    "plan": "plan how many rows a comparison needs",
    "gate": "decide whether a candidate may take the place of a base",
    "publish": "write a finished run as a model card, or into MLflow",
    "tests": "list the statistical tests, or explain one",
}

RETIRED = {
    "claim": "published numbers alone determine no p-value; compare the predictions with "
    "`bakeoff compare`",
    "new": "write `bakeoff init --folder FOLDER`",
    "split": "`bakeoff run FILE --until split_dataset` writes results/<experiment>/splits/",
    "power": "the report says which difference each test would find; `bakeoff plan` plans rows",
    "gate --ledger": "for the k-th decision by one test set give --alpha as alpha/(k(k + 1))",
    "gate --junit": "the exit code and --json tell a build the decision",
    "plan --icc": "give a --pilot with --groups, from which the noise is taken",
    "plan --per-group": "give a --pilot with --groups, from which the noise is taken",
    "plan --seeds": "training runs are not planned; `bakeoff compare --seeds` shows their noise",
}
"""Commands and options of before, each with the end of a sentence that says what to do instead."""

MISTAKES = {"gate": 3}
"""Exit codes for a mistake that are not 2: there it says "undecided"."""


INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    write_in_any_encoding()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in RETIRED:
        sys.stderr.write(f"bakeoff {given[0]}: {RETIRED[given[0]]}\n")
        return 2
    parser = make_parser()
    args, further = parser.parse_known_args(given)
    args.arguments = given
    if args.command == "run":
        args.further = further
    elif further:
        options = [word.partition("=")[0] for word in further]
        told = {option: RETIRED.get(f"{args.command} {option}") for option in options}
        gone = [f"{option}: {instead}" for option, instead in told.items() if instead]
        command = f"{parser.prog} {args.command}"
        error = gone[0] if gone else f"unrecognized arguments: {' '.join(further)}"
        _Parser(command, add_help=False).error(error)
    # code of the user's may end the process, and Python code in atexit change its exit code
    calls_own = args.command == "check" or any(":" in one for one in _metrics(args))
    return _in_child(args) if arguments is None and calls_own else _run(args)


def _metrics(args: argparse.Namespace) -> Sequence[str]:
    found = getattr(args, "metric", None) or ()
    return [found] if isinstance(found, str) else found


def _in_child(args: argparse.Namespace) -> int:
    """Run a command in a child process, and return the exit code that it says at its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        code = _run(args)
        os.write(writing, bytes([code]))
        return code
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's reaches the child too
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, status = os.waitpid(child, 0)
    os.set_blocking(reading, False)  # a process that the child left may hold the other end
    try:
        return os.read(reading, 1)[0]
    except (IndexError, BlockingIOError):
        ended = os.waitstatus_to_exitcode(status)
        sys.stderr.write(
            f"the command ended before it had an answer (exit code {ended}): code of your own "
            "ended it, or the system did\n"
        )
        return MISTAKES.get(args.command, 2)


def _run(args: argparse.Namespace) -> int:
    code = 0
    try:
        _check_files(args)
        code = import_module(f"bakeoff.cli.{args.command}").run(args) or 0
    except UserError as error:
        sys.stderr.write(f"{printable(str(error))}\n")
        return MISTAKES.get(args.command, 2)
    except UnicodeEncodeError as error:  # an argument's bytes are not in the terminal's encoding
        found = ascii(error.object[:60])
        sys.stderr.write(
            f"{found} is no text in the encoding of this terminal: write it in UTF-8\n"
        )
        return MISTAKES.get(args.command, 2)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BaseException:
        if args.command not in MISTAKES:
            raise
        traceback.print_exc()  # Python would end with 1, which is a decision
        return MISTAKES[args.command]
    with unread():
        sys.stdout.flush()
    return code


def _check_files(args: argparse.Namespace) -> None:
    """Refuse files and folders that are not there, before anything slow is imported."""
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
        "check": _add_check,
        "run": _add_run,
        "compare": add_compare,
        "plan": add_plan,
        "gate": add_gate,
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
    parser.add_argument("data", nargs="?", help="CSV, TSV, Parquet or Feather, also compressed")
    parser.add_argument("--target", metavar="COLUMN", help="the column to predict")
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        help="instead: a new or empty folder, in which an example is laid out that runs as it is",
    )
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
    parser.epilog = (
        "examples:\n"
        "  bakeoff init data/loans.csv --target defaulted\n"
        "  bakeoff init --folder attrition-study"
    )


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


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="the experiment, e.g. config/config.yaml")
    parser.epilog = (
        "Paths are relative to the folder this is called in, as for `snakemake`.\n\n"
        "example:\n  bakeoff check config/attrition.yaml"
    )


def _add_tests(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="explain this one, e.g. cv5x2_f")
    parser.epilog = "example:\n  bakeoff tests cv5x2_f"
