"""Check output paths before anything is computed, so that no output is partial."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.errors import UserError
from bakeoff.files import check_writable


def places_of(
    files: Mapping[str, str | None], read: Iterable[str], folders: Iterable[str] = ()
) -> dict[str, Path]:
    """Return where options write to."""
    found = {option: Path(place) for option, place in files.items() if place is not None}
    inputs = {os.path.realpath(path) for path in read}
    for option, place in found.items():
        there = None
        try:
            os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            pass  # an output that is not there yet; what lies above it is looked at below
        except (OSError, ValueError) as problem:  # too long, or no text of the file system
            why = getattr(problem, "strerror", None) or "no file can have this name"
            raise UserError(f"--{option}: {str(place)[:60]!r}: {why}") from None
        if option not in folders:
            if place.is_dir():
                raise UserError(f"--{option}: {str(place)!r} is a folder; name a file")
            if os.path.realpath(place) in inputs:
                raise UserError(f"--{option}: {str(place)!r} is read from; name another file")
            try:
                there = check_writable(place)
            except UserError as problem:
                raise UserError(f"--{option}: {problem}") from None
        if there is not None and not stat.S_ISREG(there.st_mode):
            continue  # it is written into, whatever its folder
        target = Path(os.path.realpath(place)) if place.is_symlink() else place
        folder = target if option in folders else target.parent
        above = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if not above.is_dir():
            raise UserError(f"--{option}: {str(above)!r} is a file; name a folder")
        if not os.access(above, os.W_OK):
            raise UserError(f"--{option}: {str(above)!r} may not be written to")
    if len({os.path.realpath(place) for place in found.values()}) < len(found):
        options = ", ".join(f"--{option}" for option in found)
        raise UserError(f"{options}: two of them name the same place")
    return found
