"""Files from the web: downloaded once, known by their hash."""

from __future__ import annotations

import time
from pathlib import Path

import pooch
import requests

from bakeoff.errors import UserError
from bakeoff.files import DOWNLOADS, sha256_of, whole

_SECONDS = 60
_WAITS = (1.0, 4.0)
"""Seconds before the second and the third attempt."""


def cached(sha256: str) -> Path | None:
    """Return the file of a hash if it has been downloaded, whole and unchanged."""
    path = DOWNLOADS / sha256
    return path if path.is_file() and sha256_of(path) == sha256 else None


def download(url: str, sha256: str) -> Path:
    """Return the file of a hash, downloading it unless it is there.

    Raises
    ------
    UserError
        The address cannot be reached, or gives another file than the hash says.
    """
    found = cached(sha256)
    if found is not None:
        return found
    path = DOWNLOADS / sha256
    with whole(path) as part:
        try:
            fetch(url, part)
        except OSError as error:
            raise UserError(
                f"{url} cannot be downloaded ({reason_of(error)}); without a network, put the file "
                f"at {path}"
            ) from None
        got = sha256_of(part)
        if got != sha256:
            raise UserError(
                f"the file at {url} has the sha256 {got}, the experiment says {sha256}: it has "
                "changed, or the key is wrong"
            )
    return path


def fetch(url: str, path: Path) -> None:
    """Write what is at an address to a file; try again after what may pass.

    Raises
    ------
    OSError
        It cannot be reached, or says that there is nothing.
    """
    get = pooch.HTTPDownloader(
        progressbar=False, timeout=_SECONDS, headers={"User-Agent": "bakeoff"}
    )
    for wait in (*_WAITS, None):
        try:
            get(url, str(path), None)
            return
        except requests.RequestException as error:
            answer = error.response
            if wait is None or (answer is not None and answer.status_code < 500):
                raise
        time.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def reason_of(error: OSError) -> str:
    """Say in a few words why an address was not reached."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"HTTP {answer.status_code} {answer.reason}"
    inner = error.args[0] if error.args else error
    return " ".join(str(getattr(inner, "reason", inner)).split()) or type(error).__name__
