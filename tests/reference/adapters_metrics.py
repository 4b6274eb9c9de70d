"""Reference cases of metrics: of classes, of numbers, and of training runs crossed with rows."""

import math
from functools import partial

import numpy as np
from scipy.stats import kendalltau

from bakeoff import stats
from bakeoff.stats import METRICS, Need, Status, all_pairs, influence
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.design.groups import spread
from bakeoff.stats.metrics.differences import bca_interval, mover_interval
from bakeoff.stats.metrics.family import (
    best_of,
    family_of_values,
    max_t,
    normal_scores,
    read_family,
)
from bakeoff.stats.metrics.influence import one, setting_of
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.metric import FISHER, LOG, LOG_COMPLEMENT, PLAIN, NoValue
from tests.reference.adapters_scores import half_sample
from tests.reference.told import as_printed, columns, told


def _options(inputs, metric):
    known = {k: inputs[k] for k in ("groups", "cost", "positive") if k in inputs}
    if "n_classes" in inputs:
        known["labels"] = list(range(inputs["n_classes"]))
    elif {0, 1} >= set(inputs["y_true"]):
        known["labels"] = [0, 1]
    option = inputs.get(METRICS[metric].option)
    return known | {"metric": metric if option is None else f"{metric}@{option}"}


def _predicted(inputs, model=""):
    keys = (f"{kind}{model}" for kind in ("y_pred", "scores", "probabilities"))
    return next(inputs[key] for key in keys if key in inputs)


def _setting(inputs, metric, *models):
    models = [(f"predicted{model}", _predicted(inputs, model)) for model in models]
    return setting_of(inputs["y_true"], models, **_options(inputs, metric))


def _bounds(ci):
    return [math.nan, math.nan] if ci is None else [ci.low, ci.high]


def _plain_area(setting, rows):
    """Return influence values of an area without DeLong's root."""
    return auc(setting.truth.values == setting.truth.positive, rows[:, 1], unbiased=False).psi


def _of_rows(result, sign=1):
    """Return what is told without pseudo-rows, and with them under their own name."""
    details, ci = result.details, _bounds(result.ci)[::sign]
    own = {
        "difference": sign * result.estimate,
        "statistic": sign * result.statistic,
        "pvalue": result.pvalue,
        "ci": [sign * end for end in ci],
    }
    padded = sign * details.get("padded", math.nan)
    with_rows = {"estimate": padded, "difference": padded, "se": details.get("se"), "df": result.df}
    plain = {key: details.get(f"{key}_plain", math.nan) for key in ("se", "df")}
    return told(result) | own | plain, own | with_rows


@as_printed()
def _single(inputs, metric):
    y, options = inputs["y_true"], _options(inputs, metric)
    result = stats.metric_ci(y, _predicted(inputs), **options)
    found, padded = _of_rows(result)
    found |= {"ci_t": found["ci"], "ci_logit_t": found["ci"], "plus_four": padded}
    setting, (rows,) = _setting(inputs, metric, "")
    if metric == "roc_auc":
        found["se_plain"] = spread(_plain_area(setting, rows)).se
    # fewer than five rows of a class: the numbers are kept, the interval is not given
    if result.status is Status.TOO_FEW:
        alone = one(setting, rows)
        interval = alone.tested.around(alone.estimate).interval(0.95, bounds=setting.metric.range)
        padded["ci"] = _bounds(interval)
    return found | {"n_clusters": result.details.get("units")}


@as_printed()
def _difference(inputs, metric):
    a, b = _predicted(inputs, "_A"), _predicted(inputs, "_B")
    result = stats.metric_difference(inputs["y_true"], a, b, **_options(inputs, metric))
    # theirs is the metric of A less that of B
    found, padded = _of_rows(result, 1 if METRICS[metric].greater_is_better else -1)
    found |= {"plus_two": padded, "plus_two_ci": found["ci"]}
    if math.isnan(result.estimate):
        found |= {f"value{m}": _alone(inputs, metric, m) for m in ("_A", "_B")}
    if METRICS[metric].form == "ranking":
        found |= _areas(inputs, metric)
    return found


def _alone(inputs, metric, model):
    try:
        predicted = _predicted(inputs, model)
        return influence(inputs["y_true"], predicted, **_options(inputs, metric)).value
    except NoValue:
        return math.nan


