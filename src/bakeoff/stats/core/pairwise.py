"""All pairs of a family of models by a test of two, adjusted for their number."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.stats.core.arguments import Level, checked
from bakeoff.stats.core.error_rates import TypeOneError
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import adjust_pvalues, simultaneous_level
from bakeoff.stats.core.pairs import Pair, PairwiseResult, check_control, check_correction, pairs_of
from bakeoff.stats.core.registry import RETIRED, Arity, Entry, Evidence, catalogue
from bakeoff.stats.core.result import Alternative, Result, Status

Compare = Callable[..., Sequence[Result]]


def all_pairs(name: str, /, *evidence: Any, **options: Any) -> PairwiseResult:
    """Test all pairs of several models, or each of them against a control.

    Parameters
    ----------
    name : str
        A test of pairs in the `catalogue`, such as ``"mcnemar"``.
    *evidence : array_like
        What the test takes, of all models in one array with an axis of models; see `Evidence`.
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

    Raises
    ------
    ValueError
        For a test that does not compare pairs, and as the test itself.

    Examples
    --------
    >>> from bakeoff.stats import all_pairs
    >>> scores = [[.628, .660, .663], [.682, .731, .864], [.756, .795, .988],
    ...           [.860, .863, .876], [.860, .905, .980], [.633, .704, .665]]
    >>> result = all_pairs("wilcoxon_signed_rank", scores, correction="holm")
    >>> [round(pair.pvalue_adjusted, 5) for pair in result.pairs]
    [0.09375, 0.09375, 0.15625]
    """
    entry = catalogue().get(name)
    if entry is None:
        raise ArgumentError("name", RETIRED.get(name, f"no test is called {name!r}"))
    if entry.arity is Arity.ALL_PAIRS:
        result: PairwiseResult = entry.function(*evidence, **options)
        return result
    if entry.arity is not Arity.PAIR or entry.type1 is TypeOneError.BAYESIAN:
        raise ArgumentError("name", f"{name} has no p-values of pairs to adjust")
    return (entry.all_pairs or partial(_one_by_one, entry))(*evidence, **options)


@checked
def pairwise(
    compare: Compare,
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
    at_control = check_control(control, models)
    members = pairs_of(models, at_control)
    asked = None if leader_only else at_control
    method = check_correction(correction, asked, alternative)
    untested = len(pairs_of(models, asked)) - len(members)
    each = confidence_level
    if simultaneous:
        each = simultaneous_level(each, len(members) + untested, method)
    results = tuple(compare(members, alternative=alternative, confidence_level=each, **options))
    pvalues = [result.pvalue for result in results] + [1.0] * untested
    adjusted = adjust_pvalues(pvalues, method)[: len(members)]
    first, statuses = results[0], {result.status for result in results}
    return PairwiseResult(
        test=first.test,
        variant=first.variant,
        correction=method,
        pairs=tuple(
            Pair(
                a=a,
                b=b,
                statistic=result.statistic,
                pvalue=result.pvalue,
                pvalue_adjusted=float(p),
                estimate=result.estimate,
                ci=result.ci,
                df=result.df,
                status=result.status,
                details={"variant": result.variant, **result.effect_sizes, **result.details},
            )
            for (a, b), result, p in zip(members, results, adjusted, strict=True)
        ),
        n=first.n,
        alternative=alternative,
        status=Status.OK if Status.OK in statuses else first.status,
        assumptions=first.assumptions,
        null_hypothesis=first.null_hypothesis,
        method=first.method,
        details={
            "confidence_level": confidence_level,
            "confidence_level_each": each,
            "simultaneous": simultaneous,
            "control": at_control,
            "hypotheses": len(pvalues),
        },
        results=results,
    )


def shared(results: Callable[..., Sequence[Result]]) -> Callable[..., PairwiseResult]:
    """Return the form for all pairs of a function that takes the evidence and a list of pairs."""

    def compute(*evidence: Any, **options: Any) -> PairwiseResult:
        return pairwise(partial(results, *evidence), np.shape(evidence[-1])[1], **options)

    return compute


def by_pairs(
    function: Callable[..., Result],
    common: Sequence[Any],
    columns: Sequence[Any] | NDArray[Any],
    **options: Any,
) -> PairwiseResult:
    """Run a test of two models on all pairs of columns."""
    known = inspect.signature(function).parameters

    def compare(
        pairs: list[tuple[int, int]], *, alternative: str, confidence_level: float, **own: Any
    ) -> list[Result]:
        given = {"alternative": alternative, "confidence_level": confidence_level}
        own |= {key: value for key, value in given.items() if key in known}
        return [function(*common, columns[a], columns[b], **own) for a, b in pairs]

    return pairwise(compare, len(columns), **options)


def _one_by_one(entry: Entry, *evidence: Any, **options: Any) -> PairwiseResult:
    """Run a test that shares nothing between pairs on each of them."""
    *common, everything = evidence
    axis = 2 if entry.evidence is Evidence.FOLD_CORRECTNESS else 1
    table = np.asarray(everything)
    if table.ndim <= axis or table.shape[axis] < 2:
        raise ArgumentError(
            "evidence", f"expected two models or more on axis {axis}, found shape {table.shape}"
        )
    return by_pairs(entry.function, common, np.moveaxis(table, axis, 0), **options)
