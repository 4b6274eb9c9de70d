"""The few commands that are not `snakemake`.

This module is imported at every start: what takes time is imported by the command that needs it.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import textwrap
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

from bakeoff import __version__
from bakeoff.cli.terminal import check_streams, forgive_stderr, unread
from bakeoff.errors import UserError, printable, shown, unknown
from bakeoff.files import write_in_any_encoding
from bakeoff.options import (
    ALIASES,
    OPTIONS,
    Interface,
    InterfaceKind,
    flag,
    metric_and_margin,
    read_value,
    texts,
    used_by,
)

_USAGE = {"": "{}", "?": "[{}]", "*": "[{} …]"}
"""How many arguments of a name there are, as argparse writes it, and how its usage does."""


class Command(NamedTuple):
    """A command: its module, its arguments, its options in groups, and examples."""

    help: str
    module: str
    """Where its function stands, unless here."""
    arguments: Mapping[str, tuple[str, str]]
    """By name: how many there are, as argparse writes it, and what they are."""
    options: Mapping[str, str]
    """By the title of a group, the names of its options."""
    rare: str = ""
    """The names of options that are set by ``--set``."""
    meaning: Mapping[str, str] = {}
    """What options mean here, where not what they mean elsewhere."""
    epilog: str = ""

    @property
    def names(self) -> list[str]:
        """The names of its options."""
        return " ".join(self.options.values()).split()

    @property
    def interface(self) -> Interface:
        """What messages call its options; where a command has none, they are keys of a file."""
        if not self.options:
            return Interface()
        rare = frozenset(self.rare.split())
        return Interface(InterfaceKind.COMMAND, frozenset(self.names), rare)

    @property
    def keys(self) -> list[str]:
        """The names of its options, those too that are set by ``--set``."""
        return [*self.names, *self.rare.split()]


_PREDICTIONS = (
    "one table with the true label and a column of predicted labels per model; or one table per "
    "model, each with ids, predicted and (at least one) true labels; or logs of evaluations, also "
    "folders of them (Inspect, lm-evaluation-harness, HELM, SWE-bench …)"
)
_RUNS = "runs seeds"
_TRUTH = f"{OPTIONS['truth'].help} Or a file of row ids with the truth, beside submissions."
COMMANDS = {
    "init": Command(
        help="write a commented experiment from a table and its target, or lay out a folder",
        module="init",
        arguments={"data": ("?", "CSV, TSV, Parquet or Feather, also compressed")},
        options={"options": "target task output folder"},
        rare="format encoding missing_values",
        meaning={
            "output": "Where to write; default: config/<name>.yaml where there is a folder config, "
            "else <name>.yaml; - prints.",
            "task": "Whether the target holds classes (`classification`) or numbers "
            "(`regression`); default: numbers where it has fractions or very many different "
            "values.",
        },
        epilog="examples:\n"
        "  bakeoff init data/loans.csv --target defaulted\n"
        "  bakeoff init --folder attrition-study",
    ),
    "check": Command(
        help="say what an experiment will do, before it does it",
        module="check",
        arguments={"file": ("", "the experiment, e.g. config/config.yaml")},
        options={},
        epilog="Paths are relative to the folder this is called in, as for `snakemake`.\n\n"
        "example:\n  bakeoff check config/attrition.yaml",
    ),
    "run": Command(
        help="run an experiment in this folder, by the workflow that comes with the package",
        module="",
        arguments={"file": ("", "the experiment, e.g. attrition.yaml")},
        options={"options": "cores profile"},
        epilog="All other options go to snakemake unchanged, whose exit code this is.\n\n"
        "examples:\n"
        "  bakeoff run attrition.yaml --cores 4\n"
        "  bakeoff run attrition.yaml --dry-run --forcerun compare",
    ),
    "compare": Command(
        help="compare existing predictions",
        module="compare",
        arguments={"files": ("*", _PREDICTIONS)},
        options={
            "what is compared": "metrics truth id models values positive task tasks weights counts "
            "datasets missing impute",
            "rows that depend on each other": "groups time subgroups",
            "several runs": f"{_RUNS} paired",
            "the test": "versus alpha correction",
            "preferences, judges, a running evaluation": "preferences order judge human of",
            "output": "json output",
        },
        rare="prompt winner alternative variant tests costs independent_rows deterministic "
        "predicted value classes unit format encoding missing_values missing_target",
        meaning={
            "truth": _TRUTH,
            "groups": f"{OPTIONS['groups'].help} Of a table of scores which data sets.",
            "runs": f"{OPTIONS['runs'].help} Of a table of scores the folds or seeds of a data "
            "set, whose mean is one score.",
            "tests": "Of a table of scores the tests to run in place of the recommended one, as "
            "friedman,nemenyi; see `bakeoff tests`.",
            "output": "Write a file, by its ending: the page (.html), the verdict and the tables "
            "(.md), the tables for a paper (.tex); without an ending a folder of the tables "
            "(CSV). May be given several times.",
        },
        epilog="Two models: McNemar's test (mid-p). More: Cochran's Q, and McNemar's test for the "
        "pairs.\n"
        "\nexamples:\n"
        "  bakeoff compare predictions.csv --truth diagnosis\n"
        "  bakeoff compare predictions.csv --metric f1 --metric mcc --positive sick\n"
        "  bakeoff compare predictions.csv --output report.html --output tables\n"
        "  bakeoff compare predictions.csv --subgroups sex,site,age:40:65\n"
        "  bakeoff compare benchmark.csv --datasets dataset --values higher\n"
        "  bakeoff compare resnet-{seed}.csv vit-{seed}.csv\n"
        "  bakeoff compare battles.jsonl --models ours,base\n"
        "  bakeoff compare marks.csv --values right --judge judge --human human\n"
        "  bakeoff compare logs/ --values right --of 1000",
    ),
    "plan": Command(
        help="plan how many rows a comparison needs",
        module="decisions",
        arguments={
            "files": (
                "*",
                "a pilot: predictions of two models on the same rows, from which the noise is "
                "taken; one table of both, or one of each",
            )
        },
        options={
            "what is planned": "difference margin equal rows power alpha",
            "without a pilot": "accuracy discordance",
            "the pilot": "metrics truth models values groups runs seeds datasets",
            "labels of people beside a judge": "human_labels judge_accuracy items half_width judge "
            "human",
            "output": "json",
        },
        rare="alternative test id predicted value positive task tasks format encoding "
        "missing_values",
        meaning={
            "margin": "Show that A is not worse than B by this much.",
            "truth": _TRUTH,
            "models": "In one table, or in logs of several models, the two.",
            "runs": "Which run of an item a row is: how many items are needed with 1, 2, 4 … runs "
            "of each.",
            "seeds": "The column that counts training runs, of a table of their scores: how many "
            "are needed.",
            "datasets": "The column of the data sets, of a table of scores of training runs.",
            "alternative": "`greater`: one-sided, for A being better.",
        },
        epilog="examples:\n"
        "  bakeoff plan --accuracy 0.85 --difference 0.02 --discordance 0.1\n"
        "  bakeoff plan --rows 2000 --discordance 0.1\n"
        "  bakeoff plan resnet.csv vit.csv --metric f1 --difference 0.05\n"
        "  bakeoff plan predictions.csv --models resnet,vit --rows 2000\n"
        "  bakeoff plan --discordance 0.1 --margin 0.02\n"
        "  bakeoff plan logs/ --models a,b --values right --runs run --difference 0.03\n"
        "  bakeoff plan runs.csv --seeds seed --values higher --difference 0.01\n"
        "  bakeoff plan --human-labels --judge-accuracy 0.85 --items 1000 --half-width 0.05",
    ),
    "gate": Command(
        help="decide whether a candidate may take the place of a base",
        module="decisions",
        arguments={
            "base": ("", "predictions of the model in place"),
            "candidate": (
                "?",
                "predictions of the model that may replace it; without this file BASE is one table "
                "of both",
            ),
        },
        options={
            "the decision": "margin each_task superior metrics alpha",
            "what is compared": "truth id models values positive task missing allow_missing",
            "rows that depend on each other": "groups subgroups",
            "several runs": _RUNS,
            "preferences, judges, a running evaluation": "judge human of",
            "output": "json output junit",
        },
        rare="prompt winner order costs unit tasks predicted value format encoding missing_values",
        meaning={
            "margin": OPTIONS["margin"].help[:-1] + "; with --superior the smallest gain that "
            "does.",
            "metrics": OPTIONS["metrics"].help + " Of several each must pass; NAME:SIZE gives one "
            "a margin of its own, as brier:0.005 or f1:2%.",
            "subgroups": "Block where the rows of one of the values of such a column are worse.",
            "alpha": "Probability of a false ship, and of a false block.",
            "truth": _TRUTH,
            "models": "In one table, or in logs of several models, base and candidate.",
            "output": "Write a comment for a pull request (Markdown) too.",
        },
        epilog="Exit code: 0 ship, 1 block, 2 undecided, 3 a mistake.\n\n"
        "examples:\n"
        "  bakeoff gate resnet.csv vit.csv --margin 0.01\n"
        "  bakeoff gate predictions.csv --models resnet,vit --margin 0.01 --groups patient\n"
        "  bakeoff gate resnet.csv vit.csv --metric accuracy:0.01 --metric f1:2%\n"
        "  bakeoff gate samples_old.jsonl samples_new.jsonl --margin 0.01 --values right\n"
        "  bakeoff gate battles.jsonl --models base,ours --margin 0.05",
    ),
    "tests": Command(
        help="list the statistical tests, or explain one",
        module="decisions",
        arguments={"name": ("?", "explain this one, e.g. cv5x2_f")},
        options={},
        epilog="example:\n  bakeoff tests cv5x2_f",
    ),
}
"""The commands, in the order in which they are listed."""

MISTAKES = {"gate": 3}
"""Exit codes for a mistake that are not 2: there it says "undecided"."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


