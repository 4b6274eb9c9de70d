"""Which tests fit what an experiment offers, and why.

One test set: McNemar's mid-p test, or Cochran's Q and then McNemar's (Raschka 2018, Dietterich
1998), for accuracy; DeLong's test, the cost-sensitive one or that of any metric for the others.
Repeated fits: the z test of the rows of 5×2cv, the half-sample t test, or t tests whose variance is
corrected for overlapping training sets (Nadeau & Bengio 2003, Bouckaert & Frank 2004). Several data
sets: Friedman's test and its post hoc, or Wilcoxon's for two models (Demšar 2006).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bakeoff.comparisons.dependence import in_time, robust, several_runs
from bakeoff.comparisons.evidence import has_interval, has_row_values, has_test
from bakeoff.comparisons.matrix import by_ranks
from bakeoff.comparisons.settings import FIXED_METRICS, planned
from bakeoff.errors import joined
from bakeoff.scores import METRICS, counted_rows
from bakeoff.scores.metrics import mixed_units
from bakeoff.spec import Experiment
from bakeoff.spec.related import dependent
from bakeoff.stats import Evidence, catalogue

ON_ROWS = "cv5x2_z"
"""The test of the fits of `cv_5x2` that looks at the rows of all folds."""


class Recommendation(NamedTuple):
    """A test that is recommended."""

    name: str
    why: str
    metrics: tuple[str, ...] = ()
    plan: str = ""
    posthoc: str = ""


def recommended(experiment: Experiment) -> list[Recommendation]:
    """Choose tests by the number of models and data sets, by the plans and the metrics."""
    if len(experiment.models) < 2:
        return []
    units = len(experiment.tests.units(experiment.datasets))
    if units >= enough_datasets(experiment):
        return list(_over_datasets(experiment, units))
    return list(_on_each_dataset(experiment)) or list(_over_few_datasets(experiment, units))


def enough_datasets(experiment: Experiment) -> int:
    """Return from how many data sets on two models can be told apart over data sets."""
    sides = 1 if experiment.tests.alternative == "two-sided" else 0
    return max(2, math.ceil(sides - math.log2(experiment.tests.alpha)))


def over_datasets(n: int, k: int) -> str:
    """Return the test of k models over n data sets."""
    if k == 2:
        return "wilcoxon_signed_rank"
    # the test itself finds whether a table of this size is small enough to list
    table = np.random.default_rng(0).permuted(np.tile(np.arange(float(k)), (n, 1)), axis=1)
    exact = catalogue()["friedman"].function(table).variant == "exact"
    return "friedman" if exact else "iman_davenport"


def _over_few_datasets(experiment: Experiment, n: int) -> Iterator[Recommendation]:
    """Choose exact tests, where too few data sets have one score each and there is no other."""
    k = len(experiment.models)
    if n < 2:
        return
    why = f"{n} data sets with one score for each model; this test is exact"
    name = over_datasets(n, k)
    ranks = by_ranks(experiment, experiment.metrics)
    pairs = "friedman_posthoc" if ranks else "wilcoxon_signed_rank"
    if k > 2:
        yield Recommendation(name, f"{why}; {pairs} compares pairs (Demšar 2006)", posthoc=pairs)
    elif not _mixed(experiment):
        yield Recommendation(name, f"{why} (Demšar 2006)")


def _over_datasets(experiment: Experiment, n: int) -> Iterator[Recommendation]:
    k = len(experiment.models)
    tail = (
        f"{n} data sets; tests on each of them alone would be {n} families and answer no question "
        "about further data sets"
    )
    name = over_datasets(n, k)
    if k == 2:
        if not _mixed(experiment):  # of these the win rate tells, without a test
            yield Recommendation(name, f"two models and {tail} (Demšar 2006)")
        return
    why = {
        "friedman": "a table of this size can be tested exactly",
        "iman_davenport": "this form of Friedman's test is less conservative than its χ²",
    }[name]
    posthoc = _posthoc(name, experiment)
    yield Recommendation(name, f"{k} models and {tail}; {why}; {posthoc} (Demšar 2006)")


def _mixed(experiment: Experiment) -> bool:
    return any(mixed_units(experiment, name) for name in experiment.metrics)


def _posthoc(name: str, experiment: Experiment) -> str:
    """Say which comparisons of pairs an omnibus test brings along."""
    known = catalogue()
    runs = robust(known[name], experiment)
    # a test of all pairs, which takes the place of one of all models at once, has none of its own
    pairwise = known[runs.posthoc] if runs.posthoc else runs
    test = planned(pairwise, experiment.tests, related=bool(dependent(experiment)))
    pairs = "all pairs" if test.versus is None else f"{test.versus} with each other model"
    by = test.correction or "none"
    correction = "uncorrected" if by == "none" else f"corrected by {by}"
    return f"comparisons of {pairs}, {correction}, come along"


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
        for one in _on_plan(plan, experiment, tail):
            yield one._replace(plan=plan)


def _on_plan(plan: str, experiment: Experiment, tail: str) -> Iterator[Recommendation]:
    match plan:
        case "holdout" if experiment.by_scores(plan):
            return  # one score per model, and no rows
        case "holdout":
            yield from _on_test_set(experiment, tail)
        case "cv_5x2":
            yield from _on_five_by_two(experiment, tail)
        case "halves":
            yield Recommendation(
                "half_sample_t",
                "random halves share no row, so the variance of their differences is not too small "
                f"on average, whatever the learner (docs/cross-validation.md){tail}",
            )
        case "kfold" if experiment.resampling.halves is not None:
            return  # the halves answer the same question without its assumption
        case "kfold":
            yield _on_folds(experiment, tail)
        case _:
            yield Recommendation(
                "corrected_resampled_t",
                "random divisions share rows, which this t test corrects for (Nadeau & Bengio "
                f"2003){tail}",
            )


def _on_test_set(experiment: Experiment, tail: str) -> Iterator[Recommendation]:
    """Choose for every metric the test that is about it, each test once; recipes where they are."""
    k = len(experiment.models)
    family = "" if k == 2 else f", corrected for {k} models"
    tested = tuple(filter(has_test, experiment.metrics))
    if several_runs(experiment):
        timed = any(kin.kind == "time" for kin in dependent(experiment).values())
        if (tested or experiment.by_values) and not timed:
            yield Recommendation(
                "recipe_mean_difference" if experiment.by_values else "recipe_difference",
                "several training runs on the same test rows: this test is about other seeds and "
                f"other rows{family}{tail}",
                () if experiment.by_values else tested,
            )
        return
    if experiment.by_values:
        yield Recommendation(
            "mean_difference", f"{k} models with a number for each row{family}{tail}"
        )
        return
    reasons = {
        "cost_sensitive": "this test compares what the errors of two models cost on one test set"
        f"{family}",
        "delong": f"this test compares two areas under the ROC curve on one test set{family}",
        "metric_difference": f"this test compares it on one test set{family} (from the influence "
        "of every row on it)",
        "diebold_mariano_means": "this test compares it at later times, with the long-run variance "
        f"of what each row adds to it{family} (Diebold & Mariano 1995, Lazarus et al. 2018)",
        "mcnemar": "two models on one test set",
        "cochran_q": f"{k} models on one test set; {_posthoc('cochran_q', experiment)}",
    }
    if not dependent(experiment):  # else another form of the test runs
        reasons["cost_sensitive"] += " (as testcholdout of MATLAB does)"
        reasons["delong"] += " (DeLong et al. 1988)"
        reasons["mcnemar"] += (
            "; the mid-p form holds its level and wastes little (Dietterich 1998, Fagerland et al. "
            "2013)"
        )
        reasons["cochran_q"] += ", by McNemar's mid-p test (Raschka 2018)"
    for name, metrics in _tests_of_metrics(experiment).items():
        yield Recommendation(name, f"by {joined(metrics)}: {reasons[name]}{tail}", metrics)


def _tests_of_metrics(experiment: Experiment) -> dict[str, tuple[str, ...]]:
    """Return the tests of one test set in the order of the metrics, each with its metrics."""
    two = len(experiment.models) == 2
    on_right_rows = "mcnemar" if two else "cochran_q"
    found: dict[str, tuple[str, ...]] = {}
    known = {
        Evidence.CORRECTNESS: on_right_rows,
        Evidence.COSTED_LABELS: "cost_sensitive",
        Evidence.PROBABILITIES: "delong",
    }
    serial = experiment.task.numbers and in_time(experiment)
    for metric in _of_other_nulls(experiment.metrics):
        evidence = METRICS[metric].evidence if metric in METRICS else ()
        if evidence or has_interval(metric):
            in_order = serial and has_row_values(metric, means=False)
            other = "diebold_mariano_means" if in_order else "metric_difference"
            name = known[evidence[0]] if evidence else other
            found[name] = (*found.get(name, ()), metric)
    return found or {on_right_rows: (FIXED_METRICS[Evidence.CORRECTNESS],)}


def _of_other_nulls(metrics: Sequence[str]) -> Iterator[str]:
    """Leave out metrics by which models are equal where they are by another one before."""
    asked = set[str]()
    for metric in metrics:
        null = METRICS[metric].null if metric in METRICS else ""
        if not null or null not in asked:
            yield metric
        asked.add(null)


def _on_five_by_two(experiment: Experiment, tail: str) -> Iterator[Recommendation]:
    metrics, plans = tuple(experiment.metrics), experiment.resampling.plans()
    accuracy = FIXED_METRICS[Evidence.FOLD_CORRECTNESS]
    related = dependent(experiment)
    # of several fits of a fold there are mean scores, but no rows that one of them has right
    counted = accuracy in metrics and experiment.on_rows("cv_5x2") and not several_runs(experiment)
    if counted and not related:
        yield Recommendation(
            ON_ROWS,
            f"by {accuracy}: five replications of 2-fold cross-validation; the standard error of "
            "this test has what test rows and training rows add (docs/cross-validation.md)"
            f"{tail}",
            (accuracy,),
        )
        metrics = tuple(metric for metric in metrics if not counted_rows(metric))
    if not metrics or set(plans) - {"cv_5x2", "holdout"}:
        return  # other folds bring a test of every metric
    groups = ", of rows in groups, which tests on rows of all folds do not know" if counted else ""
    yield Recommendation(
        "corrected_repeated_kfold_t",
        f"by {joined(metrics)}: five replications of 2-fold cross-validation"
        f"{groups if related else ''}; this t test corrects for the rows they share (Bouckaert & "
        f"Frank 2004){tail}",
        metrics,
    )


def _on_folds(experiment: Experiment, tail: str) -> Recommendation:
    plan = experiment.resampling.kfold
    assert plan is not None
    if plan.repeats == 1 and complete_folds(experiment):
        return Recommendation(
            "corrected_kfold_t",
            f"{plan.folds} folds share training rows, which this t test corrects for (Nadeau & "
            f"Bengio 2003){tail}",
        )
    return Recommendation(
        "corrected_repeated_kfold_t",
        f"{plan.repeats} × {plan.folds} folds share training rows, which this t test corrects for "
        f"(Bouckaert & Frank 2004){tail}",
    )


def complete_folds(experiment: Experiment) -> bool:
    """Tell whether k folds are a cross-validation: with `time:` they are forward chaining."""
    return all(getattr(spec, "time", None) is None for spec in experiment.datasets.values())


def on_given_rows(
    models: int,
    metrics: Sequence[str],
    costs: bool,
    serial: bool = False,
    *,
    runs: bool = False,
) -> dict[str, tuple[str, ...]]:
    """Return the tests of given predictions on one test set, each with its metrics; none: all."""
    if not metrics:
        return {"recipe_mean_difference" if runs else "mean_difference": ()}
    if runs:
        cost = FIXED_METRICS[Evidence.COSTED_LABELS]
        return {
            "recipe_difference": (
                *filter(has_test, metrics),
                *([cost] if costs and cost not in metrics else []),
            )
        }
    two = models == 2
    found: dict[str, tuple[str, ...]] = {}
    of_influence = [metric for metric in metrics if not counted_rows(metric)]
    by_influence = tuple(_of_other_nulls(of_influence))
    by_values = tuple(m for m in by_influence if serial and has_row_values(m, means=False))
    by_influence = tuple(metric for metric in by_influence if metric not in by_values)
    if any(map(counted_rows, metrics)):
        found |= {"mcnemar": ()} if two else {"cochran_q": (), "mcnemar": ()}
    if by_values:
        found["diebold_mariano_means"] = by_values
    if by_influence:
        found["metric_difference"] = by_influence
    return found | ({"cost_sensitive": ()} if costs else {})
