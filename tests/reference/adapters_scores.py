"""Reference cases of scores: on folds, resamplings and halves, and over several data sets."""

from functools import partial
from itertools import combinations

import numpy as np
from scipy.stats import chi2

from bakeoff import stats
from bakeoff.stats.datasets.standings import group_means, with_failures_last
from bakeoff.stats.design.clusters import as_clusters
from tests.reference.told import columns, on_all_sides, told


def of_scores(test, **options):
    """Return the adapter of a test that takes the scores of all models as they are."""
    return lambda inputs: told(test(inputs["scores"], **options))


def cv5x2_t(inputs):
    d = np.asarray(inputs["differences"], dtype=float)
    found = on_all_sides(stats.cv5x2_t, d, np.zeros_like(d))
    found["all_ten_t"] = found["all_ten_t"].ravel().tolist()
    return found | {"convention": {"all_ten_t": ["NaN"] * 10}}  # without variance


def cv5x2_f(inputs):
    d = np.asarray(inputs["differences"], dtype=float)
    return told(stats.cv5x2_f(d, np.zeros_like(d)))


def paired_t(inputs):
    side = inputs.get("alternative", "two.sided").replace(".", "-")
    return told(stats.kfold_t(inputs["scores_A"], inputs["scores_B"], alternative=side))


def _corrected(inputs, test):
    sizes = {size: inputs[size] for size in ("n_train", "n_test") if size in inputs}
    return on_all_sides(test, inputs["scores_A"], inputs["scores_B"], **sizes)


def bayes_correlated_t(inputs):
    a, b = (np.reshape(inputs[k], (inputs["runs"], -1)) for k in ("scores_A", "scores_B"))
    result = stats.bayes_correlated_t(a, b, rope=inputs["rope"])
    return told(result) | {
        "p_A_better": result.p_a_better,
        "p_rope": result.p_equivalent,
        "p_B_better": result.p_b_better,
        "posterior_mean_B_minus_A": -result.details["posterior_mean"],
    }


ADAPTERS = {
    ("cv5x2_t", "dietterich_1998"): cv5x2_t,
    ("cv5x2_f", "alpaydin_1999"): cv5x2_f,
    **{("paired_t", side): paired_t for side in ("all", "two_sided", "greater", "less")},
    ("corrected_resampled_t", "nadeau_bengio"): partial(
        _corrected, test=stats.corrected_resampled_t
    ),
    ("corrected_kfold_t", "rho_1_over_k"): partial(_corrected, test=stats.corrected_kfold_t),
    ("corrected_repeated_kfold_t", "bouckaert_frank"): partial(
        _corrected, test=stats.corrected_repeated_kfold_t
    ),
    ("bayes_correlated_t", "posterior"): bayes_correlated_t,
}


def _columns(groups):
    """One column per group, the shorter ones filled up with missing folds."""
    table = np.full((max(map(len, groups)), len(groups)), np.nan)
    for column, group in enumerate(groups):
        table[: len(group), column] = group
    return table


def _oneway(inputs, equal_var):
    result = stats.anova_oneway(_columns(inputs["groups"]), equal_var=equal_var, nan_policy="omit")
    return told(result)


def tukey_hsd(inputs):
    result = stats.tukey_hsd(
        _columns(inputs["groups"]),
        blocks=False,
        confidence_level=inputs["conf_level"],
        nan_policy="omit",
    )
    pairs = {(p.a + 1, p.b + 1): p for p in result.pairs}
    chosen = [pairs[tuple(pair)] for pair in inputs["pairs"]]
    # the reference subtracts the first from the second, so its limits change places too
    return {
        "diff": [-p.estimate for p in chosen],
        "ci_lower": [-p.ci.high for p in chosen if p.ci],
        "ci_upper": [-p.ci.low for p in chosen if p.ci],
        "pvalue": [p.pvalue_adjusted for p in chosen],
    }


