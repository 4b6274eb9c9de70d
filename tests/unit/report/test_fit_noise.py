"""What would make a difference more certain: more splits, more seeds, or only more rows."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from studies import experiment, pair, study

from bakeoff.report.exhibits import build, exhibits
from bakeoff.report.fit_noise import fit_noise
from bakeoff.report.study_design import StudyDesign
from bakeoff.report.tables import to_csv
from bakeoff.spec import load_experiment
from bakeoff.stats import prob_a_better, variance_components

PAIR = [("b", "a")]


def seeds_of(plan, model="a", seeds=4, sd=0.02):
    keys = {"dataset": "d", "model": model, "plan": plan, "metric": "accuracy"}
    return pd.DataFrame([{**keys, "folds": 10, "seeds": seeds, "sd_between_seeds": sd}])


def scores_of(table):
    """Lay out mean scores of A, B at 0, as collected: splits × folds."""
    rows = [
        ("d", model, "cv_5x2", r + 1, f + 1, "accuracy", value if model == "a" else 0.0)
        for model in "ab"
        for r, split in enumerate(table)
        for f, value in enumerate(split)
    ]
    names = ["dataset", "model", "plan", "repeat", "fold", "metric", "value"]
    return pd.DataFrame(rows, columns=names)


def test_parts_are_those_of_the_seeds_one_by_one():
    """Each seed by itself, as `variance_components` wants them, gives the same."""
    rng = np.random.default_rng(3)
    each = rng.normal(0.8, 0.02, (5, 1, 1)) + rng.normal(0, 0.05, (5, 2, 4))
    sd = float(np.sqrt(each.var(axis=2, ddof=1).mean()))
    (found,) = fit_noise(
        StudyDesign(experiment(("a", "b"))),
        scores_of(each.mean(axis=2)),
        seeds_of("cv_5x2", sd=sd),
        (),
        PAIR,
    )
    seeds_within = 2 * variance_components(each.mean(axis=1).tolist()).variances[1]
    assert found.parts.mean == pytest.approx(each.mean())
    assert found.parts.variances[1] == pytest.approx(sd**2 / 2)  # of the mean of two folds
    assert found.parts.variances[1] == pytest.approx(seeds_within / 2, rel=0.6)
    total = float(each.mean(axis=(1, 2)).var(ddof=1))
    assert found.parts.raw[0] == pytest.approx(total - sd**2 / 2 / 4)
    assert (found.model_a, found.model_b, found.seeds, len(found.advantage)) == ("a", "b", 4, 5)


@pytest.mark.parametrize(
    ("table", "sd", "se", "advice"),
    [
        ([[0.1], [0.5], [0.2], [0.6], [0.1]], 0.0, 0.05, "3 more splits beat 10 more seeds"),
        ([[0.3], [0.3], [0.3], [0.31], [0.3]], 0.5, 0.05, "10 more seeds for every split beat 3"),
        ([[0.3], [0.3], [0.3], [0.31], [0.3]], 0.0, 0.05, "More fits will not help, more rows"),
    ],
)
def test_advice_weighs_splits_seeds_and_rows(table, sd, se, advice):
    known = {"plan": "cv_5x2", "result": {"details": {"se": se}}}
    row = pair("a", "b", 0.2, 0.1, test="cv5x2_mcnemar", **known)
    noise = seeds_of("cv_5x2", sd=sd)
    (found,) = fit_noise(StudyDesign(experiment(("a", "b"))), scores_of(table), noise, [row], PAIR)
    assert found.parts.variance_of_rows == pytest.approx(se**2)
    assert found.advice.startswith(advice)


@pytest.mark.parametrize(("se", "advice"), [(0.1, "More splits will help."), (None, "")])
def test_one_seed_leaves_splits_alone_to_weigh_against_rows(se, advice):
    known = {"plan": "cv_5x2", "result": {"details": {"se": se}}}
    row = pair("a", "b", 0.2, 0.1, test="cv5x2_mcnemar", **known)
    scores = scores_of([[0.1], [0.3]])
    (found,) = fit_noise(StudyDesign(experiment(("a", "b"))), scores, pd.DataFrame(), [row], PAIR)
    assert found.parts.sources == ("splits",)
    assert found.advice == advice


@pytest.mark.parametrize(("variant", "splits", "mean"), [("halves", 3, 0.1), ("full", 2, 0.3)])
def test_split_of_halves_is_what_the_estimate_is_a_mean_of(variant, splits, mean):
    config = experiment(("a", "b")).resolved()
    config["resampling"] = {"halves": {"repeats": 3, "folds": 3, "full_repeats": 2}}
    options = {"half_sample_t": {"variant": variant}}
    config["tests"] |= {"run": ["half_sample_t"], "options": options}
    one = study(load_experiment(config), (), {"a": 0.9, "b": 0.8}, noise=0)
    higher = 0.2 * ((one.scores["model"] == "a") & (one.scores["repeat"] > 6))
    scores = one.scores.assign(value=one.scores["value"] + higher)
    (found,) = fit_noise(one, scores, pd.DataFrame(), (), PAIR)
    assert len(found.advantage) == splits
    assert found.parts.mean == pytest.approx(mean)


def test_models_without_all_scores_are_left_out():
    one = study(experiment(("a", "b")), (), {"a": 0.9, "b": 0.8}, undefined=("b",))
    assert list(fit_noise(one, one.scores, one.seeds, (), PAIR)) == []


def test_table_describes_how_often_a_is_higher_and_calls_it_no_test():
    one = study(experiment(("a", "b")), (), {"a": 0.81, "b": 0.8}, noise=0.02)
    item = next(e for e in exhibits(one) if e.name == "fits")
    table = build(item, one)
    (line,) = csv.DictReader(io.StringIO(to_csv(table)))
    folds = one.values("accuracy", "cv_5x2")["d"]
    known = prob_a_better(folds["a"], folds["b"])
    assert float(line["share_a_higher"]) == known.estimate
    assert float(line["share_low"]) == known.ci.low
    assert line["advice"] == "–"
    assert "not a test" in table.note


def test_plan_that_divides_once_has_no_such_table():
    once = experiment(("a", "b"), tests=("mcnemar",), resampling={"holdout": {}})
    assert "fits" not in {e.name for e in exhibits(StudyDesign(once))}
