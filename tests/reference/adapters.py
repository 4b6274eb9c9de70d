"""What the calls of README.md use beside `bakeoff.stats`: from a case to its numbers."""

import math
from contextlib import contextmanager, suppress
from itertools import zip_longest
from unittest import mock

import numpy as np
from scipy.stats import chi2, kendalltau, mannwhitneyu, permutation_test  # noqa: F401
from scipy.stats import norm as normal

from bakeoff import stats
from bakeoff.stats import METRICS, ConfidenceInterval, PairwiseResult, Status, influence
from bakeoff.stats.core.max_t import max_t, normal_scores
from bakeoff.stats.core.pairs import compact_letters
from bakeoff.stats.datasets.standings import group_means, with_failures_last  # noqa: F401
from bakeoff.stats.design.groups import GroupSums, Leverage, spread
from bakeoff.stats.folds import fold_rows as of_folds
from bakeoff.stats.metrics.differences import bca_interval, mover_interval
from bakeoff.stats.metrics.family import best_of, family_of_values, read_family
from bakeoff.stats.metrics.influence import one, setting_of
from bakeoff.stats.metrics.library import auc
from bakeoff.stats.metrics.metric import FISHER, LOG, LOG_COMPLEMENT, PLAIN, NoValue
from bakeoff.stats.rows import ordered

METHODS = ("bonferroni", "holm", "hochberg", "hommel", "BH", "BY", "sidak", "holm_sidak")
CORRECTIONS = (*METHODS[:6], "shaffer_static")
INTERVALS = (
    *("clopper_pearson", "wilson", "wilson_cc", "jeffreys"),
    *("wald_unclipped", "agresti_coull_unclipped"),
)
SCALES = {"ci_t": PLAIN, "ci_log": LOG, "ci_log_complement": LOG_COMPLEMENT, "ci_fisher": FISHER}
KENDALL = stats.own_metric(
    "kendall", lambda y, p: float(kendalltau(y, p).statistic), predictions="numbers"
)
OPTIONS = ("metric", "positive", "groups", "paired", "greater_is_better", "confidence_level")


def told(result):
    """Return all that a result holds, under its own names; of pairs a list for each number."""
    if isinstance(result, dict):
        return result
    if isinstance(result, PairwiseResult):
        each = [told(pair) for pair in result.pairs]
        return {
            **{name: [pair.get(name) for pair in each] for name in each[0]},
            "pairs": [[pair.a, pair.b] for pair in result.pairs],
            **result.details,
        }
    values = {name: getattr(result, name) for name in dir(result) if name[0] != "_"}
    intervals = {k: list(v) for k, v in values.items() if isinstance(v, ConfidenceInterval)}
    return {
        **values.get("effect_sizes", {}),
        **values.get("details", {}),
        "ci": ["NaN", "NaN"],
        **{name: value for name, value in values.items() if value is not None},
        **intervals,
    }


@contextmanager
def as_printed():
    """Take groups for alike, and leave out sign flips: the reference has no leverage of groups.

    That of the package is held to `delong` and `mean_difference`, which have reference values of
    their own, in tests/unit/stats/test_metrics.py.
    """
    alike = mock.patch.object(Leverage, "from_codes", lambda codes, _=None: Leverage.alike(codes))
    with alike, mock.patch.object(GroupSums, "many_alike", True):
        yield


@as_printed()
def printed(function, *arguments, **options):
    return function(*arguments, **options)


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
def single(inputs, form):
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
def difference(inputs, form):
    a, b = _predicted(inputs, "_A"), _predicted(inputs, "_B")
    result = stats.metric_difference(inputs["y_true"], a, b, **_options(inputs, form))
    # theirs is the metric of A less that of B
    found, padded = _of_rows(result, 1 if METRICS[form].greater_is_better else -1)
    found |= {"plus_two": padded, "plus_two_ci": found["ci"]}
    for m in ("_A", "_B") if math.isnan(result.estimate) else ():
        found[f"value{m}"] = math.nan
        with suppress(NoValue):
            alone = influence(inputs["y_true"], _predicted(inputs, m), **_options(inputs, form))
            found[f"value{m}"] = alone.value
    if METRICS[form].form == "ranking":
        found |= _areas(inputs, form)
    return found


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
        found["se_plain"] = spread(plain[0] - plain[1], groups=setting.leverage).se
    return found


