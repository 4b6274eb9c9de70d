"""Results of promptfoo, ``promptfoo eval --output results.json``: every test by every provider.

``{"evalId": …, "results": {"version": 3, "prompts": […], "results": [{"promptIdx": …, "testIdx": …,
"vars": {…}, "testCase": {"assert": […]}, "provider": {"id": …, "label": …}, "prompt": {"label": …},
"success": …, "score": …, "namedScores": {…}, "failureReason": …, "error": …}]}, "config": …}``
(src/types/index.ts). ``--repeat`` makes a `testIdx` of its own for each repetition
(src/evaluator.ts). A `failureReason` of 2 says that the test could not be run.
``--output results.jsonl`` writes an object of ``results.results`` on each line. Variables that are
made anew for each call, such as ``sessionId``, are no part of the question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from bakeoff.data.readers import (
    SAMPLE_ID,
    LeftOut,
    check_record,
    question_of,
    with_metadata,
)
from bakeoff.files import digest, parse_json

WHAT = "results of promptfoo"
_ERROR = 2
_LONGEST = 40
_LOG = {"results": dict, "config?": dict}
_ROW = {"promptIdx": int, "provider": (str, dict), "success": (bool, int), "score": (int, float)}
_ROW |= {"vars?": dict, "testCase?": dict, "prompt?": dict, "namedScores?": dict, "testIdx?": int}
_OF_FILE = (r'"evalId"\s*:', r'"results"\s*:\s*\{', r'"prompts"\s*:\s*\[')
_OF_LINE = (r'"promptIdx"\s*:', r'"testIdx"\s*:', r'"provider"\s*:', r'"success"\s*:')
_HEAD = 1 << 20
_SESSION = re.compile(r"(?i)(session|conversation|trace|request)_?id")


def recognizes(head: str) -> bool:
    """Tell whether a file is an object with the results of an evaluation, or has one on a line."""
    start = head.lstrip()
    return start.startswith("{") and (_is_whole(start) or _is_of_lines(start))


def _is_whole(text: str) -> bool:
    return all(re.search(key, text) for key in _OF_FILE)


def _is_of_lines(text: str) -> bool:
    first = text.lstrip().split("\n", 1)[0]
    return all(re.search(key, first) for key in _OF_LINE) and not _is_whole(first)


def read(text: str) -> pd.DataFrame:
    """Return ``model``, ``id``, ``success``, ``score``, named scores, and ``run`` of several."""
    log = check_record(_parsed(text), "the file", _LOG)
    results = check_record(log["results"], "results", {"results": list})
    rows = results["results"]
    for i, row in enumerate(rows):
        check_record(row, f"results.results[{i}]", _ROW)
    failed = [row for row in rows if row.get("failureReason") == _ERROR]
    if failed:
        kept = [row for row in rows if row.get("failureReason") != _ERROR]
        raise LeftOut(
            f"{len(failed):,} of {len(rows):,} tests could not be run (first: "
            f"{str(failed[0].get('error'))[:80]!r}), which says nothing of the model: run them "
            "with `promptfoo eval --retry-errors`",
            (lambda: _table(kept, results, log)) if kept else None,
        )
    return _table(rows, results, log)


def _parsed(text: str) -> Any:
    """Parse a file; of one with a result on each line what the whole one of them would be."""
    if not _is_of_lines(text[:_HEAD]):
        return parse_json(text)
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            rows += [parse_json(line)] if line.strip() else []
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return {"results": {"results": rows}}


def _table(
    rows: list[Mapping[str, Any]], results: Mapping[str, Any], log: Mapping[str, Any]
) -> pd.DataFrame:
    if not rows:
        raise LeftOut("it has no results")
    models = _models(rows)
    # calls at once end in any order
    rows = sorted(rows, key=lambda row: (row["promptIdx"], row.get("testIdx") or 0))
    made = _made_anew(rows)
    table = pd.DataFrame(
        {
            "model": models[row["promptIdx"]],
            "id": _question(row, made),
            **({SAMPLE_ID: row["testIdx"]} if "testIdx" in row else {}),
            "success": float(row["success"]),
            "score": float(row["score"]),
            **{str(k): float(v) for k, v in (row.get("namedScores") or {}).items()},
        }
        for row in rows
    )
    settings = _settings(rows, models, results.get("prompts") or (), log.get("config") or {})
    tests = [row.get("testCase") or {} for row in rows]
    metadata = [test.get("metadata") or {} for test in tests]
    table = with_metadata(
        table,
        [
            {**(row.get("vars") or {}), **of_test}
            for row, of_test in zip(rows, metadata, strict=True)
        ],
    )
    run = table.groupby(["model", "id"]).cumcount() + 1
    table = table.assign(run=run) if run.max() > 1 else table
    table.attrs["settings"] = settings
    return table


def _models(rows: list[Mapping[str, Any]]) -> dict[int, str]:
    """Name the combinations of provider and prompt."""
    by_prompt = {row["promptIdx"]: row for row in rows}
    providers = {i: str(_provider(row["provider"])) for i, row in by_prompt.items()}
    prompts = {i: str((row.get("prompt") or {}).get("label") or "") for i, row in by_prompt.items()}
    short = len(set(prompts.values())) > 1 and max(map(len, prompts.values())) <= _LONGEST
    order = list(dict.fromkeys(prompts.values()))
    several = list(providers.values())
    return {
        i: provider
        if several.count(provider) == 1
        else f"{provider}, {prompts[i] if short else f'prompt {order.index(prompts[i]) + 1}'}"
        for i, provider in providers.items()
    }


def _provider(given: Any) -> Any:
    return given if isinstance(given, str) else given.get("label") or given["id"]


def _made_anew(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Name the variables of sessions, and those that one test has other values of by model."""
    values: dict[tuple[Any, str], set[str]] = {}
    for row in rows:
        for key, value in (row.get("vars") or {}).items():
            values.setdefault((row.get("testIdx", id(row)), key), set()).add(digest(value))
    differ = {key for (_, key), different in values.items() if len(different) > 1}
    return differ | {key for _, key in values if _SESSION.fullmatch(key)}


def _question(row: Mapping[str, Any], made: Collection[str]) -> str:
    """Return what stands for the variables of a test and what is asserted of its output."""
    given = {key: value for key, value in (row.get("vars") or {}).items() if key not in made}
    asserted = (row.get("testCase") or {}).get("assert")
    return question_of(", ".join(f"{key}={given[key]}" for key in sorted(given)), given, asserted)


def _settings(
    rows: Sequence[Mapping[str, Any]],
    models: Mapping[int, str],
    prompts: Sequence[Mapping[str, Any]],
    config: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """Return the prompt of each model and the configuration of its provider."""
    providers = config.get("providers")  # a file of lines has no configuration
    entries = [one for one in providers if isinstance(one, dict)] if providers else []
    configured = {key: e.get("config") for e in entries for key in (e.get("id"), e.get("label"))}
    settings: dict[str, dict[str, Any]] = {}
    for row in rows:
        place = row["promptIdx"]
        prompt = (row.get("prompt") or {}).get("raw")
        if place < len(prompts):
            prompt = prompts[place].get("raw")
        options = configured.get(_provider(row["provider"])) or {}
        settings[models[place]] = {"prompt": prompt, **options}
    return settings
