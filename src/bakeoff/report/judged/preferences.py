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


def answer_of_two(found: TwoModels, command: str = "") -> Answer:
    """Return the answer on two models."""
    result = found.result
    decision = decision_of(result.pvalue, found.alpha, result.estimate)
    comparison = {
        "test": "preference_difference",
        "variant": result.variant,
        "model_a": found.a,
        "model_b": found.b,
        "estimate": result.estimate,
        "ci_low": _limit(result, "low"),
        "ci_high": _limit(result, "high"),
        "pvalue": result.pvalue,
        "alpha": found.alpha,
        "n": result.n,
        "status": result.status.value,
        "decision": decision.value,
        **{key: result.details.get(key) for key in ("share", "share_low", "share_high")},
    }
    tables = {"models": _table_of_two(found), "prompts": _table_of_prompts(found)}
    shown = ["models"]
    if found.judges:
        tables["judges"] = _table_of_judges(found)
        shown.append("judges")
    return Answer(
        kind=kind_of(found=found.shown),
        headline=_headline(found),
        sentences=tuple(_sentences(found)),
        tables=tables,
        plots={"preference": _plot_of_two(found)},
        comparisons=(comparison,),
        facts=_facts(found),
        shown=tuple(shown),
        notes=found.battles.notes,
        command=command,
    )


def _limit(result: Result, end: str) -> float:
    """Return a limit of the interval; NaN where there is none."""
    if result.ci is None:
        return math.nan
    return float(getattr(result.ci, end))


def _leading(found: TwoModels) -> tuple[str, str]:
    """Return the model that is preferred more often, and the other."""
    if found.result.estimate < 0:
        return found.b, found.a
    return found.a, found.b


def _share_for_leading(found: TwoModels) -> tuple[float, float, float]:
    """Return the share of prompts on which the leading model is preferred, with its limits."""
    details = found.result.details
    shares = details["share"], details["share_low"], details["share_high"]
    if found.result.estimate < 0:
        return 1 - shares[0], 1 - shares[2], 1 - shares[1]
    return shares


def _headline(found: TwoModels) -> str:
    """Return the first sentence."""
    first, second = _leading(found)
    value, low, high = _share_for_leading(found)
    prompts = count(found.result.n, "prompt")
    level = percent(1 - found.alpha)
    p_value = p_text(found.result.pvalue)
    if found.undecided:
        why = _why_undecided(found)
        return f"It is undecided whether {first} is preferred to {second}: {why}."
    if found.shown:
        return (
            f"{first} is preferred to {second} on {share(value)} of {prompts}, ties half "
            f"({level} interval {points(low)} to {points(high)}%, {p_value})."
        )
    if found.result.status is Status.IDENTICAL_SCORES:
        return f"No prompt prefers {first} or {second}: all {prompts} are ties."
    return (
        f"{first} is not shown to be preferred to {second}: {share(value)} of {prompts}, ties half "
        f"({level} interval {points(low)} to {points(high)}%, {p_value})."
    )


def _why_undecided(found: TwoModels) -> str:
    """Say what the votes lack."""
    details = found.result.details
    prompts = found.result.n
    if "prompts_a_first" in details:
        by_model = {
            found.a: details["prompts_a_first"],
            found.b: details["prompts_b_first"],
        }
        fewer = min(by_model, key=lambda model: by_model[model])
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


def _sentences(found: TwoModels) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    if not found.shown:
        sentences.append(_how_many(found))
    sentences.append(_of_position(found))
    heavy = found.result.details["most_votes_of_a_prompt"]
    usual = int(found.prompts["votes"].median())
    # who counts votes in place of prompts would go by such a prompt
    if heavy >= 10 * max(usual, 1):
        of_heavy = found.prompts["prompt"].iloc[int(found.prompts["votes"].argmax())]
        sentences.append(
            f"Prompt {of_heavy} has {heavy:,} votes and most others {usual}: it counts once, as "
            "each prompt does."
        )
    if found.judges:
        sentences.append(_of_judges(found))
    return sentences


def _how_many(found: TwoModels) -> str:
    """Say how many votes there are, and how many prompts would show such a preference."""
    votes = count(found.result.details["votes"], "vote")
    judges = len(found.battles.judges)
    whose = ""
    if judges:
        whose = f" of {count(judges, 'judge')}"
    prompts = count(found.result.n, "prompt")
    sentence = f"{votes}{whose} belong to these {prompts}"
    needed = found.needed
    if needed is None or needed > _MOST_STUDIES or abs(found.result.estimate) < _ALIKE:
        return f"{sentence}."
    rounded = _rounded_up(needed)
    return (
        f"{sentence}; four of five studies with {rounded:,} prompts would show such a preference."
    )


