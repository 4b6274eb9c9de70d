"""What is said of the marks of a judge, corrected by people's."""

from __future__ import annotations

import math
from typing import Any

from bakeoff.comparisons.judged import JudgedMarks, OfModel, OfTwo
from bakeoff.report.drawing import MOST_DRAWN, IntervalLine, name_of
from bakeoff.report.judged.answer import (
    Answer,
    Plot,
    amount,
    amounts,
    decision_of,
    kind_of,
    limits,
    p_cell,
    p_text,
    points,
    share,
    small,
    table_of,
    text,
    whole_number,
    words,
)
from bakeoff.report.numbers import count, number, percent
from bakeoff.report.tables import PageTable
from bakeoff.stats import Agreement, Result, plain

_FEW_DISAGREE = 5
_NOTHING = 1e-12
_RANDOM = (
    "The items that people marked are assumed to be drawn at random, whatever the judge says; a "
    "choice of the odd ones would mislead, and cannot be seen in the marks."
)


def answer_of_marks(judged: JudgedMarks, command: str = "") -> Answer:
    """Return the answer on models by people's marks."""
    comparisons = [_comparison(judged, pair) for pair in judged.pairs]
    shown = any(row["decision"] in ("a_better", "b_better") for row in comparisons)
    tables = {"models": _table_of_models(judged)}
    in_terminal = ["models"]
    if len(judged.pairs) > 1:
        tables["pairs"] = _table_of_pairs(judged)
        in_terminal.append("pairs")
    if judged.agreement is not None:
        tables["agreement"] = _table_of_marks(judged.agreement)
    return Answer(
        kind=kind_of(is_finding=shown),
        headline=_headline(judged),
        sentences=tuple(_sentences(judged)),
        tables=tables,
        plots={"models": _plot(judged)},
        comparisons=tuple(comparisons),
        facts=_facts(judged),
        shown=tuple(in_terminal),
        notes=(*judged.marks.notes, _RANDOM),
        command=command,
    )


def _write(judged: JudgedMarks, value: float) -> str:
    """Write a mean mark, or a difference of two."""
    if judged.marks.binary:
        return small(value)
    return number(value)


def _unit(judged: JudgedMarks) -> str:
    """Say what more of the mark is."""
    if judged.marks.binary:
        return "more right"
    return "higher"


def _pair_shown(judged: JudgedMarks) -> OfTwo:
    """Return the pair that the headline is about: the clearest one."""
    # a pair without a p-value is the clearest only where none has one
    return min(judged.pairs, key=lambda pair: (math.isnan(pair.pvalue), pair.pvalue))


def _better(pair: OfTwo) -> tuple[str, str]:
    """Return the model with the higher corrected mark, and the other."""
    if pair.corrected.estimate < 0:
        return pair.b, pair.a
    return pair.a, pair.b


def _sign(pair: OfTwo, first: str) -> float:
    """Return the sign of A − B as the difference of this model from the other."""
    if first == pair.a:
        return 1.0
    return -1.0


def _ends(result: Result, sign: float) -> tuple[float, float]:
    """Return the limits of a result, turned where the second model is the better one."""
    if result.ci is None:
        return math.nan, math.nan
    if sign < 0:
        return -result.ci.high, -result.ci.low
    return result.ci.low, result.ci.high


def _headline(judged: JudgedMarks) -> str:
    """Return the first sentence."""
    if not judged.pairs:
        return _headline_of_one(judged, judged.models[0])
    pair = _pair_shown(judged)
    first, second = _better(pair)
    sign = _sign(pair, first)
    low, high = _ends(pair.corrected, sign)
    size = _write(judged, sign * pair.corrected.estimate)
    level = percent(1 - judged.alpha)
    ends = f"{_write(judged, low)} to {_write(judged, high)}"
    evidence = (
        f"{size} {_unit(judged)} ({level} interval {ends}, {p_text(pair.pvalue)}), from "
        f"{count(int(pair.corrected.details['labels']), 'human label')} and the judge on "
        f"{count(judged.items, 'item')}."
    )
    # the clearest pair has none: neither has any other
    if math.isnan(pair.pvalue):
        return f"It is undecided whether {first} is better than {second} by people's marks."
    if pair.pvalue <= judged.alpha:
        return f"{first} is better than {second} by people's marks: {evidence}"
    if len(judged.pairs) > 1:
        names = len(judged.models)
        return (
            f"None of {names} models is shown to be better than another by people's marks; the "
            f"clearest difference is of {first} and {second}: {evidence}"
        )
    return f"{first} is not shown to be better than {second} by people's marks: {evidence}"


