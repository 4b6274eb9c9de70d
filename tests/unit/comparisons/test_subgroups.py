"""The comparison of models in subgroups of held-out rows."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.evidence import PairedPredictions
from bakeoff.comparisons.row_tables import SUBGROUPS, subgroups_of
from bakeoff.stats import metric_difference, metric_interaction
from tests.unit.comparisons.conftest import experiment

N = 600


def lines_of(data, **tests):
    models = {m: {"estimator": "sklearn.naive_bayes.GaussianNB"} for m in "abc"}
    return subgroups_of("d0", data, experiment(models, tests=tests))


def rows(metric="f1", effect=1.0, models=("a", "b")):
    """Return models of which the first is better in subgroup f alone."""
    rng = np.random.default_rng(0)
    truth, sex = rng.integers(0, 2, N), rng.choice(["f", "m"], N)
    right = np.stack([rng.random(N) < 0.7 for _ in models], axis=1)
    right[:, 0] |= (sex == "f") & (rng.random(N) < effect)
    predicted = np.where(right, truth[:, None], 1 - truth[:, None])
    site = pd.Categorical(rng.choice(["n", "s", "w"], N), ["w", "n", "s", "(missing)"])
    return PairedPredictions(
        models,
        ("no", "yes"),
        truth,
        predicted,
        metric=metric,
        subgroups={"sex": pd.Categorical(sex), "site": site},
    )


def test_lines_are_the_interaction_and_the_difference_in_each_subgroup():
    data = rows()
    lines = lines_of(data)
    assert [(x["column"], x["role"], x["subgroup"]) for x in lines] == [
        ("sex", "interaction", ""), ("sex", "subgroup", "f"), ("sex", "subgroup", "m"),
        ("site", "interaction", ""), ("site", "subgroup", "w"), ("site", "subgroup", "n"),
        ("site", "subgroup", "s"),
    ]  # fmt: skip
    assert set().union(*lines) <= set(SUBGROUPS)
    sex = np.asarray(data.subgroups["sex"])
    whole = metric_interaction(data.truth, *data.predicted.T, sex, metric="f1")
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)
    at = sex == "m"
    alone = metric_difference(data.truth[at], *data.predicted[at].T, metric="f1")
    assert lines[2]["estimate"] == pytest.approx(alone.estimate)
    assert lines[2]["pvalue"] == pytest.approx(alone.pvalue)


def test_pvalues_are_adjusted_over_columns_and_over_subgroups():
    lines = lines_of(rows(models=("a", "b", "c")))
    sizes = {(x["column"], x["role"]): x["family_size"] for x in lines}
    assert sizes == {
        ("sex", "interaction"): 6, ("site", "interaction"): 6,
        ("sex", "subgroup"): 6, ("site", "subgroup"): 9,
    }  # fmt: skip
    assert all(x["pvalue_adjusted"] >= x["pvalue"] for x in lines)
    first = lines[0]
    assert (first["decision"], lines[1]["decision"]) == ("different", "a_better")
    assert first["pvalue_adjusted"] == pytest.approx(6 * first["pvalue"])
    of_b = lines_of(rows(models=("a", "b", "c")), versus="b")
    assert {(x["model_a"], x["model_b"]) for x in of_b} == {("b", "a"), ("b", "c")}


def test_subgroup_with_too_few_rows_has_a_status_and_no_pvalue():
    data = rows()
    small = np.where(np.arange(N) < 4, "rare", np.asarray(data.subgroups["sex"]))
    lines = lines_of(dataclasses.replace(data, subgroups={"sex": pd.Categorical(small)}))
    rare = next(x for x in lines if x["subgroup"] == "rare")
    assert (rare["n"], rare["decision"]) == (4, "undecided")
    assert rare["status"] in ("too_few", "undefined")
    assert np.isnan(rare["pvalue"])
    assert lines[0]["status"] == "ok"


def test_groups_of_rows_come_along():
    data = rows()
    grouped = dataclasses.replace(data, groups=np.arange(N) // 30)
    lines = lines_of(grouped)
    codes = data.subgroups["sex"].codes
    whole = metric_interaction(
        data.truth, *data.predicted.T, codes, metric="f1", groups=grouped.groups
    )
    assert whole.method == "hothorn2008"
    assert lines[0]["pvalue"] == pytest.approx(whole.pvalue)


def test_model_without_probabilities_has_a_reason():
    silent = dataclasses.replace(rows("log_loss"), probabilities=np.full((N, 2, 2), np.nan))
    lines = lines_of(silent)
    assert {x["status"] for x in lines} == {"undefined_metric"}
    assert {x["decision"] for x in lines} == {"undecided"}
