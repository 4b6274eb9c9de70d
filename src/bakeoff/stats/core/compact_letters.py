"""Compact letters: which models no test tells apart (Piepho 2004)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

Group = frozenset[int]


def compact_letters(models: int, different: Collection[tuple[int, int]]) -> list[Group]:
    """Return the groups of models of which no two are shown to differ."""
    # Insert and absorb (Piepho 2004): every pair that differs splits the groups that hold both,
    # and a group within another goes.
    groups: set[Group] = {frozenset(range(models))}
    for a, b in different:
        holding = [group for group in groups if a in group and b in group]
        for group in holding:
            groups.discard(group)
            groups |= {group - {a}, group - {b}}
        groups = _absorbed(groups)
    return sorted(groups, key=sorted)


def _absorbed(groups: Iterable[Group]) -> set[Group]:
    listed = set(groups)
    return {g for g in listed if not any(g < other for other in listed)}
