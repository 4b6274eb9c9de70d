"""Data sets from OpenML, fetched by scikit-learn and kept."""

from __future__ import annotations

import json
import socket
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bakeoff.data.download import reason_of
from bakeoff.errors import UserError
from bakeoff.files import DOWNLOADS, whole
from bakeoff.spec.datasets import OpenmlData
from bakeoff.spec.experiment import digest

_SECONDS = 60.0
_RETRIES, _DELAY = 2, 2.0


def cached(spec: OpenmlData) -> Path | None:
    """Return the file that holds a data set if it has been fetched."""
    path = _path(spec)
    return path if path.is_file() else None


def fetch(spec: OpenmlData) -> tuple[pd.DataFrame, list[str], dict[str, Any]]:
    """Return a data set, fetching it unless it is there.

    Returns
    -------
    frame : DataFrame
        Features and target.
    targets : list of str
        The columns that OpenML names as the target.
    facts : dict
        Its number, version, address and licence.
    """
    path = _path(spec)
    if not path.is_file():
        _keep(path, *_fetch(spec, path))
    table = pq.read_table(path)
    facts = json.loads(table.schema.metadata[b"openml"])
    return table.to_pandas(), facts.pop("targets"), facts


def _path(spec: OpenmlData) -> Path:
    keys = ("data_id", "name", "version", "server")
    return DOWNLOADS / f"openml-{digest([getattr(spec, key) for key in keys])}.parquet"


def _keep(path: Path, frame: pd.DataFrame, facts: dict[str, Any]) -> None:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    meta = {**(table.schema.metadata or {}), b"openml": json.dumps(facts).encode()}
    with whole(path) as part:
        pq.write_table(table.replace_schema_metadata(meta), part)


def _fetch(spec: OpenmlData, path: Path) -> tuple[pd.DataFrame, dict[str, Any]]:
    from sklearn.datasets import fetch_openml

    if spec.data_id is not None:
        wanted: dict[str, Any] = {"data_id": spec.data_id}
    else:
        wanted = {"name": spec.name, "version": spec.version or "active"}
    asked = ", ".join(f"{key} {value}" for key, value in wanted.items())
    try:
        with _patience(), _through(spec.server), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each retry; what remains wrong is raised
            bunch = fetch_openml(
                **wanted, as_frame=True, cache=False, n_retries=_RETRIES, delay=_DELAY
            )
    except OSError as error:
        raise UserError(
            f"OpenML cannot be reached for {asked} ({reason_of(error)}). Connect to the network, "
            f"or run once where there is one and copy {path} here, or give the table as "
            "`source: file`"
        ) from None
    except (ValueError, LookupError) as error:
        raise UserError(f"OpenML has no usable data set of {asked}: {error}") from None
    details = bunch.details
    return bunch.frame, {
        "targets": list(bunch.target_names),
        "data_id": int(details["id"]),
        "name": details["name"],
        "version": int(details["version"]),
        "url": bunch.url,
        "licence": details.get("licence"),
    }


@contextmanager
def _patience() -> Iterator[None]:
    """Give up on a silent server, which scikit-learn would wait for without end."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(_SECONDS)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


class _OtherServer(urllib.request.BaseHandler):
    """Ask another server for what is asked of OpenML."""

    handler_order = 50  # before proxies and what opens addresses by itself

    def __init__(self, server: str) -> None:
        self._server = server

    def https_open(self, request: urllib.request.Request) -> Any:
        """Open the same path there."""
        parts = urlsplit(request.full_url)
        if not (parts.hostname or "").endswith("openml.org"):
            return None
        there = f"{self._server}{parts.path}" + (f"?{parts.query}" if parts.query else "")
        moved = urllib.request.Request(there, headers=dict(request.header_items()))
        moved.remove_header("Host")
        return self.parent.open(moved, timeout=_SECONDS)

    http_open = https_open


@contextmanager
def _through(server: str | None) -> Iterator[None]:
    """Send what scikit-learn asks of OpenML to another server, if there is one."""
    if server is None:
        yield
        return
    urllib.request.install_opener(urllib.request.build_opener(_OtherServer(server)))
    try:
        yield
    finally:
        urllib.request.install_opener(urllib.request.build_opener())
