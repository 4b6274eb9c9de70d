"""Rows of databases, of SQLite's files here: what SQLAlchemy does with others is its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bakeoff.errors import Problem, UserError
from tests.unit.sources.helpers import PENGUINS, experiment, load

QUERY = "SELECT * FROM penguins ORDER BY number"


def example(folder: Path) -> dict[str, Any]:
    """Return an entry that can be loaded in `folder`, after writing its database there."""
    frame = pd.read_csv(PENGUINS)
    with sqlite3.connect(folder / "study.db") as connection:
        frame.assign(number=range(len(frame))).to_sql("penguins", connection, index=False)
    connection.close()
    url = "sqlite:///study.db"
    return {"source": "database", "url": url, "query": QUERY, "target": "target"}


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    return example(tmp_path)


def test_rows_are_those_of_the_query(tiny: dict[str, Any], entry: dict[str, Any]) -> None:
    assert load(experiment(tiny, **entry)).card["rows"] == 344
    few = entry | {"query": "SELECT * FROM penguins WHERE number > 243 ORDER BY number"}
    assert load(experiment(tiny, **few)).card["rows"] == 100


def test_rows_have_an_order(tiny: dict[str, Any], entry: dict[str, Any]) -> None:
    without = entry | {"query": "SELECT * FROM penguins"}
    with pytest.raises(Problem, match=r"datasets\.d\.query: rows of a database have no order"):
        load(experiment(tiny, **without))
    ordered = load(experiment(tiny, **entry, id="number")).frame
    pd.testing.assert_frame_equal(load(experiment(tiny, **without, id="number")).frame, ordered)


def test_nothing_is_written(tiny: dict[str, Any], entry: dict[str, Any]) -> None:
    with pytest.raises(Problem, match=r"datasets\.d\.query: the query fails"):
        load(experiment(tiny, **entry | {"query": "DELETE FROM penguins /* ORDER BY */"}))
    assert load(experiment(tiny, **entry)).card["rows"] == 344


@pytest.mark.parametrize(
    "url", ["postgresql://me:secret@host/db", "mysql://host/db?password=secret", "x://u:${A}b@h/d"]
)
def test_password_in_the_file_is_refused(tiny: dict[str, Any], url: str) -> None:
    with pytest.raises(UserError, match=r"there is a password in the address") as refused:
        experiment(tiny, source="database", url=url, query=QUERY, target="y")
    assert "secret" not in str(refused.value)


def test_secrets_come_from_the_environment_and_are_not_shown(
    tiny: dict[str, Any], entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = experiment(tiny, **entry | {"url": "nosuch://${DB_USER}:${DB_PASSWORD}@host/db"})
    with pytest.raises(Problem, match=r"url: there is no environment variable DB_USER"):
        load(made)
    monkeypatch.setenv("DB_USER", "me")
    monkeypatch.setenv("DB_PASSWORD", "hunter2")
    with pytest.raises(Problem, match=r"url: nosuch://\$\{DB_USER\}.* cannot be opened") as told:
        load(made)
    assert "hunter2" not in str(told.value)
    card = load(experiment(tiny, **entry)).card
    assert card["source"]["query"] == QUERY
    assert "hunter2" not in str(card) + str(made.resolved())


def test_file_may_be_named_by_the_environment(
    tiny: dict[str, Any], entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = experiment(tiny, **entry | {"url": "sqlite:///${DB_FOLDER}/study.db"})
    with pytest.raises(Problem, match=r"url: there is no environment variable DB_FOLDER"):
        load(made)
    monkeypatch.setenv("DB_FOLDER", str(Path.cwd()))
    assert list(made.datasets["d"].inputs()) == [str(Path.cwd() / "study.db")]  # type: ignore[union-attr]
    card = load(made).card
    assert card["rows"] == 344
    assert str(Path.cwd()) not in str(card) + str(made.resolved())
    monkeypatch.setenv("DB_FOLDER", "elsewhere")
    with pytest.raises(Problem, match=r"url: no file at 'elsewhere/study\.db'"):
        load(made)


def test_a_failure_is_told_in_the_words_of_the_database(
    tiny: dict[str, Any], entry: dict[str, Any]
) -> None:
    asked = entry | {"query": "SELECT * FROM whales ORDER BY number"}
    with pytest.raises(Problem, match=r"query: the query fails: no such table: whales$"):
        load(experiment(tiny, **asked))
