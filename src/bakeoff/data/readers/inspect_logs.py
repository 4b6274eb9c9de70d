"""Logs of Inspect, `.eval` or JSON: an evaluation with the scores of every sample.

``{"version": 2, "status": …, "eval": {…}, "samples": [{"id": …, "epoch": …, "scores": {"<scorer>":
{"value": …}}}]}`` (inspect_ai/log/_log.py). Values "C", "P", "I" and "N" (correct, partly,
incorrect, no answer) are 1, ½, 0 and 0, as its `value_to_float` has them (scorer/_metric.py). An
`.eval` file is a ZIP archive of the same in parts: ``header.json`` (of a finished evaluation;
``_journal/start.json`` of any) and ``samples/<id>_epoch_<n>.json`` (log/_recorders/eval.py).
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from bakeoff.data.readers import LeftOut
from bakeoff.sources.common.identifiers import frame_of

WHAT = "a log of Inspect"
OF_EVALS = True
_HEADER = "header.json"
_PARTS = {_HEADER, "_journal/start.json"}
_ZSTANDARD, _LENGTHS_AT = 93, 26  # of the ZIP format: a method, and a place in a local header
_OF_SAMPLES = ("id", "epoch", "scores")
_SETUP = ("task_args", "model_args", "model_generate_config", "solver", "solver_args")
_WORDS = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}


def recognizes(head: str) -> bool:
    """Tell whether a file is an object with a status and an evaluation of a task."""
    start = head.lstrip()
    keys = (r'"status"\s*:', r'"eval"\s*:\s*\{', r'"task"\s*:')
    return start.startswith("{") and all(re.search(key, start) for key in keys)


def unpacks(archive: zipfile.ZipFile) -> bool:
    """Tell whether an archive holds the parts of a log."""
    return not _PARTS.isdisjoint(archive.namelist())


def read_archive(archive: zipfile.ZipFile) -> pd.DataFrame:
    """Return what `read` returns, of an `.eval` file."""
    names = archive.namelist()
    header = _parsed(_member(archive, _HEADER)) if _HEADER in names else {"status": "started"}
    samples = []
    for name in sorted(names):
        if re.fullmatch(r"samples/.+\.json", name):
            sample = _parsed(_member(archive, name))
            samples.append({key: sample[key] for key in _OF_SAMPLES if key in sample})
    return _table({**header, "samples": samples})


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack a member; Python before 3.14 cannot where it is compressed by Zstandard."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD or archive.filename is None:
        return archive.read(name)
    with Path(archive.filename).open("rb") as file:
        file.seek(info.header_offset + _LENGTHS_AT)
        of_name, of_extra = struct.unpack("<HH", file.read(4))
        file.seek(of_name + of_extra, os.SEEK_CUR)
        packed = file.read(info.compress_size)
    try:
        content = bytes(pa.decompress(packed, info.file_size, codec="zstd", asbytes=True))
    except (pa.ArrowException, OSError) as error:
        raise zipfile.BadZipFile(f"{name}: {error}") from None
    if zlib.crc32(content) != info.CRC:
        raise zipfile.BadZipFile(f"{name} is damaged")
    return content


def read(text: str) -> pd.DataFrame:
    """Return ids and scores; ``epoch`` where samples ran several times, ``score`` of one scorer."""
    return _table(_parsed(text))


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:  # no JSON, or no UTF-8
        raise ValueError(f"it is no JSON: {error}") from None


def _table(log: Any) -> pd.DataFrame:
    _check_finished(log if isinstance(log, dict) else {})
    samples = log.get("samples") if isinstance(log, dict) else None
    if not isinstance(samples, list) or not samples:
        raise ValueError("it has no samples; was it written with `--no-log-samples`?")
    rows = [
        {"id": sample["id"], "epoch": sample.get("epoch", 1), **_scores(sample)}
        for sample in samples
    ]
    table = frame_of(rows)
    scorers = [name for name in table.columns if name not in ("id", "epoch")]
    if not scorers:
        raise ValueError("no sample has a score")
    if len(scorers) == 1:
        table = table.rename(columns={scorers[0]: "score"})
    table = table if table["epoch"].nunique() > 1 else table.drop(columns="epoch")
    run = log.get("eval") or {}
    setup = {key: run[key] for key in _SETUP if run.get(key)}
    if isinstance(setup.get("model_generate_config"), dict):  # runs may have seeds of their own
        config = setup["model_generate_config"].items()
        setup["model_generate_config"] = {key: value for key, value in config if key != "seed"}
    table.attrs |= {"setup": json.dumps(setup, sort_keys=True)}
    known = {"model": "model", "task": "task", "key": "eval_id"}
    table.attrs |= {name: str(run[key]) for name, key in known.items() if key in run}
    return table


def _check_finished(log: dict[str, Any]) -> None:
    """Refuse a log without all of its samples: those that are missing are not missing by chance."""
    status, results = log.get("status"), log.get("results") or {}
    done, total = results.get("completed_samples"), results.get("total_samples")
    lacks = isinstance(done, int) and isinstance(total, int) and done < total
    if status == "success" and not lacks:
        return
    there = (
        f"{done:,} of {total:,} samples" if lacks else f"{len(log.get('samples') or ()):,} samples"
    )
    raise LeftOut(
        f"its status is {status!r}, with {there}: the evaluation did not finish; finish it with "
        "`inspect eval-retry`, for the samples that are missing may differ from the others"
    )


def _scores(sample: dict[str, Any]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = score["value"]
        parts = value if isinstance(value, dict) else {"": value}
        for key, part in parts.items():
            scores[f"{name}.{key}" if key else str(name)] = _number(part, sample["id"])
    return scores


def _number(value: Any, sample: object) -> float:
    try:
        if isinstance(value, str):
            return float(_WORDS[value] if value in _WORDS else _WORDS.get(value.lower(), value))
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample {sample!r} has the score {value!r}, expected a number, C or I"
        ) from None
