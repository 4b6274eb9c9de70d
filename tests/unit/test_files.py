"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UserError
from bakeoff.files import indented, is_whole, whole, write_json, write_text


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


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.integers() | st.booleans() | st.none(), inner)
    ),
)


@given(PLAIN)
def test_json_is_what_the_standard_library_writes(value: Any) -> None:
    assert indented(value) == json.dumps(value, indent=2, ensure_ascii=False)


def test_list_that_many_share_is_written_where_each_has_it() -> None:
    ranks = list(range(50))
    value = {"a": ranks, "b": [{"c": ranks}, ranks, {"c": list(reversed(ranks))}]}
    assert indented(value) == json.dumps(value, indent=2)


@pytest.mark.parametrize("value", [math.nan, [1.0, math.inf], {"a": [{"b": -math.inf}]}])
def test_what_is_no_number_is_no_json(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        indented(value)


@pytest.mark.parametrize("value", [{1, 2}, [object()], {(1, 2): 3, "a": []}])
def test_what_is_no_plain_data_is_no_json(value: Any) -> None:
    with pytest.raises(TypeError):
        indented(value)


@pytest.mark.parametrize("container", [[["x"] * 5] * 40_000, {"a": ["]"] * 200_000}])
def test_large_json_is_whole_only_to_its_end(tmp_path: Path, container: Any) -> None:
    path = tmp_path / "large.json"
    write_json(path, container)
    whole_text = path.read_bytes()
    assert len(whole_text) > 2**20
    assert is_whole(path)
    for cut in (1, 2, 3, 8, len(whole_text) // 2):
        path.write_bytes(whole_text[:-cut])
        assert not is_whole(path), cut
    path.write_bytes(b"?" + whole_text[1:])
    assert not is_whole(path)
