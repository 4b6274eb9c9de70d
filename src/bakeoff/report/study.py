"""One experiment's results as typed objects, and the comparisons of each test."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from bakeoff.comparisons.advice import Cautions, cautions
from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.run_tests import Comparison, Decision
from bakeoff.report.numbers import clean, fixed, interval, short, spread, words
from bakeoff.scores import METRICS, POINTS, Metric, Need
from bakeoff.scores.metrics import in_unit, metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.stats import Arity, ConfidenceInterval, Entry, TypeOneError, as_float, catalogue

MOST_LETTERS = 60
"""Of a name in sentences; tables have longer names whole."""
NOT_INFERIOR, B_NOT_INFERIOR = "not inferior", "b not inferior"
"""What a one-sided test against a margin says of A, and of B where the comparison is turned."""
TRUST = (
    TypeOneError.HOLDS,
    TypeOneError.CONSERVATIVE,
    TypeOneError.UNKNOWN,
    TypeOneError.LIBERAL,
    TypeOneError.BAYESIAN,
)
BESIDE = "halves, beside"
"""The part of the plan `halves` that the models are not ranked by."""
DECIMALS = 3
_MOST_DIGITS = 6
"""Of the typical score, however small the standard errors are."""
_NOISE = 1e-14


@dataclasses.dataclass(frozen=True)
class Written:
    """How the values of one metric on one data set are written."""

    title: str = ""
    """What they are values of."""
    unit: str = ""
    """What they are measured in; empty where that need not be told."""
    decimals: int = DECIMALS
    """How many all of them have."""
    shares: bool = False
    """Whether their differences are told in percentage points."""

    @property
    def label(self) -> str:
        """The title with the unit."""
        return with_unit(self.title, self.unit)

    @property
    def named(self) -> str:
        """The title with the unit, for brackets and sentences."""
        return f"{self.title} in {self.unit}" if self.unit else self.title

    def score(self, value: float | None) -> str:
        """Write a value alone."""
        return fixed(value, self.decimals)

    def quantity(self, value: float) -> str:
        """Write a value with its unit."""
        return f"{self.score(value)} {self.unit}".rstrip()

    def interval(self, low: float, high: float) -> str:
        """Write an interval."""
        return interval(low, high, self.decimals)

    def gap(self, value: float) -> str:
        """Write the size of a difference: percentage points for shares, else with the unit."""
        if not self.shares:
            return self.quantity(abs(value))
        points = fixed(abs(value) * 100, self._of_points)
        return f"{points} percentage point{'' if points == '1.0' else 's'}"

    def gap_interval(self, low: float, high: float) -> str:
        """Write the interval of such a difference, in its unit."""
        if not self.shares:
            return self.interval(low, high)
        return interval(low * 100, high * 100, self._of_points)

    @property
    def _of_points(self) -> int:
        return max(self.decimals - 2, 0)


def with_unit(title: str, unit: str) -> str:
    """Head a column or an axis."""
    return f"{title} ({unit})" if unit else title


def unit_of(metric: Metric) -> str:
    """Name the unit of a metric where it has to be told: the user's own, or that of the target."""
    ours = METRICS.get(metric.name)
    usual = ours is not None and not metric.own and metric.unit == ours.unit
    return "" if usual or not metric.unit or metric.unit == POINTS else clean(metric.unit)


def varies(metric: Metric) -> bool:
    """Tell whether the size of a metric's values depends on the data, as that of losses does."""
    if metric.needs is Need.NUMBERS:
        return True
    users = metric.own or metric.priced or not metric.computed
    return users and not math.isfinite(metric.range[1] - metric.range[0])


def decimals(errors: Iterable[float], values: Iterable[float]) -> int:
    """Choose decimals that show two significant digits of the typical standard error."""
    sizes = [abs(v) for v in values if math.isfinite(v) and v]
    size = statistics.median_low(sizes) if sizes else 1.0
    sizable = [e for e in errors if math.isfinite(e) and e > _NOISE * size]
    # a standard error beyond the scores is that of a model that diverged
    sizable = [e for e in sizable if e <= size] or sizable
    most = _MOST_DIGITS - 1 - _exponent(size)
    wanted = 1 - _exponent(statistics.median_low(sizable)) if sizable else 2 - _exponent(size)
    return max(min(wanted, most), 0)


