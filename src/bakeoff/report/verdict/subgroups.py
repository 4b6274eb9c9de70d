"""What the comparison in subgroups adds: whether the difference depends on where one looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bakeoff.comparisons import Decision
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.report.numbers import count, p_equals
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import name

MOST = 2
"""Sentences for a data set; the table has all."""


def by_subgroup(study: Study) -> Iterator[str]:
    """Say for each data set whether the difference differs between subgroups."""
    found = study.subgroups
    if found.empty:
        return
    asked = found[(found["role"] == INTERACTION) & (found["metric"] == study.metric.name)]
    for dataset, lines in asked.groupby("dataset", sort=False):
        on = f"On {study.dataset_label(str(dataset))}: " if len(study.datasets) > 1 else ""
        shown = lines[lines["decision"] == Decision.DIFFERENT.value]
        known = lines[lines["pvalue_adjusted"].notna()]
        columns = " or ".join(repr(c) for c in dict.fromkeys(lines["column"]))
        if len(shown):
            clearest = shown.sort_values("pvalue_adjusted", kind="stable")[:MOST]
            yield from (
                f"{on}How much {name(study, line['model_a'])} and {name(study, line['model_b'])} "
                f"differ in {study.metric.title} depends on {line['column']!r} "
                f"({p_equals(line['pvalue_adjusted'], _called(line))}): look at the subgroups "
                "before you trust the mean."
                for line in clearest.to_dict("records")
            )
            if len(shown) > MOST:
                rest = count(len(shown) - MOST, "more difference")
                yield f"{on}The same is shown of {rest} between models: see the report."
        elif len(known):
            p = p_equals(float(known["pvalue_adjusted"].min()), _called(known.iloc[0]))
            smallest = "smallest " if len(known) > 1 else ""
            yield (
                f"{on}That the difference depends on {columns} is not shown ({smallest}{p}), which "
                "does not show that it is the same everywhere."
            )
        else:
            yield f"{on}There are too few rows to compare the models by {columns}."


def _called(line: Any) -> str:
    return "adjusted p" if line["family_size"] > 1 else "p"
