"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bakeoff.errors import UserError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR)
_PARQUET = b"PAR1"  # how such a file begins and ends

CACHE = Path(".snakemake/bakeoff")
"""What can be made anew, in the folder that `snakemake` runs in."""
DOWNLOADS = CACHE / "downloads"
"""Data from the network."""


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it takes its place only if the block succeeds.

    Raises
    ------
    UserError
        There is no room for it, or it may not be written.
    """
    target = Path(path)
    # uuid4: other processes, on other machines too, may write the same file
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.touch(exist_ok=False)
        yield part
        part.replace(target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and (problem := why_not_written(target, error)):
            raise problem from error
        raise


def why_not_written(target: str | Path, error: OSError) -> UserError | None:
    """Say what a user can do about a file that cannot be written; nothing where it is no use."""
    if error.errno in _NO_ROOM:
        advice = "make room and run again, what is finished is kept"
    elif error.errno in _FORBIDDEN:
        advice = "its folder must be one that you may write to"
    else:
        return None
    return UserError(f"{target} cannot be written: {os.strerror(error.errno)}; {advice}")


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole."""
    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, value: Any) -> None:
    """Write JSON whole; NaN and infinity are refused, for they are no JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def is_whole(path: str | Path) -> bool:
    """Tell whether a JSON file can be read, or a Parquet file begins and ends like one."""
    if Path(path).suffix == ".json":
        try:
            read_json(path)
        except ValueError:
            return False
        return True
    with Path(path).open("rb") as file:
        begin = file.read(len(_PARQUET))
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - len(_PARQUET)))
        return begin == file.read() == _PARQUET


def locate(path: str, folder: str | Path) -> str:
    """Find a file of an experiment: from the working folder, else from the experiment's own.

    Returns
    -------
    str
        `path` as it is, unless there is such a file in `folder` only.
    """
    beside = Path(folder) / path
    return os.path.relpath(beside) if is_file(beside) and not is_file(path) else path


def digest(value: Any, ordered: bool = False) -> str:
    """Return a short stable digest of plain data; the order of keys counts only if asked."""
    text = json.dumps(value, sort_keys=not ordered, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file's contents, as 64 hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_file(path: str | Path) -> bool:
    """Tell whether there is a file; none has a name that is too long for one."""
    try:
        return Path(path).is_file()
    except OSError:
        return False
