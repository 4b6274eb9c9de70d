"""The study of any metric on one test set."""

from bakeoff.stats import proportion_ci
from benchmarks import any_metric
from benchmarks.harness import fill, read


def test_no_cell_is_beyond_its_bounds_without_a_warning():
    rows = read(any_metric.RATES)
    assert any_metric.beyond(rows, warned=False) == []
    assert any_metric.beyond(rows, warned=True)


def test_cells_drawn_again_are_others_and_the_same_each_time():
    cell = ("brier", "weak", 50, 0.5, 40)
    assert any_metric.rates(*cell) == any_metric.rates(*cell)
    assert any_metric.rates(*cell, any_metric.AGAIN) != any_metric.rates(*cell)


def test_interaction_that_is_not_there_is_found_no_more_often_than_the_level_says():
    for row in read(any_metric.SUBGROUPS):
        low, _ = proportion_ci(int(row["rejected"]), int(row["answered"]), confidence_level=0.99)
        assert low <= 0.06, row


def test_cell_of_subgroups_is_the_same_each_time():
    cell = ("mean", 200, "two of one size", "in 40 groups")
    found = any_metric.subgroups(cell, 20)
    assert found == any_metric.subgroups(cell, 20)
    assert found["answered"] == 20


def test_only_cells_that_are_not_there_are_simulated(tmp_path):
    file = tmp_path / "rates.csv"
    for cells in ([1], [1, 2]):
        made = (({"n": n}, lambda n=n: {"rejected": 10 * n}) for n in cells)
        assert list(fill(file, made)) == [{"n": cells[-1]}]
    assert list(fill(file, [({"n": 2}, lambda: {"rejected": 0})])) == []
    assert read(file) == [{"n": "1", "rejected": "10"}, {"n": "2", "rejected": "20"}]
