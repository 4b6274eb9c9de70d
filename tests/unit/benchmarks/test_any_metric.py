"""The study of any metric on one test set."""

from __future__ import annotations

from bakeoff.stats import metric_ci
from benchmarks import any_metric


def row(**changes: int) -> dict[str, str]:
    counts = {"answered": 1000, "rejected": 50, "covered": 950, "alone": 1000}
    facts = {"metric": "f1", "null": "weak", "n": 200, "prevalence": 0.1, "replicates": 1000}
    return {k: str(v) for k, v in (facts | counts | {"alone_covered": 950} | changes).items()}


def test_no_cell_is_beyond_its_bounds_without_a_warning():
    assert any_metric.beyond(any_metric.read_rates(), warned=False) == []
    assert any_metric.beyond(any_metric.read_rates(), warned=True)


def test_what_is_not_known_to_be_warned_of_was_not():
    found = any_metric.shares(row(rejected=80, rejected_unflagged=20))
    assert (found["rejected"], found["rejected silently"]) == (0.08, 0.02)
    assert any_metric.shares(row(rejected=80))["rejected silently"] == 0.08


def test_cells_near_a_bound_are_known():
    assert not any_metric.near_a_bound(row())
    assert any_metric.near_a_bound(row(rejected=58))
    assert any_metric.near_a_bound(row(alone_covered=933))


def test_cells_drawn_again_are_others_and_the_same_each_time():
    cell = ("brier", "weak", 50, 0.5, 40)
    assert any_metric.rates(*cell) == any_metric.rates(*cell)
    assert any_metric.rates(*cell, any_metric.AGAIN) != any_metric.rates(*cell)


def test_flags_are_failing_assumptions():
    found = metric_ci([0, 1] * 30, [0.4, 0.6] * 30, metric="brier")
    assert not any_metric.flagged(found)
    few = metric_ci([0] * 50 + [1] * 10, [0.4] * 40 + [0.6] * 20, metric="log_loss")
    assert any_metric.flagged(few)
