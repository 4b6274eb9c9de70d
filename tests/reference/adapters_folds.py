"""Reference cases of scores on folds, resamplings, halves and the rows of 5×2cv."""

from functools import partial

import numpy as np
from scipy.stats import chi2

from bakeoff import stats
from tests.reference.told import on_all_sides, told


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


def anova_repeated_measures(inputs):
    return told(stats.anova_repeated_measures(inputs["scores"], correction="none"))


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
    ("anova_repeated_measures", "sphericity_assumed"): anova_repeated_measures,
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


def guarded(inputs):
    return told(_cv5x2(inputs))


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
    ("cv5x2_mcnemar", "guarded"): guarded,
    ("half_sample_t", "full"): half_sample,
    ("half_sample_t", "halves"): half_sample,
}
