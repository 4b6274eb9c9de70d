"""What one family of comparisons says of the model that leads on its evidence."""

from __future__ import annotations

import dataclasses
import math

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.ranking import ranking
from bakeoff.report.study import Study
from bakeoff.report.verdict.kind import Kind


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The comparisons of the leader, seen from it, by what they say; and of the others."""

    family: Family
    leader: str
    runner_up: str
    beaten: tuple[Comparison, ...]
    open: tuple[Comparison, ...]
    undecided: tuple[Comparison, ...]
    lost: tuple[Comparison, ...]
    elsewhere: tuple[Comparison, ...]

    @property
    def kind(self) -> Kind:
        """Sum it up."""
        unresolved = self.open + self.undecided
        if self.lost:
            return Kind.CONFLICT
        if self.beaten:
            return Kind.PARTIAL if unresolved else Kind.WINNER
        if self.elsewhere:
            return Kind.OTHERS
        if self.undecided and not self.open:
            return Kind.UNDECIDED
        if all(row.status in prose.SAME for row in unresolved):
            return Kind.SAME
        return Kind.CANNOT_TELL

    @property
    def others(self) -> list[str]:
        """The models that the headline speaks of beside the leader."""
        rows = {
            Kind.CONFLICT: self.lost,
            Kind.WINNER: self.beaten,
        }.get(self.kind, self.open + self.undecided)
        return [row.model_b for row in rows]


def look(study: Study, family: Family) -> Outcome:
    """Find who leads on a family's evidence and what the family says of it."""
    order = standing(study, family)
    leader, runner_up = order[0], order[1]
    kinds = {
        Decision.A_BETTER: "beaten",
        Decision.B_BETTER: "lost",
        Decision.UNDECIDED: "undecided",
        Decision.DIFFERENT: "undecided",  # which of the two is better, nobody knows
    }
    groups: dict[str, list[Comparison]] = {k: [] for k in ("beaten", "lost", "undecided", "open")}
    for model in order[1:]:
        row = family.between(leader, model)
        if row is not None:
            groups[kinds.get(row.decision, "open")].append(row)
    elsewhere = [
        row
        for row in family.rows
        if leader not in (row.model_a, row.model_b)
        and row.decision in (Decision.A_BETTER, Decision.B_BETTER)
    ]
    return Outcome(
        family,
        leader,
        runner_up,
        elsewhere=tuple(elsewhere),
        **{k: tuple(v) for k, v in groups.items()},
    )


def standing(study: Study, family: Family) -> list[str]:
    """Order the models of a family, best on its own evidence first.

    That is by the ranks that the test compares, by what it found on the rows it is about, or by
    the mean scores.
    """
    if family.ranks:
        return sorted(family.ranks, key=lambda model: family.ranks[model])
    if family.entry.evidence.on_rows:
        # against all others or against one control, a sum of differences orders like the scores
        lead = dict.fromkeys(family.models, 0.0)
        for row in family.rows:
            if math.isfinite(row.estimate):
                if not family.control:
                    lead[row.model_a] += row.estimate
                lead[row.model_b] -= row.estimate
        return sorted(family.models, key=lambda model: -round(lead[model], 12))
    lines = ranking(study, family.metric, family.plan)
    known = [line.model for line in lines if line.model in family.models]
    return known + [m for m in family.models if m not in known]
