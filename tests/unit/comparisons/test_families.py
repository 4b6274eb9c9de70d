"""Families of hypotheses: corrections, intervals, decisions, degenerate evidence."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

from bakeoff.comparisons.analysis import analysis_of
from bakeoff.comparisons.evidence import (
    DatasetScores,
    FoldPredictions,
    FoldScores,
    PairedPredictions,
)
from bakeoff.comparisons.held_out import block_checks, held_out_by
from bakeoff.comparisons.plan_tests import plan_tests
from bakeoff.comparisons.run_tests import (
    Comparison,
    Context,
    Decision,
    context_of,
    decide_pair,
    measured,
    merged,
    run_planned,
    run_test,
)
from bakeoff.comparisons.settings import planned
from bakeoff.errors import UserError
from bakeoff.report.ranking import contenders
from bakeoff.spec import Costs, HypothesisTests, load_experiment
from bakeoff.stats import (
    Arity,
    catalogue,
    mcnemar,
    metric_difference,
    metric_equivalence,
    tost_paired,
)
from bakeoff.stats.core import registry
from bakeoff.stats.core.pairs import adjust_pvalues
from tests.unit.comparisons.conftest import analysis
from tests.unit.report.studies import labelled, pair

CATALOGUE = catalogue()


HERE = Context("d", "accuracy", True, 7)


def run(name, evidence, where=HERE, **tests):
    """Run a test under the settings of `tests:` in an experiment."""
    test = planned(CATALOGUE[name], HypothesisTests.model_validate(tests))
    return run_test(test.on("kfold", ("accuracy",)), evidence, where)


def rows_right(models, n=200, seed=0):
    """Return a test set on which later models are right more often."""
    rng = np.random.default_rng(seed)
    chance = rng.random((n, 1)) * 0.5 + rng.random((n, models)) * 0.5
    right = chance < np.linspace(0.55, 0.75, models)
    names = tuple(f"m{i}" for i in range(models))
    return PairedPredictions(names, ("no", "yes"), np.ones(n, np.int8), right.astype(np.int8))


def folds(models, seed=1, spread=0.02, step=0.01):
    rng = np.random.default_rng(seed)
    values = rng.normal(0.8, spread, (1, 10, models)) + step * np.arange(models)
    sizes = np.full((1, 10), 90), np.full((1, 10), 10)
    return FoldScores(tuple(f"m{i}" for i in range(models)), values, *sizes, ("",) * models)


def over_datasets(models, n=12):
    rng = np.random.default_rng(2)
    values = rng.normal(0.8, 0.05, (n, 1)) + rng.normal(0, 0.01, (n, models))
    names = tuple(f"m{i}" for i in range(models)), tuple(f"d{i}" for i in range(n))
    return DatasetScores(*names, values + 0.02 * np.arange(models))


CORRECTIONS = (
    *("none", "bonferroni", "holm", "hochberg", "hommel", "sidak", "holm-sidak"),
    *("BH", "BY", "shaffer"),
)


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("name", ["corrected_kfold_t", "mcnemar"])
def test_corrections_are_those_of_the_catalogue(name, correction):
    evidence = rows_right(4) if name == "mcnemar" else folds(4)
    rows = run(name, evidence, correction=correction)
    expected = adjust_pvalues([row.pvalue for row in rows], correction)
    np.testing.assert_array_equal([row.pvalue_adjusted for row in rows], expected)
    assert {row.correction for row in rows} == {correction}
    assert {row.family_size for row in rows} == {6}


@pytest.mark.parametrize("name", ["corrected_kfold_t", "wilcoxon_signed_rank", "mcnemar"])
def test_versus_makes_a_smaller_family_with_the_control_as_a(name):
    evidence = {"mcnemar": rows_right(4), "corrected_kfold_t": folds(4)}.get(name, over_datasets(4))
    rows = run(name, evidence, versus="m2", correction="bonferroni")
    assert [(r.model_a, r.model_b) for r in rows] == [("m2", "m0"), ("m2", "m1"), ("m2", "m3")]
    assert [r.pvalue_adjusted for r in rows] == [min(1.0, 3 * r.pvalue) for r in rows]
    at_once = run("friedman_posthoc", over_datasets(3), versus="m1")
    assert [(r.model_a, r.model_b) for r in at_once] == [("m1", "m0"), ("m1", "m2")]
    assert at_once[0].estimate > 0 > at_once[1].estimate


def ends(name, evidence, limits=(0.0, 1.0), **tests):
    """Return the intervals of a test by a metric that lies between limits."""
    rows = run(name, evidence, dataclasses.replace(HERE, range=limits), **tests)
    told = [(row.result["ci"]["low"], row.result["ci"]["high"]) for row in rows]
    found = [(row.ci_low, row.ci_high) for row in rows]
    assert [tuple(map(float, both)) for both in told] == found
    return found


OF_THREE = {"mcnemar": rows_right(3), "wilcoxon_signed_rank": over_datasets(3)}


@pytest.mark.parametrize(
    "name", ["kfold_t", "corrected_kfold_t", "wilcoxon_signed_rank", "mcnemar"]
)
def test_open_side_of_an_interval_ends_where_the_metric_does(name):
    evidence = OF_THREE.get(name, folds(3))
    assert {high for _, high in ends(name, evidence, alternative="greater")} == {1}
    assert {low for low, _ in ends(name, evidence, alternative="less")} == {-1}


def test_intervals_end_where_a_difference_or_a_score_must(tiny):
    wide, narrow = (ends("kfold_t", folds(3), (0.0, most))[0] for most in (100.0, 0.01))
    assert -0.01 <= narrow[0] <= narrow[1] <= 0.01
    assert wide != narrow
    open_ends = ends("kfold_t", folds(3), (0.0, math.inf), alternative="less")
    assert {low for low, _ in open_ends} == {-math.inf}
    # no level allows an interval of five data sets: it is all that is possible
    few = ends("wilcoxon_signed_rank", over_datasets(3, n=5), correction="bonferroni")
    assert set(few) == {(-1, 1)}
    options = {"one_sample_t": {"mu0": 0.5}}
    of_one = ends("one_sample_t", folds(2), alternative="less", options=options)
    assert {low for low, _ in of_one} == {0}
    tiny |= {"costs": {"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]}}
    spec = analysis_of(load_experiment(tiny | {"metrics": ["cost", "log_loss"]}))
    assert context_of(spec, "iris", "cost").range == (0, 5)
    assert context_of(spec, "iris", "log_loss").range == (0, math.inf)


def test_a_pvalue_of_just_the_level_rejects_and_no_difference_names_no_model():
    for side, decisions in (("two-sided", "abdd"), ("greater", "aaaa"), ("less", "bbbb")):
        found = [decide_pair(0.05, 0.05, each, side) for each in (0.1, -0.1, 0.0, math.nan)]
        assert "".join(one.value[0] for one in found) == decisions
        assert decide_pair(0.0501, 0.05, 0.1, side) is Decision.NOT_SHOWN


def test_one_sided_decisions_name_the_better_model():
    better = run("mcnemar", rows_right(2, 800), alternative="less")[0]
    other = run("mcnemar", rows_right(2, 800), alternative="greater")[0]
    assert (better.decision, other.decision) == (Decision.B_BETTER, Decision.NOT_SHOWN)
    assert better.pvalue + other.pvalue == pytest.approx(1)


def test_posteriors_decide_by_their_probabilities():
    for step, tests, decision in (
        (0.1, {}, Decision.B_BETTER),
        (-0.1, {}, Decision.A_BETTER),
        (0.0, {"rope": 0.05}, Decision.EQUIVALENT),
        (0.05, {"rope": 0.05}, Decision.NOT_SHOWN),
    ):
        (row,) = run("bayes_correlated_t", folds(2, spread=0.004, step=step), **tests)
        assert row.decision is decision
        sure = max(row.p_a_better, row.p_equivalent, row.p_b_better) >= 0.95
        assert sure == (decision is not Decision.NOT_SHOWN)
    assert (row.rope, row.correction, row.status) == (0.05, "none", "ok")
    same = dataclasses.replace(folds(2), values=np.full((1, 10, 2), 0.8))
    (row,) = run("bayes_correlated_t", same)  # equal folds are no evidence
    assert (row.p_equivalent, row.decision) == (1.0, Decision.UNDECIDED)


def test_an_undefined_score_leaves_its_own_pairs_open_and_tests_of_all_models():
    with_gap = dataclasses.replace(folds(3), reasons=("no row is positive", "", ""))
    with_gap.values[0, 4, 0] = np.nan
    rows = run("corrected_kfold_t", with_gap)
    assert [row.status for row in rows] == ["undefined_metric", "undefined_metric", "ok"]
    assert [row.decision for row in rows[:2]] == [Decision.UNDECIDED] * 2
    assert rows[0].result["reason"] == "the metric is undefined on a fold: no row is positive"
    # the open hypotheses still count in the family
    assert rows[2].pvalue_adjusted == min(1.0, 3 * rows[2].pvalue)
    for name in ("anova_repeated_measures", "tukey_hsd"):
        of_all = [row for row in run(name, with_gap) if not row.follows]
        assert {row.status for row in of_all} == {"undefined_metric"}
        assert {row.decision for row in of_all} == {Decision.UNDECIDED}
    omitted = run("tukey_hsd", with_gap, options={"tukey_hsd": {"nan_policy": "omit"}})
    assert not any(math.isnan(row.pvalue) for row in omitted)
    gap = over_datasets(3)
    gap.values[2, 1] = np.nan
    for options, status in ({}, "undefined_metric"), ({"missing": "omit"}, "ok"):
        row, *_ = run("kruskal_wallis", gap, options={"kruskal_wallis": options})
        assert row.status == status


def test_what_a_test_refuses_is_undecided_with_its_words():
    scores = np.random.default_rng(0).random((50, 3))
    alike = dataclasses.replace(rows_right(3, 50), scores=scores)
    row, *_ = run("delong", alike)
    assert (row.status, row.decision) == ("undefined", Decision.UNDECIDED)
    assert "found no negative row" in row.result["reason"]
    assert Comparison.from_dict(row.to_dict()).decision is Decision.UNDECIDED
    scores[:, 2] = np.nan
    silent = dataclasses.replace(alike, scores=scores, truth=np.resize([0, 1], 50))
    rows = run("delong", silent)
    assert [row.status for row in rows] == ["ok", "undefined_metric", "undefined_metric"]
    assert "m2 give(s) no probabilities or scores" in rows[1].result["reason"]
    rows = run("mcnemar", rows_right(3), versus="gone")
    assert {row.decision for row in rows} == {Decision.UNDECIDED}
    assert "gone, the model that all are compared with" in rows[0].result["reason"]


def test_what_was_left_out_is_said_with_every_result():
    gone = "data set d9 was left out: gone"
    note = {"name": "complete evidence", "holds": False, "detail": gone}
    for row in run("friedman", dataclasses.replace(over_datasets(3), left_out=(gone,))):
        assert row.result["assumptions"].count(note) == 1


def test_each_test_has_its_own_level():
    rows = run("cochran_q", rows_right(3), alpha=0.05, options={"mcnemar": {"alpha": 0.2}})
    assert [row.alpha for row in rows] == [0.05, 0.2, 0.2, 0.2]
    assert rows[1].confidence == pytest.approx(1 - 0.2 / 3)
    alone = run(
        "corrected_kfold_t", folds(3), options={"corrected_kfold_t": {"simultaneous": False}}
    )
    assert {row.confidence for row in alone} == {0.95}


def test_numbers_that_json_lacks_come_back_as_they_were():
    row = run("cv5x2_f", folds(2))[0]
    odd = dataclasses.replace(
        row, statistic=math.inf, estimate=-math.inf, pvalue=math.nan, df=None, df1=math.inf
    )
    written = json.loads(json.dumps(odd.to_dict(), allow_nan=False))
    assert (written["pvalue"], written["statistic"], written["df"]) == (None, "Infinity", None)
    read = Comparison.from_dict(written)
    assert (read.statistic, read.estimate) == (math.inf, -math.inf)
    assert (read.df, read.df1) == (None, math.inf)
    assert math.isnan(read.pvalue)
    older = {key: value for key, value in row.to_dict().items() if key not in ("rope", "margin")}
    assert Comparison.from_dict(older).to_row() == pytest.approx(row.to_row(), nan_ok=True)


def test_pairs_that_follow_several_tests_are_there_once():
    given = [("b", 0.2, ""), ("c", 0.3, ""), ("b", 0.2, "cochran_q"), ("c", 0.3, "cochran_q")]
    given += [("b", 0.2, "looney_f"), ("c", 0.4, "looney_f")]
    rows = [pair("a", b, p, 0.1, test="mcnemar", follows=follows) for b, p, follows in given]
    rows.append(pair("a", "b", 0.2, 0.1, test="cv5x2_f", follows=""))
    assert [(r.test, r.model_b, r.pvalue, r.follows) for r in merged(rows)] == [
        ("mcnemar", "b", 0.2, "cochran_q+looney_f"),
        ("mcnemar", "c", 0.3, "cochran_q"),
        ("mcnemar", "c", 0.4, "looney_f"),  # other numbers: another hypothesis
        ("cv5x2_f", "b", 0.2, ""),
    ]


def wards():
    """Return 120 rows of 12 groups."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 10)
    tilt = rng.normal(size=12)[groups]
    right = np.stack([tilt + rng.normal(size=120) > -1, -tilt + rng.normal(size=120) > -1], axis=1)
    return PairedPredictions(("a", "b"), ("no", "yes"), np.ones(120), right, groups=groups)


