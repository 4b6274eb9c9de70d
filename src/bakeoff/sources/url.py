"""Tables at an address of the web, downloaded once and known by their hash."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from pydantic import AfterValidator

from bakeoff.errors import UserError, shown
from bakeoff.files import DOWNLOADS, sha256_of, whole
from bakeoff.keys import said
from bakeoff.sources.common.base import Loaded, TableData, blame

_CHUNK = 1 << 20
_SECONDS = 60
_WAITS = (1.0, 4.0)
"""Seconds before the second and the third attempt."""
_LOGIN = re.compile(r"^[^:/]+://[^/?#]*[^/?#:][^/?#]*@")
_PARAMETER = re.compile(r"[?&;#]([^=?&;#]+)=[^&;#]")
_SECRET = re.compile(
    r"passw(or)?d|passphrase|pwd|token(?!i)|secret|signature|credential|jwt|(api|access|account)key"
    r"|(^|[^a-z])(pass|pw|key|sig|auth|authorization|sas)$",
    re.IGNORECASE,
)


# --- addresses


def _checked(address: str) -> str:
    """Refuse what is no address of the web, and one with a secret or a user's name in it."""
    secret = _secret_in(address)
    if secret:
        raise said(
            f"there is a password or token in the address ({secret}), which would stand in the "
            "results: use `source: function` with a function that downloads the table"
        )
    if re.fullmatch(r"https?://\S+", address) is None:
        raise said(
            f"found {shown(address)}, expected a web address that starts with http:// or https://"
        )
    return address


def _secret_in(address: str) -> str:
    """Name the part of an address that gives somebody access; empty if there is none."""
    if _LOGIN.match(address):
        return "what stands before the @"
    for parameter in _PARAMETER.findall(unquote(address)):
        name = parameter.strip()
        if _SECRET.search(name):
            return f"{name}="
    return ""


def _hexadecimal(sha256: str) -> str:
    if re.fullmatch(r"[0-9a-f]{64}", sha256) is None:
        raise said(
            f"found {shown(sha256)}, expected 64 characters of 0-9 and a-f, as `sha256sum FILE` "
            "prints them"
        )
    return sha256


# --- the source


class UrlData(TableData):
    """A table at a web address, downloaded once."""

    source: Literal["url"]
    url: Annotated[str, AfterValidator(_checked)]
    """Address of the file, http or https, without passwords and tokens."""
    sha256: Annotated[str, AfterValidator(_hexadecimal)]
    """SHA-256 of the file as downloaded (`sha256sum FILE`): the run stops when the file behind the
    address has changed."""

    def inputs(self) -> list[str]:
        """Return nothing: the hash in the experiment is that of the file."""
        return []

    def at_hand(self) -> bool:
        """Tell whether the file has been downloaded, whole and unchanged."""
        path = DOWNLOADS / self.sha256
        return path.is_file() and sha256_of(path) == self.sha256

    def load(self, seed: int) -> Loaded:
        """Read the table, downloading it unless it is there."""
        from bakeoff.sources.common.formats import read_table

        path = DOWNLOADS / self.sha256
        with blame("url"):
            if not self.at_hand():
                with whole(path) as part:
                    self._download(part, path)
            return Loaded(read_table(self.url, self, path), self.target)

    def _download(self, part: Path, path: Path) -> None:
        """Download the file, which must have the hash that the experiment says."""
        try:
            fetch(self.url, part)
        except OSError as error:
            raise UserError(
                f"{self.url} cannot be downloaded ({reason_of(error)}); without a network, put the "
                f"file at {path}"
            ) from None
        sha256 = sha256_of(part)
        if sha256 != self.sha256:
            raise UserError(
                f"the file at {self.url} has the sha256 {sha256}, the experiment says "
                f"{self.sha256}: it has changed, or the key is wrong"
            )


# --- downloads


def fetch(url: str, path: Path) -> None:
    """Download an address to a file; retry after transient errors."""
    import requests

    from bakeoff.sources.common.formats import LARGEST

    def download() -> None:
        headers = {"User-Agent": "bakeoff"}
        answer = requests.get(
            url,
            stream=True,
            timeout=_SECONDS,
            headers=headers,
        )
        with answer, path.open("wb") as file:
            answer.raise_for_status()
            for chunk in answer.iter_content(_CHUNK):
                file.write(chunk)
                if file.tell() > LARGEST:
                    raise OSError(f"it is larger than {LARGEST >> 30} GiB")

    for seconds in _WAITS:
        try:
            download()
            return
        except requests.RequestException as error:
            response = error.response
            # the server understood, and will say the same again
            if response is not None and response.status_code < 500:
                raise
        time.sleep(seconds)
    download()


def reason_of(error: OSError) -> str:
    """Describe why a download failed."""
    answer = getattr(error, "response", None)
    if answer is not None:
        return f"HTTP {answer.status_code} {answer.reason}"
    # libraries wrap what the system said
    cause: Any = error
    if error.args:
        cause = error.args[0]
    reason = str(getattr(cause, "reason", cause))
    return " ".join(reason.split()) or type(error).__name__
