"""What the functions of statistics refuse, and how each refusal begins or what it names.

What every test of the catalogue refuses (gaps, lengths, kinds, options) is in tests/contract.
"""

import math

import numpy as np
import pandas as pd
import pytest

from bakeoff import stats
from bakeoff.stats import FiveByTwoPower, McNemarPower, MetricPower, all_pairs, metric_difference
from bakeoff.stats.rows.costs import cost_sensitive, cost_sensitive_from_counts
from bakeoff.stats.rows.mcnemar import paired_difference_ci
from bakeoff.stats.rows.proportions import (
    proportion_difference,
    proportion_difference_from_counts,
)

NAN = math.nan
RNG = np.random.default_rng(11)
CELLS = ("both_correct", "only_a_correct", "only_b_correct", "both_wrong")
LABELS = ([0, 1], [0, 1], [0, 1])
RIGHT = np.ones(20, dtype=bool)
SCORES = RNG.normal(0.8, 0.05, (12, 5))
RUNS = RNG.normal(size=(2, 60))
HALVES = np.linspace(0.5, 0.9, 33).reshape(11, 3)
FOLDS = RNG.normal(0.8, 0.02, (10, 4))
FOLD = np.array([RNG.permutation(np.arange(60) % 2) + 1 for _ in range(5)])


def paired(*counts):
    return stats.mcnemar_from_counts(**dict(zip(CELLS, counts, strict=True)))


def proportions(a, n, b, m, **options):
    return proportion_difference_from_counts(correct_a=a, n_a=n, correct_b=b, n_b=m, **options)


COSTS = {"metric": "expected_cost", "cost": [[0, 1], [1, 0]]}


def numbers(predicted=(1.0, 2, 4), y=(1.0, 2, 3), **options):
    """Compute a metric of numbers."""
    return stats.metric_ci(y, predicted, metric="rmse", **options)


def metric(**change):
    y = np.arange(30) % 2
    return metric_difference(y, y, 1 - y, **change)


def halves(rows, full):
    scores = HALVES[:rows]
    return stats.half_sample_t(scores, scores[::-1], full_repeats=full)


def power(discordance=0.1, **known):
    return McNemarPower(discordance=discordance).solve(**known)


def runs(*values):
    return stats.recipe_mean_difference(list(values), RUNS)


COUNTS = [
    (lambda: paired(0, 0, 0, 0), "no rows"),
    (lambda: paired(1, 2, NAN, 4), "only_b_correct"),
    (lambda: paired_difference_ci(**dict.fromkeys(CELLS, 0)), "no rows"),
    (lambda: stats.binomial_test_from_counts(n_correct=11, n=10), "n_correct"),
    (lambda: proportions(1, 2, 3, 2), "correct_b"),
    (lambda: proportion_difference(["a"], ["b"]), "class labels"),
    (lambda: cost_sensitive_from_counts([[1, 2], [3, 4]]), r"needs \(K, K, K\)"),
    (lambda: cost_sensitive_from_counts(np.full((2, 2, 2), 0.5)), "whole numbers"),
    (lambda: cost_sensitive_from_counts(np.zeros((2, 2, 2))), "no rows"),
    (lambda: stats.cochran_q([[1, 0], [0, 1]]), "use mcnemar"),
    (lambda: stats.cochran_q([[1, 0, 1]], row_counts=[-1]), "row_counts"),
]