def _headline_of_one(judged: JudgedMarks, model: OfModel) -> str:
    """Return the first sentence on a single model."""
    result = model.corrected
    low, high = _ends(result, 1.0)
    level = percent(1 - judged.alpha)
    labels = count(int(result.details["labels"]), "human label")
    items = count(judged.items, "item")
    if judged.marks.binary:
        ends = f"{points(low)} to {points(high)}%"
        return (
            f"{model.model} is right on {share(result.estimate)} of {items} by people's marks "
            f"({level} interval {ends}), from {labels} and the judge on all."
        )
    ends = f"{number(low)} to {number(high)}"
    return (
        f"{model.model} has a mean mark of {number(result.estimate)} by people ({level} interval "
        f"{ends}), from {labels} and the judge on {items}."
    )


def _sentences(judged: JudgedMarks) -> list[str]:
    """Return what stands below the headline."""
    sentences = []
    if judged.pairs:
        sentences.append(_of_judge_alone(judged, _pair_shown(judged)))
    if judged.agreement is not None:
        sentences.append(_of_agreement(judged, judged.agreement))
    if not judged.marks.one_scale:
        sentences.append(_of_scales(judged))
    if judged.pairs and judged.marks.binary:
        passing = _of_errors(judged, _pair_shown(judged))
        if passing:
            sentences.append(passing)
    sentences.append(_of_worth(judged))
    return sentences


def _of_judge_alone(judged: JudgedMarks, pair: OfTwo) -> str:
    """Say what the judge alone would find, and whom it favours."""
    first, _ = _better(pair)
    sign = _sign(pair, first)
    alone = sign * pair.judge_alone
    favour = pair.favour.estimate
    # errors of the judge for A less those for B: above 0 they are in favour of A
    favoured = pair.b
    if favour > 0:
        favoured = pair.a
    would_be = f"By the judge alone it would be {_write(judged, alone)}"
    if not judged.marks.one_scale:
        return f"{would_be}, on the judge's own scale."
    # equal means may differ by rounding
    if abs(favour) < _NOTHING:
        return f"{would_be}; on the labelled items it favours neither model."
    size = f"{_write(judged, abs(favour))} ({p_text(pair.favour.pvalue)})"
    return f"{would_be}: on the labelled items it favours {favoured} by {size}."


def _of_agreement(judged: JudgedMarks, agreed: Agreement) -> str:
    """Say how well the judge agrees with people."""
    coefficients = []
    # Cohen's kappa and Gwet's AC1; of grades their forms with quadratic weights
    names = ("kappa", "AC1")
    if not judged.marks.binary:
        names = ("quadratic kappa", "AC2")
    for name, value, ends in (
        (names[0], agreed.kappa, agreed.kappa_ci),
        (names[1], agreed.ac1, agreed.ac1_ci),
    ):
        within = ""
        if not math.isnan(ends[0]):
            within = f", {small(ends[0])} to {small(ends[1])}"
        coefficients.append(f"{name} {small(value)}{within}")
    sentence = (
        f"The judge agrees with people on {share(agreed.percent)} of {count(agreed.n, 'answer')} "
        f"({'; '.join(coefficients)})"
    )
    if math.isnan(agreed.kappa_ci[0]):
        sentence += "; intervals need 30 answers, 5 with the rarer mark"
    return f"{sentence}."


def _of_scales(judged: JudgedMarks) -> str:
    """Say that people and judge use other scales."""
    judge, human = judged.marks.scales
    return (
        f"People's marks are {number(human[0])} to {number(human[1])}, the judge's "
        f"{number(judge[0])} to {number(judge[1])}: one scale is needed for agreement; the "
        "correction works with either."
    )


