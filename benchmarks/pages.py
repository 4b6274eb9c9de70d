"""Pages of the documentation with a part that a benchmark writes: `python -m benchmarks.pages`."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path

STUDIES = (
    "any_metric",
    "best_models",
    "clustered_forms",
    "cochran_few",
    "equivalence",
    "gate",
    "mutants",
    "passes",
    "recipes",
    "regression",
    "speed",
    "standings",
)
"""Modules with a `PAGE` and what is to stand there, `page()`."""


def renewed(page: Path, part: str, text: str) -> str:
    """Return a page with one of its parts replaced, as `rewritten` does."""
    return rewritten(page, {part: text})


def rewritten(page: Path, parts: Mapping[str, str]) -> str:
    """Return a page with what stands between marks replaced, by the names in the marks.

    The marks of a part are ``<!-- part: begin -->`` and ``<!-- part: end -->``.

    Raises
    ------
    ValueError
        The page does not have both marks of a part once.
    """
    found = page.read_text(encoding="utf-8")
    for part, text in parts.items():
        begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
        if (found.count(begin), found.count(end)) != (1, 1):
            raise ValueError(f"{page} needs {begin.strip()} and {end}, once each")
        before, rest = found.split(begin)
        _, after = rest.split(end)
        found = f"{before}{begin}\n{text.strip()}\n\n{end}{after}"
    return found


def study(
    about: str | None,
    replicates: int,
    simulate: Callable[[int], None],
    file: Path,
    page: Callable[[], str],
) -> None:
    """Run the command of a simulation, `about` it: simulate, then write what `page` returns."""
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
