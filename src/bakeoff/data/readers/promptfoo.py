"""Results of promptfoo, ``promptfoo eval --output results.json``: every test by every provider.

``{"evalId": …, "results": {"version": 3, "prompts": […], "results": [{"promptIdx": …, "testIdx": …,
"vars": {…}, "testCase": {"assert": […]}, "provider": {"id": …, "label": …}, "prompt": {"label": …},
"success": …, "score": …, "namedScores": {…}, "failureReason": …, "error": …, "latencyMs": …,
"cost": …, "tokenUsage": {"total": …}}]}, "config": …}``
(src/types/index.ts). ``--repeat`` makes a `testIdx` of its own for each repetition
(src/evaluator.ts). A `failureReason` of 2 says that the test could not be run.
``--output results.jsonl`` writes an object of ``results.results`` on each line. Variables that are
made anew for each call, such as ``sessionId``, are no part of the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from bakeoff.data.readers.common import (
    COST,
    LATENCY,
    SAMPLE_ID,
    SETTINGS,
    TOKENS,
    LeftOut,
    Signature,
    check_record,
    first_line,
    json_lines,
    question_of,
    with_metadata,
)
from bakeoff.files import digest, parse_json

WHAT = "results of promptfoo"
_ERROR = 2
_LONGEST = 40
"""Letters of a prompt's label that is part of a model's name."""
_LOG = {"results": dict, "config?": dict}
_ROW = {
    "promptIdx": int,
    "provider": (str, dict),
    "success": (bool, int),
    "score": (int, float),
    "vars?": dict,
    "testCase?": dict,
    "prompt?": dict,
    "namedScores?": dict,
    "testIdx?": int,
    "latencyMs?": (int, float),
    "cost?": (int, float),
    "tokenUsage?": dict,
}
_WHOLE = Signature(
    "{",
    (
        r'"evalId"\s*:',
        r'"results"\s*:\s*\{',
        r'"prompts"\s*:\s*\[',
    ),
)
_LINES = Signature(
    "{",
    (
        r'"promptIdx"\s*:',
        r'"testIdx"\s*:',
        r'"provider"\s*:',
        r'"success"\s*:',
    ),
    in_first_line=True,
)
_HEAD = 1 << 20
_SESSION = re.compile(r"(?i)(session|conversation|trace|request)_?id")


def recognizes(head: str) -> bool:
    """Tell whether a file is an object with the results of an evaluation, or has one on a line."""
    return _WHOLE(head) or _is_of_lines(head)


def _is_of_lines(text: str) -> bool:
    """Tell whether the first line is a result by itself, and not the whole file."""
    return _LINES(text) and not _WHOLE(first_line(text))


def read(text: str) -> pd.DataFrame:
    """Return ``model``, ``id``, ``success``, ``score``, named scores, and ``run`` of several."""
    log = check_record(_parsed(text), "the file", _LOG)
    results = check_record(log["results"], "results", {"results": list})
    rows = results["results"]
    for i, row in enumerate(rows):
        check_record(row, f"results.results[{i}]", _ROW)
    failed = []
    run = []
    for row in rows:
        if row.get("failureReason") == _ERROR:
            failed.append(row)
        else:
            run.append(row)
    if not failed:
        return _table(rows, results, log)
    rows_of_run = None
    if run:
        rows_of_run = partial(_table, run, results, log)
    raise LeftOut(
        f"{len(failed):,} of {len(rows):,} tests could not be run (first: "
        f"{str(failed[0].get('error'))[:80]!r}), which says nothing of the model: run them "
        "with `promptfoo eval --retry-errors`",
        rows_of_run,
        len(failed) / len(rows),
    )


def _parsed(text: str) -> Any:
    """Parse a file; of one with a result on each line what the whole one of them would be."""
    if not _is_of_lines(text[:_HEAD]):
        return parse_json(text)
    rows = [row for _, row in json_lines(text)]
    return {"results": {"results": rows}}


def _table(
    rows: list[Mapping[str, Any]],
    results: Mapping[str, Any],
    log: Mapping[str, Any],
) -> pd.DataFrame:
    """Return a row for each test and model, with the variables of the test beside it."""
    if not rows:
        raise LeftOut("it has no results")
    models = _models(rows)
    # calls at once end in any order
    rows = sorted(rows, key=lambda row: (row["promptIdx"], row.get("testIdx") or 0))
    made_anew = _made_anew(rows)
    samples = []
    facts = []
    for row in rows:
        sample: dict[str, Any] = {
            "model": models[row["promptIdx"]],
            "id": _question(row, made_anew),
        }
        if "testIdx" in row:
            sample[SAMPLE_ID] = row["testIdx"]
        sample |= _scores(row)
        sample |= _usage(row)
        samples.append(sample)
        test = row.get("testCase") or {}
        facts.append({**(row.get("vars") or {}), **(test.get("metadata") or {})})
    # variables and metadata may be groups or subgroups
    table = with_metadata(pd.DataFrame(samples), facts)
    # a test that is repeated has the same variables, and so the same id
    run = table.groupby(["model", "id"]).cumcount() + 1
    if run.max() > 1:
        table = table.assign(run=run)
    prompts = results.get("prompts") or ()
    table.attrs[SETTINGS] = _settings(
        rows,
        models,
        prompts,
        log.get("config") or {},
    )
    return table


def _scores(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of a test by their names."""
    scores = {"success": float(row["success"]), "score": float(row["score"])}
    for name, value in (row.get("namedScores") or {}).items():
        scores[str(name)] = float(value)
    return scores


