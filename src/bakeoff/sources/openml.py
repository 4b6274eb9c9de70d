"""Data sets from OpenML (https://www.openml.org/apis), fetched once and kept."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from bakeoff.errors import Problem, UserError
from bakeoff.files import DOWNLOADS, digest, read_parquet, write_parquet
from bakeoff.keys import said
from bakeoff.sources.common.base import ColumnName, DataSet, Loaded, blame


class OpenmlData(DataSet):
    """A data set from OpenML, downloaded once."""

    source: Literal["openml"]
    data_id: int | None = Field(None, ge=1, description="Its number on OpenML.")
    name: str | None = Field(None, min_length=1, description="Its name on OpenML.")
    version: int | None = Field(None, ge=1)
    """With `name`: the version; default: the oldest active one."""
    target: ColumnName | None = None
    """The column to predict; default: the one OpenML names."""

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
        from bakeoff.sources.common.identifiers import to_frame

        if not self._kept.is_file():
            key = "name"
            if self.data_id is not None:
                key = "data_id"
            with blame(key):
                self._fetch()
        table = read_parquet(self._kept)
        facts = json.loads(table.schema.metadata[b"openml"])
        targets = facts.pop("targets")
        if self.target is None and len(targets) != 1:
            text = f"OpenML names {', '.join(targets) or 'none'}"
            raise Problem(("target",), f"say which is the target column, `target: ...`: {text}")
        return Loaded(to_frame(table), self.target or targets[0], facts=facts)

    @property
    def _kept(self) -> Path:
        keys = (self.data_id, self.name, self.version)
        return DOWNLOADS / f"openml-{digest(list(keys))}.parquet"

    def _fetch(self) -> None:
        """Download the data set to the local cache."""
        import pyarrow as pa

        bunch = self._fetched()
        facts = {
            "targets": list(bunch.target_names),
            "data_id": int(bunch.details["id"]),
            "name": bunch.details["name"],
            "version": int(bunch.details["version"]),
            "url": bunch.url,
            "licence": bunch.details.get("licence"),
        }
        table = pa.Table.from_pandas(bunch.frame, preserve_index=False)
        metadata = {**table.schema.metadata, b"openml": json.dumps(facts).encode()}
        write_parquet(self._kept, table.replace_schema_metadata(metadata))

    # --- the network

    def _fetched(self) -> Any:
        """Return what scikit-learn downloads, or say why it cannot."""
        from sklearn.datasets import fetch_openml

        from bakeoff.sources.url import reason_of

        wanted: dict[str, Any] = {"data_id": self.data_id}
        named = f"data_id {self.data_id}"
        if self.data_id is None:
            version = self.version or "active"
            wanted = {"name": self.name, "version": version}
            named = f"name {self.name}, version {version}"
        try:
            with warnings.catch_warnings():
                # several active versions of a name: the oldest is taken, as documented
                warnings.simplefilter("ignore")
                # the faster parser "pandas" splits quoted texts at their commas
                return fetch_openml(
                    **wanted,
                    as_frame=True,
                    parser="liac-arff",
                    cache=False,
                )
        except OSError as error:
            raise UserError(
                f"OpenML cannot be reached for {named} ({reason_of(error)}). Connect to the "
                f"network, or run once where there is one and copy {self._kept} here, or give the "
                "table as `source: file`"
            ) from None
        except (ValueError, LookupError) as error:
            raise UserError(f"OpenML has no usable data set of {named}: {error}") from None
