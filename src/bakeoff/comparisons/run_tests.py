"""From the plan and its evidence to the results: one comparison for each hypothesis."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import Any

import numpy as np

from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.collected import evidence_of
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    DatasetScores,
    PairedPredictions,
    cost_options,
)
from bakeoff.comparisons.held_out import block_checks, clipped
from bakeoff.comparisons.score_matrix import UNIT_FREE
from bakeoff.comparisons.settings import (
    INDEPENDENT,
    check_correction,
    correction_among,
    has_test,
    pairs_of,
    with_keys,
)
from bakeoff.seeds import derive, integer
from bakeoff.spec import AnalysisPlan, Costs, Experiment, PlannedTest
from bakeoff.stats import (
    Arity,
    Assumption,
    BayesResult,
    Entry,
    EquivalenceResult,
    Evidence,
    PairwiseResult,
    Result,
    Status,
    adjust_pvalues,
    as_float,
    catalogue,
    plain,
)
from bakeoff.stats.core.max_t import MAX_T
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.datasets.sign_flips import SIGN_FLIPS
from bakeoff.threads import on_one_thread

UNDEFINED_METRIC = "undefined_metric"
"""Status where a model has no score to compare."""
_MOST_BY_PAIR = 30
"""With more models a test that ranks each pair anew compares those of the best model alone."""
_EFFECTS = ("rank_biserial",)
"""Effect sizes of a pair where all pairs are tested at once."""
_INFLATES = (
    "dependence that fades",
    "dependence that fades within a block",
    "enough independent times",
    "symmetric group differences",
    "the difference carried by enough rows",
    "exchangeable models",
)
"""What a test checks of its data; where it fails, the test rejects too often."""

# Folds share rows: their spread is that of no population, and depends on how many there are.
_BY_SPREAD_OF_FOLDS = (
    "cohen_dz",
    "hedges_gz",
    "partial_eta_squared",
    "generalized_eta_squared",
    "eta_squared",
    "omega_squared",
    "epsilon_squared",
    "eta_squared_H",
)
"""Effect sizes that divide by the spread of folds: no results of an experiment have them."""

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
        row["decision"] = self.decision.value
        return row

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data; see `bakeoff.stats.plain`."""
        return {**plain(self.to_row()), "result": dict(self.result)}

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """List the columns of comparisons.csv."""
        names = [field.name for field in dataclasses.fields(cls)]
        names.remove("result")
        return tuple(names)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Comparison:
        """Read what `to_dict` wrote: JSON writes NaN as null, and infinity as text."""
        kinds = {field.name: field.type for field in dataclasses.fields(cls)}
        values = dict(data)
        for key, value in data.items():
            kind = kinds.get(key)
            if kind == "float" or (kind == "float | None" and value is not None):
                values[key] = as_float(value)
        values["decision"] = Decision(data["decision"])
        return cls(**values)


def merged(comparisons: Iterable[Comparison]) -> list[Comparison]:
    """List every hypothesis once, with all the omnibus tests that it follows."""
    rows = list(comparisons)
    merged_rows = []
    for place, follows in once(rows).items():
        row = rows[place]
        if row.follows != follows:
            row = dataclasses.replace(row, follows=follows)
        merged_rows.append(row)
    return merged_rows


