"""Scores inside halves and of all rows are about other training sizes: never one mean."""

import csv
import dataclasses
import io

import pytest
from studies import experiment, study

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.tables import to_csv
from bakeoff.spec import load_experiment


def made(variant):
    """Make scores of which those of all rows, the last two repeats of eight, are .1 higher."""
    config = experiment(("a", "b")).resolved()
    config["resampling"] = {"halves": {"repeats": 3, "folds": 3, "full_repeats": 2}}
    options = {"half_sample_t": {"variant": variant}}
    config["tests"] |= {"run": ["half_sample_t"], "options": options}
    one = study(load_experiment(config), (), {"a": 0.7, "b": 0.8})
    scores = one.scores.assign(value=lambda t: t["value"].round(1) + 0.1 * (t["repeat"] > 6))
    return dataclasses.replace(one, scores=scores)


@pytest.mark.parametrize(
    ("variant", "mean", "beside", "folds", "label"),
    [
        ("halves", 0.8, 0.9, 18, "cross-validation inside random halves"),
        ("full", 0.9, 0.8, 6, "cross-validation of all rows"),
    ],
)
def test_models_are_ranked_by_the_part_that_is_tested(variant, mean, beside, folds, label):
    one = made(variant)
    items = {item.name: item for item in exhibits(one)}
    ranked, other = (build(items[name], one) for name in ("models", "metrics"))
    first, second = (next(csv.DictReader(io.StringIO(to_csv(table)))) for table in (ranked, other))
    assert first["model"] == second["model"] == "b"
    assert float(first["mean"]) == pytest.approx(mean)
    assert float(second["beside"]) == pytest.approx(beside)
    assert int(second["n"]) == folds
    assert label in ranked.note
    title = {c.key: c.title for c in other.columns}["beside"]
    assert label.lower() != title.lower()
