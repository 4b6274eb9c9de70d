"""How the difference of two models varies from fit to fit, and what would make it more certain."""

from __future__ import annotations

import math

import numpy as np

from bakeoff.report.cells import capital, count_cell, score_cell, share
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.fit_noise import FitNoise, fit_noise, repeated
from bakeoff.report.item import Item
from bakeoff.report.numbers import NONE
from bakeoff.report.pairs_shown import MOST_PAIRS, chosen_pairs
from bakeoff.report.prose import advantage, lower_is_better
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, PageTable, tabulate, text
from bakeoff.stats import prob_a_better

NOTE = (
    "A description of these fits, and no test. A higher: on how many of the folds A scores higher, "
    "a tie counting half, with the bootstrap interval of Bouthillier et al. (2021); folds share "
    "rows, so an interval without 50% is no evidence. A split is a repetition of the plan, or a "
    "halving. SD: of its mean difference, between splits and between seeds{seeds}; SE of the rows: "
    "what no further fit removes, where a test measured it. What would help: three more splits "
    "weighed against ten more seeds for each; where fits add less than a tenth to the variance "
    "that the rows give, only rows help."
)


def build(item: Item, study: Study) -> PageTable:
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
    note = f"{capital(which)}. " + NOTE.format(seeds=", tuning included" if tuned else "")
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


def _varies(asked: Asked) -> bool:
    return len(asked.experiment.models) > 1 and bool(repeated(asked.experiment))


EXHIBIT = TableExhibit(
    section=Section.TRUST,
    place=60,
    title="How differences vary from fit to fit",
    caption="A description, no test: on how many folds one algorithm scores higher than the other, "
    "how far their difference varies with the division of the rows and with the seeds, what the "
    "rows themselves contribute, and whether more splits, more seeds or more rows would make it "
    "more certain.",
    when=_varies,
    folded="How differences vary from fit to fit",
    citation="bouthillier2021",
    build=build,
)
