"""`bakeoff split`: how an experiment divides the rows, before any model is fitted."""

from __future__ import annotations

import argparse
from pathlib import Path

from bakeoff.cli.places import places_of
from bakeoff.cli.terminal import say
from bakeoff.data.given_predictions import load
from bakeoff.data.splits import make_splits
from bakeoff.data.table import ROW_ID
from bakeoff.errors import Problem, UserError
from bakeoff.files import write_texts
from bakeoff.report.numbers import count
from bakeoff.spec import read_experiment
from bakeoff.spec.datasets import GivenData
from bakeoff.spec.load import report_problems
from bakeoff.usercode import make_importable


def run(args: argparse.Namespace) -> None:
    """Write the divisions of every data set that has a source, one CSV file for each plan.

    Predictions of models that are trained elsewhere need not be there yet.

    Raises
    ------
    UserError
        A mistake in the experiment, or no data set whose rows could be divided.
    """
    experiment = read_experiment(args.file)
    make_importable([Path(args.file).parent, "."])
    folder = places_of({"output": args.output}, [args.file], folders=["output"])["output"]
    made = {}
    try:
        for dataset, spec in experiment.datasets.items():
            if isinstance(spec, GivenData):
                continue
            table = load(dataset, experiment)
            for name, plan in experiment.resampling.plans().items():
                splits = make_splits(dataset, table, name, plan, experiment.seed)
                made[folder / f"{dataset}.{name}.csv"] = splits.rename(columns={ROW_ID: "id"})
    except Problem as problem:
        raise report_problems([problem], args.file) from None
    if not made:
        raise UserError(
            f"{args.file}: no data set has a source, so that there are no rows to divide; name the "
            "table under `datasets:`"
        )
    write_texts({path: frame.to_csv(index=False) for path, frame in made.items()})
    for path, frame in made.items():
        say(f"{path}: {count(len(frame), 'row')}")
