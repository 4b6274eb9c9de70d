"""What was found about an experiment before: a check that loads its data costs seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bakeoff.files import CACHE, DOWNLOADS, digest, read_json, write_json
from bakeoff.run import recipes
from bakeoff.spec import Experiment


def found_before(
    experiment: Experiment,
    what: str,
    state: Callable[[], Any],
    find: Callable[[], Any],
    in_main: bool,
) -> Any:
    """Return what was found in this state before, or find it.

    Parameters
    ----------
    experiment : Experiment
        Whose it is.
    what : str
        The name of what is found.
    state : callable
        Returns all that it depends on, as plain data.
    find : callable
        Returns it, as plain data.
    in_main : bool
        Whether this is Snakemake's main process; the jobs that it starts take what it found last.
    """
    last = CACHE / f"{experiment.experiment}.{what}.json"
    if not in_main and last.is_file():
        return read_json(last)
    known = CACHE / f"{what}-{digest(state())}.json"
    found = read_json(known) if known.is_file() else find()
    for path in (known, last):
        if not (path.is_file() and read_json(path) == found):
            write_json(path, found)
    return found


def state(experiment: Experiment, files: Iterable[str]) -> Iterator[Any]:
    """Give all that a check of an experiment depends on, the files of its data included."""
    yield experiment.resolved()
    yield recipes.code(".")
    yield [recipes.of_fit(experiment, model) for model in experiment.fitted]
    yield [recipes.of_data(experiment, dataset) for dataset in experiment.datasets]
    for path in map(Path, files):
        status = path.stat() if path.is_file() else None
        yield status and (status.st_size, status.st_mtime_ns)
    yield sorted(path.name for path in DOWNLOADS.glob("*"))
