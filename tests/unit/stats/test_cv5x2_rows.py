"""The z test of the rows of 5×2cv: what training rows add, and how often it rejects true nulls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import stats
from bakeoff.stats import Status
from benchmarks.crossval import learners, plans
from benchmarks.crossval.data import Logit, Population, Sample, draw
from benchmarks.crossval.metrics import right

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows_of(sample: Sample, learner: learners.Learner, rng: np.random.Generator) -> Rows:
    """Return the folds (5, n) and what a learner has right of either view of the features."""
    splits = plans.five_by_two(sample, rng)
    where = sample.y, splits.train, splits.test, rng
    tested = [right(learner(view, *where), sample.y) & splits.test for view in sample.views]
    a, b = (rows[::2] | rows[1::2] for rows in tested)
    return 2 - splits.test[::2].astype(int), a, b


RARE = Logit(300, -4.06)
MOVING: dict[str, tuple[Population | Logit, learners.Learner]] = {
    "balanced weights": (RARE, learners.balanced(learners.logistic)),
    "nearest centroid": (RARE, learners.nearest_centroid),
    "tuned threshold": (RARE, learners.tuned(learners.naive_bayes)),
    "costs": (Logit(300), learners.costed(learners.logistic, 3)),
    "three classes": (
        Population(300, classes=3, minority=0.05, signal=0.35),
        learners.nearest_centroid,
    ),
}


@pytest.mark.parametrize("name", MOVING)
def test_predictions_that_move_with_the_training_rows_are_no_difference(name: str) -> None:
    population, learner = MOVING[name]
    rng = np.random.default_rng(5)
    found = [rows_of(draw(population, rng), learner, rng) for _ in range(100)]
    rejected = {
        test.__name__: sum(test(*rows).pvalue < 0.05 for rows in found)
        for test in (stats.cv5x2_mcnemar, stats.cv5x2_z)
    }
    assert rejected["cv5x2_mcnemar"] >= 12  # of 100 true nulls
    assert rejected["cv5x2_z"] <= 9


def moved(fold: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """Let the training rows decide of every fit whether it has the first third of rows right."""
    right_rows = np.zeros(fold.shape, dtype=bool)
    third = len(pull) // 3
    for r, half in enumerate(fold):
        for f in (1, 2):
            trained = pull[half != f].mean() > 0
            right_rows[r, :third] |= (half[:third] == f) & trained
    return right_rows


def test_one_threshold_that_turns_many_rows_at_once_is_one_piece_of_evidence() -> None:
    rng = np.random.default_rng(0)
    fold = np.array([rng.permutation(np.arange(120) % 2) + 1 for _ in range(5)])
    a = moved(fold, np.arange(120) % 7 - 2.7)  # some more rows pull up than down
    b = np.zeros_like(a)
    b[:, 34:46] = True
    counted, found = stats.cv5x2_mcnemar(fold, a, b), stats.cv5x2_z(fold, a, b)
    assert found.estimate == counted.estimate
    assert counted.pvalue < 0.05 < found.pvalue
    assert found.details["variance_training"] > found.details["variance_test"]


def rows(seed: int, n: int = 61) -> Rows:
    rng = np.random.default_rng(seed)
    fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
    return fold, rng.random((5, n)) < 0.8, rng.random((5, n)) < rng.choice([0.55, 0.7, 0.8])


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**31))
def test_interval_excludes_0_where_p_is_small_and_models_may_change_places(seed: int) -> None:
    fold, a, b = rows(seed)
    found, turned = stats.cv5x2_z(fold, a, b), stats.cv5x2_z(fold, b, a)
    assert (found.ci.low > 0 or found.ci.high < 0) == (found.pvalue < 0.05)
    assert (turned.estimate, turned.pvalue) == (-found.estimate, found.pvalue)
    order = np.random.default_rng(seed).permutation(a.shape[1])
    again = stats.cv5x2_z(fold[:, order], a[:, order], b[:, order])
    assert again.pvalue == pytest.approx(found.pvalue, rel=1e-12)
    greater, less = (
        stats.cv5x2_z(fold, a, b, alternative=side).pvalue for side in ("greater", "less")
    )
    assert greater + less == pytest.approx(1)
    parts = found.details
    both = np.sqrt(parts["variance_test"]) + np.sqrt(parts["variance_training"])
    assert parts["se"] ** 2 == pytest.approx(max(1.1 * both**2, parts["variance_rows"]))


def test_variance_of_training_rows_is_found_on_average() -> None:
    # each fit is as much ahead as the mean of its training rows says: ±2 a row
    rng = np.random.default_rng(3)
    found, n = [], 200
    for _ in range(300):
        pull = rng.choice([-2.0, 2.0], n)
        fold = np.array([rng.permutation(np.arange(n) % 2) + 1 for _ in range(5)])
        ahead = np.empty((5, n))
        for r, half in enumerate(fold):
            for f in (1, 2):
                ahead[r, half == f] = pull[half != f].mean()
        a = rng.random((5, n)) < 0.5 + ahead
        b = np.broadcast_to(np.arange(n) % 2 == 0, (5, n))
        found.append(stats.cv5x2_z(fold, a, b).details["variance_training"])
    assert np.mean(found) == pytest.approx(2**2 / n, rel=0.15)


def test_one_division_five_times_over_leaves_the_variance_unknown() -> None:
    fold, a, b = rows(4)
    alike = np.broadcast_to(fold[0], fold.shape)
    result = stats.cv5x2_z(alike, a, b)
    assert (result.status, result.ci) == (Status.TOO_FEW, None)
    assert np.isnan(result.pvalue)
    assert stats.tost_cv5x2(alike, a, b, margin=0.1).verdict == "undecided"


def test_models_that_agree_have_no_evidence_between_them() -> None:
    fold, a, _ = rows(2)
    result = stats.cv5x2_z(fold, a, a)
    assert (result.status, result.statistic, result.pvalue) == (Status.NO_DISCORDANT_PAIRS, 0, 1)
