"""Which test decides, and which one is shown beside it: one choice for every way to ask.

`recommended` chooses for `run: [recommended]`, `bakeoff compare` and the Python calls. `CASES` has
the test of each case, `ON_TEST_SET` and `ON_FOLDS` say which case a metric is on a plan, and
`over_datasets` chooses over data sets. The table of docs/choosing-tests.md is made from `CASES`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from bakeoff.comparisons.analysis import Analysis, analysis_of
from bakeoff.comparisons.settings import (
    FIXED_METRICS,
    form_of,
    has_interval,
    has_row_values,
    has_test,
    planned,
)
from bakeoff.errors import joined, listed
from bakeoff.scores import METRICS
from bakeoff.spec import Experiment
from bakeoff.stats import catalogue
from bakeoff.stats.datasets.rank_tests import EXACT_UP_TO

IN_ONE_UNIT = "wilcoxon_signed_rank"
"""The test of two models over data sets whose scores are in one unit."""
OF_RATIOS = "wilcoxon_log_ratios"
"""The same, of errors above 0 in any unit."""
OF_WINS = "sign_test"
"""The same, of any scores."""
FEW_DATASETS = 5
"""With so many data sets two models cannot differ significantly at the level .05."""


class Case(NamedTuple):
    """A case, the test of two models, that of more if it is another one, and the reasons."""

    has: str
    two: str
    why: str
    more: str = ""
    source: str = ""
    """Who recommends it for independent rows: related ones have another form of the test."""
    beside: str = ""
    """A test of two models that is shown too and decides nothing."""
    why_more: str = ""
    """The reason for the test of more models, where it is another one."""

    def test(self, models: int) -> str:
        """Return the test of so many models that decides."""
        if models == 2:
            return self.two
        return self.more or self.two

    def reason(self, models: int) -> str:
        """Return why this test decides for so many models."""
        if models == 2:
            return self.why
        return self.why_more or self.why


def _exact(models: Iterable[int]) -> str:
    """Say up to how many data sets Friedman's test of so many models is exact."""
    return joined([f"{k} models on up to {EXACT_UP_TO[k]} data sets" for k in models])


