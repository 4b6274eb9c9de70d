"""Files that Snakemake takes for finished and that have to be made again, as for `--forcerun`.

Snakemake goes by dates, params and its records of jobs. It cannot know that a file was damaged,
that a batch of fits lost one, or that a failed fit may be tried again. A batch's output is a record
of its files and not these: Snakemake removes the outputs of a job that fails or is done again, and
a batch keeps the fits whose stamp (`bakeoff.fit.predictions`) is right.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import is_whole, read_json, write_text
from bakeoff.spec import Fit

_BESIDE = re.compile(r"(\.timing\.json|\.parquet)$")
FindOutdated = Callable[[Mapping[str, Mapping[str, str]]], list[str]]


def to_remake(
    needs: RuleInputs, made_by: Mapping[str, Mapping[str, str]], find_outdated: FindOutdated
) -> set[str]:
    """List the files; `find_outdated` is that of `bakeoff.fit.predictions`, wherever it runs."""
    files = {*map(needs.prediction, _to_retry(needs)), *_damaged(needs)}
    for path in [path for path in files if path.startswith(needs.paths.top("predictions/"))]:
        *_, dataset, model, name = Path(path).parts
        files |= {needs.paths.batch(dataset), needs.paths.batch(f"{dataset}/{model}")}
        # what lies beside predictions is made with them
        files.add(needs.paths.prediction(dataset, model, _BESIDE.sub("", name)))
    records = [record for name in needs.experiment.datasets for record in needs.batches(name)]
    if records:
        files |= {record for record in records if Path(record).is_file() and not _holds(record)}
    elif needs.paths.folder("batches").is_dir():  # they wrote what Snakemake has no records of
        stamps = {
            needs.prediction(fit): {"fingerprint": made_by[fit.dataset][fit.model]}
            for fit in needs.experiment.fits()
        }
        files |= set(find_outdated(stamps))
    return files


def note_batch(record: str, files: Sequence[str]) -> None:
    """Write down the files of a batch that is done, when each was written and how large."""
    write_text(record, "".join(map(_state, files)))


def _state(file: str) -> str:
    now = os.stat(file)  # noqa: PTH116 - a Path takes twice the time of the call
    return f"{now.st_mtime_ns}\t{now.st_size}\t{file}\n"


def _holds(record: str) -> bool:
    """Tell whether the files of a batch are as its record says."""
    lines = Path(record).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    try:
        return all(line == _state(line.rpartition("\t")[2].rstrip("\n")) for line in lines)
    except (ValueError, FileNotFoundError):
        return False


def _to_retry(needs: RuleInputs) -> Iterator[Fit]:
    """List the fits that failed under other limits than today's, or must not fail today."""
    experiment = needs.experiment
    for record in filter(is_whole, sorted(needs.paths.folder("failed").rglob("*.json"))):
        recorded = read_json(record)
        fit = Fit(*recorded["fit"])
        if fit.model in experiment.fitted and (
            recorded["limits"] != list(experiment.limits(fit.model))
            or experiment.on_error == "stop"
        ):
            yield fit


def note_sizes(needs: RuleInputs) -> None:
    """Write down how large each file is that a run leaves; the next run forgets it at its start.

    The note has the date of the newest file, and says so: where the folder was copied with new
    dates, it has another one.
    """
    note, files = Path(needs.paths.sizes), _files(needs.paths.root)
    ended = max((now.st_mtime_ns for now in files.values()), default=0)
    sizes = {name: now.st_size for name, now in sorted(files.items())} | {note.name: ended}
    write_text(note, "".join(f"{size}\t{name}\n" for name, size in sizes.items()))
    os.utime(note, ns=(ended, ended))


def _damaged(needs: RuleInputs) -> set[str]:
    """List the files that changed after the last run, or are gone.

    After a run that was killed nobody knows what it left: files have to have their ends.
    """
    note, now, top = Path(needs.paths.sizes), _files(needs.paths.root), needs.paths.top
    if not note.is_file():
        return {top(n) for n in now if n.endswith((".parquet", ".json")) and not is_whole(top(n))}
    lines = note.read_text(encoding="utf-8", errors="replace").splitlines()
    before = {name: size for size, _, name in (line.partition("\t") for line in lines)}
    ended = note.stat().st_mtime_ns
    copied = before.pop(note.name, "") != str(ended)
    return {top(name) for name in before.keys() - now.keys()} | {
        top(name)
        for name, state in now.items()
        if before.get(name) != str(state.st_size) or (state.st_mtime_ns > ended and not copied)
    }


def _files(root: str) -> dict[str, os.stat_result]:
    """Return the states of a folder's files, but for logs and notes, by their paths in it."""
    files, folders = {}, [""]
    while folders:
        place = folders.pop()
        with suppress(FileNotFoundError), os.scandir(f"{root}/{place}") as entries:
            for entry in entries:
                if entry.name.startswith(".") or (not place and entry.name == "logs"):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{place}{entry.name}/")
                else:
                    files[f"{place}{entry.name}"] = entry.stat()
    return files