def _of_errors(judged: JudgedMarks, pair: OfTwo) -> str:
    """Say where the errors of the judge differ between two models."""
    by_model = {model.model: model.errors for model in judged.models}
    # rates of errors need labelled answers of both models that people found wrong
    first = by_model[pair.a]
    second = by_model[pair.b]
    if first is None or second is None or not (first.wrong and second.wrong):
        return ""
    rates = {pair.a: first.passes_wrong, pair.b: second.passes_wrong}
    lenient = max(rates, key=lambda model: rates[model])
    strict = min(rates, key=lambda model: rates[model])
    if rates[lenient] == rates[strict]:
        return ""
    sentence = (
        f"It passes wrong answers of {lenient} more often than of {strict} "
        f"({points(rates[lenient])} against {points(rates[strict])}%)"
    )
    if pair.favour.pvalue <= judged.alpha:
        return f"{sentence}: do not compare them by the judge alone."
    return f"{sentence}; on so few labels that may be chance."


def _of_worth(judged: JudgedMarks) -> str:
    """Say what the judge adds to the labels, and whether rare errors may be missing."""
    of = judged.models[0].corrected
    if judged.pairs:
        of = _pair_shown(judged).corrected
    labels = int(of.details["labels"])
    worth = of.details["worth"]
    disagreements = int(of.details["disagreements"])
    # a judge that agrees with people on every label would be worth any number of them
    if math.isfinite(worth) and worth < 100 * labels:
        sentence = (
            f"With the judge these {labels:,} labels are worth about {round(worth):,} labels alone."
        )
    else:
        sentence = f"Judge and people say the same on all {labels:,} labelled items."
    if disagreements < _FEW_DISAGREE:
        sentence += (
            f" Judge and people differ on {disagreements} labelled items: rare errors of the judge "
            "may not be among the labels."
        )
    return sentence


def _table_of_models(judged: JudgedMarks) -> PageTable:
    """Return a row for each model."""
    rows = []
    for model in judged.models:
        result = model.corrected
        details = result.details
        low, high = _ends(result, 1.0)
        row = [
            text(model.model),
            amount(result.estimate, lambda value: _write(judged, value)),
            limits(low, high, lambda value: _write(judged, value)),
            amount(details["judge_only"], lambda value: _write(judged, value)),
            amount(details.get("human_only", math.nan), lambda value: _write(judged, value)),
            whole_number(int(details["labels"])),
        ]
        if model.errors is not None:
            row.append(amount(model.errors.passes_wrong, share))
            row.append(amount(model.errors.fails_right, share))
        rows.append(row)
    columns = [
        words("model", "Model"),
        amounts("corrected", "By people, corrected"),
        amounts("corrected_low", f"{percent(1 - judged.alpha)} CI"),
        amounts("judge_only", "Judge alone"),
        amounts("human_only", "Labels alone"),
        amounts("labels", "Labels"),
    ]
    if judged.marks.binary:
        columns.append(amounts("passes_wrong", "Judge passes wrong"))
        columns.append(amounts("fails_right", "Judge fails right"))
    note = (
        "“By people, corrected” is the mean mark of people over all items: those that they "
        "marked correct the judge's marks on all. Two models are compared by one correction of "
        "their differences, not by the difference of these means."
    )
    return table_of("Models", columns, rows, note, _evidence(judged))


def _evidence(judged: JudgedMarks) -> str:
    """Say for a paper on how many items and labels models are compared, and at which level."""
    return (
        f"The judge marked {judged.items:,} items and people {judged.labels:,} of them; the "
        f"level is {percent(judged.alpha)}."
    )


