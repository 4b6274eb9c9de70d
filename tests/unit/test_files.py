"""Files are written whole or not at all."""

import errno
import math
import os
import stat
import subprocess
import sys
import threading
import time
from contextlib import nullcontext, suppress
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bakeoff import files
from bakeoff.errors import UserError


@pytest.mark.parametrize("where", ["touch", "write_text"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES])
def test_file_that_cannot_be_written_is_told_and_leaves_nothing(tmp_path, where, number):
    advice = "must be one that you may write to" if number == errno.EACCES else "make room"
    refused = mock.patch(f"pathlib.Path.{where}", side_effect=OSError(number, "no"))
    with refused, pytest.raises(UserError, match=rf"table\.csv cannot be written: .*{advice}"):
        files.write_text(tmp_path / "table.csv", "text")
    assert list(tmp_path.iterdir()) == []


def test_place_that_is_no_file_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    for name, said in (
        ("file/table.csv", "(Not a directory|File exists)"),
        ("a.md", "Too many levels"),
        (".", "it is a folder; name a file"),
    ):
        with pytest.raises(UserError, match=f"cannot be written: {said}"):
            files.write_text(tmp_path / name, "text")


def test_a_pipe_is_written_into(tmp_path):
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    files.write_text(pipe, "text")
    reader.join(10)
    assert got == ["text"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("minor", [3, 7])
def test_a_device_is_written_into(tmp_path, minor):
    """Number 3 takes all that is written, 7 is always full."""
    device = tmp_path / "device"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        device.open("wb").close()
    except OSError:
        pytest.skip("no device nodes can be made here")
    full = pytest.raises(UserError, match="device cannot be written: No space left")
    with full if minor == 7 else nullcontext():
        files.write_parquet(device, pa.table({"a": [1]}))
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


@pytest.mark.parametrize("there", [True, False])
def test_the_file_of_a_link_is_written(tmp_path, there):
    (tmp_path / "far").mkdir()
    (tmp_path / "far/b.md").symlink_to("c.md")
    (tmp_path / "a.md").symlink_to("far/b.md")
    if there:
        (tmp_path / "far/c.md").write_text("old")
    files.write_text(tmp_path / "a.md", "new")
    assert (tmp_path / "far/c.md").read_text() == "new"
    assert (tmp_path / "a.md").is_symlink()
    assert (tmp_path / "far/b.md").is_symlink()


def test_a_file_that_may_not_be_written_stays(tmp_path):
    """Root may write everything: it is the mode that counts."""
    path = tmp_path / "a.md"
    path.write_text("old")
    path.chmod(0o555)
    (tmp_path / "link.md").symlink_to(path)
    for place in (path, tmp_path / "link.md"):
        with pytest.raises(UserError, match="its mode is 0555; name another"):
            files.write_text(place, "new")
    assert path.read_text() == "old"
    assert stat.S_IMODE(path.stat().st_mode) == 0o555
    path.chmod(0o600)
    files.write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "others keep their mode"
    files.write_text(tmp_path / "new", "new")
    (tmp_path / "usual").touch()
    assert len({(tmp_path / name).stat().st_mode for name in ("new", "usual")}) == 1


def test_one_of_several_texts_that_cannot_be_written_leaves_all(tmp_path):
    (tmp_path / "b.csv").touch(0o444)
    with pytest.raises(UserError, match=r"b\.csv cannot be written"):
        files.write_texts({tmp_path / "a.csv": "a", tmp_path / "b.csv": "b"})
    assert list(tmp_path.iterdir()) == [tmp_path / "b.csv"]


@pytest.mark.parametrize("opened", ["w", "a"])
def test_the_output_of_the_process_goes_on_behind_what_is_written(tmp_path, opened):
    """A shell's `> file` makes a regular file of /dev/stdout."""
    code = (
        "from bakeoff.files import write_text\n"
        "print('first')\nwrite_text('/dev/stdout', 'text\\n')\nprint('last')"
    )
    with (tmp_path / "out").open(opened) as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "out").read_text() == "first\ntext\nlast\n"
    piped = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert piped.stdout == b"first\ntext\nlast\n"


