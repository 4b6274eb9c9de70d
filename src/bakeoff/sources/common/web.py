"""Addresses as keys have them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from bakeoff.errors import shown
from bakeoff.keys import said


def _looking_like(pattern: str, wanted: str) -> AfterValidator:
    """Make the check of a text against a pattern that says in words what is wanted."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise said(f"found {shown(text)}, expected {wanted}")
        return text

    return AfterValidator(check)


WebAddress = Annotated[
    str, _looking_like(r"https?://\S+", "a web address that starts with http:// or https://")
]
Server = Annotated[str, _looking_like(r"https?://[^\s/]+", "a server like https://www.openml.org")]
Sha256 = Annotated[
    str,
    _looking_like(r"[0-9a-f]{64}", "64 characters of 0-9 and a-f, as `sha256sum FILE` prints them"),
]
