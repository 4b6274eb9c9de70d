"""What tests find on small evidence, row by row, is as recorded in found.txt.

After a change that is wanted, `python -m tests.unit.comparisons.test_found` computes it anew.
"""

import dataclasses
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.row_tables import score_intervals, subgroup_table
from bakeoff.comparisons.run_tests import Comparison, Context
from bakeoff.stats.metrics import differences
from tests.conftest import agree_to_six_digits, recorded
from tests.unit.comparisons import test_families, test_row_tables

FILE = Path(__file__).with_name("found.txt")
ANEW = "if this change is wanted: python -m tests.unit.comparisons.test_found"
NAMES = {**vars(test_row_tables), **vars(test_families), "replace": dataclasses.replace, "np": np}
NAMES |= {"intervals": score_intervals, "subgroups": subgroup_table, "pd": pd, "Context": Context}
NAMES |= {"rows": test_row_tables.rows}
RESAMPLES = 499
"""Of the bootstrap: the lines are recorded, not read as intervals."""
USUAL = ("", None, "pair", "d", "d0", "kfold", "accuracy", "two-sided", 0.05, "ok")
"""Values that a line leaves out; NaN too."""


def found(call):
    """Yield a line for each row: what is known of it, and which of its checks failed."""
    with patch.object(differences, "_RESAMPLES", RESAMPLES):
        rows = eval(call, NAMES)
    for row in rows:
        line = row.to_row() if isinstance(row, Comparison) else row
        told = {k: v for k, v in line.items() if v == v and v not in USUAL}
        words = [f"{k} {v:.6g}" if isinstance(v, float) else f"{k} {v}" for k, v in told.items()]
        result = row.result if isinstance(row, Comparison) else {}
        failed = [one["detail"] for one in result.get("assumptions", ()) if one["holds"] is False]
        yield "; ".join([*words, *filter(None, [result.get("reason"), *failed])])


RECORDED = recorded(FILE)


@pytest.mark.parametrize("call", RECORDED)
def test_found_as_recorded(call):
    lines = list(found(call))
    told = "\n".join([ANEW, *lines])
    assert len(lines) == len(RECORDED[call]), told
    assert all(map(agree_to_six_digits, lines, RECORDED[call])), told


if __name__ == "__main__":
    anew = ("\n".join([call, *found(call)]) for call in RECORDED)
    FILE.write_text("\n\n".join(anew) + "\n", encoding="utf-8")
