"""`bakeoff run`: an experiment by the workflow of the package."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn


def run(args: argparse.Namespace) -> NoReturn:
    """Run an experiment in place of this process, so that the exit code is snakemake's."""
    from bakeoff.execution.launch import command

    line = command(args.file, args.further, args.profile or (), args.cores)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)
