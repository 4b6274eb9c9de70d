"""Which test is recommended for which case, and why.

`CASES` is the one place that says so: `run: [recommended]`, `bakeoff compare`, `bakeoff init`, the
advice of a verdict and the table of docs/choosing-tests.md are made from it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from bakeoff.comparisons.dependence import in_time, robust, several_runs
from bakeoff.comparisons.evidence import has_interval, has_row_values, has_test
from bakeoff.comparisons.matrix import by_ranks
from bakeoff.comparisons.settings import FIXED_METRICS, planned
from bakeoff.errors import joined
from bakeoff.scores import METRICS, counted_rows
from bakeoff.scores.metrics import mixed_units
from bakeoff.spec import Experiment
from bakeoff.spec.related import dependent
from bakeoff.stats import catalogue
from bakeoff.stats.datasets.rank_tests import EXACT_UP_TO


class Case(NamedTuple):
    """A case, the test of two models, that of more if it is another one, and the reason."""

    has: str
    two: str
    why: str
    more: str = ""
    source: str = ""
    """Who recommends it for independent rows: related ones have another form of the test."""
    pairs: str = ""
    """What compares the pairs after the test of more, where not its own post hoc test."""

    def test(self, models: int) -> str:
        """Return the test of so many models."""
        return self.two if models == 2 else self.more or self.two


_RUNS = "several training runs on the same test rows: this test is about other seeds and other rows"
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
        "this test compares two areas under the ROC curve on one test set",
        source="DeLong et al. 1988",
    ),
    "costs": Case(
        "a `holdout`, by `cost`",
        "cost_sensitive",
        "this test compares what the errors of two models cost on one test set",
        source="as testcholdout of MATLAB does",
    ),
    "metric": Case(
        "a `holdout`, by any other metric",
        "metric_difference",
        "this test compares it on one test set, from the influence of every row on it",
    ),
    "losses in time": Case(
        "a `holdout` of numbers in the order of `time:`, by a mean loss",
        "diebold_mariano_means",
        "this test compares it at later times, with the long-run variance of what each row adds to "
        "it (Diebold & Mariano 1995, Lazarus et al. 2018)",
    ),
    "values": Case(
        "a number per row of each model ([`values:`](existing-results.md))",
        "mean_difference",
        "{models} models with a number for each row",
    ),
    "runs": Case("a `holdout`, and a model with several `seeds`", "recipe_difference", _RUNS),
    "runs of values": Case("the same, with a number per row", "recipe_mean_difference", _RUNS),
    "rows of cv_5x2": Case(
        "`cv_5x2`, by accuracy",
        "cv5x2_z",
        "five replications of 2-fold cross-validation; the standard error of this test has what "
        "test rows and training rows add",
    ),
    "cv_5x2": Case(
        "`cv_5x2`, by another metric, or of rows in groups",
        "corrected_repeated_kfold_t",
        "five replications of 2-fold cross-validation; this t test corrects for the rows they "
        "share (Bouckaert & Frank 2004)",
    ),
    "halves": Case(
        "`halves`",
        "half_sample_t",
        "random halves share no row, so the variance of their differences is not too small on "
        "average, whatever the learner",
    ),
    "kfold": Case(
        "`kfold`",
        "corrected_kfold_t",
        "{folds} folds share training rows, which this t test corrects for (Nadeau & Bengio 2003)",
    ),
    "repeated kfold": Case(
        "`kfold` with repeats, or of data with `time:`",
        "corrected_repeated_kfold_t",
        "{repeats} × {folds} folds share training rows, which this t test corrects for (Bouckaert "
        "& Frank 2004)",
    ),
    "resampled": Case(
        "`resampled`",
        "corrected_resampled_t",
        "random divisions share rows, which this t test corrects for (Nadeau & Bengio 2003)",
    ),
    "few data sets": Case(
        "two to five data sets, one score of each model",
        "wilcoxon_signed_rank",
        "{datasets} data sets with one score for each model; this test is exact (Demšar 2006)",
        "friedman",
        pairs="wilcoxon_signed_rank",
    ),
    "data sets": Case(
        "six or more data sets",
        "wilcoxon_signed_rank",
        "{models} models and {datasets} data sets; tests on each of them alone would be "
        "{datasets} families and answer no question about further data sets (Demšar 2006)",
        "iman_davenport",
    ),
}
ON_ROWS = CASES["rows of cv_5x2"].two
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
    mixed = any(mixed_units(experiment, name) for name in experiment.metrics)
    no_test = mixed and len(experiment.models) == 2  # the win rate tells, without one
    if units >= enough_datasets(experiment):
        return [] if no_test else [over_datasets(experiment, "data sets")]
    found = list(_on_each_dataset(experiment))
    if found or units < 2 or no_test:
        return found
    # where data sets have one score of each model there is no other test
    return [over_datasets(experiment, "few data sets")]


def enough_datasets(experiment: Experiment) -> int:
    """Return from how many data sets on two models can be told apart over data sets."""
    sides = 1 if experiment.tests.alternative == "two-sided" else 0
    return max(2, math.ceil(sides - math.log2(experiment.tests.alpha)))


def over_datasets(experiment: Experiment, case: str = "data sets") -> Recommendation:
    """Choose the test over data sets, and what compares the pairs."""
    k, n = len(experiment.models), len(experiment.tests.units(experiment.datasets))
    why = _why(case, models="two" if k == 2 else k, datasets=n)
    if k == 2:
        return Recommendation(CASES[case].two, why)
    exact = n <= EXACT_UP_TO.get(k, 1)
    name = CASES["few data sets" if exact else "data sets"].more
    if case == "few data sets":
        ranks = by_ranks(experiment, experiment.metrics)
        pairs = "friedman_posthoc" if ranks else CASES[case].pairs
        return Recommendation(name, f"{why}; {pairs} compares pairs", posthoc=pairs)
    form = "this form of Friedman's test is less conservative than its χ²"
    form = "a table of this size can be tested exactly" if exact else form
    return Recommendation(name, f"{why}; {form}; {_posthoc(name, experiment)}")


def _why(case: str, **facts: Any) -> str:
    return CASES[case].why.format(**facts)


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
    tail = (
        ""
        if n == 1
        else f"; on each data set alone, because a signed-rank test over them "
        f"needs {enough_datasets(experiment)} to reach {experiment.tests.alpha:g}, there are {n}"
    )
    for plan in experiment.resampling.plans():
        for one in _on_plan(plan, experiment):
            yield one._replace(why=f"{one.why}{tail}", plan=plan)


def _on_plan(plan: str, experiment: Experiment) -> Iterator[Recommendation]:
    kfold = experiment.resampling.kfold
    match plan:
        case "holdout":
            if not experiment.by_scores(plan):  # else there is one score per model, and no rows
                yield from _on_test_set(experiment)
        case "cv_5x2":
            yield from _on_five_by_two(experiment)
        case "kfold":
            if experiment.resampling.halves is not None:
                return  # the halves answer the same question without its assumption
            assert kfold is not None
            once = kfold.repeats == 1 and complete_folds(experiment)
            case = "kfold" if once else "repeated kfold"
            why = _why(case, folds=kfold.folds, repeats=kfold.repeats)
            yield Recommendation(CASES[case].two, why)
        case _:
            yield Recommendation(CASES[plan].two, _why(plan))


def _on_test_set(experiment: Experiment) -> Iterator[Recommendation]:
    """Choose for every metric the test that is about it, each test once; recipes where they are."""
    k, by_values = len(experiment.models), experiment.by_values
    family = "" if k == 2 else f", corrected for {k} models"
    tested = tuple(filter(has_test, experiment.metrics))
    if several_runs(experiment):
        timed = any(kin.kind == "time" for kin in dependent(experiment).values())
        if (tested or by_values) and not timed:
            case = "runs of values" if by_values else "runs"
            why = f"{_why(case)}{family}"
            yield Recommendation(CASES[case].test(k), why, () if by_values else tested)
        return
    if by_values:
        yield Recommendation(CASES["values"].test(k), f"{_why('values', models=k)}{family}")
        return
    independent = not dependent(experiment)  # else another form of the test runs
    for case, metrics in _cases_of_metrics(experiment).items():
        name, source = CASES[case].test(k), CASES[case].source
        omnibus = f"; {_posthoc(name, experiment)}" if name == CASES[case].more else ""
        why = f"{_why(case, models=k)}{omnibus or (family if case != 'right rows' else '')}"
        cited = f" ({source})" if source and independent else ""
        yield Recommendation(name, f"by {joined(metrics)}: {why}{cited}", metrics)


def _cases_of_metrics(experiment: Experiment) -> dict[str, tuple[str, ...]]:
    """Return the cases of one test set in the order of the metrics, each with its metrics."""
    found: dict[str, tuple[str, ...]] = {}
    serial = experiment.task.numbers and in_time(experiment)
    known = {"correctness": "right rows", "classes": "costs", "ranking": "areas"}
    for metric in _of_other_nulls(experiment.metrics):
        reads = METRICS[metric].reads if metric in METRICS else None
        if reads or has_interval(metric):
            case = known[reads] if reads else _by_influence(metric, serial)
            found[case] = (*found.get(case, ()), metric)
    return found or {"right rows": (FIXED_METRICS["correctness"],)}


def _by_influence(metric: str, serial: bool) -> str:
    return "losses in time" if serial and has_row_values(metric, means=False) else "metric"


def _of_other_nulls(metrics: Sequence[str]) -> Iterator[str]:
    """Leave out metrics by which models are equal where they are by another one before."""
    asked = set[str]()
    for metric in metrics:
        null = METRICS[metric].null if metric in METRICS else ""
        if not null or null not in asked:
            yield metric
        asked.add(null)


def _on_five_by_two(experiment: Experiment) -> Iterator[Recommendation]:
    metrics, plans = tuple(experiment.metrics), experiment.resampling.plans()
    accuracy = FIXED_METRICS["correctness"]
    # of several fits of a fold there are mean scores, but no rows that one of them has right
    counted = accuracy in metrics and experiment.on_rows("cv_5x2") and not several_runs(experiment)
    related = bool(dependent(experiment))
    if counted and not related:
        why = f"by {accuracy}: {_why('rows of cv_5x2')}"
        yield Recommendation(ON_ROWS, why, (accuracy,))
        metrics = tuple(metric for metric in metrics if not counted_rows(metric))
    if not metrics or set(plans) - {"cv_5x2", "holdout"}:
        return  # other folds bring a test of every metric
    why = f"by {joined(metrics)}: {_why('cv_5x2')}"
    if counted and related:
        why += "; tests on rows of all folds do not know rows in groups"
    yield Recommendation(CASES["cv_5x2"].two, why, metrics)


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
        return {CASES["runs of values" if runs else "values"].test(models): ()}
    if runs:
        cost = FIXED_METRICS["classes"]
        more = [cost] if costs and cost not in metrics else []
        return {CASES["runs"].test(models): (*filter(has_test, metrics), *more)}
    found: dict[str, tuple[str, ...]] = {}
    if any(map(counted_rows, metrics)):
        # beside a test of all models at once, that of the pairs takes options of its own
        case = CASES["right rows"]
        found |= dict.fromkeys((case.test(models), case.two), ())
    of_influence = [metric for metric in metrics if not counted_rows(metric)]
    for metric in _of_other_nulls(of_influence):
        name = CASES[_by_influence(metric, serial)].test(models)
        found[name] = (*found.get(name, ()), metric)
    return found | ({CASES["costs"].test(models): ()} if costs else {})
