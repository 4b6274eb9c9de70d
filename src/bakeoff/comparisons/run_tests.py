"""Run a planned test on all its evidence."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons import dependence
from bakeoff.comparisons.cautions import cautions, measured
from bakeoff.comparisons.comparison import (
    Comparison,
    Decision,
    Missing,
    NoResult,
    bounded,
    decide,
    range_of,
)
from bakeoff.comparisons.dependence import deterministic
from bakeoff.comparisons.evidence import (
    AnyEvidence,
    CrossedRuns,
    DatasetScores,
    FoldCriteria,
    FoldScores,
    PairedPredictions,
    RelatedRows,
    engine_metric,
    fold_scores,
    has_test,
    read_fold_predictions,
    read_predictions,
    read_scores,
    read_values,
)
from bakeoff.comparisons.matrix import (
    Hole,
    complete,
    cut_matrix,
    missing_cells,
    read_holes,
    read_matrix,
)
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    adjust,
    check_correction,
    correction_among,
    cost_options,
    pairs_of,
)
from bakeoff.errors import UserError
from bakeoff.scores import metrics_of
from bakeoff.scores.metrics import mixed_units
from bakeoff.seeds import derive, integer
from bakeoff.spec import AnalysisPlan, Costs, Experiment, PlannedTest
from bakeoff.spec.related import declared
from bakeoff.spec.resampling import Halves
from bakeoff.stats import (
    Arity,
    Assumption,
    BayesResult,
    Entry,
    Evidence,
    PairwiseResult,
    Result,
    catalogue,
    influence,
    looks_at,
)
from bakeoff.stats.core.pairs import simultaneous_level
from bakeoff.stats.design.clusters import TIME_BLOCKS, as_clusters
from bakeoff.stats.metrics.family import MAX_T
from bakeoff.stats.metrics.metric import Form, metric_called
from bakeoff.stats.metrics.view import NoValue
from bakeoff.stats.rows.ordered import independent_blocks
from bakeoff.threads import on_one_thread


@dataclasses.dataclass(frozen=True)
class TimeBlocks:
    """The blocks of time that a test takes for groups, where it does."""

    evidence: AnyEvidence
    entry: Entry
    costs: Costs | None = None

    def annotated(self, comparison: Comparison) -> Comparison:
        """Say with a comparison whether the dependence of its rows fades within blocks of time."""
        if not self._used:
            return comparison
        compared = filter(None, (comparison.model_a, comparison.model_b))
        checks = self.checks([self.evidence.models.index(model) for model in compared])
        known = comparison.result.get("assumptions", [])
        plain = [dataclasses.asdict(check) for check in checks]
        result = {**comparison.result, "assumptions": [*known, *plain]}
        return dataclasses.replace(comparison, result=result) if checks else comparison

    def checks(self, models: Sequence[int] = ()) -> tuple[Assumption, ...]:
        """Return what is assumed of the rows of some models, or of all of them."""
        rows = self.evidence
        if not self._used:
            return ()
        assert isinstance(rows, PairedPredictions)
        assert rows.times is not None
        at = [m for m in models or range(len(rows.models)) if not rows.missing([m])]
        if len(at) < len(models) or not at:
            return ()
        with suppress(NoValue):  # the test itself says why it has no answer
            self._known.update({m: self._computed(m) for m in at if m not in self._known})
            values = np.column_stack([self._known[m] for m in at])
            times = as_clusters(rows.times, rows.n)
            return (independent_blocks(values, times, TIME_BLOCKS),)
        return ()

    @cached_property
    def _used(self) -> bool:
        """Whether the test takes blocks of the times of its rows for groups."""
        rows = self.evidence
        return isinstance(rows, PairedPredictions) and rows.in_blocks(self.entry)

    @cached_property
    def _known(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _computed(self, model: int) -> NDArray[np.float64]:
        assert isinstance(self.evidence, PairedPredictions)
        if self.evidence.by_values:
            return self.evidence.row_values(model)
        metric = FIXED_METRICS.get(self.entry.reads, self.evidence.metric)
        rows = dataclasses.replace(self.evidence, metric=metric)
        if metric_called(rows.engine_metric).form is Form.LEFT_OUT:
            return rows.quality(model)  # it has no formula for its influence
        options = difference_options(rows, self.costs) | {"groups": None}
        arguments = rows.arguments(catalogue()[rows.difference], [model])
        return influence(*arguments, **options).drawn_from


def held_out(
    experiment: Experiment,
    dataset: str,
    path: str | Path,
    metrics: Sequence[str],
) -> Iterator[PairedPredictions]:
    """Read the predictions or numbers on one test set once, and return them metric by metric."""
    models = list(experiment.models)
    wanted = {looks_at(engine_metric(metric)) for metric in metrics}
    rows = (
        read_values(path, models)
        if experiment.by_values
        else read_predictions(
            path,
            models,
            scores="ranking" in wanted,
            probabilities="probabilities" in wanted,
        )
    )
    check_related(experiment, dataset, rows, path)
    yield from by_metric(rows, experiment, metrics)


def by_metric(
    rows: PairedPredictions, experiment: Experiment, metrics: Sequence[str]
) -> Iterator[PairedPredictions]:
    """Return rows metric by metric; numbers per row have the one that describes them."""
    if rows.by_values:
        metric = metrics_of(experiment)[experiment.metrics[0]]
        better, limits = metric.greater_is_better, metric.range
        yield dataclasses.replace(rows, metric=metric.name, greater_is_better=better, range=limits)
    else:
        yield from (dataclasses.replace(rows, metric=metric) for metric in metrics)


def difference_options(
    rows: PairedPredictions | CrossedRuns, costs: Costs | None
) -> dict[str, Any]:
    """Return the arguments of the test `rows.difference` and its kin that no user sets."""
    entry = catalogue()[rows.difference]
    managed = {**rows.managed(entry), **cost_options(costs, rows.metric)}
    return {key: value for key, value in managed.items() if key in entry.options}


def check_related(
    experiment: Experiment, dataset: str, rows: PairedPredictions, path: str | Path
) -> None:
    """Stop where a data set has groups or times and its predictions have none."""
    # A test for groups takes rows without groups for independent: its p-value would be wrong.
    kin = declared(experiment, dataset)
    if kin is not None and rows.n and not rows.related:
        raise UserError(
            f"{path} does not say which rows of {dataset} belong together, though the data set "
            f"has the {kin.kind} column {kin.column!r}: delete this file and run again"
        )


_MOST_BY_PAIR = 30
"""With more models a test that ranks each pair anew compares those of the best model alone."""
_EFFECTS = ("rank_biserial",)


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
    found = _Family(test, evidence, context).comparisons()
    if test.posthoc is not None:
        found += _Family(test.posthoc, evidence, context, follows=test.name).comparisons()
    return found


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
        if isinstance(self.given, RelatedRows) and self.test.independent_rows:
            return dataclasses.replace(self.given, groups=None, times=None)
        return self.given

    @property
    def _related(self) -> bool:
        """Whether something relates these rows, and the test is to know of it."""
        return isinstance(self.evidence, RelatedRows) and self.evidence.related

    @property
    def models(self) -> tuple[str, ...]:
        return self.evidence.models

    def comparisons(self) -> list[Comparison]:
        try:
            check_correction(self.test, self.correction)
            found = self._by_arity()
        except ValueError as refusal:
            found = self._undecided(refusal)
        left_out = self.evidence.left_out
        assumed = dependence.assumption(self.given) if self.test.independent_rows else None
        blocks = TimeBlocks(self.evidence, self.entry, self.context.costs)
        return [dependence.annotated(blocks.annotated(row), left_out, assumed) for row in found]

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
        for members, result, p in zip(
            hypotheses, results, adjust(results, self.test, self.correction), strict=True
        ):
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
        found = function(*self.evidence.matrix(self.entry), **taken)
        return bounded(found, self.entry, self.context.range)

    def _rows(self, whole: PairwiseResult) -> list[Comparison]:
        """Return the comparisons of all pairs."""
        plain = whole.to_dict()
        shared = {k: v for k, v in plain.items() if k != "pairs"} | {"test": self.entry.name}
        size = whole.details.get("hypotheses", len(whole.pairs))
        found = []
        for result, pair, own in zip(whole.each(), whole.pairs, plain["pairs"], strict=True):
            known = None
            if not whole.results:
                effects = {k: v for k, v in own["details"].items() if k in _EFFECTS}
                checks = [dict(vars(check)) for check in result.assumptions]
                known = {**shared, **own, "effect_sizes": effects, "assumptions": checks}
            told = pair.pvalue_adjusted, size, whole.correction
            models = self.models[pair.a], self.models[pair.b]
            found.append(self._comparison(result, "pair", *told, *models, known=known))
        if "average_ranks" in plain["details"]:
            # what a critical difference diagram is drawn from; each pair has details of its own
            ranks = {**plain["details"], "models": list(self.models)}
            found[0] = dataclasses.replace(found[0], result={**found[0].result, "ranks": ranks})
        return found

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


MATRIX, HOLES = "matrix", "holes"


def run_planned(
    test: PlannedTest, experiment: Experiment, inputs: Mapping[str, str]
) -> list[Comparison]:
    """Run one test on every data set and metric it is meant for."""
    entry = catalogue()[test.name]
    found: list[Comparison] = []
    for dataset, metric, evidence in _evidence(entry, test, experiment, inputs):
        if evidence.models:
            found += run_on(evidence, test, experiment, dataset, metric)
    return found


def run_on_matrix(
    test: PlannedTest, experiment: Experiment, matrix: pd.DataFrame, holes: Sequence[Hole]
) -> list[Comparison]:
    """Run one test over data sets on a score matrix."""
    found: list[Comparison] = []
    for metric in test.metrics:
        cut = cut_matrix(matrix, test.plan, metric, list(experiment.models))
        evidence = _of_matrix(test, experiment, metric, *cut, holes)
        if evidence.models:
            found += run_on(evidence, test, experiment, "", metric)
    return found


def _of_matrix(
    test: PlannedTest,
    experiment: Experiment,
    metric: str,
    datasets: list[str],
    values: NDArray[np.float64],
    holes: Sequence[Hole],
) -> DatasetScores:
    """Do with missing cells and groups of data sets what the experiment says."""
    policy, units = missing_cells(experiment), experiment.tests.units(datasets)
    if test.allows_missing and policy != "failed":
        policy = "keep"
    own = [hole for hole in holes if (hole.plan, hole.metric) == (test.plan, metric)]
    return complete(
        *(list(experiment.models), datasets, values, own, policy),
        units if len(units) < len(datasets) else {},
        greater_is_better=metrics_of(experiment)[metric].greater_is_better,
        mixed=mixed_units(experiment, metric),
    )


def run_on_scores(
    test: PlannedTest, experiment: Experiment, dataset: str, scores: pd.DataFrame
) -> list[Comparison]:
    """Run one test on the scores of one data set and plan, as collected scores have them."""
    entry = catalogue()[test.name]
    found: list[Comparison] = []
    for metric, evidence in _of_scores(entry, test, experiment, scores):
        found += run_on(evidence, test, experiment, dataset, metric)
    return found


@on_one_thread
def run_on(
    evidence: AnyEvidence, test: PlannedTest, experiment: Experiment, dataset: str, metric: str
) -> list[Comparison]:
    """Run one test on one piece of evidence, with the cautions about it."""
    found = run_test(test, evidence, context_of(experiment, dataset, metric))
    if isinstance(evidence, DatasetScores) and mixed_units(experiment, metric):
        # what the test had are ranks, and a difference of them is no difference of scores
        found = [
            dataclasses.replace(
                row, ci_low=math.nan, ci_high=math.nan, result={**row.result, "ci": None}
            )
            for row in found
        ]
    against = {
        one.name: cautions(one, experiment, evidence.left_out, metric, dataset)
        for one in AnalysisPlan((test,)).with_posthoc
    }
    for place, row in enumerate(found):
        compared = [row.model_a, row.model_b] if row.model_a else evidence.models
        said = against[row.test].of(compared)
        if failing := measured(row):
            said.append(f"{row.test} has an inflated type I error here: {'; '.join(failing)}.")
        caution = " ".join(said)
        found[place] = dataclasses.replace(row, caution=caution) if caution else row
    return found


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


def matrices(tests: AnalysisPlan) -> set[tuple[str, str]]:
    """List the plans and metrics whose score matrix a test needs complete."""
    return {
        (test.plan, metric)
        for test in tests
        if test.on_datasets and not test.allows_missing
        for metric in test.metrics
    }


def _evidence(
    entry: Entry, test: PlannedTest, experiment: Experiment, inputs: Mapping[str, str]
) -> Iterator[tuple[str, str, AnyEvidence]]:
    models = list(experiment.models)
    if test.on_datasets:
        holes = read_holes(inputs[HOLES])
        for metric in test.metrics:
            datasets, values = read_matrix(inputs[MATRIX], test.plan, metric, models)
            yield "", metric, _of_matrix(test, experiment, metric, datasets, values, holes)
        return
    for dataset, path in inputs.items():
        if test.on_rows:
            of_runs = entry.evidence is Evidence.RUNS
            if entry.reads in ("predictions", "values"):
                fixed = deterministic(experiment)
                for rows in held_out(experiment, dataset, path, test.metrics):
                    yield dataset, rows.metric, CrossedRuns.of(rows, fixed) if of_runs else rows
                continue
            scored = entry.reads == "ranking"
            whole = read_predictions(path, models, scores=scored)
            check_related(experiment, dataset, whole, path)
            yield dataset, test.metrics[0], whole
            continue
        if entry.evidence is Evidence.FOLD_ROWS:
            yield dataset, test.metrics[0], read_fold_predictions(path, models)
            continue
        for metric, part in _of_scores(entry, test, experiment, read_scores(path)):
            yield dataset, metric, part


def _of_scores(
    entry: Entry, test: PlannedTest, experiment: Experiment, scores: pd.DataFrame
) -> Iterator[tuple[str, FoldScores | FoldCriteria]]:
    """Cut the scores of one data set and plan for a test, metric by metric or all together."""
    models, known = list(experiment.models), metrics_of(experiment)
    parts = {metric: fold_scores(scores, models, metric) for metric in test.metrics}
    if entry.reads == "criteria":
        better = [known[metric].greater_is_better for metric in parts]
        yield "+".join(parts), FoldCriteria.join(parts, better)
        return
    plan = experiment.resampling.plans()[test.plan]
    full = plan.full_repeats if isinstance(plan, Halves) else 0
    for metric, part in parts.items():
        yield metric, dataclasses.replace(part, full_repeats=full)
