"""What other software says of recorded calls.

Each function has the name of the call that it checks, takes its arguments, and returns the name of
the software with its numbers by field; None where the software has no such form of the test.
"""

import ast

import numpy as np
import pandas as pd
from scipy import stats as scipy_stats
from sklearn import metrics as sklearn_metrics
from statsmodels.multivariate.manova import MANOVA
from statsmodels.stats import contingency_tables, multitest, oneway, proportion
from statsmodels.stats.anova import AnovaRM

SIX_DIGITS = 2e-5
SIDES = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}
CORRECTIONS = {
    "bonferroni": "bonferroni",
    "sidak": "sidak",
    "holm": "holm",
    "holm-sidak": "holm-sidak",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "BH": "fdr_bh",
    "BY": "fdr_by",
}
LIMITS = {
    "wilson": "wilson",
    "clopper_pearson": "beta",
    "agresti_coull": "agresti_coull",
    "jeffreys": "jeffreys",
    "wald": "normal",
}
OF_CLASSES = {
    "accuracy": sklearn_metrics.accuracy_score,
    "balanced_accuracy": sklearn_metrics.balanced_accuracy_score,
    "precision": sklearn_metrics.precision_score,
    "recall": sklearn_metrics.recall_score,
    "f1": sklearn_metrics.f1_score,
    "jaccard": sklearn_metrics.jaccard_score,
    "mcc": sklearn_metrics.matthews_corrcoef,
    "kappa": sklearn_metrics.cohen_kappa_score,
}
OF_SCORES = {
    "roc_auc": sklearn_metrics.roc_auc_score,
    "average_precision": sklearn_metrics.average_precision_score,
}
OF_NUMBERS = {
    "mae": sklearn_metrics.mean_absolute_error,
    "mse": sklearn_metrics.mean_squared_error,
    "rmse": sklearn_metrics.root_mean_squared_error,
    "r2": sklearn_metrics.r2_score,
    "explained_variance": sklearn_metrics.explained_variance_score,
    "mape": sklearn_metrics.mean_absolute_percentage_error,
    "msle": sklearn_metrics.mean_squared_log_error,
    "median_absolute_error": sklearn_metrics.median_absolute_error,
    "max_error": sklearn_metrics.max_error,
}
LOSSES = ("mae", "mse", "rmse", "mape", "msle", "median_absolute_error", "max_error")


def interval(found):
    """Return the fields of a confidence interval of SciPy."""
    return {"low": found.low, "high": found.high}


# Right and wrong rows


def mcnemar_from_counts(
    *, only_a_correct, only_b_correct, variant="midp", alternative="two-sided", **_
):
    b = only_a_correct
    c = only_b_correct
    if b == c:
        return None
    if variant in ("asymptotic", "corrected"):
        if alternative != "two-sided":
            return None
        table = [[0, b], [c, 0]]
        found = contingency_tables.mcnemar(table, exact=False, correction=variant == "corrected")
        return "statsmodels", {"statistic": found.statistic, "pvalue": found.pvalue}
    exact = scipy_stats.binomtest(b, b + c, alternative=alternative).pvalue
    probability = scipy_stats.binom.pmf(b, b + c, 0.5)
    if variant == "exact":
        return "scipy", {"statistic": b, "pvalue": exact}
    if alternative == "two-sided":
        return "scipy", {"statistic": b, "pvalue": exact - probability}
    return "scipy", {"statistic": b, "pvalue": exact - probability / 2}


def mcnemar(correct_a, correct_b, *, groups=None, time=None, variant=None, **options):
    if groups is not None or time is not None:
        return None
    a = np.asarray(correct_a, dtype=bool)
    b = np.asarray(correct_b, dtype=bool)
    return mcnemar_from_counts(
        only_a_correct=int((a & ~b).sum()),
        only_b_correct=int((b & ~a).sum()),
        variant=variant or "midp",
        **options,
    )


def cochran_q(correct, *, groups=None, variant=None, row_counts=None, **_):
    rows = np.asarray(correct)
    if row_counts is not None:
        rows = np.repeat(rows, row_counts, axis=0)
    if groups is not None or not np.ptp(rows.astype(int), axis=1).any():
        return None
    found = contingency_tables.cochrans_q(rows)
    if variant == "asymptotic":
        return "statsmodels", {"statistic": found.statistic, "pvalue": found.pvalue}
    return "statsmodels", {"statistic": found.statistic}


