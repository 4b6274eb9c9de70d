"""How models were asked: settings that differ, logs that are not whole, samples cut short."""

import json
from pathlib import Path

import pytest

from bakeoff.cli import main
from bakeoff.data.asked import cautions
from tests.conftest import hold
from tests.logs import drawn, inspect, lm_eval, write

pytestmark = pytest.mark.usefixtures("in_folder")
LONG = "You are a careful scientist who thinks before answering. "


def of(settings, prompts=None, **more):
    return {"": {"settings": settings, "prompts": prompts or {}, **more}}


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ({"num_fewshot": 0}, {"num_fewshot": 5}, "0 and 5 examples"),
        ({"temperature": 0}, {"temperature": 0.7}, "temperature 0 and 0.7"),
        ({"temperature": 0}, {"temperature": 0.0}, ""),
        ({}, {"temperature": 1}, "temperature default and 1"),
        ({"do_sample": True}, {"do_sample": False}, "do sample true and false"),
        ({"system_message": "a"}, {"system_message": LONG}, "different system prompts"),
        ({"system_message.template": LONG}, {}, "different system prompts"),
        ({"prompt": "Say {{q}}"}, {"prompt": LONG}, "different prompts"),
        ({"until": ["\n"] * 20}, {"until": ["."]}, "different values of until"),
        ({"grader": "gpt-4"}, {"grader": "claude"}, "grader gpt-4 and claude"),
        ({"model_args.dtype": "int8"}, {"model_args.dtype": "bf16"}, ""),
        ({"prompts": "ab"}, {"prompts": "cd"}, ""),  # digests of other samples of the task
        (
            {"z": 1, "temperature": 0, "num_fewshot": 1},
            {"z": 2, "temperature": 1, "num_fewshot": 2},
            "1 and 2 examples, temperature 0 and 1, z 1 and 2",
        ),
        (
            {f"s{i}": 0 for i in range(9)},
            {f"s{i}": 1 for i in range(9)},
            "s4 0 and 1, s5 0 and 1, and 3 other settings",
        ),
    ],
)
def test_settings_that_differ_are_named(one, other, said):
    found = cautions({"A": of(one), "B": of(other)})
    if not said:
        assert found == ()
        return
    sentence = found[-1]  # behind the one on other judges
    assert sentence.startswith("A and B were asked differently: ")
    assert sentence.endswith(f"{said}.")


def test_prompts_are_compared_for_the_questions_that_both_were_asked():
    first = of({}, {"q1": "x", "q2": "y"})
    assert cautions({"A": first, "B": of({}, {"q2": "y", "q3": "z"})}) == ()
    said = "A and B were asked differently: different prompts."
    assert cautions({"A": first, "B": of({}, {"q2": "other"})}) == (said,)


def test_several_models_are_named_with_their_values():
    cold = of({"temperature": 0})
    models = {"A": cold, "B": cold, "C": of({"temperature": 1})}
    said = "A, B and C were asked differently: temperature 0 (A and B) and 1 (C)."
    assert cautions(models) == (said,)
    many = {f"m{i}": of({"temperature": i % 2}) for i in range(30)}
    said = "The 30 models were asked differently: temperature 0 (15 models) and 1 (15 models)."
    assert cautions(many) == (said,)


def test_tasks_that_differ_alike_are_one_sentence():
    def asked(shots):
        return {task: of({"num_fewshot": n})[""] for task, n in shots.items()}

    tasks = {f"t{i}": 5 for i in range(10)}
    zero = dict.fromkeys(tasks, 0)
    said = "A and B were asked differently: 0 and 5 examples."
    assert cautions({"A": asked(zero), "B": asked(tasks)}) == (said,)
    said = "A and B were asked differently in t3: 0 and 5 examples."
    assert cautions({"A": asked(zero), "B": asked({**zero, "t3": 5})}) == (said,)


def test_examples_and_system_prompts_of_lm_stand_beside_its_samples(capsys):
    for model, shots in (("x", 0), ("y", 5)):
        for task in ("arc", "gsm8k"):
            lm_eval(model, task, drawn(60, 0.5, shots))
        results = {"n-shot": {"gsm8k": shots, "arc": 0}, "system_instruction": None}
        if model == "y":
            results["system_instruction"] = LONG
        write(f"out/{model}/results_2026-01-01T00-00-00.123456.json", results)
    assert main(["compare", "out", "--values", "right"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    hold(said, "differently in arc: different system prompts. … in gsm8k: 0 and 5 examples, diff")
    path = next(Path("out/y").glob("samples_gsm8k*"))
    Path("out/y/results_2026-01-01T00-00-00.123456.json").write_text("{broken")
    assert main(["compare", str(path), str(path).replace("/y/", "/x/"), "--values", "right"]) == 0
    assert "asked differently" not in capsys.readouterr().out


def of_inspect(template, temperature):
    steps = [{"solver": "system_message", "params": {"template": template}}]
    return {"plan": {"steps": steps, "config": {"temperature": temperature}}}


def two_logs(folder="logs"):
    inspect(f"{folder}/a.json", "a", drawn(60, 0.4, 1), **of_inspect("Be brief.", 0))
    inspect(
        f"{folder}/b.json",
        "b",
        drawn(60, 0.8, 2),
        run={"model_args": {"x": 1}},
        **of_inspect(LONG, 1),
    )


SAID = "a and b were asked differently: temperature 0 and 1, different system prompts."


def test_every_output_of_compare_says_it(capsys):
    two_logs()
    for files in ("logs", "logs/a.json logs/b.json"):
        line = f"compare {files} --values right --output page.html --output page.md"
        assert main(line.split()) == 0
        assert SAID in " ".join(capsys.readouterr().out.split())
        assert SAID in Path("page.html").read_text()
        assert SAID in Path("page.md").read_text()
    assert main(["compare", "logs", "--values", "right", "--json"]) == 0
    assert SAID in json.loads(capsys.readouterr().out)["verdict"]["sentences"]
    line = "compare logs/a.json logs/b.json --values right --models old,new"
    assert main(line.split()) == 0
    assert "old and new were asked differently" in " ".join(capsys.readouterr().out.split())


def test_an_evaluation_that_runs_and_samples_that_a_limit_ended_are_told(capsys):
    right = drawn(120, 0.6, 1)
    inspect("logs/a.json", "a", right)
    inspect("logs/b.json", "b", drawn(120, 0.8, 2)[:70], status="started")
    log = json.loads(Path("logs/a.json").read_text())
    for sample in log["samples"]:
        sample["limit"] = None
    for sample, limit in zip(log["samples"], ["token", "message"] * 2 + ["token"], strict=False):
        sample["limit"] = {"type": limit, "limit": 9}
    write("logs/a.json", log)
    assert main(["compare", "logs", "--values", "right", "--missing", "common"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    hold(said, "The log of b for t is not whole: its status is 'started', with 70 samples")
    hold(said, "A limit ended samples before the model was done: 5 of a (message limit and token")
