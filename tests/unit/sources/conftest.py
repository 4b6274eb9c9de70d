"""A web server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.sources.common import download
from tests.unit.sources.helpers import Server


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(download, "_WAITS", (0.0, 0.0))
    running = Server()
    yield running
    running.close()
