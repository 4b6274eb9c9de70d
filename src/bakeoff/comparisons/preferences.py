"""What battles show: which of two models is preferred, or how many models rank."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from bakeoff.data.battles import Battles
from bakeoff.errors import Problem, UserError
from bakeoff.options import setting
from bakeoff.stats import (
    Agreement,
    ArgumentError,
    BattleStrengths,
    RankRanges,
    RatersAgreement,
    Result,
    agreement,
    battle_strengths,
    preference_difference,
    prompts_for_power,
    rank_ranges,
    raters_agreement,
)
from bakeoff.stats.judged.preferences import FEWEST_PROMPTS

_OF_PAIR = 20
"""Prompts from which on a pair of many models has a share of its own."""
_MOST_JUDGES = 50


class OfJudge(NamedTuple):
    """What the votes of one judge show, and on how many prompts."""

    judge: str
    votes: int
    result: Result | None
    why_none: str


@dataclasses.dataclass(frozen=True)
class TwoModels:
    """Which of two models is preferred; A is the first."""

    a: str
    b: str
    battles: Battles
    result: Result
    judges: tuple[OfJudge, ...]
    agreement: Agreement | RatersAgreement | None
    """Of the judges, on the prompts that they share."""
    prompts: pd.DataFrame
    """A row for each prompt: votes, wins, ties and whether its winner changes with the order."""
    needed: int | None
    """Prompts that would show a difference like this one in four of five studies."""
    alpha: float

    @property
    def shown(self) -> bool:
        """Whether one of them is shown to be preferred."""
        return bool(self.result.pvalue <= self.alpha)

    @property
    def undecided(self) -> bool:
        """Whether there is no answer."""
        return bool(np.isnan(self.result.pvalue))

    @property
    def flips(self) -> int | None:
        """The prompts whose winner changes with the order; None where no prompt was seen twice."""
        seen = self.prompts["after_swap"] != ""
        if not seen.any():
            return None
        return int((self.prompts["after_swap"] == "changed").sum())


class OfPair(NamedTuple):
    """Two of many models: by the model of all battles, and by their own."""

    a: str
    b: str
    battles: int
    chance: float
    low: float
    high: float
    """P(A wins) by the strengths, its limits that hold for all pairs at once."""
    pvalue: float
    """Adjusted for all pairs."""
    own: Result | None
    """Of their own battles, where there are prompts enough."""


@dataclasses.dataclass(frozen=True)
class ManyModels:
    """How many models rank, the strongest first."""

    battles: Battles
    names: tuple[str, ...]
    strengths: BattleStrengths
    ranges: RankRanges
    pairs: tuple[OfPair, ...]
    alpha: float

    @property
    def undecided(self) -> bool:
        """Whether standard errors are not known."""
        return bool(np.isnan(self.ranges.pvalue).any())

    @cached_property
    def _by_names(self) -> dict[tuple[str, str], OfPair]:
        return {(pair.a, pair.b): pair for pair in self.pairs}

    def pair(self, a: str, b: str) -> OfPair:
        """Return what is known of two models, with `a` as the first."""
        if (a, b) in self._by_names:
            return self._by_names[a, b]
        return _exchanged(self._by_names[b, a])

    def place(self, model: str) -> int:
        """Return the place of a model in the arrays of `strengths` and `ranges`."""
        return self.strengths.models.index(model)


def compare_two(battles: Battles, a: str, b: str, alpha: float) -> TwoModels:
    """Test which of two models is preferred, over prompts."""
    votes = battles.among([a, b]).turned(a)
    result = _preference(votes, alpha)
    needed = None
    se = result.details.get("se")
    # the exact test of few prompts has no standard error, of which √n are a standard deviation
    if se and result.estimate and not np.isnan(result.pvalue):
        needed = prompts_for_power(se * np.sqrt(result.n), abs(result.estimate), alpha=alpha)
    judges = _by_judge(votes, alpha)
    return TwoModels(
        a=a,
        b=b,
        battles=votes,
        result=result,
        judges=judges,
        agreement=_agreement_of_judges(votes),
        prompts=_by_prompt(votes),
        needed=needed,
        alpha=alpha,
    )


def _preference(battles: Battles, alpha: float) -> Result:
    """Test the votes on two models, or say what to do about their order."""
    votes = battles.votes
    groups = None
    if "groups" in votes:
        groups = votes["groups"].to_numpy()
    try:
        return preference_difference(
            votes["outcome"].to_numpy(dtype=float),
            votes["prompt"].to_numpy(),
            first=battles.first,
            groups=groups,
            confidence_level=1 - alpha,
        )
    except ArgumentError as error:
        if error.argument != "first":
            raise
        raise Problem(("order",), in_one_order(battles)) from None


def in_one_order(battles: Battles) -> str:
    """Say why votes on two models in one order alone answer nothing."""
    votes = battles.votes
    column = "model_b"
    if votes["first"].iloc[0] == 1:
        column = "model_a"
    model = votes[column].iloc[0]
    prompts = battles.prompts
    return (
        f"the judge saw {model} first on all {prompts:,} prompts: a preference for the first place "
        f"cannot be told from one for {model}; let it judge some prompts in the other order, or "
        f"{setting('order', 'unknown')} goes on without an adjustment"
    )


def _by_judge(battles: Battles, alpha: float) -> tuple[OfJudge, ...]:
    """Test the votes of each of several judges by themselves."""
    names = battles.judges
    if not 1 < len(names) <= _MOST_JUDGES:
        return ()
    lines = []
    for name in names:
        own = battles.of_judge(name)
        try:
            lines.append(OfJudge(name, len(own.votes), _preference(own, alpha), ""))
        except UserError:
            lines.append(OfJudge(name, len(own.votes), None, "one order alone"))
    return tuple(lines)


def _agreement_of_judges(battles: Battles) -> Agreement | RatersAgreement | None:
    """Measure how often judges prefer the same model on the prompts that they share."""
    votes = battles.votes
    names = battles.judges
    if not 1 < len(names) <= _MOST_JUDGES:
        return None
    # a judge that saw a prompt several times has one verdict on it: the sign of the mean outcome
    means = votes.groupby(["judge", "prompt"])["outcome"].mean().unstack("judge")[names]
    verdicts = means.apply(np.sign)
    shared = verdicts[verdicts.notna().sum(axis=1) > 1]
    if shared.empty or shared.stack().nunique() < 2:
        return None
    if len(names) == 2:
        return agreement(shared[names[0]].to_numpy(), shared[names[1]].to_numpy())
    return raters_agreement(shared.to_numpy(dtype=float).T)


def _by_prompt(battles: Battles) -> pd.DataFrame:
    """Count the votes on each prompt, in the order of the file."""
    votes = battles.votes
    table = pd.DataFrame(
        {
            "prompt": votes["prompt"],
            "votes": 1,
            "a_wins": (votes["outcome"] > 0).astype(int),
            "ties": ((votes["outcome"] == 0) & ~votes["both_bad"].astype(bool)).astype(int),
            "both_bad": votes["both_bad"].astype(int),
            "b_wins": (votes["outcome"] < 0).astype(int),
        }
    )
    counts = table.groupby("prompt", sort=False).sum()
    counts["mean"] = votes.groupby("prompt", sort=False)["outcome"].mean()
    counts["after_swap"] = ""
    if battles.first is not None:
        means = votes.groupby(["prompt", "first"], sort=False)["outcome"].mean().unstack("first")
        both = means.dropna()
        if both.shape[1] == 2:
            changed = np.sign(both.iloc[:, 0]) != np.sign(both.iloc[:, 1])
            counts.loc[both.index, "after_swap"] = np.where(changed, "changed", "the same")
    return counts.reset_index()


def compare_many(battles: Battles, alpha: float) -> ManyModels:
    """Rank many models by Bradley and Terry's model of all battles."""
    votes = battles.votes
    units = votes["prompt"]
    if "groups" in votes:
        units = votes["groups"]
    try:
        strengths = battle_strengths(
            votes["model_a"].to_numpy(),
            votes["model_b"].to_numpy(),
            votes["outcome"].to_numpy(dtype=float),
            units.to_numpy(),
            first=battles.first,
            confidence_level=1 - alpha,
        )
    except ArgumentError as error:
        if error.argument == "first":
            text = f"{error.message}; {setting('order', 'unknown')} goes on without an adjustment"
            raise Problem(("order",), text) from None
        raise Problem(("preferences",), error.message) from None
    # strengths are consistent, but their standard errors hold with many prompts alone
    if strengths.n < FEWEST_PROMPTS:
        unknown = np.full_like(strengths.covariance, np.nan)
        strengths = dataclasses.replace(strengths, covariance=unknown, se=unknown[0])
    ranges = rank_ranges(strengths, confidence_level=1 - alpha)
    order = np.argsort(-strengths.strength, kind="stable")
    names = tuple(strengths.models[place] for place in order)
    pairs = []
    for number, (i, j) in enumerate(ranges.pairs.tolist()):
        pairs.append(_pair(battles, strengths, ranges, number, (i, j), alpha))
    return ManyModels(battles, names, strengths, ranges, tuple(pairs), alpha)


