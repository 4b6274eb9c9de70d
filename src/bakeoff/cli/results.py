"""`bakeoff run` and `bakeoff publish`: results are made, and handed on."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn


def run(args: argparse.Namespace) -> NoReturn:
    """Run an experiment in place of this process, so that the exit code is snakemake's."""
    from bakeoff.execution.launch import command

    line = command(args.file, args.further, args.profile or (), args.cores)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)


def publish(args: argparse.Namespace) -> None:
    """Write results as a model card, or as runs of MLflow; without an option print the card."""
    from bakeoff.api.results import read_results
    from bakeoff.cli.given import outputs
    from bakeoff.cli.terminal import say
    from bakeoff.files import write_text
    from bakeoff.report.publish import model_card, write_runs
    from bakeoff.report.verdict import answer

    places = outputs(args.output, [])
    study = read_results(args.results)
    verdict = answer(study)
    if args.mlflow is not None:
        report = Path(args.results) / "report.html"
        runs = write_runs(study, verdict, args.mlflow, [report] if report.is_file() else [])
        say(f"{len(runs)} runs of {study.experiment.experiment} are in {args.mlflow}")
    card = model_card(study, verdict)
    for place in places:
        write_text(place, card)
    if not places and args.mlflow is None:
        say(card)
