"""No mistake in a file or on a command line ends in a traceback."""

import warnings

import pytest

from tests import broken_input


@pytest.mark.slow
@pytest.mark.parametrize("kind", broken_input.KINDS)
def test_mistakes_drawn_at_random_end_in_a_message(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as at the command line, where none stops a command
        found = [(line, why) for line, why in broken_input.attempts(kind, 60, seed=1) if why]
    assert not found
