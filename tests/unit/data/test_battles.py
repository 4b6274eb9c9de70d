"""Battles in the shapes of arenas, Kaggle, FastChat and AlpacaEval, and in one's own."""

import json

import numpy as np
import pandas as pd
import pytest

from bakeoff.data.battles import battles_of, holds_battles, read_battles
from bakeoff.data.open_table import PLAIN
from bakeoff.errors import UserError

ARENA = {
    "question_id": [1, 1, 2, 3],
    "model_a": ["x", "y", "x", "x"],
    "model_b": ["y", "x", "y", "z"],
    "winner": ["model_a", "tie", "tie (bothbad)", "model_b"],
    "judge": ["j1", "j2", "j1", "j1"],
}


def table(**columns):
    return pd.DataFrame(ARENA | columns)


def outcomes(frame, **how):
    return battles_of(frame, "it", **how).votes["outcome"].tolist()


def test_arena_shows_model_a_first_and_counts_both_bad():
    battles = battles_of(table(), "it")
    assert battles.votes["outcome"].tolist() == [1, 0, 0, -1]
    assert battles.votes["both_bad"].tolist() == [False, False, True, False]
    assert battles.first.all()
    assert (battles.models, battles.judges, battles.prompts) == (["x", "y", "z"], ["j1", "j2"], 3)


def test_kaggle_has_a_column_for_each_outcome():
    marks = {
        "winner_model_a": [1, 0, 0],
        "winner_model_b": [0, 1, 0],
        "winner_tie": [0, 0, 1],
    }
    frame = pd.DataFrame({"id": [7, 8, 9], "model_a": "x", "model_b": "y", **marks})
    battles = battles_of(frame, "it")
    assert battles.votes["outcome"].tolist() == [1, -1, 0]
    assert battles.prompts == 3
    assert "each battle counts as a prompt" in battles.notes[0]


def test_fastchat_has_two_votes_a_line_in_both_orders():
    frame = pd.DataFrame(
        {
            "question_id": [1, 2],
            "model_1": "x",
            "model_2": "y",
            "g1_winner": ["model_1", "tie"],
            "g2_winner": ["model_2", "error"],
        }
    )
    with pytest.raises(UserError, match="have 1 row with 'error': leave them out"):
        battles_of(frame, "it")
    battles = battles_of(frame, "it", missing="common")
    assert battles.votes["outcome"].tolist() == [1, 0, -1]
    assert battles.first.tolist() == [True, True, False]


def test_alpaca_has_degrees_and_no_order():
    frame = pd.DataFrame(
        {"instruction": ["p", "q"], "generator_1": "ref", "generator_2": "m"}
        | {"preference": [1.0, 1.8]}
    )
    battles = battles_of(frame, "it")
    assert battles.votes["outcome"].tolist() == pytest.approx([1, -0.6])
    assert battles.first is None


def test_own_table_names_winner_and_first_model():
    frame = pd.DataFrame({"prompt": ["p", "q"], "model_a": ["x", "y"], "model_b": ["y", "x"]})
    frame["winner"] = ["y", "y"]
    assert battles_of(frame, "it").first is None
    battles = battles_of(frame.assign(first=["x", "model_a"]), "it")
    assert battles.votes["outcome"].tolist() == [-1, 1]
    assert battles.first.tolist() == [True, True]


def test_order_may_be_said():
    assert battles_of(table(), "it", order="unknown").first is None
    frame = pd.DataFrame(ARENA).rename(columns={"question_id": "prompt"})
    assert battles_of(frame, "it", order="model_a").first.all()
    with pytest.raises(UserError, match="order: unknown column 'nobody'"):
        battles_of(frame, "it", order="nobody")


def test_turned_votes_have_the_other_sign_and_order():
    votes = battles_of(table(), "it").among(["x", "y"]).turned("y").votes
    assert set(votes["model_a"]) == {"y"}
    assert votes["outcome"].tolist() == [-1, 0, 0]
    assert votes["first"].tolist() == [0, 1, 0]
    all_turned = battles_of(table(), "it").among(["x", "z"]).turned("z").votes
    assert all_turned.loc[0, ["model_a", "model_b"]].tolist() == ["z", "x"]


def test_order_of_rows_does_not_matter():
    frame = pd.concat([table()] * 5, ignore_index=True)
    shuffled = frame.sample(frac=1, random_state=1)
    one, other = (battles_of(each, "it").votes["outcome"] for each in (frame, shuffled))
    assert sorted(one) == sorted(other)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"winner": ["model_a", "?", "?", "tie"]}, "2 rows with '\\?': leave them out"),
        ({"model_b": ["x", "x", "x", "z"]}, "x fights itself on 2 rows; the first is row 1"),
        ({"model_a": ["", "y", "x", "x"]}, "names no model in 1 rows"),
        ({"question_id": [1, None, 2, 3]}, "column 'question_id' is empty in 1 rows"),
    ],
)
def test_bad_rows_are_named_and_counted(columns, message):
    with pytest.raises(UserError, match=message):
        battles_of(table(**columns), "it")


def test_table_without_battles_names_what_is_expected():
    with pytest.raises(UserError, match="no battles: expected the columns `model_a`"):
        battles_of(pd.DataFrame({"id": [1], "y": [2]}), "it")


def test_repeated_rows_are_told():
    frame = pd.concat([table(), table()])
    assert "4 rows are there twice" in battles_of(frame, "it").notes[0]


def test_files_are_read_by_their_content(tmp_path):
    rows = table().to_dict("records")
    lines = tmp_path / "b.jsonl"
    nested = [{**row, "conversation_a": [{"role": "user"}]} for row in rows]
    lines.write_text("\n".join(map(json.dumps, nested)))
    array = tmp_path / "b.json"
    array.write_text(json.dumps(rows))
    text = tmp_path / "b.csv"
    table().to_csv(text, index=False)
    for file in (lines, array, text):
        assert holds_battles(str(file), PLAIN)
        votes = read_battles(str(file), PLAIN, {}).votes
        assert np.array_equal(votes["outcome"], [1, 0, 0, -1])
    other = tmp_path / "o.csv"
    other.write_text("y_true,a,b\n1,1,0\n")
    assert not holds_battles(str(other), PLAIN)


def test_damaged_lines_are_named(tmp_path):
    file = tmp_path / "b.jsonl"
    file.write_text('{"model_a": "x"}\n{"model')
    with pytest.raises(UserError, match="line 2"):
        read_battles(str(file), PLAIN, {})
