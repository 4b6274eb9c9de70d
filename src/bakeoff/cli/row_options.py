"""Options that commands share: which columns of a table of predictions mean what."""

from __future__ import annotations

import argparse

VALUES = ("higher", "lower", "right", "wrong")
"""What numbers per row may be: which way is better, or what 1 means."""


def add_truth_and_id(parser: argparse.ArgumentParser) -> None:
    """Add the columns of true labels and of row ids."""
    parser.add_argument(
        "--truth",
        metavar="COLUMN",
        help="the true labels; default: y_true, true, truth, label, target or y",
    )
    parser.add_argument("--id", metavar="COLUMN", help="row ids; default: id, row_id or row")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Add the column of groups."""
    parser.add_argument(
        "--groups", metavar="COLUMN", help="which rows belong together (a patient, a user)"
    )
