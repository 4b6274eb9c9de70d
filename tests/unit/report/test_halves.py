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
    item = next(e for e in exhibits(one) if e.name == "models")
    table = build(item, one)
    first = next(csv.DictReader(io.StringIO(to_csv(table))))
    assert first["model"] == "b"
    assert float(first["mean"]) == pytest.approx(mean)
    assert float(first["beside"]) == pytest.approx(beside)
    assert int(first["n"]) == folds
    assert label in table.note
    other = {c.key: c.title for c in table.columns}["beside"]
    assert label.lower() != other.lower()
