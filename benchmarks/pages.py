"""Pages of the documentation with a part that a benchmark writes: `python -m benchmarks.pages`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

STUDIES = (
    "any_metric",
    "any_metric_families",
    "any_metric_subgroups",
    "best_models",
    "clustered_forms",
    "cochran_few",
    "equivalence",
    "gate",
    "gate_metrics",
    "mutants",
    "passes",
    "recipes",
    "regression",
    "speed",
    "standings",
)
"""Modules with a `PAGE` and what is to stand there, `page()`."""


def renewed(page: Path, part: str, text: str) -> str:
    """Return a page with one of its parts replaced.

    Parameters
    ----------
    page : Path
        The page.
    part : str
        Its name in the marks around it: ``<!-- part: begin -->`` and ``<!-- part: end -->``.
    text : str
        What is to stand there.

    Raises
    ------
    ValueError
        The page does not have both marks once.
    """
    try:
        return replaced(page.read_text(encoding="utf-8"), part, text)
    except ValueError as lacking:
        raise ValueError(f"{page} {lacking}") from None


def replaced(found: str, part: str, text: str) -> str:
    """Return the text of a page with one of its parts replaced, as `renewed` does."""
    begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
    if (found.count(begin), found.count(end)) != (1, 1):
        raise ValueError(f"needs {begin.strip()} and {end}, once each")
    before, rest = found.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{text.strip()}\n\n{end}{after}"


def study(
    about: str | None,
    replicates: int,
    simulate: Callable[[int], None],
    file: Path,
    page: Callable[[], str],
) -> None:
    """Run the command of a simulation: simulate, then write its page.

    Parameters
    ----------
    about : str
        What ``--help`` says.
    replicates : int
        The default of ``--replicates``.
    simulate : callable
        Takes that number.
    file : Path
        The page.
    page : callable
        Returns what is to stand in it.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--replicates", type=int, default=replicates)
    parser.add_argument("--page", action="store_true", help="only write the page's table")
    arguments = parser.parse_args()
    if not arguments.page:
        simulate(arguments.replicates)
    file.write_text(page(), encoding="utf-8")


def main() -> None:
    """Write every part anew from the figures that are there."""
    for name in STUDIES:
        module = importlib.import_module(f"benchmarks.{name}")
        module.PAGE.write_text(module.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
