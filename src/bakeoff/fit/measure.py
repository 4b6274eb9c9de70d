"""Seconds and memory of one fit, and the versions of what computed it."""

from __future__ import annotations

import importlib.metadata
import platform
import resource
import sys
from functools import cache
from pathlib import Path

_HIGH_WATER = "VmHWM:"


def reset_peak_memory() -> None:
    """Start a new high-water mark, where the kernel lets us (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def peak_memory_mb() -> float:
    """Return the peak resident memory of this process in MiB since the last reset."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(_HIGH_WATER)) / 1024
    except (OSError, StopIteration):
        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


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
    known = {"sklearn": ("scikit-learn",), "xgboost": ("xgboost", "xgboost-cpu")}
    if package in known:
        return known[package]
    return tuple(importlib.metadata.packages_distributions().get(package, (package,)))