def bootstrap(inputs, form):
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
def family(scores=None, y_true=None, y_pred=None, metric=None, control=None, groups=None):
    how = {"control": control, "groups": groups}
    if metric:
        said = y_pred if scores is None else scores
        result = stats.all_pairs("metric_difference", y_true, said, metric=metric, **how)
    else:
        result = stats.all_pairs("mean_difference", scores, **how)
    df, t = (np.array([getattr(pair, k) for pair in result.pairs]) for k in ("df", "statistic"))
    # theirs is that of the table with pseudo-rows
    centre = np.array([sum(pair.ci) / 2 for pair in result.pairs if pair.ci])
    return told(result) | {
        "difference": centre,
        "se": centre / t[: len(centre)],
        "z": normal_scores(t, df, "two-sided"),
        "simultaneous_ci": [list(pair.ci) for pair in result.pairs],
    }


def multiplied(scores, multipliers):
    n, models = scores.shape
    first, second = np.triu_indices(models, 1)
    centred = scores - scores.mean(axis=0)
    covariance = centred.T @ centred / n**2
    d = scores.mean(axis=0)[first] - scores.mean(axis=0)[second]
    se = np.sqrt(((centred[:, first] - centred[:, second]) ** 2).sum(axis=0)) / n
    z = normal_scores(d / se, np.full(len(d), 1e12), "two-sided")
    draws = (np.asarray(multipliers) @ centred / n).astype(np.float32)
    single, step_down, _ = max_t(z, (first, second), covariance, draws, 0.95, "two-sided")
    return {
        "pairs": np.column_stack([first, second]),
        "difference": d,
        "statistic": np.abs(d / se),
        "single_step": single,
        "step_down": step_down,
    }


def letters(models, adjusted_pvalues, alpha):
    pairs = [names.split("-") for names, p in adjusted_pvalues.items() if p < alpha]
    different = [(models.index(a), models.index(b)) for a, b in pairs]
    groups = compact_letters(len(models), different)
    return {"groups": frozenset(frozenset(models[m] for m in group) for group in groups)}


@as_printed()
def mean(values_a, values_b, groups=None):
    how = {"groups": groups, "variant": "t_and_flips" if groups else None}
    rows = stats.mean_difference(values_a, values_b, **how, df="rows")
    textbook = {"df": rows.df, "pvalue": rows.pvalue, "ci": _bounds(rows.ci)}
    named = {f"{key}_{kind}": v for key, v in textbook.items() for kind in ("rows", "clusters")}
    result = told(stats.mean_difference(values_a, values_b, **how))
    return result | named | {"n_clusters": result["units"]}


def best(alpha, scores=None, y_true=None, y_pred=None, metric=None, groups=None):
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


def _interval(scale, value, half):
    try:
        return list(scale.limits(value, half) or (math.nan, math.nan))
    except ValueError:  # no such scale for this value
        return [math.nan, math.nan]


def quantity(y_true, y_pred, form):
    alone = influence(y_true, y_pred, metric=form)
    half = alone.tested.around(0.0).interval(0.95).high
    intervals = {name: _interval(scale, alone.value, half) for name, scale in SCALES.items()}
    result = stats.metric_ci(y_true, y_pred, metric=form)
    scale = next(name for name, scale in SCALES.items() if METRICS[form].scale is scale)
    return told(result) | intervals | {scale: list(result.ci)}


def of_runs(inputs):
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


def around(estimate, half):
    return [estimate - half, estimate + half]


def of_fits(found):
    """Return what is told of the fits at hand."""
    return {
        "se": found["se_fits"],
        "df": found["df_fits"],
        "statistic": found["estimate"] / found["se_fits"] if found["se_fits"] else 0.0,
        "pvalue": found["pvalue_fits"],
        "ci": around(found["estimate"], found["half_width_fits"]),
    }


def formula_p(found):
    """Return the p of the formula where a rule of ours leaves a test undecided."""
    undecided = found["status"] == "too_few"
    return found.get("formula_pvalue", found["pvalue"]) if undecided else found["pvalue"]


def adjusted(result):
    return [pair.pvalue_adjusted for pair in result.pairs]


def of_labels(counts, n_classes):
    """Turn the list of counts of labels by A, by B and of true classes into a table."""
    table = np.zeros((n_classes,) * 3, dtype=int)
    for i, j, true, count in counts:
        table[i - 1, j - 1, true - 1] += count
    return table


