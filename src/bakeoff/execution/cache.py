"""Cache of the checks of an experiment, because a check that loads data takes seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bakeoff.files import CACHE, digest, is_whole, read_json, write_json


def cached(
    experiment: str,
    what: str,
    state: Callable[[], Any],
    find: Callable[[], Any],
    in_main: bool,
) -> Any:
    """Return the cached result of this state, or compute it.

    Parameters
    ----------
    experiment : str
        Whose it is.
    what : str
        The name of what is found.
    state : callable
        Return all that it depends on, as plain data.
    find : callable
        Return it, as plain data.
    in_main : bool
        Whether this is Snakemake's main process; the jobs that it starts take what it found last.
    """
    last = CACHE / f"{experiment}.{what}.json"
    if not in_main and _is_there(last):
        return read_json(last)
    cached = CACHE / f"{what}-{digest(state(), ordered=True)}.json"
    found = read_json(cached) if _is_there(cached) else find()
    for path in (cached, last):
        if not (_is_there(path) and read_json(path) == found):
            write_json(path, found)
    return found


def _is_there(path: Path) -> bool:
    return path.is_file() and is_whole(path)
