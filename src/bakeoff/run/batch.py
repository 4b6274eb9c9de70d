"""Many fits in one job: what belongs to a batch, how it is done, and the record it leaves.

The job's output is the record, not the predictions: Snakemake removes the outputs of a job that
fails or is done again, and a batch must keep what it has. The record lists the files and when
each was written; it holds as long as they are as it says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.spec import Experiment, Fit

_SHOWN = 5


def records(experiment: Experiment, datasets: Iterable[str]) -> list[str]:
    """List the records of the batches of some data sets; none where each fit is a job."""
    folder, per = f"results/{experiment.experiment}/batches", experiment.execution.jobs_per
    if per == "fold" or not experiment.fitted:
        return []
    names = [""] if per == "dataset" else [f"/{model}" for model in experiment.fitted]
    return [f"{folder}/{dataset}{name}.txt" for dataset in datasets for name in names]


def fits_of(experiment: Experiment, ids: Sequence[str]) -> list[Fit]:
    """List the fits of one batch."""
    return list(experiment.fits(*ids))


def run_all(fits: Sequence[Fit], run: Callable[[Fit], None], workers: int) -> list[str]:
    """Do every fit, some at a time; one that fails does not keep the others from being done.

    Returns
    -------
    failed : list of str
        What the fits that failed say.
    """

    def attempt(fit: Fit) -> str | None:
        try:
            run(fit)
        except UserError as error:
            return str(error)
        return None

    with ThreadPoolExecutor(workers) as threads:
        return [message for message in threads.map(attempt, fits) if message]


def summary(failed: Sequence[str], count: int) -> str:
    """Say in a few lines which fits of a batch failed."""
    more = [f"and {len(failed) - _SHOWN} more fits"] if len(failed) > _SHOWN else []
    return "\n".join([f"{len(failed)} of {count} fits failed:", *failed[:_SHOWN], *more])


def write_record(path: str | Path, files: Sequence[str]) -> None:
    """Write down the files of a batch and when each was written."""
    write_text(path, "".join(f"{written}\t{file}\n" for file, written in _written(files)))


def holds(path: str | Path) -> bool:
    """Tell whether the files of a record are as it says."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    said = [(file, int(written)) for written, file in (line.split("\t") for line in lines)]
    try:
        return list(_written([file for file, _ in said])) == said
    except FileNotFoundError:
        return False


def _written(files: Sequence[str]) -> Iterator[tuple[str, int]]:
    for file in files:
        yield file, Path(file).stat().st_mtime_ns
