"""A study as plain data, for JSON: verdict, mean scores, baselines, comparisons and flips."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bakeoff.report.baseline import baselines
from bakeoff.report.exhibits.flips import flips_of
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict
from bakeoff.report.verdict_data import verdict_data
from bakeoff.stats import plain

MOST_FLIPS = 1_000
"""Rows on which models differ that JSON has; their table has all."""


def names_of(study: Study) -> dict[str, str]:
    """Map the ids of models to their names: the user's, which are the ids in an experiment."""
    names = {"": ""}
    for key, model in study.analysis.models.items():
        names[key] = key
        if study.command and model.label:
            names[key] = model.label
    return names


def as_plain(study: Study, verdict: Verdict) -> dict[str, Any]:
    """Return verdict, mean scores and comparisons, models by their names."""
    names = names_of(study)
    content: dict[str, Any] = {
        "verdict": verdict_data(study, verdict),
        "models": _plain_means(study, names),
        "baseline": _plain_baselines(study, names),
        "comparisons": [_by_names(row.to_dict(), names) for row in study.comparisons],
    }
    if not study.subgroups.empty:
        lines = []
        for line in study.subgroups.to_dict("records"):
            plain_line = {str(key): plain(value) for key, value in line.items()}
            lines.append(_by_names(plain_line, names))
        content["subgroups"] = lines
    flips = flips_of(study)
    if flips is not None:
        rows = []
        for row in flips.first(MOST_FLIPS):
            rows.append({key: plain(value) for key, value in row.items()})
        content["flips"] = {"models": list(flips.models), "n": len(flips.whole), "rows": rows}
    return content


def _by_names(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a comparison with the names of its models."""
    return {**row, "model_a": names[row["model_a"]], "model_b": names[row["model_b"]]}


def _plain_means(study: Study, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the mean score of each model by each metric that has a mean."""
    means = study.scores.groupby(["model", "metric"])["value"].mean().to_dict()
    lines = []
    for model in study.models:
        line: dict[str, Any] = {"model": names[model]}
        for metric in study.analysis.metrics:
            if study.averages(metric) and (model, metric) in means:
                line[metric] = plain(means[model, metric])
        lines.append(line)
    return lines


def _plain_baselines(study: Study, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the baselines of all metrics, with how the models compare with them."""
    lines = []
    for metric in study.analysis.metrics:
        for baseline in baselines(study, metric):
            models = []
            for against in baseline.models:
                models.append({**plain(against._asdict()), "model": names[against.model]})
            lines.append({**plain(dataclasses.asdict(baseline)), "models": models})
    return lines
