"""Files from the web: downloaded once, known by their hash."""

from __future__ import annotations

import http.client
import shutil
import time
import urllib.error
import urllib.request
from pathlib import Path

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
            _fetch_patiently(url, part)
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


def reason_of(error: Exception) -> str:
    """Say in a few words why an address was not reached."""
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code} {error.reason}"
    return str(getattr(error, "reason", error)) or type(error).__name__


def _fetch_patiently(url: str, part: Path) -> None:
    """Try again after what may pass: a broken connection, a server in trouble."""
    for wait in _WAITS:
        try:
            return _fetch(url, part)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise
        except OSError:
            pass
        time.sleep(wait)
    return _fetch(url, part)


def _fetch(url: str, part: Path) -> None:
    request = urllib.request.Request(url, headers={"User-Agent": "bakeoff"})
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer, part.open("wb") as file:
            shutil.copyfileobj(answer, file)
            expected = int(answer.headers.get("Content-Length") or file.tell())
            if file.tell() != expected:
                raise OSError(f"got {file.tell()} of {expected} bytes")
    except urllib.error.HTTPError as error:
        error.close()
        raise
    except http.client.HTTPException as error:
        raise OSError(f"the connection broke ({error!r})") from None
