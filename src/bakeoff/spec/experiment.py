"""One YAML file is one experiment: this is its shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from bakeoff.files import locate
from bakeoff.keys import Id, Label, SpecSection, plain_name, said, same_names, spelled
from bakeoff.sources import DataSet
from bakeoff.sources.common.base import Costs
from bakeoff.spec.given_models import AnyData, GivenModel, is_given, with_defaults
from bakeoff.spec.metrics import (
    AnyMetric,
    GivenMetric,
    OwnMetric,
    over_runs,
    with_own_metrics,
    with_standard_names,
)
from bakeoff.spec.models import Megabytes, Model, Seconds
from bakeoff.spec.resampling import Execution, Resampling
from bakeoff.spec.tests import HypothesisTests

S = TypeVar("S", Model, OwnMetric)

_RUN = re.compile(r":seed-(\d+):(.+)")
"""The name of a training run after the first."""


class Task(StrEnum):
    """What is predicted."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"

    @property
    def numbers(self) -> bool:
        """Whether numbers are predicted."""
        return self is Task.REGRESSION

    @property
    def metric(self) -> str:
        """What models are compared by on one data set, unless something else is asked for."""
        if self.numbers:
            return "rmse"
        return "accuracy"

    @property
    def learner(self) -> str:
        """What scikit-learn calls an estimator for it."""
        if self.numbers:
            return "regressor"
        return "classifier"


def _kind_of_model(value: Any) -> str:
    """Name the kind of a model, as `AnyModel` tags it."""
    if is_given(value):
        return "given"
    return "fitted"


AnyModel = Annotated[
    Annotated[Model, Tag("fitted")] | Annotated[GivenModel, Tag("given")],
    Discriminator(_kind_of_model),
]


class Fit(NamedTuple):
    """One fit and predict job: the address of one file of predictions."""

    dataset: str
    model: str
    plan: str
    repeat: int
    fold: int
    seed: int = 1

    @property
    def split(self) -> str:
        """The file's name: ``holdout``, ``cv_5x2.repeat-1.fold-2`` or ``holdout.seed-2``."""
        name = self.plan
        if self.plan != "holdout":
            name += f".repeat-{self.repeat}.fold-{self.fold}"
        if self.seed > 1:
            name += f".seed-{self.seed}"
        return name

    def __str__(self) -> str:
        text = f"the fit of model {self.model} on data set {self.dataset}, {self.plan}"
        if self.plan != "holdout":
            text += f", repeat {self.repeat}, fold {self.fold}"
        if self.seed > 1:
            text += f", seed {self.seed}"
        return f"{text},"


# --- training runs among collected predictions


def run_name(model: str, seed: int) -> str:
    """Name a training run of a model among collected predictions; the first has its name alone."""
    if seed == 1:
        return model
    return f":seed-{seed}:{model}"


def run_of(name: str) -> tuple[str, int]:
    """Return the model and the seed that `run_name` named."""
    match = _RUN.fullmatch(name)
    if match is None:
        return name, 1
    return match[2], int(match[1])


# --- the experiment


