"""Start the workflow that comes with the package, from any folder."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

import bakeoff
from bakeoff.errors import UserError
from bakeoff.files import is_file, is_folder
from bakeoff.usercode import require

_PACKAGE = Path(bakeoff.__file__).parent


def workflow_folder() -> Path:
    """Return the folder of the Snakefile and the profiles: in the package, or the checkout's."""
    installed = _PACKAGE / "workflow"
    return installed if installed.is_dir() else _PACKAGE.parents[1]


def command(
    file: str | Path,
    options: Sequence[str] = (),
    profiles: Sequence[str] = (),
    cores: int | str | None = None,
) -> list[str]:
    """Return the command line that runs an experiment, with options of snakemake as they are.

    Profiles are folders, or names of those that come with the package, such as `slurm`. Without
    `cores` all are used, or as many as a profile says.
    """
    require("snakemake", "running an experiment by its file")
    if not is_file(file):
        raise UserError(f"{file} is not there; bakeoff init writes an experiment from a table")
    _refuse_what_is_no_yaml(file)
    line = [sys.executable, "-m", "bakeoff.execution.launch"]
    line += ["--snakefile", str(workflow_folder() / "Snakefile")]
    if profiles:
        line += ["--profile", *map(_profile_folder, profiles)]
    if cores:
        line += ["--cores", str(cores)]
    # the file stands last: snakemake would take a target behind it for another file
    return [*line, *options, "--configfile", str(file)]


def _refuse_what_is_no_yaml(file: str | Path) -> None:
    """Refuse a file that cannot be read; Snakemake would name neither file nor line."""
    try:
        yaml.safe_load(Path(file).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError):
        from bakeoff.spec.load import read_yaml  # says what is wrong, and where

        read_yaml(file)


def _profile_folder(profile: str) -> str:
    """Return the folder of a profile: the user's own before that of the package."""
    packaged = workflow_folder() / "profiles" / profile
    if is_folder(profile) or not is_folder(packaged):
        return profile
    return str(packaged)


def launch(line: Sequence[str]) -> int:
    """Run a command line of `command` in a process of its own and return its exit code.

    What it says goes to `sys.stderr`, which need not be a terminal: a notebook shows it. An
    interrupt is handed on, and the run ends before it is raised.
    """
    with subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,  # a terminal's interrupt would reach it twice
    ) as process:
        assert process.stdout is not None
        try:
            for text in process.stdout:
                sys.stderr.write(text)
            return process.wait()
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise


if __name__ == "__main__":
    try:
        from snakemake.cli import main

        main()
    except KeyboardInterrupt:  # where Snakemake does not handle it itself
        sys.stderr.write("interrupted\n")
        sys.exit(130)
