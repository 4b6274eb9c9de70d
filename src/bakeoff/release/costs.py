"""What errors cost, for the metrics of a gate that look at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.errors import Problem
from bakeoff.scores.metrics import Metric, Need
from bakeoff.spec import Costs
from bakeoff.spec.load import validated


def costs_for(found: Any, classes: Sequence[str]) -> Costs:
    """Check costs, which must be of these classes.

    Raises
    ------
    UserError
        They are not as `costs:` of an experiment, or are of other classes.
    """
    costs = validated(Costs, found, ("costs",))
    if sorted(costs.names) != sorted(classes):
        raise Problem(
            ("costs",),
            f"found the classes {', '.join(costs.names)}, the rows have {', '.join(classes)}",
        )
    return costs


def check_costs(metric: Metric, costs: Costs | None) -> None:
    """Refuse a metric of costs without them, and costs that no metric looks at."""
    if metric.priced and costs is None:
        raise Problem(("costs",), f"the metric {metric} needs `classes` and a `matrix` of costs")
    if metric.needs is Need.PRIORS and costs is not None and costs.priors is None:
        raise Problem(("costs",), f"the metric {metric} needs `priors` too")
    if costs is not None and not metric.priced:
        raise Problem(("costs",), f"{metric} looks at no costs: compare by cost or expected_cost")


def cost_arguments(costs: Costs | None, classes: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a metric that say what errors cost, in the order of the classes."""
    if costs is None:
        return {}
    priors = None if costs.priors is None else costs.shares(classes)
    return {"cost": costs.of(classes), "priors": priors}
