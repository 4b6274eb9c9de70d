"""Files are written whole or not at all."""

from __future__ import annotations

import codecs
import errno
import hashlib
import io
import json
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bakeoff.errors import UserError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FORBIDDEN = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOTDIR,
    errno.EEXIST,
    errno.EISDIR,
    errno.ENOENT,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENXIO,
    errno.EPIPE,
)
_PARQUET = b"PAR1"
"""How such a file begins and ends."""
_PART = re.compile(r"\.([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.part$")
_MODE = 0o666
"""Of a new file, as far as the user's mask allows."""
_MODE_OF_OWNER = 0o600
"""Of what stands in the folder that all users share."""
_MOST_DIGITS = sys.float_info.max_10_exp
"""Digits of the largest number; more would make integers that no computation takes."""
_DASHES = "−–—"
_BUFFER = 1 << 16
"""Bytes that are read of a column at once; by default whole columns are held."""

CACHE = Path(".snakemake/bakeoff")
"""What can be made anew, in the folder that `snakemake` runs in."""
DOWNLOADS = CACHE / "downloads"
"""Data from the network."""


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path; it takes the place of `path` only if the block succeeds.

    Only a regular file is replaced, that which a link leads to. A device or a pipe gets the
    contents written into it.
    """
    before = check_writable(path)
    target = Path(os.path.realpath(path))
    is_stream = before is not None and _is_stream(path, before)
    folder = target.parent
    mode = _MODE
    if is_stream:
        folder = Path(tempfile.gettempdir())
        mode = _MODE_OF_OWNER
    # uuid4: other processes, on other machines too, may write the same file
    unique = f"{_machine()}-{os.getpid()}-{uuid.uuid4().hex[:12]}"
    part = folder / f".{target.name}.{unique}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part.touch(mode, exist_ok=False)
        yield part
        if before is None:
            part.replace(target)
        elif is_stream:
            _copy_into(path, before, part)
            part.unlink()
        else:
            part.chmod(stat.S_IMODE(before.st_mode))
            part.replace(target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        # what the block read and did not find is another file
        is_of_block = isinstance(error, FileNotFoundError) and error.filename != str(part)
        if isinstance(error, OSError) and not is_of_block:
            problem = why_not_written(path, error)
            if problem is not None:
                raise problem from error
        raise


def _is_stream(path: str | Path, state: os.stat_result) -> bool:
    """Tell whether a place is this process's own output, a device or a pipe."""
    return _output_at(path, state) is not None or not stat.S_ISREG(state.st_mode)


def _copy_into(path: str | Path, state: os.stat_result, part: Path) -> None:
    """Write a file at the end of this process's own output, or into a device or a pipe."""
    sys.stdout.flush()
    sys.stderr.flush()
    output = _output_at(path, state)
    with part.open("rb") as contents:
        if output is None:
            with Path(path).open("wb") as device:
                shutil.copyfileobj(contents, device)
        else:
            # by its number: opened by name, a file would be written from its beginning
            with open(output, "wb", closefd=False) as own:
                shutil.copyfileobj(contents, own)


def check_writable(path: str | Path) -> os.stat_result | None:
    """Refuse a place that no file can be written to; return its state, None for nothing.

    The mode counts for root too, whom the system lets write to everything.
    """
    try:
        state = Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        problem = why_not_written(path, error)
        if problem is not None:
            raise problem from error
        raise
    if stat.S_ISDIR(state.st_mode):
        raise UserError(f"{path} cannot be written: it is a folder; name a file")
    mode = stat.S_IMODE(state.st_mode)
    if _output_at(path, state) is None and not (mode & 0o222 and os.access(path, os.W_OK)):
        raise UserError(
            f"{path} cannot be written: its mode is {mode:04o}; name another file, or make this "
            "one writable"
        )
    return state


