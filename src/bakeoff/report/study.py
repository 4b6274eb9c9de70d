"""One experiment's results as typed objects: every number of the report is asked of a `Study`."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from bakeoff.comparisons.advice import Cautions, cautions
from bakeoff.comparisons.analysis import Analysis
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.run_tests import Comparison
from bakeoff.report.family import Family
from bakeoff.report.numbers import clean, short, spread, words
from bakeoff.report.written import DECIMALS, Written, decimals, unit_of, varies
from bakeoff.scores import POINTS, Metric
from bakeoff.scores.metrics import in_unit, metrics_of
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.stats import Arity, ConfidenceInterval, Entry, TypeOneError, catalogue

MOST_LETTERS = 60
"""Of a name in sentences; tables have longer names whole."""
TRUST = (
    TypeOneError.HOLDS,
    TypeOneError.CONSERVATIVE,
    TypeOneError.UNKNOWN,
    TypeOneError.LIBERAL,
    TypeOneError.BAYESIAN,
)
"""Error rates of tests, the most trustworthy first."""
BESIDE = "halves, beside"
"""The part of the plan `halves` that the models are not ranked by."""


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    """An experiment with its planned tests and, once it ran, its results.

    What follows from the results is computed once, when it is first asked for: first what the
    experiment is about, then its scores, its comparisons, and the tests that decide.
    """

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

    # --- models, data sets and metrics

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.analysis.models)

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.analysis.datasets)

    @cached_property
    def several(self) -> bool:
        """Whether there are several data sets."""
        return len(self.analysis.datasets) > 1

    @cached_property
    def units(self) -> int:
        """How many data sets tests over data sets count, a group of them as one."""
        return len(self.analysis.tests.units(self.datasets))

    @cached_property
    def title(self) -> str:
        """The experiment's label, or its name."""
        return clean(self.analysis.title)

    @cached_property
    def alpha(self) -> float:
        """The level of every decision."""
        return self.analysis.tests.alpha

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that the experiment can name, with the class that some are about."""
        positive = set[str]()
        for card in self.cards.values():
            classes = list(card.get("classes", ()))
            positive.add(clean(classes[-1]) if len(classes) == 2 else "")
        # named in titles of metrics where it is the same class on all data sets
        positive_class = ""
        if len(positive) == 1:
            positive_class = positive.pop()
        return metrics_of(self.analysis, positive_class)

    @cached_property
    def metric(self) -> Metric:
        """The metric that ranks the models: the first one."""
        return self.metrics[self.analysis.metrics[0]]

    @cached_property
    def has_rows(self) -> bool:
        """Whether predictions of held-out rows are known, those of a single fit of each model."""
        on_rows = "holdout" in self.analysis.rows_of_plans
        return on_rows and not self.analysis.by_values and not self.has_runs

    @cached_property
    def has_runs(self) -> bool:
        """Whether held-out rows are predicted by several training runs of a model."""
        return "holdout" in self.analysis.plans and bool(self.analysis.several_runs)

    @cached_property
    def by_full(self) -> bool:
        """Whether half_sample_t takes its estimate from the cross-validations of all rows."""
        test = self.planned.by_name.get("half_sample_t")
        return test is not None and test.options.get("variant") == "full"

    @cached_property
    def fits(self) -> int:
        """How many models were fitted; none where all brought their predictions or scores."""
        # a model that failed on a data set is left out there with all of its fits
        failed = {(fit.dataset, fit.model) for fit in self.failed.itertuples()}
        folds = sum(len(plan.splits()) for plan in self.analysis.plans.values())
        fits = 0
        for dataset in self.datasets:
            for model in self.analysis.fitted:
                if (dataset, model) not in failed:
                    fits += folds * self.analysis.models[model].seeds
        return fits

    def averages(self, metric: str) -> bool:
        """Tell whether values of a metric on all data sets have one unit, and so a mean."""
        return metric not in self.analysis.mixed_units

    # --- names

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

    def counted_datasets(self, used: Iterable[int] = ()) -> str:
        """Say how many data sets, or groups of them, there are and were used."""
        counted = f"{self.units} data sets"
        if self.units < len(self.datasets):
            counted = f"{self.units} groups of {len(self.datasets)} data sets"
        n_used = sorted(set(used))
        if not n_used or n_used == [self.units]:
            return counted
        return f"{spread(n_used)} of {counted}"

    # --- scores

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The scores, those of halves and of all rows apart: training sizes are no means."""
        halves = self.analysis.plans.get("halves")
        if halves is None:
            return self.scores
        # repeats up to 2R are of the two halves of R divisions, later ones of all rows
        full = self.scores["repeat"] > 2 * halves.repeats
        other = (self.scores["plan"] == "halves") & (full != self.by_full)
        return self.scores.assign(plan=self.scores["plan"].mask(other, BESIDE))

    @cached_property
    def scored_on(self) -> dict[tuple[str, ...], pd.DataFrame]:
        """The scores by data set and plan."""
        scores = dict[tuple[str, ...], pd.DataFrame]()
        for (dataset, plan), part in self.scored.groupby(["dataset", "plan"], sort=False):
            scores[str(dataset), str(plan)] = part
        return scores

    @cached_property
    def values(self) -> Mapping[tuple[str, str], dict[str, pd.DataFrame]]:
        """Scores by metric and plan, and by data set: a row per fold, a column per model."""
        values = defaultdict[tuple[str, str], dict[str, pd.DataFrame]](dict)
        for (metric, plan), part in self.scored.groupby(["metric", "plan"], sort=False):
            wide = part.pivot(index=["dataset", "repeat", "fold"], columns="model", values="value")
            wide = wide.reindex(columns=list(self.models))
            # a wide table has the folds of all data sets below each other
            tables = {}
            for name, rows in wide.groupby(level="dataset", sort=False):
                tables[str(name)] = rows.droplevel("dataset")
            # in the experiment's order: the scores come in the order in which they were computed
            for dataset in self.datasets:
                if dataset in tables:
                    values[str(metric), str(plan)][dataset] = tables[dataset]
        return values

    @cached_property
    def spreads(self) -> pd.DataFrame:
        """Mean, standard deviation and number of the scores of each model on each data set."""
        by = ["metric", "dataset", "plan", "model"]
        return self.scores.groupby(by)["value"].agg(["mean", "std", "size"])

    @cached_property
    def held_out(self) -> dict[tuple[str, ...], ConfidenceInterval]:
        """The intervals on held-out rows by data set, metric and model, where there is one."""
        intervals = dict[tuple[str, ...], ConfidenceInterval]()
        for line in self.intervals.to_dict("records"):
            if not math.isnan(line["ci_low"]):
                key = (line["dataset"], line["metric"], line["model"])
                ci = ConfidenceInterval(line["ci_low"], line["ci_high"], line["confidence"], "")
                intervals[key] = ci
        return intervals

    @cached_property
    def over_folds(self) -> dict[tuple[str, ...], Mapping[str, Any]]:
        """What the rows of folds say of each model, by data set, plan, metric and model."""
        lines: list[dict[str, Any]] = self.fold_intervals.to_dict("records")  # type: ignore[assignment]
        by_key: dict[tuple[str, ...], Mapping[str, Any]] = {}
        for line in lines:
            by_key[line["dataset"], line["plan"], line["metric"], line["model"]] = line
        return by_key

    @cached_property
    def excluded(self) -> dict[str, str]:
        """The models without a complete set of scores on the first metric, and why."""
        ranks = (self.scores["metric"] == self.metric.name) & (self.scores["plan"] == self.plan)
        excluded = {}
        for model in self.models:
            rows = self.scores[ranks & (self.scores["model"] == model)]
            if rows.empty:
                excluded[model] = "it has no scores"
            elif rows["value"].isna().any():
                excluded[model] = self._why_undefined(rows)
        return excluded

    def _why_undefined(self, rows: pd.DataFrame) -> str:
        """Say where scores of a model are missing, and why."""
        missing = rows[rows["value"].isna()]
        reasons = dict.fromkeys(map(str, filter(None, missing["undefined"])))
        why = "; ".join(reasons) or "no reason given"
        where = ""
        if len(rows) > 1:
            noun = "folds"
            if self.several and rows["dataset"].is_unique:
                noun = "data sets"
            where = f" on {len(missing)} of {len(rows)} {noun}"
        return f"{self.metric.title} is undefined{where} ({why})"

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
        return {"n_train": sizes["n_train"].to_numpy(), "n_test": sizes["n_test"].to_numpy()}

    # --- how scores and differences are written

    def written(self, metric: str = "", dataset: str = "") -> Written:
        """Return how values of a metric are written, of the first one if none is named."""
        if not dataset and not self.several:
            dataset = self.datasets[0]
        key = (metric or self.metric.name, dataset)
        if key not in self._written:
            self._written[key] = self._how_written(*key)
        return self._written[key]

    @cached_property
    def _written(self) -> dict[tuple[str, str], Written]:
        return {}

    def _how_written(self, metric: str, dataset: str) -> Written:
        """Find out how values of a metric are written on a data set, or over all if it is empty."""
        declared = self.analysis.datasets[dataset].unit if dataset else None
        measure = in_unit(self.metrics[metric], declared)
        spread = self._spread_of(metric, dataset)
        errors = self._standard_errors_of(metric, dataset)
        if not any(error > 0 for error in errors):
            # without a test, that of the mean score itself says how many digits are certain
            errors = list(spread["std"] / np.sqrt(spread["size"]))
        digits = decimals(errors, spread["mean"])
        if not varies(measure):
            digits = max(DECIMALS, digits - 1)
        return Written(measure.title, unit_of(measure), digits, measure.unit == POINTS)

    def _spread_of(self, metric: str, dataset: str) -> pd.DataFrame:
        """Return mean, standard deviation and number: of scores, or of means over data sets."""
        spread = self.spreads
        of_metric = spread.index.get_level_values("metric") == metric
        if dataset:
            return spread[of_metric & (spread.index.get_level_values("dataset") == dataset)]
        means = spread[of_metric].groupby(["plan", "model"])["mean"]
        return means.agg(["mean", "std", "size"])

    def _standard_errors_of(self, metric: str, dataset: str) -> list[float]:
        """Return those of differences, or else those of scores on held-out rows."""
        errors = self.standard_errors.get((metric, dataset), [])
        if any(errors) or self.intervals.empty:
            return errors
        rows = self.intervals
        rows = rows[(rows["metric"] == metric) & (rows["dataset"] == dataset)]
        return list(rows["se"])

    @cached_property
    def standard_errors(self) -> Mapping[tuple[str, str], list[float]]:
        """Those of differences by metric and data set, as their intervals show them."""
        errors = defaultdict[tuple[str, str], list[float]](list)
        for row in self.comparisons:
            width = row.ci_high - row.ci_low
            if math.isfinite(width) and not catalogue()[row.test].unit:
                # half of a normal interval is z standard errors
                z = float(ndtri((1 + row.confidence) / 2))
                errors[row.metric, row.dataset].append(width / 2 / z)
        return errors

    def written_as(self, row: Comparison) -> Written:
        """Return how the estimate of a comparison is written."""
        unit = catalogue()[row.test].unit
        if unit:
            return Written(unit)
        return self.written(row.metric, row.dataset)

    # --- comparisons

    @cached_property
    def tests(self) -> tuple[Entry, ...]:
        """The tests that run: those planned, then their post hoc tests."""
        entries = []
        for name in self.planned.by_name:
            entries.append(catalogue()[name])
        return tuple(entries)

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The comparisons by test, data set and metric, each pair test once."""
        rows_by_key: dict[tuple[str, ...], list[Comparison]] = {}
        for row in self.comparisons:
            key = (row.test, row.role, row.dataset, row.plan, row.metric, row.follows)
            rows_by_key.setdefault(key, []).append(row)
        families = []
        for (*evidence, follows), rows in rows_by_key.items():
            if follows and (*evidence, "") in rows_by_key:
                continue
            first = rows[0]
            family = Family(
                entry=catalogue()[first.test],
                dataset=first.dataset,
                plan=first.plan,
                measure=self.metrics[first.metric],
                written=self.written_as(first),
                follows=follows,
                rows=tuple(rows),
            )
            families.append(family)
        return tuple(families)

    def of_test(self, test: str, role: str = "") -> list[Family]:
        """Return the families of a test, or those of them in one role."""
        families = []
        for family in self.families:
            if family.entry.name == test:
                families.append(family)
        if role:
            families = [family for family in families if family.role == role]
        return families

    def ranking_families(self, test: str) -> list[Family]:
        """Return a test's families of pairs on the metric that ranks, one per data set."""
        families = self.of_test(test, "pair")
        metrics = [family.metric for family in families]
        metric = self.metric.name
        if metrics and metric not in metrics:
            metric = metrics[0]
        return [family for family in families if family.metric == metric]

    def pairs(self, entry: Entry) -> bool:
        """Tell whether a test compares pairs of models here."""
        return entry.arity in (Arity.PAIR, Arity.ALL_PAIRS) and len(self.models) > 1

    # --- the tests that decide

    @cached_property
    def mains(self) -> list[Family]:
        """The families that say the most by the metric that ranks: verdicts go by the first."""
        dataset = "" if self.several else self.datasets[0]
        return self.trusted(dataset, self.metric.name, any_of_rows=True)

    @cached_property
    def plan(self) -> str:
        """The plan whose scores rank the models: that of the best test on algorithms."""
        if self.mains and self.mains[0].entry.about == "algorithms":
            return self.mains[0].plan
        plans = self.analysis.plans
        for name, plan in plans.items():
            if len(plan.splits()) > 1:
                return name
        return next(iter(plans))

    def trusted(self, dataset: str, metric: str, *, any_of_rows: bool = False) -> list[Family]:
        """Return the most trustworthy tests of a difference: on algorithms, on recipes, on models.

        Those on rows may look at them in another way than the metric, if `any_of_rows`.
        """

        def doubt(family: Family) -> tuple[bool, bool, bool, int]:
            entry = family.entry
            costly = entry.evidence.on_rows and entry.reads != "correctness"
            trust = TRUST.index(self.type1(entry))
            return family.metric != metric, costly, not entry.paired, trust

        by_about = defaultdict[str, list[Family]](list)
        for family in self.families:
            of_difference = family.role == "pair" and not family.bayesian and not family.equivalence
            answers = family.metric == metric or (any_of_rows and family.entry.evidence.on_rows)
            if of_difference and answers and family.dataset == dataset:
                by_about[family.entry.about].append(family)
        abouts = ["algorithms", "recipes", "models"]
        return [min(by_about[about], key=doubt) for about in abouts if by_about[about]]

    def omnibus(self, family: Family) -> Comparison | None:
        """Return the test of all models at once on the same evidence as a family."""

        def evidence(family: Family) -> tuple[str, ...]:
            return family.dataset, family.plan, family.metric, family.entry.about

        def doubt(other: Family) -> tuple[bool, bool, int]:
            follows = other.entry.posthoc == family.entry.name
            return not other.entry.paired, not follows, TRUST.index(self.type1(other.entry))

        of_all = [
            other
            for other in self.families
            if other.role == "omnibus" and evidence(other) == evidence(family)
        ]
        if of_all:
            return min(of_all, key=doubt).rows[0]
        return None

    def type1(self, entry: Entry, metric: str | None = None) -> TypeOneError:
        """Return a test's error rate for the learners and data of this study."""
        if entry.type1 is TypeOneError.LIBERAL and not self.cautions(entry, metric):
            return TypeOneError.HOLDS
        return entry.type1

    def cautions(self, entry: Entry, metric: str | None = None) -> Cautions:
        """Say what simulations say against a test in this study, by one metric or by any."""
        key = (entry.name, metric)
        if key not in self._cautions:  # asked for every family; looks at each estimator
            test = self.planned.by_name.get(entry.name, PlannedTest(name=entry.name))
            failed = () if self.failed.empty else tuple(self.failed["model"])
            self._cautions[key] = cautions(test, self.analysis, failed, metric)
        return self._cautions[key]

    @cached_property
    def _cautions(self) -> dict[tuple[str, str | None], Cautions]:
        return {}
