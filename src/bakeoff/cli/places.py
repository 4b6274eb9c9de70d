"""Check output paths before anything is computed, so that no output is partial."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from bakeoff.errors import UserError


def places_of(
    files: Mapping[str, str | None], read: Iterable[str], folders: Iterable[str] = ()
) -> dict[str, Path]:
    """Return where options write to.

    Parameters
    ----------
    files : Mapping of option to str or None
        The places; options that are not given name none.
    read : iterable of str
        Files that are read, and never written over.
    folders : iterable of str
        Options that name a folder, where the others name a file.

    Raises
    ------
    UserError
        Nothing can be written to a place, it is read from, or it is named twice.
    """
    found = {option: Path(place) for option, place in files.items() if place is not None}
    inputs = {Path(path).absolute() for path in read}
    for option, place in found.items():
        folder = place if option in folders else place.parent
        there = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        if option not in folders and place.is_dir():
            raise UserError(f"--{option}: {str(place)!r} is a folder; name a file")
        if option not in folders and place.absolute() in inputs:
            raise UserError(f"--{option}: {str(place)!r} is read from; name another file")
        if not there.is_dir():
            raise UserError(f"--{option}: {str(there)!r} is a file; name a folder")
        if not os.access(there, os.W_OK):
            raise UserError(f"--{option}: {str(there)!r} may not be written to")
    if len({place.absolute() for place in found.values()}) < len(found):
        options = ", ".join(f"--{option}" for option in found)
        raise UserError(f"{options}: two of them name the same place")
    return found
