"""Messages about mistakes."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from bakeoff.errors import shown

DAY = datetime.date(2026, 1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        ("a", "'a'"),
        (DAY, "2026-01-02"),
        ([DAY, "a"], "[2026-01-02, 'a']"),
        ((DAY,), "(2026-01-02,)"),
        ({"day": DAY, np.int64(1): np.float64(0.5)}, "{'day': 2026-01-02, 1: 0.5}"),
        (np.arange(2), "[0, 1]"),
    ],
)
def test_values_are_shown_as_a_user_wrote_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_long_value_is_cut() -> None:
    text = shown("a" * 1000)
    assert text.endswith(" …")
    assert len(text) < 200
