"""The comparisons of one test, as one object."""

from __future__ import annotations

import dataclasses
from functools import cached_property

from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report.written import Written
from bakeoff.scores import Metric
from bakeoff.stats import Entry, TypeOneError, as_float

NOT_INFERIOR = "not inferior"
"""What a one-sided test against a margin says of A."""
B_NOT_INFERIOR = "b not inferior"
"""What it says of B where the comparison is turned."""
_TURNED_DECISIONS = {
    Decision.A_BETTER: Decision.B_BETTER,
    Decision.B_BETTER: Decision.A_BETTER,
}
_TURNED_SIDES = {"greater": "less", "less": "greater"}


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

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that are compared, in the experiment's order."""
        if self.ranks:
            return tuple(self.ranks)
        models = list[str]()
        for row in self.rows:
            models += [row.model_a, row.model_b]
        return tuple(dict.fromkeys(model for model in models if model))

    @cached_property
    def leader_only(self) -> bool:
        """Whether all pairs count, and those of the best of many models were tested."""
        return self._of_one and self.rows[0].family_size > len(self.rows)

    @cached_property
    def control(self) -> str:
        """The model that the others are compared with; empty where all pairs are compared."""
        if self._of_one and not self.leader_only:
            return self.rows[0].model_a
        return ""

    @property
    def _of_one(self) -> bool:
        """Whether one model is compared with each of several others."""
        firsts = {row.model_a for row in self.rows}
        return self.role == "pair" and len(firsts) == 1 < len(self.rows)

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average ranks that the test itself compares, by model; empty where it has none."""
        ranks = self.rows[0].result.get("ranks", {})
        averages = map(as_float, ranks.get("average_ranks", ()))
        return dict(zip(ranks.get("models", ()), averages, strict=True))

    def between(self, a: str, b: str) -> Comparison | None:
        """Return the comparison of two models as `a` sees it, or None."""
        row = self._by_pair.get((a, b)) or self._by_pair.get((b, a))
        if row is None:
            return None
        return seen_from(row, a)

    def turned(self, a: str, b: str) -> bool:
        """Tell whether the comparison was made with `b` as A."""
        return (a, b) not in self._by_pair

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Comparison]:
        return {(row.model_a, row.model_b): row for row in self.rows}


def seen_from(row: Comparison, model: str) -> Comparison:
    """Turn a comparison so that `model` is A."""
    if row.model_a == model:
        return row
    result = row.result
    if result.get("verdict") == NOT_INFERIOR:
        result = {**result, "verdict": B_NOT_INFERIOR}
    # less than 0.0, so that no difference is no negative zero
    return dataclasses.replace(
        row,
        result=result,
        model_a=row.model_b,
        model_b=row.model_a,
        estimate=0.0 - row.estimate,
        ci_low=0.0 - row.ci_high,
        ci_high=0.0 - row.ci_low,
        alternative=_TURNED_SIDES.get(row.alternative, row.alternative),
        decision=_TURNED_DECISIONS.get(row.decision, row.decision),
        p_a_better=row.p_b_better,
        p_b_better=row.p_a_better,
    )
