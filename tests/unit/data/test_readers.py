"""Files of other tools: told by their content, read as tables of predictions or of numbers.

The files are made here as the tools write them: lm-evaluation-harness (lm_eval/evaluator.py) and
Inspect (inspect_ai/log/_log.py).
"""

import json
import re
import struct
import zipfile
import zlib
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest

from bakeoff.data import readers
from bakeoff.data.given_tables import read_columns, tables_of
from bakeoff.data.observations import Observations
from bakeoff.data.readers import inspect_logs, lm_eval, promptfoo
from bakeoff.data.records import read_table
from bakeoff.errors import Problem
from tests.logs import beginnings

PLACE = ("predictions",)


def read(path):
    return read_table(str(path), PLACE)


def sample(doc_id, **more):
    asked = {"doc_id": doc_id, "doc": {"question": f"{doc_id} + 1?"}, "target": str(doc_id + 1)}
    asked |= {"arguments": [["Q", {"until": ["\n"]}]], "resps": [["2"]], "filtered_resps": ["2"]}
    return asked | {"doc_hash": "0f", "prompt_hash": "1e", "target_hash": "2d", **more}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def log(samples):
    run = {"run_id": "x", "task": "arithmetic", "model": "m", "packages": {}}
    head = {"version": 2, "status": "success", "eval": run, "results": {"total_samples": 2}}
    return json.dumps({**head, "samples": samples})


def scored(i, value, epoch=1, scorer="match"):
    scores = {scorer: {"value": value, "answer": "2"}}
    return {"id": i, "epoch": epoch, "input": f"{i}?", "target": "2", "scores": scores}


def test_samples_of_lm_eval(tmp_path):
    path = tmp_path / "samples_gsm8k.jsonl"
    path.write_text(lines([sample(0, exact_match=1.0), sample(1, exact_match=0.0)]))
    assert readers.reader_of(str(path)) is lm_eval
    found = read(path).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["0 + 1?", "1 + 1?"]
    assert found == {"sample_id": [0, 1], "score": [1.0, 0.0]}


def test_metrics_and_filters_of_lm_eval_keep_their_names():
    rows = [sample(0, acc=1.0, acc_norm=0.0), sample(1, acc=0.0, acc_norm=0.0)]
    assert list(lm_eval.read(lines(rows)).columns) == ["id", "sample_id", "acc", "acc_norm"]
    rows = [
        sample(i, filter=name, metrics=["exact_match"], exact_match=float(i))
        for name in ("strict-match", "flexible-extract")
        for i in (0, 1)
    ]
    table = lm_eval.read(lines(rows))
    named = ["exact_match,strict-match", "exact_match,flexible-extract"]
    assert list(table.columns) == ["id", "sample_id", *named]
    assert table["exact_match,strict-match"].tolist() == [0.0, 1.0]


def test_a_log_of_inspect(tmp_path):
    path = tmp_path / "log.json"
    path.write_text(log([scored("a", "C"), scored("b", "I"), scored("c", "P"), scored("d", 0.25)]))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read(path).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "b?", "c?", "d?"]
    assert found == {"sample_id": ["a", "b", "c", "d"], "score": [1.0, 0.0, 0.5, 0.25]}
    path.write_text(log([scored(1, "C", 1), scored(1, "I", 2), scored(2, True, 1)]))
    assert read(path).to_pandas()["epoch"].tolist() == [1, 2, 1]
    rows = [scored(1, {"exact": "C", "f1": 0.5}), scored(2, {"exact": "I", "f1": 0.0})]
    columns = inspect_logs.read(log(rows)).drop(columns=["id", "sample_id"]).to_dict("list")
    assert columns == {"match.exact": [1.0, 0.0], "match.f1": [0.5, 0.0]}


def promptfoo_row(**fields):
    row = {"promptIdx": 0, "provider": "m", "success": True, "score": 1}
    return json.dumps({"results": {"results": [row | fields]}})


SAME = sample(0, acc=1.0)
ONE = {"id": 1, "epoch": 1, "input": "?", "scores": {}}


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (lm_eval, lines([SAME, SAME]), "line 2: document 0 has acc twice"),
        (lm_eval, lines([sample(0)]), "no sample has a metric that is a number"),
        (lm_eval, lines([SAME]) + "{", "line 2"),
        (lm_eval, lines([SAME, {"x": 1}]), "line 2: expected the field 'doc_id', found x"),
        (lm_eval, lines([{**SAME, "doc": {}, "doc_hash": ""}]), "line 1: expected a sample with d"),
        (lm_eval, lines([SAME, {**SAME, "doc": {"q": "x"}}]), "line 2: document 0 is another one"),
        (lm_eval, lines([{**SAME, "doc_id": [0]}]), r"line 1.doc_id: expected a whole number or a"),
        (lm_eval, lines([SAME]).replace("1.0", "9" * 401), "line 1: a number has 401 digits"),
        (promptfoo, promptfoo_row(promptIdx=[1]), r"results.results\[0\].promptIdx: expected a"),
        (promptfoo, promptfoo_row(namedScores="x"), r"\[0\].namedScores: expected an object"),
        (inspect_logs, log([]), "it has no samples"),
        (inspect_logs, log([ONE | {"epoch": [1]}]), r"samples\[0\].epoch: expected a whole number"),
        (inspect_logs, log([ONE | {"scores": {"m": {}}}]), r"scores.m: expected the field 'value'"),
        (inspect_logs, log(None), "it has no samples"),
        (inspect_logs, log([ONE]), "no sample has a score"),
        (inspect_logs, log([{"id": 1, "scores": {}}]), r"\[0\]: expected the field 'input', found"),
        (inspect_logs, log([{"input": "?", "scores": {}}]), r"samples\[0\]: expected the field 'i"),
        (inspect_logs, log([1]), r"samples\[0\]: expected an object, found 1"),
        (inspect_logs, log([scored(1, [1, 2])]), r"sample 1 has the score \[1, 2\]"),
        (inspect_logs, log([scored(1, "good")]), "sample 1 has the score 'good'"),
    ],
)
def test_wrong_records_are_refused(reader, text, message):
    with pytest.raises(ValueError, match=message):
        reader.read(text)


