"""The forms that one test has: for independent rows, and for rows that belong together."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from bakeoff.stats.core.errors import ArgumentError

Relation = Literal["independent", "groups", "time", "crossed"]
"""How the rows of a test set hang together."""
_ROWS = {
    "independent": "independent rows",
    "groups": "rows in groups",
    "time": "rows in groups",
    "crossed": "groups crossed with times",
}


@dataclasses.dataclass(frozen=True)
class Variants:
    """The values of an option by how the rows hang together, the default ones first.

    Attributes
    ----------
    independent, groups, crossed : tuple of str
        Those for independent rows, for rows in groups (or blocks of times), and for groups crossed
        with times.
    """

    independent: tuple[str, ...]
    groups: tuple[str, ...]
    crossed: tuple[str, ...] = ()

    def choose(self, value: str | None, relation: Relation, option: str = "variant") -> Any:
        """Return the value that is used; None asks for the default one.

        Raises
        ------
        ArgumentError
            A value that there is not, or not for rows related in this way.
        """
        sets = {
            "independent": self.independent,
            "groups": self.groups,
            "time": self.groups,
            "crossed": self.crossed,
        }
        own = sets[relation]
        if value is None:
            return own[0]
        if value in own:
            return value
        others = {_ROWS[kind] for kind, values in sets.items() if value in values}
        known = f"which is for {' and '.join(sorted(others))}; " if others else ""
        allowed = ", ".join(map(repr, own))
        raise ArgumentError(
            option, f"found {value!r}, {known}allowed for {_ROWS[relation]}: {allowed}"
        )
