"""Documents of questions with choices, which some harnesses shuffle anew for each run.

What makes such a question one is its text, the set of its choices and the text of the right one:
their order, and letters and numbers that depend on it, are of the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

_CHOICES = ("choices", "options", "endings")
"""Fields that list the choices."""
_ANSWERS = {
    "answer", "answerkey", "answer_key", "answer_index", "answer_idx", "answer_letter",
    "correct", "correct_answer", "gold", "gold_index", "label", "target",
}  # fmt: skip
"""Fields that say which choice is the right one."""
_NUMBERED = re.compile(r"(?i)(choice|option|ending|answer)[ _-]?(\d+|[a-j])")
_LETTER = re.compile(r"\(?([A-Z])\)?\.?")


def without_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document whose choices are sorted, and whose answer is the text of a choice."""
    choices = _choices_of(document)
    if len(choices) < 2 or len(set(choices)) < len(choices):
        return dict(document)
    unordered: dict[str, Any] = {"choices": sorted(choices)}
    for key, value in document.items():
        if key.casefold() in _CHOICES:
            continue
        if _NUMBERED.fullmatch(key) and value in choices:
            continue
        unordered[key] = _without_order(key, value, choices)
    return unordered


def _choices_of(document: Mapping[str, Any]) -> list[str]:
    """Return the texts of the choices in their order; none of a document without choices."""
    choices: Any = None
    numbered = []
    place = len(_CHOICES)
    for key, value in document.items():
        field = key.casefold()
        if field in _CHOICES and _CHOICES.index(field) <= place:
            place = _CHOICES.index(field)
            choices = value
        if _NUMBERED.fullmatch(key):
            numbered.append(value)
    # {"text": […], "label": ["A", "B", …]}
    if isinstance(choices, Mapping):
        choices = choices.get("text")
    # {"choice1": …, "choice2": …}
    if not isinstance(choices, list | tuple):
        choices = numbered
    return list(filter(_is_text, choices))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _without_order(key: str, value: Any, choices: Sequence[str]) -> Any:
    """Replace the letter or the place of a choice by its text, and sort what lists them all."""
    if key.casefold() in _ANSWERS:
        if not isinstance(value, list):
            return _choice_of(value, choices)
        answers = [_choice_of(answer, choices) for answer in value]
        return sorted(map(str, answers))
    if isinstance(value, list) and all(map(_is_text, value)):
        if sorted(value) == sorted(choices):
            return sorted(value)
        return value
    if isinstance(value, str) and all(choice in value for choice in choices):
        # a prompt that lists the choices
        return sorted(value.split())
    return value


def _choice_of(answer: Any, choices: Sequence[str]) -> Any:
    """Return the text of the choice that a letter or a place from 0 stands for."""
    place = -1
    if isinstance(answer, int) and not isinstance(answer, bool):
        place = answer
    elif isinstance(answer, str) and answer not in choices:
        letter = _LETTER.fullmatch(answer.strip())
        if letter is not None:
            place = ascii_uppercase.index(letter[1])
        elif answer.isdecimal():
            place = int(answer)
    if 0 <= place < len(choices):
        return choices[place]
    return answer