ROWS = [
    (lambda: cost_sensitive([0.0, 1.0], [0.0, NAN], [0.0, 1.0]), "pred_a: 1 missing"),
    (lambda: cost_sensitive([0, 1], [0, 1], ["a", "b"]), "one kind"),
    (lambda: cost_sensitive([0, 1], [0, 2], [0, 1], classes=[0, 1]), "pred_a: found label 2"),
    (lambda: cost_sensitive(*LABELS, classes=[0, 0]), "two or more different"),
    (lambda: cost_sensitive(*LABELS, cost=[[0, 1, 1]] * 3), "in the order of classes"),
    (lambda: cost_sensitive(*LABELS, cost=[[0, -1], [1, 0]]), "0 on the diagonal"),
    (lambda: cost_sensitive(*LABELS, cost=[[1, 1], [1, 0]]), "0 on the diagonal"),
    (lambda: cost_sensitive(*LABELS, cost=[[0, 0], [0, 0]]), "no error matters"),
    (lambda: stats.mcnemar(RIGHT, RIGHT, groups=[None] * 20), "groups"),
    (lambda: stats.mcnemar(RIGHT, RIGHT, groups=np.full(20, NAN)), "groups"),
    (lambda: stats.mcnemar(RIGHT, RIGHT, groups=[[1] * 20]), "groups"),
    (
        lambda: stats.mcnemar([1, 0], [0, 1], groups=[1, 2], time=[1, 2]),
        "time: found groups and times; give one of them",
    ),
    (lambda: stats.items_and_runs([1, 2, 3], [0, 0, 0], [1, 1, 2]), "items"),
    (lambda: stats.time_blocks([1, 1, 2], blocks=3), "times"),
    (lambda: numbers(["a", "b", "c"]), "predicted: expected numbers"),
    (lambda: numbers(y=[1.0, NAN, 3]), r"y_true: 1 value\(s\) are NaN or infinite"),
    (lambda: numbers([1.0, 2]), "predicted: has 2 rows, y_true has 3"),
    (lambda: numbers(positive=1), "positive: rmse compares numbers, which have"),
    (lambda: metric(positive="yes"), "positive: found 'yes'"),
    (lambda: metric(labels=[0, 2]), "labels: 1 is in the rows"),
    (lambda: metric(groups=[1, 2]), "groups: has 2 rows"),
    (lambda: metric(metric="cost"), "cost: expected a 2 by 2 matrix"),
    (lambda: metric(metric="expected_cost", priors=[1, 1]), "cost: expected a 2 by 2 matrix"),
    (
        lambda: metric(metric="expected_cost", cost=[[0, 1], [1, 0]]),
        "priors: expected 2 numbers",
    ),
    (
        lambda: metric(**COSTS, priors=[0, 0]),
        "priors: expected shares of at least 0, not all of them 0",
    ),
    (lambda: metric(**COSTS, priors=[1, -1]), "priors: expected shares of at least 0"),
    (lambda: metric(metric="fbeta@0"), "beta in 'fbeta@0': found 0"),
    (
        lambda: stats.metric_interaction([0, 1], [0, 1], [1, 1], ["a", "a"]),
        "subgroup: found one only",
    ),
]

PAIRS = [
    (lambda: all_pairs("mcnemar", [[1.0, NAN]]), "missing value"),
    (lambda: all_pairs("mcnemar", [[1], [0]]), "needs at least 2 models"),
    (lambda: all_pairs("mcnemar", [1, 0]), "expected 2 dimension"),
    (
        lambda: all_pairs("mcnemar", [[1, 0]], correction="tukey"),
        "correction: found 'tukey', allowed: .*'shaffer'",
    ),
    (lambda: all_pairs("mcnemar", [[1, 0]], control=2), "control: found 2"),
    (
        lambda: all_pairs("mcnemar", [[1, 0]], control=0, correction="shaffer"),
        "all pairs, found one model against",
    ),
    (
        lambda: all_pairs("mcnemar", [[1, 0]], alternative="less", correction="shaffer"),
        "all pairs, found .*'less'",
    ),
    (lambda: stats.adjust_pvalues([0.1, 1.2], "holm"), "pvalues: found .*1.2"),
    (lambda: stats.adjust_pvalues([[0.1]], "holm"), "expected 1 dimension"),
    (lambda: stats.adjust_pvalues(["a"], "holm"), "expected numbers"),
    (lambda: stats.adjust_pvalues([0.1], "fdr"), "method: found 'fdr', allowed: 'none'"),
    (lambda: stats.adjust_pvalues([0.1, 0.2], "shaffer"), "all pairs of k models"),
]

