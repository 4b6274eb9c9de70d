"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.compare.choose import check_classes, choose_tests, running
from bakeoff.compare.comparison import Comparison, Decision, merged, once
from bakeoff.compare.family import Context, run_test
from bakeoff.compare.feed import advisable, with_halves
from bakeoff.compare.gather import run_chosen
from bakeoff.compare.listing import list_tests

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
    "run_chosen",
    "run_test",
    "running",
    "with_halves",
]
