"""Sample logs of lm-evaluation-harness (``--log_samples``): JSON lines, one for each document.

Each line has ``doc_id``, ``doc``, ``target``, ``arguments``, ``resps``, ``filtered_resps``,
digests, ``filter`` and ``metrics`` (newer versions), and the value of every metric under its name
(lm_eval/evaluator.py). A document has a line for each filter; versions before ``filter`` wrote the
documents filter by filter, which are numbered here in this order. They lie in
``<output_path>/<model>/samples_<task>_<time>.jsonl``, beside ``results_<time>.json`` with the mean
scores, the examples of each task (``"n-shot": {"<task>": 5}``) and ``system_instruction``
(loggers/evaluation_tracker.py).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers.choices import without_order
from bakeoff.data.readers.common import (
    PROMPTS,
    SAMPLE_ID,
    LeftOut,
    Signature,
    check_record,
    json_lines,
    question_of,
    table_of_questions,
)
from bakeoff.files import digest, parse_json

WHAT = "samples of lm-evaluation-harness"
recognizes = Signature(
    "{",
    (
        '"doc_id"',
        '"target"',
        '"filtered_resps"',
    ),
    in_first_line=True,
)
_RECORD = {"doc_id": (int, str), "filter?": str}
_QUESTIONS = ("question", "query", "problem", "prompt", "input", "instruction", "text", "page")
"""What the field of a document that asks is called, the likeliest first."""
_NO_METRIC = {"doc_id", "resps", "filtered_resps", "target", "doc", "arguments", "filter"}
_FILE = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[-\d.]+)?")
"""The name of a file of samples: its task and its time."""


def named(path: Path) -> dict[str, str]:
    """Return the model and the task that the place of a file of samples says."""
    task, _ = _task_and_time(path)
    return {"model": path.parent.name, "task": task}


def beside(path: Path) -> dict[str, Any]:
    """Return what the file of results of the same time says of how the task was asked."""
    task, time = _task_and_time(path)
    try:
        results = parse_json(path.with_name(f"results{time}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # there is none: the samples are enough
        return {}
    if not isinstance(results, dict):
        return {}
    settings = {"system_instruction": results.get("system_instruction")}
    examples = results.get("n-shot")
    if isinstance(examples, dict) and task in examples:
        settings["num_fewshot"] = examples[task]
    return settings


def _task_and_time(path: Path) -> tuple[str, str]:
    """Return the parts of the name of a file of samples."""
    match = _FILE.fullmatch(path.stem)
    if match is None:
        return path.stem, ""
    return match[1], match[2] or ""


@dataclasses.dataclass(frozen=True)
class _Document:
    """What the lines of one document say of it."""

    question: str
    scores: dict[str, float] = dataclasses.field(default_factory=dict)
    """Values by metric and filter, like ``acc,none``."""
    unnamed: list[str] = dataclasses.field(default_factory=list)
    """Digests of the lines that name no filter."""


def read(text: str) -> pd.DataFrame:
    """Return ids and metrics; ``score`` where there is one metric by one filter."""
    documents: dict[Any, _Document] = {}
    prompts: dict[Any, str] = {}
    metadata: dict[Any, dict[str, Any]] = {}
    filters: set[str] = set()
    settings: dict[str, Any] = {}
    for place, row in json_lines(text):
        check_record(row, place, _RECORD)
        question = _question(row, place)
        document = documents.setdefault(row["doc_id"], _Document(question))
        if document.question != question:
            raise ValueError(f"{place}: document {row['doc_id']} is another one before it")
        filter_name = _filter_of(row, document)
        filters.add(filter_name)
        for metric, value in _metrics(row).items():
            key = f"{metric},{filter_name}"
            if key in document.scores:
                raise ValueError(f"{place}: document {row['doc_id']} has {key} twice")
            document.scores[key] = value
        prompts[row["doc_id"]] = digest([question, _prompt(row)])
        metadata[row["doc_id"]] = {}
        if isinstance(row.get("doc"), dict):
            metadata[row["doc_id"]] = row["doc"]
        settings |= _settings(row.get("arguments"))
    # versions that do not name filters are told from documents that are there twice
    _check_unnamed(documents)
    table = _scores_of(documents, one_filter=len(filters) == 1)
    scores = list(table.columns.drop(["question", SAMPLE_ID]))
    if not scores:
        raise LeftOut("no sample has a metric that is a number")
    settings = {PROMPTS: digest(sorted(set(prompts.values()))), **settings}
    table = table_of_questions(
        table,
        scores,
        list(metadata.values()),
        settings,
    )
    table.attrs[PROMPTS] = dict(zip(table["id"], prompts.values(), strict=True))
    return table


def _filter_of(row: Mapping[str, Any], document: _Document) -> str:
    """Return the filter of a line, or its number among the lines of its document."""
    name = row.get("filter")
    if name is not None:
        return str(name)
    document.unnamed.append(digest([row.get("filtered_resps"), _metrics(row)]))
    return f"filter-{len(document.unnamed)}"


def _scores_of(documents: Mapping[Any, _Document], *, one_filter: bool) -> pd.DataFrame:
    """Return a row for each document, in the order of their first lines."""
    rows = {}
    for doc_id, document in documents.items():
        rows[doc_id] = {"question": document.question, **document.scores}
    table = pd.DataFrame.from_dict(rows, orient="index")
    if one_filter:
        # the name of the only filter says nothing
        table.columns = [name.partition(",")[0] for name in table.columns]
    return table.rename_axis(SAMPLE_ID).reset_index()


def _check_unnamed(documents: Mapping[Any, _Document]) -> None:
    """Refuse documents that are there several times by no filters: not all, or always the same."""
    first: Any = None
    n_first = 1
    counts = set()
    are_same = True
    for doc_id, document in documents.items():
        n_lines = len(document.unnamed)
        if not n_lines:
            continue
        counts.add(n_lines)
        are_same &= len(set(document.unnamed)) == 1
        if n_lines > 1 and n_first == 1:
            first = doc_id
            n_first = n_lines
    if n_first == 1:
        return
    if len(counts) > 1:
        reason = "other documents are not"
    elif are_same:
        reason = "all lines of a document are the same"
    else:
        return
    raise ValueError(f"document {first!r} is there {n_first} times, which are no filters: {reason}")


def _question(row: dict[str, Any], place: str) -> str:
    """Return what stands for a document, which holds what is asked and what is right."""
    document = row.get("doc") or row.get("doc_hash")
    if not document:
        raise ValueError(f"{place}: expected a sample with doc or doc_hash")
    if isinstance(document, str):
        return question_of(document, document)
    if not isinstance(document, dict):
        return question_of("", document)
    texts = {}
    for key in sorted(document):
        if isinstance(document[key], str):
            texts[key.casefold()] = document[key]
    asked = next(iter(texts.values()), "")
    # the field that is the likeliest to ask, the last one that is set here
    for key in reversed(_QUESTIONS):
        asked = texts.get(key, asked)
    return question_of(asked, without_order(document))


def _prompt(row: dict[str, Any]) -> str:
    """Return a digest of what is asked first, in which choices may be in any order."""
    requests = _parts(row.get("arguments"))
    parts: Sequence[Any] = []
    if requests:
        parts = _parts(requests[0])
    # beside the prompt stand settings, such as a temperature
    text = next((part for part in parts if isinstance(part, str)), "")
    if text:
        return digest(sorted(text.split()))
    return str(row.get("prompt_hash") or "")


def _settings(arguments: Any) -> dict[str, Any]:
    """Return what a document was asked with, such as a temperature: it stands beside the prompt."""
    settings: dict[str, Any] = {}
    for request in _parts(arguments):
        for part in _parts(request):
            if isinstance(part, dict):
                settings |= part
    return settings


def _parts(value: Any) -> Sequence[Any]:
    """Return the parts of a list, or of an object, as newer versions write it."""
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    return []


def _metrics(row: Mapping[str, Any]) -> dict[str, float]:
    """Take the metrics that are named, else all that are numbers."""
    names = row.get("metrics")
    if not isinstance(names, list):
        names = [key for key in row if key not in _NO_METRIC]
    metrics = {}
    for name in names:
        value = row.get(name)
        if isinstance(value, int | float):
            metrics[str(name)] = float(value)
    return metrics
