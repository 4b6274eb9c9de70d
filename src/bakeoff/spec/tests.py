"""The `tests:` of an experiment, and the plan that is made of them before the results."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from bakeoff.errors import shown
from bakeoff.keys import Id, SpecSection, said, with_numbers
from bakeoff.options import OPTIONS

Correction = Literal[
    "bonferroni",
    "holm",
    "hochberg",
    "hommel",
    "sidak",
    "holm-sidak",
    "BH",
    "BY",
    "shaffer",
    "max-t",
    "sign-flips",
    "none",
]
RETIRED_CORRECTIONS: Mapping[str, str] = {
    "minp": "there is no correction 'minp' any more: write `holm`, `hommel` or `shaffer`",
    "bergmann-hommel": "there is no correction 'bergmann-hommel' any more: write `shaffer`, `holm` "
    "or `hommel`",
}
"""Corrections of before, each with what to write instead."""
Alternative = Literal["two-sided", "greater", "less"]
RECOMMENDED = "recommended"
TaskWeights = Literal["tasks", "items"] | dict[str, float]
MissingCells = Literal["error", "drop_dataset", "failed"]


def _as_list(value: Any) -> Any:
    """Take `recommended` alone for a list of it."""
    if value == RECOMMENDED:
        return [value]
    if isinstance(value, str):
        expected = f"`{RECOMMENDED}` or a list of tests like [mcnemar]"
        raise said(f"found {shown(value)}, expected {expected}")
    return value


def _no_longer(value: Any) -> Any:
    """Say of a correction of before what to write instead."""
    if isinstance(value, str) and value in RETIRED_CORRECTIONS:
        raise said(RETIRED_CORRECTIONS[value])
    return value


class HypothesisTests(SpecSection):
    """Which tests run, and what they share."""

    alpha: float = Field(0.05, gt=0, lt=1, description=OPTIONS["alpha"].help)
    run: Annotated[list[str], Field(min_length=1), BeforeValidator(_as_list)] = Field([RECOMMENDED])
    """Names of tests. `recommended` stands for the tests that fit what the experiment offers, with
    the reasons in tests.json; others can be named beside it."""
    correction: Annotated[Correction | None, BeforeValidator(_no_longer)] = Field(
        None, description=OPTIONS["correction"].help
    )
    versus: Id | None = Field(None, description=OPTIONS["versus"].help)
    alternative: Alternative = Field("two-sided", description=OPTIONS["alternative"].help)
    rope: float | None = Field(None, ge=0)
    """Half-width of the region of practical equivalence of the Bayesian test, in the unit of the
    metric; default 0.01."""
    margin: float | None = Field(None, gt=0)
    """The largest difference that does not matter, in the unit of the metric, for the equivalence
    tests; choose it before seeing results."""
    missing_cells: MissingCells | None = None
    """When a model has no score on a data set: stop (`error`), leave that data set out of the tests
    over data sets (`drop_dataset`), or rank those last that `failed`. The results say so. Default:
    `error`; with `on_error: exclude` `drop_dataset`."""
    dataset_groups: dict[str, Annotated[list[str], Field(min_length=2)]] = Field({})
    """Data sets that belong together, such as versions of one, by the name of the group: tests over
    data sets take the mean score of a group for one."""
    task_weights: TaskWeights = "tasks"
    """What tasks weigh in the mean over those that `columns: {tasks: …}` names: every task
    alike (`tasks`), every row alike (`items`), or a weight for each, as `{math: 2, law: 1}`."""
    options: Annotated[dict[str, dict[str, Any]], BeforeValidator(with_numbers)] = Field({})
    """Options of single tests, by name: `mcnemar: {variant: exact}`. Besides those of the test:
    `metrics`, `plan`, `alpha`, `correction`, `versus`."""

    def units(self, datasets: Iterable[str]) -> dict[str, list[str]]:
        """Map what tests over data sets count as one, a data set or a group, to its data sets."""
        group_of = {}
        for group, members in self.dataset_groups.items():
            for dataset in members:
                group_of[dataset] = group
        units: dict[str, list[str]] = {}
        for dataset in datasets:
            # a data set in no group is a unit of its own
            unit = group_of.get(dataset, dataset)
            units.setdefault(unit, []).append(dataset)
        return units


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlannedTest:
    """One test of an experiment with its evidence and settings."""

    name: str
    plan: str = ""
    evidence: str = ""
    metrics: tuple[str, ...] = ()
    why: str = ""
    alpha: float = 0.05
    correction: str | None = None
    versus: str | None = None
    simultaneous: bool = True
    independent_rows: bool = False
    related: bool = False
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    better: tuple[str, ...] = ()
    posthoc: PlannedTest | None = None

    @property
    def alternative(self) -> Alternative:
        """The side of the test; ``two-sided`` where it has no other."""
        side: Alternative = self.options.get("alternative", "two-sided")
        return side

    @property
    def on_predictions(self) -> bool:
        """Whether its evidence is predictions row by row, not scores."""
        return self.evidence in ("rows", "runs", "fold_rows")

    @property
    def on_datasets(self) -> bool:
        """Whether its evidence is one score per data set."""
        return self.evidence == "datasets"

    @property
    def allows_missing(self) -> bool:
        """Whether it leaves out missing scores by itself."""
        return self.options.get("missing") == "omit" or self.options.get("nan_policy") == "omit"

    def on(self, plan: str, metrics: Sequence[str]) -> PlannedTest:
        """Return the test, and what follows it, on the evidence of a resampling plan."""
        posthoc = None
        if self.posthoc is not None:
            posthoc = self.posthoc.on(plan, metrics)
        return dataclasses.replace(self, plan=plan, metrics=tuple(metrics), posthoc=posthoc)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        plain = dict(vars(self))
        test = plain.pop("name")
        plain["metrics"] = list(self.metrics)
        plain["better"] = list(self.better)
        plain["options"] = dict(self.options)
        if self.posthoc is not None:
            plain["posthoc"] = self.posthoc.to_dict()
        return {"test": test, **plain}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PlannedTest:
        """Read what `to_dict` made; other keys are ignored."""
        values = {}
        for field in dataclasses.fields(cls):
            if field.name in data:
                values[field.name] = data[field.name]
        values["name"] = data["test"]
        # JSON has lists in place of tuples
        values["metrics"] = tuple(values.get("metrics", ()))
        values["better"] = tuple(values.get("better", ()))
        if data["posthoc"] is not None:
            values["posthoc"] = cls.from_dict(data["posthoc"])
        return cls(**values)


class AnalysisPlan(tuple[PlannedTest, ...]):
    """The tests of an experiment, in the order asked for."""

    __slots__ = ()

    @property
    def by_name(self) -> dict[str, PlannedTest]:
        """The tests, then the post hoc tests that are not asked for too, by their names."""
        tests = {test.name: test for test in self}
        following = {}
        for test in self:
            if test.posthoc is not None:
                following[test.posthoc.name] = test.posthoc
        # a test that is asked for goes before one of its name that follows another
        for name, test in following.items():
            tests.setdefault(name, test)
        return tests
