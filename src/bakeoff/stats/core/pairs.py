"""The pairs of a family of models: their tests and results, and the correction for their number."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.stats.core.arguments import Count, Level, check_choice, checked
from bakeoff.stats.core.checks import ArgumentError, FloatArray, as_floats, check_models
from bakeoff.stats.core.error_rates import TypeOneError
from bakeoff.stats.core.registry import RETIRED, Arity, Evidence, catalogue
from bakeoff.stats.core.result import (
    AGREE,
    DISAGREEMENT,
    ROUNDING,
    Alternative,
    Assumption,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    plain,
)

_OF_PAIRS = ("statistic", "df", "pvalue", "estimate", "ci", "status")
"""What a pair and a result of two models have in common."""
_OF_ALL = ("test", "variant", "n", "null_hypothesis", "method")
"""What a family and the result of each of its pairs have in common."""


def adjust_pvalues(pvalues: ArrayLike, method: str = "holm") -> FloatArray:
    """Adjust p-values for the number of hypotheses tested.

    ====================  ==================================================================
    method                controls
    ====================  ==================================================================
    ``none``              nothing: the p-values as they are
    ``bonferroni``        family-wise error, any dependence; single step
    ``holm``              the same, never less powerful (Holm 1979); step-down
    ``hochberg``          family-wise error under positive dependence (Hochberg 1988); step-up
    ``hommel``            the same, never less powerful (Hommel 1988); closed Simes tests
    ``sidak``             family-wise error for independent or positively dependent tests
    ``holm-sidak``        the same, step-down
    ``BH``                false discovery rate under positive dependence (Benjamini & Hochberg)
    ``BY``                false discovery rate, any dependence (Benjamini & Yekutieli)
    ``shaffer``           family-wise error of *all pairs of k models* (Shaffer 1986, S1)
    ====================  ==================================================================

    Parameters
    ----------
    pvalues : array_like, shape (m,)
        The raw p-values. NaN marks a hypothesis whose test could not decide.
    method : str
        One of the table. The last takes the pairs in the order (0, 1), (0, 2), ...,
        (1, 2), ... and needs m = k (k - 1) / 2. Case and ``_`` for ``-`` are forgiven.

    Returns
    -------
    ndarray, shape (m,)
        Adjusted p-values (Wright 1992), at most 1, in the same order. A NaN stays NaN and still
        counts in the family, as if its p were 1: the undecided test was planned.

    Examples
    --------
    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust_pvalues([0.01, float("nan"), 0.03], "bonferroni").round(3).tolist()
    [0.03, nan, 0.09]
    """
    raw = as_floats(pvalues, "pvalues")
    if raw.ndim != 1:
        raise ArgumentError("pvalues", f"expected 1 dimension, found shape {raw.shape}")
    outside = (raw < 0) | (raw > 1)
    if outside.any():
        raise ArgumentError("pvalues", f"found {raw[outside][0]:g}, must lie between 0 and 1")
    adjust = _METHODS[canonical_method(method)]
    if raw.size == 0:
        return raw
    missing = np.isnan(raw)
    filled = np.where(missing, 1.0, raw)
    order = np.argsort(filled, kind="stable")
    adjusted = np.empty_like(filled)
    adjusted[order] = adjust(filled[order], np.arange(len(filled), 0, -1.0))
    adjusted = np.clip(adjusted, filled, 1.0)
    return np.where(missing, np.nan, adjusted)


def canonical_method(method: str, name: str = "method", others: tuple[str, ...] = ()) -> str:
    """Return the name of a correction as `adjust_pvalues` lists it, or one of the others."""
    allowed = (*_METHODS, *others)
    # None must not pass for "none"
    if isinstance(method, str):
        spelling = method.replace("_", "-").lower().removesuffix("-static")
        for name_of_method in allowed:
            if name_of_method.lower() == spelling:
                method = name_of_method
                break
    return str(check_choice(method, allowed, name))


@checked
def simultaneous_level(confidence_level: Level, m: Count, method: str) -> float:
    """Return the level of each of m intervals that makes them hold together.

    ``none`` leaves the level alone, ``sidak`` and ``holm-sidak`` give ``level ** (1 / m)``, every
    other correction of `adjust_pvalues` Bonferroni's ``1 - (1 - level) / m``, which is valid under
    any dependence: step-wise procedures have no simple intervals of their own.

    Parameters
    ----------
    m, method : int, str
        The number of intervals, and a correction of `adjust_pvalues`.

    Examples
    --------
    >>> round(simultaneous_level(0.95, 5, "holm"), 4)
    0.99
    """
    method = canonical_method(method)
    if method == "none" or m <= 1:
        return confidence_level
    if method in ("sidak", "holm-sidak"):
        return math.exp(math.log(confidence_level) / m)
    return 1 - (1 - confidence_level) / m


_step_down = np.maximum.accumulate  # the largest of each p-value and those before it


def _step_up(p: FloatArray) -> FloatArray:
    """Return the smallest of each p-value and those after it."""
    return np.asarray(np.minimum.accumulate(p[::-1])[::-1])


def _sidak(p: FloatArray, exponent: FloatArray | float) -> FloatArray:
    """Return 1 - (1 - p)^exponent, accurate for tiny p."""
    with np.errstate(divide="ignore"):
        return np.asarray(-special.expm1(exponent * special.log1p(-p)))


def _closed_simes(p: FloatArray) -> FloatArray:
    """Return each hypothesis' largest Simes p over the intersections that contain it."""
    # the Simes p of a set of m hypotheses is min(m·p_(i)/i); of each size the set that contains a
    # hypothesis and otherwise the largest p-values has the largest (Hommel 1988)
    n = len(p)
    adjusted = p.copy()
    for size in range(2, n + 1):
        largest_others = size * (p[n - size + 1 :] / np.arange(2.0, size + 1)).min()
        # for a member of the `size` largest, that intersection is these `size` themselves
        first = np.minimum(p, p[n - size])
        np.maximum(adjusted, np.minimum(size * first, largest_others), out=adjusted)
    return adjusted


