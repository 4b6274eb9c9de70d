"""Which releases of Snakemake are known here, and what to say where one has moved something.

Everything that changes Snakemake's internals first makes sure that what it changes is where it was.
Where a release has moved what correct results need, the run is refused in one message; what only
spares time or waiting is left out with one line, and the run works.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import sys
from collections.abc import Callable
from typing import Any

from packaging.requirements import Requirement

from bakeoff import __version__
from bakeoff.errors import UserError

TRIED = "9.27.1"
"""The release that the tests run with."""


class MovedError(UserError):
    """An internal of Snakemake that correct results rely on has moved."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(
            f"Snakemake {installed()} has no {what}, which bakeoff relies on: install snakemake "
            f"{TRIED}, with which it was tried"
        )


def supported() -> Requirement:
    """Return the releases that pyproject.toml names, which is the only place that names them."""
    lines = map(Requirement, importlib.metadata.requires("bakeoff") or ())
    return next(line for line in lines if line.name == "snakemake")


def installed() -> str:
    """Return the version of Snakemake that is installed."""
    return importlib.metadata.version("snakemake")


def check_release(rules: str) -> None:
    """Refuse rules of another release, and releases of Snakemake that are not known here.

    Parameters
    ----------
    rules : str
        The release that the rules are of.

    Raises
    ------
    UserError
        What is installed, and what is needed.
    """
    needed = supported().specifier
    if not needed.contains(installed()):
        raise UserError(f"bakeoff needs Snakemake {needed}, this is {installed()}")
    if rules != __version__:
        raise UserError(
            f"these rules are of bakeoff {rules}, the package that is installed is {__version__}: "
            f"pip install bakeoff=={rules}, or take the workflow of v{__version__}"
        )


def need(thing: Any, *paths: str) -> None:
    """Make sure that a thing has these attributes (of attributes); else raise `MovedError`."""
    missing = object()
    for path in paths:
        name, _, rest = path.partition(".")
        # static: a property may have effects, or nothing to return yet
        if inspect.getattr_static(thing, name, missing) is missing:
            named = inspect.ismodule(thing) or inspect.isclass(thing)
            owner = thing.__name__ if named else type(thing).__name__
            raise MovedError(f"{owner}.{name}")
        if rest:
            need(getattr(thing, name), rest)


def if_known(*changes: Callable[[], object]) -> None:
    """Make changes that a run can do without; one line names what this release has not."""
    missing = []
    for change in changes:
        try:
            change()
        except MovedError as error:
            missing.append(error.what)
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        sys.stderr.write(
            f"Snakemake {installed()} has no {names}: the results are the same, but this run may "
            "be slower, and slower to stop\n"
        )
