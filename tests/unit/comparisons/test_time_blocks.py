"""Rows in the order of time for tests that know groups alone."""

import dataclasses

import numpy as np
import pytest

from bakeoff.comparisons import Context, run_test
from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.row_tables import alone
from bakeoff.comparisons.run_tests import measured
from bakeoff.comparisons.settings import planned
from bakeoff.report.ranking import contenders
from bakeoff.spec import Costs, HypothesisTests
from bakeoff.stats import Arity, catalogue
from tests.unit.report.studies import labelled

N = 800
FADES = "dependence that fades within a block"
COSTS = Costs.model_validate({"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]})
IN_BLOCKS = [
    entry
    for entry in catalogue().values()
    if entry.evidence.on_rows and "groups" in entry.options and entry.about != "recipes"
]


def rows(**related):
    found = labelled(["a", "b"], list("xyxyxyxy"), [list("xxxxyyyy")] * 2)
    return dataclasses.replace(found, **related)


def test_times_are_cut_into_eight_long_blocks_where_they_are_more():
    many = labelled(["a"], ["x", "y"] * 20, [["x", "y"] * 20])
    blocks = dataclasses.replace(many, times=np.arange(40)[::-1]).blocks
    assert np.unique(blocks, return_counts=True)[1].tolist() == [5] * 8
    assert (np.diff(blocks) <= 0).all()  # neighbours in time stay together
    few = np.array([1, 1, 2, 2, 3, 3, 4, 4])
    assert rows(times=few).blocks is few
    assert rows().blocks is None
    assert rows(times=np.arange(8) * 10).blocks.tolist() == list(range(8))


def test_tests_for_groups_get_the_groups_before_the_blocks():
    groups, times = np.repeat([0, 1], 4), np.arange(8)
    entry = catalogue()["mcnemar"]
    assert rows(groups=groups, times=times).managed(entry)["groups"] is groups
    assert rows(times=times).managed(catalogue()["delong"])["groups"].tolist() == list(range(8))
    for name in ("mcnemar", "diebold_mariano"):
        assert rows(times=times).managed(catalogue()[name])["time"] is times


def in_time(entry, lasting, **related):
    """Draw rows of three models, of which the first has long good and bad spells, or none."""
    rng = np.random.default_rng(4)
    spells = np.sin(np.arange(N) / 40) if lasting else rng.choice([-1, 1], N)
    related = related or {"times": np.arange(N)}
    models, truth = ("a", "b", "c"), rng.integers(0, 2, N).astype(np.int8)
    lean = np.column_stack([spells, -spells, np.zeros(N)])
    values = 1.5 * lean + rng.normal(size=(N, 3))
    if entry.reads == "values":
        return PairedPredictions.from_values(models, values, **related)
    scores = np.where(truth[:, None] == 1, 1.0, -1.0) * (0.5 + values)
    said = (scores > 0).astype(np.int8)
    classes, metric = ("no", "yes"), "balanced_accuracy"
    return PairedPredictions(models, classes, truth, said, scores, metric=metric, **related)


def fading(entry, rows):
    """Return what each comparison says of blocks of time, and the warnings measured on the data."""
    options = {"margin": 0.05} if "margin" in entry.options else {}
    test = planned(entry, HypothesisTests.model_validate(options)).on("holdout", ("accuracy",))
    found = run_test(test, rows, Context("d", "balanced_accuracy", True, costs=COSTS))
    return {
        (row.model_a, row.model_b): (
            next((a["holds"] for a in row.result["assumptions"] if a["name"] == FADES), None),
            measured(row),
        )
        for row in found
        if row.test == entry.name
    }


@pytest.mark.parametrize("entry", IN_BLOCKS, ids=lambda entry: entry.name)
def test_every_test_on_blocks_of_time_says_whether_dependence_fades_in_them(entry):
    lasting = fading(entry, in_time(entry, lasting=True))
    concerned = [members for members in lasting if "a" in members or entry.arity is Arity.OMNIBUS]
    assert concerned
    for members in concerned:
        holds, warnings = lasting[members]
        assert holds is False
        assert any("times that of independent blocks" in text for text in warnings)
    for holds, warnings in fading(entry, in_time(entry, lasting=False)).values():
        assert holds is True
        assert not any("independent blocks" in text for text in warnings)
    grouped = fading(entry, in_time(entry, lasting=True, groups=np.arange(N) // 20))
    assert {holds for holds, _ in grouped.values()} == {None}


def test_intervals_and_the_best_models_say_so_too():
    for name in ("metric_difference", "mean_difference"):
        rows = in_time(catalogue()[name], lasting=True)
        best = contenders(rows, None, 0.05, 1)
        for found in (alone(rows, 0, None, 0.95), best):
            assert [a.holds for a in found.assumptions if a.name == FADES] == [False]


def test_few_times_and_identical_models_are_no_reason_to_warn():
    entry = catalogue()["metric_difference"]
    few = dataclasses.replace(in_time(entry, lasting=False), times=np.arange(N) // 4)
    assert {holds for holds, _ in fading(entry, few).values()} == {None}
    rows = in_time(entry, lasting=True)
    assert isinstance(rows, PairedPredictions)
    same = dataclasses.replace(rows, predicted=rows.predicted[:, [0, 0, 0]])
    assert {holds for holds, _ in fading(entry, same).values()} == {True}
