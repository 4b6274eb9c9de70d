"""Reference cases of metrics: of classes, of numbers, and of training runs crossed with rows."""

import math

import numpy as np
from scipy.stats import kendalltau

from bakeoff import stats
from bakeoff.stats import METRICS, Status, all_pairs, influence
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.design.groups import spread
from bakeoff.stats.metrics.answer import bca_interval, mover_interval
from bakeoff.stats.metrics.family import Contrasts, best_of, family_of_values, max_t, read_family
from bakeoff.stats.metrics.influence import one, setting_of
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.metric import FISHER, LOG, LOG_COMPLEMENT, PLAIN
from bakeoff.stats.metrics.view import NoValue
from tests.reference.told import as_printed, row, told


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
def _single(inputs, form):
    y, options = inputs["y_true"], _options(inputs, form)
    result = stats.metric_ci(y, _predicted(inputs), **options)
    found, padded = _of_rows(result)
    found |= {"ci_t": found["ci"], "ci_logit_t": found["ci"], "plus_four": padded}
    setting, (rows,) = _setting(inputs, form, "")
    if form == "roc_auc":
        found["se_plain"] = spread(_plain_area(setting, rows)).se
    # fewer than five rows of a class: the numbers are kept, the interval is not given
    if result.status is Status.TOO_FEW:
        alone = one(setting, rows)
        interval = alone.tested.around(alone.estimate).interval(0.95, bounds=setting.metric.range)
        padded["ci"] = _bounds(interval)
    return found | {"n_clusters": result.details.get("units")}


@as_printed()
def _difference(inputs, form):
    a, b = _predicted(inputs, "_A"), _predicted(inputs, "_B")
    result = stats.metric_difference(inputs["y_true"], a, b, **_options(inputs, form))
    # theirs is the metric of A less that of B
    found, padded = _of_rows(result, 1 if METRICS[form].greater_is_better else -1)
    found |= {"plus_two": padded, "plus_two_ci": found["ci"]}
    if math.isnan(result.estimate):
        found |= {f"value{m}": _alone(inputs, form, m) for m in ("_A", "_B")}
    if METRICS[form].form == "ranking":
        found |= _areas(inputs, form)
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


def _bootstrap(inputs, form):
    models = ("_A", "_B") if {"scores_A", "y_pred_A"} & set(inputs) else ("",)
    y = np.asarray(inputs["y_true"])

    def at(rows):
        parts = []
        for model in models:
            predicted = np.asarray(_predicted(inputs, model))[rows]
            part = influence(y[rows], predicted, metric=form, labels=[0, 1])
            psi = part.psi
            if form == "roc_auc":  # the acceleration is that of plain influence values
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
def _family(scores=None, y_true=None, y_pred=None, metric=None, control=None, groups=None):
    how = {"control": control, "groups": groups}
    if metric:
        said = y_pred if scores is None else scores
        result = all_pairs("metric_difference", y_true, said, metric=metric, **how)
    else:
        result = all_pairs("mean_difference", scores, **how)
    df, t = (np.array([getattr(pair, k) for pair in result.pairs]) for k in ("df", "statistic"))
    family = Contrasts(np.array([]), np.array([]), t, np.ones(len(t)), df, np.eye(2))
    # theirs is that of the table with pseudo-rows
    centre = np.array([sum(pair.ci) / 2 for pair in result.pairs if pair.ci])
    return told(result) | {
        "difference": centre,
        "se": centre / t[: len(centre)],
        "z": family.size("two-sided"),
        "simultaneous_ci": [list(pair.ci) for pair in result.pairs],
    }


def _multipliers(scores, multipliers):
    n, models = scores.shape
    first, second = np.triu_indices(models, 1)
    centred = scores - scores.mean(axis=0)
    covariance = centred.T @ centred / n**2
    d = scores.mean(axis=0)[first] - scores.mean(axis=0)[second]
    se = np.sqrt(((centred[:, first] - centred[:, second]) ** 2).sum(axis=0)) / n
    family = Contrasts(first, second, d, se, np.full(len(d), 1e12), covariance)
    draws = (np.asarray(multipliers) @ centred / n).astype(np.float32)
    single, step_down, _ = max_t(family, draws, 0.95, "two-sided")
    return {
        "pairs": np.column_stack([first, second]),
        "difference": d,
        "statistic": np.abs(d / se),
        "single_step": single,
        "step_down": step_down,
    }


def _letters(models, adjusted_pvalues, alpha):
    pairs = [names.split("-") for names, p in adjusted_pvalues.items() if p < alpha]
    different = [(models.index(a), models.index(b)) for a, b in pairs]
    groups = compact_letters(len(models), different)
    return {"groups": frozenset(frozenset(models[m] for m in group) for group in groups)}


