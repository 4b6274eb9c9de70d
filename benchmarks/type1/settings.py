"""The settings of the study: how evidence is drawn, and the tests that are run on it."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.crossval.learners import (
    nearest_centroid,
    neighbours,
)
from benchmarks.type1.evidence import (
    CENTROID_ACCURACY,
    NEIGHBOUR_ACCURACY,
    datasets,
    difference_at_margin,
    incomplete,
    labels_and_scores,
    one_algorithm,
    one_model,
    paired_correctness,
    several_correctness,
    several_refits,
)
from benchmarks.type1.trials import Setting, Trial

MCNEMAR = tuple(
    Trial("pair", "mcnemar", {"variant": v}, share=0.75)
    for v in ("midp", "exact", "asymptotic", "corrected")
)
OMNIBUS_ROWS = (
    Trial("many", "cochran_q"),
    Trial("many", "looney_f"),
    Trial("many", "mcnemar", {"correction": "holm"}),
)
DATASET_TESTS = (
    Trial("pair", "wilcoxon_signed_rank"),
    Trial("many", "friedman", share=0.25),
    Trial("many", "iman_davenport"),
    Trial("many", "quade"),
    Trial("many", "kruskal_wallis"),
    Trial("many", "nemenyi", share=0.5),
    Trial("many", "friedman_posthoc", {"correction": "holm"}),
    Trial("many", "conover_friedman", {"correction": "holm"}),
    Trial("many", "wilcoxon_signed_rank", {"correction": "holm"}, share=0.5),
)
SEVERAL_ON_FOLDS = (
    Trial("10-fold", "anova_repeated_measures"),
    Trial("10-fold", "anova_oneway"),
    Trial("10-fold", "tukey_hsd", {"blocks": True}, share=0.25),
    Trial("10-fold", "tukey_hsd", {"blocks": False}, share=0.25),
    Trial("recalls", "manova", {"blocks": True}),
    Trial("recalls", "manova", {"blocks": False}),
)


def one_on_folds(truth: Mapping[int, float]) -> tuple[Trial, ...]:
    """Return the tests of one algorithm against its accuracy on 180 and on 160 rows."""
    return (
        Trial("10-fold", "one_sample_t", {"mu0": truth[180]}),
        Trial("30 splits", "one_sample_t", {"mu0": truth[160]}),
    )


COST = ((0, 1), (5, 0))


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "Two models, one test set: errors alike",
        "200 rows, both accuracies .8, correctness correlated at .6, as of models that find the "
        "same rows hard.",
        paired_correctness(200, 0.8, 0.6),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="errors alike",
    ),
    Setting(
        "Two models, one test set: independent errors",
        "200 rows, both accuracies .8, uncorrelated.",
        paired_correctness(200, 0.8, 0.0),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="independent errors",
    ),
    Setting(
        "Two models, one test set: errors on different rows",
        "200 rows, both accuracies .7, correctness correlated at -.4, as of models that split the "
        "hard rows between them.",
        paired_correctness(200, 0.7, -0.4),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="errors on different rows",
    ),
    Setting(
        "Two models, small test set",
        "50 rows, both accuracies .9, correctness correlated at .4: about five discordant rows.",
        paired_correctness(50, 0.9, 0.4),
        (*MCNEMAR, Trial("pair", "proportion_difference")),
        family="few rows",
    ),
    Setting(
        "Two models, one test set: ranking and costs",
        "200 rows, exchangeable scores with common noise; costs 1 and 5.",
        labels_and_scores,
        (
            Trial("scores", "delong"),
            Trial("labels", "cost_sensitive", {"cost": COST}, share=0.25),
            Trial("labels", "cost_sensitive", {"cost": COST, "variant": "chi_square"}, share=0.25),
        ),
        family="ranking and costs",
    ),
    Setting(
        "Two models that differ by the margin of an equivalence test",
        "1000 rows, a true difference of exactly .05: showing equivalence within .05 is the error.",
        difference_at_margin,
        (Trial("pair", "tost_paired", {"margin": 0.05}),),
        family="models at the margin",
    ),
    Setting(
        "One model, one test set",
        "200 rows, accuracy .8, tested against .8.",
        one_model,
        (Trial("one", "binomial_test", {"p0": 0.8, "rate": "accuracy"}),),
        family="one model",
    ),
    Setting(
        "Five models, one test set",
        "200 rows, accuracies .8, half of the rows shared by all models.",
        several_correctness(200, 5, 0.8, 0.5),
        OMNIBUS_ROWS,
        family="five models",
    ),
    Setting(
        "Five models, small test set",
        "30 rows, accuracies .9, half of the rows shared by all models.",
        several_correctness(30, 5, 0.9, 0.5),
        OMNIBUS_ROWS,
        family="few rows",
    ),
    Setting(
        "One algorithm, refitted",
        "Nearest centroid, tested against its true expected accuracy.",
        one_algorithm(nearest_centroid),
        one_on_folds(CENTROID_ACCURACY),
        family="nearest centroid",
    ),
    Setting(
        "One algorithm, refitted: nearest neighbour",
        "The same with one nearest neighbour.",
        one_algorithm(neighbours(1)),
        one_on_folds(NEIGHBOUR_ACCURACY),
        family="k-nearest neighbours",
    ),
    Setting(
        "Four algorithms, refitted over 10 folds",
        "Nearest centroid, four exchangeable feature sets; the criteria are the recalls of the two "
        "classes.",
        several_refits(nearest_centroid),
        SEVERAL_ON_FOLDS,
        family="nearest centroid",
    ),
    Setting(
        "Four algorithms, refitted over 10 folds: nearest neighbour",
        "The same with one nearest neighbour.",
        several_refits(neighbours(1)),
        SEVERAL_ON_FOLDS,
        family="k-nearest neighbours",
    ),
    Setting(
        "Five algorithms over 15 data sets",
        "Data sets of unlike difficulty and spread, heavy-tailed scores with four decimals.",
        datasets(15, 5, 4),
        DATASET_TESTS,
        family="several data sets",
    ),
    Setting(
        "Five algorithms over 15 data sets, with ties",
        "The same with two decimals.",
        datasets(15, 5, 2),
        DATASET_TESTS,
        family="ties",
    ),
    *(
        Setting(
            f"Five algorithms over {n} data sets, a fifth of the scores missing{tied}",
            f"The same with scores missing at random, {digits} decimals.",
            incomplete(n, 5, digits, 0.2),
            (Trial("many", "wilcoxon_signed_rank", {"missing": "omit"}, share=0.5),),
            family="ties" if tied else "several data sets",
        )
        for n in (12, 30)
        for digits, tied in ((4, ""), (2, ", with ties"))
    ),
)