_ALWAYS_EXACT = max(k for k, limit in EXACT_UP_TO.items() if limit >= FEW_DATASETS)
_SELDOM_EXACT = [k for k, limit in EXACT_UP_TO.items() if limit < FEW_DATASETS]
_OFTEN_EXACT = [k for k, limit in EXACT_UP_TO.items() if limit > FEW_DATASETS]
_RUNS = "several training runs on the same test rows: this test is about other seeds and other rows"
_ON_ROWS = "this test compares it on one test set, from the influence of every row on it"
_OVER = (
    "{models} models and {datasets} data sets; tests on each of them alone would be {datasets} "
    "families and answer no question about further data sets (Demšar 2006)"
)
_FEW = "{datasets} data sets with one score for each model; this test is exact (Demšar 2006)"
CASES = {
    "right rows": Case(
        "a `holdout`, by accuracy",
        "mcnemar",
        "{models} models on one test set",
        "cochran_q",
        "McNemar's mid-p form holds its level and wastes little: Dietterich 1998, Fagerland et al. "
        "2013, Raschka 2018",
    ),
    "areas": Case(
        "a `holdout`, by `roc_auc`",
        "delong",
        "this test compares two areas under the ROC curve on one test set, and its interval "
        "excludes 0 exactly where p is at most the level",
        "metric_difference",
        source="DeLong et al. 1988",
        why_more="of more than two models this test goes by the largest of all differences, which "
        "keeps the level with few rows of a class too",
    ),
    "costs": Case(
        "a `holdout`, by `cost`",
        "metric_difference",
        "this test compares it on one test set, and keeps the level where costly errors are rare, "
        "which cost_sensitive does not",
        beside="cost_sensitive",
        why_more=_ON_ROWS,
    ),
    "metric": Case("a `holdout`, by any other metric", "metric_difference", _ON_ROWS),
    "losses in time": Case(
        "a `holdout` of numbers in the order of `time:`, by a mean loss",
        "diebold_mariano_means",
        "this test compares it at later times, with the long-run variance of what each row adds to "
        "it (Diebold & Mariano 1995, Lazarus et al. 2018)",
    ),
    "values": Case(
        "a number per row of each model (`values:`)",
        "mean_difference",
        "{models} models with a number for each row",
    ),
    "tasks": Case(
        "a `holdout` with `tasks`, by a metric",
        "suite_difference",
        "rows are of several tasks, which are the same next time: this test compares the mean over "
        "tasks, from the rows within each of them",
    ),
    "tasks of values": Case(
        "the same, with a number per row",
        "suite_mean_difference",
        "rows are of several tasks, which are the same next time: this test compares the mean over "
        "tasks, from the rows within each of them",
    ),
    "runs": Case("a `holdout`, and a model with several `seeds`", "recipe_difference", _RUNS),
    "runs of values": Case("the same, with a number per row", "recipe_mean_difference", _RUNS),
    "rows of folds": Case(
        "`cv_5x2`, `kfold` or `resampled`, by a metric with values of rows",
        "fold_rows_difference",
        "the standard error of this test has a part from the tested rows and one from the training "
        "rows",
    ),
    "cv_5x2": Case(
        "`cv_5x2` of scores alone, or by a metric that jumps when a row is left out",
        "corrected_repeated_kfold_t",
        "this t test corrects for the rows that folds share (Bouckaert & Frank 2004)",
    ),
    "halves": Case(
        "`halves`",
        "half_sample_t",
        "halves share no row, so the variance of their differences is not too small on average, "
        "whatever the learner",
    ),
    "kfold": Case(
        "`kfold` of scores alone",
        "corrected_kfold_t",
        "this t test corrects for the training rows that folds share (Nadeau & Bengio 2003)",
    ),
    "repeated kfold": Case(
        "the same with repeats, or of data with `time:`",
        "corrected_repeated_kfold_t",
        "this t test corrects for the training rows that folds share (Bouckaert & Frank 2004)",
    ),
    "resampled": Case(
        "`resampled` of scores alone",
        "corrected_resampled_t",
        "this t test corrects for the rows that divisions share (Nadeau & Bengio 2003)",
    ),
    "seeds": Case(
        "scores of training runs (`seeds` of a table of scores)",
        "seeds_difference",
        "training runs of two models are independent samples, and this test takes their variances "
        "for unequal (Welch 1947)",
    ),
    "few data sets": Case(
        f"two to five data sets, one score of each model (up to {_ALWAYS_EXACT} "
        f"models, {_exact(_SELDOM_EXACT)})",
        "wilcoxon_signed_rank",
        _FEW,
        "friedman",
    ),
    "few data sets, many models": Case(
        "two to five data sets, more models",
        "wilcoxon_signed_rank",
        _FEW,
        "iman_davenport",
        why_more="{datasets} data sets with one score for each model",
    ),
    "data sets, exact": Case(
        f"six or more data sets ({_exact(_OFTEN_EXACT)})",
        "wilcoxon_signed_rank",
        _OVER,
        "friedman",
        why_more=f"{_OVER}; all permutations of the ranks of so small a table can be listed, so "
        "that p is exact",
    ),
    "data sets": Case(
        "six or more data sets, a larger table",
        "wilcoxon_signed_rank",
        _OVER,
        "iman_davenport",
        why_more=f"{_OVER}; this form of Friedman's test is less conservative than its χ²",
    ),
}

ON_TEST_SET = {"correctness": "right rows", "classes": "costs", "ranking": "areas"}
"""The case of a metric on one test set, by what tests of this metric alone read of rows."""


class FoldMetric(StrEnum):
    """What is known of a metric on the folds of a plan."""

    ROW_VALUES = "values of rows"
    """Each row has an influence on the scores of the folds that test it."""
    SCORES = "scores"
    """A score for each fold is all there is."""


ON_FOLDS: Mapping[str, Mapping[FoldMetric, str]] = {
    "cv_5x2": {FoldMetric.ROW_VALUES: "rows of folds", FoldMetric.SCORES: "cv_5x2"},
    "halves": dict.fromkeys(FoldMetric, "halves"),
    "kfold": {FoldMetric.ROW_VALUES: "rows of folds", FoldMetric.SCORES: "kfold"},
    "repeated kfold": {FoldMetric.ROW_VALUES: "rows of folds", FoldMetric.SCORES: "repeated kfold"},
    "seeds": dict.fromkeys(FoldMetric, "seeds"),
    "resampled": {FoldMetric.ROW_VALUES: "rows of folds", FoldMetric.SCORES: "resampled"},
}
"""The case of a metric on the folds of a plan: here stands which test decides."""
ON_ROWS = CASES["rows of folds"].two
"""The test of the fits of a plan that looks at the rows of all folds."""
GROWING = CASES["repeated kfold"].two
"""The test of folds that train on more and more rows."""