DATASETS = [
    (
        lambda: stats.kruskal_wallis([[0.8, 0.9], [0.7, NAN]]),
        r"first at \(1, 1\); drop these data sets.*leave out the model",
    ),
    (
        lambda: stats.kruskal_wallis([[0.1, NAN], [0.2, NAN]], missing="omit"),
        "model 1 has no score",
    ),
    (
        lambda: stats.wilcoxon_signed_rank(np.arange(1.0, 1500), np.zeros(1499), method="exact"),
        "method: 'exact' takes up to 1000",
    ),
    (
        lambda: stats.friedman(RNG.random((4, 9)), method="exact"),
        "method: 'exact' cannot list 4 data sets x 9 models",
    ),
    (lambda: stats.bradley_terry([[1, 2, NAN], [2, 1, NAN]]), "have no data set in common"),
    (lambda: stats.win_rates([[1, NAN], [NAN, 2]]), "no data set has scores of two models"),
]
for follower in (
    stats.friedman_posthoc,
    stats.conover_friedman,
    lambda table, **options: all_pairs("wilcoxon_signed_rank", table, **options),
):
    for options, message in (
        ({"control": 5}, "control: found 5, must be a column number from 0 to 4"),
        ({"control": True}, "control: found True"),
        ({"correction": "shaffer", "control": 0}, "correction: 'shaffer'.*holm"),
        ({"correction": "shaffer", "alternative": "less"}, "correction: 'shaffer"),
    ):
        DATASETS.append((lambda f=follower, o=options: f(SCORES, **o), message))

OF_FOLDS = [
    (
        lambda: stats.cv5x2_f(np.zeros(10), np.zeros(10)),
        r"shape \(5, 2\).*found \(10,\).*corrected_kfold_t",
    ),
    (lambda: halves(11, 4), "must be pairs of halves"),
    (lambda: halves(3, 3), "must be pairs of halves"),
    (lambda: stats.cv5x2_mcnemar(FOLD - 1, FOLD == 1, FOLD == 2), "fold: must be 1 or 2"),
    (
        lambda: stats.corrected_repeated_kfold_t(FOLDS[:2], FOLDS[2:4], n_train=80),
        "n_test: is missing",
    ),
    (
        lambda: stats.corrected_repeated_kfold_t(FOLDS[:, :1], FOLDS[:, 1:2]),
        "1 fold per repetition",
    ),
    (lambda: stats.manova(FOLDS.reshape(10, 2, 2), criteria=["a"]), "criteria: expected 2"),
    (lambda: stats.manova(FOLDS.reshape(10, 2, 2), greater_is_better=[True]), "greater_is_better"),
]

PLANS = [
    (lambda: McNemarPower(discordance=0.0), "discordance: found 0"),
    (lambda: power(n=9, difference=0.2), "difference: found 0.2"),
    (lambda: power(0.3, n=0, difference=0.1), "n: found 0"),
    (
        lambda: power(0.3, difference=-0.1, power=0.8, alternative="greater"),
        "no number of rows",
    ),
    (
        lambda: McNemarPower(discordance=0.5, calculation="normal").solve(
            difference=1e-6, power=0.8
        ),
        "rows are needed",
    ),
    (lambda: MetricPower(sd=0.0), "sd: found 0"),
    (lambda: MetricPower(sd=0.3).solve(n=1, power=0.8), "n: found 1"),
    (lambda: FiveByTwoPower(), "sd: give either"),
    (lambda: FiveByTwoPower(sd=0.1, discordance=0.1), "sd: give either"),
    (lambda: FiveByTwoPower(discordance=1.2), "discordance"),
    (lambda: FiveByTwoPower(discordance=0.1).solve(n=1, difference=0.02), "n: found 1"),
    (lambda: FiveByTwoPower(discordance=0.01).solve(n=9, difference=0.02), "difference"),
]

OF_RUNS = [
    (lambda: runs(RUNS[0], RUNS[1][:-1]), r"runs_a\[1\]: has 59 rows, y_true has 60"),
    (
        lambda: runs(RUNS[0], np.where(np.arange(60) == 7, NAN, RUNS[1])),
        r"runs_a\[1\]: 1 value\(s\) are NaN",
    ),
    (lambda: runs(), "runs_a: found no run"),
    (
        lambda: stats.recipe_mean_difference(RUNS, RUNS[:1], paired=True),
        "paired: found 2 and 1 runs",
    ),
    (
        lambda: runs(pd.Series(RUNS[0]), pd.Series(RUNS[1], index=np.arange(60)[::-1])),
        r"runs_a\[1\]: .*labels",
    ),
]
for table in (RUNS[0], pd.DataFrame(RUNS.T)):
    OF_RUNS.append(
        (
            lambda table=table: stats.recipe_mean_difference(table, RUNS),
            "runs_a: expected a list with an array of the test rows for each run",
        )
    )


@pytest.mark.parametrize(
    ("call", "message"), [*COUNTS, *ROWS, *PAIRS, *DATASETS, *OF_FOLDS, *PLANS, *OF_RUNS]
)
def test_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
