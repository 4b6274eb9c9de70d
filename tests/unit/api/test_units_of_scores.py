"""Scores of data sets in other units: ranked, never averaged, and told."""

import json

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.cli import main

RNG = np.random.default_rng(0)
SCORES = pd.DataFrame(
    {"a": RNG.uniform(0.1, 0.3, 12), "b": RNG.uniform(0.1, 0.3, 12) + 0.02},
    index=[f"d{i}" for i in range(12)],
)
UNLIKE = SCORES.mul([1e5] * 6 + [1] * 6, axis=0)
LONG = SCORES.stack().rename("metric_error").rename_axis(["dataset", "method"]).reset_index()
LONG["metric"], LONG["imputed"] = np.where(LONG.index < 4, "rmse", "roc_auc"), LONG.index == 3


@pytest.mark.parametrize(
    ("table", "keys", "test"),
    [
        (SCORES, {"values": "lower"}, "wilcoxon_signed_rank"),
        (UNLIKE, {"values": "lower"}, ""),
        (UNLIKE, {"metric": "rmse"}, ""),
        (LONG, {"values": "lower", "datasets": "dataset"}, ""),
        (SCORES, {"metric": "mae"}, ""),
        (SCORES, {"metric": "log_loss"}, "wilcoxon_signed_rank"),
    ],
)
def test_signed_ranks_are_for_scores_in_one_unit(table, keys, test):
    found = bakeoff.compare_datasets(table, **keys)
    assert "".join(found.comparisons["test"]) == test
    if not test:
        assert "but no test over data sets compares" in found.verdict
        assert "recommended" not in found.verdict
        with pytest.raises(bakeoff.UserError, match=r"signed_rank looks at the size .*win rate"):
            bakeoff.compare_datasets(table, tests=["wilcoxon_signed_rank"], **keys)


@pytest.mark.parametrize("sizes", [[5, 2, 1, 1, 1, 1, 1], [2] * 6, [4, 4, 4]])
@pytest.mark.parametrize("table", [SCORES, UNLIKE])
def test_groups_of_data_sets_have_one_average_rank(sizes, table, capsys, tmp_path):
    own = table.assign(
        c=table["a"] * 1.2, group=np.repeat([f"g{i}" for i in range(len(sizes))], sizes)
    )
    own.rename_axis("set").to_csv(tmp_path / "t.csv")
    keys = ["--datasets", "set", "--groups", "group", "--values", "lower", "--json"]
    assert main(["compare", str(tmp_path / "t.csv"), *keys]) == 0
    told = json.loads(capsys.readouterr().out)
    ranks = {one["model"]: one["average_rank"] for one in told["standings"][0]["models"]}
    shown = f"has the best average rank ({min(ranks.values()):.2f}"
    same = f"have the same average rank ({min(ranks.values()):.2f}"
    assert shown in told["verdict"]["sentences"][0] or same in told["verdict"]["sentences"][0]
    pairs = [one for one in told["comparisons"] if one["test"] == "friedman_posthoc"]
    assert bool(pairs) == (len(sizes) > 5 or table is UNLIKE)
    for one in pairs:
        gap = ranks[one["model_b"]] - ranks[one["model_a"]]
        assert one["estimate"] == pytest.approx(gap, abs=1e-9)
