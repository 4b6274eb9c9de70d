"""The comparisons of one test, and how they look from either side."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report.written import Written
from bakeoff.scores import Metric
from bakeoff.stats import Entry, TypeOneError


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """The comparisons of one test on one data set and metric."""

    entry: Entry
    dataset: str
    plan: str
    measure: Metric
    written: Written
    follows: str
    rows: tuple[Comparison, ...]

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.measure.name

    @property
    def evidence(self) -> tuple[str, str, str]:
        """The data set, the plan and the metric, which other families may share."""
        return self.dataset, self.plan, self.metric

    @property
    def role(self) -> str:
        """Whether it is about pairs, all models or single ones."""
        return self.rows[0].role

    @property
    def bayesian(self) -> bool:
        """Whether its results are posterior probabilities."""
        return self.entry.type1 is TypeOneError.BAYESIAN

    @property
    def equivalence(self) -> bool:
        """Whether a small p-value speaks for equivalence within a margin."""
        return "margin" in self.entry.options

    @property
    def noninferiority(self) -> bool:
        """Whether it asks only that the first model of a pair is not worse by the margin."""
        return str(self.rows[0].result.get("null_hypothesis", "")).startswith("A is worse")

    @property
    def settles(self) -> bool:
        """Whether its p-values are about a difference between two models."""
        return self.role == "pair" and not self.bayesian and not self.equivalence

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that are compared, in the experiment's order."""
        if self.ranks:
            return tuple(self.ranks)
        return tuple(dict.fromkeys(m for row in self.rows for m in (row.model_a, row.model_b) if m))

    @property
    def leader_only(self) -> bool:
        """Whether all pairs count, and those of the best of many models were tested."""
        return self._of_one and self.rows[0].family_size > len(self.rows)

    @cached_property
    def control(self) -> str:
        """The model that the others are compared with; empty where all pairs are compared."""
        return self.rows[0].model_a if self._of_one and not self.leader_only else ""

    @cached_property
    def _of_one(self) -> bool:
        """Whether one model is compared with each of several others."""
        firsts = {row.model_a for row in self.rows}
        return self.role == "pair" and len(firsts) == 1 < len(self.rows)

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average ranks that the test itself compares, by model; empty where it has none."""
        found = self.rows[0].result.get("ranks", {})
        averages = map(as_float, found.get("average_ranks", ()))
        return dict(zip(found.get("models", ()), averages, strict=True))

    def between(self, a: str, b: str) -> Comparison | None:
        """Return the comparison of two models as `a` sees it, or None."""
        row = self._by_pair.get((a, b)) or self._by_pair.get((b, a))
        return None if row is None else seen_from(row, a)

    def turned(self, a: str, b: str) -> bool:
        """Tell whether the comparison was made with `b` as A."""
        return (a, b) not in self._by_pair

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Comparison]:
        return {(row.model_a, row.model_b): row for row in self.rows}


NOT_INFERIOR, B_NOT_INFERIOR = "not inferior", "b not inferior"
"""What a one-sided test against a margin says of A, and of B where the comparison is turned."""


def seen_from(row: Comparison, model: str) -> Comparison:
    """Turn a comparison so that `model` is A."""
    if row.model_a == model:
        return row
    decisions = {Decision.A_BETTER: Decision.B_BETTER, Decision.B_BETTER: Decision.A_BETTER}
    sides = {"greater": "less", "less": "greater"}
    one_sided = row.result.get("verdict") == NOT_INFERIOR
    return dataclasses.replace(
        row,
        result={**row.result, "verdict": B_NOT_INFERIOR} if one_sided else row.result,
        model_a=row.model_b,
        model_b=row.model_a,
        estimate=0.0 - row.estimate,
        ci_low=0.0 - row.ci_high,
        ci_high=0.0 - row.ci_low,
        alternative=sides.get(row.alternative, row.alternative),
        decision=decisions.get(row.decision, row.decision),
        p_a_better=row.p_b_better,
        p_b_better=row.p_a_better,
    )


def as_float(value: Any) -> float:
    """Read a number of a result's plain data; non-finite ones are strings there."""
    return math.nan if value is None else float(value)