ADAPTERS |= {
    ("anova_repeated_measures", "sphericity_assumed"): of_scores(
        stats.anova_repeated_measures, correction="none"
    ),
    ("anova_oneway", "f"): partial(_oneway, equal_var=True),
    ("anova_oneway", "welch"): partial(_oneway, equal_var=False),
    ("tukey_hsd", "all_pairs"): tukey_hsd,
}


def hotelling_paired(inputs):
    """T² of two models on the same folds by its relation to the Hotelling-Lawley trace."""
    d = np.asarray(inputs["differences"], dtype=float)
    result = stats.manova(np.stack((d, np.zeros_like(d)), axis=1), statistic="hotelling-lawley")
    return _hotelling(result, len(d) - 1)


def hotelling_two_sample(inputs):
    """T² of two models on different folds, where the shorter sample is filled with NaN."""
    samples = [np.asarray(inputs[name], dtype=float) for name in ("X", "Y")]
    folds = max(map(len, samples))
    filled = [np.pad(x, ((0, folds - len(x)), (0, 0)), constant_values=np.nan) for x in samples]
    result = stats.manova(
        np.stack(filled, axis=1), statistic="hotelling-lawley", blocks=False, nan_policy="omit"
    )
    return _hotelling(result, sum(map(len, samples)) - 2)


def _hotelling(result, df):
    first, second = result.details["means"]
    return told(result) | {
        "t2": df * result.statistic,
        "statistic": result.details["hotelling-lawley"]["approx_F"],
        "mean_difference": first - second,
    }


def _manova(inputs, blocks):
    y = np.asarray(inputs["Y"], dtype=float)
    models, folds = (np.unique(inputs[k], return_inverse=True)[1] for k in ("model", "fold"))
    cube = np.full((folds.max() + 1, models.max() + 1, y.shape[1]), np.nan)
    cube[folds, models] = y
    result = stats.manova(cube, blocks=blocks, nan_policy="omit")
    return {k.replace("-", "_"): v for k, v in result.details.items()}


ADAPTERS |= {
    ("hotelling_t2", "paired_differences"): hotelling_paired,
    ("hotelling_t2", "two_sample"): hotelling_two_sample,
    ("manova", "models_plus_fold_blocks"): partial(_manova, blocks=True),
    ("manova", "one_way"): partial(_manova, blocks=False),
}


def _cv5x2(inputs, variant="plain"):
    return stats.cv5x2_mcnemar_from_counts(
        inputs["b"],
        inputs["c"],
        inputs["n_test"],
        variant=variant,
        confidence_level=inputs["confidence_level"],
    )


def effective_table(inputs, variant="plain"):
    # χ² of the effective table is z² with the variance of the rows, whether or not the guard is at
    # work; its p-value is that of z
    result = _cv5x2(inputs, variant)
    ratio = result.details["se"] ** 2 / result.details["variance_rows"]
    statistic = result.statistic**2 * ratio
    return {
        "b_e": result.details["effective_only_a"],
        "c_e": result.details["effective_only_b"],
        "statistic": statistic,
        "df": 1,
        "pvalue": chi2.sf(statistic, 1),
    }


def half_sample(inputs):
    halves = np.asarray(inputs["half_differences"]).reshape(-1, 1)
    full = inputs.get("full_differences")
    # the file has the means of the halves: K folds of the same mean
    rows = halves if full is None else np.vstack([np.tile(halves, len(full[0])), full])
    result = stats.half_sample_t(
        rows,
        np.zeros_like(rows),
        full_repeats=0 if full is None else len(full),
        variant="halves" if full is None else "full",
        alternative=inputs.get("alternative", "two-sided"),
        confidence_level=inputs.get("confidence_level", 0.95),
    )
    return told(result)


ADAPTERS |= {
    ("cv5x2_mcnemar", "effective_table"): effective_table,
    ("cv5x2_mcnemar", "corrected"): partial(effective_table, variant="corrected"),
    ("cv5x2_mcnemar", "guarded"): lambda inputs: told(_cv5x2(inputs)),
    ("half_sample_t", "full"): half_sample,
    ("half_sample_t", "halves"): half_sample,
}


