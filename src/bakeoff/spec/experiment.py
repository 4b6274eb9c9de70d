"""One YAML file is one experiment: this is its shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import ConfigDict, Discriminator, Field, Tag, model_validator

from bakeoff.keys import Id, Label, SpecSection, said
from bakeoff.sources import DataSet
from bakeoff.spec.costs import Costs
from bakeoff.spec.datasets import AnyData
from bakeoff.spec.execution import Execution
from bakeoff.spec.given_models import GivenModel, is_given, with_defaults
from bakeoff.spec.models import LEAST_MEMORY, Model
from bakeoff.spec.own_metrics import OwnMetric, with_own_metrics
from bakeoff.spec.resampling import Resampling
from bakeoff.spec.tests import HypothesisTests

AnyModel = Annotated[
    Annotated[Model, Tag("fitted")] | Annotated[GivenModel, Tag("given")],
    Discriminator(lambda value: "given" if is_given(value) else "fitted"),
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
        return split_name(self.plan, self.repeat, self.fold, self.seed)

    def __str__(self) -> str:
        place = (
            "holdout"
            if self.plan == "holdout"
            else (f"{self.plan}, repeat {self.repeat}, fold {self.fold}")
        )
        place += f", seed {self.seed}" if self.seed > 1 else ""
        return f"the fit of model {self.model} on data set {self.dataset}, {place},"


def split_name(plan: str, repeat: int | str, fold: int | str, seed: int | str = 1) -> str:
    """Name one division of one plan, and which of several seeds is fitted on it.

    Numbers may be wildcards of Snakemake's, such as ``{fold}``.
    """
    name = plan if plan == "holdout" else f"{plan}.repeat-{repeat}.fold-{fold}"
    return name if seed == 1 else f"{name}.seed-{seed}"


class Experiment(SpecSection):
    """A whole experiment."""

    # where every model is given, the data sets follow from them
    model_config = ConfigDict(json_schema_extra=lambda made: made["required"].remove("datasets"))

    experiment: Id = Field(description="Its name; results go to results/<experiment>/.")
    label: Label | None = None
    seed: int = Field(
        1, ge=0, lt=2**32, description="Every random number of the experiment comes from it."
    )
    datasets: Annotated[dict[Id, AnyData], Field(min_length=1)] = Field(
        description="The data sets, by id; may be left out where every model is given."
    )
    models: Annotated[dict[Id, AnyModel], Field(min_length=1)] = Field(
        description="The models to compare, by id: each to be fitted, or given by its results."
    )
    resampling: Resampling = Field(
        default_factory=lambda: Resampling.model_validate(Resampling.DEFAULT),
        description="How rows are divided; default: five 2-fold replications and a holdout; the "
        "holdout alone where a model is given by its predictions.",
    )
    metrics: Annotated[list[str], Field(min_length=1)] = Field(
        ["accuracy"],
        description="Names of metrics, or import paths of your own like mymetrics.profit; the "
        "first one ranks the models.",
    )
    own_metrics: dict[Id, OwnMetric] = Field(
        {}, description="Metrics of your own, by the names that `metrics` has them under."
    )
    tests: HypothesisTests = Field(
        default_factory=lambda: HypothesisTests.model_validate({}), description="The tests."
    )
    costs: Costs | None = Field(
        None, description="What each kind of error costs, for the metric `cost` and cost tests."
    )
    on_error: Literal["stop", "exclude"] = Field(
        "stop",
        description="When a fit fails: `stop` the run, or `exclude` the model on that data set, "
        "finish everything else and say so in excluded.csv and in the report.",
    )
    timeout: float | None = Field(
        None,
        gt=0,
        description="Seconds after which a fit is ended and has failed; for models without their "
        "own.",
    )
    memory: int | None = Field(
        None,
        ge=LEAST_MEMORY,
        description="MB of memory, Python and its libraries included, beyond which the process of "
        "a fit is ended and the fit has failed; for models without their own.",
    )
    execution: Execution = Field(
        default_factory=lambda: Execution.model_validate({}),
        description="How the fits are handed out to jobs; no result depends on it.",
    )

    @model_validator(mode="before")
    @classmethod
    def _what_follows_from_given_models(cls, config: Any) -> Any:
        return with_own_metrics(with_defaults(config)) if isinstance(config, Mapping) else config

    @model_validator(mode="after")
    def _names_of_files(self) -> Self:
        for kind in ("datasets", "models"):
            first: dict[str, str] = {}
            for name in getattr(self, kind):
                if name.lower() in first:
                    raise said(
                        f"{kind}: {first[name.lower()]!r} and {name!r} differ by case alone, and "
                        "become files that some systems take for one; rename one of them"
                    )
                first[name.lower()] = name
        return self

    @property
    def fitted(self) -> dict[str, Model]:
        """The models that are fitted here."""
        return {name: m for name, m in self.models.items() if isinstance(m, Model)}

    @property
    def given(self) -> dict[str, GivenModel]:
        """The models that were trained elsewhere."""
        return {name: m for name, m in self.models.items() if isinstance(m, GivenModel)}

    def on_rows(self, plan: str) -> bool:
        """Tell whether a plan has predictions row by row of every model."""
        return all(m.predicts(plan) for m in self.given.values())

    def by_scores(self, plan: str) -> bool:
        """Tell whether all that a plan has are scores that the models brought."""
        brought = not self.fitted and all(m.scores for m in self.given.values())
        return brought and not self.on_rows(plan)

    def fits(self, dataset: str | None = None, model: str | None = None) -> Iterator[Fit]:
        """Expand the experiment to its fits: data set × model × plan × repeat × fold × seed.

        Given a data set or a model, to the fits of these.
        """
        for d in [dataset] if dataset else self.datasets:
            for m in [model] if model else self.fitted:
                for name, plan in self.resampling.plans().items():
                    for repeat, fold in plan.splits():
                        for seed in range(1, self.fitted[m].seeds + 1):
                            yield Fit(d, m, name, repeat, fold, seed)

    def seeds(self, model: str) -> int:
        """Return with how many seeds a model is fitted on each fold."""
        return self.fitted[model].seeds if model in self.fitted else 1

    def limits(self, model: str) -> tuple[float | None, int | None]:
        """Return the seconds and the MB of memory that a fit of a model may take."""
        own = self.fitted[model]
        return own.timeout or self.timeout, own.memory or self.memory

    def beside(self, folder: Path) -> Experiment:
        """Find files that are not in the working folder in the experiment's own."""
        datasets = {
            name: spec.beside(folder) if isinstance(spec, DataSet) else spec
            for name, spec in self.datasets.items()
        }
        first = next(iter(self.datasets))
        given = {name: model.beside(folder, first) for name, model in self.given.items()}
        return self.model_copy(update={"datasets": datasets, "models": {**self.models, **given}})

    def resolved(self) -> dict[str, Any]:
        """Return plain data with every default written out.

        How the fits are handed out is no part of it: the same experiment on a cluster gives
        the same files.
        """
        return self.model_dump(mode="json", exclude_none=True, exclude={"execution"})