_SHORT = {"output": "-o", "cores": "-c"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command."""
    write_in_any_encoding()
    if arguments is None:
        forgive_stderr()
        words = sys.argv[1:]
    else:
        words = list(arguments)
    if not words:
        words = ["--help"]
    try:
        check_streams()
        args = _parsed(words)
    except UserError as error:
        sys.stderr.write(f"{printable(str(error))}\n")
        return MISTAKES.get(words[0], 2)
    # code of the user's may end the process, and with 0 a gate would say that the model may ship
    if arguments is None and _calls_own_code(args):
        return _in_child(args)
    return _run(args)


def _parsed(words: list[str]) -> argparse.Namespace:
    """Read the words of a command line; refuse what its command does not have."""
    parser = make_parser()
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        raise UserError(f"bakeoff: {unknown('command', words[0], COMMANDS)}")
    args, further = parser.parse_known_args(words)
    args.arguments = words
    args.further = further
    # snakemake has options of its own
    if further and args.command != "run":
        raise UserError(_why_refused(COMMANDS[args.command], further))
    if args.command != "gate":
        _refuse_margins(_metrics_and_margins(args))
    return args


def _metrics_and_margins(args: argparse.Namespace) -> list[tuple[str, str | None]]:
    """Return the metrics that a command line names, and the margins behind them."""
    texts = getattr(args, "metrics", None) or ()
    return [metric_and_margin(text) for text in texts]


def _calls_own_code(args: argparse.Namespace) -> bool:
    """Tell whether a command imports code of the user's: models, or functions of metrics."""
    if args.command == "check":
        return True
    return any(":" in name for name, _ in _metrics_and_margins(args))


def _in_child(args: argparse.Namespace) -> int:
    """Run a command in a child process, and return the exit code that it says at its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        code = _run(args)
        os.write(writing, bytes([code]))
        return code
    # a terminal's interrupt reaches the child too
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, status = os.waitpid(child, 0)
    # a process that the child left may hold the other end
    os.set_blocking(reading, False)
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
    """Run a command, and return its exit code."""
    mistake = MISTAKES.get(args.command, 2)
    try:
        module = COMMANDS[args.command].module
        command = run
        if module:
            command = getattr(import_module(f"bakeoff.cli.{module}"), args.command)
        with used_by(COMMANDS[args.command].interface):
            code = command(args) or 0
        with unread():
            sys.stdout.flush()
    except (UserError, UnicodeEncodeError) as error:
        sys.stderr.write(f"{printable(str(error))}\n")
        return mistake
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except Exception:
        if args.command not in MISTAKES:
            raise
        # Python would end with 1, which is a decision
        traceback.print_exc()
        return mistake
    return int(code)


def run(args: argparse.Namespace) -> None:
    """Run an experiment in place of this process, so that the exit code is snakemake's."""
    from bakeoff.execution.launch import command
    from bakeoff.spec.judged import is_judged_experiment

    if is_judged_experiment(args.file):
        from bakeoff.cli.judged_runs import run_file

        if args.further:
            raise UserError(_why_refused(COMMANDS["run"], args.further))
        run_file(args.file)
        return
    line = command(args.file, args.further, args.profile or (), args.cores)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)


