"""Evidence of a gate: the predictions of base and candidate on the same rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.given_tables import GivenTables
from bakeoff.data.observations import Observations
from bakeoff.data.read_given import read_given
from bakeoff.errors import Problem, some
from bakeoff.scores.metrics import METRICS, check_metrics
from bakeoff.spec import Costs
from bakeoff.spec.given_models import GivenColumns
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import GivenMetric, Kind
from bakeoff.stats import (
    Limits,
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
        if 1 in self.runs:
            name = self.names[self.runs.index(1)]
            lacks = f"{name} has one training run, which says nothing of its seeds: "
            raise Problem(("seeds",), lacks + "give two at least of each model")

    def measured(self, unit: str | None, costs: Any) -> GateRows:
        """Add the unit of predicted numbers, and what errors cost, as `costs:` has it."""
        if unit is not None and (self.by_values or not self.given.task.numbers):
            raise Problem(("unit",), "is for predicted numbers")
        if costs is not None:
            costs, classes = validated(Costs, costs, ("costs",)), self.given.classes
            if sorted(costs.names) != sorted(classes):
                raise Problem(
                    ("costs",),
                    f"found the classes {', '.join(costs.names)}, the rows have "
                    f"{', '.join(classes)}",
                )
        return dataclasses.replace(self, unit=unit, costs=costs)

    @property
    def names(self) -> tuple[str, str]:
        """The models' names."""
        base, candidate = self.given.models
        return base, candidate

    @property
    def by_values(self) -> bool:
        """Whether there is a number for each row in place of predictions."""
        return self.given.models[self.names[0]][0].values is not None

    @property
    def runs(self) -> tuple[int, ...]:
        """The numbers of training runs, where there are several."""
        return tuple(map(len, self.given.models.values())) if self.given.several_runs else ()

    def about(self, metric: str) -> str | None:
        """Return the class that a metric is about; None where it is about all of them."""
        two = not self.by_values and len(self.given.classes) == 2
        about_one = METRICS[metric].classes in ("positive", "negative")
        return self.given.classes[-1] if two and about_one else None

    def check(self, metrics: Sequence[str]) -> None:
        """Refuse metrics that these rows say nothing of, and costs that no metric looks at."""
        if self.by_values:
            return
        check_metrics(metrics, self.given, self.costs)
        for name in metrics:
            if not METRICS[name].interval:
                raise Problem(("metrics",), f"no interval is known for {name}, and so no limit")
        if self.costs is not None and not any(METRICS[name].priced for name in metrics):
            looks = f"{', '.join(metrics)} looks at no costs"
            raise Problem(("costs",), f"{looks}: compare by cost or expected_cost")

    def margin(self, metric: str, named: float | str) -> tuple[float, float | None]:
        """Return a margin in the unit of the metric; and in percent, if it is named so."""
        text, percent = str(named).strip(), None
        try:
            margin = float(text.removesuffix("%"))
        except ValueError:
            raise Problem(
                ("margin",), f"found {named!r}, expected a number, or a percentage like 2%"
            ) from None
        if text.endswith("%"):
            check_margin(margin)
            runs = self._seen(metric, self.names[0])
            if not self.by_values:
                how = self.how(metric) | {"groups": None}
                runs = [metric_ci(self._truth, run, **how).estimate for run in runs]
            percent, margin = margin, margin / 100 * abs(float(np.mean(runs)))
        check_margin(margin, *(() if self.by_values else METRICS[metric].range))
        return margin, percent

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all."""
        kept, groups = slice(None) if rows is None else rows, self.given.related.get("groups")
        groups = None if groups is None else groups[kept]
        base, candidate = ([run[kept] for run in self._seen(metric, n)] for n in self.names)
        truth: list[Any] = [] if self.by_values else [self._truth[kept]]
        how = {"greater_is_better": self.greater_is_better} if self.by_values else self.how(metric)
        how |= {"groups": groups}
        if self.runs:
            test: Any = recipe_mean_difference if self.by_values else recipe_difference
            low, high = (
                test(*truth, candidate, base, **how, alternative=side, confidence_level=1 - alpha)
                for side in ("greater", "less")
            )
            count = 0 if groups is None else len(np.unique(groups.astype(str)))
            return Limits.from_results(low, high, alpha, count, "two_t")
        if self.by_values:
            return mean_limits(candidate[0], base[0], **how, alpha=alpha)
        if METRICS[metric].counts == "right":
            right = (run[0] == truth[0] for run in (candidate, base))
            return accuracy_limits(*right, groups=groups, alpha=alpha)
        return metric_limits(truth[0], candidate[0], base[0], **how, alpha=alpha)

    def seen(self, metric: str) -> tuple[Any, ...]:
        """Return the true labels and what a metric looks at of candidate and base."""
        return self._truth, *(self._seen(metric, name)[0] for name in reversed(self.names))

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        classes, costs = self.given.classes, {}
        if self.costs is not None:
            priors = None if self.costs.priors is None else self.costs.shares(classes)
            costs = {"cost": self.costs.of(classes), "priors": priors}
        return costs | {
            "metric": METRICS.get(metric) or metric,
            "positive": classes[-1] if len(classes) == 2 else None,
            "labels": classes or None,
            "groups": self.given.related.get("groups"),
        }

    @property
    def _truth(self) -> NDArray[Any]:
        return self._named(self.given.truth)

    def _named(self, answers: NDArray[Any]) -> NDArray[Any]:
        return np.array(self.given.classes)[answers] if self.given.classes else answers

    def _seen(self, metric: str, name: str) -> list[Any]:
        """Return what a metric looks at of each training run of a model."""
        runs = self.given.models[name]
        looked = "values" if self.by_values else looks_at(METRICS[metric])
        if looked == "values":
            return [run.values for run in runs]
        if looked == "classes":
            return [self._named(run.answers) for run in runs]
        probabilities = [run.probabilities for run in runs if run.probabilities is not None]
        return [one[:, -1] for one in probabilities] if looked == "ranking" else probabilities


def read_rows(
    tables: GivenTables,
    columns: GivenColumns,
    models: Sequence[str] | None = None,
    subgroups: Sequence[str] = (),
    values: Kind | None = None,
    **reading: Any,
) -> GateRows:
    """Read a table of predictions or numbers of each, paired by row id, or one of both."""
    if values is None:
        tables.refuse_numbers()
    wide = tables.wide
    if tables.together != (models is not None and len(models) == len(set(models)) == 2):
        raise Problem(
            ("models",),
            "names columns of one table; each of several tables is a model"
            if not tables.together
            else "of one table, name the columns of the two"
            if wide is not None
            else f"of one folder, name the two of its models ({some(tables.models)})",
        )
    tables = tables.only(models)
    if wide is None and len(tables.models) != 2:
        raise Problem(("models",), f"expected base and candidate, found {some(tables.models)}")
    reading |= {"models": models, "values": values}
    given = read_given(tables, columns, **reading)
    parts = {}
    for subgroup in subgroups:
        try:
            by = columns.model_copy(update={"groups": subgroup})
            parts[subgroup] = read_given(tables, by, **reading).related["groups"].astype(str)
        except Problem as problem:
            if problem.path[-1] != "groups":
                raise
            raise Problem(("subgroups",), problem.message) from None
    greater = values.greater_is_better if isinstance(values, GivenMetric) else True
    return GateRows(given, parts, greater_is_better=greater)