def binomial_test_from_counts(
    *,
    n_correct,
    n,
    rate="accuracy",
    p0=0.5,
    variant="exact",
    alternative="two-sided",
    confidence_level=0.95,
    ci_method="wilson",
):
    if variant != "exact":
        return None
    count = n_correct
    if rate == "error":
        count = n - n_correct
    found = scipy_stats.binomtest(count, n, p0, alternative=alternative)
    numbers = {"statistic": count, "pvalue": found.pvalue}
    if ci_method == "wilson":
        numbers |= interval(found.proportion_ci(confidence_level, method="wilson"))
    if ci_method == "clopper_pearson":
        numbers |= interval(found.proportion_ci(confidence_level, method="exact"))
    return "scipy", numbers


def binomial_test(correct, *, groups=None, variant=None, **options):
    if groups is not None:
        return None
    rows = np.asarray(correct)
    return binomial_test_from_counts(
        n_correct=int(rows.sum()), n=len(rows), variant=variant or "exact", **options
    )


def proportion_ci(
    count, n, *, method="wilson", confidence_level=0.95, alternative="two-sided", clip=True
):
    one_sided = alternative != "two-sided"
    if one_sided or not clip or method not in LIMITS or (method == "jeffreys" and count in (0, n)):
        return None
    low, high = proportion.proportion_confint(count, n, 1 - confidence_level, LIMITS[method])
    return "statsmodels", {"low": low, "high": high}


def proportion_difference_from_counts(
    *, correct_a, n_a, correct_b, n_b, variant="pooled", alternative="two-sided", **_
):
    if variant == "yates" or correct_a * n_b == correct_b * n_a:
        return None
    counts = [correct_a, correct_b]
    sizes = [n_a, n_b]
    if variant == "unpooled":
        found = proportion.test_proportions_2indep(
            correct_a, n_a, correct_b, n_b, method="wald", alternative=SIDES[alternative]
        )
        return "statsmodels", {"statistic": found.statistic, "pvalue": found.pvalue}
    z, pvalue = proportion.proportions_ztest(counts, sizes, alternative=SIDES[alternative])
    return "statsmodels", {"statistic": z, "pvalue": pvalue}


def proportion_difference(correct_a, correct_b, **options):
    return proportion_difference_from_counts(
        correct_a=int(np.sum(correct_a)),
        n_a=len(correct_a),
        correct_b=int(np.sum(correct_b)),
        n_b=len(correct_b),
        **options,
    )


# Families of hypotheses


def adjust_pvalues(pvalues, method="holm"):
    values = np.asarray(pvalues, dtype=float)
    if method not in CORRECTIONS or values.size == 0 or not ((values >= 0) & (values <= 1)).all():
        return None
    _, adjusted, *_ = multitest.multipletests(values, method=CORRECTIONS[method])
    return "statsmodels", {"adjusted": adjusted}


# Scores of folds


def kfold_t(
    scores_a,
    scores_b,
    *,
    alternative="two-sided",
    confidence_level=0.95,
    greater_is_better=True,
):
    if not greater_is_better:
        scores_a, scores_b = scores_b, scores_a
    if len(scores_a) < 2 or np.ptp(np.subtract(scores_a, scores_b)) < 1e-12:
        return None
    found = scipy_stats.ttest_rel(scores_a, scores_b, alternative=alternative)
    limits = interval(found.confidence_interval(confidence_level))
    return "scipy", {"statistic": found.statistic, "pvalue": found.pvalue, **limits}


resampled_t = kfold_t


def one_sample_t(scores, *, mu0, alternative="two-sided", confidence_level=0.95):
    if np.ptp(scores) < 1e-12:
        return None
    found = scipy_stats.ttest_1samp(scores, mu0, alternative=alternative)
    limits = interval(found.confidence_interval(confidence_level))
    return "scipy", {"statistic": found.statistic, "pvalue": found.pvalue, **limits}


def columns_of(scores):
    """Return the scores of each model, without missing ones."""
    table = np.asarray(scores, dtype=float)
    return [column[~np.isnan(column)] for column in table.T]


