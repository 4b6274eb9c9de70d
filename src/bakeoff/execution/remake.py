"""Files that Snakemake takes for finished and that have to be made again, as for `--forcerun`.

Snakemake goes by dates, params and its records of jobs. It cannot know that a file was damaged,
that a batch of fits lost one, or that a failed fit may be tried again. A batch's output is a record
of its files and not these: Snakemake removes the outputs of a job that fails or is done again, and
a batch keeps the fits whose stamp (`bakeoff.fit.predictions`) is right.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import is_file, is_whole, read_json, write_json, write_text
from bakeoff.fit.fit_task import importance_of, kept_of
from bakeoff.spec import Fit

_ENDINGS_OF_FITS = re.compile(r"(\.timing\.json|\.importance\.json|\.joblib|\.parquet)$")
_WITH_ENDS = (".parquet", ".json")
"""Files of which is seen whether they are whole."""


def to_remake(needs: RuleInputs) -> set[str]:
    """List the files."""
    files = set(_to_retry(needs))
    files.update(_lacking(needs))
    for path in _damaged(needs):
        if _is_needed(needs, path):
            files.add(path)
    files |= set(_with_their_fits(needs, files))
    records: list[str] = []
    for dataset in needs.experiment.datasets:
        records += needs.batches(dataset)
    if records:
        files.update(_records_that_do_not_hold(records))
    elif Path(needs.paths.top("batches")).is_dir():
        # batches of an earlier run wrote what Snakemake has no records of
        files.update(_outdated(needs))
    return files


# --- batches of fits


def note_batch(record: str, files: Sequence[str]) -> None:
    """Write down the files of a batch that is done, when each was written and how large."""
    write_text(record, "".join(map(_line_of_record, files)))


def _line_of_record(file: str) -> str:
    state = os.stat(file)  # noqa: PTH116 - a Path takes twice the time of the call
    return f"{state.st_mtime_ns}\t{state.st_size}\t{file}\n"


def _records_that_do_not_hold(records: Sequence[str]) -> Iterator[str]:
    """List the records of batches some of whose files changed or are gone."""
    for record in records:
        if Path(record).is_file() and not _holds(record):
            yield record


def _holds(record: str) -> bool:
    """Tell whether the files of a batch are as its record says."""
    text = Path(record).read_text(encoding="utf-8", errors="replace")
    try:
        for line in text.splitlines(keepends=True):
            file = line.rpartition("\t")[2].rstrip("\n")
            if line != _line_of_record(file):
                return False
    except (ValueError, FileNotFoundError):
        return False
    return True


def _outdated(needs: RuleInputs) -> Iterator[str]:
    """List the predictions that something else made than what makes them today."""
    from bakeoff.fit.predictions import is_made  # otherwise it has no use for pyarrow

    for fit in needs.experiment.fits():
        path = needs.prediction(fit)
        fingerprint = needs.made_by[fit.dataset][fit.model]
        if Path(path).is_file() and not is_made(path, {"fingerprint": fingerprint}):
            yield path


def _with_their_fits(needs: RuleInputs, files: set[str]) -> Iterator[str]:
    """List the predictions and batches by which files of fits are made again."""
    folder = needs.paths.top("predictions/")
    for path in files:
        if path.startswith(folder):
            dataset, model, name = Path(path).parts[-3:]
            # what lies beside predictions is made with them
            split = _ENDINGS_OF_FITS.sub("", name)
            yield needs.paths.batch(dataset, model)
            yield needs.paths.prediction(dataset, model, split)


# --- single fits


def _to_retry(needs: RuleInputs) -> Iterator[str]:
    """List the fits that failed under other limits than today's, or must not fail today."""
    experiment = needs.experiment
    for record in sorted(Path(needs.paths.top("failed")).rglob("*.json")):
        if not is_whole(record):
            continue
        failure = read_json(record)
        fit = Fit(*failure["fit"])
        if fit.model not in experiment.fitted:
            continue
        other_limits = failure["limits"] != list(experiment.limits(fit.model))
        if other_limits or experiment.on_error == "stop":
            yield needs.prediction(fit)


def _lacking(needs: RuleInputs) -> Iterator[str]:
    """List the fits that did not leave all that they now have to leave beside predictions."""
    experiment = needs.experiment
    for model in experiment.fitted:
        keeps = experiment.keeps(model)
        metrics = experiment.importance(model)
        if not keeps and metrics is None:
            continue
        for fit in experiment.fits(model=model):
            path = needs.prediction(fit)
            failure = needs.paths.failure(fit.dataset, fit.model, fit.split)
            if not is_file(path) or Path(failure).is_file():
                continue
            if keeps and not kept_of(path).is_file():
                yield path
            if metrics is not None and not _is_measured_by(metrics[0], importance_of(path)):
                yield path


def _is_measured_by(metric: str, importance: Path) -> bool:
    if not importance.is_file() or not is_whole(importance):
        return False
    measured_by: str = read_json(importance)["metric"]
    return measured_by == metric


# --- damaged files


def note_sizes(needs: RuleInputs) -> None:
    """Write down how large each file is that a run leaves; the next run forgets it at its start."""
    ended = 0
    sizes = {}
    for path, state in sorted(_files(needs.paths.root).items()):
        ended = max(ended, state.st_mtime_ns)
        sizes[path] = state.st_size
    # the note has the date of the newest file, and says so: where the folder was copied with new
    # dates, it has another one
    note = needs.paths.sizes()
    write_json(note, {"ended": ended, "sizes": sizes})
    os.utime(note, ns=(ended, ended))


def _damaged(needs: RuleInputs) -> Iterator[str]:
    """List the files that changed after the last run, or are gone."""
    note = Path(needs.paths.sizes())
    states = _files(needs.paths.root)
    if not note.is_file():
        # nobody knows what a killed run left: files have to have their ends
        for path in states:
            if path.endswith(_WITH_ENDS) and not is_whole(path):
                yield path
        return
    noted = read_json(note)
    ended = noted["ended"]
    if note.stat().st_mtime_ns != ended:  # a copy, whose dates tell nothing
        ended = math.inf
    for path, size in noted["sizes"].items():
        state = states.get(path)
        if state is None or state.st_size != size or state.st_mtime_ns > ended:
            yield path


def _is_needed(needs: RuleInputs, path: str) -> bool:
    """Tell whether a file has to be there: a fit may have left what it need not leave any more."""
    experiment = needs.experiment
    model = Path(path).parent.name
    if path.endswith(".joblib"):
        return model in experiment.fitted and experiment.keeps(model)
    if path.endswith(".importance.json"):
        return model in experiment.fitted and experiment.fitted[model].importance
    return True


def _files(root: str) -> dict[str, os.stat_result]:
    """Return the states of a folder's files, but for logs and notes, by their paths."""
    logs = Path(root, "logs")
    states = {}
    for path in Path(root).rglob("[!.]*"):
        if path.is_file() and logs not in path.parents:
            states[path.as_posix()] = path.stat()
    return states
