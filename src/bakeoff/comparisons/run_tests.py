"""From the plan and its evidence to the results: a comparison for every hypothesis."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from bakeoff.comparisons.advice import cautions
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldScores,
    PairedPredictions,
    block_checks,
    cost_options,
    has_test,
)
from bakeoff.comparisons.read_evidence import (
    check_related,
    complete,
    cut_matrix,
    fold_scores,
    held_out,
    missing_cells,
    read_fold_predictions,
    read_holes,
    read_matrix,
    read_predictions,
    read_scores,
)
from bakeoff.comparisons.settings import (
    INDEPENDENT,
    check_correction,
    correction_among,
    deterministic,
    pairs_of,
)
from bakeoff.files import read_json
from bakeoff.scores import Metric, metrics_of
from bakeoff.scores.metrics import mixed_units
from bakeoff.seeds import derive, integer
from bakeoff.spec import AnalysisPlan, Costs, Experiment, PlannedTest
from bakeoff.spec.resampling import Halves
from bakeoff.stats import (
    Arity,
    Assumption,
    BayesResult,
    ConfidenceInterval,
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
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.metrics.family import MAX_T
from bakeoff.threads import on_one_thread

UNDEFINED_METRIC = "undefined_metric"
"""Status where a model has no score to compare."""
MATRIX, HOLES = "matrix", "holes"
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
    follows: dict[int, str] = {}
    places: dict[tuple[str, ...], list[int]] = {}
    for i, row in enumerate(comparisons):
        key = (row.test, row.role, row.dataset, row.plan, row.metric, row.model_a, row.model_b)
        same = [j for j in places.setdefault(key, []) if _alike(comparisons[j], row)]
        if same:
            names = dict.fromkeys(filter(None, [*follows[same[0]].split("+"), row.follows]))
            follows[same[0]] = "+".join(names)
        else:
            places[key].append(i)
            follows[i] = row.follows
    return follows


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


# --- the plan, test by test


def run_planned(
    test: PlannedTest, experiment: Experiment, inputs: Mapping[str, Any]
) -> list[Comparison]:
    """Run one test on every data set and metric it is meant for.

    Its inputs are the files of its evidence by data set, or what these would hold; over data sets
    the score matrix and its holes.
    """
    if test.on_datasets:
        evidence = _of_datasets(test, experiment, inputs[MATRIX], inputs[HOLES])
    else:
        evidence = (
            (dataset, *one)
            for dataset, given in inputs.items()
            for one in _of_dataset(test, experiment, dataset, given)
        )
    return [
        row
        for dataset, metric, one in evidence
        if one.models
        for row in run_on(one, test, experiment, dataset, metric)
    ]


def _of_datasets(
    test: PlannedTest, experiment: Experiment, matrix: Any, holes: Any
) -> Iterator[tuple[str, str, AnyEvidence]]:
    """Do with missing cells and groups of data sets what the experiment says."""
    table = matrix if isinstance(matrix, pd.DataFrame) else read_matrix(matrix)
    missing = holes if isinstance(holes, list) else read_holes(holes)
    policy = missing_cells(experiment)
    if test.allows_missing and policy != "failed":
        policy = "keep"
    for metric in test.metrics:
        datasets, values = cut_matrix(table, test.plan, metric, list(experiment.models))
        units = experiment.tests.units(datasets)
        own = [hole for hole in missing if (hole.plan, hole.metric) == (test.plan, metric)]
        cells = complete(
            *(list(experiment.models), datasets, values, own, policy),
            units if len(units) < len(datasets) else {},
            greater_is_better=metrics_of(experiment)[metric].greater_is_better,
            mixed=mixed_units(experiment, metric),
        )
        yield "", metric, cells


def _of_dataset(
    test: PlannedTest, experiment: Experiment, dataset: str, given: Any
) -> Iterator[tuple[str, AnyEvidence]]:
    """Cut the rows or scores of one data set and plan for a test, metric by metric."""
    entry, models = catalogue()[test.name], list(experiment.models)
    match entry.evidence, entry.reads:
        case ((Evidence.ROWS | Evidence.RUNS), ("predictions" | "values")):
            of_runs, fixed = entry.evidence is Evidence.RUNS, deterministic(experiment)
            for rows in held_out(experiment, dataset, given, test.metrics):
                yield rows.metric, CrossedRuns.of(rows, fixed) if of_runs else rows
        case Evidence.ROWS, reads:
            rows = given
            if not isinstance(rows, PairedPredictions):
                rows = read_predictions(given, models, scores=reads == "ranking")
                check_related(experiment, dataset, rows, given)
            elif reads != "ranking":
                rows = dataclasses.replace(rows, scores=None)
            yield test.metrics[0], rows
        case Evidence.FOLD_ROWS, _:
            yield test.metrics[0], read_fold_predictions(given, models)
        case _, reads:
            scores = given if isinstance(given, pd.DataFrame) else read_scores(given)
            parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
            if reads == "criteria":
                better = [metrics_of(experiment)[metric].greater_is_better for metric in parts]
                yield "+".join(parts), FoldScores.join(parts, better)
                return
            plan = experiment.resampling.plans()[test.plan]
            full = plan.full_repeats if isinstance(plan, Halves) else 0
            for metric, part in parts.items():
                yield metric, dataclasses.replace(part, full_repeats=full)


def matrices(tests: AnalysisPlan) -> set[tuple[str, str]]:
    """List the plans and metrics whose score matrix a test needs complete."""
    return {
        (test.plan, metric)
        for test in tests
        if test.on_datasets and not test.allows_missing
        for metric in test.metrics
    }


@on_one_thread
def run_on(
    evidence: AnyEvidence, test: PlannedTest, experiment: Experiment, dataset: str, metric: str
) -> list[Comparison]:
    """Run one test on one piece of evidence, with the cautions about it."""
    rows = run_test(test, evidence, context_of(experiment, dataset, metric))
    if isinstance(evidence, DatasetScores) and mixed_units(experiment, metric):
        # what the test had are ranks, and a difference of them is no difference of scores
        rows = [
            dataclasses.replace(
                row, ci_low=math.nan, ci_high=math.nan, result={**row.result, "ci": None}
            )
            for row in rows
        ]
    against = {
        one.name: cautions(one, experiment, evidence.left_out, metric, dataset)
        for one in AnalysisPlan((test,)).with_posthoc
    }
    for place, row in enumerate(rows):
        compared = [row.model_a, row.model_b] if row.model_a else evidence.models
        said = against[row.test].of(compared)
        if failing := measured(row):
            said.append(f"{row.test} has an inflated type I error here: {'; '.join(failing)}.")
        rows[place] = dataclasses.replace(row, caution=" ".join(said)) if said else row
    return rows


def context_of(experiment: Experiment, dataset: str, metric: str) -> Context:
    """Say where the hypotheses of a test come from, and how an experiment has them tested."""
    costs = experiment.costs_on(dataset) if dataset else None
    known = metrics_of(experiment)[metric]
    return Context(
        dataset,
        metric,
        known.greater_is_better,
        experiment.seed,
        costs,
        range_of(known, costs),
    )


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


def run_test(test: PlannedTest, evidence: AnyEvidence, context: Context) -> list[Comparison]:
    """Run a test on one data set and metric, with all that belongs to its family."""
    # An omnibus test brings its post hoc comparisons along; whether it licenses them is for the
    # report to say. Where a test has no answer on the evidence, its hypotheses are undecided and
    # say why: hours of fits are not lost to one degenerate fold.
    rows = _Family(test, evidence, context).comparisons()
    if test.posthoc is not None:
        rows += _Family(test.posthoc, evidence, context, follows=test.name).comparisons()
    return rows


@dataclasses.dataclass(frozen=True)
class _Family:
    """The hypotheses of one test on one piece of evidence."""

    test: PlannedTest
    given: AnyEvidence
    context: Context
    follows: str = ""

    @cached_property
    def entry(self) -> Entry:
        return catalogue()[self.test.name]

    @cached_property
    def correction(self) -> str:
        """How the family is adjusted; ``none`` for tests that correct nothing."""
        by_rows = self.entry.evidence is Evidence.ROWS and self.entry.reads == "predictions"
        tested = not by_rows or has_test(self.context.metric)
        asked = self.test.correction or "none"
        models = len(self.models) if tested else 2
        return correction_among(self.entry, asked, models, self.test.related)

    @cached_property
    def evidence(self) -> AnyEvidence:
        """The evidence, without what relates its rows where they are to be independent."""
        if isinstance(self.given, PairedPredictions) and self.test.independent_rows:
            return dataclasses.replace(self.given, groups=None, times=None)
        return self.given

    @property
    def _related(self) -> bool:
        """Whether something relates these rows, and the test is to know of it."""
        return isinstance(self.evidence, PairedPredictions) and self.evidence.related

    @property
    def models(self) -> tuple[str, ...]:
        return self.evidence.models

    def comparisons(self) -> list[Comparison]:
        try:
            check_correction(self.test, self.correction)
            rows = self._by_arity()
        except ValueError as refusal:
            rows = self._undecided(refusal)
        return [self._annotated(row) for row in rows]

    def _annotated(self, row: Comparison) -> Comparison:
        """Say with a result what was left out of its evidence, and what is assumed of its rows."""
        models, left_out = self.evidence.models, self.evidence.left_out
        compared = [models.index(model) for model in (row.model_a, row.model_b) if model]
        checks = block_checks(self.evidence, self.entry, self.context.costs, compared)
        checks = [*row.result.get("assumptions", []), *map(vars, checks)]
        more: dict[str, Any] = {}
        if self.test.independent_rows and (assumed := assumption(self.given)):
            checks = [vars(assumed), *(one for one in checks if one["name"] != assumed.name)]
            more[INDEPENDENT] = True
        if left_out:
            checks += [{"name": "complete evidence", "holds": False, "detail": n} for n in left_out]
            more["left_out"] = list(left_out)
        if not checks:
            return row
        result = {**row.result, "assumptions": [dict(check) for check in checks], **more}
        return dataclasses.replace(row, result=result)

    def _by_arity(self) -> list[Comparison]:
        if self.entry.arity is Arity.ONE:
            return list(self._corrected("single", [(m,) for m in range(len(self.models))]))
        if self.entry.arity is Arity.PAIR:
            return self._pairs()
        if missing := self._incomplete():
            raise Missing(missing)
        if self.entry.arity is Arity.ALL_PAIRS:
            return self._rows(self._whole(self.entry.function, self.entry.options))
        arguments = self.evidence.matrix(self.entry)
        result: Result = self._call(arguments, 1 - self.test.alpha)
        return [self._comparison(result, "omnibus", result.pvalue, 1, "none")]

    def _pairs(self) -> list[Comparison]:
        versus = self.test.versus
        if versus is not None:
            self._position(versus)
        pairs = pairs_of(self.models, versus)
        shared = self.entry.all_pairs
        if shared is not None and self.correction == MAX_T:
            if missing := self._incomplete():
                raise Missing(missing)
            return self._rows(self._whole(shared, self.entry.family_options))
        if shared is not None and len(pairs) >= self.entry.all_pairs_from and self._fits():
            with suppress(ValueError):  # each pair then says by itself whether it has an answer
                return self._rows(self._whole(shared, self.entry.family_options))
        return list(self._corrected("pair", pairs))

    def _fits(self) -> bool:
        """Tell whether the form for all pairs is this one, knows all options, misses no model."""
        asked = set(self.test.options)
        if self._related and self.entry.variants is not None:
            asked.add("variant")  # else all pairs are computed in a form of their own
        return self.entry.family_options >= asked and not self._incomplete()

    # ------------------------------------------------------------------ hypotheses

    def _corrected(self, role: str, hypotheses: list[Any]) -> Iterator[Comparison]:
        """Test each hypothesis by itself and adjust the p-values together."""
        size = len(hypotheses)
        level = 1 - self.test.alpha
        if self.test.simultaneous:
            level = simultaneous_level(level, size, self.correction)
        results = [self._one(members, level) for members in hypotheses]
        adjusted = map(float, adjust_pvalues([r.pvalue for r in results], self.correction))
        for members, result, p in zip(hypotheses, results, adjusted, strict=True):
            names = [self.models[m] for m in members]
            yield self._comparison(result, role, p, size, self.correction, *names)

    def _one(self, members: tuple[int, ...], level: float) -> Result:
        names = [self.models[m] for m in members]
        try:
            if missing := self.evidence.missing(members):
                raise Missing(missing)
            arguments = self.evidence.arguments(self.entry, members)
            result: Result = self._call(arguments, level, *names)
        except ValueError as refusal:
            return self._no_result(refusal)
        return result

    def _whole(
        self, function: Callable[..., PairwiseResult], known: Iterable[str]
    ) -> PairwiseResult:
        """Test all pairs in one call, whose numbers carry their own adjustment."""
        test = self.test
        control = None if test.versus is None else self._position(test.versus)
        options = self._options(1 - test.alpha, function.__name__) | {
            "control": control,
            "correction": self.correction,
            "simultaneous": test.simultaneous,
            "leader_only": bool(self.follows)
            and len(self.models) > _MOST_BY_PAIR
            and not test.versus,
        }
        taken = {key: options[key] for key in known if key in options}
        whole = function(*self.evidence.matrix(self.entry), **taken)
        return bounded(whole, self.entry, self.context.range)

    def _rows(self, whole: PairwiseResult) -> list[Comparison]:
        """Return the comparisons of all pairs."""
        plain = whole.to_dict()
        shared = {k: v for k, v in plain.items() if k != "pairs"} | {"test": self.entry.name}
        size = whole.details.get("hypotheses", len(whole.pairs))
        rows = []
        for result, pair, own in zip(whole.each(), whole.pairs, plain["pairs"], strict=True):
            known = None
            if not whole.results:
                effects = {k: v for k, v in own["details"].items() if k in _EFFECTS}
                checks = [dict(vars(check)) for check in result.assumptions]
                known = {**shared, **own, "effect_sizes": effects, "assumptions": checks}
            told = pair.pvalue_adjusted, size, whole.correction
            models = self.models[pair.a], self.models[pair.b]
            rows.append(self._comparison(result, "pair", *told, *models, known=known))
        if "average_ranks" in plain["details"]:
            # what a critical difference diagram is drawn from; each pair has details of its own
            ranks = {**plain["details"], "models": list(self.models)}
            rows[0] = dataclasses.replace(rows[0], result={**rows[0].result, "ranks": ranks})
        return rows

    def _position(self, model: str) -> int:
        if model not in self.models:
            raise ValueError(f"{model}, the model that all are compared with, has no results here")
        return self.models.index(model)

    def _hypotheses(self) -> list[tuple[str, str]]:
        if self.entry.arity is Arity.OMNIBUS:
            return [("", "")]
        if self.entry.arity is Arity.ONE:
            return [(model, "") for model in self.models]
        versus = self.test.versus if self.test.versus in self.models else None
        return [(self.models[a], self.models[b]) for a, b in pairs_of(self.models, versus)]

    def _incomplete(self) -> str:
        """Say what the test would miss; empty where nothing is, or it leaves it out itself."""
        if self.test.allows_missing:
            return ""
        return self.evidence.missing(range(len(self.models)))

    # ------------------------------------------------------------------ calls and rows

    def _call(self, arguments: list[Any], level: float, *who: str) -> Any:
        """Call the test's function on its evidence."""
        entry = self.entry
        options = self._options(level, entry.name, *who)
        known = {key: options[key] for key in entry.options if key in options}
        return bounded(entry.function(*arguments, **known), entry, self.context.range)

    def _options(self, level: float, *purpose: str) -> dict[str, Any]:
        """Return what the experiment says of the test, and what no user sets."""
        context, (name, *who) = self.context, purpose
        where = (context.dataset, self.test.plan, context.metric)
        return {
            **self.test.options,
            "confidence_level": level,
            "alpha": 1 - level,
            "greater_is_better": context.greater_is_better,
            "seed": integer(derive(context.seed, "test", name, *where, *who)),
            **self.evidence.managed(self.entry),
            **cost_options(context.costs, context.metric),
        }

    def _no_result(self, refusal: ValueError) -> NoResult:
        return NoResult.of(self.entry, self.test.alternative, self.evidence.n, refusal)

    def _undecided(self, refusal: ValueError) -> list[Comparison]:
        """Leave every hypothesis open, for one reason."""
        role = {Arity.OMNIBUS: "omnibus", Arity.ONE: "single"}.get(self.entry.arity, "pair")
        nothing, hypotheses = self._no_result(refusal), self._hypotheses()
        told = math.nan, len(hypotheses), "none" if role == "omnibus" else self.correction
        return [
            self._comparison(nothing, role, *told, *filter(None, members)) for members in hypotheses
        ]

    def _comparison(
        self,
        result: Result,
        role: str,
        adjusted: float,
        size: int,
        correction: str,
        *models: str,
        known: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Return a hypothesis with its result, whose plain data may be `known`."""
        context = self.context
        decision = decide(result, role, adjusted, self.test.alpha)
        row, plain = result.to_row(), dict(known or result.to_dict())
        if isinstance(result, NoResult):
            row, plain = row | {"status": result.kind}, {"reason": result.reason}
        elif decision is not Decision.UNDECIDED and not isinstance(result, BayesResult):
            # the p-values of the others in the family may have changed it
            checks = result.checks(decision is not Decision.NOT_SHOWN)
            plain["assumptions"] = [dict(vars(check)) for check in checks]
        return Comparison(
            **{k: v for k, v in row.items() if k in _SHARED},
            role=role,
            follows=self.follows,
            dataset=context.dataset,
            plan=self.test.plan,
            metric=context.metric,
            model_a=models[0] if models else "",
            model_b=models[1] if len(models) > 1 else "",
            pvalue_adjusted=adjusted,
            correction=correction,
            family_size=size,
            alpha=self.test.alpha,
            decision=decision,
            result=plain,
        )


_SHARED = {f.name for f in dataclasses.fields(Comparison)} - {"result", "alpha", "caution"}


def assumption(evidence: AnyEvidence) -> Assumption | None:
    """Return what a test assumes that was asked to take these rows for independent."""
    rows = "rows that belong together"
    if isinstance(evidence, PairedPredictions):
        if not evidence.related:
            return None
        rows = f"{evidence.n:,} rows of {evidence.units}"
    return Assumption(
        "independent rows",
        False,
        f"{rows} were taken for independent, as `{INDEPENDENT}: true` asks: where rows of one "
        "are alike this finds differences that are not there",
    )


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


# --- ranges and decisions


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