@as_printed()
def _mean(values_a, values_b, groups=None):
    how = {"groups": groups, "variant": "t_and_flips" if groups else None}
    rows = stats.mean_difference(values_a, values_b, **how, df="rows")
    textbook = {"df": rows.df, "pvalue": rows.pvalue, "ci": _bounds(rows.ci)}
    named = {f"{key}_{kind}": v for key, v in textbook.items() for kind in ("rows", "clusters")}
    result = told(stats.mean_difference(values_a, values_b, **how))
    return result | named | {"n_clusters": result["units"]}


def _flipped(values_a, values_b):
    each = np.arange(len(values_a))
    return stats.mean_difference(values_a, values_b, groups=each, variant="sign_flip_exact")


def _interaction(values_a, values_b, subgroup):
    result = stats.mean_interaction(values_a, values_b, subgroup, df="rows")
    d, groups = np.subtract(values_a, values_b), np.asarray(subgroup)
    inside = [d[groups == group] for group in np.unique(groups)]
    return told(result) | {
        "differences": [part["estimate"] for part in result.details["subgroups"].values()],
        "ses": [stats.mean_difference(part, 0 * part).details["se"] for part in inside],
    }


def _rows_needed(sd, difference, alpha, power):
    plan = stats.MetricPower(sd=sd)
    return plan.solve(difference=difference, alpha=alpha, power=power).details


def _best(alpha, scores=None, y_true=None, y_pred=None, metric=None, groups=None):
    table = np.asarray(y_pred) if scores is None else scores
    if metric:
        family = read_family(y_true, table, metric)
        values = [influence(y_true, column, metric=metric).value for column in table.T]
    else:
        family = family_of_values(table, True, groups)
        values = table.mean(axis=0)
    family.__dict__["scale"] = None  # the published procedure, without the guard of areas
    result = best_of(family, 1 - alpha, 99_999, 0)
    return {"values": values, "pvalue": list(result.pvalues), "members": list(result.members)}


SCALES = {"ci_t": PLAIN, "ci_log": LOG, "ci_log_complement": LOG_COMPLEMENT, "ci_fisher": FISHER}
KENDALL = stats.own_metric(
    "kendall", lambda y, p: float(kendalltau(y, p).statistic), predictions="numbers"
)


def _interval(scale, value, half):
    try:
        return list(scale.limits(value, half) or (math.nan, math.nan))
    except ValueError:  # no such scale for this value
        return [math.nan, math.nan]


def _quantity(y_true, y_pred, form):
    alone = influence(y_true, y_pred, metric=form)
    half = alone.tested.quantile(0.95, "two-sided") * alone.tested.se
    intervals = {name: _interval(scale, alone.value, half) for name, scale in SCALES.items()}
    result = stats.metric_ci(y_true, y_pred, metric=form)
    scale = next(name for name, scale in SCALES.items() if METRICS[form].scale is scale)
    return told(result) | intervals | {scale: list(result.ci)}


def _quantity_value(y_true, y_pred, form):
    # where a metric is undefined we say so, where scikit-learn forces a finite number
    metric = {"kendall": KENDALL, "r2_of_constant_truth": "r2", "mape_with_zero": "mape"}
    return stats.metric_ci(y_true, y_pred, metric=metric.get(form, form))


@as_printed()
def _quantity_difference(y_true, y_pred_a, y_pred_b, form, quantile=None, groups=None):
    metric = f"pinball_{100 * quantile:.0f}" if quantile else form.removesuffix("_clustered")
    return stats.metric_difference(y_true, y_pred_a, y_pred_b, metric=metric, groups=groups)


@as_printed()
def _quantity_family(y_true, predictions, form):
    result = all_pairs("metric_difference", y_true, np.transpose(predictions), metric=form)
    return told(result) | {"se": [pair.estimate / pair.statistic for pair in result.pairs]}


def _loss_wilcoxon(values_a, values_b):
    how = {"greater_is_better": False, "continuity": False}
    exact, normal = (
        stats.wilcoxon_signed_rank(values_a, values_b, method=method, **how)
        for method in ("exact", "asymptotic")
    )
    return {
        "statistic": min(exact.details["w_plus"], exact.details["w_minus"]),
        "pvalue": exact.pvalue,
        "pvalue_normal": normal.pvalue,
    }


def _loss_equivalence(values_a, values_b, y_true, y_pred_a, y_pred_b, margin):
    lower, upper = (
        stats.mean_difference(values_a + shift, values_b, df="rows", alternative=side).pvalue
        for shift, side in ((margin, "greater"), (-margin, "less"))
    )
    both = stats.metric_equivalence(y_true, y_pred_b, y_pred_a, metric="mae", margin=margin)
    pvalues = {"pvalue_lower": lower, "pvalue_upper": upper, "pvalue": max(lower, upper)}
    return told(both) | pvalues


