"""Tests for comparing classifiers: arrays in, frozen results out.

Pure functions: nothing here reads a file, knows an experiment or imports another room of the
package. `catalogue` lists every test with what it needs and what its null is about.
"""

from typing import TYPE_CHECKING

from bakeoff.stats.core.checks import ArgumentError
from bakeoff.stats.core.error_rates import ErrorRate, TypeOneError
from bakeoff.stats.core.multiplicity import (
    adjust_pvalues,
    canonical_method,
    shaffer_static,
    simultaneous_level,
)
from bakeoff.stats.core.pairs import Pair, PairwiseResult, all_pairs
from bakeoff.stats.core.registry import IN_GROUPS, RETIRED, Arity, Entry, Evidence, catalogue
from bakeoff.stats.core.result import (
    Assumption,
    BayesResult,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
    as_float,
    plain,
)
from bakeoff.stats.datasets.rank_tests import (
    cd_groups,
    conover_friedman,
    friedman,
    friedman_posthoc,
    iman_davenport,
    kruskal_wallis,
    nemenyi,
    quade,
)
from bakeoff.stats.datasets.standings import Strengths, WinRates, bradley_terry, win_rates
from bakeoff.stats.datasets.two import bayes_signed_rank, sign_test, wilcoxon_signed_rank
from bakeoff.stats.design.clusters import (
    Dependence,
    ItemsAndRuns,
    items_and_runs,
    row_dependence,
    time_blocks,
)
from bakeoff.stats.design.groups import ClusteredEquivalenceResult, ClusteredResult
from bakeoff.stats.design.row_order import OrderDependence, order_dependence
from bakeoff.stats.folds.anova import anova_oneway, anova_repeated_measures, tukey_hsd
from bakeoff.stats.folds.cv5x2_rows import cv5x2_mcnemar, cv5x2_mcnemar_from_counts, cv5x2_z
from bakeoff.stats.folds.equivalence import tost_cv5x2
from bakeoff.stats.folds.manova import manova
from bakeoff.stats.folds.replicability import (
    Replicability,
    prob_a_better,
    prob_a_better_sample_size,
    replicability_count,
)
from bakeoff.stats.folds.t_tests import (
    bayes_correlated_t,
    corrected_kfold_t,
    corrected_one_sample_t,
    corrected_repeated_kfold_t,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    half_sample_one_t,
    half_sample_t,
    kfold_t,
    one_sample_t,
    resampled_t,
    tost_folds,
    tost_half_samples,
)
from bakeoff.stats.folds.variance_parts import (
    VarianceComponents,
    variance_components,
    variance_components_from_means,
)
from bakeoff.stats.gate import (
    Release,
    accuracy_limits,
    check_margin,
    decide_release,
    rows_to_decide,
)
from bakeoff.stats.metrics.best_models import BestResult, best_by_values, best_models
from bakeoff.stats.metrics.calibration import CALIBRATION_INTERCEPT, CALIBRATION_SLOPE
from bakeoff.stats.metrics.differences import (
    looks_at,
    metric_ci,
    metric_difference,
    test_set_metrics,
)
from bakeoff.stats.metrics.equivalence import (
    Limits,
    mean_limits,
    metric_equivalence,
    metric_limits,
)
from bakeoff.stats.metrics.influence import Influence, influence
from bakeoff.stats.metrics.means import mean_ci, mean_difference
from bakeoff.stats.metrics.metric import POINTS, Metric, Need
from bakeoff.stats.metrics.named import METRICS
from bakeoff.stats.metrics.own import own_metric
from bakeoff.stats.metrics.subgroups import mean_interaction, metric_interaction
from bakeoff.stats.planning import (
    FiveByTwoPower,
    McNemarPower,
    MetricPower,
    Power,
    PowerResult,
    detectable_difference,
    smallest_discordant_count,
)
from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.cochran import cochran_q, looney_f
from bakeoff.stats.rows.costs import cost_sensitive, cost_sensitive_from_counts
from bakeoff.stats.rows.equivalence import noninferiority, tost_paired, tost_paired_from_counts
from bakeoff.stats.rows.mcnemar import (
    McNemarResult,
    mcnemar,
    mcnemar_from_counts,
    mcnemar_pvalues,
    paired_difference_ci,
    paired_odds_ratio_ci,
)
from bakeoff.stats.rows.ordered import SerialResult, diebold_mariano, diebold_mariano_means
from bakeoff.stats.rows.proportions import (
    binomial_test,
    binomial_test_from_counts,
    proportion_ci,
    proportion_difference,
    proportion_difference_from_counts,
)
from bakeoff.stats.runs.differences import (
    recipe_ci,
    recipe_difference,
    recipe_mean_ci,
    recipe_mean_difference,
)
from bakeoff.stats.runs.equivalence import tost_recipe_means, tost_recipes
from bakeoff.stats.runs.passes import pass_at, pass_hat
from bakeoff.stats.runs.recipe import Runs

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a registered test that has no import of its own above."""
        if not name.startswith("_") and (entry := catalogue().get(name)) is not None:
            return entry.function
        instead = f": {RETIRED[name]}" if name in RETIRED else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{instead}")


__all__ = [
    "CALIBRATION_INTERCEPT",
    "CALIBRATION_SLOPE",
    "IN_GROUPS",
    "METRICS",
    "POINTS",
    "RETIRED",
    "ArgumentError",
    "Arity",
    "Assumption",
    "BayesResult",
    "BestResult",
    "ClusteredEquivalenceResult",
    "ClusteredResult",
    "ConfidenceInterval",
    "Dependence",
    "Entry",
    "EquivalenceResult",
    "ErrorRate",
    "Evidence",
    "FiveByTwoPower",
    "Influence",
    "ItemsAndRuns",
    "Limits",
    "McNemarPower",
    "McNemarResult",
    "Metric",
    "MetricPower",
    "Need",
    "OrderDependence",
    "Pair",
    "PairwiseResult",
    "Power",
    "PowerResult",
    "Release",
    "Replicability",
    "Result",
    "Runs",
    "SerialResult",
    "Status",
    "Strengths",
    "TypeOneError",
    "VarianceComponents",
    "WinRates",
    "accuracy_limits",
    "adjust_pvalues",
    "all_pairs",
    "anova_oneway",
    "anova_repeated_measures",
    "as_float",
    "bayes_correlated_t",
    "bayes_signed_rank",
    "best_by_values",
    "best_models",
    "binomial_test",
    "binomial_test_from_counts",
    "bradley_terry",
    "canonical_method",
    "catalogue",
    "cd_groups",
    "check_margin",
    "cochran_q",
    "conover_friedman",
    "corrected_kfold_t",
    "corrected_one_sample_t",
    "corrected_repeated_kfold_t",
    "corrected_resampled_t",
    "cost_sensitive",
    "cost_sensitive_from_counts",
    "cv5x2_f",
    "cv5x2_mcnemar",
    "cv5x2_mcnemar_from_counts",
    "cv5x2_t",
    "cv5x2_z",
    "decide_release",
    "delong",
    "detectable_difference",
    "diebold_mariano",
    "diebold_mariano_means",
    "friedman",
    "friedman_posthoc",
    "half_sample_one_t",
    "half_sample_t",
    "iman_davenport",
    "influence",
    "items_and_runs",
    "kfold_t",
    "kruskal_wallis",
    "looks_at",
    "looney_f",
    "manova",
    "mcnemar",
    "mcnemar_from_counts",
    "mcnemar_pvalues",
    "mean_ci",
    "mean_difference",
    "mean_interaction",
    "mean_limits",
    "metric_ci",
    "metric_difference",
    "metric_equivalence",
    "metric_interaction",
    "metric_limits",
    "nemenyi",
    "noninferiority",
    "one_sample_t",
    "order_dependence",
    "own_metric",
    "paired_difference_ci",
    "paired_odds_ratio_ci",
    "pass_at",
    "pass_hat",
    "plain",
    "prob_a_better",
    "prob_a_better_sample_size",
    "proportion_ci",
    "proportion_difference",
    "proportion_difference_from_counts",
    "quade",
    "recipe_ci",
    "recipe_difference",
    "recipe_mean_ci",
    "recipe_mean_difference",
    "replicability_count",
    "resampled_t",
    "row_dependence",
    "rows_to_decide",
    "shaffer_static",
    "sign_test",
    "simultaneous_level",
    "smallest_discordant_count",
    "test_set_metrics",
    "time_blocks",
    "tost_cv5x2",
    "tost_folds",
    "tost_half_samples",
    "tost_paired",
    "tost_paired_from_counts",
    "tost_recipe_means",
    "tost_recipes",
    "tukey_hsd",
    "variance_components",
    "variance_components_from_means",
    "wilcoxon_signed_rank",
    "win_rates",
]
