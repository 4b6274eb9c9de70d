"""Files are written whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.files import whole


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_full_disk_is_told_and_leaves_nothing(tmp_path: Path, number: int) -> None:
    def write() -> None:
        with whole(tmp_path / "table.csv") as part:
            part.write_text("half")
            raise OSError(number, "no room")

    with pytest.raises(UserError, match=r"table\.csv cannot be written: .*make room"):
        write()
    assert list(tmp_path.iterdir()) == []