class Experiment(SpecSection):
    """A whole experiment."""

    # where every model is given, the data sets follow from them
    model_config = ConfigDict(
        json_schema_extra=lambda schema: schema["required"].remove("datasets"),
        serialize_by_alias=True,
    )

    @classmethod
    def _advice_on(cls, key: str, values: Mapping[Any, Any]) -> str:
        if key in ("preferences", "judged"):
            return "; a file about preferences or judges is for `bakeoff run`, without Snakemake"
        return ""

    experiment: Id = Field(description="Its name; results go to results/<experiment>/.")
    label: Label | None = None
    task: Annotated[Task, WithJsonSchema({"enum": [*Task], "type": "string"})] = Field(
        Task.CLASSIFICATION, strict=False
    )
    """What the models predict: classes, or numbers (`regression`). It is never guessed from the
    data."""
    seed: int = Field(1, ge=0, lt=2**32)
    """Every random number of the experiment comes from it."""
    datasets: Annotated[dict[Id, AnyData], Field(min_length=1)]
    """The data sets, by id; may be left out where every model is given."""
    models: Annotated[dict[Id, AnyModel], Field(min_length=1)]
    """The models to compare, by id: each to be fitted, or given by its results."""
    resampling: Resampling = Field(
        default_factory=lambda: Resampling.model_validate({"cv_5x2": {}, "holdout": {}})
    )
    """How rows are divided; default: five 2-fold replications and a holdout (of a regression: ten
    random halvings and a holdout); the holdout alone where a model is given by its predictions."""
    measured: Annotated[list[AnyMetric], Field(min_length=1), AfterValidator(over_runs)] = Field(
        ["accuracy"],
        alias="metrics",
        description="Names of metrics, or import paths of your own with the direction that is "
        "better, like `mymetrics.profit:higher`; the first one ranks the models. Default of a "
        "regression: rmse, or r2 on several data sets. "
        "Where all models bring `scores:` or `values:`, also "
        "`{name: rmse, greater_is_better: false}`; of `values:` with `columns: {runs: …}` also "
        "`pass@5`, `pass^3`, several of them and accuracy too.",
    )
    own_metrics: dict[Id, OwnMetric] = Field({})
    """Metrics of your own, by the names that `metrics` has them under."""
    tests: HypothesisTests = Field(default_factory=lambda: HypothesisTests.model_validate({}))
    """The tests."""
    costs: Costs | None = None
    """What each kind of error costs, for the metric `cost` and cost tests; a data set may have its
    own."""
    on_error: Literal["stop", "exclude"] = "stop"
    """When a fit fails: `stop` the run, or `exclude` the model on that data set, finish everything
    else and say so in excluded.csv and in the report."""
    keep: bool = False
    """Whether the fitted model of every fit is kept; for models that do not say."""
    timeout: Seconds | None = None
    """Seconds after which a fit is ended and has failed; for models without their own."""
    memory: Megabytes | None = None
    """MB of memory, Python and its libraries included, beyond which the process of a fit is ended
    and the fit has failed; for models without their own."""
    execution: Execution = Field(default_factory=lambda: Execution.model_validate({}))
    """How the fits are handed out to jobs; no result depends on it."""

    @model_validator(mode="before")
    @classmethod
    def _what_follows_from_given_models(cls, config: Any) -> Any:
        if not isinstance(config, Mapping):
            return config
        return with_own_metrics(with_standard_names(with_task(with_defaults(config))))

    @field_validator("datasets", "models")
    @classmethod
    def _names_of_files(cls, entries: dict[str, Any]) -> dict[str, Any]:
        names: dict[str, str] = {}
        for name in entries:
            other = names.setdefault(name.lower(), name)
            if other != name:
                raise said(
                    f"{other!r} and {name!r} differ by case alone, and become files that some "
                    "systems take for one; rename one of them"
                )
        return entries

    @field_validator("datasets", "models")
    @classmethod
    def _names_in_sentences(cls, entries: dict[str, Any]) -> dict[str, Any]:
        ids = {plain_name(key): key for key in entries}
        labels: dict[str, str] = {}
        for key, entry in entries.items():
            if entry.label is None:
                continue
            plain = plain_name(entry.label)
            if plain in labels:
                raise said(same_names(labels[plain], entry.label))
            # a label like the own id is no other entry's
            other = ids.get(plain, key)
            if other != key:
                raise said(
                    f"{spelled([entry.label])[0]} is the label of {key!r}, and {other!r} an id: "
                    "change the label, by which readers tell them apart"
                )
            labels[plain] = entry.label
        return entries

    @model_validator(mode="after")
    def _no_key_of_results(self) -> Experiment:
        if "model" in self.metrics:
            raise said("a metric cannot be called `model`, a key of the results: rename it")
        return self

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics."""
        names = []
        for metric in self.measured:
            if isinstance(metric, GivenMetric):
                names.append(metric.name)
            else:
                names.append(metric)
        return names

    @property
    def given_metrics(self) -> dict[str, GivenMetric]:
        """The metrics that the experiment describes itself."""
        metrics = {}
        for metric in self.measured:
            if isinstance(metric, GivenMetric):
                metrics[metric.name] = metric
        return metrics

    @property
    def with_values(self) -> bool:
        """Whether models bring a number for each row."""
        return any(model.values is not None for model in self.given.values())

    @property
    def by_values(self) -> bool:
        """Whether these numbers are compared as they are, and not as right and wrong rows."""
        return self.with_values and isinstance(self.measured[0], GivenMetric)

    @property
    def fitted(self) -> dict[str, Model]:
        """The models that are fitted here."""
        fitted = {}
        for name, model in self.models.items():
            if isinstance(model, Model):
                fitted[name] = model
        return fitted

    @property
    def learners(self) -> dict[str, Model]:
        """The models whose estimators are known: they are fitted here, or Python passed them."""
        learners = self.fitted
        for name, model in self.given.items():
            if model.learner is not None:
                learners[name] = model.learner
        return learners

    @property
    def given(self) -> dict[str, GivenModel]:
        """The models that were trained elsewhere."""
        given = {}
        for name, model in self.models.items():
            if isinstance(model, GivenModel):
                given[name] = model
        return given

    def on_rows(self, plan: str) -> bool:
        """Tell whether a plan has predictions row by row of every model."""
        return all(model.predicts(plan) for model in self.given.values())

    def by_scores(self, plan: str) -> bool:
        """Tell whether all that a plan has are scores that the models brought."""
        if self.fitted or self.on_rows(plan):
            return False
        return all(model.scores for model in self.given.values())

    def fits(
        self, dataset: str | None = None, model: str | None = None, plan: str | None = None
    ) -> Iterator[Fit]:
        """Expand the experiment to its fits: data set × model × plan × repeat × fold × seed.

        Given a data set, a model (which may be a given one) or a plan, to the fits of these.
        """
        plans = self.resampling.plans()
        for fit_dataset, fit_model, fit_plan in product(
            _one_or_all(dataset, self.datasets),
            _one_or_all(model, self.fitted),
            _one_or_all(plan, plans),
        ):
            for repeat, fold in plans[fit_plan].splits():
                for seed in range(1, self.seeds(fit_model) + 1):
                    yield Fit(fit_dataset, fit_model, fit_plan, repeat, fold, seed)

    def seeds(self, model: str) -> int:
        """Return with how many seeds a model is fitted on each fold."""
        return self.models[model].seeds

    @property
    def several_runs(self) -> list[str]:
        """The models that are trained with several seeds."""
        return [name for name in self.models if self.seeds(name) > 1]

    def costs_on(self, dataset: str) -> Costs | None:
        """Return what errors cost on a data set: its own costs, or else the experiment's."""
        return self.datasets[dataset].costs or self.costs

    @property
    def without_costs(self) -> list[str]:
        """The data sets on which nobody says what errors cost."""
        return [name for name in self.datasets if self.costs_on(name) is None]

    def limits(self, model: str) -> tuple[float | None, int | None]:
        """Return the seconds and the MB of memory that a fit of a model may take."""
        fitted = self.fitted[model]
        return fitted.timeout or self.timeout, fitted.memory or self.memory

    def keeps(self, model: str) -> bool:
        """Tell whether the fitted models of an entry are kept."""
        keep = self.fitted[model].keep
        if keep is None:
            return self.keep
        return keep

    def importance(self, model: str) -> tuple[str, str] | None:
        """Return by which metric importance is measured, and by which if scikit-learn lacks it."""
        if not self.fitted[model].importance:
            return None
        return self.metrics[0], self.task.metric

    def beside(self, folder: Path) -> Experiment:
        """Find files that are not in the working folder in the experiment's own."""
        datasets = dict(self.datasets)
        for name, dataset in self.datasets.items():
            if isinstance(dataset, DataSet):
                datasets[name] = dataset.beside(folder)
        first = next(iter(self.datasets))
        models = dict(self.models)
        for name, model in self.models.items():
            if isinstance(model, GivenModel):
                models[name] = model.beside(folder, first)
            else:
                models[name] = _reading(model, folder)
        metrics = {name: _reading(metric, folder) for name, metric in self.own_metrics.items()}
        return self.model_copy(
            update={"datasets": datasets, "models": models, "own_metrics": metrics}
        )

    def resolved(self) -> dict[str, Any]:
        """Return plain data with every default written out.

        How the fits are handed out is no part of it: the same experiment on a cluster gives
        the same files.
        """
        excluded = {"execution"}
        # classification goes without saying
        if not self.task.numbers:
            excluded.add("task")
        return self.model_dump(mode="json", exclude_none=True, exclude=excluded)


