"""Names inside sentences."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.report.numbers import short, words
from bakeoff.report.study import Study
from bakeoff.stats import Entry

MOST_LETTERS = 60

_COMMON = {
    "binomial", "combined", "corrected", "cost-sensitive", "difference", "equivalence",
    "half-sample", "multivariate", "one-sample", "one-way", "paired", "pairwise",
    "repeated-measures", "resampled", "sign", "two-sample",
}  # fmt: skip


def name(study: Study, model: str) -> str:
    """Write a model's name, a very long one abbreviated: the tables have it whole."""
    return short(study.label(model), MOST_LETTERS)


def names(study: Study, models: Iterable[str], most: int = 4) -> str:
    """Join names to a phrase."""
    return words([name(study, model) for model in models], most)


def title(test: Entry) -> str:
    """Write a test's name as part of a sentence; only words that are no names lose capitals."""
    text = test.title
    first = text.split()[0]
    return text[0].lower() + text[1:] if first.lower() in _COMMON else text


def the(test: Entry) -> str:
    """Write a test's name with its article."""
    text = title(test)
    return text if text.split()[0].endswith(("'s", "s'")) else f"the {text}"