def archive_of(path, text):
    found = json.loads(text)
    samples = found.pop("samples")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", "{}")
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample | {"messages": ["long"]}))
        if found["status"] == "success":
            archive.writestr("header.json", json.dumps(found))
    return path


def test_an_eval_file_of_inspect(tmp_path):
    rows = [scored("a", "C", 1), scored("b", "I", 1), scored("a", "P", 2), scored("b", 1, 2)]
    path = archive_of(tmp_path / "log.eval", log(rows))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read(path).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "a?", "b?", "b?"]
    assert (found["epoch"], found["score"]) == ([1, 2, 1, 2], [1.0, 0.5, 0.0, 1.0])
    text = log(rows).replace('"success"', '"started"')
    with pytest.raises(Problem, match="its status is 'started', with 4 samples"):
        read_table(str(archive_of(tmp_path / "log.eval", text)), PLACE)


def with_zstandard(path):
    """Pack the members of an archive by Zstandard, which zipfile writes from Python 3.14 on."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    begun, listed = b"", b""
    for name, content in members.items():
        packed = pa.compress(content, codec="zstd", asbytes=True)
        sizes = zlib.crc32(content), len(packed), len(content), len(name), 0
        facts = struct.pack("<HHHHHIIIHH", 20, 0, 93, 0, 33, *sizes)
        listed += b"PK\1\2" + struct.pack("<H", 20) + facts
        listed += struct.pack("<HHHII", 0, 0, 0, 0, len(begun)) + name.encode()
        begun += b"PK\3\4" + facts + name.encode() + packed
    count = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(listed), len(begun), 0)
    path.write_bytes(begun + listed + b"PK\5\6" + end)


def test_eval_files_of_today_are_packed_by_zstandard(tmp_path):
    path = archive_of(tmp_path / "log.eval", log([scored("a", "C", 1), scored("b", "I", 1)]))
    with_zstandard(path)
    assert read(path).to_pandas()["score"].tolist() == [1.0, 0.0]
    content = bytearray(path.read_bytes())
    content[content.index(b"samples/a") + 60] ^= 255
    path.write_bytes(content)
    with pytest.raises(Problem, match=r"samples/a_epoch_1.json cannot be unpacked"):
        read(path)


def test_other_archives_are_no_logs(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("t.csv", "id,score\n1,2\n")
    assert readers.reader_of(str(tmp_path / "t.csv.zip")) is None
    assert read(tmp_path / "t.csv.zip").num_rows == 1


def test_probabilities_of_a_single_class_say_nothing(tmp_path):
    path = tmp_path / "p.csv"
    pd.DataFrame({"id": [1, 2], "y_true": "a", "y_pred": "a", "p_a": 1.0}).to_csv(path, index=False)
    rows = Observations.of_records(read_columns(str(path), PLACE))
    ((found,),) = rows.among(("a",)).values()
    assert found.probabilities is None
    assert found.answers.tolist() == [0, 0]


def test_an_archive_of_an_unknown_version_is_named(tmp_path):
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"id": [1, 2], "A": "a", "B": "b"}).to_excel(path, index=False)
    listed = b"PK\x01\x02"  # followed by the versions that wrote it, and that it needs
    newer = re.sub(listed + b"(..)..", listed + rb"\1c\0", path.read_bytes(), flags=re.DOTALL)
    path.write_bytes(newer)
    with pytest.raises(Problem, match=r"cannot be read as excel: zip file version 9\.9"):
        read(path)


HALF = {"completed_samples": 1, "total_samples": 2}


@pytest.mark.parametrize(
    ("status", "results"), [("error", None), ("cancelled", {}), ("success", HALF)]
)
def test_a_log_that_did_not_finish_is_refused(tmp_path, status, results):
    found = json.loads(log([scored(1, "C")])) | {"status": status, "results": results}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found))
    with pytest.raises(Problem, match=f"its status is '{status}', with 1 .*did not finish"):
        read(path)


def test_a_column_of_several_types_is_one_of_texts(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([{"id": i, "m": "a" if i != 2 else 3} for i in range(5)]))
    table = read(path)
    assert table["m"].to_pylist() == ["a", "a", "3", "a", "a"]


KNOWN = r"content: a log of Inspect; samples of .*; results of promptfoo; lines of mine; save"


def test_readers_of_others_are_found(tmp_path, monkeypatch):
    mine = SimpleNamespace(
        WHAT="lines of mine",
        recognizes=lambda head: head.startswith("MINE"),
        read=lambda text: pd.DataFrame({"id": [1], "score": [float(len(text))]}),
    )
    point = SimpleNamespace(load=lambda: mine)
    monkeypatch.setattr(readers.metadata, "entry_points", lambda group: [point])
    monkeypatch.setattr(readers, "_readers", readers._readers.__wrapped__)
    (tmp_path / "x.mine").write_text("MINE")
    assert read(tmp_path / "x.mine")["score"].to_pylist() == [4.0]
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(Problem, match=KNOWN):
        read(tmp_path / "x.json")
    (tmp_path / "x.mine").rename(tmp_path / "x.jsonl")
    (tmp_path / "x.json").unlink()
    mine.named = lambda path: {"model": f"the {path.stem}", "task": "t"}
    assert tables_of([str(tmp_path)]).read_as[0].endswith(", with the models the x")
