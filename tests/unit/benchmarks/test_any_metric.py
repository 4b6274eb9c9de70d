"""The study of any metric on one test set."""

from benchmarks import any_metric
from benchmarks.harness import fill, read

MOST_REJECTED, LEAST_COVERED = 0.06, 0.93
"""What a cell may have at most and at least where no assumption is said to fail."""


def test_no_cell_is_beyond_its_bounds_without_a_warning():
    for row in any_metric.counted(read(any_metric.RATES)):
        found = any_metric.shares(row)
        assert round(found["rejected silently"], 3) <= MOST_REJECTED, row
        for key in ("covered but for silent misses", "alone but for silent misses"):
            assert round(found[key], 3) >= LEAST_COVERED, row


def test_a_cell_is_the_same_each_time():
    cell = ("brier", "weak", 50, 0.5, 40)
    assert any_metric.rates(*cell) == any_metric.rates(*cell)


def test_only_cells_that_are_not_there_are_simulated(tmp_path):
    file = tmp_path / "rates.csv"
    for cells in ([1], [1, 2]):
        made = (({"n": n}, lambda n=n: {"rejected": 10 * n}) for n in cells)
        assert list(fill(file, made)) == [{"n": cells[-1]}]
    assert list(fill(file, [({"n": 2}, lambda: {"rejected": 0})])) == []
    assert read(file) == [{"n": "1", "rejected": "10"}, {"n": "2", "rejected": "20"}]