class Recommendation(NamedTuple):
    """A test that is recommended."""

    name: str
    why: str
    metrics: tuple[str, ...] = ()
    plan: str = ""
    posthoc: str = ""


def recommended(experiment: Experiment | Analysis) -> list[Recommendation]:
    """Choose tests by the number of models and data sets, by the plans and the metrics."""
    analysis = analysis_of(experiment)
    if len(analysis.models) < 2:
        return []
    units = len(analysis.tests.units(analysis.datasets))
    least = enough_datasets(analysis)
    tests: list[Recommendation] = []
    # of enough data sets the test over them decides, and not a test on each
    if units < least:
        for plan in analysis.plans:
            tests += _on_plan(plan, analysis)
    if tests or units < 2:
        return tests
    # where few data sets have one score of each model there is no other test
    return [over_datasets(analysis)]


def _on_plan(plan: str, analysis: Analysis) -> Iterator[Recommendation]:
    """Choose the tests of each data set alone on one plan."""
    datasets = len(analysis.datasets)
    alone = ""
    if datasets > 1:
        alone = (
            "; on each data set alone, because a signed-rank test over them needs "
            f"{enough_datasets(analysis)} to reach {analysis.tests.alpha:g}, there are {datasets}"
        )
    tests = _on_folds(plan, analysis)
    if plan == "holdout":
        tests = _on_test_set(plan, analysis)
    for test in tests:
        yield test._replace(why=f"{test.why}{alone}", plan=plan)


# --- one test set


def _on_test_set(plan: str, analysis: Analysis) -> Iterator[Recommendation]:
    """Choose for every metric the test that is about it, each test once; recipes where they are."""
    if plan in analysis.scores_of_plans:  # there is one score per model, and no rows
        return
    if analysis.several_runs:
        yield from _of_runs(analysis)
    elif analysis.tasks is not None:
        yield _recommended(CASES["tasks"], CASES["tasks of values"], analysis)
    elif analysis.by_values:
        k = len(analysis.models)
        case = CASES["values"]
        yield Recommendation(case.test(k), f"{case.why.format(models=k)}{_corrected(k)}")
    else:
        yield from _of_metrics(analysis)


def _of_runs(analysis: Analysis) -> Iterator[Recommendation]:
    """Choose the test of training runs: of those metrics that do not jump."""
    if any(relation.kind == "time" for relation in analysis.related.values()):
        return  # no test of training runs is known to hold its level there
    if analysis.by_values or any(map(has_test, analysis.metrics)):
        yield _recommended(CASES["runs"], CASES["runs of values"], analysis)


def _recommended(of_metrics: Case, of_values: Case, analysis: Analysis) -> Recommendation:
    """Recommend the test of one of two cases, by all metrics that do not jump or by values."""
    case = of_metrics
    tested = tuple(filter(has_test, analysis.metrics))
    if analysis.by_values:
        case = of_values
        tested = ()
    k = len(analysis.models)
    return Recommendation(case.test(k), f"{case.why}{_corrected(k)}", tested)


def _of_metrics(analysis: Analysis) -> Iterator[Recommendation]:
    """Choose the tests of single fits, then those that are shown beside them."""
    k = len(analysis.models)
    cases = _cases_of(analysis)
    metrics_by_test: dict[str, list[str]] = {}
    reasons: dict[str, list[str]] = {}
    for case, metrics in cases.items():
        name = CASES[case].test(k)
        metrics_by_test.setdefault(name, []).extend(metrics)
        reasons.setdefault(name, []).append(_reason(case, metrics, analysis))
    for name, metrics in metrics_by_test.items():
        yield Recommendation(name, "; ".join(reasons[name]), tuple(metrics))
    for case, metrics in cases.items():
        if k == 2 and CASES[case].beside:
            why = f"by {joined(metrics)}: shown beside {CASES[case].two}, which decides"
            yield Recommendation(CASES[case].beside, why, tuple(metrics))


