"""One experiment's results as typed objects: all that the report knows."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from bakeoff.comparisons import Comparison
from bakeoff.comparisons.advice import Cautions, cautions
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.report.family import Family
from bakeoff.report.study_design import StudyDesign, clean
from bakeoff.report.written import DECIMALS, Written, decimals, spread_of, unit_of, varies
from bakeoff.scores.metrics import POINTS, Metric, in_unit, metrics_of
from bakeoff.spec import PlannedTest
from bakeoff.stats import ConfidenceInterval, Entry, TypeOneError, catalogue

TRUST = (
    TypeOneError.HOLDS,
    TypeOneError.CONSERVATIVE,
    TypeOneError.UNKNOWN,
    TypeOneError.LIBERAL,
    TypeOneError.BAYESIAN,
)


BESIDE = "halves, beside"
"""The part of the plan `halves` that the models are not ranked by."""


@dataclasses.dataclass(frozen=True, eq=False)
class Study(StudyDesign):
    """Everything the report is made from: the design of a study and its results."""

    comparisons: tuple[Comparison, ...]
    scores: pd.DataFrame
    cards: Mapping[str, Mapping[str, Any]]
    test_sets: Mapping[str, PairedPredictions] = dataclasses.field(default_factory=dict)
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""
    failed: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    choices: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    intervals: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    subgroups: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)
    divisions: Sequence[Mapping[str, Any]] = ()
    missing: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    notes: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    numbers: Mapping[str, PairedPredictions] = dataclasses.field(default_factory=dict)
    command: str = ""
    told: tuple[str, ...] = ()
    """What was done with the rows before they were compared: the verdict says it."""

    @cached_property
    def fits(self) -> int:
        """How many models were fitted; none where all brought their predictions or scores."""
        out = {(fit.dataset, fit.model) for fit in self.failed.itertuples()}
        return sum((fit.dataset, fit.model) not in out for fit in self.experiment.fits())

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that the experiment can name, with the class that some are about."""
        classes = [tuple(card.get("classes", ())) for card in self.cards.values()]
        last = {own[-1] for own in classes if len(own) == 2}
        alike = len(last) == 1 and all(len(own) == 2 for own in classes)
        return metrics_of(self.experiment, clean(*last) if alike else "")

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The comparisons by test, data set and metric, each pair test once."""
        known = catalogue()
        groups: dict[tuple[str, ...], list[Comparison]] = {}
        for row in self.comparisons:
            key = (row.test, row.role, row.dataset, row.plan, row.metric, row.follows)
            groups.setdefault(key, []).append(row)
        own = {key[:5] for key in groups if not key[5]}
        return tuple(
            Family(
                *(known[key[0]], key[2], key[3], self.metrics[key[4]]),
                self.written_as(rows[0]),
                *(key[5], tuple(rows)),
            )
            for key, rows in groups.items()
            if not key[5] or key[:5] not in own
        )

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
        known, found = catalogue(), defaultdict[tuple[str, str], list[float]](list)
        for row in self.comparisons:
            width = row.ci_high - row.ci_low
            if math.isfinite(width) and not known[row.test].unit:
                z = float(ndtri((1 + row.confidence) / 2))
                found[row.metric, row.dataset].append(width / 2 / z)
        return found

    def of_test(self, test: str, role: str = "") -> list[Family]:
        """Return the families of a test, or those of them in one role."""
        return [f for f in self.families if f.entry.name == test and role in ("", f.role)]

    def ranking_families(self, test: str) -> list[Family]:
        """Return a test's families of pairs on the metric that ranks, one per data set."""
        found = self.of_test(test, "pair")
        metrics = [f.metric for f in found]
        first = self.metric.name
        wanted = first if first in metrics else metrics[0] if metrics else ""
        return [f for f in found if f.metric == wanted]

    @cached_property
    def plan(self) -> str:
        """The plan whose scores rank the models: that of the best test on algorithms."""
        main = self.main["algorithms"]
        if main is not None:
            return main.plan
        plans = self.experiment.resampling.plans()
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

    @property
    def mains(self) -> list[Family]:
        """The families of `main`, first the one that says the most: the verdict goes by it."""
        return [found for found in reversed(self.main.values()) if found is not None]

    @cached_property
    def main(self) -> dict[str, Family | None]:
        """The most trustworthy families of pairs about models, recipes and algorithms."""
        wanted, first = "" if self.several else self.datasets[0], self.metric.name
        kept = [
            f
            for f in self.families
            if f.settles and f.dataset == wanted and (f.metric == first or f.entry.evidence.on_rows)
        ]
        kinds = ("models", "recipes", "algorithms")
        return {k: self._most_trusted([f for f in kept if f.entry.about == k]) for k in kinds}

    def by_metric(self, metric: str, dataset: str, about: str = "") -> Family | None:
        """Return the most trustworthy family of pairs by a metric, of those that say the most."""
        found = [
            f
            for f in self.families
            if f.settles
            and (f.metric, f.dataset) == (metric, dataset)
            and about in ("", f.entry.about)
        ]
        widest = [[f for f in found if f.entry.about == k] for k in ("algorithms", "recipes")]
        return self._most_trusted(next(filter(None, widest), found))

    def _most_trusted(self, found: Sequence[Family]) -> Family | None:
        def doubt(f: Family) -> tuple[bool, bool, bool, int]:
            costly = f.entry.evidence.on_rows and f.entry.reads != "correctness"
            other = f.metric != self.metric.name
            return other, costly, not f.entry.paired, TRUST.index(self.type1(f.entry))

        return min(found, key=doubt, default=None)

    def omnibus(self, family: Family) -> Comparison | None:
        """Return the test of all models at once on the same evidence as a family."""
        found = [
            f
            for f in self.families
            if f.role == "omnibus"
            and (f.evidence, f.entry.about) == (family.evidence, family.entry.about)
        ]

        def doubt(f: Family) -> tuple[bool, bool, int]:
            follows = f.entry.posthoc == family.entry.name
            return not f.entry.paired, not follows, TRUST.index(self.type1(f.entry))

        return min(found, key=doubt).rows[0] if found else None

    @cached_property
    def scored(self) -> pd.DataFrame:
        """The scores, those of halves and of all rows apart: training sizes are no means."""
        halves = self.experiment.resampling.halves
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

    def values(self, metric: str, plan: str) -> dict[str, pd.DataFrame]:
        """Return per data set the scores of a plan: one row per fold, one column per model."""
        return self._values.get((plan, metric), {})

    @cached_property
    def _values(self) -> dict[tuple[str, str], dict[str, pd.DataFrame]]:
        found: dict[tuple[str, str], dict[str, pd.DataFrame]] = {}
        for (plan, metric), part in self.scored.groupby(["plan", "metric"], sort=False):
            wide = part.pivot(index=["dataset", "repeat", "fold"], columns="model", values="value")
            wide = wide.reindex(columns=list(self.models))
            tables = {
                str(dataset): rows.droplevel("dataset")
                for dataset, rows in wide.groupby(level="dataset", sort=False)
            }
            found[str(plan), str(metric)] = {d: tables[d] for d in self.datasets if d in tables}
        return found

    @cached_property
    def held_out(self) -> dict[tuple[str, ...], ConfidenceInterval]:
        """The intervals on held-out rows by data set, metric and model, where there is one."""
        known = self.intervals.to_dict("records")
        return {
            (line["dataset"], line["metric"], line["model"]): ConfidenceInterval(
                line["ci_low"], line["ci_high"], line["confidence"], ""
            )
            for line in known
            if not math.isnan(line["ci_low"])
        }

    @cached_property
    def excluded(self) -> dict[str, str]:
        """The models without a complete set of scores on the first metric, and why."""
        own = self.scores[
            (self.scores["metric"] == self.metric.name) & (self.scores["plan"] == self.plan)
        ]
        found = {}
        for model in self.models:
            rows = own[own["model"] == model]
            missing = rows[rows["value"].isna()]
            if rows.empty:
                found[model] = "it has no scores"
            elif len(missing):
                reasons = dict.fromkeys(str(r) for r in missing["undefined"] if r)
                what = "data sets" if self.several and rows["dataset"].is_unique else "folds"
                where = f" on {len(missing)} of {len(rows)} {what}" if len(rows) > 1 else ""
                why = "; ".join(reasons) or "no reason given"
                found[model] = f"{self.metric.title} is undefined{where} ({why})"
        return found