def once(comparisons: Sequence[Comparison]) -> dict[int, str]:
    """Map the places of distinct hypotheses to the omnibus tests that they follow."""
    tests_by_place: dict[int, dict[str, None]] = {}
    places: dict[str, int] = {}
    for i, row in enumerate(comparisons):
        # one hypothesis may follow several omnibus tests, and is the same in all else
        content = json.dumps({**vars(row), "follows": ""}, default=str)
        place = places.setdefault(content, i)
        followed = tests_by_place.setdefault(place, {})
        if row.follows:
            followed.update(dict.fromkeys(row.follows.split("+")))
    return {place: "+".join(followed) for place, followed in tests_by_place.items()}


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
    comparisons: list[Comparison] = []
    for dataset, metric, evidence in evidence_of(test, analysis, inputs):
        if not evidence.models:
            continue
        rows = run_test(test, evidence, context_of(analysis, dataset, metric))
        if isinstance(evidence, DatasetScores) and metric in analysis.mixed_units:
            rows = [_without_interval(row) for row in rows]
        against = {}
        for name, planned in AnalysisPlan((test,)).by_name.items():
            against[name] = cautions(planned, analysis, evidence.left_out, metric, dataset)
        for row in rows:
            compared: Sequence[str] = evidence.models
            if row.model_a:
                compared = (row.model_a, row.model_b)
            sentences = against[row.test].sentences(compared)
            failed_checks = measured(row)
            if failed_checks:
                details = "; ".join(failed_checks)
                sentences.append(f"{row.test} has an inflated type I error here: {details}.")
            comparisons.append(dataclasses.replace(row, caution=" ".join(sentences)))
    return comparisons


def _without_interval(row: Comparison) -> Comparison:
    """Take the interval from a result of scores in several units, unless it has no unit."""
    if row.test in UNIT_FREE:
        return row
    # what the test had are ranks, and a difference of them is no difference of scores
    result = {**row.result, "ci": None}
    return dataclasses.replace(row, ci_low=math.nan, ci_high=math.nan, result=result)


def matrices(tests: AnalysisPlan) -> set[tuple[str, str]]:
    """List the plans and metrics whose score matrix a test needs complete."""
    needed: set[tuple[str, str]] = set()
    for test in tests:
        if test.on_datasets and not test.allows_missing:
            needed.update((test.plan, metric) for metric in test.metrics)
    return needed


def measured(row: Comparison) -> list[str]:
    """Return the details of the checks that failed, and by which a test rejects too often."""
    details = []
    for check in row.result.get("assumptions", ()):
        if check["holds"] is False and check["name"] in _INFLATES:
            details.append(check["detail"])
    return details


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


def context_of(analysis: Analysis, dataset: str, metric: str) -> Context:
    """Say where the hypotheses of a test come from, and how an analysis has them tested."""
    costs = None
    if dataset:
        costs = analysis.datasets[dataset].costs
    measure = analysis.measures[metric]
    limits = measure.range
    if measure.priced and costs is not None:  # no cost exceeds the largest error's
        limits = (limits[0], float(np.max(costs.matrix)))
    return Context(
        dataset=dataset,
        metric=metric,
        greater_is_better=measure.greater_is_better,
        seed=analysis.seed,
        costs=costs,
        range=limits,
    )


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
        rows = []
        for members in family.hypotheses:
            rows.append(family.comparison(refusal, math.nan, members))
    rows = list(map(family.annotated, rows))
    if test.posthoc is not None:
        rows += run_test(test.posthoc, evidence, context, follows=test.name)
    return rows


class Missing(ValueError):
    """A model has no score or prediction where the test needs one."""


