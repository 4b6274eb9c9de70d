"""One experiment's results as typed objects: the only place of the report that reads files."""

from __future__ import annotations

import dataclasses
import math
import platform
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from bakeoff.compare import Comparison, Decision
from bakeoff.compare.evidence import TestSet, read_scores, read_test_set
from bakeoff.files import read_json
from bakeoff.fit.measure import distributions_of, versions
from bakeoff.fit.one import BASE_PACKAGES
from bakeoff.scores import METRICS
from bakeoff.scores.metrics import Metric
from bakeoff.spec import Experiment, load_experiment
from bakeoff.stats import Arity, Entry, Evidence, TypeOneError, catalogue

TRUST = (
    TypeOneError.CONTROLLED,
    TypeOneError.CONSERVATIVE,
    TypeOneError.LIBERAL,
    TypeOneError.BAYESIAN,
)


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """The comparisons of one test on one data set and metric.

    Attributes
    ----------
    entry : Entry
        The test's facts.
    dataset : str
        Id of the data set; empty for a test over all data sets.
    plan, metric : str
        Where the evidence comes from.
    follows : str
        The omnibus test whose post hoc this is; empty otherwise.
    rows : tuple of Comparison
        One per hypothesis.
    """

    entry: Entry
    dataset: str
    plan: str
    metric: str
    follows: str
    rows: tuple[Comparison, ...]

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
        return any("margin" in row.result for row in self.rows)

    @property
    def settles(self) -> bool:
        """Whether its p-values are about a difference between two models."""
        return self.role == "pair" and not self.bayesian and not self.equivalence

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
    swapped = {Decision.A_BETTER: Decision.B_BETTER, Decision.B_BETTER: Decision.A_BETTER}
    return dataclasses.replace(
        row,
        model_a=row.model_b,
        model_b=row.model_a,
        estimate=0.0 - row.estimate,
        ci_low=0.0 - row.ci_high,
        ci_high=0.0 - row.ci_low,
        decision=swapped.get(row.decision, row.decision),
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    """Everything the report is made from.

    Attributes
    ----------
    experiment : Experiment
        As resolved.
    comparisons : tuple of Comparison
        In the order of comparisons.json.
    scores, timings : DataFrame
        As collected.
    cards : Mapping of data set to card
        What the data are.
    test_sets : Mapping of data set to TestSet
        Predictions of the holdout, where there is one.
    environment : Mapping
        Versions and hardware.
    file : str
        The experiment's file, for the command that reproduces it; may be empty.
    failed : DataFrame
        The fits that failed where their models were excluded, as in excluded.csv.
    """

    experiment: Experiment
    comparisons: tuple[Comparison, ...]
    scores: pd.DataFrame
    timings: pd.DataFrame
    cards: Mapping[str, Mapping[str, Any]]
    test_sets: Mapping[str, TestSet] = dataclasses.field(default_factory=dict)
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    file: str = ""
    failed: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)

    @property
    def models(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.experiment.models)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Ids, in the experiment's order."""
        return tuple(self.experiment.datasets)

    @property
    def title(self) -> str:
        """The experiment's label, or its name."""
        return clean(self.experiment.label or self.experiment.experiment)

    @property
    def metric(self) -> Metric:
        """The metric that ranks the models: the first one."""
        return METRICS[self.experiment.metrics[0]]

    @property
    def alpha(self) -> float:
        """The level of every decision."""
        return self.experiment.tests.alpha

    def label(self, model: str) -> str:
        """Return the name of a model that people read."""
        return clean(self.experiment.models[model].label or model)

    def dataset_label(self, dataset: str) -> str:
        """Return the name of a data set that people read."""
        if not dataset:
            return f"all {len(self.datasets)} data sets"
        return clean(self.experiment.datasets[dataset].label or dataset)

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
            Family(known[key[0]], key[2], key[3], key[4], key[5], tuple(rows))
            for key, rows in groups.items()
            if not key[5] or key[:5] not in own
        )

    @cached_property
    def plan(self) -> str:
        """The plan whose scores rank the models: that of the best test on algorithms."""
        main = self.main("algorithms")
        if main is not None:
            return main.plan
        plans = self.experiment.resampling.plans()
        return next(
            (name for name, plan in plans.items() if len(plan.splits()) > 1), next(iter(plans))
        )

    def main(self, about: str) -> Family | None:
        """Return the most trustworthy family of pairs about models or algorithms.

        It is on the first metric (tests on rows: on accuracy), over all data sets where there
        are several; of several tests the best controlled one, then the first in the experiment.
        """
        wanted = "" if len(self.datasets) > 1 else self.datasets[0]
        found = [
            f
            for f in self.families
            if f.settles
            and f.entry.about == about
            and f.dataset == wanted
            and (f.metric == self.metric.name or f.entry.evidence in ON_ROWS)
        ]
        return min(found, key=lambda f: TRUST.index(f.entry.type1)) if found else None

    def omnibus(self, family: Family) -> Comparison | None:
        """Return the test of all models at once on the same evidence as a family."""
        for f in self.families:
            same = (f.dataset, f.plan, f.metric) == (family.dataset, family.plan, family.metric)
            if f.role == "omnibus" and same and f.entry.about == family.entry.about:
                return f.rows[0]
        return None

    def values(self, metric: str, plan: str) -> dict[str, pd.DataFrame]:
        """Return per data set the scores of a plan: one row per fold, one column per model."""
        return self._values.get((plan, metric), {})

    @cached_property
    def _values(self) -> dict[tuple[str, str], dict[str, pd.DataFrame]]:
        found: dict[tuple[str, str], dict[str, pd.DataFrame]] = {}
        for (plan, metric), part in self.scores.groupby(["plan", "metric"], sort=False):
            wide = part.pivot(index=["dataset", "repeat", "fold"], columns="model", values="value")
            wide = wide.reindex(columns=list(self.models))
            tables = {
                str(dataset): rows.droplevel("dataset")
                for dataset, rows in wide.groupby(level="dataset", sort=False)
            }
            found[str(plan), str(metric)] = {d: tables[d] for d in self.datasets if d in tables}
        return found

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
                reason = "; ".join(reasons) or "no reason given"
                found[model] = (
                    f"{self.metric.title} is undefined on {len(missing)} of {len(rows)} folds "
                    f"({reason})"
                )
        return found


