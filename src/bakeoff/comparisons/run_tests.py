"""From the plan and its evidence to the results: comparisons, and tables of held-out rows."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    PairedPredictions,
    block_checks,
    cost_options,
    difference_options,
    evidence_of,
    held_out,
)
from bakeoff.comparisons.settings import (
    INDEPENDENT,
    check_correction,
    correction_among,
    deterministic,
    has_interval,
    has_test,
    pairs_of,
)
from bakeoff.scores import counted_rows
from bakeoff.scores.metrics import score_view
from bakeoff.seeds import derive, integer
from bakeoff.spec import AnalysisPlan, Costs, Experiment, PlannedTest
from bakeoff.stats import (
    Arity,
    Assumption,
    BayesResult,
    ConfidenceInterval,
    EquivalenceResult,
    Evidence,
    PairwiseResult,
    Result,
    Status,
    adjust_pvalues,
    as_float,
    binomial_test_from_counts,
    catalogue,
    mean_ci,
    mean_interaction,
    metric_ci,
    metric_interaction,
    plain,
    recipe_ci,
    recipe_mean_ci,
)
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.core.result import AGREE
from bakeoff.stats.metrics.family import MAX_T
from bakeoff.stats.metrics.influence import setting_of
from bakeoff.threads import on_one_thread

UNDEFINED_METRIC = "undefined_metric"
"""Status where a model has no score to compare."""
_MOST_BY_PAIR = 30
"""With more models a test that ranks each pair anew compares those of the best model alone."""
_EFFECTS = ("rank_biserial",)

# --- a comparison: one row of comparisons.csv


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
        """Read what `to_dict` wrote: JSON writes NaN as null, and infinity as text."""
        kinds = {field.name: field.type for field in dataclasses.fields(cls)}
        numbers = {
            key: as_float(value)
            for key, value in data.items()
            if kinds.get(key) == "float" or (kinds.get(key) == "float | None" and value is not None)
        }
        return cls(**{**data, **numbers, "decision": Decision(data["decision"])})


def merged(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """List every hypothesis once, with all the omnibus tests that it follows."""
    rows = list(comparisons)
    return [
        rows[i] if rows[i].follows == follows else dataclasses.replace(rows[i], follows=follows)
        for i, follows in once(rows).items()
    ]


def once(comparisons: Sequence[Comparison]) -> dict[int, str]:
    """Map the places of distinct hypotheses to the omnibus tests that they follow."""
    follows: dict[int, str] = {}
    places: dict[str, int] = {}
    for i, row in enumerate(comparisons):
        place = places.setdefault(json.dumps({**vars(row), "follows": ""}, default=str), i)
        names = filter(None, [*follows.get(place, "").split("+"), row.follows])
        follows[place] = "+".join(dict.fromkeys(names))
    return follows


# --- the plan, test by test


@on_one_thread
def run_planned(
    test: PlannedTest, experiment: Experiment | Analysis, inputs: Mapping[str, Any]
) -> list[Comparison]:
    """Run one test on every data set and metric it is meant for, with the cautions about it.

    Its inputs are the files of its evidence by data set, or what these would hold; over data sets
    the score matrix and its holes.
    """
    analysis = analysis_of(experiment)
    comparisons = list[Comparison]()
    for dataset, metric, evidence in evidence_of(test, analysis, inputs):
        if not evidence.models:
            continue
        # what the test had are ranks, and a difference of them is no difference of scores
        ranked = isinstance(evidence, DatasetScores) and metric in analysis.mixed_units
        against = {
            name: cautions(one, analysis, evidence.left_out, metric, dataset)
            for name, one in AnalysisPlan((test,)).by_name.items()
        }
        for row in run_test(test, evidence, context_of(analysis, dataset, metric)):
            compared = [row.model_a, row.model_b] if row.model_a else evidence.models
            sentences = against[row.test].sentences(compared)
            if failing := measured(row):
                failed = "; ".join(failing)
                sentences.append(f"{row.test} has an inflated type I error here: {failed}.")
            changes: dict[str, Any] = {"caution": " ".join(sentences)}
            if ranked:
                no_interval = {"ci_low": math.nan, "ci_high": math.nan}
                changes |= {**no_interval, "result": {**row.result, "ci": None}}
            comparisons.append(dataclasses.replace(row, **changes))
    return comparisons


def matrices(tests: AnalysisPlan) -> set[tuple[str, str]]:
    """List the plans and metrics whose score matrix a test needs complete."""
    return {
        (test.plan, metric)
        for test in tests
        if test.on_datasets and not test.allows_missing
        for metric in test.metrics
    }


def context_of(analysis: Analysis, dataset: str, metric: str) -> Context:
    """Say where the hypotheses of a test come from, and how an experiment has them tested."""
    costs = analysis.datasets[dataset].costs if dataset else None
    measure = analysis.measures[metric]
    limits = measure.range
    if measure.priced and costs is not None:  # no cost exceeds the largest error's
        limits = limits[0], float(max(map(max, costs.matrix)))
    draws = {name: model.draws for name, model in analysis.models.items()}
    return Context(dataset, metric, measure.greater_is_better, analysis.seed, costs, limits, draws)


_INFLATES = (
    "dependence that fades",
    "dependence that fades within a block",
    "enough independent times",
    "symmetric group differences",
    "the difference carried by enough rows",
    "exchangeable models",
)
"""What a test checks of its data; where it fails, the test rejects too often."""


def measured(row: Comparison) -> list[str]:
    """Return the details of the checks that failed, and by which a test rejects too often."""
    checks = row.result.get("assumptions", ())
    return [one["detail"] for one in checks if one["holds"] is False and one["name"] in _INFLATES]


# --- one test on one piece of evidence


@dataclasses.dataclass(frozen=True)
class Context:
    """Where the evidence of one family of hypotheses comes from."""

    dataset: str
    metric: str
    greater_is_better: bool
    seed: int = 0
    costs: Costs | None = None
    range: tuple[float, float] = (-math.inf, math.inf)
    draws: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What random draws about a model are derived from, where that is not its name."""