def _output_at(path: str | Path, state: os.stat_result) -> int | None:
    """Return this process's own output at a place such as /dev/stdout, a regular file or not."""
    if Path(path).parts[:2] not in (("/", "dev"), ("/", "proc")):
        return None
    for output in (1, 2):
        # it may be closed
        with suppress(OSError):
            if os.path.samestat(state, os.fstat(output)):
                return output
    return None


def write_in_any_encoding() -> None:
    """Let stdout and stderr escape as in JSON what their encoding lacks, but for dashes."""

    def escaped(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        text = ""
        for character in error.object[error.start : error.end]:
            if character in _DASHES:
                text += "-"
            else:
                text += json.dumps(character)[1:-1]
        return text, error.end

    codecs.register_error("bakeoff.escaped", escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="bakeoff.escaped")


def remove_parts(folder: str | Path) -> None:
    """Remove what processes of this machine were writing when they were killed."""
    import psutil

    for part in Path(folder).rglob(".*.part"):
        made_by = _PART.search(part.name)
        # of processes of other machines nobody here knows whether they still run
        if made_by and made_by[1] == _machine() and not psutil.pid_exists(int(made_by[2])):
            with suppress(OSError):
                part.unlink()


@cache
def _machine() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


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
    write_texts({Path(path): text})


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write several text files, or none where one of them cannot be written."""
    with ExitStack() as stack:
        for path, text in texts.items():
            part = stack.enter_context(whole(path))
            part.write_text(text, encoding="utf-8", newline="\n")


def parse_json(text: str | bytes) -> Any:
    """Return what JSON of other programs says."""

    def integer(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError(f"a number has {len(digits)} digits, at most {_MOST_DIGITS} are read")
        return int(digits)

    try:
        return json.loads(text, parse_int=integer)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def write_json(path: str | Path, value: Any) -> None:
    """Write JSON whole; NaN and infinity are refused, for they are no JSON."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Say which file of the results it is that cannot be read, and what to do."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except (OSError, ValueError, LookupError, TypeError, NotImplementedError) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"{path} is damaged ({why}): delete it and run again, then it is made anew"
        ) from error


def read_json(path: str | Path) -> Any:
    """Read a JSON file of the results."""
    with reading(path):
        return json.loads(Path(path).read_text(encoding="utf-8"))


def write_csv(path: str | Path, table: pd.DataFrame) -> None:
    """Write a CSV file of the results, of which no spreadsheet runs a text as a formula."""
    with whole(path) as part:
        _each_text(table, no_formula).to_csv(part, index=False, lineterminator="\n")


def read_csv(path: str | Path, **options: Any) -> pd.DataFrame:
    """Read a CSV file of the results, the texts as they were before they were written."""
    import pandas as pd

    with reading(path):
        return _each_text(pd.read_csv(path, **options), _as_given)


def _each_text(table: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    """Change the texts of a table, its head included."""
    changed = table.rename(columns=change)
    for name, column in changed.select_dtypes(exclude=["number", "bool"]).items():
        new_texts = {}
        for text in column.unique():
            if isinstance(text, str) and change(text) != text:
                new_texts[text] = change(text)
        if new_texts:
            changed[name] = column.map(lambda value, new=new_texts: new.get(value, value))
    return changed


def no_formula(value: Any) -> Any:
    """Keep a spreadsheet from running a text, such as the name of a class, as a formula."""
    if _is_formula(value):
        return f"'{value}"
    return value


def _as_given(value: Any) -> Any:
    """Undo `no_formula`."""
    if isinstance(value, str) and value.startswith("'") and _is_formula(value):
        return value[1:]
    return value


def _is_formula(value: Any) -> bool:
    """Tell whether a text would be a formula, or is one after apostrophes."""
    if not isinstance(value, str):
        return False
    text = value.lstrip("'")
    # with these characters a formula begins in Excel and LibreOffice
    if len(text) < 2 or text[0] not in "=+-@\t\r":
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def is_whole(path: str | Path) -> bool:
    """Tell whether a JSON file can be read, or a Parquet file begins and ends like one."""
    with Path(path).open("rb") as file:
        if Path(path).suffix != ".json":
            begin = file.read(len(_PARQUET))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - len(_PARQUET)))
            return begin == file.read() == _PARQUET
        try:
            json.load(file)
        except ValueError:
            return False
        return True


