"""What is said of a look at a running evaluation."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons.judged import SuiteLook
from bakeoff.comparisons.run_tests import Decision
from bakeoff.report.drawing import IntervalLine
from bakeoff.report.judged.answer import (
    Answer,
    Plot,
    amount,
    amounts,
    better_of,
    kind_of,
    limits,
    p_cell,
    p_text,
    small,
    table_of,
    text,
    whole_number,
    words,
)
from bakeoff.report.numbers import count, number, percent
from bakeoff.report.tables import PageTable
from bakeoff.stats import Look, Looks

_LEAST_SHOWN = 0.0001


def answer_of_look(evaluation: SuiteLook, command: str = "") -> Answer:
    """Return the answer of a look."""
    # without a number of items no looks can be planned: an e-process holds at any time
    if evaluation.looks is None:
        return _answer_of_stream(evaluation, command)
    decided = evaluation.looks.decided_at is not None
    return Answer(
        kind=kind_of(is_finding=decided),
        headline=_headline(evaluation, evaluation.looks),
        sentences=tuple(_sentences(evaluation, evaluation.looks)),
        tables={"looks": _table(evaluation, evaluation.looks)},
        plots={"looks": _plot(evaluation, evaluation.looks)},
        comparisons=(_comparison(evaluation, evaluation.looks),),
        facts=_facts(evaluation, evaluation.looks),
        shown=("looks",),
        notes=evaluation.items.notes,
        command=command,
    )


def _write(evaluation: SuiteLook, value: float) -> str:
    """Write a difference."""
    if evaluation.items.binary:
        return small(value)
    return number(value)


def _needed(value: float) -> str:
    """Write what a p-value must not exceed."""
    if value < _LEAST_SHOWN:
        # rounded down, so that no p-value above the bound seems to reach it
        exponent = math.floor(math.log10(value))
        return f"10^{exponent}"
    return f"{value:.4f}".removeprefix("0")


def _leading(evaluation: SuiteLook, difference: float) -> tuple[str, str]:
    """Return the model that leads, and the other."""
    if difference < 0:
        return evaluation.b, evaluation.a
    return evaluation.a, evaluation.b


def _headline(evaluation: SuiteLook, looks: Looks) -> str:
    """Return the first sentence."""
    total = count(looks.total, "item")
    look = looks.decisive
    if look is None:
        seen = len(evaluation.items.values[evaluation.a])
        return (
            f"No look is due yet after {seen:,} of {total}: the first is at {looks.coming[0]:,}, "
            "in the order of the suite."
        )
    first, second = _leading(evaluation, look.difference)
    size = _write(evaluation, abs(look.difference))
    needs = f"{p_text(look.pvalue)}, and this look needs {_needed(look.needed)}"
    if looks.decided_at is not None:
        return (
            f"{first} is better than {second} after {look.n:,} of {total}: by {size}, {needs}; all "
            f"looks together keep the level of {percent(looks.alpha)}."
        )
    if not looks.coming:
        return (
            f"{first} is not shown to be better than {second} on all {total}: by {size}, {needs}."
        )
    leads = f"{first} leads by {size}"
    if look.difference == 0:
        leads = f"{evaluation.a} and {evaluation.b} are equal"
    return f"Undecided after {look.n:,} of {total}: {leads}, {needs}."


def _sentences(evaluation: SuiteLook, looks: Looks) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    if evaluation.items.running:
        sentences.append(
            "The logs say that the evaluation still runs: this is a look at it, and no plain test."
        )
    if looks.done and looks.decided_at is None and looks.coming:
        sentence = f"The next look is at {looks.coming[0]:,}"
        if looks.likely is not None:
            sentence += f"; if all goes on like this, the look at {looks.likely:,} decides"
        else:
            sentence += "; if all goes on like this, no look decides"
        sentences.append(f"{sentence}.")
    if looks.decided_at is not None and looks.decided_at < looks.total:
        sentences.append("The evaluation may stop here.")
    return sentences


def _table(evaluation: SuiteLook, looks: Looks) -> PageTable:
    """Return a row for each look, those to come too."""
    rows = []
    for look in looks.done:
        state = ""
        # later looks may cross their bounds as well
        if look.n == looks.decided_at:
            state = "decides"
        elif look.crossed:
            state = "decides too"
        rows.append(
            [
                whole_number(look.n),
                amount(look.difference, lambda value: _write(evaluation, value)),
                limits(look.low, look.high, lambda value: _write(evaluation, value)),
                p_cell(look.pvalue),
                text(_needed(look.needed)),
                text(state),
            ]
        )
    for size, needed in zip(looks.coming, looks.coming_needed, strict=True):
        gaps = [text("")] * 3
        rows.append([whole_number(size), *gaps, text(_needed(needed)), text("to come")])
    columns = (
        amounts("items", "Items"),
        amounts("difference", f"{evaluation.a} − {evaluation.b}"),
        amounts("low", "Interval"),
        amounts("pvalue", "p"),
        amounts("needed", "Needs"),
        words("state", ""),
    )
    note = (
        "There is a look at every tenth of the suite, by items in its order, with bounds of "
        "O'Brien and Fleming's type (Lan & DeMets 1983). The interval of a look has the level of "
        "its bound."
    )
    evidence = f"The suite has {looks.total:,} items; the level is {percent(evaluation.alpha)}."
    return table_of("Looks", columns, rows, note, evidence)


def _plot(evaluation: SuiteLook, looks: Looks) -> Plot:
    """Draw the difference at each look."""
    lines = []
    for look in looks.done:
        decision = Decision.UNDECIDED
        if look.crossed:
            decision = better_of(look.difference)
        lines.append(
            IntervalLine(
                label=f"{look.n:,} items",
                note=p_text(look.pvalue),
                estimate=look.difference,
                ci=(look.low, look.high),
                decision=decision,
            )
        )
    if not lines:
        lines.append(IntervalLine("no look is due", ""))
    difference = f"{evaluation.a} − {evaluation.b}"
    note = f"The difference {difference} at each look, with the level of its bound."
    return Plot("Looks", difference, tuple(lines), note)


def _comparison(evaluation: SuiteLook, looks: Looks) -> dict[str, Any]:
    """Return the look as a row of comparisons."""
    # before the first look there is no difference yet
    look = looks.decisive or Look(0, math.nan, math.nan, math.nan, math.nan, math.nan, False)
    decision = Decision.UNDECIDED
    if looks.decided_at is not None:
        decision = better_of(look.difference)
    elif not looks.coming:
        # the last look has all of the level that is left
        decision = Decision.NOT_SHOWN
    return {
        "test": "looks",
        "variant": "obrien_fleming",
        "model_a": evaluation.a,
        "model_b": evaluation.b,
        "estimate": look.difference,
        "ci_low": look.low,
        "ci_high": look.high,
        "pvalue": look.pvalue,
        "needed": look.needed,
        "alpha": looks.alpha,
        "n": look.n,
        "total": looks.total,
        "decision": decision.value,
    }


def _facts(evaluation: SuiteLook, looks: Looks) -> dict[str, Any]:
    """Return what JSON has."""
    next_look = None
    if looks.coming:
        next_look = looks.coming[0]
    return {
        "models": [evaluation.a, evaluation.b],
        "items": len(evaluation.items.values[evaluation.a]),
        "total": looks.total,
        "running": evaluation.items.running,
        "decided_at": looks.decided_at,
        "next_look": next_look,
        "likely": looks.likely,
        "looks": [look._asdict() for look in looks.done],
        "stream": _of_stream(evaluation),
        "notes": list(evaluation.items.notes),
    }


def _of_stream(evaluation: SuiteLook) -> dict[str, Any]:
    """Return the e-process of the same differences."""
    stream = evaluation.stream
    # the e-process is of differences between −1 and 1
    ends = [evaluation.scale * end for end in stream.ci]
    return {
        "mean": evaluation.scale * stream.mean,
        "e_value": stream.e_value,
        "pvalue": stream.pvalue,
        "ci": ends,
    }


def _answer_of_stream(evaluation: SuiteLook, command: str) -> Answer:
    """Return the answer on a stream without an end."""
    facts = _of_stream(evaluation)
    mean = facts["mean"]
    low, high = facts["ci"]
    first, second = _leading(evaluation, mean)
    n_items = evaluation.stream.n
    n = count(n_items, "item")
    shown = facts["pvalue"] <= evaluation.alpha
    evidence = (
        f"by {_write(evaluation, abs(mean))}, e-value {number(facts['e_value'])} "
        f"({p_text(facts['pvalue'])} at whatever time one looks)"
    )
    headline = f"{first} is better than {second} after {n}: {evidence}."
    if not shown:
        leads = f"{first} leads {evidence}"
        headline = f"Undecided after {n}: {leads}."
    decision = Decision.UNDECIDED
    if shown:
        decision = better_of(mean)
    row = [
        whole_number(n_items),
        amount(mean, lambda value: _write(evaluation, value)),
        limits(low, high, lambda value: _write(evaluation, value)),
        amount(facts["e_value"], number),
        p_cell(facts["pvalue"]),
    ]
    difference = f"{evaluation.a} − {evaluation.b}"
    columns = (
        amounts("items", "Items"),
        amounts("difference", difference),
        amounts("low", f"{percent(1 - evaluation.alpha)} CI"),
        amounts("e_value", "e-value"),
        amounts("pvalue", "p"),
    )
    note = (
        "The evidence may be looked at after every item (Waudby-Smith & Ramdas 2024). Where the "
        "number of items is known beforehand, `--of N` decides earlier."
    )
    evidence = f"{n_items:,} items were seen; the level is {percent(evaluation.alpha)}."
    line = IntervalLine(f"{n_items:,} items", "", mean, (low, high), decision)
    plot_note = f"The difference {difference} with an interval that holds at any time."
    comparison = {
        "test": "e_process",
        "model_a": evaluation.a,
        "model_b": evaluation.b,
        "estimate": mean,
        "ci_low": low,
        "ci_high": high,
        "pvalue": facts["pvalue"],
        "alpha": evaluation.alpha,
        "n": n_items,
        "decision": decision.value,
    }
    return Answer(
        kind=kind_of(is_finding=shown),
        headline=headline,
        sentences=(),
        tables={"looks": table_of("Stream", columns, [row], note, evidence)},
        plots={"looks": Plot("Stream", difference, (line,), plot_note)},
        comparisons=(comparison,),
        facts={"models": [evaluation.a, evaluation.b], "items": n_items, "stream": facts},
        shown=("looks",),
        notes=evaluation.items.notes,
        command=command,
    )
