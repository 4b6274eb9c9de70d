"""Rows of databases, of SQLite's files here: what SQLAlchemy does with others is its own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy

from bakeoff.errors import Problem, UserError
from bakeoff.sources import database
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


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("DROP TABLE penguins -- ORDER BY number", "'DROP'"),
        ("DROP TABLE penguins", "DROP"),
        ("CREATE TABLE more AS SELECT * FROM penguins ORDER BY number", "CREATE"),
        ("VACUUM INTO 'copy.db' -- ORDER BY number", "VACUUM"),
        ("ATTACH 'new.db' AS new /* ORDER BY */", "ATTACH"),
        ("PRAGMA user_version = 3 -- ORDER BY number", "PRAGMA"),
        ("-- SELECT\nDELETE FROM penguins /* ORDER BY */", "DELETE"),
        ("SELECT 1 ORDER BY 1; DROP TABLE penguins", "several"),
        ("SELECT '--'; DROP TABLE penguins -- ' ORDER BY 1", "several"),
        ("WITH a AS (SELECT 1) DELETE FROM penguins -- ORDER BY", "'DELETE'"),
        ("WITH gone AS (delete FROM p RETURNING *) SELECT * FROM gone ORDER BY 1", "'delete'"),
        ("WITH a AS (SELECT 1) INSERT INTO penguins SELECT * FROM a ORDER BY 1", "'INSERT'"),
        ("SELECT * INTO more FROM penguins ORDER BY number", "'INTO'"),
        ("SELECT 1 /*! INTO OUTFILE 'x' */ ORDER BY 1", "'INTO'"),
        ("SELECT '\\'' INTO OUTFILE 'x' -- ' ORDER BY 1", "different ways"),
        ("SELECT 1 /* /* */ ' */ FROM a ORDER BY 1 '", "different ways"),
        (" -- nothing", "found ''"),
    ],
)
def test_statements_that_may_write_are_refused(
    tiny: dict[str, Any], entry: dict[str, Any], query: str, found: str
) -> None:
    before = Path("study.db").read_bytes()
    with pytest.raises(UserError, match=r"datasets\.d\.query: expected one statement.*reads") as e:
        load(experiment(tiny, **entry | {"query": query}))
    assert found.strip("'") in str(e.value)
    assert Path("study.db").read_bytes() == before
    assert [path.name for path in Path().iterdir()] == ["study.db"]


@pytest.mark.parametrize(
    "query",
    [
        f"{QUERY};\n",
        f"-- don't update; this\n{QUERY} /* ; drop; into */",
        f"WITH a AS ({QUERY}) SELECT *, replace('delete; into', ';', '') AS r, 'it''s' AS \"into\" "
        "FROM a ORDER BY number",
        f"  (\n{QUERY})".replace("(", "SELECT * FROM (") + " AS a ORDER BY number",
    ],
)
def test_statements_that_read_are_taken(
    tiny: dict[str, Any], entry: dict[str, Any], query: str
) -> None:
    assert load(experiment(tiny, **entry | {"query": query})).card["rows"] == 344


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM penguins -- ORDER BY number",
        "SELECT *, ' order by ' AS a FROM penguins",
        "SELECT *, row_number() OVER (ORDER BY number) AS nth FROM penguins",
        "SELECT * FROM (SELECT * FROM penguins ORDER BY number) AS a",
    ],
)
def test_an_order_elsewhere_orders_no_rows(
    tiny: dict[str, Any], entry: dict[str, Any], query: str
) -> None:
    with pytest.raises(Problem, match=r"query: rows of a database have no order"):
        load(experiment(tiny, **entry | {"query": query}))


def test_connections_may_not_write(
    tiny: dict[str, Any], entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = experiment(tiny, **entry)
    before = Path("study.db").read_bytes()
    for query in ("DROP TABLE penguins", "CREATE TABLE a AS SELECT 1", "PRAGMA user_version = 3"):
        changed = made.datasets["d"].model_copy(update={"query": f"{query} -- ", "id": "number"})
        with pytest.raises(Problem, match=r"query fails: attempt to write a readonly database"):
            changed.load(0)
        # nor where the file itself could be written
        with monkeypatch.context() as patch:
            patch.setattr(database, "_engine", sqlalchemy.create_engine)
            with pytest.raises(Problem, match=r"query fails: attempt to write a readonly database"):
                changed.load(0)
    assert Path("study.db").read_bytes() == before


SECRETS = [
    "postgresql://me:secret@host/db",
    "postgresql://me:sec/ret@host/db",
    "mysql://host/db?password=secret",
    "x://u:${A}secret@h/d",
    *(
        f"x://host/db?a=1&{name}=secret"
        for name in ("access_token", "sslpassword", "PWD", "apikey", "client_secret", "X-Api-Key")
    ),
    "mssql+pyodbc://?odbc_connect=DRIVER%3D%7Ba%7D%3BUID%3Dme%3BPWD%3Dsecret",
]


@pytest.mark.parametrize("url", SECRETS)
def test_password_in_the_file_is_refused(tiny: dict[str, Any], url: str) -> None:
    told = r"datasets\.d\.url: there is a password or token in the address"
    with pytest.raises(UserError, match=told) as refused:
        experiment(tiny, source="database", url=url, query=QUERY, target="y")
    assert "secret@" not in str(refused.value)
    assert "=secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["postgresql://me@host/db?sslmode=require&keyfile=a", "x://host/d?tokenize=yes&author=me"],
)
def test_addresses_without_secrets_are_taken(tiny: dict[str, Any], url: str) -> None:
    made = experiment(tiny, source="database", url=url, query=QUERY, target="y")
    assert made.resolved()["datasets"]["d"]["url"] == url


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


def test_a_password_may_hold_any_character(
    tiny: dict[str, Any], entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[sqlalchemy.URL] = []

    def engine(url: sqlalchemy.URL) -> sqlalchemy.Engine:
        opened.append(url)
        raise sqlalchemy.exc.ArgumentError(f"no server at {url.password} or p%40ss%3A%2Fw%20rd%3F")

    monkeypatch.setattr(database, "_engine", engine)
    monkeypatch.setenv("DB_PASSWORD", "p@ss:/w rd?")
    url = "postgresql://me:${DB_PASSWORD}@host/db?token=${DB_PASSWORD}"
    with pytest.raises(Problem, match=r"no server at \$\{DB_PASSWORD\} or \$\{DB_PASSWORD\}$"):
        load(experiment(tiny, **entry | {"url": url}))
    assert opened[0].password == opened[0].query["token"] == "p@ss:/w rd?"
    assert opened[0].host == "host"


def test_a_file_is_opened_so_that_nothing_can_be_written(entry: dict[str, Any]) -> None:
    engine = database._engine(sqlalchemy.make_url(entry["url"]))
    with engine.connect() as connection:
        assert connection.exec_driver_sql(QUERY).first() is not None
        with pytest.raises(sqlalchemy.exc.OperationalError, match="readonly"):
            connection.exec_driver_sql("CREATE TABLE other (x int)")
    engine.dispose()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("postgresql", "SET TRANSACTION READ ONLY"),
        ("mysql", "SET SESSION TRANSACTION READ ONLY"),
        ("mssql", None),
    ],
)
def test_servers_are_told_that_nothing_is_written(
    tiny: dict[str, Any],
    entry: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    said: str | None,
) -> None:
    """Of servers there is none here; what SQLite takes as SQL shows what they are sent."""
    sent: list[str] = []
    engine = sqlalchemy.create_engine("sqlite:///study.db")

    @sqlalchemy.event.listens_for(engine, "before_cursor_execute", retval=True)
    def note(conn: Any, cursor: Any, statement: str, *rest: Any) -> tuple[str, Any]:
        sent.append(statement)
        return ("SELECT 1" if statement.startswith("SET") else statement), rest[0]

    monkeypatch.setattr(engine.dialect, "name", name)
    monkeypatch.setattr(database, "_engine", lambda url: engine)
    load(experiment(tiny, **entry))
    assert [text for text in sent if not text.startswith("PRAGMA")] == [
        *filter(None, [said]),
        QUERY,
    ]