def _loss_sign_flip(values_a, values_b):
    how = {"greater_is_better": False, "groups": np.arange(len(values_a))}
    exact, middle = (
        stats.mean_difference(values_a, values_b, variant=variant, **how)
        for variant in ("sign_flip_exact", "sign_flip")
    )
    return told(middle) | {"pvalue_exact": exact.pvalue}


OPTIONS = ("metric", "positive", "groups", "paired", "greater_is_better", "confidence_level")


def _runs(inputs):
    evidence = [inputs["y_true"]] if "y_true" in inputs else []
    for model in "ab":
        fixed = model in inputs.get("deterministic", ())
        evidence.append(stats.Runs(inputs[f"runs_{model}"], deterministic=fixed))
    options = {key: inputs[key] for key in OPTIONS if key in inputs}
    test = stats.recipe_difference if "y_true" in inputs else stats.recipe_mean_difference
    result = told(test(*evidence, **options))
    better = inputs.get("greater_is_better", True)
    if "metric" in inputs:
        better = METRICS[inputs["metric"]].greater_is_better
    return result | {f"mean_{m}": result[f"value_{m}"] * (1 if better else -1) for m in "ab"}


def _margin(runs_a, runs_b, margin, paired, greater_is_better):
    a, b = np.array(runs_a), np.array(runs_b)
    how = {"paired": paired, "greater_is_better": greater_is_better}
    sign = margin if greater_is_better else -margin
    noninferior, not_better = (
        stats.recipe_mean_difference(a + shift, b, **how, alternative=side).pvalue
        for shift, side in ((sign, "greater"), (-sign, "less"))
    )
    return told(stats.recipe_mean_difference(a, b, **how, confidence_level=0.9)) | {
        "pvalue_noninferior": noninferior,
        "pvalue_not_better": not_better,
        "pvalue_equivalent": max(noninferior, not_better),
    }


def around(half):
    return lambda found: [found["estimate"] - found[half], found["estimate"] + found[half]]


def of_fits(found):
    """Return what is told of the fits at hand."""
    return {
        "se": found["se_fits"],
        "df": found["df_fits"],
        "statistic": found["estimate"] / found["se_fits"] if found["se_fits"] else 0.0,
        "pvalue": found["pvalue_fits"],
        "ci": around("half_width_fits")(found),
    }


RUNS = {
    "df_rows": "df_fits",
    "var_rows_fits": lambda found: found["se_fits"] ** 2,
    "ci": around("half_width"),
}
ABSOLUTE = {"exponent": 1, "greater_is_better": False}
SQUARED = {"exponent": 2, "greater_is_better": False}
ADAPTERS = {
    "metric_influence_se": row(_single),
    "metric_difference": row(_difference),
    "metric_bootstrap_ci": row(_bootstrap),
    "max_t": row(_family),
    ("max_t", "given_multipliers"): row(_multipliers),
    ("max_t", "letters"): row(_letters),
    "mean_difference": row(_mean),
    # with every sign equally likely, a studentized mean orders the flips as the mean does
    ("mean_difference", "sign_flip_exact"): row(_flipped, pvalue_studentized="pvalue"),
    ("mean_difference", "subgroup_interaction"): row(_interaction),
    ("mean_difference", "rows_needed"): row(_rows_needed),
    "model_confidence_set": row(_best),
    "quantity_influence_se": row(_quantity),
    "quantity_value": row(_quantity_value),
    "quantity_difference": row(_quantity_difference),
    "quantity_max_t": row(_quantity_family),
    "loss_t": row(
        stats.mean_difference,
        {"absolute": ABSOLUTE | {"df": "rows"}, "squared": SQUARED | {"df": "rows"}},
    ),
    "loss_wilcoxon": row(_loss_wilcoxon, {"exact": ABSOLUTE}),
    "loss_equivalence": row(_loss_equivalence, {"absolute": ABSOLUTE}),
    "loss_sign_flip": row(_loss_sign_flip, {"absolute": ABSOLUTE}),
    "loss_diebold_mariano": row(
        stats.diebold_mariano_means,
        {
            "hln_absolute": ABSOLUTE | {"variant": "hln"},
            "hln_squared": SQUARED | {"variant": "hln"},
        },
    ),
    "runs_and_rows": row(_runs, **RUNS, variance=lambda found: found["se"] ** 2, fits=of_fits),
    ("runs_and_rows", "margin"): row(_margin, ci_90=around("half_width")),
    "one_recipe": row(stats.recipe_mean_ci, **RUNS),
    "runs_components": row(
        stats.recipe_mean_ci,
        sd_of_a_run="sd_run_a",
        sd_of_a_run_ci=lambda found: [found["sd_run_low_a"], found["sd_run_high_a"]],
    ),
    "runs_and_rows_pairs": row(
        lambda runs, correction: all_pairs("recipe_mean_difference", runs, correction=correction)
    ),
}
