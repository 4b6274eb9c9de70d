"""Several tasks in one folder of logs, items that a model lacks, and what logs know of samples."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff.cli import main
from bakeoff.data.given_tables import tables_of
from tests.logs import drawn, inspect, lm_eval, promptfoo


@pytest.fixture
def folder(in_folder):
    big = drawn(2000, 0.6, 1)
    small = list(range(5000, 5060))
    worse = [ok if i % 10 else 0 for i, ok in enumerate(big)]
    for model, first, second in (("A", big, drawn(60, 0.3, 3)), ("B", worse, drawn(60, 0.72, 4))):
        lm_eval(model, "big", first, out="two")
        lm_eval(model, "small", second, questions=small, out="two")
    for model, seed in (("A", 1), ("B", 2)):
        for task, keys, start in (("arc", ("acc", "norm"), 0), ("gsm", ("match",), 1000)):
            asked = list(range(start, start + 100))
            path = Path(lm_eval(model, task, drawn(100, 0.6, seed), questions=asked, out="mixed"))
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            for i, row in enumerate(rows):
                row |= {
                    key: float((i + k) % 3 > 0) if k else row["acc"] for k, key in enumerate(keys)
                }
                row |= {"metrics": list(keys)}
                row["doc"] |= {"subject": ["math", "bio"][i % 2], "label": i % 4}
            path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    inspect("limit/a.json", "a", drawn(200, 0.6, 1))
    inspect("limit/b.json", "b", drawn(150, 0.5, 2))
    inspect("error/a.json", "a", drawn(200, 0.6, 1))
    inspect("error/b.json", "b", drawn(180, 0.5, 2), status="error")
    score = np.array(drawn(100, 0.5, 5), dtype=float)
    pd.DataFrame({"id": range(100), "score": score}).to_csv("all.csv", index=False)
    pd.DataFrame({"id": range(5, 100), "score": 1 - score[5:]}).to_csv("short.csv", index=False)
    holes = np.where(np.arange(100) < 7, np.nan, 1 - score)
    pd.DataFrame({"id": range(100), "score": holes}).to_csv("holes.csv", index=False)
    wide = {"id": range(100), "a": score, "b": holes}
    pd.DataFrame(wide).to_csv("wide.csv", index=False)


RIGHT = ["--values", "right"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("two", 0, "A is better than B by accuracy"),
        ("two", 0, "micro averages over 2,060 items of 2 tasks, which weigh"),
        ("two", 0, "macro averages over tasks: A 0.459 (big 0.601, small 0.317); B 0."),
        ("two", 0, "small A B 60 −0.350"),
        ("two --tasks small", 0, "B is better than A by accuracy"),
        ("two --tasks big,small", 0, "2,060 items of 2 tasks"),
        ("two --tasks tiny", 2, "tasks: unknown task 'tiny' (allowed: big, small)"),
        ("all.csv short.csv --tasks big", 2, "tasks: is for a folder of logs"),
        ("mixed", 2, "column"),
        ("mixed --tasks arc=norm,gsm=score", 0, "200 items of 2 tasks"),
        ("mixed --tasks arc=acc,gsm=score --subgroups subject", 0, "differs?"),
        ("mixed --tasks arc=norm,gsm=match", 0, "200 items of 2 tasks"),
        ("mixed --tasks arc=other,gsm=score", 2, "value: arc: unknown column 'other'"),
        ("mixed --tasks gsm --groups subject", 0, "100 held-out rows"),
        ("limit", 2, "ids that are missing (50)"),
        ("limit --missing wrong", 0, "counted as wrong: 50 of b (of 200)"),
        ("limit --missing wrong", 0, "of 200 b"),
        ("limit --missing common", 0, "150 of 200 items are compared"),
        ("error", 2, "the evaluation did not finish"),
        ("error --missing wrong", 0, "counted as wrong: 20 of b (of 200)"),
        ("all.csv short.csv --missing wrong", 0, "counted as wrong: 5 of short (of 100)"),
        ("all.csv short.csv --missing common", 0, "95 of 100 items are compared"),
        ("all.csv holes.csv", 2, "7 of 100 rows have no number"),
        ("all.csv holes.csv --missing common", 0, "93 of 100 items are compared"),
        ("wide.csv --missing wrong", 0, "counted as wrong: 7 of b (of 100)"),
    ],
)
def test_tasks_are_chosen_and_missing_items_are_counted(bakeoff, folder, options, code, said):
    found, out, err = bakeoff("compare", *options.split(), *RIGHT)
    assert found == code, err
    assert said in " ".join((out or err).split())


def test_what_is_missing_is_wrong_with_the_same_numbers_as_written_out(bakeoff, folder):
    table = pd.read_csv("holes.csv").fillna(0.0)
    table.to_csv("filled.csv", index=False)
    found = [
        json.loads(bakeoff("compare", *files, *RIGHT, "--json")[1])["comparisons"]
        for files in (("all.csv", "holes.csv", "--missing", "wrong"), ("all.csv", "filled.csv"))
    ]
    assert found[0][0]["pvalue"] == found[1][0]["pvalue"]
    assert found[0][0]["estimate"] == found[1][0]["estimate"]


def test_missing_says_what_it_is_for(refused, folder):
    files = "compare", "all.csv", "short.csv", "--values"
    refused(*files, "higher", "--missing", "wrong", said="missing: wrong: which number is wrong?")
    allowed = "missing: unknown value 'failed' (allowed: common, wrong)"
    refused(*files, "right", "--missing", "failed", said=allowed)


def test_gate_counts_what_is_missing(folder, capsys):
    files = ["limit", "--models", "a,b", "--margin", "0.01", *RIGHT]
    assert main(["gate", *files]) == 3
    assert main(["gate", *files, "--missing", "wrong"]) == 1
    assert "on 200 rows" in " ".join(capsys.readouterr().out.split())


def test_logs_bring_what_they_know_of_samples(folder, tmp_path):
    inspect("meta/a.json", "a", drawn(40, 0.6, 1))
    log = json.loads(Path("meta/a.json").read_text())
    for i, sample in enumerate(log["samples"]):
        sample["metadata"] = {"lang": ["de", "fr"][i % 2], "level": i % 3, "score": 1, "deep": {}}
    Path("meta/a.json").write_text(json.dumps(log))
    Path("meta/b.json").write_text(json.dumps({**log, "eval": {**log["eval"], "model": "b"}}))
    promptfoo("p.json", {"m": drawn(20, 0.5, 1), "n": drawn(20, 0.5, 2)})
    (inspected, *_) = tables_of(["meta"]).models.values()
    assert {"lang", "level", "metadata.score"} <= set(inspected.names)
    assert "deep" not in inspected.names
    (tested, *_) = tables_of(["p.json"]).models.values()
    assert set(tested.names) - {"id", "success", "score"}
