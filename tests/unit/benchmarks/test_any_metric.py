"""The study of any metric on one test set."""

from bakeoff.stats import metric_ci, proportion_ci
from benchmarks import any_metric
from benchmarks.harness import fill, flagged, read


def row(**changes):
    counts = {"answered": 1000, "rejected": 50, "covered": 950, "alone": 1000}
    facts = {"metric": "f1", "null": "weak", "n": 200, "prevalence": 0.1, "replicates": 1000}
    return {k: str(v) for k, v in (facts | counts | {"alone_covered": 950} | changes).items()}


def test_no_cell_is_beyond_its_bounds_without_a_warning():
    rows = read(any_metric.RATES)
    assert any_metric.beyond(rows, warned=False) == []
    assert any_metric.beyond(rows, warned=True)


def test_what_is_not_known_to_be_warned_of_was_not():
    found = any_metric.shares(row(rejected=80, rejected_unflagged=20))
    assert (found["rejected"], found["rejected silently"]) == (0.08, 0.02)
    assert any_metric.shares(row(rejected=80))["rejected silently"] == 0.08


def test_cells_near_a_bound_are_known():
    assert any_metric.within_bounds(row()) > any_metric.NEAR
    assert any_metric.within_bounds(row(rejected=58)) < any_metric.NEAR
    assert any_metric.within_bounds(row(alone_covered=933)) < any_metric.NEAR


def test_cells_drawn_again_are_others_and_the_same_each_time():
    cell = ("brier", "weak", 50, 0.5, 40)
    assert any_metric.rates(*cell) == any_metric.rates(*cell)
    assert any_metric.rates(*cell, any_metric.AGAIN) != any_metric.rates(*cell)


def test_flags_are_failing_assumptions():
    found = metric_ci([0, 1] * 30, [0.4, 0.6] * 30, metric="brier")
    assert not flagged(found)
    few = metric_ci([0] * 50 + [1] * 10, [0.4] * 40 + [0.6] * 20, metric="log_loss")
    assert flagged(few)


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
        fill(file, (({"n": n}, lambda n=n: {"rejected": 10 * n}) for n in cells))
    fill(file, [({"n": 2}, lambda: {"rejected": 0})])
    assert read(file) == [{"n": "1", "rejected": "10"}, {"n": "2", "rejected": "20"}]
