"""A web server on this machine."""

import pytest

from bakeoff.sources import url
from tests.unit.sources.helpers import Server


@pytest.fixture
def server(monkeypatch, in_folder):
    monkeypatch.setattr(url, "_WAITS", (0.0, 0.0))
    running = Server()
    yield running
    running.close()
