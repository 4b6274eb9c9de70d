"""Logs of Inspect, `.eval` or JSON: an evaluation with the scores of every sample.

``{"version": 2, "status": …, "eval": {…}, "plan": {"steps": [{"solver": …, "params": {…}}],
"config": {"temperature": …}}, "samples": [{"id": …, "epoch": …, "input": …, "choices": …,
"target": …, "scores": {"<scorer>": {"value": …}}, "limit": {"type": "token", …}}]}``
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
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa

from bakeoff.data.readers import (
    ENDED,
    OF_MODEL,
    SAMPLE_ID,
    LeftOut,
    check_record,
    question_of,
    table_of_questions,
)
from bakeoff.files import files_at, is_folder, parse_json
from bakeoff.options import can_set, setting
from bakeoff.sources.common.identifiers import frame_of

WHAT = "a log of Inspect"
_HEADER, _START = "header.json", "_journal/start.json"
_PARTS = {_HEADER, _START}
_ZSTANDARD, _LENGTHS_AT = 93, 26  # of the ZIP format: a method, and a place in a local header
_OF_MESSAGES = ("role", "content")  # without the ids that each log gives them anew
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")
_NO_SETTINGS = {"seed", "max_retries", "timeout", "attempt_timeout", "stream_idle_timeout"} | {
    "max_connections", "adaptive_connections", "cache", "batch"
}  # fmt: skip
_LOG = {"status?": str, "eval?": dict, "plan?": dict, "results?": dict}
_SAMPLE = {"id": (str, int), "input": (str, list), "epoch?": int, "scores?": dict}
_SAMPLE |= {"metadata?": dict, "choices?": list, "target?": (str, list), "limit?": dict}
_SCORE = {"value": (str, int, float, bool, dict, list)}
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
    header = _parsed(_member(archive, _HEADER), _HEADER) if _HEADER in names else {}
    if not header:  # it runs, or was interrupted
        begun = _parsed(_member(archive, _START), _START) if _START in names else {}
        header = {**check_record(begun, _START, _LOG), "status": "started"}
    samples = [name for name in sorted(names) if re.fullmatch(r"samples/.+\.json", name)]
    parsed = ((name, _parsed(_member(archive, name), name)) for name in samples)
    return _table(header, parsed, len(samples))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack a member; Python before 3.14 cannot where it is compressed by Zstandard."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTANDARD or archive.filename is None:
        try:
            return archive.read(name)
        except Exception as error:  # encrypted, damaged, of an unknown method
            raise ValueError(f"{name} cannot be unpacked: {error}") from None
    with Path(archive.filename).open("rb") as file:
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


def read(text: str) -> pd.DataFrame:
    """Return ids and scores; ``epoch`` where samples ran several times, ``score`` of one scorer."""
    log = _parsed(text, "the log")
    samples = log.get("samples")
    samples = samples if isinstance(samples, list) else []
    placed = ((f"samples[{i}]", sample) for i, sample in enumerate(samples))
    return _table(log, placed, len(samples))


def _parsed(text: str | bytes, place: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise ValueError(f"{place} is no JSON: {error}") from None


def _table(log: Any, samples: Iterable[tuple[str, Any]], count: int) -> pd.DataFrame:
    check_record(log, "the log", _LOG)
    if unfinished := _unfinished(log, count):
        rows = (lambda: _rows(log, samples)) if count else None
        raise LeftOut(unfinished, rows, _lacking(log, count))
    if not count:
        raise LeftOut("it has no samples; was it written with `--no-log-samples`?")
    return _rows(log, samples)


def _rows(log: Any, samples: Iterable[tuple[str, Any]]) -> pd.DataFrame:
    kept, rows = list(samples), []
    for place, sample in kept:
        check_record(sample, place, _SAMPLE)
        ids = {"question": _question(sample, place), SAMPLE_ID: sample["id"]}
        rows.append({**ids, "epoch": sample.get("epoch") or 1, **_scores(sample, place)})
    frame, run = frame_of(rows), log.get("eval") or {}
    scorers = [str(name) for name in frame if name not in ("question", SAMPLE_ID, "epoch")]
    if not scorers:
        raise LeftOut("no sample has a score")
    frame = frame if frame["epoch"].nunique() > 1 else frame.drop(columns="epoch")
    metadata = [sample.get("metadata") or {} for _, sample in kept]
    table = table_of_questions(frame, scorers, metadata, _settings(run, log.get("plan") or {}))
    facts = {"model": "model", "task": "task", "key": "eval_id"}
    table.attrs |= {name: str(run[key]) for name, key in facts.items() if key in run}
    limits = [sample["limit"].get("type") for _, sample in kept if sample.get("limit")]
    if limits:
        table.attrs[ENDED] = {str(limit): limits.count(limit) for limit in limits}
    return table


def _question(sample: dict[str, Any], place: str) -> str:
    """Return what stands for input, choices in any order, and target; letters are choices."""
    given, choices, target = sample["input"], sample.get("choices") or [], sample.get("target")
    text = given
    if not isinstance(given, str):
        for i, message in enumerate(given):
            check_record(message, f"{place}.input[{i}]", {"content?": (str, list)})
        given = [{key: message.get(key) for key in _OF_MESSAGES} for message in given]
        text = str(given[-1]["content"]) if given else ""
    letters: dict[Any, str] = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", choices, strict=False))
    targets = target if isinstance(target, list) else [target]
    targets = [letters.get(one, one) if isinstance(one, str) else one for one in targets]
    return question_of(text, given, sorted(choices, key=str), sorted(targets, key=str))


def _settings(run: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    """Return what a model was asked with, by the names that Inspect has for it."""
    of_model = run.get("model_args") or {}
    settings = {f"{OF_MODEL}{name}": value for name, value in of_model.items()}
    settings |= run.get("task_args") or {}
    for config in (run.get("model_generate_config"), plan.get("config")):
        settings |= {
            k: v for k, v in (config or {}).items() if v is not None and k not in _NO_SETTINGS
        }
    limits = run.get("config") or {}
    settings |= {key: limits[key] for key in _LIMITS if limits.get(key) is not None}
    settings |= run.get("model_roles") or {}
    steps = plan.get("steps") or []
    settings["solver"] = " + ".join(str(step.get("solver")) for step in steps)
    for number, step in enumerate((*steps, *(run.get("scorers") or []))):
        name = step.get("solver") or step.get("name")
        options = step.get("params") or step.get("options") or {}
        for key in options:
            said = f"{name}.{key}"
            settings[f"{said} {number + 1}" if said in settings else said] = options[key]
    return settings


def _unfinished(log: dict[str, Any], samples: int) -> str:
    """Say of a log without all of its samples that those that are missing are so for a reason."""
    status, results = log.get("status"), log.get("results") or {}
    done, total = results.get("completed_samples"), results.get("total_samples")
    lacks = isinstance(done, int) and isinstance(total, int) and done < total
    if status == "success" and not lacks:
        return ""
    amount = f"{done:,} of {total:,} samples" if lacks else f"{samples:,} samples"
    running = "still runs or " if status == "started" else ""
    what = f"its status is {status!r}, with {amount}: the evaluation {running}did not finish"
    if status == "success":
        what = f"only {amount} were completed: the others ended with an error (`fail_on_error`)"
    look = ""
    if status == "started" and can_set("of"):
        look = f"; {setting('of')} looks at it while it runs, at levels that allow for it"
    return (
        f"{what}; finish it with `inspect eval-retry`, for the samples that are missing may differ "
        f"from the others{look}"
    )


def _lacking(log: dict[str, Any], samples: int) -> float | None:
    """Return the share of the samples that are not there, as far as the log knows their number."""
    run = log.get("eval") or {}
    data, config = run.get("dataset") or {}, run.get("config") or {}
    total = (log.get("results") or {}).get("total_samples")
    if not total:
        total = len(data.get("sample_ids") or ()) * (config.get("epochs") or 1)
    return max(0.0, 1 - samples / total) if total else None


def _scores(sample: dict[str, Any], place: str) -> dict[str, float]:
    scores: dict[str, float] = {}
    for name, score in (sample.get("scores") or {}).items():
        value = check_record(score, f"{place}.scores.{name}", _SCORE)["value"]
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


class Suite(NamedTuple):
    """The samples of an evaluation, done or not."""

    total: int
    order: tuple[str, ...]
    """The ids of the samples in the order of the suite, where the log has them."""
    running: bool


def suite_of(path: str) -> Iterator[Suite]:
    """Yield what logs at a path say of the suite that they are of, runs of one sample once."""
    places = files_at(path, (".eval", ".json")) if is_folder(path) else [path]
    for place in places:
        log = _header_of(place)
        dataset = _mapping(_mapping(log.get("eval")).get("dataset"))
        ids = dataset.get("sample_ids")
        samples = [str(sample) for sample in ids] if isinstance(ids, list) else []
        if samples:
            yield Suite(len(samples), tuple(samples), log.get("status") == "started")


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a value of JSON that is an object, else one without keys."""
    return value if isinstance(value, Mapping) else {}


def _header_of(path: str) -> dict[str, Any]:
    """Return a log without its samples; nothing of what is no log."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = _HEADER if _HEADER in archive.namelist() else _START
                log = parse_json(archive.read(name))
                if name == _START:
                    log = {**log, "status": "started"}
        else:
            log = parse_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, NotImplementedError):
        return {}
    return log if isinstance(log, dict) else {}
