"""The forms that one test has: for independent rows, and for rows that belong together."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from bakeoff.stats.core.errors import ArgumentError

Relation = Literal["independent", "groups", "time"]
"""How the rows of a test set hang together."""


@dataclasses.dataclass(frozen=True)
class Variants:
    """The values of an option by how the rows hang together, the default ones first."""

    independent: tuple[str, ...]
    groups: tuple[str, ...]

    def choose(self, value: str | None, relation: Relation, option: str = "variant") -> Any:
        """Return the value that is used; None asks for the default one."""
        kinds = {"independent rows": self.independent, "rows in groups": self.groups}
        rows = "independent rows" if relation == "independent" else "rows in groups"
        own = kinds[rows]
        if value is None:
            return own[0]
        if value in own:
            return value
        others = [kind for kind, values in kinds.items() if value in values]
        known = f"which is for {others[0]}; " if others else ""
        allowed = ", ".join(map(repr, own))
        raise ArgumentError(option, f"found {value!r}, {known}allowed for {rows}: {allowed}")