def folds_by_group(groups):
    """Return scores by fold and group, the shorter ones filled up with missing folds."""
    missing = np.full(np.shape(groups[0][0]), np.nan)
    return np.array(list(zip_longest(*groups, fillvalue=missing)))


def cube(Y, model, fold):
    """Return scores by fold, model and criterion."""
    y = np.asarray(Y, dtype=float)
    models, folds = (np.unique(codes, return_inverse=True)[1] for codes in (model, fold))
    scores = np.full((folds.max() + 1, models.max() + 1, y.shape[1]), np.nan)
    scores[folds, models] = y
    return scores


def dependent_values(rows, values_a, values_b, of):
    if values_a is not None:
        return np.subtract(values_a, values_b)
    a, b = (np.asarray(right, dtype=float) for right in rows)
    return a if of.startswith("correctness of A") else a - b


def without_persistence(correct_a, correct_b, losses_a, losses_b, **options):
    """Run a test in time without its correction for persistence, which the references lack."""
    with mock.patch.object(ordered._Spectra, "averages", return_value=(np.ones(1), 1.0)):
        if correct_a is not None:
            return stats.diebold_mariano(correct_a, correct_b, **options)
        return stats.diebold_mariano_means(losses_a, losses_b, **options, greater_is_better=False)


def ses_of_parts(a, b, groups):
    d, groups = np.subtract(a, b), np.asarray(groups)
    inside = (d[groups == group] for group in np.unique(groups))
    return [stats.mean_difference(part, 0 * part).details["se"] for part in inside]


def of_losses(inputs, form="absolute"):
    """Return the absolute or squared errors of both models."""
    errors = (np.subtract(inputs[f"y_pred_{model}"], inputs["y_true"]) for model in "AB")
    return [np.abs(error) ** (2 if form.endswith("squared") else 1) for error in errors]


def shifted(inputs, margin, side):
    """Return the p of one side of equivalence by a t test of losses."""
    a, b = of_losses(inputs)
    return stats.mean_difference(a + margin, b, df="rows", alternative=side).pvalue


def beyond(inputs, side):
    """Return the p of one side of the equivalence of recipes."""
    how = {key: inputs[key] for key in ("paired", "greater_is_better")}
    shift = inputs["margin"] * (1 if (side == "greater") == inputs["greater_is_better"] else -1)
    a = np.array(inputs["runs_a"]) + shift
    return stats.recipe_mean_difference(a, inputs["runs_b"], **how, alternative=side).pvalue


def effective(found):
    """Return χ² of the effective table: z² with the variance of the rows, guarded or not."""
    return found["statistic"] ** 2 * found["se"] ** 2 / found["variance_rows"]


def half_sample(half_differences, full_differences, **options):
    """Run the test on the means of the halves and of all rows: K folds of the same mean."""
    full = np.empty((0, 1)) if full_differences is None else np.c_[np.array(full_differences)]
    halves = np.repeat(np.reshape(half_differences, (-1, 1)), full.shape[1], axis=1)
    rows = np.vstack([halves, full])
    variant = "full" if len(full) else "halves"
    return stats.half_sample_t(rows, 0 * rows, full_repeats=len(full), variant=variant, **options)


def omnibus(scores, greater_is_better=True):
    f = stats.iman_davenport(scores, greater_is_better=greater_is_better)
    ranks = stats.friedman(scores, method="asymptotic", greater_is_better=greater_is_better)
    both = {"friedman": ranks, "iman_davenport": f}
    pvalues = {f"{name}_pvalue": result.pvalue for name, result in both.items()}
    return told(f) | pvalues | {name: result.statistic for name, result in both.items()}


def upper(table):
    """Return what a table of models against models says of each pair."""
    return table[np.triu_indices(len(table), 1)]


def rows_of_folds(inputs, model):
    """Return the values of rows of a model whose probabilities are given fold by fold."""
    y = np.array(inputs["y"])
    repetitions = np.unique(inputs["replication"])
    fold = np.zeros((len(repetitions), len(y)), dtype=int)
    positive = np.full(fold.shape, 0.5)
    for number, (rows, repetition) in enumerate(
        zip(inputs["test"], inputs["replication"], strict=True)
    ):
        place = np.searchsorted(repetitions, repetition)
        fold[place, rows] = number + 1
        positive[place, rows] = inputs[f"proba_{model}"][number]
    metric = {"auc": "roc_auc"}.get(inputs["metric"], inputs["metric"])
    predicted = (positive > 0.5).astype(int)
    if METRICS[metric].by_order:
        predicted = np.stack([1 - positive, positive], axis=-1)
    return stats.fold_rows(y, fold, predicted, metric=metric, labels=[0, 1])


