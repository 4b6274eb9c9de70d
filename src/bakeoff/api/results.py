"""An experiment run by the workflow, and its results read again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bakeoff.api.findings import Findings
from bakeoff.errors import UserError
from bakeoff.execution.launch import command, launch
from bakeoff.execution.rule_inputs import RuleInputs
from bakeoff.files import is_file
from bakeoff.paths import Paths
from bakeoff.report.read import read_study
from bakeoff.spec import read_experiment
from bakeoff.usercode import make_importable


def run(
    file: str | Path,
    *,
    cores: int | None = None,
    profile: str | Sequence[str] = (),
    options: Sequence[str] = (),
) -> Findings:
    """Run an experiment by the workflow, in this folder, and read its results.

    What is there already and still holds is not made again.

    Parameters
    ----------
    file : path
        The experiment, in YAML.
    cores : int, optional
        How many; default: all of them, or what the profile says.
    profile : str or sequence of str
        Profiles of Snakemake: folders, or those of the package, such as ``"slurm"``.
    options : sequence of str
        Further options of snakemake, unchanged.

    Returns
    -------
    Findings
        As `read` returns them from ``results/<experiment>``.

    Raises
    ------
    UserError
        The file is no experiment, or the run ended with an error; what it said is on `sys.stderr`.

    Examples
    --------
    >>> import bakeoff
    >>> study = bakeoff.run("config/attrition.yaml", cores=2)  # doctest: +SKIP
    """
    experiment = read_experiment(file)
    profiles = [profile] if isinstance(profile, str) else list(profile)
    code = launch(command(file, options, profiles, cores))
    if code:
        raise UserError(f"{file}: the run ended with exit code {code}; what it said is above")
    return read(Paths.of(experiment.experiment).root)


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
    if not is_file(resolved):
        raise UserError(f"{str(folder)!r} holds no results: no experiment.yaml is in it")
    paths = Paths(str(root))
    note = Path(paths.owner())
    file = note.read_text(encoding="utf-8").strip() if note.is_file() else ""
    experiment = read_experiment(resolved)
    if experiment.own_metrics:  # their modules lie where the run found them
        started_in = root.resolve().parents[1]
        make_importable([(started_in / file).parent, started_in])
    try:
        return Findings(read_study(**RuleInputs(experiment, paths).study(file)))
    except FileNotFoundError as error:
        raise UserError(
            f"{str(folder)!r} lacks {Path(error.filename).name}: the run has not ended, or another "
            "version of bakeoff made these results; run the experiment again"
        ) from None
