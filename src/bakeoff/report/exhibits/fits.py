"""What the fits chose, what they cost, which failed, and how they vary."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np

from bakeoff.report import prose
from bakeoff.report.cells import capital, count_cell, score_cell, share
from bakeoff.report.exhibit import Section, TableExhibit
from bakeoff.report.fit_noise import FitNoise, fit_noise, repeated
from bakeoff.report.item import Item
from bakeoff.report.may_be_best import cheapest
from bakeoff.report.numbers import NONE, fixed, number, seconds
from bakeoff.report.pairs_shown import MOST_PAIRS, chosen_pairs
from bakeoff.report.prose import advantage, lower_is_better
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import prob_a_better

FITS_NOTE = (
    "A description of these fits, and no test. A higher: on how many of the folds A scores higher, "
    "a tie counting half, with the bootstrap interval of Bouthillier et al. (2021); folds share "
    "rows, so an interval without 50% is no evidence. A split is a repetition of the plan, or a "
    "halving. SD: of its mean difference, between splits and between seeds{seeds}; SE of the rows: "
    "what no further fit removes, where a test measured it. What would help: three more splits "
    "weighed against ten more seeds for each; where fits add less than a tenth to the variance "
    "that the rows give, only rows help."
)


def build_fits(item: Item, study: Study) -> PageTable:
    """Describe pairs of models fit by fit."""
    plans = repeated(study.experiment)
    pairs, which = chosen_pairs(study, len(plans) * len(study.datasets), MOST_PAIRS)
    known = study.experiment, study.scores, study.seeds, study.comparisons
    found = fit_noise(*known, pairs)
    columns = (
        Column("dataset", "Data set"),
        Column("plan", "Plan"),
        Column("model_a", "A"),
        Column("model_b", "B"),
        Column("folds", "Folds", True),
        Column("share_a_higher", "A higher", True),
        Column("share_low", "95% CI", True),
        Column("difference", advantage([study.metric]), True),
        Column("sd_splits", "SD of splits", True),
        Column("sd_seeds", "SD of seeds", True),
        Column("se_rows", "SE of the rows", True),
        Column("advice", "What would help"),
    )
    tuned = any(m.tune is not None and m.seeds > 1 for m in study.experiment.fitted.values())
    note = f"{capital(which)}. " + FITS_NOTE.format(seeds=", tuning included" if tuned else "")
    note += lower_is_better([study.metric])
    return tabulate(item, columns, (_line(study, one) for one in found), note)


def _line(study: Study, one: FitNoise) -> dict[str, Cell]:
    values = one.advantage.ravel()
    higher = prob_a_better(values, np.zeros_like(values))
    low, high = higher.ci or (math.nan, math.nan)
    sds = dict(zip(one.parts.sources, map(math.sqrt, one.parts.variances), strict=True))
    return {
        "dataset": text(study.dataset_label(one.dataset)),
        "plan": text(one.plan),
        "model_a": text(study.label(one.model_a)),
        "model_b": text(study.label(one.model_b)),
        "folds": count_cell(len(values)),
        "share_a_higher": Cell(share(higher.estimate, 0), higher.estimate),
        "share_low": Cell(f"{share(low, 0)} to {share(high, 0)}", low),
        "difference": score_cell(one.parts.mean),
        "sd_splits": score_cell(sds["splits"]),
        "sd_seeds": score_cell(sds.get("seeds", math.nan)),
        "se_rows": score_cell(math.sqrt(one.parts.variance_of_rows)),
        "advice": text(one.advice or NONE),
    }


def build_seeds(item: Item, study: Study) -> PageTable:
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
    scored = ("mean", "sd_between_seeds", "sd_between_folds")
    rows = (
        {
            "dataset": text(study.dataset_label(line["dataset"])),
            "model": text(study.label(line["model"])),
            "plan": text(prose.PLANS[line["plan"]]),
            "seeds": count_cell(line["seeds"]),
            "folds": count_cell(line["folds"]),
            **{key: score_cell(line[key]) for key in scored},
            "share_of_seeds": Cell(share(line["share_of_seeds"], 0), line["share_of_seeds"]),
        }
        for line in study.seeds.to_dict("records")
        if line["metric"] == study.metric.name
    )
    note = (
        "The same model on the same rows scores differently with another seed. Where the seeds "
        "make much of the variance, a difference of that size is luck, whatever the split; more "
        "seeds average it out. Other metrics are in seeds.csv."
    )
    return tabulate(item, columns, rows, note)


_MOST_VALUES = 5
CHOICES_COLUMNS = (
    Column("dataset", "Data set"),
    Column("model", "Model"),
    Column("plan", "Plan"),
    Column("parameter", "Chosen"),
    Column("fits", "Fits", True),
    Column("values", "Values"),
)


def build_choices(item: Item, study: Study) -> PageTable:
    """Count what the fits chose on their training parts."""
    by = ["dataset", "model", "plan", "parameter"]
    groups = study.choices.groupby(by, sort=False) if len(study.choices) else ()
    rows = []
    for key, own in groups:
        dataset, model, plan, parameter = map(str, key)
        rows.append(
            {
                "dataset": text(study.dataset_label(dataset)),
                "model": text(study.label(model)),
                "plan": text(prose.PLANS[plan]),
                "parameter": text(clean(parameter)),
                "fits": count_cell(len(own)),
                "values": text(_values([clean(value) for value in own["value"]])),
            }
        )
    note = (
        "What each fit chose by looking at its own training rows alone; choices.csv lists every "
        "fit. Choices that change from fold to fold say that the data do not settle them."
    )
    return tabulate(item, CHOICES_COLUMNS, rows, note)


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


EXCLUDED_COLUMNS = (
    Column("model", "Model"),
    Column("dataset", "Data set"),
    Column("plan", "Plan"),
    Column("fits", "Failed fits", True),
    Column("why", "Why"),
)


def build_excluded(item: Item, study: Study) -> PageTable:
    """Count the fits that failed, whose models were left out, by reason."""
    if study.failed.empty:
        return tabulate(item, EXCLUDED_COLUMNS, (), "No fit failed, no model was left out.")
    rows = []
    for key, own in study.failed.groupby(["model", "dataset", "plan", "why"], sort=False):
        model, dataset, plan, why = map(str, key)
        rows.append(
            {
                "model": text(study.label(model)),
                "dataset": text(study.dataset_label(dataset)),
                "plan": text(prose.PLANS[plan]),
                "fits": count_cell(len(own)),
                "why": text(clean(why)),
            }
        )
    note = (
        "A model of which one fit failed is left out on that data set altogether; excluded.csv "
        "lists every failed fit."
    )
    return tabulate(item, EXCLUDED_COLUMNS, rows, note)


TIMES_COLUMNS = (
    Column("model", "Model"),
    Column("fits", "Fits", True),
    Column("fit_seconds", "One fit", True),
    Column("predict_seconds", "One prediction", True),
    Column("total_seconds", "All fits", True),
    Column("peak_memory_mb", "Peak memory", True),
)


def build_times(item: Item, study: Study) -> PageTable:
    """Tell what fitting and predicting cost, by model."""
    found = study.timings.groupby("model", sort=False).agg(
        fits=("fit_seconds", "size"),
        fit_seconds=("fit_seconds", "mean"),
        predict_seconds=("predict_seconds", "mean"),
        total_seconds=("fit_seconds", "sum"),
        peak_memory_mb=("peak_memory_mb", "max"),
    )
    rows = (
        {
            "model": text(study.label(str(model))),
            "fits": Cell(number(float(line["fits"])), line["fits"]),
            **{k: Cell(seconds(line[k]), line[k]) for k in line.index if k.endswith("_seconds")},
            "peak_memory_mb": Cell(
                f"{fixed(line['peak_memory_mb'], 0)} MB", line["peak_memory_mb"]
            ),
        }
        for model, line in found.reindex(list(study.experiment.fitted)).iterrows()
    )
    note = " ".join(["Means over all fits, and their sum.", *cheapest(study)])
    return tabulate(item, TIMES_COLUMNS, rows, note)


STAGES_COLUMNS = (
    Column("plan", "Stage"),
    Column("fits", "Fits", True),
    Column("fit_seconds", "Fitting", True),
    Column("predict_seconds", "Predicting", True),
    Column("total_seconds", "Both", True),
)


def build_stages(item: Item, study: Study) -> PageTable:
    """Tell what fitting and predicting cost, by plan."""
    rows = []
    for plan in study.experiment.resampling.plans():
        own = study.timings[study.timings["plan"] == plan]
        sums = {name: float(own[name].sum()) for name in ("fit_seconds", "predict_seconds")}
        sums["total_seconds"] = sum(sums.values())
        cells = {name: Cell(seconds(value), value) for name, value in sums.items()}
        plain = {"plan": text(capital(prose.PLANS[plan])), "fits": count_cell(len(own))}
        rows.append(plain | cells)
    note = "Sums of computing time over all models and data sets, on however many cores."
    return tabulate(item, STAGES_COLUMNS, rows, note)


EXHIBITS = {
    "fits": TableExhibit(
        section=Section.TRUST,
        place=60,
        title="How differences vary from fit to fit",
        caption="A description, no test: on how many folds one algorithm scores higher than the "
        "other, how far their difference varies with the division of the rows and with the seeds, "
        "what the rows themselves contribute, and whether more splits, more seeds or more rows "
        "would make it more certain.",
        when=lambda asked: len(asked.experiment.models) > 1 and bool(repeated(asked.experiment)),
        folded="How differences vary from fit to fit",
        citation="bouthillier2021",
        build=build_fits,
    ),
    "seeds": TableExhibit(
        section=Section.MODELS,
        place=50,
        title="Noise of the seeds",
        caption="The noise of an algorithm against the noise of the splits: the standard "
        "deviation of the score of one fold between seeds, that between folds, and the share of a "
        "single fit's variance that the seed makes.",
        when=lambda asked: any(model.seeds > 1 for model in asked.experiment.fitted.values()),
        folded="Noise of the seeds",
        build=build_seeds,
    ),
    "choices": TableExhibit(
        section=Section.MODELS,
        place=40,
        title="What the fits chose",
        caption="What the fits chose on their own training rows: parameters, thresholds, numbers "
        "of rounds, with how many fits chose each value. The choice is part of the algorithm that "
        "is compared: it was made anew for every fit, never with a look at test rows.",
        when=lambda asked: any(model.chooses for model in asked.experiment.fitted.values()),
        folded="What the fits chose",
        build=build_choices,
    ),
    "excluded": TableExhibit(
        section=Section.TRUST,
        place=40,
        title="Fits that failed",
        caption="The fits that failed. A model of which one fit failed on a data set is left out "
        "there altogether, for scores on different rows cannot be compared; what is said of the "
        "other models does not depend on it.",
        when=lambda asked: asked.experiment.on_error == "exclude" and bool(asked.experiment.fitted),
        build=build_excluded,
    ),
    "times": TableExhibit(
        section=Section.MODELS,
        place=60,
        title="Time and memory",
        caption="Seconds of one fit and one prediction (means), of all fits together, and peak "
        "memory. These differ from run to run; everything else in the report does not.",
        when=lambda asked: bool(asked.experiment.fitted),
        folded="Time and memory",
        timed=True,
        of_fits=True,
        build=build_times,
    ),
    "stages": TableExhibit(
        section=Section.MADE,
        place=10,
        title="Time by stage",
        caption="The computing time that fitting and predicting took, by resampling plan, summed "
        "over models and data sets. It differs from run to run; everything else of the report does "
        "not.",
        timed=True,
        of_fits=True,
        build=build_stages,
    ),
}
