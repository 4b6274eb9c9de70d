"""Tell whether classifier A is really better than B, or whether it was the split."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bakeoff.api.findings import Findings as Findings
    from bakeoff.api.folds import compare_folds as compare_folds
    from bakeoff.api.results import read as read
    from bakeoff.api.results import run as run
    from bakeoff.api.rows import compare as compare
    from bakeoff.api.search import compare_search as compare_search
    from bakeoff.errors import UserError as UserError

__version__ = "0.1.0"
_HOME = {
    "Findings": "bakeoff.api.findings",
    "UserError": "bakeoff.errors",
    "compare": "bakeoff.api.rows",
    "compare_folds": "bakeoff.api.folds",
    "compare_search": "bakeoff.api.search",
    "read": "bakeoff.api.results",
    "run": "bakeoff.api.results",
}
"""Where the public names live; imported when they are first asked for."""
_ROOMS = ("compare", "run")
"""Functions that have the name of a room."""
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'bakeoff' has no attribute {name!r}")
    globals()[name] = found = _public(name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})


def _public(name: str) -> Any:
    return getattr(import_module(_HOME[name]), name)


class _Room(ModuleType):
    """A room that is called like the function of its name, and documented like it."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    @property
    def __wrapped__(self) -> Any:
        return _public(self.__name__.removeprefix(f"{__name__}."))

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return str(self.__wrapped__.__doc__)


class _Package(ModuleType):
    """The package itself: importing a room binds a name here that a function may have too."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _ROOMS and isinstance(value, ModuleType):
            value.__class__ = _Room
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
