"""Which comparisons an exhibit shows, in which order, seen from which side."""

from __future__ import annotations

import dataclasses
from collections import Counter
from itertools import combinations

from bakeoff.comparisons import Comparison, Decision
from bakeoff.report import prose
from bakeoff.report.family import Family
from bakeoff.report.numbers import letters_for, short
from bakeoff.report.ranking import ranking
from bakeoff.report.standings import standings
from bakeoff.report.study import Study
from bakeoff.report.written import Written

MOST_PAIRS = 300
"""With more comparisons a table keeps to the metric that ranks; comparisons.csv has all."""
PAIR_LETTERS = 40
"""So many letters have the names of a pair together, beside a figure."""
MOST_ROWS = 15
MOST_DATASETS = 40
COUNTED = {
    "both_correct": "both right",
    "only_a_correct": "only A right",
    "only_b_correct": "only B right",
    "both_wrong": "both wrong",
}
"""What tests of right and wrong rows count, under the keys of their details."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of a figure of pairs."""

    label: str
    comparison: Comparison
    turned: bool
    written: Written


def order(study: Study) -> list[str]:
    """Return the models, best first, those without all scores last."""
    known = [line.model for line in ranking(study)]
    rest = [m for m in study.models if m not in known]
    found = standings(study) if study.several and rest else None
    stand = [] if found is None else [*found.models]
    return stand + [m for m in (*known, *rest) if m not in stand]


def oriented(study: Study, a: str, b: str) -> tuple[str, str]:
    """Return A and B as in comparisons.csv: the control is A, else the experiment's first."""
    control = study.experiment.tests.versus
    first = min((a, b), key=lambda model: (model != control, study.models.index(model)))
    return first, b if first == a else a


def families_of(study: Study, test: str) -> list[Family]:
    """Return a test's families of pairs on the metric that ranks, one per data set."""
    found = study.of_test(test, "pair")
    metrics = [f.metric for f in found]
    wanted = study.metric.name if study.metric.name in metrics else metrics[0] if metrics else ""
    return [f for f in found if f.metric == wanted]


def rows_of(study: Study, families: list[Family]) -> list[Row]:
    """Choose the comparisons to show: all pairs, or the leader's; by data set if several."""
    if not families:
        return []
    ranked = order(study)
    if len(families) > 1:
        return _across(study, families, ranked)
    family = families[0]
    pairs = list(combinations(ranked, 2))
    first = family.control or (ranked[0] if len(family.rows) > MOST_ROWS else "")
    if first:
        pairs = [(first, model) for model in ranked if model != first]
    names = {model: study.label(model) for model in ranked}
    alone, least = letters_for(names.values()), letters_for(names.values(), PAIR_LETTERS // 2)
    found = []
    for a, b in pairs:
        row = family.between(a, b)
        if row is not None:
            # a short name leaves its room to the other
            rooms = [max(least, PAIR_LETTERS - len(names[other])) for other in (b, a)]
            both = " − ".join(map(short, (names[a], names[b]), rooms))
            label = f"− {short(names[b], alone)}" if first else both
            found.append(Row(label, row, family.turned(a, b), family.written))
    return found


def _across(study: Study, families: list[Family], ranked: list[str]) -> list[Row]:
    found = []
    for family in families:
        row = family.between(ranked[0], ranked[1])
        if row is not None:
            label = short(study.dataset_label(family.dataset))
            turned = family.turned(ranked[0], ranked[1])
            found.append(Row(label, row, turned, family.written))
    found.sort(
        key=lambda r: (
            -r.comparison.estimate if r.comparison.estimate == r.comparison.estimate else 9e9
        )
    )
    if len(found) > MOST_DATASETS:
        half = MOST_DATASETS // 2
        found = [*found[:half], *found[-half:]]
    return found


def what_is_shown(study: Study, families: list[Family], rows: list[Row]) -> str:
    """Say which of all comparisons a figure shows."""
    if not families:
        return ""
    if len(families) > 1:
        a, b = (study.label(m) for m in order(study)[:2])
        most = (
            f"; the {len(rows)} most extreme of {len(families)}"
            if len(rows) < len(families)
            else ""
        )
        return f"{a} minus {b}, the two best, on each data set{most}"
    if families[0].control:
        return f"{study.label(families[0].control)}, the control, minus each other model"
    if len(rows) < len(families[0].rows):
        return f"{study.label(order(study)[0])}, the best, minus each other model"
    return "every pair, the better-ranked model first"


def difference_name(families: list[Family]) -> str:
    """Name the horizontal axis of a figure of differences."""
    family, units = families[0], {family.written.unit for family in families}
    what = prose.unit(family) if len(units) == 1 else family.written.title
    if not family.dataset:
        return f"advantage of the first algorithm ({what} over data sets)"
    if family.entry.evidence.on_rows:
        return f"advantage of the first model ({what} on the test rows)"
    return f"advantage of the first algorithm ({what}, mean over folds)"


def tally(families: list[Family], a: str, b: str) -> Counter[str]:
    """Count over data sets what a test says of two models."""
    decisions = {
        Decision.A_BETTER: "a_better",
        Decision.B_BETTER: "b_better",
        Decision.EQUIVALENT: "equivalent",
        Decision.UNDECIDED: "undecided",
    }
    rows = [row for f in families if (row := f.between(a, b)) is not None]
    return Counter(decisions.get(row.decision, "cannot_tell") for row in rows)


def chosen_pairs(study: Study, times: int, most: int) -> tuple[list[tuple[str, str]], str]:
    """Choose the pairs that a table has, each so many times, and say which they are."""
    # All of them, or those of the best model, or the two best, so that there are not more than
    # `most` rows over all data sets, but for studies with more data sets than that.
    ranked = order(study)
    every = list(combinations(ranked, 2))
    leaders = [pair for pair in every if pair[0] == ranked[0]]
    best = study.label(ranked[0])
    every, leaders = ([oriented(study, *pair) for pair in pairs] for pairs in (every, leaders))
    for pairs, which in ((every, "every pair"), (leaders, f"pairs with {best}, the best")):
        if len(pairs) * times <= most:
            return pairs, which
    return leaders[:1], "the two best models"