@lru_cache(maxsize=1024)  # asked for every family of a large study; looks at each estimator
def _cautions(study: Study, name: str, metric: str | None) -> Cautions:
    failed = () if study.failed.empty else tuple(study.failed["model"])
    planned = {test.name: test for test in study.analysis.with_posthoc}
    return cautions(planned.get(name, PlannedTest(name=name)), study.experiment, failed, metric)


@lru_cache(maxsize=1024)
def _written(study: Study, metric: str, dataset: str) -> Written:
    """Find out how values of a metric are written on a data set, or over all if it is empty."""
    declared = study.experiment.datasets[dataset].unit if dataset else None
    measure = in_unit(study.metrics[metric], declared)
    spread = spread_of(study.scores, metric, dataset)
    errors = study.standard_errors.get((metric, dataset), [])
    if not any(errors) and len(own := study.intervals):
        own = own[(own["metric"] == metric) & (own["dataset"] == dataset)]
        errors = list(own["se"])
    if not any(error > 0 for error in errors):
        errors = list(spread["std"] / np.sqrt(spread["size"]))
    digits = decimals(errors, spread["mean"])
    digits = digits if varies(measure) else max(DECIMALS, digits - 1)
    return Written(measure.title, unit_of(measure), digits, measure.unit == POINTS)
