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
NONE = dict.fromkeys(("both_correct", "only_a_correct", "only_b_correct", "both_wrong"), 0)
LABELS = ([0, 1], [0, 1], [0, 1])
RIGHT = np.ones(20, dtype=bool)
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
HOLED = np.append(RUNS[1][:-1], NAN)
TURNED = pd.Series(RUNS[1], index=np.arange(60)[::-1])

mcnemar, costs, kruskal = stats.mcnemar, stats.cost_sensitive, stats.kruskal_wallis
of_counts, omit = stats.cost_sensitive_from_counts, {"nan_policy": "omit"}
repeated, signed = stats.corrected_repeated_kfold_t, stats.wilcoxon_signed_rank
of_pairs = functools.partial(all_pairs, "mcnemar")
metric = functools.partial(stats.metric_difference, Y, Y, 1 - Y)
rmse = functools.partial(stats.metric_ci, metric="rmse")
proportions, recipes = stats.proportion_difference_from_counts, stats.recipe_mean_difference
metric_power, pilot = MetricPower(sd=0.3).solve, MetricPower.from_pilot
posthoc, same = stats.friedman_posthoc, stats.mean_difference(RUNS[0], RUNS[0])


def dependent(third, blocks):
    y = np.random.default_rng(0).normal(0.8, 0.03, (10, 2, 3))
    y[..., 2] = third(y)
    return stats.manova(y, criteria=("tp", "auc", "fn"), blocks=blocks)


def case(message, function, *arguments, **options):
    return pytest.param(functools.partial(function, *arguments, **options), message, id=message)


CASES = [
    case("no rows", stats.mcnemar_from_counts, **NONE),
    case("only_b_correct", stats.mcnemar_from_counts, **NONE | {"only_b_correct": NAN}),
    case("no rows", stats.paired_difference_ci, **NONE),
    case("n_correct", stats.binomial_test_from_counts, n_correct=11, n=10),
    case("n: found 0, must be a whole number", stats.proportion_ci, 0, 0),
    case("correct_b", proportions, correct_a=1, n_a=2, correct_b=3, n_b=2),
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
    case("scores: .* at least 2 models", all_pairs, "delong", Y, Y[:, None]),
    case("evidence: .* at least 2 models", all_pairs, "diebold_mariano", Y),
    case(
        "labels: .* one label for each of the 30 rows", stats.order_dependence, Y[:, None], [1, 2]
    ),
    case("evidence: .* at least 2", all_pairs, "recipe_mean_difference", RUNS[:1, None]),
    case("expected 2 dimension", of_pairs, [1, 0]),
    case("correction: found 'tukey', allowed: .*'shaffer'", of_pairs, [[1, 0]], correction="tukey"),
    case("control: found 2", of_pairs, [[1, 0]], control=2),
    case("all pairs, found one model", of_pairs, [[1, 0]], control=0, correction="shaffer"),
    case("found .*'less'", of_pairs, [[1, 0]], alternative="less", correction="shaffer"),
    case("control: found True", of_pairs, [[1, 0]], control=True),
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
    case("must be pairs of halves", stats.half_sample_t, FOLDS, FOLDS, full_repeats=3),
    case("must be pairs of halves", stats.half_sample_t, FOLDS, FOLDS, full_repeats=10),
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
    case("difference: found 0.2", McNemarPower(discordance=0.1).solve, n=9, difference=0.2),
    case("n: found 0", McNemarPower(discordance=0.3).solve, n=0, difference=0.1),
    case("no number of rows", metric_power, difference=-0.1, power=0.8, alternative="greater"),
    case("rows are needed", metric_power, difference=1e-6, power=0.8),
    case("sd: found 0", MetricPower, sd=0.0),
    case("n: found 1", metric_power, n=1, power=0.8),
    case("give two of n, difference and power", metric_power, n=300),
    case("give two of n, difference and power", metric_power, n=9, difference=0.1, power=0.8),
    case("power: found 0.05, must be greater than alpha", metric_power, n=300, power=0.05),
    case("difference: found 0, no number of rows", metric_power, difference=0.0, power=0.8),
    case("sd: give either", FiveByTwoPower),
    case("sd: give either", FiveByTwoPower, sd=0.1, discordance=0.1),
    case("discordance", FiveByTwoPower, discordance=1.2),
    case("n: found 1", FiveByTwoPower(discordance=0.1).solve, n=1, difference=0.02),
    case("difference", FiveByTwoPower(discordance=0.01).solve, n=9, difference=0.02),
    case("alternative: found", FiveByTwoPower(sd=0.1).solve, n=9, power=0.8, alternative="less"),
    case("pilot: its status is identical.*, it has no standard error", pilot, same),
    case(r"runs_a\[1\]: has 59 rows, y_true has 60", recipes, [RUNS[0], RUNS[1][:-1]], RUNS),
    case(r"runs_a\[1\]: 1 value\(s\) are NaN", recipes, [RUNS[0], HOLED], RUNS),
    case("runs_a: found no run", recipes, [], RUNS),
    case("found 2 and 1 runs", recipes, RUNS, RUNS[:1], paired=True),
    case(r"runs_a\[1\]: .*labels", recipes, [pd.Series(RUNS[0]), TURNED], RUNS),
    case("k: found 0, expected a positive", stats.pass_hat, [1], [3], 0),
    case("k: found 4, an item has 3 runs", stats.pass_hat, [1], [3], 4),
    *[case("margin", stats.decide_release, LIMITS, size) for size in (-0.01, math.inf, NAN)],
    case("runs_a: expected a list with an array", recipes, RUNS[0], RUNS),
    case("runs_a: expected a list with an array", recipes, pd.DataFrame(RUNS.T), RUNS),
    case("control: found 4, must be a column number from 0 to 3", posthoc, FOLDS, control=4),
    case("correction: 'shaffer'.*holm", posthoc, FOLDS, correction="shaffer", control=0),
    case("correction: 'shaffer", posthoc, FOLDS, correction="shaffer", alternative="less"),
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