def _rounded_up(number: int) -> int:
    """Round up to two or three digits."""
    unit = int(10 ** max(0, len(str(number)) - 2))
    half = max(1, unit // 2)
    return math.ceil(number / half) * half


def _of_position(found: TwoModels) -> str:
    """Say how much the first place is favoured."""
    details = found.result.details
    if "position_effect" not in details:
        if found.battles.order_is_unknown:
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
        if effect < 0:
            within = f" ({points(-ci.high)} to {points(-ci.low)})"
    wins = f"The answer shown {place} wins {size} points more often{within}"
    sentence = f"{wins}; both orders count alike."
    if found.flips is not None:
        seen = int((found.prompts["after_swap"] != "").sum())
        changes = f"{found.flips:,} of {seen:,} prompts"
        sentence += f" The winner changes with the order on {changes}."
    return sentence


def _of_judges(found: TwoModels) -> str:
    """Say whether the judges lean the same way, and how well they agree."""
    first, _ = _leading(found)
    signs = []
    for judge in found.judges:
        if judge.result is not None and judge.result.estimate:
            signs.append(judge.result.estimate > 0)
    for_first = sum(sign == (first == found.a) for sign in signs)
    sentence = f"{for_first} of {len(found.judges)} judges prefer {first}"
    agreed = found.agreement
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


def _table_of_two(found: TwoModels) -> PageTable:
    """Return a row for each model."""
    details = found.result.details
    prompts = found.prompts
    ties = int(prompts["ties"].sum())
    bad = int(prompts["both_bad"].sum())
    # B is preferred on the share 1 − s, whose interval is that of s turned round
    values = {
        found.a: (details["share"], details["share_low"], details["share_high"], "a_wins"),
        found.b: (
            1 - details["share"],
            1 - details["share_high"],
            1 - details["share_low"],
            "b_wins",
        ),
    }
    rows = []
    for model, (value, low, high, wins) in values.items():
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
        amounts("share_low", f"{percent(1 - found.alpha)} CI"),
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
        f"{found.a} and {found.b} are compared on {found.result.n:,} prompts "
        f"({p_text(found.result.pvalue)}); the level is {percent(found.alpha)}."
    )
    return table_of("Preference", columns, rows, note, evidence)


def _table_of_prompts(found: TwoModels) -> PageTable:
    """Return a row for each prompt, with its votes."""
    rows = []
    for line in found.prompts.to_dict("records"):
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
        amounts("a_wins", f"{found.a} wins"),
        amounts("ties", "Ties"),
        amounts("both_bad", "Both bad"),
        amounts("b_wins", f"{found.b} wins"),
        amounts("share", f"For {found.a}"),
        words("after_swap", "Winner after the swap"),
    )
    note = "“Winner after the swap” says whether the same model wins when the other is shown first."
    return table_of("Prompts", columns, rows, note)


def _table_of_judges(found: TwoModels) -> PageTable:
    """Return a row for each judge."""
    rows = []
    for judge in found.judges:
        result = judge.result
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
        amounts("share", f"For {found.a}"),
        amounts("share_low", f"{percent(1 - found.alpha)} CI"),
        amounts("pvalue", "p"),
        amounts("position_effect", "First place, points"),
    )
    note = (
        "Each judge is tested by its own votes. The p-values are not adjusted for the number of "
        "judges."
    )
    return table_of("Judges", columns, rows, note, f"The level is {percent(found.alpha)}.")


def _plot_of_two(found: TwoModels) -> Plot:
    """Draw the share of all votes, and of each judge."""
    details = found.result.details
    lines = [_share_line("all votes", found.result, found.alpha, details)]
    for judge in found.judges[:MOST_DRAWN]:
        if judge.result is not None:
            line = _share_line(judge.judge, judge.result, found.alpha, judge.result.details)
            lines.append(line)
    note = (
        f"The share of prompts on which {found.a} is preferred to {found.b}, with "
        f"{percent(1 - found.alpha)} intervals; 50% is no preference."
    )
    axis = f"prompts that prefer {found.a}, %"
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