@pytest.mark.parametrize("value", [math.nan, {"a": [{"b": -math.inf}]}, {1, 2}, {(1, 2): 3}])
def test_what_is_no_json_is_not_written(tmp_path, value):
    assert files.parse_json("9" * 308) == 10**308 - 1, "as long as a float can be"
    with pytest.raises((ValueError, TypeError)):
        files.write_json(tmp_path / "a.json", value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read", [files.read_json, files.read_csv, files.read_parquet])
def test_a_damaged_file_is_named(tmp_path, read):
    path = tmp_path / "a"
    for damage in (b"", b"\xff\xfe\xff", *([b"PAR1"] if read is not files.read_csv else [])):
        path.write_bytes(damage)
        with pytest.raises(UserError, match=r"a is damaged \(.*\): delete it and run"):
            read(path)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        read(path)


def test_bytes_that_were_flipped_anywhere_are_seen(tmp_path):
    """A changed number would be a wrong result, not a failure."""
    path, numbers = tmp_path / "a.parquet", list(range(300))
    files.write_parquet(path, pa.table({"a": numbers, "b": [f"text {n % 7}" for n in numbers]}))
    good = path.read_bytes()
    unseen, places = 0, range(0, len(good) - 3, 11)
    for place in places:
        flipped = bytes(byte ^ 0xFF for byte in good[place : place + 3])
        path.write_bytes(good[:place] + flipped + good[place + 3 :])
        with suppress(UserError):
            table = files.read_parquet(path)
            unseen += table.column_names != ["a", "b"] or table["a"].to_pylist() != numbers
    assert unseen <= 3, "names are in no checksum"


def test_what_is_no_damage_is_not_called_so(tmp_path):
    for raised in (ZeroDivisionError, FileNotFoundError, PermissionError, UserError):
        with pytest.raises(raised), files.reading("a"):
            raise raised("b")
    files.write_parquet(tmp_path / "a", pa.table({"a": [1]}))
    with files.open_parquet(tmp_path / "a") as file:
        assert file.schema_arrow.names == ["a"]


@pytest.mark.parametrize("in_place", [True, False])
def test_state_of_a_file_differs_where_its_size_and_date_do_not(tmp_path, in_place):
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("a")
    before, date = files.state_of(file), file.stat().st_mtime_ns
    assert files.state_of(file) == before
    target = file if in_place else other
    time.sleep(0.02)  # the clock of file systems goes by steps of some milliseconds
    target.write_text("b")
    os.utime(target, ns=(date, date))
    target.replace(file)
    assert file.stat().st_mtime_ns == date
    assert files.state_of(file) != before


def test_parts_of_dead_processes_of_this_machine_are_removed_and_no_others(tmp_path, monkeypatch):
    target = tmp_path / "a/table.csv"
    killed = f"import os, bakeoff.files as f; w = f.whole({str(target)!r}); w.__enter__()"
    for _ in range(2):
        subprocess.run([sys.executable, "-c", f"{killed}; os._exit(1)"], check=False)
    (part, other) = target.parent.iterdir()
    elsewhere = other.rename(other.with_name(other.name.replace(files._machine(), "0" * 8)))
    theirs = target.with_name(".table.csv.part")
    theirs.touch()
    with files.whole(target) as living:
        files.remove_parts(tmp_path)
        assert sorted(target.parent.iterdir()) == sorted([living, elsewhere, theirs])
    assert not part.exists()


TEXTS = ["=1+1", "@cmd", "-x", "+x", "'=1+1", "''@x", "'as it is'", "-0.5", "1e3", "-", "a=b"]


def test_texts_of_a_table_are_no_formulas_and_are_read_as_they_were(tmp_path):
    path = tmp_path / "subgroups.csv"
    table = pd.DataFrame({"=head": TEXTS, "value": np.linspace(-1, 1, len(TEXTS))})
    files.write_csv(path, table)
    cells = [line.split(",")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert cells[:6] == ["'=head", "'=1+1", "'@cmd", "'-x", "'+x", "''=1+1"]
    assert cells[7:] == TEXTS[6:]
    found = files.read_csv(path, dtype={"'=head": str}, keep_default_na=False)
    pd.testing.assert_frame_equal(found, table, check_dtype=False)
    assert found["value"].dtype == float
