"""What is said of preferences: which of two models is preferred, or how many models rank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bakeoff.comparisons.preferences import ManyModels, OfPair, TwoModels
from bakeoff.comparisons.run_tests import Decision
from bakeoff.report.drawing import MOST_DRAWN, IntervalLine, name_of
from bakeoff.report.judged.answer import (
    Answer,
    Plot,
    amount,
    amounts,
    better_of,
    decision_of,
    kind_of,
    limits,
    p_cell,
    p_text,
    place_of,
    points,
    share,
    small,
    table_of,
    text,
    whole_number,
    words,
)
from bakeoff.report.numbers import count, percent
from bakeoff.report.tables import PageTable
from bakeoff.stats import Agreement, RatersAgreement, Result, Status, plain
from bakeoff.stats.judged.preferences import FEWEST_IN_AN_ORDER, FEWEST_PROMPTS

_MOST_STUDIES = 1_000_000
"""Prompts beyond which no study is thought of."""
_ALIKE = 1e-9


# --- two models


def answer_of_two(comparison: TwoModels, command: str = "") -> Answer:
    """Return the answer on two models."""
    result = comparison.result
    decision = decision_of(result.pvalue, comparison.alpha, result.estimate)
    row = {
        "test": "preference_difference",
        "variant": result.variant,
        "model_a": comparison.a,
        "model_b": comparison.b,
        "estimate": result.estimate,
        "ci_low": _limit(result, "low"),
        "ci_high": _limit(result, "high"),
        "pvalue": result.pvalue,
        "alpha": comparison.alpha,
        "n": result.n,
        "status": result.status.value,
        "decision": decision.value,
        **{key: result.details.get(key) for key in ("share", "share_low", "share_high")},
    }
    tables = {"models": _table_of_two(comparison), "prompts": _table_of_prompts(comparison)}
    # a terminal has no room for a row of each prompt
    shown = ["models"]
    if comparison.judges:
        tables["judges"] = _table_of_judges(comparison)
        shown.append("judges")
    return Answer(
        kind=kind_of(is_finding=comparison.shown),
        headline=_headline(comparison),
        sentences=tuple(_sentences(comparison)),
        tables=tables,
        plots={"preference": _plot_of_two(comparison)},
        comparisons=(row,),
        facts=_facts(comparison),
        shown=tuple(shown),
        notes=comparison.battles.notes,
        command=command,
    )


def _limit(result: Result, end: str) -> float:
    """Return a limit of the interval; NaN where there is none."""
    if result.ci is None:
        return math.nan
    return float(getattr(result.ci, end))


def _leading(comparison: TwoModels) -> tuple[str, str]:
    """Return the model that is preferred more often, and the other."""
    if comparison.result.estimate < 0:
        return comparison.b, comparison.a
    return comparison.a, comparison.b


def _share_for_leading(comparison: TwoModels) -> tuple[float, float, float]:
    """Return the share of prompts on which the leading model is preferred, with its limits."""
    details = comparison.result.details
    shares = details["share"], details["share_low"], details["share_high"]
    # the share for B is 1 − s, whose limits change places
    if comparison.result.estimate < 0:
        return 1 - shares[0], 1 - shares[2], 1 - shares[1]
    return shares


def _headline(comparison: TwoModels) -> str:
    """Return the first sentence."""
    first, second = _leading(comparison)
    value, low, high = _share_for_leading(comparison)
    prompts = count(comparison.result.n, "prompt")
    level = percent(1 - comparison.alpha)
    p_value = p_text(comparison.result.pvalue)
    if comparison.undecided:
        why = _why_undecided(comparison)
        return f"It is undecided whether {first} is preferred to {second}: {why}."
    if comparison.shown:
        return (
            f"{first} is preferred to {second} on {share(value)} of {prompts}, ties half "
            f"({level} interval {points(low)} to {points(high)}%, {p_value})."
        )
    if comparison.result.status is Status.IDENTICAL_SCORES:
        return f"No prompt prefers {first} or {second}: all {prompts} are ties."
    return (
        f"{first} is not shown to be preferred to {second}: {share(value)} of {prompts}, ties half "
        f"({level} interval {points(low)} to {points(high)}%, {p_value})."
    )


def _why_undecided(comparison: TwoModels) -> str:
    """Say what the votes lack."""
    details = comparison.result.details
    prompts = comparison.result.n
    if "prompts_a_first" in details:
        by_model = {
            comparison.a: details["prompts_a_first"],
            comparison.b: details["prompts_b_first"],
        }
        fewer = min(by_model, key=lambda model: by_model[model])
        # of too few prompts their number is the reason, which comes below
        if by_model[fewer] < FEWEST_IN_AN_ORDER and prompts >= FEWEST_PROMPTS:
            return (
                f"{fewer} was shown first on {by_model[fewer]} of {prompts:,} prompts, at least "
                f"{FEWEST_IN_AN_ORDER} are needed in each order"
            )
    if prompts < FEWEST_PROMPTS:
        return (
            f"there are {count(prompts, 'prompt')}; at least {FEWEST_PROMPTS} are needed, or both "
            "orders of showing equally often on every prompt"
        )
    return "there are too few groups of prompts (at least 5)"


def _sentences(comparison: TwoModels) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    if not comparison.shown:
        sentences.append(_how_many(comparison))
    sentences.append(_of_position(comparison))
    heavy = comparison.result.details["most_votes_of_a_prompt"]
    usual = int(comparison.prompts["votes"].median())
    # who counts votes in place of prompts would go by such a prompt
    if heavy >= 10 * max(usual, 1):
        of_heavy = comparison.prompts["prompt"].iloc[int(comparison.prompts["votes"].argmax())]
        sentences.append(
            f"Prompt {of_heavy} has {heavy:,} votes and most others {usual}: it counts once, as "
            "each prompt does."
        )
    if comparison.judges:
        sentences.append(_of_judges(comparison))
    return sentences


def _how_many(comparison: TwoModels) -> str:
    """Say how many votes there are, and how many prompts would show such a preference."""
    votes = count(comparison.result.details["votes"], "vote")
    judges = len(comparison.battles.judges)
    whose = ""
    if judges:
        whose = f" of {count(judges, 'judge')}"
    prompts = count(comparison.result.n, "prompt")
    sentence = f"{votes}{whose} belong to these {prompts}"
    needed = comparison.needed
    # no number is told that nobody could reach, or where nothing was seen
    if needed is None or needed > _MOST_STUDIES or abs(comparison.result.estimate) < _ALIKE:
        return f"{sentence}."
    rounded = _rounded_up(needed)
    return (
        f"{sentence}; four of five studies with {rounded:,} prompts would show such a preference."
    )


def _rounded_up(number: int) -> int:
    """Round up to two or three digits."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    # steps of half a unit of the second digit: 123 becomes 125, and 1,234 becomes 1,250
    half = max(1, unit // 2)
    return math.ceil(number / half) * half


def _of_position(comparison: TwoModels) -> str:
    """Say how much the first place is favoured."""
    details = comparison.result.details
    if "position_effect" not in details:
        if comparison.battles.order_is_unknown:
            return (
                "Which answer was shown first is taken as unknown: a preference of the judge for a "
                "place would be in this share, and nothing is adjusted for it."
            )
        return (
            "The file does not say which answer was shown first: a preference of the judge for a "
            "place would be in this share."
        )
    effect = details["position_effect"]
    place = place_of(effect)
    size = points(abs(effect))
    ci = details["position_ci"]
    within = ""
    if ci is not None:
        within = f" ({points(ci.low)} to {points(ci.high)})"
        # the size of an advantage of the second place is −effect, with the limits turned
        if effect < 0:
            within = f" ({points(-ci.high)} to {points(-ci.low)})"
    wins = f"The answer shown {place} wins {size} points more often{within}"
    sentence = f"{wins}; both orders count alike."
    if comparison.flips is not None:
        # only of prompts that were seen in both orders it is known whether the winner changes
        seen = int((comparison.prompts["after_swap"] != "").sum())
        changes = f"{comparison.flips:,} of {seen:,} prompts"
        sentence += f" The winner changes with the order on {changes}."
    return sentence


def _of_judges(comparison: TwoModels) -> str:
    """Say whether the judges lean the same way, and how well they agree."""
    first, _ = _leading(comparison)
    signs = []
    for judge in comparison.judges:
        if judge.result is not None and judge.result.estimate:
            signs.append(judge.result.estimate > 0)
    # True where a judge prefers A, who may be the first model or the other one
    for_first = sum(sign == (first == comparison.a) for sign in signs)
    sentence = f"{for_first} of {len(comparison.judges)} judges prefer {first}"
    agreed = comparison.agreement
    if isinstance(agreed, Agreement):
        sentence += (
            f"; they say the same on {share(agreed.percent)} of the {agreed.n:,} prompts that both "
            f"judged (kappa {small(agreed.kappa)}, AC1 {small(agreed.ac1)})"
        )
    elif isinstance(agreed, RatersAgreement):
        low, high = agreed.alpha_ci
        sentence += (
            f"; on {agreed.items:,} prompts with several judges Krippendorff's alpha is "
            f"{small(agreed.alpha)} ({small(low)} to {small(high)})"
        )
    return f"{sentence}."


def _table_of_two(comparison: TwoModels) -> PageTable:
    """Return a row for each model."""
    details = comparison.result.details
    prompts = comparison.prompts
    ties = int(prompts["ties"].sum())
    bad = int(prompts["both_bad"].sum())
    # B is preferred on the share 1 − s, whose interval is that of s turned round
    values = {
        comparison.a: (details["share"], details["share_low"], details["share_high"], "a_wins"),
        comparison.b: (
            1 - details["share"],
            1 - details["share_high"],
            1 - details["share_low"],
            "b_wins",
        ),
    }
    rows = []
    for model, (value, low, high, wins) in values.items():
        # a mean vote lies between 1, all for A, and −1, all for B
        for_model = prompts["mean"]
        first = details.get("prompts_a_first")
        if wins == "b_wins":
            for_model = -prompts["mean"]
            first = details.get("prompts_b_first")
        shown_first = text("not known")
        if first is not None:
            shown_first = whole_number(first)
        rows.append(
            (
                text(model),
                amount(value, share),
                limits(low, high, share),
                whole_number(int((for_model > 0).sum())),
                whole_number(int(prompts[wins].sum())),
                whole_number(ties),
                whole_number(bad),
                shown_first,
            )
        )
    columns = (
        words("model", "Model"),
        amounts("share", "Preferred"),
        amounts("share_low", f"{percent(1 - comparison.alpha)} CI"),
        amounts("prompts_won", "Prompts won"),
        amounts("votes_won", "Votes won"),
        amounts("ties", "Ties"),
        amounts("both_bad", "Both bad"),
        amounts("shown_first", "Shown first on"),
    )
    note = (
        "The share of prompts on which a model is preferred, ties half, adjusted for the order of "
        "showing. Every prompt counts once, however many votes it has."
    )
    evidence = (
        f"{comparison.a} and {comparison.b} are compared on {comparison.result.n:,} prompts "
        f"({p_text(comparison.result.pvalue)}); the level is {percent(comparison.alpha)}."
    )
    return table_of("Preference", columns, rows, note, evidence)


def _table_of_prompts(comparison: TwoModels) -> PageTable:
    """Return a row for each prompt, with its votes."""
    rows = []
    for line in comparison.prompts.to_dict("records"):
        # of a prompt the share for A, ties half, is (1 + mean vote) / 2
        rows.append(
            (
                text(str(line["prompt"])),
                whole_number(line["votes"]),
                whole_number(line["a_wins"]),
                whole_number(line["ties"]),
                whole_number(line["both_bad"]),
                whole_number(line["b_wins"]),
                amount((1 + line["mean"]) / 2, share),
                text(line["after_swap"] or "not swapped"),
            )
        )
    columns = (
        words("prompt", "Prompt"),
        amounts("votes", "Votes"),
        amounts("a_wins", f"{comparison.a} wins"),
        amounts("ties", "Ties"),
        amounts("both_bad", "Both bad"),
        amounts("b_wins", f"{comparison.b} wins"),
        amounts("share", f"For {comparison.a}"),
        words("after_swap", "Winner after the swap"),
    )
    note = "“Winner after the swap” says whether the same model wins when the other is shown first."
    return table_of("Prompts", columns, rows, note)


def _table_of_judges(comparison: TwoModels) -> PageTable:
    """Return a row for each judge."""
    rows = []
    for judge in comparison.judges:
        result = judge.result
        # a judge that saw one order alone cannot be tested
        if result is None:
            gaps = [text(judge.why_none), *[text("")] * 4]
            rows.append((text(judge.judge), whole_number(judge.votes), *gaps))
            continue
        details = result.details
        rows.append(
            (
                text(judge.judge),
                whole_number(judge.votes),
                whole_number(result.n),
                amount(details["share"], share),
                limits(details["share_low"], details["share_high"], share),
                p_cell(result.pvalue),
                amount(details.get("position_effect", math.nan), points),
            )
        )
    columns = (
        words("judge", "Judge"),
        amounts("votes", "Votes"),
        amounts("prompts", "Prompts"),
        amounts("share", f"For {comparison.a}"),
        amounts("share_low", f"{percent(1 - comparison.alpha)} CI"),
        amounts("pvalue", "p"),
        amounts("position_effect", "First place, points"),
    )
    note = (
        "Each judge is tested by its own votes. The p-values are not adjusted for the number of "
        "judges."
    )
    return table_of("Judges", columns, rows, note, f"The level is {percent(comparison.alpha)}.")


def _plot_of_two(comparison: TwoModels) -> Plot:
    """Draw the share of all votes, and of each judge."""
    details = comparison.result.details
    lines = [_share_line("all votes", comparison.result, comparison.alpha, details)]
    for judge in comparison.judges[:MOST_DRAWN]:
        if judge.result is not None:
            line = _share_line(judge.judge, judge.result, comparison.alpha, judge.result.details)
            lines.append(line)
    note = (
        f"The share of prompts on which {comparison.a} is preferred to {comparison.b}, with "
        f"{percent(1 - comparison.alpha)} intervals; 50% is no preference."
    )
    axis = f"prompts that prefer {comparison.a}, %"
    return Plot("Preference", axis, tuple(lines), note, centre=50.0)


def _share_line(
    label: str, result: Result, alpha: float, details: Mapping[str, Any]
) -> IntervalLine:
    """Return the line of a share."""
    decision = Decision.UNDECIDED
    if result.pvalue <= alpha:
        decision = better_of(result.estimate)
    return IntervalLine(
        label=name_of(label),
        note=share(details["share"]),
        estimate=100 * details["share"],
        ci=(100 * details["share_low"], 100 * details["share_high"]),
        decision=decision,
    )


def _facts(comparison: TwoModels) -> dict[str, Any]:
    """Return what JSON has of two models."""
    details = comparison.result.details
    position = None
    if "position_effect" in details:
        ci = details["position_ci"]
        position = {
            "estimate": details["position_effect"],
            "ci": plain(ci),
            "pvalue": details["position_pvalue"],
            "prompts_a_first": details["prompts_a_first"],
            "prompts_b_first": details["prompts_b_first"],
        }
    judges = []
    for judge in comparison.judges:
        line: dict[str, Any] = {"judge": judge.judge, "votes": judge.votes}
        if judge.result is not None:
            line |= {
                "prompts": judge.result.n,
                "share": judge.result.details["share"],
                "share_low": judge.result.details["share_low"],
                "share_high": judge.result.details["share_high"],
                "pvalue": judge.result.pvalue,
            }
        judges.append(line)
    return {
        "models": [comparison.a, comparison.b],
        "prompts": comparison.result.n,
        "votes": details["votes"],
        "ties": details["ties"],
        "both_bad": int(comparison.prompts["both_bad"].sum()),
        "position": position,
        "flips": comparison.flips,
        "judges": judges,
        "notes": list(comparison.battles.notes),
    }


# --- many models


def answer_of_many(ranking: ManyModels, command: str = "") -> Answer:
    """Return the answer on three models or more."""
    comparisons = []
    for pair in ranking.pairs:
        comparisons.append(_comparison(ranking, pair))
    shown = any(row["decision"] in ("a_better", "b_better") for row in comparisons)
    return Answer(
        kind=kind_of(is_finding=shown),
        headline=_headline_of_many(ranking),
        sentences=tuple(_sentences_of_many(ranking)),
        tables={"models": _table_of_ranks(ranking), "pairs": _table_of_pairs(ranking)},
        plots={"ranks": _plot_of_ranks(ranking), "strengths": _plot_of_strengths(ranking)},
        comparisons=tuple(comparisons),
        facts=_facts_of_many(ranking),
        shown=("models",),
        notes=ranking.battles.notes,
        command=command,
    )


def _comparison(ranking: ManyModels, pair: OfPair) -> dict[str, Any]:
    """Return a pair as a row of comparisons."""
    decision = decision_of(pair.pvalue, ranking.alpha, pair.chance - 0.5)
    own: dict[str, Any] = {"own_share": None, "own_prompts": None}
    if pair.own is not None:
        own = {"own_share": pair.own.details["share"], "own_prompts": pair.own.n}
    # the estimate is on the scale of two models: P(A wins) − P(B wins) = 2 P(A wins) − 1
    return {
        "test": "battle_strengths",
        "variant": "max-t",
        "model_a": pair.a,
        "model_b": pair.b,
        "estimate": 2 * pair.chance - 1,
        "ci_low": 2 * pair.low - 1,
        "ci_high": 2 * pair.high - 1,
        "pvalue_adjusted": pair.pvalue,
        "alpha": ranking.alpha,
        "n": ranking.strengths.n,
        "decision": decision.value,
        "share": pair.chance,
        "share_low": pair.low,
        "share_high": pair.high,
        "battles": pair.battles,
        **own,
    }


def _ranks(ranking: ManyModels, model: str) -> tuple[int, int]:
    """Return the best and the worst rank that a model may have."""
    place = ranking.place(model)
    return int(ranking.ranges.rank_low[place]), int(ranking.ranges.rank_high[place])


def _may_rank(low: int, high: int) -> str:
    """Write a range of ranks."""
    if low == high:
        return f"{low}"
    if high == low + 1:
        return f"{low} or {high}"
    return f"{low} to {high}"


def _headline_of_many(ranking: ManyModels) -> str:
    """Return the first sentence."""
    leader = ranking.names[0]
    unit = "prompt"
    # standard errors leave out a group at a time where prompts come in groups
    if "groups" in ranking.battles.votes:
        unit = "group"
    units = count(ranking.strengths.n, unit)
    k = len(ranking.names)
    if ranking.undecided:
        return f"It is undecided how {k} models rank over {units}: {_why_unknown(ranking)}."
    low, high = _ranks(ranking, leader)
    level = percent(1 - ranking.alpha)
    holds = f"(all ranges hold at once, {level})"
    if low == high == 1:
        return f"{leader} leads {k} models over {units} and surely ranks 1 {holds}."
    verb = "may rank"
    return f"{leader} leads {k} models over {units} and {verb} {_may_rank(low, high)} {holds}."


def _why_unknown(ranking: ManyModels) -> str:
    """Say why standard errors are not known."""
    joining = ranking.strengths.joining
    if joining:
        return (
            f"without {count(joining, 'single prompt')} the models fall apart into sets that never "
            "met, so that one prompt carries their difference"
        )
    return f"at least {FEWEST_PROMPTS} prompts are needed"


def _sentences_of_many(ranking: ManyModels) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    leader, second = ranking.names[:2]
    pair = ranking.pair(leader, second)
    if not ranking.undecided:
        sentences.append(
            f"It is preferred to {second}, the next, on {share(pair.chance)} of prompts by the "
            f"model ({points(pair.low)} to {points(pair.high)}%)."
        )
    if ranking.strengths.prior:
        sentences.append(
            "Some models win everything against the others, or the first place wins everything: a "
            "quarter of a win each way is added to every pair that met, without which strengths "
            "would be infinite."
        )
    position = ranking.strengths.position
    if math.isnan(position):
        sentences.append(
            "Which answer was shown first is not known: a preference of judges for a place would "
            "be in these strengths."
        )
    else:
        # the first place adds to the strength, which is on the scale of log odds
        chance = 1 / (1 + math.exp(-abs(position)))
        place = place_of(position)
        sentences.append(
            f"Between equal models the answer shown {place} wins {share(chance)} of the time; the "
            "strengths are adjusted for it."
        )
    cycles = _unlike_the_model(ranking)
    if cycles:
        named = "; ".join(cycles[:3])
        others = ""
        if len(cycles) > 3:
            others = f" and {len(cycles) - 3} more"
        sentences.append(
            f"Pairs whose own battles are unlike the strengths, as where preferences go in a "
            f"circle: {named}{others}."
        )
    return sentences


def _unlike_the_model(ranking: ManyModels) -> list[str]:
    """Name the pairs whose own interval misses what the strengths say."""
    texts = []
    for pair in ranking.pairs:
        if pair.own is None:
            continue
        details = pair.own.details
        if details["share_low"] <= pair.chance <= details["share_high"]:
            continue
        texts.append(
            f"{pair.a} wins {share(details['share'])} against {pair.b} by their own battles, "
            f"{share(pair.chance)} by the strengths"
        )
    return texts


def _table_of_ranks(ranking: ManyModels) -> PageTable:
    """Return a row for each model, the strongest first."""
    strengths = ranking.strengths
    # a row and a column for each model: the battles of each pair
    battles = strengths.met.sum(axis=1)
    rows = []
    for model in ranking.names:
        place = ranking.place(model)
        low, high = _ranks(ranking, model)
        average = _against_average(ranking, place)
        rows.append(
            (
                text(model),
                _range_cell(low, high),
                amount(float(strengths.strength[place]), lambda value: f"{value:.2f}"),
                limits(
                    float(strengths.low[place]),
                    float(strengths.high[place]),
                    lambda value: f"{value:.2f}",
                ),
                amount(average, share),
                whole_number(int(battles[place])),
                amount(float(strengths.points[place].sum() / battles[place]), share),
            )
        )
    columns = (
        words("model", "Model"),
        amounts("rank_low", "May rank"),
        amounts("strength", "Strength"),
        amounts("strength_low", f"{percent(1 - ranking.alpha)} CI"),
        amounts("against_others", "Preferred to others"),
        amounts("battles", "Battles"),
        amounts("points", "Won, ties half"),
    )
    note = (
        "All ranges of ranks hold at once; the interval of a strength holds by itself. “Preferred "
        "to others” is the mean over the other models of the share of prompts by the strengths "
        "(Bradley & Terry 1952, errors by leaving out one prompt at a time)."
    )
    return table_of("Models", columns, rows, note, _evidence(ranking))


def _evidence(ranking: ManyModels) -> str:
    """Say for a paper how many models are compared on how many battles, and at which level."""
    return (
        f"The {len(ranking.names)} models are compared on {len(ranking.battles.votes):,} battles; "
        f"the level is {percent(ranking.alpha)}."
    )


def _range_cell(low: int, high: int) -> Any:
    """Return a cell of a range of ranks."""
    if low == high:
        return whole_number(low)
    return limits(float(low), float(high), lambda value: f"{value:.0f}")


def _against_average(ranking: ManyModels, place: int) -> float:
    """Return the mean chance of a model against each other one."""
    # P(row wins against column), of which a model against itself is no part
    chances = np.delete(ranking.strengths.win_probability[place], place)
    return float(chances.mean())


def _table_of_pairs(ranking: ManyModels) -> PageTable:
    """Return a row for each pair, the stronger model first."""
    rows = []
    for i, first in enumerate(ranking.names):
        for second in ranking.names[i + 1 :]:
            pair = ranking.pair(first, second)
            own = pair.own
            own_cells = [text(""), text("")]
            if own is not None:
                details = own.details
                own_cells = [
                    amount(details["share"], share),
                    limits(details["share_low"], details["share_high"], share),
                ]
            rows.append(
                (
                    text(first),
                    text(second),
                    whole_number(pair.battles),
                    amount(pair.chance, share),
                    limits(pair.low, pair.high, share),
                    p_cell(pair.pvalue),
                    *own_cells,
                )
            )
    columns = (
        words("model_a", "A"),
        words("model_b", "B"),
        amounts("battles", "Battles"),
        amounts("share", "A preferred, by the strengths"),
        amounts("share_low", f"{percent(1 - ranking.alpha)} CI"),
        amounts("pvalue_adjusted", "Adjusted p"),
        amounts("own_share", "By own battles"),
        amounts("own_share_low", "Own CI"),
    )
    note = (
        "Intervals and p-values by the strengths hold for all pairs at once (max-t). A pair that "
        f"met on {FEWEST_PROMPTS} prompts or more has a share of its own, whose interval holds by "
        "itself; where it misses the share by the strengths, preferences may go in a circle."
    )
    return table_of("Pairs", columns, rows, note, _evidence(ranking))


def _plot_of_ranks(ranking: ManyModels) -> Plot:
    """Draw the ranks that models may have."""
    lines = []
    for number, model in enumerate(ranking.names[:MOST_DRAWN], 1):
        low, high = _ranks(ranking, model)
        lines.append(
            IntervalLine(
                label=name_of(model),
                note=_may_rank(low, high),
                estimate=float(number),
                ci=(float(low), float(high)),
            )
        )
    note = (
        "The rank of each model (square) and the ranks that it may have; all ranges hold at once "
        f"with a probability of {percent(1 - ranking.alpha)}. 1 is the strongest."
    )
    n_left_out = len(ranking.names) - len(lines)
    if n_left_out > 0:
        note += f" {count(n_left_out, 'weaker model')} are not drawn."
    return Plot("Ranks", "rank", tuple(lines), note, centre=1.0, whole_numbers=True)


def _plot_of_strengths(ranking: ManyModels) -> Plot:
    """Draw the strengths of models."""
    lines = []
    for model in ranking.names[:MOST_DRAWN]:
        place = ranking.place(model)
        strengths = ranking.strengths
        value = float(strengths.strength[place])
        ci = float(strengths.low[place]), float(strengths.high[place])
        lines.append(IntervalLine(name_of(model), f"{value:.2f}", value, ci))
    note = (
        f"Log odds against a model of mean strength, each with its {percent(1 - ranking.alpha)} CI."
    )
    return Plot("Strengths", "strength", tuple(lines), note)


def _facts_of_many(ranking: ManyModels) -> dict[str, Any]:
    """Return what JSON has of many models."""
    strengths = ranking.strengths
    models = []
    for model in ranking.names:
        place = ranking.place(model)
        low, high = _ranks(ranking, model)
        models.append(
            {
                "model": model,
                "strength": strengths.strength[place],
                "se": strengths.se[place],
                "low": strengths.low[place],
                "high": strengths.high[place],
                "rank_low": low,
                "rank_high": high,
                "battles": int(strengths.met[place].sum()),
            }
        )
    return {
        "models": models,
        "prompts": ranking.battles.prompts,
        "votes": len(ranking.battles.votes),
        "prior": strengths.prior,
        "position": {"log_odds": strengths.position, "se": strengths.position_se},
        "notes": list(ranking.battles.notes),
    }


def shown_tables(answer: Answer) -> Sequence[PageTable]:
    """Return the tables that a terminal shows."""
    return [answer.tables[name] for name in answer.shown]
