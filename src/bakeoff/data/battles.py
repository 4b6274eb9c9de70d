"""Battles of models, in whichever shape they were written: arena, Kaggle, FastChat, AlpacaEval.

Each shape becomes one table with a row for every vote: prompt, the two models, the outcome, which
answer was shown first, and the judge.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bakeoff.data.open_table import column_names, read_frame
from bakeoff.errors import Problem, UserError, joined, listed, some, unknown
from bakeoff.files import is_file, parse_json
from bakeoff.options import setting
from bakeoff.sources.common.base import TableKeys
from bakeoff.sources.common.formats import opened
from bakeoff.sources.common.identifiers import frame_of

UNKNOWN, MODEL_A = "unknown", "model_a"
"""What `order` may be beside a column."""
_PROMPTS = ("prompt", "question_id", "prompt_id", "question", "instruction", "item")
_FIRST = "first"
_OF_ARENA = ("question_id", "turn", "conversation_a", "conversation_b", "judge_hash", "tstamp")
"""Columns of exports of arenas, which show the answer of `model_a` first."""
_KAGGLE = {
    "winner_model_a": 1.0,
    "winner_model_b": -1.0,
    "winner_tie": 0.0,
}
_FASTCHAT = {"g1_winner": True, "g2_winner": False}
"""The two votes of a line of FastChat, and whether `model_1` was shown first."""
_ALPACA = ("generator_1", "generator_2", "preference")
_COLUMNS_OF_SHAPES = {
    "fastchat": ("model_1", "model_2", *_FASTCHAT),
    "kaggle": ("model_a", "model_b", *_KAGGLE),
    "alpaca": _ALPACA,
    "arena": ("model_a", "model_b", "winner"),
}
_A_WINS = ("model_a", "model_1", "a", "left", "first")
_B_WINS = ("model_b", "model_2", "b", "right", "second")
_TIES = ("tie", "draw", "equal", "both", "same")
_BOTH_BAD = ("tie (bothbad)", "tie (both bad)", "bothbad", "both bad", "both_bad", "neither")
_SHOWN = 5


@dataclasses.dataclass(frozen=True)
class Battles:
    """Votes on the answers of two models each.

    The columns of `votes` are prompt, model_a, model_b, outcome (1 A wins, 0 tie, −1 B wins), first
    (1 A was shown first, 0 B, NaN not known), judge, both_bad, and perhaps groups.
    """

    name: str
    votes: pd.DataFrame
    notes: tuple[str, ...] = ()
    order_is_unknown: bool = False
    """Whether it was said that the order is not known."""

    @cached_property
    def models(self) -> list[str]:
        """The models, sorted."""
        return sorted(set(self.votes["model_a"]) | set(self.votes["model_b"]))

    @cached_property
    def judges(self) -> list[str]:
        """The judges, sorted; none where the votes do not name them."""
        return sorted(set(self.votes["judge"].unique()) - {""})

    @property
    def prompts(self) -> int:
        """How many prompts there are."""
        return int(self.votes["prompt"].nunique())

    @property
    def first(self) -> NDArray[np.bool_] | None:
        """Whether the answer of A was shown first; None where that is not known of all votes."""
        known = self.votes["first"]
        if known.isna().any():
            return None
        return np.asarray(known == 1)

    def among(self, models: Sequence[str]) -> Battles:
        """Return the votes on these models alone."""
        for model in models:
            if model not in self.models:
                raise Problem(("models",), unknown("model", model, self.models))
        votes = self.votes
        kept = votes["model_a"].isin(models) & votes["model_b"].isin(models)
        if not kept.any():
            raise Problem(("models",), f"{listed(models)} have no battle in {self.name!r}")
        return dataclasses.replace(self, votes=votes[kept].reset_index(drop=True))

    def turned(self, first: str) -> Battles:
        """Return the votes on two models with this one as A of every battle."""
        votes = self.votes.copy()
        other = votes["model_b"] == first
        votes["model_a"] = self.votes["model_a"].where(~other, self.votes["model_b"])
        votes["model_b"] = self.votes["model_b"].where(~other, self.votes["model_a"])
        votes["outcome"] = votes["outcome"].where(~other, -votes["outcome"])
        votes["first"] = votes["first"].where(~other, 1 - votes["first"])
        return dataclasses.replace(self, votes=votes)

    def of_judge(self, judge: str) -> Battles:
        """Return the votes of one judge."""
        votes = self.votes[self.votes["judge"] == judge].reset_index(drop=True)
        return dataclasses.replace(self, votes=votes)


def read_battles(path: str, keys: TableKeys, columns: Mapping[str, Any]) -> Battles:
    """Read a file of battles; `columns` are those of `battles_of`."""
    return battles_of(_table_in(path, keys), path, **columns)


def holds_battles(path: str, keys: TableKeys) -> bool:
    """Tell whether the columns of a file are those of battles."""
    try:
        return shape_of(_columns_in(path, keys)) is not None
    except (UserError, ValueError, OSError):
        return False  # whoever reads it as something else says what is wrong


def _columns_in(path: str, keys: TableKeys) -> Iterable[object]:
    """Return the columns of a file, of which no more is read than they need."""
    if _holds_objects(path, keys):
        return _frame_of_objects(_objects_in(path, keys, most=1), path).columns
    return column_names(path, ("files",), keys)


def _table_in(path: str, keys: TableKeys) -> pd.DataFrame:
    """Read a table; of JSON the array of its objects, or one object a line."""
    if _holds_objects(path, keys):
        return _frame_of_objects(_objects_in(path, keys), path)
    return read_frame(path, ("files",), keys)


def _holds_objects(path: str, keys: TableKeys) -> bool:
    """Tell whether a file is JSON, or has an object of JSON in each line."""
    if not is_file(path):
        return False
    return _is_json(path, keys) or keys.format == "jsonl" or ".jsonl" in _endings(path)


def _is_json(path: str, keys: TableKeys) -> bool:
    return keys.format is None and ".json" in _endings(path)


def _endings(path: str) -> list[str]:
    return [ending.lower() for ending in Path(path).suffixes]


def _objects_in(path: str, keys: TableKeys, most: int | None = None) -> Any:
    """Read the objects of a JSON file; of one with an object a line perhaps the first ones."""
    if not _is_json(path, keys):
        return list(_lines_of(path, most))
    with opened(Path(path), path) as file:
        try:
            return parse_json(file.read())
        except ValueError as error:
            raise Problem(("files",), f"{path!r} is no JSON: {error}") from None


def _lines_of(path: str, most: int | None) -> Iterable[Any]:
    """Yield the objects of the lines of a file, or of the first few."""
    with opened(Path(path), path) as file:
        for number, line in enumerate(file, 1):
            if most is not None and number > most:
                return
            if not line.strip():
                continue
            try:
                yield parse_json(line)
            except ValueError as error:
                raise Problem(("files",), f"{path!r}, line {number}: {error}") from None


def _frame_of_objects(objects: Any, path: str) -> pd.DataFrame:
    """Return a table of objects; what is nested, such as conversations, counts as there."""
    if not isinstance(objects, list) or not all(isinstance(vote, dict) for vote in objects):
        raise Problem(("files",), f"{path!r}: expected objects with a vote each")
    if not objects:
        raise Problem(("files",), f"{path!r} is empty")
    rows = []
    for vote in objects:
        rows.append({key: _flat(value) for key, value in vote.items()})
    return frame_of(rows)


def _flat(value: Any) -> Any:
    """Return a value that a cell can hold: of what is nested how it is written."""
    if isinstance(value, list | dict):
        return repr(value)
    return value


# --- shapes


Reader = Callable[[pd.DataFrame], pd.DataFrame]


def shape_of(columns: Iterable[object]) -> str | None:
    """Return the shape that columns are of; None where they are of no battles."""
    names = set(map(str, columns))
    # the first shape whose columns are all there, those with most columns of their own before
    for shape, needed in _COLUMNS_OF_SHAPES.items():
        if names.issuperset(needed):
            return shape
    return None


def battles_of(
    frame: pd.DataFrame,
    name: str,
    *,
    prompt: str | None = None,
    winner: str | None = None,
    order: str | None = None,
    judge: str | None = None,
    groups: str | None = None,
    missing: str | None = None,
) -> Battles:
    """Turn a table of battles of any shape into votes; columns may be named."""
    frame = frame.reset_index(drop=True)
    frame.columns = list(map(str, frame.columns))
    shape = shape_of(frame.columns)
    if winner is not None and {"model_a", "model_b", winner} <= set(frame.columns):
        shape = "arena"
    for role, column in (("prompt", prompt), ("judge", judge), ("groups", groups)):
        if column is not None and column not in frame.columns:
            raise Problem((role,), unknown("column", column, frame.columns))
    if shape is None:
        raise Problem(
            ("preferences",),
            f"{name!r} has no battles: expected the columns {listed(['model_a', 'model_b'])} and "
            f"`winner` (also `winner_model_a`, `winner_model_b`, `winner_tie`; `model_1`, "
            f"`model_2`, `g1_winner`, `g2_winner`; or {listed(_ALPACA)}), found "
            f"{some(frame.columns, 8)}",
        )
    if frame.empty:
        raise Problem(("files",), f"{name!r} has no row")
    votes = _SHAPES[shape](frame, winner or "winner")
    # of FastChat each row has two votes, so that columns are taken by the row of each vote
    votes["prompt"], notes = _prompts(frame, votes["row"], prompt)
    votes["judge"] = _texts(frame, judge or "judge", votes["row"])
    if groups is not None:
        votes["groups"] = _texts(frame, groups, votes["row"])
    columns_of_winners = {
        "fastchat": list(_FASTCHAT),
        "kaggle": list(_KAGGLE),
        "alpaca": ["preference"],
        "arena": [winner or "winner"],
    }
    votes = _known_winners(votes, columns_of_winners[shape], missing)
    _refuse_own_battles(votes)
    votes["first"] = _order(frame, votes, shape, order, prompt)
    # a person may vote twice, so that the same row again is no mistake for sure
    repeated = int(frame.duplicated().sum())
    if repeated:
        notes.append(f"{repeated:,} rows are there twice; each is one more vote on its prompt.")
    unknown_order = order == UNKNOWN
    return Battles(
        name,
        votes.reset_index(drop=True),
        tuple(notes),
        unknown_order,
    )


def _of_arena(frame: pd.DataFrame, winner: str) -> pd.DataFrame:
    """Read a vote a row: the winner by its column, or by its name."""
    votes = _models(frame, "model_a", "model_b")
    winners = frame[winner].map(_plain_text)
    votes["said"] = winners
    votes["outcome"] = _outcomes(winners, votes["model_a"], votes["model_b"])
    votes["both_bad"] = winners.str.lower().isin(_BOTH_BAD)
    return votes


def _of_kaggle(frame: pd.DataFrame, _: str) -> pd.DataFrame:
    """Read a vote a row: one of three columns is 1."""
    votes = _models(frame, "model_a", "model_b")
    marks = frame[list(_KAGGLE)].apply(pd.to_numeric, errors="coerce")
    votes["said"] = marks.astype(str).agg(" ".join, axis=1)
    is_one_of_three = marks.isin([0, 1]).all(axis=1) & (marks.sum(axis=1) == 1)
    outcome = (marks * list(_KAGGLE.values())).sum(axis=1)
    votes["outcome"] = outcome.where(is_one_of_three)
    votes["both_bad"] = False
    return votes


def _of_fastchat(frame: pd.DataFrame, _: str) -> pd.DataFrame:
    """Read two votes a row: the answers were exchanged for the second."""
    games = []
    for column, shown_first in _FASTCHAT.items():
        votes = _models(frame, "model_1", "model_2")
        winners = frame[column].map(_plain_text)
        votes["said"] = winners
        votes["outcome"] = _outcomes(winners, votes["model_a"], votes["model_b"])
        votes["both_bad"] = False
        votes["shown"] = float(shown_first)
        games.append(votes)
    return pd.concat(games, ignore_index=True)


def _of_alpaca(frame: pd.DataFrame, _: str) -> pd.DataFrame:
    """Read a vote a row from 1, the first is better, to 2: a fraction is a degree."""
    votes = _models(frame, "generator_1", "generator_2")
    preference = pd.to_numeric(frame["preference"], errors="coerce").astype(float)
    votes["said"] = frame["preference"].map(_plain_text)
    # 1 is a win of the first and 2 one of the second; 0 is how some annotators write a tie
    outcome = (3 - 2 * preference).where((preference >= 1) & (preference <= 2))
    votes["outcome"] = outcome.mask(preference == 0, 0.0)
    votes["both_bad"] = False
    return votes


_SHAPES: dict[str, Callable[[pd.DataFrame, str], pd.DataFrame]] = {
    "arena": _of_arena,
    "kaggle": _of_kaggle,
    "fastchat": _of_fastchat,
    "alpaca": _of_alpaca,
}


def _models(frame: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Begin the votes with the row of the file and the names of the two models."""
    votes = pd.DataFrame({"row": np.arange(len(frame))})
    for role, column in (("model_a", first), ("model_b", second)):
        names = frame[column].map(_plain_text)
        empty = int((names == "").sum())
        if empty:
            raise Problem(("preferences",), f"column {column!r} names no model in {empty:,} rows")
        votes[role] = names.astype(object)
    return votes


