"""Logs of Inspect, `.eval` or JSON: an evaluation with the scores of every sample.

``{"version": 2, "status": …, "eval": {…}, "plan": {"steps": [{"solver": …, "params": {…}}],
"config": {"temperature": …}}, "samples": [{"id": …, "epoch": …, "input": …, "choices": …,
"target": …, "scores": {"<scorer>": {"value": …}}, "limit": {"type": "token", …}, "working_time":
…, "model_usage": {"<model>": {"input_tokens": …, "output_tokens": …, "total_tokens": …}}}]}``
(inspect_ai/log/_log.py); of a sample that ended by itself the limit is null. Values "C", "P", "I"
and "N" (correct, partly, incorrect, no answer) are 1, ½, 0 and 0, as its `value_to_float` has them
(scorer/_metric.py). An `.eval` file is a ZIP archive of the same in parts: ``header.json`` (of a
finished evaluation; ``_journal/start.json`` of any) and ``samples/<id>_epoch_<n>.json``
(log/_recorders/eval.py).
"""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from bakeoff.data.readers.common import (
    COST,
    ENDED,
    LATENCY,
    OF_MODEL,
    SAMPLE_ID,
    TOKENS,
    LeftOut,
    Signature,
    check_record,
    question_of,
    table_of_questions,
)
from bakeoff.files import files_at, is_folder, parse_json
from bakeoff.options import can_set, setting
from bakeoff.sources.common.identifiers import frame_of

WHAT = "a log of Inspect"
recognizes = Signature(
    "{",
    (
        r'"status"\s*:',
        r'"eval"\s*:\s*\{',
        r'"task"\s*:',
    ),
)
_HEADER = "header.json"
_START = "_journal/start.json"
_SAMPLE_FILE = re.compile(r"samples/.+\.json")
_ZSTANDARD = 93
"""A method of compression of the ZIP format."""
_LENGTHS_AT = 26
"""Where a local header of the ZIP format has the lengths of its name and of its extra field."""
_OF_MESSAGES = ("role", "content")  # without the ids that each log gives them anew
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")
_NO_SETTINGS = {
    "seed", "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout",
    "max_connections", "adaptive_connections", "cache", "batch",
}  # fmt: skip
_TOKENS = ("input_tokens", "output_tokens", TOKENS)
_NO_SCORERS = ("question", SAMPLE_ID, "epoch")
_LOG = {
    "status?": str,
    "eval?": dict,
    "plan?": dict,
    "results?": dict,
}
_SAMPLE = {
    "id": (str, int),
    "input": (str, list),
    "epoch?": int,
    "scores?": dict,
    "metadata?": dict,
    "choices?": list,
    "target?": (str, list),
    "limit?": dict,
    "working_time?": (int, float),
    "model_usage?": dict,
}
_MESSAGE = {"content?": (str, list)}
_SCORE = {"value": (str, int, float, bool, dict, list)}
_WORDS = {
    "C": 1,
    "P": 0.5,
    "I": 0,
    "N": 0,
    "yes": 1,
    "true": 1,
    "no": 0,
    "false": 0,
}


def unpacks(archive: zipfile.ZipFile) -> bool:
    """Tell whether an archive holds the parts of a log."""
    names = archive.namelist()
    return _HEADER in names or _START in names


# --- the two forms of a log


def read(text: str) -> pd.DataFrame:
    """Return ids and scores; ``epoch`` where samples ran several times, ``score`` of one scorer."""
    log = _parsed(text, "the log")
    samples = log.get("samples")
    if not isinstance(samples, list):
        samples = []
    # one after the other, as those of an archive, of which each is large
    placed = ((f"samples[{i}]", sample) for i, sample in enumerate(samples))
    return _table(log, placed, len(samples))


def read_archive(archive: zipfile.ZipFile) -> pd.DataFrame:
    """Return what `read` returns, of an `.eval` file."""
    names = sorted(archive.namelist())
    header: dict[str, Any] = {}
    if _HEADER in names:
        header = _parsed(_member(archive, _HEADER), _HEADER)
    if not header:  # it runs, or was interrupted
        start = {}
        if _START in names:
            start = _parsed(_member(archive, _START), _START)
        header = {**check_record(start, _START, _LOG), "status": "started"}
    samples = [name for name in names if _SAMPLE_FILE.fullmatch(name)]
    parsed = ((name, _parsed(_member(archive, name), name)) for name in samples)
    return _table(header, parsed, len(samples))


