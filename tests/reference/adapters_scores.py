"""Reference cases of scores: on folds, resamplings and halves, and over several data sets."""

from itertools import combinations

import numpy as np
from scipy.stats import chi2

from bakeoff import stats
from bakeoff.stats.datasets.standings import group_means, with_failures_last
from bakeoff.stats.design.clusters import as_clusters
from tests.reference.told import row

CORRECTIONS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY", "shaffer_static")


def _bayes_correlated_t(scores_a, scores_b, runs, rope):
    a, b = (np.reshape(scores, (runs, -1)) for scores in (scores_a, scores_b))
    return stats.bayes_correlated_t(a, b, rope=rope)


def _hotelling_paired(differences):
    """T² of two models on the same folds by its relation to the Hotelling-Lawley trace."""
    d = np.asarray(differences, dtype=float)
    result = stats.manova(np.stack((d, np.zeros_like(d)), axis=1), statistic="hotelling-lawley")
    return _hotelling(result, len(d) - 1)


def _hotelling_two_sample(X, Y):
    """T² of two models on different folds, where the shorter sample is filled with NaN."""
    folds = max(len(X), len(Y))
    filled = [np.pad(x, ((0, folds - len(x)), (0, 0)), constant_values=np.nan) for x in (X, Y)]
    result = stats.manova(
        np.stack(filled, axis=1), statistic="hotelling-lawley", blocks=False, nan_policy="omit"
    )
    return _hotelling(result, len(X) + len(Y) - 2)


def _hotelling(result, df):
    first, second = result.details["means"]
    return {
        "df1": result.df1,
        "df2": result.df2,
        "pvalue": result.pvalue,
        "t2": df * result.statistic,
        "statistic": result.details["hotelling-lawley"]["approx_F"],
        "mean_difference": first - second,
    }


def _manova(Y, model, fold, blocks):
    y = np.asarray(Y, dtype=float)
    models, folds = (np.unique(codes, return_inverse=True)[1] for codes in (model, fold))
    cube = np.full((folds.max() + 1, models.max() + 1, y.shape[1]), np.nan)
    cube[folds, models] = y
    return stats.manova(cube, blocks=blocks, nan_policy="omit")


def effective(found):
    """Return χ² of the effective table: z² with the variance of the rows, guarded or not."""
    return found["statistic"] ** 2 * found["se"] ** 2 / found["variance_rows"]


def half_sample(
    half_differences, full_differences=None, alternative="two-sided", confidence_level=0.95
):
    halves = np.reshape(half_differences, (-1, 1))
    full = () if full_differences is None else np.c_[np.array(full_differences)]
    # the file has the means of the halves, and of all rows: K folds of the same mean
    rows = np.vstack([np.tile(halves, len(full[0])), full]) if len(full) else halves
    return stats.half_sample_t(
        rows,
        np.zeros_like(rows),
        full_repeats=len(full),
        variant="full" if len(full) else "halves",
        alternative=alternative,
        confidence_level=confidence_level,
    )


def _posthoc(scores, control):
    every = CORRECTIONS if control is None else CORRECTIONS[:-1]
    results = {m: stats.friedman_posthoc(scores, control=control, correction=m) for m in every}
    pairs = results["holm"].pairs
    adjusted = {m: [pair.pvalue_adjusted for pair in r.pairs] for m, r in results.items()}
    # of all pairs the file has z = (R_a − R_b)/SE, positive when a ranks worse; ours favours a
    sign = -1 if control is None else 1
    return adjusted | {
        "z": [sign * pair.statistic for pair in pairs],
        "pvalue": [pair.pvalue for pair in pairs],
        "adjusted": adjusted,
        "bonferroni_dunn": adjusted["bonferroni"],
        "bonferroni_dunn_cd_0.05": results["bonferroni"].details.get("critical_difference"),
    }


