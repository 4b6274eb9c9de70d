"""Evidence of a gate: the predictions of base and candidate on the same rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.observations import Observations, Predicted
from bakeoff.errors import Problem
from bakeoff.scores.metrics import METRICS, Need, no_metric, of_other_task
from bakeoff.spec import Costs
from bakeoff.spec.load import validated
from bakeoff.spec.task import Task
from bakeoff.stats import (
    Limits,
    Result,
    accuracy_limits,
    check_margin,
    looks_at,
    mean_limits,
    metric_ci,
    metric_limits,
    recipe_difference,
    recipe_mean_difference,
)


@dataclasses.dataclass(frozen=True)
class GateRows:
    """Base and candidate on the same rows, in this order."""

    given: Observations
    subgroups: Mapping[str, NDArray[Any]] = dataclasses.field(default_factory=dict)
    greater_is_better: bool = True
    unit: str | None = None
    costs: Costs | None = None

    def __post_init__(self) -> None:
        self.given.check_answers()
        for name, runs in self.given.models.items() if self.given.several_runs else ():
            if len(runs) < 2:
                lacks = f"{name} has one training run, which says nothing of its seeds"
                raise Problem(("seeds",), lacks)

    @property
    def names(self) -> tuple[str, str]:
        """The models' names."""
        base, candidate = self.given.models
        return base, candidate

    @property
    def base(self) -> Predicted:
        """The first training run of the base."""
        return next(iter(self.given.models.values()))[0]

    @property
    def candidate(self) -> Predicted:
        """The first training run of the candidate."""
        return list(self.given.models.values())[1][0]

    @property
    def runs(self) -> tuple[Sequence[Predicted], ...]:
        """All training runs, where there are several."""
        return tuple(self.given.models.values()) if self.given.several_runs else ()

    @property
    def task(self) -> Task:
        """Whether classes or numbers are predicted."""
        return self.given.task

    @property
    def groups(self) -> NDArray[Any] | None:
        """Which rows belong together."""
        return self.given.related.get("groups")

    def measured_in(self, unit: str | None) -> GateRows:
        """Name the unit of predicted numbers."""
        if unit is not None and not (self.task.numbers and self.base.values is None):
            raise Problem(("unit",), "is for predicted numbers")
        return dataclasses.replace(self, unit=unit)

    def with_costs(self, costs: Any) -> GateRows:
        """Return the same rows with what errors cost, as `costs:` of an experiment has it."""
        return (
            self
            if costs is None
            else dataclasses.replace(self, costs=_costs_for(costs, self.given.classes))
        )

    def about(self, metric: str) -> str | None:
        """Return the class that a metric is about; None where it is about all of them."""
        two = self.base.values is None and len(self.given.classes) == 2
        return self.given.classes[-1] if two and METRICS[metric].about_one_class else None

    def margin(self, metric: str, asked: float | str) -> tuple[float, float | None]:
        """Return a margin in the unit of the metric; and in percent, if it is named so."""
        if self.base.values is None:
            if metric not in METRICS:
                raise Problem(("metrics",), no_metric(metric))
            if not METRICS[metric].interval:
                raise Problem(("metrics",), f"no interval is known for {metric}, and so no limit")
        if self.base.values is None and (other := of_other_task(metric, self.task)):
            raise Problem(("metrics",), other)
        text, percent = str(asked).strip(), None
        try:
            margin = float(text.removesuffix("%"))
        except ValueError:
            raise Problem(
                ("margin",), f"found {asked!r}, expected a number, or a percentage like 2%"
            ) from None
        if text.endswith("%"):
            check_margin(margin)
            percent, margin = margin, margin / 100 * abs(self._of_base(metric))
        check_margin(margin, *(METRICS[metric].range if self.base.values is None else ()))
        return margin, percent

    def check_costs(self, metrics: Sequence[str]) -> None:
        """Refuse metrics of costs without them, and costs that no metric looks at."""
        priced = [METRICS[name] for name in metrics if name in METRICS and METRICS[name].priced]
        for metric in priced:
            if self.costs is None:
                said = f"the metric {metric} needs `classes` and a `matrix` of costs"
                raise Problem(("costs",), said)
            if metric.needs is Need.PRIORS and self.costs.priors is None:
                raise Problem(("costs",), f"the metric {metric} needs `priors` too")
        if self.costs is not None and not priced:
            looked = ", ".join(metrics)
            raise Problem(
                ("costs",), f"{looked} looks at no costs: compare by cost or expected_cost"
            )

    def _of_base(self, metric: str) -> float:
        runs = self.runs[0] if self.runs else [self.base]
        seen = [self._seen(metric, one, self.names[0]) for one in runs]
        if self.base.values is not None:
            return float(np.mean(seen))
        truth, how = self._named(self.given.truth), self.how(metric) | {"groups": None}
        return float(np.mean([metric_ci(truth, one, **how).estimate for one in seen]))

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all."""
        kept = np.ones(len(self.given.truth), dtype=bool) if rows is None else rows
        groups = None if self.groups is None else self.groups[kept]
        if self.runs:
            low, high = (
                self.recipes(metric, kept, alternative=side, confidence_level=1 - alpha)
                for side in ("greater", "less")
            )
            count = 0 if groups is None else len(np.unique(groups.astype(str)))
            return Limits.from_results(low, high, alpha, count, "two_t")
        if self.base.values is not None and self.candidate.values is not None:
            return mean_limits(
                self.candidate.values[kept],
                self.base.values[kept],
                greater_is_better=self.greater_is_better,
                groups=groups,
                alpha=alpha,
            )
        if METRICS[metric].counts == "right":
            right = (
                model.answers[kept] == self.given.truth[kept]
                for model in (self.candidate, self.base)
            )
            return accuracy_limits(*right, groups=groups, alpha=alpha)
        how = self.how(metric) | {"groups": groups}
        return metric_limits(*(a[kept] for a in self.seen(metric)), **how, alpha=alpha)

    def recipes(self, metric: str, rows: NDArray[np.bool_] | None = None, **options: Any) -> Result:
        """Compare the recipes of candidate and base over training runs, on some rows or on all."""
        kept = np.ones(len(self.given.truth), dtype=bool) if rows is None else rows
        groups = None if self.groups is None else self.groups[kept]
        base, candidate = (
            [self._seen(metric, one, name)[kept] for one in runs]
            for runs, name in zip(self.runs, self.names, strict=True)
        )
        if self.base.values is not None:
            better = self.greater_is_better
            return recipe_mean_difference(
                candidate, base, greater_is_better=better, groups=groups, **options
            )
        how = self.how(metric) | {"groups": groups}
        truth = self._named(self.given.truth)[kept]
        return recipe_difference(truth, candidate, base, **how, **options)

    def seen(self, metric: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the true labels and what a metric looks at of candidate and base."""
        pair = zip((self.candidate, self.base), self.names[::-1], strict=True)
        candidate, base = (self._seen(metric, one, name) for one, name in pair)
        return self._named(self.given.truth), candidate, base

    def _named(self, answers: NDArray[Any]) -> NDArray[Any]:
        return np.array(self.given.classes)[answers] if self.given.classes else answers

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        return _cost_arguments(self.costs, self.given.classes) | {
            "metric": METRICS.get(metric) or metric,
            "positive": self.given.classes[-1] if len(self.given.classes) == 2 else None,
            "labels": self.given.classes or None,
            "groups": self.groups,
        }

    def _seen(self, metric: str, model: Predicted, name: str) -> NDArray[Any]:
        if model.values is not None:
            return model.values
        looked = looks_at(METRICS[metric])
        if looked == "classes":
            return self._named(model.answers)
        if model.probabilities is None:
            raise Problem(
                ("metrics",),
                f"{metric} wants probabilities, {name!r} has none (in a file: columns "
                "like `p_<class>`)",
            )
        return (
            model.probabilities[:, -1]
            if looks_at(METRICS.get(metric) or metric) == "ranking"
            else model.probabilities
        )


def _costs_for(found: Any, classes: Sequence[str]) -> Costs:
    """Check costs, which must be of these classes."""
    costs = validated(Costs, found, ("costs",))
    if sorted(costs.names) != sorted(classes):
        raise Problem(
            ("costs",),
            f"found the classes {', '.join(costs.names)}, the rows have {', '.join(classes)}",
        )
    return costs


def _cost_arguments(costs: Costs | None, classes: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a metric that say what errors cost, in the order of the classes."""
    if costs is None:
        return {}
    priors = None if costs.priors is None else costs.shares(classes)
    return {"cost": costs.of(classes), "priors": priors}
