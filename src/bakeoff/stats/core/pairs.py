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
    order, adjusted = np.argsort(filled, kind="stable"), np.empty_like(filled)
    adjusted[order] = adjust(filled[order], np.arange(len(filled), 0, -1.0))
    adjusted = np.clip(adjusted, filled, 1.0)
    return np.where(missing, np.nan, adjusted)


def canonical_method(method: str, name: str = "method", others: tuple[str, ...] = ()) -> str:
    """Return the name of a correction as `adjust_pvalues` lists it, or one of the others."""
    allowed = (*_METHODS, *others)
    if isinstance(method, str):  # None must not pass for "none"
        wanted = method.replace("_", "-").lower().removesuffix("-static")
        method = next((each for each in allowed if each.lower() == wanted), method)
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


_step_down = np.maximum.accumulate


def _step_up(p: FloatArray) -> FloatArray:
    return np.asarray(np.minimum.accumulate(p[::-1])[::-1])


def _sidak(p: FloatArray, exponent: FloatArray | float) -> FloatArray:
    """Return 1 - (1 - p)^exponent, accurate for tiny p."""
    with np.errstate(divide="ignore"):
        return np.asarray(-special.expm1(exponent * special.log1p(-p)))


def _closed_simes(p: FloatArray) -> FloatArray:
    """Return each hypothesis' largest Simes p over the intersections that contain it."""
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
    # If A = B and B = C then A = C: they are the pairs inside the groups of a partition of models.
    m = len(left)
    k = (1 + math.isqrt(1 + 8 * m)) // 2
    if k * (k - 1) // 2 != m:
        raise ArgumentError(
            "pvalues",
            f"found {m}, but all pairs of k models are k(k-1)/2 (1, 3, 6, 10, ...); "
            "for another family use holm or hommel",
        )
    reachable: list[set[int]] = [{0}]
    for size in range(1, k + 1):
        groups = range(1, size + 1)
        reachable.append({g * (g - 1) // 2 + rest for g in groups for rest in reachable[size - g]})
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


_OF_PAIRS = ("statistic", "df", "pvalue", "estimate", "ci", "status")
"""What a pair and a result of two models have in common."""
_OF_ALL = ("test", "variant", "n", "null_hypothesis", "method")
"""What a family and the result of each of its pairs have in common."""


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
        checks = tuple(check for check in self.assumptions if check.name != AGREE)
        object.__setattr__(self, "assumptions", (*checks, *self._disagreements()))

    def each(self) -> tuple[Result, ...]:
        """Return a result of each pair: that of a test of two models, or what is known of it."""
        common = {k: getattr(self, k) for k in (*_OF_ALL, "alternative")}
        common["assumptions"] = tuple(one for one in self.assumptions if one.name != AGREE)
        return self.results or tuple(
            Result(**common, **{k: getattr(pair, k) for k in _OF_PAIRS}) for pair in self.pairs
        )

    def _disagreements(self) -> Iterator[Assumption]:
        """Name the pairs whose interval disagrees with the decision by the adjusted p-value."""
        disagreeing: dict[bool, list[str]] = {}
        for pair, result in zip_longest(self.pairs, self.results):
            if pair.ci is None or math.isnan(pair.pvalue_adjusted):
                continue
            level = self.details.get("confidence_level", pair.ci.confidence)
            alpha = result.alpha if isinstance(result, EquivalenceResult) else 1 - level
            rejected = pair.pvalue_adjusted <= alpha + ROUNDING
            if rejected != (result.excludes_null if result else pair.ci.excludes(0)):
                disagreeing.setdefault(rejected, []).append(f"({pair.a}, {pair.b})")
        for rejected, pairs in disagreeing.items():
            which = f"{'pair' if len(pairs) == 1 else 'pairs'} {', '.join(pairs)}"
            yield Assumption(AGREE, False, f"{which}: {DISAGREEMENT[rejected]}")

    def to_dict(self) -> dict[str, Any]:
        """Return nested plain data, ready for JSON; see `bakeoff.stats.plain`."""
        names = (field.name for field in dataclasses.fields(self) if field.name != "results")
        return {name: plain(getattr(self, name)) for name in names}


def check_correction(
    correction: str, control: int | None, alternative: Alternative, *more: str
) -> str:
    """Check that a correction, or one `more`, fits the family; return its canonical name."""
    method = canonical_method(correction, "correction", more)
    family = f"alternative {alternative!r}" if control is None else "one model against the others"
    if method == "shaffer" and (control is not None or alternative != "two-sided"):
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
    whole = entry.function if entry.arity is Arity.ALL_PAIRS else entry.all_pairs
    if whole is None and (entry.arity is not Arity.PAIR or entry.type1 is TypeOneError.BAYESIAN):
        raise ArgumentError("name", f"{name} has no p-values of pairs to adjust")
    if whole is not None:
        result: PairwiseResult = whole(*evidence, **options)
        return result
    *common, everything = evidence
    if entry.evidence is Evidence.FOLD_ROWS and entry.reads == "predictions":
        models = list(everything)  # the values of rows of each model
        if len(models) < 2:
            raise ArgumentError("evidence", f"found {len(models)} model(s), expected two or more")
        return by_pairs(entry.function, common, models, **options)
    axis = 2 if entry.evidence is Evidence.FOLD_ROWS else 1
    table = np.asarray(everything)
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
    members, compared = pairs_of(models, control), None if leader_only else control
    method = check_correction(correction, compared, alternative)
    untested = len(pairs_of(models, compared)) - len(members)
    each = confidence_level
    if simultaneous:
        each = simultaneous_level(each, len(members) + untested, method)
    results = tuple(compare(members, alternative=alternative, confidence_level=each, **options))
    pvalues = [result.pvalue for result in results] + [1.0] * untested
    adjusted = adjust_pvalues(pvalues, method)[: len(members)]
    first, statuses = results[0], {result.status for result in results}
    return PairwiseResult(
        **{name: getattr(first, name) for name in _OF_ALL},
        correction=method,
        pairs=tuple(
            Pair(
                a=a,
                b=b,
                pvalue_adjusted=float(p),
                details={"variant": result.variant, **result.effect_sizes, **result.details},
                **{name: getattr(result, name) for name in _OF_PAIRS},
            )
            for (a, b), result, p in zip(members, results, adjusted, strict=True)
        ),
        alternative=alternative,
        status=Status.OK if Status.OK in statuses else first.status,
        assumptions=first.assumptions,
        details={
            "confidence_level": confidence_level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": control,
            "hypotheses": len(pvalues),
        },
        results=results,
    )


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
        given = {"alternative": alternative, "confidence_level": confidence_level}
        keywords |= {key: value for key, value in given.items() if key in parameters}
        return [function(*common, columns[a], columns[b], **keywords) for a, b in pairs]

    return pairwise(compare, len(columns), **options)


def compact_letters(models: int, different: Collection[tuple[int, int]]) -> list[frozenset[int]]:
    """Return the groups of models of which no two are shown to differ."""
    # Insert and absorb (Piepho 2004): every pair that differs splits the groups that hold both,
    # and a group within another goes.
    groups: set[frozenset[int]] = {frozenset(range(models))}
    for a, b in different:
        holding = [group for group in groups if a in group and b in group]
        for group in holding:
            groups.discard(group)
            groups |= {group - {a}, group - {b}}
        groups = {g for g in groups if not any(g < other for other in groups)}
    return sorted(groups, key=sorted)
