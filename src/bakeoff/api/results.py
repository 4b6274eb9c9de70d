"""Results of the workflow, read again."""

from __future__ import annotations

from pathlib import Path

from bakeoff.api.findings import Findings
from bakeoff.errors import UserError
from bakeoff.paths import Paths
from bakeoff.report.read import read_study
from bakeoff.run.needs import Needs
from bakeoff.run.owner import file_of
from bakeoff.spec import read_experiment
from bakeoff.usercode import make_importable


def read(folder: str | Path) -> Findings:
    """Read the results of an experiment.

    Parameters
    ----------
    folder : path
        The folder of the results, such as ``results/attrition``.

    Returns
    -------
    Findings
        With the numbers, figures and tables of the report.

    Raises
    ------
    UserError
        No results are there, or not all of them.

    Examples
    --------
    >>> import bakeoff
    >>> bakeoff.read("results/none")
    Traceback (most recent call last):
    bakeoff.errors.UserError: 'results/none' holds no results: no experiment.yaml is in it
    """
    root = Path(folder)
    resolved = root / "experiment.yaml"
    if not resolved.is_file():
        raise UserError(f"{str(folder)!r} holds no results: no experiment.yaml is in it")
    paths = Paths(str(root))
    file = file_of(paths)
    experiment = read_experiment(resolved)
    if experiment.own_metrics:  # their modules lie where the run found them
        started_in = root.resolve().parents[1]
        make_importable([(started_in / file).parent, started_in])
    try:
        return Findings(read_study(**Needs(experiment, paths).study(file)))
    except FileNotFoundError as error:
        raise UserError(
            f"{str(folder)!r} lacks {Path(error.filename).name}: the run has not ended, or another "
            "version of bakeoff made these results; run the experiment again"
        ) from None