def anova_oneway(scores, *, equal_var=True, **_):
    models = columns_of(scores)
    if min(np.ptp(model) for model in models) < 1e-12:
        return None
    if equal_var:
        found = scipy_stats.f_oneway(*models)
        return "scipy", {"statistic": found.statistic, "pvalue": found.pvalue}
    if min(map(len, models)) < 2:
        return None
    found = oneway.anova_oneway(models, use_var="unequal", welch_correction=True)
    return "statsmodels", {"statistic": found.statistic, "pvalue": found.pvalue}


def anova_repeated_measures(scores, *, correction="greenhouse-geisser", **_):
    table = pd.DataFrame(np.asarray(scores, dtype=float))
    residuals = table.sub(table.mean(axis=1), axis=0)
    if np.abs((residuals - residuals.mean()).to_numpy()).max() < 1e-12:
        return None
    rows = table.reset_index(names="fold").melt("fold", var_name="model", value_name="score")
    found = AnovaRM(rows, "score", "fold", within=["model"]).fit().anova_table
    numbers = {"statistic": found["F Value"].iloc[0]}
    if correction == "none":
        numbers["pvalue"] = found["Pr > F"].iloc[0]
    return "statsmodels", numbers


def tukey_hsd(scores, *, blocks=True, **_):
    models = columns_of(scores)
    if blocks or min(np.ptp(model) for model in models) < 1e-12:
        return None
    found = scipy_stats.tukey_hsd(*models)
    first, second = np.triu_indices(len(models), k=1)
    return "scipy", {"pvalue_adjusted": found.pvalue[first, second]}


def manova(scores, *, statistic="pillai", blocks=True, greater_is_better=True, **_):
    table = np.asarray(scores, dtype=float)
    folds, models, criteria = table.shape
    if np.isnan(table).any() or folds < criteria + models:
        return None
    fold, model = np.indices((folds, models)).reshape(2, -1)
    columns = [np.ones(folds * models)]
    columns += [model == i for i in range(1, models)]
    if blocks:
        columns += [fold == i for i in range(1, folds)]
    design = np.column_stack(columns).astype(float)
    hypothesis = np.eye(models - 1, design.shape[1], k=1)
    rows = table.reshape(-1, criteria)
    if np.linalg.matrix_rank(rows - rows.mean(axis=0)) < criteria:
        return None
    try:
        tested = MANOVA(rows, design).mv_test([("model", hypothesis)])
    except ValueError:
        return None
    found = tested.results["model"]["stat"]
    row = {
        "wilks": "Wilks' lambda",
        "pillai": "Pillai's trace",
        "hotelling-lawley": "Hotelling-Lawley trace",
        "roy": "Roy's greatest root",
    }[statistic]
    numbers = {"statistic": float(found.loc[row, "Value"])}
    if statistic in ("wilks", "pillai"):
        numbers["pvalue"] = float(found.loc[row, "Pr > F"])
    return "statsmodels", numbers


# Scores of data sets


def friedman(scores, *, method="auto", decimals=None, **_):
    table = np.asarray(scores, dtype=float)
    if decimals is not None or table.shape[1] < 3 or len(table) < 2 or np.ptp(table) == 0:
        return None
    found = scipy_stats.friedmanchisquare(*table.T)
    numbers = {"statistic": found.statistic}
    if method == "asymptotic":
        numbers["pvalue"] = found.pvalue
    return "scipy", numbers


def iman_davenport(scores, **options):
    found = friedman(scores, **options)
    if found is None:
        return None
    n, k = np.shape(scores)
    chi2 = found[1]["statistic"]
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    return "scipy", {"statistic": f, "pvalue": scipy_stats.f.sf(f, k - 1, (k - 1) * (n - 1))}


def kruskal_wallis(scores, *, decimals=None, **_):
    models = columns_of(scores)
    if decimals is not None or np.ptp(np.concatenate(models)) == 0:
        return None
    found = scipy_stats.kruskal(*models)
    return "scipy", {"statistic": found.statistic, "pvalue": found.pvalue}