def write_parquet(path: str | Path, table: pa.Table, **options: Any) -> None:
    """Write a Parquet file whole, with checksums that tell a damaged file from a good one."""
    import pyarrow.parquet as pq

    with whole(path) as part:
        pq.write_table(table, part, write_page_checksum=True, **options)


@contextmanager
def open_parquet(path: str | Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file of the results."""
    import pyarrow.parquet as pq

    with reading(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        yield file


def read_parquet(path: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file of the results, or columns of it; see `read_large`."""
    with reading(path):
        return read_large(path, columns)


def read_large(source: str | Path | IO[bytes], columns: Sequence[str] | None = None) -> pa.Table:
    """Read any Parquet file, and hold little beside its values: not the file, nor columns of it."""
    import pyarrow.parquet as pq

    wanted = None
    if columns is not None:
        wanted = list(columns)
    with pq.ParquetFile(
        source, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
    ) as file:
        return file.read(wanted)


def locate(path: str, folder: str | Path) -> str:
    """Find a file or a folder of an experiment: from the working folder, else from its own."""
    if is_file(path) or is_folder(path):
        return path
    beside = Path(folder) / path
    if is_file(beside) or is_folder(beside):
        return os.path.relpath(beside)
    return path


def digest(value: Any, ordered: bool = False) -> str:
    """Return a short stable digest of plain data; the order of keys counts only if asked."""
    text = json.dumps(value, sort_keys=not ordered, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def files_at(path: str, endings: Collection[str] = ()) -> list[str]:
    """Return a file, or those of a folder and of its folders, hidden ones left out, in order.

    Of a folder those with one of some endings, or all of them.
    """
    if not is_folder(path):
        return [path]
    files = []
    for folder, folders, names in os.walk(path):
        # what is left in this list is walked through
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(folder, name)
            has_ending = not endings or file.suffix in endings
            if has_ending and not name.startswith(".") and is_file(file):
                files.append(file)
    return [str(file) for file in sorted(files)]


def state_of(path: str | Path) -> tuple[int, ...]:
    """Return numbers of a file that differ when it is replaced or written to, whatever its date.

    Programs that keep dates (`cp -p`, `mv`, `rsync -t`, `tar x`) cannot set the last of them.
    """
    # a Path takes twice the time of the call
    now = os.stat(path)  # noqa: PTH116
    return now.st_size, now.st_mtime_ns, now.st_ino, now.st_ctime_ns


def sha256_of(path: str | Path) -> str:
    """Return the SHA-256 of a file's contents, as 64 hexadecimal digits."""
    return _sha256_of(str(path), state_of(path))


@lru_cache(maxsize=1024)
def _sha256_of(path: str, state: tuple[int, ...]) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def no_file(path: str | Path) -> str:
    """Say that there is no file, or what is there that cannot be read as one."""
    # a Path fails at a name that is too long
    if not os.path.exists(path):  # noqa: PTH110
        return f"no file at {str(path)!r}"
    if is_folder(path):
        return f"{str(path)!r} is a folder, expected a file"
    return (
        f"{str(path)!r} is a pipe or a device, which can be read once: write it to a file and "
        "name that"
    )


def is_file(path: str | Path) -> bool:
    """Tell whether there is a file; none has a name that is too long for one."""
    return os.path.isfile(path)  # noqa: PTH113 - a Path fails there


def is_folder(path: str | Path) -> bool:
    """Tell whether there is a folder; none has a name that is too long for one."""
    return os.path.isdir(path)  # noqa: PTH112 - a Path fails there
