"""Files are written whole or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from bakeoff.errors import UserError
from bakeoff.files import whole, write_text


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_full_disk_is_told_and_leaves_nothing(tmp_path: Path, number: int) -> None:
    def write() -> None:
        with whole(tmp_path / "table.csv") as part:
            part.write_text("half")
            raise OSError(number, "no room")

    with pytest.raises(UserError, match=r"table\.csv cannot be written: .*make room"):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "advice"), [(errno.EACCES, "may write to"), (errno.ENOSPC, "make room")]
)
def test_folder_that_takes_no_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    with pytest.raises(UserError, match=rf"table\.csv cannot be written: .*{advice}"):
        write_text(tmp_path / "table.csv", "text")


def test_file_in_the_place_of_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(UserError, match=r"cannot be written: (Not a directory|File exists)"):
        write_text(tmp_path / "results/table.csv", "text")
