"""A list whose content is computed on first access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any


class LazyList(Sequence[Any]):
    """The list that a function returns; the function is called on first access.

    Parameters
    ----------
    make : callable
        Return the list.
    """

    def __init__(self, make: Callable[[], list[Any]]) -> None:
        self._make = make

    @cached_property
    def _items(self) -> list[Any]:
        return self._make()

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: Any) -> Any:
        return self._items[place]