def _plain_text(value: Any) -> str:
    """Return a cell as a text; of an empty one nothing."""
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value).strip()


def _texts(frame: pd.DataFrame, column: str, rows: pd.Series[Any]) -> NDArray[Any]:
    """Return a column as texts for the votes of each row; empty where there is no such column."""
    if column not in frame.columns:
        return np.full(len(rows), "", dtype=object)
    texts = frame[column].map(_plain_text).to_numpy(dtype=object)
    return np.asarray(texts[rows.to_numpy()])


def _outcomes(
    winners: pd.Series[Any],
    model_a: pd.Series[Any],
    model_b: pd.Series[Any],
) -> pd.Series[Any]:
    """Return who wins by what is said; NaN where it is neither a model nor a tie."""
    # by the words that exports write, in any case
    lower = winners.str.lower()
    outcome = pd.Series(np.nan, index=winners.index)
    outcome[lower.isin(_TIES + _BOTH_BAD)] = 0.0
    outcome[lower.isin(_A_WINS)] = 1.0
    outcome[lower.isin(_B_WINS)] = -1.0
    # a model may be called like one of the words
    outcome[winners == model_a] = 1.0
    outcome[winners == model_b] = -1.0
    return outcome


def _prompts(
    frame: pd.DataFrame,
    rows: pd.Series[Any],
    named: str | None,
) -> tuple[NDArray[Any], list[str]]:
    """Return the prompt of each vote, and what is said where none are named."""
    column = named
    for usual in _PROMPTS:
        if column is None and usual in frame.columns:
            column = usual
    if column is None:
        note = "There is no column of prompts: each battle counts as a prompt of its own."
        return np.asarray(rows.astype(str)), [note]
    prompts = _texts(frame, column, rows)
    empty = int((prompts == "").sum())
    if empty:
        raise Problem(("prompt",), f"column {column!r} is empty in {empty:,} rows")
    return prompts, []