def _omnibus(scores, greater_is_better=True):
    chi2 = stats.friedman(scores, method="asymptotic", greater_is_better=greater_is_better)
    f = stats.iman_davenport(scores, greater_is_better=greater_is_better)
    return {
        "n": f.n,
        "friedman": chi2.statistic,
        "friedman_pvalue": chi2.pvalue,
        "iman_davenport": f.statistic,
        "df1": f.df1,
        "df2": f.df2,
        "iman_davenport_pvalue": f.pvalue,
        "average_ranks": chi2.details["average_ranks"],
    }


def _nemenyi_and_z(scores, greater_is_better):
    nemenyi = stats.nemenyi(scores, greater_is_better=greater_is_better)
    z = stats.friedman_posthoc(scores, greater_is_better=greater_is_better)
    return {
        **{name: [getattr(pair, name) for pair in z.pairs] for name in ("pvalue", "estimate")},
        "pairs": [[pair.a, pair.b] for pair in z.pairs],
        "holm": [pair.pvalue_adjusted for pair in z.pairs],
        "z": [pair.statistic for pair in z.pairs],
        "nemenyi": [pair.pvalue_adjusted for pair in nemenyi.pairs],
        "critical_difference": nemenyi.details["critical_difference"],
    }


def _wilcoxon(scores, greater_is_better):
    pairs = list(combinations(range(scores.shape[1]), 2))
    how = {"missing": "omit", "method": "exact", "greater_is_better": greater_is_better}
    found = [stats.wilcoxon_signed_rank(scores[:, a], scores[:, b], **how) for a, b in pairs]
    return {
        "pairs": pairs,
        "n_common": [result.n for result in found],
        "w_plus": [result.statistic for result in found],
        "pvalue": [result.pvalue for result in found],
        "holm": stats.adjust_pvalues([result.pvalue for result in found], "holm"),
    }


def _failures(scores, greater_is_better):
    return _omnibus(with_failures_last(scores if greater_is_better else -scores))


def _groups(scores, groups):
    return _omnibus(group_means(scores, as_clusters(groups, len(scores)).codes))


def upper(table):
    """Return what a table of models against models says of each pair."""
    return table[np.triu_indices(len(table), 1)]


def at_pairs(name):
    return lambda found: upper(found[name])


def pairs(found):
    models = len(found["low"])
    return np.column_stack(np.triu_indices(models, 1))