def _cases_of(analysis: Analysis) -> dict[str, list[str]]:
    """Return the cases of one test set in the order of the metrics, each with its metrics."""
    cases: dict[str, list[str]] = {}
    nulls = set()
    for metric in filter(has_interval, analysis.metrics):
        null = METRICS[metric].null
        if null in nulls:
            continue  # by another metric before models are equal where they are by this one
        if null:
            nulls.add(null)
        cases.setdefault(_case_of(metric, analysis), []).append(metric)
    return cases or {"right rows": [FIXED_METRICS["correctness"]]}


def _case_of(metric: str, analysis: Analysis) -> str:
    """Return the case of a metric on one test set."""
    by_reads = ON_TEST_SET.get(METRICS[metric].reads or "")
    if by_reads:
        return by_reads
    in_order = analysis.task.numbers and analysis.in_time
    if in_order and has_row_values(metric, means=False):
        return "losses in time"
    return "metric"


def _reason(name: str, metrics: Sequence[str], analysis: Analysis) -> str:
    """Say why the test of a case decides by some metrics."""
    case = CASES[name]
    k = len(analysis.models)
    why = case.reason(k).format(models=k)
    if case.test(k) == "cochran_q":
        why += f"; {_posthoc(case.test(k), analysis)}"
    elif name != "right rows":
        why += _corrected(k)
    by_source = case.source and (k == 2 or not case.why_more)
    if by_source and not analysis.related:  # else another form of the test runs
        why += f" ({case.source})"
    return f"by {joined(metrics)}: {why}"


def _corrected(models: int) -> str:
    if models == 2:
        return ""
    return f", corrected for {models} models"


def _posthoc(name: str, analysis: Analysis) -> str:
    """Say which comparisons of pairs an omnibus test brings along."""
    runs, _ = form_of(catalogue()[name], analysis)
    # a test of all pairs, which takes the place of one of all models at once, has none of its own
    pairwise = runs
    if runs.posthoc:
        pairwise = catalogue()[runs.posthoc]
    test = planned(pairwise, analysis.tests, related=bool(analysis.related))
    pairs = "all pairs"
    if test.versus is not None:
        pairs = f"{test.versus} with each other model"
    correction = "uncorrected"
    if test.correction not in (None, "none"):
        correction = f"corrected by {test.correction}"
    return f"comparisons of {pairs}, {correction}, follow"


# --- folds


def one_cross_validation(analysis: Analysis) -> bool:
    """Tell whether k folds are one: with repeats they are several, with `time:` chains."""
    kfold = analysis.plans.get("kfold")
    if kfold is None or kfold.repeats > 1:
        return False
    for data in analysis.datasets.values():
        if data.source is not None and data.source.time is not None:
            return False
    return True


def _on_folds(plan: str, analysis: Analysis) -> Iterator[Recommendation]:
    """Choose the tests of the fits of a plan: of the values of rows, and of the scores of folds."""
    plans = analysis.plans
    if plan == "kfold" and "halves" in plans:  # they answer the question without its assumption
        return
    kind_of_plan = plan
    if plan == "kfold" and not one_cross_validation(analysis):
        kind_of_plan = "repeated kfold"
    case_of = ON_FOLDS[kind_of_plan]
    # the tests of values of rows come first, whichever metric is the first one
    cases: dict[str, list[str]] = {case: [] for case in case_of.values()}
    for metric in analysis.metrics:
        cases[case_of[fold_metric(metric, plan, analysis)]].append(metric)
    if set(plans) - {plan, "holdout"}:
        cases.pop("cv_5x2", None)  # other folds bring a test of every metric
    for name, metrics in cases.items():
        if not metrics:
            continue
        case = CASES[name]
        why = f"{_named_plan(plan, analysis)}: {case.why}"
        if plan == "halves":
            yield Recommendation(case.two, why)
        else:
            yield Recommendation(case.two, f"by {joined(metrics)}, on {why}", tuple(metrics))


