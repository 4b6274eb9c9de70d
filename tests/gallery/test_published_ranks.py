"""Tables of the field give the ranks that were published with them."""

import json

import numpy as np
import pandas as pd
import pytest

from bakeoff.__main__ import main
from tests.conftest import ROOT

HERE = ROOT / "docs/gallery"
RANKS = ROOT / "tests/gallery"


def average_ranks(capsys, *arguments):
    """Return the average rank of each model."""
    assert main(["compare", *map(str, arguments), "--json"]) == 0
    (standings,) = json.loads(capsys.readouterr().out)["standings"]
    lines = pd.DataFrame(standings["models"]).set_index("model")
    return lines["average_rank"]


@pytest.mark.parametrize("left_out", [[], ["tpot"], ["h2oautoml", "autoweka"]])
def test_amlb(left_out, tmp_path, capsys):
    table = pd.read_csv(HERE / "amlb-2019.csv", index_col="task").drop(columns=left_out)
    published = pd.read_csv(RANKS / "amlb_ranks.csv", index_col="task").drop(columns=left_out)
    for task, ranks in published.iterrows():
        of_scores = table.loc[task].rank(ascending=False)
        assert of_scores.tolist() == pytest.approx(ranks.rank().tolist(), nan_ok=True)
    table.to_csv(tmp_path / "scores.csv")
    options = ("--datasets", "task", "--values", "higher", "--missing", "drop_dataset")
    found = average_ranks(capsys, tmp_path / "scores.csv", *options)
    expected = published.dropna().rank(axis=1).mean()
    assert found[expected.index].to_numpy() == pytest.approx(expected.to_numpy())


def test_tabarena(capsys):
    published = pd.read_csv(RANKS / "tabarena_ranks.csv", index_col="method")["rank"]
    options = ("--datasets", "dataset", "--values", "lower")
    found = average_ranks(capsys, HERE / "tabarena-2026.csv", *options)
    difference = (found - published).abs()
    # errors that differ by 1e-16 are ranked there, and equal here
    assert np.count_nonzero(difference < 1e-9) == 64
    assert difference.max() < 0.07
