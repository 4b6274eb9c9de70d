"""What simulations show of each test: written by `python -m benchmarks.levels`."""

from __future__ import annotations

LEVELS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "anova_oneway": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "anova_repeated_measures": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "binomial_test": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "clustered_accuracy": (
        "holds",
        (),
        ("dependent/rates.csv", "dependent/uneven.csv"),
    ),
    "clustered_cochran_q": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "clustered_costs": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "clustered_delong": (
        "holds",
        (),
        ("dependent/uneven.csv",),
    ),
    "clustered_mcnemar": (
        "liberal",
        ("autocorrelation", "strong autocorrelation"),
        ("dependent/rates.csv", "dependent/uneven.csv"),
    ),
    "clustered_mean_difference": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "clustered_noninferiority": (
        "holds",
        (),
        ("dependent/rates.csv", "dependent/uneven.csv"),
    ),
    "clustered_tost": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "cochran_q": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "compare_models": (
        "holds",
        (),
        ("any_metric_families.csv",),
    ),
    "compare_values": (
        "holds",
        (),
        ("any_metric_families.csv",),
    ),
    "conover_friedman": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "corrected_kfold_t": (
        "liberal",
        ("shrunken",),
        ("type1/rates.csv", "crossval/rates.csv", "dependent/folds.csv"),
    ),
    "corrected_one_sample_t": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "corrected_repeated_kfold_t": (
        "liberal",
        ("neighbours", "shrunken", "trees and selection", "neighbours by AUC", "rows in groups"),
        ("type1/rates.csv", "crossval/rates.csv", "dependent/folds.csv"),
    ),
    "corrected_resampled_t": (
        "liberal",
        ("neighbours", "shrunken", "neighbours by AUC", "rows in groups"),
        ("type1/rates.csv", "crossval/rates.csv", "dependent/folds.csv"),
    ),
    "cost_sensitive": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "crossed_mcnemar": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "cv5x2_f": (
        "liberal",
        ("neighbours", "shrunken", "linear by AUC", "neighbours by AUC", "rows in groups"),
        ("type1/rates.csv", "crossval/rates.csv", "dependent/folds.csv"),
    ),
    "cv5x2_mcnemar": (
        "liberal",
        ("failing fits", "rows in groups"),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "cv5x2_t": (
        "liberal",
        ("neighbours", "shrunken", "linear by AUC", "neighbours by AUC", "rows in groups"),
        ("type1/rates.csv", "crossval/rates.csv", "dependent/folds.csv"),
    ),
    "delong": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "diebold_mariano": (
        "liberal",
        ("strong autocorrelation",),
        ("dependent/rates.csv",),
    ),
    "diebold_mariano_means": (
        "liberal",
        ("strong autocorrelation",),
        ("dependent/rates.csv",),
    ),
    "dunn": (
        "conservative",
        (),
        ("type1/rates.csv",),
    ),
    "friedman": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "friedman_aligned_ranks": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "friedman_posthoc": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "half_sample_one_t": (
        "holds",
        (),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "half_sample_t": (
        "holds",
        (),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "hotelling_t2": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "hotelling_t2_unpaired": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "iman_davenport": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "kfold_t": (
        "liberal",
        ("neighbours", "shrunken", "trees and selection", "neighbours by AUC", "rows in groups"),
        ("type1/rates.csv", "crossval/rates.csv"),
    ),
    "kruskal_wallis": (
        "conservative",
        (),
        ("type1/rates.csv",),
    ),
    "looney_f": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "manova": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "mcnemar": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "mean_difference": (
        "holds",
        (),
        ("dependent/uneven.csv", "any_metric.csv"),
    ),
    "metric_difference": (
        "holds",
        (),
        ("dependent/uneven.csv", "any_metric.csv"),
    ),
    "nemenyi": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "one_sample_t": (
        "liberal",
        ("linear", "neighbours"),
        ("type1/rates.csv",),
    ),
    "pairwise_clustered_mcnemar": (
        "holds",
        (),
        ("dependent/rates.csv",),
    ),
    "pairwise_cv5x2_mcnemar": (
        "liberal",
        ("failing fits", "rows in groups"),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "pairwise_mcnemar": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "pairwise_rank_sum": (
        "conservative",
        (),
        ("type1/rates.csv",),
    ),
    "pairwise_wilcoxon": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "proportion_difference": (
        "liberal",
        ("errors on different rows",),
        ("type1/rates.csv",),
    ),
    "quade": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "resampled_t": (
        "liberal",
        (
            "linear",
            "neighbours",
            "shrunken",
            "trees and selection",
            "failing fits",
            "linear by AUC",
            "neighbours by AUC",
            "rows in groups",
        ),
        ("type1/rates.csv", "crossval/rates.csv"),
    ),
    "sign_test": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "tost_cv5x2": (
        "liberal",
        ("failing fits", "rows in groups"),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "tost_folds": (
        "conservative",
        (),
        ("type1/rates.csv",),
    ),
    "tost_half_samples": (
        "holds",
        (),
        ("crossval/rates.csv", "dependent/folds.csv"),
    ),
    "tost_paired": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
    "tukey_hsd": (
        "liberal",
        ("neighbours",),
        ("type1/rates.csv",),
    ),
    "wilcoxon_signed_rank": (
        "holds",
        (),
        ("type1/rates.csv",),
    ),
}
"""The word, the families it is liberal for, the studies."""
