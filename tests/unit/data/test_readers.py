"""Files of other tools: told by their content, read as tables of predictions or of numbers.

The files are made here as the tools write them: openml-python (openml/runs/run.py),
lm-evaluation-harness (lm_eval/evaluator.py), Inspect (inspect_ai/log/_log.py) and MLflow
(`log_table`, orient="split").
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bakeoff.cli import main
from bakeoff.data import readers
from bakeoff.data.given_predictions import load_given
from bakeoff.data.predicted import predicted
from bakeoff.data.prediction_table import read_predictions
from bakeoff.data.readers import inspect_logs, lm_eval, mlflow, openml
from bakeoff.data.table_files import read_table
from bakeoff.errors import Problem
from bakeoff.preflight import check_experiment
from bakeoff.spec import load_experiment
from bakeoff.spec.given_models import GivenColumns
from tests.logs import beginnings

PLACE = ("predictions",)
OPENML = """\
%Sat Nov 21 12:00:00 2026
@RELATION openml_task_59_predictions

@ATTRIBUTE repeat NUMERIC
@ATTRIBUTE fold NUMERIC
@ATTRIBUTE sample NUMERIC
@ATTRIBUTE row_id NUMERIC
@ATTRIBUTE confidence.Iris-setosa NUMERIC
@ATTRIBUTE confidence.Iris-virginica NUMERIC
@ATTRIBUTE prediction {Iris-setosa, Iris-virginica}
@ATTRIBUTE correct {Iris-setosa, Iris-virginica}