def _facts(found: TwoModels) -> dict[str, Any]:
    """Return what JSON has of two models."""
    details = found.result.details
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
    for judge in found.judges:
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
        "models": [found.a, found.b],
        "prompts": found.result.n,
        "votes": details["votes"],
        "ties": details["ties"],
        "both_bad": int(found.prompts["both_bad"].sum()),
        "position": position,
        "flips": found.flips,
        "judges": judges,
        "notes": list(found.battles.notes),
    }


# --- many models


def answer_of_many(found: ManyModels, command: str = "") -> Answer:
    """Return the answer on three models or more."""
    comparisons = []
    for pair in found.pairs:
        comparisons.append(_comparison(found, pair))
    shown = any(row["decision"] in ("a_better", "b_better") for row in comparisons)
    return Answer(
        kind=kind_of(found=shown),
        headline=_headline_of_many(found),
        sentences=tuple(_sentences_of_many(found)),
        tables={"models": _table_of_ranks(found), "pairs": _table_of_pairs(found)},
        plots={"ranks": _plot_of_ranks(found), "strengths": _plot_of_strengths(found)},
        comparisons=tuple(comparisons),
        facts=_facts_of_many(found),
        shown=("models",),
        notes=found.battles.notes,
        command=command,
    )


def _comparison(found: ManyModels, pair: OfPair) -> dict[str, Any]:
    """Return a pair as a row of comparisons."""
    decision = decision_of(pair.pvalue, found.alpha, pair.chance - 0.5)
    own: dict[str, Any] = {"own_share": None, "own_prompts": None}
    if pair.own is not None:
        own = {"own_share": pair.own.details["share"], "own_prompts": pair.own.n}
    return {
        "test": "battle_strengths",
        "variant": "max-t",
        "model_a": pair.a,
        "model_b": pair.b,
        "estimate": 2 * pair.chance - 1,
        "ci_low": 2 * pair.low - 1,
        "ci_high": 2 * pair.high - 1,
        "pvalue_adjusted": pair.pvalue,
        "alpha": found.alpha,
        "n": found.strengths.n,
        "decision": decision.value,
        "share": pair.chance,
        "share_low": pair.low,
        "share_high": pair.high,
        "battles": pair.battles,
        **own,
    }


def _ranks(found: ManyModels, model: str) -> tuple[int, int]:
    """Return the best and the worst rank that a model may have."""
    place = found.place(model)
    return int(found.ranges.rank_low[place]), int(found.ranges.rank_high[place])


def _may_rank(low: int, high: int) -> str:
    """Write a range of ranks."""
    if low == high:
        return f"{low}"
    if high == low + 1:
        return f"{low} or {high}"
    return f"{low} to {high}"


def _headline_of_many(found: ManyModels) -> str:
    """Return the first sentence."""
    leader = found.names[0]
    unit = "prompt"
    if "groups" in found.battles.votes:
        unit = "group"
    units = count(found.strengths.n, unit)
    k = len(found.names)
    if found.undecided:
        return f"It is undecided how {k} models rank over {units}: {_why_unknown(found)}."
    low, high = _ranks(found, leader)
    level = percent(1 - found.alpha)
    holds = f"(all ranges hold at once, {level})"
    if low == high == 1:
        return f"{leader} leads {k} models over {units} and surely ranks 1 {holds}."
    verb = "may rank"
    return f"{leader} leads {k} models over {units} and {verb} {_may_rank(low, high)} {holds}."


def _why_unknown(found: ManyModels) -> str:
    """Say why standard errors are not known."""
    joining = found.strengths.joining
    if joining:
        return (
            f"without {count(joining, 'single prompt')} the models fall apart into sets that never "
            "met, so that one prompt carries their difference"
        )
    return f"at least {FEWEST_PROMPTS} prompts are needed"


def _sentences_of_many(found: ManyModels) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    leader, second = found.names[:2]
    pair = found.pair(leader, second)
    if not found.undecided:
        sentences.append(
            f"It is preferred to {second}, the next, on {share(pair.chance)} of prompts by the "
            f"model ({points(pair.low)} to {points(pair.high)}%)."
        )
    if found.strengths.prior:
        sentences.append(
            "Some models win everything against the others, or the first place wins everything: a "
            "quarter of a win each way is added to every pair that met, without which strengths "
            "would be infinite."
        )
    position = found.strengths.position
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
    cycles = _unlike_the_model(found)
    if cycles:
        named = "; ".join(cycles[:3])
        more = ""
        if len(cycles) > 3:
            more = f" and {len(cycles) - 3} more"
        sentences.append(
            f"Pairs whose own battles are unlike the strengths, as where preferences go in a "
            f"circle: {named}{more}."
        )
    return sentences


