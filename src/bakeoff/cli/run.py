"""`bakeoff run`: the workflow that comes with the package, in this folder."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn

from bakeoff.execution.launch import command


def run(args: argparse.Namespace) -> NoReturn:
    """Run an experiment in place of this process, so that the exit code is snakemake's."""
    options = [
        *(["--directory", args.directory] if args.directory else []),
        *(["--dry-run"] if args.dry_run else []),
        *args.further,
    ]
    line = command(args.file, options, args.profile, args.cores)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)
