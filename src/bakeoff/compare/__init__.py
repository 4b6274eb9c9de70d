"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.compare.choose import choose_tests
from bakeoff.compare.comparison import Comparison, Decision
from bakeoff.compare.run import Context, run_test

__all__ = ["Comparison", "Context", "Decision", "choose_tests", "run_test"]
