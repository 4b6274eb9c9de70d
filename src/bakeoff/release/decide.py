"""Decide on a candidate: overall, and where subgroups are named for each of them."""

from __future__ import annotations

import numpy as np

from bakeoff.errors import UserError
from bakeoff.release.evidence import GateRows
from bakeoff.release.verdict import GateVerdict, Part, Terms
from bakeoff.stats import Release, decide_release, rows_to_decide

MOST_SUBGROUPS = 100


def decide(rows: GateRows, terms: Terms) -> GateVerdict:
    """Decide on a candidate.

    Whether all rows let it pass is asked once, at alpha. Whether it does harm is asked of all rows
    and of every subgroup, each at alpha over their number (Bonferroni): any false block has at
    most the probability alpha.

    Raises
    ------
    ValueError, UserError
        A metric that does not fit.
    """
    names = [] if rows.subgroups is None else sorted(map(str, np.unique(rows.subgroups)))
    if len(names) > MOST_SUBGROUPS:
        raise UserError(f"--subgroup: {len(names):,} different values, at most {MOST_SUBGROUPS}")
    asked = len(names) + 1
    limits = rows.limits(terms.metric, terms.alpha)
    decision = decide_release(limits, terms.margin, superior=terms.superior)
    if decision is Release.BLOCK and not terms.superior and names:
        limits = rows.limits(terms.metric, terms.alpha / asked)
        decision = decide_release(limits, terms.margin)
    overall = Part("", limits, decision)
    found = []
    for name in names:
        kept = rows.subgroups == name
        own = rows.limits(terms.metric, terms.alpha / asked, np.asarray(kept))
        found.append(Part(name, own, decide_release(own, terms.margin)))
    harmed = any(part.decision is Release.BLOCK for part in found)
    final = Release.BLOCK if harmed else decision
    needed = None
    if final is Release.UNDECIDED and not rows.runs:
        needed = rows_to_decide(limits, terms.margin)
    parts = overall, tuple(found)
    about, runs = rows.about(terms.metric), tuple(map(len, rows.runs))
    return GateVerdict(final, terms, rows.names, *parts, needed, about, runs, rows.unit)