def _parsed(text: str | bytes, place: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"{place} is no JSON: {error}") from None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack a member; Python before 3.14 cannot where it is compressed by Zstandard."""
    info = archive.getinfo(name)
    if info.compress_type == _ZSTANDARD and archive.filename is not None:
        return _unpacked_by_zstandard(Path(archive.filename), info)
    try:
        return archive.read(name)
    except Exception as error:  # encrypted, damaged, of an unknown method
        raise ValueError(f"{name} cannot be unpacked: {error}") from None


def _unpacked_by_zstandard(path: Path, info: zipfile.ZipInfo) -> bytes:
    name = info.filename
    with path.open("rb") as file:
        file.seek(info.header_offset + _LENGTHS_AT)
        of_name, of_extra = struct.unpack("<HH", file.read(4))
        file.seek(of_name + of_extra, os.SEEK_CUR)
        packed = file.read(info.compress_size)
    try:
        content = bytes(pa.decompress(packed, info.file_size, codec="zstd", asbytes=True))
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{name} cannot be unpacked: {error}") from None
    if zlib.crc32(content) != info.CRC:
        raise ValueError(f"{name} cannot be unpacked: it is damaged")
    return content


# --- the samples of a log


def _table(log: Any, samples: Iterable[tuple[str, Any]], n_samples: int) -> pd.DataFrame:
    """Return the table of a log, or say why it has not all of its samples."""
    check_record(log, "the log", _LOG)
    unfinished = _unfinished(log, n_samples)
    if unfinished:
        rows = None
        if n_samples:
            rows = partial(_rows, log, samples)
        raise LeftOut(unfinished, rows, _lacking(log, n_samples))
    if not n_samples:
        raise LeftOut("it has no samples; was it written with `--no-log-samples`?")
    return _rows(log, samples)


def _rows(log: Any, samples: Iterable[tuple[str, Any]]) -> pd.DataFrame:
    """Return a row for each sample, with its scores."""
    run = log.get("eval") or {}
    rows = []
    names: dict[str, None] = {}
    metadata = []
    limits: Counter[str] = Counter()
    for place, sample in samples:
        check_record(sample, place, _SAMPLE)
        row = {
            "question": _question(sample, place),
            SAMPLE_ID: sample["id"],
            "epoch": sample.get("epoch") or 1,
        }
        scores = _scores(sample, place)
        names |= dict.fromkeys(scores)
        rows.append(row | _usage(sample, str(run.get("model"))) | scores)
        metadata.append(sample.get("metadata") or {})
        if sample.get("limit"):
            limits[str(sample["limit"].get("type"))] += 1
    frame = frame_of(rows)
    scorers = [name for name in names if name not in _NO_SCORERS]
    if not scorers:
        raise LeftOut("no sample has a score")
    # epochs are runs of the same samples
    if frame["epoch"].nunique() == 1:
        frame = frame.drop(columns="epoch")
    settings = _settings(run, log.get("plan") or {})
    table = table_of_questions(frame, scorers, metadata, settings)
    for name, key in (("model", "model"), ("task", "task"), ("key", "eval_id")):
        if key in run:
            table.attrs[name] = str(run[key])
    if limits:
        table.attrs[ENDED] = dict(limits)
    return table


def _question(sample: dict[str, Any], place: str) -> str:
    """Return what stands for input, choices in any order, and target; letters are choices."""
    asked = sample["input"]
    text = asked
    if not isinstance(asked, str):
        asked = []
        text = ""
        for i, message in enumerate(sample["input"]):
            check_record(message, f"{place}.input[{i}]", _MESSAGE)
            asked.append({key: message.get(key) for key in _OF_MESSAGES})
            text = str(message.get("content"))
    choices = sample.get("choices") or []
    by_letter: dict[str, Any] = dict(zip(ascii_uppercase, choices, strict=False))
    # a letter says which choice is right, and the choices may be in another order
    targets = sample.get("target")
    if not isinstance(targets, list):
        targets = [targets]
    right = []
    for target in targets:
        if isinstance(target, str):
            target = by_letter.get(target, target)
        right.append(target)
    return question_of(
        text,
        asked,
        sorted(choices, key=str),
        sorted(right, key=str),
    )


def _scores(sample: dict[str, Any], place: str) -> dict[str, float]:
    """Return the scores of a sample by scorer, or by scorer and part."""
    scores: dict[str, float] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = check_record(score, f"{place}.scores.{name}", _SCORE)["value"]
        if not isinstance(value, dict):
            scores[str(name)] = _number(value, sample["id"])
            continue
        for key, part in value.items():
            scorer = str(name)
            if key:
                scorer = f"{name}.{key}"
            scores[scorer] = _number(part, sample["id"])
    return scores


def _usage(sample: Mapping[str, Any], model: str) -> dict[str, float]:
    """Return the time that a sample took, and the tokens and costs of its model, if known."""
    usage = {}
    if sample.get("working_time") is not None:
        usage[LATENCY] = float(sample["working_time"])
    # a judge has an entry of its own
    of_model = (sample.get("model_usage") or {}).get(model) or {}
    for column in _TOKENS:
        if of_model.get(column) is not None:
            usage[column] = float(of_model[column])
    if of_model.get("total_cost") is not None:
        usage[COST] = float(of_model["total_cost"])
    return usage


def _number(value: Any, sample: object) -> float:
    """Return a score as a number; words are those of Inspect's `value_to_float`."""
    number = value
    if isinstance(value, str):
        number = _WORDS.get(value, _WORDS.get(value.lower(), value))
    try:
        return float(number)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample {sample!r} has the score {value!r}, expected a number, C or I"
        ) from None


