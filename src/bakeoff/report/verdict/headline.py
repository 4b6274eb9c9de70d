"""The first sentence."""

from __future__ import annotations

from bakeoff.comparisons import Decision
from bakeoff.comparisons.cautions import measured
from bakeoff.report.study import Study
from bakeoff.report.verdict.kind import Kind
from bakeoff.report.verdict.outcome import Outcome
from bakeoff.report.verdict.wording import name, names
from bakeoff.stats import Evidence, TypeOneError

BEST = {False: ("best", "better"), True: ("cheapest", "cheaper")}
"""What to call the best model, the cheapest one where costs are compared."""


def headline(study: Study, o: Outcome) -> str:
    """Say in one sentence what the main test says."""
    leader, many = name(study, o.leader), len(study.models) > 2
    costs = o.family.entry.evidence is Evidence.LABELS
    by = "" if costs else f" by {o.family.measure.title}"
    others = names(study, o.others) if o.others else "the others"
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
            but = f", but {{}}is not shown to be {better} than {names(study, rest)}" if rest else ""
            if not o.tied:
                return f"{leader} leads{by}{but.format('')}."
            level = names(study, [o.leader, *o.tied])
            what = "results" if o.family.dataset else "average rank"
            return f"{level} lead{by} with the same {what}{but.format(leader + ' ')}."
        case Kind.OTHERS:
            return f"Some models differ{by}, but the best one cannot be named."
        case Kind.CONFLICT:
            called = "is" if len(o.lost) == 1 else "are"
            return (
                f"The evidence conflicts: {leader} scores best{by}, yet {others} {called} "
                "called better."
            )
        case Kind.SAME:
            which = "The models" if many else f"{leader} and {others}"
            return f"{which} cannot be told apart: their results are identical."
        case Kind.UNDECIDED:
            if many:
                return f"Undecided: the evidence cannot tell the models apart{by}."
            return f"Undecided between {leader} and {others}{by}."
    omnibus = study.omnibus(o.family)
    if many and omnibus is not None and omnibus.decision is Decision.DIFFERENT:
        return f"The models are not all alike{by}, but the data do not show which of them differ."
    best, better = BEST[costs]
    if many:
        return f"Cannot tell which of the {len(o.family.models)} models is {best}{by}."
    return f"Cannot tell whether {leader} or {others} is {better}{by}."