def _usage(row: Mapping[str, Any]) -> dict[str, float]:
    """Return what an answer cost, how long it took and its tokens, where that is known."""
    usage = {}
    if row.get("latencyMs") is not None:
        usage[LATENCY] = row["latencyMs"] / 1000
    if row.get("cost") is not None:
        usage[COST] = float(row["cost"])
    tokens = (row.get("tokenUsage") or {}).get("total")
    if tokens is not None:
        usage[TOKENS] = float(tokens)
    return usage


def _models(rows: list[Mapping[str, Any]]) -> dict[int, str]:
    """Name the combinations of provider and prompt."""
    providers: dict[int, str] = {}
    labels: dict[int, str] = {}
    for row in rows:
        place = row["promptIdx"]
        providers[place] = str(_provider(row["provider"]))
        labels[place] = str((row.get("prompt") or {}).get("label") or "")
    different = list(dict.fromkeys(labels.values()))
    # of one provider with several prompts each prompt makes a model;
    # prompts are called by their labels where these are short and tell them apart
    by_label = len(different) > 1 and max(map(len, different)) <= _LONGEST
    n_prompts = Counter(providers.values())
    models = {}
    for place, provider in providers.items():
        models[place] = provider
        if n_prompts[provider] > 1:
            prompt = labels[place]
            if not by_label:
                prompt = f"prompt {different.index(prompt) + 1}"
            models[place] = f"{provider}, {prompt}"
    return models


def _provider(provider: Any) -> Any:
    """Return what a provider is called."""
    if isinstance(provider, str):
        return provider
    return provider.get("label") or provider["id"]


def _made_anew(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Name the variables of sessions, and those that one test has other values of by model."""
    made_anew: set[str] = set()
    first_values: dict[tuple[Any, str], str] = {}
    for row in rows:
        test = row.get("testIdx", id(row))
        for name, value in (row.get("vars") or {}).items():
            value_digest = digest(value)
            first = first_values.setdefault((test, name), value_digest)
            if first != value_digest or _SESSION.fullmatch(name):
                made_anew.add(name)
    return made_anew


def _question(row: Mapping[str, Any], made_anew: Collection[str]) -> str:
    """Return what stands for the variables of a test and what is asserted of its output."""
    variables = {}
    for name, value in (row.get("vars") or {}).items():
        if name not in made_anew:
            variables[name] = value
    asserted = (row.get("testCase") or {}).get("assert")
    text = ", ".join(f"{name}={variables[name]}" for name in sorted(variables))
    return question_of(text, variables, asserted)


def _settings(
    rows: Sequence[Mapping[str, Any]],
    models: Mapping[int, str],
    prompts: Sequence[Mapping[str, Any]],
    config: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """Return the prompt of each model and the configuration of its provider."""
    configured: dict[Any, Any] = {}
    for provider in config.get("providers") or ():  # a file of lines has no configuration
        if isinstance(provider, dict):
            configured[provider.get("id")] = provider.get("config")
            configured[provider.get("label")] = provider.get("config")
    settings: dict[str, dict[str, Any]] = {}
    for row in rows:
        place = row["promptIdx"]
        prompt = (row.get("prompt") or {}).get("raw")
        if place < len(prompts):
            prompt = prompts[place].get("raw")
        options = configured.get(_provider(row["provider"])) or {}
        settings[models[place]] = {"prompt": prompt, **options}
    return settings