PLAIN = {"independent_rows": True}


def test_every_test_that_takes_rows_for_independent_has_a_form_for_related_ones():
    for entry in CATALOGUE.values():
        if entry.evidence.on_rows and entry.knows_no_relation:
            groups = CATALOGUE[entry.better_test]
            time = CATALOGUE[groups.in_time]
            assert groups.evidence is time.evidence is entry.evidence
            assert ("groups" in groups.options, "time" in time.options) == (True, True)


def test_a_test_of_rows_without_another_to_take_its_place_is_refused(monkeypatch):
    alone = dataclasses.replace(CATALOGUE["proportion_difference"], better_test="")
    monkeypatch.setitem(registry._entries, alone.name, alone)
    tests, rows = {"run": [alone.name]}, {"groups": "species"}
    (problem,), _ = plan_tests(analysis(data=rows, tests=tests))
    assert "counts rows one by one, d0 has `groups: species`: use a test that" in str(problem)
    plain = analysis(data=rows, tests=tests | {"options": {alone.name: PLAIN}})
    assert [test.name for test in plan_tests(plain)[1]] == [alone.name]


def test_many_pairs_of_rows_in_groups_are_tested_in_the_form_of_one_pair():
    values, groups = np.random.default_rng(0).normal(size=(80, 15)), np.arange(80) // 2
    rows = PairedPredictions.from_values([f"m{i}" for i in range(15)], values, groups=groups)
    one, *_ = run("mean_difference", rows, correction="holm")
    expected = CATALOGUE["mean_difference"].function(*values.T[:2], groups=groups)
    assert one.variant == expected.variant == "sign_flip"


