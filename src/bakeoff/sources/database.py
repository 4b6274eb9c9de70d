"""Rows of a database, by any address that SQLAlchemy knows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, field_validator

from bakeoff.errors import Problem, UserError
from bakeoff.files import is_file, locate
from bakeoff.keys import said
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, blame

if TYPE_CHECKING:
    import pandas as pd

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_PASSWORD = re.compile(r"^[^:/]+://[^:/@]*:([^@]*)@")
_SECRET = re.compile(r"(?i)[?&](password|passwd|pwd|token|secret|key)=([^&]*)")
_SQLITE = "sqlite:///"


class DatabaseData(DataSet):
    """The rows that a query of a database gives."""

    source: Literal["database"]
    url: str = Field(
        min_length=1,
        description="SQLAlchemy's address of the database: `sqlite:///study.db`, "
        "`postgresql://${DB_USER}:${DB_PASSWORD}@host/study`. `${NAME}` is taken from the "
        "environment; a password can stand there alone.",
    )
    query: str = Field(
        min_length=1,
        description="The query, e.g. `SELECT * FROM visits ORDER BY visit`; without `ORDER BY` "
        "give `id`, by which the rows are put in order.",
    )
    target: ColumnName = Field(description="The column to predict.")

    @field_validator("url")
    @classmethod
    def _no_password(cls, url: str) -> str:
        found = [m[1] for m in [_PASSWORD.search(url)] if m] + [m[2] for m in _SECRET.finditer(url)]
        if any(_VARIABLE.sub("", text) for text in found):
            raise said(
                "there is a password in the address: put it into an environment variable and "
                "write ${NAME}"
            )
        return url

    def inputs(self) -> list[str]:
        """List the file of an SQLite database; what a server holds is not watched."""
        if not self._is_file:
            return []
        path = self.url.removeprefix(_SQLITE)
        return [_VARIABLE.sub(lambda name: os.environ.get(name[1], name[0]), path)]

    def beside(self, folder: Path) -> Self:
        """Find files that are not in the working folder in the experiment's own.

        An address with a variable is kept: what the environment says is in no file of results.
        """
        if not self._is_file or _VARIABLE.search(self.url):
            return self
        path = locate(self.url.removeprefix(_SQLITE), folder)
        return self.model_copy(update={"url": _SQLITE + path})

    def at_hand(self) -> bool:
        """Tell whether no network is needed."""
        return self._is_file

    def load(self, seed: int) -> Loaded:
        """Run the query; nothing is written to the database."""
        ordered = re.search(r"(?is)\border\s+by\b", self.query)
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

        secrets = self._secrets()
        with blame("url"):
            for path in self.inputs():
                if not is_file(path):
                    raise UserError(f"no file at {path!r}")
            try:
                address = _VARIABLE.sub(lambda name: secrets[name[1]], self.url)
                engine = sqlalchemy.create_engine(address)
                connection = engine.connect()
            except (ArgumentError, NoSuchModuleError, ImportError, SQLAlchemyError) as error:
                reason = _without(secrets, error)
                raise UserError(f"{self.url} cannot be opened: {reason}") from None
        with blame("query"):
            try:
                with connection:  # without a commit: nothing is changed
                    frame = pd.read_sql_query(sqlalchemy.text(self.query), connection)
            except Exception as error:
                raise UserError(f"the query fails: {_without(secrets, error)}") from None
            finally:
                engine.dispose()
            return with_plain_columns(frame, "the query")

    def _secrets(self) -> dict[str, str]:
        names = dict.fromkeys(_VARIABLE.findall(self.url))
        lacking = [name for name in names if name not in os.environ]
        if lacking:
            raise Problem(("url",), f"there is no environment variable {lacking[0]}")
        return {name: os.environ[name] for name in names}


def _without(secrets: dict[str, str], error: Any) -> str:
    """Return the first line of what a driver says, without what is secret."""
    inner = error.__cause__ or error  # pandas and SQLAlchemy put what was asked before what it says
    text = str(getattr(inner, "orig", inner)).strip().partition("\n")[0]
    for name, value in secrets.items():
        text = text.replace(value, f"${{{name}}}") if value else text
    return text
