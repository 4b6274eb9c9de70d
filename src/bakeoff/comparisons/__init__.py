"""Names asked for become a plan, the plan with its evidence becomes comparisons."""

from bakeoff.comparisons.plan_tests import (
    advisable,
    check_classes,
    described,
    plan_tests,
    with_halves,
)
from bakeoff.comparisons.run_tests import (
    Comparison,
    Context,
    Decision,
    merged,
    once,
    read_comparisons,
    run_planned,
    run_test,
)

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
