"""Reference cases of classifiers over several data sets, some of whose cells are missing."""

from functools import partial
from itertools import combinations, zip_longest

import numpy as np

from bakeoff import stats
from bakeoff.stats.datasets.standings import as_groups, group_means, with_failures_last
from tests.reference.told import told

ALTERNATIVE = {"two_sided": "two-sided", "greater": "greater", "less": "less"}


def _signed_ranks(inputs, **options):
    return told(stats.wilcoxon_signed_rank(inputs["scores_A"], inputs["scores_B"], **options))


def _demsar(inputs):
    result = stats.wilcoxon_signed_rank(
        inputs["scores_A"], inputs["scores_B"], zeros="zsplit", method="asymptotic"
    )
    demsar = {name: result.details[f"demsar_{name}"] for name in ("z", "pvalue")}
    return told(result) | demsar | {"statistic": result.details["demsar_t"]}


ADAPTERS = {
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


def _friedman(inputs, method):
    return told(stats.friedman(inputs["scores"], method=method))


def _f_test(inputs, test):
    return told(test(inputs["scores"]))


def _kruskal_wallis(inputs):
    # one column per group; shorter ones end in missing cells
    table = [list(row) for row in zip_longest(*inputs["groups"], fillvalue=float("nan"))]
    return told(stats.kruskal_wallis(table, missing="omit"))


ADAPTERS |= {
    ("friedman", "chi_square"): partial(_friedman, method="asymptotic"),
    ("friedman", "exact_permutation"): partial(_friedman, method="exact"),
    ("iman_davenport", "f"): partial(_f_test, test=stats.iman_davenport),
    ("quade", "f"): partial(_f_test, test=stats.quade),
    ("kruskal_wallis", "chi_square"): _kruskal_wallis,
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
    return {
        "t_abs": [abs(pair.statistic) for pair in result.pairs],
        "df": result.pairs[0].df,
        "pvalue": _p(result),
        "holm": _adjusted(result),
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
    return {
        "pairs": [[pair.a, pair.b] for pair in z.pairs],
        "z": [pair.statistic for pair in z.pairs],
        "pvalue": [pair.pvalue for pair in z.pairs],
        "holm": [pair.pvalue_adjusted for pair in z.pairs],
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
    return _omnibus(group_means(table, as_groups(inputs["groups"], len(table))), **_better(inputs))


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
