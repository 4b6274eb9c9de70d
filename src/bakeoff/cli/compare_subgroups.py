"""`bakeoff compare --subgroups`: the models in each part of the rows, and whether it matters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from bakeoff.cli.terminal import dim, say, table
from bakeoff.comparisons.subgroups import INTERACTION
from bakeoff.errors import UserError
from bakeoff.report.exhibits.subgroups import says
from bakeoff.report.numbers import capital, fixed, interval, percent, pvalue
from bakeoff.report.prose import advantage
from bakeoff.report.study import Study
from bakeoff.report.wrapping import paragraph


def subgroups_named(text: str | None) -> list[str | dict[str, Any]]:
    """Return the columns that ``--subgroups`` names, as an experiment has them.

    Raises
    ------
    UserError
        An empty name, a place to cut at that is no number, or cuts that do not ascend.
    """
    found: list[str | dict[str, Any]] = []
    for part in text.split(",") if text is not None else ():
        name, *cuts = part.strip().split(":")
        try:
            bins = [float(cut) for cut in cuts]
        except ValueError:
            bins = []
        rising = all(low < high for low, high in pairwise(bins))
        if not name or len(bins) < len(cuts) or not rising:
            raise UserError(
                f"--subgroups: found {part.strip()!r}, expected a column like sex, or one of "
                "numbers with the places to cut it at, ascending, like age:40:65"
            )
        found.append({"column": name, "bins": bins} if bins else name)
    names = [one if isinstance(one, str) else one["column"] for one in found]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise UserError(f"--subgroups: {twice!r} appears twice")
    return found


def show_subgroups(study: Study) -> None:
    """Print the interaction of every column and the difference in every subgroup."""
    for metric, found in _by_metric(study):
        lines = [_line(line, study) for line in found.to_dict("records")]
        difference = advantage([study.metrics[metric]])
        level = percent(1 - study.alpha)
        head = ("by", "", "A", "B", "rows", difference, f"{level} CI", "p", "adjusted p", "")
        say(*table(head, lines, "llllrrrrrl", [("p",), ("rows",)]), "")
        title = capital(study.metrics[metric].title)
        say(dim(paragraph(f"{title} by subgroup: {_MEANING}")))


_MEANING = (
    "“differs?” asks whether the difference is the same in all parts of a column (Welch 1951; "
    "Hothorn et al. 2008 where groups of rows reach into several). Adjusted by Holm's method over "
    "columns and pairs, and over the parts and pairs of a column; intervals hold together likewise."
)


def _by_metric(study: Study) -> list[tuple[str, pd.DataFrame]]:
    if study.subgroups.empty:
        return []
    return [(str(m), found) for m, found in study.subgroups.groupby("metric", sort=False)]


def _line(line: Mapping[Any, Any], study: Study) -> tuple[str, ...]:
    interaction = line["role"] == INTERACTION
    return (
        line["column"] if interaction else "",
        "differs?" if interaction else line["subgroup"],
        study.label(line["model_a"]),
        study.label(line["model_b"]),
        f"{line['n']:,}",
        "" if interaction else fixed(line["estimate"], 3),
        "" if interaction else interval(line["ci_low"], line["ci_high"]),
        pvalue(line["pvalue"]),
        pvalue(line["pvalue_adjusted"]),
        says(line, study).text,
    )
