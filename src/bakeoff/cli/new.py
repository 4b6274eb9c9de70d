"""`bakeoff new`: a folder for a new study."""

from __future__ import annotations

import argparse
import sys
from importlib.resources import files
from pathlib import Path

from bakeoff import __version__
from bakeoff.errors import UserError
from bakeoff.files import write_text

_NAMES = {"gitignore": ".gitignore"}
"""Files that are called otherwise among the package's own."""


def run(args: argparse.Namespace) -> None:
    """Lay out the folder: an experiment that runs, a place for data, how to rerun.

    Raises
    ------
    UserError
        The folder holds something already, or cannot be made.
    """
    folder = Path(args.folder)
    try:
        if folder.exists() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty; give a folder that is not there yet")
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "data/.gitkeep").touch()
        for file in files("bakeoff.cli").joinpath("new_study").iterdir():
            text = file.read_text(encoding="utf-8").replace("{version}", __version__)
            write_text(folder / _NAMES.get(file.name, file.name), text)
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror}") from None
    sys.stdout.write(f"{folder}/ is ready: cd {folder} && bakeoff run experiment.yaml\n")