def _areas(inputs, metric):
    setting, rows = _setting(inputs, metric, "_A", "_B")
    a, b = (one(setting, model) for model in rows)
    both = a - b
    found = {"ci": _bounds(both.tested.around(both.value).interval(0.95, bounds=(-1, 1)))}
    if a.tested.se > 0 and b.tested.se > 0:
        cov = (a.tested.se**2 + b.tested.se**2 - both.tested.se**2) / 2
        found["correlation"] = cov / (a.tested.se * b.tested.se)
        mover = mover_interval(setting, a, b, both, 0.95, "two-sided")
        found["ci_mover"] = None if mover is None else list(mover)
    if metric == "roc_auc":
        plain = [_plain_area(setting, model) for model in rows]
        found["se_plain"] = spread(plain[0] - plain[1], clusters=setting.clusters).se
    return found


def _bootstrap(inputs, metric):
    models = ("_A", "_B") if {"scores_A", "y_pred_A"} & set(inputs) else ("",)
    y = np.asarray(inputs["y_true"])

    def at(rows):
        parts = []
        for model in models:
            predicted = np.asarray(_predicted(inputs, model))[rows]
            part = influence(y[rows], predicted, metric=metric, labels=[0, 1])
            psi = part.psi
            if metric == "roc_auc":  # the acceleration is that of plain influence values
                psi = auc(y[rows] == 1, predicted, unbiased=False).psi
            parts.append((part.value, psi))
        (value, psi), *others = parts
        for other in others:
            value, psi = value - other[0], psi - other[1]
        return value, psi

    value, psi = at(np.arange(len(y)))
    replicates = np.array([at(np.array(rows))[0] for rows in inputs["indices"]])
    ci = bca_interval(value, replicates, psi, inputs["confidence"])
    return {"estimate": value, "bca": _bounds(ci)}


@as_printed()
def _family(inputs):
    control, groups = inputs.get("control"), inputs.get("groups")
    how = {"control": control, "groups": groups}
    if "metric" in inputs:
        evidence = inputs["y_true"], inputs.get("scores", inputs.get("y_pred"))
        result = all_pairs("metric_difference", *evidence, metric=inputs["metric"], **how)
    else:
        result = all_pairs("mean_difference", inputs["scores"], **how)
    pairs = result.pairs
    df = np.array([pair.df for pair in pairs])
    t = np.array([pair.statistic for pair in pairs])
    centre = [pair.ci.low / 2 + pair.ci.high / 2 for pair in pairs if pair.ci]
    return columns(result) | {
        "difference": centre,  # theirs is that of the table with pseudo-rows
        "se": [c / s for c, s in zip(centre, t, strict=True)],
        "z": normal_scores(t, df, "two-sided").tolist(),
        "simultaneous_ci": [_bounds(pair.ci) for pair in pairs],
    }


def _multipliers(inputs):
    scores = np.asarray(inputs["scores"], dtype=float)
    n, models = scores.shape
    first, second = np.triu_indices(models, 1)
    centred = scores - scores.mean(axis=0)
    covariance = centred.T @ centred / n**2
    d = scores.mean(axis=0)[first] - scores.mean(axis=0)[second]
    se = np.sqrt(((centred[:, first] - centred[:, second]) ** 2).sum(axis=0)) / n
    z = normal_scores(d / se, np.full(len(d), 1e12), "two-sided")
    draws = (np.asarray(inputs["multipliers"]) @ centred / n).astype(np.float32)
    single, step_down, _ = max_t(z, (first, second), covariance, draws, 0.95, "two-sided")
    return {
        "pairs": [list(p) for p in zip(first.tolist(), second.tolist(), strict=True)],
        "difference": d.tolist(),
        "statistic": np.abs(d / se).tolist(),
        "single_step": single.tolist(),
        "step_down": step_down.tolist(),
    }


def _letters(inputs):
    models = inputs["models"]
    at = {name: i for i, name in enumerate(models)}
    different = [
        (at[a], at[b])
        for names, p in inputs["adjusted_pvalues"].items()
        for a, b in [names.split("-")]
        if p < inputs["alpha"]
    ]
    groups = compact_letters(len(models), different)
    return {"groups": frozenset(frozenset(models[m] for m in group) for group in groups)}


