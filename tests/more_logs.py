"""Logs of further tools, made as these write them: `tests/logs.py` has the others."""

import numpy as np

from tests.logs import write


def swe_bench(path, resolved, *, empty=(), errors=(), incomplete=()):
    """Write the report of a run (swebench/harness/reporting.py) with 1 where it is resolved."""
    ids = [f"django__django-{1000 + i}" for i in range(len(resolved))]
    submitted = [name for i, name in enumerate(ids) if i not in incomplete]
    is_resolved = [name for i, name in enumerate(ids) if resolved[i] and i not in incomplete]
    report = {
        "total_instances": len(ids),
        "submitted_instances": len(submitted),
        "completed_ids": [name for name in submitted if ids.index(name) not in (*empty, *errors)],
        "incomplete_ids": [ids[i] for i in incomplete],
        "empty_patch_ids": [ids[i] for i in empty],
        "submitted_ids": submitted,
        "resolved_ids": is_resolved,
        "unresolved_ids": [name for name in submitted if name not in is_resolved],
        "error_ids": [ids[i] for i in errors],
        "schema_version": 2,
    }
    return write(path, report)


def helm(model, subject, right, *, suite="runs/mine", order=None, trials=1, perturbed=False):
    """Write the folder of a run, whose name says scenario and model."""
    folder = f"{suite}/mmlu:subject={subject},method=multiple_choice_joint,model={model}"
    instances = []
    for trial in range(trials):
        for i in order or range(len(right)):
            stats = [
                {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": right[i]},
                {"name": {"name": "num_prompt_tokens", "split": "test"}, "count": 1, "mean": 50.0},
                {"name": {"name": "num_output_tokens", "split": "test"}, "count": 1, "mean": 2.0},
                {"name": {"name": "inference_runtime", "split": "test"}, "count": 1, "mean": 0.5},
                {"name": {"name": "logprob", "split": "test"}, "count": 0},
            ]
            instance = {"instance_id": f"id{i}", "train_trial_index": trial, "stats": stats}
            instances.append(instance)
            if perturbed:
                instances.append({**instance, "perturbation": {"name": "typos"}})
    adapter = {"model": model, "model_deployment": model, "max_train_instances": 5}
    write(f"{folder}/run_spec.json", {"name": subject, "adapter_spec": adapter})
    return write(f"{folder}/per_instance_stats.json", instances)


def openai_evals(path, model, right, *, order=None, ended=True, name="test-match.s1"):
    """Write the events of a run in any order of the samples."""
    spec = {
        "completion_fns": [model],
        "eval_name": f"{name}.simple-v0",
        "run_config": {"eval_spec": {"args": {"samples_jsonl": "x.jsonl"}}, "seed": 1},
        "run_id": path,
    }
    lines = [{"spec": spec}]
    if ended:
        lines.append({"final_report": {"accuracy": float(np.mean(right))}})
    for i in order or range(len(right)):
        event = {"run_id": path, "event_id": len(lines), "sample_id": f"{name}.{i}"}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        sampled = {"prompt": f"q{i}", "sampled": ["a"], "usage": usage}
        lines.append({**event, "type": "sampling", "data": sampled})
        match = {"correct": bool(right[i]), "expected": "a", "picked": None}
        lines.append({**event, "type": "match", "data": match})
    return write(path, lines, lines=True)


def evalplus(path, runs, *, form="new"):
    """Write results of solutions, a row of `runs` for each; of the old form by test suite."""
    results = {}
    for task in range(len(runs[0])):
        passed = ["pass" if run[task] else "fail" for run in runs]
        if form == "old":
            details = [[status, []] for status in passed]
            results[f"HumanEval/{task}"] = {"nfiles": len(runs), "base": details, "plus": details}
        elif form == "big":
            solutions = [{"task_id": "x", "solution": "…", "status": status} for status in passed]
            results[f"BigCodeBench/{task}"] = solutions
        else:
            results[f"HumanEval/{task}"] = [
                {"task_id": "x", "solution": "…", "base_status": "pass", "plus_status": status}
                for status in passed
            ]
    return write(path, {"date": "2026-01-01 10:00", "hash": "0f", "eval": results})


def mteb(model, task, scores, *, folder="results", revision="abc"):
    """Write the result of a task, whose scores are by split and subset."""
    parts = {}
    for split, subsets in scores.items():
        parts[split] = [
            {
                "main_score": score,
                "accuracy": score,
                "hf_subset": f"s{i}",
                "languages": ["eng-Latn"],
            }
            for i, score in enumerate(subsets)
        ]
    result = {"dataset_revision": "1", "task_name": task, "mteb_version": "1.12.0"}
    result |= {"scores": parts, "evaluation_time": 7.5, "kg_co2_emissions": None}
    return write(f"{folder}/{model}/{revision}/{task}.json", result)


def deepeval(path, model, scores, *, order=None):
    """Write a test run with one metric."""
    cases = []
    for i in order or range(len(scores)):
        metric = {"name": "Faithfulness", "threshold": 0.5, "score": scores[i], "success": True}
        cases.append(
            {
                "name": f"test_case_{i}",
                "input": f"q{i}",
                "actualOutput": "a",
                "expectedOutput": f"t{i}",
                "success": scores[i] >= 0.5,
                "metricsData": [{**metric, "evaluationCost": 0.1}],
                "tokenCost": 0.002,
                "completionTime": 1.5,
            }
        )
    return write(path, {"testCases": cases, "hyperparameters": {"model": model}, "testPassed": 1})
