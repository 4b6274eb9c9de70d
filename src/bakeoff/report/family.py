"""The comparisons of one test, how they look from either side, and what they would have found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import numpy as np

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report.written import Written
from bakeoff.scores import Metric
from bakeoff.stats import Entry, Evidence, Power, TypeOneError, detectable_difference


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
    def within(self) -> str:
        """What a small p-value shows of two models, by a test against a margin."""
        if self.noninferiority:
            return "the first of them in the experiment is not worse by the margin"
        return "both are equivalent"

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


POWER = 0.8
Planning = Callable[..., Power]


def detectable(family: Family, row: Comparison) -> float:
    """Return the smallest true difference that a comparison finds with a power of 80%."""
    # The noise is that of the data at hand, the level is divided by the number of hypotheses when
    # the p-values were adjusted. NaN when it cannot be told, infinity where no difference that the
    # metric allows would be found.
    size, width = _detectable(family, row), _largest(family.entry, family.measure)
    return math.inf if size > width else size


def _largest(entry: Entry, measure: Metric) -> float:
    """Return how far two values of a metric can be apart; infinity where nothing limits it."""
    low, high = measure.range
    return math.inf if entry.unit else high - low


def _reach(row: Comparison, width: float) -> float:
    """Return how far the limit that matters is from the estimate."""
    below, above = row.estimate - row.ci_low, row.ci_high - row.estimate
    ends = {"greater": (False, True), "less": (True, False)}
    match ends.get(row.alternative, (row.ci_low <= -width, row.ci_high >= width)):
        case (False, True):
            return below
        case (True, False):
            return above
        case (True, True):
            return max(below, above)
    return (below + above) / 2


def _detectable(family: Family, row: Comparison) -> float:
    details = row.result.get("details", {})
    alpha = row.alpha / (row.family_size if row.correction not in ("none", "BH", "BY") else 1)
    planning = family.entry.planning
    if planning and "only_a_correct" in details and not family.entry.is_of_groups(row.variant):
        discordant = details["only_a_correct"] + details["only_b_correct"]
        how = {"alpha": alpha, "alternative": row.alternative}
        return _on_rows(planning, row.n, discordant, how)
    if planning and "variances" in details:
        variances = [as_float(v) for v in details["variances"]]
        sd = math.sqrt(math.fsum(variances) / len(variances))
        # in units of one fold's standard deviation the answer depends on the level alone
        return _for_unit_noise(planning, alpha) * sd if sd > 1e-12 else math.nan
    # where rows are counted, degrees of freedom are those of a χ², never of Student's t
    entry = family.entry
    of_influence = entry.evidence is Evidence.ROWS and entry.reads in ("predictions", "values")
    counted = entry.evidence.on_rows and not of_influence
    df = None if counted else row.df
    return _from_interval(row, df, _largest(family.entry, family.measure))


def _on_rows(planning: Planning, n: int, discordant: int, how: dict[str, Any]) -> float:
    if n < 1 or not 0 < discordant < n:
        return math.nan
    # where even all of today's disagreement would be too little, ask what disagreement would do
    for rate in np.linspace(discordant / n, 1, 40):
        found = planning(discordance=float(rate)).solve(n=n, power=POWER, **how).difference
        if math.isfinite(found):
            return abs(float(found))
    return math.nan


@cache
def _for_unit_noise(planning: Planning, alpha: float) -> float:
    return planning(sd=1.0).solve(n=1, power=POWER, alpha=alpha).difference


def _from_interval(row: Comparison, df: float | None, width: float) -> float:
    """Return the difference that the interval tells."""
    found = _reach(row, width)
    tail = (1 + row.confidence) / 2 if row.alternative == "two-sided" else row.confidence
    if not (found > 0 and math.isfinite(found)):
        return math.nan
    used = df if df is not None and df > 0 else None
    return detectable_difference(found, level=tail, power=POWER, df=used)
