"""`bakeoff run`: the workflow that comes with the package, in this folder."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from bakeoff.run.launch import command
from bakeoff.run.locks import release

_SAY_HOW_MANY = ("-j", "--jobs", "-e", "--executor")


def run(args: argparse.Namespace) -> NoReturn:
    """Run an experiment in place of this process, so that the exit code is snakemake's.

    A lock that a killed run of this machine left is removed first, with a line that says so.
    """
    line = command(args.file, [*_own_options(args), *args.further], args.profile)
    for holder in release(Path(args.directory or ".")):
        sys.stderr.write(f"removed the lock of a run that was killed ({holder})\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)


def _own_options(args: argparse.Namespace) -> list[str]:
    said = [option.partition("=")[0] for option in args.further]
    limited = args.profile or any(option.startswith(_SAY_HOW_MANY) for option in said)
    cores = args.cores or (None if limited else "all")
    return [
        *(["--cores", cores] if cores else []),
        *(["--directory", args.directory] if args.directory else []),
        *(["--dry-run"] if args.dry_run else []),
    ]
