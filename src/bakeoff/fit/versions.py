"""The versions of Python and of the packages that a fit depends on."""

from __future__ import annotations

import importlib.metadata
import platform
from functools import cache

BASE_PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "skrub")
"""What every fit depends on; the estimator's own package comes on top."""


@cache
def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of Python and of the named distributions that are installed."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def distributions_of(*paths: str) -> tuple[str, ...]:
    """Return the distributions import paths come from (two builds may share one name)."""
    packages = dict.fromkeys(path.split(".")[0] for path in paths)
    return tuple(name for package in packages for name in _distributions(package))


@cache
def _distributions(package: str) -> tuple[str, ...]:
    distributions = {"sklearn": ("scikit-learn",), "xgboost": ("xgboost", "xgboost-cpu")}
    if package in distributions:
        return distributions[package]
    return tuple(importlib.metadata.packages_distributions().get(package, (package,)))
