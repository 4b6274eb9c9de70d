"""What the fits chose on their training parts."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from bakeoff.report import prose
from bakeoff.report.cells import count_cell
from bakeoff.report.exhibit import Asked, Section, TableExhibit
from bakeoff.report.item import Item
from bakeoff.report.numbers import number
from bakeoff.report.study import Study, clean
from bakeoff.report.tables import Column, PageTable, tabulate, text

_MOST_VALUES = 5
COLUMNS = (
    Column("dataset", "Data set"),
    Column("model", "Model"),
    Column("plan", "Plan"),
    Column("parameter", "Chosen"),
    Column("fits", "Fits", True),
    Column("values", "Values"),
)


def build(item: Item, study: Study) -> PageTable:
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
        "What each fit chose by looking at its own training rows alone; tuned.csv lists every "
        "fit. Choices that change from fold to fold say that the data do not settle them."
    )
    return tabulate(item, COLUMNS, rows, note)


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


def _choosing(asked: Asked) -> bool:
    return any(model.chooses for model in asked.experiment.fitted.values())


EXHIBIT = TableExhibit(
    section=Section.MODELS,
    place=40,
    title="What the fits chose",
    caption="What the fits chose on their own training rows: parameters, thresholds, numbers of "
    "rounds, with how many fits chose each value. The choice is part of the algorithm that is "
    "compared: it was made anew for every fit, never with a look at test rows.",
    when=_choosing,
    folded="What the fits chose",
    build=build,
)
