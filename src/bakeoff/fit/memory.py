"""Peak memory of this process."""

from __future__ import annotations

import resource
import sys
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
