"""The methods paragraph: what was done, in sentences for a paper."""

from bakeoff.report.methods.paragraph import Methods, methods

__all__ = ["Methods", "methods"]
