"""Provenance of a file of predictions: an existing fit is reused unless it is outdated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bakeoff.files import sha256_of, state_of
from bakeoff.fit.predictions import METADATA


def stamp(fingerprint: str, *inputs: str | Path) -> dict[str, str]:
    """Return what a fit's file says about its making."""
    contents = [_content(str(path), state_of(path)) for path in inputs]
    return {"fingerprint": fingerprint, "inputs": "+".join(contents)}


def is_made(output: str | Path, wanted: Mapping[str, str]) -> bool:
    """Tell whether a file of predictions exists and carries this stamp."""
    found = _facts(output) if Path(output).is_file() else None
    return found is not None and all(found.get(key) == value for key, value in wanted.items())


def find_outdated(stamps: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List the existing files of predictions whose stamp differs."""
    return [
        path
        for path, wanted in stamps.items()
        if Path(path).is_file() and not is_made(path, wanted)
    ]


def _facts(path: str | Path) -> dict[str, str] | None:
    try:
        metadata = pq.read_schema(path).metadata or {}
        facts: dict[str, str] = json.loads(metadata.get(METADATA, b"{}"))
    except (OSError, ValueError, pa.ArrowException):
        return None
    return facts


@lru_cache(maxsize=32)
def _content(path: str, state: tuple[int, ...]) -> str:
    return sha256_of(path)[:16]
