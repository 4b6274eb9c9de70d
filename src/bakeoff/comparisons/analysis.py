"""What is compared, by what and with which tests: all that planning, testing and reporting read.

An `Analysis` is plain: every field is settled when it is made, and nothing is looked up later. Two
kinds of callers make one. An experiment of YAML resolves to it by `analysis_of`; `bakeoff.compare`
and its sisters make it from their arguments, with the models under the names that people gave.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.scores import Metric, metrics_of
from bakeoff.scores.metrics import mixed_units
from bakeoff.sources import DataSet
from bakeoff.sources.common.base import SubgroupColumn
from bakeoff.spec import Costs, Experiment, HypothesisTests
from bakeoff.spec.experiment import Task
from bakeoff.spec.given_models import GivenData
from bakeoff.spec.metrics import GivenMetric
from bakeoff.spec.models import Model
from bakeoff.spec.related import Declared, declared, row_columns, task_column
from bakeoff.spec.resampling import Plan


@dataclass(frozen=True, kw_only=True)
class ComparedModel:
    """One model, as far as comparing it goes."""

    label: str
    """Its name for people."""
    seeds: int = 1
    """Training runs of it on the same rows."""
    deterministic: bool | None = None
    """Whether its training has no random part; None where nobody said."""
    learner: Model | None = None
    """What was trained, where that is known: cautions about learners hang on it."""
    brings: str = ""
    """What it was given by: predictions, values or scores; empty where it is fitted here."""


@dataclass(frozen=True, kw_only=True)
class ComparedData:
    """One data set, as far as comparing models on it goes."""

    label: str
    """Its name for people."""
    unit: str | None = None
    """What the predicted numbers are measured in."""
    costs: Costs | None = None
    """What each kind of error costs on it."""
    has_own_costs: bool = False
    relation: Declared | None = None
    """The column that says which rows belong together, or follow each other."""
    subgroups: tuple[SubgroupColumn, ...] = ()
    """The columns in whose parts the models are compared too."""
    source: DataSet | None = None
    """The data, where they are divided here; None where results of them were given."""


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What is compared, by what and with which tests."""

    title: str
    models: Mapping[str, ComparedModel]
    datasets: Mapping[str, ComparedData]
    metrics: tuple[str, ...]
    """The first one ranks the models."""
    given_metrics: Mapping[str, GivenMetric] = field(default_factory=dict)
    """Those of the metrics that are described and not computed."""
    tests: HypothesisTests
    plans: Mapping[str, Plan]
    """How rows were divided: the resampling plans by name."""
    rows_of_plans: frozenset[str] = frozenset()
    """The plans of which the predictions of every row are known."""
    scores_of_plans: frozenset[str] = frozenset()
    """The plans of which nothing but scores is known."""
    task: Task = Task.CLASSIFICATION
    """What is predicted: classes, or numbers."""
    with_values: bool = False
    """Whether models bring a number for each row."""
    by_values: bool = False
    """Whether these numbers are compared as they are, and not as right and wrong rows."""
    tasks: str | None = None
    """The column that says of which fixed task a row is, where rows are of several."""
    missing_cells: str = "error"
    """What becomes of a model without a score on a data set."""
    seed: int = 1

    # What follows from these, computed once.
    measures: Mapping[str, Metric] = field(init=False)
    """The metrics that can be named, in the unit of the numbers that are predicted."""
    mixed_units: frozenset[str] = field(init=False)
    """The metrics that have other units on other data sets: such values have no mean."""
    several_runs: tuple[str, ...] = field(init=False)
    """The models that were trained with several seeds."""
    learners: Mapping[str, Model] = field(init=False)
    """The learners of the models, where they are known."""
    fitted: Mapping[str, Model] = field(init=False)
    """Those of the models that are fitted here, and not given by their results."""
    related: Mapping[str, Declared] = field(init=False)
    """The data sets whose rows belong together, and what relates them."""
    in_time: bool = field(init=False)
    """Whether the rows of every data set are in the order of time, and in no groups."""

    def __post_init__(self) -> None:
        """Compute what follows from the fields."""
        mixed = [name for name in self.metrics if mixed_units(self, name)]
        several_runs = []
        learners = {}
        fitted = {}
        for name, model in self.models.items():
            if model.seeds > 1:
                several_runs.append(name)
            if model.learner is None:
                continue
            learners[name] = model.learner
            if not model.brings:
                fitted[name] = model.learner
        related = {}
        in_time = True
        for name, data in self.datasets.items():
            if data.relation is not None:
                related[name] = data.relation
            # groups that follow each other are compared as groups
            if data.relation is None or data.relation.kind != "time":
                in_time = False
        # a frozen class has no other way to set its own fields
        object.__setattr__(self, "measures", metrics_of(self))
        object.__setattr__(self, "mixed_units", frozenset(mixed))
        object.__setattr__(self, "several_runs", tuple(several_runs))
        object.__setattr__(self, "learners", learners)
        object.__setattr__(self, "fitted", fitted)
        object.__setattr__(self, "related", related)
        object.__setattr__(self, "in_time", in_time)

    def has_rows_of_folds(self, plan: str) -> bool:
        """Tell whether the rows of all folds of a plan are known, for which row-wise tests are."""
        if plan in ("holdout", "halves") or plan not in self.rows_of_plans or self.by_values:
            return False
        # rows in the order of time were not studied
        return all(relation.kind != "time" for relation in self.related.values())

    @property
    def without_costs(self) -> list[str]:
        """The data sets on which nobody says what errors cost."""
        return [name for name, data in self.datasets.items() if data.costs is None]


def analysis_of(experiment: Experiment | Analysis) -> Analysis:
    """Resolve an experiment to what is compared in it; an analysis is one already."""
    if isinstance(experiment, Analysis):
        return experiment
    plans = experiment.resampling.plans()
    policy = "error"
    if experiment.on_error == "exclude":
        policy = "drop_dataset"
    return Analysis(
        title=experiment.label or experiment.experiment,
        models=_models(experiment),
        datasets=_datasets(experiment),
        metrics=tuple(experiment.metrics),
        given_metrics=experiment.given_metrics,
        tests=experiment.tests,
        plans=plans,
        rows_of_plans=frozenset(filter(experiment.on_rows, plans)),
        scores_of_plans=frozenset(filter(experiment.by_scores, plans)),
        task=experiment.task,
        with_values=experiment.with_values,
        by_values=experiment.by_values,
        tasks=task_column(experiment),
        missing_cells=experiment.tests.missing_cells or policy,
        seed=experiment.seed,
    )


def _models(experiment: Experiment) -> dict[str, ComparedModel]:
    given = experiment.given
    learners = experiment.learners
    models = {}
    for name, model in experiment.models.items():
        brings = ""
        if name in given:
            brings = given[name].kind
        models[name] = ComparedModel(
            label=model.label or name,
            seeds=model.seeds,
            deterministic=model.deterministic,
            learner=learners.get(name),
            brings=brings,
        )
    return models


def _datasets(experiment: Experiment) -> dict[str, ComparedData]:
    datasets = {}
    for name, data in experiment.datasets.items():
        source = None
        if not isinstance(data, GivenData):
            source = data
        datasets[name] = ComparedData(
            label=data.label or name,
            unit=data.unit,
            costs=experiment.costs_on(name),
            has_own_costs=data.costs is not None,
            relation=declared(experiment, name),
            subgroups=row_columns(experiment, name).subgroups,
            source=source,
        )
    return datasets
