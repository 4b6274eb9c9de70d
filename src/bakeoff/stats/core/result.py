"""What every test returns: frozen, typed results that flatten to rows and JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Literal

import numpy as np


def plain(value: Any) -> Any:
    """Reduce a value to what JSON knows.

    NaN becomes null, infinity ``"Infinity"`` or ``"-Infinity"``; `as_float` reads them again.
    """
    if value is None or type(value) in (str, int, bool):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float):
        return _plain_float(value)
    return value


def _plain_float(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    if value == math.inf:
        return "Infinity"
    if value == -math.inf:
        return "-Infinity"
    return value


def as_float(value: Any) -> float:
    """Read a number of plain data."""
    if value is None:
        return math.nan
    return float(value)


Alternative = Literal["two-sided", "greater", "less"]


class Status(StrEnum):
    """Whether a result is an ordinary one or a named degenerate case."""

    OK = "ok"
    NO_DISCORDANT_PAIRS = "no_discordant_pairs"
    """No row is right for one model and wrong for the other: statistic 0, p 1."""
    IDENTICAL_SCORES = "identical_scores"
    """All differences are 0: p 1."""
    ZERO_VARIANCE = "zero_variance"
    """The variance estimate is 0, the difference is not: statistic inf, p NaN, undecided."""
    TOO_FEW = "too_few"
    """Fewer observations than the test needs: p NaN, undecided."""
    UNDEFINED = "undefined"
    """The test has no answer on this evidence (the assumptions say why): p NaN, undecided."""


@dataclasses.dataclass(frozen=True)
class Assumption:
    """One assumption of a test and what the data say of it.

    Attributes
    ----------
    name, detail : str
        A short phrase, e.g. ``"enough discordant pairs"``, and one sentence with the numbers.
    holds : bool or None
        None when the data cannot tell.
    """

    name: str
    holds: bool | None
    detail: str


_OBSERVED = {
    "advantage",
    "auc_a",
    "auc_b",
    "cohens_h",
    "difference",
    "odds_ratio",
    "probability_superiority",
    "relative_cost_reduction",
    "share_a_better",
}
"""Effect sizes that are read off the data and so exist in degenerate cases as well."""

INDEPENDENT_ROWS = Assumption(
    "independent rows", None, "rows of one group (patient, user, day) would break it"
)

AGREE = "test and interval agree"
"""The name of the check that a p-value and the interval beside it lead to the same decision."""
_WAYS = (
    "; they are computed or adjusted in different ways, which can differ near the level, and the "
    "p-value decides"
)
DISAGREEMENT = {
    True: f"the test rejects its null hypothesis, yet the interval is compatible with it{_WAYS}",
    False: f"the interval excludes the null hypothesis, yet the test does not reject it{_WAYS}",
}
ROUNDING = 1e-12
"""What a p-value may exceed a level by that came out of 1 less another."""


def answered(
    status: Status, statistic: float, pvalue: float, estimate: float
) -> tuple[float, float]:
    """Return what a test says by its status: statistic and p-value, or those of no evidence."""
    if status in (Status.NO_DISCORDANT_PAIRS, Status.IDENTICAL_SCORES):
        return 0.0, 1.0
    if status is Status.ZERO_VARIANCE:
        statistic = math.nan
        if estimate:
            statistic = math.copysign(math.inf, estimate)
    if status is not Status.OK:
        pvalue = math.nan
    return statistic, pvalue


@dataclasses.dataclass(frozen=True)
class ConfidenceInterval:
    """A confidence interval; unpacks as ``low, high``.

    Attributes
    ----------
    low, high, confidence : float
        The limits, in the unit of the estimate, and the level.
    method : str
        How it was made, e.g. ``"newcombe"``.
    """

    low: float
    high: float
    confidence: float
    method: str

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def excludes(self, value: float) -> bool:
        """Return whether a value is outside of it."""
        return self.low > value or self.high < value


@dataclasses.dataclass(frozen=True, kw_only=True)
class Result:
    """The outcome of one test.

    A test of the catalogue leaves `test`, `method` and, where it is always the same,
    `null_hypothesis` to `register`.

    Attributes
    ----------
    test, variant : str
        The name in the catalogue, e.g. ``"mcnemar"``, and the form that was computed, e.g.
        ``"midp"``; empty where there is only one.
    statistic : float
        NaN where the test has none; exact tests give their count.
    df, df1, df2 : float or None
        Degrees of freedom, where the reference distribution has them.
    pvalue : float
        NaN when the test cannot tell (see `status`) and for Bayesian results, which have none.
    alternative : {"two-sided", "greater", "less"}
        ``"greater"``: A is better.
    estimate, ci : float, ConfidenceInterval or None
        What the test is about, usually A's advantage over B, NaN where there is none; its interval.
    effect_sizes : Mapping[str, float]
        Named effect sizes. In a degenerate case those that divide by a spread are NaN.
    n : int
        The number of independent observations the test saw (rows, folds, data sets).
    status : Status
        ``ok`` or a named degenerate case.
    assumptions : tuple of Assumption
        Each with what the data say of it.
    null_hypothesis, method : str
        One plain sentence; a key of `bakeoff.stats.core.citations`.
    details : Mapping[str, Any]
        Everything else worth keeping: counts, variances, all ten t values, ...
    """

    test: str = ""
    statistic: float
    pvalue: float
    n: int
    null_hypothesis: str = ""
    method: str = ""
    variant: str = ""
    df: float | None = None
    df1: float | None = None
    df2: float | None = None
    alternative: Alternative = "two-sided"
    estimate: float = math.nan
    ci: ConfidenceInterval | None = None
    effect_sizes: Mapping[str, float] = dataclasses.field(default_factory=dict)
    status: Status = Status.OK
    assumptions: tuple[Assumption, ...] = ()
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status is not Status.OK:
            sizes = dict(self.effect_sizes)
            for name in sizes.keys() - _OBSERVED:
                sizes[name] = math.nan
            object.__setattr__(self, "effect_sizes", sizes)  # the dataclass is frozen
        if not math.isnan(self.pvalue):
            object.__setattr__(self, "assumptions", self.checks(self._rejects))

    @property
    def null_value(self) -> float:
        """What `estimate` is under the null hypothesis: 0, or the value that was tested."""
        return float(self.details.get("mu0", self.details.get("p0", 0.0)))

    @property
    def _rejects(self) -> bool:
        """Whether it rejects at the level of its interval."""
        return self.ci is not None and self.pvalue <= 1 - self.ci.confidence + ROUNDING

    @property
    def excludes_null(self) -> bool:
        """Whether the interval is there and the null hypothesis is outside of it."""
        return self.ci is not None and self.ci.excludes(self.null_value)

    def checks(self, rejected: bool) -> tuple[Assumption, ...]:
        """Return the assumptions, with that of an interval which disagrees with a decision."""
        assumptions = tuple(check for check in self.assumptions if check.name != AGREE)
        if self.ci is None or rejected == self.excludes_null:
            return assumptions
        return (*assumptions, Assumption(AGREE, False, DISAGREEMENT[rejected]))

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain data, ready for JSON; see `bakeoff.stats.plain`."""
        return dict(plain(self))

    def to_row(self) -> dict[str, Any]:
        """Return one flat table row: scalars only, numbers as they are."""
        ci = self.ci or ConfidenceInterval(math.nan, math.nan, math.nan, "")
        row: dict[str, Any] = {
            "test": self.test,
            "variant": self.variant,
            "statistic": self.statistic,
            "df": self.df,
            "df1": self.df1,
            "df2": self.df2,
            "pvalue": self.pvalue,
            "alternative": self.alternative,
            "estimate": self.estimate,
            "ci_low": ci.low,
            "ci_high": ci.high,
            "confidence": ci.confidence,
            "n": self.n,
            "status": self.status.value,
            "method": self.method,
        }
        for name, size in self.effect_sizes.items():
            row[f"effect_{name}"] = size
        common = {field.name for field in dataclasses.fields(Result)}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name not in common and not isinstance(value, tuple):
                row[field.name] = value
        return row


