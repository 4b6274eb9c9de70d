"""Read the results of one experiment: the only place of the report that opens files."""

from __future__ import annotations

import dataclasses
import os
import platform
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.collected import read_predictions, read_scores
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.run_tests import Comparison
from bakeoff.comparisons.suites import with_means_over_tasks
from bakeoff.data.records import items_of
from bakeoff.errors import UserError
from bakeoff.files import read_csv, read_json
from bakeoff.fit.fit_task import BASE_PACKAGES, distributions_of, versions
from bakeoff.fit.predictions import read_facts
from bakeoff.report.study import Study
from bakeoff.scores.own_metrics import enter_own
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.spec.metrics import Passing
from bakeoff.stats import catalogue

_TEXTS = (
    "dataset", "model", "plan", "metric", "parameter", "value", "why", "status", "note", "column",
    "role", "subgroup", "model_a", "model_b", "correction", "decision", "feature", "scoring",
)  # fmt: skip
"""Columns of tables of results that hold no numbers."""


def read_study(
    experiment: Experiment,
    comparisons: str | Path,
    scores: str | Path,
    cards: Sequence[str | Path],
    holdouts: Mapping[str, str | Path],
    tests: str | Path,
    divisions: Sequence[str | Path],
    tables: Mapping[str, str | Path],
    missing: str | Path | None = None,
    file: str = "",
) -> Study:
    """Read the results of one experiment."""
    enter_own(experiment.own_metrics)
    rows = tuple(map(Comparison.from_dict, read_json(comparisons)))
    planned = AnalysisPlan(map(PlannedTest.from_dict, read_json(tests)))
    _refuse_unknown_tests({row.test for row in rows} | planned.by_name.keys())
    analysis = analysis_of(experiment)
    by_values = experiment.by_values
    test_sets = {}
    for name, path in holdouts.items():
        models = list(experiment.models)
        test_set = read_predictions(path, models, experiment.metrics, by_values=by_values)
        if test_set.ids is not None and _has_runs_of_items(experiment):
            test_set = dataclasses.replace(test_set, items=items_of(test_set.ids))
        test_sets[name] = test_set
    cards_by_dataset = {}
    for path in cards:
        card = read_json(path)
        cards_by_dataset[card["dataset"]] = card
    read = {}
    for name, path in tables.items():
        read[name] = read_table(path)
    notes = {}
    for name, path in holdouts.items():
        notes[name] = read_facts(path)["notes"]
    nothing = pd.DataFrame()
    return Study(
        analysis=analysis,
        experiment=experiment,
        comparisons=rows,
        scores=with_means_over_tasks(read_scores(scores), test_sets, analysis),
        cards=cards_by_dataset,
        test_sets={} if by_values else test_sets,
        numbers=test_sets if by_values else {},
        environment=environment(analysis),
        file=file,
        planned=planned,
        failed=read.get("excluded", nothing),
        choices=read.get("choices", nothing),
        importance=read.get("importance", nothing),
        intervals=read.get("intervals", nothing),
        fold_intervals=read.get("fold_intervals", nothing),
        subgroups=read.get("subgroups", nothing),
        divisions=list(map(read_json, divisions)),
        missing=read_json(missing) if missing else {},
        notes=notes,
    )


def _has_runs_of_items(experiment: Experiment) -> bool:
    """Tell whether rows are runs of items, all of which are compared."""
    if isinstance(experiment.measured[0], Passing):
        return False
    return any(model.columns.runs for model in experiment.given.values())


def _refuse_unknown_tests(names: Collection[str]) -> None:
    """Refuse results of tests that this version does not have."""
    for name in sorted(names):
        if name not in catalogue():
            raise UserError(
                "another version of bakeoff made these results, with a test that this one does "
                f"not have: {unknown_test(name)}; run the experiment again"
            )


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table of results, in which a model may be called ``nan`` or ``1``."""
    texts = {}
    missing = {}
    # an empty cell is missing among numbers, and an empty text among texts
    for name in read_csv(path, nrows=0).columns:
        if name in _TEXTS:
            texts[name] = str
        else:
            missing[name] = [""]
    return read_csv(path, dtype=texts, keep_default_na=False, na_values=missing)


def environment(analysis: Analysis) -> dict[str, str]:
    """Return the versions that computed the results, and the machine that made the report."""
    paths = set[str]()
    for model in analysis.fitted.values():
        paths.update(model.imports)
    libraries = distributions_of(*sorted(paths))
    packages = dict.fromkeys(("bakeoff", *BASE_PACKAGES, *libraries, "snakemake", "matplotlib"))
    return {
        **versions(tuple(packages)),
        "platform": platform.platform(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