def _exponent(value: float) -> int:
    return int(f"{value:.1e}".partition("e")[2])


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """The comparisons of one test on one data set and metric."""

    entry: Entry
    dataset: str
    plan: str
    measure: Metric
    written: Written
    follows: str
    rows: tuple[Comparison, ...]

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.measure.name

    @property
    def role(self) -> str:
        """Whether it is about pairs, all models or single ones."""
        return self.rows[0].role

    @property
    def bayesian(self) -> bool:
        """Whether its results are posterior probabilities."""
        return self.entry.type1 is TypeOneError.BAYESIAN

    @property
    def equivalence(self) -> bool:
        """Whether a small p-value speaks for equivalence within a margin."""
        return "margin" in self.entry.options

    @property
    def noninferiority(self) -> bool:
        """Whether it asks only that the first model of a pair is not worse by the margin."""
        return str(self.rows[0].result.get("null_hypothesis", "")).startswith("A is worse")

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that are compared, in the experiment's order."""
        if self.ranks:
            return tuple(self.ranks)
        return tuple(dict.fromkeys(m for row in self.rows for m in (row.model_a, row.model_b) if m))

    @cached_property
    def leader_only(self) -> bool:
        """Whether all pairs count, and those of the best of many models were tested."""
        return self._of_one and self.rows[0].family_size > len(self.rows)

    @cached_property
    def control(self) -> str:
        """The model that the others are compared with; empty where all pairs are compared."""
        return self.rows[0].model_a if self._of_one and not self.leader_only else ""

    @property
    def _of_one(self) -> bool:
        """Whether one model is compared with each of several others."""
        firsts = {row.model_a for row in self.rows}
        return self.role == "pair" and len(firsts) == 1 < len(self.rows)

    @cached_property
    def ranks(self) -> dict[str, float]:
        """The average ranks that the test itself compares, by model; empty where it has none."""
        ranks = self.rows[0].result.get("ranks", {})
        averages = map(as_float, ranks.get("average_ranks", ()))
        return dict(zip(ranks.get("models", ()), averages, strict=True))

    def between(self, a: str, b: str) -> Comparison | None:
        """Return the comparison of two models as `a` sees it, or None."""
        row = self._by_pair.get((a, b)) or self._by_pair.get((b, a))
        return None if row is None else seen_from(row, a)

    def turned(self, a: str, b: str) -> bool:
        """Tell whether the comparison was made with `b` as A."""
        return (a, b) not in self._by_pair

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Comparison]:
        return {(row.model_a, row.model_b): row for row in self.rows}


