"""The models in order: means, intervals, ranks and win rates; and which of them may be the best."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

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
from bakeoff.report.study import Family, Study, seen_from
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
from bakeoff.stats.core.pairs import compact_letters
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
    average = ranks
    if len(study.analysis.tests.units(list(means.index))) < len(means):
        merged = by_unit(study, means, metric)
        if merged is not None:  # a group of data sets is one, as in the tests
            unit = pd.DataFrame(merged.values, columns=list(merged.models))
            average = ranks_of(unit, study.metrics[metric]).reindex(columns=models)
    best = ranks.eq(ranks.min(axis=1), axis=0)
    lines = []
    scores = means if len(means) > 1 else study.values[metric, plan][means.index[0]]
    for model in models:
        spread = scores[model]
        sd = float(spread.std(ddof=1)) if len(spread) > 1 else math.nan
        ci = _interval(study, model, metric, plan, means)
        rank, wins = float(average[model].mean()), int(best[model].sum())
        mean, n = float(spread.mean()), len(spread)
        lines.append(Ranked(model, rank, mean, sd, ci, n, wins))
    sign = -1 if study.metrics[metric].greater_is_better else 1
    each = {line.model: without_noise(study, metric, plan, sign * line.mean) for line in lines}
    return sorted(lines, key=lambda line: (round(line.rank, 10), each[line.model]))


@lru_cache(maxsize=64)
def dataset_means(study: Study, metric: str, plan: str) -> pd.DataFrame:
    """Return mean scores: one row per data set, one column per model."""
    tables = study.values[metric, plan]
    rows = {name: table.mean(axis=0, skipna=False) for name, table in tables.items()}
    return pd.DataFrame(rows).T if rows else pd.DataFrame()


def by_unit(study: Study, means: pd.DataFrame, metric: str) -> DatasetScores | None:
    """Merge groups of data sets, and do with missing scores as the tests over data sets do."""
    scores = means.reindex(columns=list(study.models))
    try:
        return complete(study.analysis, metric, scores, study.analysis.missing_cells)
    except UserError:  # a model without any score
        return None


def ranks_of(means: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Rank the models within each data set, 1 is best; scores that differ by float noise tie."""
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
    if limits := [abs(limit) for limit in metric.range if limit and math.isfinite(limit)]:
        return max(limits)
    # without a limit but 0 that of low scores: a model that diverged makes no others ties
    sizes = np.abs(scores[np.isfinite(scores) & (scores != 0)])
    return float(np.quantile(sizes, 0.25, method="lower")) if sizes.size else 1.0


def _interval(
    study: Study, model: str, metric: str, plan: str, means: pd.DataFrame
) -> ConfidenceInterval | None:
    """Return the interval of a mean: over data sets, over folds, or of one test set."""
    level, limits = 1 - study.alpha, study.metrics[metric].range
    if len(means) > 1:
        result = one_sample_t(means[model].to_numpy(), mu0=0.0, confidence_level=level)
        return clipped(result.ci, limits)
    dataset = str(means.index[0])
    values = study.values[metric, plan][dataset][model].to_numpy()
    if len(values) < 2:
        return study.held_out.get((dataset, metric, model))
    line = study.over_folds.get((dataset, plan, metric, model))
    if line is not None:
        known = not math.isnan(line["ci_low"])
        return ConfidenceInterval(line["ci_low"], line["ci_high"], level, "") if known else None
    if plan == "halves":
        return clipped(_half_sample_interval(study, metric, model, level), limits)
    sizes = study.sizes(dataset, plan, model, metric)
    ci = None if sizes is None else corrected_mean_ci(values, **sizes, confidence_level=level)
    return clipped(ci, limits)


def _half_sample_interval(
    study: Study, metric: str, model: str, level: float
) -> ConfidenceInterval | None:
    """Return the interval of a mean score under `halves`, from the differences of the halves."""
    halves = study.analysis.plans["halves"]
    assert isinstance(halves, Halves)
    rows = study.scores[(study.scores["plan"] == "halves") & (study.scores["metric"] == metric)]
    rows = rows[rows["model"] == model].sort_values(["repeat", "fold"])
    scores = rows["value"].to_numpy(np.float64).reshape(-1, halves.folds)
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
    if math.isinf(high - low):
        return None if {line.ci.low, line.ci.high} & {low, high} else line.ci
    return line.ci if line.ci.high - line.ci.low < (high - low) / 2 else None


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
    options: dict[str, Any] = {"greater_is_better": measure.greater_is_better}
    options["confidence_level"] = 1 - study.alpha
    try:
        strengths = bradley_terry(values, **options)
    except ValueError:  # no data set with two scores, or one data set alone
        return ()
    best_first = np.argsort(strengths.expected_rank, kind="stable")
    rates, k = win_rates(values[:, best_first], **options), len(best_first)
    places = []
    for i, m in enumerate(best_first):
        rate, ends = float(rates.rate[i]), (float(rates.low[i]), float(rates.high[i]))
        rank, strength = k - (k - 1) * rate, float(strengths.strength[m])
        places.append(Standing(merged.models[m], rank, rate, ends, int(rates.n[i]), strength))
    return tuple(places)


