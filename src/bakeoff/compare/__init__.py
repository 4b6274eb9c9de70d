"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.compare.choose import check_classes, choose_tests, running
from bakeoff.compare.comparison import Comparison, Decision
from bakeoff.compare.family import Context, run_test
from bakeoff.compare.gather import run_chosen
from bakeoff.compare.listing import list_tests

__all__ = [
    "Comparison",
    "Context",
    "Decision",
    "check_classes",
    "choose_tests",
    "list_tests",
    "run_chosen",
    "run_test",
    "running",
]