def fill_in(facts: Mapping[str, str], result: Any) -> Any:
    """Set what a result that was just made, or one of its pairs, does not say of its test."""
    for part in (result, *getattr(result, "results", ())):
        for name, text in facts.items():
            if not getattr(part, name):
                object.__setattr__(part, name, text)
    return result


@dataclasses.dataclass(frozen=True, kw_only=True)
class BayesResult(Result):
    """A posterior over three regions instead of a p-value (`pvalue` is NaN).

    Attributes
    ----------
    p_a_better, p_equivalent, p_b_better : float
        Posterior probabilities; they sum to 1.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the scores.
    """

    p_a_better: float
    p_equivalent: float
    p_b_better: float
    rope: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class EquivalenceResult(Result):
    """A `Result` of two one-sided tests: a small p speaks for equivalence.

    `pvalue` is the larger of the two one-sided p-values, `statistic` belongs to it, and `ci`
    has level 1 − 2 alpha: it lies inside the margin exactly when the verdict is "equivalent".

    Attributes
    ----------
    margin : float
        Differences smaller than this do not matter, in the unit of the scores.
    alpha : float
        Level of the test.
    pvalue_lower, pvalue_upper : float
        Against "A is worse by the margin or more" and "A is better by the margin or more".
    verdict : {"equivalent", "not shown", "undecided"}
        ``"not shown"`` does not mean different; ``"undecided"``: the p is NaN.
    """

    margin: float
    alpha: float
    pvalue_lower: float
    pvalue_upper: float
    verdict: str

    @property
    def _rejects(self) -> bool:
        return self.pvalue < self.alpha

    @property
    def excludes_null(self) -> bool:
        """Whether the interval is inside the margin, on the side that the p-value belongs to."""
        if self.ci is None:
            return False
        one_side = self.pvalue < self.pvalue_upper  # of two sides the p-value is the larger one
        return self.ci.low > -self.margin and (one_side or self.ci.high < self.margin)


