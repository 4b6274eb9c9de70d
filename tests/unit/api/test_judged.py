"""Preferences, marks that people corrected, looks: calls, commands, gate, plan and YAML files."""

import json

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main
from tests import logs


def battles(prompts=60, lean=0.6, place=0.0, judges=("gpt",), models=("ours", "base"), seed=0):
    """Draw battles of two models in both orders, in the shape of an arena."""
    rng = np.random.default_rng(seed)
    rows = []
    for prompt in range(prompts):
        for a, b in (models, models[::-1]):
            for judge in judges:
                sign = 1 if a == models[0] else -1
                chance = 1 / (1 + np.exp(-(sign * lean + place)))
                winner = rng.choice(["model_a", "model_b"], p=[chance, 1 - chance])
                winner = "tie" if rng.random() < 0.2 else winner
                row = {"question_id": prompt, "model_a": a, "model_b": b}
                rows.append({**row, "winner": winner, "judge": judge})
    return pd.DataFrame(rows)


def marks(n=300, labels=80, favour=0.0, seed=0):
    """Draw marks of a judge and of people on two equal models."""
    rng = np.random.default_rng(seed)
    labelled = rng.permutation(n) < labels
    rows = []
    for model in "AB":
        right = rng.random(n) < 0.7
        judge = np.where(rng.random(n) < 0.9, right, ~right)
        if model == "B":
            judge |= rng.random(n) < favour
        human = np.where(labelled, right, np.nan)
        rows.append(pd.DataFrame({"item": range(n), "model": model, "judge": judge * 1}))
        rows[-1]["human"] = human
    return pd.concat(rows, ignore_index=True)


def run(capsys, *arguments):
    code = main(list(map(str, arguments)))
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), " ".join(err.split())


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    battles(judges=("gpt", "claude")).to_json("b.jsonl", orient="records", lines=True)
    marks(favour=0.5).to_csv("m.csv", index=False)
    rng = np.random.default_rng(3)
    run = pd.DataFrame({"id": range(1, 151), "A": rng.integers(0, 2, 150)})
    run["B"] = np.where(rng.random(150) < 0.3, rng.integers(0, 2, 150), run["A"])
    run.sample(frac=1, random_state=1).to_csv("r.csv", index=False)
    return tmp_path


# --- preferences