@DATA
0,0,0,14,0.9,0.1,Iris-setosa,Iris-setosa
0,0,0,3,0.2,0.8,Iris-virginica,Iris-virginica
0,1,0,7,0.6,0.4,Iris-setosa,Iris-virginica
"""


def sample(doc_id: int, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "doc": {"question": f"{doc_id} + 1?"},
        "target": str(doc_id + 1),
        "arguments": [["Q", {"until": ["\n"]}]],
        "resps": [["2"]],
        "filtered_resps": ["2"],
        "doc_hash": "0f",
        "prompt_hash": "1e",
        "target_hash": "2d",
        **more,
    }


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def log(samples: list[dict[str, Any]] | None) -> str:
    return json.dumps(
        {
            "version": 2,
            "status": "success",
            "eval": {"run_id": "x", "task": "arithmetic", "model": "m", "packages": {}},
            "results": {"total_samples": 2},
            "samples": samples,
        }
    )


def scored(i: object, value: object, epoch: int = 1, scorer: str = "match") -> dict[str, Any]:
    scores = {scorer: {"value": value, "answer": "2"}}
    return {"id": i, "epoch": epoch, "input": f"{i}?", "target": "2", "scores": scores}


def test_a_run_of_openml(tmp_path: Path) -> None:
    path = tmp_path / "predictions.arff"
    path.write_text(OPENML)
    assert readers.reader_of(str(path)) is openml
    table = read_table(str(path), PLACE).to_pandas()
    assert list(table.columns) == [
        "id",
        "y_true",
        "y_pred",
        "p_Iris-setosa",
        "p_Iris-virginica",
        "fold",
    ]
    assert table["id"].tolist() == [14, 3, 7]
    assert table["y_true"].tolist() == ["Iris-setosa", "Iris-virginica", "Iris-virginica"]
    assert table["fold"].tolist() == [1, 1, 2]
    path.write_text(OPENML.replace("correct", "truth"))
    assert read_table(str(path), PLACE).to_pandas()["y_true"].tolist()[0] == "Iris-setosa"
    path.write_text(OPENML.replace("0,1,0,7", "0,1,5,7"))
    with pytest.raises(Problem, match="OpenML run: it is a learning curve"):
        read_table(str(path), PLACE)
    for other in ("7.5", "?"):
        path.write_text(OPENML.replace("0,1,0,7", f"0,1,0,{other}"))
        with pytest.raises(Problem, match="row_id: expected whole numbers"):
            read_table(str(path), PLACE)


def test_other_arff_is_a_plain_table(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation t\n@attribute id numeric\n@attribute y {a, b}\n@data\n1,a\n2,b\n")
    assert readers.reader_of(str(path)) is None
    assert read_table(str(path), PLACE).column_names == ["id", "y"]


def test_other_json_is_refused_with_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": 1}')
    with pytest.raises(Problem, match=r"no JSON that is known here.*Inspect; .*MLflow; .*as CSV"):
        read_table(str(path), PLACE)


def test_samples_of_lm_eval(tmp_path: Path) -> None:
    path = tmp_path / "samples_gsm8k.jsonl"
    path.write_text(lines([sample(0, exact_match=1.0), sample(1, exact_match=0.0)]))
    assert readers.reader_of(str(path)) is lm_eval
    found = read_table(str(path), PLACE).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["0 + 1?", "1 + 1?"]
    assert found == {"sample_id": [0, 1], "score": [1.0, 0.0]}


def test_metrics_and_filters_of_lm_eval_keep_their_names() -> None:
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (lines([sample(0, acc=1.0), sample(0, acc=1.0)]), "line 2: document 0 has acc twice"),
        (lines([sample(0)]), "no sample has a metric that is a number"),
        (lines([sample(0, acc=1.0)]) + "{", "line 2"),
        (lines([sample(0, acc=1.0), {"x": 1}]), "line 2: expected the field 'doc_id', found x"),
        (lines([sample(0, acc=1.0, doc={}, doc_hash="")]), "line 1: expected a sample with doc or"),
        (
            lines([sample(0, acc=1.0), sample(0, acc=1.0, doc={"question": "other"})]),
            "line 2: document 0 is another one before it",
        ),
    ],
)
def test_wrong_samples_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    with pytest.raises(Problem, match=f"lm-evaluation-harness: {message}"):
        read_table(str(path), PLACE)


def test_a_log_of_inspect(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(log([scored("a", "C"), scored("b", "I"), scored("c", "P"), scored("d", 0.25)]))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read_table(str(path), PLACE).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "b?", "c?", "d?"]
    assert found == {"sample_id": ["a", "b", "c", "d"], "score": [1.0, 0.0, 0.5, 0.25]}
    path.write_text(log([scored(1, "C", 1), scored(1, "I", 2), scored(2, True, 1)]))
    assert read_table(str(path), PLACE).to_pandas()["epoch"].tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (log([]), "it has no samples"),
        (log(None), "it has no samples"),
        (log([{"id": 1, "epoch": 1, "input": "?", "scores": {}}]), "no sample has a score"),
        (log([{"id": 1, "scores": {}}]), r"samples\[0\]: expected the field 'input', found id"),
        (log([{"input": "?", "scores": {}}]), r"samples\[0\]: expected the field 'id'"),
        (log([1]), r"samples\[0\]: expected an object, found 1"),  # type: ignore[list-item]
        (log([scored(1, [1, 2])]), r"sample 1 has the score \[1, 2\]"),
        (log([scored(1, "good")]), "sample 1 has the score 'good'"),
    ],
)
def test_wrong_logs_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        inspect_logs.read(text)


def archive_of(path: Path, text: str) -> Path:
    """Write a log as an `.eval` file."""
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


def test_an_eval_file_of_inspect(tmp_path: Path) -> None:
    rows = [scored("a", "C", 1), scored("b", "I", 1), scored("a", "P", 2), scored("b", 1, 2)]
    path = archive_of(tmp_path / "log.eval", log(rows))
    assert readers.reader_of(str(path)) is inspect_logs
    found = read_table(str(path), PLACE).to_pandas().to_dict("list")
    assert beginnings(found.pop("id")) == ["a?", "a?", "b?", "b?"]
    assert found == {
        "sample_id": ["a", "a", "b", "b"],
        "epoch": [1, 2, 1, 2],
        "score": [1.0, 0.5, 0.0, 1.0],
    }
    text = log(rows).replace('"success"', '"started"')
    with pytest.raises(Problem, match="its status is 'started', with 4 samples"):
        read_table(str(archive_of(tmp_path / "log.eval", text)), PLACE)


def with_zstandard(path: Path) -> None:
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


def test_eval_files_of_today_are_packed_by_zstandard(tmp_path: Path) -> None:
    path = archive_of(tmp_path / "log.eval", log([scored("a", "C", 1), scored("b", "I", 1)]))
    with_zstandard(path)
    assert read_table(str(path), PLACE).to_pandas()["score"].tolist() == [1.0, 0.0]
    content = bytearray(path.read_bytes())
    content[content.index(b"samples/a") + 60] ^= 255
    path.write_bytes(content)
    with pytest.raises(Problem, match=r"samples/a_epoch_1.json cannot be unpacked"):
        read_table(str(path), PLACE)


def test_scorer_of_inspect_with_several_values(tmp_path: Path) -> None:
    rows = [scored(1, {"exact": "C", "f1": 0.5}), scored(2, {"exact": "I", "f1": 0.0})]
    (scorer,) = rows[0]["scores"]
    found = inspect_logs.read(log(rows))
    assert found.drop(columns="id").to_dict("list") == {
        "sample_id": [1, 2],
        f"{scorer}.exact": [1.0, 0.0],
        f"{scorer}.f1": [0.5, 0.0],
    }


def test_other_archives_are_no_logs(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as archive:
        archive.writestr("t.csv", "id,score\n1,2\n")
    assert readers.reader_of(str(tmp_path / "t.csv.zip")) is None
    assert read_table(str(tmp_path / "t.csv.zip"), PLACE).num_rows == 1


def test_a_table_of_mlflow(tmp_path: Path) -> None:
    path = tmp_path / "eval_results_table.json"
    rows = {
        "inputs": ["p", "q"],
        "ground_truth": ["a", "b"],
        "outputs": ["a", "a"],
        "x": [[1], [2]],
    }
    pd.DataFrame(rows).to_json(path, orient="split", index=False)
    assert readers.reader_of(str(path)) is mlflow
    table = read_table(str(path), PLACE).to_pandas()
    assert list(table.columns) == ["inputs", "y_true", "y_pred"]
    path.write_text('{"columns": ["a", "b"], "data": [[1]]}')
    with pytest.raises(Problem, match="a table of MLflow: expected columns and data that fit"):
        read_table(str(path), PLACE)


def test_readers_of_others_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Own:
        WHAT = "lines of mine"

        def recognizes(self, head: str) -> bool:
            return head.startswith("MINE")

        def read(self, text: str) -> pd.DataFrame:
            return pd.DataFrame({"id": [1], "score": [float(len(text))]})

    class Point:
        def load(self) -> Own:
            return Own()

    monkeypatch.setattr(readers.metadata, "entry_points", lambda group: [Point()])
    readers._readers.cache_clear()
    path = tmp_path / "x.mine"
    path.write_text("MINE")
    assert read_table(str(path), PLACE).to_pandas()["score"].tolist() == [4.0]
    monkeypatch.undo()
    readers._readers.cache_clear()
    assert readers.reader_of(str(path)) is None


def test_predictions_are_compared_and_decided_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    head = OPENML.split("@DATA\n")[0] + "@DATA\n"
    for name, wrong in (("a", 10), ("b", 4)):
        rows = (
            f"0,0,0,{i},0.5,0.5,Iris-{said},Iris-setosa\n"
            for i in range(200)
            for said in ["virginica" if i % wrong == 0 else "setosa"]
        )
        Path(f"{name}.arff").write_text(head + "".join(rows))
    assert main(["compare", "a.arff", "b.arff", "--classes", "Iris-virginica"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "180 of 200" in said
    assert "a.arff was read as predictions of an OpenML run" in said
    assert main(["gate", "a.arff", "b.arff", "--margin", "0.01"]) == 3  # a class without rows
    capsys.readouterr()


def written(name: str, wrong: int, kind: str) -> str:
    """Write 200 rows of a model that is wrong on some, as a tool would."""
    right = [i % wrong != 0 for i in range(200)]
    if kind == "arff":
        head = OPENML.split("@DATA\n")[0] + "@DATA\n"
        true = ["setosa" if i % 3 else "virginica" for i in range(200)]
        other = {"setosa": "virginica", "virginica": "setosa"}
        text = head + "".join(
            f"0,0,0,{i},0.5,0.5,Iris-{t if ok else other[t]},Iris-{t}\n"
            for i, (t, ok) in enumerate(zip(true, right, strict=True))
        )
    elif kind == "jsonl":
        text = lines([sample(i, acc=float(ok), f1=0.5) for i, ok in enumerate(right)])
    elif kind == "inspect":
        text = log([scored(i, "C" if ok else "I") for i, ok in enumerate(right)])
    else:
        true = ["b" if i % 3 else "a" for i in range(200)]
        said = [t if ok else "ba"["ab".index(t)] for t, ok in zip(true, right, strict=True)]
        rows = {"id": range(200), "ground_truth": true, "outputs": said}
        text = pd.DataFrame(rows).to_json(orient="split", index=False)
    ending = "json" if kind in ("inspect", "mlflow") else kind
    Path(f"{name}.{ending}").write_text(text)
    return f"{name}.{ending}"


KINDS = {
    "arff": ("predictions of an OpenML run", "predictions", []),
    "jsonl": ("samples of lm-evaluation-harness", "values", ["--column", "acc"]),
    "inspect": ("a log of Inspect", "values", []),
    "mlflow": ("a table of MLflow", "predictions", []),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_file_works_in_compare_gate_and_experiments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    what, key, column = KINDS[kind]
    files = [written("a", 10, kind), written("b", 4, kind)]
    more = ["--values", "right", *column] if key == "values" else []

    assert main(["compare", *files, *more]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "180 of 200" in said
    assert "150 of 200" in said
    assert f"{files[0]} was read as {what}" in said

    assert main(["gate", *files, "--margin", "0.01", *more]) == 1
    assert f"{files[1]} was read as {what}" in " ".join(capsys.readouterr().out.split())

    columns = {"columns": {"value": column[1]}} if column else {}
    loaded = load_experiment(
        {
            "experiment": "e",
            "models": {name: {key: f, **columns} for name, f in zip("ab", files, strict=True)},
            "metrics": ["accuracy"],
            "tests": {"run": ["mcnemar"]},
        }
    )
    problems, chosen = check_experiment(loaded)
    assert problems == []
    assert [test.name for test in chosen] == ["mcnemar"]
    table = load_given(next(iter(loaded.datasets)), loaded)
    assert table.card["rows"] == 200


def test_probabilities_of_a_single_class_say_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    pd.DataFrame({"id": [1, 2], "y_true": "a", "y_pred": "a", "p_a": 1.0}).to_csv(path, index=False)
    columns = GivenColumns.model_validate({})
    table = read_predictions(str(path), columns, PLACE)
    found = predicted(table, np.array([0, 1]), ("a",), columns)
    assert found.probabilities is None
    assert found.answers.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("status", "results"),
    [("error", None), ("cancelled", {}), ("success", {"completed_samples": 1, "total_samples": 2})],
)
def test_a_log_that_did_not_finish_is_refused(
    tmp_path: Path, status: str, results: dict[str, int] | None
) -> None:
    found = json.loads(log([scored(1, "C")])) | {"status": status, "results": results}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(found))
    with pytest.raises(Problem, match=f"its status is '{status}', with 1 .*did not finish"):
        read_table(str(path), PLACE)


@pytest.mark.parametrize(
    ("odd", "said"),
    [(3, "it is a number"), ({"x": 1}, "it is an object"), (True, "it is true or false")],
)
def test_a_column_of_several_types_is_named(tmp_path: Path, odd: object, said: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(lines([{"id": i, "m": "a" if i != 2 else odd} for i in range(5)]))
    with pytest.raises(Problem, match=f"column 'm' .* it is text, in row 3 {said}"):
        read_table(str(path), PLACE)


MLR3 = "row_ids,truth,response,prob.M,prob.R\n3,M,M,0.7,0.3\n1,R,M,0.6,0.4\n"
TIDY = ".pred_class,.pred_no,.pred_yes,id,id2,.row,left,.config\n" + "".join(
    f"{said},0.{9 - row},0.{row + 1},Repeat{row % 2 + 1},Fold1,{row},yes,Preprocessor1_Model1\n"
    for row, said in enumerate(["yes", "no"], 1)
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            MLR3,
            {"id": [3, 1], "y_true": ["M", "R"], "y_pred": ["M", "M"]}
            | {"p_M": [0.7, 0.6], "p_R": [0.3, 0.4]},
        ),
        (
            MLR3.replace(",prob.M,prob.R", ",se;x").replace(",", ";"),
            {"id": [3, 1], "y_true": ["M", "R"], "y_pred": ["M", "M"]}
            | {"se": [0.7, 0.6], "x": [0.3, 0.4]},
        ),
        (
            TIDY,
            {"y_pred": ["yes", "no"], "p_no": [0.8, 0.7], "p_yes": [0.2, 0.3]}
            | {"repeat": ["Repeat1", "Repeat2"][::-1], "id": [1, 2], "y_true": ["yes", "yes"]},
        ),
        (
            "id,.pred,.row,price\ntrain/test split,1.5,1,2\ntrain/test split,2.5,2,2\n",
            {"y_pred": [1.5, 2.5], "id": [1, 2], "y_true": [2, 2]},
        ),
    ],
)
def test_tables_of_r_packages(tmp_path: Path, text: str, expected: dict[str, list[Any]]) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert read_table(str(path), PLACE).to_pandas().to_dict("list") == expected


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "2,yes,Preprocessor1_Model1",
            "2,yes,Preprocessor1_Model2",
            "it holds 2 candidates",
        ),
        ("left,.config", "left,cost", "which column is the outcome.* of left, cost"),
    ],
)
def test_predictions_of_tidymodels_that_are_not_clear(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(TIDY.replace(old, new))
    with pytest.raises(Problem, match=f"predictions of tidymodels: {said}"):
        read_table(str(path), PLACE)