def _one_or_all(name: str | None, names: Iterable[str]) -> list[str]:
    """Return the name that is asked for, or all names."""
    if name:
        return [name]
    return list(names)


def _reading(section: S, folder: Path) -> S:
    """Find what own code reads and is not in the working folder in the experiment's own."""
    if not section.reads:
        return section
    return section.model_copy(update={"reads": [locate(path, folder) for path in section.reads]})


# --- what follows from the task


def with_task(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in what follows when numbers are predicted: plans, metrics and scores of searches."""
    if config.get("task") != Task.REGRESSION:
        return config
    filled = dict(config)
    datasets = config.get("datasets")
    metric = Task.REGRESSION.metric
    # R² has no unit: errors in different ones cannot be averaged
    if isinstance(datasets, Mapping) and len(datasets) > 1:
        metric = "r2"
    filled.setdefault("metrics", [metric])
    # cross-validation inside halves is the default, for the t tests on folds reject too often where
    # models are shrunken
    plans = filled.setdefault("resampling", {"halves": {"repeats": 10}, "holdout": {}})
    if isinstance(plans, Mapping):
        # numbers have no classes whose shares could be kept
        unstratified = {}
        for name, plan in plans.items():
            unstratified[name] = _with_default(plan, "stratify", False)
        filled["resampling"] = unstratified
    models = config.get("models")
    if isinstance(models, Mapping):
        filled["models"] = {name: _searching_by_rmse(model) for name, model in models.items()}
    return filled


def _searching_by_rmse(model: Any) -> Any:
    """Fill in what a search of a regression is scored by."""
    if not isinstance(model, Mapping) or "tune" not in model:
        return model
    return {**model, "tune": _with_default(model["tune"], "scoring", "rmse")}


def _with_default(section: Any, key: str, value: Any) -> Any:
    """Fill in the default of one key, if the section is one."""
    if not isinstance(section, Mapping):
        return section
    return {key: value, **section}