@as_printed()
def _mean(inputs):
    a, b, groups = inputs["losses_A"], inputs["losses_B"], inputs.get("groups")
    how = {"groups": groups, "variant": "t_and_flips" if groups else None}
    result = stats.mean_difference(a, b, **how)
    rows = stats.mean_difference(a, b, **how, df="rows")
    textbook = {"df": rows.df, "pvalue": rows.pvalue, "ci": _bounds(rows.ci)}
    named = {f"{key}_{kind}": v for key, v in textbook.items() for kind in ("rows", "clusters")}
    return told(result) | named | {"n_clusters": result.details["units"]}


def _flipped(inputs):
    arguments = inputs["losses_A"], inputs["losses_B"]
    each = np.arange(len(arguments[0]))
    result = stats.mean_difference(*arguments, groups=each, variant="sign_flip_exact")
    # with every sign equally likely, a studentized mean orders the flips as the mean does
    return told(result) | {"pvalue_studentized": result.pvalue}


def _interaction(inputs):
    arguments = inputs["losses_A"], inputs["losses_B"], inputs["subgroup"]
    result = stats.mean_interaction(*arguments, df="rows")
    parts = result.details["subgroups"].values()
    groups = np.asarray(inputs["subgroup"])
    d = np.asarray(inputs["losses_A"]) - np.asarray(inputs["losses_B"])
    inside = [d[groups == group] for group in np.unique(groups)]
    return told(result) | {
        "differences": [part["estimate"] for part in parts],
        "ses": [stats.mean_difference(part, 0 * part).details["se"] for part in inside],
    }


def _rows_needed(inputs):
    known = {key: inputs[key] for key in ("difference", "alpha", "power")}
    return stats.MetricPower(sd=inputs["sd"]).solve(**known).details


def _best(inputs):
    table = inputs.get("scores", inputs.get("y_pred"))
    if "metric" in inputs:
        y, metric = inputs["y_true"], inputs["metric"]
        family = read_family(y, table, metric)
        values = [influence(y, column, metric=metric).value for column in np.transpose(table)]
    else:
        family = family_of_values(table, True, inputs.get("groups"))
        values = np.asarray(table).mean(axis=0).tolist()
    family.__dict__["scale"] = None  # the published procedure, without the guard of areas
    result = best_of(family, 1 - inputs["alpha"], 99_999, 0)
    return {"values": values, "pvalue": list(result.pvalues), "members": list(result.members)}


ADAPTERS = {
    **{("metric_influence_se", m): partial(_single, metric=m) for m in METRICS},
    **{("metric_difference", m): partial(_difference, metric=m) for m in METRICS},
    **{("metric_bootstrap_ci", m): partial(_bootstrap, metric=m) for m in METRICS},
    **{
        ("max_t", f"{pairs}{adjusted}"): _family
        for pairs in ("all_pairs", "versus_control")
        for adjusted in ("", "_adjusted")
    },
    ("max_t", "given_multipliers"): _multipliers,
    ("max_t", "letters"): _letters,
    ("mean_difference", "paired"): _mean,
    ("mean_difference", "clustered"): _mean,
    ("mean_difference", "sign_flip_exact"): _flipped,
    ("mean_difference", "subgroup_interaction"): _interaction,
    ("mean_difference", "rows_needed"): _rows_needed,
    ("model_confidence_set", "mcb"): _best,
}


_KENDALL = stats.own_metric(
    "kendall", lambda y, p: float(kendalltau(y, p).statistic), predictions="numbers"
)
_NAMES = [metric.name for metric in METRICS.values() if metric.needs is Need.NUMBERS]
_SCALES = {"ci_t": PLAIN, "ci_log": LOG, "ci_log_complement": LOG_COMPLEMENT, "ci_fisher": FISHER}


def _interval(scale, value, half):
    try:
        return list(scale.limits(value, half) or (math.nan, math.nan))
    except ValueError:  # no such scale for this value
        return [math.nan, math.nan]


def single(inputs, metric):
    found = influence(inputs["y_true"], inputs["y_pred"], metric=metric)
    spread = found.tested
    half = spread.around(0.0).interval(0.95).high
    intervals = {name: _interval(s, found.value, half) for name, s in _SCALES.items()}
    result = stats.metric_ci(inputs["y_true"], inputs["y_pred"], metric=metric)
    scale = METRICS[metric].scale
    own = next(name for name, known in _SCALES.items() if known is scale)
    return told(result) | {**intervals, own: list(result.ci)}