def _known_winners(
    votes: pd.DataFrame,
    columns: Sequence[str],
    missing: str | None,
) -> pd.DataFrame:
    """Refuse votes whose winner is not known, or leave them out where that was said."""
    unclear = votes["outcome"].isna()
    if not unclear.any() or missing == "common":
        kept = votes[~unclear]
        if kept.empty:
            raise Problem(("preferences",), "no row has a winner")
        return kept
    counts = votes.loc[unclear, "said"].value_counts()
    texts = []
    for winner, number in list(counts.items())[:_SHOWN]:
        what = "without a text"
        if winner:
            what = f"with {winner!r}"
        texts.append(f"{_counted_rows(number)} {what}")
    if len(counts) > _SHOWN:
        texts.append("…")
    verb = "has"
    if len(columns) > 1:
        verb = "have"
    raise Problem(
        ("winner",),
        f"{joined(list(map(repr, columns)))} {verb} {', '.join(texts)}: leave them out with "
        f"{setting('missing', 'common')} (a winner is model_a, model_b, tie, or the name of a "
        "model)",
    )


def _counted_rows(number: int) -> str:
    """Write a number of rows."""
    if number == 1:
        return "1 row"
    return f"{number:,} rows"


def _refuse_own_battles(votes: pd.DataFrame) -> None:
    """Refuse battles of a model with itself."""
    itself = votes[votes["model_a"] == votes["model_b"]]
    if itself.empty:
        return
    name = itself["model_a"].iloc[0]
    rows = itself.loc[itself["model_a"] == name, "row"]
    raise Problem(
        ("preferences",),
        f"{name} fights itself on {_counted_rows(rows.nunique())}; the first is row "
        f"{rows.min() + 1}",
    )


