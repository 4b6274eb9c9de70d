"""Rows of a database, by any URL that SQLAlchemy supports."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote

from pydantic import Field, field_validator

from bakeoff.errors import Problem, UserError
from bakeoff.extras import require
from bakeoff.files import is_file, locate
from bakeoff.keys import said
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, blame
from bakeoff.sources.common.web import VARIABLE, DatabaseAddress, filled

if TYPE_CHECKING:
    import pandas as pd
    import sqlalchemy

_SQLITE = "sqlite:///"
_READ_ONLY: Mapping[str, str] = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION READ ONLY",
    "cockroachdb": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
}
"""What forbids a connection to write, by the dialects of SQLAlchemy that can say so in SQL."""
_NO_CODE = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|(?<![\w$])\$(\w*)\$.*?\$\1\$"""
    r"|--[^\n]*|/\*(?!M?!).*?\*/",  # MySQL runs what stands in /*! */
    re.DOTALL,
)
_UNCLEAR = re.compile(r"\\['\"`]|/\*(?:(?!\*/).)*/\*", re.DOTALL)
_WRITES = re.compile(r"\b(insert|update|delete|merge|into)\b", re.IGNORECASE)


class DatabaseData(DataSet):
    """The rows that a query of a database gives."""

    source: Literal["database"]
    url: DatabaseAddress = Field(
        description="SQLAlchemy's address of the database: `sqlite:///study.db`, "
        "`postgresql://${DB_USER}:${DB_PASSWORD}@host/study`. `${NAME}` is taken from the "
        "environment; passwords and tokens can stand there alone.",
    )
    query: str = Field(
        min_length=1,
        description="One `SELECT` or `WITH … SELECT`, e.g. `SELECT * FROM visits ORDER BY visit`; "
        "without `ORDER BY` give `id`, by which the rows are put in order.",
    )
    target: ColumnName = Field(description="The column to predict.")

    @field_validator("query")
    @classmethod
    def _only_reads(cls, query: str) -> str:
        """Refuse anything but a single statement that only reads.

        The connection may not write either, but not every database knows such connections, and
        what `VACUUM INTO` or `SELECT … INTO OUTFILE` write is another file.
        """
        code = _code(query).strip().removesuffix(";").strip()
        first = re.match(r"[\s(]*(\w*)", code)
        writes = _WRITES.search(code)
        if unclear := _UNCLEAR.search(query):
            wrong = f"found {unclear[0][:20]!r}, which databases read in different ways"
        elif first is None or first[1].lower() not in ("select", "with"):
            wrong = f"found {first[1] if first else code!r}"
        elif ";" in code:
            wrong = "found several, with `;` between them"
        elif writes:
            wrong = f"found {writes[0]!r}; the name of a column or table stands in quotes"
        else:
            return query
        raise said(f"expected one statement that only reads, `SELECT …` or `WITH …`: {wrong}")

    def inputs(self) -> list[str]:
        """List the file of an SQLite database; what a server holds is not watched."""
        if not self._is_file:
            return []
        path = self.url.removeprefix(_SQLITE)
        return [VARIABLE.sub(lambda name: os.environ.get(name[1], name[0]), path)]

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own.

        An address with a variable is kept: what the environment says is in no file of results.
        """
        if not self._is_file or VARIABLE.search(self.url):
            return self
        path = locate(self.url.removeprefix(_SQLITE), folder)
        return self.model_copy(update={"url": _SQLITE + path})

    def check(self) -> None:
        """Look whether SQLAlchemy is there."""
        with blame("source"):
            require("sqlalchemy", "a database")

    def at_hand(self) -> bool:
        """Tell whether no network is needed."""
        return self._is_file

    def load(self, seed: int) -> Loaded:
        """Run the query on a connection that may not write."""
        ordered = re.search(r"(?i)\border\s+by\b", _outside_brackets(_code(self.query)))
        if self.id is None and not ordered:
            raise Problem(
                ("query",),
                "rows of a database have no order: add `ORDER BY …`, or name the column of their "
                "ids, `id: …`",
            )
        frame = self._rows()
        if self.id is not None and not ordered and self.id in frame.columns:
            frame = frame.sort_values(self.id, kind="stable", ignore_index=True)
        return Loaded(frame, self.target)

    @property
    def _is_file(self) -> bool:
        return self.url.startswith(_SQLITE)

    def _rows(self) -> pd.DataFrame:
        import pandas as pd
        import sqlalchemy
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

        from bakeoff.sources.common.formats import with_plain_columns
        from bakeoff.sources.common.identifiers import exact

        with blame("url"):
            place = filled(self.url)
            for path in self.inputs():
                if not is_file(path):
                    raise UserError(f"no file at {path!r}")
            try:
                engine = _engine(sqlalchemy.make_url(place.address))
                connection = engine.connect()
            except (ArgumentError, NoSuchModuleError, ImportError, SQLAlchemyError) as error:
                reason = place.hidden_in(_told(error))
                raise UserError(f"{self.url} cannot be opened: {reason}") from None
        with blame("query"):
            try:
                with connection:  # without a commit
                    if forbid := _READ_ONLY.get(engine.dialect.name):
                        connection.exec_driver_sql(forbid)
                    found = connection.execute(sqlalchemy.text(self.query))
                    rows = [tuple(row) for row in found.fetchall()]
                    names = [*found.keys()]
                    numbers = pd.DataFrame.from_records(rows, columns=names, coerce_float=True)
                    frame = exact(
                        numbers,
                        lambda lost: pd.DataFrame(rows, columns=names, dtype=object)[lost],
                    )
            except Exception as error:
                reason = place.hidden_in(_told(error))
                raise UserError(f"the query fails: {reason}") from None
            finally:
                engine.dispose()
            return with_plain_columns(frame, "the query")


def _engine(url: sqlalchemy.URL) -> sqlalchemy.Engine:
    """Open a database; a file of SQLite or DuckDB so that nothing can be written to it."""
    import sqlalchemy

    kind, file = url.get_backend_name(), url.database
    if not file or file.startswith((":", "file:")):
        return sqlalchemy.create_engine(url)
    if kind == "sqlite":
        url = url.set(database=f"file:{quote(file)}")
        url = url.update_query_dict({"mode": "ro", "uri": "true"})
    options = {"connect_args": {"read_only": True}} if kind == "duckdb" else {}
    return sqlalchemy.create_engine(url, **options)


def _code(query: str) -> str:
    """Return a query without its comments, texts and quoted names."""
    return _NO_CODE.sub(" ", query)


def _outside_brackets(code: str) -> str:
    inner = re.compile(r"\([^()]*\)")
    while inner.search(code):
        code = inner.sub(" ", code)
    return code


def _told(error: Any) -> str:
    """Return the first line of a driver's error message, without the query."""
    inner = error.__cause__ or error  # pandas and SQLAlchemy put what was asked before what it says
    return str(getattr(inner, "orig", inner)).strip().partition("\n")[0]
