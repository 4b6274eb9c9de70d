"""Tables of scores with so many models that not every pair is ranked anew."""

import json

import numpy as np
import pytest

from bakeoff import compare_datasets
from bakeoff.stats import joint_sign_flips, wilcoxon_signed_rank


def _table(models):
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(12, models)) + np.arange(models) / 8
    return {f"m{j}": {f"d{i}": v for i, v in enumerate(scores[:, j])} for j in range(models)}


def _rows(found):
    return json.loads(found.to_json())["comparisons"]


@pytest.fixture(scope="module")
def many():
    """31 models of rising strength."""
    return compare_datasets(_table(31), values="higher", tests=["quade"])


def test_the_best_model_alone_is_compared_and_all_pairs_count(many):
    rows, table = [row for row in _rows(many) if row["role"] == "pair"], _table(31)
    assert [row["model_a"] for row in rows] == ["m30"] * 30
    assert {row["family_size"] for row in rows} == {31 * 30 // 2}
    both = ([*table[rows[0][key]].values()] for key in ("model_a", "model_b"))
    assert rows[0]["pvalue"] == pytest.approx(wilcoxon_signed_rank(*both).pvalue)
    known = [row["pvalue"] for row in rows]
    flips = joint_sign_flips(np.array([[*scores.values()] for scores in table.values()]).T)
    by_pair = dict(zip(flips.pairs, flips.pvalue_adjusted, strict=True))
    wanted = [by_pair[int(row["model_b"][1:]), 30] for row in rows]
    assert [row["pvalue_adjusted"] for row in rows] == np.maximum(wanted, known).tolist()
    thirty = compare_datasets(_table(30), values="higher", tests=["quade"])
    assert sum(row["role"] == "pair" for row in _rows(thirty)) == 30 * 29 // 2


def test_ranks_stand_with_the_first_pair_of_a_family_alone():
    full = {m: {d: i * j % 7 for j, d in enumerate("abcdefgh")} for i, m in enumerate("pqrs")}
    rows = _rows(compare_datasets(full, values="higher"))
    told = [row for row in rows if "ranks" in row["result"]]
    assert len(told) == 1
    assert told[0]["result"]["ranks"]["models"] == list("pqrs")


def test_the_answer_says_so_and_figures_show_the_thirty_best(many):
    said = " ".join(many.verdict.split())
    assert "465 hypotheses of which the 30 of the best model were tested" in said
    assert "control" not in said
    assert "the best model with each other one" in many.methods
    drawn = next(d for name, d in many._page.drawings.items() if name.startswith("ranks"))
    assert drawn.shows == "the 30 best of 31 models"
    listed = drawn.alt.partition(". No significant")[0].split(", ")
    assert listed[0].startswith("Average ranks: m30 ")
    assert len(listed) == 30
