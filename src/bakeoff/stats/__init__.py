"""Tests for comparing classifiers: arrays in, frozen results out.

Pure functions: nothing here reads a file, knows an experiment or imports another room of the
package. `catalogue` lists every test with what it needs and what its null is about.
"""

import inspect
from typing import TYPE_CHECKING

from bakeoff.stats.core.arguments import IN_GROUPS
from bakeoff.stats.core.checks import ArgumentError
from bakeoff.stats.core.error_rates import ErrorRate, TypeOneError
from bakeoff.stats.core.pairs import (
    Pair,
    PairwiseResult,
    adjust_pvalues,
    all_pairs,
    canonical_method,
    simultaneous_level,
)
from bakeoff.stats.core.registry import RETIRED, Arity, Entry, Evidence, catalogue
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
from bakeoff.stats.datasets.fold_means import FoldMeans, fold_means
from bakeoff.stats.datasets.mixed_units import sign_test, wilcoxon_log_ratios
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
from bakeoff.stats.datasets.sign_flips import SignFlips, joint_sign_flips
from bakeoff.stats.datasets.signed_ranks import wilcoxon_signed_rank
from bakeoff.stats.datasets.standings import Strengths, WinRates, bradley_terry, win_rates
from bakeoff.stats.design.clusters import (
    Dependence,
    OrderDependence,
    order_dependence,
    row_dependence,
    time_blocks,
)
from bakeoff.stats.design.groups import ClusteredEquivalenceResult, ClusteredResult
from bakeoff.stats.design.tasks import MacroDifference, macro_difference
from bakeoff.stats.folds.anova import anova_oneway, anova_repeated_measures, manova, tukey_hsd
from bakeoff.stats.folds.cv5x2_rows import cv5x2_mcnemar, cv5x2_mcnemar_from_counts, cv5x2_z
from bakeoff.stats.folds.fold_rows import (
    FoldRows,
    fold_rows,
    fold_rows_difference,
    fold_rows_score,
)
from bakeoff.stats.folds.t_tests import (
    bayes_correlated_t,
    corrected_kfold_t,
    corrected_mean_ci,
    corrected_repeated_kfold_t,
    corrected_resampled_t,
    cv5x2_f,
    cv5x2_t,
    half_sample_t,
    kfold_t,
    one_sample_t,
    resampled_t,
)
from bakeoff.stats.gate import (
    Limits,
    Release,
    accuracy_limits,
    check_margin,
    decide_release,
    macro_limits,
    mean_limits,
    metric_equivalence,
    metric_limits,
    rows_to_decide,
)
from bakeoff.stats.judged.agreement import (
    Agreement,
    ErrorRates,
    RatersAgreement,
    agreement,
    error_rates_of_judge,
    judge_favour,
    raters_agreement,
)
from bakeoff.stats.judged.battles import (
    BattleStrengths,
    RankRanges,
    battle_strengths,
    rank_ranges,
)
from bakeoff.stats.judged.corrected import (
    JudgeQuality,
    corrected_difference,
    corrected_mean,
    half_width_with,
    judge_of_accuracy,
    labels_needed,
)
from bakeoff.stats.judged.looks import (
    EProcess,
    Look,
    Looks,
    SpendingBounds,
    e_process,
    looks,
    spending_bounds,
)
from bakeoff.stats.judged.preferences import (
    PromptScores,
    preference_difference,
    prompt_scores,
    prompts_for_power,
)
from bakeoff.stats.metrics.differences import (
    looks_at,
    mean_ci,
    mean_difference,
    mean_interaction,
    metric_ci,
    metric_difference,
    metric_interaction,
    test_set_metrics,
)
from bakeoff.stats.metrics.family import BestResult, best_by_values, best_models
from bakeoff.stats.metrics.influence import Influence, influence
from bakeoff.stats.metrics.library import own_metric
from bakeoff.stats.metrics.metric import METRICS, POINTS, Metric, Need
from bakeoff.stats.planning import (
    FiveByTwoPower,
    McNemarPower,
    MetricPower,
    Power,
    PowerResult,
    detectable_difference,
    smallest_discordant_count,
)
from bakeoff.stats.planning_suites import NoninferiorityPower, RunsOfItems, SeedsPower
from bakeoff.stats.rows.auc import delong
from bakeoff.stats.rows.cochran import cochran_q, looney_f
from bakeoff.stats.rows.costs import cost_sensitive, cost_sensitive_from_counts
from bakeoff.stats.rows.mcnemar import (
    McNemarResult,
    mcnemar,
    mcnemar_from_counts,
    mcnemar_pvalues,
    noninferiority,
    paired_difference_ci,
    paired_odds_ratio_ci,
    tost_paired,
    tost_paired_from_counts,
)
from bakeoff.stats.rows.ordered import SerialResult, diebold_mariano, diebold_mariano_means
from bakeoff.stats.rows.proportions import (
    binomial_test,
    binomial_test_from_counts,
    proportion_ci,
    proportion_difference,
    proportion_difference_from_counts,
)
from bakeoff.stats.rows.suites import (
    Suite,
    TaskDifference,
    suite_ci,
    suite_difference,
    suite_mean_ci,
    suite_mean_difference,
    suite_of_metric,
    suite_of_values,
    task_differences,
)
from bakeoff.stats.runs.recipe import (
    Runs,
    pass_at,
    pass_hat,
    recipe_ci,
    recipe_difference,
    recipe_mean_ci,
    recipe_mean_difference,
)
from bakeoff.stats.runs.seeds import (
    PerformanceProfile,
    SuiteScores,
    iqm_difference,
    performance_profile,
    probability_of_improvement,
    seeds_difference,
    suite_scores,
)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Return a registered test that has no import of its own above."""
        if not name.startswith("_") and name in catalogue():
            return catalogue()[name].function
        message = f"module {__name__!r} has no attribute {name!r}"
        if name in RETIRED:
            message += f": {RETIRED[name]}"
        raise AttributeError(message)


__all__ = [
    name
    for name, value in globals().items()
    if not name.startswith("_") and name != "TYPE_CHECKING" and not inspect.ismodule(value)
]
