"""Which tests fit what an experiment offers, and why.

One test set: McNemar's mid-p test, or Cochran's Q and then McNemar's (Raschka 2018, Dietterich
1998); DeLong's test, the cost-sensitive one or that of any metric where models are ranked by it.
Repeated fits: McNemar's test over the rows of 5×2cv (Yang et al. 2023), the half-sample t test, or
t tests whose variance is corrected for overlapping training sets (Nadeau & Bengio 2003, Bouckaert &
Frank 2004). Several data sets: Friedman's test and its post hoc, or Wilcoxon's for two models
(Demšar 2006).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bakeoff.compare.evidence import has_interval, has_test
from bakeoff.compare.setup import FIXED_METRICS, setup_of
from bakeoff.spec import Experiment
from bakeoff.spec.related import dependent
from bakeoff.stats import Evidence, catalogue

Recommendation = tuple[str, str]
"""The name of a test and why it is recommended."""


def recommended(experiment: Experiment) -> list[Recommendation]:
    """Choose tests by the number of models and data sets, by the plans and the first metric."""
    if len(experiment.models) < 2:
        return []
    if len(experiment.datasets) >= enough_datasets(experiment):
        return list(_over_datasets(experiment))
    return list(_on_each_dataset(experiment))


def enough_datasets(experiment: Experiment) -> int:
    """Return from how many data sets on two models can be told apart over data sets.

    The signed-rank test's smallest p-value is 2^(1-N), half of that if one-sided.
    """
    sides = 1 if experiment.tests.alternative == "two-sided" else 0
    return max(2, math.ceil(sides - math.log2(experiment.tests.alpha)))


def _over_datasets(experiment: Experiment) -> Iterator[Recommendation]:
    n, k = len(experiment.datasets), len(experiment.models)
    tail = (
        f"{n} data sets; tests on each of them alone would be {n} families and answer no question "
        "about further data sets"
    )
    if k == 2:
        yield "wilcoxon_signed_rank", f"two models and {tail} (Demšar 2006)"
        return
    if _friedman_is_exact(n, k):
        name, why = "friedman", "a table of this size can be tested exactly"
    else:
        name = "iman_davenport"
        why = "this form of Friedman's test is less conservative than its χ²"
    yield name, f"{k} models and {tail}; {why}; {_posthoc(name, experiment)} (Demšar 2006)"


def _posthoc(name: str, experiment: Experiment) -> str:
    """Say which comparisons of pairs an omnibus test brings along."""
    known = catalogue()
    how = setup_of(known[known[name].posthoc], experiment.tests)
    pairs = "all pairs" if how.versus is None else f"{how.versus} with each other model"
    correction = "uncorrected" if how.correction == "none" else f"corrected by {how.correction}"
    return f"comparisons of {pairs}, {correction}, come along"


def _friedman_is_exact(n: int, k: int) -> bool:
    """Tell whether the test itself finds a table of this size small enough to list."""
    table = np.random.default_rng(0).permuted(np.tile(np.arange(float(k)), (n, 1)), axis=1)
    return bool(catalogue()["friedman"].function(table).variant == "exact")


def _on_each_dataset(experiment: Experiment) -> Iterator[Recommendation]:
    n = len(experiment.datasets)
    least = enough_datasets(experiment)
    tail = (
        ""
        if n == 1
        else f"; on each data set alone, because tests over data sets need {least} to reach "
        f"{experiment.tests.alpha:g}, there are {n}"
    )
    for plan in experiment.resampling.plans():
        if plan == "holdout" and experiment.by_scores(plan):
            continue  # one score per model, and no rows
        if plan == "holdout":
            yield _on_test_set(experiment, tail)
        elif plan == "cv_5x2":
            yield _on_five_by_two(experiment, tail)
        elif plan == "halves":
            yield (
                "half_sample_t",
                "random halves share no row, so their differences give a variance that is not too "
                f"small for any learner (docs/cross-validation.md){tail}",
            )
        elif plan == "kfold" and experiment.resampling.halves is None:
            yield _on_folds(experiment, tail)
        elif plan == "kfold":
            continue  # the halves answer the same question without its assumption
        else:
            yield (
                "corrected_resampled_t",
                "random divisions share rows, which this t test corrects for (Nadeau & Bengio "
                f"2003){tail}",
            )


def _on_test_set(experiment: Experiment, tail: str) -> Recommendation:
    """Choose by the metric that ranks the models; most have no test of their own on rows."""
    k, metric = len(experiment.models), experiment.metrics[0]
    family = "" if k == 2 else f", corrected for {k} models"
    if experiment.by_values:
        name = "mean_difference" if k == 2 else "compare_values"
        return name, f"{k} models with a number for each row{family}{tail}"
    if metric == FIXED_METRICS[Evidence.LABELS]:
        return (
            "cost_sensitive",
            f"the models are ranked by {metric}, and this test compares what the errors of two "
            f"models cost on one test set{family} (as testcholdout of MATLAB does){tail}",
        )
    if metric == FIXED_METRICS[Evidence.PROBABILITIES]:
        return (
            "delong",
            f"the models are ranked by {metric}, and this test compares two areas under the ROC "
            f"curve on one test set{family} (DeLong et al. 1988){tail}",
        )
    if has_interval(metric) and metric not in ("accuracy", "error"):
        name = "compare_models" if k > 2 and has_test(metric) else "metric_difference"
        return (
            name,
            f"the models are ranked by {metric}, which this test compares on one test set{family} "
            f"(from the influence of every row on it){tail}",
        )
    if k == 2:
        return (
            "mcnemar",
            "two models on one test set; the mid-p form holds its level and wastes little "
            f"(Dietterich 1998, Fagerland et al. 2013){tail}",
        )
    return (
        "cochran_q",
        f"{k} models on one test set; {_posthoc('cochran_q', experiment)}, by McNemar's mid-p test "
        f"(Raschka 2018){tail}",
    )


def _on_five_by_two(experiment: Experiment, tail: str) -> Recommendation:
    metric = experiment.metrics[0]
    counted = metric == FIXED_METRICS[Evidence.FOLD_CORRECTNESS] and experiment.on_rows("cv_5x2")
    if counted and not dependent(experiment):
        return (
            "cv5x2_mcnemar",
            "five replications of 2-fold cross-validation; this test counts the rows of all ten "
            "folds, and is not misled by learners that remember rows (Yang et al. 2023, "
            f"docs/cross-validation.md){tail}",
        )
    groups = ", of rows in groups, which tests on rows of all folds do not know" if counted else ""
    return (
        "corrected_repeated_kfold_t",
        f"five replications of 2-fold cross-validation by {metric}{groups}; this t test corrects "
        "for the rows they share (Bouckaert & Frank 2004) and may find too much for learners that "
        f"remember rows or are strongly shrunken{tail}",
    )


def _on_folds(experiment: Experiment, tail: str) -> Recommendation:
    plan = experiment.resampling.kfold
    assert plan is not None
    if plan.repeats == 1 and complete_folds(experiment):
        return (
            "corrected_kfold_t",
            f"{plan.folds} folds share training rows, which this t test corrects for (Nadeau & "
            f"Bengio 2003){tail}",
        )
    return (
        "corrected_repeated_kfold_t",
        f"{plan.repeats} × {plan.folds} folds share training rows, which this t test corrects for "
        f"(Bouckaert & Frank 2004){tail}",
    )


def complete_folds(experiment: Experiment) -> bool:
    """Tell whether k folds are a cross-validation: with `time:` they are forward chaining."""
    return all(getattr(spec, "time", None) is None for spec in experiment.datasets.values())
