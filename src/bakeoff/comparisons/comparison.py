"""One row of comparisons.csv: a test's result with its family, correction and decision."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bakeoff.files import read_json
from bakeoff.scores import Metric
from bakeoff.spec import Costs
from bakeoff.stats import (
    Arity,
    BayesResult,
    ConfidenceInterval,
    Entry,
    EquivalenceResult,
    PairwiseResult,
    Result,
    Status,
    as_float,
    plain,
)

UNDEFINED_METRIC = "undefined_metric"
"""Status where a model has no score to compare."""


class Missing(ValueError):
    """A model has no score or prediction where the test needs one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoResult(Result):
    """No result, and why."""

    reason: str
    kind: str

    @classmethod
    def of(cls, entry: Entry, alternative: str, n: int, refusal: ValueError) -> NoResult:
        """Make it from the refusal of a test."""
        return cls(
            test=entry.name,
            statistic=math.nan,
            pvalue=math.nan,
            n=n,
            null_hypothesis="",
            method=entry.citation,
            alternative=alternative,  # type: ignore[arg-type]
            reason=str(refusal),
            kind=UNDEFINED_METRIC if isinstance(refusal, Missing) else Status.UNDEFINED.value,
        )


Range = tuple[float, float]

R = TypeVar("R")


def range_of(metric: Metric, costs: Costs | None) -> Range:
    """Return the least and the greatest value of a metric; no cost exceeds the largest error's."""
    if metric.priced and costs is not None:
        return metric.range[0], float(max(map(max, costs.matrix)))
    return metric.range


def clipped(ci: ConfidenceInterval | None, limits: Range) -> ConfidenceInterval | None:
    """Clip an interval to the range of its parameter."""
    if ci is None:
        return None
    low, high = (float(np.clip(limit, *limits)) for limit in (ci.low, ci.high))
    return dataclasses.replace(ci, low=low, high=high)


def bounded(result: R, entry: Entry, limits: Range) -> R:
    """Clip the intervals of a result to the metric's range."""
    if entry.unit or not isinstance(result, Result | PairwiseResult):
        return result
    least, greatest = limits
    if entry.arity is not Arity.ONE:
        least, greatest = least - greatest, greatest - least
    if isinstance(result, PairwiseResult):
        pairs = tuple(
            dataclasses.replace(pair, ci=clipped(pair.ci, (least, greatest)))
            for pair in result.pairs
        )
        results = tuple(bounded(one, entry, limits) for one in result.results)
        return dataclasses.replace(result, pairs=pairs, results=results)
    return dataclasses.replace(result, ci=clipped(result.ci, (least, greatest)))


class Decision(StrEnum):
    """The outcome of a comparison at the chosen level."""

    A_BETTER = "a_better"
    B_BETTER = "b_better"
    DIFFERENT = "different"
    """The hypothesis of equality is rejected, no direction is claimed (omnibus tests)."""
    NOT_SHOWN = "no_difference_shown"
    """Not rejected; this is no evidence of equality."""
    EQUIVALENT = "equivalent"
    """Shown to differ by less than the margin."""
    UNDECIDED = "undecided"
    """The evidence is degenerate or too little: the test cannot tell."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Comparison:
    """One hypothesis tested."""

    test: str
    variant: str = ""
    role: str
    follows: str = ""
    dataset: str = ""
    plan: str
    metric: str
    model_a: str = ""
    model_b: str = ""
    statistic: float
    df: float | None = None
    df1: float | None = None
    df2: float | None = None
    pvalue: float
    pvalue_adjusted: float
    correction: str
    family_size: int
    alternative: str = "two-sided"
    estimate: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    confidence: float = math.nan
    n: int
    status: str
    alpha: float
    decision: Decision
    p_a_better: float = math.nan
    p_equivalent: float = math.nan
    p_b_better: float = math.nan
    rope: float = math.nan
    margin: float = math.nan
    caution: str = ""
    result: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)

    def to_row(self) -> dict[str, Any]:
        """Return the scalars: one row of comparisons.csv."""
        row = {name: getattr(self, name) for name in self.columns()}
        return row | {"decision": self.decision.value}

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; see `bakeoff.stats.plain`."""
        return {**plain(self.to_row()), "result": dict(self.result)}

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """List the columns of comparisons.csv."""
        return tuple(f.name for f in dataclasses.fields(cls) if f.name != "result")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Comparison:
        """Read what `to_dict` wrote."""
        values = {key: _read(key, value) for key, value in data.items()}
        return cls(**{**values, "decision": Decision(data["decision"])})


