"""`bakeoff publish`: results as a model card, and as runs of MLflow."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.api.results import read_results
from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import say
from bakeoff.files import write_text
from bakeoff.report.publish import model_card, write_runs
from bakeoff.report.verdict import answer


def run(args: argparse.Namespace) -> None:
    """Write what is asked for; without an option print the card."""
    places = places_of({"card": args.card}, [])
    study = read_results(args.results)
    verdict = answer(study)
    if args.mlflow is not None:
        report = Path(args.results) / "report.html"
        runs = write_runs(study, verdict, args.mlflow, [report] if report.is_file() else [])
        say(f"{len(runs)} runs of {study.experiment.experiment} are in {args.mlflow}")
    card = model_card(study, verdict)
    if "card" in places:
        write_text(places["card"], card)
    elif args.mlflow is None:
        say(card)