def run_test(
    test: PlannedTest, evidence: AnyEvidence, context: Context, follows: str = ""
) -> list[Comparison]:
    """Run a test on one data set and metric, with all that belongs to its family."""
    # An omnibus test brings its post hoc comparisons along; whether it licenses them is for the
    # report to say. Where a test has no answer on the evidence, its hypotheses are undecided and
    # say why: hours of fits are not lost to one degenerate fold.
    family = _Family(test, evidence, context, follows)
    try:
        rows = family.tested()
    except ValueError as refusal:
        rows = [family.comparison(refusal, math.nan, members) for members in family.hypotheses]
    rows = [family.annotated(row) for row in rows]
    if test.posthoc is not None:
        rows += run_test(test.posthoc, evidence, context, follows=test.name)
    return rows


class _Family:
    """The hypotheses of one test on one piece of evidence."""

    def __init__(
        self, test: PlannedTest, evidence: AnyEvidence, context: Context, follows: str
    ) -> None:
        self.test, self.context, self.follows = test, context, follows
        self.entry = entry = catalogue()[test.name]
        self.assumed: Assumption | None = None
        rows = "rows that belong together"
        if test.independent_rows and isinstance(evidence, PairedPredictions):
            rows = f"{evidence.n:,} rows of {evidence.units}" if evidence.related else ""
            evidence = dataclasses.replace(evidence, groups=None, times=None)
        if test.independent_rows and rows:
            detail = (
                f"{rows} were taken for independent, as `{INDEPENDENT}: true` asks: where rows of "
                "one are alike this finds differences that are not there"
            )
            self.assumed = Assumption("independent rows", False, detail)
        low, high = (-math.inf, math.inf) if entry.unit else context.range
        self.limits = (low, high) if entry.arity is Arity.ONE else (low - high, high - low)
        self.evidence, self.models = evidence, evidence.models
        self.role, self.hypotheses = "pair", list[Sequence[int]](pairs_of(self.models, test.versus))
        if entry.arity is Arity.ONE:
            self.role, self.hypotheses = "single", [(m,) for m in range(len(self.models))]
        elif entry.arity is Arity.OMNIBUS:
            self.role, self.hypotheses = "omnibus", [()]
        by_rows = entry.evidence is Evidence.ROWS and entry.reads == "predictions"
        models = len(self.models) if not by_rows or has_test(context.metric) else 2
        correction = test.correction or "none"
        self.correction = correction_among(entry, correction, models, test.related)

    def tested(self) -> list[Comparison]:
        """Test all hypotheses; what the evidence does not allow raises a ValueError."""
        test, entry = self.test, self.entry
        check_correction(test, self.correction)
        if test.versus is not None and test.versus not in self.models:
            raise ValueError(
                f"{test.versus}, the model that all are compared with, has no results here"
            )
        if entry.arity is Arity.ALL_PAIRS:
            return self._all_pairs(entry.function, entry.options)
        if entry.arity is Arity.PAIR and entry.all_pairs is not None:
            if self.correction == MAX_T:
                return self._all_pairs(entry.all_pairs, entry.family_options)
            chosen, rows = set(test.options), self.evidence
            if isinstance(rows, PairedPredictions) and rows.related and entry.variants is not None:
                chosen.add("variant")  # else all pairs are computed in a form of their own
            if len(self.hypotheses) >= entry.all_pairs_from and entry.family_options >= chosen:
                with suppress(ValueError):  # each pair then says if it has an answer
                    return self._all_pairs(entry.all_pairs, entry.family_options)
        return self._one_by_one()

    def annotated(self, row: Comparison) -> Comparison:
        """Say with a result what was left out of its evidence, and what is assumed of its rows."""
        compared = [self.models.index(model) for model in (row.model_a, row.model_b) if model]
        blocks = block_checks(self.evidence, self.entry, self.context.costs, compared)
        checks = [*row.result.get("assumptions", []), *map(vars, blocks)]
        more: dict[str, Any] = {}
        if self.assumed is not None:
            others = [one for one in checks if one["name"] != self.assumed.name]
            checks, more = [vars(self.assumed), *others], {INDEPENDENT: True}
        if left_out := self.evidence.left_out:
            checks += [{"name": "complete evidence", "holds": False, "detail": n} for n in left_out]
            more["left_out"] = list(left_out)
        if not checks:
            return row
        result = {**row.result, "assumptions": [dict(check) for check in checks], **more}
        return dataclasses.replace(row, result=result)

    def _check_complete(self, models: Iterable[int]) -> None:
        """Refuse evidence that some models lack, unless the test leaves it out by itself."""
        if missing := self.evidence.missing(list(models)):
            raise Missing(missing)

    def _clipped(self, result: Any) -> Any:
        """Clip the interval of a result, or of a pair of models, to what is possible."""
        return dataclasses.replace(result, ci=clipped(result.ci, self.limits))

    def _one_by_one(self) -> list[Comparison]:
        """Test each hypothesis by itself and adjust the p-values together."""
        entry, results = self.entry, list[Result | ValueError]()
        level, size = 1 - self.test.alpha, len(self.hypotheses)
        if self.test.simultaneous:
            level = simultaneous_level(level, size, self.correction)
        for members in self.hypotheses:
            try:
                if members or not self.test.allows_missing:
                    self._check_complete(members or range(len(self.models)))
                arguments = (
                    self.evidence.arguments(entry, members)
                    if members
                    else self.evidence.matrix(entry)
                )
                options = self._options(level, entry.name, *(self.models[m] for m in members))
                taken = {key: options[key] for key in entry.options if key in options}
                results.append(self._clipped(entry.function(*arguments, **taken)))
            except ValueError as refusal:
                results.append(refusal)
        pvalues = [one.pvalue if isinstance(one, Result) else math.nan for one in results]
        adjusted = adjust_pvalues(pvalues, self.correction)
        return [
            self.comparison(result, float(p), members)
            for members, result, p in zip(self.hypotheses, results, adjusted, strict=True)
        ]

    def _all_pairs(
        self, function: Callable[..., PairwiseResult], taken: Iterable[str]
    ) -> list[Comparison]:
        """Test all pairs in one call, whose numbers carry their own adjustment."""
        if not self.test.allows_missing:
            self._check_complete(range(len(self.models)))
        versus, many = self.test.versus, len(self.models) > _MOST_BY_PAIR
        options = self._options(1 - self.test.alpha, function.__name__) | {
            "control": None if versus is None else self.models.index(versus),
            "correction": self.correction,
            "simultaneous": self.test.simultaneous,
            "leader_only": bool(self.follows) and many and not versus,
        }
        handed = {key: options[key] for key in taken if key in options}
        whole = function(*self.evidence.matrix(self.entry), **handed)
        pairs, results = (tuple(map(self._clipped, part)) for part in (whole.pairs, whole.results))
        whole = dataclasses.replace(whole, pairs=pairs, results=results)
        everything = whole.to_dict()
        shared = {k: v for k, v in everything.items() if k != "pairs"} | {"test": self.entry.name}
        size = whole.details.get("hypotheses", len(whole.pairs))
        rows = []
        for result, pair, numbers in zip(
            whole.each(), whole.pairs, everything["pairs"], strict=True
        ):
            record = None
            if not whole.results:
                effects = {k: v for k, v in numbers["details"].items() if k in _EFFECTS}
                checks = [dict(vars(check)) for check in result.assumptions]
                record = {**shared, **numbers, "effect_sizes": effects, "assumptions": checks}
            family = (pair.a, pair.b), size, whole.correction
            rows.append(self.comparison(result, pair.pvalue_adjusted, *family, record=record))
        if "average_ranks" in everything["details"]:
            # what a critical difference diagram is drawn from; each pair has details of its own
            ranks = {**everything["details"], "models": list(self.models)}
            rows[0] = dataclasses.replace(rows[0], result={**rows[0].result, "ranks": ranks})
        return rows

    def _options(self, level: float, name: str, *models: str) -> dict[str, Any]:
        """Return what the experiment says of the test, and what no user sets."""
        context = self.context
        where = (context.dataset, self.test.plan, context.metric)
        drawn = [context.draws.get(model) or model for model in models]
        return {
            **self.test.options,
            "confidence_level": level,
            "alpha": 1 - level,
            "greater_is_better": context.greater_is_better,
            "seed": integer(derive(context.seed, "test", name, *where, *drawn)),
            **self.evidence.managed(self.entry),
            **cost_options(context.costs, context.metric),
        }

    def comparison(
        self,
        result: Result | ValueError,
        adjusted: float,
        members: Sequence[int],
        size: int | None = None,
        correction: str = "",
        record: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Return a hypothesis with its result, or why it has none.

        A record may stand for the plain data of the result.
        """
        context, decision = self.context, Decision.UNDECIDED
        row: dict[str, Any]
        plain: dict[str, Any]
        if isinstance(result, ValueError):
            missing, plain = isinstance(result, Missing), {"reason": str(result)}
            row = dict.fromkeys(("statistic", "pvalue"), math.nan)
            row |= {"test": self.entry.name, "n": self.evidence.n}
            row["status"] = UNDEFINED_METRIC if missing else Status.UNDEFINED.value
            row["alternative"] = self.test.alternative
        else:
            decision = decide(result, self.role, adjusted, self.test.alpha)
            row, plain = result.to_row(), dict(record or result.to_dict())
            if decision is not Decision.UNDECIDED and not isinstance(result, BayesResult):
                # the p-values of the others in the family may have changed it
                checks = result.checks(decision is not Decision.NOT_SHOWN)
                plain["assumptions"] = [dict(vars(check)) for check in checks]
            if self.entry.evidence is Evidence.FOLD_SCORES:
                sizes = plain.get("effect_sizes", {}).items()
                plain["effect_sizes"] = {k: v for k, v in sizes if k not in _BY_SPREAD_OF_FOLDS}
        model_a, model_b, *_ = (*(self.models[m] for m in members), "", "")
        return Comparison(
            **{k: v for k, v in row.items() if k in _SHARED},
            role=self.role,
            follows=self.follows,
            dataset=context.dataset,
            plan=self.test.plan,
            metric=context.metric,
            model_a=model_a,
            model_b=model_b,
            pvalue_adjusted=adjusted,
            correction=correction or self.correction,
            family_size=len(self.hypotheses) if size is None else size,
            alpha=self.test.alpha,
            decision=decision,
            result=plain,
        )


# Folds share rows: their spread is that of no population, and depends on how many there are.
_BY_SPREAD_OF_FOLDS = (
    *("cohen_dz", "hedges_gz", "partial_eta_squared", "generalized_eta_squared"),
    *("eta_squared", "omega_squared", "epsilon_squared", "eta_squared_H"),
)
"""Effect sizes that divide by the spread of folds: no results of an experiment have them."""
_SHARED = {f.name for f in dataclasses.fields(Comparison)} - {"result", "alpha", "caution"}


class Missing(ValueError):
    """A model has no score or prediction where the test needs one."""


# --- ranges and decisions


Range = tuple[float, float]


def clipped(ci: ConfidenceInterval | None, limits: Range) -> ConfidenceInterval | None:
    """Clip an interval to the range of its parameter."""
    if ci is None:
        return None
    low, high = (float(np.clip(limit, *limits)) for limit in (ci.low, ci.high))
    return dataclasses.replace(ci, low=low, high=high)


def decide(result: Result, role: str, adjusted: float, alpha: float) -> Decision:
    """Decide a hypothesis by its result and its adjusted p-value, at level `alpha`."""
    if isinstance(result, BayesResult):
        # folds that do not vary leave a posterior that is a point and no evidence
        if result.status is not Status.OK or math.isnan(result.p_equivalent):
            return Decision.UNDECIDED
        outcomes = {
            Decision.A_BETTER: result.p_a_better,
            Decision.EQUIVALENT: result.p_equivalent,
            Decision.B_BETTER: result.p_b_better,
        }
        probable = (outcome for outcome, p in outcomes.items() if p >= 1 - alpha)
        return next(probable, Decision.NOT_SHOWN)
    if isinstance(result, EquivalenceResult) and not math.isnan(adjusted):
        return Decision.EQUIVALENT if adjusted < alpha else Decision.NOT_SHOWN
    if role == "pair":
        return decide_pair(adjusted, alpha, result.estimate, result.alternative)
    return decide_pair(adjusted, alpha)


def decide_pair(
    pvalue: float, alpha: float, estimate: float = math.nan, alternative: str = "two-sided"
) -> Decision:
    """Decide a comparison of two models, or without an estimate whether all models are alike."""
    if math.isnan(pvalue):
        return Decision.UNDECIDED
    if pvalue > alpha:
        return Decision.NOT_SHOWN
    if alternative != "two-sided":
        return Decision.A_BETTER if alternative == "greater" else Decision.B_BETTER
    if math.isnan(estimate) or estimate == 0:
        return Decision.DIFFERENT
    return Decision.A_BETTER if estimate > 0 else Decision.B_BETTER


# --- tables of held-out rows: intervals of the metrics of each model


INTERVALS = (
    *("dataset", "metric", "model", "estimate", "se", "df", "ci_low", "ci_high"),
    *("confidence", "n", "status", "note"),
)
SUBGROUPS = (
    *("dataset", "metric", "column", "role", "subgroup", "model_a", "model_b", "n", "estimate"),
    *("ci_low", "ci_high", "confidence", "statistic", "df", "df1", "df2", "pvalue"),
    *("pvalue_adjusted", "correction", "family_size", "alpha", "status", "decision"),
)
INTERACTION, SUBGROUP = "interaction", "subgroup"
"""Roles: does the difference differ between subgroups of a column; is there one in a subgroup?"""
_CORRECTION = "holm"


def score_intervals(
    experiment: Experiment | Analysis,
    inputs: Mapping[str, str | Path | PairedPredictions],
    metrics: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Find the standard error and the interval of each metric of each model."""
    analysis = analysis_of(experiment)
    if metrics is None:
        metrics = [metric for metric in analysis.metrics if has_interval(metric)]
    level, fixed = 1 - analysis.tests.alpha, deterministic(analysis)
    lines = list[dict[str, Any]]()
    for dataset, given in inputs.items():
        costs = analysis.datasets[dataset].costs
        for rows in held_out(analysis, dataset, given, metrics):
            runs = CrossedRuns.from_rows(rows, fixed)
            for m, (model, places) in enumerate(zip(runs.models, runs.runs, strict=True)):
                line: dict[str, Any] = {"dataset": dataset, "metric": rows.metric, "model": model}
                line |= {"confidence": level, "n": rows.n}
                lines.append(line)
                if missing := runs.missing([m]):
                    line |= {"status": UNDEFINED_METRIC, "note": missing}
                    continue
                if len(places) == 1:
                    result = alone(rows, places[0], costs, level)
                else:
                    result = _of_recipe(runs, m, costs, level)
                if result.ci is not None:
                    line |= {"ci_low": result.ci.low, "ci_high": result.ci.high}
                line |= {
                    "estimate": result.estimate,
                    "se": result.details.get("se", math.nan),
                    "df": result.df,
                    "status": result.status.value,
                    "note": "; ".join(a.detail for a in result.assumptions if a.holds is False),
                }
    return pd.DataFrame(lines, columns=list(INTERVALS))


@on_one_thread
def alone(rows: PairedPredictions, model: int, costs: Costs | None, level: float) -> Result:
    """Return the metric of one model, or its mean number, with an interval."""
    entry, counted = catalogue()[rows.difference], None
    options = difference_options(rows, costs) | {"confidence_level": level}
    interval: Any = mean_ci if rows.by_values else metric_ci
    result: Result = interval(*rows.arguments(entry, [model]), **options)
    values = rows.predicted[:, model]
    if rows.by_values:
        result = dataclasses.replace(result, ci=clipped(result.ci, rows.range))
        if rows.range == (0, 1) and not rows.related and np.isin(values, (0, 1)).all():
            counted = values
    elif counts := counted_rows(rows.metric):
        counted = (values == rows.truth) == (counts == "right")
    checks = result.assumptions
    if counted is not None:
        if rows.related:
            of_one = catalogue()["binomial_test"]
            related = {k: v for k, v in rows.managed(of_one).items() if k in of_one.options}
            rate = of_one.function(counted, confidence_level=level, **related)
        else:
            rate = _of_counts(int(np.count_nonzero(counted)), rows.n, level)
        result = dataclasses.replace(result, ci=rate.ci, status=rate.status)
        # those of the interval, not of the test that comes with it
        checks = tuple(check for check in rate.assumptions if check.name != AGREE)
    blocks = block_checks(rows, entry, costs, [model])
    return dataclasses.replace(result, assumptions=(*checks, *blocks))


@on_one_thread
def _of_recipe(runs: CrossedRuns, model: int, costs: Costs | None, level: float) -> Result:
    """Return the mean over training runs, with an interval for other seeds and rows."""
    rows = runs.rows
    smooth = rows.by_values or has_test(rows.metric)
    if rows.times is None and smooth:
        of_model = runs.arguments(catalogue()[runs.difference], [model])
        options = difference_options(rows, costs, runs.difference) | {"confidence_level": level}
        if not rows.by_values:
            return recipe_ci(*of_model, **options)
        mean = recipe_mean_ci(*of_model, **options)
        return dataclasses.replace(mean, ci=clipped(mean.ci, rows.range))
    each = [_value(rows, place, costs) for place in runs.runs[model]]
    why = "rows are in the order of time" if smooth else "the metric is not smooth"
    none = Assumption("an interval for other seeds", False, f"{why}: no interval is known")
    return Result(
        statistic=math.nan,
        pvalue=math.nan,
        estimate=math.fsum(each) / len(each),
        n=runs.n,
        status=Status.UNDEFINED,
        assumptions=(none,),
    )


def _value(rows: PairedPredictions, model: int, costs: Costs | None) -> float:
    """Return the metric of one model, or its mean number; without an interval that takes time."""
    if rows.by_values:
        return float(rows.predicted[:, model].mean())
    truth, answers = rows.arguments(catalogue()[rows.difference], [model])
    options = difference_options(rows, costs)
    setting, (read,) = setting_of(truth, [(rows.models[model], answers)], **options)
    return score_view(setting.metric, setting.view(read))[0]


@lru_cache(maxsize=1024)
def _of_counts(count: int, n: int, level: float) -> Result:
    """Return a share of independent rows; many models of a large study have the same."""
    return binomial_test_from_counts(n_correct=count, n=n, confidence_level=level)


# --- pairs of models in subgroups of the rows


@on_one_thread
def subgroup_table(
    experiment: Experiment | Analysis, inputs: Mapping[str, str | Path | PairedPredictions]
) -> pd.DataFrame:
    """Compare each pair of models in each subgroup, and ask whether their difference differs."""
    analysis = analysis_of(experiment)
    metrics = [metric for metric in analysis.metrics if has_test(metric)]
    alpha, versus, lines = analysis.tests.alpha, analysis.tests.versus, list[dict[str, Any]]()
    for dataset, given in () if analysis.several_runs else inputs.items():
        for rows in held_out(analysis, dataset, given, metrics):
            pairs = pairs_of(rows.models, versus) if versus in (None, *rows.models) else []
            families: dict[str | None, list[dict[str, Any]]] = {}
            for column in rows.subgroups:
                about = {"dataset": dataset, "metric": rows.metric, "column": column}
                for part in _of_column(rows, column, pairs, analysis, dataset):
                    lines.append(about | part)
                    key = None if part["role"] == INTERACTION else column
                    families.setdefault(key, []).append(lines[-1])
            for family in families.values():
                adjusted = adjust_pvalues([line["pvalue"] for line in family], _CORRECTION)
                for line, p in zip(family, map(float, adjusted), strict=True):
                    line |= {"pvalue_adjusted": p, "correction": _CORRECTION, "alpha": alpha}
                    estimate = math.nan if line["role"] == INTERACTION else line["estimate"]
                    line["decision"] = decide_pair(p, alpha, estimate).value
                    line["family_size"] = len(family)
    return pd.DataFrame(lines, columns=list(SUBGROUPS))


def _of_column(
    rows: PairedPredictions,
    column: str,
    pairs: list[tuple[int, int]],
    analysis: Analysis,
    dataset: str,
) -> Iterator[dict[str, Any]]:
    values = rows.subgroups[column].remove_unused_categories()
    level = 1 - analysis.tests.alpha
    level = simultaneous_level(level, max(1, len(pairs) * len(values.categories)), _CORRECTION)
    options = difference_options(rows, analysis.datasets[dataset].costs)
    options |= {"confidence_level": level}
    test: Any = metric_interaction
    if rows.by_values:
        test, options = mean_interaction, options | {"greater_is_better": rows.greater_is_better}
    nothing = dict.fromkeys(("estimate", "pvalue", "ci_low", "ci_high"), math.nan)
    for a, b in pairs:
        pair = {"model_a": rows.models[a], "model_b": rows.models[b], **nothing}
        whole = pair | {"role": INTERACTION, "subgroup": "", "n": rows.n}
        missing = rows.missing([a, b])
        if missing or len(values.categories) < 2:
            yield whole | {"status": UNDEFINED_METRIC if missing else Status.TOO_FEW.value}
            continue
        two = rows.arguments(catalogue()[rows.difference], [a, b])
        result: Result = test(*two, values.codes, **options)
        row = result.to_row()
        keys = ("n", "statistic", "df", "df1", "df2", "pvalue", "status")
        yield whole | {key: row[key] for key in keys}
        for code, part in result.details["subgroups"].items():
            line = pair | {"role": SUBGROUP, "subgroup": str(values.categories[int(code)])}
            line |= {key: part[key] for key in ("n", "estimate", "pvalue")}
            line |= {"status": part["status"].value, "confidence": level}
            if part["ci"] is not None:
                line |= {"ci_low": part["ci"].low, "ci_high": part["ci"].high}
            yield line
