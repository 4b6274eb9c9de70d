"""The kinds of columns that tables share, and the values of a comparison by their keys."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.numbers import (
    capital,
    degrees,
    number,
    probability,
    pvalue,
    share,
    spread,
)
from bakeoff.report.study import Study
from bakeoff.report.tables import Cell, Column, Kind, numbers, stars
from bakeoff.report.written import Written

TONES = {Decision.A_BETTER: "good", Decision.B_BETTER: "bad", Decision.EQUIVALENT: "same"}

SCORE = Kind(lambda written, value: _score(written, value), measured=True)
"""A value of a metric, or a difference of two, written as all of that metric and data set are."""
NUMBER = numbers(number)
PROBABILITY, P = numbers(probability), numbers(pvalue)
SHARE = numbers(lambda value: share(value, 0))
COUNT = Kind(lambda study, n: Cell(f"{int(n):,}", int(n)))
STARRED = Kind(lambda study, p: Cell(pvalue(p), p, mark=stars(p, study.alpha)))
INTERVAL = Kind(
    lambda written, ends: _interval(written, *(ends or (math.nan, math.nan))), measured=True
)
RATIO = Kind(lambda study, ends: _interval(Written(), *ends))
DEGREES = Kind(lambda study, df: Cell(degrees(*df)))
SIZES = Kind(lambda study, sizes: _sizes(sizes))
DATASET_LABEL = Kind(lambda study, dataset: Cell(study.dataset_label(dataset)), number=False)
MODEL_LABEL = Kind(lambda study, model: Cell(study.label(model)), number=False)

DATASET = Column("dataset", "Data set", DATASET_LABEL, several=True)
MODEL = Column("model", "Model", MODEL_LABEL)
A, B = Column("model_a", "A", MODEL_LABEL), Column("model_b", "B", MODEL_LABEL)
PLAN = Column("plan", "Plan", Kind(lambda study, plan: Cell(prose.PLANS[plan]), number=False))
METRIC = Column(
    "metric",
    "Metric",
    Kind(lambda written, metric: Cell(capital(written.label), metric), number=False, measured=True),
)
STATISTIC = Column("statistic", "Statistic", NUMBER)
DF = Column("df", "df", DEGREES)
PVALUE = Column("pvalue", "p", P)
ADJUSTED = Column("pvalue_adjusted", "Adjusted p", STARRED)
DECISION = Column("decision", "Result")


def compared(study: Study, row: Comparison) -> dict[str, Any]:
    """Return the values of a comparison by the keys of columns."""
    tones = TONES if row.role == "pair" else {Decision.DIFFERENT: "good"}
    return {
        "dataset": row.dataset,
        "metric": row.metric,
        "written": study.written_as(row),
        "model": row.model_a,
        "model_a": row.model_a,
        "model_b": row.model_b,
        "estimate": row.estimate,
        "ci_low": (row.ci_low, row.ci_high),
        "statistic": row.statistic,
        "df": (row.df, row.df1, row.df2),
        "pvalue": row.pvalue,
        "pvalue_adjusted": Cell(
            pvalue(row.pvalue_adjusted),
            row.pvalue_adjusted,
            mark=stars(row.pvalue_adjusted, row.alpha),
        ),
        "p_a_better": row.p_a_better,
        "p_equivalent": row.p_equivalent,
        "p_b_better": row.p_b_better,
        "decision": Cell(prose.decision(study, row), tone=tones.get(row.decision, "open")),
    }


class Best(NamedTuple):
    """A score that is in bold where it is the best of its kind."""

    value: float
    best: bool


def _score(written: Written, value: float | Best) -> Cell:
    number, best = value if isinstance(value, Best) else (value, False)
    return Cell(written.score(number), number, best=best)


def _interval(written: Written, low: float, high: float) -> Cell:
    """Show an interval; it sorts by its lower limit."""
    return Cell(written.interval(low, high), low, high=high)


def _sizes(values: Any) -> Cell:
    """Show the least and the largest of some sizes; given scores may come without them."""
    if values.isna().any():
        return Cell("not known")
    return Cell(spread(values), int(values.min()))
