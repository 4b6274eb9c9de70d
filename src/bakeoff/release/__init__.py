"""The gate of a release: whether a candidate may take the place of a base.

In the order of a decision:

- rows: the evidence, the predictions of both on the same rows; reading: from files
- terms: the metrics and margins, fixed before seeing the data
- decision: by each metric, on all rows and in parts of them; halves: the base against itself
- verdict: what was decided, and its sentences
- exports: the verdict as JSON, Markdown and test cases
"""

from bakeoff.release.decision import ALLOW_MISSING, Guardrail, decide
from bakeoff.release.exports import as_json, as_markdown, flips_of, rules
from bakeoff.release.reading import read_rows
from bakeoff.release.rows import GateRows
from bakeoff.release.terms import Terms, check_margins, named_margins, read_terms
from bakeoff.release.verdict import GateVerdict, Part, change, headline, reasons, writer

__all__ = [
    "ALLOW_MISSING",
    "GateRows",
    "GateVerdict",
    "Guardrail",
    "Part",
    "Terms",
    "as_json",
    "as_markdown",
    "change",
    "check_margins",
    "decide",
    "flips_of",
    "headline",
    "named_margins",
    "read_rows",
    "read_terms",
    "reasons",
    "rules",
    "writer",
]
