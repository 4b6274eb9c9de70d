"""What the main test says, and the first sentence about it."""

from __future__ import annotations

import dataclasses
import math

from bakeoff.comparisons import Comparison, Decision
from bakeoff.comparisons.cautions import measured
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.ranking import ranking, without_noise
from bakeoff.report.standings import standings
from bakeoff.report.study import Study
from bakeoff.report.verdict.wording import Kind
from bakeoff.stats import Evidence, TypeOneError


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The comparisons of the leader, seen from it, by what they say; and of the others."""

    family: Family
    leader: str
    runner_up: str
    tied: tuple[str, ...]
    behind: str
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
    lead = standing(study, family)
    order = list(lead)
    leader, runner_up = order[0], order[1]
    tied = tuple(m for m in order[1:] if lead[m] == lead[leader])
    behind = order[len(tied) + 1 :]
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
        tied,
        behind[0] if behind else "",
        elsewhere=tuple(elsewhere),
        **{k: tuple(v) for k, v in groups.items()},
    )


def standing(study: Study, family: Family) -> dict[str, float]:
    """Order the models of a family, best on its own evidence first; equal values are ties."""
    if family.ranks:
        lead = {model: -round(rank, 10) for model, rank in family.ranks.items()}
    elif family.entry.evidence.on_rows:
        # against all others or against one control, a sum of differences orders like the scores
        sums = dict.fromkeys(family.models, 0.0)
        for row in family.rows:
            if math.isfinite(row.estimate):
                if not family.control:
                    sums[row.model_a] += row.estimate
                sums[row.model_b] -= row.estimate
        # beside a model that diverged, sums have no digits left for the others
        first = max(sums, key=lambda model: sums[model])
        lead = {}
        for model, each in sums.items():
            beside = family.between(first, model)
            apart = math.nan if beside is None else beside.estimate
            behind = apart if math.isfinite(apart) else sums[first] - each
            lead[model] = -without_noise(study, family.metric, family.plan, behind)
    else:
        # the ranking orders models of equal average rank by their mean scores
        lines = ranking(study, family.metric, family.plan)
        known = {line.model: -round(line.rank, 10) for line in lines if line.model in family.models}
        lacking = not family.dataset and len(known) < len(family.models)
        if lacking and (found := standings(study, family.metric)):
            ranks = zip(found.models, found.ranks.tolist(), strict=True)
            known = {model: -round(rank, 10) for model, rank in ranks if model in family.models}
        lead = known | {m: -math.inf for m in family.models if m not in known}
    return dict(sorted(lead.items(), key=lambda each: -each[1]))


BEST = {False: ("best", "better"), True: ("cheapest", "cheaper")}
"""What to call the best model, the cheapest one where costs are compared."""


def headline(study: Study, o: Outcome) -> str:
    """Say in one sentence what the main test says."""
    leader, many = study.name(o.leader), len(study.models) > 2
    costs = o.family.entry.evidence is Evidence.COSTED_LABELS
    by = "" if costs else f" by {o.family.measure.title}"
    by += " over training seeds and rows" if o.family.entry.about == "recipes" else ""
    others = study.names(o.others) if o.others else "the others"
    match o.kind:
        case Kind.WINNER:
            # a test that is too lenient makes a finding, not a certainty
            liberal = study.type1(o.family.entry, o.family.metric) is TypeOneError.LIBERAL
            verb = "seems" if liberal or any(map(measured, o.beaten)) else "is"
            compared = len(o.beaten) + 1
            which = "models" if compared == len(study.models) else "models that were compared"
            best, better = BEST[costs]
            among = f"the {best} of the {compared} {which}" if many else f"{better} than {others}"
            return f"{leader} {verb} {among}{by}."
        case Kind.PARTIAL:
            better = BEST[costs][1]
            rest = [model for model in o.others if model not in o.tied]
            but = f", but {{}}is not shown to be {better} than {study.names(rest)}" if rest else ""
            if not o.tied:
                return f"{leader} leads{by}{but.format('')}."
            level = study.names([o.leader, *o.tied])
            what = "results" if o.family.dataset else "average rank"
            return f"{level} lead{by} with the same {what}{but.format(leader + ' ')}."
        case Kind.OTHERS:
            return f"Some models differ{by}, but the best one cannot be named."
        case Kind.CONFLICT:
            called = "is" if len(o.lost) == 1 else "are"
            return (
                f"The evidence conflicts: {leader} scores best{by}, but {others} {called} "
                "significantly better."
            )
        case Kind.SAME:
            which = "The models" if many else f"{leader} and {others}"
            return f"{which} cannot be told apart{by}: their results are identical."
        case Kind.UNDECIDED:
            if many:
                return f"The evidence does not allow a comparison of the models{by}."
            return f"The comparison of {leader} and {others}{by} is undecided."
    omnibus = study.omnibus(o.family)
    if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
        return f"The models are not all equal{by}, but the data do not show which of them differ."
    best, better = BEST[costs]
    if many:
        return f"The data do not show which of the {len(o.family.models)} models is {best}{by}."
    return f"The data do not show whether {leader} or {others} is {better}{by}."
