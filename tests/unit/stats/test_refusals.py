"""What the functions of statistics refuse, and how each refusal begins or what it names.

What every test of the catalogue refuses (gaps, lengths, kinds, options) is in tests/contract.
"""

import functools
import math

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.stats import FiveByTwoPower, McNemarPower, MetricPower, all_pairs

NAN = math.nan
RNG = np.random.default_rng(11)
CELLS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
LABELS = ([0, 1], [0, 1], [0, 1])
RIGHT = np.ones(20, dtype=bool)
SCORES = RNG.normal(0.8, 0.05, (12, 5))
RUNS = RNG.normal(size=(2, 60))
FOLDS = RNG.normal(0.8, 0.02, (10, 4))
CRITERIA = FOLDS.reshape(10, 2, 2)
FOLD = np.array([RNG.permutation(np.arange(60) % 2) + 1 for _ in range(5)])
COST = {"metric": "expected_cost", "cost": [[0, 1], [1, 0]]}
Y = np.arange(30) % 2
LIMITS = stats.Limits(0, -1, 1, 0.05, 100, 0, stats.Status.OK, "")
ALONE = FOLDS.copy()
ALONE[:, 2] = NAN
GAPS = FOLDS.copy()
GAPS[::2, 0], GAPS[1::2, 1] = NAN, NAN
TURNED = pd.Series(RUNS[1], index=np.arange(60)[::-1])

mcnemar, costs, kruskal = stats.mcnemar, stats.cost_sensitive, stats.kruskal_wallis
of_counts, omit = stats.cost_sensitive_from_counts, {"nan_policy": "omit"}
repeated, signed = stats.corrected_repeated_kfold_t, stats.wilcoxon_signed_rank
of_pairs = functools.partial(all_pairs, "mcnemar")
metric = functools.partial(stats.metric_difference, Y, Y, 1 - Y)
rmse = functools.partial(stats.metric_ci, metric="rmse")


def paired(*counts):
    return stats.mcnemar_from_counts(**dict(zip(CELLS, counts, strict=True)))


def proportions(a, n, b, m):
    return stats.proportion_difference_from_counts(correct_a=a, n_a=n, correct_b=b, n_b=m)


def halves(rows, full):
    scores = np.linspace(0.5, 0.9, 33).reshape(11, 3)[:rows]
    return stats.half_sample_t(scores, scores[::-1], full_repeats=full)


def power(discordance, calculation="exact", **given):
    return McNemarPower(discordance=discordance, calculation=calculation).solve(**given)


def runs(*values):
    return stats.recipe_mean_difference(list(values), RUNS)


def pilot(shift):
    return MetricPower.from_pilot(stats.mean_difference(np.arange(10.0) + shift, np.arange(10.0)))


def dependent(third, blocks):
    y = np.random.default_rng(0).normal(0.8, 0.03, (10, 2, 3))
    y[..., 2] = third(y)
    return stats.manova(y, criteria=("tp", "auc", "fn"), blocks=blocks)


def case(message, function, *arguments, **options):
    return pytest.param(functools.partial(function, *arguments, **options), message, id=message)


