"""Reference adapters: metrics of predicted numbers, and tests of their losses and scores."""

import math
from functools import partial

import numpy as np
from scipy.stats import kendalltau

from bakeoff import stats
from bakeoff.stats.metrics.differences import metric_ci, metric_difference
from bakeoff.stats.metrics.family import compare_models
from bakeoff.stats.metrics.influence import influence
from bakeoff.stats.metrics.metric import (
    FISHER,
    LOG,
    LOG_COMPLEMENT,
    METRICS,
    PLAIN,
    Need,
    own_metric,
)
from tests.reference.adapters_folds import half_sample
from tests.reference.told import as_printed, told

_KENDALL = own_metric(
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
    half = spread.quantile(0.95, "two-sided") * spread.se
    intervals = {name: _interval(s, found.value, half) for name, s in _SCALES.items()}
    result = metric_ci(inputs["y_true"], inputs["y_pred"], metric=metric)
    scale = METRICS[metric].scale
    own = next(name for name, known in _SCALES.items() if known is scale)
    return told(result) | {**intervals, own: list(result.ci)}


def value(inputs, metric):
    # where a metric is undefined we say so, where scikit-learn forces a finite number
    return told(metric_ci(inputs["y_true"], inputs["y_pred"], metric=metric))


def _metric_of(inputs, name):
    return name if "quantile" not in inputs else f"pinball_{round(100 * inputs['quantile']):02}"


@as_printed()
def difference(inputs, variant):
    result = metric_difference(
        inputs["y_true"],
        inputs["y_pred_A"],
        inputs["y_pred_B"],
        metric=_metric_of(inputs, variant),
        groups=inputs.get("groups"),
    )
    return told(result)


@as_printed()
def family(inputs, metric):
    predicted = np.asarray(inputs["predictions"]).T
    result = compare_models(inputs["y_true"], predicted, metric=metric, groups=inputs.get("groups"))
    pairs = result.pairs
    return {
        "pairs": [[pair.a, pair.b] for pair in pairs],
        "difference": [pair.estimate for pair in pairs],
        "se": [pair.estimate / pair.statistic for pair in pairs],
        "df": [pair.df for pair in pairs],
        "pvalue": [pair.pvalue for pair in pairs],
        "single_step": result.details["single_step"].tolist(),
        "step_down": [pair.pvalue_adjusted for pair in pairs],
    }


def _losses(inputs, power):
    y = np.asarray(inputs["y_true"])
    a, b = (np.abs(np.asarray(inputs[f"y_pred_{m}"]) - y) ** power for m in "AB")
    return a, b


def loss_t(inputs, power):
    a, b = _losses(inputs, power)
    result = stats.mean_difference(a, b, greater_is_better=False, df="rows")
    return told(result)


def loss_wilcoxon(inputs, power):
    a, b = _losses(inputs, power)
    exact, normal = (
        stats.wilcoxon_signed_rank(a, b, greater_is_better=False, method=method, continuity=False)
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
    return {
        "pvalue": max(lower.pvalue, upper.pvalue),
        "statistic_lower": both["statistic_lower"],
        "statistic_upper": both["statistic_upper"],
        "pvalue_lower": lower.pvalue,
        "pvalue_upper": upper.pvalue,
    }


def loss_sign_flip(inputs, power):
    a, b = _losses(inputs, power)
    rows = np.arange(len(a))
    exact, middle = (
        stats.mean_difference(a, b, greater_is_better=False, groups=rows, variant=variant)
        for variant in ("sign_flip_exact", "sign_flip")
    )
    return {"estimate": exact.estimate, "pvalue_exact": exact.pvalue, "pvalue": middle.pvalue}


def loss_diebold_mariano(inputs, power):
    a, b = _losses(inputs, power)
    result = stats.diebold_mariano_means(
        a, b, greater_is_better=False, variant="hln", horizon=inputs["h"]
    )
    return told(result)


def folds(inputs, test):
    result = test(
        inputs["scores_A"], inputs["scores_B"], greater_is_better=inputs["greater_is_better"]
    )
    return told(result)


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

ADAPTERS = {
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
