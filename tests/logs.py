"""Logs of evaluations, made as the tools write them.

promptfoo (src/types/index.ts), Inspect (log/_log.py) and lm-evaluation-harness
(loggers/evaluation_tracker.py).
"""

import json
import re
from pathlib import Path

import numpy as np


def write(path, value, *, lines=False):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(one) + "\n" for one in value) if lines else json.dumps(value)
    Path(path).write_text(text)
    return path


def beginnings(ids):
    """Return what ids of questions begin with, without the digest."""
    return [re.sub(r" \[[0-9a-f]{16}\]$", "", one) for one in ids]


def promptfoo(path, providers, *, error=False):
    """Write what `promptfoo eval --repeat 2` writes, with the successes of each provider."""
    rows = [
        {
            "promptIdx": i,
            "testIdx": test,
            "testCase": {"vars": {"q": f"q{test // 2}"}, "assert": [{"type": "equals"}]},
            "promptId": "f00",
            "provider": {"id": f"openai:{name}", "label": name},
            "prompt": {"raw": "Say {{q}}", "label": "Say {{q}}"},
            "vars": {"q": f"q{test // 2}"},
            "success": bool(ok),
            "failureReason": 2 if error else int(not ok),
            "error": "429 Too Many Requests" if error else None,
            "score": 0.5 + ok / 2,
            "namedScores": {"tone": 0.25},
            "latencyMs": 7,
        }
        for i, (name, right) in enumerate(providers.items())
        for test, ok in enumerate(right)
    ]
    prompts = [{"raw": "Say {{q}}", "label": "Say {{q}}", "provider": one} for one in providers]
    results = {"version": 3, "timestamp": "2026", "prompts": prompts, "results": rows, "stats": {}}
    return write(path, {"evalId": "eval-x", "results": results, "config": {}, "shareableUrl": None})


def inspect(path, model, right, task="t", questions=None, **more):
    """Write what `inspect eval` writes, which numbers the samples in the order of the questions."""
    samples = [
        {"id": i, "epoch": 1, "input": f"q{asked}", "choices": None, "target": f"t{asked}"}
        | {"scores": {"match": {"value": "C" if ok else "I"}}}
        for i, (ok, asked) in enumerate(zip(right, questions or range(len(right)), strict=True))
    ]
    run = {"eval_id": path, "task": task, "model": model, "task_args": more.pop("args", {})}
    head = {"version": 2, "status": "success", "eval": run | more.pop("run", {})}
    return write(path, {**head, "samples": samples, **more})


def lm_eval(model, task, right, questions=None, out="out", day=1, temperature=0.0):
    """Write what `lm_eval --log_samples` writes, and return the path of the samples."""
    given = {"temperature": temperature, "do_sample": temperature > 0}
    rows = [
        {"doc_id": i, "doc": {"question": f"q{asked}", "answer": asked}, "target": "1"}
        | {"arguments": {"gen_args_0": {"arg_0": f"Q: q{asked}", "arg_1": given}}}
        | {"resps": [], "filtered_resps": [], "doc_hash": f"d{asked}", "prompt_hash": f"p{asked}"}
        | {"metrics": ["acc"], "acc": float(ok)}
        for i, (ok, asked) in enumerate(zip(right, questions or range(len(right)), strict=True))
    ]
    when = f"2026-01-{day:02}T00-00-00.123456"
    path = write(f"{out}/{model}/samples_{task}_{when}.jsonl", rows, lines=True)
    write(
        f"{out}/{model}/results_{when}.json", {"results": {task: {"alias": task, "acc,none": 0.5}}}
    )
    return path


def drawn(n, p, seed):
    return (np.random.default_rng(seed).random(n) < p).astype(int).tolist()
