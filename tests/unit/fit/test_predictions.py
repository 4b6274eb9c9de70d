"""The file of one fit comes back as it was written, whole or in part."""

import dataclasses

import numpy as np
import pyarrow.parquet as pq
import pytest

from bakeoff.fit.predictions import Predictions, read_facts


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
