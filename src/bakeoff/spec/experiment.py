"""One YAML file is one experiment: this is its shape."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from bakeoff.spec.base import Id, Label, Part
from bakeoff.spec.datasets import AnyData
from bakeoff.spec.execution import Execution
from bakeoff.spec.models import Model
from bakeoff.spec.resampling import Resampling

Correction = Literal[
    "bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak", "BH", "BY", "none"
]


class Fit(NamedTuple):
    """One fit and predict job: the address of one file of predictions."""

    dataset: str
    model: str
    plan: str
    repeat: int
    fold: int

    @property
    def split(self) -> str:
        """The file's name: ``holdout`` or ``cv_5x2.repeat-1.fold-2``."""
        return split_name(self.plan, self.repeat, self.fold)

    def __str__(self) -> str:
        place = (
            "holdout"
            if self.plan == "holdout"
            else (f"{self.plan}, repeat {self.repeat}, fold {self.fold}")
        )
        return f"the fit of model {self.model} on data set {self.dataset}, {place},"


def split_name(plan: str, repeat: int, fold: int) -> str:
    """Name one division of one plan."""
    return plan if plan == "holdout" else f"{plan}.repeat-{repeat}.fold-{fold}"


class ChosenTest(NamedTuple):
    """A test of the experiment, the plan that feeds it, and whether it needs rows or scores."""

    name: str
    plan: str
    on_rows: bool


class TestSettings(Part):
    """Which tests run, and what they share."""

    __test__ = False  # not a test class, whatever pytest thinks of the name

    alpha: float = Field(0.05, gt=0, lt=1, description="Significance level of every decision.")
    run: Annotated[list[str], Field(min_length=1)] = Field(
        ["cv5x2_f", "mcnemar", "cochran_q"],
        description="Names of tests; `bakeoff tests` lists them.",
    )
    correction: Correction = Field(
        "bonferroni", description="How the p-values of all pairs of models are adjusted."
    )


class Experiment(Part):
    """A whole experiment."""

    experiment: Id = Field(description="Its name; results go to results/<experiment>/.")
    label: Label | None = None
    seed: int = Field(1, ge=0, description="Every random number of the experiment comes from it.")
    datasets: Annotated[dict[Id, AnyData], Field(min_length=1)] = Field(
        description="The data sets, by id."
    )
    models: Annotated[dict[Id, Model], Field(min_length=1)] = Field(
        description="The models to compare, by id."
    )
    resampling: Resampling = Field(
        default_factory=lambda: Resampling.model_validate(Resampling.DEFAULT),
        description="How rows are divided; default: five 2-fold replications and a holdout.",
    )
    metrics: Annotated[list[str], Field(min_length=1)] = Field(
        ["accuracy"], description="Names of metrics; the first one ranks the models."
    )
    tests: TestSettings = Field(
        default_factory=lambda: TestSettings.model_validate({}), description="The tests."
    )
    execution: Execution = Field(
        default_factory=lambda: Execution.model_validate({}),
        description="How the fits are handed out to jobs; no result depends on it.",
    )

    def fits(self) -> Iterator[Fit]:
        """Expand the experiment to its fits: data set × model × plan × repeat × fold."""
        for dataset in self.datasets:
            for model in self.models:
                for name, plan in self.resampling.plans().items():
                    for repeat, fold in plan.splits():
                        yield Fit(dataset, model, name, repeat, fold)

    def resolved(self) -> dict[str, Any]:
        """Return plain data with every default written out.

        How the fits are handed out is no part of it: the same experiment on a cluster gives
        the same files.
        """
        return self.model_dump(mode="json", exclude_none=True, exclude={"execution"})


def digest(value: Any) -> str:
    """Return a short stable digest of plain data, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
