"""Tables downloaded from a URL."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bakeoff.sources.common.base import Loaded, blame
from bakeoff.sources.common.tables import TableData
from bakeoff.sources.common.web import Sha256, WebAddress


class UrlData(TableData):
    """A table at a web address, downloaded once."""

    source: Literal["url"]
    url: WebAddress = Field(
        description="Address of the file, http or https. `${NAME}` is taken from the environment; "
        "passwords and tokens can stand there alone."
    )
    sha256: Sha256 = Field(
        description="SHA-256 of the file as downloaded (`sha256sum FILE`): the run stops when the "
        "file behind the address has changed.",
    )

    def inputs(self) -> list[str]:
        """Return nothing: the hash in the experiment is that of the file."""
        return []

    def at_hand(self) -> bool:
        """Tell whether the file has been downloaded."""
        from bakeoff.sources.common.download import cached

        return cached(self.sha256) is not None

    def load(self, seed: int) -> Loaded:
        """Read the table, downloading it unless it is there."""
        from bakeoff.sources.common.download import download
        from bakeoff.sources.common.formats import read_table

        with blame("url"):
            file = download(self.url, self.sha256)
            return Loaded(read_table(file, self.url, self), self.target)
