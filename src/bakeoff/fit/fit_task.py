"""Inputs and outputs of one fit; cheap to import, because Snakemake's process creates it."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from bakeoff.spec import Costs, Fit
from bakeoff.spec.models import Model
from bakeoff.usercode import packages_of

BASE_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "skrub")
"""What every fit depends on; the estimator's own package comes on top."""
_USUAL_DISTRIBUTIONS = {
    "numpy": ["numpy"],
    "scipy": ["scipy"],
    "pandas": ["pandas"],
    "scikit-learn": ["scikit-learn"],
    "skrub": ["skrub"],
    "sklearn": ["scikit-learn"],
    "xgboost": ["xgboost", "xgboost-cpu"],
}
"""Distributions by the names of packages: a look through all that is installed takes long."""


@dataclasses.dataclass(frozen=True)
class FitTask:
    """Everything that one fit depends on, and where it writes."""

    fit: Fit
    model: Model
    seed: int
    data: str | Path
    splits: str | Path
    output: str | Path
    fingerprint: str = ""
    costs: Costs | None = None
    keep: bool = False
    """Whether the fitted model is written too."""
    importance: tuple[str, str] | None = None
    """The metrics of permutation importance, the second where scikit-learn lacks the first."""


def timing_of(output: str | Path) -> Path:
    """Return where the seconds and the memory of a fit are, by its file of predictions."""
    return Path(output).with_suffix(".timing.json")


def kept_of(output: str | Path) -> Path:
    """Return where the fitted model is, by its file of predictions, if it is kept."""
    return Path(output).with_suffix(".joblib")


def importance_of(output: str | Path) -> Path:
    """Return where the importance of columns is, by a file of predictions, if it is measured."""
    return Path(output).with_suffix(".importance.json")


@cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of Python and of the named distributions that are installed."""
    installed = {"python": platform.python_version()}
    for name in packages:
        with suppress(importlib.metadata.PackageNotFoundError):
            installed[name] = importlib.metadata.version(name)
    return installed


_all_distributions = cache(importlib.metadata.packages_distributions)


def distributions_of(*paths: str) -> tuple[str, ...]:
    """Return the distributions that import paths come from, through the user's own files too.

    Two builds of one package may share its name.
    """
    distributions: list[str] = []
    for package in packages_of(*paths):
        if package in _USUAL_DISTRIBUTIONS:
            distributions += _USUAL_DISTRIBUTIONS[package]
        else:
            distributions += _all_distributions().get(package, [package])
    return tuple(distributions)


def versions_with(packages: tuple[str, ...], imports: Iterable[str]) -> dict[str, str]:
    """Return the versions of distributions, and of those that import paths come from."""
    return versions(packages + distributions_of(*imports))
