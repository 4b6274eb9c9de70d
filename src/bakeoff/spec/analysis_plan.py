"""The plan of the analysis: every test that runs, with all its settings, fixed before the results.

It is made once, by `bakeoff.comparisons.plan_tests`, and is plain data: the workflow stores and
reads it without loading the statistics.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

Alternative = Literal["two-sided", "greater", "less"]


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
    def on_rows(self) -> bool:
        """Whether its evidence is predictions row by row, not scores."""
        return self.evidence in ("rows", "runs")

    @property
    def on_fold_rows(self) -> bool:
        """Whether its evidence is the predictions of every fold, row by row."""
        return self.evidence == "fold_rows"

    @property
    def on_datasets(self) -> bool:
        """Whether its evidence is one score per data set."""
        return self.evidence == "datasets"

    @property
    def allows_missing(self) -> bool:
        """Whether it leaves out missing scores by itself."""
        return "omit" in map(self.options.get, ("missing", "nan_policy"))

    def on(self, plan: str, metrics: Sequence[str]) -> PlannedTest:
        """Return the test, and what follows it, on the evidence of a resampling plan."""
        posthoc = self.posthoc and self.posthoc.on(plan, metrics)
        return dataclasses.replace(self, plan=plan, metrics=tuple(metrics), posthoc=posthoc)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "name"}
        own |= {"metrics": list(self.metrics), "better": list(self.better)}
        posthoc = self.posthoc and self.posthoc.to_dict()
        return {
            "test": self.name,
            **own,
            "options": dict(self.options),
            "posthoc": posthoc,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PlannedTest:
        """Read what `to_dict` made; other keys are ignored."""
        own = {f.name: data[f.name] for f in dataclasses.fields(cls) if f.name in data}
        own |= {"name": data["test"]} | {k: tuple(own.get(k, ())) for k in ("metrics", "better")}
        return cls(**{**own, "posthoc": data["posthoc"] and cls.from_dict(data["posthoc"])})


@dataclasses.dataclass(frozen=True)
class AnalysisPlan:
    """The tests of an experiment, in the order asked for."""

    tests: tuple[PlannedTest, ...] = ()

    def __iter__(self) -> Iterator[PlannedTest]:
        return iter(self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    def __getitem__(self, name: str) -> PlannedTest:
        return {test.name: test for test in self.with_posthoc}[name]

    @property
    def with_posthoc(self) -> tuple[PlannedTest, ...]:
        """The tests, then the post hoc tests that are not asked for too, each name once."""
        names = {test.name for test in self.tests}
        following = {t.posthoc.name: t.posthoc for t in self.tests if t.posthoc is not None}
        return (*self.tests, *(test for name, test in following.items() if name not in names))

    def to_list(self) -> list[dict[str, Any]]:
        """Return plain data, one entry per test."""
        return [test.to_dict() for test in self.tests]

    @classmethod
    def from_list(cls, tests: Iterable[Mapping[str, Any]]) -> AnalysisPlan:
        """Read what `to_list` made."""
        return cls(tuple(map(PlannedTest.from_dict, tests)))