def wilcoxon_signed_rank(
    scores_a,
    scores_b,
    *,
    alternative="two-sided",
    zeros="pratt",
    method="auto",
    continuity=True,
    greater_is_better=True,
    decimals=None,
    **_,
):
    d = np.round(np.subtract(scores_a, scores_b), 10)
    if not greater_is_better:
        d = -d
    sizes = np.abs(d)
    ordinary = np.isfinite(d).all() and d.all() and len(np.unique(sizes)) == len(d)
    if decimals is not None or not np.isfinite(d).all() or not d.any():
        return None
    if method != "asymptotic":
        if not ordinary or len(d) > 500:
            return None
        found = scipy_stats.wilcoxon(d, alternative=alternative, method="exact")
    else:
        found = scipy_stats.wilcoxon(
            d,
            zero_method=zeros,
            correction=continuity,
            alternative=alternative,
            method="asymptotic",
        )
    return "scipy", {"pvalue": found.pvalue}


# Values and metrics of rows


def mean_difference(
    values_a,
    values_b,
    *,
    greater_is_better=True,
    groups=None,
    df="influence",
    alternative="two-sided",
    confidence_level=0.95,
    **_,
):
    if groups is not None or np.isin([values_a, values_b], (0, 1)).all():
        return None
    found = kfold_t(
        values_a,
        values_b,
        alternative=alternative,
        confidence_level=confidence_level,
        greater_is_better=greater_is_better,
    )
    if found is None or df == "rows":
        return found
    return "scipy", {"statistic": found[1]["statistic"]}


def score(y_true, predicted, metric):
    """Return a metric of a model by scikit-learn; None where it is none of classes 0 and 1."""
    y = np.asarray(y_true)
    if metric in OF_NUMBERS:
        return OF_NUMBERS[metric](y, predicted)
    if y.dtype.kind not in "iub" or set(np.unique(y)) != {0, 1} or np.ndim(predicted) != 1:
        return None
    if metric in OF_SCORES:
        return OF_SCORES[metric](y, predicted)
    if metric in OF_CLASSES and set(np.unique(predicted)) == {0, 1}:
        return OF_CLASSES[metric](y, predicted)
    return None


def metric_ci(y_true, predicted, *, metric="accuracy", positive=None, labels=None, **_):
    if positive is not None or labels is not None:
        return None
    value = score(y_true, predicted, metric)
    if value is None:
        return None
    return "scikit-learn", {"estimate": value}


def metric_difference(
    y_true, predicted_a, predicted_b, *, metric="accuracy", positive=None, labels=None, **_
):
    if positive is not None or labels is not None:
        return None
    a = score(y_true, predicted_a, metric)
    b = score(y_true, predicted_b, metric)
    if a is None or b is None:
        return None
    if metric in LOSSES:
        return "scikit-learn", {"estimate": b - a}
    return "scikit-learn", {"estimate": a - b}


def delong(y_true, score_a, score_b, **_):
    return metric_difference(y_true, score_a, score_b, metric="roc_auc")


# Agreement


def numbers_of(result, field):
    """Return what a result has in a field: of an interval, of its pairs, or an array itself."""
    if isinstance(result, np.ndarray):
        return result
    if field == "pvalue_adjusted":
        return [pair.pvalue_adjusted for pair in result.pairs]
    if field in ("low", "high"):
        return getattr(getattr(result, "ci", result), field)
    return getattr(result, field)


def confirmed(call, result, names):
    """Return the line of a record that other software confirms; empty where none knows the call."""
    if getattr(result, "status", "ok") != "ok":  # what degenerate cases give is a convention
        return ""
    parsed = ast.parse(call, mode="eval").body
    if not isinstance(parsed, ast.Call) or not isinstance(parsed.func, ast.Name):
        return ""
    function = globals().get(parsed.func.id)
    if function is None or parsed.func.id not in names:
        return ""
    arguments = [evaluated(argument, names) for argument in parsed.args]
    options = {keyword.arg: evaluated(keyword.value, names) for keyword in parsed.keywords}
    found = function(*arguments, **options)
    if found is None:
        return ""
    software, numbers = found
    for field, number in numbers.items():
        np.testing.assert_allclose(
            numbers_of(result, field),
            number,
            rtol=SIX_DIGITS,
            atol=1e-9,
            err_msg=f"{field} of {call} by {software}",
        )
    return f"checked: {software} ({', '.join(numbers)})"


def evaluated(node, names):
    """Evaluate an argument of a call."""
    return eval(compile(ast.Expression(node), "call", "eval"), names)