ON_ROWS = (Evidence.CORRECTNESS, Evidence.LABELS, Evidence.PROBABILITIES)
PAIRED = (Arity.PAIR, Arity.ALL_PAIRS)


def clean(text: str) -> str:
    """Drop what no page, SVG or terminal may carry: control and direction-changing characters."""
    kept = (c for c in text if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    return " ".join("".join(kept).split()) or "(no name)"


def read_study(
    experiment: str | Path,
    comparisons: str | Path,
    scores: str | Path,
    timings: str | Path,
    cards: Sequence[str | Path],
    holdouts: Mapping[str, str | Path],
    excluded: str | Path | None = None,
    file: str = "",
) -> Study:
    """Read the results of one experiment.

    Parameters
    ----------
    experiment, comparisons, scores, timings : path
        The files of those names.
    cards : sequence of path
        One card per data set.
    holdouts : Mapping of data set to path
        The collected predictions of each data set's test rows; may be empty.
    excluded : path, optional
        The table of the fits that failed, where an experiment goes on without them.
    file : str
        The experiment's file.
    """
    loaded = load_experiment(yaml.safe_load(Path(experiment).read_text(encoding="utf-8")))
    known = [read_json(path) for path in cards]
    return Study(
        loaded,
        tuple(Comparison.from_dict(row) for row in read_json(comparisons)),
        read_scores(scores),
        pd.read_csv(timings),
        {card["dataset"]: card for card in known},
        {name: read_test_set(path, list(loaded.models)) for name, path in holdouts.items()},
        environment(loaded),
        file,
        pd.DataFrame() if excluded is None else pd.read_csv(excluded, keep_default_na=False),
    )


def environment(experiment: Experiment) -> dict[str, str]:
    """Return the versions that computed the results, and the machine."""
    paths = sorted({path for model in experiment.fitted.values() for path in model.imports})
    libraries = distributions_of(*paths)
    packages = dict.fromkeys((*BASE_PACKAGES, *libraries, "snakemake", "matplotlib"))
    return {**versions(tuple(packages)), "platform": platform.platform(), "machine": _processor()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(found, platform.machine())


def finite(values: Any) -> Any:
    """Return the finite ones of some numbers."""
    array = np.asarray(values, dtype=np.float64)
    return array[np.isfinite(array)]


def as_float(value: Any) -> float:
    """Read a number of a result's plain data; non-finite ones are strings there."""
    return math.nan if value is None else float(value)
