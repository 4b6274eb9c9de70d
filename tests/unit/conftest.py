"""Fixtures that several rooms share."""

import pytest


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    """Work in an empty folder, which is returned."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
