"""Sample logs of lm-evaluation-harness (``--log_samples``): JSON lines, one for each document.

Each line has ``doc_id``, ``doc``, ``target``, ``arguments``, ``resps``, ``filtered_resps``,
digests, ``filter`` and ``metrics`` (newer versions), and the value of every metric under its name
(lm_eval/evaluator.py). A document has a line for each filter; versions before ``filter`` wrote the
documents filter by filter, which are numbered here in this order. They lie in
``<output_path>/<model>/samples_<task>_<time>.jsonl``, beside ``results_<time>.json`` with the mean
scores (loggers/evaluation_tracker.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bakeoff.data.readers import (
    SAMPLE_ID,
    LeftOut,
    check_record,
    question_of,
    table_of_questions,
)
from bakeoff.data.readers.choices import without_order
from bakeoff.files import digest, parse_json

WHAT = "samples of lm-evaluation-harness"
_QUESTIONS = ("question", "query", "problem", "prompt", "input", "instruction", "text", "page")
"""What the field of a document that asks is called, the likeliest first."""
_NO_METRIC = {"doc_id", "resps", "filtered_resps", "target", "doc", "arguments", "filter"}


def recognizes(head: str) -> bool:
    """Tell whether the first line is an object with a document's id, its target and responses."""
    first = head.lstrip().split("\n", 1)[0]
    keys = ("doc_id", "target", "filtered_resps")
    return first.startswith("{") and all(f'"{key}"' in first for key in keys)


def named(path: Path) -> dict[str, str]:
    """Return the model and the task that the place of a file of samples says."""
    task = re.fullmatch(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[-\d.]+)?", path.stem)
    return {"model": path.parent.name, "task": task[1] if task else path.stem}


def read(text: str) -> pd.DataFrame:
    """Return ids and metrics; ``score`` where there is one metric by one filter."""
    documents: dict[int, dict[str, Any]] = {}
    metadata: dict[int, dict[str, Any]] = {}
    filters: dict[str, None] = {}
    unnamed: dict[Any, list[str]] = {}
    prompts: set[str] = set()
    settings: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        check_record(row, f"line {number}", {"doc_id": (int, str), "filter?": str})
        question = _question(row, number)
        document = documents.setdefault(row["doc_id"], {"question": question})
        metadata[row["doc_id"]] = row["doc"] if isinstance(row.get("doc"), dict) else {}
        if document["question"] != question:
            raise ValueError(f"line {number}: document {row['doc_id']} is another one before it")
        name = row.get("filter")
        if name is None:
            before = unnamed.setdefault(row["doc_id"], [])
            before.append(digest([row.get("filtered_resps"), _metrics(row)]))
            name = f"filter-{len(before)}"
        filters[name] = None
        prompts.add(digest([question, row.get("prompt_hash") or row.get("arguments")]))
        settings |= _settings(row.get("arguments"))
        for metric, value in _metrics(row).items():
            key = f"{metric},{name}"
            if key in document:
                raise ValueError(f"line {number}: document {row['doc_id']} has {key} twice")
            document[key] = value
    _check_unnamed(unnamed)
    table = pd.DataFrame.from_dict(documents, orient="index")
    if len(filters) == 1:
        table.columns = [name.partition(",")[0] for name in table.columns]
    scores = list(table.columns.drop("question"))
    if not scores:
        raise LeftOut("no sample has a metric that is a number")
    table = table.rename_axis(SAMPLE_ID).reset_index()
    settings = {"prompts": digest(sorted(prompts)), **settings}
    return table_of_questions(table, scores, list(metadata.values()), settings)


def _check_unnamed(lines: Mapping[Any, Sequence[str]]) -> None:
    """Refuse documents that are there several times by no filters: not all, or always the same."""
    counts = [len(of_document) for of_document in lines.values()]
    if max(counts, default=1) == 1:
        return
    uneven = min(counts) < max(counts)
    if uneven or all(len(set(of_document)) == 1 for of_document in lines.values()):
        first = next(key for key, of_document in lines.items() if len(of_document) > 1)
        raise ValueError(
            f"document {first!r} is there {len(lines[first])} times, which are no filters: "
            + ("other documents are not" if uneven else "all lines of a document are the same")
        )


def _question(row: dict[str, Any], number: int) -> str:
    """Return what stands for a document, which holds what is asked and what is right."""
    document = row.get("doc") or row.get("doc_hash")
    if not document:
        raise ValueError(f"line {number}: expected a sample with doc or doc_hash")
    if not isinstance(document, dict):
        return question_of(document if isinstance(document, str) else "", document)
    texts = {key.casefold(): document[key] for key in sorted(document)}
    asked = [texts[key] for key in _QUESTIONS if isinstance(texts.get(key), str)]
    any_text = [one for one in texts.values() if isinstance(one, str)]
    return question_of(next(iter([*asked, *any_text]), ""), without_order(document))


def _settings(arguments: Any) -> dict[str, Any]:
    """Return what a document was asked with, such as a temperature: it stands beside the prompt."""
    settings: dict[str, Any] = {}
    for one in _parts(arguments):
        for part in _parts(one):
            settings |= part if isinstance(part, dict) else {}
    return settings


def _parts(of: Any) -> list[Any]:
    """Return the parts of a list, or of an object, as newer versions write it."""
    return [*of.values()] if isinstance(of, dict) else of if isinstance(of, list) else []


def _metrics(row: dict[str, Any]) -> dict[str, float]:
    """Take the metrics that are named, else all that are numbers."""
    names = row.get("metrics")
    metrics = names if isinstance(names, list) else [k for k in row if k not in _NO_METRIC]
    return {
        str(name): float(row[name]) for name in metrics if isinstance(row.get(name), (int, float))
    }
