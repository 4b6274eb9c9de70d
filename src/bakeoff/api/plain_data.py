"""A study as plain data, for JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from bakeoff.report.baseline import baselines
from bakeoff.report.study import Study
from bakeoff.report.verdict import Verdict
from bakeoff.stats import plain


def names_of(study: Study) -> dict[str, str]:
    """Map the ids of the models of a study without an experiment to their names."""
    models = study.experiment.models.items()
    return {"": "", **{name: model.label or name for name, model in models}}


def as_plain(study: Study, verdict: Verdict, names: Mapping[str, str]) -> dict[str, Any]:
    """Return verdict, mean scores and comparisons, models by their names."""
    means = study.scores.groupby(["model", "metric"])["value"].mean().to_dict()
    subgroups = [
        {str(key): plain(value) for key, value in line.items()}
        | {"model_a": names[line["model_a"]], "model_b": names[line["model_b"]]}
        for line in study.subgroups.to_dict("records")
    ]
    averaged = [m for m in study.experiment.metrics if study.averages(m)]
    return {
        "verdict": {
            "kind": verdict.kind.value,
            "headline": verdict.headline,
            "sentences": list(verdict.sentences),
        },
        "models": [
            {"model": names[model]}
            | {m: plain(means[model, m]) for m in averaged if (model, m) in means}
            for model in study.models
        ],
        "baseline": [
            plain(dataclasses.asdict(one))
            | {
                "models": [
                    plain(line._asdict()) | {"model": names[line.model]} for line in one.models
                ]
            }
            for metric in study.experiment.metrics
            for one in baselines(study, metric)
        ],
        "comparisons": [
            {**row.to_dict(), "model_a": names[row.model_a], "model_b": names[row.model_b]}
            for row in study.comparisons
        ],
        **({} if study.subgroups.empty else {"subgroups": subgroups}),
    }
