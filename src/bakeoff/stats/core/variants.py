"""The forms that one test has: for independent rows, and for rows that belong together."""

from __future__ import annotations

import dataclasses

from numpy.typing import ArrayLike

from bakeoff.stats.core.errors import ArgumentError


@dataclasses.dataclass(frozen=True)
class Variants:
    """The variants of a test by how its rows hang together, the default ones first.

    Attributes
    ----------
    independent, groups : tuple of str
        Those for independent rows, and for rows in groups.
    """

    independent: tuple[str, ...]
    groups: tuple[str, ...]

    def choose(self, variant: str | None, groups: ArrayLike | None) -> str:
        """Return the variant that runs; None asks for the default one.

        Raises
        ------
        ArgumentError
            A variant that there is not, or not for rows related in this way.
        """
        own, others = self.independent, self.groups
        if groups is not None:
            own, others = others, own
        if variant is None:
            return own[0]
        if variant in own:
            return variant
        rows, other = "independent rows", "rows in groups"
        if groups is not None:
            rows, other = other, rows
        known = f"which is for {other}; " if variant in others else ""
        allowed = ", ".join(map(repr, own))
        raise ArgumentError("variant", f"found {variant!r}, {known}allowed for {rows}: {allowed}")
