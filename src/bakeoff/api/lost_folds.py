"""Scores of folds in a table of scores: their mean on each data set, and what lost folds become.

A model that lost one fold of ten has not failed on the data set, and its other folds do not compare
with all folds of the others. By default the models of a data set are compared on the folds that all
of them have, which says how good they are where they ran. A baseline's score in place of a lost
fold says how good they are in use, where a crash leaves the baseline.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bakeoff.errors import UserError, unknown
from bakeoff.options import setting
from bakeoff.stats import fold_means

CELL = ["metric", "dataset", "model"]
_CONSTANT = re.compile(r"(constant|dummy|baseline|majority)[\W_]*(predictor|model|classifier)?")
"""Names of models that predict the same whatever the row is."""
_MOST_NAMED = 5

Key = tuple[str, str]
"""A metric and a data set."""


class Averaged(NamedTuple):
    """One score of each model on each data set."""

    scores: pd.DataFrame
    """With the columns `metric`, `dataset`, `model`, `value` and `undefined`."""
    notes: tuple[str, ...] = ()
    """Which folds were lost, and what became of them."""


def averaged(
    long: pd.DataFrame,
    cells: pd.MultiIndex,
    everything: pd.DataFrame,
    impute: str | None,
    better: Mapping[str, bool],
) -> Averaged:
    """Average the scores of folds on each data set.

    `long` has a row per score with the columns of `CELL`, `repeat`, `value` and `undefined`, why a
    score is missing; `everything` has the models that are not compared too; `better` says of each
    metric whether greater is better.
    """
    names = list(dict.fromkeys(everything["model"]))
    if impute is not None and impute not in names:
        raise UserError(f"impute: {unknown('model', impute, names)}")
    tables = _tables(long)
    lost = _lost(tables)
    if impute is None:
        _refuse_reasons(long, tables)
    values = _means_of_common(tables)
    if not lost:
        return Averaged(_of_cells(long, values, cells))
    imputed = None
    # unasked, a model that is called like a constant shows whether another one would lead
    baseline = impute or next((name for name in names if _CONSTANT.fullmatch(name.lower())), None)
    if baseline is not None:
        imputed = _means_with(tables, everything, baseline, refuse=impute is not None)
    notes = [_note_on_lost(tables, lost, impute)]
    if imputed is not None and baseline is not None:
        for metric, greater in better.items():
            notes += _other_leader(metric, greater, values, imputed, baseline, impute)
        if impute is not None:
            values = imputed
    return Averaged(_of_cells(long, values, cells), tuple(notes))


def _tables(long: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    """Return folds × models of each metric and data set."""
    tables = {}
    for (metric, dataset), part in long.groupby(CELL[:2], sort=False):
        table = part.pivot(index="repeat", columns="model", values="value")
        tables[str(metric), str(dataset)] = table.astype(np.float64)
    return tables


def _present(table: pd.DataFrame) -> pd.DataFrame:
    """Return the models that have a score on some fold, and the folds that some model has."""
    models = table[table.columns[table.notna().any()]]
    return models[models.notna().any(axis=1)]


def _lost(tables: Mapping[Key, pd.DataFrame]) -> dict[str, int]:
    """Count the fold scores that each model lacks on data sets where it has others."""
    counts = dict[str, int]()
    for table in tables.values():
        for model, number in _present(table).isna().sum().items():
            counts[str(model)] = counts.get(str(model), 0) + int(number)
    return {model: number for model, number in counts.items() if number}


def _refuse_reasons(long: pd.DataFrame, tables: Mapping[Key, pd.DataFrame]) -> None:
    """Refuse a text such as "timeout" on a fold of a data set where the model has other folds."""
    with_reason = long[long["undefined"].notna()]
    for metric, dataset, model, text in with_reason[[*CELL, "undefined"]].itertuples(index=False):
        if tables[metric, dataset][model].notna().any():
            raise UserError(
                f"table: {model} has {text!r} in place of the score of a fold "
                f"of {dataset}, which is an outcome: {setting('impute', 'MODEL')} puts the "
                "score of a baseline on the same fold in its place. To compare the folds that all "
                "models have, leave the cell empty"
            )


def _means_of_common(tables: Mapping[Key, pd.DataFrame]) -> dict[Key, pd.Series[Any]]:
    """Return mean scores over the folds of each data set that all its models have."""
    means = {}
    for key, table in tables.items():
        # fold_means takes data sets × folds × models: here a single data set
        by_model = fold_means(table.to_numpy()[None]).means[0]
        means[key] = pd.Series(by_model, index=table.columns)
    return means


def _means_with(
    tables: Mapping[Key, pd.DataFrame], everything: pd.DataFrame, baseline: str, *, refuse: bool
) -> dict[Key, pd.Series[Any]] | None:
    """Return mean scores with those of a baseline in place of lost folds, None if it lacks one."""
    of_baseline = everything[everything["model"] == baseline]
    means = {}
    for (metric, dataset), table in tables.items():
        in_cell = (of_baseline["metric"] == metric) & (of_baseline["dataset"] == dataset)
        of_folds = of_baseline[in_cell].set_index("repeat")["value"].astype(np.float64)
        of_folds = of_folds.reindex(table.index)
        present = _present(table)
        # a fold that a model has lost, and the baseline as well
        lacking = present.isna().any(axis=1) & of_folds.reindex(present.index).isna()
        if lacking.any() and not refuse:
            return None
        if lacking.any():
            raise UserError(
                f"impute: {baseline} has no score itself on a fold of {dataset} that another model "
                "lacks: name a model with all folds"
            )
        filled = present.apply(lambda scores, filling=of_folds: scores.fillna(filling))
        means[metric, dataset] = filled.mean().reindex(table.columns)
    return means


def _of_cells(
    long: pd.DataFrame, means: Mapping[Key, pd.Series[Any]], cells: pd.MultiIndex
) -> pd.DataFrame:
    """Return a row for each cell with its score, or why there is none."""
    values = []
    for metric, dataset, model in cells:
        value = np.nan
        if (metric, dataset) in means:
            value = means[metric, dataset].get(model, np.nan)
        values.append(value)
    scores = pd.DataFrame({"value": np.array(values, dtype=np.float64)}, index=cells)
    reasons = long.groupby(CELL, sort=False)["undefined"].first().reindex(cells)
    why = reasons.fillna("no score").where(scores["value"].isna(), "")
    return scores.assign(undefined=why).reset_index()


def _note_on_lost(
    tables: Mapping[Key, pd.DataFrame], lost: Mapping[str, int], impute: str | None
) -> str:
    """Say how many fold scores are missing, of which models, and what became of them."""
    total = 0
    compared = 0
    for table in tables.values():
        total += table.size
        # the folds that all models have, of which each has a score on each
        present = _present(table)
        compared += int(present.notna().all(axis=1).sum()) * present.shape[1]
    by_number = sorted(lost.items(), key=lambda item: -item[1])
    named = [f"{model} {number:,}" for model, number in by_number[:_MOST_NAMED]]
    if len(by_number) > _MOST_NAMED:
        named.append(f"{len(by_number) - _MOST_NAMED} other models the rest")
    start = f"{sum(lost.values()):,} of {total:,} fold scores are missing ({', '.join(named)})"
    if impute is not None:
        return f"{start}: the score of {impute} on the same fold stands in their place."
    return (
        f"{start}: the models are compared on the folds of each data set that all of them have, "
        f"{compared:,} of {total:,} scores."
    )


def _other_leader(
    metric: str,
    greater_is_better: bool,
    common: Mapping[Key, pd.Series[Any]],
    imputed: Mapping[Key, pd.Series[Any]],
    baseline: str,
    impute: str | None,
) -> list[str]:
    """Say if the other way with lost folds has another model lead by its average rank."""
    leaders = []
    for means in (common, imputed):
        # ranks are of data sets on which all models have a score
        by_dataset = [values for (name, _), values in means.items() if name == metric]
        table = pd.DataFrame(by_dataset).dropna()
        if table.empty:
            return []
        ranks = table.rank(axis=1, ascending=not greater_is_better)
        leaders.append(str(ranks.mean().idxmin()))
    of_common, of_imputed = leaders
    if of_common == of_imputed:
        return []
    if impute is not None:
        return [f"On the folds that all models have, {of_common} leads instead."]
    how = setting("impute", baseline)
    return [f"With the score of {baseline} in place of lost folds {of_imputed} leads ({how})."]