class _Family:
    """The hypotheses of one test on one piece of evidence."""

    def __init__(
        self, test: PlannedTest, evidence: AnyEvidence, context: Context, follows: str
    ) -> None:
        self.test = test
        self.context = context
        self.follows = follows
        self.entry = catalogue()[test.name]
        self.evidence, self.assumed = _as_independent(test, evidence)
        self.models = evidence.models
        self.role, self.hypotheses = _hypotheses(self.entry, self.models, test.versus)
        self.limits = _limits(self.entry, context.range)
        self.correction = _correction(test, self.entry, len(self.models), context.metric)

    # --- which way the hypotheses are tested

    def tested(self) -> list[Comparison]:
        """Test all hypotheses; what the evidence does not allow raises a ValueError."""
        test = self.test
        entry = self.entry
        check_correction(test, self.correction)
        if test.versus is not None and test.versus not in self.models:
            raise ValueError(
                f"{test.versus}, the model that all are compared with, has no results here"
            )
        if entry.arity is Arity.ALL_PAIRS:
            return self._all_pairs(entry.function, entry.options)
        if entry.arity is Arity.PAIR and entry.all_pairs is not None:
            if self.correction in (MAX_T, SIGN_FLIPS):
                return self._all_pairs(entry.all_pairs, entry.family_options)
            if self._may_be_tested_at_once():
                with suppress(ValueError):  # each pair then says if it has an answer
                    return self._all_pairs(entry.all_pairs, entry.family_options)
        return self._one_by_one()

    def _may_be_tested_at_once(self) -> bool:
        """Tell whether one call for many pairs gives the numbers of a call for each."""
        entry = self.entry
        rows = self.evidence
        chosen = set(self.test.options)
        if isinstance(rows, PairedPredictions) and rows.related and entry.variants is not None:
            chosen.add("variant")  # else all pairs are computed in a form of their own
        return len(self.hypotheses) >= entry.all_pairs_from and entry.family_options >= chosen

    def _one_by_one(self) -> list[Comparison]:
        """Test each hypothesis by itself and adjust the p-values together."""
        level = 1 - self.test.alpha
        if self.test.simultaneous:
            level = simultaneous_level(level, len(self.hypotheses), self.correction)
        results: list[Result | ValueError] = []
        pvalues = []
        for members in self.hypotheses:
            try:
                result = self._result(members, level)
            except ValueError as refusal:
                # it has no p-value, and is no member of the family that is adjusted
                results.append(refusal)
                pvalues.append(math.nan)
            else:
                results.append(result)
                pvalues.append(result.pvalue)
        adjusted = adjust_pvalues(pvalues, self.correction)
        rows = []
        for members, outcome, pvalue in zip(self.hypotheses, results, adjusted, strict=True):
            rows.append(self.comparison(outcome, float(pvalue), members))
        return rows

    def _result(self, members: Sequence[int], level: float) -> Result:
        """Test one hypothesis: of some models, or without members of all at once."""
        entry = self.entry
        if members:
            # models may have unequal numbers of training runs
            of_folds = entry.evidence is Evidence.FOLD_SCORES
            if not (self.test.allows_missing and of_folds):
                self._check_complete(members)
            arguments = self.evidence.arguments(entry, members)
        else:
            if not self.test.allows_missing:
                self._check_complete(range(len(self.models)))
            arguments = self.evidence.matrix(entry)
        options = with_keys(self._options(level, entry.name), entry.options)
        result: Result = self._clipped(entry.function(*arguments, **options))
        return result

    def _all_pairs(
        self, function: Callable[..., PairwiseResult], parameters: Iterable[str]
    ) -> list[Comparison]:
        """Test all pairs in one call, whose numbers carry their own adjustment."""
        if not self.test.allows_missing:
            self._check_complete(range(len(self.models)))
        versus = self.test.versus
        many = len(self.models) > _MOST_BY_PAIR
        options = self._options(1 - self.test.alpha, function.__name__)
        options["control"] = None
        if versus is not None:
            options["control"] = self.models.index(versus)
        options["correction"] = self.correction
        options["simultaneous"] = self.test.simultaneous
        options["leader_only"] = bool(self.follows) and many and versus is None
        arguments = self.evidence.matrix(self.entry)
        family = function(*arguments, **with_keys(options, parameters))
        family = dataclasses.replace(
            family,
            pairs=tuple(map(self._clipped, family.pairs)),
            results=tuple(map(self._clipped, family.results)),
        )
        records = family.to_dict()
        size = family.details.get("hypotheses", len(family.pairs))
        by_pair = zip(family.each(), family.pairs, records["pairs"], strict=True)
        rows = []
        for result, pair, numbers in by_pair:
            record = None
            if not family.results:
                record = self._record(records, numbers, result)
            rows.append(
                self.comparison(
                    result,
                    pair.pvalue_adjusted,
                    (pair.a, pair.b),
                    size=size,
                    correction=family.correction,
                    record=record,
                )
            )
        if "average_ranks" in records["details"]:
            # what a critical difference diagram is drawn from; each pair has details of its own
            ranks = {**records["details"], "models": list(self.models)}
            rows[0] = dataclasses.replace(rows[0], result={**rows[0].result, "ranks": ranks})
        return rows

    def _record(
        self, records: Mapping[str, Any], numbers: Mapping[str, Any], result: Result
    ) -> dict[str, Any]:
        """Return the plain data of a pair that was tested with all others at once."""
        record = dict(records)
        del record["pairs"]
        record["test"] = self.entry.name
        record.update(numbers)
        record["effect_sizes"] = with_keys(numbers["details"], _EFFECTS)
        record["assumptions"] = _plain_checks(result.assumptions)
        return record

    def _check_complete(self, models: Iterable[int]) -> None:
        """Refuse evidence that some models lack, unless the test leaves it out by itself."""
        missing = self.evidence.missing(list(models))
        if missing:
            raise Missing(missing)

    def _clipped(self, result: Any) -> Any:
        """Clip the interval of a result, or of a pair of models, to what is possible."""
        return dataclasses.replace(result, ci=clipped(result.ci, self.limits))

    def _options(self, level: float, name: str) -> dict[str, Any]:
        """Return what the experiment says of the test, and what no user sets."""
        context = self.context
        # names of data sets and models have no part in it: the same results have one p-value
        seed = derive(context.seed, "test", name, self.test.plan, context.metric)
        return {
            **self.test.options,
            "confidence_level": level,
            "alpha": 1 - level,
            "greater_is_better": context.greater_is_better,
            "seed": integer(seed),
            **self.evidence.managed(self.entry),
            **cost_options(context.costs, context.metric),
        }

    # --- what is said of each hypothesis

    def comparison(
        self,
        result: Result | ValueError,
        adjusted: float,
        members: Sequence[int],
        *,
        size: int | None = None,
        correction: str = "",
        record: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Return a hypothesis with its result, or why it has none.

        A record may stand for the plain data of the result.
        """
        context = self.context
        if isinstance(result, ValueError):
            decision = Decision.UNDECIDED
            row = self._row_of_refusal(result)
            content: dict[str, Any] = {"reason": str(result)}
        else:
            decision = decide(result, self.role, adjusted, self.test.alpha)
            row = result.to_row()
            content = self._content(result, decision, record)
        names = ["", ""]
        for place, member in enumerate(members):
            names[place] = self.models[member]
        if size is None:
            size = len(self.hypotheses)
        return Comparison(
            **with_keys(row, _OF_RESULT),
            role=self.role,
            follows=self.follows,
            dataset=context.dataset,
            plan=self.test.plan,
            metric=context.metric,
            model_a=names[0],
            model_b=names[1],
            pvalue_adjusted=adjusted,
            correction=correction or self.correction,
            family_size=size,
            alpha=self.test.alpha,
            decision=decision,
            result=content,
        )

    def _row_of_refusal(self, refusal: ValueError) -> dict[str, Any]:
        """Return the columns of a hypothesis without a result."""
        status = Status.UNDEFINED.value
        if isinstance(refusal, Missing):
            status = UNDEFINED_METRIC
        return {
            "test": self.entry.name,
            "n": self.evidence.n,
            "statistic": math.nan,
            "pvalue": math.nan,
            "status": status,
            "alternative": self.test.alternative,
        }

    def _content(
        self, result: Result, decision: Decision, record: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Return the plain data of a result."""
        content = dict(record or result.to_dict())
        if decision is not Decision.UNDECIDED and not isinstance(result, BayesResult):
            # the p-values of the others in the family may have changed it
            checks = result.checks(decision is not Decision.NOT_SHOWN)
            content["assumptions"] = _plain_checks(checks)
        if self.entry.evidence is Evidence.FOLD_SCORES:
            effects = dict(content.get("effect_sizes", {}))
            for name in _BY_SPREAD_OF_FOLDS:
                effects.pop(name, None)
            content["effect_sizes"] = effects
        return content

    def annotated(self, row: Comparison) -> Comparison:
        """Say with a result what was left out of its evidence, and what is assumed of its rows."""
        compared = [self.models.index(model) for model in (row.model_a, row.model_b) if model]
        blocks = block_checks(self.evidence, self.entry, self.context.costs, compared)
        checks = list(row.result.get("assumptions", [])) + _plain_checks(blocks)
        facts: dict[str, Any] = {}
        if self.assumed is not None:
            # the test itself could not know that its rows belong together
            checks = [check for check in checks if check["name"] != self.assumed.name]
            checks.insert(0, vars(self.assumed))
            facts[INDEPENDENT] = True
        left_out = self.evidence.left_out
        if left_out:
            for note in left_out:
                checks.append({"name": "complete evidence", "holds": False, "detail": note})
            facts["left_out"] = list(left_out)
        if not checks:
            return row
        result = {**row.result, "assumptions": list(map(dict, checks)), **facts}
        return dataclasses.replace(row, result=result)


_OF_RESULT = (
    "test",
    "variant",
    "statistic",
    "df",
    "df1",
    "df2",
    "pvalue",
    "alternative",
    "estimate",
    "ci_low",
    "ci_high",
    "confidence",
    "n",
    "status",
    "p_a_better",
    "p_equivalent",
    "p_b_better",
    "rope",
    "margin",
)
"""Columns of a comparison that a result fills."""


def _plain_checks(checks: Iterable[Assumption]) -> list[dict[str, Any]]:
    """Return what was assumed and checked as plain data."""
    return [dict(vars(check)) for check in checks]


def _as_independent(
    test: PlannedTest, evidence: AnyEvidence
) -> tuple[AnyEvidence, Assumption | None]:
    """Take related rows for independent where a test is told to, and say that this is assumed."""
    if not test.independent_rows:
        return evidence, None
    rows = "rows that belong together"
    if isinstance(evidence, PairedPredictions):
        if not evidence.related:
            return evidence, None
        rows = f"{evidence.n:,} rows of {evidence.units}"
        evidence = dataclasses.replace(evidence, groups=None, times=None)
    detail = (
        f"{rows} were taken for independent, as `{INDEPENDENT}: true` asks: where rows of "
        "one are alike this finds differences that are not there"
    )
    return evidence, Assumption("independent rows", False, detail)


def _hypotheses(
    entry: Entry, models: Sequence[str], versus: str | None
) -> tuple[str, list[Sequence[int]]]:
    """Return what the hypotheses of a test are about, and the models in each."""
    if entry.arity is Arity.ONE:
        return "single", [(model,) for model in range(len(models))]
    if entry.arity is Arity.OMNIBUS:
        return "omnibus", [()]
    return "pair", list(pairs_of(models, versus))


def _limits(entry: Entry, metric: tuple[float, float]) -> tuple[float, float]:
    """Return between which numbers the parameter of a test lies."""
    low, high = metric
    if entry.unit:  # the parameter is not the metric
        low = -math.inf
        high = math.inf
    if entry.arity is Arity.ONE:
        return low, high
    # a difference of two numbers between low and high
    return low - high, high - low


def _correction(test: PlannedTest, entry: Entry, models: int, metric: str) -> str:
    """Return how the p-values of a family are adjusted."""
    by_rows = entry.evidence is Evidence.ROWS and entry.reads == "predictions"
    if by_rows and not has_test(metric):
        models = 2  # each pair by itself: there is no largest statistic
    return correction_among(entry, test.correction or "none", models, test.related)


# --- decisions


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
        for outcome, probability in outcomes.items():
            if probability >= 1 - alpha:
                return outcome
        return Decision.NOT_SHOWN
    if isinstance(result, EquivalenceResult) and not math.isnan(adjusted):
        if adjusted < alpha:
            return Decision.EQUIVALENT
        return Decision.NOT_SHOWN
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
    # what a one-sided test rejects is the other side, whatever the sign of the estimate
    if alternative == "greater":
        return Decision.A_BETTER
    if alternative == "less":
        return Decision.B_BETTER
    if math.isnan(estimate) or estimate == 0:
        return Decision.DIFFERENT
    if estimate > 0:
        return Decision.A_BETTER
    return Decision.B_BETTER