def test_call_and_command_agree(files, capsys):
    found = bakeoff.compare_preferences("b.jsonl", models=["ours", "base"])
    code, out, _ = run(capsys, "compare", "b.jsonl", "--models", "ours,base", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["verdict"]["headline"] == found.verdict.splitlines()[0]
    row = found.comparisons.iloc[0]
    assert (row["model_a"], row["decision"]) == ("ours", "a_better")
    assert told["comparisons"][0]["pvalue"] == row["pvalue"]
    assert [judge["judge"] for judge in told["judges"]] == ["claude", "gpt"]


def test_order_of_rows_and_of_models_does_not_matter(files):
    frame = pd.read_json("b.jsonl", lines=True)
    one = bakeoff.compare_preferences(frame)
    other = bakeoff.compare_preferences(frame.sample(frac=1, random_state=5))
    assert one.verdict == other.verdict
    turned = bakeoff.compare_preferences(frame, models=["base", "ours"])
    assert turned.comparisons.loc[0, "share"] == pytest.approx(1 - one.comparisons.loc[0, "share"])
    assert turned.comparisons.loc[0, "decision"] == "b_better"


def test_verdict_says_position_and_flips():
    text = bakeoff.compare_preferences(battles(place=1.0)).verdict
    assert "The answer shown first wins" in text
    assert "The winner changes with the order on" in text
    assert "both orders count alike" in text


def test_one_order_alone_is_refused_and_can_be_passed_over(files, capsys):
    frame = battles()
    frame = frame[frame["model_a"] == "ours"]
    frame.to_csv("one.csv", index=False)
    code, _, err = run(capsys, "compare", "one.csv")
    assert code == 2
    assert "order: the judge saw ours first on all 60 prompts" in err
    assert "`--order unknown` goes on" in err
    code, out, _ = run(capsys, "compare", "one.csv", "--order", "unknown")
    assert code == 0
    assert "taken as unknown" in out


def test_prompt_with_many_votes_counts_once_and_is_told():
    frame = battles(lean=0.0)
    heavy = frame[frame["question_id"] == 0]
    text = bakeoff.compare_preferences(pd.concat([frame, *[heavy] * 19])).verdict
    assert "Prompt 0 has 40 votes and most others 2: it counts once" in text


def test_not_shown_says_how_many_prompts_would_show_it():
    found = bakeoff.compare_preferences(battles(lean=0.1, seed=4))
    assert "is not shown to be preferred" in found.verdict
    assert "four of five studies with" in found.verdict


def test_too_few_prompts_in_an_order_are_named():
    frame = battles(prompts=100)
    frame = frame[(frame["model_a"] == "ours") | (frame["question_id"] < 5)]
    text = bakeoff.compare_preferences(frame).verdict
    assert "base was shown first on 5 of 100 prompts" in text


def test_many_models_have_ranges_of_ranks(tmp_path):
    parts = [
        battles(40, 1.5, models=("m1", "m2"), seed=1),
        battles(40, 1.5, models=("m2", "m3"), seed=2),
        battles(40, 3.0, models=("m1", "m3"), seed=3),
    ]
    found = bakeoff.compare_preferences(pd.concat(parts))
    assert found.verdict.startswith("m1 leads 3 models over 40 prompts and surely ranks 1")
    assert found.to_frame("models")["rank_low"].tolist() == [1, 2, 3]
    assert set(found.figures) == {"ranks", "strengths"}
    assert found.to_frame("pairs").loc[0, "own_share"] > 0.5
    page = found.save(tmp_path / "page.html").read_text()
    assert "All ranges of ranks hold at once" in page
    assert "<svg" in page


def test_circle_of_preferences_is_told():
    parts = [
        battles(60, 2.0, models=pair, seed=i)
        for i, pair in enumerate([("a", "b"), ("b", "c"), ("c", "a")])
    ]
    assert "go in a circle" in bakeoff.compare_preferences(pd.concat(parts)).verdict


def test_models_that_never_met_are_named():
    frame = pd.concat([battles(models=("a", "b")), battles(models=("c", "d"))])
    with pytest.raises(bakeoff.UserError, match="a, b and c, d never met each other"):
        bakeoff.compare_preferences(frame)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"models": ["ours"]}, "models: found ours, expected two different names"),
        ({"models": ["ours", "bas"]}, "unknown model 'bas'; did you mean 'base'"),
        ({"alpha": 1}, "alpha: found 1, must lie strictly between 0 and 0.5"),
        ({"prompt": "nobody"}, "prompt: unknown column 'nobody'"),
    ],
)
def test_mistakes_of_calls_are_named(how, message):
    with pytest.raises(bakeoff.UserError, match=message):
        bakeoff.compare_preferences(battles(), **how)


def test_option_of_other_files_is_refused(files, capsys):
    code, _, err = run(capsys, "compare", "b.jsonl", "--versus", "ours")
    assert (code, "versus: --versus is not for battles" in err) == (2, True)


def test_outputs_are_written(files, capsys):
    code, _, _ = run(capsys, "compare", "b.jsonl", "-o", "p.html", "-o", "p.md", "-o", "t")
    assert code == 0
    assert (files / "p.html").read_text().startswith("<!doctype html>")
    assert (files / "t" / "prompts.csv").read_text().splitlines()[0].startswith("prompt,votes")


# --- marks corrected by people


def test_judge_that_favours_a_model_is_told(files, capsys):
    code, out, _ = run(
        capsys, "compare", "m.csv", "--values", "right", "--judge", "judge", "--human", "human"
    )
    assert code == 0
    assert "by people's marks" in out
    assert "By the judge alone it would be" in out
    assert "it favours B" in out
    assert "do not compare them by the judge alone" in out


