"""The gate of a release: whether a candidate may take the place of a base."""

from bakeoff.release.evidence import GateRows, read_rows
from bakeoff.release.verdict import GateVerdict, Part, Terms, decide

__all__ = ["GateRows", "GateVerdict", "Part", "Terms", "decide", "read_rows"]
