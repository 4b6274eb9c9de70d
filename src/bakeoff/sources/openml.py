"""Data sets from OpenML (https://www.openml.org/apis), fetched once and kept.

scikit-learn's `fetch_openml(parser="pandas")` is not used because it gives other rows: it splits
values in single quotes at their commas, cuts rows at a percent sign, leaves single quotes around
texts and does not read sparse rows into a table. It also asks openml.org alone, and no `server`.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import quote, urlsplit

from pydantic import Field, model_validator

from bakeoff.errors import Problem, UserError
from bakeoff.files import DOWNLOADS, digest, read_parquet, write_parquet
from bakeoff.keys import said
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, blame
from bakeoff.sources.common.web import Server

if TYPE_CHECKING:
    import pandas as pd

_API = "https://api.openml.org"


class OpenmlData(DataSet):
    """A data set from OpenML, downloaded once."""

    source: Literal["openml"]
    data_id: int | None = Field(None, ge=1, description="Its number on OpenML.")
    name: str | None = Field(None, min_length=1, description="Its name on OpenML.")
    version: int | None = Field(
        None, ge=1, description="With `name`: the version; default: the oldest active one."
    )
    target: ColumnName | None = Field(
        None, description="The column to predict; default: the one OpenML names."
    )
    server: Server | None = Field(
        None,
        description="Address of another server with OpenML's interface; default: OpenML itself.",
    )

    @model_validator(mode="after")
    def _one_name(self) -> Self:
        if (self.data_id is None) == (self.name is None):
            raise said("give either `data_id` or `name` (with `version`)")
        if self.version is not None and self.name is None:
            raise said("`version` goes with `name`; a `data_id` is one version already")
        return self

    def inputs(self) -> list[str]:
        """Return nothing: a version on OpenML does not change."""
        return []

    def at_hand(self) -> bool:
        """Tell whether the data set is in the local cache."""
        return self._kept.is_file()

    def load(self, seed: int) -> Loaded:
        """Return it, fetching it unless it is there; the facts are number, version, licence."""
        if not self._kept.is_file():
            with blame("name" if self.data_id is None else "data_id"):
                self._fetch()
        from bakeoff.sources.common.identifiers import to_frame

        table = read_parquet(self._kept)
        facts = json.loads(table.schema.metadata[b"openml"])
        targets = facts.pop("targets")
        if self.target is None and len(targets) != 1:
            found = f"names {', '.join(targets)}" if targets else "names none"
            raise Problem(
                ("target",), f"say which is the target column, `target: ...`: OpenML {found}"
            )
        return Loaded(to_frame(table), self.target or targets[0], facts=facts)

    @property
    def _kept(self) -> Path:
        keys = ("data_id", "name", "version", "server")
        return DOWNLOADS / f"openml-{digest([getattr(self, key) for key in keys])}.parquet"

    def _fetch(self) -> None:
        """Download the data set to the local cache."""
        import pyarrow as pa

        from bakeoff.sources.common.download import reason_of

        if self.data_id is not None:
            asked = f"data_id {self.data_id}"
        else:
            asked = f"name {self.name}, version {self.version or 'active'}"
        try:
            frame, facts = self._asked_of_server()
        except OSError as error:
            raise UserError(
                f"OpenML cannot be reached for {asked} ({reason_of(error)}). Connect to the "
                f"network, or run once where there is one and copy {self._kept} here, or give the "
                "table as `source: file`"
            ) from None
        except (ValueError, LookupError) as error:
            raise UserError(f"OpenML has no usable data set of {asked}: {error}") from None
        table = pa.Table.from_pandas(frame, preserve_index=False)
        meta = {**(table.schema.metadata or {}), b"openml": json.dumps(facts).encode()}
        write_parquet(self._kept, table.replace_schema_metadata(meta))

    def _asked_of_server(self) -> tuple[pd.DataFrame, dict[str, Any]]:
        number = self.data_id or self._number()
        described = self._json(f"data/{number}")["data_set_description"]
        features = self._json(f"data/features/{number}")["data_features"]["feature"]
        frame = self._table(described["url"], described.get("md5_checksum"))
        targets = [f["name"] for f in features if f.get("is_target") == "true"]
        unused = [
            f["name"]
            for f in features
            if "true" in (f.get("is_ignore"), f.get("is_row_identifier"))
            and f["name"] not in targets
        ]
        facts = {
            "targets": targets,
            "data_id": int(described["id"]),
            "name": described["name"],
            "version": int(described["version"]),
            "url": described["url"],
            "licence": described.get("licence"),
        }
        return frame.drop(columns=unused, errors="ignore"), facts

    def _number(self) -> int:
        """Find the number of a name: its version, or the oldest active one."""
        which = f"data_version/{self.version}" if self.version else "status/active/"
        page = f"data/list/data_name/{quote(str(self.name))}/limit/2/{which}"
        try:
            matches: list[Mapping[str, Any]] = self._json(page)["data"]["dataset"]
        except OSError as error:
            # OpenML answers so when nothing is found
            if getattr(getattr(error, "response", None), "status_code", None) != 412:
                raise
            matches = []
        if not matches:
            raise LookupError("there is none of this name and version that is active")
        return int(matches[0]["did"])

    def _json(self, page: str) -> Any:
        return json.loads(self._page(f"{_API}/api/v1/json/{page}"))

    def _table(self, url: str, md5: str | None) -> pd.DataFrame:
        from bakeoff.sources.common.arff import read_arff

        content = self._page(url, md5).decode("utf-8")
        return read_arff(content.splitlines())

    def _page(self, url: str, md5: str | None = None) -> bytes:
        from bakeoff.sources.common.download import fetch

        if self.server is not None:
            parts = urlsplit(url)
            url = f"{self.server}{parts.path}" + (f"?{parts.query}" if parts.query else "")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page"
            fetch(url, path)
            content = path.read_bytes()
        if md5 is not None and hashlib.md5(content, usedforsecurity=False).hexdigest() != md5:
            raise ValueError(f"the file at {url} has another checksum than OpenML says")
        return content
