"""Names asked for become a plan, the plan with its evidence becomes comparisons."""

from bakeoff.comparisons.plan_tests import (
    check_classes,
    described,
    plan_tests,
)
from bakeoff.comparisons.run_tests import (
    Comparison,
    Context,
    Decision,
    merged,
    once,
    run_planned,
    run_test,
)

__all__ = [
    "Comparison",
    "Context",
    "Decision",
    "check_classes",
    "described",
    "merged",
    "once",
    "plan_tests",
    "run_planned",
    "run_test",
]
