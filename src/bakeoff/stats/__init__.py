"""Tests for comparing classifiers: arrays in, frozen results out.

Pure functions: nothing here reads a file, knows an experiment or imports another room of the
package. `catalogue` lists every test with what it needs and what its null is about.
"""

from typing import TYPE_CHECKING

from bakeoff.stats.claims.accuracy import Claim, ClaimedTable, Rounded, accuracy_claim
from bakeoff.stats.claims.equivalence import metric_equivalence
from bakeoff.stats.claims.limits import Limits, accuracy_limits, mean_limits, metric_limits
from bakeoff.stats.claims.metrics import AreaClaim, F1Claim, area_claim, f1_claim
from bakeoff.stats.claims.release import (
    Release,
    check_margin,
    decide_release,
    level_of_use,
    rows_to_decide,
)
from bakeoff.stats.claims.repeats import RepeatsClaim, repeats_claim
from bakeoff.stats.core.error_rates import ErrorRate, TypeOneError
from bakeoff.stats.core.errors import ArgumentError
from bakeoff.stats.core.multiplicity import (
    adjust_pvalues,
    bergmann_hommel,
    canonical_method,
    shaffer_static,
    simultaneous_level,
)
from bakeoff.stats.core.pairs import Pair, PairwiseResult
from bakeoff.stats.core.pairwise import all_pairs
from bakeoff.stats.core.plain import as_float, plain
from bakeoff.stats.core.registry import IN_GROUPS, RETIRED, Arity, Entry, Evidence, catalogue
from bakeoff.stats.core.result import (
    Assumption,
    BayesResult,
    ConfidenceInterval,
    EquivalenceResult,
    Result,
    Status,
)
from bakeoff.stats.datasets.aligned import friedman_aligned_ranks, quade
from bakeoff.stats.datasets.bayes import bayes_sign, bayes_signed_rank
from bakeoff.stats.datasets.bradley_terry import Strengths, bradley_terry
from bakeoff.stats.datasets.many import friedman, iman_davenport
from bakeoff.stats.datasets.posthoc import cd_groups, conover_friedman, friedman_posthoc, nemenyi
from bakeoff.stats.datasets.signs import sign_test
from bakeoff.stats.datasets.skillings_mack import skillings_mack
from bakeoff.stats.datasets.two import wilcoxon_signed_rank
from bakeoff.stats.datasets.unpaired import dunn, kruskal_wallis, rank_sum
from bakeoff.stats.datasets.win_rates import WinRates, improvability, win_rates
from bakeoff.stats.design.cluster_result import ClusteredEquivalenceResult, ClusteredResult
from bakeoff.stats.design.dependence import Dependence, ItemsAndRuns, items_and_runs, row_dependence
from bakeoff.stats.design.row_design import time_blocks
from bakeoff.stats.design.row_order import OrderDependence, order_dependence
from bakeoff.stats.folds.anova import anova_oneway, anova_repeated_measures
from bakeoff.stats.folds.bayes import bayes_correlated_t
from bakeoff.stats.folds.corrected import (
    corrected_kfold_t,
    corrected_repeated_kfold_t,
    corrected_resampled_t,
)
from bakeoff.stats.folds.cv5x2_rows import cv5x2_mcnemar, cv5x2_mcnemar_from_counts
from bakeoff.stats.folds.equivalence import tost_cv5x2, tost_folds, tost_half_samples
from bakeoff.stats.folds.half_samples import half_sample_t
from bakeoff.stats.folds.manova import manova
from bakeoff.stats.folds.one_sample import corrected_one_sample_t, half_sample_one_t, one_sample_t
from bakeoff.stats.folds.t_tests import cv5x2_f, cv5x2_t, kfold_t, resampled_t
from bakeoff.stats.folds.tukey import tukey_hsd
from bakeoff.stats.metrics.best_models import BestResult, best_by_values, best_models
from bakeoff.stats.metrics.differences import (
    looks_at,
    metric_ci,
    metric_difference,
    test_set_metrics,
)
from bakeoff.stats.metrics.influence import Influence, influence
from bakeoff.stats.metrics.means import mean_ci, mean_difference
from bakeoff.stats.metrics.metric import POINTS, Metric, Need
from bakeoff.stats.metrics.named import METRICS
from bakeoff.stats.metrics.own import own_metric
from bakeoff.stats.metrics.subgroups import mean_interaction, metric_interaction
from bakeoff.stats.planning import (
    FiveByTwoPower,
    GroupsPower,
    HalfSamplePower,
    IntervalPower,
    MarginPower,
    McNemarPower,
    MetricPower,
    Power,
    PowerResult,
    expected_design_effect,
    smallest_discordant_count,
)
from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.cochran import cochran_q
from bakeoff.stats.rows.costs import cost_sensitive, cost_sensitive_from_counts
from bakeoff.stats.rows.equivalence import noninferiority, tost_paired, tost_paired_from_counts
from bakeoff.stats.rows.looney import looney_f
from bakeoff.stats.rows.mcnemar import mcnemar
from bakeoff.stats.rows.mcnemar_counts import McNemarResult, mcnemar_from_counts, mcnemar_pvalues
from bakeoff.stats.rows.minp import mcnemar_minp
from bakeoff.stats.rows.ordered import SerialResult, diebold_mariano, diebold_mariano_means
from bakeoff.stats.rows.paired_intervals import paired_difference_ci, paired_odds_ratio_ci
from bakeoff.stats.rows.proportion_intervals import proportion_ci
from bakeoff.stats.rows.single import binomial_test, binomial_test_from_counts
from bakeoff.stats.rows.two_proportions import (
    proportion_difference,
    proportion_difference_from_counts,
)
from bakeoff.stats.runs.components import RunsPower
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
    "IN_GROUPS",
    "METRICS",
    "POINTS",
    "RETIRED",
    "AreaClaim",
    "ArgumentError",
    "Arity",
    "Assumption",
    "BayesResult",
    "BestResult",
    "Claim",
    "ClaimedTable",
    "ClusteredEquivalenceResult",
    "ClusteredResult",
    "ConfidenceInterval",
    "Dependence",
    "Entry",
    "EquivalenceResult",
    "ErrorRate",
    "Evidence",
    "F1Claim",
    "FiveByTwoPower",
    "GroupsPower",
    "HalfSamplePower",
    "Influence",
    "IntervalPower",
    "ItemsAndRuns",
    "Limits",
    "MarginPower",
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
    "RepeatsClaim",
    "Result",
    "Rounded",
    "Runs",
    "RunsPower",
    "SerialResult",
    "Status",
    "Strengths",
    "TypeOneError",
    "WinRates",
    "accuracy_claim",
    "accuracy_limits",
    "adjust_pvalues",
    "all_pairs",
    "anova_oneway",
    "anova_repeated_measures",
    "area_claim",
    "as_float",
    "bayes_correlated_t",
    "bayes_sign",
    "bayes_signed_rank",
    "bergmann_hommel",
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
    "decide_release",
    "delong",
    "diebold_mariano",
    "diebold_mariano_means",
    "dunn",
    "expected_design_effect",
    "f1_claim",
    "friedman",
    "friedman_aligned_ranks",
    "friedman_posthoc",
    "half_sample_one_t",
    "half_sample_t",
    "iman_davenport",
    "improvability",
    "influence",
    "items_and_runs",
    "kfold_t",
    "kruskal_wallis",
    "level_of_use",
    "looks_at",
    "looney_f",
    "manova",
    "mcnemar",
    "mcnemar_from_counts",
    "mcnemar_minp",
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
    "proportion_ci",
    "proportion_difference",
    "proportion_difference_from_counts",
    "quade",
    "rank_sum",
    "recipe_ci",
    "recipe_difference",
    "recipe_mean_ci",
    "recipe_mean_difference",
    "repeats_claim",
    "resampled_t",
    "row_dependence",
    "rows_to_decide",
    "shaffer_static",
    "sign_test",
    "simultaneous_level",
    "skillings_mack",
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
    "wilcoxon_signed_rank",
    "win_rates",
]
