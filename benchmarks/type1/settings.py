"""The settings of the study: how evidence is drawn, and the tests that are run on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from benchmarks.type1.evidence import (
    datasets,
    difference_at_margin,
    incomplete,
    labels_and_scores,
    one_model,
    paired_correctness,
    several_correctness,
)
from benchmarks.type1.learners import (
    NEIGHBOUR_ACCURACY,
    linear_discriminant,
    nearest_centroid,
    nearest_neighbour,
    random_subspace,
    true_accuracy,
)
from benchmarks.type1.refits import (
    one_algorithm,
    refits,
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
FOLD_TESTS = (
    Trial("5x2", "cv5x2_f"),
    Trial("5x2", "cv5x2_t"),
    Trial("10-fold", "corrected_kfold_t"),
    Trial("3x10-fold", "corrected_repeated_kfold_t"),
    Trial("30 splits", "corrected_resampled_t", {"n_train": 160, "n_test": 40}),
)
STABLE = (
    *FOLD_TESTS,
    Trial("10-fold", "kfold_t"),
    Trial("30 splits", "resampled_t", expected="liberal"),
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


def one_on_folds(truth: Mapping[int, float], expected: str = "holds") -> tuple[Trial, ...]:
    """Return the tests of one algorithm against its accuracy on 180 and on 160 rows."""
    return (
        Trial("10-fold", "one_sample_t", {"mu0": truth[180]}, expected),
        Trial("30 splits", "one_sample_t", {"mu0": truth[160]}, expected="liberal"),
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
        (*MCNEMAR, Trial("pair", "proportion_difference", expected="liberal")),
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
        "Two algorithms, refitted: nearest centroid",
        "200 rows of two classes; each algorithm sees two common features and four of its own, "
        "drawn from one distribution. The learner is stable, so even the k-fold test holds.",
        refits(nearest_centroid, same_features=False),
        STABLE,
        family="nearest centroid",
    ),
    Setting(
        "Two algorithms, refitted: linear discriminant",
        "The same with a covariance to estimate.",
        refits(linear_discriminant, same_features=False),
        STABLE,
        family="linear discriminant analysis",
    ),
    Setting(
        "Two algorithms, refitted: nearest neighbour (a hard case)",
        "The same with one nearest neighbour. Rows are often each other's nearest neighbours, so "
        "scores of different folds depend on each other more than any of these tests assumes: the "
        "two differences of a 2-fold replication correlate at .46 (nearest centroid: .09). Only "
        "the corrected k-fold test on a single cross-validation holds; the other recommended tests "
        "reject about twice as often as they should.",
        refits(nearest_neighbour, same_features=False),
        tuple(
            dataclasses.replace(
                trial, expected="holds" if trial.test == "corrected_kfold_t" else "liberal"
            )
            for trial in STABLE
        ),
        family="k-nearest neighbours",
    ),
    Setting(
        "A randomised algorithm against itself",
        "Nearest centroid on three of six features, which every fit draws anew: two runs with "
        "different seeds. Fits hardly depend on each other, so little is left to correct.",
        refits(random_subspace, same_features=True),
        (*FOLD_TESTS, Trial("10-fold", "kfold_t"), Trial("30 splits", "resampled_t")),
        family="seeds alone",
    ),
    Setting(
        "One algorithm, refitted",
        "Nearest centroid, tested against its true expected accuracy.",
        one_algorithm(nearest_centroid),
        one_on_folds({180: true_accuracy(180), 160: true_accuracy(160)}),
        family="nearest centroid",
    ),
    Setting(
        "One algorithm, refitted: nearest neighbour",
        "The same with one nearest neighbour.",
        one_algorithm(nearest_neighbour),
        one_on_folds(NEIGHBOUR_ACCURACY, "liberal"),
        family="k-nearest neighbours",
    ),
    *(
        Setting(
            title,
            about,
            several_refits(fit),
            tuple(dataclasses.replace(trial, expected=expected) for trial in SEVERAL_ON_FOLDS),
            family=family,
        )
        for title, about, fit, family, expected in (
            (
                "Four algorithms, refitted over 10 folds",
                "Nearest centroid, four exchangeable feature sets; the criteria are the recalls "
                "of the two classes.",
                nearest_centroid,
                "nearest centroid",
                "holds",
            ),
            (
                "Four algorithms, refitted over 10 folds: nearest neighbour",
                "The same with one nearest neighbour.",
                nearest_neighbour,
                "k-nearest neighbours",
                "liberal",
            ),
        )
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