def _named_plan(plan: str, analysis: Analysis) -> str:
    """Name a plan of folds."""
    kfold = analysis.plans.get("kfold")
    if plan == "kfold" and kfold is not None:
        if kfold.repeats == 1:
            return f"{kfold.folds} folds"
        return f"{kfold.repeats} × {kfold.folds} folds"
    names = {
        "cv_5x2": "five replications of 2-fold cross-validation",
        "halves": "random halves",
        "resampled": "random divisions",
        "seeds": "training runs",
    }
    return names[plan]


def fold_metric(metric: str, plan: str, analysis: Analysis) -> FoldMetric:
    """Tell what is known of a metric on the folds of a plan, for the test that decides."""
    # a test runs on one plan: on other plans the scores of folds are compared
    if plan == _plan_of_rows(analysis) and metric in metrics_by_rows(analysis, plan):
        return FoldMetric.ROW_VALUES
    return FoldMetric.SCORES


def _plan_of_rows(analysis: Analysis) -> str:
    """Return the plan whose rows are compared: one with repetitions, which shows the most."""
    without_repetitions = ""
    for plan in analysis.plans:
        if not metrics_by_rows(analysis, plan):
            continue
        if plan != "kfold" or not one_cross_validation(analysis):
            return plan
        without_repetitions = plan
    return without_repetitions


def metrics_by_rows(analysis: Analysis, plan: str) -> tuple[str, ...]:
    """Return the metrics whose scores over the folds of a plan are known row by row."""
    if not analysis.has_rows_of_folds(plan):
        return ()
    return tuple(filter(has_test, analysis.metrics))


# --- data sets


def enough_datasets(analysis: Analysis) -> int:
    """Return from how many data sets on two models can be told apart over data sets."""
    # the smallest p-value of n signed ranks is 2^-n on one side, and twice that on two
    level = analysis.tests.alpha
    if analysis.tests.alternative == "two-sided":
        level /= 2
    return max(2, math.ceil(-math.log2(level)))


def over_datasets(analysis: Analysis) -> Recommendation:
    """Choose the test over data sets, and what compares the pairs."""
    k = len(analysis.models)
    n = len(analysis.tests.units(analysis.datasets))
    case = CASES[_case_over_datasets(n, k, enough_datasets(analysis))]
    pairs = test_of_pairs(analysis)
    if k == 2:
        return Recommendation(pairs, case.reason(k).format(models="two", datasets=n))
    why = case.reason(k).format(models=k, datasets=n)
    how = f"{pairs} compares each pair by itself, whatever the other models are"
    return Recommendation(case.more, f"{why}; {how} (Benavoli et al. 2016)", posthoc=pairs)


def test_of_pairs(analysis: Analysis) -> str:
    """Choose the test of two models over data sets, by what their scores have in common."""
    if not by_ranks(analysis, analysis.metrics):
        return IN_ONE_UNIT
    ratios = all(_has_ratios(metric, analysis) for metric in analysis.metrics)
    if ratios and not ranks_failures(analysis):
        return OF_RATIOS
    return OF_WINS


def _has_ratios(metric: str, analysis: Analysis) -> bool:
    """Tell whether ratios of a metric mean the same on every data set: of errors above 0."""
    measure = analysis.measures[metric]
    grouped = bool(analysis.tests.dataset_groups)  # whose mean has no unit
    return not grouped and not measure.greater_is_better and measure.range[0] == 0


def ranks_failures(analysis: Analysis) -> bool:
    """Tell whether a failure ranks last and has no score."""
    return analysis.tests.missing_cells == "failed"


def _case_over_datasets(n: int, k: int, fewest: int) -> str:
    """Return the case of n data sets and k models."""
    # all permutations of the ranks of so small a table can be listed
    exact = n <= EXACT_UP_TO.get(k, 1)
    if n < fewest and exact:
        return "few data sets"
    if n < fewest:
        return "few data sets, many models"
    if exact:
        return "data sets, exact"
    return "data sets"


def by_ranks(analysis: Analysis, metrics: Iterable[str]) -> str:
    """Say why scores of data sets can be ranked on each alone; empty where their size compares."""
    mixed = [name for name in metrics if name in analysis.mixed_units]
    if mixed:
        return (
            f"{listed(mixed)} has other units on other data sets, so that differences on them do "
            "not compare"
        )
    if ranks_failures(analysis):
        return "`missing_cells: failed` ranks a failure last and gives it none"
    return ""
