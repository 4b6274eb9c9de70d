"""What the tests of pairs of models over data sets say, each in the terms of its own estimate.

Wilcoxon's test is about the typical difference, that of ratios about the typical ratio, and the
sign test about the data sets that a model wins. Where differences are skewed these are different
questions, so that no sentence says "on average".
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from bakeoff.comparisons.run_tests import Comparison
from bakeoff.comparisons.settings import BY_FLIPS
from bakeoff.report import prose
from bakeoff.report.family import Family, seen_from
from bakeoff.report.numbers import fixed
from bakeoff.report.ranking import dataset_means
from bakeoff.report.study import Study

_OF_RATIOS = "wilcoxon_log_ratios"
_OF_WINS = "sign_test"


class Wins(NamedTuple):
    """On how many data sets a model is better than another, and worse."""

    won: int
    lost: int
    n: int

    @property
    def text(self) -> str:
        """Write the number of wins."""
        draws = self.n - self.won - self.lost
        text = f"{self.won} of {self.n}"
        if draws:
            text += f" and draws on {draws}"
        return text


def tells(family: Family, row: Comparison | None) -> bool:
    """Tell whether a comparison over data sets can be told by its own estimate."""
    # these tests have an estimate: a typical difference or ratio, or the wins
    by_itself = family.entry.name in BY_FLIPS and not family.dataset
    return by_itself and row is not None and math.isfinite(row.estimate)


def sentence(study: Study, family: Family, row: Comparison) -> str:
    """Say by how much, and how often, one model is better than another over the data sets."""
    ahead = row
    if row.estimate < 0:
        ahead = seen_from(row, row.model_b)
    a = study.name(ahead.model_a)
    b = study.name(ahead.model_b)
    wins = _wins(family, ahead)
    where = prose.evidence(study, family)
    # where scores are missing, pairs are compared on unlike numbers of data sets
    if len({each.n for each in family.rows}) > 1:
        where = study.counted_datasets([ahead.n])
    if family.entry.name == _OF_WINS:
        compared = study.counted_datasets()
        if wins.n != study.units:
            compared = f"the {wins.n} compared of {compared}"
        return f"On {wins.won} of {compared}, {a} is better than {b}"
    if family.entry.name == _OF_RATIOS:
        ratio = _ratio(family, ahead)
        difference = f"the {family.measure.title} of {a} is typically {ratio} that of {b}"
    else:
        gap = prose.gap_with_interval(ahead, family)
        difference = f"{a} is typically {gap} better than {b}"
        # what rounds to 0 is no advantage of either model
        if not re.search("[1-9]", prose.gap_of(family, ahead.estimate)):
            difference = f"{a} and {b} typically differ by {gap}"
    return f"Over {where}, {difference}, and {a} wins on {wins.text}"


def _wins(family: Family, row: Comparison) -> Wins:
    """Count the data sets that the first model of a comparison wins."""
    details = row.result.get("details", {})
    won = int(details.get("wins", 0))
    lost = int(details.get("losses", 0))
    # wins are those of the model that was A in the test
    if family.turned(row.model_a, row.model_b):
        return Wins(lost, won, row.n)
    return Wins(won, lost, row.n)


def _ratio(family: Family, row: Comparison) -> str:
    """Write by which share a score is smaller or larger, with the interval."""
    # estimates are typical log ratios, above 0 where the first model is better: a ratio of scores
    # is exp(estimate), one of errors exp(−estimate)
    if family.measure.greater_is_better:
        share = math.exp(row.estimate) - 1
        limits = sorted((math.exp(row.ci_low) - 1, math.exp(row.ci_high) - 1))
        word = "larger than"
    else:
        share = 1 - math.exp(-row.estimate)
        limits = sorted((1 - math.exp(-row.ci_low), 1 - math.exp(-row.ci_high)))
        word = "smaller than"
    interval = ""
    if all(map(math.isfinite, limits)):
        low, high = (fixed(100 * limit, 1) for limit in limits)
        interval = f" ({prose.level_of(row)} {low}% to {high}%)"
    return f"{fixed(100 * share, 1)}%{interval} {word}"


def contradiction(study: Study, family: Family, row: Comparison) -> str:
    """Say where the mean, the typical difference and the wins are not for the same model."""
    if family.entry.name == _OF_RATIOS or not study.averages(family.metric):
        return ""
    means = dataset_means(study, family.metric, family.plan)
    if not {row.model_a, row.model_b} <= {*means.columns}:
        return ""
    wins = _wins(family, row)
    differences = (means[row.model_a] - means[row.model_b]).dropna()
    mean = float(differences.mean())
    if not family.measure.greater_is_better:
        mean = -mean
    # a tie, of sign 0, contradicts nothing
    signs = {int(np.sign(value)) for value in (mean, wins.won - wins.lost, row.estimate)} - {0}
    if len(signs) < 2 or not wins.won + wins.lost:
        return ""
    leader = row.model_a
    other = row.model_b
    if wins.lost > wins.won:
        leader = row.model_b
        other = row.model_a
        wins = Wins(wins.lost, wins.won, wins.n)
        mean = -mean
    # who wins leads by the mean as well: it is the typical difference that contradicts
    if mean >= 0:
        return (
            f"{study.name(leader)} wins on {wins.text} data sets, yet the typical difference is "
            f"for {study.name(other)}."
        )
    return (
        f"{study.name(leader)} wins on {wins.text} data sets, yet the mean difference is for "
        f"{study.name(other)} ({family.written.gap(mean)}): a few large losses."
    )
