"""Where the models of a table of scores stand: average ranks, win rates, strengths."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.report.ranking import by_unit, dataset_means
from bakeoff.report.study import Study
from bakeoff.stats import Strengths, WinRates, bradley_terry, plain, win_rates
from bakeoff.threads import on_one_thread


@dataclasses.dataclass(frozen=True, eq=False)
class Standings:
    """What a table of scores says of each model."""

    models: tuple[str, ...]
    n: int
    ranks: NDArray[np.float64]
    rates: WinRates
    strengths: Strengths


@lru_cache(maxsize=16)
@on_one_thread
def standings(study: Study, metric: str = "") -> Standings | None:
    """Return where the models stand by a metric; None where too few scores are there."""
    measure = study.metrics[metric or study.metric.name]
    table = dataset_means(study, measure.name, study.plan)
    if table.empty or len(study.models) < 2:
        return None
    merged = by_unit(study, table, measure.name)
    if merged is None:
        return None
    values = merged.values[~np.isnan(merged.values).any(axis=1)]
    columns = np.array([study.models.index(name) for name in merged.models], dtype=int)
    given: dict[str, Any] = {"greater_is_better": measure.greater_is_better}
    given["confidence_level"] = 1 - study.alpha
    try:
        found = bradley_terry(values, **given)
    except ValueError:  # no data set with two scores, or one data set alone
        return None
    best_first = np.argsort(found.expected_rank, kind="stable")
    found, columns = found.of(best_first), columns[best_first]
    values = values[:, best_first]
    rates = win_rates(values, **given)
    k = len(columns)
    return Standings(
        tuple(study.models[m] for m in columns),
        found.n,
        k - (k - 1) * rates.rate,
        rates,
        found,
    )


def lines(study: Study, metric: str = "") -> Iterator[dict[str, Any]]:
    """Return one line for each model, best first."""
    found = standings(study, metric)
    if found is None:
        return
    rates = found.rates
    for i, model in enumerate(found.models):
        yield {
            "model": model,
            "average_rank": float(found.ranks[i]),
            "win_rate": float(rates.rate[i]),
            "win_rate_ci": (float(rates.low[i]), float(rates.high[i])),
            "data_sets": int(rates.n[i]),
            "strength": float(found.strengths.strength[i]),
        }


def pair_lines(study: Study, metric: str = "") -> Iterator[dict[str, Any]]:
    """Return one line for each pair, the model that stands higher first."""
    found = standings(study, metric)
    if found is None:
        return
    rates = found.rates
    for i, a in enumerate(found.models):
        for j in range(i + 1, len(found.models)):
            if rates.met[i, j]:
                yield {
                    "model_a": a,
                    "model_b": found.models[j],
                    "data_sets": float(rates.met[i, j]),
                    "wins": float(rates.wins[i, j]),
                    "draws": float(rates.draws[i, j]),
                    "losses": float(rates.wins[j, i]),
                    "win_rate": float(rates.pair_rate[i, j]),
                    "win_rate_ci": (float(rates.pair_low[i, j]), float(rates.pair_high[i, j])),
                }


def as_records(study: Study, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the standings by every metric as plain data, models by their names."""
    records = []
    for metric in study.experiment.metrics:
        found = standings(study, metric)
        if found is None:
            continue
        models = [plain({**line, "model": names[line["model"]]}) for line in lines(study, metric)]
        pairs = [
            plain({**line, **{key: names[line[key]] for key in ("model_a", "model_b")}})
            for line in pair_lines(study, metric)
        ]
        records.append(
            {
                "metric": metric,
                "data_sets": found.n,
                "added_wins": found.strengths.prior,
                "models": models,
                "pairs": pairs,
            }
        )
    return records
