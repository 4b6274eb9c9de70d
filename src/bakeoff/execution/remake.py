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

_BESIDE = re.compile(r"(\.timing\.json|\.importance\.json|\.joblib|\.parquet)$")


def to_remake(needs: RuleInputs) -> set[str]:
    """List the files."""
    paths, experiment = needs.paths, needs.experiment
    damaged = (path for path in _damaged(needs) if _is_needed(needs, path))
    files = {*_to_retry(needs), *_lacking(needs), *damaged}
    for path in [path for path in files if path.startswith(paths.top("predictions/"))]:
        *_, dataset, model, name = Path(path).parts
        # what lies beside predictions is made with them
        files.add(paths.batch(dataset, model))
        files.add(paths.prediction(dataset, model, _BESIDE.sub("", name)))
    records = [record for name in experiment.datasets for record in needs.batches(name)]
    if records:
        files |= {record for record in records if Path(record).is_file() and not _holds(record)}
    elif Path(paths.top("batches")).is_dir():  # they wrote what Snakemake has no records of
        from bakeoff.fit.predictions import is_made  # otherwise it has no use for pyarrow

        for fit in experiment.fits():
            path, digest = needs.prediction(fit), needs.made_by[fit.dataset][fit.model]
            if Path(path).is_file() and not is_made(path, {"fingerprint": digest}):
                files.add(path)
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


def _to_retry(needs: RuleInputs) -> Iterator[str]:
    """List the fits that failed under other limits than today's, or must not fail today."""
    experiment = needs.experiment
    for record in filter(is_whole, sorted(Path(needs.paths.top("failed")).rglob("*.json"))):
        failure = read_json(record)
        fit = Fit(*failure["fit"])
        if fit.model in experiment.fitted and (
            failure["limits"] != list(experiment.limits(fit.model)) or experiment.on_error == "stop"
        ):
            yield needs.prediction(fit)


def _lacking(needs: RuleInputs) -> Iterator[str]:
    """List the fits that did not leave all that they now have to leave beside predictions."""
    experiment = needs.experiment
    leaving = {
        model: (experiment.keeps(model), experiment.importance(model))
        for model in experiment.fitted
    }
    for fit in experiment.fits():
        keeps, measured = leaving[fit.model]
        path = needs.prediction(fit)
        failure = Path(needs.paths.failure(fit.dataset, fit.model, fit.split))
        if not (keeps or measured) or not is_file(path) or failure.is_file():
            continue
        if keeps and not kept_of(path).is_file():
            yield path
        if measured and not _is_measured_by(measured[0], importance_of(path)):
            yield path


def _is_measured_by(metric: str, importance: Path) -> bool:
    return (
        importance.is_file() and is_whole(importance) and metric == read_json(importance)["metric"]
    )


def _is_needed(needs: RuleInputs, path: str) -> bool:
    """Tell whether a file has to be there: a fit may have left what it need not leave any more."""
    experiment, model = needs.experiment, Path(path).parent.name
    if path.endswith(".joblib"):
        return model in experiment.fitted and experiment.keeps(model)
    if path.endswith(".importance.json"):
        return model in experiment.fitted and experiment.fitted[model].importance
    return True


def note_sizes(needs: RuleInputs) -> None:
    """Write down how large each file is that a run leaves; the next run forgets it at its start."""
    # the note has the date of the newest file, and says so: where the folder was copied with new
    # dates, it has another one
    note, files = needs.paths.sizes(), _files(needs.paths.root)
    ended = max((now.st_mtime_ns for now in files.values()), default=0)
    sizes = {path: now.st_size for path, now in sorted(files.items())}
    write_json(note, {"ended": ended, "sizes": sizes})
    os.utime(note, ns=(ended, ended))


def _damaged(needs: RuleInputs) -> set[str]:
    """List the files that changed after the last run, or are gone."""
    note, now = Path(needs.paths.sizes()), _files(needs.paths.root)
    if not note.is_file():  # nobody knows what a killed run left: files have to have their ends
        return {path for path in now if path.endswith((".parquet", ".json")) and not is_whole(path)}
    before = read_json(note)
    written = math.inf if note.stat().st_mtime_ns != before["ended"] else before["ended"]
    return {
        path
        for path, size in before["sizes"].items()
        if path not in now or now[path].st_size != size or now[path].st_mtime_ns > written
    }


def _files(root: str) -> dict[str, os.stat_result]:
    """Return the states of a folder's files, but for logs and notes, by their paths."""
    files = (path for path in Path(root).rglob("[!.]*") if path.is_file())
    logs = Path(root, "logs")
    return {path.as_posix(): path.stat() for path in files if logs not in path.parents}