def _most_true(left: FloatArray) -> FloatArray:
    """Return how many of the m pairs of k models can be true at once, of those that are left."""
    # If A = B and B = C then A = C: they are the pairs inside the groups of a partition of models,
    # g(g − 1)/2 in a group of g (Shaffer 1986).
    m = len(left)
    k = (1 + math.isqrt(1 + 8 * m)) // 2
    if k * (k - 1) // 2 != m:
        raise ArgumentError(
            "pvalues",
            f"found {m}, but all pairs of k models are k(k-1)/2 (1, 3, 6, 10, ...); "
            "for another family use holm or hommel",
        )
    reachable: list[set[int]] = [{0}]  # the numbers of pairs of partitions of 0, 1, ... models
    for size in range(1, k + 1):
        numbers: set[int] = set()
        for g in range(1, size + 1):
            inside = g * (g - 1) // 2
            numbers |= {inside + rest for rest in reachable[size - g]}
        reachable.append(numbers)
    counts = np.array(sorted(reachable[k]), dtype=np.float64)
    return np.asarray(counts[np.searchsorted(counts, left, side="right") - 1])


_METHODS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    # of ascending p-values, and the numbers m, ..., 1 of hypotheses from each of them on
    "none": lambda p, left: p,
    "bonferroni": lambda p, left: p * len(p),
    "holm": lambda p, left: _step_down(left * p),
    "hochberg": lambda p, left: _step_up(left * p),
    "hommel": lambda p, left: _closed_simes(p),
    "sidak": lambda p, left: _sidak(p, float(len(p))),
    "holm-sidak": lambda p, left: _step_down(_sidak(p, left)),
    "BH": lambda p, left: _step_up(p * len(p) / left[::-1]),
    "BY": lambda p, left: _step_up(p * len(p) * (1 / left).sum() / left[::-1]),
    "shaffer": lambda p, left: _step_down(_most_true(left) * p),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Pair:
    """One pair inside an all-pairs result.

    `a` and `b` are column numbers: a < b, or a is the control. `estimate` is a's advantage over
    b (positive favours a).
    """

    a: int
    b: int
    statistic: float
    pvalue: float
    pvalue_adjusted: float
    estimate: float = math.nan
    ci: ConfidenceInterval | None = None
    df: float | None = None
    status: Status = Status.OK
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True)
class PairwiseResult:
    """The outcome of a procedure that tests a whole family of pairs at once.

    Attributes
    ----------
    test, variant, n, null_hypothesis, method, alternative, status, assumptions, details
        As in `Result`; the null hypothesis is that of each pair.
    correction : str
        How `Pair.pvalue_adjusted` was made, e.g. ``"holm"`` or ``"studentized-range"``.
    pairs : tuple of Pair
        In the order (0, 1), (0, 2), ..., or control against the others.
    results : tuple of Result
        All that the test of two models says of each pair, where such a test was run; it is not in
        `to_dict`.
    """

    test: str = ""
    correction: str
    pairs: tuple[Pair, ...]
    n: int
    null_hypothesis: str = ""
    method: str = ""
    variant: str = ""
    alternative: Alternative = "two-sided"
    status: Status = Status.OK
    assumptions: tuple[Assumption, ...] = ()
    details: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    results: tuple[Result, ...] = ()

    def __post_init__(self) -> None:
        assumptions = (*self._own_assumptions(), *self._disagreements())
        object.__setattr__(self, "assumptions", assumptions)

    def _own_assumptions(self) -> tuple[Assumption, ...]:
        return tuple(check for check in self.assumptions if check.name != AGREE)

    def each(self) -> tuple[Result, ...]:
        """Return a result of each pair: that of a test of two models, or what is known of it."""
        if self.results:
            return self.results
        common = {name: getattr(self, name) for name in _OF_ALL}
        results = []
        for pair in self.pairs:
            own = {name: getattr(pair, name) for name in _OF_PAIRS}
            result = Result(
                **common,
                **own,
                alternative=self.alternative,
                assumptions=self._own_assumptions(),
            )
            results.append(result)
        return tuple(results)

    def _disagreements(self) -> Iterator[Assumption]:
        """Name the pairs whose interval disagrees with the decision by the adjusted p-value."""
        disagreeing: dict[bool, list[str]] = {}
        for pair, result in zip_longest(self.pairs, self.results):
            if pair.ci is None or math.isnan(pair.pvalue_adjusted):
                continue
            level = self.details.get("confidence_level", pair.ci.confidence)
            alpha = 1 - level
            if isinstance(result, EquivalenceResult):
                alpha = result.alpha
            if result is None:
                excludes_null = pair.ci.excludes(0)
            else:
                excludes_null = result.excludes_null
            rejected = pair.pvalue_adjusted <= alpha + ROUNDING
            if rejected != excludes_null:
                disagreeing.setdefault(rejected, []).append(f"({pair.a}, {pair.b})")
        for rejected, pairs in disagreeing.items():
            noun = "pairs"
            if len(pairs) == 1:
                noun = "pair"
            yield Assumption(AGREE, False, f"{noun} {', '.join(pairs)}: {DISAGREEMENT[rejected]}")

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain data, ready for JSON; see `bakeoff.stats.plain`."""
        plain_fields = {}
        for field in dataclasses.fields(self):
            if field.name != "results":
                plain_fields[field.name] = plain(getattr(self, field.name))
        return plain_fields


def check_correction(
    correction: str, control: int | None, alternative: Alternative, *allowed_too: str
) -> str:
    """Check that a correction, or one of the others, fits the family; return its canonical name."""
    method = canonical_method(correction, "correction", allowed_too)
    if method == "shaffer" and (control is not None or alternative != "two-sided"):
        family = "one model against the others"
        if control is None:
            family = f"alternative {alternative!r}"
        raise ArgumentError(
            "correction",
            f"{method!r} is for two-sided tests of all pairs, found {family}; use 'holm' or "
            "'hommel'",
        )
    return method


def pairs_of(k: int, control: int | None) -> list[tuple[int, int]]:
    """Return all pairs (0, 1), (0, 2), ..., or the control, as A, against each other model."""
    if control is None:
        return list(combinations(range(k), 2))
    if not 0 <= control < k:
        wrong = f"found {control!r}, must be a column number from 0 to {k - 1}"
        raise ArgumentError("control", wrong)
    return [(control, j) for j in range(k) if j != control]


def all_pairs(name: str, /, *evidence: Any, **options: Any) -> PairwiseResult:
    """Test all pairs of several models, or each of them against a control.

    Parameters
    ----------
    name : str
        A test of pairs in the `catalogue`, such as ``"mcnemar"``.
    *evidence : array_like
        What the test takes, of all models in one array with an axis of models, see `Evidence`; a
        list of `FoldRows` for ``"fold_rows_difference"``.
    correction : str
        A method of `adjust_pvalues`; some tests have one of their own.
    simultaneous : bool
        True: all intervals hold together at `confidence_level` (`simultaneous_level`). False:
        each by itself does.
    **options
        Those of the test.

    Returns
    -------
    PairwiseResult
        Pairs (0, 1), (0, 2), ..., or (control, j), each with its p-value and its adjusted one.

    Examples
    --------
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = all_pairs("wilcoxon_signed_rank", scores, correction="holm")
    >>> [round(pair.pvalue_adjusted, 5) for pair in result.pairs]
    [0.09375, 0.09375, 0.15625]
    """
    entry = catalogue().get(name)
    if entry is None:
        raise ArgumentError("name", RETIRED.get(name, f"no test is called {name!r}"))
    all_pairs_at_once: Callable[..., PairwiseResult] | None = entry.all_pairs
    if entry.arity is Arity.ALL_PAIRS:
        all_pairs_at_once = entry.function
    if all_pairs_at_once is not None:
        return all_pairs_at_once(*evidence, **options)
    if entry.arity is not Arity.PAIR or entry.type1 is TypeOneError.BAYESIAN:
        raise ArgumentError("name", f"{name} has no p-values of pairs to adjust")
    *common, of_all_models = evidence
    if entry.evidence is Evidence.FOLD_ROWS and entry.reads == "predictions":
        models = list(of_all_models)  # the values of rows of each model
        if len(models) < 2:
            raise ArgumentError("evidence", f"found {len(models)} model(s), expected two or more")
        return by_pairs(entry.function, common, models, **options)
    axis = 1
    if entry.evidence is Evidence.FOLD_ROWS:
        axis = 2
    table = np.asarray(of_all_models)
    check_models(table, "evidence", axis)
    return by_pairs(entry.function, common, np.moveaxis(table, axis, 0), **options)


@checked
def pairwise(
    compare: Callable[..., Sequence[Result]],
    models: int,
    *,
    control: int | None = None,
    correction: str = "holm",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    simultaneous: bool = True,
    leader_only: bool = False,
    **options: Any,
) -> PairwiseResult:
    """Put the results of a test of two models together, adjusted for the number of pairs."""
    if models < 2:
        raise ArgumentError("evidence", f"found {models} model(s), needs at least 2")
    members = pairs_of(models, control)
    # against the leader of many models all pairs are hypotheses, of which the others have p 1
    control_of_family = control
    if leader_only:
        control_of_family = None
    method = check_correction(correction, control_of_family, alternative)
    untested = len(pairs_of(models, control_of_family)) - len(members)
    hypotheses = len(members) + untested
    level_each = confidence_level
    if simultaneous:
        level_each = simultaneous_level(confidence_level, hypotheses, method)
    results = tuple(
        compare(members, alternative=alternative, confidence_level=level_each, **options)
    )
    pvalues = [result.pvalue for result in results] + [1.0] * untested
    adjusted = adjust_pvalues(pvalues, method)[: len(members)].tolist()
    pairs = []
    for (a, b), result, pvalue_adjusted in zip(members, results, adjusted, strict=True):
        pairs.append(_pair(a, b, result, pvalue_adjusted))
    first = results[0]
    status = first.status
    if Status.OK in {result.status for result in results}:
        status = Status.OK
    common = {name: getattr(first, name) for name in _OF_ALL}
    return PairwiseResult(
        **common,
        correction=method,
        pairs=tuple(pairs),
        alternative=alternative,
        status=status,
        assumptions=first.assumptions,
        details={
            "confidence_level": confidence_level,
            "confidence_level_each": level_each,
            "simultaneous": simultaneous,
            "control": control,
            "hypotheses": hypotheses,
        },
        results=results,
    )


def _pair(a: int, b: int, result: Result, pvalue_adjusted: float) -> Pair:
    common = {name: getattr(result, name) for name in _OF_PAIRS}
    details = {"variant": result.variant, **result.effect_sizes, **result.details}
    return Pair(a=a, b=b, pvalue_adjusted=pvalue_adjusted, details=details, **common)


def shared(results: Callable[..., Sequence[Result]]) -> Callable[..., PairwiseResult]:
    """Return the form for all pairs of a function that takes the evidence and a list of pairs."""

    def compute(*evidence: Any, **options: Any) -> PairwiseResult:
        table = np.asarray(evidence[-1])
        check_models(table, "evidence")
        return pairwise(partial(results, *evidence), table.shape[1], **options)

    return compute


def by_pairs(
    function: Callable[..., Result],
    common: Sequence[Any],
    columns: Sequence[Any] | NDArray[Any],
    **options: Any,
) -> PairwiseResult:
    """Run a test of two models on all pairs of columns."""
    parameters = inspect.signature(function).parameters

    def compare(
        pairs: list[tuple[int, int]], *, alternative: str, confidence_level: float, **keywords: Any
    ) -> list[Result]:
        if "alternative" in parameters:
            keywords["alternative"] = alternative
        if "confidence_level" in parameters:
            keywords["confidence_level"] = confidence_level
        return [function(*common, columns[a], columns[b], **keywords) for a, b in pairs]

    return pairwise(compare, len(columns), **options)


def compact_letters(models: int, different: Collection[tuple[int, int]]) -> list[frozenset[int]]:
    """Return the groups of models of which no two are shown to differ."""
    # insert and absorb (Piepho 2004): every pair that differs splits the groups that hold both,
    # and a group within another goes.
    groups: set[frozenset[int]] = {frozenset(range(models))}
    for a, b in different:
        split: set[frozenset[int]] = set()
        for group in groups:
            if a in group and b in group:
                split |= {group - {a}, group - {b}}
            else:
                split.add(group)
        groups = {group for group in split if not any(group < other for other in split)}
    return sorted(groups, key=sorted)
