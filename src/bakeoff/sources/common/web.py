"""Checks of URLs in an experiment: valid, and with secrets only in environment variables."""

from __future__ import annotations

import os
import re
from typing import Annotated, NamedTuple
from urllib.parse import quote, unquote

from pydantic import AfterValidator

from bakeoff.errors import Problem, shown
from bakeoff.keys import said

VARIABLE = re.compile(r"\$\{(\w+)\}")
_LOGIN = re.compile(r"^[^:/]+://([^/?#]*)@")
_PARAMETER = re.compile(r"[?&;#]([^=?&;#]+)=([^&;#]*)")
_SECRET = re.compile(
    r"passw(or)?d|passphrase|pwd|token(?!i)|secret|signature|credential|jwt|(api|access|account)key"
    r"|(^|[^a-z])(pass|pw|key|sig|auth|authorization|sas)$",
    re.IGNORECASE,
)


class Filled(NamedTuple):
    """An address with the values of its environment variables."""

    address: str
    secrets: dict[str, str]

    def hidden_in(self, text: str) -> str:
        """Put the names of the variables in the place of their values."""
        for name, value in self.secrets.items():
            for written in dict.fromkeys((value, quote(value, safe=""), quote(value))):
                text = text.replace(written, f"${{{name}}}") if written else text
        return text


def filled(address: str) -> Filled:
    """Put the values of environment variables into an address."""
    # In a login and as the value of a parameter they are percent-encoded, so that a password may
    # hold any character.
    names = dict.fromkeys(VARIABLE.findall(address))
    lacking = [name for name in names if name not in os.environ]
    if lacking:
        raise Problem(("url",), f"there is no environment variable {lacking[0]}")
    login = _LOGIN.match(address)

    def value(match: re.Match[str]) -> str:
        inner = login is not None and match.start() < login.end()
        text = os.environ[match[1]]
        return quote(text, safe="") if inner or address[match.start() - 1] == "=" else text

    return Filled(VARIABLE.sub(value, address), {name: os.environ[name] for name in names})


def _without_login(address: str) -> str:
    """Refuse an address of the web with a secret, or with a user's name: it may be a token."""
    login = _LOGIN.match(address)
    found = ["what stands before the @"] if login and _told(login[1].replace(":", "")) else []
    for name, value in _PARAMETER.findall(unquote(address)):
        if _SECRET.search(name.strip()) and _told(value):
            found.append(f"{name.strip()}=")
    if found:
        raise said(
            f"there is a password or token in the address ({found[0]}), which would stand in the "
            "results: put it into an environment variable and write ${NAME} in its place"
        )
    return address


def _told(text: str) -> bool:
    return bool(VARIABLE.sub("", text))


def _looking_like(pattern: str, wanted: str) -> AfterValidator:
    """Make a check of a text against a pattern, with a message in words."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise said(f"found {shown(text)}, expected {wanted}")
        return text

    return AfterValidator(check)


WebAddress = Annotated[
    str,
    AfterValidator(_without_login),
    _looking_like(r"https?://\S+", "a web address that starts with http:// or https://"),
]
Sha256 = Annotated[
    str,
    _looking_like(r"[0-9a-f]{64}", "64 characters of 0-9 and a-f, as `sha256sum FILE` prints them"),
]