NO_CONTINUITY = {"method": "asymptotic", "continuity": False}
ADAPTERS = {
    "cv5x2_t": row(
        stats.cv5x2_t,
        all_ten_t=lambda found: found["all_ten_t"].ravel(),
        convention=lambda _: {"all_ten_t": ["NaN"] * 10},  # without variance
    ),
    "cv5x2_f": row(stats.cv5x2_f),
    "paired_t": row(stats.kfold_t),
    "corrected_resampled_t": row(stats.corrected_resampled_t),
    "corrected_kfold_t": row(stats.corrected_kfold_t),
    "corrected_repeated_kfold_t": row(stats.corrected_repeated_kfold_t),
    "bayes_correlated_t": row(
        _bayes_correlated_t,
        p_rope="p_equivalent",
        posterior_mean_B_minus_A=lambda found: -found["posterior_mean"],
    ),
    "anova_repeated_measures": row(
        stats.anova_repeated_measures, {"sphericity_assumed": {"correction": "none"}}
    ),
    "anova_oneway": row(
        stats.anova_oneway,
        {
            "f": {"equal_var": True, "nan_policy": "omit"},
            "welch": {"equal_var": False, "nan_policy": "omit"},
        },
    ),
    "tukey_hsd": row(
        stats.tukey_hsd,
        {"all_pairs": {"blocks": False, "nan_policy": "omit"}},
        # the reference subtracts the first from the second, so its limits change places too
        diff=lambda found: np.negative(found["estimate"]),
        ci_lower=lambda found: [-high for _, high in found["ci"]],
        ci_upper=lambda found: [-low for low, _ in found["ci"]],
        pvalue="pvalue_adjusted",
    ),
    ("hotelling_t2", "paired_differences"): row(_hotelling_paired),
    ("hotelling_t2", "two_sample"): row(_hotelling_two_sample),
    "manova": row(
        _manova,
        {"models_plus_fold_blocks": {"blocks": True}, "one_way": {"blocks": False}},
        hotelling_lawley="hotelling-lawley",
    ),
    "cv5x2_mcnemar": row(
        stats.cv5x2_mcnemar_from_counts,
        {"effective_table": {"variant": "plain"}, "corrected": {"variant": "corrected"}},
        b_e="effective_only_a",
        c_e="effective_only_b",
        statistic=effective,
        df=lambda _: 1,
        pvalue=lambda found: chi2.sf(effective(found), 1),
    ),
    ("cv5x2_mcnemar", "guarded"): row(stats.cv5x2_mcnemar_from_counts),
    "half_sample_t": row(half_sample),
    "folds_half_sample_t": row(half_sample),
    "folds_cv5x2_f": row(stats.cv5x2_f),
    "folds_cv5x2_t": row(stats.cv5x2_t),
    "wilcoxon_signed_rank": row(
        stats.wilcoxon_signed_rank,
        {
            "all_zero": {},
            "asymptotic": {"zeros": "wilcox"} | NO_CONTINUITY,
            "asymptotic_cc": {"zeros": "wilcox", "method": "asymptotic", "continuity": True},
            "exact_zeros_dropped": {"zeros": "wilcox", "method": "exact"},
            "pratt_asymptotic": {"zeros": "pratt"} | NO_CONTINUITY,
            "pratt_exact": {"zeros": "pratt", "method": "exact"},
        },
    ),
    ("wilcoxon_signed_rank", "demsar_zsplit_asymptotic"): row(
        stats.wilcoxon_signed_rank,
        {"demsar_zsplit_asymptotic": {"zeros": "zsplit", "method": "asymptotic"}},
        z="demsar_z",
        pvalue="demsar_pvalue",
        statistic="demsar_t",
    ),
    "friedman": row(
        stats.friedman,
        {"chi_square": {"method": "asymptotic"}, "exact_permutation": {"method": "exact"}},
    ),
    "iman_davenport": row(stats.iman_davenport),
    "quade": row(stats.quade),
    "kruskal_wallis": row(stats.kruskal_wallis, {"chi_square": {"missing": "omit"}}),
    "friedman_posthoc_z": row(
        _posthoc, {"all_pairs": {"control": None}, "versus_control_first_column": {"control": 0}}
    ),
    "nemenyi": row(
        stats.nemenyi,
        abs_rank_difference=lambda found: np.abs(found["estimate"]),
        pvalue="pvalue_adjusted",
        critical_difference="critical_differences",
        **{"q_alpha_0.05": "q_alpha"},
    ),
    "conover_friedman": row(
        stats.conover_friedman,
        {"all_pairs": {"correction": "holm"}},
        t_abs=lambda found: np.abs(found["statistic"]),
        df=lambda found: found["df"][0],
    ),
    ("score_table", "omnibus"): row(_omnibus),
    ("score_table", "nemenyi_and_z"): row(_nemenyi_and_z),
    ("score_table", "wilcoxon_on_common"): row(_wilcoxon),
    ("score_table", "failures_worst_rank"): row(_failures),
    ("score_table", "groups_of_data_sets"): row(_groups),
    "win_rate": row(stats.win_rates),
    ("win_rate", "pair"): row(
        stats.win_rates,
        pairs=pairs,
        wins=at_pairs("wins"),
        draws=at_pairs("draws"),
        losses=lambda found: upper(found["wins"].T),
        rate=at_pairs("pair_rate"),
        low=at_pairs("pair_low"),
        high=at_pairs("pair_high"),
    ),
    "bradley_terry": row(
        stats.bradley_terry,
        wins_with_half_draws="points",
        pair=pairs,
        difference=lambda found: upper(np.subtract.outer(found["strength"], found["strength"])),
        difference_se=at_pairs("difference_se"),
        win_probability=at_pairs("win_probability"),
    ),
}
