"""Reuse of fits that another experiment has already made."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from bakeoff.files import whole
from bakeoff.fit.stamp import is_made

_BELOW_RESULTS = 4  # <experiment>/predictions/<dataset>/<model>


def take(output: str | Path, made_by: Mapping[str, str]) -> Path | None:
    """Copy this very fit from another experiment beside this one, if one has it.

    A fit's seed comes from the experiment's seed and from the ids of data set, model, plan and
    fold, so that the same fit lies under the same path of both experiments. Its stamp tells the
    rest: model, code, versions, data and splits. It is a copy, not a link, for Snakemake goes by
    the dates of files, and each experiment may outlive the other.

    Parameters
    ----------
    output : path
        ``results/<experiment>/predictions/<dataset>/<model>/<split>.parquet``.
    made_by : Mapping
        What `bakeoff.fit.stamp` says of the fit that is wanted.

    Returns
    -------
    Path or None
        Where it was taken from.
    """
    own = Path(output)
    results = own.parents[_BELOW_RESULTS]
    below = own.relative_to(results).parts[1:]
    for experiment in sorted(path for path in results.glob("*") if path.is_dir()):
        found = experiment.joinpath(*below)
        if found != own and is_made(found, made_by) and _copied(found, own, made_by):
            return found
    return None


def _copied(found: Path, own: Path, made_by: Mapping[str, str]) -> bool:
    """Copy a file, unless the other experiment has just replaced it by another fit."""

    class ReplacedError(Exception):
        pass

    try:
        with whole(own) as part:
            shutil.copyfile(found, part)
            if not is_made(part, made_by):
                raise ReplacedError
    except (ReplacedError, FileNotFoundError):
        return False
    return True
