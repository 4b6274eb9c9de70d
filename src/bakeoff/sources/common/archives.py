"""Files that may be compressed, opened up to a limit of what they unpack to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from bakeoff.errors import UserError

LARGEST = 4 << 30
"""Bytes of a download, and of what an archive holds: more is a mistake or an attack."""
_SMALL, _RATIO = 256 << 20, 200
"""Bytes that any archive may hold, and the times its size that a larger one may hold."""

_OPENERS: Mapping[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
_ZIP = ".zip"
COMPRESSED = (*_OPENERS, _ZIP)
"""Endings of what is unpacked while it is read."""


def most_unpacked(packed: int) -> int:
    """Return how many bytes an archive of so many may hold: it is read into memory."""
    import psutil

    free: int = psutil.virtual_memory().available
    return min(LARGEST, free // 2, max(_SMALL, _RATIO * packed))


def check_unpacked(size: int, packed: int) -> None:
    """Refuse an archive, or a part of it, that holds more than `most_unpacked`."""
    if size > (most := most_unpacked(packed)):
        raise ValueError(
            f"it unpacks to more than {most / 2**30:.2g} GiB: {LARGEST >> 30} GiB, {_RATIO} times "
            "the size of the archive and half of the free memory are the limits; if it is meant "
            "to, unpack it and name what is in it"
        )


@contextmanager
def opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a file, unpacked where the ending of `name` says that it is compressed."""
    ending = Path(name.partition("?")[0]).suffix.lower()
    if ending == _ZIP:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if len(members) != 1:
                raise UserError(f"{name!r} holds {len(members)} files; it must hold one table")
            with archive.open(members[0]) as file:
                yield _limited(file, path)
    elif ending in _OPENERS:
        with _OPENERS[ending](path, "rb") as file:
            yield _limited(file, path)
    else:
        with path.open("rb") as file:
            yield file


class _Unpacked(io.RawIOBase):
    """The unpacked content of an archive, up to `most_unpacked` bytes."""

    def __init__(self, file: IO[bytes], packed: int) -> None:
        self._file, self._packed, self._read = file, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._file.readinto(buffer)  # type: ignore[attr-defined]
        self._read += count
        check_unpacked(self._read, self._packed)
        return count


def _limited(file: IO[bytes], path: Path) -> IO[bytes]:
    return io.BufferedReader(_Unpacked(file, path.stat().st_size), 1 << 20)


def seekable(file: IO[bytes]) -> Any:
    """Return a file in which one can go back, read into memory if it must be."""
    return file if file.seekable() else io.BytesIO(file.read())
