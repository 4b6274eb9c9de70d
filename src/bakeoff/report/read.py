"""Read the results of one experiment: the only place of the report that opens files."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.collected import read_predictions, read_scores
from bakeoff.comparisons.plan_tests import unknown_test
from bakeoff.comparisons.run_tests import Comparison
from bakeoff.errors import UserError
from bakeoff.files import read_csv, read_json
from bakeoff.fit.fit_task import BASE_PACKAGES, distributions_of, versions
from bakeoff.fit.predictions import read_facts
from bakeoff.report.study import Study
from bakeoff.scores.own_metrics import enter_own
from bakeoff.spec import AnalysisPlan, Experiment, PlannedTest
from bakeoff.stats import catalogue

_TEXTS = (
    *("dataset", "model", "plan", "metric", "parameter", "value", "why", "status", "note"),
    *("column", "role", "subgroup", "model_a", "model_b", "correction", "decision"),
    *("feature", "scoring"),
)


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
    names = {row.test for row in rows} | planned.by_name.keys()
    for name in sorted(names - catalogue().keys()):
        raise UserError(
            "another version of bakeoff made these results, with a test that this one does not "
            f"have: {unknown_test(name)}; run the experiment again"
        )
    extras: dict[str, Any] = {name: read_table(path) for name, path in tables.items()}
    models, by_values = list(experiment.models), experiment.by_values
    of_rows = {
        name: read_predictions(path, models, experiment.metrics, by_values=by_values)
        for name, path in holdouts.items()
    }
    analysis = analysis_of(experiment)
    return Study(
        analysis,
        rows,
        read_scores(scores),
        {card["dataset"]: card for card in map(read_json, cards)},
        {} if by_values else of_rows,
        environment(analysis),
        file,
        failed=extras.pop("excluded", pd.DataFrame()),
        planned=planned,
        divisions=[read_json(path) for path in divisions],
        missing=read_json(missing) if missing else {},
        notes={name: read_facts(path)["notes"] for name, path in holdouts.items()},
        numbers=of_rows if by_values else {},
        experiment=experiment,
        **extras,
    )


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a table of results, in which a model may be called ``nan`` or ``1``."""
    columns = read_csv(path, nrows=0).columns
    numbers = [name for name in columns if name not in _TEXTS]
    return read_csv(
        path,
        dtype=dict.fromkeys((name for name in columns if name in _TEXTS), str),
        keep_default_na=False,
        na_values={name: [""] for name in numbers},
    )


def environment(analysis: Analysis) -> dict[str, str]:
    """Return the versions that computed the results, and the machine that made the report."""
    paths = sorted({path for model in analysis.fitted.values() for path in model.imports})
    libraries = distributions_of(*paths)
    packages = dict.fromkeys(("bakeoff", *BASE_PACKAGES, *libraries, "snakemake", "matplotlib"))
    return {
        **versions(tuple(packages)),
        "platform": platform.platform(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }
