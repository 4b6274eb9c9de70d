"""The options of the commands that decide; as light as the parser that they are part of."""

from __future__ import annotations

import argparse

from bakeoff.cli.row_options import (
    add_format,
    add_groups,
    add_positive,
    add_seeds,
    add_task,
    add_truth_and_id,
    add_values,
)


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bakeoff gate`."""
    parser.add_argument("base", metavar="BASE", help="predictions of the model in place")
    parser.add_argument(
        "candidate",
        nargs="?",
        metavar="CANDIDATE",
        help="predictions of the model that may replace it; without this file BASE is one table of "
        "both",
    )
    parser.add_argument(
        "--models",
        metavar="BASE,CANDIDATE",
        help="one table, or one folder of logs: the columns, or the models, of the two",
    )
    add_format(parser)
    parser.add_argument(
        "--margin",
        required=True,
        metavar="SIZE",
        help="the largest loss that does not matter, in the unit of the metric, e.g. 0.01, or in "
        "percent of the base's value, e.g. 2%%; with --superior the smallest gain that does",
    )
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="the metric (default: accuracy, of numbers rmse); net_benefit@0.1 names its option, "
        "./mymetrics.py:profit is a function of your own; of several each must pass, by one margin",
    )
    parser.add_argument(
        "--costs",
        metavar="FILE",
        help="YAML with `classes` and `matrix` of an experiment's `costs:`, for the metrics cost "
        "and expected_cost",
    )
    add_task(parser)
    parser.add_argument("--unit", metavar="TEXT", help="what predicted numbers are measured in")
    add_positive(parser)
    parser.add_argument(
        "--superior",
        action="store_true",
        help="ship only what is shown better by more than the margin, and block the rest",
    )
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="LEVEL",
        help="probability of a false ship, and of a false block (0.05)",
    )
    add_groups(parser)
    parser.add_argument(
        "--runs", metavar="COLUMN", help="which run of an item a row is, where ids are items"
    )
    add_seeds(parser)
    add_values(parser, "tables")
    parser.add_argument(
        "--missing",
        choices=("wrong", "common"),
        help="items that a model lacks are wrong, or only those in common are decided on",
    )
    parser.add_argument(
        "--subgroup",
        action="append",
        metavar="COLUMN",
        help="block where the rows of one of its values are worse; may be given several times",
    )
    add_truth_and_id(parser)
    parser.add_argument(
        "--predicted",
        metavar="COLUMN",
        help="the predicted labels; default: y_pred, predicted, prediction or pred",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    parser.add_argument("--markdown", metavar="FILE", help="write a comment for a pull request too")
    parser.epilog = (
        "Exit code: 0 ship, 1 block, 2 undecided, 3 a mistake.\n\n"
        "examples:\n"
        "  bakeoff gate resnet.csv vit.csv --margin 0.01\n"
        "  bakeoff gate resnet.csv vit.csv --margin 0.02 --metric f1\n"
        "  bakeoff gate predictions.csv --models resnet,vit --margin 0.01 --groups patient\n"
        "  bakeoff gate ridge.csv forest.csv --metric rmse --margin 2%\n"
        "  bakeoff gate samples_old.jsonl samples_new.jsonl --margin 0.01 --values right"
    )


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bakeoff plan`."""
    parser.add_argument(
        "--difference",
        type=float,
        metavar="SIZE",
        help="true difference to find, in the unit of the metric; with --margin the true "
        "difference, default 0",
    )
    parser.add_argument(
        "--accuracy", type=float, metavar="SHARE", help="of the better model, about"
    )
    parser.add_argument(
        "--disagree",
        type=float,
        metavar="SHARE",
        help="of the rows, on which just one model is right; default: that of independent errors, "
        "from --accuracy",
    )
    parser.add_argument(
        "--margin",
        type=float,
        metavar="SIZE",
        help="with --pilot: show that A is not worse than B by this, or with --equal that neither "
        "is",
    )
    parser.add_argument("--equal", action="store_true", help="equality within the margin")
    parser.add_argument(
        "--pilot",
        nargs="+",
        metavar="FILE",
        help="predictions of two models on the same rows, from which the noise is taken",
    )
    add_format(parser, "pilot")
    parser.add_argument(
        "--metric", metavar="NAME", help="of the pilot's predictions (accuracy, of numbers rmse)"
    )
    add_task(parser)
    add_positive(parser)
    parser.add_argument(
        "--pair", metavar="A,B", help="one table, or folder of logs, as pilot: the two models"
    )
    add_values(parser, "pilot's tables", of_runs=False)
    parser.add_argument(
        "--runs", metavar="COLUMN", help="which run of an item a row of the pilot is"
    )
    add_truth_and_id(parser)
    add_groups(parser)
    parser.add_argument(
        "--test",
        choices=("mcnemar", "cv5x2_f"),
        default="mcnemar",
        help="without a pilot: McNemar's test on one test set, or the F test of 5x2cv",
    )
    parser.add_argument(
        "--models", type=int, default=2, metavar="N", help="how many are compared, all pairs (2)"
    )
    parser.add_argument(
        "--versus", action="store_true", help="of several models: one against each other"
    )
    parser.add_argument(
        "--correction", default="bonferroni", metavar="NAME", help="for several pairs (bonferroni)"
    )
    parser.add_argument(
        "--rows",
        type=int,
        metavar="N",
        help="report the power with so many rows; without --difference the difference that they "
        "detect",
    )
    parser.add_argument("--power", type=float, default=0.8, metavar="SHARE", help="wanted (0.8)")
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="LEVEL", help="significance level (0.05)"
    )
    parser.add_argument(
        "--one-sided", action="store_true", help="ask only whether A is better than B"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    parser.add_argument("--figure", metavar="FILE", help="write the curve as SVG too")
    parser.epilog = (
        "examples:\n"
        "  bakeoff plan --accuracy 0.85 --difference 0.02 --disagree 0.1\n"
        "  bakeoff plan --rows 2000 --disagree 0.1\n"
        "  bakeoff plan --pilot resnet.csv vit.csv --metric f1 --difference 0.05\n"
        "  bakeoff plan --pilot ridge.csv forest.csv --metric rmse --margin 0.5\n"
        "  bakeoff plan --pilot predictions.csv --pair resnet,vit --rows 2000"
    )


def add_publish(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bakeoff publish`."""
    parser.add_argument("results", metavar="FOLDER", help="of a finished run: results/attrition")
    parser.add_argument(
        "--card",
        metavar="FILE",
        help="write the evaluation part of a model card, of the model that scores best (Markdown, "
        "with metadata for Hugging Face); without an option it is printed",
    )
    parser.add_argument(
        "--mlflow",
        metavar="STORE",
        help="write a run of MLflow for each model: its metrics with intervals, the report, the "
        "verdict; the address of a server, or sqlite:///mlflow.db",
    )
    parser.epilog = (
        "examples:\n"
        "  bakeoff publish results/attrition --card README.md\n"
        "  bakeoff publish results/attrition --mlflow http://localhost:5000\n"
    )
