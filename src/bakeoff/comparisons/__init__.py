"""Which test applies to which evidence; families of hypotheses, corrections, decisions."""

from bakeoff.comparisons.comparison import Comparison, Decision, merged, once, read_comparisons
from bakeoff.comparisons.plan_tests import (
    advisable,
    check_classes,
    described,
    plan_tests,
    with_halves,
)
from bakeoff.comparisons.run_tests import Context, run_planned, run_test

__all__ = [
    "Comparison",
    "Context",
    "Decision",
    "advisable",
    "check_classes",
    "described",
    "merged",
    "once",
    "plan_tests",
    "read_comparisons",
    "run_planned",
    "run_test",
    "with_halves",
]
