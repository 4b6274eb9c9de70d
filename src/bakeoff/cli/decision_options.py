"""The options of the commands that decide; as light as the parser that they are part of."""

from __future__ import annotations

import argparse


def add_claim(parser: argparse.ArgumentParser) -> None:
    """Add the options of `bakeoff claim`."""
    parser.add_argument(
        "--a", required=True, metavar="SHARE", help="as printed: 0.870 says more than 0.87; or 87%%"
    )
    parser.add_argument("--b", required=True, metavar="SHARE", help="that of the other model")
    parser.add_argument(
        "--n",
        required=True,
        type=int,
        metavar="ROWS",
        help="rows of the test set; for sensitivity the positive ones, for specificity the others",
    )
    parser.add_argument(
        "--metric",
        choices=("accuracy", "sensitivity", "specificity", "f1", "roc_auc"),
        default="accuracy",
        help="what was printed (accuracy); of f1 and roc_auc less can be said",
    )
    parser.add_argument(
        "--positives", type=int, metavar="ROWS", help="f1 and roc_auc: rows of the positive class"
    )
    parser.add_argument(
        "--agree", metavar="SHARE", help="of the rows, on which both are right or both are wrong"
    )
    parser.add_argument(
        "--digits", type=int, metavar="N", help="behind the point; default: as many as are written"
    )
    parser.add_argument(
        "--variant",
        choices=("midp", "exact", "asymptotic", "corrected"),
        default="midp",
        help="of McNemar's test (midp)",
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, metavar="LEVEL", help="significance level (0.05)"
    )
    parser.add_argument(
        "--power", type=float, default=0.8, metavar="SHARE", help="for the rows needed (0.8)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    parser.epilog = (
        "examples:\n"
        "  bakeoff claim --a 0.87 --b 0.85 --n 500\n"
        "  bakeoff claim --a 0.87 --b 0.85 --n 500 --agree 0.9\n"
        "  bakeoff claim --metric roc_auc --a 0.91 --b 0.88 --n 200 --positives 60"
    )
