"""Where accuracy cannot tell models apart, because nearly all rows are of one class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.report.numbers import clean, percent, words
from bakeoff.scores import METRICS, counted_rows

RARE = 0.15
"""Share of all classes but the most frequent one up to which accuracy hardly depends on them."""


def rare_share(counts: Mapping[str, int]) -> float:
    """Return the share of the rows that are not of the most frequent class; NaN without rows."""
    rows = sum(counts.values())
    if rows:
        return (rows - max(counts.values())) / rows
    return float("nan")


def accuracy_of_rare(cards: Mapping[str, Mapping[str, Any]], metric: str, title: str) -> str:
    """Say that the first metric hardly shows how rare classes are predicted; empty where not so."""
    if not counted_rows(metric):
        return ""
    rare = {}
    for name, card in cards.items():
        counts = card.get("classes", {})
        if rare_share(counts) <= RARE:
            rare[name] = counts
    if not rare:
        return ""
    if len(cards) == 1:
        rarity = _of_rows(next(iter(rare.values())))
    else:
        rarity = _of_data_sets(cards, list(rare))
    binary = all(len(counts) == 2 for counts in rare.values())
    ranks = "roc_auc_ovr"
    if binary:
        ranks = "roc_auc"
    return (
        f"only {rarity}, and {title} hardly depends on how well models recognise them: "
        f"{METRICS['log_loss'].title} (of probabilities) or {METRICS[ranks].title} as the first "
        "metric may find differences that it hides."
    )


def _of_rows(counts: Mapping[str, int]) -> str:
    """Say how many rows are not of the most frequent class."""
    n_rows = sum(counts.values())
    frequent = max(counts, key=lambda name: counts[name])
    n_others = n_rows - counts[frequent]
    share = percent(round(n_others / n_rows, 3))
    shown = f"{n_others:,} of {n_rows:,}"
    return f"{share} of the rows ({shown}) are of another class than {clean(frequent)!r}"


def _of_data_sets(cards: Mapping[str, Mapping[str, Any]], rare: Sequence[str]) -> str:
    """Say on which data sets few rows are not of the most frequent class."""
    labels = words([clean(str(cards[name]["label"])) for name in rare], 4)
    return f"{percent(RARE)} or less of the rows of {labels} are of a rarer class"
