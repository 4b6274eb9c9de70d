"""Tables of the models: scores, times, what they chose, how much the seed matters."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from bakeoff.report import prose
from bakeoff.report.content.cells import capital, ci_cell, count_cell, score_cell, share
from bakeoff.report.names import Exhibit
from bakeoff.report.numbers import fixed, number, percent, seconds
from bakeoff.report.ranking import (
    Ranked,
    dataset_means,
    greater_is_better,
    interval_note,
    ranking,
    ranks_of,
)
from bakeoff.report.ranking import times as times_of
from bakeoff.report.selection import order
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, Table, text
from bakeoff.scores import METRICS

_MOST_VALUES = 5


def models(exhibit: Exhibit, study: Study) -> Table:
    """Rank the models."""
    ranked = ranking(study)
    several = len(study.datasets) > 1
    folds = not several and any(line.n > 1 for line in ranked)
    held = study.plan != "holdout" and any(not math.isnan(line.holdout) for line in ranked)
    pick = max if study.metric.greater_is_better else min
    top = pick((line.mean for line in ranked), default=math.nan)
    top_held = pick((line.holdout for line in ranked), default=math.nan)
    other = study.experiment.metrics[1:]
    means = {m: dataset_means(study, m, study.plan).mean() for m in other}
    title = capital(study.metric.title)
    columns = [
        Column("rank", "Average rank" if several else "Rank", True),
        Column("model", "Model"),
        Column("mean", f"{title}, mean" if several or folds else title, True),
        Column("ci_low", f"{percent(1 - study.alpha)} CI", True),
    ]
    if several or folds:
        columns.insert(3, Column("sd", "SD over data sets" if several else "SD over folds", True))
        columns.append(Column("n", "Data sets" if several else "Folds", True))
    columns += [Column("holdout", "On held-out rows", True)] if held else []
    columns += [Column("wins", "Times first", True)] if several else []
    columns += [Column(f"mean_{m}", capital(METRICS[m].title), True) for m in other]

    def cells(line: Ranked) -> dict[str, Cell]:
        found = {
            "rank": Cell(fixed(line.rank, 2) if several else number(line.rank), line.rank),
            "model": text(study.label(line.model)),
            "mean": score_cell(line.mean, line.mean == top),
            "sd": score_cell(line.sd),
            "ci_low": ci_cell(*line.ci) if line.ci else ci_cell(math.nan, math.nan),
            "n": count_cell(line.n),
            "holdout": score_cell(line.holdout, line.holdout == top_held),
            "wins": count_cell(line.wins),
        }
        for m in other:
            values = means[m]
            best = values.max() if greater_is_better(m) else values.min()
            value = float(values[line.model])
            found[f"mean_{m}"] = score_cell(value, value == best)
        return found

    rows = tuple(tuple(cells(line)[column.key] for column in columns) for line in ranked)
    note = (
        f"Ranked by {study.metric.title}, {prose.PLANS[study.plan]}; {interval_note(study)}. "
        "Intervals of models overlap or not for many reasons: whether two models differ is "
        "answered by the tests, not by this table."
    )
    if study.metric.name in prose.SHARES and any(
        line.ci and not 0 <= line.ci.low <= line.ci.high <= 1 for line in ranked
    ):
        note += " A limit beyond 0 or 1 says that so near the end the interval is a rough one."
    left_out = "".join(
        f" {study.label(m)} is left out: {why}." for m, why in study.excluded.items()
    )
    return Table(exhibit.title, tuple(columns), rows, note + left_out)


def times(exhibit: Exhibit, study: Study) -> Table:
    """Tell what fitting and predicting cost, by model."""
    columns = (
        Column("model", "Model"),
        Column("fits", "Fits", True),
        Column("fit_seconds", "One fit", True),
        Column("predict_seconds", "One prediction", True),
        Column("total_seconds", "All fits", True),
        Column("peak_memory_mb", "Peak memory", True),
    )
    found = times_of(study)
    rows = tuple(
        (
            text(study.label(str(model))),
            Cell(number(float(line["fits"])), line["fits"]),
            Cell(seconds(line["fit"]), line["fit"]),
            Cell(seconds(line["predict"]), line["predict"]),
            Cell(seconds(line["total"]), line["total"]),
            Cell(f"{fixed(line['memory'], 0)} MB", line["memory"]),
        )
        for model, line in found.iterrows()
    )
    return Table(exhibit.title, columns, rows, "Means over all fits, and their sum.")


def stages(exhibit: Exhibit, study: Study) -> Table:
    """Tell what fitting and predicting cost, by plan."""
    columns = (
        Column("plan", "Stage"),
        Column("fits", "Fits", True),
        Column("fit_seconds", "Fitting", True),
        Column("predict_seconds", "Predicting", True),
        Column("total_seconds", "Both", True),
    )
    rows = []
    for plan in study.experiment.resampling.plans():
        own = study.timings[study.timings["plan"] == plan]
        fit, predict = (float(own[name].sum()) for name in ("fit_seconds", "predict_seconds"))
        cells = (Cell(seconds(value), value) for value in (fit, predict, fit + predict))
        rows.append((text(capital(prose.PLANS[plan])), count_cell(len(own)), *cells))
    note = "Sums of computing time over all models and data sets, on however many cores."
    return Table(exhibit.title, columns, tuple(rows), note)


def datasets(exhibit: Exhibit, study: Study) -> Table:
    """Show the mean score of every model on every data set, and which are missing."""
    means = dataset_means(study, study.metric.name, study.plan)
    ordered = order(study)
    means = means.reindex(columns=ordered)
    ranks = ranks_of(means, study.metric.greater_is_better)
    columns = (
        Column("dataset", "Data set"),
        *(Column(m, study.label(m), True) for m in ordered),
    )
    rows = []
    for i, dataset in enumerate(means.index):
        places = ranks.iloc[i]
        best = places.min()
        cells = (score_cell(float(means[m].iloc[i]), bool(places[m] == best)) for m in ordered)
        rows.append((text(study.dataset_label(str(dataset))), *cells))
    note = (
        f"{capital(study.metric.title)}, {prose.PLANS[study.plan]}; best of each data set in bold. "
        "Other metrics and plans are in score_matrix.csv."
    )
    return Table(exhibit.title, columns, tuple(rows), note + _holes(study))


_POLICIES = {
    "drop_dataset": "the data sets that lack a score are left out of the tests over data sets",
    "drop_model": "the models that lack a score are left out of the tests over data sets",
    "error": "no test over data sets uses them",
}


def _holes(study: Study) -> str:
    """Say which cells are missing and what the tests over data sets do about them."""
    holes = study.missing.get("missing", ())
    own = [h for h in holes if (h["plan"], h["metric"]) == (study.plan, study.metric.name)]
    if not own:
        return ""
    told = [
        f"{study.label(h['model'])} on {study.dataset_label(h['dataset'])} ({clean(h['reason'])})"
        for h in own[:_MOST_VALUES]
    ]
    more = f" and {len(own) - len(told)} more" if len(own) > len(told) else ""
    return f" Missing: {'; '.join(told)}{more}; {_POLICIES[study.missing['policy']]}."


def seeds(exhibit: Exhibit, study: Study) -> Table:
    """Set the noise of the seeds against that of the splits."""
    columns = (
        Column("dataset", "Data set"),
        Column("model", "Model"),
        Column("plan", "Plan"),
        Column("seeds", "Seeds", True),
        Column("folds", "Folds", True),
        Column("mean", capital(study.metric.title), True),
        Column("sd_between_seeds", "SD between seeds", True),
        Column("sd_between_folds", "SD between folds", True),
        Column("share_of_seeds", "Variance due to seeds", True),
    )
    rows = tuple(
        (
            text(study.dataset_label(line["dataset"])),
            text(study.label(line["model"])),
            text(prose.PLANS[line["plan"]]),
            count_cell(line["seeds"]),
            count_cell(line["folds"]),
            score_cell(line["mean"]),
            score_cell(line["sd_between_seeds"]),
            score_cell(line["sd_between_folds"]),
            Cell(share(line["share_of_seeds"], 0), line["share_of_seeds"]),
        )
        for line in study.seeds.to_dict("records")
        if line["metric"] == study.metric.name
    )
    note = (
        "The same model on the same rows scores differently with another seed. Where the seeds "
        "make much of the variance, a difference of that size is luck, whatever the split; more "
        "seeds average it out. Other metrics are in seeds.csv."
    )
    return Table(exhibit.title, columns, rows, note)


def choices(exhibit: Exhibit, study: Study) -> Table:
    """Count what the fits chose on their training parts."""
    columns = (
        Column("dataset", "Data set"),
        Column("model", "Model"),
        Column("plan", "Plan"),
        Column("parameter", "Chosen"),
        Column("fits", "Fits", True),
        Column("values", "Values"),
    )
    rows = []
    if len(study.choices):
        by = ["dataset", "model", "plan", "parameter"]
        for key, own in study.choices.groupby(by, sort=False):
            dataset, model, plan, parameter = map(str, key)
            rows.append(
                (
                    text(study.dataset_label(dataset)),
                    text(study.label(model)),
                    text(prose.PLANS[plan]),
                    text(clean(parameter)),
                    count_cell(len(own)),
                    text(_values([clean(value) for value in own["value"]])),
                )
            )
    note = (
        "What each fit chose by looking at its own training rows alone; tuned.csv lists every "
        "fit. Choices that change from fold to fold say that the data do not settle them."
    )
    return Table(exhibit.title, columns, tuple(rows), note)


def _values(found: list[str]) -> str:
    """Count values; of many different numbers give the median and the range."""
    counts = Counter(found)
    numbers = [_number(value) for value in found]
    if len(counts) > _MOST_VALUES and None not in numbers:
        ordered = sorted(value for value in numbers if value is not None)
        low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
        return f"{number(low)} to {number(high)}, median {number(middle)}"
    shown = [f"{value} ({n}×)" for value, n in counts.most_common(_MOST_VALUES)]
    rest = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _number(value: str) -> float | None:
    try:
        found: Any = json.loads(value)
    except ValueError:
        return None
    return float(found) if isinstance(found, (int, float)) else None
