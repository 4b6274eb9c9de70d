"""On how many data sets one model is better, and on which."""

import csv
import io

import pytest
from studies import experiment, pair, study

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.exhibits.pairs import better_on
from bakeoff.report.page import Page
from bakeoff.report.tables import to_csv

DATASETS = ("iris", "wine", "car", "zoo")


def rows(pvalues, estimates=(0.1,) * 4, **more):
    found = zip(DATASETS, pvalues, estimates, strict=True)
    return [pair("a", "b", p, e, dataset=d, **more) for d, p, e in found]


def made(pvalues, estimates=(0.1,) * 4):
    spec = experiment(("a", "b"), datasets=DATASETS)
    found = rows(pvalues, estimates)
    one = study(spec, found, {"a": 0.9, "b": 0.8})
    names = {e.name: e for e in exhibits(one)}
    table = build(names["replicability.cv5x2_f"], one)
    return next(csv.DictReader(io.StringIO(to_csv(table)))), table, one


def test_data_sets_are_counted_and_named_by_holm():
    line, table, _ = made([0.001, 0.2, 0.01, 0.002])
    assert (line["a_better"], line["a_better_on"]) == ("3", "iris, car and zoo")
    assert (line["b_better"], line["b_better_on"]) == ("0", "")
    assert "Of 4 data sets" in table.note
    assert "at most 5%, half of it for either direction" in table.note


def test_other_side_is_counted_for_itself():
    line, *_ = made([0.001, 0.002, 0.5, 0.001], (0.1, -0.1, 0.1, -0.1))
    assert (line["a_better_on"], line["b_better_on"]) == ("iris", "wine and zoo")


@pytest.mark.parametrize(("p", "count"), [(0.0124, 4), (0.0126, 0)])
def test_level_is_split_between_sides_and_among_data_sets(p, count):
    """The smallest of four p-values, halved, is compared with an eighth of the level."""
    assert better_on(rows([p, 0.0166, 0.0249, 0.0499])).count == count


def test_one_sided_test_spends_its_whole_level_on_its_side():
    asked = rows([0.012, 0.016, 0.024, 0.049], alternative="greater")
    assert better_on(asked).count == 4
    assert better_on(rows([0.001] * 4, alternative="less")).count == 0


def test_data_set_on_which_the_test_cannot_tell_counts_against():
    assert better_on(rows([0.001, 0.001, 0.001, float("nan")])).names == DATASETS[:3]


def test_one_data_set_that_has_a_result_is_counted_by_itself():
    assert better_on(rows([0.02, 1, 1, 1], alternative="greater")[:1]).count == 1
    assert better_on(rows([0.06, 1, 1, 1])[:1]).count == 0


def test_its_source_is_cited():
    *_, one = made([0.001, 0.2, 0.01, 0.002])
    assert "@article{dror2017" in Page(one).bibtex