def _why_refused(spec: Command, further: Sequence[str]) -> str:
    """Say of options that a command does not have what to write instead."""
    words = [text.partition("=")[0] for text in further]
    # what stands behind an unknown option may be its value
    word = next((word for word in words if word.startswith("-")), words[0])
    key = word.lstrip("-").replace("-", "_")
    if key in spec.rare.split():
        return f"{key}: write `--set {key}={OPTIONS[key].value}`"
    if word.startswith("-"):
        names = list(spec.names)
        if spec.rare:
            names.append("set")
        return unknown("option", word, map(flag, names))
    return f"{word!r} is one argument too many"


def _refuse_margins(named: Sequence[tuple[str, str | None]]) -> None:
    """Refuse a margin behind the name of a metric."""
    for name, margin in named:
        if margin is not None:
            raise UserError(
                f"metrics: found '{name}:{margin}', expected the name alone: a margin of a metric "
                "is for `bakeoff gate`"
            )


class _Parser(argparse.ArgumentParser):
    """An argument parser that exits with its command's exit code for errors."""

    def error(self, message: str) -> NoReturn:
        code = MISTAKES.get(self.prog.split()[-1], 2)
        self.exit(code, f"{self.prog}: {message}; see `{self.prog} --help`\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse passes over help that cannot be written
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        with unread():
            sys.stdout.write(message)
            sys.stdout.flush()


class _Once(argparse.Action):
    """Store the value of an option, which may be given once: of two values none is the wanted."""

    def __call__(self, _: Any, namespace: argparse.Namespace, value: Any, *__: Any) -> None:
        set_once(namespace, self.dest, value)


def set_once(namespace: argparse.Namespace, name: str, value: Any) -> None:
    """Set an option of one value, or refuse the second one."""
    given = vars(namespace).setdefault("given", {})
    if name in given:
        raise UserError(
            f"{name}: found {shown(given[name])} and {shown(value)}, expected the option "
            f"once{_instead_of_two(name)}"
        )
    given[name] = value
    setattr(namespace, name, value)


def _instead_of_two(name: str) -> str:
    """Say what to write in place of an option that is given twice."""
    if name == "margin":
        return "; a metric has a margin of its own as `--metric NAME:SIZE`"
    if OPTIONS[name].type is texts:
        return "; several go into one value, between commas"
    return ""


class _Set(argparse.Action):
    """Set an option that few need, by ``--set KEY=VALUE``."""

    def __call__(self, _: Any, namespace: argparse.Namespace, given: Any, *__: Any) -> None:
        name, equals, text = given.partition("=")
        key = name.strip().replace("-", "_")
        if not equals:
            raise UserError(f"set: found {given!r}, expected KEY=VALUE")
        if key not in self.const:
            raise UserError(f"set: {unknown('key', key, self.const)}")
        set_once(namespace, key, read_value(key, text))


def _flags(name: str) -> list[str]:
    """Return the short form of an option, its long one, and its aliases."""
    flags = [flag(name)]
    if name in _SHORT:
        flags.insert(0, _SHORT[name])
    for alias, meant in ALIASES.items():
        if meant == name:
            flags.append(flag(alias))
    return flags


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    parser = _Parser(
        prog="bakeoff",
        description="Is model A really better than B, or was it the split? `bakeoff run`, or "
        "`snakemake` in a checkout, runs an experiment; the others stand around it.",
        epilog="`bakeoff COMMAND --help` explains one.",
        usage="bakeoff [--version] COMMAND …",
    )
    parser.add_argument("--version", action="version", version=f"bakeoff {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, spec in COMMANDS.items():
        usage = " ".join(["bakeoff", name, "[options]", *_usage_of_arguments(spec)])
        command = commands.add_parser(
            name,
            prog=f"bakeoff {name}",
            help=spec.help,
            description=f"{spec.help[0].upper()}{spec.help[1:]}.",
            epilog=spec.epilog,
            usage=usage,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,  # a mistyped option is told, and snakemake has options of its own
        )
        for argument, (how_many, what) in spec.arguments.items():
            number: dict[str, Any] = {}
            if how_many:
                number["nargs"] = how_many
            command.add_argument(argument, metavar=argument.upper(), help=what, **number)
        for title, options in spec.options.items():
            group = command.add_argument_group(title)
            for option in options.split():
                _add_option(group, option, spec)
        if spec.rare:
            _add_rare_options(command, spec)
    return parser


def _usage_of_arguments(spec: Command) -> list[str]:
    """Write the arguments of a command as its usage shows them."""
    usages = []
    for argument, (how_many, _) in spec.arguments.items():
        usages.append(_USAGE[how_many].format(argument.upper()))
    return usages


def _add_option(group: argparse._ArgumentGroup, name: str, spec: Command) -> None:
    """Add an option of a command to a group of them."""
    option = OPTIONS[name]
    text = spec.meaning.get(name, option.help).replace("%", "%%")
    if not option.value:
        group.add_argument(*_flags(name), dest=name, action="store_true", help=text)
        return
    if isinstance(option.default, int | float):
        text += f" Default: {option.default:g}."
    action: Any = _Once
    if option.value.endswith(" …"):
        # a text is one of several, a list joins those before
        action = "extend"
        if option.type is str:
            action = "append"
    group.add_argument(
        *_flags(name),
        dest=name,
        action=action,
        type=partial(read_value, name),
        default=option.default,
        metavar=option.value.removesuffix(" …"),
        help=text,
    )


def _add_rare_options(command: argparse.ArgumentParser, spec: Command) -> None:
    """Add `--set`, with the keys that it sets."""
    names = spec.rare.split()
    keys = []
    for name in names:
        text = f"{name}={OPTIONS[name].value}: {spec.meaning.get(name, OPTIONS[name].help)}"
        keys.append(textwrap.fill(text, 96, initial_indent="  ", subsequent_indent="      "))
        command.set_defaults(**{name: OPTIONS[name].default})
    command.add_argument_group("what few need", "\n".join(keys)).add_argument(
        "--set",
        action=_Set,
        const=names,
        metavar="KEY=VALUE",
        help="One of these keys; may be given several times.",
    )