def _by_fold_rows(function, *rows, **options):
    """Return a result with its limits, and what the rows alone give, where losses are negated."""
    result = function(*rows, **options)
    with mock.patch.object(of_folds, "_corrected", return_value=None):
        alone = function(*rows, **options)
    limits = {"low": result.ci.low, "high": result.ci.high}
    limits |= {"rows_low": alone.ci.low, "rows_high": alone.ci.high}
    return told(result) | limits | {"rows_pvalue": alone.pvalue}


def fold_score(inputs):
    found = _by_fold_rows(
        stats.fold_rows_score,
        rows_of_folds(inputs, "a"),
        confidence_level=inputs["confidence_level"],
    )
    if METRICS.get(inputs["metric"], METRICS["roc_auc"]).greater_is_better:
        return found
    low, high = -found["high"], -found["low"]
    return found | {"estimate": -found["estimate"], "low": low, "high": high}


def fold_difference(inputs):
    rows = (rows_of_folds(inputs, model) for model in "ab")
    level = inputs["confidence_level"]
    return _by_fold_rows(stats.fold_rows_difference, *rows, confidence_level=level)


# --- judged evaluations, whose differences are B − A


def marks(people):
    """Return people's marks, NaN where there is none."""
    return np.array([np.nan if mark in (None, "NaN") else mark for mark in people], dtype=float)


def votes_for_b(inputs):
    """Return votes as 1 where B wins, 0 for a tie and −1 where A wins."""
    votes = {"model_a": -1, "model_b": 1}
    return [votes.get(winner, 0) for winner in inputs["winner"]]


def prompt_means(inputs):
    return stats.prompt_scores(votes_for_b(inputs), inputs["prompt"]).means


def order_adjusted(inputs):
    b_first = [shown == "model_b" for shown in inputs["shown_first"]]
    scores = stats.prompt_scores(votes_for_b(inputs), inputs["prompt"], first=b_first)
    values = scores.values
    padded = np.append(values, [1.0, -1.0])
    level = {"df": "rows", "confidence_level": inputs["confidence_level"]}
    t = stats.mean_difference(values, 0 * values, **level)
    plus_two = stats.mean_difference(padded, 0 * padded, **level)
    b_seen, a_seen = scores.seen_first
    return {
        "prompt_values": values,
        "difference": scores.difference,
        "share_b": (1 + scores.difference) / 2,
        "se": t.details["se"],
        "statistic": t.statistic,
        "df_textbook": t.df,
        "pvalue_textbook": t.pvalue,
        "ci_textbook": list(t.ci),
        "position_effect": scores.position_effect,
        "position_se": scores.position.se,
        "prompts_on_smaller_side": scores.on_smaller_side,
        "plus_two_difference": plus_two.estimate,
        "plus_two_se": plus_two.details["se"],
        "prompts_by_order": {"a_first": a_seen, "b_first": b_seen},
    }


def of_battles(inputs, errors):
    outcome = [-vote for vote in votes_for_b(inputs)]
    first = inputs.get("shown_first")
    if first is not None:
        first = [shown == "model_a" for shown in first]
    return stats.battle_strengths(
        inputs["model_a"],
        inputs["model_b"],
        outcome,
        inputs["prompt"],
        first=first,
        models=inputs["models"],
        confidence_level=inputs.get("confidence_level") or 0.95,
        errors=errors,
    )


def two_raters(inputs):
    found = {}
    for weights in ("identity", "linear", "quadratic"):
        result = stats.agreement(
            inputs["human"], inputs["judge"], categories=inputs["categories"], weights=weights
        )
        end = "" if weights == "identity" else f"_{weights}"
        gwet = "ac1" if weights == "identity" else f"ac2_{weights}"
        found |= {f"kappa{end}": result.kappa, f"kappa{end}_se": result.kappa_se}
        found |= {gwet: result.ac1, f"{gwet}_se": result.ac1_se}
        found["agreement"] = result.percent
    reach = -normal.ppf(0.025) * found["kappa_se"]
    found["kappa_ci"] = around(found["kappa"], reach)  # the plain one: ours is by Fisher's z
    for scale in ("nominal", "ordinal", "interval"):
        raters = stats.raters_agreement([inputs["human"], inputs["judge"]], scale=scale)
        found[f"alpha_{scale}"] = raters.alpha
    return found