def read_comparisons(path: str | Path) -> list[Comparison]:
    """Read comparisons as `to_dict` wrote them."""
    return [Comparison.from_dict(row) for row in read_json(path)]


def merged(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """List every hypothesis once, with all the omnibus tests that it follows."""
    rows = list(comparisons)
    return [
        rows[i] if rows[i].follows == follows else dataclasses.replace(rows[i], follows=follows)
        for i, follows in once(rows).items()
    ]


def once(comparisons: Sequence[Comparison]) -> dict[int, str]:
    """Map the places of distinct hypotheses to the omnibus tests that they follow."""
    found: dict[int, str] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(comparisons):
        key = (row.test, row.role, row.dataset, row.plan, row.metric, row.model_a, row.model_b)
        same = [j for j in places.setdefault(key, []) if _alike(comparisons[j], row)]
        if same:
            names = dict.fromkeys(filter(None, [*found[same[0]].split("+"), row.follows]))
            found[same[0]] = "+".join(names)
        else:
            places[key].append(i)
            found[i] = row.follows
    return found


def _alike(a: Comparison, b: Comparison) -> bool:
    """Tell whether two comparisons have the same numbers from the same evidence."""
    plain_a, plain_b = (json.dumps({**c.to_dict(), "follows": ""}, default=str) for c in (a, b))
    return plain_a == plain_b


_TYPES = {field.name: str(field.type) for field in dataclasses.fields(Comparison)}


def _read(key: str, value: Any) -> Any:
    """Return a value as its field has it: JSON writes NaN as null, and infinity as text."""
    kind = _TYPES.get(key)
    number = kind == "float" or (kind == "float | None" and value is not None)
    return as_float(value) if number else value


def decide(result: Result, role: str, adjusted: float, alpha: float) -> Decision:
    """Decide a hypothesis by its result and its adjusted p-value, at level `alpha`."""
    if isinstance(result, BayesResult):
        return decide_posterior(result, alpha)
    if isinstance(result, EquivalenceResult) and not math.isnan(adjusted):
        return Decision.EQUIVALENT if adjusted < alpha else Decision.NOT_SHOWN
    if role == "pair":
        return decide_pair(adjusted, alpha, result.estimate, result.alternative)
    return decide_omnibus(adjusted, alpha)


def decide_pair(
    pvalue: float, alpha: float, estimate: float, alternative: str = "two-sided"
) -> Decision:
    """Decide a comparison of two models."""
    if math.isnan(pvalue):
        return Decision.UNDECIDED
    if pvalue > alpha:
        return Decision.NOT_SHOWN
    if alternative != "two-sided":
        return Decision.A_BETTER if alternative == "greater" else Decision.B_BETTER
    if math.isnan(estimate) or estimate == 0:
        return Decision.DIFFERENT
    return Decision.A_BETTER if estimate > 0 else Decision.B_BETTER


def decide_omnibus(pvalue: float, alpha: float) -> Decision:
    """Decide whether all models are alike."""
    if math.isnan(pvalue):
        return Decision.UNDECIDED
    return Decision.DIFFERENT if pvalue <= alpha else Decision.NOT_SHOWN


def decide_posterior(result: BayesResult, alpha: float) -> Decision:
    """Decide for the outcome whose posterior probability is at least 1 − alpha."""
    # folds that do not vary leave a posterior that is a point and no evidence
    if result.status is not Status.OK or math.isnan(result.p_equivalent):
        return Decision.UNDECIDED
    for probability, decision in (
        (result.p_a_better, Decision.A_BETTER),
        (result.p_equivalent, Decision.EQUIVALENT),
        (result.p_b_better, Decision.B_BETTER),
    ):
        if probability >= 1 - alpha:
            return decision
    return Decision.NOT_SHOWN