def value(inputs, metric):
    # where a metric is undefined we say so, where scikit-learn forces a finite number
    return told(stats.metric_ci(inputs["y_true"], inputs["y_pred"], metric=metric))


@as_printed()
def difference(inputs, variant):
    rows = [inputs[name] for name in ("y_true", "y_pred_A", "y_pred_B")]
    if "quantile" in inputs:
        variant = f"pinball_{round(100 * inputs['quantile']):02}"
    return told(stats.metric_difference(*rows, metric=variant, groups=inputs.get("groups")))


@as_printed()
def family(inputs, metric):
    predicted = np.asarray(inputs["predictions"]).T
    how = {"metric": metric, "groups": inputs.get("groups")}
    result = all_pairs("metric_difference", inputs["y_true"], predicted, **how)
    return columns(result) | {"se": [pair.estimate / pair.statistic for pair in result.pairs]}


def _losses(inputs, power):
    y = np.asarray(inputs["y_true"])
    return [np.abs(np.asarray(inputs[f"y_pred_{m}"]) - y) ** power for m in "AB"]


def loss_t(inputs, power):
    losses = _losses(inputs, power)
    return told(stats.mean_difference(*losses, greater_is_better=False, df="rows"))


def loss_wilcoxon(inputs, power):
    losses, how = _losses(inputs, power), {"greater_is_better": False, "continuity": False}
    exact, normal = (
        stats.wilcoxon_signed_rank(*losses, method=method, **how)
        for method in ("exact", "asymptotic")
    )
    return {
        "statistic": min(exact.details["w_plus"], exact.details["w_minus"]),
        "pvalue": exact.pvalue,
        "pvalue_normal": normal.pvalue,
    }


def loss_equivalence(inputs, power):
    a, b = _losses(inputs, power)
    margin = inputs["margin"]
    lower, upper = (
        stats.mean_difference(a + shift, b, df="rows", alternative=side)
        for shift, side in ((margin, "greater"), (-margin, "less"))
    )
    metric = {1: "mae", 2: "mse"}[power]
    models = (inputs[name] for name in ("y_true", "y_pred_B", "y_pred_A"))
    both = stats.metric_equivalence(*models, metric=metric, margin=margin).details
    pvalues = {"pvalue_lower": lower.pvalue, "pvalue_upper": upper.pvalue}
    return both | pvalues | {"pvalue": max(pvalues.values())}


def loss_sign_flip(inputs, power):
    losses = _losses(inputs, power)
    how = {"greater_is_better": False, "groups": np.arange(len(losses[0]))}
    exact, middle = (
        stats.mean_difference(*losses, variant=variant, **how)
        for variant in ("sign_flip_exact", "sign_flip")
    )
    return {"estimate": exact.estimate, "pvalue_exact": exact.pvalue, "pvalue": middle.pvalue}


def loss_diebold_mariano(inputs, power):
    losses, how = _losses(inputs, power), {"variant": "hln", "horizon": inputs["h"]}
    return told(stats.diebold_mariano_means(*losses, greater_is_better=False, **how))


def folds(inputs, test):
    better = inputs["greater_is_better"]
    return told(test(inputs["scores_A"], inputs["scores_B"], greater_is_better=better))


def half_samples(inputs):
    # the file has the mean of each cross-validation: one fold of that mean
    return half_sample(inputs | {"full_differences": np.c_[inputs["full_differences"]]})


_LOSSES = {"absolute": 1, "squared": 2}
_OF_LOSSES = {
    ("loss_t", ""): loss_t,
    ("loss_equivalence", ""): loss_equivalence,
    ("loss_sign_flip", ""): loss_sign_flip,
    ("loss_diebold_mariano", "hln_"): loss_diebold_mariano,
}

ADAPTERS |= {
    **{("quantity_influence_se", name): partial(single, metric=name) for name in _NAMES},
    **{("quantity_value", name): partial(value, metric=name) for name in _NAMES},
    ("quantity_value", "kendall"): partial(value, metric=_KENDALL),
    ("quantity_value", "r2_of_constant_truth"): partial(value, metric="r2"),
    ("quantity_value", "mape_with_zero"): partial(value, metric="mape"),
    **{
        ("quantity_difference", f"{name}{suffix}"): partial(difference, variant=name)
        for name in (*_NAMES, "pinball")
        for suffix in ("", "_clustered")
    },
    **{("quantity_max_t", name): partial(family, metric=name) for name in _NAMES},
    ("loss_wilcoxon", "exact"): partial(loss_wilcoxon, power=1),
    **{
        (test, f"{prefix}{name}"): partial(adapter, power=power)
        for (test, prefix), adapter in _OF_LOSSES.items()
        for name, power in _LOSSES.items()
    },
    **{
        (f"folds_{name}", metric): partial(folds, test=getattr(stats, name))
        for name in ("cv5x2_f", "cv5x2_t")
        for metric in _NAMES
    },
    ("folds_half_sample_t", "full"): half_samples,
}


