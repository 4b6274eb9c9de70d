"""The sources of what an experiment used."""

from __future__ import annotations

import re
import textwrap

from bakeoff.report.exhibits import exhibits, records
from bakeoff.report.methods import Methods
from bakeoff.report.study import Study
from bakeoff.stats.core.citations import BIBTEX


def keys(study: Study, told: Methods) -> list[str]:
    """List the citation keys of the tests that ran, their forms, exhibits and methods."""
    used = [row.result.get("method") for row in study.comparisons]
    named = [entry.citation for entry in study.tests]
    items = exhibits(study)
    beside = [records()[item.kind].citation for item in items]
    return [key for key in dict.fromkeys([*named, *used, *beside, *told.keys]) if key in BIBTEX]


def bibtex(study: Study, told: Methods) -> str:
    """Return the entries, one field a line."""
    return "\n\n".join(wrapped(BIBTEX[key]) for key in keys(study, told)) + "\n"


def wrapped(entry: str) -> str:
    """Write a BibTeX entry one field a line."""
    head, _, body = entry.partition(", ")
    fields = re.split(r", (?=\w+ = \{)", body.removesuffix("}"))
    return head + ",\n" + ",\n".join(textwrap.indent(field, "  ") for field in fields) + "\n}"