ALTERNATIVE = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def _signed_ranks(inputs, **options):
    return told(stats.wilcoxon_signed_rank(inputs["scores_A"], inputs["scores_B"], **options))


def _demsar(inputs):
    result = stats.wilcoxon_signed_rank(
        inputs["scores_A"], inputs["scores_B"], zeros="zsplit", method="asymptotic"
    )
    demsar = {name: result.details[f"demsar_{name}"] for name in ("z", "pvalue")}
    return told(result) | demsar | {"statistic": result.details["demsar_t"]}


ADAPTERS |= {
    ("wilcoxon_signed_rank", "all_zero"): _signed_ranks,
    ("wilcoxon_signed_rank", "demsar_zsplit_asymptotic"): _demsar,
}
for _name, _alternative in ALTERNATIVE.items():
    for _prefix, _options in {
        "asymptotic": {"zeros": "wilcox", "method": "asymptotic", "continuity": False},
        "asymptotic_cc": {"zeros": "wilcox", "method": "asymptotic", "continuity": True},
        "exact_zeros_dropped": {"zeros": "wilcox", "method": "exact"},
        "pratt_asymptotic": {"zeros": "pratt", "method": "asymptotic", "continuity": False},
        "pratt_exact": {"zeros": "pratt", "method": "exact"},
    }.items():
        ADAPTERS["wilcoxon_signed_rank", f"{_prefix}_{_name}"] = partial(
            _signed_ranks, alternative=_alternative, **_options
        )


ADAPTERS |= {
    ("friedman", "chi_square"): of_scores(stats.friedman, method="asymptotic"),
    ("friedman", "exact_permutation"): of_scores(stats.friedman, method="exact"),
    ("iman_davenport", "f"): of_scores(stats.iman_davenport),
    ("quade", "f"): of_scores(stats.quade),
    ("kruskal_wallis", "chi_square"): lambda inputs: told(
        stats.kruskal_wallis(_columns(inputs["groups"]), missing="omit")
    ),
}


CORRECTIONS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY")


def _p(result):
    return [pair.pvalue for pair in result.pairs]


def _adjusted(result):
    return [pair.pvalue_adjusted for pair in result.pairs]


def _posthoc_all_pairs(inputs):
    results = {
        method: stats.friedman_posthoc(inputs["scores"], correction=method)
        for method in (*CORRECTIONS, "shaffer_static")
    }
    pairs = results["holm"].pairs
    return {
        # the reference has z = (R_a − R_b)/SE, positive when a ranks worse; ours favours a
        "z": [-pair.statistic for pair in pairs],
        "pvalue": _p(results["holm"]),
        "adjusted": {method: _adjusted(result) for method, result in results.items()},
    }


def _posthoc_control(inputs):
    results = {
        method: stats.friedman_posthoc(inputs["scores"], control=0, correction=method)
        for method in CORRECTIONS
    }
    return {
        "z": [pair.statistic for pair in results["holm"].pairs],
        "pvalue": _p(results["holm"]),
        "bonferroni_dunn": _adjusted(results["bonferroni"]),
        "bonferroni_dunn_cd_0.05": results["bonferroni"].details["critical_difference"],
    } | {method: _adjusted(result) for method, result in results.items()}


def _nemenyi(inputs):
    result = stats.nemenyi(inputs["scores"])
    return {
        "abs_rank_difference": [abs(pair.estimate) for pair in result.pairs],
        "pvalue": _adjusted(result),
        "critical_difference": result.details["critical_differences"],
        "q_alpha_0.05": result.details["q_alpha"],
    }


def _conover(inputs):
    result = stats.conover_friedman(inputs["scores"], correction="holm")
    return columns(result) | {
        "t_abs": [abs(pair.statistic) for pair in result.pairs],
        "df": result.pairs[0].df,
    }