def _unlike_the_model(found: ManyModels) -> list[str]:
    """Name the pairs whose own interval misses what the strengths say."""
    texts = []
    for pair in found.pairs:
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


def _table_of_ranks(found: ManyModels) -> PageTable:
    """Return a row for each model, the strongest first."""
    strengths = found.strengths
    battles = strengths.met.sum(axis=1)
    rows = []
    for model in found.names:
        place = found.place(model)
        low, high = _ranks(found, model)
        average = _against_average(found, place)
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
        amounts("strength_low", f"{percent(1 - found.alpha)} CI"),
        amounts("against_others", "Preferred to others"),
        amounts("battles", "Battles"),
        amounts("points", "Won, ties half"),
    )
    note = (
        "All ranges of ranks hold at once; the interval of a strength holds by itself. “Preferred "
        "to others” is the mean over the other models of the share of prompts by the strengths "
        "(Bradley & Terry 1952, errors by leaving out one prompt at a time)."
    )
    return table_of("Models", columns, rows, note, _evidence(found))


def _evidence(found: ManyModels) -> str:
    """Say for a paper how many models are compared on how many battles, and at which level."""
    return (
        f"The {len(found.names)} models are compared on {len(found.battles.votes):,} battles; the "
        f"level is {percent(found.alpha)}."
    )


def _range_cell(low: int, high: int) -> Any:
    """Return a cell of a range of ranks."""
    if low == high:
        return whole_number(low)
    return limits(float(low), float(high), lambda value: f"{value:.0f}")


def _against_average(found: ManyModels, place: int) -> float:
    """Return the mean chance of a model against each other one."""
    chances = np.delete(found.strengths.win_probability[place], place)
    return float(chances.mean())


def _table_of_pairs(found: ManyModels) -> PageTable:
    """Return a row for each pair, the stronger model first."""
    rows = []
    for i, first in enumerate(found.names):
        for second in found.names[i + 1 :]:
            pair = found.pair(first, second)
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
        amounts("share_low", f"{percent(1 - found.alpha)} CI"),
        amounts("pvalue_adjusted", "Adjusted p"),
        amounts("own_share", "By own battles"),
        amounts("own_share_low", "Own CI"),
    )
    note = (
        "Intervals and p-values by the strengths hold for all pairs at once (max-t). A pair that "
        f"met on {FEWEST_PROMPTS} prompts or more has a share of its own, whose interval holds by "
        "itself; where it misses the share by the strengths, preferences may go in a circle."
    )
    return table_of("Pairs", columns, rows, note, _evidence(found))


def _plot_of_ranks(found: ManyModels) -> Plot:
    """Draw the ranks that models may have."""
    lines = []
    for number, model in enumerate(found.names[:MOST_DRAWN], 1):
        low, high = _ranks(found, model)
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
        f"with a probability of {percent(1 - found.alpha)}. 1 is the strongest."
    )
    more = len(found.names) - len(lines)
    if more > 0:
        note += f" {count(more, 'weaker model')} are not drawn."
    return Plot("Ranks", "rank", tuple(lines), note, centre=1.0, whole_numbers=True)


def _plot_of_strengths(found: ManyModels) -> Plot:
    """Draw the strengths of models."""
    lines = []
    for model in found.names[:MOST_DRAWN]:
        place = found.place(model)
        strengths = found.strengths
        value = float(strengths.strength[place])
        ci = float(strengths.low[place]), float(strengths.high[place])
        lines.append(IntervalLine(name_of(model), f"{value:.2f}", value, ci))
    note = (
        f"Log odds against a model of mean strength, each with its {percent(1 - found.alpha)} CI."
    )
    return Plot("Strengths", "strength", tuple(lines), note)


def _facts_of_many(found: ManyModels) -> dict[str, Any]:
    """Return what JSON has of many models."""
    strengths = found.strengths
    models = []
    for model in found.names:
        place = found.place(model)
        low, high = _ranks(found, model)
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
        "prompts": found.battles.prompts,
        "votes": len(found.battles.votes),
        "prior": strengths.prior,
        "position": {"log_odds": strengths.position, "se": strengths.position_se},
        "notes": list(found.battles.notes),
    }


def shown_tables(answer: Answer) -> Sequence[PageTable]:
    """Return the tables that a terminal shows."""
    return [answer.tables[name] for name in answer.shown]
