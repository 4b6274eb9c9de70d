"""Files from the web: downloaded once, known by their hash."""

from __future__ import annotations

import time
from pathlib import Path

import requests

from bakeoff.errors import UserError
from bakeoff.files import DOWNLOADS, sha256_of, whole
from bakeoff.sources.common.archives import LARGEST
from bakeoff.sources.common.web import filled

_CHUNK = 1 << 20
_SECONDS = 60
_WAITS = (1.0, 4.0)
"""Seconds before the second and the third attempt."""


def cached(sha256: str) -> Path | None:
    """Return the file of a hash if it has been downloaded, whole and unchanged."""
    path = DOWNLOADS / sha256
    return path if path.is_file() and sha256_of(path) == sha256 else None


def download(url: str, sha256: str) -> Path:
    """Return the file of a hash, downloading it unless it is there."""
    found = cached(sha256)
    if found is not None:
        return found
    path, place = DOWNLOADS / sha256, filled(url)
    with whole(path) as part:
        try:
            fetch(place.address, part)
        except OSError as error:
            raise UserError(
                f"{url} cannot be downloaded ({place.hidden_in(reason_of(error))}); without a "
                f"network, put the file at {path}"
            ) from None
        got = sha256_of(part)
        if got != sha256:
            raise UserError(
                f"the file at {url} has the sha256 {got}, the experiment says {sha256}: it has "
                "changed, or the key is wrong"
            )
    return path


def fetch(url: str, path: Path) -> None:
    """Download an address to a file; retry after transient errors."""
    for wait in (*_WAITS, None):
        try:
            with requests.get(
                url, stream=True, timeout=_SECONDS, headers={"User-Agent": "bakeoff"}
            ) as answer:
                answer.raise_for_status()
                _write(answer, path)
            return
        except requests.RequestException as error:
            said = error.response
            if wait is None or (said is not None and said.status_code < 500):
                raise
        time.sleep(wait)


def _write(answer: requests.Response, path: Path) -> None:
    size = 0
    with path.open("wb") as file:
        for chunk in answer.iter_content(_CHUNK):
            size += len(chunk)
            if size > LARGEST:
                raise OSError(f"it is larger than {LARGEST >> 30} GiB")
            file.write(chunk)


def reason_of(error: OSError) -> str:
    """Describe why a download failed."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"HTTP {answer.status_code} {answer.reason}"
    inner = error.args[0] if error.args else error
    return " ".join(str(getattr(inner, "reason", inner)).split()) or type(error).__name__
