"""The options of `bakeoff compare`; its parser is made without slow imports."""

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


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bakeoff compare`."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="one table with the true label and a column of predicted labels per model; or one "
        "table per model, each with ids, predicted and (at least one) true labels; or logs of "
        "evaluations, also folders of them (Inspect, lm-evaluation-harness, promptfoo)",
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
        help="McNemar's: midp (default), exact, corrected or asymptotic",
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
        help="treat related rows as independent; the verdict says so",
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
        choices=("refuse", "failed", "drop_dataset", "drop_model", "wrong", "common"),
        help="what becomes of a missing score: it ranks last (failed: a crash or a limit), or its "
        "data set or model is left out; of items that a model lacks: they are wrong, or only those "
        "in common are compared; default: refuse what is missing",
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