# --- what a log says of the evaluation


def _settings(run: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """Return what a model was asked with, by the names that Inspect has for it."""
    settings = {}
    for name, value in (run.get("model_args") or {}).items():
        settings[f"{OF_MODEL}{name}"] = value
    settings |= run.get("task_args") or {}
    settings |= _settings_of_generation(run.get("model_generate_config") or {})
    settings |= _settings_of_generation(plan.get("config") or {})
    limits = run.get("config") or {}
    for key in _LIMITS:
        if limits.get(key) is not None:
            settings[key] = limits[key]
    settings |= run.get("model_roles") or {}
    _add_steps(settings, plan.get("steps") or [], run.get("scorers") or [])
    return settings


def _add_steps(settings: dict[str, Any], steps: list[Any], scorers: list[Any]) -> None:
    """Add which solvers worked one after the other, and the options of these and of scorers."""
    settings["solver"] = " + ".join([str(step.get("solver")) for step in steps])
    for number, step in enumerate(steps + scorers, 1):
        name = step.get("solver") or step.get("name")
        options = step.get("params") or step.get("options") or {}
        for key, value in options.items():
            option = f"{name}.{key}"
            if option in settings:  # the same solver is there twice
                option = f"{option} {number}"
            settings[option] = value


def _settings_of_generation(config: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that may change what a model answers."""
    settings = {}
    for key, value in config.items():
        if value is not None and key not in _NO_SETTINGS:
            settings[key] = value
    return settings


def _unfinished(log: dict[str, Any], n_samples: int) -> str:
    """Say of a log without all of its samples that those that are missing are so for a reason."""
    status = log.get("status")
    results = log.get("results") or {}
    done = results.get("completed_samples")
    total = results.get("total_samples")
    lacks = isinstance(done, int) and isinstance(total, int) and done < total
    if status == "success" and not lacks:
        return ""
    amount = f"{n_samples:,} samples"
    if lacks:
        amount = f"{done:,} of {total:,} samples"
    what = f"its status is {status!r}, with {amount}: the evaluation did not finish"
    look = ""
    if status == "success":
        what = f"only {amount} were completed: the others ended with an error (`fail_on_error`)"
    elif status == "started":
        what = (
            f"its status is {status!r}, with {amount}: the evaluation still runs or did not finish"
        )
        if can_set("of"):
            look = f"; {setting('of')} looks at it while it runs, at levels that allow for it"
    return (
        f"{what}; finish it with `inspect eval-retry`, for the samples that are missing may differ "
        f"from the others{look}"
    )


def _lacking(log: dict[str, Any], n_samples: int) -> float | None:
    """Return the share of the samples that are not there, as far as the log knows their number."""
    total = (log.get("results") or {}).get("total_samples")
    if not total:
        run = log.get("eval") or {}
        sample_ids = (run.get("dataset") or {}).get("sample_ids") or ()
        epochs = (run.get("config") or {}).get("epochs") or 1
        total = len(sample_ids) * epochs
    if not total:
        return None
    return max(0.0, 1 - n_samples / total)


# --- suites of samples


class Suite(NamedTuple):
    """The samples of an evaluation, done or not."""

    total: int
    order: tuple[str, ...]
    """The ids of the samples in the order of the suite, where the log has them."""
    running: bool


def suite_of(path: str) -> Iterator[Suite]:
    """Yield what logs at a path say of the suite that they are of, runs of one sample once."""
    files = [path]
    if is_folder(path):
        files = files_at(path, (".eval", ".json"))
    for file in files:
        log = _header_of(file)
        dataset = _mapping(_mapping(log.get("eval")).get("dataset"))
        ids = dataset.get("sample_ids")
        if isinstance(ids, list) and ids:
            yield Suite(len(ids), tuple(map(str, ids)), log.get("status") == "started")


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a value of JSON that is an object, else one without keys."""
    if isinstance(value, Mapping):
        return value
    return {}


def _header_of(path: str) -> dict[str, Any]:
    """Return a log without its samples; nothing of what is no log."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                if _HEADER in archive.namelist():
                    log = parse_json(archive.read(_HEADER))
                else:
                    log = {**parse_json(archive.read(_START)), "status": "started"}
        else:
            log = parse_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, NotImplementedError):
        return {}
    if isinstance(log, dict):
        return log
    return {}