def _order(
    frame: pd.DataFrame,
    votes: pd.DataFrame,
    shape: str,
    order: str | None,
    prompt: str | None,
) -> NDArray[np.float64]:
    """Return whether the answer of `model_a` was shown first: 1, 0, or NaN where nobody knows."""
    nothing = np.full(len(votes), np.nan)
    if order == UNKNOWN:
        return nothing
    if order == MODEL_A:
        return np.ones(len(votes))
    column = order or _FIRST
    if column in frame.columns:
        return _order_of_column(frame, votes, column)
    if order is not None:
        allowed = [str(name) for name in frame.columns] + [UNKNOWN, MODEL_A]
        raise Problem(("order",), unknown("column", order, allowed))
    if shape == "fastchat":
        return votes["shown"].to_numpy(dtype=float)
    # exports of arenas show the answer of `model_a` first; tables with prompts are of other origin
    names = set(frame.columns)
    has_prompts = prompt is not None or not names.isdisjoint(_PROMPTS)
    is_of_arena = not names.isdisjoint(_OF_ARENA) or not has_prompts
    if shape == "kaggle" or (shape == "arena" and is_of_arena):
        return np.ones(len(votes))
    return nothing


def _order_of_column(frame: pd.DataFrame, votes: pd.DataFrame, column: str) -> NDArray[np.float64]:
    """Return whether a column says that the answer of `model_a` was shown first."""
    shown_first = pd.Series(_texts(frame, column, votes["row"]), index=votes.index)
    first = _outcomes(shown_first, votes["model_a"], votes["model_b"])
    unclear = first.isna()
    if unclear.any():
        examples = some(map(repr, shown_first[unclear].unique()))
        raise Problem(
            ("order",),
            f"column {column!r} has {int(unclear.sum()):,} rows with {examples}, expected model_a, "
            f"model_b or the name of the model shown first; {setting('order', UNKNOWN)} goes on "
            "without the order",
        )
    return np.asarray(first == 1, dtype=np.float64)