def _table_of_pairs(judged: JudgedMarks) -> PageTable:
    """Return a row for each pair."""
    rows = []
    for pair in judged.pairs:
        # here all differences are A − B, whichever model is better
        low, high = _ends(pair.corrected, 1.0)
        rows.append(
            [
                text(pair.a),
                text(pair.b),
                amount(pair.corrected.estimate, lambda value: _write(judged, value)),
                limits(low, high, lambda value: _write(judged, value)),
                p_cell(pair.corrected.pvalue),
                p_cell(pair.pvalue),
                amount(pair.judge_alone, lambda value: _write(judged, value)),
                amount(pair.favour.estimate, lambda value: _write(judged, value)),
            ]
        )
    columns = (
        words("model_a", "A"),
        words("model_b", "B"),
        amounts("estimate", "A − B, corrected"),
        amounts("ci_low", f"{percent(1 - judged.alpha)} CI"),
        amounts("pvalue", "p"),
        amounts("pvalue_adjusted", "Adjusted p"),
        amounts("judge_only", "Judge alone"),
        amounts("favour", "Judge favours A by"),
    )
    note = (
        "The difference A − B is corrected by the marks of people. P-values are adjusted by Holm's "
        "method; each interval holds by itself."
    )
    return table_of("Pairs", columns, rows, note, _evidence(judged))


def _table_of_marks(agreed: Agreement) -> PageTable:
    """Return the table of marks by people and by the judge."""
    rows = []
    for mark, counts in zip(agreed.categories, agreed.table, strict=True):
        rows.append([text(f"{mark:g}"), *(whole_number(int(n)) for n in counts)])
    columns = [words("human", "People")]
    for mark in agreed.categories:
        columns.append(amounts(f"judge_{mark:g}", f"Judge: {mark:g}"))
    note = (
        "The table counts the labelled answers by the mark of people (row) and of the judge "
        "(column)."
    )
    return table_of("Marks", columns, rows, note)


def _plot(judged: JudgedMarks) -> Plot:
    """Draw the corrected mean of each model."""
    lines = []
    for model in judged.models[:MOST_DRAWN]:
        value = model.corrected.estimate
        lines.append(
            IntervalLine(
                label=name_of(model.model),
                note=_write(judged, value),
                estimate=value,
                ci=_ends(model.corrected, 1.0),
            )
        )
    centre = sum(model.corrected.estimate for model in judged.models) / len(judged.models)
    note = f"Corrected means with {percent(1 - judged.alpha)} intervals; the line is their mean."
    axis = "mean mark by people"
    if judged.marks.binary:
        axis = "share right by people"
    return Plot("By people's marks", axis, tuple(lines), note, centre=centre)


def _comparison(judged: JudgedMarks, pair: OfTwo) -> dict[str, Any]:
    """Return a pair as a row of comparisons."""
    result = pair.corrected
    decision = decision_of(pair.pvalue, judged.alpha, result.estimate)
    favour: dict[str, Any] = {"favour": None, "favour_pvalue": None}
    # marks on two scales have no difference, and so the judge has no error
    if judged.marks.one_scale:
        favour = {"favour": pair.favour.estimate, "favour_pvalue": pair.favour.pvalue}
    low, high = _ends(result, 1.0)
    return {
        "test": "corrected_difference",
        "variant": result.variant,
        "model_a": pair.a,
        "model_b": pair.b,
        "estimate": result.estimate,
        "ci_low": low,
        "ci_high": high,
        "pvalue": result.pvalue,
        "pvalue_adjusted": pair.pvalue,
        "alpha": judged.alpha,
        "n": result.n,
        "labels": int(result.details["labels"]),
        "judge_only": pair.judge_alone,
        **favour,
        "worth": result.details.get("worth"),
        "status": result.status.value,
        "decision": decision.value,
    }


def _facts(judged: JudgedMarks) -> dict[str, Any]:
    """Return what JSON has."""
    models = []
    for model in judged.models:
        low, high = _ends(model.corrected, 1.0)
        line = {
            "model": model.model,
            "corrected": model.corrected.estimate,
            "low": low,
            "high": high,
            "judge_only": model.corrected.details["judge_only"],
            "human_only": model.corrected.details.get("human_only"),
            "labels": int(model.corrected.details["labels"]),
        }
        if model.errors is not None:
            line |= {
                "passes_wrong": model.errors.passes_wrong,
                "fails_right": model.errors.fails_right,
            }
        models.append(line)
    return {
        "items": judged.items,
        "models": models,
        "agreement": plain(judged.agreement),
        "notes": list(judged.marks.notes),
    }