def test_the_plain_form_is_kept_when_asked_for_by_name():
    rows = wards()
    halves = np.array([np.arange(40) // 2**r % 2 + 1 for r in range(5)])
    predicted = np.arange(400).reshape(5, 40, 2) % 3 > 0
    of_folds = FoldPredictions(
        ("a", "b"), ("no", "yes"), halves, np.ones(40, dtype=int), predicted, ((0,), (1,))
    )
    for name, evidence, detail in (
        ("mcnemar", rows, "120 rows of 12 groups"),
        ("cv5x2_mcnemar", of_folds, "rows that belong together"),
    ):
        (row,) = run(name, evidence, options={name: PLAIN})
        (assumed,) = [a for a in row.result["assumptions"] if a["name"] == "independent rows"]
        assert (assumed["holds"], row.result["independent_rows"]) == (False, True)
        assert detail in assumed["detail"]
        assert row.n == evidence.n
    (row,) = run("mcnemar", rows, options={"mcnemar": PLAIN})
    assert row.pvalue == mcnemar(*rows.correct.T).pvalue


def test_a_test_with_a_form_for_groups_keeps_its_name_and_says_its_form():
    rows, tests = wards(), {"run": ["tost_paired"], "margin": 0.1}
    (planned_test,) = plan_tests(analysis(models=2, data={"groups": "g"}, tests=tests))[1]
    assert planned_test.name == "tost_paired"
    assert "in its form for groups of rows: rows of one `g`" in planned_test.why
    (row,) = run("tost_paired", rows, margin=0.1)
    of_groups = tost_paired(*rows.correct.T, margin=0.1, groups=rows.groups)
    assert (row.variant, row.pvalue) == ("score_effective", of_groups.pvalue)
    (row,) = run("tost_paired", rows, margin=0.1, options={"tost_paired": PLAIN})
    assert (row.variant, row.pvalue) == ("score", tost_paired(*rows.correct.T, margin=0.1).pvalue)


def test_predictions_that_lost_their_groups_are_refused(tmp_path):
    rows = pd.DataFrame({":row_id": range(4), ":y_true": list("abab"), "m0": list("abba")})
    rows.assign(m1=list("abab")).to_parquet(tmp_path / "rows.parquet")
    spec = analysis(models=2, data={"groups": "g"}, tests={"run": ["mcnemar"]})
    (test,) = plan_tests(spec)[1]
    with pytest.raises(UserError, match=r"does not say which rows of d0 belong together.*'g'"):
        run_planned(test, spec, {"d0": str(tmp_path / "rows.parquet")})


N = 240


def in_order(metric, lasting=False):
    """Draw numbers that two models predict, the first of which may have long spells."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=N)
    spells = 1.0 + 0.9 * np.sin(np.arange(N) / 20) if lasting else np.ones(N)
    predicted = truth[:, None] + rng.normal(size=(N, 2)) * np.column_stack([spells, np.ones(N)])
    return PairedPredictions(("a", "b"), (), truth, predicted, metric=metric, times=np.arange(N))


@pytest.mark.parametrize("lasting", [True, False])
def test_metric_without_a_formula_is_checked_in_time_by_squared_errors(lasting):
    """Of classes it is by right and wrong rows; numbers have none."""
    rows, entry = in_order("median_absolute_error", lasting), CATALOGUE["metric_difference"]
    (check,) = block_checks(rows, entry)
    assert (check,) == block_checks(dataclasses.replace(rows, metric="mse"), entry)
    assert (check.holds is False) is lasting


@pytest.mark.parametrize("metric", ["mae", "mse", "r2"])
def test_test_of_values_gets_the_losses_of_predicted_numbers(metric):
    rows = in_order(metric)
    errors, where = rows.predicted - rows.truth[:, None], Context("d", metric, metric == "r2")
    losses = {"mae": np.abs(errors), "mse": errors**2}.get(metric)
    (serial,) = run("diebold_mariano_means", rows, where)
    if losses is not None:
        (plain,) = run("mean_difference", dataclasses.replace(rows, times=None), where)
        for row in (serial, plain):
            expected = CATALOGUE[row.test].function(*losses.T, greater_is_better=False)
            np.testing.assert_allclose([rows.row_values(m) for m in (0, 1)], losses.T)
            assert (row.pvalue, row.estimate) == pytest.approx((expected.pvalue, expected.estimate))
    difference = metric_difference(rows.truth, *rows.predicted.T, metric=metric)
    assert serial.estimate == pytest.approx(difference.estimate)


def test_equivalence_decides_by_its_verdict():
    rows = dataclasses.replace(in_order("rmse"), times=None)
    (row,) = run("metric_equivalence", rows, Context("d", "rmse", False), margin=0.5)
    expected = metric_equivalence(rows.truth, *rows.predicted.T, metric="rmse", margin=0.5)
    assert (row.pvalue, row.decision) == (pytest.approx(expected.pvalue), expected.verdict)


# --- rows in the order of time for tests that know groups alone

LONG = 800
FADES = "dependence that fades within a block"
COSTS = Costs.model_validate({"classes": ["no", "yes"], "matrix": [[0, 1], [5, 0]]})
IN_BLOCKS = [
    entry
    for entry in CATALOGUE.values()
    if entry.evidence.on_rows
    and "groups" in entry.options
    and "tasks" not in entry.options
    and entry.about != "recipes"
]


def eight(**related):
    found = labelled(["a", "b"], list("xyxyxyxy"), [list("xxxxyyyy")] * 2)
    return dataclasses.replace(found, **related)


def test_tests_for_groups_get_the_groups_or_else_eight_long_blocks_of_time():
    many = labelled(["a"], ["x", "y"] * 20, [["x", "y"] * 20])
    blocks = dataclasses.replace(many, times=np.arange(40)[::-1]).blocks
    assert np.unique(blocks, return_counts=True)[1].tolist() == [5] * 8
    assert (np.diff(blocks) <= 0).all()  # neighbours in time stay together
    groups, times, few = np.repeat([0, 1], 4), np.arange(8), np.repeat([1, 2, 3, 4], 2)
    assert eight(times=few).blocks is few
    assert eight().blocks is None
    both = eight(groups=groups, times=times).managed(CATALOGUE["mcnemar"])
    assert both["groups"] is groups
    in_blocks = eight(times=times * 10).managed(CATALOGUE["delong"])["groups"]
    assert in_blocks.tolist() == list(range(8))
    for name in ("mcnemar", "diebold_mariano"):
        assert eight(times=times).managed(CATALOGUE[name])["time"] is times


def in_time(entry, lasting, **related):
    """Draw rows of three models, of which the first has long good and bad spells, or none."""
    rng = np.random.default_rng(4)
    spells = np.sin(np.arange(LONG) / 40) if lasting else rng.choice([-1, 1], LONG)
    related = related or {"times": np.arange(LONG)}
    models, truth = ("a", "b", "c"), rng.integers(0, 2, LONG).astype(np.int8)
    lean = np.column_stack([spells, -spells, np.zeros(LONG)])
    values = 1.5 * lean + rng.normal(size=(LONG, 3))
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
    grouped = fading(entry, in_time(entry, lasting=True, groups=np.arange(LONG) // 20))
    assert {holds for holds, _ in grouped.values()} == {None}


def test_intervals_and_the_best_models_say_so_too():
    for name in ("metric_difference", "mean_difference"):
        rows = in_time(CATALOGUE[name], lasting=True)
        best = contenders(rows, None, 0.05, 1)
        for found in (held_out_by(rows, None).interval(0, 0.95), best):
            assert [a.holds for a in found.assumptions if a.name == FADES] == [False]


def test_few_times_and_identical_models_are_no_reason_to_warn():
    entry = CATALOGUE["metric_difference"]
    few = dataclasses.replace(in_time(entry, lasting=False), times=np.arange(LONG) // 4)
    assert {holds for holds, _ in fading(entry, few).values()} == {None}
    rows = in_time(entry, lasting=True)
    same = dataclasses.replace(rows, predicted=rows.predicted[:, [0, 0, 0]])
    assert {holds for holds, _ in fading(entry, same).values()} == {True}
