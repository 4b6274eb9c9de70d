"""The existing fits of an experiment, and which of them are valid.

A fit is done where its file of predictions says that this model, this code and these versions made
it from these data (`bakeoff.fit.stamp`). Three things Snakemake cannot know, for it goes by the
dates of files and by its own records of jobs:

- a file of predictions that a batch wrote is *outdated* when another fingerprint made it;
- a *batch* is done as long as its files are as the record says that the batch left: the files,
  when each was written, and how large. The job's output is the record, not the predictions:
  Snakemake removes the outputs of a job that fails or is done again, and a batch must keep what it
  has;
- a fit that *failed* where `on_error: exclude` lets the rest go on leaves predictions without rows,
  and a record of its limits: under others it is tried again.

And a file that something else damaged is made again: one that is no whole file, or that has
another size than the last run left it with, whatever its date; and predictions that are gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import is_whole, read_json, write_json, write_text
from bakeoff.fit.fit_task import measured
from bakeoff.spec import Fit

FindOutdated = Callable[[Mapping[str, Mapping[str, str]]], list[str]]


class Store:
    """The fits of one experiment that are there.

    Parameters
    ----------
    needs : RuleInputs
        Where the files of the experiment are.
    fingerprints : Mapping of data set to Mapping of model to str
        What makes the predictions of each fitted model today.
    """

    def __init__(self, needs: RuleInputs, fingerprints: Mapping[str, Mapping[str, str]]) -> None:
        self.needs, self._fingerprints = needs, fingerprints
        self._experiment, self._paths = needs.experiment, needs.paths

    def fingerprint(self, fit: Fit) -> str:
        """Return what makes the predictions of a fit today."""
        return self._fingerprints[fit.dataset][fit.model]

    def to_redo(self, find_outdated: FindOutdated) -> set[str]:
        """List the files that must be made again, whatever Snakemake thinks.

        Parameters
        ----------
        find_outdated : callable
            `bakeoff.execution.planning.find_outdated`, wherever it is to run.
        """
        failed = list(self._to_retry())
        return {
            *(self.needs.prediction(fit) for fit in failed),
            *(
                self._paths.batch(name)
                for fit in failed
                for name in (fit.dataset, f"{fit.dataset}/{fit.model}")
            ),
            *self._outdated(find_outdated),
            *self._damaged(),
            *self._resized(),
        }

    def forget_sizes(self) -> None:
        """Forget the recorded sizes at the start of a run, which may be killed."""
        Path(self._paths.sizes).unlink(missing_ok=True)

    def note_sizes(self) -> None:
        """Write down how large each file is that a run leaves."""
        lines = (f"{size}\t{name}\n" for name, size in sorted(_sizes(self._paths.root).items()))
        write_text(self._paths.sizes, "".join(lines))

    def note_batch(self, record: str, fits: Sequence[Fit]) -> None:
        """Write down the files of a batch that is done, when each was written and how large."""
        files = [self.needs.prediction(fit) for fit in fits]
        write_text(record, "".join(f"{state}\t{file}\n" for file, state in _states(files)))

    def note_failure(self, fit: Fit, why: str) -> None:
        """Write down that a fit failed, and under which limits."""
        limits = list(self._experiment.limits(fit.model))
        write_json(self._failure(fit), {"fit": list(fit), "limits": limits, "why": why})

    def note_success(self, fit: Fit) -> None:
        """Remove the record of a fit that did not fail this time."""
        Path(self._failure(fit)).unlink(missing_ok=True)

    def _outdated(self, find: FindOutdated) -> set[str]:
        batches = [b for dataset in self._experiment.datasets for b in self.needs.batches(dataset)]
        if batches:
            return {record for record in batches if Path(record).is_file() and not _holds(record)}
        if not self._paths.folder("batches").is_dir():
            return set()  # single jobs wrote all that is there, and Snakemake knows them
        by = self._experiment.importance_by
        return set(
            find(
                {
                    self.needs.prediction(fit): {
                        "fingerprint": self.fingerprint(fit),
                        **measured(by(fit)),
                    }
                    for fit in self._experiment.fits()
                }
            )
        )

    def _damaged(self) -> Iterator[str]:
        """List tables, divisions and results of tests that are no whole files."""
        folders = "data/*.parquet", "splits/*.parquet", "collected/*.parquet", "*/*.json"
        for pattern in folders:
            for path in self._paths.folder("").glob(pattern):
                if not is_whole(path):
                    yield path.as_posix()

    def _resized(self) -> Iterator[str]:
        """List the files that are not as large as the last run left them, and predictions gone."""
        note = Path(self._paths.sizes)
        if not note.is_file():
            return
        now, gone = _sizes(self._paths.root), set[str]()
        for line in note.read_text(encoding="utf-8", errors="replace").splitlines():
            size, _, name = line.partition("\t")
            path = self._paths.top(name)
            if name not in now:
                gone.add(path)
            elif now[name] != size:
                yield path
        if gone:  # those of models that were removed are not missed
            yield from gone.intersection(map(self.needs.prediction, self._experiment.fits()))

    def _to_retry(self) -> Iterator[Fit]:
        """List the fits that failed under other limits than today's, or must not fail today."""
        for record in filter(is_whole, sorted(self._paths.folder("failed").rglob("*.json"))):
            recorded = read_json(record)
            fit = Fit(*recorded["fit"])
            if fit.model not in self._experiment.fitted:
                continue
            changed = recorded["limits"] != list(self._experiment.limits(fit.model))
            if changed or self._experiment.on_error == "stop":
                yield fit

    def _failure(self, fit: Fit) -> str:
        return self._paths.failure(fit.dataset, fit.model, fit.split)


def _holds(record: str) -> bool:
    """Tell whether the files of a batch are as its record says."""
    lines = Path(record).read_text(encoding="utf-8", errors="replace").splitlines()
    told = [(file, state) for state, _, file in (line.rpartition("\t") for line in lines)]
    try:
        return list(_states([file for file, _ in told])) == told
    except (ValueError, FileNotFoundError):
        return False


def _states(files: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the modification time and size of each file."""
    for file in files:
        now = os.stat(file)  # noqa: PTH116 - a Path takes twice the time of the call
        yield file, f"{now.st_mtime_ns}\t{now.st_size}"


def _sizes(root: str) -> dict[str, str]:
    """Return the sizes of a folder's files, but for logs and notes, by their paths in it."""
    found, folders = {}, [""]
    while folders:
        place = folders.pop()
        with os.scandir(f"{root}/{place}") as entries:
            for entry in entries:
                if entry.name.startswith(".") or (not place and entry.name == "logs"):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{place}{entry.name}/")
                else:
                    found[f"{place}{entry.name}"] = str(entry.stat().st_size)
    return found