def lead_of(study: Study, family: Family) -> dict[str, float]:
    """Order the models of a family, best on its own evidence first; equal values are ties."""
    if family.ranks:
        lead = {model: -round(rank, 10) for model, rank in family.ranks.items()}
    elif family.entry.evidence.on_rows:
        # against all others or against one control, a sum of differences orders like the scores
        sums = dict.fromkeys(family.models, 0.0)
        for row in family.rows:
            if math.isfinite(row.estimate):
                if not family.control:
                    sums[row.model_a] += row.estimate
                sums[row.model_b] -= row.estimate
        # beside a model that diverged, sums have no digits left for the others
        first = max(sums, key=lambda model: sums[model])
        lead = {}
        for model, each in sums.items():
            beside = family.between(first, model)
            apart = math.nan if beside is None else beside.estimate
            behind = apart if math.isfinite(apart) else sums[first] - each
            lead[model] = -without_noise(study, family.metric, family.plan, behind)
    else:
        # the ranking orders models of equal average rank by their mean scores
        ranks = {line.model: line.rank for line in ranking(study, family.metric, family.plan)}
        lacking = not family.dataset and not ranks.keys() >= {*family.models}
        if lacking and (table := standings(study, family.metric)):
            ranks = {one.model: one.average_rank for one in table}
        lead = {m: -round(rank, 10) for m, rank in ranks.items() if m in family.models}
        lead |= {m: -math.inf for m in family.models if m not in ranks}
    return dict(sorted(lead.items(), key=lambda each: -each[1]))


def order(study: Study) -> list[str]:
    """Return the models, best first, those without all scores last."""
    ranked = [line.model for line in ranking(study)]
    rest = [m for m in study.models if m not in ranked]
    stand = [one.model for one in standings(study)] if study.several and rest else []
    return stand + [m for m in (*ranked, *rest) if m not in stand]


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
        (ranked,) = by_metric(rows, study.analysis, [metric])
        costs = study.analysis.datasets[name].costs
        seed = derive(study.analysis.seed, "best")
        # the pairs are judged by the test that the verdict rests on, from the better model
        families = [f for f in study.trusted(name, metric) if f.entry.about == "models"]
        tested = {}
        for row in (row for family in families for row in family.rows):
            for seen in (row, seen_from(row, row.model_b)):
                ahead = seen.estimate > 0 and seen.alternative != "less"
                tested[seen.model_a, seen.model_b] = seen.pvalue_adjusted if ahead else 1.0
        each = contenders(ranked, costs, study.alpha, integer(seed), tested)
        if each is not None:
            by_dataset[name] = each
    return by_dataset


def cautions(study: Study, best: Contenders) -> Iterator[str]:
    """Say how far the set of the models that may be the best can be trusted, if it is shown."""
    for a in best.assumptions if len(study.models) > 2 else ():
        if a.holds is False:
            yield f"Caution: this list is rough ({a.detail})."


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
    rows = rows.only([m for m in range(len(rows.models)) if not rows.missing([m])])
    if len(rows.models) < 2:
        return None
    options = difference_options(rows, costs)
    if not rows.by_values:
        truth, predicted = rows.matrix(catalogue()[rows.difference])
        family = read_family(truth, predicted, **options)
    else:
        family = family_of_values(rows.predicted, rows.greater_is_better, **options)
    level = 1 - alpha
    best = best_of(family, level, DRAWS, seed)
    pairs = compare_all(family, confidence_level=level, n_resamples=DRAWS, seed=seed)
    if best.status is not Status.OK:
        return None
    blocks = block_checks(rows, catalogue()["metric_difference"], costs)
    models = rows.models
    pvalues = np.ones((len(models), len(models)))  # of "j is better than i" in row i and column j
    for pair in pairs.pairs:
        for better, worse, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            by_set = pair.pvalue_adjusted if sign * pair.estimate > 0 else 1.0
            p = (tested or {}).get((models[better], models[worse]), by_set)
            pvalues[worse, better] = 1.0 if math.isnan(p) else p
    order = sorted(range(len(models)), key=lambda m: -best.scores[m])
    letters = _letters(order, [(int(i), int(j)) for i, j in np.argwhere(pvalues <= alpha)])
    ranked = []
    for m in order:
        score, least = held_out_by(rows, costs).interval(m, level), pvalues[m].min()
        stays = bool(m in best.members or least > alpha)
        p = float(np.maximum(best.pvalues[m], least))
        ranked.append(Contender(models[m], score.estimate, score.ci, p, stays, letters[m]))
    return Contenders(tuple(ranked), (*best.assumptions, *blocks))


def _letters(order: list[int], different: list[tuple[int, int]]) -> list[str]:
    """Name the groups of models that do not differ, in the order of their best members."""
    place = {m: i for i, m in enumerate(order)}
    groups = compact_letters(len(order), different)
    groups = sorted(groups, key=lambda group: sorted(place[m] for m in group))
    # a, b, …, z, a1, b1, …
    names = [f"{string.ascii_lowercase[i % 26]}{i // 26 or ''}" for i in range(len(groups))]
    named = dict(zip(names, groups, strict=True))
    return ["".join(n for n, group in named.items() if m in group) for m in range(len(order))]