UNDECIDED: dict[str, Any] = {
    "pvalue": math.nan,
    "pvalue_lower": math.nan,
    "pvalue_upper": math.nan,
    "verdict": "undecided",
}
"""What an `EquivalenceResult` of too few observations says."""


def conclude(
    *,
    statistics: tuple[float, float],
    pvalues: tuple[float, float],
    margin: float,
    alpha: float,
    what: str,
    details: dict[str, Any],
    sides: int = 2,
    kind: type[EquivalenceResult] = EquivalenceResult,
    **facts: Any,
) -> EquivalenceResult:
    """Join two one-sided tests, or take the lower one; NaN leaves the verdict undecided."""
    null = f"The {what} differ by {margin:g} or more."
    shown = "equivalent"
    if sides == 1:
        null = f"A is worse than B by {margin:g} or more."
        shown = "not inferior"
    # an intersection-union test: the larger p-value decides
    last = int(np.argmax(pvalues[:sides]))
    pvalue = pvalues[last]
    if any(math.isnan(p) for p in pvalues):
        pvalue = math.nan
    verdict = "not shown"
    if math.isnan(pvalue):
        verdict = "undecided"
    elif pvalue < alpha:
        verdict = shown
    return kind(
        statistic=statistics[last],
        pvalue=pvalue,
        pvalue_lower=pvalues[0],
        pvalue_upper=pvalues[1],
        margin=margin,
        alpha=alpha,
        verdict=verdict,
        null_hypothesis=null,
        details=details | {"statistic_lower": statistics[0], "statistic_upper": statistics[1]},
        **facts,
    )