def seen_from(row: Comparison, model: str) -> Comparison:
    """Turn a comparison so that `model` is A."""
    if row.model_a == model:
        return row
    decisions = {Decision.A_BETTER: Decision.B_BETTER, Decision.B_BETTER: Decision.A_BETTER}
    sides = {"greater": "less", "less": "greater"}
    one_sided = row.result.get("verdict") == NOT_INFERIOR
    return dataclasses.replace(
        row,
        result={**row.result, "verdict": B_NOT_INFERIOR} if one_sided else row.result,
        model_a=row.model_b,
        model_b=row.model_a,
        estimate=0.0 - row.estimate,
        ci_low=0.0 - row.ci_high,
        ci_high=0.0 - row.ci_low,
        alternative=sides.get(row.alternative, row.alternative),
        decision=decisions.get(row.decision, row.decision),
        p_a_better=row.p_b_better,
        p_b_better=row.p_a_better,
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    """An experiment with its planned tests and, once it ran, its results."""

    analysis: Analysis
    """What was compared, by what and with which tests."""
    comparisons: tuple[Comparison, ...] = ()
    scores: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    cards: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    test_sets: Mapping[str, PairedPredictions] = dataclasses.field(default_factory=dict)
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""
    planned: AnalysisPlan = dataclasses.field(default_factory=AnalysisPlan)
    """The tests with their settings and why they run, as in tests.json."""
    failed: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    choices: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    importance: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    intervals: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    fold_intervals: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    subgroups: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    divisions: Sequence[Mapping[str, Any]] = ()
    missing: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    numbers: Mapping[str, PairedPredictions] = dataclasses.field(default_factory=dict)
    command: str = ""
    splitter: str = ""
    """What divided the rows into folds, where a call from Python passed it."""
    preparation: tuple[str, ...] = ()
    """What was done with the rows before they were compared: the verdict says it."""
    experiment: Experiment | None = None
    """As resolved from YAML; None where a command or a call says what is compared."""

    @property
    def models(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.analysis.models)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.analysis.datasets)

    @property
    def several(self) -> bool:
        """Whether there are several data sets."""
        return len(self.analysis.datasets) > 1

    @cached_property
    def units(self) -> int:
        """How many data sets tests over data sets count, a group of them as one."""
        return len(self.analysis.tests.units(self.datasets))

    def counted_datasets(self, used: Iterable[int] = ()) -> str:
        """Say how many data sets, or groups of them, there are and were used."""
        grouped = self.units < len(self.datasets)
        what = f"groups of {len(self.datasets)} data sets" if grouped else "data sets"
        n = sorted({*used} or {self.units})
        of_all = "" if n == [self.units] else f"{spread(n)} of "
        return f"{of_all}{self.units} {what}"

    @property
    def title(self) -> str:
        """The experiment's label, or its name."""
        return clean(self.analysis.title)

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that the experiment can name, with the class that some are about."""
        classes = [tuple(card.get("classes", ())) for card in self.cards.values()]
        last = {names[-1] for names in classes if len(names) == 2}
        alike = len(last) == 1 and all(len(names) == 2 for names in classes)
        return metrics_of(self.analysis, clean(*last) if alike else "")

    @property
    def metric(self) -> Metric:
        """The metric that ranks the models: the first one."""
        return self.metrics[self.analysis.metrics[0]]

    @property
    def alpha(self) -> float:
        """The level of every decision."""
        return self.analysis.tests.alpha

    @property
    def has_rows(self) -> bool:
        """Whether predictions of held-out rows are known, those of a single fit of each model."""
        on_rows = "holdout" in self.analysis.rows_of_plans
        return on_rows and not self.analysis.by_values and not self.has_runs

    @property
    def has_runs(self) -> bool:
        """Whether held-out rows are predicted by several training runs of a model."""
        return "holdout" in self.analysis.plans and bool(self.analysis.several_runs)

    @property
    def by_full(self) -> bool:
        """Whether half_sample_t takes its estimate from the cross-validations of all rows."""
        variants = {name: t.options.get("variant") for name, t in self.planned.by_name.items()}
        return variants.get("half_sample_t") == "full"

    def averages(self, metric: str) -> bool:
        """Tell whether values of a metric on all data sets have one unit, and so a mean."""
        return metric not in self.analysis.mixed_units

    @cached_property
    def tests(self) -> tuple[Entry, ...]:
        """The tests that run: those planned, then their post hoc tests."""
        return tuple(catalogue()[name] for name in self.planned.by_name)

    def pairs(self, entry: Entry) -> bool:
        """Tell whether a test compares pairs of models here."""
        return entry.arity in (Arity.PAIR, Arity.ALL_PAIRS) and len(self.models) > 1

    def label(self, model: str) -> str:
        """Return the name of a model that people read."""
        return clean(self.analysis.models[model].label)

    def name(self, model: str) -> str:
        """Return a model's name for a sentence, a very long one abbreviated."""
        return short(self.label(model), MOST_LETTERS)

    def names(self, models: Iterable[str], most: int = 4) -> str:
        """Join the names of models to a phrase."""
        return words([self.name(model) for model in models], most)

    def dataset_label(self, dataset: str) -> str:
        """Return the name of a data set that people read."""
        if not dataset:
            return f"all {self.counted_datasets()}"
        return clean(self.analysis.datasets[dataset].label)

    @cached_property
    def fits(self) -> int:
        """How many models were fitted; none where all brought their predictions or scores."""
        out = {(fit.dataset, fit.model) for fit in self.failed.itertuples()}
        folds = sum(len(plan.splits()) for plan in self.analysis.plans.values())
        fits = 0
        for dataset in self.analysis.datasets:
            for model in self.analysis.fitted:
                if (dataset, model) not in out:
                    fits += folds * self.analysis.models[model].seeds
        return fits

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The comparisons by test, data set and metric, each pair test once."""
        groups: dict[tuple[str, ...], list[Comparison]] = {}
        for row in self.comparisons:
            key = (row.test, row.role, row.dataset, row.plan, row.metric, row.follows)
            groups.setdefault(key, []).append(row)
        families = []
        for (test, role, dataset, plan, metric, follows), rows in groups.items():
            if follows and (test, role, dataset, plan, metric, "") in groups:
                continue
            entry, written = catalogue()[test], self.written_as(rows[0])
            measure, members = self.metrics[metric], tuple(rows)
            families.append(Family(entry, dataset, plan, measure, written, follows, members))
        return tuple(families)

    def written(self, metric: str = "", dataset: str = "") -> Written:
        """Return how values of a metric are written, of the first one if none is named."""
        only = dataset or ("" if self.several else self.datasets[0])
        return _written(self, metric or self.metric.name, only)

    def written_as(self, row: Comparison) -> Written:
        """Return how the estimate of a comparison is written."""
        unit = catalogue()[row.test].unit
        return Written(unit) if unit else self.written(row.metric, row.dataset)

    @cached_property
    def standard_errors(self) -> Mapping[tuple[str, str], list[float]]:
        """Those of differences by metric and data set, as their intervals show them."""
        errors = defaultdict[tuple[str, str], list[float]](list)
        for row in self.comparisons:
            width = row.ci_high - row.ci_low
            if math.isfinite(width) and not catalogue()[row.test].unit:
                z = float(ndtri((1 + row.confidence) / 2))
                errors[row.metric, row.dataset].append(width / 2 / z)
        return errors

    def of_test(self, test: str, role: str = "") -> list[Family]:
        """Return the families of a test, or those of them in one role."""
        return [f for f in self.families if f.entry.name == test and role in ("", f.role)]

    def ranking_families(self, test: str) -> list[Family]:
        """Return a test's families of pairs on the metric that ranks, one per data set."""
        families = self.of_test(test, "pair")
        metrics = [f.metric for f in families]
        ranks = self.metric.name if self.metric.name in metrics else next(iter(metrics), "")
        return [f for f in families if f.metric == ranks]

    @cached_property
    def plan(self) -> str:
        """The plan whose scores rank the models: that of the best test on algorithms."""
        if self.mains and self.mains[0].entry.about == "algorithms":
            return self.mains[0].plan
        plans = self.analysis.plans
        return next(
            (name for name, plan in plans.items() if len(plan.splits()) > 1), next(iter(plans))
        )

    def type1(self, entry: Entry, metric: str | None = None) -> TypeOneError:
        """Return a test's error rate for the learners and data of this study."""
        liberal = entry.type1 is TypeOneError.LIBERAL
        return TypeOneError.HOLDS if liberal and not self.cautions(entry, metric) else entry.type1

    def cautions(self, entry: Entry, metric: str | None = None) -> Cautions:
        """Say what simulations say against a test in this study, by one metric or by any."""
        return _cautions(self, entry.name, metric)

    @cached_property
    def mains(self) -> list[Family]:
        """The families that say the most by the metric that ranks: verdicts go by the first."""
        return self.trusted("" if self.several else self.datasets[0], self.metric.name, True)

    def trusted(self, dataset: str, metric: str, any_of_rows: bool = False) -> list[Family]:
        """Return the most trustworthy tests of a difference: on algorithms, on recipes, on models.

        Those on rows may look at them in another way than the metric, if `any_of_rows`.
        """

        def doubt(f: Family) -> tuple[bool, bool, bool, int]:
            costly = f.entry.evidence.on_rows and f.entry.reads != "correctness"
            other = f.metric != metric
            return other, costly, not f.entry.paired, TRUST.index(self.type1(f.entry))

        kept = [
            f
            for f in self.families
            if (f.role, f.dataset, f.bayesian, f.equivalence) == ("pair", dataset, False, False)
            and (f.metric == metric or (any_of_rows and f.entry.evidence.on_rows))
        ]
        kinds = (
            [f for f in kept if f.entry.about == about]
            for about in ("algorithms", "recipes", "models")
        )
        return [min(families, key=doubt) for families in kinds if families]

    def omnibus(self, family: Family) -> Comparison | None:
        """Return the test of all models at once on the same evidence as a family."""

        def on(f: Family) -> tuple[str, ...]:
            return f.dataset, f.plan, f.metric, f.entry.about

        def doubt(f: Family) -> tuple[bool, bool, int]:
            follows = f.entry.posthoc == family.entry.name
            return not f.entry.paired, not follows, TRUST.index(self.type1(f.entry))

        alike = [f for f in self.families if f.role == "omnibus" and on(f) == on(family)]
        return min(alike, key=doubt).rows[0] if alike else None

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The scores, those of halves and of all rows apart: training sizes are no means."""
        halves = self.analysis.plans.get("halves")
        if halves is None:
            return self.scores
        full = self.scores["repeat"] > 2 * halves.repeats
        other = (self.scores["plan"] == "halves") & (full != self.by_full)
        return self.scores.assign(plan=self.scores["plan"].mask(other, BESIDE))

    @cached_property
    def scored_on(self) -> dict[tuple[str, ...], pd.DataFrame]:
        """The scores by data set and plan."""
        parts = self.scored.groupby(["dataset", "plan"], sort=False)
        return {tuple(map(str, key)): part for key, part in parts}

    @cached_property
    def values(self) -> Mapping[tuple[str, str], dict[str, pd.DataFrame]]:
        """Scores by metric and plan, and by data set: a row per fold, a column per model."""
        values = defaultdict[tuple[str, str], dict[str, pd.DataFrame]](dict)
        for (metric, plan), part in self.scored.groupby(["metric", "plan"], sort=False):
            wide = part.pivot(index=["dataset", "repeat", "fold"], columns="model", values="value")
            wide = wide.reindex(columns=list(self.models))
            tables = {
                str(dataset): rows.droplevel("dataset")
                for dataset, rows in wide.groupby(level="dataset", sort=False)
            }
            values[str(metric), str(plan)] = {d: tables[d] for d in self.datasets if d in tables}
        return values

    def sizes(
        self, dataset: str, plan: str, model: str = "", metric: str = ""
    ) -> dict[str, NDArray[Any]] | None:
        """Return the sizes of the training and test parts of all scores; None if one is unknown."""
        rows = self.scored_on[dataset, plan]
        if model:
            rows = rows[(rows["model"] == model) & (rows["metric"] == metric)]
        sizes = rows.sort_values(["repeat", "fold"])[["n_train", "n_test"]]
        if sizes.isna().any(axis=None):
            return None
        return {str(side): counts.to_numpy() for side, counts in sizes.items()}

    @cached_property
    def spreads(self) -> pd.DataFrame:
        """Mean, standard deviation and number of the scores of each model on each data set."""
        by = ["metric", "dataset", "plan", "model"]
        return self.scores.groupby(by)["value"].agg(["mean", "std", "size"])

    @cached_property
    def held_out(self) -> dict[tuple[str, ...], ConfidenceInterval]:
        """The intervals on held-out rows by data set, metric and model, where there is one."""
        return {
            (line["dataset"], line["metric"], line["model"]): ConfidenceInterval(
                line["ci_low"], line["ci_high"], line["confidence"], ""
            )
            for line in self.intervals.to_dict("records")
            if not math.isnan(line["ci_low"])
        }

    @cached_property
    def over_folds(self) -> dict[tuple[str, ...], Mapping[str, Any]]:
        """What the rows of folds say of each model, by data set, plan, metric and model."""
        keys = ("dataset", "plan", "metric", "model")
        lines: list[dict[str, Any]] = self.fold_intervals.to_dict("records")  # type: ignore[assignment]
        return {tuple(line[key] for key in keys): line for line in lines}

    @cached_property
    def excluded(self) -> dict[str, str]:
        """The models without a complete set of scores on the first metric, and why."""
        by = (self.scores["metric"] == self.metric.name) & (self.scores["plan"] == self.plan)
        excluded = {}
        for model in self.models:
            rows = self.scores[by & (self.scores["model"] == model)]
            missing = rows[rows["value"].isna()]
            if rows.empty:
                excluded[model] = "it has no scores"
            elif len(missing):
                reasons = dict.fromkeys(str(r) for r in missing["undefined"] if r)
                what = "data sets" if self.several and rows["dataset"].is_unique else "folds"
                where = f" on {len(missing)} of {len(rows)} {what}" if len(rows) > 1 else ""
                why = "; ".join(reasons) or "no reason given"
                excluded[model] = f"{self.metric.title} is undefined{where} ({why})"
        return excluded


@lru_cache(maxsize=1024)  # asked for every family of a large study; looks at each estimator
def _cautions(study: Study, name: str, metric: str | None) -> Cautions:
    failed = () if study.failed.empty else tuple(study.failed["model"])
    planned = study.planned.by_name
    return cautions(planned.get(name, PlannedTest(name=name)), study.analysis, failed, metric)


@lru_cache(maxsize=1024)
def _written(study: Study, metric: str, dataset: str) -> Written:
    """Find out how values of a metric are written on a data set, or over all if it is empty."""
    declared = study.analysis.datasets[dataset].unit if dataset else None
    measure = in_unit(study.metrics[metric], declared)
    spread = study.spreads
    metrics, datasets = (spread.index.get_level_values(name) for name in ("metric", "dataset"))
    if dataset:
        spread = spread[(metrics == metric) & (datasets == dataset)]
    else:
        means = spread[metrics == metric].groupby(["plan", "model"])["mean"]
        spread = means.agg(["mean", "std", "size"])
    errors = study.standard_errors.get((metric, dataset), [])
    if not any(errors) and len(rows := study.intervals):
        rows = rows[(rows["metric"] == metric) & (rows["dataset"] == dataset)]
        errors = list(rows["se"])
    if not any(error > 0 for error in errors):
        errors = list(spread["std"] / np.sqrt(spread["size"]))
    digits = decimals(errors, spread["mean"])
    digits = digits if varies(measure) else max(DECIMALS, digits - 1)
    return Written(measure.title, unit_of(measure), digits, measure.unit == POINTS)
