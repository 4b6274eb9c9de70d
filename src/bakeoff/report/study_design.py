"""An experiment with its planned tests: what is known of a study before it has results."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property

from bakeoff.report.numbers import short, spread, words
from bakeoff.scores import metrics_of
from bakeoff.scores.metrics import Metric, mixed_units
from bakeoff.spec import AnalysisPlan, Experiment
from bakeoff.stats import Arity, Entry, catalogue

MOST_LETTERS = 60
"""In sentences; tables have longer names whole."""


@dataclasses.dataclass(frozen=True, eq=False)
class StudyDesign:
    """An experiment and the tests that run in it."""

    experiment: Experiment
    """As resolved."""
    analysis: AnalysisPlan = dataclasses.field(default_factory=AnalysisPlan, kw_only=True)
    """The tests with their settings and why they run, as in tests.json."""

    @property
    def models(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.experiment.models)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.experiment.datasets)

    @property
    def several(self) -> bool:
        """Whether there are several data sets."""
        return len(self.experiment.datasets) > 1

    @cached_property
    def units(self) -> int:
        """How many data sets tests over data sets count, a group of them as one."""
        return len(self.experiment.tests.units(self.datasets))

    def counted_datasets(self, used: Iterable[int] = ()) -> str:
        """Say how many data sets, or groups of them, there are and were used."""
        grouped = self.units < len(self.datasets)
        what = f"groups of {len(self.datasets)} data sets" if grouped else "data sets"
        n = sorted({*used} or {self.units})
        return (
            f"{self.units} {what}" if n == [self.units] else f"{spread(n)} of {self.units} {what}"
        )

    @property
    def title(self) -> str:
        """The experiment's label, or its name."""
        return clean(self.experiment.label or self.experiment.experiment)

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that the experiment can name."""
        return metrics_of(self.experiment)

    @property
    def metric(self) -> Metric:
        """The metric that ranks the models: the first one."""
        return self.metrics[self.experiment.metrics[0]]

    @property
    def alpha(self) -> float:
        """The level of every decision."""
        return self.experiment.tests.alpha

    @property
    def has_rows(self) -> bool:
        """Whether predictions of held-out rows are known, those of a single fit of each model."""
        experiment = self.experiment
        there = experiment.resampling.holdout is not None and experiment.on_rows("holdout")
        return there and not experiment.by_values and not self.has_runs

    @property
    def has_runs(self) -> bool:
        """Whether held-out rows are predicted by several training runs of a model."""
        experiment = self.experiment
        return experiment.resampling.holdout is not None and bool(experiment.several_runs)

    def averages(self, metric: str) -> bool:
        """Tell whether values of a metric on all data sets have one unit, and so a mean."""
        return not mixed_units(self.experiment, metric)

    @property
    def by_full(self) -> bool:
        """Whether half_sample_t takes its estimate from the cross-validations of all rows."""
        planned = self.analysis.with_posthoc
        return any(
            test.name == "half_sample_t" and test.options.get("variant") == "full"
            for test in planned
        )

    @property
    def plans_repeat(self) -> bool:
        """Whether there are several scores of a model: on folds, or on several data sets."""
        plans = self.experiment.resampling.plans().values()
        return self.several or any(len(plan.splits()) > 1 for plan in plans)

    @cached_property
    def tests(self) -> tuple[Entry, ...]:
        """The tests that run: those planned, then their post hoc tests."""
        known = catalogue()
        return tuple(known[test.name] for test in self.analysis.with_posthoc)

    def pairs(self, entry: Entry) -> bool:
        """Tell whether a test compares pairs of models here."""
        return entry.arity in (Arity.PAIR, Arity.ALL_PAIRS) and len(self.models) > 1

    def label(self, model: str) -> str:
        """Return the name of a model that people read."""
        return clean(self.experiment.models[model].label or model)

    def name(self, model: str) -> str:
        """Return a model's name for a sentence, a very long one abbreviated."""
        return short(self.label(model), MOST_LETTERS)

    def names(self, models: Iterable[str], most: int = 4) -> str:
        """Join the names of models to a phrase."""
        return words([self.name(model) for model in models], most)

    def dataset_label(self, dataset: str) -> str:
        """Return the name of a data set that people read."""
        if not dataset:
            return f"all {self.counted_datasets()}"
        return clean(self.experiment.datasets[dataset].label or dataset)


def clean(text: str) -> str:
    """Drop what no page, SVG or terminal may carry: control and direction-changing characters."""
    kept = (c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    return " ".join("".join(kept).split()) or "(no name)"