def test_arrays_give_the_same_as_files(files, capsys):
    wide = pd.read_csv("m.csv").pivot(index="item", columns="model")
    found = bakeoff.compare(
        None,
        {model: wide["judge"][model] for model in "AB"},
        human={model: wide["human"][model] for model in "AB"},
        values="right",
    )
    _, out, _ = run(capsys, "compare", "m.csv", "--judge", "judge", "--human", "human", "--json")
    assert json.loads(out)["comparisons"][0]["estimate"] == pytest.approx(
        found.comparisons.loc[0, "estimate"]
    )
    assert isinstance(found, bakeoff.Findings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f["item"] >= 12, "the human marks are on 12 items, at least 20 are needed; 30"),
        (
            lambda f: (f["item"] % 2 == 0) == (f["model"] == "A"),
            "human marks of A and B are on different items: 0 have both",
        ),
    ],
)
def test_labels_that_answer_nothing_are_refused(files, capsys, change, message):
    frame = marks(labels=300)
    frame.loc[change(frame), "human"] = np.nan
    frame.to_csv("few.csv", index=False)
    code, _, err = run(capsys, "compare", "few.csv", "--judge", "judge", "--human", "human")
    assert (code, message in err) == (2, True)


def test_people_may_use_another_scale(files, capsys):
    frame = marks()
    frame["human"] = 1 + 4 * frame["human"]
    frame.to_csv("scale.csv", index=False)
    told = ("--judge", "judge", "--human", "human", "--values", "higher")
    code, out, _ = run(capsys, "compare", "scale.csv", *told)
    assert code == 0
    assert "one scale is needed for agreement; the correction works with either" in out
    code, _, err = run(capsys, "compare", "scale.csv", *told[:4])
    assert "values: is a higher or a lower mark better?" in err


def test_judge_without_human_is_refused(files, capsys):
    code, _, err = run(capsys, "compare", "m.csv", "--judge", "judge")
    assert (code, "human: name both columns" in err) == (2, True)


# --- looks


def test_look_says_the_next_one(files, capsys):
    code, out, _ = run(capsys, "compare", "r.csv", "--values", "right", "--of", "400")
    assert code == 0
    assert "Undecided after 120 of 400 items" in out
    assert "The next look is at 160" in out


def test_items_count_up_to_the_first_that_is_missing(files, capsys):
    frame = pd.read_csv("r.csv")
    frame[frame["id"] != 90].to_csv("gap.csv", index=False)
    _, out, _ = run(capsys, "compare", "gap.csv", "--values", "right", "--of", "400")
    assert "after 80 of 400 items" in out
    assert "60 later items are finished too" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--values", "right", "--of", "100"], "of: found 100, and there are 150 items"),
        (["--of", "400"], "values: say what the values mean"),
        (["--values", "right", "--of", "many"], "expected a whole number, or stream"),
    ],
)
def test_looks_without_sense_are_refused(files, capsys, arguments, message):
    code, _, err = run(capsys, "compare", "r.csv", *arguments)
    assert (code, message in err) == (2, True)


def test_looks_need_the_order_of_the_suite(files, capsys):
    frame = pd.read_csv("r.csv").sort_values("id")
    frame.assign(id=[f"q{i}" for i in frame["id"]]).to_csv("t.csv", index=False)
    told = ("--values", "right", "--of", "400", "--models", "A,B")
    code, _, err = run(capsys, "compare", "t.csv", *told)
    assert (code, "looks need the order of the suite" in err) == (2, True)
    frame.assign(place=frame["id"], id=[f"q{i}" for i in frame["id"]]).to_csv("t.csv", index=False)
    code, out, _ = run(capsys, "compare", "t.csv", *told, "--order", "place")
    assert "Undecided after 120 of 400 items" in out


def test_stream_has_an_e_value(files, capsys):
    _, out, _ = run(capsys, "compare", "r.csv", "--values", "right", "--of", "stream")
    assert "Undecided after 150 items" in out
    assert "e-value" in out


def test_log_that_still_runs_leads_to_a_look(files, capsys):
    rng = np.random.default_rng(0)
    suite = {"dataset": {"sample_ids": list(range(200))}}
    for model, n in (("m/A", 90), ("m/B", 70)):
        marks_of_model = rng.random(n) < 0.6
        logs.inspect(f"{model[-1]}.json", model, marks_of_model, run=suite, status="started")
    code, out, _ = run(capsys, "compare", "A.json", "B.json", "--values", "right")
    assert code == 0
    assert "after 60 of 200 items" in out
    assert "the evaluation still runs" in out