CASES = [
    case("no rows", paired, 0, 0, 0, 0),
    case("only_b_correct", paired, 1, 2, NAN, 4),
    case("no rows", stats.paired_difference_ci, **dict.fromkeys(CELLS, 0)),
    case("n_correct", stats.binomial_test_from_counts, n_correct=11, n=10),
    case("n: found 0, must be a whole number", stats.proportion_ci, 0, 0),
    case("correct_b", proportions, 1, 2, 3, 2),
    case("class labels", stats.proportion_difference, ["a"], ["b"]),
    case(r"needs \(K, K, K\)", of_counts, [[1, 2], [3, 4]]),
    case("whole numbers", of_counts, np.full((2, 2, 2), 0.5)),
    case("no rows", of_counts, np.zeros((2, 2, 2))),
    case("use mcnemar", stats.cochran_q, [[1, 0], [0, 1]]),
    case("row_counts", stats.cochran_q, [[1, 0, 1]], row_counts=[-1]),
    case("pred_a: 1 missing", costs, [0.0, 1.0], [0.0, NAN], [0.0, 1.0]),
    case("one kind", costs, [0, 1], [0, 1], ["a", "b"]),
    case("pred_a: found label 2", costs, [0, 1], [0, 2], [0, 1], classes=[0, 1]),
    case("two or more different", costs, *LABELS, classes=[0, 0]),
    case("in the order of classes", costs, *LABELS, cost=[[0, 1, 1]] * 3),
    case("0 on the diagonal", costs, *LABELS, cost=[[0, -1], [1, 0]]),
    case("0 on the diagonal", costs, *LABELS, cost=[[1, 1], [1, 0]]),
    case("no error matters", costs, *LABELS, cost=[[0, 0], [0, 0]]),
    case("groups", mcnemar, RIGHT, RIGHT, groups=[None] * 20),
    case("groups", mcnemar, RIGHT, RIGHT, groups=np.full(20, NAN)),
    case("groups", mcnemar, RIGHT, RIGHT, groups=[[1] * 20]),
    case("time: found groups and times; give", mcnemar, [1, 0], [0, 1], groups=[1, 2], time=[1, 2]),
    case("times", stats.time_blocks, [1, 1, 2], blocks=3),
    case("predicted: expected numbers", rmse, [1.0, 2, 3], ["a", "b", "c"]),
    case(r"y_true: 1 value\(s\) are NaN or infinite", rmse, [1.0, NAN, 3], [1.0, 2, 3]),
    case("positive: rmse compares numbers", rmse, [1.0, 2, 3], [1.0, 2, 4], positive=1),
    case("positive: found 'yes'", metric, positive="yes"),
    case("y_true: found label 1, not among the labels", metric, labels=[0, 2]),
    case(r"groups: found shape \(2,\), needs one", metric, groups=[1, 2]),
    case("groups: 1 missing label", metric, groups=np.array(["NaT", *["2026"] * 29], "M8[D]")),
    case("groups: labels of several kinds", metric, groups=pd.Series(["a", 1] * 15)),
    case("cost: expected a 2 by 2 matrix", metric, metric="cost"),
    case("cost: expected a 2 by 2 matrix", metric, metric="expected_cost", priors=[1, 1]),
    case("priors: expected 2 numbers", metric, **COST),
    case("priors: expected shares of at least 0, not all", metric, **COST, priors=[0, 0]),
    case("priors: expected shares of at least 0", metric, **COST, priors=[1, -1]),
    case("beta in 'fbeta@0': found 0", metric, metric="fbeta@0"),
    case("subgroup: found one", stats.metric_interaction, [0, 1], [0, 1], [1, 1], ["a", "a"]),
    case("missing value", of_pairs, [[1.0, NAN]]),
    case("needs at least 2 models", of_pairs, [[1], [0]]),
    case("expected 2 dimension", of_pairs, [1, 0]),
    case("correction: found 'tukey', allowed: .*'shaffer'", of_pairs, [[1, 0]], correction="tukey"),
    case("control: found 2", of_pairs, [[1, 0]], control=2),
    case("all pairs, found one model", of_pairs, [[1, 0]], control=0, correction="shaffer"),
    case("found .*'less'", of_pairs, [[1, 0]], alternative="less", correction="shaffer"),
    case("pvalues: found .*1.2", stats.adjust_pvalues, [0.1, 1.2], "holm"),
    case("expected 1 dimension", stats.adjust_pvalues, [[0.1]], "holm"),
    case("expected numbers", stats.adjust_pvalues, ["a"], "holm"),
    case("method: found 'fdr', allowed: 'none'", stats.adjust_pvalues, [0.1], "fdr"),
    case("all pairs of k models", stats.adjust_pvalues, [0.1, 0.2], "shaffer"),
    case(r"at \(1, 1\); drop.*leave out the model", kruskal, [[0.8, 0.9], [0.7, NAN]]),
    case("model 1 has no score", kruskal, [[0.1, NAN], [0.2, NAN]], missing="omit"),
    case("takes up to 1000", signed, np.arange(1.0, 1500), np.zeros(1499), method="exact"),
    case("cannot list 4 data sets x 9", stats.friedman, RNG.random((4, 9)), method="exact"),
    case("have no data set in common", stats.bradley_terry, [[1, 2, NAN], [2, 1, NAN]]),
    case("no data set has scores of two models", stats.win_rates, [[1, NAN], [NAN, 2]]),
    case(r"\(5, 2\).*\(10,\).*corrected_kfold_t", stats.cv5x2_f, np.zeros(10), np.zeros(10)),
    case("must be pairs of halves", halves, 11, 4),
    case("must be pairs of halves", halves, 3, 3),
    case("fold: must be 1 or 2", stats.cv5x2_mcnemar, FOLD - 1, FOLD == 1, FOLD == 2),
    case("n_test: is missing", repeated, FOLDS[:2], FOLDS[2:4], n_train=80),
    case("1 fold per repetition", repeated, FOLDS[:, :1], FOLDS[:, 1:2]),
    case("model 2", stats.anova_oneway, ALONE, nan_policy="omit"),
    case("no fold has a score of every model", stats.tukey_hsd, GAPS, **omit),
    case("NaN", stats.manova, GAPS.reshape(10, 2, 2)),
    case("no complete fold", stats.manova, np.stack([GAPS, GAPS], axis=2), **omit),
    case("criteria: expected 2", stats.manova, CRITERIA, criteria=["a"]),
    case("greater_is_better", stats.manova, CRITERIA, greater_is_better=[True]),
    case("discordance: found 0", McNemarPower, discordance=0.0),
    case("difference: found 0.2", power, 0.1, n=9, difference=0.2),
    case("n: found 0", power, 0.3, n=0, difference=0.1),
    case("no number of rows", power, 0.3, difference=-0.1, power=0.8, alternative="greater"),
    case("rows are needed", power, 0.5, "normal", difference=1e-6, power=0.8),
    case("sd: found 0", MetricPower, sd=0.0),
    case("n: found 1", MetricPower(sd=0.3).solve, n=1, power=0.8),
    case("sd: give either", FiveByTwoPower),
    case("sd: give either", FiveByTwoPower, sd=0.1, discordance=0.1),
    case("discordance", FiveByTwoPower, discordance=1.2),
    case("n: found 1", FiveByTwoPower(discordance=0.1).solve, n=1, difference=0.02),
    case("difference", FiveByTwoPower(discordance=0.01).solve, n=9, difference=0.02),
    case("alternative: found", FiveByTwoPower(sd=0.1).solve, n=9, power=0.8, alternative="less"),
    case("pilot: its status is .*, it has no standard error", pilot, 0),
    case("pilot: its status is .*, it has no standard error", pilot, 1),
    case(r"runs_a\[1\]: has 59 rows, y_true has 60", runs, RUNS[0], RUNS[1][:-1]),
    case(r"runs_a\[1\]: 1 value\(s\) are NaN", runs, RUNS[0], np.append(RUNS[1][:-1], NAN)),
    case("runs_a: found no run", runs),
    case("found 2 and 1 runs", stats.recipe_mean_difference, RUNS, RUNS[:1], paired=True),
    case(r"runs_a\[1\]: .*labels", runs, pd.Series(RUNS[0]), TURNED),
    case("k: found 0, expected a positive", stats.pass_hat, [1], [3], 0),
    case("k: found 4, an item has 3 runs", stats.pass_hat, [1], [3], 4),
    *[case("margin", stats.decide_release, LIMITS, size) for size in (-0.01, math.inf, NAN)],
    *[
        case("runs_a: expected a list with an array", stats.recipe_mean_difference, table, RUNS)
        for table in (RUNS[0], pd.DataFrame(RUNS.T))
    ],
    *[
        case(message, follower, SCORES, **options)
        for follower in (
            stats.friedman_posthoc,
            stats.conover_friedman,
            functools.partial(all_pairs, "wilcoxon_signed_rank"),
        )
        for message, options in (
            ("control: found 5, must be a column number from 0 to 4", {"control": 5}),
            ("control: found True", {"control": True}),
            ("correction: 'shaffer'.*holm", {"correction": "shaffer", "control": 0}),
            ("correction: 'shaffer", {"correction": "shaffer", "alternative": "less"}),
        )
    ],
    *[
        case(f"'fn' is a linear combination of {sources}", dependent, third, blocks)
        for blocks in (True, False)
        for sources, third in (
            ("'tp' on", lambda y: 1 - y[..., 0]),
            ("'tp', 'auc' on", lambda y: y[..., 0] + 2 * y[..., 1]),
            ("'tp'", lambda y: 1e6 + y[..., 0]),
        )
    ],
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
