"""The file of one fit comes back as it was written; what it says of its making is believed."""

import dataclasses

import numpy as np
import pyarrow.parquet as pq
import pytest

from bakeoff.errors import UserError
from bakeoff.fit.predictions import Predictions, find_outdated, is_made, read_facts, stamp
from bakeoff.scores import collect_predictions, score_fits


def made(rows, ranked_by):
    rng = np.random.default_rng(rows)
    values = rng.dirichlet((1, 1, 1), rows)
    return Predictions(
        np.arange(rows) * 3,
        rng.integers(0, 3, rows),
        rng.integers(0, 2, rows),
        ("a", "b", "ü c"),
        values if ranked_by == "probabilities" else None,
        values if ranked_by == "decision" else None,
        {"fingerprint": "r", "n_test": rows},
    )


@pytest.mark.parametrize("rows", [1, 50, 20_000])
@pytest.mark.parametrize("ranked_by", ["probabilities", "decision", "nothing"])
def test_predictions_come_back(tmp_path, rows, ranked_by):
    path, one = tmp_path / "a.parquet", made(rows, ranked_by)
    one.write(path)
    again = Predictions.read(path)
    for field in dataclasses.fields(Predictions):
        a, b = getattr(one, field.name), getattr(again, field.name)
        assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, field.name
    assert read_facts(path)["classes"] == ["a", "b", "ü c"]
    part = Predictions.read(path, ranking=False)
    assert part.ranking is None, "what ranks the rows is left where it is not wanted"
    assert np.array_equal(part.y_pred, one.y_pred)
    assert part.facts == one.facts
    column = pq.read_metadata(path).row_group(0).column(0)
    assert (column.compression == "ZSTD") == (rows == 20_000), "only large files are packed"


def test_stamp_tells_what_made_a_file(tmp_path):
    data, splits, output = (tmp_path / name for name in ("data", "splits", "p.parquet"))
    data.write_text("data")
    splits.write_text("splits")
    made_by = stamp("fingerprint", data, splits)
    assert not is_made(output, made_by)
    code = np.zeros(2, dtype=np.intp)
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, made_by).write(output)
    assert is_made(output, made_by)
    assert not is_made(output, stamp("another", data, splits))
    data.write_text("other data")
    assert not is_made(output, stamp("fingerprint", data, splits))
    other, same = str(tmp_path / "missing.parquet"), {"fingerprint": "fingerprint"}
    assert find_outdated({str(output): same, other: same}) == []
    for wanted in ({"fingerprint": "new"}, {**same, "measured": "{}"}):
        assert find_outdated({str(output): wanted, other: wanted}) == [str(output)]
    output.write_text("half a file")
    assert find_outdated({str(output): same}) == [str(output)]


def test_predictions_of_another_fingerprint_are_not_scored(tmp_path):
    code = np.zeros(2, dtype=np.intp)
    facts = {**dict.fromkeys(("dataset", "plan", "repeat", "fold", "seed"), 1), "model": "tree"}
    facts["dataset"] = "d"
    facts |= {"n_train": 2, "n_test": 2, "fingerprint": "old"}
    path = tmp_path / "p.parquet"
    Predictions(np.arange(2), code, code, ("u", "v"), None, None, facts).write(path)
    scores, _ = score_fits([path], ["accuracy"], fingerprints={"d": {"tree": "old"}})
    assert list(scores["value"]) == [1.0]
    for read in (
        lambda: score_fits([path], ["accuracy"], fingerprints={"d": {"tree": "new"}}),
        lambda: collect_predictions({"tree": path}, tmp_path / "c.parquet", {"d": {"tree": "new"}}),
    ):
        with pytest.raises(UserError, match=r"p\.parquet was made by another state"):
            read()
