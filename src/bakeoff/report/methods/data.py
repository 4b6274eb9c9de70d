"""What was compared, and on which data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bakeoff.report.methods.sentence import Sentence
from bakeoff.report.numbers import count, percent, spread, words
from bakeoff.report.study import Study, clean
from bakeoff.report.verdict.wording import name
from bakeoff.spec.models import Model

MOST = 8
"""Names that a sentence lists; of more it gives the number."""
_MOST_PARAMS = 4
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = dict(enumerate(_NUMBERS, 1))
_LEFT_OUT = {
    "rows_filtered": "by a filter",
    "rows_dropped_without_target": "without a label",
    "rows_of_other_classes": "of other classes",
}
_ELSEWHERE = {
    "predictions": "their predictions",
    "values": "a number for each row",
    "scores": "their scores",
    "results": "the predictions of another run",
}


def data(study: Study) -> Iterator[Sentence]:
    """Say what was compared and describe the data sets."""
    yield _models(study)
    yield from _given(study)
    if any(card["rows"] for card in study.cards.values()):  # of scores alone none are known
        yield _rows(study)
    yield from _left_out(study)
    yield from _missing(study)


def _models(study: Study) -> Sentence:
    fitted = study.experiment.fitted
    named = [
        f"{name(study, model)} ({_estimator(fitted[model])})"
        if model in fitted
        else name(study, model)
        for model in study.models
    ]
    listed = f": {words(named, MOST)}" if len(named) <= MOST else f", among them {words(named, 4)}"
    verb = "compared" if len(named) > 1 else "evaluated"
    done = f"We {verb} {few(len(named), 'model')}{listed}."
    return Sentence((done,), ("5a",), ("12c",))


def few(n: int, noun: str) -> str:
    """Count things, few of them in words."""
    return f"{_IN_WORDS[n]} {noun}{'s' if n > 1 else ''}" if n in _IN_WORDS else count(n, noun)


def _estimator(model: Model) -> str:
    """Name the classes of a model's steps, and the parameters that were set where they are few."""
    said = []
    for step in model.parts:
        what = step.estimator.rpartition(".")[2]
        plain = {k: v for k, v in step.params.items() if isinstance(v, str | int | float)}
        if plain and plain == step.params and len(plain) <= _MOST_PARAMS:
            what += " with " + words([f"{k} = {clean(str(v))}" for k, v in plain.items()])
        elif step.params:
            what += " with parameters of its own"
        said.append(what)
    return ", then ".join(said)


def _given(study: Study) -> Iterator[Sentence]:
    kinds: dict[str, list[str]] = {}
    for model, spec in study.experiment.given.items():
        kind = next(kind for kind in _ELSEWHERE if getattr(spec, kind) is not None)
        kinds.setdefault(kind, []).append(name(study, model))
    for kind, models in kinds.items():
        everyone = len(models) == len(study.models)
        who = "All" if everyone and len(models) > 1 else words(models, MOST)
        were = "were" if len(models) > 1 else "was"
        brought = _ELSEWHERE[kind] if len(models) > 1 else _ELSEWHERE[kind].replace("their", "its")
        yield Sentence((f"{who} {were} made elsewhere and entered by {brought}.",), (), ("12g",))


def _rows(study: Study) -> Sentence:
    cards = study.cards
    if len(cards) > 1:
        names = [study.dataset_label(dataset) for dataset in cards]
        rows = spread([card["rows"] for card in cards.values()])
        listed = words(names, MOST if len(names) <= MOST else 4)
        said = f"They were tried on {few(len(cards), 'data set')} of {rows} rows: {listed}."
        return Sentence((said,), ("3e",))
    ((dataset, card),) = cards.items()
    features = card.get("features")
    of = f" and {count(len(features), 'feature')}" if features else ""
    said = f"The data set {study.dataset_label(dataset)} has {count(card['rows'], 'row')}{of}"
    if 1 < len(card["classes"]) <= MOST and any(card["classes"].values()):
        said += "; the classes are " + words(
            [f"{clean(str(c))} ({n:,} rows)" for c, n in card["classes"].items()], MOST
        )
        return Sentence((f"{said}.",), ("3d", "3e"), ("21",))
    return Sentence((f"{said}.",), ("3e",))


def _left_out(study: Study) -> Iterator[Sentence]:
    several = len(study.cards) > 1
    for dataset, card in study.cards.items():
        found = [
            f"{count(int(card[key]), 'row')} {why}"
            for key, why in _LEFT_OUT.items()
            if card.get(key)
        ]
        pooled = [
            f"{words([clean(old) for old in olds], MOST)} were pooled as {clean(new)}"
            for new, olds in card.get("merged", {}).items()
        ]
        of = f"Of {study.dataset_label(dataset)}, " if several else ""
        if found:
            said = f"{of}{words(found)} {'was' if found[0].startswith('1 ') else 'were'} left out."
            yield Sentence((begun(said),), ("4a",))
        if pooled:
            said = f"{of}{'the ' if of else 'The '}classes {words(pooled)}."
            yield Sentence((said,), ("4c",), ("7",))


def begun(text: str) -> str:
    """Begin a sentence with a capital."""
    return text[0].upper() + text[1:]


def _missing(study: Study) -> Iterator[Sentence]:
    largest = max(map(_share_missing, study.cards.values()))
    if not largest:
        return
    most = percent(round(largest, 4))
    where = f"Up to {most} of the feature values of a data set" if len(study.cards) > 1 else most
    of = "" if len(study.cards) > 1 else " of the feature values"
    yield Sentence((f"{where}{of} are missing.",), ("3f",), ("11",))


def _share_missing(card: Mapping[str, Any]) -> float:
    cells = card["rows"] * len(card.get("features", ()))
    return float(card["missing_cells"] / cells) if cells else 0.0
