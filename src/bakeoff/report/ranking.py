"""The models in order: means, intervals, ranks and win rates; and which of them may be the best."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.comparisons.choose import enough_datasets
from bakeoff.comparisons.evidence import (
    DatasetScores,
    PairedPredictions,
    by_metric,
    difference_options,
)
from bakeoff.comparisons.held_out import block_checks, clipped, held_out_by
from bakeoff.comparisons.score_matrix import complete
from bakeoff.comparisons.settings import has_test
from bakeoff.errors import UserError
from bakeoff.report.family import Family, seen_from
from bakeoff.report.study import Study
from bakeoff.scores import Metric
from bakeoff.seeds import derive, integer
from bakeoff.spec import Costs
from bakeoff.spec.resampling import Halves
from bakeoff.stats import (
    Assumption,
    ConfidenceInterval,
    Status,
    bradley_terry,
    catalogue,
    corrected_mean_ci,
    half_sample_t,
    one_sample_t,
    win_rates,
)
from bakeoff.stats.core.pairs import PairwiseResult, compact_letters
from bakeoff.stats.metrics.family import best_of, compare_all, family_of_values, read_family
from bakeoff.threads import on_one_thread

_DIGITS = 10
"""Digits in which scores must differ to be no ties."""
DRAWS = 9_999


class Ranked(NamedTuple):
    """One model's line in the ranking."""

    model: str
    rank: float
    """Place by the mean, ties shared; over several data sets the average rank."""
    mean: float
    sd: float
    """Of the scores over folds, or of the means over data sets."""
    ci: ConfidenceInterval | None
    """For the expected score."""
    n: int
    """Folds, or data sets."""
    wins: int
    """Data sets on which it scores highest, ties included."""


def ranking(study: Study, metric: str = "", plan: str = "") -> list[Ranked]:
    """Rank the models that have all scores, best first."""
    return _ranked(study, metric or study.metric.name, plan or study.plan)


@lru_cache(maxsize=32)  # by the whole key: many ask by the defaults, others by the same names
def _ranked(study: Study, metric: str, plan: str) -> list[Ranked]:
    means = dataset_means(study, metric, plan).dropna(axis="columns")
    models = [model for model in study.models if model in means]
    if not models:
        return []
    ranks = ranks_of(means, study.metrics[metric])
    average_ranks = _ranks_of_units(study, means, metric, ranks)
    is_best = ranks.eq(ranks.min(axis=1), axis=0)
    # a single data set is described by the scores of its folds
    scores = means
    if len(means) == 1:
        scores = study.values[metric, plan][means.index[0]]
    lines = []
    for model in models:
        of_model = scores[model]
        line = Ranked(
            model=model,
            rank=float(average_ranks[model].mean()),
            mean=float(of_model.mean()),
            sd=float(of_model.std(ddof=1)) if len(of_model) > 1 else math.nan,
            ci=_interval(study, model, metric, plan, means),
            n=len(of_model),
            wins=int(is_best[model].sum()),
        )
        lines.append(line)
    sign = 1
    if study.metrics[metric].greater_is_better:
        sign = -1

    # equal average ranks are decided by the mean score
    def best_first(line: Ranked) -> tuple[float, float]:
        return round(line.rank, _DIGITS), without_noise(study, metric, plan, sign * line.mean)

    return sorted(lines, key=best_first)


def _ranks_of_units(
    study: Study, means: pd.DataFrame, metric: str, ranks: pd.DataFrame
) -> pd.DataFrame:
    """Return the ranks to average: a group of data sets is one, as in the tests."""
    if len(study.analysis.tests.units(list(means.index))) == len(means):
        return ranks
    merged = by_unit(study, means, metric)
    if merged is None:
        return ranks
    unit_means = pd.DataFrame(merged.values, columns=list(merged.models))
    return ranks_of(unit_means, study.metrics[metric]).reindex(columns=ranks.columns)


@lru_cache(maxsize=64)
def dataset_means(study: Study, metric: str, plan: str) -> pd.DataFrame:
    """Return mean scores: one row per data set, one column per model."""
    tables = study.values[metric, plan]
    if not tables:
        return pd.DataFrame()
    # models may have unequal numbers of training runs, but a lost fold is a missing score
    of_runs = plan == "seeds"
    means = {}
    for name, table in tables.items():
        means[name] = table.mean(axis=0, skipna=of_runs)
    return pd.DataFrame(means).T


