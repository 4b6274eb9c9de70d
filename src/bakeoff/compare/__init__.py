"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.compare.choose import check_classes, choose_tests, running
from bakeoff.compare.comparison import Comparison, Decision
from bakeoff.compare.gather import run_chosen
from bakeoff.compare.listing import list_tests
from bakeoff.compare.run import Context, run_test

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