def several_raters(ratings):
    kinds = ("nominal", "ordinal", "interval")
    by_scale = {kind: stats.raters_agreement(ratings, scale=kind) for kind in kinds}
    first = by_scale["nominal"]
    alphas = {kind: found.alpha for kind, found in by_scale.items()}
    return {"alpha": alphas, "ac1": first.ac1, "ac1_se": first.ac1_se}


def flipped(test, order, scores, greater_is_better):
    """Return the joint flips, and refuse another adjusted p-value of all pairs of the test."""
    how = {"greater_is_better": greater_is_better}
    flips = stats.joint_sign_flips(scores, order=order, **how)
    pairs = stats.all_pairs(test, scores, correction="sign_flips", **how).pairs
    np.testing.assert_allclose([pair.pvalue for pair in pairs], flips.pvalue)
    np.testing.assert_allclose([pair.pvalue_adjusted for pair in pairs], flips.pvalue_adjusted)
    return vars(flips) | {"pairs": [list(pair) for pair in flips.pairs]}


def smallest(n_datasets, n_pairs):
    """Return the p-values of the first pair where each model is better than the next."""
    models = round((1 + math.sqrt(1 + 8 * n_pairs)) / 2)
    table = (
        np.arange(n_datasets)[:, None] * 0.1
        - np.arange(models) * np.linspace(1, 2, n_datasets)[:, None]
    )
    found = {}
    for name, test, correction in (
        ("holm", "wilcoxon_signed_rank", "holm"),
        ("joint_flips", "wilcoxon_signed_rank", "sign_flips"),
        ("sign", "sign_test", "none"),
    ):
        found[name] = min(adjusted(stats.all_pairs(test, table, correction=correction)))
    found["pvalue"] = stats.wilcoxon_signed_rank(table[:, 0], table[:, 1]).pvalue
    return found


def permuted(a, b):
    """Return the p-value of all divisions of the scores, and of Mann and Whitney's test."""

    def distance(x, y, axis):
        return np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis))

    found = permutation_test((a, b), distance, alternative="greater", n_resamples=np.inf)
    ranks = mannwhitneyu(a, b, method="exact")
    return {"pvalue": found.pvalue, "mann_whitney_exact": ranks.pvalue}


def _of_tasks(counts):
    return np.repeat([f"task {place:03d}" for place in range(len(counts))], counts)


def suite_mean(inputs, form):
    tasks = inputs["tasks"]
    values = np.concatenate(tasks)
    weights = "items" if form == "weights_items" else "tasks"
    if "weights" in inputs:
        weights = {f"task {t:03d}": weight for t, weight in enumerate(inputs["weights"])}
    groups = None
    if "clusters" in inputs:  # they are numbered anew in each task
        groups = [f"{t} {c}" for t, codes in enumerate(inputs["clusters"]) for c in codes]
    how = {"tasks": _of_tasks(list(map(len, tasks))), "weights": weights, "groups": groups}
    return stats.suite_mean_difference(values, 0 * values, **how)


def suite_accuracy(only_a, only_b, n):
    right = {"a": [], "b": []}
    for b, c, rows in zip(only_a, only_b, n, strict=True):
        right["a"] += [1] * b + [0] * (rows - b)
        right["b"] += [0] * b + [1] * c + [0] * (rows - b - c)
    truth = np.ones(sum(n), dtype=int)
    how = {"labels": [0, 1], "tasks": _of_tasks(n)}
    return stats.suite_difference(truth, right["a"], right["b"], **how)


def unequal_runs(items_a, items_b):
    a, b = ([np.mean(runs) for runs in items] for items in (items_a, items_b))
    found = told(stats.mean_difference(a, b, df="rows"))
    return found | {"value_a": np.mean(a), "value_b": np.mean(b)}


def of_fold_rows(rows, baseline):
    """Average rows of data set, model, fold and score."""
    models = sorted({model for _, model, _, _ in rows})
    sizes = [1 + max(row[place] for row in rows) for place in (0, 2)]
    scores = np.full((*sizes, len(models)), np.nan)
    for dataset, model, fold, score in rows:
        scores[dataset, fold, models.index(model)] = np.nan if score is None else score
    found = stats.fold_means(scores, missing="impute", baseline=models.index(baseline))
    return {"models": models, "means": found.means}
