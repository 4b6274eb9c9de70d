"""Tell whether classifier A is really better than B, or whether it was the split."""

__version__ = "0.1.0"
