"""The experiment file that owns a results folder; two files must not share one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from bakeoff.errors import UserError
from bakeoff.files import write_text
from bakeoff.paths import FOLDERS, Paths


def check_folder(paths: Paths) -> None:
    """Make sure that results can be written.

    Raises
    ------
    UserError
        A file is where the folder, one of those that it is in, or one in it should be.
    """
    root = Path(paths.root)
    for place in (*reversed(root.parents), root, *map(paths.folder, FOLDERS)):
        if place.exists() and not place.is_dir():
            raise UserError(
                f"{place} is a file, and results go to a folder of that name; move it away"
            )


def check_owner(paths: Paths, experiment: str, file: str) -> None:
    """Refuse results that belong to another experiment file.

    They stay another's as long as its file is there, has the same `experiment:` and says something
    else; a file that was renamed or copied takes its results along.

    Raises
    ------
    UserError
        They are another file's.
    """
    owner = file_of(paths)
    if not owner:
        return
    if _same(Path(owner), Path(file)) or _name_in(Path(owner)) != experiment:
        return
    raise UserError(
        f"{file}: experiment: the results in {paths.root}/ are those of {owner}, which is called "
        f"{experiment!r} too; give one of the two files another `experiment:` name, or remove "
        f"{paths.owner} to let {file} go on with these results"
    )


def file_of(paths: Paths) -> str:
    """Return the experiment file that results are of; empty where no run has said so."""
    note = Path(paths.owner)
    return note.read_text(encoding="utf-8").strip() if note.is_file() else ""


def note_owner(paths: Paths, file: str) -> None:
    """Record the experiment file that owns these results."""
    note, text = Path(paths.owner), f"{Path(os.path.relpath(file)).as_posix()}\n"
    if not (note.is_file() and note.read_text(encoding="utf-8") == text):
        write_text(note, text)


def _same(one: Path, other: Path) -> bool:
    if not (one.is_file() and other.is_file()):
        return not one.is_file()
    return one.samefile(other) or one.read_bytes() == other.read_bytes()


def _name_in(file: Path) -> Any:
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    return found.get("experiment") if isinstance(found, dict) else None
