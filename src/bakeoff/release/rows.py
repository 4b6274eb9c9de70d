"""The evidence of a gate: what base and candidate say of the same rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.data.observations import Observations
from bakeoff.data.predicted import Predicted
from bakeoff.errors import Problem
from bakeoff.scores.metrics import METRICS, check_metrics
from bakeoff.spec import Costs
from bakeoff.spec.load import validated
from bakeoff.spec.metrics import PassingRuns
from bakeoff.stats import (
    Limits,
    MacroDifference,
    accuracy_limits,
    check_margin,
    looks_at,
    macro_difference,
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
    tasks: NDArray[Any] | None = None
    """The task of each row, where they are of several."""
    runs_of_items: NDArray[Any] | None = None
    """Which run of its item a row is, where items were run several times."""
    passing: PassingRuns | None = None
    """Which shares of the runs of an item its values are, where they are such."""
    greater_is_better: bool = dataclasses.field(kw_only=True)
    unit: str | None = None
    costs: Costs | None = None

    def __post_init__(self) -> None:
        self.given.check_answers()
        if 1 in self.runs:
            name = self.names[self.runs.index(1)]
            raise Problem(
                ("seeds",),
                f"{name} has one training run, which says nothing of its seeds: give two at least "
                "of each model",
            )

    def measured(self, unit: str | None, costs: Any) -> GateRows:
        """Add the unit of predicted numbers, and what errors cost, as `costs:` has it."""
        if unit is not None and (self.by_values or not self.given.task.numbers):
            raise Problem(("unit",), "is for predicted numbers")
        if costs is not None:
            costs = validated(Costs, costs, ("costs",))
            classes = self.given.classes
            if sorted(costs.names) != sorted(classes):
                raise Problem(
                    ("costs",),
                    f"found the classes {', '.join(costs.names)}, the rows have "
                    f"{', '.join(classes)}",
                )
        return dataclasses.replace(self, unit=unit, costs=costs)

    # --- what is known of the rows

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
        if not self.given.several_runs:
            return ()
        return tuple(map(len, self.given.models.values()))

    @property
    def _truth(self) -> NDArray[Any]:
        """The true labels or numbers."""
        return self._labels(self.given.truth)

    def _labels(self, answers: NDArray[Any]) -> NDArray[Any]:
        """Return classes by their names, and numbers as they are."""
        if not self.given.classes:
            return answers
        labels: NDArray[Any] = np.array(self.given.classes)[answers]
        return labels

    # --- what a metric sees of them

    def check(self, metrics: Sequence[str]) -> None:
        """Refuse metrics that these rows say nothing of, and costs that no metric looks at."""
        if self.by_values:
            return
        check_metrics(metrics, self.given, self.costs)
        for name in metrics:
            if not METRICS[name].interval:
                raise Problem(("metrics",), f"no interval is known for {name}, and so no limit")
        if self.costs is not None and not any(METRICS[name].priced for name in metrics):
            raise Problem(
                ("costs",),
                f"{', '.join(metrics)} looks at no costs: compare by cost or expected_cost",
            )

    def about(self, metric: str) -> str | None:
        """Return the class that a metric is about; None where it is about all of them."""
        has_two_classes = not self.by_values and len(self.given.classes) == 2
        if has_two_classes and METRICS[metric].classes in ("positive", "negative"):
            return self.given.classes[-1]
        return None

    def how(self, metric: str) -> dict[str, Any]:
        """Return the options of `metric_difference` for these rows."""
        classes = self.given.classes
        positive = None
        if len(classes) == 2:
            positive = classes[-1]
        options: dict[str, Any] = {
            "metric": METRICS.get(metric) or metric,
            "positive": positive,
            "labels": classes or None,
            "groups": self.given.related.get("groups"),
        }
        if self.costs is not None:
            options["cost"] = self.costs.for_classes(classes)
            options["priors"] = None
            if self.costs.priors is not None:
                options["priors"] = self.costs.shares(classes)
        return options

    def seen(self, metric: str) -> tuple[Any, Any, Any]:
        """Return the true labels and what a metric looks at of candidate and base."""
        base, candidate = self.names
        return self._truth, self._seen(metric, candidate)[0], self._seen(metric, base)[0]

    def _seen(self, metric: str, name: str) -> list[Any]:
        """Return what a metric looks at of each training run of a model."""
        runs = self.given.models[name]
        if self.by_values:
            return [run.values_by(metric) for run in runs]
        kind = looks_at(METRICS[metric])
        return [self._seen_of_run(run, kind) for run in runs]

    def _seen_of_run(self, run: Predicted, kind: str) -> Any:
        """Return the values, classes, order or probabilities of a training run."""
        if kind == "values":
            return run.values
        if kind == "classes":
            return self._labels(run.answers)
        assert run.probabilities is not None  # as `check_metrics` has seen
        if kind == "ranking":
            return run.probabilities[:, -1]
        return run.probabilities

    # --- how much better the candidate is

    def margin(self, metric: str, named: float | str) -> tuple[float, float | None]:
        """Return a margin in the unit of the metric; and in percent, if it is named so."""
        text = str(named).strip()
        try:
            margin = float(text.removesuffix("%"))
        except ValueError:
            raise Problem(
                ("margin",), f"found {named!r}, expected a number, or a percentage like 2%"
            ) from None
        percent = None
        # a percentage is one of the base's own score on these rows
        if text.endswith("%"):
            check_margin(margin)
            percent = margin
            margin = percent / 100 * abs(self._score_of_base(metric))
        if self.by_values:
            check_margin(margin)
        else:
            low, high = METRICS[metric].range
            check_margin(margin, low, high)
        return margin, percent

    def _score_of_base(self, metric: str) -> float:
        """Return the metric of the base, of several training runs the mean."""
        runs = self._seen(metric, self.names[0])
        if self.by_values:
            return float(np.mean(runs))
        # groups matter to the interval only, which is not asked for
        how = self.how(metric) | {"groups": None}
        scores = [metric_ci(self._truth, run, **how).estimate for run in runs]
        return float(np.mean(scores))

    def limits(self, metric: str, alpha: float, rows: NDArray[np.bool_] | None = None) -> Limits:
        """Return limits for the candidate's advantage, on some rows or on all."""
        kept: Any = slice(None)
        if rows is not None:
            kept = rows
        groups = self.given.related.get("groups")
        if groups is not None:
            groups = groups[kept]
        base_name, candidate_name = self.names
        base = [run[kept] for run in self._seen(metric, base_name)]
        candidate = [run[kept] for run in self._seen(metric, candidate_name)]
        if self.by_values:
            return self._limits_of_values(candidate, base, groups, alpha)
        truth = self._truth[kept]
        return self._limits_of_predictions(metric, truth, candidate, base, groups, alpha)

    def _limits_of_values(
        self, candidate: list[Any], base: list[Any], groups: NDArray[Any] | None, alpha: float
    ) -> Limits:
        """Return limits for the difference of means of a value per row."""
        better = self.greater_is_better
        if not self.runs:
            return mean_limits(
                candidate[0], base[0], greater_is_better=better, groups=groups, alpha=alpha
            )
        test = partial(
            recipe_mean_difference,
            candidate,
            base,
            greater_is_better=better,
            groups=groups,
            confidence_level=1 - alpha,
        )
        return _limits_of_runs(test, groups, alpha)

    def _limits_of_predictions(
        self,
        metric: str,
        truth: NDArray[Any],
        candidate: list[Any],
        base: list[Any],
        groups: NDArray[Any] | None,
        alpha: float,
    ) -> Limits:
        """Return limits for the difference by a metric; exact ones for accuracies."""
        how = self.how(metric) | {"groups": groups}
        if self.runs:
            test = partial(
                recipe_difference, truth, candidate, base, **how, confidence_level=1 - alpha
            )
            return _limits_of_runs(test, groups, alpha)
        # of binary scores the discordant pairs have a known distribution
        if METRICS[metric].counts == "right":
            return accuracy_limits(
                candidate[0] == truth, base[0] == truth, groups=groups, alpha=alpha
            )
        return metric_limits(truth, candidate[0], base[0], **how, alpha=alpha)

    def macro(self, metric: str) -> MacroDifference | None:
        """Return the candidate's advantage in the mean over tasks; None where it is not known.

        It is known of means of a value per row: of numbers, and of how many rows are right.
        """
        counts_right = not self.by_values and METRICS[metric].counts == "right"
        if self.tasks is None or self.runs or not (self.by_values or counts_right):
            return None
        base_name, candidate_name = self.names
        base = self._seen(metric, base_name)[0]
        candidate = self._seen(metric, candidate_name)[0]
        greater_is_better = self.greater_is_better
        if counts_right:
            # the accuracy is the mean of a value per row as well: 1 if it is right, else 0
            truth = self._truth
            base = base == truth
            candidate = candidate == truth
            greater_is_better = True
        return macro_difference(
            candidate,
            base,
            self.tasks,
            greater_is_better=greater_is_better,
            groups=self.given.related.get("groups"),
        )

    # --- other rows in their place

    def of_base(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> GateRows:
        """Put rows of the base in the place of the base, and others in that of the candidate."""
        base, candidate = self.names
        (run,) = self.given.models[base]
        true = self.given.true
        if true is not None:
            true = true[first]
        tasks = self.tasks
        if tasks is not None:
            tasks = tasks[first]
        given = dataclasses.replace(
            self.given,
            ids=self.given.ids[first],
            true=true,
            models={base: (run[first],), candidate: (run[second],)},
            related={role: values[first] for role, values in self.given.related.items()},
        )
        return dataclasses.replace(
            self,
            given=given,
            subgroups={name: values[first] for name, values in self.subgroups.items()},
            tasks=tasks,
            runs_of_items=None,
            passing=None,
        )


def _limits_of_runs(test: Callable[..., Any], groups: NDArray[Any] | None, alpha: float) -> Limits:
    """Return the limits of a test of training runs: two one-sided tests have one each."""
    # each at 1 − alpha: the lower limit of the one, the upper limit of the other
    low = test(alternative="greater")
    high = test(alternative="less")
    n_groups = 0
    if groups is not None:
        n_groups = len(np.unique(groups.astype(str)))
    return Limits.from_results(low, high, alpha, n_groups, "two_t")
