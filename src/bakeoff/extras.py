"""Packages that few experiments need, and the extra of the installation that brings each."""

from __future__ import annotations

from importlib.util import find_spec

from bakeoff.errors import UserError

EXTRAS = {
    "openpyxl": "files",
    "xgboost": "xgboost",
}
"""The extra of each, by the name of the module."""


def require(module: str, what: str) -> None:
    """Refuse what needs a package that is not installed."""
    if find_spec(module) is None:
        raise UserError(f"{what} needs the package {module}: {how_to_install(module)}")


def how_to_install(module: str) -> str:
    """Return the command that installs a module: its extra, or what `--no-deps` left out."""
    return (
        f"pip install 'bakeoff[{EXTRAS[module]}]'" if module in EXTRAS else f"pip install {module}"
    )