ADAPTERS |= {
    ("friedman_posthoc_z", "all_pairs"): _posthoc_all_pairs,
    ("friedman_posthoc_z", "versus_control_first_column"): _posthoc_control,
    ("nemenyi", "all_pairs"): _nemenyi,
    ("conover_friedman", "all_pairs"): _conover,
}


def _scores(inputs):
    return np.array(inputs["scores"], dtype=np.float64)  # "NaN" is a missing cell


def _better(inputs):
    return {"greater_is_better": inputs.get("greater_is_better", True)}


def _omnibus(table, **better):
    chi2 = stats.friedman(table, method="asymptotic", **better)
    f = stats.iman_davenport(table, **better)
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


def _posthoc(inputs):
    z = stats.friedman_posthoc(_scores(inputs), **_better(inputs))
    of_nemenyi = stats.nemenyi(_scores(inputs), **_better(inputs))
    return columns(z) | {
        "z": [pair.statistic for pair in z.pairs],
        "nemenyi": [pair.pvalue_adjusted for pair in of_nemenyi.pairs],
        "critical_difference": of_nemenyi.details["critical_difference"],
    }


def _wilcoxon(inputs):
    table = _scores(inputs)
    pairs = list(combinations(range(table.shape[1]), 2))
    found = [
        stats.wilcoxon_signed_rank(
            table[:, a], table[:, b], missing="omit", method="exact", **_better(inputs)
        )
        for a, b in pairs
    ]
    return {
        "pairs": [list(pair) for pair in pairs],
        "n_common": [result.n for result in found],
        "w_plus": [result.statistic for result in found],
        "pvalue": [result.pvalue for result in found],
        "holm": stats.adjust_pvalues([result.pvalue for result in found], "holm"),
    }


def _failures(inputs):
    oriented = _scores(inputs) * (1 if _better(inputs)["greater_is_better"] else -1)
    return _omnibus(with_failures_last(oriented))


def _groups(inputs):
    table = _scores(inputs)
    codes = as_clusters(inputs["groups"], len(table)).codes
    return _omnibus(group_means(table, codes), **_better(inputs))


def _options(inputs):
    own = {key: inputs[key] for key in ("groups", "confidence_level", "prior") if key in inputs}
    return {**own, **_better(inputs)}


def _field(inputs):
    found = stats.win_rates(_scores(inputs), **_options(inputs))
    return {key: getattr(found, key) for key in ("n", "rate", "se", "effective_n", "low", "high")}


def _pairs(inputs):
    found = stats.win_rates(_scores(inputs), **_options(inputs))
    first, second = at = np.triu_indices(len(found.n), 1)
    return {
        "pairs": np.column_stack(at),
        "wins": found.wins[at],
        "draws": found.draws[at],
        "losses": found.wins[second, first],
        "rate": found.pair_rate[at],
        "low": found.pair_low[at],
        "high": found.pair_high[at],
    }


def _bradley_terry(inputs):
    found = stats.bradley_terry(_scores(inputs), **_options(inputs))
    first, second = at = np.triu_indices(len(found.strength), 1)
    return {
        **{key: getattr(found, key) for key in ("strength", "se", "low", "high")},
        "wins_with_half_draws": found.points,
        "pair": np.column_stack(at),
        "difference": found.strength[first] - found.strength[second],
        "difference_se": found.difference_se[at],
        "win_probability": found.win_probability[at],
    }


ADAPTERS |= {
    ("score_table", "omnibus"): lambda inputs: _omnibus(_scores(inputs), **_better(inputs)),
    ("score_table", "nemenyi_and_z"): _posthoc,
    ("score_table", "wilcoxon_on_common"): _wilcoxon,
    ("score_table", "failures_worst_rank"): _failures,
    ("score_table", "groups_of_data_sets"): _groups,
    **dict.fromkeys(
        [("win_rate", f"against_the_field{grouped}") for grouped in ("", "_grouped")], _field
    ),
    ("win_rate", "pair"): _pairs,
    **dict.fromkeys(
        [("bradley_terry", f"strengths{grouped}") for grouped in ("", "_grouped")], _bradley_terry
    ),
}
