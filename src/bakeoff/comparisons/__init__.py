"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.comparisons.choose import check_classes, choose_tests, running
from bakeoff.comparisons.comparison import Comparison, Decision, merged, once, read_rows
from bakeoff.comparisons.family import Context, run_test
from bakeoff.comparisons.feed import advisable, with_halves
from bakeoff.comparisons.gather import run_chosen
from bakeoff.comparisons.listing import list_tests

__all__ = [
    "Comparison",
    "Context",
    "Decision",
    "advisable",
    "check_classes",
    "choose_tests",
    "list_tests",
    "merged",
    "once",
    "read_rows",
    "run_chosen",
    "run_test",
    "running",
    "with_halves",
]
