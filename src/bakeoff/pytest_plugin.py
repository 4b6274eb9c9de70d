"""A fixture for pytest: `assert_not_worse`. Nothing else is imported before a test asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

import pytest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bakeoff.release import GateVerdict


class NotWorse(Protocol):
    """What the fixture `assert_not_worse` gives."""

    def __call__(
        self,
        y: ArrayLike | None,
        base: Any,
        candidate: Any,
        *,
        margin: float | str,
        undecided: Literal["fail", "skip"] = "fail",
        **options: Any,
    ) -> GateVerdict:
        """Fail the test unless `bakeoff.gate` ships the candidate."""


@pytest.fixture(scope="session")
def assert_not_worse() -> NotWorse:
    """Fail a test unless a candidate is shown not to be worse than a base by a margin."""
    from bakeoff.api.gate import assert_not_worse as check

    return check
