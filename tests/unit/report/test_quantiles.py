"""The Q-Q plot of differences over folds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

from bakeoff.report.exhibits import draw, exhibits
from bakeoff.report.exhibits.differences import normal_quantiles, standardised, straightness
from bakeoff.report.pairs_shown import families_of, rows_of
from tests.unit.report.studies import experiment, ran

MEANS = {"a": 0.95, "b": 0.94, "c": 0.90}


def test_quantiles_are_those_of_scipy():
    points = np.sort(np.random.default_rng(1).normal(size=10))
    ours, (theirs, _) = normal_quantiles(10), stats.probplot(points, fit=False)
    assert ours == pytest.approx(theirs, abs=0.06)  # Filliben's medians instead of Blom's means
    assert ours == pytest.approx(-ours[::-1])
    assert straightness(ours) == pytest.approx(1)
    assert straightness(np.array([0.0] * 9 + [1.0])) < 0.8


def test_points_are_the_differences_over_folds():
    study = ran(experiment(list(MEANS), tests=("cv5x2_f",)), MEANS)
    (item,) = (i for i in exhibits(study) if i.kind == "quantiles")
    families = families_of(study, "cv5x2_f")
    row = rows_of(study, families)[0]
    own = study.scores.query("metric == 'accuracy' and plan == 'cv_5x2'")
    wide = own.pivot_table(index=["repeat", "fold"], columns="model", values="value")
    d = np.sort((wide["a"] - wide["b"]).to_numpy())
    assert standardised(study, row) == pytest.approx((d - d.mean()) / d.std(ddof=1))
    drawing = draw(item, study)
    assert "10 differences over folds" in drawing.alt


def test_differences_that_do_not_vary_are_said_so():
    study = ran(experiment(["a", "b"], tests=("cv5x2_f",)), {"a": 0.9, "b": 0.9})
    scores = study.scores.assign(value=0.9)
    still = dataclasses.replace(study, scores=scores)
    (item,) = (i for i in exhibits(study) if i.kind == "quantiles")
    assert "do not vary" in draw(item, still).alt


@pytest.mark.parametrize(("test", "there"), [("mcnemar", False), ("cv5x2_f", True)])
def test_only_tests_on_folds_have_one(test, there):
    study = ran(experiment(["a", "b"], tests=(test,)), {"a": 0.95, "b": 0.9}, accuracies=MEANS)
    kinds = {item.kind for item in exhibits(study)}
    assert ("quantiles" in kinds) == there