def _pair(
    battles: Battles,
    strengths: BattleStrengths,
    ranges: RankRanges,
    number: int,
    members: tuple[int, int],
    alpha: float,
) -> OfPair:
    """Return what is known of two models, by all battles and by their own."""
    a = strengths.models[members[0]]
    b = strengths.models[members[1]]
    own = None
    met = int(strengths.met[members])
    # fewer battles cannot be on so many prompts
    if met >= _OF_PAIR:
        own = _own_share(battles, a, b, alpha)
    # Differences of strengths are log odds: P(A wins) = 1 / (1 + exp(−difference)).
    return OfPair(
        a=a,
        b=b,
        battles=met,
        chance=float(special.expit(ranges.difference[number])),
        low=float(special.expit(ranges.low[number])),
        high=float(special.expit(ranges.high[number])),
        pvalue=float(ranges.pvalue[number]),
        own=own,
    )


def _own_share(battles: Battles, a: str, b: str, alpha: float) -> Result | None:
    """Test two of many models by their own battles, where they met on prompts enough."""
    votes = battles.votes
    theirs = votes["model_a"].isin([a, b]) & votes["model_b"].isin([a, b])
    if votes.loc[theirs, "prompt"].nunique() < _OF_PAIR:
        return None
    try:
        result = _preference(battles.among([a, b]).turned(a), alpha)
    except UserError:  # in one order alone
        return None
    if np.isnan(result.pvalue):
        return None
    return result


def _exchanged(pair: OfPair) -> OfPair:
    """Return the same pair with the other model first."""
    own = pair.own
    if own is not None:
        details: dict[str, Any] = {
            **own.details,
            "share": 1 - own.details["share"],
            "share_low": 1 - own.details["share_high"],
            "share_high": 1 - own.details["share_low"],
        }
        # limits are shown of the share alone, which is in the details
        own = dataclasses.replace(own, estimate=-own.estimate, ci=None, details=details)
    return OfPair(
        a=pair.b,
        b=pair.a,
        battles=pair.battles,
        chance=1 - pair.chance,
        low=1 - pair.high,
        high=1 - pair.low,
        pvalue=pair.pvalue,
        own=own,
    )
