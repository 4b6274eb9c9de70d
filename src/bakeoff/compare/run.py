"""Run one test on all its evidence: every data set, metric and pair of models."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from bakeoff.compare.comparison import Comparison, Decision, decide_omnibus, decide_pair
from bakeoff.compare.evidence import FoldScores, TestSet
from bakeoff.spec import TestSettings
from bakeoff.stats import Arity, Entry, PairwiseResult, Result, catalogue
from bakeoff.stats.multiplicity import adjust_pvalues

# corrections that bound the chance of any false rejection: their intervals are made simultaneous
_FAMILYWISE = ("bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak")


@dataclasses.dataclass(frozen=True)
class Context:
    """Where one family of hypotheses comes from."""

    dataset: str
    plan: str
    metric: str
    greater_is_better: bool
    settings: TestSettings


def run_test(entry: Entry, evidence: FoldScores | TestSet, context: Context) -> list[Comparison]:
    """Run a test on one data set and metric, with all that belongs to its family.

    An omnibus test brings its post hoc comparisons along; whether it licenses them is for the
    report to say.
    """
    if isinstance(evidence, FoldScores) and np.isnan(evidence.values).any():
        return _undefined(entry, evidence, context)
    if entry.arity is Arity.PAIR:
        return _pairs(entry, evidence, context)
    if entry.arity is Arity.ONE:
        return list(_singles(entry, evidence, context))
    if entry.arity is Arity.ALL_PAIRS:
        return _all_pairs(entry, evidence, context)
    omnibus = _omnibus(entry, evidence, context)
    if not entry.posthoc:
        return [omnibus]
    posthoc = _pairs(catalogue()[entry.posthoc], evidence, context, follows=entry.name)
    return [omnibus, *posthoc]


def _call(
    entry: Entry,
    arguments: Sequence[Any],
    evidence: FoldScores | TestSet,
    context: Context,
    confidence: float,
) -> Any:
    """Call a test with those of the shared options that it takes."""
    offered: dict[str, Any] = {
        "confidence_level": confidence,
        "greater_is_better": context.greater_is_better,
    }
    if isinstance(evidence, FoldScores):
        offered |= {"n_train": evidence.n_train.ravel(), "n_test": evidence.n_test.ravel()}
    options = {name: value for name, value in offered.items() if name in entry.options}
    return entry.function(*arguments, **options)


def _columns(entry: Entry, evidence: FoldScores | TestSet) -> Callable[..., list[Any]]:
    """Return how to cut the arguments of some models from the evidence."""
    if isinstance(evidence, TestSet):
        correct = evidence.correct
        return lambda *models: [correct[:, m] for m in models]
    structured = entry.plans == ("cv_5x2",)
    values = evidence.values if structured else evidence.values.reshape(-1, len(evidence.models))
    return lambda *models: [values[..., m] for m in models]


def _matrix(evidence: FoldScores | TestSet) -> Any:
    if isinstance(evidence, TestSet):
        return evidence.correct
    return evidence.values.reshape(-1, len(evidence.models))


def _pairs(
    entry: Entry, evidence: FoldScores | TestSet, context: Context, follows: str = ""
) -> list[Comparison]:
    settings = context.settings
    columns = _columns(entry, evidence)
    pairs = list(combinations(range(len(evidence.models)), 2))
    simultaneous = settings.correction in _FAMILYWISE
    confidence = 1 - settings.alpha / (len(pairs) if simultaneous else 1)
    results = [_call(entry, columns(a, b), evidence, context, confidence) for a, b in pairs]
    adjusted = adjust_pvalues([result.pvalue for result in results], settings.correction)
    return [
        _comparison(
            result,
            context,
            role="pair",
            follows=follows,
            models=(evidence.models[a], evidence.models[b]),
            adjusted=float(p),
            correction=settings.correction,
            family_size=len(pairs),
            decision=decide_pair(float(p), settings.alpha, result.estimate),
        )
        for (a, b), result, p in zip(pairs, results, adjusted, strict=True)
    ]


def _singles(
    entry: Entry, evidence: FoldScores | TestSet, context: Context
) -> Iterator[Comparison]:
    columns = _columns(entry, evidence)
    for m, model in enumerate(evidence.models):
        result = _call(entry, columns(m), evidence, context, 1 - context.settings.alpha)
        yield _comparison(
            result,
            context,
            role="single",
            models=(model, ""),
            adjusted=result.pvalue,
            decision=decide_omnibus(result.pvalue, context.settings.alpha),
        )


def _omnibus(entry: Entry, evidence: FoldScores | TestSet, context: Context) -> Comparison:
    confidence = 1 - context.settings.alpha
    result = _call(entry, [_matrix(evidence)], evidence, context, confidence)
    return _comparison(
        result,
        context,
        role="omnibus",
        adjusted=result.pvalue,
        decision=decide_omnibus(result.pvalue, context.settings.alpha),
    )


def _all_pairs(entry: Entry, evidence: FoldScores | TestSet, context: Context) -> list[Comparison]:
    confidence = 1 - context.settings.alpha
    whole: PairwiseResult = _call(entry, [_matrix(evidence)], evidence, context, confidence)
    plain = whole.to_dict()
    shared = {k: v for k, v in plain.items() if k != "pairs"}
    found = []
    for pair, details in zip(whole.pairs, plain["pairs"], strict=True):
        result = Result(
            test=whole.test,
            variant=whole.variant,
            statistic=pair.statistic,
            df=pair.df,
            pvalue=pair.pvalue,
            estimate=pair.estimate,
            ci=pair.ci,
            n=whole.n,
            status=pair.status,
            null_hypothesis=whole.null_hypothesis,
            method=whole.method,
            alternative=whole.alternative,
            assumptions=whole.assumptions,
        )
        comparison = _comparison(
            result,
            context,
            role="pair",
            models=(evidence.models[pair.a], evidence.models[pair.b]),
            adjusted=pair.pvalue_adjusted,
            correction=whole.correction,
            family_size=len(whole.pairs),
            decision=decide_pair(pair.pvalue_adjusted, context.settings.alpha, pair.estimate),
        )
        found.append(dataclasses.replace(comparison, result={**shared, **details}))
    return found


def _undefined(entry: Entry, evidence: FoldScores, context: Context) -> list[Comparison]:
    """Say for every hypothesis that the metric has no value on some fold."""
    pairs = list(combinations(evidence.models, 2))
    models = {Arity.OMNIBUS: [("", "")], Arity.ONE: [(m, "") for m in evidence.models]}
    reason = f"{context.metric} is undefined on a fold: {'; '.join(evidence.reasons)}"
    return [
        Comparison(
            test=entry.name,
            role={Arity.OMNIBUS: "omnibus", Arity.ONE: "single"}.get(entry.arity, "pair"),
            dataset=context.dataset,
            plan=context.plan,
            metric=context.metric,
            model_a=a,
            model_b=b,
            statistic=math.nan,
            pvalue=math.nan,
            pvalue_adjusted=math.nan,
            correction="none",
            family_size=1,
            n=evidence.values[..., 0].size,
            status="undefined_metric",
            alpha=context.settings.alpha,
            decision=Decision.UNDECIDED,
            result={"reason": reason},
        )
        for a, b in models.get(entry.arity, pairs)
    ]


def _comparison(
    result: Result,
    context: Context,
    *,
    role: str,
    adjusted: float,
    decision: Decision,
    models: tuple[str, str] = ("", ""),
    follows: str = "",
    correction: str = "none",
    family_size: int = 1,
) -> Comparison:
    row: Mapping[str, Any] = result.to_row()
    shared = {k: v for k, v in row.items() if k in _SHARED}
    return Comparison(
        **shared,
        role=role,
        follows=follows,
        dataset=context.dataset,
        plan=context.plan,
        metric=context.metric,
        model_a=models[0],
        model_b=models[1],
        pvalue_adjusted=adjusted,
        correction=correction,
        family_size=family_size,
        alpha=context.settings.alpha,
        decision=decision,
        result=result.to_dict(),
    )


_SHARED = {f.name for f in dataclasses.fields(Comparison)} - {"result"}