def _runs(inputs, model):
    fixed = model in inputs.get("deterministic", ())
    return stats.Runs(inputs[f"runs_{model}"], deterministic=fixed)


def _evidence(inputs):
    truth = [inputs["y_true"]] if "y_true" in inputs else []
    return [*truth, _runs(inputs, "a"), _runs(inputs, "b")]


def _run_options(inputs):
    keys = ("metric", "positive", "groups", "paired", "greater_is_better")
    return {key: inputs[key] for key in keys if key in inputs}


def _ci(result, half):
    return [result.estimate - half, result.estimate + half]


def runs_difference(inputs):
    test = stats.recipe_difference if "y_true" in inputs else stats.recipe_mean_difference
    level = inputs.get("confidence_level", 0.95)
    found = test(*_evidence(inputs), **_run_options(inputs), confidence_level=level)
    details = found.details
    lower = stats.METRICS[inputs["metric"]] if "metric" in inputs else None
    better = inputs.get("greater_is_better", True) and (not lower or lower.greater_is_better)
    sign = 1 if better else -1
    fits = details["se_fits"], details["df_fits"]
    return told(found) | {
        "mean_a": sign * details["value_a"],
        "mean_b": sign * details["value_b"],
        "df_rows": fits[1],
        "var_rows_fits": fits[0] ** 2,
        "variance": details["se"] ** 2,
        "ci": _ci(found, details["half_width"]),
        "fits": {
            "se": fits[0],
            "df": fits[1],
            "statistic": found.estimate / fits[0] if fits[0] else 0.0,
            "pvalue": details["pvalue_fits"],
            "ci": _ci(found, details["half_width_fits"]),
        },
    }


def margin(inputs):
    options, sign = _run_options(inputs), 1 if inputs["greater_is_better"] else -1
    pvalues = {}
    for side, shift in (("greater", inputs["margin"]), ("less", -inputs["margin"])):
        runs_a = np.array(inputs["runs_a"]) + sign * shift
        test = stats.recipe_mean_difference(runs_a, inputs["runs_b"], **options, alternative=side)
        pvalues[side] = test.pvalue
    found = stats.recipe_mean_difference(*_evidence(inputs), **options, confidence_level=0.9)
    return told(found) | {
        "pvalue_noninferior": pvalues["greater"],
        "pvalue_not_better": pvalues["less"],
        "pvalue_equivalent": max(pvalues.values()),
        "ci_90": _ci(found, found.details["half_width"]),
    }


def one_recipe(inputs):
    found = stats.recipe_mean_ci(inputs["runs"], **_run_options(inputs))
    details = found.details
    return told(found) | {
        "var_rows_fits": details["se_fits"] ** 2,
        "df_rows": details["df_fits"],
        "ci": _ci(found, details["half_width"]),
    }


def components(inputs):
    details = stats.recipe_mean_ci(inputs["runs"]).details
    return details | {
        "sd_of_a_run": details["sd_run_a"],
        "sd_of_a_run_ci": [details["sd_run_low_a"], details["sd_run_high_a"]],
    }


def pairs(inputs):
    runs, correction = inputs["runs"], inputs["correction"]
    return columns(stats.all_pairs("recipe_mean_difference", runs, correction=correction))


_PLAIN = ("values", "accuracy", "roc_auc", "f1", "log_loss", "precision", "recall")
ADAPTERS |= {
    **{
        ("runs_and_rows", f"{name}{suffix}"): runs_difference
        for name in (*_PLAIN, "balanced_accuracy", "brier", "mcc")
        for suffix in ("", "-groups", "-paired", "-one-fixed")
    },
    ("runs_and_rows", "degenerate"): runs_difference,
    ("runs_and_rows", "margin"): margin,
    ("one_recipe", "values"): one_recipe,
    ("runs_components", "values"): components,
    ("runs_and_rows_pairs", "values"): pairs,
}