def test_logs_that_other_judges_marked_are_told(files, capsys):
    rng = np.random.default_rng(0)
    for model, judge in (("m/A", "judge-1"), ("m/B", "judge-2")):
        scorer = {"scorers": [{"name": "match", "options": {"model": judge}}]}
        logs.inspect(f"{model[-1]}.json", model, rng.random(60) < 0.6, run=scorer)
    code, out, _ = run(capsys, "compare", "A.json", "B.json", "--values", "right")
    assert code == 0
    said = "A was marked by judge-1, B was marked by judge-2: their difference is one of judges"
    assert said in out


# --- gate, plan, YAML


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["b.jsonl", "--models", "base,ours", "--margin", "0.05"], 0, "Ship: ours"),
        (["b.jsonl", "--models", "ours,base", "--margin", "0.01"], 1, "Block: base is worse"),
        (["b.jsonl", "--margin", "0.05"], 3, "which is the base"),
        (["b.jsonl", "--models", "base,ours", "--margin", "0.6"], 3, "margin: found 0.6"),
        (
            ["m.csv", "--models", "A,B", "--judge", "judge", "--human", "human", "--margin", "0.3"],
            0,
            "Ship: B",
        ),
        (
            ["r.csv", "--models", "A,B", "--values", "right", "--of", "400", "--superior"],
            2,
            "The next look is at 160",
        ),
    ],
)
def test_gate_decides_by_judged_evidence(files, capsys, arguments, code, said):
    found, out, err = run(capsys, "gate", *arguments)
    assert found == code
    assert said in out + err


def test_gate_writes_the_usual_json(files, capsys):
    import jsonschema

    run_json = ("gate", "b.jsonl", "--models", "base,ours", "--margin", "0.05", "--json")
    _, out, _ = run(capsys, *run_json)
    schema = __file__.split("tests")[0] + "docs/gate.schema.json"
    with open(schema, encoding="utf-8") as file:  # noqa: PTH123
        jsonschema.validate(json.loads(out), json.load(file))


def test_plan_of_labels(files, capsys):
    plan = ("plan", "--human-labels", "--judge-accuracy", "0.85", "--items", "1000")
    code, out, _ = run(capsys, *plan, "--half-width", "0.05")
    assert code == 0
    assert "242 human labels give an interval of ±0.05" in out
    _, out, _ = run(capsys, *plan, "--half-width", "0.01")
    assert "Not with these 1,000 items" in out
    code, _, err = run(capsys, *plan)
    assert (code, "half_width: give it" in err) == (2, True)
    pilot = ("plan", "m.csv", "--human-labels", "--judge", "judge", "--human", "human")
    code, out, _ = run(capsys, *pilot, "--half-width", "0.1")
    assert (code, "of A and B by people's marks" in out) == (0, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preferences: b.jsonl", "ours is preferred to base"),
        ("judged: {files: m.csv, judge: judge, human: human}", "by people's marks"),
        ("judged: {files: r.csv, values: right, of: 400}", "Undecided after 120"),
    ],
)
def test_yaml_file_is_run_without_snakemake(files, capsys, text, said):
    (files / "it.yaml").write_text(f"experiment: it\n{text}\n")
    code, out, _ = run(capsys, "check", "it.yaml")
    assert code == 0
    assert not (files / "results").exists()
    code, out, _ = run(capsys, "run", "it.yaml")
    assert (code, said in out) == (0, True)
    assert said in (files / "results/it/verdict.txt").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preferences: b.jsonl\norder: nobody", "it.yaml:3: order: unknown column 'nobody'"),
        ("preferences: b.jsonl\nwinnr: x", "it.yaml:3: (top level): unknown key 'winnr'"),
        ("judged: {files: m.csv}", "expected `judge` and `human`, or `of`"),
    ],
)
def test_mistakes_in_yaml_files_have_their_line(files, capsys, text, said):
    (files / "it.yaml").write_text(f"experiment: it\n{text}\n")
    code, _, err = run(capsys, "run", "it.yaml")
    assert (code, said in err) == (2, True)
    assert not (files / "results").exists()
