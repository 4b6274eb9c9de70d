"""A fixture for pytest: `assert_not_worse`. Nothing else is imported before a test asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bakeoff.release import GateVerdict


@pytest.fixture(scope="session")
def assert_not_worse() -> Callable[..., GateVerdict]:
    """Fail a test unless a candidate is shown not to be worse than a base by a margin."""
    from bakeoff.api.rows import assert_not_worse as check

    return check