def by_unit(study: Study, means: pd.DataFrame, metric: str) -> DatasetScores | None:
    """Merge groups of data sets, and do with missing scores as the tests over data sets do."""
    scores = means.reindex(columns=list(study.models))
    try:
        return complete(study.analysis, metric, scores, study.analysis.missing_cells)
    except UserError:  # a model without any score
        return None


def ranks_of(means: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Rank the models within each data set, 1 is best; scores that differ by float noise tie."""
    # a row of scores for each data set, each with a size of its own
    units = [_unit(metric, row) for row in means.to_numpy(np.float64)]
    rounded = means.div(units, axis=0).round(_DIGITS)
    return rounded.rank(axis=1, ascending=not metric.greater_is_better, method="average")


def without_noise(study: Study, metric: str, plan: str, difference: float) -> float:
    """Round a difference of scores so that float noise is 0, in another unit than theirs."""
    return round(difference / _unit_of(study, metric, plan), _DIGITS)


@lru_cache(maxsize=64)
def _unit_of(study: Study, metric: str, plan: str) -> float:
    means = dataset_means(study, metric, plan)
    return _unit(study.metrics[metric], means.to_numpy(np.float64))


def _unit(metric: Metric, scores: NDArray[np.float64]) -> float:
    """Return the size that rounding errors are compared with: that of a limit of the metric."""
    limits = []
    for limit in metric.range:
        if limit and math.isfinite(limit):
            limits.append(abs(limit))
    if limits:
        return max(limits)
    # without a limit but 0 that of low scores: a model that diverged makes no others ties
    sizes = np.abs(scores[np.isfinite(scores) & (scores != 0)])
    if sizes.size:
        return float(np.quantile(sizes, 0.25, method="lower"))
    return 1.0


def _interval(
    study: Study, model: str, metric: str, plan: str, means: pd.DataFrame
) -> ConfidenceInterval | None:
    """Return the interval of a mean: over data sets, over folds, or of one test set."""
    level = 1 - study.alpha
    limits = study.metrics[metric].range
    if len(means) > 1:
        result = one_sample_t(means[model].to_numpy(), mu0=0.0, confidence_level=level)
        return clipped(result.ci, limits)
    dataset = str(means.index[0])
    values = study.values[metric, plan][dataset][model].to_numpy()
    if len(values) < 2:
        return study.held_out.get((dataset, metric, model))
    line = study.over_folds.get((dataset, plan, metric, model))
    if line is not None:
        if math.isnan(line["ci_low"]):
            return None
        return ConfidenceInterval(line["ci_low"], line["ci_high"], level, "")
    if plan == "halves":
        return clipped(_half_sample_interval(study, metric, model, level), limits)
    sizes = study.sizes(dataset, plan, model, metric)
    if sizes is None:
        return None
    ci = corrected_mean_ci(
        values, n_train=sizes["n_train"], n_test=sizes["n_test"], confidence_level=level
    )
    return clipped(ci, limits)


def _half_sample_interval(
    study: Study, metric: str, model: str, level: float
) -> ConfidenceInterval | None:
    """Return the interval of a mean score under `halves`, from the differences of the halves."""
    halves = study.analysis.plans["halves"]
    assert isinstance(halves, Halves)
    rows = study.scores[(study.scores["plan"] == "halves") & (study.scores["metric"] == metric)]
    rows = rows[rows["model"] == model].sort_values(["repeat", "fold"])
    # a row for each cross-validation: first those of the halves, then those of all rows
    scores = rows["value"].to_numpy(np.float64).reshape(-1, halves.folds)
    # a mean score is the mean difference from a model that scores 0
    result = half_sample_t(
        scores,
        np.zeros_like(scores),
        full_repeats=halves.full_repeats,
        variant="full" if study.by_full else "halves",
        confidence_level=level,
    )
    return result.ci


def shown_interval(study: Study, line: Ranked) -> ConfidenceInterval | None:
    """Return a model's interval where it says something: of enough data sets, and not of half."""
    few = study.several and study.units < enough_datasets(study.analysis)
    if few or line.ci is None:
        return None
    low, high = study.metric.range
    uninformative = line.ci.high - line.ci.low >= (high - low) / 2
    # a range without an end has no half: what touches a limit says nothing
    if math.isinf(high - low):
        uninformative = line.ci.low in (low, high) or line.ci.high in (low, high)
    if uninformative:
        return None
    return line.ci


class Standing(NamedTuple):
    """Where a model stands in a table of scores."""

    model: str
    average_rank: float
    win_rate: float
    win_rate_ci: tuple[float, float]
    data_sets: int
    strength: float


@lru_cache(maxsize=16)
@on_one_thread
def standings(study: Study, metric: str = "") -> tuple[Standing, ...]:
    """Return where the models stand by a metric, best first; empty where scores are too few."""
    measure = study.metrics[metric or study.metric.name]
    table = dataset_means(study, measure.name, study.plan)
    merged = None if table.empty else by_unit(study, table, measure.name)
    if merged is None or len(study.models) < 2:
        return ()
    values = merged.values[~np.isnan(merged.values).any(axis=1)]
    greater = measure.greater_is_better
    level = 1 - study.alpha
    try:
        strengths = bradley_terry(values, greater_is_better=greater, confidence_level=level)
    except ValueError:  # no data set with two scores, or one data set alone
        return ()
    best_first = np.argsort(strengths.expected_rank, kind="stable")
    n_models = len(best_first)
    rates = win_rates(values[:, best_first], greater_is_better=greater, confidence_level=level)
    places = []
    for i, m in enumerate(best_first):
        rate = float(rates.rate[i])
        # of k models one that beats the share w of the others has the rank k − (k − 1) w
        standing = Standing(
            model=merged.models[m],
            average_rank=n_models - (n_models - 1) * rate,
            win_rate=rate,
            win_rate_ci=(float(rates.low[i]), float(rates.high[i])),
            data_sets=int(rates.n[i]),
            strength=float(strengths.strength[m]),
        )
        places.append(standing)
    return tuple(places)


def lead_of(study: Study, family: Family) -> dict[str, float]:
    """Order the models of a family, best on its own evidence first; equal values are ties."""
    if family.ranks:
        lead = {}
        # a low rank is a good one
        for model, rank in family.ranks.items():
            lead[model] = -round(rank, _DIGITS)
    elif family.entry.evidence.on_rows:
        lead = _lead_by_differences(study, family)
    else:
        lead = _lead_by_scores(study, family)
    return dict(sorted(lead.items(), key=lambda model_and_lead: -model_and_lead[1]))


def _lead_by_differences(study: Study, family: Family) -> dict[str, float]:
    """Order models by the differences on rows: less than the best one, in its unit."""
    # against all others or against one control, a sum of differences orders like the scores
    sums = dict.fromkeys(family.models, 0.0)
    for row in family.rows:
        if math.isfinite(row.estimate):
            if not family.control:
                sums[row.model_a] += row.estimate
            sums[row.model_b] -= row.estimate
    first = max(sums, key=lambda model: sums[model])
    lead = {}
    for model, of_model in sums.items():
        behind = sums[first] - of_model
        # beside a model that diverged, sums have no digits left for the others
        beside = family.between(first, model)
        if beside is not None and math.isfinite(beside.estimate):
            behind = beside.estimate
        lead[model] = -without_noise(study, family.metric, family.plan, behind)
    return lead


def _lead_by_scores(study: Study, family: Family) -> dict[str, float]:
    """Order models by their ranks; the ranking orders equal ranks by mean scores."""
    ranks = {line.model: line.rank for line in ranking(study, family.metric, family.plan)}
    if not family.dataset and not ranks.keys() >= set(family.models):
        table = standings(study, family.metric)
        if table:
            ranks = {standing.model: standing.average_rank for standing in table}
    lead = {}
    for model, rank in ranks.items():
        if model in family.models:
            lead[model] = -round(rank, _DIGITS)
    for model in family.models:
        lead.setdefault(model, -math.inf)
    return lead


def order(study: Study) -> list[str]:
    """Return the models, best first, those without all scores last."""
    models = [line.model for line in ranking(study)]
    # standings go by what is left of the scores of models that lack some
    if study.several and len(models) < len(study.models):
        models = [standing.model for standing in standings(study)] + models
    return list(dict.fromkeys([*models, *study.models]))


def oriented(study: Study, a: str, b: str) -> tuple[str, str]:
    """Return A and B as in comparisons.csv: the control is A, else the experiment's first."""
    control = study.analysis.tests.versus
    first = min((a, b), key=lambda model: (model != control, study.models.index(model)))
    return first, b if first == a else a


class Contender(NamedTuple):
    """One model of a test set."""

    model: str
    value: float
    ci: ConfidenceInterval | None
    pvalue: float
    stays: bool
    tier: str


class Contenders(NamedTuple):
    """The models of one test set, best first, and what the set of the best assumes."""

    models: tuple[Contender, ...]
    assumptions: tuple[Assumption, ...]


@lru_cache(maxsize=32)
def may_be_best(study: Study, metric: str) -> dict[str, Contenders]:
    """Find the models that may be the best by a metric, on data sets with single fits."""
    if study.has_runs:
        return {}
    by_dataset = {}
    for name, rows in (study.test_sets or study.numbers).items():
        ranked = next(by_metric(rows, study.analysis, [metric]))
        seed = derive(study.analysis.seed, "best")
        best = contenders(
            ranked,
            study.analysis.datasets[name].costs,
            study.alpha,
            integer(seed),
            _tested_pairs(study, name, metric),
        )
        if best is not None:
            by_dataset[name] = best
    return by_dataset


def _tested_pairs(study: Study, dataset: str, metric: str) -> dict[tuple[str, str], float]:
    """Map better and worse model to the p-value of the test that the verdict rests on."""
    pvalues = {}
    for family in study.trusted(dataset, metric):
        if family.entry.about != "models":
            continue
        for row in family.rows:
            for seen in (row, seen_from(row, row.model_b)):
                ahead = seen.estimate > 0 and seen.alternative != "less"
                pvalues[seen.model_a, seen.model_b] = seen.pvalue_adjusted if ahead else 1.0
    return pvalues


def cautions(study: Study, best: Contenders) -> Iterator[str]:
    """Say how far the set of the models that may be the best can be trusted, if it is shown."""
    if len(study.models) < 3:
        return
    for assumption in best.assumptions:
        if assumption.holds is False:
            yield f"Caution: this list is rough ({assumption.detail})."


@on_one_thread
def contenders(
    rows: PairedPredictions,
    costs: Costs | None,
    alpha: float,
    seed: int,
    tested: Mapping[tuple[str, str], float] | None = None,
) -> Contenders | None:
    """Find the models that may be the best."""
    if not rows.by_values and not has_test(rows.metric):
        return None
    complete = [m for m in range(len(rows.models)) if not rows.missing([m])]
    if len(complete) < 2 or rows.tasks is not None:
        return None
    rows = rows.only(complete)
    options = difference_options(rows, costs)
    if rows.by_values:
        family = family_of_values(rows.predicted, rows.greater_is_better, **options)
    else:
        truth, predicted = rows.matrix(catalogue()[rows.difference])
        family = read_family(truth, predicted, **options)
    level = 1 - alpha
    best = best_of(family, level, DRAWS, seed)
    pairs = compare_all(family, confidence_level=level, n_resamples=DRAWS, seed=seed)
    if best.status is not Status.OK:
        return None
    blocks = block_checks(rows, catalogue()["metric_difference"], costs)
    pvalues = _worse(rows.models, pairs, tested or {})
    best_first = sorted(range(len(rows.models)), key=lambda m: -best.scores[m])
    different = [(int(i), int(j)) for i, j in np.argwhere(pvalues <= alpha)]
    letters = _letters(best_first, different)
    ranked = []
    for m in best_first:
        score = held_out_by(rows, costs).interval(m, level)
        # out of the set of the best, and worse than another model
        smallest = pvalues[m].min()
        contender = Contender(
            model=rows.models[m],
            value=score.estimate,
            ci=score.ci,
            pvalue=float(np.maximum(best.pvalues[m], smallest)),
            stays=bool(m in best.members or smallest > alpha),
            tier=letters[m],
        )
        ranked.append(contender)
    return Contenders(tuple(ranked), (*best.assumptions, *blocks))


def _worse(
    models: Sequence[str], pairs: PairwiseResult, tested: Mapping[tuple[str, str], float]
) -> NDArray[np.float64]:
    """Return p-values of "j is better than i", in row i and column j."""
    pvalues = np.ones((len(models), len(models)))
    for pair in pairs.pairs:
        for better, worse, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            # a pair cannot show that the model with the lower score is better
            of_family = 1.0
            if sign * pair.estimate > 0:
                of_family = pair.pvalue_adjusted
            p = tested.get((models[better], models[worse]), of_family)
            pvalues[worse, better] = 1.0 if math.isnan(p) else p
    return pvalues


def _letters(order: list[int], different: list[tuple[int, int]]) -> list[str]:
    """Name the groups of models that do not differ, in the order of their best members."""
    place = {model: i for i, model in enumerate(order)}
    groups = compact_letters(len(order), different)
    groups = sorted(groups, key=lambda group: sorted(place[model] for model in group))
    letters = [""] * len(order)
    for i, group in enumerate(groups):
        # a, b, …, z, a1, b1, …
        name = f"{string.ascii_lowercase[i % 26]}{i // 26 or ''}"
        for model in group:
            letters[model] += name
    return letters
